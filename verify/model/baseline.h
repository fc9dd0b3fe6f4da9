/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The baseline: the last known good state. Switches with their names, GUIDs and places in the plan, the cables between
 * them and the hosts on them, port by port. It gives a dead or unplugged device the name and the ports that it had.
 *
 * It is only evidence for the verifier: it decides between explanations with equally few faults, and gives names.
 * ft_baseline_learn() updates it from each check: correct entries observed now always replace older ones. Entries not
 * observed any more stay, with the time of the last check that saw them, until something else is observed in their
 * place. So its size is bounded by the plan: one switch a place, one cable or host a port.
 */
#ifndef FT_VERIFY_MODEL_BASELINE_H
#define FT_VERIFY_MODEL_BASELINE_H

#include "base/arena.h"
#include "verify/model/report.h"

struct ft_snapshot;

/* A switch that had a place in the plan. */
struct ft_baseline_switch {
	uint64_t guid;	      /* of a director: as in the report */
	char *name;	      /* as in the report: safe */
	char *planned_as;     /* its place: the name of a planned switch */
	int64_t gone_s;	      /* Unix time of the last check that saw it before it went; 0: it is whole */
	int64_t back_s;	      /* Unix time of the check that saw it return; 0: all its cables are back since */
	int64_t hosts_back_s; /* likewise; 0: all its hosts are back since */
};

/* A switch chip of a director. */
struct ft_baseline_chip {
	uint64_t guid;
	char *name;	/* node description, safe */
	uint64_t owner; /* the GUID of its director in the baseline */
	int64_t gone_s; /* Unix time of the last check that saw it before it went; 0: it is whole */
	int64_t back_s; /* Unix time of the check that saw it return; 0: it is gone, or whole */
};

/* Of a switch or a chip, by its two times. */
static inline bool ft_baseline_is_gone(int64_t gone_s, int64_t back_s)
{
	return gone_s && !back_s;
}

/* A port of a switch, or of a chip of a director. */
struct ft_baseline_port {
	uint64_t guid;	/* GUID of the node that has the port */
	uint64_t owner; /* the GUID of the switch in the baseline: the same, or its director's */
	uint32_t number;
};

/* A cable that was observed in its planned place, or a trace: between two chips of one director. */
struct ft_baseline_cable {
	struct ft_baseline_port ends[2]; /* in the order of ft_baseline_cable_order() */
	int64_t gone_s;
};

/* True if @cable went with the switch or chip at its end that went at @gone_s, or later, and is to come back with it.
 */
static inline bool ft_baseline_cable_went_with(const struct ft_baseline_cable *cable, int64_t gone_s)
{
	return cable->gone_s == 0 || (gone_s && cable->gone_s >= gone_s);
}

struct ft_baseline_host {
	uint64_t guid; /* of its port */
	char *name;    /* node description, safe */
	struct ft_baseline_port at;
	int64_t gone_s;
};

struct ft_baseline {
	struct ft_baseline_switch *switches;
	struct ft_baseline_chip *chips;	  /* by GUID */
	struct ft_baseline_cable *cables; /* in the order of their first ends: by GUID and port number */
	struct ft_baseline_host *hosts;	  /* likewise, by their ports */
	uint32_t switch_count, chip_count, cable_count, host_count;
	int64_t time_s;		/* Unix time of the last check learned from; 0: none */
	char plan_hash[65];	/* of the plan that all was once as; "": none, and the places may be those of likes */
	struct ft_arena memory; /* of all lists and names */
};

void ft_baseline_free(struct ft_baseline *baseline);
static inline void ft_baseline_freep(struct ft_baseline **baseline)
{
	ft_baseline_free(*baseline);
}

/*
 * Learns from a check: @snapshot as it was read, and the verifier's report.
 *
 * Entries of another plan stay only if every known switch has its former place in this one. A switch is identified by
 * its GUID. Cables that a finding calls misplaced, swapped or unplanned are not learned, and
 * their ports keep their entries.
 *
 * @baseline     in and out: NULL at first; owned by the caller. Unchanged on failure
 * @returning_s  for so long a board that was gone is coming back; 0: FT_RETURNING_S
 * Returns 2 if a switch or a chip went, came back or is whole again, 1 if anything else but times changed, 0 if not,
 * -ENOMEM. Cost: O(n log n) in its and the snapshot's size.
 */
int ft_baseline_learn(struct ft_baseline **baseline, const struct ft_snapshot *snapshot, const struct ft_report *report,
		      uint32_t returning_s);

/* Exchanges the ends if the second one's GUID, or else its port number, is less. */
void ft_baseline_cable_order(struct ft_baseline_cable *cable);

/* As JSON {"ftcheck_baseline": 1, …}, one line for each entry, and back. */
void ft_baseline_write_json(struct ft_text *text, const struct ft_baseline *baseline);

/* Returns 0, -ENOMEM, or -EINVAL with @err filled: it is damaged, or of another version. */
int ft_baseline_read_json(const char *text, size_t length, struct ft_baseline **ret_baseline, struct ft_error *err);

#endif
