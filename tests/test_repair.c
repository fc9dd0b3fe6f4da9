/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What findings cost, what mends them, what more failures would do, and what OpenSM's ftree takes for a fat-tree. */
#include "config.h"

#include "base/map.h"
#include "probe/counters.h"
#include "tests/allocations.h"
#include "tests/bench.h"
#include "tests/extend.h"
#include "planner/flow/ftree.h"
#include "verify/repair/what_if.h"

#define SMALL "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}"
#define WIDE                                                                                                          \
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":216,\"edge\":{\"ports\":40,\"ports_to_nodes\":18,\"ports_to_core\":" \
	"18},"                                                                                                        \
	"\"core\":{\"ports\":40},\"bundle\":3"
#define TINY                                                                                                 \
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":12,\"edge\":{\"ports\":8,\"count\":4,\"ports_to_nodes\":3," \
	"\"ports_to_core\":3},\"core\":{\"ports\":8,\"count\":3}"
#define PODS                                                                                                       \
	"{\"ftcheck\":1,\"name\":\"t\",\"topology\":\"fat-tree\",\"levels\":3,\"nodes\":48,\"blocking\":\"4:1\","  \
	"\"pods\":3,\"bundle\":{\"edge\":2,\"spine\":1},\"edge\":{\"ports\":12,\"count\":12,\"ports_to_nodes\":4," \
	"\"ports_to_core\":6},\"spine\":{\"ports\":12,\"count\":9,\"ports_to_core\":2},"                           \
	"\"core\":{\"ports\":6,\"count\":6}"

/* Where little is left of a switch, only its name tells which it is. */
#define BOUND                                                                         \
	TINY ",\"bind\":{\"edge\":[\"edge001\",\"edge002\",\"edge003\",\"edge004\"]," \
	     "\"core\":[\"core01\",\"core02\",\"core03\"]}}"

struct row {
	const char *what;
	const char *design;
	const char *faults;
	const char *expected;
};

static void bench_report(struct bench *b, const struct row *row, struct ft_report **ret_report)
{
	bench_make(b, row->design);
	faults_apply(b, row->faults);
	assert_int_equal(ft_snapshot_check(b->snapshot, NULL), 0);
	assert_int_equal(ft_verify(b->design, b->plan, b->snapshot, "2026-11-20", ret_report), 0);
}

static struct ft_verify_input input_of(const struct bench *b)
{
	return (struct ft_verify_input){
		.design = b->design, .plan = b->plan, .snapshot = b->snapshot, .today = "2026-11-20"};
}

/* ---- what to do: "do a b -> verdict findings uplinks hosts; …", and what is left ---- */

