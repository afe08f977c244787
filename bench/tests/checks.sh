# What the shell tests share. To be read from the repository's top folder, with the build's folder in BUILD: . bench/tests/checks.sh
#
# One line a check; the test ends by checks_end, whose status says whether all were good.

BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
twopoint=$BUILD/twopoint
faulty=$BUILD/twopoint-faults
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1
XDG_STATE_HOME=$work/state # no noise floor of this machine's
export XDG_STATE_HOME

# Trials as short as can be; each test adds what it is about.
quick='--quiet --duration 5ms --warm-up 1ms'
short="$quick --trials 1 --attempts 1"

good() { echo "ok: $1"; }
bad() { echo "FAILED: $1${2:+: $2}"; failed=1; }
skip() { echo "skipped: $1"; }

# few FILE: how it begins
few() { head -n 3 "$1" | cut -c 1-200; }

# check NAME COMMAND…: the command must succeed
check() {
	name=$1; shift
	if "$@" >check.log 2>&1; then good "$name"; else bad "$name" "$(few check.log)"; fi
}

# expect STATUS NAME COMMAND…: runs it into stdout and stderr, and it must end so. Nothing here may take a minute: that is a hang.
expect() {
	expected=$1 name=$2; shift 2
	timeout -k 1 60 "$@" >stdout 2>stderr
	got=$?
	if [ $got = "$expected" ]; then good "$name"; else bad "$name" "expected status $expected, got $got: $(few stderr)"; fi
}

# says FILE PATTERN NAME
says() {
	if grep -q -e "$2" "$1"; then good "$3"; else bad "$3" "$1 has no '$2': $(few "$1")"; fi
}

says_not() {
	if grep -q -e "$2" "$1"; then bad "$3" "$1 has '$2'"; else good "$3"; fi
}

# is_valid FILE NAME: a record that its schema takes
is_valid() { check "$2" "$twopoint" validate "$1"; }

# children_of PID: one a line
children_of() { cat /proc/[0-9]*/stat 2>/dev/null | sed -n "s/^\([0-9]*\) (.*) [A-Z] $1 .*/\1/p"; }

# ended PID…: none of these processes is there any more, now or very soon; one that nobody has waited for yet is none
ended() {
	for pid; do
		tries=0
		while grep -q '^State:.[^ZX]' "/proc/$pid/status" 2>/dev/null; do
			tries=$((tries + 1))
			[ $tries -lt 50 ] || return 1
			sleep 0.1
		done
	done
}

checks_end() { exit $failed; }
