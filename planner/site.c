/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/site.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/site_parts.h"
#include "planner/wiring.h"

enum { NAME_SIZE_MAX = 64 }; /* IBTA Vol 1, NodeDescription: 64 bytes */

static void site_release(struct ft_site *site)
{
	for (size_t i = 0; site->names && i < site->name_count; i++) {
		free(site->names[i].rewritten);
		free(site->names[i].normal);
		free(site->names[i].host);
	}
	free(site->names);
	free(site->ends);
	free(site->planned);
	free(site->known_names);
	ft_names_release(&site->planned_index);
	ft_names_release(&site->known_index);
}

int ft_site_error(const struct ft_site *site, const struct ft_sheet_cell *cell, const char *format, ...)
{
	char text[FT_ERROR_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return ft_error_set(site->err, -EINVAL, cell->line, cell->column, "%s", text);
}

/* ---- names ---- */

static int name_rewrite(const struct ft_site *site, struct ft_site_name *name)
{
	const struct ft_design *design = site->design;

	for (size_t i = 0; i < design->name_rule_count; i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};
		const struct ft_name_rule *rule = &design->name_rules[i];
		int r = ft_pattern_rewrite(rule->match, name->text, strlen(name->text), rule->as, &text);

		if (r < 0)
			return r;
		if (r == 0)
			continue;
		name->rewritten = strdup(ft_text_string(&text));
		name->text = name->rewritten;
		return name->rewritten ? 0 : -ENOMEM;
	}
	return 0;
}

/* Names become part of the plan, and of what is printed. */
static int name_check(const struct ft_site *site, const struct ft_site_name *name)
{
	_cleanup_free_ char *safe = ft_text_safe_dup(name->text, strlen(name->text));

	if (!safe)
		return -ENOMEM;
	if (strcmp(safe, name->text) != 0)
		return ft_site_error(site, name->cell, "the name holds bytes that are not safe to print, or not UTF-8");
	if (strlen(name->text) > NAME_SIZE_MAX)
		return ft_site_error(site, name->cell, "the name is longer than the %d bytes of a node description",
				     NAME_SIZE_MAX);
	return 0;
}

/* The index of a cell's name; it is entered where it is new. */
static int name_enter(struct ft_site *site, struct ft_map *map, const struct ft_sheet_cell *cell, uint32_t *ret_index)
{
	struct ft_site_name *name = &site->names[site->name_count];
	int r;

	*ret_index = FT_UNPINNED;
	if (cell->text[0] == '\0')
		return 0;
	r = ft_map_add(map, ft_text_hash(cell->text), (uint32_t)site->name_count, ret_index);
	if (r <= 0)
		return r;
	*name = (struct ft_site_name){.text = cell->text, .cell = cell, .sw = FT_UNPINNED};
	*ret_index = (uint32_t)site->name_count++;
	r = name_rewrite(site, name);
	return r < 0 ? r : name_check(site, name);
}

static int names_collect(struct ft_site *site)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};
	const struct ft_sheet *sheet = site->sheet;

	site->names = calloc(2 * sheet->row_count + 1, sizeof(*site->names));
	site->ends = calloc(sheet->row_count + 1, sizeof(*site->ends));
	if (!site->names || !site->ends)
		return -ENOMEM;
	for (size_t i = 0; i < sheet->row_count; i++)
		for (unsigned int end = 0; end < 2; end++) {
			const struct ft_sheet_cell *cell = &sheet->rows[i].ends[end].name;
			int r = sheet->rows[i].foreign ? 0 : name_enter(site, &map, cell, &site->ends[i][end]);

			if (sheet->rows[i].foreign)
				site->ends[i][end] = FT_UNPINNED;
			if (r < 0)
				return r;
		}
	return 0;
}

/* Whether the design's "expect" has it for something that is there unplanned: 0 or -ENOMEM. */
static int name_expect(const struct ft_site *site, struct ft_site_name *name)
{
	const struct ft_expect *expect = &site->design->expect;
	int r = 0;

	for (size_t i = 0; r == 0 && i < expect->unplanned_count; i++)
		r = ft_pattern_matches(expect->unplanned[i], name->text, strlen(name->text));
	name->expected = r == 1;
	return r < 0 ? r : 0;
}

