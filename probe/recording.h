/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A recorded fabric as a person names it: a file, or a moment in the history that ftcheckd keeps (archive.h). */
#ifndef FT_PROBE_RECORDING_H
#define FT_PROBE_RECORDING_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "probe/snapshot.h"

/* Is @name a moment (base/moment.h)? A file of that name goes first. */
bool ft_names_moment(const char *name);

/*
 * Reads the file, or the moment in the history below @state_directory. Of a moment the snapshot's time is when the
 * fabric was last seen so, and its detail says it.
 *
 * @ret_note  out: "" or one line without a place that is worth a warning: around that moment nobody looked
 * Returns 0, or -errno with @err filled where there is more to say than strerror().
 */
int ft_recording_load(const char *name, const char *state_directory, struct ft_snapshot **ret_snapshot,
		      struct ft_text *ret_note, struct ft_error *err);

#endif
