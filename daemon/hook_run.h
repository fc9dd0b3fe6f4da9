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
	FT_HOOK_OUTPUT_MAX = 4096, /* of what a hook prints this is kept, the rest is read and dropped */
	FT_HOOK_LOGGED_MAX = 300,  /* bytes of that, made safe, are told of one that fails */
	FT_HOOK_GRACE_MS = 2000,   /* from SIGTERM to SIGKILL */
};

/* How it went: memory that daemon and runner share, so that neither ever waits for the other. */
struct ft_hook_result {
	pid_t hook; /* 0: it was not started; also the number of its process group */
	bool ended; /* @status holds */
	int status; /* as of waitpid(2) */
	bool timed_out;
	bool note_failed; /* it succeeded and that could not be noted */
	size_t length;
	char output[FT_HOOK_OUTPUT_MAX];
};

struct ft_hook_job {
	const char *path;
	char *const *environment;
	const struct ft_text *input; /* what the hook finds on standard input */
	unsigned int timeout_ms;
	int note; /* of ft_note_claim(), or -1; stays the caller's, who closes it */
};

/* A run under way, or one that has ended and was not looked at yet. */
struct ft_hook_run {
	pid_t runner; /* 0: none */
	struct ft_hook_result *result;
};

/*
 * Starts it; returns at once.
 *
 * @ret_run  out: the runner is a child of the caller's, who waits for it. Exit status 0: the hook succeeded
 * Returns 0 or -errno.
 */
int ft_hook_run_start(const struct ft_hook_job *job, struct ft_hook_run *ret_run);

/*
 * The runner ended, by siginfo_t's si_code and si_status. A runner that was killed takes its hook's group with it.
 *
 * @ret_why  how it failed, safe, on one line, with what the hook printed; nothing is added where it succeeded
 * Returns whether it succeeded.
 */
bool ft_hook_run_end(struct ft_hook_run *run, int code, int status, struct ft_text *ret_why);

/* Forgets about it; what runs goes on. */
void ft_hook_run_release(struct ft_hook_run *run);

#endif
