/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Workloads on one network or on two: how long each takes, and how much longer than on the other.
 */
#ifndef FT_PLANNER_WORK_WORK_H
#define FT_PLANNER_WORK_WORK_H

#include "planner/work/paths.h"
#include "planner/work/placement.h"
#include "planner/work/simulate.h"
#include "planner/work/workload.h"

struct ft_text;

/*
 * The document gives no latencies. A switch of its time takes 100 ns (Mellanox InfiniScale IV, port to port), and hosts
 * are not what is compared.
 */
#define FT_WORK_SWITCH_LATENCY_NS 100
#define FT_WORK_HOST_OVERHEAD_NS 0
#define FT_WORK_SEED 1

struct ft_work_model {
	enum ft_routing routing;
	double switch_latency_ns, host_overhead_ns;
	uint64_t seed;
};

/* The defaults: static routing as in the document, and the values above. */
struct ft_work_model ft_work_model_default(void);

/* "static", "adaptive", "minimal". Returns 0 or -EINVAL. */
int ft_work_routing_read(const char *name, enum ft_routing *ret_routing);

/* A network with its tasks. */
struct ft_work_side {
	const char *name; /* of the design; borrowed */
	struct ft_work_net traffic;
	struct ft_placement placement;
	uint32_t *host_of; /* by task; owned */
	uint32_t tasks;
	uint32_t mesh_x;			/* 0: any */
	const struct ft_forwarding *forwarding; /* takes the place of the model's routing; NULL: none; borrowed */
};

/*
 * The network of @plan, which must outlive it, with a task on each of its hosts. The caller releases @ret also on
 * failure. Returns 0, -ENOMEM, or -EINVAL with @err filled (no line): the placement does not fit, the plan is too
 * large, or of another technology.
 */
int ft_work_side_make(const struct ft_design *design, const struct ft_plan *plan, struct ft_placement placement,
		      struct ft_work_side *ret, struct ft_error *err);
void ft_work_side_release(struct ft_work_side *side);

/*
 * Leaves only tasks whose hosts are on both sides, in the order of the placement of @planned: host number n of a switch
 * is there if more than n are. Both are of the same switches. Returns 0 or -ENOMEM.
 */
int ft_work_sides_align(struct ft_work_side *planned, struct ft_work_side *seen);

enum { FT_WORK_SIDES = 3 };

struct ft_work_row {
	const char *name; /* of the workload; of the list that was run */
	uint64_t messages;
	uint32_t bytes;
	double time_ns[FT_WORK_SIDES];	/* INFINITY: forwarding tables do not lead from all to all of its tasks */
	uint64_t merged[FT_WORK_SIDES]; /* messages that were under way, or not sent, when events began to be merged */
};

struct ft_work_result {
	struct ft_work_row rows[FT_WORKLOADS_MAX];
	uint32_t count, sides;
	uint32_t tasks, mesh_x;
};

/* Called now and then, with the side and the workload that is under way; NULL: never. */
struct ft_work_progress {
	void (*tell)(void *data, const char *side, const char *workload, uint64_t done, uint64_t messages);
	void *data;
};

/*
 * Runs all workloads on up to FT_WORK_SIDES networks, which must have as many tasks.
 *
 * Returns 0, -ENOMEM, or -EINVAL with @err filled (no line): too few hosts, or not as many on both.
 */
int ft_work_run(const struct ft_work_model *model, const struct ft_workload_list *list,
		const struct ft_work_side *sides, uint32_t count, const struct ft_work_progress *progress,
		struct ft_work_result *ret, struct ft_error *err);

/* Time on the first network, as a part of that on the second. */
double ft_work_ratio(const struct ft_work_row *row);

/* write.c: "12.34 us" */
enum { FT_WORK_TIME_SIZE = 32 };
const char *ft_work_time(double time_ns, char buffer[FT_WORK_TIME_SIZE]);

void ft_work_write_text(struct ft_text *text, const struct ft_work_model *model, const struct ft_work_side *sides,
			const struct ft_work_result *result);
void ft_work_write_json(struct ft_text *text, const struct ft_work_model *model, const struct ft_work_side *sides,
			const struct ft_work_result *result);
void ft_work_write_csv(struct ft_text *text, const struct ft_work_model *model, const struct ft_work_side *sides,
		       const struct ft_work_result *result);

#endif
