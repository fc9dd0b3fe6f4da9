/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/incremental.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probe/guard.h"
#include "probe/window.h"
#include "probe/port.h"
#include "probe/smp.h"
#include "probe/snapshot_build.h"

/*
 * The last snapshot becomes a survey again, which queries update, in rounds. Before each round a breadth-first search
 * from the entry finds paths to all nodes over the links believed up; a query whose target is unreachable waits until
 * it is reachable, or for ever. Each change triggers queries for what depends on it, until none is left.
 *
 * A route that led to one switch may lead to another by now, and PortInfo does not identify its node. Invariant: no
 * query is sent along a path before each of its links is verified, by NodeInfo of the far node, from the entry on.
 */

enum {
	EXT_PORT_INFO = IB_ATTR_MLNX_EXT_PORT_INFO,
	/* Queries on the wire to a node; one more passes through it. */
	HOPS_MAX = FT_SMP_HOPS_MAX - 1,
	/* After so many losses of a switch, its neighbours are read to see whether it is still there. */
	WEIGHT_ALARM = 4,
	/*
	 * The first try of each query waits for at most this part of the time-out: the target may be gone, which its
	 * neighbours show at once, and waiting a second before reading them would delay the report of every fault
	 * beyond a second.
	 */
	FIRST_TRY = 16,
	/* SMPs on the wire. There are few queries, and no time for a congestion window to grow. */
	SMPS_MAX = 16,
	/* A number of SMPs that never counts as too many. */
	CHEAP = 512,
};

enum ask {
	ASK_SELF, /* NodeInfo of the local node */
	ASK_NODE, /* NodeInfo of the node behind a port */
	ASK_DESCRIPTION,
	ASK_PORT,
	ASK_EXT,
	ASK_COUNT,
};

struct query {
	uint32_t node;
	uint8_t port; /* of an end node: the port through which to enter it */
	uint8_t ask;
	uint16_t spent; /* spent on tries so far, in weights */
	bool brief;	/* only a short time-out for this try */
	bool proof;	/* verification of the link out of that port, needed by another query; never queued */
};

struct queue {
	struct query *items;
	size_t count;
	size_t size;
};

/* State of a port in this run, in addition to the survey. */
struct port_mark {
	bool wanted : 1;    /* its PortInfo is needed, or was read */
	bool fresh : 1;	    /* it was */
	bool asked : 1;	    /* NodeInfo behind it is needed, or was read */
	bool confirmed : 1; /* its link was seen */
	bool checked : 1;   /* no response from behind it, and its own state was read once more */
	bool suspect : 1;   /* an SMP was lost on the link out of it */
	bool proving : 1;   /* that link is being verified in this round */
};

struct node_mark {
	uint32_t way_node; /* the previous node on the path from the entry, and the output port of that */
	uint32_t level;	   /* number of doubtful links on that path */
	uint32_t open;	   /* queries for its ports in this round */
	uint32_t changes;  /* the number of changes when it stopped responding */
	uint16_t lost;	   /* tries of verifying links to it, in weights */
	uint8_t way_port;
	uint8_t hops;
	bool settled : 1; /* it can be reached */
	bool named : 1;	  /* named in a change */
	bool changed : 1; /* and it has */
	bool looked : 1;  /* named and found unchanged, so all its far ends were read */
	bool alarmed : 1; /* its neighbours were read to check it */
	bool told : 1;	  /* its description is being read */
	bool apart : 1;	  /* was unreachable to begin with: an incomplete snapshot */
};

struct reader {
	struct ft_sweep_options options;
	struct ft_port_choice from;
	const struct ft_change *list;
	size_t list_count;
	struct ft_survey survey;
	struct port_mark *ports; /* by port of the survey */
	struct node_mark *nodes; /* by node of the survey */
	size_t port_count, port_size;
	size_t node_count, node_size;
	struct queue queue; /* of this round */
	struct queue later; /* of the next */
	uint32_t *walk[2];  /* lists for find_ways() */
	size_t walk_size;
	struct ft_smp_wire *wire;
	struct ft_window pace; /* for max_smps_per_second */
	struct query *on_wire; /* by slot */
	uint32_t changes;      /* to links, so far */
	int64_t end_ms;
	int code; /* why only a full sweep can tell */
	struct ft_error *err;
};

static const struct {
	unsigned int attribute;
	bool of_port;
} asks[ASK_COUNT] = {
	[ASK_SELF] = {IB_ATTR_NODE_INFO, false},
	[ASK_NODE] = {IB_ATTR_NODE_INFO, false},
	[ASK_DESCRIPTION] = {IB_ATTR_NODE_DESC, false},
	[ASK_PORT] = {IB_ATTR_PORT_INFO, true},
	[ASK_EXT] = {EXT_PORT_INFO, true},
};

static void reader_release(struct reader *r)
{
	ft_survey_release(&r->survey);
	free(r->ports);
	free(r->nodes);
	free(r->queue.items);
	free(r->later.items);
	free(r->walk[0]);
	free(r->walk[1]);
	free(r->on_wire);
	ft_smp_close(r->wire);
}

static void no_memory(struct reader *r)
{
	if (r->code == 0)
		r->code = ft_error_set(r->err, -ENOMEM, 0, 0, "no memory to read the fabric again");
}

/* Gives up: a full sweep is needed. The first reason is kept. */
static void stale(struct reader *r, uint32_t node, const char *why)
{
	if (r->code != 0)
		return;
	if (node == FT_NONE)
		r->code = ft_error_set(r->err, -ESTALE, 0, 0, "%s", why);
	else
		r->code = ft_error_set(r->err, -ESTALE, 0, 0, "node 0x%016" PRIx64 " %s", r->survey.nodes[node].guid,
				       why);
}

