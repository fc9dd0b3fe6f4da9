/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/design/design_parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/plan/name_ranges.h"

enum { NAME_SIZE_MAX = 64 }; /* IBTA Vol 1, NodeDescription: 64 bytes */

static int key_one_rate(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	if (!json_is_string(at->value))
		return ft_key_error(reader, at, "must be a rate such as \"4xHDR\", not %s",
				    ft_key_type_name(at->value));
	if (ft_rate_parse(json_string_value(at->value), out) < 0)
		return ft_key_error(reader, at,
				    "is \"%s\"; a rate is 1x, 2x, 4x, 8x or 12x and SDR, DDR, QDR, FDR10, FDR, "
				    "EDR, HDR, NDR or XDR, such as \"4xHDR\"",
				    json_string_value(at->value));
	return 0;
}

/* One rate or a list of them. */
static int key_rates(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_rates *rates = out;
	size_t count = json_is_array(at->value) ? json_array_size(at->value) : 1;

	if (count == 0)
		return ft_key_error(reader, at, "must name one rate at least");
	rates->rates = calloc(count, sizeof(*rates->rates));
	if (!rates->rates)
		return -ENOMEM;
	rates->count = count;
	if (!json_is_array(at->value))
		return key_one_rate(reader, at, rates->rates);
	return ft_key_read_elements(reader, at, key_one_rate, sizeof(*rates->rates), rates->rates);
}

int ft_design_read_rates(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_rates *ret_uplink,
			 struct ft_rates *ret_host)
{
	struct both {
		struct ft_rates uplink, host;
	} both = {0};
	static const struct ft_key keys[] = {
		{"uplink", key_rates, offsetof(struct both, uplink), 0, 0, NULL},
		{"host", key_rates, offsetof(struct both, host), 0, 0, NULL},
	};
	int r;

	if (json_is_object(at->value)) {
		r = ft_key_read_object(reader, at->value, keys, FT_COUNT(keys), &both);
		*ret_uplink = both.uplink;
		*ret_host = both.host;
		return r;
	}
	if (!json_is_string(at->value))
		return ft_key_error(reader, at,
				    "must be a rate such as \"4xHDR\", or an object of \"uplink\" and \"host\"");
	r = key_rates(reader, at, ret_uplink);
	if (r < 0)
		return r;
	return key_rates(reader, at, ret_host);
}

int ft_design_key_rate(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;

	return ft_design_read_rates(reader, at, &design->uplink_rates, &design->host_rates);
}

int ft_design_read_pattern(struct ft_key_reader *reader, const struct ft_key_at *at, ft_pattern_compiler *compile,
			   struct ft_pattern **ret_pattern)
{
	struct ft_error why = {0};
	int r;

	r = ft_key_check_string(reader, at);
	if (r < 0)
		return r;
	if (json_string_length(at->value) > FT_PATTERN_SIZE_MAX)
		return ft_key_error(reader, at, "is a pattern of more than %d bytes", FT_PATTERN_SIZE_MAX);
	r = compile(json_string_value(at->value), ret_pattern, &why);
	if (r == -EINVAL)
		return ft_key_error(reader, at, "is not an extended regular expression: %s", why.text);
	return r;
}

static int key_pattern(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	return ft_design_read_pattern(reader, at, ft_pattern_compile, out);
}

/* "0x" and one to sixteen digits, not zero. */
static int guid_parse(const char *string, uint64_t *ret_guid)
{
	size_t digits;

	if (string[0] != '0' || string[1] != 'x')
		return -EINVAL;
	digits = strspn(string + 2, "0123456789abcdefABCDEF");
	if (digits < 1 || digits > 16 || string[2 + digits])
		return -EINVAL;
	*ret_guid = strtoull(string + 2, NULL, 16);
	return *ret_guid ? 0 : -EINVAL;
}

