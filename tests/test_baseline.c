/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The baseline: what is learned of a row of looks, what the verifier makes of it, and its way through JSON. */
#include "config.h"

#include "tests/rows.h"

#include "verify/model/baseline.h"

/* Four edges and two cores that nothing but their cables tells apart. */
static const char design[] = "{\"ftcheck\": 1, \"name\": \"t\", \"topology\": \"fat-tree\", \"nodes\": 24,"
			     " \"edge\": {\"ports\": 12, \"count\": 4, \"ports_to_nodes\": 6, \"ports_to_core\": 6},"
			     " \"core\": {\"ports\": 16, \"count\": 2}, \"bundle\": 3}";

enum { LOOKS_MAX = 8, FIRST_S = 1795178000 };

/* Faults of each look in turn, in the words of bench.h; the last one is judged with what the others taught. */
struct row {
	const char *what;
	const char *looks[LOOKS_MAX];
	const char *says[4];   /* all of these are in the JSON of the last report */
	const char *silent[3]; /* none of these is */
};

static const struct row rows[] = {
	{.what = "a dead core by its name, GUID, and the ports that led to it",
	 .looks = {"", "dead core02"},
	 .says = {"\"id\": \"core-missing:core02\"",
		  "\"subject\": {\"name\": \"spine-b\", \"guid\": \"0x0000000000100006\"",
		  "core switch spine-b (core02 in the plan), seen until 2026-11-20T12:33:20Z, is missing",
		  "\"port\": 12"}},
	{.what = "the first one as well, though the places are alike",
	 .looks = {"", "dead core01"},
	 .says = {"\"id\": \"core-missing:core01\"", "core switch spine-a (core01 in the plan)"},
	 .silent = {"spine-b (core"}},
	{.what = "a dead edge",
	 .looks = {"", "dead edge003"},
	 .says = {"\"id\": \"edge-isolated:edge003\"", "edge switch leaf-c (edge003 in the plan)"}},
	{.what = "two dead ones, one after the other: each keeps the time of its own end",
	 .looks = {"", "dead edge003", "dead edge003;dead core02"},
	 .says = {"leaf-c (edge003 in the plan), seen until 2026-11-20T12:33:20Z",
		  "spine-b (core02 in the plan), seen until 2026-11-20T12:34:20Z"}},
	{.what = "a pulled cable by both ports, where others do not tell",
	 .looks = {"", "cut edge002:9;cut edge001:9;cut edge003:9"},
	 .says = {"between leaf-b port 9 and spine-a port 6"}},
	{.what = "a cable that was out before its core died is a port of the dead core's",
	 .looks = {"", "cut edge002:8", "cut edge002:8;dead core01"},
	 .says = {"\"id\": \"core-missing:core01\"", "leaf-b ports 7-9"},
	 .silent = {"cable-missing"}},
	{.what = "a host that is gone by its name",
	 .looks = {"", "cut edge002:3"},
	 .says = {"1 host is missing", "node009 was on leaf-b port 3"}},
	{.what = "one port of a host, whose other one is still there, where both have one GUID",
	 .looks = {"cut edge002:3;cut edge003:3;rails edge002:3 edge003:3",
		   "cut edge002:3;cut edge003:3;rails edge002:3 edge003:3;cut edge003:3"},
	 .says = {"1 host is missing", "rails was on leaf-c port 3"}},
	{.what = "hosts in the order of their ports, whichever went first",
	 .looks = {"", "cut edge002:5", "cut edge002:5;cut edge002:3"},
	 .says = {"2 hosts are missing that the plan counts, on leaf-b: node009, node011"}},
	{.what = "the cables that are lacking by their ports, though others are in these that look right",
	 .looks = {"", "cut edge001:9;cut edge001:10;cut edge002:7;link edge001:10 core01:4;link edge002:7 core02:1",
		   "cut edge001:9;cut edge001:10;cut edge002:7;link edge001:10 core01:4;dead edge002",
		   "cut edge001:9;cut edge001:10;cut edge002:7;link edge001:10 core01:4;dead edge002"},
	 .says = {"1 cable of 3 is missing between leaf-a port 9 and spine-a port 3",
		  "the cable from leaf-a port 10 ends on spine-a port 4, but belongs on spine-b port 1"}},
	{.what = "for whoever acts on it, too", .looks = {"", "cut edge002:3"}, .says = {"\"hosts\": [\"node009\"]"}},
	{.what = "the hosts of a dead switch by theirs",
	 .looks = {"", "dead edge003"},
	 .says = {"\"code\": \"edge-isolated\"",
		  "\"hosts\": [\"node013\", \"node014\", \"node015\", \"node016\", \"node017\", \"node018\"]"}},
	{.what = "without a memory their names are not known",
	 .looks = {"dead edge003"},
	 .says = {"\"code\": \"edge-isolated\""},
	 .silent = {"\"hosts\": ["}},
	{.what = "the hosts of a switch that comes back, one by one, are no finding",
	 .looks = {"", "dead edge003", "cut edge003:1;cut edge003:3;cut edge003:7"},
	 .says = {"switch leaf-c is coming back: 5 of 6 cables are up"},
	 .silent = {"hosts-missing"}},
	{.what = "nor once all its cables are there",
	 .looks = {"", "dead edge003", "cut edge003:1;cut edge003:3", "cut edge003:3"},
	 .says = {"\"verdict\": \"ok\""},
	 .silent = {"hosts-missing", "cable-missing"}},
	{.what = "another host is gone meanwhile",
	 .looks = {"", "dead edge003", "cut edge003:1;cut edge002:3"},
	 .says = {"1 host is missing that the plan counts, on leaf-b: node009"}},
	{.what = "another host is gone, while one of its own may be behind a silent port",
	 .looks = {"", "dead edge003", "hide edge003:1;cut edge002:3"},
	 .says = {"\"code\": \"hosts-missing\"", "node009"}},
	{.what = "when it is whole, one that goes is missing",
	 .looks = {"", "dead edge003", "cut edge003:1", "", "cut edge003:3"},
	 .says = {"1 host is missing that the plan counts, on leaf-c: node015"}},
	{.what = "and one that has not come for five minutes",
	 .looks = {"", "dead edge003", "cut edge003:1", "cut edge003:1", "cut edge003:1", "cut edge003:1",
		   "cut edge003:1", "cut edge003:1"},
	 .says = {"1 host is missing that the plan counts, on leaf-c: node013"}},
	{.what = "a host that moved is not gone",
	 .looks = {"", "cut edge002:3;cut edge003:3;link edge002:3 node015:1"},
	 .says = {"node009 was on leaf-b port 3"},
	 .silent = {"node015 was on"}},
	{.what = "what was wrong from the beginning is not learned",
	 .looks = {"cut edge001:7;cut edge002:12;link edge001:7 edge002:12", "cut edge001:7;dead core01"},
	 .says = {"\"id\": \"core-missing:core01\""}},
	{.what = "another switch in the place of one that was replaced has the place from then on",
	 .looks = {"", "guid core02 0x777", "guid core02 0x777;dead core02"},
	 .says = {"\"subject\": {\"name\": \"spine-b\", \"guid\": \"0x0000000000000777\""}},
	{.what = "a switch that boots is known by its first link, though that is a cable that was swapped",
	 .looks = {"", "dead core02",
		   "cut edge001:10;cut edge001:11;cut edge001:12;cut edge002:10;cut edge002:11;cut edge002:12;cut "
		   "edge003:10;cut edge003:11;cut edge003:12;cut edge004:10;cut edge004:11;cut edge004:12;cut "
		   "edge001:9;link edge001:9 core02:5"},
	 .says = {"\"id\": \"core-missing:core02\""},
	 .silent = {"switch-unplanned"}},
	{.what = "nothing is remembered wrong of a fabric in order",
	 .looks = {"", ""},
	 .says = {"\"verdict\": \"ok\""},
	 .silent = {"seen until"}},
};

