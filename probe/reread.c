/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/reread.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probe/guard.h"
#include "probe/pace.h"
#include "probe/port.h"
#include "probe/smp.h"
#include "probe/snapshot_build.h"

/*
 * The last snapshot becomes a survey again, and questions change it. They are asked in rounds. Before each, the ways
 * from the entry to all nodes are found anew over the links that are believed up; a question whose target cannot be
 * reached waits until it can, or for ever. Whatever turns out different asks for what depends on it, until nothing is
 * left to ask.
 *
 * A route that led to one switch may lead to another by now, and PortInfo does not tell whose it is. So nothing is
 * asked along a way before each of its links has been proved: by NodeInfo of who is behind it, from the entry on.
 */

enum {
	EXT_PORT_INFO = IB_ATTR_MLNX_EXT_PORT_INFO,
	/* To a node; one more leads beyond it. */
	HOPS_MAX = FT_SMP_HOPS_MAX - 1,
	/* Of a switch that lost so much, the neighbours are asked whether it is still there. */
	WEIGHT_ALARM = 4,
	/*
	 * The first try of each question takes this part of the time-out at most: what it asks may be gone, which its
	 * neighbours tell at once, and with a second of waiting before that nobody would hear of a fault within one.
	 */
	FIRST_TRY = 16,
	/* On the wire. There are few to be asked, and the time that a larger window would need to be found is not
	   there. */
	SMPS_MAX = 16,
	/* SMPs that are never too many. */
	CHEAP = 512,
};

enum ask {
	ASK_SELF, /* NodeInfo of ourselves */
	ASK_NODE, /* NodeInfo of who is behind a port */
	ASK_DESCRIPTION,
	ASK_PORT,
	ASK_EXT,
	ASK_COUNT,
};

struct question {
	uint32_t node;
	uint8_t port; /* of an end node: the one to go in through */
	uint8_t ask;
	uint16_t spent; /* on tries so far, in weights */
	bool brief;	/* no more than a short try */
	bool proof;	/* of the link out of that port, for the sake of another question; never queued */
};

struct queue {
	struct question *items;
	size_t count;
	size_t size;
};

/* What this run knows of a port, beside the survey. */
struct port_mark {
	bool wanted : 1;    /* its PortInfo is to be read, or was */
	bool fresh : 1;	    /* it was */
	bool asked : 1;	    /* who is behind it is to be asked, or was */
	bool confirmed : 1; /* its link was seen */
	bool checked : 1;   /* nobody answered behind it, and whether it is still up was asked once more */
	bool suspect : 1;   /* an SMP was lost on the link out of it */
	bool proving : 1;   /* that link is being proved in this round */
};

struct node_mark {
	uint32_t way_node; /* the node before it on the way from the entry, and the port out of that */
	uint32_t level;	   /* how many doubtful links are on that way */
	uint32_t open;	   /* questions for its ports in this round */
	uint32_t changes;  /* how much had changed when it began not to answer */
	uint16_t lost;	   /* proofs of links to it, in weights */
	uint8_t way_port;
	uint8_t hops;
	bool settled : 1; /* it can be reached */
	bool named : 1;	  /* said to have changed */
	bool changed : 1; /* and it has */
	bool looked : 1;  /* or not, and behind all its ports was looked for why */
	bool alarmed : 1; /* its neighbours were asked for it */
	bool told : 1;	  /* its description is being read */
	bool apart : 1;	  /* could not be reached to begin with: an incomplete snapshot */
};

struct reader {
	const struct ft_sweep_options *options;
	const struct ft_change *list;
	size_t list_count;
	struct ft_survey survey;
	struct port_mark *ports; /* by port of the survey */
	struct node_mark *nodes; /* by node of the survey */
	size_t port_count, port_size;
	size_t node_count, node_size;
	struct queue queue; /* of this round */
	struct queue later; /* of the next */
	uint32_t *walk[2];  /* lists of find_ways() */
	size_t walk_size;
	struct ft_smp_wire *wire;
	struct ft_pace pace;	  /* for max_smps_per_second */
	struct question *on_wire; /* by slot */
	uint32_t changes;	  /* to links, so far */
	int64_t end_ms;
	int code; /* why this came to nothing */
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

/* Only a sweep can tell. The first reason counts. */
static void stale(struct reader *r, uint32_t node, const char *why)
{
	if (r->code != 0)
		return;
	if (node == FT_NO_NODE)
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
	return (uint16_t)(FT_SMP_WEIGHT_SLOW * (r->options->retries + 1));
}

/* Room for marks of whatever the survey holds now. */
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
		r->nodes[r->node_count] = (struct node_mark){.way_node = FT_NO_NODE};
	for (; r->port_count < r->survey.port_count; r->port_count++)
		r->ports[r->port_count] = (struct port_mark){0};
	return true;
}

