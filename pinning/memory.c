/* See memory.h.
 *
 *	base          next        faulted                     end
 *	 | blocks      | faulted in | reserved, no access       |
 *
 * The bump pointer `next` never passes `faulted`, which moves ahead in steps. A page of no access on either side keeps
 * the kernel from merging the range with a neighbour's (its huge pages would be counted as ours) and traps overruns. */
#include "memory.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __has_feature
#define MEMORY_HAS_FEATURE(feature) __has_feature(feature)
#else
#define MEMORY_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || MEMORY_HAS_FEATURE(address_sanitizer)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

enum {
	BLOCK_ALIGNMENT = 16,
	MOST_ALIGNMENT = 4096,
	STEP_BYTES = 256 << 10, /* faulted in at a time: some 40 us, in which an allocation keeps its caller waiting */
	RANGE_FACTOR = 4,
	RANGE_SPARE_BYTES = 1 << 20,
	NODE_SAMPLES = 64,
	REASON_TEXT = 80,
};

/* A released block holds the link to the next one of its size. */
struct free_block {
	struct free_block *next;
};

struct size_class {
	struct size_class *next;
	size_t bytes; /* stride of its blocks */
	struct free_block *free;
};

/* All fields belong to the holder of `lock`; from base to lock_wanted they are set before the region is shared. */
struct memory_region {
	pthread_mutex_t lock;
	char *mapping; /* what was mapped, guards included */
	size_t mapping_bytes;
	char *base;
	size_t range_bytes, step_bytes, limit_bytes;
	size_t small_page_bytes, huge_page_bytes; /* huge: 0 where not tried, or where the kernel has none */
	bool hugetlb, huge_tried, numa, lock_wanted;
	unsigned interleaved; /* over so many nodes; 0: not */
	char bind_note[MEMORY_TEXT];
	char huge_note[REASON_TEXT]; /* why no hugetlb */
	char lock_note[MEMORY_TEXT]; /* why no more is locked */
	size_t next, faulted;        /* offsets from base */
	struct size_class *classes;
	uint64_t allocations, releases, fresh;
	size_t bytes_now, bytes_peak;
};

static size_t round_up(size_t value, size_t multiple)
{
	return (value + multiple - 1) / multiple * multiple;
}

/* ---- huge pages ---- */

/* "Hugepagesize:" is the size that MAP_HUGETLB gives; 0: the kernel has none. */
static size_t huge_page_bytes_read(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[256];
	size_t kilobytes = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Hugepagesize: %zu kB", &kilobytes) == 1)
			break;
	if (file)
		fclose(file);
	return kilobytes * 1024;
}

/* Bytes of transparent huge pages in the mappings between two addresses. */
static size_t transparent_bytes_read(const char *from, const char *to)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[512];
	bool inside = false;
	size_t total = 0;

	while (file && fgets(line, sizeof(line), file)) {
		unsigned long start, end, kilobytes;
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = start >= (unsigned long)from && end <= (unsigned long)to;
		else if (inside && sscanf(line, "AnonHugePages: %lu kB", &kilobytes) == 1)
			total += kilobytes * 1024;
	}
	if (file)
		fclose(file);
	return total;
}

/* ---- the range ---- */

static int range_map_hugetlb(struct memory_region *region)
{
	if (region->huge_page_bytes == 0) {
		snprintf(region->huge_note, REASON_TEXT, "no huge pages in this kernel");
		return -ENOSYS;
	}
	/* Without MAP_NORESERVE the pages are ours from here on; with it a touch could end in SIGBUS. */
	size_t bytes = round_up(region->limit_bytes + 1, region->huge_page_bytes);
	void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (mapping == MAP_FAILED) {
		snprintf(region->huge_note, REASON_TEXT, "MAP_HUGETLB: %s", strerror(errno));
		return -errno;
	}
	region->hugetlb = true;
	region->mapping = region->base = mapping;
	region->mapping_bytes = region->range_bytes = bytes;
	region->step_bytes = region->huge_page_bytes;
	return 0;
}

/* The range is reserved without access and opened step by step: a machine that does not overcommit charges for what is
 * faulted in, and is not asked for the whole. */
