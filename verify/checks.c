/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Rates, hosts, GUIDs and LIDs: what needs no explanation, only a look. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/model.h"

/* ---- rates ---- */

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

/* A cable that a finding names already is in the wrong place: what rate it has there is no fault of its own. */
static bool cable_is_uplink(const struct ft_model *m, const struct ft_live_cable *cable)
{
	return switch_is_planned(m, cable->a) && switch_is_planned(m, cable->b) && cable->a != cable->b &&
	       !m->port_claimed[cable->a_port];
}

static void uplink_rates(struct ft_model *m)
{
	uint32_t votes[LANES_MAX][FT_SPEED_COUNT] = {0};
	struct expectation e = {.rates = m->design->uplink_rates.rates,
				.count = m->design->uplink_rates.count,
				.given = m->design->uplink_rates.count > 0};

	for (uint32_t i = 0; !e.given && i < m->live.cable_count; i++)
		if (cable_is_uplink(m, &m->live.cables[i]))
			vote(m, m->live.cables[i].a_port, votes);
	e.splits = splits_are_usual(votes);
	if (!e.given)
		majority_find(&e, votes);
	for (uint32_t i = 0; i < m->live.cable_count; i++) {
		const struct ft_live_cable *cable = &m->live.cables[i];
		const struct ft_rate *short_of;
		bool turn;

		if (!cable_is_uplink(m, cable))
			continue;
		short_of = rate_shortfall(&e, cable_rate(m, cable->a_port));
		if (!short_of)
			continue;
		turn = m->live.switches[cable->a].tier > m->live.switches[cable->b].tier;
		m->report->uplinks.slow++;
		rate_report(m, turn ? cable->b_port : cable->a_port, short_of, "uplink");
	}
}

static void host_rates(struct ft_model *m)
{
	uint32_t votes[LANES_MAX][FT_SPEED_COUNT] = {0};
	struct expectation e = {.rates = m->design->host_rates.rates,
				.count = m->design->host_rates.count,
				.given = m->design->host_rates.count > 0,
				.splits = true};

	for (uint32_t i = 0; !e.given && i < m->live.host_count; i++)
		vote(m, m->live.hosts[i].switch_port, votes);
	if (!e.given)
		majority_find(&e, votes);
	for (uint32_t i = 0; i < m->live.host_count; i++) {
		const struct ft_rate *short_of = rate_shortfall(&e, cable_rate(m, m->live.hosts[i].switch_port));

		if (short_of)
			rate_report(m, m->live.hosts[i].switch_port, short_of, "host");
	}
}

/* ---- hosts ---- */

/* Where the host should be, as far as that is known. */
static const char *host_home(const struct ft_model *m, uint32_t host, struct ft_text *buffer)
{
	const struct ft_plan_host *home;
	uint32_t place;

	if (!m->exact.belongs || m->exact.belongs[host] == FT_NONE)
		return "an edge switch";
	home = &m->plan->hosts[m->exact.belongs[host]];
	place = m->place_of[home->edge];
	ft_text_reset(buffer);
	ft_text_puts(buffer, m->live_of[place] == FT_NONE ? m->places[place]->name : ft_live_at(m, place)->label);
	if (home->port > 0)
		ft_text_printf(buffer, " port %u", home->port);
	return ft_text_string(buffer);
}

/*
 * An edge that lacks more hosts than @room says it is to get; where none does, one with a free port for hosts. FT_NONE:
 * there is none.
 */
static uint32_t edge_with_room(const struct ft_model *m, const uint32_t *room)
{
	uint32_t spare = FT_NONE;

	for (uint32_t p = 0; p < m->edges; p++) {
		const struct ft_live_switch *sw = ft_live_at(m, p);

		if (!sw || sw->hosts + room[p] >= m->plan->ports_to_nodes)
			continue;
		if (sw->hosts + room[p] < m->places[p]->hosts)
			return p;
		spare = spare == FT_NONE ? p : spare;
	}
	return spare;
}

/* The host at @switch_port goes to an edge switch with room for one more; @room counts those that went to each. */
static void host_act(struct ft_model *m, struct ft_finding *f, uint32_t switch_port, uint32_t *room)
{
	uint32_t to = edge_with_room(m, room);

	if (to == FT_NONE)
		return;
	room[to]++;
	ft_finding_act_free(m, f, FT_ACT_MOVE, switch_port, to);
}

