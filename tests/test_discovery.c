/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Discovery (probe/discovery.c) of a fabric that this file makes up: what simulators have not (SwitchPortStateTable,
 * switches of more than 127 ports), and answers of any kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first. */
#include <cmocka.h>
#include <errno.h>
#include <infiniband/mad.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "probe/guard.h"
#include "probe/window.h"
#include "probe/port.h"
#include "probe/incremental.h"
#include "probe/snapshot_build.h"
#include "probe/discovery.h"
#include "tests/allocations.h"
#include "tests/runs.h"
#include "tests/slots.h"

enum {
	NODES_MAX = 64,
	PORTS_MAX = 255,
	STATE_TABLE = 0x34,
	CAPABILITY_MASK2 = 1 << 15,
	HAS_STATE_TABLE = 1 << 3,
	DOWN = 1,
	ACTIVE = 4,
	POLLING = 2,
};

/* What a switch makes of being asked for its table of states. */
enum table { NO_TABLE, GOOD_TABLE, REFUSED_TABLE, LOST_TABLE, EXCHANGED_TABLE, STALE_TABLE };

struct place {
	unsigned int node, port; /* port 0: none */
};

static struct {
	unsigned int nodes;
	unsigned int ports[NODES_MAX]; /* a CA has one */
	struct place peers[NODES_MAX][PORTS_MAX];
	enum table table;
	unsigned int seed;
	unsigned int malice; /* percent of the answers */

	int64_t sent_ns[FT_SMP_SLOTS_MAX];
	unsigned int asked[0x100]; /* by attribute; the vendor's by its lower half */
	unsigned int gone_after;   /* so many SMPs nobody answers any more; 0: never */
	bool gone;		   /* nobody ever does */
	unsigned int mute;	   /* a node of which nothing ever comes back, nor of who is behind it; 0: none */
	unsigned int liar;	   /* it says now that it is the one node, now that it is the other; 0: none */
	unsigned int lies[2], lied;
	bool able;	    /* switches tell their limits: 4xQDR */
	unsigned int other; /* a switch of another kind; 0: none */
	struct place slow;  /* one end of a cable that is at 4xDDR */
	unsigned int twin;  /* a switch that has the GUID of switch 2; 0: none */
} net;

int __wrap_ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err)
{
	(void)err;
	assert_in_range(options->max_smps, 1, FT_SMP_SLOTS_MAX);
	memset(net.asked, 0, sizeof(net.asked));
	*ret_wire = slots_open();
	return 0;
}

static bool is_switch(unsigned int node)
{
	return net.ports[node] > 2;
}

static bool is_up(unsigned int node, unsigned int port)
{
	return net.peers[node][port].port > 0;
}

/* Who is at the end of a path, and through which port it comes in; node NODES_MAX: nobody. */
static struct place follow(const struct ft_smp_request *request)
{
	struct place at = {0, 1};

	for (unsigned int i = 1; i <= request->hops; i++) {
		unsigned int port = request->path[i];

		if (port > net.ports[at.node] || !is_up(at.node, port) || (!is_switch(at.node) && i > 1))
			return (struct place){NODES_MAX, 0};
		at = net.peers[at.node][port];
		if (net.mute && at.node == net.mute)
			return (struct place){NODES_MAX, 0};
	}
	return at;
}

int __wrap_ft_smp_send(struct ft_smp_wire *unused, const struct ft_smp_request *request)
{
	int slot;

	(void)unused;
	assert_true(request->hops <= FT_SMP_HOPS_MAX);
	for (unsigned int i = 1; i <= request->hops; i++)
		assert_in_range(request->path[i], 1, FT_PORT_NUMBER_MAX);
	/* As the kernel has it: through the port that was opened, and no other. */
	assert_true(is_switch(0) || request->hops == 0 || request->path[1] == 1);
	slot = slots_take(request);
	if (slot < 0)
		return slot;
	net.sent_ns[slot] = ft_smp_now_ns();
	net.asked[request->attribute & 0xff]++;
	return slot;
}

