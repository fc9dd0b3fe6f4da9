/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/counters.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "probe/scheduler.h"
#include "probe/confine.h"
#include "probe/guard.h"
#include "probe/port.h"
#include "probe/progress.h"

enum {
	LID_UNICAST_MAX = 0xbfff,
	CAP2_EXTENDED_ERRORS = 1 << 1, /* PerfMgt ClassPortInfo:CapabilityMask2 */
	READINGS = 2,
	RESERVE_SHARE = 10, /* part of the deadline for handing over the result */
};

static const struct {
	const char *key, *one, *many;
	enum MAD_FIELDS field, wide;
	uint64_t max; /* maximum of @field; that of @wide is UINT64_MAX */
} counters[FT_COUNTER_COUNT] = {
	[FT_COUNTER_SYMBOL] = {"SymbolErrorCounter", "symbol error", "symbol errors", IB_PC_ERR_SYM_F,
			       IB_PC_EXT_ERR_SYM_F, 0xffff},
	[FT_COUNTER_RECOVERY] = {"LinkErrorRecoveryCounter", "link recovery", "link recoveries", IB_PC_LINK_RECOVERS_F,
				 IB_PC_EXT_LINK_RECOVERS_F, 0xff},
	[FT_COUNTER_DOWNED] = {"LinkDownedCounter", "link failure", "link failures", IB_PC_LINK_DOWNED_F,
			       IB_PC_EXT_LINK_DOWNED_F, 0xff},
	[FT_COUNTER_RECEIVE] = {"PortRcvErrors", "receive error", "receive errors", IB_PC_ERR_RCV_F,
				IB_PC_EXT_ERR_RCV_F, 0xffff},
	[FT_COUNTER_INTEGRITY] = {"LocalLinkIntegrityErrors", "link integrity error", "link integrity errors",
				  IB_PC_ERR_LOCALINTEG_F, IB_PC_EXT_ERR_LOCALINTEG_F, 0xf},
	[FT_COUNTER_OVERRUN] = {"ExcessiveBufferOverrunErrors", "buffer overrun", "buffer overruns",
				IB_PC_ERR_EXCESS_OVR_F, IB_PC_EXT_ERR_EXCESS_OVR_F, 0xf},
	[FT_COUNTER_DISCARDS] = {"PortXmitDiscards", "discarded packet", "discarded packets", IB_PC_XMT_DISCARDS_F,
				 IB_PC_EXT_XMT_DISCARDS_F, 0xffff},
};

/* State of a port while it is read. */
struct subject {
	uint64_t first[FT_COUNTER_COUNT];
	int64_t first_ms;
	uint32_t head; /* the first subject with its LID, which holds @wide, @asked and @doubted for all of them */
	uint16_t lid;
	uint8_t number;
	bool wide;     /* the node has 64-bit error counters */
	bool asked;    /* the node has said so, now or before an earlier reading */
	bool doubted;  /* a counter fell since: it may run another firmware now */
	bool seen;     /* the first reading succeeded */
	bool was_wide; /* and had 64-bit counters */
};

struct reading {
	const struct ft_sweep_options *options;
	const struct ft_snapshot *snapshot;
	struct ft_counters *out;
	struct subject *subjects; /* by item */
	struct ft_scheduler *scheduler;
	unsigned int pass; /* from 0 */
	bool asking_class; /* before the counters: which counters the node has */
	bool once;	   /* the first reading was another one, long ago */
};

const char *ft_counter_name(enum ft_counter counter, uint64_t count)
{
	return count == 1 ? counters[counter].one : counters[counter].many;
}

const char *ft_counter_key(enum ft_counter counter)
{
	return counters[counter].key;
}

void ft_counters_free(struct ft_counters *c)
{
	if (!c)
		return;
	free(c->items);
	free(c);
}

void ft_counter_between(uint64_t first, uint64_t second, uint64_t max, uint64_t *ret_count, bool *ret_at_least,
			bool *ret_stuck)
{
	bool reset = second < first;

	*ret_stuck = first >= max && second >= max;
	*ret_at_least = !*ret_stuck && (reset || second >= max);
	*ret_count = *ret_stuck ? 0 : reset ? second : second - first;
}

