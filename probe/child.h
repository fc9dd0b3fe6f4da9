/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How a child process of ours begins, whatever its work is.
 */
#ifndef FT_PROBE_CHILD_H
#define FT_PROBE_CHILD_H

#include <stddef.h>
#include <sys/types.h>

enum {
	FT_CHILD_FIRST_FD = 3, /* the first of the descriptors that a child keeps */
	FT_CHILD_KEEP_MAX = 8, /* and how many there may be */
	FT_CHILD_FAILED = 70,  /* exit status of a child that could not even begin */
};

/*
 * To be called first thing in the child of a fork(2); the caller may be multi-threaded no more than fork allows.
 *
 * - The death of @parent ends the child; if it died before that could be said, the child ends here.
 * - It leads a process group of its own: a Ctrl-C is for the parent to handle. It leaves no core.
 * - Every signal has its default action and none is blocked, but SIGPIPE is ignored: a parent that is gone is told by
 *   EPIPE.
 * - What the parent has not written of its standard output and errors stays the parent's to write.
 * - Standard input is empty; standard output and errors go to @output (-1: nowhere). @keep[i] is found at
 *   FT_CHILD_FIRST_FD + i, closed on exec. Everything else is closed.
 *
 * Ends the process with FT_CHILD_FAILED where any of that cannot be had.
 */
void ft_child_begin(pid_t parent, int output, const int *keep, size_t count);

/*
 * Ends a child by SIGTERM and, if that does not end it within 100 ms, by SIGKILL, and reaps it. One that hangs in the
 * kernel even so is given up after another 100 ms: no caller waits for longer.
 */
void ft_child_end(pid_t child);

/* Leaves a child that was sent SIGKILL and does not end to ft_child_reap_given_up(). */
void ft_child_give_up(pid_t child);

/*
 * Reaps what was given up and has ended since, without waiting. Who starts children calls it now and then, so that
 * those that hung for a while do not stay zombies for ever. ft_child_end() does so too. Not for several threads.
 */
void ft_child_reap_given_up(void);

#endif
