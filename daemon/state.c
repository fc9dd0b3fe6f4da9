/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "daemon/alert_parts.h"

/* To be read. That of the largest plan is a quarter, and the plan may have been larger when it was written. */
enum { STATE_SIZE_MAX = 512 * 1024 * 1024 };

struct paths {
	char *directory, *now, *old, *second, *new, *damaged;
};

static void paths_release(struct paths *paths)
{
	free(paths->directory);
	free(paths->now);
	free(paths->old);
	free(paths->second);
	free(paths->new);
	free(paths->damaged);
}

static char *path_make(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static int paths_make(const char *directory, struct paths *paths)
{
	paths->directory = path_make(directory, ".");
	paths->now = path_make(directory, "alerts.json");
	paths->old = path_make(directory, "alerts.json.old");
	paths->second = path_make(directory, "alerts.json.old.new");
	paths->new = path_make(directory, "alerts.json.new");
	paths->damaged = path_make(directory, "alerts.json.damaged");
	return paths->directory && paths->now && paths->old && paths->second && paths->new && paths->damaged ? 0
													     : -ENOMEM;
}

/* ---- lock of the directory ---- */

/* A child of a daemon that was killed a moment ago may still have the lock: it is killed with its parent. */
static int lock_take(int fd)
{
	enum { TRIES = 100, PAUSE_NS = 10 * 1000 * 1000 };

	for (unsigned int try = 1; flock(fd, LOCK_EX | LOCK_NB) < 0; try++) {
		if (errno != EINTR && (errno != EWOULDBLOCK || try >= TRIES))
			return -errno;
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	}
	return 0;
}

int ft_state_lock(const char *directory, int *ret_fd, struct ft_error *err)
{
	_cleanup_free_ char *path = path_make(directory, "lock");
	_cleanup_(ft_closep) int fd = -1;
	int r;

	if (!path)
		return ft_error_set(err, -ENOMEM, 0, 0, "out of memory");
	/* Opened read-only: the file system may be mounted read-only. */
	fd = open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return ft_error_set(err, -errno, 0, 0, "%s: %s", path, strerror(errno));
	r = lock_take(fd);
	if (r == -EWOULDBLOCK)
		return ft_error_set(err, r, 0, 0,
				    "%s: another ftcheckd has this state directory; stop that one, or give this one a "
				    "--state-directory of its own",
				    path);
	if (r < 0)
		return ft_error_set(err, r, 0, 0, "%s: cannot be locked: %s", path, strerror(-r));
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* ---- loading ---- */

/* Returns 0, -ENOENT (there is none), -ENOMEM, or the fault, with @err filled. */
static int file_load(const char *path, struct ft_now now, struct ft_alerts **ret_alerts, struct ft_error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int r;

	r = ft_file_read_plain(path, O_NOFOLLOW, STATE_SIZE_MAX, &text, &length, err);
	return r < 0 ? r : ft_alerts_read_json(text, length, now, ret_alerts, err);
}

/* The file is not at fault: it must not be discarded for a lack of memory or descriptors. */
static bool is_short(int code)
{
	return code == -ENOMEM || code == -EMFILE || code == -ENFILE;
}

static void error_note(struct ft_text *note, const char *path, const struct ft_error *err)
{
	ft_text_printf(note, "%s%s", note->length ? "; " : "", path);
	if (err->line > 0)
		ft_text_printf(note, ":%u:%u", err->line, err->column);
	ft_text_printf(note, ": %s", err->text);
}

static void set_aside(const struct paths *paths, struct ft_text *note)
{
	if (rename(paths->now, paths->damaged) == 0)
		ft_text_puts(note, " (set aside as alerts.json.damaged)");
	else
		ft_text_printf(note, " (it cannot be set aside: %s)", strerror(errno));
}

/*
 * Events after the older file was written are unknown, and may have used the following numbers: the clock, in ms, is
 * beyond all of them.
 */
static void numbers_skip(struct ft_alerts *alerts, struct ft_now now)
{
	if (now.wall_ms > 0)
		ft_alerts_skip_seq(alerts, (uint64_t)now.wall_ms);
}

static int older_load(const struct paths *paths, struct ft_now now, bool lost, struct ft_alerts **ret_alerts,
		      struct ft_text *note)
{
	_cleanup_(ft_alerts_freep) struct ft_alerts *alerts = NULL;
	struct ft_error err = {0};
	int r = file_load(paths->old, now, &alerts, &err);

	if (is_short(r))
		return r;
	if (r == 0) {
		ft_text_printf(note, "%s%s is taken, the state before the last one",
			       note->length ? "; " : "alerts.json is not there; ", paths->old);
		lost = true;
	} else {
		if (r != -ENOENT)
			error_note(note, paths->old, &err);
		lost |= r != -ENOENT;
		r = ft_alerts_new(&alerts);
		if (r < 0)
			return r;
		if (lost)
			ft_text_puts(note, "; no alert is remembered: what stands is said once more");
	}
	if (lost)
		numbers_skip(alerts, now);
	*ret_alerts = FT_STEAL(alerts);
	return 0;
}

int ft_state_load(const char *directory, struct ft_now now, struct ft_alerts **ret_alerts, struct ft_text *ret_note)
{
	_cleanup_(ft_alerts_freep) struct ft_alerts *alerts = NULL;
	_cleanup_(ft_text_release) struct ft_text note = {0};
	_cleanup_(paths_release) struct paths paths = {0};
	struct ft_error err = {0};
	int r;

	if (paths_make(directory, &paths) < 0)
		return -ENOMEM;
	r = file_load(paths.now, now, &alerts, &err);
	if (is_short(r))
		return r;
	if (r < 0 && r != -ENOENT)
		error_note(&note, paths.now, &err);
	/* An unreadable file may be intact: the next save must not replace it. */
	if (r < 0 && r != -ENOENT)
		set_aside(&paths, &note);
	if (r < 0)
		r = older_load(&paths, now, r != -ENOENT, &alerts, &note);
	if (r < 0)
		return r;
	if (ft_text_failed(&note))
		return -ENOMEM;
	*ret_alerts = FT_STEAL(alerts);
	ft_text_release(ret_note);
	*ret_note = note;
	note = (struct ft_text){0};
	return 0;
}

/* ---- saving ---- */

/* A fixed name, not a random one: a file left by a killed daemon is overwritten by the next. */
static int file_write(const char *path, const struct ft_text *text)
{
	enum { FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
	int fd, r;
	struct stat st;

	/* Only regular files: opening a FIFO would block for ever. */
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode) && unlink(path) < 0)
		return -errno;
	fd = open(path, FLAGS, 0600);
	if (fd < 0)
		return -errno;
	r = ft_file_write_all(fd, text);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}

/*
 * Hard link first, then rename: the current file keeps its name all the time. On a file system without hard links there
 * is no older file.
 */
static void old_keep(const struct paths *paths)
{
	unlink(paths->second);
	if (link(paths->now, paths->second) == 0)
		rename(paths->second, paths->old);
	/* If both were one file already (killed between this and the next step), rename did nothing. */
	unlink(paths->second);
}

int ft_state_save(const char *directory, const struct ft_alerts *alerts, struct ft_now now, bool synced)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_(paths_release) struct paths paths = {0};
	int r;

	if (paths_make(directory, &paths) < 0)
		return -ENOMEM;
	ft_alerts_write_json(&text, alerts, now);
	if (ft_text_failed(&text))
		return -ENOMEM;
	r = file_write(paths.new, &text);
	if (r == 0) {
		/* After a power failure the new name might refer to an empty file. */
		if (synced)
			old_keep(&paths);
		if (rename(paths.new, paths.now) < 0)
			r = -errno;
	}
	if (r < 0)
		unlink(paths.new);
	return r;
}

static int path_sync(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags);
	int r;

	if (fd < 0)
		return -errno;
	r = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return r;
}

int ft_state_sync(const char *directory)
{
	_cleanup_(paths_release) struct paths paths = {0};
	int r;

	if (paths_make(directory, &paths) < 0)
		return -ENOMEM;
	r = path_sync(paths.now, 0);
	/* The directory may be a symbolic link: systemd creates one under DynamicUser=. */
	return r < 0 ? r : path_sync(paths.directory, O_DIRECTORY);
}