static void reading_release(struct reading *r)
{
	ft_scheduler_free(r->scheduler);
	free(r->subjects);
}

static bool port_counts(const struct ft_port *port)
{
	return port->link == FT_LINK_UP || port->link == FT_LINK_SILENT;
}

static uint16_t lid_of(const struct ft_snapshot *s, const struct ft_port *port)
{
	const struct ft_node *node = ft_port_node(s, port);
	uint16_t lid = node->type == FT_NODE_SWITCH ? node->lid : port->lid;

	return lid <= LID_UNICAST_MAX ? lid : 0;
}

/* Lists all ports to be read. Returns 0 or -ENOMEM. */
static int subjects_find(struct reading *r)
{
	const struct ft_snapshot *s = r->snapshot;
	size_t size = s->port_count ? s->port_count : 1;
	uint32_t head = 0;

	r->out->items = calloc(size, sizeof(*r->out->items));
	r->subjects = calloc(size, sizeof(*r->subjects));
	if (!r->out->items || !r->subjects)
		return -ENOMEM;
	for (uint32_t p = 0; p < s->port_count; p++) {
		uint32_t n = r->out->count;

		if (!port_counts(&s->ports[p]))
			continue;
		/* The ports of a node are adjacent. */
		if (n == 0 || s->ports[r->out->items[head].port].node != s->ports[p].node ||
		    r->subjects[head].lid != lid_of(s, &s->ports[p]))
			head = n;
		/* Field by field: all of it goes through a pipe, and padding would be uninitialised. */
		r->out->items[n].port = p;
		r->out->items[n].status = FT_COUNTED_SILENT;
		r->subjects[n] =
			(struct subject){.head = head, .lid = lid_of(s, &s->ports[p]), .number = s->ports[p].number};
		if (r->subjects[n].lid == 0)
			r->out->items[n].status = FT_COUNTED_NO_LID;
		r->out->count++;
	}
	return 0;
}

/* Reads ClassPortInfo of each node that has a LID, once: has it wide counters? */

static bool make_class(const struct reading *r, const struct ft_query *query, struct ft_smp_request *ret_request)
{
	const struct subject *subject = &r->subjects[query->other];

	ret_request->attribute = CLASS_PORT_INFO;
	ret_request->lid = subject->lid;
	return subject->lid != 0 && subject->head == query->other && (!subject->asked || subject->doubted);
}

static void take_class(const struct reading *r, const struct ft_query *query, const struct ft_smp_answer *answer)
{
	struct subject *subject = &r->subjects[query->other];

	subject->asked = answer->outcome == FT_SMP_ANSWERED;
	subject->wide = subject->asked &&
			mad_get_field((void *)(uintptr_t)answer->data, 0, IB_CPI_CAPMASK2_F) & CAP2_EXTENDED_ERRORS;
}

/* The counters. */

static bool make_reading(const struct reading *r, const struct ft_query *query, struct ft_smp_request *ret_request)
{
	const struct subject *subject = &r->subjects[query->other];

	ret_request->attribute = r->subjects[subject->head].wide ? IB_GSI_PORT_COUNTERS_EXT : IB_GSI_PORT_COUNTERS;
	ret_request->lid = subject->lid;
	ret_request->port_select = subject->number;
	return subject->lid != 0 && (r->pass == 0 || subject->seen);
}

static void count_between(struct ft_port_count *item, const struct subject *subject, const uint64_t *second, bool wide)
{
	item->interval_ms = (uint32_t)(ft_guard_now_ms() - subject->first_ms);
	for (unsigned int i = 0; i < FT_COUNTER_COUNT; i++) {
		bool at_least, stuck;

		ft_counter_between(subject->first[i], second[i], wide ? UINT64_MAX : counters[i].max, &item->counts[i],
				   &at_least, &stuck);
		item->at_least |= (uint8_t)(at_least << i);
		item->stuck |= (uint8_t)(stuck << i);
	}
}

