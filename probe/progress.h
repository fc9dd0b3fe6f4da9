/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Progress of a long piece of work. The worker writes it into memory that it shares with the process that displays it:
 * no system call, and neither waits for the other. Figures read while they change may be inconsistent; they are only
 * displayed.
 */
#ifndef FT_PROBE_PROGRESS_H
#define FT_PROBE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

/* What is being done. */
enum ft_phase {
	FT_PHASE_BEGIN,
	FT_PHASE_SWEEP,	   /* .nodes were found so far; with libibnetdisc not known before it has finished */
	FT_PHASE_ROUTES,   /* .done of .total packets */
	FT_PHASE_LANES,	   /* likewise */
	FT_PHASE_SMS,	   /* likewise */
	FT_PHASE_COUNTERS, /* likewise */
	FT_PHASE_INTERVAL, /* between two readings of counters, .total milliseconds */
	FT_PHASE_AGAIN,	   /* the second reading: .done of .total packets */
	FT_PHASE_JUDGE,
	FT_PHASE_REPAIR,
	FT_PHASE_AFTER,
	FT_PHASE_COUNT
};

struct ft_progress {
	_Atomic uint32_t phase, nodes, done, total;
	_Atomic uint32_t round; /* counts the phases */
};

/* No-ops where @p is NULL: progress is not displayed. */

static inline void ft_progress_enter(struct ft_progress *p, enum ft_phase phase, uint32_t total)
{
	if (!p)
		return;
	atomic_store_explicit(&p->done, 0, memory_order_relaxed);
	atomic_store_explicit(&p->total, total, memory_order_relaxed);
	atomic_store_explicit(&p->phase, phase, memory_order_relaxed);
	atomic_fetch_add_explicit(&p->round, 1, memory_order_relaxed);
}

/* Adds packets that will be sent, and packets that were answered or given up. */
static inline void ft_progress_add(struct ft_progress *p, uint32_t total, uint32_t done)
{
	if (!p)
		return;
	atomic_fetch_add_explicit(&p->total, total, memory_order_relaxed);
	atomic_fetch_add_explicit(&p->done, done, memory_order_relaxed);
}

static inline void ft_progress_nodes(struct ft_progress *p, uint32_t nodes)
{
	if (p)
		atomic_store_explicit(&p->nodes, nodes, memory_order_relaxed);
}

#endif