/* One string of the list: a GUID, or a name, which may hold ranges of numbers. */
static int bind_names_read(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_name_ranges *names)
{
	size_t i = names->count;
	uint64_t guid;
	int r;

	r = ft_name_ranges_read(reader, at, names);
	if (r < 0)
		return r;
	for (; i < names->count; i++) {
		if (strlen(names->names[i]) > NAME_SIZE_MAX)
			return ft_key_error(reader, at, "is longer than the %d bytes of a node description",
					    NAME_SIZE_MAX);
		if (strncmp(names->names[i], "0x", 2) == 0 && guid_parse(names->names[i], &guid) < 0)
			return ft_key_error(reader, at,
					    "is \"%s\", which is not a GUID: 0x and up to 16 hexadecimal digits",
					    names->names[i]);
	}
	return 0;
}

/* Where a switch was bound before, for the check on duplicates. */
struct bound {
	const struct ft_bind *bind;
	size_t index;
};

static int bound_compare(const void *one, const void *other)
{
	const struct bound *a = one, *b = other;
	uint64_t guid_a = a->bind->guids[a->index], guid_b = b->bind->guids[b->index];

	if (guid_a != guid_b)
		return guid_a < guid_b ? -1 : 1;
	return guid_a ? 0 : strcmp(a->bind->names[a->index], b->bind->names[b->index]);
}

/* The element of the list @value that holds the name at @index. */
static size_t element_of(const json_t *value, size_t index)
{
	_cleanup_(ft_name_ranges_release) struct ft_name_ranges names = {.max = FT_SWITCHES_MAX};
	size_t element = 0;

	while (element < json_array_size(value)) {
		if (ft_name_ranges_add(&names, json_string_value(json_array_get(value, element))) < 0 ||
		    names.count > index)
			break;
		element++;
	}
	return element;
}

/* Two planned switches bound to one live one, in a tier or across tiers, can never be right. */
static int binds_check(const struct ft_key_reader *reader, const json_t *binds,
		       const struct ft_bind bind[FT_TIER_COUNT])
{
	_cleanup_free_ struct bound *bound = NULL;
	size_t count = 0, n = 0;

	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		count += bind[tier].count;
	bound = calloc(count + 1, sizeof(*bound));
	if (!bound)
		return -ENOMEM;
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		for (size_t i = 0; i < bind[tier].count; i++)
			bound[n++] = (struct bound){&bind[tier], i};
	qsort(bound, count, sizeof(*bound), bound_compare);
	for (size_t i = 1; i < count; i++) {
		/* Blame the later one in the plan's order. */
		const struct bound *first = &bound[i - 1], *second = &bound[i];
		const json_t *list;

		if (bound_compare(first, second) != 0)
			continue;
		if (first->bind > second->bind || (first->bind == second->bind && first->index > second->index))
			second = first;
		list = json_object_get(binds, ft_tier_name((enum ft_tier)(second->bind - bind)));
		return ft_json_error_element(&reader->json, reader->err, list, element_of(list, second->index),
					     "\"%s\" is bound twice", second->bind->names[second->index]);
	}
	return 0;
}

static int key_bind_tier(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {{"match", key_pattern, offsetof(struct ft_bind, match), 0, 0, NULL}};
	_cleanup_(ft_name_ranges_release) struct ft_name_ranges names = {.max = FT_SWITCHES_MAX};
	struct ft_bind *bind = out;
	int r = 0;

	if (json_is_object(at->value) && json_object_size(at->value) > 0)
		return ft_key_read_object(reader, at->value, keys, FT_COUNT(keys), bind);
	if (!json_is_array(at->value) || json_array_size(at->value) == 0)
		return ft_key_error(reader, at, "must be a list of names or 0x GUIDs, or {\"match\": PATTERN}");
	for (size_t i = 0; r == 0 && i < json_array_size(at->value); i++) {
		struct ft_key_at element = ft_key_element(at, i);

		r = bind_names_read(reader, &element, &names);
	}
	if (r < 0)
		return r;
	bind->guids = calloc(names.count, sizeof(*bind->guids));
	if (!bind->guids)
		return -ENOMEM;
	bind->names = FT_STEAL(names.names);
	bind->count = names.count;
	names.count = 0;
	for (size_t i = 0; i < bind->count; i++)
		if (strncmp(bind->names[i], "0x", 2) == 0)
			guid_parse(bind->names[i], &bind->guids[i]);
	return 0;
}

