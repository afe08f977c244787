# twopoint check: right queues pass, wrong ones fail with what repeats it, and no process is left behind.
. bench/tests/checks.sh

expect 0 "right queues pass" "$twopoint" check --quiet --queue ring,mutex,line,null
check "a line each, and a head" [ "$(wc -l <stdout)" = 5 ]
says stdout '^ring  *passed  *[1-9][0-9]*  *[0-9]*  *0  *[1-9][0-9]*  *[1-9][0-9]*  *[0-9.]*$' "with what was checked"
says stdout '^null  *passed.* 0  *0  *[0-9.]*$' "one thread has no cases"
check "nothing on standard error" [ ! -s stderr ]

expect 0 "on one CPU they pass as well" taskset -c 0 "$twopoint" check --quiet --queue ring,mutex --checks stress,histories
expect 0 "one kind alone" "$twopoint" check --quiet --queue ring --checks conformance
says stdout '^ring .* -  *-  *[0-9.]*$' "the others are not counted"
expect 0 "one case alone" "$twopoint" check --quiet --queue ring --checks stress --seed 7 --case 5
says stdout '^ring  *passed  *1  *0  *0  *1  *-' "is one"

expect 2 "a case of conformance alone is refused" "$twopoint" check --quiet --queue ring --checks conformance --case 3
says stderr 'case: only stress and histories have cases' "with the reason"

expect 1 "wrong queues fail, and the others are checked still" \
	"$faulty" check --quiet --watchdog 1s --checks stress,histories --queue test-hang,ring,test-crash
says stdout '^test-hang  *failed' "a queue that hangs"
says stderr '^twopoint: test-hang: stress: .*seed 1 case [0-9]* .*hangs: nothing moved for 1 s' "is told of"
says stdout '^test-crash  *failed' "a queue that crashes"
says stderr '^twopoint: test-crash: histories: .*crashed' "is told of"
says stdout '^ring  *passed' "a right one between them passes"
again=$(sed -n 's/^  again: twopoint \(check --queue test-crash --checks stress .*\)/\1/p' stderr)
expect 1 "what is said to repeat a failure does" "$faulty" $again --quiet
says stdout '^test-crash  *failed  *0  *0  *1  *1 ' "in one case"

expect 1 "as JSON" "$faulty" check --quiet --json --checks stress --queue ring,test-crash
if command -v python3 >/dev/null; then
	check "it is JSON and says the same" python3 -c '
import json
all = json.load(open("stdout"))
ring, crash = all["queues"]
assert all["complete"] and not all["passed"] and all["seed"] == 1 and all["checks"] == ["stress"]
assert ring["verdict"] == "passed" and ring["passed"] == 1 and ring["stress_cases"] >= 32 and ring["histories"] is None
assert crash["verdict"] == "failed" and "crashed" in crash["failures"][0]["text"] and "--case" in crash["failures"][0]["again"]'
fi

# interrupt SIGNAL STATUS: in the middle of a case
interrupt() {
	env --default-signal=INT "$faulty" check --quiet --json --watchdog 100s --checks stress --queue test-hang >$1.out 2>&1 &
	run=$!
	child= grandchild= tries=0
	while [ -z "$grandchild" ] && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
		child=$(children_of $run | head -n 1)
		[ -z "$child" ] || grandchild=$(children_of $child | head -n 1)
	done
	check "$1: it was at a case" [ -n "$grandchild" ]
	kill -$1 $run
	wait $run 2>/dev/null
	status=$?
	check "$1: ends it with $2" [ $status = $2 ]
	check "$1: no process is left" ended $run $child $grandchild
}
interrupt INT 130
says INT.out '"complete": false' "INT: it is called incomplete"
interrupt TERM 143
interrupt KILL 137
checks_end