static const struct row repairs[] = {
	{"nothing", SMALL "}", "", ""},
	{"a cable", SMALL "}", "cut edge003:20", "connect edge003:20 core01:20 -> ok 0 72 72"},
	{"two cables", SMALL "}", "cut edge003:20; cut edge001:30",
	 "connect edge001:30 core02:3 -> warning 1 71 72; connect edge003:20 core01:20 -> ok 0 72 72"},
	{"a swap", WIDE "}", "cut edge001:19; cut edge002:22; link edge001:19 core02:4; link edge002:22 core01:1",
	 "exchange core02:4 core01:1 -> ok 0 216 216"},
	{"three swapped", WIDE "}",
	 "cut edge001:19; cut edge002:22; cut edge003:25; link edge001:19 core02:4; link edge002:22 core03:7; link "
	 "edge003:25 core01:1",
	 "exchange core02:4 core01:1 -> warning 1 214 216; exchange core02:4 core03:7 -> ok 0 216 216"},
	{"three swapped, and other work at one of the stops", WIDE "}",
	 "cut edge001:19; cut edge002:22; cut edge003:25; link edge001:19 core02:4; link edge002:22 core03:7; link "
	 "edge003:25 core01:1; cut edge010:25; cut edge011:25",
	 "exchange core02:4 core01:1 -> warning 3 212 216; exchange core02:4 core03:7 -> warning 2 214 216; "
	 "connect edge010:25 core03:28 -> warning 1 215 216; connect edge011:25 core03:31 -> ok 0 216 216"},
	{"misplaced", WIDE "}", "cut edge004:20; link edge004:20 core05:40",
	 "move core05:40 core01:11 -> ok 0 216 216"},
	{"unplanned", WIDE "}", "link edge001:40 edge007:38", "remove edge001:40 edge007:38 -> ok 0 216 216"},
	{"a loop in planned ports", SMALL "}", "cut edge002:19; cut edge002:28; link edge002:19 edge002:28",
	 "remove edge002:19 edge002:28 -> warning 2 70 72; connect edge002:19 core01:10 -> warning 1 71 72; "
	 "connect edge002:28 core02:10 -> ok 0 72 72"},
	{"slow", SMALL "}", "rate edge001:20 4xEDR", "renew edge001:20 core01:2 -> ok 0 72 72"},
	{"slow for a host", SMALL "}", "rate edge003:1 4xEDR", "renew edge003:1 node037:1 -> ok 0 72 72"},
	{"a dead core", WIDE "}", "dead core03", "power core03 -> ok 0 216 216"},
	{"a dead edge", SMALL "}", "dead edge002", "power edge002 -> ok 0 72 72"},
	{"a mute core", SMALL "}", "mute core02", "power core02 -> ok 0 72 72"},
	{"a dead switch of an island",
	 WIDE
	 ",\"islands\":[{\"name\":\"i\",\"switches\":[{\"name\":\"m\",\"ports\":8,\"hosts\":1}],\"bundles\":[{\"a\":"
	 "\"m\",\"b\":\"core01\"}]}]}",
	 "dead m", "power m -> ok 0 217 217"},
	{"a dead switch of an island, with one behind it",
	 WIDE ",\"islands\":[{\"name\":\"i\",\"switches\":[{\"name\":\"m1\",\"ports\":8,\"hosts\":0},{\"name\":\"m2\","
	      "\"ports\":8,\"hosts\":3}],\"bundles\":[{\"a\":\"m1\",\"b\":\"core01\"},{\"a\":\"m1\",\"b\":\"m2\","
	      "\"count\":2}"
	      "]}]}",
	 "dead m1", "power m1 -> ok 0 219 219"},
	{"a dead core with an island behind it, and a cable of another",
	 WIDE ",\"islands\":[{\"name\":\"i\",\"switches\":[{\"name\":[\"m1\",\"m2\"],\"ports\":8,\"hosts\":3}],"
	      "\"bundles\":[{\"a\":\"m1\",\"b\":\"core03\"},{\"a\":\"m2\",\"b\":\"core04\",\"count\":2}]}]}",
	 "dead core03; cut m2:4", NULL},
	{"a dead core and a cable", WIDE "}", "dead core03; cut edge004:20",
	 "connect edge004:20 core01:11 -> warning 1 180 216; power core03 -> ok 0 216 216"},
	{"a host on a core", WIDE "}", "cut edge001:1; link core02:40 node001:1",
	 "move core02:40 edge001 -> ok 0 216 216"},
	{"a switch too many", WIDE "}", "spare stray 36; link stray:1 core02:39; link stray:2 core03:39",
	 "remove core02:39 stray:1 -> warning 1 216 216; remove core03:39 stray:2 -> ok 0 216 216"},
	{"locked up on an edge", SMALL "}", "lone edge002", NULL},
	{"what hands do not mend", SMALL "}", "lid edge002 777; lid edge003 777; cut edge001:19",
	 "connect edge001:19 core01:1 -> warning 1 72 72; left: lid-duplicate"},
	{"hosts that are off", SMALL "}", "cut edge001:1; cut edge001:2", "left: hosts-missing"},
	{"what is waived stays",
	 SMALL ",\"expect\":{\"waive\":[{\"id\":\"cable-missing:0x0000000000100003-"
	       "0x0000000000100005\",\"until\":\"2026-12-31\"}]}}",
	 "cut edge003:20", ""},
	{"a dead edge, a host of which is elsewhere", TINY "}", "cut edge002:1; link edge001:7 node004:1; dead edge002",
	 "power edge002 -> warning 1 12 12; move edge001:7 edge002 -> ok 0 12 12"},
	{"a pod without its spines", PODS "}", "dead spine07; dead spine08; dead spine09",
	 "power spine07 -> warning 2 70 48; power spine08 -> warning 1 80 48; power spine09 -> ok 0 90 48"},
	{"a swap across levels", PODS "}",
	 "cut edge001:5; cut spine05:11; link edge001:5 core03:2; link spine05:11 spine01:1", NULL},
};

