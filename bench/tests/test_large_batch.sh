# A batch that can never be there together, for the queue or the window has no room for it, is as large as that room: the trial looks at the
# clock as often as one of such batches would, and its senders have a rate. And of no thread more CPU time is told than there was time.
. bench/tests/checks.sh

# numbers FIELD: of the trials of the record
numbers() { grep '"kind":"trial"' "$record" | grep -o "\"$1\":[^,}]*" | cut -d : -f 2; }

# none_above MOST FIELD: there are some, each is a number, and at most that. The two clocks may run apart by some hundredths of a percent.
none_above() {
	numbers "$2" >numbers
	awk -v most="$1" '$1 !~ /^[0-9]/ || $1 + 0 > most { bad = 1 } END { exit bad || !NR }' numbers
}

# Of the batch as asked for the first would take a minute, the others longer.
for room in '--capacity 16 --work 1ms' '--capacity 1 --work 10ms' '--load closed --window 1 --work 1ms' \
	'--load open --rate 1k --capacity 16 --work 1ms'; do
	record="batch$(echo "$room" | tr -d ' -').jsonl"
	# shellcheck disable=SC2086 # options each
	expect 0 "ends in time: $room" "$twopoint" run $short --queue ring --workload stream --batch 65536 $room --out "$record"
	is_valid "$record" "it is valid: $room"
	check "of one thread, no more CPU time than time: $room" none_above 1.01 senders_cpu_share
	check "nor of the other: $room" none_above 1.01 others_cpu_share
done

record=fan.jsonl
expect 0 "several senders" "$twopoint" run $quick --trials 2 --queue lanes,spin --workload fanin --producers 3 --capacity 16,64 \
	--batch 65536 --out fan.jsonl
grep '"kind":"trial"' fan.jsonl | grep -o '"batches":[0-9]*,"messages":[0-9]*' | tr -c '0-9\n' ' ' >batches
check "no batch is larger than the capacity" awk '$2 > 64 * ($1 + 1) { bad = 1 } END { exit bad || NR < 16 }' batches
check "no CPU time beyond that of the threads" none_above 3.01 senders_cpu_share
checks_end
