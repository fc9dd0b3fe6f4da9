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

#include "planner/plan/wiring.h"
#include "tests/allocations.h"
#include "tests/bench.h"
#include "tests/rows.h"
#include "tests/runs.h"
#include "verify/model/model.h"
#include "planner/plan/tree.h"

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

/* Two pods: a core has two cables. */
#define TWO_PODS                                                                                                       \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":32,\"blocking\":\"4:1\",\"pods\":2,\"edge\":{\"ports\":" \
	"12,\"count\":8,\"ports_to_nodes\":4,\"ports_to_core\":6},\"spine\":{\"ports\":12,\"count\":6,"                \
	"\"ports_to_core\":2},\"core\":{\"ports\":8,\"count\":6},\"bundle\":{\"edge\":2,\"spine\":1}"

/* Six edge and two core switches. */
#define EIGHT                                                                                                         \
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":36,\"edge\":{\"ports\":12,\"count\":6,\"ports_to_nodes\":6,\"ports_" \
	"to_core\":4},"                                                                                               \
	"\"core\":{\"ports\":12,\"count\":2},\"bundle\":2"

#define BOUND_CORES ",\"bind\":{\"core\":[\"core01\",\"core02\",\"core03\",\"core04\",\"core05\",\"core06\"]}"

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
	for (uint32_t i = 0; i < plan->tree->edge_count; i++)
		for (uint32_t n = 0; n < plan->switches[i].hosts; n++) {
			char name[FT_HOST_NAME_SIZE];

			ft_plan_host_name(plan, plan->host_count, name);
			plan->hosts[plan->host_count] =
				(struct ft_plan_host){.name = strdup(name), .edge = i, .port = n + 1};
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
			if (!want_free || s->ports[node->first_port + n].peer == FT_NONE)
				return &s->ports[node->first_port + n];
	}
	fail_msg("no free port at %s", place->name);
	return NULL;
}

static void end_move(struct ft_snapshot *s, struct ft_port *from, struct ft_port *to)
{
	struct ft_port *far = &s->ports[from->peer];

	assert_int_not_equal(from->peer, FT_NONE);
	end_drop(from, FT_LINK_DOWN);
	end_drop(far, FT_LINK_DOWN);
	cable_put(s, to, far);
}

