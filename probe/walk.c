/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/walk.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <inttypes.h>
#include <string.h>

#include "probe/guard.h"
#include "probe/progress.h"

enum {
	/* So many are asked whether the fabric is still there, where answers are missing. */
	WITNESSES = 4,
	/* What was learned may contradict what was taken for granted, and that may be so once more. */
	ROUNDS = 3,
	/*
	 * SwitchPortStateTable (IBTA Vol 1, 14.2.5): PortState of 128 ports in each block, from port 0 on, the upper
	 * half of a byte first. There where PortInfo:CapabilityMask of port 0 says that CapabilityMask2 is, and that
	 * says IsSwitchPortStateTableSupported.
	 */
	SWITCH_PORT_STATE_TABLE = 0x34,
	CAP_MASK2 = 1 << 15,
	CAP2_STATE_TABLE = 1 << 3,
	STATES_PER_BLOCK = 128,
	STATE_DOWN = 1,
};

/* The kinds of questions. What else is in one: its node and port, and where noted so, others. */
enum ask {
	ASK_NODE, /* NodeInfo of who is behind a port (of ourselves: node FT_NO_NODE) */
	ASK_TWIN, /* the same, to become a second node of its GUID; other: the last node of that GUID that it is not */
	ASK_BACK, /* the same, to see whether two ports are really cabled to each other; other, other_port: the port
		   * that claims to be cabled to this one */
	ASK_DESCRIPTION,
	ASK_PORT,
	ASK_EXT,
	ASK_ALIVE,  /* NodeInfo of one that has answered: does it still? */
	ASK_STATES, /* a block of SwitchPortStateTable, by its number in @port */
	ASK_COUNT,
};

struct walker {
	struct ft_survey *survey;
	struct ft_asker *asker;
	struct ft_progress *progress;
	size_t conflicts;	      /* looked at once more, so far */
	uint32_t answered[WITNESSES]; /* the last nodes that did, or FT_NO_NODE */
	size_t answers;
	size_t lost; /* questions without an answer */
	bool alive;  /* somebody answers to the last */
	bool failed; /* out of memory */
};