/* Questions. */

static void push(struct reader *r, struct question question)
{
	struct queue *queue = &r->later;

	if (queue->count == queue->size) {
		size_t size = queue->size ? queue->size * 2 : 256;
		struct question *items = reallocarray(queue->items, size, sizeof(*items));

		if (!items) {
			no_memory(r);
			return;
		}
		queue->items = items;
		queue->size = size;
	}
	queue->items[queue->count++] = question;
}

static void ask(struct reader *r, enum ask what, uint32_t node, unsigned int port)
{
	push(r, (struct question){.node = node, .port = (uint8_t)port, .ask = (uint8_t)what});
}

/*
 * PortInfo of that port, unless it was asked for already. Nothing of a switch's before its port 0: without the
 * capabilities that are there, and in no snapshot, the speeds cannot be read. Its answer asks for all the others.
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

/* Who is behind that port? */
static void ask_beyond(struct reader *r, uint32_t node, unsigned int port)
{
	struct port_mark *mark = mark_of(r, node, port);

	if (mark->asked)
		return;
	mark->asked = true;
	ask(r, ASK_NODE, node, port);
}

/* The same where nobody answered the last time, and nothing has changed since. That is not waited for as long again. */
static void ask_beyond_once(struct reader *r, uint32_t node, unsigned int port)
{
	struct port_mark *mark = mark_of(r, node, port);

	if (mark->asked)
		return;
	mark->asked = mark->checked = true;
	push(r, (struct question){.node = node,
				  .port = (uint8_t)port,
				  .ask = ASK_NODE,
				  .spent = (uint16_t)(limit(r) - FT_SMP_WEIGHT_SLOW),
				  .brief = true});
}

