/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Rates: cables that are slower or narrower than others, and which end is to blame. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/model.h"

/* The rate of a cable is what its slower end says: both report the same unless one of them is wrong. */
static struct ft_rate cable_rate(const struct ft_model *m, uint32_t port)
{
	const struct ft_port *a = &m->snapshot->ports[port], *b = ft_port_peer(m->snapshot, a);
	unsigned int rate_a = ft_rate_mbps(a->rate), rate_b = b ? ft_rate_mbps(b->rate) : 0;

	return rate_b > 0 && (rate_a == 0 || rate_b < rate_a) ? b->rate : a->rate;
}

/* A port of two lanes of the generations that split four-lane connectors in two is whole, not half broken. */
static bool rate_is_split(struct ft_rate rate)
{
	return rate.lanes == 2 && rate.speed >= FT_SPEED_HDR;
}

/* What is expected of one kind of cable, "uplink" or "host". */
struct expectation {
	const struct ft_rate *rates;
	size_t count;
	bool given;  /* by the design; else the majority */
	bool splits; /* split ports are no surprise */
	struct ft_rate majority;
};

enum { LANES_MAX = 13 };

/* Hosts are put on split ports one by one; between switches it is done for all of them or not at all. */
static bool splits_are_usual(uint32_t votes[LANES_MAX][FT_SPEED_COUNT])
{
	uint32_t split = 0, all = 0;

	for (uint8_t lanes = 1; lanes < LANES_MAX; lanes++)
		for (uint8_t speed = FT_SPEED_SDR; speed < FT_SPEED_COUNT; speed++) {
			all += votes[lanes][speed];
			split += rate_is_split((struct ft_rate){lanes, speed}) ? votes[lanes][speed] : 0;
		}
	return split * 4 >= all;
}

static void majority_find(struct expectation *e, uint32_t votes[LANES_MAX][FT_SPEED_COUNT])
{
	uint32_t most = 0;

	for (uint8_t lanes = 1; lanes < LANES_MAX; lanes++)
		for (uint8_t speed = FT_SPEED_SDR; speed < FT_SPEED_COUNT; speed++)
			/* Of two equally common rates the faster one is what was bought. */
			if (votes[lanes][speed] > 0 && votes[lanes][speed] >= most) {
				struct ft_rate rate = {lanes, speed};

				if (votes[lanes][speed] == most && ft_rate_mbps(rate) < ft_rate_mbps(e->majority))
					continue;
				most = votes[lanes][speed];
				e->majority = rate;
			}
	e->rates = &e->majority;
	e->count = most > 0;
}

static void vote(const struct ft_model *m, uint32_t port, uint32_t votes[LANES_MAX][FT_SPEED_COUNT])
{
	struct ft_rate rate = cable_rate(m, port);

	if (rate.lanes < LANES_MAX && rate.speed < FT_SPEED_COUNT)
		votes[rate.lanes][rate.speed]++;
}

/* Returns the expected rate that @rate falls short of, or NULL where it is as good as expected. */
static const struct ft_rate *rate_shortfall(const struct expectation *e, struct ft_rate rate)
{
	const struct ft_rate *nearest = NULL;
	unsigned int mbps = ft_rate_mbps(rate);

	if (mbps == 0 || (!e->given && e->splits && rate_is_split(rate)))
		return NULL;
	for (size_t i = 0; i < e->count; i++) {
		unsigned int expected = ft_rate_mbps(e->rates[i]);

		/* Of the rates that are right, the slowest one is what it falls short of. */
		if (mbps >= expected)
			return NULL;
		if (!nearest || expected < ft_rate_mbps(*nearest))
			nearest = &e->rates[i];
	}
	return nearest;
}

/* Why a link is not as fast as expected, as far as one of its ends tells. */
enum limit {
	LIMIT_NONE,    /* this end allows more, or is not known: the cable, or a port that is broken */
	LIMIT_SETTING, /* it is set to no more, and could do more */
	LIMIT_ABILITY, /* it can do no more */
};

