/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/discovery.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <inttypes.h>
#include <string.h>

#include "probe/guard.h"
#include "probe/progress.h"

enum {
	/* Number of nodes that are asked again whether the fabric still responds, if responses are missing. */
	WITNESSES = 4,
	/*
	 * Limit of rounds: what was learned may contradict an assumption, that may happen once more, and a planned
	 * switch may be missing.
	 */
	ROUNDS = 4,
	/*
	 * SwitchPortStateTable (IBTA Vol 1, 14.2.5): PortState of 128 ports in each block, from port 0 on, the upper
	 * half of a byte first. Present if PortInfo:CapabilityMask of port 0 announces CapabilityMask2, and
	 * CapabilityMask2 has IsSwitchPortStateTableSupported.
	 */
	SWITCH_PORT_STATE_TABLE = 0x34,
	CAP_MASK2 = 1 << 15,
	CAP2_STATE_TABLE = 1 << 3,
	STATES_PER_BLOCK = 128,
	STATE_DOWN = 1,
};

/* The kinds of queries. Each has its node and port, and further members where noted. */
enum ask {
	ASK_NODE, /* NodeInfo of the node behind a port (of the local node: node FT_NONE) */
	ASK_TWIN, /* likewise, to become a second node with its GUID; other: the last node with that GUID that it
		     differs from */
	ASK_BACK, /* likewise, to verify that two ports are cabled to each other; other, other_port: the port that
		     claims to be cabled to this one */
	ASK_DESCRIPTION,
	ASK_PORT,
	ASK_EXT,
	ASK_ALIVE,  /* NodeInfo of a node that has responded: does it still respond? */
	ASK_STATES, /* a block of SwitchPortStateTable, by its number in @port */
	ASK_COUNT,
};

struct discovery {
	struct ft_survey *survey;
	struct ft_scheduler *scheduler;
	struct ft_progress *progress;
	size_t conflicts;	      /* how often it was repeated so far */
	uint32_t answered[WITNESSES]; /* the last nodes that responded, or FT_NONE */
	size_t answers;
	size_t lost; /* queries without an answer */
	bool alive;  /* a query to one of the last nodes was answered */
	bool failed; /* out of memory */
};

/* Attributes and their properties. */
static const struct {
	unsigned int attribute;
	bool beyond;   /* read from the node behind the port, not from the port's own node */
	bool of_port;  /* the modifier is the port */
	bool optional; /* optional: not every node knows it */
} asks[ASK_COUNT] = {
	[ASK_NODE] = {IB_ATTR_NODE_INFO, true, false, false},
	[ASK_TWIN] = {IB_ATTR_NODE_INFO, true, false, false},
	[ASK_BACK] = {IB_ATTR_NODE_INFO, true, false, false},
	[ASK_DESCRIPTION] = {IB_ATTR_NODE_DESC, false, false, false},
	[ASK_PORT] = {IB_ATTR_PORT_INFO, false, true, false},
	[ASK_EXT] = {IB_ATTR_MLNX_EXT_PORT_INFO, false, true, true},
	[ASK_ALIVE] = {IB_ATTR_NODE_INFO, false, false, false},
	[ASK_STATES] = {SWITCH_PORT_STATE_TABLE, false, true, true},
};

static bool is_switch(const struct discovery *w, uint32_t node)
{
	return w->survey->nodes[node].type == FT_NODE_SWITCH;
}

static void push(struct discovery *w, struct ft_query query)
{
	query.target = query.node;
	query.beyond = asks[query.kind].beyond;
	query.optional = asks[query.kind].optional;
	ft_scheduler_push(w->scheduler, &query);
}

static void ask(struct discovery *w, enum ask what, uint32_t node, unsigned int port)
{
	push(w, (struct ft_query){.node = node, .port = (uint8_t)port, .kind = (uint8_t)what});
}

/* Only once: a port is reached from its own node and from the far end of its cable. */
static void ask_port(struct discovery *w, uint32_t node, unsigned int number)
{
	struct ft_survey_port *port = ft_survey_port(w->survey, node, number);

	if (port->asked)
		return;
	port->asked = true;
	ask(w, ASK_PORT, node, number);
}

