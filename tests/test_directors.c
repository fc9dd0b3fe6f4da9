/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directors: what the names of chips say, chips made whole, and the verifier on fabrics of directors. Two core
 * directors of 72 ports behind eight edges, nine cables each: edge001 is on ports 1 to 9 of each core, edge002 on 10 to
 * 18 and so on, twelve ports a line board. Four edge directors of 72 ports, 36 hosts each, on the first three line
 * boards.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/allocations.h"
#include "tests/directors.h"
#include "tests/extend.h"
#include "tests/rows.h"
#include "tests/runs.h"
#include "probe/routes.h"
#include "verify/infer/infer.h"
#include "verify/model/chassis.h"
#include "planner/plan/tree.h"

#define NODES(count) "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":" #count ","
#define CORES NODES(144) "\"edge\":{\"ports\":36},\"core\":{\"ports\":72}}"
#define EDGES NODES(144) "\"edge\":{\"ports\":72},\"core\":{\"ports\":36}}"
#define BOTH NODES(144) "\"edge\":{\"ports\":72,\"count\":4},\"core\":{\"ports\":72}}"
/* A core has eight of its nine cables on its first line board. */
#define FEW                                                                                                \
	NODES(18)                                                                                          \
	"\"edge\":{\"ports\":4,\"count\":9,\"ports_to_nodes\":2,\"ports_to_core\":2},\"core\":{\"ports\":" \
	"16,\"count\":2}}"
#define STAR NODES(60) "\"topology\":\"star\",\"edge\":{\"ports\":72}}"
#define LEVELS                                                                                                         \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":48,\"blocking\":\"4:1\",\"pods\":3,\"edge\":{\"ports\":" \
	"12,\"count\":12,\"ports_to_nodes\":4,\"ports_to_core\":6},\"spine\":{\"ports\":12,\"count\":9,"               \
	"\"ports_to_core\":2},\"core\":{\"ports\":6,\"count\":6},\"bundle\":{\"edge\":2,\"spine\":1}}"
/* Five cores of 36 ports, three of which have four cables to each edge, and two have three. */
#define MANY NODES(144) "\"edge\":{\"ports\":36},\"core\":{\"ports\":36}}"
/* Nothing is planned on the ninth line board of an edge; four have hosts. */
#define SPARE                                                                                                 \
	NODES(128)                                                                                            \
	"\"edge\":{\"ports\":36,\"count\":8,\"ports_to_nodes\":16,\"ports_to_core\":16},\"core\":{\"ports\":" \
	"32,\"count\":4}}"

/* Line boards, slots, ports and chips of each; fabric boards, slots, and chips of each; traces. */
#define PLAIN                           \
	{                               \
		6, 6, 12, 1, 6, 6, 1, 2 \
	}
#define PAIRS                           \
	{                               \
		6, 6, 12, 2, 3, 3, 2, 1 \
	}

#define MOST_ON_ONE                    \
	{                              \
		2, 2, 8, 1, 2, 2, 1, 4 \
	}
#define FOUR                           \
	{                              \
		4, 6, 9, 1, 9, 9, 1, 1 \
	}
#define NINE                           \
	{                              \
		9, 9, 4, 1, 2, 2, 1, 2 \
	}
#define SMALL                          \
	{                              \
		3, 3, 2, 1, 2, 2, 1, 1 \
	}
#define MIDDLE                         \
	{                              \
		3, 3, 4, 1, 2, 2, 1, 2 \
	}
#define MAKES(boards)                                                                    \
	{                                                                                \
		.tiers = {FT_TIER_CORE, FT_TIER_COUNT}, .inside = boards, .makes = true, \
	}
#define DIRECTORS(lower, upper, boards)                    \
	{                                                  \
		.tiers = {lower, upper}, .inside = boards, \
	}

/* ---- names ---- */

static const struct slot_row {
	const char *name;
	const char *expected; /* chassis|word|number|chip|plain; NULL: it names no slot */
} slot_rows[] = {
	{"core01 L05", "core01|L05|5|0|1"},
	{"core01 L05/2", "core01|L05/2|5|2|1"},
	{"core01/L05/U1", "core01|L05/U1|5|1|1"},
	{"core01 Leaf 5 Chip A", "core01|Leaf 5 Chip A|5|1|1"},
	{"core01 Leaf 5 Chip 2  ", "core01|Leaf 5 Chip 2  |5|2|1"},
	{"QLogic 12800-180 GUID=0x00066a00e8001310 S201A", "QLogic 12800-180 GUID=0x00066a00e8001310|S201A|201|1|1"},
	{"QLogic 12800-180 GUID=0x00066a00e8001310 L112", "QLogic 12800-180 GUID=0x00066a00e8001310|L112|112|0|1"},
	{"MF0;core01:SX6536/S03/U1", "MF0;core01:SX6536|S03/U1|3|1|1"},
	{"core01 line-12", "core01|line-12|12|0|1"},
	{"pod1-leaf3", "pod1|leaf3|3|0|0"},
	{"pod1 leaf3", "pod1|leaf3|3|0|1"},
	{"MF0;leaf07:MQM8700/U1", NULL},
	{"leaf07", NULL},
	{"L05", NULL},
	{"edge001", NULL},
	{"Infiniscale-IV Mellanox Technologies", NULL},
	{"SwitchX -  Mellanox Technologies", NULL},
	{"node L", NULL},
	{"/", NULL},
	{"", NULL},
	{"   ", NULL},
	{"a Chip A", NULL},
	{"a 12345", NULL},
	{"x L99999", NULL},
};

static void test_slots(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(slot_rows); i++) {
		const char *name = slot_rows[i].name;
		struct ft_slot slot = {0};
		char words[128] = "";
		bool named = ft_slot_read(name, strlen(name), &slot);

		if (named)
			snprintf(words, sizeof(words), "%.*s|%s|%u|%u|%d", (int)slot.chassis_length, name,
				 name + slot.word, slot.number, slot.chip, slot.plain);
		if (named != (slot_rows[i].expected != NULL) || (named && strcmp(words, slot_rows[i].expected) != 0))
			fail_msg("%s: %s", name, words);
	}
}

/* ---- findings ---- */

struct row {
	const char *what;
	const char *design;
	struct shape shape; /* @naming and the like are the test's */
	const char *faults;
	/* "verdict; code evidence place +MORE lacks CABLES hosts HOSTS"; the place is the first, MORE how many follow
	 */
	const char *expected;
	enum {
		ALWAYS,
		PLANNED_ONLY,
		NAMED_ONLY,
		SILENT_ONLY
	} only; /* not where the plan is silent; nor where names tell no slots; only where it is silent */
};

