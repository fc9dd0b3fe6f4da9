/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/rework.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "planner/wiring.h"
#include "verify/model.h"

#define NONE UINT32_MAX

/* The two kinds of cables, which run at rates of their own. */
enum kind { KIND_UPLINK, KIND_HOST, KIND_COUNT };

struct ft_rework {
	const struct ft_design *design;
	const struct ft_plan *plan;
	const struct ft_baseline *baseline;
	const struct ft_report *report;
	struct ft_snapshot s; /* what is worked on; it only grows */
	uint32_t nodes_size, ports_size, strings_size;
	struct ft_map by_guid; /* node */
	struct ft_wiring wiring;
	uint32_t *node_of;    /* by switch of the plan: its node, or NONE */
	bool *awaits_power;   /* by switch of the plan: an action of its own will bring it back */
	bool *spoken;	      /* by port: an action to come names it */
	bool *apart;	      /* by node: was seen though nothing led to it from where the sweep began */
	uint32_t first_count; /* nodes that were seen */
	uint32_t start;	      /* where the sweep began, or what comes nearest to that; NONE: an empty fabric */
	struct ft_rate rates[KIND_COUNT];
	uint32_t made_up; /* GUIDs */
};

void ft_rework_free(struct ft_rework *w)
{
	if (!w)
		return;
	free(w->s.nodes);
	free(w->s.ports);
	free(w->s.strings);
	ft_map_release(&w->by_guid);
	ft_wiring_release(&w->wiring);
	free(w->node_of);
	free(w->awaits_power);
	free(w->spoken);
	free(w->apart);
	free(w);
}

/* ---- making it ---- */

static bool node_is_switch(const struct ft_rework *w, uint32_t node)
{
	return w->s.nodes[node].type == FT_NODE_SWITCH;
}

/* The caller releases @to, whatever is returned. */
static int snapshot_copy(struct ft_snapshot *to, const struct ft_snapshot *from)
{
	*to = *from;
	to->nodes = ft_memory_copy(from->nodes, from->node_count * sizeof(*from->nodes));
	to->ports = ft_memory_copy(from->ports, from->port_count * sizeof(*from->ports));
	to->strings = ft_memory_copy(from->strings, from->strings_length);
	return to->nodes && to->ports && to->strings ? 0 : -ENOMEM;
}

static int fabric_copy(struct ft_rework *w, const struct ft_snapshot *from)
{
	int r = snapshot_copy(&w->s, from);

	w->nodes_size = from->node_count;
	w->ports_size = from->port_count;
	w->strings_size = from->strings_length;
	w->first_count = from->node_count;
	w->spoken = calloc(from->port_count + 1UL, sizeof(*w->spoken));
	w->apart = calloc(from->node_count + 1UL, sizeof(*w->apart));
	return r == 0 && w->spoken && w->apart ? 0 : -ENOMEM;
}

/* Marks what cables lead to from the nodes in @queue, of which there are @tail. Returns how many there are then. */
static uint32_t reached_mark(const struct ft_snapshot *s, bool *reached, uint32_t *queue, uint32_t tail)
{
	for (uint32_t head = 0; head < tail; head++) {
		const struct ft_node *node = &s->nodes[queue[head]];

		for (uint32_t n = 0; n < node->port_count; n++) {
			uint32_t peer = s->ports[node->first_port + n].peer;
			uint32_t far = peer == FT_NO_PORT ? queue[head] : s->ports[peer].node;

			if (reached[far])
				continue;
			reached[far] = true;
			queue[tail++] = far;
		}
	}
	return tail;
}

/* A recorded fabric may not say where its sweep began: then its largest part is what was swept. */
static uint32_t start_find(const struct ft_rework *w, bool *reached, uint32_t *queue)
{
	uint32_t most = 0, start = NONE;

	if (w->s.source.entry_node < w->s.node_count)
		return w->s.source.entry_node;
	memset(reached, 0, w->s.node_count * sizeof(*reached));
	for (uint32_t i = 0; i < w->s.node_count; i++) {
		uint32_t count;

		if (reached[i])
			continue;
		reached[i] = true;
		queue[0] = i;
		count = reached_mark(&w->s, reached, queue, 1);
		if (count > most) {
			most = count;
			start = i;
		}
	}
	return start;
}

static int start_settle(struct ft_rework *w)
{
	_cleanup_free_ bool *reached = calloc(w->s.node_count + 1UL, sizeof(*reached));
	_cleanup_free_ uint32_t *queue = calloc(w->s.node_count + 1UL, sizeof(*queue));

	if (!reached || !queue)
		return -ENOMEM;
	w->start = start_find(w, reached, queue);
	memset(reached, 0, w->s.node_count * sizeof(*reached));
	if (w->start != NONE) {
		reached[w->start] = true;
		queue[0] = w->start;
		reached_mark(&w->s, reached, queue, 1);
	}
	for (uint32_t i = 0; i < w->s.node_count; i++)
		w->apart[i] = !reached[i];
	return 0;
}

static int guids_map(struct ft_rework *w)
{
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < w->s.node_count; i++)
		r = w->s.nodes[i].guid ? ft_map_add(&w->by_guid, w->s.nodes[i].guid, i, NULL) : 0;
	return r < 0 ? r : 0;
}

static uint32_t node_by_guid(const struct ft_rework *w, uint64_t guid)
{
	uint32_t node = guid ? ft_map_get(&w->by_guid, guid) : NONE;

	return node < w->s.node_count ? node : NONE;
}

/* The rows of the report's table come in the plan's order. */
static int places_map(struct ft_rework *w)
{
	w->node_of = malloc((w->plan->switch_count + 1UL) * sizeof(*w->node_of));
	w->awaits_power = calloc(w->plan->switch_count + 1UL, sizeof(*w->awaits_power));
	if (!w->node_of || !w->awaits_power)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->plan->switch_count; i++)
		w->node_of[i] = i < w->report->switch_count ? node_by_guid(w, w->report->switches[i].guid) : NONE;
	return 0;
}

/* What most cables of the kind run at; of two equally common rates the faster one, as the verifier has it. */
static struct ft_rate rate_usual(const struct ft_snapshot *s, enum kind kind)
{
	enum { LANES_MAX = 13 };
	uint32_t votes[LANES_MAX][FT_SPEED_COUNT] = {0}, most = 0;
	struct ft_rate usual = {4, FT_SPEED_SDR};

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *port = &s->ports[i], *far = ft_port_peer(s, port);