/*
 * Requests what is missing of a port: its state, its rate, the node behind it. A switch's port 0 is read first, as the
 * speeds cannot be decoded without its capabilities; its answer triggers the requests for the other ports.
 */
static void ask_port_rest(struct discovery *w, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(w->survey, node, number);

	if (is_switch(w, node) && !ft_survey_port(w->survey, node, 0)->read)
		return;
	if (!port->read)
		ask_port(w, node, number);
	else if (port->maybe_fdr10)
		ask(w, ASK_EXT, node, number);
	if (ft_survey_port_is_silent(w->survey, node, number))
		ask(w, ASK_NODE, node, number);
}

static void ask_switch_ports(struct discovery *w, uint32_t node)
{
	if (!ft_survey_port(w->survey, node, 0)->read) {
		ask_port(w, node, 0);
		return;
	}
	for (unsigned int i = 1; i <= w->survey->nodes[node].port_count; i++)
		ask_port_rest(w, node, i);
}

static void ask_end_ports(struct discovery *w, uint32_t node)
{
	for (unsigned int i = 1; i <= w->survey->nodes[node].port_count; i++)
		if (ft_survey_port(w->survey, node, i)->reached)
			ask_port_rest(w, node, i);
}

static void ask_node_rest(struct discovery *w, uint32_t node)
{
	if (!w->survey->nodes[node].described)
		ask(w, ASK_DESCRIPTION, node, 0);
	if (is_switch(w, node))
		ask_switch_ports(w, node);
	else
		ask_end_ports(w, node);
}

/* Is the query still needed? Another answer may have made it obsolete. */
static bool is_open(const struct discovery *w, const struct ft_query *q)
{
	const struct ft_survey_port *port;

	if (q->node == FT_NONE)
		return w->survey->entry_node == FT_NONE;
	port = ft_survey_port(w->survey, q->node, q->kind == ASK_STATES ? 0 : q->port);
	switch ((enum ask)q->kind) {
	case ASK_NODE:
	case ASK_TWIN:
		return port->peer_node == FT_NONE && !port->beyond;
	case ASK_BACK:
		return ft_survey_port(w->survey, q->other, q->other_port)->peer_node == FT_NONE;
	case ASK_DESCRIPTION:
		return !w->survey->nodes[q->node].described;
	case ASK_PORT:
		return !port->read;
	case ASK_EXT:
		return port->maybe_fdr10;
	case ASK_STATES:
	case ASK_ALIVE:
		return true;
	case ASK_COUNT:
		break;
	}
	return false;
}

/* Fills in the query's directed route. False if there is none. */
static bool query_path(const struct discovery *w, const struct ft_query *q, struct ft_smp_request *request)
{
	const struct ft_survey_node *node;

	*request = (struct ft_smp_request){
		.attribute = asks[q->kind].attribute,
		.modifier = asks[q->kind].of_port ? q->port : 0,
	};
	if (q->node == FT_NONE)
		return true;
	node = &w->survey->nodes[q->node];
	request->hops = node->hops;
	memcpy(request->path, node->path, sizeof(node->path));
	if (!asks[q->kind].beyond)
		return true;
	/* End nodes do not forward directed routes, except from our own port. */
	if (node->hops >= FT_SMP_HOPS_MAX ||
	    (node->type != FT_NODE_SWITCH && (node->hops > 0 || q->port != w->survey->entry_port)))
		return false;
	request->path[++request->hops] = q->port;
	return true;
}

/* Adds a new node behind @port of @node, or the local node. */
static void add_node(struct discovery *w, const struct ft_query *q, const uint8_t *info, uint32_t *ret_node)
{
	struct ft_smp_request request;
	int r;

	*ret_node = FT_NONE;
	if (!query_path(w, q, &request))
		return;
	r = ft_survey_add_node(w->survey, info, request.path, request.hops, ret_node);
	if (r == -ENOMEM)
		w->failed = true;
	/* Not requested again: the survey stays full. */
	if (r == -ENOSPC && q->node != FT_NONE)
		ft_survey_port(w->survey, q->node, q->port)->beyond = true;
	ft_progress_nodes(w->progress, (uint32_t)w->survey->node_count);
}

