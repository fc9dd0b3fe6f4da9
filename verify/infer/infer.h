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
 * How many cables are meant between every two switches is found out first, whatever network it is; then the design is a
 * star, a fat-tree, a network of a family, or a graph, whichever is the first that says just that: general.h tells how.
 * Directors are one switch each (model/chassis.h) if the fabric is a star or a fat-tree then, else each chip is one.
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