static void place_add(struct ft_text *text, const struct ft_place *place)
{
	ft_text_printf(text, " %s", place->name);
	if (place->port)
		ft_text_printf(text, ":%u", place->port);
}

static void repair_words(const struct ft_report *r, struct ft_text *text)
{
	for (size_t i = 0; i < r->repair_count; i++) {
		const struct ft_repair_step *step = &r->repair[i];

		ft_text_printf(text, "%s%s", i ? "; " : "", ft_act_name(step->act));
		place_add(text, &step->a);
		if (step->b.name)
			place_add(text, &step->b);
		assert_true(step->predicted && step->mend_count > 0 && step->place && step->text);
		ft_text_printf(text, " -> %s %u %u %u", ft_verdict_name(step->verdict), step->findings,
			       step->uplinks_up, step->hosts_found);
	}
	for (size_t i = 0; i < r->left_count; i++)
		ft_text_printf(text, "%s%.*s",
			       i || r->repair_count ? "; left: " : "left: ", (int)strcspn(r->left[i].id, ":"),
			       r->left[i].id);
}

static void test_repair(void **state)
{
	const struct row *row = *state;
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0};
	struct ft_verify_input input;

	bench_report(&b, row, &report);
	input = input_of(&b);
	assert_int_equal(repair_add(&input, report), 0);
	repair_words(report, &words);
	if (row->expected)
		assert_string_equal(ft_text_string(&words), row->expected);
	else
		assert_int_equal(report->repair[report->repair_count - 1].verdict, FT_VERDICT_OK);
	report_returns(report);
}

/* A cable that is to be unplugged, and has errors: two findings, and one thing to do. */
static void test_once(void **state)
{
	const struct row row = {"", WIDE "}", "link edge001:40 edge007:38", NULL};
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *before = NULL, *report = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0};
	struct ft_port_count item = {.counts = {[FT_COUNTER_SYMBOL] = 1000000000}, .interval_ms = 10000};
	struct ft_counters counters = {&item, 1, 10000};
	struct ft_verify_input input;

	(void)state;
	bench_report(&b, &row, &before);
	item.port = (uint32_t)(port_find(b.snapshot, "edge001:40") - b.snapshot->ports);
	input = input_of(&b);
	input.counters = &counters;
	assert_int_equal(ft_verify_all(&input, &report), 0);
	assert_int_equal(report->finding_count, 2);
	assert_int_equal(repair_add(&input, report), 0);
	repair_words(report, &words);
	assert_string_equal(ft_text_string(&words), "remove edge001:40 edge007:38 -> ok 0 216 216");
	assert_int_equal(report->repair[0].mend_count, 2);
}

/* ---- what it costs ---- */

