/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the parts of the verifier share: the fabric as a graph of switches (live.c), which live switch is which planned
 * one (match.c), and the findings under construction (finding.c). Private to verify/.
 *
 * Flow: ft_live_build() -> ft_match() -> ft_explain() -> ft_checks() -> ft_measure(). Nothing here does I/O or keeps
 * state of its own.
 */
#ifndef FT_VERIFY_MODEL_H
#define FT_VERIFY_MODEL_H

#include "base/map.h"
#include "base/text.h"
#include "verify/report.h"
#include "verify/verify.h"

#define FT_NONE UINT32_MAX

/* A switch that was seen. */
struct ft_live_switch {
	uint32_t node; /* index into the snapshot's nodes */
	uint64_t guid;
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
	bool tier_bound;  /* the design's bind said so */
	bool regular;	  /* its port numbers are used as on others of its kind */
	uint32_t planned; /* its place, or FT_NONE */
	bool passed_over; /* unplanned, though a place was free: it fits too badly */
	bool doubtful;	  /* hardly fits its place: it may as well be unplanned, and the place empty */
	uint32_t rival;	  /* another place that would explain as much, or FT_NONE */
	bool tolerated;	  /* the design expects it without planning it: no place, no hosts of the plan, no finding */
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

enum { FT_HABIT_PORTS = 256 };

/* The lowest and highest port number that leads to switches, and to hosts; low FT_NONE: none does. */
struct ft_port_ranges {
	uint32_t link_low, link_high, host_low, host_high;
};

/* One of those that a place is cabled to, or should be. */
struct ft_pair {
	uint32_t peer; /* its place */
	uint32_t cell; /* the number of the two among the cells */
};

/*
 * The pairs of a row and a column that have something: planned cables or, once everybody has a place, seen ones. Cells
 * are numbered row by row, and those of a row by column. All other pairs share the cell behind the last, where nothing
 * is planned and nothing seen; nothing is ever written there.
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

struct ft_model {
	const struct ft_design *design;
	const struct ft_plan *plan;
	const struct ft_snapshot *snapshot; /* each switch one node, directors too */
	const struct ft_snapshot *chips;    /* as it was read: a director is its chips */
	uint32_t *origin; /* by port of @snapshot: the port of @chips; NULL: the two snapshots are one */
	const char *today;
	const struct ft_verify_input *input;
	struct ft_live live;

	/*
	 * The plan as a matrix. A tree is bipartite whatever its levels: rows are the edge switches and, in three
	 * levels, the core switches behind them; columns are the switches that these are cabled to, core switches in
	 * two levels and spines in three. A planned switch has a place: its number among the rows and, from @rows on,
	 * the columns, each tier in the plan's order.
	 */
	const struct ft_plan_switch **places; /* [place_count] */
	uint32_t *place_of;		      /* by index into plan->switches */
	uint32_t place_count, edges, rows, columns;
	struct ft_cells cells;
	uint32_t *typical; /* by place: cables of most of its bundles to the tier below; of edges 0 */

	uint32_t *live_of;		/* by place: the live switch, or FT_NONE */
	bool *replaced;			/* by place: bound to another GUID or name than stands there */
	bool tier_named[FT_TIER_COUNT]; /* every seen switch of the tier carries the name the plan gives it */
	enum ft_status *status;		/* by place; what is not seen is set in explain.c */

	/* Who is wired alike: the edges, all of them; above them, switches of one tier and one typical bundle. */
	uint32_t *group; /* by place */
	uint32_t group_count;
	struct ft_port_habit *habits;  /* [group_count][FT_HABIT_PORTS] */
	struct ft_port_ranges *ranges; /* [group_count] */
	bool regular[FT_TIER_COUNT];   /* the tier is wired by a pattern of port numbers */

	bool *port_claimed; /* by snapshot port: named by a finding already */
	bool *misplaced;    /* by live cable: not where it belongs */
	bool cut_off;	    /* the sweep began on an edge without a way to any core: nothing else can be judged */

