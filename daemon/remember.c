/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/remember.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"

/* Some ten times the size for the largest fabric. */
enum { BASELINE_SIZE_MAX = 64 * 1024 * 1024 };

/* NULL: there is no state directory, or no memory. */
static char *baseline_path(const struct ft_daemon *d)
{
	char *path;

	if (!d->options->state_directory || asprintf(&path, "%s/baseline.json", d->options->state_directory) < 0)
		return NULL;
	return path;
}

void ft_remember_load(struct ft_daemon *d)
{
	_cleanup_free_ char *path = baseline_path(d), *text = NULL;
	struct ft_error err = {0};
	char place[32] = "";
	size_t length;
	int r;

	if (!path)
		return;
	r = ft_file_read_plain(path, O_NOFOLLOW, BASELINE_SIZE_MAX, &text, &length, &err);
	if (r == 0)
		r = ft_baseline_read_json(text, length, &d->baseline, &err);
	if (r == 0 || r == -ENOENT)
		return;
	if (err.line > 0)
		snprintf(place, sizeof(place), ":%u:%u", err.line, err.column);
	ft_log(LOG_WARNING, "%s%s: %s; switches that are missing now may be told by their places in the plan", path,
	       place, err.text[0] ? err.text : strerror(-r));
}

void ft_remember_save(struct ft_daemon *d)
{
	_cleanup_free_ char *path = baseline_path(d);
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct stat st;
	int r;

	if (!d->baseline || !d->baseline_unsaved || !path)
		return;
	/* Only regular files: opening a FIFO would block for ever. */
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		(void)unlink(path);
	ft_baseline_write_json(&text, d->baseline);
	r = ft_text_failed(&text) ? -ENOMEM : ft_file_write(path, &text);
	if (r == 0)
		d->baseline_unsaved = false;
	else if (!d->baseline_failed)
		ft_log(LOG_WARNING,
		       "%s: %s; after a restart, switches that are missing may be told by their places in "
		       "the plan",
		       path, strerror(-r));
	d->baseline_failed = r < 0;
}

void ft_remember_look(struct ft_daemon *d, const struct ft_snapshot *snapshot, const struct ft_report *report,
		      bool save)
{
	uint32_t returning_s = d->config->returning_ms / 1000;
	int r = snapshot ? ft_baseline_learn(&d->baseline, snapshot, report, returning_s) : 0;

	/* If memory ran out, the next check learns the same. */
	if (r > 0)
		d->baseline_unsaved = true;
	/* That a switch is coming back must be known after a kill, too: its cables would be told one by one. */
	if (save || r > 1)
		ft_remember_save(d);
}

void ft_remember_later(struct ft_daemon *d)
{
	d->baseline_due = true;
}

void ft_remember_now(struct ft_daemon *d)
{
	const struct ft_snapshot *judged = d->judged ? d->judged : d->snapshot;

	if (d->baseline_due && judged && d->report)
		ft_remember_look(d, judged, d->report, false);
	d->baseline_due = false;
}

void ft_remember_nothing(struct ft_daemon *d)
{
	d->baseline_due = false;
	ft_baseline_free(FT_STEAL(d->baseline));
	d->baseline_unsaved = false;
}