static bool is_switch(const struct reader *r, uint32_t node)
{
	return r->survey.nodes[node].type == FT_NODE_SWITCH;
}

static struct port_mark *mark_of(const struct reader *r, uint32_t node, unsigned int port)
{
	return &r->ports[r->survey.nodes[node].first_port + port];
}

static bool is_up(const struct ft_survey_port *port)
{
	return port->phys_state == FT_PHYS_LINK_UP;
}

static uint16_t limit(const struct reader *r)
{
	return (uint16_t)(FT_SMP_WEIGHT_SLOW * (r->options.retries + 1));
}

/* Grows the state arrays to the size of the survey. */
static bool grow_marks(struct reader *r)
{
	if (r->survey.node_count > r->node_size) {
		struct node_mark *nodes = reallocarray(r->nodes, r->survey.node_size, sizeof(*nodes));

		if (!nodes)
			return false;
		r->nodes = nodes;
		r->node_size = r->survey.node_size;
	}
	if (r->survey.port_count > r->port_size) {
		struct port_mark *ports = reallocarray(r->ports, r->survey.port_size, sizeof(*ports));

		if (!ports)
			return false;
		r->ports = ports;
		r->port_size = r->survey.port_size;
	}
	for (; r->node_count < r->survey.node_count; r->node_count++)
		r->nodes[r->node_count] = (struct node_mark){.way_node = FT_NONE};
	for (; r->port_count < r->survey.port_count; r->port_count++)
		r->ports[r->port_count] = (struct port_mark){0};
	return true;
}

/* Questions. */

static void push(struct reader *r, struct query query)
{
	struct queue *queue = &r->later;

	if (queue->count == queue->size) {
		size_t size = queue->size ? queue->size * 2 : 256;
		struct query *items = reallocarray(queue->items, size, sizeof(*items));

		if (!items) {
			no_memory(r);
			return;
		}
		queue->items = items;
		queue->size = size;
	}
	queue->items[queue->count++] = query;
}

static void ask(struct reader *r, enum ask what, uint32_t node, unsigned int port)
{
	push(r, (struct query){.node = node, .port = (uint8_t)port, .ask = (uint8_t)what});
}

/*
 * Requests PortInfo of that port, once. A switch's port 0 is read first: the speeds cannot be decoded without its
 * capabilities, which no snapshot holds. Its answer triggers the requests for the others.
 */
static void want_port(struct reader *r, uint32_t node, unsigned int port)
{
	struct port_mark *mark = mark_of(r, node, port);

	if (mark->wanted)
		return;
	mark->wanted = true;
	if (port == 0 || !is_switch(r, node) || mark_of(r, node, 0)->fresh)
		ask(r, ASK_PORT, node, port);
	else
		want_port(r, node, 0);
}

static void want_switch(struct reader *r, uint32_t node)
{
	for (unsigned int i = 0; i <= r->survey.nodes[node].port_count; i++)
		want_port(r, node, i);
}

static void want_description(struct reader *r, uint32_t node, unsigned int port)
{
	if (r->nodes[node].told)
		return;
	r->nodes[node].told = true;
	ask(r, ASK_DESCRIPTION, node, port);
}

/* Requests NodeInfo behind that port. */
static void ask_beyond(struct reader *r, uint32_t node, unsigned int port)
{
	struct port_mark *mark = mark_of(r, node, port);

	if (mark->asked)
		return;
	mark->asked = true;
	ask(r, ASK_NODE, node, port);
}

/* The same if the last query got no response and nothing has changed since: with a shorter wait. */
static void ask_beyond_once(struct reader *r, uint32_t node, unsigned int port)
{
	struct port_mark *mark = mark_of(r, node, port);

	if (mark->asked)
		return;
	mark->asked = mark->checked = true;
	push(r, (struct query){.node = node,
			       .port = (uint8_t)port,
			       .ask = ASK_NODE,
			       .spent = (uint16_t)(limit(r) - FT_SMP_WEIGHT_SLOW),
			       .brief = true});
}

/* Another answer may have made it obsolete. */
static bool is_open(const struct reader *r, const struct query *q)
{
	const struct ft_survey_port *port = ft_survey_port(&r->survey, q->node, q->port);
	const struct port_mark *mark = mark_of(r, q->node, q->port);

	switch ((enum ask)q->ask) {
	case ASK_SELF:
	case ASK_DESCRIPTION:
		return true;
	case ASK_NODE:
		return !mark->confirmed && (is_up(port) || port->peer_node != FT_NONE);
	case ASK_PORT:
		return !mark->fresh;
	case ASK_EXT:
		return port->maybe_fdr10;
	case ASK_COUNT:
		break;
	}
	return false;
}

/* Ways. */

static bool is_unread(const struct reader *r, uint32_t node, unsigned int port)
{
	return r->nodes[node].named && !mark_of(r, node, port)->fresh;
}

/* Is the link out of that port one that may be gone by now? */
static bool is_doubtful(const struct reader *r, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(&r->survey, node, number);

	if (mark_of(r, node, number)->suspect)
		return true;
	if (mark_of(r, node, number)->confirmed)
		return false;
	return is_unread(r, node, number) || is_unread(r, port->peer_node, port->peer_port);
}

/* Which ports lead on from there: none of an end node but the entry's own. */
static bool leads_on(const struct reader *r, uint32_t node, unsigned int port)
{
	if (is_switch(r, node))
		return port > 0;
	return node == r->survey.entry_node && port == r->survey.entry_port;
}