/* The last hosts of a crowded edge, by the numbers of its ports. */
static void crowd_act(struct ft_model *m, struct ft_finding *f, uint32_t live, uint32_t *room)
{
	uint32_t left = f->count;
	const struct ft_node *node = &m->snapshot->nodes[m->live.switches[live].node];

	for (uint32_t n = node->port_count; n > 0 && left > 0; n--) {
		const struct ft_port *far = ft_port_peer(m->snapshot, ft_node_port(m->snapshot, node, n));

		if (!far || m->live.switch_of_node[far->node] != FT_NONE ||
		    m->snapshot->nodes[far->node].type != FT_NODE_CA)
			continue;
		host_act(m, f, node->first_port + n - 1, room);
		left--;
	}
}

static void hosts_on_core(struct ft_model *m, uint32_t *room)
{

	for (uint32_t i = 0; i < m->live.host_count; i++) {
		const struct ft_live_host *host = &m->live.hosts[i];
		const struct ft_live_switch *sw = &m->live.switches[host->live];
		_cleanup_(ft_text_release) struct ft_text a = {0};
		_cleanup_(ft_text_release) struct ft_text b = {0};
		struct ft_finding *f;
		const char *tier;

		if (sw->planned == FT_NONE || sw->planned < m->edges || (m->exact.told && m->exact.told[i]))
			continue;
		tier = ft_tier_name(ft_tier_of(m, sw->planned));
		f = ft_finding_add(m, FT_CODE_HOST_ON_CORE, FT_EVIDENCE_SEEN);
		ft_finding_where_port(m, f, host->switch_port);
		ft_finding_where_port(m, f, host->port);
		host_act(m, f, host->switch_port, room);
		ft_say(m, &f->expected, "hosts on edge switches only");
		ft_say(m, &f->observed, "%s on %s", ft_place_text(m, host->port, &a),
		       ft_place_text(m, host->switch_port, &b));
		ft_say(m, &f->text, "host %s is cabled to a %s switch, at %s", ft_place_text(m, host->port, &a), tier,
		       ft_place_text(m, host->switch_port, &b));
		ft_say(m, &f->fix, "move it to %s; on a %s it makes OpenSM's ftree routing give up",
		       host_home(m, i, &a), tier);
	}
}

uint32_t ft_hosts_found(const struct ft_model *m)
{
	uint32_t found = 0;

	for (uint32_t p = 0; p < m->place_count; p++)
		found += m->live_of[p] != FT_NONE ? ft_live_at(m, p)->hosts : 0;
	return found;
}

uint32_t ft_hosts_planned(const struct ft_model *m)
{
	uint32_t planned = m->plan->nodes;

	for (uint32_t i = 0; i < m->plan->islander_count; i++) {
		uint32_t hosts = m->plan->islanders[i].hosts, live = m->islanders[i].live;

		planned += hosts != FT_UNPINNED ? hosts : live != FT_NONE ? m->live.switches[live].hosts : 0;
	}
	return planned;
}

/* What an islander that was seen has too few of hosts, or too many (@surplus). Behind silent ports there may be some.
 */
static uint32_t islander_hosts(const struct ft_model *m, uint32_t i, bool surplus)
{
	uint32_t planned = m->plan->islanders[i].hosts, live = m->islanders[i].live;
	const struct ft_live_switch *sw = live == FT_NONE ? NULL : &m->live.switches[live];

	if (!sw || planned == FT_UNPINNED)
		return 0;
	if (surplus)
		return sw->hosts > planned ? sw->hosts - planned : 0;
	return planned > sw->hosts + sw->unheard ? planned - sw->hosts - sw->unheard : 0;
}

static uint32_t islands_hosts(const struct ft_model *m, bool surplus)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < m->plan->islander_count; i++)
		sum += islander_hosts(m, i, surplus);
	return sum;
}

/* The islanders with too few hosts, or too many, under what is said of all hosts. */
static void islanders_name(struct ft_model *m, struct ft_finding *f, bool surplus)
{
	for (uint32_t i = 0; i < m->plan->islander_count; i++) {
		uint32_t live = m->islanders[i].live;

		if (islander_hosts(m, i, surplus) == 0)
			continue;
		ft_finding_where_switch(m, f, live, 0);
		ft_finding_symptom(m, f, live, 0, "%s has %u of %u hosts", m->live.switches[live].label,
				   m->live.switches[live].hosts, m->plan->islanders[i].hosts);
	}
}

