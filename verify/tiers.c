/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which live switch is of which tier, as far as the two sides of the plan's matrix tell: bound names decide; else the
 * split into rows and columns that leaves the fewest cables inside a side and the fewest hosts on columns.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match.h"

enum { LABEL_ROUNDS = 64 };

/* A split of the live switches under trial: whether each is of a column, or of a row. */
struct split {
	bool *column;
	uint64_t cost;
};

/* In three levels cores stand behind the spines, on the side of the edges. */
static bool tier_is_column(const struct ft_model *m, enum ft_tier tier)
{
	return tier == (m->plan->levels == 3 ? FT_TIER_SPINE : FT_TIER_CORE);
}

static bool tier_is_bound(const struct ft_bind *bind)
{
	return bind->count > 0 || bind->match;
}

/* 1 where @pattern matches the name of a switch or, of a director, that of any of its chips; 0, or -ENOMEM. */
static int pattern_means(const struct ft_pattern *pattern, const struct ft_model *m, const struct ft_live_switch *sw)
{
	const struct ft_node *node = &m->snapshot->nodes[sw->node];
	const struct ft_director *d = ft_director_of(m, (uint32_t)(sw - m->live.switches));
	int r = ft_pattern_matches(pattern, ft_node_description(m->snapshot, node), node->description_length);

	for (uint32_t i = 0; r == 0 && d && i < d->count; i++) {
		node = &m->chips->nodes[m->chassis->chips[d->first + i].node];
		r = ft_pattern_matches(pattern, ft_node_description(m->chips, node), node->description_length);
	}
	return r;
}

/* 1 where @bind means the switch, 0 where not, or -ENOMEM. @exact: its names are to be the description to the letter.
 */
static int bind_names(const struct ft_bind *bind, const struct ft_model *m, const struct ft_live_switch *sw, bool exact)
{
	const struct ft_node *node = &m->snapshot->nodes[sw->node];
	const char *description = ft_node_description(m->snapshot, node);

	if (bind->match)
		return pattern_means(bind->match, m, sw);
	for (size_t i = 0; i < bind->count; i++)
		if (bind->guids[i] ? bind->guids[i] == sw->guid
		    : exact	   ? strcmp(bind->names[i], description) == 0
				   : ft_text_short_equal(bind->names[i], description))
			return 1;
	return 0;
}

static int tiers_bind(struct ft_model *m)
{
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		struct ft_live_switch *sw = &m->live.switches[i];

		for (unsigned int n = 0; n < 2 * FT_TIER_COUNT && !sw->tier_bound; n++) {
			unsigned int t = n % FT_TIER_COUNT;
			const struct ft_bind *bind = &m->design->binds[t];
			int r = tier_is_bound(bind) ? bind_names(bind, m, sw, n < FT_TIER_COUNT) : 0;

			if (r < 0)
				return r;
			if (r == 0)
				continue;
			sw->tier = t;
			sw->tier_bound = true;
		}
	}
	return 0;
}

static void links_by_side(const struct ft_live *live, const bool *column, uint32_t i, uint32_t *ret_rows,
			  uint32_t *ret_columns)
{
	const struct ft_live_switch *sw = &live->switches[i];
	uint32_t count[2] = {0};

	for (uint32_t n = 0; n < sw->cable_count; n++) {
		uint32_t far = ft_cable_far(&live->cables[live->at[sw->first_cable + n]], i);

		if (far != i && !live->switches[far].tolerated)
			count[column[far]]++;
	}
	*ret_rows = count[false];
	*ret_columns = count[true];
}

static uint32_t beyond(uint32_t count, uint32_t planned)
{
	return count > planned ? count - planned : 0;
}

/*
 * Far fewer hosts than any planned edge has: a core with a host or two looks so. Worth half a fault, to break ties. In
 * three levels it would stand among the rows as well.
 */
static bool is_nearly_empty(const struct ft_model *m, uint32_t live)
{
	return m->plan->levels < 3 && m->edges > 0 && m->live.switches[live].hosts * 4 < m->places[m->edges - 1]->hosts;
}

