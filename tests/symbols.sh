#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The programs run where the C library is glibc 2.34 (RHEL 9): they take no symbol of a later version.
set -u
export LC_ALL=C

newest=2.34
build=${FT_BUILDDIR:?}
failed=0

for tool in readelf sort; do
	command -v "$tool" >/dev/null || { echo "skipped: no $tool" >&2; exit 77; }
done

# later_than VERSION: those lines "SYMBOL VERSION" of standard input with a later version.
later_than()
{
	local name version

	while read -r name version; do
		[ "$(printf '%s\n' "$version" "$1" | sort -V | tail -n 1)" = "$1" ] || echo "$name is of glibc $version"
	done
}

# symbols FILE: "SYMBOL VERSION" of what it takes from glibc.
symbols()
{
	readelf --wide --dyn-syms "$1" | sed -nE 's/.* UND ([^@ ]+)@+GLIBC_([0-9.]+)( .*)?$/\1 \2/p'
}

for program in ftplan ftcheck ftcheckd; do
	[ -x "$build/$program" ] || continue
	if [ -z "$(symbols "$build/$program")" ]; then
		echo "ok - $program # SKIP it takes no versioned symbol: this is not glibc"
		continue
	fi
	late=$(symbols "$build/$program" | later_than "$newest")
	if [ -z "$late" ]; then
		echo "ok - $program takes nothing later than glibc $newest"
	else
		printf 'not ok - %s takes what glibc %s lacks\n' "$program" "$newest"
		printf '%s\n' "$late" | sed 's/^/  /'
		failed=1
	fi
done
exit $failed
