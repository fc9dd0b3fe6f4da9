/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/moment.h"
#include "probe/facts.h"
#include "verify/model/recall.h"

#include <errno.h>
#include <string.h>

static int recall_alloc(struct ft_model *m, const struct ft_baseline *b, struct ft_recall *r)
{
	size_t ends = 2UL * b->cable_count + b->host_count;

	r->place_of = ft_arena_numbers(&m->memory, m->observed.switch_count, FT_NONE);
	r->switch_at = ft_arena_numbers(&m->memory, m->place_count, FT_NONE);
	r->place_known = ft_arena_numbers(&m->memory, b->switch_count, FT_NONE);
	r->observed_known = ft_arena_numbers(&m->memory, b->switch_count, FT_NONE);
	r->owner = ft_arena_numbers(&m->memory, ends, FT_NONE);
	r->far = ft_arena_numbers(&m->memory, m->chips->port_count, FT_NONE);
	r->port_of = ft_arena_numbers(&m->memory, ends, FT_NONE);
	r->chip_of = ft_arena_numbers(&m->memory, m->chips->node_count, FT_NONE);
	r->chip_node = ft_arena_numbers(&m->memory, b->chip_count, FT_NONE);
	r->chip_first = ft_arena_numbers(&m->memory, b->switch_count, FT_NONE);
	r->chip_next = ft_arena_numbers(&m->memory, b->chip_count, FT_NONE);
	r->host_gone = ft_arena_zeros(&m->memory, b->host_count, sizeof(*r->host_gone));
	r->gone = ft_arena_zeros(&m->memory, b->host_count, sizeof(*r->gone));
	r->gone_first = ft_arena_zeros(&m->memory, m->observed.switch_count + 2UL, sizeof(*r->gone_first));
	return m->memory.failed ? -ENOMEM : 0;
}

/* The former assignment, of those places that the plan still has. */
static void places_recall(struct ft_model *m, const struct ft_baseline *b)
{
	_cleanup_(ft_map_release) struct ft_map places = {0};
	struct ft_recall *recall = &m->recall;

	for (uint32_t p = 0; p < m->place_count; p++)
		ft_map_put(&places, ft_text_hash(m->places[p]->name), p, &m->memory.failed);
	for (uint32_t i = 0; i < b->switch_count; i++) {
		uint32_t p = ft_map_get(&places, ft_text_hash(b->switches[i].planned_as));

		if (p == FT_NONE || strcmp(m->places[p]->name, b->switches[i].planned_as) != 0)
			continue;
		recall->switch_at[p] = i;
		recall->place_known[i] = p;
	}
}

static void switches_recall(struct ft_model *m, const struct ft_map *by_guid)
{
	struct ft_recall *recall = &m->recall;

	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		uint32_t known = ft_map_get(by_guid, m->observed.switches[i].guid);

		if (known == FT_NONE)
			continue;
		recall->observed_known[known] = i;
		recall->place_of[i] = recall->place_known[known];
	}
}

static const struct ft_baseline_port *end_at(const struct ft_baseline *b, uint32_t end)
{
	return end < 2 * b->cable_count ? &b->cables[end / 2].ends[end % 2] : &b->hosts[end - 2 * b->cable_count].at;
}

/* The port of the chips' snapshot for that entry, or FT_NONE: its node is absent, or has fewer ports. */
static uint32_t port_find(const struct ft_snapshot *s, const struct ft_map *nodes, const struct ft_baseline_port *port)
{
	uint32_t node = ft_map_get(nodes, port->guid);

	if (node == FT_NONE || port->number == 0 || port->number > s->nodes[node].port_count)
		return FT_NONE;
	return s->nodes[node].first_port + port->number - 1;
}

/* Ends are numbered: those of cables, two each, and behind them the ports of hosts. */
static void ports_recall(struct ft_model *m, const struct ft_baseline *b, const struct ft_map *by_guid)
{
	_cleanup_(ft_map_release) struct ft_map nodes = {0};
	const struct ft_snapshot *s = m->chips;
	struct ft_recall *recall = &m->recall;

	for (uint32_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].type == FT_NODE_SWITCH)
			ft_map_put(&nodes, s->nodes[i].guid, i, &m->memory.failed);
	for (uint32_t i = b->chip_count; i-- > 0;) {
		uint32_t owner = ft_map_get(by_guid, b->chips[i].owner);

		recall->chip_node[i] = ft_map_get(&nodes, b->chips[i].guid);
		if (recall->chip_node[i] != FT_NONE)
			recall->chip_of[recall->chip_node[i]] = i;
		if (owner == FT_NONE)
			continue;
		recall->chip_next[i] = recall->chip_first[owner];
		recall->chip_first[owner] = i;
	}
	for (uint32_t end = 0; end < 2 * b->cable_count + b->host_count; end++) {
		const struct ft_baseline_port *at = end_at(b, end);
		uint32_t port = port_find(s, &nodes, at);

		recall->port_of[end] = port;
		recall->owner[end] = ft_map_get(by_guid, at->owner);
		if (port != FT_NONE)
			recall->far[port] = end < 2 * b->cable_count ? end ^ 1 : end;
	}
}

