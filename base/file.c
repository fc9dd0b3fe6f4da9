/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { WRITER_MS = 2000 };

/* File types other than regular files, by name; NULL: a regular file. */
static const char *kind_of(mode_t mode)
{
	static const struct {
		mode_t mode;
		const char *name;
	} kinds[] = {{S_IFDIR, "a directory"},
		     {S_IFIFO, "a FIFO"},
		     {S_IFSOCK, "a socket"},
		     {S_IFCHR, "a device"},
		     {S_IFBLK, "a device"}};

	for (size_t i = 0; i < FT_COUNT(kinds); i++)
		if ((mode & S_IFMT) == kinds[i].mode)
			return kinds[i].name;
	return NULL;
}

static int no_file(const struct stat *st, struct ft_error *err)
{
	return ft_error_set(err, S_ISDIR(st->st_mode) ? -EISDIR : -EINVAL, 0, 0, "it is %s, not a file",
			    kind_of(st->st_mode));
}

int ft_file_open(const char *path, int flags, struct ft_error *err)
{
	_cleanup_(ft_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	struct stat st;
	int ret;

	if (fd < 0) {
		ret = -errno;
		/* open(2) fails on sockets, and with O_NOFOLLOW on links. */
		if (ret == -ENXIO && lstat(path, &st) == 0 && kind_of(st.st_mode))
			return no_file(&st, err);
		if (ret == -ELOOP && lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && flags & O_NOFOLLOW)
			return ft_error_set(err, ret, 0, 0, "it is a symbolic link, not a file");
		return ft_error_set(err, ret, 0, 0, "%s", strerror(-ret));
	}
	if (fstat(fd, &st) < 0)
		return ft_error_set(err, -errno, 0, 0, "%s", strerror(errno));
	if (kind_of(st.st_mode))
		return no_file(&st, err);
	ret = fd;
	fd = -1;
	return ret;
}

/*
 * Reads to the end. A FIFO may be a shell's <(command) with a slow writer, or one without any writer, for which the
 * wait is limited.
 */
static int read_all(int fd, size_t limit, char **ret_text, size_t *ret_length, struct ft_error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0, size = 65536;
	struct pollfd input = {.fd = fd, .events = POLLIN};
	bool waited = true;
	struct stat st;

	if (limit == 0)
		limit = 1UL << 30;
	if (fstat(fd, &st) == 0) {
		waited = !S_ISFIFO(st.st_mode);
		if (S_ISREG(st.st_mode) && st.st_size > 0 && (size_t)st.st_size < limit)
			size = (size_t)st.st_size + 2; /* the NUL, and room to detect the end */
	}
	text = malloc(size);
	if (!text)
		return -ENOMEM;
	for (;;) {
		ssize_t n;

		if (length + 1 >= size) {
			char *more = realloc(text, size * 2);

			if (!more)
				return -ENOMEM;
			text = more;
			size *= 2;
		}
		n = read(fd, text + length, size - 1 - length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			poll(&input, 1, -1);
			continue;
		}
		if (n < 0)
			return ft_error_set(err, -errno, 0, 0, "%s", strerror(errno));
		if (n == 0 && length == 0 && !waited) {
			waited = true;
			if (poll(&input, 1, WRITER_MS) == 0)
				return ft_error_set(err, -EINVAL, 0, 0, "it is a FIFO that nobody writes to");
			continue;
		}
		if (n == 0)
			break;
		length += (size_t)n;
		if (length > limit)
			return ft_error_set(err, -EFBIG, 0, 0, "larger than %zu bytes", limit);
	}
	text[length] = '\0';
	*ret_text = FT_STEAL(text);
	*ret_length = length;
	return 0;
}

int ft_file_read(const char *path, size_t limit, char **ret_text, size_t *ret_length, struct ft_error *err)
{
	_cleanup_(ft_closep) int fd = -1;

	if (strcmp(path, "-") == 0)
		return read_all(STDIN_FILENO, limit, ret_text, ret_length, err);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return ft_error_set(err, -errno, 0, 0, "%s", strerror(errno));
	return read_all(fd, limit, ret_text, ret_length, err);
}

int ft_file_read_plain(const char *path, int flags, size_t limit, char **ret_text, size_t *ret_length,
		       struct ft_error *err)
{
	_cleanup_(ft_closep) int fd = ft_file_open(path, flags, err);

	return fd < 0 ? fd : read_all(fd, limit, ret_text, ret_length, err);
}

int ft_file_write_all(int fd, const struct ft_text *text)
{
	for (size_t done = 0; done < text->length;) {
		ssize_t n = write(fd, text->data + done, text->length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

/*
 * Overwrites the file in place: for callers who may write the file, but may not give a new one to its owner. Concurrent
 * readers may see a part of it.
 */
static int write_over(const char *path, const struct ft_text *text)
{
	_cleanup_(ft_closep) int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, 0) < 0)
		return -errno;
	r = ft_file_write_all(fd, text);
	return r == 0 && fsync(fd) < 0 ? -errno : r;
}

/* To the owner and group of the old file. False if the caller may not do that. */
static bool owner_keep(int fd, const struct stat *old)
{
	struct stat own;

	if (fstat(fd, &own) == 0 && own.st_uid == old->st_uid && own.st_gid == old->st_gid)
		return true;
	return fchown(fd, old->st_uid, old->st_gid) == 0;
}

/*
 * In the target's directory, so that the rename cannot cross file systems; the old file stays until the new one is
 * complete.
 *
 * @old  the existing file; NULL: none
 */
static int write_beside(const char *path, mode_t mode, const struct stat *old, const struct ft_text *text)
{
	_cleanup_free_ char *temporary = NULL;
	int fd, r;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0) {
		temporary = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (old && !owner_keep(fd, old)) {
		close(fd);
		unlink(temporary);
		return write_over(path, text);
	}
	r = ft_file_write_all(fd, text);
	if (r == 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
		r = -errno;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(temporary);
	return r;
}

/* An existing file keeps its owner, group and mode, and a link stays a link: its target is replaced. */
static int write_file(const char *path, const struct stat *old, const struct ft_text *text)
{
	_cleanup_free_ char *target = NULL;
	mode_t mask;

	if (!old) {
		mask = umask(0);
		umask(mask);
		return write_beside(path, 0666 & ~mask, NULL, text);
	}
	target = realpath(path, NULL);
	return target ? write_beside(target, old->st_mode & 0777, old, text) : -errno;
}

int ft_file_write(const char *path, const struct ft_text *text)
{
	_cleanup_(ft_closep) int fd = -1;
	struct stat st;

	if (!path)
		return ft_file_write_all(STDOUT_FILENO, text);
	if (stat(path, &st) < 0)
		return write_file(path, NULL, text);
	if (S_ISREG(st.st_mode))
		return write_file(path, &st, text);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return ft_file_write_all(fd, text);
}
