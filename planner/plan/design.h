/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The design file: what the user wants built, as read and checked, before anything is computed from it.
 * The keys and their meaning are documented in ftcheck-design(5).
 */
#ifndef FT_PLANNER_PLAN_DESIGN_H
#define FT_PLANNER_PLAN_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/pattern.h"
#include "base/rate.h"
#include "base/ratio.h"
#include "planner/plan/metric.h"

/* A count that the design leaves out, and that is to be computed, is FT_NONE. */

enum {
	FT_NODES_MAX = 1000000, /* the largest "nodes" or "nodes_max" taken */
	FT_PORTS_MAX = 254,	/* IBTA Vol 1, NodeInfo:NumPorts, of one switch chip */
	FT_DIRECTOR_PORTS_MAX = 4096,
	FT_SWITCHES_MAX = 100000, /* the largest number of switches of a tier */
	FT_MAC_TABLE_MAX = 100000000,
};

enum ft_topology { FT_TOPOLOGY_AUTO, FT_TOPOLOGY_STAR, FT_TOPOLOGY_FAT_TREE, FT_TOPOLOGY_GRAPH };

/* What the switches are: nothing of the graph depends on it, but its words, its rules and what is written from it. */
enum ft_technology { FT_TECHNOLOGY_INFINIBAND, FT_TECHNOLOGY_ETHERNET };

enum ft_fill { FT_FILL_AUTO, FT_FILL_DENSE, FT_FILL_UNIFORM };
enum ft_spread { FT_SPREAD_EVEN, FT_SPREAD_THICK, FT_SPREAD_MULTIPLE };

/* Tiers from the hosts up. "spine" is the middle one of three levels. */
enum ft_tier { FT_TIER_EDGE, FT_TIER_SPINE, FT_TIER_CORE, FT_TIER_COUNT };

const char *ft_topology_name(enum ft_topology topology); /* "auto", "star", "fat-tree", "graph" */
const char *ft_fill_name(enum ft_fill fill);		 /* "auto", "dense", "uniform" */
const char *ft_tier_name(enum ft_tier tier);		 /* "edge", "spine", "core" */

/*
 * The inside of a director: a two-level tree of chips, in which each chip of a line board has as many traces to each
 * chip of a fabric board. Zeros are unknown, and derived from the fabric (the majority of its chips).
 *
 * The outer ports of a director are numbered board by board: port p of the whole is port (p - 1) % line_ports + 1 of
 * line board (p - 1) / line_ports + 1.
 */
struct ft_inside {
	uint32_t line_boards, line_boards_max;	   /* installed, and slots */
	uint32_t line_ports;			   /* outside, of a line board */
	uint32_t line_chips;			   /* of a line board */
	uint32_t fabric_boards, fabric_boards_max; /* installed, and slots */
	uint32_t fabric_chips;			   /* of a fabric board */
	uint32_t traces;			   /* between a line chip and a fabric chip */
};

/* The switches of one tier as the design gives them. */
struct ft_design_role {
	uint32_t ports;		 /* FT_NONE: not given */
	uint32_t count;		 /* pinned, as built: E or C */
	uint32_t ports_to_nodes; /* pinned Eptn (edge only) */
	uint32_t ports_to_core;	 /* pinned Eptc (edge), or ports to the core level (spine) */
	char *model;		 /* from the catalog: a type or a family; NULL: not given */
	uint32_t mac_table;	 /* static entries that an Ethernet switch holds; 0: not given */
	char *interfaces;	 /* Ethernet: the names of its ports from 1 on, a line each; NULL: not given */
	uint32_t fabric_boards;	 /* of a modular switch: how many are installed; 0: all */
	bool director;		 /* given by its ports, and known to be modular */
	struct ft_inside inside; /* of a director; all 0: not given */

	/* Of the descriptions of a director's chips; its first group is the chassis' name. NULL: not given. */
	struct ft_pattern *chassis;
};

