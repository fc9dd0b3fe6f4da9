/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The last step of the matching in three levels. Clusters go by majorities, which in a small pod may be a tie; so those
 * that got no place with their like are held against every place that is still free, and those of whom cables are wrong
 * against the places of the others of whom cables are wrong.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match.h"
#include "verify/recall.h"

/* What a place asks of whoever has it, given who has a place already. */
struct demand {
	uint64_t cables;
	uint32_t peers;
};

struct scene {
	struct ft_model *m;
	const struct ft_clusters *c;
	struct demand *demands; /* by place, as of demands_read(); NULL where few places are asked about */
	uint32_t *live;		/* scratch: live switches */
	uint32_t *values;	/* scratch: by place */
};

static const struct ft_live_switch *live_at(const struct scene *s, uint32_t live)
{
	return &s->m->live.switches[live];
}

/* ---- places that are free ---- */

static struct demand demand_of(const struct ft_model *m, uint32_t place)
{
	struct demand demand = {0};

	for (const struct ft_pair *pair = ft_pairs_of(m, place); pair < ft_pairs_of(m, place + 1); pair++) {
		uint32_t width = m->cells.width[pair->cell];

		if (width == 0 || m->live_of[pair->peer] == FT_NONE)
			continue;
		demand.cables += width;
		demand.peers++;
	}
	return demand;
}

/* Of all places, from those that somebody has: in a large plan of which little is there, these are few. */
static void demands_read(struct scene *s)
{
	const struct ft_model *m = s->m;

	memset(s->demands, 0, m->place_count * sizeof(*s->demands));
	for (uint32_t place = 0; place < m->place_count; place++)
		if (m->live_of[place] != FT_NONE)
			for (const struct ft_pair *pair = ft_pairs_of(m, place); pair < ft_pairs_of(m, place + 1);
			     pair++) {
				uint32_t width = m->cells.width[pair->cell];

				s->demands[pair->peer].cables += width;
				s->demands[pair->peer].peers += width > 0;
			}
}

/* What the cables of a switch say of it in a place, given who has a place already. */
static struct ft_cabling place_judge(const struct scene *s, uint32_t live, uint32_t place)
{
	const struct ft_model *m = s->m;
	struct demand demand = s->demands ? s->demands[place] : demand_of(m, place);
	struct ft_cabling v = {.wanted = demand.cables, .cost = (int64_t)demand.cables};
	uint32_t missing = demand.peers, wrong = 0;

	for (uint32_t n = s->c->near_first[live]; n < s->c->near_first[live + 1]; n++) {
		uint32_t cables = s->c->near[n].cables, q = live_at(s, s->c->near[n].live)->planned;
		/* Who asks nothing of those that are there asks nothing of this one. */
		uint32_t width = q == FT_NONE || demand.peers == 0 ? 0 : ft_width_at(m, place, q);

		v.cost += llabs((int64_t)cables - width) - width;
		missing -= width > 0 && cables >= width;
		wrong += cables > width ? cables - width : 0;
		v.right += cables < width ? cables : width;
	}
	/* A cable that is missing here and one that is wrong there are one that was moved. */
	missing = ft_missing_less(missing, live_at(s, live));
	v.faults = missing > wrong ? missing : wrong;
	return v;
}

static uint32_t tier_ports(const struct ft_plan *plan, enum ft_tier tier)
{
	const uint32_t ports[FT_TIER_COUNT] = {
		[FT_TIER_EDGE] = plan->edge_ports,
		[FT_TIER_SPINE] = plan->spine_ports,
		[FT_TIER_CORE] = plan->core_ports,
	};

	return ports[tier];
}