/* Another answer may have told. */
static bool is_open(const struct reader *r, const struct question *q)
{
	const struct ft_survey_port *port = ft_survey_port(&r->survey, q->node, q->port);
	const struct port_mark *mark = mark_of(r, q->node, q->port);

	switch ((enum ask)q->ask) {
	case ASK_SELF:
	case ASK_DESCRIPTION:
		return true;
	case ASK_NODE:
		return !mark->confirmed && (is_up(port) || port->peer_node != FT_NO_NODE);
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

		if (next == FT_NO_NODE || !leads_on(r, node, i))
			continue;
		to = &r->nodes[next];
		level = from->level + is_doubtful(r, node, i);
		if (to->settled || level >= to->level)
			continue;
		to->level = level;
		to->way_node = node;
		to->way_port = (uint8_t)i;
		to->hops = (uint8_t)(from->hops + 1);
		/* At most once a list: a level only falls. */
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
 * The way to each node that has one: over as few doubtful links as may be, and then over few at all. Breadth first,
 * level by level: what a doubtful link leads to is for the next one.
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
 * The node that the way of a question leads to: the target, but of an end node the switch before it, so that it is
 * asked through the port in question. FT_NO_NODE where there is no way.
 */
static uint32_t way_end(const struct reader *r, const struct question *q)
{
	uint32_t node = q->node;

	if (!is_switch(r, node) && node != r->survey.entry_node)
		node = ft_survey_port(&r->survey, node, q->port)->peer_node;
	return node != FT_NO_NODE && r->nodes[node].settled ? node : FT_NO_NODE;
}

static bool make_request(const struct reader *r, const struct question *q, struct ft_smp_request *request)
{
	uint32_t node = way_end(r, q);

	if (node == FT_NO_NODE)
		return false;
	*request = (struct ft_smp_request){
		.attribute = asks[q->ask].attribute,
		.modifier = asks[q->ask].of_port ? q->port : 0,
		.timeout_ms = r->options->timeout_ms,
		.hops = r->nodes[node].hops,
	};
	/* Where there will be no second one, the first try is no short one. */
	if (r->options->retries > 0 && (q->spent == 0 || q->brief))
		request->timeout_ms = (request->timeout_ms + FIRST_TRY - 1) / FIRST_TRY;
	for (uint32_t n = node; n != r->survey.entry_node; n = r->nodes[n].way_node)
		request->path[r->nodes[n].hops] = r->nodes[n].way_port;
	if (q->ask == ASK_NODE)
		request->path[++request->hops] = q->port;
	else if (node != q->node)
		request->path[++request->hops] = ft_survey_port(&r->survey, q->node, q->port)->peer_port;
	return true;
}

/* What the answers change. */

/* That port's link was lost to another one, or with its far end. */
static void orphan(struct reader *r, uint32_t node, unsigned int number)
{
	struct ft_survey_port *port;
	struct port_mark *mark;

	if (node == FT_NO_NODE)
		return;
	port = ft_survey_port(&r->survey, node, number);
	mark = mark_of(r, node, number);
	if (node == r->survey.entry_node && !is_switch(r, node) && number == r->survey.entry_port) {
		stale(r, node, "is where the sweep began, and is not cabled as it was");
		return;
	}
	/* A sweep knows nothing of a port of an end node that it did not come in by. */
	if (!is_switch(r, node)) {
		*port = (struct ft_survey_port){.peer_node = FT_NO_NODE};
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

/* That link was seen. */
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
	/* Found by the way, maybe: its state may be another than that of the link before. */
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

static void take_self(struct reader *r, const struct question *q, const uint8_t *info)
{
	bool here = is_switch(r, q->node) || field(info, IB_NODE_LOCAL_PORT_F) == r->survey.entry_port;

	if (field64(info, IB_NODE_GUID_F) != r->survey.nodes[q->node].guid || !here)
		stale(r, q->node, "is where the sweep began, and this is another port");
}

/* The own port leads to where it led. */
static void take_first(struct reader *r, const struct question *q, const uint8_t *info)
{
	const struct ft_survey_port *port = ft_survey_port(&r->survey, q->node, q->port);

	if (port->peer_node == FT_NO_NODE || port->peer_port != field(info, IB_NODE_LOCAL_PORT_F) ||
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

static void take_new(struct reader *r, const struct question *q, const uint8_t *info)
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

	if (n->next_twin != FT_NO_NODE)
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

static void take_known(struct reader *r, const struct question *q, uint32_t node, const uint8_t *info)
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
	/* What it has become while nothing led to it. */
	if (is_switch(r, node) && was_away)
		want_switch(r, node);
	read_arrival(r, node, number, info);
}

static void take_node(struct reader *r, const struct question *q, const uint8_t *info)
{
	uint32_t known;

	if (q->node == r->survey.entry_node && !is_switch(r, q->node)) {
		take_first(r, q, info);
		return;
	}
	known = ft_survey_find(&r->survey, field64(info, IB_NODE_GUID_F));
	if (known == FT_NO_NODE)
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

/* What told QDR from FDR10 then, tells it now: that is one question less for every such port. */
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
	/* Of a port that a switch's table calls down (walk.h) it is not known. */
	if (old->phys_state > 0 && old->phys_state != port->phys_state)
		return true;
	/* The fields of a port that is down say nothing. */
	if (!is_up(port))
		return false;
	return old->rate.lanes != port->rate.lanes || (old->rate.speed != port->rate.speed && !port->maybe_fdr10);
}

static void take_link_state(struct reader *r, uint32_t node, unsigned int number, const struct ft_survey_port *old)
{
	const struct ft_survey_port *port = ft_survey_port(&r->survey, node, number);
	bool linked = port->peer_node != FT_NO_NODE;
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

static void take_port(struct reader *r, const struct question *q, const uint8_t *info)
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

static void take_answer(struct reader *r, const struct question *q, const uint8_t *info)
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

/* It answers, and does not have what was asked for. */
static void take_refusal(struct reader *r, const struct question *q)
{
	/* As a sweep has it: behind that port nobody says who it is, and nobody is described. */
	if (q->ask == ASK_DESCRIPTION)
		r->survey.nodes[q->node].described = true;
	else if (q->ask == ASK_EXT)
		ft_survey_port(&r->survey, q->node, q->port)->maybe_fdr10 = false;
	else if (q->ask != ASK_NODE)
		stale(r, q->node, "refuses to answer");
	else if (ft_survey_port(&r->survey, q->node, q->port)->peer_node != FT_NO_NODE)
		cut(r, q->node, q->port);
}

/* Is it still there? The ports that lead to it tell, all at once. */
static void raise_alarm(struct reader *r, uint32_t node)
{
	if (!is_switch(r, node))
		return;
	for (unsigned int i = 1; i <= r->survey.nodes[node].port_count; i++) {
		const struct ft_survey_port *port = ft_survey_port(&r->survey, node, i);

		if (port->peer_node != FT_NO_NODE && is_switch(r, port->peer_node))
			want_port(r, port->peer_node, port->peer_port);
	}
}

/* Nobody is behind that port, unless it is the port's own switch that is gone: so that is asked once more. */
static void take_silence(struct reader *r, const struct question *q)
{
	struct port_mark *mark = mark_of(r, q->node, q->port);

	if (ft_survey_port(&r->survey, q->node, q->port)->peer_node != FT_NO_NODE)
		cut(r, q->node, q->port);
	if (mark->checked)
		return;
	mark->checked = true;
	mark->fresh = false;
	ask(r, ASK_PORT, q->node, q->port);
}

static void take_exhaustion(struct reader *r, const struct question *q)
{
	/* The speed of that port stays unknown, and the snapshot says so. */
	if (q->ask == ASK_EXT)
		return;
	if (q->ask == ASK_NODE)
		take_silence(r, q);
	else
		stale(r, q->node, "is linked and does not answer");
}

/* Nobody answered behind a link of which the far end is known: the link may be gone, or all of the far node. */
static void take_proof_loss(struct reader *r, const struct question *q, bool slow)
{
	uint32_t far = ft_survey_port(&r->survey, q->node, q->port)->peer_node;
	struct node_mark *n;

	mark_of(r, q->node, q->port)->suspect = true;
	if (far == FT_NO_NODE)
		return;
	n = &r->nodes[far];
	if (n->lost == 0)
		n->changes = r->changes;
	n->lost = (uint16_t)(n->lost + ft_smp_weight(slow));
	if (n->lost >= WEIGHT_ALARM && !n->alarmed) {
		n->alarmed = true;
		raise_alarm(r, far);
		/* What the neighbours say is waited for. */
		if (n->lost >= limit(r))
			n->lost = (uint16_t)(limit(r) - FT_SMP_WEIGHT_FAST);
	}
	if (n->lost < limit(r))
		return;
	if (n->changes == r->changes)
		stale(r, far, "is linked and does not answer");
	/* Else something more is known by now of the ways there. */
	n->lost = 0;
}

static void take_loss(struct reader *r, struct question *q, bool slow)
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
	struct question q = r->on_wire[answer->slot];

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
 * A switch that is said to have changed is not passed through before its own ports are read: a link of it may be gone,
 * and what is sent there is lost.
 */
static bool has_to_wait(const struct reader *r, const struct question *q)
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
		const struct question *q = &r->queue.items[i];

		if (q->ask == ASK_PORT && r->nodes[q->node].named && is_open(r, q))
			r->nodes[q->node].open++;
	}
}

enum way { WAY_PROVED, WAY_OPEN, WAY_NONE };

/*
 * How far the way of a question can be trusted. @ret_link: WAY_OPEN: the first link that is to be proved, as its
 * nearer port.
 */
static enum way examine_way(const struct reader *r, const struct question *q, struct question *ret_link)
{
	uint32_t node = way_end(r, q);
	enum way way = WAY_PROVED;

	if (node == FT_NO_NODE)
		return WAY_NONE;
	for (; node != r->survey.entry_node; node = r->nodes[node].way_node) {
		const struct node_mark *n = &r->nodes[node];

		/* It leads elsewhere since a moment ago. */
		if (ft_survey_port(&r->survey, n->way_node, n->way_port)->peer_node != node)
			return WAY_NONE;
		if (mark_of(r, n->way_node, n->way_port)->confirmed)
			continue;
		*ret_link = (struct question){
			.node = n->way_node, .port = n->way_port, .ask = ASK_NODE, .spent = n->lost, .proof = true};
		way = WAY_OPEN;
	}
	return way;
}

static unsigned int max_smps(const struct reader *r)
{
	unsigned int max = ft_sweep_max_smps(r->options);

	/* There may be one switch only to be read. libibnetdisc's users are used to what it sends. */
	if (r->options->engine == FT_ENGINE_LIBIBUMAD && max > r->options->max_smps_per_switch)
		max = r->options->max_smps_per_switch;
	return max < SMPS_MAX ? max : SMPS_MAX;
}

static bool put_on_wire(struct reader *r, const struct question *q)
{
	struct ft_smp_request request;
	int slot;

	if (!make_request(r, q, &request))
		return false;
	slot = ft_smp_send(r->wire, &request);
	ft_pace_sent(&r->pace);
	if (slot >= 0)
		r->on_wire[slot] = *q;
	else if (r->code == 0)
		r->code = ft_error_set(r->err, slot, 0, 0, "cannot send management packets: %s", strerror(-slot));
	return slot >= 0;
}

/*
 * Sends one question, or what has to be known first. What has no way, or none yet, is for another round, or for none.
 * Returns whether something was sent.
 */
static bool send_question(struct reader *r, const struct question *q)
{
	struct question link;
	enum way way = examine_way(r, q, &link);

	if (way == WAY_PROVED && !has_to_wait(r, q))
		return put_on_wire(r, q);
	push(r, *q);
	if (way != WAY_OPEN || mark_of(r, link.node, link.port)->proving || has_to_wait(r, &link))
		return false;
	mark_of(r, link.node, link.port)->proving = true;
	return put_on_wire(r, &link);
}

/* Asks what can be asked. Returns how much that was. */
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
		       (until_ns = ft_pace_next_ns(&r->pace, now_ns)) <= now_ns) {
			const struct question *q = &r->queue.items[next++];

			if (!is_open(r, q))
				continue;
			sent += send_question(r, q);
		}
		if (next == r->queue.count || ft_smp_pending(r->wire) == max_smps(r))
			until_ns = INT64_MAX;
		/* Nothing is on the wire where all of it was settled without asking. */
		if (next == r->queue.count && ft_smp_pending(r->wire) == 0)
			break;
		if (until_ns > now_ns && ft_smp_receive_until(r->wire, until_ns, &answer))
			take(r, &answer);
	} while (r->code == 0 && (next < r->queue.count || ft_smp_pending(r->wire) > 0));
	return r->code == 0 ? sent : 0;
}

/*
 * A switch was said to have changed and nothing of it has: somebody may have exchanged two cables, and been quicker
 * than we. So all links of it are looked at.
 */
static void look_behind(struct reader *r)
{
	for (uint32_t node = 0; node < r->node_count; node++) {
		struct node_mark *n = &r->nodes[node];

		if (!n->named || n->changed || n->looked || !n->settled)
			continue;
		n->looked = true;
		for (unsigned int i = 1; i <= r->survey.nodes[node].port_count; i++)
			if (ft_survey_port(&r->survey, node, i)->peer_node != FT_NO_NODE)
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

/* Returns how many nodes of that LID there are that are to be read or were. */
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

			if (port->guid != guid || port->peer_node == FT_NO_NODE)
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

	for (uint32_t node = ft_survey_find(&r->survey, guid); node != FT_NO_NODE;
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
 * What is named and was not known is met on the way, or nobody knows where it is. @known: by change, what was known to
 * begin with; that may be gone by now.
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

/* More than half of what a sweep would cost (see FIELD: S(P+2) + 3H + 2L) is no saving: it comes with more besides. */
static void check_cost(struct reader *r)
{
	size_t sweep = 0, here = 0;

	for (uint32_t node = 0; node < r->node_count; node++) {
		size_t ports = r->survey.nodes[node].port_count;

		sweep += is_switch(r, node) ? ports + 2 : 3;
		for (unsigned int i = 1; is_switch(r, node) && i <= ports; i++) {
			uint32_t far = ft_survey_port(&r->survey, node, i)->peer_node;

			/* Each link is counted from both its ends. */
			sweep += far != FT_NO_NODE && is_switch(r, far);
		}
		if (r->nodes[node].named)
			here += ports + 1;
	}
	if (here > CHEAP && here * 2 > sweep)
		stale(r, FT_NO_NODE, "too much changed at once");
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
	/* Nothing goes through an end node, so one of its ports may be cabled to a switch that is gone. */
	for (uint32_t node = 0; node < r->node_count && r->code == 0; node++) {
		if (!r->survey.nodes[node].gone)
			continue;
		for (unsigned int i = 1; i <= r->survey.nodes[node].port_count; i++) {
			struct ft_survey_port far = *ft_survey_port(&r->survey, node, i);

			ft_survey_unlink(&r->survey, node, i);
			if (far.peer_node != FT_NO_NODE && !r->survey.nodes[far.peer_node].gone)
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

	if (!old->source.live || old->source.entry_node == FT_NO_NODE)
		stale(r, FT_NO_NODE, "there is no live sweep to begin with");
	else if (old->nodes[old->source.entry_node].type != FT_NODE_SWITCH && old->source.entry_port == 0)
		stale(r, FT_NO_NODE, "it is not known from which port the sweep was made");
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

static int open_wire(struct reader *r, const struct ft_port_choice *from)
{
	r->on_wire = calloc(max_smps(r), sizeof(*r->on_wire));
	if (!r->on_wire)
		return -ENOMEM;
	ft_pace_init(&r->pace, max_smps(r), r->options->max_smps_per_second, r->options->timeout_ms, ft_smp_now_ns());
	return ft_smp_open(&(struct ft_smp_options){.ca = from->ca,
						    .port = from->port,
						    .m_key = r->options->m_key,
						    .max_smps = max_smps(r),
						    .end_ms = r->end_ms},
			   &r->wire, r->err);
}

static int work(struct reader *r, const struct ft_snapshot *old, const struct ft_port_choice *from)
{
	_cleanup_free_ bool *known = calloc(r->list_count ? r->list_count : 1, sizeof(*known));

	if (!known)
		return -ENOMEM;
	if (prepare(r, old) < 0)
		return r->code;
	ask_begin(r);
	for (size_t i = 0; i < r->list_count; i++)
		known[i] = name(r, &r->list[i], false) > 0;
	check_cost(r);
	if (r->code == 0)
		r->code = open_wire(r, from);
	if (r->code == 0)
		run(r);
	if (r->code == 0)
		drop_unreachable(r);
	check_named(r, known);
	return r->code;
}

static int give_snapshot(struct reader *r, const struct ft_port_choice *from, int64_t began_ms,
			 struct ft_snapshot **ret_snapshot)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_smp_count count = ft_smp_count(r->wire);
	char detail[UMAD_CA_NAME_LEN + 32];
	int code;

	code = ft_survey_snapshot(&r->survey, &snapshot, r->err);
	if (code < 0)
		return code;
	snprintf(detail, sizeof(detail), "%s port %d", from->ca, from->port);
	code = ft_snapshot_set_detail(snapshot, detail);
	if (code < 0)
		return code;
	snapshot->source.mads = count.mads;
	snapshot->source.timeouts = count.timeouts;
	snapshot->source.time_s = time(NULL);
	snapshot->source.duration_ms = (uint32_t)(ft_guard_now_ms() - began_ms);
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}

int ft_reread(const struct ft_sweep_options *options, const struct ft_snapshot *old, const struct ft_change *changes,
	      size_t change_count, int64_t end_ms, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(reader_release) struct reader r = {
		.options = options,
		.list = changes,
		.list_count = change_count,
		.survey = FT_SURVEY_EMPTY,
		.end_ms = end_ms,
		.err = err,
	};
	int64_t began_ms = ft_guard_now_ms();
	struct ft_port_choice from;
	int code;

	/* What it left out may be what changed. */
	if (old->source.stopped)
		return ft_error_set(err, -ESTALE, 0, 0,
				    "the last sweep was stopped: more answered than it was to take");
	code = ft_sweep_options_check(options, err);
	if (code == 0)
		code = ft_port_choose(options->ca, options->port, &from, err);
	if (code == 0)
		code = work(&r, old, &from);
	return code < 0 ? code : give_snapshot(&r, &from, began_ms, ret_snapshot);
}
