/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The system calls on pidfds (Linux 5.3), which glibc has as functions only from 2.36 on: RHEL 9 has 2.34.
 */
#ifndef FT_PROBE_PIDFD_H
#define FT_PROBE_PIDFD_H

#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* A descriptor of a child, which becomes readable when the child ends; the caller closes it. -1 and errno on failure.
 */
static inline int ft_pidfd_open(pid_t child)
{
	return (int)syscall(SYS_pidfd_open, child, 0U);
}

/* SIGKILL to that child, and never to a later process of the same id. -1 and errno on failure. */
static inline int ft_pidfd_kill(int fd)
{
	return (int)syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0U);
}

#endif