/*
 * Whether the known numbers of a director with @ports ports are consistent: boards and slots, ports and boards, and the
 * limits of a chip. Returns 0, or -EINVAL with @err filled (no line) and the name of the key to blame: of the object
 * "inside", or NULL for the ports of the whole.
 */
int ft_inside_check(const struct ft_inside *inside, uint32_t ports, struct ft_error *err, const char **ret_key);

/* A member of struct ft_inside, by the name of its key. */
struct ft_inside_key {
	const char *name;
	size_t offset;
};
enum { FT_INSIDE_KEYS = 8 };
extern const struct ft_inside_key ft_inside_keys[FT_INSIDE_KEYS];

static inline uint32_t ft_inside_get(const struct ft_inside *inside, unsigned int key)
{
	return *(const uint32_t *)((const char *)inside + ft_inside_keys[key].offset);
}

static inline void ft_inside_set(struct ft_inside *inside, unsigned int key, uint32_t value)
{
	*(uint32_t *)((char *)inside + ft_inside_keys[key].offset) = value;
}

/* As built: so many pods, one after the other in the plan's order, have so many edge switches each. */
struct ft_pod_size {
	uint32_t count;
	uint32_t edges;
};

/* As built: so many edge switches, one after the other in the plan's order, have so many hosts each. */
struct ft_host_kind {
	uint32_t count;
	uint32_t hosts;
};

struct ft_rates {
	struct ft_rate *rates; /* any of these is right */
	size_t count;	       /* 0: not given; the majority is expected */
};

/*
 * As built: so many switches of a tier, the last of it in the plan's order, differ from the rest. Values not given are
 * as for the others.
 */
struct ft_design_class {
	enum ft_tier tier;
	uint32_t count;
	uint32_t ports;		/* FT_NONE: not said */
	uint32_t ports_to_core; /* cables to the level above, likewise */
	uint32_t hosts;		/* of each, likewise */
	uint32_t *
		bundles; /* cables to each switch above it, in the plan's order; or (@bundle_each) one number for all */
	size_t bundle_count; /* 0: not said */
	bool bundle_each;
	struct ft_rates uplink_rates, host_rates;
	struct ft_pattern *match; /* of their node descriptions; NULL: not said */
};

/* "max_cost", "min_spare_ports": limits of a plan. */
struct ft_limit {
	enum ft_metric metric;
	bool is_max;
	struct ft_quantity bound;
};

/* How the switches of one tier are identified on the live fabric. At most one of the two is given. */
struct ft_bind {
	char **names;	 /* in the plan's order; "0x…" is a GUID, anything else a node description */
	uint64_t *guids; /* one a name; 0 where the name is a description */
	size_t count;
	struct ft_pattern *match; /* of node descriptions, or NULL */
};

struct ft_waiver {
	char *id;
	char until[11]; /* "2026-12-31", or "" for without end; the day itself still counts (UTC) */
	char *why;	/* "" if absent */
};

/* A rack or switch that a phase names, and where in the file. */
struct ft_phase_name {
	char *name;
	unsigned int line, column;
};

/* A part of the fabric that is to be built by a day. What no phase names is due at once. */
struct ft_design_phase {
	char *name;
	char due[11];		     /* "2026-12-31": not due up to the end of that day (UTC) */
	struct ft_phase_name *racks; /* of the floor plan (planner/write/floor.h): what stands in them */
	size_t rack_count;
	struct ft_phase_name *switches; /* of the plan, with their hosts; before what their racks say */
	size_t switch_count;
};

/* One difference between what the design gives and the plan. Exactly one kind of it is set. */
struct ft_accepted_change {
	uint32_t add, remove;	 /* so many cables between @a and @b */
	uint32_t hosts;		 /* @a has so many; FT_NONE: not said */
	bool gone;		 /* @a is not there, nor its cables and hosts */
	struct ft_rate rate;	 /* of the cable in port @a_port of @a; lanes 0: not said */
	char *a, *b;		 /* planned switches, by name; @b NULL: none */
	uint32_t a_port, b_port; /* 0: not said */
	unsigned int line, column;
};

