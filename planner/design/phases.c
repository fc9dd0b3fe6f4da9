/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The key "phases" of a design: which racks and switches are to be there when. */
#include "planner/design/design_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/plan/name_ranges.h"

static void names_release(struct ft_phase_name *names, size_t count)
{
	for (size_t i = 0; names && i < count; i++)
		free(names[i].name);
	free(names);
}

void ft_design_phases_release(struct ft_design *design)
{
	for (size_t i = 0; design->phases && i < design->phase_count; i++) {
		struct ft_design_phase *phase = &design->phases[i];

		names_release(phase->racks, phase->rack_count);
		names_release(phase->switches, phase->switch_count);
		free(phase->name);
	}
	free(design->phases);
}

struct list {
	struct ft_phase_name *names;
	size_t count;
};

/* Every name that the string stands for has the string's place in the file. */
static int list_take(struct list *list, const struct ft_name_ranges *ranges, const struct ft_error *place)
{
	struct ft_phase_name *names = realloc(list->names, (list->count + ranges->count + 1) * sizeof(*names));

	if (!names)
		return -ENOMEM;
	list->names = names;
	for (size_t i = 0; i < ranges->count; i++) {
		char *name = FT_STEAL(ranges->names[i]);

		names[list->count++] = (struct ft_phase_name){name, place->line, place->column};
	}
	return 0;
}

static int key_one_name(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_name_ranges ranges = {0};
	struct ft_error place = {0};
	int r = ft_name_ranges_read(reader, at, &ranges);

	if (at->key)
		ft_json_error_value(&reader->json, &place, at->parent, at->key, "%s", "");
	else
		ft_json_error_element(&reader->json, &place, at->parent, at->index, "%s", "");
	if (r == 0)
		r = list_take(out, &ranges, &place);
	ft_name_ranges_release(&ranges);
	return r;
}

/* A name or a list of names, with ranges. */
static int names_read(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_phase_name **names,
		      size_t *count)
{
	struct list list = {0};
	int r;

	if (json_is_array(at->value)) {
		r = ft_key_expect_filled_list(reader, at);
		if (r == 0)
			r = ft_key_read_elements(reader, at, key_one_name, 0, &list);
	} else {
		r = key_one_name(reader, at, &list);
	}
	*names = list.names;
	*count = list.count;
	return r;
}

static int key_racks(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design_phase *phase = out;

	return names_read(reader, at, &phase->racks, &phase->rack_count);
}

static int key_switches(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design_phase *phase = out;

	return names_read(reader, at, &phase->switches, &phase->switch_count);
}

static int key_phase(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"name", ft_key_string, offsetof(struct ft_design_phase, name), 0, 64, "what the phase is called"},
		{"due", ft_design_key_date, offsetof(struct ft_design_phase, due), 0, 0, "the last day of the phase"},
		{"racks", key_racks, 0, 0, 0, NULL},
		{"switches", key_switches, 0, 0, 0, NULL},
	};
	struct ft_design_phase *phase = out;
	int r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), phase);

	if (r == 0 && phase->rack_count == 0 && phase->switch_count == 0)
		return ft_key_error(reader, at, "names nothing: give \"racks\" or \"switches\", or both");
	return r;
}

/* Each name once, in all phases. @hashes: of those before. */
static int names_check(const struct ft_key_reader *reader, struct ft_map *names, const struct ft_design *design,
		       size_t phase, const struct ft_phase_name *list, size_t count, const char *what)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t before;
		int r = ft_map_add(names, ft_text_hash(list[i].name), (uint32_t)phase, &before);

		if (r < 0)
			return r;
		if (r == 0)
			return ft_error_set(reader->err, -EINVAL, list[i].line, list[i].column,
					    "%s \"%s\" is in the phase \"%s\" already", what, list[i].name,
					    design->phases[before].name);
	}
	return 0;
}

int ft_design_key_phases(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	_cleanup_(ft_map_release) struct ft_map racks = {0}, switches = {0}, phases = {0};
	struct ft_design *design = out;
	int r = ft_key_read_list(reader, at, key_phase, sizeof(*design->phases), &design->phases, &design->phase_count);

	for (size_t i = 0; r == 0 && i < design->phase_count; i++) {
		const struct ft_design_phase *phase = &design->phases[i];

		r = ft_map_add(&phases, ft_text_hash(phase->name), (uint32_t)i, NULL);
		if (r == 0)
			return ft_json_error_element(&reader->json, reader->err, at->value, i,
						     "two phases are called \"%s\"", phase->name);
		if (r > 0)
			r = names_check(reader, &racks, design, i, phase->racks, phase->rack_count, "rack");
		if (r == 0)
			r = names_check(reader, &switches, design, i, phase->switches, phase->switch_count, "switch");
	}
	return r;
}
