/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Where a snapshot comes from: a live sweep, or a file.
 */
#ifndef FT_PROBE_SOURCE_H
#define FT_PROBE_SOURCE_H

#include "probe/snapshot.h"

/*
 * Who asks the fabric; both give the same snapshot, but for the slots of directors whose makers' numbering only
 * libibnetdisc knows (Voltaire's, for one): there the second one leaves the grouping to SystemImageGUIDs and names. And
 * of a port that a switch's table of states calls down the second one does not know the physical state.
 */
enum ft_engine {
	FT_ENGINE_LIBIBNETDISC, /* libibnetdisc, with a fixed number of SMPs on the wire, and we for what it missed */
	FT_ENGINE_LIBIBUMAD,	/* we alone, over libibumad (probe/walk.h), with as many as the fabric bears */
	FT_ENGINE_COUNT,
};

struct ft_progress; /* probe/progress.h */

struct ft_sweep_options {
	const char *ca;		 /* -C: name of the channel adapter, or NULL: the first with an InfiniBand port up */
	int port;		 /* -P: its port, or 0: the first InfiniBand port that is up */
	enum ft_engine engine;	 /* --engine */
	uint64_t m_key;		 /* -y: the M_Key that each SMP carries; 0: none */
	unsigned int timeout_ms; /* -t: of one SMP */
	unsigned int max_smps;	 /* -o: SMPs on the wire at a time, at most; 0: what is good for the engine */
	unsigned int max_smps_per_switch; /* --max-smps-per-switch: of them to a node; as many through it to the next */
	unsigned int max_smps_per_second; /* --max-smps-per-second; 0: no such limit. Not with libibnetdisc */
	unsigned int retries;		  /* --retries: of one SMP */
	unsigned int deadline_ms;	  /* of the whole sweep */
	/*
	 * The sweep takes no more nodes and ports than these, ports 0 of switches among them. Of more the farthest are
	 * left out, and the snapshot says so (source.stopped): a device can answer as switches without end. Memory of
	 * the sweep's process is bounded by these too. 0: twice as many nodes as there are LIDs for, a million ports.
	 */
	uint32_t max_nodes;
	uint32_t max_ports;
	struct ft_progress *progress; /* how far it is, in memory that is shared with children; NULL: nobody asks */
};

/* The defaults: libibnetdisc, 1000 ms, 3 retries, 60 s; 16 SMPs of libibnetdisc, 64 of ours and 4 a switch. */
extern const struct ft_sweep_options ft_sweep_defaults;

/* "libibnetdisc", "libibumad", and which of them @name is: FT_ENGINE_COUNT where none. */
const char *ft_engine_name(enum ft_engine engine);
enum ft_engine ft_engine_find(const char *name);

/*
 * An M_Key as people write it, decimal or hexadecimal with 0x in front. Returns 0, or -EINVAL with @ret_key untouched.
 */
int ft_m_key_read(const char *text, uint64_t *ret_key);

/* max_smps, or what it is for the engine where it is 0. */
unsigned int ft_sweep_max_smps(const struct ft_sweep_options *options);

/* Are they in range? deadline_ms aside. Returns 0, or -EINVAL with @err filled. */
int ft_sweep_options_check(const struct ft_sweep_options *options, struct ft_error *err);

/*
 * How much memory a sweep in a process of its own takes at most, in bytes beyond what that process begins with: for
 * ft_guard.memory of who calls ft_sweep_here().
 */
size_t ft_sweep_memory(const struct ft_sweep_options *options);

struct ft_ask_options;
struct ft_port_choice;

/* What they mean for ft_asker_new() (ask.h), for SMPs from that port, until @end_ms. */
struct ft_ask_options ft_sweep_ask_options(const struct ft_sweep_options *options, const struct ft_port_choice *from,
					   int64_t end_ms);

/*
 * Sweeps the live fabric in a child process: libibnetdisc 44 can crash or hang on a partial fabric, and whatever
 * happens to the child is a result here, within the deadline, never a crash. Sends Get MADs only.
 *
 * @err  filled on failure with one line: what happened to the sweep
 * Returns 0, -ENODEV (no device, or no port that is up), -ETIMEDOUT (the deadline passed; the child was killed),
 * -EIO (the child crashed or libibnetdisc failed), -EINVAL (no such CA or port) or another -errno.
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
 * Reads a file ("-": standard input), told by its content: ibnetdiscover text, iblinkinfo text, a libibnetdisc cache, a
 * subnet list, or a snapshot of ours; each of them packed by gzip or not. @err has line and column where the content is
 * at fault; of what is none of these but can be told, it says what it is, and what to do. Returns 0 or -errno.
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

/*
 * iblinkinfo text, with or without -l and -p; see dump_iblinkinfo.c. Whether the text is some is told by its first line
 * of a port.
 */
bool ft_dump_is_iblinkinfo(const char *text, size_t length);
int ft_dump_read_iblinkinfo(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);

/*
 * Unpacks gzip, of any number of members. Output is bounded by what files of that size hold: 250 times as much as the
 * input beyond 16 MiB, and 1 GiB at most.
 *
 * @ret_text  out: for free(), NUL-terminated. Untouched on failure
 * Returns 0, -ENOMEM, -EFBIG beyond the bounds, or -EINVAL where it is damaged or cut, with @err filled (without a
 * line).
 */
int ft_gzip_unpack(const char *bytes, size_t length, char **ret_text, size_t *ret_length, struct ft_error *err);

/* A libibnetdisc cache file, read by libibnetdisc itself in a child process. */
int ft_dump_read_cache(const char *bytes, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);

#endif