static int name_normalise(struct ft_site_name *name)
{
	_cleanup_(ft_text_release) struct ft_text normal = {0};

	ft_name_add_normal(&normal, name->text);
	if (ft_text_failed(&normal))
		return -ENOMEM;
	name->normal = strdup(ft_text_string(&normal));
	return name->normal ? 0 : -ENOMEM;
}

/* A switch has each of its ports once; what people write for hosts without a name of their own has port 1 many times.
 */
static int port_count(struct ft_site *site, struct ft_map *seen, uint32_t name, const struct ft_sheet_end *end)
{
	char key[NAME_SIZE_MAX];
	int r = 1;

	if (end->port.text[0]) {
		snprintf(key, sizeof(key), "%u %.20s/%.20s", site->names[name].same, end->board.text, end->port.text);
		r = ft_map_add(seen, ft_text_hash(key), 0, NULL);
	}
	site->names[name].spelt++;
	site->names[site->names[name].same].rows += r == 1;
	return r < 0 ? r : 0;
}

static int rows_count(struct ft_site *site)
{
	_cleanup_(ft_map_release) struct ft_map seen = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2 * site->sheet->row_count; i++) {
		uint32_t name = site->ends[i / 2][i % 2];

		if (name != FT_UNPINNED)
			r = port_count(site, &seen, name, &site->sheet->rows[i / 2].ends[i % 2]);
	}
	return r;
}

/* A name with its domain is the one without, if the list has that too. @normals: of normal forms. */
static int domains_join(struct ft_site *site, const struct ft_map *normals)
{
	for (uint32_t i = 0; i < site->name_count; i++) {
		_cleanup_(ft_text_release) struct ft_text bare = {0};
		uint32_t other;

		if (!ft_name_add_bare(&bare, site->names[i].text))
			continue;
		if (ft_text_failed(&bare))
			return -ENOMEM;
		other = ft_map_get(normals, ft_text_hash(ft_text_string(&bare)));
		if (other != FT_MAP_NONE)
			site->names[i].same = site->names[other].same;
	}
	return 0;
}

/* Spellings of one name are one thing, and its rows are counted together. */
static int names_join(struct ft_site *site)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};
	int r;

	for (uint32_t i = 0; i < site->name_count; i++) {
		struct ft_site_name *name = &site->names[i];

		r = name_normalise(name);
		if (r == 0)
			r = name_expect(site, name);
		if (r == 0)
			r = ft_map_add(&map, ft_text_hash(name->normal), i, &name->same);
		if (r < 0)
			return r;
		if (r == 1)
			name->same = i;
	}
	r = domains_join(site, &map);
	return r < 0 ? r : rows_count(site);
}

static int known_index(struct ft_site *site)
{
	site->known_names = calloc(site->known_count + 1, sizeof(*site->known_names));
	if (!site->known_names)
		return -ENOMEM;
	for (size_t i = 0; i < site->known_count; i++)
		site->known_names[i] = site->known[i].name;
	return ft_names_make(site->known_names, site->known_count, &site->known_index);
}

/* The planned switch that is bound to @guid. */
static uint32_t guid_find(const struct ft_site *site, uint64_t guid)
{
	for (uint32_t i = 0; guid && i < site->plan->switch_count; i++)
		if (ft_plan_bound_guid(site->design, site->plan, i) == guid)
			return i;
	return FT_UNPINNED;
}

/* By a GUID in the sheet, or by a live switch of that name. */
static int name_resolve_guid(struct ft_site *site, struct ft_site_name *name)
{
	uint32_t live;
	int r;

	name->sw = guid_find(site, ft_name_guid(name->text));
	if (name->sw != FT_UNPINNED)
		return 0;
	r = ft_names_find(&site->known_index, name->text, &live, NULL);
	if (r == 1)
		name->sw = guid_find(site, site->known[live].guid);
	return r == -ENOMEM ? r : 0;
}

static int name_resolve_text(struct ft_site *site, const char *text, struct ft_site_name *name)
{
	_cleanup_(ft_text_release) struct ft_text candidates = {0};
	uint32_t index;
	int r;

	r = ft_names_find(&site->planned_index, text, &index, &candidates);
	if (r == -EEXIST)
		return ft_site_error(site, name->cell, "\"%s\" may be %s: spell it as in the plan", text,
				     ft_text_string(&candidates));
	if (r == 1)
		name->sw = index;
	return r < 0 ? r : 0;
}

