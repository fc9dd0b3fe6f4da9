/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/write/csv.h"
#include "planner/write/lengths.h"
#include "planner/plan/wiring.h"
#include "planner/plan/tree.h"

enum amount { COST, POWER, WEIGHT, SIZE, AMOUNT_COUNT };

static const char *const kind_names[] = {
	[FT_LENGTH_HOST] = "host",
	[FT_LENGTH_UPLINK] = "uplink",
	[FT_LENGTH_SPINE_UPLINK] = "spine-uplink",
	[FT_LENGTH_LINK] = "link",
};

struct bill {
	struct ft_text *text;
	const struct ft_plan *plan;
	const struct ft_catalog *catalog;
	struct ft_lengths lengths;
	int64_t cables_cost;	      /* thousandths; FT_AMOUNT_UNKNOWN */
	uint64_t pass_through;	      /* modules */
	int64_t totals[AMOUNT_COUNT]; /* of the switches */
	uint64_t switches;
};

static void bill_release(struct bill *bill)
{
	ft_lengths_release(&bill->lengths);
}

static int64_t multiply(int64_t unit, uint64_t count)
{
	int64_t product;

	if (unit == FT_AMOUNT_UNKNOWN || __builtin_mul_overflow(unit, count, &product))
		return FT_AMOUNT_UNKNOWN;
	return product;
}

static int64_t add(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == FT_AMOUNT_UNKNOWN || b == FT_AMOUNT_UNKNOWN || __builtin_add_overflow(a, b, &sum))
		return FT_AMOUNT_UNKNOWN;
	return sum;
}

static void add_amount(struct ft_text *text, int64_t amount)
{
	if (amount != FT_AMOUNT_UNKNOWN)
		ft_quantity_add(text, ft_quantity_amount(amount));
	ft_text_puts(text, ",");
}

/* A row; what is unknown stays empty. */
struct row {
	const char *item, *kind, *what;
	uint64_t count;
	int64_t unit_cost;
	int64_t amounts[AMOUNT_COUNT]; /* of all */
	const char *note;
};

static const int64_t no_amounts[AMOUNT_COUNT] = {FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN,
						 FT_AMOUNT_UNKNOWN};

static void add_row(struct ft_text *text, const struct row *row)
{
	ft_csv_add(text, row->item);
	ft_text_puts(text, ",");
	ft_csv_add(text, row->kind);
	ft_text_puts(text, ",");
	ft_csv_add(text, row->what);
	ft_text_printf(text, ",%" PRIu64 ",", row->count);
	add_amount(text, row->unit_cost);
	for (int i = 0; i < AMOUNT_COUNT; i++)
		add_amount(text, row->amounts[i]);
	ft_csv_add(text, row->note);
	ft_text_puts(text, "\n");
}

/* "cost and weight unknown" for those of the first @amounts that are. */
static void add_unknown(struct ft_text *text, const int64_t *values, int amounts)
{
	static const char *const names[AMOUNT_COUNT] = {"cost", "power", "weight", "size"};
	const char *between = text->length ? "; " : "";
	bool any = false;

	for (int i = 0; i < amounts; i++) {
		if (values[i] != FT_AMOUNT_UNKNOWN)
			continue;
		ft_text_printf(text, "%s%s", between, names[i]);
		between = ", ";
		any = true;
	}
	if (any)
		ft_text_puts(text, " unknown");
}

/* What one switch of a type comes to. */
static void type_amounts(const struct ft_switch_type *type, uint64_t count, int64_t ret_amounts[AMOUNT_COUNT])
{
	ret_amounts[COST] = multiply(type->cost, count);
	ret_amounts[POWER] = multiply(type->power_w, count);
	ret_amounts[WEIGHT] = multiply(type->weight_kg, count);
	ret_amounts[SIZE] = multiply(type->size_u, count);
}

static void add_part(const struct bill *bill, const char *kind, const char *what, uint64_t count, int64_t unit_cost)
{
	bool known = unit_cost != FT_AMOUNT_UNKNOWN;
	struct row row = {
		"part", kind, what, count, unit_cost, {0}, known ? "in the figures of the switches" : "cost unknown"};

	memcpy(row.amounts, no_amounts, sizeof(row.amounts));
	row.amounts[COST] = multiply(unit_cost, count);
	add_row(bill->text, &row);
}