static void words_of(const struct ft_report *report, bool places, struct ft_text *text)
{
	ft_text_puts(text, ft_verdict_name(report->verdict));
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];
		uint32_t lacks = 0;

		for (size_t n = 0; n < f->lack_count; n++)
			lacks += f->lacks[n].cables;
		ft_text_printf(text, "%s%s %s", places ? "; " : "\n", ft_codes[f->code].name,
			       ft_evidence_name(f->evidence));
		if (places && f->where_count > 0)
			ft_text_printf(text, " %s", f->where[0].name);
		if (places && f->where_count > 0 && f->where[0].port)
			ft_text_printf(text, ":%u", f->where[0].port);
		if (places && f->where_count > 1)
			ft_text_printf(text, " +%zu", f->where_count - 1);
		if (lacks > 0)
			ft_text_printf(text, " lacks %u", lacks);
		if (f->impact.hosts_cut_off > 0)
			ft_text_printf(text, " hosts %u", f->impact.hosts_cut_off);
	}
}

static int line_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines of @text. */
static void lines_sort(struct ft_text *text)
{
	_cleanup_(ft_text_release) struct ft_text sorted = {0};
	_cleanup_free_ char *copy = strdup(ft_text_string(text));
	char *lines[64], *rest = copy, *line;
	size_t count = 0;

	while (count < FT_COUNT(lines) && (line = strtok_r(rest, "\n", &rest)))
		lines[count++] = line;
	qsort(lines, count, sizeof(*lines), line_compare);
	for (size_t i = 0; i < count; i++)
		ft_text_printf(&sorted, "%s\n", lines[i]);
	ft_text_reset(text);
	ft_text_puts(text, ft_text_string(&sorted));
}

/* What is expected, without the places. */
static void places_drop(const char *expected, struct ft_text *text)
{
	char copy[1024], *rest = copy, *finding;
	unsigned int n = 0;

	snprintf(copy, sizeof(copy), "%s", expected);
	while ((finding = strtok_r(rest, ";", &rest))) {
		char *words = finding, *word;
		unsigned int w = 0;

		ft_text_puts(text, n++ ? "\n" : "");
		while ((word = strtok_r(words, " ", &words))) {
			bool number = strcmp(word, "lacks") == 0 || strcmp(word, "hosts") == 0;

			if (w++ > 1 && !number)
				continue;
			ft_text_printf(text, "%s%s", w > 1 ? " " : "", word);
			if (number)
				ft_text_printf(text, " %s", strtok_r(words, " ", &words));
		}
	}
}

