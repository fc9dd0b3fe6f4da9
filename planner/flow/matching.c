/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Two algorithms.
 *
 * Up to FT_MATCHING_EXACT_MAX vertices with hosts: the transportation problem by shortest augmenting paths (H. Kuhn,
 * "The Hungarian Method for the Assignment Problem", 1955, with as many units at a time as a path takes). Invariant:
 * cost - row price - column price is never negative, and 0 where something is sent. O(vertices^2) a path; where all
 * switches have as many hosts, there are as many paths as switches.
 *
 * Beyond: each vertex in turn takes the farthest that are left, and then every pair of matches that becomes longer if
 * receivers are exchanged is exchanged, in passes until nothing is gained. O(vertices * arcs) a pass.
 */
#include "planner/flow/matching.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/flow/paths.h"

enum { PASSES_MAX = 4 };

struct matching {
	struct ft_flow_graph graph;
	const uint32_t *hosts; /* by vertex */
	uint32_t *rows;	       /* vertices with hosts */
	uint32_t row_count;
	uint32_t *distance; /* by vertex: of the last search */
	uint32_t *queue;    /* vertices in the order of that */
	uint32_t queued;
	uint32_t *left;			/* by vertex: receivers that are not yet taken */
	struct ft_flow_demand *matches; /* senders in their order */
	size_t match_count, match_room;
};

static void matching_release(struct matching *m)
{
	ft_flow_graph_release(&m->graph);
	free(m->rows);
	free(m->distance);
	free(m->queue);
	free(m->left);
	free(m->matches);
}

static int matching_make(const struct ft_flow_problem *problem, const uint32_t *hosts, struct matching *m)
{
	size_t count = problem->vertex_count + 1UL;
	int r = ft_flow_graph_make(problem, &m->graph);

	m->hosts = hosts;
	m->rows = calloc(count, sizeof(*m->rows));
	m->distance = calloc(count, sizeof(*m->distance));
	m->queue = calloc(count, sizeof(*m->queue));
	m->left = ft_memory_copy(hosts, problem->vertex_count * sizeof(*hosts));
	if (r < 0 || !m->rows || !m->distance || !m->queue || !m->left)
		return -ENOMEM;
	for (uint32_t v = 0; v < problem->vertex_count; v++)
		if (hosts[v] > 0)
			m->rows[m->row_count++] = v;
	return 0;
}

/* Distances from @source, or to it; what has no path is as far away as there are vertices. */
static void distances_find(struct matching *m, uint32_t source, bool from)
{
	const struct ft_flow_graph *g = &m->graph;
	const uint32_t *first = from ? g->first : g->in_first;

	for (uint32_t v = 0; v < g->vertex_count; v++)
		m->distance[v] = g->vertex_count;
	m->distance[source] = 0;
	m->queue[0] = source;
	m->queued = 1;
	for (uint32_t i = 0; i < m->queued; i++) {
		uint32_t v = m->queue[i];

		for (uint32_t k = first[v]; k < first[v + 1]; k++) {
			uint32_t next = from ? g->to[k] : g->from[g->in[k]];

			if (m->distance[next] < g->vertex_count)
				continue;
			m->distance[next] = m->distance[v] + 1;
			m->queue[m->queued++] = next;
		}
	}
}

static int match_add(struct matching *m, uint32_t from, uint32_t to, uint32_t amount)
{
	if (m->match_count == m->match_room) {
		size_t room = 2 * m->match_room + 64;
		struct ft_flow_demand *matches = realloc(m->matches, room * sizeof(*matches));

		if (!matches)
			return -ENOMEM;
		m->matches = matches;
		m->match_room = room;
	}
	m->matches[m->match_count++] = (struct ft_flow_demand){from, to, amount};
	return 0;
}

/* ---- exact ---- */

/* Rows are senders and columns receivers, both by their place among the vertices with hosts. */
struct transport {
	uint32_t count;
	uint32_t *cost;	   /* [row][column]: the less, the farther apart */
	uint32_t *sent;	   /* [row][column] */
	uint32_t *to_send; /* by row */
	uint32_t *to_take; /* by column */
	int64_t *row_price, *column_price;
	/* Of one search: how far rows and columns are from its row, and by which column or row they were reached. */
	int64_t *row_far, *column_far;
	uint32_t *row_by, *column_by;
	bool *row_seen, *column_done;
	uint32_t *fresh; /* rows whose columns are to be looked at */
};

static void transport_release(struct transport *t)
{
	free(t->cost);
	free(t->sent);
	free(t->to_send);
	free(t->to_take);
	free(t->row_price);
	free(t->column_price);
	free(t->row_far);
	free(t->column_far);
	free(t->row_by);
	free(t->column_by);
	free(t->row_seen);
	free(t->column_done);
	free(t->fresh);
}

