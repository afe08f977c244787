/* The futex queue's lock and its sleep on the ring's counters, on a machine with store buffers (TSO): a plain store reaches memory some
 * time later, in order; a locked instruction, a system call first wait until their thread's buffer is empty. Writers flush batches,
 * readers take one message at a time and leave after their share: so whoever is forgotten stays asleep.
 * Claims: one holder at a time; never more than its capacity in the ring; nobody sleeps for ever (no invalid end state).
 * Broken on purpose: -DPLAIN_UNLOCK (a load and a store where futex_unlock() has an exchange), -DLOCK_FORGETS (who slept for the lock
 * holds it as if nobody else waited), -DNO_COMPARE (a sleep that does not compare its word), -DLATE_TICKET (the counter is noted after
 * leaving the lock), -DEARLY_WAKE (before the counter is stored), -DLEFT_BEHIND (nobody is woken for what a reader leaves behind, or a
 * writer). */

#ifndef CAPACITY
#define CAPACITY 1
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef READERS
#define READERS 2
#endif
#ifndef BATCH
#define BATCH 1
#endif
#ifndef BATCHES
#define BATCHES 1
#endif
#define SHARE (WRITERS * BATCHES * BATCH / READERS)
#define THREADS (WRITERS + READERS)

/* words in memory; asleep on none of them */
#define LOCK 0
#define TAIL 1
#define HEAD 2
#define NOWHERE 3
/* states of the lock */
#define FREE 0
#define HELD 1
#define WAITED_FOR 2

byte memory[3];
chan buffer[THREADS] = [2] of { byte, byte };
byte asleep[THREADS] = NOWHERE; /* on which word */
byte holders;
/* the lock's holder's */
byte tail, head, readers_waiting, writers_waiting;

inline store(word, value) { buffer[self]!word, value }

/* The kernel compares as it puts the sleeper into its row. A sleep may end for no reason. */
inline sleep(word, value)
{
	if
	:: atomic { empty(buffer[self]) ->
			if
#ifdef NO_COMPARE
			:: true -> asleep[self] = word
#else
			:: memory[word] == value -> asleep[self] = word
			:: else
#endif
			fi
		}
		asleep[self] == NOWHERE
	:: skip
	fi;
	seen = 0; ticket = 0
}

/* Any one of those that sleep there. */
inline wake(word)
{
	atomic {
		empty(buffer[self]) ->
		if
		:: asleep[0] == word -> asleep[0] = NOWHERE
		:: asleep[1] == word -> asleep[1] = NOWHERE
#if THREADS > 2
		:: asleep[2] == word -> asleep[2] = NOWHERE
#endif
#if THREADS > 3
		:: asleep[3] == word -> asleep[3] = NOWHERE
#endif
		:: else
		fi
	}
}

inline hold() { assert(!holders); holders++ }

inline lock()
{
	atomic {
		empty(buffer[self]) ->
		seen = memory[LOCK];
		if
		:: seen == FREE -> memory[LOCK] = HELD; hold()
		:: else
		fi
	}
	do
	:: seen == FREE -> break
	:: else ->
		atomic {
			empty(buffer[self]) ->
			seen = memory[LOCK];
			memory[LOCK] = WAITED_FOR;
			if
			:: seen == FREE ->
#ifdef LOCK_FORGETS
				memory[LOCK] = HELD;
#endif
				hold()
			:: else
			fi
		}
		if
		:: seen != FREE -> sleep(LOCK, WAITED_FOR); seen = HELD
		:: else
		fi
	od
}

inline unlock()
{
#ifdef PLAIN_UNLOCK
	seen = memory[LOCK];
	atomic { store(LOCK, FREE); holders-- }
#else
	atomic { empty(buffer[self]) -> seen = memory[LOCK]; memory[LOCK] = FREE; holders-- }
#endif
	if
	:: seen == WAITED_FOR -> wake(LOCK)
	:: else
	fi
}

inline count(waiting, most)
{
	if
	:: waiting < most -> waiting++
	:: else
	fi
}

inline claim(waiting, claimed, something)
{
	if
	:: waiting && something -> waiting--; claimed = true
	:: else -> claimed = false
	fi
}

inline leave()
{
	atomic {
#ifdef LEFT_BEHIND
		claim(readers_waiting, wake_reader, self < WRITERS && tail != head);
		claim(writers_waiting, wake_writer, self >= WRITERS && tail - head != CAPACITY)
#else
		claim(readers_waiting, wake_reader, tail != head);
		claim(writers_waiting, wake_writer, tail - head != CAPACITY)
#endif
	}
#ifdef EARLY_WAKE
	if
	:: wake_reader -> wake(TAIL)
	:: else
	fi;
	if
	:: wake_writer -> wake(HEAD)
	:: else
	fi;
	if
	:: self < WRITERS -> store(TAIL, tail)
	:: else -> store(HEAD, head)
	fi;
	unlock()
#else
	unlock();
	if
	:: wake_reader -> wake(TAIL)
	:: else
	fi;
	if
	:: wake_writer -> wake(HEAD)
	:: else
	fi;
	seen = 0; wake_reader = false; wake_writer = false
#endif
}

active proctype drain()
{
	byte word, value;
end:
	do
	:: d_step { nempty(buffer[0]) -> buffer[0]?word, value; memory[word] = value }
	:: d_step { nempty(buffer[1]) -> buffer[1]?word, value; memory[word] = value }
#if THREADS > 2
	:: d_step { nempty(buffer[2]) -> buffer[2]?word, value; memory[word] = value }
#endif
#if THREADS > 3
	:: d_step { nempty(buffer[3]) -> buffer[3]?word, value; memory[word] = value }
#endif
	od
}

active [WRITERS] proctype writer()
{
	byte self = _pid - 1, batches = 0, staged = 0, n, ticket, seen;
	bool wake_reader, wake_writer;

	do
	:: batches == BATCHES && !staged -> break
	:: else ->
		if
		:: !staged -> staged = BATCH; batches++
		:: else
		fi;
		lock();
		atomic {
			n = (staged < CAPACITY - (tail - head) -> staged : CAPACITY - (tail - head));
			tail = tail + n;
			staged = staged - n;
			assert(tail - head <= CAPACITY)
		}
#ifndef EARLY_WAKE
		if
		:: n -> store(TAIL, tail); n = 0
		:: else
		fi;
#endif
		if
		:: staged ->
			atomic { count(writers_waiting, WRITERS); ticket = head }
			leave();
#ifdef LATE_TICKET
			ticket = memory[HEAD];
#endif
			sleep(HEAD, ticket)
		:: else -> leave()
		fi
	od
}

active [READERS] proctype reader()
{
	byte self = _pid - 1, read = 0, ticket, seen;
	bool wake_reader, wake_writer;

	do
	:: read == SHARE -> break
	:: else ->
		lock();
		if
		:: tail != head ->
			atomic { head++; read++ }
#ifndef EARLY_WAKE
			store(HEAD, head);
#endif
			leave()
		:: else ->
			atomic { count(readers_waiting, READERS); ticket = tail }
			leave();
#ifdef LATE_TICKET
			ticket = memory[TAIL];
#endif
			sleep(TAIL, ticket)
		fi
	od
}