/* Hosts tell edges apart where cables do not, and an edge without those that it should have is one fault more. */
static void lost_price(const struct scene *s, struct ft_roster *r, enum ft_tier tier)
{
	enum { CABLES_SCALE = 1 << 12 };
	const struct ft_model *m = s->m;

	for (uint32_t i = 0; i < r->live_count; i++) {
		const struct ft_live_switch *sw = live_at(s, r->live[i]);

		r->best[i] = INT64_MAX;
		for (uint32_t c = 0; c < r->class_count; c++) {
			uint32_t place = r->value[c], hosts = m->places[place]->hosts;
			struct ft_cabling v;
			int64_t halves;

			if (m->live_of[place] != FT_NONE)
				continue;
			v = place_judge(s, r->live[i], place);
			halves = 2 * (v.faults + (hosts > 0 && sw->hosts == 0)) +
				 ft_strangeness(m, sw, tier_ports(m->plan, tier), v.right, v.wanted);
			r->cost[(size_t)i * r->class_count + c] =
				v.cost * CABLES_SCALE + llabs((int64_t)sw->hosts - hosts);
			if (halves >= r->best[i])
				continue;
			r->best[i] = halves;
			r->drop[i] = 2 * (2 + v.right + (tier == FT_TIER_EDGE ? sw->hosts : 0));
		}
	}
}

static int lost_seat(struct scene *s, enum ft_tier tier, uint32_t first, uint32_t places)
{
	/* So many have no place only where the fabric is not the planned one, and then nothing is worth the search. */
	enum { LOST_MAX = 256 };
	_cleanup_(ft_roster_release) struct ft_roster r = {0};
	uint32_t count = 0;
	int e;

	for (uint32_t i = 0; i < s->m->live.switch_count; i++)
		if (ft_live_waits(s->m, live_at(s, i), tier))
			s->live[count++] = i;
	if (count == 0 || count > LOST_MAX)
		return 0;
	qsort_r(s->live, count, sizeof(*s->live), ft_live_compare, s->m);
	for (uint32_t n = 0; n < places; n++)
		s->values[n] = first + n;
	e = ft_roster_init(&r, s->m, first, places, s->values, s->live, count);
	if (e < 0)
		return e;
	demands_read(s);
	lost_price(s, &r, tier);
	return ft_roster_seat(&r);
}

static int all_lost_seat(struct scene *s)
{
	const struct ft_model *m = s->m;
	const uint32_t first[FT_TIER_COUNT] = {
		[FT_TIER_EDGE] = 0, [FT_TIER_SPINE] = m->rows, [FT_TIER_CORE] = m->edges};
	const uint32_t count[FT_TIER_COUNT] = {
		[FT_TIER_EDGE] = m->edges, [FT_TIER_SPINE] = m->columns, [FT_TIER_CORE] = m->rows - m->edges};
	int r = 0;

	for (unsigned int t = 0; r == 0 && t < FT_TIER_COUNT; t++)
		r = lost_seat(s, t, first[t], count[t]);
	return r;
}

/* ---- places that are taken ---- */

/* More of them are no few faults any more. */
enum { SUSPECTS_MAX = 64, EXCHANGES_MAX = 64, LOOKS_MAX = 2000000 };

static uint32_t place_of(const struct ft_model *m, uint32_t live)
{
	return m->live.switches[live].planned;
}

static void place_give(struct ft_model *m, uint32_t place, uint32_t live)
{
	m->live_of[place] = live;
	m->live.switches[live].planned = place;
}

/* The switches of which some cable is not as planned. Bound ones are where they are. Returns how many, or too many. */
static uint32_t suspects_list(struct scene *s)
{
	const struct ft_model *m = s->m;
	uint32_t count = 0;

	for (uint32_t p = 0; p < m->place_count && count <= SUSPECTS_MAX; p++)
		if (m->live_of[p] != FT_NONE && m->design->binds[ft_tier_of(m, p)].count == 0 &&
		    place_judge(s, m->live_of[p], p).cost > 0)
			s->live[count++] = m->live_of[p];
	return count;
}

/* Places that it makes no difference to exchange: of cores of one plane, of edges of one pod. */
static bool are_alike(const struct ft_model *m, uint32_t a, uint32_t b)
{
	const struct ft_plan_switch *x = m->places[a], *y = m->places[b];

	return x->pod == y->pod && x->plane == y->plane;
}

/*
 * What is gained, in cables, where two switches of a tier exchange their places. They are not cabled to each other, so
 * each can be looked at alone.
 */
