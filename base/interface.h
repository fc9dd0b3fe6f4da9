/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Names of Ethernet interfaces and of machines. A plan and an observed fabric number ports, and LLDP and ptmd name
 * them: both sides use the same rule, so that "swp19" is port 19 in both.
 */
#ifndef FT_BASE_INTERFACE_H
#define FT_BASE_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The highest number of a port, as of an InfiniBand switch: one graph holds both (probe/snapshot_build.h). */
enum { FT_INTERFACE_NUMBER_MAX = 254 };

/*
 * Numbers the interfaces of one machine, from 1, none twice.
 *
 * An interface has the number at the end of its name: "swp19" is 19, "Ethernet1/7" is 7. Where two have the same, the
 * one whose prefix more of them have keeps it, then the one that is first in natural order. The others, and those
 * without a number or with one that no port has, get those above the highest one, and when these are used up the lowest
 * free ones.
 *
 * @names        not sorted; no two are equal
 * @ret_numbers  [@count], by name
 * Returns 0, -ENOMEM, or -E2BIG: more than FT_INTERFACE_NUMBER_MAX. O(n log n).
 */
int ft_interfaces_number(const char *const *names, size_t count, uint16_t *ret_numbers);

enum { FT_INTERFACE_NAME_MAX = 31 }; /* bytes of a name in a plan */

/*
 * The hash of a name as a machine knows it: without regard to case, and short forms as Cisco's and Arista's are the
 * long ones: "Eth1/7" is Ethernet1/7, "Te1/0/1" is TenGigabitEthernet1/0/1, "Et4" is Ethernet4. "eth0" is just that.
 */
uint64_t ft_interface_hash(const char *name);

/*
 * Whether all have their numbers by their names: one prefix, and each another number. Then "swp[1-48]" names them.
 *
 * @ret_prefix  out: bytes before the number
 */
bool ft_interfaces_are_numbered(const char *const *names, size_t count, size_t *ret_prefix);

/*
 * Whether Linux names network adapters so: "eth0", "eno1", "ens1f0", "enp3s0", "p1p1", "bond0". Ports of switches have
 * other names: "swp1", "Ethernet4", "et-0/0/1".
 */
bool ft_interface_is_adapter(const char *name);

/*
 * Whether an interface is for management whatever else the machine has: "mgmt0", "Management1", "fxp0", "me0". "eth0"
 * is one too if the machine is a switch: @on_switch.
 */
bool ft_interface_is_management(const char *name, bool on_switch);

/*
 * Whether an interface has no cable of its own, but those of others: bridges, bonds and link aggregations, tunnels,
 * VLANs. "br0", "bond1", "Port-Channel7", "ae3", "docker0".
 */
bool ft_interface_is_virtual(const char *name);

/*
 * The length of an interface's name without the number of a logical unit or VLAN on it: "xe-0/0/1.0" is xe-0/0/1, and
 * "eth0.100" is eth0. All of it where the dot is part of the port's own name: "ge.1.12".
 */
size_t ft_interface_port_length(const char *name);

/*
 * The length of a machine's name without its domain: "leaf01.example.com" is leaf01. All of it where there is none, or
 * where it is an address: "10.0.0.1".
 */
size_t ft_machine_short_length(const char *name);

#endif
