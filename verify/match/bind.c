/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Matches a plan of any graph: by GUID, by name, by port numbers, by the baseline, and then by cables (assign.h). The
 * plan and the observed fabric become two multigraphs, over places and over observed switches ("vertices": tolerated
 * switches are left out).
 *
 * Invariant: a place is bound by one kind of evidence, the first in this order that has a switch for it; port numbers
 * come before names if they contradict most of them. O(V) for hashes, O(cables * SHARES_MAX) for port numbers
 * (port_votes.c), then ft_assign(), at most five times if there is a baseline.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match/assign.h"
#include "verify/match/match.h"
#include "verify/model/recall.h"

struct matching {
	struct ft_multigraph planned, observed;
	struct ft_assign_vertex *planned_at, *observed_at;
	uint32_t *named, *order, *image, *observed_of_vertex, *vertex_of_observed;
	uint32_t *rival; /* by vertex: another place that explains as much, or FT_NONE */
	uint32_t *given; /* by vertex: its place, if the model is told; or NULL */
	bool *fixed;
	uint32_t vertices; /* observed switches that may have a place */
	struct ft_arena memory;
};

static void matching_release(struct matching *g)
{
	ft_multigraph_release(&g->planned);
	ft_multigraph_release(&g->observed);
	ft_arena_release(&g->memory);
}

/* True for a cable to a switch that the plan knows only by an alias. */
static bool bundle_is_loose(const struct ft_plan *plan, const struct ft_plan_bundle *bundle)
{
	return ft_plan_is_beside(plan, bundle->b) && plan->switches[bundle->a].alias;
}

/* @loose: without cables to aliased switches. */
static int planned_make(const struct ft_model *m, bool loose, struct matching *g)
{
	const struct ft_plan *plan = m->plan;
	_cleanup_free_ struct ft_edge *edges = malloc((plan->bundle_count + 1UL) * sizeof(*edges));
	uint32_t count = 0;

	g->planned_at = ft_arena_zeros(&g->memory, m->place_count, sizeof(*g->planned_at));
	if (!edges || !g->planned_at)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (!loose || !bundle_is_loose(plan, &plan->bundles[i]))
			edges[count++] = (struct ft_edge){m->place_of[plan->bundles[i].a],
							  m->place_of[plan->bundles[i].b], plan->bundles[i].count};
	for (uint32_t p = 0; p < m->place_count; p++)
		g->planned_at[p] = (struct ft_assign_vertex){
			.ports = m->places[p]->ports, .hosts = m->places[p]->hosts, .may_host = ft_may_host(m, p)};
	return ft_multigraph_make(m->place_count, edges, count, &g->planned);
}

static int observed_make(const struct ft_model *m, bool loose, struct matching *g)
{
	_cleanup_free_ struct ft_edge *edges = malloc((m->observed.cable_count + 1UL) * sizeof(*edges));
	_cleanup_free_ bool *is_loose = NULL;
	uint32_t count = 0;
	int r = loose ? ft_aliases_loose(m, &is_loose) : 0;

	g->observed_at = ft_arena_zeros(&g->memory, m->observed.switch_count, sizeof(*g->observed_at));
	g->observed_of_vertex = ft_arena_zeros(&g->memory, m->observed.switch_count, sizeof(*g->observed_of_vertex));
	g->vertex_of_observed = ft_arena_zeros(&g->memory, m->observed.switch_count, sizeof(*g->vertex_of_observed));
	if (r < 0 || !edges || g->memory.failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		const struct ft_observed_switch *sw = &m->observed.switches[i];

		g->vertex_of_observed[i] = sw->tolerated ? FT_NONE : g->vertices;
		if (sw->tolerated)
			continue;
		g->observed_of_vertex[g->vertices] = i;
		g->observed_at[g->vertices++] = (struct ft_assign_vertex){
			.ports = sw->ports, .hosts = sw->hosts, .excused = sw->silent + sw->unread + sw->lost_ports};
	}
	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		uint32_t a = g->vertex_of_observed[m->observed.cables[i].a],
			 b = g->vertex_of_observed[m->observed.cables[i].b];

		if (a != FT_NONE && b != FT_NONE && !(is_loose && is_loose[i]))
			edges[count++] = (struct ft_edge){a, b, 1};
	}
	return ft_multigraph_make(g->vertices, edges, count, &g->observed);
}

