/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Detects links to hosts that went down between two snapshots. Single hosts have no findings of their own, so this is
 * how a faulty host cable is detected.
 */
#ifndef FT_DAEMON_LINKS_H
#define FT_DAEMON_LINKS_H

#include "probe/snapshot.h"

/*
 * Called for each switch port that led to a CA in @before, and is down in @after though its switch is there.
 *
 * @port  of @before, the switch's end
 * Returns 0, or -errno to end with.
 */
typedef int ft_link_lost(const struct ft_snapshot *before, const struct ft_port *port, void *userdata);

/*
 * Compares two live snapshots, whose nodes are in the order of their GUIDs, and calls @lost for each. Nodes with the
 * same GUID are left out, as they cannot be told apart. Linear. Returns 0, or what @lost returned.
 */
int ft_host_links_lost(const struct ft_snapshot *before, const struct ft_snapshot *after, ft_link_lost *lost,
		       void *userdata);

#endif