static void walk_on(struct reader *r, uint32_t node, size_t counts[2], unsigned int now)
{
	const struct node_mark *from = &r->nodes[node];

	for (unsigned int i = 1; i <= r->survey.nodes[node].port_count; i++) {
		uint32_t next = ft_survey_port(&r->survey, node, i)->peer_node;
		struct node_mark *to;
		uint32_t level;

		if (next == FT_NONE || !leads_on(r, node, i))
			continue;
		to = &r->nodes[next];
		level = from->level + is_doubtful(r, node, i);
		if (to->settled || level >= to->level)
			continue;
		to->level = level;
		to->way_node = node;
		to->way_port = (uint8_t)i;
		to->hops = (uint8_t)(from->hops + 1);
		/* At most once for each list: a level only decreases. */
		r->walk[now ^ (level > from->level)][counts[now ^ (level > from->level)]++] = next;
	}
}

static bool grow_walk(struct reader *r)
{
	if (r->walk_size >= r->survey.node_count)
		return true;
	for (size_t i = 0; i < FT_COUNT(r->walk); i++) {
		uint32_t *walk = reallocarray(r->walk[i], r->survey.node_size, sizeof(*walk));

		if (!walk)
			return false;
		r->walk[i] = walk;
	}
	r->walk_size = r->survey.node_size;
	return true;
}

/*
 * Finds a path to each reachable node with the fewest doubtful links, then the fewest links. Breadth-first search by
 * levels (as 0-1 BFS): a doubtful link leads to the next level.
 */
static void find_ways(struct reader *r)
{
	uint32_t entry = r->survey.entry_node;
	size_t counts[2] = {0};
	unsigned int now = 0;

	if (!grow_walk(r)) {
		no_memory(r);
		return;
	}
	for (uint32_t node = 0; node < r->survey.node_count; node++) {
		r->nodes[node].settled = false;
		r->nodes[node].level = UINT32_MAX;
	}
	r->nodes[entry].level = 0;
	r->nodes[entry].hops = 0;
	r->walk[now][counts[now]++] = entry;
	while (counts[now] > 0) {
		for (size_t i = 0; i < counts[now]; i++) {
			uint32_t node = r->walk[now][i];

			if (r->nodes[node].settled)
				continue;
			r->nodes[node].settled = true;
			if (r->nodes[node].hops < HOPS_MAX)
				walk_on(r, node, counts, now);
		}
		counts[now] = 0;
		now ^= 1;
	}
}

/*
 * The node at the end of a query's path: the target, but for an end node the switch before it, so that the SMP enters
 * through the port in question. FT_NONE if there is no path.
 */
static uint32_t way_end(const struct reader *r, const struct query *q)
{
	uint32_t node = q->node;

	if (!is_switch(r, node) && node != r->survey.entry_node)
		node = ft_survey_port(&r->survey, node, q->port)->peer_node;
	return node != FT_NONE && r->nodes[node].settled ? node : FT_NONE;
}

static bool make_request(const struct reader *r, const struct query *q, struct ft_smp_request *request)
{
	uint32_t node = way_end(r, q);

	if (node == FT_NONE)
		return false;
	*request = (struct ft_smp_request){
		.attribute = asks[q->ask].attribute,
		.modifier = asks[q->ask].of_port ? q->port : 0,
		.timeout_ms = r->options.timeout_ms,
		.hops = r->nodes[node].hops,
	};
	/* If only one try is allowed, the first one has the whole time-out. */
	if (r->options.retries > 0 && (q->spent == 0 || q->brief))
		request->timeout_ms = (request->timeout_ms + FIRST_TRY - 1) / FIRST_TRY;
	for (uint32_t n = node; n != r->survey.entry_node; n = r->nodes[n].way_node)
		request->path[r->nodes[n].hops] = r->nodes[n].way_port;
	if (q->ask == ASK_NODE)
		request->path[++request->hops] = q->port;
	else if (node != q->node)
		request->path[++request->hops] = ft_survey_port(&r->survey, q->node, q->port)->peer_port;
	return true;
}

/* Updates of the survey by answers. */

/* The link of that port is gone: its far end was relinked or removed. */
static void orphan(struct reader *r, uint32_t node, unsigned int number)
{
	struct ft_survey_port *port;
	struct port_mark *mark;

	if (node == FT_NONE)
		return;
	port = ft_survey_port(&r->survey, node, number);
	mark = mark_of(r, node, number);
	if (node == r->survey.entry_node && !is_switch(r, node) && number == r->survey.entry_port) {
		stale(r, node, "is where the sweep began, and is not cabled as it was");
		return;
	}
	/* As a sweep does, forget the ports of an end node that it did not come in by. */
	if (!is_switch(r, node)) {
		*port = (struct ft_survey_port){.peer_node = FT_NONE};
		*mark = (struct port_mark){0};
		return;
	}
	r->nodes[node].changed = true;
	if (!mark->fresh)
		want_port(r, node, number);
	else if (is_up(port))
		ask_beyond(r, node, number);
}

static void cut(struct reader *r, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(&r->survey, node, number);
	uint32_t far = port->peer_node;
	unsigned int far_number = port->peer_port;

	ft_survey_unlink(&r->survey, node, number);
	r->changes++;
	r->nodes[node].changed = true;
	orphan(r, far, far_number);
}

/* That link was verified. */
static void confirm(struct reader *r, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(&r->survey, node, number);
	struct port_mark *near = mark_of(r, node, number), *far = mark_of(r, port->peer_node, port->peer_port);

	near->confirmed = far->confirmed = true;
	near->suspect = far->suspect = false;
	r->nodes[port->peer_node].lost = 0;
}

static void join(struct reader *r, uint32_t a, unsigned int a_port, uint32_t b, unsigned int b_port)
{
	const struct ft_survey_port old_a = *ft_survey_port(&r->survey, a, a_port);
	const struct ft_survey_port old_b = *ft_survey_port(&r->survey, b, b_port);

	ft_survey_link(&r->survey, a, a_port, b, b_port);
	r->changes++;
	r->nodes[a].changed = r->nodes[b].changed = true;
	confirm(r, a, a_port);
	/* Possibly discovered on the way: its state may differ from that of the previous link. */
	if (is_switch(r, a))
		want_port(r, a, a_port);
	orphan(r, old_a.peer_node, old_a.peer_port);
	orphan(r, old_b.peer_node, old_b.peer_port);
}

