#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What the programs, their man pages, their completions, the schemas and the README say about each other is the same.
set -u
export LC_ALL=C

src=${FT_SRCDIR:?} build=${FT_BUILDDIR:?}
failed=0 passed=0

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
# Where files are proposed, too, there are none.
mkdir "$work/empty" || exit 99

# same WHAT EXPECTED-LABEL EXPECTED-FILE SEEN-LABEL SEEN-FILE: two sorted lists are alike and not empty.
same()
{
	if [ ! -s "$3" ]; then
		printf 'not ok - %s: nothing found in %s\n' "$1" "$2"
		failed=$((failed + 1))
	elif cmp -s "$3" "$5"; then
		printf 'ok - %s (%d)\n' "$1" "$(wc -l <"$3")"
		passed=$((passed + 1))
	else
		printf 'not ok - %s\n' "$1"
		comm -23 "$3" "$5" | sed "s|^|  only in $2: |"
		comm -13 "$3" "$5" | sed "s|^|  only in $4: |"
		failed=$((failed + 1))
	fi
}

# ok WHAT COMMAND...: the command succeeds.
ok()
{
	local what=$1

	shift
	if "$@" >"$work/ok.out" 2>&1; then
		printf 'ok - %s\n' "$what"
		passed=$((passed + 1))
	else
		printf 'not ok - %s\n' "$what"
		sed 's/^/  /' "$work/ok.out"
		failed=$((failed + 1))
	fi
}

# help_fits PROGRAM: its --help fits a terminal of 80 columns, but for the paths that it was configured with.
help_fits()
{
	"$1" --help | awk 'length > 80 && !/^ +\// { print length ": " $0; bad = 1 } END { exit bad || !NR }'
}

# The options that a --help text explains: those at the beginning of a line, up to its explanation.
help_options()
{
	sed -n 's/^ *\(-[-A-Za-z].*\)$/\1/p' | sed -E 's/(  |\t).*//' | grep -oE '(^|[ ,|])--?[A-Za-z][A-Za-z_-]*' |
		tr -d ' ,|' | sort -u
}

# The options that an mdoc page lists: what stands behind Fl in its ".It" lines, up to the next macro.
man_options()
{
	awk '/^\.It Fl / {
		flag = 0
		for (i = 2; i <= NF; i++)
			if ($i ~ /^[A-Z][a-z]$/)
				flag = $i == "Fl"
			else if (flag && $i ~ /[a-zA-Z]/)
				print "-" $i
	}' "$1" | sort -u
}

# The options that a completion proposes after a lone dash.
completion_options()
{
	bash -c '
		. "$1" || exit 1
		COMP_WORDS=("$2" -) COMP_CWORD=1 COMPREPLY=()
		"_$2"
		printf "%s\n" "${COMPREPLY[@]}"
	' completion "$src/etc/completion/$1.bash" "$1" 2>/dev/null | sort -u
}

# The values that the completion of program $1 proposes for option $2, and those that man page $1 lists.
completion_values()
(
	cd "$work/empty" && bash -c '
		. "$1" || exit 1
		COMP_WORDS=("$2" "$3" "") COMP_CWORD=2 COMPREPLY=()
		"_$2"
		printf "%s\n" "${COMPREPLY[@]}"
	' completion "$src/etc/completion/$1.bash" "$1" "$2" 2>/dev/null | sort -u
)

# Words only, and not the file that may stand in their place.
man_values()
{
	grep -E "^\.It Fl (o , )?$2 " "$1" | head -n 1 | sed -e 's/.*Cm //' -e 's/| Ar .*//' | tr -d ' ' | tr '|' '\n' |
		grep . | sort -u
}

# The options for which a man page lists words.
man_options_of_words()
{
	sed -nE 's/^\.It Fl (o , )?(-[a-z-]+) Cm .*/\2/p' "$1"
}

# Those of zsh and fish, which make wrote, as these shells read them: options, and the words of one option.
zsh_specs()
{
	zsh -f -c '_arguments() { print -rl -- "$@" }; . "$1"' completion "$build/etc/completion/_$1"
}

