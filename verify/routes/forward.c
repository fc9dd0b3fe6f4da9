/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/routes/forward.h"

#include <errno.h>
#include <stdlib.h>

/* The planned switch of a hop, by its index in the plan; FT_NONE: it has none. */
static uint32_t switch_of(const struct ft_model *m, const struct ft_hop *hop)
{
	return hop->place == FT_NONE ? FT_NONE : ft_plan_index(m, hop->place);
}

/* The bundle from @from to @to; FT_NONE: no cable between them carries. */
static uint32_t bundle_between(const struct ft_work_net *net, uint32_t from, uint32_t to)
{
	for (uint32_t arc = net->near.first[from]; arc < net->near.first[from + 1]; arc++)
		if (net->near.arcs[arc].to == to)
			return net->near.arcs[arc].bundle;
	return FT_NONE;
}

/*
 * The links of a bundle are its cables, in the order of the ports. More of them than there are cables that carry, such
 * as those that cannot be judged, share these.
 */
static void steps_make(struct ft_forward *f, const struct ft_work_net *net)
{
	struct ft_walk *w = &f->walk;
	uint32_t *used = ft_arena_zeros(&w->memory, 2UL * net->plan->bundle_count, sizeof(*used));

	f->step_of_link = ft_arena_zeros(&w->memory, w->link_count, sizeof(*f->step_of_link));
	for (uint32_t link = 0; !w->memory.failed && link < w->link_count; link++) {
		uint32_t from = switch_of(w->m, &w->hops[w->owner[link]]), to = FT_NONE, bundle = FT_NONE;
		uint32_t *count;

		if (w->far[link] < w->hop_count)
			to = switch_of(w->m, &w->hops[w->far[link]]);
		if (from != FT_NONE && to != FT_NONE && from != to)
			bundle = bundle_between(net, from, to);
		f->step_of_link[link] = (struct ft_step){from, bundle, 0};
		if (bundle == FT_NONE)
			continue;
		count = &used[2UL * bundle + (from < to)];
		f->step_of_link[link].cable = (*count)++ % net->plan->bundles[bundle].count;
	}
}

static int by_link(const void *a, const void *b, void *data)
{
	const struct ft_walk *w = data;
	const struct ft_target *x = &w->targets[*(const uint32_t *)a], *y = &w->targets[*(const uint32_t *)b];

	return FT_ORDER(x->link, y->link) ?: FT_ORDER(x->lid, y->lid);
}

/* The LIDs in the order of switch ports, the first of each port. Returns how many. */
static uint32_t targets_sort(struct ft_walk *w, uint32_t *sorted)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < w->target_count; i++)
		sorted[i] = i;
	qsort_r(sorted, w->target_count, sizeof(*sorted), by_link, w);
	for (uint32_t i = 0; i < w->target_count; i++)
		if (count == 0 || w->targets[sorted[count - 1]].link != w->targets[sorted[i]].link)
			sorted[count++] = sorted[i];
	return count;
}

static void hosts_make(struct ft_forward *f, const struct ft_work_net *net)
{
	struct ft_walk *w = &f->walk;
	uint32_t *sorted = ft_arena_zeros(&w->memory, w->target_count, sizeof(*sorted));
	/* By switch of the plan: its next host of the net. Those of a switch are next to each other. */
	uint32_t *next = ft_arena_numbers(&w->memory, net->plan->switch_count, net->host_count), count;

	f->target_of_host = ft_arena_numbers(&w->memory, net->host_count, FT_NONE);
	f->entry_of_host = ft_arena_zeros(&w->memory, net->host_count, sizeof(*f->entry_of_host));
	if (w->memory.failed)
		return;
	for (uint32_t host = net->host_count; host-- > 0;)
		next[net->hosts[host].sw] = host;
	count = targets_sort(w, sorted);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t hop = w->targets[sorted[i]].hop, sw = switch_of(w->m, &w->hops[hop]);
		uint32_t host = sw == FT_NONE ? net->host_count : next[sw];

		if (host >= net->host_count || net->hosts[host].sw != sw)
			continue;
		next[sw]++;
		f->target_of_host[host] = sorted[i];
		f->entry_of_host[host] = hop;
	}
}

/* Follows the tables from chip to chip. Only cables between switches of the plan are steps. */
static bool walk(const void *data, uint32_t from, uint32_t to, struct ft_step steps[FT_STEPS_MAX], uint32_t *ret_count)
{
	const struct ft_forward *f = data;
	const struct ft_walk *w = &f->walk;
	uint32_t target = f->target_of_host[to], hop = f->entry_of_host[from], count = 0;

	if (target == FT_NONE || f->target_of_host[from] == FT_NONE)
		return false;
	for (uint32_t crossed = 0; crossed < FT_STEPS_MAX; crossed++) {
		uint32_t link = ft_walk_out(w, hop, target);
		const struct ft_step *step;

		if (link == FT_NONE)
			return false;
		if (link == w->targets[target].link) {
			*ret_count = count;
			return true;
		}
		if (w->far[link] >= w->hop_count)
			return false;
		step = &f->step_of_link[link];
		if (step->bundle != FT_NONE)
			steps[count++] = *step;
		else if (step->from == FT_NONE || step->from != switch_of(w->m, &w->hops[w->far[link]]))
			return false;
		hop = w->far[link];
	}
	return false;
}

int ft_forward_make(struct ft_model *m, const struct ft_work_net *net, struct ft_forward *ret)
{
	ret->walk.m = m;
	if (ft_walk_build(&ret->walk) < 0)
		return -ENOMEM;
	steps_make(ret, net);
	hosts_make(ret, net);
	ret->forwarding = (struct ft_forwarding){walk, ret, ret->entry_of_host};
	return ret->walk.memory.failed ? -ENOMEM : 0;
}
