# All stamps of a run, written out, give its rates, percentiles and schedules again, in another language.
check_raw=$PWD/bench/tests/raw.py
. bench/tests/checks.sh

run() { expect 0 "$1: a run with its stamps" "$twopoint" run --quiet --warm-up 1ms --trials 1 --attempts 1 --stamps message --out "$1.jsonl" --raw "$1.csv" $2; }
reckons() { check "$1: rates, windows of time, latencies and schedules by the stamps" python3 "$check_raw" "$1.jsonl" "$1.csv"; }

run two '--queue ring --workload stream,pingpong --load closed,open --rate 50k --messages 1000 --batch 4 --work 200ns
	--latency write:read,write:flush,flush:preread,preread:read,intended:read,intended:write,intended:handled,read:handled'
reckons two
says check.log 'places in batches too' "and latencies by place in the batch"
# a sender that stands still in most of its time has no rate
run stood '--queue ring --workload stream --load saturate --capacity 1 --work 100ms --duration 80ms'
reckons stood
run chain '--queue ypipe --workload pipeline --load open --rate 50k --messages 500 --arrival constant,poisson,burst --batch 4'
reckons chain
# a sender that falls behind, and leaves a rest of its schedule unwritten; one that hardly writes at all
run behind '--queue ring --workload stream --load open --rate 100k --arrival constant,poisson --capacity 16 --work 50us --duration 20ms'
check "a part of the schedule was not reached" grep -q '"rate_reached":false' behind.jsonl
reckons behind
run hardly '--queue ring --workload stream --load open --rate 100k --arrival constant --capacity 1 --work 100ms --duration 20ms'
reckons hardly
run several '--queue spin --workload fanin,fanout,mesh --load open --rate 50k --messages 500 --batch 4
	--latency intended:read,intended:write,write:flush,preread:read,write:read'
reckons several

says two.csv '^trial,actor,queue,role,producer,sequence,intended,write,flush,preread,read,handled$' "the first line names the columns"
expect 3 "a file of stamps is never overwritten" "$twopoint" run $short --queue ring --out other.jsonl --raw two.csv
says stderr '\-\-raw: two.csv: File exists' "with the reason"
check "and no record is begun" [ ! -e other.jsonl ]
expect 3 "a folder that there is not is told before anything is measured" "$twopoint" run $short --queue ring --out other.jsonl --raw nowhere/raw.csv
expect 3 "where the record can't be made" "$twopoint" run $short --queue ring --out two.jsonl --raw new.csv
check "no file of stamps is left behind" [ ! -e new.csv ]
expect 3 "a full disk ends the run" sh -c 'ulimit -f 6 && exec "$@"' sh "$twopoint" run --quiet --queue ring --workload stream --stamps message \
	--messages 10k --trials 1 --out full.jsonl --raw full.csv
says stderr 'full.csv: File too large' "with the reason"

# the checker is checked: a stamp that is a tick off, a line that is lost
sed '2s/\(.*,\)\([0-9]*\)\(,[^,]*,[^,]*,[^,]*,[^,]*\)$/\1x\3/; 2s/x/1/' two.csv >off.csv
expect 1 "a stamp that is off is found" python3 "$check_raw" two.jsonl off.csv
sed 3d two.csv >lost.csv
expect 1 "a stamp that is lost is found" python3 "$check_raw" two.jsonl lost.csv
checks_end
