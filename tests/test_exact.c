/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The verifier on plans that say which port each cable and host is in: those of the bundles, so that a network file of
 * the plan is as planned.
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

#include "planner/wiring.h"
#include "tests/allocations.h"
#include "tests/bench.h"
#include "verify/model.h"

/* Four edges of 18 hosts and two cores, nine cables a pair. */
#define SMALL "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}"
/* Twelve edges of 18 hosts and six cores, three cables a pair; four ports of each are spare. */
#define WIDE                                                                                                          \
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":216,\"edge\":{\"ports\":40,\"ports_to_nodes\":18,\"ports_to_core\":" \
	"18},"                                                                                                        \
	"\"core\":{\"ports\":40},\"bundle\":3"
#define PODS                                                                                                           \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":48,\"blocking\":\"4:1\",\"pods\":3,\"edge\":{\"ports\":" \
	"12,\"count\":12,\"ports_to_nodes\":4,\"ports_to_core\":6},\"spine\":{\"ports\":12,\"count\":9,"               \
	"\"ports_to_core\":2},\"core\":{\"ports\":8,\"count\":6},\"bundle\":{\"edge\":2,\"spine\":1}"

/* ---- plans ---- */

static void cables_fill(struct ft_plan *plan)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		count += plan->bundles[i].count;
	plan->cables = calloc(count, sizeof(*plan->cables));
	assert_non_null(plan->cables);
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		for (uint32_t n = 0; n < plan->bundles[i].count; n++)
			plan->cables[plan->cable_count++] =
				(struct ft_plan_cable){plan->bundles[i].a, plan->bundles[i].b,
						       plan->bundles[i].a_port + n, plan->bundles[i].b_port + n};
}

static void hosts_fill(struct ft_plan *plan)
{
	plan->hosts = calloc(plan->nodes, sizeof(*plan->hosts));
	assert_non_null(plan->hosts);
	for (uint32_t i = 0; i < plan->edge_count; i++)
		for (uint32_t n = 0; n < plan->switches[i].hosts; n++) {
			char name[FT_HOST_NAME_SIZE];

			ft_plan_host_name(plan, plan->host_count, name);
			plan->hosts[plan->host_count] = (struct ft_plan_host){strdup(name), 0, i, n + 1};
			assert_non_null(plan->hosts[plan->host_count++].name);
		}
}

enum {
	CABLES = 1,
	HOSTS = 2,
	EDGES_ONLY = 4, /* of hosts only the edge is said */
	A_PORTS = 8,	/* of cables only the lower port */
	NO_PORTS = 16,
};

static void plan_fill(struct ft_plan *plan, unsigned int how)
{
	if (how & (CABLES | A_PORTS | NO_PORTS))
		cables_fill(plan);
	if (how & (HOSTS | EDGES_ONLY))
		hosts_fill(plan);
	for (uint32_t i = 0; i < plan->cable_count && how & (A_PORTS | NO_PORTS); i++) {
		plan->cables[i].b_port = 0;
		plan->cables[i].a_port = how & NO_PORTS ? 0 : plan->cables[i].a_port;
	}
	for (uint32_t i = 0; i < plan->host_count && how & EDGES_ONLY; i++)
		plan->hosts[i].port = 0;
}

/* ---- carrying out what the findings say ---- */

static struct ft_port *place_port(struct ft_snapshot *s, const struct ft_place *place, bool want_free)
{
	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct ft_node *node = &s->nodes[i];

		if (node->guid != place->guid)
			continue;
		if (place->port)
			return &s->ports[node->first_port + place->port - 1];
		/* Any that is free: the lowest. */
		for (uint32_t n = 0; n < node->port_count; n++)
			if (!want_free || s->ports[node->first_port + n].peer == FT_NO_PORT)
				return &s->ports[node->first_port + n];
	}
	fail_msg("no free port at %s", place->name);
	return NULL;
}

static void end_move(struct ft_snapshot *s, struct ft_port *from, struct ft_port *to)
{
	struct ft_port *far = &s->ports[from->peer];

	assert_int_not_equal(from->peer, FT_NO_PORT);
	end_drop(from, FT_LINK_DOWN);
	end_drop(far, FT_LINK_DOWN);
	cable_put(s, to, far);
}

static void ends_exchange(struct ft_snapshot *s, struct ft_port *a, struct ft_port *b)
{
	struct ft_port *far_a = &s->ports[a->peer], *far_b = &s->ports[b->peer];

	assert_true(a->peer != FT_NO_PORT && b->peer != FT_NO_PORT);
	/* The two ends of one cable: nothing changes. */
	if (far_a == b)
		return;
	cable_drop(s, a, FT_LINK_DOWN);
	cable_drop(s, b, FT_LINK_DOWN);
	cable_put(s, a, far_b);
	cable_put(s, b, far_a);
}

