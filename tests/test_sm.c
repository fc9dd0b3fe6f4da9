/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the subnet manager did and left undone, and links that are slow for a reason that PortInfo tells: on fabrics
 * made up as in test_verify.c. All links are Active and all ports have LIDs until these words say otherwise:
 *
 *   state S:P N       PortInfo:PortState of that port
 *   idle S            of all ports of S that are cabled, and of their far ends, it is Initialize
 *   nobody            of all ports of all switches
 *   lid S:P N         the LID of a host's port
 *   most S:P E W      that port is set to the rate E at most, and able to W
 *   sm S:P STATE N    a subnet manager there, of that state and priority; port 0 is a switch's own
 *   ask               subnet managers were asked for, though there may be none
 *   doubt             the sweep lost packets
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <errno.h>

#include "probe/sms.h"
#include "tests/allocations.h"
#include "tests/bench.h"
#include "tests/rows.h"
#include "verify/model/verify.h"

#define SMALL "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}}"
#define STAR "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":3,\"edge\":{\"ports\":36}}"

enum { INITIALIZE = 2, ACTIVE = 4 };

struct scene {
	struct bench bench;
	struct ft_sms sms;
	struct ft_sm items[8];
	bool asked;
};

static void port_activate(struct ft_snapshot *s, uint32_t port, uint8_t state)
{
	if (s->ports[port].peer == FT_NONE)
		return;
	s->ports[port].phys_state = 5;
	s->ports[port].logical_state = state;
}

static void node_idle(struct ft_snapshot *s, const struct ft_node *node)
{
	for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++) {
		port_activate(s, p, INITIALIZE);
		if (s->ports[p].peer != FT_NONE)
			port_activate(s, s->ports[p].peer, INITIALIZE);
	}
}

static void sm_add(struct scene *scene, const char *place, const char *state, const char *priority)
{
	struct ft_sm *sm = &scene->items[scene->sms.count++];
	char name[64] = "";
	unsigned int port = 0;

	assert_true(scene->sms.count <= FT_COUNT(scene->items));
	assert_int_equal(sscanf(place, "%63[^:]:%u", name, &port), 2);
	*sm = (struct ft_sm){.node = node_find(scene->bench.snapshot, name),
			     .port = (uint8_t)port,
			     .priority = (uint8_t)atoi(priority)};
	while (sm->state < FT_SM_SILENT && strcmp(ft_sm_state_name(sm->state), state) != 0)
		sm->state++;
	assert_string_equal(ft_sm_state_name(sm->state), state);
	sm->guid = sm->state == FT_SM_SILENT ? 0 : 0x700000 + scene->sms.count;
}

static void limit_set(struct ft_port *port, const char *enabled, const char *supported)
{
	static const uint8_t codes[13] = {[1] = 1, [2] = 16, [4] = 2, [8] = 4, [12] = 8};
	struct ft_rate most, able;

	assert_int_equal(ft_rate_parse(enabled, &most), 0);
	assert_int_equal(ft_rate_parse(supported, &able), 0);
	/* All that is slower is allowed too. */
	port->limits = (struct ft_port_limits){
		.speeds_enabled = (uint16_t)((2U << most.speed) - 2),
		.speeds_supported = (uint16_t)((2U << able.speed) - 2),
		.widths_enabled = codes[most.lanes] | codes[1],
		.widths_supported = codes[able.lanes] | codes[1],
	};
}

