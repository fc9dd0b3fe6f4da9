/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Rates: cables that are slower or narrower than they should be, and the end responsible.
 *
 * Cables are put into classes (struct classes), and in each the design or else the majority says what is expected. A
 * class of few has no majority, and takes the expectation of the whole tree. Against a recording every cable is to be
 * as fast as it was. Invariant: a cable that is in a finding already is not judged, and has no vote. O(ports + cables).
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/numbers.h"
#include "probe/facts.h"
#include "verify/check/check.h"

/* A port with two lanes, of a generation that splits four-lane connectors in two, is complete, not degraded. */
static bool rate_is_split(struct ft_rate rate)
{
	return rate.lanes == 2 && rate.speed >= FT_SPEED_HDR;
}

/* The expected rate of one kind of cable, "uplink" or "host". */
struct expectation {
	const struct ft_rate *rates;
	size_t count;
	bool given;  /* by the design; else the majority */
	bool splits; /* split ports are accepted */
	struct ft_rate majority;
};

/* Hosts are put on split ports one by one; between switches either all cables are split or none. */
static bool splits_are_usual(const struct ft_rate_votes *votes)
{
	uint32_t split = 0, all = 0;

	for (unsigned int i = 0; i < FT_RATES; i++) {
		struct ft_rate rate = {(uint8_t)(i / FT_SPEED_COUNT), i % FT_SPEED_COUNT};

		all += ft_rate_mbps(rate) > 0 ? votes->at[i] : 0;
		split += rate_is_split(rate) ? votes->at[i] : 0;
	}
	return split * 4 >= all;
}

static void majority_find(struct expectation *e, const struct ft_rate_votes *votes)
{
	e->majority = ft_rate_usual(votes);
	e->rates = &e->majority;
	e->count = e->majority.lanes > 0;
}

/* Returns the expected rate that @rate is below, or NULL. */
static const struct ft_rate *rate_shortfall(const struct expectation *e, struct ft_rate rate)
{
	const struct ft_rate *nearest = NULL;
	unsigned int mbps = ft_rate_mbps(rate);

	if (mbps == 0 || (!e->given && e->splits && rate_is_split(rate)))
		return NULL;
	for (size_t i = 0; i < e->count; i++) {
		unsigned int expected = ft_rate_mbps(e->rates[i]);

		/* Of the accepted rates, the slowest one is the one reported as expected. */
		if (mbps >= expected)
			return NULL;
		if (!nearest || expected < ft_rate_mbps(*nearest))
			nearest = &e->rates[i];
	}
	return nearest;
}

/* Why a link is slower than expected, from one of its ends. */
enum limit {
	LIMIT_NONE,    /* this end allows more, or is unknown: the cable, or a faulty port */
	LIMIT_SETTING, /* this end is configured to this rate, and supports more */
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

/* A link runs at the highest rate that both ends allow: a lower rate than this end allows has another cause. */
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

/* The ends of a cable that have this limit: "edge003 port 20 and core01 port 2". */
static const char *limits_words(struct ft_model *m, const uint32_t ends[2], const enum limit limits[2],
				enum limit which)
{
	struct ft_text text = {0};

	for (unsigned int i = 0; i < 2; i++)
		if (limits[i] == which)
			ft_text_printf(&text, "%s%s", text.length ? " and " : "", ft_place_text(m, ends[i]));
	return ft_model_text(m, &text);
}

/*
 * Settings first: while one end is configured to this rate, the cable cannot be judged. Returns in @ret_why the end of
 * the finding's text.
 */
static void rate_cause(struct ft_model *m, struct ft_finding *f, const uint32_t ends[2], struct ft_rate is, bool narrow,
		       struct ft_text *ret_why)
{
	const enum limit limits[2] = {port_limit(m, ends[0], is, narrow), port_limit(m, ends[1], is, narrow)};
	const char *what = narrow ? "width" : "speed";
	const char *set = limits_words(m, ends, limits, LIMIT_SETTING);
	const char *able = limits_words(m, ends, limits, LIMIT_ABILITY);