static const struct row costs[] = {
	{"a cable", SMALL "}", "cut edge003:20", "cable-missing 1:72 edges 1 edge003 1:18 blocks 18:17 ftree"},
	{"a dead core of six is no matter to ftree", WIDE "}", "dead core03",
	 "core-missing 1:6 edges 12 edge001 1:6 blocks 6:5"},
	{"a dead core of two", SMALL "}", "dead core02", "core-missing 1:2 edges 4 edge001 1:2 blocks 2:1 risk 72"},
	{"a dead edge costs the others nothing", SMALL "}", "dead edge002", "edge-isolated 1:4"},
	{"a swap leaves each edge its uplinks", WIDE "}",
	 "cut edge001:19; cut edge002:22; link edge001:19 core02:4; link edge002:22 core01:1",
	 "cables-swapped 1:108 edges 0 ftree"},
	{"a slow cable", SMALL "}", "rate edge001:20 4xEDR",
	 "cable-slow 5719:800000 edges 1 edge001 5719:200000 blocks 200000:194281"},
	{"cables between edges do not disturb ftree", WIDE "}", "link edge001:40 edge007:38", "cable-unplanned 0:1"},
	{"a host on a core does", WIDE "}", "cut edge001:1; link core02:40 node001:1", "host-on-core 0:1 ftree"},
	{"an edge that hangs on one core", TINY "}", "cut edge002:4; cut edge002:5",
	 "cable-missing 1:12 edges 1 edge002 1:3 blocks 3:2 risk 3 ftree; cable-missing 1:12 edges 1 edge002 1:3 "
	 "blocks 3:2 risk 3 ftree"},
	{"a spine's cable to a core is its edges'", PODS "}", "cut spine01:11",
	 "cable-missing 1:18 edges 4 edge001 1:6 blocks 16:5 ftree"},
	{"a dead spine", PODS "}", "dead spine05", "core-missing 1:9 edges 4 edge005 1:3 blocks 4:1 ftree"},
	{"a dead core of three levels", PODS "}", "dead core02",
	 "core-missing 1:6 edges 12 edge001 1:6 blocks 16:5 ftree"},
};

static void cost_words(const struct ft_finding *f, struct ft_text *text)
{
	const struct ft_impact *impact = &f->impact;

	ft_text_printf(text, "%s %" PRId64 ":%" PRId64, ft_codes[f->code].name, impact->bisection_lost.num,
		       impact->bisection_lost.den);
	if (impact->bisection_lost.num > 0 && f->code != FT_CODE_EDGE_ISOLATED)
		ft_text_printf(text, " edges %u", impact->edges);
	if (f->worst_edge)
		ft_text_printf(text, " %s %" PRId64 ":%" PRId64, f->worst_edge, impact->edge_loss.num,
			       impact->edge_loss.den);
	if (impact->blocking.den)
		ft_text_printf(text, " blocks %" PRId64 ":%" PRId64, impact->blocking.num, impact->blocking.den);
	if (impact->hosts_at_risk)
		ft_text_printf(text, " risk %u", impact->hosts_at_risk);
	ft_text_puts(text, impact->ftree_refuses ? " ftree" : "");
}

static void test_cost(void **state)
{
	const struct row *row = *state;
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0};

	bench_report(&b, row, &report);
	for (size_t i = 0; i < report->finding_count; i++) {
		ft_text_puts(&words, i ? "; " : "");
		cost_words(&report->findings[i], &words);
	}
	assert_string_equal(ft_text_string(&words), row->expected);
	report_returns(report);
}

/* ---- what more failures do: against all ways, one by one, by the verifier itself ---- */

struct sums {
	uint64_t edges, hosts, ways;
	uint64_t worst_edges, worst_hosts;
	struct ft_ratio bisection, blocking;
};

static void way_add(const struct bench *b, const char *faults, const char *design, const char *first, struct sums *sums)
{
	_cleanup_(bench_release) struct bench way;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	uint64_t hosts = 0;

	(void)b;
	bench_make(&way, design);
	faults_apply(&way, first);
	faults_apply(&way, faults);
	assert_int_equal(ft_verify(way.design, way.plan, way.snapshot, "2026-11-20", &report), 0);
	for (size_t i = 0; i < report->finding_count; i++)
		if (report->findings[i].code == FT_CODE_EDGE_ISOLATED)
			hosts += report->findings[i].impact.hosts_cut_off;
	sums->ways++;
	sums->edges += report->edge.isolated;
	sums->hosts += hosts;
	sums->worst_edges = report->edge.isolated > sums->worst_edges ? report->edge.isolated : sums->worst_edges;
	sums->worst_hosts = hosts > sums->worst_hosts ? hosts : sums->worst_hosts;
	if (sums->ways == 1 || ft_ratio_compare(report->bisection, sums->bisection) < 0)
		sums->bisection = report->bisection;
	if (sums->ways == 1 || ft_ratio_compare(report->blocking_worst, sums->blocking) > 0)
		sums->blocking = report->blocking_worst;
}

