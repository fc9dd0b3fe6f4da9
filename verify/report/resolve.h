/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * GUIDs for OpenSM: the observed switches in the highest tier of the plan, and the ports of the hosts. They come from
 * the assignment of ft_verify(), so that a plan without any bindings suffices.
 */
#ifndef FT_VERIFY_REPORT_RESOLVE_H
#define FT_VERIFY_REPORT_RESOLVE_H

#include <stddef.h>
#include <stdint.h>

#include "planner/site/site.h"
#include "verify/model/report.h"

/* GUIDs without duplicates, and their names. */
struct ft_resolved {
	uint64_t *guids; /* in host order */
	char **names;	 /* descriptions made safe */
	size_t count;
	size_t missing;	    /* roots: planned switches that were not seen and are not bound by GUID */
	char *missing_name; /* the first of them, made safe; NULL: none */
	struct ft_arena memory;
};

void ft_resolved_release(struct ft_resolved *resolved);

/*
 * Whether the switches of @plan can be listed for OpenSM. Returns 0, or -EINVAL with @err filled (no line): it has
 * directors, each of whose chips is a switch to OpenSM.
 */
int ft_resolve_check_plan(const struct ft_plan *plan, struct ft_error *err);

/*
 * Node GUIDs of the switches that were seen in the places of the highest tier of @plan (the edge tier of a star), in
 * the order of the report, and of those that were not, but are bound by GUID: what opensm(8) takes as its root GUID
 * file (-a).
 *
 * @report        what ft_verify() made of @design, @plan and a snapshot
 * @ret_resolved  out: released by the caller. Untouched on failure. OpenSM never takes a root that is not in its file
 *                for one, not even when it comes back, so the caller must check how many are missing.
 *
 * Returns 0 or -ENOMEM.
 */
int ft_resolve_roots(const struct ft_design *design, const struct ft_plan *plan, const struct ft_report *report,
		     struct ft_resolved *ret_resolved);

/*
 * Node GUIDs of the switches of @plan, in its order: of those that were seen, or are bound; 0: it is not known.
 *
 * @ret_guids  out: [plan->switch_count]; the caller frees it. Untouched on failure.
 * Returns 0 or -ENOMEM.
 */
int ft_resolve_guids(const struct ft_design *design, const struct ft_plan *plan, const struct ft_report *report,
		     uint64_t **ret_guids);

/*
 * Port GUIDs of the hosts on planned edge switches, sorted by switch and port: what opensm(8) takes as its file of
 * compute nodes (-u). Aggregation nodes, routers, hosts on other switches and ports whose GUID is not known (0) are
 * left out.
 *
 * @design, @plan, @snapshot  what @report was made of
 * Returns 0 or -ENOMEM.
 */
int ft_resolve_hosts(const struct ft_design *design, const struct ft_plan *plan, const struct ft_snapshot *snapshot,
		     const struct ft_report *report, struct ft_resolved *ret_resolved);

/*
 * ft_site_import() with the switches of @snapshot (NULL: the live fabric is not known).
 *
 * @path  of @sheet, for messages
 * @all   report even if nothing was skipped and nothing differs
 * @text  the text of ft_site_tell() is appended
 * @err   filled with line, column and text on -EINVAL
 *
 * Returns 0, -EINVAL or -ENOMEM. On failure @design and @plan can only be freed.
 */
int ft_resolve_cables(const struct ft_snapshot *snapshot, const char *path, const struct ft_sheet *sheet,
		      struct ft_design *design, struct ft_plan *plan, bool all, struct ft_text *text,
		      struct ft_error *err);

#endif
