/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Forwarding tables: read from text, handed from process to process, and walked. What the walk says of a fabric is held
 * against a walk of pair by pair, in as few lines as that takes.
 */
#include "config.h"

#include <errno.h>

#include "probe/lanes.h"
#include "probe/routes.h"
#include "tests/allocations.h"
#include "tests/bench.h"
#include "planner/plan/tree.h"

/* Four edges of four hosts, uplinks from port 5 on; two cores, two cables each. Hosts' LIDs are 7 to 22. */
#define TWO                                                                                                  \
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":16,\"edge\":{\"ports\":8,\"count\":4,\"ports_to_nodes\":4," \
	"\"ports_to_core\":4},\"core\":{\"ports\":8,\"count\":2},\"bundle\":2}"
/* One more switch on one cable of an edge, with as many hosts as all of these. */
#define BESIDE                                                                                                 \
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":16,\"edge\":{\"ports\":9,\"count\":4,\"ports_to_nodes\":4,"   \
	"\"ports_to_core\":4},\"core\":{\"ports\":8,\"count\":2},\"bundle\":2,\"islands\":[{\"name\":\"old\"," \
	"\"switches\":[{\"name\":\"old1\",\"ports\":18,\"hosts\":16}],\"bundles\":[{\"a\":\"old1\","           \
	"\"b\":\"edge001\",\"count\":1}]}]}"
/* Three pods of two edges and two spines, two planes of two cores. */
#define THREE                                                                                                         \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":12,\"pods\":3,\"edge\":{\"ports\":4,\"count\":6,"       \
	"\"ports_to_nodes\":2,\"ports_to_core\":2},\"spine\":{\"ports\":4,\"count\":6,\"ports_to_core\":2},\"core\":" \
	"{\"ports\":4,\"count\":4},\"bundle\":{\"edge\":1,\"spine\":1}}"

/* The two levels above, a ring of five and one of three beside it, all as graphs. Names tell the tests what is above.
 */
#define GRAPH "{\"ftcheck\":1,\"name\":\"t\",\"topology\":\"graph\",\"switches\":["
#define TWO_GRAPH                                                                                                 \
	GRAPH "{\"name\":\"edge[001-004]\",\"kind\":\"leaf\",\"ports\":8,\"hosts\":4},{\"name\":\"core[01-02]\"," \
	      "\"kind\":\"top\",\"ports\":8}],\"links\":[{\"a\":\"edge[001-004]\",\"b\":\"core[01-02]\","         \
	      "\"count\":2}]}"
#define RING                                                                                                        \
	GRAPH "{\"name\":\"ring[1-5]\",\"ports\":8,\"hosts\":2}],\"links\":[{\"a\":\"ring1\",\"b\":[\"ring2\","     \
	      "\"ring5\"],\"count\":1},{\"a\":\"ring3\",\"b\":[\"ring2\",\"ring4\"],\"count\":1},{\"a\":\"ring4\"," \
	      "\"b\":\"ring5\",\"count\":1}]}"
/* Three by three, a host each; names are by coordinates. Port 4 of sw-0-0 leads to sw-0-1, port 5 to sw-0-2. */
#define TORUS                                                                                                     \
	"{\"ftcheck\":1,\"name\":\"t\",\"topology\":\"torus\",\"dims\":[3,3],\"nodes\":9,\"bundle\":1,\"edge\":{" \
	"\"ports\":8,\"ports_to_nodes\":1}}"
#define TRIANGLES                                                                                               \
	GRAPH "{\"name\":[\"r[1-3]\",\"r[4-6]\"],\"ports\":8,\"hosts\":2}],\"links\":[{\"a\":\"r[1-3]\",\"b\":" \
	      "\"r[1-3]\",\"count\":1},{\"a\":\"r[4-6]\",\"b\":\"r[4-6]\",\"count\":1}]}"

/* ---- tables by hand ---- */

struct tables {
	struct bench b;
	struct ft_routes *routes;
};

static void tables_release(struct tables *t)
{
	bench_release(&t->b);
	ft_routes_free(t->routes);
}

static uint32_t lid_of(const struct ft_snapshot *s, const char *name)
{
	const struct ft_node *node = &s->nodes[node_find(s, name)];

	return node->type == FT_NODE_SWITCH ? node->lid : s->ports[node->first_port].lid;
}

static int tier_of(const struct ft_snapshot *s, uint32_t node)
{
	const char *name = ft_node_description(s, &s->nodes[node]);

	if (s->nodes[node].type != FT_NODE_SWITCH)
		return -1;
	return name[0] == 'o' ? 0 : name[0] == 'e' ? 1 : name[0] == 's' ? 2 : 3;
}

/* Ways first up, then down: those that go down to @node, and then those that may go up first. */
static void ways_find(const struct ft_snapshot *s, uint32_t node, uint32_t *down, uint32_t *any)
{
	for (uint32_t i = 0; i < s->node_count; i++)
		down[i] = any[i] = i == node ? 0 : 1000;
	for (uint32_t round = 0; round < 16; round++)
		for (uint32_t i = 0; i < s->port_count; i++) {
			const struct ft_port *port = &s->ports[i], *peer = ft_port_peer(s, port);

			if (!peer || s->nodes[port->node].type != FT_NODE_SWITCH)
				continue;
			if (tier_of(s, peer->node) < tier_of(s, port->node) && down[peer->node] + 1 < down[port->node])
				down[port->node] = down[peer->node] + 1;
			if (down[port->node] < any[port->node])
				any[port->node] = down[port->node];
			/* Cables within a tier are those of graphs that have none. */
			if (tier_of(s, peer->node) >= tier_of(s, port->node) && any[peer->node] + 1 < any[port->node])
				any[port->node] = any[peer->node] + 1;
		}
}

/* What a good subnet manager does: shortest ways, dealt out in turn. */
static void tables_fill(struct tables *t)
{
	const struct ft_snapshot *s = t->b.snapshot;
	uint32_t *down = calloc(s->node_count, sizeof(*down)), *any = calloc(s->node_count, sizeof(*any));
	uint32_t turn = 0;

	assert_true(down && any);
	for (uint32_t n = 0; n < s->node_count; n++)
		if (s->nodes[n].type == FT_NODE_SWITCH)
			assert_int_equal(ft_route_table_begin(&t->routes->tables[n], s->node_count), 0);
	for (uint32_t to = 0; to < s->node_count; to++) {
		bool is_host = s->nodes[to].type == FT_NODE_CA;
		uint32_t lid = is_host ? s->ports[s->nodes[to].first_port].lid : s->nodes[to].lid;

		ways_find(s, to, down, any);
		turn += is_host;
		for (uint32_t n = 0; n < s->node_count; n++) {
			uint32_t good[64], count = 0;

			if (s->nodes[n].type != FT_NODE_SWITCH)
				continue;
			if (n == to)
				t->routes->tables[n].ports[lid] = 0;
			for (uint32_t i = 0; i < s->nodes[n].port_count && n != to && any[n] < 1000; i++) {
				const struct ft_port *port = &s->ports[s->nodes[n].first_port + i];
				const struct ft_port *peer = ft_port_peer(s, port);
				bool falls = peer && tier_of(s, peer->node) < tier_of(s, n);

				if (peer && (falls ? down[peer->node] : any[peer->node]) + 1 == any[n])
					good[count++] = port->number;
			}
			/* By other digits at each tier, or spines would use but half of their uplinks. */
			if (count > 0)
				t->routes->tables[n].ports[lid] =
					(uint8_t)good[(tier_of(s, n) <= 1 ? turn : turn / 2) % count];
		}
	}
	free(down);
	free(any);
}

/*
 * Damage, in words: "drop S H" (S has no valid entry for H; * are all hosts), "send S H PORT", "forget S" (its table is
 * not known), "blur S" (the block of all LIDs is not), "empty" (no table has an entry).
 */