static void answer_node(struct place at, uint8_t *data)
{
	uint64_t guid;

	if (net.liar && at.node == net.liar)
		at.node = net.lies[net.lied++ % 2];
	guid = 0x100 + (net.twin && at.node == net.twin ? 2 : at.node);
	mad_set_field64(data, 0, IB_NODE_GUID_F, guid);
	mad_set_field64(data, 0, IB_NODE_SYSTEM_GUID_F, guid);
	mad_set_field64(data, 0, IB_NODE_PORT_GUID_F, guid);
	mad_set_field(data, 0, IB_NODE_DEVID_F, net.other && at.node == net.other);
	mad_set_field(data, 0, IB_NODE_TYPE_F, is_switch(at.node) ? IB_NODE_SWITCH : IB_NODE_CA);
	mad_set_field(data, 0, IB_NODE_NPORTS_F, net.ports[at.node]);
	mad_set_field(data, 0, IB_NODE_LOCAL_PORT_F, at.port);
}

static bool are_equal(struct place a, struct place b)
{
	return a.node == b.node && a.port == b.port;
}

static bool is_slow(unsigned int node, unsigned int port)
{
	return net.slow.port > 0 && (are_equal(net.slow, (struct place){node, port}) ||
				     are_equal(net.peers[net.slow.node][net.slow.port], (struct place){node, port}));
}

static void answer_port(unsigned int node, unsigned int port, uint8_t *data)
{
	enum { UP_TO_QDR = 7, DDR = 2, QDR = 4, FOUR_LANES = 2 };
	bool up = port == 0 || is_up(node, port);

	mad_set_field(data, 0, IB_PORT_PHYS_STATE_F, up ? FT_PHYS_LINK_UP : POLLING);
	mad_set_field(data, 0, IB_PORT_STATE_F, up ? ACTIVE : DOWN);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, FOUR_LANES);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ACTIVE_F, is_slow(node, port) ? DDR : QDR);
	mad_set_field(data, 0, IB_PORT_LID_F, node + 1);
	if (net.able && is_switch(node)) {
		mad_set_field(data, 0, IB_PORT_LINK_WIDTH_ENABLED_F, FOUR_LANES);
		mad_set_field(data, 0, IB_PORT_LINK_WIDTH_SUPPORTED_F, FOUR_LANES);
		mad_set_field(data, 0, IB_PORT_LINK_SPEED_ENABLED_F, UP_TO_QDR);
		mad_set_field(data, 0, IB_PORT_LINK_SPEED_SUPPORTED_F, UP_TO_QDR);
	}
	if (port == 0 && net.table != NO_TABLE) {
		mad_set_field(data, 0, IB_PORT_CAPMASK_F, CAPABILITY_MASK2);
		mad_set_field(data, 0, IB_PORT_CAPMASK2_F, HAS_STATE_TABLE);
	}
}

static void answer_states(unsigned int node, unsigned int block, uint8_t *data)
{
	for (unsigned int i = 0; i < 128; i++) {
		unsigned int port = block * 128 + (net.table == EXCHANGED_TABLE ? i ^ 1 : i);
		unsigned int state = port == 0 || (port <= net.ports[node] && is_up(node, port)) ? ACTIVE : DOWN;

		/* Of the cable out of the last port of each switch but the first it has not heard yet. */
		if (net.table == STALE_TABLE && node > 1 && port == net.ports[node])
			state = DOWN;

		data[i / 2] |= (uint8_t)(i % 2 ? state : state << 4);
	}
}

/* Nobody who was told the truth asks for what is not there. */
static bool is_none(bool none)
{
	assert_true(!none || net.malice > 0);
	return none;
}

static enum ft_smp_outcome answer(const struct ft_smp_request *request, uint8_t *data)
{
	struct place at = follow(request);

	if (at.node == NODES_MAX || net.gone || (net.gone_after && slots.count.mads > net.gone_after))
		return FT_SMP_LOST;
	switch (request->attribute) {
	case IB_ATTR_NODE_INFO:
		answer_node(at, data);
		return FT_SMP_ANSWERED;
	case IB_ATTR_NODE_DESC:
		data[0] = (uint8_t)('A' + at.node);
		return FT_SMP_ANSWERED;
	case IB_ATTR_PORT_INFO:
		if (is_none(request->modifier > net.ports[at.node]))
			return FT_SMP_REFUSED;
		answer_port(at.node, request->modifier, data);
		return FT_SMP_ANSWERED;
	case STATE_TABLE:
		if (is_none(net.table == NO_TABLE || request->modifier > net.ports[at.node] / 128))
			return FT_SMP_REFUSED;
		if (net.table == REFUSED_TABLE || net.table == LOST_TABLE)
			return net.table == REFUSED_TABLE ? FT_SMP_REFUSED : FT_SMP_LOST;
		answer_states(at.node, request->modifier, data);
		return FT_SMP_ANSWERED;
	default:
		return FT_SMP_REFUSED;
	}
}