		if (far && ft_port_node(s, port)->type == FT_NODE_SWITCH &&
		    (ft_port_node(s, far)->type == FT_NODE_SWITCH) == (kind == KIND_UPLINK) &&
		    port->rate.lanes < LANES_MAX && port->rate.speed < FT_SPEED_COUNT)
			votes[port->rate.lanes][port->rate.speed]++;
	}
	for (uint8_t lanes = 1; lanes < LANES_MAX; lanes++)
		for (uint8_t speed = FT_SPEED_SDR; speed < FT_SPEED_COUNT; speed++) {
			struct ft_rate rate = {lanes, speed};

			if (votes[lanes][speed] == 0 || votes[lanes][speed] < most ||
			    (votes[lanes][speed] == most && ft_rate_mbps(rate) < ft_rate_mbps(usual)))
				continue;
			most = votes[lanes][speed];
			usual = rate;
		}
	return usual;
}

static void rates_settle(struct ft_rework *w)
{
	const struct ft_rates *given[KIND_COUNT] = {&w->design->uplink_rates, &w->design->host_rates};

	for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
		w->rates[kind] = rate_usual(&w->s, kind);
		for (size_t i = 0; i < given[kind]->count; i++)
			if (i == 0 || ft_rate_mbps(given[kind]->rates[i]) > ft_rate_mbps(w->rates[kind]))
				w->rates[kind] = given[kind]->rates[i];
	}
}

int ft_rework_new(const struct ft_verify_input *input, const struct ft_report *report, struct ft_rework **ret_rework)
{
	_cleanup_(ft_rework_freep) struct ft_rework *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->design = input->design;
	w->plan = input->plan;
	w->baseline = input->baseline;
	w->report = report;
	r = fabric_copy(w, input->snapshot);
	if (r == 0)
		r = guids_map(w);
	if (r == 0)
		r = places_map(w);
	if (r == 0)
		r = start_settle(w);
	if (r == 0)
		r = ft_wiring_make(w->plan, &w->wiring);
	if (r < 0)
		return r;
	rates_settle(w);
	*ret_rework = FT_STEAL(w);
	return 0;
}

/* ---- what there is ---- */

/* The switch of the plan that goes by that name, or NONE. */
static uint32_t switch_by_name(const struct ft_rework *w, const char *name)
{
	for (uint32_t i = 0; name && i < w->plan->switch_count; i++)
		if (strcmp(w->plan->switches[i].name, name) == 0)
			return i;
	return NONE;
}

static uint32_t node_at(const struct ft_rework *w, const struct ft_place *place)
{
	uint32_t index;

	if (place->guid)
		return node_by_guid(w, place->guid);
	index = switch_by_name(w, place->name);
	return index == NONE ? NONE : w->node_of[index];
}

/* The port that @place names, or NONE. */
static uint32_t port_at(const struct ft_rework *w, const struct ft_place *place)
{
	uint32_t node = place->name || place->guid ? node_at(w, place) : NONE;

	if (node == NONE || place->port == 0 || place->port > w->s.nodes[node].port_count)
		return NONE;
	return w->s.nodes[node].first_port + place->port - 1;
}

bool ft_rework_is_taken(const struct ft_rework *w, const struct ft_place *place)
{
	uint32_t port = port_at(w, place);

	return port != NONE && w->s.ports[port].peer != FT_NO_PORT;
}

void ft_rework_reserve(struct ft_rework *w, const struct ft_action *action, bool wanted)
{
	const struct ft_place *ends[2] = {&action->a, &action->b};

	for (unsigned int n = 0; n < 2; n++) {
		uint32_t port = port_at(w, ends[n]);

		if (port != NONE)
			w->spoken[port] = wanted;
	}
	if (action->act == FT_ACT_POWER && switch_by_name(w, action->a.name) != NONE)
		w->awaits_power[switch_by_name(w, action->a.name)] = wanted;
}

/* The numbers of the ports of @node that lead to things of @kind; low 0: there is none. */
static void ports_range(const struct ft_rework *w, uint32_t node, enum kind kind, uint32_t *ret_low, uint32_t *ret_high)
{
	const struct ft_node *n = &w->s.nodes[node];

	*ret_low = *ret_high = 0;
	for (uint32_t i = 1; i <= n->port_count; i++) {
		const struct ft_port *far = ft_port_peer(&w->s, &w->s.ports[n->first_port + i - 1]);

		if (!far || node_is_switch(w, far->node) != (kind == KIND_UPLINK))
			continue;
		*ret_low = *ret_low ? *ret_low : i;
		*ret_high = i;
	}
}

/* A free port of @node as near as can be to those of its @kind, or NONE. */
static uint32_t port_free(const struct ft_rework *w, uint32_t node, enum kind kind)
{
	const struct ft_node *n = &w->s.nodes[node];
	uint32_t low, high, best = NONE, nearest = NONE;

	ports_range(w, node, kind, &low, &high);
	for (uint32_t i = 1; i <= n->port_count; i++) {
		uint32_t port = n->first_port + i - 1, away = low == 0	 ? 0
							      : i < low	 ? low - i
							      : i > high ? i - high
									 : 0;

		if (w->s.ports[port].peer != FT_NO_PORT || w->spoken[port] || away >= nearest)
			continue;
		/* Up without a known far end, or not read: something may be in it. */
		if (w->s.ports[port].link != FT_LINK_DOWN)
			continue;
		best = port;
		nearest = away;
	}
	return best;
}

static enum kind kind_of(const struct ft_rework *w, uint32_t a, uint32_t b)
{
	return node_is_switch(w, w->s.ports[a].node) && node_is_switch(w, w->s.ports[b].node) ? KIND_UPLINK : KIND_HOST;
}

static void port_end(struct ft_port *port)
{
	port->peer = FT_NO_PORT;
	port->link = FT_LINK_DOWN;
	port->rate = (struct ft_rate){0};
	port->phys_state = port->logical_state = 0;
}

static void cable_pull(struct ft_rework *w, uint32_t port)
{
	uint32_t peer = w->s.ports[port].peer;

	if (peer != FT_NO_PORT)
		port_end(&w->s.ports[peer]);
	port_end(&w->s.ports[port]);
}

static void cable_put(struct ft_rework *w, uint32_t a, uint32_t b, struct ft_rate rate)
{
	const uint32_t ends[2] = {a, b};

	for (unsigned int n = 0; n < 2; n++) {
		struct ft_port *port = &w->s.ports[ends[n]];

		port_end(port);
		port->peer = ends[1 - n];
		port->link = FT_LINK_UP;
		port->rate = rate;
	}
}

/* ---- what comes back ---- */

/* @array with room for @more beyond @count elements; grows by half. */
static void *room_make(void *array, uint32_t *size, uint32_t count, uint32_t more, size_t element)
{
	uint64_t wanted = (uint64_t)count + more, grown = wanted + wanted / 2;
	void *fresh;

	if (wanted <= *size)
		return array;
	if (grown > INT32_MAX)
		return NULL;
	fresh = realloc(array, grown * element);
	if (fresh)
		*size = (uint32_t)grown;
	return fresh;
}