/* The most that LinkWidthEnabled or LinkWidthSupported allow; 0: not known. */
static unsigned int lanes_most(unsigned int widths)
{
	static const uint8_t lanes[] = {1, 4, 8, 12, 2};
	unsigned int most = 0;

	for (size_t i = 0; i < FT_COUNT(lanes); i++)
		if (widths & 1U << i && lanes[i] > most)
			most = lanes[i];
	return most;
}

static unsigned int speed_most(unsigned int speeds)
{
	unsigned int speed = FT_SPEED_COUNT - 1;

	while (speed > FT_SPEED_UNKNOWN && !(speeds & 1U << speed))
		speed--;
	return speed;
}

/* A link runs at the most that both ends allow: one that stays below that of this end is not this end's choice. */
static enum limit limit_of(unsigned int active, unsigned int enabled, unsigned int supported)
{
	if (enabled == 0 || supported == 0 || enabled > active)
		return LIMIT_NONE;
	return supported > enabled ? LIMIT_SETTING : LIMIT_ABILITY;
}

static enum limit port_limit(const struct ft_model *m, uint32_t port, struct ft_rate active, bool narrow)
{
	const struct ft_port_limits *l = &m->snapshot->ports[port].limits;

	if (narrow)
		return limit_of(active.lanes, lanes_most(l->widths_enabled), lanes_most(l->widths_supported));
	return limit_of(active.speed, speed_most(l->speeds_enabled), speed_most(l->speeds_supported));
}

/* The ends of a cable that are so limited: "edge003 port 20 and core01 port 2". */
static void limits_name(struct ft_model *m, const uint32_t ends[2], const enum limit limits[2], enum limit which,
			struct ft_text *text)
{
	_cleanup_(ft_text_release) struct ft_text place = {0};

	for (unsigned int i = 0; i < 2; i++)
		if (limits[i] == which)
			ft_text_printf(text, "%s%s", text->length ? " and " : "", ft_place_text(m, ends[i], &place));
	m->failed |= ft_text_failed(text) || ft_text_failed(&place);
}

/*
 * Settings first: as long as one end is set to no more, nothing can be told of the cable. Returns in @ret_why what the
 * finding's text ends with.
 */
static void rate_cause(struct ft_model *m, struct ft_finding *f, const uint32_t ends[2], struct ft_rate is, bool narrow,
		       struct ft_text *ret_why)
{
	const enum limit limits[2] = {port_limit(m, ends[0], is, narrow), port_limit(m, ends[1], is, narrow)};
	const char *what = narrow ? "width" : "speed";
	_cleanup_(ft_text_release) struct ft_text names = {0};

	limits_name(m, ends, limits, LIMIT_SETTING, &names);
	if (names.length > 0) {
		ft_text_printf(ret_why, ": %s %s set to no more, though able to do more", ft_text_string(&names),
			       limits[0] == limits[1] ? "are" : "is");
		ft_say(m, &f->fix, "enable the full %s there again (ibportstate); the cable is not to blame", what);
		for (unsigned int i = 0; i < 2; i++)
			if (limits[i] == LIMIT_SETTING)
				ft_finding_act_ports(m, f, FT_ACT_SETTING, ends[i], FT_NONE);
		return;
	}
	limits_name(m, ends, limits, LIMIT_ABILITY, &names);
	if (names.length > 0) {
		ft_text_printf(ret_why, ": %s can do no more", ft_text_string(&names));
		ft_say(m, &f->fix,
		       "no cable mends that: put a faster device there, or have \"rate\" in the design say so");
		return;
	}
	ft_say(m, &f->fix, "reseat the cable at both ends, then replace it%s",
	       narrow ? "; some of its lanes do not come up" : "");
	ft_finding_act_ports(m, f, FT_ACT_RENEW, ends[0], ends[1]);
}

/* A slow uplink is part of a cable lacking. */
static void rate_lack(struct ft_model *m, struct ft_finding *f, uint32_t near_port, uint64_t is_mbps,
		      uint64_t expected_mbps)
{
	enum { MILLION = 1000000 };
	const struct ft_port *near = &m->snapshot->ports[near_port], *far = ft_port_peer(m->snapshot, near);
	uint32_t a = m->live.switch_of_node[near->node], b = far ? m->live.switch_of_node[far->node] : FT_NONE;

	if (a == FT_NONE || b == FT_NONE || m->live.switches[a].planned == FT_NONE ||
	    m->live.switches[b].planned == FT_NONE)
		return;
	ft_finding_lack(m, f, m->live.switches[a].planned, m->live.switches[b].planned, 0);
	if (f->lack_count > 0)
		f->lacks[f->lack_count - 1].part_ppm = (uint32_t)((expected_mbps - is_mbps) * MILLION / expected_mbps);
}