static void scene_change(struct scene *scene, char *words)
{
	struct ft_snapshot *s = scene->bench.snapshot;
	char copy[128], *rest = copy, *verb, *a, *b, *c;

	snprintf(copy, sizeof(copy), "%s", words);
	verb = strtok_r(rest, " ", &rest);
	a = strtok_r(rest, " ", &rest);
	b = strtok_r(rest, " ", &rest);
	c = strtok_r(rest, " ", &rest);
	if (strcmp(verb, "state") == 0)
		port_find(s, a)->logical_state = (uint8_t)atoi(b);
	else if (strcmp(verb, "idle") == 0)
		node_idle(s, &s->nodes[node_find(s, a)]);
	else if (strcmp(verb, "nobody") == 0)
		for (uint32_t i = 0; i < s->node_count; i++)
			node_idle(s, &s->nodes[i]);
	else if (strcmp(verb, "lid") == 0 && strchr(a, ':'))
		port_find(s, a)->lid = (uint16_t)atoi(b);
	else if (strcmp(verb, "most") == 0)
		limit_set(port_find(s, a), b, c);
	else if (strcmp(verb, "sm") == 0)
		sm_add(scene, a, b, c);
	else if (strcmp(verb, "doubt") == 0)
		s->source.complete = false;
	else if (strcmp(verb, "ask") != 0)
		fault_apply(&scene->bench, words);
	scene->asked |= strcmp(verb, "ask") == 0 || strcmp(verb, "sm") == 0;
}

static void scene_make(struct scene *scene, const char *design, const char *changes)
{
	struct ft_snapshot *s;
	char copy[1024], *rest = copy, *change;

	*scene = (struct scene){0};
	bench_make(&scene->bench, design);
	s = scene->bench.snapshot;
	s->source.live = s->source.complete = true;
	for (uint32_t p = 0; p < s->port_count; p++)
		port_activate(s, p, ACTIVE);
	scene->sms.items = scene->items;
	snprintf(copy, sizeof(copy), "%s", changes);
	while ((change = strtok_r(rest, ";", &rest)))
		scene_change(scene, change + strspn(change, " "));
	assert_int_equal(ft_snapshot_check(s, NULL), 0);
}

static void scene_release(struct scene *scene)
{
	bench_release(&scene->bench);
}

static struct ft_verify_input scene_input(const struct scene *scene)
{
	return (struct ft_verify_input){.design = scene->bench.design,
					.plan = scene->bench.plan,
					.snapshot = scene->bench.snapshot,
					.today = "2026-11-20",
					.sms = scene->asked ? &scene->sms : NULL};
}

static int scene_verify(const struct scene *scene, struct ft_report **ret_report)
{
	const struct ft_verify_input input = scene_input(scene);

	return ft_verify_all(&input, ret_report);
}

/* What mends the findings of this part: "setting edge003:20; renew edge003:20 core01:2". */
static void actions_words(const struct ft_report *report, struct ft_text *text)
{
	for (size_t i = 0; i < report->finding_count; i++)
		for (size_t n = 0; n < report->findings[i].action_count; n++) {
			const struct ft_action *action = &report->findings[i].actions[n];

			if (action->act != FT_ACT_RENEW && action->act != FT_ACT_SETTING)
				continue;
			ft_text_printf(text, "%s%s %s:%u", text->length ? "; " : "", ft_act_name(action->act),
				       action->a.name, action->a.port);
			if (action->b.name)
				ft_text_printf(text, " %s:%u", action->b.name, action->b.port);
		}
}