	if (set[0]) {
		ft_text_printf(ret_why, ": %s %s set to no more, though able to do more", set,
			       limits[0] == limits[1] ? "are" : "is");
		ft_say(m, &f->fix, "enable the full %s there again (ibportstate); the cable is not to blame", what);
		for (unsigned int i = 0; i < 2; i++)
			if (limits[i] == LIMIT_SETTING)
				ft_finding_act_ports(m, f, FT_ACT_SETTING, ends[i], FT_NONE);
		return;
	}
	if (able[0]) {
		ft_text_printf(ret_why, ": %s can do no more", able);
		ft_say(m, &f->fix,
		       "no cable mends that: put a faster device there, or have \"rate\" in the design say so");
		return;
	}
	ft_say(m, &f->fix, "reseat the cable at both ends, then replace it%s",
	       narrow ? "; some of its lanes do not come up" : "");
	ft_finding_act_ports(m, f, FT_ACT_RENEW, ends[0], ends[1]);
}

/* A slow uplink is a fractional loss of a cable. */
static void rate_lack(struct ft_model *m, struct ft_finding *f, uint32_t near_port, uint64_t is_mbps,
		      uint64_t expected_mbps)
{
	enum { MILLION = 1000000 };
	uint32_t far_port = m->snapshot->ports[near_port].peer;
	uint32_t a = ft_place_of_port(m, near_port), b = far_port == FT_NONE ? FT_NONE : ft_place_of_port(m, far_port);

	if (a == FT_NONE || b == FT_NONE)
		return;
	ft_finding_lack(m, f, a, b, 0);
	if (f->lack_count > 0)
		f->lacks[f->lack_count - 1].part_ppm = (uint32_t)((expected_mbps - is_mbps) * MILLION / expected_mbps);
}

/* The design accepts that the cable in this port has no more than that rate. */
static bool rate_is_accepted(const struct ft_model *m, uint32_t port)
{
	const struct ft_port *at = &m->snapshot->ports[port];
	uint32_t ends[2] = {port, at->peer};

	for (size_t i = 0; i < m->design->accepted_count; i++)
		for (size_t n = 0; n < m->design->accepted[i].change_count; n++) {
			const struct ft_accepted_change *change = &m->design->accepted[i].changes[n];

			if (change->rate.lanes == 0 ||
			    ft_rate_mbps(ft_cable_rate(m, port)) < ft_rate_mbps(change->rate))
				continue;
			for (unsigned int end = 0; end < 2 && ends[end] != FT_NONE; end++) {
				uint32_t place = ft_place_of_port(m, ends[end]);

				if (place != FT_NONE && ft_port_number(m, ends[end]) == change->a_port &&
				    strcmp(m->places[place]->name, change->a) == 0)
					return true;
			}
		}
	return false;
}

static void rate_report(struct ft_model *m, uint32_t near_port, const struct ft_rate *expected, const char *kind)
{
	struct ft_rate rate = ft_cable_rate(m, near_port);
	bool narrow = rate.lanes < expected->lanes;
	struct ft_finding *f = ft_finding_add(m, narrow ? FT_CODE_CABLE_NARROW : FT_CODE_CABLE_SLOW, FT_EVIDENCE_SEEN);
	struct ft_text why = {0};
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
	ft_say(m, &f->text, "the %scable %s - %s runs at %s instead of %s%s", kind, ft_place_text(m, ends[0]),
	       ft_place_text(m, ends[1]), is, should, ft_model_text(m, &why));
}

static bool switch_is_planned(const struct ft_model *m, uint32_t observed)
{
	return m->observed.switches[observed].planned != FT_NONE;
}

/*
 * What is expected differs by class: old switches among newer ones are no fault. Planned switches of one kind,
 * as many ports and one class of the design are of one sort; so are those beside the tree that are cabled to each
 * other. A class of cables is a pair of sorts, one of host cables a sort, and in each the majority is right. What the
 * design says of all rates does not hold for switches beside the tree; what it says of a class of switches comes first.
 */
struct classes {
	uint32_t *part; /* by planned switch, of those beside the tree: the same of all that are cabled to each other */
	uint32_t *sort; /* by observed switch; FT_NONE: not planned */
	uint32_t sorts;
	const struct ft_design_class **class_of; /* by sort: of the design; NULL: like most */
	uint32_t beside_from;			 /* sorts from here on are of those */
	uint32_t *of_cable;			 /* by observed cable: its class, or FT_NONE */
	uint32_t cable_classes;			 /* how many */
	uint32_t (*ends)[2]; /* by class of cables: its sorts, the higher number first: that is of those if one is */
};

static void parts_find(struct ft_model *m, struct classes *c)
{
	const struct ft_plan *plan = m->plan;

	c->part = ft_arena_zeros(&m->memory, plan->switch_count, sizeof(*c->part));
	if (!c->part)
		return;
	ft_number_begin(c->part, plan->switch_count);
	for (uint32_t i = ft_plan_tree_bundles(plan); i < plan->bundle_count; i++)
		if (ft_plan_is_beside(plan, plan->bundles[i].a))
			ft_number_join(c->part, plan->bundles[i].a, plan->bundles[i].b);
	ft_number_sets(c->part, plan->switch_count);
}

/* The number of @key, assigned if it is new. */
static uint32_t number_of(struct ft_model *m, struct ft_map *map, uint64_t key, uint32_t *count)
{
	uint32_t number = 0;
	int r = ft_map_add(map, key, *count, &number);

	/* Callers ask the memory before they write by these numbers. */
	m->memory.failed |= r < 0;
	*count += r > 0;
	return number;
}

static void sorts_find(struct ft_model *m, struct classes *c)
{
	_cleanup_(ft_map_release) struct ft_map planned = {0}, beside = {0};
	uint32_t *of_place = ft_arena_zeros(&m->memory, m->place_count, sizeof(*of_place));

	c->sort = ft_arena_zeros(&m->memory, m->observed.switch_count, sizeof(*c->sort));
	c->class_of = ft_arena_zeros(&m->memory, m->place_count, sizeof(struct ft_design_class *));
	if (m->memory.failed)
		return;
	/* Those beside the tree are the last places, and so are their sorts. */
	c->beside_from = UINT32_MAX;
	for (uint32_t p = 0; p < m->place_count; p++) {
		const struct ft_design_class *class = ft_plan_class_of(m->design, m->plan, ft_plan_index(m, p));
		uint64_t number = class ? (uint64_t)(class - m->design->classes) + 1 : 0;

		if (ft_is_beside(m, p) && c->beside_from == UINT32_MAX)
			c->beside_from = c->sorts;
		of_place[p] =
			ft_is_beside(m, p)
				? number_of(m, &beside, c->part[m->places[p] - m->plan->switches], &c->sorts)
				: number_of(m, &planned,
					    (uint64_t)m->places[p]->kind << 48 | number << 32 | m->places[p]->ports,
					    &c->sorts);
		c->class_of[of_place[p]] = class;
	}
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		const struct ft_observed_switch *sw = &m->observed.switches[i];

		c->sort[i] = sw->planned != FT_NONE ? of_place[sw->planned] : FT_NONE;
	}
}