static void set_port_guid(struct discovery *w, uint32_t node, unsigned int number, const uint8_t *info)
{
	struct ft_survey_port *port = ft_survey_port(w->survey, node, number);

	port->guid = mad_get_field64((void *)(uintptr_t)info, 0, IB_NODE_PORT_GUID_F);
	port->reached = true;
}

static unsigned int local_port(const uint8_t *info)
{
	return mad_get_field((void *)(uintptr_t)info, 0, IB_NODE_LOCAL_PORT_F);
}

static uint64_t node_guid(const uint8_t *info)
{
	return mad_get_field64((void *)(uintptr_t)info, 0, IB_NODE_GUID_F);
}

static void take_self(struct discovery *w, const struct ft_query *q, const uint8_t *info)
{
	unsigned int number = local_port(info);
	uint32_t node;

	add_node(w, q, info, &node);
	if (node == FT_NONE)
		return;
	w->survey->entry_node = node;
	if (ft_survey_port(w->survey, node, number)) {
		w->survey->entry_port = (uint8_t)number;
		set_port_guid(w, node, number, info);
	}
	ask_node_rest(w, node);
}

/* Links the query's port to a node that has just been added for it. */
static void take_new(struct discovery *w, const struct ft_query *q, const uint8_t *info)
{
	unsigned int number = local_port(info);
	uint32_t node;

	add_node(w, q, info, &node);
	if (node == FT_NONE)
		return;
	if (number > 0 && ft_survey_port(w->survey, node, number)) {
		ft_survey_link(w->survey, q->node, q->port, node, number);
		ft_survey_mirror(w->survey, node, number);
		set_port_guid(w, node, number, info);
	}
	ask_node_rest(w, node);
}

/* A switch port whose PortInfo is down cannot be the end of this cable. */
static bool port_is_down(const struct discovery *w, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(w->survey, node, number);

	return is_switch(w, node) && port->read && port->phys_state != FT_PHYS_LINK_UP;
}

/* Reads what was inferred of a port: by SwitchPortStateTable, since which it may have come up, or from its far end. */
static void doubt_port(struct discovery *w, uint32_t node, unsigned int number)
{
	struct ft_survey_port *port = ft_survey_port(w->survey, node, number);

	if (!port->inferred)
		return;
	port->read = port->inferred = false;
	ask_port_rest(w, node, number);
}

/* Likewise of all ports of a switch, for good: one was contradicted. */
static void doubt_switch(struct discovery *w, uint32_t node)
{
	w->survey->nodes[node].doubted = true;
	for (unsigned int i = 1; i <= w->survey->nodes[node].port_count; i++)
		doubt_port(w, node, i);
}

/*
 * The port (@node, @port) sees port @number of a node with a known GUID: is it @twin? If in doubt, NodeInfo behind that
 * port of a switch @twin is read.
 *
 * @info  the NodeInfo that said so, or NULL
 * Returns whether this is decided, or a query for it is pending.
 */
static bool settle(struct discovery *w, uint32_t node, unsigned int port, uint32_t twin, unsigned int number,
		   const uint8_t *info)
{
	const struct ft_survey_node *t = &w->survey->nodes[twin];
	bool alone = t->next_twin == FT_NONE && ft_survey_find(w->survey, t->guid) == twin;

	if (number == 0 || number > t->port_count)
		return false;
	if (ft_survey_port(w->survey, twin, number)->peer_node == FT_NONE)
		doubt_port(w, twin, number);
	else
		doubt_switch(w, twin);
	if (port_is_down(w, twin, number)) {
		doubt_switch(w, twin);
		return false;
	}
	if (ft_survey_port(w->survey, twin, number)->peer_node == FT_NONE && (alone || !is_switch(w, twin))) {
		ft_survey_link(w->survey, node, port, twin, number);
		if (info)
			set_port_guid(w, twin, number, info);
		ft_survey_mirror(w->survey, twin, number);
		ask_port_rest(w, twin, number);
		return true;
	}
	if (!is_switch(w, twin))
		return false;
	push(w, (struct ft_query){.kind = ASK_BACK,
				  .node = twin,
				  .port = (uint8_t)number,
				  .other = node,
				  .other_port = (uint8_t)port});
	return true;
}

