/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What designs by the rules of a family, or of trees with classes, have in common. Private to infer/. */
#ifndef FT_VERIFY_INFER_BY_RULE_H
#define FT_VERIFY_INFER_BY_RULE_H

#include "verify/infer/general.h"
#include "verify/infer/infer.h"

/* A cable goes missing sooner than one is laid that belongs nowhere: what the latter weighs among wrong ones. */
enum { FT_SURPLUS_COST = 3 };

/*
 * Adds the notes on hosts, rates and aggregation nodes, each with a comma before it. @intent: and those on what its
 * graph plans otherwise than it was seen; NULL: there is none.
 */
void ft_infer_by_rule_notes(const struct ft_inference *f, const struct ft_intent *intent, struct ft_text *text);

/*
 * Adds the hosts of each of @count observed switches, in the order of the plan: , "hosts": [...]. @hosts_of: by
 * observed switch; @unseen: those of one that was not seen, FT_NONE in the list.
 */
void ft_infer_by_rule_hosts(const uint32_t *hosts_of, const uint32_t *observed_of, uint32_t count, uint32_t unseen,
			    struct ft_text *text);

/*
 * By observed switch: whether a design must call it by GUID, as it has no name that this can have as it is: plain, and
 * of no other switch. NULL: no memory.
 */
bool *ft_infer_by_rule_names(const struct ft_inference *f);

/* True if a switch has that name. */
bool ft_infer_by_rule_taken(const struct ft_inference *f, const char *name);

/*
 * Adds the list of the names of @count observed switches, with ranges of numbers; of GUIDs where @by_guid says so.
 * @unseen: the names of those that were not seen, FT_NONE in the list, in order.
 */
void ft_infer_by_rule_bind(const struct ft_inference *f, const uint32_t *observed_of, uint32_t count,
			   const bool *by_guid, const char *const *unseen, struct ft_text *text);

/*
 * Verifies the fabric by a design. @nameless: without the names that its rules give, which may be the fabric's own, of
 * other places. The caller frees the report. Returns 0, -EINVAL: the design is refused, or more than @most cables are
 * wrong by it (0: any number may be), or -ENOMEM.
 */
int ft_infer_by_rule_verify(const struct ft_inference *f, const struct ft_text *text, bool nameless, uint64_t most,
			    struct ft_report **ret_report);

/*
 * The cables that are wrong or missing; UINT64_MAX: some switches have no place, or another number of places than
 * @unseen has no switch.
 */
uint64_t ft_infer_by_rule_wrong(const struct ft_report *report, uint32_t unseen);

/*
 * classes.c: the design of a fat-tree of two levels, with classes of unlike switches, that plans just what the graph
 * does. Returns 1 with @text replaced, 0 if there is none, or -ENOMEM.
 */
int ft_infer_classes(const struct ft_intent *intent, const char *name, struct ft_text *text);

int ft_infer_star(const struct ft_inference *f, const struct ft_intent *intent, const char *name, struct ft_text *text);
int ft_infer_pods(const struct ft_intent *intent, const char *name, struct ft_text *text);

/* Classes of the switches of two ranks. Class 0 is that of most edge switches. */
struct ft_class_sets {
	uint32_t *of;	/* by observed switch: first the classes of edge switches, then those of core switches; FT_NONE:
			   none */
	uint32_t edges; /* classes of edge switches */
	uint32_t count; /* all */
};

/* What is expected of them, by class; of class 0, of all that have no rates of their own. */
struct ft_class_rates {
	struct ft_rate *uplink;	     /* of unknown speed: nothing, or nothing else */
	struct ft_rates_told *hosts; /* count 0: likewise */
};

/* class_rates.c: fills @rates. Returns 0 or -ENOMEM. */
int ft_infer_class_rates(const struct ft_inference *f, const struct ft_class_sets *sets, struct ft_class_rates *rates);

/*
 * wired.c: the design of a dragonfly or dragonfly+ whose groups are as by the rule, and whose cables between groups are
 * listed: @ret_listed. As ft_infer_family().
 */
int ft_infer_wired(const struct ft_intent *intent, const char *name, struct ft_text *text, uint64_t *ret_wrong,
		   uint64_t *ret_listed);

#endif
