/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/mend.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <string.h>

#include "probe/guard.h"

enum {
	EXT_PORT_INFO = IB_ATTR_MLNX_EXT_PORT_INFO,
	WINDOW_MIN = 2,
	/* A lost SMP that took all of its time-out weighs as much as so many that failed at once. */
	WEIGHT_SLOW = 16,
	WEIGHT_FAST = 1,
	/* What was learned may contradict what was taken for granted, and that may be so once more. */
	ROUNDS = 3,
};

enum ask {
	ASK_NODE, /* NodeInfo of who is behind a port (of ourselves: node FT_NO_NODE) */
	ASK_TWIN, /* the same, to become a second node of its GUID */
	ASK_BACK, /* the same, to see whether two ports are really cabled to each other */
	ASK_DESCRIPTION,
	ASK_PORT,
	ASK_EXT,
	ASK_COUNT,
};

struct question {
	uint32_t node;
	uint32_t twin;	    /* ASK_TWIN: the last node of that GUID that it is not */
	uint32_t hole_node; /* ASK_BACK: the port that claims to be cabled to this one */
	uint8_t hole_port;
	uint8_t port;
	uint8_t ask;
	uint16_t spent; /* on attempts so far, in weights */
};

struct queue {
	struct question *items;
	size_t count;
	size_t size;
	size_t next;
};

struct mender {
	struct ft_survey *survey;
	const struct ft_mend_options *options;
	struct queue queue; /* of this pass */
	struct queue later; /* of the next */
	struct ft_smp_wire *wire;
	struct question *on_wire; /* by slot */
	size_t window;
	size_t answered;  /* in this pass */
	size_t conflicts; /* looked at from the other side, so far */
	bool failed;	  /* out of memory */
};

/* Attributes, and whether they are of the node's own or of the one behind the port. */
static const struct {
	unsigned int attribute;
	bool beyond;
	bool of_port;
} asks[ASK_COUNT] = {
	[ASK_NODE] = {IB_ATTR_NODE_INFO, true, false}, [ASK_TWIN] = {IB_ATTR_NODE_INFO, true, false},
	[ASK_BACK] = {IB_ATTR_NODE_INFO, true, false}, [ASK_DESCRIPTION] = {IB_ATTR_NODE_DESC, false, false},
	[ASK_PORT] = {IB_ATTR_PORT_INFO, false, true}, [ASK_EXT] = {EXT_PORT_INFO, false, true},
};

static bool is_switch(const struct mender *m, uint32_t node)
{
	return m->survey->nodes[node].type == FT_NODE_SWITCH;
}

static void queue_push(struct mender *m, struct queue *queue, struct question question)
{
	if (queue->count == queue->size) {
		size_t size = queue->size ? queue->size * 2 : 256;
		struct question *items = reallocarray(queue->items, size, sizeof(*items));

		if (!items) {
			m->failed = true;
			return;
		}
		queue->items = items;
		queue->size = size;
	}
	queue->items[queue->count++] = question;
}

static void ask(struct mender *m, enum ask what, uint32_t node, unsigned int port)
{
	queue_push(m, &m->queue, (struct question){.node = node, .port = (uint8_t)port, .ask = (uint8_t)what});
}

/*
 * What is missing of a port: its state, its rate, who is behind it. Nothing of a switch's before its port 0: without
 * the capabilities that are there the speeds cannot be read. Its answer asks for all the others.
 */
static void ask_port_rest(struct mender *m, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(m->survey, node, number);

	if (is_switch(m, node) && !ft_survey_port(m->survey, node, 0)->read)
		return;
	if (!port->read)
		ask(m, ASK_PORT, node, number);
	else if (port->maybe_fdr10)
		ask(m, ASK_EXT, node, number);
	if (ft_survey_port_is_silent(m->survey, node, number))
		ask(m, ASK_NODE, node, number);
}

static void ask_switch_ports(struct mender *m, uint32_t node)
{
	if (!ft_survey_port(m->survey, node, 0)->read) {
		ask(m, ASK_PORT, node, 0);
		return;
	}
	for (unsigned int i = 1; i <= m->survey->nodes[node].port_count; i++)
		ask_port_rest(m, node, i);
}

static void ask_end_ports(struct mender *m, uint32_t node)
{
	for (unsigned int i = 1; i <= m->survey->nodes[node].port_count; i++)
		if (ft_survey_port(m->survey, node, i)->reached)
			ask_port_rest(m, node, i);
}

