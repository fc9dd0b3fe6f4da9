/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The plan: the intended fabric as a graph. Planned switches, each with a tier and a number of host ports, and the
 * bundles of cables between them. Every topology ends up in this form; the verifier knows nothing else.
 *
 * Rules: K. Solnushkin, "Fat-Tree Design" ("the tutorial"), sections "Building the edge level" to "Designing for
 * expandability". The letters are the tutorial's: N nodes, E edge switches, C core switches, B cables in a bundle,
 * Eptn edge ports to nodes, Eptc edge ports to the core level, Bl blocking factor.
 */
#ifndef FT_PLANNER_PLAN_H
#define FT_PLANNER_PLAN_H

#include "planner/catalog.h"
#include "planner/design.h"

struct ft_text;

/*
 * What the switches of one sort are called in sentences, and what they are for. A tree has the kinds "edge", "spine"
 * and "core"; a graph those that its design names.
 */
struct ft_plan_kind {
	char *name;    /* "edge": an edge switch; "switch": just that; owned */
	bool may_host; /* hosts belong on them */
	uint32_t rank; /* steps up from the hosts, in a network that has an up and a down; else FT_UNPINNED */
};

/*
 * Two levels: all edge switches are of pod 0, all core switches of plane 0. Three levels: a pod is a two-level tree of
 * edges and spines; spine number j of every pod is of plane j, and so are the core switches that these, and only these,
 * are cabled to. Where there are fewer planes than spines of a pod, a plane has as many of each: P planes for S spines,
 * of which number j is of plane j / (S / P).
 */
struct ft_plan_switch {
	char *name;    /* bound, or "edge001", "spine01", "core01"; owned */
	uint32_t kind; /* index into the plan's kinds */
	/* Of a tree its level; of a graph FT_TIER_EDGE where hosts belong on it, and FT_TIER_CORE where none do. */
	enum ft_tier tier;
	uint32_t ports; /* ports of the switch */
	uint32_t hosts; /* host ports to be connected now */
	uint64_t guid;	/* that the plan knows it by; 0: none. Binds of a design are not here */
	uint32_t pod;	/* of an edge or spine; FT_UNPINNED for a core switch, and in a graph */
	uint32_t plane; /* of a spine or core switch; FT_UNPINNED for an edge, and in a graph */
	uint32_t place; /* number from 0 among those of its tier in its pod (edges, spines) or plane (cores) */

	/* Hosts by the rules alone, whatever hosts are listed. */
	uint32_t hosts_rule;
};

/*
 * The cables between two planned switches, all alike. They take consecutive ports at both ends. A port once given does
 * not change as the plan grows towards its nodes_max, so that no laid cable moves: hosts have the ports of an edge from
 * 1 on, its uplinks those from ports_to_nodes + 1 on, spine by spine or core by core; an upper switch keeps room for
 * every lower one in the order of their places, and a spine has its ports to the core level behind spine_ports_down.
 */
struct ft_plan_bundle {
	uint32_t a;	 /* index of a switch; in a tree of the lower one */
	uint32_t b;	 /* index of another, greater than @a; in a tree the upper one */
	uint32_t count;	 /* cables, >= 1 */
	uint32_t a_port; /* the first port at a, from 1; the others follow */
	uint32_t b_port; /* the first port at b */
};

/*
 * One cable of a port-precise plan, between planned switches. In a director, ports are numbered as in struct ft_inside.
 */
struct ft_plan_cable {
	uint32_t a, b;		 /* indices of the switches, as in the bundle of the two */
	uint32_t a_port, b_port; /* from 1; 0: not said, any will do */
};

/* Where a host should be. */
struct ft_plan_host {
	char *name; /* its node description, as far as people use it ("node055" of "node055 HCA-1"); NULL: not said */
	uint64_t guid;	       /* of its node or port; 0: not said */
	uint32_t edge;	       /* index of the planned switch */
	uint32_t port;	       /* of that switch; 0: not said */
	char *adapter;	       /* which of the host's it is, "HCA-2"; NULL: not said */
	uint32_t adapter_port; /* of the adapter, from 1; 0: not said */
};

