/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target: any bytes are a catalog, of switches that can be planned with, or an error with a place.
 * Seeds: tests/data/fuzz_catalog/.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/plan/catalog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth)
{
	if (!truth)
		abort();
}

/* Sums over a million of them must not overflow. */
static void check_amount(int64_t amount)
{
	check(amount == FT_AMOUNT_UNKNOWN || (amount >= 0 && amount <= 1000000000LL * FT_AMOUNT_UNIT));
}

static void check_fabric(const struct ft_switch_type *type, uint32_t boards)
{
	struct ft_switch_type fewer;

	if (ft_switch_type_with_fabric(type, boards, &fewer) < 0) {
		check(!type->modular || boards == 0 || boards > type->fabric_boards);
		return;
	}
	check(fewer.fabric_boards == boards && fewer.ports == type->ports);
	check_amount(fewer.cost);
	check_amount(fewer.power_w);
	check_amount(fewer.weight_kg);
}

static void check_type(const struct ft_switch_type *type)
{
	check(type->name && type->name[0] && type->family && type->family[0]);
	check(type->vendor && type->technology && type->connector);
	check(type->ports >= 2 && type->ports <= FT_DIRECTOR_PORTS_MAX);
	check(type->modular || type->ports <= FT_PORTS_MAX);
	check(type->roles && type->roles < 16);
	check(type->line_boards <= type->line_boards_max);
	check(!type->line_boards || type->ports == type->line_boards * type->line_board_ports);
	check(type->blade.servers <= type->ports);
	check_amount(type->cost);
	check_amount(type->power_w);
	check_amount(type->weight_kg);
	check_amount(type->size_u);
	for (uint32_t boards = 0; boards <= 4; boards++)
		check_fabric(type, boards);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
	struct ft_error err = {0};

	if (ft_catalog_read((const char *)data, size, &catalog, &err) < 0) {
		check(!catalog && err.line >= 1 && err.column >= 1 && err.text[0]);
		return 0;
	}
	check(catalog && catalog->name && catalog->source && catalog->notice && catalog->currency && catalog->count);
	check_amount(catalog->cable_cost);
	for (size_t i = 0; i < catalog->cable_count; i++) {
		check_amount(catalog->cables[i].cost);
		check_amount(catalog->cables[i].cost_per_m);
	}
	for (uint32_t length_mm = 500; length_mm < UINT32_MAX / 2; length_mm *= 2)
		check_amount(ft_catalog_cable_cost(catalog, length_mm));
	for (size_t i = 0; i < catalog->count; i++)
		check_type(&catalog->types[i]);
	return 0;
}