static int transport_alloc(struct transport *t, size_t count)
{
	*t = (struct transport){
		.count = (uint32_t)count,
		.cost = calloc(count * count, sizeof(*t->cost)),
		.sent = calloc(count * count, sizeof(*t->sent)),
		.to_send = calloc(count, sizeof(*t->to_send)),
		.to_take = calloc(count, sizeof(*t->to_take)),
		.row_price = calloc(count, sizeof(*t->row_price)),
		.column_price = calloc(count, sizeof(*t->column_price)),
		.row_far = calloc(count, sizeof(*t->row_far)),
		.column_far = calloc(count, sizeof(*t->column_far)),
		.row_by = calloc(count, sizeof(*t->row_by)),
		.column_by = calloc(count, sizeof(*t->column_by)),
		.row_seen = calloc(count, sizeof(*t->row_seen)),
		.column_done = calloc(count, sizeof(*t->column_done)),
		.fresh = calloc(count, sizeof(*t->fresh)),
	};
	return t->cost && t->sent && t->to_send && t->to_take && t->row_price && t->column_price && t->row_far &&
			       t->column_far && t->row_by && t->column_by && t->row_seen && t->column_done && t->fresh
		       ? 0
		       : -ENOMEM;
}

static int transport_make(struct matching *m, struct transport *t)
{
	uint32_t farthest = 0;
	int r = transport_alloc(t, m->row_count);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < t->count; i++) {
		t->to_send[i] = t->to_take[i] = m->hosts[m->rows[i]];
		distances_find(m, m->rows[i], true);
		if (m->distance[m->queue[m->queued - 1]] > farthest)
			farthest = m->distance[m->queue[m->queued - 1]];
		for (uint32_t j = 0; j < t->count; j++)
			t->cost[(size_t)i * t->count + j] = m->distance[m->rows[j]];
	}
	/* What has no path is one farther apart than anything else. */
	farthest++;
	for (size_t k = 0; k < (size_t)t->count * t->count; k++)
		t->cost[k] = farthest - (t->cost[k] < farthest ? t->cost[k] : farthest);
	return 0;
}

/* Looks at the columns of row @i, from which all that are not done may be nearer than before. */
static void row_scan(struct transport *t, uint32_t i)
{
	const uint32_t *cost = &t->cost[(size_t)i * t->count];
	int64_t base = t->row_far[i] - t->row_price[i];

	for (uint32_t j = 0; j < t->count; j++) {
		int64_t far = base + cost[j] - t->column_price[j];

		if (t->column_done[j] || far >= t->column_far[j])
			continue;
		t->column_far[j] = far;
		t->column_by[j] = i;
	}
}

static uint32_t column_nearest(const struct transport *t)
{
	uint32_t nearest = UINT32_MAX;

	for (uint32_t j = 0; j < t->count; j++)
		if (!t->column_done[j] && (nearest == UINT32_MAX || t->column_far[j] < t->column_far[nearest]))
			nearest = j;
	return nearest;
}

/* The nearest column from row @start that has something to take left; the prices are those at which it is at 0. */
static uint32_t path_find(struct transport *t, uint32_t start)
{
	uint32_t fresh = 1, column;

	for (uint32_t i = 0; i < t->count; i++) {
		t->column_far[i] = INT64_MAX;
		t->row_seen[i] = t->column_done[i] = false;
	}
	t->row_seen[start] = true;
	t->row_far[start] = 0;
	t->fresh[0] = start;
	for (;;) {
		while (fresh > 0)
			row_scan(t, t->fresh[--fresh]);
		column = column_nearest(t);
		t->column_done[column] = true;
		if (t->to_take[column] > 0)
			break;
		for (uint32_t i = 0; i < t->count; i++) {
			if (t->row_seen[i] || t->sent[(size_t)i * t->count + column] == 0)
				continue;
			t->row_seen[i] = true;
			t->row_far[i] = t->column_far[column];
			t->row_by[i] = column;
			t->fresh[fresh++] = i;
		}
	}
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->row_seen[i])
			t->row_price[i] += t->column_far[column] - t->row_far[i];
		if (t->column_done[i])
			t->column_price[i] -= t->column_far[column] - t->column_far[i];
	}
	return column;
}

/* Sends as much as the path from @start to @column takes. */
static void path_send(struct transport *t, uint32_t start, uint32_t column)
{
	uint32_t most = t->to_send[start] < t->to_take[column] ? t->to_send[start] : t->to_take[column];

	for (uint32_t i = t->column_by[column]; i != start; i = t->column_by[t->row_by[i]]) {
		uint32_t sent = t->sent[(size_t)i * t->count + t->row_by[i]];

		most = sent < most ? sent : most;
	}
	t->to_send[start] -= most;
	t->to_take[column] -= most;
	for (uint32_t i = t->column_by[column];; i = t->column_by[column]) {
		t->sent[(size_t)i * t->count + column] += most;
		if (i == start)
			break;
		column = t->row_by[i];
		t->sent[(size_t)i * t->count + column] -= most;
	}
}

