# A queue as a shared object is measured as a built-in one is; whatever is wrong with one is told, and takes nothing along.
source=$PWD/bench/tests/plugins/slot.c variant=$PWD/bench/tests/plugins/variant.c
hotpath=$PWD/queues/tests/hotpath.sh cold_calls=$PWD/bench/tests/cold_calls.txt
. bench/tests/checks.sh

include=$("$twopoint" --include)
check "the headers' folder is there" [ -r "$include/twopoint/plugin.h" ]

cp -r "$include" other-abi
sed 's/^#define PLUGIN_ABI .*/#define PLUGIN_ABI 999u/' "$include/twopoint/plugin_abi.h" >other-abi/twopoint/plugin_abi.h
cp -r "$include" other-headers
sed 's/^#define PLUGIN_HEADERS .*/#define PLUGIN_HEADERS 1u/' "$include/twopoint/plugin_flags.h" >other-headers/twopoint/plugin_flags.h

# Those with a mistake that needs loops of its own: a file and its options a line, two at a time. The loops are not what they are about, and
# are compiled without optimisation, but for those of the first.
xargs -P 2 -L 1 sh -c 'source=$0 file=$1; shift; exec cc -fPIC "$@" "$source" -o "$file" 2>"$file.log"' \
	"$source" <<END || bad "compiling" "$(cat ./*.log | head -n 3)"
hot.o -c -I$include
varied.o -c -DTWOPOINT_OWN_FLAGS -DSLOT_VARIED -I$include
other.so -shared -DTWOPOINT_OWN_FLAGS -DPLANT_NO_HEADER -I$include
table.so -shared -DTWOPOINT_OWN_FLAGS -DPLANT_NO_TABLE -I$include
flush.so -shared -DTWOPOINT_OWN_FLAGS -DPLANT_NO_FLUSH -I$include
sleep.so -shared -DTWOPOINT_OWN_FLAGS -DPLANT_SLEEP_MISSING -I$include
contract.so -shared -DTWOPOINT_OWN_FLAGS -DPLANT_OTHER_CONTRACT -I$include
traits.so -shared -DTWOPOINT_OWN_FLAGS -DPLANT_CONTRADICTION -I$include
sizes.so -shared -DTWOPOINT_OWN_FLAGS -fshort-enums -I$include
abi.so -shared -DTWOPOINT_OWN_FLAGS -Iother-abi
headers.so -shared -DTWOPOINT_OWN_FLAGS -Iother-headers
END
# vary FILE OPTION…: what needs none
vary() { file=$1; shift; cc -shared -fPIC "$@" "$variant" varied.o -o "$file" 2>cc.log || bad "compiling $file" "$(few cc.log)"; }
vary footprint.so -DPLANT=CRASH_IN_FOOTPRINT
vary great.so -DPLANT=GREAT_FOOTPRINT
vary swap.so -DPLANT=SWAP
vary crash.so -DPLANT=CRASH
vary hang.so -DPLANT=HANG
vary destroy.so -DPLANT=HANG_IN_DESTROY
vary leave.so -DPLANT=EXIT_IN_DESTROY
measure() { timeout -k 1 60 "$twopoint" run $short --workload stream "$@"; }
count() { grep -c "\"queue\":\"$2\".*\"status\":\"$3\"" "$1"; }
field() { sed -n "s/.*\"plugins\":\[{[^]]*\"$2\":\([^,}]*\).*/\1/p" "$1"; }

# one that is well: by the one command, in C and in C++
for language in c c++; do
	compiler=cc
	[ $language = c ] || compiler=g++
	command -v $compiler >/dev/null || { skip "$compiler is not installed"; continue; }
	check "$compiler: compiled without a word" \
		sh -c "$compiler -shared -fPIC -Wall -Wextra -Werror -x $language '-I$include' '$source' -o slot.so"
	rm -f good.jsonl
	expect 0 "$compiler: measured" "$twopoint" run $quick --trials 2 --workload stream,pingpong --plugin ./slot.so --queue ring,slot \
		--message-size 8,64 --out good.jsonl
	is_valid good.jsonl "$compiler: the record is valid"
	# two of each of its four cells, or more where the line moved
	check "$compiler: as often as was asked for" [ "$(count good.jsonl slot ok)" -ge 8 ]
	check "$compiler: the record says which file" [ "$(field good.jsonl file)" = "\"$work/slot.so\"" ]
	check "$compiler: and by which compiler" [ "$(field good.jsonl compiler | cut -c 1-4)" = '"gcc' ] || cc --version | grep -q clang
