/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/routes.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <stdlib.h>
#include <string.h>

#include "probe/guard.h"
#include "probe/mend.h"

enum {
	WINDOW_MIN = 2,
	/* As in mend.c: one that took all of its time-out weighs as much as so many that failed at once. */
	WEIGHT_SLOW = 16,
	WEIGHT_FAST = 1,
	ASK_SWITCH_INFO = -1, /* in place of a block's number */
};

static const uint32_t PACK_MAGIC = 0x66745231;

int ft_routes_new(uint32_t node_count, struct ft_routes **ret_routes)
{
	_cleanup_(ft_routes_freep) struct ft_routes *routes = calloc(1, sizeof(*routes));

	if (!routes)
		return -ENOMEM;
	routes->tables = calloc(node_count + 1UL, sizeof(*routes->tables));
	if (!routes->tables)
		return -ENOMEM;
	routes->node_count = node_count;
	*ret_routes = FT_STEAL(routes);
	return 0;
}

static void table_release(struct ft_route_table *table)
{
	free(table->ports);
	free(table->unread);
	*table = (struct ft_route_table){0};
}

void ft_routes_free(struct ft_routes *routes)
{
	if (!routes)
		return;
	for (uint32_t i = 0; i < routes->node_count; i++)
		table_release(&routes->tables[i]);
	free(routes->tables);
	free(routes);
}

int ft_route_table_begin(struct ft_route_table *table, uint32_t top)
{
	uint32_t lids = (top < FT_ROUTE_LID_MAX ? top : FT_ROUTE_LID_MAX) + 1;
	uint8_t *ports = malloc((size_t)ft_route_blocks(lids) * FT_ROUTE_BLOCK);

	if (!ports)
		return -ENOMEM;
	memset(ports, FT_ROUTE_NONE, (size_t)ft_route_blocks(lids) * FT_ROUTE_BLOCK);
	table_release(table);
	table->ports = ports;
	table->lids = lids;
	return 0;
}

int ft_route_table_unread(struct ft_route_table *table, uint32_t block)
{
	if (!table->unread)
		table->unread = calloc(ft_route_blocks(table->lids), 1);
	if (!table->unread)
		return -ENOMEM;
	table->unread[block] = 1;
	return 0;
}

/* ---- from a child to its parent ---- */

struct pack_head {
	uint32_t magic, node_count, mads, timeouts;
};

struct pack_table {
	uint32_t lids; /* 0: nothing is known */
	uint32_t has_unread;
};

void ft_routes_pack(struct ft_text *text, const struct ft_routes *routes)
{
	struct pack_head head = {PACK_MAGIC, routes->node_count, routes->mads, routes->timeouts};

	ft_text_add(text, (const char *)&head, sizeof(head));
	for (uint32_t i = 0; i < routes->node_count; i++) {
		const struct ft_route_table *table = &routes->tables[i];
		struct pack_table packed = {table->lids, table->unread != NULL};

		ft_text_add(text, (const char *)&packed, sizeof(packed));
		if (table->ports)
			ft_text_add(text, (const char *)table->ports, table->lids);
		if (table->unread)
			ft_text_add(text, (const char *)table->unread, ft_route_blocks(table->lids));
	}
}

/* Takes @size bytes off the front; false where there are not so many. */
static bool take(const char **bytes, size_t *length, void *to, size_t size)
{
	if (*length < size)
		return false;
	memcpy(to, *bytes, size);
	*bytes += size;
	*length -= size;
	return true;
}

static int unpack_table(const char **bytes, size_t *length, struct ft_route_table *table)
{
	struct pack_table packed;
	uint32_t blocks;
	int r;

	if (!take(bytes, length, &packed, sizeof(packed)) || packed.lids > FT_ROUTE_LID_MAX + 1 ||
	    packed.lids > *length || (packed.lids == 0 && packed.has_unread))
		return -EINVAL;
	if (packed.lids == 0)
		return 0;
	r = ft_route_table_begin(table, packed.lids - 1);
	if (r < 0)
		return r;
	take(bytes, length, table->ports, packed.lids);
	if (!packed.has_unread)
		return 0;
	blocks = ft_route_blocks(packed.lids);
	table->unread = calloc(blocks, 1);
	if (!table->unread)
		return -ENOMEM;
	return take(bytes, length, table->unread, blocks) ? 0 : -EINVAL;
}

int ft_routes_unpack(const char *bytes, size_t length, uint32_t node_count, struct ft_routes **ret_routes,
		     struct ft_error *err)
{
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	struct pack_head head;
	int r;

	if (!take(&bytes, &length, &head, sizeof(head)) || head.magic != PACK_MAGIC || head.node_count != node_count)
		return ft_error_set(err, -EINVAL, 0, 0, "the forwarding tables do not belong to the snapshot");
	r = ft_routes_new(node_count, &routes);
	for (uint32_t i = 0; r == 0 && i < node_count; i++)
		r = unpack_table(&bytes, &length, &routes->tables[i]);
	if (r == 0 && length > 0)
		r = -EINVAL;
	if (r == -EINVAL)
		return ft_error_set(err, r, 0, 0, "the forwarding tables are damaged");
	if (r < 0)
		return r;
	routes->mads = head.mads;
	routes->timeouts = head.timeouts;
	*ret_routes = FT_STEAL(routes);
	return 0;
}

