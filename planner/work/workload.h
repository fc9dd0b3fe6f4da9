/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The workloads of the indirect cube document (J. Navaridas, J. Miguel-Alonso, "Indirect cube topology for small- and
 * medium-scale clusters", section 3): who sends what to whom, and what has to arrive before. A task sends one message
 * at a time.
 *
 * all-to-all     Each task sends 1 KB to every other one, beginning with the next, then waits for all that are sent to
 *                it.
 * binary-tree    A reduction: in step s the tasks whose number is an odd multiple of 2^s send 10 KB to the one 2^s
 *                below, once all messages to themselves have come. Any number of tasks.
 * butterfly      An all-reduce: in step s task i exchanges 10 KB with task i xor 2^s, and waits for that message
 *                before step s + 1. Where the number of tasks is no power of two, partners that do not exist are
 *                passed over: the document's systems are such, and it does not say what they do.
 * near-neighbor  The tasks are a virtual torus of two dimensions. Each sends 10 KB to its neighbours X+, X-, Y+, Y-,
 *                in this order, then waits for those of its neighbours. A last row that is not full is a shorter ring,
 *                and so are the columns that it lacks.
 * n-bodies       The tasks are a virtual ring of an odd number. Each starts a chain of 10 KB messages that runs over
 *                half of the ring, from one to the next; at its end the task there sends one to the source. Of an even
 *                number of tasks the last one does not take part.
 * random:W       40,000 messages of 10 KB, of sources and other destinations chosen evenly by a seeded generator, in
 *                waves of W. All messages of a wave have arrived before the next one begins.
 *
 * A KB is 1024 bytes.
 */
#ifndef FT_PLANNER_WORK_WORKLOAD_H
#define FT_PLANNER_WORK_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct ft_text;
struct ft_workload_kind;

/* A workload as the user names it. */
struct ft_workload {
	const struct ft_workload_kind *kind;
	uint32_t wave; /* of random; else 0 */
	char name[32];
};

enum { FT_WORKLOADS_MAX = 16 };

struct ft_workload_list {
	struct ft_workload items[FT_WORKLOADS_MAX];
	uint32_t count;
};

/*
 * Reads "near-neighbor,random:200". Returns 0, or -EINVAL with @err filled (no line): unknown names, and which there
 * are; a wave that is missing, or no number from 1 to 40000.
 */
int ft_workload_read(const char *names, struct ft_workload_list *ret_list, struct ft_error *err);

/* "all-to-all, binary-tree, … and random:W" */
void ft_workload_names(struct ft_text *text);

/* What is the same for all workloads of a run. */
struct ft_workload_setup {
	uint32_t tasks;
	uint32_t mesh_x; /* width of the virtual torus; its last row may be shorter */
	uint64_t seed;
};

/* Whether the workload can be run by so many tasks. Returns 0, or -EINVAL with @err filled (no line). */
int ft_workload_check(const struct ft_workload *workload, const struct ft_workload_setup *setup, struct ft_error *err);

/* Size of its messages. */
uint32_t ft_workload_bytes(const struct ft_workload *workload);

struct ft_message {
	uint32_t from, to; /* tasks */
	uint32_t tag;	   /* the workload's own */
};

/* A workload under way. */
struct ft_workload_run;

/* Returns 0 or -ENOMEM. The caller frees @ret; it is untouched on failure. */
int ft_workload_begin(const struct ft_workload *workload, const struct ft_workload_setup *setup,
		      struct ft_workload_run **ret);
void ft_workload_run_free(struct ft_workload_run *run);
static inline void ft_workload_run_freep(struct ft_workload_run **run)
{
	ft_workload_run_free(*run);
}

/* Messages in all. */
uint64_t ft_workload_messages(const struct ft_workload_run *run);

/* What @task, which is sending nothing, sends now. False: it waits, or is done. */
bool ft_workload_next(struct ft_workload_run *run, uint32_t task, struct ft_message *ret_message);

/* It has arrived. @ret_wake: tasks that may go on because of it, to be asked for their next message; borrowed. */
void ft_workload_arrived(struct ft_workload_run *run, const struct ft_message *message, const uint32_t **ret_wake,
			 uint32_t *ret_count);

#endif
