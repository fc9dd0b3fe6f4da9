/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the steps of the matching share. Private to match.c and the files of its steps.
 *
 * Flow: exact_votes.c collects what port numbers and listed hosts tell, where the plan has such. ft_tiers_tell() tells
 * rows from columns; switches of islands have been told by name and are left out. In two levels match.c says how well
 * live switches fit places, and roster.c seats them. In three, clusters.c finds pods and planes, share.c says which
 * planned ones they are, levels.c and roster.c seat who is in them, and settle.c those whom that left out or put in the
 * wrong place. trials.c does all that again where another reading of a switch may explain more. At the end,
 * exact_settle.c has switches that look alike exchange places where more cables are in their ports then.
 */
#ifndef FT_VERIFY_MATCH_H
#define FT_VERIFY_MATCH_H

#include "verify/model.h"

/* Names break ties between classes, and all of them together never more than ties. */
enum { FT_NAMES_SCALE = 1 << 16 };

/* Items to be shared out to classes: how much each of them costs in each class. */
struct ft_choice {
	const int64_t *cost; /* [count][class_count] */
	uint32_t count, class_count;
};

/*
 * Gives each item a class so that the sum of costs is least. A class takes @capacity[class] items; all together have
 * room for all items. Returns 0 or -ENOMEM. @ret_class is all 0 on entry.
 */
int ft_classes_assign(const struct ft_choice *choice, const uint32_t *capacity, uint32_t *ret_class);

/*
 * exact_votes.c: what port numbers tell of who is who, where the plan says which cable is in which port. A cable
 * between port p of a lower and port q of an upper switch has one vote, shared out among the planned ones with these
 * two numbers; a listed host has one for its edge. What is not port-precise has no votes.
 */
int ft_exact_votes_init(struct ft_model *m); /* 0 or -ENOMEM */

/* Of @count places from @first on, the free one that most votes of @live are for; FT_NONE where none, or two, are. */
uint32_t ft_exact_vote_best(struct ft_model *m, uint32_t live, uint32_t first, uint32_t count);

/* What one cable, or one host, has to share out. */
enum { FT_EXACT_VOTE = 1 << 12 };

/* Adds the votes of @live for each planned pod, or plane, to @tally. */
void ft_exact_vote_share(const struct ft_model *m, uint32_t live, bool pods, uint64_t *tally);

/* exact_settle.c: what those who have places tell of one another: exchanges that put more cables into their ports. */
int ft_exact_settle(struct ft_model *m);

/* Live switches that wait for a place, and the places among which theirs is to be. */
struct ft_roster {
	struct ft_model *m;
	uint32_t first, count; /* the places; they are of one tier */
	uint32_t *live;	       /* waiting live switches */
	uint32_t live_count;
	uint32_t *class_of; /* by place from @first on: its class; places of one class are interchangeable */
	uint32_t class_count;
	uint32_t *value; /* by class: what tells it from others: bundle width, hosts, a plane */
	int64_t *cost;	 /* by [waiting live * class_count + class]: how badly it fits, to tell classes apart */
	uint64_t *drop;	 /* by waiting live: the findings it makes if it is unplanned, in halves */
	int64_t *best;	 /* by waiting live: the findings it makes in the best place, in halves */
	uint32_t *named; /* by waiting live: the free place (from @first on) whose name it carries, or FT_NONE */
};

/*
 * The caller fills cost, drop and best, and frees the roster also on failure.
 *
 * @values  by place: what tells its class; copied
 * @live    the switches that wait; copied
 *
 * Returns 0 or -ENOMEM.
 */
int ft_roster_init(struct ft_roster *r, struct ft_model *m, uint32_t first, uint32_t count, const uint32_t *values,
		   const uint32_t *live, uint32_t live_count);
void ft_roster_release(struct ft_roster *r);

/* Seats those that fit better than they would be unplanned, in live_of and planned. Returns 0 or -ENOMEM. */
int ft_roster_seat(struct ft_roster *r);

/* Bound names and GUIDs decide before anything else. @first is the first place of the tier. */
void ft_bound_take(struct ft_model *m, enum ft_tier tier, uint32_t first);

/* For qsort_r(), of live switches, @arg the model: natural order of names, then GUIDs, which is what people expect. */
int ft_live_compare(const void *a, const void *b, void *arg);

/* True where @sw may be seated in @tier: it is of it, has no place yet, and a bind pattern, if there is one, is met. */
static inline bool ft_live_waits(const struct ft_model *m, const struct ft_live_switch *sw, enum ft_tier tier)
{
	return sw->tier == tier && sw->planned == FT_NONE && !sw->tolerated &&
	       (!m->design->binds[tier].match || sw->tier_bound);
}

