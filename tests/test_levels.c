/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The verifier on fabrics of three levels: three pods of four edges and three spines, three planes of two cores. Edges
 * are 001-004, 005-008 and 009-012, with uplinks from port 5 on; spines 01-03, 04-06 and 07-09, with those from port 9
 * on; cores 01-02, 03-04 and 05-06.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "planner/draw/draw.h"
#include "tests/allocations.h"
#include "tests/bench.h"
#include "tests/rows.h"
#include "tests/runs.h"
#include "verify/model/model.h"

#define PODS                                                                                                           \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":48,\"blocking\":\"4:1\",\"pods\":3,\"edge\":{\"ports\":" \
	"12,\"count\":12,\"ports_to_nodes\":4,\"ports_to_core\":6},\"spine\":{\"ports\":12,\"count\":9,"               \
	"\"ports_to_core\":2},\"core\":{\"ports\":6,\"count\":6},\"bundle\":{\"edge\":2,\"spine\":1}"
#define UNLIKE                                                                                                 \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":30,\"blocking\":\"4:1\",\"pods\":[{\"count\":1," \
	"\"edges\":4},{\"count\":2,\"edges\":3}],\"edge\":{\"ports\":8,\"count\":10,\"ports_to_nodes\":3,"     \
	"\"ports_to_core\":3},\"spine\":{\"ports\":8,\"count\":9,\"ports_to_core\":2},\"core\":{\"ports\":6,"  \
	"\"count\":6},\"bundle\":{\"edge\":1,\"spine\":1}"

/* Two planes of one core: a spine has more cables to its core than to its edges. */
#define LONE                                                                                                           \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":12,\"blocking\":\"4:1\",\"pods\":2,\"edge\":{\"ports\":" \
	"8,"                                                                                                           \
	"\"count\":6,\"ports_to_nodes\":2,\"ports_to_core\":2},\"spine\":{\"ports\":8,\"count\":4,\"ports_to_core\":"  \
	"4},"                                                                                                          \
	"\"core\":{\"ports\":8,\"count\":2},\"bundle\":{\"edge\":1,\"spine\":4}"
/* Two pods of two edges, and one of a single edge with but one host. */
#define LAST                                                                                                          \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":33,\"fill\":\"dense\",\"blocking\":\"4:1\",\"pods\":[{" \
	"\"count\":2,\"edges\":2},{"                                                                                  \
	"\"count\":1,\"edges\":1}],\"edge\":{\"ports\":16,\"count\":5,\"ports_to_nodes\":8,\"ports_to_core\":6},"     \
	"\"spine\":{"                                                                                                 \
	"\"ports\":12,\"count\":6,\"ports_to_core\":4},\"core\":{\"ports\":6,\"count\":8},\"bundle\":{\"edge\":3,"    \
	"\"spine\":1}"

struct row {
	const char *what;
	const char *design;
	const char *faults;
	const char *expected; /* as in test_verify.c; with a * at its end, only how it begins */
	const char *counts;   /* "edge found/ok/degraded/isolated spine found/ok/degraded/missing core likewise
				 up/missing/misplaced/unplanned" */
};

