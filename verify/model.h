/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the parts of the verifier share: the fabric as a graph of switches, which live switch is which planned one, and
 * the findings under construction. Private to verify/. Nothing here does I/O or keeps state of its own.
 *
 * The steps, in the order in which verify.c takes them; each fills its part of struct ft_model and reads those above:
 *
 *   chassis*.c     the chips of a director become one switch, where the plan has directors (chassis.h)
 *   live.c         switches, cables and hosts of what was seen; by name, who is of an island (islands.c)
 *   match.c        who is who: places in the plan (match.h, assign.h), listed hosts (exact_hosts.c), the switches that
 *                  islands are cabled to (islands.c); and what port numbers are used for (habits.c)
 *   explain.c      the fewest faults that explain the difference (explain.h): what is cut off (apart.c), what was
 *                  not seen (unseen.c), insides of directors (inside*.c), cables by number (readings.c, swaps.c,
 *                  misplaced.c) or, where the plan says which port is whose, by port (exact.h), switches beside the
 *                  tree (islands_explain.c)
 *   rates.c, hosts.c, identities.c, sm.c, counters.c
 *                  what needs no explanation, only a look
 *   measure.c      the figures: cables, switches, blocking, distances (distances.c), bisections (capacity.h, cuts.h)
 *   foreign.c      whether the design is that of this fabric at all; if not, no other step follows but the last
 *   routes*.c      where the forwarding tables lead, if there are any (routes.h)
 *   impact.c       what each finding costs
 *   finding.c      ids, waivers, the order, the verdict
 *
 * repair.c has all that done again on a fabric in which a finding is mended (rework.c); after.c asks a model, made up
 * to the figures, what more would fail.
 */
#ifndef FT_VERIFY_MODEL_H
#define FT_VERIFY_MODEL_H

#include "base/map.h"
#include "base/text.h"
#include "verify/chassis.h"
#include "verify/report.h"
#include "verify/verify.h"

#define FT_NONE UINT32_MAX

struct ft_capacity;

/* A switch that was seen. */
struct ft_live_switch {
	uint32_t node; /* index into the snapshot's nodes */
	uint64_t guid;
	uint32_t ports;	      /* as the plan counts them: of a director, not those that are out of order */
	uint32_t lost_ports;  /* of a director: they went with boards, and lack no cables of their own */
	char *name;	      /* its description made safe; owned */
	char *label;	      /* how the report calls it: the name, with GUID and hosts where names repeat; owned */
	char *host_names;     /* "node055-node072"; owned */
	uint32_t first_cable; /* its cables: live.at[first_cable … + cable_count), a loopback twice */
	uint32_t cable_count;
	uint32_t hosts;	  /* host ports cabled to it */
	uint32_t silent;  /* ports that are up and whose far end does not answer */
	uint32_t unread;  /* ports of which nothing is known */
	uint32_t unheard; /* of those two, the ones that no finding explains (explain.c): what is behind is not known */
	uint32_t part;	  /* connected part of the fabric, numbered from 0 */
	enum ft_tier tier;
	bool tier_bound;   /* the design's bind said so */
	bool regular;	   /* its port numbers are used as on others of its kind */
	uint32_t planned;  /* its place, or FT_NONE */
	bool passed_over;  /* unplanned, though a place was free: it fits too badly */
	bool doubtful;	   /* hardly fits its place: it may as well be unplanned, and the place empty */
	uint32_t rival;	   /* another place that would explain as much, or FT_NONE */
	bool tolerated;	   /* the design expects it without planning it: no place, no hosts of the plan, no finding */
	uint32_t islander; /* which one of the plan's it is, or FT_NONE; it is tolerated as well: the tree is without it
			    */
};

/* A cable between two switches. Ports are indices into the snapshot's ports. */
struct ft_live_cable {
	uint32_t a, b; /* live switches */
	uint32_t a_port, b_port;
};

/* A host's port and the switch port it is cabled to. */
struct ft_live_host {
	uint32_t live; /* the switch */
	uint32_t port; /* the host's port: index into the snapshot's ports */
	uint32_t switch_port;
};

