/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Landlock (landlock(7)): a process gives up its own rights to files. Needs no privilege, but kernel support: best
 * effort everywhere.
 */
#ifndef FT_BASE_LANDLOCK_H
#define FT_BASE_LANDLOCK_H

#include <stddef.h>

/*
 * From here on the process and its children cannot open files at and below @path. Other files are not affected. Sets
 * no_new_privs if the caller is not privileged, as Landlock requires.
 *
 * @path  absolute, without links, "." and ".."; it need not exist
 * Returns 0; -ENOSYS or -EOPNOTSUPP without kernel support; or -errno.
 */
int ft_landlock_hide(const char *path);

/*
 * From here on the process opens files for writing, makes and removes them at and below @paths only (those that exist).
 * Returns as ft_landlock_hide().
 */
int ft_landlock_write_only_below(const char *const *paths, size_t count);

#endif
