#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The systemd units as they are installed: systemd-analyze has nothing to say of them, they expose little, and what they
# name is what the other files install.
set -u
export LC_ALL=C

src=${FT_SRCDIR:?} build=${FT_BUILDDIR:?}
failed=0 passed=0
# What systemd-analyze security may say at most; its steps are tenths. One of them is setpriority(), which can only yield here.
exposure_max=16

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

ok()
{
	local what=$1

	shift
	if "$@" >"$work/out" 2>&1; then
		printf 'ok - %s\n' "$what"
		passed=$((passed + 1))
	else
		printf 'not ok - %s\n' "$what"
		sed 's/^/  /' "$work/out"
		failed=$((failed + 1))
	fi
}

silent()
{
	local status=0

	"$@" >"$work/silent" 2>&1 || status=$?
	cat "$work/silent"
	[ "$status" = 0 ] && [ ! -s "$work/silent" ]
}

# As make install leaves them, in a place of their own.
installed()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$build" install DESTDIR="$work/root"
}

# found PATTERN: the one installed file of that path.
found()
{
	find "$work/root" -path "$1" | head -n 1
}

# Names of units are those of their files; the program is taken from where it was installed to.
units_place()
{
	local unit file bin

	bin=$(dirname "$(found '*/ftcheckd')") || return 1
	for unit in ftcheckd.service ftcheckd@.service ftcheckd.socket; do
		file=$(found "*/$unit")
		[ -s "$file" ] || { echo "no $unit is installed"; return 1; }
		sed "s|^ExecStart=[^ ]*/ftcheckd|ExecStart=$bin/ftcheckd|" "$file" >"$work/units/$unit"
	done
}

verify()
{
	local pages man=yes

	command -v man >/dev/null || man=no
	pages=$(dirname "$(dirname "$(found '*/man8/ftcheckd.8*')")")
	silent env MANPATH="$pages" systemd-analyze verify --man="$man" "$work/units/$1"
}

exposure()
{
	systemd-analyze security --no-pager --offline=true --threshold="$exposure_max" "$work/units/$1"
}

# What one file says of another.
groups_agree()
{
	local group

	group=$(sed -n 's/^SupplementaryGroups=//p' "$work/units/ftcheckd.service")
	[ -n "$group" ] && grep -q "^g $group " "$(found '*/sysusers.d/*')" &&
		grep -q "GROUP=\"$group\"" "$(found '*/rules.d/*')"
}

# The rule is for umad and never for issm, whose opening would announce a subnet manager.
rule_is_for_umad()
{
	local rules

	rules=$(found '*/rules.d/60-ftcheckd.rules')
	[ "$(grep -c '^[^#]' "$rules")" = 1 ] &&
		grep -qx 'SUBSYSTEM=="infiniband_mad", KERNEL=="umad\*", GROUP="ftcheck", MODE="0660"' "$rules"
}

no_word_left()
{
	! grep -nE '@[a-z]+@' "$work/units"/*
}

# A program of its own configuration could be started, at least: it says what is wrong with it.
starts_as_the_unit_says()
{
	local command status=0

	command=$(sed -n 's/^ExecStart=//p' "$work/units/ftcheckd@.service" |
		sed "s|%I|mlx5_0:1|; s|%S|$work|; s|%i|mlx5_0:1|")
	# shellcheck disable=SC2086 # several words
	timeout 30 $command --config "$work/absent" || status=$?
	[ "$status" = "$(sed -n 's/^RestartPreventExitStatus=//p' "$work/units/ftcheckd.service")" ]
}

command -v systemd-analyze >/dev/null || { echo 'skipped: no systemd-analyze' >&2; exit 77; }
mkdir "$work/units" "$work/root"
ok 'make install' installed
ok 'all units are installed' units_place
for unit in ftcheckd.service ftcheckd@.service ftcheckd.socket; do
	ok "systemd-analyze verify is silent on $unit" verify "$unit"
done
for unit in ftcheckd.service ftcheckd@.service; do
	ok "systemd-analyze security gives $unit at most 1.$((exposure_max - 10))" exposure "$unit"
done
ok 'nothing is left to be filled in' no_word_left
ok 'the group of the units is that of sysusers.d and of the udev rule' groups_agree
ok 'the udev rule is for umad only' rule_is_for_umad
ok 'the status of a bad configuration is the one after which it is not started again' starts_as_the_unit_says
ok 'the shipped configuration is installed as it is' cmp "$src/etc/ftcheckd.conf" "$(found '*/ftcheck/ftcheckd.conf')"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
