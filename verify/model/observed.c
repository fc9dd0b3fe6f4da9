/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The snapshot in the verifier's form: switches, the cables between them, the hosts on them.
 *
 * Invariant: switches are in the order of their GUIDs, and cables and hosts in that of switches and ports, so nothing
 * depends on the order of the sweep. O(n log n) for the order, O(ports) for the rest.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "planner/plan/wiring.h"
#include "verify/model/model.h"

/* True if it has one port more than the plan gives some switch, and not the number that it gives another. */
static bool ports_are_one_more(const struct ft_plan *plan, uint32_t ports)
{
	bool more = false;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		if (ports == plan->switches[i].ports)
			return false;
		more |= ports == plan->switches[i].ports + 1;
	}
	return more;
}

/*
 * SHARP aggregation nodes are CAs inside the switch, on one extra port behind the outer ones: the last. A host may be
 * cabled to the last port of an ordinary switch, so further evidence is needed: the switch has one port more than
 * planned, or the CA has its SystemImageGUID, or a name that says so. The name alone is not enough: it may be lost, or
 * false.
 */
static bool is_aggregation(const struct ft_model *m, uint32_t port)
{
	const struct ft_snapshot *s = m->origin ? m->chips : m->snapshot;
	const struct ft_port *switch_port = &s->ports[ft_port_origin(m, port)];
	const struct ft_node *sw = ft_port_node(s, switch_port);
	const struct ft_node *ca = ft_port_node(s, ft_port_peer(s, switch_port));

	/* The plan gives the ports of a director, not of its chips. */
	if (ft_observed_is_director(m, m->observed.switch_of_node[m->snapshot->ports[port].node]))
		return ft_chip_port_aggregates(s, ft_port_origin(m, port));
	if (switch_port->number != sw->port_count || ca->type != FT_NODE_CA)
		return false;
	return ports_are_one_more(m->plan, sw->port_count) || ft_node_aggregates(s, ca, sw);
}

/* The design expects the node without planning it. */
static bool is_expected(struct ft_model *m, const struct ft_node *node)
{
	const struct ft_expect *expect = &m->design->expect;
	int r = 0;

	for (size_t i = 0; r == 0 && i < expect->unplanned_count; i++)
		r = ft_pattern_matches(expect->unplanned[i], ft_node_description(m->snapshot, node),
				       node->description_length);
	m->memory.failed |= r < 0;
	return r > 0;
}

/* The director that a node of the snapshot is, or NULL. */
static const struct ft_director *director_of_node(const struct ft_model *m, uint32_t node)
{
	for (uint32_t i = 0; m->origin && i < m->chassis->director_count; i++)
		if (m->chassis->directors[i].node == node)
			return &m->chassis->directors[i];
	return NULL;
}

const struct ft_director *ft_director_of(const struct ft_model *m, uint32_t observed)
{
	return director_of_node(m, m->observed.switches[observed].node);
}

/* The ports of a director: as many as planned, unless its boards have fewer. */
static uint32_t director_ports(const struct ft_model *m, const struct ft_director *d)
{
	for (uint32_t p = 0; p < m->plan->switch_count; p++)
		if (m->plan->switches[p].tier == d->tier && ft_plan_is_director(m->plan, p))
			return m->plan->switches[p].ports;
	return m->snapshot->nodes[d->node].port_count;
}

static void observed_switches_collect(struct ft_model *m, const uint32_t *order)
{
	const struct ft_snapshot *s = m->snapshot;
	struct ft_observed_fabric *observed = &m->observed;
	uint32_t count = 0;

	observed->switch_of_node = ft_arena_numbers(&m->memory, s->node_count, FT_NONE);
	for (uint32_t k = 0; !m->memory.failed && k < s->node_count; k++)
		if (s->nodes[order[k]].type == FT_NODE_SWITCH)
			observed->switch_of_node[order[k]] = count++;
	observed->switches = ft_arena_zeros(&m->memory, count + 1UL, sizeof(*observed->switches));
	observed->switch_count = count;
	for (uint32_t i = 0; !m->memory.failed && i < s->node_count; i++) {
		const struct ft_node *node = &s->nodes[i];
		const struct ft_director *director;
		struct ft_observed_switch *sw;

		if (observed->switch_of_node[i] == FT_NONE)
			continue;
		sw = &observed->switches[observed->switch_of_node[i]];
		sw->node = i;
		sw->guid = node->guid;
		director = director_of_node(m, i);
		sw->ports = director ? director_ports(m, director) : node->port_count;
		sw->lost_ports = director ? director->lost_ports : 0;
		sw->planned = FT_NONE;
		sw->rival = FT_NONE;
		sw->tolerated = is_expected(m, node);
		sw->name = ft_arena_safe(&m->memory, ft_node_description(s, node), node->description_length);
	}
}

/* True if the far end is a switch port that comes earlier in the order of observed switches and ports. */
static bool port_is_second(const struct ft_observed_fabric *observed, const struct ft_snapshot *s, uint32_t port)
{
	const struct ft_port *here = &s->ports[port], *there = ft_port_peer(s, here);
	uint32_t near = observed->switch_of_node[here->node], far = observed->switch_of_node[there->node];

	return near != far ? near > far : here->number > there->number;
}

