/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/phases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/plan/wiring.h"
#include "planner/write/floor.h"

void ft_phases_free(struct ft_phases *phases)
{
	if (!phases)
		return;
	free(phases->of_switch);
	free(phases->of_host);
	free(phases);
}

bool ft_phase_is_open(const struct ft_design *design, uint32_t phase, const char *day)
{
	return phase != FT_NONE && strcmp(day, design->phases[phase].due) <= 0;
}

bool ft_phases_open(const struct ft_phases *phases, const char *day)
{
	for (size_t i = 0; phases && i < phases->design->phase_count; i++)
		if (ft_phase_is_open(phases->design, (uint32_t)i, day))
			return true;
	return false;
}

uint32_t ft_phase_later(const struct ft_design *design, uint32_t one, uint32_t other)
{
	int order;

	if (one == FT_NONE || other == FT_NONE)
		return one == FT_NONE ? other : one;
	order = strcmp(design->phases[one].due, design->phases[other].due);
	return order > 0 || (order == 0 && one > other) ? one : other;
}

static void all_unpinned(uint32_t *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		list[i] = FT_NONE;
}

/* By rack its phase. Returns 0, -EINVAL or -ENOMEM. */
static int racks_take(const struct ft_design *design, const struct ft_floor *floor, uint32_t *of_rack,
		      struct ft_error *err)
{
	_cleanup_(ft_map_release) struct ft_map names = {0};
	uint32_t count = floor->rows * floor->columns;
	char name[FT_FLOOR_RACK_SIZE], last[FT_FLOOR_RACK_SIZE];

	all_unpinned(of_rack, count);
	for (uint32_t i = 0; i < count; i++)
		if (ft_map_add(&names, ft_text_hash(ft_floor_rack_name(floor, i, name)), i, NULL) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < design->phase_count; i++)
		for (size_t n = 0; n < design->phases[i].rack_count; n++) {
			const struct ft_phase_name *rack = &design->phases[i].racks[n];
			uint32_t at = ft_map_get(&names, ft_text_hash(rack->name));

			if (at == FT_NONE)
				return ft_error_set(err, -EINVAL, rack->line, rack->column,
						    "the floor plan has no rack \"%s\": its racks are %s to %s, as in "
						    "ftplan --format cables",
						    rack->name, ft_floor_rack_name(floor, 0, name),
						    ft_floor_rack_name(floor, count - 1, last));
			of_rack[at] = (uint32_t)i;
		}
	return 0;
}

/* By switch the phase that names it. */
static int switches_take(const struct ft_design *design, const struct ft_plan *plan, uint32_t *named,
			 struct ft_error *err)
{
	_cleanup_(ft_map_release) struct ft_map names = {0};

	all_unpinned(named, plan->switch_count);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (ft_map_add(&names, ft_text_hash(plan->switches[i].name), i, NULL) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < design->phase_count; i++)
		for (size_t n = 0; n < design->phases[i].switch_count; n++) {
			const struct ft_phase_name *sw = &design->phases[i].switches[n];
			uint32_t at = ft_map_get(&names, ft_text_hash(sw->name));

			if (at == FT_NONE)
				return ft_error_set(err, -EINVAL, sw->line, sw->column,
						    "the plan has no switch \"%s\": ftplan --format json lists them",
						    sw->name);
			named[at] = (uint32_t)i;
		}
	return 0;
}

static void hosts_take(const struct ft_plan *plan, const struct ft_floor *floor, const uint32_t *of_rack,
		       const uint32_t *named, struct ft_phases *phases)
{
	uint32_t host = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		bool placed = floor && i < floor->switch_count;

		phases->of_switch[i] = named[i] != FT_NONE || !placed ? named[i] : of_rack[floor->switches[i].rack];
		for (uint32_t k = 0; k < plan->switches[i].hosts; k++, host++)
			phases->of_host[host] = named[i] != FT_NONE || !placed || host >= floor->host_count
							? named[i]
							: of_rack[floor->hosts[host].rack];
	}
}

static bool racks_named(const struct ft_design *design)
{
	for (size_t i = 0; i < design->phase_count; i++)
		if (design->phases[i].rack_count > 0)
			return true;
	return false;
}

/* The floor plan that ftplan --format cables has. -EINVAL: there is none. */
static int floor_make(const struct ft_plan *plan, struct ft_floor **ret_floor, struct ft_error *err)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
	const struct ft_plan tree = ft_plan_tree(plan);
	int r = ft_plan_catalog(plan, &catalog, err);

	if (r == 0)
		r = ft_floor_make(&tree, catalog, NULL, ret_floor);
	return r == -EINVAL ? ft_error_set(err, r, 0, 0,
					   "the floor model has no room for this plan, so that \"phases\" "
					   "cannot name racks")
			    : r;
}

int ft_phases_make(const struct ft_design *design, const struct ft_plan *plan, struct ft_phases **ret_phases,
		   struct ft_error *err)
{
	_cleanup_(ft_phases_freep) struct ft_phases *phases = NULL;
	_cleanup_(ft_floor_freep) struct ft_floor *floor = NULL;
	_cleanup_free_ uint32_t *of_rack = NULL, *named = NULL;
	int r = 0;

	if (design->phase_count == 0) {
		*ret_phases = NULL;
		return 0;
	}
	if (racks_named(design))
		r = floor_make(plan, &floor, err);
	if (r < 0)
		return r;
	phases = calloc(1, sizeof(*phases));
	of_rack = calloc(floor ? floor->rows * floor->columns + 1UL : 1, sizeof(*of_rack));
	named = calloc(plan->switch_count + 1UL, sizeof(*named));
	if (!phases || !of_rack || !named)
		return -ENOMEM;
	phases->design = design;
	phases->of_switch = calloc(plan->switch_count + 1UL, sizeof(*phases->of_switch));
	phases->of_host = calloc(ft_plan_host_total(plan) + 1UL, sizeof(*phases->of_host));
	if (!phases->of_switch || !phases->of_host)
		return -ENOMEM;
	if (floor)
		r = racks_take(design, floor, of_rack, err);
	if (r == 0)
		r = switches_take(design, plan, named, err);
	if (r < 0)
		return r;
	hosts_take(plan, floor, of_rack, named, phases);
	*ret_phases = FT_STEAL(phases);
	return 0;
}
