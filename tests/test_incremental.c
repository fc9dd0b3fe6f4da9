/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Reading again, as far as it goes without a fabric: a snapshot that becomes a survey and a snapshot again, and what is
 * refused before anything is asked; and what answers without sense or with malice can do. tests/incremental.sim does
 * the rest.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <infiniband/mad.h>

#include "probe/guard.h"
#include "probe/port.h"
#include "probe/incremental.h"
#include "probe/smp.h"
#include "probe/snapshot_build.h"
#include "probe/survey.h"
#include "tests/allocations.h"
#include "tests/slots.h"

enum { PORTS = 8 };

/* A switch, a far switch, a host of two ports and one of one. */
static struct ft_builder *begin(uint32_t nodes[4])
{
	static const struct ft_build_node records[] = {
		{.guid = 0x200,
		 .system_guid = 0x20f,
		 .vendor_id = 0x2c9,
		 .device_id = 0xcb20,
		 .description = "far",
		 .description_length = 3,
		 .lid = 2,
		 .type = FT_NODE_SWITCH,
		 .port_count = PORTS,
		 .port_count_known = true},
		{.guid = 0x100,
		 .device_id = 0xb924,
		 .description = "near\n\x1b",
		 .description_length = 6,
		 .lid = 1,
		 .lmc = 1,
		 .type = FT_NODE_SWITCH,
		 .port_count = PORTS,
		 .port_count_known = true},
		{.guid = 0x400,
		 .description = "host",
		 .description_length = 4,
		 .type = FT_NODE_CA,
		 .port_count = 2,
		 .port_count_known = true},
		{.guid = 0x300,
		 .description = "host",
		 .description_length = 4,
		 .type = FT_NODE_CA,
		 .port_count = 1,
		 .port_count_known = true},
	};
	struct ft_builder *builder;

	assert_int_equal(ft_builder_new(&builder), 0);
	for (size_t i = 0; i < FT_COUNT(records); i++)
		assert_int_equal(ft_builder_add_node(builder, &records[i], &nodes[i]), 0);
	ft_builder_set_entry(builder, 0x300, 0, 1);
	ft_builder_source(builder)->live = true;
	ft_builder_source(builder)->lists_down_ports = true;
	ft_builder_source(builder)->complete = true;
	return builder;
}

enum { FAR, NEAR, HOST2, HOST };

static void add(struct ft_builder *builder, uint32_t node, const struct ft_build_port *port)
{
	assert_int_equal(ft_builder_add_port(builder, node, port), 0);
}

static void add_link(struct ft_builder *builder, const uint32_t *nodes, int a, uint8_t a_port, int b, uint8_t b_port,
		     struct ft_rate rate)
{
	static const uint64_t guids[] = {0x200, 0x100, 0x400, 0x300};
	const struct {
		int near, far;
		uint8_t port, far_port;
	} ends[] = {{a, b, a_port, b_port}, {b, a, b_port, a_port}};

	for (size_t i = 0; i < FT_COUNT(ends); i++) {
		bool end_node = ends[i].near >= HOST2;

		add(builder, nodes[ends[i].near],
		    &(struct ft_build_port){.guid = end_node ? guids[ends[i].near] + ends[i].port : 0,
					    .lid = end_node ? (uint16_t)(10 + ends[i].near) : 0,
					    .number = ends[i].port,
					    .peer_guid = guids[ends[i].far],
					    .peer_number = ends[i].far_port,
					    .link = FT_LINK_UP,
					    .phys_state = FT_PHYS_LINK_UP,
					    .logical_state = 4,
					    .rate = rate});
	}
}

static void add_state(struct ft_builder *builder, const uint32_t *nodes, int node, uint8_t number, enum ft_link link,
		      uint8_t phys_state)
{
	add(builder, nodes[node],
	    &(struct ft_build_port){.number = number,
				    .link = link,
				    .phys_state = phys_state,
				    .logical_state = phys_state == FT_PHYS_LINK_UP ? 2 : 1,
				    .rate = link == FT_LINK_SILENT ? (struct ft_rate){.lanes = 4}
								   : (struct ft_rate){0}});
}