static void after_is(const struct ft_after *after, const struct sums *sums)
{
	struct ft_ratio mean;

	assert_false(after->drawn);
	assert_true(after->exact);
	assert_int_equal(after->looked, sums->ways);
	assert_int_equal(after->worst.edges.num, sums->worst_edges);
	assert_int_equal(after->worst.hosts.num, sums->worst_hosts);
	assert_int_equal(after->worst.bisection.num * 1000000 / after->worst.bisection.den,
			 sums->bisection.num * 1000000 / sums->bisection.den);
	assert_int_equal(ft_ratio_compare(after->worst.blocking, sums->blocking), 0);
	assert_int_equal(ft_ratio_make((int64_t)sums->edges, (int64_t)sums->ways, &mean), 0);
	assert_int_equal(ft_ratio_compare(after->mean.edges, mean), 0);
	assert_int_equal(ft_ratio_make((int64_t)sums->hosts, (int64_t)sums->ways, &mean), 0);
	assert_int_equal(ft_ratio_compare(after->mean.hosts, mean), 0);
}

static void test_after_cores(void **state)
{
	static const char first[] = "cut edge002:4";
	const struct row row = {"", BOUND, first, NULL};
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_verify_input input;
	struct sums sums = {0};
	char faults[64];

	(void)state;
	bench_report(&b, &row, &report);
	input = input_of(&b);
	assert_int_equal(after_add(&input, FT_AFTER_CORE, 2, report), 0);
	for (unsigned int i = 1; i <= 3; i++)
		for (unsigned int j = i + 1; j <= 3; j++) {
			snprintf(faults, sizeof(faults), "dead core%02u; dead core%02u", i, j);
			way_add(&b, faults, BOUND, first, &sums);
		}
	assert_int_equal(sums.worst_edges, 1);
	after_is(&report->after[0], &sums);
	assert_string_equal(report->after[0].example, "core02, core03");
	report_returns(report);
}

static void test_after_cables(void **state)
{
	static const char first[] = "cut edge002:4";
	const struct row row = {"", BOUND, first, NULL};
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_verify_input input;
	struct sums sums = {0};
	char faults[64];

	(void)state;
	bench_report(&b, &row, &report);
	input = input_of(&b);
	assert_int_equal(after_add(&input, FT_AFTER_CABLE, 2, report), 0);
	/* Edges 1 to 4 have three cables each, in ports 4 to 6; one is out. */
	for (unsigned int i = 0; i < 12; i++)
		for (unsigned int j = i + 1; j < 12; j++) {
			if (i == 3 || j == 3)
				continue;
			snprintf(faults, sizeof(faults), "cut edge%03u:%u; cut edge%03u:%u", i / 3 + 1, i % 3 + 4,
				 j / 3 + 1, j % 3 + 4);
			if (i / 3 == 1 && j / 3 == 1)
				snprintf(faults, sizeof(faults), "dead edge002");
			way_add(&b, faults, BOUND, first, &sums);
		}
	assert_int_equal(sums.ways, 55);
	assert_int_equal(sums.worst_hosts, 3);
	after_is(&report->after[0], &sums);
	report_returns(report);
}

