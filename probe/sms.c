/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/sms.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <stdlib.h>
#include <string.h>

#include "probe/scheduler.h"
#include "probe/confine.h"
#include "probe/guard.h"
#include "probe/port.h"
#include "probe/progress.h"
#include "probe/ways.h"

struct asking {
	const struct ft_sweep_options *options;
	const struct ft_snapshot *snapshot;
	struct ft_way_to *ways; /* by node */
	struct ft_sms *sms;
};

void ft_sms_free(struct ft_sms *sms)
{
	if (!sms)
		return;
	free(sms->items);
	free(sms);
}

static void ways_release(struct asking *a)
{
	free(a->ways);
}

static int add_sm(struct ft_sms *sms, uint32_t node, unsigned int port)
{
	struct ft_sm *items = reallocarray(sms->items, sms->count + 1UL, sizeof(*items));

	if (!items)
		return -ENOMEM;
	sms->items = items;
	/* Field by field: all of it goes through a pipe, padding included. */
	memset(&items[sms->count], 0, sizeof(*items));
	items[sms->count].node = node;
	items[sms->count].port = (uint8_t)port;
	items[sms->count++].state = FT_SM_SILENT;
	return 0;
}

static int find_sms(const struct ft_snapshot *s, struct ft_sms *sms)
{
	int r = 0;

	for (uint32_t i = 0; i < s->node_count && r == 0; i++) {
		if (s->nodes[i].sm)
			r = add_sm(sms, i, 0);
		for (unsigned int n = 1; n <= s->nodes[i].port_count && r == 0; n++)
			if (ft_node_port(s, &s->nodes[i], n)->sm)
				r = add_sm(sms, i, n);
	}
	return r;
}

/* An end node is entered through the port in question: from the switch that this is cabled to. */
static bool make_request(void *arg, const struct ft_query *query, struct ft_smp_request *ret_request)
{
	const struct asking *a = arg;
	const struct ft_snapshot *s = a->snapshot;
	const struct ft_sm *sm = &a->sms->items[query->other];
	bool own = sm->node == s->source.entry_node && (sm->port == 0 || sm->port == s->source.entry_port);
	const struct ft_port *peer =
		sm->port && !own ? ft_port_peer(s, ft_node_port(s, &s->nodes[sm->node], sm->port)) : NULL;
	uint32_t node = peer ? peer->node : sm->node;

	if ((sm->port && !own && !peer) || a->ways[node].hops >= FT_SMP_HOPS_MAX ||
	    !ft_ways_write(a->ways, node, ret_request))
		return false;
	ret_request->attribute = IB_ATTR_SMINFO;
	if (peer)
		ret_request->path[++ret_request->hops] = peer->number;
	return true;
}

static void take_answer(void *arg, const struct ft_query *query, const struct ft_smp_answer *answer)
{
	const struct asking *a = arg;
	struct ft_sm *sm = &a->sms->items[query->other];
	void *data = (void *)(uintptr_t)answer->data;

	if (answer->outcome != FT_SMP_ANSWERED)
		return;
	sm->guid = mad_get_field64(data, 0, IB_SMINFO_GUID_F);
	sm->activity = mad_get_field(data, 0, IB_SMINFO_ACT_F);
	sm->priority = (uint8_t)mad_get_field(data, 0, IB_SMINFO_PRIO_F);
	sm->state = (uint8_t)mad_get_field(data, 0, IB_SMINFO_STATE_F);
	/* Reserved values: unknown state. */
	if (sm->state > FT_SM_MASTER)
		sm->state = FT_SM_SILENT;
}