static const struct row {
	const char *what, *design, *changes;
	const char *expected; /* as in test_verify.c */
	const char *actions;
	const char *text; /* the first finding has these words in its text or its fix, separated by | */
} rows[] = {
	{"all is well", SMALL, "", "ok", "", NULL},
	{"a link that stays in Initialize", SMALL, "state edge003:20 2; state core01:20 2",
	 "warning; port-inactive seen edge003:20 core01:20", "setting edge003:20 core01:20",
	 "the link edge003 port 20 - core01 port 20 is up and carries nothing|Initialize|log tells why"},
	{"in Armed, at one end only", SMALL, "state core01:20 3", "warning; port-inactive seen edge003:20 core01:20",
	 "setting edge003:20 core01:20", "Armed"},
	{"of a host", SMALL, "state node001:1 2; state edge001:1 2", "warning; port-inactive seen edge001:1 node001:1",
	 "setting edge001:1 node001:1", NULL},
	{"a state that nobody read is none", SMALL, "state edge003:20 0; state core01:20 2", "ok", "", NULL},
	{"a switch that is left alone is one finding", SMALL, "idle edge003", "warning; port-inactive seen edge003 x36",
	 "setting edge003:0", "none of the 36 links of edge003"},
	{"half of all links", STAR, "state edge001:1 2; state edge001:2 2", "ok", "", NULL},
	{"less than half", STAR, "state edge001:2 2", "warning; port-inactive seen edge001:2 node002:1",
	 "setting edge001:2 node002:1", NULL},
	{"a fabric that nobody manages", SMALL, "nobody", "ok", "", NULL},
	{"a loopback is none", SMALL,
	 "cut edge003:1; cut edge003:2; link edge003:1 edge003:2; state edge003:1 2; "
	 "state edge003:2 2",
	 "warning; loopback seen edge003:1 edge003:2; hosts-missing absent edge003 x2", "", NULL},
	{"a switch without a LID", SMALL, "lid edge003 0", "warning; lid-missing seen edge003", "setting edge003:0",
	 "edge003 is Active and has no LID"},
	{"a host without a LID", SMALL, "lid node003:1 65535", "warning; lid-missing seen node003:1",
	 "setting node003:1", "node003 port 1"},
	{"a host without a LID that is not Active", SMALL, "lid node003:1 0; state node003:1 2",
	 "warning; port-inactive seen edge001:3 node003:1", "setting edge001:3 node003:1", NULL},
	{"a multicast LID is none", SMALL, "lid node003:1 49152", "warning; lid-missing seen node003:1",
	 "setting node003:1", NULL},
	{"one master", SMALL, "sm node001:1 master 14; sm node002:1 standby 3", "ok", "", NULL},
	{"no manager at all", SMALL, "ask", "warning; sm-missing absent", "",
	 "no port says that one runs there|start the subnet manager"},
	{"only standbys", SMALL, "sm node001:1 standby 14; sm core01:0 standby 3",
	 "warning; sm-missing absent node001:1 core01", "",
	 "node001 port 1 is standby (priority 14), core01 is standby (priority 3)|a standby takes over by itself"},
	{"one that hangs", SMALL, "sm node001:1 silent 0", "warning; sm-missing mute", "",
	 "node001 port 1 does not answer|restart the subnet manager"},
	{"one may be behind what was not seen", SMALL, "ask; doubt; haze edge003:20; haze core01:20",
	 "warning; sm-missing unreached; sweep-incomplete unreached edge003:20 core01:20 x2", "",
	 "the sweep did not see everything"},
	{"no manager on a part that is cut off", SMALL, "lone edge002; ask",
	 "critical; edge-isolated absent edge002 x18", "", NULL},
	{"no manager: the links that wait are its symptom", SMALL, "nobody; ask", "warning; sm-missing absent", "",
	 "144 of 144 links are up and not Active"},
	{"no manager: a link that waits is its symptom", SMALL, "state edge003:20 2; sm node001:1 discovering 0",
	 "warning; sm-missing absent node001:1", "", "1 of 144 links are up and not Active|one that is discovering"},
	{"a manager that is not through", SMALL, "nobody; sm node001:1 master 0",
	 "warning; port-inactive seen node001:1 x144", "", "not through with the fabric (node001 port 1 is master"},
	{"two masters", SMALL, "sm node001:1 master 14; sm node002:1 master 14; sm node003:1 standby 0",
	 "warning; sm-conflict seen node001:1 node002:1 x2", "",
	 "2 subnet managers are master at once|stop all of them but one"},
	{"slow, and both ends allow more: the cable", SMALL,
	 "rate edge001:20 4xEDR; most edge001:20 4xHDR 4xHDR; most core01:2 4xHDR 4xHDR",
	 "warning; cable-slow seen edge001:20 core01:2", "renew edge001:20 core01:2", "reseat the cable"},
	{"slow, and nothing is known of the ends", SMALL, "rate edge001:20 4xEDR",
	 "warning; cable-slow seen edge001:20 core01:2", "renew edge001:20 core01:2", "reseat the cable"},
	{"slow by the setting of one end", SMALL,
	 "rate edge001:20 4xEDR; most edge001:20 4xHDR 4xHDR; most core01:2 4xEDR 4xHDR",
	 "warning; cable-slow seen edge001:20 core01:2", "setting core01:2",
	 "core01 port 2 is set to no more, though able to do more|enable the full speed there"},
	{"by those of both", SMALL, "rate edge001:20 4xEDR; most edge001:20 4xEDR 4xHDR; most core01:2 4xEDR 4xHDR",
	 "warning; cable-slow seen edge001:20 core01:2", "setting edge001:20; setting core01:2",
	 "edge001 port 20 and core01 port 2 are set to no more"},
	{"slower than a setting explains: the cable", SMALL,
	 "rate edge001:20 4xFDR; most edge001:20 4xEDR 4xHDR; most core01:2 4xHDR 4xHDR",
	 "warning; cable-slow seen edge001:20 core01:2", "renew edge001:20 core01:2", "reseat the cable"},
	{"an adapter that can do no more", SMALL,
	 "rate edge001:3 4xEDR; most edge001:3 4xHDR 4xHDR; most node003:1 4xEDR 4xEDR",
	 "warning; cable-slow seen edge001:3 node003:1", "", "node003 port 1 can do no more|no cable mends that"},
	{"narrow, and both ends allow more: the cable", SMALL,
	 "rate edge001:20 1xHDR; most edge001:20 4xHDR 4xHDR; most core01:2 4xHDR 4xHDR",
	 "warning; cable-narrow seen edge001:20 core01:2", "renew edge001:20 core01:2", "lanes do not come up"},
	{"narrow by a setting", SMALL, "rate edge001:20 1xHDR; most edge001:20 1xHDR 4xHDR; most core01:2 4xHDR 4xHDR",
	 "warning; cable-narrow seen edge001:20 core01:2", "setting edge001:20",
	 "edge001 port 20 is set to no more|enable the full width"},
	{"narrow by a slower setting: the speed is not asked", SMALL,
	 "rate edge001:20 1xEDR; most edge001:20 4xEDR 4xHDR; most core01:2 4xHDR 4xHDR",
	 "warning; cable-narrow seen edge001:20 core01:2", "renew edge001:20 core01:2", "reseat the cable"},
	{"wider than the fabric, and set so", SMALL, "most edge001:20 4xHDR 12xHDR; most core01:2 4xHDR 12xHDR", "ok",
	 "", NULL},
};