static void damage_apply(struct tables *t, char *words)
{
	const struct ft_snapshot *s = t->b.snapshot;
	char *rest = words, *verb = strtok_r(rest, " ", &rest), *first = strtok_r(rest, " ", &rest);
	char *second = strtok_r(rest, " ", &rest), *third = strtok_r(rest, " ", &rest);
	struct ft_route_table *table = first ? &t->routes->tables[node_find(s, first)] : NULL;
	uint8_t port = third ? (uint8_t)atoi(third) : FT_ROUTE_NONE;

	if (strcmp(verb, "empty") == 0) {
		for (uint32_t n = 0; n < s->node_count; n++)
			if (t->routes->tables[n].ports)
				assert_int_equal(ft_route_table_begin(&t->routes->tables[n], 0), 0);
	} else if (strcmp(verb, "forget") == 0) {
		free(table->ports);
		*table = (struct ft_route_table){0};
	} else if (strcmp(verb, "blur") == 0) {
		assert_int_equal(ft_route_table_unread(table, 0), 0);
	} else if (strcmp(verb, "omit") == 0) {
		assert_int_equal(ft_route_table_unread(table, 0), 0);
		table->left_out = true;
	} else if (strcmp(second, "*") == 0) {
		for (uint32_t n = 0; n < s->node_count; n++)
			if (s->nodes[n].type == FT_NODE_CA)
				table->ports[s->ports[s->nodes[n].first_port].lid] = port;
	} else {
		table->ports[lid_of(s, second)] = port;
	}
}

/* The fabric of @design, with @before wrong when it was routed, then @damage done to the tables, then @after to it. */
static void tables_make(struct tables *t, const char *design, const char *before, const char *damage, const char *after)
{
	char copy[1024], *rest = copy, *words;

	*t = (struct tables){0};
	bench_make(&t->b, design);
	t->b.snapshot->source.lists_down_ports = true;
	t->b.snapshot->source.complete = true;
	faults_apply(&t->b, before);
	assert_int_equal(ft_routes_new(t->b.snapshot->node_count, &t->routes), 0);
	tables_fill(t);
	snprintf(copy, sizeof(copy), "%s", damage);
	while ((words = strtok_r(rest, ";", &rest)))
		damage_apply(t, words + strspn(words, " "));
	faults_apply(&t->b, after);
}

static int verify(const struct tables *t, struct ft_report **ret_report)
{
	return ft_verify_all(&(struct ft_verify_input){.design = t->b.design,
						       .plan = t->b.plan,
						       .snapshot = t->b.snapshot,
						       .today = "2026-11-20",
						       .routes = t->routes},
			     ret_report);
}

/* ---- what is found ---- */

struct row {
	const char *what;
	const char *design;
	const char *before;
	const char *damage;
	const char *after;
	const char *expected; /* findings, as report_words() has them */
	const char *figures;  /* "pairs reached unreachable looping unknown longest mean_milli" */
	const char *text;     /* a part of the text of the first finding that is about routes; NULL: any */
};

static const struct row rows[] = {
	{"healthy", TWO, "", "", "", "ok", "240 240 0 0 0 3 2600", NULL},
	{"healthy, three levels", THREE, "", "", "", "ok", "132 132 0 0 0 5 4273", NULL},
	{"routed around a pulled cable", TWO, "cut edge001:5", "", "",
	 "warning; cable-missing absent edge001:5 core01:1", "240 240 0 0 0 3 2600", NULL},
	{"an entry is gone", TWO, "", "drop edge001 node016", "", "critical; route-unreachable seen edge001 x4",
	 "240 236 4 0 0 3 2593", "edge001 has no valid entry for node016: the routes of 4 pairs of hosts end there"},
	{"a core without entries: one cause", TWO, "", "drop core01 *", "",
	 "critical; route-unreachable seen core01 x96", "240 144 96 0 0 3 2333",
	 "core01 has no valid entry for 8 destinations: the routes of 96 pairs of hosts end there"},
	{"hosts that nobody knows", TWO, "",
	 "drop edge001 node016; drop edge002 node016; drop edge003 node016; drop core01 node016; drop core02 node016",
	 "", "critical; route-unreachable seen node016:1 x12", "240 228 12 0 0 3 2579",
	 "the forwarding tables do not know 1 destination: node016"},
	{"nothing was routed", TWO, "", "empty", "", "critical; route-unreachable seen x240", "240 0 240 0 0 0 0",
	 "lead to no host at all: no subnet manager has routed this fabric"},
	{"the port of another host", TWO, "", "send edge004 node016 1", "",
	 "critical; route-unreachable seen edge004:1 x15", "240 225 15 0 0 3 2600",
	 "edge004 port 1 leads to another host, and the table sends packets for node016 there"},
	{"the switch takes it for its own", TWO, "", "send edge004 node016 0", "",
	 "critical; route-unreachable seen edge004 x15", "240 225 15 0 0 3 2600",
	 "edge004 has no valid entry for node016"},
	{"a port that it does not have", TWO, "", "send edge004 node016 99", "",
	 "critical; route-unreachable seen edge004 x15", "240 225 15 0 0 3 2600", NULL},
	{"a port that is down", TWO, "cut core01:8", "send core01 node013 8; send core01 node014 8", "",
	 "critical; route-unreachable seen core01:8 x12; cable-missing absent edge004:6 core01:8",
	 "240 228 12 0 0 3 2579", NULL},
	{"a cable that was pulled unnoticed: both of its ends are one cause", TWO, "", "", "cut edge001:5",
	 "critical; route-unreachable seen core01:1 edge001:5 x36; cable-missing absent edge001:5 core01:1",
	 "240 204 36 0 0 3 2529",
	 "the routes of 36 pairs of hosts end early, at core01 port 1, edge001 port 5, which are down"},
	{"a core that went off unnoticed: one cause", TWO, "", "", "dead core02",
	 "critical; route-unreachable seen edge001:7 edge001:8 edge002:7 edge002:8 edge003:7 edge003:8 edge004:7 "
	 "edge004:8 x96; core-missing absent edge001:7 edge001:8 edge002:7 edge002:8 edge003:7 edge003:8 edge004:7 "
	 "edge004:8",
	 "240 144 96 0 0 3 2333", NULL},
	{"a loop", TWO, "", "send edge001 node016 5; send core01 node016 1", "",
	 "critical; route-loop seen edge001:5 core01:1 x12", "240 228 0 12 0 3 2579",
	 "edge001 port 5, core01 port 1, and again"},
	{"a table that is not known", TWO, "", "forget core01", "", "warning; sweep-incomplete unreached core01",
	 "240 144 0 0 96 3 2333",
	 "the forwarding table of core01 is not known, and so not the routes of 96 pairs of hosts"},
	{"a table of which a block was lost", TWO, "", "blur core01", "", "warning; sweep-incomplete unreached core01",
	 "240 144 0 0 96 3 2333", NULL},
	{"a table of which the last LID was left out", TWO, "", "omit core01", "", NULL, "240 144 0 0 96 3 2333", NULL},
	{"a table that is not known and that nobody needs", TWO,
	 "cut edge001:5; cut edge001:6; cut edge002:5; "
	 "cut edge002:6; cut edge003:5; cut edge003:6; cut edge004:6",
	 "forget core01", "", NULL, "240 240 0 0 0 3 2600", NULL},
	{"a detour that turns up again", TWO, "",
	 "send core01 node016 3; send edge002 node016 7; send edge001 node016 5", "",
	 "warning; route-detour seen core01 x8", "240 240 0 0 0 5 2667",
	 "core01: 8 pairs of hosts, 1 destination, up to 5 switches instead of 3, 8 that go up again after down"},
	{"a detour that cables force is no finding", TWO, "cut edge001:5; cut edge001:6; cut edge002:7; cut edge002:8",
	 "send edge001 node005 7; send core02 node005 5", "",
	 "critical; route-unreachable seen edge001 x12; route-unreachable seen edge002 x16; "
	 "cable-missing absent edge001:5 edge001:6 core01:1 core01:2 x2; "
	 "cable-missing absent edge002:7 edge002:8 core02:3 core02:4 x2",
	 "240 212 28 0 0 5 2585", NULL},
	{"two turns, and with two good routes a circle", TWO, "",
	 "send edge003 node013 5; send core01 node013 1; send edge001 node013 7; send core02 node013 7; "
	 "send edge004 node009 7; send core02 node009 3; send edge002 node009 5; send core01 node009 5; "
	 "send edge001 node005 7; send core02 node005 3; send edge002 node001 5; send core01 node001 1",
	 "",
	 "warning; route-detour seen core01 x8; route-detour seen core02 x4; route-cycle seen edge001:7 core02:3 "
	 "edge002:5 core01:1 x4; route-imbalance seen edge001:7; route-imbalance seen edge002:5",
	 "240 240 0 0 0 5 2700", NULL},
	{"all over one uplink", TWO, "",
	 "send edge001 node005 5; send edge001 node006 5; send edge001 node007 5; send edge001 node008 5; "
	 "send edge001 node009 5; send edge001 node010 5; send edge001 node011 5; send edge001 node012 5; "
	 "send edge001 node013 5; send edge001 node014 5; send edge001 node015 5; send edge001 node016 5",
	 "", "warning; route-imbalance seen edge001:5", "240 240 0 0 0 3 2600",
	 "4 uplinks with routes to 0 to 12 hosts each, 3.0 on average"},
	{"the only cable to a switch beside the tree", BESIDE, "", "", "", "ok", "992 992 0 0 0 4 2677", NULL},
	{"healthy, a tree as a graph", TWO_GRAPH, "", "", "", "ok", "240 240 0 0 0 3 2600", NULL},
	{"a tree as a graph turns up again", TWO_GRAPH, "",
	 "send core01 node016 3; send edge002 node016 7; send edge001 node016 5", "",
	 "warning; route-detour seen core01 x8", "240 240 0 0 0 5 2667",
	 "core01: 8 pairs of hosts, 1 destination, up to 5 switches instead of 3, 8 that go up again after down"},
	{"healthy, two networks", TRIANGLES, "", "", "", "ok", "60 60 0 0 0 2 1800", NULL},
	{"an entry of one of two networks", TRIANGLES, "", "drop r1 node003", "",
	 "critical; route-unreachable seen r1 x2", "60 58 2 0 0 2 1793", NULL},
	{"the long way round a triangle", TRIANGLES, "", "send r1 node003 4", "", "warning; route-detour seen r1 x2",
	 "60 60 0 0 0 3 1833", "r1: 2 pairs of hosts, 1 destination, up to 3 switches instead of 2"},
	{"shortest routes of a torus are no detours, whichever they are", TORUS, "", "", "",
	 "warning; route-cycle seen sw-0-0:3 sw-2-0:4 sw-2-1:2 sw-0-1:5 x12", "72 72 0 0 0 3 2500", NULL},
	{"the long way round a torus", TORUS, "", "send sw-0-0 node002 5", "",
	 "warning; route-detour seen sw-0-0; route-cycle seen sw-0-0:3 sw-2-0:4 sw-2-1:2 sw-0-1:5 x12",
	 "72 72 0 0 0 3 2514", "sw-0-0: 1 pair of hosts, 1 destination, up to 3 switches instead of 2"},
	{"a torus routed around a pulled cable", TORUS, "cut sw-0-0:4", "", "",
	 "warning; cable-missing absent sw-0-0:4 sw-0-1:5; route-cycle seen sw-0-0:3 sw-2-0:5 sw-2-2:2 sw-0-2:4 x7",
	 "72 72 0 0 0 3 2528", NULL},
	{"longer than what is left of a torus takes", TORUS, "cut sw-0-0:4",
	 "send sw-0-0 node002 2; send sw-1-0 node002 2; send sw-2-0 node002 4", "",
	 "warning; cable-missing absent sw-0-0:4 sw-0-1:5; route-detour seen sw-0-0; route-detour seen sw-1-0; "
	 "route-cycle seen sw-0-0:3 sw-2-0:5 sw-2-2:2 sw-0-2:4 x7",
	 "72 72 0 0 0 5 2569", "sw-0-0: 1 pair of hosts, 1 destination, up to 5 switches instead of 3"},
	/* Either way round there are routes over three of the five. */
	{"a ring waits for itself", RING, "", "", "",
	 "warning; route-cycle seen ring1:3 ring2:4 ring3:4 ring4:4 ring5:3 x5; "
	 "route-cycle seen ring1:4 ring5:4 ring4:3 ring3:3 ring2:3 x5",
	 "90 90 0 0 0 3 2333", NULL},
};

