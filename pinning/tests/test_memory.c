#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "memory.h"

enum { KIB = 1024, MIB = 1024 * KIB, ABSENT_NODE = 1000 };

/* Planted refusals: the definitions below take the place of the C library's and libnuma's in this program. 0: none. */
static struct {
	int mbind_errno, move_pages_errno, get_mempolicy_errno, mlock_errno, populate_errno;
	bool no_numa, two_nodes, one_node, hugetlb;
	unsigned mbind_calls, populate_calls;
	int mode; /* of the last mbind */
} planted;

static long refuse(int error)
{
	errno = error;
	return -1;
}

int numa_available(void)
{
	return planted.no_numa ? -1 : 0;
}

long mbind(void *address, unsigned long bytes, int mode, const unsigned long *mask, unsigned long most, unsigned flags)
{
	planted.mbind_calls++;
	planted.mode = mode;
	if (planted.mbind_errno)
		return refuse(planted.mbind_errno);
	if (planted.one_node || planted.two_nodes)
		return 0;
	return syscall(SYS_mbind, address, bytes, mode, mask, most, flags);
}

long move_pages(int pid, unsigned long count, void **pages, const int *nodes, int *status, int flags)
{
	if (planted.move_pages_errno)
		return refuse(planted.move_pages_errno);
	if (planted.one_node || planted.two_nodes) {
		for (unsigned long i = 0; i < count; i++)
			status[i] = planted.two_nodes && i == count - 1 ? 4 : 3;
		return 0;
	}
	return syscall(SYS_move_pages, pid, count, pages, nodes, status, flags);
}

long get_mempolicy(int *mode, unsigned long *mask, unsigned long most, void *address, unsigned flags)
{
	if (planted.get_mempolicy_errno)
		return refuse(planted.get_mempolicy_errno);
	if (planted.one_node) {
		*mode = 3;
		return 0;
	}
	return syscall(SYS_get_mempolicy, mode, mask, most, address, flags);
}

int mlock(const void *address, size_t bytes)
{
	if (planted.mlock_errno)
		return (int)refuse(planted.mlock_errno);
	(void)address;
	(void)bytes;
	return 0;
}

int madvise(void *address, size_t bytes, int advice)
{
	const int populate_write = 23;

	if (advice == populate_write) {
		planted.populate_calls++;
		if (planted.populate_errno)
			return (int)refuse(planted.populate_errno);
	}
	return (int)syscall(SYS_madvise, address, bytes, advice);
}

/* Huge pages out of ordinary ones. */
void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
	if (planted.hugetlb)
		flags &= ~MAP_HUGETLB;
	long mapping = syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
	return mapping == -1 ? MAP_FAILED : (void *)mapping;
}

static int planted_clear(void **state)
{
	(void)state;
	memset(&planted, 0, sizeof(planted));
	return 0;
}

static struct memory_region *region_open(struct memory_request request)
{
	struct memory_region *region = NULL;
	char error[MEMORY_TEXT] = "";

	if (memory_open(&region, &request, error))
		fail_msg("%s", error);
	return region;
}

static struct memory_region *region_open_limit(size_t limit_bytes)
{
	return region_open((struct memory_request){.limit_bytes = limit_bytes, .node = -1});
}

static struct memory_facts facts_of(struct memory_region *region)
{
	struct memory_facts facts;

	memory_facts(region, &facts);
	return facts;
}

/* In memory, that is: a touch does not fault. */
static bool is_resident(const void *block, size_t bytes)
{
	unsigned char pages[MIB / 4096 + 1];
	uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)block & ~(page_bytes - 1);
	size_t span = (uintptr_t)block + bytes - first;
	size_t count = (span + page_bytes - 1) / page_bytes;

	assert_true(count <= sizeof(pages));
	if (mincore((void *)first, span, pages))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!(pages[i] & 1))
			return false;
	return true;
}

static void the_limit_is_exact(void **state)
{
	struct memory_region *region = region_open_limit(1000);
	void *most = memory_allocate(region, 999, 1);

	(void)state;
	assert_non_null(most);
	assert_null(memory_allocate(region, 2, 1));
	void *last = memory_allocate(region, 1, 1);
	assert_non_null(last);
	assert_null(memory_allocate(region, 1, 1));
	memory_release(region, last, 1);
	assert_null(memory_allocate(region, 2, 1));
	assert_non_null(memory_allocate(region, 1, 1));
	assert_int_equal(1000, facts_of(region).bytes_now);
	memory_close(region);
}

