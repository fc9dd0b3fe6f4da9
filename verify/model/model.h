/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Shared by all parts of the verifier: the fabric as a graph of switches, the assignment of observed switches to
 * planned ones, and the findings under construction. Private to verify/. Nothing here does I/O or keeps state of its
 * own.
 *
 * The steps, in the order in which steps/verify.c takes them; each fills its part of struct ft_model and reads those
 * above:
 *
 *   director/  the chips of a director become one switch, where the plan has directors (chassis.h)
 *   model/     observed.c: switches, cables and hosts of what was seen
 *   match/     who is who: places in the plan (bind.c, assign.h), listed hosts (listed_hosts.c), switches that the
 *              plan knows by another name only (aliases.c); and what port numbers are used for (port_use.c)
 *   explain/   the fewest faults that explain the difference: what is cut off (apart.c), what was not seen
 *              (unseen.c), insides of directors (director/inside.c), cables by pairs of places (pairing.c)
 *              or, where the plan says which port is whose, by port (trails.c)
 *   check/     what needs no explanation, only a look: rates, hosts, identities, subnet managers, counters
 *   measure/   the figures: cables, switches, blocking, distances, bisections (figures.c)
 *   check/     foreign.c: whether the design is that of this fabric at all: if not, only the last step follows
 *   routes/    where the forwarding tables lead, if there are any
 *   measure/   the impact of findings (impact.c)
 *   model/     findings.c: ids, waivers, the order, the verdict
 *
 * Where the matching leaves several assignments, steps/verify.c repeats the steps up to the figures for each, and keeps
 * the one with the fewest faults. Where phases of the design are not over, it repeats them with the plan that is due
 * (build/due.c). repair/ repeats all of them on a fabric in which a finding is repaired; measure/failures.c takes a
 * finished model, and computes the effect of further failures.
 *
 * Words, here and in the rooms above:
 *
 *   place         a planned switch, by its number here; an observed switch is seated in it, or has none
 *   told          known by a name, a GUID or a binding, not only by cables
 *   beside        of a switch: it hangs on the tree, as an island does, and has no rank in it
 *   cell          a pair of places with planned or observed cables; its width is the number of planned ones
 *   surplus       a cable between two places that the plan does not have there, or one more than it has
 *   dark          of a port: down. Silent: up, and the far end does not answer. Unread: its state is not known
 *   hazy          of a port: silent or unread, so that a cable may be there unseen
 *   claimed       of a port: a finding names it already, and no other one may
 *   trace         a connection between two chips of a director, inside of it
 *   unjudged      of a cable: it is not seen, and may be there
 */
#ifndef FT_VERIFY_MODEL_MODEL_H
#define FT_VERIFY_MODEL_MODEL_H

#include <stdarg.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/numbers.h"
#include "base/text.h"
#include "planner/plan/wiring.h"
#include "probe/facts.h"
#include "verify/model/chassis.h"
#include "verify/model/report.h"
#include "verify/model/verify.h"
#include "verify/model/words.h"

struct ft_capacity;

/* An observed switch. */
struct ft_observed_switch {
	uint32_t node; /* index into the snapshot's nodes */
	uint64_t guid;
	uint32_t ports;	      /* ports as the plan counts them: of a director, without those beyond its numbering */
	uint32_t lost_ports;  /* of a director: ports lost with missing boards, whose cables are not missing by
				 themselves */
	char *name;	      /* its description made safe; owned */
	char *label;	      /* its name in the report, with GUID and hosts where names repeat; owned */
	char *host_names;     /* "node055-node072"; owned */
	uint32_t first_cable; /* its cables: ft_ends_of(), a loopback twice, alike */
	uint32_t cable_count;
	uint32_t hosts; /* host ports cabled to it */
	uint32_t first_host,
		end_host; /* them: observed.hosts[first_host … end_host), by port; of a tolerated one none */
	uint32_t silent;  /* ports that are up and whose far end does not answer */
	uint32_t unread;  /* ports of which nothing is known */
	uint32_t unheard; /* of those two, the ones that no finding explains (explain/unseen.c): what is behind is not
			     known */
	uint32_t part;	  /* connected part of the fabric, numbered from 0 */
	uint32_t kind;	  /* of its place; without one, of the switches that it looks like */
	bool regular;	  /* its port numbers are used as on others of its kind */
	uint32_t planned; /* its place, or FT_NONE */
	uint32_t rival;	  /* another place that would explain as much, or FT_NONE */
	bool tolerated;	  /* the design expects it without planning it: no place, no hosts of the plan, no finding */
};

