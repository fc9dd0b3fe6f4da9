#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
#   tests/packages.sh DEBS CACHE
#
# The Debian packages in DEBS in a fresh Debian 12: installed, upgraded, removed and purged as a user would, with the
# service under systemd where namespaces are permitted. CACHE keeps that fresh Debian for the next time. Not a part of
# make check: it wants root, and a mirror of Debian once. .ci/run packages calls it.
# shellcheck disable=SC2016 # what is in single quotes is for the shell in that root directory, or for apt
set -u
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

FT_SRCDIR=${FT_SRCDIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
# shellcheck source=tests/boot.sh
. "$FT_SRCDIR/tests/boot.sh"

[ $# = 2 ] || { echo "usage: $0 DEBS CACHE" >&2; exit 2; }
debs=$(cd "$1" && pwd) || exit 2
mkdir -p "$2" && cache=$(cd "$2" && pwd) || exit 2
suite=bookworm
fresh=$cache/$suite
failed=0 skipped=0

[ "$(id -u)" = 0 ] || cannot 'only root can make a root directory'
for tool in debootstrap apt-get dpkg-deb chroot; do
	command -v "$tool" >/dev/null || cannot "no $tool"
done

# ---- a fresh Debian ----

# "URI SUITE" of what this machine itself installs Debian from, the first of them that of the suite itself.
mirrors()
{
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Component: main' 'Origin: Debian' |
		awk -v suite="$suite" '$2 == suite || index($2, suite "-") == 1' | sort -u | sort -s -k2,2
}

# What is behind a proxy here is behind it there.
proxies()
{
	apt-config dump | grep -E '^Acquire::https?::Proxy '
}

# What the guide takes from Debian.
with='infiniband-diags ibsim-utils'

# The same as long as it would be made the same.
stamp()
{
	{ mirrors; echo "$with"; sed -n '/^Package:/,$p' "$FT_SRCDIR/debian/control"; declare -f fresh_make; } | sha256sum
}

# fresh_make: with systemd, and with the packages that ours depend on in the cache of its apt, but not installed.
fresh_make()
{
	local uri release

	rm -rf "$fresh"
	read -r uri _ < <(mirrors)
	[ -n "$uri" ] || cannot "apt of this machine knows no mirror of $suite"
	http_proxy=$(apt-config shell value Acquire::http::Proxy | sed "s/^value='\(.*\)'\$/\1/") \
		debootstrap --variant=minbase --include=systemd "$suite" "$fresh" "$uri" >"$cache/debootstrap.log" 2>&1 || {
		tail -n 20 "$cache/debootstrap.log"
		return 1
	}
	mirrors | while read -r uri release; do
		echo "deb $uri $release main"
	done >"$fresh/etc/apt/sources.list"
	proxies >"$fresh/etc/apt/apt.conf.d/90proxies"
	cp -L /etc/resolv.conf "$fresh/etc/resolv.conf"
	printf '#!/bin/sh\nexit 101\n' >"$fresh/usr/sbin/policy-rc.d"
	chmod +x "$fresh/usr/sbin/policy-rc.d"
	echo force-unsafe-io >"$fresh/etc/dpkg/dpkg.cfg.d/unsafe-io"
	packages_into "$fresh"
	if ! chroot "$fresh" env "with=$with" sh -c 'apt-get -q -y update &&
		apt-get -q -y --no-install-recommends --download-only install /packages/*.deb $with' >"$cache/apt.log" 2>&1; then
		tail -n 20 "$cache/apt.log"
		return 1
	fi
	rm -rf "$fresh/packages" "$fresh/next" "$fresh/usr/sbin/policy-rc.d"
	stamp >"$fresh.stamp"
}

# packages_into ROOT: ours, of this version and of the next one, in /packages and /next.
packages_into()
{
	local deb name

	mkdir -p "$1/packages" "$1/next"
	for deb in "$debs"/*.deb; do
		case $deb in *-dbgsym_*) continue ;; esac
		name=$(dpkg-deb -f "$deb" Package)
		cp "$deb" "$1/packages/$name.deb"
		[ -e "$cache/next/$name.deb" ] || next_make "$deb" "$cache/next/$name.deb"
		cp "$cache/next/$name.deb" "$1/next/"
	done
}

# next_make DEB NEW: the same one under the next version, whose configuration has one more line.
next_make()
{
	local tree=$cache/next/tree conf version next

	rm -rf "$tree"
	mkdir -p "$cache/next"
	dpkg-deb -R "$1" "$tree" || return 1
	version=$(dpkg-deb -f "$1" Version)
	next=$version+next1
	sed -i -e "s/^Version: .*/Version: $next/" -e "s/(= $version)/(= $next)/" "$tree/DEBIAN/control"
	conf=$tree/etc/ftcheck/ftcheckd.conf
	[ ! -e "$conf" ] || echo '# Of the next version.' >>"$conf"
	(cd "$tree" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | xargs -0 md5sum >DEBIAN/md5sums)
	dpkg-deb --root-owner-group -b "$tree" "$2" >/dev/null
	rm -rf "$tree"
}

# ---- reporting ----

# ok WHAT COMMAND...: it succeeds, in the root where it runs.
ok()
{
	local what=$1

	shift
	if "$@" >"$cache/said" 2>&1; then
		echo "ok - $what"
	else
		echo "not ok - $what"
		tail -n 30 "$cache/said" | sed 's/^/  /'
		failed=$((failed + 1))
	fi
}

# sh_ok WHAT COMMANDS: of a shell in that root.
sh_ok()
{
	ok "$1" in_root sh -e -c "$2"
}

# service_ok WHAT COMMANDS: where systemd runs.
service_ok()
{
	[ -z "$BOOT_PID" ] || sh_ok "$@"
}

# in_root COMMAND...: beside that systemd, or at least in a root directory of its own.
in_root()
{
	if [ -n "$BOOT_PID" ]; then
		inside "$@"
	else
		chroot "$root" "$@"
	fi
}

# apt ARGS...: as a user types it, from what is there already.
apt()
{
	in_root apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold "$@"
}

at_exit()
{
	boot_stop
	rm -rf "$cache/root" "$cache/top" "$cache/next" "$cache/said"
}
trap at_exit EXIT
trap 'exit 130' INT TERM HUP

# ---- where ----

rm -rf "$cache/next"
if [ "$(cat "$fresh.stamp" 2>/dev/null)" = "$(stamp)" ]; then
	echo "note: Debian $suite is that of an earlier run"
else
	fresh_make || { echo "not ok - a fresh Debian $suite"; exit 1; }
fi
echo "note: Debian $suite is there after $SECONDS s"

# A network of its own, too.
reason=$(boot_refused) && [ -z "${FT_PACKAGES_NET-}" ] && FT_PACKAGES_NET=1 exec unshare --net bash "${BASH_SOURCE[0]}" "$@"
if [ -z "$reason" ]; then
	mkdir -p "$cache/root"
	packages_into "$cache/root"
	rm -rf "$cache/top"
	boot_start "$cache/top" "$fresh" "$cache/root"
	case $? in
	0) ;;
	77) reason='no control group can be made' ;;
	*)
		tail -n 20 "$cache/top.console"
		reason='systemd does not come up in namespaces here'
		;;
	esac
