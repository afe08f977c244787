/* adaptive that goes back to writing in place as soon as it finds the reader near, also while messages are in its stage. */
#define ADAPTIVE_LOOK(address, far)                                                                                    \
	__extension__({                                                                                                \
		uint64_t value_ = far_by_turns(address, far);                                                          \
		if (!*(far))                                                                                           \
			writer->way = ADAPTIVE_IN_PLACE;                                                               \
		value_;                                                                                                \
	})
#define adaptive_turns broken_adaptive_hasty
#include "adaptive_turns.c"
