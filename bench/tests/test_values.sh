# Each option, each key of a suite and each environment variable: a good value is taken, a bad one is refused by a line that names where it
# was given, the value, and what is allowed. An option without a row here is a failure, and so is a variable that the sources read.
. bench/tests/checks.sh
sources=$OLDPWD

# a trial that moved, or stood still for half of its time, has no place in a figure: of four one will have
expect 0 "a record to ask of" "$twopoint" run --quiet --duration 40ms --warm-up 1ms --trials 4 --attempts 4 --queue ring,null \
	--workload stream,pingpong --out record.jsonl
expect 0 "a history to ask of" "$twopoint" history add record.jsonl --db kept.db

# COMMAND OPTION|good values, each alone|bad values, each alone ("": none at all)|what a refusal says, if not "allowed: "; %: or
# Of a flag: no values.
cat >rows <<'END'
run --queue|ring ring,null|rign ring,,null ""|list queues%allowed: 
run --workload|stream stream,pingpong,fanin,fanout,mesh,pipeline|streem stream, STREAM|
run --load|saturate open closed|shut|
run --rate|1 2M 50%|0 x 1e6 0% 10001% -1 200G|
run --arrival|constant poisson burst|often|
run --burst|1 1k|0 x 2M 1.5|
run --gap|1ns 10us|0 10 -1us 2us3 61min|
run --window|1 64,1k|0 x 0x10|
run --batch|1 1,8,65536|0 x 65537 1.5 -1 1,,2|
run --message-size|8 24,64,1Ki|7 x 2Mi 1e99 8.5|
run --touch|all head|some|
run --work|0 500ns|x 5 2s -1ns|
run --think|0 500ns|x 5 2s|
run --capacity|1 64,1k|0 x 1.5 1Ki|
run --producers|1 2,15|0 x 16|
run --consumers|1 2,15|0 x 16|
run --stages|3 4,16|2 x 17|
run --prewrite|on on,off|yes|
run --preread|on on,off|no|
run --place|nearest unpinned same-cpu|next-door ,|
run --cpus|0,0|0 x 0,x 0,99999|allowed: %CPUs that may be used: 
run --wait|auto spin yield,park,eventfd,adaptive|sleep|
run --memory-node|producer consumer,0|nobody 65536 -1|
run --huge-pages|no try|yes|
run --duration|1us 1.5ms 2min|0 10 x 2d 1ns|
run --messages|1 10k|0 x 1e99 -1|
run --warm-up|0 10ms|x 10 2h|
run --stamps|none batch message 16|1.5 x 0|
run --latency|write:read write:flush,intended:read|x write write:x write:write read:write read:read,read:read|allowed: %two different%a message passes
run --trials|1 100|0 x 1.5 1e3 99999999999999999999|
run --until|2% 0.5%|2 x 0% 101%|
run --attempts|10 1000|0 x 9|
run --time-budget|1s 90min|0 x 5|
run --seed|0 42|x -1 1.5 99999999999999999999|
run --watchdog|1ms 10s|0 x 10 2h3|
run --max-memory|64Mi 1G|0 x 1.5|
run --allow-unpinned|||
run --out|none.jsonl|""|
run --raw|none.csv|""|
run --quiet|||
run --dry-run|||
run --plugin||no-such.so ""|No such file%allowed: 
run --json|||
run --help|||
run --version|||
check --queue|null ring,null|rign ,|list queues%allowed: 
check --checks|conformance|x conformance,|
check --stress|1|0 x|
check --seed|0 7|x -1|
check --case|1|0 x|
check --watchdog|1s 10s|0 x 10 999ms|
check --plugin||no-such.so|No such file
check --quiet|||
check --json|||
list --plugin||no-such.so|No such file
list --json|||
topo --matrix|||
topo --watch|1ms|0 x 10 2h|
topo --max-time|1ms|0 x 10|
topo --term|svg png pdf dumb|jpeg|
topo --out|figures|""|
topo --json|||
doctor --duration|10ms|0 x 10|
doctor --json|||
compare --baseline|ring|rign|allowed, those of record.jsonl: 
compare --threshold|0 5% 0.1%|x 5 101%|
compare --ignore-regime|||
compare --quiet|||
compare --json|||
plot --figure|rate rate,latency|nothing rate,|
plot --list|||
plot --term|svg dumb|jpeg|
plot --out|figures|""|
report --out|report.html|"" no/such/folder.html record.jsonl|allowed: %No such file%nothing is overwritten
export --format|csv hgrm hlog gbench openmetrics|xml|
export --out|exported|"" no/such/folder record.jsonl|allowed: %No such file%nothing is overwritten
history --db|kept.db|""|
history --queue|ring ring,null|,|
history --cell|1 1,2|0 x 1,|
history --threshold|0 5% 0.1%|x 5 101%|
history --term|svg dumb|jpeg|
history --out|figures|""|
history --json|||
replay --cell|1 2 all run|0 x 4 -1|
replay --run|||
* --help|||
* --version|||
* --include|||
* --cflags|||
END