static unsigned int chance(unsigned int below)
{
	return (unsigned int)rand_r(&net.seed) % below;
}

/* What is lost takes its time where a node is mute, and else none. */
static bool is_due(unsigned int slot)
{
	return !net.mute || follow(&slots.requests[slot]).node < NODES_MAX ||
	       ft_smp_now_ns() - net.sent_ns[slot] >= slots.requests[slot].timeout_ms * FT_NS_PER_MS;
}

bool __wrap_ft_smp_receive_until(struct ft_smp_wire *unused, int64_t until_ns, struct ft_smp_answer *ret_answer)
{
	unsigned int slot = chance(FT_SMP_SLOTS_MAX), tried = 0;

	(void)unused;
	if (slots.pending == 0)
		return false;
	while (!slots.busy[slot] || !is_due(slot)) {
		slot = (slot + 1) % FT_SMP_SLOTS_MAX;
		if (++tried < FT_SMP_SLOTS_MAX)
			continue;
		if (ft_smp_now_ns() >= until_ns)
			return false;
		poll(NULL, 0, 1);
		tried = 0;
	}
	slots_free(slot);
	*ret_answer = (struct ft_smp_answer){.slot = slot};
	ret_answer->outcome = answer(&slots.requests[slot], ret_answer->data);
	/* What is lost takes its time, but not that of the test. */
	ret_answer->slow = ret_answer->outcome == FT_SMP_LOST;
	if (chance(100) >= net.malice)
		return true;
	ret_answer->outcome = (enum ft_smp_outcome)chance(FT_SMP_LOST + 1);
	for (unsigned int i = chance(4); i > 0; i--)
		ret_answer->data[chance(FT_SMP_SIZE)] = (uint8_t)chance(256);
	return true;
}

static void cable(unsigned int a, unsigned int a_port, unsigned int b, unsigned int b_port)
{
	net.peers[a][a_port] = (struct place){b, b_port};
	net.peers[b][b_port] = (struct place){a, a_port};
}

/* A host, four switches in a ring of double cables, with hosts on odd and few even ports, and most ports down. */
static void build(unsigned int ports, enum table table)
{
	unsigned int switches = 4, last = 0;

	memset(&net, 0, sizeof(net));
	net.seed = 1;
	net.table = table;
	net.ports[0] = 1;
	for (unsigned int i = 1; i <= switches; i++)
		net.ports[i] = ports;
	last = switches;
	cable(0, 1, 1, 1);
	for (unsigned int i = 1; i <= switches; i++) {
		unsigned int next = i % switches + 1;

		cable(i, ports, next, ports - 2);
		cable(i, ports - 1, next, ports - 3);
		for (unsigned int port = 3; port < ports - 3 && port < 24; port += port % 5 ? 2 : 5) {
			net.ports[++last] = 1;
			cable(i, port, last, 1);
		}
	}
	net.nodes = last + 1;
}

static unsigned int switch_ports(bool up)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < net.nodes; i++)
		for (unsigned int port = 1; is_switch(i) && port <= net.ports[i]; port++)
			count += is_up(i, port) == up;
	return count;
}

static const struct ft_scheduler_options usual = {
	.ca = "fake0", .port = 1, .timeout_ms = 1000, .max_smps = 64, .max_smps_per_target = 4, .retries = 3};

static int walk(struct ft_survey *survey)
{
	struct ft_scheduler_options options = usual;
	struct ft_smp_count count;

	options.end_ms = ft_guard_now_ms() + 60000;
	return ft_discover(survey, &options, &count, NULL);
}

