# `twopoint compare`: every verdict, every exit status; a gate never passes on nothing.
example=$PWD/results/tests/example.jsonl
. bench/tests/checks.sh

run=$(sed -n 1p "$example") trial=$(sed -n 2p "$example") end=$(tail -n 1 "$example")

# trials QUEUE P50 [COUNT [SED]]: so many trials of a ping-pong, whose round trips scatter a little, with what else sed makes of them
trials() {
	queue=$1 p50=$2 count=${3:-10} change=${4:-}
	for i in $(seq "$count"); do
		id=$((id + 1))
		echo "$trial" | sed -e "s/\"id\":1,/\"id\":$id,/; s/\"queue\":\"ypipe\"/\"queue\":\"$queue\"/; s/\"p50_ns\":[0-9.]*/\"p50_ns\":$p50.$i/" \
			-e "s/\"stall_share\":[0-9.e-]*/\"stall_share\":0.01/; $change"
	done
}
# record FILE: what comes on standard input, made a record
record() {
	{ echo "$run"; cat; } >"$1"
	echo "$end" | sed "s/\"trials\":[0-9]*/\"trials\":$(grep -c '"kind":"trial"' "$1")/" >>"$1"
}
id=0

{ trials ring 240; trials scq 500; trials mutex 9000; } | record old.jsonl
is_valid old.jsonl "the records made up here keep to the schema"
{ trials ring 240; trials scq 500; trials mutex 9000; } | record same.jsonl
{ trials ring 300; trials scq 400; trials mutex 9000; } | record changed.jsonl
{ trials ring 240; trials scq 500 5; } | record few.jsonl
{ for queue in a b c d e; do trials $queue 240; done; trials scq 500; } | record calm.jsonl
{ for queue in a b c d e; do trials $queue 240; done; trials scq 500 10 's/"disturbed":false/"disturbed":true/'; } | record noisy.jsonl
sed 's/"disturbed":false/"disturbed":true/' old.jsonl >disturbed.jsonl
{ trials ring 240 10 's/"capacity":null/"capacity":512/'; trials scq 500; trials mutex 9000; } | record capacity.jsonl
{ trials ring 240 10 's/"status":"ok"/"status":"crash"/; s/"valid":true/"valid":false/'; trials scq 500; trials mutex 9000; } | record crashed.jsonl
sed 's/"cpu_model":"[^"]*"/"cpu_model":"another"/' old.jsonl >machine.jsonl
sed 's/"line_before_ns":[0-9.]*/"line_before_ns":900/; s/"line_after_ns":[0-9.]*/"line_after_ns":900/' old.jsonl >regime.jsonl
sed '$s/"drift_ppm":[0-9.e+-]*,"ok":true/"drift_ppm":900,"ok":false/' changed.jsonl >clock.jsonl
slow='s/"count":[0-9]*,"min_ns"/"count":9,"min_ns"/g; s/"p\([59][0-9_]*\)_ns":[0-9.][0-9.]*/"p\1_ns":null/g'
{ trials ring 240; trials scq 500 6; trials scq 500 4 "$slow"; trials mutex 9000; } | record slow.jsonl
{ trials ring 1; trials scq 500; trials mutex 9000; } | sed 's/"p50_ns":1\.\([0-9]*\)/"p50_ns":\1\1\1/' | record wild.jsonl
record nothing.jsonl </dev/null
head -c 3000 old.jsonl >cut.jsonl
echo '{"some":"json"}' >foreign.jsonl

