# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
#
# Programs as processes: to be sourced by a test, which is in a directory of its own. out and err have what the last one
# wrote; failed counts.

failed=0

not_ok()
{
	printf 'not ok - %s\n' "$1"
	shift
	printf '  %s\n' "$@"
	failed=$((failed + 1))
}

# result WHAT STATUS: of a command that says itself what is wrong.
result()
{
	if [ "$2" = 0 ]; then
		printf 'ok - %s\n' "$1"
	else
		not_ok "$1"
	fi
}

# run WHAT STATUS STDERR COMMAND...: that status, exactly that first line of stderr, and nothing on stdout unless 0.
run()
{
	local what=$1 status=$2 line=$3 found

	shift 3
	"$@" >out 2>err </dev/null
	found=$?
	if [ "$found" != "$status" ]; then
		not_ok "$what" "exit status $found, expected $status" "$(cat err)"
	elif { [ -n "$line" ] || [ "$status" = 0 ]; } && [ "$(head -n 1 err)" != "$line" ]; then
		not_ok "$what" "says: $(head -n 1 err)" "expected: $line"
	elif [ "$status" != 0 ] && [ -s out ]; then
		not_ok "$what" 'something was written'
	else
		printf 'ok - %s\n' "$what"
	fi
}
