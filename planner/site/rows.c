/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Classifies the rows of a site's list: cables of the plan, hosts, and others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/site/rows.h"
#include "base/text.h"
#include "planner/plan/adapter.h"
#include "planner/plan/wiring.h"

enum { ADAPTER_SIZE_MAX = 64 }; /* as of a node description, which it is part of */

/* ---- rows ---- */

static void rows_release(struct rows *rows)
{
	ft_map_release(&rows->stems);
	ft_map_release(&rows->families);
	free(rows->family);
	ft_site_doubts_release(&rows->doubts);
	ft_map_release(&rows->seen);
	free(rows->cables);
	free(rows->cable_rows);
	ft_map_release(&rows->ends);
	for (size_t i = 0; rows->adapters && i < rows->site->sheet->row_count; i++)
		free(rows->adapters[i]);
	free(rows->adapters);
	free(rows->hosts);
	free(rows->host_rows);
	free(rows->fate);
}

static int rows_allocate(struct rows *rows)
{
	const struct ft_plan *plan = rows->site->plan;
	size_t count = rows->site->sheet->row_count;
	size_t cables = (count > plan->cable_count ? count : plan->cable_count) + 1, bundled = 0;
	size_t hosts = (count > plan->host_count ? count : plan->host_count) + 1;

	/* Those of the rules may be added. */
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		bundled += plan->bundles[i].count;
	cables += bundled;
	rows->cables = calloc(cables, sizeof(*rows->cables));
	rows->cable_rows = calloc(cables, sizeof(*rows->cable_rows));
	rows->hosts = calloc(hosts, sizeof(*rows->hosts));
	rows->host_rows = calloc(hosts, sizeof(*rows->host_rows));
	rows->adapters = calloc(count + 1, sizeof(*rows->adapters));
	rows->fate = calloc(count + 1, sizeof(*rows->fate));
	rows->family = calloc(rows->site->name_count + 1, sizeof(*rows->family));
	if (!rows->cables || !rows->cable_rows || !rows->hosts || !rows->host_rows || !rows->adapters ||
	    !rows->family || !rows->fate)
		return -ENOMEM;
	return ft_site_doubts_init(&rows->doubts, rows->site);
}

/* The stem of @name in the map: 1 it is entered, or was there (@look: is there), 0 it is not; -ENOMEM. */
static int stem_enter(struct ft_map *stems, const char *name, bool look)
{
	_cleanup_(ft_text_release) struct ft_text stem = {0};
	int r;

	ft_name_add_stem(&stem, name);
	if (ft_text_failed(&stem))
		return -ENOMEM;
	/* A name without a number has no informative stem. */
	if (!strchr(ft_text_string(&stem), '#'))
		return 0;
	if (look)
		return ft_map_get(stems, ft_text_hash(ft_text_string(&stem))) != FT_NONE;
	r = ft_map_add(stems, ft_text_hash(ft_text_string(&stem)), 0, NULL);
	return r < 0 ? r : 1;
}

/* How many names of things that are no switches are of one stem. */
static int families_count(struct rows *rows)
{
	const struct ft_site *site = rows->site;

	for (uint32_t i = 0; i < site->name_count; i++) {
		_cleanup_(ft_text_release) struct ft_text stem = {0};
		uint32_t family = i;

		if (site->names[i].sw != FT_NONE || site->names[i].same != i)
			continue;
		ft_name_add_stem(&stem, site->names[i].text);
		if (ft_text_failed(&stem) ||
		    ft_map_add(&rows->families, ft_text_hash(ft_text_string(&stem)), i, &family) < 0)
			return -ENOMEM;
		rows->family[family]++;
	}
	return 0;
}

static int stems_collect(struct rows *rows)
{
	const struct ft_site *site = rows->site;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < site->plan->switch_count; i++)
		r = stem_enter(&rows->stems, site->plan->switches[i].name, false);
	for (size_t i = 0; r >= 0 && i < site->name_count; i++)
		if (site->names[i].sw != FT_NONE)
			r = stem_enter(&rows->stems, site->names[i].text, false);
	return r < 0 ? r : families_count(rows);
}

