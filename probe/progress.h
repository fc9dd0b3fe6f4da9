/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How far a long piece of work is, for somebody who waits for it. The worker writes it into memory that it shares with
 * whoever shows it, so that it needs no system call for that, and the one need not wait for the other. Figures that are
 * read while they change may be of two moments; they are shown and nothing else.
 */
#ifndef FT_PROBE_PROGRESS_H
#define FT_PROBE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

/* What is being done. */
enum ft_phase {
	FT_PHASE_BEGIN,
	FT_PHASE_SWEEP,	   /* .nodes were found so far; with libibnetdisc that is not known before it is through */
	FT_PHASE_ROUTES,   /* .done of .total packets */
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

/* Each of these does nothing where @p is NULL: nobody waits. */

static inline void ft_progress_enter(struct ft_progress *p, enum ft_phase phase, uint32_t total)
{
	if (!p)
		return;
	atomic_store_explicit(&p->done, 0, memory_order_relaxed);
	atomic_store_explicit(&p->total, total, memory_order_relaxed);
	atomic_store_explicit(&p->phase, phase, memory_order_relaxed);
	atomic_fetch_add_explicit(&p->round, 1, memory_order_relaxed);
}

/* So many packets more are to be sent, and were answered or given up. */
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
