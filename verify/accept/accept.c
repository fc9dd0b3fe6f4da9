/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/accept/accept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/list.h"
#include "base/map.h"
#include "planner/plan/wiring.h"
#include "probe/facts.h"
#include "verify/repair/what_if.h"

/* Why a finding of that code cannot be accepted; NULL: it can. */
static const char *refusal_of(enum ft_code code)
{
	if (ft_codes[code].accept != FT_ACCEPT_REFUSED)
		return NULL;
	return ft_codes[code].refusal ? ft_codes[code].refusal
				      : "it is a fault at any plan; expect.waive of the design silences it for a time";
}

struct accepting {
	const struct ft_model *m;
	const struct ft_plan *plan; /* the whole one, whatever is due */
	const struct ft_report *report;
	struct ft_text *text;
	struct ft_error *err;
	struct ft_map rows; /* of the report's switches, by GUID */
	size_t changes;
};

static int refuse(const struct accepting *x, const char *why)
{
	return ft_error_set(x->err, -EINVAL, 0, 0, "%s", why);
}

/* The planned name of a switch that was seen; NULL: it is none, or not in the plan. */
static const char *planned_name(const struct accepting *x, uint64_t guid)
{
	uint32_t row = ft_map_get(&x->rows, guid);

	return row == FT_NONE ? NULL : x->report->switches[row].planned_as;
}

static void change_begin(struct accepting *x)
{
	ft_text_puts(x->text, x->changes++ ? ", {" : "{");
}

/* ---- cables ---- */

/* So many cables more or fewer than planned between two planned switches; with ports, one cable. */
struct delta {
	const char *a, *b;
	uint32_t a_port, b_port;
	int count;
};

struct deltas {
	struct delta *list;
	size_t count;
};

static int delta_add(struct deltas *d, const struct delta *more)
{
	struct delta *fresh;

	for (size_t i = 0; i < d->count; i++) {
		struct delta *old = &d->list[i];

		if (strcmp(old->a, more->a) == 0 && strcmp(old->b, more->b) == 0 && old->a_port == more->a_port &&
		    old->b_port == more->b_port) {
			old->count += more->count;
			return 0;
		}
	}
	fresh = FT_LIST_MORE(d->list, d->count);
	if (!fresh)
		return -ENOMEM;
	*fresh = *more;
	return 0;
}

/* Whether the same cable is in the same ports of @other, whose nodes @others has by GUID. */
static bool is_in(const struct ft_snapshot *s, const struct ft_port *port, const struct ft_snapshot *other,
		  const struct ft_map *others)
{
	const struct ft_port *far = ft_port_peer(s, port), *there = ft_port_there(s, port, other, others);
	const struct ft_port *peer = there ? ft_port_peer(other, there) : NULL;

	return peer && peer->number == far->number && ft_port_node(other, peer)->guid == ft_port_node(s, far)->guid;
}

