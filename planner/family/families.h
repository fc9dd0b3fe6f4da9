/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The families, each in a file of its own. Private to planner/family/. */
#ifndef FT_PLANNER_FAMILY_FAMILIES_H
#define FT_PLANNER_FAMILY_FAMILIES_H

#include "planner/family/family.h"

extern const struct ft_family ft_family_torus;
extern const struct ft_family ft_family_mesh;
extern const struct ft_family ft_family_hypercube;
extern const struct ft_family ft_family_ring;
extern const struct ft_family ft_family_hyperx;
extern const struct ft_family ft_family_slim_fly;
extern const struct ft_family ft_family_polarfly;
extern const struct ft_family ft_family_random;
extern const struct ft_family ft_family_clos;
extern const struct ft_family ft_family_dragonfly;
extern const struct ft_family ft_family_dragonfly_plus;

#endif
