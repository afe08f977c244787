#!/bin/sh
# The headers that a plug-in is made of are C++ as well: they compile without a warning, by each C++ compiler that is here; and g++'s
# measured loops call nothing, as C's don't.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0 found=

for compiler in g++ clang++; do
	command -v $compiler >/dev/null || { echo "skipped: $compiler is not installed"; continue; }
	found=1
	# what a table or a loop's beginning leaves out is 0: in C nobody warns of that
	if $compiler -O3 -Wall -Wextra -Wshadow -Wno-missing-field-initializers -Wno-psabi -Werror -iquote bench -iquote queues \
		-c bench/tests/plugins/headers.cc -o "$folder/$compiler.o"; then
		echo "ok: $compiler"
	else
		echo "FAILED: $compiler"
		failed=1
	fi
done
[ "$found" ] || { echo "skipped: there is no C++ compiler"; exit 0; }
if [ "$(uname -m)" = x86_64 ] && [ -e "$folder/g++.o" ]; then
	sh queues/tests/hotpath.sh --allow bench/tests/cold_calls.txt "$folder/g++.o" || failed=1
fi
exit $failed