/* Too many ways to look at all: the worst is known all the same. */
static void test_after_drawn(void **state)
{
	const struct row row = {"", SMALL "}",
				"cut edge003:19; cut edge003:20; cut edge003:21; cut edge003:22; cut edge003:23; "
				"cut edge003:24; cut edge003:25; cut edge003:26; cut edge003:27; cut edge003:28; "
				"cut edge003:29; cut edge003:30; cut edge003:31; cut edge003:32; cut edge003:33; "
				"cut edge003:34",
				NULL};
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_verify_input input;
	const struct ft_after *after;

	(void)state;
	bench_report(&b, &row, &report);
	input = input_of(&b);
	assert_int_equal(after_add(&input, FT_AFTER_CABLE, 3, report), 0);
	after = report->after;
	assert_true(after->drawn && after->exact);
	assert_int_equal(after->of, 56);
	assert_int_equal(after->looked, FT_AFTER_SAMPLES);
	assert_string_equal(after->ways, "27720");
	assert_int_equal(after->worst.edges.num, 1);
	assert_int_equal(after->worst.hosts.num, 18);
	assert_int_equal(after->worst.bisection.num * 72, after->worst.bisection.den * 53 - 8);
	assert_int_equal(ft_ratio_compare(after->worst.blocking, (struct ft_ratio){18, 1}), 0);
	report_returns(report);
}

/* ---- OpenSM's ftree ---- */

/* Two roots over three leaves, by bundles of two: switches 0 to 2 are leaves. */
struct tree {
	uint32_t width[3][2];
	uint32_t hosts[5];
	uint64_t guids[5];
	enum ft_ftree_why why;
};

/* GUIDs in this order on the wire as well. */
#define GUIDS                                                                                                      \
	{                                                                                                          \
		0x0100000000000000, 0x0200000000000000, 0x0300000000000000, 0x0400000000000000, 0x0500000000000000 \
	}

static const struct tree trees[] = {
	{{{2, 2}, {2, 2}, {2, 2}}, {4, 4, 4, 0, 0}, GUIDS, FT_FTREE_TAKEN},
	{{{2, 2}, {2, 1}, {2, 2}}, {4, 4, 4, 0, 0}, GUIDS, FT_FTREE_UP_CABLES},
	{{{2, 2}, {2, 0}, {2, 2}}, {4, 4, 4, 0, 0}, GUIDS, FT_FTREE_UP_NEIGHBOURS},
	{{{2, 0}, {2, 0}, {2, 0}}, {4, 4, 4, 0, 0}, GUIDS, FT_FTREE_TAKEN},
	{{{2, 2}, {2, 2}, {2, 2}}, {4, 4, 4, 1, 0}, GUIDS, FT_FTREE_HOST_RANK},
	{{{2, 2}, {2, 2}, {2, 2}}, {4, 4, 4, 1, 1}, GUIDS, FT_FTREE_FLAT},
	{{{2, 2}, {0, 0}, {0, 0}}, {4, 0, 0, 0, 0}, GUIDS, FT_FTREE_ONE_LEAF},
	{{{2, 2}, {2, 2}, {2, 2}}, {1, 0, 0, 0, 0}, GUIDS, FT_FTREE_TOO_SMALL},
	/* Its own second bundle is looked at by no leaf, and that of the root is the first there. */
	{{{2, 1}, {2, 2}, {2, 2}}, {4, 4, 4, 0, 0}, GUIDS, FT_FTREE_DOWN_CABLES},
};

static void test_ftree(void **state)
{
	const struct tree *t = *state;
	_cleanup_(ft_ftree_release) struct ft_ftree fabric = {0};
	struct ft_ftree_verdict verdict;

	assert_int_equal(ft_ftree_init(&fabric, 5, 12), 0);
	for (uint32_t i = 0; i < 5; i++) {
		fabric.guids[i] = t->guids[i];
		fabric.hosts[i] = t->hosts[i];
		ft_ftree_switch(&fabric, i);
		for (uint32_t n = 0; n < (i < 3 ? 2 : 3); n++)
			ft_ftree_cables(&fabric, i, i < 3 ? n + 3 : n, i < 3 ? t->width[i][n] : t->width[n][i - 3]);
	}
	assert_int_equal(ft_ftree_judge(&fabric, &verdict), 0);
	assert_int_equal(verdict.why, t->why);
}

