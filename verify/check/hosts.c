/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Hosts: too few, too many, on core switches, or more than an edge may have.
 *
 * Hosts of a switch that is coming back are no finding until ft_recall_returning_s() is over: they come one by one,
 * too. Hosts on cores, and listed hosts on another edge than their own, which was not seen, are findings one by one.
 * The rest is a balance over the whole fabric, since a host that no list names may be on any edge:
 *
 *   planned = found + possibly behind ports of unknown state + possibly on unseen edges
 *             + coming back with their switch + expected to be down + missing
 *
 * Invariant: no host is called missing that one of the other terms may be; only a listed host whose place was seen
 * without it is missing in any case. O(places * neighbours + hosts).
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/moment.h"
#include "base/text.h"
#include "verify/check/check.h"
#include "verify/model/recall.h"

/* Where the host should be, as far as that is known. */
static const char *host_home(const struct ft_model *m, uint32_t host)
{
	const struct ft_plan_host *home;
	char words[FT_PORT_WORDS_SIZE];
	struct ft_text text = {0};
	uint32_t place;

	if (!m->port_map.belongs || m->port_map.belongs[host] == FT_NONE)
		return "an edge switch";
	home = &m->plan->hosts[m->port_map.belongs[host]];
	place = m->place_of[home->edge];
	ft_text_puts(&text, label_of(m, place));
	if (home->port > 0)
		ft_text_puts(&text, ft_planned_port_words(m, place, home->port, words));
	return ft_model_text(m, &text);
}

/*
 * An edge that lacks more hosts than @room has assigned to it; else one that was not seen, else one with a free host
 * port. FT_NONE: there is none.
 */
static uint32_t edge_with_room(const struct ft_model *m, const uint32_t *room)
{
	uint32_t spare = FT_NONE, unseen = FT_NONE;

	for (uint32_t p = 0; p < m->edges; p++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, p);

		if (!sw && unseen == FT_NONE && room[p] < m->places[p]->hosts)
			unseen = p;
		if (!sw || sw->hosts + room[p] >= ft_host_ports_of(m, p))
			continue;
		if (sw->hosts + room[p] < m->places[p]->hosts)
			return p;
		spare = spare == FT_NONE ? p : spare;
	}
	return unseen == FT_NONE ? spare : unseen;
}

/* Moves the host at @switch_port to an edge with room for one more; @room counts the hosts moved to each. */
static void host_act(struct ft_model *m, struct ft_finding *f, uint32_t switch_port, uint32_t *room)
{
	uint32_t to = edge_with_room(m, room);

	if (to == FT_NONE)
		return;
	room[to]++;
	ft_finding_act_free(m, f, FT_ACT_MOVE, switch_port, to);
}

/* The highest port with a host on a switch, below port @below (of the snapshot's), or FT_NONE. */
static uint32_t host_port_below(const struct ft_model *m, uint32_t observed, uint32_t below)
{
	const struct ft_observed_switch *sw = &m->observed.switches[observed];

	for (uint32_t i = sw->end_host; i-- > sw->first_host;)
		if (m->observed.hosts[i].switch_port < below)
			return m->observed.hosts[i].switch_port;
	return FT_NONE;
}

/* The surplus hosts of an edge: those in its highest ports. Its aggregation node is none of them. */
static void crowd_act(struct ft_model *m, struct ft_finding *f, uint32_t observed, uint32_t *room)
{
	uint32_t port = FT_NONE;

	for (uint32_t left = f->count; left > 0; left--) {
		port = host_port_below(m, observed, port);
		if (port == FT_NONE)
			return;
		host_act(m, f, port, room);
	}
}

/* Moves it there; false if the place is not known. */
static bool host_home_act(struct ft_model *m, struct ft_finding *f, uint32_t host)
{
	uint32_t from = m->observed.hosts[host].switch_port;
	const struct ft_plan_host *home;
	const struct ft_observed_switch *sw;
	const struct ft_node *node;

	if (!m->port_map.belongs || m->port_map.belongs[host] == FT_NONE)
		return false;
	home = &m->plan->hosts[m->port_map.belongs[host]];
	sw = ft_observed_at(m, m->place_of[home->edge]);
	node = &m->snapshot->nodes[sw->node];
	if (home->port == 0 || home->port > node->port_count)
		ft_finding_act_free(m, f, FT_ACT_MOVE, from, m->place_of[home->edge]);
	else
		ft_finding_act_ports(m, f, FT_ACT_MOVE, from, node->first_port + home->port - 1);
	return true;
}

