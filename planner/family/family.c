/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/family.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/family/graph.h"
#include "planner/family/rules.h"
#include "planner/plan/tree.h"

const struct ft_family *ft_family_find(const char *name)
{
	for (size_t i = 0; i < ft_family_count; i++)
		if (strcmp(ft_families[i]->name, name) == 0)
			return ft_families[i];
	return NULL;
}

bool ft_family_reads(const struct ft_family *family, const char *key)
{
	for (const char *const *own = family->keys; *own; own++)
		if (strcmp(*own, key) == 0)
			return true;
	return false;
}

int ft_digits_below(uint32_t count)
{
	int digits = 1;

	for (uint32_t last = count ? count - 1 : 0; last >= 10; last /= 10)
		digits++;
	return digits;
}

/* ---- proposing ---- */

int ft_proposal_refuse(struct ft_proposal *proposal, const char *object, const char *key, const char *format, ...)
{
	char text[FT_ERROR_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (proposal->blame)
		*proposal->blame = (struct ft_plan_blame){object, key};
	return ft_error_set(proposal->err, -EINVAL, 0, 0, "%s", text);
}

int ft_proposal_unfit(struct ft_proposal *proposal, const char *object, const char *key, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(proposal->reason.text, sizeof(proposal->reason.text), format, args);
	va_end(args);
	proposal->reason.at = (struct ft_plan_blame){object, key};
	return 0;
}

struct ft_plan_blame ft_proposal_cables_key(const struct ft_proposal *proposal)
{
	const struct ft_family_keys *said = &proposal->design->keys;
	const struct {
		const char *key;
		bool said;
	} keys[] = {
		{"bundle", said->bundle_count > 0 || ft_pinned(said->local_bundle) || ft_pinned(said->global_bundle)},
		{"q", ft_pinned(said->q)},
		{"degree", ft_pinned(said->degree)},
		{"m", ft_pinned(said->m)},
		{"dims", said->dim_count > 0},
		{"dimensions", ft_pinned(said->dimensions)},
		{"group", ft_pinned(said->routers) || ft_pinned(said->leafs) || ft_pinned(said->spines) ||
				  ft_pinned(said->global)},
		{"groups", said->sizes},
	};

	for (size_t i = 0; i < FT_COUNT(keys); i++)
		if (keys[i].said)
			return (struct ft_plan_blame){NULL, keys[i].key};
	return (struct ft_plan_blame){"edge", "ports"};
}

void ft_proposal_split(const struct ft_proposal *proposal, uint32_t *ret_hosts, uint32_t *ret_net)
{
	const struct ft_design_role *edge = &proposal->design->roles[FT_TIER_EDGE];
	uint32_t hosts = ft_rules_ports_to_nodes(proposal->ports, proposal->design->blocking);

	if (ft_pinned(edge->ports_to_nodes))
		hosts = ft_number_least(edge->ports_to_nodes, proposal->ports);
	else if (ft_pinned(edge->ports_to_core))
		hosts = proposal->ports - ft_number_least(edge->ports_to_core, proposal->ports);
	*ret_hosts = hosts;
	*ret_net = ft_pinned(edge->ports_to_core) ? ft_number_least(edge->ports_to_core, proposal->ports - hosts)
						  : proposal->ports - hosts;
}

int ft_proposal_too_many(struct ft_proposal *proposal)
{
	return ft_proposal_unfit(proposal, NULL, proposal->design->keys.dim_count > 0 ? "dims" : "nodes",
				 "there would be more than %d switches", FT_SWITCHES_MAX);
}

int ft_proposal_settle(struct ft_proposal *proposal, struct ft_layout *layout, uint32_t usual)
{
	const struct ft_design *design = proposal->design;
	const struct ft_design_role *edge = &design->roles[FT_TIER_EDGE];
	struct ft_plan_blame cables = ft_proposal_cables_key(proposal);
	uint32_t left;

	if (layout->net_ports >= proposal->ports)
		return ft_proposal_unfit(proposal, cables.object, cables.key,
					 "each switch needs %u ports to other switches and one for a host, and has %u",
					 layout->net_ports, proposal->ports);
	left = proposal->ports - layout->net_ports;
	if (ft_pinned(edge->ports_to_nodes))
		usual = edge->ports_to_nodes;
	else if (usual == FT_NONE)
		usual = left;
	if (usual > left && ft_pinned(edge->ports_to_nodes))
		cables = (struct ft_plan_blame){"edge", "ports_to_nodes"};
	if (usual > left)
		return ft_proposal_unfit(proposal, cables.object, cables.key,
					 "each switch needs %u ports to other switches and %u to hosts, and has %u",
					 layout->net_ports, usual, proposal->ports);
	if (ft_pinned(edge->count) && edge->count != layout->switches)
		return ft_proposal_unfit(proposal, "edge", "count", "edge.count is %u, but there are %u switches",
					 edge->count, layout->switches);
	layout->hosts_each = usual;
	if (layout->room == 0)
		layout->room = (uint64_t)layout->hosting * usual;
	if (layout->room >= design->nodes && layout->room > 0)
		return 1;
	return ft_proposal_unfit(proposal, NULL, "nodes",
				 "%u switches with %u hosts each are for %" PRIu64 " nodes, and nodes is %u",
				 layout->hosting, usual, layout->room, design->nodes);
}

int ft_proposal_star(struct ft_proposal *proposal)
{
	const struct ft_design *design = proposal->design;
	const struct ft_design_role *edge = &design->roles[FT_TIER_EDGE];
	struct ft_layout layout = {
		.family = design->family,
		.called = "star",
		.keys = {.dims = {1}, .dim_count = 1},
		.switches = 1,
		.hosting = 1,
		.hosts_each = proposal->ports,
		.room = proposal->ports,
	};
	int r;

	if (design->nodes == 0 || design->nodes > proposal->ports || ft_pinned(edge->count) ||
	    ft_pinned(edge->ports_to_nodes) || ft_pinned(edge->ports_to_core))
		return 0;
	r = proposal->offer(proposal, &layout);
	return r < 0 ? r : 1;
}

/* Takes the one that a plan names, if it does. */
static int offer_checked(struct ft_proposal *inner, const struct ft_layout *layout)
{
	struct ft_proposal *outer = inner->arg;
	_cleanup_(ft_text_release) struct ft_text label = {0};

	if (!outer->design->label)
		return outer->offer(outer, layout);
	layout->family->label(&label, layout);
	if (ft_text_failed(&label))
		return -ENOMEM;
	return strcmp(ft_text_string(&label), outer->design->label) == 0 ? outer->offer(outer, layout) : 0;
}

/* False if the design pins more ports than the switch has, or all of them to other switches. */
static bool pinned_ports_fit(struct ft_proposal *proposal)
{
	const struct ft_design_role *edge = &proposal->design->roles[FT_TIER_EDGE];

	if (ft_pinned(edge->ports_to_core) && edge->ports_to_core >= proposal->ports)
		ft_proposal_unfit(proposal, "edge", "ports_to_core",
				  "edge.ports_to_core is %u, but each switch has %u ports, and hosts need some",
				  edge->ports_to_core, proposal->ports);
	else if (ft_pinned(edge->ports_to_nodes) && edge->ports_to_nodes > proposal->ports)
		ft_proposal_unfit(proposal, "edge", "ports_to_nodes",
				  "edge.ports_to_nodes is %u, but each switch has %u ports", edge->ports_to_nodes,
				  proposal->ports);
	else
		return true;
	return false;
}

int ft_family_propose(struct ft_proposal *proposal)
{
	struct ft_proposal inner = *proposal;
	int r;

	inner.offer = offer_checked;
	inner.arg = proposal;
	r = pinned_ports_fit(&inner) ? proposal->design->family->propose(&inner) : 0;
	proposal->reason = inner.reason;
	return r;
}

/* ---- building ---- */

struct ft_network {
	const struct ft_layout *layout;
	struct ft_design_graph graph;
	size_t switch_size, link_size;
	uint32_t *room; /* by switch: hosts that it may have */
};

static void network_release(struct ft_network *network)
{
	struct ft_design_graph *graph = &network->graph;

	for (uint32_t i = 0; i < graph->switch_count; i++)
		free(graph->switches[i].name);
	free(graph->switches);
	free(graph->kinds); /* their names are the families' */
	free(graph->links);
	free(network->room);
}

/* Families have a few kinds, of static names. */
static int kind_of(struct ft_design_graph *graph, const char *kind, uint32_t *ret_index)
{
	char **more;

	for (uint32_t i = 0; i < graph->kind_count; i++)
		if (strcmp(graph->kinds[i], kind) == 0) {
			*ret_index = i;
			return 0;
		}
	more = reallocarray(graph->kinds, graph->kind_count + 1UL, sizeof(*more));
	if (!more)
		return -ENOMEM;
	graph->kinds = more;
	*(const char **)&more[graph->kind_count] = kind;
	*ret_index = graph->kind_count++;
	return 0;
}

static int switches_grow(struct ft_network *network)
{
	struct ft_design_graph *graph = &network->graph;
	size_t size = network->switch_size ? 2 * network->switch_size : 64;
	struct ft_graph_switch *switches;
	uint32_t *room;

	if (graph->switch_count < network->switch_size)
		return 0;
	switches = reallocarray(graph->switches, size, sizeof(*switches));
	if (!switches)
		return -ENOMEM;
	graph->switches = switches;
	room = reallocarray(network->room, size, sizeof(*room));
	if (!room)
		return -ENOMEM;
	network->room = room;
	network->switch_size = size;
	return 0;
}

int ft_network_switch_hosts(struct ft_network *network, char *name, const char *kind, uint32_t group, uint32_t hosts)
{
	_cleanup_free_ char *owned = name;
	struct ft_design_graph *graph = &network->graph;
	uint32_t index;

	if (!owned || kind_of(graph, kind, &index) < 0 || switches_grow(network) < 0)
		return -ENOMEM;
	network->room[graph->switch_count] = hosts;
	graph->switches[graph->switch_count++] = (struct ft_graph_switch){
		.name = FT_STEAL(owned),
		.kind = index,
		.cables_from = hosts + 1,
		.group = group,
	};
	return 0;
}

int ft_network_switch(struct ft_network *network, char *name, const char *kind, uint32_t group, bool hosting)
{
	return ft_network_switch_hosts(network, name, kind, group, hosting ? network->layout->hosts_each : 0);
}

int ft_network_link_at(struct ft_network *network, uint32_t a, uint32_t a_port, uint32_t b, uint32_t b_port,
		       uint32_t count)
{
	struct ft_design_graph *graph = &network->graph;

	if (count == 0)
		return 0;
	if (graph->link_count == network->link_size) {
		size_t size = network->link_size ? 2 * network->link_size : 256;
		struct ft_graph_link *links = reallocarray(graph->links, size, sizeof(*links));

		if (!links)
			return -ENOMEM;
		graph->links = links;
		network->link_size = size;
	}
	graph->links[graph->link_count++] = a < b ? (struct ft_graph_link){a, b, count, a_port, b_port}
						  : (struct ft_graph_link){b, a, count, b_port, a_port};
	return 0;
}

int ft_network_link(struct ft_network *network, uint32_t a, uint32_t b, uint32_t count)
{
	return ft_network_link_at(network, a, 0, b, 0, count);
}

/* By ends; those of one pair by their ports. */
static int link_order(const void *one, const void *other)
{
	const struct ft_graph_link *x = one, *y = other;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	return (x->a_port > y->a_port) - (x->a_port < y->a_port);
}

/* One link a pair. */
static void links_merge(struct ft_design_graph *graph)
{
	uint32_t kept = 0;

	if (graph->link_count > 0)
		qsort(graph->links, graph->link_count, sizeof(*graph->links), link_order);
	for (uint32_t i = 0; i < graph->link_count; i++) {
		const struct ft_graph_link *link = &graph->links[i];

		if (kept > 0 && graph->links[kept - 1].a == link->a && graph->links[kept - 1].b == link->b) {
			struct ft_graph_link *same = &graph->links[kept - 1];

			same->count += link->count;
			same->b_port = ft_number_least(same->b_port, link->b_port);
		} else {
			graph->links[kept++] = *link;
		}
	}
	graph->link_count = kept;
}

/* The hosts that fit if no switch has more than @level. */
static uint64_t hosts_up_to(const struct ft_network *network, uint32_t level)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < network->graph.switch_count; i++)
		sum += ft_number_least(network->room[i], level);
	return sum;
}