/* Where all switches are called alike, what a fault costs and what disturbs ftree is still told of one of them. */
static void test_namesakes(void **state)
{
	const struct row row = {"", SMALL "}", "cut edge001:20", NULL};
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	const struct ft_node *edge = NULL;
	(void)state;

	bench_make(&b, row.design);
	faults_apply(&b, row.faults);
	for (uint32_t i = 0; i < b.snapshot->node_count; i++) {
		struct ft_node *node = &b.snapshot->nodes[i];

		edge = !edge && node->type == FT_NODE_SWITCH ? node : edge;
		if (node->type != FT_NODE_SWITCH || node == edge)
			continue;
		node->description = edge->description;
		node->description_length = edge->description_length;
	}
	assert_non_null(edge);
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	assert_int_equal(report->finding_count, 1);
	assert_non_null(strstr(report->findings[0].worst_edge, " 0x0000000000100001 (hosts node001-node018)"));
	assert_non_null(strstr(report->ftree_why, " 0x0000000000100001 (hosts node001-node018)"));
}

/* ---- memory that runs out, and much that is wrong ---- */

static void test_allocations(void **state)
{
	const struct row row = {
		"", TINY "}",
		"cut edge002:4; cut edge003:5; link edge003:5 core02:8; dead core03; rate edge004:4 4xEDR", NULL};
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_verify_input input;
	int r = -ENOMEM;

	(void)state;
	bench_report(&b, &row, &report);
	input = input_of(&b);
	for (size_t n = 1; r == -ENOMEM; n += 1 + n / 16) {
		_cleanup_(ft_report_freep) struct ft_report *again = NULL;

		allocation_failing = n;
		r = ft_verify_all(&input, &again);
		if (r == 0)
			r = repair_add(&input, again);
		if (r == 0)
			r = after_add(&input, FT_AFTER_CABLE, 1, again);
		allocation_failing = 0;
		assert_true(r == 0 || r == -ENOMEM);
	}
}

/* Whatever is wrong, there is a repair that says what it comes to, and it returns from its JSON. */
static void test_anything(void **state)
{
	uint64_t seed = getenv("FT_SEED") ? strtoull(getenv("FT_SEED"), NULL, 10) : 20261121;

	(void)state;
	print_message("FT_SEED=%" PRIu64 "\n", seed);
	for (unsigned int i = 0; i < 12; i++) {
		static const char *const designs[] = {SMALL "}", WIDE "}", PODS "}"};
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		struct ft_verify_input input;

		bench_make(&b, designs[i % 3]);
		cables_shuffle(b.snapshot, &seed);
		input = input_of(&b);
		assert_int_equal(ft_verify_all(&input, &report), 0);
		assert_int_equal(repair_add(&input, report), 0);
		assert_int_equal(after_add(&input, FT_AFTER_CORE, 1, report), 0);
		if (report->repair_count > 0)
			assert_true(report->repair[report->repair_count - 1].predicted);
		report_returns(report);
	}
}

static void rows_add(struct CMUnitTest *tests, size_t *count, const struct row *rows, size_t row_count,
		     void (*test)(void **))
{
	for (size_t i = 0; i < row_count; i++)
		tests[(*count)++] = (struct CMUnitTest){rows[i].what, test, NULL, NULL, (void *)(uintptr_t)&rows[i]};
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_after_cores), cmocka_unit_test(test_after_cables),
		cmocka_unit_test(test_after_drawn), cmocka_unit_test(test_allocations),
		cmocka_unit_test(test_namesakes),   cmocka_unit_test(test_anything),
		cmocka_unit_test(test_once),
	};
	struct CMUnitTest tests[FT_COUNT(repairs) + FT_COUNT(costs) + FT_COUNT(trees) + FT_COUNT(others)];
	char names[FT_COUNT(trees)][16];
	size_t count = 0;

	rows_add(tests, &count, repairs, FT_COUNT(repairs), test_repair);
	rows_add(tests, &count, costs, FT_COUNT(costs), test_cost);
	for (size_t i = 0; i < FT_COUNT(trees); i++) {
		snprintf(names[i], sizeof(names[i]), "ftree %zu", i + 1);
		tests[count++] = (struct CMUnitTest){names[i], test_ftree, NULL, NULL, (void *)(uintptr_t)&trees[i]};
	}
	memcpy(&tests[count], others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