/* A number for each rate; 0: not known. */
static uint16_t rate_number(struct ft_rate rate)
{
	return rate.lanes ? (uint16_t)(rate.lanes << 8 | rate.speed) : 0;
}

/* The rates that classes of the design say, and those of most cables of each observed switch: what else tells twins
 * apart. */
static int rates_take(const struct ft_model *m, struct matching *g)
{
	_cleanup_free_ struct ft_rate_votes *votes = NULL;
	bool said = false;

	for (uint32_t p = 0; p < m->place_count; p++) {
		const struct ft_design_class *class = ft_plan_class_of(m->design, m->plan, ft_plan_index(m, p));

		for (unsigned int n = 0; class && n < 2; n++) {
			const struct ft_rates *rates = n == 0 ? &class->uplink_rates : &class->host_rates;

			g->planned_at[p].rate[n] = rates->count == 1 ? rate_number(rates->rates[0]) : 0;
			said |= g->planned_at[p].rate[n] > 0;
		}
	}
	if (!said)
		return 0;
	votes = calloc(2UL * m->observed.switch_count + 1, sizeof(*votes));
	if (!votes)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		const struct ft_observed_cable *cable = &m->observed.cables[i];
		struct ft_rate rate = ft_cable_rate(m, cable->a_port);

		ft_rate_vote(&votes[2 * cable->a], rate);
		ft_rate_vote(&votes[2 * cable->b], rate);
	}
	for (uint32_t i = 0; i < m->observed.host_count; i++)
		ft_rate_vote(&votes[2 * m->observed.hosts[i].observed + 1],
			     ft_cable_rate(m, m->observed.hosts[i].switch_port));
	for (uint32_t v = 0; v < g->vertices; v++)
		for (unsigned int n = 0; n < 2; n++)
			g->observed_at[v].rate[n] =
				rate_number(ft_rate_usual(&votes[2 * g->observed_of_vertex[v] + n]));
	return 0;
}

/*
 * The place that a list of bindings, the design of an island, or the plan, gives to this GUID or description, or
 * FT_NONE.
 */
static int bound_find(const struct ft_model *m, struct matching *g)
{
	_cleanup_(ft_map_release) struct ft_map guids = {0};
	_cleanup_(ft_name_index_release) struct ft_name_index names = {0};
	uint32_t number = 0;
	int r = ft_name_index_init(&names, m->place_count);

	/* A list of bindings is in the order of the switches of its kind; where one list is of all, in the plan's. */
	for (uint32_t p = 0; r >= 0 && p < m->place_count; p++) {
		const struct ft_bind *bind = ft_bind_of(m, p);

		number = p > 0 && m->places[p]->kind == m->places[p - 1]->kind ? number + 1 : 0;
		if (m->plan->topology == FT_TOPOLOGY_GRAPH)
			number = ft_plan_index(m, p);
		if (m->places[p]->guid)
			r = ft_map_add(&guids, m->places[p]->guid, p, NULL);
		if (r >= 0 && ft_is_beside(m, p))
			r = ft_name_index_add(&names, m->places[p]->name, p);
		else if (r >= 0 && number < bind->count && bind->guids[number])
			r = ft_map_add(&guids, bind->guids[number], p, NULL);
		else if (r >= 0 && number < bind->count)
			r = ft_name_index_add(&names, bind->names[number], p);
	}
	if (r < 0)
		return r;
	for (uint32_t v = 0; v < g->vertices; v++)
		m->bound[g->observed_of_vertex[v]] =
			ft_map_get(&guids, m->observed.switches[g->observed_of_vertex[v]].guid);
	ft_name_index_tell(m, &names, m->bound);
	for (uint32_t v = 0; v < g->vertices; v++) {
		g->named[v] = m->bound[g->observed_of_vertex[v]];
		g->fixed[v] = g->named[v] != FT_NONE;
	}
	return 0;
}