/* Board, chip and port of an end: from up to two columns, and from what its name said of a board. */
static int label_read(const struct ft_sheet_end *end, const struct ft_site_name *name, struct ft_port_label *ret_label)
{
	_cleanup_(ft_text_release) struct ft_text whole = {0};
	const char *board = end->board.text;

	if (board[0] == '\0' && name->board == 0)
		return ft_port_label_read(end->port.text, ret_label);
	if (board[0])
		ft_text_printf(&whole, "%s%s/%s", board[strspn(board, "0123456789")] ? "" : "board ", board,
			       end->port.text);
	else if (name->chip)
		ft_text_printf(&whole, "board %u/chip %u/%s", name->board, name->chip, end->port.text);
	else
		ft_text_printf(&whole, "board %u/%s", name->board, end->port.text);
	if (ft_text_failed(&whole))
		return -ENOMEM;
	if (ft_port_label_read(ft_text_string(&whole), ret_label) == 0)
		return 0;
	return ft_port_label_read(end->port.text, ret_label);
}

/*
 * The number of chips that the list has for a board, if the plan does not know it: the highest number, counted from 1.
 * If all rows have number 2 it is no chip number.
 */
static int chips_look(struct rows *rows)
{
	const struct ft_site *site = rows->site;
	uint32_t seen[FT_TIER_COUNT] = {0};

	for (size_t i = 0; i < 2 * site->sheet->row_count; i++) {
		uint32_t name = site->ends[i / 2][i % 2], sw = name == FT_NONE ? name : site->names[name].sw;
		struct ft_port_label label;
		int r;

		if (sw == FT_NONE || !ft_plan_is_director(site->plan, sw))
			continue;
		r = label_read(&site->sheet->rows[i / 2].ends[i % 2], &site->names[name], &label);
		if (r == -ENOMEM)
			return r;
		if (r == 0 && label.board && label.chip > 0 && label.chip < 32)
			seen[site->plan->switches[sw].tier] |= 1U << label.chip;
	}
	for (unsigned int tier = 0; tier < FT_TIER_COUNT; tier++)
		while (seen[tier] & 2U << rows->chips[tier])
			rows->chips[tier]++;
	return 0;
}

/* The port of a planned switch in a row, by its number in the whole. An invalid one becomes any port. */
static int end_read(struct rows *rows, uint32_t row, unsigned int at, struct ft_cabling_end *ret_end)
{
	const struct ft_site *site = rows->site;
	const struct ft_sheet_end *from = &site->sheet->rows[row].ends[at];
	const struct ft_site_name *name = &site->names[site->ends[row][at]];
	struct ft_cabling_end end = {.sw = name->sw, .chips = rows->chips[site->plan->switches[name->sw].tier]};
	struct ft_port_label label = {0};
	struct ft_error why = {0};
	int r;

	if (from->port.text[0]) {
		r = label_read(from, name, &label);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			ft_site_doubt(&rows->doubts, row, &from->port,
				      "\"%s\" is no port: 20, 16/20, L16/P20, \"Blade 16_Port 2/20\" and "
				      "\"Port 20\" are",
				      from->port.text);
	}
	end.port = label.port;
	end.board = label.board ? label.board : name->board;
	end.chip = label.chip ? label.chip : name->chip;
	r = ft_cabling_port(site->plan, &end, &end.port, &why);
	if (r < 0)
		ft_site_doubt(&rows->doubts, row, &from->port, "\"%s\" %s", from->port.text, why.text);
	if (r < 0)
		end.port = 0;
	*ret_end = (struct ft_cabling_end){.sw = end.sw, .port = end.port};
	return 0;
}

static void row_skip(struct rows *rows, uint32_t row, enum skipped why)
{
	rows->skipped[why]++;
	rows->fate[row] = (uint8_t)(why + 1);
}

/* Whether a cable that both ends have in the list was there before: 1, 0 or -ENOMEM. */
static int cable_again(struct rows *rows, const struct ft_cabling_end *a, const struct ft_cabling_end *b)
{
	bool turn = a->sw > b->sw || (a->sw == b->sw && a->port > b->port);
	const struct ft_cabling_end *low = turn ? b : a, *high = turn ? a : b;
	char key[64];
	int r;

	if (a->port == 0 || b->port == 0)
		return 0;
	snprintf(key, sizeof(key), "%u/%u %u/%u", low->sw, low->port, high->sw, high->port);
	r = ft_map_add(&rows->seen, ft_text_hash(key), 0, NULL);
	return r < 0 ? r : r == 0;
}

