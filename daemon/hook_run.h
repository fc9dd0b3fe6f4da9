/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * One run of one hook, under a runner process of its own that outlives the daemon.
 */
#ifndef FT_DAEMON_HOOK_RUN_H
#define FT_DAEMON_HOOK_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"

enum {
	FT_HOOK_OUTPUT_MAX = 4096, /* this much of a hook's output is kept, the rest is read and dropped */
	FT_HOOK_LOGGED_MAX = 300,  /* bytes of it, made safe, in the message about a failed hook */
	FT_HOOK_GRACE_MS = 2000,   /* from SIGTERM to SIGKILL */
};

/* The state of a run: memory shared by daemon and runner, so that neither ever waits for the other. */
struct ft_hook_result {
	pid_t hook; /* 0: it was not started; also the number of its process group */
	bool ended; /* @status holds */
	int status; /* as of waitpid(2) */
	bool timed_out;
	bool note_failed; /* it succeeded, but that could not be recorded */
	size_t length;
	char output[FT_HOOK_OUTPUT_MAX];
};

struct ft_hook_job {
	const char *path;
	char *const *environment;
	const struct ft_text *input; /* the hook's standard input */
	unsigned int timeout_ms;
	int note; /* of ft_note_claim(), or -1; the caller keeps and closes it */
};

/* A run that is active, or has ended and was not evaluated yet. */
struct ft_hook_run {
	pid_t runner; /* 0: none */
	struct ft_hook_result *result;
};

/*
 * Starts it; returns at once.
 *
 * @ret_run  out: the caller must wait for the runner, its child. Exit status 0: the hook succeeded
 * Returns 0 or -errno.
 */
int ft_hook_run_start(const struct ft_hook_job *job, struct ft_hook_run *ret_run);

/*
 * The runner ended, by siginfo_t's si_code and si_status. A runner that was killed takes its hook's group with it.
 *
 * @ret_why  how it failed, safe, on one line, with the hook's output; nothing is added if it succeeded
 * Returns whether it succeeded.
 */
bool ft_hook_run_end(struct ft_hook_run *run, int code, int status, struct ft_text *ret_why);

/* Frees it; a running hook continues. */
void ft_hook_run_release(struct ft_hook_run *run);

#endif