/* Cables inside a side, hosts on columns, and switches beyond the planned number of a side; in halves of a fault. */
static uint64_t split_cost(const struct ft_model *m, const bool *column)
{
	uint64_t inside = 0, hosts = 0, empty = 0;
	uint32_t count[2] = {0};

	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		if (m->live.switches[i].tolerated)
			continue;
		count[column[i]]++;
		if (column[i])
			hosts += m->live.switches[i].hosts;
		else
			empty += is_nearly_empty(m, i);
	}
	for (uint32_t i = 0; i < m->live.cable_count; i++)
		inside += m->live.cables[i].a != m->live.cables[i].b &&
			  !m->live.switches[m->live.cables[i].a].tolerated &&
			  !m->live.switches[m->live.cables[i].b].tolerated &&
			  column[m->live.cables[i].a] == column[m->live.cables[i].b];
	return 2 * (inside + hosts + beyond(count[false], m->rows) + beyond(count[true], m->columns)) + empty;
}

/* Moves single switches to the other side as long as that makes the split cheaper. */
static void split_improve(const struct ft_model *m, struct split *split)
{
	uint32_t count[2] = {0};
	bool moved = true;

	for (uint32_t i = 0; i < m->live.switch_count; i++)
		count[split->column[i]] += !m->live.switches[i].tolerated;
	for (unsigned int round = 0; moved && round < LABEL_ROUNDS; round++) {
		moved = false;
		for (uint32_t i = 0; i < m->live.switch_count; i++) {
			const struct ft_live_switch *sw = &m->live.switches[i];
			bool column = split->column[i];
			uint32_t row_links, column_links;
			int64_t as_row, as_column;

			if (sw->tier_bound || sw->tolerated)
				continue;
			links_by_side(&m->live, split->column, i, &row_links, &column_links);
			as_row = 2 * ((int64_t)row_links + (count[false] - !column >= m->rows)) + is_nearly_empty(m, i);
			as_column = 2 * ((int64_t)column_links + sw->hosts + (count[true] - column >= m->columns));
			if (column ? as_row >= as_column : as_column >= as_row)
				continue;
			count[column]--;
			count[!column]++;
			split->column[i] = !column;
			moved = true;
		}
	}
	split->cost = split_cost(m, split->column);
}

/* ---- what moving single switches does not mend ---- */

/* A switch and all those behind it may have to change sides together, each for itself making things worse at first. */
struct mend {
	const struct ft_model *m;
	bool *column;
	uint32_t (*links)[2]; /* by live switch: its cables to rows, and to columns */
	uint32_t count[2];    /* rows and columns there are */
	bool *moved;	      /* by live switch: in this pass */
	uint32_t *moves;      /* of this pass, in their order */
};

static void mend_release(struct mend *w)
{
	free(w->links);
	free(w->moved);
	free(w->moves);
}

static int mend_init(struct mend *w, const struct ft_model *m, bool *column)
{
	uint32_t n = m->live.switch_count;

	*w = (struct mend){.m = m, .column = column};
	w->links = calloc(n + 1UL, sizeof(*w->links));
	w->moved = calloc(n + 1UL, sizeof(*w->moved));
	w->moves = malloc((n + 1UL) * sizeof(*w->moves));
	if (!w->links || !w->moved || !w->moves)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		links_by_side(&m->live, column, i, &w->links[i][false], &w->links[i][true]);
		w->count[column[i]] += !m->live.switches[i].tolerated;
	}
	return 0;
}

/* What split_cost() falls by if @i changes sides. */
static int64_t mend_gain(const struct mend *w, uint32_t i)
{
	bool column = w->column[i];
	int64_t as_row = 2 * ((int64_t)w->links[i][false] + (w->count[false] - !column >= w->m->rows)) +
			 is_nearly_empty(w->m, i);
	int64_t as_column = 2 * ((int64_t)w->links[i][true] + w->m->live.switches[i].hosts +
				 (w->count[true] - column >= w->m->columns));

	return column ? as_column - as_row : as_row - as_column;
}