/* The names that the switches have on their plates. */
static const char names[] = ";name edge001 leaf-a;name edge002 leaf-b;name edge003 leaf-c;name edge004 leaf-d"
			    ";name core01 spine-a;name core02 spine-b";

static bool is_dead(const char *faults, const char *name)
{
	const char *at = faults;

	while ((at = strstr(at, "dead "))) {
		at += strlen("dead ");
		if (strncmp(at, name, strlen(name)) == 0)
			return true;
	}
	return false;
}

/* The fabric with @faults in it, and the names of those that are there. */
static void look_make(struct bench *b, const char *faults)
{
	_cleanup_free_ char *all = strdup(names);

	assert_non_null(all);
	bench_make(b, design);
	faults_apply(b, faults);
	for (char *save = NULL, *word = strtok_r(all, ";", &save); word; word = strtok_r(NULL, ";", &save)) {
		char from[32] = "";

		assert_int_equal(sscanf(word, "name %31s", from), 1);
		if (!is_dead(faults, from))
			faults_apply(b, word);
	}
}

static struct ft_report *look_judge(const struct bench *b, const struct ft_baseline *baseline, int64_t time_s)
{
	struct ft_report *report = NULL;

	b->snapshot->source.time_s = time_s;
	assert_int_equal(ft_verify_all(&(struct ft_verify_input){.design = b->design,
								 .plan = b->plan,
								 .snapshot = b->snapshot,
								 .today = "2026-11-20",
								 .baseline = baseline},
				       &report),
			 0);
	report_check(report);
	report->time_s = time_s;
	memcpy(report->plan_hash, b->design->hash, sizeof(report->plan_hash));
	return report;
}

