/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The past of a fabric: its snapshots over time, in a journal (base/journal.h) called "fabric".
 *
 * A file of the journal begins with a whole snapshot; those after it are the differences to the ones before, node by
 * node. So any moment is read from one file. A snapshot as text is one line for its source, one for where the sweep
 * began, and one for each node, in the order of their keys:
 *
 *     GUID.ORDINAL <tab> the node as in JSON <tab> PORT>GUID.ORDINAL.PORT …
 *
 * ORDINAL counts nodes with the same GUID, from 0. Each link is listed once, at its end with the lower key. A
 * difference is the lines that are new, with "+" in front, and the keys of those that are gone, with "-". Both are
 * compressed.
 *
 * In between, a mark without content says that nothing had changed by then; so a gap between two records is a time in
 * which nobody looked.
 *
 * Cost: O(n) for each snapshot, n the ports, and as much again for the difference. The sizes are in ftcheckd(8).
 */
#ifndef FT_PROBE_ARCHIVE_H
#define FT_PROBE_ARCHIVE_H

#include "probe/snapshot.h"

/* A mark is written after so long without a change. */
enum { FT_ARCHIVE_MARK_S = 600 };

/* The least that is worth a file: with a smaller limit there are no differences. */
enum { FT_ARCHIVE_LIMIT_MIN = 1 << 20 };

/*
 * Adds a snapshot, unless it is as the last one. Not for incomplete snapshots: what was not read would look gone.
 *
 * @directory  it exists, and there is one writer at a time
 * @limit      of all files, in bytes, FT_ARCHIVE_LIMIT_MIN at least: the oldest are removed
 * Returns 1 if there was a change, 0 if none, or -errno: then nothing older is lost.
 */
int ft_archive_add(const char *directory, uint64_t limit, const struct ft_snapshot *snapshot, int64_t time_ms);

/* What is known about a moment. Times in ms since 1970. */
struct ft_archive_moment {
	int64_t seen_ms; /* the last record that is not after it: so the fabric was seen then */
	int64_t next_ms; /* the next record after the moment; 0: none */
};

/*
 * The fabric at a moment: the last snapshot that is not after it.
 *
 * @ret_snapshot  out: the caller frees it. Its time is that of its sweep
 * @err  filled on failure, without a place
 * @ret_moment  out: filled on -ERANGE, too: then next_ms is where the history begins
 * Returns 0, -ENOENT (there is no history at all), -ERANGE (it begins later), -EBADMSG (damaged), or another -errno.
 */
int ft_archive_at(const char *directory, int64_t time_ms, struct ft_snapshot **ret_snapshot,
		  struct ft_archive_moment *ret_moment, struct ft_error *err);

#endif