/* The observed switch that host @host of the baseline was on; FT_NONE: it is not seen. */
static uint32_t switch_of_host(const struct ft_model *m, uint32_t host)
{
	uint32_t known = m->recall.owner[2 * m->recall.baseline->cable_count + host];

	return known == FT_NONE ? FT_NONE : m->recall.observed_known[known];
}

/* By counting: an entry too far at first, so that filling moves each start to where it belongs. */
static void gone_sort(struct ft_model *m, const struct ft_baseline *b)
{
	uint32_t *first = m->recall.gone_first;

	for (uint32_t i = 0; i < b->host_count; i++)
		if (m->recall.host_gone[i] && switch_of_host(m, i) != FT_NONE)
			first[switch_of_host(m, i) + 2]++;
	for (uint32_t s = 2; s <= m->observed.switch_count; s++)
		first[s] += first[s - 1];
	for (uint32_t i = 0; i < b->host_count; i++)
		if (m->recall.host_gone[i] && switch_of_host(m, i) != FT_NONE)
			m->recall.gone[first[switch_of_host(m, i) + 1]++] = i;
}

/* A host has moved, and is not gone, if its port is seen anywhere. */
static void hosts_recall(struct ft_model *m, const struct ft_baseline *b)
{
	_cleanup_(ft_map_release) struct ft_map seen = {0};
	const struct ft_snapshot *s = m->chips;

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_node *node = ft_port_node(s, &s->ports[i]);

		if (node->type == FT_NODE_CA && ft_port_peer(s, &s->ports[i]))
			ft_map_put(&seen, ft_host_key(s, &s->ports[i]), i, &m->memory.failed);
	}
	for (uint32_t i = 0; i < b->host_count; i++)
		m->recall.host_gone[i] = ft_map_get(&seen, b->hosts[i].guid) == FT_NONE;
	gone_sort(m, b);
}

bool ft_recall_is_of_plan(const struct ft_model *m)
{
	const struct ft_baseline *b = m->recall.baseline;

	return b && b->plan_hash[0] && strcmp(b->plan_hash, m->design->hash) == 0;
}

/*
 * Of another plan, as after a reload: false if cables between former places are more than this plan has there. Names of
 * places mean other switches then, and would lead the matching astray; a plan in which only a waiver or a rate is new,
 * or which has grown, has room for all of them.
 */
static bool places_fit(struct ft_model *m)
{
	const struct ft_recall *recall = &m->recall;
	uint32_t *used = ft_arena_zeros(&m->memory, m->cells.count, sizeof(*used));
	bool fit = true;

	for (uint32_t i = 0; used && fit && i < recall->baseline->cable_count; i++) {
		uint32_t a = recall->owner[2 * i], b = recall->owner[2 * i + 1], cell;

		a = a == FT_NONE ? FT_NONE : recall->place_known[a];
		b = b == FT_NONE ? FT_NONE : recall->place_known[b];
		/* Or a trace. */
		if (a == FT_NONE || b == FT_NONE || a == b)
			continue;
		cell = ft_cell_at(m, a, b);
		fit = cell < m->cells.count && ++used[cell] <= m->cells.width[cell];
	}
	return fit;
}

int ft_recall_init(struct ft_model *m)
{
	const struct ft_baseline *b = m->input ? m->input->baseline : NULL;
	_cleanup_(ft_map_release) struct ft_map by_guid = {0};

	m->recall.baseline = b;
	if (!b)
		return 0;
	for (uint32_t i = 0; i < b->switch_count; i++)
		ft_map_put(&by_guid, b->switches[i].guid, i, &m->memory.failed);
	if (recall_alloc(m, b, &m->recall) < 0)
		return -ENOMEM;
	places_recall(m, b);
	switches_recall(m, &by_guid);
	ports_recall(m, b, &by_guid);
	hosts_recall(m, b);
	if (!ft_recall_is_of_plan(m) && !places_fit(m))
		m->recall = (struct ft_recall){0};
	return m->memory.failed ? -ENOMEM : 0;
}

uint32_t ft_recall_place(const struct ft_model *m, uint32_t observed)
{
	return m->recall.place_of ? m->recall.place_of[observed] : FT_NONE;
}

