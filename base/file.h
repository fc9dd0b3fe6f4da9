/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Whole files: read at once, written completely or not at all. */
#ifndef FT_BASE_FILE_H
#define FT_BASE_FILE_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/*
 * Reads all of @path ("-": standard input) into @ret_text, NUL-terminated. The caller frees it.
 * Returns 0, -errno with @err filled, or -EFBIG beyond @limit bytes (0: 1 GiB). A FIFO without a writer for two seconds
 * is -EINVAL.
 */
int ft_file_read(const char *path, size_t limit, char **ret_text, size_t *ret_length, struct ft_error *err);

/*
 * Opens @path for reading, without blocking: anything but a regular file (a FIFO, a socket, a device, a directory) is
 * refused. @flags: more for open(2), such as O_NOFOLLOW. Returns the descriptor, closed on exec, or -errno with @err
 * filled.
 */
int ft_file_open(const char *path, int flags, struct ft_error *err);

/* As ft_file_read(), of a file that ft_file_open() takes. */
int ft_file_read_plain(const char *path, int flags, size_t limit, char **ret_text, size_t *ret_length,
		       struct ft_error *err);

/*
 * Replaces @path by @text: written to a new file and renamed, so that readers see the old file or the new one. The new
 * file has the owner, group and mode of the old one; if the caller may not set them, the old one is overwritten in
 * place. Devices and pipes, which cannot be replaced, are written to. NULL: standard output. Returns 0 or -errno.
 */
int ft_file_write(const char *path, const struct ft_text *text);

/* Writes all of @text to @fd, at its present offset. Returns 0 or -errno. */
int ft_file_write_all(int fd, const struct ft_text *text);

#endif
