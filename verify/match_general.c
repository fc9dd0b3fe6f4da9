/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Who is who in a plan that is any graph: by GUID, by name, by what is remembered, and then by cables (assign.h). The
 * plan and what was seen become two multigraphs over places and over live switches.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/assign.h"
#include "verify/match.h"
#include "verify/recall.h"

struct general {
	struct ft_multigraph planned, observed;
	struct ft_assign_vertex *planned_at, *observed_at;
	uint32_t *named, *order, *image, *live_of_vertex, *vertex_of_live;
	uint32_t *rival; /* by vertex: another place that would explain as much, or FT_NONE */
	uint32_t *bound; /* by vertex: the place that the design binds it to, or FT_NONE */
	bool *fixed;
	uint32_t vertices; /* live switches that may have a place */
};

static void general_release(struct general *g)
{
	ft_multigraph_release(&g->planned);
	ft_multigraph_release(&g->observed);
	free(g->planned_at);
	free(g->observed_at);
	free(g->named);
	free(g->bound);
	free(g->rival);
	free(g->order);
	free(g->image);
	free(g->live_of_vertex);
	free(g->vertex_of_live);
	free(g->fixed);
}

static int planned_make(const struct ft_model *m, struct general *g)
{
	const struct ft_plan *plan = m->plan;
	_cleanup_free_ struct ft_edge *edges = malloc((plan->bundle_count + 1UL) * sizeof(*edges));

	g->planned_at = calloc(m->place_count + 1UL, sizeof(*g->planned_at));
	if (!edges || !g->planned_at)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		edges[i] = (struct ft_edge){m->place_of[plan->bundles[i].a], m->place_of[plan->bundles[i].b],
					    plan->bundles[i].count};
	for (uint32_t p = 0; p < m->place_count; p++)
		g->planned_at[p] = (struct ft_assign_vertex){m->places[p]->ports, m->places[p]->hosts,
							     p < m->edges || m->places[p]->hosts > 0, 0};
	return ft_multigraph_make(m->place_count, edges, plan->bundle_count, &g->planned);
}

static int observed_make(const struct ft_model *m, struct general *g)
{
	_cleanup_free_ struct ft_edge *edges = malloc((m->live.cable_count + 1UL) * sizeof(*edges));
	uint32_t count = 0;

	g->observed_at = calloc(m->live.switch_count + 1UL, sizeof(*g->observed_at));
	g->live_of_vertex = malloc((m->live.switch_count + 1UL) * sizeof(*g->live_of_vertex));
	g->vertex_of_live = malloc((m->live.switch_count + 1UL) * sizeof(*g->vertex_of_live));
	if (!edges || !g->observed_at || !g->live_of_vertex || !g->vertex_of_live)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		const struct ft_live_switch *sw = &m->live.switches[i];

		g->vertex_of_live[i] = sw->tolerated ? FT_NONE : g->vertices;
		if (sw->tolerated)
			continue;
		g->live_of_vertex[g->vertices] = i;
		g->observed_at[g->vertices++] = (struct ft_assign_vertex){sw->ports, sw->hosts, false,
									  sw->silent + sw->unread + sw->lost_ports};
	}
	for (uint32_t i = 0; i < m->live.cable_count; i++) {
		uint32_t a = g->vertex_of_live[m->live.cables[i].a], b = g->vertex_of_live[m->live.cables[i].b];

		if (a != FT_NONE && b != FT_NONE)
			edges[count++] = (struct ft_edge){a, b, 1};
	}
	return ft_multigraph_make(g->vertices, edges, count, &g->observed);
}