static int range_map_ordinary(struct memory_region *region)
{
	size_t align = region->huge_page_bytes ? region->huge_page_bytes : region->small_page_bytes;

	region->step_bytes = round_up(STEP_BYTES, align);
	region->range_bytes = round_up(RANGE_FACTOR * region->limit_bytes + RANGE_SPARE_BYTES, region->step_bytes);
	region->mapping_bytes = region->range_bytes + 2 * align;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *mapping = mmap(NULL, region->mapping_bytes, PROT_NONE, flags, -1, 0);
	if (mapping == MAP_FAILED)
		return -errno;
	region->mapping = mapping;
	region->base = (char *)round_up((size_t)mapping + 1, align);
	if (region->huge_tried)
		madvise(region->base, region->range_bytes, MADV_HUGEPAGE); /* what came of it is read from smaps */
	return 0;
}

static int range_map(struct memory_region *region)
{
	if (region->huge_tried && range_map_hugetlb(region) == 0)
		return 0;
	return range_map_ordinary(region);
}

/* ---- NUMA ---- */

static int node_here(void)
{
	unsigned cpu, node;

	return getcpu(&cpu, &node) == 0 ? (int)node : -1;
}

static int range_set_policy(const struct memory_region *region, int mode, const struct bitmask *mask)
{
	return mbind(region->base, region->range_bytes, mode, mask->maskp, mask->size + 1, 0) ? -errno : 0;
}

static int range_mbind(const struct memory_region *region, int node)
{
	struct bitmask *mask = numa_allocate_nodemask();
	int result = -EINVAL;

	if (!mask)
		return -ENOMEM;
	if (node >= 0 && (unsigned long)node < mask->size) {
		numa_bitmask_setbit(mask, (unsigned)node);
		result = range_set_policy(region, MPOL_BIND, mask);
	}
	numa_bitmask_free(mask);
	return result;
}

/* Over all nodes that the process may have memory of. */
static int range_interleave(struct memory_region *region)
{
	struct bitmask *mask = numa_get_mems_allowed();
	int result = mask ? range_set_policy(region, MPOL_INTERLEAVE, mask) : -ENOMEM;

	if (!result)
		region->interleaved = numa_bitmask_weight(mask);
	if (mask)
		numa_bitmask_free(mask);
	return result;
}

/* Binds the whole range before anything touches it. Where a node, or several, were asked for and can't be had, that is
 * an error, except where the kernel or a filter of system calls refuses any binding: that, and a failure to bind to our own node, is noted. */
static int range_bind(struct memory_region *region, int asked, char *error)
{
	int node = asked == MEMORY_NODE_HERE ? node_here() : asked, result;
	char what[32] = "all nodes in turn";

	if (!region->numa) {
		snprintf(region->bind_note, MEMORY_TEXT,
			 "numa_available() < 0: no NUMA in this kernel, or it is forbidden; one implicit node");
		return 0;
	}
	if (asked != MEMORY_NODES_INTERLEAVED)
		snprintf(what, sizeof(what), "node %d", node);
	result = asked == MEMORY_NODES_INTERLEAVED ? range_interleave(region) : range_mbind(region, node);
	if (asked != MEMORY_NODE_HERE && result && result != -EPERM && result != -ENOSYS) {
		snprintf(error, MEMORY_TEXT, "cannot bind memory to NUMA %s: %s", what, strerror(-result));
		return result;
	}
	if (result)
		snprintf(region->bind_note, MEMORY_TEXT, "not bound to %s: mbind: %s; the first touch decides", what, strerror(-result));
	return 0;
}

