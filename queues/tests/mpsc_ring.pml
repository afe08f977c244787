/* Claiming, publishing and voiding in mpsc-ring, for spin, on a machine with store buffers (TSO): a plain store, such as the release of a
 * claim's word, reaches memory some time later, in order; a locked instruction first waits until its thread's buffer is empty. Positions
 * count up from 0 here, and never wrap.
 * Claims: nothing is lost or read twice, each producer's order is kept, no message is read before it is written or after it is written
 * anew, never more than the capacity is in the ring, no claim reaches beyond the slots, for each claim that is void another is good (so
 * that producers can't keep each other from writing for ever), nobody waits for ever (no invalid end state).
 * Broken on purpose: -DPLAIN_CLAIM (a load and a store where fetch_flush() has a fetch-and-add), -DNO_LOOK (claims without a look whether
 * there is room), -DTAIL_FIRST (that look is at the tail first, then at the head), -DNO_SECOND_LOOK (does not look again after the claim),
 * -DNO_VOID (what is beyond the capacity is not published as void), -DWORD_FIRST (the word before the contents), -DFEW_SLOTS (as many as
 * the capacity and no more), -DSTEP_OVER (the consumer steps over a void claim and what lies unread before it), -DEARLY_RELEASE (room is
 * given back when it is noted). */

#ifndef CAPACITY
#define CAPACITY 1
#endif
#ifndef BATCH
#define BATCH 1 /* the most that a producer stages; at most the capacity */
#endif
#ifndef MESSAGES
#define MESSAGES 2 /* by each producer */
#endif
#define PRODUCERS 2
#define CONSUMER PRODUCERS
#ifdef FEW_SLOTS
#define SLOTS CAPACITY
#else
#define SLOTS (CAPACITY + PRODUCERS * BATCH)
#endif

/* indices in memory: the counters; by slot, the word of a claim that begins there, and a message */
#define TAIL 0
#define HEAD 1
#define WORD(position) (2 + (position) % SLOTS)
#define CONTENTS(position) (2 + SLOTS + (position) % SLOTS)
#define END(word) ((word) / 2) /* of a claim: the position behind it */
#define VOID 1 /* in a word, beside that */
/* all positions ever claimed: each message in a claim of its own, and a void one for each of these */
#define CLAIMED_MOST (PRODUCERS * MESSAGES * (1 + (PRODUCERS - 1) * BATCH))

byte memory[2 + 2 * SLOTS];
chan buffer[PRODUCERS + 1] = [2 * BATCH + 2] of { byte, byte };

inline store(self, address, value) { buffer[self]!address, value }

/* free: how many positions from `position` on are within the capacity, by what was seen of the head */
inline reckon() { free = (head_seen + CAPACITY > position -> head_seen + CAPACITY - position : 0) }

/* before the claim: at what was seen of the head and at the tail; where these leave too little, at both anew */
inline look()
{
	position = memory[TAIL];
	reckon();
	if
	:: free < staged ->
		head_seen = memory[HEAD];
#ifndef TAIL_FIRST
		position = memory[TAIL];
#endif
		reckon()
	:: else
	fi
}

/* after it: at its own position */
inline look_again()
{
	reckon();
	if
	:: free < n -> head_seen = memory[HEAD]; reckon()
	:: else
	fi
}

inline claim()
{
#ifdef PLAIN_CLAIM
	position = memory[TAIL];
	store(self, TAIL, position + n);
#else
	atomic { empty(buffer[self]) -> position = memory[TAIL]; memory[TAIL] = position + n }
#endif
#ifndef FEW_SLOTS
	assert(position + n <= memory[HEAD] + SLOTS);
#endif
	assert(position + n <= CLAIMED_MOST)
}

inline publish()
{
	assert(position + n <= memory[HEAD] + CAPACITY);
#ifdef WORD_FIRST
	store(self, WORD(position), (position + n) * 2);
#endif
	i = 0;
	do
	:: i < n -> store(self, CONTENTS(position + i), self * 16 + sent + i + 1); i++
	:: else -> break
	od;
#ifndef WORD_FIRST
	store(self, WORD(position), (position + n) * 2);
#endif
	sent = sent + n;
	staged = staged - n
}

proctype producer(byte self)
{
	byte sent = 0, staged = 0, head_seen = 0, free, n, position, i;

	do
	:: sent == MESSAGES -> break
	:: else ->
		if
		:: !staged -> staged = 1
#if BATCH > 1
		:: !staged && sent + 1 < MESSAGES -> staged = 2
#endif
		:: else
		fi;
#ifdef NO_LOOK
		n = staged;
#else
		look();
		n = (staged < free -> staged : free);
#endif
		if
		:: !n -> memory[HEAD] != head_seen /* full until then */
		:: else ->
			claim();
#ifdef NO_SECOND_LOOK
			free = n;
#else
			look_again();
#endif
			if
			:: free < n ->
#ifndef NO_VOID
				store(self, WORD(position + free), (position + n) * 2 + VOID);
#endif
				n = free
			:: else
			fi;
			if
			:: n -> publish()
			:: else
			fi
		fi;
		n = 0; free = 0; position = 0; i = 0
	od
}

proctype drain(byte self)
{
	byte address, value;
end:
	do
	:: d_step { buffer[self]?[address, value] -> buffer[self]?address, value; memory[address] = value; address = 0; value = 0 }
	od
}

inline release()
{
	if
	:: read != released -> released = read; store(CONSUMER, HEAD, released)
	:: else
	fi
}

inline preread()
{
	release();
	do
	:: word = memory[WORD(noted)];
		if
		:: END(word) <= noted -> break
		:: else
		fi;
		assert(END(word) - noted <= SLOTS);
		if
		:: (word & VOID) && noted == read -> noted = END(word); read = noted; release()
#ifdef STEP_OVER
		:: (word & VOID) && noted != read -> noted = END(word); read = noted; release()
#else
		:: (word & VOID) && noted != read -> break
#endif
		:: !(word & VOID) -> noted = END(word)
		fi
	od
#ifdef EARLY_RELEASE
	;
	if
	:: noted != released -> released = noted; store(CONSUMER, HEAD, released)
	:: else
	fi
#endif
}

proctype consumer()
{
	byte all = 0, noted = 0, read = 0, released = 0, word, contents;
	byte newest[PRODUCERS];

	do
	:: all == PRODUCERS * MESSAGES -> break
	:: else ->
		preread();
		if
		:: noted == read -> END(memory[WORD(noted)]) > noted /* empty until then */
		:: else ->
			/* some of what was noted, or all of it */
			do
			:: read != noted ->
				contents = memory[CONTENTS(read)];
				assert(contents && contents / 16 < PRODUCERS);
				assert(contents % 16 == newest[contents / 16] + 1);
				newest[contents / 16]++;
				read++;
				all++
			:: read == noted || read != released -> break
			od
		fi;
		word = 0; contents = 0
	od
}

init {
	byte i = 0;

	atomic {
		do
		:: i < SLOTS -> memory[WORD(i)] = i * 2; i++ /* it does not reach beyond its position */
		:: else -> break
		od;
		run producer(0);
		run producer(1);
		run consumer();
		run drain(0);
		run drain(1);
		run drain(CONSUMER)
	}
}
