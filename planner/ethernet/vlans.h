/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Ethernet without loops in a network that is full of them: the VLANs of a Clos network.
 *
 * What comes in is a plan of two levels: L1 switches, which have the hosts, and L2 switches, to which every L1 switch
 * is cabled. What goes out is the VLAN of each port. The other files of the room make tables of it, write these for
 * switches, and follow them as a switch does.
 *
 * Rules, and their source: N. Eicker and T. Lippert, "Scalable Ethernet Clos-Switches", 2006, section 5.
 * - There are as many VLANs as an L1 switch has uplinks or hosts, whichever is less. A host sends into the VLAN of the
 *   number of its port; with more hosts than VLANs it begins again with the first.
 * - A VLAN has one cable to every L1 switch, all of one L2 switch. So it is a star, which has no loop, and each cable
 *   carries one VLAN. An L2 switch with B cables to every L1 switch is B virtual L2 switches.
 * - Every host receives from every VLAN, untagged.
 * - Who sends into another VLAN is never heard in this one, so that switches cannot learn where he is: every switch has
 *   a static entry for every host, in every VLAN that it knows.
 *
 * Invariant: the ports of a VLAN and the cables between them are a tree that contains every L1 switch.
 */
#ifndef FT_PLANNER_ETHERNET_VLANS_H
#define FT_PLANNER_ETHERNET_VLANS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "planner/plan/design.h"
#include "planner/plan/plan.h"
#include "planner/plan/wiring.h"

enum { FT_VLAN_MAX = 4094 }; /* IEEE 802.1Q: 0 and 4095 are reserved */

/* What is at the other end of a port. */
enum ft_vlan_peer { FT_VLAN_NOTHING, FT_VLAN_HOST, FT_VLAN_SWITCH };

/* A port of a planned switch. */
struct ft_vlan_port {
	enum ft_vlan_peer kind;
	uint32_t peer;	    /* number of the host, edge by edge, or index of the switch */
	uint32_t peer_port; /* of that switch */
	uint32_t vlan;	    /* a host's own, or the one of the cable; 0: none, the port stays closed */
};

struct ft_vlans {
	uint32_t count; /* VLANs: @first, and those that follow */
	uint32_t first;
	uint32_t lowers, uppers; /* L1 switches, and L2 switches that carry a VLAN */
	uint32_t *carried;	 /* VLANs of each switch: all of an L1 switch, its share of an L2 switch; else 0 */
	uint32_t most;		 /* virtual L2 switches of one L2 switch, at most */
	uint32_t sharing;	 /* hosts of an L1 switch that share a VLAN, at most */
	uint32_t idle;		 /* cables between switches that carry no VLAN */
	uint32_t host_count;
	size_t *first_port; /* of each switch and one more: where in @ports its port 1 is */
	struct ft_vlan_port *ports;
	uint32_t *host_switch, *host_port; /* of each host */
	uint32_t *lower_number;		   /* of each switch: its number among the L1 switches; FT_NONE: it is none */
	uint32_t *first_vlan;		   /* of each switch: the first that it carries */
	size_t *first_way; /* of each switch: where in @ways its ports are: of an L1 switch one a VLAN, */
	uint32_t *ways;	   /* of an L2 switch one for each L1 switch, VLAN by VLAN; 0: none */
	struct ft_wiring wiring;
};

void ft_vlans_release(struct ft_vlans *vlans);

/*
 * @plan       without islands: ft_plan_tree()
 * @first      the number of the first VLAN, from 1
 * @ret_vlans  out: for ft_vlans_release(). Untouched on failure.
 * @err        filled on -EINVAL (no line): why the plan is none that this can be done with
 *
 * Returns 0, -EINVAL or -ENOMEM. O(ports + L1 switches x L2 switches).
 */
int ft_vlans_make(const struct ft_plan *plan, uint32_t first, struct ft_vlans *ret_vlans, struct ft_error *err);

/* Port @port (from 1) of switch @sw; NULL: it has no such port. */
static inline const struct ft_vlan_port *ft_vlans_port(const struct ft_vlans *vlans, uint32_t sw, uint32_t port)
{
	size_t at = vlans->first_port[sw] + port - 1;

	return port >= 1 && at < vlans->first_port[sw + 1] ? &vlans->ports[at] : NULL;
}

/* Whether it is in use: a host or a cable with a VLAN. */
static inline bool ft_vlans_is_open(const struct ft_vlans *vlans, uint32_t sw, uint32_t port)
{
	return ft_vlans_port(vlans, sw, port)->vlan > 0;
}

static inline uint32_t ft_vlans_ports_of(const struct ft_vlans *vlans, uint32_t sw)
{
	return (uint32_t)(vlans->first_port[sw + 1] - vlans->first_port[sw]);
}

static inline bool ft_vlans_is_lower(const struct ft_vlans *vlans, uint32_t sw)
{
	return vlans->lower_number[sw] != FT_NONE;
}

/* The port by which switch @sw reaches host @host in VLAN @vlan; 0: it does not. */
uint32_t ft_vlans_way(const struct ft_vlans *vlans, uint32_t sw, uint32_t vlan, uint32_t host);

/* Static entries of switch @sw, for one address of each host. */
static inline uint64_t ft_vlans_entries(const struct ft_vlans *vlans, uint32_t sw)
{
	return (uint64_t)vlans->carried[sw] * vlans->host_count;
}

/* Those of the switch that has most. */
static inline uint64_t ft_vlans_entries_most(const struct ft_vlans *vlans)
{
	return (uint64_t)vlans->count * vlans->host_count;
}

/*
 * Whether the tables of the plan's switches hold the addresses of the design, or one of each host, as far as it is
 * known how many entries they take. A plan that has no VLANs fits. Source of the rule: the same, 5.2.
 *
 * @blame  filled on -EINVAL: the key at fault
 * @err    filled on -EINVAL (no line): with the most hosts that fit
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_vlans_check_tables(const struct ft_design *design, const struct ft_plan *plan, struct ft_plan_blame *blame,
			  struct ft_error *err);

/* The VLANs in a few lines of text, for people. Nothing where the plan has none. */
int ft_vlans_write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan);

#endif