/* A cable with a finding already is in the wrong place: its rate there is no separate fault. */
static bool cable_is_uplink(const struct ft_model *m, const struct ft_observed_cable *cable)
{
	return switch_is_planned(m, cable->a) && switch_is_planned(m, cable->b) && cable->a != cable->b &&
	       !m->port_claimed[cable->a_port];
}

/* A cable between the tree and a switch beside it is of the class of that switch. */
static void cables_classify(struct ft_model *m, struct classes *c)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};

	c->of_cable = ft_arena_zeros(&m->memory, m->observed.cable_count, sizeof(*c->of_cable));
	c->ends = ft_arena_zeros(&m->memory, m->observed.cable_count, sizeof(*c->ends));
	for (uint32_t i = 0; !m->memory.failed && i < m->observed.cable_count; i++) {
		const struct ft_observed_cable *cable = &m->observed.cables[i];
		uint32_t a = c->sort[cable->a], b = c->sort[cable->b], high, low;

		c->of_cable[i] = FT_NONE;
		if (!cable_is_uplink(m, cable))
			continue;
		high = a > b ? a : b;
		low = high >= c->beside_from ? high : a > b ? b : a;
		c->of_cable[i] = number_of(m, &map, (uint64_t)high << 32 | low, &c->cable_classes);
		c->ends[c->of_cable[i]][0] = high;
		c->ends[c->of_cable[i]][1] = low;
	}
}

/* Classes with fewer cables than this have no meaningful majority: the expectation of the tree is used. */
enum { CLASS_FEW = 4 };

static uint32_t votes_count(const struct ft_rate_votes *votes)
{
	uint32_t count = 0;

	for (unsigned int i = 0; i < FT_RATES; i++)
		count += votes->at[i];
	return count;
}

static void votes_add(struct ft_rate_votes *sum, const struct ft_rate_votes *votes)
{
	for (unsigned int i = 0; i < FT_RATES; i++)
		sum->at[i] += votes->at[i];
}