static void test_row(void **state)
{
	const struct row *row = *state;
	_cleanup_(scene_release) struct scene scene;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0}, actions = {0};
	char copy[256], *rest = copy, *part;

	scene_make(&scene, row->design, row->changes);
	assert_int_equal(scene_verify(&scene, &report), 0);
	report_check(report);
	report_words(report, &words);
	assert_string_equal(ft_text_string(&words), row->expected);
	actions_words(report, &actions);
	assert_string_equal(ft_text_string(&actions), row->actions);
	snprintf(copy, sizeof(copy), "%s", row->text ? row->text : "");
	while ((part = strtok_r(rest, "|", &rest)))
		if (!strstr(report->findings[0].text, part) && !strstr(report->findings[0].fix, part))
			fail_msg("\"%s\" is not in: %s; %s", part, report->findings[0].text, report->findings[0].fix);
	assert_true(!report->sms == !scene.asked);
	report_returns(report);
}

/* ---- what the report lists ---- */

static void test_list(void **state)
{
	_cleanup_(scene_release) struct scene scene;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, json = {0};
	(void)state;

	scene_make(&scene, SMALL, "sm node001:1 master 14; sm core01:0 standby 3; sm node002:1 silent 0");
	assert_int_equal(scene_verify(&scene, &report), 0);
	ft_report_write_text(&text, report, true, false);
	assert_non_null(strstr(ft_text_string(&text), "\nsubnet managers: node001 port 1 (master, priority 14), core01 "
						      "(standby, priority 3), node002 port 1 (silent)\n"));
	ft_text_reset(&text);
	ft_report_write_text(&text, report, false, false);
	assert_null(strstr(ft_text_string(&text), "subnet managers"));
	assert_non_null(
		strstr(ft_text_string(&text), "\nSubnet manager: master on node001 port 1, 1 standby, 1 silent\n"));
	ft_report_write_json(&json, report);
	assert_non_null(strstr(ft_text_string(&json), "\"port\": null}, \"port_guid\": \"0x0000000000700002\", "
						      "\"state\": \"standby\", \"priority\": 3, \"activity\": 0}"));
}

