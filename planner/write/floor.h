/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The floor model: where every switch and host of a plan stands, and so how long its cables are.
 *
 * Hosts stand in racks from the bottom up, and their edge switch on top of the rack ("Fat-Tree Design", section
 * "Building the edge level": two edge switches of 18 hosts of 1 U each are 38 of 42 U). An edge switch with its hosts
 * takes the next place in the plan's order, and is never split over racks unless it is too large for one: then it has
 * racks of its own, with the switch on top of the middle one. A switch taller than half a rack has one to itself. Blade
 * switches are in the chassis of their hosts.
 *
 * Spines stand in the middle of the racks of their pod, core switches in racks nearest to the middle of the floor, from
 * the bottom up; the spines of a pod, or the core switches of a plan of two levels, stand in the middle rack below the
 * edge switches if there is room for all of them.
 *
 * Room is kept for all that the core level has room for: full edge switches, full pods, all pods. So nothing moves as
 * the plan grows towards its nodes_max. The racks are in rows of one length, as few as possible, and longer than
 * usual where the floor would get longer than wide; pods follow each other to the end of a row, and back in the next.
 *
 * Grids and networks with groups stand as planner/write/seats.h has it: as pods do, where a row of a grid or a group is
 * a pod.
 *
 * A cable runs along the rack where both ends are in one, else up to the tray above the racks, along rows and across
 * them, and down again. It has some slack at either end and comes in standard lengths.
 */
#ifndef FT_PLANNER_WRITE_FLOOR_H
#define FT_PLANNER_WRITE_FLOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/plan/catalog.h"
#include "planner/plan/plan.h"

struct ft_floor_model {
	uint32_t rack_units;	/* of a rack; more if a switch or chassis is taller */
	uint32_t host_units;	/* of a host; at most rack_units */
	uint32_t chassis_units; /* of a blade chassis whose size is not known */
	uint32_t manager_units; /* left free above each spine and core switch, for its cables */
	uint32_t row_racks;	/* of a row, at most, unless the floor would get longer than wide */
	uint32_t rack_width_mm;
	uint32_t row_pitch_mm; /* from row to row */
	uint32_t tray_mm;      /* from the top of the racks up to the tray */
	uint32_t slack_mm;     /* at each end: from the port to the side of the rack, and a loop */
};

/* 42 U racks 0.6 m wide, up to 20 in a row, rows 2.4 m apart (two rows on eight floor tiles); hosts of 1 U. */
extern const struct ft_floor_model ft_floor_default;

struct ft_floor_place {
	uint32_t rack;	/* number from 0, row by row */
	uint32_t unit;	/* the lowest it takes, from 1 at the bottom */
	uint32_t units; /* its height; of a blade switch or server: of the chassis */
	bool midplane;	/* a host whose link is inside the chassis: it has no cable */
};

struct ft_floor {
	struct ft_floor_model model; /* with rack_units as it came out */
	uint32_t rows;
	uint32_t columns;		 /* racks of a row */
	struct ft_floor_place *switches; /* in the plan's order */
	uint32_t switch_count;
	struct ft_floor_place *hosts; /* edge by edge */
	uint32_t host_count;
};

void ft_floor_free(struct ft_floor *floor);
static inline void ft_floor_freep(struct ft_floor **floor)
{
	ft_floor_free(*floor);
}

/*
 * Puts @plan on the floor. The sizes of its models are from @catalog; where they are not known (or @catalog is NULL), a
 * switch of up to 64 ports has 1 U, up to 128 has 2 U, up to 254 has 4 U, and a director 1 U for each 20 ports.
 *
 * @model      NULL: ft_floor_default
 * @ret_floor  out: the caller frees it. Untouched on failure.
 *
 * Returns 0, -EINVAL (a count of @model that may not be 0 is, or there are millions of racks) or -ENOMEM.
 */
int ft_floor_make(const struct ft_plan *plan, const struct ft_catalog *catalog, const struct ft_floor_model *model,
		  struct ft_floor **ret_floor);

enum { FT_FLOOR_RACK_SIZE = 16 };

/* The name of a rack: letters for the row, two or more digits for the place in it ("A01"). Returns @buffer. */
const char *ft_floor_rack_name(const struct ft_floor *floor, uint32_t rack, char buffer[FT_FLOOR_RACK_SIZE]);

/* The way of a cable between two places in mm, and the shortest standard length for it. */
uint32_t ft_floor_distance_mm(const struct ft_floor *floor, const struct ft_floor_place *a,
			      const struct ft_floor_place *b);
uint32_t ft_floor_cable_mm(uint32_t distance_mm);

/* The type of @plan's switches of @tier in @catalog, with the fabric boards that are installed. -ENOENT: unknown. */
int ft_plan_switch_type(const struct ft_plan *plan, enum ft_tier tier, const struct ft_catalog *catalog,
			struct ft_switch_type *ret_type);

#endif
