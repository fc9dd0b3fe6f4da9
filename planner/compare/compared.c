/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/compare/compared.h"

#include <stdlib.h>

const struct ft_compared_about ft_compared_about[FT_COMPARED_COUNT] = {
	[FT_COMPARED_SWITCHES] = {"switches", 0, false, "switches; a director is one"},
	[FT_COMPARED_PORTS] = {"ports", 0, false, "ports of all switches"},
	[FT_COMPARED_PORTS_USED] = {"ports_used", 0, false, "those with a cable, to a host or a switch"},
	[FT_COMPARED_HOST_CABLES] = {"host_cables", 0, false, "cables to hosts"},
	[FT_COMPARED_SWITCH_CABLES] = {"switch_cables", 0, false, "cables between switches"},
	[FT_COMPARED_GROUP_CABLES] = {"group_cables", 0, false,
				      "cables between switches of one group, or along the last dimension of a grid"},
	[FT_COMPARED_ELECTRIC] = {"electric_cables", 0, false, "electric cables, by length as the catalog says"},
	[FT_COMPARED_OPTICAL] = {"optical_cables", 0, false, "optical cables, likewise"},
	[FT_COMPARED_CABLE_M] = {"cable_m", 0, false, "length of all cables by the floor model, in metres"},
	[FT_COMPARED_COST] = {"cost", 0, false, "price of switches and cables"},
	[FT_COMPARED_COST_PER_HOST] = {"cost_per_host", 2, false, "the same for one host"},
	[FT_COMPARED_POWER_W] = {"power_w", 0, false, "power of the switches, in watts"},
	[FT_COMPARED_POWER_W_PER_HOST] = {"power_w_per_host", 3, false, "the same for one host"},
	[FT_COMPARED_SIZE_U] = {"size_u", 0, false, "height of the switches, in rack units"},
	[FT_COMPARED_SIZE_U_PER_HOST] = {"size_u_per_host", 4, false, "the same for one host"},
	[FT_COMPARED_DIAMETER] = {"diameter", 0, false,
				  "cables between the two switches with hosts that are farthest apart"},
	[FT_COMPARED_MEAN_HOPS] = {"mean_hops", 4, false, "cables between two switches with hosts on average"},
	[FT_COMPARED_OF_MOORE] = {"of_moore", 4, false,
				  "switches, as a share of Moore's bound for their degree and diameter"},
	[FT_COMPARED_BISECTION] = {"bisection", 0, true, "fewest cables whose cut halves the hosts"},
	[FT_COMPARED_THROUGHPUT_BOUND] = {"throughput_bound", 4, false,
					  "no routing gives every host more of its cable's rate, all to all"},
	[FT_COMPARED_THROUGHPUT] = {"throughput", 4, true, "what routing can give every host at once, all to all"},
	[FT_COMPARED_LINKS_LOST] = {"links_lost", 4, true,
				    "share of the cables between switches that fail before hosts are cut off"},
	[FT_COMPARED_SWITCH_CUTS_OFF] = {"switch_cuts_off", 0, false,
					 "hosts that the worst failure of one switch cuts off, its own counted"},
	[FT_COMPARED_CABLE_CUTS_OFF] = {"cable_cuts_off", 0, false,
					"hosts that the worst failure of one cable between switches cuts off"},
};

const char *ft_how_name(enum ft_how how)
{
	static const char *const names[FT_HOW_COUNT] = {"unknown", "exact", "closed form", "best found", "sampled"};

	return names[how];
}

static void compared_release(struct ft_compared *row)
{
	free(row->asked);
	free(row->network);
	free(row->switches);
	free(row->switch_kind);
	free(row->refusal);
	free(row->catalog);
	free(row->currency);
	free(row->prices_of);
}

void ft_comparison_release(struct ft_comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++)
		compared_release(&comparison->rows[i]);
	free(comparison->rows);
}

struct ft_compared *ft_comparison_add(struct ft_comparison *comparison)
{
	struct ft_compared *rows = reallocarray(comparison->rows, comparison->count + 1, sizeof(*comparison->rows));

	if (!rows)
		return NULL;
	comparison->rows = rows;
	rows[comparison->count] = (struct ft_compared){0};
	return &rows[comparison->count++];
}
