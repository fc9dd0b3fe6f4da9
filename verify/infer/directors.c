/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directors of a fabric without a plan: which ranks they form, what most of them consist of, and which pattern extracts
 * the director's name from those of its chips. Directors are detected in director/chassis.c.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/infer_parts.h"

enum { SHAPE_NUMBERS = 16 };

const struct ft_director *ft_infer_director(const struct ft_inference *f, uint32_t observed)
{
	for (uint32_t i = 0; f->chassis && i < f->chassis->director_count; i++)
		if (f->chassis->directors[i].node == f->observed->switches[observed].node)
			return &f->chassis->directors[i];
	return NULL;
}

/*
 * Outer ports of a line board. Ports that never held a cable are in no list of links: a chip with at most half of its
 * ports used as traces, and at most half as outer ones, is taken to have half of them outside, as is usual.
 */
static uint32_t line_ports(const struct ft_inference *f, const struct ft_director *d)
{
	const struct ft_inside *seen = &d->seen;
	const struct ft_chip *chip = &f->chassis->chips[d->first];
	uint32_t half = f->chips->nodes[chip->node].port_count / 2;
	uint64_t traces = (uint64_t)seen->fabric_boards_max * seen->fabric_chips * seen->traces;

	if (!chip->line || seen->line_chips == 0 || seen->line_ports > half * seen->line_chips || traces > half)
		return seen->line_ports;
	return half * seen->line_chips;
}

uint32_t ft_infer_director_ports(const struct ft_inference *f, const struct ft_director *director)
{
	uint32_t boards = 0;

	/* A director without its last board still has the size of the others. */
	for (uint32_t i = 0; i < f->chassis->director_count; i++)
		if (f->chassis->directors[i].tier == director->tier &&
		    f->chassis->directors[i].seen.line_boards_max > boards)
			boards = f->chassis->directors[i].seen.line_boards_max;
	return boards * line_ports(f, director);
}

/* The most frequent value of one figure among the directors of a set. */
static uint32_t usual_number(const struct ft_inference *f, const struct ft_infer_set *set, unsigned int key)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < set->count; i++) {
		const struct ft_director *director = ft_infer_director(f, set->member[i]);
		struct ft_inside seen;

		if (!director)
			continue;
		seen = director->seen;
		seen.line_ports = line_ports(f, director);
		ft_tally_add(&tally, ft_inside_get(&seen, key));
	}
	return ft_tally_mode(&tally, 0);
}

static void inside_tell(const struct ft_inside *in, const char *tier, uint32_t directors, uint32_t count,
			struct ft_text *why)
{
	ft_text_printf(why,
		       "%s: %u of %u are directors; most of these have %u line boards of %u %s and %u fabric boards "
		       "of %u, with %u %s between two",
		       tier, directors, count, in->line_boards, in->line_chips,
		       ft_infer_plural(in->line_chips, "chip", "chips"), in->fabric_boards, in->fabric_chips,
		       in->traces, ft_infer_plural(in->traces, "trace", "traces"));
}

/*
 * Directors may be bought with fewer line boards than their like, and then lack nothing. With unlike ones the design
 * leaves their number open, and has ports for the largest: a board that is gone is told by the cables that went with
 * it.
 */
static void boards_unlike_find(const struct ft_inference *f, const struct ft_infer_set *set, struct ft_infer_tier *tier,
			       struct ft_text *why)
{
	uint32_t least = UINT32_MAX, most = 0;

	for (uint32_t i = 0; i < set->count; i++) {
		const struct ft_director *director = ft_infer_director(f, set->member[i]);
		uint32_t boards = director ? director->seen.line_boards : 0;

		if (!director)
			continue;
		least = boards < least ? boards : least;
		most = boards > most ? boards : most;
	}
	if (most <= least)
		return;
	tier->boards_unlike = true;
	tier->inside.line_boards = most;
	ft_text_printf(why, "; they have from %u to %u line boards, so that no number is expected", least, most);
}

/* So may they with fewer fabric boards, if half of them have the first ones alone; the plan has those that all have. */
static void fabrics_unlike_find(const struct ft_inference *f, const struct ft_infer_set *set, struct ft_inside *in,
				struct ft_text *why)
{
	uint32_t least = in->fabric_boards, few = 0, all = 0;

