/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The output formats of a plan, described in ftplan(1).
 *
 * Every writer adds to @text and has the same arguments. @catalog is where the plan's models are looked up (NULL: none
 * is known, and the sizes and prices of switches neither). They return 0, -ENOMEM, or -EINVAL with @err filled (no
 * line): the form cannot hold this plan. Then the contents of @text are incomplete.
 */
#ifndef FT_PLANNER_WRITE_FORMATS_H
#define FT_PLANNER_WRITE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "planner/plan/catalog.h"
#include "planner/plan/design.h"
#include "planner/plan/plan.h"
#include "planner/write/ethernet.h"

struct ft_text;

/* CSV: one row a cable, with a label for each of its ends, and its length by the floor model (planner/write/floor.h).
 */
int ft_write_cables(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		    const struct ft_catalog *catalog, struct ft_error *err);

/* CSV: the bill of materials. */
int ft_write_bom(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		 const struct ft_catalog *catalog, struct ft_error *err);

/* ft_plan_check_ibsim() and ft_plan_write_ibsim(). */
int ft_write_ibsim(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		   const struct ft_catalog *catalog, struct ft_error *err);

/*
 * The topology file of ibdmchk and ibtopodiff (ibdm-topo-file(1)). Switches of as many ports as one of the systems that
 * come with those programs are such systems; for the others ft_write_ibnl() gives the definition. -EINVAL for switches
 * of more ports than one chip has: these programs number ports in eight bits.
 */
int ft_write_ibdm(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		  const struct ft_catalog *catalog, struct ft_error *err);
int ft_write_ibnl(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		  const struct ft_catalog *catalog, struct ft_error *err);

/*
 * topology.conf of Slurm's topology/tree plugin. Slurm wants a tree, where every switch has one parent: edge switches
 * that reach each other over the same upper switches have one parent in place of them.
 */
int ft_write_slurm(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		   const struct ft_catalog *catalog, struct ft_error *err);

/* A list of GUIDs for OpenSM, with the name of each (NULL: without names). Not owned. */
struct ft_opensm_list {
	const uint64_t *guids;
	const char *const *names;
	size_t count;
};

/*
 * opensm -a: the node GUIDs of the switches of the highest tier (in a director: of its inner switch chips too).
 * opensm -u: the port GUIDs of the hosts.
 *
 * Returns 0, or -EINVAL with @err filled: none is given, one is 0, or one is there twice; or -ENOMEM.
 */
int ft_write_opensm_roots(struct ft_text *text, const struct ft_opensm_list *list, struct ft_error *err);
int ft_write_opensm_cns(struct ft_text *text, const struct ft_opensm_list *list, struct ft_error *err);

/* Whether OpenSM has roots to be told of: a tree, or a graph whose cables all lead between hosting and other switches.
 */
bool ft_opensm_has_roots(const struct ft_plan *plan);

/* Whether switch @index is one of them. */
bool ft_opensm_is_root(const struct ft_plan *plan, uint32_t index);

/*
 * For a plan without roots: the routing engine, as lines of opensm.conf; of a torus of two or three dimensions the
 * torus-2QoS.conf.
 *
 * @guids  by switch; 0: not known. -EINVAL with @err filled: too few are, and a torus wants them
 */
int ft_write_opensm_engine(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			   const uint64_t *guids, struct ft_error *err);

/*
 * The root GUID file of a plan whose switches of the highest tier are bound by GUID; -EINVAL with @err filled where one
 * is not. Of a plan without roots ft_write_opensm_engine(), with the GUIDs that are bound.
 */
int ft_write_opensm(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		    const struct ft_catalog *catalog, struct ft_error *err);

typedef int ft_format_writer(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			     const struct ft_catalog *catalog, struct ft_error *err);

/* A form by the name that --format gives it. */
struct ft_format {
	const char *name;
	ft_format_writer *write;
	bool islands;		    /* it has them too; others are of the tree alone */
	bool infiniband;	    /* it is for programs that know nothing else */
	ft_ethernet_writer *tables; /* of Ethernet switches, in place of @write; NULL: it is no such form */
};

/*
 * The plan in @format, as far as that holds it. Returns what its writer does, or -EINVAL with @err filled: the form is
 * of another technology than the plan.
 *
 * @only  of a form that is for single switches the one to write; NULL: all
 */
int ft_format_write(const struct ft_format *format, struct ft_text *text, const struct ft_design *design,
		    const struct ft_plan *plan, const struct ft_catalog *catalog, const char *only,
		    struct ft_error *err);

/* NULL: there is none of that name. */
const struct ft_format *ft_format_find(const char *name);

#endif
