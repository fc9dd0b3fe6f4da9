#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# How ftcheckd begins, or does not: exit status 3 for a configuration or plan that has to be mended, 1 for what may pass,
# and a line that says what to do. No fabric is needed.
set -u
src=${FT_SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
build=${FT_BUILDDIR:-$src/build}
daemon=$build/ftcheckd
D=$(mktemp -d "${TMPDIR:-/tmp}/ftcheck-begin.XXXXXX") || exit 99
PID=
trap '[ -z "$PID" ] || kill -KILL "$PID" 2>/dev/null; rm -rf "$D"' EXIT
passed=0 failed=0

row() {
	local name=$1

	shift
	if "$@"; then
		echo "ok - $name"
		passed=$((passed + 1))
		return
	fi
	echo "not ok - $name"
	sed 's/^/  /' "$D/err" "$D/log"
	failed=$((failed + 1))
}

# is_status STATUS PATTERN: of the daemon that was run last, and one of its lines.
is_status() {
	[ "$status" = "$1" ] && grep -qE -e "$2" "$D/err"
}

# run OPTION…: one that is to end by itself.
run() {
	timeout -k 5 120 "$daemon" "$@" >"$D/out" 2>"$D/err"
	status=$?
}

# says PATTERN: the daemon that runs does, within two minutes.
says() {
	local end=$((SECONDS + 120))

	until grep -qE -e "$1" "$D/log"; do
		kill -0 "$PID" 2>/dev/null && ((SECONDS < end)) || return 1
		sleep 0.05
	done
}

# begin OPTION…: one that goes on.
begin() {
	"$daemon" "$@" >"$D/log" 2>&1 &
	PID=$!
}

end() {
	kill -TERM "$PID"
	wait "$PID"
	status=$?
	PID=
}

cat >"$D/plan.json" <<-'END'
	{"ftcheck": 1, "name": "begin", "nodes": 8, "edge": {"ports": 8}, "core": {"ports": 8}}
END
mkdir "$D/state" "$D/hooks.d"
: >"$D/err"
: >"$D/log"
printf '# A comment.\n\nplan = plan.json\nlisten = none\nevents = yes\n' >"$D/conf"

# ---- what has to be mended ----

run --config "$D/none" --state-directory "$D/state"
row 'no configuration: 3' is_status 3 "$D/none: No such file or directory$"
sed 's/plan.json/lost.json/' "$D/conf" >"$D/lost"
run --config "$D/lost" --state-directory "$D/state"
row 'no plan: 3, and the line that names it' is_status 3 "$D/lost:3:8: plan $D/lost.json: No such file or directory; "
run --config "$D/lost" --check-config
row 'the same with --check-config' is_status 3 "^$D/lost:3:8: plan $D/lost.json: No such file or directory; "
echo '{"ftcheck": 1' >"$D/lost.json"
run --config "$D/lost" --state-directory "$D/state"
row 'a bad plan: 3, and its own line' is_status 3 "$D/lost.json:[0-9]+:[0-9]+: "
echo 'sweep = 1' >>"$D/lost"
run --config "$D/lost" --state-directory "$D/state"
row 'a bad configuration: 3' is_status 3 "$D/lost:6:1: unknown key"
run --no-such-option
row 'a bad option: 3' is_status 3 'no-such-option'

# ---- what is no file ----

mkfifo "$D/fifo"
run --config "$D/fifo" --state-directory "$D/state"
row 'a FIFO for a configuration: 3, at once' is_status 3 "$D/fifo: it is a FIFO, not a file"
printf 'plan = fifo\n' >"$D/of-fifo"
run --config "$D/of-fifo" --state-directory "$D/state"
row 'a FIFO for a plan: 3, at once' is_status 3 "$D/of-fifo:1:8: plan $D/fifo: it is a FIFO, not a file"
printf 'plan = /dev/zero\n' >"$D/of-zero"
run --config "$D/of-zero" --state-directory "$D/state"
row 'a device for a plan: 3' is_status 3 "$D/of-zero:1:8: plan /dev/zero: it is a device, not a file"
run --config "$D/hooks.d" --state-directory "$D/state"
row 'a directory for a configuration: 3' is_status 3 "$D/hooks.d: it is a directory, not a file"
for name in alerts.json alerts.json.new alerts.json.old baseline.json lock; do
	mkfifo "$D/state/$name"
done
begin --config "$D/conf" --state-directory "$D/state"
row 'a FIFO in place of alerts.json is set aside' says 'alerts.json: it is a FIFO, not a file \(set aside'
saved() {
	local end=$((SECONDS + 120))

	until [ -f "$D/state/alerts.json" ]; do
		((SECONDS < end)) || return 1
		sleep 0.05
	done
}
row 'and the state is saved' saved
end
row 'it ends as ever' [ "$status" = 0 ]
rm -rf "$D/state"
mkdir "$D/state"

# ---- what may pass ----

# Descriptors: from none to too few; the dynamic linker itself needs one.
few=
for n in 4 5 6 7; do
	(ulimit -n "$n" && exec timeout -k 5 5 "$daemon" --config "$D/conf" --state-directory "$D/state") >"$D/out" 2>"$D/err"
	few+=" $?"
done
# 124: it went on with what it had.
row "few descriptors: 1, and never 3 ($few)" grep -qE '^( (1|124|127))* 1( (1|124|127))*$' <<<"$few"
row 'and no state is thrown away for it' [ ! -e "$D/state/alerts.json.damaged" ]
begin --config "$D/conf" --state-directory "$D/state"
row 'the first daemon has the state directory' says .
run --config "$D/conf" --state-directory "$D/state"
row 'a state directory that another one has: 1' \
	is_status 1 "$D/state/lock: another ftcheckd has this state directory; stop that one, or give "
row 'in one line' [ "$(wc -l <"$D/err")" = 1 ]
end

# ---- what it can do without ----

begin --config "$D/conf" --state-directory "$D/nowhere"
row 'no state directory: it says what to do' says "$D/nowhere: .*; make the directory \(mkdir -p\), or name another with"
end
row 'and goes on until it is told to stop' [ "$status" = 0 ]
if [ ! -e /sys/class/infiniband ]; then
	begin --config "$D/conf" --state-directory "$D/state"
	row 'no device: that nothing can be watched, and what to do' says 'nothing can be watched: .*modprobe -a mlx5_ib ib_umad'
	row 'and not that it polls' [ "$(grep -c 'polling' "$D/log")" = 0 ]
	end
fi
printf '#!/bin/sh\nexit 0\n' >"$D/hooks.d/mail"
chmod 0757 "$D/hooks.d/mail"
begin --config "$D/conf" --state-directory "$D/state"
row 'a hook that anybody may write is refused, and how to mend it' \
	says "hook mail is not run: $D/hooks.d/mail can be written by everybody: chmod go-w $D/hooks.d/mail"
end
chmod 0755 "$D/hooks.d/mail"
chmod 0777 "$D/hooks.d"
begin --config "$D/conf" --state-directory "$D/state"
row 'and so are those of a folder that anybody may write' says "no hook is run: $D/hooks.d can be written by everybody: "
end

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