fi
if [ -n "$reason" ]; then
	boot_stop
	echo "skipped: the service under systemd: $reason"
	skipped=1
	root=$cache/root
	rm -rf "$root"
	cp -a "$fresh" "$root"
	packages_into "$root"
fi

# ---- following the guide ----

# guide: each command of it, as it is shown; what was installed so is removed again.
guide()
{
	in_root sh -e -c '
		mkdir /opt/guide
		for name in ftcheck ftcheckd ftcheck-doc; do
			cp "/packages/$name.deb" "/opt/guide/${name}_1_all.deb"
		done
		# What is installed is there already; nothing else is to be had.
		printf "%s\n" "APT::Install-Recommends false;" "Dpkg::Use-Pty 0;" "quiet 2;" >/etc/apt/apt.conf.d/91guide'
	python3 "$FT_SRCDIR/tests/guide_typed.py" "$FT_SRCDIR/doc/guide.md" \
		nsenter --target "$BOOT_INIT" --mount --uts --ipc --pid --cgroup --root -- sh -c 'cd /opt/guide && exec bash'
}

if [ -n "$BOOT_PID" ]; then
	start=$SECONDS
	ok 'the guide can be followed to the letter' guide
	grep -E '^not ok' "$cache/said"
	echo "note: the guide took $((SECONDS - start)) s"
	ok '... and all of it be purged' apt purge ftcheck ftcheckd ftcheck-doc
	in_root sh -c 'rm -rf /opt/guide /etc/ftcheck /etc/systemd/system/ftcheckd.service.d /etc/apt/apt.conf.d/91guide; systemctl daemon-reload'
