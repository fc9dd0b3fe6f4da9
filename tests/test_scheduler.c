/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The MAD scheduler (probe/scheduler.c) and its congestion window (probe/window.c), on a fabric that this file makes
 * up, in a time of its own: an SMP takes as long as the row says, and what exceeds the depth of a buffer is dropped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first. */
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/scheduler.h"
#include "probe/window.h"
#include "tests/rows.h"

#define NS_PER_MS 1000000LL
#define NS_PER_S (1000 * NS_PER_MS)

enum { TARGETS_MAX = 2048, SLOTS = FT_SMP_SLOTS_MAX, SEND_NS = 1000 };

/* A fabric and what is asked of it. */
struct fabric {
	const char *what;
	unsigned int targets, queries; /* of each target */
	unsigned int depth;	       /* SMPs on the wire beyond which they are dropped; 0: any number */
	int64_t delay_ns;	       /* of an answer */
	int64_t slow_ns;	       /* of each 16th target */
	unsigned int mute;	       /* the first so many targets do not answer */
	unsigned int busy;	       /* one of so many is told to come again */
	int64_t busy_ns;	       /* each 8th target does so for so long */
	unsigned int gone_after;       /* so many SMPs the device takes no more */
	unsigned int unsent;	       /* one of so many it does not take */
	unsigned int refused;	       /* likewise, there is no such thing */
	int64_t unsent_ns;	       /* for so long, in the midst of it all, it takes none */
	unsigned int lost;	       /* one of so many is lost, and told at once */
	bool beyond;		       /* the queries go through their target */
	unsigned int max_smps, per_target, per_second, retries, timeout_ms;
	/* What has to come of it. */
	unsigned int answered;	   /* per cent of the queries */
	int64_t ends_ns;	   /* at the latest */
	unsigned int sent_percent; /* SMPs for 100 queries, at most */
};

struct fact {
	unsigned int on_wire, most; /* of a target */
};

struct pending {
	int64_t back_ns;
	unsigned int target;
	enum ft_smp_outcome outcome;
	bool slow;
	bool busy;
	bool inside; /* in the buffer: neither dropped nor at a mute target */
};

static struct {
	const struct fabric *f;
	int64_t now_ns;
	struct pending slots[SLOTS];
	unsigned int slot_count;
	size_t pending;
	int64_t end_ns; /* from then on nothing is waited for */
	unsigned int inside, most_inside;
	struct fact targets[TARGETS_MAX];
	uint32_t sent, dropped, serial, attempts;
	int64_t sent_in_ns[65536]; /* when each was sent, the last ones */
	unsigned int answered, lost, refused;
} sim;

int64_t __wrap_ft_smp_now_ns(void);
int __wrap_ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err);
void __wrap_ft_smp_close(struct ft_smp_wire *unused);
size_t __wrap_ft_smp_pending(const struct ft_smp_wire *unused);
struct ft_smp_count __wrap_ft_smp_count(const struct ft_smp_wire *unused);
int __wrap_ft_smp_send(struct ft_smp_wire *unused, const struct ft_smp_request *request);
bool __wrap_ft_smp_receive_until(struct ft_smp_wire *unused, int64_t until_ns, struct ft_smp_answer *ret_answer);

int64_t __wrap_ft_smp_now_ns(void)
{
	return sim.now_ns;
}

int __wrap_ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err)
{
	(void)err;
	assert_in_range(options->max_smps, 1, SLOTS);
	sim.slot_count = options->max_smps;
	sim.end_ns = options->end_ms * NS_PER_MS;
	*ret_wire = (struct ft_smp_wire *)&sim;
	return 0;
}

void __wrap_ft_smp_close(struct ft_smp_wire *unused)
{
	(void)unused;
}

size_t __wrap_ft_smp_pending(const struct ft_smp_wire *unused)
{
	(void)unused;
	return sim.pending;
}

struct ft_smp_count __wrap_ft_smp_count(const struct ft_smp_wire *unused)
{
	(void)unused;
	return (struct ft_smp_count){.mads = sim.sent};
}

static bool one_of(unsigned int count)
{
	return count && sim.serial % count == count - 1;
}

static bool is_busy(unsigned int target)
{
	return target % 8 == 0 && sim.now_ns - NS_PER_S < sim.f->busy_ns;
}

