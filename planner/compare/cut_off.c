/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What single failures separate. */
#include "planner/compare/outage.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "planner/plan/adjacency.h"

/*
 * A depth-first search without recursion. Invariant: when a switch is left, @low is the earliest number that its
 * subtree reaches by one bundle upwards, and @hosts is that of its subtree. A subtree whose @low is not before its
 * parent's number hangs on that parent alone.
 */
struct search {
	const struct ft_plan *plan;
	struct ft_adjacency near;
	uint32_t *number, *low; /* by switch; number 0: not seen yet */
	uint32_t *next;		/* by switch: the arc to look at next */
	uint32_t *parent;	/* by switch: the bundle that it was reached by */
	uint32_t *hosts;	/* by switch: of its subtree */
	uint32_t *hanging;	/* by switch: hosts of the subtrees that hang on it alone, */
	uint32_t *largest;	/* and of the largest of these */
	uint32_t *root;		/* by switch: where its part of the network was entered */
	uint32_t *path;		/* the switches not yet left */
	uint32_t numbered;
};

static void search_release(struct search *s)
{
	ft_adjacency_release(&s->near);
	free(s->number);
	free(s->low);
	free(s->next);
	free(s->parent);
	free(s->hosts);
	free(s->hanging);
	free(s->largest);
	free(s->root);
	free(s->path);
}

static int search_make(const struct ft_plan *plan, struct search *s)
{
	uint32_t **const lists[] = {&s->number,	 &s->low,     &s->next, &s->parent, &s->hosts,
				    &s->hanging, &s->largest, &s->root, &s->path};

	s->plan = plan;
	for (size_t i = 0; i < FT_COUNT(lists); i++) {
		*lists[i] = calloc(plan->switch_count + 1UL, sizeof(**lists[i]));
		if (!*lists[i])
			return -ENOMEM;
	}
	return ft_adjacency_make(plan, &s->near);
}

static void enter(struct search *s, uint32_t at, uint32_t bundle, uint32_t root)
{
	s->number[at] = s->low[at] = ++s->numbered;
	s->next[at] = s->near.first[at];
	s->parent[at] = bundle;
	s->hosts[at] = s->plan->switches[at].hosts;
	s->root[at] = root;
}

/* The subtree of @at is done: @above is the switch that it hangs on. */
static void leave(struct search *s, uint32_t at, uint32_t above)
{
	s->hosts[above] += s->hosts[at];
	s->low[above] = s->low[at] < s->low[above] ? s->low[at] : s->low[above];
	if (s->low[at] < s->number[above])
		return;
	s->hanging[above] += s->hosts[at];
	s->largest[above] = s->hosts[at] > s->largest[above] ? s->hosts[at] : s->largest[above];
}

static void walk(struct search *s, uint32_t root)
{
	uint32_t depth = 0;

	enter(s, root, FT_NONE, root);
	s->path[depth++] = root;
	while (depth > 0) {
		uint32_t at = s->path[depth - 1];
		const struct ft_arc *arc = &s->near.arcs[s->next[at]];

		if (s->next[at] == s->near.first[at + 1]) {
			if (--depth > 0)
				leave(s, at, s->path[depth - 1]);
			continue;
		}
		s->next[at]++;
		if (s->number[arc->to] == 0) {
			enter(s, arc->to, arc->bundle, root);
			s->path[depth++] = arc->to;
		} else if (arc->bundle != s->parent[at] && s->number[arc->to] < s->low[at]) {
			s->low[at] = s->number[arc->to];
		}
	}
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Hosts of the largest part, and of the largest but one: a failure in the first may leave the second as largest. */
struct parts {
	uint32_t first, second;
	uint32_t root; /* of the first */
};

static struct parts parts_find(const struct search *s)
{
	struct parts parts = {.root = FT_NONE};

	for (uint32_t i = 0; i < s->plan->switch_count; i++) {
		if (s->root[i] != i)
			continue;
		if (parts.root == FT_NONE || s->hosts[i] > parts.first) {
			parts.second = parts.first;
			parts.first = s->hosts[i];
			parts.root = i;
		} else {
			parts.second = larger(parts.second, s->hosts[i]);
		}
	}
	return parts;
}

static void worst_of(const struct search *s, const struct parts *parts, uint32_t at, struct ft_cut_off *worst)
{
	uint32_t above = parts->first - s->plan->switches[at].hosts - s->hanging[at];
	uint32_t left = larger(larger(above, s->largest[at]), parts->second);
	uint32_t bundle = s->parent[at];

	worst->by_switch = larger(worst->by_switch, parts->first - left);
	/* A bundle of one cable to a subtree that has no other way up. */
	if (bundle == FT_NONE || s->plan->bundles[bundle].count > 1 || s->low[at] < s->number[at])
		return;
	left = larger(larger(s->hosts[at], parts->first - s->hosts[at]), parts->second);
	worst->by_cable = larger(worst->by_cable, parts->first - left);
}

int ft_outage_cut_off(const struct ft_plan *plan, struct ft_cut_off *ret_cut_off)
{
	_cleanup_(search_release) struct search s = {0};
	struct ft_cut_off worst = {0};
	struct parts parts;
	int r = search_make(plan, &s);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (s.number[i] == 0)
			walk(&s, i);
	parts = parts_find(&s);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (s.root[i] == parts.root)
			worst_of(&s, &parts, i, &worst);
	*ret_cut_off = worst;
	return 0;
}
