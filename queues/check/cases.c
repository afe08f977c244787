#include "cases.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "environment.h"
#include "rig.h"

enum {
	CAPACITIES = 4,
	MESSAGES = 6000,       /* by all threads together … */
	LARGE_BYTES = 1024,
	LARGE_MESSAGES = 600,  /* … and of messages larger than that: to look at each word of them takes long */
	MOST_NS = 20000000,    /* a case goes no longer, however dear its sleeps and time slices: some dozens make a queue's check */
};

/* A number of its own for each seed and place (D. Lea's and S. Vigna's splitmix64). */
static uint64_t draw(uint64_t seed, uint64_t place)
{
	uint64_t number = seed * 0xd1342543de82ef95 + (place + 1) * 0x9e3779b97f4a7c15;

	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
	number = (number ^ number >> 27) * 0x94d049bb133111eb;
	return number ^ number >> 31;
}

struct check_plan case_plan_of_tests(void)
{
	return (struct check_plan){.times = (unsigned)environment_number("TWOPOINT_STRESS", 1),
				   .seed = environment_number("TWOPOINT_SEED", 0), .watchdog_seconds = 30};
}

static unsigned endpoints(unsigned most)
{
	return most && most < CASE_ENDPOINTS_MAX ? most : CASE_ENDPOINTS_MAX;
}

static unsigned shapes(const struct queue *queue)
{
	return endpoints(queue->traits.producers_max) * endpoints(queue->traits.consumers_max);
}

static unsigned waits(const struct queue *queue)
{
	return queue->traits.blocks_natively ? WAIT_POLICIES : WAIT_NATIVE;
}

/* Whether what was flushed, or the room that was made, comes to the other end later, by threads of its own or of the kernel's: who flushed has
 * nobody to wake yet, and who comes to sleep on a wait point then is woken by nobody. It has waits of its own for that. (What the kernel itself
 * has on this machine is there when its call comes back.) */
static bool carries_by_itself(const struct queue *queue)
{
	return queue->traits.role == QUEUE_PEER && queue->traits.kernel_buffer && queue->traits.blocks_natively;
}

/* So many make a pass: each shape, and each way of waiting with each capacity. Two passes make a round: all CPUs, one CPU. */
static unsigned pass_cases(const struct queue *queue)
{
	unsigned ways = waits(queue) * CAPACITIES;

	return shapes(queue) > ways ? shapes(queue) : ways;
}

unsigned case_count(const struct queue *queue)
{
	return queue->traits.one_thread ? 0 : 2 * pass_cases(queue);
}

struct check_case case_draw(const struct queue *queue, const struct check_plan *plan, uint64_t number)
{
	static const size_t capacities[CAPACITIES] = {1, 2, 7, 1024}, sizes[] = {8, 64, 200, 8, 64, 200, 64, 4096}, batches[] = {1, 3, 40, 80};
	static const uint64_t starts[] = {0, INT32_MAX - 60, UINT32_MAX - 60, INT64_MAX - 60, UINT64_MAX - 60};
	uint64_t pass = (number - 1) / pass_cases(queue), place = (number - 1) % pass_cases(queue);
	uint64_t of_pass = draw(plan->seed, ~pass), of_case = draw(plan->seed, number);
	uint64_t way = place + of_pass, policy = way % waits(queue), row = way / waits(queue);
	/* few shapes: shifted from row to row, that each shape meets each way of waiting */
	uint64_t shape = (place + (shapes(queue) <= waits(queue) ? row : 0) + (of_pass >> 8)) % shapes(queue);
	unsigned consumers = endpoints(queue->traits.consumers_max);
	size_t message_bytes = sizes[of_case % 8];