static int room_for_node(struct ft_rework *w, uint32_t ports, uint32_t name_length)
{
	uint32_t old = w->ports_size;
	struct ft_node *nodes = room_make(w->s.nodes, &w->nodes_size, w->s.node_count, 1, sizeof(*nodes));
	struct ft_port *all;
	char *strings;
	bool *spoken;

	if (!nodes)
		return -ENOMEM;
	w->s.nodes = nodes;
	strings = room_make(w->s.strings, &w->strings_size, w->s.strings_length, name_length + 1, 1);
	if (!strings)
		return -ENOMEM;
	w->s.strings = strings;
	all = room_make(w->s.ports, &w->ports_size, w->s.port_count, ports, sizeof(*all));
	if (!all)
		return -ENOMEM;
	w->s.ports = all;
	spoken = realloc(w->spoken, (w->ports_size + 1UL) * sizeof(*spoken));
	if (!spoken)
		return -ENOMEM;
	w->spoken = spoken;
	memset(spoken + old, 0, (w->ports_size + 1UL - old) * sizeof(*spoken));
	return 0;
}

/* A node that was not seen, with all ports down. @guid 0: one is made up. */
static int node_add(struct ft_rework *w, enum ft_node_type type, uint64_t guid, const char *name, uint32_t ports,
		    uint32_t *ret_node)
{
	enum { MADE_UP = 0xf7c4ec };
	uint32_t length = (uint32_t)strlen(name);
	struct ft_node *node;
	int r = room_for_node(w, ports, length);

	if (r < 0)
		return r;
	while (guid == 0 || node_by_guid(w, guid) != NONE)
		guid = (uint64_t)MADE_UP << 40 | ++w->made_up;
	r = ft_map_add(&w->by_guid, guid, w->s.node_count, NULL);
	if (r < 0)
		return r;
	node = &w->s.nodes[w->s.node_count];
	*node = (struct ft_node){.guid = guid,
				 .system_guid = guid,
				 .type = (uint8_t)type,
				 .port_count = (uint16_t)ports,
				 .first_port = w->s.port_count,
				 .description = w->s.strings_length,
				 .description_length = (uint16_t)length};
	memcpy(w->s.strings + w->s.strings_length, name, length + 1);
	w->s.strings_length += length + 1;
	for (uint32_t i = 0; i < ports; i++)
		w->s.ports[w->s.port_count++] = (struct ft_port){.guid = guid,
								 .node = w->s.node_count,
								 .peer = FT_NO_PORT,
								 .number = (uint8_t)(i + 1),
								 .link = FT_LINK_DOWN};
	*ret_node = w->s.node_count++;
	return 0;
}

/* The name by which the switch will be known: where a pattern tells the tier, one that others of it have. */
static int switch_name(const struct ft_rework *w, uint32_t index, char **ret_name)
{
	const struct ft_plan_switch *sw = &w->plan->switches[index];
	uint32_t like = NONE;
	char *name;

	for (uint32_t i = 0; w->design->binds[sw->tier].match && like == NONE && i < w->plan->switch_count; i++)
		if (w->plan->switches[i].tier == sw->tier)
			like = w->node_of[i];
	name = strdup(like == NONE ? sw->name : w->s.strings + w->s.nodes[like].description);
	if (!name)
		return -ENOMEM;
	*ret_name = name;
	return 0;
}

static int hosts_return(struct ft_rework *w, uint32_t index, uint32_t node)
{
	uint32_t named = 0;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < w->plan->switches[index].hosts; i++) {
		const struct ft_plan_host *host = NULL;
		uint32_t there, port;

		while (!host && named < w->plan->host_count)
			host = w->plan->hosts[named++].edge == index ? &w->plan->hosts[named - 1] : NULL;
		port = host && host->port && host->port <= w->s.nodes[node].port_count
			       ? w->s.nodes[node].first_port + host->port - 1
			       : port_free(w, node, KIND_HOST);
		if (port == NONE || w->s.ports[port].peer != FT_NO_PORT)
			continue;
		r = node_add(w, FT_NODE_CA, host ? host->guid : 0, host && host->name ? host->name : "", 1, &there);
		if (r == 0)
			cable_put(w, port, w->s.nodes[there].first_port, w->rates[KIND_HOST]);
	}
	return r;
}

/* The next port of @node that the finding names and that waits for a cable, or NONE. */
static uint32_t port_dark(const struct ft_rework *w, const struct ft_finding *because, uint32_t node)
{
	for (size_t i = 0; because && i < because->where_count; i++) {
		uint32_t port;

		if (because->where[i].guid != w->s.nodes[node].guid)
			continue;
		port = port_at(w, &because->where[i]);
		if (port != NONE && w->s.ports[port].peer == FT_NO_PORT && !w->spoken[port])
			return port;
	}
	return NONE;
}

/* The first cable of a bundle in a plan port by port, or NONE. */
static uint32_t cable_first(const struct ft_plan *plan, const struct ft_plan_bundle *bundle)
{
	uint32_t low = 0, high = plan->cable_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ft_plan_cable *c = &plan->cables[middle];

		if (c->a < bundle->a || (c->a == bundle->a && c->b < bundle->b))
			low = middle + 1;
		else
			high = middle;
	}
	return low < plan->cable_count && plan->cables[low].a == bundle->a && plan->cables[low].b == bundle->b ? low
													       : NONE;
}

/* Where cable @i of a bundle ends on @node: where the plan says, where a port went dark, or in any free port. */
static uint32_t bundle_port(const struct ft_rework *w, uint32_t node, uint32_t planned, bool precise,
			    const struct ft_finding *because)
{
	uint32_t port = NONE;

	if ((precise || node >= w->first_count) && planned > 0 && planned <= w->s.nodes[node].port_count)
		port = w->s.nodes[node].first_port + planned - 1;
	if (port != NONE && w->s.ports[port].peer == FT_NO_PORT)
		return port;
	port = port_dark(w, because, node);
	return port == NONE ? port_free(w, node, KIND_UPLINK) : port;
}

/* The planned cables between two switches that are both there. */
static void bundle_return(struct ft_rework *w, const struct ft_plan_bundle *bundle, const struct ft_finding *because)
{
	uint32_t a = w->node_of[bundle->a], b = w->node_of[bundle->b], cable = cable_first(w->plan, bundle);

	for (uint32_t i = 0; i < bundle->count; i++) {
		const struct ft_plan_cable *c =
			cable != NONE && cable + i < w->plan->cable_count ? &w->plan->cables[cable + i] : NULL;
		uint32_t at_a = bundle_port(w, a, c ? c->a_port : bundle->a_port + i, c, because);
		uint32_t at_b = bundle_port(w, b, c ? c->b_port : bundle->b_port + i, c, because);

		if (at_a != NONE && at_b != NONE)
			cable_put(w, at_a, at_b, w->rates[KIND_UPLINK]);
	}
}

