/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the making and the reading of tables have in common. Private to planner/ethernet/. */
#ifndef FT_PLANNER_ETHERNET_TABLES_PARTS_H
#define FT_PLANNER_ETHERNET_TABLES_PARTS_H

#include "planner/ethernet/tables.h"

enum { FT_ENTRIES_MAX = 16000000 }; /* of all switches: half a gigabyte */

/* The order of entries: by (switch, VLAN, address). */
int ft_static_compare(const void *one, const void *other);

/* Room for so many ports. Returns 0 or -ENOMEM. */
int ft_tables_make_ports(struct ft_tables *tables, size_t port_count);

/* Room for these ports in the VLANs that are there by now. Returns 0, -EINVAL (too many) or -ENOMEM. */
int ft_tables_make_members(struct ft_tables *tables);

void ft_tables_sort(struct ft_tables *tables);

#endif