/* What is known of a class before it votes. */
struct prior {
	const struct ft_rates *given; /* by the design, of just this class; count 0: nothing */
	bool beside;
};

/*
 * Fills @e by the votes of a class. @given: what the design says of all of the tree. @all: what is expected of all of
 * the tree; a class of few takes it, and if that class is beside the tree, it is not marked as given. NULL: this is to
 * be found.
 */
static void expectation_find(struct expectation *e, const struct ft_rates *given, const struct expectation *all,
			     const struct prior *prior, const struct ft_rate_votes *votes, bool hosts)
{
	uint32_t count = votes_count(votes);

	given = prior->given && prior->given->count > 0 ? prior->given : given;
	*e = (struct expectation){.rates = given->rates, .count = given->count, .given = given->count > 0};
	e->splits = hosts || splits_are_usual(votes);
	if (given == prior->given)
		return;
	if (all && count < CLASS_FEW) {
		e->rates = all->rates;
		e->count = all->count;
		e->given = all->given && !prior->beside;
		e->splits = all->splits;
	} else if (prior->beside || !e->given) {
		e->given = false;
		majority_find(e, votes);
	}
}

/* By class, and after them for all of the tree; NULL: no memory. */
static struct expectation *expectations_find(struct ft_model *m, const struct ft_rates *given,
					     const struct ft_rate_votes *votes, uint32_t classes,
					     const struct prior *priors, bool hosts)
{
	struct expectation *e = ft_arena_zeros(&m->memory, classes + 1UL, sizeof(*e));
	struct ft_rate_votes all = {0};

	if (!e)
		return NULL;
	for (uint32_t class = 0; class < classes; class ++)
		if (!priors[class].beside)
			votes_add(&all, &votes[class]);
	expectation_find(&e[classes], given, NULL, &(struct prior){NULL, false}, &all, hosts);
	for (uint32_t class = 0; class < classes; class ++)
		expectation_find(&e[class], given, &e[classes], &priors[class], &votes[class], hosts);
	return e;
}

/* Steps up from the hosts, where the plan has such. */
static uint32_t level_of(const struct ft_model *m, uint32_t observed)
{
	return ft_plan_has_ranks(m->plan) ? ft_rank_of_observed(m, observed) : 0;
}

/* If two classes of switches give rates, that of the lower number holds. */
static struct prior prior_of_cables(const struct classes *c, uint32_t class)
{
	struct prior prior = {NULL, c->ends[class][0] >= c->beside_from};

	for (unsigned int n = 0; n < 2 && !prior.beside; n++) {
		const struct ft_design_class *of = c->class_of[c->ends[class][n]];

		if (of && of->uplink_rates.count > 0)
			prior.given = &of->uplink_rates;
	}
	return prior;
}

/* The rate of most cables of switches of a sort, without those of class @without. */
static void sort_expect(const struct classes *c, uint32_t sort, uint32_t without, const struct ft_rate_votes *votes,
			struct expectation *ret)
{
	struct ft_rate_votes sum = {0};

	*ret = (struct expectation){0};
	for (uint32_t class = 0; class < c->cable_classes; class ++)
		if (class != without && (c->ends[class][0] == sort || c->ends[class][1] == sort))
			votes_add(&sum, &votes[class]);
	if (votes_count(&sum) < CLASS_FEW)
		return;
	ret->splits = splits_are_usual(&sum);
	majority_find(ret, &sum);
}

/* Few cables, on a switch all others of which are slower than is usual, are no faster than that: it is of an older
 * make. */
static void few_expect(const struct classes *c, uint32_t class, const struct ft_rate_votes *votes,
		       struct expectation *e)
{
	for (unsigned int n = 0; n < 2; n++) {
		struct expectation own;

		sort_expect(c, c->ends[class][n], class, votes, &own);
		if (own.count == 0 || e->count == 0 || ft_rate_mbps(own.rates[0]) >= ft_rate_mbps(e->rates[0]))
			continue;
		*e = own;
		e->rates = &e->majority;
	}
}

/*
 * The cables of an observed switch, of hosts and others. In a class of few cables, which has no majority of its own, a
 * switch none of whose cables is as fast as expected is of an older make: a management switch on one or two cables, in
 * a fabric of several newer makes, or one for long cables, some of which are slower still. One cable slower than all
 * others of such a switch is a fault all the same.
 */
