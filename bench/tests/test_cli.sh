# The command line: what is wrong is told with what would be right, help fits a screen, lists are data.
. bench/tests/checks.sh

# refuses NAME PATTERN OPTION…: usage, told in one line
refuses() {
	name=$1 pattern=$2; shift 2
	expect 2 "$name is refused" "$twopoint" "$@"
	says stderr "$pattern" "$name: with what is right"
	check "$name: in one line" [ "$(wc -l <stderr)" = 1 ]
	check "$name: on standard error alone" [ ! -s stdout ]
}
refuses "no message" "allowed: 1 to" run --messages 0
refuses "a count that is none" "is not a count" run --messages abc
refuses "a count in another notation" "is not a count" run --messages 1e99
refuses "a negative count" "is not a count" run --messages=-1
refuses "an unknown option" "did you mean --queue" run --queu ring
refuses "an unknown queue" "did you mean 'ring'" run --queue rign
refuses "an unknown queue to be checked" "did you mean 'ring'" check --queue rign
refuses "another command's option" "^twopoint: show has no option --json: it is one of run, .*compare" show --json
refuses "an option without its command" "^twopoint: --matrix is an option of topo; it stands behind that word" --matrix
refuses "an unknown command" "did you mean 'run'" rum
refuses "latency between one point and itself" "two different points" run --latency write:write
refuses "latency backwards" "goes backwards" run --latency read:write
refuses "no command" "--help" --
refuses "a list of nothing known" "queues" list everything
expect 2 "an unknown suite is refused" "$twopoint" run no-such-suite
says stderr 'smoke' "an unknown suite: with those that there are"
refuses "a figure that there is not" "rate, latency, " plot --figure nothing record.jsonl

# 1, 2, 3 messages: a valid record, and null for what can't be known
for messages in 1 2 3; do
	timeout 60 "$twopoint" run --quiet --warm-up 1ms --trials 1 --attempts 1 --queue ring,null \
		--workload stream,pingpong --messages $messages --out $messages.jsonl >stdout 2>stderr
	check "messages $messages: no trial hangs or crashes" sh -c "! grep -q '\"status\":\"\\(hang\\|crash\\)\"' $messages.jsonl"
	is_valid $messages.jsonl "messages $messages: the record is valid"
	says $messages.jsonl "\"messages\":$messages,\"first_ns\"" "messages $messages: so many were measured"
	says $messages.jsonl '"p50_ns":null' "messages $messages: no percentile"
	check "messages $messages: it can be shown" "$twopoint" show $messages.jsonl
	says_not $messages.jsonl '[nN]a[nN][,}]\|[iI]nf[,}]' "messages $messages: no NaN"
done
says 1.jsonl '"rate_per_s":null' "one message has no rate"
says_not 2.jsonl '"status":"invalid"' "two messages are not wrong for having none"

# the queue takes two at once, and no more before the trial's time is over: so quick was the sender in no more than a moment of it
timeout 60 "$twopoint" run --quiet --warm-up 0 --trials 1 --attempts 1 --queue ring --workload stream --load saturate --stamps message \
	--capacity 1 --work 200ms --duration 100ms --out stood.jsonl >stdout 2>stderr
is_valid stood.jsonl "a sender that stands still: the record is valid"
says_not stood.jsonl '"point":"write",[^}]*"rate_per_s":[0-9]\{4\}' "a sender that stands still has not the rate of the moment before"
says stood.jsonl '"check":"cover"' "a sender that stands still: the audit tells whether a rate is that of the trial"

# a machine that is only described
describe() { env HWLOC_SYNTHETIC='pack:2 core:600 pu:2' "$twopoint" "$@"; }
check "a machine of 2,400 CPUs is planned for" describe run --queue ring --dry-run
describe run --queue ring --dry-run --cpus 0,2399 >stdout 2>stderr
says stdout 'CPUs 0 and 2399' "with CPUs beyond 1,024"
describe run $short --queue ring --out described.jsonl >stdout 2>stderr
check "but it is not measured" [ $? = 2 ]
says stderr 'described' "with the reason"
check "and nothing is recorded" [ ! -e described.jsonl ]

# a small stack
expect 0 "where the stack may be larger than it is, it is" sh -c "ulimit -S -s 64; '$twopoint' run $short --queue ring --workload stream --out stack.jsonl"
says stack.jsonl '"status":"ok"' "for trials too"
expect 3 "a stack that may not be large enough is told" sh -c "ulimit -s 64; '$twopoint' run $short --queue ring --workload stream --out no.jsonl"
says stderr 'the stack may have 64 KiB only, and needs 1024' "with what is needed"

# help
for command in "" run aa check list topo doctor show compare plot report export history replay validate completion; do
	expect 0 "$command --help" "$twopoint" $command --help
	check "$command --help fits a screen" [ "$(wc -l <stdout)" -le 53 ]
	check "$command --help fits its width" sh -c 'awk "length > 80 { exit 1 }" stdout'
done

# a line over time
expect 0 "topo --watch" "$twopoint" topo --watch 250ms
says stdout '^CPUs [0-9]* and [0-9]*, [1-9][0-9]* looks: r' "tells regimes"
expect 0 "topo --watch --json" "$twopoint" topo --watch 150ms --json
says stdout '"watch"' "has them as data"

# the machine, examined
expect 0 "doctor" "$twopoint" doctor --duration 20ms
says stdout '^[a-z]* *stalls ' "tells of stalls"
says stdout '^\(Fit\|Not fit\) for tails' "and has a verdict"
HWLOC_SYNTHETIC='core:2 pu:1' expect 3 "a described machine can't be examined" "$twopoint" doctor --duration 20ms

# data as JSON
is_json() {
	if command -v python3 >/dev/null; then python3 -m json.tool <"$1" >/dev/null; else grep -q '^[[{]' "$1"; fi
}
expect 0 "doctor --json" "$twopoint" doctor --json --duration 20ms
check "doctor --json is JSON" is_json stdout
for what in queues workloads suites placements points figures; do
	expect 0 "list $what" "$twopoint" list $what
	lines=$(wc -l <stdout)
	# summaries of queues have what width they need, where no terminal limits it
	[ $what = queues ] || check "list $what fits its width" sh -c 'awk "length > 140 { exit 1 }" stdout'
	[ $what != queues ] || lines=$((lines - 1)) # its head
	expect 0 "list $what --json" "$twopoint" list $what --json
	check "list $what --json is JSON" is_json stdout
	check "list $what --json has as many entries" [ "$(grep -c '"name"' stdout)" = "$lines" ]
done
expect 0 "topo --json" "$twopoint" topo --json
check "topo --json is JSON" is_json stdout
expect 0 "run --dry-run --json" "$twopoint" run --dry-run --json
check "run --dry-run --json is JSON" is_json stdout
expect 0 "run --json" "$twopoint" run $short --queue ring --workload stream --json --out json.jsonl
check "run --json prints the record" cmp -s stdout json.jsonl
checks_end