/* The place that port numbers vote for, if the plan lists cables or hosts: hosts show the side of the network. */
static uint32_t voted_for(struct ft_model *m, uint32_t observed)
{
	uint32_t first = m->observed.switches[observed].hosts > 0 ? 0 : m->edges;

	return ft_port_map_vote_best(m, observed, first, first == 0 ? m->edges : m->place_count - m->edges);
}

static uint32_t recalled_for(const struct ft_model *m, uint32_t observed, bool moved)
{
	return moved || !ft_recall_has_moved(m, observed) ? ft_recall_place(m, observed) : FT_NONE;
}

static bool any_has_moved(const struct ft_model *m, const struct matching *g)
{
	for (uint32_t v = 0; v < g->vertices; v++)
		if (ft_recall_has_moved(m, g->observed_of_vertex[v]))
			return true;
	return false;
}

/* False if port numbers contradict most of the names: then the fabric carries the plan's names by accident. */
static bool names_are_voted_for(struct ft_model *m, const struct matching *g)
{
	uint32_t agree = 0, differ = 0, all = 0;

	for (uint32_t v = 0; m->port_map.votes && v < g->vertices; v++) {
		uint32_t named = m->named[g->observed_of_vertex[v]], voted;

		all += named != FT_NONE;
		if (named == FT_NONE)
			continue;
		voted = voted_for(m, g->observed_of_vertex[v]);
		agree += voted == named;
		differ += voted != FT_NONE && voted != named;
	}
	return agree >= differ || 2 * differ < all;
}

/* Fixes the switches that stand where they did. */
static void standing_fix(struct ft_model *m, struct matching *g)
{
	for (uint32_t v = 0; v < g->vertices; v++) {
		uint32_t observed = g->observed_of_vertex[v];

		if (g->named[v] != FT_NONE && g->named[v] == ft_recall_place(m, observed) &&
		    ft_recall_stands(m, observed))
			g->fixed[v] = true;
	}
}

/* Whether the plan has the cable at @end where the names of its two switches say; in its near port, if it gives ports.
 */
static bool end_is_named(const struct ft_model *m, const struct matching *g, const struct ft_cable_end *end)
{
	uint32_t vertex = g->vertex_of_observed[end->far], planned;
	uint32_t p = g->named[g->vertex_of_observed[end->near]], q = vertex == FT_NONE ? FT_NONE : g->named[vertex];

	if (q == FT_NONE || !ft_port_map_knows(m, p))
		return q != FT_NONE && ft_edges_between(&g->planned, p, q) > 0;
	planned = ft_port_map_cable(m, p, ft_port_number(m, end->port));
	return planned != FT_NONE && ft_port_map_far(m, planned, p) == q;
}

/*
 * While a fabric is built, a switch comes with few of its cables, and the many that it lacks are no evidence against
 * its name: without them another place, of which nothing is due yet, would cost less. It is fixed in the place of its
 * name unless most of the cables that are there, and more than one or two, are not as that place has them.
 */
static void arrivals_fix(const struct ft_model *m, struct matching *g)
{
	enum { FEW = 2 };

	for (uint32_t v = 0; m->input && m->input->building && v < g->vertices; v++) {
		uint32_t observed = g->observed_of_vertex[v], count = m->observed.switches[observed].cable_count;
		const struct ft_cable_end *ends = ft_ends_of(m, observed);
		uint32_t agree = 0;

		if (g->named[v] == FT_NONE || g->named[v] != m->named[observed])
			continue;
		for (uint32_t i = 0; i < count; i++)
			agree += end_is_named(m, g, &ends[i]);
		g->fixed[v] |= 2 * agree >= count || count - agree <= FEW;
	}
}

