# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
#
# A journal of a test's own, which programs find where the system's would be. To be sourced.
#
#	. "$FT_SRCDIR/tests/journal.sh"
#	journal_start "$work"                # $JOURNAL_LOG has a JSON object a line from now on
#	journal_run ./ftcheckd …             # as a program that sees this journal, and no other
#	journal_wait 3                       # until so many entries came
#	journal_stop                         # after what was sent before was taken in
#
# In the background, so that $! is the program itself:  journal_exec COMMAND... &
# Or the whole test in one go, sourced programs, functions and all, as its first act:
#
#	journal_enter "$0" "$@"
#	journal_start "$work"
#
# The place of the journal's socket is fixed (/run/systemd/journal/socket). Another one comes there in a mount namespace
# of the program's own: that takes root, or a kernel that lets users make namespaces. Skips the test where neither is so.
# Sockets in the network namespace (ibsim's, HTTP) and process ids are the same inside.

JOURNAL_DIR=
JOURNAL_LOG=
JOURNAL_PID=
JOURNAL_DEADLINE=${JOURNAL_DEADLINE:-60}

# In the namespace: the directory $1 becomes /run/systemd/journal; then the rest is run.
# shellcheck disable=SC2016
JOURNAL_MOUNT='
	dir=$1
	shift
	if [ ! -d /run/systemd/journal ]; then
		if [ -d /run/systemd ]; then
			mount -t tmpfs -o mode=755 tmpfs /run/systemd
		else
			mount -t tmpfs -o mode=755 tmpfs /run
		fi && mkdir -p /run/systemd/journal
	fi && mount --bind "$dir" /run/systemd/journal || exit 99
	exec "$@"'

# Sets journal_unshare to what makes the namespace.
journal_find_unshare()
{
	if unshare --mount true 2>/dev/null; then
		journal_unshare=(unshare --mount)
	elif unshare --map-root-user --mount true 2>/dev/null; then
		journal_unshare=(unshare --map-root-user --mount)
	else
		echo "skipped: no mount namespace to be had" >&2
		exit 77
	fi
}

# journal_start DIR: a journal that keeps its files in DIR/journal.
journal_start()
{
	local socket end=$((SECONDS + JOURNAL_DEADLINE))

	[ -n "${JOURNAL_INSIDE:-}" ] || journal_find_unshare
	JOURNAL_DIR=${JOURNAL_INSIDE:-$1/journal}
	JOURNAL_LOG=$1/journal.log
	mkdir -p "$JOURNAL_DIR" || return 1
	socket=$JOURNAL_DIR/socket
	rm -f "$socket" "$JOURNAL_LOG"
	python3 "$FT_SRCDIR/tests/journal_receive.py" "$socket" "$JOURNAL_LOG" </dev/null &
	JOURNAL_PID=$!
	until [ -e "$JOURNAL_LOG" ]; do
		if ((SECONDS >= end)) || ! kill -0 "$JOURNAL_PID" 2>/dev/null; then
			echo "no journal" >&2
			return 1
		fi
		sleep 0.01
	done
}

# journal_exec COMMAND...: replaces this shell by the program.
journal_exec()
{
	if [ -n "${JOURNAL_INSIDE:-}" ]; then
		exec "$@"
	fi
	exec "${journal_unshare[@]}" sh -c "$JOURNAL_MOUNT" journal "$JOURNAL_DIR" "$@"
}

journal_run()
{
	(journal_exec "$@")
}

# journal_enter "$0" "$@": begins the whole test anew, inside.
journal_enter()
{
	local dir status

	[ -z "${JOURNAL_INSIDE:-}" ] || return 0
	journal_find_unshare
	dir=$(mktemp -d "${TMPDIR:-/tmp}/ftcheck-journal.XXXXXX") || exit 99
	JOURNAL_INSIDE=$dir "${journal_unshare[@]}" sh -c "$JOURNAL_MOUNT" journal "$dir" bash "$@"
	status=$?
	rm -rf "$dir"
	exit $status
}

# journal_wait COUNT: until so many entries came. False after JOURNAL_DEADLINE seconds.
journal_wait()
{
	local end=$((SECONDS + JOURNAL_DEADLINE))

	until [ "$(wc -l <"$JOURNAL_LOG")" -ge "$1" ]; do
		((SECONDS < end)) || return 1
		sleep 0.01
	done
}

journal_stop()
{
	if [ -n "$JOURNAL_PID" ]; then
		kill "$JOURNAL_PID" 2>/dev/null
		wait "$JOURNAL_PID" 2>/dev/null
		JOURNAL_PID=
	fi
	return 0
}