/* The findings that @seen cables of a pair make where @planned are: one for those that lack, one a cable too many. */
static inline uint32_t ft_pair_faults(uint32_t seen, uint32_t planned)
{
	return seen < planned ? 1 : seen - planned;
}

/*
 * What makes a switch that fits badly a stranger rather than a cripple: not the planned number of ports (one more is an
 * aggregation node's), and no more than half the cables of its place. Halves of a fault.
 */
static inline uint32_t ft_strangeness(const struct ft_model *m, const struct ft_live_switch *sw, uint32_t planned_ports,
				      uint64_t right, uint64_t row)
{
	uint32_t ports = sw->ports;

	(void)m;
	return 2U * (ports != planned_ports && ports != planned_ports + 1) + (right * 2 <= row);
}

/*
 * How many of @missing pairs are surely short of cables of their own: those may be in ports that are silent or were not
 * read, or have gone with a board, which is one fault.
 */
static inline uint32_t ft_missing_less(uint32_t missing, const struct ft_live_switch *sw)
{
	uint32_t unknown = sw->silent + sw->unread + sw->lost_ports;

	return missing > unknown ? missing - unknown : 0;
}

/* What the cables of a switch say of it in one place. */
struct ft_cabling {
	int64_t cost;	 /* cables too few, too many, and where they do not belong */
	int64_t faults;	 /* findings */
	uint64_t right;	 /* cables to whom it should have some */
	uint64_t wanted; /* cables it should have to those that were seen */
};

/*
 * tiers.c: the tier of each live switch. In three levels a row that is not bound is called an edge here; levels.c
 * knows better. Returns 0 or -ENOMEM.
 */
int ft_tiers_tell(struct ft_model *m);

/* clusters.c: what belongs together in a tree of three levels. */

/* A switch that is cabled to another, and by how many cables. Loopbacks and tolerated switches are left out. */
struct ft_near {
	uint32_t live;
	uint32_t cables;
};

struct ft_clusters {
	uint32_t *near_first; /* by live switch, and one more */
	struct ft_near *near;
	uint32_t *pod;	 /* by live switch: of an edge or spine, from 0, or FT_NONE */
	uint32_t *plane; /* by live switch: of a spine or core */
	uint32_t pods, planes;
};

/* What a trial takes for granted, beside what is bound. Both are by live switch. */
struct ft_hints {
	uint8_t *tier;	/* an enum ft_tier, or FT_TIER_COUNT: nothing */
	uint32_t *with; /* a spine in whose pod it is, or FT_NONE */
};

/*
 * Tells edges from cores among the rows, and finds the pods and the planes that the cables make, whatever the plan's
 * numbers of them. The caller releases it also on failure. Returns 0 or -ENOMEM.
 */
int ft_clusters_find(struct ft_model *m, const struct ft_hints *hints, struct ft_clusters *ret);
void ft_clusters_release(struct ft_clusters *c);

/*
 * settle.c: places for those that have none yet, and for those that would do better in each other's; where
 * one would do as well, that is noted as a rival. Returns 0 or -ENOMEM.
 */
int ft_places_settle(struct ft_model *m, const struct ft_clusters *c);

/* No difference in hosts is worth a cable. */
enum { FT_PLACES_SCALE = 1 << 24 };

/*
 * How much of what is seen these places leave unexplained, to hold one matching against another: cables that lack, are
 * too many, or are a stranger's, each at both of its ends, times FT_PLACES_SCALE; then hosts.
 */
int64_t ft_places_cost(struct ft_model *m, const struct ft_clusters *c);

/*
 * levels.c: everybody's place in a plan of three levels, given the sides that ft_tiers_tell() told, and @hints. The
 * caller releases @ret_clusters. Returns 0 or -ENOMEM.
 */
int ft_levels_try(struct ft_model *m, const struct ft_hints *hints, struct ft_clusters *ret_clusters);

/* match_general.c: everybody's place in a plan that is any graph. Returns 0 or -ENOMEM. */
int ft_general_match(struct ft_model *m);

/*
 * match_general.c: switches that carry each other's names, once all have places: named_at. The names that a plan has
 * invented are taken for names where the plan lists cables and they are those of most switches. 0 or -ENOMEM.
 */
int ft_exchanged_find(struct ft_model *m);

/* trials.c: the cheapest of such matchings. Returns 0 or -ENOMEM. */
int ft_levels_match(struct ft_model *m);

#endif