zsh_options()
{
	zsh_specs "$1" | sed -nE 's/^(\([^)]*\))?(--?[A-Za-z][A-Za-z_-]*)[[+=].*/\2/p' | sed 's/-$//' | sort -u
}

zsh_values()
{
	zsh_specs "$1" | sed -nE "/^$2=/{ s/.*://; s/^\(|\)\$|^ _[a-z_]+ //g; p; }" | tr ' ' '\n' | grep . | sort -u
}

# fish_proposes PROGRAM WORDS: for the last of these words.
fish_proposes()
{
	# shellcheck disable=SC2016 # $argv is fish's
	HOME=$work fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$build/etc/completion/$1.fish" "$2" | cut -f1
}

fish_options()
{
	fish_proposes "$1" "$1 -" | sort -u
}

fish_values()
{
	(cd "$work/empty" && fish_proposes "$1" "$1 $2 ") | sort -u
}

# Without the daemon (configure --disable-daemon) there is nothing to hold its page against.
programs=(ftplan ftcheck)
[ ! -x "$build/ftcheckd" ] || programs+=(ftcheckd)

for program in "${programs[@]}"; do
	ok "$program: --help fits 80 columns" help_fits "$build/$program"
done

for program in ftplan ftcheck; do
	"$build/$program" --help >"$work/help" || { echo "not ok - $program --help fails"; failed=$((failed + 1)); }
	page=$src/man/$program.1
	help_options <"$work/help" >"$work/a"
	man_options "$page" >"$work/b"
	completion_options "$program" >"$work/c"
	same "$program: options of --help and of the man page" --help "$work/a" "$program.1" "$work/b"
	same "$program: options of --help and of the completion" --help "$work/a" completion "$work/c"
	while read -r option; do
		man_values "$page" "$option" >"$work/b"
		completion_values "$program" "-$option" >"$work/c"
		same "$program: values of -$option of the man page and of the completion" "$program.1" "$work/b" completion "$work/c"
	done < <(man_options_of_words "$page")
	man_values "$page" -format >"$work/b"
	while read -r format; do
		ok "$program: --help speaks of --format $format" grep -qw "$format" "$work/help"
	done <"$work/b"
	# shellcheck disable=SC2016 # $1 and $2 are the inner shell's
	ok "$program --version is the version of the package" bash -c '
		test "$("$1" --version)" = "$2 $(sed -n "s/^PACKAGE_VERSION = //p" "$3/Makefile")"
	' version "$build/$program" "$program" "$build"
done

# zsh and fish know the same, where they are there to ask.
for program in "${programs[@]}"; do
	page=$(echo "$src/man/$program".[18])
	"$build/$program" --help | help_options >"$work/a"
	for shell in zsh fish; do
		command -v $shell >/dev/null || { echo "ok - $program: completion of $shell # SKIP no $shell"; continue; }
		"${shell}_options" "$program" >"$work/b"
		same "$program: options of --help and of the completion of $shell" --help "$work/a" $shell "$work/b"
		while read -r option; do
			man_values "$page" "$option" >"$work/c"
			"${shell}_values" "$program" "-$option" >"$work/b"
			same "$program: values of -$option of the man page and of $shell" "$program.1" "$work/c" $shell "$work/b"
		done < <(man_options_of_words "$page")
	done
done

# Defaults that are numbers: "(default 16)" of the help and "The default is 16" of the man page, by long option.
"$build/ftcheck" --help | sed -nE 's/^.*(--[a-z_-]+) .*[(]default ([0-9]+)[;)].*/\1 \2/p' | sort -u >"$work/a"
awk '
	/^\.It Fl / { option = ""; for (i = 1; i <= NF; i++) if ($i ~ /^-[a-z_-]+$/) option = "-" $i }
	match($0, /^The default is [0-9]+/) { split(substr($0, RSTART, RLENGTH), word, " "); print option, word[4] }
' "$src/man/ftcheck.1" | sort -u >"$work/b"
same 'default numbers of ftcheck --help and of ftcheck.1' --help "$work/a" ftcheck.1 "$work/b"

