/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A recorded fabric as the command line names it: a file, or a moment in the history that ftcheckd keeps. Part of the
 * program ftcheck and of no library: it has a clock.
 */
#ifndef FT_VERIFY_CMD_RECORDING_H
#define FT_VERIFY_CMD_RECORDING_H

#include <stdbool.h>

#include "probe/snapshot.h"

/* Is it a moment (base/moment.h)? A file of that name goes first. */
bool ft_recording_is_moment(const char *name);

/*
 * @state_directory  that of ftcheckd; its history is in "history" below it
 * @ret_snapshot  out: the caller frees it. Of a moment its time is when the fabric was last seen so, and its detail
 *                says it
 * @ret_note      out: "" or one line without a place that is worth a warning: around that moment nobody looked
 * Returns 0, or -errno with @err filled.
 */
int ft_recording_load(const char *name, const char *state_directory, struct ft_snapshot **ret_snapshot,
		      struct ft_text *ret_note, struct ft_error *err);

#endif