/* The observed cables that the plan has not between the places of their switches. */
static uint32_t surplus_of(const struct matching *g)
{
	uint32_t surplus = 0;

	for (uint32_t v = 0; v < g->vertices; v++)
		for (uint32_t i = 0; i < ft_adjacent_count(&g->observed, v); i++) {
			const struct ft_adjacent *to = &ft_adjacent_of(&g->observed, v)[i];
			uint32_t a = g->image[v], b = g->image[to->vertex];
			uint32_t planned = a == FT_NONE || b == FT_NONE ? 0 : ft_edges_between(&g->planned, a, b);

			if (to->vertex > v && to->count > planned)
				surplus += to->count - planned;
		}
	return surplus;
}

/* The holder frees the others of @result. */
static int assign(const struct ft_model *m, struct matching *g, struct ft_assign_result *result)
{
	free(result->others);
	*result = (struct ft_assign_result){.image = g->image, .rival = g->rival};
	/* Names that the plan has invented give way to cables, but not while most of the cables are not there yet. */
	return ft_assign(&(struct ft_assign){.planned = &g->planned,
					     .observed = &g->observed,
					     .planned_at = g->planned_at,
					     .observed_at = g->observed_at,
					     .named = g->named,
					     .names_first = m->port_map.votes != NULL,
					     .names_weak = m->plan->topology != FT_TOPOLOGY_GRAPH &&
							   !(m->input && m->input->building),
					     .fixed = g->fixed,
					     .order = g->order,
					     .image = g->given,
					     .wrong_most = m->input ? m->input->wrong_most : 0},
			 result);
}

/*
 * The place of each observed switch by GUID or binding, name, port numbers, or baseline: the first that says anything.
 * If port numbers contradict most names that the plan has invented, they come before these.
 *
 * @moved  the former places of switches count even if these have been moved
 */
static int names_take(struct ft_model *m, struct matching *g, bool moved)
{
	enum { BOUND, VOTED, NAMED, VOTED_LAST, RECALLED, PASSES };
	bool names_first = m->plan->topology == FT_TOPOLOGY_GRAPH || names_are_voted_for(m, g);
	_cleanup_free_ bool *taken = calloc(m->place_count + 1UL, sizeof(*taken));
	int r;

	if (!taken)
		return -ENOMEM;
	r = bound_find(m, g);
	if (r < 0)
		return r;
	for (unsigned int pass = 0; pass < PASSES; pass++)
		for (uint32_t v = 0; v < g->vertices && pass != (names_first ? VOTED : VOTED_LAST); v++) {
			uint32_t observed = g->observed_of_vertex[v], p = g->named[v];

			if (pass != BOUND && p != FT_NONE)
				continue;
			if (pass != BOUND)
				p = pass == NAMED      ? m->named[observed]
				    : pass == RECALLED ? recalled_for(m, observed, moved)
						       : voted_for(m, observed);
			g->named[v] = p != FT_NONE && !taken[p] ? p : FT_NONE;
			if (g->named[v] == FT_NONE)
				g->fixed[v] = false;
			else
				taken[p] = true;
		}
	return 0;
}

/* Natural order of names, then GUIDs: the order that users expect. */
static int observed_compare(const void *a, const void *b, void *arg)
{
	const struct ft_model *m = arg;
	const struct ft_observed_switch *x = &m->observed.switches[*(const uint32_t *)a];
	const struct ft_observed_switch *y = &m->observed.switches[*(const uint32_t *)b];
	int d = ft_text_natural_compare(x->name, y->name);

	if (d)
		return d;
	return FT_ORDER(x->guid, y->guid);
}

