/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the child of a check does for /build; see building.c. */
#ifndef FT_DAEMON_BUILDING_H
#define FT_DAEMON_BUILDING_H

#include "base/text.h"
#include "verify/model/report.h"
#include "verify/model/verify.h"

/*
 * The state of the build as JSON, with the cables that are to be done, and behind a NUL its course, also as JSON.
 *
 * @report  of @input, complete
 * @course  what is known of the course; empty or damaged: it begins
 * Returns 0 or -ENOMEM.
 */
int ft_building_write(const struct ft_verify_input *input, const struct ft_report *report, const struct ft_text *course,
		      struct ft_text *text);

#endif