static void ends_exchange(struct ft_snapshot *s, struct ft_port *a, struct ft_port *b)
{
	struct ft_port *far_a = &s->ports[a->peer], *far_b = &s->ports[b->peer];

	assert_true(a->peer != FT_NONE && b->peer != FT_NONE);
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
	struct ft_port *a, *b = NULL;

	/* What is not done with cables waits for others. */
	if (action->act != FT_ACT_CONNECT && action->act != FT_ACT_MOVE && action->act != FT_ACT_EXCHANGE &&
	    action->act != FT_ACT_REMOVE)
		return true;
	a = place_port(s, &action->a, action->act == FT_ACT_CONNECT);
	if (action->b.name)
		b = place_port(s, &action->b, true);
	switch (action->act) {
	case FT_ACT_CONNECT:
		if (a->peer != FT_NONE || b->peer != FT_NONE)
			return false;
		cable_put(s, a, b);
		return true;
	case FT_ACT_MOVE:
		if (b->peer != FT_NONE)
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

/* Whether the action is for any free port: others may want that very one. */
static bool action_is_vague(const struct ft_action *action)
{
	return action->a.port == 0 || (action->b.name && action->b.port == 0);
}

/* As much as can be done of what the findings say; of what is for any free port, one at most. */
static bool actions_carry_out(struct ft_snapshot *s, const struct ft_report *report, size_t *done, bool vague)
{
	bool moved = false;

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		while (done[i] < f->action_count && (vague || !action_is_vague(&f->actions[done[i]])) &&
		       action_carry_out(s, &f->actions[done[i]])) {
			done[i]++;
			moved = true;
			if (vague)
				return true;
		}
	}
	return moved;
}

/* All that the findings say, each finding's in its order. */
static void report_carry_out(struct ft_snapshot *s, const struct ft_report *report)
{
	size_t *done = calloc(report->finding_count + 1, sizeof(*done));

	assert_non_null(done);
	while (actions_carry_out(s, report, done, false) || actions_carry_out(s, report, done, true))
		;
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
	{"all of a bundle and one more moved one on", WIDE "}", CABLES,
	 "cut edge001:33; cut edge001:34; cut edge001:35; cut edge001:36; link edge001:37 core06:3; link edge001:36 "
	 "core06:2; link edge001:35 core06:1; link edge001:34 core05:3",
	 "warning; cable-wrong-port seen edge001:37 core06:3 edge001:36 core06:2 edge001:35 core06:1 edge001:34 "
	 "core05:3 "
	 "edge001:33 x4",
	 "212/0/4/0", NULL, false},
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
	/* Each host first: once they are right, only ends on switches are left. */
	{"both ends of an uplink exchanged with listed hosts", WIDE "}", CABLES | HOSTS,
	 "cut edge001:19; cut edge001:1; cut edge002:1; link edge001:19 node001:1; link core01:1 node019:1; link "
	 "edge001:1 edge002:1",
	 "warning; cables-swapped seen edge001:1 edge002:1 core01:1 node019:1 edge001:19 node001:1 x3", "215/1/0/0",
	 "exchange the cable ends at core01 port 1 and edge002 port 1, then those at edge001 port 19 and edge001 port "
	 "1",
	 false},
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
	{"a host of a dead edge, on another edge", WIDE "}", HOSTS,
	 "cut edge003:1; link edge002:38 node037:1; dead edge003",
	 "critical; edge-isolated absent core01:7 core01:8 core01:9 core02:7 core02:8 core02:9 core03:7 core03:8 "
	 "core03:9 core04:7 core04:8 core04:9 core05:7 core05:8 core05:9 core06:7 core06:8 core06:9 x18; "
	 "host-misplaced seen edge002:38 node037:1",
	 "198/18/0/0", NULL, true},
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
	{"two pairs of hosts exchanged, on three edges", WIDE "}", EDGES_ONLY,
	 "cut edge001:1; cut edge001:2; cut edge002:1; cut edge003:1; link edge001:1 node037:1; link edge001:2 "
	 "node019:1; link edge002:1 node001:1; link edge003:1 node002:1",
	 "warning; host-misplaced seen edge001:1 node037:1 edge003:1 node002:1 x2; host-misplaced seen edge001:2 "
	 "node019:1 edge002:1 node001:1 x2",
	 "216/0/0/0", NULL, false},
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

/* ---- random faults: each is found, nothing else is, and what the findings say mends them ---- */

enum { FAULTS_MAX = 4, ENDS_MAX = 16, TRUTHS_MAX = 8 };

/* What a fault is to be found as. */
struct truth {
	enum ft_code code;
	uint64_t guid[ENDS_MAX];
	uint32_t port[ENDS_MAX];
	uint32_t count;	   /* of places; 0: they are not compared */
	bool mends_itself; /* by what the finding says */
};

struct trial {
	struct bench b;
	uint64_t *guids; /* by index into the plan's switches */
	bool *touched;	 /* by planned cable */
	bool *moved;	 /* by planned host */
	bool *paired;	 /* by bundle: a cable of it was pulled */
	bool *lost;	 /* by planned switch: dead */
	uint64_t *seed;
	struct truth truths[TRUTHS_MAX];
	uint32_t truth_count;
};

static void trial_release(struct trial *t)
{
	bench_release(&t->b);
	free(t->guids);
	free(t->touched);
	free(t->moved);
	free(t->paired);
	free(t->lost);
}

static uint32_t pick(struct trial *t, uint32_t count)
{
	return random_next(t->seed) % count;
}

static uint32_t node_by_guid(const struct ft_snapshot *s, uint64_t guid)
{
	for (uint32_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].guid == guid)
			return i;
	return FT_NONE;
}

static struct ft_port *plan_port(const struct trial *t, uint32_t sw, uint32_t number)
{
	struct ft_snapshot *s = t->b.snapshot;

	return &s->ports[s->nodes[node_by_guid(s, t->guids[sw])].first_port + number - 1];
}

static void truth_place(struct trial *t, const struct ft_port *port)
{
	struct truth *truth = &t->truths[t->truth_count];

	truth->guid[truth->count] = t->b.snapshot->nodes[port->node].guid;
	truth->port[truth->count++] = port->number;
}

static void truth_cable(struct trial *t, const struct ft_port *port)
{
	truth_place(t, port);
	truth_place(t, &t->b.snapshot->ports[port->peer]);
}

static void truth_add(struct trial *t, enum ft_code code, bool mends_itself)
{
	t->truths[t->truth_count].code = code;
	t->truths[t->truth_count++].mends_itself = mends_itself;
}

/* A cable that no fault has met yet, and whose switches are there; FT_NONE: none was found. */
static uint32_t cable_pick(struct trial *t)
{
	for (uint32_t tries = 0; tries < 100; tries++) {
		uint32_t i = pick(t, t->b.plan->cable_count);
		const struct ft_plan_cable *c = &t->b.plan->cables[i];

		if (t->touched[i] || t->lost[c->a] || t->lost[c->b])
			continue;
		t->touched[i] = true;
		return i;
	}
	return FT_NONE;
}

/* A port of the switch that the plan gives to nobody and that nobody has taken; NULL: there is none. */
static struct ft_port *spare_pick(struct trial *t, uint32_t sw)
{
	const struct ft_plan *plan = t->b.plan;
	uint32_t first = pick(t, plan->switches[sw].ports);

	for (uint32_t n = 0; n < plan->switches[sw].ports; n++) {
		uint32_t number = (first + n) % plan->switches[sw].ports + 1;
		struct ft_port *port = plan_port(t, sw, number);
		bool used = port->peer != FT_NONE || number <= plan->switches[sw].hosts;

		for (uint32_t i = 0; i < plan->cable_count && !used; i++)
			used = (plan->cables[i].a == sw && plan->cables[i].a_port == number) ||
			       (plan->cables[i].b == sw && plan->cables[i].b_port == number);
		if (!used)
			return port;
	}
	return NULL;
}

static struct ft_port *cable_end(const struct trial *t, uint32_t cable, bool upper)
{
	const struct ft_plan_cable *c = &t->b.plan->cables[cable];

	return upper ? plan_port(t, c->b, c->b_port) : plan_port(t, c->a, c->a_port);
}

static void pull(struct trial *t)
{
	uint32_t i = cable_pick(t), bundle;
	const struct ft_plan_cable *c = &t->b.plan->cables[i];

	if (i == FT_NONE)
		return;
	bundle = ft_plan_find_bundle(t->b.plan, c->a, c->b);
	if (t->paired[bundle])
		return;
	t->paired[bundle] = true;
	truth_cable(t, cable_end(t, i, false));
	truth_add(t, FT_CODE_CABLE_MISSING, true);
	cable_drop(t->b.snapshot, cable_end(t, i, false), FT_LINK_DOWN);
}

static void move_to(struct trial *t, uint32_t cable, bool upper, uint32_t sw, enum ft_code code)
{
	struct ft_port *to = spare_pick(t, sw), *from = cable_end(t, cable, upper);

	if (!to)
		return;
	end_move(t->b.snapshot, from, to);
	truth_cable(t, to);
	truth_add(t, code, true);
}

static void move_port(struct trial *t)
{
	uint32_t i = cable_pick(t);
	bool upper = pick(t, 2);

	if (i != FT_NONE)
		move_to(t, i, upper, upper ? t->b.plan->cables[i].b : t->b.plan->cables[i].a, FT_CODE_CABLE_WRONG_PORT);
}

static void move_switch(struct trial *t)
{
	uint32_t i = cable_pick(t), to = pick(t, t->b.plan->switch_count), keep, from;
	bool upper = pick(t, 2);

	if (i == FT_NONE)
		return;
	from = upper ? t->b.plan->cables[i].b : t->b.plan->cables[i].a;
	keep = upper ? t->b.plan->cables[i].a : t->b.plan->cables[i].b;
	if (to == from || to == keep || t->lost[to])
		return;
	move_to(t, i, upper, to, FT_CODE_CABLE_MISPLACED);
}

/* The upper ends of @cables go round. */
static void cables_rotate(struct trial *t, const uint32_t *cables, uint32_t k)
{
	struct ft_snapshot *s = t->b.snapshot;

	for (uint32_t n = 1; n < k; n++)
		ends_exchange(s, cable_end(t, cables[0], true), cable_end(t, cables[n], true));
	for (uint32_t n = 0; n < k; n++)
		truth_cable(t, cable_end(t, cables[n], false));
	truth_add(t, FT_CODE_CABLES_SWAPPED, true);
}

static void swap(struct trial *t)
{
	uint32_t cables[4], k = 2 + pick(t, 3);

	for (uint32_t n = 0; n < k; n++) {
		cables[n] = cable_pick(t);
		/* Two levels of a tree are not exchanged by accident. */
		if (cables[n] == FT_NONE || t->b.plan->switches[t->b.plan->cables[cables[n]].b].tier !=
						    t->b.plan->switches[t->b.plan->cables[cables[0]].b].tier)
			return;
	}
	cables_rotate(t, cables, k);
}

static void swap_in_pair(struct trial *t)
{
	uint32_t cables[3], k = 0, first = cable_pick(t);
	const struct ft_plan *plan = t->b.plan;

	if (first == FT_NONE)
		return;
	cables[k++] = first;
	for (uint32_t i = 0; i < plan->cable_count && k < 2 + pick(t, 2); i++)
		if (!t->touched[i] && plan->cables[i].a == plan->cables[first].a &&
		    plan->cables[i].b == plan->cables[first].b) {
			t->touched[i] = true;
			cables[k++] = i;
		}
	if (k > 1)
		cables_rotate(t, cables, k);
}

/* A host that is where it should be, on an edge that is there: the port of the edge; NULL: none was found. */
static struct ft_port *host_pick(struct trial *t)
{
	const struct ft_plan *plan = t->b.plan;
	uint32_t i = plan->host_count ? pick(t, plan->host_count) : 0;

	if (plan->host_count == 0 || t->moved[i] || t->lost[plan->hosts[i].edge])
		return NULL;
	t->moved[i] = true;
	return plan_port(t, plan->hosts[i].edge, plan->hosts[i].port);
}

static void host_move(struct trial *t)
{
	struct ft_port *from = host_pick(t), *to;
	uint32_t edge = pick(t, t->b.plan->tree->edge_count);

	if (!from || t->lost[edge])
		return;
	to = spare_pick(t, edge);
	if (!to)
		return;
	end_move(t->b.snapshot, from, to);
	truth_cable(t, to);
	truth_add(t, FT_CODE_HOST_MISPLACED, true);
}

static void hosts_swap(struct trial *t)
{
	struct ft_port *ports[3];
	uint32_t k = 2 + pick(t, 2);

	for (uint32_t n = 0; n < k; n++) {
		ports[n] = host_pick(t);
		if (!ports[n])
			return;
	}
	for (uint32_t n = 1; n < k; n++)
		ends_exchange(t->b.snapshot, ports[0], ports[n]);
	for (uint32_t n = 0; n < k; n++)
		truth_cable(t, ports[n]);
	truth_add(t, FT_CODE_HOST_MISPLACED, true);
}

/* Only a whole switch: one of which no cable has a fault of its own. */
static void die(struct trial *t)
{
	const struct ft_plan *plan = t->b.plan;
	uint32_t sw = pick(t, plan->switch_count);
	struct ft_snapshot *s = t->b.snapshot;
	uint32_t node, start = sw == 0 ? 1 : 0;

	for (uint32_t i = 0; i < plan->cable_count; i++)
		if (t->touched[i])
			return;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (t->lost[i])
			return;
	for (uint32_t i = 0; i < plan->host_count; i++)
		if (t->moved[i])
			return;
	t->lost[sw] = true;
	node = node_by_guid(s, t->guids[sw]);
	for (uint32_t p = 0; p < s->nodes[node].port_count; p++)
		cable_drop(s, &s->ports[s->nodes[node].first_port + p], FT_LINK_DOWN);
	reached_keep(s, node_by_guid(s, t->guids[start]));
	truth_add(t, plan->switches[sw].tier == FT_TIER_EDGE ? FT_CODE_EDGE_ISOLATED : FT_CODE_CORE_MISSING, false);
}

static void fault_make(struct trial *t)
{
	static void (*const kinds[])(struct trial * t) = {pull,		move_port, move_switch, swap,
							  swap_in_pair, host_move, hosts_swap,	die};

	kinds[pick(t, FT_COUNT(kinds))](t);
	/* What a fault that could not be made has noted is nothing. */
	t->truths[t->truth_count] = (struct truth){0};
}

/* ---- the fabric of a trial ---- */

static void numbers_shuffle(struct trial *t, uint32_t **numbers, uint32_t count)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t j = pick(t, i), kept = *numbers[i - 1];

		*numbers[i - 1] = *numbers[j];
		*numbers[j] = kept;
	}
}

