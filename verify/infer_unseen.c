/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Switches that nobody saw and that left a trace all the same: on every switch of the other tier the ports that lead to
 * them are up and silent, or are dark in the midst of ports that are given out in blocks, one block a switch; or the
 * names of their equals are numbered and one number is not there.
 *
 * Racks are left empty more often than half of the core level is left out. So one of these signs will do for a core
 * switch, but an edge switch must be silent, or dark and missed in the numbering too.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* An aggregation node that does not answer is behind no outer port. */
static uint32_t silent_of(const struct ft_inference *f, uint32_t live)
{
	const struct ft_node *node = &f->snapshot->nodes[f->live->switches[live].node];
	uint32_t silent = 0;

	for (uint32_t p = 1; p <= ft_infer_ports(f, live); p++)
		silent += ft_node_port(f->snapshot, node, p)->link == FT_LINK_SILENT;
	return silent;
}

/* The ports that most switches of the tier have up with a far end that does not answer. */
static uint32_t silent_ports(const struct ft_inference *f, enum ft_tier tier)
{
	struct ft_tally tally = {0};
	uint32_t usual;

	for (uint32_t i = 0; i < f->count[tier]; i++)
		ft_tally_add(&tally, silent_of(f, f->member[tier][i]));
	usual = ft_tally_mode(&tally, 0);
	return tally.votes[usual] * 2 > f->count[tier] ? usual : 0;
}

/* The bytes that all names of a tier begin and end with, up to the number in between. */
static void names_frame(const struct ft_inference *f, enum ft_tier tier, size_t *ret_before, size_t *ret_behind)
{
	const char *first = f->live->switches[f->member[tier][0]].name;
	size_t before = strlen(first), behind = before;

	for (uint32_t i = 1; i < f->count[tier]; i++) {
		const char *name = f->live->switches[f->member[tier][i]].name;
		size_t length = strlen(name), same = 0;

		while (same < before && name[same] == first[same])
			same++;
		before = same;
		for (same = 0;
		     same < behind && same < length && name[length - 1 - same] == first[strlen(first) - 1 - same];)
			same++;
		behind = same;
	}
	while (before > 0 && isdigit((unsigned char)first[before - 1]))
		before--;
	while (behind > 0 && isdigit((unsigned char)first[strlen(first) - behind]))
		behind--;
	*ret_before = before;
	*ret_behind = behind;
}

/* The number in a name between what all names share. False: there is more than a number. */
static bool name_number(const char *name, size_t before, size_t behind, uint32_t *ret_number)
{
	enum { DIGITS_MAX = 6 };
	size_t length = strlen(name), digits = length > before + behind ? length - before - behind : 0;

	if (digits == 0 || digits > DIGITS_MAX || strspn(name + before, "0123456789") < digits)
		return false;
	*ret_number = (uint32_t)strtoul(name + before, NULL, 10);
	return true;
}

/* Does a switch, of whatever tier, have the name of @like with that number? */
static bool name_taken(const struct ft_inference *f, const char *like, size_t before, size_t behind, uint32_t number)
{
	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		const char *name = f->live->switches[i].name;
		size_t length = strlen(name);
		uint32_t other;

		if (length > before + behind && strncmp(name, like, before) == 0 &&
		    strcmp(name + length - behind, like + strlen(like) - behind) == 0 &&
		    name_number(name, before, behind, &other) && other == number)
			return true;
	}
	return false;
}

static int uint32_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The one number that lacks in the midst of the names of a tier, or FT_NONE. 0 or -ENOMEM. */
static int number_missed(const struct ft_inference *f, enum ft_tier tier, uint32_t *ret_number)
{
	uint32_t count = f->count[tier];
	_cleanup_free_ uint32_t *number = malloc((count + 1UL) * sizeof(*number));
	size_t before, behind;

	*ret_number = FT_NONE;
	if (!number)
		return -ENOMEM;
	names_frame(f, tier, &before, &behind);
	for (uint32_t i = 0; i < count; i++)
		if (!name_number(f->live->switches[f->member[tier][i]].name, before, behind, &number[i]))
			return 0;
	qsort(number, count, sizeof(*number), uint32_compare);
	if (number[count - 1] - number[0] != count)
		return 0;
	for (uint32_t i = 1; i < count; i++) {
		uint32_t step = number[i] - number[i - 1];

		if (step != 1 && step != 2)
			return 0;
		if (step == 2)
			*ret_number = number[i] - 1;
	}
	if (name_taken(f, f->live->switches[f->member[tier][0]].name, before, behind, *ret_number))
		*ret_number = FT_NONE;
	return 0;
}