static void mend_move(struct mend *w, uint32_t i)
{
	const struct ft_live *live = &w->m->live;
	const struct ft_live_switch *sw = &live->switches[i];
	bool column = w->column[i];

	for (uint32_t n = 0; n < sw->cable_count; n++) {
		uint32_t far = ft_cable_far(&live->cables[live->at[sw->first_cable + n]], i);

		if (far == i)
			continue;
		w->links[far][column]--;
		w->links[far][!column]++;
	}
	w->count[column]--;
	w->count[!column]++;
	w->column[i] = !column;
}

/* The switch that has not moved in this pass and gains most, or loses least, or FT_NONE. */
static uint32_t mend_best(const struct mend *w, int64_t *ret_gain)
{
	uint32_t best = FT_NONE;

	for (uint32_t i = 0; i < w->m->live.switch_count; i++) {
		const struct ft_live_switch *sw = &w->m->live.switches[i];
		int64_t gain;

		if (w->moved[i] || sw->tier_bound || sw->tolerated)
			continue;
		gain = mend_gain(w, i);
		if (best == FT_NONE || gain > *ret_gain) {
			best = i;
			*ret_gain = gain;
		}
	}
	return best;
}

/*
 * One pass as of Fiduccia and Mattheyses: every switch moves at most once, the best first even at a loss, and what the
 * best of all these splits lacks is taken back. Returns what was gained.
 */
static int64_t mend_pass(struct mend *w)
{
	/* So many moves in vain, and nothing comes of it. */
	enum { PATIENCE = 192 };
	uint32_t count = 0, kept = 0;
	int64_t sum = 0, most = 0, gain = 0;

	memset(w->moved, 0, w->m->live.switch_count * sizeof(*w->moved));
	while (count - kept < PATIENCE) {
		uint32_t i = mend_best(w, &gain);

		if (i == FT_NONE)
			break;
		mend_move(w, i);
		w->moved[i] = true;
		w->moves[count++] = i;
		sum += gain;
		if (sum > most) {
			most = sum;
			kept = count;
		}
	}
	while (count > kept)
		mend_move(w, w->moves[--count]);
	return most;
}

static int split_mend(const struct ft_model *m, struct split *split)
{
	enum { PASSES = 16 };
	_cleanup_(mend_release) struct mend w = {0};
	int r;

	if (split->cost == 0)
		return 0;
	r = mend_init(&w, m, split->column);
	for (unsigned int pass = 0; r == 0 && pass < PASSES && mend_pass(&w) > 0; pass++)
		;
	if (r == 0)
		split->cost = split_cost(m, split->column);
	return r;
}

/* ---- starts ---- */

/* Start 1: hosts hang on rows. */
static void split_by_hosts(const struct ft_model *m, bool *column)
{
	for (uint32_t i = 0; i < m->live.switch_count; i++)
		column[i] = m->live.switches[i].hosts == 0;
}

/* From the @tail switches that @queue begins with, and that are @done, every cable leads to the other side. */
static void sides_alternate(const struct ft_live *live, uint32_t *queue, uint32_t tail, bool *done, bool *column)
{
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t here = queue[head];
		const struct ft_live_switch *sw = &live->switches[here];

		for (uint32_t n = 0; n < sw->cable_count; n++) {
			uint32_t far = ft_cable_far(&live->cables[live->at[sw->first_cable + n]], here);

			if (done[far])
				continue;
			done[far] = true;
			column[far] = !column[here];
			queue[tail++] = far;
		}
	}
}