/* A finding that someone has accepted: what was found is the plan from then on. */
struct ft_accepted {
	char *id, *by, *at, *why; /* @why NULL: not said */
	struct ft_accepted_change *changes;
	size_t change_count;
};

/* SHA-256 in hexadecimal. */
enum { FT_DESIGN_HASH_SIZE = 65 };

/* Known deviations that raise no alarm. */
struct ft_expect {
	uint32_t hosts_down;		/* how many hosts may be missing */
	char **hosts_down_names;	/* or which: node descriptions */
	unsigned int *hosts_down_lines; /* by name: the line of the design's file that it is on */
	size_t hosts_down_name_count;
	struct ft_pattern **unplanned; /* node descriptions of switches and hosts that may be there unplanned */
	size_t unplanned_count;
	struct ft_waiver *waivers;
	size_t waiver_count;
};

/*
 * Switches beside the tree: an island, given by the names of its switches. A name is a node description, with or
 * without the additions of a vendor's switch software: "MF0;leaf07:MQM8700/U1" is leaf07.
 */
struct ft_island_switch {
	char *name;
	uint32_t ports; /* FT_NONE: those of edge switches */
	uint32_t hosts; /* FT_NONE: not said, and any number is right */
};

/* Cables between two switches: at least one is of an island, the other may be one of the tree. */
struct ft_island_bundle {
	char *a, *b;
	uint32_t count;
};

struct ft_island {
	char *name;
	struct ft_island_switch *switches;
	size_t switch_count;
	struct ft_island_bundle *bundles;
	size_t bundle_count;
};

/* A switch of a design that is a graph. */
struct ft_graph_switch {
	char *name;    /* of the plan, and as it calls itself on the fabric */
	uint32_t kind; /* index into the kinds of the graph */
	uint32_t ports;
	uint32_t hosts;
	uint64_t guid;	      /* 0: not given */
	uint32_t cables_from; /* its first port for cables; 0: the one behind its hosts */
	char *interfaces;     /* as of a role; owned by the design */
	uint32_t group;	      /* that it is in by the rules of its family; FT_NONE: none */
};

/* The cables between two of them. */
struct ft_graph_link {
	uint32_t a, b; /* indices of switches, a < b */
	uint32_t count;
	uint32_t a_port, b_port; /* the first of each; 0: the next ones of the switch */
};

/*
 * The contents of "switches" and "links", ranges expanded; all 0 for other topologies, but for the links of networks of
 * groups, by the indices that their family gives the switches.
 */
struct ft_design_graph {
	struct ft_graph_switch *switches; /* in the order of the file */
	uint32_t switch_count;
	char **kinds; /* in the order in which switches name them */
	uint32_t kind_count;
	struct ft_graph_link *links; /* sorted by (a, b), one a pair */
	uint32_t link_count;
	bool symmetric; /* known to look alike from every switch, but for its hosts (vertex-transitive) */
};

void ft_design_graph_release(struct ft_design_graph *graph);

struct ft_family;

enum { FT_DIMENSIONS_MAX = 12 };

/* How the global cables of a dragonfly are dealt to its routers (planner/family/groups.h). */
enum ft_arrangement { FT_ARRANGEMENT_ABSOLUTE, FT_ARRANGEMENT_RELATIVE, FT_ARRANGEMENT_CIRCULANT };

/* So many groups, one after the other, that are alike. What is FT_NONE is as in "group". */
struct ft_group_size {
	uint32_t count;
	uint32_t routers;	/* of a dragonfly */
	uint32_t leafs, spines; /* of a dragonfly+ */
	uint32_t hosts;		/* of each router or leaf */
};