# Codes: name and severity, as the program and as its man page have them.
"$build/ftcheck" --list-codes | awk 'NF { print $1, $2 }' | sort -u >"$work/a"
sed -nE 's/^\.It Cm ([a-z-]+) Pq ([a-z]+)$/\1 \2/p' "$src/man/ftcheck.1" | sort -u >"$work/b"
same 'finding codes of --list-codes and of ftcheck.1' --list-codes "$work/a" ftcheck.1 "$work/b"

# The README has a table of them.
cut -d' ' -f1 "$work/a" | sort -u >"$work/codes"
# shellcheck disable=SC2016 # the backquotes are Markdown's
sed -n '/^## Findings/,/^## /p' "$src/README.md" | grep -oE '^\| `[a-z-]+`' | tr -d '|` ' | sort -u >"$work/b"
same 'finding codes of --list-codes and of the README' --list-codes "$work/codes" README.md "$work/b"

# The daemon: options, keys and defaults of the configuration, fields and ids of journal entries, names of metrics.
page=$src/man/ftcheckd.8
if [ -x "$build/ftcheckd" ]; then
	ok 'ftcheckd --help' "$build/ftcheckd" --help
	"$build/ftcheckd" --help | help_options >"$work/a"
	man_options "$page" >"$work/b"
	completion_options ftcheckd >"$work/c"
	same 'ftcheckd: options of --help and of the man page' --help "$work/a" ftcheckd.8 "$work/b"
	same 'ftcheckd: options of --help and of the completion' --help "$work/a" completion "$work/c"
fi

# tests/test_conf holds the shipped file to be the program's own keys and defaults; the first few have none.
sed '/^# \[/,$d' "$src/etc/ftcheckd.conf" | sed -nE 's/^(# )?([a-z_]+) = (.+)$/\2 \3/p' |
	sed -E 's/^(plan|lldp|lldp_command|ca|port|m_key|node_name_map) .*/\1/' | sort -u >"$work/a"
awk '
	function flush() { if (key != "") print key (value == "" ? "" : " " value) }
	/^\.It Cm [a-z_]+ No = / { flush(); key = $3; value = "" }
	/^Default:$/ { getline; value = $2 }
	END { flush() }
' "$src/man/ftcheckd.conf.5" | sort -u >"$work/b"
same 'keys and defaults of ftcheckd.conf and of its page' ftcheckd.conf "$work/a" ftcheckd.conf.5 "$work/b"

grep -oE '^.\{"FTCHECK_[A-Z_]+"' "$src/daemon/fields.c" | tr -dc 'A-Z_\n' | sort -u >"$work/a"
sed -nE '/^\.Sh HOOKS/,/^Its standard input/p' "$page" | grep -oE 'FTCHECK_[A-Z_]+' | sort -u >"$work/b"
same 'fields of events and the environment of hooks in ftcheckd.8' fields.c "$work/a" ftcheckd.8 "$work/b"
{ cat "$work/a"; echo FTCHECK_FINDING; } | sort -u >"$work/c"
sed -nE '/^\.Ss The journal/,/^\.Sh HOOKS/p' "$page" | sed -nE 's/^\.(It )?Va (FTCHECK_[A-Z_]+)$/\2/p' | sort -u >"$work/b"
same 'fields of the journal in ftcheckd.8' fields.c "$work/c" ftcheckd.8 "$work/b"

# The rule that the page gives, applied to all codes; the ids that the page lists.
message_ids()
{
	{ "$build/ftcheck" --list-codes | awk 'NF { print $1 }'; echo link-flapping; echo alert-storm; } | sort -u | python3 -c '
import sys, uuid
space = uuid.UUID(sys.argv[1])
for code in sys.stdin.read().split():
    for event in "raised", "changed", "cleared":
        print(f"{code}/{event}", uuid.uuid5(space, f"{code}/{event}").hex)
' "$1" | sort -u
}

