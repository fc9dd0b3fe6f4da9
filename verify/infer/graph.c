/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The fabric without a plan: the neighbours of each switch, and which CAs are hosts. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "probe/facts.h"
#include "verify/infer/infer_parts.h"

uint32_t ft_tally_mode(const struct ft_tally *tally, uint32_t least)
{
	uint32_t best = least;

	for (uint32_t i = least; i < tally->end; i++)
		if (tally->votes[i] > 0 && tally->votes[i] >= tally->votes[best])
			best = i;
	return best;
}

uint64_t ft_tally_distance(const struct ft_tally *tally, uint32_t usual, uint64_t *lacking)
{
	uint64_t below = 0, above = 0;

	for (uint32_t i = 0; i < tally->end; i++)
		if (i < usual)
			below += (uint64_t)tally->votes[i] * (usual - i);
		else
			above += (uint64_t)tally->votes[i] * (i - usual);
	*lacking += below;
	return below + above;
}

static uint32_t ports_of(const struct ft_inference *f, uint32_t observed)
{
	uint32_t ports = f->snapshot->nodes[f->observed->switches[observed].node].port_count;
	const struct ft_director *director = ft_infer_director(f, observed);

	if (director && ft_infer_director_ports(f, director) > 0)
		return ft_infer_director_ports(f, director);
	return ports < FT_COUNT(f->extra_port) && f->extra_port[ports] ? ports - 1 : ports;
}

uint32_t ft_infer_last_port(const struct ft_inference *f, uint32_t observed)
{
	const struct ft_director *director = ft_infer_director(f, observed);

	return director ? director->seen.line_boards_max * director->seen.line_ports : ft_infer_ports(f, observed);
}

/*
 * A switch that can split its ports counts halves. A cable of four lanes takes both, and is listed under the odd
 * number; the even one does not exist then, although the switch has it. Such a switch has no such cable under an even
 * number. The case that bit: the second halves of all uplinks, dark on every leaf, taken for two dead cores.
 */
bool ft_infer_port_is_joined(const struct ft_inference *f, uint32_t observed, uint32_t number)
{
	enum { WHOLE = 4 };
	static const uint32_t halves[] = {80, 128};
	const struct ft_node *node = &f->snapshot->nodes[f->observed->switches[observed].node];
	uint32_t ports = ft_infer_ports(f, observed);
	bool splits = false, joined = false;

	if (number % 2 != 0 || ft_infer_director(f, observed))
		return false;
	for (size_t i = 0; i < FT_COUNT(halves); i++)
		splits |= ports == halves[i];
	for (uint32_t p = 1; splits && p <= ports && p <= node->port_count; p++) {
		bool whole = ft_node_port(f->snapshot, node, p)->rate.lanes == WHOLE;

		splits = !whole || p % 2 != 0;
		joined |= whole && p + 1 == number;
	}
	return splits && joined;
}

uint32_t ft_infer_common_neighbours(const struct ft_multigraph *g, uint32_t a, uint32_t b)
{
	const struct ft_adjacent *p = ft_adjacent_of(g, a), *q = ft_adjacent_of(g, b);
	uint32_t common = 0;

	while (p < ft_adjacent_of(g, a + 1) && q < ft_adjacent_of(g, b + 1)) {
		uint32_t x = p->vertex, y = q->vertex;

		common += x == y;
		p += x <= y;
		q += y <= x;
	}
	return common;
}

/* True for the port numbers of chips; one more is the aggregation node's. */
static bool is_chip_size(uint32_t ports)
{
	static const uint32_t sizes[] = {36, 40, 64, 80, 128, 144};

	for (size_t i = 0; i < FT_COUNT(sizes); i++)
		if (sizes[i] == ports)
			return true;
	return false;
}

/* The peers of the last ports of switches with equally many ports. */
struct last_ports {
	uint32_t switches;
	uint32_t aggregations; /* CAs that model/observed.c recognizes as aggregation nodes */
	uint32_t others;       /* no CAs */
};

/* An aggregation node on the last port: a CA that is no host. */
static int last_ports_count(const struct ft_inference *f, struct last_ports *last)
{
	const struct ft_snapshot *s = f->snapshot;
	bool *host = ft_arena_zeros(f->memory, s->port_count, sizeof(*host));

	if (!host)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->host_count; i++)
		host[f->observed->hosts[i].switch_port] = true;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		const struct ft_node *node = &s->nodes[f->observed->switches[i].node];
		const struct ft_port *port = ft_node_port(s, node, node->port_count);
		const struct ft_port *peer = port ? ft_port_peer(s, port) : NULL;
		struct last_ports *of;

		if (node->port_count >= FT_COUNT(f->extra_port))
			continue;
		of = &last[node->port_count];
		of->switches++;
		if (peer && ft_port_node(s, peer)->type != FT_NODE_CA)
			of->others++;
		else if (peer && !host[port - s->ports])
			of->aggregations++;
	}
	return 0;
}

/*
 * For switches with equally many ports, none with another switch at its last one: if that is one more than a chip has,
 * or most have a CA there that is no host, the last port is no outer one.
 */
static int extra_ports_tell(struct ft_inference *f)
{
	struct last_ports last[FT_COUNT(f->extra_port)] = {0};
	int r = last_ports_count(f, last);

	for (uint32_t ports = 2; r == 0 && ports < FT_COUNT(last); ports++)
		f->extra_port[ports] = last[ports].others == 0 &&
				       (is_chip_size(ports - 1) || last[ports].aggregations * 2 > last[ports].switches);
	return r;
}