static const struct row rows[] = {
	{"healthy", PODS "}", "", "ok", "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/0"},
	{"healthy, pods of unlike sizes", UNLIKE "}", "", "ok", "10/10/0/0 9/9/0/0 6/6/0/0 48/0/0/0"},
	{"a cable between an edge and a spine", PODS "}", "cut edge003:7",
	 "warning; cable-missing absent edge003:7 spine02:5", "12/11/1/0 9/8/1/0 6/6/0/0 89/1/0/0"},
	{"a cable between a spine and a core", PODS "}", "cut spine05:12",
	 "warning; cable-missing absent spine05:12 core04:2", "12/12/0/0 9/8/1/0 6/5/1/0 89/1/0/0"},
	{"two swaps with a planned cable between them",
	 "{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":16,\"edge\":{\"ports\":4},\"spine\":{\"ports\":4},"
	 "\"core\":{"
	 "\"ports\":4}}",
	 "cut edge002:3; cut edge006:3; link edge002:3 spine05:2; link edge006:3 spine01:2; cut spine07:3; cut "
	 "spine06:4; link spine07:3 core04:3; link spine06:4 core01:4",
	 "warning; cables-swapped seen edge002:3 spine05:2 edge006:3 spine01:2 x2; cables-swapped seen spine06:4 "
	 "core01:4 spine07:3 core04:3 x2",
	 NULL},
	{"a dead core is one fault", PODS "}", "dead core04",
	 "warning; core-missing absent spine02:12 spine05:12 spine08:12", "12/12/0/0 9/6/3/0 5/5/0/1 87/3/0/0"},
	{"a dead spine is one fault", PODS "}", "dead spine05",
	 "warning; core-missing absent edge005:7 edge005:8 edge006:7 edge006:8 edge007:7 edge007:8 edge008:7 edge008:8 "
	 "core03:2 core04:2",
	 "12/8/4/0 8/8/0/1 6/4/2/0 80/10/0/0"},
	{"a dead edge is one fault", PODS "}", "dead edge006",
	 "critical; edge-isolated absent spine04:3 spine04:4 spine05:3 spine05:4 spine06:3 spine06:4 x6",
	 "11/11/0/1 9/6/3/0 6/6/0/0 84/6/0/0"},
	{"a dead pod is one fault", PODS "}", "dead spine07; dead spine08; dead spine09",
	 "critical; edge-isolated absent core01 core02 core03 core04 core05 core06 x6",
	 "8/8/0/4 6/6/0/3 6/0/6/0 60/30/0/0"},
	{"two dead pods are two", PODS "}",
	 "dead spine07; dead spine08; dead spine09; dead spine04; dead spine05; dead spine06",
	 "critical; edge-isolated absent core01 core02 core03 core04 core05 core06 x6; edge-isolated absent core01 "
	 "core02 core03 core04 core05 core06 x6",
	 "4/4/0/8 3/3/0/6 6/0/6/0 30/60/0/0"},
	{"a mute core is not missing", PODS "}", "mute core04",
	 "warning; switch-mute mute spine02:12 spine05:12 spine08:12 x3", "12/12/0/0 9/9/0/0 5/5/0/0 90/0/0/0"},
	{"nor is a mute spine", PODS "}", "mute spine05",
	 "warning; switch-mute mute edge005:7 edge005:8 edge006:7 edge006:8 edge007:7 edge007:8 edge008:7 edge008:8 "
	 "core03:2 core04:2 x10",
	 "12/12/0/0 8/8/0/0 6/6/0/0 90/0/0/0"},
	{"nor is a mute edge", PODS "}", "mute edge006",
	 "warning; switch-mute mute spine04:3 spine04:4 spine05:3 spine05:4 spine06:3 spine06:4 x6",
	 "11/11/0/0 9/9/0/0 6/6/0/0 90/0/0/0"},
	{"two swapped in a pod", PODS "}",
	 "cut edge001:5; cut edge002:7; link edge001:5 spine02:3; link edge002:7 spine01:1",
	 "warning; cables-swapped seen edge001:5 spine02:3 edge002:7 spine01:1 x2",
	 "12/10/2/0 9/7/2/0 6/6/0/0 88/0/2/0"},
	{"two swapped, one of them of an edge that is wired otherwise", UNLIKE "}",
	 "cut edge001:4; cut edge001:5; cut edge001:6; cut edge002:6; link edge001:7 spine03:1; link edge001:4 "
	 "spine02:1; link edge001:5 spine03:2; link edge002:6 spine01:1",
	 "warning; cables-swapped seen edge001:5 spine03:2 edge002:6 spine01:1 x2",
	 "10/8/2/0 9/7/2/0 6/6/0/0 46/0/2/0"},
	{"two swapped across pods", PODS "}",
	 "cut edge001:5; cut edge006:7; link edge001:5 spine05:3; link edge006:7 spine01:1",
	 "warning; cables-swapped seen edge001:5 spine05:3 edge006:7 spine01:1 x2",
	 "12/10/2/0 9/7/2/0 6/6/0/0 88/0/2/0"},
	{"two swapped between spines and cores", PODS "}",
	 "cut spine01:11; cut spine05:11; link spine01:11 core03:2; link spine05:11 core01:1",
	 "warning; cables-swapped seen spine01:11 core03:2 spine05:11 core01:1 x2",
	 "12/12/0/0 9/7/2/0 6/4/2/0 88/0/2/0"},
	{"an edge's uplink swapped with a spine's", PODS "}",
	 "cut edge001:5; cut spine05:11; link edge001:5 core03:2; link spine05:11 spine01:1",
	 "warning; cables-swapped seen edge001:5 core03:2 spine01:1 spine05:11 x2",
	 "12/11/1/0 9/7/2/0 6/5/1/0 88/0/2/0"},
	{"an uplink swapped with a spine's beside a dead spine of a plane of one core", LONE "}",
	 "dead spine01; cut edge002:4; cut spine04:8; link edge002:4 core02:8; link spine04:8 spine02:2",
	 "warning; core-missing absent edge001:3 edge002:3 edge003:3 core01:1 core01:2 core01:3 core01:4; "
	 "cables-swapped seen edge002:4 core02:8 spine02:2 spine04:8 x2",
	 "6/3/3/0 3/1/2/1 2/0/2/0 19/7/2/0"},
	{"an edge between two pods beside a dead spine of its own", UNLIKE "}",
	 "dead spine03; cut edge001:5; link edge001:5 spine05:4",
	 "warning; core-missing absent edge001:6 edge002:6 edge003:6 edge004:6 core05:1 core06:1; cable-misplaced seen "
	 "edge001:5 spine05:4",
	 "10/6/4/0 8/7/1/1 6/4/2/0 41/6/1/0"},
	{"an edge with hardly any hosts, a cable astray in its pod, and a place for it among the cores", LAST "}",
	 "dead core03; cut edge001:9; link edge001:9 spine06:5",
	 "warning; core-missing absent spine01:11 spine03:11 spine05:11; cable-misplaced seen edge001:9 spine06:5",
	 "5/4/1/0 6/3/3/0 7/7/0/1 50/3/1/0"},
	{"misplaced in another pod", PODS "}", "cut edge001:5; link edge001:5 spine05:9",
	 "warning; cable-misplaced seen edge001:5 spine05:9", "12/11/1/0 9/8/1/0 6/6/0/0 89/0/1/0"},
	{"unplanned past the spines", PODS "}", "link edge001:12 core01:6",
	 "warning; cable-unplanned seen edge001:12 core01:6", "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/1"},
	{"unplanned between spines", PODS "}", "link spine01:9 spine04:9",
	 "warning; cable-unplanned seen spine01:9 spine04:9", "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/1"},
	{"the sweep began in a pod that lost the core level", PODS "}",
	 "cut spine01:11; cut spine01:12; cut spine02:11; cut spine02:12; cut spine03:11; cut spine03:12; only edge001",
	 "critical; edge-isolated absent spine01 spine02 spine03 x4", "4/0/0/4 3/0/3/0 0/0/0/0 24/6/0/0"},
	{"the sweep began on an isolated edge", PODS "}", "lone edge006", "critical; edge-isolated absent edge006 x6",
	 "1/0/0/1 0/0/0/0 0/0/0/0 0/6/0/0"},
	{"a spine without cores is still there", PODS "}", "cut spine05:11; cut spine05:12",
	 "warning; cable-missing absent spine05:11 core03:2; cable-missing absent spine05:12 core04:2",
	 "12/12/0/0 9/8/1/0 6/4/2/0 88/2/0/0"},
	{"a spine without edges is called by its name", PODS "}",
	 "cut spine05:1; cut spine05:2; cut spine05:3; cut spine05:4; cut spine05:5; cut spine05:6; cut spine05:7; cut "
	 "spine05:8",
	 "warning; cable-missing absent edge005:7 edge005:8 spine05:1 spine05:2 x2; cable-missing absent edge006:7 "
	 "edge006:8 spine05:3 spine05:4 x2; cable-missing absent edge007:7 edge007:8 spine05:5 spine05:6 x2; "
	 "cable-missing absent edge008:7 edge008:8 spine05:7 spine05:8 x2",
	 "12/8/4/0 9/8/1/0 6/6/0/0 82/8/0/0"},
	{"a host on a spine", PODS "}", "host spine05:9", "warning; host-on-core seen spine05:9 extra1:1",
	 "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/0"},
	{"a host on a core", PODS "}", "host core04:6", "warning; host-on-core seen core04:6 extra1:1",
	 "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/0"},
	{"a host too many", PODS "}", "host edge005:11", "warning; edge-overloaded seen edge005",
	 "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/0"},
	{"a switch too many", PODS "}", "spare stray 36; link stray:1 edge001:12; link stray:2 spine05:9",
	 "warning; switch-unplanned seen stray", "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/0"},
	{"slow above the spines", PODS "}", "rate spine05:11 4xEDR", "warning; cable-slow seen spine05:11 core03:2",
	 "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/0"},
	{"an edge of the larger pod", UNLIKE "}", "dead edge001",
	 "critical; edge-isolated absent spine01:1 spine02:1 spine03:1 x3", "9/9/0/1 9/6/3/0 6/6/0/0 45/3/0/0"},
	{"a spine that was not read is not unplanned", PODS "}", "fog spine05",
	 "warning; sweep-incomplete unreached edge005:7 edge005:8 edge006:7 edge006:8 edge007:7 edge007:8 edge008:7 "
	 "edge008:8 spine05:1 spine05:2 spine05:3 spine05:4 spine05:5 spine05:6 spine05:7 spine05:8 spine05:11 "
	 "spine05:12 core03:2 core04:2 x20",
	 "12/12/0/0 9/9/0/0 6/6/0/0 80/0/0/0"},
	{"loopback in uplink ports", PODS "}", "cut spine05:11; cut spine05:12; link spine05:11 spine05:12",
	 "warning; loopback seen spine05:11 spine05:12", "12/12/0/0 9/8/1/0 6/4/2/0 88/2/0/0"},
	{"a plane without cores", PODS "}", "dead core03; dead core04",
	 "warning; core-missing absent spine02:11 spine05:11 spine08:11; core-missing absent spine02:12 spine05:12 "
	 "spine08:12",
	 "12/12/0/0 9/6/3/0 4/4/0/2 84/6/0/0"},
	{"two spines of a plane", PODS "}", "dead spine02; dead spine05",
	 "warning; core-missing absent edge001:7 edge001:8 edge002:7 edge002:8 edge003:7 edge003:8 edge004:7 edge004:8 "
	 "core03:1 core04:1; core-missing absent edge005:7 edge005:8 edge006:7 edge006:8 edge007:7 edge007:8 edge008:7 "
	 "edge008:8 core03:2 core04:2",
	 "12/4/8/0 7/7/0/2 6/4/2/0 70/20/0/0"},
	{"all spines of a plane: its cores are out of reach", PODS "}", "dead spine02; dead spine05; dead spine08",
	 "warning; core-missing absent edge001:7 edge001:8 edge002:7 edge002:8 edge003:7 edge003:8 edge004:7 "
	 "edge004:8; core-missing absent edge005:7 edge005:8 edge006:7 edge006:8 edge007:7 edge007:8 edge008:7 "
	 "edge008:8; core-missing absent edge009:7 edge009:8 edge010:7 edge010:8 edge011:7 edge011:8 edge012:7 "
	 "edge012:8",
	 "12/0/12/0 6/6/0/3 4/4/0/0 60/30/0/0"},
	{"a core that was not read", PODS "}", "fog core03",
	 "warning; sweep-incomplete unreached spine02:11 spine05:11 spine08:11 core03:1 core03:2 core03:3 x6",
	 "12/12/0/0 9/9/0/0 6/6/0/0 87/0/0/0"},
	{"an edge that was not read", PODS "}", "fog edge003",
	 "warning; sweep-incomplete unreached edge003:5 edge003:6 edge003:7 edge003:8 edge003:9 edge003:10 spine01:5 "
	 "spine01:6 spine02:5 spine02:6 spine03:5 spine03:6 x12",
	 "12/12/0/0 9/9/0/0 6/6/0/0 84/0/0/0"},
	{"an edge that is lost behind what was not read", PODS "}", "fog edge003; only node005",
	 "warning; sweep-incomplete unreached spine01:5 spine01:6 spine02:5 spine02:6 spine03:5 spine03:6 x6",
	 "11/11/0/0 9/9/0/0 6/6/0/0 84/0/0/0"},
	{"a spine that is", PODS "}", "fog spine05; only node005",
	 "warning; sweep-incomplete unreached edge005:7 edge005:8 edge006:7 edge006:8 edge007:7 edge007:8 edge008:7 "
	 "edge008:8 core03:2 core04:2 x10",
	 "12/12/0/0 8/8/0/0 6/6/0/0 80/0/0/0"},
	{"uplinks that were not read are not an isolated pod", PODS "}",
	 "fog spine05; fog spine04; fog spine06; only node017",
	 "warning; sweep-incomplete unreached edge005:5 edge005:6 edge005:7 edge005:8 edge005:9 edge005:10 x6",
	 "1/1/0/0 0/0/0/0 0/0/0/0 0/0/0/0"},
	{"both ends silent: not judged", PODS "}", "hide spine05:11; hide core03:2",
	 "warning; sweep-incomplete mute spine05:11 core03:2 x2", "12/12/0/0 9/9/0/0 6/6/0/0 89/0/0/0"},
	{"two swapped across pods of unlike sizes", UNLIKE "}",
	 "cut edge001:4; cut edge006:5; link edge001:4 spine05:2; link edge006:5 spine01:1",
	 "warning; cables-swapped seen edge001:4 spine05:2 edge006:5 spine01:1 x2",
	 "10/8/2/0 9/7/2/0 6/6/0/0 46/0/2/0"},
	{"bound by name, in another order",
	 PODS ",\"bind\":{\"core\":[\"core06\",\"core05\",\"core04\",\"core03\",\"core02\",\"core01\"]}}",
	 "cut spine05:11", "warning; cable-missing absent spine05:11 core04:2", "12/12/0/0 9/8/1/0 6/5/1/0 89/1/0/0"},
	{"two in a list of bindings exchanged, and a cable pulled",
	 PODS ",\"bind\":{\"core\":[\"core01\",\"core02\",\"core03\",\"core04\",\"core05\",\"core06\"]}}",
	 "name core01 x; name core03 core01; name x core03; cut spine05:11",
	 "warning; cable-missing absent spine05:11 core01:2; switch-replaced seen core03 core01 x2",
	 "12/12/0/0 9/8/1/0 6/5/1/0 89/1/0/0"},
	{"two spines of one plane, by GUID",
	 PODS ",\"bind\":{\"spine\":[\"0xabc001\",\"0xabc002\",\"0xabc003\",\"0xabc004\",\"0xabc005\",\"0xabc006\","
	      "\"0xabc007\","
	      "\"0xabc008\",\"0xabc009\"]}}",
	 "guid 0xabc001 0x777; guid 0xabc004 0xabc001; guid 0xabc001 0xabc004",
	 "ok; switch-replaced seen 0xabc001 0xabc004 x2", "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/0"},
	{"two pairs of edges of two pods",
	 PODS
	 ",\"bind\":{\"edge\":[\"edge001\",\"edge002\",\"edge003\",\"edge004\",\"edge005\",\"edge006\",\"edge007\","
	 "\"edge008\",\"edge009\",\"edge010\",\"edge011\",\"edge012\"]}}",
	 "name edge001 x; name edge005 edge001; name x edge005; name edge002 x; name edge006 edge002; name x edge006",
	 "ok; switch-replaced seen edge005 edge001 x2; switch-replaced seen edge006 edge002 x2",
	 "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/0"},
	{"bound by pattern",
	 PODS
	 ",\"bind\":{\"core\":{\"match\":\"^core\"},\"spine\":{\"match\":\"^spine\"},\"edge\":{\"match\":\"^edge\"}}}",
	 "dead core03", "warning; core-missing absent spine02:11 spine05:11 spine08:11",
	 "12/12/0/0 9/6/3/0 5/5/0/1 87/3/0/0"},
	{"a pod of which all hosts are down", PODS "}",
	 "cut edge001:1; cut edge001:2; cut edge001:3; cut edge001:4; cut edge002:1; cut edge002:2; cut edge002:3; cut "
	 "edge002:4; cut edge003:1; cut edge003:2; cut edge003:3; cut edge003:4; cut edge004:1; cut edge004:2; cut "
	 "edge004:3; cut edge004:4",
	 "ok; hosts-missing absent edge001 edge002 edge003 edge004 x16", "12/12/0/0 9/9/0/0 6/6/0/0 90/0/0/0"},
};