static int64_t exchange_gain(const struct scene *s, uint32_t a, uint32_t b)
{
	uint32_t at_a = place_of(s->m, a), at_b = place_of(s->m, b);

	return place_judge(s, a, at_a).cost + place_judge(s, b, at_b).cost - place_judge(s, a, at_b).cost -
	       place_judge(s, b, at_a).cost;
}

static bool is_named(const struct ft_model *m, uint32_t live, uint32_t place)
{
	return m->named[live] == place || ft_recall_place(m, live) == place;
}

/* Two switches that both carry the names of these places: what cables leave open is settled. */
static bool names_say_so(const struct ft_model *m, uint32_t a, uint32_t at_a, uint32_t b, uint32_t at_b)
{
	return is_named(m, a, at_a) && is_named(m, b, at_b);
}

/* A change of places that explains more: @live goes to @place, and who is there to where it was or, if not, to @free.
 */
struct step {
	int64_t gain;
	uint32_t live, place;
	uint32_t other; /* who is at @place, or FT_NONE */
	uint32_t to;	/* where that one goes */
};

static void step_take(struct ft_model *m, const struct step *step)
{
	if (place_of(m, step->live) != FT_NONE)
		m->live_of[place_of(m, step->live)] = FT_NONE;
	place_give(m, step->place, step->live);
	if (step->other != FT_NONE)
		place_give(m, step->to, step->other);
}

static void step_offer(struct step *best, struct step step)
{
	if (step.gain > best->gain)
		*best = step;
}

/* Two suspects exchange places. Who gains nothing and loses nothing has a rival, unless both names settle it. */
static void exchange_offer(struct scene *s, uint32_t a, uint32_t b, struct step *best)
{
	struct ft_model *m = s->m;
	uint32_t at_a = place_of(m, a), at_b = place_of(m, b);
	int64_t gain;

	if (ft_tier_of(m, at_a) != ft_tier_of(m, at_b) || are_alike(m, at_a, at_b))
		return;
	/* In cables; a name that is right then is worth less than one. */
	gain = 2 * exchange_gain(s, a, b);
	if (gain == 0 && names_say_so(m, a, at_b, b, at_a))
		gain = 1;
	if (gain == 0 && !names_say_so(m, a, at_a, b, at_b)) {
		m->live.switches[a].rival = at_b;
		m->live.switches[b].rival = at_a;
	}
	step_offer(best, (struct step){gain, a, at_b, b, at_a});
}

/* A suspect goes to a place that nobody has. */
static void moves_offer(struct scene *s, uint32_t live, struct step *best)
{
	struct ft_model *m = s->m;
	uint32_t here = place_of(m, live);
	int64_t cost = place_judge(s, live, here).cost;

	for (uint32_t p = 0; p < m->place_count; p++) {
		int64_t gain;

		if (m->live_of[p] != FT_NONE || ft_tier_of(m, p) != ft_tier_of(m, here) || are_alike(m, p, here))
			continue;
		gain = 2 * (cost - place_judge(s, live, p).cost);
		if (gain == 0 && !is_named(m, live, here))
			m->live.switches[live].rival = p;
		step_offer(best, (struct step){gain, live, p, FT_NONE, FT_NONE});
	}
}

/* What it costs to call a switch unplanned: that, its place, and its cables. */
static int64_t stranger_cost(const struct scene *s, uint32_t live)
{
	int64_t cost = 2;

	for (uint32_t n = s->c->near_first[live]; n < s->c->near_first[live + 1]; n++)
		cost += s->c->near[n].cables;
	return cost;
}

/* A switch without a place takes that of a suspect, who goes to a free one. */
static void displacement_offer(struct scene *s, uint32_t stranger, uint32_t suspect, struct step *best)
{
	struct ft_model *m = s->m;
	uint32_t here = place_of(m, suspect);
	int64_t now = stranger_cost(s, stranger) + place_judge(s, suspect, here).cost;
	int64_t left = now - place_judge(s, stranger, here).cost;

	for (uint32_t p = 0; left > 0 && p < m->place_count; p++) {
		if (m->live_of[p] != FT_NONE || ft_tier_of(m, p) != ft_tier_of(m, here))
			continue;
		step_offer(best,
			   (struct step){2 * (left - place_judge(s, suspect, p).cost), stranger, here, suspect, p});
	}
}