static int switch_add(struct ft_rework *w, uint32_t index)
{
	_cleanup_free_ char *name = NULL;
	int r = switch_name(w, index, &name);

	if (r == 0)
		r = node_add(w, FT_NODE_SWITCH, ft_plan_bound_guid(w->design, w->plan, index), name,
			     w->plan->switches[index].ports, &w->node_of[index]);
	return r;
}

/* How one switch is brought back: with cables to those that were seen, or only to those that come back with it. */
struct comeback {
	const struct ft_finding *because;
	bool to_seen;
	uint32_t *queue; /* [switch_count] */
	uint32_t count;
};

/* Those that nobody saw, and that nothing else is to bring back, were hidden behind this one. */
static int neighbours_return(struct ft_rework *w, struct comeback *c, uint32_t index)
{
	int r = 0;

	for (uint32_t i = w->wiring.first_bundle[index]; r == 0 && i < w->wiring.first_bundle[index + 1]; i++) {
		const struct ft_plan_bundle *bundle = &w->plan->bundles[w->wiring.bundles[i]];
		uint32_t far = bundle->a == index ? bundle->b : bundle->a;

		if (w->node_of[far] == NONE && !w->awaits_power[far] && !ft_plan_is_director(w->plan, far)) {
			r = switch_add(w, far);
			c->queue[c->count++] = far;
		}
	}
	return r;
}

static void cables_return(struct ft_rework *w, const struct comeback *c, uint32_t index, const bool *done)
{
	for (uint32_t i = w->wiring.first_bundle[index]; i < w->wiring.first_bundle[index + 1]; i++) {
		const struct ft_plan_bundle *bundle = &w->plan->bundles[w->wiring.bundles[i]];
		uint32_t far = bundle->a == index ? bundle->b : bundle->a;

		if (w->node_of[far] == NONE || done[far] || (w->node_of[far] < w->first_count && !c->to_seen))
			continue;
		bundle_return(w, bundle, c->because);
	}
}

static bool node_is_planned(const struct ft_rework *w, uint32_t node)
{
	for (uint32_t i = 0; i < w->plan->switch_count; i++)
		if (w->node_of[i] == node)
			return true;
	return false;
}

/* For chips of directors see below. */
static int chips_return(struct ft_rework *w, const struct comeback *c, uint32_t index);

static int switch_return(struct ft_rework *w, uint32_t index, const struct ft_finding *because, bool to_seen)
{
	_cleanup_free_ uint32_t *queue = calloc(w->plan->switch_count + 1UL, sizeof(*queue));
	_cleanup_free_ bool *done = calloc(w->plan->switch_count + 1UL, sizeof(*done));
	struct comeback c = {because, to_seen, queue, 1};
	int r;

	if (!queue || !done)
		return -ENOMEM;
	queue[0] = index;
	r = switch_add(w, index);
	for (uint32_t i = 0; r == 0 && i < c.count; i++)
		r = neighbours_return(w, &c, queue[i]);
	/* A pair of two that come back has its cables once. */
	for (uint32_t i = 0; r == 0 && i < c.count; i++) {
		cables_return(w, &c, queue[i], done);
		done[queue[i]] = true;
		r = i == 0 ? chips_return(w, &c, index) : 0;
		if (r == 0)
			r = hosts_return(w, queue[i], w->node_of[queue[i]]);
	}
	return r;
}

/* ---- boards of directors, and directors ---- */

/* What comes back of a director, chip by chip, each after the likeness of one that is there. */
struct parts {
	struct ft_rework *w;
	const struct ft_model *m; /* what is there */
	const struct ft_finding *because;
	const struct ft_chip **like; /* by part */
	uint32_t *board; /* by part: its place, of line boards the one that gives outer ports their numbers */
	uint32_t *node;	 /* by part */
	uint32_t count;
	uint32_t index; /* of the plan's switches: the director */
};

static void parts_release(struct parts *p)
{
	free(p->like);
	free(p->board);
	free(p->node);
}

static int parts_init(struct parts *p, struct ft_rework *w, const struct ft_model *m, const struct ft_finding *because)
{
	uint32_t size = m->chassis->chip_count + 1;

	*p = (struct parts){.w = w,
			    .m = m,
			    .because = because,
			    .like = calloc(size, sizeof(const struct ft_chip *)),
			    .board = calloc(size, sizeof(uint32_t)),
			    .node = calloc(size, sizeof(uint32_t))};
	return p->like && p->board && p->node ? 0 : -ENOMEM;
}

/* The node that the chip is here: nodes of a look have other numbers. */
static uint32_t chip_node(const struct parts *p, const struct ft_chip *chip)
{
	return node_by_guid(p->w, p->m->chips->nodes[chip->node].guid);
}

/* The name of a chip like @chip: of another chassis where @chassis says so, with another number of the board. */
static int part_name(const struct parts *p, const struct ft_chip *chip, const char *from, const char *chassis,
		     uint32_t board, struct ft_text *ret_name)
{
	const struct ft_node *node = &p->m->chips->nodes[chip->node];
	const char *name = ft_node_description(p->m->chips, node);
	size_t skip = from && strncmp(name, from, strlen(from)) == 0 ? strlen(from) : 0, tail;

	ft_text_printf(ret_name, "%s", skip ? chassis : "");
	if (!chip->named || chip->slot.word < skip) {
		ft_text_printf(ret_name, "%.*s", (int)(node->description_length - skip), name + skip);
		return ret_name->failed ? -ENOMEM : 0;
	}
	tail = chip->slot.word + chip->slot.stem + chip->slot.digits;
	ft_text_printf(ret_name, "%.*s", (int)(chip->slot.word + chip->slot.stem - skip), name + skip);
	ft_text_printf(ret_name, "%0*u", (int)chip->slot.digits, chip->slot.number - chip->board + board);
	ft_text_printf(ret_name, "%.*s", (int)(node->description_length - tail), name + tail);
	return ret_name->failed ? -ENOMEM : 0;
}

static int part_add(struct parts *p, const struct ft_chip *like, uint32_t board, const char *from, const char *chassis)
{
	_cleanup_(ft_text_release) struct ft_text name = {0};
	const struct ft_node *node = &p->m->chips->nodes[like->node];
	int r = part_name(p, like, from, chassis, board, &name);

	if (r == 0)
		r = node_add(p->w, FT_NODE_SWITCH, 0, ft_text_string(&name), node->port_count, &p->node[p->count]);
	if (r < 0)
		return r;
	p->w->s.nodes[p->node[p->count]].system_guid = node->system_guid;
	p->w->s.nodes[p->node[p->count]].chassis = node->chassis;
	p->like[p->count] = like;
	p->board[p->count++] = board;
	return 0;
}

