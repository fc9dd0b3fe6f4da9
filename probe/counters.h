/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Error counters of all ports that are up, read twice, and the differences. One PerfMgt Get for each port and reading;
 * counters are never reset, as other monitoring tools may rely on them.
 *
 * Source: IBTA Vol 1, 16.1.3.5 (PortCounters) and 16.1.4.11 (PortCountersExtended), whose 64-bit error counters are
 * read where ClassPortInfo:CapabilityMask2 announces them.
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

/* The result of reading a port. */
enum ft_counted {
	FT_COUNTED,	    /* both readings succeeded */
	FT_COUNTED_NO_LID,  /* it has no LID (or its switch has none): performance management goes to LIDs only */
	FT_COUNTED_SILENT,  /* no response to the first or the second reading */
	FT_COUNTED_REFUSED, /* the node responds, but has no such counters */
};

/* A port's counts over the interval. */
struct ft_port_count {
	uint64_t counts[FT_COUNTER_COUNT];
	uint64_t totals[FT_COUNTER_COUNT]; /* what the port had counted at the second reading */
	int64_t read_ms;		   /* when that was, on the clock of ft_guard_now_ms() */
	uint32_t port;			   /* index into the snapshot's ports */
	uint32_t interval_ms;		   /* 0: there was no reading before */
	/*
	 * Bits by enum ft_counter. A counter stops at its maximum. If it reached the maximum between the readings, its
	 * count is a lower bound ("at least"); if it was there at the first reading, the count is unknown and 0. A
	 * counter that fell was reset by another tool; its second value is a lower bound, too.
	 */
	uint8_t at_least;
	uint8_t stuck;
	uint8_t status; /* enum ft_counted; the rest is 0 unless FT_COUNTED */
	uint8_t wide;	/* of 64-bit counters */
	uint8_t asked;	/* its node has said which counters it has */
};

/* The same, for a port that is known by its node, from one snapshot to another. */
struct ft_counted_port {
	struct ft_port_count count;
	uint64_t guid;
	uint32_t number;
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

/* Its name in the standard: "SymbolErrorCounter". */
const char *ft_counter_key(enum ft_counter counter);

/* The counters that indicate a faulty cable: all but discards. */
bool ft_counter_is_error(unsigned int counter);

/* The symbol errors that a sound link at the rate of the port may have counted. */
uint64_t ft_count_symbols_allowed(const struct ft_snapshot *snapshot, const struct ft_port_count *count);

/* More errors than that of one counter; of any. @count NULL: none are known. */
bool ft_count_is_high(const struct ft_snapshot *snapshot, const struct ft_port_count *count, unsigned int counter);
bool ft_count_has_errors(const struct ft_snapshot *snapshot, const struct ft_port_count *count);

/*
 * The difference of two readings of one counter; see struct ft_port_count.
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
 * Ports are read one by one, not a whole switch at a time (AllPortSelect): the sum over all ports has no more bits than
 * one counter, and does not identify the port.
 *
 * @options  deadline_ms: for the reading, without the interval
 * @ret_counters  out: the caller frees it
 * Returns 0 or -errno as ft_sweep(), with @err filled. A port that cannot be read is a value, not an error.
 */
int ft_counters_read(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot,
		     unsigned int interval_ms, struct ft_counters **ret_counters, struct ft_error *err);

/*
 * Reads them once, in the calling process, which is a child (probe/guard.h): what each port has counted since an
 * earlier reading.
 *
 * @before  its ports; those that have none are read all the same, with an interval of 0
 * @ret_counters  out: the caller frees it
 * Returns 0 or -errno, with @err filled.
 */
int ft_counters_read_on(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot,
			const struct ft_counted_port *before, size_t before_count, int64_t end_ms,
			struct ft_counters **ret_counters, struct ft_error *err);

/*
 * The last reading of ports that are known, on another snapshot.
 *
 * Of a cable whose link went down in between nothing is said: a link that comes up makes errors, as does a host that is
 * restarted, and neither shows that the cable is bad.
 *
 * @all  with those cables and those ports that were read only once: for what compares totals
 * Returns 0 or -ENOMEM.
 */
int ft_counters_known(const struct ft_snapshot *snapshot, const struct ft_counted_port *known, size_t count, bool all,
		      struct ft_counters **ret_counters);

#endif