/* Where the price of one is not known, a catalog's chassis has them all (planner/plan/catalog.h). */
static void add_fabric_boards(const struct bill *bill, const char *kind, uint64_t count,
			      const struct ft_switch_type *type)
{
	struct row row = {"part",
			  kind,
			  "fabric board",
			  count,
			  FT_AMOUNT_UNKNOWN,
			  {0},
			  type->fabric_boards < type->fabric_boards_max ? "fewer than the chassis is priced with"
									: "in the figures of the chassis"};

	if (type->fabric_board_cost != FT_AMOUNT_UNKNOWN || type->chassis_cost == FT_AMOUNT_UNKNOWN) {
		add_part(bill, row.kind, row.what, count, type->fabric_board_cost);
		return;
	}
	memcpy(row.amounts, no_amounts, sizeof(row.amounts));
	add_row(bill->text, &row);
}

/* What a modular switch is made of, as far as the catalog knows. */
static void add_boards(const struct bill *bill, const char *kind, uint64_t switches, const struct ft_switch_type *type)
{
	_cleanup_(ft_text_release) struct ft_text board = {0};

	if (!type->line_boards && !type->fabric_boards)
		return;
	add_part(bill, kind, "chassis", switches, type->chassis_cost);
	if (type->line_boards) {
		ft_text_printf(&board, "line board of %u port%s", type->line_board_ports,
			       ft_text_s(type->line_board_ports));
		add_part(bill, kind, ft_text_string(&board), switches * type->line_boards, type->line_board_cost);
	}
	if (type->fabric_boards)
		add_fabric_boards(bill, kind, switches * type->fabric_boards, type);
}

/* Chassis of an edge switch beyond its own hand their links through to it. */
static void add_pass_through(struct bill *bill, const struct ft_switch_type *type)
{
	uint64_t count = 0;

	for (uint32_t i = 0; type->blade.servers && i < bill->plan->tree->edge_count; i++) {
		uint32_t hosts = bill->plan->switches[i].hosts;

		count += hosts ? (hosts - 1) / type->blade.servers : 0;
	}
	bill->pass_through = count;
	if (count > 0) {
		const struct row row = {"part",
					"edge",
					type->blade.pass_through ? type->blade.pass_through : "pass-through module",
					count,
					FT_AMOUNT_UNKNOWN,
					{FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN, 0},
					"cost, power, weight unknown"};

		add_row(bill->text, &row);
	}
}

/* Switches of which no more than the ports is known: those of @kind that do not have @but ports. */
static void add_bare_switches(struct bill *bill, uint32_t kind, uint32_t but)
{
	const struct ft_plan *plan = bill->plan;
	uint64_t counts[FT_PORTS_MAX + 1] = {0};

	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].kind == kind && plan->switches[i].ports != but)
			counts[plan->switches[i].ports]++;
	for (uint32_t ports = 0; ports <= FT_PORTS_MAX; ports++) {
		char what[32];
		struct row row = {"switch",
				  plan->kinds[kind].name,
				  what,
				  counts[ports],
				  FT_AMOUNT_UNKNOWN,
				  {0},
				  "cost, power, weight, size unknown"};

		if (counts[ports] == 0)
			continue;
		memcpy(row.amounts, no_amounts, sizeof(row.amounts));
		snprintf(what, sizeof(what), "switch of %u port%s", ports, ft_text_s(ports));
		add_row(bill->text, &row);
		memcpy(bill->totals, no_amounts, sizeof(bill->totals));
		bill->switches += counts[ports];
	}
}

/* Of @count switches from @first on, those that have the ports of the first: all, but for classes. */
static uint32_t ports_count(const struct ft_plan *plan, uint32_t first, uint32_t count)
{
	uint32_t same = 0;

	for (uint32_t i = first; i < first + count; i++)
		same += plan->switches[i].ports == plan->switches[first].ports;
	return same;
}

