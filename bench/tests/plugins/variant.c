/* What a plug-in of slot.c is called, what it does on being loaded (each PLANT_… makes one mistake), and what it does wrong later on. */
#include <stdio.h>
#include <unistd.h>

#include "variant.h"

#ifndef NAME
#define NAME "slot"
#endif
#ifndef SUMMARY
#define SUMMARY "one message"
#endif

#ifndef PLANT
#define PLANT NONE
#endif

const enum slot_plant slot_plant = PLANT;
const char slot_name[] = NAME, slot_summary[] = SUMMARY;

__attribute__((constructor)) static void load(void)
{
#if defined(PLANT_CRASH_ON_LOAD)
	__builtin_trap();
#elif defined(PLANT_HANG_ON_LOAD)
	for (;;)
		pause();
#elif defined(PLANT_EXIT_ON_LOAD)
	_exit(0);
#elif defined(PLANT_PRINT)
	printf("{\"kind\":\"trial\"}\n");
#elif defined(PLANT_CHANGE)
	/* each load makes another file of it */
	FILE *self = fopen(PLANT_CHANGE, "a");

	fputc('x', self);
	fclose(self);
#endif
}
