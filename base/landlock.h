/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Landlock (landlock(7)): a process takes rights to files from itself. Needs no privilege, and a kernel that has it:
 * best effort everywhere.
 */
#ifndef FT_BASE_LANDLOCK_H
#define FT_BASE_LANDLOCK_H

#include <stddef.h>

/*
 * From here on the process, and what it starts, opens nothing at and below @path. All else stays as it is. Sets
 * no_new_privs where the caller is not privileged, as Landlock asks for it.
 *
 * @path  absolute, without links, "." and ".."; it need not exist
 * Returns 0; -ENOSYS or -EOPNOTSUPP where this kernel cannot; or -errno.
 */
int ft_landlock_hide(const char *path);

/*
 * From here on the process opens files for writing, makes and removes them at and below @paths only (those that exist).
 * Returns as ft_landlock_hide().
 */
int ft_landlock_write_only_below(const char *const *paths, size_t count);

#endif
