/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A node name map of infiniband-diags and OpenSM: names that the administrator gave to nodes, by GUID, in place of
 * their NodeDescriptions. Lines of a GUID and a name, in quotation marks or not; comments from # on.
 */
#ifndef FT_PROBE_NAMES_H
#define FT_PROBE_NAMES_H

#include "base/error.h"
#include "probe/snapshot.h"

struct ft_names;

/*
 * Reads the map at @path; NULL: the default map of infiniband-diags, if it exists. Of several lines with one GUID the
 * first one holds, and a GUID without a name keeps its own, as with these tools.
 *
 * @ret_names  out: NULL where there is no map; the caller frees it
 * Returns 0, -EINVAL with @err filled (file, line, column), or -errno as ft_file_read().
 */
int ft_names_load(const char *path, struct ft_names **ret_names, struct ft_error *err);

/* The same from memory. */
int ft_names_read(const char *text, size_t length, struct ft_names **ret_names, struct ft_error *err);

void ft_names_free(struct ft_names *names);
static inline void ft_names_freep(struct ft_names **names)
{
	ft_names_free(*names);
}

/* The name of a node, safe to print: by the map, else its description. NULL where memory ran out. */
char *ft_names_safe_dup(const struct ft_names *names, const struct ft_snapshot *snapshot, const struct ft_node *node);

/*
 * Replaces the descriptions of those nodes of @snapshot that the map has. @names NULL: nothing is done. Returns 0 or
 * -ENOMEM, with nothing changed.
 */
int ft_names_apply(const struct ft_names *names, struct ft_snapshot *snapshot);

/*
 * The same in a copy that shares the ports of @snapshot, which is not changed; ft_names_view_release() releases the
 * rest of the copy.
 */
int ft_names_view(const struct ft_names *names, const struct ft_snapshot *snapshot, struct ft_snapshot *ret_view);
void ft_names_view_release(struct ft_snapshot *view);

#endif
