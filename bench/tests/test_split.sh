# Where several share a queue, too, the parts of a message's way add up to the whole of it: the sums are of the same readings.
. bench/tests/checks.sh

expect 0 "measured at each point" "$twopoint" run $short --queue mpmc-ring,mutex-batch --workload fanin,mesh --load closed --batch 8 \
	--stamps message --latency write:flush,flush:preread,preread:read,write:read --out split.jsonl
says stdout 'from write at all senders to flush at all senders' "each point is at its side"
is_valid split.jsonl "the record is valid"

# mean FROM TO: of all together, in the trial on stdin
mean() { sed -n "s/.*\"from\":{\"actor\":null,\"queue\":0,\"point\":\"$1\"},\"to\":{\"actor\":null,\"queue\":0,\"point\":\"$2\"}[^}]*\"mean_ns\":\([0-9.]*\).*/\1/p"; }
trials=0
grep '"kind":"trial"' split.jsonl >trials
while read -r trial; do
	trials=$((trials + 1))
	for pair in write:flush flush:preread preread:read write:read; do
		echo "$trial" | mean ${pair%:*} ${pair#*:}
	done >means
	# each is told to a tenth
	check "trial $trials: the parts add up: $(paste -s -d ' ' means)" \
		awk '{ mean[NR] = $1 } END { rest = mean[1] + mean[2] + mean[3] - mean[4]; exit !(NR == 4 && rest < 0.3 && rest > -0.3) }' means
done <trials
check "all four cells" [ $trials = 4 ]
checks_end