/* Classifies the far end of a switch port: cable, host, or unknown. */
static void observed_port_collect(struct ft_model *m, uint32_t i)
{
	const struct ft_snapshot *s = m->snapshot;
	struct ft_observed_fabric *observed = &m->observed;
	const struct ft_port *port = &s->ports[i], *peer = ft_port_peer(s, port);
	uint32_t near = observed->switch_of_node[port->node], far;
	struct ft_observed_switch *sw = &observed->switches[near];

	sw->silent += port->link == FT_LINK_SILENT;
	sw->unread += port->link == FT_LINK_UNREAD;
	if (!peer)
		return;
	far = observed->switch_of_node[peer->node];
	if (far != FT_NONE) {
		/* A loopback plug is a port cabled to itself. */
		if (!port_is_second(observed, s, i))
			observed->cables[observed->cable_count++] =
				(struct ft_observed_cable){near, far, i, port->peer};
		return;
	}
	if (ft_port_node(s, peer)->type == FT_NODE_ROUTER || is_aggregation(m, i) ||
	    is_expected(m, ft_port_node(s, peer)))
		return;
	sw->hosts++;
	if (!sw->tolerated)
		observed->hosts[observed->host_count++] = (struct ft_observed_host){near, port->peer, i};
}

static void observed_ports_collect(struct ft_model *m, const uint32_t *order)
{
	const struct ft_snapshot *s = m->snapshot;
	struct ft_observed_fabric *observed = &m->observed;

	observed->cables = ft_arena_zeros(&m->memory, s->port_count, sizeof(*observed->cables));
	observed->hosts = ft_arena_zeros(&m->memory, s->port_count, sizeof(*observed->hosts));
	for (uint32_t k = 0; !m->memory.failed && k < s->node_count; k++) {
		const struct ft_node *node = &s->nodes[order[k]];

		for (uint32_t n = 0; observed->switch_of_node[order[k]] != FT_NONE && n < node->port_count; n++)
			observed_port_collect(m, node->first_port + n);
	}
}

/*
 * Groups the cables by switch, in the order of its ports, which is the same whatever the GUIDs: a counting sort, as by
 * LLDP several cables may be in one port. O(ports + cables).
 */
static void observed_cables_index(struct ft_model *m)
{
	struct ft_observed_fabric *observed = &m->observed;
	const struct ft_snapshot *s = m->snapshot;
	/* By port: how many ends are in it; then, where the next one goes. */
	uint32_t *slot = ft_arena_zeros(&m->memory, s->port_count, sizeof(*slot));
	uint32_t next = 0;

	observed->ends = ft_arena_zeros(&m->memory, 2UL * observed->cable_count, sizeof(*observed->ends));
	if (m->memory.failed)
		return;
	for (uint32_t i = 0; i < observed->cable_count; i++) {
		const struct ft_observed_cable *c = &observed->cables[i];

		slot[c->a_port]++;
		slot[c->a == c->b ? c->a_port : c->b_port]++;
	}
	for (uint32_t i = 0; i < observed->switch_count; i++) {
		const struct ft_node *node = &s->nodes[observed->switches[i].node];

		observed->switches[i].first_cable = next;
		for (uint32_t k = 0; k < node->port_count; k++) {
			uint32_t count = slot[node->first_port + k];

			slot[node->first_port + k] = next;
			next += count;
		}
		observed->switches[i].cable_count = next - observed->switches[i].first_cable;
	}
	observed->switches[observed->switch_count].first_cable = next;
	for (uint32_t i = 0; i < observed->cable_count; i++) {
		const struct ft_observed_cable *c = &observed->cables[i];
		struct ft_cable_end end = {i, c->a_port, c->b_port, c->a, c->b};

		observed->ends[slot[c->a_port]++] = end;
		if (c->a != c->b)
			end = (struct ft_cable_end){i, c->b_port, c->a_port, c->b, c->a};
		observed->ends[slot[end.port]++] = end;
	}
}

/* Numbers the connected components of the fabric. */
static void observed_parts_number(struct ft_model *m)
{
	struct ft_observed_fabric *observed = &m->observed;
	uint32_t *part = ft_arena_zeros(&m->memory, observed->switch_count, sizeof(*part));

	if (!part)
		return;
	ft_number_begin(part, observed->switch_count);
	for (uint32_t i = 0; i < observed->cable_count; i++)
		ft_number_join(part, observed->cables[i].a, observed->cables[i].b);
	observed->part_count = ft_number_sets(part, observed->switch_count);
	for (uint32_t i = 0; i < observed->switch_count; i++)
		observed->switches[i].part = part[i];
}

