#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Lists of cables in the styles that sites keep them in, of fabrics that were in production and of planned ones with
# directors: all is as listed, two cables exchanged between the same two switches are found, and rows that cannot be
# right do not hide the others.
set -u

ftplan=${FT_BUILDDIR:?}/ftplan
ftcheck=${FT_BUILDDIR:?}/ftcheck
tests=${FT_SRCDIR:?}/tests
fabrics=${FT_SHARED:?}/fabrics
styles='plain racks both_ways inventory points words slashes'
failed=0

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

result() # WHAT STATUS
{
	if [ "$2" = 0 ]; then
		printf 'ok - %s\n' "$1"
	else
		printf 'not ok - %s\n' "$1"
		failed=$((failed + 1))
	fi
}

sheet() # ARGUMENT...
{
	PYTHONDONTWRITEBYTECODE=1 python3 "$tests/sheet_write.py" "$@"
}

# check WHAT DESIGN SHEET NET CODES [PATTERN]: exactly these codes are found, in words that match.
check()
{
	"$ftcheck" --plan "$2" --cables "$3" --from "$4" --format json >"$work/report" 2>"$work/err"
	codes=$(grep -o '"code": "[a-z-]*"' "$work/report" | cut -d'"' -f4 | sort | tr '\n' ' ')
	if [ ! -s "$work/report" ] || [ "$codes" != "$5" ]; then
		result "$1: found $codes, not $5: $(head -n 3 "$work/err")" 1
	elif [ $# -gt 5 ] && ! grep -Eq "$6" "$work/report"; then
		result "$1: nothing says $6: $(grep '"text"' "$work/report")" 1
	else
		result "$1" 0
	fi
}

# every_style NAME DESIGN NET CODES SWITCH SWITCH: CODES are found in NET as it is.
every_style()
{
	sheet exchange "$3" "$5" "$6" >"$work/exchanged.net" || exit 99
	for style in $styles; do
		sheet sheet "$style" "$3" >"$work/sheet.csv" || exit 99
		check "$1, $style" "$2" "$work/sheet.csv" "$3" "$4"
		check "$1, $style, exchanged" "$2" "$work/sheet.csv" "$work/exchanged.net" "cables-swapped $4" \
			'2 cables are swapped'
	done
}

# Directors as core switches: ports of boards.
cat >"$work/directors.json" <<'END'
{"ftcheck": 1, "name": "directors", "nodes": 288,
 "edge": {"ports": 36, "count": 16, "ports_to_nodes": 18, "ports_to_core": 18},
 "core": {"count": 2, "inside": {"line_boards": 8, "line_boards_max": 16, "line_ports": 18, "line_chips": 1,
  "fabric_boards": 9, "fabric_boards_max": 9, "fabric_chips": 1}}}
END
"$ftplan" "$work/directors.json" --format ibsim -o "$work/directors.net" || exit 99
"$ftplan" "$work/directors.json" --format cables -o "$work/own.csv" || exit 99
for style in $styles; do
	sheet sheet "$style" "$work/directors.net" >"$work/$style.csv" || exit 99
	"$ftplan" "$work/directors.json" --cables "$work/$style.csv" --format cables -o "$work/read.csv" 2>"$work/err"
	# Racks and lengths follow from the plan's order of hosts; who is cabled to whom does not.
	cut -d, -f3,4,7,8 "$work/own.csv" | sort >"$work/own"
	cut -d, -f3,4,7,8 "$work/read.csv" | tr "[:upper:]" "[:lower:]" | sort >"$work/read"
	cmp -s "$work/own" "$work/read"
	result "directors, $style: the same plan" $?
done
sheet cut "$work/directors.net" edge001 19 >"$work/cut.net"
check 'a cable of a director' "$work/directors.json" "$work/words.csv" "$work/cut.net" 'cable-missing ' \
	'between edge001 port 19 and core01 L01 port 1 is missing'
sheet remove "$work/directors.net" 'core01 L03' >"$work/board.net"
check 'a line board' "$work/directors.json" "$work/words.csv" "$work/board.net" 'board-missing ' 'line board L03 of core01'
sheet remove "$work/board.net" 'edge001' >"$work/two.net"
check 'a line board and an edge switch' "$work/directors.json" "$work/words.csv" "$work/two.net" \
	'board-missing edge-isolated '

# Rows that cannot be right.
sheet wrong 60 "$work/plain.csv" >"$work/wrong.csv"
check 'wrong rows' "$work/directors.json" "$work/wrong.csv" "$work/directors.net" ''
test "$(grep -c "^$work/wrong.csv:[0-9]*:[0-9]*: " "$work/err")" = 32 &&
	grep -q "^$work/wrong.csv: 288 cables between switches, 288 hosts; .*60 rows cannot be right (lines [0-9, -]*" "$work/err"
result 'wrong rows are told' $?
check 'a fault beside wrong rows' "$work/directors.json" "$work/wrong.csv" "$work/cut.net" 'cable-missing '
sheet wrong 300 "$work/plain.csv" >"$work/wrong.csv"
"$ftplan" "$work/directors.json" --cables "$work/wrong.csv" --format json -o "$work/none" 2>"$work/err"
test $? = 3 && [ ! -e "$work/none" ] && [ "$(wc -l <"$work/err")" = 1 ] &&
	grep -q "^$work/wrong.csv:[0-9]*:[0-9]*: .* of 576 rows 300 do not fit the plan" "$work/err"
result 'a list of which most is wrong' $?

# Two cables of one host: what the list says of its end tells which is which.
cat >"$work/ports.json" <<'END'
{"ftcheck": 1, "name": "ports", "nodes": 4, "edge": {"ports": 4, "count": 2, "ports_to_nodes": 2, "ports_to_core": 2},
 "core": {"ports": 4, "count": 1}, "bind": {"edge": ["edge001", "edge002"], "core": ["core01"]}}
END
cat >"$work/ports.csv" <<'END'
Host,HCA,Port,Switch,Switch Port
node001,HCA-1,1,edge001,1
node001,HCA-2,1,edge002,1
node002,,1,edge001,2
node003,,1,edge002,2
END
"$ftplan" "$work/ports.json" --cables "$work/ports.csv" --format json -o "$work/ports.plan" &&
	grep -q '"name": "node001", "edge": "edge002", "port": 1, "adapter": "HCA-2", "adapter_port": 1}' "$work/ports.plan" &&
	grep -q '"name": "node003", "edge": "edge002", "port": 2}' "$work/ports.plan"
result 'adapters are taken from the list' $?
"$ftplan" "$work/ports.plan" --format cables >"$work/ports.cables" &&
	grep -q '^node001 HCA-2/1,edge002/1,node001 HCA-2,1,' "$work/ports.cables"
result 'adapters are in the list of cables' $?
"$ftplan" "$work/ports.plan" --format ibsim >"$work/ports.net" || exit 99
check 'adapters' "$work/ports.json" "$work/ports.csv" "$work/ports.net" ''
sed 's/node001 HCA-1/node001 HCA-3/; s/node001 HCA-2/node001 HCA-1/; s/node001 HCA-3/node001 HCA-2/' "$work/ports.net" >"$work/turned.net"
check 'adapters, exchanged' "$work/ports.json" "$work/ports.csv" "$work/turned.net" 'host-misplaced ' \
	"2 hosts are in each other's ports: node001 HCA-[12] port 1 is on edge00"
check 'adapters, exchanged, by the list of cables' "$work/ports.json" "$work/ports.cables" "$work/turned.net" \
	'host-misplaced '
sed 's/node001 HCA-2/other HCA-1/' "$work/ports.net" >"$work/lost.net"
check 'an adapter that is gone' "$work/ports.json" "$work/ports.csv" "$work/lost.net" 'hosts-missing ' \
	'node001 HCA-2 port 1 was not seen'

# Fabrics that were in production, by the design that is inferred of them; hosts of one were off then.
if [ -d "$fabrics" ]; then
	"$ftplan" --infer "$fabrics/topograph/example.out" >"$work/design.json" || exit 99
	every_style topograph "$work/design.json" "$fabrics/topograph/example.out" '' \
		B09-P1-IBLEAF-03-08 A10-P1-IBSPINE-03
	sheet remove "$fabrics/loginoff/topo" stage1 stage2 >"$work/off.net"
	"$ftplan" --infer "$work/off.net" >"$work/design.json" || exit 99
	every_style loginoff "$work/design.json" "$fabrics/loginoff/topo" '' ib2 ib8
	grep -q 'more hosts than the [0-9]* nodes of the design' "$work/err"
	result 'more hosts than the design has' $?
else
	echo 'ok - fabrics that were in production # SKIP no ../shared (captured fabrics)'
fi

exit $((failed > 0))
