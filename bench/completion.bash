# Before this stand, from the tables of the program: _twopoint_commands; _twopoint_options COMMAND: its options; _twopoint_values COMMAND
# OPTION: what that takes, nothing of a flag; _twopoint_operands COMMAND: what stands without an option. What is taken is "one" of the words
# that follow, a "list" of them, a "file" or one of the words, a "folder", or "any" of which nothing is known.

# bash parts words at = and : too. Sets _twopoint_typed to those of the line so far, joined again; the last is the one to be completed.
_twopoint_join() {
	local i word joins=
	_twopoint_typed=()
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == [=:]* || $joins ]] && ((${#_twopoint_typed[@]})); then
			_twopoint_typed[-1]+=$word
		else
			_twopoint_typed+=("$word")
		fi
		joins=
		[[ $word != [=:] ]] || joins=1
	done
}

# _twopoint_offer PREFIX TYPED KIND WORD…: those that go on from TYPED; PREFIX stands before it already
_twopoint_offer() {
	local prefix=$1 typed=$2 kind=$3 word listed
	shift 3
	case $kind in
	list)
		listed=,$typed
		[[ $typed != *,* ]] || prefix+=${typed%,*},
		typed=${typed##*,}
		compopt -o nospace 2>/dev/null # a comma may follow
		for word; do
			[[ $listed == *",$word,"* || $word != "$typed"* ]] || COMPREPLY+=("$prefix$word")
		done
		return
		;;
	file) mapfile -t COMPREPLY < <(compgen -f -- "$typed") && compopt -o filenames 2>/dev/null ;;
	folder) mapfile -t COMPREPLY < <(compgen -d -- "$typed") && compopt -o filenames 2>/dev/null ;;
	esac
	for word; do
		[[ $word != "$typed"* ]] || COMPREPLY+=("$word")
	done
	COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
}

_twopoint() {
	local _twopoint_typed current before= command= word options taken parted i
	COMPREPLY=()
	_twopoint_join
	current=${_twopoint_typed[-1]}
	((${#_twopoint_typed[@]} < 2)) || before=${_twopoint_typed[-2]}
	for word in "${_twopoint_typed[@]::${#_twopoint_typed[@]}-1}"; do
		[[ $word == -* ]] || { command=$word; break; }
	done

	# words without blanks or patterns: what is not quoted here is split on purpose
	taken=$(_twopoint_values "$command" "$before")
	options=$(_twopoint_options "$command")
	if [[ $taken ]]; then
		_twopoint_offer '' "$current" $taken
	elif [[ $current == --*=* ]]; then
		_twopoint_offer "${current%%=*}=" "${current#*=}" $(_twopoint_values "$command" "${current%%=*}")
	elif [[ $current == -* ]]; then
		_twopoint_offer '' "$current" one $options
	elif [[ $command ]]; then
		_twopoint_offer '' "$current" $(_twopoint_operands "$command")
	else
		_twopoint_offer '' "$current" one $_twopoint_commands $options
	fi

	# bash replaces what stands behind the last = or : alone
	parted=${current%"${current##*[=:]}"}
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]#"$parted"}
	done
}
complete -F _twopoint twopoint