/*
 * The same, for the nodes with this GUID from @twin on. If it is none of them it becomes a further node with that GUID.
 */
static void settle_next(struct discovery *w, uint32_t node, unsigned int port, uint32_t twin, unsigned int number,
			const uint8_t *info)
{
	uint32_t next;

	for (next = w->survey->nodes[twin].next_twin; next != FT_NONE; next = w->survey->nodes[next].next_twin) {
		if (settle(w, node, port, next, number, info))
			return;
		twin = next;
	}
	/* Bounded: a malicious device could otherwise report another GUID each time for ever. */
	if (w->conflicts++ > w->survey->port_count)
		return;
	push(w, (struct ft_query){.kind = ASK_TWIN, .node = node, .port = (uint8_t)port, .other = twin});
}

static void take_node(struct discovery *w, const struct ft_query *q, const uint8_t *info)
{
	uint32_t known;

	if (q->node == FT_NONE) {
		take_self(w, q, info);
		return;
	}
	known = ft_survey_find(w->survey, node_guid(info));
	if (known == FT_NONE)
		take_new(w, q, info);
	else if (!settle(w, q->node, q->port, known, local_port(info), info))
		settle_next(w, q->node, q->port, known, local_port(info), info);
}

/* Another query may have added the node meanwhile, or the cable may have moved. */
static void take_twin(struct discovery *w, const struct ft_query *q, const uint8_t *info)
{
	if (node_guid(info) != w->survey->nodes[q->other].guid)
		take_node(w, q, info);
	else if (w->survey->nodes[q->other].next_twin == FT_NONE)
		take_new(w, q, info);
	else
		settle_next(w, q->node, q->port, q->other, local_port(info), info);
}

static void take_back(struct discovery *w, const struct ft_query *q, const uint8_t *info)
{
	const struct ft_survey_port *port = ft_survey_port(w->survey, q->node, q->port);
	uint32_t old_node = port->peer_node;
	unsigned int old_port = port->peer_port;

	/* Bounded: on a fabric that changes during the sweep this could go on for ever. */
	if (w->conflicts++ > w->survey->port_count)
		return;
	if (node_guid(info) != w->survey->nodes[q->other].guid || local_port(info) != q->other_port) {
		settle_next(w, q->other, q->other_port, q->node, q->port, NULL);
		return;
	}
	ft_survey_link(w->survey, q->other, q->other_port, q->node, q->port);
	if (old_node != FT_NONE)
		ask_port_rest(w, old_node, old_port);
}

/* Has the switch SwitchPortStateTable? */
static bool has_state_table(const struct discovery *w, uint32_t node)
{
	const struct ft_survey_node *n = &w->survey->nodes[node];

	return n->capability & CAP_MASK2 && n->capability2 & CAP2_STATE_TABLE;
}

static void ask_states(struct discovery *w, uint32_t node)
{
	for (unsigned int block = 0; block <= w->survey->nodes[node].port_count / STATES_PER_BLOCK; block++)
		ask(w, ASK_STATES, node, block);
}

static bool nothing_is_known(const struct discovery *w, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(w->survey, node, number);

	return !port->read && !port->asked && port->peer_node == FT_NONE;
}

/* @states  of the ports of the block, 4 bits each; NULL: not known */
static void take_states(struct discovery *w, const struct ft_query *q, const uint8_t *states)
{
	unsigned int first = q->port * STATES_PER_BLOCK;

	for (unsigned int i = first ? 0 : 1; i < STATES_PER_BLOCK; i++) {
		if (first + i > w->survey->nodes[q->node].port_count)
			break;
		if (states && (states[i / 2] >> (i % 2 ? 0 : 4) & 0xf) == STATE_DOWN &&
		    nothing_is_known(w, q->node, first + i))
			ft_survey_set_down(w->survey, q->node, first + i);
		else
			ask_port_rest(w, q->node, first + i);
	}
}