if command -v python3 >/dev/null; then
	message_ids "$(grep -oE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' "$page" | head -n 1)" >"$work/a"
	awk '/^\.It Cm [a-z-]+\/(raised|changed|cleared)$/ { name = $3; getline; print name, $1 }' "$page" | sort -u >"$work/b"
	same 'ids of messages by their rule and in ftcheckd.8' rule "$work/a" ftcheckd.8 "$work/b"
fi

metrics_exist()
{
	local name bad=0

	while read -r name; do
		grep -qF -e "(\"$name\"" -e "(\"${name#switch_}\"" "$src/daemon/metrics.c" || { echo "no metric $name"; bad=1; }
	done < <(grep -oE '\bftcheck_[a-z_]+' "$page" | grep -vE '^ftcheck_alert$' | sed 's/^ftcheck_//')
	return $bad
}
ok 'the metrics that ftcheckd.8 names are there' metrics_exist

# The keys of the design file and of the report: schema and man page.
schema_keys()
{
	python3 - "$1" <<-'PY'
		import json, sys
		keys = set()
		def walk(node):
		    if isinstance(node, dict):
		        for name, child in node.items():
		            if name in ("properties", "patternProperties") and isinstance(child, dict):
		                if name == "properties":
		                    keys.update(child)
		                for sub in child.values():
		                    walk(sub)
		            elif name not in ("enum", "const", "default", "examples"):
		                walk(child)
		    elif isinstance(node, list):
		        for child in node:
		            walk(child)
		walk(json.load(open(sys.argv[1], encoding="utf-8")))
		print("\n".join(sorted(keys)))
	PY
}

# missing_words KEYS-FILE PAGE: the keys that the page nowhere marks up as words of the format.
missing_words()
{
	local key

	sed -nE '/^[.](It )?(Va|Cm|Li|Dv|Ql|Qq|Pq) / { s/[\][(]dq/"/g; p }' "$2" >"$work/marked"
	while read -r key; do
		grep -qwF -- "$key" "$work/marked" || echo "$key"
	done <"$1"
}

keys_documented()
{
	local missing

	[ -s "$1" ] || { echo 'the schema knows no key'; return 1; }
	[ -r "$2" ] || { echo "there is no ${2##*/}"; return 1; }
	missing=$(missing_words "$1" "$2")
	[ -z "$missing" ] || { echo "not documented: $missing"; return 1; }
}

# Each figure of the report, as "counts.uplinks.up". Lists are named like what they list; a place is described once.
figures_of_schema()
{
	python3 - "$src/etc/report.schema.json" <<-'PY' | sort -u
		import json, sys
		schema = json.load(open(sys.argv[1], encoding="utf-8"))
		def walk(node, path):
		    kind = node.get("$ref", "").rpartition("/")[2]
		    if kind and (kind != "place" or path == "place"):
		        node = schema["definitions"][kind]
		    if "items" in node:
		        return walk(node["items"], path)
		    if "properties" not in node:
		        print(path)
		    for name, child in node.get("properties", {}).items():
		        walk(child, f"{path}.{name}" if path else name)
		walk(schema, "")
		walk(schema["definitions"]["place"], "place")
	PY
}

# figures_of_page FROM TO: what the entries of ftcheck-report.5 between these lines are about.
figures_of_page()
{
	sed -n "/$1/,/$2/p" "$src/man/ftcheck-report.5" | sed -n 's/^\.It [VC][am] //p' | tr -d ' ' | tr ',' '\n' | sort -u
}

if command -v python3 >/dev/null; then
	schema_keys "$src/etc/design.schema.json" >"$work/keys"
	ok 'every design key of the schema is in ftcheck-design.5' \
		keys_documented "$work/keys" "$src/man/ftcheck-design.5"
	schema_keys "$src/etc/catalog.schema.json" >"$work/keys"
	ok 'every catalog key of the schema is in ftcheck-catalog.5' \
		keys_documented "$work/keys" "$src/man/ftcheck-catalog.5"
	# Of the report each figure has an entry of its own, by its path.
	figures_of_schema >"$work/a"
	figures_of_page '^\.Sh THE JSON REPORT' '^\.Ss One switch' >"$work/b"
	same 'the figures of the report' report.schema.json "$work/a" ftcheck-report.5 "$work/b"
	schema_keys "$src/etc/build.schema.json" >"$work/keys"
	ok 'every key of the build is in ftcheck-report.5' keys_documented "$work/keys" "$src/man/ftcheck-report.5"