static void assert_snapshot(const struct ft_snapshot *s)
{
	struct ft_error err = {0};
	unsigned int ports = 0;

	assert_int_equal(ft_snapshot_check(s, &err), 0);
	assert_int_equal(s->node_count, net.nodes);
	for (uint32_t i = 0; i < s->node_count; i++) {
		/* In the order of their GUIDs. */
		assert_int_equal(s->nodes[i].guid, 0x100 + i);
		assert_int_equal(s->nodes[i].port_count, net.ports[i]);
		for (unsigned int n = 1; n <= net.ports[i]; n++, ports++) {
			const struct ft_port *port = ft_node_port(s, &s->nodes[i], n), *peer = ft_port_peer(s, port);
			struct place far = net.peers[i][n];

			assert_int_equal(port->link, far.port ? FT_LINK_UP : FT_LINK_DOWN);
			if (!far.port)
				continue;
			assert_int_equal(peer->node, far.node);
			assert_int_equal(peer->number, far.port);
			assert_int_equal(port->rate.lanes, 4);
			assert_int_equal(port->logical_state, ACTIVE);
		}
	}
	assert_int_equal(ports, s->port_count);
}

static void assert_seen(const struct ft_survey *survey)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;

	assert_true(ft_survey_is_complete(survey));
	assert_int_equal(ft_survey_snapshot(survey, &s, NULL), 0);
	assert_snapshot(s);
}

static const struct table_case {
	const char *name;
	unsigned int ports;
	enum table table;
	bool all_ports; /* are asked for */
} table_cases[] = {
	{"no table of states", 40, NO_TABLE, true},
	{"a table of states", 40, GOOD_TABLE, false},
	{"a table of states of 127 ports", 127, GOOD_TABLE, false},
	{"a table of states of 128 ports", 128, GOOD_TABLE, false},
	{"a table of states of 254 ports", 254, GOOD_TABLE, false},
	{"a table of states that is refused", 254, REFUSED_TABLE, true},
	{"a table of states that does not come", 254, LOST_TABLE, true},
	{"a table of states in another order", 40, EXCHANGED_TABLE, true},
	{"two tables of states in another order", 254, EXCHANGED_TABLE, true},
};

/* A cable that came up after the table was made is no second switch of one GUID. */
static void test_stale(void **state)
{
	(void)state;
	for (unsigned int seed = 0; seed < 40; seed++) {
		_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;

		build(seed % 2 ? 40 : 254, STALE_TABLE);
		net.seed = seed;
		assert_int_equal(walk(&survey), 0);
		assert_seen(&survey);
	}
}

/* Where all of them fall silent at once it is none of them. */
static void test_gone(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	struct ft_scheduler_options options = usual;
	struct ft_smp_count count;
	struct ft_error err = {0};
	(void)state;

	build(40, GOOD_TABLE);
	net.gone_after = 100;
	options.end_ms = ft_guard_now_ms() + 60000;
	assert_int_equal(ft_discover(&survey, &options, &count, &err), -EIO);
	assert_non_null(strstr(err.text, "nobody answers any more, after"));
}

/* So too where all that is known is from before, and nobody has answered since. */
static void test_gone_since(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	(void)state;

	build(40, GOOD_TABLE);
	assert_int_equal(walk(&survey), 0);
	assert_seen(&survey);
	survey.nodes[2].described = false;
	net.gone = true;
	assert_int_equal(walk(&survey), -EIO);
	net.gone = false;
	assert_int_equal(walk(&survey), 0);
	assert_seen(&survey);
}

/* Where time is up and only those are left to ask who never answer, the sweep has seen what there is to see. */
static void test_mute_to_the_end(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	struct ft_scheduler_options options = usual;
	struct ft_smp_count count;
	(void)state;

	build(40, GOOD_TABLE);
	net.mute = 3;
	options.timeout_ms = 100;
	options.retries = 100;
	options.end_ms = ft_guard_now_ms() + 800;
	assert_int_equal(ft_discover(&survey, &options, &count, NULL), 0);
	assert_false(ft_survey_is_complete(&survey));
	assert_true(survey.node_count > net.nodes / 2);
}

/* Behind a port is now the one and now the other of two who are somewhere else: that comes to an end. */
static void test_liar(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	struct ft_scheduler_options options = usual;
	struct ft_smp_count count;
	(void)state;

	build(40, GOOD_TABLE);
	net.liar = net.nodes - 1;
	net.lies[0] = net.nodes - 2;
	net.lies[1] = net.nodes - 3;
	options.end_ms = ft_guard_now_ms() + 5000;
	assert_int_equal(ft_discover(&survey, &options, &count, NULL), 0);
	assert_true(count.mads < 10000);
}

