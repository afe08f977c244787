/* Lines of sealed, for spin, on a machine whose stores past the cache reach memory in any order, each half of a line at once. A line is
 * two halves of a word of messages and a seal each; the seal is the lap that wrote the line and how many of its words count. Laps count up
 * from 1 here, and never wrap. The reader's one store, the number of messages read, is seen whenever the writer looks.
 * Claims: each message is read once, whole and in order, never more than the capacity is in the ring, nobody waits for ever (no invalid end
 * state).
 * Broken on purpose: -DONE_SEAL (the reader looks at the second half's seal alone), -DNO_LAP (all laps bear the same), -DNO_LOOK (writes
 * without a look whether there is room), -DFEW_LINES (fewer lines than messages), -DEARLY_RELEASE (room is given back before the words are
 * copied), -DTORN_HALVES (a half's seal may be seen before its word: what the queue rests on). */

#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef BATCH
#define BATCH 2 /* the most that is staged: a line's words, or more */
#endif
#ifndef MESSAGES
#define MESSAGES 6
#endif
#ifdef FEW_LINES
#define LINES (CAPACITY - 1)
#else
#define LINES CAPACITY
#endif
#ifdef NO_LAP
#define SEAL(line, count) (4 + (count))
#else
#define SEAL(line, count) (((line) / LINES + 1) * 4 + (count))
#endif
#define PLACE(line) ((line) % LINES * 2) /* of its first half */
#define NOTHING 255
#ifdef ONE_SEAL
#define FIRST_HALF(seal) true
#else
#define FIRST_HALF(seal) (seals[PLACE(line)] == (seal)) /* bears it as well */
#endif

byte seals[2 * LINES], words[2 * LINES]; /* by half */
byte released;                           /* by the reader */
chan under_way = [2 * BATCH + 4] of { byte, byte, byte }; /* stores: half, seal, word */

active proctype memory()
{
	byte half, seal, word;
end:
	do
	:: under_way?half, seal, word ->
		if
		:: under_way!half, seal, word /* others first */
		:: d_step {
			if
			:: seal != NOTHING -> seals[half] = seal
			:: else
			fi;
			if
			:: word != NOTHING -> words[half] = word
			:: else
			fi
		   }
		fi;
		half = 0; seal = 0; word = 0
	od
}

inline store_half(at, with_seal, with_word)
{
#ifdef TORN_HALVES
	under_way!at, with_seal, NOTHING;
	under_way!at, NOTHING, with_word
#else
	under_way!at, with_seal, with_word
#endif
}

active proctype writer()
{
	byte sent = 0, staged = 0, n, read_seen = 0, line = 0, count, second;

	do
	:: sent == MESSAGES && !staged -> break
	:: else ->
		if
		:: !staged -> staged = 1
		:: !staged && sent + BATCH <= MESSAGES -> staged = BATCH
		:: staged
		fi;
		n = staged;
#ifndef NO_LOOK
		if
		:: sent + n > read_seen + CAPACITY ->
			read_seen = released;
			n = (sent + n > read_seen + CAPACITY -> read_seen + CAPACITY - sent : n)
		:: else
		fi;
#endif
		if
		:: !n -> released != read_seen /* full until then */
		:: else
		fi;
		staged = staged - n;
		do
		:: n ->
			count = (n > 1 -> 2 : 1);
			store_half(PLACE(line), SEAL(line, count), sent + 1);
			second = (count == 2 -> sent + 2 : 0);
			store_half(PLACE(line) + 1, SEAL(line, count), second);
			sent = sent + count;
			n = n - count;
			line++
		:: else -> break
		od;
		count = 0; second = 0
	od
}

active proctype reader()
{
	byte read = 0, line = 0, seal, count, word;

	do
	:: read == MESSAGES -> break
	:: else ->
		seal = seals[PLACE(line) + 1];
		if
		:: (seal == SEAL(line, 1) || seal == SEAL(line, 2)) && FIRST_HALF(seal) ->
			count = seal - SEAL(line, 0);
#ifdef EARLY_RELEASE
			released = read + count;
#endif
			word = words[PLACE(line)];
			assert(word == read + 1);
			if
			:: count == 2 -> word = words[PLACE(line) + 1]; assert(word == read + 2)
			:: else
			fi;
			read = read + count;
			released = read;
			line++
		:: else -> /* empty until there is one */
			seals[PLACE(line) + 1] != seal || (FIRST_HALF(seal) && (seal == SEAL(line, 1) || seal == SEAL(line, 2)))
		fi;
		seal = 0; count = 0; word = 0
	od
}
