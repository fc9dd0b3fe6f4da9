/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A snapshot that is changed: nodes are added, links are cut and made, and some of the nodes become a snapshot again.
 */
#ifndef FT_PROBE_DRAFT_H
#define FT_PROBE_DRAFT_H

#include "probe/snapshot.h"

struct ft_draft {
	struct ft_snapshot s; /* the caller may change its links; the numbers of nodes and ports stay */
	uint32_t nodes_size, ports_size, strings_size; /* so many have room */
};

/* A copy of @from. The caller releases @ret also on failure. Returns 0 or -ENOMEM. */
int ft_draft_begin(struct ft_draft *ret, const struct ft_snapshot *from);
void ft_draft_release(struct ft_draft *draft);

/* Adds a node behind the others, with all ports down; pointers into the draft may move. Returns 0 or -ENOMEM. */
int ft_draft_add(struct ft_draft *draft, enum ft_node_type type, uint64_t guid, const char *name, uint32_t ports,
		 uint32_t *ret_node);

/* The nodes marked in @keep, by node, as a snapshot that the caller frees. Returns 0 or -ENOMEM. */
int ft_draft_take(const struct ft_draft *draft, const bool *keep, struct ft_snapshot **ret_snapshot);

#endif