/* A row that is no cable of the plan: its switches lack one cable of the list. */
static void row_lose(struct rows *rows, uint32_t row, const struct ft_sheet_cell *cell, const char *why)
{
	const struct ft_site *site = rows->site;

	if (!rows->doubts.rows[row])
		for (unsigned int end = 0; end < 2; end++) {
			uint32_t sw = site->names[site->ends[row][end]].sw;

			if (sw != FT_NONE)
				rows->doubts.lost[sw]++;
		}
	ft_site_doubt(&rows->doubts, row, cell, "%s", why);
}

static int cable_take(struct rows *rows, uint32_t row)
{
	const struct ft_site *site = rows->site;
	struct ft_cabling_cable *cable = &rows->cables[rows->cable_count];
	struct ft_error why = {0};
	int r = 0;

	if (ft_cabling_check_pair(site->plan, site->names[site->ends[row][0]].sw, site->names[site->ends[row][1]].sw,
				  &why) < 0) {
		row_lose(rows, row, &site->sheet->rows[row].ends[0].name, why.text);
		return 0;
	}
	for (unsigned int end = 0; r == 0 && end < 2; end++)
		r = end_read(rows, row, end, &cable->ends[end]);
	if (r == 0)
		r = cable_again(rows, &cable->ends[0], &cable->ends[1]);
	if (r != 0) {
		if (r == 1)
			row_skip(rows, row, SKIP_AGAIN);
		return r < 0 ? r : 0;
	}
	rows->cable_rows[rows->cable_count++] = row;
	return 0;
}

/* ---- hosts ---- */

/* Adapter and port of the host, from up to two columns. Unprintable ones are left out. */
static int interface_read(struct rows *rows, uint32_t row, const struct ft_sheet_end *from,
			  struct ft_cabling_host *host)
{
	const char *cells[] = {from->port.text, from->board.text};

	for (size_t i = 0; i < FT_COUNT(cells); i++) {
		_cleanup_free_ char *safe = NULL;
		uint32_t port;
		size_t length;

		ft_adapter_read(cells[i], &length, &port);
		if (i == 0)
			host->adapter_port = port;
		/* A board without a word is a number of the adapter. */
		if (i == 1 && length == 0)
			length = strlen(cells[i]);
		if (length == 0 || length > ADAPTER_SIZE_MAX || rows->adapters[row])
			continue;
		safe = ft_text_safe_dup(cells[i], length);
		rows->adapters[row] = strndup(cells[i], length);
		if (!safe || !rows->adapters[row])
			return -ENOMEM;
		if (strcmp(safe, rows->adapters[row]) == 0)
			host->adapter = rows->adapters[row];
	}
	return 0;
}

/* True if two rows of a host certainly mean two of its ports. */
static bool interfaces_differ(const struct ft_cabling_host *a, const struct ft_cabling_host *b)
{
	if (a->adapter && b->adapter) {
		enum ft_adapter_relation relation =
			ft_adapter_compare(a->adapter, strlen(a->adapter), b->adapter, strlen(b->adapter));

		if (relation != FT_ADAPTER_SAME)
			return relation == FT_ADAPTER_OTHER;
	}
	return a->adapter_port && b->adapter_port && a->adapter_port != b->adapter_port;
}

/* A host in both lists of a site, or a repeated row. @name: as in the list. */
static int host_again(struct rows *rows, const struct ft_cabling_host *host, const char *name)
{
	_cleanup_(ft_text_release) struct ft_text key = {0};
	uint32_t first;
	int r;

	if (host->edge.port == 0)
		return 0;
	ft_text_printf(&key, "%u/%u %s", host->edge.sw, host->edge.port, name);
	if (ft_text_failed(&key))
		return -ENOMEM;
	r = ft_map_add(&rows->ends, ft_text_hash(ft_text_string(&key)), (uint32_t)rows->host_count, &first);
	return r < 0 ? r : r == 0 && !interfaces_differ(host, &rows->hosts[first]);
}