struct ft_live {
	struct ft_live_switch *switches;
	uint32_t switch_count;
	struct ft_live_cable *cables;
	uint32_t cable_count;
	uint32_t *at; /* cable indices, grouped by switch */
	struct ft_live_host *hosts;
	uint32_t host_count;
	uint32_t *switch_of_node; /* by snapshot node: the live switch, or FT_NONE */
	uint32_t part_count;
	uint32_t entry; /* the live switch the sweep began on or next to, or FT_NONE */
};

/* What a port number is usually used for, learned from the other switches of the tier. */
struct ft_port_habit {
	uint32_t peer;	/* what most links of this port number go to, by its role (habits.c), or FT_NONE */
	uint32_t votes; /* how many go there */
	uint32_t links; /* how many go to switches at all */
	uint32_t hosts; /* how many lead to hosts */
};

/* The lowest and highest port number that leads to switches, and to hosts; low FT_NONE: none does. */
struct ft_port_ranges {
	uint32_t link_low, link_high, host_low, host_high;
	bool mixed; /* hosts and uplinks alike are in any port: a number does not tell which it is for */
};

/* One of those that a place is cabled to, or should be. */
struct ft_pair {
	uint32_t peer; /* its place */
	uint32_t cell; /* the number of the two among the cells */
};

/*
 * The pairs of places that have something: planned cables or, once everybody has a place, seen ones. In a plain tree
 * only a row and a column make a pair. Cells are numbered by the lesser of the two places, then by the greater. All
 * other pairs share the cell behind the last, where nothing is planned and nothing seen; nothing is ever written there.
 */
struct ft_cells {
	uint32_t count;
	uint32_t *first;       /* by place: its first pair; of [place_count] the end of all */
	struct ft_pair *pairs; /* of each place, in the order of their peers */
	uint32_t *width;       /* by cell: planned cables */
	uint32_t *seen;	       /* by cell: cables seen between the switches matched to them */
	uint32_t *foreign;     /* by cell: of the cables seen, those that belong elsewhere though the count is right */
	uint32_t *unjudged;    /* by cell: cables that could not be judged */
};

/* What became of a host that the plan lists. */
enum ft_host_fate {
	FT_HOST_SEEN,	   /* where it should be, or somewhere else */
	FT_HOST_MISSING,   /* nowhere, though its place could be seen */
	FT_HOST_UNDECIDED, /* several nodes of its name, or a place that was not seen */
};

/* Ports and hosts, where the plan says which is whose (exact.c, exact_hosts.c); else all NULL and 0. */
struct ft_exact {
	uint32_t *first;  /* by place, and one more: port number n of the place is entry first + n */
	uint32_t *cable;  /* by entry: index into plan->cables, or FT_NONE */
	bool *loose;	  /* by place: it has cables of which its own port is not said */
	bool *gone;	  /* by index into plan->cables: it went with a board of a director, and is told there */
	uint32_t shifted; /* cables counted as up that are in another port than planned */

	/* What ports tell of who is who (exact_votes.c). */
	uint32_t a_ports, b_ports; /* the highest of each */
	uint32_t *key;		   /* by a_port * (b_ports + 1) + b_port: where the planned cables with these begin */
	uint32_t *by_a, *by_b;	   /* of these: the places of their ends */
	uint32_t *votes;	   /* scratch: by place, all 0 */
	uint32_t *home;		   /* by live host: the edge that the plan has it on, or FT_NONE */
	uint32_t *first_host;	   /* by live switch, and one more: where its hosts begin */
	uint32_t *named_at; /* by place: the place whose name or binding its switch carries, if that is another */

	uint32_t *listed;  /* by live host: index into plan->hosts, or FT_NONE */
	uint32_t *host_of; /* by index into plan->hosts: the live host, or FT_NONE */
	uint8_t *fate;	   /* likewise: enum ft_host_fate */
	uint32_t *belongs; /* by live host: where it should be, if that is elsewhere: index into plan->hosts */
	bool *told;	   /* by live host: that it is elsewhere is part of a finding */
	int32_t *away;	   /* by place: hosts that are elsewhere, less those that are here and belong elsewhere */
};

/* A planned switch of an island, as it was seen. */
struct ft_islander {
	uint32_t live;			/* or FT_NONE */
	enum ft_status status;		/* of one that was not seen, set in islands_explain.c */
	uint32_t planned, up, unjudged; /* cables */
	bool replaced;			/* another name stands in its place */
};