static void hosts_on_core(struct ft_model *m, uint32_t *room)
{
	for (uint32_t i = 0; i < m->observed.host_count; i++) {
		const struct ft_observed_host *host = &m->observed.hosts[i];
		const struct ft_observed_switch *sw = &m->observed.switches[host->observed];
		struct ft_finding *f;
		char kind[FT_KIND_WORDS_SIZE];

		if (sw->planned == FT_NONE || ft_may_host(m, sw->planned) || (m->port_map.told && m->port_map.told[i]))
			continue;
		ft_kind_words(m, sw->planned, kind);
		f = ft_finding_add(m, FT_CODE_HOST_ON_CORE, FT_EVIDENCE_SEEN);
		ft_finding_where_port(m, f, host->switch_port);
		ft_finding_where_port(m, f, host->port);
		if (!host_home_act(m, f, i))
			host_act(m, f, host->switch_port, room);
		ft_say(m, &f->expected, "hosts on edge switches only");
		ft_say(m, &f->observed, "%s on %s", ft_place_text(m, host->port), ft_place_text(m, host->switch_port));
		ft_say(m, &f->text, "host %s is cabled to a %s, at %s", ft_place_text(m, host->port), kind,
		       ft_place_text(m, host->switch_port));
		ft_say(m, &f->fix, "move it to %s; on a %s %s", host_home(m, i), ft_kind_of(m, sw->planned),
		       m->words->on_upper);
	}
}

/* The planned place of a listed host, as a place of a finding: on a switch that was not seen. */
static const char *home_name(const struct ft_model *m, const struct ft_plan_host *listing)
{
	struct ft_text text = {0};

	ft_text_puts(&text, m->plan->switches[listing->edge].name);
	if (listing->port > 0)
		ft_text_printf(&text, " port %u", listing->port);
	return ft_model_text(m, &text);
}

static void host_of_unseen(struct ft_model *m, uint32_t host)
{
	const struct ft_plan_host *listing = &m->plan->hosts[m->port_map.listed[host]];
	uint32_t origin = ft_port_origin(m, m->observed.hosts[host].switch_port);
	struct ft_finding *f = ft_finding_add(m, FT_CODE_HOST_MISPLACED, FT_EVIDENCE_SEEN);
	const char *who = ft_place_text(m, m->observed.hosts[host].port);
	const char *here = ft_place_text(m, m->observed.hosts[host].switch_port), *home = home_name(m, listing);
	struct ft_place to = {.name = ft_arena_string(&m->report->memory, m->plan->switches[listing->edge].name),
			      .port = listing->port};

	ft_finding_where_port(m, f, m->observed.hosts[host].switch_port);
	ft_finding_where_port(m, f, m->observed.hosts[host].port);
	ft_finding_act(m, f, FT_ACT_MOVE, ft_chip_place(m, m->chips->ports[origin].node, origin), to);
	ft_say(m, &f->expected, "%s on %s", who, home);
	ft_say(m, &f->observed, "%s on %s", who, here);
	ft_say(m, &f->text, "host %s is on %s, but belongs on %s, which was not seen", who, here, home);
	ft_say(m, &f->fix, "move its cable from %s to %s, once that switch is back", here, home);
}

/* Listed hosts whose own switch was not seen, and that are on another edge. */
static void hosts_of_unseen(struct ft_model *m)
{
	for (uint32_t i = 0; m->port_map.listed && i < m->observed.host_count; i++) {
		uint32_t here = m->observed.switches[m->observed.hosts[i].observed].planned;
		uint32_t listed = m->port_map.listed[i];

		if (listed == FT_NONE || here == FT_NONE || here >= m->edges || m->port_map.told[i] ||
		    m->observed_of[m->place_of[m->plan->hosts[listed].edge]] != FT_NONE)
			continue;
		m->port_map.told[i] = true;
		m->port_map.away[here]--;
		host_of_unseen(m, i);
	}
}

/* Hosts on the edge that are not listed for another one. */
static uint32_t hosts_staying(const struct ft_model *m, uint32_t p)
{
	uint32_t hosts = ft_observed_at(m, p)->hosts, due = ft_port_map_host_count(m, p);

	return due < hosts ? due : hosts;
}

uint32_t ft_hosts_planned(const struct ft_model *m)
{
	return m->plan->nodes + ft_plan_island_hosts(m->plan);
}

