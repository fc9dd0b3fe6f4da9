/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Identifies the switches of each rank: by their names, so that one that is gone, or goes later, is called by its own;
 * else, if names are not unique or no plain ones, by GUIDs.
 * Names are untrusted: everything written here passed the same checks as in a design file.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/by_rule.h"

enum { SHAPES_MAX = 4, NAME_SIZE_MAX = 64 };

static const char *description_of(const struct ft_inference *f, uint32_t observed, size_t *ret_length)
{
	const struct ft_node *node = &f->snapshot->nodes[f->observed->switches[observed].node];

	if (ret_length)
		*ret_length = node->description_length;
	return ft_node_description(f->snapshot, node);
}

/* True for printable ASCII with a letter or digit: allowed in patterns and lists. */
static bool is_plain(const struct ft_inference *f, uint32_t observed)
{
	size_t length, known = 0;
	const char *name = description_of(f, observed, &length);

	for (size_t i = 0; i < length; i++) {
		if (name[i] < ' ' || name[i] > '~')
			return false;
		known += isalnum((unsigned char)name[i]) != 0;
	}
	return known > 0 && length <= NAME_SIZE_MAX;
}

size_t ft_infer_number_end(const char *name, size_t length, size_t at)
{
	if (name[at] == '0' && at + 2 < length && name[at + 1] == 'x' && isxdigit((unsigned char)name[at + 2])) {
		for (at += 2; at < length && isxdigit((unsigned char)name[at]);)
			at++;
		return at;
	}
	while (at < length && isdigit((unsigned char)name[at]))
		at++;
	return at;
}

bool ft_infer_shape(struct ft_text *shape, const char *name, size_t length, const bool *literal)
{
	size_t number = 0;

	for (size_t i = 0, end; i < length; i = end) {
		if (name[i] < ' ' || name[i] > '~')
			return false;
		end = ft_infer_number_end(name, length, i);
		if (end > i && literal && number < FT_SHAPE_NUMBERS && literal[number])
			ft_text_add(shape, name + i, end - i);
		else if (end > i)
			ft_text_puts(shape,
				     name[i] == '0' && end > i + 2 && name[i + 1] == 'x' ? "0x[0-9a-fA-F]+" : "[0-9]+");
		else if (strchr("\\^$.[]|()?*+{}", name[i]))
			ft_text_printf(shape, "\\%c", name[i]);
		else
			ft_text_add(shape, &name[i], 1);
		number += end > i;
		end = end > i ? end : i + 1;
	}
	return true;
}

/* The shape of a switch's name, with optional trailing blanks. */
static void shape_of(const struct ft_inference *f, uint32_t observed, struct ft_text *shape)
{
	size_t length;
	const char *name = description_of(f, observed, &length);

	ft_text_reset(shape);
	while (length > 0 && name[length - 1] == ' ')
		length--;
	ft_infer_shape(shape, name, length, NULL);
	ft_text_puts(shape, " *");
}

/* Adds a new shape. False: too many, or no memory. */
static bool shape_add(char **shapes, uint32_t *count, const struct ft_text *shape)
{
	for (uint32_t i = 0; i < *count; i++)
		if (strcmp(shapes[i], ft_text_string(shape)) == 0)
			return true;
	if (*count == SHAPES_MAX)
		return false;
	shapes[*count] = strdup(ft_text_string(shape));
	if (!shapes[*count])
		return false;
	++*count;
	return true;
}

/* "^(a|b)$" of the shapes of some switches; NULL if there are none, or too many. */
static char *shapes_join(const struct ft_inference *f, const uint32_t *member, uint32_t count)
{
	_cleanup_(ft_text_release) struct ft_text shape = {0};
	struct ft_text pattern = {0};
	char *shapes[SHAPES_MAX] = {0};
	uint32_t shape_count = 0, i = 0;

	while (i < count && is_plain(f, member[i])) {
		shape_of(f, member[i], &shape);
		if (ft_text_failed(&shape) || !shape_add(shapes, &shape_count, &shape))
			break;
		i++;
	}
	ft_text_puts(&pattern, shape_count == 1 ? "^" : "^(");
	for (uint32_t k = 0; k < shape_count; k++) {
		ft_text_printf(&pattern, "%s%s", k ? "|" : "", shapes[k]);
		free(shapes[k]);
	}
	ft_text_puts(&pattern, shape_count == 1 ? "$" : ")$");
	if (i < count || count == 0 || ft_text_failed(&pattern) || pattern.length > FT_PATTERN_SIZE_MAX)
		ft_text_release(&pattern);
	return pattern.data;
}

