/* ypipe's publishing, sleeping and waking, for spin, on a machine with store buffers (TSO): a plain store reaches memory some
 * time later, in order; a locked instruction first waits until its thread's buffer is empty. The writer alone stores plainly.
 * Claims: each message is read once and whole; nobody sleeps for ever (no invalid end state).
 * Broken on purpose: -DPLAIN_PUBLICATION, -DPLAIN_SLEEP, -DLATE_TICKET. */

#define MESSAGES 4
#define ASLEEP 1
#define PUBLISHED MESSAGES /* its index in memory; the slots lie before it */

byte memory[MESSAGES + 1];            /* published: count × 2, with ASLEEP */
chan buffer = [2] of { byte, byte };  /* the writer's */
byte wakes;
bool reader_blocked;

active proctype drain()
{
	byte address, value;
end:
	do
	:: d_step { buffer?[address, value] -> buffer?address, value; memory[address] = value }
	od
}

active proctype writer()
{
	byte written = 0, flushed = 0, before;

	do
	:: written < MESSAGES -> buffer!written, written + 1; written++
	:: written > flushed ->
#ifdef PLAIN_PUBLICATION
		before = memory[PUBLISHED];
		buffer!PUBLISHED, written * 2;
#else
		atomic { empty(buffer) -> before = memory[PUBLISHED]; memory[PUBLISHED] = written * 2 }
#endif
		flushed = written;
		if
		:: before & ASLEEP -> wakes++; reader_blocked = false
		:: else
		fi
	:: flushed == MESSAGES -> break
	od
}

active proctype reader()
{
	byte read = 0, noted, seen, ticket;
	bool asleep;

	do
	:: read == MESSAGES -> break
	:: read < MESSAGES ->
		noted = memory[PUBLISHED] / 2;
		if
		:: noted != read ->
			do
			:: read < noted -> assert(memory[read] == read + 1); read++
			:: else -> break
			od
		:: else ->
#ifndef LATE_TICKET
			ticket = wakes;
#endif
			seen = memory[PUBLISHED];
			if
			:: seen / 2 != noted -> asleep = false
			:: seen / 2 == noted && (seen & ASLEEP) -> asleep = true
			:: else ->
#ifdef PLAIN_SLEEP
				memory[PUBLISHED] = seen | ASLEEP;
				asleep = true;
#else
				atomic {
					asleep = memory[PUBLISHED] == seen;
					if
					:: asleep -> memory[PUBLISHED] = seen | ASLEEP
					:: else
					fi
				}
#endif
			fi;
#ifdef LATE_TICKET
			ticket = wakes;
#endif
			if
			:: asleep -> /* futex: sleeps only if the word is still as the ticket says; may wake for no reason */
				if
				:: atomic { reader_blocked = (wakes == ticket) }
					!reader_blocked
				:: skip
				fi
			:: else
			fi
		fi
	od
}