/* Attributes, and what they are like. */
static const struct {
	unsigned int attribute;
	bool beyond;   /* of the node behind the port, not of its own */
	bool of_port;  /* the modifier is the port */
	bool optional; /* not every node knows it */
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

static bool is_switch(const struct walker *w, uint32_t node)
{
	return w->survey->nodes[node].type == FT_NODE_SWITCH;
}

static void push(struct walker *w, struct ft_question question)
{
	question.target = question.node;
	question.beyond = asks[question.kind].beyond;
	question.optional = asks[question.kind].optional;
	ft_asker_push(w->asker, &question);
}

static void ask(struct walker *w, enum ask what, uint32_t node, unsigned int port)
{
	push(w, (struct ft_question){.node = node, .port = (uint8_t)port, .kind = (uint8_t)what});
}

/* Once: a port is come to from its own node and from the far end of its cable. */
static void ask_port(struct walker *w, uint32_t node, unsigned int number)
{
	struct ft_survey_port *port = ft_survey_port(w->survey, node, number);

	if (port->asked)
		return;
	port->asked = true;
	ask(w, ASK_PORT, node, number);
}

/*
 * What is missing of a port: its state, its rate, who is behind it. Nothing of a switch's before its port 0: without
 * the capabilities that are there the speeds cannot be read. Its answer asks for all the others.
 */
static void ask_port_rest(struct walker *w, uint32_t node, unsigned int number)
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

static void ask_switch_ports(struct walker *w, uint32_t node)
{
	if (!ft_survey_port(w->survey, node, 0)->read) {
		ask_port(w, node, 0);
		return;
	}
	for (unsigned int i = 1; i <= w->survey->nodes[node].port_count; i++)
		ask_port_rest(w, node, i);
}

static void ask_end_ports(struct walker *w, uint32_t node)
{
	for (unsigned int i = 1; i <= w->survey->nodes[node].port_count; i++)
		if (ft_survey_port(w->survey, node, i)->reached)
			ask_port_rest(w, node, i);
}

static void ask_node_rest(struct walker *w, uint32_t node)
{
	if (!w->survey->nodes[node].described)
		ask(w, ASK_DESCRIPTION, node, 0);
	if (is_switch(w, node))
		ask_switch_ports(w, node);
	else
		ask_end_ports(w, node);
}

/* Is it still worth asking? Another answer may have told. */
static bool is_open(const struct walker *w, const struct ft_question *q)
{
	const struct ft_survey_port *port;

	if (q->node == FT_NO_NODE)
		return w->survey->entry_node == FT_NO_NODE;
	port = ft_survey_port(w->survey, q->node, q->kind == ASK_STATES ? 0 : q->port);
	switch ((enum ask)q->kind) {
	case ASK_NODE:
	case ASK_TWIN:
		return port->peer_node == FT_NO_NODE && !port->beyond;
	case ASK_BACK:
		return ft_survey_port(w->survey, q->other, q->other_port)->peer_node == FT_NO_NODE;
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

/* Where the question goes to. False where no directed route leads there. */
static bool question_path(const struct walker *w, const struct ft_question *q, struct ft_smp_request *request)
{
	const struct ft_survey_node *node;

	*request = (struct ft_smp_request){
		.attribute = asks[q->kind].attribute,
		.modifier = asks[q->kind].of_port ? q->port : 0,
	};
	if (q->node == FT_NO_NODE)
		return true;
	node = &w->survey->nodes[q->node];
	request->hops = node->hops;
	memcpy(request->path, node->path, sizeof(node->path));
	if (!asks[q->kind].beyond)
		return true;
	/* No way through an end node, but out of our own port. */
	if (node->hops >= FT_SMP_HOPS_MAX ||
	    (node->type != FT_NODE_SWITCH && (node->hops > 0 || q->port != w->survey->entry_port)))
		return false;
	request->path[++request->hops] = q->port;
	return true;
}

/* A new node behind @port of @node, or ourselves. */
static void add_node(struct walker *w, const struct ft_question *q, const uint8_t *info, uint32_t *ret_node)
{
	struct ft_smp_request request;
	int r;

	*ret_node = FT_NO_NODE;
	if (!question_path(w, q, &request))
		return;
	r = ft_survey_add_node(w->survey, info, request.path, request.hops, ret_node);
	if (r == -ENOMEM)
		w->failed = true;
	/* It is not asked for again: there will be no more room than now. */
	if (r == -ENOSPC && q->node != FT_NO_NODE)
		ft_survey_port(w->survey, q->node, q->port)->beyond = true;
	ft_progress_nodes(w->progress, (uint32_t)w->survey->node_count);
}

static void set_port_guid(struct walker *w, uint32_t node, unsigned int number, const uint8_t *info)
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

static void take_self(struct walker *w, const struct ft_question *q, const uint8_t *info)
{
	unsigned int number = local_port(info);
	uint32_t node;

	add_node(w, q, info, &node);
	if (node == FT_NO_NODE)
		return;
	w->survey->entry_node = node;
	if (ft_survey_port(w->survey, node, number)) {
		w->survey->entry_port = (uint8_t)number;
		set_port_guid(w, node, number, info);
	}
	ask_node_rest(w, node);
}

/* Links the question's port with a node that has just been added for it. */
static void take_new(struct walker *w, const struct ft_question *q, const uint8_t *info)
{
	unsigned int number = local_port(info);
	uint32_t node;

	add_node(w, q, info, &node);
	if (node == FT_NO_NODE)
		return;
	if (number > 0 && ft_survey_port(w->survey, node, number)) {
		ft_survey_link(w->survey, q->node, q->port, node, number);
		set_port_guid(w, node, number, info);
	}
	ask_node_rest(w, node);
}

/* A switch port that says it is down is not the one that a cable ends on. */
static bool port_is_down(const struct walker *w, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(w->survey, node, number);

	return is_switch(w, node) && port->read && port->phys_state != FT_PHYS_LINK_UP;
}

/* It is not the table of states that tells whether a cable ends there: the port may have come up since. */
static void doubt_state(struct walker *w, uint32_t node, unsigned int number)
{
	struct ft_survey_port *port = ft_survey_port(w->survey, node, number);

	if (!port->listed_down)
		return;
	port->read = port->listed_down = false;
	ask_port_rest(w, node, number);
}

/*
 * The port (@node, @port) sees port @number of a node of a GUID that is known already: is it @twin? A switch is asked
 * who is behind that port of its, if that is in doubt.
 *
 * @info  the NodeInfo that said so, or NULL
 * Returns whether that is settled, or will be.
 */
static bool settle(struct walker *w, uint32_t node, unsigned int port, uint32_t twin, unsigned int number,
		   const uint8_t *info)
{
	const struct ft_survey_node *t = &w->survey->nodes[twin];
	bool alone = t->next_twin == FT_NO_NODE && ft_survey_find(w->survey, t->guid) == twin;

	if (number == 0 || number > t->port_count)
		return false;
	doubt_state(w, twin, number);
	if (port_is_down(w, twin, number))
		return false;
	if (ft_survey_port(w->survey, twin, number)->peer_node == FT_NO_NODE && (alone || !is_switch(w, twin))) {
		ft_survey_link(w->survey, node, port, twin, number);
		if (info)
			set_port_guid(w, twin, number, info);
		ask_port_rest(w, twin, number);
		return true;
	}
	if (!is_switch(w, twin))
		return false;
	push(w, (struct ft_question){.kind = ASK_BACK,
				     .node = twin,
				     .port = (uint8_t)number,
				     .other = node,
				     .other_port = (uint8_t)port});
	return true;
}

/* The same, from the node behind @twin on. It is one more of that GUID if it is none of them. */
static void settle_next(struct walker *w, uint32_t node, unsigned int port, uint32_t twin, unsigned int number,
			const uint8_t *info)
{
	uint32_t next;

	for (next = w->survey->nodes[twin].next_twin; next != FT_NO_NODE; next = w->survey->nodes[next].next_twin) {
		if (settle(w, node, port, next, number, info))
			return;
		twin = next;
	}
	/* One that gives another GUID each time could go on with that for ever. */
	if (w->conflicts++ > w->survey->port_count)
		return;
	push(w, (struct ft_question){.kind = ASK_TWIN, .node = node, .port = (uint8_t)port, .other = twin});
}

static void take_node(struct walker *w, const struct ft_question *q, const uint8_t *info)
{
	uint32_t known;

	if (q->node == FT_NO_NODE) {
		take_self(w, q, info);
		return;
	}
	known = ft_survey_find(w->survey, node_guid(info));
	if (known == FT_NO_NODE)
		take_new(w, q, info);
	else if (!settle(w, q->node, q->port, known, local_port(info), info))
		settle_next(w, q->node, q->port, known, local_port(info), info);
}

/* Another question may have added the node meanwhile, or another node be there. */
static void take_twin(struct walker *w, const struct ft_question *q, const uint8_t *info)
{
	if (node_guid(info) != w->survey->nodes[q->other].guid)
		take_node(w, q, info);
	else if (w->survey->nodes[q->other].next_twin == FT_NO_NODE)
		take_new(w, q, info);
	else
		settle_next(w, q->node, q->port, q->other, local_port(info), info);
}

static void take_back(struct walker *w, const struct ft_question *q, const uint8_t *info)
{
	const struct ft_survey_port *port = ft_survey_port(w->survey, q->node, q->port);
	uint32_t old_node = port->peer_node;
	unsigned int old_port = port->peer_port;

	/* On a fabric that changes under the sweep this could go on for ever. */
	if (w->conflicts++ > w->survey->port_count)
		return;
	if (node_guid(info) != w->survey->nodes[q->other].guid || local_port(info) != q->other_port) {
		settle_next(w, q->other, q->other_port, q->node, q->port, NULL);
		return;
	}
	ft_survey_link(w->survey, q->other, q->other_port, q->node, q->port);
	if (old_node != FT_NO_NODE)
		ask_port_rest(w, old_node, old_port);
}

/* Does the switch tell the states of all its ports at once? */
static bool has_state_table(const struct walker *w, uint32_t node)
{
	const struct ft_survey_node *n = &w->survey->nodes[node];

	return n->capability & CAP_MASK2 && n->capability2 & CAP2_STATE_TABLE;
}

static void ask_states(struct walker *w, uint32_t node)
{
	for (unsigned int block = 0; block <= w->survey->nodes[node].port_count / STATES_PER_BLOCK; block++)
		ask(w, ASK_STATES, node, block);
}

static bool nothing_is_known(const struct walker *w, uint32_t node, unsigned int number)
{
	const struct ft_survey_port *port = ft_survey_port(w->survey, node, number);

	return !port->read && !port->asked && port->peer_node == FT_NO_NODE;
}

/* @states  of the ports of the block, 4 bits each; NULL: they are not known */
static void take_states(struct walker *w, const struct ft_question *q, const uint8_t *states)
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

/*
 * A port that the table calls up says that it is down: it went down just now, or the table is not what we take it for.
 * One that it hides as down would have changed places with such a port.
 */
static void distrust_states(struct walker *w, uint32_t node)
{
	for (unsigned int i = 1; i <= w->survey->nodes[node].port_count; i++)
		doubt_state(w, node, i);
}

static void take_port(struct walker *w, const struct ft_question *q, const uint8_t *info)
{
	ft_survey_set_port_info(w->survey, q->node, q->port, info);
	if (q->port > 0 || !is_switch(w, q->node))
		ask_port_rest(w, q->node, q->port);
	else if (has_state_table(w, q->node))
		ask_states(w, q->node);
	else
		ask_switch_ports(w, q->node);
	if (q->port > 0 && port_is_down(w, q->node, q->port))
		distrust_states(w, q->node);
}

static void take_answer(struct walker *w, const struct ft_question *q, const uint8_t *info)
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

/* It answers, and does not have what was asked for. */
static void take_refusal(struct walker *w, const struct ft_question *q)
{
	if (q->kind == ASK_DESCRIPTION)
		w->survey->nodes[q->node].described = true;
	if (q->kind == ASK_EXT)
		ft_survey_port(w->survey, q->node, q->port)->maybe_fdr10 = false;
	if (q->kind == ASK_STATES)
		take_states(w, q, NULL);
}

static void note_outcome(struct walker *w, const struct ft_question *q, const struct ft_smp_answer *answer)
{
	w->lost += answer->outcome == FT_SMP_LOST && !asks[q->kind].optional;
	/* We ourselves answer without a wire. */
	if (answer->outcome == FT_SMP_ANSWERED && q->node != FT_NO_NODE && w->survey->nodes[q->node].hops > 0 &&
	    !asks[q->kind].beyond && w->answered[w->answers % WITNESSES] != q->node)
		w->answered[++w->answers % WITNESSES] = q->node;
}

static void take(void *arg, const struct ft_question *q, const struct ft_smp_answer *answer)
{
	struct walker *w = arg;

	if (q->kind == ASK_PORT)
		ft_survey_port(w->survey, q->node, q->port)->asked = false;
	note_outcome(w, q, answer);
	if (answer->outcome == FT_SMP_ANSWERED && is_open(w, q))
		take_answer(w, q, answer->data);
	else if (answer->outcome == FT_SMP_REFUSED)
		take_refusal(w, q);
	else if (answer->outcome == FT_SMP_LOST && q->kind == ASK_STATES)
		take_states(w, q, NULL);
}

static bool make(void *arg, const struct ft_question *q, struct ft_smp_request *ret_request)
{
	struct walker *w = arg;

	if (is_open(w, q) && question_path(w, q, ret_request))
		return true;
	if (q->kind == ASK_PORT)
		ft_survey_port(w->survey, q->node, q->port)->asked = false;
	return false;
}

static void ask_everything(struct walker *w)
{
	if (w->survey->entry_node == FT_NO_NODE)
		ask(w, ASK_NODE, FT_NO_NODE, 0);
	for (uint32_t node = 0; node < w->survey->node_count; node++)
		ask_node_rest(w, node);
}

static size_t ask_alive(struct walker *w, uint32_t node)
{
	if (node == FT_NO_NODE || w->survey->nodes[node].hops == 0)
		return 0;
	ask(w, ASK_ALIVE, node, 0);
	return 1;
}

/* Those that answered last; or, where nobody did, some of all that are known from before. */
static size_t ask_witnesses(struct walker *w)
{
	size_t count = 0;

	for (size_t i = 0; i < WITNESSES; i++)
		count += ask_alive(w, w->answered[i]);
	for (uint32_t i = 1; i <= WITNESSES && w->answers == 0 && w->survey->node_count > 0; i++)
		count += ask_alive(w, (w->survey->node_count - 1) * i / WITNESSES);
	return count;
}

/*
 * Those that do not answer may be mute; but where those that did do not do so any more, it is the way to all of them
 * that is gone, and nothing is to be said of anybody. Returns 0 or as ft_asker_run().
 */
static int check_alive(struct walker *w, int64_t end_ms, bool *ret_alive)
{
	int r;

	*ret_alive = true;
	if (w->lost == 0 || ask_witnesses(w) == 0)
		return 0;
	r = ft_asker_run(w->asker, end_ms);
	*ret_alive = w->alive;
	return r;
}

/* Until when to walk: that the others are still there is to be asked after that. */
static int64_t walk_end_ms(const struct ft_ask_options *options)
{
	int64_t left_ms = options->end_ms - ft_guard_now_ms();

	if (left_ms <= 0)
		return options->end_ms;
	return options->end_ms - (options->timeout_ms < left_ms / 4 ? options->timeout_ms : left_ms / 4);
}

/* What was reached by then. */
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

int ft_walk(struct ft_survey *survey, const struct ft_ask_options *options, struct ft_smp_count *ret_count,
	    struct ft_error *err)
{
	int64_t walk_end = walk_end_ms(options);
	struct walker w = {.survey = survey};
	bool alive = true;
	_cleanup_(ft_asker_freep) struct ft_asker *asker = NULL;
	int r;

	*ret_count = (struct ft_smp_count){0};
	/* Nothing was missed, as a rule. */
	if (ft_survey_is_complete(survey))
		return 0;
	r = ft_asker_new(options, make, take, &w, &asker, err);
	if (r < 0)
		return r;
	w.asker = asker;
	w.progress = options->progress;
	memset(w.answered, 0xff, sizeof(w.answered));
	for (int i = 0; i < ROUNDS && r == 0; i++) {
		ask_everything(&w);
		r = ft_asker_run(asker, walk_end);
		if (ft_survey_drop_contradictions(survey) == 0)
			break;
	}
	if (r == 0)
		r = check_alive(&w, options->end_ms, &alive);
	*ret_count = ft_asker_count(asker);
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