/* The node of each page, or a negative errno; where move_pages is refused, get_mempolicy is asked. */
static int nodes_query(void **pages, size_t count, int *nodes)
{
	if (move_pages(0, count, pages, NULL, nodes, 0) == 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (get_mempolicy(&nodes[i], NULL, 0, pages[i], MPOL_F_NODE | MPOL_F_ADDR))
			return -errno;
	return 0;
}

/* What was asked to lie on several nodes does, or not. */
static void interleaving_note(const struct memory_region *region, bool several, int node, char note[MEMORY_TEXT])
{
	if (several)
		snprintf(note, MEMORY_TEXT, "interleaved over %u nodes", region->interleaved);
	else if (region->interleaved == 1)
		snprintf(note, MEMORY_TEXT, "interleaved over one node: there is no other that may be used");
	else
		snprintf(note, MEMORY_TEXT, "asked for on %u nodes in turn, but all pages looked at lie on node %d", region->interleaved, node);
}

/* Samples pages evenly over what is faulted in; -1 with a note unless all lie on one node. */
static int node_read(const struct memory_region *region, char note[MEMORY_TEXT])
{
	size_t page_count = region->faulted / region->small_page_bytes;
	size_t count = page_count < NODE_SAMPLES ? page_count : NODE_SAMPLES;
	void *pages[NODE_SAMPLES];
	int nodes[NODE_SAMPLES];

	snprintf(note, MEMORY_TEXT, "%s", region->bind_note);
	if (!region->numa)
		return -1;
	if (count == 0) {
		snprintf(note, MEMORY_TEXT, "nothing is faulted in yet");
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		pages[i] = region->base + i * page_count / count * region->small_page_bytes;
	int error = nodes_query(pages, count, nodes);
	if (error) {
		snprintf(note, MEMORY_TEXT, "unverified: move_pages and get_mempolicy: %s", strerror(-error));
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		if (nodes[i] < 0) {
			snprintf(note, MEMORY_TEXT, "unverified: move_pages: %s", strerror(-nodes[i]));
			return -1;
		}
		if (nodes[i] != nodes[0] && region->interleaved > 1) {
			interleaving_note(region, true, -1, note);
			return -1;
		}
		if (nodes[i] != nodes[0]) {
			snprintf(note, MEMORY_TEXT, "pages lie on several nodes, %d and %d among them", nodes[0],
				 nodes[i]);
			return -1;
		}
	}
	if (region->interleaved)
		interleaving_note(region, false, nodes[0], note);
	return nodes[0];
}

/* ---- faulting in ---- */

/* MADV_POPULATE_WRITE fails where touching would end in SIGBUS. Kernels before 5.14 don't know it (EINVAL). */
static int pages_populate(char *from, size_t bytes, size_t page_bytes)
{
#ifdef MADV_POPULATE_WRITE
	int result;

	do {
		result = madvise(from, bytes, MADV_POPULATE_WRITE);
	} while (result && (errno == EINTR || errno == EAGAIN));
	if (result == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EPERM)
		return -errno;
#endif
	for (size_t offset = 0; offset < bytes; offset += page_bytes)
		*(volatile char *)(from + offset) = 0;
	return 0;
}

/* The first refusal ends the trying: all or nothing is what `locked` tells. */
static void pages_lock(struct memory_region *region, const char *from, size_t bytes)
{
	if (!region->lock_wanted || region->lock_note[0])
		return;
	if (mlock(from, bytes))
		snprintf(region->lock_note, MEMORY_TEXT, "mlock: %s", strerror(errno));
}

/* Moves `faulted` to at least `offset`, in whole steps. */
static int range_fault(struct memory_region *region, size_t offset)
{
	if (offset <= region->faulted)
		return 0;
	if (offset > region->range_bytes)
		return -ENOMEM;
	char *from = region->base + region->faulted;
	size_t bytes = round_up(offset - region->faulted, region->step_bytes);
	if (bytes > region->range_bytes - region->faulted)
		bytes = region->range_bytes - region->faulted;
	if (!region->hugetlb && mprotect(from, bytes, PROT_READ | PROT_WRITE))
		return -errno;
	int error = pages_populate(from, bytes, region->small_page_bytes);
	if (error)
		return error;
	pages_lock(region, from, bytes);
	ASAN_POISON_MEMORY_REGION(from, bytes);
	region->faulted += bytes;
	return 0;
}

/* ---- opening and closing ---- */

/* Where huge pages are required, one step is faulted in even if nothing was asked for: else it could not be known. */
static int huge_check(struct memory_region *region, char *error)
{
	int result = range_fault(region, region->step_bytes);

	if (result) {
		snprintf(error, MEMORY_TEXT, "cannot fault in a huge page: %s", strerror(-result));
		return result;
	}
	if (region->hugetlb)
		return 0;
	size_t huge = transparent_bytes_read(region->base, region->base + region->range_bytes);
	if (huge >= region->faulted)
		return 0;
	snprintf(error, MEMORY_TEXT, "no huge pages: %.79s; madvise gave %zu of %zu KiB", region->huge_note,
		 huge / 1024, region->faulted / 1024);
	return -ENOMEM;
}

static int request_check(const struct memory_request *request, char *error)
{
	if (request->prefault_bytes > request->limit_bytes) {
		snprintf(error, MEMORY_TEXT, "%zu bytes to fault in are more than the limit of %zu",
			 request->prefault_bytes, request->limit_bytes);
		return -EINVAL;
	}
	if (request->limit_bytes > SIZE_MAX / (2 * RANGE_FACTOR) || request->node < MEMORY_NODES_INTERLEAVED) {
		snprintf(error, MEMORY_TEXT, "a limit of %zu bytes on node %d is not possible", request->limit_bytes,
			 request->node);
		return -EINVAL;
	}
	return 0;
}

int memory_open(struct memory_region **region, const struct memory_request *request, char *error)
{
	int result = request_check(request, error);

	if (result)
		return result;
	struct memory_region *opened = calloc(1, sizeof(*opened));
	if (!opened || pthread_mutex_init(&opened->lock, NULL)) {
		snprintf(error, MEMORY_TEXT, "no memory for a region's own record");
		free(opened);
		return -ENOMEM;
	}
	opened->limit_bytes = request->limit_bytes;
	opened->lock_wanted = request->lock;
	opened->huge_tried = request->pages != MEMORY_PAGES_ORDINARY;
	opened->small_page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	opened->huge_page_bytes = opened->huge_tried ? huge_page_bytes_read() : 0;
	opened->numa = numa_available() >= 0;
	result = range_map(opened);
	if (result) {
		snprintf(error, MEMORY_TEXT, "cannot reserve memory for a limit of %zu bytes: %s", request->limit_bytes,
			 strerror(-result));
		goto fail;
	}
	result = range_bind(opened, request->node, error);
	if (result)
		goto fail;
	result = range_fault(opened, request->prefault_bytes);
	if (result) {
		snprintf(error, MEMORY_TEXT, "cannot fault in %zu bytes: %s", request->prefault_bytes,
			 strerror(-result));
		goto fail;
	}
	if (request->pages == MEMORY_PAGES_REQUIRE_HUGE && (result = huge_check(opened, error)))
		goto fail;
	*region = opened;
	return 0;
fail:
	memory_close(opened);
	return result;
}

void memory_close(struct memory_region *region)
{
	if (!region)
		return;
	if (region->mapping) {
		ASAN_UNPOISON_MEMORY_REGION(region->base, region->faulted);
		munmap(region->mapping, region->mapping_bytes);
	}
	while (region->classes) {
		struct size_class *class = region->classes;
		region->classes = class->next;
		free(class);
	}
	pthread_mutex_destroy(&region->lock);
	free(region);
}

/* ---- blocks ---- */

static size_t block_stride(size_t bytes)
{
	return bytes == 0 ? BLOCK_ALIGNMENT : round_up(bytes, BLOCK_ALIGNMENT);
}

static struct size_class *class_find(struct memory_region *region, size_t stride)
{
	struct size_class *class = region->classes;

	while (class && class->bytes != stride)
		class = class->next;
	return class;
}

/* A class is made when its first block is handed out, so that releasing needs no memory. */
static struct size_class *class_get(struct memory_region *region, size_t stride)
{
	struct size_class *class = class_find(region, stride);

	if (class)
		return class;
	class = calloc(1, sizeof(*class));
	if (!class)
		return NULL;
	class->bytes = stride;
	class->next = region->classes;
	region->classes = class;
	return class;
}

static struct free_block *free_block_next(const struct free_block *block)
{
	struct free_block *next;

	ASAN_UNPOISON_MEMORY_REGION(block, sizeof(*block));
	next = block->next;
	ASAN_POISON_MEMORY_REGION(block, sizeof(*block));
	return next;
}

static void free_block_link(struct free_block *block, struct free_block *next)
{
	ASAN_UNPOISON_MEMORY_REGION(block, sizeof(*block));
	block->next = next;
	ASAN_POISON_MEMORY_REGION(block, sizeof(*block));
}

/* The last released block that is aligned well enough, which nearly always is the last one released. */
static void *block_reuse(struct size_class *class, size_t alignment)
{
	struct free_block *before = NULL;

	for (struct free_block *block = class->free; block; before = block, block = free_block_next(block)) {
		if ((size_t)block % alignment)
			continue;
		if (before)
			free_block_link(before, free_block_next(block));
		else
			class->free = free_block_next(block);
		return block;
	}
	return NULL;
}

static void *block_cut(struct memory_region *region, size_t stride, size_t alignment)
{
	size_t offset = round_up(region->next, alignment); /* the base is aligned to a page */

	if (range_fault(region, offset + stride))
		return NULL;
	region->next = offset + stride;
	region->fresh++;
	return region->base + offset;
}

static void *block_take(struct memory_region *region, size_t bytes, size_t alignment)
{
	if (bytes > region->limit_bytes - region->bytes_now)
		return NULL;
	size_t stride = block_stride(bytes);
	struct size_class *class = class_get(region, stride);
	if (!class)
		return NULL;
	if (alignment < BLOCK_ALIGNMENT)
		alignment = BLOCK_ALIGNMENT;
	void *block = block_reuse(class, alignment);
	if (!block)
		block = block_cut(region, stride, alignment);
	if (!block)
		return NULL;
	ASAN_UNPOISON_MEMORY_REGION(block, bytes);
	region->allocations++;
	region->bytes_now += bytes;
	if (region->bytes_now > region->bytes_peak)
		region->bytes_peak = region->bytes_now;
	return block;
}

void *memory_allocate(struct memory_region *region, size_t bytes, size_t alignment)
{
	if (alignment == 0 || (alignment & (alignment - 1)) || alignment > MOST_ALIGNMENT)
		return NULL;
	pthread_mutex_lock(&region->lock);
	void *block = block_take(region, bytes, alignment);
	pthread_mutex_unlock(&region->lock);
	return block;
}

void memory_release(struct memory_region *region, void *block, size_t bytes)
{
	if (!block)
		return;
	pthread_mutex_lock(&region->lock);
	struct size_class *class = class_find(region, block_stride(bytes));
	if (!class || bytes > region->bytes_now)
		abort(); /* the size is not the one that was asked for: the counts, and so the limit, would be wrong */
	ASAN_POISON_MEMORY_REGION(block, class->bytes);
	free_block_link(block, class->free);
	class->free = block;
	region->releases++;
	region->bytes_now -= bytes;
	pthread_mutex_unlock(&region->lock);
}

/* ---- facts ---- */

static void pages_describe(const struct memory_region *region, struct memory_facts *facts)
{
	facts->page_bytes = region->hugetlb ? region->huge_page_bytes : region->small_page_bytes;
	if (!region->huge_tried || region->hugetlb)
		return;
	size_t huge = transparent_bytes_read(region->base, region->base + region->range_bytes);
	if (huge > 0 && huge >= region->faulted)
		facts->page_bytes = region->huge_page_bytes;
	snprintf(facts->pages_note, MEMORY_TEXT, "%.79s; madvise gave %zu of %zu KiB", region->huge_note, huge / 1024,
		 region->faulted / 1024);
}

void memory_facts(struct memory_region *region, struct memory_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	pthread_mutex_lock(&region->lock);
	facts->node = node_read(region, facts->node_note);
	pages_describe(region, facts);
	facts->locked = region->lock_wanted && !region->lock_note[0] && region->faulted > 0;
	memcpy(facts->lock_note, region->lock_note, MEMORY_TEXT);
	facts->allocations = region->allocations;
	facts->releases = region->releases;
	facts->fresh = region->fresh;
	facts->bytes_now = region->bytes_now;
	facts->bytes_peak = region->bytes_peak;
	pthread_mutex_unlock(&region->lock);
}
