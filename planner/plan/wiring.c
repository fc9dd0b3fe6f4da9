/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/wiring.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/plan/cabling.h"
#include "planner/plan/tree.h"

void ft_wiring_release(struct ft_wiring *wiring)
{
	free(wiring->first_host);
	free(wiring->first_bundle);
	free(wiring->bundles);
	free(wiring->first_cable);
	free(wiring->cables);
	free(wiring->hosts);
	*wiring = (struct ft_wiring){0};
}

static void number_hosts(const struct ft_plan *plan, struct ft_wiring *wiring)
{
	uint32_t host = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		wiring->first_host[i] = host;
		host += plan->switches[i].hosts;
	}
}

/* Counting sort: counted, then filled from the last bundle on, which leaves first_bundle at each switch's first. */
static void sort_bundles(const struct ft_plan *plan, struct ft_wiring *wiring)
{
	uint32_t *first = wiring->first_bundle;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		first[plan->bundles[i].a]++;
		first[plan->bundles[i].b]++;
	}
	for (uint32_t i = 1; i <= plan->switch_count; i++)
		first[i] += first[i - 1];
	for (uint32_t i = plan->bundle_count; i-- > 0;) {
		wiring->bundles[--first[plan->bundles[i].a]] = i;
		wiring->bundles[--first[plan->bundles[i].b]] = i;
	}
}

/* Which ports of which switch are taken. */
struct sockets {
	size_t *first; /* of each switch, in @taken: that of port 0, which is none */
	bool *taken;
};

static void sockets_release(struct sockets *sockets)
{
	free(sockets->first);
	free(sockets->taken);
}

static int sockets_make(const struct ft_plan *plan, struct sockets *sockets)
{
	size_t total = 0;

	sockets->first = calloc(plan->switch_count + 1UL, sizeof(*sockets->first));
	if (!sockets->first)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		sockets->first[i] = total;
		total += ft_cabling_ports(plan, i) + 1UL;
	}
	sockets->first[plan->switch_count] = total;
	sockets->taken = calloc(total + 1, sizeof(*sockets->taken));
	return sockets->taken ? 0 : -ENOMEM;
}

/* A port given by the plan: it is used in any case. */
static void socket_take(const struct sockets *sockets, uint32_t sw, uint32_t port)
{
	sockets->taken[sockets->first[sw] + port] = true;
}

/* The first free port from @from on, cyclically; 0 if there is none. */
static uint32_t socket_find(const struct sockets *sockets, uint32_t sw, uint32_t from)
{
	const bool *taken = sockets->taken + sockets->first[sw];
	uint32_t ports = (uint32_t)(sockets->first[sw + 1] - sockets->first[sw]) - 1;

	for (uint32_t i = 0; i < ports; i++) {
		uint32_t port = (from - 1 + i) % ports + 1;

		if (!taken[port]) {
			socket_take(sockets, sw, port);
			return port;
		}
	}
	return 0;
}

/* The computed ports, in addition to those that the plan lists. */
static void bundle_wire(const struct ft_plan *plan, uint32_t index, struct ft_wire *wires)
{
	const struct ft_plan_bundle *bundle = &plan->bundles[index];

	for (uint32_t k = 0; k < bundle->count; k++)
		wires[k] = (struct ft_wire){bundle->a_port + k, bundle->b_port + k};
}

/* Cables are sorted as bundles are. */
static void said_take(const struct ft_plan *plan, const struct sockets *sockets, struct ft_wiring *wiring)
{
	for (uint32_t i = 0; i < plan->cable_count; i++) {
		const struct ft_plan_cable *cable = &plan->cables[i];

		wiring->cables[i] = (struct ft_wire){cable->a_port, cable->b_port};
		socket_take(sockets, cable->a, cable->a_port);
		socket_take(sockets, cable->b, cable->b_port);
	}
	for (uint32_t i = 0; i < plan->host_count; i++)
		socket_take(sockets, plan->hosts[i].edge, plan->hosts[i].port);
}

/* Where the uplinks of a switch begin, by the rules. */
static uint32_t uplinks_from(const struct ft_plan *plan, uint32_t sw)
{
	uint32_t below =
		plan->switches[sw].tier == FT_TIER_EDGE ? plan->tree->ports_to_nodes : plan->tree->spine_ports_down;

	if (plan->topology == FT_TOPOLOGY_GRAPH || ft_plan_is_beside(plan, sw))
		below = plan->switches[sw].hosts;
	return below < plan->switches[sw].ports ? below + 1 : 1;
}

