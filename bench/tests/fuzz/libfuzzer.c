/* What libFuzzer calls: FUZZ_TARGET, and where FUZZ_CHANGE is defined that, as often as changes of its own. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	FUZZ_TARGET(bytes, size);
	return 0;
}

#ifdef FUZZ_CHANGE
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
	return seed % 8 ? FUZZ_CHANGE(bytes, size, room, seed) : LLVMFuzzerMutate(bytes, size, room);
}
#endif
