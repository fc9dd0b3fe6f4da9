/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The figures of a report, and what each finding costs. Distances are counted in hops.h, cuts and blocking in
 * model/capacity.h; failures.h and throughput.h extend a finished report.
 */
#ifndef FT_VERIFY_MEASURE_MEASURE_H
#define FT_VERIFY_MEASURE_MEASURE_H

#include "verify/model/model.h"

/* figures.c: cables of a cell that carry traffic, planned or not; and its planned ones that are up or not judged. */
uint32_t ft_cell_carriers(const struct ft_model *m, uint32_t cell);
uint32_t ft_cell_up(const struct ft_model *m, uint32_t cell);

/* impact.c: the impact of each finding, after the figures, and whether OpenSM takes the fabric for a fat-tree; 0,
 * -ENOMEM */
int ft_impact_weigh(struct ft_model *m);

/* figures.c: the figures of the report and its table of switches. 0 or -ENOMEM. */
int ft_measure(struct ft_model *m);

/* distances.c: the number of host pairs by distance, in the plan and in the fabric; 0 or -ENOMEM. */
int ft_distances(struct ft_model *m);

#endif