/* A director has ports of which no board tells after all others, also for hosts. */
static bool is_aggregation(const struct ft_inference *f, const struct ft_observed_host *host)
{
	const struct ft_port *port = &f->snapshot->ports[host->switch_port];

	if (ft_infer_director(f, host->observed))
		return ft_chip_port_aggregates(f->chips, f->chassis->origin[host->switch_port]);
	return port->number > ft_infer_last_port(f, host->observed);
}

static void hosts_count(struct ft_inference *f)
{
	const struct ft_snapshot *s = f->snapshot;
	uint32_t ca_ports = 0;

	for (uint32_t i = 0; i < f->observed->host_count; i++) {
		const struct ft_observed_host *host = &f->observed->hosts[i];
		if (is_aggregation(f, host))
			continue;
		f->hosts[host->observed]++;
		f->host_total++;
	}
	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *peer = ft_port_peer(s, &s->ports[i]);

		ca_ports += peer && ft_port_node(s, &s->ports[i])->type == FT_NODE_CA &&
			    ft_port_node(s, peer)->type == FT_NODE_SWITCH;
	}
	f->aggregations = ca_ports - f->host_total;
}

static int usual_hosts_find(struct ft_inference *f)
{
	uint32_t *sorted = ft_arena_numbers(f->memory, f->observed->switch_count, 0);
	uint32_t count = 0;

	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (f->hosts[i] > 0)
			sorted[count++] = f->hosts[i];
	qsort(sorted, count, sizeof(*sorted), ft_number_compare);
	f->usual_hosts = count > 0 ? sorted[count / 2] : 0;
	return 0;
}

/* The part with the most hosts, then with the most switches. */
static int main_part_find(struct ft_inference *f)
{
	uint32_t parts = f->observed->part_count;
	uint64_t *size = ft_arena_zeros(f->memory, parts, sizeof(*size));

	if (!size)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		size[f->observed->switches[i].part] += ((uint64_t)f->hosts[i] << 32) + 1;
	for (uint32_t p = 0; p < parts; p++)
		if (size[p] > size[f->main_part])
			f->main_part = p;
	return 0;
}

static void lead_add(struct ft_inference *f, uint32_t observed, uint32_t port)
{
	struct ft_leads *leads = &f->leads[observed];
	uint32_t number = f->snapshot->ports[port].number;

	leads->low = leads->low < number ? leads->low : number;
	leads->high = leads->high > number && leads->high != FT_NONE ? leads->high : number;
}

int ft_infer_compare(const struct ft_inference *f, uint32_t a, uint32_t b)
{
	const struct ft_observed_switch *x = &f->observed->switches[a], *y = &f->observed->switches[b];
	const struct ft_leads *p = &f->leads[a], *q = &f->leads[b];
	int names = ft_text_natural_compare(x->name, y->name);

	return names ?: FT_ORDER(p->low, q->low)
			?: FT_ORDER(p->high, q->high)
			?: FT_ORDER(x->guid, y->guid)
			?: FT_ORDER(a, b);
}

static int cables_collect(struct ft_inference *f)
{
	const struct ft_observed_fabric *observed = f->observed;
	struct ft_edge *edges = ft_arena_zeros(f->memory, observed->cable_count, sizeof(*edges));

	f->leads = ft_arena_zeros(f->memory, observed->switch_count, sizeof(*f->leads));
	if (f->memory->failed)
		return -ENOMEM;
	memset(f->leads, 0xff, observed->switch_count * sizeof(*f->leads));
	for (uint32_t i = 0; i < observed->cable_count; i++) {
		const struct ft_observed_cable *cable = &observed->cables[i];

		if (cable->a != cable->b) {
			lead_add(f, cable->a, cable->b_port);
			lead_add(f, cable->b, cable->a_port);
		}
		edges[i] = (struct ft_edge){cable->a, cable->b, 1};
		f->cable_total += cable->a != cable->b && ft_infer_connected(f, cable->a);
	}
	return ft_multigraph_make(observed->switch_count, edges, observed->cable_count, &f->graph);
}

/* What is asked of a switch so often that it is found out once. */
static int switches_describe(struct ft_inference *f)
{
	f->ports = ft_arena_numbers(f->memory, f->observed->switch_count, 0);
	f->name_key = ft_arena_zeros(f->memory, f->observed->switch_count, sizeof(*f->name_key));
	if (f->memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		f->ports[i] = ports_of(f, i);
		f->name_key[i] = ft_infer_name_key(f->observed->switches[i].name);
	}
	return 0;
}

int ft_infer_graph(struct ft_inference *f)
{
	static const struct ft_plan no_plan;
	static const struct ft_design no_design;
	int r;

	f->model = (struct ft_model){
		.design = &no_design,
		.plan = &no_plan,
		.snapshot = f->snapshot,
		.chips = f->chips,
		.chassis = f->chassis,
		.origin = f->chassis ? f->chassis->origin : NULL,
	};
	f->observed = &f->model.observed;
	f->memory = &f->model.memory;
	r = ft_observed_build(&f->model);
	if (r < 0)
		return r;
	f->hosts = ft_arena_numbers(f->memory, f->observed->switch_count, 0);
	if (!f->hosts)
		return -ENOMEM;
	r = extra_ports_tell(f) ?: switches_describe(f);
	if (r < 0)
		return r;
	hosts_count(f);
	r = usual_hosts_find(f) ?: main_part_find(f);
	return r < 0 ? r : cables_collect(f);
}
