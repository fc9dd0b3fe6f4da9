#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The guide, to the letter: each of its commands is typed as it is shown, on the simulated fabric that it rehearses on, and
# prints what it shows.
#
# It is followed on a systemd of its own, whose root is an overlay on this machine's; see boot.sh. In place of packages,
# what "make install" installs is there.
set -u
export LC_ALL=C TZ=UTC

src=${FT_SRCDIR:?} build=${FT_BUILDDIR:?}
# shellcheck source=tests/boot.sh
. "$src/tests/boot.sh"

reason=$(boot_refused) || cannot "$reason"
for tool in ibsim ibsim-run ibnetdiscover systemd-sysusers; do
	command -v "$tool" >/dev/null || cannot "no $tool"
done
[ -x /lib/systemd/systemd ] || cannot 'no systemd'
[ -x "$build/ftcheckd" ] || cannot 'ftcheckd is not built'
# The simulator's library comes before the sanitizers', and all that is typed here has it.
! grep -q 'fsanitize=address' "$build/Makefile" || cannot "ibsim-run does not go with the address sanitizer"
if [ -z "${FT_GUIDE_NET-}" ]; then
	FT_GUIDE_NET=1 exec unshare --net bash "${BASH_SOURCE[0]}"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/ftcheck-guide.XXXXXX") || exit 99
trap 'boot_stop; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# ---- what is installed, at the places where packages have it ----

prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
installed=$work/installed
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$build" install DESTDIR="$installed" >"$work/install" 2>&1 ||
	{ cat "$work/install"; exit 1; }

# packaged PLACE FILE: the directory of this file, which was installed below the prefix of this build, is at PLACE, too.
packaged()
{
	local from

	from=$(find "$installed" -path "*/$2" | head -n 1)
	[ -n "$from" ] || { echo "not ok - $2 is not installed"; exit 1; }
	from=${from%"/${2#*/}"}
	[ "$from" != "$installed$1" ] || return 0
	mkdir -p "$installed${1%/*}"
	ln -s "${from#"$installed"}" "$installed$1"
}
packaged /etc/ftcheck ftcheck/ftcheckd.conf
packaged /usr/share/doc/ftcheck ftcheck/examples/sample.json
packaged /usr/share/ftcheck ftcheck/hooks/mail
# Its state is where systemd has it, whatever this build was configured for.
state=$(sed -n 's/^localstatedir = //p' "$build/Makefile" | sed "s|^\${prefix}|$prefix|")/lib
if [ "$state" != /var/lib ]; then
	mkdir -p "$installed$state"
	ln -s /var/lib/ftcheckd "$installed$state/ftcheckd"
fi

units=$installed/etc/systemd/system
mkdir -p "$units" "$installed/usr/local/sbin" "$installed/opt/guide"
cp "$(find "$installed" -path "$units" -prune -o -name ftcheckd.service -print | head -n 1)" "$units/"

# No packages are to be had here.
cat >"$installed/usr/local/sbin/apt" <<-'END'
	#!/bin/sh
	# What it would install is there. What it would have printed is not shown.
	[ "$1 $2" = 'install -y' ]
END
chmod +x "$installed/usr/local/sbin/apt"

python3 - <<-'END' || cannot 'the loopback interface cannot be had'
	import fcntl, socket, struct
	fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 1 | 64))
END
boot_start "$work/top" / "$installed"
case $? in
0) ;;
77) cannot 'no control group can be made' ;;
*)
	tail -n 20 "$work/top.console" >&2
	cannot 'systemd does not come up in namespaces here'
	;;
esac
echo "note: systemd is up after $SECONDS s"
inside systemd-sysusers "$(cd "$installed" && find . -path '*/sysusers.d/ftcheckd.conf' | sed 's|^\.||')"

# ---- the guide ----

status=0
python3 "$src/tests/guide_typed.py" "$src/doc/guide.md" nsenter --target "$BOOT_INIT" --mount --uts --ipc --pid --cgroup --root -- \
	env -u FT_GUIDE_NET HOME=/root "PATH=/usr/local/sbin:/usr/local/bin:$prefix/bin:$prefix/sbin:/usr/sbin:/usr/bin:/sbin:/bin" \
	sh -c 'cd /opt/guide && exec bash' || status=1

[ $status = 0 ] || inside journalctl --no-pager -b -u ftcheckd -n 40
echo "note: all of it took $SECONDS s"
exit $status