/* Ranks in the natural order of names, then GUIDs. */
static int order_take(struct ft_model *m, struct matching *g)
{
	_cleanup_free_ uint32_t *list = malloc((g->vertices + 1UL) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (uint32_t v = 0; v < g->vertices; v++)
		list[v] = g->observed_of_vertex[v];
	qsort_r(list, g->vertices, sizeof(*list), observed_compare, m);
	for (uint32_t i = 0; i < g->vertices; i++)
		g->order[g->vertex_of_observed[list[i]]] = i;
	return 0;
}

/* *@ret_lost: most switches have the name of another one, and none is bound. 0 or -ENOMEM. */
static int names_lost_judge(const struct ft_model *m, const struct matching *g, bool *ret_lost)
{
	_cleanup_(ft_map_release) struct ft_map names = {0};
	uint32_t namesakes = 0;

	*ret_lost = false;
	for (uint32_t v = 0; v < g->vertices; v++) {
		int r = ft_map_add(&names, ft_text_hash(m->observed.switches[g->observed_of_vertex[v]].name), v, NULL);

		if (r < 0)
			return r;
		if (m->bound[g->observed_of_vertex[v]] != FT_NONE)
			return 0;
		namesakes += r == 0;
	}
	*ret_lost = 2 * namesakes > g->vertices;
	return 0;
}

/*
 * If the fabric uses the plan's own names, or bindings, a switch in a place without its name is a replacement; unless
 * all have lost their names. Without names only the memory of another one tells: that the others are where they were
 * makes no replacement of one that is seen for the first time, as while a fabric is built.
 */
static void replaced_find(struct ft_model *m, const struct matching *g)
{
	uint32_t seated = 0, named = 0;

	for (uint32_t v = 0; v < g->vertices; v++) {
		if (g->image[v] == FT_NONE || m->places[g->image[v]]->guid)
			continue;
		seated++;
		named += m->named[g->observed_of_vertex[v]] == g->image[v];
	}
	for (uint32_t v = 0; v < g->vertices; v++) {
		uint32_t p = g->image[v];

		if (p == FT_NONE)
			continue;
		if (ft_bind_of(m, p)->count > 0 || ft_is_beside(m, p))
			m->replaced[p] =
				m->bound[g->observed_of_vertex[v]] == FT_NONE && (m->places[p]->guid || !m->names_lost);
		else
			m->replaced[p] = g->named[v] == FT_NONE && m->plan->topology == FT_TOPOLOGY_GRAPH &&
					 (2 * named > seated || (ft_recall_is_of_plan(m) && ft_recall_absent(m, p)));
	}
}

/* The lowest kind if the switch has hosts, else the highest one. */
static uint32_t kind_like(const struct ft_plan *plan, bool hosts)
{
	uint32_t like = 0;

	for (uint32_t kind = 1; kind < plan->kind_count; kind++) {
		uint32_t rank = ft_rank_of_kind(plan, kind), best = ft_rank_of_kind(plan, like);

		if (hosts ? rank < best : rank > best)
			like = kind;
	}
	return like;
}

static void seats_take(struct ft_model *m, const struct matching *g)
{
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		struct ft_observed_switch *sw = &m->observed.switches[i];

		sw->planned = FT_NONE;
		sw->kind = kind_like(m->plan, sw->hosts > 0);
	}
	for (uint32_t v = 0; v < g->vertices; v++) {
		if (g->image[v] == FT_NONE)
			continue;
		ft_observed_seat(m, g->observed_of_vertex[v], g->image[v]);
		m->observed.switches[g->observed_of_vertex[v]].rival = g->rival[v];
	}
}

/* The places that the model is told, by vertex. */
static int given_take(const struct ft_model *m, struct matching *g)
{
	if (!m->given)
		return 0;
	g->given = ft_arena_numbers(&g->memory, g->vertices, FT_NONE);
	if (!g->given)
		return -ENOMEM;
	for (uint32_t v = 0; v < g->vertices; v++)
		g->given[v] = m->given[g->observed_of_vertex[v]];
	return 0;
}

