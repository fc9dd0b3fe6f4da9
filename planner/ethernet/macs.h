/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The Ethernet addresses of the hosts of a plan. */
#ifndef FT_PLANNER_ETHERNET_MACS_H
#define FT_PLANNER_ETHERNET_MACS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map.h"
#include "planner/plan/design.h"
#include "planner/plan/plan.h"

struct ft_macs {
	struct ft_mac_of {
		uint64_t mac;
		uint32_t host; /* its number, edge by edge */
	} * list;	       /* sorted by (host, mac); every host has one at least */
	size_t count;
	struct ft_map hosts; /* by address: its host */
	bool made_up;	     /* nobody said them */
};

void ft_macs_release(struct ft_macs *macs);

/*
 * The addresses that @entries give to the hosts of @plan; without entries made-up ones: 02:00:00:00:00:01 and so on, in
 * the plan's order.
 *
 * @plan       without islands: ft_plan_tree()
 * @ret_macs   out: for ft_macs_release(). Untouched on failure.
 * @ret_fault  out: on -EINVAL the entry to blame; SIZE_MAX: none of them
 * @err        filled on -EINVAL (no line): a host or port that the plan has not, an address twice, a host without one
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_macs_make(const struct ft_plan *plan, const struct ft_design_mac *entries, size_t count,
		 struct ft_macs *ret_macs, size_t *ret_fault, struct ft_error *err);

/*
 * Reads the addresses of a file ("-": standard input): comma-separated values with the columns "mac" and "host", or
 * "mac", "switch" (or "edge") and "port", by these names in the first row; or lines of an address and a name, as in
 * ethers(5). @err->file is set to @path.
 *
 * @ret_entries  out: for ft_design_macs_release(). Untouched on failure.
 * Returns 0, -EINVAL, -ENOMEM, or -errno of open() and read().
 */
int ft_macs_load(const char *path, struct ft_design_mac **ret_entries, size_t *ret_count, struct ft_error *err);

#endif