static void links(struct ft_builder *builder, const uint32_t *nodes)
{
	static const struct ft_rate hdr = {.lanes = 4, .speed = FT_SPEED_HDR},
				    fdr10 = {.lanes = 4, .speed = FT_SPEED_FDR10};

	add_link(builder, nodes, HOST, 1, NEAR, 1, hdr);
	add_link(builder, nodes, NEAR, 2, FAR, 7, fdr10);
	add_link(builder, nodes, NEAR, 3, NEAR, 4, hdr);
	add_link(builder, nodes, HOST2, 2, FAR, 1, (struct ft_rate){.lanes = 1});
	for (uint8_t i = 5; i <= PORTS; i++)
		add_state(builder, nodes, NEAR, i, FT_LINK_DOWN, 2);
}

static void make_whole(struct ft_builder *builder, const uint32_t *nodes)
{
	links(builder, nodes);
	for (uint8_t i = 2; i <= PORTS; i++)
		if (i != 7)
			add_state(builder, nodes, FAR, i, i % 2 ? FT_LINK_SILENT : FT_LINK_DOWN,
				  i % 2 ? FT_PHYS_LINK_UP : 3);
	ft_builder_source(builder)->complete = false;
}

static void make_complete(struct ft_builder *builder, const uint32_t *nodes)
{
	links(builder, nodes);
	for (uint8_t i = 2; i <= PORTS; i++)
		if (i != 7)
			add_state(builder, nodes, FAR, i, FT_LINK_DOWN, 3);
}

/* PortInfo of most ports of the far switch was lost, and of one that is known from its far end. */
static void make_holes(struct ft_builder *builder, const uint32_t *nodes)
{
	links(builder, nodes);
	ft_builder_source(builder)->complete = false;
}

static void make_nothing(struct ft_builder *builder, const uint32_t *nodes)
{
	(void)nodes;
	ft_builder_source(builder)->complete = false;
}

struct trip_case {
	const char *name;
	void (*make)(struct ft_builder *builder, const uint32_t *nodes);
};

static const struct trip_case trip_cases[] = {
	{"a complete snapshot", make_complete},
	{"silent ports", make_whole},
	{"ports that were not read", make_holes},
	{"no port known at all", make_nothing},
};

static struct ft_snapshot *make(const struct trip_case *c)
{
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	struct ft_snapshot *snapshot = NULL;
	uint32_t nodes[4];

	builder = begin(nodes);
	c->make(builder, nodes);
	assert_int_equal(ft_builder_finish(builder, &snapshot, NULL, NULL), 0);
	assert_int_equal(ft_snapshot_check(snapshot, NULL), 0);
	return snapshot;
}

/* Equal as far as both know it is not enough here: links and states have to be the same, the unknown ones too. */
static void assert_same(const struct ft_snapshot *a, const struct ft_snapshot *b)
{
	_cleanup_(ft_text_release) struct ft_text difference = {0};
	unsigned int counts[2][4] = {0};

	if (ft_snapshot_equal(a, b, &difference) != 1)
		fail_msg("%s", ft_text_string(&difference));
	assert_int_equal(a->port_count, b->port_count);
	for (uint32_t i = 0; i < a->port_count; i++) {
		counts[0][a->ports[i].link]++;
		counts[1][b->ports[i].link]++;
	}
	assert_memory_equal(counts[0], counts[1], sizeof(counts[0]));
	assert_int_equal(a->source.complete, b->source.complete);
	assert_int_equal(a->source.entry_port, b->source.entry_port);
	assert_true(a->nodes[a->source.entry_node].guid == b->nodes[b->source.entry_node].guid);
}

static void test_trip(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *before = make(*state);
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *after = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *again = NULL;
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	_cleanup_(ft_survey_release) struct ft_survey second = FT_SURVEY_EMPTY;
	_cleanup_(ft_text_release) struct ft_text one = {0};
	_cleanup_(ft_text_release) struct ft_text two = {0};

	assert_int_equal(ft_survey_from_snapshot(before, &survey), 0);
	assert_int_equal(ft_survey_snapshot(&survey, &after, NULL), 0);
	assert_int_equal(ft_snapshot_check(after, NULL), 0);
	assert_same(before, after);
	/* In the order of their GUIDs, and from there on nothing changes any more. */
	for (uint32_t i = 1; i < after->node_count; i++)
		assert_true(after->nodes[i - 1].guid < after->nodes[i].guid);
	assert_int_equal(ft_survey_from_snapshot(after, &second), 0);
	assert_int_equal(ft_survey_snapshot(&second, &again, NULL), 0);
	ft_snapshot_write_json(&one, after);
	ft_snapshot_write_json(&two, again);
	assert_string_equal(ft_text_string(&one), ft_text_string(&two));
}