/* Rounding and alignment take addresses, not the limit. */
static void the_limit_counts_bytes_as_asked_for(void **state)
{
	enum { BLOCK = 24, BLOCKS = 10000 };
	struct memory_region *region = region_open_limit(BLOCK * BLOCKS);

	(void)state;
	for (size_t i = 0; i < BLOCKS; i++)
		assert_non_null(memory_allocate(region, BLOCK, 64));
	assert_null(memory_allocate(region, 1, 1));
	memory_close(region);
}

static void sizes_that_overflow_are_refused(void **state)
{
	static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 15, SIZE_MAX - 4096, SIZE_MAX / 2, MIB + 1};
	struct memory_region *region = region_open_limit(MIB);

	(void)state;
	assert_non_null(memory_allocate(region, 100, 16));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t alignment = 1; alignment <= 4096; alignment *= 2)
			assert_null(memory_allocate(region, sizes[i], alignment));
	assert_int_equal(100, facts_of(region).bytes_now);
	assert_int_equal(1, facts_of(region).allocations);
	memory_close(region);
}

static void requests_that_make_no_sense_are_refused_with_a_reason(void **state)
{
	static const struct memory_request requests[] = {
		{.limit_bytes = 100, .prefault_bytes = 101, .node = -1},
		{.limit_bytes = SIZE_MAX, .node = -1},
		{.limit_bytes = SIZE_MAX / 16, .node = -1},
		{.limit_bytes = 100, .node = -3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		struct memory_region *region = NULL;
		char error[MEMORY_TEXT] = "";
		assert_true(memory_open(&region, &requests[i], error) < 0);
		assert_null(region);
		assert_true(error[0]);
	}
}

static void blocks_are_aligned_as_asked_for(void **state)
{
	struct memory_region *region = region_open_limit(MIB);

	(void)state;
	for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
		void *fresh = memory_allocate(region, 40, alignment);
		void *second = memory_allocate(region, 40, alignment);
		assert_int_equal(0, (uintptr_t)fresh % alignment);
		assert_int_equal(0, (uintptr_t)second % alignment);
		memory_release(region, fresh, 40);
		memory_release(region, second, 40);
	}
	assert_null(memory_allocate(region, 40, 0));
	assert_null(memory_allocate(region, 40, 48));
	assert_null(memory_allocate(region, 40, 8192));
	memory_close(region);
}

/* The well-aligned one is found behind those that are not. */
static void a_released_block_serves_only_an_alignment_that_it_has(void **state)
{
	struct memory_region *region = region_open_limit(MIB);
	void *aligned = memory_allocate(region, 64, 4096);
	void *beside = memory_allocate(region, 64, 16);

	(void)state;
	memory_release(region, aligned, 64);
	memory_release(region, beside, 64);
	assert_ptr_equal(aligned, memory_allocate(region, 64, 4096));
	assert_ptr_equal(beside, memory_allocate(region, 64, 16));
	assert_int_equal(2, facts_of(region).fresh);
	memory_close(region);
}

static void what_is_handed_out_and_taken_back_is_counted(void **state)
{
	struct memory_region *region = region_open_limit(MIB);

	(void)state;
	void *first = memory_allocate(region, 100, 64), *second = memory_allocate(region, 200, 64);
	memory_release(region, first, 100);
	assert_ptr_equal(first, memory_allocate(region, 100, 64));
	memory_release(region, second, 200);
	memory_release(region, NULL, 300);
	struct memory_facts facts = facts_of(region);
	assert_int_equal(3, facts.allocations);
	assert_int_equal(2, facts.releases);
	assert_int_equal(2, facts.fresh);
	assert_int_equal(100, facts.bytes_now);
	assert_int_equal(300, facts.bytes_peak);
	memory_close(region);
}

static void blocks_do_not_overlap_whatever_their_sizes(void **state)
{
	enum { BLOCKS = 200 };
	struct memory_region *region = region_open_limit(4 * MIB);
	unsigned char *blocks[BLOCKS];

	(void)state;
	for (size_t i = 0; i < BLOCKS; i++) {
		blocks[i] = memory_allocate(region, i * 37, (size_t)1 << i % 13);
		assert_non_null(blocks[i]);
		memset(blocks[i], (int)i, i * 37);
	}
	for (size_t i = 0; i < BLOCKS; i++)
		for (size_t byte = 0; byte < i * 37; byte++)
			assert_int_equal(i, blocks[i][byte]);
	memory_close(region);
}

static void nothing_is_faulted_in_that_was_not_asked_for(void **state)
{
	struct memory_region *region = region_open_limit((size_t)64 * MIB);

	(void)state;
	assert_int_equal(0, planted.populate_calls);
	assert_string_equal("nothing is faulted in yet", facts_of(region).node_note);
	memory_close(region);
}

