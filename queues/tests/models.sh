#!/bin/sh
# Checks the Promela models beside this script with spin: each must hold, and each of its broken twins must fail.
# Usage: models.sh. Exit status: 0 all as it should be, 1 not, 2 a tool is missing.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 2
for tool in spin gcc; do
	command -v "$tool" >/dev/null || { echo "models.sh: $tool is not installed" >&2; exit 2; }
done
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 2
failed=0

# check holds|fails MODEL [-D...]: one line, and whether the whole state space was searched
check() {
	expected=$1 model=$2
	shift 2
	rm -f pan pan.* ./*.trail
	if ! { spin "$@" -a "$here/$model" && gcc -w -DSAFETY -DVECTORSZ=512 -o pan pan.c; } >build.log 2>&1; then
		cat build.log
		echo "FAILED  $model $*: does not build"
		failed=1
		return
	fi
	./pan -m1000000 >pan.log 2>&1
	if grep -q 'max search depth too small\|out of memory\|aborted' pan.log; then
		found=incomplete
	elif grep -q 'errors: 0$' pan.log && grep -q 'invalid end states.*+' pan.log; then
		found=holds
	elif grep -q 'errors: [1-9]' pan.log; then
		found=fails
	else
		found=unknown
	fi
	why=$(sed -n 's/^pan:[0-9]*: \(.*\) (at depth.*/: \1/p' pan.log)
	states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' pan.log)
	if [ "$found" = "$expected" ]; then
		echo "ok      $model $*: $found$why ($states states)"
	else
		echo "FAILED  $model $*: expected that it $expected, got: $found$why"
		failed=1
	fi
}

check holds ypipe.pml
check fails ypipe.pml -DPLAIN_PUBLICATION
check fails ypipe.pml -DPLAIN_SLEEP
check fails ypipe.pml -DLATE_TICKET
check holds membarrier.pml
check holds membarrier.pml -DEXCHANGES
check fails membarrier.pml -DNO_MEMBARRIER
check fails membarrier.pml -DEARLY_MEMBARRIER
check fails membarrier.pml -DNO_LAST_LOOK
check fails membarrier.pml -DEARLY_LOOK
check fails membarrier.pml -DLATE_TICKET
check holds wait.pml
check holds wait.pml -DCAPACITY=2
check fails wait.pml -DPLAIN_LOOK
check fails wait.pml -DNO_LAST_LOOK
check fails wait.pml -DLATE_TICKET
check fails wait.pml -DSILENT_READER
check holds wait.pml -DMEMBARRIER
check holds wait.pml -DMEMBARRIER -DCAPACITY=2
check fails wait.pml -DMEMBARRIER -DNO_MEMBARRIER
check fails wait.pml -DMEMBARRIER -DEARLY_MEMBARRIER
check fails wait.pml -DMEMBARRIER -DEARLY_LOOK
check fails wait.pml -DMEMBARRIER -DUNSETTLED
check fails wait.pml -DMEMBARRIER -DNO_LAST_LOOK
check fails wait.pml -DMEMBARRIER -DLATE_TICKET
check fails wait.pml -DMEMBARRIER -DSILENT_READER
check holds wait_shared.pml
check holds wait_shared.pml -DCAPACITY=2
check fails wait_shared.pml -DWITHDRAW_CLEARS
check fails wait_shared.pml -DWAKE_ONE
check fails wait_shared.pml -DPLAIN_ANNOUNCE
check fails wait_shared.pml -DNO_LAST_LOOK
check fails wait_shared.pml -DSILENT_END
check holds wait_shared.pml -DMEMBARRIER
check holds wait_shared.pml -DMEMBARRIER -DCAPACITY=2
check fails wait_shared.pml -DMEMBARRIER -DNO_MEMBARRIER
check fails wait_shared.pml -DMEMBARRIER -DWITHDRAW_CLEARS
check fails wait_shared.pml -DMEMBARRIER -DNO_LAST_LOOK
check fails wait_shared.pml -DMEMBARRIER -DSILENT_END
check holds mpsc.pml
check holds mpsc.pml -DSPLICE
check fails mpsc.pml -DPLAIN_EXCHANGE
check fails mpsc.pml -DLINK_FIRST
check fails mpsc.pml -DEARLY_RETURN
check fails mpsc.pml -DNO_CLEAR
check fails mpsc.pml -DEAGER
check fails mpsc.pml -DSPLICE -DPLAIN_EXCHANGE
check fails mpsc.pml -DSPLICE -DEARLY_RETURN
check fails mpsc.pml -DSPLICE -DLATE_CLEAR
check holds mpsc_ring.pml
check holds mpsc_ring.pml -DCAPACITY=2 -DBATCH=2
check fails mpsc_ring.pml -DPLAIN_CLAIM
check fails mpsc_ring.pml -DNO_LOOK
check fails mpsc_ring.pml -DTAIL_FIRST
check fails mpsc_ring.pml -DNO_SECOND_LOOK
check fails mpsc_ring.pml -DNO_VOID
check fails mpsc_ring.pml -DWORD_FIRST
check fails mpsc_ring.pml -DFEW_SLOTS
check fails mpsc_ring.pml -DSTEP_OVER
check fails mpsc_ring.pml -DEARLY_RELEASE
check holds sealed.pml
check holds sealed.pml -DCAPACITY=3 -DBATCH=3 -DMESSAGES=5
check fails sealed.pml -DONE_SEAL
check fails sealed.pml -DNO_LAP
check fails sealed.pml -DNO_LOOK
check fails sealed.pml -DFEW_LINES
check fails sealed.pml -DEARLY_RELEASE
check fails sealed.pml -DTORN_HALVES
check holds futex.pml
check holds futex.pml -DWRITERS=1 -DBATCH=2 -DCAPACITY=2
check holds futex.pml -DREADERS=1 -DBATCH=2
check fails futex.pml -DPLAIN_UNLOCK
check fails futex.pml -DLOCK_FORGETS
check fails futex.pml -DNO_COMPARE
check fails futex.pml -DLATE_TICKET
check fails futex.pml -DEARLY_WAKE
check fails futex.pml -DLEFT_BEHIND -DWRITERS=1 -DBATCH=2 -DCAPACITY=2
exit $failed
