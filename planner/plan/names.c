/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { CANDIDATES_SHOWN = 4 };

/* The identifying part of a name: all of it, or the part between ';' and ':'. */
static void name_core(const char *name, const char **ret_start, size_t *ret_length)
{
	const char *start = strchr(name, ';'), *end = start ? strchr(start, ':') : NULL;

	if (end && end > start + 1) {
		*ret_start = start + 1;
		*ret_length = (size_t)(end - start) - 1;
		return;
	}
	*ret_start = name;
	*ret_length = strlen(name);
}

/* Bytes beyond ASCII count as letters, and stay unchanged. */
static bool is_letter(char c)
{
	return (unsigned char)c >= 0x80 || isalpha((unsigned char)c);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The number at @from without leading zeros; returns where it ends. */
static size_t number_add(struct ft_text *text, const char *name, size_t from, size_t end, bool stem)
{
	size_t past = from;

	while (past < end && is_digit(name[past]))
		past++;
	while (from + 1 < past && name[from] == '0')
		from++;
	if (stem)
		ft_text_add(text, "#", 1);
	else
		ft_text_add(text, name + from, past - from);
	return past;
}

static void normal_add(struct ft_text *text, const char *name, size_t length, bool stem)
{
	bool after_number = false;
	size_t i = 0;

	while (i < length) {
		if (is_digit(name[i])) {
			if (after_number)
				ft_text_add(text, "-", 1);
			i = number_add(text, name, i, length, stem);
			after_number = true;
			continue;
		}
		if (is_letter(name[i])) {
			char small = (char)((unsigned char)name[i] < 0x80 ? tolower((unsigned char)name[i]) : name[i]);

			ft_text_add(text, &small, 1);
			after_number = false;
		}
		i++;
	}
}

void ft_name_add_normal(struct ft_text *text, const char *name)
{
	const char *start;
	size_t length;

	name_core(name, &start, &length);
	normal_add(text, start, length, false);
}

void ft_name_add_stem(struct ft_text *text, const char *name)
{
	const char *start;
	size_t length;

	name_core(name, &start, &length);
	normal_add(text, start, length, true);
}

size_t ft_name_bare_length(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot && dot > name && is_letter(dot[1]) ? (size_t)(dot - name) : strlen(name);
}

bool ft_name_add_bare(struct ft_text *text, const char *name)
{
	size_t length = ft_name_bare_length(name);

	if (name[length] == '\0')
		return false;
	normal_add(text, name, length, false);
	return true;
}

uint64_t ft_name_guid(const char *name)
{
	bool prefix = name[0] == '0' && (name[1] == 'x' || name[1] == 'X');
	size_t digits = 0, colons = 0;
	uint64_t guid = 0;

	for (const char *c = name + (prefix ? 2 : 0); *c; c++) {
		if (*c == ':' && !prefix && digits % 4 == 0 && digits > 0) {
			colons++;
			continue;
		}
		if (!isxdigit((unsigned char)*c) || ++digits > 16)
			return 0;
		guid = guid << 4 | (uint64_t)(is_digit(*c) ? *c - '0' : tolower((unsigned char)*c) - 'a' + 10);
	}
	/* Bare digits may be a name. */
	if (!prefix && (digits != 16 || colons != 3))
		return 0;
	return digits ? guid : 0;
}

static void forms_release(struct ft_name_forms *forms, size_t count)
{
	for (size_t i = 0; forms->forms && i < count; i++)
		free(forms->forms[i]);
	free(forms->forms);
	free(forms->next);
	ft_map_release(&forms->map);
}

void ft_names_release(struct ft_names *names)
{
	forms_release(&names->normal, names->count);
	forms_release(&names->bare, names->count);
	free(names->next_exact);
	ft_map_release(&names->exact);
	*names = (struct ft_names){0};
}

/* Names with the same hash are chained, the latest after the first. */
static int chain_add(struct ft_map *map, uint32_t *next, const char *string, uint32_t index)
{
	uint32_t first;
	int r = ft_map_add(map, ft_text_hash(string), index, &first);

	next[index] = FT_NONE;
	if (r != 0)
		return r < 0 ? r : 0;
	next[index] = next[first];
	next[first] = index;
	return 0;
}

static int form_enter(struct ft_name_forms *forms, uint32_t index, const struct ft_text *form)
{
	if (ft_text_failed(form))
		return -ENOMEM;
	forms->forms[index] = strdup(ft_text_string(form));
	return forms->forms[index] ? chain_add(&forms->map, forms->next, forms->forms[index], index) : -ENOMEM;
}

static int name_enter(struct ft_names *names, uint32_t index)
{
	_cleanup_(ft_text_release) struct ft_text normal = {0}, bare = {0};
	int r;

	ft_name_add_normal(&normal, names->names[index]);
	r = form_enter(&names->normal, index, &normal);
	if (r == 0 && ft_name_add_bare(&bare, names->names[index]))
		r = form_enter(&names->bare, index, &bare);
	return r < 0 ? r : chain_add(&names->exact, names->next_exact, names->names[index], index);
}

static int forms_allocate(struct ft_name_forms *forms, size_t count)
{
	forms->next = calloc(count + 1, sizeof(*forms->next));
	forms->forms = calloc(count + 1, sizeof(*forms->forms));
	return forms->next && forms->forms ? 0 : -ENOMEM;
}

int ft_names_make(const char *const *list, size_t count, struct ft_names *ret_names)
{
	_cleanup_(ft_names_release) struct ft_names names = {
		.names = list,
		.count = count,
		.next_exact = calloc(count + 1, sizeof(uint32_t)),
	};

	if (!names.next_exact || forms_allocate(&names.normal, count) < 0 || forms_allocate(&names.bare, count) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		int r = name_enter(&names, i);

		if (r < 0)
			return r;
	}
	*ret_names = names;
	names = (struct ft_names){0};
	return 0;
}

uint32_t ft_names_find_exact(const struct ft_names *names, const char *name)
{
	uint32_t i = ft_map_get(&names->exact, ft_text_hash(name));

	while (i != FT_NONE && strcmp(names->names[i], name) != 0)
		i = names->next_exact[i];
	return i;
}

static void candidate_add(const struct ft_names *names, uint32_t index, uint32_t nth, struct ft_text *candidates)
{
	const char *name = names->names[index];

	if (!candidates || nth > CANDIDATES_SHOWN)
		return;
	ft_text_puts(candidates, nth == 0 ? "" : " and ");
	if (nth == CANDIDATES_SHOWN) {
		ft_text_puts(candidates, "others");
		return;
	}
	ft_text_puts(candidates, "\"");
	ft_text_add_safe(candidates, name, strlen(name));
	ft_text_puts(candidates, "\"");
}

/* As ft_names_find(), in one form only. */
static int find_form(const struct ft_names *names, const struct ft_name_forms *forms, const char *form,
		     uint32_t *ret_index, struct ft_text *candidates)
{
	uint32_t i = *form ? ft_map_get(&forms->map, ft_text_hash(form)) : FT_NONE;
	uint32_t found = FT_NONE, count = 0;

	for (; i != FT_NONE; i = forms->next[i])
		if (strcmp(forms->forms[i], form) == 0) {
			candidate_add(names, i, count++, candidates);
			found = i;
		}
	if (count > 1)
		return -EEXIST;
	if (count == 1)
		*ret_index = found;
	/* One is no choice. */
	if (candidates)
		ft_text_reset(candidates);
	return count == 1;
}

int ft_names_find(const struct ft_names *names, const char *name, uint32_t *ret_index, struct ft_text *candidates)
{
	_cleanup_(ft_text_release) struct ft_text normal = {0}, bare = {0};
	uint32_t exact = ft_names_find_exact(names, name);
	int r;

	if (exact != FT_NONE) {
		*ret_index = exact;
		return 1;
	}
	ft_name_add_normal(&normal, name);
	ft_name_add_bare(&bare, name);
	if (ft_text_failed(&normal) || ft_text_failed(&bare))
		return -ENOMEM;
	r = find_form(names, &names->normal, ft_text_string(&normal), ret_index, candidates);
	if (r == 0)
		r = find_form(names, &names->normal, ft_text_string(&bare), ret_index, candidates);
	if (r == 0)
		r = find_form(names, &names->bare, ft_text_string(&normal), ret_index, candidates);
	return r;
}