static struct step best_step(struct scene *s, uint32_t count)
{
	const struct ft_model *m = s->m;
	struct step best = {.gain = 0};

	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t n = 0; n < i; n++)
			exchange_offer(s, s->live[n], s->live[i], &best);
		moves_offer(s, s->live[i], &best);
	}
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		const struct ft_live_switch *sw = live_at(s, i);

		for (uint32_t n = 0; n < count && ft_live_waits(m, sw, sw->tier); n++)
			if (live_at(s, s->live[n])->tier == sw->tier)
				displacement_offer(s, i, s->live[n], &best);
	}
	return best;
}

static void rivals_forget(struct ft_model *m)
{
	for (uint32_t i = 0; i < m->live.switch_count; i++)
		m->live.switches[i].rival = FT_NONE;
}

/*
 * A round looks at each place for each suspect, and for each pair of a suspect and a switch without a place. Of
 * switches that a device makes up without end there are too many for that, and none of them belongs to any place.
 */
static bool work_is_bounded(const struct scene *s, uint32_t count)
{
	const struct ft_model *m = s->m;
	uint64_t waiting = 0;

	for (uint32_t i = 0; i < m->live.switch_count; i++)
		waiting += ft_live_waits(m, live_at(s, i), live_at(s, i)->tier);
	return (waiting + 1) * count * m->place_count <= LOOKS_MAX;
}

static void places_exchange(struct scene *s)
{
	for (unsigned int round = 0; round < EXCHANGES_MAX; round++) {
		struct step best;
		uint32_t count;

		demands_read(s);
		count = suspects_list(s);
		rivals_forget(s->m);
		if (count > SUSPECTS_MAX || !work_is_bounded(s, count))
			return;
		best = best_step(s, count);
		if (best.gain <= 0)
			return;
		step_take(s->m, &best);
	}
}

int ft_places_settle(struct ft_model *m, const struct ft_clusters *c)
{
	_cleanup_free_ uint32_t *live = malloc((m->live.switch_count + m->place_count + 1UL) * sizeof(*live));
	_cleanup_free_ uint32_t *values = malloc((m->place_count + 1UL) * sizeof(*values));
	_cleanup_free_ struct demand *demands = malloc((m->place_count + 1UL) * sizeof(*demands));
	struct scene s = {.m = m, .c = c, .demands = demands, .live = live, .values = values};
	int r;

	if (!live || !values || !demands)
		return -ENOMEM;
	r = all_lost_seat(&s);
	if (r == 0)
		places_exchange(&s);
	return r;
}

/*
 * Hosts where there should be none, and an edge without any, are as bad as a cable; how many an edge has decides only
 * among equals.
 */
static int64_t hosts_cost(const struct ft_model *m, const struct ft_live_switch *sw)
{
	uint32_t planned = m->places[sw->planned]->hosts;

	if (ft_tier_of(m, sw->planned) != FT_TIER_EDGE)
		return 2 * (int64_t)sw->hosts * FT_PLACES_SCALE;
	return 2 * (int64_t)(planned > 0 && sw->hosts == 0) * FT_PLACES_SCALE + llabs((int64_t)sw->hosts - planned);
}

int64_t ft_places_cost(struct ft_model *m, const struct ft_clusters *c)
{
	const struct scene s = {.m = m, .c = c};
	int64_t cost = 0;

	/* A cable between two that have a place is counted at both ends. */
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		const struct ft_live_switch *sw = live_at(&s, i);

		if (sw->planned != FT_NONE)
			cost += place_judge(&s, i, sw->planned).cost * FT_PLACES_SCALE + hosts_cost(m, sw);
		else if (!sw->tolerated)
			cost += (2 + stranger_cost(&s, i)) * FT_PLACES_SCALE;
	}
	return cost;
}
