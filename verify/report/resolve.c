/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/report/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "planner/plan/wiring.h"
#include "planner/write/formats.h"
#include "verify/model/model.h"

void ft_resolved_release(struct ft_resolved *resolved)
{
	ft_arena_release(&resolved->memory);
}

static void list_init(struct ft_resolved *list, size_t most)
{
	list->guids = ft_arena_zeros(&list->memory, most, sizeof(*list->guids));
	list->names = ft_arena_zeros(&list->memory, most, sizeof(*list->names));
}

/* Each GUID once: @there has those of the list. @name: safe already */
static void list_add(struct ft_resolved *list, struct ft_map *there, uint64_t guid, const char *name)
{
	int r = guid ? ft_map_add(there, guid, (uint32_t)list->count, NULL) : 0;

	list->memory.failed |= r < 0;
	if (r <= 0)
		return;
	list->names[list->count] = ft_arena_string(&list->memory, name);
	list->guids[list->count++] = guid;
}

/* Moves it, if memory sufficed. 0 or -ENOMEM. */
static int list_end(struct ft_resolved *list, struct ft_resolved *ret)
{
	if (list->memory.failed)
		return -ENOMEM;
	*ret = *list;
	*list = (struct ft_resolved){0};
	return 0;
}

int ft_resolve_check_plan(const struct ft_plan *plan, struct ft_error *err)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (ft_plan_is_director(plan, i))
			return ft_error_set(err, -EINVAL, 0, 0,
					    "the plan has %s%sswitches of %u ports: directors, and to OpenSM each of "
					    "their chips is a switch of its own",
					    ft_plan_kind_name(plan, i), ft_plan_kind_name(plan, i)[0] ? " " : "",
					    plan->switches[i].ports);
	return 0;
}

/* A switch bound by GUID is known without being seen. The report lists the switches of the plan first, in its order. */
static uint64_t guid_of(const struct ft_design *design, const struct ft_plan *plan, const struct ft_report *report,
			uint32_t index)
{
	uint64_t guid = index < report->switch_count ? report->switches[index].guid : 0;

	return guid ? guid : ft_plan_bound_guid(design, plan, index);
}

int ft_resolve_guids(const struct ft_design *design, const struct ft_plan *plan, const struct ft_report *report,
		     uint64_t **ret_guids)
{
	uint64_t *guids = calloc((size_t)plan->switch_count + 1, sizeof(*guids));

	if (!guids)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		guids[i] = guid_of(design, plan, report, i);
	*ret_guids = guids;
	return 0;
}

int ft_resolve_roots(const struct ft_design *design, const struct ft_plan *plan, const struct ft_report *report,
		     struct ft_resolved *ret_resolved)
{
	_cleanup_(ft_resolved_release) struct ft_resolved list = {0};
	_cleanup_(ft_map_release) struct ft_map there = {0};

	list_init(&list, report->switch_count);
	for (uint32_t i = 0; !list.memory.failed && i < plan->switch_count && i < report->switch_count; i++) {
		const struct ft_report_switch *sw = &report->switches[i];
		uint64_t guid;

		if (!ft_opensm_is_root(plan, i))
			continue;
		guid = guid_of(design, plan, report, i);
		list_add(&list, &there, guid, sw->name);
		if (!guid && list.missing++ == 0)
			list.missing_name = ft_arena_string(&list.memory, sw->name);
	}
	return list_end(&list, ret_resolved);
}

static int hosts_collect(const struct ft_model *m, const struct ft_report *report, struct ft_resolved *ret_resolved)
{
	_cleanup_(ft_resolved_release) struct ft_resolved list = {0};
	_cleanup_(ft_map_release) struct ft_map edges = {0}, there = {0};
	const struct ft_snapshot *s = m->snapshot;

	list_init(&list, m->observed.host_count);
	/* The GUIDs of the switches in the places with planned hosts. */
	for (uint32_t i = 0; i < m->plan->switch_count && i < report->switch_count; i++)
		if (report->switches[i].guid && m->plan->kinds[m->plan->switches[i].kind].may_host &&
		    !ft_plan_is_beside(m->plan, i))
			ft_map_put(&edges, report->switches[i].guid, 0, &list.memory.failed);
	for (uint32_t i = 0; !list.memory.failed && i < m->observed.host_count; i++) {
		const struct ft_observed_host *host = &m->observed.hosts[i];
		const struct ft_node *node = ft_port_node(s, &s->ports[host->port]);
		const char *name;

		if (ft_map_get(&edges, m->observed.switches[host->observed].guid) == FT_NONE)
			continue;
		name = ft_arena_safe(&list.memory, ft_node_description(s, node), node->description_length);
		list_add(&list, &there, s->ports[host->port].guid, name ? name : "");
	}
	return list_end(&list, ret_resolved);
}

int ft_resolve_hosts(const struct ft_design *design, const struct ft_plan *plan, const struct ft_snapshot *snapshot,
		     const struct ft_report *report, struct ft_resolved *ret_resolved)
{
	struct ft_model m = {.design = design, .plan = plan, .snapshot = snapshot};
	int r = ft_observed_build(&m) ?: hosts_collect(&m, report, ret_resolved);

	ft_model_release(&m);
	return r;
}

/*
 * The switches of @snapshot by name and GUID, as ft_site_import() takes them.
 *
 * @ret_switches  out: one block that the caller frees. Untouched on failure.
 * Returns 0 or -ENOMEM.
 */
static int switches_list(const struct ft_snapshot *snapshot, struct ft_site_switch **ret_switches, size_t *ret_count)
{
	size_t count = 0, bytes = 0;
	struct ft_site_switch *switches;
	char *names;

	for (uint32_t i = 0; i < snapshot->node_count; i++)
		if (snapshot->nodes[i].type == FT_NODE_SWITCH) {
			bytes += snapshot->nodes[i].description_length + 1;
			count++;
		}
	switches = calloc(1, count * sizeof(*switches) + bytes + 1);
	if (!switches)
		return -ENOMEM;
	names = (char *)(switches + count);
	count = 0;
	for (uint32_t i = 0; i < snapshot->node_count; i++) {
		const struct ft_node *node = &snapshot->nodes[i];

		if (node->type != FT_NODE_SWITCH)
			continue;
		memcpy(names, ft_node_description(snapshot, node), node->description_length);
		switches[count++] = (struct ft_site_switch){names, node->guid};
		names += node->description_length + 1;
	}
	*ret_switches = switches;
	*ret_count = count;
	return 0;
}

int ft_resolve_cables(const struct ft_snapshot *snapshot, const char *path, const struct ft_sheet *sheet,
		      struct ft_design *design, struct ft_plan *plan, bool all, struct ft_text *text,
		      struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text faults = {0}, notes = {0};
	_cleanup_free_ struct ft_site_switch *known = NULL;
	size_t known_count = 0;
	int r = 0;

	if (snapshot)
		r = switches_list(snapshot, &known, &known_count);
	if (r == 0)
		r = ft_site_import(design, plan, sheet, known, known_count, &faults, &notes, err);
	if (r == 1 || (r == 0 && all))
		ft_site_tell(text, path, ft_text_string(&faults), ft_text_string(&notes));
	if (r < 0)
		return r;
	return ft_text_failed(text) ? -ENOMEM : 0;
}