/* Node descriptions have host names without their domain. */
static int host_name(struct ft_site_name *name, const char **ret_name)
{
	size_t length = ft_name_bare_length(name->text);

	*ret_name = name->text;
	if (name->text[length] == '\0')
		return 0;
	if (!name->host)
		name->host = strndup(name->text, length);
	*ret_name = name->host;
	return name->host ? 0 : -ENOMEM;
}

static int host_take(struct rows *rows, uint32_t row, unsigned int end)
{
	const struct ft_site *site = rows->site;
	struct ft_site_name *name = &site->names[site->ends[row][!end]];
	struct ft_cabling_host *host = &rows->hosts[rows->host_count];
	int r;

	*host = (struct ft_cabling_host){0};
	r = host_name(name, &host->name);
	host->guid = ft_name_guid(name->text);
	if (host->guid)
		host->name = NULL;
	if (r == 0)
		r = end_read(rows, row, end, &host->edge);
	if (r == 0)
		r = interface_read(rows, row, &site->sheet->rows[row].ends[!end], host);
	if (r == 0)
		r = host_again(rows, host, name->text);
	if (r != 0) {
		if (r == 1)
			row_skip(rows, row, SKIP_AGAIN);
		return r < 0 ? r : 0;
	}
	rows->host_rows[rows->host_count++] = row;
	return 0;
}

/* Rows of one host, and whether their interfaces tell them apart. */
struct host_group {
	uint32_t rows;
	bool repeated;
};

static int host_key(const struct ft_cabling_host *host, uint64_t *ret_key)
{
	_cleanup_(ft_text_release) struct ft_text normal = {0};

	*ret_key = host->guid;
	if (host->guid)
		return 0;
	ft_name_add_normal(&normal, host->name);
	*ret_key = ft_text_hash(ft_text_string(&normal));
	return ft_text_failed(&normal) ? -ENOMEM : 0;
}

/* Counts a row of @group; its interface may be there already. */
static int interface_enter(struct ft_map *seen, struct host_group *group, uint32_t number,
			   const struct ft_cabling_host *host)
{
	_cleanup_(ft_text_release) struct ft_text key = {0};
	int r;

	group->rows++;
	if (!host->adapter && !host->adapter_port)
		return 0;
	ft_text_printf(&key, "%u %u ", number, host->adapter_port);
	ft_name_add_normal(&key, host->adapter ? host->adapter : "");
	if (ft_text_failed(&key))
		return -ENOMEM;
	r = ft_map_add(seen, ft_text_hash(ft_text_string(&key)), 0, NULL);
	group->repeated |= r == 0;
	return r < 0 ? r : 0;
}

/*
 * Many lists have "port 1" for every host without checking. Interfaces are used only if they distinguish the rows of a
 * host.
 */
static int interfaces_weed(struct rows *rows)
{
	_cleanup_(ft_map_release) struct ft_map hosts = {0}, seen = {0};
	_cleanup_free_ struct host_group *groups = calloc(rows->host_count + 1, sizeof(*groups));
	_cleanup_free_ uint32_t *group_of = calloc(rows->host_count + 1, sizeof(*group_of));
	int r = groups && group_of ? 0 : -ENOMEM;

	for (uint32_t i = 0; r >= 0 && i < rows->host_count; i++) {
		uint64_t key;

		group_of[i] = i;
		r = host_key(&rows->hosts[i], &key);
		if (r >= 0)
			r = ft_map_add(&hosts, key, i, &group_of[i]);
		if (r >= 0)
			r = interface_enter(&seen, &groups[group_of[i]], group_of[i], &rows->hosts[i]);
	}
	for (uint32_t i = 0; r >= 0 && i < rows->host_count; i++)
		if (groups[group_of[i]].rows < 2 || groups[group_of[i]].repeated) {
			rows->hosts[i].adapter = NULL;
			rows->hosts[i].adapter_port = 0;
		}
	return r < 0 ? r : 0;
}

/* Whether one is the other with a letter added, left out or changed, or with two of them exchanged. */
static bool is_slip(const char *one, const char *other)
{
	size_t length = strlen(one), same = 0, end = 0;

	if (length == strlen(other)) {
		while (one[same] && one[same] == other[same])
			same++;
		if (one[same] && one[same + 1] && one[same] == other[same + 1] && one[same + 1] == other[same] &&
		    strcmp(one + same + 2, other + same + 2) == 0)
			return true;
		while (end < length - same && one[length - end - 1] == other[length - end - 1])
			end++;
		return same + end + 1 == length;
	}
	return ft_text_distance(one, other) == 1;
}