/* Two of one GUID stay two, in one order, however they came. */
static void test_twins(void **state)
{
	static const char *const names[] = {"b", "a", "c"};
	_cleanup_(ft_text_release) struct ft_text first = {0};

	(void)state;
	for (unsigned int turn = 0; turn < FT_COUNT(names); turn++) {
		_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};

		for (unsigned int i = 0; i < FT_COUNT(names); i++) {
			uint8_t info[FT_SMP_SIZE] = {[2] = 1, [3] = 3, [19] = 0x77}, name[FT_SMP_SIZE] = {0};
			uint32_t node;

			assert_int_equal(ft_survey_add_node(&survey, info, NULL, 0, &node), 0);
			name[0] = (uint8_t)names[(i + turn) % FT_COUNT(names)][0];
			ft_survey_set_description(&survey, node, name);
		}
		assert_int_equal(ft_survey_snapshot(&survey, &snapshot, NULL), 0);
		for (uint32_t i = 0; i < FT_COUNT(names); i++)
			assert_int_equal(ft_node_description(snapshot, &snapshot->nodes[i])[0], 'a' + (char)i);
		ft_snapshot_write_json(&text, snapshot);
		if (turn == 0)
			ft_text_puts(&first, ft_text_string(&text));
		assert_string_equal(ft_text_string(&first), ft_text_string(&text));
	}
}

/* A switch of one port, of that GUID and name. */
static uint32_t add_named(struct ft_survey *survey, uint8_t guid, const char *name)
{
	uint8_t info[FT_SMP_SIZE] = {[2] = 2, [3] = 1, [19] = guid}, description[FT_SMP_SIZE] = {0};
	uint32_t node;

	assert_int_equal(ft_survey_add_node(survey, info, NULL, 0, &node), 0);
	description[0] = (uint8_t)name[0];
	ft_survey_set_description(survey, node, description);
	return node;
}

/* Whose cable is whose, and where the sweep began, is told from twins where their GUIDs do not tell it. */
static void test_twin_cables(void **state)
{
	(void)state;
	for (uint32_t turn = 0; turn < 2; turn++) {
		unsigned int nth = 0, unused;

		do {
			_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
			_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
			uint32_t nodes[] = {add_named(&survey, 1, "a"), add_named(&survey, 1, "b"),
					    add_named(&survey, 2, "c"), add_named(&survey, 2, "d")};
			int r;

			ft_survey_link(&survey, nodes[0], 1, nodes[2 + turn], 1);
			ft_survey_link(&survey, nodes[1], 1, nodes[3 - turn], 1);
			survey.entry_node = nodes[1];
			survey.entry_port = 1;
			allocation_failing = ++nth;
			r = ft_survey_snapshot(&survey, &snapshot, NULL);
			unused = (unsigned int)allocation_failing;
			allocation_failing = 0;
			assert_true(r == 0 ? snapshot != NULL : r == -ENOMEM && !snapshot && !unused);
			if (r < 0)
				continue;
			assert_int_equal(ft_snapshot_check(snapshot, NULL), 0);
			assert_int_equal(snapshot->ports[0].peer, 2 + turn);
			assert_int_equal(snapshot->ports[1].peer, 3 - turn);
			assert_int_equal(snapshot->source.entry_node, 1);
			assert_int_equal(snapshot->source.entry_port, 1);
		} while (!unused);
	}
}

static uint32_t add_switch(struct ft_survey *survey, uint8_t guid)
{
	static const uint8_t answer[FT_SMP_SIZE] = {[2] = 2, [3] = 3};
	uint8_t info[FT_SMP_SIZE];
	uint32_t node;

	memcpy(info, answer, sizeof(info));
	info[19] = guid;
	assert_int_equal(ft_survey_add_node(survey, info, NULL, 0, &node), 0);
	return node;
}