	for (uint32_t i = 0; i < set->count; i++) {
		const struct ft_director *director = ft_infer_director(f, set->member[i]);

		all += director && director->seen.fabric_boards > 0;
		if (!director || !ft_director_has_first_boards(director, in->fabric_boards))
			continue;
		few++;
		least = ft_number_least(least, director->seen.fabric_boards);
	}
	if (least == in->fabric_boards || few * 2 < all)
		return;
	ft_text_printf(why, "; some have but the first %u fabric boards, which is all that is expected", least);
	in->fabric_boards = least;
}

/*
 * The one slot among others that has no fabric board is that of a board that is gone: who buys fewer leaves the last
 * ones empty, or every other one.
 */
static void fabric_hole_find(struct ft_inside *in, struct ft_text *why)
{
	enum { BOARDS_MIN = 4 };

	if (in->fabric_boards < BOARDS_MIN || in->fabric_boards + 1 != in->fabric_boards_max)
		return;
	in->fabric_boards++;
	ft_text_printf(why,
		       "; one of %u slots for fabric boards is empty, and not the last one, so that a board is missing",
		       in->fabric_boards);
}

/* ---- names ---- */

static const char *description_of(const struct ft_snapshot *s, uint32_t node, size_t *ret_length)
{
	const char *name = ft_node_description(s, &s->nodes[node]);
	size_t length = s->nodes[node].description_length;

	while (length > 0 && name[length - 1] == ' ')
		length--;
	*ret_length = length;
	return name;
}

/* What follows the director's name in the names of chips. */
enum tail { TAIL_NONE, TAIL_SLOT, TAIL_OTHER };

static enum tail tail_of(const struct ft_inference *f, const struct ft_director *d)
{
	size_t length, whole_length;
	const char *whole = description_of(f->snapshot, d->node, &whole_length);
	enum tail tail = TAIL_NONE;

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const char *name = description_of(f->chips, f->chassis->chips[i].node, &length);

		if (whole_length == 0 || length < whole_length || memcmp(name, whole, whole_length) != 0)
			return TAIL_OTHER;
		if (length == whole_length)
			continue;
		if (!strchr(" /:", name[whole_length]))
			return TAIL_OTHER;
		tail = TAIL_SLOT;
	}
	return tail;
}

/* The name of the director that member @i of the rank is; NULL if it is none. */
static const char *whole_name(const struct ft_inference *f, const struct ft_infer_set *set, uint32_t i,
			      size_t *ret_length)
{
	const struct ft_director *director = ft_infer_director(f, set->member[i]);

	return director ? description_of(f->snapshot, director->node, ret_length) : NULL;
}

/* The end of the number that begins at @at, which may be hexadecimal; @at if none does. */
static size_t number_end(const char *name, size_t length, size_t at)
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

/*
 * Adds a name, with every number in it (also GUIDs) replaced by any number, as a regular expression to @shape.
 *
 * @literal  [SHAPE_NUMBERS]: which numbers of the name stay as they are; NULL: none
 * Returns false if the name contains characters that patterns cannot have.
 */
