/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Reading again what changed, on top of the last snapshot: after an event, a handful of SMPs instead of a sweep of
 * thousands. The result is what a sweep would see now, or an honest "sweep again".
 */
#ifndef FT_PROBE_REREAD_H
#define FT_PROBE_REREAD_H

#include "probe/source.h"

/* Where something changed: a switch by its LID (trap 128), or an end port by its GUID (traps 64, 65). */
struct ft_change {
	uint16_t lid;  /* 0: told by @guid */
	uint64_t guid; /* port GUID of an end port, or GUID of a switch */
	bool gone;     /* trap 65, an end port went: nothing is wrong where it is not known any more */
};

/*
 * To be called in a guarded child (guard.h): it waits for answers.
 *
 * Asked again are PortInfo of the ports of each switch named (of an end port: of the switch it hangs on), and who is
 * behind the ports that changed. From there on it goes where the changes lead: the far end of a link that broke, the
 * other links of a switch that does not answer any more, a switch that came, and all that is behind it. What can no
 * longer be reached from where the sweep began is dropped, as a sweep would not see it: a switch that lost all its
 * cables and came back by another one is found where the switch at the other end of that is named, as it is by its own
 * trap, or by the next sweep. Where nothing of a switch that is named changed, who is behind each of its ports is
 * asked: cables may have been exchanged unseen. The number of SMPs depends on the ports of the switches concerned,
 * never on the size of the fabric. Get MADs only.
 *
 * @options  as for the sweep that gave @old; deadline_ms does not count, @end_ms does
 * @old      complete or not, it stays as it is
 * @ret_snapshot  out: the merged one. source.mads, timeouts and duration_ms are those of the reading again
 * Returns 0; -ESTALE: only a full sweep can tell (an unknown LID, a switch that is linked and does not answer, a GUID
 * met twice, changes that would cost hundreds of SMPs and more than half of a sweep, …), with the reason in @err; or
 * -errno as ft_sweep().
 */
int ft_reread(const struct ft_sweep_options *options, const struct ft_snapshot *old, const struct ft_change *changes,
	      size_t change_count, int64_t end_ms, struct ft_snapshot **ret_snapshot, struct ft_error *err);

#endif
