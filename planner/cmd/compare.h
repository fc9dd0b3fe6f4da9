/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ftplan --compare: plans what the options ask for, measures it, and writes the comparison. It does not print. */
#ifndef FT_PLANNER_CMD_COMPARE_H
#define FT_PLANNER_CMD_COMPARE_H

#include "base/error.h"
#include "base/text.h"
#include "planner/cmd/ftplan_options.h"
#include "planner/plan/catalog.h"

struct ft_compare_progress {
	/* @name: of a topology or a design's file; @nodes: 0 for a design. */
	void (*tell)(void *data, const char *name, uint32_t nodes);
	void *data;
};

/*
 * Compares the networks and designs of @options in the format that it asks for.
 *
 * @catalog  that the user names; NULL: the default one, for designs the built-in one that they name
 * @refused  out: a line "FILE:LINE:COLUMN: what" for each design that cannot be read or planned; its row says so, too
 * @progress  called before each network, which may take long; NULL: nobody wants to know
 * @err      filled on -EINVAL
 *
 * A network that cannot be built is a row of the comparison, not an error. Returns 0, 1 where
 * nothing but refused designs is left, -EINVAL or -ENOMEM.
 */
int ft_compare_networks(const struct ft_plan_options *options, const struct ft_catalog *catalog, struct ft_text *text,
			struct ft_text *refused, const struct ft_compare_progress *progress, struct ft_error *err);

#endif