/* The place that a list of bindings, or the plan, gives to this GUID or description, or FT_NONE. */
static int bound_find(const struct ft_model *m, struct general *g)
{
	_cleanup_(ft_map_release) struct ft_map guids = {0}, names = {0}, brief = {0};
	enum { SURE = 2 };
	_cleanup_free_ uint32_t *claims = calloc(m->place_count + 1UL, sizeof(*claims));
	uint32_t first[FT_TIER_COUNT], p = 0;
	int r = claims ? 0 : -ENOMEM;

	for (unsigned int tier = 0; tier < FT_TIER_COUNT; tier++) {
		first[tier] = FT_NONE;
		for (p = 0; p < m->place_count && first[tier] == FT_NONE; p++)
			if (ft_tier_of(m, p) == (enum ft_tier)tier)
				first[tier] = p;
	}
	for (p = 0; r >= 0 && p < m->place_count; p++)
		if (m->places[p]->guid)
			r = ft_map_add(&guids, m->places[p]->guid, p, NULL);
	for (unsigned int tier = 0; r >= 0 && tier < FT_TIER_COUNT; tier++) {
		const struct ft_bind *bind = &m->design->binds[tier];

		for (size_t n = 0; r >= 0 && n < bind->count && first[tier] != FT_NONE; n++) {
			p = first[tier] + (uint32_t)n;
			if (bind->guids[n])
				r = ft_map_add(&guids, bind->guids[n], p, NULL);
			else
				r = ft_map_add(&names, ft_text_hash(bind->names[n]), p, NULL);
			if (r >= 0 && !bind->guids[n])
				r = ft_map_add(&brief, ft_text_short_hash(bind->names[n]), p, NULL);
		}
	}
	if (r < 0)
		return r;
	for (uint32_t v = 0; v < g->vertices; v++) {
		const struct ft_live_switch *sw = &m->live.switches[g->live_of_vertex[v]];
		uint32_t by_guid = ft_map_get(&guids, sw->guid), by_name = ft_map_get(&names, ft_text_hash(sw->name));

		g->bound[v] = by_guid != FT_MAP_NONE ? by_guid : by_name != FT_MAP_NONE ? by_name : FT_NONE;
		if (g->bound[v] != FT_NONE)
			claims[g->bound[v]] = SURE;
	}
	/* The short name decides where it is one switch's only, and nobody has the whole. */
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t v = 0; v < g->vertices; v++) {
			const char *name = m->live.switches[g->live_of_vertex[v]].name;

			p = g->bound[v] == FT_NONE ? ft_map_get(&brief, ft_text_short_hash(name)) : FT_MAP_NONE;
			if (p == FT_MAP_NONE)
				continue;
			if (pass == 0)
				claims[p]++;
			else if (claims[p] == 1)
				g->bound[v] = p;
		}
	for (uint32_t v = 0; v < g->vertices; v++) {
		g->named[v] = g->bound[v];
		g->fixed[v] = g->bound[v] != FT_NONE;
	}
	return 0;
}

/* What port numbers say, where the plan lists cables or hosts: hosts tell on which side of the network it is. */
static uint32_t voted_for(struct ft_model *m, uint32_t live)
{
	uint32_t first = m->live.switches[live].hosts > 0 ? 0 : m->edges;

	return ft_exact_vote_best(m, live, first, first == 0 ? m->edges : m->place_count - m->edges);
}

/* False where port numbers speak against most of the names: then that these are the plan's is an accident. */
static bool names_are_voted_for(struct ft_model *m, const struct general *g)
{
	uint32_t agree = 0, differ = 0, all = 0;

	for (uint32_t v = 0; m->exact.votes && v < g->vertices; v++) {
		uint32_t named = m->named[g->live_of_vertex[v]], voted;

		all += named != FT_NONE;
		if (named == FT_NONE)
			continue;
		voted = voted_for(m, g->live_of_vertex[v]);
		agree += voted == named;
		differ += voted != FT_NONE && voted != named;
	}
	return agree >= differ || 2 * differ < all;
}

/*
 * What each live switch is by its GUID, its name, or what is remembered of it, the first that says anything. Names that
 * the plan has only invented come after what port numbers say.
 */
static int names_take(struct ft_model *m, struct general *g)
{
	enum { BOUND, VOTED, NAMED, VOTED_LAST, RECALLED, PASSES };
	bool names_first = m->plan->topology == FT_TOPOLOGY_GRAPH || names_are_voted_for(m, g);
	_cleanup_free_ bool *taken = calloc(m->place_count + 1UL, sizeof(*taken));
	int r;

	if (!taken)
		return -ENOMEM;
	for (uint32_t v = 0; v < g->vertices; v++)
		g->named[v] = FT_NONE;
	r = bound_find(m, g);
	if (r < 0)
		return r;
	for (unsigned int pass = 0; pass < PASSES; pass++)
		for (uint32_t v = 0; v < g->vertices && pass != (names_first ? VOTED : VOTED_LAST); v++) {
			uint32_t live = g->live_of_vertex[v], p = g->named[v];

			if (pass != BOUND && p != FT_NONE)
				continue;
			if (pass != BOUND)
				p = pass == NAMED      ? m->named[live]
				    : pass == RECALLED ? ft_recall_place(m, live)
						       : voted_for(m, live);
			g->named[v] = p != FT_NONE && !taken[p] ? p : FT_NONE;
			if (g->named[v] == FT_NONE)
				g->fixed[v] = false;
			else
				taken[p] = true;
		}
	return 0;
}