/* A switch of an island: beside the tree, and no part of its tiers. */
struct ft_plan_islander {
	char *name;	 /* owned */
	uint32_t island; /* index into the design's */
	uint32_t ports;
	uint32_t hosts; /* host ports, on its ports from 1 on; FT_UNPINNED: not said */
};

/* A switch of the tree that an island is cabled to. */
struct ft_plan_anchor {
	char *name;	    /* as the design has it; owned */
	char *seen_as;	    /* the node description to be expected of it, where a bind pattern asks for more; or NULL */
	uint32_t stands_in; /* index of the planned switch that is taken for it where nothing was seen */
	bool planned;	    /* that is the very one: the name is its name */
};

/* The cables of an islander to another, or to an anchor. */
struct ft_plan_island_bundle {
	uint32_t a;	 /* islander */
	uint32_t b;	 /* islander, or FT_UNPINNED */
	uint32_t anchor; /* anchor, or FT_UNPINNED: one of the two is there */
	uint32_t count;	 /* cables, >= 1 */
	uint32_t a_port; /* the first port at a; the others follow */
	uint32_t b_port; /* the first port at the other end; of an anchor one that the tree leaves free */
};

struct ft_plan {
	enum ft_topology topology; /* star, fat-tree or graph, never auto */
	/*
	 * Whether anything is as in no plain tree: a graph, spines of a pod that share a plane, classes of switches
	 * unlike the rest. Then nothing but kinds, switches, hosts and bundles tells who is to be cabled to whom.
	 */
	bool general;
	bool classes;	 /* some switches are unlike the rest of their tier, which the figures below are for */
	uint32_t levels; /* 1 for a star; 0 for a graph, which has no figures of a tree either */
	uint32_t clos;	 /* switch chips between two hosts on different edges, on a shortest path (SPEC 4) */
	uint32_t nodes;
	uint32_t nodes_max;

	/* Edge tier: E switches of Pe ports. */
	uint32_t edge_count;
	uint32_t edge_ports;
	uint32_t ports_to_nodes; /* Eptn */
	uint32_t ports_to_core;	 /* Eptc; 0 for a star */
	enum ft_fill fill;	 /* dense or uniform: how the hosts lie on the edges */

	/* Spine tier, three levels only: all 0 and 1 otherwise. */
	uint32_t spine_count;
	uint32_t spine_ports;
	uint32_t spine_ports_down; /* kept for edges: the cables of a full pod's edges to each spine fit */
	uint32_t spine_ports_up;   /* to the core level */
	uint32_t spine_bundle;	   /* from a spine to each core switch of its plane; no bundle is thicker */
	struct ft_ratio spine_blocking;
	uint32_t pods;	     /* that are there now */
	uint32_t pods_max;   /* that the core level has room for by the design's nodes_max */
	uint32_t pod_edges;  /* edge switches of a full pod (the last may have fewer); all of them in two levels */
	uint32_t pod_spines; /* spines of a pod */
	uint32_t planes;     /* each with as many spines of each pod; just one each, but for general plans */

	/* Core tier: C switches of Pc ports; both 0 for a star. */
	uint32_t core_count;
	uint32_t core_ports;
	uint32_t plane_cores; /* core switches of a plane; all of them in two levels */