/*
 * "SW01 Blade 16", "core1/L16": a board of a director has a line of its own in some lists. The name of the director
 * ends where "Blade 16" begins.
 */
static int name_resolve_board(struct ft_site *site, struct ft_site_name *name)
{
	_cleanup_free_ char *start = strdup(name->text);
	size_t length = strlen(name->text);

	if (!start)
		return -ENOMEM;
	for (size_t end = length; end-- > 1;) {
		char label[NAME_SIZE_MAX + 8];
		uint32_t board, port;
		int r;

		/* A word begins here, behind something that is none. */
		if (!isalpha((unsigned char)start[end]) || isalnum((unsigned char)start[end - 1]))
			continue;
		snprintf(label, sizeof(label), "%s/1", start + end);
		if (ft_port_label_read(label, &board, &port) < 0 || board == 0)
			continue;
		start[end] = '\0';
		r = name_resolve_text(site, start, name);
		if (r < 0)
			return r;
		if (name->sw != FT_UNPINNED && !ft_plan_is_director(site->plan, name->sw))
			name->sw = FT_UNPINNED;
		name->board = name->sw == FT_UNPINNED ? 0 : board;
		return 0;
	}
	return 0;
}

static int name_resolve(struct ft_site *site, struct ft_site_name *name)
{
	int r;

	name->sw = FT_UNPINNED;
	name->board = 0;
	r = name_resolve_text(site, name->text, name);
	if (r == 0 && name->sw == FT_UNPINNED)
		r = name_resolve_guid(site, name);
	if (r == 0 && name->sw == FT_UNPINNED)
		r = name_resolve_board(site, name);
	return r;
}

int ft_site_resolve(struct ft_site *site)
{
	const struct ft_plan *plan = site->plan;
	int r;

	ft_names_release(&site->planned_index);
	free(site->planned);
	site->planned = calloc(plan->switch_count + 1UL, sizeof(*site->planned));
	if (!site->planned)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		site->planned[i] = plan->switches[i].name;
	r = ft_names_make(site->planned, plan->switch_count, &site->planned_index);
	for (size_t i = 0; r == 0 && i < site->name_count; i++)
		r = name_resolve(site, &site->names[i]);
	return r;
}

/* ---- rows ---- */

/* What was passed over. */
enum skipped { SKIP_FOREIGN, SKIP_UNKNOWN, SKIP_FREE, SKIP_UPPER, SKIP_AGAIN, SKIP_COUNT };

struct rows {
	struct ft_site *site;
	struct ft_map stems; /* of planned switches, and of what the sheet calls them */
	struct ft_map seen;  /* cables, by both ports */
	struct ft_cabling_cable *cables;
	uint32_t *cable_rows; /* where each stands in the sheet; FT_UNPINNED: it is the plan's */
	size_t cable_count;
	struct ft_cabling_host *hosts;
	uint32_t *host_rows;
	size_t host_count;
	size_t skipped[SKIP_COUNT];
	const struct ft_sheet_row *upper; /* the first of SKIP_UPPER */
};

static void rows_release(struct rows *rows)
{
	ft_map_release(&rows->stems);
	ft_map_release(&rows->seen);
	free(rows->cables);
	free(rows->cable_rows);
	free(rows->hosts);
	free(rows->host_rows);
}

static int rows_allocate(struct rows *rows)
{
	const struct ft_plan *plan = rows->site->plan;
	size_t count = rows->site->sheet->row_count;
	size_t cables = (count > plan->cable_count ? count : plan->cable_count) + 1;
	size_t hosts = (count > plan->host_count ? count : plan->host_count) + 1;

	rows->cables = calloc(cables, sizeof(*rows->cables));
	rows->cable_rows = calloc(cables, sizeof(*rows->cable_rows));
	rows->hosts = calloc(hosts, sizeof(*rows->hosts));
	rows->host_rows = calloc(hosts, sizeof(*rows->host_rows));
	return rows->cables && rows->cable_rows && rows->hosts && rows->host_rows ? 0 : -ENOMEM;
}