/*
 * Hosts that a switch beside the tree lacks, or has beyond the plan (@surplus): the design says how many each has.
 * There may be some behind silent ports.
 */
static uint32_t beside_hosts(const struct ft_model *m, uint32_t p, bool surplus)
{
	const struct ft_observed_switch *sw = ft_observed_at(m, p);
	uint32_t planned = m->places[p]->hosts;

	if (!sw || !ft_is_beside(m, p))
		return 0;
	if (surplus)
		return sw->hosts > planned ? sw->hosts - planned : 0;
	planned -= m->recall.hosts_returning[p];
	return planned > sw->hosts + sw->unheard ? planned - sw->hosts - sw->unheard : 0;
}

static uint32_t beside_hosts_all(const struct ft_model *m, bool surplus)
{
	uint32_t sum = 0;

	for (uint32_t p = m->edges; p < m->place_count; p++)
		sum += beside_hosts(m, p, surplus);
	return sum;
}

/*
 * The most hosts that an edge may have: its host ports, or the design's number for this edge. A list of hosts may have
 * more.
 */
static uint32_t hosts_limit(const struct ft_model *m, uint32_t place)
{
	uint32_t hosts = m->places[place]->hosts;

	return ft_design_has_host_kinds(m->design) || hosts > ft_host_ports_of(m, place) ? hosts
											 : ft_host_ports_of(m, place);
}

/* The planned hosts, and what accounts for those that were not seen. */
struct host_balance {
	uint32_t found;	    /* on planned switches */
	uint32_t placed;    /* on planned edges: hosts on a core are listed one by one */
	uint32_t crowd;	    /* beyond the plan, on edges with more hosts than host ports */
	uint32_t unheard;   /* possibly behind ports of unknown state */
	uint32_t unseen;    /* possibly on edges that were not seen */
	uint32_t returning; /* of switches that are coming back */
};

static struct host_balance hosts_balance(const struct ft_model *m)
{
	struct host_balance b = {.found = ft_hosts_found(m)};
	uint32_t least = UINT32_MAX;

	/*
	 * If the plan has edges with fewer hosts, it is not known which, so an edge with too many may be one of them.
	 */
	for (uint32_t p = 0; p < m->edges; p++)
		least = m->places[p]->hosts < least ? m->places[p]->hosts : least;
	for (uint32_t p = 0; p < m->place_count; p++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, p);

		if (!ft_may_host(m, p) || ft_is_beside(m, p) || m->status[p] == FT_STATUS_NOT_DUE ||
		    m->status[p] == FT_STATUS_GONE)
			continue;
		if (!sw) {
			b.unseen += ft_bind_of(m, p)->count > 0 ? m->places[p]->hosts : hosts_limit(m, p);
			continue;
		}
		b.unheard += sw->unheard;
		b.returning += m->recall.hosts_returning[p];
		b.placed += sw->hosts;
		if (hosts_staying(m, p) > hosts_limit(m, p))
			b.crowd += hosts_staying(m, p) -
				   (ft_design_has_host_kinds(m->design) ? m->places[p]->hosts : least);
	}
	return b;
}

/* Fills recall.hosts_returning. */
static void returning_count(struct ft_model *m, uint32_t *count)
{
	m->recall.hosts_returning = count;
	for (uint32_t p = 0; p < m->place_count; p++) {
		const struct ft_baseline_switch *was = ft_recall_switch(m, p);
		const uint32_t *hosts;
		uint32_t there, lacks;

		if (!was || !ft_recall_is_back(m, p, was, was->hosts_back_s))
			continue;
		there = ft_observed_at(m, p)->hosts + ft_observed_at(m, p)->unheard;
		lacks = m->places[p]->hosts > there ? m->places[p]->hosts - there : 0;
		count[p] = ft_number_least(ft_recall_hosts_gone(m, p, &hosts), lacks);
	}
}

/* Cables from that place to others. */
static uint32_t cables_planned(const struct ft_model *m, uint32_t place)
{
	uint32_t cables = 0;

	ft_each_pair(pair, m, place)
		cables += m->cells.width[pair->cell];
	return cables;
}