static void report_counts(const struct ft_report *r, struct ft_text *text)
{
	ft_text_printf(text, "%u/%u/%u/%u %u/%u/%u/%u %u/%u/%u/%u %u/%u/%u/%u", r->edge.found, r->edge.ok,
		       r->edge.degraded, r->edge.isolated, r->spine.found, r->spine.ok, r->spine.degraded,
		       r->spine.missing, r->core.found, r->core.ok, r->core.degraded, r->core.missing, r->uplinks.up,
		       r->uplinks.missing, r->uplinks.misplaced, r->uplinks.unplanned);
}

static void test_row(void **state)
{
	const struct row *row = *state;
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;

	row_check(row->design, row->faults, row->expected, row->counts, report_counts, &b, &report);
}

/* ---- nothing depends on names, and what they would decide has an alternative ---- */

static void test_nameless(void **state)
{
	static const char faults[] = "dead spine05; cut edge009:5; cut spine01:11; cut spine08:12; link spine01:11 "
				     "core04:3; link spine08:12 core01:1";
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	(void)state;

	bench_make(&b, PODS "}");
	faults_apply(&b, faults);
	switches_unname(b.snapshot);
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	assert_int_equal(report->finding_count, 3);
	assert_int_equal(report->findings[0].code, FT_CODE_CORE_MISSING);
	assert_non_null(strstr(report->findings[0].text, "a spine switch ("));
	assert_int_equal(report->findings[1].code, FT_CODE_CABLE_MISSING);
	assert_int_equal(report->findings[1].where[0].guid, 0x100009);
	assert_int_equal(report->findings[2].code, FT_CODE_CABLES_SWAPPED);
	assert_int_equal(report->spine.missing, 1);
	assert_int_equal(report->core.found, 6);
}

