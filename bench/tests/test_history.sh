#!/bin/sh
# twopoint history: runs are kept in a file, shown, and drawn; what is no history is refused.
example=$PWD/results/tests/example.jsonl
. bench/tests/checks.sh

# runs that are made up: the example's first lines, a date and a rate each
made() {
	sed -e "s/\"started_utc\":\"[^\"]*\"/\"started_utc\":\"$1\"/" -e "s/\"commit\":\"[^\"]*\"/\"commit\":\"$2\"/" "$example" >"$3"
}
i=0
while [ $i -lt 12 ]; do
	i=$((i + 1))
	day=$(printf '%02d' $i)
	made "2026-01-${day}T00:00:00Z" "c0ffee$day" "run$day.jsonl"
done
check "the made-up ones are valid" "$twopoint" validate run01.jsonl

expect 3 "before anything is added" "$twopoint" history --db h.db
says stderr 'h.db: there is no history yet' "that is said"
expect 0 "add" "$twopoint" history add --db h.db run*.jsonl
check "tells of each" [ "$(grep -c ': added' stdout)" = 12 ]
expect 0 "the same again" "$twopoint" history add --db h.db run03.jsonl
says stdout 'run03.jsonl: is in it already; nothing was done' "does nothing, and says so"
expect 0 "history" "$twopoint" history --db h.db
check "a line a run" [ "$(grep -c '^2026-01-..T00:00:00Z  c0ffee' stdout)" = 12 ]
says stdout '^machine [0-9a-f]\{8\}: AMD EPYC' "with the machine"
says stdout 'no change of level' "and whether something changed"
expect 0 "history cells" "$twopoint" history cells --db h.db
says stdout '^ *1  *[0-9]* *[a-z]' "lists them by number"
expect 0 "history --json" "$twopoint" history --db h.db --json
says stdout '"p50_ns": [0-9]' "has values"
check "is JSON" sh -c '! command -v python3 >/dev/null || python3 -m json.tool <stdout >/dev/null'
expect 0 "one queue" "$twopoint" history cells --db h.db --queue ypipe
check "alone" [ "$(grep -c ypipe stdout)" = "$(($(wc -l <stdout) - 1))" ]
expect 2 "none that there is" "$twopoint" history --db h.db --queue nothing
says stderr 'no cell is as asked for' "is told"
expect 0 "a cell" "$twopoint" history --db h.db --cell 1 --json
check "alone" [ "$(grep -c '"parameters"' stdout)" = 1 ]

expect 2 "an unknown action is refused" "$twopoint" history ad
says stderr "did you mean 'add'" "with the nearest"
expect 2 "nothing to add is refused" "$twopoint" history add --db h.db
expect 2 "so is too much" "$twopoint" history plot this --db h.db
expect 3 "a record that can't be read" "$twopoint" history add --db h.db missing.jsonl run01.jsonl
says stdout 'run01.jsonl: is in it already' "does not keep out the others"

# where it is kept
expect 0 "a default place" env XDG_DATA_HOME="$work/data" "$twopoint" history add run01.jsonl
check "is below where data are kept" [ -s data/twopoint/history.db ]
expect 0 "and found again" env XDG_DATA_HOME="$work/data" "$twopoint" history
expect 3 "without any home" env -u XDG_DATA_HOME -u HOME "$twopoint" history
says stderr '\-\-db FILE names one' "that is said"

# what is no history
echo "no database, but a text that is longer than what a database begins with, which is a hundred bytes at most or so" >text.db
expect 3 "a text" "$twopoint" history --db text.db
says stderr 'text.db: is no history' "is refused"
expect 3 "nor is it added to" "$twopoint" history add --db text.db run01.jsonl
check "nor touched" grep -q '^no database' text.db
head -c 9000 h.db >cut.db
expect 3 "half a history" "$twopoint" history --db cut.db
says stderr 'cut.db: is damaged' "is refused"
expect 3 "a folder" "$twopoint" history --db .
check "with a word" [ -s stderr ]

# several at once
made 2026-02-01T00:00:00Z a a.jsonl
made 2026-02-02T00:00:00Z b b.jsonl
made 2026-02-03T00:00:00Z c c.jsonl
for name in a b c; do
	"$twopoint" history add --db at-once.db $name.jsonl >$name.out 2>&1 &
done
wait
check "adding at once" [ "$(cat a.out b.out c.out | grep -c ': added')" = 3 ]
"$twopoint" history --db at-once.db >stdout
check "loses nothing" [ "$(grep -c '^2026-02' stdout)" = 3 ]

expect 3 "without gnuplot, no figure" env PATH="$work/empty" "$twopoint" history plot --db h.db --out bare
says stderr 'figure history: there is no gnuplot' "with the reason"
if command -v gnuplot >/dev/null; then
	for term in svg png pdf; do
		expect 0 "history plot, $term" "$twopoint" history plot --db h.db --out drawn --term $term
		check "is there" [ -s drawn/history.$term ]
		check "and gnuplot had nothing to say" [ "$(wc -l <stderr)" = 1 ]
	done
	says drawn/history.gp 'c0ffee12' "commits stand along it"
	expect 0 "history plot, dumb" "$twopoint" history plot --db h.db --term dumb
	says stdout 'Results over time' "is printed"
	expect 0 "of one run" "$twopoint" history plot --db data/twopoint/history.db --out one
	expect 2 "of no cell" "$twopoint" history plot --db h.db --queue nothing --out none
	says stderr 'no cell is as asked for' "is told"
	check "and leaves no folder" [ ! -e none ]
fi
checks_end