static bool port_is_inside(const struct parts *p, const struct ft_chip *chip, uint32_t number)
{
	const struct ft_chip_kind *kind = &p->m->chassis->kinds[chip->kind];

	for (uint32_t i = 0; chip->line && i < kind->outer; i++)
		if (kind->outer_ports[i] == number)
			return false;
	return true;
}

/* The port of @chip that leads inside and waits for its far end: one of the finding's, or else any. */
static uint32_t trace_dark(const struct parts *p, const struct ft_chip *chip)
{
	const struct ft_rework *w = p->w;
	uint32_t node = chip_node(p, chip), port = node == NONE ? NONE : port_dark(w, p->because, node);

	if (port != NONE || node == NONE)
		return port;
	for (uint32_t n = 1; n <= w->s.nodes[node].port_count && n < 256; n++) {
		port = w->s.nodes[node].first_port + n - 1;
		if (w->s.ports[port].peer == FT_NO_PORT && w->s.ports[port].link == FT_LINK_DOWN && !w->spoken[port] &&
		    port_is_inside(p, chip, n))
			return port;
	}
	return NONE;
}

/* Traces to the chips of the same director that its likeness, on another board of it, has traces to. */
static void part_traces(const struct parts *p, uint32_t part)
{
	const struct ft_snapshot *s = p->m->chips;
	const struct ft_chip *like = p->like[part];
	const struct ft_node *node = &s->nodes[like->node];

	for (uint32_t n = 0; n < node->port_count; n++) {
		const struct ft_port *far = ft_port_peer(s, &s->ports[node->first_port + n]);
		uint32_t chip = far ? p->m->chassis->chip_of[far->node] : FT_NO_NODE, to;

		if (chip == FT_NO_NODE || p->m->chassis->chips[chip].director != like->director ||
		    p->m->chassis->chips[chip].line == like->line)
			continue;
		to = trace_dark(p, &p->m->chassis->chips[chip]);
		if (to != NONE)
			cable_put(p->w, p->w->s.nodes[p->node[part]].first_port + n, to,
				  s->ports[node->first_port + n].rate);
	}
}

/* Traces between parts, as there are between their likenesses. */
static void parts_join(const struct parts *p)
{
	const struct ft_snapshot *s = p->m->chips;

	for (uint32_t i = 0; i < p->count; i++) {
		const struct ft_node *node = &s->nodes[p->like[i]->node];

		for (uint32_t n = 0; n < node->port_count; n++) {
			const struct ft_port *far = ft_port_peer(s, &s->ports[node->first_port + n]);

			for (uint32_t k = i + 1; far && k < p->count; k++)
				if (p->like[k]->node == far->node)
					cable_put(p->w, p->w->s.nodes[p->node[i]].first_port + n,
						  p->w->s.nodes[p->node[k]].first_port + far->number - 1,
						  s->ports[node->first_port + n].rate);
		}
	}
}

/* How many traces there are between two parts. */
static uint32_t traces_of(const struct parts *p, uint32_t a, uint32_t b)
{
	const struct ft_node *node = &p->w->s.nodes[p->node[a]];
	uint32_t count = 0;

	for (uint32_t n = 0; n < node->port_count; n++) {
		uint32_t peer = p->w->s.ports[node->first_port + n].peer;

		count += peer != FT_NO_PORT && p->w->s.ports[peer].node == p->node[b];
	}
	return count;
}

/* A port inside that nothing is in, or NONE. */
static uint32_t trace_free(const struct parts *p, uint32_t part)
{
	const struct ft_node *node = &p->w->s.nodes[p->node[part]];
	const struct ft_chip *like = p->like[part];

	for (uint32_t n = 1; n <= node->port_count && n < 256; n++)
		if (p->w->s.ports[node->first_port + n - 1].peer == FT_NO_PORT && port_is_inside(p, like, n))
			return node->first_port + n - 1;
	return NONE;
}

/* What the likeness lacks itself. */
static void parts_complete(const struct parts *p, uint32_t traces)
{
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t k = 0; p->like[i]->line && k < p->count; k++)
			for (uint32_t n = p->like[k]->line ? traces : traces_of(p, i, k); n < traces; n++) {
				uint32_t a = trace_free(p, i), b = trace_free(p, k);

				if (a != NONE && b != NONE)
					cable_put(p->w, a, b, p->w->rates[KIND_UPLINK]);
			}
}

/* Port @number of the whole, if a part has it: its port, else NONE. */
static uint32_t part_port(const struct parts *p, uint32_t number)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct ft_chip *like = p->like[i];
		const struct ft_chip_kind *kind = &p->m->chassis->kinds[like->kind];
		uint32_t line_ports = p->m->chassis->directors[like->director].seen.line_ports, at;

		if (!like->line || number == 0 || (number - 1) / line_ports != p->board[i])
			continue;
		at = (number - 1) % line_ports;
		if (at >= kind->first && at - kind->first < kind->outer)
			return p->w->s.nodes[p->node[i]].first_port + kind->outer_ports[at - kind->first] - 1;
	}
	return NONE;
}

/* An outer port of a part that nothing is in, or NONE. */
static uint32_t part_port_free(const struct parts *p)
{
	const struct ft_chassis *c = p->m->chassis;

	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t n = 0; p->like[i]->line && n < c->kinds[p->like[i]->kind].outer; n++) {
			uint32_t port =
				p->w->s.nodes[p->node[i]].first_port + c->kinds[p->like[i]->kind].outer_ports[n] - 1;

			if (p->w->s.ports[port].peer == FT_NO_PORT)
				return port;
		}
	return NONE;
}

/* The port of the snapshot of wholes that a port here is, or NONE. */
static uint32_t whole_of(const struct parts *p, uint32_t port)
{
	const struct ft_port *here = &p->w->s.ports[port];
	const struct ft_model *m = p->m;

	for (uint32_t i = 0; i < m->snapshot->port_count; i++) {
		uint32_t origin = ft_port_origin(m, i);
		const struct ft_port *there = origin == FT_NONE ? NULL : &m->chips->ports[origin];

		if (there && there->number == here->number &&
		    ft_port_node(m->chips, there)->guid == p->w->s.nodes[here->node].guid)
			return i;
	}
	return NONE;
}

/* The planned port of the director for the cable in @port of another switch, 0 where none is said. */
static uint32_t port_planned(const struct parts *p, uint32_t port)
{
	const struct ft_model *m = p->m;
	uint32_t whole = m->exact.first ? whole_of(p, port) : NONE;
	uint32_t live = whole == NONE ? FT_NONE : m->live.switch_of_node[m->snapshot->ports[whole].node];
	uint32_t place = live == FT_NONE ? FT_NONE : m->live.switches[live].planned;
	uint32_t cable = whole == NONE ? FT_NONE : ft_exact_cable(m, place, ft_port_number(m, whole));
	const struct ft_plan_cable *c = cable == FT_NONE ? NULL : &m->plan->cables[cable];

	if (!c)
		return 0;
	return c->a == p->index ? c->a_port : c->b == p->index ? c->b_port : 0;
}

