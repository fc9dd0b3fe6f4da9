/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The names of the hosts that each finding cuts off, for whoever acts on them: a scheduler that is to send no jobs
 * there. A name is known where the plan lists the host, where it is still seen beside its isolated switch, or where the
 * baseline remembers it; else the finding has its number of hosts only. Cost: O(switches + hosts + cut off * log(cut
 * off)).
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "probe/facts.h"
#include "verify/model/bounds.h"
#include "verify/check/check.h"
#include "verify/model/recall.h"

struct names {
	struct ft_arena *memory; /* of the report */
	char **name;
	size_t count;
	size_t bytes; /* of the names */
};

enum { BYTES_A_NODE = 32 }; /* of all names, by planned node: the report is bounded by the plan */

/* The host of that node description. Nothing is added if it is empty. */
static void name_add(struct names *n, const char *description, size_t length)
{
	char *name = ft_arena_keep(n->memory, ft_host_name_dup(description, length));
	char **more = name && name[0] ? FT_ARENA_MORE(n->memory, n->name, n->count) : NULL;

	if (!more)
		return;
	n->bytes += strlen(name) + 1;
	*more = name;
}

/* The hosts of the switches for which @of is true: of the list, those not seen; of what is seen; of the baseline. */
static void hosts_of_places(const struct ft_model *m, const bool *of, struct names *n)
{
	const struct ft_baseline *b = m->recall.baseline;

	for (uint32_t i = 0; i < m->plan->host_count; i++) {
		const struct ft_plan_host *h = &m->plan->hosts[i];

		if (h->name && of[m->place_of[h->edge]] && !(m->port_map.fate && m->port_map.fate[i] == FT_HOST_SEEN))
			name_add(n, h->name, strlen(h->name));
	}
	for (uint32_t i = 0; i < m->observed.host_count; i++) {
		const struct ft_observed_host *h = &m->observed.hosts[i];
		const struct ft_node *node = ft_port_node(m->snapshot, &m->snapshot->ports[h->port]);

		if (m->observed.switches[h->observed].planned != FT_NONE &&
		    of[m->observed.switches[h->observed].planned])
			name_add(n, ft_node_description(m->snapshot, node), node->description_length);
	}
	for (uint32_t i = 0; b && i < b->host_count; i++) {
		uint32_t known = m->recall.owner[2 * b->cable_count + i];
		uint32_t place = known == FT_NONE ? FT_NONE : m->recall.place_known[known];

		if (m->recall.host_gone[i] && place != FT_NONE && of[place])
			name_add(n, b->hosts[i].name, strlen(b->hosts[i].name));
	}
}

/* The hosts that are missing on switches that are seen. */
static void hosts_missing(const struct ft_model *m, struct names *n)
{
	const struct ft_baseline *b = m->recall.baseline;

	for (uint32_t i = 0; m->port_map.fate && i < m->plan->host_count; i++) {
		const struct ft_plan_host *h = &m->plan->hosts[i];

		if (h->name && m->port_map.fate[i] == FT_HOST_MISSING && !ft_host_is_expected_down(m, h->name))
			name_add(n, h->name, strlen(h->name));
	}
	for (uint32_t i = 0; !m->port_map.fate && b && i < b->host_count; i++) {
		uint32_t known = m->recall.owner[2 * b->cable_count + i];

		if (m->recall.host_gone[i] && known != FT_NONE && m->recall.observed_known[known] != FT_NONE)
			name_add(n, b->hosts[i].name, strlen(b->hosts[i].name));
	}
}

/* Sorted, and each once: a host with two adapters has two cables. */
static void names_settle(struct names *n)
{
	size_t kept = 0;

	if (n->count > 0)
		qsort(n->name, n->count, sizeof(*n->name), ft_text_natural_order);
	for (size_t i = 0; i < n->count; i++)
		if (kept == 0 || strcmp(n->name[kept - 1], n->name[i]) != 0)
			n->name[kept++] = n->name[i];
	n->count = kept;
}

/* @room: bytes for names that are left; a list that does not fit is left out whole, for a part of it would mislead. */
static void finding_name(const struct ft_model *m, struct ft_finding *f, bool *of, size_t *room)
{
	struct names n = {.memory = &m->report->memory};

	if (f->gone_count > 0) {
		memset(of, 0, m->place_count + 1UL);
		for (size_t i = 0; i < f->gone_count; i++)
			of[m->place_of[f->gone[i]]] = true;
		hosts_of_places(m, of, &n);
	}
	if (f->code == FT_CODE_HOSTS_MISSING)
		hosts_missing(m, &n);
	if (n.count == 0 || n.bytes > *room)
		return;
	*room -= n.bytes;
	names_settle(&n);
	f->hosts = n.name;
	f->host_count = n.count;
}

int ft_hosts_cut_off_name(struct ft_model *m)
{
	bool *of = ft_arena_zeros(&m->memory, m->place_count + 1UL, sizeof(*of));
	struct ft_bounds bounds;
	size_t room;

	ft_bounds_of_plan(m->plan, &bounds);
	room = (size_t)bounds.planned_nodes * BYTES_A_NODE;
	for (size_t i = 0; of && i < m->report->finding_count; i++)
		if (m->report->findings[i].impact.hosts_cut_off > 0)
			finding_name(m, &m->report->findings[i], of, &room);
	return 0;
}