/*
 * Whether a name that belongs to no family of hosts is a misspelt planned switch: 1, 0 or -ENOMEM. Then @why is filled.
 */
static int slip_find(const struct rows *rows, const struct ft_site_name *name, struct ft_text *why)
{
	enum { FAMILY_LEAST = 3, LENGTH_LEAST = 5, ROWS_LEAST = 3 };
	const struct ft_site *site = rows->site;
	_cleanup_(ft_text_release) struct ft_text stem = {0};
	uint32_t family, live;

	/* A name that occurs often, or is on the fabric, is not misspelt. */
	if (site->names[name->same].rows >= ROWS_LEAST ||
	    ft_names_find(&site->known_index, name->text, &live, NULL) == 1)
		return 0;
	ft_name_add_stem(&stem, name->text);
	if (ft_text_failed(&stem))
		return -ENOMEM;
	family = ft_map_get(&rows->families, ft_text_hash(ft_text_string(&stem)));
	if (stem.length < LENGTH_LEAST || (family != FT_NONE && rows->family[family] >= FAMILY_LEAST))
		return 0;
	for (uint32_t i = 0; i < site->name_count; i++) {
		if (site->names[i].sw == FT_NONE || !is_slip(site->names[i].normal, name->normal))
			continue;
		ft_text_printf(why, "\"%s\" is no switch of the plan; did they mean \"%s\"?", name->text,
			       site->names[i].text);
		return 1;
	}
	return 0;
}

/* From planned switch number @end of the row to something that is none. */
static int stranger_take(struct rows *rows, uint32_t row, unsigned int end)
{
	const struct ft_site *site = rows->site;
	const struct ft_site_name *name = &site->names[site->ends[row][!end]];
	uint32_t sw = site->names[site->ends[row][end]].sw;
	_cleanup_(ft_text_release) struct ft_text why = {0};
	int r = name->expected ? 0 : stem_enter(&rows->stems, name->text, true);

	if (name->expected)
		row_skip(rows, row, SKIP_UNKNOWN);
	if (r < 0 || name->expected)
		return r;
	if (r == 1)
		ft_text_printf(&why, "\"%s\" is no switch of the plan, but called like one", name->text);
	else
		r = slip_find(rows, name, &why);
	if (r < 0 || ft_text_failed(&why))
		return -ENOMEM;
	if (r == 1) {
		row_lose(rows, row, &site->sheet->rows[row].ends[!end].name, ft_text_string(&why));
		return 0;
	}
	if (site->plan->kinds[site->plan->switches[sw].kind].may_host)
		return host_take(rows, row, end);
	row_skip(rows, row, SKIP_UPPER);
	return 0;
}

static int row_take(struct rows *rows, uint32_t row)
{
	const struct ft_site *site = rows->site;
	const uint32_t *ends = site->ends[row];
	bool planned[2];

	if (site->sheet->rows[row].foreign) {
		row_skip(rows, row, SKIP_FOREIGN);
		return 0;
	}
	if (ends[0] == FT_NONE || ends[1] == FT_NONE) {
		row_skip(rows, row, SKIP_FREE);
		return 0;
	}
	for (unsigned int end = 0; end < 2; end++)
		if (site->names[ends[end]].why) {
			row_lose(rows, row, &site->sheet->rows[row].ends[end].name, site->names[ends[end]].why);
			return 0;
		}
	for (unsigned int end = 0; end < 2; end++)
		planned[end] = site->names[ends[end]].sw != FT_NONE;
	if (planned[0] && planned[1])
		return cable_take(rows, row);
	if (planned[0] || planned[1])
		return stranger_take(rows, row, planned[1]);
	row_skip(rows, row, SKIP_UNKNOWN);
	return 0;
}

static int nothing_fits(const struct rows *rows)
{
	const struct ft_site *site = rows->site;

	return ft_error_set(site->err, -EINVAL, site->sheet->first_line ? site->sheet->first_line : 1, 1,
			    "no row of this list has a switch of the plan: the list has \"%s\", the plan \"%s\"; say "
			    "in the design's \"names\" which is which",
			    site->name_count ? site->names[0].text : "", site->plan->switches[0].name);
}

