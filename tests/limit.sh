#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#	limit.sh PID SECONDS
# Started by PID, it ends whatever else of PID's is still there after so long, and says what that was: in a test that
# hangs, the last of them is what it waits for. Told to end (TERM), it returns 1 if it had to do so, and 0 else.

late=0
# shellcheck disable=SC2154 # the trap's own
trap 'kill $! 2>/dev/null; exit $late' TERM

pause()
{
	sleep "$1" &
	wait $!
}

# All that descend from $1 but for this shell and its own.
below()
{
	ps -e -o pid= -o ppid= | awk -v top="$1" -v self=$$ '
		{ parent[$1] = $2 }
		END {
			for (pid in parent) {
				for (up = pid; up in parent && up != top && up != self; up = parent[up])
					;
				if (up == top && pid != top)
					print pid
			}
		}'
}

pause "$2"
# Its number may be another's by now.
[ "$(ps -o ppid= -p $$)" -eq "$1" ] || exit 0
late=1
echo "FAILED: not over after $2 s. What is still there:"
ps -o pid= -o ppid= -o etime= -o args= -p "$(below "$1" | paste -sd ,)"
# First those that clean up.
for signal in TERM KILL; do
	# shellcheck disable=SC2046 # one a word
	kill -$signal $(below "$1") 2>/dev/null
	pause 20
done
exit 1
