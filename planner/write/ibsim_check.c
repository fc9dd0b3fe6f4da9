/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Which plans ibsim and its network file can hold. */
#include "planner/write/ibsim_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "planner/plan/wiring.h"

int ft_ibsim_insides(const struct ft_plan *plan, struct ft_inside insides[FT_TIER_COUNT], struct ft_error *err)
{
	memset(insides, 0, FT_TIER_COUNT * sizeof(*insides));
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];

		if (!ft_plan_is_director(plan, i) || insides[sw->tier].line_chips)
			continue;
		if (ft_inside_assume(&plan->inside[sw->tier], sw->ports, &insides[sw->tier]) < 0)
			return ft_error_set(err, -EINVAL, 0, 0,
					    "the %s switches of this plan, of %u ports, are directors, and no usual "
					    "way to build one fits what is known of them: say what they are made of "
					    "by \"inside\"",
					    ft_tier_name(sw->tier), sw->ports);
	}
	return 0;
}

static int check_name(const char *name, struct ft_error *err)
{
	if (strlen(name) > FT_IBSIM_NAME_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "\"%s\" is longer than the %d bytes that ibsim keeps of a name",
				    name, FT_IBSIM_NAME_MAX);
	/* A quote ends the description early, and NAME=VALUE is read as an option of the port. */
	if (strpbrk(name, "\"="))
		return ft_error_set(err, -EINVAL, 0, 0,
				    "\"%s\" holds a character that ibsim's network file cannot (\" or =)", name);
	return 0;
}

static bool guid_is_made_up(const struct ft_plan *plan, uint64_t guid)
{
	return (guid >= FT_IBSIM_SWITCH_GUID && guid < FT_IBSIM_HOST_GUID + 2 * (uint64_t)ft_plan_host_total(plan)) ||
	       (guid >= FT_IBSIM_CHIP_GUID &&
		guid < FT_IBSIM_CHIP_GUID + (uint64_t)plan->switch_count * 2 * FT_DIRECTOR_PORTS_MAX);
}

static int check_switch(const struct ft_design *design, const struct ft_plan *plan, uint32_t index,
			struct ft_error *err)
{
	const struct ft_plan_switch *sw = &plan->switches[index];
	uint64_t guid = ft_plan_bound_guid(design, plan, index);
	size_t room = FT_IBSIM_NAME_MAX - (ft_plan_is_director(plan, index) ? FT_IBSIM_SLOT_MAX : 0);
	int r;

	if (strlen(sw->name) > room)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "\"%s\" is longer than the %zu bytes that ibsim keeps of a name%s", sw->name, room,
				    ft_plan_is_director(plan, index) ? " besides the slot" : "");
	r = check_name(sw->name, err);
	if (r < 0)
		return r;
	if (guid && guid_is_made_up(plan, guid) && plan->topology == FT_TOPOLOGY_GRAPH)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "the GUID of \"%s\" is one of those that are made up for the other nodes of the "
				    "network file",
				    sw->name);
	if (guid && guid_is_made_up(plan, guid))
		return ft_error_set(
			err, -EINVAL, 0, 0,
			"\"%s\" is a GUID of those that are made up for the other nodes of the network file", sw->name);
	return 0;
}

/* It stands behind the name of the host. */
static int check_adapter(const struct ft_plan_host *host, struct ft_error *err)
{
	size_t length = (host->name ? strlen(host->name) : FT_HOST_NAME_SIZE) + 1 + strlen(host->adapter);

	if (length > FT_IBSIM_NAME_MAX)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "\"%s %s\" is longer than the %d bytes that ibsim keeps of a name",
				    host->name ? host->name : "", host->adapter, (int)FT_IBSIM_NAME_MAX);
	return check_name(host->adapter, err);
}

/* A host has two GUIDs, of which the list may give either: ibsim takes no GUID twice. */
static int check_hosts(const struct ft_design *design, const struct ft_plan *plan, struct ft_error *err)
{
	_cleanup_(ft_map_release) struct ft_map there = {0};
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < plan->switch_count; i++)
		if (ft_plan_bound_guid(design, plan, i))
			r = ft_map_add(&there, ft_plan_bound_guid(design, plan, i), 0, NULL);
	for (uint32_t i = 0; r >= 0 && i < plan->host_count; i++) {
		const struct ft_plan_host *host = &plan->hosts[i];

		r = host->name ? check_name(host->name, err) : 0;
		if (r == 0 && host->adapter)
			r = check_adapter(host, err);
		if (r < 0 || host->guid == 0)
			continue;
		if (guid_is_made_up(plan, host->guid) || guid_is_made_up(plan, host->guid + 1))
			return ft_error_set(err, -EINVAL, 0, 0,
					    "the host's GUID 0x%016" PRIx64
					    " is of those that are made up for the other nodes of the network file",
					    host->guid);
		for (unsigned int k = 0; r >= 0 && k < 2; k++) {
			r = ft_map_add(&there, host->guid + k, 0, NULL);
			if (r == 0)
				return ft_error_set(err, -EINVAL, 0, 0,
						    "ibsim takes no GUID twice, and 0x%016" PRIx64
						    " is that of another node or port",
						    host->guid + k);
		}
	}
	return r < 0 ? r : 0;
}

int ft_plan_check_ibsim(const struct ft_design *design, const struct ft_plan *plan, struct ft_error *err)
{
	struct ft_inside insides[FT_TIER_COUNT];

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		int r = check_switch(design, plan, i, err);

		if (r < 0)
			return r;
	}
	if (ft_ibsim_insides(plan, insides, err) < 0)
		return -EINVAL;
	return check_hosts(design, plan, err);
}