/* Each switch filled before the next. */
static void hosts_deal_dense(struct ft_network *network, uint32_t nodes)
{
	for (uint32_t i = 0; i < network->graph.switch_count; i++) {
		uint32_t share = ft_number_least(network->room[i], nodes);

		network->graph.switches[i].hosts = share;
		nodes -= share;
	}
}

/* As the design says of each switch. */
static int hosts_deal_listed(struct ft_network *network, const struct ft_design *design, struct ft_error *err,
			     struct ft_plan_blame *blame)
{
	uint32_t at = 0;

	for (size_t i = 0; i < design->host_kind_count; i++)
		for (uint32_t k = 0; k < design->host_kinds[i].count; k++, at++) {
			uint32_t hosts = design->host_kinds[i].hosts;

			if (at < network->graph.switch_count && hosts <= network->room[at]) {
				network->graph.switches[at].hosts = hosts;
				continue;
			}
			if (blame)
				*blame = (struct ft_plan_blame){"edge", "hosts"};
			if (at >= network->graph.switch_count)
				return ft_error_set(err, -EINVAL, 0, 0, "edge.hosts is of more than %u switches", at);
			return ft_error_set(err, -EINVAL, 0, 0,
					    "edge.hosts gives \"%s\" %u hosts, but it has %u ports for them",
					    network->graph.switches[at].name, hosts, network->room[at]);
		}
	return 0;
}

