# What bash completes: each command, option and word of the tables, taken from the program's help, where a user finds them; and no other.
. bench/tests/checks.sh

command -v bash >/dev/null || { skip "completion: there is no bash"; exit 0; }
expect 0 "the completion is printed" "$twopoint" completion bash
cp stdout completion.bash
check "bash can read it" bash -n completion.bash
expect 2 "another shell is refused" "$twopoint" completion fish


# complete WORD…: what the last of these words is completed to, a line each. The words are parted as bash does it: at = and : too.
complete() {
	bash -c 'set -u; . "$0"; COMP_WORDS=(twopoint "$@"); COMP_CWORD=$#; _twopoint
		((!${#COMPREPLY[@]})) || printf "%s\n" "${COMPREPLY[@]}"' \
		"$work/completion.bash" "$@" 2>"$work/told"
}
# completes NAME "EXPECTED…" WORD…: to these and no others, in whatever order, and without a word on standard error
completes() {
	name=$1 wanted=$(printf '%s\n' $2 | sort); shift 2
	got=$(complete "$@" | sort)
	if [ -s "$work/told" ]; then
		bad "$name" "$(few "$work/told")"
	elif [ "$got" = "$wanted" ]; then
		good "$name"
	else
		bad "$name" "expected '$(echo $wanted)', got '$(echo $got)'"
	fi
}
# options_in FILE: those that a page of help has, without the star of a list
options_in() { sed -n 's/^ \(--[a-z-]*\).*/\1/p' "$1"; }

"$twopoint" --help >help
commands=$(sed -n '/^usage/,/^ --/s/^  \([a-z]*\) .*/\1/p' help)
check "there are commands in the help" [ "$(echo "$commands" | wc -l)" -ge 13 ]
completes "commands, and options of none" "$commands $(options_in help)" ''
completes "a command half typed" "report replay" re
for command in $commands; do
	"$twopoint" $command --help >help
	check "$command has options in its help" [ "$(options_in help | wc -l)" -ge 2 ]
	completes "all options of $command" "$(options_in help)" $command --
	# what takes a value has a word in capitals beside it
	for option in $(sed -n 's/^ \(--[a-z-]*\)\*\{0,1\} [A-Z].*/\1/p' help); do
		grep -q "^	'$command $option') echo '[a-z]" completion.bash || bad "what $command $option takes is known"
	done
	for option in $(sed -n 's/^ \(--[a-z-]*\)\*\{0,1\}  .*/\1/p' help); do
		! grep -q "^	'$command $option') " completion.bash || bad "$command $option is a flag"
	done
done

# words that an option takes: those that its refusal names
words_of() { "$twopoint" "$1" "$2" no-such-word 2>&1 | sed 's/.*; allowed: //; s/;.*//; s/ or [0-9].*//; s/,//g'; }
for option in --workload --load --arrival --touch --wait --prewrite --huge-pages --stamps --memory-node; do
	completes "the words of $option" "$(words_of run $option)" run $option ''
done
completes "the words of check --checks" "$(words_of check --checks)" check --checks ''
completes "the words of plot --term" "$(words_of plot --term)" plot --term ''
completes "the words of export --format" "$(words_of export --format)" export --format ''
completes "the words of list" "$(words_of list --)" list ''
completes "a shell's name" bash completion ''

first_column() { "$twopoint" list $1 2>/dev/null | sed 's/ .*//'; }
queues=$(first_column queues | sed 1d)
completes "queues" "$queues peers" run --queue ''
completes "queues to be checked" "$queues peers" check --queue ''
completes "a baseline" "$queues" compare --baseline ''
completes "figures" "$(first_column figures)" plot --figure ''
completes "placements" "nearest $(first_column placements | grep -v :)" run --place ''
mkdir elsewhere && cd elsewhere || exit 1 # where there is no other file
completes "suites and files" "$(first_column suites)" run ''
completes "suites of aa" "$(first_column suites)" aa ''
touch record.jsonl && mkdir records
completes "actions of history and files" "add cells plot record.jsonl records" history ''
for command in show compare plot report export replay validate; do
	completes "files of $command" "record.jsonl records" $command rec
done
completes "a folder" records plot --out rec
completes "a file" "record.jsonl records" run --plugin rec
completes "nothing where no word is taken" "" topo ''
completes "nothing where a number is taken" "" run --trials ''

# lists, and words that bash parts
completes "the next of a list" "mutex,null" run --queue mutex,nul
completes "none of a list twice" "closed,saturate closed,open" run --load closed,
completes "behind an equals sign" "pingpong pipeline" run --workload = pi
completes "behind an equals sign alone" "off on" run --prewrite =
completes "the next of a list behind it" "stream,pingpong stream,pipeline" run --workload = stream,pi
completes "points" "read" run --latency write : rea
completes "points behind a colon alone" "read handled" run --latency preread :
completes "points of a list" "read" run --latency write:flush,write : rea
completes "an option behind others" "--trials" run --queue ring --load = open --tri
completes "a suite behind options" "smoke" run --queue ring --quiet smo
completes "nothing that there is not" "" run --no-such
checks_end