static int ask(struct asking *a, int64_t end_ms, struct ft_error *err)
{
	_cleanup_(ft_scheduler_freep) struct ft_scheduler *scheduler = NULL;
	struct ft_scheduler_options options;
	struct ft_port_choice from;
	int r;

	r = ft_port_choose(a->options->ca, a->options->port, &from, err);
	if (r == 0)
		r = ft_ways_find(a->snapshot, &a->ways);
	if (r < 0)
		return r;
	options = ft_sweep_ask_options(a->options, &from, end_ms);
	ft_progress_enter(options.progress, FT_PHASE_SMS, 0);
	r = ft_scheduler_new(&options, make_request, take_answer, a, &scheduler, err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < a->sms->count; i++)
		ft_scheduler_push(scheduler, &(struct ft_query){.target = a->sms->items[i].node, .other = i});
	r = ft_scheduler_run(scheduler, end_ms);
	/* A manager that was not reached in time is not counted as silent. */
	if (r == -ETIMEDOUT || (r == 0 && ft_guard_now_ms() >= end_ms))
		return ft_error_set(err, -ETIMEDOUT, 0, 0, "asking the subnet managers did not end in time");
	if (r < 0 && r != -ENOMEM)
		return ft_error_set(err, r, 0, 0, "cannot send management packets: %s", strerror(-r));
	return r;
}

int ft_sms_ask_here(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot, int64_t end_ms,
		    struct ft_sms **ret_sms, struct ft_error *err)
{
	_cleanup_(ft_sms_freep) struct ft_sms *sms = calloc(1, sizeof(*sms));
	_cleanup_(ways_release) struct asking a = {.options = options, .snapshot = snapshot, .sms = sms};
	int r;

	if (!sms)
		return -ENOMEM;
	r = find_sms(snapshot, sms);
	if (r == 0 && sms->count > 0)
		r = ask(&a, end_ms, err);
	if (r < 0)
		return r;
	*ret_sms = FT_STEAL(sms);
	return 0;
}

/* Runs in a child; its result goes through a pipe. */

struct work {
	const struct ft_sweep_options *options;
	const struct ft_snapshot *snapshot;
};

static int work_ask(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	_cleanup_(ft_sms_freep) struct ft_sms *sms = NULL;
	const struct work *work = arg;
	int r;

	ft_confine();
	r = ft_sms_ask_here(work->options, work->snapshot, end_ms - (end_ms - ft_guard_now_ms()) / 10, &sms, err);
	if (r == 0 && sms->count > 0)
		ft_text_add(&result->text, (const char *)sms->items, sms->count * sizeof(*sms->items));
	return r;
}

/* The bytes are not trusted: the child may have crashed. */
static bool sm_is_good(const struct ft_snapshot *s, const struct ft_sm *sm)
{
	return sm->node < s->node_count && sm->port <= s->nodes[sm->node].port_count && sm->state <= FT_SM_SILENT &&
	       sm->priority <= 15;
}

static int take_result(const struct ft_snapshot *snapshot, const struct ft_text *text, struct ft_sms **ret_sms,
		       struct ft_error *err)
{
	_cleanup_(ft_sms_freep) struct ft_sms *sms = calloc(1, sizeof(*sms));
	size_t count = text->length / sizeof(*sms->items);

	if (!sms)
		return -ENOMEM;
	sms->items = calloc(count ? count : 1, sizeof(*sms->items));
	if (!sms->items)
		return -ENOMEM;
	if (count > 0)
		memcpy(sms->items, text->data, count * sizeof(*sms->items));
	sms->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		if (!sm_is_good(snapshot, &sms->items[i]))
			return ft_error_set(err, -EIO, 0, 0, "asking the subnet managers gave a damaged result");
	*ret_sms = FT_STEAL(sms);
	return 0;
}

int ft_sms_ask(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot, struct ft_sms **ret_sms,
	       struct ft_error *err)
{
	const struct ft_guard guard = {.what = "asking the subnet managers", .deadline_ms = options->deadline_ms};
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	int r;

	r = ft_guard_run(&guard, work_ask, &(struct work){options, snapshot}, &result, err);
	return r < 0 ? r : take_result(snapshot, &result.text, ret_sms, err);
}