	struct ft_report *report;
	size_t findings_size;
	struct ft_finding lost; /* where a finding goes that could not be allocated */
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

/* The cell of two places, in either order; cells.count where they are no row and column or have nothing. */
static inline uint32_t ft_cell_at(const struct ft_model *m, uint32_t p, uint32_t q)
{
	uint32_t row = p < q ? p : q, column = p < q ? q : p;
	uint32_t low = m->cells.first[row], high = m->cells.first[row + 1], end = high;

	if (row >= m->rows || column < m->rows)
		return m->cells.count;
	/* A row that has all columns, as in two levels, has them by number. */
	if (high - low == m->columns)
		return m->cells.pairs[low + column - m->rows].cell;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->cells.pairs[middle].peer < column)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && m->cells.pairs[low].peer == column ? m->cells.pairs[low].cell : m->cells.count;
}

/* Planned cables between two places, one of a row and one of a column, in either order. */
static inline uint32_t ft_width_at(const struct ft_model *m, uint32_t p, uint32_t q)
{
	return m->cells.width[ft_cell_at(m, p, q)];
}

static inline enum ft_tier ft_tier_of(const struct ft_model *m, uint32_t place)
{
	return m->places[place]->tier;
}

/* The port as it was read. */
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

/* live.c: the switches, cables and hosts of the snapshot; 0 or -ENOMEM. */
int ft_live_build(struct ft_model *m);
void ft_live_release(struct ft_live *live);

/*
 * What people call a switch: "MF0;leaf07:MQM8700/U1", the form of the vendor's switch software (unit; name : model /
 * unit), is leaf07. Anything else is left as it is. A new string; NULL where memory ran out.
 */
char *ft_switch_short_name(const char *name);

/* cells.c: the pairs, as far as there are places and switches in them; what there was before is gone. 0 or -ENOMEM. */
int ft_cells_build(struct ft_model *m);
void ft_cells_release(struct ft_cells *cells);

/* habits.c: who is wired alike, and what port numbers are used for: sizes, then contents once all have a place. */
int ft_habits_init(struct ft_model *m);
void ft_habits_learn(struct ft_model *m);

/* True where the port is one for hosts: others use it so, or it lies among those that do. */
bool ft_port_is_hosts(const struct ft_model *m, uint32_t live, uint32_t port_number);
const struct ft_port_ranges *ft_port_ranges_of(const struct ft_model *m, uint32_t live);

/* [FT_HABIT_PORTS]: what port numbers are used for on switches like @live. */
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

/* match.c: tiers, and which live switch is which planned one. Fills planned, tier, live_of, seen, habits. */
int ft_match(struct ft_model *m);

/* explain.c: the faults that explain the difference, as findings. */
int ft_explain(struct ft_model *m);

/* checks.c: rates, hosts, GUIDs and LIDs: what needs no explanation, only a look. */
int ft_checks(struct ft_model *m);

/* checks.c: hosts on planned switches; those of an unplanned switch are its own. */
uint32_t ft_hosts_found(const struct ft_model *m);

/*
 * verify.c: fills all of @m but what a finding costs, and its id; findings are in the order in which they were found,
 * and there is no verdict yet. What was in @m before is not looked at. The caller releases it, whatever is returned: 0
 * or -ENOMEM.
 */
int ft_model_make(struct ft_model *m, const struct ft_verify_input *input);

/* measure.c: cables of a pair that carry traffic, whether the plan has them or not; and those that are the pair's own.
 */
uint32_t ft_pair_carriers(const struct ft_model *m, uint32_t place, const struct ft_pair *pair);
uint32_t ft_pair_up(const struct ft_model *m, uint32_t place, const struct ft_pair *pair);

/* impact.c: what each finding costs, once all is measured, and whether OpenSM takes the fabric for a fat-tree. */
int ft_impact_weigh(struct ft_model *m);

/* measure.c: the figures of the report and its table of switches. */
int ft_measure(struct ft_model *m);

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
/* "18 cables", "1 cable" */
const char *ft_plural(uint32_t count, const char *one, char buffer[48]);

/* Gives ids, applies waivers, sorts worst first, sets the verdict. */
int ft_findings_finish(struct ft_model *m);

#endif
