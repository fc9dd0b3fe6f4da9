/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How a child process of ours begins, whatever its work is.
 */
#ifndef FT_PROBE_CHILD_H
#define FT_PROBE_CHILD_H

#include <stddef.h>
#include <sys/types.h>

enum {
	FT_CHILD_FIRST_FD = 3, /* the lowest descriptor number that a child keeps */
	FT_CHILD_KEEP_MAX = 8, /* the most that it may keep */
	FT_CHILD_FAILED = 70,  /* exit status of a child that failed before its work began */
};

/*
 * Called first in the child of a fork(2). For multi-threaded callers the limits of fork(2) hold.
 *
 * - The child is killed when @parent dies; if @parent died before that was set up, the child exits here.
 * - It leads a process group of its own: a Ctrl-C is for the parent to handle. It leaves no core.
 * - Every signal has its default action and none is blocked, but SIGPIPE is ignored: a write to a dead parent fails
 *   with EPIPE.
 * - Unflushed standard output and errors of the parent are discarded in the child.
 * - Standard input is empty; standard output and errors go to @output (-1: nowhere). @keep[i] is found at
 *   FT_CHILD_FIRST_FD + i, closed on exec. Everything else is closed.
 *
 * Exits with FT_CHILD_FAILED if any of this fails.
 */
void ft_child_begin(pid_t parent, int output, const int *keep, size_t count);

/*
 * Ends a child by SIGTERM and, if that does not end it within 100 ms, by SIGKILL, and reaps it. A child that hangs in
 * the kernel even then is given up after another 100 ms, so that no caller waits for longer.
 */
void ft_child_end(pid_t child);

/* Hands a child that was sent SIGKILL and has not ended to ft_child_reap_given_up(). */
void ft_child_give_up(pid_t child);

/*
 * Reaps children that were given up and have ended since, without waiting. Callers that start children call it now and
 * then, so that no child stays a zombie for ever; ft_child_end() does so too. Not thread-safe.
 */
void ft_child_reap_given_up(void);

#endif