/* NodeInfo. libibmad reads through a pointer to non-const. */

static unsigned int field(const uint8_t *info, enum MAD_FIELDS number)
{
	return mad_get_field((void *)(uintptr_t)info, 0, number);
}

static uint64_t field64(const uint8_t *info, enum MAD_FIELDS number)
{
	return mad_get_field64((void *)(uintptr_t)info, 0, number);
}

static void take_self(struct reader *r, const struct query *q, const uint8_t *info)
{
	bool here = is_switch(r, q->node) || field(info, IB_NODE_LOCAL_PORT_F) == r->survey.entry_port;

	if (field64(info, IB_NODE_GUID_F) != r->survey.nodes[q->node].guid || !here)
		stale(r, q->node, "is where the sweep began, and this is another port");
}

/* The local port leads to the same node as before. */
static void take_first(struct reader *r, const struct query *q, const uint8_t *info)
{
	const struct ft_survey_port *port = ft_survey_port(&r->survey, q->node, q->port);

	if (port->peer_node == FT_NONE || port->peer_port != field(info, IB_NODE_LOCAL_PORT_F) ||
	    r->survey.nodes[port->peer_node].guid != field64(info, IB_NODE_GUID_F)) {
		stale(r, q->node, "is where the sweep began, and is not cabled as it was");
		return;
	}
	confirm(r, q->node, q->port);
}

static void read_arrival(struct reader *r, uint32_t node, unsigned int number, const uint8_t *info)
{
	struct ft_survey_port *port = ft_survey_port(&r->survey, node, number);

	port->guid = field64(info, IB_NODE_PORT_GUID_F);
	port->reached = true;
	want_description(r, node, number);
	want_port(r, node, number);
}

static void take_new(struct reader *r, const struct query *q, const uint8_t *info)
{
	unsigned int number = field(info, IB_NODE_LOCAL_PORT_F);
	uint32_t node;

	if (ft_survey_add_node(&r->survey, info, NULL, 0, &node) < 0 || !grow_marks(r)) {
		no_memory(r);
		return;
	}
	if (number == 0 || number > r->survey.nodes[node].port_count) {
		stale(r, node, "names a port that it does not have");
		return;
	}
	join(r, q->node, q->port, node, number);
	if (is_switch(r, node))
		want_switch(r, node);
	read_arrival(r, node, number, info);
}

/* Why a node that is known already cannot be behind the port in question, or NULL. */
static const char *contradiction(const struct reader *r, uint32_t node, const uint8_t *info)
{
	const struct ft_survey_node *n = &r->survey.nodes[node];
	unsigned int number = field(info, IB_NODE_LOCAL_PORT_F);
	uint8_t types[] = {
		[FT_NODE_SWITCH] = IB_NODE_SWITCH, [FT_NODE_CA] = IB_NODE_CA, [FT_NODE_ROUTER] = IB_NODE_ROUTER};
	const struct port_mark *mark;

	if (n->next_twin != FT_NONE)
		return "is one of several of its GUID";
	if (n->type != FT_NODE_UNKNOWN && types[n->type] != field(info, IB_NODE_TYPE_F))
		return "is of another type than it was";
	if (n->port_count != field(info, IB_NODE_NPORTS_F) &&
	    (n->port_count != FT_PORT_NUMBER_MAX || field(info, IB_NODE_NPORTS_F) < FT_PORT_NUMBER_MAX))
		return "has not as many ports as it had";
	if (number == 0 || number > n->port_count)
		return "names a port that it does not have";
	mark = mark_of(r, node, number);
	if (mark->confirmed)
		return "is met twice by one port";
	if (is_switch(r, node) && mark->fresh && !is_up(ft_survey_port(&r->survey, node, number)))
		return "is met by a port that is down";
	return NULL;
}

static void take_known(struct reader *r, const struct query *q, uint32_t node, const uint8_t *info)
{
	const struct ft_survey_port *port = ft_survey_port(&r->survey, q->node, q->port);
	unsigned int number = field(info, IB_NODE_LOCAL_PORT_F);
	bool was_away = !r->nodes[node].settled;
	const char *why = contradiction(r, node, info);

	if (why) {
		stale(r, node, why);
		return;
	}
	if (port->peer_node == node && port->peer_port == number) {
		confirm(r, q->node, q->port);
		return;
	}
	join(r, q->node, q->port, node, number);
	/* The node was unreachable meanwhile: its attributes may have changed. */
	if (is_switch(r, node) && was_away)
		want_switch(r, node);
	read_arrival(r, node, number, info);
}

static void take_node(struct reader *r, const struct query *q, const uint8_t *info)
{
	uint32_t known;

	if (q->node == r->survey.entry_node && !is_switch(r, q->node)) {
		take_first(r, q, info);
		return;
	}
	known = ft_survey_find(&r->survey, field64(info, IB_NODE_GUID_F));
	if (known == FT_NONE)
		take_new(r, q, info);
	else
		take_known(r, q, known, info);
}

/* PortInfo. */

static void take_port0(struct reader *r, uint32_t node)
{
	for (unsigned int i = 1; i <= r->survey.nodes[node].port_count; i++)
		if (mark_of(r, node, i)->wanted && !mark_of(r, node, i)->fresh)
			ask(r, ASK_PORT, node, i);
}

