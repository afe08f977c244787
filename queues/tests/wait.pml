/* wait.h's announcing and withdrawing around a ring, for spin, on a machine with store buffers (TSO): a plain store, such as the
 * release of a counter, reaches memory some time later, in order; a locked instruction first waits until its thread's buffer is empty.
 * -DMEMBARRIER: wait_announced() loads first, and who announces itself asks for a barrier in the other thread: it goes on once the other's
 * buffer was empty at some instant since. Waiting for room is as waiting for messages: each side is both.
 * There it also may set `exchanges`: as long as that is set each look is a locked instruction, and announcing takes no barrier; any such
 * look may take it away.
 * Claims: each message is read once and whole; nobody sleeps for ever (no invalid end state).
 * Broken on purpose: -DPLAIN_LOOK (a load where wait_is_announced() has a read-modify-write), -DNO_LAST_LOOK, -DLATE_TICKET,
 * -DSILENT_READER (does not look whether the writer waits for room); with -DMEMBARRIER also -DNO_MEMBARRIER, -DEARLY_MEMBARRIER (before the
 * announcement), -DEARLY_LOOK (the writer's compiler puts the load before the store), -DUNSETTLED (no barrier where it sets
 * `exchanges` itself). */

#ifndef CAPACITY
#define CAPACITY 1
#endif
#define MESSAGES 3
#define WRITER 0
#define READER 1
#define TAIL CAPACITY       /* indices in memory; the slots lie before them */
#define HEAD (CAPACITY + 1)

byte memory[CAPACITY + 2];
chan buffer[2] = [3] of { byte, byte };
/* a wait point for each side, named after who sleeps there */
bool announced[2], exchanges[2], blocked[2];
byte wakes[2];

inline store(self, address, value) { buffer[self]!address, value }

inline take(self, other)
{
	atomic {
		empty(buffer[self]) ->
		was_announced = announced[other];
		announced[other] = false;
		if
		:: exchanges[other] = false
		:: skip
		fi
	}
}

/* wait_is_announced() and wait_wake() */
inline wake(self, other)
{
#ifdef PLAIN_LOOK
	was_announced = announced[other];
	if
	:: was_announced -> atomic { empty(buffer[self]) -> announced[other] = false }
	:: else
	fi;
#else
#ifdef MEMBARRIER
#ifdef EARLY_LOOK
	was_announced = early;
#else
	was_announced = announced[other] || exchanges[other];
#endif
	if
	:: was_announced -> take(self, other)
	:: else
	fi;
#else
	take(self, other);
#endif
#endif
	if
	:: was_announced ->
		atomic { empty(buffer[self]) -> wakes[other]++ }
		blocked[other] = false
	:: else
	fi
}

inline withdraw(self) { atomic { empty(buffer[self]) -> announced[self] = false } }

inline announce(self, other)
{
#ifdef EARLY_MEMBARRIER
	empty(buffer[other]);
#endif
#ifdef MEMBARRIER
	atomic {
		empty(buffer[self]) ->
		announced[self] = true;
		found = exchanges[self];
		if
		:: exchanges[self] = true
		:: skip
		fi;
#ifdef UNSETTLED
		found = exchanges[self]
#endif
	}
#ifndef NO_MEMBARRIER
#ifndef EARLY_MEMBARRIER
	if
	:: found
	:: !found -> empty(buffer[other])
	fi
#endif
#endif
#else
	atomic { empty(buffer[self]) -> announced[self] = true }
#endif
}

/* wait_sleep(): a futex sleeps only if the word is still as the ticket says. It may also wake for no reason. */
inline sleep(self)
{
#ifdef LATE_TICKET
	ticket = wakes[self];
#endif
	if
	:: atomic { empty(buffer[self]) -> blocked[self] = (wakes[self] == ticket) }
		!blocked[self]
	:: skip
	fi
}

active proctype drain()
{
	byte address, value;
end:
	do
	:: d_step { buffer[WRITER]?[address, value] -> buffer[WRITER]?address, value; memory[address] = value }
	:: d_step { buffer[READER]?[address, value] -> buffer[READER]?address, value; memory[address] = value }
	od
}

active proctype writer()
{
	byte written = 0, head, ticket;
	bool was_announced, early, found;

	do
	:: written == MESSAGES -> break
	:: written < MESSAGES ->
		head = memory[HEAD];
		if
		:: written - head == CAPACITY ->
			ticket = wakes[WRITER];
			announce(WRITER, READER);
#ifndef NO_LAST_LOOK
			head = memory[HEAD];
#endif
			if
			:: written - head == CAPACITY -> sleep(WRITER)
			:: else -> withdraw(WRITER)
			fi
		:: else
		fi;
		if
		:: written - head < CAPACITY ->
			store(WRITER, written % CAPACITY, written + 1);
			written++;
#ifdef EARLY_LOOK
			early = announced[READER] || exchanges[READER];
#endif
			store(WRITER, TAIL, written);
			wake(WRITER, READER)
		:: else
		fi
	od
}

/* preread(), which releases what was read before, and its caller's look whether the writer waits */
inline preread()
{
	if
	:: released != read -> released = read; store(READER, HEAD, read)
	:: else
	fi;
#ifdef EARLY_LOOK
	early = announced[WRITER] || exchanges[WRITER]; /* the writer's compiler alone errs */
#endif
	tail = memory[TAIL];
#ifndef SILENT_READER
	wake(READER, WRITER)
#endif
}

active proctype reader()
{
	byte read = 0, released = 0, tail, ticket;
	bool was_announced, early, found;

	do
	:: read == MESSAGES -> break
	:: read < MESSAGES ->
		preread();
		if
		:: tail == read ->
			ticket = wakes[READER];
			announce(READER, WRITER);
#ifndef NO_LAST_LOOK
			preread();
#endif
			if
			:: tail == read -> sleep(READER)
			:: else -> withdraw(READER)
			fi
		:: else
		fi;
		do
		:: read < tail -> assert(memory[read % CAPACITY] == read + 1); read++
		:: else -> break
		od
	od
}