static const struct row rows[] = {
	{"nothing", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "", "ok", ALWAYS},
	{"an outer cable", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "cut core01/L03:5",
	 "warning; cable-missing absent edge004:20 +1 lacks 1", ALWAYS},
	{"a line board", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "board core01/L03",
	 "warning; board-missing absent core01/F01:5 +23 lacks 12", ALWAYS},
	{"the first line board", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "board core02/L01",
	 "warning; board-missing absent core02/F01:1 +23 lacks 12", ALWAYS},
	{"the last line board", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "board core02/L06",
	 "warning; board-missing absent core02/F01:11 +23 lacks 12", ALWAYS},
	{"a line board, and a cable elsewhere on that director", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN),
	 "board core01/L03; cut core01/L05:2",
	 "warning; cable-missing absent edge006:23 +1 lacks 1; board-missing absent core01/F01:5 +23 lacks 12", ALWAYS},
	{"a line board, and another cable of an edge that lost some with it", CORES,
	 DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "board core01/L01; cut core01/L02:1",
	 "warning; cable-missing absent edge002:22 +1 lacks 1; board-missing absent core01/F01:1 +23 lacks 12", ALWAYS},
	{"two line boards", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "board core01/L01; board core01/L02",
	 "warning; board-missing absent core01/F01:1 +23 lacks 12; board-missing absent core01/F01:3 +23 lacks 12",
	 ALWAYS},
	{"a fabric board", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "board core01/F02",
	 "warning; board-missing absent core01/L01:15 +11", ALWAYS},
	{"boards of both kinds in two directors, and a cable", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN),
	 "board core01/L06; board core02/F06; cut core02/L04:3",
	 "warning; cable-missing absent edge005:30 +1 lacks 1; board-missing absent core01/F01:11 +23 lacks 12; "
	 "board-missing absent core02/L01:23 +11",
	 ALWAYS},
	{"a trace", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "cut core01/L02:14",
	 "warning; cable-missing absent core01/L02:14 +1", ALWAYS},
	{"all traces of a pair", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN),
	 "cut core01/L02:13; cut core01/L02:14", "warning; cable-missing absent core01/L02:13 +3", ALWAYS},
	{"a dead trace is no outer port, though nothing else is plugged in", CORES,
	 DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "cut core01/L02:13; cut core02/L02:13",
	 "warning; cable-missing absent core01/L02:13 +1; cable-missing absent core02/L02:13 +1", ALWAYS},
	{"traces of three pairs of one chip are three faults", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN),
	 "cut core01/L01:13; cut core01/L02:14; cut core01/L03:13",
	 "warning; cable-missing absent core01/L01:13 +1; cable-missing absent core01/L02:14 +1; "
	 "cable-missing absent core01/L03:13 +1",
	 ALWAYS},
	{"traces of many pairs of one fabric chip are one fault of it", CORES,
	 DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN),
	 "cut core01/L01:13; cut core01/L02:13; cut core01/L02:14; cut core01/L03:13; cut core01/L04:14",
	 "warning; cable-missing absent core01/F01 +10", ALWAYS},
	{"traces of many pairs of one line chip", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN),
	 "cut core02/L05:13; cut core02/L05:15; cut core02/L05:17; cut core02/L05:18; cut core02/L05:20",
	 "warning; cable-missing absent core02/L05 +10", ALWAYS},
	{"traces of one chip of a board of two, one apart from them, and the outer cable of a chip", CORES,
	 DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PAIRS),
	 "cut core01/L01/U1:8; cut core01/L02/U1:8; cut core01/L02/U2:8; cut core01/L04/U1:8; cut core01/L06/U2:8; "
	 "cut core01/L03/U1:9; cut core01/L04/U1:2",
	 "warning; cable-missing absent core01/F01/U2 +10; cable-missing absent core01/L03/U1:9 +1; "
	 "cable-missing absent edge005:20 +1 lacks 1",
	 ALWAYS},
	{"a director", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "board core01/",
	 "warning; core-missing absent edge001:19 +71", ALWAYS},
	{"a line board that lost all traces", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "sever core01/L04",
	 "warning; board-missing absent core01/L04 lacks 12", NAMED_ONLY},
	{"a mute line board", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "quiet core01/L04",
	 "warning; switch-mute mute core01/F01:7 +23", ALWAYS},
	{"a mute fabric board", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "quiet core02/F03",
	 "warning; switch-mute mute core02/L01:17 +11", ALWAYS},
	{"a swap across directors", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN),
	 "cut core01/L01:1; cut core02/L02:1; link core01/L01:1 edge002:31; link core02/L02:1 edge001:19",
	 "warning; cables-swapped seen edge001:19 +3 lacks 2", ALWAYS},
	{"a cable from a director to itself", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN),
	 "cut core01/L01:1; cut core01/L05:3; link core01/L01:1 core01/L05:3",
	 "warning; loopback seen core01/L01:1 +1 lacks 2", ALWAYS},
	{"a slow trace", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "rate core01/L01:14 4xQDR",
	 "warning; cable-slow seen core01/L01:14 +1", ALWAYS},
	{"an unread port inside, the other end of which is down", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN),
	 "haze core01/L01:14", "warning; cable-missing absent core01/L01 +1; sweep-incomplete unreached core01/L01:14",
	 ALWAYS},
	{"a chip that nobody could look into", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "fog core01/F01",
	 "warning; sweep-incomplete unreached core01/L01:13 +23", NAMED_ONLY},
	{"two chips a board", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PAIRS), "", "ok", ALWAYS},
	{"two chips a board, a line board", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PAIRS), "board core01/L03",
	 "warning; board-missing absent core01/F01/U1:5 +23 lacks 12", NAMED_ONLY},
	{"a line board with all cables but one", FEW, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, MOST_ON_ONE),
	 "board core02/L01", "warning; board-missing absent core02/F01:1 +15 lacks 8", ALWAYS},
	{"two chips a board, one of a line board", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PAIRS),
	 "board core01/L03/U2", "warning; board-missing absent core01/F01/U1:6 +11 lacks 6", ALWAYS},
	{"two chips a board, one of a fabric board", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PAIRS),
	 "board core01/F03/U2", "warning; board-missing absent core01/L01/U1:12 +11", ALWAYS},
	{"two chips a board, one that lost all traces", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PAIRS),
	 "sever core01/L04/U1", "warning; board-missing absent core01/L04/U1 lacks 6", NAMED_ONLY},
	{"edge directors", EDGES, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN), "", "ok", ALWAYS},
	{"an edge director", EDGES, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN), "board edge002/",
	 "critical; edge-isolated absent core01:10 +35 hosts 36", ALWAYS},
	{"a line board of hosts", EDGES, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN), "board edge002/L02",
	 "critical; board-missing absent edge002/F01:3 +11 hosts 12", ALWAYS},
	{"a line board of uplinks", EDGES, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN), "board edge002/L05",
	 "warning; board-missing absent edge002/F01:9 +23 lacks 12", ALWAYS},
	{"a line board of hosts that lost all traces", EDGES, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN),
	 "sever edge002/L02", "critical; edge-isolated absent edge002/L02 hosts 12", ALWAYS},
	{"a host of an edge director", EDGES, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN), "cut edge002/L03:2",
	 "ok; hosts-missing absent edge002 hosts 1", ALWAYS},
	{"a fabric board of an edge director", EDGES, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN),
	 "board edge004/F06", "warning; board-missing absent edge004/L01:23 +11", ALWAYS},
	{"all fabric boards of a core director", CORES, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN), "board core02/F",
	 "warning; board-missing absent core02", NAMED_ONLY},
	{"all fabric boards of an edge director", EDGES, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN),
	 "board edge002/F", "critical; edge-isolated absent edge002 hosts 36", NAMED_ONLY},
	{"directors bought smaller, and a cable of one", MANY, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, NINE),
	 "board core01/L09; board core02/L09; cut core01/L01:1", "warning; cable-missing absent edge001:19 +1 lacks 1",
	 SILENT_ONLY},
	{"directors bought smaller, and a swap across them", MANY, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, NINE),
	 "board core01/L09; board core02/L09; cut core01/L01:1; cut core02/L02:1; link core01/L01:1 edge002:23; "
	 "link core02/L02:1 edge001:19",
	 "warning; cables-swapped seen edge001:19 +3 lacks 2", SILENT_ONLY},
	{"directors bought smaller, one of which lost a board", MANY, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, NINE),
	 "board core01/L09; board core02/L09; board core01/L08",
	 "warning; board-missing absent core01/F01:15 +7 lacks 4", SILENT_ONLY},
	{"edge directors, one bought smaller that lost a board", SPARE, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, NINE),
	 "board edge002/L09; board edge002/L02", "critical; board-missing absent edge002/F01:3 +3 hosts 4",
	 SILENT_ONLY},
	{"edge directors bought smaller, one of which lost two", SPARE, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, NINE),
	 "board edge002/L09; board edge003/L09; board edge003/L01; board edge003/L04",
	 "critical; board-missing absent edge003/F01:1 +3 hosts 4; board-missing absent edge003/F01:7 +3 hosts 4",
	 SILENT_ONLY},
	{"a mute line board with a single cable", FEW, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, MOST_ON_ONE),
	 "quiet core02/L02", "warning; switch-mute mute core02/F01:5 +8", ALWAYS},
	{"two makes, a line board", MANY, MAKES(FOUR), "board core01/L01",
	 "warning; board-missing absent core01/F01:1 +17 lacks 9", ALWAYS},
	{"directors everywhere", BOTH, DIRECTORS(FT_TIER_EDGE, FT_TIER_CORE, PLAIN), "", "ok", ALWAYS},
	{"directors everywhere, a board of each tier", BOTH, DIRECTORS(FT_TIER_EDGE, FT_TIER_CORE, PLAIN),
	 "board edge003/L06; board core01/F02",
	 "warning; board-missing absent core01/L01:15 +11; board-missing absent edge003/F01:11 +23 lacks 12", ALWAYS},
	{"directors everywhere, a cable", BOTH, DIRECTORS(FT_TIER_EDGE, FT_TIER_CORE, PLAIN), "cut core01/L03:2",
	 "warning; cable-missing absent edge002/L04:8 +1 lacks 1", ALWAYS},
	{"directors everywhere, a core", BOTH, DIRECTORS(FT_TIER_EDGE, FT_TIER_CORE, PLAIN), "board core01/",
	 "warning; core-missing absent edge001/L04:1 +71", ALWAYS},
	{"a director alone", STAR, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN), "", "ok", ALWAYS},
	{"a line board of a director alone", STAR, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN), "board edge001/L03",
	 "critical; board-missing absent edge001/F01:5 +11 hosts 12", PLANNED_ONLY},
	{"a fabric board of a director alone", STAR, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN), "board edge001/F02",
	 "warning; board-missing absent edge001/L01:15 +11", PLANNED_ONLY},
	{"a trace of a director alone", STAR, DIRECTORS(FT_TIER_EDGE, FT_TIER_COUNT, PLAIN), "cut edge001/L03:14",
	 "warning; cable-missing absent edge001/L03:14 +1", ALWAYS},
	{"directors as cores of three levels", LEVELS, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, SMALL), "", "ok", ALWAYS},
	{"directors as cores of three levels, a board", LEVELS, DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, SMALL),
	 "board core03/L02", "warning; board-missing absent core03/F01:2 +2 lacks 1", ALWAYS},
	{"directors as spines", LEVELS, DIRECTORS(FT_TIER_SPINE, FT_TIER_COUNT, MIDDLE), "", "ok", ALWAYS},
	{"directors as spines, a board", LEVELS, DIRECTORS(FT_TIER_SPINE, FT_TIER_COUNT, MIDDLE), "board spine04/F02",
	 "warning; board-missing absent spine04/L01:7 +5", ALWAYS},
};

