/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Reads the report from its JSON, by the tables of members.c; errors have their place. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/report/members.h"

enum { REPORT_VERSION = 1 };

struct reader {
	const struct ft_json *json;
	struct ft_arena *memory;
	struct ft_error *err;
};

static int members_read(const struct reader *r, const json_t *object, const struct ft_member *members, size_t count,
			void *to);

/* Element @i of the list @array, of @m. */
static int element_read(const struct reader *r, const json_t *array, size_t i, const struct ft_member *m, void *to)
{
	const json_t *value = json_array_get(array, i);
	int e = -EINVAL;

	if (!m->kind && json_is_object(value))
		return members_read(r, value, m->members, m->member_count, to);
	if (m->kind)
		e = m->kind->parse(m->kind, &(struct ft_json_place){r->json, r->memory, r->err, array, NULL}, value,
				   to);
	if (e == -EINVAL)
		return ft_json_error_element(r->json, r->err, array, i, "this element is to be %s",
					     m->kind ? m->kind->expected : "an object");
	return e;
}

static int list_read(const struct reader *r, const json_t *array, const struct ft_member *m, char *to)
{
	size_t length = json_array_size(array);
	char *elements = ft_arena_zeros(r->memory, length, m->element_size);
	int e = elements ? 0 : -ENOMEM;

	*(void **)(void *)(to + m->offset) = elements;
	*(size_t *)(void *)(to + m->length_offset) = length;
	for (size_t i = 0; i < length && e == 0; i++)
		e = element_read(r, array, i, m, elements + i * m->element_size);
	return e;
}

static int member_read(const struct reader *r, const json_t *object, const struct ft_member *m, const json_t *value,
		       char *to)
{
	const char *expected = m->element_size > 0 ? "a list" : m->kind ? m->kind->expected : "an object";
	int e = -EINVAL;

	if (m->element_size > 0 && json_is_array(value))
		return list_read(r, value, m, to);
	if (m->nullable && json_is_null(value))
		return 0;
	if (m->element_size == 0 && !m->kind && json_is_object(value))
		return members_read(r, value, m->members, m->member_count, to + m->offset);
	if (m->element_size == 0 && m->kind)
		e = m->kind->parse(m->kind, &(struct ft_json_place){r->json, r->memory, r->err, object, m->name}, value,
				   to + m->offset);
	if (e == -EINVAL)
		return ft_json_error_value(r->json, r->err, object, m->name, "\"%s\" is to be %s", m->name, expected);
	return e;
}

static int members_read(const struct reader *r, const json_t *object, const struct ft_member *members,
			size_t member_count, void *to)
{
	for (size_t i = 0; i < member_count; i++) {
		const json_t *value = json_object_get(object, members[i].name);
		int e;

		if (!value && members[i].optional)
			continue;
		if (!value)
			return ft_json_error_key(r->json, r->err, object, NULL, "\"%s\" is missing", members[i].name);
		e = member_read(r, object, &members[i], value, to);
		if (members[i].flag > 0)
			*(bool *)((char *)to + members[i].flag - 1) = true;
		if (e < 0)
			return e;
	}
	return 0;
}

/* The version first: the rest of a newer report may have any form. */
static int version_check(const struct reader *r)
{
	const json_t *root = r->json->root, *version = json_object_get(root, "ftcheck_report");

	if (!version)
		return ft_error_set(r->err, -ENOMSG, 1, 1, "this JSON is no report of ftcheck");
	if (!json_is_integer(version) || json_integer_value(version) < REPORT_VERSION)
		return ft_json_error_value(r->json, r->err, root, "ftcheck_report",
					   "\"ftcheck_report\" is to be a version number");
	if (json_integer_value(version) == REPORT_VERSION)
		return 0;
	ft_json_error_value(r->json, r->err, root, "ftcheck_report",
			    "version %lld of the report is newer than this ftcheck understands",
			    (long long)json_integer_value(version));
	return -ENOTSUP;
}

int ft_report_read_json(const char *text, size_t length, struct ft_report **ret_report, struct ft_error *err)
{
	_cleanup_(ft_report_freep) struct ft_report *report = calloc(1, sizeof(*report));
	_cleanup_(ft_json_release) struct ft_json json = {0};
	struct reader r = {.json = &json, .err = err};
	int e;

	if (!report)
		return -ENOMEM;
	r.memory = &report->memory;
	e = ft_json_read(text, length, &json, err) ?: version_check(&r)
		?: members_read(&r, json.root, ft_report_members, ft_report_member_count, report);
	if (e == 0)
		*ret_report = FT_STEAL(report);
	return e;
}