/* What the baseline remembers, held beside what is seen (recall.h): all NULL where there is no baseline. */
struct ft_recall {
	const struct ft_baseline *baseline;
	uint32_t *place_of;    /* by live switch: the place that it had, or FT_NONE */
	uint32_t *switch_at;   /* by place: the baseline's switch that was there, or FT_NONE */
	uint32_t *place_known; /* by switch of the baseline: its place, or FT_NONE */
	uint32_t *live_known;  /* likewise: the live switch, or FT_NONE */
	uint32_t *owner;   /* by end of the baseline's cables, then by host: its switch in the baseline, or FT_NONE */
	uint32_t *far;	   /* by port of m->chips: the end that its cable leads to, or its own of a host, or FT_NONE */
	uint32_t *port_of; /* by end: the port of m->chips, or FT_NONE */
	bool *host_gone;   /* by host of the baseline: it is not seen anywhere */
};

struct ft_model {
	/* What is given (verify.c). */
	const struct ft_verify_input *input;
	const struct ft_design *design;
	const struct ft_plan *plan;
	const struct ft_snapshot *chips; /* as it was read: a director is its chips */
	const char *today;

	/* The fabric as it was seen (chassis.c, live.c). */
	struct ft_chassis *chassis;	    /* NULL: the plan has no directors */
	const struct ft_snapshot *snapshot; /* each switch one node, directors too */
	const uint32_t *origin; /* by port of @snapshot: the port of @chips, or FT_NONE where the board of the port was
				   not seen; NULL: the two snapshots are one */
	struct ft_live live;

	/*
	 * The plan (match.c, cells.c). A planned switch has a place: its number here. Those on which hosts belong, the
	 * edges, come first.
	 *
	 * A plain tree is bipartite whatever its levels: rows are the edge switches and, in three levels, the core
	 * switches behind them; columns are the switches that these are cabled to, core switches in two levels and
	 * spines in three, from place @rows on, each tier in the plan's order. In a plan that is general (plan.h) any
	 * two places may be cabled to each other; there all are rows, and there are no columns.
	 */
	const struct ft_plan_switch **places; /* [place_count] */
	uint32_t *place_of;		      /* by index into plan->switches */
	uint32_t place_count, edges, rows, columns;
	bool linked;	   /* the plan has cables between switches */
	uint32_t *network; /* by place: which connected part of the plan it is of, numbered from 0 */
	uint32_t network_count;
	struct ft_cells cells;
	uint32_t *typical; /* by place: cables of most of its bundles to the tier below; of edges 0 */

	/* Who is who (match.c and its steps). */
	uint32_t *live_of;		/* by place: the live switch, or FT_NONE */
	uint32_t *named;		/* by live switch: the place whose name it carries, or FT_NONE */
	bool *replaced;			/* by place: bound to another GUID or name than stands there */
	bool tier_named[FT_TIER_COUNT]; /* every seen switch of the tier carries the name the plan gives it */

	/* What is remembered of better times (recall.c). */
	struct ft_recall recall;

	/* Ports and hosts that the plan lists (exact*.c). */
	struct ft_exact exact;

	/* Switches beside the tree, and those that they are cabled to (islands.c). */
	struct ft_islander *islanders; /* by the plan's; NULL: there are none */
	uint32_t *anchor_live;	       /* by the plan's anchors: the live switch, or FT_NONE */

	/*
	 * What port numbers are used for (habits.c). Who is wired alike is a group: the edges, all of them; above them,
	 * switches of one tier and one typical bundle.
	 */
	uint32_t *group; /* by place */
	uint32_t group_count;
	uint32_t habit_ports;	       /* above all port numbers there are */
	struct ft_port_habit *habits;  /* [group_count][habit_ports] */
	struct ft_port_ranges *ranges; /* [group_count] */
	bool regular[FT_TIER_COUNT];   /* the tier is wired by a pattern of port numbers */

