#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# ftplan as a process: its exit status, its one line on a failure, and that nothing is written then.
set -u

ftplan=${FT_BUILDDIR:?}/ftplan
sample=${FT_SRCDIR:?}/etc/examples/sample.json
failed=0

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
cp "$sample" good.json
printf '{"ftcheck": 1, "name": "t",\n "nodse": 72}\n' >key.json
printf '{"ftcheck": 1, "name": "t", "nodes": 648, "edge": {"ports": 36}, "core": {"ports": 648}}' >director.json

not_ok()
{
	printf 'not ok - %s\n' "$1"
	shift
	printf '  %s\n' "$@"
	failed=$((failed + 1))
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
	elif [ "$(head -n 1 err)" != "$line" ]; then
		not_ok "$what" "says: $(head -n 1 err)" "expected: $line"
	elif [ "$status" != 0 ] && [ -s out ]; then
		not_ok "$what" 'something was written'
	else
		printf 'ok - %s\n' "$what"
	fi
}

run 'a design' 0 '' "$ftplan" good.json
grep -q '^Edge: 4 switches of 36 ports' out || not_ok 'the plan in words' "$(cat out)"
run 'as JSON' 0 '' "$ftplan" --format=json good.json
run 'as a network' 0 '' "$ftplan" --format ibsim good.json
run 'an unknown key' 3 'key.json:2:2: unknown key "nodse"; did you mean "nodes"?' "$ftplan" key.json
run 'no such file' 3 'none.json: No such file or directory' "$ftplan" none.json
run 'a directory' 3 '.: Is a directory' "$ftplan" .
run 'an empty standard input' 3 '-:1:1: the file is empty: a design is one JSON object' "$ftplan" -
run 'no design' 3 'ftplan: a design file is missing' "$ftplan"
run 'two designs' 3 'ftplan: one design file is enough: other.json' "$ftplan" good.json other.json
run 'an unknown format' 3 'ftplan: --format takes text, json or ibsim: dot' "$ftplan" --format dot good.json
run 'an unknown option' 3 "$ftplan: unrecognized option '--fromat'" "$ftplan" --fromat json good.json
run 'a director in a network file' 3 \
	'director.json: ibsim takes at most 254 ports a node, and a core switch of this plan has 648: it is a director, which ibsim knows by its chips only' \
	"$ftplan" --format ibsim director.json
run 'a directory that is not there' 3 'none/plan.txt: No such file or directory' "$ftplan" -o none/plan.txt good.json
if [ -c /dev/full ]; then
	run 'a full disk' 3 '/dev/full: No space left on device' "$ftplan" -o /dev/full good.json
fi

# The old file stays until there is a new one, and nothing is left beside it.
echo old >plan.txt
run 'a bad design to a file' 3 'key.json:2:2: unknown key "nodse"; did you mean "nodes"?' "$ftplan" -o plan.txt key.json
[ "$(cat plan.txt)" = old ] || not_ok 'the old file stays' "$(cat plan.txt)"
umask 027
run 'a good design to a file' 0 '' "$ftplan" --output plan.txt good.json
grep -q '^sample: a plan for 72 nodes' plan.txt || not_ok 'the new file' "$(cat plan.txt)"
[ "$(stat -c %a plan.txt)" = 640 ] || not_ok 'its mode follows the umask' "$(stat -c %a plan.txt)"
[ -z "$(find . -name 'plan.txt?*')" ] || not_ok 'nothing is left beside it' "$(ls)"

exit $((failed > 0))