/* A cable between two switches. Ports are indices into the snapshot's ports. */
struct ft_observed_cable {
	uint32_t a, b; /* observed switches */
	uint32_t a_port, b_port;
};

/* A cable as seen from one of its switches, @near. */
struct ft_cable_end {
	uint32_t cable;		 /* observed cable */
	uint32_t port, far_port; /* as there */
	uint32_t near, far;	 /* observed switches */
};

/* A host's port and the switch port it is cabled to. */
struct ft_observed_host {
	uint32_t observed; /* the switch */
	uint32_t port;	   /* the host's port: index into the snapshot's ports */
	uint32_t switch_port;
};

struct ft_observed_fabric {
	struct ft_observed_switch *switches; /* and one more, after the last: of it only first_cable is set */
	uint32_t switch_count;
	struct ft_observed_cable *cables;
	uint32_t cable_count;
	struct ft_cable_end *ends; /* grouped by switch, in the order of its ports */
	struct ft_observed_host *hosts;
	uint32_t host_count;
	uint32_t *switch_of_node; /* by snapshot node: the observed switch, or FT_NONE */
	uint32_t part_count;
	uint32_t entry; /* the observed switch the sweep began on or next to, or FT_NONE */
};

/* The usual use of a port number, learned from all switches of a group. */
struct ft_port_habit {
	/*
	 * The roles (match/port_use.c) of what links with this port number lead to, or FT_NONE, and how many lead
	 * there: all roles that a third or more have are among them.
	 */
	struct {
		uint32_t peer, votes;
	} of[2];
	uint32_t links; /* number of links to switches */
	uint32_t hosts; /* number of host ports */
};

/* The range of port numbers that lead to switches, and to hosts; low FT_NONE: none does. */
struct ft_port_ranges {
	uint32_t link_low, link_high, host_low, host_high;
	bool mixed; /* hosts and uplinks may be in any port: the number does not indicate its use */
};

/* A neighbour of a place, by a planned or an observed cable. */
struct ft_pair {
	uint32_t peer; /* its place */
	uint32_t cell; /* the index of the pair among the cells */
};

/*
 * The pairs of places with cables, planned or (after the matching) observed: a multigraph in compressed rows. Cells are
 * numbered by the lower of the two places, then by the higher. All pairs without cables share the cell after the last,
 * which is never written.
 */
struct ft_cells {
	uint32_t count;
	uint32_t *first;       /* by place: its first pair; of [place_count] the end of all */
	struct ft_pair *pairs; /* of each place, in the order of their peers */
	uint32_t (*ends)[2];   /* by cell: its two places, the lower one first */
	uint32_t *width;       /* by cell: planned cables */
	uint32_t *seen;	       /* by cell: cables seen between the switches matched to them */
	uint32_t *foreign;     /* by cell: of the cables seen, those that belong elsewhere though the count is right */
	uint32_t *unjudged;    /* by cell: cables that could not be judged */
};

/* The fate of a host that the plan lists. */
enum ft_host_fate {
	FT_HOST_SEEN,	   /* seen, in its planned place or elsewhere */
	FT_HOST_MISSING,   /* not seen, though its place was */
	FT_HOST_UNDECIDED, /* several nodes have its name, or its place was not seen */
};

/*
 * Ports and hosts, if the plan gives the planned port of each cable (port_map.c, match/listed_hosts.c); else all NULL
 * and 0.
 */
