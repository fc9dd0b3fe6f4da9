/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/neighbours.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>

#include "probe/confine.h"
#include "probe/lldp_directory.h"
#include "probe/snapshot_build.h"
#include "verify/model/ethernet.h"

struct ft_neighbours {
	sd_event_source *source;
	ft_neighbours_changed *changed;
	void *userdata;
};

/* Files that are being written change nothing until they are closed or renamed. */
enum {
	CHANGES = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE,
	LOSSES = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT,
};

static int on_change(sd_event_source *source, const struct inotify_event *event, void *userdata)
{
	struct ft_neighbours *neighbours = userdata;
	bool lost = event->mask & LOSSES;

	if (lost)
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	/* The callee may free all of this. */
	neighbours->changed(lost, neighbours->userdata);
	return 0;
}

int ft_neighbours_watch(sd_event *loop, const char *path, ft_neighbours_changed *changed, void *userdata,
			struct ft_neighbours **ret_neighbours)
{
	struct ft_neighbours *neighbours = calloc(1, sizeof(*neighbours));
	int r;

	if (!neighbours)
		return -ENOMEM;
	*neighbours = (struct ft_neighbours){.changed = changed, .userdata = userdata};
	r = sd_event_add_inotify(loop, &neighbours->source, path, CHANGES | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR,
				 on_change, neighbours);
	if (r < 0) {
		free(neighbours);
		return r;
	}
	*ret_neighbours = neighbours;
	return 0;
}

void ft_neighbours_free(struct ft_neighbours *neighbours)
{
	if (!neighbours)
		return;
	sd_event_source_disable_unref(neighbours->source);
	free(neighbours);
}

int ft_neighbours_take(const char *path, const struct ft_plan *plan, struct ft_snapshot **ret_snapshot,
		       struct ft_error *err)
{
	_cleanup_(ft_lldp_files_release) struct ft_lldp_files files = {0};
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	size_t faults = 0;
	int r = ft_lldp_directory_read(path, &files, err);

	if (r < 0)
		return r;
	ft_confine();
	if (files.count == 0)
		return ft_error_set(err, -ENODATA, 0, 0,
				    "%s has no neighbors: lldpcli show neighbors -f json > %s/%s.json", path, path,
				    "MACHINE");
	r = ft_lldp_directory_parse(&files, &snapshot, &faults, err);
	if (r == 0 && faults == files.count)
		return ft_error_set(err, -EINVAL, 0, 0, "no file in %s is a recording of neighbors", path);
	if (r == 0)
		r = ft_ethernet_fit(plan, snapshot);
	if (r == 0)
		r = ft_snapshot_set_detail(snapshot, path);
	if (r < 0)
		return r;
	snapshot->source.live = true;
	snapshot->source.time_s = (int64_t)time(NULL);
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}
