/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The key "interfaces" of a switch: what its ports are called, from port 1 on. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/interface.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/design/design_parts.h"
#include "planner/plan/name_ranges.h"

static int names_check(struct ft_key_reader *reader, const struct ft_key_at *at, const struct ft_name_ranges *ranges)
{
	_cleanup_(ft_map_release) struct ft_map seen = {0};

	for (size_t i = 0; i < ranges->count; i++) {
		const char *name = ranges->names[i];
		int r;

		if (!name[0] || strlen(name) > FT_INTERFACE_NAME_MAX || strchr(name, '\n'))
			return ft_key_error(reader, at, "has \"%s\", which is no name of 1 to %d bytes", name,
					    FT_INTERFACE_NAME_MAX);
		r = ft_map_add(&seen, ft_interface_hash(name), 0, NULL);
		if (r == 0)
			return ft_key_error(reader, at, "has \"%s\" twice", name);
		if (r < 0)
			return r;
	}
	return 0;
}

int ft_design_key_interfaces(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	_cleanup_(ft_name_ranges_release) struct ft_name_ranges ranges = {.max = FT_INTERFACE_NUMBER_MAX};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	const char *technology = json_string_value(json_object_get(reader->json.root, "technology"));
	char **lines = out;
	int r;

	if (!technology || strcmp(technology, "ethernet") != 0)
		return ft_key_error(reader, at, "is of Ethernet: \"technology\": \"ethernet\" is missing");
	r = ft_key_name_ranges(reader, at, &ranges);
	if (r == 0)
		r = names_check(reader, at, &ranges);
	for (size_t i = 0; r == 0 && i < ranges.count; i++)
		ft_text_printf(&text, "%s\n", ranges.names[i]);
	if (r < 0)
		return r;
	free(*lines);
	*lines = strdup(ft_text_string(&text));
	return *lines && !ft_text_failed(&text) ? 0 : -ENOMEM;
}

int ft_interfaces_check(struct ft_key_reader *reader, const struct ft_key_at *at, const char *interfaces,
			uint32_t ports)
{
	uint32_t count = 0;

	for (const char *line = interfaces; line && *line; line = strchr(line, '\n') + 1)
		count++;
	if (count <= ports)
		return 0;
	return ft_json_error_value(&reader->json, reader->err, at->value, "interfaces",
				   "\"interfaces\" are %u, but \"ports\" is %u", count, ports);
}