static void edges_overloaded(struct ft_model *m, uint32_t *room)
{
	for (uint32_t p = 0; p < m->place_count; p++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, p);
		uint32_t limit = hosts_limit(m, p), cables = cables_planned(m, p);
		struct ft_finding *f;

		/* Those that belong elsewhere are findings of their own. */
		if (!sw || !ft_may_host(m, p) || ft_is_beside(m, p) || hosts_staying(m, p) <= limit)
			continue;
		f = ft_finding_add(m, FT_CODE_EDGE_OVERLOADED, FT_EVIDENCE_SEEN);
		f->count = hosts_staying(m, p) - limit;
		ft_finding_where_switch(m, f, m->observed_of[p], 0);
		crowd_act(m, f, m->observed_of[p], room);
		ft_say(m, &f->expected, "at most %u host%s", limit, ft_text_s(limit));
		ft_say(m, &f->observed, "%u host%s: %s", sw->hosts, ft_text_s(sw->hosts), sw->host_names);
		ft_say(m, &f->text,
		       m->places[p]->hosts == limit ? "%s has %u host%s where %u are planned: they share its %u %s%s"
						    : "%s has %u host%s and room for %u: they share its %u %s%s",
		       sw->label, sw->hosts, ft_text_s(sw->hosts), limit, cables,
		       ft_plan_has_ranks(m->plan) ? "uplink" : "cable", ft_text_s(cables));
		ft_say(m, &f->fix, "move %u of them to another edge switch", f->count);
	}
}

/*
 * If the plan gives some edges fewer hosts than others, structure cannot distinguish an edge that should have fewer
 * from one that has lost some. The finding names the alternatives.
 */
static void hosts_alternatives(struct ft_model *m, struct ft_finding *f)
{
	_cleanup_(ft_text_release) struct ft_text others = {0};
	uint32_t most = 0, named = 0;

	for (uint32_t p = 0; p < m->edges; p++)
		most = m->places[p]->hosts > most ? m->places[p]->hosts : most;
	for (uint32_t p = 0; p < m->edges; p++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, p);

		if (!sw || sw->hosts >= most || sw->hosts < m->places[p]->hosts || ft_bind_of(m, p)->count > 0)
			continue;
		if (named++ < 4)
			ft_text_printf(&others, "%s%s (%u)", named > 1 ? ", " : "", sw->label, sw->hosts);
	}
	ft_text_more(&others, named, 4);
	m->memory.failed |= others.failed;
	if (named == 0)
		return;
	ft_finding_alternative(
		m, f,
		"the plan gives some edge switches fewer than %u hosts, and which they are is not bound; "
		"the missing hosts may belong on %s",
		most, ft_text_string(&others));
}

/* A host may be behind a port that could not be read, or that is up and silent. */
static enum ft_evidence hosts_evidence(const struct ft_model *m)
{
	uint32_t silent = 0, unread = 0;

	for (uint32_t p = 0; p < m->edges; p++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, p);

		if (!sw || sw->hosts >= m->places[p]->hosts)
			continue;
		silent += sw->silent;
		unread += sw->unread;
	}
	return unread ? FT_EVIDENCE_UNREACHED : silent ? FT_EVIDENCE_MUTE : FT_EVIDENCE_ABSENT;
}

/* A listed host that is absent, does not come back with its switch, and is not expected by the design to be down. */
static bool listed_is_missing(const struct ft_model *m, uint32_t listing)
{
	const char *name = m->plan->hosts[listing].name;

	return m->port_map.fate[listing] == FT_HOST_MISSING &&
	       m->recall.hosts_returning[m->place_of[m->plan->hosts[listing].edge]] == 0 &&
	       !(name && ft_host_is_expected_down(m, name));
}

static uint32_t listed_missing_count(const struct ft_model *m, uint32_t down)
{
	uint32_t count = 0;

	for (uint32_t i = 0; m->port_map.fate && i < m->plan->host_count; i++)
		count += listed_is_missing(m, i);
	if (m->design->expect.hosts_down_name_count > 0)
		return count;
	return count > down ? count - down : 0;
}

/* The edge is among the finding's places. */
static void edge_where(struct ft_model *m, struct ft_finding *f, uint32_t observed)
{
	if (!ft_finding_names(f, observed))
		ft_finding_where_switch(m, f, observed, 0);
}

void ft_interface_add(struct ft_text *text, const struct ft_plan_host *h)
{
	if (h->adapter) {
		ft_text_puts(text, " ");
		ft_text_add_safe(text, h->adapter, strlen(h->adapter));
	}
	if (h->adapter_port)
		ft_text_printf(text, " port %u", h->adapter_port);
}