/* The distinction of QDR and FDR10 in the old snapshot still holds: that saves one query for each such port. */
static void keep_rate(const struct ft_survey_port *old, struct ft_survey_port *port)
{
	if (!port->maybe_fdr10 || !old->read || old->maybe_fdr10 || old->logical_state != port->logical_state ||
	    old->rate.lanes != port->rate.lanes)
		return;
	if (old->rate.speed != FT_SPEED_QDR && old->rate.speed != FT_SPEED_FDR10)
		return;
	port->rate.speed = old->rate.speed;
	port->limits.speeds_enabled |= old->limits.speeds_enabled & 1 << FT_SPEED_FDR10;
	port->limits.speeds_supported |= old->limits.speeds_supported & 1 << FT_SPEED_FDR10;
	port->maybe_fdr10 = false;
}

static bool is_changed(const struct ft_survey_port *old, const struct ft_survey_port *port)
{
	if (!old->read || is_up(old) != is_up(port) || old->logical_state != port->logical_state)
		return true;
	/* Not known of a port that is down by SwitchPortStateTable (discovery.h). */
	if (old->phys_state > 0 && old->phys_state != port->phys_state)
		return true;
	/* The fields of a port that is down are meaningless. */
	if (!is_up(port))
		return false;
	return old->rate.lanes != port->rate.lanes || (old->rate.speed != port->rate.speed && !port->maybe_fdr10);
}

static void take_link_state(struct reader *r, uint32_t node, unsigned int number, const struct ft_survey_port *old)
{
	const struct ft_survey_port *port = ft_survey_port(&r->survey, node, number);
	bool linked = port->peer_node != FT_NONE;
	bool changed = is_changed(old, port);

	if (changed)
		r->nodes[node].changed = true;
	if (mark_of(r, node, number)->confirmed) {
		if (!is_up(port))
			stale(r, node, "has a link that comes and goes");
		return;
	}
	if (linked && (changed || !is_up(port)))
		cut(r, node, number);
	else if (linked)
		return;
	if (!is_up(port))
		return;
	if (linked || changed)
		ask_beyond(r, node, number);
	else
		ask_beyond_once(r, node, number);
}

static void take_port(struct reader *r, const struct query *q, const uint8_t *info)
{
	struct ft_survey_port *port = ft_survey_port(&r->survey, q->node, q->port);
	struct ft_survey_port old = *port;

	ft_survey_set_port_info(&r->survey, q->node, q->port, info);
	keep_rate(&old, port);
	mark_of(r, q->node, q->port)->fresh = true;
	if (port->maybe_fdr10)
		ask(r, ASK_EXT, q->node, q->port);
	if (!is_switch(r, q->node)) {
		if (q->node == r->survey.entry_node && q->port == r->survey.entry_port && !is_up(port))
			stale(r, q->node, "is where the sweep began, and its port is down");
		return;
	}
	if (q->port == 0)
		take_port0(r, q->node);
	else
		take_link_state(r, q->node, q->port, &old);
}

static void take_answer(struct reader *r, const struct query *q, const uint8_t *info)
{
	switch ((enum ask)q->ask) {
	case ASK_SELF:
		take_self(r, q, info);
		break;
	case ASK_NODE:
		take_node(r, q, info);
		break;
	case ASK_DESCRIPTION:
		ft_survey_set_description(&r->survey, q->node, info);
		break;
	case ASK_PORT:
		take_port(r, q, info);
		break;
	case ASK_EXT:
		ft_survey_set_ext_info(&r->survey, q->node, q->port, info);
		break;
	case ASK_COUNT:
		break;
	}
}

/* The node responds, but does not have the attribute. */
static void take_refusal(struct reader *r, const struct query *q)
{
	/* As in a sweep: the far end of that port stays unknown, and the description empty. */
	if (q->ask == ASK_DESCRIPTION)
		r->survey.nodes[q->node].described = true;
	else if (q->ask == ASK_EXT)
		ft_survey_port(&r->survey, q->node, q->port)->maybe_fdr10 = false;
	else if (q->ask != ASK_NODE)
		stale(r, q->node, "refuses to answer");
	else if (ft_survey_port(&r->survey, q->node, q->port)->peer_node != FT_NONE)
		cut(r, q->node, q->port);
}

/* Is it still there? The ports that lead to it show that, all at once. */
static void raise_alarm(struct reader *r, uint32_t node)
{
	if (!is_switch(r, node))
		return;
	for (unsigned int i = 1; i <= r->survey.nodes[node].port_count; i++) {
		const struct ft_survey_port *port = ft_survey_port(&r->survey, node, i);

		if (port->peer_node != FT_NONE && is_switch(r, port->peer_node))
			want_port(r, port->peer_node, port->peer_port);
	}
}

/* No response from behind that port, unless the port's own switch is gone: so that is read once more. */
static void take_silence(struct reader *r, const struct query *q)
{
	struct port_mark *mark = mark_of(r, q->node, q->port);

	if (ft_survey_port(&r->survey, q->node, q->port)->peer_node != FT_NONE)
		cut(r, q->node, q->port);
	if (mark->checked)
		return;
	mark->checked = true;
	mark->fresh = false;
	ask(r, ASK_PORT, q->node, q->port);
}

static void take_exhaustion(struct reader *r, const struct query *q)
{
	/* The speed of that port stays unknown, and the snapshot is marked incomplete. */
	if (q->ask == ASK_EXT)
		return;
	if (q->ask == ASK_NODE)
		take_silence(r, q);
	else
		stale(r, q->node, "is linked and does not answer");
}