static void outer_put(const struct parts *p, uint32_t port)
{
	uint32_t to = part_port(p, port_planned(p, port));

	to = to == NONE || p->w->s.ports[to].peer != FT_NO_PORT ? part_port_free(p) : to;
	if (to != NONE)
		cable_put(p->w, port, to, p->w->rates[KIND_UPLINK]);
}

/* The cables whose other ends went dark with it; where it is not known which those are, any that lack. */
static void outer_return(const struct parts *p)
{
	struct ft_rework *w = p->w;
	uint32_t count = 0, lacking = 0;

	for (size_t i = 0; i < p->because->where_count; i++) {
		uint32_t port = port_at(w, &p->because->where[i]);

		if (port == NONE || w->s.ports[port].peer != FT_NO_PORT || w->spoken[port])
			continue;
		outer_put(p, port);
		count++;
	}
	for (size_t i = 0; i < p->because->lack_count; i++)
		lacking += p->because->lacks[i].cables;
	for (size_t i = 0; i < p->because->lack_count && count < lacking; i++) {
		const struct ft_lack *lack = &p->because->lacks[i];
		uint32_t far = lack->a == p->index ? lack->b : lack->a;
		uint32_t node = ft_plan_is_director(w->plan, far) ? NONE : w->node_of[far];

		for (uint32_t n = 0; node != NONE && n < lack->cables && count < lacking; n++) {
			uint32_t port = port_free(w, node, KIND_UPLINK);

			if (port == NONE)
				break;
			outer_put(p, port);
			count++;
		}
	}
}

/* Hosts that were on it, those that the plan lists there first. */
static int part_hosts(const struct parts *p)
{
	const struct ft_plan *plan = p->w->plan;
	uint32_t count = p->because->impact.hosts_cut_off, next = 0;
	int r = 0;

	for (uint32_t n = 0; r == 0 && n < count; n++) {
		const struct ft_plan_host *host = NULL;
		uint32_t port = NONE, node;

		for (; !host && next < plan->host_count; next++)
			if (plan->hosts[next].edge == p->index && p->m->exact.host_of[next] == FT_NONE)
				host = &plan->hosts[next];
		port = host ? part_port(p, host->port) : NONE;
		port = port == NONE || p->w->s.ports[port].peer != FT_NO_PORT ? part_port_free(p) : port;
		if (port == NONE)
			return 0;
		r = node_add(p->w, FT_NODE_CA, host ? host->guid : 0, host && host->name ? host->name : "", 1, &node);
		if (r == 0)
			cable_put(p->w, port, p->w->s.nodes[node].first_port, p->w->rates[KIND_HOST]);
	}
	return r;
}

/* True where a chip is in that place of @d. */
static bool spot_is_held(const struct ft_model *m, const struct ft_director *d, bool line, uint32_t board,
			 uint32_t chip)
{
	for (uint32_t i = d->first; i < d->first + d->count; i++)
		if (m->chassis->chips[i].line == line && m->chassis->chips[i].board == board &&
		    m->chassis->chips[i].chip == chip)
			return true;
	return false;
}

/* How many of the ports that went dark, inside and outside, say that the line board in @board is meant. */
static uint32_t board_votes(const struct parts *p, uint32_t board, uint32_t line_ports)
{
	uint32_t votes = 0;

	for (size_t i = 0; i < p->because->where_count; i++) {
		uint32_t port = port_at(p->w, &p->because->where[i]);
		uint32_t number = port == NONE ? 0 : port_planned(p, port);

		votes += number > 0 && (number - 1) / line_ports == board;
	}
	return votes;
}

/* Which side the finding is about: the ports inside that went dark are on the other. */
static bool finding_is_of_line(const struct parts *p, const struct ft_director *d)
{
	for (size_t i = 0; i < p->because->where_count; i++)
		for (uint32_t n = d->first; n < d->first + d->count; n++)
			if (p->because->where[i].port > 0 &&
			    p->m->chips->nodes[p->m->chassis->chips[n].node].guid == p->because->where[i].guid)
				return !p->m->chassis->chips[n].line;
	return strstr(p->because->text, "line board") && !strstr(p->because->text, "fabric board of");
}

/* The place of the board that comes back: one where a chip lacks, and the one that most speaks for. */
static uint32_t board_choose(const struct parts *p, const struct ft_director *d, bool line)
{
	const struct ft_inside *want = &p->m->chassis->usual[d->tier];
	uint32_t boards = line ? want->line_boards : want->fabric_boards, best = NONE, most = 0;
	uint32_t chips = line ? want->line_chips : want->fabric_chips;

	for (uint32_t b = 0; b < boards + d->count; b++) {
		uint32_t held = 0, votes;

		for (uint32_t c = 0; c < chips; c++)
			held += spot_is_held(p->m, d, line, b, c);
		votes = line ? board_votes(p, b, d->seen.line_ports) : 0;
		if (held == chips || (best != NONE && votes <= most))
			continue;
		best = b;
		most = votes;
	}
	return best;
}

static const struct ft_director *director_at(const struct ft_model *m, uint64_t guid, uint32_t *ret_index)
{
	for (uint32_t i = 0; m->origin && i < m->chassis->director_count; i++) {
		const struct ft_director *d = &m->chassis->directors[i];
		uint32_t live = m->live.switch_of_node[d->node];
		uint32_t place = live == FT_NONE ? FT_NONE : m->live.switches[live].planned;

		if (d->guid != guid || place == FT_NONE)
			continue;
		*ret_index = (uint32_t)(m->places[place] - m->plan->switches);
		return d;
	}
	return NULL;
}

static int board_return(struct parts *p, const struct ft_director *d)
{
	bool line = finding_is_of_line(p, d);
	uint32_t board = board_choose(p, d, line),
		 chips = line ? p->m->chassis->usual[d->tier].line_chips : p->m->chassis->usual[d->tier].fabric_chips;
	int r = board == NONE ? -ENOTSUP : 0;

	for (uint32_t c = 0; r == 0 && c < chips; c++) {
		const struct ft_chip *like = NULL;

		if (spot_is_held(p->m, d, line, board, c))
			continue;
		for (uint32_t i = d->first; !like && i < d->first + d->count; i++)
			if (p->m->chassis->chips[i].line == line && p->m->chassis->chips[i].chip == c)
				like = &p->m->chassis->chips[i];
		if (!like)
			return -ENOTSUP;
		r = part_add(p, like, board, NULL, NULL);
	}
	for (uint32_t i = 0; r == 0 && i < p->count; i++)
		part_traces(p, i);
	if (r == 0 && line) {
		outer_return(p);
		r = part_hosts(p);
	}
	return r;
}

