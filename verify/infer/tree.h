/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What fat-trees of two ranks and of three have in common: who is in the tree, and whether a plan is the graph. Private
 * to infer/.
 *
 * Switches without hosts on a few cables (stray) are not planned. Others beside the tree (beside) are planned as
 * islands: by name, with the hosts and cables that the graph plans.
 */
#ifndef FT_VERIFY_INFER_TREE_H
#define FT_VERIFY_INFER_TREE_H

#include "verify/infer/general.h"

enum { FT_TREE_RANKS = 3 };

/* The switches of each rank in the plan's order; those from intent->count up nobody saw. */
struct ft_tree {
	const struct ft_intent *intent;
	uint32_t ranks;
	uint32_t *order[FT_TREE_RANKS];
	uint32_t count[FT_TREE_RANKS];
	struct ft_infer_tier tiers[FT_TREE_RANKS];
};

static inline bool ft_intent_in_tree(const struct ft_intent *intent, uint32_t i)
{
	return i >= intent->count || (!intent->stray[i] && !intent->beside[i]);
}

/*
 * tree.c: marks as beside what hangs on no pattern, if it is but a small part of the fabric and all names serve.
 * Returns 1, 0 if there is nothing of the kind, or -ENOMEM.
 */
int ft_tree_beside(struct ft_intent *intent);

/*
 * tree.c: fills all; order is not sorted yet. Returns 1, 0 if the switches of the tree are of another
 * number of ranks, or -ENOMEM.
 */
int ft_tree_collect(struct ft_tree *tree, const struct ft_intent *intent, uint32_t ranks);

/* tree.c: hosts of its switches. */
uint32_t ft_tree_hosts(const struct ft_tree *tree);

/* tree.c: 1 if the plan of the design in @text has the graph's cables between every two switches, 0, or -ENOMEM. */
int ft_tree_check(const struct ft_tree *tree, const struct ft_text *text);

/* tree.c: the keys "bind" and "islands", and the end of the design. @by_guid: see ft_infer_by_rule_names(). */
void ft_tree_write_end(const struct ft_tree *tree, const bool *by_guid, struct ft_text *text);

/*
 * rings.c: the cables between neighbours of the rings that the switches of a rank are, in whose order they are then: 0
 * if no two of them are joined. @pod: by switch, each has a ring; NULL: all are one. @walk: the order of a ring is
 * open.
 */
uint32_t ft_tree_rings(struct ft_tree *tree, uint32_t rank, const uint32_t *pod, bool walk);

/* tree.c: the key "rings", with a comma before it; nothing if there are none. */
void ft_tree_write_rings(uint32_t spine, uint32_t core, struct ft_text *text);

/* islands.c: the key "islands", with a comma before it; nothing if no switch is beside the tree. */
void ft_infer_write_islands(const struct ft_intent *intent, struct ft_text *text);

#endif