/* Has every switch of the tier so many ports that nothing is cabled to? */
static bool ports_left(const struct ft_inference *f, enum ft_tier tier, uint32_t width)
{
	for (uint32_t i = 0; i < f->count[tier]; i++) {
		uint32_t live = f->member[tier][i];

		if (f->live->switches[live].cable_count + f->hosts[live] + width > ft_infer_ports(f, live))
			return false;
	}
	return true;
}

static int dark_find(const struct ft_inference *f, enum ft_tier tier, enum ft_tier other, uint32_t *ret_dark)
{
	_cleanup_free_ struct use *use = calloc(PORT_NUMBERS, sizeof(*use));

	if (!use)
		return -ENOMEM;
	uses_vote(f, tier, other, false, use);
	uses_vote(f, tier, other, true, use);
	uses_count(f, tier, use);
	*ret_dark = dark_blocks(f, tier, other, f->design.bundle, use);
	if (*ret_dark * 2 > f->count[other])
		*ret_dark = 0;
	return 0;
}

/* Which signs there are of a switch of tier @other, and what they come to. */
static void signs_weigh(struct ft_inference *f, enum ft_tier tier, enum ft_tier other, uint32_t dark, uint32_t missed,
			struct ft_text *why)
{
	uint32_t width = f->design.bundle;

	if (dark > 0)
		ft_text_printf(
			why,
			"; every %s switch gives its ports out in blocks of %u, one for each %s switch in the same "
			"order, and %u such %s dark on all of them",
			ft_tier_name(tier), width, ft_tier_name(other), dark, dark == 1 ? "block is" : "blocks are");
	if (missed != FT_NONE && ports_left(f, tier, width))
		ft_text_printf(why, "; their names are numbered, and number %u is not there", missed);
	else
		missed = FT_NONE;
	if (other == FT_TIER_EDGE ? dark == 1 && missed != FT_NONE : dark > 0 || missed != FT_NONE) {
		f->unseen[other] = dark > 0 ? dark : 1;
		ft_text_printf(why, ": %u more that nobody saw", f->unseen[other]);
	} else if (dark > 0) {
		ft_text_puts(why, ": room for more, or edge switches that are off; if so, raise edge.count and nodes");
	} else if (missed != FT_NONE) {
		ft_text_puts(why, ": if it is off, raise edge.count and nodes");
	}
}

/* Unseen switches of tier @other, as those of @tier show them. */
static int unseen_find(struct ft_inference *f, enum ft_tier tier, enum ft_tier other, struct ft_text *why)
{
	uint32_t width = f->design.bundle, silent = silent_ports(f, tier), dark, missed;
	int r;

	if (f->count[tier] < ROWS_MIN || f->count[other] < 2)
		return 0;
	if (silent > 0 && silent % width == 0) {
		f->unseen[other] = silent / width;
		ft_text_printf(why, "; and %u more: on most %s switches %u ports are up that nobody answers on",
			       f->unseen[other], ft_tier_name(tier), silent);
		return 0;
	}
	r = dark_find(f, tier, other, &dark);
	if (r == 0)
		r = number_missed(f, other, &missed);
	if (r == 0)
		signs_weigh(f, tier, other, dark, missed, why);
	return r;
}

int ft_infer_unseen(struct ft_inference *f)
{
	int r;

	if (f->design.bundle == 0)
		return 0;
	r = unseen_find(f, FT_TIER_EDGE, FT_TIER_CORE, &f->why[FT_WHY_CORE]);
	if (r == 0)
		r = unseen_find(f, FT_TIER_CORE, FT_TIER_EDGE, &f->why[FT_WHY_EDGE]);
	f->design.core_count += f->unseen[FT_TIER_CORE];
	f->design.edge_count += f->unseen[FT_TIER_EDGE];
	f->design.ports_to_core += f->unseen[FT_TIER_CORE] * f->design.bundle;
	return r;
}
