/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/families.h"

/* In the order in which "any" tries them: of equal ones the first wins. */
const struct ft_family *const ft_families[] = {
	&ft_family_torus,	   &ft_family_mesh,	&ft_family_hypercube, &ft_family_ring,
	&ft_family_hyperx,	   &ft_family_slim_fly, &ft_family_polarfly,  &ft_family_dragonfly,
	&ft_family_dragonfly_plus, &ft_family_random,	&ft_family_clos,
};
const size_t ft_family_count = FT_COUNT(ft_families);