/* All as evenly as can be, the first get more. */
static void hosts_deal(struct ft_network *network, const struct ft_design *design)
{
	uint32_t level = 0, fullest = 0, rest;

	if (design->fill == FT_FILL_DENSE) {
		hosts_deal_dense(network, design->nodes);
		return;
	}
	for (uint32_t i = 0; i < network->graph.switch_count; i++)
		fullest = ft_number_most(fullest, network->room[i]);
	while (level < fullest && hosts_up_to(network, level + 1) <= design->nodes)
		level++;
	rest = design->nodes - (uint32_t)hosts_up_to(network, level);
	for (uint32_t i = 0; i < network->graph.switch_count; i++) {
		bool more = rest > 0 && network->room[i] > level;

		network->graph.switches[i].hosts = ft_number_least(network->room[i], level) + more;
		rest -= more;
	}
}

static int blame_bind(struct ft_error *err, struct ft_plan_blame *blame, const char *text)
{
	if (blame)
		*blame = (struct ft_plan_blame){"bind", "edge"};
	return ft_error_set(err, -EINVAL, 0, 0, "%s", text);
}

/* The names and GUIDs that the design binds the switches to. */
static int names_bind(struct ft_network *network, const struct ft_bind *bind, struct ft_error *err,
		      struct ft_plan_blame *blame)
{
	struct ft_design_graph *graph = &network->graph;
	char text[FT_ERROR_TEXT_SIZE];

