/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Groups of switches that are joined by global cables: what dragonflies of all kinds share. A group is one of routers,
 * each of which has hosts and global cables; or of leafs, which have the hosts, and spines, which have the global
 * cables. Its ends are the switches that have global cables.
 *
 * Sources: J. Kim, W. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly topology" (2008);
 * A. Shpiner and others, "Dragonfly+: low cost topology for scaling datacenters" (2017); C. Camarero, E. Vallejo,
 * R. Beivide, "Topological characterization of Hamming and dragonfly networks and its implications on routing" (2014)
 * and E. Hastings and others, "Comparing global link arrangements for dragonfly networks" (2015) for the arrangements.
 *
 * Each end has "global" bundles to other groups; so a group can be joined to that many times its ends. Where there are
 * fewer groups, the bundles are dealt as evenly as can be:
 *
 * - Like groups: no pair has more than one bundle more than another. What is left over after every pair has the same
 *   joins each group to the nearest ones, by their numbers in a circle; an odd one joins it to the opposite group, or,
 *   where the number of groups is odd, is of a walk by half a circle, at whose end one group keeps a free port.
 * - Unlike groups: round after round every pair gets one more bundle as long as both have a port left; in a circle the
 *   nearest of those that are left come first.
 *
 * Which end of a group a bundle is at is up to the arrangement. The group goes through its neighbours again and again,
 * in an order, and fills one end after the other:
 *
 * - absolute: by their numbers;
 * - relative: the next group in the circle first, then the one behind it, and so on;
 * - circulant: the next group, the previous one, the next but one, and so on.
 *
 * Cost of all this: the bundles, and the square of the groups.
 *
 * Where a design lists the cables between groups, which others have wired by no such rule, they are just those.
 */
#ifndef FT_PLANNER_FAMILY_GROUPS_H
#define FT_PLANNER_FAMILY_GROUPS_H

#include "planner/family/family.h"
#include "planner/plan/design.h"

/* Groups that are alike and one after the other; what "groups" leaves out is as in "group". */
size_t ft_group_runs(const struct ft_family_keys *keys);
struct ft_group_size ft_group_run(const struct ft_family_keys *keys, size_t run);

/* Switches of such a group that have hosts; and that have global cables. */
uint32_t ft_group_hosting(const struct ft_group_size *size);
uint32_t ft_group_ends(const struct ft_group_size *size);

/* The group of a switch, by its index in the network. @ret_end: whether it has global cables. */
uint32_t ft_groups_place(const struct ft_family_keys *keys, uint32_t index, bool *ret_end);

/* What groups have in all; 0 where a number is not said. */
uint64_t ft_groups_switches(const struct ft_family_keys *keys);
uint64_t ft_groups_pairs_inside(const struct ft_family_keys *keys);

/* The most groups that "group" can join. */
uint32_t ft_groups_most(const struct ft_family_keys *keys);

/* Whether neither "group", "groups" nor "bundle" is in the design, nor anything about the switches but their ports. */
bool ft_groups_unsaid(const struct ft_design *design);

/* Refuses what no such family reads. Returns 0, or -EINVAL. */
int ft_groups_refuse(struct ft_proposal *proposal);

/*
 * The number of groups where it is not said: for so many switches if "count" of "edge" says that, else for all nodes
 * with @hosts of each switch that has any; else, without "nodes", the most. At least 1.
 */
uint32_t ft_groups_wanted(const struct ft_design *design, const struct ft_family_keys *keys, uint32_t hosts);

/*
 * Offers a layout of which "family", "diameter" and all keys are filled, if it fits the switch and the design. @usual:
 * the hosts of a switch (ft_proposal_settle()). Returns as offers do.
 */
int ft_groups_offer(struct ft_proposal *proposal, struct ft_layout *layout, uint32_t usual);

/* Adds the global cables. The ends of a group are one after the other, behind its leafs. Returns 0 or -ENOMEM. */
int ft_groups_join(const struct ft_layout *layout, struct ft_network *network);

struct ft_sketch;

/*
 * Offers parameters of a fabric that may be such groups: @keys are the size of a group and the number of groups, and
 * each kind of cables has one of the widths that are frequent.
 *
 * @inside  pairs of switches that are cabled within the groups
 * @ends    switches with global cables
 *
 * Returns as the offer does.
 */
int ft_groups_guess(const struct ft_sketch *sketch, const struct ft_family *family, struct ft_family_keys *keys,
		    uint64_t inside, uint32_t ends);

#endif