/* Through JSON and back after each look, as a daemon does that is started anew. */
static void baseline_return(struct ft_baseline **baseline)
{
	_cleanup_(ft_text_release) struct ft_text text = {0}, again = {0};
	struct ft_baseline *back = NULL;
	struct ft_error err = {0};

	ft_baseline_write_json(&text, *baseline);
	assert_false(ft_text_failed(&text));
	if (ft_baseline_read_json(text.data, text.length, &back, &err) != 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
	ft_baseline_write_json(&again, back);
	assert_string_equal(again.data, text.data);
	ft_baseline_free(*baseline);
	*baseline = back;
}

static void test_row(void **state)
{
	const struct row *row = *state;
	_cleanup_(ft_baseline_freep) struct ft_baseline *baseline = NULL;

	for (unsigned int i = 0; i < LOOKS_MAX && row->looks[i]; i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text json = {0};

		look_make(&b, row->looks[i]);
		report = look_judge(&b, baseline, FIRST_S + 60 * i);
		assert_in_range(ft_baseline_learn(&baseline, b.snapshot, report, 0), 0, 2);
		baseline_return(&baseline);
		if (i + 1 < LOOKS_MAX && row->looks[i + 1])
			continue;
		report_returns(report);
		ft_report_write_json(&json, report);
		for (size_t n = 0; n < FT_COUNT(row->says) && row->says[n]; n++)
			if (!strstr(json.data, row->says[n]))
				fail_msg("\"%s\" is not in %s", row->says[n], json.data);
		for (size_t n = 0; n < FT_COUNT(row->silent) && row->silent[n]; n++)
			if (strstr(json.data, row->silent[n]))
				fail_msg("\"%s\" is in %s", row->silent[n], json.data);
	}
}

/*
 * Plan and fabric are changed on purpose: the places have the same names, and mean others. What is remembered of the
 * plan before makes no finding in a fabric that is as the new one says.
 */
static void test_other_plan(void **state)
{
	static const struct {
		unsigned int height, width;
	} grids[] = {{4, 5}, {5, 4}, {4, 4}, {4, 5}};
	_cleanup_(ft_baseline_freep) struct ft_baseline *baseline = NULL;

	(void)state;
	for (unsigned int i = 0; i < 2 * FT_COUNT(grids); i++) {
		unsigned int height = grids[i / 2].height, width = grids[i / 2].width;
		_cleanup_(ft_text_release) struct ft_text torus = {0}, word = {0};
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;

		ft_text_printf(
			&torus,
			"{\"ftcheck\": 1, \"name\": \"t\", \"topology\": \"torus\", \"dims\": [%u, %u], \"nodes\": %u,"
			" \"edge\": {\"ports\": 12, \"ports_to_nodes\": 2}}",
			height, width, 2 * height * width);
		bench_make(&b, ft_text_string(&torus));
		for (unsigned int n = 0; n < height * width; n++)
			ft_text_printf(&word, "%sname sw-%u-%u switch", n ? ";" : "", n / width, n % width);
		faults_apply(&b, ft_text_string(&word));
		report = look_judge(&b, baseline, FIRST_S + i);
		for (size_t n = 0; n < report->finding_count; n++)
			if (report->findings[n].severity != FT_SEVERITY_INFO)
				fail_msg("%u: %s", i, report->findings[n].text);
		assert_in_range(ft_baseline_learn(&baseline, b.snapshot, report, 0), 0, 2);
		baseline_return(&baseline);
	}
}

static const char ring[] =
	"{\"ftcheck\": 1, \"name\": \"t\", \"topology\": \"graph\", \"switches\": "
	"[{\"kind\": \"switch\", \"ports\": 8, \"hosts\": 2, \"name\": \"s[1-6]\"}], \"links\": "
	"[{\"a\": \"s1\", \"b\": \"s2\"}, {\"a\": \"s2\", \"b\": \"s3\"}, {\"a\": \"s3\", \"b\": \"s4\"},"
	" {\"a\": \"s4\", \"b\": \"s5\"}, {\"a\": \"s5\", \"b\": \"s6\"}, {\"a\": \"s6\", \"b\": \"s1\"}]}";

/* The names that its switches have on their plates. */
static const char ring_names[] = ";name s1 sw-9;name s2 sw-4;name s3 sw-6;name s4 sw-7;name s5 sw-8;name s6 sw-5";

/* An exchange of cables after which a ring is left is one if the fabric was as planned before. */
static void test_exchange_in_ring(void **state)
{
	static const char *const looks[] = {"", "cut s1:3;cut s4:4;link s1:3 s4:4;link s2:3 s5:3"};
	_cleanup_(ft_baseline_freep) struct ft_baseline *baseline = NULL;

	(void)state;
	for (unsigned int i = 0; i < FT_COUNT(looks); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;

		bench_make(&b, ring);
		faults_apply(&b, looks[i]);
		faults_apply(&b, ring_names + 1);
		report = look_judge(&b, baseline, FIRST_S + i);
		assert_int_equal(report->finding_count, i);
		assert_true(i == 0 || report->findings[0].code == FT_CODE_CABLES_SWAPPED);
		assert_in_range(ft_baseline_learn(&baseline, b.snapshot, report, 0), 0, 2);
	}
}

/*
 * Switches of a graph that have other names than in the plan: one that is seen for the first time, as while the fabric
 * is built, replaces nothing; one in the place of another that is not seen any more does.
 */
static void test_newcomers(void **state)
{
	static const struct {
		const char *changes;
		unsigned int replaced;
	} looks[] = {
		{"dead s5;name s1 sw-9;name s2 sw-4;name s3 sw-6;name s4 sw-7;name s6 sw-5", 0},
		{"name s1 sw-9;name s2 sw-4;name s3 sw-6;name s4 sw-7;name s5 sw-8;name s6 sw-5", 0},
		{"guid s3 0x777;name s1 sw-9;name s2 sw-4;name s3 sw-3;name s4 sw-7;name s5 sw-8;name s6 sw-5", 1},
	};
	_cleanup_(ft_baseline_freep) struct ft_baseline *baseline = NULL;

	(void)state;
	for (unsigned int i = 0; i < FT_COUNT(looks); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		unsigned int replaced = 0;

		bench_make(&b, ring);
		faults_apply(&b, looks[i].changes);
		report = look_judge(&b, baseline, FIRST_S + i);
		for (size_t n = 0; n < report->finding_count; n++)
			replaced += report->findings[n].code == FT_CODE_SWITCH_REPLACED;
		if (replaced != looks[i].replaced)
			fail_msg("\"%s\": %u switches are called replaced", looks[i].changes, replaced);
		assert_in_range(ft_baseline_learn(&baseline, b.snapshot, report, 0), 0, 2);
		baseline_return(&baseline);
	}
}

/* Three switches next to each other are dead, of which the first was dead from the beginning: another's name is told.
 */
static void test_group_by_known_name(void **state)
{
	static const char *const looks[] = {"dead sw-7", "dead sw-7;dead sw-5"};
	_cleanup_(ft_baseline_freep) struct ft_baseline *baseline = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;

	(void)state;
	for (unsigned int i = 0; i < FT_COUNT(looks); i++) {
		_cleanup_(bench_release) struct bench b;

		bench_make(&b, ring);
		faults_apply(&b, ring_names + 1);
		faults_apply(&b, looks[i]);
		ft_report_free(report);
		report = look_judge(&b, baseline, FIRST_S + i);
		assert_in_range(ft_baseline_learn(&baseline, b.snapshot, report, 0), 0, 2);
	}
	assert_int_equal(report->findings[0].code, FT_CODE_EDGE_ISOLATED);
	assert_int_equal(report->findings[0].gone_count, 3);
	assert_int_equal(report->findings[0].unseen_count, 2);
	assert_string_equal(report->findings[0].subject.name, "sw-5");
}

/* A look that shows nothing new says so: whoever saves it need not; and one in which a switch went or came. */
static void test_unchanged(void **state)
{
	_cleanup_(ft_baseline_freep) struct ft_baseline *baseline = NULL;
	static const struct {
		const char *changes;
		int learned;
	} looks[] = {
		{"", 1}, {"", 0}, {"cut edge002:3", 1}, {"", 1}, {"dead core02", 2}, {"dead core02", 0},
		{"", 2}, {"", 0},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(looks); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;

		look_make(&b, looks[i].changes);
		report = look_judge(&b, baseline, FIRST_S + (int64_t)i);
		assert_int_equal(ft_baseline_learn(&baseline, b.snapshot, report, 0), looks[i].learned);
	}
}

/* However long strangers come and go, it has no more entries than the plan has places and ports. */
static void test_bounded(void **state)
{
	_cleanup_(ft_baseline_freep) struct ft_baseline *baseline = NULL;

	(void)state;
	for (unsigned int i = 0; i < 50; i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text faults = {0};

		ft_text_printf(&faults, "guid core02 0x%x;guid edge003 0x%x;cut edge002:3", 0x1000 + i, 0x2000 + i);
		look_make(&b, ft_text_string(&faults));
		report = look_judge(&b, baseline, FIRST_S + i);
		assert_in_range(ft_baseline_learn(&baseline, b.snapshot, report, 0), 0, 2);
		assert_int_equal(baseline->switch_count, 6);
		assert_in_range(baseline->cable_count, 1, 24);
		assert_in_range(baseline->host_count, 1, 24);
	}
}

static void test_ends_are_ordered(void **state)
{
	static const char text[] =
		"{\"ftcheck_baseline\": 1, \"time\": 1, \"switches\": [[\"0x0000000000000001\", \"a\", \"b\", 0, 0], "
		"[\"0x0000000000000002\", \"c\", \"d\", 0, 0]],\n\"cables\": [[1, \"0x0000000000000002\", 3, "
		"0, \"0x0000000000000001\", 4, 0]], \"hosts\": []}";
	_cleanup_(ft_baseline_freep) struct ft_baseline *baseline = NULL;
	struct ft_error err = {0};

	(void)state;
	assert_int_equal(ft_baseline_read_json(text, strlen(text), &baseline, &err), 0);
	assert_int_equal(baseline->cables[0].ends[0].number, 4);
	assert_int_equal(baseline->cables[0].ends[1].number, 3);
}

static void test_damaged(void **state)
{
	static const struct {
		const char *text, *error;
		unsigned int line;
	} damaged[] = {
		{"", "'[' or '{' expected near end of file", 1},
		{"[]", "this is no baseline that this version of ftcheck can read", 0},
		{"{\"ftcheck_baseline\": 2}", "this is no baseline that this version of ftcheck can read", 0},
		{"{\"ftcheck_baseline\": 1}", "\"time\" is not what it should be", 0},
		{"{\"ftcheck_baseline\": 1, \"time\": -1, \"switches\": [], \"cables\": [], \"hosts\": []}",
		 "\"time\" is not what it should be", 0},
		{"{\"ftcheck_baseline\": 1, \"time\": 1,\n\"switches\": 3}", "\"switches\" is no list", 2},
		{"{\"ftcheck_baseline\": 1, \"time\": 1,\n\"switches\": [\n[\"0x1\", \"a\", \"b\", 0]], \"cables\": "
		 "[], "
		 "\"hosts\": []}",
		 "an entry of \"switches\" is damaged", 3},
		{"{\"ftcheck_baseline\": 1, \"time\": 1,\n\"switches\": [\n[\"0x0000000000000001\", \"a\", \"b\", 0, "
		 "1, 2, 3]], "
		 "\"cables\": [], \"hosts\": []}",
		 "an entry of \"switches\" is damaged", 3},
		{"{\"ftcheck_baseline\": 1, \"time\": 1, \"switches\": [],\n\"cables\": [\n[0, \"0x0000000000000001\", "
		 "1, "
		 "0, \"0x0000000000000001\", 2, 0]], \"hosts\": []}",
		 "an entry of \"cables\" is damaged", 3},
		{"{\"ftcheck_baseline\": 1, \"time\": 1, \"switches\": [], \"cables\": [],\n\"hosts\": [7]}",
		 "an entry of \"hosts\" is damaged", 2},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(damaged); i++) {
		struct ft_baseline *baseline = NULL;
		struct ft_error err = {0};

		assert_int_equal(ft_baseline_read_json(damaged[i].text, strlen(damaged[i].text), &baseline, &err),
				 -EINVAL);
		assert_null(baseline);
		assert_string_equal(err.text, damaged[i].error);
		assert_int_equal(err.line, damaged[i].line);
	}
}

/* Each allocation fails in turn: nothing is lost, and what was known stays. */
static void test_out_of_memory(void **state)
{
	_cleanup_(ft_baseline_freep) struct ft_baseline *baseline = NULL;
	_cleanup_(bench_release) struct bench before, after;
	_cleanup_(ft_report_freep) struct ft_report *good = NULL, *bad = NULL;
	struct ft_verify_input input;
	int r = -ENOMEM;

	(void)state;
	look_make(&before, "");
	look_make(&after, "dead core02;cut edge002:3;guid core01 0x777");
	good = look_judge(&before, NULL, FIRST_S);
	assert_int_equal(ft_baseline_learn(&baseline, before.snapshot, good, 0), 1);
	input = (struct ft_verify_input){.design = after.design,
					 .plan = after.plan,
					 .snapshot = after.snapshot,
					 .today = "2026-11-20",
					 .baseline = baseline};
	input_out_of_memory(&input, 50, false);
	bad = look_judge(&after, baseline, FIRST_S + 1);
	for (size_t n = 1; r == -ENOMEM; n++) {
		const struct ft_baseline *was = baseline;

		allocation_failing = n;
		r = ft_baseline_learn(&baseline, after.snapshot, bad, 0);
		allocation_failing = 0;
		if (r < 0)
			assert_ptr_equal(baseline, was);
	}
	assert_int_equal(r, 2);
}

static const struct CMUnitTest others[] = {
	cmocka_unit_test(test_other_plan),
	cmocka_unit_test(test_newcomers),
	cmocka_unit_test(test_exchange_in_ring),
	cmocka_unit_test(test_ends_are_ordered),
	cmocka_unit_test(test_unchanged),
	cmocka_unit_test(test_bounded),
	cmocka_unit_test(test_damaged),
	cmocka_unit_test(test_out_of_memory),
	cmocka_unit_test(test_group_by_known_name),
};

int main(void)
{
	return rows_run(rows, test_row, others);
}
