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

/* The most frequent value of one figure among the directors of a rank. */
static uint32_t usual_number(const struct ft_inference *f, uint32_t rank, unsigned int key)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < f->count[rank]; i++) {
		const struct ft_director *director = ft_infer_director(f, f->member[rank][i]);
		struct ft_inside seen;

		if (!director)
			continue;
		seen = director->seen;
		seen.line_ports = line_ports(f, director);
		ft_tally_add(&tally, ft_inside_get(&seen, key));
	}
	return ft_tally_mode(&tally, 0);
}

static void inside_tell(struct ft_inference *f, uint32_t rank, uint32_t directors)
{
	const struct ft_inside *in = &f->design.inside[rank];
	struct ft_text *why = &f->why[FT_WHY_INSIDE];

	ft_text_printf(why,
		       "%s%s: %u of %u are directors; most of these have %u line boards of %u %s and %u fabric boards "
		       "of %u, with %u %s between two",
		       ft_text_string(why)[0] ? "; " : "", ft_infer_rank_name(f, rank), directors, f->count[rank],
		       in->line_boards, in->line_chips, ft_infer_plural(in->line_chips, "chip", "chips"),
		       in->fabric_boards, in->fabric_chips, in->traces, ft_infer_plural(in->traces, "trace", "traces"));
}

/*
 * Directors may be bought with fewer line boards than their like, and then lack nothing. With unlike ones the design
 * leaves their number open, and has ports for the largest: a board that is gone is told by the cables that went with
 * it.
 */
static void boards_unlike_find(struct ft_inference *f, uint32_t rank)
{
	struct ft_inside *in = &f->design.inside[rank];
	uint32_t least = UINT32_MAX, most = 0;

	for (uint32_t i = 0; i < f->count[rank]; i++) {
		const struct ft_director *director = ft_infer_director(f, f->member[rank][i]);
		uint32_t boards = director ? director->seen.line_boards : 0;

		if (!director)
			continue;
		least = boards < least ? boards : least;
		most = boards > most ? boards : most;
	}
	if (most <= least)
		return;
	f->design.boards_unlike[rank] = true;
	in->line_boards = most;
	ft_text_printf(&f->why[FT_WHY_INSIDE], "; they have from %u to %u line boards, so that no number is expected",
		       least, most);
}

/* So may they with fewer fabric boards, if half of them have the first ones alone; the plan has those that all have. */
static void fabrics_unlike_find(struct ft_inference *f, uint32_t rank)
{
	struct ft_inside *in = &f->design.inside[rank];
	uint32_t least = in->fabric_boards, few = 0, all = 0;

	for (uint32_t i = 0; i < f->count[rank]; i++) {
		const struct ft_director *director = ft_infer_director(f, f->member[rank][i]);

		all += director && director->seen.fabric_boards > 0;
		if (!director || !ft_director_has_first_boards(director, in->fabric_boards))
			continue;
		few++;
		least = ft_number_least(least, director->seen.fabric_boards);
	}
	if (least == in->fabric_boards || few * 2 < all)
		return;
	ft_text_printf(&f->why[FT_WHY_INSIDE],
		       "; some have but the first %u fabric boards, which is all that is expected", least);
	in->fabric_boards = least;
}

static void rank_inside(struct ft_inference *f, uint32_t rank)
{
	struct ft_inside *in = &f->design.inside[rank];
	uint32_t directors = 0;
	struct ft_error err;
	const char *key;

	for (uint32_t i = 0; i < f->count[rank]; i++)
		directors += ft_infer_director(f, f->member[rank][i]) != NULL;
	/* A design has switches of one kind in a rank: deviations of the minority become findings. */
	if (directors * 2 <= f->count[rank])
		return;
	f->design.directors[rank] = true;
	for (unsigned int key_number = 0; key_number < FT_INSIDE_KEYS; key_number++)
		ft_inside_set(in, key_number, usual_number(f, rank, key_number));
	if (in->fabric_boards_max < in->fabric_boards)
		in->fabric_boards_max = in->fabric_boards;
	inside_tell(f, rank, directors);
	boards_unlike_find(f, rank);
	fabrics_unlike_find(f, rank);
	if (in->line_boards_max < in->line_boards)
		in->line_boards_max = in->line_boards;
	/* The combination of votes from several directors may fit none of them. */
	if (ft_inside_check(in, in->line_boards * in->line_ports, &err, &key) < 0)
		*in = (struct ft_inside){.line_boards = in->line_boards, .line_ports = in->line_ports};
}

void ft_infer_insides(struct ft_inference *f)
{
	for (uint32_t rank = 0; rank < FT_RANKS_MAX; rank++)
		rank_inside(f, rank);
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
static const char *whole_name(const struct ft_inference *f, uint32_t rank, uint32_t i, size_t *ret_length)
{
	const struct ft_director *director = ft_infer_director(f, f->member[rank][i]);

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
static void literals_find(const struct ft_inference *f, uint32_t rank, bool literal[SHAPE_NUMBERS])
{
	for (unsigned int number = 0; number < SHAPE_NUMBERS; number++) {
		const char *first = NULL;
		size_t first_length = 0;

		literal[number] = true;
		for (uint32_t i = 0; i < f->count[rank]; i++) {
			size_t length, digits;
			const char *whole = whole_name(f, rank, i, &length), *at;

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
static int pattern_make(const struct ft_inference *f, uint32_t rank, const bool *literal, struct ft_text *pattern)
{
	_cleanup_(ft_text_release) struct ft_text shape = {0};

	for (uint32_t i = 0; i < f->count[rank]; i++) {
		const struct ft_director *director = ft_infer_director(f, f->member[rank][i]);
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
static int pattern_serves(const struct ft_inference *f, uint32_t rank, const struct ft_pattern *pattern)
{
	for (uint32_t n = 0; n < f->chips->node_count; n++) {
		uint32_t chip = f->chassis->chip_of[n];
		const struct ft_director *d =
			chip == FT_NONE ? NULL : &f->chassis->directors[f->chassis->chips[chip].director];
		uint32_t observed = d ? f->observed->switch_of_node[d->node] : FT_NONE;
		bool ours = observed != FT_NONE && f->fit.rank[observed] == rank;
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
static int chassis_match(struct ft_inference *f, uint32_t rank, const bool *literal)
{
	_cleanup_(ft_pattern_freep) struct ft_pattern *pattern = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	int r = pattern_make(f, rank, literal, &text);

	if (r <= 0)
		return r;
	r = ft_pattern_compile_capturing(text.data, &pattern, NULL) ?: pattern_serves(f, rank, pattern);
	if (r <= 0)
		return r == -EINVAL ? 0 : r;
	f->chassis_match[rank] = ft_arena_text(f->memory, &text);
	return f->chassis_match[rank] ? 1 : -ENOMEM;
}

int ft_infer_chassis_names(struct ft_inference *f)
{
	for (uint32_t rank = 0; rank < FT_RANKS_MAX; rank++) {
		bool literal[SHAPE_NUMBERS];
		int r = f->design.directors[rank] ? chassis_match(f, rank, NULL) : 1;

		/* "SL1-[0-9]+" and "SL2-[0-9]+" if "SL[0-9]+-[0-9]+" matches two ranks. */
		if (r == 0) {
			literals_find(f, rank, literal);
			r = chassis_match(f, rank, literal);
		}
		if (r < 0)
			return r;
	}
	return 0;
}