fi

# Those of the metrics, of Nagios and of the page, by the code that writes them.
if [ -x "$build/ftcheckd" ]; then
	{
		sed -nE 's/^\t(GAUGE|COUNTER|REPORT|IMPACT)\("([a-z_]+)",.*/ftcheck_\2/p' "$src/daemon/metrics.c"
		sed -nE 's/^\tSWITCH\("([a-z_]+)",.*/ftcheck_switch_\1/p' "$src/daemon/metrics.c"
	} | sort -u >"$work/a"
	figures_of_page '^\.Ss Metrics' '^\.Ss The page' >"$work/b"
	same 'the metrics' metrics.c "$work/a" ftcheck-report.5 "$work/b"
	{
		grep -oE 'member_add\(t, "[a-z_]+"' "$src/daemon/summary.c" | sed 's/.*"\(.*\)"/\1/'
		grep -oE '\\"[a-z_]+\\": ' "$src/daemon/summary.c" | tr -d '\\": '
		grep -oE 'ft_alerts_add_time\(t, "[a-z_]+"' "$src/daemon/summary.c" | sed 's/.*"\(.*\)"/\1/'
	} | sort -u >"$work/a"
	figures_of_page '^\.Ss The page' '^\.Ss A fabric that is' >"$work/b"
	same 'the figures of the page' summary.c "$work/a" ftcheck-report.5 "$work/b"
fi
grep -oE '[ |"][a-z_]+=%' "$src/verify/report/nagios.c" | tr -d ' |"=%' | sort -u >"$work/a"
figures_of_page '^\.Ss The line for Nagios' '^\.Ss Metrics' >"$work/b"
same 'the figures for Nagios' nagios.c "$work/a" ftcheck-report.5 "$work/b"

# mandoc's own database of other pages is none of this project's.
man_clean()
{
	local notes

	notes=$(mandoc -T lint "$1" 2>&1 | grep -vE 'referenced manual not found|outdated mandoc.db|missing mandoc.db')
	[ -z "$notes" ] || { printf '%s\n' "$notes"; return 1; }
}

# A macro that reaches too far puts a quote, a list or the end of a parenthesis within a quote.
man_quotes()
{
	local wrong

	wrong=$(mandoc -T utf8 "$1" 2>/dev/null | sed 's/.\x08//g' | tr -s ' \t\n' ' ' |
		sed 's/\xe2\x80\x98/\x01/g; s/\xe2\x80\x99/\x02/g' |
		grep -aoE $'\x01[^\x02]*\x01[^\x02]*\x02|\x01[^\x02]*, [^\x02]*\x02|\x01[^\x02(]*[)][^\x02]*\x02' | tr '\001\002' '<>')
	[ -z "$wrong" ] || { printf '%s\n' "$wrong"; return 1; }
}

