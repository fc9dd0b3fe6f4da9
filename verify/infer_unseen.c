/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Switches that nobody saw and that left a trace all the same: on every switch of the other tier the ports that lead to
 * them are up and silent, or are dark in the midst of ports that are given out in blocks, one block a switch.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/infer_parts.h"

enum { ROWS_MIN = 3, PORT_NUMBERS = 256 };

/* What the switches of one tier use a port number for. */
struct use {
	uint32_t owner; /* the switch of the other tier that most lead to, by majority vote */
	uint32_t votes;
	uint32_t agree; /* how many do lead there */
	uint32_t used;	/* how many use it at all */
};

static void uses_vote(const struct ft_inference *f, enum ft_tier tier, enum ft_tier other, bool second, struct use *use)
{
	for (uint32_t i = 0; i < f->live->cable_count; i++) {
		const struct ft_live_cable *cable = &f->live->cables[i];

		for (unsigned int end = 0; end < 2; end++) {
			uint32_t near = end ? cable->b : cable->a, far = end ? cable->a : cable->b;
			struct use *u = &use[f->snapshot->ports[end ? cable->b_port : cable->a_port].number];

			if (f->fit.role[near] != tier || f->fit.role[far] != other)
				continue;
			if (second)
				u->agree += u->owner == far;
			else if (u->votes == 0 || u->owner == far)
				u->owner = u->votes++ == 0 ? far : u->owner;
			else
				u->votes--;
		}
	}
}

static void uses_count(const struct ft_inference *f, enum ft_tier tier, struct use *use)
{
	for (uint32_t i = 0; i < f->count[tier]; i++) {
		const struct ft_node *node = &f->snapshot->nodes[f->live->switches[f->member[tier][i]].node];

		for (unsigned int p = 1; p <= node->port_count && p < PORT_NUMBERS; p++) {
			const struct ft_port *port = ft_node_port(f->snapshot, node, p);

			use[p].used += port->peer != FT_NO_PORT || port->link == FT_LINK_SILENT;
		}
	}
}

/*
 * Dark blocks among the ports of @tier that lead to @other. 0 where the ports are not given out in blocks of @width,
 * or where most of the rows do not agree on who has them.
 */
static uint32_t dark_blocks(const struct ft_inference *f, enum ft_tier tier, enum ft_tier other, uint32_t width,
			    const struct use *use)
{
	uint32_t low = 1, high = PORT_NUMBERS - 1, most = f->count[tier] / 2, dark = 0, owned = 0;

	while (low < high && use[low].agree <= most)
		low++;
	while (high > low && use[high].agree <= most)
		high--;
	if ((high - low + 1) % width != 0)
		return 0;
	for (uint32_t block = low; block <= high; block += width) {
		bool is_dark = use[block].used == 0;

		for (uint32_t p = block; p < block + width; p++)
			if (is_dark ? use[p].used > 0 : use[p].agree <= most || use[p].owner != use[block].owner)
				return 0;
		dark += is_dark;
		owned += !is_dark;
	}
	return owned == f->count[other] ? dark : 0;
}

/* The ports that most switches of the tier have up with a far end that does not answer. */
static uint32_t silent_ports(const struct ft_inference *f, enum ft_tier tier)
{
	struct ft_tally tally = {0};
	uint32_t usual;

	for (uint32_t i = 0; i < f->count[tier]; i++)
		ft_tally_add(&tally, f->live->switches[f->member[tier][i]].silent);
	usual = ft_tally_mode(&tally, 0);
	return tally.votes[usual] * 2 > f->count[tier] ? usual : 0;
}

/* Unseen switches of tier @other, as those of @tier show them. */
static int unseen_find(struct ft_inference *f, enum ft_tier tier, enum ft_tier other, enum ft_why why)
{
	uint32_t width = f->design.bundle, silent = silent_ports(f, tier), dark;
	_cleanup_free_ struct use *use = calloc(PORT_NUMBERS, sizeof(*use));

	if (!use)
		return -ENOMEM;
	if (f->count[tier] < ROWS_MIN || f->count[other] < 2)
		return 0;
	if (silent > 0 && silent % width == 0) {
		f->unseen[other] = silent / width;
		ft_text_printf(&f->why[why],
			       "; and %u more: on most %s switches %u ports are up that nobody answers on",
			       f->unseen[other], ft_tier_name(tier), silent);
		return 0;
	}
	uses_vote(f, tier, other, false, use);
	uses_vote(f, tier, other, true, use);
	uses_count(f, tier, use);
	dark = dark_blocks(f, tier, other, width, use);
	if (dark == 0 || dark * 3 > f->count[other])
		return 0;
	ft_text_printf(
		&f->why[why],
		"; every %s switch gives its ports out in blocks of %u, one for each %s switch in the same order, "
		"and %u such %s dark on all of them: ",
		ft_tier_name(tier), width, ft_tier_name(other), dark, dark == 1 ? "block is" : "blocks are");
	/* Racks are left empty more often than half of the core level is left out. */
	if (other == FT_TIER_EDGE) {
		ft_text_printf(&f->why[why],
			       "room for %u more, or edge switches that are off; if so, raise edge.count and nodes",
			       dark);
		return 0;
	}
	f->unseen[other] = dark;
	ft_text_printf(&f->why[why], "%u more that nobody saw", dark);
	return 0;
}

int ft_infer_unseen(struct ft_inference *f)
{
	int r;

	if (f->design.bundle == 0)
		return 0;
	r = unseen_find(f, FT_TIER_EDGE, FT_TIER_CORE, FT_WHY_CORE);
	if (r == 0)
		r = unseen_find(f, FT_TIER_CORE, FT_TIER_EDGE, FT_WHY_EDGE);
	f->design.core_count += f->unseen[FT_TIER_CORE];
	f->design.edge_count += f->unseen[FT_TIER_EDGE];
	f->design.ports_to_core += f->unseen[FT_TIER_CORE] * f->design.bundle;
	return r;
}
