/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * An Ethernet fabric: in place of events and sweeps there is a directory into which every switch hands over its LLDP
 * neighbours. It is watched by inotify(7), and each change of a file is a change of the fabric.
 */
#ifndef FT_DAEMON_NEIGHBOURS_H
#define FT_DAEMON_NEIGHBOURS_H

#include <systemd/sd-event.h>

#include "planner/plan/plan.h"
#include "probe/snapshot.h"

/*
 * Watches @path. @changed is called after a file was written, renamed or deleted, and with @lost when the directory
 * itself is gone, after which the source is silent.
 *
 * Returns 0 or -errno of inotify_add_watch().
 */
typedef void ft_neighbours_changed(bool lost, void *userdata);

struct ft_neighbours;
int ft_neighbours_watch(sd_event *loop, const char *path, ft_neighbours_changed *changed, void *userdata,
			struct ft_neighbours **ret_neighbours);
void ft_neighbours_free(struct ft_neighbours *neighbours);

/*
 * In the child of a check: reads the files, gives up its rights, and parses. Returns 0 or -errno with @err filled.
 */
int ft_neighbours_take(const char *path, const struct ft_plan *plan, struct ft_snapshot **ret_snapshot,
		       struct ft_error *err);

#endif