/* The other ways to place the switches, by observed switch. */
static int others_take(struct ft_model *m, const struct matching *g, const struct ft_assign_result *result)
{
	uint32_t count = m->observed.switch_count;

	m->other_count = 0;
	if (result->other_count == 0)
		return 0;
	m->others = ft_arena_numbers(&m->memory, result->other_count * count, FT_NONE);
	if (!m->others)
		return -ENOMEM;
	for (; m->other_count < result->other_count; m->other_count++) {
		uint32_t *other = m->others + m->other_count * (size_t)count;

		for (uint32_t v = 0; v < g->vertices; v++)
			other[g->observed_of_vertex[v]] = result->others[m->other_count * (size_t)g->vertices + v];
	}
	return 0;
}

static int places_try(struct ft_model *m, struct matching *g, bool moved, struct ft_assign_result *result)
{
	int r = names_take(m, g, moved);

	if (r < 0)
		return r;
	standing_fix(m, g);
	arrivals_fix(m, g);
	return assign(m, g, result);
}

/* True if there are as many cables as planned: then the fabric is as planned if none of them is a surplus one. */
static bool is_whole(const struct matching *g)
{
	uint64_t planned = 0, observed = 0;

	for (uint32_t p = 0; p < g->planned.count; p++)
		planned += g->planned.degree[p];
	for (uint32_t v = 0; v < g->vertices; v++)
		observed += g->observed.degree[v];
	return observed == planned;
}

/*
 * The baseline is believed unless the places by it have many surplus cables, and those without it less than half as
 * many: then it was learned while plan and fabric were changed one after the other, and this check goes without it. A
 * dark switch, or swaps of single cables, contradict the baseline little. Where the fabric was never as planned, places
 * were guessed while it was being cabled: as soon as it is as planned without them, they are no evidence against it,
 * however few findings they would make.
 */
static int places_take(struct ft_model *m, struct matching *g, struct ft_assign_result *result)
{
	enum { MANY = 4 };
	const struct ft_recall recall = m->recall;
	bool moved = true;
	uint32_t with, without;
	int r = places_try(m, g, moved, result);

	with = r == 0 && recall.baseline ? surplus_of(g) : 0;
	if (with == 0 || g->given)
		return r;
	/* Without the former places of switches that were moved as a whole, if that has fewer surplus cables. */
	if (any_has_moved(m, g)) {
		moved = false;
		r = places_try(m, g, moved, result);
		moved = r == 0 && surplus_of(g) >= with;
		if (r == 0 && moved)
			r = places_try(m, g, moved, result);
		with = r == 0 ? surplus_of(g) : 0;
	}
	if (with == 0 || (with < MANY && (ft_recall_is_of_plan(m) || !is_whole(g))))
		return r;
	m->recall = (struct ft_recall){0};
	r = places_try(m, g, moved, result);
	without = r == 0 ? surplus_of(g) : 0;
	if (r < 0 || (with < MANY ? without == 0 : 2 * without < with))
		return r;
	m->recall = recall;
	return places_try(m, g, moved, result);
}

/* Appends @count ways to place the switches to the other ones. */
static int others_append(struct ft_assign_result *result, const uint32_t *images, uint32_t count, uint32_t vertices)
{
	size_t size = vertices * sizeof(*images);
	uint32_t *others = realloc(result->others, (result->other_count + count) * size + 1);

	if (!others)
		return -ENOMEM;
	memcpy(others + result->other_count * (size_t)vertices, images, count * size);
	result->others = others;
	result->other_count += count;
	return 0;
}

/*
 * Where the fabric was never as planned, the places of the baseline were guessed with fewer cables to go by: those that
 * the cables say by themselves are other ways to place the switches. What each costs is counted by its explanation, and
 * the baseline wins where they cost the same, so that nothing is told anew for each cable that comes.
 */
