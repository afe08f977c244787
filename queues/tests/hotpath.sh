#!/bin/sh
# Reads object files: measured loops (functions named loop_*) must contain no call and no indirect jump.
# Usage: hotpath.sh [--allow FILE] OBJECT…     checks these objects
#        hotpath.sh --self-test                 checks itself with planted objects
#
# Made for gcc, as clang leaves cold blocks where they are. The hot part of a loop is its symbol loop_NAME; gcc puts what is cold into
# loop_NAME.cold, in .text.unlikely. The hot part must not call, must not jump indirectly, and must not jump to any symbol but itself and
# its own cold part. The cold part may also call functions that the object itself holds in .text.unlikely (QUEUE_COLD puts them there), and
# those that FILE names, one a line. Exit status: 0 all good, 1 something found or no loop in an object, 2 usage, a missing tool, or not
# x86-64.
set -u

usage() {
	echo "usage: hotpath.sh [--allow FILE] OBJECT... | hotpath.sh --self-test" >&2
	exit 2
}

# Functions that lie in .text.unlikely, one a line.
cold_functions() {
	objdump -t "$1" | awk '$0 ~ / F / && /\.text\.unlikely/ { print $NF }'
}

# Reads `objdump -dr`. Relocations follow their instruction; a jump's or call's target is the relocation's symbol or what stands in <>.
find_calls() {
	awk -v object="$1" -v allowed="$2" '
	function name_only(text) { sub(/[-+]0x[0-9a-f]+$/, "", text); sub(/@.*/, "", text); return text }
	function complain(what) { print object ": " symbol ": " what ": " instruction; bad = 1 }
	# a jump between the two parts is told by its section alone
	function may_jump() {
		if (target == symbol || target == base || target == base ".cold")
			return 1
		return is_cold ? target in may_call || target ~ /^\.text/ : target ~ /^\.text\.unlikely/
	}
	# judges the instruction seen last, its target now known
	function judge() {
		if (kind == "")
			return
		if (target == "")
			target = shown
		if (indirect)
			complain("indirect " kind)
		else if (kind == "call" && !is_cold)
			complain("call in the hot part")
		else if (kind == "call" && !(target in may_call))
			complain("call of " target " which is not on the list")
		else if (kind == "jump" && !may_jump())
			complain("jump to " target)
		kind = ""
	}
	BEGIN { n = split(allowed, list, " "); for (i = 1; i <= n; i++) may_call[list[i]] = 1 }
	/^Disassembly of section/ { judge(); symbol = ""; next }
	/^[0-9a-f]+ <.*>:$/ {
		judge()
		symbol = $2
		gsub(/[<>:]/, "", symbol)
		is_cold = symbol ~ /\.cold(\.[0-9]+)?$/
		base = symbol
		sub(/\.cold(\.[0-9]+)?$/, "", base)
		is_loop = base ~ /^loop_/
		if (is_loop && !is_cold)
			loops++
		next
	}
	!is_loop { next }
	/R_X86_64_/ { if (kind != "") target = name_only($NF); next }
	/^ *[0-9a-f]+:/ {
		judge()
		instruction = $0
		sub(/^ *[0-9a-f]+:[ \t]*/, "", instruction)
		target = shown = ""
		if (match(instruction, /<[^>]*>/))
			shown = name_only(substr(instruction, RSTART + 1, RLENGTH - 2))
		indirect = instruction ~ /(jmp|call)q?[ \t]+\*/
		if (instruction ~ /(^|[ \t])(l?callq?)[ \t]/)
			kind = "call"
		else if (instruction ~ /(^|[ \t])(j[a-z]+|loop[a-z]*|xbegin)[ \t]/)
			kind = "jump"
		else
			kind = ""
	}
	END {
		judge()
		if (!loops) {
			print object ": no function named loop_*"
			bad = 1
		} else if (!bad)
			print object ": " loops " loops, no call in their hot parts"
		exit bad
	}'
}

check_object() {
	case $(objdump -f "$1" 2>/dev/null) in
	*'file format elf64-x86-64'*) ;;
	*) echo "hotpath.sh: $1 is not an object for x86-64: this check can't read it" >&2; exit 2 ;;
	esac
	objdump -dr --no-show-raw-insn "$1" | find_calls "$1" "$(cold_functions "$1" | tr '\n' ' ') $allowed"
}