static void test_unlike_pods_nameless(void **state)
{
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	(void)state;

	bench_make(&b, UNLIKE "}");
	faults_apply(&b, "dead edge001");
	switches_unname(b.snapshot);
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	assert_int_equal(report->finding_count, 1);
	assert_int_equal(report->findings[0].code, FT_CODE_EDGE_ISOLATED);
	assert_int_equal(report->findings[0].alternative_count, 1);
	assert_non_null(strstr(report->findings[0].alternatives[0], "pods of 4 and of 3 edge switches"));
}

/* A cable of each of two spines of a pod is swapped, and each has but two to the cores: which two is not to be seen. */
static void test_rivals(void **state)
{
	static const char faults[] =
		"cut spine01:11; cut spine02:11; link spine01:11 core03:1; link spine02:11 core01:1";
	(void)state;

	for (unsigned int named = 0; named < 2; named++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;

		bench_make(&b, PODS "}");
		faults_apply(&b, faults);
		if (!named)
			switches_unname(b.snapshot);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		assert_int_equal(report->finding_count, 1);
		assert_int_equal(report->findings[0].code, FT_CODE_CABLES_SWAPPED);
		assert_int_equal(report->findings[0].alternative_count, !named);
		if (!named)
			assert_non_null(strstr(report->findings[0].alternatives[0], "stand in the other's place"));
		if (named)
			assert_int_equal(report->findings[0].where[0].port, 11);
	}
}