static void a_block_handed_out_is_in_memory_already(void **state)
{
	struct memory_region *region = region_open((struct memory_request){
		.limit_bytes = (size_t)8 * MIB, .prefault_bytes = MIB, .node = -1});

	(void)state;
	for (size_t bytes = 1; bytes <= MIB; bytes *= 4) {
		void *block = memory_allocate(region, bytes, 64);
		assert_non_null(block);
		assert_true(is_resident(block, bytes));
		memset(block, 1, bytes);
	}
	memory_close(region);
}

/* Kernels before 5.14. */
static void pages_are_touched_where_they_cannot_be_populated(void **state)
{
	(void)state;
	planted.populate_errno = EINVAL;
	struct memory_region *region = region_open_limit(MIB);
	char *block = memory_allocate(region, MIB, 4096);
	assert_non_null(block);
	assert_true(is_resident(block, MIB));
	memory_close(region);
}

static void memory_that_cannot_be_had_is_null_and_not_a_crash(void **state)
{
	(void)state;
	planted.populate_errno = ENOMEM;
	struct memory_region *region = region_open_limit(MIB);
	assert_null(memory_allocate(region, 100, 16));
	assert_int_equal(0, facts_of(region).allocations);
	assert_int_equal(0, facts_of(region).bytes_now);
	planted.populate_errno = 0;
	assert_non_null(memory_allocate(region, 100, 16));
	memory_close(region);

	struct memory_request request = {.limit_bytes = MIB, .prefault_bytes = MIB, .node = -1};
	char error[MEMORY_TEXT] = "";
	planted.populate_errno = ENOMEM;
	assert_int_equal(-ENOMEM, memory_open(&region, &request, error));
	assert_non_null(strstr(error, "cannot fault in"));
}

struct hammer {
	struct memory_region *region;
	unsigned char id;
	size_t failures;
};

enum { HAMMER_ROUNDS = 4000, HAMMER_HELD = 8 };

/* Each thread marks its blocks and looks for another's mark in them before giving them back. */
static void *hammer_thread(void *argument)
{
	struct hammer *hammer = argument;
	unsigned char *held[HAMMER_HELD] = {NULL};
	size_t sizes[HAMMER_HELD] = {0};

	for (size_t round = 0; round < HAMMER_ROUNDS + HAMMER_HELD; round++) {
		size_t at = round % HAMMER_HELD;
		for (size_t byte = 0; held[at] && byte < sizes[at]; byte++)
			hammer->failures += held[at][byte] != hammer->id;
		memory_release(hammer->region, held[at], sizes[at]);
		held[at] = NULL;
		if (round >= HAMMER_ROUNDS)
			continue;
		sizes[at] = 16 + round * 7 % 5 * 48;
		held[at] = memory_allocate(hammer->region, sizes[at], 64);
		hammer->failures += !held[at];
		if (held[at])
			memset(held[at], hammer->id, sizes[at]);
	}
	return NULL;
}

static void two_threads_get_blocks_of_their_own(void **state)
{
	struct memory_region *region = region_open_limit(MIB);
	struct hammer hammers[2] = {{.region = region, .id = 1}, {.region = region, .id = 2}};
	pthread_t threads[2];

	(void)state;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(0, pthread_create(&threads[i], NULL, hammer_thread, &hammers[i]));
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(0, pthread_join(threads[i], NULL));
	assert_int_equal(0, hammers[0].failures);
	assert_int_equal(0, hammers[1].failures);
	struct memory_facts facts = facts_of(region);
	assert_int_equal(2 * HAMMER_ROUNDS, facts.allocations);
	assert_int_equal(2 * HAMMER_ROUNDS, facts.releases);
	assert_true(facts.fresh <= 2 * 5 * HAMMER_HELD);
	assert_int_equal(0, facts.bytes_now);
	memory_close(region);
}

static void the_node_is_read_back(void **state)
{
	(void)state;
	planted.one_node = true;
	struct memory_region *region = region_open((struct memory_request){
		.limit_bytes = MIB, .prefault_bytes = MIB, .node = 3});
	assert_int_equal(3, facts_of(region).node);
	assert_string_equal("", facts_of(region).node_note);
	/* Where move_pages is refused, get_mempolicy tells it. */
	planted.move_pages_errno = EPERM;
	assert_int_equal(3, facts_of(region).node);
	memory_close(region);
}