static int guesses_doubt(struct ft_model *m, struct matching *g, struct ft_assign_result *result)
{
	const struct ft_recall recall = m->recall;
	_cleanup_free_ uint32_t *without = malloc((g->vertices + 1UL) * sizeof(*without));
	_cleanup_free_ uint32_t *others = NULL;
	uint32_t count;
	int r;

	if (!without)
		return -ENOMEM;
	m->recall = (struct ft_recall){0};
	r = places_try(m, g, true, result);
	memcpy(without, g->image, g->vertices * sizeof(*without));
	others = result->others;
	count = result->other_count;
	*result = (struct ft_assign_result){0};
	m->recall = recall;
	if (r == 0)
		r = places_take(m, g, result);
	if (r == 0 && memcmp(without, g->image, g->vertices * sizeof(*without)) != 0)
		r = others_append(result, without, 1, g->vertices);
	return r == 0 && count > 0 ? others_append(result, others, count, g->vertices) : r;
}

/*
 * True if the baseline, which is of no whole fabric, says where a switch belongs that nothing else tells, and something
 * is there that its places have no room for: with less than is planned it is contradicted by nothing.
 */
static bool guesses_are_doubtful(const struct ft_model *m, const struct matching *g)
{
	bool recalled = false, homeless = false;

	if (!m->recall.baseline || g->given || ft_recall_is_of_plan(m))
		return false;
	for (uint32_t v = 0; v < g->vertices; v++) {
		uint32_t observed = g->observed_of_vertex[v];

		recalled |= g->named[v] != FT_NONE && ft_told_place(m, observed) == FT_NONE &&
			    g->named[v] == ft_recall_place(m, observed);
		homeless |= g->image[v] == FT_NONE;
	}
	return recalled && (homeless || surplus_of(g) > 0);
}

int ft_switches_match(struct ft_model *m, bool loose)
{
	_cleanup_(matching_release) struct matching g = {0};
	uint32_t count = m->observed.switch_count;
	struct ft_assign_result result = {0};
	int r;

	g.named = ft_arena_numbers(&g.memory, count, FT_NONE);
	g.rival = ft_arena_numbers(&g.memory, count, FT_NONE);
	g.order = ft_arena_zeros(&g.memory, count, sizeof(*g.order));
	g.image = ft_arena_numbers(&g.memory, count, FT_NONE);
	g.fixed = ft_arena_zeros(&g.memory, count, sizeof(*g.fixed));
	if (g.memory.failed)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++)
		m->observed_of[p] = FT_NONE;
	r = planned_make(m, loose, &g) ?: observed_make(m, loose, &g) ?: rates_take(m, &g) ?: order_take(m, &g)
		?: given_take(m, &g) ?: places_take(m, &g, &result);
	if (r == 0 && !m->chassis && guesses_are_doubtful(m, &g))
		r = guesses_doubt(m, &g, &result);
	if (r == 0 && !m->chassis)
		r = others_take(m, &g, &result);
	free(result.others);
	if (r < 0)
		return r;
	m->match_unfinished = result.doubt != FT_ASSIGN_SURE;
	m->match_contradicted = result.doubt == FT_ASSIGN_CONTRADICTED;
	seats_take(m, &g);
	r = names_lost_judge(m, &g, &m->names_lost);
	if (r == 0)
		replaced_find(m, &g);
	return r;
}

int ft_exchanged_find(struct ft_model *m)
{
	const struct ft_names_tally tally = ft_names_tally(m);
	bool named = m->plan->topology == FT_TOPOLOGY_GRAPH || (m->plan->cable_count > 0 && ft_names_are_right(tally));

	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		uint32_t place = m->observed.switches[i].planned, told = named ? ft_told_place(m, i) : m->bound[i];

		if (place == FT_NONE || told == FT_NONE || told == place)
			continue;
		if (!m->port_map.named_at)
			m->port_map.named_at = ft_arena_numbers(&m->memory, m->place_count, FT_NONE);
		if (!m->port_map.named_at)
			return -ENOMEM;
		m->port_map.named_at[place] = told;
	}
	return 0;
}
