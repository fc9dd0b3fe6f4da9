/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The plan: the intended fabric as a graph. Planned switches, each with a tier and a number of host ports, and the
 * bundles of cables between them. Every topology ends up in this form; the verifier knows nothing else.
 *
 * Rules: K. Solnushkin, "Fat-Tree Design" ("the tutorial"), sections "Building the edge level" to "Designing for
 * expandability". The letters are the tutorial's: N nodes, E edge switches, C core switches, B cables in a bundle,
 * Eptn edge ports to nodes, Eptc edge ports to the core level, Bl blocking factor.
 */
#ifndef FT_PLANNER_PLAN_PLAN_H
#define FT_PLANNER_PLAN_PLAN_H

#include "planner/plan/catalog.h"
#include "planner/plan/design.h"

struct ft_text;
struct ft_tree;

/*
 * A kind of switches: its word in sentences, and its role. A tree has the kinds "edge", "spine" and "core"; a graph
 * those that its design names.
 */
struct ft_plan_kind {
	char *name;    /* "edge": an edge switch; "switch": just that; owned */
	bool may_host; /* hosts belong on them */
	uint32_t rank; /* steps up from the hosts, in a network that has an up and a down; else FT_NONE */
	bool beside;   /* an "island": it hangs on the tree, has no rank, and is in none of the tree's figures */
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
	uint64_t guid;	/* GUID from the plan; 0: none. Binds of a design are not here */
	uint32_t pod;	/* of an edge or spine; FT_NONE for a core switch, and in a graph */
	uint32_t plane; /* of a spine or core switch; FT_NONE for an edge, and in a graph */
	uint32_t place; /* number from 0 among those of its tier in its pod (edges, spines) or plane (cores) */
	uint32_t group; /* of a family with groups, from 0; else FT_NONE */

	char *interfaces; /* of Ethernet: the names of its ports from 1 on, a line each; owned; NULL: not said */

	/* Hosts by the rules alone, without any list of hosts. */
	uint32_t hosts_rule;

	bool gone; /* accepted as not there: it has no cables and no hosts */

	/* Of one beside the tree. */
	uint32_t island;   /* index into the design's */
	bool hosts_unsaid; /* the design does not say how many hosts it has: @hosts is 0, and any number is right */

	/* The name that an island knows it by, where that is none of the plan's; whoever has it is what is meant. */
	char *alias;	  /* as the design has it, or NULL; owned */
	char *alias_full; /* the node description to be expected of it, where a bind pattern asks for more; or NULL */
};

/*
 * The cables between two planned switches, all alike. They take consecutive ports at both ends. Invariant: an assigned
 * port does not change as the plan grows towards its nodes_max, so that no laid cable moves: hosts have the ports of an
 * edge from 1 on, its uplinks those from ports_to_nodes + 1 on, spine by spine or core by core; an upper switch keeps
 * room for every lower one in the order of their places, and a spine has its ports to the core level behind
 * spine_ports_down. Rings have the last ports of a switch.
 */
struct ft_plan_bundle {
	uint32_t a;	 /* index of a switch; in a tree of the lower one */
	uint32_t b;	 /* index of another, greater than @a; in a tree the upper one */
	uint32_t count;	 /* cables, >= 1 */
	uint32_t a_port; /* the first port at a, from 1; the others follow */
	uint32_t b_port; /* the first port at b */
};