static void take_port(struct discovery *w, const struct ft_query *q, const uint8_t *info)
{
	ft_survey_set_port_info(w->survey, q->node, q->port, info);
	if (q->port > 0 || !is_switch(w, q->node))
		ask_port_rest(w, q->node, q->port);
	else if (has_state_table(w, q->node))
		ask_states(w, q->node);
	else
		ask_switch_ports(w, q->node);
	/*
	 * Up by SwitchPortStateTable, and down by PortInfo: it went down just now, or the table is decoded wrongly.
	 * Then a port that is up may be listed as down in its place.
	 */
	if (q->port > 0 && has_state_table(w, q->node) && port_is_down(w, q->node, q->port))
		doubt_switch(w, q->node);
}

static void take_answer(struct discovery *w, const struct ft_query *q, const uint8_t *info)
{
	switch ((enum ask)q->kind) {
	case ASK_NODE:
		take_node(w, q, info);
		break;
	case ASK_TWIN:
		take_twin(w, q, info);
		break;
	case ASK_BACK:
		take_back(w, q, info);
		break;
	case ASK_DESCRIPTION:
		ft_survey_set_description(w->survey, q->node, info);
		break;
	case ASK_PORT:
		take_port(w, q, info);
		break;
	case ASK_EXT:
		ft_survey_set_ext_info(w->survey, q->node, q->port, info);
		break;
	case ASK_STATES:
		take_states(w, q, info);
		break;
	case ASK_ALIVE:
		w->alive = true;
		break;
	case ASK_COUNT:
		break;
	}
}

/* The node responds, but does not have the attribute. */
static void take_refusal(struct discovery *w, const struct ft_query *q)
{
	if (q->kind == ASK_DESCRIPTION)
		w->survey->nodes[q->node].described = true;
	if (q->kind == ASK_EXT)
		ft_survey_port(w->survey, q->node, q->port)->maybe_fdr10 = false;
	if (q->kind == ASK_STATES)
		take_states(w, q, NULL);
}

static void note_outcome(struct discovery *w, const struct ft_query *q, const struct ft_smp_answer *answer)
{
	w->lost += answer->outcome == FT_SMP_LOST && !asks[q->kind].optional;
	/* The local node responds without a wire. */
	if (answer->outcome == FT_SMP_ANSWERED && q->node != FT_NONE && w->survey->nodes[q->node].hops > 0 &&
	    !asks[q->kind].beyond && w->answered[w->answers % WITNESSES] != q->node)
		w->answered[++w->answers % WITNESSES] = q->node;
}

/* PortInfo that was on its way when its port was inferred tells more. */
static bool is_better(const struct discovery *w, const struct ft_query *q)
{
	return q->kind == ASK_PORT && ft_survey_port(w->survey, q->node, q->port)->inferred;
}

static void take(void *arg, const struct ft_query *q, const struct ft_smp_answer *answer)
{
	struct discovery *w = arg;

	if (q->kind == ASK_PORT)
		ft_survey_port(w->survey, q->node, q->port)->asked = false;
	note_outcome(w, q, answer);
	if (answer->outcome == FT_SMP_ANSWERED && (is_open(w, q) || is_better(w, q)))
		take_answer(w, q, answer->data);
	else if (answer->outcome == FT_SMP_REFUSED)
		take_refusal(w, q);
	else if (answer->outcome == FT_SMP_LOST && q->kind == ASK_STATES)
		take_states(w, q, NULL);
}

static bool make(void *arg, const struct ft_query *q, struct ft_smp_request *ret_request)
{
	struct discovery *w = arg;

	if (is_open(w, q) && query_path(w, q, ret_request))
		return true;
	if (q->kind == ASK_PORT)
		ft_survey_port(w->survey, q->node, q->port)->asked = false;
	return false;
}

static void ask_everything(struct discovery *w)
{
	if (w->survey->entry_node == FT_NONE)
		ask(w, ASK_NODE, FT_NONE, 0);
	for (uint32_t node = 0; node < w->survey->node_count; node++)
		ask_node_rest(w, node);
}

static size_t ask_alive(struct discovery *w, uint32_t node)
{
	if (node == FT_NONE || w->survey->nodes[node].hops == 0)
		return 0;
	ask(w, ASK_ALIVE, node, 0);
	return 1;
}