/* False where it has to wait for another finding's, which frees the port. */
static bool action_carry_out(struct ft_snapshot *s, const struct ft_action *action)
{
	struct ft_port *a = place_port(s, &action->a, action->act == FT_ACT_CONNECT), *b = NULL;

	if (action->b.name)
		b = place_port(s, &action->b, true);
	switch (action->act) {
	case FT_ACT_CONNECT:
		if (a->peer != FT_NO_PORT || b->peer != FT_NO_PORT)
			return false;
		cable_put(s, a, b);
		return true;
	case FT_ACT_MOVE:
		if (b->peer != FT_NO_PORT)
			return false;
		end_move(s, a, b);
		return true;
	case FT_ACT_EXCHANGE:
		ends_exchange(s, a, b);
		return true;
	case FT_ACT_REMOVE:
		cable_drop(s, a, FT_LINK_DOWN);
		return true;
	default:
		return true;
	}
}

/* All that the findings say, each finding's in its order. */
static void report_carry_out(struct ft_snapshot *s, const struct ft_report *report)
{
	size_t *done = calloc(report->finding_count + 1, sizeof(*done));
	bool moved = true;

	assert_non_null(done);
	while (moved) {
		moved = false;
		for (size_t i = 0; i < report->finding_count; i++) {
			const struct ft_finding *f = &report->findings[i];

			while (done[i] < f->action_count && action_carry_out(s, &f->actions[done[i]])) {
				done[i]++;
				moved = true;
			}
		}
	}
	for (size_t i = 0; i < report->finding_count; i++)
		if (done[i] < report->findings[i].action_count)
			fail_msg("an action of %s cannot be carried out: %s", report->findings[i].id,
				 report->findings[i].fix);
	free(done);
}

/* ---- what holds for every report ---- */

static uint32_t unjudged_of(const struct ft_report *r)
{
	return r->uplinks.planned - r->uplinks.up - r->uplinks.missing - r->uplinks.misplaced;
}

/* ---- one row a class ---- */

struct row {
	const char *what;
	const char *design;
	unsigned int how;
	const char *faults;
	const char *expected; /* as in test_verify.c */
	const char *counts;   /* "up/missing/misplaced/unplanned" of the uplinks */
	const char *said;     /* what the first finding's text or fix has in it; NULL: anything */
	bool stays;	      /* actions do not mend all of it */
};