/* A cable between two of one GUID, in the same port of both, is no loopback; nor is the entry the other one's. */
static void test_twins_linked(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	uint32_t one = add_switch(&survey, 7), two = add_switch(&survey, 7), far = add_switch(&survey, 8);

	(void)state;
	ft_survey_link(&survey, one, 1, two, 1);
	ft_survey_link(&survey, two, 2, far, 3);
	survey.entry_node = two;
	survey.entry_port = 2;
	assert_int_equal(ft_survey_snapshot(&survey, &snapshot, NULL), 0);
	assert_int_equal(ft_snapshot_check(snapshot, NULL), 0);
	assert_int_equal(snapshot->node_count, 3);
	assert_int_equal(ft_port_peer(snapshot, &snapshot->ports[0])->node, 1);
	assert_int_equal(ft_port_peer(snapshot, &snapshot->ports[snapshot->nodes[2].first_port + 2])->node,
			 snapshot->source.entry_node);
	assert_int_equal(snapshot->source.entry_port, 2);
}

/* Two that are the same in all are one; of their cables, those stay whose ends still agree. */
static void test_twins_merged(void **state)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	uint32_t one = add_switch(&survey, 7), two = add_switch(&survey, 7);
	uint32_t near = add_switch(&survey, 3), far = add_switch(&survey, 3), gone = add_switch(&survey, 9);
	unsigned int up = 0, silent = 0;

	(void)state;
	/* @near and @far differ in their cables, so they stay two, and both say they are cabled to what became one. */
	ft_survey_link(&survey, one, 1, far, 1);
	ft_survey_link(&survey, two, 1, near, 1);
	ft_survey_link(&survey, far, 2, far, 3);
	ft_survey_link(&survey, near, 3, gone, 1);
	survey.nodes[gone].gone = true;
	assert_int_equal(ft_survey_snapshot(&survey, &snapshot, NULL), 0);
	assert_int_equal(ft_snapshot_check(snapshot, NULL), 0);
	assert_int_equal(snapshot->node_count, 3);
	assert_true(snapshot->nodes[2].guid == 7);
	for (uint32_t i = 0; i < 2; i++) {
		/* Port 1 leads to the merged one, port 3 of one of the two to the one that is gone. */
		for (unsigned int n = 1; n <= 3; n += 2) {
			uint8_t link = ft_node_port(snapshot, &snapshot->nodes[i], n)->link;

			up += link == FT_LINK_UP;
			silent += link == FT_LINK_SILENT;
		}
	}
	assert_int_equal(up, 2);
	assert_int_equal(silent, 2);
}

static void test_options(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *old = make(&trip_cases[0]);
	struct ft_sweep_options options = ft_sweep_defaults;
	struct ft_change change = {.lid = 1};
	struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};

	(void)state;
	options.max_smps = 1025;
	assert_int_equal(ft_sweep_incremental(&options, old, &change, 1, ft_guard_now_ms() + 1000, &snapshot, &err),
			 -EINVAL);
	assert_string_equal(err.text, "the number of SMPs on the wire has to be from 1 to 1024");
	assert_null(snapshot);
}

static void test_no_memory(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *before = make(&trip_cases[1]);
	unsigned int nth = 0, unused, failed = 0;

	(void)state;
	do {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *after = NULL;
		_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
		int r;

		allocation_failing = ++nth;
		r = ft_survey_from_snapshot(before, &survey);
		if (r == 0)
			r = ft_survey_snapshot(&survey, &after, NULL);
		unused = (unsigned int)allocation_failing;
		allocation_failing = 0;
		assert_true(r == 0 ? after != NULL : r == -ENOMEM && !after && !unused);
		failed += r != 0;
	} while (!unused);
	assert_true(failed > 5);
}

/* A wire on which anybody may answer anything (the linker's --wrap). */

enum { WIRE_SLOTS = 16, NODES_MAX = 60, SELF = 0x300 };

static struct {
	unsigned int seed;
	unsigned int malice; /* percent of the answers */
	unsigned int nodes;  /* made up so far */
} wire;

int __wrap_ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err)
{
	(void)err;
	assert_true(options->max_smps <= WIRE_SLOTS);
	*ret_wire = slots_open();
	return 0;
}