/* What was asked for is answered in a line, whatever the answer is. */
static void test_line(void **state)
{
	static const struct {
		const char *words, *line;
	} cases[] = {
		{"sm node001:1 master 14", "master on node001 port 1"},
		{"sm core01:0 master 14; sm node002:1 standby 0; sm node003:1 standby 0",
		 "master on core01, 2 standby"},
		{"sm node001:1 master 14; sm node002:1 master 14", "master on node001 port 1 and on node002 port 1"},
		{"sm node002:1 standby 0", "none is master, 1 standby"},
		{"ask", "none"},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(scene_release) struct scene scene;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};
		char line[128];

		scene_make(&scene, SMALL, cases[i].words);
		assert_int_equal(scene_verify(&scene, &report), 0);
		ft_report_write_text(&text, report, false, false);
		snprintf(line, sizeof(line), "\nSubnet manager: %s\n", cases[i].line);
		if (!strstr(ft_text_string(&text), line))
			fail_msg("%s: %s", cases[i].words, ft_text_string(&text));
	}
}

static void test_not_asked(void **state)
{
	_cleanup_(scene_release) struct scene scene;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text json = {0};
	(void)state;

	scene_make(&scene, SMALL, "");
	assert_int_equal(scene_verify(&scene, &report), 0);
	ft_report_write_json(&json, report);
	assert_null(strstr(ft_text_string(&json), "\"sms\""));
	assert_null(strstr(ft_text_string(&json), "\"counters\""));
}

/* A name from the fabric does no harm wherever it is printed. */
static void test_hostile(void **state)
{
	_cleanup_(scene_release) struct scene scene;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text json = {0}, others = {0};
	struct ft_snapshot *s;
	(void)state;

	scene_make(
		&scene, SMALL,
		"sm node001:1 master 0; sm node003:1 master 0; state node001:1 2; state edge001:1 2; lid node002:1 0");
	s = scene.bench.snapshot;
	for (uint32_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].type == FT_NODE_CA)
			memcpy(s->strings + s->nodes[i].description, "\033]2;\r\n\"", s->nodes[i].description_length);
	assert_int_equal(scene_verify(&scene, &report), 0);
	assert_int_equal(report->finding_count, 3);
	report_written(report, &json, &others);
	assert_null(strpbrk(ft_text_string(&json), "\033\r"));
	assert_null(strstr(ft_text_string(&others), "\033]"));
	report_returns(report);
}

/* ---- every allocation may fail ---- */

static void test_no_memory(void **state)
{
	_cleanup_(scene_release) struct scene scene;
	struct ft_verify_input input;
	(void)state;

	scene_make(&scene, SMALL,
		   "idle edge002; state core01:20 2; lid node003:1 0; lid core02 0; sm node001:1 master 1; sm core01:0 "
		   "master 2; rate edge001:20 4xEDR; most core01:2 4xEDR 4xHDR; rate edge001:21 1xHDR");
	input = scene_input(&scene);
	input_out_of_memory(&input, 100, false);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_line),	cmocka_unit_test(test_list),	  cmocka_unit_test(test_not_asked),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_no_memory),
	};

	return rows_run(rows, test_row, others);
}