/* Natural order of names, then GUIDs, which is what people expect. */
static int live_compare(const void *a, const void *b, void *arg)
{
	const struct ft_model *m = arg;
	const struct ft_live_switch *x = &m->live.switches[*(const uint32_t *)a];
	const struct ft_live_switch *y = &m->live.switches[*(const uint32_t *)b];
	int d = ft_text_natural_compare(x->name, y->name);

	if (d)
		return d;
	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

/* Ranks in the natural order of names, then GUIDs. */
static int order_take(struct ft_model *m, struct general *g)
{
	_cleanup_free_ uint32_t *list = malloc((g->vertices + 1UL) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (uint32_t v = 0; v < g->vertices; v++)
		list[v] = g->live_of_vertex[v];
	qsort_r(list, g->vertices, sizeof(*list), live_compare, m);
	for (uint32_t i = 0; i < g->vertices; i++)
		g->order[g->vertex_of_live[list[i]]] = i;
	return 0;
}

/* Where the plan's own names, or bindings, are those of the fabric, who stands in a place without its name is another.
 */
static void replaced_find(struct ft_model *m, const struct general *g)
{
	uint32_t seated = 0, named = 0;

	for (uint32_t v = 0; v < g->vertices; v++) {
		if (g->image[v] == FT_NONE || m->places[g->image[v]]->guid)
			continue;
		seated++;
		named += g->named[v] == g->image[v];
	}
	for (uint32_t v = 0; v < g->vertices; v++) {
		uint32_t p = g->image[v];

		if (p == FT_NONE)
			continue;
		if (m->design->binds[ft_tier_of(m, p)].count > 0)
			m->replaced[p] = g->bound[v] == FT_NONE;
		else
			m->replaced[p] =
				g->named[v] == FT_NONE && m->plan->topology == FT_TOPOLOGY_GRAPH && 2 * named > seated;
	}
}

static void seats_take(struct ft_model *m, const struct general *g)
{
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		struct ft_live_switch *sw = &m->live.switches[i];

		sw->tier = sw->hosts > 0 ? FT_TIER_EDGE : FT_TIER_CORE;
	}
	for (uint32_t v = 0; v < g->vertices; v++) {
		struct ft_live_switch *sw = &m->live.switches[g->live_of_vertex[v]];

		sw->planned = g->image[v];
		if (sw->planned == FT_NONE)
			continue;
		sw->rival = g->rival[v];
		m->live_of[sw->planned] = g->live_of_vertex[v];
		sw->tier = ft_tier_of(m, sw->planned);
	}
}

int ft_general_match(struct ft_model *m)
{
	_cleanup_(general_release) struct general g = {0};
	size_t size = m->live.switch_count + 1UL;
	int r;

	g.named = malloc(size * sizeof(*g.named));
	g.bound = malloc(size * sizeof(*g.bound));
	g.rival = malloc(size * sizeof(*g.rival));
	g.order = malloc(size * sizeof(*g.order));
	g.image = malloc(size * sizeof(*g.image));
	g.fixed = calloc(size, sizeof(*g.fixed));
	if (!g.named || !g.bound || !g.rival || !g.order || !g.image || !g.fixed)
		return -ENOMEM;
	r = planned_make(m, &g);
	if (r == 0)
		r = observed_make(m, &g);
	if (r == 0)
		r = names_take(m, &g);
	if (r == 0)
		r = order_take(m, &g);
	if (r == 0)
		r = ft_assign(&(struct ft_assign){.planned = &g.planned,
						  .observed = &g.observed,
						  .planned_at = g.planned_at,
						  .observed_at = g.observed_at,
						  .named = g.named,
						  .names_first = m->exact.votes != NULL,
						  .names_weak = m->plan->topology != FT_TOPOLOGY_GRAPH,
						  .fixed = g.fixed,
						  .order = g.order},
			      g.image, g.rival);
	if (r < 0)
		return r;
	seats_take(m, &g);
	replaced_find(m, &g);
	return 0;
}

int ft_exchanged_find(struct ft_model *m)
{
	enum { MOST = 3 };
	uint32_t right = 0, wrong = 0;

	free(m->exact.named_at);
	m->exact.named_at = NULL;
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		uint32_t place = m->live.switches[i].planned;

		if (place == FT_NONE || m->named[i] == FT_NONE)
			continue;
		right += m->named[i] == place;
		wrong += m->named[i] != place;
	}
	if (wrong == 0 ||
	    (m->plan->topology != FT_TOPOLOGY_GRAPH && (m->plan->cable_count == 0 || right < MOST * wrong)))
		return 0;
	m->exact.named_at = malloc((m->place_count + 1UL) * sizeof(*m->exact.named_at));
	if (!m->exact.named_at)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++)
		m->exact.named_at[p] = FT_NONE;
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		uint32_t place = m->live.switches[i].planned;

		if (place != FT_NONE && m->named[i] != FT_NONE && m->named[i] != place)
			m->exact.named_at[place] = m->named[i];
	}
	return 0;
}