	if (bind->count == 0)
		return 0;
	if (bind->count != graph->switch_count) {
		snprintf(text, sizeof(text), "bind.edge has %zu name%s, but there are %u switches", bind->count,
			 ft_text_s(bind->count), graph->switch_count);
		return blame_bind(err, blame, text);
	}
	for (uint32_t i = 0; i < graph->switch_count; i++) {
		char *name;

		graph->switches[i].guid = bind->guids[i];
		if (bind->guids[i])
			continue;
		name = strdup(bind->names[i]);
		if (!name)
			return -ENOMEM;
		free(graph->switches[i].name);
		graph->switches[i].name = name;
	}
	return 0;
}

/* What a family may make is bounded as everything is. */
static int size_check(const struct ft_layout *layout, struct ft_error *err, struct ft_plan_blame *blame)
{
	if (layout->switches <= FT_SWITCHES_MAX && layout->cables <= FT_FAMILY_CABLES_MAX)
		return 0;
	if (blame)
		*blame = (struct ft_plan_blame){NULL, NULL};
	return ft_error_set(err, -EINVAL, 0, 0,
			    "%u switches and %" PRIu64 " cables between them are more than %d and %d", layout->switches,
			    layout->cables, FT_SWITCHES_MAX, FT_FAMILY_CABLES_MAX);
}

