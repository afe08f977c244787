#!/bin/sh
# The measured loops of these queues call nothing and jump nowhere indirectly. What is read is gcc's x86-64 object code without sanitizers.
set -eu

BUILD=${BUILD:-build}
objects=
for queue in ypipe ypipe_packed ring spin null line; do
	objects="$objects $BUILD/targets/$queue.o"
done
if [ "$(uname -m)" != x86_64 ] || readelf -p .comment "$BUILD/targets/ring.o" | grep -q clang || nm "$BUILD/targets/ring.o" | grep -q '__[at]san_'; then
	echo "hot path: skipped, not gcc's plain x86-64 object code"
	exit 0
fi
sh queues/tests/hotpath.sh --self-test
# shellcheck disable=SC2086 # a list
sh queues/tests/hotpath.sh --allow bench/tests/cold_calls.txt $objects
