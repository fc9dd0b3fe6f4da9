/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Invalid rows of a site's list. One of them must not hide the others: its plausible parts are used, and the rules fill
 * the rest of the plan.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/site/rows.h"
#include "planner/plan/wiring.h"

void ft_site_doubts_release(struct ft_site_doubts *doubts)
{
	free(doubts->lost);
	free(doubts->rows);
}

int ft_site_doubts_init(struct ft_site_doubts *doubts, const struct ft_site *site)
{
	doubts->lost = calloc(site->plan->switch_count + 1UL, sizeof(*doubts->lost));
	doubts->rows = calloc(site->sheet->row_count + 1, sizeof(*doubts->rows));
	return doubts->lost && doubts->rows ? 0 : -ENOMEM;
}

void ft_site_doubt(struct ft_site_doubts *doubts, uint32_t row, const struct ft_sheet_cell *cell, const char *format,
		   ...)
{
	struct ft_error *err;
	va_list args;
	char text[FT_ERROR_TEXT_SIZE];

	if (doubts->rows[row])
		return;
	doubts->rows[row] = true;
	if (doubts->count++ >= FT_COUNT(doubts->first))
		return;
	err = &doubts->first[doubts->count - 1];
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	ft_error_set(err, -EINVAL, cell->line, cell->column, "%s", text);
}

void ft_site_doubts_write(const struct ft_site_doubts *doubts, struct ft_text *faults)
{
	for (size_t i = 0; i < doubts->count && i < FT_COUNT(doubts->first); i++)
		ft_text_printf(faults, "%u:%u: %s\n", doubts->first[i].line, doubts->first[i].column,
			       doubts->first[i].text);
}

int ft_site_doubts_check(const struct ft_site *site, const struct ft_site_doubts *doubts, size_t judged)
{
	const struct ft_error *first = &doubts->first[0];
	char others[96] = "";

	/* A list with a quarter of invalid rows is about something else, or misread. */
	if (doubts->count * 4 <= judged)
		return 0;
	if (doubts->count > 1)
		snprintf(others, sizeof(others), "; of %zu row%s %zu do not fit the plan", judged, ft_text_s(judged),
			 doubts->count);
	return ft_error_set(site->err, -EINVAL, first->line, first->column, "%s%s", first->text, others);
}

/* ---- a port that two rows claim ---- */

/* The owner of a port: a cable by its number, a host by its own after all cables. */
struct claims {
	struct rows *rows;
	struct ft_map map; /* of switches and ports, to the first claim */
	bool *contested;   /* by claim: two for a cable, then one for each host */
};

static void claims_release(struct claims *c)
{
	ft_map_release(&c->map);
	free(c->contested);
}

static struct ft_cabling_end *claim_end(const struct rows *rows, size_t claim)
{
	if (claim < 2 * rows->cable_count)
		return &rows->cables[claim / 2].ends[claim % 2];
	return &rows->hosts[claim - 2 * rows->cable_count].edge;
}

static uint32_t claim_row(const struct rows *rows, size_t claim)
{
	if (claim < 2 * rows->cable_count)
		return rows->cable_rows[claim / 2];
	return rows->host_rows[claim - 2 * rows->cable_count];
}

/* The end of the row that is at the claimed switch. */
static const struct ft_sheet_end *claim_cell(const struct rows *rows, size_t claim)
{
	const struct ft_site *site = rows->site;
	uint32_t row = claim_row(rows, claim);
	unsigned int end = claim % 2;

	if (claim >= 2 * rows->cable_count)
		end = site->names[site->ends[row][1]].sw != FT_NONE;
	return &site->sheet->rows[row].ends[end];
}

static int claim_enter(struct claims *c, size_t claim)
{
	struct rows *rows = c->rows;
	const struct ft_cabling_end *end = claim_end(rows, claim);
	const struct ft_sheet_cell *cell = &claim_cell(rows, claim)->port;
	uint32_t first;
	int r;

	if (end->port == 0)
		return 0;
	r = ft_map_add(&c->map, (uint64_t)end->sw << 32 | end->port, (uint32_t)claim, &first);
	if (r != 0)
		return r < 0 ? r : 0;
	c->contested[claim] = c->contested[first] = true;
	ft_site_doubt(&rows->doubts, claim_row(rows, claim), cell,
		      "\"%s\" is port %u of %s, which is used twice: see line %u", cell->text, end->port,
		      rows->site->plan->switches[end->sw].name, rows->site->sheet->rows[claim_row(rows, first)].line);
	return 0;
}