/* Cables of @s that @other does not have, each as @sign. */
static int cables_compare(struct accepting *x, const struct ft_snapshot *s, const struct ft_snapshot *other,
			  const struct ft_map *others, int sign, struct deltas *deltas)
{
	bool ports = x->plan->cable_count > 0;

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *port = &s->ports[i], *far = ft_port_peer(s, port);
		struct delta delta = {.count = sign};

		if (!far || port->peer < i || is_in(s, port, other, others))
			continue;
		delta.a = planned_name(x, ft_port_node(s, port)->guid);
		delta.b = planned_name(x, ft_port_node(s, far)->guid);
		if (!delta.a || !delta.b)
			return refuse(x, "not all of its cables join switches of the plan");
		delta.a_port = ports ? port->number : 0;
		delta.b_port = ports ? far->number : 0;
		if (strcmp(delta.a, delta.b) > 0)
			delta = (struct delta){delta.b, delta.a, delta.b_port, delta.a_port, sign};
		if (delta_add(deltas, &delta) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void delta_write(struct accepting *x, const struct delta *delta)
{
	if (delta->count == 0)
		return;
	change_begin(x);
	ft_text_printf(x->text, "\"%s\": %d", delta->count > 0 ? "add" : "remove", abs(delta->count));
	ft_text_add_member(x->text, "a", delta->a);
	if (delta->a_port)
		ft_text_printf(x->text, ", \"a_port\": %u", delta->a_port);
	ft_text_add_member(x->text, "b", delta->b);
	if (delta->b_port)
		ft_text_printf(x->text, ", \"b_port\": %u", delta->b_port);
	ft_text_puts(x->text, "}");
}

/* The repair is carried out in a what-if fabric: the cables in which that differs are the changes of the plan. */
static int cables_accept(struct accepting *x, const struct ft_finding *f)
{
	_cleanup_(ft_what_if_freep) struct ft_what_if *what_if = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *repaired = NULL;
	_cleanup_(ft_map_release) struct ft_map now = {0}, then = {0};
	struct deltas deltas = {0};
	int r = ft_what_if_new(x->m, &what_if);

	for (size_t i = 0; r == 0 && i < f->action_count; i++)
		r = ft_what_if_do(what_if, &f->actions[i], f);
	if (r == -EBUSY || r == -ENODEV || r == -ENOTSUP || f->action_count == 0)
		return refuse(x, "its repair is not known well enough");
	if (r == 0)
		r = ft_what_if_look(what_if, &repaired) ?: ft_snapshot_map_nodes(x->m->chips, &now)
			?: ft_snapshot_map_nodes(repaired, &then)
			?: cables_compare(x, repaired, x->m->chips, &now, -1, &deltas)
			?: cables_compare(x, x->m->chips, repaired, &then, 1, &deltas);
	for (size_t i = 0; r == 0 && i < deltas.count; i++)
		delta_write(x, &deltas.list[i]);
	free(deltas.list);
	if (r == 0 && x->changes == 0)
		return refuse(
			x,
			"the plan gives no ports, and between the same switches there are as many cables as planned");
	return r;
}

/* ---- switches, hosts, rates ---- */

static int gone_accept(struct accepting *x, const struct ft_finding *f)
{
	if (f->gone_count == 0)
		return refuse(x, "the switches were seen: their cables are what is missing");
	if (f->vague)
		return refuse(x, "which switch it is, is not known: bind the switches of the design by name");
	for (size_t i = 0; i < f->gone_count; i++) {
		change_begin(x);
		ft_text_puts(x->text, "\"gone\": true");
		ft_text_add_member(x->text, "a", x->plan->switches[f->gone[i]].name);
		ft_text_puts(x->text, "}");
	}
	return 0;
}

static int hosts_accept(struct accepting *x, const struct ft_finding *f)
{
	if (x->plan->host_count > 0)
		return refuse(x, "the design lists its hosts: change \"hosts\" there, or expect.hosts_down");
	for (size_t i = 0; i < f->where_count; i++) {
		uint32_t row = ft_map_get(&x->rows, f->where[i].guid);

		if (row == FT_NONE || !x->report->switches[row].planned_as)
			return refuse(x, "the hosts are not on switches of the plan");
		change_begin(x);
		ft_text_printf(x->text, "\"hosts\": %u", x->report->switches[row].hosts);
		ft_text_add_member(x->text, "a", x->report->switches[row].planned_as);
		ft_text_puts(x->text, "}");
	}
	return x->changes > 0 ? 0 : refuse(x, "it is not known on which switches");
}

/* The slower end is what the cable runs at. */
static int rate_accept(struct accepting *x, const struct ft_finding *f)
{
	const struct ft_snapshot *s = x->m->chips;

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *port = &s->ports[i];
		const char *name = planned_name(x, ft_port_node(s, port)->guid);
		char word[FT_RATE_NAME_SIZE];

		for (size_t n = 0; name && n < f->where_count; n++) {
			if (f->where[n].guid != ft_port_node(s, port)->guid || f->where[n].port != port->number)
				continue;
			change_begin(x);
			ft_text_add_member(x->text, "rate", ft_rate_name(ft_rate_seen(s, port), word));
			ft_text_add_member(x->text, "a", name);
			ft_text_printf(x->text, ", \"a_port\": %u}", port->number);
			return 0;
		}
	}
	return refuse(x, "neither of its ends is on a switch of the plan");
}

static int (*const ways[])(struct accepting *x, const struct ft_finding *f) = {
	[FT_ACCEPT_CABLES] = cables_accept,
	[FT_ACCEPT_GONE] = gone_accept,
	[FT_ACCEPT_HOSTS] = hosts_accept,
	[FT_ACCEPT_RATE] = rate_accept,
};

static int finding_accept(struct accepting *x, const struct ft_finding *f)
{
	const char *why = refusal_of(f->code);
	int r = 0;

	if (why)
		return refuse(x, why);
	if (ft_plan_has_directors(x->plan))
		return refuse(x, "the plan has directors, of which only chips are seen");
	for (size_t i = 0; r >= 0 && i < x->report->switch_count; i++)
		if (x->report->switches[i].guid)
			r = ft_map_add(&x->rows, x->report->switches[i].guid, (uint32_t)i, NULL);
	return r < 0 ? r : ways[ft_codes[f->code].accept](x, f);
}

int ft_accept_write(const struct ft_model *m, size_t finding, const struct ft_accept_note *note, struct ft_text *text,
		    struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text changes = {0};
	struct accepting x = {.m = m, .plan = m->input->plan, .report = m->report, .text = &changes, .err = err};
	const struct ft_finding *f = &m->report->findings[finding];
	int r = finding_accept(&x, f);

	ft_map_release(&x.rows);
	if (r < 0)
		return r;
	ft_text_puts(text, text->length ? ",\n    {" : "\n    {");
	ft_text_add_member(text, "id", f->id);
	ft_text_add_member(text, "by", note->by);
	ft_text_add_member(text, "at", note->at);
	if (note->why)
		ft_text_add_member(text, "why", note->why);
	ft_text_puts(text, ",\n     ");
	ft_text_add_member(text, "finding", f->text);
	ft_text_printf(text, ",\n     \"changes\": [%s]}", ft_text_string(&changes));
	return ft_text_failed(text) || ft_text_failed(&changes) ? -ENOMEM : 0;
}