/* The fabric as it is by now, read anew. */
static int now_read(const struct ft_rework *w, struct ft_snapshot **ret_snapshot, struct ft_model *m)
{
	struct ft_verify_input input = {.design = w->design, .plan = w->plan, .today = "9999-12-31"};
	int r = ft_rework_look(w, ret_snapshot);

	if (r < 0)
		return r;
	input.snapshot = *ret_snapshot;
	input.baseline = w->baseline;
	r = ft_model_make(m, &input);
	m->input = NULL;
	return r;
}

/* True where the port waits for a cable, and is of a chip of a director, which is no switch of the plan by itself. */
static bool chip_port_waits(const struct ft_rework *w, uint32_t port)
{
	return port != NONE && w->s.ports[port].peer == FT_NO_PORT && !w->spoken[port] &&
	       !node_is_planned(w, w->s.ports[port].node);
}

static int chips_return(struct ft_rework *w, const struct comeback *c, uint32_t index)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *now = NULL;
	_cleanup_(ft_model_release) struct ft_model m = {0};
	const struct ft_node *node = &w->s.nodes[w->node_of[index]];
	struct parts p = {.w = w, .m = &m, .because = c->because, .index = index};

	for (size_t i = 0; c->to_seen && c->because && i < c->because->where_count; i++) {
		uint32_t port = port_at(w, &c->because->where[i]), to = NONE, number = 0;
		int r = 0;

		if (!chip_port_waits(w, port))
			continue;
		if (!now && w->plan->cable_count > 0)
			r = now_read(w, &now, &m);
		if (r < 0)
			return r;
		number = now ? port_planned(&p, port) : 0;
		if (number > 0 && number <= node->port_count)
			to = node->first_port + number - 1;
		if (to == NONE || w->s.ports[to].peer != FT_NO_PORT)
			to = port_free(w, w->node_of[index], KIND_UPLINK);
		if (to != NONE)
			cable_put(w, port, to, w->rates[KIND_UPLINK]);
	}
	return 0;
}

static int do_board(struct ft_rework *w, const struct ft_action *action, const struct ft_finding *because)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *now = NULL;
	_cleanup_(ft_model_release) struct ft_model m = {0};
	_cleanup_(parts_release) struct parts p = {0};
	const struct ft_director *d;
	uint32_t index = 0;
	int r = now_read(w, &now, &m);

	if (r < 0)
		return r;
	d = director_at(&m, action->a.guid, &index);
	if (!d)
		return -ENOTSUP;
	r = parts_init(&p, w, &m, because);
	p.index = index;
	return r == 0 ? board_return(&p, d) : r;
}

/* One of the same tier with the most chips is what it is made after. */
static const struct ft_director *director_like(const struct ft_model *m, enum ft_tier tier)
{
	const struct ft_director *best = NULL;

	for (uint32_t i = 0; m->origin && i < m->chassis->director_count; i++) {
		const struct ft_director *d = &m->chassis->directors[i];

		if (d->tier == tier && (!best || d->count > best->count))
			best = d;
	}
	return best;
}

static int director_return(struct ft_rework *w, uint32_t index, const struct ft_finding *because)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *now = NULL;
	_cleanup_(ft_model_release) struct ft_model m = {0};
	_cleanup_(parts_release) struct parts p = {0};
	const struct ft_director *d;
	uint64_t guid = 0;
	int r = now_read(w, &now, &m);

	if (r < 0)
		return r;
	d = director_like(&m, w->plan->switches[index].tier);
	if (!d || !because)
		return -ENOTSUP;
	r = parts_init(&p, w, &m, because);
	p.index = index;
	for (uint32_t i = d->first; r == 0 && i < d->first + d->count; i++) {
		r = part_add(&p, &m.chassis->chips[i], m.chassis->chips[i].board,
			     m.live.switches[m.live.switch_of_node[d->node]].name, w->plan->switches[index].name);
		if (r < 0)
			return r;
		guid = guid ? guid : w->s.nodes[p.node[0]].guid;
		w->s.nodes[p.node[p.count - 1]].system_guid = guid;
		if (w->s.nodes[p.node[p.count - 1]].chassis)
			w->s.nodes[p.node[p.count - 1]].chassis = UINT32_MAX - index;
	}
	if (r < 0)
		return r;
	parts_join(&p);
	parts_complete(&p, m.chassis->usual[d->tier].traces);
	outer_return(&p);
	return part_hosts(&p);
}

/* ---- the actions ---- */

static int do_remove(struct ft_rework *w, const struct ft_action *action, const struct ft_finding *because)
{
	uint32_t a = port_at(w, &action->a), b = port_at(w, &action->b);

	(void)because;
	if (a == NONE || w->s.ports[a].peer == FT_NO_PORT || (b != NONE && w->s.ports[a].peer != b))
		return -ENODEV;
	cable_pull(w, a);
	return 0;
}

/* Any free outer port of the director of that GUID, or NONE. */
static int director_port_free(struct ft_rework *w, uint64_t guid, uint32_t *ret_port)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *now = NULL;
	_cleanup_(ft_model_release) struct ft_model m = {0};
	const struct ft_director *d;
	uint32_t index;
	int r = now_read(w, &now, &m);

	*ret_port = NONE;
	if (r < 0)
		return r;
	d = director_at(&m, guid, &index);
	for (uint32_t i = d ? d->first : 0; d && i < d->first + d->count && *ret_port == NONE; i++) {
		const struct ft_chip *chip = &m.chassis->chips[i];
		uint32_t node = node_by_guid(w, m.chips->nodes[chip->node].guid);

		for (uint32_t n = 0; chip->line && node != NONE && n < m.chassis->kinds[chip->kind].outer; n++) {
			uint32_t port = w->s.nodes[node].first_port + m.chassis->kinds[chip->kind].outer_ports[n] - 1;

			if (w->s.ports[port].peer == FT_NO_PORT && w->s.ports[port].link == FT_LINK_DOWN &&
			    !w->spoken[port])
				*ret_port = port;
		}
	}
	return d ? 0 : -ENODEV;
}

/* The end of a new cable: the port that is named, or any that is free. */
static int end_take(struct ft_rework *w, const struct ft_place *place, enum kind kind, uint32_t *ret_port)
{
	uint32_t node = node_at(w, place), port = port_at(w, place);

	if (node == NONE && place->port == 0 && place->guid) {
		int r = director_port_free(w, place->guid, ret_port);

		return r < 0 || *ret_port != NONE ? r : -EBUSY;
	}
	if (node == NONE)
		return -ENODEV;
	port = place->port == 0 ? port_free(w, node, kind) : port;
	if (port == NONE)
		return place->port == 0 ? -EBUSY : -ENODEV;
	*ret_port = port;
	return 0;
}

