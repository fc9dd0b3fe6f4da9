/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the switches of a plan are told: of each port the VLAN that untagged frames enter, and those that leave by it,
 * tagged or not; and the static entries, which say by which port an address is reached in a VLAN. They are made from
 * the plan, or read from files that may say something else.
 */
#ifndef FT_PLANNER_ETHERNET_TABLES_H
#define FT_PLANNER_ETHERNET_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "planner/ethernet/macs.h"
#include "planner/ethernet/vlans.h"

/* How a port is in a VLAN; both at once is what only a wrong file says. */
enum { FT_MEMBER_TAGGED = 1, FT_MEMBER_UNTAGGED = 2 };

/* A static entry. */
struct ft_static {
	uint64_t mac;
	uint32_t sw;
	uint16_t vlan;
	uint16_t file; /* place in the paths of the tables */
	uint32_t port;
	uint32_t line; /* of the file; 0: made from the plan */
};

/* Ports are numbered as in struct ft_vlans: switch by switch. */
struct ft_tables {
	uint32_t *ids; /* the numbers of all VLANs that are in use anywhere, ascending */
	uint32_t id_count;
	uint8_t *members;     /* [ports][id_count]: FT_MEMBER_… */
	uint32_t *pvids;      /* of each port; 0: untagged frames are dropped */
	uint32_t *port_lines; /* of the file; 0: made from the plan, or the file does not have the port */
	uint16_t *port_files; /* of each port: place in @paths */
	size_t port_count;
	struct ft_static *entries; /* sorted by (switch, VLAN, address), equal ones in the order of the files */
	size_t entry_count;

	/* The files that they were read from; not owned. A kind that no file has is made from the plan. */
	const char *const *paths;
	bool ports_said, entries_said;
	uint16_t *port_homes, *entry_homes; /* of each switch: a file with rows of it, for what it lacks */
};

void ft_tables_release(struct ft_tables *tables);

/*
 * The tables of a plan.
 *
 * @ret_tables  out: for ft_tables_release(). Untouched on failure.
 * @err         filled on -EINVAL (no line): there would be more entries than this program takes
 * Returns 0, -EINVAL or -ENOMEM. O(entries).
 */
int ft_tables_make(const struct ft_plan *plan, const struct ft_vlans *vlans, const struct ft_macs *macs,
		   struct ft_tables *ret_tables, struct ft_error *err);

/*
 * The same with what the files say in place of the plan: those that ft_write_vlans() and ft_write_macs() wrote, whole
 * or switch by switch, changed or not. What no file says is as in the plan; of a kind of which there is a file, all is
 * said.
 *
 * @paths  are borrowed
 * @err  filled on -EINVAL, with file and place: no such table, no such switch or port, a port twice
 * Returns 0, -EINVAL, -ENOMEM, or -errno of open() and read().
 */
int ft_tables_load(const struct ft_plan *plan, const struct ft_vlans *vlans, const struct ft_macs *macs,
		   const char *const *paths, size_t path_count, struct ft_tables *ret_tables, struct ft_error *err);

/* The place of VLAN @vlan in @ids; FT_NONE: it is nowhere in use. */
uint32_t ft_tables_id(const struct ft_tables *tables, uint32_t vlan);

/* How port @port (its number among all) is in the VLAN at place @id. */
static inline uint8_t *ft_tables_member(const struct ft_tables *tables, size_t port, uint32_t id)
{
	return &tables->members[port * tables->id_count + id];
}

/* The first entry of (switch, VLAN, address) in @entries, or behind it where it would be. */
size_t ft_tables_find(const struct ft_tables *tables, uint32_t sw, uint32_t vlan, uint64_t mac);

/* Whether @entry is of these. */
static inline bool ft_static_is(const struct ft_static *entry, uint32_t sw, uint32_t vlan, uint64_t mac)
{
	return entry->sw == sw && entry->vlan == vlan && entry->mac == mac;
}

#endif