static void figures_print(const struct ft_report *r, char text[128])
{
	snprintf(text, 128, "%u %u %u %u %u %u %u", r->routes.pairs, r->routes.reached, r->routes.unreachable,
		 r->routes.looping, r->routes.unknown, r->routes.longest, r->routes.mean_milli);
}

static bool is_about_routes(const struct ft_finding *f)
{
	return f->code >= FT_CODE_ROUTE_UNREACHABLE && f->code <= FT_CODE_ROUTE_IMBALANCE;
}

static void text_check(const struct ft_report *report, const char *part)
{
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		if (!is_about_routes(f) && f->code != FT_CODE_SWEEP_INCOMPLETE)
			continue;
		if (!strstr(f->text, part))
			fail_msg("\"%s\" does not say \"%s\"", f->text, part);
		return;
	}
	fail_msg("no finding is about routes");
}

static void test_row(void **state)
{
	const struct row *row = *state;
	_cleanup_(tables_release) struct tables t;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0};
	char figures[128];

	tables_make(&t, row->design, row->before, row->damage, row->after);
	assert_int_equal(verify(&t, &report), 0);
	report_words(report, &words);
	figures_print(report, figures);
	print_message("%s: %s | %s\n", row->what, ft_text_string(&words), figures);
	if (row->expected)
		assert_string_equal(ft_text_string(&words), row->expected);
	if (row->figures)
		assert_string_equal(figures, row->figures);
	if (row->text)
		text_check(report, row->text);
	report_check(report);
	report_returns(report);
}

/* ---- pair by pair ---- */

struct truth {
	uint32_t pairs, reached, unreachable, looping, unknown, longest, detours;
	uint64_t sum;
	bool *after; /* [ports][ports]: a route leaves by the one and then by the other */
	uint32_t *out;
};

/* How many switches are on the best way from @from to the host @to, as a good route is allowed to be long. */
static uint32_t allowed(const struct tables *t, uint32_t from, uint32_t to, bool *ret_legal)
{
	const struct ft_snapshot *s = t->b.snapshot;
	uint32_t *down = calloc(s->node_count, sizeof(*down)), *any = calloc(s->node_count, sizeof(*any));
	uint32_t edge = s->ports[s->ports[s->nodes[to].first_port].peer].node, best, planned = t->b.plan->clos;
	unsigned int a = 0, b = 0;

	assert_true(down && any);
	ways_find(s, to, down, any);
	best = any[from];
	*ret_legal = best < 1000;
	for (uint32_t round = 0; best >= 1000 && round < s->node_count; round++)
		for (uint32_t i = 0; i < s->port_count; i++) {
			const struct ft_port *port = &s->ports[i], *peer = ft_port_peer(s, port);

			if (peer && s->nodes[port->node].type == FT_NODE_SWITCH &&
			    down[peer->node] + 1 < down[port->node])
				down[port->node] = down[peer->node] + 1;
		}
	best = best < 1000 ? best : down[from];
	assert_int_equal(sscanf(ft_node_description(s, &s->nodes[from]), "edge%u", &a), 1);
	assert_int_equal(sscanf(ft_node_description(s, &s->nodes[edge]), "edge%u", &b), 1);
	if (t->b.plan->tree->levels == 3 && (a - 1) / 2 == (b - 1) / 2)
		planned = 3;
	planned = a == b ? 1 : planned;
	free(down);
	free(any);
	return planned > best ? planned : best;
}