static void rate_report(struct ft_model *m, uint32_t near_port, const struct ft_rate *expected, const char *kind)
{
	struct ft_rate rate = cable_rate(m, near_port);
	bool narrow = rate.lanes < expected->lanes;
	struct ft_finding *f = ft_finding_add(m, narrow ? FT_CODE_CABLE_NARROW : FT_CODE_CABLE_SLOW, FT_EVIDENCE_SEEN);
	_cleanup_(ft_text_release) struct ft_text a = {0};
	_cleanup_(ft_text_release) struct ft_text b = {0};
	_cleanup_(ft_text_release) struct ft_text why = {0};
	char is[FT_RATE_NAME_SIZE], should[FT_RATE_NAME_SIZE];
	const uint32_t ends[2] = {near_port, m->snapshot->ports[near_port].peer};

	ft_rate_name(rate, is);
	ft_rate_name(*expected, should);
	ft_finding_where_port(m, f, ends[0]);
	ft_finding_where_port(m, f, ends[1]);
	rate_lack(m, f, ends[0], ft_rate_mbps(rate), ft_rate_mbps(*expected));
	ft_say(m, &f->expected, "%s", should);
	ft_say(m, &f->observed, "%s", is);
	rate_cause(m, f, ends, rate, narrow, &why);
	ft_say(m, &f->text, "the %s cable %s - %s runs at %s instead of %s%s", kind, ft_place_text(m, ends[0], &a),
	       ft_place_text(m, ends[1], &b), is, should, ft_text_string(&why));
	m->failed |= ft_text_failed(&why);
}

/* Of the tree, or of an island. */
static bool switch_is_planned(const struct ft_model *m, uint32_t live)
{
	return m->live.switches[live].planned != FT_NONE || m->live.switches[live].islander != FT_NONE;
}

/*
 * What is expected is told apart by class: old switches beside a newer tree are no fault. Class 0 is the tree, of which
 * the design may say the rates. Islanders that are cabled to each other are a class, in which the majority is right.
 */
struct classes {
	uint32_t *of; /* by islander: its class, the lowest islander of it and one more */
	uint32_t count;
};

static void classes_release(struct classes *c)
{
	free(c->of);
}

/* Connected components, by propagating the lowest number: few switches, and fewer cables between them. */
static int classes_find(const struct ft_model *m, struct classes *ret)
{
	const struct ft_plan *plan = m->plan;
	bool changed = plan->islander_count > 0;

	*ret = (struct classes){calloc(plan->islander_count + 1UL, sizeof(*ret->of)), plan->islander_count + 1};
	if (!ret->of)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->islander_count; i++)
		ret->of[i] = i + 1;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < plan->island_bundle_count; i++) {
			const struct ft_plan_island_bundle *b = &plan->island_bundles[i];
			uint32_t least;

			if (b->b == FT_UNPINNED || ret->of[b->a] == ret->of[b->b])
				continue;
			least = ret->of[b->a] < ret->of[b->b] ? ret->of[b->a] : ret->of[b->b];
			ret->of[b->a] = ret->of[b->b] = least;
			changed = true;
		}
	}
	return 0;
}

static uint32_t class_of(const struct ft_model *m, const struct classes *classes, uint32_t live)
{
	uint32_t islander = m->live.switches[live].islander;

	return islander == FT_NONE ? 0 : classes->of[islander];
}

static uint32_t cable_class(const struct ft_model *m, const struct classes *classes, const struct ft_live_cable *cable)
{
	uint32_t a = class_of(m, classes, cable->a), b = class_of(m, classes, cable->b);

	return a > b ? a : b;
}