	/* What the catalog says of the switches. NULL or unknown where the design gives ports. */
	char *catalog;				   /* owned; its own name, where a tier is from one */
	char *models[FT_TIER_COUNT];		   /* owned */
	char *families[FT_TIER_COUNT];		   /* owned; of the entry, where that is called otherwise */
	bool directors[FT_TIER_COUNT];		   /* modular: a tree of chips inside */
	uint32_t fabric_boards[FT_TIER_COUNT];	   /* installed, where some are left out; 0: all, or not modular */
	uint32_t fabric_boards_max[FT_TIER_COUNT]; /* likewise: how many there are slots for */
	struct ft_inside inside[FT_TIER_COUNT];	   /* of directors */
	int64_t cost, power_w, weight_kg, size_u;  /* in all, thousandths; FT_AMOUNT_UNKNOWN */
	uint64_t unpriced; /* choices of switches that were left out, as their figure for the objective is not known */
	bool fallback_objective; /* no cost was known, so the fewest switches were looked for, then the fewest cables */

	uint32_t bundle;	  /* B of the rule, no bundle is thicker (B=4 of Eptc=5 may be 3+2); 0 for a star;
				     three levels: from an edge switch to each spine of its pod */
	struct ft_ratio blocking; /* Eptn/Eptc as built; 1 for a star */
	uint32_t links;		  /* nodes + E*Eptc, three levels: + spines * spine_ports_up */
	uint32_t spare_ports;	  /* edge ports to nodes that are left: E*Eptn - nodes (star: ports - nodes) */
	uint32_t expandable_to;	  /* Emax*Eptn: the nodes that fit on the edge switches that nodes_max makes room for */

	/* Edge switches of blade chassis: what they sit in. servers 0: they are no such. */
	uint32_t blade_servers, blade_size_u, blade_rack_chassis; /* as in struct ft_blade */
	char *blade_pass_through;				  /* owned; NULL: there is none */

	struct ft_plan_kind *kinds; /* owned; of a tree always edge, spine and core, by enum ft_tier */
	uint32_t kind_count;
	struct ft_plan_switch *switches; /* in a tree tier by tier from the edge, each in the plan's order: pod by pod,
					    cores plane by plane */
	uint32_t switch_count;
	struct ft_plan_bundle *bundles; /* sorted by (a, b); at most one a pair */
	uint32_t bundle_count;

	/* What hangs on the tree. It is in none of the figures above; NULL and 0 where there is none. */
	struct ft_plan_islander *islanders;
	uint32_t islander_count;
	struct ft_plan_anchor *anchors;
	uint32_t anchor_count;
	struct ft_plan_island_bundle *island_bundles;
	uint32_t island_bundle_count;

	/* Port by port, where the design says so: else NULL and 0, and any port will do. Bundles are what is listed,
	   and may be thicker then than @bundle and @spine_bundle. */
	struct ft_plan_cable *cables; /* sorted by (a, b, a_port); they are what the bundles count */
	uint32_t cable_count;
	struct ft_plan_host *hosts; /* of which it is known where they should be, sorted by (edge, port); owned, their
				       names and adapters too */
	uint32_t host_count;
};

void ft_plan_hosts_free(struct ft_plan_host *hosts, uint32_t count);
void ft_plan_free(struct ft_plan *plan);
static inline void ft_plan_freep(struct ft_plan **plan)
{
	ft_plan_free(*plan);
}

/*
 * Plans @design, which gives its switches by their ports.
 *
 * @ret_plan  out: the plan, owned by the caller. Untouched on failure.
 * @err       filled on -EINVAL, without line and column: which numbers of the design contradict each other, or why
 *            nothing fits
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_plan_make(const struct ft_design *design, struct ft_plan **ret_plan, struct ft_error *err);

/* The key of the design that is to blame for a failure: an object of the root, NULL for the root itself, and its key.
 */
struct ft_plan_blame {
	const char *object; /* "edge", "spine", "core", "bind" or NULL; static */
	const char *key;    /* NULL: the object as a whole; static */
};

/*
 * ft_plan_make() that also fills @ret_blame on -EINVAL, so that a reader of the file can point at the place, and that
 * chooses from @catalog (NULL: none) the switches that the design does not give by their ports.
 */
int ft_plan_make_blame(const struct ft_design *design, const struct ft_catalog *catalog, struct ft_plan **ret_plan,
		       struct ft_error *err, struct ft_plan_blame *ret_blame);