static void pair_walk(const struct tables *t, uint32_t from_host, uint32_t to, struct truth *truth)
{
	const struct ft_snapshot *s = t->b.snapshot;
	uint32_t from = s->ports[s->ports[s->nodes[from_host].first_port].peer].node, here = from, length = 0;
	uint32_t lid = s->ports[s->nodes[to].first_port].lid;
	bool fell = false, turns = false, legal;

	truth->pairs++;
	for (;;) {
		unsigned int number = ft_route_port(&t->routes->tables[here], lid);
		const struct ft_port *port = ft_node_port(s, &s->nodes[here], number);
		const struct ft_port *peer = port ? ft_port_peer(s, port) : NULL;

		if (number == FT_ROUTE_UNKNOWN) {
			truth->unknown++;
			return;
		}
		if (!peer || (s->nodes[peer->node].type == FT_NODE_CA && peer->node != to)) {
			truth->unreachable++;
			return;
		}
		truth->out[length++] = (uint32_t)(port - s->ports);
		if (peer->node == to)
			break;
		if (length > s->node_count) {
			truth->looping++;
			return;
		}
		turns |= fell && tier_of(s, peer->node) > tier_of(s, here);
		fell |= tier_of(s, peer->node) < tier_of(s, here);
		here = peer->node;
	}
	truth->reached++;
	truth->sum += length;
	truth->longest = length > truth->longest ? length : truth->longest;
	for (uint32_t i = 0; i + 2 < length; i++)
		truth->after[(size_t)truth->out[i] * s->port_count + truth->out[i + 1]] = true;
	if (length > allowed(t, from, to, &legal) || (turns && legal))
		truth->detours++;
}

/* Ports that are on no circle fall away one by one. */
static bool has_circle(const struct ft_snapshot *s, const bool *after)
{
	bool *gone = calloc(s->port_count, sizeof(*gone)), more = true;
	uint32_t left = s->port_count;

	assert_non_null(gone);
	while (more) {
		more = false;
		for (uint32_t i = 0; i < s->port_count; i++) {
			bool waits = false;

			for (uint32_t j = 0; j < s->port_count && !gone[i]; j++)
				waits |= after[(size_t)i * s->port_count + j] && !gone[j];
			if (gone[i] || waits)
				continue;
			gone[i] = more = true;
			left--;
		}
	}
	free(gone);
	return left > 0;
}

/* @seen: in how many fabrics something was unreachable, looping, on a detour, in a circle. */
static void truth_check(const struct tables *t, uint32_t seen[4])
{
	const struct ft_snapshot *s = t->b.snapshot;
	struct truth truth = {.after = calloc((size_t)s->port_count * s->port_count, sizeof(bool)),
			      .out = calloc(s->node_count + 2, sizeof(uint32_t))};
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	uint32_t unreachable = 0, looping = 0, detours = 0, circles = 0;
	bool isolated = false;

	assert_true(truth.after && truth.out);
	for (uint32_t a = 0; a < s->node_count; a++)
		for (uint32_t b = 0; b < s->node_count; b++)
			if (a != b && s->nodes[a].type == FT_NODE_CA && s->nodes[b].type == FT_NODE_CA &&
			    s->ports[s->nodes[a].first_port].peer != FT_NONE &&
			    s->ports[s->nodes[b].first_port].peer != FT_NONE)
				pair_walk(t, a, b, &truth);
	assert_int_equal(verify(t, &report), 0);
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		unreachable += f->code == FT_CODE_ROUTE_UNREACHABLE ? f->count : 0;
		looping += f->code == FT_CODE_ROUTE_LOOP ? f->count : 0;
		detours += f->code == FT_CODE_ROUTE_DETOUR ? f->count : 0;
		circles += f->code == FT_CODE_ROUTE_CYCLE;
		isolated |= f->code == FT_CODE_EDGE_ISOLATED;
	}
	assert_int_equal(report->routes.pairs, truth.pairs);
	assert_int_equal(report->routes.reached, truth.reached);
	assert_int_equal(report->routes.unreachable, truth.unreachable);
	assert_int_equal(report->routes.looping, truth.looping);
	assert_int_equal(report->routes.unknown, truth.unknown);
	assert_int_equal(report->routes.longest, truth.longest);
	assert_int_equal(report->routes.mean_milli,
			 truth.reached ? (truth.sum * 1000 + truth.reached / 2) / truth.reached : 0);
	/* Of what no cable leads to, the tables are not to blame. */
	assert_true(isolated ? unreachable <= truth.unreachable : unreachable == truth.unreachable);
	assert_int_equal(looping, truth.looping);
	assert_int_equal(detours, truth.detours);
	assert_int_equal(circles > 0, has_circle(s, truth.after));
	seen[0] += unreachable > 0;
	seen[1] += looping > 0;
	seen[2] += detours > 0;
	seen[3] += circles > 0;
	report_check(report);
	report_returns(report);
	free(truth.after);
	free(truth.out);
}

/* Names of nodes of a tier: hosts -1. */
static const char *any_name(const struct ft_snapshot *s, int tier, uint64_t *seed)
{
	uint32_t n;

	do
		n = random_next(seed) % s->node_count;
	while (tier < 0 ? tier_of(s, n) != -1 : tier_of(s, n) < 0);
	return ft_node_description(s, &s->nodes[n]);
}

/* Every switch has a way to @to, and hardly one that makes sense: it points to any that has one already. */
static void wander(struct tables *t, uint32_t to, uint64_t *seed)
{
	const struct ft_snapshot *s = t->b.snapshot;
	const struct ft_port *host = &s->ports[s->nodes[to].first_port], *at = ft_port_peer(s, host);
	bool *there = calloc(s->node_count, sizeof(*there));
	uint32_t left = 0;

	assert_non_null(there);
	for (uint32_t n = 0; n < s->node_count; n++)
		left += s->nodes[n].type == FT_NODE_SWITCH;
	there[at->node] = true;
	t->routes->tables[at->node].ports[host->lid] = at->number;
	for (left--; left > 0;) {
		const struct ft_port *port = &s->ports[random_next(seed) % s->port_count];
		const struct ft_port *peer = ft_port_peer(s, port);

		if (!peer || s->nodes[port->node].type != FT_NODE_SWITCH || there[port->node] || !there[peer->node])
			continue;
		there[port->node] = true;
		t->routes->tables[port->node].ports[host->lid] = port->number;
		left--;
	}
	free(there);
}

static void random_wandering(struct tables *t, uint64_t *seed)
{
	for (uint32_t count = random_next(seed) % (random_next(seed) % 2 ? 4 : 24); count > 0; count--)
		wander(t, node_find(t->b.snapshot, any_name(t->b.snapshot, -1, seed)), seed);
}

static void random_damage(struct tables *t, uint64_t *seed)
{
	static const char *const verbs[] = {"send", "send", "send", "send", "drop", "forget"};
	uint32_t count = random_next(seed) % 2 * (random_next(seed) % 24),
		 kinds = random_next(seed) % FT_COUNT(verbs) + 1;
	char words[256];

	for (uint32_t i = 0; i < count; i++) {
		const char *at = any_name(t->b.snapshot, 0, seed), *to = any_name(t->b.snapshot, -1, seed);
		uint32_t port = random_next(seed) % (t->b.snapshot->nodes[node_find(t->b.snapshot, at)].port_count + 1);

		if (!t->routes->tables[node_find(t->b.snapshot, at)].ports)
			continue;
		snprintf(words, sizeof(words), "%s %s %s %u", verbs[random_next(seed) % kinds], at, to, port);
		/* Of "drop" and "forget" only so much is read. */
		if (words[0] != 's')
			*strrchr(words, ' ') = '\0';
		damage_apply(t, words);
	}
}