struct ft_port_map {
	uint32_t *first;  /* by place, and one more: port number n of the place is entry first + n */
	uint32_t *cable;  /* by entry: index into plan->cables, or FT_NONE */
	bool *loose;	  /* by place: it has cables whose own port the plan does not give */
	bool *gone;	  /* by index into plan->cables: lost with a board of a director, and reported with it */
	uint32_t shifted; /* cables counted as up that are in another port than planned */

	/* Evidence of ports for the assignment (match/port_votes.c). */
	uint32_t a_ports, b_ports; /* the highest of each */
	uint32_t *key;		   /* by a_port * (b_ports + 1) + b_port: where the planned cables with these begin */
	uint32_t *by_a, *by_b;	   /* of these: the places of their ends */
	uint32_t *votes;	   /* scratch: by place, all 0 */
	uint32_t *home;		   /* by observed host: its planned edge, or FT_NONE */
	uint32_t *named_at;	   /* by place: the place whose name or binding its switch carries, if another */

	uint32_t *listed;  /* by observed host: index into plan->hosts, or FT_NONE */
	uint32_t *host_of; /* by index into plan->hosts: the observed host, or FT_NONE */
	uint8_t *fate;	   /* likewise: enum ft_host_fate */
	uint32_t *belongs; /* by observed host: its planned place, if that is elsewhere: index into plan->hosts */
	bool *told;	   /* by observed host: a finding reports that it is elsewhere */
	int32_t *away; /* by place: its planned hosts that are elsewhere, minus observed hosts that belong elsewhere */
};

/* What the baseline remembers, held beside what is seen (recall.h): all NULL where there is no baseline. */
struct ft_recall {
	const struct ft_baseline *baseline;
	uint32_t *place_of;	  /* by observed switch: the place that it had, or FT_NONE */
	uint32_t *switch_at;	  /* by place: the baseline's switch that was there, or FT_NONE */
	uint32_t *place_known;	  /* by switch of the baseline: its place, or FT_NONE */
	uint32_t *observed_known; /* likewise: the observed switch, or FT_NONE */
	uint32_t *owner;   /* by end of the baseline's cables, then by host: its switch in the baseline, or FT_NONE */
	uint32_t *far;	   /* by port of m->chips: the end that its cable leads to, or its own of a host, or FT_NONE */
	uint32_t *port_of; /* by end: the port of m->chips, or FT_NONE */
	uint32_t *chip_of; /* by node of m->chips: the chip of the baseline that it was, or FT_NONE */
	uint32_t *chip_node;	   /* the reverse */
	uint32_t *chip_first;	   /* by switch of the baseline: the first chip of it in the baseline, or FT_NONE */
	uint32_t *chip_next;	   /* by chip of the baseline: the next one of that switch, or FT_NONE */
	bool *host_gone;	   /* by host of the baseline: it is not seen anywhere */
	uint32_t *gone;		   /* these, by the observed switch that they were on: ft_recall_hosts_gone() */
	uint32_t *gone_first;	   /* by observed switch, and one more: where its own begin in @gone */
	uint32_t *hosts_returning; /* by place: hosts that a switch which came back still lacks, and had; NULL: not yet
				      known */
};

struct ft_model {
	/* Inputs (steps/verify.c). */
	const struct ft_verify_input *input;
	const struct ft_design *design;
	const struct ft_plan *plan; /* or @resolved */
	/*
	 * Where phases of the design are not over: the plan without what is not due and not there (build/due.c), owned,
	 * or NULL. It has the switches of the input's plan, in its order; @not_due marks those that are not there yet.
	 */
	struct ft_plan *due;
	bool *not_due;
	const struct ft_plan *unresolved; /* what @resolved is a copy of */
	struct ft_plan *resolved; /* a copy with each alias replaced by the switch it means (match/aliases.c), or NULL:
				     it has no aliases */
	const struct ft_snapshot *chips; /* as it was read: a director is its chips */
	const uint32_t *chip_order;	 /* its nodes by GUID (observed.c) */
	const char *today;
	const struct ft_words *words; /* of the technology of @chips (words.h) */