/* A planned switch that a cable leads to, and that nobody saw: it was out of reach, and is there. */
static int end_return(struct ft_rework *w, const struct ft_place *place)
{
	uint32_t index = place->guid ? NONE : switch_by_name(w, place->name);

	if (index == NONE || w->node_of[index] != NONE || w->awaits_power[index])
		return 0;
	return ft_plan_is_director(w->plan, index) ? -ENOTSUP : switch_return(w, index, NULL, false);
}

static int do_connect(struct ft_rework *w, const struct ft_action *action, const struct ft_finding *because)
{
	uint32_t a = NONE, b = NONE;
	int r = end_return(w, &action->a);

	(void)because;
	if (r == 0)
		r = end_return(w, &action->b);
	if (r == 0)
		r = end_take(w, &action->a, KIND_UPLINK, &a);
	if (r == 0)
		r = end_take(w, &action->b, KIND_UPLINK, &b);
	if (r < 0)
		return r;
	if (w->s.ports[a].peer == b)
		return 0;
	if (a == b || w->s.ports[a].peer != FT_NO_PORT || w->s.ports[b].peer != FT_NO_PORT)
		return -EBUSY;
	cable_put(w, a, b, w->rates[kind_of(w, a, b)]);
	return 0;
}

static int do_move(struct ft_rework *w, const struct ft_action *action, const struct ft_finding *because)
{
	uint32_t from = port_at(w, &action->a), far, to;
	int r;

	(void)because;
	if (from == NONE || w->s.ports[from].peer == FT_NO_PORT)
		return -ENODEV;
	far = w->s.ports[from].peer;
	r = end_take(w, &action->b, node_is_switch(w, w->s.ports[far].node) ? KIND_UPLINK : KIND_HOST, &to);
	if (r < 0)
		return r;
	if (w->s.ports[to].peer != FT_NO_PORT)
		return -EBUSY;
	cable_pull(w, from);
	cable_put(w, far, to, w->rates[kind_of(w, far, to)]);
	return 0;
}

static int do_exchange(struct ft_rework *w, const struct ft_action *action, const struct ft_finding *because)
{
	uint32_t a = port_at(w, &action->a), b = port_at(w, &action->b), far_a, far_b;

	(void)because;
	if (a == NONE || b == NONE || w->s.ports[a].peer == FT_NO_PORT || w->s.ports[b].peer == FT_NO_PORT ||
	    w->s.ports[a].peer == a || w->s.ports[b].peer == b)
		return -ENODEV;
	far_a = w->s.ports[a].peer;
	far_b = w->s.ports[b].peer;
	if (far_a == b)
		return 0;
	cable_put(w, far_a, b, w->rates[kind_of(w, far_a, b)]);
	cable_put(w, far_b, a, w->rates[kind_of(w, far_b, a)]);
	return 0;
}

static int do_renew(struct ft_rework *w, const struct ft_action *action, const struct ft_finding *because)
{
	uint32_t a = port_at(w, &action->a), b;

	(void)because;
	a = a == NONE ? port_at(w, &action->b) : a;
	if (a == NONE || w->s.ports[a].peer == FT_NO_PORT)
		return -ENODEV;
	b = w->s.ports[a].peer;
	cable_put(w, a, b, w->rates[kind_of(w, a, b)]);
	return 0;
}

static int do_power(struct ft_rework *w, const struct ft_action *action, const struct ft_finding *because)
{
	uint32_t index = action->a.guid ? NONE : switch_by_name(w, action->a.name);

	/* One that is silent, or a switch of an island: what it would look like then is not worked out. */
	if (index == NONE)
		return -ENOTSUP;
	w->awaits_power[index] = false;
	/* It came back with another one, behind which it was. */
	if (w->node_of[index] != NONE)
		return 0;
	return ft_plan_is_director(w->plan, index) ? director_return(w, index, because)
						   : switch_return(w, index, because, true);
}

static int do_nothing(struct ft_rework *w, const struct ft_action *action, const struct ft_finding *because)
{
	(void)w;
	(void)action;
	(void)because;
	return -ENOTSUP;
}

int ft_rework_do(struct ft_rework *w, const struct ft_action *action, const struct ft_finding *because)
{
	static int (*const acts[])(struct ft_rework *, const struct ft_action *, const struct ft_finding *) = {
		[FT_ACT_CONNECT] = do_connect,	 [FT_ACT_REMOVE] = do_remove,	[FT_ACT_MOVE] = do_move,
		[FT_ACT_EXCHANGE] = do_exchange, [FT_ACT_RENEW] = do_renew,	[FT_ACT_POWER] = do_power,
		[FT_ACT_BOARD] = do_board,	 [FT_ACT_SETTING] = do_nothing,
	};

	return acts[action->act](w, action, because);
}

/* ---- what is seen then ---- */

/* The nodes marked in @keep, numbered anew, of @from in @to, which has room for all. */
static void nodes_keep(struct ft_snapshot *to, const struct ft_snapshot *from, const bool *keep, uint32_t *moved)
{
	uint32_t ports = 0;

	for (uint32_t i = 0; i < from->node_count; i++)
		for (uint32_t p = 0; p < from->nodes[i].port_count; p++)
			moved[from->nodes[i].first_port + p] = keep[i] ? ports++ : FT_NO_PORT;
	to->node_count = to->port_count = 0;
	to->source.entry_node = FT_NO_NODE;
	for (uint32_t i = 0; i < from->node_count; i++) {
		const struct ft_node *node = &from->nodes[i];

		if (!keep[i])
			continue;
		if (i == from->source.entry_node)
			to->source.entry_node = to->node_count;
		to->nodes[to->node_count] = *node;
		to->nodes[to->node_count].first_port = to->port_count;
		for (uint32_t p = 0; p < node->port_count; p++) {
			struct ft_port *port = &to->ports[to->port_count++];

			*port = from->ports[node->first_port + p];
			port->node = to->node_count;
			port->peer = port->peer == FT_NO_PORT ? FT_NO_PORT : moved[port->peer];
		}
		to->node_count++;
	}
}

int ft_rework_look(const struct ft_rework *w, struct ft_snapshot **ret_snapshot)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *to = calloc(1, sizeof(*to));
	_cleanup_free_ bool *keep = calloc(w->s.node_count + 1UL, sizeof(*keep));
	_cleanup_free_ uint32_t *queue = calloc(w->s.node_count + 1UL, sizeof(*queue));
	_cleanup_free_ uint32_t *moved = calloc(w->s.port_count + 1UL, sizeof(*moved));
	uint32_t tail = 0;

	if (!to || !keep || !queue || !moved || snapshot_copy(to, &w->s) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->first_count; i++)
		if (i == w->start || w->apart[i]) {
			keep[i] = true;
			queue[tail++] = i;
		}
	reached_mark(&w->s, keep, queue, tail);
	nodes_keep(to, &w->s, keep, moved);
	*ret_snapshot = FT_STEAL(to);
	return 0;
}