/* True where the design says how many hosts each edge switch has, for just the nodes that it has. */
bool ft_design_has_host_kinds(const struct ft_design *design);

/* "edge", "core": what switch @index is called before the word "switch"; "" where it is just that. */
const char *ft_plan_kind_name(const struct ft_plan *plan, uint32_t index);

/* The class of the design that switch @index is of; NULL: it is like most of its tier. */
const struct ft_design_class *ft_plan_class_of(const struct ft_design *design, const struct ft_plan *plan,
					       uint32_t index);

/* True where the plan has an up and a down: every kind of switch has a rank. */
bool ft_plan_has_ranks(const struct ft_plan *plan);

/* Ports for hosts of switch @index, connected now or not. */
uint32_t ft_plan_host_ports(const struct ft_plan *plan, uint32_t index);

/*
 * Of a plain tree: what comes from below to what leads up at the switches @level levels above the edge, as built; 1
 * where nothing leads up.
 */
struct ft_ratio ft_plan_blocking_of(const struct ft_plan *plan, uint32_t level);

/* The bundle between planned switches @a and @b, in either order: an index, or FT_UNPINNED. Bundles are sorted. */
uint32_t ft_plan_find_bundle(const struct ft_plan *plan, uint32_t a, uint32_t b);

/* Cables of all islands, and the host ports of those of whom they are said. */
uint32_t ft_plan_island_cables(const struct ft_plan *plan);
uint32_t ft_plan_island_hosts(const struct ft_plan *plan);

/* The plan as the "plan" object of SPEC 3, indented by @indent blanks a level (0: on one line). */
void ft_plan_write_json(struct ft_text *text, const struct ft_plan *plan, unsigned int indent);

/* The plan in words for people. */
void ft_plan_write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			const struct ft_catalog *catalog);

/*
 * The design as it was given, byte for byte, with "plan" added or brought up to date: again a design that gives @plan.
 * Returns 0, -EINVAL if @design->text is no JSON object (ft_design_read() makes only such), or -ENOMEM.
 */
int ft_plan_write_design(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan);

/*
 * Whether ibsim and its text form can hold @plan. Returns 0, or -EINVAL with @err filled (no line): a bound name has
 * bytes that the form has no escape for, a bound GUID is one of those that are made up, or a switch is a director of
 * whose inside too little is known.
 */
int ft_plan_check_ibsim(const struct ft_design *design, const struct ft_plan *plan, struct ft_error *err);

/*
 * The intended fabric in the form of ibnetdiscover's output, which ibsim(1) loads and ftcheck --from reads. The plan
 * must have passed ft_plan_check_ibsim().
 *
 * GUIDs are made up: 0x0000000000100001… for switches in the plan's order, 0x0000000000200001… for hosts, two a host
 * (node and port), edge by edge; a switch bound by GUID has that one. LIDs are made up too, switches first, and are 0
 * where there are more ports than unicast LIDs. Each edge has its hosts from port 1 on and its uplinks from port
 * ports_to_nodes + 1 on, core by core; the ports of a core are taken edge by edge. The first expected rate of each
 * kind of cable is used, or 4xHDR.
 *
 * A director is its chips, each with the name of the director and its slot behind it ("core01 L05", "core01 F03"; the
 * second chip of a board "core01 L05/2"), and with GUIDs from 0x0000000001000001 on. The GUID of the switch, made up or
 * bound, is the SystemImageGUID of all of them. What is not known of the inside is as usual (planner/chips.h). Where
 * the design tells chassis by a pattern, names are made up in which that finds the director's.
 *
 * Switches of a tier that is bound by a pattern have the names of the plan where it matches these, and that of no other
 * tier does; else names for which this holds, where such are found (ft_pattern_sample()); else, and in all other
 * outputs, the names of the plan.
 */
void ft_plan_write_ibsim(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan);

#endif