/* Forwarding tables are followed from chip to chip, whatever boards are missing. Here none is known. */
static void routes_check(const struct bench *b)
{
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_verify_input input = {
		.design = b->design, .plan = b->plan, .snapshot = b->snapshot, .today = "2026-11-20"};

	assert_int_equal(ft_routes_new(b->snapshot->node_count, &routes), 0);
	input.routes = routes;
	assert_int_equal(ft_verify_all(&input, &report), 0);
	assert_int_equal(report->routes.tables, 0);
	assert_true(report->routes.switches > 0);
}

/* What holds for all there is to say of a report, and how it is written. */
static void report_make(struct bench *b, struct ft_report **ret_report)
{
	struct ft_error err = {0};

	if (ft_snapshot_check(b->snapshot, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(ft_verify(b->design, b->plan, b->snapshot, "2026-11-20", ret_report), 0);
	report_check(*ret_report);
	report_returns(*ret_report);
	routes_check(b);
}

/* What hands do not mend, or what a fabric on paper does not show. */
static bool is_beyond_hands(enum ft_code code)
{
	return code == FT_CODE_SWEEP_INCOMPLETE || code == FT_CODE_HOSTS_MISSING;
}

/* The repair mends all that was found, by what it foretells itself. */
static void repair_check(const struct bench *b, const struct row *row, struct ft_report *report)
{
	struct ft_verify_input input = {
		.design = b->design, .plan = b->plan, .snapshot = b->snapshot, .today = "2026-11-20"};
	bool beyond = false;

	for (size_t i = 0; i < report->finding_count; i++)
		beyond |= is_beyond_hands(report->findings[i].code);
	assert_int_equal(repair_add(&input, report), 0);
	if (beyond)
		return;
	if (report->left_count > 0)
		fail_msg("%s: after the repair: %s", row->what, report->left[0].text);
	if (report->repair_count > 0 &&
	    (report->repair[report->repair_count - 1].uplinks_up != report->uplinks.planned ||
	     report->repair[report->repair_count - 1].hosts_found != report->hosts.planned))
		fail_msg("%s: the repair foretells %u of %u uplinks, %u of %u hosts", row->what,
			 report->repair[report->repair_count - 1].uplinks_up, report->uplinks.planned,
			 report->repair[report->repair_count - 1].hosts_found, report->hosts.planned);
}

static void row_run(const struct row *row, enum naming naming, bool shuffled, bool silent)
{
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0}, expected = {0};
	struct shape shape = row->shape;
	bool places = naming == BY_SLOTS;
	uint64_t seed = 7;

	shape.silent = silent;
	bench_make(&b, row->design);
	directors_take_apart(&b, &shape);
	if (shuffled)
		guids_shuffle(b.snapshot, &seed);
	chip_faults_apply(&b, row->faults);
	chips_name(b.snapshot, naming);
	report_make(&b, &report);
	words_of(report, places, &words);
	if (places)
		ft_text_puts(&expected, row->expected);
	else
		places_drop(row->expected, &expected);
	if (!places) {
		lines_sort(&words);
		lines_sort(&expected);
	}
	if (strcmp(ft_text_string(&words), ft_text_string(&expected)) != 0)
		fail_msg("%s (naming %d%s%s): %s\nexpected %s", row->what, naming, shuffled ? ", shuffled" : "",
			 silent ? ", plan silent" : "", ft_text_string(&words), ft_text_string(&expected));
	repair_check(&b, row, report);
}

/* Cables alone tell directors only where all else is edges. */
static bool cables_tell(const struct row *row)
{
	return row->shape.tiers[0] == FT_TIER_CORE ? strcmp(row->design, CORES) == 0 : strcmp(row->design, STAR) == 0;
}

static void test_row(void **state)
{
	const struct row *row = *state;

	for (unsigned int naming = BY_SLOTS; naming <= BY_NOTHING; naming++)
		for (unsigned int i = 0; i < 4; i++) {
			bool shuffled = i & 1, silent = i & 2;

			if ((silent && row->only == PLANNED_ONLY) || (!silent && row->only == SILENT_ONLY) ||
			    (naming != BY_SLOTS && row->only == NAMED_ONLY) ||
			    (naming == BY_NOTHING && !cables_tell(row)))
				continue;
			/* Without names, which chips share a board is the order of GUIDs. */
			if (naming != BY_SLOTS && row->shape.inside.line_chips > 1 && (shuffled || silent))
				continue;
			row_run(row, naming, shuffled, silent);
		}
}

/* ---- random faults ---- */

struct campaign {
	struct bench b;
	struct shape shape;
	uint64_t seed;
	char faults[1024];
	struct ft_text expected; /* one line a finding, in no order */
};

static uint32_t lacks_of(const struct ft_finding *f)
{
	uint32_t lacks = 0;

	for (size_t n = 0; n < f->lack_count; n++)
		lacks += f->lacks[n].cables;
	return lacks;
}

/* It was wired by the plan's own ports. */
static uint32_t planned_cables(const struct bench *b, uint32_t director, uint32_t first_port, uint32_t ports)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < b->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &b->plan->bundles[i];

		for (uint32_t n = 0; bundle->b == director && n < bundle->count; n++)
			count += bundle->b_port + n >= first_port && bundle->b_port + n < first_port + ports;
	}
	return count;
}

