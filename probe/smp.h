/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directed-route Get SMPs, several on the wire at a time: sent one by one, and received in the order in which they are
 * answered or found to be lost. The caller decides what to repeat, and when (mostly scheduler.h). The same wire carries
 * PerfMgt Gets and Gets of path records, which go to a LID.
 */
#ifndef FT_PROBE_SMP_H
#define FT_PROBE_SMP_H

#include "probe/survey.h"

enum ft_smp_kind {
	FT_SMP_DIRECTED,
	FT_SMP_PERFORMANCE, /* PerfMgt Get to QP 1 of a LID (IBTA Vol 1, 16.1) */
	FT_SMP_PATH_RECORD, /* SubnAdm Get of the PathRecord from one LID to another (IBTA Vol 1, 15.2.5.16) */
};

enum { FT_SMP_SLOTS_MAX = 4096 };

/* Bytes of an attribute of performance management; of an SMP, and of a path record, FT_SMP_SIZE. */
enum { FT_MAD_DATA_SIZE = 192 };

struct ft_smp_options {
	enum ft_smp_kind kind;
	const char *ca;
	int port;
	uint64_t m_key; /* of FT_SMP_DIRECTED: what the header of each SMP carries (IBTA Vol 1, 14.2.4); 0: none */
	unsigned int max_smps; /* SMPs on the wire at a time, up to FT_SMP_SLOTS_MAX */
	int64_t end_ms;	       /* when to wait no longer, on the clock of ft_guard_now_ms() */
};

struct ft_smp_count {
	uint32_t mads;	   /* SMPs sent */
	uint32_t timeouts; /* SMPs that were lost */
};

struct ft_smp_request {
	unsigned int attribute;
	unsigned int modifier;
	unsigned int timeout_ms;
	unsigned int hops;		   /* up to FT_SMP_HOPS_MAX */
	uint8_t path[FT_SMP_HOPS_MAX + 1]; /* path[1] to path[hops]: the output ports */
	uint16_t lid;			   /* but for FT_SMP_DIRECTED: the destination, instead of a path */
	uint8_t port_select;		   /* of FT_SMP_PERFORMANCE: PortSelect, the port of that node */
	uint8_t sl;			   /* of FT_SMP_PATH_RECORD: PortInfo:SMSL */
	uint16_t path_from, path_to;	   /* likewise: the LIDs of the path */
};

enum ft_smp_outcome {
	FT_SMP_ANSWERED,
	FT_SMP_REFUSED, /* the target responds, but does not have the attribute */
	FT_SMP_BUSY,	/* the target is busy: repeat the query (IBTA Vol 1, 13.4.7) */
	FT_SMP_LOST,
};

struct ft_smp_answer {
	unsigned int slot; /* the slot that ft_smp_send() returned */
	enum ft_smp_outcome outcome;
	bool slow;			/* of a lost one: the loss was detected only when its time-out had passed */
	uint8_t data[FT_MAD_DATA_SIZE]; /* of an SMP the first FT_SMP_SIZE */
};

/*
 * The weight of a loss in the limit of tries. Detecting it takes a whole time-out, or, where the path is known to be
 * broken (simulators, a port that is down), no time at all; several losses of the second kind weigh as much as one of
 * the first.
 */
enum { FT_SMP_WEIGHT_FAST = 1, FT_SMP_WEIGHT_SLOW = 16 };

static inline unsigned int ft_smp_weight(bool slow)
{
	return slow ? FT_SMP_WEIGHT_SLOW : FT_SMP_WEIGHT_FAST;
}

struct ft_smp_wire;

/* Opens the port. Returns 0, -ENOMEM, or -EIO with @err filled. */
int ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err);

/* Another end than that of its options. */
void ft_smp_set_end(struct ft_smp_wire *wire, int64_t end_ms);
void ft_smp_close(struct ft_smp_wire *wire);
static inline void ft_smp_closep(struct ft_smp_wire **wire)
{
	ft_smp_close(*wire);
}

/* How many are on the wire. */
size_t ft_smp_pending(const struct ft_smp_wire *wire);
struct ft_smp_count ft_smp_count(const struct ft_smp_wire *wire);

/* Returns the slot (below max_smps) that the answer will carry, -EBUSY where all are taken, -EINVAL or -EIO. */
int ft_smp_send(struct ft_smp_wire *wire, const struct ft_smp_request *request);

/*
 * The next answer or loss, waited for until @until_ns (of CLOCK_MONOTONIC; 0: not at all, INT64_MAX: as long as it
 * takes) and no longer than end_ms. If the kernel returns nothing any more, not even lost SMPs, or at end_ms, all SMPs
 * on the wire are reported as lost, one by one. Returns false where there is none by then.
 */
bool ft_smp_receive_until(struct ft_smp_wire *wire, int64_t until_ns, struct ft_smp_answer *ret_answer);

/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t ft_smp_now_ns(void);

#endif
