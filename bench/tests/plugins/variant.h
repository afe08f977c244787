/* What variant.c says of slot.c. */
enum slot_plant { NONE, CRASH, HANG, SWAP, CRASH_IN_FOOTPRINT, GREAT_FOOTPRINT, HANG_IN_DESTROY, EXIT_IN_DESTROY };

extern const enum slot_plant slot_plant;
extern const char slot_name[], slot_summary[];
