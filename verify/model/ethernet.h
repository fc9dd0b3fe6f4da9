/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a plan tells of an Ethernet fabric, and LLDP does not. */
#ifndef FT_VERIFY_MODEL_ETHERNET_H
#define FT_VERIFY_MODEL_ETHERNET_H

#include "planner/plan/plan.h"
#include "probe/snapshot.h"

/*
 * Completes @snapshot by @plan, before they are compared; one of InfiniBand is left as it is.
 *
 * - Names: a machine has the name that the plan gives it, with or without its domain.
 * - Types: a machine that the plan calls a switch is one, and a listed host is none. From the outside they may look
 *   alike: a Linux switch may call itself a station, and a host with virtual machines a bridge. Where most of the
 *   planned switches are told by their names, an unknown machine whose interfaces are all adapters is a host.
 * - Ports: where the plan names the ports of a switch, they have its numbers, and others the numbers behind these. A
 *   planned switch has as many as planned, as LLDP tells only of those that have a neighbour. The others are called as
 *   planned, or else as those: where all of them are swp1, swp2 and so on, port 7 is swp7.
 * - Other networks: switches that no planned switch is cabled to, directly or by others, are left out.
 *
 * Returns 0 or -ENOMEM. O(n log n).
 */
int ft_ethernet_fit(const struct ft_plan *plan, struct ft_snapshot *snapshot);

#endif