/* As it was built: every switch has its cables in the planned ports, but in an order of its own. */
static void cabling_shuffle(struct trial *t)
{
	struct ft_plan *plan = t->b.plan;
	struct ft_snapshot *s = t->b.snapshot;
	uint32_t **numbers = calloc(plan->cable_count + 1, sizeof(*numbers));

	assert_non_null(numbers);
	for (uint32_t i = 0; i < plan->cable_count; i++)
		cable_drop(s, cable_end(t, i, false), FT_LINK_DOWN);
	for (uint32_t sw = 0; sw < plan->switch_count; sw++) {
		uint32_t lower = 0, upper = 0;

		for (uint32_t i = 0; i < plan->cable_count; i++)
			if (plan->cables[i].a == sw)
				numbers[lower++] = &plan->cables[i].a_port;
		numbers_shuffle(t, numbers, lower);
		for (uint32_t i = 0; i < plan->cable_count; i++)
			if (plan->cables[i].b == sw)
				numbers[upper++] = &plan->cables[i].b_port;
		numbers_shuffle(t, numbers, upper);
	}
	free(numbers);
	for (uint32_t i = 0; i < plan->cable_count; i++)
		cable_put(s, cable_end(t, i, false), cable_end(t, i, true));
}

/* The GUIDs of switches tell nothing of their order. */
static void guids_shuffle(struct trial *t)
{
	struct ft_snapshot *s = t->b.snapshot;

	for (uint32_t i = t->b.plan->switch_count; i > 1; i--) {
		uint32_t j = pick(t, i), x = node_by_guid(s, t->guids[i - 1]), y = node_by_guid(s, t->guids[j]);
		uint64_t kept = t->guids[i - 1];

		s->nodes[x].guid = t->guids[i - 1] = t->guids[j];
		s->nodes[y].guid = t->guids[j] = kept;
		if (x == y)
			continue;
		for (uint32_t p = 0; p < s->nodes[x].port_count; p++)
			s->ports[s->nodes[x].first_port + p].guid = s->nodes[x].guid;
		for (uint32_t p = 0; p < s->nodes[y].port_count; p++)
			s->ports[s->nodes[y].first_port + p].guid = s->nodes[y].guid;
	}
}