/*
 * How many hosts an edge may have: as many as its ports to nodes, or as the design says of this one. A list of hosts
 * may have more there.
 */
static uint32_t hosts_limit(const struct ft_model *m, uint32_t place)
{
	uint32_t hosts = m->places[place]->hosts;

	return ft_design_has_host_kinds(m->design) || hosts > m->plan->ports_to_nodes ? hosts : m->plan->ports_to_nodes;
}

/* The hosts of the plan, and what accounts for those that were not seen. */
struct host_balance {
	uint32_t found;	  /* on planned switches */
	uint32_t placed;  /* on planned edges: those on a core are named one by one */
	uint32_t crowd;	  /* beyond the plan on edges that hold more than their ports to nodes */
	uint32_t unheard; /* may be behind ports of which not enough is known */
	uint32_t unseen;  /* may be on edges that were not seen */
};

static struct host_balance hosts_balance(const struct ft_model *m)
{
	struct host_balance b = {.found = ft_hosts_found(m)};
	bool bound = m->design->binds[FT_TIER_EDGE].count > 0;
	uint32_t least = UINT32_MAX;

	/* Which edges have the fewer hosts of an uneven plan is not known, so a crowded one may be one of them. */
	for (uint32_t p = 0; p < m->edges; p++)
		least = m->places[p]->hosts < least ? m->places[p]->hosts : least;
	for (uint32_t p = 0; p < m->edges; p++) {
		const struct ft_live_switch *sw = ft_live_at(m, p);

		if (!sw) {
			b.unseen += bound ? m->places[p]->hosts : hosts_limit(m, p);
			continue;
		}
		b.unheard += sw->unheard;
		b.placed += sw->hosts;
		if (ft_exact_host_count(m, p) > hosts_limit(m, p))
			b.crowd += ft_exact_host_count(m, p) -
				   (ft_design_has_host_kinds(m->design) ? m->places[p]->hosts : least);
	}
	return b;
}

static void edges_overloaded(struct ft_model *m, uint32_t *room)
{

	for (uint32_t p = 0; p < m->edges; p++) {
		const struct ft_live_switch *sw = ft_live_at(m, p);
		uint32_t limit = hosts_limit(m, p);
		struct ft_finding *f;

		/* Those that belong elsewhere are findings of their own. */
		if (!sw || ft_exact_host_count(m, p) <= limit)
			continue;
		f = ft_finding_add(m, FT_CODE_EDGE_OVERLOADED, FT_EVIDENCE_SEEN);
		f->count = ft_exact_host_count(m, p) - limit;
		ft_finding_where_switch(m, f, m->live_of[p], 0);
		crowd_act(m, f, m->live_of[p], room);
		ft_say(m, &f->expected, "at most %u hosts", limit);
		ft_say(m, &f->observed, "%u hosts: %s", sw->hosts, sw->host_names);
		ft_say(m, &f->text, "%s has %u hosts where %u are planned: they share its %u uplinks", sw->label,
		       sw->hosts, limit, m->plan->ports_to_core);
		ft_say(m, &f->fix, "move %u of them to another edge switch", f->count);
	}
}