	/* What the explanation has come to (explain.c and its steps). */
	enum ft_status *status; /* by place; of those that were seen, measure.c sets it */
	bool *port_claimed;	/* by snapshot port: named by a finding already */
	bool *trace_claimed;	/* by port of @chips, where there are directors: likewise */
	bool *misplaced;	/* by live cable: not where it belongs */
	uint32_t hosts_behind;	/* hosts that are known to have gone with boards of directors */
	bool cut_off;		/* the sweep began on an edge without a way to any core: nothing else can be judged */
	struct {
		uint32_t planned, up, unjudged;
	} island_cables;

	struct ft_capacity *capacity; /* what the plan carries (capacity.h); measure.c has it made */

	/* The findings, and all figures (finding.c, measure.c). */
	struct ft_report *report;
	size_t findings_size;
	size_t findings_max;	/* beyond, they are counted and not kept */
	uint32_t unsaid;	/* so many */
	uint32_t strays;	/* cables whose place was looked for (readings.c) */
	struct ft_finding lost; /* where a finding goes that could not be allocated, or is not kept */
	bool failed;		/* an allocation failed: there is no report */
};

/* verify.c: frees what the model has made, the report included; what it was given stays. */
void ft_model_release(struct ft_model *m);

static inline struct ft_live_switch *ft_live_at(const struct ft_model *m, uint32_t planned)
{
	return m->live_of[planned] == FT_NONE ? NULL : &m->live.switches[m->live_of[planned]];
}

/* The place of column c; a row's is its own number. */
static inline uint32_t ft_column_place(const struct ft_model *m, uint32_t c)
{
	return m->rows + c;
}

/* The pairs of place @p, up to those of @p + 1. */
static inline const struct ft_pair *ft_pairs_of(const struct ft_model *m, uint32_t p)
{
	return m->cells.pairs + m->cells.first[p];
}

/* True where a cell is kept for these two places, if the plan, or the fabric, has anything between them. */
static inline bool ft_places_pair(const struct ft_model *m, uint32_t p, uint32_t q)
{
	(void)m;
	return p != q;
}

/* The cell of two places, in either order; cells.count where they are no pair or have nothing. */
static inline uint32_t ft_cell_at(const struct ft_model *m, uint32_t p, uint32_t q)
{
	uint32_t row = p < q ? p : q, column = p < q ? q : p;
	uint32_t low = m->cells.first[row], high = m->cells.first[row + 1], end = high;

	if (!ft_places_pair(m, p, q))
		return m->cells.count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->cells.pairs[middle].peer < column)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && m->cells.pairs[low].peer == column ? m->cells.pairs[low].cell : m->cells.count;
}

/* Planned cables between two places, in either order. */
static inline uint32_t ft_width_at(const struct ft_model *m, uint32_t p, uint32_t q)
{
	return m->cells.width[ft_cell_at(m, p, q)];
}

static inline enum ft_tier ft_tier_of(const struct ft_model *m, uint32_t place)
{
	return m->places[place]->tier;
}

/* "edge", "leaf": what a planned switch is called before the word "switch"; "" where it is just that. */
static inline const char *ft_kind_of(const struct ft_model *m, uint32_t place)
{
	return ft_plan_kind_name(m->plan, (uint32_t)(m->places[place] - m->plan->switches));
}

/* match.c: "edge switch", "leaf switch", or "switch" alone. */
enum { FT_KIND_WORDS_SIZE = 128 };
const char *ft_kind_words(const struct ft_model *m, uint32_t place, char buffer[FT_KIND_WORDS_SIZE]);

/*
 * chassis_seats.c: where the chips of line boards are by their cables, now that everybody has a place: by node of
 * m->chips, for ft_chassis_find(); the caller frees it. NULL: where they are taken to be anyway. 0 or -ENOMEM.
 */
int ft_seats_tell(const struct ft_model *m, struct ft_seat **ret_seats);

/* The director that a live switch is, or NULL. */
const struct ft_director *ft_director_of(const struct ft_model *m, uint32_t live);