/* Rows that are of this plan, or should be. */
static size_t rows_judged(const struct rows *rows)
{
	size_t judged = rows->site->sheet->row_count;

	for (int i = 0; i < SKIP_COUNT; i++)
		judged -= i == SKIP_AGAIN ? 0 : rows->skipped[i];
	return judged;
}

static int rows_take(struct rows *rows)
{
	int r = rows_allocate(rows);

	if (r == 0)
		r = stems_collect(rows);
	if (r == 0)
		r = chips_look(rows);
	for (uint32_t i = 0; r == 0 && i < rows->site->sheet->row_count; i++)
		r = row_take(rows, i);
	if (r == 0)
		r = interfaces_weed(rows);
	if (r == 0)
		r = ft_site_ports_contested(rows);
	if (r == 0)
		r = ft_site_doubts_check(rows->site, &rows->doubts, rows_judged(rows));
	if (r == 0 && rows->cable_count == 0 && rows->host_count == 0)
		return nothing_fits(rows);
	if (r == 0 && rows->cable_count > 0 && rows->site->design->cables_complete)
		r = ft_site_rules_fill(rows);
	return r;
}

/* ---- into the plan ---- */

/* Parts missing in the list stay as in the design. */
static void rest_keep(struct rows *rows)
{
	const struct ft_plan *plan = rows->site->plan;

	for (uint32_t i = 0; rows->cable_count == i && i < plan->cable_count; i++) {
		const struct ft_plan_cable *cable = &plan->cables[i];

		rows->cable_rows[i] = FT_NONE;
		rows->cables[rows->cable_count++] = (struct ft_cabling_cable){
			{{.sw = cable->a, .port = cable->a_port}, {.sw = cable->b, .port = cable->b_port}}};
	}
	for (uint32_t i = 0; rows->host_count == i && i < plan->host_count; i++) {
		const struct ft_plan_host *host = &plan->hosts[i];

		rows->host_rows[i] = FT_NONE;
		rows->hosts[rows->host_count++] =
			(struct ft_cabling_host){.name = host->name,
						 .guid = host->guid,
						 .edge = {.sw = host->edge, .port = host->port},
						 .adapter = host->adapter,
						 .adapter_port = host->adapter_port};
	}
}

static int fault_tell(const struct rows *rows, const struct ft_cabling_fault *fault)
{
	const struct ft_site *site = rows->site;
	const uint32_t *numbers = fault->of_hosts ? rows->host_rows : rows->cable_rows;
	const struct ft_sheet_row *row;
	const struct ft_sheet_end *end;
	char other[32] = "";

	if (fault->entry == SIZE_MAX || numbers[fault->entry] == FT_NONE)
		return ft_error_set(site->err, -EINVAL, site->sheet->first_line ? site->sheet->first_line : 1, 1, "%s",
				    fault->why.text);
	row = &site->sheet->rows[numbers[fault->entry]];
	end = &row->ends[fault->end];
	if (fault->of_hosts)
		end = &row->ends[site->names[site->ends[numbers[fault->entry]][1]].sw != FT_NONE];
	if (fault->other != SIZE_MAX) {
		uint32_t number = (fault->other_of_hosts ? rows->host_rows : rows->cable_rows)[fault->other];

		if (number != FT_NONE)
			snprintf(other, sizeof(other), ": see line %u", site->sheet->rows[number].line);
	}
	if (fault->cell == FT_CABLING_PORT)
		return ft_site_error(site, &end->port, "\"%s\" %s%s", end->port.text, fault->why.text, other);
	return ft_site_error(site, &end->name, "%s", fault->why.text);
}

/* Pairs of switches that have other cables than the rules give. */
static uint32_t bundles_differ(const struct ft_plan *plan, const struct ft_plan_bundle *before, uint32_t count)
{
	uint32_t same = 0, i = 0;

	for (uint32_t k = 0; k < count; k++) {
		uint32_t now = ft_plan_find_bundle(plan, before[k].a, before[k].b);

		same += now != FT_NONE && plan->bundles[now].count == before[k].count;
	}
	i = plan->bundle_count > count ? plan->bundle_count : count;
	return i - same;
}