/* ---- figures ---- */

static void test_figures(void **state)
{
	/* Planned: 4 hosts share 6 uplinks, and 8 cables from edges 2 to the cores: 2/3 x 4. */
	static const struct {
		const char *faults;
		const char *expected; /* blocking planned and worst, bisection, clos found */
	} figures[] = {
		{"", "8/3 8/3 1/1 5"},
		{"cut edge003:7", "8/3 16/5 1/1 5"},		     /* 4/5 x 4 */
		{"cut spine05:12", "8/3 16/3 17/18 5"},		     /* 2/3 x 8; 17 of 18 to cores */
		{"cut spine05:12; cut spine05:11", "8/3 4/1 8/9 5"}, /* 4/4 x 4 */
		{"dead spine05", "8/3 4/1 8/9 5"},		     /* the same */
		{"dead core04", "8/3 16/3 5/6 5"},		     /* 15 of 18 */
		{"dead edge002; dead edge003; dead edge004; dead edge006; dead edge007; dead edge008; dead edge010; "
		 "dead edge011; dead edge012",
		 "8/3 8/3 1/1 5"}, /* 18 cables from edges are as many as to the cores */
		{"host edge005:11", "8/3 10/3 1/1 5"},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(figures); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *r = NULL;
		char words[64];

		bench_make(&b, PODS "}");
		faults_apply(&b, figures[i].faults);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &r), 0);
		snprintf(words, sizeof(words),
			 "%" PRId64 "/%" PRId64 " %" PRId64 "/%" PRId64 " %" PRId64 "/%" PRId64 " %u",
			 r->blocking_planned.num, r->blocking_planned.den, r->blocking_worst.num, r->blocking_worst.den,
			 r->bisection.num, r->bisection.den, r->clos_found);
		if (strcmp(words, figures[i].expected) != 0)
			fail_msg("%s: %s, should be %s", figures[i].faults, words, figures[i].expected);
	}
}

