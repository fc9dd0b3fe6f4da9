/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the findings take from the throughput (planner/flow/throughput.h): the share of its link that every host can
 * send if all send to all, as planned, as found, and of each finding alone.
 *
 * Each figure is a value that a flow reaches, and no routing is better by more than a small gap. So a loss below that
 * gap cannot be told from none, and counts as none.
 */
#ifndef FT_VERIFY_MEASURE_THROUGHPUT_H
#define FT_VERIFY_MEASURE_THROUGHPUT_H

#include "verify/model/model.h"

/*
 * Adds the throughput to the report of the finished model @m, and to its worst findings what each takes of it,
 * FT_THROUGHPUT_FINDINGS at most: each takes a search. With fewer than two hosts none is added. Hosts that were not
 * seen, or are cut off, are left out of what is found. Returns 0 or -ENOMEM.
 */
enum { FT_THROUGHPUT_FINDINGS = 20 };

int ft_throughput_measure(struct ft_model *m);

#endif
