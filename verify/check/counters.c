/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Error counters: transmission errors of a cable are counted by the receiving port, so both ends of a cable are one
 * finding, with the counts of each receiver.
 */
#include "config.h"

#include "probe/counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "verify/check/check.h"

/* ---- ports ---- */

/* "edge003 port 20 counted at least 5000 symbol errors and 3 receive errors in 10.0 s" */
static void port_describe(struct ft_model *m, const struct ft_port_count *c, struct ft_text *text)
{
	unsigned int named = 0, high = 0;

	for (unsigned int i = 0; i < FT_COUNTER_COUNT; i++)
		high += ft_count_is_high(m->chips, c, i);
	ft_text_printf(text, "%s%s counted ", text->length ? ", and " : "", ft_chip_port_text(m, c->port));
	for (unsigned int i = 0; i < FT_COUNTER_COUNT; i++) {
		if (!ft_count_is_high(m->chips, c, i))
			continue;
		named++;
		ft_text_printf(text, "%s%s%" PRIu64 " %s",
			       named == 1      ? ""
			       : named == high ? " and "
					       : ", ",
			       c->at_least & 1 << i ? "at least " : "", c->counts[i],
			       ft_counter_name((enum ft_counter)i, c->counts[i]));
	}
	ft_text_printf(text, " in %u.%u s", c->interval_ms / 1000, c->interval_ms % 1000 / 100);
}

/* ---- cables ---- */

/* The two ends of a cable, as far as they were read: an edge before a core, a switch before a host. */
struct cable {
	uint32_t ports[2]; /* of m->chips; [1] FT_NONE: the far end is unknown */
	const struct ft_port_count *counts[2];
	bool errors[2];
};

static struct cable cable_make(const struct ft_model *m, const uint32_t *item_of, uint32_t port)
{
	const struct ft_counters *counters = m->input->counters;
	uint32_t peer = m->chips->ports[port].peer;
	struct cable c = {.ports = {port, peer}};

	if (c.ports[1] != FT_NONE && ft_port_order(m, c.ports[0]) > ft_port_order(m, c.ports[1])) {
		c.ports[0] = peer;
		c.ports[1] = port;
	}
	for (unsigned int i = 0; i < 2; i++) {
		uint32_t item = c.ports[i] == FT_NONE ? FT_NONE : item_of[c.ports[i]];

		c.counts[i] = item == FT_NONE ? NULL : &counters->items[item];
		c.errors[i] = ft_count_has_errors(m->chips, c.counts[i]);
	}
	return c;
}

/* LinkDownedCounter alone is no finding: links also go down when they are unplugged on purpose. */
static bool only_failed(const struct ft_model *m, const struct cable *c)
{
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int n = 0; c->errors[i] && n < FT_COUNTER_COUNT; n++)
			if (n != FT_COUNTER_DOWNED && ft_count_is_high(m->chips, c->counts[i], n))
				return false;
	return true;
}

static void cable_fix(struct ft_model *m, struct ft_finding *f, const struct cable *c)
{
	static const char reseat[] = "reseat the cable and clean its plugs, then replace it";
	unsigned int victim = c->errors[0] ? 0 : 1, sender = 1 - victim;

	if (only_failed(m, c))
		ft_say(m, &f->fix, "if nobody took the link down or restarted what is at its end, %s", reseat);
	else if (c->errors[0] && c->errors[1])
		ft_say(m, &f->fix, "%s: it is damaged both ways", reseat);
	else if (c->ports[sender] == FT_NONE)
		ft_say(m, &f->fix, "%s", reseat);
	else
		ft_say(m, &f->fix,
		       "%s; the damage is done on the way to %s, so if a new cable does not help, %s is next", reseat,
		       ft_chip_port_text(m, c->ports[victim]), ft_chip_port_text(m, c->ports[sender]));
	if (f->where_count > 0)
		ft_finding_act(m, f, FT_ACT_RENEW, f->where[0],
			       f->where_count > 1 ? f->where[1] : (struct ft_place){0});
}

static void cable_describe(struct ft_model *m, const struct cable *c, struct ft_text *text)
{
	for (unsigned int i = 0; i < 2; i++)
		if (c->errors[i])
			port_describe(m, c->counts[i], text);
}

static void cable_report(struct ft_model *m, const struct cable *c)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_PORT_ERRORS, FT_EVIDENCE_SEEN);
	const struct ft_port_count *counted = c->counts[c->errors[0] ? 0 : 1];
	struct ft_text what = {0};
	uint64_t allowed = ft_count_symbols_allowed(m->chips, counted);

	for (unsigned int i = 0; i < 2; i++)
		if (c->ports[i] != FT_NONE)
			ft_finding_where_chip_port(m, f, c->ports[i]);
	cable_describe(m, c, &what);
	ft_say(m, &f->expected, "at most %" PRIu64 " symbol errors in %u.%u s (one bit in 10^12), and no other errors",
	       allowed, counted->interval_ms / 1000, counted->interval_ms % 1000 / 100);
	f->observed = ft_arena_text(&m->report->memory, &what);
	if (c->ports[1] == FT_NONE)
		ft_say(m, &f->text, "the cable in %s has errors: %s", ft_chip_port_text(m, c->ports[0]), f->observed);
	else
		ft_say(m, &f->text, "the cable %s - %s has errors: %s", ft_chip_port_text(m, c->ports[0]),
		       ft_chip_port_text(m, c->ports[1]), f->observed);
	cable_fix(m, f, c);
}