/* ---- random fabrics that are not the planned one at all: no crash, no leak, sums that hold ---- */

static void test_anything(void **state)
{
	const char *given = getenv("FT_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 20261121;
	unsigned long rounds = runs_get(200);
	(void)state;

	print_message("seed %" PRIu64 " (FT_SEED sets it)\n", seed);
	for (unsigned long round = 0; round < rounds && round < 200; round++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;

		bench_make(&b, round % 2 ? PODS "}" : UNLIKE "}");
		cables_shuffle(b.snapshot, &seed);
		assert_int_equal(ft_snapshot_check(b.snapshot, NULL), 0);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		report_check(report);
		assert_true(report->spine.ok + report->spine.degraded == report->spine.found);
		report_returns(report);
	}
}

/* ---- every allocation may fail ---- */

static void test_no_memory(void **state)
{
	_cleanup_(bench_release) struct bench b;
	(void)state;

	bench_make(&b, PODS ",\"expect\":{\"unplanned\":[\"^mgmt\"]}}");
	faults_apply(&b, "dead spine05; cut edge001:5; cut spine01:11; link edge001:5 core01:1; cut edge009:6; link "
			 "edge009:6 spine02:9; spare stray 36; link stray:1 core02:6; link spine09:9 spine09:10");
	bench_out_of_memory(&b, true);
}

/* ---- the matrix has a cell for each pair that has something, and no other ---- */

static uint32_t planned_between(const struct ft_model *m, uint32_t p, uint32_t q)
{
	uint32_t i = (uint32_t)(m->places[p] - m->plan->switches), j = (uint32_t)(m->places[q] - m->plan->switches);
	uint32_t bundle = ft_plan_find_bundle(m->plan, i, j);

	return bundle == FT_NONE ? 0 : m->plan->bundles[bundle].count;
}

static uint32_t seen_between(const struct ft_model *m, uint32_t p, uint32_t q)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		const struct ft_observed_cable *cable = &m->observed.cables[i];
		uint32_t a = m->observed.switches[cable->a].planned, b = m->observed.switches[cable->b].planned;

		count += (a == p && b == q) || (a == q && b == p);
	}
	return count;
}