/* ---- from the switches ---- */

/* A switch that is asked. */
struct asked {
	const struct ft_survey_node *node;
	struct ft_route_table *table;
	unsigned int spent; /* on attempts since its last answer, in weights */
};

struct question {
	uint32_t asked;
	int32_t block; /* or ASK_SWITCH_INFO */
	unsigned int spent;
};

struct queue {
	struct question *items;
	size_t count;
	size_t size;
};

struct asker {
	const struct ft_mend_options *options;
	struct ft_smp_wire *wire;
	struct asked *asked;
	uint32_t asked_count;
	struct queue queue;	  /* of this pass */
	struct queue later;	  /* of the next */
	struct question *on_wire; /* by slot */
	size_t next;		  /* of the queue */
	size_t window;
	size_t answered; /* in this pass */
	bool failed;	 /* out of memory */
};

static void asker_release(struct asker *a)
{
	free(a->asked);
	free(a->queue.items);
	free(a->later.items);
	free(a->on_wire);
	ft_smp_close(a->wire);
}

static void queue_push(struct asker *a, struct queue *queue, struct question question)
{
	if (queue->count == queue->size) {
		size_t size = queue->size ? queue->size * 2 : 1024;
		struct question *items = reallocarray(queue->items, size, sizeof(*items));

		if (!items) {
			a->failed = true;
			return;
		}
		queue->items = items;
		queue->size = size;
	}
	queue->items[queue->count++] = question;
}

static bool out_of_time(const struct asker *a)
{
	return ft_guard_now_ms() >= a->options->end_ms;
}

static unsigned int patience(const struct asker *a)
{
	return WEIGHT_SLOW * (a->options->retries + 1);
}

/* One that has answered nothing for so long went mute: what it was not asked yet, it is not asked. */
static bool is_mute(const struct asker *a, const struct question *q)
{
	return a->asked[q->asked].spent >= 2 * patience(a);
}

static void fill_wire(struct asker *a)
{
	while (ft_smp_pending(a->wire) < a->window && a->next < a->queue.count && !a->failed && !out_of_time(a)) {
		const struct question *q = &a->queue.items[a->next++];
		const struct ft_survey_node *node = a->asked[q->asked].node;
		bool info = q->block == ASK_SWITCH_INFO;
		struct ft_smp_request request = {
			.attribute = info ? IB_ATTR_SWITCH_INFO : IB_ATTR_LINEARFORWTBL,
			.modifier = info ? 0 : (unsigned int)q->block,
			.timeout_ms = a->options->timeout_ms,
			.hops = node->hops,
		};
		int slot;

		if (is_mute(a, q))
			continue;
		memcpy(request.path, node->path, sizeof(request.path));
		slot = ft_smp_send(a->wire, &request);
		if (slot >= 0)
			a->on_wire[slot] = *q;
	}
}

static void take_answer(struct asker *a, const struct question *q, const uint8_t *data)
{
	struct ft_route_table *table = a->asked[q->asked].table;

	if (q->block == ASK_SWITCH_INFO) {
		uint32_t top = mad_get_field((void *)(uintptr_t)data, 0, IB_SW_LINEAR_FDB_TOP_F);

		a->failed |= ft_route_table_begin(table, top) < 0;
		/* Until they come. Without any entry there is nothing to come. */
		for (uint32_t i = 0; top > 0 && !a->failed && i < ft_route_blocks(table->lids); i++)
			a->failed |= ft_route_table_unread(table, i) < 0;
		return;
	}
	/* The table was made of whole blocks; what is beyond its top in the last one is no entry. */
	memcpy(table->ports + (size_t)q->block * FT_ROUTE_BLOCK, data, FT_ROUTE_BLOCK);
	table->unread[q->block] = 0;
}

/* One that refuses a block has none: it stays unknown. */
static void take_outcome(struct asker *a, const struct ft_smp_answer *answer)
{
	struct question q = a->on_wire[answer->slot];
	struct asked *asked = &a->asked[q.asked];
	unsigned int weight = answer->slow ? WEIGHT_SLOW : WEIGHT_FAST;

	if (answer->outcome == FT_SMP_LOST) {
		asked->spent += weight;
	} else {
		asked->spent = 0;
		a->answered++;
	}
	if (answer->outcome == FT_SMP_ANSWERED)
		take_answer(a, &q, answer->data);
	if (answer->outcome != FT_SMP_LOST && answer->outcome != FT_SMP_BUSY)
		return;
	q.spent += weight;
	if (q.spent < patience(a))
		queue_push(a, &a->later, q);
}

