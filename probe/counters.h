/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Error counters of all ports that are up, read twice: what they counted in between. Gets of performance management,
 * one for each port of a node and reading; nothing is ever reset, for others may count on these counters.
 *
 * Source: IBTA Vol 1, 16.1.3.5 (PortCounters) and 16.1.4.11 (PortCountersExtended), whose 64-bit error counters are
 * read where ClassPortInfo:CapabilityMask2 says that there are such.
 */
#ifndef FT_PROBE_COUNTERS_H
#define FT_PROBE_COUNTERS_H

#include "probe/source.h"

enum ft_counter {
	FT_COUNTER_SYMBOL,    /* SymbolErrorCounter */
	FT_COUNTER_RECOVERY,  /* LinkErrorRecoveryCounter */
	FT_COUNTER_DOWNED,    /* LinkDownedCounter */
	FT_COUNTER_RECEIVE,   /* PortRcvErrors */
	FT_COUNTER_INTEGRITY, /* LocalLinkIntegrityErrors */
	FT_COUNTER_OVERRUN,   /* ExcessiveBufferOverrunErrors */
	FT_COUNTER_DISCARDS,  /* PortXmitDiscards: congestion, as a rule */
	FT_COUNTER_COUNT,
};

/* What came of a port. */
enum ft_counted {
	FT_COUNTED,	    /* both readings are there */
	FT_COUNTED_NO_LID,  /* it has no LID (or its switch has none): performance management goes to LIDs only */
	FT_COUNTED_SILENT,  /* nobody answered, or not the second time */
	FT_COUNTED_REFUSED, /* it answers, and has no such counters */
};

/* A port's counts over the interval. */
struct ft_port_count {
	uint64_t counts[FT_COUNTER_COUNT];
	uint32_t port; /* index into the snapshot's ports */
	uint32_t interval_ms;
	/*
	 * Bits by enum ft_counter. A counter stops at its greatest value: where it got there in between, its count is
	 * "at least". Where it was there already, nothing can be told, and the count is 0. One that fell was reset by
	 * somebody: what it shows since then is "at least", too.
	 */
	uint8_t at_least;
	uint8_t stuck;
	uint8_t status; /* enum ft_counted; the rest is 0 unless FT_COUNTED */
};

struct ft_counters {
	struct ft_port_count *items; /* one for each port that is up, in the snapshot's order */
	uint32_t count;
	uint32_t interval_ms; /* that was asked for */
};

void ft_counters_free(struct ft_counters *counters);
static inline void ft_counters_freep(struct ft_counters **counters)
{
	ft_counters_free(*counters);
}

/* "symbol errors", …: for texts; @count 1 gives "symbol error". */
const char *ft_counter_name(enum ft_counter counter, uint64_t count);

/* As the standard calls it: "SymbolErrorCounter". */
const char *ft_counter_key(enum ft_counter counter);

/*
 * One counter between two readings; see struct ft_port_count.
 *
 * @max  its greatest value
 * @ret_count, @ret_at_least, @ret_stuck  out
 */
void ft_counter_between(uint64_t first, uint64_t second, uint64_t max, uint64_t *ret_count, bool *ret_at_least,
			bool *ret_stuck);

/*
 * Reads the counters of all ports of @snapshot that are up (it is that of a live sweep with @options), and once more
 * after @interval_ms, in a child process (probe/guard.h). Get MADs only.
 *
 * Ports are asked one by one, not a whole switch at a time (AllPortSelect): the sum of all ports is as narrow as one
 * counter, and does not tell which port it was.
 *
 * @options  deadline_ms: of the reading, beside the interval
 * @ret_counters  out: the caller frees it
 * Returns 0 or -errno as ft_sweep(), with @err filled. Ports that cannot be read are values.
 */
int ft_counters_read(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot,
		     unsigned int interval_ms, struct ft_counters **ret_counters, struct ft_error *err);

#endif
