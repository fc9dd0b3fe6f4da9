/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What changed since a fabric was recorded: the recording takes the place of a plan. What became of its devices is told
 * first, and the recording is amended; what differs then is found as against any plan.
 */
#ifndef FT_VERIFY_SINCE_SINCE_H
#define FT_VERIFY_SINCE_SINCE_H

#include "base/error.h"
#include "base/text.h"
#include "probe/snapshot.h"
#include "verify/model/changes.h"

/*
 * Writes a design of just what @snapshot has: a graph of its switches, all cables port by port, all hosts.
 *
 * @name        of the fabric
 * @ret_design  out: the text is added; the caller releases it, also on failure
 * @err         on -EINVAL: no switch was seen, or two cannot be told apart (no line, no file)
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_since_plan(const struct ft_snapshot *snapshot, const char *name, struct ft_text *ret_design,
		  struct ft_error *err);

/*
 * changes.c: what became of the devices of @before, which is amended (verify/model/changes.h).
 *
 * @before  as ft_since_plan() will read it; on failure it is still a snapshot
 * @ret_changes  out: the caller releases them. Untouched on failure
 * Returns 0 or -ENOMEM.
 */
int ft_since_changes(struct ft_snapshot *before, const struct ft_snapshot *now, struct ft_device_changes *ret_changes);

#endif
