/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "probe/archive.h"
#include "probe/guard.h"

static const char events_prefix[] = "events";

enum {
	KEEP_GAP_MS = 10 * 1000,
	TIMER_ACCURACY_US = 1000 * 1000,
	NICE = 19,
	KIND_EVENT = 'E',
	EVENTS_SHARE = 16,		   /* of the limit; and so many files share that */
	EVENTS_FILE = 4 * 1024 * 1024,	   /* or more files, if the limit is large: the loop reads them */
	EVENTS_FILE_MAX = 8 * EVENTS_FILE, /* larger ones are no files of ours */
	PAGE_EVENTS = 200,
	EVENT_MAX = 64 * 1024, /* longer ones are no events of ours */
};

#define MEGABYTE (1024ULL * 1024)

static uint64_t limit_of(const struct ft_daemon *d)
{
	return d->config->history_mb * MEGABYTE;
}

/* The bytes of events from which on the next ones begin a file. */
static uint64_t events_file(const struct ft_daemon *d)
{
	uint64_t share = limit_of(d) / EVENTS_SHARE / EVENTS_SHARE;

	return share < EVENTS_FILE ? share : EVENTS_FILE;
}

static bool is_kept(const struct ft_daemon *d)
{
	return d->keep.directory && d->config->history_mb > 0;
}

static void trouble(struct ft_daemon *d, int code)
{
	if (!d->keep.failed)
		ft_log(LOG_WARNING, "%s: the history cannot be written: %s%s", d->keep.directory, strerror(-code),
		       code == -ENOSPC || code == -EDQUOT ? "; make room on its file system" : "");
	d->keep.failed = true;
}

static void recovered(struct ft_daemon *d)
{
	if (d->keep.failed)
		ft_log(LOG_NOTICE, "%s: the history is written again", d->keep.directory);
	d->keep.failed = false;
}

/* ---- the fabric ---- */

static void fabric_start(struct ft_daemon *d);

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)source;
	(void)usec;
	if (d->keep.due && !d->keep.child)
		fabric_start(d);
	return 0;
}

static void timer_arm(struct ft_daemon *d)
{
	int64_t when_ms = d->keep.began_ms + KEEP_GAP_MS;

	sd_event_source_set_time(d->keep.timer, (uint64_t)when_ms * 1000);
	sd_event_source_set_enabled(d->keep.timer, SD_EVENT_ONESHOT);
}

/* In the child. The lock is for a child of an earlier daemon that still writes. Returns the exit status: an errno. */
static int fabric_write(const struct ft_daemon *d, const struct ft_snapshot *snapshot, int64_t wall_ms)
{
	int fd, r;

	prctl(PR_SET_NAME, "ftcheckd-past");
	close_range(3, ~0U, 0);
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	fd = open(d->keep.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno;
	r = ft_archive_add(d->keep.directory, limit_of(d), snapshot, wall_ms);
	return r < 0 ? -r : 0;
}

static int on_written(sd_event_source *source, const siginfo_t *info, void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)source;
	d->keep.child = sd_event_source_disable_unref(d->keep.child);
	if (info->si_code == CLD_EXITED && info->si_status == 0)
		recovered(d);
	else if (info->si_code == CLD_EXITED && info->si_status == EWOULDBLOCK)
		d->keep.due = true;
	else
		trouble(d, info->si_code == CLD_EXITED ? -info->si_status : -EIO);
	if (d->keep.due)
		timer_arm(d);
	return 0;
}

static void fabric_start(struct ft_daemon *d)
{
	const struct ft_snapshot *snapshot = d->judged ? d->judged : d->snapshot;
	int64_t wall_ms = ft_daemon_now().wall_ms;
	pid_t child;
	int r;

	d->keep.due = false;
	d->keep.began_ms = ft_guard_now_ms();
	if (!snapshot || !is_kept(d))
		return;
	child = fork();
	if (child == 0)
		_exit(fabric_write(d, snapshot, wall_ms));
	r = child < 0 ? -errno : sd_event_add_child(d->loop, &d->keep.child, child, WEXITED, on_written, d);
	/* After its end the loop does not wait for the child, which finishes all the same. */
	if (r < 0 && r != -ESTALE)
		ft_log(LOG_WARNING, "no process to write the history: %s", strerror(-r));
}

