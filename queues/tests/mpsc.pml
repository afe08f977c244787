/* Appending to mpsc-list's list and reading it, for spin, on a machine with store buffers (TSO): a plain store, such as the release of a
 * link, reaches memory some time later, in order; a locked instruction first waits until its thread's buffer is empty. A run is one message
 * here; a flush appends one, or a chain of two by one exchange. -DSPLICE: the consumer takes the list away, as in mpsc-splice.
 * Claims: nothing is lost or read twice, each producer's order is kept, a run is read whole and never before it is linked, nobody waits for
 * ever (no invalid end state) and no run gets lost on its way back.
 * Broken on purpose: -DPLAIN_EXCHANGE (a load and a store), -DLINK_FIRST (the link before the contents), -DEARLY_RETURN (a run goes back
 * when it is read to its end, though nothing is linked behind it yet), -DNO_CLEAR (a run's link is not cleared before it is used again),
 * -DEAGER (does not look whether the link is set), and with SPLICE -DLATE_CLEAR (the sentinel's link is cleared behind the exchange). */

#ifndef MESSAGES
#define MESSAGES 3 /* by each producer */
#endif
#define PRODUCERS 2
#define NODES 2 /* runs of each producer */
#define CONSUMER PRODUCERS
#define STUB 0
#define SPLICED 5 /* what the consumer of -DSPLICE reads begins behind this */
#define NONE 255
#define NODE(p, i) (1 + (p) * NODES + (i))
#define OWNER(node) ((node - 1) / NODES)

/* indices in memory: a run's link, its contents, the list's end */
#define NEXT(node) (node)
#define CONTENTS(node) (6 + node)
#define NEWEST 11

byte memory[12];
chan buffer[PRODUCERS + 1] = [6] of { byte, byte };
bool returned[5]; /* by run: on its way back to its owner */

inline store(self, address, value) { buffer[self]!address, value }

/* the whole list of them at once, as the exchange does */
inline take_returned()
{
	atomic {
		empty(buffer[self]) ->
		i = 0;
		do
		:: i < NODES ->
			if
			:: returned[NODE(self, i)] -> returned[NODE(self, i)] = false; own[i] = true
			:: else
			fi;
			i++
		:: else -> break
		od;
		i = 0
	}
}

/* Puts the next message into a free run of its own, and that into the chain. */
inline stage()
{
	atomic {
		if
		:: own[0] -> own[0] = false; node = NODE(self, 0)
		:: else -> own[1] = false; node = NODE(self, 1)
		fi
	}
#ifndef NO_CLEAR
	store(self, NEXT(node), NONE);
#endif
#ifndef LINK_FIRST
	store(self, CONTENTS(node), self * 16 + written + 1);
#endif
	written++;
	if
	:: last == NONE -> first = node
	:: else -> store(self, NEXT(last), node)
	fi;
	last = node
}

inline append()
{
#ifdef PLAIN_EXCHANGE
	atomic { empty(buffer[self]) -> before = memory[NEWEST] }
	store(self, NEWEST, last);
#else
	atomic { empty(buffer[self]) -> before = memory[NEWEST]; memory[NEWEST] = last }
#endif
	store(self, NEXT(before), first);
#ifdef LINK_FIRST
	store(self, CONTENTS(last), self * 16 + written);
#endif
	last = NONE
}

proctype producer(byte self)
{
	byte written = 0, node, first, last = NONE, before, i = 0;
	bool own[NODES];

	d_step { own[0] = true; own[1] = true }
	do
	:: written < MESSAGES ->
		if
		:: !own[0] && !own[1] ->
			/* blocks until there is one: were all lost, this were an invalid end state */
			(returned[NODE(self, 0)] || returned[NODE(self, 1)]);
			take_returned()
		:: else
		fi;
		stage();
#ifndef LINK_FIRST
		if
		:: written < MESSAGES && (own[0] || own[1]) -> stage()
		:: true
		fi;
#endif
		append()
	:: else -> break
	od
}

proctype drain(byte self)
{
	byte address, value;
end:
	do
	:: d_step { buffer[self]?[address, value] -> buffer[self]?address, value; memory[address] = value }
	od
}

inline give_back(node)
{
	if
	:: node != STUB && node != SPLICED -> atomic { empty(buffer[CONSUMER]) -> assert(!returned[node]); returned[node] = true }
	:: else
	fi
}

/* Takes note; next is the run behind `at`, or NONE. */
inline preread()
{
#ifdef SPLICE
	next = memory[NEXT(STUB)];
	if
	:: next != NONE ->
#ifdef LATE_CLEAR
		atomic { empty(buffer[CONSUMER]) -> newest = memory[NEWEST]; memory[NEWEST] = STUB }
		store(CONSUMER, NEXT(STUB), NONE);
#else
		store(CONSUMER, NEXT(STUB), NONE);
		atomic { empty(buffer[CONSUMER]) -> newest = memory[NEWEST]; memory[NEWEST] = STUB }
#endif
		/* the consumer's own, so that its buffer does not matter */
		memory[NEXT(noted)] = next;
		noted = newest
	:: else
	fi;
	next = memory[NEXT(at)]
#else
	next = memory[NEXT(at)];
	if
	:: next != NONE -> noted = memory[NEWEST]
	:: else
	fi
#endif
}

proctype consumer()
{
	byte read = 0, at, noted, next, newest, contents, held = NONE;
	byte newer[PRODUCERS];

#ifdef SPLICE
	at = SPLICED;
#else
	at = STUB;
#endif
	noted = at;
	do
	:: read == PRODUCERS * MESSAGES -> break
	:: else ->
		preread();
#ifdef EAGER
		if
		:: noted == at -> noted = memory[NEWEST]
		:: else
		fi;
#endif
		do
		:: at != noted ->
			next = memory[NEXT(at)];
			if
#ifndef EAGER
			:: next == NONE -> break
#endif
			:: else ->
#ifdef EAGER
				assert(next != NONE); /* else it would follow no link at all */
#endif
#ifdef EARLY_RETURN
				at = next;
#else
				give_back(at);
				at = next;
#endif
				contents = memory[CONTENTS(at)];
				assert(contents != 0 && contents / 16 == OWNER(at));
				assert(contents % 16 == newer[contents / 16] + 1);
				newer[contents / 16]++;
				read++;
#ifdef EARLY_RETURN
				give_back(at)
#endif
			fi
		:: else -> break
		od
	od
}

init {
	byte i = 0;

	atomic {
		do
		:: i < 6 -> memory[NEXT(i)] = NONE; i++
		:: else -> break
		od;
		memory[NEWEST] = STUB;
		run producer(0);
		run producer(1);
		run consumer();
		run drain(0);
		run drain(1);
#ifdef SPLICE
		run drain(2)
#endif
	}
}