static inline bool ft_live_is_director(const struct ft_model *m, uint32_t live)
{
	return m->origin && ft_director_of(m, live);
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

/* The far switch and the near port of a cable, as seen from @live. */
static inline uint32_t ft_cable_far(const struct ft_live_cable *cable, uint32_t live)
{
	return cable->a == live ? cable->b : cable->a;
}

static inline uint32_t ft_cable_port(const struct ft_live_cable *cable, uint32_t live)
{
	return cable->a == live ? cable->a_port : cable->b_port;
}

/*
 * live.c: the nodes by GUID. A fabric is the same fabric in whatever order it was swept or recorded, and so are the
 * findings and their ids, however ties between explanations are broken. The caller frees it; NULL: no memory.
 */
uint32_t *ft_nodes_in_order(const struct ft_snapshot *snapshot);

/* live.c: the switches, cables and hosts of the snapshot; 0 or -ENOMEM. */
int ft_live_build(struct ft_model *m);
void ft_live_release(struct ft_live *live);

/*
 * What people call a switch: "MF0;leaf07:MQM8700/U1", the form of the vendor's switch software (unit; name : model /
 * unit), is leaf07. Anything else is left as it is. A new string; NULL where memory ran out.
 */
char *ft_switch_short_name(const char *name);

/* islands.c: the islanders among the live switches, by name, before anybody else is matched. 0 or -ENOMEM. */
int ft_islanders_find(struct ft_model *m);

/* islands.c: the switches that islands are cabled to, once everybody has a place. 0 or -ENOMEM. */
int ft_anchors_settle(struct ft_model *m);

/* islands.c: the live switch at the far end of an islander's bundle, or FT_NONE. */
uint32_t ft_island_bundle_far(const struct ft_model *m, const struct ft_plan_island_bundle *bundle);

/* cells.c: the pairs, as far as there are places and switches in them; what there was before is gone. 0 or -ENOMEM. */
int ft_cells_build(struct ft_model *m);
void ft_cells_release(struct ft_cells *cells);

/* exact.c: which ports the plan means; the places are known. 0 or -ENOMEM. */
int ft_exact_init(struct ft_model *m);
void ft_exact_release(struct ft_exact *exact);

/* True where the plan says of each cable in which port of @place it is. */
static inline bool ft_exact_knows(const struct ft_model *m, uint32_t place)
{
	return m->exact.first && place != FT_NONE && !m->exact.loose[place];
}

/* The planned cable in this port of @place: an index into plan->cables, or FT_NONE. */
static inline uint32_t ft_exact_cable(const struct ft_model *m, uint32_t place, uint32_t number)
{
	const struct ft_exact *e = &m->exact;

	if (!e->first || place == FT_NONE || number >= e->first[place + 1] - e->first[place])
		return FT_NONE;
	return e->cable[e->first[place] + number];
}

/* The place that this cable leads to from @place. */
static inline uint32_t ft_exact_far(const struct ft_model *m, uint32_t cable, uint32_t place)
{
	const struct ft_plan_cable *c = &m->plan->cables[cable];

	return m->place_of[c->a] == place ? m->place_of[c->b] : m->place_of[c->a];
}

/* exact_hosts.c: which live host is which listed one. 0 or -ENOMEM. */
int ft_exact_hosts(struct ft_model *m);

/* The same before anybody has a place: m->exact.home, as far as names and GUIDs tell. 0 or -ENOMEM. */
int ft_exact_homes(struct ft_model *m);

/* Hosts of a place that was seen, as if each were where it belongs. */
uint32_t ft_exact_host_count(const struct ft_model *m, uint32_t place);

/* habits.c: who is wired alike, and what port numbers are used for: sizes, then contents once all have a place. */
int ft_habits_init(struct ft_model *m);
void ft_habits_learn(struct ft_model *m);

/* True where the port is one for hosts: others use it so, or it lies among those that do. */
bool ft_port_is_hosts(const struct ft_model *m, uint32_t live, uint32_t port_number);
const struct ft_port_ranges *ft_port_ranges_of(const struct ft_model *m, uint32_t live);

/* [habit_ports]: what port numbers are used for on switches like @live. */
const struct ft_port_habit *ft_habits_of(const struct ft_model *m, uint32_t live);

/* True where switches like @live use ports of this number for any one planned switch of theirs. */
bool ft_port_has_use(const struct ft_model *m, uint32_t live, uint32_t port_number);

/*
 * How many of the other switches like @live use ports of this number for planned switch @peer, where most of them do.
 * 0: they do not, or they are wired without a pattern, so that numbers tell nothing.
 */
uint32_t ft_port_votes(const struct ft_model *m, uint32_t live, uint32_t port_number, uint32_t peer);

static inline bool ft_port_usual(const struct ft_model *m, uint32_t live, uint32_t port_number, uint32_t peer)
{
	return ft_port_votes(m, live, port_number, peer) > 0;
}

/* match.c: which live switch is which planned one. Fills planned, tier, live_of, seen, habits. */
int ft_match(struct ft_model *m);

/* explain.c: the faults that explain the difference, as findings. */
int ft_explain(struct ft_model *m);

/*
 * What needs no explanation, only a look: cables slower than others (rates.c), the number of hosts and what they are
 * cabled to (hosts.c), GUIDs and LIDs that are held twice (identities.c). 0 or -ENOMEM.
 */
int ft_rates_check(struct ft_model *m);
int ft_hosts_check(struct ft_model *m);
int ft_identities_check(struct ft_model *m);

/*
 * hosts_expected.c: the hosts that the design expects to be down: names that are none, or of hosts that are up, become
 * findings. @ret_count: how many may be missing. 0 or -ENOMEM.
 */
int ft_hosts_expected_check(struct ft_model *m, uint32_t *ret_count);

/* untried.c: what was too much to be worked out, as a finding. 0 or -ENOMEM. */
int ft_untried_check(struct ft_model *m);

/* hosts_expected.c: the design names this host as one that is down. */
bool ft_host_is_expected_down(const struct ft_model *m, const char *name);

/* hosts.c: hosts on planned switches; those of an unplanned switch are its own. */
uint32_t ft_hosts_found(const struct ft_model *m);

/* hosts.c: the hosts of the plan and those of islands; where these do not say how many, those that were found. */
uint32_t ft_hosts_planned(const struct ft_model *m);

/* hosts.c: adds " HCA-2 port 1" of a listed host, as far as the plan says it. */
void ft_interface_add(struct ft_text *text, const struct ft_plan_host *h);

/* sm.c: who manages the subnet, and what it left undone: ports that are not in use, or have no LID. */
int ft_sm_check(struct ft_model *m);

/* counters.c: cables that damage what they carry. */
int ft_counters_check(struct ft_model *m);

/*
 * How many symbol errors a sound link may count in that time. Its bits are wrong once in 10^12 at most (IBTA Vol 2,
 * the bit error rate of links), one by one, so that what is counted is Poisson distributed; more than this would be
 * counted by chance less than once in 10^9 times.
 *
 * @mbps  ft_rate_mbps() of the link
 */
uint64_t ft_symbol_errors_allowed(unsigned int mbps, uint32_t interval_ms);

/* routes.c: forwarding tables, where they were read; its findings know of those that are there. 0 or -ENOMEM. */
int ft_routes_check(struct ft_model *m);

/*
 * verify.c: fills all of @m but what a finding costs, and its id; findings are in the order in which they were found,
 * and there is no verdict yet. What was in @m before is not looked at. The caller releases it, whatever is returned: 0
 * or -ENOMEM.
 */
int ft_model_make(struct ft_model *m, const struct ft_verify_input *input);

/* verify.c: what is left to be done then: what findings cost, their ids, their order, the verdict. 0 or -ENOMEM. */
int ft_model_judge(struct ft_model *m);

/* measure.c: cables of a pair that carry traffic, whether the plan has them or not; and those that are the pair's own.
 */
uint32_t ft_pair_carriers(const struct ft_model *m, uint32_t place, const struct ft_pair *pair);
uint32_t ft_pair_up(const struct ft_model *m, uint32_t place, const struct ft_pair *pair);

/* foreign.c: whether the design is that of this fabric, where the input asks; once all is measured. 0 or -ENOMEM. */
int ft_foreign_check(struct ft_model *m);

/* impact.c: what each finding costs, once all is measured, and whether OpenSM takes the fabric for a fat-tree. */
int ft_impact_weigh(struct ft_model *m);

/* measure.c: the figures of the report and its table of switches. */
int ft_measure(struct ft_model *m);

/* distances.c: how many pairs of hosts are how far apart, in the plan and on the fabric; 0 or -ENOMEM. */
int ft_distances(struct ft_model *m);

/*
 * finding.c: findings under construction. They never fail one by one: an allocation that fails is remembered in
 * m->failed, and whoever began says -ENOMEM at the end.
 */
struct ft_finding *ft_finding_add(struct ft_model *m, enum ft_code code, enum ft_evidence evidence);
void ft_finding_where_node(struct ft_model *m, struct ft_finding *f, uint32_t node);
void ft_finding_where_port(struct ft_model *m, struct ft_finding *f, uint32_t port);
void ft_finding_where_switch(struct ft_model *m, struct ft_finding *f, uint32_t live, uint32_t port_number);
/* @node and @port are indices into m->chips. */
void ft_finding_where_chip(struct ft_model *m, struct ft_finding *f, uint32_t node);
void ft_finding_where_chip_port(struct ft_model *m, struct ft_finding *f, uint32_t port);
void ft_finding_where_cable(struct ft_model *m, struct ft_finding *f, const struct ft_live_cable *cable);
void ft_finding_symptom(struct ft_model *m, struct ft_finding *f, uint32_t live, uint32_t port_number,
			const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The bundle of two places lacks so many cables because of it. */
void ft_finding_lack(struct ft_model *m, struct ft_finding *f, uint32_t p, uint32_t q, uint32_t cables);
/* It is about that switch, which is not in the fabric now, or hardly. @name is copied. */
void ft_finding_subject(struct ft_model *m, struct ft_finding *f, const char *name, uint64_t guid);
/* Nothing leads to the switch of that place because of it. */
void ft_finding_gone(struct ft_model *m, struct ft_finding *f, uint32_t place);
void ft_finding_alternative(struct ft_model *m, struct ft_finding *f, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* What mends it: see struct ft_action. The places are copied. */
void ft_finding_act(struct ft_model *m, struct ft_finding *f, enum ft_act act, const struct ft_place *a,
		    const struct ft_place *b);
/* The same with ports: indices into the snapshot's, or FT_NONE. */
void ft_finding_act_ports(struct ft_model *m, struct ft_finding *f, enum ft_act act, uint32_t a, uint32_t b);
/* The same with @port (of the snapshot's) and any free port of the switch in place @place. */
void ft_finding_act_free(struct ft_model *m, struct ft_finding *f, enum ft_act act, uint32_t port, uint32_t place);
/* The switch of that place is off, or does not answer. */
void ft_finding_act_power(struct ft_model *m, struct ft_finding *f, uint32_t place);

/* Sets a string of a finding, or of the report. */
void ft_say(struct ft_model *m, char **string, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same outside of findings: 0 or -ENOMEM, and @string stays as it was. */
int ft_string_set(char **string, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "edge003 port 20"; @buffer is reset first. */
const char *ft_place_text(const struct ft_model *m, uint32_t port, struct ft_text *buffer);
/* "leaf07 port 20" of a port of m->chips, a host's too; @buffer is reset first. */
const char *ft_chip_port_text(const struct ft_model *m, uint32_t port, struct ft_text *buffer);
/* "edge003 ports 19, 20" of ports of the snapshot that are all on @live, or its name where there are none; likewise. */
const char *ft_ports_text(const struct ft_model *m, uint32_t live, const uint32_t *ports, uint32_t count,
			  struct ft_text *buffer);
/* "core01 L05": a chip of a director, which node @node of m->chips is; likewise. */
const char *ft_chip_text(const struct ft_model *m, uint32_t node, struct ft_text *buffer);
/* Likewise of any switch there: "core01 L05", "edge003", or what describes it where the tiers do not have it. */
const char *ft_switch_text(const struct ft_model *m, uint32_t node, struct ft_text *buffer);
/* True where the chip of that GUID is of @sw, a director. */
bool ft_chip_is_of(const struct ft_model *m, uint64_t guid, const struct ft_live_switch *sw);
/* "18 cables", "1 cable" */
const char *ft_plural(uint32_t count, const char *one, char buffer[48]);

/* Gives ids, applies waivers and thresholds, sorts worst first, sets the verdict. */
int ft_findings_finish(struct ft_model *m);

/* Sorts them worst first; sets the verdict of what is there, unless it is unknown. */
void ft_findings_sort(struct ft_report *report);
void ft_findings_judge(struct ft_report *report);

#endif
