/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ftcheck --accept: findings become the plan of a candidate design. Part of the program ftcheck and of no library. */
#ifndef FT_VERIFY_CMD_ACCEPTING_H
#define FT_VERIFY_CMD_ACCEPTING_H

#include "verify/cmd/options.h"
#include "verify/model/model.h"

/*
 * Writes the candidate to a new file, once it is proven on the same snapshot: the accepted findings are gone, and no
 * others have come. @m is finished. Returns the exit status.
 */
int ft_accept_findings(const struct ft_options *options, const struct ft_model *m);

#endif
