/* Contended stress of all queues but those of one thread. */
#include "each_queue.h"
#include "stress.h"

static void test_nothing_is_lost_twice_or_out_of_order(void **state)
{
	each_queue_run_cases(*state, stress_run);
}

int main(int argc, char **argv)
{
	return each_queue_run("stress", test_nothing_is_lost_twice_or_out_of_order, argc, argv);
}
