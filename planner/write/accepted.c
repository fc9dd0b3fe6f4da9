/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "planner/write/accepted.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "planner/plan/plan.h"

/* The text with the entries; @ret_planned: it has a "plan", which is {} here, as it is to be made anew. */
static int entries_insert(const struct ft_design *design, const char *entries, struct ft_text *text, bool *ret_planned,
			  struct ft_error *err)
{
	struct ft_json json = {0};
	size_t begin, end, plan_begin = SIZE_MAX, plan_end = SIZE_MAX, at;
	int r = ft_json_read(design->text, design->text_length, &json, err);
	bool more;

	if (r < 0)
		return r;
	*ret_planned = ft_json_member_span(&json, json.root, "plan", &plan_begin, &plan_end) == 0;
	more = ft_json_member_span(&json, json.root, "accepted", &begin, &end) == 0;
	/* Behind the last element of a list, or of the members of the design. */
	at = more ? end - 1 : ft_json_members_end(&json);
	while (more && at > begin && strchr(" \t\r\n", json.text[at - 1]))
		at--;
	for (size_t i = 0; i <= json.length; i++) {
		if (i == at) {
			ft_text_puts(text, more ? "," : ",\n  \"accepted\": [");
			ft_text_puts(text, entries);
			ft_text_puts(text, more ? "" : "\n  ]");
		}
		if (i == plan_begin)
			ft_text_puts(text, "{}");
		if (i < json.length && (i < plan_begin || i >= plan_end))
			ft_text_add(text, json.text + i, 1);
	}
	ft_json_release(&json);
	return ft_text_failed(text) ? -ENOMEM : 0;
}

int ft_accept_design(const struct ft_design *design, const char *entries, struct ft_text *text, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text bare = {0};
	_cleanup_(ft_design_freep) struct ft_design *candidate = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	bool planned = false;
	int r = entries_insert(design, entries, &bare, &planned, err)
			?: ft_design_read(bare.data, bare.length, &candidate, &plan, err);

	if (r < 0)
		return r;
	if (planned)
		return ft_plan_write_design(text, candidate, plan);
	ft_text_add(text, bare.data, bare.length);
	return ft_text_failed(text) ? -ENOMEM : 0;
}