static void fault_add(struct campaign *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fault_add(struct campaign *c, const char *format, ...)
{
	size_t length = strlen(c->faults);
	va_list args;

	if (length > 0)
		c->faults[length++] = ';';
	va_start(args, format);
	vsnprintf(c->faults + length, sizeof(c->faults) - length, format, args);
	va_end(args);
}

/* Where the plan tells no sizes, a director without a board that nothing is planned on is one that was bought smaller.
 */
static void board_expect(struct campaign *c, uint32_t cables)
{
	if (cables > 0 || !c->shape.silent)
		ft_text_printf(&c->expected, "board-missing %u\n", cables);
}

/* One fault in director @d of the plan, which no other fault is in. */
static void fault_choose(struct campaign *c, uint32_t d)
{
	const struct ft_inside *in = &c->shape.inside;
	const char *whole = c->b.plan->switches[d].name;
	uint32_t chips = in->line_chips, per_chip = in->line_ports / chips;
	uint32_t board = random_next(&c->seed) % in->line_boards, chip = random_next(&c->seed) % chips;
	uint32_t fabric = random_next(&c->seed) % (in->fabric_boards * in->fabric_chips);
	uint32_t port = board * in->line_ports + chip * per_chip + 1;
	char line[96], other[96];

	chip_name(whole, true, in, board * chips + chip, line);
	chip_name(whole, false, in, fabric, other);
	switch (random_next(&c->seed) % 6) {
	case 0:
		fault_add(c, "board %s/L%02u", whole, board + 1);
		board_expect(c, planned_cables(&c->b, d, board * in->line_ports + 1, in->line_ports));
		break;
	case 1:
		fault_add(c, "board %s/F%02u", whole, fabric / in->fabric_chips + 1);
		ft_text_puts(&c->expected, "board-missing 0\n");
		break;
	case 2:
		fault_add(c, "cut %s:%u", line, per_chip + fabric * in->traces + 1);
		ft_text_puts(&c->expected, "cable-missing 0\n");
		break;
	case 3:
		if (planned_cables(&c->b, d, port, 1) == 0)
			return;
		fault_add(c, "cut %s:%u", line,
			  c->shape.makes && d % 2 ? per_chip + in->fabric_boards * in->fabric_chips * in->traces + 1
						  : 1);
		ft_text_puts(&c->expected, "cable-missing 1\n");
		break;
	case 4:
		fault_add(c, "board %s", line);
		if (chips > 1)
			ft_text_printf(&c->expected, "board-missing %u\n", planned_cables(&c->b, d, port, per_chip));
		else
			board_expect(c, planned_cables(&c->b, d, port, per_chip));
		break;
	default:
		fault_add(c, "board %s/", whole);
		ft_text_puts(&c->expected, "core-missing 0\n");
		break;
	}
}

static void shape_choose(struct campaign *c)
{
	static const struct ft_inside insides[] = {
		{6, 6, 6, 1, 3, 3, 1, 2}, {3, 3, 12, 2, 4, 4, 1, 1}, {2, 2, 18, 3, 3, 3, 2, 1},
		{4, 6, 9, 1, 9, 9, 1, 1}, {9, 9, 4, 1, 2, 2, 1, 2},
	};

	c->shape = (struct shape){.tiers = {FT_TIER_CORE, FT_TIER_COUNT},
				  .inside = insides[random_next(&c->seed) % FT_COUNT(insides)],
				  .silent = random_next(&c->seed) % 3 == 0,
				  .shuffled = random_next(&c->seed) % 2};
	/* Names that tell no slots do where each board is one chip. */
	if (c->shape.inside.line_chips == 1 && c->shape.inside.fabric_chips == 1)
		c->shape.naming = random_next(&c->seed) % (BY_NOTHING + 1);
	c->shape.makes = random_next(&c->seed) % 4 == 0;
}

static void campaign_round(uint64_t *seed, unsigned int round)
{
	struct campaign c = {.seed = *seed};
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text found = {0};
	uint32_t first, count;

	bench_make(&c.b, MANY);
	shape_choose(&c);
	first = c.b.plan->tree->edge_count;
	count = random_next(&c.seed) % 4;
	directors_take_apart(&c.b, &c.shape);
	if (c.shape.shuffled)
		guids_shuffle(c.b.snapshot, &c.seed);
	for (uint32_t i = 0; i < count; i++)
		fault_choose(&c, first + (round + i) % c.b.plan->tree->core_count);
	chip_faults_apply(&c.b, c.faults);
	chips_name(c.b.snapshot, c.shape.naming);
	report_make(&c.b, &report);
	for (size_t i = 0; i < report->finding_count; i++)
		ft_text_printf(&found, "%s %u\n", ft_codes[report->findings[i].code].name,
			       lacks_of(&report->findings[i]));
	lines_sort(&found);
	lines_sort(&c.expected);
	if (strcmp(ft_text_string(&found), ft_text_string(&c.expected)) != 0)
		fail_msg("round %u, seed 0x%" PRIx64 ", %u boards of %u, naming %d%s%s%s, faults %s:\n%sexpected:\n%s",
			 round, *seed, c.shape.inside.line_boards, c.shape.inside.line_chips, c.shape.naming,
			 c.shape.shuffled ? ", shuffled" : "", c.shape.silent ? ", plan silent" : "",
			 c.shape.makes ? ", two makes" : "", c.faults, ft_text_string(&found),
			 ft_text_string(&c.expected));
	*seed = c.seed;
	ft_text_release(&c.expected);
	bench_release(&c.b);
}

static void test_random(void **state)
{
	const char *given = getenv("FT_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 20261121;
	(void)state;

	print_message("seed %" PRIu64 " (FT_SEED sets it)\n", seed);
	for (unsigned int round = 0; round < runs_at_most(400); round++)
		campaign_round(&seed, round);
}

/* Whatever is cabled to what: no crash, no leak, sums that hold. */
static void test_anything(void **state)
{
	const char *given = getenv("FT_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 20261122;
	(void)state;

	for (unsigned int round = 0; round < runs_at_most(100); round++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		const struct row *row = &rows[random_next(&seed) % FT_COUNT(rows)];

		bench_make(&b, row->design);
		directors_take_apart(&b, &row->shape);
		cables_shuffle(b.snapshot, &seed);
		chips_name(b.snapshot, round % (BY_NOTHING + 1));
		report_make(&b, &report);
	}
}

/* ---- what becomes of a fabric ---- */

static void test_whole(void **state)
{
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_chassis_freep) struct ft_chassis *c = NULL;
	struct shape shape = {.tiers = {FT_TIER_CORE, FT_TIER_COUNT}, .inside = PLAIN, .naming = BY_SLOTS};
	const struct ft_snapshot *s;
	(void)state;

	bench_make(&b, CORES);
	directors_take_apart(&b, &shape);
	chip_faults_apply(&b, "board core01/L03; cut core02/L02:13");
	assert_int_equal(ft_chassis_find(b.snapshot, b.design, b.plan, NULL, &c), 0);
	s = c->snapshot;
	assert_non_null(s);
	assert_int_equal(ft_snapshot_check(s, NULL), 0);
	assert_int_equal(c->director_count, 2);
	assert_int_equal(s->node_count, b.snapshot->node_count - c->chip_count + 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct ft_director *d = &c->directors[i];

		assert_int_equal(s->nodes[d->node].port_count, 72);
		assert_int_equal(d->seen.line_boards, 6 - (i == 0));
		assert_int_equal(d->seen.fabric_boards, 6);
		assert_int_equal(d->seen.traces, 2);
		assert_int_equal(d->seen.line_ports, 12);
	}
	/* Ports of the board that is gone are of no chip; all others are, and of the right one. */
	for (uint32_t n = 1; n <= 72; n++) {
		uint32_t port = s->nodes[c->directors[0].node].first_port + n - 1, origin = c->origin[port];

		if (n > 24 && n <= 36) {
			assert_int_equal(origin, FT_NONE);
			continue;
		}
		assert_int_equal(b.snapshot->ports[origin].number, (n - 1) % 12 + 1);
		assert_int_equal(c->chips[c->chip_of[b.snapshot->ports[origin].node]].board, (n - 1) / 12);
		assert_int_equal(c->whole_port[origin], port);
	}
	assert_string_equal(ft_node_description(s, &s->nodes[c->directors[0].node]), "core01");
}

/* Beside the fabric, so many line chips and as many fabric chips of one SystemImageGUID. */
static void test_too_many_chips(void **state)
{
	static const struct {
		uint32_t chips, directors;
	} cases[] = {{60, 3}, {100, 2}};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		const struct ft_inside inside = {
			cases[i].chips, cases[i].chips, cases[i].chips, 1, cases[i].chips, cases[i].chips, 1, 1};
		const struct shape shape = DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN);
		_cleanup_(ft_chassis_freep) struct ft_chassis *c = NULL;
		_cleanup_(bench_release) struct bench b;
		uint32_t whole;

		bench_make(&b, CORES);
		directors_take_apart(&b, &shape);
		chip_faults_apply(&b, "cut edge001:36");
		whole = node_add(b.snapshot, "huge", 0x900000, FT_NODE_SWITCH, 1);
		cable_put(b.snapshot, chip_port(b.snapshot, whole, 1),
			  chip_port(b.snapshot, node_find(b.snapshot, "edge001"), 36));
		director_take_apart(b.snapshot, whole, &inside, 0x1100000, MAKE_ONLY);
		b.snapshot->nodes[whole].type = FT_NODE_CA;
		chips_name(b.snapshot, BY_SYSTEM_GUID);
		assert_int_equal(ft_chassis_find(b.snapshot, b.design, b.plan, NULL, &c), 0);
		assert_int_equal(c->director_count, cases[i].directors);
	}
}

