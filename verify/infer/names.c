/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Identifies the switches of each rank: by their names, so that one that is gone, or goes later, is called by its own;
 * else, if names are not unique or no plain ones, by GUIDs.
 * Names are untrusted: everything written here passed the same checks as in a design file.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/by_rule.h"

/* True if every switch of @rank has a name that a list can have. */
static bool rank_named(const struct ft_inference *f, uint32_t rank, const bool *by_guid)
{
	for (uint32_t i = 0; i < f->count[rank]; i++)
		if (by_guid[f->member[rank][i]])
			return false;
	return true;
}

int ft_infer_guids_usable(const struct ft_inference *f)
{
	_cleanup_(ft_map_release) struct ft_map seen = {0};

	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		int r = f->observed->switches[i].guid == 0 ? 0
							   : ft_map_add(&seen, f->observed->switches[i].guid, i, NULL);

		if (r <= 0)
			return r;
	}
	return 1;
}

static void bind_tell(struct ft_inference *f, uint32_t rank)
{
	const struct ft_inferred_bind *bind = &f->bind[rank];
	const char *how = bind->names && f->unseen[rank] > 0 ? "by name, also what nobody saw"
			  : bind->names			     ? "by name: all of them were seen, and no two are alike"
			  : bind->guids			     ? "by GUID: names do not tell them apart"
			  : f->design.count[rank] != f->count[rank]
				  ? "not bound: not all of them were seen, and names do not tell them apart"
				  : "not bound: neither names nor GUIDs tell the switches apart";

	ft_text_printf(&f->why[FT_WHY_BIND], "%s%s: %s", ft_text_string(&f->why[FT_WHY_BIND])[0] ? "; " : "",
		       ft_infer_rank_name(f, rank), how);
}

/* Takes name @number of those that the numbers of the others lack, if there are as many as are unseen. NULL: none. */
static const char *lacking_name(const struct ft_inference *f, uint32_t rank, uint32_t number)
{
	const char *at = f->lacking[rank] ? f->lacking[rank] : "", *end = NULL, *name = NULL;
	uint32_t count = 0;

	for (; *at; at = end + (*end ? 2 : 0)) {
		end = strstr(at, ", ");
		end = end ? end : at + strlen(at);
		if (count++ == number)
			name = ft_arena_print(f->memory, "%.*s", (int)(end - at), at);
	}
	return name && count == f->unseen[rank] && ft_infer_name_is_plain(name) && !ft_infer_by_rule_taken(f, name)
		       ? name
		       : NULL;
}

/* Gives each unseen switch of a rank a name that no other has. Returns 0 or -ENOMEM. */
static int unseen_call(struct ft_inference *f, uint32_t rank)
{
	struct ft_inferred_bind *bind = &f->bind[rank];

	bind->called = ft_arena_zeros(f->memory, f->unseen[rank], sizeof(*bind->called));
	for (uint32_t k = 0, number = 0; bind->called && k < f->unseen[rank]; k++) {
		bind->called[k] = lacking_name(f, rank, k);
		while (!bind->called[k] && !f->memory->failed) {
			char name[32];

			snprintf(name, sizeof(name), "%s-unseen-%u", ft_infer_rank_name(f, rank), ++number);
			if (!ft_infer_by_rule_taken(f, name))
				bind->called[k] = ft_arena_string(f->memory, name);
		}
	}
	return f->memory->failed ? -ENOMEM : 0;
}

/* A list names every planned switch, or is refused. */
static int rank_bind(struct ft_inference *f, uint32_t rank, bool by_name, bool guids, const bool *by_guid)
{
	struct ft_inferred_bind *bind = &f->bind[rank];
	bool complete = f->design.count[rank] == f->count[rank];

	bind->names =
		by_name && rank_named(f, rank, by_guid) && f->design.count[rank] == f->count[rank] + f->unseen[rank];
	bind->guids = !bind->names && guids && complete;
	bind_tell(f, rank);
	return bind->names ? unseen_call(f, rank) : 0;
}

/* ---- switches outside the tree ---- */

/* True if a switch is called like one of these, but for numbers. */
static bool is_called_like(const struct ft_inference *f, uint32_t observed, const uint32_t *member, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (ft_infer_names_alike(f->observed->switches[member[i]].name, f->observed->switches[observed].name))
			return true;
	return false;
}

/*
 * Switches outside the tree that are cabled to each other, have many hosts, or several cables to the top: an island
 * with a purpose, not a switch plugged in by chance. So are others with such names.
 */