static void take_reading(const struct reading *r, const struct ft_query *query, const struct ft_smp_answer *answer)
{
	struct subject *subject = &r->subjects[query->other];
	struct ft_port_count *item = &r->out->items[query->other];
	bool wide = r->subjects[subject->head].wide;
	void *data = (void *)(uintptr_t)answer->data;
	uint64_t values[FT_COUNTER_COUNT];

	if (answer->outcome == FT_SMP_REFUSED)
		r->out->items[query->other].status = FT_COUNTED_REFUSED;
	if (answer->outcome != FT_SMP_ANSWERED)
		return;
	for (unsigned int i = 0; i < FT_COUNTER_COUNT; i++)
		values[i] =
			wide ? mad_get_field64(data, 0, counters[i].wide) : mad_get_field(data, 0, counters[i].field);
	if (r->pass > 0 || r->once) {
		memcpy(item->totals, values, sizeof(item->totals));
		item->status = FT_COUNTED;
		item->read_ms = ft_guard_now_ms();
		item->wide = wide;
		item->asked = r->subjects[subject->head].asked;
		if (subject->seen && subject->was_wide == wide)
			count_between(item, subject, values, wide);
		return;
	}
	subject->was_wide = wide;
	memcpy(subject->first, values, sizeof(values));
	subject->first_ms = ft_guard_now_ms();
	subject->seen = true;
}

static bool make(void *arg, const struct ft_query *query, struct ft_smp_request *ret_request)
{
	const struct reading *r = arg;

	return r->asking_class ? make_class(r, query, ret_request) : make_reading(r, query, ret_request);
}

static void take(void *arg, const struct ft_query *query, const struct ft_smp_answer *answer)
{
	const struct reading *r = arg;

	if (r->asking_class)
		take_class(r, query, answer);
	else
		take_reading(r, query, answer);
}

/* Once for each port. */
static int ask_all(struct reading *r, bool asking_class, int64_t end_ms, struct ft_error *err)
{
	int code;

	r->asking_class = asking_class;
	for (uint32_t i = 0; i < r->out->count; i++)
		ft_scheduler_push(r->scheduler, &(struct ft_query){.target = r->subjects[i].head, .other = i});
	code = ft_scheduler_run(r->scheduler, end_ms);
	/* A node that was not reached in time is not counted as silent. */
	if (code == -ETIMEDOUT)
		return ft_error_set(err, code, 0, 0, "reading the error counters did not end in time");
	if (code < 0 && code != -ENOMEM)
		return ft_error_set(err, code, 0, 0, "cannot send management packets: %s", strerror(-code));
	return code;
}

static bool any_seen(const struct reading *r)
{
	for (uint32_t i = 0; i < r->out->count; i++)
		if (r->subjects[i].seen)
			return true;
	return false;
}

static void wait_until(int64_t when_ms)
{
	int64_t left;

	for (left = when_ms - ft_guard_now_ms(); left > 0; left = when_ms - ft_guard_now_ms())
		poll(NULL, 0, (int)left);
}

/* @end_ms is that of all readings; the first of two gets half of the time that the interval leaves. */
static int read_twice(struct reading *r, int64_t end_ms, struct ft_error *err)
{
	int64_t middle_ms = ft_guard_now_ms();
	int code;

	middle_ms = r->once ? end_ms : middle_ms + (end_ms - middle_ms - r->out->interval_ms) / READINGS;
	code = ask_all(r, true, middle_ms, err);
	if (code == 0)
		code = ask_all(r, false, middle_ms, err);
	/* There is nothing to wait for. */
	if (code < 0 || r->once || !any_seen(r))
		return code;
	/* From the last answer on, so that no port's interval is shorter. */
	ft_progress_enter(r->options->progress, FT_PHASE_INTERVAL, r->out->interval_ms);
	wait_until(ft_guard_now_ms() + r->out->interval_ms);
	ft_progress_enter(r->options->progress, FT_PHASE_AGAIN, 0);
	r->pass++;
	return ask_all(r, false, end_ms, err);
}

static bool any_lid(const struct reading *r)
{
	for (uint32_t i = 0; i < r->out->count; i++)
		if (r->subjects[i].lid)
			return true;
	return false;
}