/* A cable listed from both ends, once wrongly, is not lost: the other row has it. */
static void repeats_drop(struct rows *rows, const bool *contested)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->cable_count; i++) {
		if (rows->skipped[SKIP_AGAIN] * 2 > rows->cable_count && contested[2 * i] + contested[2 * i + 1] > 0 &&
		    rows->doubts.rows[rows->cable_rows[i]])
			continue;
		rows->cables[kept] = rows->cables[i];
		rows->cable_rows[kept++] = rows->cable_rows[i];
	}
	rows->cable_count = kept;
}

int ft_site_ports_contested(struct rows *rows)
{
	size_t count = 2 * rows->cable_count + rows->host_count;
	_cleanup_(claims_release) struct claims c = {
		.rows = rows,
		.contested = calloc(count + 1, sizeof(*c.contested)),
	};
	int r = c.contested ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = claim_enter(&c, i);
	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++)
		if (c.contested[i])
			claim_end(rows, i)->port = 0;
	repeats_drop(rows, c.contested);
	return 0;
}

/* ---- cables by the rules in their place ---- */

/* Switches of which the list has no cable: as many as may have been forgotten. */
static void absent_mark(struct rows *rows, const uint32_t *cables)
{
	const struct ft_plan *plan = rows->site->plan;
	uint32_t absent = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		absent += cables[i] == 0;
	if (absent * 4 > plan->switch_count)
		return;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (cables[i] == 0) {
			rows->doubts.lost[i] = UINT32_MAX;
			rows->doubts.absent = i;
			rows->doubts.absent_count++;
		}
}

static uint32_t lost_take(uint32_t *lost, uint32_t count)
{
	uint32_t taken = *lost < count ? *lost : count;

	if (*lost != UINT32_MAX)
		*lost -= taken;
	return taken;
}

/*
 * Bundles that may belong to invalid rows, the likeliest first: between two switches with such rows and listed cables,
 * then any.
 */
enum likely { LIKELY_BOTH, LIKELY_PART, LIKELY_ANY, LIKELY_COUNT };

/* Cables that the list lacks of a bundle, at most the number of rows lost at its switches. */
static void bundle_fill(struct rows *rows, const struct ft_plan_bundle *bundle, uint32_t listed, enum likely likely)
{
	uint32_t *a = &rows->doubts.lost[bundle->a], *b = &rows->doubts.lost[bundle->b];
	uint32_t missing = bundle->count > listed ? bundle->count - listed : 0, count;
	bool both = *a > 0 && *b > 0;

	if ((likely == LIKELY_BOTH && !both) || (likely == LIKELY_PART && listed == 0))
		return;
	if (both && *a < missing)
		missing = *a;
	count = lost_take(*b ? b : a, missing);
	if (both)
		lost_take(a, count);
	for (uint32_t k = 0; k < count; k++) {
		rows->cable_rows[rows->cable_count] = FT_NONE;
		rows->cables[rows->cable_count++] = (struct ft_cabling_cable){{{.sw = bundle->a}, {.sw = bundle->b}}};
	}
}

int ft_site_rules_fill(struct rows *rows)
{
	const struct ft_plan *plan = rows->site->plan;
	_cleanup_free_ uint32_t *listed = calloc(plan->bundle_count + 1UL, sizeof(*listed));
	_cleanup_free_ uint32_t *cables = calloc(plan->switch_count + 1UL, sizeof(*cables));
	size_t count = rows->cable_count;

	if (!listed || !cables)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct ft_cabling_end *ends = rows->cables[i].ends;
		uint32_t bundle = ft_plan_find_bundle(plan, ends[0].sw, ends[1].sw);

		cables[ends[0].sw]++;
		cables[ends[1].sw]++;
		if (bundle != FT_NONE)
			listed[bundle]++;
	}
	absent_mark(rows, cables);
	for (enum likely likely = LIKELY_BOTH; likely < LIKELY_COUNT; likely++)
		for (uint32_t i = 0; i < plan->bundle_count; i++) {
			size_t before = rows->cable_count;

			bundle_fill(rows, &plan->bundles[i], listed[i], likely);
			listed[i] += (uint32_t)(rows->cable_count - before);
		}
	rows->doubts.filled = rows->cable_count - count;
	return 0;
}