/* Most directors have lost all fabric boards, and the plan does not say what these are made of. */
static void test_mostly_bare(void **state)
{
	const struct shape shape = DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, SMALL);
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0};
	_cleanup_(bench_release) struct bench b;
	(void)state;

	bench_make(&b, LEVELS);
	directors_take_apart(&b, &shape);
	b.plan->inside[FT_TIER_CORE] = (struct ft_inside){.fabric_boards = 2};
	chip_faults_apply(&b, "board core01/F; board core02/F; board core03/F; board core04/F; board core05/F; "
			      "board core06/F02");
	report_make(&b, &report);
	words_of(report, false, &words);
	assert_string_equal(ft_text_string(&words),
			    "warning\nboard-missing absent\nboard-missing absent\nboard-missing absent\n"
			    "board-missing absent\nboard-missing absent\nboard-missing absent");
}

/* A cable on the wrong director carries what its edge has, all the same. */
static void test_swap_impact(void **state)
{
	static const char swap[] = "cut core01:1; cut core02:13; link core01:1 edge002:31; link core02:13 edge001:19";
	static const char swap_of_chips[] = "cut core01/L01:1; cut core02/L02:1; link core01/L01:1 edge002:31; "
					    "link core02/L02:1 edge001:19";
	const struct shape shape = DIRECTORS(FT_TIER_CORE, FT_TIER_COUNT, PLAIN);
	struct ft_impact impacts[2];
	(void)state;

	for (unsigned int whole = 0; whole < 2; whole++) {
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(bench_release) struct bench b;

		bench_make(&b, CORES);
		if (!whole)
			directors_take_apart(&b, &shape);
		chip_faults_apply(&b, whole ? swap : swap_of_chips);
		report_make(&b, &report);
		assert_int_equal(report->finding_count, 1);
		assert_int_equal(report->findings[0].code, FT_CODE_CABLES_SWAPPED);
		impacts[whole] = report->findings[0].impact;
	}
	assert_int_equal(impacts[0].links_lost, impacts[1].links_lost);
	assert_int_equal(impacts[0].edges, 0);
	assert_int_equal(impacts[1].edges, 0);
	assert_int_equal(ft_ratio_compare(impacts[0].bisection_lost, impacts[1].bisection_lost), 0);
}

