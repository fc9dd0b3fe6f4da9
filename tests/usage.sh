#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What the programs say to a command line or a file that they cannot take: one line that says what to do, exit status 3,
# and nothing on standard output.
set -u
export LC_ALL=C

build=${FT_BUILDDIR:?}
failed=0 passed=0

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
cp "${FT_SRCDIR:?}/etc/examples/sample.json" design.json
"$build/ftplan" --format ibsim design.json >fabric || exit 99
: >cables.csv

# refused PROGRAM WHAT LINE ARGUMENT...: that line of standard error comes first.
refused()
{
	local program=$1 what=$2 line=$3 status

	shift 3
	"$build/$program" "$@" >out 2>err </dev/null
	status=$?
	if [ $status = 3 ] && [ ! -s out ] && [ "$(head -n 1 err)" = "$line" ]; then
		printf 'ok - %s: %s\n' "$program" "$what"
		passed=$((passed + 1))
	else
		printf 'not ok - %s: %s\n  exit status %s, says: %s\n  expected: %s\n' \
			"$program" "$what" $status "$(head -n 1 out err)" "$line"
		failed=$((failed + 1))
	fi
}

# ftcheck_refuses WHAT LINE ARGUMENT...: for its command line.
ftcheck_refuses()
{
	local what=$1 line=$2

	shift 2
	refused ftcheck "$what" "ftcheck: $line; try 'ftcheck --help'" "$@"
}

# ---- values where there are none, and arguments that belong to no option ----

ftcheck_refuses 'seconds of --counters' '"60" belongs to no option; write --counters=60' --plan design.json --counters 60
ftcheck_refuses 'seconds of --counters behind --routes' '"60" belongs to no option; write --counters=60' \
	--plan design.json --routes --counters 60
ftcheck_refuses 'a port of --status' '"9683" belongs to no option; write --status=9683' --status 9683
ftcheck_refuses 'an address of --status' '"[::1]:9683" belongs to no option; write --status=[::1]:9683' --status '[::1]:9683'
ftcheck_refuses 'an address alone' \
	'"127.0.0.1:9683" belongs to no option; to ask the daemon there, write --status=127.0.0.1:9683' 127.0.0.1:9683
ftcheck_refuses 'a design alone' \
	'"design.json" belongs to no option; the design goes behind --plan: --plan design.json' design.json
ftcheck_refuses 'a fabric alone' \
	'"fabric" belongs to no option; a recorded fabric goes behind --from: --from fabric' --plan design.json fabric
ftcheck_refuses 'a list of cables alone' \
	'"cables.csv" belongs to no option; a list of cables goes behind --cables: --cables cables.csv' \
	--plan design.json cables.csv
ftcheck_refuses 'a value of an option without one' '"yes" belongs to no option; --sm takes no value' \
	--plan design.json --sm yes
ftcheck_refuses 'anything else' \
	'"nothing" belongs to no option; the design goes behind --plan, a recorded fabric behind --from' \
	--plan design.json -- nothing
ftcheck_refuses 'bytes that a terminal would obey' \
	'"\x1b[2J" belongs to no option; the design goes behind --plan, a recorded fabric behind --from' $'\e[2J'
ftcheck_refuses 'a value behind =' '--sm takes no value' --sm=yes
ftcheck_refuses 'no value' '--plan needs a value behind it' --plan
ftcheck_refuses 'no value of a letter' '-C needs a value behind it' -C
ftcheck_refuses 'a slip of the pen' 'there is no option --plna (did you mean --plan?)' --plna=design.json
ftcheck_refuses 'one dash' 'there is no option -p (did you mean --plan?)' -plan design.json
ftcheck_refuses 'an unknown letter in a group' 'there is no option -x' -vx
ftcheck_refuses 'an unknown option' 'there is no option --frobnicate' --frobnicate
ftcheck_refuses 'a short form of several' '--re is short for several: --repair, --retries' --re
for option in '-C mlx5_0' '-P 1' '-t 5' '-o 5' '--engine libibumad' '--max-smps-per-switch 5' '--max-smps-per-second 5' \
	'--retries 5' '--deadline 5' --sm --counters; do
	# shellcheck disable=SC2086 # an option and its value
	ftcheck_refuses "$option with --from" \
		"${option%% *} is for the live fabric, and --from reads a recorded one: leave out one of them" \
		--plan design.json --from fabric $option