/* What becomes of it. */
static void fate(struct pending *p, unsigned int timeout_ms)
{
	const struct fabric *f = sim.f;
	int64_t takes_ns = f->slow_ns && p->target % 16 == 0 ? f->slow_ns : f->delay_ns;

	p->outcome = FT_SMP_LOST;
	p->slow = true;
	p->back_ns = sim.now_ns + timeout_ms * NS_PER_MS;
	if (one_of(f->lost)) {
		p->slow = false;
		p->back_ns = sim.now_ns + f->delay_ns;
	} else if (f->depth && sim.inside >= f->depth) {
		sim.dropped++;
	} else if (p->target >= f->mute) {
		p->inside = true;
		sim.inside++;
		if (takes_ns > timeout_ms * NS_PER_MS)
			return;
		p->outcome = one_of(f->busy) || is_busy(p->target) ? FT_SMP_BUSY
			     : one_of(f->refused)		   ? FT_SMP_REFUSED
								   : FT_SMP_ANSWERED;
		p->slow = false;
		p->back_ns = sim.now_ns + takes_ns;
	}
}

/* From half a ms on: by then many are on the wire. */
static bool takes_none(void)
{
	int64_t since_ns = sim.now_ns - NS_PER_S - NS_PER_MS / 2;

	return since_ns >= 0 && since_ns < sim.f->unsent_ns;
}