expect 0 "a record is no slower than its like" "$twopoint" compare old.jsonl same.jsonl
expect 0 "a record that comes through a pipe, too" sh -c 'cat old.jsonl | "$1" compare /dev/stdin same.jsonl' sh "$twopoint"
says stdout '3 no detectable change' "and says so of each cell"
says_not stdout 'not judged' "and of none that it was not judged"
says stdout 'No noise floor' "and that no noise floor is known"
expect 1 "a slower cell is a regression" "$twopoint" compare old.jsonl changed.jsonl
says stdout '^ring .* slower$' "the slower one is named"
says stdout '^scq .* faster$' "the faster one is named"
says stdout '^mutex .* no detectable change$' "the unchanged one is named"
says stdout '1 slower, 1 faster, 1 no detectable change' "and they are counted"
expect 0 "a change below the threshold is none" "$twopoint" compare old.jsonl changed.jsonl --threshold 60%
expect 4 "a baseline cell that is missing is no pass" "$twopoint" compare old.jsonl few.jsonl
says stdout 'too few trials (5, needed 6)' "too few trials are told, with how many are needed"
says stdout 'the other record has no such cell' "the missing cell is told"
says stdout 'nothing stands against: 1' "and counted"
expect 0 "a noisy cell leaves the others their verdicts" "$twopoint" compare calm.jsonl noisy.jsonl
says stdout '^scq .* noisy$' "a noisy cell is named"
says stdout 'disturbed trials: 0 % against 100 %' "with the reason"
says stdout '^1 of 6 cells was not judged: ' "and that it was not judged"
expect 4 "a run that was disturbed as a whole has no verdict" "$twopoint" compare old.jsonl disturbed.jsonl
says stdout 'All is noisy: disturbed trials of the whole run: 0 % against 100 %' "with the reason"
says stdout '^No cell was judged$' "and that no cell was judged"
expect 4 "another capacity is no pass" "$twopoint" compare old.jsonl capacity.jsonl
says stdout 'incomparable: capacity: none against 512' "the parameter is named"
expect 4 "a cell that only crashes is no pass" "$twopoint" compare old.jsonl crashed.jsonl
says stdout '0 invalid, 10 failed' "with what became of its trials"
expect 4 "another machine compares nothing" "$twopoint" compare old.jsonl machine.jsonl
says stdout 'another machine: cpu_model' "with the reason"
expect 4 "another regime compares nothing" "$twopoint" compare old.jsonl regime.jsonl
says stdout 'regime: r[0-9]* against r900' "with the regimes"
expect 0 "unless regimes are ignored" "$twopoint" compare old.jsonl regime.jsonl --ignore-regime
expect 4 "trials that became too slow for a median are no pass" "$twopoint" compare old.jsonl slow.jsonl
says stdout 'incomparable: the other side: 4 of 10 trials have too few samples for a median' "and are told"
expect 4 "a clock that did not hold compares nothing" "$twopoint" compare old.jsonl clock.jsonl
says stdout "Nothing can be compared: the clock did not hold in the other record's run" "with the reason"
expect 0 "what would not have seen a doubling leaves the others their verdicts" "$twopoint" compare wild.jsonl wild.jsonl
says stdout '^ring .* x[0-9]* .* not judged$' "and is not judged, beside the factor that it would have seen"
says stdout 'not judged: would not have seen a doubling' "with the reason"
expect 4 "nothing against nothing is no pass" "$twopoint" compare nothing.jsonl nothing.jsonl
expect 4 "a record against nothing is no pass" "$twopoint" compare old.jsonl nothing.jsonl

# one record's queues
expect 0 "queues against one of them: slower is no regression" "$twopoint" compare old.jsonl --baseline ring
says stdout '^scq .* slower$' "the slower one is named"
says stdout '2 slower' "and counted"
expect 2 "a queue that was not measured is refused" "$twopoint" compare old.jsonl --baseline rign
says stderr "^twopoint: --baseline: unknown baseline queue 'rign'; allowed, those of old.jsonl: .*ring.*; did you mean 'ring'?" "with those that there are"
check "and nothing is compared" [ ! -s stdout ]
expect 4 "nothing has no queues to choose from" "$twopoint" compare nothing.jsonl --baseline ring
trials ring 240 | record lone.jsonl
expect 4 "a lone queue compares nothing" "$twopoint" compare lone.jsonl --baseline ring
{ trials ring 240; trials ring 240 10 's/"message_bytes":64/"message_bytes":128/'; trials scq 500; } | record part.jsonl
expect 4 "a baseline's cell without rivals is no pass" "$twopoint" compare part.jsonl --baseline ring
says stdout 'no other queue has a cell like it' "with the reason"

