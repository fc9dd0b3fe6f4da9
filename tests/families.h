/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Tests of families as tables of designs. For files of tests only: everything here is static. */
#ifndef FT_TESTS_FAMILIES_H
#define FT_TESTS_FAMILIES_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/family/family.h"
#include "planner/plan/plan.h"

/* A design without the version and the name, and what is true of its plan. */
struct family_row {
	const char *design;
	const char *label;
	uint32_t switches, cables /* between switches */, diameter, net_ports /* of a switch, the most */, nodes;
};

struct refusal_row {
	const char *design;
	const char *text;
};

static int design_read(const char *keys, struct ft_design **ret_design, struct ft_plan **ret_plan, struct ft_error *err)
{
	char text[4096];

	snprintf(text, sizeof(text), "{\"ftcheck\": 1, \"name\": \"t\", %s}", keys);
	return ft_design_read(text, strlen(text), ret_design, ret_plan, err);
}

/* Cables from switch @from to the one farthest away; UINT32_MAX: one is not reached. */
static uint32_t farthest_from(const struct ft_plan *plan, uint32_t from)
{
	uint32_t *distance = malloc(plan->switch_count * sizeof(*distance)), most = 0;

	assert_non_null(distance);
	memset(distance, 0xff, plan->switch_count * sizeof(*distance));
	distance[from] = 0;
	for (uint32_t step = 0, found = 1; found > 0; step++) {
		found = 0;
		for (uint32_t i = 0; i < plan->bundle_count; i++) {
			uint32_t ends[2] = {plan->bundles[i].a, plan->bundles[i].b};

			for (int k = 0; k < 2; k++)
				if (distance[ends[k]] == step && distance[ends[1 - k]] == UINT32_MAX) {
					distance[ends[1 - k]] = step + 1;
					found++;
				}
		}
	}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		most = distance[i] > most ? distance[i] : most;
	free(distance);
	return most;
}

/* Every port of a switch is of one host or one cable. */
static void ports_check(const struct ft_plan *plan)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint8_t used[FT_PORTS_MAX + 1] = {0};

		for (uint32_t port = 1; port <= plan->switches[i].hosts; port++)
			used[port]++;
		for (uint32_t k = 0; k < plan->bundle_count; k++) {
			const struct ft_plan_bundle *bundle = &plan->bundles[k];
			uint32_t first = bundle->a == i ? bundle->a_port : bundle->b_port;

			for (uint32_t c = 0; (bundle->a == i || bundle->b == i) && c < bundle->count; c++) {
				assert_in_range(first + c, 1, plan->switches[i].ports);
				used[first + c]++;
			}
		}
		for (uint32_t port = 1; port <= plan->switches[i].ports; port++)
			assert_in_range(used[port], 0, 1);
	}
}

static void row_check(const struct family_row *row)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	uint32_t cables = 0, diameter = 0, most = 0, hosting = 0;
	struct ft_error err = {0};

	if (design_read(row->design, &design, &plan, &err) < 0)
		fail_msg("%s: %s", row->design, err.text);
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		cables += plan->bundles[i].count;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t own = 0, far = farthest_from(plan, i);

		for (uint32_t k = 0; k < plan->bundle_count; k++)
			if (plan->bundles[k].a == i || plan->bundles[k].b == i)
				own += plan->bundles[k].count;
		hosting += plan->switches[i].hosts > 0;
		most = own > most ? own : most;
		diameter = far > diameter ? far : diameter;
		for (uint32_t k = 0; k < i; k++)
			assert_string_not_equal(plan->switches[i].name, plan->switches[k].name);
	}
	if (strcmp(plan->label, row->label) != 0 || plan->switch_count != row->switches || cables != row->cables ||
	    diameter != row->diameter || most != row->net_ports || plan->nodes != row->nodes)
		fail_msg("%s: %s, %u switches, %u cables, diameter %u, %u ports to switches, %u nodes", row->design,
			 plan->label, plan->switch_count, cables, diameter, most, plan->nodes);
	assert_int_equal(plan->links, plan->nodes + cables);
	assert_int_equal(plan->switch_pairs, (uint64_t)hosting * (hosting - 1));
	assert_in_range(plan->clos, hosting > 1 ? 2 : 1, diameter + 1);
	if (hosting == plan->switch_count)
		assert_int_equal(plan->clos, diameter + 1);
	ports_check(plan);
}

static void refusal_check(const struct refusal_row *row)
{
	struct ft_design *design = NULL;
	struct ft_plan *plan = NULL;
	struct ft_error err = {0};

	assert_int_equal(design_read(row->design, &design, &plan, &err), -EINVAL);
	assert_string_equal(err.text, row->text);
}

static struct {
	const struct family_row *rows;
	const struct refusal_row *refusals;
	size_t row_count, refusal_count;
} families;

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < families.row_count; i++)
		row_check(&families.rows[i]);
}

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < families.refusal_count; i++)
		refusal_check(&families.refusals[i]);
}

/* A word that is no topology: the message has all that are, families among them. */
static void test_unknown(void **state)
{
	_cleanup_(ft_text_release) struct ft_text expected = {0};
	struct refusal_row row = {.design = "\"topology\": \"thorus\", \"nodes\": 1"};

	(void)state;
	ft_text_puts(&expected, "\"topology\" is \"thorus\"; it must be \"auto\", \"star\", \"fat-tree\", \"graph\"");
	for (size_t i = 0; i < ft_family_count; i++)
		ft_text_printf(&expected, ", \"%s\"", ft_families[i]->name);
	ft_text_puts(&expected, " or \"any\"");
	row.text = ft_text_string(&expected);
	refusal_check(&row);
}

static int families_test(const struct family_row *rows, size_t row_count, const struct refusal_row *refusals,
			 size_t refusal_count)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_unknown),
	};

	families.rows = rows;
	families.row_count = row_count;
	families.refusals = refusals;
	families.refusal_count = refusal_count;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
