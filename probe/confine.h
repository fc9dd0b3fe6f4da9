/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Confines a child process that parses untrusted bytes: libibnetdisc, libibmad and libibumad parse what any device of
 * the fabric answers, and what any dump holds.
 */
#ifndef FT_PROBE_CONFINE_H
#define FT_PROBE_CONFINE_H

/*
 * For the rest of the calling process: it starts no process and no program, traces and signals no other, opens no
 * socket, mounts nothing, changes no user or group id, and writes to no file below / but InfiniBand devices and files
 * that it has open already. Such calls fail with EPERM or EACCES; the process goes on.
 *
 * By seccomp and Landlock, each where the kernel has it: defence in depth, nothing depends on it. Where a library is
 * preloaded (LD_PRELOAD), Unix sockets and files stay allowed: the client library of a simulator lives on them.
 */
void ft_confine(void);

#endif