static void trial_make(struct trial *t, const char *design, unsigned int how, bool as_built, uint64_t *seed)
{
	*t = (struct trial){.seed = seed};
	bench_make(&t->b, design);
	plan_fill(t->b.plan, how);
	t->guids = calloc(t->b.plan->switch_count, sizeof(*t->guids));
	t->touched = calloc(t->b.plan->cable_count + 1, sizeof(*t->touched));
	t->moved = calloc(t->b.plan->host_count + 1, sizeof(*t->moved));
	t->paired = calloc(t->b.plan->bundle_count + 1, sizeof(*t->paired));
	t->lost = calloc(t->b.plan->switch_count, sizeof(*t->lost));
	assert_true(t->guids && t->touched && t->moved && t->paired && t->lost);
	for (uint32_t i = 0; i < t->b.plan->switch_count; i++)
		t->guids[i] = t->b.snapshot->nodes[node_find(t->b.snapshot, t->b.plan->switches[i].name)].guid;
	if (as_built)
		cabling_shuffle(t);
	guids_shuffle(t);
}

static bool truth_has(const struct truth *truth, const struct ft_place *place)
{
	for (uint32_t i = 0; i < truth->count; i++)
		if (truth->guid[i] == place->guid && truth->port[i] == place->port)
			return true;
	return false;
}

static bool truth_is(const struct truth *truth, const struct ft_finding *f)
{
	if (truth->code != f->code || (truth->count > 0 && truth->count != f->where_count))
		return false;
	for (size_t i = 0; i < f->where_count && truth->count > 0; i++)
		if (!truth_has(truth, &f->where[i]))
			return false;
	return true;
}

/* Returns how many of the truths were found. */
static uint32_t truths_found(const struct trial *t, const struct ft_report *report)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < t->truth_count; i++)
		for (size_t n = 0; n < report->finding_count; n++)
			if (truth_is(&t->truths[i], &report->findings[n])) {
				found++;
				break;
			}
	return found;
}

static void trial_show(const struct trial *t, const struct ft_report *report, uint64_t seed)
{
	print_message("seed %" PRIu64 ":\n", seed);
	for (uint32_t i = 0; i < t->truth_count; i++) {
		print_message("  made  %s", ft_codes[t->truths[i].code].name);
		for (uint32_t n = 0; n < t->truths[i].count; n++)
			print_message(" 0x%" PRIx64 ":%u", t->truths[i].guid[n], t->truths[i].port[n]);
		print_message("\n");
	}
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		print_message("  found %s", ft_codes[f->code].name);
		for (size_t n = 0; n < f->where_count; n++)
			print_message(" 0x%" PRIx64 ":%u", f->where[n].guid, f->where[n].port);
		print_message("\n        %s\n", f->text);
	}
}

struct score {
	uint32_t trials, made, found, said, mended;
};

static void trial_judge(struct trial *t, struct score *score, uint64_t seed)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL, *after = NULL;
	uint32_t found, stay = 0;

	assert_int_equal(ft_snapshot_check(t->b.snapshot, NULL), 0);
	assert_int_equal(ft_verify(t->b.design, t->b.plan, t->b.snapshot, "2026-11-20", &report), 0);
	report_check(report);
	assert_int_equal(unjudged_of(report), 0);
	report_returns(report);
	found = truths_found(t, report);
	score->trials++;
	score->made += t->truth_count;
	score->found += found;
	score->said += (uint32_t)report->finding_count;
	if (found < t->truth_count || report->finding_count > t->truth_count)
		trial_show(t, report, seed);
	for (uint32_t i = 0; i < t->truth_count; i++)
		stay += !t->truths[i].mends_itself;
	report_carry_out(t->b.snapshot, report);
	assert_int_equal(ft_verify(t->b.design, t->b.plan, t->b.snapshot, "2026-11-20", &after), 0);
	score->mended += after->finding_count == stay;
}

