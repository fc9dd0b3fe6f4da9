/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "probe/guard.h"
#include "probe/smp.h"

enum {
	/* As in mend.c: a loss that took all of its time-out weighs as much as so many that failed at once. */
	WEIGHT_SLOW = 16,
	WEIGHT_FAST = 1,
};

struct question {
	uint32_t number;
	uint32_t spent; /* on tries so far, in weights */
};

struct asker {
	struct ft_smp_wire *wire;
	const struct ft_smp_round *round;
	struct question *queue; /* of this pass, and of the next at its beginning: those behind are through */
	uint32_t count;		/* in this pass */
	uint32_t later;		/* in the next */
	struct question *on_wire;
	uint32_t answered; /* in this pass */
	size_t max_smps;
};

static void give_up(const struct asker *a, uint32_t number)
{
	const struct ft_smp_answer lost = {.outcome = FT_SMP_LOST};

	a->round->take(a->round->arg, number, &lost);
}

static void take(struct asker *a, const struct ft_smp_answer *answer)
{
	struct question q = a->on_wire[answer->slot];

	a->answered += answer->outcome != FT_SMP_LOST;
	if (answer->outcome != FT_SMP_LOST && answer->outcome != FT_SMP_BUSY) {
		a->round->take(a->round->arg, q.number, answer);
		return;
	}
	q.spent += answer->slow || answer->outcome == FT_SMP_BUSY ? WEIGHT_SLOW : WEIGHT_FAST;
	/* Sent before, it left its place in the queue free: there is room for all that come back. */
	if (q.spent < WEIGHT_SLOW * (a->round->retries + 1))
		a->queue[a->later++] = q;
	else
		give_up(a, q.number);
}

/* Sends one; 0, or -errno. */
static int send_one(struct asker *a, const struct question *q)
{
	struct ft_smp_request request = {.timeout_ms = a->round->timeout_ms};
	int slot;

	if (!a->round->make(a->round->arg, q->number, &request))
		return 0;
	slot = ft_smp_send(a->wire, &request);
	if (slot >= 0)
		a->on_wire[slot] = *q;
	return slot < 0 ? slot : 0;
}

static bool out_of_time(const struct asker *a)
{
	return ft_guard_now_ms() >= a->round->end_ms;
}

static int run_pass(struct asker *a)
{
	struct ft_smp_answer answer;
	uint32_t next = 0;
	int r = 0;

	a->answered = a->later = 0;
	do {
		while (r == 0 && next < a->count && ft_smp_pending(a->wire) < a->max_smps && !out_of_time(a)) {
			struct question q = a->queue[next++];

			r = send_one(a, &q);
		}
		if (ft_smp_receive(a->wire, &answer))
			take(a, &answer);
	} while (ft_smp_pending(a->wire) > 0 || (r == 0 && next < a->count && !out_of_time(a)));
	for (; r == 0 && next < a->count; next++)
		give_up(a, a->queue[next].number);
	return r;
}

static int run(struct asker *a)
{
	int64_t began_ms;
	int r;

	do {
		began_ms = ft_guard_now_ms();
		r = run_pass(a);
		a->count = a->later;
		/* Nobody answered, and finding out took its time: mute they are. */
		if (a->answered == 0 && ft_guard_now_ms() - began_ms >= a->round->timeout_ms)
			break;
	} while (r == 0 && a->count > 0 && !out_of_time(a));
	for (uint32_t i = 0; r == 0 && i < a->count; i++)
		give_up(a, a->queue[i].number);
	return r;
}

int ft_smp_ask(struct ft_smp_wire *wire, const struct ft_smp_round *round)
{
	size_t max_smps = ft_smp_max(wire);
	_cleanup_free_ struct question *queue = calloc(round->count ? round->count : 1, sizeof(*queue));
	_cleanup_free_ struct question *on_wire = calloc(max_smps, sizeof(*on_wire));
	struct asker a = {.wire = wire, .round = round, .queue = queue, .on_wire = on_wire, .max_smps = max_smps};

	if (!queue || !on_wire)
		return -ENOMEM;
	for (a.count = 0; a.count < round->count; a.count++)
		queue[a.count] = (struct question){.number = a.count};
	return run(&a);
}