static void pages_on_two_nodes_have_no_node(void **state)
{
	(void)state;
	planted.two_nodes = true;
	struct memory_region *region = region_open((struct memory_request){
		.limit_bytes = MIB, .prefault_bytes = MIB, .node = -1});
	assert_int_equal(-1, facts_of(region).node);
	assert_string_equal("pages lie on several nodes, 3 and 4 among them", facts_of(region).node_note);
	memory_close(region);
}

static void interleaved_memory_lies_on_all_nodes_or_is_told_not_to(void **state)
{
	const struct memory_request request = {.limit_bytes = MIB, .prefault_bytes = MIB, .node = MEMORY_NODES_INTERLEAVED};
	struct memory_region *region = region_open(request);
	struct memory_facts facts = facts_of(region);
	char error[MEMORY_TEXT] = "";

	(void)state;
	/* whatever this machine has, one node or several */
	assert_non_null(strstr(facts.node_note, facts.node < 0 ? "interleaved over" : "node"));
	assert_int_equal(planted.mode, MPOL_INTERLEAVE);
	memory_close(region);
	planted.mbind_errno = EINVAL;
	assert_int_equal(memory_open(&region, &request, error), -EINVAL);
	assert_string_equal("cannot bind memory to NUMA all nodes in turn: Invalid argument", error);
	planted.mbind_errno = ENOSYS;
	region = region_open(request);
	assert_non_null(strstr(facts_of(region).node_note, "not bound to all nodes in turn"));
	memory_close(region);
	planted.mbind_errno = 0;
}

static void a_filter_of_system_calls_leaves_the_node_unverified(void **state)
{
	static const int refusals[] = {EPERM, ENOSYS};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		planted.mbind_errno = planted.move_pages_errno = planted.get_mempolicy_errno = refusals[i];
		struct memory_region *region = region_open((struct memory_request){
			.limit_bytes = MIB, .prefault_bytes = MIB, .node = 0});
		assert_int_equal(-1, facts_of(region).node);
		assert_non_null(strstr(facts_of(region).node_note, "unverified"));
		assert_non_null(strstr(facts_of(region).node_note, strerror(refusals[i])));
		assert_non_null(memory_allocate(region, 100, 16));
		memory_close(region);
	}
}

static void a_kernel_without_numa_is_one_node_and_is_not_asked_again(void **state)
{
	(void)state;
	planted.no_numa = true;
	struct memory_region *region = region_open((struct memory_request){
		.limit_bytes = MIB, .prefault_bytes = MIB, .node = 0});
	assert_int_equal(-1, facts_of(region).node);
	assert_non_null(strstr(facts_of(region).node_note, "one implicit node"));
	assert_int_equal(0, planted.mbind_calls);
	assert_non_null(memory_allocate(region, 100, 16));
	memory_close(region);
}

static void a_node_that_is_not_there_is_an_error(void **state)
{
	struct memory_request request = {.limit_bytes = MIB, .node = ABSENT_NODE};
	struct memory_region *region = NULL;
	char error[MEMORY_TEXT] = "";

	(void)state;
	planted.mbind_errno = EINVAL; /* as the kernel says it; with seccomp it may say otherwise */
	assert_int_equal(-EINVAL, memory_open(&region, &request, error));
	assert_string_equal("cannot bind memory to NUMA node 1000: Invalid argument", error);
	request.node = 1 << 30;
	assert_int_equal(-EINVAL, memory_open(&region, &request, error));
	assert_null(region);
}

static void a_refused_lock_is_noted_and_memory_goes_on(void **state)
{
	static const int refusals[] = {EPERM, ENOMEM};
	const struct memory_request request = {.limit_bytes = MIB, .prefault_bytes = 4096, .node = -1, .lock = true};

	(void)state;
	struct memory_region *region = region_open(request);
	assert_true(facts_of(region).locked);
	assert_string_equal("", facts_of(region).lock_note);
	/* What comes later counts too. */
	planted.mlock_errno = ENOMEM;
	assert_non_null(memory_allocate(region, MIB, 16));
	assert_false(facts_of(region).locked);
	memory_close(region);
	for (size_t i = 0; i < 2; i++) {
		planted.mlock_errno = refusals[i];
		region = region_open(request);
		assert_false(facts_of(region).locked);
		assert_non_null(strstr(facts_of(region).lock_note, strerror(refusals[i])));
		assert_non_null(memory_allocate(region, 100, 16));
		memory_close(region);
	}
}