static const struct row rows[] = {
	{"healthy", SMALL "}", CABLES, "", "ok", "72/0/0/0", NULL, false},
	{"healthy, hosts too", WIDE "}", CABLES | HOSTS, "", "ok", "216/0/0/0", NULL, false},
	{"healthy, three levels", PODS "}", CABLES | HOSTS, "", "ok", "90/0/0/0", NULL, false},
	{"healthy, lower ports only", SMALL "}", A_PORTS, "", "ok", "72/0/0/0", NULL, false},
	{"healthy, no ports", PODS "}", NO_PORTS | EDGES_ONLY, "", "ok", "90/0/0/0", NULL, false},
	{"one cable", SMALL "}", CABLES, "cut edge003:20", "warning; cable-missing absent edge003:20 core01:20",
	 "71/1/0/0", NULL, false},
	{"two cables of a pair", SMALL "}", CABLES, "cut edge003:20; cut edge003:22",
	 "warning; cable-missing absent edge003:20 edge003:22 core01:20 core01:22 x2", "70/2/0/0", NULL, false},
	{"wrong port", WIDE "}", CABLES, "cut edge004:20; link edge004:20 core01:40",
	 "warning; cable-wrong-port seen edge004:20 core01:40", "215/0/1/0", NULL, false},
	{"wrong port at the lower end", WIDE "}", CABLES, "cut edge004:20; link edge004:40 core01:11",
	 "warning; cable-wrong-port seen edge004:40 core01:11", "215/0/1/0", NULL, false},
	{"both ends in wrong ports", WIDE "}", CABLES, "cut edge004:20; link edge004:40 core01:40",
	 "warning; cable-wrong-port seen edge004:40 core01:40", "215/0/1/0", NULL, false},
	{"wrong switch", WIDE "}", CABLES, "cut edge004:20; link edge004:20 core05:40",
	 "warning; cable-misplaced seen edge004:20 core05:40", "215/0/1/0", NULL, false},
	{"two exchanged between two switches", SMALL "}", CABLES,
	 "cut edge003:20; cut edge003:21; link edge003:20 core01:21; link edge003:21 core01:20",
	 "warning; cables-swapped seen edge003:20 core01:21 edge003:21 core01:20 x2", "70/0/2/0", NULL, false},
	{"three in a circle between two switches", SMALL "}", CABLES,
	 "cut edge003:20; cut edge003:21; cut edge003:22; link edge003:20 core01:21; link edge003:21 core01:22; link "
	 "edge003:22 core01:20",
	 "warning; cables-swapped seen edge003:20 core01:21 edge003:22 core01:20 edge003:21 core01:22 x3", "69/0/3/0",
	 NULL, false},
	{"three in a circle between several", WIDE "}", CABLES,
	 "cut edge001:19; cut edge002:22; cut edge003:25; link edge001:19 core02:4; link edge002:22 core03:7; link "
	 "edge003:25 core01:1",
	 "warning; cables-swapped seen edge001:19 core02:4 edge003:25 core01:1 edge002:22 core03:7 x3", "213/0/3/0",
	 NULL, false},
	{"one end of each of two exchanged, edge and core", WIDE "}", CABLES,
	 "cut edge001:22; cut edge002:19; link edge001:22 edge002:19; link core02:1 core01:4",
	 "warning; cables-swapped seen edge001:22 edge002:19 core01:4 core02:1 x2", "214/0/2/0", NULL, false},
	{"moved one on", WIDE "}", CABLES,
	 "cut edge001:34; cut edge001:35; cut edge001:36; link edge001:37 core06:3; link edge001:36 core06:2; link "
	 "edge001:35 core06:1",
	 "warning; cable-wrong-port seen edge001:35 core06:1; cable-wrong-port seen edge001:36 core06:2; "
	 "cable-wrong-port seen edge001:37 core06:3",
	 "213/0/3/0", NULL, false},
	{"moved one on, and the last is gone", WIDE "}", CABLES,
	 "cut edge001:34; cut edge001:35; cut edge001:36; link edge001:36 core06:2; link edge001:35 core06:1",
	 "warning; cable-missing absent edge001:34 core06:1; cable-wrong-port seen edge001:35 core06:1; "
	 "cable-wrong-port seen edge001:36 core06:2",
	 "213/1/2/0", NULL, false},
	{"moved or missing", WIDE "}", CABLES, "cut edge001:34; cut edge002:34; link edge001:34 core06:4",
	 "warning; cable-missing absent edge002:34 core06:4; cable-wrong-port seen edge001:34 core06:4", "214/1/1/0",
	 NULL, false},
	{"one too many", WIDE "}", CABLES, "link edge001:40 core02:39",
	 "warning; cable-unplanned seen edge001:40 core02:39", "216/0/0/1", NULL, true},
	{"one too many between edges", WIDE "}", CABLES, "link edge001:40 edge007:38",
	 "warning; cable-unplanned seen edge001:40 edge007:38", "216/0/0/1", NULL, true},
	{"loopback in uplink ports", SMALL "}", CABLES, "cut edge002:19; cut edge002:28; link edge002:19 edge002:28",
	 "warning; loopback seen edge002:19 edge002:28", "70/2/0/0", NULL, true},
	{"an unplanned switch in an uplink's port", WIDE "}", CABLES,
	 "cut edge002:19; spare stray 36; link stray:1 edge002:19", "warning; switch-unplanned seen stray", "215/1/0/0",
	 NULL, true},
	{"a host in an uplink's port", WIDE "}", CABLES, "cut edge001:19; cut edge001:1; link edge001:19 node001:1",
	 "warning; cable-missing absent edge001:19 core01:1", "215/1/0/0", NULL, false},
	{"a listed host in an uplink's port", WIDE "}", CABLES | HOSTS,
	 "cut edge001:19; cut edge001:1; link edge001:19 node001:1",
	 "warning; cable-missing absent edge001:19 core01:1; host-misplaced seen edge001:19 node001:1", "215/1/0/0",
	 NULL, false},
	{"a host and an uplink exchanged", WIDE "}", CABLES,
	 "cut edge001:19; cut edge001:1; link edge001:19 node001:1; link edge001:1 core01:1",
	 "warning; cables-swapped seen edge001:1 core01:1 edge001:19 node001:1 x2", "215/0/1/0", NULL, false},
	{"a listed host and an uplink exchanged", WIDE "}", CABLES | HOSTS,
	 "cut edge001:19; cut edge001:1; link edge001:19 node001:1; link edge001:1 core01:1",
	 "warning; cables-swapped seen edge001:1 core01:1 edge001:19 node001:1 x2", "215/0/1/0", NULL, false},
	{"an uplink in a host's port", WIDE "}", CABLES | HOSTS,
	 "cut edge001:19; cut edge001:1; link edge001:1 core01:1",
	 "warning; cable-wrong-port seen edge001:1 core01:1; hosts-missing absent edge001", "215/0/1/0", NULL, true},
	{"a dead core", PODS "}", CABLES, "dead core04",
	 "warning; core-missing absent spine02:12 spine05:12 spine08:12", "87/3/0/0", NULL, true},
	{"a dead core and a cable", PODS "}", CABLES, "dead core04; cut edge003:7; link edge003:7 spine02:9",
	 "warning; core-missing absent spine02:12 spine05:12 spine08:12; cable-wrong-port seen edge003:7 spine02:9",
	 "86/3/1/0", NULL, true},
	{"one end silent", WIDE "}", CABLES, "hide edge001:19", "warning; cable-missing mute edge001:19 core01:1",
	 "215/1/0/0", NULL, true},
	{"both ends silent", WIDE "}", CABLES, "hide edge001:19; hide core01:1",
	 "warning; sweep-incomplete mute edge001:19 core01:1 x2", "215/0/0/0", NULL, true},
	{"both ends unread", WIDE "}", CABLES, "haze edge001:19; haze core01:1",
	 "warning; sweep-incomplete unreached edge001:19 core01:1 x2", "215/0/0/0", NULL, true},
	{"an isolated edge", SMALL "}", CABLES, "lone edge002", "critical; edge-isolated absent edge002 x18",
	 "0/18/0/0", NULL, true},
	{"any port will do", SMALL "}", A_PORTS,
	 "cut edge003:20; cut edge003:21; link edge003:20 core01:21; link edge003:21 core01:20", "ok", "72/0/0/0", NULL,
	 false},
	{"wrong switch, any port there", WIDE "}", A_PORTS, "cut edge004:20; link edge004:20 core05:40",
	 "warning; cable-misplaced seen edge004:20 core05:40", "215/0/1/0", NULL, false},
	{"wrong lower port, any port there", WIDE "}", A_PORTS, "cut edge004:20; link edge004:40 core01:11",
	 "warning; cable-wrong-port seen edge004:40 core01:11", "215/0/1/0", NULL, false},
	{"swapped, no ports said", WIDE "}", NO_PORTS,
	 "cut edge001:19; cut edge002:22; link edge001:19 core02:4; link edge002:22 core01:1",
	 "warning; cables-swapped seen edge001:24 core02:3 edge002:22 core01:1 x2", "214/0/2/0", NULL, false},
	{"missing, no ports said", WIDE "}", NO_PORTS, "cut edge001:19", "warning; cable-missing absent edge001 core01",
	 "215/1/0/0", NULL, false},
	{"a host on another edge", WIDE "}", CABLES | HOSTS, "cut edge001:1; link edge002:38 node001:1",
	 "warning; host-misplaced seen edge002:38 node001:1", "216/0/0/0", NULL, false},
	{"a host in another port", WIDE "}", HOSTS, "cut edge001:1; link edge001:38 node001:1",
	 "warning; host-misplaced seen edge001:38 node001:1", "216/0/0/0", NULL, false},
	{"a host on another edge, its port not said", WIDE "}", CABLES | EDGES_ONLY,
	 "cut edge001:1; link edge002:38 node001:1", "warning; host-misplaced seen edge002:38 node001:1", "216/0/0/0",
	 NULL, false},
	{"a host in another port, none being said", WIDE "}", EDGES_ONLY, "cut edge001:1; link edge001:38 node001:1",
	 "ok", "216/0/0/0", NULL, false},
	{"three hosts in a circle", WIDE "}", HOSTS,
	 "cut edge001:1; cut edge002:1; cut edge003:1; link edge002:1 node001:1; link edge003:1 node019:1; link "
	 "edge001:1 node037:1",
	 "warning; host-misplaced seen edge001:1 node037:1 edge003:1 node019:1 edge002:1 node001:1 x3", "216/0/0/0",
	 NULL, false},
	{"three hosts in a circle of edges", WIDE "}", EDGES_ONLY,
	 "cut edge001:1; cut edge002:1; cut edge003:1; link edge002:1 node001:1; link edge003:1 node019:1; link "
	 "edge001:1 node037:1",
	 "warning; host-misplaced seen edge001:1 node037:1 edge003:1 node019:1 edge002:1 node001:1 x3", "216/0/0/0",
	 NULL, false},
	{"two hosts exchanged, by edges", WIDE "}", EDGES_ONLY,
	 "cut edge001:1; cut edge002:1; link edge002:1 node001:1; link edge001:1 node019:1",
	 "warning; host-misplaced seen edge001:1 node019:1 edge002:1 node001:1 x2", "216/0/0/0", NULL, false},
	{"a host moved on, one after it", WIDE "}", HOSTS,
	 "cut edge001:1; cut edge002:1; link edge002:1 node001:1; link edge003:38 node019:1",
	 "warning; host-misplaced seen edge002:1 node001:1; host-misplaced seen edge003:38 node019:1", "216/0/0/0",
	 NULL, false},
	{"a listed host is missing", WIDE "}", HOSTS, "cut edge001:1", "ok; hosts-missing absent edge001", "216/0/0/0",
	 NULL, true},
	{"a listed host is missing and another came", WIDE "}", HOSTS, "cut edge001:1; host edge001:40",
	 "ok; hosts-missing absent edge001", "216/0/0/0", NULL, true},
	{"a listed host on a core", WIDE "}", HOSTS, "cut edge001:1; link core02:40 node001:1",
	 "warning; host-on-core seen core02:40 node001:1", "216/0/0/0", NULL, true},
};

