/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/members.h"

#include <errno.h>

/* ---- writing: by hand, so that order and numbers stay exact ---- */

static bool member_is_set(const struct ft_member *m, const void *object)
{
	const char *from = (const char *)object + m->offset;

	if (m->when)
		return m->when(object);
	if (m->flag > 0)
		return *(const bool *)((const char *)object + m->flag - 1);
	if (m->element_size > 0)
		return *(const void *const *)(const void *)from != NULL;
	return m->kind ? m->kind->is_set(from) : m->members[0].kind->is_set(from + m->members[0].offset);
}

/* What @m is, or an element of its list. */
static void value_write(struct ft_text *t, const struct ft_member *m, const char *from, const char *gap)
{
	if (m->kind)
		m->kind->add(m->kind, t, from);
	else
		ft_members_write(t, from, m->members, m->member_count, gap);
}

static void list_write(struct ft_text *t, const struct ft_member *m, const char *elements, size_t count)
{
	ft_text_puts(t, "[");
	for (size_t i = 0; i < count; i++) {
		ft_text_puts(t, m->rows ? (i ? ",\n    " : "\n    ") : (i ? ", " : ""));
		value_write(t, m, elements + i * m->element_size, "\n     ");
	}
	ft_text_puts(t, m->rows && count > 0 ? "\n  ]" : "]");
}

static void member_write(struct ft_text *t, const struct ft_member *m, const void *object)
{
	const char *from = (const char *)object + m->offset;

	ft_text_add(t, "\"", 1);
	ft_text_puts(t, m->name);
	ft_text_add(t, "\": ", 3);
	if (m->element_size > 0)
		list_write(t, m, *(const char *const *)(const void *)from,
			   *(const size_t *)(const void *)((const char *)object + m->length_offset));
	else if (m->nullable && !member_is_set(m, object))
		ft_text_puts(t, "null");
	else
		value_write(t, m, from, "\n    ");
}

void ft_members_add(struct ft_text *t, const void *from, const struct ft_member *members, size_t count, const char *gap,
		    size_t written)
{
	for (size_t i = 0; i < count; i++) {
		if (members[i].optional && !members[i].nullable && !member_is_set(&members[i], from))
			continue;
		ft_text_puts(t, written++ == 0 ? "" : members[i].line ? "," : ", ");
		ft_text_puts(t, members[i].line ? gap : "");
		member_write(t, &members[i], from);
	}
}

void ft_members_write(struct ft_text *t, const void *from, const struct ft_member *members, size_t count,
		      const char *gap)
{
	ft_text_puts(t, "{");
	ft_members_add(t, from, members, count, gap, 0);
	ft_text_puts(t, members[0].line ? "\n  }" : "}");
}

/* ---- reading ---- */

/* Element @i of the list @array, of @m. */
static int element_read(const struct ft_json_place *at, const json_t *array, size_t i, const struct ft_member *m,
			void *to)
{
	const json_t *value = json_array_get(array, i);
	struct ft_json_place here = *at;
	int r = -EINVAL;

	here.parent = m->kind ? array : value;
	here.key = NULL;
	if (!m->kind && json_is_object(value))
		return ft_members_read(&here, m->members, m->member_count, to);
	if (m->kind)
		r = m->kind->parse(m->kind, &here, value, to);
	if (r == -EINVAL)
		return ft_json_error_element(at->json, at->err, array, i, "this element is to be %s",
					     m->kind ? m->kind->expected : "an object");
	return r;
}

static int list_read(const struct ft_json_place *at, const json_t *array, const struct ft_member *m, char *to)
{
	size_t length = json_array_size(array);
	char *elements = ft_arena_zeros(at->memory, length, m->element_size);
	int r = elements ? 0 : -ENOMEM;

	*(void **)(void *)(to + m->offset) = elements;
	*(size_t *)(void *)(to + m->length_offset) = length;
	for (size_t i = 0; i < length && r == 0; i++)
		r = element_read(at, array, i, m, elements + i * m->element_size);
	return r;
}

/* @at: the place of the value. */
static int member_read(const struct ft_json_place *at, const struct ft_member *m, const json_t *value, char *to)
{
	const char *expected = m->element_size > 0 ? "a list" : m->kind ? m->kind->expected : "an object";
	int r = -EINVAL;

	if (m->element_size > 0 && json_is_array(value))
		return list_read(at, value, m, to);
	if (m->nullable && json_is_null(value))
		return 0;
	if (m->element_size == 0 && !m->kind && json_is_object(value))
		return ft_members_read(&(struct ft_json_place){at->json, at->memory, at->err, value, NULL}, m->members,
				       m->member_count, to + m->offset);
	if (m->element_size == 0 && m->kind)
		r = m->kind->parse(m->kind, at, value, to + m->offset);
	if (r == -EINVAL)
		return ft_json_error_value(at->json, at->err, at->parent, m->name, "\"%s\" is to be %s", m->name,
					   expected);
	return r;
}

int ft_members_read(const struct ft_json_place *at, const struct ft_member *members, size_t count, void *to)
{
	struct ft_json_place here = *at;

	for (size_t i = 0; i < count; i++) {
		const json_t *value = json_object_get(at->parent, members[i].name);
		int r;

		if (!value && members[i].optional)
			continue;
		if (!value)
			return ft_json_error_key(at->json, at->err, at->parent, NULL, "\"%s\" is missing",
						 members[i].name);
		here.key = members[i].name;
		r = member_read(&here, &members[i], value, to);
		if (members[i].flag > 0)
			*(bool *)((char *)to + members[i].flag - 1) = true;
		if (r < 0)
			return r;
	}
	return 0;
}