/* No response from behind a link with a known far end: the link may be gone, or the whole far node. */
static void take_proof_loss(struct reader *r, const struct query *q, bool slow)
{
	uint32_t far = ft_survey_port(&r->survey, q->node, q->port)->peer_node;
	struct node_mark *n;

	mark_of(r, q->node, q->port)->suspect = true;
	if (far == FT_NONE)
		return;
	n = &r->nodes[far];
	if (n->lost == 0)
		n->changes = r->changes;
	n->lost = (uint16_t)(n->lost + ft_smp_weight(slow));
	if (n->lost >= WEIGHT_ALARM && !n->alarmed) {
		n->alarmed = true;
		raise_alarm(r, far);
		/* The results of the neighbours are awaited. */
		if (n->lost >= limit(r))
			n->lost = (uint16_t)(limit(r) - FT_SMP_WEIGHT_FAST);
	}
	if (n->lost < limit(r))
		return;
	if (n->changes == r->changes)
		stale(r, far, "is linked and does not answer");
	/* Otherwise more is known by now about the paths there. */
	n->lost = 0;
}

static void take_loss(struct reader *r, struct query *q, bool slow)
{
	if (q->proof) {
		take_proof_loss(r, q, slow);
		return;
	}
	q->spent = (uint16_t)(q->spent + ft_smp_weight(slow));
	if (q->spent < limit(r))
		push(r, *q);
	else
		take_exhaustion(r, q);
}

static void take(struct reader *r, const struct ft_smp_answer *answer)
{
	/* A copy: the slot is free again. */
	struct query q = r->on_wire[answer->slot];

	if (answer->outcome == FT_SMP_LOST || answer->outcome == FT_SMP_BUSY) {
		take_loss(r, &q, answer->slow);
		return;
	}
	if (!is_open(r, &q))
		return;
	if (answer->outcome == FT_SMP_REFUSED)
		take_refusal(r, &q);
	else
		take_answer(r, &q, answer->data);
}

/* Rounds. */

static bool out_of_time(struct reader *r)
{
	if (r->code == 0 && ft_guard_now_ms() >= r->end_ms)
		r->code = ft_error_set(r->err, -ETIMEDOUT, 0, 0, "reading the fabric again did not end in time");
	return r->code != 0;
}

/*
 * No path passes through a switch named in a change before its own ports are read: a link of it may be gone, and SMPs
 * sent over it are lost.
 */
static bool has_to_wait(const struct reader *r, const struct query *q)
{
	uint32_t node = way_end(r, q);

	if (node == q->node && node != r->survey.entry_node)
		node = r->nodes[node].way_node;
	for (; node != r->survey.entry_node; node = r->nodes[node].way_node)
		if (r->nodes[node].open > 0)
			return true;
	return false;
}

static void count_open(struct reader *r)
{
	for (uint32_t node = 0; node < r->node_count; node++)
		r->nodes[node].open = 0;
	for (size_t i = 0; i < r->queue.count; i++) {
		const struct query *q = &r->queue.items[i];

		if (q->ask == ASK_PORT && r->nodes[q->node].named && is_open(r, q))
			r->nodes[q->node].open++;
	}
}

enum way { WAY_PROVED, WAY_OPEN, WAY_NONE };

/* Whether the path of a query is verified. @ret_link: WAY_OPEN: the first link to be verified, by its nearer port. */
static enum way examine_way(const struct reader *r, const struct query *q, struct query *ret_link)
{
	uint32_t node = way_end(r, q);
	enum way way = WAY_PROVED;

	if (node == FT_NONE)
		return WAY_NONE;
	for (; node != r->survey.entry_node; node = r->nodes[node].way_node) {
		const struct node_mark *n = &r->nodes[node];

		/* The path was changed by an answer of this round. */
		if (ft_survey_port(&r->survey, n->way_node, n->way_port)->peer_node != node)
			return WAY_NONE;
		if (mark_of(r, n->way_node, n->way_port)->confirmed)
			continue;
		*ret_link = (struct query){
			.node = n->way_node, .port = n->way_port, .ask = ASK_NODE, .spent = n->lost, .proof = true};
		way = WAY_OPEN;
	}
	return way;
}

static unsigned int max_smps(const struct reader *r)
{
	unsigned int max = ft_sweep_max_smps(&r->options);

	/* Often only one switch is read, so its limit applies. Users of libibnetdisc expect its number of SMPs. */
	if (r->options.engine == FT_ENGINE_LIBIBUMAD && max > r->options.max_smps_per_switch)
		max = r->options.max_smps_per_switch;
	return max < SMPS_MAX ? max : SMPS_MAX;
}

static bool put_on_wire(struct reader *r, const struct query *q)
{
	struct ft_smp_request request;
	int slot;

	if (!make_request(r, q, &request))
		return false;
	slot = ft_smp_send(r->wire, &request);
	ft_window_sent(&r->pace);
	if (slot >= 0)
		r->on_wire[slot] = *q;
	else if (r->code == 0)
		r->code = ft_error_set(r->err, slot, 0, 0, "cannot send management packets: %s", strerror(-slot));
	return slot >= 0;
}

/*
 * Sends one query, or the verification that it needs first. A query without a path waits for a later round. Returns
 * whether something was sent.
 */
static bool send_question(struct reader *r, const struct query *q)
{
	struct query link;
	enum way way = examine_way(r, q, &link);

	if (way == WAY_PROVED && !has_to_wait(r, q))
		return put_on_wire(r, q);
	push(r, *q);
	if (way != WAY_OPEN || mark_of(r, link.node, link.port)->proving || has_to_wait(r, &link))
		return false;
	mark_of(r, link.node, link.port)->proving = true;
	return put_on_wire(r, &link);
}