/* What the plan says of its family. */
static int family_fill(const struct ft_layout *layout, struct ft_plan *plan)
{
	_cleanup_(ft_text_release) struct ft_text label = {0};

	layout->family->label(&label, layout);
	if (ft_text_failed(&label))
		return -ENOMEM;
	plan->family = layout->family->name;
	plan->called = ft_layout_called(layout);
	plan->label = strdup(ft_text_string(&label));
	plan->dim_count = layout->keys.dim_count;
	memcpy(plan->dims, layout->keys.dims, sizeof(plan->dims));
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (ft_pinned(plan->switches[i].group) && plan->switches[i].group >= plan->group_count)
			plan->group_count = plan->switches[i].group + 1;
	if (layout->family->bisection && layout->switches > 1)
		plan->bisection = layout->family->bisection(layout);
	plan->tree->edge_count = layout->switches;
	plan->tree->ports_to_nodes = layout->hosts_each;
	plan->tree->ports_to_core = layout->net_ports;
	plan->spare_ports = (uint32_t)layout->room - plan->nodes;
	plan->tree->expandable_to = (uint32_t)layout->room;
	return plan->label ? 0 : -ENOMEM;
}

int ft_family_groups(const struct ft_family *family, const struct ft_family_keys *keys,
		     struct ft_design_graph *ret_graph)
{
	struct ft_layout layout = {.family = family, .keys = *keys};
	_cleanup_(network_release) struct ft_network network = {.layout = &layout};
	int r;

	layout.keys.global = 0;
	layout.keys.links = NULL;
	if (!ft_pinned(layout.keys.local_bundle))
		layout.keys.local_bundle = 1;
	r = family->build(&layout, &network);
	if (r < 0)
		return r;
	*ret_graph = network.graph;
	free(ret_graph->kinds);
	ret_graph->kinds = NULL;
	ret_graph->kind_count = 0;
	network.graph = (struct ft_design_graph){0};
	return 0;
}

int ft_family_plan(const struct ft_design *design, const struct ft_layout *layout, uint32_t ports,
		   struct ft_plan **ret_plan, struct ft_error *err, struct ft_plan_blame *blame)
{
	_cleanup_(network_release) struct ft_network network = {.layout = layout};
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	int r = size_check(layout, err, blame);

	if (r == 0)
		r = layout->family->build(layout, &network);
	if (r == 0)
		r = names_bind(&network, &design->binds[FT_TIER_EDGE], err, blame);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < network.graph.switch_count; i++)
		network.graph.switches[i].ports = ports;
	/* Borrowed, as the plan copies them. */
	for (uint32_t i = 0; i < network.graph.switch_count; i++)
		network.graph.switches[i].interfaces = design->roles[FT_TIER_EDGE].interfaces;
	links_merge(&network.graph);
	network.graph.symmetric = layout->family->symmetric && !layout->keys.odd_port;
	if (ft_design_has_host_kinds(design))
		r = hosts_deal_listed(&network, design, err, blame);
	else
		hosts_deal(&network, design);
	if (r < 0)
		return r;
	r = ft_graph_plan(&network.graph, &plan);
	if (r == 0)
		r = family_fill(layout, plan);
	if (r == 0)
		*ret_plan = FT_STEAL(plan);
	return r;
}