/* By the timer in any case: the snapshot is the daemon's only after the caller has returned. */
void ft_keep_fabric(struct ft_daemon *d)
{
	if (!is_kept(d))
		return;
	d->keep.due = true;
	if (!d->keep.child)
		timer_arm(d);
}

/* ---- events ---- */

static void events_open(struct ft_daemon *d)
{
	int r;

	if (d->keep.events)
		return;
	r = ft_journal_open(d->keep.directory, events_prefix, limit_of(d) / EVENTS_SHARE, &d->keep.events);
	if (r < 0)
		trouble(d, r);
}

void ft_keep_event(struct ft_daemon *d, const struct ft_event *event, const char *json)
{
	const struct ft_journal_record record = {
		.time_ms = event->wall_ms, .kind = KIND_EVENT, .bytes = json, .length = strlen(json)};
	int r;

	if (!is_kept(d) || record.length > EVENT_MAX)
		return;
	events_open(d);
	if (!d->keep.events)
		return;
	if (ft_journal_file_length(d->keep.events) > events_file(d))
		ft_journal_begin_file(d->keep.events);
	r = ft_journal_append(d->keep.events, &record);
	if (r == 0)
		return;
	trouble(d, r);
	/* The directory may have been replaced. */
	ft_journal_free(FT_STEAL(d->keep.events));
}

/* The last events of a file with numbers below a limit, in their order. */
struct page {
	uint64_t before;
	struct ft_journal_record events[PAGE_EVENTS];
	size_t next, count;
};

/* The number of an event, of which at least the beginning is there; 0: it is none. */
static uint64_t seq_of(const char *bytes, size_t length)
{
	static const char begin[] = "{\"seq\": ";
	enum { DIGITS = 20 };
	char number[DIGITS + 1] = "";

	if (length < sizeof(begin) + DIGITS || memcmp(bytes, begin, sizeof(begin) - 1) != 0)
		return 0;
	memcpy(number, bytes + sizeof(begin) - 1, DIGITS);
	return strtoull(number, NULL, 10);
}

/* Numbers rise: a file whose first event is not wanted has none that is. */
static bool file_is_later(const char *directory, uint64_t number, uint64_t before)
{
	enum { BEGINNING = 64 };
	char bytes[BEGINNING];
	ssize_t length = ft_journal_peek(directory, events_prefix, number, bytes, sizeof(bytes));

	return length > 0 && seq_of(bytes, (size_t)length) >= before;
}

static void file_page(const char *bytes, size_t length, struct page *page)
{
	struct ft_journal_record record;
	size_t at = 0;

	page->next = page->count = 0;
	while (ft_journal_next(bytes, length, &at, &record)) {
		uint64_t seq = record.kind == KIND_EVENT && record.length <= EVENT_MAX
				       ? seq_of(record.bytes, record.length)
				       : 0;

		if (seq == 0 || seq >= page->before)
			continue;
		page->events[page->next] = record;
		page->next = (page->next + 1) % PAGE_EVENTS;
		page->count += page->count < PAGE_EVENTS;
	}
}

/* How many files there are before the first that is later, by bisection. */
static size_t files_until(const char *directory, const struct ft_journal_files *files, uint64_t before)
{
	size_t low = 0, high = files->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file_is_later(directory, files->numbers[middle], before))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * Calls @each with up to @count events before number @before, the newest first. Returns 0 or -errno.
 *
 * Cost: the beginnings of O(log files), and as a rule one or two files, some milliseconds each, which the loop can wait
 * for.
 */