static void test_row(void **state)
{
	const struct row *row = *state;
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL, *after = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0};
	char counts[64];

	bench_make(&b, row->design);
	plan_fill(b.plan, row->how);
	faults_apply(&b, row->faults);
	assert_int_equal(ft_snapshot_check(b.snapshot, NULL), 0);
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	report_check(report);
	report_words(report, &words);
	snprintf(counts, sizeof(counts), "%u/%u/%u/%u", report->uplinks.up, report->uplinks.missing,
		 report->uplinks.misplaced, report->uplinks.unplanned);
	if (getenv("FT_SHOW")) {
		printf("%s\n  %s\n  %s\n", row->what, ft_text_string(&words), counts);
		for (size_t i = 0; i < report->finding_count; i++) {
			printf("    %s\n    -> %s\n", report->findings[i].text, report->findings[i].fix);
			for (size_t n = 0; n < report->findings[i].alternative_count; n++)
				printf("    or %s\n", report->findings[i].alternatives[n]);
		}
	}
	assert_string_equal(ft_text_string(&words), row->expected);
	assert_string_equal(counts, row->counts);
	if (row->said && !strstr(report->findings[0].text, row->said) && !strstr(report->findings[0].fix, row->said))
		fail_msg("not \"%s\": %s; %s", row->said, report->findings[0].text, report->findings[0].fix);
	report_returns(report);
	if (row->stays)
		return;
	report_carry_out(b.snapshot, report);
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &after), 0);
	assert_int_equal(after->finding_count, 0);
	assert_int_equal(unjudged_of(after), 0);
}

