/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the reading of a design is made of. Private to planner/design*.c.
 *
 * "reader" is that of the design file; the struct it owns, once ft_design_parse() was called, is the design.
 */
#ifndef FT_PLANNER_DESIGN_DESIGN_PARTS_H
#define FT_PLANNER_DESIGN_DESIGN_PARTS_H

#include <stdbool.h>

#include "planner/plan/design.h"
#include "planner/plan/keys.h"
#include "planner/plan/plan.h"

/*
 * Everything that one key says, and what several say together without planning. What was read before an error stays in
 * @design, and is the caller's to free. Returns 0, -EINVAL with the reader's error filled, or -ENOMEM.
 */
int ft_design_parse(struct ft_key_reader *reader, struct ft_design *design);

/* 2.6 or "2.6:1", exactly. Returns 0, -EINVAL (not of these forms), or -ERANGE as ft_ratio_parse() does. */
int ft_design_ratio(const json_t *value, struct ft_ratio *ret_ratio);

/* Keys on the live fabric, for the column "read". @out is what the comment says. */
int ft_design_key_rate(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);   /* struct ft_design */
int ft_design_key_bind(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);   /* its binds */
int ft_design_key_expect(struct ft_key_reader *reader, const struct ft_key_at *at, void *out); /* struct ft_expect */

/* A day "2026-12-31": char[11]. */
int ft_design_key_date(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);

/* The phases of a build: struct ft_design. */
int ft_design_key_phases(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
void ft_design_phases_release(struct ft_design *design);

/*
 * Accepted deviations: struct ft_design. They are applied once the cables and hosts of the design are part of its plan.
 * Returns 0, -EINVAL with the place, or -ENOMEM.
 */
int ft_design_key_accepted(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_apply_accepted(const struct ft_key_reader *reader, const struct ft_design *design, struct ft_plan *plan);
void ft_design_accepted_release(struct ft_design *design);

/* As struct ft_design has it. Returns 0 or -ENOMEM. */
int ft_design_hash(const json_t *root, char ret_hash[FT_DESIGN_HASH_SIZE]);

/* A GUID of 0x and hexadecimal digits: uint64_t. */
int ft_design_key_guid(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);

/* "rate": of both kinds of cables, or of each; the caller frees what is filled. */
int ft_design_read_rates(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_rates *ret_uplink,
			 struct ft_rates *ret_host);

/* Classes of switches: struct ft_design. What they say is held against the other keys once these are read. */
int ft_design_key_classes(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_check_classes(const struct ft_key_reader *reader, const struct ft_design *design);
void ft_design_classes_release(struct ft_design *design);

int ft_design_key_islands(struct ft_key_reader *reader, const struct ft_key_at *at, void *out); /* struct ft_design */

/*
 * Reads "switches" and "links" into the graph of @design, where that is its topology; and refuses them elsewhere, and
 * the keys of trees here. Its nodes are then those of the switches. Returns 0, -EINVAL with the place, or -ENOMEM.
 */
int ft_design_finish_graph(struct ft_key_reader *reader, struct ft_design *design);

/*
 * Reads "links" of a network of groups, where its cables between groups are listed, into the graph and the keys of
 * @design. Returns 0, -EINVAL with the reader's error filled, or -ENOMEM.
 */
int ft_design_read_group_links(struct ft_key_reader *reader, struct ft_design *design);

/*
 * Keys of families; @out is the struct ft_design. Once all are read, those that the design's family does not have are
 * refused, and where the nodes are not given, they are as many as fit.
 */
int ft_design_key_dims(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_key_family_bundle(struct ft_key_reader *reader, const struct ft_key_at *at, void *out); /* numbers */
int ft_design_key_group(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_key_groups(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_key_arrangement(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_finish_family(struct ft_key_reader *reader, struct ft_design *design);

/* Keys on ports and hosts, likewise; @out is the struct ft_design. */
int ft_design_key_cables(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_key_hosts(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_key_contradictions(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_key_names(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
void ft_design_cabling_release(struct ft_design *design);

/* Names of the ports of an Ethernet switch: char *, a line each; and no more of them than @ports (FT_NONE: any). */
int ft_design_key_interfaces(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_interfaces_check(struct ft_key_reader *reader, const struct ft_key_at *at, const char *interfaces,
			uint32_t ports);
int ft_design_key_macs(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);

/* Holds the addresses of hosts against the hosts of the plan. Returns 0, -EINVAL with the place, or -ENOMEM. */
int ft_design_check_macs(const struct ft_key_reader *reader, const struct ft_design *design,
			 const struct ft_plan *plan);

/* Sets the error to the place of what the planner blames: the key, else its object, else the whole design. -EINVAL. */
int ft_design_fault(const struct ft_key_reader *reader, const struct ft_plan_blame *blame, const char *text);

/* Makes the cables and hosts that @design lists part of its @plan. Returns 0, -EINVAL with the place, or -ENOMEM. */
int ft_design_apply_cabling(const struct ft_key_reader *reader, const struct ft_design *design, struct ft_plan *plan);

/* A value that is a pattern, as one of the compilers of base/pattern.h takes it. */
typedef int ft_pattern_compiler(const char *text, struct ft_pattern **ret_pattern, struct ft_error *err);
int ft_design_read_pattern(struct ft_key_reader *reader, const struct ft_key_at *at, ft_pattern_compiler *compile,
			   struct ft_pattern **ret_pattern);

/*
 * Directors, likewise: struct ft_inside, and struct ft_pattern *. Once the keys of a role at @at are read, what follows
 * from its "inside" is filled in, and what contradicts itself there is refused.
 */
int ft_design_key_inside(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_key_chassis(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_design_finish_inside(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_design_role *role);

/* What @role does not say of the inside is as in @chosen, its tier of the "plan", as far as that makes sense. */
void ft_design_inside_from_plan(const json_t *chosen, struct ft_design_role *role);

/* Whether the design leaves the switches of a tier to the catalog. "count": 0 says that there are none. */
bool ft_design_tier_is_open(const struct ft_design *design, enum ft_tier tier);

/*
 * Where no catalog is named: a file that carries its plan is complete in itself, whatever catalog that was made with.
 * What the design leaves out is taken from the "plan" of the file; what it gives must be the same there.
 *
 * @ret_chosen  out: @design, from which it borrows, with every switch given, and only the limits on what is known
 *              without a catalog; for ft_design_chosen_release(). Untouched unless 1 is returned.
 *
 * Returns 1; 0 if there is no plan or it lacks the switches of a tier; -EINVAL with the place, or -ENOMEM.
 */
int ft_design_choose_from_plan(const struct ft_key_reader *reader, const struct ft_design *design,
			       struct ft_design *ret_chosen);
void ft_design_chosen_release(struct ft_design *chosen);

/*
 * What only the catalog of then said, from the "plan" of the file, into the @plan computed without a catalog; the
 * limits of @design on such figures are held against these. Returns 0, -EINVAL with the place, or -ENOMEM.
 */
int ft_design_figures_from_plan(const struct ft_key_reader *reader, const struct ft_design *design,
				struct ft_plan *plan);

/* Holds the "plan" of the file, if it has one, against @plan. Returns 0, -EINVAL with the place, or -ENOMEM. */
int ft_design_check_plan(const struct ft_key_reader *reader, const struct ft_plan *plan);

#endif