/* A cable with a finding for its rate or width, to be replaced: its errors are a symptom of the same fault. */
static struct ft_finding *cable_finding(const struct ft_model *m, const struct cable *c)
{
	const struct ft_port *p = &m->chips->ports[c->ports[0]];

	for (size_t i = 0; i < m->report->finding_count; i++) {
		struct ft_finding *f = &m->report->findings[i];

		if (ft_finding_has(f, FT_TRAIT_WEAK) && f->where_count == 2 && f->action_count > 0 &&
		    f->actions[0].act == FT_ACT_RENEW &&
		    ft_finding_is_at(f, ft_port_node(m->chips, p)->guid, p->number))
			return f;
	}
	return NULL;
}

static void cable_check(struct ft_model *m, const struct cable *c)
{
	struct ft_text what = {0};
	struct ft_finding *f;
	uint32_t observed;

	if (!c->errors[0] && !c->errors[1])
		return;
	/* With directors, the switches of the model are not the chips. */
	f = m->origin ? NULL : cable_finding(m, c);
	observed = m->origin ? FT_NONE : m->observed.switch_of_node[m->chips->ports[c->ports[0]].node];
	if (!f || observed == FT_NONE) {
		cable_report(m, c);
		return;
	}
	cable_describe(m, c, &what);
	ft_finding_symptom(m, f, observed, m->chips->ports[c->ports[0]].number, "%s", ft_model_text(m, &what));
}

/* ---- all of them ---- */

static void count_port(struct ft_report_counters *r, const struct ft_port_count *c)
{
	bool stuck = false;

	r->ports++;
	r->read += c->status == FT_COUNTED;
	r->no_lid += c->status == FT_COUNTED_NO_LID;
	r->silent += c->status == FT_COUNTED_SILENT;
	r->refused += c->status == FT_COUNTED_REFUSED;
	r->discarding += c->counts[FT_COUNTER_DISCARDS] > 0;
	for (unsigned int i = 0; i < FT_COUNTER_COUNT; i++)
		stuck |= ft_counter_is_error(i) && c->stuck & 1 << i;
	r->stuck += stuck;
}

/* Ports without such counters are not judged. */
static void unread_report(struct ft_model *m)
{
	const struct ft_report_counters *r = &m->report->counters;
	struct ft_text why = {0};
	struct ft_finding *f;

	if (r->no_lid + r->silent == 0)
		return;
	f = ft_finding_add(m, FT_CODE_SWEEP_INCOMPLETE, FT_EVIDENCE_UNREACHED);
	f->count = r->no_lid + r->silent;
	ft_say(m, &f->expected, "error counters of %u port%s", r->ports, ft_text_s(r->ports));
	ft_say(m, &f->observed, "of %u", r->read);
	if (r->no_lid)
		ft_text_printf(&why, "%u without a LID", r->no_lid);
	if (r->silent)
		ft_text_printf(&why, "%s%u that did not answer", r->no_lid ? ", " : "", r->silent);
	ft_say(m, &f->text, "the error counters of %u of %u ports are not known: %s", f->count, r->ports,
	       ft_model_text(m, &why));
	/* Probably all but our own port: nothing is routed. */
	ft_say(m, &f->fix, "%s",
	       r->no_lid || r->read <= 1
		       ? "they are read by LID and along routes: see that a subnet manager has brought up the fabric"
		       : "check again; perfquery on one of them tells more");
}

uint32_t *ft_counters_index(const struct ft_model *m)
{
	uint32_t *item_of = malloc((m->chips->port_count + 1UL) * sizeof(*item_of));

	for (uint32_t i = 0; item_of && i < m->chips->port_count; i++)
		item_of[i] = FT_NONE;
	for (uint32_t i = 0; item_of && m->input->counters && i < m->input->counters->count; i++)
		item_of[m->input->counters->items[i].port] = i;
	return item_of;
}

int ft_counters_check(struct ft_model *m)
{
	const struct ft_counters *counters = m->input->counters;
	_cleanup_free_ uint32_t *item_of = counters ? ft_counters_index(m) : NULL;

	if (!counters)
		return 0;
	if (!item_of)
		return -ENOMEM;
	m->report->counters.interval_ms = counters->interval_ms;
	for (uint32_t i = 0; i < counters->count; i++)
		count_port(&m->report->counters, &counters->items[i]);
	for (uint32_t p = 0; p < m->chips->port_count; p++) {
		uint32_t peer = m->chips->ports[p].peer;
		struct cable c;

		/* Each cable once: at the first of its ends that was read. */
		if (item_of[p] == FT_NONE || (peer != FT_NONE && peer < p && item_of[peer] != FT_NONE))
			continue;
		c = cable_make(m, item_of, p);
		cable_check(m, &c);
	}
	unread_report(m);
	return 0;
}
