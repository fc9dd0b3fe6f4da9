/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The front panel: cages, states of ports, boards of a director. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "daemon/panel.h"
#include "probe/source.h"

#define TEXT(literal) ((char *)(uintptr_t)(literal))

/* Two switches of @ports ports with a cable between their ports 1, at @rate. */
static struct ft_snapshot *pair_read(unsigned int ports, const char *rate)
{
	_cleanup_(ft_text_release) struct ft_text t = {0};
	struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};

	for (unsigned int i = 1; i <= 2; i++)
		ft_text_printf(&t,
			       "sysimgguid=0x10\nswitchguid=0x%u(%u)\n"
			       "Switch\t%u \"S-000000000000000%u\"\t# \"core01 L0%u\" base port 0 lid %u lmc 0\n"
			       "[1]\t\"S-000000000000000%u\"[1]\t# \"core01 L0%u\" lid %u %s\n\n",
			       i, i, ports, i, i, i, 3 - i, 3 - i, 3 - i, rate);
	assert_int_equal(ft_dump_read_ibnetdiscover(ft_text_string(&t), t.length, &snapshot, &err), 0);
	assert_int_equal(snapshot->node_count, 2);
	return snapshot;
}

static void test_cages(void **state)
{
	static const struct {
		unsigned int ports;
		const char *rate;
		unsigned int cage;
	} rows[] = {
		{36, "4xHDR", 1},  {40, "4xHDR", 1},  {64, "4xNDR", 2},	 {65, "4xNDR", 2},  {64, "4xHDR", 1},
		{128, "2xNDR", 4}, {129, "2xNDR", 4}, {144, "4xXDR", 2}, {145, "4xXDR", 2}, {32, "4xNDR", 1},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = pair_read(rows[i].ports, rows[i].rate);

		if (ft_panel_cage(snapshot, &snapshot->nodes[0]) != rows[i].cage)
			fail_msg("%u ports of %s", rows[i].ports, rows[i].rate);
	}
}

static bool says(const struct ft_text *text, const char *words)
{
	return strstr(ft_text_string(text), words) != NULL;
}

static void test_states(void **state)
{
	static const struct {
		enum ft_code code;
		const char *state;
	} rows[] = {
		{FT_CODE_CABLE_MISSING, "missing"},  {FT_CODE_CABLE_SLOW, "slow"},
		{FT_CODE_PORT_ERRORS, "errors"},     {FT_CODE_CABLE_MISPLACED, "wrong"},
		{FT_CODE_CABLE_UNPLANNED, "wrong"},  {FT_CODE_SWITCH_MUTE, "silent"},
		{FT_CODE_PORT_INACTIVE, "inactive"},
	};
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = pair_read(4, "4xHDR");

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		struct ft_place places[] = {{.guid = 99, .port = 2}, {.guid = 1, .port = 2}, {.guid = 1, .port = 77}};
		struct ft_finding finding = {
			.id = TEXT("the \"id\""), .code = rows[i].code, .where = places, .where_count = 3};
		const struct ft_report report = {.findings = &finding, .finding_count = 1};
		_cleanup_(ft_text_release) struct ft_text text = {0};
		char expected[128];

		assert_int_equal(ft_panel_write(&text, snapshot, NULL, &report, &snapshot->nodes[0]), 0);
		snprintf(expected, sizeof(expected),
			 "{\"port\": 2, \"state\": \"%s\", \"finding\": \"the \\\"id\\\"\", \"severity\": \"info\"}",
			 rows[i].state);
		if (!says(&text, expected))
			fail_msg("%s is not in %s", expected, ft_text_string(&text));
		assert_true(says(&text, "{\"port\": 3, \"state\": \"down\"}"));
		assert_true(says(&text, "{\"port\": 1, \"state\": \"up\", \"name\": \"core01 L02\", "
					"\"guid\": \"0x0000000000000002\", \"peer_port\": 1, \"rate\": \"4xHDR\"}"));
	}
}

/* The board that was asked for, then the others; of one that is alone no other. */
static void test_boards(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = pair_read(4, "4xHDR");
	_cleanup_(ft_text_release) struct ft_text both = {0}, alone = {0};
	const char *first, *second;

	(void)state;
	assert_int_equal(ft_panel_write(&both, snapshot, NULL, NULL, &snapshot->nodes[1]), 0);
	first = strstr(ft_text_string(&both), "{\"name\": \"core01 L02\", \"guid\": \"0x0000000000000002\", \"cage\"");
	second = strstr(ft_text_string(&both), "{\"name\": \"core01 L01\", \"guid\": \"0x0000000000000001\", \"cage\"");
	assert_non_null(first);
	assert_non_null(second);
	assert_true(first < second);

	for (uint32_t i = 0; i < snapshot->node_count; i++) {
		snapshot->nodes[i].system_guid = i;
		snapshot->nodes[i].chassis = 0;
	}
	assert_int_equal(ft_panel_write(&alone, snapshot, NULL, NULL, &snapshot->nodes[1]), 0);
	assert_true(alone.length < both.length);
	assert_false(says(&alone, "{\"name\": \"core01 L01\", \"guid\": \"0x0000000000000001\", \"cage\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cages),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_boards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
