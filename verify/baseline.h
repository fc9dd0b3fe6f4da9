/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The baseline: who was who when it was last seen in its place. Switches with their names, GUIDs and places in the
 * plan, the cables between them and the hosts on them, port by port. With it, what is dead or unplugged now is called
 * by the name and the ports that it had.
 *
 * It is evidence for the verifier, never more: it decides between explanations that need equally few faults, and gives
 * names. It is learned look by look (ft_baseline_learn()), and what is seen in good order always replaces what was
 * remembered. What is not seen any more stays, with the time of the last look that saw it, until something else is seen
 * in its place. So its size is bounded by the plan: one switch a place, one cable or host a port.
 */
#ifndef FT_VERIFY_BASELINE_H
#define FT_VERIFY_BASELINE_H

#include "verify/report.h"

struct ft_snapshot;

/* A switch that had a place in the plan. */
struct ft_baseline_switch {
	uint64_t guid;	  /* of a director: as the report has it */
	char *name;	  /* as the report has it: safe; owned */
	char *planned_as; /* its place: the name of a planned switch; owned */
	int64_t gone_s;	  /* Unix time of the last look that saw it, where a later one did not; 0: the last one did */
	int64_t back_s;	  /* Unix time of the look that saw it again, if that was a moment ago; 0: it was not */
};

/* For so long a switch that was missing is said to come back: its links train, one after the other. */
enum { FT_RETURNING_S = 30 };

/* A port of a switch, or of a chip of a director. */
struct ft_baseline_port {
	uint64_t guid;	/* of the node that has it */
	uint64_t owner; /* the GUID of the switch in the baseline: the same, or its director's */
	uint32_t number;
};

/* A cable that was where the plan wants one. */
struct ft_baseline_cable {
	struct ft_baseline_port ends[2];
	int64_t gone_s;
};

struct ft_baseline_host {
	uint64_t guid; /* of its port */
	char *name;    /* node description, safe; owned */
	struct ft_baseline_port at;
	int64_t gone_s;
};

struct ft_baseline {
	struct ft_baseline_switch *switches;
	struct ft_baseline_cable *cables;
	struct ft_baseline_host *hosts;
	uint32_t switch_count, cable_count, host_count;
	int64_t time_s; /* Unix time of the last look that was learned from; 0: there was none */
};

void ft_baseline_free(struct ft_baseline *baseline);
static inline void ft_baseline_freep(struct ft_baseline **baseline)
{
	ft_baseline_free(*baseline);
}

/*
 * Learns from a look: @snapshot as it was read, and what the verifier made of it.
 *
 * A switch is known by its GUID. Where the report misses planned switches, one that is known keeps the place that it
 * had: which of several that are alike is missing may have been a guess. Cables that a finding calls misplaced, swapped
 * or unplanned are not learned, and ports that they hold keep what is remembered of them.
 *
 * @baseline  in and out: NULL at first; owned by the caller. Unchanged on failure
 * Returns 1 where something changed but times, 0 where not, -ENOMEM. Cost: O(n log n) of its and the snapshot's size.
 */
int ft_baseline_learn(struct ft_baseline **baseline, const struct ft_snapshot *snapshot,
		      const struct ft_report *report);

/* As JSON {"ftcheck_baseline": 1, …} on as many lines as it has entries, and back. */
void ft_baseline_write_json(struct ft_text *text, const struct ft_baseline *baseline);

/* Returns 0, -ENOMEM, or -EINVAL with @err filled: it is damaged, or of another version. */
int ft_baseline_read_json(const char *text, size_t length, struct ft_baseline **ret_baseline, struct ft_error *err);

#endif