static uint32_t islanders_collect(const struct ft_inference *f, uint32_t *ret_member)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		bool island;

		if (ft_infer_in_tree(f, i))
			continue;
		island = ft_infer_serves_hosts(f, i) || ft_infer_is_attached(f, i);
		ft_each_adjacent(n, &f->graph, i)
			island |= !ft_infer_in_tree(f, n->vertex);
		if (island)
			ret_member[count++] = i;
	}
	for (uint32_t i = 0, found = count; i < f->observed->switch_count; i++)
		if (!ft_infer_in_tree(f, i) && !ft_number_is_among(ret_member, found, i) &&
		    is_called_like(f, i, ret_member, found))
			ret_member[count++] = i;
	return count;
}

/* True if the name of a switch outside the tree is that of none in it, but for numbers. */
static bool name_tells(const struct ft_inference *f, uint32_t observed)
{
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (ft_infer_in_tree(f, i) &&
		    ft_infer_names_alike(f->observed->switches[i].name, f->observed->switches[observed].name))
			return false;
	return true;
}

/*
 * As islands, if some have hosts or several cables to the top, or all are called otherwise than the tree's, and names
 * identify them. Switches that are not connected to the tree form another fabric. What is left is for the graph to
 * plan, or to be found. @count: those that are planned
 */
static int islands_take(struct ft_inference *f, uint32_t *member, uint32_t *count)
{
	bool connected = true, hosted = false, tells = true;
	int r;

	for (uint32_t i = 0; i < *count; i++) {
		hosted |= ft_infer_serves_hosts(f, member[i]) || ft_infer_is_attached(f, member[i]);
		connected &= ft_infer_connected(f, member[i]);
		tells &= name_tells(f, member[i]);
	}
	r = (hosted || tells) && connected ? ft_infer_islands(f, member, *count) : 0;
	*count = r > 0 ? *count : 0;
	return r < 0 ? r : 0;
}

static void islands_tell(struct ft_inference *f, const uint32_t *member, uint32_t count)
{
	struct ft_text *why = &f->why[FT_WHY_ISLANDS];

	for (uint32_t i = 0; i < count; i++)
		ft_text_printf(why, "%s%s", i ? ", " : "", f->observed->switches[member[i]].label);
	ft_text_puts(why,
		     ": no part of the tree, cabled to each other or otherwise than edge switches; their cables are "
		     "taken to be all right");
}

/* @count: those of @member that are planned as islands. */
static void strangers_tell(struct ft_inference *f, const uint32_t *member, uint32_t count)
{
	struct ft_text *why = &f->why[FT_WHY_UNPLANNED];
	uint32_t strangers = 0;

	if (count > 0)
		islands_tell(f, member, count);
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (!ft_infer_in_tree(f, i) && !ft_number_is_among(member, count, i))
			ft_text_printf(why, "%s%s",
				       strangers++ ? ", " : "no part of the tree: ", f->observed->switches[i].label);
	if (strangers > 0)
		ft_text_puts(why, "; left to be found");
}

static int strangers_find(struct ft_inference *f, bool by_name)
{
	uint32_t *member = ft_arena_numbers(f->memory, f->observed->switch_count, 0), count;
	int r;

	if (!member)
		return -ENOMEM;
	count = by_name ? islanders_collect(f, member) : 0;
	r = islands_take(f, member, &count);
	strangers_tell(f, member, count);
	return r;
}

/* ---- */

void ft_infer_names_reset(struct ft_inference *f)
{
	for (uint32_t rank = 0; rank < FT_RANKS_MAX; rank++) {
		f->bind[rank] = (struct ft_inferred_bind){0};
		f->chassis_match[rank] = NULL;
	}
	f->islands = NULL;
	ft_text_reset(&f->why[FT_WHY_BIND]);
	ft_text_reset(&f->why[FT_WHY_ISLANDS]);
	ft_text_reset(&f->why[FT_WHY_UNPLANNED]);
}

int ft_infer_names(struct ft_inference *f, bool by_name)
{
	const bool *by_guid = ft_infer_by_rule_names(f);
	int guids = ft_infer_guids_usable(f);

	if (!by_guid || guids < 0 || ft_infer_places(f) < 0)
		return -ENOMEM;
	ft_infer_rings(f);
	if (by_name && ft_infer_chassis_names(f) < 0)
		return -ENOMEM;
	for (uint32_t rank = 0; rank < f->fit.ranks && f->fit.ranks > 1; rank++) {
		if (f->count[rank] == 0)
			continue;
		if (rank_bind(f, rank, by_name, guids > 0, by_guid) < 0)
			return -ENOMEM;
	}
	return strangers_find(f, by_name);
}