if command -v mandoc >/dev/null; then
	for page in "$src"/man/*.[1-8]; do
		ok "mandoc finds no fault in $(basename "$page")" man_clean "$page"
		ok "quotes close where they should in $(basename "$page")" man_quotes "$page"
	done
fi

# Relative links of the README lead to files, and its sample design is one.
links_lead_somewhere()
{
	local link bad=0

	while read -r link; do
		[ -e "$src/$link" ] || { echo "no such file: $link"; bad=1; }
	done < <(grep -oE '\]\([^)#]+' "$src/$1" | sed 's/^](//' | grep -vE '^[a-z]+:')
	return $bad
}

for text in README.md doc/guide.md CONTRIBUTING.md CHANGELOG.md RELEASING.md SECURITY.md; do
	ok "links of $text" links_lead_somewhere "$text"
done

# shellcheck disable=SC2016
sed -n '/^```json design$/,/^```$/p' "$src/README.md" | sed '1d;$d' >"$work/design.json"
ok 'the design that the README shows is a design' "$build/ftplan" "$work/design.json"
# The reports that the README shows are what ftcheck prints: of the sample's fabric as planned, with one cable pulled, and
# with two exchanged.
sample=$src/etc/examples/sample.json
reports_print()
{
	local net

	"$build/ftplan" --format ibsim "$sample" >"$work/healthy" || return 1
	awk '
		/^Switch/ { node = $3 }
		node ~ /100001"/ && /^\[19\]/ || node ~ /100005"/ && /^\[1\]/ { gone++; next }
		{ print }
		END { exit gone != 2 }
	' "$work/healthy" >"$work/pulled" || return 1
	awk '
		/^Switch/ { node = $3 }
		node ~ /100001"/ && /^\[27\]/ { sub(/100005"\[9\]/, "100006\"[10]") }
		node ~ /100002"/ && /^\[28\]/ { sub(/100006"\[10\]/, "100005\"[9]") }
		node ~ /100005"/ && /^\[9\]/ { sub(/100001"\[27\]/, "100002\"[28]") }
		node ~ /100006"/ && /^\[10\]/ { sub(/100002"\[28\]/, "100001\"[27]") }
		{ print }
	' "$work/healthy" >"$work/swapped"
	for net in healthy pulled swapped; do
		"$build/ftcheck" --plan "$sample" --from "$work/$net" --verbose
	done | sort -u
}

readme_reports()
{
	grep -E '^    ((OK|WARNING|CRITICAL|UNKNOWN) sample: |(warning|critical|info) [a-z]+-|    id |name  |(edge|core)[0-9]+ )' \
		"$src/README.md" | sed 's/^    //' | sort -u
}

reports_print >"$work/all"
readme_reports >"$work/a"
# Those that the README shows, as the program prints them.
grep -Fx -f "$work/a" "$work/all" >"$work/b"
same 'the reports that the README shows' README.md "$work/a" ftcheck "$work/b"

# The figure is the drawing of two swapped cables and a missing one.
figure_is_drawn()
{
	awk '
		/^Switch/ { node = $3 }
		node ~ /100003"/ && /^\[19\]/ || node ~ /100005"/ && /^\[19\]/ { next }
		{ print }
	' "$work/swapped" >"$work/figure"
	"$build/ftcheck" --plan "$sample" --from "$work/figure" --format svg | diff - "$src/doc/fabric.svg"
}
ok 'the figure of the README is what ftcheck draws' figure_is_drawn

"$build/ftplan" "$sample" | sort -u >"$work/all"
sed -n '/^    sample: a plan/,/^    \[\.\.\.\]/p' "$src/README.md" | sed 's/^    //; /^\[\.\.\.\]$/d; /^$/d' | sort -u >"$work/a"
grep -Fx -f "$work/a" "$work/all" >"$work/b"
same 'the plan that the README shows' README.md "$work/a" ftplan "$work/b"

# Packages are of this version.
package_versions()
{
	local version

	version=$(sed -n 's/^PACKAGE_VERSION = //p' "$build/Makefile")
	sed -n '1s/.*(\(.*\)-[0-9]*).*/debian \1/p' "$src/debian/changelog"
	sed -n 's/^Version: */spec /p' "$src/ftcheck.spec"
	sed -n '/^%changelog/,$p' "$src/ftcheck.spec" | sed -n '2s/.* - \(.*\)-[0-9]*$/log \1/p'
	[ "$(sed -n '1s/.*(\(.*\)-[0-9]*).*/\1/p' "$src/debian/changelog")" = "$version" ] &&
		grep -qxE "Version: +$version" "$src/ftcheck.spec" &&
		sed -n '/^%changelog/,$p' "$src/ftcheck.spec" | sed -n 2p | grep -qE " - $version-[0-9]+\$"
}
ok 'debian/changelog and ftcheck.spec are of this version' package_versions

ok 'there is a line for this version in the changelog' \
	grep -qE "^## \[($(sed -n 's/^PACKAGE_VERSION = //p' "$build/Makefile")|Unreleased)\]" "$src/CHANGELOG.md"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
