/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The front panel of a node: its ports, the state of each, and the cable in it. Of a director: all its boards.
 */
#ifndef FT_DAEMON_PANEL_H
#define FT_DAEMON_PANEL_H

#include "probe/names.h"
#include "probe/snapshot.h"
#include "verify/model/report.h"

/*
 * Ports that share one cage of a switch, or 1: each has a cage of its own. From NDR on a cage has eight lanes, two
 * ports of 4x, and numbers count the ports cage by cage; where a switch is split, four ports of 2x. So 64 ports (65
 * with that of the aggregation node) are 32 cages of two, and 128 (129) are 32 of four; 144 are 72 of two (XDR).
 * Source: NVIDIA, "QM97X0 1U NDR 400Gbps InfiniBand Switch Systems", Interfaces.
 */
unsigned int ft_panel_cage(const struct ft_snapshot *snapshot, const struct ft_node *node);

/*
 * Writes all boards as JSON:
 *
 *     [{"name", "guid", "cage": ports that share one, "ports": [PORT, ...]}, ...]
 *     PORT = {"port": N, "state", "finding": its id, "severity", "name", "guid", "peer_port", "rate"}
 *
 * On Ethernet with "interface" and "peer_interface" too, as far as these have names. The four from "name" on are of the
 * cable in it, and left out where none is known, as "finding" and "severity" are. "state" is
 * "up", "down" (no link, and nothing is wrong with that), "missing" (a planned cable or switch is), "wrong", "slow",
 * "errors", "inactive" (a link without traffic), "silent" (the far end does not answer) or "unread".
 *
 * @names   names for nodes; NULL: their descriptions
 * @report  of @snapshot or an earlier one; NULL: none
 * @node    of @snapshot. Its board comes first, the others of its director follow by name; 4,096 ports at most
 * Returns 0 or -ENOMEM.
 */
int ft_panel_write(struct ft_text *text, const struct ft_snapshot *snapshot, const struct ft_names *names,
		   const struct ft_report *report, const struct ft_node *node);

#endif