# around COMMAND OPTION VALUE: what else the command needs to be done with soon, and to measure nothing where that can be had
around() {
	case "$1 $2 $3" in
	'run --dry-run '*) echo '--queue ring' ;;
	'run --plugin '* | 'run --queue '*) echo '--dry-run' ;;
	# shares of one side's size and of both ends: a cell must be left
	'run --producers '*) echo '--dry-run --queue mutex --workload fanin --consumers 1' ;;
	'run --consumers '*) echo '--dry-run --queue mutex --workload fanout --producers 1' ;;
	'run --gap '*) echo '--dry-run --queue ring --load open --workload stream --arrival burst --burst 1' ;;
	'run --burst '*) echo '--dry-run --queue ring --load open --workload stream --arrival burst' ;;
	'run --stages '*) echo '--dry-run --queue ring --workload pipeline' ;;
	'run --rate '* | 'run --latency '* | 'run --arrival '*) echo '--dry-run --queue ring --load open --workload stream --duration 2s' ;;
	'run --window '*) echo '--dry-run --queue ring --load closed --workload stream' ;;
	'run --preread '* | 'run --prewrite '*) echo '--dry-run --queue ring --workload stream' ;;
	run*) echo '--dry-run --queue ring' ;;
	'check --checks '*) echo '--quiet --queue null' ;;
	'check --queue '*) echo '--quiet --checks conformance' ;;
	'check --plugin '*) echo '--quiet' ;;
	'check --case '*) echo '--quiet --queue null --checks stress' ;;
	'check --quiet '*) echo '--queue null --checks conformance' ;;
	check*) echo '--quiet --queue null --checks conformance' ;;
	'list --plugin '*) echo queues ;;
	list*) echo placements ;;
	'history --term '* | 'history --out '*) echo 'plot --db kept.db' ;;
	'history --db '*) ;;
	history*) echo '--db kept.db' ;;
	'topo --matrix '* | 'topo --out '* | 'topo --term '*) echo '--max-time 1ms' ;;
	'doctor --json '*) echo '--duration 10ms' ;;
	'compare --baseline '*) echo record.jsonl ;;
	compare*) echo 'record.jsonl record.jsonl' ;;
	'plot --list '*) ;;
	'plot --out '*) echo 'record.jsonl --figure rate' ;;
	plot*) echo 'record.jsonl --out drawn' ;;
	'export --format hgrm' | 'export --format hlog') echo 'record.jsonl --out exported.folder' ;;
	'export '* | report* | replay*) echo record.jsonl ;;
	esac
}

# asked WHERE VALUE ALLOWED: the refusal that stands in stderr names all three, in one line; of a list it may name the wrong item alone
asked() {
	[ "$(wc -l <stderr)" = 1 ] && grep -q -F -e "$1" stderr && grep -q -e "$3" stderr || return 1
	[ -z "$2" ] || grep -q -F -e "'$2'" -e " $2: " -e "'${2##*,}'" -e "CPU ${2##*,} " stderr
}