struct pace {
	uint32_t cables;
	uint32_t slowest_count; /* cables that are no faster than the slowest */
	unsigned int fastest, slowest;
};

static void pace_add(struct pace *pace, unsigned int mbps)
{
	/* The rate is not known. */
	if (mbps == 0)
		return;
	if (pace->cables == 0 || mbps < pace->slowest) {
		pace->slowest = mbps;
		pace->slowest_count = 0;
	}
	pace->slowest_count += mbps == pace->slowest;
	pace->fastest = mbps > pace->fastest ? mbps : pace->fastest;
	pace->cables++;
}

static struct pace *paces_find(struct ft_model *m)
{
	struct pace *paces = ft_arena_zeros(&m->memory, m->observed.switch_count, sizeof(*paces));

	for (uint32_t i = 0; paces && i < 2 * m->observed.cable_count + m->observed.host_count; i++) {
		const struct ft_observed_cable *cable =
			i / 2 < m->observed.cable_count ? &m->observed.cables[i / 2] : NULL;
		const struct ft_observed_host *host =
			cable ? NULL : &m->observed.hosts[i - 2 * m->observed.cable_count];

		pace_add(&paces[host	? host->observed
				: i % 2 ? cable->b
					: cable->a],
			 ft_rate_mbps(ft_cable_rate(m, host ? host->switch_port : cable->a_port)));
	}
	return paces;
}

static bool is_of_older_make(const struct pace *pace, struct ft_rate rate, struct ft_rate expected)
{
	enum { CABLES_MIN = 2, ODD_ONE_MIN = 3 };
	unsigned int mbps = ft_rate_mbps(rate);

	if (pace->cables < CABLES_MIN || pace->fastest >= ft_rate_mbps(expected))
		return false;
	return pace->cables < ODD_ONE_MIN || mbps == pace->fastest || pace->slowest_count > 1;
}

static void uplink_rates(struct ft_model *m, const struct classes *c, const struct pace *paces)
{
	struct ft_rate_votes *votes = ft_arena_zeros(&m->memory, c->cable_classes, sizeof(*votes));
	struct prior *priors = ft_arena_zeros(&m->memory, c->cable_classes, sizeof(*priors));
	const char *word = ft_plan_has_ranks(m->plan) ? "uplink " : "";
	struct expectation *e;

	if (m->memory.failed)
		return;
	for (uint32_t class = 0; class < c->cable_classes; class ++)
		priors[class] = prior_of_cables(c, class);
	for (uint32_t i = 0; i < m->observed.cable_count; i++)
		if (c->of_cable[i] != FT_NONE)
			ft_rate_vote(&votes[c->of_cable[i]], ft_cable_rate(m, m->observed.cables[i].a_port));
	e = expectations_find(m, &m->design->uplink_rates, votes, c->cable_classes, priors, false);
	for (uint32_t class = 0; e && class < c->cable_classes; class ++)
		if (!e[class].given && !priors[class].beside && votes_count(&votes[class]) < CLASS_FEW)
			few_expect(c, class, votes, &e[class]);
	for (unsigned int beside = 0; e && beside < 2; beside++)
		for (uint32_t i = 0; i < m->observed.cable_count; i++) {
			const struct ft_observed_cable *cable = &m->observed.cables[i];
			const struct ft_rate *short_of = NULL;
			bool turn = level_of(m, cable->a) > level_of(m, cable->b);

			if (c->of_cable[i] != FT_NONE && priors[c->of_cable[i]].beside == (beside > 0))
				short_of = rate_shortfall(&e[c->of_cable[i]], ft_cable_rate(m, cable->a_port));
			if (!short_of || rate_is_accepted(m, cable->a_port))
				continue;
			if (!e[c->of_cable[i]].given && votes_count(&votes[c->of_cable[i]]) < CLASS_FEW &&
			    (is_of_older_make(&paces[cable->a], ft_cable_rate(m, cable->a_port), *short_of) ||
			     is_of_older_make(&paces[cable->b], ft_cable_rate(m, cable->a_port), *short_of)))
				continue;
			m->report->uplinks.slow++;
			rate_report(m, turn ? cable->b_port : cable->a_port, short_of, word);
		}
}

/*
 * A host on a core is a finding already. It has the rate of the class of edge switches that it was planned for, which
 * is no fault of the cable, and tells nothing of other hosts there.
 */