static struct ft_plan_bundle *bundles_copy(const struct ft_plan *plan)
{
	struct ft_plan_bundle *copy = calloc(plan->bundle_count + 1UL, sizeof(*copy));

	if (copy && plan->bundle_count)
		memcpy(copy, plan->bundles, plan->bundle_count * sizeof(*copy));
	return copy;
}

/* ---- notes ---- */

static const char *plural(size_t count, const char *one, const char *more)
{
	return count == 1 ? one : more;
}

/* Has the row that @fate? SKIP_COUNT: an invalid one. */
static bool row_is(const struct rows *rows, uint32_t row, enum skipped fate)
{
	return fate == SKIP_COUNT ? rows->doubts.rows[row] : rows->fate[row] == fate + 1;
}

/* " (lines 3, 7-9)": where the rows of that fate are in the file, as many as a line of text bears. */
static void lines_add(const struct rows *rows, enum skipped fate, struct ft_text *notes)
{
	enum { RANGES_MAX = 40 };
	const struct ft_sheet *sheet = rows->site->sheet;
	size_t ranges = 0, listed = 0, all = 0;
	_cleanup_(ft_text_release) struct ft_text text = {0};

	for (uint32_t row = 0; row < sheet->row_count; row++) {
		uint32_t first = sheet->rows[row].line, last = first;

		if (!row_is(rows, row, fate))
			continue;
		all++;
		while (row + 1 < sheet->row_count && row_is(rows, row + 1, fate) &&
		       sheet->rows[row + 1].line <= last + 1) {
			last = sheet->rows[++row].line;
			all++;
		}
		if (ranges++ >= RANGES_MAX)
			continue;
		listed = all;
		ft_text_printf(&text, first == last ? "%s%u" : "%s%u-%u", ranges > 1 ? ", " : "", first, last);
	}
	if (ranges == 0)
		return;
	ft_text_printf(notes, " (%s %s", all == 1 ? "line" : "lines", ft_text_string(&text));
	ft_text_more(notes, all, listed);
	ft_text_puts(notes, ")");
	notes->failed |= text.failed;
}

static void note_add(const struct rows *rows, enum skipped kind, const char *const words[2], bool *ret_any,
		     struct ft_text *notes)
{
	size_t count = rows->skipped[kind];

	if (count == 0)
		return;
	ft_text_puts(notes, *ret_any ? ", " : "; passed over: ");
	ft_text_printf(notes, "%zu %s", count, plural(count, words[0], words[1]));
	lines_add(rows, kind, notes);
	*ret_any = true;
}

/* "LINE:COLUMN: the unknown name", one line for each row, of the first ones. */
static void strangers_tell(const struct rows *rows, struct ft_text *faults)
{
	enum { TOLD_MAX = 16 };
	const struct ft_site *site = rows->site;
	uint32_t told = 0;

	for (uint32_t row = 0; row < site->sheet->row_count && told < TOLD_MAX; row++) {
		const struct ft_site_name *names[2];
		struct ft_error err = {0};
		unsigned int end;

		if (!row_is(rows, row, SKIP_UNKNOWN) && !row_is(rows, row, SKIP_UPPER))
			continue;
		for (end = 0; end < 2; end++)
			names[end] = &site->names[site->ends[row][end]];
		if (names[0]->expected || names[1]->expected)
			continue;
		end = names[0]->sw != FT_NONE;
		if (names[!end]->sw != FT_NONE)
			ft_error_set(&err, 0, 0, 0, "\"%s\" is no switch of the plan, and %s has no hosts",
				     names[end]->text, site->plan->switches[names[!end]->sw].name);
		else
			ft_error_set(&err, 0, 0, 0, "neither \"%s\" nor \"%s\" is a switch of the plan", names[0]->text,
				     names[1]->text);
		ft_text_printf(faults, "%u:%u: %s\n", site->sheet->rows[row].ends[end].name.line,
			       site->sheet->rows[row].ends[end].name.column, err.text);
		told++;
	}
}