# taken ARGUMENT…: done, or not for the lack of trials alone
taken() {
	name="$* is taken"
	timeout -k 1 60 "$twopoint" "$@" >stdout 2>stderr
	got=$?
	case $got in
	0) good "$name" ;;
	4) case $1 in compare) good "$name" ;; *) bad "$name" "status 4: $(few stderr)" ;; esac ;; # so few trials have no verdict
	*) bad "$name" "status $got: $(few stderr)" ;;
	esac
}
refused() { # WHERE VALUE ALLOWED ARGUMENT…
	where=$1 value=$2 allowed=$3; shift 3
	timeout -k 1 60 "$twopoint" "$@" >stdout 2>stderr
	got=$?
	name="$where '$value' is refused"
	case $got in
	2 | 3) if asked "$where" "$value" "$allowed"; then good "$name"; else bad "$name" "without naming all of it: $(few stderr)"; fi ;;
	*) bad "$name" "status $got: $(few stderr)" ;;
	esac
}

# suite_key OPTION VALUE: a suite that has it, its line 2
suite_key() { printf '[defaults]\n%s = %s\n[a]\n' "${1#--}" "$2" >key.ini; }

in_suites=
while IFS='|' read -r where good bad allowed; do
	command=${where% *} option=${where##* }
	[ "$command" != '*' ] || command=
	allowed=$(echo "$allowed" | sed 's/%/\\|/g')
	allowed=${allowed:-allowed: }
	if [ -z "$good$bad" ]; then
		taken $command $option $(around "$command" $option '')
		rm -rf exported drawn report.html
		refused "$option" yes "allowed: $option alone" $command $option=yes
	fi
	for value in $good; do
		taken $command $option $value $(around "$command" $option $value)
		rm -rf exported exported.folder report.html
	done
	for value in $bad; do
		[ "$value" != '""' ] || value=
		refused "$option" "$value" "$allowed" $command "$option=$value" $(around "$command" $option "$value")
	done
	[ "$command" = run ] || continue

	# the same as a key
	case $option in
	--out | --raw | --quiet | --dry-run | --json | --help | --version)
		suite_key $option yes
		refused "key.ini:2: '${option#--}'" '' 'command line' run --dry-run ./key.ini
		continue
		;;
	--allow-unpinned) good='yes no' bad=maybe allowed='allowed: yes, no' ;;
	esac
	in_suites="$in_suites ${option#--}"
	for value in $good; do
		suite_key $option $value
		taken run --dry-run ./key.ini $(around run $option $value | sed 's/--dry-run//')
	done
	for value in $bad; do
		[ "$value" != '""' ] || value=
		suite_key $option "$value"
		refused "${option#--}" "$value" "$allowed" run --dry-run ./key.ini $(around run $option "$value" | sed 's/--dry-run//')
	done
done <rows

# no option is without its row, and no row without its option
for command in '*' run check list topo doctor show compare plot report export history replay validate; do
	"$twopoint" $([ "$command" = '*' ] || echo $command) --help >help
	sed -n 's/^ \(--[a-z-]*\).*/\1/p' help | sort >options
	sed -n "s/^$([ "$command" = '*' ] && echo '[*]' || echo $command) \(--[a-z-]*\)|.*/\1/p" rows | sort >known
	case $command in run | '*') ;; *) printf '%s\n' --help --version | sort - known >both && mv both known ;; esac
	check "each option of $command has a row, and each row its option" diff options known
done
"$twopoint" --help | sed -n '/^usage/,/^ --/s/^  \([a-z]*\) .*/\1/p' | grep -v -x -e aa -e completion >commands # they have no options of their own
check "there are rows for each command" [ "$(wc -l <commands)" = 13 ]

# ---- the environment ----

# what the sources read, but for what the tests plant
cat >variables <<'END'
HOME
HWLOC_SYNTHETIC
HWLOC_THISSYSTEM
HWLOC_XMLFILE
TERM
TMPDIR
TWOPOINT_SEED
TWOPOINT_STRESS
XDG_DATA_HOME
XDG_STATE_HOME
END
(cd "$sources" && grep -rho --include='*.c' --exclude-dir=tests '\(getenv\|variable_is_set\|environment_number\)("[A-Z_]*"' \
	bench queues pinning results plots) | sed 's/.*("//; s/".*//' | grep -v TWOPOINT_FAULT | sort -u >read