done

refused ftplan 'a number alone' 'ftplan: a number of nodes goes behind --nodes: 600' 600
refused ftplan 'a slip of the pen' 'ftplan: there is no option --formt (did you mean --format?)' --formt=csv design.json
refused ftplan 'a short form of several' 'ftplan: --nod is short for several: --node-name-map, --nodes, --nodes-max' --nod 5
refused ftplan 'no value' 'ftplan: --output needs a value behind it' design.json -o
refused ftplan 'an unknown figure' \
	"ftplan: --pareto takes two different figures out of cost, power_w, size_u, weight_kg, switches, cables, links, blocking, spare_ports, expandable_to, clos, edge_count, spine_count, core_count, ports_to_nodes, ports_to_core, bundle, such as cost,power_w: cost,foo" \
	--nodes 5 --pareto cost,foo

if [ -x "$build/ftcheckd" ]; then
	refused ftcheckd 'an argument' \
		"ftcheckd: \"design.json\" belongs to no option; the configuration goes behind --config, and names the plan; try 'ftcheckd --help'" \
		design.json
	refused ftcheckd 'a slip of the pen' \
		"ftcheckd: there is no option --confg (did you mean --config?); try 'ftcheckd --help'" --confg=x
	refused ftcheckd 'no value' "ftcheckd: --config needs a value behind it; try 'ftcheckd --help'" --config
fi

# ---- quickstart ----

# quick WHAT LINE ARGUMENT...: exit status 2, and that line first.
quick()
{
	local what=$1 line=$2 status

	shift 2
	"$FT_SRCDIR/quickstart" "$@" >out 2>err </dev/null
	status=$?
	if [ $status = 2 ] && [ ! -s out ] && [ "$(head -n 1 err)" = "$line" ] && grep -q '^usage: ' err; then
		printf 'ok - quickstart: %s\n' "$what"
		passed=$((passed + 1))
	else
		printf 'not ok - quickstart: %s\n  exit status %s, says: %s\n' "$what" $status "$(head -n 1 out err)"
		failed=$((failed + 1))
	fi
}
quick 'an unknown command' 'quickstart: unknown command "foo"' foo
quick 'too many arguments' 'quickstart: too many arguments for "test"' test foo

# ---- files ----

# json_refused LINE:COLUMN:_WHAT TEXT: of a design.
json_refused()
{
	printf '%s\n' "$2" >bad.json
	refused ftplan "$1" "bad.json:$1" bad.json
	refused ftcheck "$1" "bad.json:$1" --plan bad.json --from fabric
}

json_refused '1:14: a comma before }: take it out' '{"ftcheck": 1,}'
json_refused "1:1: JSON has no comments: take this out (a design's notes go into \"why\")" '// a fabric'
json_refused "1:14: JSON has no comments: take this out (a design's notes go into \"why\")" '{"ftcheck": 1/* why? */}'
json_refused '1:2: JSON takes double quotation marks ("), not single ones' "{'ftcheck': 1}"
json_refused '1:2: quotation marks are missing: write "ftcheck"' '{ftcheck: 1}'

# A mark of UTF-8 in front is no fault.
printf '\xef\xbb\xbf' | cat - design.json >marked.json
"$build/ftplan" marked.json --format json >plan.json
if "$build/ftplan" design.json --format json | cmp - plan.json; then
	echo 'ok - a design with a mark of UTF-8'
	passed=$((passed + 1))
else
	echo 'not ok - a design with a mark of UTF-8'
	failed=$((failed + 1))
fi

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