static void ask_node_rest(struct mender *m, uint32_t node)
{
	if (!m->survey->nodes[node].described)
		ask(m, ASK_DESCRIPTION, node, 0);
	if (is_switch(m, node))
		ask_switch_ports(m, node);
	else
		ask_end_ports(m, node);
}

/* Is it still worth asking? Another answer may have told. */
static bool is_open(const struct mender *m, const struct question *q)
{
	const struct ft_survey_port *port;

	if (q->node == FT_NO_NODE)
		return m->survey->entry_node == FT_NO_NODE;
	port = ft_survey_port(m->survey, q->node, q->port);
	switch ((enum ask)q->ask) {
	case ASK_NODE:
	case ASK_TWIN:
		return port->peer_node == FT_NO_NODE;
	case ASK_BACK:
		return ft_survey_port(m->survey, q->hole_node, q->hole_port)->peer_node == FT_NO_NODE;
	case ASK_DESCRIPTION:
		return !m->survey->nodes[q->node].described;
	case ASK_PORT:
		return !port->read;
	case ASK_EXT:
		return port->maybe_fdr10;
	case ASK_COUNT:
		break;
	}
	return false;
}

/* Where the question goes to. False where no directed route leads there. */
static bool question_path(const struct mender *m, const struct question *q, struct ft_smp_request *request)
{
	const struct ft_survey_node *node;

	*request = (struct ft_smp_request){
		.attribute = asks[q->ask].attribute,
		.modifier = asks[q->ask].of_port ? q->port : 0,
		.timeout_ms = m->options->timeout_ms,
	};
	if (q->node == FT_NO_NODE)
		return true;
	node = &m->survey->nodes[q->node];
	request->hops = node->hops;
	memcpy(request->path, node->path, sizeof(node->path));
	if (!asks[q->ask].beyond)
		return true;
	/* No way through an end node, but out of our own. */
	if (node->hops >= FT_SMP_HOPS_MAX - 1 || (node->type != FT_NODE_SWITCH && node->hops > 0))
		return false;
	request->path[++request->hops] = q->port;
	return true;
}

static bool out_of_time(const struct mender *m)
{
	return ft_guard_now_ms() >= m->options->end_ms;
}

static void fill_wire(struct mender *m)
{
	while (ft_smp_pending(m->wire) < m->window && m->queue.next < m->queue.count && !m->failed && !out_of_time(m)) {
		struct question *q = &m->queue.items[m->queue.next++];
		struct ft_smp_request request;
		int slot;

		if (!is_open(m, q) || !question_path(m, q, &request))
			continue;
		slot = ft_smp_send(m->wire, &request);
		if (slot >= 0)
			m->on_wire[slot] = *q;
	}
}

/* What is lost may have another try, as often as the user said; for what fails at once that costs next to nothing. */
static void ask_again(struct mender *m, struct question q, bool slow)
{
	q.spent += slow ? WEIGHT_SLOW : WEIGHT_FAST;
	if (q.spent < WEIGHT_SLOW * (m->options->retries + 1))
		queue_push(m, &m->later, q);
}

/* A new node behind @port of @node, or ourselves. */
static void add_node(struct mender *m, const struct question *q, const uint8_t *info, uint32_t *ret_node)
{
	struct ft_smp_request request;

	*ret_node = FT_NO_NODE;
	if (question_path(m, q, &request) &&
	    ft_survey_add_node(m->survey, info, request.path, request.hops, ret_node) == -ENOMEM)
		m->failed = true;
}