/* ---- every allocation may fail ---- */

static void test_no_memory(void **state)
{
	_cleanup_(bench_release) struct bench b;
	int r = -ENOMEM;
	size_t n;
	(void)state;

	bench_make(&b, WIDE "}");
	plan_fill(b.plan, CABLES | HOSTS);
	b.plan->cables[40].a_port = b.plan->cables[41].b_port = b.plan->hosts[30].port = b.plan->hosts[60].port = 0;
	faults_apply(&b,
		     "dead core06; cut edge001:19; cut edge002:22; link edge001:19 core02:4; link edge002:22 "
		     "core01:1; cut edge003:20; link edge003:20 core04:40; cut edge004:19; cut edge004:1; link "
		     "edge004:19 node055:1; link edge004:1 core01:10; cut edge001:2; link edge002:38 node002:1; cut "
		     "edge005:20; cut edge002:13; cut edge004:7; link edge002:13 node061:1; link edge004:7 node031:1");
	for (n = 1; r == -ENOMEM && n < 100000; n++) {
		struct ft_report *report = NULL;

		allocation_failing = n;
		r = ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report);
		allocation_failing = 0;
		if (r < 0)
			assert_null(report);
		ft_report_free(report);
	}
	assert_int_equal(r, 0);
	assert_true(n > 50);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_no_memory),
	};
	struct CMUnitTest tests[FT_COUNT(rows) + FT_COUNT(others)];

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		tests[i] = (struct CMUnitTest){rows[i].what, test_row, NULL, NULL, (void *)&rows[i]};
	memcpy(tests + FT_COUNT(rows), others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