/* For qsort(): the order in which a plan has its bundles, by a and then by b. */
static inline int ft_plan_bundle_compare(const void *one, const void *other)
{
	const struct ft_plan_bundle *x = one, *y = other;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/*
 * One cable of a port-precise plan, between planned switches. In a director, ports are numbered as in struct ft_inside.
 */
struct ft_plan_cable {
	uint32_t a, b;		 /* indices of the switches, as in the bundle of the two */
	uint32_t a_port, b_port; /* from 1; 0: not said, any will do */
};

/* The planned place of a host. */
struct ft_plan_host {
	char *name;    /* its node description without the adapter ("node055" of "node055 HCA-1"); NULL: not given */
	uint64_t guid; /* of its node or port; 0: not said */
	uint32_t edge; /* index of the planned switch */
	uint32_t port; /* of that switch; 0: not said */
	char *adapter; /* which of the host's it is, "HCA-2"; NULL: not said */
	uint32_t adapter_port; /* of the adapter, from 1; 0: not said */
};

#define FT_BISECTION_UNKNOWN UINT64_MAX

struct ft_plan {
	enum ft_technology technology; /* the design's */
	bool without_vlans;	       /* of Ethernet: the design says "vlans": false */
	enum ft_topology topology;     /* star, fat-tree or graph, never auto */
	/*
	 * Whether it is no plain tree: a graph, spines of a pod that share a plane, classes of switches, rings. Then
	 * only kinds, switches, hosts and bundles describe the cabling.
	 */
	bool general;
	/*
	 * It is general only as parts of a plain tree were accepted otherwise, or are not due: which edge switches have
	 * how many of the hosts is as open as in the tree.
	 */
	bool amended;
	struct ft_tree *tree; /* what only a tree has (plan/tree.h); of a graph all 0; owned */
	/*
	 * Of a graph that a family's rules made (planner/family/family.h): the family's name, what the network is
	 * called (a torus of one dimension is a "ring"), and its parameters ("5x6", "q=5"); else NULL. Switches of a
	 * grid are in the order of their coordinates, the last one running fastest.
	 */
	const char *family, *called;		     /* static */
	char *label;				     /* owned */
	uint32_t dims[FT_DIMENSIONS_MAX], dim_count; /* of a grid; else 0 */
	uint32_t group_count;			     /* groups of switches; 0: there are none */
	/*
	 * The fewest cables between two halves of the switches with hosts, as the family's rules give it (struct
	 * ft_family); FT_BISECTION_UNKNOWN where they do not, and of every other plan.
	 */
	uint64_t bisection;
	bool symmetric; /* as in struct ft_design_graph */
	uint32_t clos;	/* switch chips between two hosts on different edges, on a shortest path (SPEC 4) */
	/* Of a graph: ordered pairs of switches with hosts that have a path, and the cables of all shortest ones. */
	uint64_t switch_pairs, switch_cables;
	uint32_t nodes;
	uint32_t nodes_max;

	/* The catalog's data of the switches. NULL or unknown if the design gives ports. */
	char *catalog;				   /* owned; its own name, where a tier is from one */
	char *models[FT_TIER_COUNT];		   /* owned */
	char *families[FT_TIER_COUNT];		   /* owned; of the entry, where that is called otherwise */
	bool directors[FT_TIER_COUNT];		   /* modular: a tree of chips inside */
	uint32_t mac_tables[FT_TIER_COUNT];	   /* static entries of an Ethernet switch; 0: not known */
	uint32_t fabric_boards[FT_TIER_COUNT];	   /* installed, where some are left out; 0: all, or not modular */
	uint32_t fabric_boards_max[FT_TIER_COUNT]; /* likewise: how many there are slots for */
	struct ft_inside inside[FT_TIER_COUNT];	   /* of directors */
	int64_t cost, power_w, weight_kg, size_u;  /* in all, thousandths; FT_AMOUNT_UNKNOWN */
	uint64_t unpriced; /* choices of switches that were left out, as their figure for the objective is unknown */
	bool fallback_objective; /* no cost was known, so fewest switches, then fewest cables, were the objective */

	uint32_t links;	      /* nodes + E*Eptc, three levels: + spines * spine_ports_up */
	uint32_t spare_ports; /* edge ports to nodes that are left: E*Eptn - nodes (star: ports - nodes; of a graph: all
				 free ports) */

	/* Edge switches of blade chassis: their chassis. servers 0: they are none. */
	uint32_t blade_servers, blade_size_u, blade_rack_chassis; /* as in struct ft_blade */
	char *blade_pass_through;				  /* owned; NULL: there is none */

	struct ft_plan_kind *kinds; /* owned; of a tree always edge, spine and core, by enum ft_tier */
	uint32_t kind_count;
	struct ft_plan_switch *switches; /* in a tree tier by tier from the edge, each in the plan's order: pod by pod,
					    cores plane by plane */
	uint32_t switch_count;
	struct ft_plan_bundle *bundles; /* sorted by (a, b), first those of the tree; at most one a pair */
	uint32_t bundle_count;

	/* What hangs on the tree is behind it in these lists, and in none of the figures above. */
	uint32_t beside_switches, beside_bundles, beside_cables;

	/* Port by port, where the design says so: else NULL and 0, and any port will do. Bundles are what is listed,
	   and may be thicker then than @bundle and @spine_bundle. */
	struct ft_plan_cable *cables; /* in the order of the bundles, then by a_port; they are what these count */
	uint32_t cable_count;
	struct ft_plan_host
		*hosts; /* hosts with a planned place, sorted by (edge, port); owned, their names and adapters too */
	uint32_t host_count;
};

void ft_plan_hosts_free(struct ft_plan_host *hosts, uint32_t count);
/* An empty plan, owned by the caller; NULL: no memory. */
struct ft_plan *ft_plan_new(void);
void ft_plan_free(struct ft_plan *plan);
static inline void ft_plan_freep(struct ft_plan **plan)
{
	ft_plan_free(*plan);
}

/*
 * Plans @design, which gives its switches by their ports.
 *
 * @ret_plan  out: the plan, owned by the caller. Untouched on failure.
 * @err       filled on -EINVAL, without line and column: the numbers of the design that contradict each other, or why
 *            nothing fits
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_plan_make(const struct ft_design *design, struct ft_plan **ret_plan, struct ft_error *err);

/* The key of the design at fault: an object of the root, NULL for the root itself, and its key. */
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

/*
 * The catalog that the plan's switches were chosen from, if that is a built-in one: a file must not determine which
 * other files are read. The caller frees @ret_catalog, which is untouched where there is none. Returns 0, or what
 * ft_catalog_load() does.
 */
int ft_plan_catalog(const struct ft_plan *plan, struct ft_catalog **ret_catalog, struct ft_error *err);

/* True if the design gives the hosts of each edge switch, for exactly its number of nodes. */
bool ft_design_has_host_kinds(const struct ft_design *design);

/* The word before "switch" for a kind called @name: "edge", "core"; "" where the kind is called "switch" itself. */
const char *ft_kind_word(const char *name);

/* That of switch @index; "" if there is none. */
const char *ft_plan_kind_name(const struct ft_plan *plan, uint32_t index);

/*
 * Data rate of a cable of @bundle as @design expects it, in Mb/s: the first rate of uplinks, of the design or of a
 * class of switches that says its own. Both ends run at the lower of the two; an end that says none follows the other.
 * 0: neither says one.
 */
double ft_plan_cable_mbps(const struct ft_design *design, const struct ft_plan *plan,
			  const struct ft_plan_bundle *bundle);

/* The design's class of switch @index; NULL: it has none. */
const struct ft_design_class *ft_plan_class_of(const struct ft_design *design, const struct ft_plan *plan,
					       uint32_t index);

/* True where the plan has an up and a down: every kind of switch has a rank. */
bool ft_plan_has_ranks(const struct ft_plan *plan);

/* Ports for hosts of switch @index, connected now or not. */
uint32_t ft_plan_host_ports(const struct ft_plan *plan, uint32_t index);

/*
 * Of a plain tree: the ratio of down to up capacity of the switches @level levels above the edge, as built; 1 at the
 * top.
 */
struct ft_ratio ft_plan_blocking_of(const struct ft_plan *plan, uint32_t level);

/* The bundle between planned switches @a and @b, in either order: an index, or FT_NONE. Bundles are sorted. */
uint32_t ft_plan_find_bundle(const struct ft_plan *plan, uint32_t a, uint32_t b);

/* True where switch @index hangs on the tree, and is no part of it. */
static inline bool ft_plan_is_beside(const struct ft_plan *plan, uint32_t index)
{
	return plan->kinds[plan->switches[index].kind].beside;
}

/* The switches of the tree are those before this one, and its bundles likewise. */
static inline uint32_t ft_plan_tree_switches(const struct ft_plan *plan)
{
	return plan->switch_count - plan->beside_switches;
}

static inline uint32_t ft_plan_tree_bundles(const struct ft_plan *plan)
{
	return plan->bundle_count - plan->beside_bundles;
}

/* The plan without what hangs on the tree: a view of @plan, for whoever draws or counts the tree. It owns nothing. */
struct ft_plan ft_plan_tree(const struct ft_plan *plan);

/*
 * What hangs on the tree, while lists of the site are held against the tree alone: set aside, and returned behind
 * whatever the tree has become. Returns 0 or -ENOMEM; the plan is whole then.
 */
struct ft_plan_aside {
	struct ft_plan_bundle *bundles; /* owned, as long as they are set aside */
	uint32_t switch_count, bundle_count;
};
int ft_plan_set_aside(struct ft_plan *plan, struct ft_plan_aside *ret_aside);
int ft_plan_take_back(struct ft_plan *plan, struct ft_plan_aside *aside);

/* Cables of all islands, and the host ports of those of whom they are said. */
uint32_t ft_plan_island_cables(const struct ft_plan *plan);
uint32_t ft_plan_island_hosts(const struct ft_plan *plan);

/* What an island calls a switch of the tree, or else its name in the plan. */
static inline const char *ft_plan_known_as(const struct ft_plan *plan, uint32_t index)
{
	const struct ft_plan_switch *sw = &plan->switches[index];

	return sw->alias ? sw->alias : sw->name;
}

/* The plan as the "plan" object of SPEC 3, indented by @indent blanks a level (0: on one line). */
void ft_plan_write_json(struct ft_text *text, const struct ft_plan *plan, unsigned int indent);

/* The plan as text. */
void ft_plan_write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			const struct ft_catalog *catalog);

/*
 * The design as it was given, byte for byte, with "plan" added or updated: reading it gives @plan again.
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
 * bound, is the SystemImageGUID of all of them. Unknown numbers of the inside are the usual ones
 * (planner/plan/chips.h). If the design has a chassis pattern, names are made up in which it finds the director's name.
 *
 * Switches of a tier that is bound by a pattern have their planned names if the pattern matches these, and no other
 * tier's pattern does; else made-up names with this property, if they exist (ft_pattern_sample()); else, and in all
 * other outputs, the planned names.
 */
void ft_plan_write_ibsim(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan);

#endif
