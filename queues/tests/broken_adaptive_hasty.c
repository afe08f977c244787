/* adaptive that goes back to writing in place as soon as the stage is no longer wanted, also while messages are in it. */
#define ADAPTIVE_WANTS_STAGE(chooser, written, by_stage)                                                               \
	__extension__({                                                                                                \
		bool wanted_ = wants_stage(written);                                                                   \
		if (!wanted_)                                                                                          \
			writer->way = ADAPTIVE_IN_PLACE;                                                               \
		wanted_;                                                                                               \
	})
#define adaptive_turns broken_adaptive_hasty
#include "adaptive_turns.c"