/* Asks the nodes that responded last; if there are none, some of all nodes known before. */
static size_t ask_witnesses(struct discovery *w)
{
	size_t count = 0;

	for (size_t i = 0; i < WITNESSES; i++)
		count += ask_alive(w, w->answered[i]);
	for (uint32_t i = 1; i <= WITNESSES && w->answers == 0 && w->survey->node_count > 0; i++)
		count += ask_alive(w, (w->survey->node_count - 1) * i / WITNESSES);
	return count;
}

/*
 * Single nodes may fail to respond; but if nodes that responded before do not respond any more, the path to all of them
 * is gone, and missing responses say nothing about single nodes. Returns 0 or as ft_scheduler_run().
 */
static int check_alive(struct discovery *w, int64_t end_ms, bool *ret_alive)
{
	int r;

	*ret_alive = true;
	if (w->lost == 0 || ask_witnesses(w) == 0)
		return 0;
	r = ft_scheduler_run(w->scheduler, end_ms);
	*ret_alive = w->alive;
	return r;
}

/* The deadline of the discovery: some time is left for the check that the fabric still responds. */
static int64_t walk_end_ms(const struct ft_scheduler_options *options)
{
	int64_t left_ms = options->end_ms - ft_guard_now_ms();

	if (left_ms <= 0)
		return options->end_ms;
	return options->end_ms - (options->timeout_ms < left_ms / 4 ? options->timeout_ms : left_ms / 4);
}

/* The state that was reached by then. */
static int out_of_time(const struct ft_survey *survey, const struct ft_smp_count *count, struct ft_error *err)
{
	uint32_t switches = 0, others;

	for (uint32_t i = 0; i < survey->node_count; i++)
		switches += survey->nodes[i].type == FT_NODE_SWITCH;
	others = (uint32_t)survey->node_count - switches;
	return ft_error_set(err, -ETIMEDOUT, 0, 0,
			    "the sweep did not end in time: %" PRIu32 " packet%s sent, %" PRIu32
			    " switch%s and %" PRIu32 " host%s found so far, and there is more to ask",
			    count->mads, count->mads == 1 ? " was" : "s were", switches, switches == 1 ? "" : "es",
			    others, others == 1 ? "" : "s");
}

int ft_discover(struct ft_survey *survey, const struct ft_scheduler_options *options, struct ft_smp_count *ret_count,
		struct ft_error *err)
{
	int64_t walk_end = walk_end_ms(options);
	struct discovery w = {.survey = survey};
	bool alive = true, more = true;
	_cleanup_(ft_scheduler_freep) struct ft_scheduler *scheduler = NULL;
	int r;

	*ret_count = (struct ft_smp_count){0};
	/* As a rule nothing is missing. */
	if (ft_survey_is_complete(survey))
		return 0;
	r = ft_scheduler_new(options, make, take, &w, &scheduler, err);
	if (r < 0)
		return r;
	w.scheduler = scheduler;
	w.progress = options->progress;
	memset(w.answered, 0xff, sizeof(w.answered));
	for (int i = 0; i < ROUNDS && r == 0 && more; i++) {
		ask_everything(&w);
		r = ft_scheduler_run(scheduler, walk_end);
		more = ft_survey_doubt_mirrors(survey);
		more |= ft_survey_drop_contradictions(survey) > 0;
	}
	if (r == 0)
		r = check_alive(&w, options->end_ms, &alive);
	*ret_count = ft_scheduler_count(scheduler);
	if (r == -ETIMEDOUT)
		return out_of_time(survey, ret_count, err);
	if (r == 0 && !alive)
		return ft_error_set(err, -EIO, 0, 0, "nobody answers any more, after %" PRIu32 " packet%s of the sweep",
				    ret_count->mads, ret_count->mads == 1 ? "" : "s");
	if (r < 0 && r != -ENOMEM)
		return ft_error_set(err, r, 0, 0, "cannot send management packets from %s port %d", options->ca,
				    options->port);
	return w.failed ? -ENOMEM : r;
}
