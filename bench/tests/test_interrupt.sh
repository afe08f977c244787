# SIGINT at moments drawn at random, from before a run has begun to after its end: the status is 130, the record is valid as far as it goes,
# and no process is left. TWOPOINT_INTERRUPTS=100 makes it that many moments, TWOPOINT_SEED=N draws others, or a failure's again.
. bench/tests/checks.sh
schema=$OLDPWD/results/record.schema.json

moments=${TWOPOINT_INTERRUPTS:-10} seed=${TWOPOINT_SEED:-$(date +%s)}
echo "TWOPOINT_INTERRUPTS=$moments TWOPOINT_SEED=$seed"

# each kind of line that a record has, each workload and load
cat >small.ini <<'END'
[defaults]
trials = 2
attempts = 2
duration = 5ms
warm-up = 1ms
[stream]
queue = ring, null
workload = stream
batch = 4
[parts]
queue = ring
workload = stream
load = closed
batch = 4
stamps = message
latency = write:read, write:flush
[pingpong]
queue = ring
workload = pingpong
[open]
queue = ring
workload = stream
load = open
rate = 50%
END

# in_session PID: the processes of its session, those that are dead and not waited for left out
in_session() { cat /proc/[0-9]*/stat 2>/dev/null | sed -n "s/^\([0-9]*\) (.*) [^ZX] [0-9]* [0-9]* $1 .*/\1/p"; }
# alone PID: none is left of its session, now or very soon
alone() {
	tries=0
	while [ -n "$(in_session "$1")" ]; do
		tries=$((tries + 1))
		[ $tries -lt 50 ] || return 1
		sleep 0.1
	done
}

began=$(date +%s%N)
expect 0 "the run, let alone" "$twopoint" run --quiet small.ini --out alone.jsonl
whole=$((($(date +%s%N) - began) / 1000000))

# a tenth of them comes too late
awk -v seed="$seed" -v n="$moments" -v ms=$whole 'BEGIN { srand(seed); for (i = 1; i <= n; i++) print i, rand() * ms * 1.1 / 1000 }' >moments
while read -r number moment; do
	mkdir "$number"
	# a shell's background command ignores SIGINT, and nothing that it starts would know: env gives it back
	env --default-signal=INT setsid "$twopoint" run --quiet small.ini --raw $number/raw.csv --out $number/record.jsonl >$number.log 2>&1 &
	run=$!
	sleep "$moment"
	# to the run alone, or, as a terminal does, to whatever it has started, too
	if [ $((number % 2)) = 0 ]; then kill -INT $run 2>/dev/null; else kill -INT -- -$run 2>/dev/null || kill -INT $run 2>/dev/null; fi
	late=$?
	wait $run 2>/dev/null
	status=$?
	what="SIGINT $number, after $moment s"
	# one that it gets behind its last look, or none at all, changes nothing
	case $status in
	130) good "$what: status 130" ;;
	0) check "$what: status 0 where the run was over" grep -q '"kind":"end","complete":true' "$number/record.jsonl" ;;
	*) bad "$what: status 130" "got $status, kill's $late: $(few "$number.log")" ;;
	esac
	check "$what: no process is left" alone $run
	[ -s "$number/record.jsonl" ] || continue
	is_valid "$number/record.jsonl" "$what: the record is valid"
	check "$what: it can be shown" "$twopoint" show "$number/record.jsonl"
	check "$what: it has its end" sh -c 'tail -n 1 "$1" | grep -q "^{\"kind\":\"end\",.*}$"' sh "$number/record.jsonl"
	check "$what: its last line is whole" [ "$(tail -c 1 "$number/record.jsonl" | od -An -tu1 | tr -d ' ')" = 10 ]
	check "$what: nothing else lies about" [ -z "$(ls -A "$number" | grep -v -x -e record.jsonl -e raw.csv)" ]
done <moments
check "there are records among them" sh -c 'ls */record.jsonl'

if command -v python3 >/dev/null && python3 -c 'import jsonschema' 2>/dev/null; then
	check "all of them are valid by another reader of the schema" python3 - "$schema" */record.jsonl <<'END'
import json, sys
import jsonschema
validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
for path in sys.argv[2:]:
    for line in open(path):
        validator.validate(json.loads(line))
END
else
	skip "the records by another reader of the schema: no jsonschema for python3"
fi
checks_end