static int read_here(struct reading *r, int64_t end_ms, struct ft_error *err)
{
	struct ft_scheduler_options options;
	struct ft_port_choice from;
	int code;

	if (!any_lid(r))
		return 0;
	code = ft_port_choose(r->options->ca, r->options->port, &from, err);
	if (code < 0)
		return code;
	options = ft_sweep_ask_options(r->options, &from, end_ms);
	ft_progress_enter(options.progress, FT_PHASE_COUNTERS, 0);
	options.kind = FT_SMP_PERFORMANCE;
	code = ft_scheduler_new(&options, make, take, r, &r->scheduler, err);
	return code < 0 ? code : read_twice(r, end_ms, err);
}

/* ---- against an earlier reading ---- */

/* Ports by their node and number. Two of one key are told apart by whoever asks; the second is not found. */
static uint64_t port_key(uint64_t guid, uint32_t number)
{
	return (guid << 8 | guid >> 56) ^ number;
}

static int known_map(const struct ft_counted_port *known, size_t count, struct ft_map *map)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < count; i++)
		r = ft_map_add(map, port_key(known[i].guid, known[i].number), (uint32_t)i, NULL);
	return r < 0 ? r : 0;
}

/* NULL: it is not known. */
static const struct ft_port_count *known_find(const struct ft_counted_port *known, const struct ft_map *map,
					      const struct ft_snapshot *s, uint32_t port)
{
	const struct ft_port *p = &s->ports[port];
	uint64_t guid = ft_port_node(s, p)->guid;
	uint32_t i = ft_map_get(map, port_key(guid, p->number));

	return i != FT_NONE && known[i].guid == guid && known[i].number == p->number ? &known[i].count : NULL;
}

static int first_take(struct reading *r, const struct ft_counted_port *before, size_t count)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};

	if (known_map(before, count, &map) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->out->count; i++) {
		const struct ft_port_count *first = known_find(before, &map, r->snapshot, r->out->items[i].port);
		struct subject *subject = &r->subjects[i];

		if (!first || first->status != FT_COUNTED)
			continue;
		memcpy(subject->first, first->totals, sizeof(subject->first));
		subject->first_ms = first->read_ms;
		subject->was_wide = first->wide;
		subject->seen = true;
		r->subjects[subject->head].wide |= first->asked && first->wide;
		r->subjects[subject->head].asked |= first->asked;
		r->subjects[subject->head].doubted |= first->at_least != 0;
	}
	return 0;
}

int ft_counters_read_on(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot,
			const struct ft_counted_port *before, size_t before_count, int64_t end_ms,
			struct ft_counters **ret_counters, struct ft_error *err)
{
	_cleanup_(ft_counters_freep) struct ft_counters *out = calloc(1, sizeof(*out));
	_cleanup_(reading_release) struct reading r = {
		.options = options, .snapshot = snapshot, .out = out, .once = true};
	int code;

	ft_confine();
	if (!out)
		return -ENOMEM;
	code = subjects_find(&r);
	if (code == 0)
		code = first_take(&r, before, before_count);
	if (code == 0)
		code = read_here(&r, end_ms, err);
	if (code < 0)
		return code;
	*ret_counters = FT_STEAL(out);
	return 0;
}

static bool went_down(const struct ft_port_count *count)
{
	return count && count->counts[FT_COUNTER_DOWNED] > 0;
}

int ft_counters_known(const struct ft_snapshot *snapshot, const struct ft_counted_port *known, size_t count, bool all,
		      struct ft_counters **ret_counters)
{
	_cleanup_(ft_counters_freep) struct ft_counters *out = calloc(1, sizeof(*out));
	_cleanup_(ft_map_release) struct ft_map map = {0};

	if (!out)
		return -ENOMEM;
	out->items = calloc(snapshot->port_count + 1UL, sizeof(*out->items));
	if (!out->items || known_map(known, count, &map) < 0)
		return -ENOMEM;
	for (uint32_t p = 0; p < snapshot->port_count; p++) {
		const struct ft_port_count *here = known_find(known, &map, snapshot, p), *there = NULL;
		uint32_t peer = snapshot->ports[p].peer;

		if (peer != FT_NONE)
			there = known_find(known, &map, snapshot, peer);
		if (!port_counts(&snapshot->ports[p]) || !here || here->status != FT_COUNTED ||
		    (!all && (here->interval_ms == 0 || went_down(here) || went_down(there))))
			continue;
		out->items[out->count] = *here;
		out->items[out->count++].port = p;
		if (here->interval_ms > out->interval_ms)
			out->interval_ms = here->interval_ms;
	}
	*ret_counters = FT_STEAL(out);
	return 0;
}

