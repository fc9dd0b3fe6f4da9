/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/work/work.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct ft_work_model ft_work_model_default(void)
{
	return (struct ft_work_model){FT_ROUTING_STATIC, FT_WORK_SWITCH_LATENCY_NS, FT_WORK_HOST_OVERHEAD_NS,
				      FT_WORK_SEED};
}

int ft_work_routing_read(const char *name, enum ft_routing *ret_routing)
{
	for (enum ft_routing i = 0; i < FT_ROUTING_COUNT; i++)
		if (strcmp(name, ft_routing_name(i)) == 0) {
			*ret_routing = i;
			return 0;
		}
	return -EINVAL;
}

void ft_work_side_release(struct ft_work_side *side)
{
	ft_work_net_release(&side->traffic);
	free(side->host_of);
}

int ft_work_side_make(const struct ft_design *design, const struct ft_plan *plan, struct ft_placement placement,
		      struct ft_work_side *ret, struct ft_error *err)
{
	int r;

	ret->name = design->name;
	ret->placement = placement;
	if (plan->technology != FT_TECHNOLOGY_INFINIBAND)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "workloads take the rates and routes of InfiniBand, and this plan is of Ethernet "
				    "switches");
	if (plan->switch_count > FT_PATHS_SWITCHES_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "workloads run on up to %u switches; the plan has %u",
				    (unsigned int)FT_PATHS_SWITCHES_MAX, plan->switch_count);
	r = ft_work_net_make(design, plan, &ret->traffic);
	if (r < 0)
		return r;
	ret->tasks = ret->traffic.host_count;
	return ft_placement_make(&ret->traffic, &ret->placement, &ret->host_of, &ret->mesh_x, err);
}

/* What the simulation tells, with the names that it does not know. */
struct told {
	const struct ft_work_progress *progress;
	const char *side, *workload;
};

static void told_pass(void *data, uint64_t done, uint64_t messages)
{
	const struct told *told = data;

	told->progress->tell(told->progress->data, told->side, told->workload, done, messages);
}

static int setup_make(const struct ft_work_model *model, const struct ft_work_side *sides, uint32_t count,
		      struct ft_workload_setup *ret, struct ft_error *err)
{
	struct ft_workload_setup setup = {sides[0].tasks, sides[0].mesh_x, model->seed};

	for (uint32_t i = 1; i < count; i++) {
		if (sides[i].tasks != setup.tasks)
			return ft_error_set(err, -EINVAL, 0, 0,
					    "%s has %u hosts and %s %u: a workload takes as many on both",
					    sides[0].name, setup.tasks, sides[i].name, sides[i].tasks);
		setup.mesh_x = setup.mesh_x ? setup.mesh_x : sides[i].mesh_x;
	}
	setup.mesh_x = setup.mesh_x ? setup.mesh_x : ft_placement_width(setup.tasks);
	*ret = setup;
	return 0;
}

static int side_run(const struct ft_work_model *model, const struct ft_workload_list *list,
		    const struct ft_work_side *sides, uint32_t side, const struct ft_workload_setup *setup,
		    const struct ft_work_progress *progress, struct ft_work_result *result)
{
	_cleanup_(ft_paths_freep) struct ft_paths *paths = NULL;
	const struct ft_forwarding *forwarding = sides[side].forwarding;
	int r = ft_paths_make(&sides[side].traffic, forwarding ? FT_ROUTING_TABLES : model->routing, forwarding,
			      &paths);

	for (uint32_t i = 0; r == 0 && i < list->count; i++) {
		struct told told = {progress, sides[side].name, list->items[i].name};
		const struct ft_simulate_input input = {&sides[side].traffic,
							paths,
							sides[side].host_of,
							model->switch_latency_ns,
							model->host_overhead_ns,
							{progress ? told_pass : NULL, &told},
							0};
		struct ft_simulated simulated;

		r = ft_simulate(&input, &list->items[i], setup, &simulated);
		if (r == -ENOLINK) {
			result->rows[i].time_ns[side] = INFINITY;
			r = 0;
			continue;
		}
		if (r < 0)
			return r;
		result->rows[i].name = list->items[i].name;
		result->rows[i].messages = simulated.messages;
		result->rows[i].bytes = ft_workload_bytes(&list->items[i]);
		result->rows[i].time_ns[side] = simulated.time_ns;
		result->rows[i].merged[side] = simulated.messages - simulated.alone;
	}
	return r;
}

int ft_work_run(const struct ft_work_model *model, const struct ft_workload_list *list,
		const struct ft_work_side *sides, uint32_t count, const struct ft_work_progress *progress,
		struct ft_work_result *ret, struct ft_error *err)
{
	struct ft_work_result result = {.count = list->count, .sides = count};
	struct ft_workload_setup setup;
	int r = setup_make(model, sides, count, &setup, err);

	for (uint32_t i = 0; r == 0 && i < list->count; i++)
		r = ft_workload_check(&list->items[i], &setup, err);
	for (uint32_t side = 0; r == 0 && side < count; side++)
		r = side_run(model, list, sides, side, &setup, progress, &result);
	if (r < 0)
		return r;
	result.tasks = setup.tasks;
	result.mesh_x = setup.mesh_x;
	*ret = result;
	return 0;
}

double ft_work_ratio(const struct ft_work_row *row)
{
	return row->time_ns[0] / row->time_ns[1];
}

/* By switch: where its hosts begin in the list of a network; and how many it has there. */
static int hosts_index(const struct ft_work_net *t, uint32_t **ret_first, uint32_t **ret_count)
{
	*ret_first = calloc(t->plan->switch_count + 1UL, sizeof(**ret_first));
	*ret_count = calloc(t->plan->switch_count + 1UL, sizeof(**ret_count));
	if (!*ret_first || !*ret_count)
		return -ENOMEM;
	for (uint32_t host = 0; host < t->host_count; host++)
		if ((*ret_count)[t->hosts[host].sw]++ == 0)
			(*ret_first)[t->hosts[host].sw] = host;
	return 0;
}

int ft_work_sides_align(struct ft_work_side *planned, struct ft_work_side *seen)
{
	_cleanup_free_ uint32_t *first = NULL, *count = NULL, *seen_first = NULL, *seen_count = NULL;
	uint32_t *host_of = calloc(planned->tasks + 1UL, sizeof(*host_of)), tasks = 0;

	free(seen->host_of);
	seen->host_of = host_of;
	if (!host_of || hosts_index(&planned->traffic, &first, &count) < 0 ||
	    hosts_index(&seen->traffic, &seen_first, &seen_count) < 0)
		return -ENOMEM;
	for (uint32_t task = 0; task < planned->tasks; task++) {
		uint32_t host = planned->host_of[task], sw = planned->traffic.hosts[host].sw;

		if (host - first[sw] >= seen_count[sw])
			continue;
		host_of[tasks] = seen_first[sw] + host - first[sw];
		planned->host_of[tasks++] = host;
	}
	planned->tasks = seen->tasks = tasks;
	return 0;
}
