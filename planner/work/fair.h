/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Max-min fair shares of resources, kept up to date while flows come and go.
 *
 * Flows over the same links are members of one class and have one rate. A class loads each of its resources by members
 * * share * rate. The rates are max-min fair: each class is at its own limit, or has a bottleneck, which is a full
 * resource on which no class has a higher rate (D. Bertsekas, R. Gallager, "Data Networks", 6.5.2). There is just one
 * such allocation.
 *
 * Algorithm: progressive filling of the classes that a change touches, with all others fixed; then the bottlenecks of
 * the others are checked, and those that have lost theirs, or stand in the way of one that was filled, are filled too,
 * until no more join. Only resources that have been full before are minded in filling, few of all: one that
 * turns out to be overloaded is minded from then on, and the filling repeated. Filling is O(n log n) in the shares of
 * the classes that are filled, mostly far fewer than there are.
 */
#ifndef FT_PLANNER_WORK_FAIR_H
#define FT_PLANNER_WORK_FAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/queue.h"
#include "planner/work/paths.h"

#define FT_FAIR_NONE UINT32_MAX

struct ft_fair_class {
	const struct ft_share *shares; /* borrowed */
	uint32_t share_count;
	uint32_t extra;	 /* one more resource, of which it has the share 1; FT_FAIR_NONE: none */
	uint32_t *seats; /* by share, and the extra one: its place among the resource's users; owned */
	uint32_t seat_size;
	uint32_t members;
	double limit;	     /* no member is faster */
	double rate;	     /* of each member; 0 before the first ft_fair_update() */
	double rate_filled;  /* before the filling under way */
	double rate_before;  /* the last ft_fair_update() */
	uint32_t bottleneck; /* FT_FAIR_NONE: its own limit */
	uint64_t filled;     /* the update that it is filled in */
	bool settled;	     /* in the filling under way */
};

struct ft_fair_user {
	uint32_t class, share; /* share_count: the extra one */
};

struct ft_fair_resource {
	double potential; /* the load with all users at their limits */
	struct ft_fair_user *users;
	uint32_t user_count, user_size;
	uint32_t bottleneck_of; /* classes */
	uint64_t touched;	/* the update that it is to be checked in */
	uint64_t in_fill;	/* the filling that uses it */
	double rest, weight;	/* of that filling: what is left for classes not settled, and their shares */
	uint32_t unsettled;
};

struct ft_fair {
	struct ft_fair_resource *resources;
	double *capacity, *load; /* by resource; the load is that of its users at their rates */
	uint8_t *hot;		 /* likewise: it has been full, and has to be minded in filling */
	uint32_t resource_count;
	struct ft_fair_class *classes;
	uint32_t class_count, class_size;
	uint32_t *free_classes;
	uint32_t free_count;
	uint32_t *filled, *touched; /* classes that this update fills, and resources that it checks */
	uint32_t filled_count, touched_count;
	uint64_t update, fill;
	uint64_t work;		/* shares of classes that were filled or checked so far: what the time goes to */
	struct ft_queue rising; /* resources that a filling uses, by their level when it was last looked at */
};

/*
 * @capacities  by resource
 * @extra       as many more resources, behind those, of @extra_capacities
 * The caller releases @ret also on failure. Returns 0 or -ENOMEM.
 */
int ft_fair_make(const double *capacities, uint32_t count, const double *extra_capacities, uint32_t extra,
		 struct ft_fair *ret);
void ft_fair_release(struct ft_fair *fair);

/* Begins an update: members come and go, then ft_fair_update(). */
void ft_fair_begin(struct ft_fair *fair);

/* A class without members. Numbers of removed classes are used again. Returns 0 or -ENOMEM. */
int ft_fair_add(struct ft_fair *fair, const struct ft_path *path, uint32_t extra, double limit, uint32_t *ret_class);

/* One member more; one less: a class is removed with its last member. 0 or -ENOMEM. */
int ft_fair_join(struct ft_fair *fair, uint32_t class);
void ft_fair_leave(struct ft_fair *fair, uint32_t class);

/* Makes the rates fair again. @filled has the classes whose rates may have changed. */
void ft_fair_update(struct ft_fair *fair);

#endif