/* Start 2: every cable crosses sides, counted from the switch with the most hosts: right where few hosts are up. */
static int split_by_parity(const struct ft_model *m, bool *column)
{
	const struct ft_live *live = &m->live;
	_cleanup_free_ uint32_t *queue = malloc((live->switch_count + 1) * sizeof(*queue));
	_cleanup_free_ bool *done = calloc(live->switch_count + 1, sizeof(*done));

	if (!queue || !done)
		return -ENOMEM;
	for (uint32_t part = 0; part < live->part_count; part++) {
		uint32_t tail = 0, start = FT_NONE;

		for (uint32_t i = 0; i < live->switch_count; i++)
			if (live->switches[i].part == part &&
			    (start == FT_NONE || live->switches[i].hosts > live->switches[start].hosts))
				start = i;
		if (start == FT_NONE)
			continue;
		queue[tail++] = start;
		done[start] = true;
		column[start] = live->switches[start].hosts == 0;
		sides_alternate(live, queue, tail, done, column);
	}
	return 0;
}

/* Start 3: by the size of the switch, where the sides differ in it. An aggregation port is one more. */
static void split_by_ports(const struct ft_model *m, uint32_t planned, bool *column)
{
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		uint32_t ports = m->live.switches[i].ports;

		column[i] = ports == planned || ports == planned + 1;
	}
}

/* Start 4, three levels: by the distance from the nearest switch with hosts, which is an edge as a rule. */
static int split_by_distance(const struct ft_model *m, bool *column)
{
	const struct ft_live *live = &m->live;
	_cleanup_free_ uint32_t *queue = malloc((live->switch_count + 1) * sizeof(*queue));
	_cleanup_free_ bool *done = calloc(live->switch_count + 1, sizeof(*done));
	uint32_t tail = 0;

	if (!queue || !done)
		return -ENOMEM;
	for (uint32_t i = 0; i < live->switch_count; i++) {
		done[i] = (uint64_t)live->switches[i].hosts * 4 > m->plan->ports_to_nodes;
		column[i] = !done[i];
		if (done[i])
			queue[tail++] = i;
	}
	sides_alternate(live, queue, tail, done, column);
	return 0;
}

enum { STARTS = 4 };

static int split_start(const struct ft_model *m, unsigned int start, bool *column)
{
	const struct ft_plan *plan = m->plan;
	uint32_t ports = plan->levels == 3 ? plan->spine_ports : plan->core_ports;
	bool differ = ports != plan->edge_ports && (plan->levels < 3 || ports != plan->core_ports);
	int r = 0;

	if (start == 1)
		r = split_by_parity(m, column);
	else if (start == 2 && differ)
		split_by_ports(m, ports, column);
	else if (start == 3 && plan->levels == 3)
		r = split_by_distance(m, column);
	else
		split_by_hosts(m, column);
	for (uint32_t i = 0; r == 0 && i < m->live.switch_count; i++)
		if (m->live.switches[i].tier_bound)
			column[i] = tier_is_column(m, m->live.switches[i].tier);
	return r;
}

/* A row is an edge until more is known of it. */
static void sides_take(struct ft_model *m, const bool *column)
{
	enum ft_tier tier = m->plan->levels == 3 ? FT_TIER_SPINE : FT_TIER_CORE;

	for (uint32_t i = 0; i < m->live.switch_count; i++)
		if (!m->live.switches[i].tier_bound)
			m->live.switches[i].tier = column[i] ? tier : FT_TIER_EDGE;
}

int ft_tiers_tell(struct ft_model *m)
{
	uint32_t n = m->live.switch_count;
	struct split best = {NULL, UINT64_MAX};
	int r;

	r = tiers_bind(m);
	if (r < 0)
		return r;
	if (m->columns == 0) {
		for (uint32_t i = 0; i < n; i++)
			m->live.switches[i].tier = FT_TIER_EDGE;
		return 0;
	}
	for (unsigned int start = 0; r == 0 && start < STARTS && best.cost > 0; start++) {
		struct split split = {malloc((n + 1) * sizeof(*split.column)), 0};

		r = split.column ? split_start(m, start, split.column) : -ENOMEM;
		if (r == 0)
			split_improve(m, &split);
		if (r == 0)
			r = split_mend(m, &split);
		if (r == 0 && split.cost < best.cost) {
			free(best.column);
			best = split;
		} else {
			free(split.column);
		}
	}
	if (r == 0)
		sides_take(m, best.column);
	free(best.column);
	return r;
}
