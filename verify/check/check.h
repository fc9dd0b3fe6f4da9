/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What needs no explanation, only a look: the checks, which steps/verify.c takes as steps, and what other rooms ask of
 * them. Each step adds its findings, and returns 0 or -ENOMEM.
 */
#ifndef FT_VERIFY_CHECK_CHECK_H
#define FT_VERIFY_CHECK_CHECK_H

#include "verify/model/model.h"

/* rates.c: cables slower than others. */
int ft_rates_check(struct ft_model *m);

/* hosts.c: the number of hosts, and what they are cabled to; and for it, where there is a recording instead of a
 * design: */
int ft_hosts_check(struct ft_model *m);
int ft_hosts_since_check(struct ft_model *m);
void ft_changes_check(struct ft_model *m); /* of devices */

/*
 * hosts_expected.c: the hosts that the design expects to be down: unknown names, and names of hosts that are up, become
 * findings. Returns how many hosts may be missing.
 */
uint32_t ft_hosts_expected_check(struct ft_model *m);

/* identities.c: duplicate GUIDs and LIDs. */
int ft_identities_check(struct ft_model *m);

/* contradictions.c: where the plan contradicts itself; findings that this explains become its symptoms. */
int ft_contradictions_check(struct ft_model *m);

/* storms.c: on Ethernet, which ports are not to be opened: ends of cables that join two VLANs, or close a loop in one.
 */
int ft_storms_check(struct ft_model *m);

/* sm.c: the subnet managers, and ports that they left unconfigured: not active, or without a LID. */
int ft_sm_check(struct ft_model *m);

/* counters.c: cables with transmission errors. */
int ft_counters_check(struct ft_model *m);

/* foreign.c: tests, if the input asks for it, whether the design is that of this fabric; after the figures. */
int ft_foreign_check(struct ft_model *m);

/* hosts_named.c: gives each finding the names of the hosts that it cuts off, where they are known; after the impact. */
int ft_hosts_cut_off_name(struct ft_model *m);

/* hosts_expected.c: true if the design expects this host to be down. */
bool ft_host_is_expected_down(const struct ft_model *m, const char *name);

/* hosts.c: the hosts of the plan, those beside the tree too; where nobody says how many, those that were found. */
uint32_t ft_hosts_planned(const struct ft_model *m);

/* hosts.c: adds " HCA-2 port 1" of a listed host, as far as the plan gives it. */
void ft_interface_add(struct ft_text *text, const struct ft_plan_host *h);

/* counters.c: by port of m->chips, its item of the counters, or FT_NONE. The caller frees it; NULL: no memory. */
uint32_t *ft_counters_index(const struct ft_model *m);

#endif
