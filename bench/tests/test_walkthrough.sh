# What queues/README.md tells the author of a queue to do, done word for word with an installed copy, in C and in C++.
root=$PWD
readme=$PWD/queues/README.md
. bench/tests/checks.sh

check "make install" make --no-print-directory -C "$root" BUILD="$BUILD" DESTDIR="$work/root" PREFIX=/usr install
PATH=$work/root/usr/bin:$PATH
export PATH

# blocks LANGUAGE: the code blocks of that language in the chapter on adding a queue
blocks() {
	awk -v open="\`\`\`$1" '/^## / { here = /Adding a queue/ } !here { next } /^```/ { code = !code && $0 == open; next } code' "$readme"
}
blocks c >mine.c
blocks sh >commands
check "the chapter has a queue" [ -s mine.c ]
check "and commands" [ "$(wc -l <commands)" -ge 6 ]
[ -s commands ] || echo false >commands
while read -r command; do
	if timeout -k 1 120 sh -c "$command" </dev/null >log 2>&1; then good "$command"; else bad "$command" "$(few log)"; fi
done <commands

# and as a built-in queue, but for the one line
sed 's|<twopoint/plugin.h>|"queue.h"|' mine.c >built-in.c
check "the same file is a built-in queue's" cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-psabi -fsyntax-only -iquote "$root/bench" -iquote "$root/queues" \
	-I"$work" -DTARGET=target_mine -DTARGET_FILE='"built-in.c"' "$root/bench/target.c"

# what else is installed
cat >user.c <<'END'
#include <stdio.h>
#include <twopoint/list.h>
#include <twopoint/pin.h>

int main(void)
{
	puts(queue_find("ring")->summary);
	return 0;
}
END
PKG_CONFIG_PATH=$work/root/usr/lib/pkgconfig
export PKG_CONFIG_PATH
check "a program is linked with the library by pkg-config" sh -c 'cc user.c $(pkg-config --cflags --libs twopoint) -o user'
expect 0 "and runs" ./user
says stdout ring "with a queue of it"
check "the folder of headers is the installed one" [ "$(twopoint --include)" = "$(realpath root/usr/include)" ]
for page in man1/twopoint.1 man7/twopoint-queue.7; do
	check "$page is installed" [ -s "root/usr/share/man/$page" ]
done
completion=root/usr/share/bash-completion/completions/twopoint
check "so is the completion, which is this program's" sh -c 'twopoint completion bash | cmp - "$1"' sh $completion
rm -rf root/usr/include
expect 3 "without its headers, that is said" twopoint --include
checks_end
