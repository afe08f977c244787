# Each fault that is planted into the instrument voids the trial, by the check that is there for it.
. bench/tests/checks.sh

# stalls FAULT PATTERN OPTION…: a trial in stall.jsonl whose thread slept when it was meant to, as the pattern tells, and that did not reach its
# rate. On a busy machine the signal may come too early or too late: some times, then.
stalls() {
	fault=$1 pattern=$2; shift 2
	for attempt in 1 2 3 4 5 6; do
		rm -f stall.jsonl
		TWOPOINT_FAULT=$fault "$faulty" run --quiet --queue ring --workload stream --load open --rate 100k --warm-up 1ms --trials 1 --attempts 1 \
			--latency intended:read --out stall.jsonl "$@" >stdout 2>stderr || return 1
		grep -q "$pattern" stall.jsonl && grep -q '"rate_reached":false' stall.jsonl && return 0
	done
	return 1
}
# what a stall at the end holds up was due all the same: 60,000 messages, a sixth of which and more waited for up to 200 ms; who is late has
# 300 ms, three times what the sleeper needs
check "a reader that sleeps at the end is in the latency, and the rate is not reached" stalls sleep-at-end '"p99_ns":\(1[5-9]\|2[0-9]\)[0-9]\{7\}' --duration 600ms
check "all that was due is written" sh -c '[ "$(sed -n "s/.*\"point\":\"intended\",\"messages\":\([0-9]*\).*/\1/p" stall.jsonl)" -ge 59900 ]'
# of a sender that sleeps for longer than what is late is waited for, a quarter of the schedule is never written
check "a sender that sleeps beyond the end did not reach what it never wrote, and the trial says so" stalls sleep-sender '"reached_share":0.[0-8][0-9]*,' --duration 200ms

# so many messages, and not so long a time: on a busy machine none may come to be stamped in 5 ms
how="--quiet --warm-up 1ms --trials 1 --attempts 1 --messages 20k"
# measure FAULT WORKLOAD: in the way that is set, one trial of a ring, or of a queue for several ends, both ends' clocks being one where the
# machine has one CPU
measure() {
	rm -f record.jsonl
	case $2 in fan*|mesh) queue=spin ;; *) queue=ring ;; esac
	TWOPOINT_FAULT=$1 timeout 60 "$faulty" run $how --queue $queue --workload "$2" --out record.jsonl >stdout 2>stderr
}

# voids FAULT WORKLOAD CHECK…: one of these checks, at least, finds it
voids() {
	fault=$1 workload=$2; shift 2
	measure "$fault" "$workload"
	status=$?
	found=
	for audit_check; do
		grep -q "\"check\":\"$audit_check\",\"ok\":false" record.jsonl && found="$found $audit_check"
	done
	if [ $status = 1 ] && grep -q '"status":"invalid"' record.jsonl && grep -q '"valid":false' record.jsonl && [ -n "$found" ]; then
		good "$workload: $fault is found by:$found"
	else
		bad "$workload: $fault voids the trial" "status $status, found by:${found:- nothing}"
	fi
}

# holds_and_fails WORKLOAD FIELD LOAD: without a fault the trial is valid, and tells FIELD; the faults that every load has void it
holds_and_fails() {
	measure none "$1"
	status=$?
	if [ $status = 0 ] && grep -q '"valid":true' record.jsonl && grep -q "\"$2\":" record.jsonl; then
		good "$1$3: without a fault the trial is valid"
	else
		bad "$1$3: without a fault the trial is valid" "status $status: $(grep -o '"why":"[^"]*"' record.jsonl)"
	fi
	is_valid record.jsonl "$1$3: its record is valid"
	voids drop-sample "$1" stamps joined
	voids count-twice "$1" histogram
	voids swap-samples "$1" ascending
	voids shift-batch "$1" joined
}

for workload in stream pingpong fanin fanout mesh pipeline; do
	holds_and_fails $workload latency ''
	voids wrong-rate $workload clock
done
# The same under an open load, and what only that has.
how='--quiet --warm-up 1ms --trials 1 --attempts 1 --messages 300 --load open --rate 100k --work 1us
	--latency intended:read,intended:write,write:read,read:handled'
for workload in stream pingpong fanin fanout mesh pipeline; do
	holds_and_fails $workload saturated ', open load'
	voids rebase-schedule $workload schedule
	voids early-write $workload early
done
# so many messages, and not so long a time: on a busy machine none may come to be stamped in 5 ms
how="--quiet --warm-up 1ms --trials 1 --attempts 1 --messages 20k"
# in a stream, messages may wait longer than the clock is set back
voids skew-clock pingpong 'below zero' light
voids clamp-negative pingpong area

# A queue's faults are found by the loops.
for fault in lose:lost twice:repeated swap:order tear:contents; do
	queue=test-${fault%:*} audit_check=${fault#*:}
	for bytes in 64 200; do
		expect 1 "$queue, $bytes bytes: the run says so" \
			"$faulty" run --quiet --warm-up 1ms --trials 1 --attempts 1 --messages 20k --queue "$queue" --workload stream \
			--batch 8 --message-size $bytes --out "$queue-$bytes.jsonl"
		says "$queue-$bytes.jsonl" "\"check\":\"$audit_check\",\"ok\":false" "$queue, $bytes bytes: found by: $audit_check"
		says "$queue-$bytes.jsonl" "\"why\":\"$audit_check: " "$queue, $bytes bytes: and called so"
		is_valid "$queue-$bytes.jsonl" "$queue, $bytes bytes: the record is valid"
	done
done
for workload in fanin fanout mesh; do
	for fault in lose:lost twice:repeated swap:order; do
		queue=test-${fault%:*}-many audit_check=${fault#*:}
		expect 1 "$queue, $workload: the run says so" \
			"$faulty" run --quiet --warm-up 1ms --trials 1 --attempts 1 --messages 20k --queue "$queue" --workload $workload \
			--batch 8 --out "$queue-$workload.jsonl"
		says "$queue-$workload.jsonl" "\"check\":\"$audit_check\",\"ok\":false" "$queue, $workload: found by: $audit_check"
		says "$queue-$workload.jsonl" "\"why\":\"$audit_check: " "$queue, $workload: and called so"
		says_not "$queue-$workload.jsonl" '"status":"hang"' "$queue, $workload: it ends all the same"
	done
done
expect 1 "a pipeline of a queue that loses messages is invalid" \
	"$faulty" run --quiet --warm-up 1ms --trials 1 --attempts 1 --messages 20k --queue test-lose --workload pipeline --batch 8 --out lost.jsonl
says lost.jsonl '"check":"lost","ok":false' "found by: lost"
check "the ordinary build knows none of these queues" sh -c "! '$twopoint' list queues | grep -q test-"
checks_end