/* Another port of our own adapter is none to send through, linked or not. */
static void test_own_port(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	(void)state;

	build(40, GOOD_TABLE);
	net.ports[0] = 2;
	cable(0, 2, 2, 2);
	assert_int_equal(walk(&survey), 0);
	assert_seen(&survey);
	/* Only what the far end says leads there. */
	ft_survey_unlink(&survey, survey.entry_node, 2);
	assert_int_equal(walk(&survey), 0);
	assert_seen(&survey);
}

/* Who was not asked for want of time is not said to be silent. */
static void test_no_time(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	struct ft_scheduler_options options = usual;
	struct ft_smp_count count;
	struct ft_error err = {0};
	(void)state;

	build(40, GOOD_TABLE);
	options.end_ms = ft_guard_now_ms() - 1;
	assert_int_equal(ft_discover(&survey, &options, &count, &err), -ETIMEDOUT);
	assert_string_equal(err.text,
			    "the sweep did not end in time: 0 packets were sent, 0 switches and 0 hosts found so "
			    "far, and there is more to ask");
}

/*
 * Two cables are exchanged so quickly that no port is seen down, and one switch says that something changed: that is
 * found, though the state of ports that a table calls down is not the one that they tell themselves.
 */
static void test_exchanged(void **state)
{
	static const enum table tables[] = {NO_TABLE, GOOD_TABLE};
	static const struct ft_change change = {.guid = 0x101};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(tables); i++) {
		_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *before = NULL, *after = NULL;
		struct place one, other;

		build(40, tables[i]);
		assert_int_equal(walk(&survey), 0);
		assert_int_equal(ft_survey_snapshot(&survey, &before, NULL), 0);
		one = net.peers[1][3];
		other = net.peers[2][3];
		cable(1, 3, other.node, other.port);
		cable(2, 3, one.node, one.port);
		assert_int_equal(ft_sweep_incremental(&ft_sweep_defaults, before, &change, 1, ft_guard_now_ms() + 60000,
						      &after, NULL),
				 0);
		assert_snapshot(after);
	}
}

/* All is seen in any case, and ports that the table calls down are not asked for. */
static void test_table(void **state)
{
	const struct table_case *c = *state;
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	unsigned int switches = 4, hosts, up, down;

	build(c->ports, c->table);
	hosts = net.nodes - switches;
	up = switch_ports(true);
	down = switch_ports(false);
	assert_int_equal(walk(&survey), 0);
	assert_seen(&survey);
	assert_int_equal(net.asked[IB_ATTR_NODE_DESC], net.nodes);
	assert_int_equal(net.asked[IB_ATTR_PORT_INFO], switches + hosts + up + (c->all_ports ? down : 0));
	/* Once for each, and for cables between switches once more at most. */
	assert_in_range(net.asked[IB_ATTR_NODE_INFO], net.nodes, net.nodes + 2 * switches);
	if (c->table != LOST_TABLE)
		assert_int_equal(net.asked[STATE_TABLE], c->table == NO_TABLE ? 0 : switches * (c->ports / 128 + 1));
}

static unsigned int inferred_ends(const struct ft_survey *survey)
{
	unsigned int count = 0;

	for (uint32_t i = 0; i < survey->node_count; i++)
		for (unsigned int n = 1; n <= survey->nodes[i].port_count; n++)
			count += ft_survey_port(survey, i, n)->inferred;
	return count;
}

/* Of a cable between switches of one kind one end is asked, unless it is slow. */
static void test_one_end(void **state)
{
	enum { PORTS = 40, SWITCHES = 4, CABLES = 8 };
	static const struct {
		const char *name;
		uint32_t planned;
		unsigned int other;
		struct place slow;
		unsigned int spared, least; /* of the ends, and at least, as both may be asked at the same time */
	} rows[] = {
		{"alike", SWITCHES, 0, {0, 0}, CABLES, CABLES - 2},
		{"one slow", SWITCHES, 0, {2, PORTS}, CABLES - 1, CABLES - 3},
		{"another kind in between", SWITCHES, 3, {0, 0}, CABLES - 4, CABLES - 6},
		{"more are planned", SWITCHES + 1, 0, {0, 0}, 0, 0},
		{"nobody knows how many there are", 0, 0, {0, 0}, 0, 0},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
		unsigned int all;

		build(PORTS, NO_TABLE);
		net.able = true;
		net.other = rows[i].other;
		net.slow = rows[i].slow;
		survey.planned_switches = rows[i].planned;
		all = SWITCHES * (PORTS + 1) + net.nodes - SWITCHES;
		assert_int_equal(walk(&survey), 0);
		assert_seen(&survey);
		assert_in_range(inferred_ends(&survey), rows[i].least, rows[i].spared);
		/* Neither end of the slow cable, which is in the last port of the one and the last but two of the
		 * other. */
		if (rows[i].slow.port)
			assert_false(ft_survey_port(&survey, ft_survey_find(&survey, 0x102), PORTS)->inferred ||
				     ft_survey_port(&survey, ft_survey_find(&survey, 0x103), PORTS - 2)->inferred);
		assert_int_equal(net.asked[IB_ATTR_PORT_INFO], all - inferred_ends(&survey));
	}
}