static uint64_t seed_choose(void)
{
	const char *given = getenv("FT_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 20261121;

	print_message("FT_SEED=%" PRIu64 "\n", seed);
	return seed;
}

static void test_random(void **state)
{
	uint64_t seed = seed_choose();
	uint32_t seen[4] = {0};
	(void)state;

	for (uint32_t round = 0; round < 150; round++) {
		_cleanup_(tables_release) struct tables t;

		tables_make(&t, round % 2 ? TWO : THREE, "", "", "");
		random_wandering(&t, &seed);
		random_damage(&t, &seed);
		for (uint32_t cuts = random_next(&seed) % 3; cuts > 0; cuts--)
			cable_drop(t.b.snapshot, &t.b.snapshot->ports[random_next(&seed) % t.b.snapshot->port_count],
				   FT_LINK_DOWN);
		truth_check(&t, seen);
	}
	print_message("of 150: %u unreachable, %u looping, %u with detours, %u with circles\n", seen[0], seen[1],
		      seen[2], seen[3]);
	for (size_t i = 0; i < FT_COUNT(seen); i++)
		assert_true(seen[i] > 3);
}

/* ---- text ---- */

/* LID by LID: the port, - for none, ? where it is not known; then how many there are. */
static void table_print(const struct ft_route_table *table, struct ft_text *text)
{
	if (!table->ports)
		ft_text_puts(text, "unknown");
	for (uint32_t lid = 1; table->ports && lid < table->lids && lid < 10; lid++) {
		unsigned int port = ft_route_port(table, lid);

		if (port == FT_ROUTE_UNKNOWN)
			ft_text_puts(text, "?");
		else if (port == FT_ROUTE_NONE)
			ft_text_puts(text, "-");
		else
			ft_text_printf(text, "%u ", port);
	}
	if (table->ports)
		ft_text_printf(text, "of %u", table->lids);
	if (table->ports && table->lids == 65) {
		unsigned int port = ft_route_port(table, 64);

		ft_text_printf(text, "; 64 %s%s",
			       port == FT_ROUTE_UNKNOWN ? "?"
			       : port == FT_ROUTE_NONE	? "-"
							: "2",
			       table->left_out ? ", left out" : "");
	}
}

#define EDGE1 "guid 0x0000000000100001 "
#define EDGE2 "guid 0x0000000000100002 "
#define HEAD1 "Unicast lids [0x0-0x5] of switch Lid 1 " EDGE1 "(edge001):\n"

struct text_row {
	const char *what;
	const char *text;
	const char *expected; /* edge001's table; then, where it is known, edge002's; or LINE:COLUMN: what is wrong */
};

static const struct text_row text_rows[] = {
	{"ibroute",
	 HEAD1 "  Lid  Out   Destination\n       Port     Info \n0x0001 000 : (Switch portguid 0x1: 'edge001')\n"
	       "0x0003 017 : (Channel Adapter portguid 0x2: 'n')\n2 valid lids dumped \n",
	 "0 -17 --of 6"},
	{"ibroute -n",
	 HEAD1 "  Lid  Out   Destination\n       Port     Info \n0x0001 000 \n0x0002 007 \n2 valid lids dumped \n",
	 "0 7 ---of 6"},
	{"ibroute -a",
	 HEAD1 "0x0000 255 : (path #0 - illegal port)\n0x0001 009 : ()\n0x0002 255 : ()\n3 lids dumped \n",
	 "9 ----of 6"},
	{"ibroute by a directed route",
	 "Unicast lids [0x0-0x1] of switch DR path slid 0; dlid 0; 0,1,7,15 " EDGE1 "(edge001):\n0x0001 003\n",
	 "3 of 2"},
	{"of a range of LIDs, all others are not known",
	 "Unicast lids [0x42-0x43] of switch Lid 1 " EDGE1 "(edge001):\n0x0043 003\n2 valid lids dumped\n",
	 "?????????of 49152"},
	{"OpenSM's",
	 "Unicast lids [0-3] of switch Lid 1 " EDGE1 "('edge001'):\n0x0001 000 # Switch portguid 0x1: 'e'\n"
	 "0x0003 255 # unreachable\n3 lids dumped\n\n",
	 "0 --of 4"},
	{"two tables",
	 HEAD1 "0x0001 001\n1 valid lids dumped\nUnicast lids [0x0-0x1] of switch Lid 2 " EDGE2 "(x):\n0x0001 002\n",
	 "1 ----of 6, 2 of 2"},
	{"CRLF, a BOM, a prompt before and behind",
	 "\xef\xbb\xbf$ ibroute 1\r\nUnicast lids [0x0-0x2] of switch Lid 1 " EDGE1 "(e):\r\n\r\n0x0001 001\r\n"
	 "0x0002 002 :\r\n$ \r\n",
	 "1 2 of 3"},
	{"the last line without its end", "Unicast lids [0x0-0x1] of switch Lid 1 " EDGE1 "(e):\n0x0001 001", "1 of 2"},
	{"one that failed at its end has all of it",
	 "Unicast lids [0x0-0x1] of switch Lid 1 " EDGE1 "(e):\n0x0001 001\nibroute: iberror: failed\n", "1 of 2"},
	{"one that failed before is not known from there on",
	 HEAD1 "0x0001 001\nibroute: iberror: failed\n0x0002 004\n", "?????of 6"},
	{"one that was cut short", HEAD1 "0x0001 001\n", "?????of 6"},
	{"one without any line", HEAD1, "?????of 6"},
	{"a table for multicast is none of ours",
	 HEAD1 "0x0001 001\n0 valid lids dumped\nMulticast mlids [0xc000-0xc3ff] of switch Lid 1 " EDGE1
	       "(e):\n     Ports: 0 1\n0xc000     x\n0 valid mlids dumped\n",
	 "1 ----of 6"},
	{"a switch that is not in the fabric", "Unicast lids [0x0-0x1] of switch Lid 1 guid 0x77 (e):\n0x0001 001\n",
	 "unknown"},
	{"names that pretend",
	 "Unicast lids [0x0-0x1] of switch Lid 1 " EDGE1 "(guid 0x0000000000100002 (x):\n0x0001 001 : (')\n", "1 of 2"},
	{"nothing", "", "1:1: there is no forwarding table here: no line begins with \"Unicast lids [\""},
	{"something else", "# Topology file\nSwitch 36 \"S-1\"\n",
	 "1:1: there is no forwarding table here: no line begins with \"Unicast lids [\""},
	{"LIDs beyond all unicast", "Unicast lids [0x0-0xc000] of switch Lid 1 " EDGE1 "(e):\n",
	 "unknown\n1:19: here the last LID is to be, 0xbfff at most, and a bracket; this table is not known\n"},
	{"a range that ends before it begins", "Unicast lids [0x5-0x4] of switch Lid 1 " EDGE1 "(e):\n",
	 "unknown\n1:19: here the last LID is to be, 0xbfff at most, and a bracket; this table is not known\n"},
	{"no first LID", "Unicast lids [-0x4] of switch Lid 1 " EDGE1 "(e):\n",
	 "unknown\n1:15: here the first LID is to be, 0xbfff at most, and a hyphen; this table is not known\n"},
	{"no GUID", "Unicast lids [0x0-0x4] of switch Lid 1 (e):\n",
	 "unknown\n1:22: the GUID of the switch is missing; this table is not known\n"},
	{"a GUID of too many digits", "Unicast lids [0x0-0x4] of switch Lid 1 guid 0x10000000000000000 (e):\n",
	 "unknown\n1:22: the GUID of the switch is missing; this table is not known\n"},
	{"a LID of another table", HEAD1 "0x0006 001\n",
	 "unknown\n2:1: this LID is not among those of the table's first line; this table is not known\n"},
	{"a LID twice", HEAD1 "0x0003 001\n0x0003 002\n",
	 "unknown\n3:1: this LID is not higher than the one before; this table is not known\n"},
	{"a LID that is none", HEAD1 "0xg 001\n",
	 "unknown\n2:1: here a LID is to be, and a blank; this table is not known\n"},
	{"a LID without a port", HEAD1 "0x0003",
	 "unknown\n2:1: here a LID is to be, and a blank; this table is not known\n"},
	{"a port that is none", HEAD1 "0x0003 x\n",
	 "unknown\n2:8: here a port is to be, 255 at most; this table is not known\n"},
	{"a port beyond 255", HEAD1 "0x0003   256\n",
	 "unknown\n2:10: here a port is to be, 255 at most; this table is not known\n"},
	{"a port beyond all numbers", HEAD1 "0x0003 99999999999999999999999\n",
	 "unknown\n2:8: here a port is to be, 255 at most; this table is not known\n"},
	{"a second table of a switch", HEAD1 "0x0001 001\n1 valid lids dumped\n" HEAD1,
	 "unknown\n4:45: there is a table of this switch already; this table is not known\n"},
	{"a third table of a switch", HEAD1 "0x0001 001\n1 valid lids dumped\n" HEAD1 HEAD1,
	 "unknown\n4:45: there is a table of this switch already; this table is not known\n"
	 "5:45: there is a table of this switch already; this table is not known\n"},
	{"a damaged table beside a whole one",
	 HEAD1 "0x0003 001\n0x0003 002\n0x0004 002\nx\n0x0002 003\n4 valid lids dumped\nUnicast lids [0x0-0x1] of "
	       "switch Lid 2 " EDGE2 "(x):\n0x0001 002\n1 valid lids dumped\n",
	 "unknown, 2 of 2\n3:1: this LID is not higher than the one before; this table is not known\n"},
	{"dump_lfts leaves out a last LID that is a multiple of 64",
	 "Unicast lids [0x0-0x40] of switch Lid 1 " EDGE1 "(e):\n0x0001 001\n0x0002 002\n2 valid lids dumped\n",
	 "1 2 -------of 65; 64 ?, left out"},
	{"the same without its last line",
	 "Unicast lids [0x0-0x40] of switch Lid 1 " EDGE1 "(e):\n0x0001 001\n0x003f 002\n",
	 "1 --------of 65; 64 ?, left out"},
	{"one that ends before that", "Unicast lids [0x0-0x40] of switch Lid 1 " EDGE1 "(e):\n0x0001 001\n0x003e 002\n",
	 "?????????of 65; 64 ?"},
	{"OpenSM does not",
	 "Unicast lids [0-64] of switch Lid 1 " EDGE1 "(e):\n0x0001 001\n0x0002 002\n2 valid lids dumped\n",
	 "1 2 -------of 65; 64 -"},
	{"a last LID that is listed",
	 "Unicast lids [0x0-0x40] of switch Lid 1 " EDGE1 "(e):\n0x0001 001\n0x0040 002\n2 valid lids dumped\n",
	 "1 --------of 65; 64 2"},
};

static void test_text(void **state)
{
	const struct text_row *row = *state;
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	_cleanup_(ft_text_release) struct ft_text said = {0}, faults = {0};
	const struct ft_route_table *second;
	struct ft_error err = {0};
	int r;

	bench_make(&b, TWO);
	assert_int_equal(ft_routes_new(b.snapshot->node_count, &routes), 0);
	r = ft_routes_parse(row->text, strlen(row->text), b.snapshot, routes, NULL, NULL, &faults, &err);
	if (r < 0) {
		ft_text_printf(&said, "%u:%u: %s", err.line, err.column, err.text);
		assert_int_equal(r, -ENOMSG);
	} else {
		table_print(&routes->tables[node_find(b.snapshot, "edge001")], &said);
		second = &routes->tables[node_find(b.snapshot, "edge002")];
		if (second->ports)
			ft_text_puts(&said, ", ");
		if (second->ports)
			table_print(second, &said);
		ft_text_printf(&said, "%s%s", faults.length ? "\n" : "", ft_text_string(&faults));
	}
	assert_string_equal(ft_text_string(&said), row->expected);
}

/* Two switches of one GUID have no table that is known to be theirs. */
static void test_twins(void **state)
{
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	struct ft_error err = {0};
	(void)state;

	bench_make(&b, TWO);
	faults_apply(&b, "guid edge002 edge001");
	assert_int_equal(ft_routes_new(b.snapshot->node_count, &routes), 0);
	assert_int_equal(ft_routes_parse(HEAD1, strlen(HEAD1), b.snapshot, routes, NULL, NULL, NULL, &err), 0);
	for (uint32_t i = 0; i < routes->node_count; i++)
		assert_null(routes->tables[i].ports);
}

/* ---- virtual lanes ---- */

/*
 * The ring of five, where the tables make a circle either way round. Rows of the SL2VL tables: "identity", "zero" (all
 * on lane 0), "dropped" (all on lane 15), "none" (not known). Levels: "zero", "dateline" (1 for routes over the cable
 * from ring5 to ring1, else 0), "forward" (0 for routes that way round, others not known), "first" (dateline, for the
 * first host of each switch), "none".
 */
struct lane_row {
	const char *what, *rows, *levels;
	const char *expected; /* findings */
	uint32_t unknown;
	const char *text; /* a part of the text of the first finding; NULL: any */
};

#define CIRCLE_UP "route-cycle seen ring1:3 ring2:4 ring3:4 ring4:4 ring5:3 x5"
#define CIRCLE_DOWN "route-cycle seen ring1:4 ring5:4 ring4:3 ring3:3 ring2:3 x5"

static const struct lane_row lane_rows[] = {
	{"all on one lane by the tables, whatever the level", "zero", "none", "warning; " CIRCLE_UP "; " CIRCLE_DOWN, 0,
	 "ring1 port 3 lane 0, ring2 port 4 lane 0"},
	{"all on one level", "identity", "zero", "warning; " CIRCLE_UP "; " CIRCLE_DOWN, 0, "traffic can come"},
	{"another lane beyond the dateline", "identity", "dateline", "ok", 0, NULL},
	{"levels of the first hosts stand for all", "identity", "first", "ok", 0, NULL},
	{"another level, but the same lane", "zero", "dateline", "warning; " CIRCLE_UP "; " CIRCLE_DOWN, 0, NULL},
	{"lanes that the ports do not have", "dropped", "zero", "ok", 0, NULL},
	/* 5 switches to 2 hosts of one other each way, from 2 hosts. */
	{"no level is known", "identity", "none", "ok", 40, NULL},
	{"no table is known", "none", "dateline", "ok", 40, NULL},
	{"one way round is known", "identity", "forward", "warning; " CIRCLE_UP, 20, NULL},
};

static bool is_row_known(const char *rule, uint8_t row[FT_LANE_LEVELS])
{
	for (unsigned int level = 0; level < FT_LANE_LEVELS; level++)
		row[level] = (uint8_t)(rule[0] == 'i' ? level : rule[0] == 'd' ? FT_LANE_DROPPED : 0);
	return rule[0] != 'n';
}

/* Hosts are numbered from 0, two a switch. */
static unsigned int ring_level(const char *rule, uint32_t from, uint32_t to)
{
	uint32_t a = from / 2, b = to / 2, forward = (b + 5 - a) % 5;
	bool crosses = forward <= 2 ? a + forward > 4 : a < 5 - forward;

	if (strcmp(rule, "none") == 0 || (strcmp(rule, "first") == 0 && from % 2 == 1) ||
	    (strcmp(rule, "forward") == 0 && forward > 2))
		return FT_LANE_UNKNOWN;
	return rule[0] == 'd' || strcmp(rule, "first") == 0 ? crosses : 0;
}

static void lanes_fill(const struct ft_snapshot *s, const char *rule, const char *levels, struct ft_lanes *lanes)
{
	uint8_t lane_of[FT_LANE_LEVELS];

	for (uint32_t n = 0; n < s->node_count; n++)
		for (unsigned int in = 0; s->nodes[n].type == FT_NODE_SWITCH && in <= s->nodes[n].port_count; in++)
			for (unsigned int out = 0; out <= s->nodes[n].port_count; out++)
				if (is_row_known(rule, lane_of))
					assert_int_equal(
						ft_lanes_set_row(lanes,
								 &(struct ft_crossing){n, (uint8_t)in, (uint8_t)out},
								 lane_of),
						0);
	for (uint32_t from = 0; from < 10; from++)
		for (uint32_t to = 0; to < 10; to++) {
			char a[16], b[16];
			struct ft_lane_path path;
			unsigned int level = ring_level(levels, from, to);

			snprintf(a, sizeof(a), "node%03u", from + 1);
			snprintf(b, sizeof(b), "node%03u", to + 1);
			path = (struct ft_lane_path){(uint16_t)lid_of(s, a), (uint16_t)lid_of(s, b)};
			if (level != FT_LANE_UNKNOWN)
				assert_int_equal(ft_lanes_set_level(lanes, &path, level), 0);
		}
}

static void memory_deny(const struct ft_verify_input *input)
{
	size_t failing = 0;
	int r = -ENOMEM;

	while (r == -ENOMEM) {
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;

		allocation_failing = ++failing;
		r = ft_verify_all(input, &report);
		allocation_failing = 0;
		assert_true(r == 0 ? report != NULL : report == NULL);
	}
	assert_int_equal(r, 0);
	assert_true(failing > 50);
}

static void test_no_memory(void **state)
{
	_cleanup_(tables_release) struct tables t, ring;
	_cleanup_(ft_lanes_freep) struct ft_lanes *lanes = NULL;
	struct ft_verify_input input;
	(void)state;

	tables_make(&t, THREE, "", "send edge001 node012 3; drop spine02 node007; send core01 node001 2; forget core02",
		    "cut edge003:3");
	memory_deny(&(struct ft_verify_input){.design = t.b.design,
					      .plan = t.b.plan,
					      .snapshot = t.b.snapshot,
					      .today = "2026-11-20",
					      .routes = t.routes});
	tables_make(&ring, RING, "", "", "");
	input = (struct ft_verify_input){.design = ring.b.design,
					 .plan = ring.b.plan,
					 .snapshot = ring.b.snapshot,
					 .today = "2026-11-20",
					 .want_lanes = true,
					 .routes = ring.routes};
	memory_deny(&input);
	assert_int_equal(ft_lanes_new(&lanes), 0);
	lanes_fill(ring.b.snapshot, "identity", "zero", lanes);
	input.lanes = lanes;
	memory_deny(&input);
}

static void test_lanes(void **state)
{
	const struct lane_row *row = *state;
	_cleanup_(tables_release) struct tables t;
	_cleanup_(ft_lanes_freep) struct ft_lanes *lanes = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0};

	tables_make(&t, RING, "", "", "");
	assert_int_equal(ft_lanes_new(&lanes), 0);
	lanes_fill(t.b.snapshot, row->rows, row->levels, lanes);
	assert_int_equal(ft_verify_all(&(struct ft_verify_input){.design = t.b.design,
								 .plan = t.b.plan,
								 .snapshot = t.b.snapshot,
								 .today = "2026-11-20",
								 .lanes = lanes,
								 .routes = t.routes},
				       &report),
			 0);
	report_words(report, &words);
	assert_string_equal(ft_text_string(&words), row->expected);
	assert_int_equal(report->routes.lanes_unknown, row->unknown);
	if (row->text)
		text_check(report, row->text);
	report_check(report);
	report_returns(report);
}