	if (carries_by_itself(queue) && (policy == WAIT_PARK || policy == WAIT_EVENTFD || policy == WAIT_ADAPTIVE))
		policy = WAIT_NATIVE;
	return (struct check_case){
		.queue = queue, .wait = (enum wait_policy)policy, .capacity = capacities[(row + policy) % CAPACITIES],
		.message_bytes = message_bytes, .batch = batches[of_case / 8 % 4], .counter_start = starts[of_case / 32 % 5],
		.producers = 1 + (unsigned)shape / consumers, .consumers = 1 + (unsigned)shape % consumers,
		.messages = (message_bytes > LARGE_BYTES ? LARGE_MESSAGES : MESSAGES) / (2 + shape / consumers + shape % consumers), .most_ns = MOST_NS,
		.seed = plan->seed, .number = number, .one_cpu = pass % 2, .watchdog_seconds = plan->watchdog_seconds,
	};
}

char *case_text(const struct check_case *drawn, char *text, size_t size)
{
	snprintf(text, size,
		 "%s, seed %" PRIu64 " case %" PRIu64 " (%u:%u, wait %s, capacity %zu, %zu bytes, batch %zu, start %#" PRIx64 "%s)",
		 drawn->queue->name, drawn->seed, drawn->number, drawn->producers, drawn->consumers, wait_policy_names[drawn->wait],
		 drawn->capacity, drawn->message_bytes, drawn->batch, drawn->counter_start, drawn->one_cpu ? ", one CPU" : "");
	return text;
}

uint64_t case_seed(const struct check_case *drawn, unsigned endpoint)
{
	return ((drawn->seed * 4096 + drawn->number) * 2 * CASE_ENDPOINTS_MAX + endpoint) * 0x9e3779b97f4a7c15 | 1;
}

struct queue_config case_config(const struct check_case *drawn)
{
	struct queue_config config = rig_config(drawn->queue, drawn->capacity, drawn->message_bytes, drawn->batch);

	config.producers = drawn->producers;
	config.consumers = drawn->consumers;
	config.counter_start = drawn->counter_start;
	if (drawn->queue->traits.lanes && config.capacity < config.producers * config.consumers)
		config.capacity = config.producers * config.consumers;
	return config;
}

unsigned case_seconds(const struct check_case *drawn)
{
	return 60 + 20 * drawn->watchdog_seconds;
}

struct verdict case_run_all(const struct queue *queue, const struct check_plan *plan,
			    struct verdict (*run)(const struct check_case *drawn), unsigned *cases)
{
	uint64_t last = (uint64_t)case_count(queue) * (plan->times ? plan->times : 1);
	struct verdict verdict = {.kind = VERDICT_PASSED};

	if (!last)
		return (struct verdict){.kind = VERDICT_NOT_APPLICABLE, .text = "both its endpoints belong to one thread"};
	for (uint64_t number = plan->only ? plan->only : 1; verdict.kind == VERDICT_PASSED; number++) {
		struct check_case drawn = case_draw(queue, plan, number);

		verdict = run(&drawn);
		++*cases;
		if (number >= last || plan->only)
			break;
	}
	return verdict;
}

void *case_allocate(struct verdict *verdict, size_t count, size_t bytes)
{
	void *memory = calloc(count, bytes);

	if (!memory)
		verdict_fail(verdict, "no memory for the test itself");
	return memory;
}

void case_share_one_cpu(struct verdict *verdict)
{
	cpu_set_t *one;
	unsigned cpu;

	if (getcpu(&cpu, NULL))
		verdict_fail(verdict, "getcpu failed");
	one = CPU_ALLOC(cpu + 1);
	if (!one)
		verdict_fail(verdict, "no memory for the test itself");
	CPU_ZERO_S(CPU_ALLOC_SIZE(cpu + 1), one);
	CPU_SET_S(cpu, CPU_ALLOC_SIZE(cpu + 1), one);
	if (sched_setaffinity(0, CPU_ALLOC_SIZE(cpu + 1), one))
		verdict_fail(verdict, "sched_setaffinity failed");
	CPU_FREE(one);
}

uint64_t case_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool case_thread_ended(pthread_t thread)
{
	struct timespec soon;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 100000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_nsec -= 1000000000;
		soon.tv_sec++;
	}
	return !pthread_timedjoin_np(thread, NULL, &soon);
}
