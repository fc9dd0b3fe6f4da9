/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ftplan --compare: plans what the options ask for, measures it, and writes the comparison. It does not print. */
#ifndef FT_PLANNER_CMD_COMPARE_H
#define FT_PLANNER_CMD_COMPARE_H

#include "base/error.h"
#include "base/text.h"
#include "planner/cmd/ftplan_options.h"
#include "planner/plan/catalog.h"

/*
 * Compares the networks and designs of @options in the format that it asks for.
 *
 * @catalog  that the user names; NULL: the default one, for designs the built-in one that they name
 * @path     out: the design file that cannot be read, if that is why it fails
 * @err      filled on -EINVAL; of a design file with its place there
 *
 * A network that cannot be built is a row of the comparison, not an error. Returns 0, -EINVAL, -ENOMEM, or what reading
 * a design file fails with.
 */
int ft_compare_networks(const struct ft_plan_options *options, const struct ft_catalog *catalog, struct ft_text *text,
			struct ft_text *path, struct ft_error *err);

#endif
