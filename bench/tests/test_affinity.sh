# The CPUs that a run uses are those it may use, it says which, and what can't be had ends it cleanly.
. bench/tests/checks.sh

command -v taskset >/dev/null || { skip "all of it: no taskset"; expect 0 "threads may be left to the scheduler, on purpose" "$twopoint" run $short --queue ring --workload stream --place unpinned --out left.jsonl
says left.jsonl '"place":"unpinned".*"pinned":false' "and then the record says so"
says_not left.jsonl '"pinned":true' "of each actor"
is_valid left.jsonl "it is valid"
checks_end; }

allowed=$(taskset -cp $$ | sed 's/.*: //')
first=$(echo "$allowed" | sed 's/[-,].*//') last=$(echo "$allowed" | sed 's/.*[-,]//')

expect 0 "one CPU alone is enough for all queues and workloads" \
	taskset -c "$first" "$twopoint" run $short --batch 1,16 --out one.jsonl
is_valid one.jsonl "its record is valid"
says one.jsonl "\"place\":\"same-cpu\",\"cpus\":\[$first,$first\]" "it names the place and the CPU"
says_not one.jsonl '"status":"\(hang\|crash\|invalid\)"' "every trial is good"
expect 0 "one CPU alone is enough for all ways of waiting" taskset -c "$first" "$twopoint" run $short \
	--queue ring,ypipe --wait spin,yield,park,eventfd,adaptive --out waits.jsonl

many='--queue spin,mutex,ring --workload fanin,fanout,mesh,pipeline'
expect 0 "one CPU alone is enough for several that share a queue, and for a pipeline" \
	taskset -c "$first" "$twopoint" run $short $many --batch 8 --wait auto,spin,yield,eventfd,adaptive --out many.jsonl
is_valid many.jsonl "their record is valid"
says_not many.jsonl '"status":"\(hang\|crash\|invalid\)"' "every trial is good"
says_not many.jsonl '"wait":"spin"' "and nobody spins there"
expect 0 "a closed load, for all of them" \
	taskset -c "$first" "$twopoint" run $short $many --load closed --window 3 --wait yield,park --out closed.jsonl
says_not closed.jsonl '"status":"\(hang\|crash\|invalid\)"' "every trial is good"
expect 0 "more actors than CPUs, with all switches" "$twopoint" run $short $many --producers 3 --consumers 3 --stages 5 --batch 8 \
	--prewrite on,off --preread on,off --out switches.jsonl
is_valid switches.jsonl "their record is valid"
says_not switches.jsonl '"status":"\(hang\|crash\|invalid\)"' "every trial is good"

expect 0 "another CPU alone will do" taskset -c "$last" "$twopoint" run $short --queue ring --out other.jsonl
says other.jsonl "\"allowed_cpus\":\[$last\]" "it is the only one allowed"
says other.jsonl "\"cpus\":\[$last,$last\]" "and it is the one used"
says_not other.jsonl '"pinned":false' "every actor is pinned"

expect 3 "a CPU that there is not is refused" "$twopoint" run $short --queue ring --cpus "$first,99999" --out none.jsonl
says stderr "99999.*$first" "with its number and those allowed"
check "and nothing is recorded" [ ! -e none.jsonl ]
if [ "$first" != "$last" ]; then
	expect 3 "a CPU outside of the mask is refused" \
		taskset -c "$first" "$twopoint" run $short --queue ring --cpus "$first,$last" --out none.jsonl
	says stderr "CPU $last" "with its number"
else
	skip "a CPU outside of the mask: there is one CPU"
fi

# the kernel as strace makes it answer
if command -v strace >/dev/null && strace -f -o /dev/null true 2>/dev/null; then
	run="$twopoint run $short --queue ring --workload stream"
	export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # which it can't do under strace

	expect 3 "a pin that fails ends the run" \
		strace -f -o /dev/null -e inject=sched_setaffinity:error=EINVAL $run --out pin.jsonl
	says stderr 'cannot pin to CPU .* allowed:' "naming the CPU and those allowed"
	is_valid pin.jsonl "with a valid record"
	says pin.jsonl '"complete":false' "that is not complete"
	says_not pin.jsonl '"kind":"trial"' "and has no trial"
	expect 0 "unless that was allowed" \
		strace -f -o /dev/null -e inject=sched_setaffinity:error=EINVAL $run --allow-unpinned --out unpinned.jsonl
	says unpinned.jsonl '"pinned":false' "and then the record says unpinned"
	says_not unpinned.jsonl '"pinned":true' "of each actor"
	says stdout 'unpinned' "and so does the table"
	expect 3 "a thread that can't be started ends the run, and nobody waits for it" \
		strace -f -o /dev/null -e inject=clone3:error=EAGAIN:when=2 $run --out thread.jsonl
	says stderr 'starting a thread failed' "with the reason"
	expect 0 "a kernel that needs a larger mask gets it" \
		strace -f -o /dev/null -e inject=sched_getaffinity:error=EINVAL:when=1 $run --out mask.jsonl
else
	skip "pins and threads that fail: no strace"
fi
checks_end