/* What the keys of a family of networks say; FT_NONE, and a count of 0: not said. */
struct ft_family_keys {
	uint32_t dims[FT_DIMENSIONS_MAX], dim_count;	   /* switches along each dimension */
	uint32_t dimensions;				   /* how many there are to be */
	uint32_t bundles[FT_DIMENSIONS_MAX], bundle_count; /* cables a direction: one for all, or one a dimension */
	bool odd_port;			      /* of a torus: each switch has one more cable to one of its neighbours */
	uint32_t local_bundle, global_bundle; /* within a group, and between groups */
	uint32_t routers, leafs, spines, global; /* of a group; global: ports of each router or spine */
	uint32_t groups;
	struct ft_group_size *sizes; /* NULL: all groups are alike; owned */
	size_t size_count;
	enum ft_arrangement arrangement;
	const struct ft_graph_link *links; /* between groups, in place of an arrangement; NULL: not listed; borrowed */
	uint32_t link_count;
	uint32_t q, primitive; /* of a finite field: its order, and an element of which all others are powers */
	uint32_t degree, seed;
	uint32_t m, n, r;
};

/* Whether the design specifies ports. */
enum ft_cables {
	FT_CABLES_UNSAID,  /* any port will do */
	FT_CABLES_PLANNED, /* the plan's own ports */
	FT_CABLES_LISTED,
};

/* A port of a planned switch, by its name. */
struct ft_design_end {
	char *name;
	uint32_t board; /* line board of a director, from 1; 0: not said */
	uint32_t port;	/* from 1; 0: not said */
};

struct ft_design_cable {
	struct ft_design_end a, b; /* in either order */
};

struct ft_design_host {
	char *name;    /* NULL: not given */
	uint64_t guid; /* of the node or port; 0: not given */
	struct ft_design_end edge;
	char *adapter;	       /* NULL: not given */
	uint32_t adapter_port; /* 0: not given */
};

/* An Ethernet address of a host: of that name, or at that port, or else of the next host in the plan's order. */
struct ft_design_mac {
	uint64_t mac;
	char *host;		   /* NULL: not given */
	struct ft_design_end edge; /* its name NULL: not given */
	unsigned int line, column; /* of the entry in its file */
};

/* A rewrite rule for the names of a spreadsheet before they are looked up. */
struct ft_name_rule {
	struct ft_pattern *match; /* ft_pattern_compile_capturing() */
	char *as;		  /* ft_pattern_rewrite() */
};

/* Cables that the source of a plan gives, and that exclude each other. */
struct ft_contradiction {
	char **of; /* the machines */
	size_t of_count;
	char *why; /* "exit01 swp1 is given to spine01 swp5 and to spine01 swp6" */
};

struct ft_design {
	char *name;
	enum ft_technology technology;
	enum ft_topology topology;
	const struct ft_family *family; /* whose rules make the graph; NULL: the design lists it, or is of a tree */
	bool any;			/* stars, trees and all families are tried */
	struct ft_family_keys keys;	/* of the family */
	const char *label; /* of the one layout to be taken, as its plan says it; NULL: the best; borrowed */
	uint32_t levels;
	uint32_t nodes;
	uint32_t nodes_max; /* = nodes where not given */
	bool nodes_max_given;
	struct ft_ratio blocking; /* of edge switches */
	bool blocking_given;
	struct ft_ratio spine_blocking; /* of spines, three levels; 1 where not given */
	bool spine_blocking_given;
	struct ft_design_role roles[FT_TIER_COUNT];
	uint32_t bundle;       /* pinned B: from an edge switch to each core switch, or to each spine of its pod */
	uint32_t spine_bundle; /* pinned, three levels: from a spine to each core switch of its plane */
	uint32_t pods;	       /* pinned, three levels */
	uint32_t planes;       /* pinned, three levels; they divide the spines of a pod */
	uint32_t rings[FT_TIER_COUNT]; /* cables between neighbours of the ring of each pod's spines, of the cores; 0:
					  none */
	struct ft_pod_size *pod_sizes; /* as built; their counts add up to pods. NULL: all pods are of one size */
	size_t pod_size_count;
	struct ft_host_kind *host_kinds; /* their hosts add up to nodes; NULL: by the rule of fill */
	size_t host_kind_count;
	struct ft_design_class *classes;
	size_t class_count;
	struct ft_island *islands;
	size_t island_count;
	struct ft_design_graph graph;
	char *links_file; /* in place of links; NULL: not given */
	char *directory;  /* of the file, with a trailing slash; NULL: the current one */
	enum ft_spread spread;
	uint32_t spread_multiple; /* for FT_SPREAD_MULTIPLE, >= 1 */
	enum ft_fill fill;
	bool prefer_expandable;
	enum ft_metric objective;
	bool objective_given;
	struct ft_limit *limits;
	size_t limit_count;
	struct ft_rates uplink_rates;
	struct ft_rates host_rates;
	struct ft_bind binds[FT_TIER_COUNT];
	struct ft_expect expect;
	struct ft_design_phase *phases;
	size_t phase_count;
	struct ft_accepted *accepted;
	size_t accepted_count;
	/*
	 * Of the design in a normal form, so that neither the order of keys nor blanks matter: compact JSON with sorted
	 * keys and escapes for all but ASCII, without "plan" and "why".
	 */
	char hash[FT_DESIGN_HASH_SIZE];
	enum ft_cables cables_given;
	bool cables_complete; /* the list has all cables; true where not given */
	struct ft_design_cable *cables;
	size_t cable_count;
	struct ft_design_host *hosts; /* NULL: not given */
	size_t host_count;
	bool vlans;	     /* Ethernet: the network is to have the VLANs of planner/ethernet/; true if not given */
	uint32_t vlan_first; /* Ethernet: the number of the first VLAN; 1 where not given */
	struct ft_design_mac *macs; /* NULL: not given */
	size_t mac_count;
	struct ft_contradiction *contradictions;
	size_t contradiction_count;
	struct ft_name_rule *name_rules; /* the first that matches is taken */
	size_t name_rule_count;
	char *text; /* the file's bytes, for ftplan --format json and the report's sha256 */
	size_t text_length;
};

