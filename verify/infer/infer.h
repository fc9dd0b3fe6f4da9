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
 * A fabric that is no star and no plain fat-tree, or is one only with more faults, becomes a tree with classes, a
 * network of a family, or a graph: see general.h. Directors are merged first (model/chassis.h), and are part of the
 * design if it explains no less with them. A tree is verified against @snapshot like ft_verify(), and rejected if it
 * finds more faults than are plausible.
 *
 * @name        of the fabric; made safe for printing; "fabric" if it is NULL or empty
 * @ret_design  out: the text is added; the caller releases it. Untouched on failure.
 * @err         on -EINVAL its text says what is lacking: there are no switches, or one without hosts (no line, no file)
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_infer(const struct ft_snapshot *snapshot, const char *name, struct ft_text *ret_design, struct ft_error *err);

/* The beginning of a design: its name, made safe for printing; and of an Ethernet fabric, whose VLANs nobody tells. */
void ft_infer_write_head(struct ft_text *text, const struct ft_snapshot *snapshot, const char *name);

/* True for printable ASCII with a letter or digit, short enough for the reader, and not a range of names. */
bool ft_infer_name_is_plain(const char *name);

#endif