static unsigned int most(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

int __wrap_ft_smp_send(struct ft_smp_wire *unused, const struct ft_smp_request *request)
{
	unsigned int slot = 0;
	struct fact *target = &sim.targets[request->modifier];

	(void)unused;
	assert_in_range(request->timeout_ms, 1, sim.f->timeout_ms);
	while (slot < sim.slot_count && sim.slots[slot].busy)
		slot++;
	if (slot == sim.slot_count)
		return -EBUSY;
	sim.attempts++;
	if ((sim.f->gone_after && sim.sent >= sim.f->gone_after) ||
	    (sim.f->unsent && sim.attempts % sim.f->unsent == 0) || takes_none())
		return -EIO;
	sim.now_ns += SEND_NS;
	sim.slots[slot] = (struct pending){.busy = true, .target = request->modifier};
	fate(&sim.slots[slot], request->timeout_ms);
	sim.sent_in_ns[sim.sent++ % 65536] = sim.now_ns;
	sim.serial++;
	sim.pending++;
	sim.most_inside = most(sim.most_inside, sim.inside);
	target->on_wire += sim.slots[slot].inside;
	target->most = most(target->most, target->on_wire);
	return (int)slot;
}

bool __wrap_ft_smp_receive_until(struct ft_smp_wire *unused, int64_t until_ns, struct ft_smp_answer *ret_answer)
{
	struct pending *p = NULL;

	(void)unused;
	for (unsigned int i = 0; i < sim.slot_count; i++)
		if (sim.slots[i].busy && (!p || sim.slots[i].back_ns < p->back_ns))
			p = &sim.slots[i];
	if (p && p->back_ns > sim.end_ns && until_ns >= sim.end_ns) {
		p->back_ns = sim.end_ns;
		p->outcome = FT_SMP_LOST;
		p->slow = true;
	}
	if (!p || p->back_ns > (until_ns > sim.now_ns ? until_ns : sim.now_ns)) {
		/* For ever is too long. */
		assert_true(until_ns < INT64_MAX);
		sim.now_ns = until_ns > sim.now_ns ? until_ns : sim.now_ns;
		return false;
	}
	sim.now_ns = p->back_ns > sim.now_ns ? p->back_ns : sim.now_ns;
	*ret_answer =
		(struct ft_smp_answer){.slot = (unsigned int)(p - sim.slots), .outcome = p->outcome, .slow = p->slow};
	p->busy = false;
	sim.pending--;
	sim.inside -= p->inside;
	sim.targets[p->target].on_wire -= p->inside;
	return true;
}

/* The caller: query @other of target @node, each of which has to be taken once. */

static uint8_t taken[TARGETS_MAX][256];

static bool make(void *arg, const struct ft_query *query, struct ft_smp_request *ret_request)
{
	(void)arg;
	ret_request->modifier = query->node;
	return true;
}

static void take(void *arg, const struct ft_query *query, const struct ft_smp_answer *answer)
{
	(void)arg;
	taken[query->node][query->other]++;
	sim.answered += answer->outcome == FT_SMP_ANSWERED;
	sim.refused += answer->outcome == FT_SMP_REFUSED;
	sim.lost += answer->outcome == FT_SMP_LOST;
}

static int run(const struct fabric *f, int64_t end_ms)
{
	_cleanup_(ft_scheduler_freep) struct ft_scheduler *scheduler = NULL;
	struct ft_scheduler_options options = {
		.timeout_ms = f->timeout_ms,
		.max_smps = f->max_smps,
		.max_smps_per_target = f->per_target,
		.max_smps_per_second = f->per_second,
		.retries = f->retries,
		.end_ms = end_ms,
	};
	int r;

	memset(&sim, 0, sizeof(sim));
	memset(taken, 0, sizeof(taken));
	sim.f = f;
	sim.now_ns = NS_PER_S;
	r = ft_scheduler_new(&options, make, take, NULL, &scheduler, NULL);
	for (unsigned int t = 0; r == 0 && t < f->targets; t++)
		for (unsigned int q = 0; q < f->queries; q++)
			ft_scheduler_push(scheduler,
					  &(struct ft_query){.target = t, .node = t, .other = q, .beyond = f->beyond});
	return r < 0 ? r : ft_scheduler_run(scheduler, end_ms);
}

#define USUAL .max_smps = 128, .per_target = 4, .retries = 3, .timeout_ms = 1000

/* Times are those of the best fixed number on the wire, and what is allowed beyond it. */
static const struct fabric fabrics[] = {
	{"one query", 1, 1, .delay_ns = 50000, USUAL, .answered = 100, .ends_ns = 60000, .sent_percent = 100},
	/* 128 at a time: 200 rounds of 50 us, and the beginning. */
	{"a fast fabric", 256, 100, .delay_ns = 50000, USUAL, .answered = 100, .ends_ns = 40 * NS_PER_MS,
	 .sent_percent = 100},
	{"one target", 1, 200, .delay_ns = 50000, USUAL, .answered = 100, .ends_ns = 50 * 52000, .sent_percent = 100},
	/* 8 in each ms are 3.2 s. */
	{"a buffer of 8", 256, 100, .depth = 8, .delay_ns = NS_PER_MS, USUAL, .answered = 100, .ends_ns = 4 * NS_PER_S,
	 .sent_percent = 101},
	{"a buffer of 8, a window of 1024", 256, 100, .depth = 8, .delay_ns = NS_PER_MS, .max_smps = 1024,
	 .per_target = 4, .retries = 3, .timeout_ms = 1000, .answered = 100, .ends_ns = 4 * NS_PER_S,
	 .sent_percent = 101},
	{"a buffer of 32", 256, 100, .depth = 32, .delay_ns = NS_PER_MS, .max_smps = 1024, .per_target = 4,
	 .retries = 3, .timeout_ms = 1000, .answered = 100, .ends_ns = NS_PER_S, .sent_percent = 101},
	{"a buffer of 1", 16, 50, .depth = 1, .delay_ns = NS_PER_MS, USUAL, .answered = 100, .ends_ns = NS_PER_S,
	 .sent_percent = 106},
	{"slow agents among others", 256, 100, .delay_ns = 50000, .slow_ns = 20 * NS_PER_MS, USUAL, .answered = 100,
	 .ends_ns = 1200 * NS_PER_MS, .sent_percent = 101},
	/* Their first tries are too short, and the last is not. */
	{"very slow agents", 64, 4, .delay_ns = 50000, .slow_ns = 600 * NS_PER_MS, USUAL, .answered = 100,
	 .ends_ns = 6 * NS_PER_S, .sent_percent = 130},
	{"all agents slow", 64, 16, .delay_ns = 30 * NS_PER_MS, USUAL, .answered = 100, .ends_ns = 2 * NS_PER_S,
	 .sent_percent = 101},
	/* From 1 on, one more each 120 ms. */
	{"all agents too slow for a first try", 64, 16, .delay_ns = 120 * NS_PER_MS, USUAL, .answered = 100,
	 .ends_ns = 13 * NS_PER_S, .sent_percent = 135},
	/* 50 + 100 + 200 + 1000 ms, of many at a time, and the rest of their queries is not asked. */
	{"mute targets", 256, 100, .delay_ns = 50000, .mute = 64, USUAL, .answered = 75, .ends_ns = 3100 * NS_PER_MS,
	 .sent_percent = 85},
	{"one mute target and a narrow window", 64, 100, .delay_ns = 50000, .mute = 1, .max_smps = 2, .per_target = 4,
	 .retries = 3, .timeout_ms = 1000, .answered = 98, .ends_ns = 1700 * NS_PER_MS, .sent_percent = 100},
	{"all mute", 64, 10, .delay_ns = 50000, .mute = 64, USUAL, .answered = 0, .ends_ns = 10 * NS_PER_S,
	 .sent_percent = 100},
	{"silence behind targets", 64, 8, .delay_ns = 50000, .mute = 8, .beyond = true, USUAL, .answered = 87,
	 .ends_ns = 3 * NS_PER_S, .sent_percent = 140},
	{"no retries", 16, 10, .delay_ns = 50000, .mute = 4, .max_smps = 128, .per_target = 4, .timeout_ms = 100,
	 .answered = 75, .ends_ns = 300 * NS_PER_MS, .sent_percent = 100},
	{"losses told at once", 256, 100, .delay_ns = 50000, .lost = 10, USUAL, .answered = 100,
	 .ends_ns = 60 * NS_PER_MS, .sent_percent = 112},
	{"busy now and then", 64, 20, .delay_ns = 50000, .busy = 50, USUAL, .answered = 100, .ends_ns = 300 * NS_PER_MS,
	 .sent_percent = 103},
	/* Firmware that does something else for a while: its targets are left alone, and lose nothing by it. */
	{"busy for a while", 64, 20, .delay_ns = 50000, .busy_ns = 300 * NS_PER_MS, USUAL, .answered = 100,
	 .ends_ns = 340 * NS_PER_MS, .sent_percent = 150},
	/* Each of them is told 64 times, and nobody waits for another. */
	{"busy for ever behind a switch", 1, 36, .delay_ns = 50000, .busy_ns = INT64_MAX, .beyond = true, USUAL,
	 .answered = 0, .ends_ns = 1400 * NS_PER_MS, .sent_percent = 6400},
	{"not taken now and then", 64, 20, .delay_ns = 50000, .unsent = 10, USUAL, .answered = 100,
	 .ends_ns = 400 * NS_PER_MS, .sent_percent = 100},
	/* A machine that is out of memory for a moment. */
	{"not taken for a while", 64, 20, .delay_ns = 50000, .unsent_ns = 100 * NS_PER_MS, USUAL, .answered = 100,
	 .ends_ns = 130 * NS_PER_MS, .sent_percent = 100},
	/* One that is slow is no reason to ask the others less. */
	{"a buffer of 32, and slow agents", 256, 100, .depth = 32, .delay_ns = NS_PER_MS, .slow_ns = 20 * NS_PER_MS,
	 USUAL, .answered = 100, .ends_ns = 5 * NS_PER_S, .sent_percent = 103},
	{"nothing of the kind", 64, 20, .delay_ns = 50000, .refused = 1, USUAL, .answered = 0,
	 .ends_ns = 100 * NS_PER_MS, .sent_percent = 100},
	{"so many per second", 64, 20, .delay_ns = 50000, .per_second = 1000, USUAL, .answered = 100,
	 .ends_ns = 1310 * NS_PER_MS, .sent_percent = 100},
	{"few per second", 4, 10, .delay_ns = 50000, .per_second = 10, USUAL, .answered = 100,
	 .ends_ns = 4100 * NS_PER_MS, .sent_percent = 100},
	{"a window of 1", 16, 10, .delay_ns = 50000, .max_smps = 1, .per_target = 4, .retries = 3, .timeout_ms = 1000,
	 .answered = 100, .ends_ns = 160 * 52000, .sent_percent = 100},
	{"a time-out below a round trip's patience", 64, 20, .depth = 16, .delay_ns = NS_PER_MS, .max_smps = 512,
	 .per_target = 4, .retries = 6, .timeout_ms = 10, .answered = 100, .ends_ns = 500 * NS_PER_MS,
	 .sent_percent = 150},
};

/* In no second were there more than that. */
static void assert_rate(const struct fabric *f)
{
	uint32_t first = 0;

	assert_in_range(sim.sent, 1, 65535);
	for (uint32_t last = 0; last < sim.sent; last++) {
		while (sim.sent_in_ns[last] - sim.sent_in_ns[first] >= NS_PER_S)
			first++;
		assert_in_range(last - first + 1, 1, f->per_second);
	}
}

static void test_fabric(void **state)
{
	const struct fabric *f = *state;
	unsigned int all = f->targets * f->queries;
	int64_t took_ns;

	assert_int_equal(run(f, 3600 * 1000), 0);
	took_ns = sim.now_ns - NS_PER_S;
	print_message("%s: %u of %u answered in %.3f ms, %u SMPs, %u of them dropped, %u on the wire\n", f->what,
		      sim.answered, all, (double)took_ns / NS_PER_MS, sim.sent, sim.dropped, sim.most_inside);
	for (unsigned int t = 0; t < f->targets; t++) {
		for (unsigned int q = 0; q < f->queries; q++)
			assert_int_equal(taken[t][q], 1);
		assert_in_range(sim.targets[t].most, 0, f->per_target);
	}
	assert_int_equal(sim.answered + sim.refused + sim.lost, all);
	assert_in_range(sim.answered * 100, f->answered * all, (f->answered + 1) * all);
	assert_true(took_ns <= f->ends_ns);
	assert_in_range(sim.sent * 100UL, 1, (unsigned long)f->sent_percent * all);
	assert_in_range(sim.most_inside, 0, f->max_smps);
	if (f->per_second)
		assert_rate(f);
}

/* A device that is gone is no fabric of mute targets. */
static void test_gone(void **state)
{
	static const struct fabric f = {"", 64, 100, .delay_ns = 50000, .gone_after = 1000, USUAL};
	(void)state;

	assert_int_equal(run(&f, 3600 * 1000), -EIO);
	assert_in_range(sim.answered, 1, 1000);
	assert_in_range(sim.attempts, 1001, 1100);
	assert_in_range(sim.now_ns, NS_PER_S, NS_PER_S + 400 * NS_PER_MS);
}

/* Those who do not answer need no more time: they are lost, and all else is as it should be. */
static void test_end_mute(void **state)
{
	static const struct fabric f = {"", 64, 100, .delay_ns = 50000, .mute = 8, USUAL};
	(void)state;

	assert_int_equal(run(&f, 1500), 0);
	assert_int_equal(sim.answered, 5600);
	assert_int_equal(sim.lost, 800);
}

/* Who has not had the time to answer is not silent. */
static void test_end_first_try(void **state)
{
	static const struct fabric f = {"", 1, 1, .delay_ns = 30 * NS_PER_MS, USUAL};
	(void)state;

	assert_int_equal(run(&f, 1020), -ETIMEDOUT);
	assert_int_equal(sim.lost, 1);
	/* Several, none of which is left to be sent. */
	assert_int_equal(run(&(struct fabric){"", 4, 4, .delay_ns = 30 * NS_PER_MS, USUAL}, 1020), -ETIMEDOUT);
	assert_int_equal(sim.lost, 16);
}

/* Who wanted to be asked again is not silent either, behind a switch or not: asleep, or on the wire again. */
static void test_end_busy(void **state)
{
	struct fabric f = {"", 1, 1, .delay_ns = 5 * NS_PER_MS, .busy_ns = INT64_MAX, USUAL};
	(void)state;

	for (int i = 0; i < 2; i++, f.beyond = true) {
		assert_int_equal(run(&f, 1010), -ETIMEDOUT);
		assert_int_equal(run(&f, 1028), -ETIMEDOUT);
		assert_int_equal(run(&f, 1810), -ETIMEDOUT);
		assert_int_equal(sim.lost, 1);
	}
}

/* Nor who was asked nothing, as nothing could be sent. */
static void test_end_unsent(void **state)
{
	static const struct fabric f = {"", 1, 1, .delay_ns = 50000, .unsent = 1, USUAL};
	(void)state;

	assert_int_equal(run(&f, 1010), -ETIMEDOUT);
	assert_int_equal(sim.lost, 1);
}

/* But of one who did not answer a first try it is not known that he would. */
static void test_end_silent(void **state)
{
	struct fabric f = {"", 1, 1, .delay_ns = 50000, .mute = 1, USUAL};
	(void)state;

	for (int i = 0; i < 2; i++, f.beyond = true) {
		assert_int_equal(run(&f, 1040), -ETIMEDOUT);
		assert_int_equal(run(&f, 1060), 0);
		assert_int_equal(run(&f, 1500), 0);
		assert_int_equal(sim.lost, 1);
	}
}

/* What comes back of a run that is over is nothing to the next one. */
static void test_again(void **state)
{
	static const struct fabric f = {"", 4, 8, .delay_ns = 50 * NS_PER_MS, USUAL};
	_cleanup_(ft_scheduler_freep) struct ft_scheduler *scheduler = NULL;
	const struct ft_scheduler_options options = {
		.timeout_ms = 1000, .max_smps = 128, .max_smps_per_target = 4, .retries = 3, .end_ms = 100000};
	(void)state;

	memset(&sim, 0, sizeof(sim));
	memset(taken, 0, sizeof(taken));
	sim.f = &f;
	sim.now_ns = NS_PER_S;
	assert_int_equal(ft_scheduler_new(&options, make, take, NULL, &scheduler, NULL), 0);
	for (unsigned int i = 0; i < 16; i++)
		ft_scheduler_push(scheduler, &(struct ft_query){.target = i % 4, .node = i % 4, .other = i / 4});
	assert_int_equal(ft_scheduler_run(scheduler, 1010), -ETIMEDOUT);
	assert_int_equal(sim.lost, 16);
	for (unsigned int i = 16; i < 32; i++)
		ft_scheduler_push(scheduler, &(struct ft_query){.target = i % 4, .node = i % 4, .other = i / 4});
	assert_int_equal(ft_scheduler_run(scheduler, options.end_ms), 0);
	assert_int_equal(sim.answered, 16);
	for (unsigned int i = 0; i < 32; i++)
		assert_int_equal(taken[i % 4][i / 4], 1);
}

/* At its end there is no waiting: what is not answered by then is lost, each once. */
static void test_end(void **state)
{
	static const struct fabric f = {"", 64, 100, .delay_ns = 5 * NS_PER_MS, USUAL};
	(void)state;

	assert_int_equal(run(&f, 1020), -ETIMEDOUT);
	assert_in_range(sim.now_ns, 1020 * NS_PER_MS, 1026 * NS_PER_MS);
	assert_in_range(sim.answered, 1, 6399);
	assert_int_equal(sim.answered + sim.lost, 6400);
}

/* More is asked from within an answer, of targets that there were none of. */
static unsigned int children;

static void take_parent(void *arg, const struct ft_query *query, const struct ft_smp_answer *answer)
{
	struct ft_scheduler *scheduler = *(struct ft_scheduler **)arg;

	take(NULL, query, answer);
	for (unsigned int i = 1; i <= 2 && query->node * 2 + i < 1000; i++, children++)
		ft_scheduler_push(scheduler,
				  &(struct ft_query){.target = query->node * 2 + i, .node = query->node * 2 + i});
}

static int run_tree(void)
{
	static const struct fabric f = {"", 1000, 1, .delay_ns = 50000, USUAL};
	_cleanup_(ft_scheduler_freep) struct ft_scheduler *scheduler = NULL;
	const struct ft_scheduler_options options = {
		.timeout_ms = 1000, .max_smps = 128, .max_smps_per_target = 4, .retries = 3, .end_ms = 100000};
	int r;

	memset(&sim, 0, sizeof(sim));
	memset(taken, 0, sizeof(taken));
	children = 0;
	sim.f = &f;
	sim.now_ns = NS_PER_S;
	r = ft_scheduler_new(&options, make, take_parent, &scheduler, &scheduler, NULL);
	if (r < 0)
		return r;
	ft_scheduler_push(scheduler, &(struct ft_query){.target = FT_NONE, .node = 0});
	return ft_scheduler_run(scheduler, options.end_ms);
}

static void test_tree(void **state)
{
	(void)state;
	assert_int_equal(run_tree(), 0);
	assert_int_equal(children, 999);
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(taken[i][0], 1);
}

static void test_no_memory(void **state)
{
	unsigned int n;
	int r = -ENOMEM;
	(void)state;

	for (n = 1; r == -ENOMEM && n < 1000; n++) {
		allocation_failing = n;
		r = run_tree();
		allocation_failing = 0;
	}
	assert_int_equal(r, 0);
	assert_in_range(n, 6, 100);
}

/* What goes through a switch to those behind it, once a first answer of @own has come. */

enum { TRANSIT = 1, FAST = 2, SLOW = 16, MUTE = 0 };

static struct transit {
	struct ft_scheduler *scheduler;
	unsigned int own;     /* who is asked first */
	unsigned int target;  /* of the others */
	unsigned int node;    /* who is to answer them */
	unsigned int queries; /* how many */
	bool beyond;
	int64_t fast_end_ns; /* until then there are answers of somebody who is fast */
	int64_t began_ns;
	int64_t took_ns; /* until the last of the others came to its end */
} transit;

static void push_fast(void)
{
	ft_scheduler_push(transit.scheduler, &(struct ft_query){.target = FAST, .node = FAST});
}

static void take_transit(void *arg, const struct ft_query *query, const struct ft_smp_answer *answer)
{
	(void)arg;
	if (query->node == FAST && sim.now_ns < transit.fast_end_ns)
		push_fast();
	if (query->kind == 1)
		transit.took_ns = sim.now_ns - transit.began_ns;
	if (query->node != transit.own || answer->outcome != FT_SMP_ANSWERED || transit.began_ns > 0)
		return;
	transit.began_ns = sim.now_ns;
	for (unsigned int i = 0; i < transit.queries; i++)
		ft_scheduler_push(transit.scheduler, &(struct ft_query){.target = transit.target,
									.node = transit.node,
									.kind = 1,
									.beyond = transit.beyond});
}

/* @silent  queries, through @target, to somebody who does not answer, to begin with */
static void transit_run(const struct fabric *f, unsigned int silent)
{
	_cleanup_(ft_scheduler_freep) struct ft_scheduler *scheduler = NULL;
	const struct ft_scheduler_options options = {
		.timeout_ms = 1000, .max_smps = 128, .max_smps_per_target = 4, .retries = 3, .end_ms = 100000};

	memset(&sim, 0, sizeof(sim));
	sim.f = f;
	sim.now_ns = NS_PER_S;
	assert_int_equal(ft_scheduler_new(&options, make, take_transit, NULL, &scheduler, NULL), 0);
	transit.scheduler = scheduler;
	transit.began_ns = transit.took_ns = 0;
	push_fast();
	ft_scheduler_push(scheduler, &(struct ft_query){.target = transit.own, .node = transit.own});
	for (unsigned int i = 0; i < silent; i++)
		ft_scheduler_push(scheduler,
				  &(struct ft_query){.target = transit.target, .node = MUTE, .beyond = true});
	assert_int_equal(ft_scheduler_run(scheduler, 100000), 0);
	assert_true(transit.began_ns > 0);
}

/* One that takes long for all that goes through it is not mute: no more of it are on the wire than of any other. */
static void test_slow_switch(void **state)
{
	static const struct fabric f = {"", .delay_ns = 5 * NS_PER_MS, .slow_ns = 300 * NS_PER_MS, USUAL};
	(void)state;

	transit = (struct transit){
		.own = SLOW, .target = SLOW, .node = SLOW, .queries = 36, .beyond = true, .fast_end_ns = 9 * NS_PER_S};
	transit_run(&f, 0);
	assert_in_range(sim.targets[SLOW].most, 1, 4);
}

/* But those who are mute are not waited for as long as they could be, because somebody else was slow. 8 rounds. */
static void test_slow_and_silent(void **state)
{
	static const struct fabric f = {"", .delay_ns = 5 * NS_PER_MS, .slow_ns = 60 * NS_PER_MS, .mute = 1, USUAL};
	(void)state;

	transit = (struct transit){
		.own = SLOW, .target = SLOW, .node = MUTE, .queries = 32, .beyond = true, .fast_end_ns = 20 * NS_PER_S};
	transit_run(&f, 0);
	assert_in_range(transit.took_ns, 1, (8 * (50 + 100 + 120 + 120) + 1000) * NS_PER_MS);
}

/* A switch does not wait for those behind it: when it is asked, all of them are waited for the last time. */
static void test_silence_behind(void **state)
{
	static const struct fabric f = {"", .delay_ns = 50000, .slow_ns = 900 * NS_PER_MS, .mute = 1, USUAL};
	(void)state;

	transit = (struct transit){.own = SLOW, .target = TRANSIT, .node = TRANSIT, .queries = 16};
	transit_run(&f, 16);
	assert_in_range(transit.took_ns, 1, NS_PER_MS);
}

/* The pace. */

static void test_window(void **state)
{
	struct ft_window pace;
	int64_t now_ns = 0;
	(void)state;

	ft_window_init(&pace, 64, 0, 1000, now_ns);
	assert_int_equal(ft_window_size(&pace), 4);
	/* One more for each answer. */
	for (unsigned int i = 5; i <= 64; i++) {
		ft_window_answered(&pace, now_ns, now_ns + 100000, false, i);
		assert_int_equal(ft_window_size(&pace), i);
		now_ns += 100000;
	}
	ft_window_answered(&pace, now_ns, now_ns + 100000, false, 64);
	assert_int_equal(ft_window_size(&pace), 64);
	/* A half for all that was lost together. */
	ft_window_lost(&pace, now_ns, now_ns + 10);
	ft_window_lost(&pace, now_ns + 5, now_ns + 20);
	assert_int_equal(ft_window_size(&pace), 32);
	ft_window_lost(&pace, now_ns + 30, now_ns + 40);
	assert_int_equal(ft_window_size(&pace), 16);
	/* One more for each windowful. */
	for (unsigned int i = 0; i < 15; i++)
		ft_window_answered(&pace, now_ns + 50, now_ns + 100, false, 16);
	assert_int_equal(ft_window_size(&pace), 16);
	for (unsigned int i = 0; i < 3; i++)
		ft_window_answered(&pace, now_ns + 50, now_ns + 100, false, 16);
	assert_int_equal(ft_window_size(&pace), 17);
	/* What was taken for lost was late. */
	ft_window_lost(&pace, now_ns + 200, now_ns + 300);
	assert_int_equal(ft_window_size(&pace), 8);
	ft_window_answered(&pace, now_ns + 200, now_ns + 400, true, 8);
	assert_int_equal(ft_window_size(&pace), 17);
	/* Never below 1. */
	for (unsigned int i = 0; i < 20; i++, now_ns += 1000)
		ft_window_lost(&pace, now_ns + 1000, now_ns + 1500);
	assert_int_equal(ft_window_size(&pace), 1);
	/* A window that is not filled does not grow. */
	ft_window_init(&pace, 64, 0, 1000, 0);
	for (unsigned int i = 0; i < 100; i++)
		ft_window_answered(&pace, 0, 100000, false, 1);
	assert_in_range(ft_window_size(&pace), 4, 5);
}

static void test_patience(void **state)
{
	struct ft_window pace;
	(void)state;

	ft_window_init(&pace, 64, 0, 1000, 0);
	assert_int_equal(ft_window_timeout_ms(&pace, 0), 50);
	assert_int_equal(ft_window_timeout_ms(&pace, 1), 100);
	assert_int_equal(ft_window_timeout_ms(&pace, 4), 800);
	assert_int_equal(ft_window_timeout_ms(&pace, 5), 1000);
	assert_int_equal(ft_window_timeout_ms(&pace, UINT32_MAX), 1000);
	/* Where all take long, all are given long. */
	for (unsigned int i = 0; i < 100; i++)
		ft_window_answered(&pace, 0, 200 * NS_PER_MS, false, 4);
	assert_in_range(ft_window_timeout_ms(&pace, 0), 200, 210);
	assert_in_range(ft_window_overdue_ns(&pace), 200 * NS_PER_MS, 210 * NS_PER_MS);
	/* But no longer than the user would. */
	ft_window_init(&pace, 64, 0, 20, 0);
	assert_int_equal(ft_window_timeout_ms(&pace, 0), 20);
	assert_int_equal(ft_window_timeout_ms(&pace, 9), 20);
}

int main(void)
{
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_gone),	       cmocka_unit_test(test_end_mute),
		cmocka_unit_test(test_end_first_try),  cmocka_unit_test(test_end_busy),
		cmocka_unit_test(test_end_unsent),     cmocka_unit_test(test_end_silent),
		cmocka_unit_test(test_again),	       cmocka_unit_test(test_end),
		cmocka_unit_test(test_tree),	       cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_slow_switch),    cmocka_unit_test(test_slow_and_silent),
		cmocka_unit_test(test_silence_behind), cmocka_unit_test(test_window),
		cmocka_unit_test(test_patience),
	};

	return rows_run(fabrics, test_fabric, others);
}