done
if [ "$(uname -m)" = x86_64 ] && cc --version | grep -q 'Free Software Foundation' && command -v objdump >/dev/null; then
	# the loops are optimised and call nothing, though the command line says not a word of it
	check "its loops call nothing" sh "$hotpath" --allow "$cold_calls" hot.o
	check "the record calls it optimised" [ "$(field good.jsonl optimised)" = true ]
fi
exported=$(nm -D --defined-only "$twopoint" | sed 's/.* //')
for function in $(cat "$cold_calls"); do
	check "$function is there for plug-ins to call" sh -c "echo '$exported' | grep -qx $function"
done

expect 0 "list queues shows it" "$twopoint" list queues --plugin slot.so
says stdout '^slot .* one message$' "with its line"
expect 0 "a plan has it, wherever the option stands" "$twopoint" run --dry-run --queue slot --plugin slot.so
expect 0 "all queues are planned, and it with them" "$twopoint" run --dry-run --plugin slot.so
says stdout '^slot ' "it is among all"
says stdout '^ring ' "among all"
printf '[defaults]\nplugin = ./slot.so\ntrials = 1\n[mine]\nqueue = slot, ring\nworkload = stream\n' >mine.ini
expect 0 "a suite has it" "$twopoint" run $quick mine.ini --out suite.jsonl
check "and it is measured" [ "$(count suite.jsonl slot ok)" -ge 1 ]
expect 2 "a name that no plug-in has is refused" "$twopoint" run --plugin slot.so --queue slit
says stderr "did you mean 'slot'" "with the nearest, which may be a plug-in's"
printf '[mine]\nqueue = slit\n' >wrong.ini
expect 2 "in a suite, too" "$twopoint" run --plugin slot.so wrong.ini
says stderr "\[mine\]: queue: 'slit' is no queue" "with the section"
vary twin.so '-DNAME="twin"'
expect 0 "several at once" "$twopoint" run $short --workload stream --plugin slot.so --plugin twin.so --queue slot,twin \
	--out several.jsonl
check "are measured" [ "$(count several.jsonl slot ok)$(count several.jsonl twin ok)" = 11 ]
if cc --version | grep -q 'Free Software Foundation'; then
	says stderr 'twin.so: compiled without optimisation' "one without optimisation is warned of"
	says several.jsonl '"optimised":false' "and the record says so"
	# another compiler than the program's own is given no instructions beyond the least, and that may be warned of
	case $("$twopoint" --version) in
	*", gcc $(cc -dumpversion | cut -d. -f1)."*) says_not stderr 'slot.so' "the other one is not" ;;
	*) says_not stderr 'slot.so: compiled without optimisation' "the other one is not" ;;
	esac
fi

# refused PLUGIN PATTERN NAME: before anything is measured
refused() {
	expect 3 "$3: refused" "$twopoint" run $short --plugin "$1" --queue ring --out refused.jsonl
	says stderr "$1: .*$2" "$3: with the reason"
	check "$3: in one line" [ "$(wc -l <stderr)" = 1 ]
	check "$3: nothing is recorded" [ ! -e refused.jsonl ]
	rm -f refused.jsonl
}
echo "no shared object" >text.so
refused ./missing.so 'No such file' "a file that is not there"
refused ./text.so 'file too short\|invalid ELF header' "one that is no shared object"
refused "$work" 'no file' "a folder"
refused ./other.so 'exports no twopoint_plugin' "one that is no plug-in"
echo 'void nowhere(void); void (*const needs)(void) = nowhere;' >lacking.c
cc -shared -fPIC lacking.c -o lacking.so
refused ./lacking.so 'undefined symbol: nowhere' "one that lacks a function"
vary clash.so '-DNAME="ring"'
refused ./clash.so "named 'ring' as a built-in" "a built-in queue's name"
cp slot.so again.so
expect 3 "the same name twice: refused" "$twopoint" run $short --plugin slot.so,again.so --queue ring --out refused.jsonl
says stderr "again.so: .*named 'slot' as that of slot.so" "the same name twice: with the reason"
vary name.so '-DNAME="my queue, 2"'
refused ./name.so "'my queue, 2' is none" "a name that can't be one"
vary all.so '-DNAME="all"'
refused ./all.so "named 'all', which means something else" "a word with a meaning of its own"
vary summary.so '-DSUMMARY="two\nlines"'
refused ./summary.so 'not one line' "a summary of two lines"
refused ./table.so 'contract 0' "one without a table"
refused ./flush.so 'flush is missing' "an incomplete table"
refused ./sleep.so 'sleep is missing' "a table that lacks what the traits announce"
refused ./contract.so 'contract 2' "another contract"
refused ./traits.so 'messages of 16 to 8' "traits that contradict themselves"
refused ./sizes.so 'other sizes' "another layout"
refused ./abi.so 'version 999 of plug-ins' "another version"
refused ./headers.so 'headers of another twopoint' "other headers"
vary load-crash.so -DPLANT_CRASH_ON_LOAD
refused ./load-crash.so 'crashes while it is loaded: signal' "a crash on load"
vary load-hang.so -DPLANT_HANG_ON_LOAD
refused ./load-hang.so 'hangs while it is loaded' "a hang on load"
vary load-exit.so -DPLANT_EXIT_ON_LOAD
refused ./load-exit.so 'ends its process while it is loaded' "an exit on load"
expect 3 "a crash when asked for its footprint" "$twopoint" run $short --plugin footprint.so --queue ring,slot --out refused.jsonl
says stderr 'crashes when asked for its footprint' "with the reason"
expect 0 "one that needs too much is left out" "$twopoint" run $short --workload stream --plugin great.so --queue ring,slot \
	--out great.jsonl
