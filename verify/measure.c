/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The figures of the report: counts, distances, blocking, bandwidth left, and the table of switches. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/model.h"

/* What became of the planned cables of one switch, or of all. */
struct tally {
	uint32_t planned, up, unjudged;
};

static bool status_is_gone(enum ft_status status)
{
	return status == FT_STATUS_ISOLATED || status == FT_STATUS_MISSING;
}

static struct tally pair_tally(const struct ft_model *m, uint32_t place, const struct ft_pair *pair)
{
	const struct ft_cells *cells = &m->cells;
	struct tally t = {.planned = cells->width[pair->cell]};
	enum ft_status one = m->status[place], other = m->status[pair->peer];
	bool one_seen = m->live_of[place] != FT_NONE, other_seen = m->live_of[pair->peer] != FT_NONE;

	if (one_seen && other_seen) {
		uint32_t own = cells->seen[pair->cell] - cells->foreign[pair->cell];

		t.up = own < t.planned ? own : t.planned;
		t.unjudged = cells->unjudged[pair->cell];
		return t;
	}
	if (status_is_gone(one) || status_is_gone(other))
		return t;
	if (one == FT_STATUS_UNREACHED || other == FT_STATUS_UNREACHED || (!one_seen && !other_seen))
		t.unjudged = t.planned;
	else
		t.up = t.planned; /* one end is mute: its links are up */
	return t;
}

static void tally_add(struct tally *sum, struct tally t)
{
	sum->planned += t.planned;
	sum->up += t.up;
	sum->unjudged += t.unjudged;
}

static struct tally switch_tally(const struct ft_model *m, uint32_t planned)
{
	struct tally sum = {0};

	for (const struct ft_pair *pair = ft_pairs_of(m, planned); pair < ft_pairs_of(m, planned + 1); pair++)
		tally_add(&sum, pair_tally(m, planned, pair));
	return sum;
}

/* ---- blocking ---- */

/* Cables of a pair, where the plan has one or not, that carry traffic. */
uint32_t ft_pair_carriers(const struct ft_model *m, uint32_t place, const struct ft_pair *pair)
{
	if (m->live_of[place] != FT_NONE && m->live_of[pair->peer] != FT_NONE)
		return m->cells.seen[pair->cell] + m->cells.unjudged[pair->cell];
	return pair_tally(m, place, pair).up;
}

uint32_t ft_pair_up(const struct ft_model *m, uint32_t place, const struct ft_pair *pair)
{
	struct tally t = pair_tally(m, place, pair);

	return t.up + t.unjudged;
}

static void ratio_raise(struct ft_ratio *worst, int64_t down, int64_t up)
{
	struct ft_ratio ratio;

	if (up > 0 && ft_ratio_make(down, up, &ratio) == 0 && ft_ratio_compare(ratio, *worst) > 0)
		*worst = ratio;
}

/* Cables of a spine to cores. */
static uint32_t spine_carriers(const struct ft_model *m, uint32_t spine)
{
	uint32_t up = 0;

	for (const struct ft_pair *pair = ft_pairs_of(m, spine); pair < ft_pairs_of(m, spine + 1); pair++)
		up += pair->peer >= m->edges ? ft_pair_carriers(m, spine, pair) : 0;
	return up;
}

/* Of all seen edges; 0 where there is none. A spine that has lost all cores carries nothing that leaves the pod. */
static int edges_worst(const struct ft_model *m, struct ft_ratio *ret)
{
	_cleanup_free_ bool *carries = calloc(m->place_count + 1UL, sizeof(*carries));
	struct ft_ratio worst = {0, 1};

	if (!carries)
		return -ENOMEM;
	for (uint32_t p = m->rows; p < m->place_count; p++)
		carries[p] = m->plan->levels < 3 || m->live_of[p] == FT_NONE || spine_carriers(m, p) > 0;
	for (uint32_t e = 0; m->columns > 0 && e < m->edges; e++) {
		const struct ft_live_switch *sw = ft_live_at(m, e);
		uint32_t links = 0;

		if (!sw)
			continue;
		for (const struct ft_pair *pair = ft_pairs_of(m, e); pair < ft_pairs_of(m, e + 1); pair++)
			links += carries[pair->peer] ? ft_pair_carriers(m, e, pair) : 0;
		ratio_raise(&worst, sw->hosts > m->plan->ports_to_nodes ? sw->hosts : m->plan->ports_to_nodes, links);
	}
	*ret = worst;
	return 0;
}

