/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Where a snapshot comes from: a live sweep, or a file.
 */
#ifndef FT_PROBE_SOURCE_H
#define FT_PROBE_SOURCE_H

#include <stdbool.h>

#include "probe/snapshot.h"

struct ft_progress; /* probe/progress.h */

struct ft_sweep_options {
	const char *ca;		/* -C: name of the channel adapter, or NULL: the first with an InfiniBand port up */
	int port;		/* -P: its port, or 0: the first InfiniBand port that is up */
	enum ft_engine engine;	/* --engine */
	uint32_t planned_nodes; /* switches and hosts of the plan, by which the engine is chosen; 0: not known */
	/*
	 * Switches of the plan, each of them one node; 0: not known. If as many are seen, one end of a cable may speak
	 * for both (survey.h): none hides behind the GUID of another one, unless an unplanned one makes up for it.
	 */
	uint32_t planned_switches;
	enum ft_engine_reason
		after;		 /* FT_ENGINE_FAILED, FT_ENGINE_INCOMPLETE: of the sweep before; else FT_ENGINE_SAID */
	uint64_t m_key;		 /* -y: the M_Key that each SMP carries; 0: none */
	unsigned int timeout_ms; /* -t: of one SMP */
	unsigned int max_smps;	 /* -o: SMPs on the wire at a time, at most; 0: the engine's default */
	unsigned int max_smps_per_switch; /* --max-smps-per-switch: of them to one node; as many again through it to the
					     next */
	unsigned int max_smps_per_second; /* --max-smps-per-second; 0: no such limit. Not with libibnetdisc */
	unsigned int retries;		  /* --retries: of each SMP */
	unsigned int deadline_ms;	  /* of the whole sweep */
	/*
	 * Limits of nodes and ports, ports 0 of switches included. Beyond them the farthest nodes are left out, and
	 * source.stopped is set: one device can pretend to be any number of switches. They bound the memory of the
	 * sweep's process too. 0: twice as many nodes as there are LIDs, a million ports.
	 */
	uint32_t max_nodes;
	uint32_t max_ports;
	struct ft_progress *progress; /* progress, in memory shared with children; NULL: not displayed */
};

/* The defaults: the engine by the plan, 1000 ms, 3 retries, 60 s; 16 SMPs with libibnetdisc, else 64 and 4 a switch. */
extern const struct ft_sweep_options ft_sweep_defaults;

/*
 * The engine of that sweep, and why. Where the user leaves it to us: libibumad from FT_SWEEP_LARGE planned nodes on,
 * where libibnetdisc takes a multiple of the time, and where the rate of SMPs is limited, as libibnetdisc has no such
 * limit; else libibnetdisc. After a sweep by libibumad that saw trouble: libibnetdisc, unless the rate is limited.
 */
enum { FT_SWEEP_LARGE = 1000 };

enum ft_engine ft_sweep_engine(const struct ft_sweep_options *options, enum ft_engine_reason *ret_reason);

/* The reason in words, to follow "by libibumad, as"; NULL: the user said so. */
const char *ft_engine_reason_text(enum ft_engine_reason reason);

/* "auto", "libibnetdisc", "libibumad", and the engine called @name: FT_ENGINE_COUNT if there is none. */
const char *ft_engine_name(enum ft_engine engine);
enum ft_engine ft_engine_find(const char *name);

/* Parses an M_Key, decimal or hexadecimal with 0x in front. Returns 0, or -EINVAL with @ret_key untouched. */
int ft_m_key_read(const char *text, uint64_t *ret_key);

/* max_smps, or the engine's default where it is 0. */
unsigned int ft_sweep_max_smps(const struct ft_sweep_options *options);

/* Checks the ranges, deadline_ms aside. Returns 0, or -EINVAL with @err filled. */
int ft_sweep_options_check(const struct ft_sweep_options *options, struct ft_error *err);

/*
 * Upper bound of the memory of a sweep in a process of its own, in bytes beyond its initial size: for ft_guard.memory
 * of callers of ft_sweep_here().
 */
size_t ft_sweep_memory(const struct ft_sweep_options *options);