const struct ft_baseline_switch *ft_recall_switch(const struct ft_model *m, uint32_t place)
{
	if (!m->recall.switch_at || m->recall.switch_at[place] == FT_NONE)
		return NULL;
	return &m->recall.baseline->switches[m->recall.switch_at[place]];
}

const struct ft_baseline_switch *ft_recall_absent(const struct ft_model *m, uint32_t place)
{
	const struct ft_baseline_switch *was = ft_recall_switch(m, place);

	return was && m->recall.observed_known[m->recall.switch_at[place]] == FT_NONE ? was : NULL;
}

uint32_t ft_recall_returning_s(const struct ft_model *m)
{
	return m->input->returning_s ? m->input->returning_s : FT_RETURNING_S;
}

static bool is_back(const struct ft_model *m, bool gone, int64_t back_s)
{
	int64_t since_s = m->snapshot->source.time_s - back_s;

	/* A clock that was stepped back proves nothing. */
	return gone || (back_s && since_s >= 0 && since_s < ft_recall_returning_s(m));
}

bool ft_recall_is_back(const struct ft_model *m, uint32_t place, const struct ft_baseline_switch *was, int64_t back_s)
{
	const struct ft_observed_switch *sw = ft_observed_at(m, place);

	return sw && sw->guid == was->guid && is_back(m, ft_baseline_is_gone(was->gone_s, was->back_s), back_s);
}

const struct ft_baseline_chip *ft_recall_chip(const struct ft_model *m, uint32_t node)
{
	uint32_t chip = m->recall.chip_of ? m->recall.chip_of[node] : FT_NONE;

	return chip == FT_NONE ? NULL : &m->recall.baseline->chips[chip];
}

bool ft_recall_chip_is_back(const struct ft_model *m, uint32_t node)
{
	const struct ft_baseline_chip *chip = ft_recall_chip(m, node);

	return chip && is_back(m, ft_baseline_is_gone(chip->gone_s, chip->back_s), chip->back_s);
}

uint32_t ft_recall_traces(const struct ft_model *m, const struct ft_baseline_switch *was, uint32_t *ret_lacking)
{
	const struct ft_baseline *b = m->recall.baseline;
	uint32_t count = 0;

	*ret_lacking = 0;
	for (uint32_t i = 0; i < b->cable_count; i++) {
		uint32_t port = m->recall.port_of[2 * i], far = m->recall.port_of[2 * i + 1];

		if (b->cables[i].ends[0].owner != was->guid || b->cables[i].ends[1].owner != was->guid)
			continue;
		count++;
		*ret_lacking += (port == FT_NONE || far == FT_NONE || m->chips->ports[port].peer != far) &&
				ft_baseline_cable_went_with(&b->cables[i], was->gone_s);
	}
	return count;
}

bool ft_recall_went(const struct ft_model *m, uint32_t port)
{
	const struct ft_baseline *b = m->recall.baseline;
	uint32_t far = m->recall.far && port < m->chips->port_count ? m->recall.far[port] : FT_NONE;
	bool went = false;

	if (far >= 2 * b->cable_count)
		return false;
	for (uint32_t end = far & ~1U; end <= (far | 1); end++) {
		const struct ft_baseline_cable *c = &b->cables[end / 2];
		uint32_t owner = m->recall.owner[end], at = m->recall.port_of[end];
		const struct ft_baseline_chip *chip =
			at == FT_NONE ? NULL : ft_recall_chip(m, m->chips->ports[at].node);

		if (at == FT_NONE)
			return false;
		went |= (chip && ft_baseline_cable_went_with(c, chip->gone_s)) ||
			(owner != FT_NONE && ft_baseline_cable_went_with(c, b->switches[owner].gone_s));
	}
	return went;
}

uint64_t ft_recall_chip_behind(const struct ft_model *m, uint32_t port)
{
	uint32_t end;

	if (!m->recall.far)
		return 0;
	end = m->recall.far[port];
	return end < 2 * m->recall.baseline->cable_count ? end_at(m->recall.baseline, end)->guid : 0;
}

enum ft_recalled ft_recall_port(const struct ft_model *m, uint32_t observed, uint32_t number, uint32_t *ret_place)
{
	const struct ft_node *node = &m->snapshot->nodes[m->observed.switches[observed].node];
	uint32_t port, end, known;

