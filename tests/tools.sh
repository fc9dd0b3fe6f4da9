# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
#
# Programs that ./quickstart unpacked and did not install, since their packages come with services, and that look for files
# of theirs under /usr. To be sourced after sim.sh.
#
#	tools_enter PROGRAM            # sets TOOLS; skips the test where this machine allows no mount namespace
#	"${TOOLS[@]}" PROGRAM …        # that program, with the unpacked files in /usr too

# Where PROGRAM was unpacked; nothing if it is installed.
tools_root() {
	local program

	program=$(command -v "$1") && program=$(readlink -f "$program")
	case $program in
	/usr/*) ;;
	*/usr/*) echo "${program%/usr/*}" ;;
	esac
}

# ROOT COMMAND…
# shellcheck disable=SC2016 # that shell expands them
tools_overlay='
	for part in share sbin; do
		[ -d "$1/usr/$part" ] || continue
		mount -t overlay -o "lowerdir=$1/usr/$part:/usr/$part" overlay "/usr/$part" || exit 99
	done
	shift
	exec "$@"
'

tools_enter() {
	local root
	local -a as_root=()

	root=$(tools_root "$1")
	[ "$(id -u)" = 0 ] || as_root=(--map-root-user)
	TOOLS=()
	[ -n "$root" ] || return 0
	TOOLS=(unshare --mount "${as_root[@]}" sh -c "$tools_overlay" sh "$root")
	"${TOOLS[@]}" true 2>/dev/null || skip "no mount namespace with an overlay for $1"
}