/* What was lost in this pass is the next one's. False if there shall be none. */
static bool next_pass(struct asker *a, int64_t began_ms)
{
	struct queue done = a->queue;

	a->queue.count = 0;
	if (a->later.count == 0 || a->failed || out_of_time(a))
		return false;
	/* Nobody answered, and finding out took its time: mute they are. */
	if (a->answered == 0 && ft_guard_now_ms() - began_ms >= a->options->timeout_ms)
		return false;
	a->queue = a->later;
	a->later = (struct queue){.items = done.items, .size = done.size};
	if (a->window > WINDOW_MIN)
		a->window = a->window / 2 > WINDOW_MIN ? a->window / 2 : WINDOW_MIN;
	return true;
}

/* Passes until nothing is open, or nothing is to be gained. */
static void run(struct asker *a)
{
	struct ft_smp_answer answer;
	int64_t began_ms;

	a->window = a->options->max_smps;
	do {
		began_ms = ft_guard_now_ms();
		a->answered = 0;
		a->next = 0;
		for (fill_wire(a); ft_smp_receive(a->wire, &answer); fill_wire(a))
			take_outcome(a, &answer);
	} while (next_pass(a, began_ms));
	a->queue.count = a->later.count = 0;
}

/* Block by block, and of each switch by switch: so that no switch has many of them at its door at a time. */
static void ask_blocks(struct asker *a)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < a->asked_count; i++) {
		const struct ft_route_table *table = a->asked[i].table;

		if (table->unread && ft_route_blocks(table->lids) > most)
			most = ft_route_blocks(table->lids);
	}
	for (uint32_t block = 0; block < most; block++)
		for (uint32_t i = 0; i < a->asked_count; i++) {
			const struct ft_route_table *table = a->asked[i].table;

			if (table->unread && block < ft_route_blocks(table->lids))
				queue_push(a, &a->queue, (struct question){.asked = i, .block = (int32_t)block});
		}
}

/*
 * Which node of the snapshot each of the survey's became: the only one of its GUID. Of two switches of one GUID it is
 * not known which is which, and their tables stay unknown.
 */
static int asked_find(struct asker *a, const struct ft_survey *survey, const struct ft_snapshot *snapshot,
		      struct ft_routes *routes)
{
	a->asked = calloc(survey->node_count + 1, sizeof(*a->asked));
	if (!a->asked)
		return -ENOMEM;
	for (uint32_t i = 0; i < snapshot->node_count; i++) {
		uint64_t guid = snapshot->nodes[i].guid;
		bool twin = (i > 0 && snapshot->nodes[i - 1].guid == guid) ||
			    (i + 1 < snapshot->node_count && snapshot->nodes[i + 1].guid == guid);
		uint32_t from = ft_survey_find(survey, guid);

		if (snapshot->nodes[i].type != FT_NODE_SWITCH || twin || from == FT_NO_NODE)
			continue;
		while (from != FT_NO_NODE && survey->nodes[from].gone)
			from = survey->nodes[from].next_twin;
		if (from != FT_NO_NODE)
			a->asked[a->asked_count++] =
				(struct asked){.node = &survey->nodes[from], .table = &routes->tables[i]};
	}
	return 0;
}

/* Where every block came, as a rule. */
static void unread_forget(struct ft_routes *routes)
{
	for (uint32_t i = 0; i < routes->node_count; i++) {
		struct ft_route_table *table = &routes->tables[i];

		if (!table->unread || memchr(table->unread, 1, ft_route_blocks(table->lids)))
			continue;
		free(table->unread);
		table->unread = NULL;
	}
}

static int ask(struct asker *a, struct ft_error *err)
{
	const struct ft_mend_options *o = a->options;
	int r;

	a->on_wire = calloc(o->max_smps, sizeof(*a->on_wire));
	if (!a->on_wire)
		return -ENOMEM;
	r = ft_smp_open(
		&(struct ft_smp_options){.ca = o->ca, .port = o->port, .max_smps = o->max_smps, .end_ms = o->end_ms},
		&a->wire, err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < a->asked_count; i++)
		queue_push(a, &a->queue, (struct question){.asked = i, .block = ASK_SWITCH_INFO});
	run(a);
	ask_blocks(a);
	run(a);
	return a->failed ? -ENOMEM : 0;
}

int ft_routes_ask(const struct ft_survey *survey, const struct ft_snapshot *snapshot,
		  const struct ft_mend_options *options, struct ft_routes **ret_routes, struct ft_error *err)
{
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	_cleanup_(asker_release) struct asker a = {.options = options};
	struct ft_smp_count count;
	int r;

	r = ft_routes_new(snapshot->node_count, &routes);
	if (r == 0)
		r = asked_find(&a, survey, snapshot, routes);
	if (r == 0)
		r = ask(&a, err);
	if (r < 0)
		return r;
	unread_forget(routes);
	count = ft_smp_count(a.wire);
	routes->mads = count.mads;
	routes->timeouts = count.timeouts;
	*ret_routes = FT_STEAL(routes);
	return 0;
}