static int name_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* How many missing hosts the design knows of: a number, or names that are indeed not there. */
static int hosts_expected_down(const struct ft_model *m, uint32_t *ret_count)
{
	const struct ft_expect *expect = &m->design->expect;
	_cleanup_free_ const char **seen = NULL;
	uint32_t count = expect->hosts_down_name_count > 0 ? 0 : expect->hosts_down;

	if (expect->hosts_down_name_count > 0) {
		seen = malloc((m->live.host_count + 1UL) * sizeof(*seen));
		if (!seen)
			return -ENOMEM;
		for (uint32_t i = 0; i < m->live.host_count; i++)
			seen[i] = ft_node_description(
				m->snapshot, ft_port_node(m->snapshot, &m->snapshot->ports[m->live.hosts[i].port]));
		qsort(seen, m->live.host_count, sizeof(*seen), name_order);
	}
	for (size_t i = 0; i < expect->hosts_down_name_count; i++) {
		const char *name = expect->hosts_down_names[i];
		size_t length = strlen(name);
		uint32_t low = 0, high = m->live.host_count;

		/* A host may be named without what its adapter adds: "node055" for "node055 mlx5_0". */
		while (low < high) {
			uint32_t middle = (low + high) / 2;

			if (strcmp(seen[middle], name) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == m->live.host_count || strncmp(seen[low], name, length) != 0 ||
		    (seen[low][length] != '\0' && seen[low][length] != ' '))
			count++;
	}
	*ret_count = count;
	return 0;
}

/*
 * Where the plan gives some edges fewer hosts than others, structure cannot tell an edge that should have fewer from
 * one that has lost some. The others that may be meant are named.
 */
static void hosts_alternatives(struct ft_model *m, struct ft_finding *f)
{
	_cleanup_(ft_text_release) struct ft_text others = {0};
	uint32_t most = 0, named = 0;

	for (uint32_t p = 0; p < m->edges; p++)
		most = m->places[p]->hosts > most ? m->places[p]->hosts : most;
	for (uint32_t p = 0; p < m->edges && !m->design->binds[FT_TIER_EDGE].count; p++) {
		const struct ft_live_switch *sw = ft_live_at(m, p);

		if (!sw || sw->hosts >= most || sw->hosts < m->places[p]->hosts)
			continue;
		if (named++ < 4)
			ft_text_printf(&others, "%s%s (%u)", named > 1 ? ", " : "", sw->label, sw->hosts);
	}
	if (named > 4)
		ft_text_printf(&others, " and %u more", named - 4);
	m->failed |= others.failed;
	if (named == 0)
		return;
	ft_finding_alternative(
		m, f,
		"the plan gives some edge switches fewer than %u hosts, and which they are is not bound; "
		"the missing hosts may belong on %s",
		most, ft_text_string(&others));
}

/* Behind a port that could not be read, or that is up and silent, a host may well be there. */
static enum ft_evidence hosts_evidence(const struct ft_model *m)
{
	uint32_t silent = 0, unread = 0;

	for (uint32_t p = 0; p < m->edges; p++) {
		const struct ft_live_switch *sw = ft_live_at(m, p);

		if (!sw || sw->hosts >= m->places[p]->hosts)
			continue;
		silent += sw->silent;
		unread += sw->unread;
	}
	return unread ? FT_EVIDENCE_UNREACHED : silent ? FT_EVIDENCE_MUTE : FT_EVIDENCE_ABSENT;
}

/* A host that the plan lists, that is not there, and of which the design does not know that. */
static bool listed_is_missing(const struct ft_model *m, uint32_t listing)
{
	const struct ft_expect *expect = &m->design->expect;
	const char *name = m->plan->hosts[listing].name;

	if (m->exact.fate[listing] != FT_HOST_MISSING)
		return false;
	for (size_t i = 0; name && i < expect->hosts_down_name_count; i++)
		if (strcmp(name, expect->hosts_down_names[i]) == 0)
			return false;
	return true;
}

static uint32_t listed_missing_count(const struct ft_model *m, uint32_t down)
{
	uint32_t count = 0;

	for (uint32_t i = 0; m->exact.fate && i < m->plan->host_count; i++)
		count += listed_is_missing(m, i);
	if (m->design->expect.hosts_down_name_count > 0)
		return count;
	return count > down ? count - down : 0;
}

/* The edge is among the finding's places. */
static void edge_where(struct ft_model *m, struct ft_finding *f, uint32_t live)
{
	for (size_t i = 0; i < f->where_count; i++)
		if (f->where[i].guid == m->live.switches[live].guid)
			return;
	ft_finding_where_switch(m, f, live, 0);
}

/* ": node017, node018 and 3 more", and where each should be. */
static void listed_missing_name(struct ft_model *m, struct ft_finding *f, struct ft_text *names)
{
	enum { SHOWN = 6 };
	uint32_t count = 0;

	for (uint32_t i = 0; m->exact.fate && i < m->plan->host_count; i++) {
		const struct ft_plan_host *h = &m->plan->hosts[i];
		uint32_t live = m->live_of[m->place_of[h->edge]];
		_cleanup_free_ char *name = NULL;
		char guid[24], port[24] = "";

		if (!listed_is_missing(m, i))
			continue;
		snprintf(guid, sizeof(guid), "0x%016llx", (unsigned long long)h->guid);
		if (h->port > 0)
			snprintf(port, sizeof(port), " port %u", h->port);
		name = h->name ? ft_text_safe_dup(h->name, strlen(h->name)) : strdup(guid);
		m->failed |= !name;
		if (count++ < SHOWN)
			ft_text_printf(names, "%s%s", count > 1 ? ", " : ": ", name ? name : "");
		edge_where(m, f, live);
		ft_finding_symptom(m, f, live, h->port, "%s was not seen; it belongs on %s%s", name ? name : "",
				   m->live.switches[live].label, port);
	}
	if (count > SHOWN)
		ft_text_printf(names, " and %u more", count - SHOWN);
}

static void hosts_missing(struct ft_model *m, uint32_t count)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_HOSTS_MISSING, hosts_evidence(m));
	_cleanup_(ft_text_release) struct ft_text names = {0};
	char hosts[48];

	f->count = count;
	f->impact.hosts_cut_off = count;
	for (uint32_t p = 0; p < m->edges; p++) {
		const struct ft_live_switch *sw = ft_live_at(m, p);

		if (!sw || ft_exact_host_count(m, p) >= m->places[p]->hosts)
			continue;
		ft_finding_where_switch(m, f, m->live_of[p], 0);
		ft_finding_symptom(m, f, m->live_of[p], 0, "%s has %u of %u hosts", sw->label, sw->hosts,
				   m->places[p]->hosts);
	}
	islanders_name(m, f, false);
	ft_say(m, &f->expected, "%u hosts", ft_hosts_planned(m));
	ft_say(m, &f->observed, "%u hosts", m->live.host_count);
	listed_missing_name(m, f, &names);
	ft_say(m, &f->text, "%s missing that the plan counts, on %zu %sswitch%s%s",
	       ft_plural(count, count == 1 ? "host is" : "host", hosts), f->where_count,
	       m->plan->islander_count > 0 ? "" : "edge ", f->where_count == 1 ? "" : "es", ft_text_string(&names));
	m->failed |= names.failed;
	ft_say(m, &f->fix, "check whether they are powered on; known ones can go into expect.hosts_down");
	hosts_alternatives(m, f);
}

