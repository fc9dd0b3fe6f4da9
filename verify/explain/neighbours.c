/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Links of an Ethernet fabric of which only one end tells. The cable is there, so it is not missing; but what the other
 * end should say is not known. Four causes, each one finding:
 *
 * - a switch without a record: nobody handed over what it sees, or no LLDP agent runs there;
 * - a switch that no neighbour hears: it does not send;
 * - a switch that hears none of several neighbours, which hear it: its agent does not listen, or has just begun;
 * - a port that does not hear its neighbour, which hears it: the neighbour does not send there, or light goes one way.
 *
 * Of a cable that was just plugged, or pulled, one end tells before the other, up to an interval of announcements. So
 * the last two are mere information on a fabric that is being watched; in a recording they are warnings.
 *
 * Hosts are not expected to tell anything. O(ports).
 */
#include "config.h"

#include "verify/explain/explain.h"

/* The links of a switch to other switches by what their ends hear. */
struct hearing {
	uint32_t links;
	uint32_t deaf;	  /* of these, where the switch does not hear the other end */
	uint32_t unheard; /* where the other end, which has a record, does not hear the switch */
	uint32_t asked;	  /* where the other end has a record */
};

static bool is_told(const struct ft_model *m, const struct ft_port *port)
{
	return !ft_port_node(m->snapshot, port)->silent;
}

static struct hearing hearing_of(const struct ft_model *m, uint32_t observed)
{
	struct hearing h = {0};

	ft_each_end(end, m, observed) {
		const struct ft_port *near = &m->snapshot->ports[end->port], *far = &m->snapshot->ports[end->far_port];

		if (end->far == observed)
			continue;
		h.links++;
		h.deaf += near->deaf;
		h.asked += is_told(m, far);
		h.unheard += is_told(m, far) && far->deaf;
	}
	return h;
}

/* Nothing is known of its other ports, and this finding says so. */
static void ports_claim(struct ft_model *m, uint32_t observed)
{
	const struct ft_node *node = node_of(m, observed);

	for (uint32_t i = 0; i < node->port_count; i++)
		if (m->snapshot->ports[node->first_port + i].link == FT_LINK_UNREAD)
			m->port_claimed[node->first_port + i] = true;
}

static void recordless_report(struct explain *x, uint32_t observed, uint32_t links)
{
	struct ft_model *m = x->m;
	const char *label = m->observed.switches[observed].label;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_SWITCH_MUTE, FT_EVIDENCE_MUTE);
	char cables[48];

	ports_claim(m, observed);
	ft_finding_where_switch(m, f, observed, 0);
	ft_say(m, &f->expected, "the neighbors that %s sees", label);
	ft_say(m, &f->observed, "%s, known from the other end", ft_plural(links, "cable", cables));
	ft_say(m, &f->text, "%s is silent: what it sees was not recorded, and %s known from the other %s only", label,
	       links == 1 ? "its cable is" : "its cables are", links == 1 ? "end" : "ends");
	ft_say(m, &f->fix, "record its neighbors too (lldpcli show neighbors -f json); see that lldpd runs there");
}

/* Hears nobody, though several hear it. */
static bool is_deaf(const struct hearing *h)
{
	enum { SEVERAL = 2 };

	return h->links >= SEVERAL && h->deaf == h->links && h->asked > 0;
}

/* A link that only one end tells of; see the top of this file. */
static struct ft_finding *one_sided_add(struct ft_model *m)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_SWITCH_MUTE, FT_EVIDENCE_MUTE);

	if (m->snapshot->source.live)
		f->severity = FT_SEVERITY_INFO;
	return f;
}

/* A switch that hears its neighbours and is not heard by them; with @deaf, one that they hear and that hears none. */
static void one_sided_report(struct explain *x, uint32_t observed, uint32_t links, bool deaf)
{
	struct ft_model *m = x->m;
	const char *label = m->observed.switches[observed].label;
	struct ft_finding *f = one_sided_add(m);
	char cables[48];

	ft_finding_where_switch(m, f, observed, 0);
	f->count = links;
	ft_plural(links, "cable", cables);
	ft_say(m, &f->expected, deaf ? "%s hears its neighbors" : "%s is heard by its neighbors", label);
	ft_say(m, &f->observed,
	       deaf ? "%s hears none of its neighbors, which hear it over %s"
		    : "%s hears its neighbors over %s, none hears it",
	       label, cables);
	ft_say(m, &f->text,
	       deaf ? "%s hears nobody: its neighbors hear it over %s"
		    : "%s is silent: it hears its neighbors over %s, and none of them hears it",
	       label, cables);
	ft_say(m, &f->fix, "let lldpd %s there (lldpcli configure ports … lldp status rx-and-tx)%s",
	       deaf ? "receive" : "send", deaf ? ", and record its neighbors again" : "");
}

static void deaf_report(struct ft_model *m, uint32_t deaf_port)
{
	uint32_t peer = m->snapshot->ports[deaf_port].peer;
	const char *a = ft_place_text(m, peer), *b = ft_place_text(m, deaf_port);
	struct ft_finding *f = one_sided_add(m);

	ft_finding_where_port(m, f, peer);
	ft_finding_where_port(m, f, deaf_port);
	ft_say(m, &f->expected, "%s and %s hear each other", a, b);
	ft_say(m, &f->observed, "%s hears %s, which does not hear it", a, b);
	ft_say(m, &f->text, "%s is silent: it hears %s, and is not heard there", a, b);
	ft_say(m, &f->fix, "let it send LLDP; if it does, the cable carries one direction only: replace it");
}

/* Each deaf end of a link between two switches that tell; not of one whose silence is told as a whole. */
static void deaf_ports_report(struct explain *x, uint32_t observed, const bool *whole)
{
	struct ft_model *m = x->m;

	ft_each_end(end, m, observed) {
		const struct ft_port *near = &m->snapshot->ports[end->port];

		if (end->far != observed && near->deaf && is_told(m, near) && !whole[observed] && !whole[end->far])
			deaf_report(m, end->port);
	}
}

void ft_neighbours_report(struct explain *x)
{
	struct ft_model *m = x->m;
	_cleanup_free_ bool *whole = calloc(m->observed.switch_count + 1UL, sizeof(*whole));

	m->memory.failed |= !whole;
	if (!m->snapshot->source.ethernet || !whole)
		return;
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		const struct hearing h = hearing_of(m, i);

		if (m->observed.switches[i].planned == FT_NONE)
			continue;
		whole[i] = is_deaf(&h) || (h.asked > 0 && h.unheard == h.asked && h.deaf < h.links);
		if (node_of(m, i)->silent)
			recordless_report(x, i, h.links);
		else if (is_deaf(&h))
			one_sided_report(x, i, h.links, true);
		else if (whole[i])
			one_sided_report(x, i, h.links, false);
	}
	for (uint32_t i = 0; i < m->observed.switch_count; i++)
		if (m->observed.switches[i].planned != FT_NONE)
			deaf_ports_report(x, i, whole);
}
