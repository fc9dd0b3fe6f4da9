/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the walk is made of. Private to planner/ethernet/. */
#ifndef FT_PLANNER_ETHERNET_WALK_PARTS_H
#define FT_PLANNER_ETHERNET_WALK_PARTS_H

#include "base/map.h"
#include "planner/ethernet/walk.h"

/* How tables differ from those of the plan, and where to look a difference up. */
struct ft_differences {
	struct ft_walk_finding *list;
	size_t count, size;
	uint32_t *of_port;	  /* by port: that of its PVID, or of its whole row; FT_NONE */
	struct ft_map of_members; /* by port * 4096 + VLAN */
	uint32_t *of_entry;	  /* by entry of the plan's tables; FT_NONE */
};

void ft_differences_release(struct ft_differences *differences);

/* Returns 0 or -ENOMEM. O(ports x VLANs + entries). */
int ft_differences_make(const struct ft_ethernet *ethernet, const struct ft_tables *tables,
			struct ft_differences *ret_differences);

/* The difference of a port in a VLAN, of its PVID, and of an entry of the plan; FT_NONE: there is none. */
uint32_t ft_difference_of_member(const struct ft_differences *differences, size_t port, uint32_t vlan);
static inline uint32_t ft_difference_of_pvid(const struct ft_differences *differences, size_t port)
{
	return differences->of_port[port];
}
uint32_t ft_difference_of_entry(const struct ft_differences *differences, const struct ft_tables *planned, uint32_t sw,
				uint32_t vlan, uint64_t mac);

/*
 * Makes one difference of two that a single change of the files brings about: what is missing at one place, and too
 * much at another that differs in one field only, or of one port in one VLAN and in another. The second is marked by
 * FT_WALK_KINDS, and its harm is the first one's. Only where there is no choice. Returns 0 or -ENOMEM. O(n log n).
 */
int ft_differences_fold(struct ft_differences *differences, const struct ft_tables *said);

/* One more that is no difference: what cannot be explained by any. Returns its index, or FT_NONE: no memory. */
uint32_t ft_differences_add(struct ft_differences *differences, const struct ft_walk_finding *finding);

/* The entry that counts for this address: the last of equal ones; NULL: there is none. */
const struct ft_static *ft_tables_entry(const struct ft_tables *tables, uint32_t sw, uint32_t vlan, uint64_t mac);

#endif
