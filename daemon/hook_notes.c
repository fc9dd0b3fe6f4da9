/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/hook_notes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

/*
 * "runs 0123456789abcdef\n", and "done" in the place of "runs" afterwards: of the same length, so that a disk that
 * became full does not matter.
 *
 * The hash is that of the event. The number alone is not enough: if the state was lost numbers start again, and a note
 * of another event must not prevent a run.
 */
enum { NOTE_SIZE = 4 + 1 + 16 + 1 };
static const char word_runs[] = "runs", word_done[] = "done";

static void dir_closep(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int event_hash(const struct ft_event *event, uint64_t *ret_hash)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_text_printf(&text, "%" PRIu64 " %s %" PRId64 " %s", event->seq, ft_event_kind_name(event->kind),
		       event->wall_ms, event->id);
	if (ft_text_failed(&text))
		return -ENOMEM;
	*ret_hash = ft_text_checksum(ft_text_string(&text));
	return 0;
}

static void note_line(char line[NOTE_SIZE + 1], const char *word, uint64_t hash)
{
	snprintf(line, NOTE_SIZE + 1, "%s %016" PRIx64 "\n", word, hash);
}

static int open_note(const char *directory, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0 || errno != ENOENT)
		return fd >= 0 ? fd : -errno;
	if (mkdir(directory, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd >= 0 ? fd : -errno;
}

static int write_note(int fd, const char *line)
{
	ssize_t written = pwrite(fd, line, NOTE_SIZE, 0);

	if (written < 0)
		return -errno;
	if (written < NOTE_SIZE)
		return -ENOSPC;
	return ftruncate(fd, NOTE_SIZE) < 0 ? -errno : 0;
}

int ft_note_claim(const char *directory, const char *name, const struct ft_event *event, int *ret_fd)
{
	char content[NOTE_SIZE + 1] = "", wanted[NOTE_SIZE + 1], path[PATH_MAX];
	_cleanup_(ft_closep) int fd = -1;
	uint64_t hash = 0;
	int ret;

	ret = event_hash(event, &hash);
	if (ret < 0)
		return ret;
	if (snprintf(path, sizeof(path), "%s/%" PRIu64 ".%s", directory, event->seq, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open_note(directory, path);
	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? FT_NOTE_BUSY : -errno;
	note_line(wanted, word_done, hash);
	if (pread(fd, content, NOTE_SIZE, 0) == NOTE_SIZE && strcmp(content, wanted) == 0)
		return FT_NOTE_DONE;
	note_line(wanted, word_runs, hash);
	ret = write_note(fd, wanted);
	if (ret < 0) {
		(void)unlink(path);
		return ret;
	}
	*ret_fd = fd;
	fd = -1;
	return FT_NOTE_OURS;
}

int ft_note_done(int fd)
{
	ssize_t written = pwrite(fd, word_done, strlen(word_done), 0);

	if (written != (ssize_t)strlen(word_done))
		return written < 0 ? -errno : -EIO;
	return fdatasync(fd) < 0 ? -errno : 0;
}

void ft_note_drop(const char *directory, const char *name, uint64_t seq)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%" PRIu64 ".%s", directory, seq, name) < (int)sizeof(path))
		(void)unlink(path);
}

/* "17.mail": 17 and "mail". */
static bool note_parse(const char *file, uint64_t *ret_seq, const char **ret_name)
{
	char *end;

	if (file[0] < '0' || file[0] > '9')
		return false;
	errno = 0;
	*ret_seq = strtoull(file, &end, 10);
	if (errno || *end != '.' || !end[1])
		return false;
	*ret_name = end + 1;
	return true;
}

/* Opens the note with that file name; -1 with *@ret_busy set if a runner has locked it. */
static int lock_note(int directory, const char *file, bool *ret_busy)
{
	int fd = openat(directory, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	*ret_busy = false;
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	*ret_busy = errno == EWOULDBLOCK;
	close(fd);
	return -1;
}

bool ft_note_any_busy(const char *directory, const char *name)
{
	_cleanup_(dir_closep) DIR *dir = opendir(directory);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_(ft_closep) int fd = -1;
		const char *of;
		uint64_t seq;
		bool busy;

		if (!note_parse(entry->d_name, &seq, &of) || strcmp(of, name) != 0)
			continue;
		fd = lock_note(dirfd(dir), entry->d_name, &busy);
		if (busy)
			return true;
	}
	return false;
}

void ft_note_clean(const char *directory, bool (*keep)(void *userdata, const char *name, uint64_t seq), void *userdata)
{
	_cleanup_(dir_closep) DIR *dir = opendir(directory);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_(ft_closep) int fd = -1;
		const char *name;
		uint64_t seq;
		bool busy;

		if (!note_parse(entry->d_name, &seq, &name) || keep(userdata, name, seq))
			continue;
		fd = lock_note(dirfd(dir), entry->d_name, &busy);
		if (fd >= 0)
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	}
}