/* What is to be read of a fabric, for which nothing is known of lanes. */
static void wants_check(const char *design, uint32_t crossings, uint32_t paths)
{
	_cleanup_(tables_release) struct tables t;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	const struct ft_snapshot *s;

	tables_make(&t, design, "", "", "");
	s = t.b.snapshot;
	assert_int_equal(ft_verify_all(&(struct ft_verify_input){.design = t.b.design,
								 .plan = t.b.plan,
								 .snapshot = s,
								 .today = "2026-11-20",
								 .want_lanes = true,
								 .routes = t.routes},
				       &report),
			 0);
	assert_int_equal(report->lane_wants.crossing_count, crossings);
	assert_int_equal(report->lane_wants.path_count, paths);
	for (uint32_t i = 0; i < crossings; i++) {
		const struct ft_crossing *at = &report->lane_wants.crossings[i];

		assert_true(at->node < s->node_count && s->nodes[at->node].type == FT_NODE_SWITCH);
		assert_true(at->in > 0 && at->in <= s->nodes[at->node].port_count && at->out > 0 &&
			    at->out <= s->nodes[at->node].port_count && at->in != at->out);
		for (uint32_t n = 0; n < i; n++)
			assert_memory_not_equal(at, &report->lane_wants.crossings[n], sizeof(*at));
	}
}