/* Sends the queries that can be sent. Returns their number. */
static size_t run_round(struct reader *r)
{
	struct ft_smp_answer answer;
	struct queue done = r->queue;
	size_t next = 0, sent = 0;

	r->queue = r->later;
	r->later = (struct queue){.items = done.items, .size = done.size};
	find_ways(r);
	count_open(r);
	for (size_t i = 0; i < r->port_count; i++)
		r->ports[i].proving = false;
	do {
		int64_t now_ns = ft_smp_now_ns(), until_ns = now_ns;

		while (next < r->queue.count && ft_smp_pending(r->wire) < max_smps(r) && !out_of_time(r) &&
		       (until_ns = ft_window_next_ns(&r->pace, now_ns)) <= now_ns) {
			const struct query *q = &r->queue.items[next++];

			if (!is_open(r, q))
				continue;
			sent += send_question(r, q);
		}
		if (next == r->queue.count || ft_smp_pending(r->wire) == max_smps(r))
			until_ns = INT64_MAX;
		/* Nothing is on the wire if all queries were settled without sending. */
		if (next == r->queue.count && ft_smp_pending(r->wire) == 0)
			break;
		if (until_ns > now_ns && ft_smp_receive_until(r->wire, until_ns, &answer))
			take(r, &answer);
	} while (r->code == 0 && (next < r->queue.count || ft_smp_pending(r->wire) > 0));
	return r->code == 0 ? sent : 0;
}

/*
 * A switch was named in a change and is unchanged: two cables may have been exchanged faster than the ports were read.
 * So the far ends of all its links are read.
 */
static void look_behind(struct reader *r)
{
	for (uint32_t node = 0; node < r->node_count; node++) {
		struct node_mark *n = &r->nodes[node];

		if (!n->named || n->changed || n->looked || !n->settled)
			continue;
		n->looked = true;
		for (unsigned int i = 1; i <= r->survey.nodes[node].port_count; i++)
			if (ft_survey_port(&r->survey, node, i)->peer_node != FT_NONE)
				ask_beyond(r, node, i);
	}
}

static void run(struct reader *r)
{
	size_t sent, waiting;

	do {
		sent = run_round(r);
		waiting = r->later.count;
		if (sent == 0 && r->code == 0)
			look_behind(r);
	} while (r->code == 0 && (sent > 0 || r->later.count > waiting));
}

/* Who is named. */

static void name_switch(struct reader *r, uint32_t node)
{
	r->nodes[node].named = true;
	want_switch(r, node);
}

/* Returns the number of nodes with that LID that are named or were. */
static size_t name_lid(struct reader *r, uint16_t lid, bool late)
{
	size_t found = 0;

	for (uint32_t node = 0; node < r->node_count; node++) {
		if (!is_switch(r, node) || r->survey.nodes[node].lid != lid || r->survey.nodes[node].gone)
			continue;
		if (late && !mark_of(r, node, 0)->fresh)
			continue;
		if (!late)
			name_switch(r, node);
		found++;
	}
	return found;
}

static size_t name_end_port(struct reader *r, uint64_t guid, bool late)
{
	size_t found = 0;

	for (uint32_t node = 0; node < r->node_count; node++) {
		if (is_switch(r, node) || r->survey.nodes[node].gone)
			continue;
		for (unsigned int i = 1; i <= r->survey.nodes[node].port_count; i++) {
			const struct ft_survey_port *port = ft_survey_port(&r->survey, node, i);

			if (port->guid != guid || port->peer_node == FT_NONE)
				continue;
			if (!late && is_switch(r, port->peer_node))
				name_switch(r, port->peer_node);
			found++;
		}
	}
	return found;
}

static size_t name_guid(struct reader *r, uint64_t guid, bool late)
{
	size_t found = 0;

	for (uint32_t node = ft_survey_find(&r->survey, guid); node != FT_NONE;
	     node = r->survey.nodes[node].next_twin) {
		if (!is_switch(r, node) || (late && (r->survey.nodes[node].gone || !mark_of(r, node, 0)->fresh)))
			continue;
		if (!late)
			name_switch(r, node);
		found++;
	}
	return found ? found : name_end_port(r, guid, late);
}

static size_t name(struct reader *r, const struct ft_change *change, bool late)
{
	return change->lid ? name_lid(r, change->lid, late) : name_guid(r, change->guid, late);
}

/*
 * Checks that named nodes that were not known have been discovered; otherwise their place is unknown. @known: by
 * change, whether it was known at first; such a node may be gone by now.
 */
static void check_named(struct reader *r, const bool *known)
{
	for (size_t i = 0; i < r->list_count && r->code == 0; i++) {
		const struct ft_change *change = &r->list[i];

		if (known[i] || change->gone || name(r, change, true) > 0)
			continue;
		if (change->lid)
			r->code = ft_error_set(r->err, -ESTALE, 0, 0, "no switch has LID %u", change->lid);
		else
			r->code =
				ft_error_set(r->err, -ESTALE, 0, 0, "nothing has the GUID 0x%016" PRIx64, change->guid);
	}
}

/* Beyond half the cost of a sweep (see FIELD: S(P+2) + 3H + 2L) nothing is saved: further queries follow. */
static void check_cost(struct reader *r)
{
	size_t sweep = 0, here = 0;

	for (uint32_t node = 0; node < r->node_count; node++) {
		size_t ports = r->survey.nodes[node].port_count;

		sweep += is_switch(r, node) ? ports + 2 : 3;
		for (unsigned int i = 1; is_switch(r, node) && i <= ports; i++) {
			uint32_t far = ft_survey_port(&r->survey, node, i)->peer_node;

			/* Each link is counted at both ends. */
			sweep += far != FT_NONE && is_switch(r, far);
		}
		if (r->nodes[node].named)
			here += ports + 1;
	}
	if (here > CHEAP && here * 2 > sweep)
		stale(r, FT_NONE, "too much changed at once");
}

/* The end. */