/* ": node017, node018 and 3 more", with the planned switch of each. */
static void listed_missing_name(struct ft_model *m, struct ft_finding *f, struct ft_text *names)
{
	enum { SHOWN = 6 };
	uint32_t count = 0;

	for (uint32_t i = 0; m->port_map.fate && i < m->plan->host_count; i++) {
		const struct ft_plan_host *h = &m->plan->hosts[i];
		uint32_t observed = m->observed_of[m->place_of[h->edge]];
		struct ft_text text = {0};
		const char *name;
		char port[FT_PORT_WORDS_SIZE] = "";

		if (!listed_is_missing(m, i))
			continue;
		if (h->port > 0)
			ft_observed_port_words(m, observed, h->port, port);
		if (h->name)
			ft_text_add_safe(&text, h->name, strlen(h->name));
		else
			ft_text_printf(&text, "0x%016llx", (unsigned long long)h->guid);
		ft_interface_add(&text, h);
		name = ft_model_text(m, &text);
		if (count++ < SHOWN)
			ft_text_printf(names, "%s%s", count > 1 ? ", " : ": ", name);
		edge_where(m, f, observed);
		ft_finding_symptom(m, f, observed, h->port, "%s was not seen; it belongs on %s%s", name,
				   m->observed.switches[observed].label, port);
	}
	ft_text_more(names, count, SHOWN);
}

/*
 * ": node017, node018 and 3 more": hosts of the baseline that are not observed anywhere, for plans without a list of
 * hosts. Other hosts may be in their ports.
 */
static void remembered_missing_name(struct ft_model *m, struct ft_finding *f, struct ft_text *names)
{
	enum { SHOWN = 6 };
	uint32_t gone = 0;
	char until[FT_TIME_SIZE];

	for (uint32_t p = 0; !m->port_map.fate && p < m->edges; p++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, p);
		const uint32_t *hosts;
		uint32_t count = sw && m->recall.hosts_returning[p] == 0 ? ft_recall_hosts_gone(m, p, &hosts) : 0;

		for (uint32_t i = 0; i < count; i++) {
			const struct ft_baseline_host *host = &m->recall.baseline->hosts[hosts[i]];

			ft_recall_until(m, host->gone_s, 0, until);
			ft_finding_symptom(m, f, m->observed_of[p], host->at.number, "%s was on %s port %u%s%s",
					   host->name, sw->label, host->at.number, until[0] ? " until " : "", until);
			if (gone++ < SHOWN)
				ft_text_printf(names, "%s%s", gone > 1 ? ", " : ": ", host->name);
		}
	}
	ft_text_more(names, gone, SHOWN);
}

/*
 * ", on edge003"; ", on 9 edge switches (edge001, edge002, edge003 and 6 more)"; where these have @lacks fewer hosts
 * than planned, more than are missing in all, it is not known which: ", on one of 9 edge switches (…)". Without a list,
 * the plan says how many hosts there are, and only as a rule how many each switch has.
 */
static void short_switches_name(const struct ft_model *m, const struct ft_finding *f, uint32_t lacks,
				struct ft_text *text)
{
	enum { SHOWN = 3 };
	const char *kind = m->plan->beside_switches > 0 ? "" : "edge ";
	const char *some = lacks <= f->count ? "" : f->count == 1 ? "one of " : "some of ";

	if (f->where_count == 0)
		return;
	if (f->where_count == 1) {
		ft_text_printf(text, ", on %s", ft_place_label(m, &f->where[0]));
		return;
	}
	ft_text_printf(text, ", on %s%zu %sswitches (", some, f->where_count, kind);
	for (size_t i = 0; i < f->where_count && i < SHOWN; i++)
		ft_text_printf(text, "%s%s", i > 0 ? ", " : "", ft_place_label(m, &f->where[i]));
	ft_text_more(text, f->where_count, SHOWN);
	ft_text_puts(text, ")");
}

