# Neither a language in which a comma is the point nor another time zone changes a byte of what is recorded, exported or drawn.
. bench/tests/checks.sh

# one that is installed, or one made here of glibc's sources
comma=
for name in $(locale -a 2>/dev/null | grep -i '^\(de_DE\|fr_FR\|cs_CZ\)'); do
	[ "$(LC_ALL=$name locale decimal_point)" = , ] && comma=$name && break
done
mkdir locales
if [ -z "$comma" ] && localedef -i de_DE -f UTF-8 "$work/locales/de_DE.UTF-8" >/dev/null 2>&1; then
	LOCPATH=$work/locales
	export LOCPATH
	[ "$(LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ] && comma=de_DE.UTF-8
fi
[ -n "$comma" ] || skip "a language in which a comma is the point: none is installed, and its sources are not (Debian: locales)"
here="LC_ALL=C TZ=UTC0" elsewhere="LC_ALL=${comma:-C} LANG=${comma:-C} TZ=XYZ-5:45"

expect 0 "a record to ask of" env $elsewhere "$twopoint" run --quiet --duration 20ms --warm-up 1ms --trials 6 --attempts 6 \
	--queue ring,null --workload stream,pingpong --raw raw.csv --out record.jsonl
is_valid record.jsonl "it is valid"
says_not stdout '[0-9],[0-9]* [nu]s' "its table has points"
check "its stamps have as many columns in each line" awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' raw.csv

before=$(date -u +%Y-%m-%dT%H)
expect 0 "a run" env $elsewhere "$twopoint" run $short --queue ring --workload stream --out when.jsonl
grep -o '"started_utc":"[^"]*"' when.jsonl | head -n 1 >when
after=$(date -u +%Y-%m-%dT%H)
check "its time is that of Greenwich" grep -q -e "\"$before:[0-5][0-9]:[0-5][0-9]Z\"" -e "\"$after:[0-5][0-9]:[0-5][0-9]Z\"" when
mkdir there
before=$(date -u +%Y%m%dT%H)
(cd there && env $elsewhere "$twopoint" run $short --queue ring --workload stream >/dev/null 2>&1)
ls there >names
check "and so is that of its name" grep -q -e "^$before" -e "^$(date -u +%Y%m%dT%H)" names

# same NAME COMMAND…: prints the same, and makes the same files in `made`
same() {
	name=$1; shift
	for place in here elsewhere; do
		rm -rf made $place.made
		eval "setting=\$$place"
		env $setting "$twopoint" "$@" >$place.stdout 2>$place.stderr
		echo $? >>$place.stdout
		[ ! -e made ] || mv made $place.made
	done
	check "$name prints the same" cmp here.stdout elsewhere.stdout
	[ ! -e here.made ] || check "$name makes the same" diff -r here.made elsewhere.made
	[ "$(tail -n 1 here.stdout)" != 2 ] || bad "$name is done at all" "$(few here.stderr)"
}
same "show" show record.jsonl
same "compare" compare record.jsonl --baseline ring
same "compare --json" compare record.jsonl --baseline ring --json
for format in csv gbench openmetrics hlog hgrm; do
	same "export --format $format" export record.jsonl --format $format --out made
	check "export --format $format is there" [ -e here.made ]
done
same "replay" replay record.jsonl --cell all
same "a plan" run --queue ring --dry-run --json --seed 1 --work 1.5us --until 0.5%
same "what is there" list placements
if command -v gnuplot >/dev/null; then
	same "plot" plot record.jsonl --out made
	check "plot has figures, data and scripts" sh -c 'ls here.made/*.svg here.made/*.tsv here.made/*.gp'
	same "plot on the terminal" plot record.jsonl --term dumb --figure rate --out made
	same "report" report record.jsonl --out made
fi
checks_end