says great.jsonl '"reason":"slot: needs ' "with the reason"
check "and only it" [ "$(count great.jsonl ring ok)$(count great.jsonl slot ok)" = 10 ]
expect 3 "list queues refuses what does not fit" "$twopoint" list queues --plugin ./flush.so

# check: in processes of its own, too
expect 0 "a right one passes the checks" "$twopoint" check --quiet --plugin slot.so
says stdout '^slot  *passed' "it alone is checked"
check "and no other" [ "$(wc -l <stdout)" = 2 ]
expect 2 "an unknown queue is not checked" "$twopoint" check --quiet --plugin slot.so --queue slit
says stderr "did you mean 'slot'" "with the nearest"
for plant in swap crash hang; do
	expect 1 "$plant: fails the checks" "$twopoint" check --quiet --watchdog 1s --plugin ./$plant.so --queue slot,ring --checks stress
	says stdout '^slot  *failed' "$plant: it has failed"
	says stdout '^ring  *passed' "$plant: the other one is checked still"
	says stderr "again: twopoint check --plugin ./$plant.so --queue slot --checks stress" "$plant: with what repeats it"
done
"$twopoint" check --quiet --watchdog 1s --plugin ./destroy.so --checks conformance >stdout 2>stderr &
run=$! tries=0
while ! grep -q 'hangs: no end' stderr && [ $tries -lt 600 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
check "a failure is told when it is found, while others are still looked for" kill -0 $run
check "the first one" [ "$(grep -c 'hangs: no end' stderr)" = 1 ]
wait $run
check "one that hangs in each check fails" [ $? = 1 ]
says stderr 'hangs: no end within 6 s' "with the reason"
says stderr 'conformance: [1-9][0-9]* more of them not run, since 2 had to be ended' "and is not waited for in all of them"
expect 1 "one that ends the process as if all were well fails" "$twopoint" check --quiet --plugin ./leave.so --checks conformance,stress
says stdout '^slot  *failed' "it has failed"
says stderr 'stress: .*: its process ended itself, with status 0' "with the reason"
expect 3 "check refuses what does not fit" "$twopoint" check --quiet --plugin ./flush.so
says stderr '^twopoint: --plugin: ./flush.so: .*flush is missing' "with the reason"

# in a trial: recorded, and the run goes on
for plant in crash:crash hang:hang swap:invalid; do
	status=${plant#*:} plant=${plant%:*}
	expect 1 "one with a trial that ends so: $status" "$twopoint" run $short --workload stream --watchdog 2s --plugin $plant.so \
		--queue ring,slot --out $status.jsonl
	check "$status: recorded as that" [ "$(count $status.jsonl slot $status)" = 1 ]
	check "$status: the other queue is measured" [ "$(count $status.jsonl ring ok)" = 1 ]
	is_valid $status.jsonl "$status: the record is valid"
done
vary print.so -DPLANT_PRINT
expect 0 "one that prints is measured" "$twopoint" run $short --workload stream --plugin print.so --queue slot --out print.jsonl
is_valid print.jsonl "its words are not in the record"
check "which has the one trial" [ "$(grep -c '"kind":"trial"' print.jsonl)" = 1 ]
vary change.so "-DPLANT_CHANGE=\"$work/change.so\""
expect 3 "one that changes while the run goes on ends it" "$twopoint" run $quick --trials 3 --workload stream --plugin change.so \
	--queue slot --out change.jsonl
says stderr 'has changed since it was first looked at' "with the reason"

checks_end
