# What was measured is kept whatever becomes of the output, nothing is overwritten, and a failure to write is told and ends in status 3.
. bench/tests/checks.sh

# Options of all runs here: one short trial
ring="$short --queue ring --workload stream"

expect 0 "a run makes a record" "$twopoint" run $ring --out record.jsonl
is_valid record.jsonl "the record is valid"
cp record.jsonl kept.jsonl
expect 3 "a record is never overwritten" "$twopoint" run $ring --out record.jsonl
says stderr 'record.jsonl: File exists' "with the reason"
check "and is what it was" cmp -s record.jsonl kept.jsonl

mkdir -p clone/results elsewhere
touch clone/results/record.schema.json
expect 0 "a run in a fresh clone" sh -c 'cd clone && exec "$@"' sh "$twopoint" run $ring
check "makes the folder for its record" test -s clone/results/runs/*-custom.jsonl
says stdout '^Record: results/runs/.*-custom.jsonl$' "and tells the path"
expect 0 "runs at once" sh -c 'cd clone && "$@" & one=$!; cd clone && "$@" & two=$!; wait $one && wait $two' sh "$twopoint" run $ring
check "have a record each" sh -c 'test "$(ls clone/results/runs | wc -l)" = 3'
expect 0 "a run elsewhere" sh -c 'cd elsewhere && exec "$@"' sh "$twopoint" run $ring
check "makes none" sh -c 'test ! -e elsewhere/results && test -s elsewhere/*-custom.jsonl'

expect 3 "a folder that there is not is told before anything is measured" "$twopoint" run $ring --out nowhere/record.jsonl
says stderr 'nowhere/record.jsonl' "with the path"
mkfifo pipe
expect 3 "a pipe is no record" "$twopoint" run $ring --out pipe
expect 3 "a device is no record" "$twopoint" run $ring --out /dev/null

# the limit counts blocks of 512 bytes, by POSIX; some shells take 1,024
expect 3 "a full disk ends the run" sh -c 'ulimit -f 6 && exec "$@"' sh \
	"$twopoint" run $quick --queue ring --workload stream --trials 5 --attempts 5 --out full.jsonl
check "and is told once" [ "$(grep -c 'File too large' stderr)" = 1 ]
is_valid full.jsonl "the record is valid as far as it goes"
says stdout 'Record: full.jsonl' "the table is printed all the same"

mkdir closed && chmod 500 closed
if [ "$(id -u)" != 0 ]; then
	as_user=
elif command -v setpriv >/dev/null; then
	as_user='setpriv --reuid 65534 --regid 65534 --clear-groups'
	chmod 755 . && chown 65534 closed
else
	as_user=none
fi
if [ "$as_user" = none ] || ! $as_user test -x "$twopoint"; then
	skip "a folder that must not be written to: no other user to be, or the program is out of its reach"
else
	expect 3 "a folder that must not be written to is told" $as_user "$twopoint" run $ring --out closed/record.jsonl
	says stderr 'closed/record.jsonl: Permission denied' "with the reason"
fi
chmod 700 closed

expect 3 "a full standard output is told" sh -c 'exec "$@" >/dev/full' sh "$twopoint" run $ring --out stdout-full.jsonl
says stderr 'No space left on device' "with the reason"
is_valid stdout-full.jsonl "the record is kept"
expect 3 "a closed standard output is told" sh -c 'exec "$@" >&-' sh "$twopoint" run $ring --out stdout-closed.jsonl
is_valid stdout-closed.jsonl "and nothing is printed into the record"
expect 0 "closed input and errors do no harm" sh -c 'exec "$@" <&- 2>&-' sh "$twopoint" run $ring --out closed-all.jsonl
is_valid closed-all.jsonl "to the record either"
for command in 'list queues' 'topo' '--help' '--version' 'show record.jsonl'; do
	expect 3 "$command: a full standard output is told" sh -c 'exec "$@" >/dev/full' sh "$twopoint" $command
done
{ timeout 60 "$twopoint" run $ring --out piped.jsonl 2>stderr; echo $? >status; } | head -n 1 >stdout
check "a reader that goes away does not kill the run" sh -c 'case $(cat status) in 0|3) ;; *) exit 1 ;; esac'
is_valid piped.jsonl "and the record is kept"
says piped.jsonl '"complete":true' "whole"

expect 0 "a record is shown again" "$twopoint" show record.jsonl
cp stdout shown
expect 0 "the same each time" "$twopoint" show record.jsonl
check "to the byte" cmp -s stdout shown
expect 3 "what is no record is told" "$twopoint" show /dev/null
says stderr 'no record of twopoint' "with the reason"
echo '# Notes' >notes.md
expect 3 "nor is a text one" "$twopoint" show notes.md
says stderr 'no record of twopoint' "which is told the same"
expect 2 "a rate of nothing" "$twopoint" run --load open --rate 0 --dry-run
says stderr 'or a share of the capacity, as 50%' "is told that shares are allowed too"
head -c 3000 record.jsonl >half.jsonl
expect 0 "half a record can be shown" "$twopoint" show half.jsonl
sed 's/"valid":true/"valid":NaN/' record.jsonl >nan.jsonl
expect 3 "NaN in a record is refused" "$twopoint" show nan.jsonl
says stderr 'nan.jsonl: line [0-9]' "with the line"

expect 0 "queues are listed" "$twopoint" list queues
says_not stdout '\.\.\.' "and no summary is cut where no terminal ends"

# figures
expect 0 "plot --list" "$twopoint" plot --list
cp stdout listed
expect 0 "list figures" "$twopoint" list figures
check "is what list figures prints" cmp listed stdout
expect 2 "plot of nothing is refused" "$twopoint" plot
says stderr 'needs FILE' "and told"
mkdir empty figures
# a trial that moved, or that stood still for half of its time, has no place in a figure: of four one will have
"$twopoint" run --quiet --duration 40ms --warm-up 1ms --trials 4 --attempts 4 --queue ring --workload stream --out plotted.jsonl >stdout 2>stderr
expect 3 "without gnuplot, figures fail" env PATH="$work/empty" "$twopoint" plot plotted.jsonl --out figures
says stderr 'figure rate: there is no gnuplot' "with the reason, in a line"
check "and their data are kept" sh -c 'ls figures | grep -q "\.tsv$"'
if command -v gnuplot >/dev/null; then
	expect 0 "figures are drawn" "$twopoint" plot plotted.jsonl --out drawn
	check "at least one" sh -c 'ls drawn | grep -q "\.svg$"'
	says stderr 'figure load: no trial' "those that the record has nothing for are told"
	expect 3 "one that was asked for and can't be drawn is an error" "$twopoint" plot plotted.jsonl --figure load,rate --out some/of/them
	says stderr 'figure load: no trial' "with the reason"
	check "the others are drawn" test -s some/of/them/rate.svg
	expect 3 "so is one of one" "$twopoint" plot plotted.jsonl --figure load --out none/of/them/
	check "and leaves no folders" [ ! -e none ]
	mkdir own
	expect 3 "nor does it take away" "$twopoint" plot plotted.jsonl --figure load --out own
	check "what was there" [ -d own ]
	# several in one figure
	cp plotted.jsonl again.jsonl
	expect 0 "two records are drawn into one figure" "$twopoint" plot plotted.jsonl again.jsonl --out both
	says both/rate.tsv 'ring (plotted)' "the first"
	says both/rate.tsv 'ring (again)' "and the second, by their files' names"
	says stderr "ablation, windows, pitfalls, curves: can't show several records" "the figures that can't are told"
	mkdir same && cp plotted.jsonl same/
	expect 0 "files of one name" "$twopoint" plot plotted.jsonl same/plotted.jsonl --figure rate --out numbered
	says numbered/rate.tsv 'ring (2: plotted)' "are told apart by numbers"
	sed 's/"cpus":[0-9]*,/"cpus":4711,/' plotted.jsonl >elsewhere.jsonl
	expect 0 "records of different machines" "$twopoint" plot plotted.jsonl elsewhere.jsonl --figure rate --out apart
	says stderr 'another machine' "are drawn by themselves, and why"
	check "each into its folder" [ -s apart/plotted/rate.svg -a -s apart/elsewhere/rate.svg ]
	check "and not into one" [ ! -e apart/rate.svg ]
	expect 3 "where one can't be read, nothing is drawn" "$twopoint" plot plotted.jsonl missing.jsonl --out nothing
	check "no folder is made" [ ! -e nothing ]
	for term in png pdf dumb; do
		expect 0 "two records, $term" "$twopoint" plot plotted.jsonl again.jsonl --figure rate --term $term --out term-$term
	done
	says stdout 'ring (again)' "in the terminal"
	head -n 1 record.jsonl >bare.jsonl
	expect 3 "a record of which nothing can be drawn is an error" "$twopoint" plot bare.jsonl --out bare
	says stderr 'no figure was drawn' "and told"
	check "and leaves no folder either" [ ! -e bare ]
fi
checks_end