static bool shape_add(struct ft_text *shape, const char *name, size_t length, const bool *literal)
{
	size_t number = 0;

	for (size_t i = 0, end; i < length; i = end) {
		if (name[i] < ' ' || name[i] > '~')
			return false;
		end = number_end(name, length, i);
		if (end > i && literal && number < SHAPE_NUMBERS && literal[number])
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

/* Number @number of a name, from 0; empty if it has fewer. */
static const char *number_of(const char *name, size_t length, unsigned int number, size_t *ret_length)
{
	for (size_t i = 0, end; i<length; i = end> i ? end : i + 1) {
		end = number_end(name, length, i);
		if (end == i || number-- > 0)
			continue;
		*ret_length = end - i;
		return name + i;
	}
	*ret_length = 0;
	return name;
}

/* Finds the numbers that are equal in the names of all directors of the rank. */
static void literals_find(const struct ft_inference *f, const struct ft_infer_set *set, bool literal[SHAPE_NUMBERS])
{
	for (unsigned int number = 0; number < SHAPE_NUMBERS; number++) {
		const char *first = NULL;
		size_t first_length = 0;

		literal[number] = true;
		for (uint32_t i = 0; i < set->count; i++) {
			size_t length, digits;
			const char *whole = whole_name(f, set, i, &length), *at;

			if (!whole)
				continue;
			at = number_of(whole, length, number, &digits);
			if (!first) {
				first = at;
				first_length = digits;
			}
			literal[number] &= digits == first_length && memcmp(at, first, digits) == 0;
		}
	}
}

/*
 * "^(core[0-9]+)[ /:]" if one such pattern matches all directors of the rank. 1, 0 or -ENOMEM.
 * @literal  see shape_add()
 */
static int pattern_make(const struct ft_inference *f, const struct ft_infer_set *set, const bool *literal,
			struct ft_text *pattern)
{
	_cleanup_(ft_text_release) struct ft_text shape = {0};

	for (uint32_t i = 0; i < set->count; i++) {
		const struct ft_director *director = ft_infer_director(f, set->member[i]);
		enum tail tail = director ? tail_of(f, director) : TAIL_OTHER;
		size_t length;
		const char *whole;

		if (!director)
			continue;
		whole = description_of(f->snapshot, director->node, &length);
		ft_text_reset(&shape);
		ft_text_puts(&shape, "^(");
		if (tail == TAIL_OTHER || !shape_add(&shape, whole, length, literal))
			return 0;
		ft_text_puts(&shape, tail == TAIL_SLOT ? ")[ /:]" : ") *$");
		if (ft_text_failed(&shape))
			return -ENOMEM;
		if (pattern->length > 0 && strcmp(pattern->data, shape.data) != 0)
			return 0;
		if (pattern->length == 0)
			ft_text_puts(pattern, shape.data);
	}
	if (ft_text_failed(pattern))
		return -ENOMEM;
	return pattern->length > 0 && pattern->length <= FT_PATTERN_SIZE_MAX;
}

/* True if the pattern finds the director's name in the names of all chips of the rank, and nothing in other names. */
static int pattern_serves(const struct ft_inference *f, const struct ft_infer_set *set,
			  const struct ft_pattern *pattern)
{
	for (uint32_t n = 0; n < f->chips->node_count; n++) {
		uint32_t chip = f->chassis->chip_of[n];
		const struct ft_director *d =
			chip == FT_NONE ? NULL : &f->chassis->directors[f->chassis->chips[chip].director];
		uint32_t observed = d ? f->observed->switch_of_node[d->node] : FT_NONE;
		bool ours = observed != FT_NONE && ft_number_is_among(set->member, set->count, observed);
		size_t length, whole_length, start = 0, end = 0;
		const char *name = description_of(f->chips, n, &length), *whole;
		int r;

		if (f->chips->nodes[n].type != FT_NODE_SWITCH)
			continue;
		r = ft_pattern_find(pattern, name, length, &start, &end);
		if (r < 0 || (r > 0) != ours)
			return r < 0 ? r : 0;
		if (!ours)
			continue;
		whole = description_of(f->snapshot, d->node, &whole_length);
		if (end - start != whole_length || memcmp(name + start, whole, whole_length) != 0)
			return 0;
	}
	return 1;
}

/* 1 if there is such a pattern, 0 if not, -ENOMEM. */
static int chassis_match(const struct ft_inference *f, const struct ft_infer_set *set, const bool *literal,
			 const char **ret_match)
{
	_cleanup_(ft_pattern_freep) struct ft_pattern *pattern = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	int r = pattern_make(f, set, literal, &text);

	if (r <= 0)
		return r;
	r = ft_pattern_compile_capturing(text.data, &pattern, NULL) ?: pattern_serves(f, set, pattern);
	if (r <= 0)
		return r == -EINVAL ? 0 : r;
	*ret_match = ft_arena_text(f->memory, &text);
	return *ret_match ? 1 : -ENOMEM;
}

/* "SL1-[0-9]+" and "SL2-[0-9]+" if "SL[0-9]+-[0-9]+" matches directors of two sets. */
static int names_match(const struct ft_inference *f, const struct ft_infer_set *set, const char **ret_match)
{
	bool literal[SHAPE_NUMBERS];
	int r = chassis_match(f, set, NULL, ret_match);

	if (r != 0)
		return r;
	literals_find(f, set, literal);
	return chassis_match(f, set, literal, ret_match);
}

/* ---- */

/* Fills what most of @directors of a tier consist of, and the note on them. */
static void inside_find(const struct ft_inference *f, const struct ft_infer_set *set, uint32_t directors,
			struct ft_infer_tier *tier, struct ft_text *why)
{
	struct ft_inside *in = &tier->inside;
	struct ft_error err;
	const char *key;

	for (unsigned int number = 0; number < FT_INSIDE_KEYS; number++)
		ft_inside_set(in, number, usual_number(f, set, number));
	if (in->fabric_boards_max < in->fabric_boards)
		in->fabric_boards_max = in->fabric_boards;
	inside_tell(in, tier->name, directors, set->count, why);
	boards_unlike_find(f, set, tier, why);
	fabrics_unlike_find(f, set, in, why);
	fabric_hole_find(in, why);
	if (in->line_boards_max < in->line_boards)
		in->line_boards_max = in->line_boards;
	/* The combination of votes from several directors may fit none of them. */
	if (ft_inside_check(in, in->line_boards * in->line_ports, &err, &key) < 0)
		*in = (struct ft_inside){.line_boards = in->line_boards, .line_ports = in->line_ports};
	if (in->line_boards * in->line_ports > 0)
		tier->ports = in->line_boards * in->line_ports;
}

int ft_infer_tier(const struct ft_inference *f, const char *name, const uint32_t *order, uint32_t count,
		  struct ft_infer_tier *ret_tier)
{
	_cleanup_(ft_text_release) struct ft_text why = {0};
	struct ft_tally ports = {0};
	uint32_t *seen = ft_arena_numbers(f->memory, count, 0), directors = 0;
	struct ft_infer_set set = {seen, 0};
	int r;

	if (!seen)
		return -ENOMEM;
	*ret_tier = (struct ft_infer_tier){.name = name};
	for (uint32_t i = 0; i < count; i++)
		if (order[i] < f->observed->switch_count)
			seen[set.count++] = order[i];
	for (uint32_t i = 0; i < set.count; i++) {
		ft_tally_add(&ports, ft_infer_ports(f, seen[i]));
		directors += ft_infer_director(f, seen[i]) != NULL;
	}
	ret_tier->ports = ft_tally_mode(&ports, 1);
	/* A design has switches of one kind in a tier: deviations of the minority become findings. */
	ret_tier->directors = directors * 2 > set.count;
	ret_tier->mixed = directors > 0 && !ret_tier->directors;
	if (!ret_tier->directors)
		return 0;
	inside_find(f, &set, directors, ret_tier, &why);
	ret_tier->why = ft_arena_text(f->memory, &why);
	if (!ret_tier->why)
		return -ENOMEM;
	r = names_match(f, &set, &ret_tier->match);
	return r < 0 ? r : 0;
}

/* A number of line boards, or one from which it would follow. */
static bool is_of_lines(unsigned int key)
{
	return strncmp(ft_inside_keys[key].name, "line_boards", strlen("line_boards")) == 0 ||
	       strcmp(ft_inside_keys[key].name, "line_ports") == 0;
}

void ft_infer_write_tier(const struct ft_infer_tier *tier, struct ft_text *text)
{
	const char *separator = "";

	ft_text_printf(text, ",\n\t\"%s\": {\"ports\": %u", tier->name, tier->ports);
	if (!tier->directors)
		return;
	ft_text_puts(text, ", \"inside\": {");
	for (unsigned int key = 0; key < FT_INSIDE_KEYS; key++) {
		if (ft_inside_get(&tier->inside, key) == 0 || (tier->boards_unlike && is_of_lines(key)))
			continue;
		ft_text_printf(text, "%s\"%s\": %u", separator, ft_inside_keys[key].name,
			       ft_inside_get(&tier->inside, key));
		separator = ", ";
	}
	ft_text_puts(text, "}");
	if (tier->match) {
		ft_text_puts(text, ", \"chassis\": ");
		ft_text_add_json(text, tier->match);
	}
}

void ft_infer_tell_tiers(const struct ft_infer_tier *tiers, uint32_t count, struct ft_text *text)
{
	_cleanup_(ft_text_release) struct ft_text note = {0};

	for (uint32_t i = 0; i < count; i++)
		if (tiers[i].why)
			ft_text_printf(&note, "%s%s", note.length ? "; " : "", tiers[i].why);
	if (note.length == 0)
		return;
	ft_text_puts(text, ",\n\t\t\"inside\": ");
	ft_text_add_json(text, ft_text_string(&note));
	text->failed |= note.failed;
}