/* ---- in a child of its own ---- */

/* Its result goes through a pipe. */

struct work {
	const struct ft_sweep_options *options;
	const struct ft_snapshot *snapshot;
	unsigned int interval_ms;
};

static int work_read(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err)
{
	const struct work *work = arg;
	_cleanup_(ft_counters_freep) struct ft_counters *out = calloc(1, sizeof(*out));
	_cleanup_(reading_release) struct reading r = {
		.options = work->options, .snapshot = work->snapshot, .out = out};
	int code;

	ft_confine();
	if (!out)
		return -ENOMEM;
	out->interval_ms = work->interval_ms;
	code = subjects_find(&r);
	if (code == 0)
		code = read_here(&r, end_ms - work->options->deadline_ms / RESERVE_SHARE, err);
	if (code == 0 && out->count > 0)
		ft_text_add(&result->text, (const char *)out->items, out->count * sizeof(*out->items));
	return code;
}

/* The bytes are not trusted: the child may have crashed. */
static bool item_is_good(const struct ft_snapshot *s, const struct ft_port_count *item)
{
	enum { BITS = (1 << FT_COUNTER_COUNT) - 1 };

	return item->port < s->port_count && item->status <= FT_COUNTED_REFUSED && item->at_least <= BITS &&
	       item->stuck <= BITS;
}

static int take_result(const struct work *work, const struct ft_text *text, struct ft_counters **ret_counters,
		       struct ft_error *err)
{
	_cleanup_(ft_counters_freep) struct ft_counters *out = calloc(1, sizeof(*out));
	size_t count = text->length / sizeof(*out->items);

	if (!out)
		return -ENOMEM;
	out->interval_ms = work->interval_ms;
	out->items = calloc(count ? count : 1, sizeof(*out->items));
	if (!out->items)
		return -ENOMEM;
	if (count > 0)
		memcpy(out->items, text->data, count * sizeof(*out->items));
	out->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		if (!item_is_good(work->snapshot, &out->items[i]))
			return ft_error_set(err, -EIO, 0, 0, "reading the counters gave a damaged result");
	*ret_counters = FT_STEAL(out);
	return 0;
}

int ft_counters_read(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot,
		     unsigned int interval_ms, struct ft_counters **ret_counters, struct ft_error *err)
{
	const struct ft_guard guard = {.what = "reading the counters",
				       .deadline_ms = options->deadline_ms + interval_ms};
	const struct work work = {options, snapshot, interval_ms};
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	int r;

	r = ft_guard_run(&guard, work_read, &work, &result, err);
	return r < 0 ? r : take_result(&work, &result.text, ret_counters, err);
}

bool ft_counter_is_error(unsigned int counter)
{
	return counter != FT_COUNTER_DISCARDS;
}

uint64_t ft_count_symbols_allowed(const struct ft_snapshot *s, const struct ft_port_count *c)
{
	struct ft_rate rate = s->ports[c->port].rate;
	unsigned int mbps = ft_rate_mbps(rate);

	/* If the rate of a link is unknown the fastest is assumed, which allows the most errors. */
	return ft_rate_errors_allowed(mbps ? mbps : ft_rate_mbps((struct ft_rate){12, FT_SPEED_XDR}), c->interval_ms);
}

bool ft_count_is_high(const struct ft_snapshot *s, const struct ft_port_count *c, unsigned int counter)
{
	if (c->counts[counter] == 0 || !ft_counter_is_error(counter))
		return false;
	return counter != FT_COUNTER_SYMBOL || c->counts[counter] > ft_count_symbols_allowed(s, c);
}

bool ft_count_has_errors(const struct ft_snapshot *s, const struct ft_port_count *c)
{
	bool any = false;

	for (unsigned int i = 0; c && c->status == FT_COUNTED && i < FT_COUNTER_COUNT; i++)
		any |= ft_count_is_high(s, c, i);
	return any;
}
