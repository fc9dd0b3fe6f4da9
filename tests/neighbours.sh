# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Rows about Ethernet fabrics that lldp.py makes up: in a directory of their own, with the small fabric of "links" and its
# plan. To be sourced.
set -u
export LC_ALL=C

src=${FT_SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
ftcheck=${FT_BUILDDIR:?}/ftcheck
failed=0

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

# row WHAT COMMAND...
row()
{
	local what=$1

	shift
	if "$@"; then
		printf 'ok - %s\n' "$what"
	else
		printf 'not ok - %s\n' "$what"
		sed 's/^/  /' out
		failed=$((failed + 1))
	fi
}

# neighbours LINKS [OPTION]...: into the directory lldp, a file a machine.
neighbours()
{
	local links=$1

	shift
	rm -rf lldp
	python3 "$src/tests/lldp.py" links lldp "$@" <"$links"
}

# check PLAN [OPTION]...: what ftcheck says of lldp, in out, and its exit status in status.
check()
{
	local plan=$1

	shift
	"$ftcheck" --plan "$plan" "$@" --from lldp/* >out 2>&1
	status=$?
}

# is STATUS [LINE]...: that status, and just these findings: each of "SEVERITY CODE", sorted.
is()
{
	local expected=$1

	shift
	printf '%s\n' "$@" | sed '/^$/d' | sort >want
	sed -nE 's/^(warning|critical|info) ([a-z-]+): .*/\1 \2/p' out | sort >have
	[ "$status" = "$expected" ] && diff want have >>out
}

says()
{
	grep -qF -e "$1" out
}

cat >plan.json <<-'END'
	{"ftcheck": 1, "name": "small", "technology": "ethernet", "topology": "graph",
	 "switches": [{"name": "leaf[01-02]", "kind": "leaf", "ports": 8, "hosts": 2},
	              {"name": "spine[01-02]", "kind": "spine", "ports": 8}],
	 "links": [{"a": "leaf[01-02]", "b": "spine[01-02]", "count": 1}]}
END
cat >links <<-'END'
	leaf01 swp1 host1 eth0
	leaf01 swp2 host2 eth0
	leaf02 swp1 host3 eth0
	leaf02 swp2 host4 eth0
	leaf01 swp3 spine01 swp1
	leaf01 swp4 spine02 swp1
	leaf02 swp3 spine01 swp2
	leaf02 swp4 spine02 swp2
	leaf01 eth0 oob swp1
	leaf02 eth0 oob swp2
	spine01 eth0 oob swp3
END
