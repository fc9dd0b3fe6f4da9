/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Directors in a design: the numbers of boards and chips, and the patterns for their chassis' names. */
#include <errno.h>

#include "base/text.h"
#include "planner/design/design_parts.h"
#include "planner/family/rules.h"

#define INSIDE(field) offsetof(struct ft_inside, field)

const struct ft_inside_key ft_inside_keys[FT_INSIDE_KEYS] = {
	{"line_boards", INSIDE(line_boards)},	  {"line_boards_max", INSIDE(line_boards_max)},
	{"line_ports", INSIDE(line_ports)},	  {"line_chips", INSIDE(line_chips)},
	{"fabric_boards", INSIDE(fabric_boards)}, {"fabric_boards_max", INSIDE(fabric_boards_max)},
	{"fabric_chips", INSIDE(fabric_chips)},	  {"traces", INSIDE(traces)},
};

static int boards_check(const char *what, uint32_t boards, uint32_t slots, struct ft_error *err)
{
	if (boards <= slots || slots == 0)
		return 0;
	return ft_error_set(err, -EINVAL, 0, 0, "%u %s boards do not go into %u slots", boards, what, slots);
}

/* More ports than a chip has: @uplinks are to the other level inside. */
static int chip_check(const char *what, uint64_t outside, uint64_t uplinks, struct ft_error *err)
{
	if (outside + uplinks <= FT_PORTS_MAX)
		return 0;
	return ft_error_set(err, -EINVAL, 0, 0, "a chip of a %s board would have %llu port%s; the most is %d", what,
			    (unsigned long long)(outside + uplinks), ft_text_s((unsigned long long)(outside + uplinks)),
			    FT_PORTS_MAX);
}

/* Unknown numbers are at least one. */
static uint64_t one_or(uint32_t count)
{
	return count ? count : 1;
}

static int line_chip_check(const struct ft_inside *in, struct ft_error *err)
{
	uint64_t traces = in->fabric_boards_max * one_or(in->fabric_chips) * one_or(in->traces);

	if (in->line_ports == 0 || in->line_chips == 0)
		return chip_check("line", 0, traces, err);
	if (in->line_ports % in->line_chips != 0)
		return ft_error_set(
			err, -EINVAL, 0, 0, "%u port%s of a line board are not the same number on each of %u chip%s",
			in->line_ports, ft_text_s(in->line_ports), in->line_chips, ft_text_s(in->line_chips));
	return chip_check("line", in->line_ports / in->line_chips, traces, err);
}

static int ports_check(const struct ft_inside *in, uint32_t ports, struct ft_error *err)
{
	if (in->line_boards == 0 || in->line_ports == 0 || (uint64_t)in->line_boards * in->line_ports == ports)
		return 0;
	return ft_error_set(err, -EINVAL, 0, 0, "%u line board%s of %u ports are not the %u port%s of the whole",
			    in->line_boards, ft_text_s(in->line_boards), in->line_ports, ports, ft_text_s(ports));
}

int ft_inside_check(const struct ft_inside *in, uint32_t ports, struct ft_error *err, const char **ret_key)
{
	uint64_t down = in->line_boards_max * one_or(in->line_chips) * one_or(in->traces);

	*ret_key = "line_boards";
	if (boards_check("line", in->line_boards, in->line_boards_max, err) < 0)
		return -EINVAL;
	*ret_key = "fabric_boards";
	if (boards_check("fabric", in->fabric_boards, in->fabric_boards_max, err) < 0)
		return -EINVAL;
	*ret_key = NULL;
	if (ports_check(in, ports, err) < 0)
		return -EINVAL;
	*ret_key = "line_chips";
	if (line_chip_check(in, err) < 0)
		return -EINVAL;
	*ret_key = "traces";
	return chip_check("fabric", 0, down, err);
}