static int events_read(const char *directory, uint64_t before, size_t count,
		       void (*each)(const char *json, size_t length, void *userdata), void *userdata)
{
	_cleanup_(ft_journal_files_release) struct ft_journal_files files = {0};
	_cleanup_free_ struct page *page = malloc(sizeof(*page));
	int r = page ? ft_journal_list(directory, events_prefix, &files) : -ENOMEM;

	if (r < 0)
		return r;
	page->before = before;
	/* The first event has number 1: there is nothing to read all files for. */
	for (size_t i = before > 1 ? files_until(directory, &files, before) : 0; i-- > 0 && count > 0;) {
		_cleanup_free_ char *bytes = NULL;
		size_t length;

		if (ft_journal_read(directory, events_prefix, files.numbers[i], EVENTS_FILE_MAX, &bytes, &length) < 0)
			continue;
		file_page(bytes, length, page);
		for (size_t n = 1; n <= page->count && count > 0; n++, count--) {
			const struct ft_journal_record *event =
				&page->events[(page->next + PAGE_EVENTS - n) % PAGE_EVENTS];

			each(event->bytes, event->length, userdata);
		}
	}
	return 0;
}

struct listing {
	struct ft_text *text;
	bool any;
};

static void event_list(const char *json, size_t length, void *userdata)
{
	struct listing *listing = userdata;

	ft_text_puts(listing->text, listing->any ? ",\n  " : "\n  ");
	ft_text_add(listing->text, json, length);
	listing->any = true;
}

int ft_keep_page(void *userdata, const char *before, struct ft_text *text)
{
	const struct ft_daemon *d = userdata;
	struct listing listing = {.text = text};
	uint64_t limit = UINT64_MAX;

	if (before && before[0] && before[strspn(before, "0123456789")] == '\0')
		limit = strtoull(before, NULL, 10);
	ft_text_printf(text, "{\"ftcheckd_history\": 1, \"kept\": %s, \"events\": [", is_kept(d) ? "true" : "false");
	/* What cannot be read now is not listed: a page is no reason to fail. */
	if (d->keep.directory)
		(void)events_read(d->keep.directory, limit, PAGE_EVENTS, event_list, &listing);
	ft_text_puts(text, "]}\n");
	return ft_text_failed(text) ? -ENOMEM : 0;
}

/* ---- begin and end ---- */

struct recalled {
	char *events[FT_HISTORY_MAX]; /* the newest first */
	size_t count;
};

static void event_recall(const char *json, size_t length, void *userdata)
{
	struct recalled *recalled = userdata;
	char *event = malloc(length + 1);

	if (!event)
		return;
	/* Not strndup(): no NUL ends a record. */
	memcpy(event, json, length);
	event[length] = '\0';
	recalled->events[recalled->count++] = event;
}

static void events_recall(struct ft_daemon *d)
{
	struct recalled recalled = {0};

	(void)events_read(d->keep.directory, UINT64_MAX, FT_HISTORY_MAX, event_recall, &recalled);
	while (recalled.count > 0)
		ft_history_add(&d->history, recalled.events[--recalled.count]);
}

void ft_keep_begin(struct ft_daemon *d)
{
	enum { MODE = 0750 };
	int r;

	if (!d->options->state_directory || d->config->history_mb == 0 || d->keep.directory)
		return;
	if (asprintf(&d->keep.directory, "%s/history", d->options->state_directory) < 0) {
		d->keep.directory = NULL;
		return;
	}
	if (mkdir(d->keep.directory, MODE) < 0 && errno != EEXIST)
		trouble(d, -errno);
	r = sd_event_add_time(d->loop, &d->keep.timer, CLOCK_MONOTONIC, UINT64_MAX, TIMER_ACCURACY_US, on_timer, d);
	if (r < 0) {
		trouble(d, r);
		free(FT_STEAL(d->keep.directory));
		return;
	}
	events_open(d);
	events_recall(d);
}

void ft_keep_end(struct ft_daemon *d)
{
	sd_event_source_disable_unref(d->keep.child);
	sd_event_source_disable_unref(d->keep.timer);
	ft_journal_free(d->keep.events);
	free(d->keep.directory);
	d->keep = (struct ft_keep){0};
}