/* Whether @day is one of the calendar, as "2026-12-31". */
bool ft_day_is_real(const char *day);

void ft_design_macs_release(struct ft_design_mac *macs, size_t count);
void ft_islands_free(struct ft_island *islands, size_t count);
void ft_design_free(struct ft_design *design);
static inline void ft_design_freep(struct ft_design **design)
{
	ft_design_free(*design);
}

struct ft_plan;
struct ft_catalog;

/*
 * Reads a design from @length bytes of JSON (copied). Every key of ftcheck-design(5) is checked; unknown and duplicate
 * keys are refused; known keys without support so far are refused with "not supported yet". Where the file carries a
 * "plan", it is checked against what the design gives.
 *
 * Switches that the design does not give by their ports are chosen from @catalog. Without one, they are taken from a
 * "plan" in the file, which must agree with the design and its limits (limits on catalog figures are checked with the
 * plan's own figures, if known). If that plan does not cover all tiers, or is absent, the catalog FT_CATALOG_DEFAULT is
 * used. @ret_design has the design's own values in any case.
 *
 * @ret_design  out: the design; the caller frees it. Untouched on failure.
 * @ret_plan    out: the plan computed from it (ft_plan_make()); NULL is fine; the caller frees it.
 * @err         filled with line, column and text on -EINVAL
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_design_read_with(const char *text, size_t length, const struct ft_catalog *catalog,
			struct ft_design **ret_design, struct ft_plan **ret_plan, struct ft_error *err);
int ft_design_read(const char *text, size_t length, struct ft_design **ret_design, struct ft_plan **ret_plan,
		   struct ft_error *err);

/*
 * Reads and checks a design without planning it, to make several plans from one design. A "plan" in the file is
 * ignored.
 */
int ft_design_read_unplanned(const char *text, size_t length, struct ft_design **ret_design, struct ft_error *err);
int ft_design_load_unplanned(const char *path, struct ft_design **ret_design, struct ft_error *err);

/* The same from a file ("-": standard input). @err->file is set to @path. Also -errno of open() and read(). */
int ft_design_load_with(const char *path, const struct ft_catalog *catalog, struct ft_design **ret_design,
			struct ft_plan **ret_plan, struct ft_error *err);
int ft_design_load(const char *path, struct ft_design **ret_design, struct ft_plan **ret_plan, struct ft_error *err);

#endif
