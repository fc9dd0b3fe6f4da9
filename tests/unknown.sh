#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Where there is no report, ftcheck says why in one line: on standard error or, with --format nagios, as the UNKNOWN line
# of a monitor on standard output. The exit status is 3.
set -u

ftcheck=${FT_BUILDDIR:?}/ftcheck
ftplan=${FT_BUILDDIR:?}/ftplan
sample=${FT_SRCDIR:?}/etc/examples/sample.json
failed=0

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cd "$work" || exit 99

printf '{"ftcheck": 1,\n "name": "x",\n "nodes": }' >bad.json
printf 'no fabric\n' >bad.net
printf '{"ftcheck": 1, "name": "other", "nodes": 648, "edge": {"ports": 36}, "core": {"ports": 36}}' >other.json
"$ftplan" --format ibsim "$sample" >healthy.net || exit 99

# says WHAT STREAM LINE ARGUMENT...: exit status 3 and this line, of an extended regular expression, on out or err, and
# nothing on the other.
says()
{
	local what=$1 stream=$2 line=$3 status other

	shift 3
	"$ftcheck" "$@" >out 2>err
	status=$?
	[ "$stream" = out ] && other=err || other=out
	# With --verbose, which plan that is.
	sed -i '/^    by the plan other, hash [0-9a-f]\{12\}$/d' out
	if [ "$status" = 3 ] && [ "$(wc -l <"$stream")" = 1 ] && grep -qxE "$line" "$stream" && [ ! -s "$other" ]; then
		printf 'ok - %s\n' "$what"
		return
	fi
	printf 'not ok - %s: status %s\n' "$what" "$status"
	sed 's/^/  out: /' out
	sed 's/^/  err: /' err
	failed=$((failed + 1))
}

# both WHAT REASON ARGUMENT...: the reason in both forms, wherever --format stands.
both()
{
	local what=$1 reason=$2

	shift 2
	says "$what" err "(ftcheck: )?$reason" "$@"
	says "$what, for Nagios" out "FTCHECK UNKNOWN - $reason" "$@" --format nagios
	says "$what, for Nagios, said first" out "FTCHECK UNKNOWN - $reason" --format=nagios "$@"
}

both 'no plan' "--plan FILE is missing, and there is no design in .*/ftcheck; try 'ftcheck --help'"
both 'no such option' ".*--bogus.*" --bogus
both 'no such letter' ".*-x.*" -x
both 'a value too many' ".*--repair.*" --repair=3
both 'a bad threshold' "--warning takes a percentage from 1 to 100, not \"0\"; try 'ftcheck --help'" -w 0
both 'thresholds the wrong way round' "--warning 60 is more than --critical 50: .*" -w 60 --plan "$sample"
both 'a bad number' "--deadline takes a number from 1 to 86400, not \"x\"; try 'ftcheck --help'" --deadline x
both 'no such plan' 'none.json: No such file or directory' --plan none.json
both 'a bad plan' 'bad.json:3:11: .*' --plan bad.json
both 'a bad fabric' 'bad.net:1:1: .*' --plan "$sample" --from bad.net
both 'nobody to ask' 'ftcheckd does not answer on 127.0.0.1:1: Connection refused' --status=1
says 'a value too few' err 'ftcheck: .*--plan.*' --plan
says 'a value too few, for Nagios' out 'FTCHECK UNKNOWN - .*-P.*' --format nagios -P
says 'of two formats the last' err 'none.json: No such file or directory' --format nagios --format text --plan none.json
says 'a bar' out 'FTCHECK UNKNOWN - a/b: No such file or directory' --plan 'a|b' --format nagios

# The design of another fabric.
text='this is the design of another fabric: of its 648 cables between switches [0-9] are there, and of the 72 that are there [67][0-9] are not in it'
says "another fabric's design" out "UNKNOWN other: ${text}[.] Fix: .*" --plan other.json --from healthy.net --verbose
says "another fabric's design, for Nagios" out "FTCHECK UNKNOWN - other: ${text}" --plan other.json --from healthy.net \
	--format nagios --repair --after 1

[ "$failed" -eq 0 ]
