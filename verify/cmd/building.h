/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ftcheck --build: how far a fabric is built. Part of the program ftcheck and of no library: it reads and writes files.
 */
#ifndef FT_VERIFY_CMD_BUILDING_H
#define FT_VERIFY_CMD_BUILDING_H

#include "verify/cmd/options.h"
#include "verify/model/model.h"

/*
 * Prints the build in the form of the options, and keeps its course in the file of --state.
 *
 * @m      finished, its report complete
 * @now_s  the time by the clock of this machine
 * Returns the exit status: that of the verdict, or 3 after reporting the reason.
 */
int ft_build_show(const struct ft_options *options, const struct ft_model *m, int64_t now_s);

#endif
