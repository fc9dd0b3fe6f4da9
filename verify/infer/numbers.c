/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Gaps in the numbering of a rank: "core01, core02, core04". The running number is the last one in the name; it runs
 * through the whole rank, or restarts with each prefix, as in racks.
 *
 * No number is missing if numbers are places in a rack ("r90-u01, r90-u03"), if they all have the same distance ("sw10,
 * sw20, sw30"), or if as many switches have a name of their own kind: one of these is the missing one, misspelled. None
 * is missing below the lowest if all ranks are counted through ("edge1" to "edge4", "core5").
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/infer_parts.h"

/* If more than one in so many is missing, and more than a few, numbers were left out on purpose. */
enum { DIGITS_MAX = 6, LACKING_SHARE = 3, LACKING_FEW = 4 };

struct numbered {
	const char *name;
	size_t length; /* length before the number */
	int digits;
	uint32_t number;
};

struct series {
	const struct ft_inference *f;
	struct numbered *names;
	uint32_t count;
	size_t behind; /* length after the number, which all names share */
	bool whole;    /* one series, whatever precedes the number */
};

static size_t same_end(const char *a, const char *b, size_t most)
{
	size_t x = strlen(a), y = strlen(b), same = 0;

	while (same < most && same < x && same < y && a[x - 1 - same] == b[y - 1 - same])
		same++;
	return same;
}

/* The length of the common suffix of all names, without digits. A single switch is compared with other ranks. */
static size_t same_behind(const struct ft_inference *f, const struct ft_infer_set *set)
{
	const char *first = f->observed->switches[set->member[0]].name;
	size_t size = strlen(first), behind = size;

	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (i != set->member[0] && (set->count == 1 || ft_number_is_among(set->member, set->count, i)))
			behind = same_end(first, f->observed->switches[i].name, behind);
	while (behind > 0 && isdigit((unsigned char)first[size - behind]))
		behind--;
	return behind;
}

/* True if the number at @start is that of a rack unit: behind the letter u, before which there is no other letter. */
static bool is_rack_unit(const char *name, size_t start)
{
	return start > 0 && tolower((unsigned char)name[start - 1]) == 'u' &&
	       (start == 1 || !isalpha((unsigned char)name[start - 2]));
}

/* False: the name has no running number in that position, or is none for the lists of names, which have commas. */
static bool name_number(const char *name, size_t behind, struct numbered *ret)
{
	size_t end = strlen(name) - behind, digits = 0;

	while (digits < end && isdigit((unsigned char)name[end - 1 - digits]))
		digits++;
	if (digits == 0 || digits > DIGITS_MAX || strlen(name) >= FT_ABSENT_NAME_SIZE || strchr(name, ',') ||
	    ft_text_in_hexadecimal(name, end - 1) || is_rack_unit(name, end - digits))
		return false;
	*ret = (struct numbered){name, end - digits, (int)digits, (uint32_t)strtoul(name + end - digits, NULL, 10)};
	return true;
}

static int by_number(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_beginning(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	size_t length = x->length < y->length ? x->length : y->length;
	int beginnings = memcmp(x->name, y->name, length);

	if (beginnings != 0 || x->length != y->length)
		return beginnings != 0 ? beginnings : x->length < y->length ? -1 : 1;
	return by_number(a, b);
}

static bool same_series(const struct series *s, const struct numbered *a, const struct numbered *b)
{
	return s->whole || (a->length == b->length && memcmp(a->name, b->name, a->length) == 0);
}

/* True if a switch of any rank has the name of @like with that number. */
static bool is_taken(const struct series *s, const struct numbered *like, uint32_t number)
{
	const char *behind = like->name + strlen(like->name) - s->behind;

	for (uint32_t i = 0; i < s->f->observed->switch_count; i++) {
		const char *name = s->f->observed->switches[i].name;
		size_t length = strlen(name);
		struct numbered other;

		if (length > s->behind && strcmp(name + length - s->behind, behind) == 0 &&
		    name_number(name, s->behind, &other) && other.number == number && other.length == like->length &&
		    memcmp(name, like->name, like->length) == 0)
			return true;
	}
	return false;
}

/* Adds the name of @like with another number, as written in the report. */
static void name_tell(const struct series *s, const struct numbered *like, uint32_t number, struct ft_text *names)
{
	_cleanup_(ft_text_release) struct ft_text name = {0};
	_cleanup_free_ char *called = NULL;

	ft_text_printf(&name, "%.*s%0*u%s", (int)like->length, like->name, like->digits, number,
		       like->name + strlen(like->name) - s->behind);
	if (!ft_text_failed(&name))
		called = ft_switch_short_name(ft_text_string(&name));
	if (called)
		ft_text_printf(names, "%s%s", ft_text_string(names)[0] ? ", " : "", called);
	else
		names->failed = true;
}

/*
 * Missing numbers between two neighbours of a series; more than @most if these are too many, or if a switch of another
 * rank has one: then all ranks share the series, and a gap belongs to no particular one.
 */
static uint32_t gap_count(const struct series *s, uint32_t from, const struct numbered *to, uint32_t most,
			  struct ft_text *names)
{
	uint32_t count = 0;

	for (uint32_t number = from + 1; number < to->number && count <= most; number++) {
		if (is_taken(s, to, number))
			return most + 1;
		name_tell(s, to, number, names);
		count++;
	}
	return count;
}

static bool number_is_of_rank(const struct series *s, uint32_t number)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->names[i].number == number)
			return true;
	return false;
}