static void hosts_unplanned(struct ft_model *m, uint32_t count)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_HOSTS_UNPLANNED, FT_EVIDENCE_SEEN);
	char hosts[48];

	f->count = count;
	for (uint32_t p = 0; p < m->edges; p++) {
		const struct ft_live_switch *sw = ft_live_at(m, p);

		if (!sw || ft_exact_host_count(m, p) <= m->places[p]->hosts)
			continue;
		ft_finding_where_switch(m, f, m->live_of[p], 0);
		ft_finding_symptom(m, f, m->live_of[p], 0, "%s has %u hosts, %u are planned", sw->label, sw->hosts,
				   m->places[p]->hosts);
	}
	islanders_name(m, f, true);
	ft_say(m, &f->expected, "%u hosts", ft_hosts_planned(m));
	ft_say(m, &f->observed, "%u hosts", m->live.host_count);
	ft_say(m, &f->text, "%s more than the plan counts", ft_plural(count, "host", hosts));
	ft_say(m, &f->fix, "if they belong there, raise \"nodes\" in the design");
}

static int hosts_check(struct ft_model *m)
{
	struct host_balance b = hosts_balance(m);
	_cleanup_free_ uint32_t *room = calloc(m->edges + 1UL, sizeof(*room));
	uint32_t planned = m->plan->nodes + islands_hosts(m, false), down = 0, accounted, missing, extra;
	int r;

	if (!room)
		return -ENOMEM;
	hosts_on_core(m, room);
	edges_overloaded(m, room);
	r = hosts_expected_down(m, &down);
	if (r < 0)
		return r;
	b.unseen += m->hosts_behind;
	accounted = b.found + b.unheard + (b.unseen > down ? b.unseen : down);
	missing = planned > accounted ? planned - accounted : 0;
	/* Others may have come in the place of those that the plan lists. */
	if (listed_missing_count(m, down) > missing)
		missing = listed_missing_count(m, down);
	/* What crowds one edge is named there. */
	extra = islands_hosts(m, true);
	extra += b.placed > m->plan->nodes + b.crowd ? b.placed - m->plan->nodes - b.crowd : 0;
	if (missing > 0)
		hosts_missing(m, missing);
	else if (extra > 0)
		hosts_unplanned(m, extra);
	return 0;
}

/* ---- identity ---- */