# as data, and in silence
expect 1 "as JSON, with the same status" "$twopoint" compare old.jsonl changed.jsonl --json
if command -v python3 >/dev/null; then check "JSON can be read" python3 -m json.tool stdout; fi
says stdout '"verdict": "slower"' "JSON has the verdict"
says stdout '"status": 1' "JSON has the status"
says stdout '"p_adjusted": [0-9]' "JSON has the probability"
expect 1 "in silence" "$twopoint" compare old.jsonl changed.jsonl --quiet
check "nothing is printed then" [ ! -s stdout -a ! -s stderr ]

# what can't be read, or makes no sense
expect 3 "a file that is not there" "$twopoint" compare old.jsonl no-such-file.jsonl
says stderr 'no-such-file.jsonl' "is named"
expect 3 "a foreign file" "$twopoint" compare foreign.jsonl old.jsonl
says stderr 'foreign.jsonl' "is named"
expect 3 "two of them" "$twopoint" compare foreign.jsonl no-such-file.jsonl
check "are both named" [ "$(wc -l <stderr)" = 2 ]
expect 4 "a record that was cut off compares what it has" "$twopoint" compare old.jsonl cut.jsonl
says stdout 'did not come to its end' "and says that it was"
expect 2 "one record alone" "$twopoint" compare old.jsonl
expect 2 "no record" "$twopoint" compare
expect 2 "three records" "$twopoint" compare old.jsonl same.jsonl few.jsonl
expect 2 "two records and a baseline" "$twopoint" compare old.jsonl same.jsonl --baseline ring
expect 2 "a threshold that is none" "$twopoint" compare old.jsonl same.jsonl --threshold 2
says stderr 'as 2%' "is told what is right"
expect 1 "a regression on a disk that is full" sh -c "'$twopoint' compare old.jsonl changed.jsonl >/dev/full"
says stderr 'No space left on device' "is told to be unwritten"
expect 3 "a disk that is full" sh -c "'$twopoint' compare old.jsonl same.jsonl >/dev/full"

# what aa kept of the machine that these records are of
floors=$XDG_STATE_HOME/twopoint
mkdir -p "$floors"
floor() {
	echo '{"kind":"noise-floor","schema":1,"machine":{"cpu_model":"AMD EPYC","cpus":2,"kernel_major":"6","hypervisor":"kvm","clock_source":"tsc"},"floors":{'
	echo "\"p50\":{\"interleaved\":$1,\"successive\":$2,\"cells\":9,\"trials\":10,\"measured_utc\":\"2026-11-30T12:00:00Z\",\"commit\":\"0\"}}}"
}
floor 0.1 0.6 >"$floors/AMD_EPYC-2-6-kvm-tsc.json"
expect 0 "what the machine's noise may be is no regression" "$twopoint" compare old.jsonl changed.jsonl
says stdout "machine's own noise, by aa: of a p50 60.0 %" "and its size is told"
says stdout "AMD_EPYC-2-6-kvm-tsc.json" "and where it is from"
expect 0 "as JSON" "$twopoint" compare old.jsonl changed.jsonl --json
says stdout '"used": 0.5999\|"used": 0.6' "its size is told"
says_not stdout '"noise_floor": null' "and it is not null"
expect 4 "of another machine nothing is said" "$twopoint" compare old.jsonl machine.jsonl
floor 0.6 0.1 >"$floors/AMD_EPYC-2-6-kvm-tsc.json"
expect 1 "two records are held to what successive halves differ by" "$twopoint" compare old.jsonl changed.jsonl
says stdout 'of a p50 10.0 %' "and not to that of turns"
expect 0 "one record is held to that of turns" "$twopoint" compare changed.jsonl --baseline ring
says stdout 'of a p50 60.0 %' "and says so"
echo '{' >"$floors/AMD_EPYC-2-6-kvm-tsc.json"
expect 3 "a noise floor that can't be read" "$twopoint" compare old.jsonl changed.jsonl
says stderr 'AMD_EPYC-2-6-kvm-tsc.json' "is named"
rm -r "$floors"