/* Of all seen spines: what is planned to come from the edges of the pod, to what is there to the core level. */
static struct ft_ratio spines_worst(const struct ft_model *m)
{
	struct ft_ratio worst = {0, 1};

	for (uint32_t p = m->rows; m->plan->levels == 3 && p < m->place_count; p++) {
		uint32_t down = 0;

		if (m->live_of[p] == FT_NONE)
			continue;
		for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, p + 1); pair++)
			down += pair->peer < m->edges ? m->cells.width[pair->cell] : 0;
		ratio_raise(&worst, down, spine_carriers(m, p));
	}
	return worst;
}

/* What is congested twice: a spine that lets everything pass makes nothing better than its edges make it. */
static struct ft_ratio ratio_times(struct ft_ratio edges, struct ft_ratio spines)
{
	static const struct ft_ratio one = {1, 1};
	struct ft_ratio product = edges;

	if (ft_ratio_compare(spines, one) > 0 &&
	    ft_ratio_make(edges.num * spines.num, edges.den * spines.den, &product) < 0)
		return edges;
	return product;
}

/*
 * Traffic that leaves its pod passes an edge's uplinks and a spine's: the blocking of both counts. The worst is where
 * one edge, or one spine, is the worst and the other is as planned.
 */
static int blocking_measure(struct ft_model *m)
{
	struct ft_report *report = m->report;
	struct ft_ratio planned = m->plan->levels == 3 ? m->plan->spine_blocking : (struct ft_ratio){1, 1};
	struct ft_ratio by_spine = ratio_times(m->plan->blocking, spines_worst(m)), edge;
	int r = edges_worst(m, &edge);

	if (r < 0)
		return r;
	report->blocking_planned = ratio_times(m->plan->blocking, planned);
	report->blocking_worst = edge.num > 0 ? ratio_times(edge, planned) : report->blocking_planned;
	if (m->plan->levels == 3 && ft_ratio_compare(by_spine, report->blocking_worst) > 0)
		report->blocking_worst = by_spine;
	return 0;
}

/* ---- counts ---- */

static void status_settle(struct ft_model *m, uint32_t planned, struct tally t)
{
	if (m->live_of[planned] != FT_NONE && m->status[planned] != FT_STATUS_ISOLATED)
		m->status[planned] = t.up + t.unjudged < t.planned ? FT_STATUS_DEGRADED : FT_STATUS_OK;
}

static void switch_count(struct ft_model *m, uint32_t place)
{
	struct ft_report *report = m->report;
	bool seen = m->live_of[place] != FT_NONE;
	struct ft_report_tier *tier = ft_tier_of(m, place) == FT_TIER_SPINE ? &report->spine : &report->core;

	if (ft_tier_of(m, place) == FT_TIER_EDGE) {
		report->edge.planned++;
		report->edge.found += seen;
		report->edge.ok += seen && m->status[place] == FT_STATUS_OK;
		report->edge.degraded += seen && m->status[place] == FT_STATUS_DEGRADED;
		report->edge.isolated += m->status[place] == FT_STATUS_ISOLATED;
		return;
	}
	tier->planned++;
	tier->found += seen;
	tier->ok += seen && m->status[place] == FT_STATUS_OK;
	/* A spine that is isolated has lost all its cables to the cores, and has others. */
	tier->degraded += seen && m->status[place] != FT_STATUS_OK;
	tier->missing += m->status[place] == FT_STATUS_MISSING;
}

/*
 * The part of the planned bandwidth between halves of the fabric that is left. Where a level has more cables than the
 * other, those beyond carry nothing.
 */
static struct ft_ratio bisection_of(const struct tally level[2], bool two)
{
	struct ft_ratio left = {1, 1};
	uint32_t planned = level[0].planned, up = level[0].up + level[0].unjudged;

	if (two) {
		planned = level[1].planned < planned ? level[1].planned : planned;
		up = level[1].up + level[1].unjudged < up ? level[1].up + level[1].unjudged : up;
	}
	up = up < planned ? up : planned;
	if (planned > 0 && ft_ratio_make(up, planned, &left) < 0)
		return (struct ft_ratio){1, 1};
	return left;
}