/* Without a plan, what all share is said of all switches in vain. */
static void test_unplanned(void **state)
{
	static const struct {
		enum naming naming;
		const char *design;
		uint32_t directors;
	} cases[] = {
		{BY_SLOTS, STAR, 1},	    {BY_LIBRARY, STAR, 1}, {BY_SYSTEM_GUID, STAR, 0},
		{BY_NOTHING, STAR, 0},	    {BY_SLOTS, CORES, 2},  {BY_LIBRARY, CORES, 2},
		{BY_SYSTEM_GUID, CORES, 2}, {BY_NAME, CORES, 2},   {BY_NOTHING, CORES, 2},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_chassis_freep) struct ft_chassis *c = NULL;
		bool star = strcmp(cases[i].design, STAR) == 0;
		struct shape shape = {.tiers = {star ? FT_TIER_EDGE : FT_TIER_CORE, FT_TIER_COUNT}, .inside = PLAIN};

		bench_make(&b, cases[i].design);
		directors_take_apart(&b, &shape);
		chips_name(b.snapshot, cases[i].naming);
		assert_int_equal(ft_chassis_find(b.snapshot, NULL, NULL, NULL, &c), 0);
		if (c->director_count != cases[i].directors)
			fail_msg("case %zu: %u directors", i, c->director_count);
	}
}

/* Switches that all share a SystemImageGUID by a fault are what they are, planned or not. */
static void test_vendor_fault(void **state)
{
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_chassis_freep) struct ft_chassis *c = NULL;
	(void)state;

	bench_make(&b, CORES);
	for (uint32_t i = 0; i < b.snapshot->node_count; i++)
		if (b.snapshot->nodes[i].type == FT_NODE_SWITCH)
			b.snapshot->nodes[i].system_guid = 0xabc;
	assert_int_equal(ft_chassis_find(b.snapshot, NULL, NULL, NULL, &c), 0);
	assert_int_equal(c->director_count, 0);
	assert_null(c->snapshot);
}

static void test_pattern(void **state)
{
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct shape shape = {.tiers = {FT_TIER_CORE, FT_TIER_COUNT}, .inside = PLAIN, .naming = BY_SLOTS};
	(void)state;

	bench_make(&b, CORES);
	directors_take_apart(&b, &shape);
	/* Names that only a pattern makes sense of. */
	for (uint32_t i = 0; i < b.snapshot->node_count; i++) {
		struct ft_node *node = &b.snapshot->nodes[i];
		const char *name = ft_node_description(b.snapshot, node);
		char other[96];

		if (!is_chip(node))
			continue;
		snprintf(other, sizeof(other), "asic %s of big%c", name + 7, name[5]);
		description_set(b.snapshot, node, other);
	}
	assert_int_equal(ft_pattern_compile_capturing("of (big.)$", &b.design->roles[FT_TIER_CORE].chassis, NULL), 0);
	chip_faults_apply(&b, "board asic L02 of big1");
	report_make(&b, &report);
	assert_int_equal(report->finding_count, 1);
	assert_int_equal(report->findings[0].code, FT_CODE_BOARD_MISSING);
	assert_int_equal(report->core.found, 2);
	assert_non_null(strstr(report->findings[0].text, "big1"));
}

/* Of a chip with dead traces: which it is, how many, where they lead; one id, and one step, however many there are. */
static void test_weak_chip(void **state)
{
	static const char *const faults[] = {
		"cut core01/L01:13; cut core01/L02:14; cut core01/L03:13; cut core01/L05:13",
		"cut core01/L01:13; cut core01/L02:14; cut core01/L03:13; cut core01/L05:13; cut core01/L05:14",
	};
	struct shape shape = {.tiers = {FT_TIER_CORE, FT_TIER_COUNT}, .inside = PLAIN, .naming = BY_SLOTS};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(faults); i++) {
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(bench_release) struct bench b;
		struct ft_verify_input input;
		char text[160];

		bench_make(&b, CORES);
		directors_take_apart(&b, &shape);
		chip_faults_apply(&b, faults[i]);
		report_make(&b, &report);
		assert_int_equal(report->finding_count, 1);
		snprintf(text, sizeof(text),
			 "%zu of the 12 backplane traces of core01 F01 are dead, those to 4 line chips: L01, L02, L03, "
			 "L05",
			 4 + i);
		assert_string_equal(report->findings[0].text, text);
		assert_int_equal(report->findings[0].count, 4 + i);
		assert_int_equal(report->findings[0].symptom_count, 4);
		assert_string_equal(report->findings[0].id, "cable-missing:0x0000000001008006");
		input = (struct ft_verify_input){
			.design = b.design, .plan = b.plan, .snapshot = b.snapshot, .today = "2026-11-20"};
		assert_int_equal(repair_add(&input, report), 0);
		assert_int_equal(report->repair_count, 1);
		assert_int_equal(report->left_count, 0);
		assert_int_equal(report->repair[0].findings, 0);
	}
}

