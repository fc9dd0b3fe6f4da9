/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Infers the design from a fabric, so that a fabric without documentation can be verified. */
#ifndef FT_VERIFY_INFER_INFER_H
#define FT_VERIFY_INFER_INFER_H

#include "base/error.h"
#include "base/text.h"
#include "probe/snapshot.h"

/*
 * Writes the design that explains most of @snapshot, as the text of a design file (ftcheck-design(5)) that
 * ft_design_read() accepts. Every number is that of the majority, so that faults of the fabric do not become part of
 * the design; the votes are noted under "why". Only the host ports of edge switches are those of the fullest one,
 * because hosts are rarely spread evenly and one more on a switch is no fault.
 *
 * A fabric that is no star and no plain fat-tree, or is one only with more faults, becomes a network of a family, a
 * tree with planes, or a graph: see general.h. Directors are merged first (model/chassis.h), and are part of the design
 * if it explains no less with them. A tree is verified against @snapshot like ft_verify(), and rejected if it finds
 * more faults than are plausible.
 *
 * @name        of the fabric; made safe for printing; "fabric" if it is NULL or empty
 * @ret_design  out: the text is added; the caller releases it. Untouched on failure.
 * @err         on -EINVAL its text says what is lacking: there are no switches, or one without hosts (no line, no file)
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_infer(const struct ft_snapshot *snapshot, const char *name, struct ft_text *ret_design, struct ft_error *err);

/*
 * Writes a design of just what @snapshot has: a graph of its switches, all cables port by port, all hosts.
 *
 * @name        of the fabric
 * @ret_design  out: the text is added; the caller releases it, also on failure
 * @err         on -EINVAL: no switch was seen, or two cannot be told apart (no line, no file)
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_infer_recorded(const struct ft_snapshot *snapshot, const char *name, struct ft_text *ret_design,
		      struct ft_error *err);

struct ft_device_changes;

/*
 * changes.c: what became of the devices of @before, which is amended (verify/model/changes.h).
 *
 * @before  as ft_infer_recorded() will read it; on failure it is still a snapshot
 * @ret_changes  out: the caller releases them. Untouched on failure
 * Returns 0 or -ENOMEM.
 */
int ft_infer_changes(struct ft_snapshot *before, const struct ft_snapshot *now, struct ft_device_changes *ret_changes);

#endif