static bool host_is_on_core(const struct ft_model *m, const struct ft_observed_host *host)
{
	uint32_t planned = m->observed.switches[host->observed].planned;

	return planned != FT_NONE && !ft_may_host(m, planned);
}

static void host_rates(struct ft_model *m, const struct classes *c, const struct pace *paces)
{
	/* Host cables of unplanned switches are treated as a small class. */
	uint32_t strange = c->sorts, classes = c->sorts + 1;
	struct ft_rate_votes *votes = ft_arena_zeros(&m->memory, classes, sizeof(*votes));
	struct prior *priors = ft_arena_zeros(&m->memory, classes, sizeof(*priors));
	struct expectation *e;

	if (m->memory.failed)
		return;
	for (uint32_t sort = 0; sort < c->sorts; sort++) {
		priors[sort].beside = sort >= c->beside_from;
		if (!priors[sort].beside && c->class_of[sort])
			priors[sort].given = &c->class_of[sort]->host_rates;
	}
	for (uint32_t i = 0; i < m->observed.host_count; i++) {
		uint32_t sort = c->sort[m->observed.hosts[i].observed];

		if (host_is_on_core(m, &m->observed.hosts[i]))
			continue;
		ft_rate_vote(&votes[sort == FT_NONE ? strange : sort],
			     ft_cable_rate(m, m->observed.hosts[i].switch_port));
	}
	e = expectations_find(m, &m->design->host_rates, votes, classes, priors, true);
	for (uint32_t i = 0; e && i < m->observed.host_count; i++) {
		uint32_t observed = m->observed.hosts[i].observed, port = m->observed.hosts[i].switch_port;
		uint32_t sort = c->sort[observed] == FT_NONE ? strange : c->sort[observed];
		const struct ft_rate *short_of = rate_shortfall(&e[sort], ft_cable_rate(m, port));

		if (host_is_on_core(m, &m->observed.hosts[i]))
			continue;
		if (short_of && !e[sort].given && votes_count(&votes[sort]) < CLASS_FEW &&
		    is_of_older_make(&paces[observed], ft_cable_rate(m, port), *short_of))
			continue;
		if (short_of && !rate_is_accepted(m, port))
			rate_report(m, port, short_of, "host ");
	}
}

/* ---- since a recording ---- */

/* The same cable in the recording: from the same port to the same node. NULL: there was none. */
static const struct ft_port *cable_before(const struct ft_model *m, const struct ft_map *nodes, uint32_t port)
{
	const struct ft_port *now = &m->snapshot->ports[port], *far = ft_port_peer(m->snapshot, now);
	const struct ft_port *before = ft_port_there(m->snapshot, now, m->since, nodes);
	const struct ft_port *peer = before ? ft_port_peer(m->since, before) : NULL;

	return far && peer && ft_port_node(m->since, peer)->guid == ft_port_node(m->snapshot, far)->guid ? before
													 : NULL;
}

/* Every cable is to be as fast as it was. True if it is not, which is reported. */
static bool rate_compare(struct ft_model *m, const struct ft_map *nodes, uint32_t port, const char *kind)
{
	const struct ft_port *before = cable_before(m, nodes, port);
	struct ft_rate was = before ? ft_rate_seen(m->since, before) : (struct ft_rate){0};
	const struct expectation e = {.rates = &was, .count = ft_rate_mbps(was) > 0, .given = true};
	const struct ft_rate *short_of = rate_shortfall(&e, ft_cable_rate(m, port));

	if (short_of)
		rate_report(m, port, short_of, kind);
	return short_of != NULL;
}

static int rates_since(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map nodes = {0};

	if (ft_snapshot_map_nodes(m->since, &nodes) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->observed.cable_count; i++)
		m->report->uplinks.slow += rate_compare(m, &nodes, m->observed.cables[i].a_port, "");
	for (uint32_t i = 0; i < m->observed.host_count; i++)
		rate_compare(m, &nodes, m->observed.hosts[i].switch_port, "host ");
	return 0;
}

int ft_rates_check(struct ft_model *m)
{
	struct classes classes = {0};
	struct pace *paces;

	if (m->since)
		return rates_since(m);
	paces = paces_find(m);
	parts_find(m, &classes);
	sorts_find(m, &classes);
	cables_classify(m, &classes);
	uplink_rates(m, &classes, paces);
	host_rates(m, &classes, paces);
	return 0;
}
