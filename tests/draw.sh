#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Drawings of plans and of reports, read by the programs that read such: xmllint, dot, rsvg-convert, as far as they are
# here.
set -u
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

ftplan=${FT_BUILDDIR:?}/ftplan ftcheck=$FT_BUILDDIR/ftcheck src=${FT_SRCDIR:?}
failed=0 passed=0

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

# ok WHAT COMMAND...: the command succeeds.
ok()
{
	local what=$1

	shift
	if "$@" >ok.out 2>&1; then
		printf 'ok - %s\n' "$what"
		passed=$((passed + 1))
	else
		printf 'not ok - %s\n' "$what"
		sed 's/^/  /' ok.out
		failed=$((failed + 1))
	fi
}

# is WHAT EXPECTED SEEN
is()
{
	ok "$1" test "$2" = "$3" || :
	[ "$2" = "$3" ] || printf '  expected: %s\n  seen: %s\n' "$2" "$3"
}

have()
{
	command -v "$1" >/dev/null && return
	printf '# no %s here: nothing asks it\n' "$1"
	return 1
}

have xmllint && xml=1 || xml=
have dot && graph=1 || graph=
have rsvg-convert && image=1 || image=

# readable NAME: NAME.svg and NAME.dot are what they should be.
readable()
{
	[ -z "$xml" ] || ok "$1: xmllint reads the SVG" xmllint --nonet --noout "$1.svg"
	[ -z "$image" ] || ok "$1: rsvg-convert draws it" rsvg-convert -o "$1.png" "$1.svg"
	[ -z "$graph" ] || ok "$1: dot reads the graph" timeout 60 dot -Tcanon -o "$1.canon" "$1.dot"
	[ -z "$graph" ] || is "$1: dot has nothing to say of it" '' "$(timeout 60 dot -Tcanon "$1.dot" 2>&1 >/dev/null)"
}

# count FILE TEXT: how many times it is there.
count()
{
	grep -oF -- "$2" "$1" | wc -l
}

# Nodes of a plain drawing with their places, seen from the first one, in tenths of an inch.
places()
{
	awk '$1 == "node" && !n++ { x = $3; y = $4 } $1 == "node" { printf "%s %d %d\n", $2, ($3 - x + .02) * 10, (y - $4 + .02) * 10 }'
}

plan()
{
	printf '{"ftcheck": 1, "name": "%s", %s}\n' "$1" "$2" >"$1.json"
	ok "$1: SVG" "$ftplan" --format svg -o "$1.svg" "$1.json"
	ok "$1: DOT" "$ftplan" --format dot -o "$1.dot" "$1.json"
	readable "$1"
}

tree='"topology": "fat-tree"'
plan star '"topology": "star", "nodes": 30, "edge": {"ports": 36}, "core": {"ports": 36}'
plan small "$tree"', "nodes": 60, "edge": {"ports": 36}, "core": {"ports": 36}'
plan uneven "$tree"', "nodes": 90, "blocking": 4, "edge": {"ports": 24}, "core": {"ports": 24}'
plan middle "$tree"', "nodes": 648, "edge": {"ports": 36}, "core": {"ports": 36}'
plan large "$tree"', "nodes": 209952, "edge": {"ports": 648}, "core": {"ports": 648}'
plan three "$tree"', "levels": 3, "nodes": 16, "edge": {"ports": 4}, "spine": {"ports": 4}, "core": {"ports": 4}'
plan pods "$tree"', "levels": 3, "nodes": 27648, "edge": {"ports": 48}, "spine": {"ports": 48}, "core": {"ports": 48}'
plan grid '"topology": "torus", "dims": [4, 5], "bundle": 1, "edge": {"ports": 8}'
plan names "$tree"', "nodes": 60, "edge": {"ports": 36}, "core": {"ports": 36},
	"bind": {"edge": ["a <b>&amp; \"c\"", "\\N\\l\\", "]]> -- }", "é 中文"]}'

