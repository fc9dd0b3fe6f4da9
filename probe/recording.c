/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/recording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/moment.h"
#include "probe/archive.h"
#include "probe/snapshot_build.h"
#include "probe/source.h"

/* Marks are as far apart; a sweep may be late. */
enum { GAP_S = 3 * FT_ARCHIVE_MARK_S };

static bool moment_take(const char *name, int64_t *ret_s)
{
	return strcmp(name, "-") != 0 && access(name, F_OK) != 0 &&
	       ft_moment_read(name, (int64_t)time(NULL), ret_s) == 0;
}

bool ft_names_moment(const char *name)
{
	int64_t s;

	return moment_take(name, &s);
}

static const char *time_text(int64_t ms, char buffer[FT_TIME_SIZE])
{
	return ft_time_string(ms / 1000, buffer) < 0 ? "a time beyond all bounds" : buffer;
}

static int history_error(int code, const char *directory, const struct ft_archive_moment *moment, struct ft_error *err)
{
	char begin[FT_TIME_SIZE];

	if (code == -ENOENT)
		return ft_error_set(err, code, 0, 0,
				    "%s has no history; ftcheckd keeps it in its state directory, which "
				    "--state-directory names",
				    directory);
	if (code == -ERANGE)
		return ft_error_set(err, code, 0, 0, "the history in %s begins at %s", directory,
				    time_text(moment->next_ms, begin));
	if (code == -EACCES)
		return ft_error_set(err, code, 0, 0,
				    "%s: Permission denied; the history can be read by root and the user of ftcheckd",
				    directory);
	return code;
}

/* Nobody knows how the fabric was between two records that are far apart. */
static void gap_note(int64_t moment_s, const struct ft_archive_moment *moment, struct ft_text *note)
{
	char from[FT_TIME_SIZE], to[FT_TIME_SIZE];

	if (moment_s - moment->seen_ms / 1000 <= GAP_S)
		return;
	ft_text_printf(note, "the fabric was last seen at %s", time_text(moment->seen_ms, from));
	if (moment->next_ms > 0)
		ft_text_printf(note, ", and again at %s", time_text(moment->next_ms, to));
	ft_text_puts(note, ": taken is how it was before");
}

static int moment_load(int64_t moment_s, const char *state_directory, struct ft_snapshot **ret_snapshot,
		       struct ft_text *note, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_free_ char *directory = NULL;
	struct ft_archive_moment moment = {0};
	char seen[FT_TIME_SIZE], detail[128];
	int r;

	if (asprintf(&directory, "%s/history", state_directory) < 0)
		return -ENOMEM;
	/* What happened within that second counts. */
	r = ft_archive_at(directory, moment_s * 1000 + 999, &snapshot, &moment, err);
	if (r < 0)
		return history_error(r, directory, &moment, err);
	gap_note(moment_s, &moment, note);
	snapshot->source.live = false;
	snapshot->source.time_s = moment.seen_ms / 1000;
	snprintf(detail, sizeof(detail), "the history of ftcheckd, at %s", time_text(moment.seen_ms, seen));
	r = ft_snapshot_set_detail(snapshot, detail);
	if (r < 0)
		return r;
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}

int ft_recording_load(const char *name, const char *state_directory, struct ft_snapshot **ret_snapshot,
		      struct ft_text *ret_note, struct ft_error *err)
{
	int64_t moment_s;
	int r;

	if (moment_take(name, &moment_s))
		return moment_load(moment_s, state_directory, ret_snapshot, ret_note, err);
	r = ft_source_load(name, ret_snapshot, err);
	if (r == -ENOENT && !strchr(name, '/'))
		return ft_error_set(err, r, 0, 0, "No such file or directory; nor is it a time, such as %s",
				    FT_MOMENT_FORMS);
	return r;
}
