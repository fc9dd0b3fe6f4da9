/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The key "islands" of a design. Names may hold ranges of numbers: "CCORE1-[001-003,007]" is four switches. */
#include "planner/design_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

enum {
	NAMES_MAX = 10000,   /* of one key, ranges written out */
	BUNDLES_MAX = 50000, /* of one island */
	NAME_SIZE_MAX = 256, /* of a name with its ranges */
	DIGITS_MAX = 9,
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

/* ---- names ---- */

struct names {
	char **name;
	size_t count, size;
};

static void names_release(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
}

/* Returns 0, -ENOMEM, or -E2BIG. */
static int names_add(struct names *names, const char *name)
{
	if (names->count == NAMES_MAX)
		return -E2BIG;
	if (names->count == names->size) {
		size_t size = names->size ? 2 * names->size : 8;
		char **more = realloc(names->name, size * sizeof(*more));

		if (!more)
			return -ENOMEM;
		names->name = more;
		names->size = size;
	}
	names->name[names->count] = strdup(name);
	if (!names->name[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

/* The first "[…]" of nothing but digits, commas and hyphens; other brackets are part of the name. NULL: none. */
static const char *range_find(const char *name, size_t *ret_length)
{
	for (const char *open = strchr(name, '['); open; open = strchr(open + 1, '[')) {
		size_t length = strspn(open + 1, "0123456789,-");

		if (length > 0 && open[1 + length] == ']') {
			*ret_length = length + 2;
			return open;
		}
	}
	return NULL;
}

/* "007-012" or "7", up to a comma or the end. Returns where it ends, or NULL. */
static const char *range_parse(const char *text, uint32_t *ret_first, uint32_t *ret_last, int *ret_digits)
{
	size_t digits = strspn(text, "0123456789");
	const char *end = text + digits;

	if (digits == 0 || digits > DIGITS_MAX)
		return NULL;
	*ret_digits = (int)digits;
	*ret_first = *ret_last = (uint32_t)strtoul(text, NULL, 10);
	if (*end == '-') {
		size_t more = strspn(end + 1, "0123456789");

		if (more == 0 || more > DIGITS_MAX)
			return NULL;
		*ret_last = (uint32_t)strtoul(end + 1, NULL, 10);
		end += 1 + more;
	}
	return *ret_last >= *ret_first && (*end == ',' || *end == ']') ? end : NULL;
}

/* Writes the ranges of @name out. Returns 0, -ENOMEM, -E2BIG, or -EINVAL: one of them is none. */
static int names_expand(struct names *names, const char *name)
{
	size_t length;
	const char *open = range_find(name, &length), *at = open;

	if (!open)
		return names_add(names, name);
	do {
		uint32_t first, last;
		int digits, r;

		at = range_parse(at + 1, &first, &last, &digits);
		if (!at)
			return -EINVAL;
		for (uint32_t number = first; number <= last; number++) {
			char one[2 * NAME_SIZE_MAX];

			snprintf(one, sizeof(one), "%.*s%0*u%s", (int)(open - name), name, digits, number,
				 open + length);
			r = names_expand(names, one);
			if (r < 0)
				return r;
		}
	} while (*at == ',');
	return 0;
}

static int name_read(struct ft_key_reader *reader, const struct ft_key_at *at, struct names *names)
{
	const char *name = json_string_value(at->value);
	int r;

	r = ft_key_check_string(reader, at);
	if (r < 0)
		return r;
	if (strlen(name) >= NAME_SIZE_MAX)
		return ft_key_error(reader, at, "is longer than %d bytes", NAME_SIZE_MAX - 1);
	r = names_expand(names, name);
	if (r == -E2BIG)
		return ft_key_error(reader, at, "is more than %d names", NAMES_MAX);
	return r == -EINVAL ? ft_key_error(reader, at, "holds no range of numbers such as [1-3,07-12]") : r;
}

/* A name, or a list of names. */
static int key_names(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct names *names = out;
	int r = 0;

	if (!json_is_array(at->value))
		return name_read(reader, at, names);
	r = ft_key_expect_filled_list(reader, at);
	for (size_t i = 0; r == 0 && i < json_array_size(at->value); i++) {
		struct ft_key_at element = ft_key_element(at, i);

		r = name_read(reader, &element, names);
	}
	return r;
}

/* ---- switches ---- */

struct switches_entry {
	struct names names;
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
	for (size_t i = 0; i < entry->names.count; i++)
		switches[island->switch_count++] =
			(struct ft_island_switch){FT_STEAL(entry->names.name[i]), entry->ports, entry->hosts};
	return 0;
}

/* A name, or {"name", "ports", "hosts"}. */
static int key_switch(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"name", key_names, offsetof(struct switches_entry, names), 0, 0, "the names of the switches"},
		{"ports", ft_key_count, offsetof(struct switches_entry, ports), 1, FT_PORTS_MAX, NULL},
		{"hosts", ft_key_count, offsetof(struct switches_entry, hosts), 0, FT_PORTS_MAX, NULL},
	};
	struct switches_entry entry = {.ports = FT_UNPINNED, .hosts = FT_UNPINNED};
	int r;

	if (json_is_object(at->value))
		r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), &entry);
	else
		r = name_read(reader, at, &entry.names);
	if (r == 0)
		r = switches_take(out, &entry);
	names_release(&entry.names);
	return r;
}

static int key_switches(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	int r = ft_key_expect_filled_list(reader, at);

	return r < 0 ? r : ft_key_read_elements(reader, at, key_switch, 0, out);
}

/* ---- bundles ---- */

struct bundles_entry {
	struct names a, b;
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
			bundle->a = strdup(entry->a.name[i]);
			bundle->b = strdup(entry->b.name[k]);
			if (!bundle->a || !bundle->b)
				return -ENOMEM;
		}
	return 0;
}

static int key_island_bundle(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"a", key_names, offsetof(struct bundles_entry, a), 0, 0, "the switch at one end"},
		{"b", key_names, offsetof(struct bundles_entry, b), 0, 0, "the switch at the other end"},
		{"count", ft_key_count, offsetof(struct bundles_entry, count), 1, FT_PORTS_MAX, NULL},
	};
	struct bundles_entry entry = {.count = 1};
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), &entry);
	if (r == 0)
		r = bundles_take(reader, at, out, &entry);
	names_release(&entry.a);
	names_release(&entry.b);
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
	int r = ft_key_expect_filled_list(reader, at);

	if (r < 0)
		return r;
	design->islands = calloc(json_array_size(at->value), sizeof(*design->islands));
	if (!design->islands)
		return -ENOMEM;
	design->island_count = json_array_size(at->value);
	return ft_key_read_elements(reader, at, key_island, sizeof(*design->islands), design->islands);
}