static void unsaid_cables_wire(const struct ft_plan *plan, const struct sockets *sockets, struct ft_wiring *wiring)
{
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];
		uint32_t from = ft_plan_is_beside(plan, bundle->b) ? uplinks_from(plan, bundle->b) : 1;

		for (uint32_t k = 0; k < bundle->count; k++) {
			struct ft_wire *wire = &wiring->cables[wiring->first_cable[i] + k];
			bool said = plan->cable_count > 0;

			if (!said || wire->a_port == 0)
				wire->a_port = socket_find(sockets, bundle->a,
							   said ? uplinks_from(plan, bundle->a) : wire->a_port);
			if (!said || wire->b_port == 0)
				wire->b_port = socket_find(sockets, bundle->b, said ? from : wire->b_port);
		}
	}
}

/* The listed ones first, in the order of the list. */
static void hosts_wire(const struct ft_plan *plan, const struct sockets *sockets, struct ft_wiring *wiring,
		       uint32_t *next)
{
	memcpy(next, wiring->first_host, plan->switch_count * sizeof(*next));
	for (uint32_t i = 0; i < plan->host_count; i++) {
		const struct ft_plan_host *host = &plan->hosts[i];

		wiring->hosts[next[host->edge]++] = (struct ft_host_wire){host->port, i};
	}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t k = 0; k < plan->switches[i].hosts; k++) {
			uint32_t host = wiring->first_host[i] + k;

			if (host >= next[i])
				wiring->hosts[host].listed = FT_NONE;
			if (wiring->hosts[host].port == 0)
				wiring->hosts[host].port = sockets ? socket_find(sockets, i, 1) : k + 1;
		}
}

static int ports_wire(const struct ft_plan *plan, struct ft_wiring *wiring)
{
	_cleanup_(sockets_release) struct sockets sockets = {0};
	_cleanup_free_ uint32_t *next = calloc(plan->switch_count + 1UL, sizeof(*next));
	bool plain = plan->cable_count == 0 && plan->host_count == 0;
	int r;

	if (!next)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		bundle_wire(plan, i, &wiring->cables[wiring->first_cable[i]]);
	if (plain) {
		hosts_wire(plan, NULL, wiring, next);
		return 0;
	}
	r = sockets_make(plan, &sockets);
	if (r < 0)
		return r;
	said_take(plan, &sockets, wiring);
	unsaid_cables_wire(plan, &sockets, wiring);
	hosts_wire(plan, &sockets, wiring, next);
	return 0;
}

static size_t cables_number(const struct ft_plan *plan, uint32_t *first_cable)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		first_cable[i] = total;
		total += plan->bundles[i].count;
	}
	return total;
}

int ft_wiring_make(const struct ft_plan *plan, struct ft_wiring *ret_wiring)
{
	_cleanup_(ft_wiring_release) struct ft_wiring wiring = {
		.first_host = calloc((size_t)plan->switch_count + 1, sizeof(uint32_t)),
		.first_bundle = calloc((size_t)plan->switch_count + 1, sizeof(uint32_t)),
		.bundles = calloc(2 * (size_t)plan->bundle_count + 1, sizeof(uint32_t)),
		.first_cable = calloc((size_t)plan->bundle_count + 1, sizeof(uint32_t)),
		.hosts = calloc((size_t)ft_plan_host_total(plan) + 1, sizeof(struct ft_host_wire)),
	};
	int r;

	if (!wiring.first_host || !wiring.first_bundle || !wiring.bundles || !wiring.first_cable || !wiring.hosts)
		return -ENOMEM;
	wiring.cables = calloc(cables_number(plan, wiring.first_cable) + 1, sizeof(*wiring.cables));
	if (!wiring.cables)
		return -ENOMEM;
	number_hosts(plan, &wiring);
	sort_bundles(plan, &wiring);
	r = ports_wire(plan, &wiring);
	if (r < 0)
		return r;
	*ret_wiring = wiring;
	wiring = (struct ft_wiring){0};
	return 0;
}

/* snprintf() would take longer than all the rest of a large plan. */
const char *ft_numbered_name(const char *stem, uint32_t number, uint32_t count, uint32_t digits_min, char *buffer)
{
	size_t length = strlen(stem), end = length + digits_min;

	memcpy(buffer, stem, length);
	for (uint64_t limit = 10, digits = 1; limit <= count; limit *= 10)
		end += ++digits > digits_min;
	buffer[end] = '\0';
	for (; end > length; number /= 10)
		buffer[--end] = (char)('0' + number % 10);
	return buffer;
}

uint32_t ft_plan_host_total(const struct ft_plan *plan)
{
	return plan->nodes + ft_plan_island_hosts(plan);
}

const char *ft_plan_host_name(const struct ft_plan *plan, uint32_t host, char buffer[FT_HOST_NAME_SIZE])
{
	uint32_t last = host < plan->nodes ? plan->nodes : ft_plan_host_total(plan);

	return ft_numbered_name("node", host + 1, last, 3, buffer);
}

