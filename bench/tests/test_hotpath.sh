#!/bin/sh
# The measured loops of the queues call nothing and jump nowhere indirectly. What is read is gcc's x86-64 object code without sanitizers.
set -eu

BUILD=${BUILD:-build}
objects=
# all but those whose traits say that they call, and peers, whose code is their authors'
for name in $("$BUILD/twopoint" list queues --json | sed -n 's/^  "name": "\(.*\)",$/\1/p; s/^  "role": "\(.*\)",$/\1/p; s/^  "calls_in_loop": \(.*\),$/\1/p' |
	paste - - - | sed -n '/\tpeer\t/d; s/\t[a-z]*\tfalse$//p' | tr - _); do
	objects="$objects $BUILD/targets/$name.o"
done
[ -n "$objects" ] || { echo "hot path: no queue says that it calls nothing" >&2; exit 1; }
if [ "$(uname -m)" != x86_64 ] || readelf -p .comment "$BUILD/targets/ring.o" | grep -q clang ||
	nm "$BUILD/targets/ring.o" | grep -q '__[at]san_'; then
	echo "hot path: skipped, not gcc's plain x86-64 object code"
	exit 0
fi
sh queues/tests/hotpath.sh --self-test
# shellcheck disable=SC2086 # a list
sh queues/tests/hotpath.sh --allow bench/tests/cold_calls.txt $objects