int ft_design_key_bind(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"edge", key_bind_tier, FT_TIER_EDGE * sizeof(struct ft_bind), 0, 0, NULL},
		{"spine", key_bind_tier, FT_TIER_SPINE * sizeof(struct ft_bind), 0, 0, NULL},
		{"core", key_bind_tier, FT_TIER_CORE * sizeof(struct ft_bind), 0, 0, NULL},
	};
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
	if (r < 0)
		return r;
	return binds_check(reader, at->value, out);
}

static int key_hosts_down(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	/* The row's bounds are those of the number. */
	static const struct ft_key name = {"hosts_down", ft_key_string, 0, 0, 0, NULL};
	struct ft_expect *expect = out;
	struct ft_key_at names = *at;
	size_t count = json_array_size(at->value);

	if (json_is_integer(at->value))
		return ft_key_count(reader, at, &expect->hosts_down);
	if (!json_is_array(at->value))
		return ft_key_error(reader, at, "must be a number of hosts or a list of their names, not %s",
				    ft_key_type_name(at->value));
	expect->hosts_down_names = calloc(count + 1, sizeof(*expect->hosts_down_names));
	expect->hosts_down_lines = calloc(count + 1, sizeof(*expect->hosts_down_lines));
	if (!expect->hosts_down_names || !expect->hosts_down_lines)
		return -ENOMEM;
	expect->hosts_down_name_count = count;
	expect->hosts_down = (uint32_t)count;
	ft_json_element_lines(&reader->json, at->value, expect->hosts_down_lines);
	names.rule = &name;
	return ft_key_read_elements(reader, &names, ft_key_string, sizeof(*expect->hosts_down_names),
				    expect->hosts_down_names);
}

static bool is_empty_list(const json_t *value)
{
	return json_is_array(value) && json_array_size(value) == 0;
}

static int key_unplanned(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_expect *expect = out;

	if (is_empty_list(at->value))
		return 0;
	return ft_key_read_list(reader, at, key_pattern, sizeof(struct ft_pattern *), &expect->unplanned,
				&expect->unplanned_count);
}

bool ft_day_is_real(const char *date)
{
	static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year, month, day;
	bool leap;

	for (int i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? date[i] != '-' : !isdigit((unsigned char)date[i]))
			return false;
	if (date[10])
		return false;
	year = atoi(date);
	month = atoi(date + 5);
	day = atoi(date + 8);
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > days[month - 1])
		return false;
	leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return month != 2 || day < 29 || leap;
}

int ft_design_key_date(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	const char *date = json_string_value(at->value);

	if (!date)
		return ft_key_error(reader, at, "must be a date such as \"2026-12-31\", not %s",
				    ft_key_type_name(at->value));
	if (!ft_day_is_real(date))
		return ft_key_error(reader, at, "is \"%s\", which is no day of the calendar (YYYY-MM-DD)", date);
	memcpy(out, date, sizeof(((struct ft_waiver *)NULL)->until));
	return 0;
}

static int key_waiver(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"id", ft_key_string, offsetof(struct ft_waiver, id), 0, 0, NULL},
		{"until", ft_design_key_date, offsetof(struct ft_waiver, until), 0, 0, NULL},
		{"why", ft_key_string, offsetof(struct ft_waiver, why), 0, 0, NULL},
	};
	struct ft_waiver *waiver = out;
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), waiver);
	if (r < 0)
		return r;
	if (!waiver->id)
		return ft_key_error(reader, at, "lacks \"id\": the id of the finding, as ftcheck prints it");
	if (!waiver->why)
		waiver->why = strdup("");
	return waiver->why ? 0 : -ENOMEM;
}

static int key_waive(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_expect *expect = out;

	if (is_empty_list(at->value))
		return 0;
	return ft_key_read_list(reader, at, key_waiver, sizeof(*expect->waivers), &expect->waivers,
				&expect->waiver_count);
}

int ft_design_key_expect(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"hosts_down", key_hosts_down, 0, 0, FT_NODES_MAX, NULL},
		{"unplanned", key_unplanned, 0, 0, 0, NULL},
		{"waive", key_waive, 0, 0, 0, NULL},
	};

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}