static void set_port_guid(struct mender *m, uint32_t node, unsigned int number, const uint8_t *info)
{
	struct ft_survey_port *port = ft_survey_port(m->survey, node, number);

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

static void take_self(struct mender *m, const struct question *q, const uint8_t *info)
{
	unsigned int number = local_port(info);
	uint32_t node;

	add_node(m, q, info, &node);
	if (node == FT_NO_NODE)
		return;
	m->survey->entry_node = node;
	if (ft_survey_port(m->survey, node, number)) {
		m->survey->entry_port = (uint8_t)number;
		set_port_guid(m, node, number, info);
	}
	ask_node_rest(m, node);
}

/* Links the question's port with a node that has just been added for it. */
static void take_new(struct mender *m, const struct question *q, const uint8_t *info)
{
	unsigned int number = local_port(info);
	uint32_t node;

	add_node(m, q, info, &node);
	if (node == FT_NO_NODE)
		return;
	if (number > 0 && ft_survey_port(m->survey, node, number)) {
		ft_survey_link(m->survey, q->node, q->port, node, number);
		set_port_guid(m, node, number, info);
	}
	ask_node_rest(m, node);
}

/* A switch port that says it is down is not the one that a cable ends on. */
static bool port_is_down(const struct mender *m, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(m->survey, node, number);

	return is_switch(m, node) && port->read && port->phys_state != FT_PHYS_LINK_UP;
}

/*
 * The port (@node, @port) sees port @number of a node of a GUID that is known already: is it @twin? A switch is asked
 * who is behind that port of its, if that is in doubt.
 *
 * @info  the NodeInfo that said so, or NULL
 * Returns whether that is settled, or will be.
 */
static bool settle(struct mender *m, uint32_t node, unsigned int port, uint32_t twin, unsigned int number,
		   const uint8_t *info)
{
	const struct ft_survey_node *t = &m->survey->nodes[twin];
	bool alone = t->next_twin == FT_NO_NODE && ft_survey_find(m->survey, t->guid) == twin;

	if (number == 0 || number > t->port_count || port_is_down(m, twin, number))
		return false;
	if (ft_survey_port(m->survey, twin, number)->peer_node == FT_NO_NODE && (alone || !is_switch(m, twin))) {
		ft_survey_link(m->survey, node, port, twin, number);
		if (info)
			set_port_guid(m, twin, number, info);
		ask_port_rest(m, twin, number);
		return true;
	}
	if (!is_switch(m, twin))
		return false;
	queue_push(m, &m->queue,
		   (struct question){.ask = ASK_BACK,
				     .node = twin,
				     .port = (uint8_t)number,
				     .hole_node = node,
				     .hole_port = (uint8_t)port});
	return true;
}

/* The same, from the node behind @twin on. It is one more of that GUID if it is none of them. */
static void settle_next(struct mender *m, uint32_t node, unsigned int port, uint32_t twin, unsigned int number,
			const uint8_t *info)
{
	uint32_t next;

	for (next = m->survey->nodes[twin].next_twin; next != FT_NO_NODE; next = m->survey->nodes[next].next_twin) {
		if (settle(m, node, port, next, number, info))
			return;
		twin = next;
	}
	queue_push(m, &m->queue, (struct question){.ask = ASK_TWIN, .node = node, .port = (uint8_t)port, .twin = twin});
}

/* Another question may have added the node meanwhile. */
static void take_twin(struct mender *m, const struct question *q, const uint8_t *info)
{
	if (m->survey->nodes[q->twin].next_twin == FT_NO_NODE)
		take_new(m, q, info);
	else
		settle_next(m, q->node, q->port, q->twin, local_port(info), info);
}

static void take_node(struct mender *m, const struct question *q, const uint8_t *info)
{
	uint32_t known;

	if (q->node == FT_NO_NODE) {
		take_self(m, q, info);
		return;
	}
	known = ft_survey_find(m->survey, node_guid(info));
	if (known == FT_NO_NODE)
		take_new(m, q, info);
	else if (!settle(m, q->node, q->port, known, local_port(info), info))
		settle_next(m, q->node, q->port, known, local_port(info), info);
}

static void take_back(struct mender *m, const struct question *q, const uint8_t *info)
{
	const struct ft_survey_port *port = ft_survey_port(m->survey, q->node, q->port);
	uint32_t old_node = port->peer_node;
	unsigned int old_port = port->peer_port;

	/* On a fabric that changes under the sweep this could go on for ever. */
	if (m->conflicts++ > m->survey->port_count)
		return;
	if (node_guid(info) != m->survey->nodes[q->hole_node].guid || local_port(info) != q->hole_port) {
		settle_next(m, q->hole_node, q->hole_port, q->node, q->port, NULL);
		return;
	}
	ft_survey_link(m->survey, q->hole_node, q->hole_port, q->node, q->port);
	if (old_node != FT_NO_NODE)
		ask_port_rest(m, old_node, old_port);
}

static void take_port(struct mender *m, const struct question *q, const uint8_t *info)
{
	ft_survey_set_port_info(m->survey, q->node, q->port, info);
	if (q->port == 0)
		ask_switch_ports(m, q->node);
	else
		ask_port_rest(m, q->node, q->port);
}

static void take_answer(struct mender *m, const struct question *q, const uint8_t *info)
{
	switch ((enum ask)q->ask) {
	case ASK_NODE:
		take_node(m, q, info);
		break;
	case ASK_TWIN:
		take_twin(m, q, info);
		break;
	case ASK_BACK:
		take_back(m, q, info);
		break;
	case ASK_DESCRIPTION:
		ft_survey_set_description(m->survey, q->node, info);
		break;
	case ASK_PORT:
		take_port(m, q, info);
		break;
	case ASK_EXT:
		ft_survey_set_ext_info(m->survey, q->node, q->port, info);
		break;
	case ASK_COUNT:
		break;
	}
}

/* It answers, and does not have what was asked for. */
static void take_refusal(struct mender *m, const struct question *q)
{
	if (q->ask == ASK_DESCRIPTION)
		m->survey->nodes[q->node].described = true;
	if (q->ask == ASK_EXT)
		ft_survey_port(m->survey, q->node, q->port)->maybe_fdr10 = false;
}

static void take(struct mender *m, const struct ft_smp_answer *answer)
{
	/* A copy: the slot is free again, and taking the answer may ask more. */
	struct question q = m->on_wire[answer->slot];

	m->answered += answer->outcome != FT_SMP_LOST;
	if (answer->outcome == FT_SMP_LOST || answer->outcome == FT_SMP_BUSY)
		ask_again(m, q, answer->slow);
	else if (answer->outcome == FT_SMP_REFUSED)
		take_refusal(m, &q);
	else if (is_open(m, &q))
		take_answer(m, &q, answer->data);
}

static void run_pass(struct mender *m)
{
	struct ft_smp_answer answer;

	m->answered = 0;
	for (fill_wire(m); ft_smp_receive(m->wire, &answer); fill_wire(m))
		take(m, &answer);
}

/* What was lost in this pass is the next one's. False if there shall be none. */
static bool next_pass(struct mender *m, int64_t began_ms)
{
	struct queue done = m->queue;

	if (m->later.count == 0 || m->failed || out_of_time(m))
		return false;
	/* Nobody answered, and finding out took its time: mute they are. */
	if (m->answered == 0 && ft_guard_now_ms() - began_ms >= m->options->timeout_ms)
		return false;
	m->queue = m->later;
	m->queue.next = 0;
	m->later = (struct queue){.items = done.items, .size = done.size};
	m->window = m->window / 2 > WINDOW_MIN ? m->window / 2 : WINDOW_MIN;
	if (m->window > m->options->max_smps)
		m->window = m->options->max_smps;
	return true;
}

static void ask_everything(struct mender *m)
{
	if (m->survey->entry_node == FT_NO_NODE)
		ask(m, ASK_NODE, FT_NO_NODE, 0);
	for (uint32_t node = 0; node < m->survey->node_count; node++)
		ask_node_rest(m, node);
}

static void mender_release(struct mender *m)
{
	free(m->queue.items);
	free(m->later.items);
	free(m->on_wire);
	ft_smp_close(m->wire);
}

/* Passes until nothing is open, or nothing is to be gained. */
static void run_round(struct mender *m)
{
	int64_t began_ms;

	do {
		began_ms = ft_guard_now_ms();
		run_pass(m);
	} while (next_pass(m, began_ms));
	m->queue.count = m->queue.next = m->later.count = 0;
}

static int mend(struct mender *m, struct ft_error *err)
{
	const struct ft_mend_options *o = m->options;
	int r;

	m->on_wire = calloc(o->max_smps, sizeof(*m->on_wire));
	if (!m->on_wire)
		return -ENOMEM;
	r = ft_smp_open(
		&(struct ft_smp_options){.ca = o->ca, .port = o->port, .max_smps = o->max_smps, .end_ms = o->end_ms},
		&m->wire, err);
	if (r < 0)
		return r;
	for (int i = 0; i < ROUNDS && m->queue.count > 0; i++) {
		m->window = o->max_smps > 1 ? o->max_smps / 2 : 1;
		run_round(m);
		if (ft_survey_drop_contradictions(m->survey) > 0)
			ask_everything(m);
	}
	return m->failed ? -ENOMEM : 0;
}

int ft_mend(struct ft_survey *survey, const struct ft_mend_options *options, struct ft_smp_count *ret_count,
	    struct ft_error *err)
{
	_cleanup_(mender_release) struct mender m = {.survey = survey, .options = options};
	int r = 0;

	ask_everything(&m);
	/* Nothing to mend, as a rule. */
	if (m.queue.count > 0)
		r = mend(&m, err);
	if (r < 0 || m.failed)
		return r < 0 ? r : -ENOMEM;
	*ret_count = m.wire ? ft_smp_count(m.wire) : (struct ft_smp_count){0};
	return 0;
}
