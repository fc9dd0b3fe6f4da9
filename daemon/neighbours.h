/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * An Ethernet fabric: in place of events and sweeps there is a directory into which every switch hands over its LLDP
 * neighbours. It is watched by inotify(7), and each change of a file is a change of the fabric. Or there is a command
 * that prints the neighbours of all of them, and each run is a sweep.
 */
#ifndef FT_DAEMON_NEIGHBOURS_H
#define FT_DAEMON_NEIGHBOURS_H

#include <stdbool.h>
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

struct ft_neighbours_source {
	const char *directory; /* NULL: none */
	const char *command;   /* for sh(1); NULL: none */
	uint32_t max_age_ms;   /* of a file; 0: any */
};

static inline bool ft_neighbours_is_set(const struct ft_neighbours_source *source)
{
	return source->directory || source->command;
}

/*
 * In the child of a check: reads the files or what the command prints, gives up its rights, and parses. The command and
 * all that it starts is killed at the end of the time.
 *
 * @end_ms  on the clock of ft_guard_now_ms()
 * Returns 0 or -errno with @err filled.
 */
int ft_neighbours_take(const struct ft_neighbours_source *source, const struct ft_plan *plan, int64_t end_ms,
		       struct ft_snapshot **ret_snapshot, struct ft_error *err);

#endif