static void test_cells(void **state)
{
	static const char faults[] = "cut edge001:5; link edge001:5 spine05:9; link spine01:9 spine04:9; dead core04; "
				     "link edge001:11 edge002:11; link edge012:11 spine01:10";
	_cleanup_(ft_model_release) struct ft_model m = {0};
	_cleanup_(bench_release) struct bench b;
	uint32_t cells = 0;
	(void)state;

	bench_make(&b, PODS "}");
	faults_apply(&b, faults);
	m = (struct ft_model){.design = b.design, .plan = b.plan, .snapshot = b.snapshot, .today = "2026-11-20"};
	assert_int_equal(ft_observed_build(&m), 0);
	assert_int_equal(ft_match(&m), 0);
	/* Four pairs have a cable that is not planned, of two spines and of two edges among them. */
	assert_int_equal(m.cells.count, b.plan->bundle_count + 4);
	for (uint32_t p = 0; p < m.place_count; p++)
		for (uint32_t q = p + 1; q < m.place_count; q++) {
			uint32_t cell = ft_cell_at(&m, p, q);
			assert_int_equal(ft_cell_at(&m, q, p), cell);
			assert_int_equal(m.cells.width[cell], planned_between(&m, p, q));
			assert_int_equal(m.cells.seen[cell], seen_between(&m, p, q));
			cells += cell < m.cells.count;
		}
	assert_int_equal(cells, m.cells.count);
	for (uint32_t p = 0; p < m.place_count; p++)
		for (const struct ft_pair *pair = ft_pairs_of(&m, p); pair < ft_pairs_of(&m, p + 1); pair++) {
			assert_int_equal(ft_cell_at(&m, p, pair->peer), pair->cell);
			assert_true(pair == ft_pairs_of(&m, p) || pair[-1].peer < pair->peer);
			cells--;
		}
	/* Each is a pair of either end. */
	assert_int_equal(cells, -m.cells.count);
}

