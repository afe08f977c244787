/* wait.h's wait point with several sleepers, for spin: one writer, two readers that share a bounded queue and one point (a bit of
 * `announced` each), the writer alone at the other point. Machine and queue as in wait.pml, on a machine with store buffers (TSO);
 * readers take a message by a locked instruction, as a queue for several consumers does, and the taking releases its slot.
 * At the end, when no message is left, nobody may sleep for ever: the writer, when it is done, wakes all; a reader looks whether it is
 * before it sleeps.
 * -DMEMBARRIER: as in wait.pml. (A reader has no buffer here: the writer's membarrier has nothing to wait for.)
 * Claims: each message is taken once; nobody sleeps for ever (no invalid end state).
 * Broken on purpose: -DWITHDRAW_CLEARS (a withdrawing waiter takes back the others' announcements, too), -DWAKE_ONE (wakes one of those
 * that were announced and forgets the others), -DPLAIN_ANNOUNCE (a load and a store instead of one locked instruction), -DNO_LAST_LOOK,
 * -DSILENT_END; with -DMEMBARRIER also -DNO_MEMBARRIER. */

#ifndef CAPACITY
#define CAPACITY 1
#endif
#define MESSAGES 2
#define READERS 2

byte slots[CAPACITY], tail, head; /* memory; head changes by locked instructions alone */
chan buffer = [2] of { byte };    /* the writer's stores to tail */
bool done_stored;                 /* of producers_left: a locked instruction */
/* readers: a bit each */
byte announced, wakes;
bool blocked[READERS];
/* the writer's own point */
bool writer_announced, writer_blocked;
byte writer_wakes;
byte taken; /* a bit per message */

inline wake_readers()
{
#ifdef MEMBARRIER
	seen = announced;
	if
	:: seen -> atomic { empty(buffer) -> seen = announced; announced = 0 }
	:: else
	fi;
#else
	atomic { empty(buffer) -> seen = announced; announced = 0 }
#endif
	if
	:: seen ->
		atomic { empty(buffer) -> wakes++ }
		d_step {
#ifdef WAKE_ONE
			if
			:: seen & 1 -> blocked[0] = false
			:: else -> blocked[1] = false
			fi;
#else
			if
			:: seen & 1 -> blocked[0] = false
			:: else
			fi;
			if
			:: seen & 2 -> blocked[1] = false
			:: else
			fi;
#endif
			seen = 0
		}
	:: else
	fi
}

inline wake_writer()
{
#ifdef MEMBARRIER
	was = writer_announced;
	if
	:: was -> atomic { was = writer_announced; writer_announced = false }
	:: else
	fi;
#else
	atomic { was = writer_announced; writer_announced = false }
#endif
	if
	:: was ->
		writer_wakes++;
		writer_blocked = false
	:: else
	fi
}

active proctype drain()
{
end:
	do
	:: d_step { buffer?tail }
	od
}

active proctype writer()
{
	byte written = 0, ticket, seen;

	do
	:: written == MESSAGES -> break
	:: written < MESSAGES ->
		if
		:: written - head == CAPACITY ->
			ticket = writer_wakes;
			atomic { empty(buffer) -> writer_announced = true }
			if
			:: written - head == CAPACITY ->
				atomic { writer_blocked = (writer_wakes == ticket) }
				!writer_blocked
			:: else -> atomic { empty(buffer) -> writer_announced = false }
			fi
		:: else
		fi;
		if
		:: written - head < CAPACITY ->
			/* the slot's own store is left out: wait.pml has it */
			slots[written % CAPACITY] = written + 1;
			written++;
			buffer!written;
			wake_readers()
		:: else
		fi
	od;
	atomic { empty(buffer) -> done_stored = true }
#ifndef SILENT_END
	wake_readers()
#endif
}

/* preread(): takes one message, if there is one */
inline take()
{
	d_step {
		found = head < tail;
		if
		:: found ->
			assert(slots[head % CAPACITY] == head + 1);
			assert(!(taken & (1 << head)));
			taken = taken | (1 << head);
			head++
		:: else
		fi
	}
	wake_writer()
}

active [READERS] proctype reader()
{
	byte ticket, self = _pid - 2, before;
	bool found, was, finished = false;

	do
	:: finished -> break
	:: else ->
		finished = done_stored; /* before the queue is looked at */
		take();
		if
		:: found -> finished = false
		:: !found && !finished ->
			ticket = wakes;
#ifdef PLAIN_ANNOUNCE
			before = announced;
			announced = before | (1 << self);
#else
			atomic { announced = announced | (1 << self) }
#endif
#ifdef MEMBARRIER
#ifndef NO_MEMBARRIER
			empty(buffer);
#endif
#endif
			finished = done_stored;
#ifndef NO_LAST_LOOK
			take();
#endif
			if
			:: found || finished ->
				finished = false; /* looks once more */
#ifdef WITHDRAW_CLEARS
				atomic { announced = 0 }
#else
				atomic { announced = announced & ~(1 << self) }
#endif
			:: else ->
				if
				:: atomic { blocked[self] = (wakes == ticket) }
					!blocked[self]
				:: skip
				fi
			fi
		:: else
		fi
	od
}