/* @count switches of @ports ports and the model of @tier, if that has one. */
static void add_alike(struct bill *bill, enum ft_tier tier, const char *kind, uint32_t count, uint32_t ports)
{
	_cleanup_(ft_text_release) struct ft_text note = {0}, what = {0};
	struct ft_switch_type type = {.cost = FT_AMOUNT_UNKNOWN,
				      .power_w = FT_AMOUNT_UNKNOWN,
				      .weight_kg = FT_AMOUNT_UNKNOWN,
				      .size_u = FT_AMOUNT_UNKNOWN};
	struct row row = {"switch", kind, NULL, count, 0, {0}, NULL};

	ft_plan_switch_type(bill->plan, tier, bill->catalog, &type);
	if (bill->plan->models[tier])
		ft_text_puts(&what, bill->plan->models[tier]);
	else
		ft_text_printf(&what, "switch of %u port%s", ports, ft_text_s(ports));
	type_amounts(&type, count, row.amounts);
	if (bill->plan->fabric_boards[tier] && bill->plan->fabric_boards_max[tier])
		ft_text_printf(&note, "%u of %u fabric board%s", bill->plan->fabric_boards[tier],
			       bill->plan->fabric_boards_max[tier], ft_text_s(bill->plan->fabric_boards_max[tier]));
	add_unknown(&note, row.amounts, AMOUNT_COUNT);
	row.what = ft_text_string(&what);
	row.unit_cost = type.cost;
	row.note = ft_text_string(&note);
	add_row(bill->text, &row);
	if (ft_text_failed(&note) || ft_text_failed(&what))
		bill->text->failed = true;
	add_boards(bill, kind, count, &type);
	if (tier == FT_TIER_EDGE)
		add_pass_through(bill, &type);
	for (int i = 0; i < AMOUNT_COUNT; i++)
		bill->totals[i] = add(bill->totals[i], row.amounts[i]);
	bill->switches += count;
}

static void add_tier(struct bill *bill, enum ft_tier tier)
{
	uint32_t first = ft_plan_tier_first(bill->plan, tier), all = ft_plan_tier_count(bill->plan, tier), count;
	const struct ft_plan_switch *sw = &bill->plan->switches[first];

	if (all == 0)
		return;
	count = ports_count(bill->plan, first, all);
	add_alike(bill, tier, ft_tier_name(tier), count, sw->ports);
	if (count < all)
		add_bare_switches(bill, sw->kind, sw->ports);
}

/* Of a graph. If a catalog gave its switches, all of a kind are of one model. */
static void add_kind(struct bill *bill, uint32_t kind)
{
	const struct ft_plan *plan = bill->plan;
	uint32_t count = 0, last = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].kind == kind) {
			last = i;
			count++;
		}
	if (count > 0 && plan->models[plan->switches[last].tier])
		add_alike(bill, plan->switches[last].tier, plan->kinds[kind].name, count, plan->switches[last].ports);
	else
		add_bare_switches(bill, kind, 0);
}

/* "3 m"; "3 m electric" where the catalog says what they are. */
static void add_cable(struct bill *bill, const struct ft_length *cables)
{
	static const char *const media[FT_CABLE_MEDIA] = {" electric", " optical"};
	const struct ft_cable_type *type = bill->catalog ? ft_catalog_cable(bill->catalog, cables->length_mm) : NULL;
	int64_t price = ft_catalog_cable_cost(bill->catalog, cables->length_mm);
	uint32_t length_mm = cables->length_mm;
	char what[48];
	struct row row = {"cable", kind_names[cables->kind], what, cables->count, price, {0}, ""};

	memcpy(row.amounts, no_amounts, sizeof(row.amounts));
	row.amounts[COST] = multiply(price, cables->count);
	if (row.amounts[COST] == FT_AMOUNT_UNKNOWN)
		row.note = "cost unknown";
	bill->cables_cost = add(bill->cables_cost, row.amounts[COST]);
	snprintf(what, sizeof(what), "%u%s m%s", length_mm / 1000, length_mm % 1000 ? ".5" : "",
		 type ? media[type->medium] : "");
	add_row(bill->text, &row);
}

static void add_cables(struct bill *bill)
{
	for (size_t i = 0; i < bill->lengths.count; i++)
		add_cable(bill, &bill->lengths.rows[i]);
	if (bill->lengths.midplane > 0) {
		struct row row = {"link", "host",    "on the mid-plane of a chassis", bill->lengths.midplane, 0,
				  {0},	  "no cable"};

		memcpy(row.amounts, no_amounts, sizeof(row.amounts));
		row.amounts[COST] = 0;
		add_row(bill->text, &row);
	}
}