/* A fabric of 20,480 switches has a million pairs of neighbours; all pairs would be a hundred times as many. */
static void test_cells_are_few(void **state)
{
	static const char design[] =
		"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":524288,\"edge\":{\"ports\":128},"
		"\"spine\":{\"ports\":128},\"core\":{\"ports\":128}}";
	_cleanup_(ft_model_release) struct ft_model m = {0};
	_cleanup_(ft_design_freep) struct ft_design *wanted = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(bench_release) struct bench b;
	struct ft_error err = {0};
	(void)state;

	bench_make(&b, PODS "}");
	assert_int_equal(ft_design_read(design, strlen(design), &wanted, &plan, &err), 0);
	assert_int_equal(plan->switch_count, 20480);
	m = (struct ft_model){.design = wanted, .plan = plan, .snapshot = b.snapshot, .today = "2026-11-20"};
	assert_int_equal(ft_observed_build(&m), 0);
	assert_int_equal(ft_match(&m), 0);
	assert_true(m.cells.count >= plan->bundle_count);
	assert_true(m.cells.count <= plan->bundle_count + m.observed.cable_count);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_nameless), cmocka_unit_test(test_unlike_pods_nameless),
		cmocka_unit_test(test_rivals),	 cmocka_unit_test(test_figures),
		cmocka_unit_test(test_anything), cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_cells),	 cmocka_unit_test(test_cells_are_few),
	};

	return rows_run(rows, test_row, others);
}