static void observed_entry_find(struct ft_model *m)
{
	const struct ft_snapshot *s = m->snapshot;
	struct ft_observed_fabric *observed = &m->observed;
	const struct ft_node *node;
	const struct ft_port *port, *peer;

	observed->entry = FT_NONE;
	if (s->source.entry_node >= s->node_count)
		return;
	observed->entry = observed->switch_of_node[s->source.entry_node];
	if (observed->entry != FT_NONE)
		return;
	node = &s->nodes[s->source.entry_node];
	port = ft_node_port(s, node, s->source.entry_port);
	peer = port ? ft_port_peer(s, port) : NULL;
	for (unsigned int n = 1; !peer && n <= node->port_count; n++)
		peer = ft_port_peer(s, ft_node_port(s, node, n));
	if (peer)
		observed->entry = observed->switch_of_node[peer->node];
}

static char *host_short_name(const struct ft_snapshot *s, const struct ft_node *node)
{
	char *name = ft_host_name_dup(ft_node_description(s, node), node->description_length), *unnamed;

	if (!name || *name)
		return name;
	free(name);
	/* A name that was never read, or that is empty. */
	return asprintf(&unnamed, "0x%016llx", (unsigned long long)node->guid) < 0 ? NULL : unnamed;
}

/* Most are in the order of their ports already. */
static void names_sort(char **names, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (ft_text_natural_order(&names[i - 1], &names[i]) > 0) {
			qsort(names, count, sizeof(*names), ft_text_natural_order);
			return;
		}
}

static int host_by_switch(const void *a, const void *b)
{
	const struct ft_observed_host *x = a, *y = b;

	return FT_ORDER(x->observed, y->observed) ?: FT_ORDER(x->switch_port, y->switch_port);
}

static void observed_host_names(struct ft_model *m)
{
	struct ft_observed_fabric *observed = &m->observed;
	const struct ft_snapshot *s = m->snapshot;
	_cleanup_free_ char **names = calloc(observed->host_count + 1UL, sizeof(*names));
	uint32_t i = 0;

	m->memory.failed |= !names;
	qsort(observed->hosts, observed->host_count, sizeof(*observed->hosts), host_by_switch);
	for (uint32_t n = 0; !m->memory.failed && n < observed->switch_count; n++) {
		struct ft_text text = {0};
		uint32_t count = 0;

		observed->switches[n].first_host = i;
		for (; i < observed->host_count && observed->hosts[i].observed == n; i++) {
			names[count] = host_short_name(s, ft_port_node(s, &s->ports[observed->hosts[i].port]));
			m->memory.failed |= !names[count];
			count += names[count] != NULL;
		}
		observed->switches[n].end_host = i;
		names_sort(names, count);
		ft_text_add_names(&text, names, count);
		observed->switches[n].host_names = ft_arena_text(&m->memory, &text);
		while (count > 0)
			free(names[--count]);
	}
}

char *ft_switch_short_name(const char *name)
{
	size_t length;
	const char *start = ft_text_short_name(name, &length);

	/* Trailing blanks are kept if nothing else is removed. */
	return start == name ? strdup(name) : strndup(start, length);
}

void ft_node_name_add(const struct ft_model *m, uint32_t node, struct ft_text *text)
{
	const struct ft_node *chip = &m->chips->nodes[node];

	if (m->origin)
		ft_text_add_safe(text, ft_node_description(m->chips, chip), chip->description_length);
	else
		ft_text_puts(text, m->observed.switches[m->observed.switch_of_node[node]].label);
}

/*
 * A label identifies a switch: its name if that is unique, else name, GUID and, to find it among sixty switches of one
 * name, the hosts on it.
 */
static void observed_labels(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map first = {0};
	struct ft_observed_fabric *observed = &m->observed;
	struct ft_arena *memory = &m->memory;
	bool *repeated = ft_arena_zeros(memory, observed->switch_count, sizeof(*repeated));

	for (uint32_t i = 0; !memory->failed && i < observed->switch_count; i++) {
		struct ft_observed_switch *sw = &observed->switches[i];

		sw->label = ft_arena_keep(memory, ft_switch_short_name(sw->name));
		memory->failed |= sw->label && ft_map_mark(&first, ft_text_hash(sw->label), i, repeated) < 0;
	}
	for (uint32_t i = 0; !memory->failed && i < observed->switch_count; i++) {
		struct ft_observed_switch *sw = &observed->switches[i];
		const char *hosts = sw->host_names;

		if (repeated[i] || !sw->label[strspn(sw->label, " ")])
			sw->label = ft_arena_print(memory, "%s%s0x%016llx%s%s%s", sw->label, sw->label[0] ? " " : "",
						   (unsigned long long)sw->guid, hosts[0] ? " (hosts " : "", hosts,
						   hosts[0] ? ")" : "");
	}
}

int ft_observed_build(struct ft_model *m)
{
	static void (*const steps[])(struct ft_model *) = {observed_cables_index, observed_parts_number,
							   observed_host_names, observed_labels, observed_entry_find};
	const uint32_t *order = ft_nodes_in_order(&m->memory, m->snapshot);

	m->chip_order = m->origin ? ft_nodes_in_order(&m->memory, m->chips) : order;
	observed_switches_collect(m, order);
	observed_ports_collect(m, order);
	for (size_t i = 0; i < FT_COUNT(steps) && !m->memory.failed; i++)
		steps[i](m);
	return m->memory.failed ? -ENOMEM : 0;
}
