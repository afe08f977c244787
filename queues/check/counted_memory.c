#include "counted_memory.h"

#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* AddressSanitizer's own guard begins right behind the block. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
static const size_t guard_bytes = 0;
#else
static const size_t guard_bytes = 64;
#endif

enum { FRESH = 0xa5, RELEASED = 0xdd, GUARD = 0x5c, ALIGNMENT_MAX = 4096 };

static const uint64_t MAGIC = 0x7477706f696e7421;
static const size_t BYTES_MAX = (size_t)1 << 32; /* more than any test means to ask for */

/* Lies right before the block. */
struct header {
	size_t bytes, alignment;
	uint64_t magic;
};

static size_t counted_offset(size_t alignment)
{
	return alignment > sizeof(struct header) ? alignment : (sizeof(struct header) + 63) & ~(size_t)63;
}

static void counted_fault(struct counted_memory *counted, const char *what)
{
	const char *none = NULL;

	compare_exchange_acq_rel(&counted->fault, &none, what);
}

static void counted_add(struct counted_memory *counted, size_t bytes)
{
	size_t live = fetch_add_relaxed(&counted->live_bytes, bytes) + bytes, peak = load_relaxed(&counted->peak_bytes);

	fetch_add_relaxed(&counted->live_blocks, 1);
	while (live > peak && !compare_exchange_acq_rel(&counted->peak_bytes, &peak, live))
		;
}

static void *counted_allocate(struct queue_memory *memory, size_t bytes, size_t alignment)
{
	struct counted_memory *counted = (struct counted_memory *)memory;
	size_t number = fetch_add_relaxed(&counted->allocations, 1) + 1;
	size_t offset = counted_offset(alignment);
	unsigned char *block;
	void *start;

	if (!alignment || alignment & (alignment - 1) || alignment > ALIGNMENT_MAX) {
		counted_fault(counted, "asked for an alignment that is no power of two up to 4096");
		return NULL;
	}
	if (number >= counted->fail_first && number <= counted->fail_last)
		return NULL;
	if (bytes > BYTES_MAX || posix_memalign(&start, alignment < 64 ? 64 : alignment, offset + bytes + guard_bytes))
		return NULL;
	block = (unsigned char *)start + offset;
	((struct header *)block)[-1] = (struct header){bytes, alignment, MAGIC};
	memset(block, FRESH, bytes);
	memset(block + bytes, GUARD, guard_bytes);
	counted_add(counted, bytes);
	return block;
}

static void counted_release(struct queue_memory *memory, void *released, size_t bytes)
{
	struct counted_memory *counted = (struct counted_memory *)memory;
	unsigned char *block = released;
	struct header header;

	if (!block) {
		counted_fault(counted, "released NULL");
		return;
	}
	header = ((struct header *)block)[-1];
	if (header.magic != MAGIC) {
		counted_fault(counted, "released what was not allocated, or wrote before its block");
		return;
	}
	if (header.bytes != bytes)
		counted_fault(counted, "released another number of bytes than it had asked for");
	for (size_t i = 0; i < guard_bytes; i++)
		if (block[header.bytes + i] != GUARD)
			counted_fault(counted, "wrote behind its block");
	memset(block - sizeof(header), RELEASED, sizeof(header) + header.bytes);
	fetch_add_relaxed(&counted->live_bytes, -header.bytes);
	fetch_add_relaxed(&counted->live_blocks, (size_t)-1);
	free(block - counted_offset(header.alignment));
}

struct counted_memory counted_memory(void)
{
	return (struct counted_memory){.memory = {.allocate = counted_allocate, .release = counted_release}};
}

void counted_memory_fail_next(struct counted_memory *memory, size_t count)
{
	memory->fail_first = memory->allocations + 1;
	memory->fail_last = memory->allocations + count;
}