static void drop_unreachable(struct reader *r)
{
	find_ways(r);
	for (uint32_t node = 0; node < r->node_count && r->code == 0; node++) {
		if (r->nodes[node].settled)
			continue;
		if (r->nodes[node].apart && r->nodes[node].named)
			stale(r, node, "changed, and nothing leads to it");
		r->survey.nodes[node].gone = !r->nodes[node].apart;
	}
	/* End nodes do not forward, so the far end of one of their ports may be a switch that is gone. */
	for (uint32_t node = 0; node < r->node_count && r->code == 0; node++) {
		if (!r->survey.nodes[node].gone)
			continue;
		for (unsigned int i = 1; i <= r->survey.nodes[node].port_count; i++) {
			struct ft_survey_port far = *ft_survey_port(&r->survey, node, i);

			ft_survey_unlink(&r->survey, node, i);
			if (far.peer_node != FT_NONE && !r->survey.nodes[far.peer_node].gone)
				orphan(r, far.peer_node, far.peer_port);
		}
	}
}

static void ask_begin(struct reader *r)
{
	uint32_t entry = r->survey.entry_node;
	unsigned int port = r->survey.entry_port;

	ask(r, ASK_SELF, entry, 0);
	if (is_switch(r, entry))
		return;
	want_port(r, entry, port);
}

static int prepare(struct reader *r, const struct ft_snapshot *old)
{
	int code;

	if (!old->source.live || old->source.entry_node == FT_NONE)
		stale(r, FT_NONE, "there is no live sweep to begin with");
	else if (old->nodes[old->source.entry_node].type != FT_NODE_SWITCH && old->source.entry_port == 0)
		stale(r, FT_NONE, "it is not known from which port the sweep was made");
	if (r->code < 0)
		return r->code;
	code = ft_survey_from_snapshot(old, &r->survey);
	if (code < 0 || !grow_marks(r))
		no_memory(r);
	if (r->code == 0)
		find_ways(r);
	for (uint32_t node = 0; node < r->node_count && r->code == 0; node++)
		r->nodes[node].apart = !r->nodes[node].settled;
	return r->code;
}

static int open_wire(struct reader *r)
{
	r->on_wire = calloc(max_smps(r), sizeof(*r->on_wire));
	if (!r->on_wire)
		return -ENOMEM;
	return ft_smp_open(
		&(struct ft_smp_options){
			.ca = r->from.ca, .port = r->from.port, .m_key = r->options.m_key, .max_smps = max_smps(r)},
		&r->wire, r->err);
}

static int work(struct reader *r)
{
	_cleanup_free_ bool *known = calloc(r->list_count ? r->list_count : 1, sizeof(*known));

	if (!known)
		return -ENOMEM;
	ft_smp_set_end(r->wire, r->end_ms);
	ft_window_init(&r->pace, max_smps(r), r->options.max_smps_per_second, r->options.timeout_ms, ft_smp_now_ns());
	ask_begin(r);
	for (size_t i = 0; i < r->list_count; i++)
		known[i] = name(r, &r->list[i], false) > 0;
	check_cost(r);
	if (r->code == 0)
		run(r);
	if (r->code == 0)
		drop_unreachable(r);
	check_named(r, known);
	return r->code;
}

static int give_snapshot(struct reader *r, int64_t began_ms, struct ft_snapshot **ret_snapshot)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_smp_count count = ft_smp_count(r->wire);
	char detail[UMAD_CA_NAME_LEN + 32];
	int code;

	code = ft_survey_snapshot(&r->survey, &snapshot, r->err);
	if (code < 0)
		return code;
	snprintf(detail, sizeof(detail), "%s port %d", r->from.ca, r->from.port);
	code = ft_snapshot_set_detail(snapshot, detail);
	if (code < 0)
		return code;
	snapshot->source.mads = count.mads;
	snapshot->source.engine = FT_ENGINE_LIBIBUMAD;
	snapshot->source.timeouts = count.timeouts;
	snapshot->source.time_s = time(NULL);
	snapshot->source.duration_ms = (uint32_t)(ft_guard_now_ms() - began_ms);
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}

struct ft_reread {
	struct reader reader;
};

int ft_reread_open(const struct ft_sweep_options *options, const struct ft_snapshot *old, struct ft_reread **ret_reread,
		   struct ft_error *err)
{
	_cleanup_(ft_reread_freep) struct ft_reread *reread = calloc(1, sizeof(*reread));
	struct reader *r = reread ? &reread->reader : NULL;
	int code;

	if (!r)
		return -ENOMEM;
	r->options = *options;
	r->survey = FT_SURVEY_EMPTY;
	r->err = err;
	/* The part that it left out may be what changed. */
	if (old->source.stopped)
		return ft_error_set(err, -ESTALE, 0, 0,
				    "the last sweep was stopped: more answered than it was to take");
	code = ft_sweep_options_check(options, err);
	if (code == 0)
		code = ft_port_choose(options->ca, options->port, &r->from, err);
	if (code == 0)
		code = prepare(r, old);
	if (code == 0)
		code = open_wire(r);
	if (code == 0)
		*ret_reread = FT_STEAL(reread);
	return code;
}

int ft_reread_run(struct ft_reread *reread, const struct ft_change *changes, size_t change_count, int64_t end_ms,
		  struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	struct reader *r = &reread->reader;
	int64_t began_ms = ft_guard_now_ms();
	int code;

	r->list = changes;
	r->list_count = change_count;
	r->end_ms = end_ms;
	r->err = err;
	code = work(r);
	return code < 0 ? code : give_snapshot(r, began_ms, ret_snapshot);
}

void ft_reread_free(struct ft_reread *reread)
{
	if (reread)
		reader_release(&reread->reader);
	free(reread);
}

int ft_sweep_incremental(const struct ft_sweep_options *options, const struct ft_snapshot *old,
			 const struct ft_change *changes, size_t change_count, int64_t end_ms,
			 struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_reread_freep) struct ft_reread *reread = NULL;
	int code = ft_reread_open(options, old, &reread, err);

	return code < 0 ? code : ft_reread_run(reread, changes, change_count, end_ms, ret_snapshot, err);
}
