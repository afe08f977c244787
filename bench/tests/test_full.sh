# Where what is written finds no room, no leave or no reader: each command tells it, with the file and the reason, and ends in status 3.
. bench/tests/checks.sh

expect 0 "a record to ask of" "$twopoint" run --quiet --duration 20ms --warm-up 1ms --trials 4 --attempts 4 --queue ring,null \
	--workload stream,pingpong --out record.jsonl

# the options of a short run
ring="$short --queue ring --workload stream"

# told NAME: by the reason, and not by an abort
told() { says stderr 'File too large\|No space left on device\|cannot be written' "$1: the reason is told"; }

# a disk that is full, by a limit. It counts blocks of 512 bytes, by POSIX; some shells take 1,024.
limited() {
	name=$1; shift
	expect 3 "$name" sh -c 'ulimit -f 1 && exec "$@"' sh "$@"
	told "$name"
}
for format in csv gbench openmetrics hlog; do
	limited "a full disk: export --format $format" "$twopoint" export record.jsonl --format $format --out limited.$format
done
limited "a full disk: export --format hgrm" "$twopoint" export record.jsonl --format hgrm --out limited.folder
limited "a full disk: report" "$twopoint" report record.jsonl --out limited.html
limited "a full disk: run --raw" "$twopoint" run $ring --stamps message --raw limited.csv --out raw-limited.jsonl
if command -v gnuplot >/dev/null; then
	limited "a full disk: plot" "$twopoint" plot record.jsonl --figure rate --out limited.figures
	limited "a full disk: topo --matrix" "$twopoint" topo --matrix --max-time 10ms --out limited.matrix
fi

# the same by a disk
mkdir disk
if mount -t tmpfs -o size=16k,nr_inodes=16 tmpfs disk 2>/dev/null; then
	trap 'umount "$work/disk"; rm -rf "$work"' EXIT
	expect 3 "a small disk: run" "$twopoint" run $quick --queue ring --workload stream --trials 5 --attempts 5 --out disk/record.jsonl
	check "a small disk: run tells it once" [ "$(grep -c 'No space left on device' stderr)" = 1 ]
	is_valid disk/record.jsonl "a small disk: the record is valid as far as it goes"
	says stdout 'Record: disk/record.jsonl' "a small disk: the table is printed all the same"
	head -c 64k /dev/zero >disk/filler 2>/dev/null
	for format in csv gbench openmetrics hlog; do
		expect 3 "a full disk indeed: export --format $format" "$twopoint" export record.jsonl --format $format --out disk/$format
		told "a full disk indeed: export --format $format"
		rm -f disk/$format
	done
	expect 3 "a full disk indeed: report" "$twopoint" report record.jsonl --out disk/page.html
	told "a full disk indeed: report"
	rm -f disk/page.html
	expect 3 "a full disk indeed: plot" "$twopoint" plot record.jsonl --figure rate --out disk
	told "a full disk indeed: plot"
	expect 3 "a full disk indeed: run" "$twopoint" run $ring --out disk/another.jsonl
	mount -o remount,ro disk
	for where in "run $ring --out disk/new" "export record.jsonl --out disk/new" "report record.jsonl --out disk/new" \
		"plot record.jsonl --figure rate --out disk/new"; do
		expect 3 "a read-only disk: ${where%% *}" "$twopoint" $where
		says stderr 'disk/new.*Read-only file system' "a read-only disk: ${where%% *}: file and reason are told"
	done
	umount disk
	trap 'rm -rf "$work"' EXIT
else
	skip "a disk that is full or read-only: none can be mounted here"
fi

# a folder that must not be written to, for who is bound by that
mkdir closed && chmod 500 closed
if [ "$(id -u)" != 0 ]; then
	as_user=
elif command -v setpriv >/dev/null; then
	as_user='setpriv --reuid 65534 --regid 65534 --clear-groups'
	chmod 755 . && chmod 644 record.jsonl && chown 65534 closed
else
	as_user=none
fi
if [ "$as_user" = none ] || ! $as_user test -x "$twopoint"; then
	skip "a folder that must not be written to: no other user to be, or the program is out of its reach"
else
	for where in "export record.jsonl --out closed/new" "report record.jsonl --out closed/new" \
		"plot record.jsonl --figure rate --out closed/new" "run $ring --raw closed/new --out closed/too"; do
		expect 3 "a closed folder: ${where%% *}" $as_user "$twopoint" $where
		says stderr 'closed/new.*Permission denied' "a closed folder: ${where%% *}: file and reason are told"
	done
fi
chmod 700 closed

# standard output that is full, closed, or has lost its reader
while read -r command; do
	case $command in compare*) status=4 ;; *) status=3 ;; esac # a verdict stays one, and so does that there is none
	expect $status "$command: a full standard output is told" sh -c 'exec "$@" >/dev/full' sh "$twopoint" $command
	says stderr 'No space left on device' "$command: with the reason"
	expect $status "$command: a closed standard output is told" sh -c 'exec "$@" >&-' sh "$twopoint" $command
	[ "$(wc -l <stderr)" -le 2 ] && good "$command: in a line" || bad "$command: in a line" "$(few stderr)"
	# the reader is gone before anything is written: whoever writes to nobody is ended, or told
	{ sleep 0.2; timeout -k 1 60 "$twopoint" $command 2>stderr; echo $? >status; } | true
	check "$command: ends where nobody reads" grep -q -x -e $status -e 141 status
done <<'END'
--help
--version
run --help
run --queue ring --dry-run
run --queue ring --dry-run --json
list workloads
list suites --json
completion bash
topo
topo --json
doctor --duration 10ms
check --queue null --checks conformance
check --queue null --checks conformance --json
show record.jsonl
compare record.jsonl --baseline ring
compare record.jsonl --baseline ring --json
export record.jsonl
export record.jsonl --format openmetrics
replay record.jsonl
replay record.jsonl --cell all
plot --list
validate record.jsonl
END

# figures without gnuplot
mkdir empty
expect 3 "a report without gnuplot" env PATH="$work/empty" "$twopoint" report record.jsonl --out bare.html
says stderr 'there is no gnuplot' "is told"
says bare.html 'ring' "the page is there all the same"
says bare.html '</html>' "and whole"
expect 3 "a matrix without gnuplot" env PATH="$work/empty" "$twopoint" topo --matrix --max-time 10ms --out matrix
says stderr 'there is no gnuplot' "is told"
says stdout '[0-9]' "and printed all the same"
checks_end
