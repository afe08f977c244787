# `twopoint report`: pages read by Python's parser, and opened in headless Chromium where there is one; and what is refused.
tests=$PWD/bench/tests
example=$PWD/results/tests/example.jsonl
. bench/tests/checks.sh

# page NAME RECORD…: NAME.html
page() {
	made=$1; shift
	expect 0 "a page of $made" "$twopoint" report "$@" --out "$made.html"
	check "$made: well-formed, and whole by itself" python3 "$tests/report.py" "$made.html"
}

check "a record to be reported" "$twopoint" run --quiet --trials 2 --duration 5ms --warm-up 1ms --queue ring --workload stream,pingpong \
	--load closed,saturate --window 8 --batch 1,8 --capacity 64,65536 --stamps message --out r.jsonl
check "one of an open load, its rows being the widest" "$twopoint" run --quiet --trials 2 --duration 5ms --warm-up 1ms --queue ring,mutex \
	--workload stream --load open --rate 100k,200k --latency write:read,intended:read --out few.jsonl
check "with a name that is long" sed 's/"queue": *"mutex"/"queue":"a-mutex-OF-A-NAME-as-long-as-they-come"/' few.jsonl -i
mv few.jsonl open.jsonl
page open open.jsonl
check "records made of the first" python3 "$tests/report_records.py" r.jsonl
for queues in 1 8 30 hostile; do
	is_valid $queues.jsonl "$queues: the record is one"
	page $queues $queues.jsonl
done
page example "$example"
page several r.jsonl "$example"
says several.html 'id="r2-fastest"' "each record has its answers"
says hostile.html 'run &#39;q&lt;/script&gt;.* --seed=[0-9]' "what repeats it is told as a shell takes it, with its seed"
says_not hostile.html 'there.jsonl' "but for where it was recorded"
says r.jsonl '"run_delay_ns"' "what the system took is in the record"
says 1.html 'in half of [0-9]* trials [0-9.]* % of the time or less' "and on the page"

head -n 1 r.jsonl >none.jsonl
page none none.jsonl
says none.html "No trial was measured" "of a record without trials it is said"
expect 0 "a page where nothing else is said" "$twopoint" report r.jsonl
check "has the record's name" [ -s r.html ]
expect 3 "what is there is not overwritten" "$twopoint" report r.jsonl
says stderr "'r.html': is there already" "and that is said"
expect 3 "no record" "$twopoint" report r.jsonl nothing.jsonl --out no.html
check "leaves no page" [ ! -e no.html ]
expect 2 "a record is wanted" "$twopoint" report
LC_ALL=de_DE.UTF-8 "$twopoint" report r.jsonl --out german.html 2>/dev/null
cmp -s r.html german.html && good "a locale changes nothing" || bad "a locale changes the page"

mkdir empty
expect 3 "without gnuplot" env PATH="$work/empty" "$twopoint" report r.jsonl --out bare.html
says stderr 'no gnuplot' "that is said"
says bare.html 'was not drawn: there is no gnuplot' "on the page, too"
check "which is there all the same" python3 "$tests/report.py" bare.html
expect 3 "where the disk is full" sh -c 'trap "" XFSZ; ulimit -f 1; exec "$@"' sh "$twopoint" report "$example" --out full.html
check "no half page stays" [ ! -e full.html ]

if command -v chromium >/dev/null; then
	check "in a browser nothing complains, overlaps or is cut, and all that is to be pressed works" \
		timeout 300 python3 "$tests/report_browser.py" "$work/1.html" "$work/8.html" "$work/30.html" "$work/hostile.html" \
		"$work/several.html" "$work/open.html"
else
	skip "no chromium: pages were not opened"
fi
checks_end
