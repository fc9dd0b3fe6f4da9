/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A list of refused system calls, not of allowed ones: the calls that a sweep needs depend on the C library, on
 * rdma-core, on a simulator's preloaded library and on a sanitizer, and one call missing from a list of allowed ones
 * would break sweeps on some machine. The harmful calls are known.
 */
#include "config.h"

#include "probe/confine.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/landlock.h"
#include "base/sanitized.h"

/* By name: calls that libseccomp, or this machine, does not know are skipped. */
static const char *const refused[] = {
	/* other programs and processes */
	"execve",
	"execveat",
	"fork",
	"vfork",
	"ptrace",
	"process_vm_readv",
	"process_vm_writev",
	"pidfd_getfd",
	"pidfd_open",
	"pidfd_send_signal",
	"process_madvise",
	"kcmp",
	"tkill",
	"rt_sigqueueinfo",
	"rt_tgsigqueueinfo",
	"setns",
	"unshare",
	/* files and mounts */
	"mount",
	"umount",
	"umount2",
	"move_mount",
	"open_tree",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"mount_setattr",
	"pivot_root",
	"chroot",
	"mknod",
	"mknodat",
	"open_by_handle_at",
	"name_to_handle_at",
	"chown",
	"fchown",
	"lchown",
	"fchownat",
	"swapon",
	"swapoff",
	"acct",
	"quotactl",
	"quotactl_fd",
	/* who it is */
	"setuid",
	"setgid",
	"setreuid",
	"setregid",
	"setresuid",
	"setresgid",
	"setfsuid",
	"setfsgid",
	"setgroups",
	"capset",
	/* the kernel */
	"bpf",
	"perf_event_open",
	"userfaultfd",
	"io_uring_setup",
	"io_uring_enter",
	"io_uring_register",
	"init_module",
	"finit_module",
	"delete_module",
	"kexec_load",
	"kexec_file_load",
	"reboot",
	"keyctl",
	"add_key",
	"request_key",
	"ioperm",
	"iopl",
	"settimeofday",
	"clock_settime",
	"clock_adjtime",
	"adjtimex",
	"sethostname",
	"setdomainname",
	"personality",
	"syslog",
	"vhangup",
};

/*
 * Refused with these arguments only: new processes, but not threads, which a preloaded library may start; signals to
 * other processes, as abort(3) sends one to its own; sockets. Where clone3(2), whose arguments a filter cannot see, is
 * not there, the C library takes clone(2).
 */
static int refuse_some(scmp_filter_ctx filter, bool preloaded)
{
	scmp_datum_t self = (scmp_datum_t)getpid();
	int r;

	r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
				     SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(kill), 1, SCMP_A0(SCMP_CMP_NE, self, 0));
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_NE, self, 0));
	if (r == 0 && preloaded)
		return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1,
					SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0));
	return r == 0 ? seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 0) : r;
}

static void confine_calls(bool preloaded)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int r = filter ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < FT_COUNT(refused); i++) {
		int number = seccomp_syscall_resolve_name(refused[i]);

		if (number >= 0)
			r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
	}
	if (r == 0)
		r = refuse_some(filter, preloaded);
	/* Refused by the kernel or by a container: then there is no second line of defence. */
	if (r == 0)
		(void)seccomp_load(filter);
	if (filter)
		seccomp_release(filter);
}

void ft_confine(void)
{
	static bool confined;
	bool preloaded = getenv("LD_PRELOAD") != NULL;
	const char *const writable[] = {"/dev/infiniband"};

	/* The leak checker of a sanitizer traces its own process from another. */
	if (FT_SANITIZED || confined)
		return;
	confined = true;
	if (!preloaded)
		(void)ft_landlock_write_only_below(writable, FT_COUNT(writable));
	confine_calls(preloaded);
}