static void test_wants(void **state)
{
	(void)state;
	/* Without a circle nothing is asked for. */
	wants_check(TWO, 0, 0);
	wants_check(THREE, 0, 0);
	wants_check(TRIANGLES, 0, 0);
	/* From two host ports to both sides, and through either way; from one host to two hosts at distance two, both
	 * ways. */
	wants_check(RING, 5 * (2 * 2 + 2), 5 * 4);
}

/* Text about lanes, and what is known then: of edge001 "in>out:lanes", all levels "from>to:level", then the faults. */
static const struct text_row lane_texts[] = {
	{"OpenSM's SL2VL tables",
	 "Switch 0x0000000000100001, base LID 1, \"edge001\"\n#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 "
	 "15\n#----\n0   1   : 0  0  0  0  0  0  0  0  1  1  1  1  1  1  1  1 \n5   7   : 0  1  2  3  4  5  6  7  8  9 "
	 " "
	 "10 11 12 13 14 15\n#----\n\nChannel Adapter 0x0000000000200002, base LID 7, \"node001\"\n#in out : 0  1\n"
	 "#---\n0   0   : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n",
	 "0>1:0000000011111111 5>7:0123456789abcdef "},
	{"ibdmchk's SL2VL tables", "0x0000000000100001 5 1 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xe7\r\n",
	 "5>1:0123456789abcde7 "},
	{"a later row counts",
	 "0x100001 5 1 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xe7\n0x100001 5 1 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00\n",
	 "5>1:0000000000000000 "},
	{"OpenSM's path records",
	 "Channel Adapter 0x0000000000200002, base LID 7, \"node001\", port 1\n# LID  : SL : MTU : RATE\n"
	 "0x0008 : 3  : 5   : 6   \n0x0009 : UNREACHABLE\n0x000A : 15 : 5   : 6   \n\n",
	 "7>8:3 7>10:15 "},
	{"path records of a host that is not there",
	 "Channel Adapter 0x77, base LID 7, \"x\", port 1\n# LID  : SL : MTU : RATE\n0x0008 : 3  : 5   : 6   \n", ""},
	{"no levels, but lengths",
	 "Channel Adapter 0x0000000000200002, base LID 7, LMC 0, \"x\", port 1\n# LID  : MTU : RATE\n0x0008 : 5   : "
	 "6\n",
	 "1:1: there is no forwarding table here: no line begins with \"Unicast lids [\""},
	{"ibdmchk's service levels", "0x0000000000200001 8 3\n0x0000000000200002 9 0\n", "7>8:3 7>9:0 "},
	{"of a switch that is not there", "0x77 5 1 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xe7\n", ""},
	{"ports that it does not have", "0x100001 5 99 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xe7\n", ""},
	{"a row that is cut off", "0x100001 5 1 0x01 0x23\n0x100001 5 2 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xe7\n",
	 "1:1: there is no forwarding table here: no line begins with \"Unicast lids [\"\n1:23: here two virtual lanes "
	 "are "
	 "to be, as 0x and two digits, eight times; no virtual lanes are read from here on\n"},
	{"a lane that is none",
	 "Switch 0x0000000000100001, base LID 1, \"e\"\n#in out : 0\n5 7 : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n5 8 : 0 16 "
	 "0\n",
	 "5>7:0000000000000000 \n4:9: here a virtual lane is to be, 15 at most, one for each of 16 levels; no virtual "
	 "lanes "
	 "are read from here on\n"},
	{"a port that is none",
	 "Switch 0x0000000000100001, base LID 1, \"e\"\n#in out : 0\n5 7 : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n5 256 : "
	 "0\n",
	 "5>7:0000000000000000 \n4:3: here the ports of a row are to be, 255 at most, and a colon; no virtual lanes "
	 "are read "
	 "from here on\n"},
	{"a level that is none",
	 "Channel Adapter 0x200002, base LID 7, \"x\"\n# LID  : SL :\n0x0008 : 3  : 5\n0x0009 : 16\n",
	 "7>8:3 \n4:10: here a service level is to be, 15 at most; no virtual lanes are read from here on\n"},
	{"numbers without end", "0x99999999999999999999999 1 1\n0x100001 99999999999999999999999999 1\n",
	 "1:1: there is no forwarding table here: no line begins with \"Unicast lids [\""},
	{"ibdiagnet's VL arbitration tables",
	 "START_NODES\nNodeGUID,PortNum,VL,Weight\n0x100001,2,1,0\nEND_NODES\n\nSTART_VL_ARBITRATION_TABLE\n"
	 "NodeGUID,PortGUID,PortNum,Priority,VL,Weight\n0x0000000000100001,0x0000000000100001,7,Low,0,4\n"
	 "0x0000000000100001,0x0000000000100001,7,High,2,1\n0x0000000000100001,0x0000000000100001,7,High,1,0\n"
	 "0x0000000000100001,0x0000000000100001,6,Low,0,0\nEND_VL_ARBITRATION_TABLE\n0x100001,1,8,Low,0,9\n",
	 "7!1 7!3 "},
	{"a weight that is none", "START_VL_ARBITRATION_TABLE\nNodeGUID,PortNum,VL,Weight\n0x100001,7,0,256\n",
	 "1:1: there is no forwarding table here: no line begins with \"Unicast lids [\"\n3:14: here a weight is to "
	 "be, 255 "
	 "at most; no virtual lanes are read from here on\n"},
	{"a row that lacks columns",
	 "START_VL_ARBITRATION_TABLE\nNodeGUID,PortNum,VL,Weight\n0x100001,7,0,4\n0x100001,7,1\n",
	 "7!1 7!2 7!3 \n4:1: this row has fewer columns than its titles; no virtual lanes are read from here on\n"},
	{"lines of a table are none of lanes", HEAD1 "0x0003 001 2\n0x0004 002 3\n0x0005 002\n", ""},
};