/* The plan's own cost has a cable for every link, those on mid-planes too, as the tutorial's tool has it. */
static void note_total(const struct bill *bill, int64_t cost, struct ft_text *note)
{
	if (bill->catalog && bill->catalog->currency[0]) {
		ft_text_puts(note, "in");
		ft_catalog_add_currency(note, bill->catalog);
		ft_catalog_add_time(note, bill->catalog);
	}
	if (!bill->catalog && bill->plan->catalog)
		ft_text_printf(note,
			       "prices are not known, as the catalog \"%s\" is not at hand: name it with --catalog",
			       bill->plan->catalog);
	if (cost == FT_AMOUNT_UNKNOWN || bill->plan->cost == FT_AMOUNT_UNKNOWN || cost == bill->plan->cost)
		return;
	ft_text_puts(note, note->length ? "; the plan's cost is " : "the plan's cost is ");
	ft_quantity_add(note, ft_quantity_amount(bill->plan->cost));
	if (!bill->catalog || bill->catalog->cable_count == 0)
		ft_text_puts(note, ", with a cable for every link");
	else if (bill->catalog->cable_cost == FT_AMOUNT_UNKNOWN)
		ft_text_puts(note, ", without cables");
	else
		ft_text_puts(note, ", with one price for cables of every length");
}

static void add_totals(const struct bill *bill)
{
	_cleanup_(ft_text_release) struct ft_text switches_note = {0}, all_note = {0};
	struct row switches = {"total", "", "switches", bill->switches, FT_AMOUNT_UNKNOWN, {0}, NULL};
	struct row cables = {"total", "", "cables", bill->lengths.cables, FT_AMOUNT_UNKNOWN, {0}, ""};
	struct row all = {"total", "",	"switches and cables", bill->switches + bill->lengths.cables, FT_AMOUNT_UNKNOWN,
			  {0},	   NULL};

	if (bill->pass_through)
		ft_text_puts(&switches_note, "without the pass-through modules");
	memcpy(switches.amounts, bill->totals, sizeof(switches.amounts));
	add_unknown(&switches_note, switches.amounts, AMOUNT_COUNT);
	switches.note = ft_text_string(&switches_note);
	memcpy(cables.amounts, no_amounts, sizeof(cables.amounts));
	cables.amounts[COST] = bill->cables_cost;
	cables.note = cables.amounts[COST] == FT_AMOUNT_UNKNOWN ? "cost unknown" : "";
	memcpy(all.amounts, bill->totals, sizeof(all.amounts));
	all.amounts[COST] = add(all.amounts[COST], cables.amounts[COST]);
	note_total(bill, all.amounts[COST], &all_note);
	if (bill->pass_through)
		ft_text_puts(&all_note, "; without the pass-through modules");
	add_unknown(&all_note, all.amounts, AMOUNT_COUNT);
	all.note = ft_text_string(&all_note);
	add_row(bill->text, &switches);
	add_row(bill->text, &cables);
	add_row(bill->text, &all);
	if (ft_text_failed(&switches_note) || ft_text_failed(&all_note))
		bill->text->failed = true;
}

int ft_write_bom(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		 const struct ft_catalog *catalog, struct ft_error *err)
{
	_cleanup_(bill_release) struct bill bill = {.text = text, .plan = plan, .catalog = catalog};
	int r;

	(void)design;
	r = ft_lengths_make(plan, catalog, &bill.lengths);
	if (r < 0)
		return r == -EINVAL ? ft_error_set(err, r, 0, 0, "the floor model has no room for this plan") : r;
	ft_text_puts(text, "item,kind,what,count,unit_cost,cost,power_w,weight_kg,size_u,note\n");
	for (int tier = 0; tier < FT_TIER_COUNT && plan->topology != FT_TOPOLOGY_GRAPH; tier++)
		add_tier(&bill, (enum ft_tier)tier);
	for (uint32_t kind = 0; kind < plan->kind_count && plan->topology == FT_TOPOLOGY_GRAPH; kind++)
		add_kind(&bill, kind);
	add_cables(&bill);
	add_totals(&bill);
	return ft_text_failed(text) ? -ENOMEM : 0;
}