fi

# ---- installing ----

ok 'apt installs the packages' apt install /packages/ftcheck.deb /packages/ftcheckd.deb /packages/ftcheck-doc.deb
sh_ok 'everything is configured' '[ -z "$(dpkg --audit)" ]'
sh_ok 'every file is as it was packed' '[ -z "$(dpkg --verify ftcheck ftcheckd ftcheck-doc)" ]'
for program in ftplan ftcheck ftcheckd; do
	sh_ok "$program is found" "$program --version | grep -q '^$program [0-9]'"
	sh_ok "$program has its completions" "
		test -s /usr/share/bash-completion/completions/$program.bash
		test -s /usr/share/zsh/vendor-completions/_$program
		test -s /usr/share/fish/vendor_completions.d/$program.fish"
done
# Minimal systems leave out man pages and documentation on purpose; this one does not.
for page in man1/ftplan.1 man1/ftcheck.1 man5/ftcheck-design.5 man5/ftcheck-catalog.5 man5/ftcheck-report.5 man5/ftcheckd.conf.5 man8/ftcheckd.8; do
	sh_ok "the page ${page#*/}" "test -s /usr/share/man/$page.gz"
done
sh_ok 'the guide' 'test -s /usr/share/doc/ftcheck/guide.md'
sh_ok 'schemas, catalogs and hooks' '
	test -s /usr/share/ftcheck/design.schema.json
	test -s /usr/share/ftcheck/catalog/infiniband.json
	test -x /usr/share/ftcheck/hooks/mail'
sh_ok 'the configuration is one for dpkg' "dpkg-query -W -f '\${Conffiles}' ftcheckd | grep -q /etc/ftcheck/ftcheckd.conf"
sh_ok 'the group is one of the system' '[ "$(getent group ftcheck | cut -d: -f3)" -lt 1000 ]'
sh_ok 'the udev rule' 'test -s /lib/udev/rules.d/60-ftcheckd.rules'
sh_ok 'the service is enabled' '[ "$(systemctl is-enabled ftcheckd)" = enabled ]'
sh_ok '... and its socket is not' '[ "$(systemctl is-enabled ftcheckd.socket)" = disabled ]'
service_ok 'the service waits for a plan' '
	[ "$(systemctl show --value -p ConditionResult ftcheckd)" = no ]
	[ "$(systemctl is-active ftcheckd)" = inactive ]'
service_ok 'no unit failed' '[ -z "$(systemctl --no-legend --failed list-units "ftcheckd*")" ]'

# ---- a plan ----

sh_ok 'the examples are there, and ftplan plans one' 'ftplan /usr/share/doc/ftcheck/examples/sample.json | grep -q "^Topology:"'
sh_ok 'ftcheck holds a fabric against it' '
	sample=/usr/share/doc/ftcheck/examples/sample.json
	ftplan --format ibsim $sample | ftcheck --plan $sample --from - | grep -q ^OK'
sh_ok 'a plan is put in its place, and is good' '
	cp /usr/share/doc/ftcheck/examples/sample.json /etc/ftcheck/plan.json
	ftcheckd --check-config | grep -q good'
