/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Accepting findings: what was found becomes the plan. The changes of the plan that undo a finding are, for cables,
 * what its repair would change in the fabric, the other way round (repair/what_if.h); for switches and hosts that are
 * not there, and for slow cables, they follow from the finding itself.
 */
#ifndef FT_VERIFY_ACCEPT_ACCEPT_H
#define FT_VERIFY_ACCEPT_ACCEPT_H

#include "base/error.h"
#include "base/text.h"
#include "verify/model/model.h"

/* Who accepts, and why; strings are not owned, and safe. */
struct ft_accept_note {
	const char *by, *at, *why; /* @why NULL: not said */
};

/*
 * Adds an entry of "accepted" (ftcheck-design(5)) for finding @finding of the report of the finished model @m.
 *
 * Returns 0; -EINVAL with the reason in @err, without a place, and nothing added; or -ENOMEM.
 */
int ft_accept_write(const struct ft_model *m, size_t finding, const struct ft_accept_note *note, struct ft_text *text,
		    struct ft_error *err);

#endif