/* Nor do its dead traces make a fat-tree of a director, with thinner bundles to one of its cores. */
static void test_weak_chip_inferred(void **state)
{
	static const char faults[] = "cut edge001/L01:13; cut edge001/L02:14; cut edge001/L03:13; cut edge001/L05:13; "
				     "cut edge001/L06:14";
	struct shape shape = {.tiers = {FT_TIER_EDGE, FT_TIER_COUNT}, .inside = PLAIN, .naming = BY_SLOTS};
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_(bench_release) struct bench b;
	struct ft_error err = {0};
	(void)state;

	bench_make(&b, STAR);
	directors_take_apart(&b, &shape);
	chip_faults_apply(&b, faults);
	if (ft_infer(b.snapshot, "t", &text, &err) < 0 ||
	    ft_design_read(text.data, text.length, &design, &plan, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(plan->topology, FT_TOPOLOGY_STAR);
	assert_int_equal(ft_verify(design, plan, b.snapshot, "", &report), 0);
	assert_int_equal(report->finding_count, 1);
	assert_int_equal(report->findings[0].count, 5);
}

/* A board brings its cables back, and a trace is mended at its boards, which have names of their own. */
static void test_repair(void **state)
{
	struct shape shape = {.tiers = {FT_TIER_CORE, FT_TIER_COUNT}, .inside = PLAIN, .naming = BY_SLOTS};
	char faults[] = "board core01/L04; cut core02/L01:13";
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(bench_release) struct bench b;
	struct ft_verify_input input;
	bool traced = false;
	(void)state;

	bench_make(&b, CORES);
	directors_take_apart(&b, &shape);
	chip_faults_apply(&b, faults);
	for (uint32_t n = 0; n < b.snapshot->node_count; n++) {
		struct ft_node *node = &b.snapshot->nodes[n];
		const char *old = ft_node_description(b.snapshot, node);
		char name[96];

		if (!is_chip(node))
			continue;
		snprintf(name, sizeof(name), "MF0;%.6s:CS7500%s/U1", old, old + 6);
		description_set(b.snapshot, node, name);
	}
	input = (struct ft_verify_input){
		.design = b.design, .plan = b.plan, .snapshot = b.snapshot, .today = "2026-11-20"};
	assert_int_equal(ft_verify_all(&input, &report), 0);
	assert_int_equal(report->finding_count, 2);
	assert_int_equal(repair_add(&input, report), 0);
	assert_int_equal(report->repair_count, 2);
	assert_int_equal(report->left_count, 0);
	assert_int_equal(report->repair[1].findings, 0);
	assert_int_equal(report->repair[1].uplinks_up, report->uplinks.planned);
	for (size_t i = 0; i < report->repair_count; i++)
		traced |= strncmp(report->repair[i].text, "mend the backplane trace between core02 L01/U1 port 13 and ",
				  59) == 0;
	assert_true(traced);
}

/*
 * A chassis of six slots with five line boards, the fourth slot empty: which board is gone is said only where that is
 * certain.
 */
static void test_empty_slots(void **state)
{
	static const struct {
		const char *off, *text, *fix;
		uint32_t slots;
	} cases[] = {
		{"board edge001/L02", "a line board of ", "; it is L02 or L04, whichever is not empty by intent", 6},
		{"board edge001/L06", "a line board of ", "; it is L04 or L06, whichever is not empty by intent", 6},
		{"board edge001/F03", "fabric board F03/U1 of ", "then replace it", 6},
		{"board edge001/L02", "a line board of ", "; an empty slot, or a dark board, is the one", 9},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		struct shape shape = {.tiers = {FT_TIER_EDGE, FT_TIER_COUNT},
				      .inside = {5, cases[i].slots, 12, 1, 6, 6, 1, 2}};
		char faults[32];

		bench_make(&b, STAR);
		directors_take_apart(&b, &shape);
		for (uint32_t n = 0; n < b.snapshot->node_count; n++) {
			struct ft_node *node = &b.snapshot->nodes[n];
			const char *old = ft_node_description(b.snapshot, node);
			unsigned int number;
			char name[32], side;

			if (!is_chip(node) || sscanf(old, "edge001/%c%u", &side, &number) != 2)
				continue;
			/* The one chip of each board has a number, too. */
			snprintf(name, sizeof(name), "edge001/%c%02u%s", side, number + (side == 'L' && number > 3),
				 side == 'F' ? "/U1" : "");
			description_set(b.snapshot, node, name);
		}
		snprintf(faults, sizeof(faults), "%s", cases[i].off);
		chip_faults_apply(&b, faults);
		report_make(&b, &report);
		assert_int_equal(report->finding_count, 1);
		assert_int_equal(report->findings[0].code, FT_CODE_BOARD_MISSING);
		assert_int_equal(strncmp(report->findings[0].text, cases[i].text, strlen(cases[i].text)), 0);
		assert_non_null(strstr(report->findings[0].fix, cases[i].fix));
	}
}

/* More chips than slots: boards have several, though the plan does not say it and there is no other director. */
static void test_crowded(void **state)
{
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	const struct row row = {.what = "a chip of a director alone"};
	struct shape shape = {.tiers = {FT_TIER_EDGE, FT_TIER_COUNT}, .inside = PAIRS};
	char faults[] = "board edge001/L06/U1";

	(void)state;
	bench_make(&b, STAR);
	directors_take_apart(&b, &shape);
	b.plan->inside[FT_TIER_EDGE] = (struct ft_inside){.line_boards = 6, .line_boards_max = 6, .line_ports = 12};
	chips_name(b.snapshot, BY_SLOTS);
	chip_faults_apply(&b, faults);
	report_make(&b, &report);
	assert_int_equal(report->finding_count, 1);
	assert_string_equal(report->findings[0].text, "chip 1 of line board L06 of edge001 is missing: its 6 traces to "
						      "the fabric boards are not listed in the dump");
	repair_check(&b, &row, report);
}

/* Bound by the GUID of any of its chips, or by its SystemImageGUID, a director has its place. */
static void test_bound(void **state)
{
	static const char *const guids[] = {"0x1008003", "0x1008fff"};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(guids); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		struct shape shape = {.tiers = {FT_TIER_CORE, FT_TIER_COUNT}, .inside = PLAIN};

		bench_make(&b, CORES);
		directors_take_apart(&b, &shape);
		chips_name(b.snapshot, BY_SYSTEM_GUID);
		b.design->binds[FT_TIER_CORE].count = 2;
		b.design->binds[FT_TIER_CORE].names = calloc(2, sizeof(char *));
		b.design->binds[FT_TIER_CORE].guids = calloc(2, sizeof(uint64_t));
		b.design->binds[FT_TIER_CORE].names[0] = strdup("0x1009000");
		b.design->binds[FT_TIER_CORE].names[1] = strdup(guids[i]);
		b.design->binds[FT_TIER_CORE].guids[0] = 0x1009000;
		b.design->binds[FT_TIER_CORE].guids[1] = strtoull(guids[i], NULL, 16);
		report_make(&b, &report);
		assert_int_equal(report->finding_count, 0);
		for (size_t n = 0; n < report->switch_count; n++)
			if (report->switches[n].guid == b.design->binds[FT_TIER_CORE].guids[1])
				assert_string_equal(report->switches[n].planned_as, "core02");
	}
}

static void test_no_memory(void **state)
{
	_cleanup_(bench_release) struct bench b;
	struct shape shape = {
		.tiers = {FT_TIER_CORE, FT_TIER_COUNT}, .inside = PLAIN, .naming = BY_SLOTS, .silent = true};
	uint64_t seed = 3;
	(void)state;

	bench_make(&b, CORES);
	directors_take_apart(&b, &shape);
	guids_shuffle(b.snapshot, &seed);
	chip_faults_apply(&b, "board core01/L02; board core02/F03; cut core02/L02:13; sever core02/L05");
	chips_name(b.snapshot, BY_NAME);
	bench_out_of_memory(&b, false);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_empty_slots),
		cmocka_unit_test(test_repair),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_unplanned),
		cmocka_unit_test(test_vendor_fault),
		cmocka_unit_test(test_pattern),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_anything),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_too_many_chips),
		cmocka_unit_test(test_mostly_bare),
		cmocka_unit_test(test_swap_impact),
		cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_weak_chip),
		cmocka_unit_test(test_weak_chip_inferred),
	};
	struct CMUnitTest tests[FT_COUNT(rows) + FT_COUNT(others)];

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		tests[i] = (struct CMUnitTest){
			.name = rows[i].what, .test_func = test_row, .initial_state = (void *)(uintptr_t)&rows[i]};
	memcpy(tests + FT_COUNT(rows), others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