static void tiers_count(struct ft_model *m)
{
	struct ft_report *report = m->report;
	struct tally level[2] = {{0}, {0}}; /* the cables of edges, those of the rows behind them */
	uint32_t misplaced = 0;

	for (uint32_t p = 0; p < m->place_count; p++) {
		struct tally t = switch_tally(m, p);

		status_settle(m, p, t);
		switch_count(m, p);
		if (p < m->rows)
			tally_add(&level[p >= m->edges], t);
	}
	report->uplinks.planned = level[0].planned + level[1].planned;
	report->uplinks.up = level[0].up + level[1].up;
	for (uint32_t i = 0; i < m->live.cable_count; i++)
		misplaced += m->misplaced[i];
	for (size_t i = 0; i < report->finding_count; i++)
		report->uplinks.unplanned += report->findings[i].code == FT_CODE_CABLE_UNPLANNED;
	report->uplinks.misplaced = misplaced;
	report->uplinks.missing =
		report->uplinks.planned - report->uplinks.up - level[0].unjudged - level[1].unjudged - misplaced;
	report->hosts.planned = m->plan->nodes;
	report->hosts.found = m->live.host_count;
	report->bisection = bisection_of(level, m->plan->levels == 3);
}

/* ---- distances ---- */

/* Each switch's neighbours, once each. */
struct neighbours {
	uint32_t *first; /* [switches + 1] */
	uint32_t *of;
};

static int neighbours_list(const struct ft_live *live, struct neighbours *ret)
{
	_cleanup_free_ uint32_t *first = malloc((live->switch_count + 1UL) * sizeof(*first));
	_cleanup_free_ uint32_t *of = malloc((2UL * live->cable_count + 1) * sizeof(*of));
	_cleanup_free_ uint32_t *mark = malloc((live->switch_count + 1UL) * sizeof(*mark));
	uint32_t count = 0;

	if (!first || !of || !mark)
		return -ENOMEM;
	for (uint32_t i = 0; i < live->switch_count; i++)
		mark[i] = FT_NONE;
	for (uint32_t i = 0; i < live->switch_count; i++) {
		const struct ft_live_switch *sw = &live->switches[i];

		first[i] = count;
		for (uint32_t n = 0; n < sw->cable_count; n++) {
			uint32_t far = ft_cable_far(&live->cables[live->at[sw->first_cable + n]], i);

			if (far == i || mark[far] == i)
				continue;
			mark[far] = i;
			of[count++] = far;
		}
	}
	first[live->switch_count] = count;
	ret->first = FT_STEAL(first);
	ret->of = FT_STEAL(of);
	return 0;
}

/* The greatest distance between two switches with hosts, in switch chips on the way, and an example. */
struct farthest {
	uint32_t chips;
	uint32_t from, to;
};

static bool counts_for_distance(const struct ft_live_switch *sw)
{
	return sw->hosts > 0 && !sw->tolerated;
}

enum { BATCH = 64 };

/*
 * Breadth-first searches from up to 64 switches at once: bit n of a word is that of the n-th. In a tree they meet after
 * a step or two, and then go on as one.
 */
struct batch {
	const struct ft_live *live;
	struct neighbours next;
	uint64_t *reached, *front, *coming; /* by live switch: by whom; those just there; those one step on */
	uint32_t *here, *there;		    /* the live switches that have a bit in @front, in @coming */
	uint32_t start[BATCH];
	uint32_t chips[BATCH]; /* the farthest switch with hosts */
	uint32_t count;
};

static void batch_release(struct batch *b)
{
	free(b->next.first);
	free(b->next.of);
	free(b->reached);
	free(b->front);
	free(b->coming);
	free(b->here);
	free(b->there);
}

static int batch_init(struct batch *b, const struct ft_live *live)
{
	size_t count = live->switch_count + 1UL;

	*b = (struct batch){
		.live = live,
		.reached = calloc(count, sizeof(*b->reached)),
		.front = calloc(count, sizeof(*b->front)),
		.coming = calloc(count, sizeof(*b->coming)),
		.here = calloc(count, sizeof(*b->here)),
		.there = calloc(count, sizeof(*b->there)),
	};
	if (!b->reached || !b->front || !b->coming || !b->here || !b->there)
		return -ENOMEM;
	return neighbours_list(live, &b->next);
}

/* One step from each of the @count switches in @here. Returns how many there are in @there, which then are the front.
 */
