/* Recorded histories of all queues but those of one thread. */
#include "each_queue.h"
#include "histories.h"

static void test_one_order_explains_what_each_thread_saw(void **state)
{
	each_queue_run_cases(*state, histories_run);
}

int main(int argc, char **argv)
{
	return each_queue_run("histories", test_one_order_explains_what_each_thread_saw, argc, argv);
}
