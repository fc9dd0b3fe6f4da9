# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# A systemd that runs for one test only, for tests that source this file.
#
# It is PID 1 of namespaces made for it, and its root is an overlay on this machine's root or on another directory:
# whatever it writes, removes or mounts is gone with it, and nothing below is touched. It shares the network of the test,
# which makes one of its own where ports could be taken.

# What it takes that may be missing is no fault.
cannot()
{
	echo "skipped: $*" >&2
	exit 77
}

# ---- inside the new namespaces, as PID 1: from here to systemd ----

# boot_root TOP LOWER ADDED: the root is built in TOP, from LOWER with the files of ADDED on top.
boot_root()
{
	local top=$1 lower=$2 added=$3 root=$1/root node

	set -e
	mount --make-rprivate /
	mount -t tmpfs -o mode=0755 ftcheck-test "$top"
	mkdir "$top/upper" "$top/work" "$root"
	mount -t overlay -o "lowerdir=$lower,upperdir=$top/upper,workdir=$top/work" ftcheck-test "$root"
	# From here on nothing is written that is not below this.
	[ "$(stat -f -c %T "$root")" = overlayfs ]
	: >"$root/.ftcheck-test"
	[ -e "$top/upper/.ftcheck-test" ]
	mount -t proc proc "$root/proc"
	mount -t sysfs sysfs "$root/sys"
	mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
	mount -t tmpfs -o mode=0755 dev "$root/dev"
	mkdir "$root/dev/shm" "$root/dev/pts" "$root/dev/infiniband"
	for node in null zero full random urandom tty; do
		: >"$root/dev/$node"
		mount --bind "/dev/$node" "$root/dev/$node"
	done
	mount -t tmpfs -o mode=0755 run "$root/run"
	mount -t tmpfs -o mode=1777 tmp "$root/tmp"
	# Neither services nor logs of this machine.
	if [ "$lower" = / ]; then
		find "$root/etc/systemd/system" -mindepth 1 -delete
		rm -rf "$root/var/log/journal" "$root/var/lib/private"
	fi
	tar -C "$added" -c . | tar -C "$root" -x --keep-directory-symlink
	mkdir -p "$root/old"
	export container=other
	cd "$root"
	pivot_root . old
	umount -l /old
	[ -e /.ftcheck-test ]
	# shellcheck disable=SC2093
	exec chroot . /lib/systemd/systemd --system --unit=basic.target --log-target=journal --show-status=no
}

# ---- outside ----

BOOT_INIT=
BOOT_CGROUP=
BOOT_PID=

# Why no systemd can be started here, as a line; or a failure where nothing speaks against it.
boot_refused()
{
	local tool

	[ "$(id -u)" = 0 ] || { echo 'only root can make these namespaces'; return 1; }
	for tool in unshare nsenter pivot_root journalctl systemctl python3 tar; do
		command -v "$tool" >/dev/null || { echo "no $tool"; return 1; }
	done
	grep -qw overlay /proc/filesystems || { echo 'this kernel has no overlay file system'; return 1; }
	unshare --net --mount true 2>/dev/null || { echo 'no namespaces can be made here'; return 1; }
	boot_hierarchy >/dev/null || { echo 'no cgroup2 hierarchy'; return 1; }
}

boot_hierarchy()
{
	awk '/ - cgroup2 / { print $5; found = 1; exit } END { exit !found }' /proc/self/mountinfo
}

# boot_within SECONDS COMMAND...: polls until it succeeds.
boot_within()
{
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.05
	done
}

# inside COMMAND...: as root, beside that systemd.
inside()
{
	nsenter --target "$BOOT_INIT" --mount --uts --ipc --pid --cgroup --root --wd -- "$@"
}

boot_is_init()
{
	BOOT_INIT=$(cat "/proc/$BOOT_PID/task/$BOOT_PID/children" 2>/dev/null)
	BOOT_INIT=${BOOT_INIT%% *}
	[ -n "$BOOT_INIT" ] && [ "$(cat "/proc/$BOOT_INIT/comm" 2>/dev/null)" = systemd ]
}

boot_is_up()
{
	boot_is_init || return 1
	case $(inside systemctl is-system-running 2>/dev/null) in
	running | degraded) ;;
	*) return 1 ;;
	esac
}

boot_is_over()
{
	boot_is_up || ! kill -0 "$BOOT_PID" 2>/dev/null
}

# boot_start TOP LOWER ADDED: see boot_root; TOP is a new directory, and TOP.console what came before the journal. Returns
# 77 where there can be no control group for it, 1 where it does not come up.
boot_start()
{
	mkdir "$1" || return 1
	BOOT_CGROUP=$(boot_hierarchy)/ftcheck-test-$$
	mkdir "$BOOT_CGROUP" 2>/dev/null || { BOOT_CGROUP=; return 77; }
	(
		echo "$BASHPID" >"$BOOT_CGROUP/cgroup.procs" || exit 77
		# shellcheck disable=SC2016 # that shell expands them
		exec unshare --fork --kill-child=KILL --pid --mount --uts --ipc --cgroup \
			bash -c '. "$0" && boot_root "$@"' "${BASH_SOURCE[0]}" "$@"
	) >"$1.console" 2>&1 </dev/null &
	BOOT_PID=$!
	boot_within 60 boot_is_over
	boot_is_up
}

boot_cgroup_remove()
{
	find "$BOOT_CGROUP" -depth -type d -exec rmdir {} + 2>/dev/null
	[ ! -d "$BOOT_CGROUP" ]
}

# The death of PID 1 is that of all in its namespace.
boot_stop()
{
	[ -z "$BOOT_PID" ] || { kill -KILL "$BOOT_PID"; wait "$BOOT_PID"; } 2>/dev/null
	[ -z "$BOOT_CGROUP" ] || boot_within 10 boot_cgroup_remove
	BOOT_PID='' BOOT_CGROUP=''
}
