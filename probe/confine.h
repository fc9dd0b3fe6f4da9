/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What a child process that reads a stranger's bytes cannot do any more, whatever these make of it: libibnetdisc,
 * libibmad and libibumad take what any device of the fabric answers, and what any dump holds.
 */
#ifndef FT_PROBE_CONFINE_H
#define FT_PROBE_CONFINE_H

/*
 * For the rest of the calling process: it starts no process and no program, traces and signals no other, opens no
 * socket, mounts nothing, becomes nobody else, and writes to no file below / but to devices of InfiniBand and to what
 * it has open already. Such calls fail with EPERM or EACCES; the process goes on.
 *
 * By seccomp and Landlock, each where the kernel has it: it is a second wall, and nothing depends on it. Where a
 * library is preloaded (LD_PRELOAD), Unix sockets and files stay allowed: the client library of a simulator lives on
 * them.
 */
void ft_confine(void);

#endif