/* 1 if @text matches no switch of the tree, 0 if it does, -ENOMEM. Only some of those outside may be expected. */
static int pattern_tells(const struct ft_inference *f, const char *text)
{
	_cleanup_(ft_pattern_freep) struct ft_pattern *pattern = NULL;
	int r = ft_pattern_compile(text, &pattern, NULL);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		size_t length;
		const char *name = description_of(f, i, &length);

		r = ft_infer_in_tree(f, i) ? ft_pattern_matches(pattern, name, length) : 0;
		if (r != 0)
			return r < 0 ? r : 0;
	}
	return 1;
}

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
static char *lacking_name(const struct ft_inference *f, uint32_t rank, uint32_t number)
{
	const char *at = ft_text_string(&f->lacking[rank]), *end = NULL;
	_cleanup_free_ char *name = NULL;
	uint32_t count = 0;

	for (; *at; at = end + (*end ? 2 : 0)) {
		end = strstr(at, ", ");
		end = end ? end : at + strlen(at);
		if (count++ == number)
			name = strndup(at, (size_t)(end - at));
	}
	return name && count == f->unseen[rank] && ft_infer_name_is_plain(name) && !ft_infer_by_rule_taken(f, name)
		       ? FT_STEAL(name)
		       : NULL;
}

/* Gives each unseen switch of a rank a name that no other has. Returns 0 or -ENOMEM. */
static int unseen_call(struct ft_inference *f, uint32_t rank)
{
	struct ft_inferred_bind *bind = &f->bind[rank];

	bind->called = calloc(f->unseen[rank] + 1UL, sizeof(*bind->called));
	for (uint32_t k = 0, number = 0; bind->called && k < f->unseen[rank]; k++) {
		bind->called[k] = lacking_name(f, rank, k);
		while (!bind->called[k]) {
			char name[32];

			snprintf(name, sizeof(name), "%s-unseen-%u", ft_infer_rank_name(f, rank), ++number);
			if (ft_infer_by_rule_taken(f, name))
				continue;
			bind->called[k] = strdup(name);
			if (!bind->called[k])
				return -ENOMEM;
		}
	}
	return bind->called ? 0 : -ENOMEM;
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

/*
 * Switches outside the tree that are cabled to each other, have many hosts, or several cables to the top: an island
 * with a purpose, not a switch plugged in by chance.
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
	return count;
}

/* The switches outside the tree that @text matches, added to the first @count, and others with similar names. */
static int named_alike(const struct ft_inference *f, const char *text, uint32_t *member, uint32_t *count)
{
	_cleanup_(ft_pattern_freep) struct ft_pattern *pattern = NULL;
	int r = ft_pattern_compile(text, &pattern, NULL);

	*count = 0;
	for (uint32_t i = 0; r >= 0 && i < f->observed->switch_count; i++) {
		size_t length;
		const char *name = description_of(f, i, &length);

		if (ft_infer_in_tree(f, i))
			continue;
		r = ft_pattern_matches(pattern, name, length);
		if (r > 0)
			member[(*count)++] = i;
	}
	return r < 0 ? r : 0;
}

/* As islands if names identify them; else they are expected, and nothing more is known of them. */
static int islands_take(struct ft_inference *f, bool by_name, uint32_t *member, uint32_t *count)
{
	_cleanup_free_ char *pattern = NULL;
	bool connected = true, hosted = false;
	bool tells;
	int r;

	if (*count == 0)
		return 0;
	for (uint32_t i = 0; i < *count; i++)
		hosted |= ft_infer_serves_hosts(f, member[i]) || ft_infer_is_attached(f, member[i]);
	pattern = shapes_join(f, member, *count);
	r = pattern ? pattern_tells(f, pattern) : 0;
	if (r > 0)
		r = named_alike(f, pattern, member, count) < 0 ? -ENOMEM : 1;
	if (r < 0 || (r == 0 && !hosted))
		return r;
	tells = r > 0;
	/* Switches that are not connected to the tree form another fabric. */
	for (uint32_t i = 0; i < *count; i++)
		connected &= ft_infer_connected(f, member[i]);
	r = by_name && connected ? ft_infer_islands(f, member, *count) : 0;
	/* If names do not match them either, they stay unplanned. */
	if (r == 0 && tells)
		f->expected[f->expected_count++] = FT_STEAL(pattern);
	return r < 0 ? r : 0;
}

static void islands_tell(struct ft_inference *f, const uint32_t *member, uint32_t count)
{
	struct ft_text *why = &f->why[FT_WHY_ISLANDS];

	for (uint32_t i = 0; i < count; i++)
		ft_text_printf(why, "%s%s", i ? ", " : "", f->observed->switches[member[i]].label);
	ft_text_puts(why, ": no part of the tree, cabled to each other or otherwise than edge switches, or called like "
			  "those that are; their cables are "
			  "taken to be all right");
}

/* @count: those of @member that are planned as islands, or expected. */
static void strangers_tell(struct ft_inference *f, const uint32_t *member, uint32_t count)
{
	struct ft_text *why = &f->why[FT_WHY_UNPLANNED];
	bool planned = f->islands.length > 0;
	uint32_t strangers = 0;

	if (planned)
		islands_tell(f, member, count);
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (!ft_infer_in_tree(f, i) && !(planned && ft_number_is_among(member, count, i)))
			ft_text_printf(why, "%s%s",
				       strangers++ ? ", " : "no part of the tree: ", f->observed->switches[i].label);
	if (f->expected_count > 0)
		ft_text_printf(why,
			       "; %u of them are cabled to each other or called like those that are, an island of "
			       "their own, and are expected by the pattern of their names",
			       count);
	else if (strangers > 0)
		ft_text_puts(why, "; left to be found");
}

static int strangers_find(struct ft_inference *f, bool by_name)
{
	_cleanup_free_ uint32_t *member = malloc((f->observed->switch_count + 1UL) * sizeof(*member));
	uint32_t count;
	int r;

	if (!member)
		return -ENOMEM;
	count = islanders_collect(f, member);
	r = islands_take(f, by_name, member, &count);
	strangers_tell(f, member, count);
	return r;
}

/* ---- */

void ft_infer_names_release(struct ft_inference *f)
{
	for (uint32_t rank = 0; rank < FT_RANKS_MAX; rank++) {
		for (uint32_t k = 0; f->bind[rank].called && f->bind[rank].called[k]; k++)
			free(f->bind[rank].called[k]);
		free(f->bind[rank].called);
		f->bind[rank] = (struct ft_inferred_bind){0};
		free(f->chassis_match[rank]);
		f->chassis_match[rank] = NULL;
	}
	while (f->expected_count > 0)
		free(f->expected[--f->expected_count]);
	ft_text_reset(&f->why[FT_WHY_BIND]);
	ft_text_reset(&f->islands);
	ft_text_reset(&f->why[FT_WHY_ISLANDS]);
	ft_text_reset(&f->why[FT_WHY_UNPLANNED]);
}

int ft_infer_names(struct ft_inference *f, bool by_name)
{
	_cleanup_free_ bool *by_guid = calloc(f->observed->switch_count + 1UL, sizeof(*by_guid));
	int guids = ft_infer_guids_usable(f);

	if (!by_guid || guids < 0 || ft_infer_by_rule_names(f, by_guid) < 0)
		return -ENOMEM;
	if (ft_infer_places(f) < 0)
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