	*ret_place = FT_NONE;
	if (!m->recall.far || number == 0 || number > node->port_count)
		return FT_RECALLED_NOTHING;
	port = ft_port_origin(m, node->first_port + number - 1);
	end = port < m->chips->port_count ? m->recall.far[port] : FT_NONE;
	if (end == FT_NONE)
		return FT_RECALLED_NOTHING;
	if (end >= 2 * m->recall.baseline->cable_count)
		return FT_RECALLED_HOST;
	known = m->recall.owner[end];
	if (known == FT_NONE)
		return FT_RECALLED_NOTHING;
	*ret_place = m->recall.observed_known[known] != FT_NONE
			     ? m->observed.switches[m->recall.observed_known[known]].planned
			     : m->recall.place_known[known];
	return *ret_place == FT_NONE ? FT_RECALLED_NOTHING : FT_RECALLED_SWITCH;
}

/* The cables of @observed that are in their former ports. */
static uint32_t cables_as_before(const struct ft_model *m, uint32_t observed)
{
	uint32_t count = 0;

	ft_each_end(end, m, observed) {
		uint32_t near = ft_port_origin(m, end->port), far = ft_port_origin(m, end->far_port);

		count += near < m->chips->port_count && far < m->chips->port_count && m->recall.far[near] != FT_NONE &&
			 m->recall.far[far] == (m->recall.far[near] ^ 1);
	}
	return count;
}

/* The hosts of @observed that are in their former ports. */
static uint32_t hosts_as_before(const struct ft_model *m, uint32_t observed)
{
	const struct ft_observed_switch *sw = &m->observed.switches[observed];
	const struct ft_baseline *b = m->recall.baseline;
	uint32_t count = 0;

	for (uint32_t i = sw->first_host; i < sw->end_host; i++) {
		const struct ft_observed_host *host = &m->observed.hosts[i];
		uint32_t port = ft_port_origin(m, host->switch_port);
		uint32_t end = port < m->chips->port_count ? m->recall.far[port] : FT_NONE;

		count += end != FT_NONE && end >= 2 * b->cable_count &&
			 b->hosts[end - 2 * b->cable_count].guid ==
				 ft_host_key(m->snapshot, &m->snapshot->ports[host->port]);
	}
	return count;
}

bool ft_recall_stands(const struct ft_model *m, uint32_t observed)
{
	return ft_recall_is_of_plan(m) && m->recall.place_of[observed] != FT_NONE &&
	       2 * cables_as_before(m, observed) > m->observed.switches[observed].cable_count;
}

bool ft_recall_has_moved(const struct ft_model *m, uint32_t observed)
{
	const struct ft_observed_switch *sw = &m->observed.switches[observed];

	return ft_recall_place(m, observed) != FT_NONE && cables_as_before(m, observed) == 0 &&
	       (sw->cable_count > 1 || (sw->cable_count == 1 && sw->hosts > 0 && hosts_as_before(m, observed) == 0));
}

void ft_recall_seat(struct ft_model *m)
{
	for (uint32_t i = 0; m->recall.baseline && i < m->observed.switch_count; i++) {
		const struct ft_observed_switch *sw = &m->observed.switches[i];
		uint32_t place = m->recall.place_of[i];

		if (sw->planned != FT_NONE || sw->tolerated || place == FT_NONE || m->observed_of[place] != FT_NONE ||
		    sw->cable_count == 0 || ft_recall_has_moved(m, i))
			continue;
		ft_observed_seat(m, i, place);
	}
}

uint32_t ft_recall_far(const struct ft_model *m, uint32_t port)
{
	uint32_t origin = m->recall.far ? ft_port_origin(m, port) : FT_NONE;
	uint32_t end = origin < m->chips->port_count ? m->recall.far[origin] : FT_NONE;
	uint32_t far = end == FT_NONE ? FT_NONE : m->recall.port_of[end];

	return far == FT_NONE || !m->origin ? far : m->chassis->whole_port[far];
}

uint32_t ft_recall_hosts_gone(const struct ft_model *m, uint32_t place, const uint32_t **ret_hosts)
{
	const struct ft_recall *recall = &m->recall;
	uint32_t observed = m->observed_of[place];

	*ret_hosts = NULL;
	if (!recall->baseline || observed == FT_NONE)
		return 0;
	*ret_hosts = recall->gone + recall->gone_first[observed];
	return recall->gone_first[observed + 1] - recall->gone_first[observed];
}

const char *ft_recall_until(const struct ft_model *m, int64_t gone_s, int64_t back_s, char ret_string[FT_TIME_SIZE])
{
	bool still = gone_s && is_back(m, !back_s, back_s);
	int64_t until_s = still ? gone_s : m->recall.baseline->time_s;

	if (until_s <= 0 || ft_time_string(until_s, ret_string) < 0)
		ret_string[0] = '\0';
	return ret_string;
}
