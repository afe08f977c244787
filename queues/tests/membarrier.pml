/* ypipe-membarrier's publishing, sleeping and waking, for spin, on a machine with store buffers (TSO): the writer's plain stores reach
 * memory some time later, in order, so that its loads may come before them; a locked instruction first waits until its thread's buffer is
 * empty. membarrier returns once each other thread was, at some instant since the call, at a full barrier: its buffer empty.
 * Claims: each message is read once and whole; nobody sleeps for ever (no invalid end state).
 * -DEXCHANGES: the way without membarrier, an exchange per flush.
 * Broken on purpose: -DNO_MEMBARRIER, -DEARLY_MEMBARRIER (before `asleep` is stored), -DNO_LAST_LOOK, -DEARLY_LOOK (the writer's compiler
 * puts the load of `asleep` before the store), -DLATE_TICKET. */

#define MESSAGES 4
#define PUBLISHED MESSAGES /* its index in memory; the slots lie before it */

byte memory[MESSAGES + 1];
chan buffer = [3] of { byte, byte };  /* the writer's; the reader stores nothing plainly */
bool sleeper;                         /* `asleep` */
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

inline flush()
{
#ifdef EXCHANGES
	buffer!PUBLISHED, written;
	seen = true;
#else
#ifdef EARLY_LOOK
	seen = sleeper;
	buffer!PUBLISHED, written;
#else
	buffer!PUBLISHED, written;
	seen = sleeper;
#endif
#endif
	if
	:: seen -> atomic { empty(buffer) -> seen = sleeper; sleeper = false }
	:: else
	fi;
	flushed = written;
	if
	:: seen ->
		atomic { empty(buffer) -> wakes++ }
		reader_blocked = false
	:: else
	fi
}

active proctype writer()
{
	byte written = 0, flushed = 0;
	bool seen;

	do
	:: written < MESSAGES -> buffer!written, written + 1; written++
	:: written > flushed -> flush()
	:: flushed == MESSAGES -> break
	od
}

inline membarrier()
{
#ifndef EXCHANGES
#ifndef NO_MEMBARRIER
	empty(buffer)
#endif
#endif
	skip
}

active proctype reader()
{
	byte read = 0, noted, ticket;
	bool asleep;

	do
	:: read == MESSAGES -> break
	:: read < MESSAGES ->
		noted = memory[PUBLISHED];
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
#ifdef EARLY_MEMBARRIER
			membarrier();
			sleeper = true;
#else
			sleeper = true;
			membarrier();
#endif
#ifdef NO_LAST_LOOK
			asleep = true;
#else
			asleep = (memory[PUBLISHED] == noted);
#endif
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
			:: else -> sleeper = false
			fi
		fi
	od
}