/* The stem of @name in the map: 1 it is entered, or was there (@look: is there), 0 it is not; -ENOMEM. */
static int stem_enter(struct ft_map *stems, const char *name, bool look)
{
	_cleanup_(ft_text_release) struct ft_text stem = {0};
	int r;

	ft_name_add_stem(&stem, name);
	if (ft_text_failed(&stem))
		return -ENOMEM;
	/* A name without a number says nothing of others. */
	if (!strchr(ft_text_string(&stem), '#'))
		return 0;
	if (look)
		return ft_map_get(stems, ft_text_hash(ft_text_string(&stem))) != FT_MAP_NONE;
	r = ft_map_add(stems, ft_text_hash(ft_text_string(&stem)), 0, NULL);
	return r < 0 ? r : 1;
}

static int stems_collect(struct rows *rows)
{
	const struct ft_site *site = rows->site;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < site->plan->switch_count; i++)
		r = stem_enter(&rows->stems, site->plan->switches[i].name, false);
	for (size_t i = 0; r >= 0 && i < site->name_count; i++)
		if (site->names[i].sw != FT_UNPINNED)
			r = stem_enter(&rows->stems, site->names[i].text, false);
	return r < 0 ? r : 0;
}

/* Board and port of an end, from up to two columns. */
static int label_read(const struct ft_sheet_end *end, uint32_t *ret_board, uint32_t *ret_port)
{
	_cleanup_(ft_text_release) struct ft_text whole = {0};

	if (end->board.text[0] == '\0')
		return ft_port_label_read(end->port.text, ret_board, ret_port);
	ft_text_printf(&whole, "%s/%s", end->board.text, end->port.text);
	if (ft_text_failed(&whole))
		return -ENOMEM;
	if (ft_port_label_read(ft_text_string(&whole), ret_board, ret_port) == 0)
		return 0;
	return ft_port_label_read(end->port.text, ret_board, ret_port);
}

/* The port of a planned switch that a row says, by its number in the whole. */
static int end_read(const struct ft_site *site, const struct ft_sheet_end *from, const struct ft_site_name *name,
		    struct ft_cabling_end *ret_end)
{
	struct ft_cabling_end end = {.sw = name->sw, .board = name->board};
	struct ft_error why = {0};
	int r;

