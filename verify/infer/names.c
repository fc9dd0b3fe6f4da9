/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Identifies the switches of each rank: by their names, so that one that is gone later is called by its own; else, if
 * some were not seen or names are not unique, by a pattern that matches all names of the rank and no other; else by
 * GUIDs.
 * Names are untrusted: everything written here passed the same checks as in a design file.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/by_rule.h"

enum { SHAPES_MAX = 4, NAME_SIZE_MAX = 64, TOKEN_MIN = 2, NAMED_MAX = 12 };

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
static char *shapes_join(const struct ft_inference *f, const uint32_t *member, uint32_t count, bool *ret_single)
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
	*ret_single = shape_count == 1;
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

/* 1 if @text matches all switches of @rank and no other (outside: none of the tree), 0 if not, -ENOMEM. */
static int pattern_tells(const struct ft_inference *f, const char *text, uint32_t rank)
{
	_cleanup_(ft_pattern_freep) struct ft_pattern *pattern = NULL;
	int r = ft_pattern_compile(text, &pattern, NULL);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		size_t length;
		const char *name = description_of(f, i, &length);

		/* Only some of the switches outside may be expected. */
		if (rank == FT_OUTSIDE && f->fit.rank[i] == FT_OUTSIDE)
			continue;
		r = ft_pattern_matches(pattern, name, length);
		if (r < 0)
			return r;
		if ((r > 0) != (f->fit.rank[i] == rank))
			return 0;
	}
	return 1;
}

/* The longest word in a switch's name that is specific to its rank: "IBSPINE". */
static int token_find(const struct ft_inference *f, uint32_t rank, char **ret_token)
{
	const char *name = description_of(f, f->member[rank][0], NULL);
	_cleanup_free_ char *best = NULL;

	for (size_t at = 0, length; name[at]; at += length ? length : 1) {
		char token[NAME_SIZE_MAX + 1];
		int r;

		for (length = 0; isalpha((unsigned char)name[at + length]); length++)
			;
		if (length < TOKEN_MIN || length > NAME_SIZE_MAX || (best && strlen(best) >= length))
			continue;
		memcpy(token, name + at, length);
		token[length] = '\0';
		r = pattern_tells(f, token, rank);
		if (r < 0)
			return r;
		if (r == 0)
			continue;
		free(best);
		best = strdup(token);
		if (!best)
			return -ENOMEM;
	}
	*ret_token = FT_STEAL(best);
	return 0;
}

/* A pattern for the rank, or none: one shape, else one word, else several shapes. */
static int match_find(struct ft_inference *f, uint32_t rank)
{
	_cleanup_free_ char *shapes = NULL, *token = NULL;
	bool single;
	int r;

	shapes = shapes_join(f, f->member[rank], f->count[rank], &single);
	r = shapes ? pattern_tells(f, shapes, rank) : 0;
	if (r < 0)
		return r;
	if (r == 0) {
		free(shapes);
		shapes = NULL;
	}
	if ((!shapes || !single) && is_plain(f, f->member[rank][0])) {
		r = token_find(f, rank, &token);
		if (r < 0)
			return r;
	}
	f->bind[rank].match = token ? FT_STEAL(token) : FT_STEAL(shapes);
	return 0;
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
	const char *how = bind->match	? "their names match a pattern that no other switch's does"
			  : bind->names ? "by name: all of them were seen, and no two are alike"
			  : bind->guids ? "by GUID: no pattern of names tells the tier"
			  : f->no_lists ? "not bound: a list would hold more to be wrong than there is without"
			  : f->design.count[rank] != f->count[rank]
				  ? "not bound: not all of them were seen, and no pattern of names tells the tier"
				  : "not bound: neither names nor GUIDs tell the switches apart";

	ft_text_printf(&f->why[FT_WHY_BIND], "%s%s: %s", ft_text_string(&f->why[FT_WHY_BIND])[0] ? "; " : "",
		       ft_infer_rank_name(f, rank), how);
}

/* Lists must name every planned switch, or they are refused. */
static bool list_possible(const struct ft_inference *f, uint32_t rank)
{
	return !f->no_lists && f->design.count[rank] == f->count[rank];
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
	bool single, connected = true, hosted = false;
	bool tells;
	int r;

	if (*count == 0)
		return 0;
	for (uint32_t i = 0; i < *count; i++)
		hosted |= ft_infer_serves_hosts(f, member[i]) || ft_infer_is_attached(f, member[i]);
	pattern = shapes_join(f, member, *count, &single);
	r = pattern ? pattern_tells(f, pattern, FT_OUTSIDE) : 0;
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
		free(f->bind[rank].match);
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
	int r, guids = ft_infer_guids_usable(f);

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
		f->bind[rank].names = by_name && list_possible(f, rank) && rank_named(f, rank, by_guid);
		r = by_name && !f->bind[rank].names ? match_find(f, rank) : 0;
		if (r < 0)
			return r;
		f->bind[rank].guids =
			!f->bind[rank].match && !f->bind[rank].names && guids > 0 && list_possible(f, rank);
		bind_tell(f, rank);
	}
	return strangers_find(f, by_name);
}
