/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

int ft_file_read(const char *path, size_t limit, char **ret_text, size_t *ret_length, struct ft_error *err)
{
	bool standard_input = strcmp(path, "-") == 0;
	_cleanup_(ft_closep) int owned_fd = -1;
	_cleanup_free_ char *text = NULL;
	size_t length = 0, size = 65536;
	struct stat st;
	int fd = STDIN_FILENO;

	if (limit == 0)
		limit = 1UL << 30;
	if (!standard_input) {
		owned_fd = fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return ft_error_set(err, -errno, 0, 0, "%s", strerror(errno));
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && (size_t)st.st_size < limit)
		size = (size_t)st.st_size + 2; /* the NUL, and room to see the end */
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
		if (n < 0)
			return ft_error_set(err, -errno, 0, 0, "%s", strerror(errno));
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
 * What is there, written over: for one who may write the file and may not give another to its owner. Whoever reads
 * meanwhile sees half of it.
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

/* To the owner and group that the old file has. False where that is not ours to do. */
static bool owner_keep(int fd, const struct stat *old)
{
	struct stat own;

	if (fstat(fd, &own) == 0 && own.st_uid == old->st_uid && own.st_gid == old->st_gid)
		return true;
	return fchown(fd, old->st_uid, old->st_gid) == 0;
}

/*
 * Beside the target, so that the rename cannot cross file systems; the old file stays until the new one is whole.
 *
 * @old  the file that is there; NULL: none is
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

/* A file that is there keeps its owner, its group and its mode, and a link stays a link: what it leads to is replaced.
 */
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
