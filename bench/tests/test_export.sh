# `twopoint export`: each format read by other means (export.py), on a fresh record; and what is refused.
reader=$PWD/bench/tests/export.py
example=$PWD/results/tests/example.jsonl
. bench/tests/checks.sh

check "a record to be exported" "$twopoint" run --quiet --trials 3 --duration 20ms --warm-up 2ms --queue ring,mutex,spin --workload stream,pingpong,fanin,pipeline \
	--load closed,open --rate 100k --window 8 --batch 1 --stamps message --out r.jsonl
for format in csv hlog gbench openmetrics; do
	expect 0 "$format" "$twopoint" export r.jsonl --format $format --out x.$format
	"$twopoint" export r.jsonl --format $format 2>/dev/null | cmp -s - x.$format && good "$format: the same on standard output" ||
		bad "$format: standard output differs"
done
expect 0 "hgrm" "$twopoint" export r.jsonl --format hgrm --out hgrm
check "another program reads the same numbers" python3 "$reader" r.jsonl .

# what tables withhold: all of an open load that reached its rate in no trial, and sojourns in a full queue
sed 's/"rate_reached":[a-z]*/"rate_reached":false/; /"load":"closed"/s/"tag":null/"tag":"saturated"/g' r.jsonl >behind.jsonl
expect 0 "hlog of loads that were not reached" "$twopoint" export behind.jsonl --format hlog --out behind.hlog
says stderr "left out: [1-9][0-9]* latencies of saturated loads" "says what it leaves out"
check "it holds none of them" [ "$(grep -c '^Tag=stream' behind.hlog)" = 0 ]
check "nor does hgrm" sh -c '"$1" export behind.jsonl --format hgrm --out behind 2>/dev/null; ! ls behind 2>/dev/null | grep -q ^stream' sh "$twopoint"
"$twopoint" export behind.jsonl --format gbench >behind.gbench
check "gbench: a rate and a latency never have one name" sh -c '! grep "\"name\".*stream.*p50_" behind.gbench && grep -q "\"name\".*stream.*rate_read" behind.gbench'
sed 's/"tag":null/"tag":"saturated"/g; s/"rate_reached":[a-z]*/"rate_reached":false/' r.jsonl >none.jsonl
expect 3 "hgrm of nothing but such" "$twopoint" export none.jsonl --format hgrm --out none
says stderr "no trial that counts has a latency that is not of a saturated load" "which is said"

expect 0 "trials that do not count are rows, too" "$twopoint" export "$example"
says stdout '^2,crash,' "with what became of them"
expect 3 "what is there is not overwritten" "$twopoint" export r.jsonl --out x.csv
says stderr "'x.csv': is there already" "and that is said"
expect 3 "nor is one of many" "$twopoint" export r.jsonl --format hgrm --out hgrm
expect 2 "many distributions want a folder" "$twopoint" export r.jsonl --format hgrm
says stderr '^twopoint: --out: .* has [0-9]* *: name a folder' "which is said"
expect 2 "a format that is none" "$twopoint" export r.jsonl --format xml
says stderr "'xml'.*csv, hgrm, hlog, gbench, openmetrics" "is refused with those that are"
expect 3 "no record" "$twopoint" export README.md
expect 3 "a full disk is told" sh -c '"$1" export r.jsonl >/dev/full' sh "$twopoint"
expect 3 "a folder that can't be made is told" "$twopoint" export r.jsonl --format hgrm --out no/such/folder
LC_ALL=de_DE.UTF-8 "$twopoint" export r.jsonl 2>/dev/null | cmp -s - x.csv && good "a locale changes nothing" || bad "a locale changes the numbers"
checks_end
