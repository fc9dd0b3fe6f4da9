/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Where a snapshot comes from: a live sweep, or a file.
 */
#ifndef FT_PROBE_SOURCE_H
#define FT_PROBE_SOURCE_H

#include "probe/snapshot.h"

struct ft_sweep_options {
	const char *ca;		  /* -C: name of the channel adapter, or NULL: the first with an InfiniBand port up */
	int port;		  /* -P: its port, or 0: the first InfiniBand port that is up */
	unsigned int timeout_ms;  /* -t: of one SMP */
	unsigned int max_smps;	  /* -o: SMPs on the wire at a time */
	unsigned int retries;	  /* --retries: of one SMP */
	unsigned int deadline_ms; /* of the whole sweep */
};

/* The defaults: 1000 ms, 16 SMPs, 3 retries, 60 s. */
extern const struct ft_sweep_options ft_sweep_defaults;

/* Are they in range? deadline_ms aside. Returns 0, or -EINVAL with @err filled. */
int ft_sweep_options_check(const struct ft_sweep_options *options, struct ft_error *err);

/*
 * Sweeps the live fabric in a child process: libibnetdisc 44 can crash or hang on a partial fabric, and whatever
 * happens to the child is a result here, within the deadline, never a crash. Sends Get MADs only.
 *
 * @err  filled on failure with one line: what happened to the sweep
 * Returns 0, -ENODEV (no usable port), -ETIMEDOUT (the deadline passed; the child was killed), -EIO (the child
 * crashed or libibnetdisc failed), -EINVAL (no such CA or port) or another -errno.
 */
int ft_sweep(const struct ft_sweep_options *options, struct ft_snapshot **ret_snapshot, struct ft_error *err);

struct ft_routes;

/*
 * The same, and in the same child, while the ways to the switches are at hand, the forwarding tables of all of them
 * (probe/routes.h); @ret_routes is the caller's to free. What could not be read by the deadline is not known.
 */
int ft_sweep_routes(const struct ft_sweep_options *options, struct ft_snapshot **ret_snapshot,
		    struct ft_routes **ret_routes, struct ft_error *err);

/*
 * ft_sweep() in the calling process, which should be a guarded child (probe/guard.h) that does more with the result.
 * @end_ms  by when the caller's own result has to be there, on the clock of ft_guard_now_ms(); deadline_ms of @options
 * does not count
 */
int ft_sweep_here(const struct ft_sweep_options *options, int64_t end_ms, struct ft_snapshot **ret_snapshot,
		  struct ft_error *err);

/*
 * Reads a file ("-": standard input), told by its content: ibnetdiscover text, a libibnetdisc cache, a subnet list, or
 * a snapshot of ours. @err has line and column where the content is at fault. Returns 0 or -errno.
 */
int ft_source_load(const char *path, struct ft_snapshot **ret_snapshot, struct ft_error *err);

/*
 * ibnetdiscover text with every variation met in the field; see dump_ibnetdiscover.c for the list.
 */
int ft_dump_read_ibnetdiscover(const char *text, size_t length, struct ft_snapshot **ret_snapshot,
			       struct ft_error *err);

/*
 * A subnet list of ibdm and OpenSM (".lst"); see dump_lst.c. Whether the text is one is told by its first line.
 */
bool ft_dump_is_lst(const char *text, size_t length);
int ft_dump_read_lst(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);

/* A libibnetdisc cache file, read by libibnetdisc itself in a child process. */
int ft_dump_read_cache(const char *bytes, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);

#endif