# plant NAME STATUS: compiles the source on stdin, and demands that status of the check
plant() {
	expected=$2
	gcc -O2 -c -x c - -o "$folder/$1.o" || exit 2
	"$0" "$folder/$1.o" >"$folder/log" 2>&1
	status=$?
	if [ "$status" -eq "$expected" ]; then
		echo "ok      $1"
	else
		echo "FAILED  $1: expected status $expected, got $status"
		cat "$folder/log"
		failed=1
	fi
}

self_test() {
	failed=0
	folder=$(mktemp -d) || exit 2
	trap 'rm -rf "$folder"' EXIT
	plant clean 0 <<-'END'
		static unsigned long total;
		__attribute__((noinline, cold)) static void grow(void) { __asm__ volatile("" ::: "memory"); total++; }
		unsigned long loop_sum(const unsigned long *word, unsigned long n);
		unsigned long loop_sum(const unsigned long *word, unsigned long n)
		{
			unsigned long sum = 0;
			for (unsigned long i = 0; i < n; i++) {
				if (__builtin_expect(!word[i], 0))
					grow();
				sum += word[i] * 3;
			}
			return sum + total;
		}
		int main(int n, char **v) { return (int)loop_sum((void *)v, (unsigned long)n); }
	END
	plant planted-call 1 <<-'END'
		void other(void);
		void loop_call(int n) { for (int i = 0; i < n; i++) other(); }
	END
	plant planted-local-call 1 <<-'END'
		static __attribute__((noinline)) void other(int i) { __asm__ volatile("" :: "r"(i)); }
		void loop_call(int n) { for (int i = 0; i < n; i++) other(i); }
	END
	plant planted-memcpy 1 <<-'END'
		void *memcpy(void *, const void *, unsigned long);
		void loop_copy(char *to, const char *from, unsigned long n) { for (int i = 0; i < 9; i++) memcpy(to + n * i, from, n); }
	END
	plant planted-indirect-call 1 <<-'END'
		void loop_pointer(void (**f)(void), int n) { for (int i = 0; i < n; i++) f[i](); }
	END
	plant planted-tail-jump 1 <<-'END'
		void other(int n);
		void loop_tail(int n) { __asm__ volatile("" ::: "memory"); other(n); }
	END
	plant planted-local-tail-jump 1 <<-'END'
		static __attribute__((noinline)) void other(int i) { __asm__ volatile("" :: "r"(i)); }
		void loop_tail(int n) { __asm__ volatile("" ::: "memory"); other(n); }
	END
	plant planted-indirect-jump 1 <<-'END'
		void loop_goto(void **to) { __asm__ volatile("notrack jmp *(%0)" :: "r"(to)); }
	END
	plant planted-cold-call-of-a-stranger 1 <<-'END'
		__attribute__((cold)) void stranger(int i);
		int loop_cold(const int *word, int n)
		{
			int sum = 0;
			for (int i = 0; i < n; i++) {
				if (__builtin_expect(!word[i], 0))
					stranger(i);
				sum += word[i];
			}
			return sum;
		}
	END
	plant no-loops 1 <<-'END'
		int other(int n);
		int other(int n) { return n + 1; }
	END
	echo 'stranger' >"$folder/list"
	if "$0" --allow "$folder/list" "$folder/planted-cold-call-of-a-stranger.o" >"$folder/log" 2>&1; then
		echo "ok      a listed function may be called in a cold part"
	else
		echo "FAILED  a listed function may be called in a cold part"
		cat "$folder/log"
		failed=1
	fi
	exit $failed
}

command -v objdump >/dev/null || { echo "hotpath.sh: objdump is not installed" >&2; exit 2; }
allowed=
case ${1-} in
--self-test) self_test ;;
--allow)
	[ $# -ge 3 ] && [ -r "$2" ] || usage
	allowed=$(tr '\n' ' ' <"$2")
	shift 2
	;;
'' | -*) usage ;;
esac
status=0
for object; do
	check_object "$object" || status=1
done
exit $status