int __wrap_ft_smp_send(struct ft_smp_wire *unused, const struct ft_smp_request *request)
{
	(void)unused;
	assert_true(request->hops <= FT_SMP_HOPS_MAX);
	assert_true(request->timeout_ms > 0);
	for (unsigned int i = 1; i <= request->hops; i++)
		assert_in_range(request->path[i], 1, FT_PORT_NUMBER_MAX);
	return slots_take(request);
}

static unsigned int chance(unsigned int below)
{
	return (unsigned int)rand_r(&wire.seed) % below;
}

/* The host begins where it began; all else may be anything. */
static void answer_node(const struct ft_smp_request *request, uint8_t *data)
{
	static const uint64_t known[] = {0x100, 0x200, 0x300, 0x400};
	static const unsigned int types[] = {IB_NODE_SWITCH, IB_NODE_SWITCH, IB_NODE_CA, IB_NODE_CA};
	static const unsigned int ports[] = {PORTS, PORTS, 1, 2};
	unsigned int who = request->hops == 0 ? 2 : request->hops == 1 ? 0 : chance(FT_COUNT(known));
	bool malice = chance(100) < wire.malice;
	uint64_t guid = known[who];

	if (malice && request->hops > 1 && wire.nodes < NODES_MAX)
		guid = 0x1000 + wire.nodes++;
	mad_set_field64(data, 0, IB_NODE_GUID_F, guid);
	mad_set_field64(data, 0, IB_NODE_PORT_GUID_F, guid + chance(3));
	mad_set_field(data, 0, IB_NODE_TYPE_F, malice ? chance(5) : types[who]);
	mad_set_field(data, 0, IB_NODE_NPORTS_F, malice ? chance(256) : ports[who]);
	mad_set_field(data, 0, IB_NODE_LOCAL_PORT_F,
		      request->hops <= 1 && chance(1000) >= wire.malice ? 1
		      : malice						? chance(256)
									: 1 + chance(ports[who]));
}

bool __wrap_ft_smp_receive_until(struct ft_smp_wire *unused, int64_t until_ns, struct ft_smp_answer *ret_answer)
{
	unsigned int slot = chance(WIRE_SLOTS);
	const struct ft_smp_request *request;

	(void)until_ns;
	(void)unused;
	if (slots.pending == 0)
		return false;
	while (!slots.busy[slot])
		slot = (slot + 1) % WIRE_SLOTS;
	request = slots_free(slot);
	*ret_answer = (struct ft_smp_answer){.slot = slot, .slow = chance(2)};
	if (chance(100) < wire.malice)
		ret_answer->outcome = (enum ft_smp_outcome)chance(FT_SMP_LOST + 1);
	for (size_t i = 0; i < FT_SMP_SIZE; i++)
		ret_answer->data[i] = (uint8_t)chance(256);
	if (request->attribute == IB_ATTR_NODE_INFO)
		answer_node(request, ret_answer->data);
	if (request->attribute == IB_ATTR_PORT_INFO)
		mad_set_field(ret_answer->data, 0, IB_PORT_PHYS_STATE_F, chance(4) ? FT_PHYS_LINK_UP : chance(16));
	return true;
}

static void make_seed(void)
{
	const char *given = getenv("FT_SEED");

	wire.seed = given ? (unsigned int)strtoul(given, NULL, 10) : (unsigned int)time(NULL);
	print_message("FT_SEED=%u\n", wire.seed);
}

static int read_again(const struct ft_snapshot *old, size_t count, struct ft_snapshot **ret_snapshot,
		      struct ft_error *err)
{
	static const struct ft_change changes[] = {
		{.lid = 1}, {.guid = 0x200}, {.guid = 0x402}, {.guid = 0x1003, .gone = true}, {.lid = 77}};

	return ft_sweep_incremental(&ft_sweep_defaults, old, changes, count, ft_guard_now_ms() + 60000, ret_snapshot,
				    err);
}

