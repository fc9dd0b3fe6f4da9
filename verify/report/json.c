/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The report as JSON, by the tables of members.c. Hand-written so that order and numbers stay exact. */
#include "config.h"

#include "verify/report/members.h"

/* @gap: what is before a member that begins a line: the end of the former line, and the indentation. */
static void members_write(struct ft_text *t, const void *from, const struct ft_member *members, size_t count,
			  const char *gap);

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
		members_write(t, from, m->members, m->member_count, gap);
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

/* Continues an object after @written members. */
static void members_add(struct ft_text *t, const void *from, const struct ft_member *members, size_t count,
			const char *gap, size_t written)
{
	for (size_t i = 0; i < count; i++) {
		if (members[i].optional && !members[i].nullable && !member_is_set(&members[i], from))
			continue;
		ft_text_puts(t, written++ == 0 ? "" : members[i].line ? "," : ", ");
		ft_text_puts(t, members[i].line ? gap : "");
		member_write(t, &members[i], from);
	}
}

static void members_write(struct ft_text *t, const void *from, const struct ft_member *members, size_t count,
			  const char *gap)
{
	ft_text_puts(t, "{");
	members_add(t, from, members, count, gap, 0);
	ft_text_puts(t, members[0].line ? "\n  }" : "}");
}

void ft_finding_write_json(struct ft_text *t, const struct ft_finding *f)
{
	members_write(t, f, ft_finding_members, ft_finding_member_count, " ");
}

void ft_report_write_json(struct ft_text *t, const struct ft_report *r)
{
	ft_text_puts(t, "{\n  \"ftcheck_report\": 1");
	members_add(t, r, ft_report_members, ft_report_member_count, "\n  ", 1);
	ft_text_puts(t, "\n}\n");
}
