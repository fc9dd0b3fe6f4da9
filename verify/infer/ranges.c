/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Names in ranges: a name is split at its last number, or at that in which it differs from the next one. Names that
 * follow each other and differ only there share a bracket. Cost: linear in the length of the names.
 */
#include "config.h"

#include "verify/infer/ranges.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The limits of the reader of names, for ranges, too. */
enum { DIGITS_MAX = 9, NUMBERS_SIZE_MAX = 120, LINE_LENGTH = 90 };

struct ft_name_list ft_name_list_of(struct ft_arena *memory, uint32_t count)
{
	return (struct ft_name_list){.part = ft_arena_zeros(memory, count, sizeof(struct ft_name_part))};
}

/* At the number that ends before @end, or has a digit there. */
static void part_split(struct ft_name_part *part, size_t end)
{
	/* GUIDs stay as they are. */
	if (strncmp(part->name, "0x", 2) == 0)
		return;
	while (isdigit((unsigned char)part->name[end]))
		end++;
	part->head = end;
	while (part->head > 0 && isdigit((unsigned char)part->name[part->head - 1]))
		part->head--;
	part->digits = end - part->head;
	/* "33fd4e" is no numbering. */
	if (part->head > 0 && isxdigit((unsigned char)part->name[part->head - 1]) &&
	    isxdigit((unsigned char)part->name[end]))
		part->digits = 0;
	if (part->digits > DIGITS_MAX)
		part->digits = 0;
	part->number = part->digits ? (uint32_t)strtoul(part->name + part->head, NULL, 10) : 0;
}

static void part_split_last(struct ft_name_part *part)
{
	size_t end = strlen(part->name);

	while (end > 0 && !isdigit((unsigned char)part->name[end - 1]))
		end--;
	part_split(part, end);
}

void ft_name_list_add(struct ft_name_list *names, const char *name)
{
	if (!name)
		names->part = NULL;
	if (!names->part)
		return;
	names->part[names->count].name = name;
	part_split_last(&names->part[names->count++]);
}

static int part_compare(const void *a, const void *b)
{
	const struct ft_name_part *x = a, *y = b;

	return ft_text_natural_compare(x->name, y->name);
}

/* True if two parts differ only in the number: one bracket holds both. */
static bool part_joins(const struct ft_name_part *a, const struct ft_name_part *b)
{
	return a->digits > 0 && a->digits == b->digits && a->head == b->head &&
	       strncmp(a->name, b->name, a->head) == 0 &&
	       strcmp(a->name + a->head + a->digits, b->name + b->head + b->digits) == 0;
}

/* "[001,003-005]" for the joining parts from @part on, no longer than a name may be. Returns how many it holds. */
static uint32_t numbers_write(struct ft_text *text, const struct ft_name_part *part, uint32_t count)
{
	size_t begin = text->length;
	uint32_t i = 0;

	ft_text_puts(text, "[");
	while (i < count && text->length - begin < NUMBERS_SIZE_MAX) {
		uint32_t last = i;

		while (last + 1 < count && part[last + 1].number == part[last].number + 1)
			last++;
		ft_text_printf(text, "%s%0*u", i ? "," : "", (int)part[i].digits, part[i].number);
		if (last > i)
			ft_text_printf(text, "-%0*u", (int)part[i].digits, part[last].number);
		i = last + 1;
	}
	ft_text_puts(text, "]");
	return i;
}

static void list_sort(struct ft_name_list *names)
{
	if (names->part && names->count > 1)
		qsort(names->part, names->count, sizeof(*names->part), part_compare);
}

/* At the number in which it differs from the next one, if there is one. */
static void part_split_before(struct ft_name_part *part, const struct ft_name_part *next)
{
	size_t at = 0;

	while (part->name[at] && part->name[at] == next->name[at])
		at++;
	if (isdigit((unsigned char)part->name[at]) && isdigit((unsigned char)next->name[at]))
		part_split(part, at);
}

/* How many of the next @count names from @part on one bracket holds. */
static uint32_t parts_join(struct ft_name_part *part, uint32_t count)
{
	uint32_t joined = 1;

	if (count > 1)
		part_split_before(part, part + 1);
	for (; joined < count; joined++) {
		if (strlen(part[joined].name) > part->head)
			part_split(&part[joined], part->head);
		if (!part_joins(part, &part[joined]))
			break;
	}
	return joined;
}

uint32_t ft_name_list_add_json(struct ft_text *text, const struct ft_name_list *names, const char *line)
{
	_cleanup_(ft_text_release) struct ft_text one = {0};
	size_t begin = text->length;
	uint32_t strings = 0;

	text->failed |= !names->part;
	for (uint32_t i = 0, count; names->part && i < names->count; i += count) {
		struct ft_name_part *part = &names->part[i];

		count = parts_join(part, names->count - i);
		ft_text_reset(&one);
		if (count == 1) {
			ft_text_puts(&one, part->name);
		} else {
			ft_text_add(&one, part->name, part->head);
			count = numbers_write(&one, part, count);
			ft_text_puts(&one, part->name + part->head + part->digits);
		}
		ft_text_puts(text, strings++ ? "," : "");
		if (line && text->length - begin > LINE_LENGTH) {
			ft_text_puts(text, line);
			begin = text->length;
		} else {
			ft_text_puts(text, strings > 1 ? " " : "");
		}
		ft_text_add_json(text, ft_text_string(&one));
	}
	text->failed |= one.failed;
	return strings;
}

void ft_name_list_write(struct ft_text *text, struct ft_name_list *names)
{
	_cleanup_(ft_text_release) struct ft_text list = {0};
	uint32_t strings;

	list_sort(names);
	strings = ft_name_list_add_json(&list, names, NULL);
	text->failed |= list.failed;
	ft_text_printf(text, strings == 1 ? "%s" : "[%s]", ft_text_string(&list));
}