/* One of the three from the two others, where these are given. */
static int ports_derive(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_design_role *role)
{
	struct ft_inside *in = &role->inside;
	uint32_t *missing = in->line_boards ? &in->line_ports : &in->line_boards;
	uint32_t known = in->line_boards ? in->line_boards : in->line_ports;
	uint64_t ports = (uint64_t)in->line_boards * in->line_ports;

	if (!ft_pinned(role->ports)) {
		if (ports == 0 || ports > FT_DIRECTOR_PORTS_MAX)
			return ports ? ft_key_error(reader, at, "makes %llu port%s; the most is %d",
						    (unsigned long long)ports, ft_text_s((unsigned long long)ports),
						    FT_DIRECTOR_PORTS_MAX)
				     : 0;
		role->ports = (uint32_t)ports;
		return 0;
	}
	if (ports > 0 || known == 0)
		return 0;
	if (role->ports % known != 0)
		return ft_key_error(reader, at, "does not go with the %u port%s of the whole: %u %s", role->ports,
				    ft_text_s(role->ports), known,
				    in->line_boards ? "line boards cannot have the same number each"
						    : "ports a line board leave some over");
	*missing = role->ports / known;
	return 0;
}

/* All slots are full, unless it says otherwise, or a catalog will. */
static void slots_derive(struct ft_design_role *role)
{
	struct ft_inside *in = &role->inside;

	if (role->model) {
		role->fabric_boards = role->fabric_boards ? role->fabric_boards : in->fabric_boards;
		return;
	}
	in->line_boards_max = in->line_boards_max ? in->line_boards_max : in->line_boards;
	in->fabric_boards_max = in->fabric_boards_max ? in->fabric_boards_max : in->fabric_boards;
}

int ft_design_finish_inside(struct ft_key_reader *reader, const struct ft_key_at *role_at, struct ft_design_role *role)
{
	struct ft_key_at at = {.parent = role_at->value, .key = "inside"};
	struct ft_inside *in = &role->inside;
	struct ft_error why = {0};
	const char *key;
	int r;

	at.value = json_object_get(role_at->value, at.key);
	role->director = at.value || role->chassis;
	if (!at.value)
		return 0;
	r = ports_derive(reader, &at, role);
	if (r < 0)
		return r;
	slots_derive(role);
	if (!ft_pinned(role->ports) || ft_inside_check(in, role->ports, &why, &key) == 0)
		return 0;
	if (key && json_object_get(at.value, key))
		return ft_json_error_value(&reader->json, reader->err, at.value, key, "\"inside\": %s", why.text);
	return ft_json_error_value(&reader->json, reader->err, at.parent, key ? "inside" : "ports", "%s%s",
				   key ? "\"inside\": " : "", why.text);
}

int ft_design_key_inside(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"line_boards", ft_key_count, INSIDE(line_boards), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"line_boards_max", ft_key_count, INSIDE(line_boards_max), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"line_ports", ft_key_count, INSIDE(line_ports), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"line_chips", ft_key_count, INSIDE(line_chips), 1, FT_PORTS_MAX, NULL},
		{"fabric_boards", ft_key_count, INSIDE(fabric_boards), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"fabric_boards_max", ft_key_count, INSIDE(fabric_boards_max), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"fabric_chips", ft_key_count, INSIDE(fabric_chips), 1, FT_PORTS_MAX, NULL},
		{"traces", ft_key_count, INSIDE(traces), 1, FT_PORTS_MAX, NULL},
	};

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}

int ft_design_key_chassis(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	return ft_design_read_pattern(reader, at, ft_pattern_compile_capturing, out);
}

/* ---- from the "plan" of a file ---- */

void ft_design_inside_from_plan(const json_t *chosen, struct ft_design_role *role)
{
	const json_t *inside = json_object_get(chosen, "inside");
	struct ft_inside merged = role->inside;
	struct ft_error err = {0};
	const char *key;

	for (unsigned int i = 0; i < FT_INSIDE_KEYS; i++) {
		const json_t *value = json_object_get(inside, ft_inside_keys[i].name);

		if (ft_inside_get(&merged, i) == 0 && json_is_integer(value) && json_integer_value(value) > 0 &&
		    json_integer_value(value) <= FT_DIRECTOR_PORTS_MAX)
			ft_inside_set(&merged, i, (uint32_t)json_integer_value(value));
	}
	if (ft_inside_check(&merged, role->ports, &err, &key) == 0)
		role->inside = merged;
}