static void lanes_print(const struct ft_snapshot *s, const struct ft_lanes *lanes, struct ft_text *text)
{
	uint32_t edge = node_find(s, "edge001");

	for (unsigned int in = 0; in < 9; in++)
		for (unsigned int out = 0; out < 9; out++) {
			const struct ft_crossing at = {edge, (uint8_t)in, (uint8_t)out};

			if (ft_lanes_lane(lanes, &at, 0) == FT_LANE_UNKNOWN)
				continue;
			ft_text_printf(text, "%u>%u:", in, out);
			for (unsigned int level = 0; level < FT_LANE_LEVELS; level++)
				ft_text_printf(text, "%x", ft_lanes_lane(lanes, &at, level));
			ft_text_puts(text, " ");
		}
	for (unsigned int out = 0; out < 9; out++)
		for (unsigned int lane = 0; lane < 4; lane++)
			if (!ft_lanes_is_sent(lanes, &(struct ft_crossing){edge, 0, (uint8_t)out}, lane))
				ft_text_printf(text, "%u!%u ", out, lane);
	for (uint16_t from = 0; from < 40; from++)
		for (uint16_t to = 0; to < 40; to++)
			if (ft_lanes_level(lanes, from, to) != FT_LANE_UNKNOWN)
				ft_text_printf(text, "%u>%u:%u ", from, to, ft_lanes_level(lanes, from, to));
}

static void test_lane_text(void **state)
{
	const struct text_row *row = *state;
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	_cleanup_(ft_lanes_freep) struct ft_lanes *lanes = NULL;
	_cleanup_(ft_text_release) struct ft_text said = {0}, faults = {0};
	struct ft_error err = {0};
	int r;

	bench_make(&b, TWO);
	assert_int_equal(ft_routes_new(b.snapshot->node_count, &routes), 0);
	assert_int_equal(ft_lanes_new(&lanes), 0);
	r = ft_routes_parse(row->text, strlen(row->text), b.snapshot, routes, lanes, NULL, &faults, &err);
	if (r < 0)
		ft_text_printf(&said, "%u:%u: %s", err.line, err.column, err.text);
	else
		lanes_print(b.snapshot, lanes, &said);
	ft_text_printf(&said, "%s%s", faults.length ? "\n" : "", ft_text_string(&faults));
	assert_string_equal(ft_text_string(&said), row->expected);
}

/* ---- from process to process ---- */

static void same_check(const struct ft_routes *a, const struct ft_routes *b)
{
	assert_int_equal(a->node_count, b->node_count);
	assert_int_equal(a->mads, b->mads);
	assert_int_equal(a->timeouts, b->timeouts);
	for (uint32_t n = 0; n < a->node_count; n++) {
		assert_int_equal(a->tables[n].lids, b->tables[n].lids);
		for (uint32_t lid = 0; lid < a->tables[n].lids + 1; lid++)
			assert_int_equal(ft_route_port(&a->tables[n], lid), ft_route_port(&b->tables[n], lid));
	}
}

static void test_pack(void **state)
{
	_cleanup_(tables_release) struct tables t;
	_cleanup_(ft_routes_freep) struct ft_routes *back = NULL;
	_cleanup_(ft_text_release) struct ft_text packed = {0};
	uint64_t seed = seed_choose();
	struct ft_error err = {0};
	uint32_t nodes;
	(void)state;

	tables_make(&t, TWO, "", "forget core01; blur edge002", "");
	t.routes->mads = 17;
	t.routes->timeouts = 4;
	nodes = t.routes->node_count;
	ft_routes_pack(&packed, t.routes);
	assert_int_equal(ft_routes_unpack(packed.data, packed.length, nodes, &back, &err), 0);
	same_check(t.routes, back);
	/* What is cut short is never taken, nor what belongs to another snapshot, nor what has more behind it. */
	for (size_t length = 0; length < packed.length; length++) {
		_cleanup_(ft_routes_freep) struct ft_routes *none = NULL;

		assert_int_equal(ft_routes_unpack(packed.data, length, nodes, &none, &err), -EINVAL);
		assert_null(none);
		assert_true(err.text[0]);
	}
	assert_int_equal(ft_routes_unpack(packed.data, packed.length, nodes + 1, &back, &err), -EINVAL);
	/* Anything may come. What is taken can be looked at. */
	for (uint32_t round = 0; round < 2000; round++) {
		_cleanup_(ft_routes_freep) struct ft_routes *some = NULL;
		char *bytes = malloc(packed.length);

		assert_non_null(bytes);
		memcpy(bytes, packed.data, packed.length);
		bytes[random_next(&seed) % packed.length] = (char)random_next(&seed);
		if (ft_routes_unpack(bytes, packed.length, nodes, &some, &err) == 0)
			same_check(some, some);
		free(bytes);
	}
	ft_text_add(&packed, "", 1);
	assert_int_equal(ft_routes_unpack(packed.data, packed.length, nodes, &back, &err), -EINVAL);
}

static void test_readers_no_memory(void **state)
{
	static const char text[] = HEAD1 "0x0001 001\nUnicast lids [0x3-0x5] of switch Lid 2 " EDGE2
					 "(x):\n0x0003 002\n1 valid lids dumped\n"
					 "0x100001 5 1 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xe7\n0x200001 8 3\n";
	_cleanup_(bench_release) struct bench b;
	size_t failing = 0;
	int r = -ENOMEM;
	(void)state;

	bench_make(&b, TWO);
	while (r == -ENOMEM) {
		_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL, *back = NULL;
		_cleanup_(ft_lanes_freep) struct ft_lanes *lanes = NULL;
		_cleanup_(ft_text_release) struct ft_text packed = {0};
		struct ft_error err = {0};

		allocation_failing = ++failing;
		r = ft_routes_new(b.snapshot->node_count, &routes);
		if (r == 0)
			r = ft_lanes_new(&lanes);
		if (r == 0)
			r = ft_routes_parse(text, strlen(text), b.snapshot, routes, lanes, NULL, NULL, &err);
		if (r == 0) {
			ft_routes_pack(&packed, routes);
			r = ft_text_failed(&packed) ? -ENOMEM : 0;
		}
		if (r == 0)
			r = ft_routes_unpack(packed.data, packed.length, b.snapshot->node_count, &back, &err);
		allocation_failing = 0;
	}
	assert_int_equal(r, 0);
	assert_true(failing > 10);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_no_memory),	 cmocka_unit_test(test_twins),
		cmocka_unit_test(test_pack),   cmocka_unit_test(test_readers_no_memory), cmocka_unit_test(test_wants),
	};
	struct CMUnitTest tests[FT_COUNT(rows) + FT_COUNT(text_rows) + FT_COUNT(lane_rows) + FT_COUNT(lane_texts) +
				FT_COUNT(others)],
		*next = tests;

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		*next++ = (struct CMUnitTest){rows[i].what, test_row, NULL, NULL, (void *)&rows[i]};
	for (size_t i = 0; i < FT_COUNT(text_rows); i++)
		*next++ = (struct CMUnitTest){text_rows[i].what, test_text, NULL, NULL, (void *)&text_rows[i]};
	for (size_t i = 0; i < FT_COUNT(lane_rows); i++)
		*next++ = (struct CMUnitTest){lane_rows[i].what, test_lanes, NULL, NULL, (void *)&lane_rows[i]};
	for (size_t i = 0; i < FT_COUNT(lane_texts); i++)
		*next++ = (struct CMUnitTest){lane_texts[i].what, test_lane_text, NULL, NULL, (void *)&lane_texts[i]};
	memcpy(next, others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