/* The invalid rows, and the planned cables in their place. */
static void doubts_note(const struct rows *rows, struct ft_text *notes)
{
	const struct ft_site_doubts *doubts = &rows->doubts;

	if (doubts->count) {
		ft_text_printf(notes, "; %zu %s cannot be right", doubts->count, plural(doubts->count, "row", "rows"));
		lines_add(rows, SKIP_COUNT, notes);
		ft_text_printf(notes, ": %s may be any",
			       plural(doubts->count, "the port that it claims", "the ports that they claim"));
	}
	if (doubts->absent_count)
		ft_text_printf(notes, "; no cable of %s%s is listed", rows->site->plan->switches[doubts->absent].name,
			       doubts->absent_count > 1 ? " and other switches" : "");
	if (doubts->filled)
		ft_text_printf(notes, "; %zu %s as the rules give %s, in any port", doubts->filled,
			       plural(doubts->filled, "cable is", "cables are"), plural(doubts->filled, "it", "them"));
}

/* Returns whether anything was skipped or differs. */
static bool notes_write(const struct rows *rows, size_t hosts, size_t cables, uint32_t differ, uint32_t nodes,
			struct ft_text *notes)
{
	static const char *const words[SKIP_COUNT][2] = {
		[SKIP_FOREIGN] = {"row of another network", "rows of other networks"},
		[SKIP_UNKNOWN] = {"row of what is not in the plan", "rows of what is not in the plan"},
		[SKIP_FREE] = {"row with one end only", "rows with one end only"},
		[SKIP_UPPER] = {"row of something that is no switch on a spine or core switch",
				"rows of things that are no switches on spine or core switches"},
		[SKIP_AGAIN] = {"row that repeats another", "rows that repeat others"},
	};
	bool any = false;

	ft_text_printf(notes, "%zu %s between switches, %zu %s", cables, plural(cables, "cable", "cables"), hosts,
		       plural(hosts, "host", "hosts"));
	for (int i = 0; i < SKIP_COUNT; i++)
		note_add(rows, i, words[i], &any, notes);
	if (differ)
		ft_text_printf(notes, "; %u %s of switches %s other cables than the rules give", differ,
			       plural(differ, "pair", "pairs"), plural(differ, "has", "have"));
	if (nodes < rows->site->plan->nodes)
		ft_text_printf(notes, "; that is more hosts than the %u node%s of the design", nodes, ft_text_s(nodes));
	doubts_note(rows, notes);
	if (rows->site->strange)
		ft_text_puts(notes, "; none of its names of switches is a node description on the fabric");
	return any || differ || nodes < rows->site->plan->nodes || rows->site->strange || rows->doubts.count ||
	       rows->doubts.absent_count;
}

static int rows_apply(struct rows *rows, struct ft_text *faults, struct ft_text *notes)
{
	struct ft_site *site = rows->site;
	_cleanup_free_ struct ft_plan_bundle *before = bundles_copy(site->plan);
	uint32_t before_count = site->plan->bundle_count, nodes = site->plan->nodes;
	size_t cables = rows->cable_count - rows->doubts.filled, hosts = rows->host_count;
	struct ft_cabling list = {0};
	struct ft_cabling_fault fault;
	bool notable;
	int r;

	if (!before)
		return -ENOMEM;
	rest_keep(rows);
	list.cables = rows->cable_count ? rows->cables : NULL;
	list.cable_count = rows->cable_count;
	/* The written list must also have the cables that the site's list lacks. */
	list.complete = cables ? site->design->cables_complete : true;
	list.hosts = rows->host_count ? rows->hosts : NULL;
	list.host_count = rows->host_count;
	r = ft_cabling_apply(site->plan, &list, &fault);
	if (r < 0)
		return r == -EINVAL ? fault_tell(rows, &fault) : r;
	notable = notes_write(rows, hosts, cables, bundles_differ(site->plan, before, before_count), nodes, notes);
	ft_site_doubts_write(&rows->doubts, faults);
	strangers_tell(rows, faults);
	return ft_text_failed(notes) || ft_text_failed(faults) ? -ENOMEM : notable;
}

int ft_site_take_rows(struct ft_site *site, struct ft_text *faults, struct ft_text *notes)
{
	_cleanup_(rows_release) struct rows rows = {.site = site};
	int r = rows_take(&rows);

	return r < 0 ? r : rows_apply(&rows, faults, notes);
}