is 'the same plan is drawn the same' "$("$ftplan" --format svg small.json | cksum)" "$(cksum <small.svg)"
if [ -n "$graph" ]; then
	dot -Tplain small.dot >small.plain
	is 'small: ten nodes in the graph' 10 "$(grep -c '^node ' small.plain)"
	is 'small: eight bundles and four times hosts' 12 "$(grep -c '^edge .* solid ' small.plain)"
	# Columns: node, name, x, y. Rows and columns of the torus are those of the drawing, with or without neato -n.
	dot -Tplain grid.dot >grid.plain
	is 'grid: rows' 4 "$(awk '$1 == "node" { print $4 }' grid.plain | sort -u | wc -l)"
	is 'grid: columns' 5 "$(awk '$1 == "node" { print $3 }' grid.plain | sort -u | wc -l)"
	is 'grid: as neato places it' "$(places <grid.plain)" "$(neato -n -Tplain grid.dot | places)"
	dot -Tsvg names.dot >names.drawn
	# shellcheck disable=SC1112
	is 'names: as they are, to a reader of the picture' 1 "$(count names.drawn '>a &lt;b&gt;&amp;amp; &quot;c&quot;<')"
	is 'names: backslashes too' 1 "$(count names.drawn '>\N\l\<')"
fi
if [ -n "$xml" ]; then
	is 'names: as they are, to a reader of the XML' 'a <b>&amp; "c"' \
		"$(xmllint --nonet --xpath 'string(//*[local-name()="text"][starts-with(., "a <b>")])' names.svg)"
fi

# What ftcheck sees in recorded fabrics: the small plan's, broken.
broken()
{
	local name=$1 status=$2

	shift 2
	ok "$name: the network" python3 "$src/tests/net.py" small.net "$name.net" "$@"
	"$ftcheck" --plan small.json --from "$name.net" --format svg >"$name.svg"
	is "$name: the exit status is the verdict" "$status" $?
	"$ftcheck" --plan small.json --from "$name.net" --format dot >"$name.dot"
	is "$name: of the graph too" "$status" $?
	readable "$name"
}

if have python3; then
	"$ftplan" --format ibsim small.json >small.net
	broken healthy 0
	is 'healthy: all bundles are whole' 9 "$(count healthy.svg '>9</text>')"
	is 'healthy: nothing is dashed' 0 "$(count healthy.svg stroke-dasharray)"
	broken core 2 remove core02
	is 'core: its four bundles are gone' 4 "$(count core.svg '>0/9</text>')"
	is 'core: the finding is beneath' 1 "$(count core.svg '>core-missing: ')"
	is 'core: the graph says so as well' 4 "$(count core.dot 'label="0/9"')"
	broken edge 2 without-hosts edge003 remove edge003
	is 'edge: its two bundles are gone' 2 "$(count edge.svg '>0/9</text>')"
	is 'edge: its hosts were not seen' 19 "$(count edge.svg 'stroke-dasharray="2 1.4"')"
	broken slow 1 rate edge002 core01 3 4xSDR
	is 'slow: one bundle has a slow cable' 1 "$(count slow.svg '9 cables, 1 slow')"
	broken stray 1 stray 0x777 'a <new> one' 36 edge004
	is 'stray: it is named' 1 "$(count stray.svg 'not in the plan: a &lt;new&gt; one')"
	is 'stray: in the graph too' 1 "$(count stray.dot 'label="a <new> one\n(not in the plan)"')"
fi

# A report that comes without its plan is not drawn.
"$ftcheck" --status --format svg >out 2>err
is 'no drawing of what ftcheckd says: status' 3 $?
is 'no drawing of what ftcheckd says: why' \
	"ftcheck: --format svg draws the plan, and ftcheckd's report comes without it; try 'ftcheck --help'" "$(cat err)"
is 'no drawing of what ftcheckd says: nothing is written' 0 "$(wc -c <out)"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