/* True if switches of other ranks have the number below the lowest of this one, and none of its own, whatever names. */
static bool ranks_are_counted_through(const struct series *s, const struct ft_infer_set *set, uint32_t lowest)
{
	bool below = false;

	for (uint32_t i = 0; i < s->f->observed->switch_count; i++) {
		const char *name = s->f->observed->switches[i].name;
		struct numbered other;

		if (ft_number_is_among(set->member, set->count, i) || strlen(name) < s->behind ||
		    !name_number(name, s->behind, &other))
			continue;
		if (number_is_of_rank(s, other.number))
			return false;
		below |= other.number + 1 == lowest;
	}
	return below;
}

/* Missing numbers below the lowest, down to 1; a number used in another rank ends the series. */
static uint32_t start_count(const struct series *s, const struct numbered *lowest, uint32_t most, struct ft_text *names)
{
	uint32_t from = lowest->number;

	while (from > 1 && lowest->number - from <= most && !is_taken(s, lowest, from - 1))
		from--;
	if (lowest->number - from > most)
		return 0;
	return from < lowest->number ? gap_count(s, from - 1, lowest, most, names) : 0;
}

/* True if neighbours of a series, of which there are two pairs or more, all have the same distance, and it is above 1.
 */
static bool in_equal_steps(const struct series *s)
{
	uint32_t step = 0, pairs = 0;

	for (uint32_t i = 1; i < s->count; i++) {
		uint32_t distance = s->names[i].number - s->names[i - 1].number;

		if (!same_series(s, &s->names[i - 1], &s->names[i]))
			continue;
		if (distance < 2 || (pairs++ > 0 && distance != step))
			return false;
		step = distance;
	}
	return pairs > 1;
}

/* Switches that are alone in their series, beside longer ones. */
static uint32_t stray_count(const struct series *s)
{
	uint32_t alone = 0;

	for (uint32_t i = 0; i < s->count; i++)
		alone += (i == 0 || !same_series(s, &s->names[i - 1], &s->names[i])) &&
			 (i + 1 == s->count || !same_series(s, &s->names[i], &s->names[i + 1]));
	return alone < s->count ? alone : 0;
}

/* False: a number occurs twice, more are missing than plausible, or the series is not the rank's own. */
static bool series_read(struct series *s, const struct ft_infer_set *set, struct ft_numbers *ret_lacking)
{
	uint32_t few = s->count < LACKING_FEW ? s->count : LACKING_FEW, inside = 0;
	uint32_t most = s->count / LACKING_SHARE > few ? s->count / LACKING_SHARE : few;
	const struct numbered *first = &s->names[0];
	_cleanup_(ft_text_release) struct ft_text names = {0}, first_names = {0};
	bool single = true;

	qsort(s->names, s->count, sizeof(*s->names), s->whole ? by_number : by_beginning);
	for (uint32_t i = 1; i < s->count; i++) {
		const struct numbered *before = &s->names[i - 1], *here = &s->names[i];

		if (!same_series(s, before, here)) {
			single = false;
			continue;
		}
		if (before->number == here->number)
			return false;
		inside += gap_count(s, before->number, here, most, &names);
		if (inside > most)
			return false;
	}
	if (in_equal_steps(s))
		return false;
	if (inside <= stray_count(s))
		inside = 0;
	*ret_lacking = (struct ft_numbers){.inside = inside, .single = single};
	if (inside > 0)
		ret_lacking->names = ft_arena_text(s->f->memory, &names);
	if (single && !ranks_are_counted_through(s, set, first->number))
		ret_lacking->first = start_count(s, first, s->count, &first_names);
	if (ret_lacking->first > 0)
		ret_lacking->first_names = ft_arena_text(s->f->memory, &first_names);
	return true;
}

int ft_infer_numbers(const struct ft_inference *f, const struct ft_infer_set *set, struct ft_numbers *lacking)
{
	struct numbered *names = ft_arena_zeros(f->memory, set->count, sizeof(*names));
	struct series s = {.f = f, .names = names, .count = set->count};

	if (!names)
		return -ENOMEM;
	s.behind = same_behind(f, set);
	for (uint32_t i = 0; i < s.count; i++)
		if (!name_number(f->observed->switches[set->member[i]].name, s.behind, &names[i]))
			return 0;
	for (unsigned int whole = 2; whole-- > 0;) {
		s.whole = whole > 0;
		if (series_read(&s, set, lacking))
			break;
	}
	return f->memory->failed ? -ENOMEM : 0;
}