static int match_exactly(struct matching *m)
{
	_cleanup_(transport_release) struct transport t = {0};
	int r = transport_make(m, &t);

	/* Prices begin at 0: costs are not negative. */
	for (uint32_t i = 0; r >= 0 && i < t.count; i++)
		while (t.to_send[i] > 0)
			path_send(&t, i, path_find(&t, i));
	for (uint32_t i = 0; r >= 0 && i < t.count; i++)
		for (uint32_t j = 0; r >= 0 && j < t.count; j++)
			if (t.sent[(size_t)i * t.count + j] > 0)
				r = match_add(m, m->rows[i], m->rows[j], t.sent[(size_t)i * t.count + j]);
	return r;
}

/* ---- greedily ---- */

static int take_farthest(struct matching *m, uint32_t row)
{
	uint32_t to_send = m->hosts[row];

	distances_find(m, row, true);
	/* First those without a path, which are not queued. */
	for (uint32_t i = 0; to_send > 0 && m->queued < m->graph.vertex_count && i < m->row_count; i++) {
		uint32_t to = m->rows[i], amount = to_send < m->left[to] ? to_send : m->left[to];

		if (amount == 0 || m->distance[to] < m->graph.vertex_count)
			continue;
		to_send -= amount;
		m->left[to] -= amount;
		if (match_add(m, row, to, amount) < 0)
			return -ENOMEM;
	}
	for (uint32_t i = m->queued; to_send > 0 && i-- > 0;) {
		uint32_t to = m->queue[i], amount = to_send < m->left[to] ? to_send : m->left[to];

		if (amount == 0)
			continue;
		to_send -= amount;
		m->left[to] -= amount;
		if (match_add(m, row, to, amount) < 0)
			return -ENOMEM;
	}
	return 0;
}

/*
 * Exchanges the receiver of match @i with that of the match, of as many hosts, with which most is gained.
 *
 * @length  by match: its distance
 * @onward  by vertex: scratch space
 */
static bool match_exchange(struct matching *m, size_t i, uint32_t *length, uint32_t *onward)
{
	struct ft_flow_demand *match = &m->matches[i], *best = NULL;
	int64_t most = 0;

	distances_find(m, match->from, true);
	memcpy(onward, m->distance, m->graph.vertex_count * sizeof(*onward));
	distances_find(m, match->to, false);
	for (size_t k = 0; k < m->match_count; k++) {
		int64_t gain;

		if (m->matches[k].amount != match->amount)
			continue;
		gain = (int64_t)onward[m->matches[k].to] + m->distance[m->matches[k].from] - length[i] - length[k];
		if (gain > most) {
			most = gain;
			best = &m->matches[k];
		}
	}
	if (!best)
		return false;
	length[i] = onward[best->to];
	length[best - m->matches] = m->distance[best->from];
	onward[0] = best->to;
	best->to = match->to;
	match->to = onward[0];
	return true;
}

static int match_greedily(struct matching *m)
{
	_cleanup_free_ uint32_t *onward = calloc(m->graph.vertex_count + 1UL, sizeof(*onward));
	_cleanup_free_ uint32_t *length = NULL;
	bool changed = true;

	if (!onward)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->row_count; i++)
		if (take_farthest(m, m->rows[i]) < 0)
			return -ENOMEM;
	length = calloc(m->match_count + 1, sizeof(*length));
	if (!length)
		return -ENOMEM;
	for (size_t i = 0; i < m->match_count; i++) {
		if (i == 0 || m->matches[i].from != m->matches[i - 1].from)
			distances_find(m, m->matches[i].from, true);
		length[i] = m->distance[m->matches[i].to];
	}
	for (int pass = 0; changed && pass < PASSES_MAX; pass++) {
		changed = false;
		for (size_t i = 0; i < m->match_count; i++)
			changed |= match_exchange(m, i, length, onward);
	}
	return 0;
}

int ft_matching_longest(const struct ft_flow_problem *graph, const uint32_t *hosts, struct ft_flow_demand **ret_list,
			size_t *ret_count, bool *ret_exact)
{
	_cleanup_(matching_release) struct matching m = {0};
	bool exact;
	int r = matching_make(graph, hosts, &m);

	if (r < 0)
		return r;
	exact = m.row_count <= FT_MATCHING_EXACT_MAX;
	r = exact ? match_exactly(&m) : match_greedily(&m);
	if (r < 0)
		return r;
	*ret_list = FT_STEAL(m.matches);
	*ret_count = m.match_count;
	*ret_exact = exact;
	return 0;
}
