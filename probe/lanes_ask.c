/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Virtual lanes from the fabric: SMPs to the switches, then path records from the subnet administration. */
#include "config.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <stdlib.h>
#include <string.h>

#include "probe/confine.h"
#include "probe/guard.h"
#include "probe/lanes.h"
#include "probe/port.h"
#include "probe/progress.h"
#include "probe/scheduler.h"
#include "probe/ways.h"

enum { ASK_LANES, ASK_ROW, ASK_WEIGHTS, ASK_PATH };

/* The blocks of the VL arbitration tables, of 32 entries each: IBTA Vol 1, 14.2.5.9. */
enum { BLOCK_LOW = 1, BLOCK_HIGH = 3, BLOCK_ENTRIES = 32 };

struct asking {
	const struct ft_sweep_options *options;
	const struct ft_snapshot *snapshot;
	const struct ft_lane_wants *wants;
	struct ft_way_to *ways;
	struct ft_scheduler *scheduler;
	uint8_t (*rows)[FT_LANE_LEVELS]; /* by crossing */
	uint8_t *levels;		 /* by path */
	uint16_t *weights;		 /* by crossing, the first out of each port: lanes with a weight, as bits */
	uint8_t *blocks;		 /* likewise: blocks of the tables that were not read yet */
	uint32_t *next;			 /* by crossing: the next one out of the same port, or FT_NONE */
	uint16_t sm_lid;
	uint8_t sm_sl;
	bool sm_heard;
	struct ft_smp_count count;
};

static void asking_release(struct asking *a)
{
	ft_scheduler_free(a->scheduler);
	free(a->ways);
	free(a->rows);
	free(a->levels);
	free(a->weights);
	free(a->blocks);
	free(a->next);
}

static bool make(void *arg, const struct ft_query *q, struct ft_smp_request *ret_request)
{
	const struct asking *a = arg;
	const struct ft_crossing *at = &a->wants->crossings[q->other];

	if (q->kind == ASK_PATH) {
		const struct ft_lane_path *path = &a->wants->paths[q->other];

		ret_request->attribute = IB_SA_ATTR_PATHRECORD;
		ret_request->lid = a->sm_lid;
		ret_request->sl = a->sm_sl;
		ret_request->path_from = path->from;
		ret_request->path_to = path->to;
		return true;
	}
	if (q->kind == ASK_LANES) {
		ret_request->attribute = IB_ATTR_PORT_INFO;
		ret_request->modifier = at->out;
	} else if (q->kind == ASK_WEIGHTS) {
		ret_request->attribute = IB_ATTR_VL_ARBITRATION;
		ret_request->modifier = (unsigned int)q->port << 16 | at->out;
	} else {
		ret_request->attribute = IB_ATTR_SLVL_TABLE;
		ret_request->modifier = (unsigned int)at->in << 8 | at->out;
	}
	return ft_ways_write(a->ways, at->node, ret_request);
}

/* PortInfo:OperationalVLs as a number of lanes; 0: a reserved value. */
static unsigned int lanes_of_port(const uint8_t *info)
{
	static const uint8_t lanes[] = {0, 1, 2, 4, 8, 15};
	unsigned int code = mad_get_field((void *)(uintptr_t)info, 0, IB_PORT_OPER_VLS_F);

	return code < FT_COUNT(lanes) ? lanes[code] : 0;
}

/* The blocks of one priority's table, by the number of its entries. */
static void weights_push(struct asking *a, const struct ft_query *q, unsigned int first, unsigned int entries)
{
	for (unsigned int i = 0; i < 2 && i * BLOCK_ENTRIES < entries; i++) {
		a->blocks[q->other]++;
		ft_scheduler_push(a->scheduler, &(struct ft_query){.target = q->target,
								   .other = q->other,
								   .port = (uint8_t)(first + i),
								   .kind = ASK_WEIGHTS,
								   .optional = true});
	}
}

/* 32 pairs of a lane and its weight. */
static void take_weights(struct asking *a, const struct ft_query *q, const uint8_t *table)
{
	a->blocks[q->other]--;
	for (unsigned int i = 0; i < BLOCK_ENTRIES; i++)
		if (table[2 * i + 1] > 0)
			a->weights[q->other] |= (uint16_t)(1U << (table[2 * i] & 0xf));
}

/* All ways out of a port: with one lane they need no table. @q->other is the first of them. */
static void take_lanes(struct asking *a, const struct ft_query *q, const uint8_t *info)
{
	unsigned int lanes = lanes_of_port(info);

	if (lanes > 1) {
		weights_push(a, q, BLOCK_LOW,
			     mad_get_field((void *)(uintptr_t)info, 0, IB_PORT_VL_ARBITRATION_LOW_CAP_F));
		weights_push(a, q, BLOCK_HIGH,
			     mad_get_field((void *)(uintptr_t)info, 0, IB_PORT_VL_ARBITRATION_HIGH_CAP_F));
	}
	for (uint32_t i = q->other; i != FT_NONE; i = a->next[i]) {
		if (lanes == 1)
			memset(a->rows[i], 0, sizeof(a->rows[i]));
		else if (lanes > 1)
			ft_scheduler_push(a->scheduler, &(struct ft_query){.target = q->target,
									   .other = i,
									   .port = (uint8_t)lanes,
									   .kind = ASK_ROW});
	}
}