/* Whatever comes back: the end is reached, and it is a snapshot or a reason. */
static void test_malice(void **state)
{
	unsigned int merged = 0, rounds = 4000;

	(void)state;
	make_seed();
	for (unsigned int i = 0; i < rounds; i++) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *old = make(&trip_cases[i % FT_COUNT(trip_cases)]);
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
		struct ft_error err = {0};
		int r;

		wire.malice = i % 7 * 8;
		wire.nodes = 0;
		r = read_again(old, i % 6, &snapshot, &err);
		if (r == 0) {
			assert_int_equal(ft_snapshot_check(snapshot, &err), 0);
			merged++;
			continue;
		}
		assert_int_equal(r, -ESTALE);
		assert_true(err.text[0] != '\0');
		assert_null(snapshot);
	}
	print_message("%u of %u merged\n", merged, rounds);
	assert_true(merged > 0 && merged < rounds);
}

static void test_no_memory_to_read(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *old = make(&trip_cases[0]);
	unsigned int seed, failed = 0;

	(void)state;
	make_seed();
	seed = wire.seed;
	for (unsigned int nth = 1; nth < 60; nth++) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
		struct ft_error err = {0};
		int r;

		wire.seed = seed + nth / 20;
		wire.malice = 0;
		wire.nodes = 0;
		allocation_failing = nth;
		r = read_again(old, 2, &snapshot, &err);
		if (allocation_failing == 0 && r != -ESTALE && r != 0)
			assert_int_equal(r, -ENOMEM);
		allocation_failing = 0;
		assert_true((r == 0) == (snapshot != NULL));
		failed += r == -ENOMEM;
	}
	assert_true(failed > 5);
}

struct refusal_case {
	const char *name;
	void (*spoil)(struct ft_snapshot *old);
	struct ft_change change;
	const char *text;
};

static void spoil_nothing(struct ft_snapshot *old)
{
	(void)old;
}

static void spoil_live(struct ft_snapshot *old)
{
	old->source.live = false;
}

static void spoil_entry(struct ft_snapshot *old)
{
	old->source.entry_node = FT_NONE;
	old->source.entry_port = 0;
}

static void spoil_entry_port(struct ft_snapshot *old)
{
	old->source.entry_port = 0;
}

static const struct refusal_case refusal_cases[] = {
	{"a LID that nobody has", spoil_nothing, {.lid = 99}, "no switch has LID 99"},
	{"a GUID that nobody has", spoil_nothing, {.guid = 0x99}, "nothing has the GUID 0x0000000000000099"},
	{"what was read from a file", spoil_live, {.lid = 1}, "there is no live sweep to begin with"},
	{"no entry", spoil_entry, {.lid = 1}, "there is no live sweep to begin with"},
	{"no port of entry", spoil_entry_port, {.lid = 1}, "it is not known from which port the sweep was made"},
};

static void test_refusal(void **state)
{
	const struct refusal_case *c = *state;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *old = make(&trip_cases[0]);
	struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};

	wire.malice = 0;
	c->spoil(old);
	assert_int_equal(ft_sweep_incremental(&ft_sweep_defaults, old, &c->change, 1, ft_guard_now_ms() + 60000,
					      &snapshot, &err),
			 -ESTALE);
	assert_string_equal(err.text, c->text);
	assert_null(snapshot);
}

int main(void)
{
	static const struct CMUnitTest single[] = {
		cmocka_unit_test(test_malice),	    cmocka_unit_test(test_no_memory_to_read),
		cmocka_unit_test(test_twins),	    cmocka_unit_test(test_twins_linked),
		cmocka_unit_test(test_twin_cables), cmocka_unit_test(test_twins_merged),
		cmocka_unit_test(test_options),	    cmocka_unit_test(test_no_memory),
	};
	struct CMUnitTest tests[FT_COUNT(trip_cases) + FT_COUNT(refusal_cases) + FT_COUNT(single)];
	size_t count = 0;

	for (size_t i = 0; i < FT_COUNT(trip_cases); i++)
		tests[count++] = (struct CMUnitTest){.name = trip_cases[i].name,
						     .test_func = test_trip,
						     .initial_state = (void *)(uintptr_t)&trip_cases[i]};
	for (size_t i = 0; i < FT_COUNT(refusal_cases); i++)
		tests[count++] = (struct CMUnitTest){.name = refusal_cases[i].name,
						     .test_func = test_refusal,
						     .initial_state = (void *)(uintptr_t)&refusal_cases[i]};
	memcpy(tests + count, single, sizeof(single));
	return cmocka_run_group_tests_name("incremental", tests, NULL, NULL);
}
