/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directed-route Get SMPs, several on the wire at a time: sent one by one, and taken back in the order in which they
 * are answered or turn out to be lost. What is to be repeated is the caller's to say: in between, others get their
 * turn. The same wire takes Gets of performance management, which go to a LID.
 */
#ifndef FT_PROBE_SMP_H
#define FT_PROBE_SMP_H

#include "probe/survey.h"

enum ft_smp_kind {
	FT_SMP_DIRECTED,
	FT_SMP_PERFORMANCE, /* PerfMgt Get to QP 1 of a LID (IBTA Vol 1, 16.1) */
};

enum { FT_MAD_DATA_SIZE = 192 }; /* bytes of an attribute of performance management; of an SMP FT_SMP_SIZE */

struct ft_smp_options {
	enum ft_smp_kind kind;
	const char *ca;
	int port;
	unsigned int max_smps; /* on the wire */
	int64_t end_ms;	       /* when to wait no longer, on the clock of ft_guard_now_ms() */
};

struct ft_smp_count {
	uint32_t mads;	   /* SMPs sent */
	uint32_t timeouts; /* of which none came back */
};

struct ft_smp_request {
	unsigned int attribute;
	unsigned int modifier;
	unsigned int timeout_ms;
	unsigned int hops;		   /* up to FT_SMP_HOPS_MAX */
	uint8_t path[FT_SMP_HOPS_MAX + 1]; /* out of these ports, from path[1] to path[hops] */
	uint16_t lid;			   /* of FT_SMP_PERFORMANCE: where to, instead of a path */
	uint8_t port_select;		   /* likewise: PortSelect, which port of that node */
};

enum ft_smp_outcome {
	FT_SMP_ANSWERED,
	FT_SMP_REFUSED, /* it answers, and does not have what was asked for */
	FT_SMP_BUSY,	/* it answers, and wants to be asked again (IBTA Vol 1, 13.4.7) */
	FT_SMP_LOST,
};

struct ft_smp_answer {
	unsigned int slot; /* what ft_smp_send() returned */
	enum ft_smp_outcome outcome;
	bool slow;			/* of a lost one: finding out took all of its time-out */
	uint8_t data[FT_MAD_DATA_SIZE]; /* of an SMP the first FT_SMP_SIZE */
};

struct ft_smp_wire;

/* Opens the port. Returns 0, -ENOMEM, or -EIO with @err filled. */
int ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err);
void ft_smp_close(struct ft_smp_wire *wire);
static inline void ft_smp_closep(struct ft_smp_wire **wire)
{
	ft_smp_close(*wire);
}

/* How many are on the wire, and may be. */
size_t ft_smp_max(const struct ft_smp_wire *wire);
size_t ft_smp_pending(const struct ft_smp_wire *wire);
struct ft_smp_count ft_smp_count(const struct ft_smp_wire *wire);

/* Returns the slot (below max_smps) that the answer will name, -EBUSY where all are taken, -EINVAL or -EIO. */
int ft_smp_send(struct ft_smp_wire *wire, const struct ft_smp_request *request);

/*
 * The next answer or loss, waited for. Where nothing comes back any more, not even those that got lost, or at end_ms,
 * all that is on the wire is lost, one by one. Returns false where nothing is on the wire.
 */
bool ft_smp_receive(struct ft_smp_wire *wire, struct ft_smp_answer *ret_answer);

/*
 * Many questions that do not depend on each other, as many at a time as the wire takes. What is lost, or the other side
 * too busy for, is asked again, after all others had their turn.
 */
struct ft_smp_round {
	uint32_t count;	      /* of questions, numbered from 0 */
	unsigned int retries; /* of one question; of losses that are told at once there may be more */
	unsigned int timeout_ms;
	int64_t end_ms; /* when no more is sent */
	/* Fills @ret_request for that question. Returns false where there is nothing to ask. */
	bool (*make)(void *arg, uint32_t question, struct ft_smp_request *ret_request);
	/* Once a question that was sent: the answer, or FT_SMP_LOST where there is none. */
	void (*take)(void *arg, uint32_t question, const struct ft_smp_answer *answer);
	void *arg;
};

/* Returns 0, -ENOMEM, or as ft_smp_send(). That answers are missing is no failure: @take hears of each. */
int ft_smp_ask(struct ft_smp_wire *wire, const struct ft_smp_round *round);

#endif