	struct ft_arena memory; /* all that the model owns below, unless it says who frees it. Where an allocation
				   failed, also one of something else, it tells so, and no report is made */

	/* The observed fabric (director/chassis.c, observed.c). */
	struct ft_chassis *chassis;	    /* NULL: the plan has no directors */
	const struct ft_snapshot *snapshot; /* each switch one node, directors too */
	const struct ft_snapshot *since;    /* as in the input */
	const uint32_t *origin; /* by port of @snapshot: the port of @chips, or FT_NONE where the board of the port was
				   not seen; NULL: the two snapshots are one */
	bool unseated;		/* the order of line boards without names is assumed: their ports are no evidence yet */
	struct ft_observed_fabric observed;

	/*
	 * The plan (match/match.c, cells.c). A planned switch has a place: its number here. Those of rank 0, the
	 * edges, come first, and those beside the tree last; otherwise they are in the plan's order. Any two may be
	 * cabled to each other.
	 */
	const struct ft_plan_switch **places; /* [place_count] */
	uint32_t *place_of;		      /* by index into plan->switches */
	uint32_t place_count, edges;
	bool linked;	   /* the plan has cables between switches */
	uint32_t *network; /* by place: its connected component in the plan, numbered from 0 */
	uint32_t network_count;
	struct ft_cells cells;

	/* The assignment (match/match.c and its steps). */
	uint32_t *observed_of; /* by place: the observed switch, or FT_NONE */
	uint32_t *named;       /* by observed switch: the place whose name it carries, or FT_NONE */
	uint32_t *bound;       /* by observed switch: the place that the design binds its GUID or name to, or FT_NONE */
	bool names_lost;       /* most switches have the name of another one, and none is one that the design binds */
	bool *replaced;	       /* by place: bound to a GUID or name other than that of its switch */
	bool *kind_named;      /* by kind: every observed switch of it carries its planned name */

	/*
	 * Other assignments with about as few faults, by observed switch its place, one after the other
	 * (match/thorough.c); steps/verify.c explains each and takes the one with the fewest. That one is @given then,
	 * not owned, or NULL.
	 */
	uint32_t *others;
	uint32_t other_count;
	const uint32_t *given;

	/* Evidence from the baseline (recall.c). */
	struct ft_recall recall;

	/* Ports and hosts that the plan lists (port_map.c). */
	struct ft_port_map port_map;

	/*
	 * What port numbers are used for (match/port_use.c). A group is switches of one kind that are wired
	 * alike.
	 */
	uint32_t *group; /* by place */
	uint32_t group_count;
	uint32_t *members;	       /* by group: the switches of it that were seen */
	uint32_t *roles;	       /* by entry of cells.pairs: the role of the peer for the place */
	uint32_t habit_ports;	       /* above all port numbers in use */
	struct ft_port_habit *habits;  /* [group_count][habit_ports] */
	struct ft_port_ranges *ranges; /* [group_count] */
	bool *regular;		       /* by kind: it is wired by a pattern of port numbers */

	/* Results of the explanation (explain/explain.c and its steps). */
	enum ft_status *status; /* by place; of those that were seen, measure/figures.c sets it */
	bool *port_claimed;	/* by snapshot port: named by a finding already */
	bool *trace_claimed;	/* by port of @chips, where there are directors: likewise */
	uint32_t *holes;	/* by snapshot port: the place that a dark one led to (explain/port_holes.c); or NULL */
	bool *misplaced;	/* by observed cable: not where it belongs */
	uint32_t hosts_new;	/* hosts that the recording, where there is one, does not have */
	uint32_t hosts_behind;	/* hosts that are known to have gone with boards of directors */
	bool cut_off;		/* the sweep began on an edge without a way to any core: nothing else can be judged */