/* The first path is asked for alone: a manager that is gone costs the tries of one. */
static void take_path(struct asking *a, const struct ft_query *q, const struct ft_smp_answer *answer)
{
	if (answer->outcome == FT_SMP_ANSWERED)
		a->levels[q->other] = (uint8_t)(mad_get_field((void *)(uintptr_t)answer->data, 0, IB_SA_PR_SL_F) & 0xf);
	if (answer->outcome == FT_SMP_LOST || a->sm_heard)
		return;
	a->sm_heard = true;
	for (uint32_t i = 1; i < a->wants->path_count; i++)
		ft_scheduler_push(a->scheduler, &(struct ft_query){.other = i, .kind = ASK_PATH});
}

static void take(void *arg, const struct ft_query *q, const struct ft_smp_answer *answer)
{
	struct asking *a = arg;

	if (q->kind == ASK_PATH) {
		take_path(a, q, answer);
		return;
	}
	if (answer->outcome != FT_SMP_ANSWERED)
		return;
	if (q->kind == ASK_LANES) {
		take_lanes(a, q, answer->data);
	} else if (q->kind == ASK_WEIGHTS) {
		take_weights(a, q, answer->data);
	} else {
		for (unsigned int i = 0; i < FT_LANE_LEVELS; i++) {
			uint8_t lane = i % 2 ? answer->data[i / 2] & 0xf : answer->data[i / 2] >> 4;

			a->rows[q->other][i] = lane < q->port ? lane : FT_LANE_DROPPED;
		}
	}
}

/* Pushes one query for each port that ways lead out of. */
static int ports_push(struct asking *a)
{
	struct ft_map first = {0};
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < a->wants->crossing_count; i++) {
		const struct ft_crossing *at = &a->wants->crossings[i];
		uint32_t there;

		a->next[i] = FT_NONE;
		r = ft_map_add(&first, (uint64_t)at->node << 8 | at->out, i, &there);
		if (r != 0)
			continue;
		a->next[i] = a->next[there];
		a->next[there] = i;
	}
	for (uint32_t i = 0; r >= 0 && i < a->wants->crossing_count; i++) {
		const struct ft_crossing *at = &a->wants->crossings[i];

		if (ft_map_get(&first, (uint64_t)at->node << 8 | at->out) == i)
			ft_scheduler_push(a->scheduler,
					  &(struct ft_query){.target = at->node, .other = i, .kind = ASK_LANES});
	}
	ft_map_release(&first);
	return r < 0 ? r : 0;
}

static int run(struct asking *a, enum ft_smp_kind kind, const struct ft_port_choice *from, int64_t end_ms,
	       struct ft_error *err)
{
	struct ft_scheduler_options options = ft_sweep_ask_options(a->options, from, end_ms);
	struct ft_smp_count count;
	int r;

	options.kind = kind;
	r = ft_scheduler_new(&options, make, take, a, &a->scheduler, err);
	if (r < 0)
		return r;
	if (kind == FT_SMP_DIRECTED)
		r = ports_push(a);
	else if (a->wants->path_count > 0)
		ft_scheduler_push(a->scheduler, &(struct ft_query){.kind = ASK_PATH});
	if (r == 0)
		r = ft_scheduler_run(a->scheduler, end_ms);
	count = ft_scheduler_count(a->scheduler);
	a->count.mads += count.mads;
	a->count.timeouts += count.timeouts;
	ft_scheduler_free(FT_STEAL(a->scheduler));
	/* What was not read in time stays unknown. */
	if (r == -ETIMEDOUT)
		return 0;
	if (r < 0 && r != -ENOMEM)
		return ft_error_set(err, r, 0, 0, "cannot send management packets: %s", strerror(-r));
	return r;
}

static void sm_find(struct asking *a, const struct ft_port_choice *from)
{
	umad_port_t port;

	if (umad_get_port(from->ca, from->port, &port) < 0)
		return;
	a->sm_lid = (uint16_t)port.sm_lid;
	a->sm_sl = (uint8_t)(port.sm_sl & 0xf);
	umad_release_port(&port);
}

