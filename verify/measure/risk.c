/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which hosts one more failure, of a switch or of a cable, would cut off from most others: those behind an articulation
 * point or a bridge (base/bridges.h). O(cables), for the plan, the fabric, and each finding that is weighed.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bridges.h"
#include "base/cleanup.h"
#include "verify/measure/impact_parts.h"
#include "verify/model/capacity.h"

/*
 * A component of a tree without a top switch counts as disconnected; in any other graph any switch suffices. @hosts: on
 * an unplanned switch.
 */
static bool is_anchor(const struct ft_model *m, uint32_t place, uint32_t hosts)
{
	if (m->capacity->ranks == 1)
		return true;
	return place == FT_NONE ? hosts == 0 : ft_is_top(m, place);
}

static int network_of_fabric(const struct ft_model *m, struct ft_hosted *g)
{
	const struct ft_observed_fabric *observed = &m->observed;
	struct ft_edge *edges = ft_arena_zeros(&g->memory, observed->cable_count, sizeof(*edges));
	int r;

	if (!edges)
		return -ENOMEM;
	for (uint32_t i = 0; i < observed->cable_count; i++)
		edges[i] = (struct ft_edge){observed->cables[i].a, observed->cables[i].b, 1};
	r = ft_hosted_make(observed->switch_count, edges, observed->cable_count, g);
	for (uint32_t i = 0; r == 0 && i < observed->switch_count; i++) {
		const struct ft_observed_switch *sw = &observed->switches[i];

		g->hosts[i] = sw->tolerated ? 0 : sw->hosts;
		g->anchor[i] = is_anchor(m, sw->planned, sw->hosts);
	}
	return r;
}

/* Without what the current finding loses; @gone: by place, missing switches; NULL: none is missing. */
static int network_of_plan(const struct ft_weighing *x, const bool *gone, struct ft_hosted *g)
{
	const struct ft_model *m = x->m;
	struct ft_edge *edges = ft_arena_zeros(&g->memory, m->cells.count, sizeof(*edges));
	uint32_t count = 0;
	int r;

	if (!edges)
		return -ENOMEM;
	for (uint32_t cell = 0; cell < m->cells.count; cell++)
		if (ft_impact_left(x, cell) > 0)
			edges[count++] = (struct ft_edge){m->cells.ends[cell][0], m->cells.ends[cell][1],
							  ft_impact_left(x, cell)};
	r = ft_hosted_make(m->place_count, edges, count, g);
	for (uint32_t p = 0; r == 0 && p < m->place_count; p++) {
		g->hosts[p] = gone && gone[p] ? 0 : m->places[p]->hosts;
		g->anchor[p] = is_anchor(m, p, 0);
	}
	return r;
}

int ft_risk_weigh(struct ft_weighing *x)
{
	const struct ft_model *m = x->m;
	_cleanup_(ft_hosted_release) struct ft_hosted observed = {0}, plan = {0};
	_cleanup_free_ bool *now = calloc(m->observed.switch_count + 1UL, sizeof(*now));
	int r = now ? network_of_fabric(m, &observed) : -ENOMEM;

	if (r == 0)
		r = network_of_plan(x, NULL, &plan) ?: ft_bridges_find(&observed, now) ?: ft_bridges_find(&plan, x->planned_risk);
	for (uint32_t p = 0; r == 0 && p < m->place_count; p++)
		if (m->observed_of[p] != FT_NONE && now[m->observed_of[p]] && !x->planned_risk[p])
			x->at_risk[p] = x->any_at_risk = true;
	return r;
}

int ft_risk_of_finding(struct ft_weighing *x, struct ft_finding *f)
{
	const struct ft_model *m = x->m;
	_cleanup_(ft_hosted_release) struct ft_hosted plan = {0};
	_cleanup_free_ bool *risk = calloc(m->place_count + 1UL, sizeof(*risk));
	int r = risk ? network_of_plan(x, x->is_gone, &plan) : -ENOMEM;

	if (r == 0)
		r = ft_bridges_find(&plan, risk);
	for (uint32_t p = 0; r == 0 && p < m->place_count; p++) {
		if (!risk[p] || !x->at_risk[p])
			continue;
		x->told[p] = true;
		f->impact.hosts_at_risk += ft_observed_at(m, p)->hosts;
	}
	return r;
}