static uint32_t batch_step(struct batch *b, uint32_t count)
{
	uint32_t found = 0;

	for (uint32_t n = 0; n < count; n++) {
		uint32_t here = b->here[n];
		uint64_t front = b->front[here];

		b->front[here] = 0;
		for (uint32_t i = b->next.first[here]; i < b->next.first[here + 1]; i++) {
			uint32_t far = b->next.of[i];
			uint64_t bits = front & ~b->reached[far];

			if (bits && !b->coming[far])
				b->there[found++] = far;
			b->coming[far] |= bits;
		}
	}
	for (uint32_t n = 0; n < found; n++) {
		uint32_t there = b->there[n];

		b->front[there] = b->coming[there];
		b->reached[there] |= b->coming[there];
		b->coming[there] = 0;
	}
	return found;
}

static void batch_search(struct batch *b)
{
	uint32_t count = b->count;

	memset(b->reached, 0, b->live->switch_count * sizeof(*b->reached));
	for (uint32_t n = 0; n < count; n++) {
		b->here[n] = b->start[n];
		b->front[b->start[n]] = b->reached[b->start[n]] = (uint64_t)1 << n;
	}
	for (uint32_t chips = 1; count > 0; chips++) {
		uint32_t *here = b->here;
		uint64_t bits = 0;

		for (uint32_t n = 0; n < count; n++)
			if (counts_for_distance(&b->live->switches[here[n]]))
				bits |= b->front[here[n]];
		for (uint32_t n = 0; n < b->count; n++)
			if (bits >> n & 1)
				b->chips[n] = chips;
		count = batch_step(b, count);
		b->here = b->there;
		b->there = here;
	}
}

/* The first switch with hosts that a search from @far->from finds that far away. */
static int far_end_find(const struct batch *b, struct farthest *far)
{
	_cleanup_free_ uint32_t *chips = calloc(b->live->switch_count + 1UL, sizeof(*chips));
	uint32_t *queue = b->here, head = 0, tail = 0;

	if (!chips)
		return -ENOMEM;
	chips[far->from] = 1;
	queue[tail++] = far->from;
	while (head < tail) {
		uint32_t here = queue[head++];

		if (chips[here] == far->chips && counts_for_distance(&b->live->switches[here])) {
			far->to = here;
			return 0;
		}
		for (uint32_t i = b->next.first[here]; i < b->next.first[here + 1]; i++)
			if (chips[b->next.of[i]] == 0) {
				chips[b->next.of[i]] = chips[here] + 1;
				queue[tail++] = b->next.of[i];
			}
	}
	return 0;
}

static int farthest_find(const struct ft_live *live, struct farthest *ret)
{
	_cleanup_(batch_release) struct batch b;
	struct farthest far = {0, FT_NONE, FT_NONE};
	int r = batch_init(&b, live);

	for (uint32_t i = 0; r == 0 && i < live->switch_count;) {
		for (b.count = 0; i < live->switch_count && b.count < BATCH; i++)
			if (counts_for_distance(&live->switches[i]))
				b.start[b.count++] = i;
		batch_search(&b);
		for (uint32_t n = 0; n < b.count; n++)
			if (b.chips[n] > far.chips)
				far = (struct farthest){b.chips[n], b.start[n], FT_NONE};
	}
	if (r == 0 && far.from != FT_NONE)
		r = far_end_find(&b, &far);
	if (r == 0)
		*ret = far;
	return r;
}

/* Faults that can lengthen a path. */
static bool code_lengthens(enum ft_code code)
{
	return code == FT_CODE_EDGE_ISOLATED || code == FT_CODE_CORE_MISSING || code == FT_CODE_CABLE_MISSING ||
	       code == FT_CODE_CABLE_MISPLACED || code == FT_CODE_CABLES_SWAPPED || code == FT_CODE_SWITCH_MUTE ||
	       code == FT_CODE_CABLE_UNPLANNED || code == FT_CODE_HOST_ON_CORE || code == FT_CODE_SWEEP_INCOMPLETE ||
	       code == FT_CODE_LOOPBACK;
}

/*
 * Longer paths are a consequence of whatever broke the short ones; they hang under that. They are a finding of their
 * own only where nothing else was found that could be the cause.
 */
