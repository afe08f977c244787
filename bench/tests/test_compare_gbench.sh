#!/bin/sh
# twopoint compare of two results of Google Benchmark.
example=$PWD/results/tests/example.jsonl
. bench/tests/checks.sh

# made FILE TIME: ten repetitions of a benchmark
made() {
	{
		printf '{"context": {"num_cpus": 2},\n"benchmarks": [\n'
		for i in 0 1 2 3 4 5 6 7 8 9; do
			[ $i = 0 ] || echo ,
			printf '{"name": "BM_x/8", "run_name": "BM_x/8", "run_type": "iteration", "real_time": %s.%s, "time_unit": "ns"}' "$2" $i
		done
		printf ']}\n'
	} >"$1"
}
made old.json 100
made slow.json 150

expect 1 "what is slower is a regression" "$twopoint" compare old.json slow.json
says stdout '^BM_x/8 .*+49.8 %.*10/10 slower' "with its row"
says stdout 'Repetitions are of one process' "and what repetitions are"
expect 0 "what is faster is none" "$twopoint" compare slow.json old.json
expect 0 "the same" "$twopoint" compare old.json old.json
expect 0 "a threshold" "$twopoint" compare --threshold 60% old.json slow.json
expect 1 "quiet" "$twopoint" compare --quiet old.json slow.json
check "prints nothing" [ ! -s stdout ]
expect 1 "as JSON" "$twopoint" compare --json old.json slow.json
says stdout '"benchmark": "BM_x/8"' "with its row"
check "is JSON" sh -c '! command -v python3 >/dev/null || python3 -m json.tool <stdout >/dev/null'
head -c 300 old.json >cut.json
expect 3 "half a file is refused" "$twopoint" compare old.json cut.json
says stderr 'cut.json: line [0-9]*, column [0-9]*: ' "with the place"
expect 4 "a record beside it is not comparable" "$twopoint" compare old.json "$example"
says stderr 'nothing in common' "which is told"
expect 2 "--baseline takes a record" "$twopoint" compare old.json --baseline BM_x/8
expect 0 "a record as such a file" "$twopoint" export "$example" --format gbench --out own.json
expect 4 "has too few trials" "$twopoint" compare own.json own.json
says stdout 'too few trials' "and says so"
checks_end