static void hosts_missing(struct ft_model *m, uint32_t count)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_HOSTS_MISSING, hosts_evidence(m));
	struct ft_text names = {0}, switches = {0};
	uint32_t lacks = 0;
	char hosts[48];

	f->count = count;
	f->impact.hosts_cut_off = count;
	for (uint32_t p = 0; p < m->place_count; p++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, p);
		uint32_t less = sw && p >= m->edges ? beside_hosts(m, p, false) : 0;

		if (sw && p < m->edges && ft_port_map_host_count(m, p) < m->places[p]->hosts)
			less = m->places[p]->hosts - ft_port_map_host_count(m, p);
		if (p < m->edges)
			less -= less < m->recall.hosts_returning[p] ? less : m->recall.hosts_returning[p];
		lacks += less;
		if (less == 0)
			continue;
		ft_finding_where_switch(m, f, m->observed_of[p], 0);
		ft_finding_symptom(m, f, m->observed_of[p], 0, "%s has %u of %u host%s", sw->label, sw->hosts,
				   m->places[p]->hosts, ft_text_s(m->places[p]->hosts));
	}
	ft_say(m, &f->expected, "%u host%s", ft_hosts_planned(m), ft_text_s(ft_hosts_planned(m)));
	ft_say(m, &f->observed, "%u host%s", m->observed.host_count, ft_text_s(m->observed.host_count));
	listed_missing_name(m, f, &names);
	remembered_missing_name(m, f, &names);
	short_switches_name(m, f, lacks, &switches);
	if (count == 1)
		snprintf(hosts, sizeof(hosts), "1 host is");
	else
		snprintf(hosts, sizeof(hosts), "%u hosts are", count);
	ft_say(m, &f->text, "%s missing that the plan counts%s%s", hosts, ft_model_text(m, &switches),
	       ft_model_text(m, &names));
	ft_say(m, &f->fix, "check whether %s powered on; %s can go into expect.hosts_down",
	       count == 1 ? "it is" : "they are", count == 1 ? "if that is known, it" : "known ones");
	hosts_alternatives(m, f);
}

static void hosts_unplanned(struct ft_model *m, uint32_t count)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_HOSTS_UNPLANNED, FT_EVIDENCE_SEEN);
	char hosts[48];

	f->count = count;
	for (uint32_t p = 0; p < m->place_count; p++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, p);
		bool more =
			sw && (p < m->edges ? hosts_staying(m, p) > m->places[p]->hosts : beside_hosts(m, p, true) > 0);

		if (!more)
			continue;
		ft_finding_where_switch(m, f, m->observed_of[p], 0);
		ft_finding_symptom(m, f, m->observed_of[p], 0, "%s has %u host%s, %u are planned", sw->label, sw->hosts,
				   ft_text_s(sw->hosts), m->places[p]->hosts);
	}
	ft_say(m, &f->expected, "%u host%s", ft_hosts_planned(m), ft_text_s(ft_hosts_planned(m)));
	ft_say(m, &f->observed, "%u host%s", m->observed.host_count, ft_text_s(m->observed.host_count));
	ft_say(m, &f->text, "%s more than the plan counts", ft_plural(count, "host", hosts));
	ft_say(m, &f->fix, "if %s there, raise \"nodes\" in the design", count == 1 ? "it belongs" : "they belong");
}

int ft_hosts_check(struct ft_model *m)
{
	uint32_t *room = ft_arena_zeros(&m->memory, m->edges, sizeof(*room));
	uint32_t *returning = ft_arena_zeros(&m->memory, m->place_count, sizeof(*returning));
	uint32_t planned, down, accounted, missing, extra;
	struct host_balance b;

	/* The sweep began on an edge without a path to any core: of the other hosts nothing is known. */
	if (m->cut_off)
		return 0;
	if (m->since) {
		ft_changes_check(m);
		return ft_hosts_since_check(m);
	}
	if (m->memory.failed)
		return -ENOMEM;
	returning_count(m, returning);
	b = hosts_balance(m);
	planned = m->plan->nodes + beside_hosts_all(m, false);
	hosts_on_core(m, room);
	hosts_of_unseen(m);
	edges_overloaded(m, room);
	down = ft_hosts_expected_check(m);
	b.unseen += m->hosts_behind;
	/* Where hosts that are expected to be down belong is not known: rather on an edge that was seen than a false
	 * finding. */
	accounted = b.found + b.unheard + b.unseen + b.returning + down;
	missing = planned > accounted ? planned - accounted : 0;
	/* Other hosts may be in the place of the listed ones. */
	if (listed_missing_count(m, down) > missing)
		missing = listed_missing_count(m, down);
	/* What crowds one edge is named there. */
	extra = beside_hosts_all(m, true);
	extra += b.placed > m->plan->nodes + b.crowd ? b.placed - m->plan->nodes - b.crowd : 0;
	if (missing > 0)
		hosts_missing(m, missing);
	else if (extra > 0)
		hosts_unplanned(m, extra);
	return 0;
}
