# A queue that hangs or crashes costs its own trials, a run that is ended keeps what it measured, and no process is left behind.
. bench/tests/checks.sh

stream='--workload stream --batch 1'

expect 1 "a run with a queue that hangs and one that crashes goes on" \
	"$faulty" run --quiet --duration 5ms --warm-up 1ms --trials 2 --attempts 2 --watchdog 1s $stream \
	--queue test-hang,ring,test-crash --out survived.jsonl
is_valid survived.jsonl "its record is valid"
count() { grep -c "\"queue\":\"$1\".*\"status\":\"$2\"" survived.jsonl; }
check "the hanging queue's trials are hangs" [ "$(count test-hang hang)" = 2 ]
check "the crashing queue's trials are crashes" [ "$(count test-crash crash)" = 2 ]
check "the other queue's trials are good" [ "$(count ring ok)" = 2 ]
says survived.jsonl '"why":"signal 11' "a crash names its signal"
says survived.jsonl '"kind":"end","complete":true' "the run is complete"

expect 1 "a queue that hangs each time is given up" \
	"$faulty" run --quiet --duration 5ms --warm-up 0ms --trials 9 --watchdog 50ms $stream --queue test-hang --out given-up.jsonl
check "after three trials in a row" [ "$(grep -c '"kind":"trial"' given-up.jsonl)" = 3 ]
says stderr 'given up' "and that is said"

expect 1 "a share of a capacity whose trial crashes is skipped, and the run goes on" \
	"$faulty" run --quiet --duration 5ms --warm-up 1ms --trials 2 --attempts 2 $stream --queue test-crash,ring --load open --rate 10%,50% \
	--out no-capacity.jsonl
is_valid no-capacity.jsonl "its record is valid"
check "its shares are skipped, each time" [ "$(grep -c '"queue":"test-crash".*"status":"skipped"' no-capacity.jsonl)" = 4 ]
says no-capacity.jsonl '"why":"the capacity that its rate is a share of is unknown: the trial that was to measure it (id [0-9]*) did not count: crash, signal 11' "with the reason"
check "the other queue's shares are measured, but where the machine stood still while their capacity was" \
	[ "$(grep -c '"queue":"ring".*"load":"open".*\("status":"ok"\|has no rate at read\)' no-capacity.jsonl)" = 4 ]
check "after two trials of its capacity" [ "$(grep -c '"queue":"ring".*"load":"saturate".*"status":"ok"' no-capacity.jsonl)" = 2 ]

# begin RECORD OPTION…: a run in the background; sets run, its process, and child, that of its trial
begin() {
	record=$1; shift
	# a shell's background command ignores SIGINT, and nothing that it starts would know: env gives it back
	env --default-signal=INT "$faulty" run --quiet $stream "$@" --out "$record" >background.log 2>&1 &
	run=$!
	child= tries=0
	while [ -z "$child" ] && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
		[ -s "$record" ] && child=$(children_of $run | head -n 1)
	done
	[ -n "$child" ] || bad "a run in the background has a trial"
}
hangs='--queue test-hang --duration 5ms --warm-up 1ms --trials 1 --watchdog 50s'

begin killed.jsonl $hangs
kill -KILL $run
wait $run 2>/dev/null
check "SIGKILL: no process is left" ended $run $child
expect 0 "SIGKILL: the record can be shown" "$twopoint" show killed.jsonl
says stdout 'not complete\|cut' "SIGKILL: it is called incomplete"
is_valid killed.jsonl "SIGKILL: the record is valid as far as it goes"

# with measured trials before the end
begin half.jsonl --queue ring --duration 20ms --warm-up 1ms --trials 1000 --attempts 1000
sleep 1
kill -KILL $run
wait $run 2>/dev/null
check "SIGKILL in mid-run: no process is left" ended $run $child
expect 0 "SIGKILL in mid-run: the record can be shown" "$twopoint" show half.jsonl
says stdout 'ring' "SIGKILL in mid-run: what was measured is there"

# interrupt SIGNAL STATUS: in mid-trial
interrupt() {
	begin $1.jsonl $hangs
	kill -$1 $run
	wait $run 2>/dev/null
	status=$?
	if [ $status = $2 ]; then good "SIG$1: exit status $2"; else bad "SIG$1: exit status $2" "got $status"; fi
	check "SIG$1: no process is left" ended $run $child
	is_valid $1.jsonl "SIG$1: the record is valid"
	says $1.jsonl '"kind":"end","complete":false,"why":"interrupted"' "SIG$1: it says that it was interrupted"
}
interrupt INT 130
interrupt TERM 143

begin twice.jsonl $hangs
kill -INT $run
kill -INT $run 2>/dev/null
wait $run 2>/dev/null
status=$?
check "SIGINT twice: ends at once, with status 130" [ $status = 130 ]
check "SIGINT twice: no process is left" ended $run $child
expect 0 "SIGINT twice: the record can be shown" "$twopoint" show twice.jsonl

# a stopped run finds its trial's deadline passed, and its result ready
begin stopped.jsonl --queue ring --duration 20ms --warm-up 1ms --trials 1000 --attempts 1000
kill -STOP $run
sleep 0.5
kill -CONT $run
sleep 0.5
kill -INT $run
wait $run 2>/dev/null
check "SIGSTOP and SIGCONT: the run goes on, and ends when told to" [ $? = 130 ]
is_valid stopped.jsonl "SIGSTOP and SIGCONT: the record is valid"
says_not stopped.jsonl '"status":"hang"' "SIGSTOP and SIGCONT: no trial is called a hang for it"
checks_end
