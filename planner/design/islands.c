/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The key "islands" of a design. */
#include "planner/design/design_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/plan/name_ranges.h"

enum {
	BUNDLES_MAX = 50000, /* of one island */
};

void ft_islands_free(struct ft_island *islands, size_t count)
{
	for (size_t i = 0; islands && i < count; i++) {
		for (size_t n = 0; n < islands[i].switch_count; n++)
			free(islands[i].switches[n].name);
		for (size_t n = 0; n < islands[i].bundle_count; n++) {
			free(islands[i].bundles[n].a);
			free(islands[i].bundles[n].b);
		}
		free(islands[i].switches);
		free(islands[i].bundles);
		free(islands[i].name);
	}
	free(islands);
}

/* ---- switches ---- */

struct switches_entry {
	struct ft_name_ranges names;
	uint32_t ports, hosts;
};

/* Room for @more behind @count elements, zeros. */
static void *array_grow(void *array, size_t count, size_t more, size_t size)
{
	char *grown = realloc(array, (count + more + 1) * size);

	if (grown)
		memset(grown + count * size, 0, (more + 1) * size);
	return grown;
}

static int switches_take(struct ft_island *island, const struct switches_entry *entry)
{
	struct ft_island_switch *switches =
		array_grow(island->switches, island->switch_count, entry->names.count, sizeof(*switches));

	if (!switches)
		return -ENOMEM;
	island->switches = switches;
	for (size_t i = 0; i < entry->names.count; i++) {
		struct ft_island_switch *sw = &switches[island->switch_count++];

		sw->name = FT_STEAL(entry->names.names[i]);
		sw->ports = entry->ports;
		sw->hosts = entry->hosts;
	}
	return 0;
}

/* A name, or {"name", "ports", "hosts"}. */
static int key_switch(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"name", ft_key_name_ranges, offsetof(struct switches_entry, names), 0, 0, "the names of the switches"},
		{"ports", ft_key_count, offsetof(struct switches_entry, ports), 1, FT_PORTS_MAX, NULL},
		{"hosts", ft_key_count, offsetof(struct switches_entry, hosts), 0, FT_PORTS_MAX, NULL},
	};
	struct switches_entry entry = {.ports = FT_NONE, .hosts = FT_NONE};
	int r;

	if (json_is_object(at->value))
		r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), &entry);
	else
		r = ft_name_ranges_read(reader, at, &entry.names);
	if (r == 0)
		r = switches_take(out, &entry);
	ft_name_ranges_release(&entry.names);
	return r;
}

static int key_switches(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	int r = ft_key_expect_filled_list(reader, at);

	return r < 0 ? r : ft_key_read_elements(reader, at, key_switch, 0, out);
}

/* ---- bundles ---- */

struct bundles_entry {
	struct ft_name_ranges a, b;
	uint32_t count;
};

/* From each of the one side to each of the other. */
static int bundles_take(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_island *island,
			const struct bundles_entry *entry)
{
	size_t more = entry->a.count * entry->b.count;
	struct ft_island_bundle *bundles;

	if (island->bundle_count + more > BUNDLES_MAX)
		return ft_key_error(reader, at, "makes more than %d pairs of switches", BUNDLES_MAX);
	bundles = array_grow(island->bundles, island->bundle_count, more, sizeof(*bundles));
	if (!bundles)
		return -ENOMEM;
	island->bundles = bundles;
	for (size_t i = 0; i < entry->a.count; i++)
		for (size_t k = 0; k < entry->b.count; k++) {
			struct ft_island_bundle *bundle = &bundles[island->bundle_count++];

			bundle->count = entry->count;
			bundle->a = strdup(entry->a.names[i]);
			bundle->b = strdup(entry->b.names[k]);
			if (!bundle->a || !bundle->b)
				return -ENOMEM;
		}
	return 0;
}

static int key_island_bundle(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"a", ft_key_name_ranges, offsetof(struct bundles_entry, a), 0, 0, "the switch at one end"},
		{"b", ft_key_name_ranges, offsetof(struct bundles_entry, b), 0, 0, "the switch at the other end"},
		{"count", ft_key_count, offsetof(struct bundles_entry, count), 1, FT_PORTS_MAX, NULL},
	};
	struct bundles_entry entry = {.count = 1};
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), &entry);
	if (r == 0)
		r = bundles_take(reader, at, out, &entry);
	ft_name_ranges_release(&entry.a);
	ft_name_ranges_release(&entry.b);
	return r;
}

static int key_island_bundles(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	int r = ft_key_expect_filled_list(reader, at);

	return r < 0 ? r : ft_key_read_elements(reader, at, key_island_bundle, 0, out);
}

/* ---- islands ---- */

static int key_island(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"name", ft_key_string, offsetof(struct ft_island, name), 0, 64, "what the island is called"},
		{"switches", key_switches, 0, 0, 0, "its switches"},
		{"bundles", key_island_bundles, 0, 0, 0, "its cables"},
	};

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}

int ft_design_key_islands(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;

	return ft_key_read_list(reader, at, key_island, sizeof(*design->islands), &design->islands,
				&design->island_count);
}
