/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The incremental sweep: reads again what changed, on top of the last snapshot. After an event this takes a handful of
 * SMPs instead of thousands. The result is what a full sweep would see now, or -ESTALE: a full sweep is needed.
 */
#ifndef FT_PROBE_INCREMENTAL_H
#define FT_PROBE_INCREMENTAL_H

#include "probe/source.h"

/* Where something changed: a switch by its LID (trap 128), or an end port by its GUID (traps 64, 65). */
struct ft_change {
	uint16_t lid;  /* 0: told by @guid */
	uint64_t guid; /* port GUID of an end port, or GUID of a switch */
	bool gone;     /* trap 65, an end port went out of service: no error if its place is not known any more */
};

/*
 * Called in a guarded child (guard.h), as it waits for responses.
 *
 * Reads again PortInfo of the ports of each named switch (for an end port: of its switch), and NodeInfo behind the
 * ports that changed. It then follows the changes: the far end of a broken link, the other links of a switch that no
 * longer responds, a new switch and everything behind it. Nodes that cannot be reached from the entry any more are
 * dropped, as a sweep would not see them: a switch that lost all its cables and came back by another one is found
 * through the switch at the other end of that cable, which sends a trap itself, or by the next full sweep. If nothing
 * of a named switch changed, NodeInfo behind each of its ports is read: cables may have been exchanged between two
 * sweeps. The number of SMPs depends on the ports of the switches concerned, never on the size of the fabric. Get MADs
 * only.
 *
 * @options  as for the sweep that gave @old; deadline_ms does not count, @end_ms does
 * @old      complete or not, it stays as it is
 * @ret_snapshot  out: the merged one. source.mads, timeouts and duration_ms are those of the incremental sweep
 * Returns 0; -ESTALE: a full sweep is needed (an unknown LID, a switch that is linked and does not respond, a GUID seen
 * twice, changes that would cost hundreds of SMPs and more than half of a sweep, …), with the reason in @err; or -errno
 * as ft_sweep().
 */
int ft_sweep_incremental(const struct ft_sweep_options *options, const struct ft_snapshot *old,
			 const struct ft_change *changes, size_t change_count, int64_t end_ms,
			 struct ft_snapshot **ret_snapshot, struct ft_error *err);

/*
 * The same in two parts. The first is what can be done before it is known what has changed, and most of the work: the
 * port is opened, the survey is made. The second is called once. Errors of the first are those of the whole, -ESTALE
 * too.
 *
 * @options  the strings in it must stay; @old need not
 */
struct ft_reread;
int ft_reread_open(const struct ft_sweep_options *options, const struct ft_snapshot *old, struct ft_reread **ret_reread,
		   struct ft_error *err);
int ft_reread_run(struct ft_reread *reread, const struct ft_change *changes, size_t change_count, int64_t end_ms,
		  struct ft_snapshot **ret_snapshot, struct ft_error *err);
void ft_reread_free(struct ft_reread *reread);
static inline void ft_reread_freep(struct ft_reread **reread)
{
	ft_reread_free(*reread);
}

#endif
