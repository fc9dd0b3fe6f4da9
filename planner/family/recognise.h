/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which networks of which families a fabric may be, by its numbers alone. Whether it is one of them is for the matcher
 * to find out: a family knows only which of its parameters give so many switches with so many neighbours.
 */
#ifndef FT_PLANNER_FAMILY_RECOGNISE_H
#define FT_PLANNER_FAMILY_RECOGNISE_H

#include "planner/family/family.h"

enum { FT_SKETCH_WIDTHS_MAX = 4 };

/* The numbers of a fabric. */
struct ft_sketch {
	uint32_t switches;
	uint32_t hosting; /* switches with hosts */
	uint32_t degree;  /* neighbours of a switch: those that most have, of equal numbers the larger */
	uint32_t degree_max;
	uint64_t pairs;	 /* of switches that are cabled to each other */
	uint64_t cables; /* of all of them */
	/* Cables of a pair: what many pairs have, the most frequent first. */
	uint32_t widths[FT_SKETCH_WIDTHS_MAX], width_count;

	/*
	 * The cells of leafs and spines that it would have as a dragonfly+, by size; not owned. Whoever is offered
	 * parameters may keep the pointer as long as the sketch's owner.
	 */
	struct ft_group_size *cells;
	size_t cell_sizes;

	/* Takes parameters, as a copy. Returns 0, or -errno to end the guessing. */
	int (*offer)(const struct ft_sketch *sketch, const struct ft_family *family, const struct ft_family_keys *keys);
	void *arg;
};

/*
 * Offers the parameters of every family that may give such a network with a few cables missing. Returns 0, or what the
 * offer returned.
 */
int ft_family_guess(const struct ft_sketch *sketch);

/* The keys of a design that say these parameters, each with a comma before it: ,"dims": [4, 6] */
void ft_family_keys_write(struct ft_text *text, const struct ft_family_keys *keys);

/* Parameters of which none is said. */
void ft_family_keys_init(struct ft_family_keys *keys);

#endif
