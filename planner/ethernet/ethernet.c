/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/ethernet/ethernet.h"

#include <errno.h>

#include "base/cleanup.h"

void ft_ethernet_release(struct ft_ethernet *ethernet)
{
	ft_tables_release(&ethernet->tables);
	ft_macs_release(&ethernet->macs);
	ft_vlans_release(&ethernet->vlans);
}

/* An entry of a file has its place; of the design it was complained about when that was read. */
static int macs_make(struct ft_ethernet *e, struct ft_error *err)
{
	const struct ft_design *design = e->design;
	size_t fault;
	int r = ft_macs_make(&e->plan, design->macs, design->mac_count, &e->macs, &fault, err);

	if (r == -EINVAL && err && fault < design->mac_count) {
		err->line = design->macs[fault].line;
		err->column = design->macs[fault].column;
	}
	return r;
}

int ft_ethernet_make(const struct ft_design *design, const struct ft_plan *plan, struct ft_ethernet *ret_ethernet,
		     struct ft_error *err)
{
	_cleanup_(ft_ethernet_release) struct ft_ethernet e = {.design = design, .plan = ft_plan_tree(plan)};
	int r;

	if (plan->technology != FT_TECHNOLOGY_ETHERNET)
		return ft_error_set(
			err, -EINVAL, 0, 0,
			"VLANs and address tables are of Ethernet: \"technology\": \"ethernet\" is missing in the "
			"design");
	r = ft_vlans_make(&e.plan, design->vlan_first, &e.vlans, err);
	if (r == 0)
		r = macs_make(&e, err);
	if (r == 0)
		r = ft_tables_make(&e.plan, &e.vlans, &e.macs, &e.tables, err);
	if (r < 0)
		return r;
	*ret_ethernet = e;
	e = (struct ft_ethernet){0};
	return 0;
}
