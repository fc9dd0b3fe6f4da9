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

#include "planner/design.h"

struct ft_text;

struct ft_plan_switch {
	char *name; /* bound, or "edge001", "core01"; owned */
	enum ft_tier tier;
	uint32_t ports; /* ports of the switch */
	uint32_t hosts; /* host ports to be connected now */
};

/* The cables between two planned switches, all alike. */
struct ft_plan_bundle {
	uint32_t a;	/* index of the switch of the lower tier */
	uint32_t b;	/* index of the switch of the upper tier */
	uint32_t count; /* cables, >= 1 */
};

struct ft_plan {
	enum ft_topology topology; /* star or fat-tree, never auto */
	uint32_t levels;	   /* 1 for a star */
	uint32_t clos;		   /* switch chips between two hosts on different edges, on a shortest path (SPEC 4) */
	uint32_t nodes;
	uint32_t nodes_max;

	/* Edge tier: E switches of Pe ports. */
	uint32_t edge_count;
	uint32_t edge_ports;
	uint32_t ports_to_nodes; /* Eptn */
	uint32_t ports_to_core;	 /* Eptc; 0 for a star */
	enum ft_fill fill;	 /* dense or uniform: how the hosts lie on the edges */

	/* Core tier: C switches of Pc ports; both 0 for a star. */
	uint32_t core_count;
	uint32_t core_ports;

	uint32_t bundle;	  /* B of the rule, no bundle is thicker (B=4 of Eptc=5 may be 3+2); 0 for a star */
	struct ft_ratio blocking; /* Eptn/Eptc as built; 1 for a star */
	uint32_t links;		  /* nodes + E*Eptc */
	uint32_t spare_ports;	  /* edge ports to nodes that are left: E*Eptn - nodes (star: ports - nodes) */
	uint32_t expandable_to;	  /* Emax*Eptn: the nodes that fit on the edge switches that nodes_max makes room for */

	struct ft_plan_switch *switches; /* tier by tier from the edge, each in the plan's order */
	uint32_t switch_count;
	struct ft_plan_bundle *bundles; /* sorted by (a, b); at most one a pair */
	uint32_t bundle_count;
};

void ft_plan_free(struct ft_plan *plan);
static inline void ft_plan_freep(struct ft_plan **plan)
{
	ft_plan_free(*plan);
}

/*
 * Plans @design.
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
	const char *object; /* "edge", "core", "bind" or NULL; static */
	const char *key;    /* NULL: the object as a whole; static */
};

/* ft_plan_make() that also fills @ret_blame on -EINVAL, so that a reader of the file can point at the place. */
int ft_plan_make_blame(const struct ft_design *design, struct ft_plan **ret_plan, struct ft_error *err,
		       struct ft_plan_blame *ret_blame);

/* The plan as the "plan" object of SPEC 3, indented by @indent blanks a level (0: on one line). */
void ft_plan_write_json(struct ft_text *text, const struct ft_plan *plan, unsigned int indent);

/* The plan in words for people. */
void ft_plan_write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan);

/*
 * The design as it was given, byte for byte, with "plan" added or brought up to date: again a design that gives @plan.
 * Returns 0, -EINVAL if @design->text is no JSON object (ft_design_read() makes only such), or -ENOMEM.
 */
int ft_plan_write_design(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan);

/*
 * Whether ibsim and its text form can hold @plan. Returns 0, or -EINVAL with @err filled (no line): a switch has more
 * ports than a node can (IBTA Vol 1, NodeInfo:NumPorts), a bound name has bytes that the form has no escape for, or a
 * bound GUID is one of those that are made up.
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
 */
void ft_plan_write_ibsim(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan);

#endif