static void hops_check(struct ft_model *m, const struct farthest *far)
{
	struct ft_report *report = m->report;
	struct ft_finding *cause = NULL, *f;
	bool unplanned = far->chips > 0 && (m->live.switches[far->from].planned == FT_NONE ||
					    m->live.switches[far->to].planned == FT_NONE);

	report->clos_planned = m->plan->clos;
	report->clos_found = far->chips;
	if (far->chips <= m->plan->clos || far->from == FT_NONE)
		return;
	for (size_t i = 0; i < report->finding_count && !cause; i++)
		if (unplanned ? report->findings[i].code == FT_CODE_SWITCH_UNPLANNED
			      : code_lengthens(report->findings[i].code))
			cause = &report->findings[i];
	if (cause) {
		ft_finding_symptom(m, cause, far->from, 0, "hosts on %s and %s are %u switches apart, planned are %u",
				   m->live.switches[far->from].label, m->live.switches[far->to].label, far->chips,
				   m->plan->clos);
		return;
	}
	f = ft_finding_add(m, FT_CODE_HOPS_EXCEEDED, FT_EVIDENCE_SEEN);
	ft_finding_where_switch(m, f, far->from, 0);
	ft_finding_where_switch(m, f, far->to, 0);
	ft_say(m, &f->expected, "at most %u switches between two hosts", m->plan->clos);
	ft_say(m, &f->observed, "%u", far->chips);
	ft_say(m, &f->text, "hosts on %s and %s are %u switches apart, planned are %u",
	       m->live.switches[far->from].label, m->live.switches[far->to].label, far->chips, m->plan->clos);
	ft_say(m, &f->fix, "compare the cabling of these two switches with the plan");
}

/* ---- the table of switches ---- */

static int row_fill(struct ft_report_switch *row, const struct ft_live_switch *sw)
{
	row->guid = sw->guid;
	row->hosts = sw->hosts;
	row->name = strdup(sw->name);
	row->hosts_names = strdup(sw->host_names);
	return row->name && row->hosts_names ? 0 : -ENOMEM;
}

static int switches_list(struct ft_model *m)
{
	struct ft_report *report = m->report;
	int r = 0;

	report->switches = calloc(m->place_count + m->live.switch_count + 1UL, sizeof(*report->switches));
	if (!report->switches)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < m->plan->switch_count; i++) {
		struct ft_report_switch *row = &report->switches[report->switch_count++];
		uint32_t p = m->place_of[i];
		struct tally t = switch_tally(m, p);

		row->tier = ft_tier_name(ft_tier_of(m, p));
		row->status = m->status[p];
		row->uplinks_planned = t.planned;
		row->uplinks_up = t.up;
		row->planned_as = strdup(m->places[p]->name);
		if (!row->planned_as)
			return -ENOMEM;
		if (m->live_of[p] != FT_NONE) {
			r = row_fill(row, ft_live_at(m, p));
			continue;
		}
		row->name = ft_text_safe_dup(m->places[p]->name, strlen(m->places[p]->name));
		row->hosts_names = strdup("");
		if (!row->name || !row->hosts_names)
			return -ENOMEM;
	}
	for (uint32_t i = 0; r == 0 && i < m->live.switch_count; i++) {
		const struct ft_live_switch *sw = &m->live.switches[i];
		struct ft_report_switch *row = &report->switches[report->switch_count];

		if (sw->planned != FT_NONE)
			continue;
		report->switch_count++;
		row->tier = ft_tier_name(sw->tier);
		row->status = FT_STATUS_UNPLANNED;
		r = row_fill(row, sw);
	}
	return r;
}

static int unreached_list(struct ft_model *m)
{
	struct ft_report *report = m->report;

	report->source.unreached = calloc(m->place_count + 1UL, sizeof(*report->source.unreached));
	if (!report->source.unreached)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->plan->switch_count; i++) {
		uint32_t p = m->place_of[i];
		char *name;

		if (m->status[p] != FT_STATUS_UNREACHED)
			continue;
		name = ft_text_safe_dup(m->places[p]->name, strlen(m->places[p]->name));
		if (!name)
			return -ENOMEM;
		report->source.unreached[report->source.unreached_count++] = name;
	}
	return 0;
}

int ft_measure(struct ft_model *m)
{
	struct farthest far = {0};
	int r;

	tiers_count(m);
	r = blocking_measure(m);
	if (r == 0)
		r = farthest_find(&m->live, &far);
	hops_check(m, &far);
	if (r == 0)
		r = switches_list(m);
	if (r == 0)
		r = unreached_list(m);
	/* Too incomplete to judge: not one planned cable was. */
	if (m->live.switch_count == 0 ||
	    (m->report->uplinks.planned > 0 && !m->snapshot->source.complete &&
	     m->report->uplinks.up + m->report->uplinks.missing + m->report->uplinks.misplaced == 0))
		m->report->verdict = FT_VERDICT_UNKNOWN;
	return r;
}