static void duplicate_report(struct ft_model *m, uint32_t first, uint32_t second)
{
	const struct ft_snapshot *s = m->chips;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_GUID_DUPLICATE, FT_EVIDENCE_SEEN);
	const uint32_t nodes[2] = {first, second};

	for (unsigned int i = 0; i < 2; i++)
		ft_finding_where_chip(m, f, nodes[i]);
	ft_finding_act(m, f, FT_ACT_SETTING, f->where_count > 1 ? &f->where[1] : NULL, NULL);
	ft_say(m, &f->expected, "one node of GUID 0x%016llx", (unsigned long long)s->nodes[first].guid);
	ft_say(m, &f->observed, "%s and %s", f->where[0].name, f->where[1].name);
	ft_say(m, &f->text, "two nodes carry GUID 0x%016llx: %s and %s", (unsigned long long)s->nodes[first].guid,
	       f->where[0].name, f->where[1].name);
	ft_say(m, &f->fix, "give one of them its own GUID (a board swapped with its flash, or a bad image)");
}

static int guids_check(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map guids = {0};

	for (uint32_t i = 0; i < m->chips->node_count; i++) {
		uint32_t there;
		int r;

		if (m->chips->nodes[i].guid == 0)
			continue;
		r = ft_map_add(&guids, m->chips->nodes[i].guid, i, &there);
		if (r < 0)
			return r;
		if (r == 0)
			duplicate_report(m, there, i);
	}
	return 0;
}

static void lid_report(struct ft_model *m, uint32_t lid, uint32_t first, uint32_t second)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_LID_DUPLICATE, FT_EVIDENCE_SEEN);
	const uint32_t owners[2] = {first, second};
	_cleanup_(ft_text_release) struct ft_text words = {0};

	for (unsigned int i = 0; i < 2; i++) {
		/* An owner is a port; a switch's own LID is that of its port 0, kept as port count + node. */
		bool is_node = owners[i] >= m->chips->port_count;
		uint32_t node = is_node ? owners[i] - m->chips->port_count : m->chips->ports[owners[i]].node;

		if (is_node)
			ft_finding_where_chip(m, f, node);
		else
			ft_finding_where_chip_port(m, f, owners[i]);
		if (f->where_count > i)
			ft_text_printf(&words, "%s%s", i ? " and " : "", f->where[i].name);
		if (!is_node)
			ft_text_printf(&words, " port %u", m->chips->ports[owners[i]].number);
	}
	m->failed |= words.failed;
	ft_finding_act(m, f, FT_ACT_SETTING, f->where_count > 1 ? &f->where[1] : NULL, NULL);
	ft_say(m, &f->expected, "one port of LID %u", lid);
	ft_say(m, &f->observed, "%s", ft_text_string(&words));
	ft_say(m, &f->text, "LID %u is held by %s", lid, ft_text_string(&words));
	ft_say(m, &f->fix, "have the subnet manager reassign LIDs (opensm -r); look for a second one");
}

/* LIDs 0 and 65535, and all beyond 0xBFFF (multicast), mean "none" (IBTA Vol 1, 4.1.3). */
static int lids_check(struct ft_model *m)
{
	enum { LID_UNICAST_MAX = 0xbfff };
	const struct ft_snapshot *s = m->chips;
	_cleanup_free_ uint32_t *owner = malloc((LID_UNICAST_MAX + 1UL) * sizeof(*owner));

	if (!owner)
		return -ENOMEM;
	for (uint32_t lid = 0; lid <= LID_UNICAST_MAX; lid++)
		owner[lid] = FT_NONE;
	for (uint32_t i = 0; i < s->port_count + s->node_count; i++) {
		bool is_node = i >= s->port_count;
		const struct ft_port *port = is_node ? NULL : &s->ports[i];
		uint32_t lid = is_node ? s->nodes[i - s->port_count].lid : port->lid;
		uint32_t lmc = is_node ? s->nodes[i - s->port_count].lmc : port->lmc;

		if (port && (ft_port_node(s, port)->type == FT_NODE_SWITCH || port->link == FT_LINK_DOWN))
			continue;
		for (uint32_t n = 0; lid > 0 && n < 1U << (lmc & 7) && lid + n <= LID_UNICAST_MAX; n++) {
			if (owner[lid + n] == FT_NONE)
				owner[lid + n] = i;
			else if (n == 0 || owner[lid + n] != owner[lid])
				lid_report(m, lid + n, owner[lid + n], i);
		}
	}
	return 0;
}

int ft_checks(struct ft_model *m)
{
	int r = 0;

	uplink_rates(m);
	host_rates(m);
	if (!m->cut_off)
		r = hosts_check(m);
	if (r == 0)
		r = guids_check(m);
	return r == 0 ? lids_check(m) : r;
}