	if (from->port.text[0]) {
		r = label_read(from, &end.board, &end.port);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			return ft_site_error(site, &from->port,
					     "\"%s\" is no port: 20, 16/20, L16/P20, \"Blade 16_Port 2/20\" and "
					     "\"Port 20\" are",
					     from->port.text);
		if (end.board == 0)
			end.board = name->board;
	}
	r = ft_cabling_port(site->plan, &end, &end.port, &why);
	if (r < 0)
		return ft_site_error(site, &from->port, "\"%s\" %s", from->port.text, why.text);
	end.board = 0;
	*ret_end = end;
	return 0;
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

static int cable_take(struct rows *rows, uint32_t row)
{
	const struct ft_site *site = rows->site;
	struct ft_cabling_cable *cable = &rows->cables[rows->cable_count];
	int r = 0;

	for (unsigned int end = 0; r == 0 && end < 2; end++)
		r = end_read(site, &site->sheet->rows[row].ends[end], &site->names[site->ends[row][end]],
			     &cable->ends[end]);
	if (r == 0)
		r = cable_again(rows, &cable->ends[0], &cable->ends[1]);
	if (r != 0) {
		rows->skipped[SKIP_AGAIN] += r == 1;
		return r < 0 ? r : 0;
	}
	rows->cable_rows[rows->cable_count++] = row;
	return 0;
}

/* A host that both lists of a site have, or the same row twice. */
static int host_again(struct rows *rows, const struct ft_cabling_host *host)
{
	_cleanup_(ft_text_release) struct ft_text key = {0};
	int r;

	if (host->edge.port == 0)
		return 0;
	ft_text_printf(&key, "%u/%u %s", host->edge.sw, host->edge.port, host->name);
	if (ft_text_failed(&key))
		return -ENOMEM;
	r = ft_map_add(&rows->seen, ft_text_hash(ft_text_string(&key)), 0, NULL);
	return r < 0 ? r : r == 0;
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
	int r = host_name(name, &host->name);

	host->guid = ft_name_guid(name->text);
	if (host->guid)
		host->name = NULL;
	if (r == 0)
		r = end_read(site, &site->sheet->rows[row].ends[end], &site->names[site->ends[row][end]], &host->edge);
	if (r == 0)
		r = host_again(rows, &(struct ft_cabling_host){name->text, 0, host->edge});
	if (r != 0) {
		rows->skipped[SKIP_AGAIN] += r == 1;
		return r < 0 ? r : 0;
	}
	rows->host_rows[rows->host_count++] = row;
	return 0;
}

/* From planned switch number @end of the row to something that is none. */
static int stranger_take(struct rows *rows, uint32_t row, unsigned int end)
{
	const struct ft_site *site = rows->site;
	const struct ft_site_name *name = &site->names[site->ends[row][!end]];
	uint32_t sw = site->names[site->ends[row][end]].sw;
	int r = name->expected ? 0 : stem_enter(&rows->stems, name->text, true);

	if (name->expected)
		rows->skipped[SKIP_UNKNOWN]++;
	if (r < 0 || name->expected)
		return r;
	if (r == 1)
		return ft_site_error(site, &site->sheet->rows[row].ends[!end].name,
				     "\"%s\" is no switch of the plan, but called like one", name->text);
	if (site->plan->switches[sw].tier == FT_TIER_EDGE)
		return host_take(rows, row, end);
	if (rows->skipped[SKIP_UPPER]++ == 0)
		rows->upper = &site->sheet->rows[row];
	return 0;
}

static int row_take(struct rows *rows, uint32_t row)
{
	const struct ft_site *site = rows->site;
	const uint32_t *ends = site->ends[row];
	bool planned[2];

	if (site->sheet->rows[row].foreign) {
		rows->skipped[SKIP_FOREIGN]++;
		return 0;
	}
	if (ends[0] == FT_UNPINNED || ends[1] == FT_UNPINNED) {
		rows->skipped[SKIP_FREE]++;
		return 0;
	}
	for (unsigned int end = 0; end < 2; end++)
		planned[end] = site->names[ends[end]].sw != FT_UNPINNED;
	if (planned[0] && planned[1])
		return cable_take(rows, row);
	if (planned[0] || planned[1])
		return stranger_take(rows, row, planned[1]);
	rows->skipped[SKIP_UNKNOWN]++;
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

static int rows_take(struct rows *rows)
{
	int r = rows_allocate(rows);

	if (r == 0)
		r = stems_collect(rows);
	for (uint32_t i = 0; r == 0 && i < rows->site->sheet->row_count; i++)
		r = row_take(rows, i);
	if (r == 0 && rows->cable_count == 0 && rows->host_count == 0)
		return nothing_fits(rows);
	return r;
}

/* ---- into the plan ---- */

/* What the list has nothing of stays as the design has it. */
static void rest_keep(struct rows *rows)
{
	const struct ft_plan *plan = rows->site->plan;

	for (uint32_t i = 0; rows->cable_count == i && i < plan->cable_count; i++) {
		const struct ft_plan_cable *cable = &plan->cables[i];

		rows->cable_rows[i] = FT_UNPINNED;
		rows->cables[rows->cable_count++] =
			(struct ft_cabling_cable){{{cable->a, 0, cable->a_port}, {cable->b, 0, cable->b_port}}};
	}
	for (uint32_t i = 0; rows->host_count == i && i < plan->host_count; i++) {
		const struct ft_plan_host *host = &plan->hosts[i];

		rows->host_rows[i] = FT_UNPINNED;
		rows->hosts[rows->host_count++] =
			(struct ft_cabling_host){host->name, host->guid, {host->edge, 0, host->port}};
	}
}

static int fault_tell(const struct rows *rows, const struct ft_cabling_fault *fault)
{
	const struct ft_site *site = rows->site;
	const uint32_t *numbers = fault->of_hosts ? rows->host_rows : rows->cable_rows;
	const struct ft_sheet_row *row;
	const struct ft_sheet_end *end;
	char other[32] = "";

	if (fault->entry == SIZE_MAX || numbers[fault->entry] == FT_UNPINNED)
		return ft_error_set(site->err, -EINVAL, site->sheet->first_line ? site->sheet->first_line : 1, 1, "%s",
				    fault->why.text);
	row = &site->sheet->rows[numbers[fault->entry]];
	end = &row->ends[fault->end];
	if (fault->of_hosts)
		end = &row->ends[site->names[site->ends[numbers[fault->entry]][1]].sw != FT_UNPINNED];
	if (fault->other != SIZE_MAX) {
		uint32_t number = (fault->other_of_hosts ? rows->host_rows : rows->cable_rows)[fault->other];

		if (number != FT_UNPINNED)
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

		same += now != FT_UNPINNED && plan->bundles[now].count == before[k].count;
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

static void note_add(struct ft_text *notes, bool *ret_any, size_t count, const char *one, const char *more)
{
	if (count == 0)
		return;
	ft_text_puts(notes, *ret_any ? ", " : "; passed over: ");
	ft_text_printf(notes, "%zu %s", count, plural(count, one, more));
	*ret_any = true;
}

/* Returns whether there is more to it than what was taken. */
static bool notes_write(const struct rows *rows, size_t hosts, size_t cables, uint32_t differ, struct ft_text *notes)
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
	for (int i = 0; i < SKIP_COUNT; i++) {
		note_add(notes, &any, rows->skipped[i], words[i][0], words[i][1]);
		if (i == SKIP_UPPER && rows->upper)
			ft_text_printf(notes, " (first in line %u)", rows->upper->line);
	}
	if (differ)
		ft_text_printf(notes, "; %u %s of switches %s other cables than the rules give", differ,
			       plural(differ, "pair", "pairs"), plural(differ, "has", "have"));
	if (rows->site->strange)
		ft_text_puts(notes, "; none of its names of switches is a node description on the fabric");
	return any || differ || rows->site->strange;
}

static int rows_apply(struct rows *rows, struct ft_text *notes)
{
	struct ft_site *site = rows->site;
	_cleanup_free_ struct ft_plan_bundle *before = bundles_copy(site->plan);
	uint32_t before_count = site->plan->bundle_count;
	size_t cables = rows->cable_count, hosts = rows->host_count;
	struct ft_cabling list = {0};
	struct ft_cabling_fault fault;
	bool notable;
	int r;

	if (!before)
		return -ENOMEM;
	rest_keep(rows);
	list.cables = rows->cable_count ? rows->cables : NULL;
	list.cable_count = rows->cable_count;
	/* What is kept of a list that has not all of them has the others, too. */
	list.complete = cables ? site->design->cables_complete : true;
	list.hosts = rows->host_count ? rows->hosts : NULL;
	list.host_count = rows->host_count;
	r = ft_cabling_apply(site->plan, &list, &fault);
	if (r < 0)
		return r == -EINVAL ? fault_tell(rows, &fault) : r;
	notable = notes_write(rows, hosts, cables, bundles_differ(site->plan, before, before_count), notes);
	return ft_text_failed(notes) ? -ENOMEM : notable;
}

static int site_take(struct ft_site *site, struct ft_text *notes)
{
	_cleanup_(rows_release) struct rows rows = {.site = site};
	int bound = 0, r, notable;

	r = names_collect(site);
	if (r == 0)
		r = names_join(site);
	if (r == 0)
		r = known_index(site);
	if (r == 0)
		r = ft_site_resolve(site);
	if (r == 0)
		bound = ft_site_bind(site);
	if (r < 0 || bound < 0)
		return r < 0 ? r : bound;
	if (bound)
		r = ft_site_resolve(site);
	if (r == 0)
		r = rows_take(&rows);
	if (r < 0)
		return r;
	notable = rows_apply(&rows, notes);
	if (notable < 0)
		return notable;
	r = ft_site_write(site);
	return r < 0 ? r : notable;
}

int ft_site_import(struct ft_design *design, struct ft_plan *plan, const struct ft_sheet *sheet,
		   const struct ft_site_switch *known, size_t known_count, struct ft_text *notes, struct ft_error *err)
{
	_cleanup_(site_release) struct ft_site site = {
		.design = design,
		.plan = plan,
		.sheet = sheet,
		.known = known,
		.known_count = known_count,
		.err = err,
	};

	return site_take(&site, notes);
}