	struct ft_capacity *capacity; /* the capacity of the plan (capacity.h); computed by measure/figures.c */

	/* The findings, and all figures (findings.c, measure/figures.c). */
	struct ft_report *report;
	size_t findings_max; /* findings beyond this number are counted in @unsaid, but not kept */
	uint32_t unsaid;
	bool match_unfinished;	 /* the matching could not be searched to the end (match/assign.h) … */
	bool match_contradicted; /* … and many switches do not have the neighbours of their places */
	uint32_t surplus_cables; /* cables whose planned place was searched for (explain/pairing.c) */
	bool untried;		 /* a limit of work ended that search early */
	bool holes_untried;	 /* missing cables are too many to look for their ports (explain/port_holes.c) */
	struct ft_finding lost;	 /* where a finding goes that could not be allocated, or is not kept */
};

/* steps/verify.c: frees all that the model owns, the report included, but not its inputs. */
void ft_model_release(struct ft_model *m);

static inline struct ft_observed_switch *ft_observed_at(const struct ft_model *m, uint32_t planned)
{
	return m->observed_of[planned] == FT_NONE ? NULL : &m->observed.switches[m->observed_of[planned]];
}

/* The place of an observed switch; of none, or of one that is not planned, FT_NONE. */
static inline uint32_t ft_place_of(const struct ft_model *m, uint32_t observed)
{
	return observed == FT_NONE ? FT_NONE : m->observed.switches[observed].planned;
}

/* What the report calls the switch in a place: as it was seen, else by its name in the plan. */
static inline const char *label_of(const struct ft_model *m, uint32_t place)
{
	const struct ft_observed_switch *sw = ft_observed_at(m, place);

	return sw ? sw->label : m->places[place]->name;
}

/* The index of a place among the plan's switches. */
static inline uint32_t ft_plan_index(const struct ft_model *m, uint32_t place)
{
	return (uint32_t)(m->places[place] - m->plan->switches);
}

static inline bool ft_status_is_gone(enum ft_status status)
{
	return status == FT_STATUS_ISOLATED || status == FT_STATUS_MISSING;
}

/* Observed switch @observed stands in @place, which is free, from now on. */
static inline void ft_observed_seat(struct ft_model *m, uint32_t observed, uint32_t place)
{
	m->observed_of[place] = observed;
	m->observed.switches[observed].planned = place;
	m->observed.switches[observed].kind = m->places[place]->kind;
}

/* The pairs of place @p, up to those of @p + 1. */
static inline const struct ft_pair *ft_pairs_of(const struct ft_model *m, uint32_t p)
{
	return m->cells.pairs + m->cells.first[p];
}

/* Visits them: @pair points to one after the other. */
#define ft_each_pair(pair, m, p) \
	for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, (p) + 1); pair++)