/* A cable that a finding names already is in the wrong place: what rate it has there is no fault of its own. */
static bool cable_is_uplink(const struct ft_model *m, const struct ft_live_cable *cable)
{
	return switch_is_planned(m, cable->a) && switch_is_planned(m, cable->b) && cable->a != cable->b &&
	       !m->port_claimed[cable->a_port];
}

/* Of fewer cables than that, what most have proves nothing: they are expected to be as the tree's. */
enum { CLASS_FEW = 4 };

/* Fills @e. @given: what the design says of the tree; @tree: what is expected there, NULL for the tree itself. */
static void expectation_find(struct expectation *e, const struct ft_rates *given, const struct expectation *tree,
			     uint32_t votes[LANES_MAX][FT_SPEED_COUNT], bool hosts)
{
	uint32_t all = 0;

	for (unsigned int n = 0; n < LANES_MAX * FT_SPEED_COUNT; n++)
		all += votes[n / FT_SPEED_COUNT][n % FT_SPEED_COUNT];
	*e = (struct expectation){.rates = given->rates, .count = given->count, .given = given->count > 0};
	e->splits = hosts || splits_are_usual(votes);
	if (tree && all < CLASS_FEW) {
		e->rates = tree->rates;
		e->count = tree->count;
		e->given = tree->given;
	} else if (tree || !e->given) {
		e->given = false;
		majority_find(e, votes);
	}
}

static void uplink_rates(struct ft_model *m, const struct classes *classes, uint32_t class,
			 const struct expectation *tree, struct expectation *e)
{
	uint32_t votes[LANES_MAX][FT_SPEED_COUNT] = {0};

	for (uint32_t i = 0; i < m->live.cable_count; i++)
		if (cable_is_uplink(m, &m->live.cables[i]) && cable_class(m, classes, &m->live.cables[i]) == class)
			vote(m, m->live.cables[i].a_port, votes);
	expectation_find(e, &m->design->uplink_rates, tree, votes, false);
	for (uint32_t i = 0; i < m->live.cable_count; i++) {
		const struct ft_live_cable *cable = &m->live.cables[i];
		const struct ft_rate *short_of;
		bool turn;

		if (!cable_is_uplink(m, cable) || cable_class(m, classes, cable) != class)
			continue;
		short_of = rate_shortfall(e, cable_rate(m, cable->a_port));
		if (!short_of)
			continue;
		turn = m->live.switches[cable->a].tier > m->live.switches[cable->b].tier;
		m->report->uplinks.slow++;
		rate_report(m, turn ? cable->b_port : cable->a_port, short_of, "uplink");
	}
}

static void host_rates(struct ft_model *m, const struct classes *classes, uint32_t class,
		       const struct expectation *tree, struct expectation *e)
{
	uint32_t votes[LANES_MAX][FT_SPEED_COUNT] = {0};

	for (uint32_t i = 0; i < m->live.host_count; i++)
		if (class_of(m, classes, m->live.hosts[i].live) == class)
			vote(m, m->live.hosts[i].switch_port, votes);
	expectation_find(e, &m->design->host_rates, tree, votes, true);
	for (uint32_t i = 0; i < m->live.host_count; i++) {
		const struct ft_rate *short_of = NULL;

		if (class_of(m, classes, m->live.hosts[i].live) == class)
			short_of = rate_shortfall(e, cable_rate(m, m->live.hosts[i].switch_port));
		if (short_of)
			rate_report(m, m->live.hosts[i].switch_port, short_of, "host");
	}
}

/* True where some islander gave the class its number. */
static bool class_exists(const struct classes *classes, uint32_t class)
{
	return class == 0 || classes->of[class - 1] == class;
}

int ft_rates_check(struct ft_model *m)
{
	_cleanup_(classes_release) struct classes classes;
	struct expectation uplinks, hosts, other;
	int r = classes_find(m, &classes);

	if (r < 0)
		return r;
	uplink_rates(m, &classes, 0, NULL, &uplinks);
	host_rates(m, &classes, 0, NULL, &hosts);
	for (uint32_t class = 1; class < classes.count; class ++) {
		if (!class_exists(&classes, class))
			continue;
		uplink_rates(m, &classes, class, &uplinks, &other);
		host_rates(m, &classes, class, &hosts, &other);
	}
	return 0;
}