static void huge_pages_are_had_or_it_is_said_why_not(void **state)
{
	struct memory_request request = {.limit_bytes = (size_t)4 * MIB,
					 .prefault_bytes = (size_t)4 * MIB,
					 .node = -1,
					 .pages = MEMORY_PAGES_TRY_HUGE};
	struct memory_region *region = region_open(request);
	struct memory_facts facts = facts_of(region);
	char error[MEMORY_TEXT] = "";

	(void)state;
	print_message("%zu bytes a page: %s\n", facts.page_bytes, facts.pages_note);
	if (facts.page_bytes == (size_t)sysconf(_SC_PAGESIZE))
		assert_true(facts.pages_note[0]);
	assert_non_null(memory_allocate(region, (size_t)4 * MIB, 4096));
	memory_close(region);

	request.pages = MEMORY_PAGES_REQUIRE_HUGE;
	if (memory_open(&region, &request, error)) {
		assert_non_null(strstr(error, "huge"));
		return;
	}
	assert_true(facts_of(region).page_bytes > (size_t)sysconf(_SC_PAGESIZE));
	memory_close(region);
}

static void huge_pages_from_the_pool_serve_the_whole_limit(void **state)
{
	(void)state;
	planted.hugetlb = true;
	struct memory_region *region = region_open((struct memory_request){
		.limit_bytes = (size_t)3 * MIB, .node = -1, .pages = MEMORY_PAGES_REQUIRE_HUGE});
	struct memory_facts facts = facts_of(region);
	if (strstr(facts.pages_note, "no huge pages in this kernel"))
		skip();
	assert_true(facts.page_bytes > (size_t)sysconf(_SC_PAGESIZE));
	assert_string_equal("", facts.pages_note);
	char *block = memory_allocate(region, (size_t)3 * MIB, 4096);
	assert_non_null(block);
	memset(block, 1, (size_t)3 * MIB);
	assert_null(memory_allocate(region, 1, 1));
	memory_close(region);
}

static void ordinary_pages_bear_no_note(void **state)
{
	struct memory_region *region = region_open_limit(MIB);

	(void)state;
	assert_int_equal(sysconf(_SC_PAGESIZE), facts_of(region).page_bytes);
	assert_string_equal("", facts_of(region).pages_note);
	assert_false(facts_of(region).locked);
	memory_close(region);
}

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>

static void the_sanitizer_sees_use_after_release_and_past_the_end(void **state)
{
	struct memory_region *region = region_open_limit(MIB);
	char *block = memory_allocate(region, 100, 64);

	(void)state;
	assert_false(__asan_address_is_poisoned(block));
	assert_false(__asan_address_is_poisoned(block + 99));
	assert_true(__asan_address_is_poisoned(block + 100));
	memory_release(region, block, 100);
	assert_true(__asan_address_is_poisoned(block));
	assert_true(__asan_address_is_poisoned(block + 99));
	assert_ptr_equal(block, memory_allocate(region, 100, 64));
	assert_false(__asan_address_is_poisoned(block));
	memory_close(region);
	assert_false(__asan_address_is_poisoned(block));
}
#endif

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, planted_clear)
	const struct CMUnitTest tests[] = {
		TEST(the_limit_is_exact),
		TEST(the_limit_counts_bytes_as_asked_for),
		TEST(sizes_that_overflow_are_refused),
		TEST(requests_that_make_no_sense_are_refused_with_a_reason),
		TEST(blocks_are_aligned_as_asked_for),
		TEST(a_released_block_serves_only_an_alignment_that_it_has),
		TEST(what_is_handed_out_and_taken_back_is_counted),
		TEST(blocks_do_not_overlap_whatever_their_sizes),
		TEST(nothing_is_faulted_in_that_was_not_asked_for),
		TEST(a_block_handed_out_is_in_memory_already),
		TEST(pages_are_touched_where_they_cannot_be_populated),
		TEST(memory_that_cannot_be_had_is_null_and_not_a_crash),
		TEST(two_threads_get_blocks_of_their_own),
		TEST(the_node_is_read_back),
		TEST(pages_on_two_nodes_have_no_node),
		TEST(interleaved_memory_lies_on_all_nodes_or_is_told_not_to),
		TEST(a_filter_of_system_calls_leaves_the_node_unverified),
		TEST(a_kernel_without_numa_is_one_node_and_is_not_asked_again),
		TEST(a_node_that_is_not_there_is_an_error),
		TEST(a_refused_lock_is_noted_and_memory_goes_on),
		TEST(huge_pages_are_had_or_it_is_said_why_not),
		TEST(huge_pages_from_the_pool_serve_the_whole_limit),
		TEST(ordinary_pages_bear_no_note),
#ifdef WITH_ASAN
		TEST(the_sanitizer_sees_use_after_release_and_past_the_end),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
