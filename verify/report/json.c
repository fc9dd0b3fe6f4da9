/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The report as JSON, written and read by the tables of members.c; errors of reading have their place. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/report/members.h"

enum { REPORT_VERSION = 1 };

void ft_finding_write_json(struct ft_text *t, const struct ft_finding *f)
{
	ft_members_write(t, f, ft_finding_members, ft_finding_member_count, " ");
}

void ft_report_write_json(struct ft_text *t, const struct ft_report *r)
{
	ft_text_puts(t, "{\n  \"ftcheck_report\": 1");
	ft_members_add(t, r, ft_report_members, ft_report_member_count, "\n  ", 1);
	ft_text_puts(t, "\n}\n");
}

/* The version first: the rest of a newer report may have any form. */
static int version_check(const struct ft_json_place *at)
{
	const json_t *root = at->parent, *version = json_object_get(root, "ftcheck_report");

	if (!version)
		return ft_error_set(at->err, -ENOMSG, 1, 1, "this JSON is no report of ftcheck");
	if (!json_is_integer(version) || json_integer_value(version) < REPORT_VERSION)
		return ft_json_error_value(at->json, at->err, root, "ftcheck_report",
					   "\"ftcheck_report\" is to be a version number");
	if (json_integer_value(version) == REPORT_VERSION)
		return 0;
	ft_json_error_value(at->json, at->err, root, "ftcheck_report",
			    "version %lld of the report is newer than this ftcheck understands",
			    (long long)json_integer_value(version));
	return -ENOTSUP;
}

int ft_report_read_json(const char *text, size_t length, struct ft_report **ret_report, struct ft_error *err)
{
	_cleanup_(ft_report_freep) struct ft_report *report = calloc(1, sizeof(*report));
	_cleanup_(ft_json_release) struct ft_json json = {0};
	struct ft_json_place at = {.json = &json, .err = err};
	int r = report ? ft_json_read(text, length, &json, err) : -ENOMEM;

	if (r < 0)
		return r;
	at.memory = &report->memory;
	at.parent = json.root;
	r = version_check(&at) ?: ft_members_read(&at, ft_report_members, ft_report_member_count, report);
	if (r == 0)
		*ret_report = FT_STEAL(report);
	return r;
}