struct ft_scheduler_options;
struct ft_port_choice;

/* The same options for ft_scheduler_new() (scheduler.h): SMPs from that port, until @end_ms. */
struct ft_scheduler_options ft_sweep_ask_options(const struct ft_sweep_options *options,
						 const struct ft_port_choice *from, int64_t end_ms);

/*
 * Sweeps the live fabric in a child process: libibnetdisc 44 can crash or hang on a partial fabric; here that is an
 * error code, returned within the deadline. Sends Get MADs only. Where the choice of the engine is ours and libibumad
 * sees trouble, libibnetdisc sweeps once more within the deadline.
 *
 * @err  filled on failure with one line: what happened to the sweep
 * Returns 0, -ENODEV (no device, or no port that is up), -ETIMEDOUT (the deadline passed; the child was killed),
 * -EIO (the child crashed or libibnetdisc failed), -EINVAL (no such CA or port) or another -errno.
 */
int ft_sweep(const struct ft_sweep_options *options, struct ft_snapshot **ret_snapshot, struct ft_error *err);

struct ft_routes;

/*
 * The same, and in the same child, which has the paths to the switches, their forwarding tables (probe/routes.h); the
 * caller frees @ret_routes. Tables not read by the deadline are unknown.
 */
int ft_sweep_routes(const struct ft_sweep_options *options, struct ft_snapshot **ret_snapshot,
		    struct ft_routes **ret_routes, struct ft_error *err);

/*
 * ft_sweep() in the calling process, which should be a guarded child (probe/guard.h) that does more with the result.
 * @end_ms  when the caller's own result is due, on the clock of ft_guard_now_ms(); deadline_ms of @options does not
 * count
 */
int ft_sweep_here(const struct ft_sweep_options *options, int64_t end_ms, struct ft_snapshot **ret_snapshot,
		  struct ft_error *err);

/*
 * Reads a file ("-": standard input), recognised by its content: ibnetdiscover text, iblinkinfo text, a libibnetdisc
 * cache, a subnet list, LLDP neighbours or a snapshot of ours; each of them packed by gzip or not. @err has line and
 * column if the content is at fault; for some other known formats it names the format and says what to do. Returns 0 or
 * -errno.
 */
int ft_source_load(const char *path, struct ft_snapshot **ret_snapshot, struct ft_error *err);

/*
 * The same of @count files, at least one: more than one are LLDP neighbours (probe/lldp.h), which come machine by
 * machine. @err->file is the file at fault.
 */
int ft_source_load_all(const char *const *paths, size_t count, struct ft_snapshot **ret_snapshot, struct ft_error *err);

/* ibnetdiscover text with all variations seen in the field; see dump_ibnetdiscover.c for the list. */
int ft_dump_read_ibnetdiscover(const char *text, size_t length, struct ft_snapshot **ret_snapshot,
			       struct ft_error *err);

/* A subnet list of ibdm and OpenSM (".lst"); see dump_lst.c. Recognised by its first line. */
bool ft_dump_is_lst(const char *text, size_t length);
int ft_dump_read_lst(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);

/* iblinkinfo text, with or without -l and -p; see dump_iblinkinfo.c. Recognised by its first port line. */
bool ft_dump_is_iblinkinfo(const char *text, size_t length);
int ft_dump_read_iblinkinfo(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);

/*
 * Unpacks gzip, of any number of members. The output is bounded: beyond 16 MiB at most 250 times the input, and 1 GiB
 * in any case.
 *
 * @ret_text  out: for free(), NUL-terminated. Untouched on failure
 * Returns 0, -ENOMEM, -EFBIG beyond the bounds, or -EINVAL where it is damaged or cut, with @err filled (without a
 * line).
 */
int ft_gzip_unpack(const char *bytes, size_t length, char **ret_text, size_t *ret_length, struct ft_error *err);

/* A libibnetdisc cache file, read by libibnetdisc itself in a child process. */
int ft_dump_read_cache(const char *bytes, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);

/* Whether a file begins as a recording of LLDP neighbours; false also if it cannot be read. */
bool ft_source_is_neighbours(const char *path);

#endif
