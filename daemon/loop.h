/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The daemon: one event loop for timers, signals, children, events of the fabric and HTTP clients; nothing else blocks
 * it. Slow work (sweeps, matching, hooks) runs in children. The parent never opens /dev/infiniband.
 *
 *     listener ──trap──▶ settle ──▶ incremental ─┐
 *     timer ───────────────────────▶ sweep ─┴─▶ report ──▶ alerts ──▶ state on disk ──▶ journal, hooks
 *
 * A sweep that was running when an event came may have read the place before it changed: its snapshot is not judged
 * until these places were read again on top of it.
 */
#ifndef FT_DAEMON_LOOP_H
#define FT_DAEMON_LOOP_H

struct ft_daemon_options {
	const char *config;	     /* the configuration file */
	const char *instance;	     /* NULL: none */
	const char *state_directory; /* state directory of the alerts; NULL: none */
};

/* Exit statuses. The units start the daemon again after the first, and not after the second. */
enum {
	FT_DAEMON_FAILED = 1,  /* system failure: no memory, no descriptors, another daemon has the state */
	FT_DAEMON_REFUSED = 3, /* options, configuration or plan are wrong, and stay so until the user corrects them */
};

/* The exit status for a configuration or plan that could not be read with that -errno. */
int ft_daemon_status(int code);

/*
 * Runs until SIGTERM or SIGINT. Returns the exit status: 0, or one of those above (which is logged).
 */
int ft_daemon_run(const struct ft_daemon_options *options);

#endif
