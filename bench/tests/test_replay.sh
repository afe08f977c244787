# `twopoint replay`: what it prints makes the same cells again, of every workload and load.
. bench/tests/checks.sh

# cells FILE: those of its trials, once each
cells() { sed -n 's/^{"kind":"trial".*"cell":\({.*"latency":\[[^]]*\]}\),"status".*/\1/p' "$1" | sort -u; }

record() { "$twopoint" run $short "$@" >/dev/null 2>&1; }
record --queue ring,ypipe --workload stream,pingpong,pipeline --load saturate,closed,open --window 8 --rate 10k --batch 3 --out a.jsonl
record --queue spin --workload fanin,fanout,mesh --producers 3 --consumers 1,2 --message-size 24 --touch head --wait yield --out b.jsonl
record --queue ring --load open --rate 30%,200k --arrival poisson --work 1us,1.234us --stamps 7 --memory-node 0 --huge-pages try --out c.jsonl
record --queue ring --load open --arrival burst --burst 8 --gap 100us --latency write:read,read:handled --stamps message --out d.jsonl
"$twopoint" run --quiet --trials 1 --attempts 1 --warm-up 1ms --queue mutex,ring --workload stream --place unpinned,same-cpu --messages 5000 \
	--prewrite off --preread off --think 50ns --out e.jsonl >/dev/null 2>&1
for letter in a b c d e; do
	check "$letter.jsonl has cells" [ "$(cells $letter.jsonl | wc -l)" -ge 2 ]
	cells $letter.jsonl >expected
	"$twopoint" replay $letter.jsonl --cell all >commands
	check "$letter.jsonl: a number behind each" sh -c 'sed "s/.* # //" commands >numbers; seq "$(wc -l <commands)" | cmp - numbers'
	: >got
	while read -r command; do
		rm -f again.jsonl
		eval "${command% \#*} --quiet --attempts=1 --out again.jsonl" >log 2>&1
		if [ -e again.jsonl ]; then cells again.jsonl >>got; else bad "$command" "$(few log)"; fi
	done <commands
	sort -u got >got-once
	check "$letter.jsonl: all its cells again, and no others" cmp expected got-once
done

expect 0 "of the whole run" "$twopoint" replay a.jsonl
says stdout "run --quiet --duration 5ms .*--batch 3 --seed=[0-9]*$" "the words, without the record's path, with the seed"
says_not stdout "a.jsonl" "which would be refused"
expect 0 "a cell is measured again" "$twopoint" replay a.jsonl --cell 2 --run
says stdout "^Record: " "with a record of its own"
sed 's/"command":\[[^]]*\]/"command":["twopoint","run","--out=x","--plugin","my queue'"'"'s.so","--raw","y","--seed","3"]/' a.jsonl >odd.jsonl
expect 0 "one cell" "$twopoint" replay a.jsonl --cell 2
says stdout "^$twopoint run " "by the program as it was called"
check "the list has it, and that it is number 2" sh -c '"$1" replay a.jsonl --cell all | grep -qxF "$(cat stdout) # 2"' sh "$twopoint"
sed 's/"command":\["[^"]*"/"command":["\/tmp\/x\/tests"/' a.jsonl >named.jsonl
expect 0 "a record of a program of another name" "$twopoint" replay named.jsonl
says stdout "^twopoint run " "is repeated by twopoint"
expect 0 "odd words" "$twopoint" replay odd.jsonl
says stdout "^twopoint run --plugin 'my queue'\\\\''s.so' --seed 3$" "are quoted for a shell"
sed 's/"plugins":\[[^]]*\]/"plugins":[{"queue":"ypipe","file":"a,b.so"},{"queue":"ring","file":"a,b.so"}]/' a.jsonl >comma.jsonl
expect 0 "a plug-in whose path has a comma" "$twopoint" replay comma.jsonl --cell 1
says stdout " '--plugin=a\\\\,b.so' " "is one plug-in"
expect 2 "a cell that is not there" "$twopoint" replay a.jsonl --cell 99
says stderr "'99' is none of the record's; allowed: 1 to" "is refused with those that are"
expect 2 "cell 0" "$twopoint" replay a.jsonl --cell 0
expect 2 "all can't be run" "$twopoint" replay a.jsonl --cell all --run
expect 3 "no record" "$twopoint" replay README.md
checks_end
