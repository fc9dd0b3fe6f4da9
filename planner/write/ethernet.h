/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the switches of an Ethernet plan are told, in several forms. Each writer takes the switch to write, or
 * FT_NONE for all of them; they return 0 or -ENOMEM.
 */
#ifndef FT_PLANNER_WRITE_ETHERNET_H
#define FT_PLANNER_WRITE_ETHERNET_H

#include "planner/ethernet/ethernet.h"

struct ft_text;

typedef int ft_ethernet_writer(struct ft_text *text, const struct ft_ethernet *ethernet, uint32_t only);

/* CSV that ft_tables_load() reads: of each port PVID, tagged and untagged VLANs; and of each static entry. */
ft_ethernet_writer ft_write_vlans, ft_write_macs;

/*
 * Scripts of sh: a bridge of the Linux kernel by ip and bridge in batches, and Open vSwitch by ovs-vsctl and ovs-ofctl.
 * For all switches it is one script that does the part of the switch it is run on.
 */
ft_ethernet_writer ft_write_linux_bridge, ft_write_openvswitch;

/* CSV for every other switch: a row a setting, in the order in which they are made. */
ft_ethernet_writer ft_write_switch_settings;

#endif