const char *ft_wiring_host_name(const struct ft_plan *plan, const struct ft_wiring *wiring, uint32_t host,
				char buffer[FT_HOST_NAME_SIZE])
{
	uint32_t listed = wiring->hosts[host].listed;

	if (plan->host_count == 0 || host >= plan->nodes)
		return ft_plan_host_name(plan, host, buffer);
	if (listed == FT_NONE)
		return ft_numbered_name("unlisted", host + 1, plan->nodes, 3, buffer);
	return plan->hosts[listed].name ? plan->hosts[listed].name : ft_plan_host_name(plan, host, buffer);
}

uint32_t ft_plan_tier_first(const struct ft_plan *plan, enum ft_tier tier)
{
	const uint32_t firsts[FT_TIER_COUNT] = {0, plan->tree->edge_count,
						plan->tree->edge_count + plan->tree->spine_count};

	return firsts[tier];
}

uint32_t ft_plan_tier_count(const struct ft_plan *plan, enum ft_tier tier)
{
	const uint32_t counts[FT_TIER_COUNT] = {plan->tree->edge_count, plan->tree->spine_count,
						plan->tree->core_count};

	return counts[tier];
}

uint64_t ft_plan_bound_guid(const struct ft_design *design, const struct ft_plan *plan, uint32_t index)
{
	enum ft_tier tier = plan->switches[index].tier;
	const struct ft_bind *bind = &design->binds[tier];

	if (plan->switches[index].guid || ft_plan_is_beside(plan, index))
		return plan->switches[index].guid;
	return bind->count ? bind->guids[index - ft_plan_tier_first(plan, tier)] : 0;
}

const struct ft_bind *ft_plan_bind(const struct ft_design *design, const struct ft_plan *plan, uint32_t index)
{
	return &design->binds[plan->topology == FT_TOPOLOGY_GRAPH ? FT_TIER_EDGE : plan->switches[index].tier];
}

void ft_plain_names_release(struct ft_plain_names *names)
{
	for (uint32_t i = 0; names->names && i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct ft_plain_names){0};
}

uint32_t ft_plan_find_host(const struct ft_plan *plan, const char *name)
{
	char buffer[FT_HOST_NAME_SIZE];
	unsigned long number;

	if (strncmp(name, "node", 4) != 0 || !isdigit((unsigned char)name[4]) || strlen(name) >= FT_HOST_NAME_SIZE)
		return FT_NONE;
	number = strtoul(name + 4, NULL, 10);
	if (number < 1 || number > plan->nodes)
		return FT_NONE;
	ft_plan_host_name(plan, (uint32_t)number - 1, buffer);
	return strcmp(buffer, name) == 0 ? (uint32_t)number - 1 : FT_NONE;
}

/* Returns 1 if the name was free and now is taken, 0 if it is not free, -ENOMEM. */
static int take_name(const struct ft_plan *plan, struct ft_map *map, const char *name)
{
	if (ft_plan_find_host(plan, name) != FT_NONE)
		return 0;
	return ft_map_add(map, ft_text_hash(name), 0, NULL);
}

static void make_plain(struct ft_text *text, const char *name)
{
	ft_text_puts(text, *name ? "" : "_");
	for (; *name; name++) {
		bool plain = isascii(*name) && (isalnum((unsigned char)*name) || strchr("_.-", *name));

		ft_text_add(text, plain ? name : "_", 1);
	}
}

static char *plain_name(const struct ft_plan *plan, struct ft_map *map, uint32_t index)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	uint32_t suffix = index + 1;
	size_t length;
	int r;

	make_plain(&text, plan->switches[index].name);
	length = text.length;
	while (!ft_text_failed(&text)) {
		r = take_name(plan, map, ft_text_string(&text));
		if (r < 0)
			return NULL;
		if (r > 0)
			return FT_STEAL(text.data);
		text.length = length;
		ft_text_printf(&text, ".%u", suffix++);
	}
	return NULL;
}

int ft_plain_names_make(const struct ft_plan *plan, const char *const *taken, struct ft_plain_names *ret_names)
{
	_cleanup_(ft_plain_names_release) struct ft_plain_names names = {
		.names = calloc((size_t)plan->switch_count + 1, sizeof(*names.names)),
		.count = plan->switch_count,
	};
	_cleanup_(ft_map_release) struct ft_map map = {0};

	if (!names.names)
		return -ENOMEM;
	for (; taken && *taken; taken++)
		if (ft_map_add(&map, ft_text_hash(*taken), 0, NULL) < 0)
			return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		names.names[i] = plain_name(plan, &map, i);
		if (!names.names[i])
			return -ENOMEM;
	}
	*ret_names = names;
	names = (struct ft_plain_names){0};
	return 0;
}