/* The pair of place @p whose peer is @q, or NULL. O(log neighbours). */
static inline const struct ft_pair *ft_pair_at(const struct ft_model *m, uint32_t p, uint32_t q)
{
	const struct ft_pair *low = ft_pairs_of(m, p), *end = ft_pairs_of(m, p + 1), *high = end;

	while (low < high) {
		const struct ft_pair *middle = low + (high - low) / 2;

		if (middle->peer < q)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && low->peer == q ? low : NULL;
}

/* The cell of two places, in either order; cells.count if they are equal or have no cables. */
static inline uint32_t ft_cell_at(const struct ft_model *m, uint32_t p, uint32_t q)
{
	const struct ft_pair *pair = p == q ? NULL : ft_pair_at(m, p < q ? p : q, p < q ? q : p);

	return pair ? pair->cell : m->cells.count;
}

/* Planned cables between two places, in either order. */
static inline uint32_t ft_width_at(const struct ft_model *m, uint32_t p, uint32_t q)
{
	return m->cells.width[ft_cell_at(m, p, q)];
}

/* True if both switches of a cell were seen. */
static inline bool ft_cell_is_seen(const struct ft_model *m, uint32_t cell)
{
	return m->observed_of[m->cells.ends[cell][0]] != FT_NONE && m->observed_of[m->cells.ends[cell][1]] != FT_NONE;
}

/* The observed switch that has a port of the snapshot, or FT_NONE: it is a host's. */
static inline uint32_t ft_observed_of_port(const struct ft_model *m, uint32_t port)
{
	return m->observed.switch_of_node[m->snapshot->ports[port].node];
}

/* The rate of the cable at a port of the snapshot. */
static inline struct ft_rate ft_cable_rate(const struct ft_model *m, uint32_t port)
{
	return ft_rate_seen(m->snapshot, &m->snapshot->ports[port]);
}

/* The place of that switch, or FT_NONE. */
static inline uint32_t ft_place_of_port(const struct ft_model *m, uint32_t port)
{
	return ft_place_of(m, ft_observed_of_port(m, port));
}

static inline const struct ft_plan_kind *ft_kind_at(const struct ft_model *m, uint32_t place)
{
	return &m->plan->kinds[m->places[place]->kind];
}

/* The rank: steps up from the hosts. Without ranks in the plan, 0 for switches with hosts and 1 for others. */
static inline uint32_t ft_rank_of_kind(const struct ft_plan *plan, uint32_t kind)
{
	if (plan->kinds[kind].rank == FT_NONE)
		return !plan->kinds[kind].may_host;
	return plan->kinds[kind].rank;
}

/* The rank of a place; places of rank 0 are those before m->edges. */
static inline uint32_t ft_rank_of(const struct ft_model *m, uint32_t place)
{
	return ft_rank_of_kind(m->plan, m->places[place]->kind);
}

static inline uint32_t ft_rank_of_observed(const struct ft_model *m, uint32_t observed)
{
	return ft_rank_of_kind(m->plan, m->observed.switches[observed].kind);
}

/* True for a switch that hangs on the tree, as an island does: it has no rank, and is in none of the tree's figures. */
static inline bool ft_is_beside(const struct ft_model *m, uint32_t place)
{
	return ft_kind_at(m, place)->beside;
}

/* The plan has hosts on switches of that place, now or later. */
static inline bool ft_may_host(const struct ft_model *m, uint32_t place)
{
	return place < m->edges || m->places[place]->hosts > 0 || ft_is_beside(m, place);
}

/* Hosts on switches of the tree; those of an unplanned switch are its own. */
static inline uint32_t ft_hosts_found(const struct ft_model *m)
{
	uint32_t found = 0;

	for (uint32_t p = 0; p < m->place_count; p++)
		found += m->observed_of[p] != FT_NONE && !ft_is_beside(m, p) ? ft_observed_at(m, p)->hosts : 0;
	return found;
}

/* What the design binds switches of that kind by. */
static inline const struct ft_bind *ft_bind_of(const struct ft_model *m, uint32_t place)
{
	static const struct ft_bind none = {0};

	if (ft_is_beside(m, place))
		return &none;
	return ft_plan_bind(m->design, m->plan, ft_plan_index(m, place));
}

/* True where a name, a GUID or a binding tells that @observed is the switch in that place. */
static inline bool ft_is_told(const struct ft_model *m, uint32_t observed, uint32_t place)
{
	return m->named[observed] == place || m->places[place]->guid || ft_bind_of(m, place)->count > 0;
}

/* The place that @observed is bound to or, if to none, whose name it carries; or FT_NONE. */
static inline uint32_t ft_told_place(const struct ft_model *m, uint32_t observed)
{
	return m->bound[observed] != FT_NONE ? m->bound[observed] : m->named[observed];
}

/* Ports for hosts of a planned switch, connected now or not. */
static inline uint32_t ft_host_ports_of(const struct ft_model *m, uint32_t place)
{
	return ft_plan_host_ports(m->plan, ft_plan_index(m, place));
}

/* "edge", "leaf": the word before "switch" for a planned switch; "" if there is none. */
static inline const char *ft_kind_of(const struct ft_model *m, uint32_t place)
{
	return ft_plan_kind_name(m->plan, ft_plan_index(m, place));
}

/* match/match.c: "edge switch", "leaf switch", or "switch" alone. */
enum { FT_KIND_WORDS_SIZE = 128 };
const char *ft_kind_words(const struct ft_model *m, uint32_t place, char buffer[FT_KIND_WORDS_SIZE]);

/*
 * director/seats.c: the positions of the chips of line boards by their cables, after the assignment: by node of
 * m->chips, for ft_chassis_find(); the caller frees it. NULL: nothing was assumed. 0 or -ENOMEM.
 */
int ft_seats_tell(const struct ft_model *m, struct ft_seat **ret_seats);

/*
 * findings.c: takes steps in their order, until one fails or memory ran out. Returns 0, or the first failure: -ENOMEM,
 * or -ERANGE (verify.h: wrong_most).
 */
typedef int ft_step_fn(struct ft_model *m);
int ft_steps_take(struct ft_model *m, ft_step_fn *const steps[], size_t count);

/* The director that an observed switch is, or NULL. */
const struct ft_director *ft_director_of(const struct ft_model *m, uint32_t observed);

static inline bool ft_observed_is_director(const struct ft_model *m, uint32_t observed)
{
	return m->origin && ft_director_of(m, observed);
}

/* The port as it was read; FT_NONE where its board was not seen. */
static inline uint32_t ft_port_origin(const struct ft_model *m, uint32_t port)
{
	return m->origin ? m->origin[port] : port;
}

static inline uint32_t ft_port_number(const struct ft_model *m, uint32_t port)
{
	return m->snapshot->ports[port].number;
}

/* True for an outer port of a director, numbered by an assumed order of its boards. */
static inline bool ft_port_is_unseated(const struct ft_model *m, uint32_t port)
{
	const struct ft_chip *chip;

	if (!m->unseated || m->origin[port] == FT_NONE)
		return false;
	chip = ft_chip_of(m->chassis, m->chips->ports[m->origin[port]].node);
	return chip && chip->line && !chip->named;
}

/* The cables of an observed switch, up to those of the next one. */
static inline const struct ft_cable_end *ft_ends_of(const struct ft_model *m, uint32_t observed)
{
	return m->observed.ends + m->observed.switches[observed].first_cable;
}

/* Visits them: @end points to one after the other. */
#define ft_each_end(end, m, observed) \
	for (const struct ft_cable_end *end = ft_ends_of(m, observed); end < ft_ends_of(m, (observed) + 1); end++)

/* The place of the switch at the far end, or FT_NONE. */
static inline uint32_t ft_place_behind(const struct ft_model *m, const struct ft_cable_end *end)
{
	return m->observed.switches[end->far].planned;
}

/* observed.c: adds what switch @node of m->chips is called: its label, or of a chip in a fabric of directors its name.
 */
void ft_node_name_add(const struct ft_model *m, uint32_t node, struct ft_text *text);

/* observed.c: the switches, cables and hosts of the snapshot; 0 or -ENOMEM. */
int ft_observed_build(struct ft_model *m);

/*
 * The short name of a switch: "MF0;leaf07:MQM8700/U1", the form of the vendor's switch software (unit; name : model /
 * unit), is leaf07. Anything else is left as it is. A new string; NULL where memory ran out.
 */
char *ft_switch_short_name(const char *name);

/* cells.c: the pairs, as far as there are places and switches in them; what there was before is gone. 0 or -ENOMEM. */
int ft_cells_build(struct ft_model *m);

/* port_map.c: the planned ports; requires the places. 0 or -ENOMEM. */
int ft_port_map_init(struct ft_model *m);

/* True if the plan gives the port at @place of each cable. */
static inline bool ft_port_map_knows(const struct ft_model *m, uint32_t place)
{
	return m->port_map.first && place != FT_NONE && !m->port_map.loose[place];
}

/* The planned cable in this port of @place: an index into plan->cables, or FT_NONE. */
static inline uint32_t ft_port_map_cable(const struct ft_model *m, uint32_t place, uint32_t number)
{
	const struct ft_port_map *e = &m->port_map;

	if (!e->first || place == FT_NONE || number >= e->first[place + 1] - e->first[place])
		return FT_NONE;
	return e->cable[e->first[place] + number];
}

/* The place that this cable leads to from @place. */
static inline uint32_t ft_port_map_far(const struct ft_model *m, uint32_t cable, uint32_t place)
{
	const struct ft_plan_cable *c = &m->plan->cables[cable];

	return m->place_of[c->a] == place ? m->place_of[c->b] : m->place_of[c->a];
}

/* match/listed_hosts.c: assigns observed hosts to listed ones. 0 or -ENOMEM. */
int ft_port_map_hosts(struct ft_model *m);

/*
 * match/listed_hosts.c, before the assignment: the planned edge of each observed host, m->port_map.home, from names and
 * GUIDs alone. 0 or -ENOMEM.
 */
int ft_port_map_homes(struct ft_model *m);

/* Hosts of a place whose switch was seen, each listed one counted where the plan has it, not where it was seen. */
uint32_t ft_port_map_host_count(const struct ft_model *m, uint32_t place);

/*
 * match/port_use.c: the groups of switches that are wired alike, with empty tables of what they use port numbers for;
 * and, once all switches have places, the contents of these. 0 or -ENOMEM.
 */
int ft_habits_init(struct ft_model *m);
int ft_habits_learn(struct ft_model *m);

/* True if the port is one for hosts: other switches use it so, or it lies in the range of host ports. */
bool ft_port_is_hosts(const struct ft_model *m, uint32_t observed, uint32_t port_number);
const struct ft_port_ranges *ft_port_ranges_of(const struct ft_model *m, uint32_t observed);

/* [habit_ports]: the use of port numbers on switches like @observed. */
const struct ft_port_habit *ft_habits_of(const struct ft_model *m, uint32_t observed);

/* True if switches like @observed use ports of this number for any single planned switch. */
bool ft_port_has_use(const struct ft_model *m, uint32_t observed, uint32_t port_number);

/*
 * The number of other switches like @observed that use this port number for planned switch @peer, if most of them do.
 * 0: they do not, or they are wired without a pattern.
 */
uint32_t ft_port_votes(const struct ft_model *m, uint32_t observed, uint32_t port_number, uint32_t peer);

static inline bool ft_port_usual(const struct ft_model *m, uint32_t observed, uint32_t port_number, uint32_t peer)
{
	return ft_port_votes(m, observed, port_number, peer) > 0;
}

/*
 * match/match.c: which observed switch is which planned one. Fills what struct ft_model has from the plan on up to the
 * use of port numbers, and the planned and kind of each observed switch. 0 or -ENOMEM.
 */
int ft_match(struct ft_model *m);

/* explain/explain.c: the faults that explain the difference, as findings. 0 or -ENOMEM. */
int ft_explain(struct ft_model *m);

/* explain/untried.c: reports as a finding what was not explained within the limits. 0 or -ENOMEM. */
int ft_untried_check(struct ft_model *m);

/*
 * steps/verify.c: fills @m except the impact and the ids of findings; findings are in the order in which they were
 * made, and there is no verdict yet. Previous contents of @m are ignored. The caller releases it in any case. Returns 0
 * or -ENOMEM.
 */
int ft_model_make(struct ft_model *m, const struct ft_verify_input *input);

/*
 * steps/verify.c: that, and the impact of the findings, their ids, their order, the verdict: the finished model, whose
 * report can be extended (repair/, accept/, build/, measure/failures.h and throughput.h, routes/workload.h). @input
 * must outlive it.
 */
int ft_model_finish(struct ft_model *m, const struct ft_verify_input *input);

#include "verify/model/findings.h"

#endif
