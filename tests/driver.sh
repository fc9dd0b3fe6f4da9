#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Runs one test for make check, in place of automake's test-driver, and says how long it took, and how much of that a
# processor computed: "PASS: tests/x.sim (12 s, computed 3.4 s)". On a busy machine only the latter tells what a test costs.
#
# A test fails that is not over after FT_TEST_LIMIT_S (900) seconds, and its log says what it waited for.
set -u

name='' log='' trs='' color=no expect=no hard=yes
while [ $# -gt 0 ]; do
	case $1 in
	--test-name) name=$2 ;;
	--log-file) log=$2 ;;
	--trs-file) trs=$2 ;;
	--color-tests) color=$2 ;;
	--expect-failure) expect=$2 ;;
	--enable-hard-errors) hard=$2 ;;
	--collect-skipped-logs) ;;
	--)
		shift
		break
		;;
	*)
		echo "$0: $1 is not known" >&2
		exit 2
		;;
	esac
	shift 2
done
if [ -z "$log" ] || [ -z "$trs" ] || [ $# = 0 ]; then
	echo "usage: $0 --log-file FILE --trs-file FILE -- COMMAND" >&2
	exit 2
fi

watcher=
# What is interrupted has no result.
ended() {
	[ -z "$watcher" ] || kill "$watcher" 2>/dev/null
	rm -f "$log" "$trs"
	exit "$1"
}
trap 'ended 129' HUP
trap 'ended 130' INT
trap 'ended 143' TERM

start=$(date +%s)
: >"$log"
sh "${0%/*}/limit.sh" $$ "${FT_TEST_LIMIT_S:-900}" >>"$log" 2>&1 </dev/null &
watcher=$!
# Not in the background: there a shell has its commands ignore SIGINT.
"$@" >>"$log" 2>&1
status=$?
seconds=$(($(date +%s) - start))
# Of the test and all that it waited for. What times(1) tells in a pipe would be of another shell.
times >"$trs"
computed=$(sed -n '2y/ms/  /;2p' "$trs" | awk '{ printf "%.1f", 60 * $1 + $2 + 60 * $3 + $4 }')
kill "$watcher" 2>/dev/null
wait "$watcher"
[ $? != 1 ] || status=1

[ "$hard" = yes ] || [ "$status" != 99 ] || status=1
case $status:$expect in
0:yes) result=XPASS paint=31 recheck=yes copy=yes ;;
0:*) result=PASS paint=32 recheck=no copy=no ;;
77:*) result=SKIP paint=34 recheck=no copy=yes ;;
99:*) result=ERROR paint=35 recheck=yes copy=yes ;;
*:yes) result=XFAIL paint=32 recheck=no copy=yes ;;
*) result=FAIL paint=31 recheck=yes copy=yes ;;
esac
echo "$result $name (exit status: $status)" >>"$log"
{
	echo ":test-result: $result"
	echo ":global-test-result: $result"
	echo ":recheck: $recheck"
	echo ":copy-in-global-log: $copy"
	echo ":seconds: $seconds"
	echo ":computed: $computed"
} >"$trs"
if [ "$color" = yes ]; then
	printf '\033[0;%sm%s\033[m: %s (%s s, computed %s s)\n' "$paint" "$result" "$name" "$seconds" "$computed"
else
	printf '%s: %s (%s s, computed %s s)\n' "$result" "$name" "$seconds" "$computed"
fi