static int ask(struct asking *a, int64_t end_ms, struct ft_error *err)
{
	struct ft_port_choice from;
	size_t rows = a->wants->crossing_count + 1UL, levels = a->wants->path_count + 1UL;
	int r;

	a->rows = malloc(rows * sizeof(*a->rows));
	a->next = calloc(rows, sizeof(*a->next));
	a->levels = malloc(levels);
	a->weights = calloc(rows, sizeof(*a->weights));
	a->blocks = calloc(rows, sizeof(*a->blocks));
	if (!a->rows || !a->levels || !a->next || !a->weights || !a->blocks)
		return -ENOMEM;
	memset(a->rows, FT_LANE_UNKNOWN, rows * sizeof(*a->rows));
	memset(a->levels, FT_LANE_UNKNOWN, levels);
	r = ft_port_choose(a->options->ca, a->options->port, &from, err);
	if (r == 0)
		r = ft_ways_find(a->snapshot, &a->ways);
	if (r < 0)
		return r;
	ft_progress_enter(a->options->progress, FT_PHASE_LANES, 0);
	sm_find(a, &from);
	r = run(a, FT_SMP_DIRECTED, &from, end_ms, err);
	/* Without a subnet manager nobody knows them. */
	if (r == 0 && a->sm_lid > 0)
		r = run(a, FT_SMP_PATH_RECORD, &from, end_ms, err);
	return r;
}

/* Runs in a child; its result goes through a pipe: the counts, then the rows, the weights and the levels, in the order
 * of wants.
 */

struct work {
	const struct ft_sweep_options *options;
	const struct ft_snapshot *snapshot;
	const struct ft_lane_wants *wants;
};

static int work_ask(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	const struct work *work = arg;
	_cleanup_(asking_release) struct asking a = {
		.options = work->options, .snapshot = work->snapshot, .wants = work->wants};
	int r;

	ft_confine();
	r = ask(&a, end_ms - (end_ms - ft_guard_now_ms()) / 10, err);
	if (r < 0)
		return r;
	ft_text_add(&result->text, (const char *)&a.count, sizeof(a.count));
	ft_text_add(&result->text, (const char *)a.rows, work->wants->crossing_count * sizeof(*a.rows));
	/* Of a part of the tables nobody knows which lanes are without. */
	for (uint32_t i = 0; i < work->wants->crossing_count; i++)
		a.weights[i] = a.blocks[i] == 0 ? a.weights[i] : 0;
	ft_text_add(&result->text, (const char *)a.weights, work->wants->crossing_count * sizeof(*a.weights));
	ft_text_add(&result->text, (const char *)a.levels, work->wants->path_count);
	return 0;
}

/* A row that is known has lanes up to 15. The bytes are not trusted: the child may have crashed. */
static bool row_is_known(const uint8_t row[FT_LANE_LEVELS])
{
	for (unsigned int i = 0; i < FT_LANE_LEVELS; i++)
		if (row[i] > FT_LANE_DROPPED)
			return false;
	return true;
}

static int take_result(const struct ft_lane_wants *wants, const struct ft_text *text, struct ft_lanes **ret_lanes,
		       struct ft_error *err)
{
	_cleanup_(ft_lanes_freep) struct ft_lanes *lanes = NULL;
	size_t rows = (size_t)wants->crossing_count * (FT_LANE_LEVELS + sizeof(uint16_t));
	const uint8_t *bytes = (const uint8_t *)text->data;
	struct ft_smp_count count;
	int r;

	if (text->length != sizeof(count) + rows + wants->path_count)
		return ft_error_set(err, -EIO, 0, 0, "asking for virtual lanes gave a damaged result");
	r = ft_lanes_new(&lanes);
	if (r < 0)
		return r;
	memcpy(&count, bytes, sizeof(count));
	lanes->mads = count.mads;
	lanes->timeouts = count.timeouts;
	bytes += sizeof(count);
	for (uint32_t i = 0; r == 0 && i < wants->crossing_count; i++, bytes += FT_LANE_LEVELS)
		if (row_is_known(bytes))
			r = ft_lanes_set_row(lanes, &wants->crossings[i], bytes);
	for (uint32_t i = 0; r == 0 && i < wants->crossing_count; i++, bytes += sizeof(uint16_t)) {
		uint16_t weights;

		memcpy(&weights, bytes, sizeof(weights));
		if (weights)
			r = ft_lanes_add_weights(lanes, wants->crossings[i].node, wants->crossings[i].out, weights);
	}
	for (uint32_t i = 0; r == 0 && i < wants->path_count; i++, bytes++)
		if (*bytes < FT_LANE_LEVELS)
			r = ft_lanes_set_level(lanes, &wants->paths[i], *bytes);
	if (r == 0)
		*ret_lanes = FT_STEAL(lanes);
	return r;
}

int ft_lanes_ask(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot,
		 const struct ft_lane_wants *wants, struct ft_lanes **ret_lanes, struct ft_error *err)
{
	const struct ft_guard guard = {.what = "asking for virtual lanes", .deadline_ms = options->deadline_ms};
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	int r;

	r = ft_guard_run(&guard, work_ask, &(struct work){options, snapshot, wants}, &result, err);
	return r < 0 ? r : take_result(wants, &result.text, ret_lanes, err);
}