# what was really measured: two trials are too few for anything
for name in a b; do "$twopoint" run $quick --trials 2 --attempts 2 --queue ring --workload stream --out $name.jsonl >stdout 2>stderr; done
expect 4 "two real runs of two trials each" "$twopoint" compare a.jsonl b.jsonl
says stdout 'too few trials\|incomparable' "have no verdict"
expect 4 "aa of two trials a half" "$twopoint" aa $quick --trials 2 --attempts 2 --queue ring --workload stream --out c.jsonl
says stderr 'more --trials' "says that it needs more"
says_not stdout 'So far apart' "and of nothing how far it lies apart"
check "and keeps nothing" [ ! -e "$floors" ]
check "but its record, which has twice the trials" [ "$(grep -c '"kind":"trial"' c.jsonl)" = 4 ]
expect 0 "aa alone, planned" "$twopoint" aa --dry-run
check "takes a few queues, not each that there is" [ "$(grep -c '^[a-z-]*  *\(stream\|pingpong\) ' stdout)" -le 8 ]
says stdout '^[0-9]* cells, 20 trials each, .*: about .*, at most ' "and says how long that takes"
expect 0 "aa of one queue, planned" "$twopoint" aa --queue line --dry-run
says stdout '^1 cell, ' "takes that one"
# so long that their rates are known, where the machine stands still for some of the time
longer='--quiet --duration 20ms --warm-up 1ms'
timeout 60 "$twopoint" aa $longer --trials 12 --queue ring --workload stream --out d.jsonl >stdout 2>stderr
got=$?
is_valid d.jsonl "aa's record is a record"
if [ $got = 4 ]; then
	skip "what aa keeps: the machine's regime changed all the time"
else
	check "aa keeps what it found, for this machine" [ $got = 0 -a "$(ls "$floors" | wc -l)" = 1 ]
	says stdout 'Noise floor of a rate: [0-9]' "and says it"
	says stdout "can't be told" "and that so few trials tell little of two runs"
	"$twopoint" compare d.jsonl d.jsonl >stdout 2>stderr
	says stdout "by aa: of a rate" "and compare finds it"
	says stdout "Its aa was short" "and says what it is worth"
	env -u HOME -u XDG_STATE_HOME "$twopoint" aa $longer --trials 12 --queue ring --workload stream --out e.jsonl >stdout 2>stderr
	got=$?
	if [ $got = 4 ]; then
		skip "aa without a place to keep it: the machine's regime changed all the time"
	else
		check "aa without a place to keep it ends in status 3" [ $got = 3 ]
	fi
fi

# runs that go on until they are good enough, or can't be
expect 0 "a run until a goal that is out of reach" "$twopoint" run $quick --until 0.1% --trials 2 --attempts 9 --queue ring,ypipe --workload stream --out f.jsonl
says stderr 'not reached within 9 attempts' "says that it was not reached"
check "after all attempts" [ "$(grep -c '"kind":"trial"' f.jsonl)" = 18 ]
says f.jsonl '"until":0.001,' "the record has the goal"
says f.jsonl '"until":{"goal":0.001,"looks":3,"met":false,"cells":\[{"trial":[12],' "and what became of it: looks at 6, 8 and 9 trials"
is_valid f.jsonl "and is a record"
says stdout '^Until 0.100 %: reached by 0 of 2 cells; the others were ended by$' "the table tells of the goal"
says stdout '^  attempts: ring stream saturate, batch 1: ' "and what ended each cell"
says f.jsonl '"ended":\[{"trial":[12],"by":"attempts"},{"trial":[12],"by":"attempts"}\]' "as the record does"
"$twopoint" run $quick --until 0.1% --time-budget 1ns --queue ring --workload stream --out g.jsonl >stdout 2>stderr
says stdout '^  time budget: a cell without a trial$' "a time budget that ends a cell first is told"
says stdout 'the run is not complete: time budget used up' "as what ended the run"
says g.jsonl '"ended":\[{"trial":null,"by":"time budget"}\]' "in the record too"
is_valid g.jsonl "which is one"
expect 2 "a goal that is none" "$twopoint" run --until 0 --queue ring --dry-run
checks_end