service_ok 'the service starts' 'systemctl start ftcheckd && [ "$(systemctl is-active ftcheckd)" = active ]'
service_ok '... as nobody in particular' '
	pid=$(systemctl show --value -p MainPID ftcheckd)
	[ "$(stat -c %u "/proc/$pid")" -ge 61184 ]'
service_ok '... with its alerts where they are found' 'test -d /var/lib/private/ftcheckd && test -d /var/lib/ftcheckd/.'
# There is no adapter here, and that is what it says.
service_ok 'ftcheck --status has its answer' '
	said=$(ftcheck --status 2>&1) || [ $? = 3 ]
	echo "$said" | grep "no InfiniBand device"'

# ---- upgrading ----

in_root sh -c 'echo "# Of the administrator." >>/etc/ftcheck/ftcheckd.conf'
before=$(in_root systemctl show --value -p MainPID ftcheckd 2>/dev/null)
ok 'apt upgrades the packages' apt install /next/ftcheck.deb /next/ftcheckd.deb /next/ftcheck-doc.deb
sh_ok 'the next version is there' "dpkg-query -W -f '\${Version}\n' ftcheck ftcheckd ftcheck-doc | grep -c next1 | grep -qx 3"
sh_ok 'what was changed in the configuration is kept' 'grep -qx "# Of the administrator." /etc/ftcheck/ftcheckd.conf'
sh_ok '... with the new one beside it' 'grep -qx "# Of the next version." /etc/ftcheck/ftcheckd.conf.dpkg-dist'
service_ok 'the service was started anew' "
	[ \"\$(systemctl is-active ftcheckd)\" = active ]
	[ \"\$(systemctl show --value -p MainPID ftcheckd)\" != $before ]"
sh_ok 'what was disabled' 'systemctl disable ftcheckd'
ok '... through another installation' apt install --reinstall /next/ftcheckd.deb
sh_ok '... stays disabled' '[ "$(systemctl is-enabled ftcheckd)" = disabled ]'
sh_ok '... until it is enabled' 'systemctl enable ftcheckd'

# ---- removing ----

ok 'apt removes the packages' apt remove ftcheck ftcheckd ftcheck-doc
sh_ok 'the programs are gone' '! command -v ftplan && ! command -v ftcheck && ! command -v ftcheckd'
sh_ok 'the configuration and the plan stay' '
	grep -qx "# Of the administrator." /etc/ftcheck/ftcheckd.conf
	test -s /etc/ftcheck/plan.json'
service_ok 'the service is gone' '[ "$(systemctl is-active ftcheckd)" = inactive ] && [ ! -e /sys/fs/cgroup/system.slice/ftcheckd.service ]'
service_ok '... and its alerts stay' 'test -e /var/lib/private/ftcheckd/alerts.json'
ok 'they can be installed again' apt install /next/ftcheck.deb /next/ftcheckd.deb
service_ok '... and the service goes on' '[ "$(systemctl is-active ftcheckd)" = active ]'

# ---- purging ----

sh_ok 'a hook is enabled' 'ln -s /usr/share/ftcheck/hooks/mail /etc/ftcheck/hooks.d/'
ok 'apt purges the packages' apt purge ftcheck ftcheckd ftcheck-doc
sh_ok 'nothing is left of them' '
	left=$(find / -xdev \( -path /proc -o -path /packages -o -path /next -o -path /var/log -o -path /tmp \) -prune \
		-o -name "*ftcheck*" ! -path "/.ftcheck-test" -print)
	[ -z "$left" ] || { echo "$left"; exit 1; }'
sh_ok '... but the group' 'getent group ftcheck'
sh_ok 'dpkg knows them no more' '! dpkg-query -W -f "\${Package} \${db:Status-Status}\n" "ftcheck*" 2>/dev/null | grep -vE "not-installed"'

echo "note: all of it took $SECONDS s"
[ $failed = 0 ] || { echo "$failed failed"; exit 1; }
[ $skipped = 0 ] || exit 77
