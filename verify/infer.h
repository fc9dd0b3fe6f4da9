/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * From a fabric back to the design that it was evidently built to, so that a fabric without papers can be verified.
 */
#ifndef FT_VERIFY_INFER_H
#define FT_VERIFY_INFER_H

#include "base/error.h"
#include "base/text.h"
#include "probe/snapshot.h"

/*
 * Writes the design that explains most of @snapshot, as the text of a design file (ftcheck-design(5)) that
 * ft_design_read() accepts. Every number is what the majority says, so that the faults of the fabric do not become the
 * design; the votes are noted under "why". Only the host ports of edge switches are as many as the fullest has, for
 * hosts are hardly ever spread evenly and one more on a switch is no fault.
 *
 * What is no star and no plain fat-tree, or is one by which more is wrong, becomes a graph: see infer_general.h.
 *
 * Directors are made whole first (chassis.h), and the design has them where it explains no less so.
 *
 * The design is held against @snapshot as ft_verify() does, and one by which more is wrong than things go wrong is not
 * returned.
 *
 * @name        of the fabric; made safe for printing; "fabric" where it is NULL or empty
 * @ret_design  out: the text is added; the caller releases it. Untouched on failure.
 * @err         on -EINVAL its text says what was seen that no design can express (no line, no file)
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_infer(const struct ft_snapshot *snapshot, const char *name, struct ft_text *ret_design, struct ft_error *err);

#endif