check "each variable that is read is known here" diff read variables

variable() { # NAME STATUS PATTERN SETTING… COMMAND…: what comes of it
	name=$1 status=$2 pattern=$3; shift 3
	expect "$status" "$name" env "$@"
	cat stdout stderr >both
	[ -z "$pattern" ] || says both "$pattern" "$name: as it says"
}
echo 'no topology' >no.xml
variable "HWLOC_SYNTHETIC of a machine" 0 'described, not this one' HWLOC_SYNTHETIC='core:2 pu:1' "$twopoint" run --queue ring --dry-run
variable "HWLOC_SYNTHETIC of none" 3 "HWLOC_SYNTHETIC: 'junk'.*allowed: as 'pack" HWLOC_SYNTHETIC=junk "$twopoint" topo
fixture=$(ls "$sources"/pinning/tests/fixtures/*.xml | head -n 1)
variable "HWLOC_XMLFILE of a machine" 0 'described, not this one' HWLOC_XMLFILE="$fixture" "$twopoint" run --queue ring --dry-run
variable "HWLOC_XMLFILE of none" 3 "HWLOC_XMLFILE: 'no.xml'.*allowed: a file of lstopo" HWLOC_XMLFILE=no.xml "$twopoint" topo
variable "HWLOC_XMLFILE that is not there" 3 "HWLOC_XMLFILE: './none'" HWLOC_XMLFILE=./none "$twopoint" topo
variable "HWLOC_THISSYSTEM: a description of this machine" 0 'machine: CPUs 2, ' HWLOC_SYNTHETIC='core:2 pu:1' HWLOC_THISSYSTEM=1 \
	"$twopoint" run --queue ring --place same-cpu --dry-run
mkdir -p state/twopoint temporary
variable "TMPDIR" 0 '' TMPDIR="$work/temporary" "$twopoint" report record.jsonl --out one.html
check "TMPDIR is left empty" [ -z "$(ls temporary)" ]
variable "TMPDIR that is not there" 3 "TMPDIR: '/no/such': No such file" TMPDIR=/no/such "$twopoint" report record.jsonl --out two.html
variable "XDG_STATE_HOME" 4 '' XDG_STATE_HOME="$work/state" "$twopoint" compare record.jsonl record.jsonl
variable "XDG_STATE_HOME that is a file" 4 '' XDG_STATE_HOME="$work/no.xml" "$twopoint" compare record.jsonl record.jsonl
variable "HOME that is not there" 4 '' -u XDG_STATE_HOME HOME=/no/such "$twopoint" compare record.jsonl record.jsonl
variable "no HOME" 4 '' -u XDG_STATE_HOME -u HOME "$twopoint" compare record.jsonl record.jsonl
variable "XDG_DATA_HOME" 0 'ring' XDG_DATA_HOME="$work/data" sh -c '"$0" history add record.jsonl && "$0" history' "$twopoint"
check "is where it is kept" [ -s data/twopoint/history.db ]
variable "XDG_DATA_HOME that is a file" 3 '/no.xml/twopoint' XDG_DATA_HOME="$work/no.xml" "$twopoint" history add record.jsonl
variable "TERM that can't be drawn on" 0 '' TERM=dumb "$twopoint" run --queue ring --duration 5ms --trials 1 --attempts 1 --out term.jsonl
says_not both "$(printf '\033')" "TERM: no bar"

# what the tests of queues go by; the command sets it of --seed
stress=$BUILD/tests/queues/test_stress
for setting in TWOPOINT_STRESS=0 TWOPOINT_STRESS=x TWOPOINT_SEED=-1 TWOPOINT_SEED=; do
	[ -x "$stress" ] || { skip "$setting: test_stress was not built"; continue; }
	check "$setting is refused" sh -c '! env "$1" timeout 60 "$2" >both 2>&1' sh $setting "$stress"
	says both "${setting%=*}: '${setting#*=}' is not a number; allowed: [01] to" "$setting: with what is allowed"
done
checks_end