/* What is inferred of a cable hides no second switch of the same GUID, whether a port is used by both or by one. */
static void test_twins(void **state)
{
	(void)state;
	for (unsigned int port = 3; port < 20; port++) {
		_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
		unsigned int twins = 0;

		memset(&net, 0, sizeof(net));
		net.seed = port;
		net.able = true;
		net.nodes = 5;
		net.ports[0] = 1;
		for (unsigned int i = 1; i < net.nodes; i++)
			net.ports[i] = 24;
		net.twin = 4;
		cable(0, 1, 1, 1);
		cable(1, 2, 2, 6);
		cable(1, 3, 2, 7);
		cable(1, 4, 3, 1);
		cable(3, 2, 4, port);
		cable(3, 3, 4, port + 1);
		/* One of them is not seen at first. */
		survey.planned_switches = net.nodes - 1;
		assert_int_equal(walk(&survey), 0);
		assert_true(ft_survey_is_complete(&survey));
		assert_int_equal(survey.node_count, net.nodes);
		for (uint32_t i = 0; i < survey.node_count; i++)
			twins += survey.nodes[i].guid == 0x102;
		assert_int_equal(twins, 2);
	}
}

static void make_seed(void)
{
	const char *given = getenv("FT_SEED");

	net.seed = given ? (unsigned int)strtoul(given, NULL, 10) : (unsigned int)time(NULL);
	print_message("FT_SEED=%u\n", net.seed);
}

/* Whatever comes back: it ends, and what was seen is a snapshot. */
static void test_malice(void **state)
{
	unsigned int whole = 0;
	(void)state;

	for (unsigned long i = 0; i < runs_at_most(300); i++) {
		_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
		struct ft_error err = {0};

		build(24 + i % 3 * 60, (enum table)(i % 5));
		net.able = i % 2;
		survey.planned_switches = 4 + i % 3 / 2;
		make_seed();
		net.seed += (unsigned int)i;
		net.malice = i % 10;
		assert_int_equal(walk(&survey), 0);
		whole += ft_survey_is_complete(&survey);
		if (survey.node_count == 0)
			continue;
		assert_int_equal(ft_survey_snapshot(&survey, &snapshot, &err), 0);
		assert_int_equal(ft_snapshot_check(snapshot, &err), 0);
	}
	assert_true(whole > 0);
}

static void test_no_memory(void **state)
{
	unsigned int n;
	int r = -ENOMEM;
	(void)state;

	for (n = 1; r == -ENOMEM && n < 1000; n++) {
		_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;

		build(40, GOOD_TABLE);
		allocation_failing = n;
		r = walk(&survey);
		allocation_failing = 0;
	}
	assert_int_equal(r, 0);
	assert_in_range(n, 8, 200);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_stale),	   cmocka_unit_test(test_gone),
		cmocka_unit_test(test_gone_since), cmocka_unit_test(test_mute_to_the_end),
		cmocka_unit_test(test_liar),	   cmocka_unit_test(test_own_port),
		cmocka_unit_test(test_exchanged),  cmocka_unit_test(test_no_time),
		cmocka_unit_test(test_malice),	   cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_one_end),	   cmocka_unit_test(test_twins),
	};
	struct CMUnitTest tests[FT_COUNT(table_cases) + FT_COUNT(others)];
	size_t count = 0;

	for (size_t i = 0; i < FT_COUNT(table_cases); i++)
		tests[count++] = (struct CMUnitTest){table_cases[i].name, test_table, NULL, NULL,
						     (void *)(uintptr_t)&table_cases[i]};
	for (size_t i = 0; i < FT_COUNT(others); i++)
		tests[count++] = others[i];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
