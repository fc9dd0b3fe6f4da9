/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/routes.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <stdlib.h>
#include <string.h>

#include "probe/scheduler.h"

enum {
	/* Blocks of one switch requested at a time; each answer triggers the next request. */
	BLOCKS_AHEAD = 8,
};

/* The kinds of queries. */
enum { ASK_SWITCH_INFO, ASK_BLOCK };

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
	uint32_t lids; /* 0: the table is unknown */
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

/* Takes @size bytes off the front; false if there are fewer. */
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

/* A switch being read. */
struct asked {
	const struct ft_survey_node *node;
	struct ft_route_table *table;
	uint32_t next_block; /* the next block to request */
};

struct reading {
	struct ft_scheduler *scheduler;
	struct asked *asked;
	uint32_t asked_count;
	bool failed; /* out of memory */
};

static void reading_release(struct reading *r)
{
	ft_scheduler_free(r->scheduler);
	free(r->asked);
}

static bool make(void *arg, const struct ft_query *q, struct ft_smp_request *ret_request)
{
	const struct reading *r = arg;
	const struct ft_survey_node *node = r->asked[q->node].node;

	ret_request->attribute = q->kind == ASK_SWITCH_INFO ? IB_ATTR_SWITCH_INFO : IB_ATTR_LINEARFORWTBL;
	ret_request->modifier = q->other;
	ret_request->hops = node->hops;
	memcpy(ret_request->path, node->path, sizeof(ret_request->path));
	return true;
}

static void ask_next_block(struct reading *r, uint32_t number)
{
	struct asked *asked = &r->asked[number];

	if (asked->table->unread && asked->next_block < ft_route_blocks(asked->table->lids))
		ft_scheduler_push(r->scheduler, &(struct ft_query){.target = number,
								   .node = number,
								   .other = asked->next_block++,
								   .kind = ASK_BLOCK});
}

static void take_switch_info(struct reading *r, uint32_t number, const uint8_t *data)
{
	struct ft_route_table *table = r->asked[number].table;
	uint32_t top = mad_get_field((void *)(uintptr_t)data, 0, IB_SW_LINEAR_FDB_TOP_F);

	r->failed |= ft_route_table_begin(table, top) < 0;
	/* All blocks are unknown until they arrive. A table without entries has none. */
	for (uint32_t i = 0; top > 0 && !r->failed && i < ft_route_blocks(table->lids); i++)
		r->failed |= ft_route_table_unread(table, i) < 0;
	for (unsigned int i = 0; !r->failed && i < BLOCKS_AHEAD; i++)
		ask_next_block(r, number);
}

/*
 * A block that the switch refuses stays unknown. After a block that was lost in all tries, no further one is requested,
 * so that a switch that stopped responding does not cost the tries of all its blocks.
 */
static void take_answer(void *arg, const struct ft_query *q, const struct ft_smp_answer *answer)
{
	struct reading *r = arg;
	struct ft_route_table *table = r->asked[q->node].table;

	if (q->kind == ASK_SWITCH_INFO) {
		if (answer->outcome == FT_SMP_ANSWERED)
			take_switch_info(r, q->node, answer->data);
		return;
	}
	/* The table consists of whole blocks; values beyond its top in the last block are no entries. */
	if (answer->outcome == FT_SMP_ANSWERED) {
		memcpy(table->ports + (size_t)q->other * FT_ROUTE_BLOCK, answer->data, FT_ROUTE_BLOCK);
		table->unread[q->other] = 0;
	}
	if (answer->outcome != FT_SMP_LOST)
		ask_next_block(r, q->node);
}

/*
 * Maps each node of the survey to the snapshot's node with its GUID, if that is unique. Two switches with one GUID
 * cannot be told apart, and their tables stay unknown.
 */
static int asked_find(struct reading *r, const struct ft_survey *survey, const struct ft_snapshot *snapshot,
		      struct ft_routes *routes)
{
	r->asked = calloc(survey->node_count + 1, sizeof(*r->asked));
	if (!r->asked)
		return -ENOMEM;
	for (uint32_t i = 0; i < snapshot->node_count; i++) {
		uint64_t guid = snapshot->nodes[i].guid;
		bool twin = (i > 0 && snapshot->nodes[i - 1].guid == guid) ||
			    (i + 1 < snapshot->node_count && snapshot->nodes[i + 1].guid == guid);
		uint32_t from = ft_survey_find(survey, guid);

		if (snapshot->nodes[i].type != FT_NODE_SWITCH || twin || from == FT_NONE)
			continue;
		while (from != FT_NONE && survey->nodes[from].gone)
			from = survey->nodes[from].next_twin;
		if (from != FT_NONE)
			r->asked[r->asked_count++] =
				(struct asked){.node = &survey->nodes[from], .table = &routes->tables[i]};
	}
	return 0;
}

/* As a rule every block came. */
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

int ft_routes_ask(const struct ft_survey *survey, const struct ft_snapshot *snapshot,
		  const struct ft_scheduler_options *options, struct ft_routes **ret_routes, struct ft_error *err)
{
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	_cleanup_(reading_release) struct reading reading = {0};
	struct ft_smp_count count;
	int r;

	r = ft_routes_new(snapshot->node_count, &routes);
	if (r == 0)
		r = asked_find(&reading, survey, snapshot, routes);
	if (r == 0)
		r = ft_scheduler_new(options, make, take_answer, &reading, &reading.scheduler, err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < reading.asked_count; i++)
		ft_scheduler_push(reading.scheduler,
				  &(struct ft_query){.target = i, .node = i, .kind = ASK_SWITCH_INFO});
	r = ft_scheduler_run(reading.scheduler, options->end_ms);
	/* Blocks not read in time stay unknown. */
	if (r == -ETIMEDOUT)
		r = 0;
	if (r < 0 && r != -ENOMEM)
		return ft_error_set(err, r, 0, 0, "cannot send management packets from %s port %d", options->ca,
				    options->port);
	if (r < 0 || reading.failed)
		return -ENOMEM;
	unread_forget(routes);
	count = ft_scheduler_count(reading.scheduler);
	routes->mads = count.mads;
	routes->timeouts = count.timeouts;
	*ret_routes = FT_STEAL(routes);
	return 0;
}
