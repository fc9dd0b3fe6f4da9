/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A node name map of infiniband-diags and OpenSM: names that people gave to nodes, by GUID, in place of what the nodes
 * say of themselves. Lines of a GUID and a name, in quotation marks or not; comments from # on.
 */
#ifndef FT_PROBE_NAMES_H
#define FT_PROBE_NAMES_H

#include "base/error.h"
#include "probe/snapshot.h"

struct ft_names;

/*
 * Reads the map at @path; NULL: the one where the tools of infiniband-diags look for it, if it is there. Of several
 * lines of a GUID the first one holds, and a GUID without a name keeps its own, as with these tools.
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

/* What a node is called, safe to print: by the map, else by its description. NULL where memory ran out. */
char *ft_names_safe_dup(const struct ft_names *names, const struct ft_snapshot *snapshot, const struct ft_node *node);

/*
 * Gives @snapshot's nodes their names: descriptions of those that the map has. @names NULL: nothing is done. Returns 0
 * or -ENOMEM, with nothing changed.
 */
int ft_names_apply(const struct ft_names *names, struct ft_snapshot *snapshot);

/*
 * The same in a copy that shares the ports of @snapshot, which stays as it is; ft_names_view_release() releases what is
 * its own.
 */
int ft_names_view(const struct ft_names *names, const struct ft_snapshot *snapshot, struct ft_snapshot *ret_view);
void ft_names_view_release(struct ft_snapshot *view);

#endif
