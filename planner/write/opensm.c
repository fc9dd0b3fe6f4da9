/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/plan/wiring.h"
#include "planner/plan/tree.h"

static int check_list(const struct ft_opensm_list *list, struct ft_error *err)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};

	if (list->count == 0)
		return ft_error_set(err, -EINVAL, 0, 0, "there is no GUID to write for OpenSM");
	for (size_t i = 0; i < list->count; i++) {
		int r;

		if (list->guids[i] == 0)
			return ft_error_set(err, -EINVAL, 0, 0, "the GUID of \"%s\" is not known, and OpenSM wants it",
					    list->names ? list->names[i] : "?");
		r = ft_map_add(&map, list->guids[i], (uint32_t)i, NULL);
		if (r < 0)
			return r;
		if (r == 0)
			return ft_error_set(err, -EINVAL, 0, 0, "GUID 0x%016" PRIx64 " is there twice", list->guids[i]);
	}
	return 0;
}

/* OpenSM reads one number a line and ignores text after a #. */
static int write_list(struct ft_text *text, const char *heading, const struct ft_opensm_list *list,
		      struct ft_error *err)
{
	int r = check_list(list, err);

	if (r < 0)
		return r;
	ft_text_printf(text, "# %s, written by ftplan\n", heading);
	for (size_t i = 0; i < list->count; i++) {
		ft_text_printf(text, "0x%016" PRIx64, list->guids[i]);
		if (list->names) {
			ft_text_puts(text, " # ");
			ft_text_add_safe(text, list->names[i], strlen(list->names[i]));
		}
		ft_text_puts(text, "\n");
	}
	return ft_text_failed(text) ? -ENOMEM : 0;
}

int ft_write_opensm_roots(struct ft_text *text, const struct ft_opensm_list *list, struct ft_error *err)
{
	return write_list(text, "Root GUID file of OpenSM (-a): switches of the highest tier", list, err);
}

int ft_write_opensm_cns(struct ft_text *text, const struct ft_opensm_list *list, struct ft_error *err)
{
	return write_list(text, "Compute node GUID file of OpenSM (-u): ports of hosts", list, err);
}

bool ft_opensm_has_roots(const struct ft_plan *plan)
{
	if (plan->topology != FT_TOPOLOGY_GRAPH)
		return true;
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (plan->switches[plan->bundles[i].a].tier == plan->switches[plan->bundles[i].b].tier)
			return false;
	return plan->bundle_count > 0;
}

bool ft_opensm_is_root(const struct ft_plan *plan, uint32_t index)
{
	const struct ft_plan_switch *sw = &plan->switches[index];

	if (plan->topology == FT_TOPOLOGY_GRAPH)
		return sw->tier == FT_TIER_CORE;
	return !ft_plan_is_beside(plan, index) && sw->tier == (plan->tree->core_count ? FT_TIER_CORE : FT_TIER_EDGE);
}

/* The key of the design that gives the GUID of switch @index. */
static const char *where_bound(const struct ft_plan *plan, uint32_t index)
{
	static const char *const keys[FT_TIER_COUNT] = {"bind.edge", "bind.spine", "bind.core"};

	if (plan->topology != FT_TOPOLOGY_GRAPH)
		return keys[plan->switches[index].tier];
	return plan->label ? keys[FT_TIER_EDGE] : "\"guid\" of the switch";
}

int ft_write_opensm(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		    const struct ft_catalog *catalog, struct ft_error *err)
{
	_cleanup_free_ uint64_t *guids = calloc((size_t)plan->switch_count + 1, sizeof(*guids));
	struct ft_opensm_list list = {guids, NULL, 0};
	bool roots = ft_opensm_has_roots(plan);

	(void)catalog;
	if (!guids)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		if (roots && !ft_opensm_is_root(plan, i))
			continue;
		guids[list.count++] = ft_plan_bound_guid(design, plan, i);
		if (roots && guids[list.count - 1] == 0)
			return ft_error_set(
				err, -EINVAL, 0, 0,
				"\"%s\" is not bound by GUID (%s), and OpenSM's root GUID file needs that: give a "
				"snapshot or dump of the fabric with --from, or the GUIDs",
				plan->switches[i].name, where_bound(plan, i));
	}
	return roots ? ft_write_opensm_roots(text, &list, err) : ft_write_opensm_engine(text, design, plan, guids, err);
}