static void test_campaign(void **state)
{
	static const struct {
		const char *what, *design;
		unsigned int how;
		bool as_built, unnamed;
	} kinds[] = {
		{"two levels, bound",
		 WIDE ",\"bind\":{\"edge\":[\"edge001\",\"edge002\",\"edge003\",\"edge004\",\"edge005\",\"edge006\","
		      "\"edge007\",\"edge008\",\"edge009\",\"edge010\",\"edge011\",\"edge012\"],\"core\":[\"core01\","
		      "\"core02\",\"core03\",\"core04\",\"core05\",\"core06\"]}}",
		 CABLES | HOSTS, false, false},
		{"two levels, named", WIDE "}", CABLES, false, false},
		{"two levels, nothing bound", WIDE "}", CABLES, false, true},
		{"two levels, hosts too", WIDE "}", CABLES | HOSTS, false, true},
		{"two levels, as built", WIDE "}", CABLES | HOSTS, true, true},
		{"two levels, as built, bound", WIDE "}", CABLES | HOSTS, true, false},
		{"no spare ports", SMALL "}", CABLES | HOSTS, false, true},
		{"three levels, named", PODS "}", CABLES | HOSTS, false, false},
		{"three levels, nothing bound", PODS "}", CABLES | HOSTS, false, true},
		{"three levels, as built", PODS "}", CABLES | HOSTS, true, true},
	};
	const char *given = getenv("FT_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 20261122;
	unsigned long rounds = runs_get(100);
	bool all = true;
	(void)state;

	print_message("seed %" PRIu64 " (FT_SEED sets it)\n", seed);
	for (size_t k = 0; k < FT_COUNT(kinds); k++) {
		struct score score = {0};

		for (unsigned long round = 0; round < rounds; round++) {
			_cleanup_(trial_release) struct trial t;
			uint64_t began = seed;
			uint32_t faults;

			trial_make(&t, kinds[k].design, kinds[k].how, kinds[k].as_built, &seed);
			faults = 1 + pick(&t, FAULTS_MAX);
			for (uint32_t i = 0; i < faults; i++)
				fault_make(&t);
			if (kinds[k].unnamed)
				switches_unname(t.b.snapshot);
			trial_judge(&t, &score, began);
		}
		print_message("%s: %u trials, %u faults, %u found, %u said, %u mended\n", kinds[k].what, score.trials,
			      score.made, score.found, score.said, score.mended);
		/* Where nothing is bound, one in thousands can be read in two ways. */
		all &= score.found * 200 >= score.made * 199 && score.said * 199 <= score.made * 200 &&
		       score.mended == score.trials;
	}
	assert_true(all);
}

/* ---- faults that hide one another ---- */

/* An end of any cable, a host's or an uplink's; NULL: none was found. */
static struct ft_port *end_pick(struct trial *t, bool switch_end)
{
	struct ft_snapshot *s = t->b.snapshot;

	for (uint32_t tries = 0; tries < 100; tries++) {
		struct ft_port *port = &s->ports[pick(t, s->port_count)];

		if ((port->peer != FT_NONE) == switch_end && s->nodes[port->node].type == FT_NODE_SWITCH)
			return port;
	}
	return NULL;
}

/* Anything that can be done with one cable end. */
static void anything_do(struct trial *t)
{
	struct ft_port *a = end_pick(t, true), *b = end_pick(t, true), *spare = end_pick(t, false);

	switch (pick(t, 3)) {
	case 0:
		if (a && b && a != b && a->peer != (uint32_t)(b - t->b.snapshot->ports))
			ends_exchange(t->b.snapshot, a, b);
		break;
	case 1:
		if (a && spare)
			end_move(t->b.snapshot, a, spare);
		break;
	default:
		/* A host that is gone comes back by no action. */
		if (a && t->b.snapshot->nodes[t->b.snapshot->ports[a->peer].node].type == FT_NODE_SWITCH)
			cable_drop(t->b.snapshot, a, FT_LINK_DOWN);
	}
}

static void test_anything_done(void **state)
{
	static const char *const designs[] = {WIDE "}", PODS "}", SMALL "}"};
	const char *given = getenv("FT_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 20261123;
	unsigned long rounds = runs_get(200), mended = 0, made = 0, said = 0;
	(void)state;

	print_message("seed %" PRIu64 " (FT_SEED sets it)\n", seed);
	for (unsigned long round = 0; round < rounds; round++) {
		_cleanup_(ft_report_freep) struct ft_report *report = NULL, *after = NULL;
		_cleanup_(trial_release) struct trial t;
		uint64_t began = seed;
		uint32_t faults = 1 + random_next(&seed) % 6;

		trial_make(&t, designs[round % FT_COUNT(designs)], CABLES | HOSTS, round % 2, &seed);
		for (uint32_t i = 0; i < faults; i++)
			anything_do(&t);
		assert_int_equal(ft_verify(t.b.design, t.b.plan, t.b.snapshot, "2026-11-20", &report), 0);
		report_check(report);
		assert_int_equal(unjudged_of(report), 0);
		report_returns(report);
		made += faults;
		said += report->finding_count;
		report_carry_out(t.b.snapshot, report);
		assert_int_equal(ft_verify(t.b.design, t.b.plan, t.b.snapshot, "2026-11-20", &after), 0);
		if (after->finding_count > 0) {
			trial_show(&t, report, began);
			trial_show(&t, after, began);
			fail_msg("not mended");
		}
		mended++;
	}
	print_message("%lu findings of %lu faults, %lu of %lu mended by what they say\n", said, made, mended, rounds);
	/* One that hides another is no fault more. */
	assert_true(said <= made);
	assert_true(mended > rounds / 2);
}

/* ---- whole switches ---- */

static void names_exchange(struct ft_snapshot *s, const char *a, const char *b)
{
	struct ft_node *x = &s->nodes[node_find(s, a)], *y = &s->nodes[node_find(s, b)];
	uint32_t kept = x->description;
	uint16_t length = x->description_length;

	x->description = y->description;
	x->description_length = y->description_length;
	y->description = kept;
	y->description_length = length;
}

/* Two switches under each other's names, or with all of each other's cables, are one fault, not one a cable. */
static void test_exchanged(void **state)
{
	static const struct {
		const char *design, *a, *b, *c, *faults, *expected;
	} cases[] = {
		{WIDE "}", "edge003", "edge007", NULL, "", "ok; switch-replaced seen edge007 edge003 x2"},
		{WIDE ",\"bind\":{\"core\":[\"core01\",\"core02\",\"core03\",\"core04\",\"core05\",\"core06\"]}}",
		 "core02", "core05", NULL, "", "ok; switch-replaced seen core05 core02 x2"},
		{WIDE "}", "edge003", "edge007", NULL, "cut edge001:19",
		 "warning; cable-missing absent edge001:19 core01:1; switch-replaced seen edge007 edge003 x2"},
		{WIDE "}", "edge003", "edge007", "edge009", "", "ok; switch-replaced seen edge007 edge009 edge003 x3"},
		{PODS "}", "core01", "core02", NULL, "", "ok; switch-replaced seen core02 core01 x2"},
		/* All cables that the two have say so, though each has but two, or one of them less. */
		{TWO_PODS BOUND_CORES "}", "core01", "core03", NULL, "", "ok; switch-replaced seen core03 core01 x2"},
		{TWO_PODS BOUND_CORES "}", "core01", "core03", NULL, "cut core01:1",
		 "warning; cable-missing absent spine01:11 core03:1; switch-replaced seen core03 core01 x2"},
		{PODS "}", "edge006", "edge007", NULL, "", "ok; switch-replaced seen edge007 edge006 x2"},
		/* Two of eight, too. */
		{EIGHT "}", "edge002", "edge005", NULL, "", "ok; switch-replaced seen edge005 edge002 x2"},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text words = {0};

		bench_make(&b, cases[i].design);
		plan_fill(b.plan, CABLES);
		faults_apply(&b, cases[i].faults);
		names_exchange(b.snapshot, cases[i].a, cases[i].b);
		if (cases[i].c)
			names_exchange(b.snapshot, cases[i].a, cases[i].c);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		report_check(report);
		report_words(report, &words);
		assert_string_equal(ft_text_string(&words), cases[i].expected);
		report_returns(report);
	}
}

/* Nothing is in the planned port: the cables still lead where they should, and are not said to be anywhere else. */
static void test_other_ports(void **state)
{
	static const char *const designs[] = {WIDE "}", PODS "}"};
	uint64_t seed = 20261124;
	(void)state;

	for (size_t i = 0; i < FT_COUNT(designs); i++)
		for (unsigned int named = 0; named < 2; named++) {
			_cleanup_(trial_release) struct trial t, other;
			_cleanup_(ft_report_freep) struct ft_report *report = NULL;

			trial_make(&t, designs[i], CABLES, false, &seed);
			trial_make(&other, designs[i], CABLES, true, &seed);
			if (!named)
				switches_unname(t.b.snapshot);
			assert_int_equal(ft_verify(t.b.design, other.b.plan, t.b.snapshot, "2026-11-20", &report), 0);
			report_check(report);
			assert_int_equal(report->uplinks.missing + report->uplinks.unplanned, 0);
			assert_int_equal(report->edge.degraded + report->core.degraded, 0);
			for (size_t n = 0; n < report->finding_count && named; n++)
				assert_true(report->findings[n].code == FT_CODE_CABLES_SWAPPED);
		}
}

/* ---- random fabrics that are not the planned one at all: no crash, no leak, sums that hold ---- */

static void test_anything(void **state)
{
	static const unsigned int hows[] = {CABLES,   CABLES | HOSTS, CABLES | EDGES_ONLY, A_PORTS | EDGES_ONLY,
					    NO_PORTS, HOSTS};
	const char *given = getenv("FT_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 20261125;
	unsigned long rounds = runs_get(200);
	(void)state;

	print_message("seed %" PRIu64 " (FT_SEED sets it)\n", seed);
	for (unsigned long round = 0; round < rounds; round++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;

		bench_make(&b, round % 2 ? WIDE "}" : PODS "}");
		plan_fill(b.plan, hows[round % FT_COUNT(hows)]);
		if (round % 5 == 0)
			switches_unname(b.snapshot);
		cables_shuffle(b.snapshot, &seed);
		assert_int_equal(ft_snapshot_check(b.snapshot, NULL), 0);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		report_check(report);
		report_returns(report);
	}
}

/* ---- hosts by what people call them ---- */

static void node_rename(struct ft_snapshot *s, const char *name, const char *as)
{
	struct ft_node *node = &s->nodes[node_find(s, name)];
	size_t length = strlen(as);

	s->strings = realloc(s->strings, s->strings_length + length + 1);
	assert_non_null(s->strings);
	memcpy(s->strings + s->strings_length, as, length + 1);
	node->description = s->strings_length;
	node->description_length = (uint16_t)length;
	s->strings_length += (uint32_t)length + 1;
}

/* One listed host of WIDE: node001, which is on edge001 port 1, where the row has not moved it. */
static void test_host_names(void **state)
{
	static const struct {
		const char *listed; /* NULL: by @guid */
		uint64_t guid;
		uint32_t edge, port;
		const char *seen, *other; /* what node001 is called, and node002 */
		const char *expected;
	} cases[] = {
		{"node001", 0, 0, 1, "node001", NULL, "ok"},
		{"node001", 0, 0, 1, "NODE001 HCA-1", NULL, "ok"},
		{"Node001 HCA-1", 0, 0, 1, "node001 mlx5_0", NULL, "ok"},
		{"node001 mlx5_0", 0, 1, 0, "node001 HCA-1", NULL,
		 "warning; host-misplaced seen edge001:1 node001 HCA-1:1"},
		{"node001", 0, 0, 2, "node001 HCA-1", NULL, "warning; host-misplaced seen edge001:1 node001 HCA-1:1"},
		{"node00", 0, 3, 1, "node001 HCA-1", NULL, "ok; hosts-missing absent edge004"},
		{NULL, 0x200001, 0, 1, "whatever", NULL, "ok"},
		{NULL, 0x200002, 0, 1, "whatever", NULL, "ok"},
		{NULL, 0x200001, 2, 1, "whatever", NULL, "warning; host-misplaced seen edge001:1 whatever:1"},
		{NULL, 0x200002, 2, 1, "whatever", NULL, "warning; host-misplaced seen edge001:1 whatever:1"},
		/* Two machines of one name: it decides nothing. Two adapters of one machine: one of them is in place.
		 */
		{"node001", 0, 4, 1, "node001 HCA-1", "node001 HCA-1", "ok"},
		{"node001", 0, 0, 2, "node001 HCA-1", "node001 HCA-2", "ok"},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text words = {0};

		bench_make(&b, WIDE "}");
		b.plan->hosts = calloc(1, sizeof(*b.plan->hosts));
		assert_non_null(b.plan->hosts);
		b.plan->host_count = 1;
		b.plan->hosts[0] = (struct ft_plan_host){.name = cases[i].listed ? strdup(cases[i].listed) : NULL,
							 .guid = cases[i].guid,
							 .edge = cases[i].edge,
							 .port = cases[i].port};
		node_rename(b.snapshot, "node001", cases[i].seen);
		if (cases[i].other)
			node_rename(b.snapshot, "node002", cases[i].other);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		report_check(report);
		report_words(report, &words);
		if (strcmp(ft_text_string(&words), cases[i].expected) != 0)
			fail_msg("%zu: %s, should be %s", i, ft_text_string(&words), cases[i].expected);
		report_returns(report);
	}
}

/* An adapter of two ports, on two edges: each is one of the two listings of its host, whichever comes first. */
static void test_two_ports(void **state)
{
	static const struct {
		const char *first, *second; /* where its ports are */
		const char *expected;
	} cases[] = {
		{"edge001:40", "edge002:40", "ok"},
		{"edge002:40", "edge001:40", "ok"},
		{"edge001:40", "edge003:40", "warning; host-misplaced seen edge003:40 twin HCA-1:2"},
		{"edge003:40", "edge002:40", "warning; host-misplaced seen edge003:40 twin HCA-1:1"},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text words = {0};
		uint32_t node;

		bench_make(&b, WIDE "}");
		faults_apply(&b, "cut edge001:1; cut edge002:1; cut edge003:1");
		b.plan->nodes -= 1;
		b.plan->hosts = calloc(2, sizeof(*b.plan->hosts));
		assert_non_null(b.plan->hosts);
		b.plan->host_count = 2;
		b.plan->hosts[0] = (struct ft_plan_host){.name = strdup("twin"), .edge = 0, .port = 40};
		b.plan->hosts[1] = (struct ft_plan_host){.name = strdup("twin"), .edge = 1, .port = 40};
		node = node_add(b.snapshot, "twin HCA-1", 0x777000, FT_NODE_CA, 2);
		cable_put(b.snapshot, port_find(b.snapshot, cases[i].first),
			  &b.snapshot->ports[b.snapshot->nodes[node].first_port]);
		cable_put(b.snapshot, port_find(b.snapshot, cases[i].second),
			  &b.snapshot->ports[b.snapshot->nodes[node].first_port + 1]);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		report_check(report);
		report_words(report, &words);
		if (strcmp(ft_text_string(&words), cases[i].expected) != 0)
			fail_msg("%zu: %s, should be %s", i, ft_text_string(&words), cases[i].expected);
	}
}

/*
 * Two cables of one host, on port 40 of edge001 and of edge002: adapter and port of the host tell which is which, as
 * far as the plan says them and the fabric has names of that kind.
 */
static void test_interfaces(void **state)
{
	struct end {
		const char *adapter; /* of the node's name; NULL: the same node as the first */
		uint32_t port, ports;
		const char *at; /* NULL: it is off */
	};
	static const struct {
		const char *what, *adapter[2]; /* listed; NULL: not said */
		uint32_t port[2];
		struct end ends[2];
		const char *expected;
	} cases[] = {
		{"two ports, right",
		 {NULL, NULL},
		 {1, 2},
		 {{"HCA-1", 1, 2, "edge001:40"}, {NULL, 2, 2, "edge002:40"}},
		 "ok"},
		{"two ports, exchanged",
		 {NULL, NULL},
		 {1, 2},
		 {{"HCA-1", 1, 2, "edge002:40"}, {NULL, 2, 2, "edge001:40"}},
		 "warning; host-misplaced seen edge001:40 twin HCA-1:2 edge002:40 twin HCA-1:1 x2"},
		{"nothing said",
		 {NULL, NULL},
		 {0, 0},
		 {{"HCA-1", 1, 2, "edge002:40"}, {NULL, 2, 2, "edge001:40"}},
		 "ok"},
		{"two adapters, right",
		 {"HCA-1", "HCA-2"},
		 {0, 0},
		 {{"HCA-1", 1, 1, "edge001:40"}, {"HCA-2", 1, 1, "edge002:40"}},
		 "ok"},
		{"two adapters, exchanged",
		 {"hca1", "hca2"},
		 {1, 1},
		 {{"HCA-1", 1, 1, "edge002:40"}, {"HCA-2", 1, 1, "edge001:40"}},
		 "warning; host-misplaced seen edge001:40 twin HCA-2:1 edge002:40 twin HCA-1:1 x2"},
		{"devices, exchanged",
		 {"mlx5_0", "mlx5_1"},
		 {1, 1},
		 {{"mlx5_0", 1, 1, "edge002:40"}, {"mlx5_1", 1, 1, "edge001:40"}},
		 "warning; host-misplaced seen edge001:40 twin mlx5_1:1 edge002:40 twin mlx5_0:1 x2"},
		{"names of another kind tell nothing",
		 {"HCA-1", "HCA-2"},
		 {1, 1},
		 {{"mlx5_0", 1, 1, "edge002:40"}, {"mlx5_1", 1, 1, "edge001:40"}},
		 "ok"},
		{"nor does port 2 of what has one",
		 {"HCA-1", "HCA-1"},
		 {1, 2},
		 {{"mlx5_0", 1, 1, "edge002:40"}, {"mlx5_1", 1, 1, "edge001:40"}},
		 "ok"},
		{"one of two is off",
		 {"HCA-1", "HCA-2"},
		 {0, 0},
		 {{"HCA-1", 1, 1, NULL}, {"HCA-2", 1, 1, "edge002:40"}},
		 "ok; hosts-missing absent edge001"},
		{"one is off, the other in its port",
		 {"HCA-1", "HCA-2"},
		 {0, 0},
		 {{"HCA-1", 1, 1, NULL}, {"HCA-2", 1, 1, "edge001:40"}},
		 "warning; host-misplaced seen edge001:40 twin HCA-2:1; hosts-missing absent edge001"},
		{"one of two ports is off, the other in its port",
		 {"HCA-1", "HCA-1"},
		 {1, 2},
		 {{"HCA-1", 2, 2, "edge001:40"}, {NULL, 1, 2, NULL}},
		 "warning; host-misplaced seen edge001:40 twin HCA-1:2; hosts-missing absent edge001"},
		{"one of two is said",
		 {NULL, "HCA-2"},
		 {0, 0},
		 {{"HCA-1", 1, 1, "edge002:40"}, {"HCA-2", 1, 1, "edge001:40"}},
		 "warning; host-misplaced seen edge001:40 twin HCA-2:1 edge002:40 twin HCA-1:1 x2"},
	};
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text words = {0};
		uint32_t node = 0;

		bench_make(&b, WIDE "}");
		faults_apply(&b, "cut edge001:1; cut edge002:1");
		b.plan->hosts = calloc(2, sizeof(*b.plan->hosts));
		assert_non_null(b.plan->hosts);
		b.plan->host_count = 2;
		for (uint32_t n = 0; n < 2; n++) {
			const struct end *end = &cases[i].ends[n];
			const char *adapter = cases[i].adapter[n];
			char name[32];

			b.plan->hosts[n] = (struct ft_plan_host){.name = strdup("twin"),
								 .edge = n,
								 .port = 40,
								 .adapter = adapter ? strdup(adapter) : NULL,
								 .adapter_port = cases[i].port[n]};
			snprintf(name, sizeof(name), "twin %s", end->adapter ? end->adapter : "");
			if (end->adapter)
				node = node_add(b.snapshot, name, 0x777000 + 16 * n, FT_NODE_CA, end->ports);
			if (end->at)
				cable_put(b.snapshot, port_find(b.snapshot, end->at),
					  &b.snapshot->ports[b.snapshot->nodes[node].first_port + end->port - 1]);
		}
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		report_check(report);
		report_words(report, &words);
		if (strcmp(ft_text_string(&words), cases[i].expected) != 0) {
			print_error("%s: %s, should be %s\n", cases[i].what, ft_text_string(&words), cases[i].expected);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
}

/* Which of several alike is dead: ports that the plan gives tell; else the finding says which look does. */
static void test_which_is_dead(void **state)
{
	(void)state;

	for (unsigned int exact = 0; exact < 2; exact++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;

		bench_make(&b, WIDE "}");
		plan_fill(b.plan, exact ? CABLES : 0);
		faults_apply(&b, "dead core04");
		switches_unname(b.snapshot);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		assert_int_equal(report->finding_count, 1);
		assert_int_equal(report->findings[0].alternative_count, !exact);
		if (exact)
			assert_string_equal(report->findings[0].id, "core-missing:core04");
		else
			assert_non_null(
				strstr(report->findings[0].alternatives[0], "The label of the cable in MT Switch"));
	}
}

/* ---- every allocation may fail ---- */

static void test_no_memory(void **state)
{
	_cleanup_(bench_release) struct bench b;
	(void)state;

	bench_make(&b, WIDE "}");
	plan_fill(b.plan, CABLES | HOSTS);
	b.plan->cables[40].a_port = b.plan->cables[41].b_port = b.plan->hosts[30].port = b.plan->hosts[60].port = 0;
	faults_apply(&b,
		     "dead core06; cut edge001:19; cut edge002:22; link edge001:19 core02:4; link edge002:22 "
		     "core01:1; cut edge003:20; link edge003:20 core04:40; cut edge004:19; cut edge004:1; link "
		     "edge004:19 node055:1; link edge004:1 core01:10; cut edge001:2; link edge002:38 node002:1; cut "
		     "edge005:20; cut edge002:13; cut edge004:7; link edge002:13 node061:1; link edge004:7 node031:1");
	bench_out_of_memory(&b, false);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_no_memory),     cmocka_unit_test(test_campaign),
		cmocka_unit_test(test_host_names),    cmocka_unit_test(test_two_ports),
		cmocka_unit_test(test_interfaces),    cmocka_unit_test(test_which_is_dead),
		cmocka_unit_test(test_anything_done), cmocka_unit_test(test_exchanged),
		cmocka_unit_test(test_other_ports),   cmocka_unit_test(test_anything),
	};

	return rows_run(rows, test_row, others);
}
