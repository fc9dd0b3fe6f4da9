/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/site/site.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/site/site_parts.h"
#include "planner/plan/wiring.h"

enum { NAME_SIZE_MAX = 64 }; /* IBTA Vol 1, NodeDescription: 64 bytes */

static void site_release(struct ft_site *site)
{
	for (size_t i = 0; site->names && i < site->name_count; i++) {
		free(site->names[i].rewritten);
		free(site->names[i].normal);
		free(site->names[i].host);
		free(site->names[i].why);
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

/* Rows of it are doubtful from now on. */
static int name_refuse(struct ft_site_name *name, const char *why)
{
	free(name->why);
	name->why = strdup(why);
	return name->why ? 0 : -ENOMEM;
}

/* Names become part of the plan, and of what is printed; one that cannot is none. */
static int name_check(struct ft_site_name *name)
{
	_cleanup_free_ char *safe = ft_text_safe_dup(name->text, strlen(name->text));
	bool printable, brief;

	if (!safe)
		return -ENOMEM;
	printable = strcmp(safe, name->text) == 0;
	brief = strlen(name->text) <= NAME_SIZE_MAX;
	if (printable && brief)
		return 0;
	name->text = "";
	return name_refuse(name, printable ? "the name is longer than the 64 bytes of a node description"
					   : "the name holds bytes that are not safe to print, or not UTF-8");
}

/* The index of a cell's name; it is entered where it is new. */
static int name_enter(struct ft_site *site, struct ft_map *map, const struct ft_sheet_cell *cell, uint32_t *ret_index)
{
	struct ft_site_name *name = &site->names[site->name_count];
	int r;

	*ret_index = FT_NONE;
	if (cell->text[0] == '\0')
		return 0;
	r = ft_map_add(map, ft_text_hash(cell->text), (uint32_t)site->name_count, ret_index);
	if (r <= 0)
		return r;
	*name = (struct ft_site_name){.text = cell->text, .cell = cell, .sw = FT_NONE};
	*ret_index = (uint32_t)site->name_count++;
	r = name_rewrite(site, name);
	return r < 0 ? r : name_check(name);
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
				site->ends[i][end] = FT_NONE;
			if (r < 0)
				return r;
		}
	return 0;
}

/* Whether the design's "expect" has it for something that is there unplanned, or it is of an island: 0 or -ENOMEM. */
static int name_expect(const struct ft_site *site, struct ft_site_name *name)
{
	const struct ft_expect *expect = &site->design->expect;
	int r = 0;

	for (size_t i = 0; r == 0 && i < expect->unplanned_count; i++)
		r = ft_pattern_matches(expect->unplanned[i], name->text, strlen(name->text));
	name->expected = r == 1;
	for (uint32_t i = 0; r == 0 && i < site->island_switches; i++) {
		_cleanup_(ft_text_release) struct ft_text normal = {0};

		ft_name_add_normal(&normal, site->plan->switches[site->plan->switch_count + i].name);
		r = ft_text_failed(&normal) ? -ENOMEM : 0;
		name->expected |= r == 0 && strcmp(ft_text_string(&normal), name->normal) == 0;
	}
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

		if (name != FT_NONE)
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
		if (other != FT_NONE)
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
	return FT_NONE;
}

/* By a GUID in the sheet, or by a live switch of that name. */
static int name_resolve_guid(struct ft_site *site, struct ft_site_name *name)
{
	uint32_t live;
	int r;

	name->sw = guid_find(site, ft_name_guid(name->text));
	if (name->sw != FT_NONE)
		return 0;
	r = ft_names_find(&site->known_index, name->text, &live, NULL);
	if (r == 1)
		name->sw = guid_find(site, site->known[live].guid);
	return r == -ENOMEM ? r : 0;
}

static int name_resolve_text(struct ft_site *site, const char *text, struct ft_site_name *name)
{
	_cleanup_(ft_text_release) struct ft_text candidates = {0}, why = {0};
	uint32_t index;
	int r;

	r = ft_names_find(&site->planned_index, text, &index, &candidates);
	if (r == -EEXIST) {
		ft_text_printf(&why, "\"%s\" may be %s: spell it as in the plan", text, ft_text_string(&candidates));
		return ft_text_failed(&why) ? -ENOMEM : name_refuse(name, ft_text_string(&why));
	}
	if (r == 1)
		name->sw = index;
	return r < 0 ? r : 0;
}

/*
 * "SW01 Blade 16", "core1/L16", "core1 L16/U2": a board of a director, or a chip, has a line of its own in some lists.
 * The name of the director ends where "Blade 16" begins.
 */
static int name_resolve_board(struct ft_site *site, struct ft_site_name *name)
{
	_cleanup_free_ char *start = strdup(name->text);
	size_t length = strlen(name->text);

	if (!start)
		return -ENOMEM;
	for (size_t end = length; end-- > 1;) {
		char text[NAME_SIZE_MAX + 8];
		struct ft_port_label label;
		int r;

		/* A word begins here, behind something that is none. */
		if (!isalpha((unsigned char)start[end]) || isalnum((unsigned char)start[end - 1]))
			continue;
		snprintf(text, sizeof(text), "%s/1", start + end);
		if (ft_port_label_read(text, &label) < 0 || label.board == 0)
			continue;
		start[end] = '\0';
		r = name_resolve_text(site, start, name);
		if (r == 0 && name->sw == FT_NONE && !name->why && strncmp(start, "MF0;", 4) == 0) {
			/* A chip of "MF0;core1:SX6536/U1" is "MF0;core1:SX6536/L16/U2". */
			snprintf(text, sizeof(text), "%sU1", start);
			r = name_resolve_text(site, text, name);
		}
		if (r < 0)
			return r;
		if (name->sw != FT_NONE && !ft_plan_is_director(site->plan, name->sw))
			name->sw = FT_NONE;
		name->board = name->sw == FT_NONE ? 0 : label.board;
		name->chip = name->sw == FT_NONE ? 0 : label.chip;
		return 0;
	}
	return 0;
}

static int name_resolve(struct ft_site *site, struct ft_site_name *name)
{
	int r;

	name->sw = FT_NONE;
	name->board = name->chip = 0;
	/* It cannot be printed, or was several switches before tiers were bound. */
	if (name->text[0] == '\0')
		return 0;
	free(name->why);
	name->why = NULL;
	r = name_resolve_text(site, name->text, name);
	if (r == 0 && name->sw == FT_NONE && !name->why)
		r = name_resolve_guid(site, name);
	if (r == 0 && name->sw == FT_NONE && !name->why)
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

static int site_take(struct ft_site *site, struct ft_text *faults, struct ft_text *notes)
{
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
	if (r < 0)
		return r;
	notable = ft_site_take_rows(site, faults, notes);
	if (notable < 0)
		return notable;
	r = ft_site_write(site);
	return r < 0 ? r : notable;
}

int ft_site_import(struct ft_design *design, struct ft_plan *plan, const struct ft_sheet *sheet,
		   const struct ft_site_switch *known, size_t known_count, struct ft_text *faults,
		   struct ft_text *notes, struct ft_error *err)
{
	_cleanup_(site_release) struct ft_site site = {
		.design = design,
		.plan = plan,
		.sheet = sheet,
		.known = known,
		.known_count = known_count,
		.err = err,
	};
	struct ft_plan_aside aside;
	int r = ft_plan_set_aside(plan, &aside), back;

	if (r < 0)
		return r;
	site.island_switches = aside.switch_count;
	r = site_take(&site, faults, notes);
	back = ft_plan_take_back(plan, &aside);
	return back < 0 ? back : r;
}

void ft_site_tell(struct ft_text *text, const char *path, const char *faults, const char *notes)
{
	size_t length = strlen(path);

	for (const char *end; *faults && (end = strchr(faults, '\n')); faults = end + 1) {
		ft_text_add_safe(text, path, length);
		ft_text_printf(text, ":%.*s", (int)(end - faults + 1), faults);
	}
	ft_text_add_safe(text, path, length);
	ft_text_printf(text, ": %s\n", notes);
}
