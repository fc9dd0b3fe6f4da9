/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The baseline as JSON: four lists, and an entry is a list, too, since a large fabric has tens of thousands. What is in
 * it, and in which order, is told once, in @lists, by which both the writer and the reader go.
 *
 * "plan" is the hash of the plan, where that is known. A switch is written as an index into the first list; of a port,
 * the GUID behind it is that of the node which has the port.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/text.h"
#include "verify/model/baseline.h"

enum { BASELINE_VERSION = 1, PORT_MAX = UINT16_MAX, FIELDS_MAX = 7 };

/* Up to here a double holds every whole number exactly. */
static const int64_t TIME_MAX = INT64_C(1) << 53;

enum field_kind { GUID, NAME, OWNER, PORT, TIME };

struct field {
	enum field_kind kind;
	size_t offset; /* in the entry */
};

struct list {
	const char *key;
	size_t size;		/* of an entry */
	size_t entries, number; /* in the baseline: the list, and how many there are */
	size_t count, least; /* of the fields; earlier versions wrote no more than @least, or, if that is 0, no list */
	struct field fields[FIELDS_MAX];
};

#define LIST(of, plural)                                                                \
#plural, sizeof(struct ft_baseline_##of), offsetof(struct ft_baseline, plural), \
		offsetof(struct ft_baseline, of##_count)
#define FIELD(kind, of, member)                                 \
	{                                                       \
		kind, offsetof(struct ft_baseline_##of, member) \
	}
#define END(of, member) FIELD(OWNER, of, member.owner), FIELD(GUID, of, member.guid), FIELD(PORT, of, member.number)

static const struct list lists[] = {
	{LIST(switch, switches),
	 6,
	 5,
	 {FIELD(GUID, switch, guid), FIELD(NAME, switch, name), FIELD(NAME, switch, planned_as),
	  FIELD(TIME, switch, gone_s), FIELD(TIME, switch, back_s), FIELD(TIME, switch, hosts_back_s)}},
	{LIST(chip, chips),
	 5,
	 0,
	 {FIELD(GUID, chip, guid), FIELD(NAME, chip, name), FIELD(OWNER, chip, owner), FIELD(TIME, chip, gone_s),
	  FIELD(TIME, chip, back_s)}},
	{LIST(cable, cables), 7, 7, {END(cable, ends[0]), END(cable, ends[1]), FIELD(TIME, cable, gone_s)}},
	{LIST(host, hosts),
	 6,
	 6,
	 {FIELD(GUID, host, guid), FIELD(NAME, host, name), END(host, at), FIELD(TIME, host, gone_s)}},
};

/* ---- writing ---- */

/* @index: of the switches, by their GUIDs */
static void field_write(struct ft_text *t, const struct ft_map *index, enum field_kind kind, const void *from)
{
	switch (kind) {
	case GUID:
		ft_text_printf(t, "\"0x%016" PRIx64 "\"", *(const uint64_t *)from);
		break;
	case NAME:
		ft_text_add_json(t, *(char *const *)from);
		break;
	case OWNER:
		ft_text_printf(t, "%u", ft_map_get(index, *(const uint64_t *)from));
		break;
	case PORT:
		ft_text_printf(t, "%u", *(const uint32_t *)from);
		break;
	case TIME:
		ft_text_printf(t, "%" PRId64, *(const int64_t *)from);
		break;
	}
}

static void list_write(struct ft_text *t, const struct ft_baseline *b, const struct list *list,
		       const struct ft_map *index)
{
	const char *entry = *(const char *const *)(const void *)((const char *)b + list->entries);
	uint32_t count = *(const uint32_t *)(const void *)((const char *)b + list->number);

	ft_text_printf(t, ",\n\"%s\": [", list->key);
	for (uint32_t i = 0; i < count; i++, entry += list->size) {
		for (size_t n = 0; n < list->count; n++) {
			ft_text_puts(t, n ? ", " : i ? ",\n[" : "\n[");
			field_write(t, index, list->fields[n].kind, entry + list->fields[n].offset);
		}
		ft_text_puts(t, "]");
	}
	ft_text_puts(t, "]");
}

void ft_baseline_write_json(struct ft_text *t, const struct ft_baseline *b)
{
	_cleanup_(ft_map_release) struct ft_map index = {0};

	for (uint32_t i = 0; i < b->switch_count; i++)
		ft_map_put(&index, b->switches[i].guid, i, &t->failed);
	ft_text_printf(t, "{\"ftcheck_baseline\": %d, \"time\": %" PRId64, BASELINE_VERSION, b->time_s);
	if (b->plan_hash[0])
		ft_text_printf(t, ", \"plan\": \"%s\"", b->plan_hash);
	for (size_t i = 0; i < FT_COUNT(lists); i++)
		list_write(t, b, &lists[i], &index);
	ft_text_puts(t, "}\n");
}

/* ---- reading ---- */

static bool number_read(const json_t *value, int64_t max, int64_t *ret_number)
{
	*ret_number = json_integer_value(value);
	return json_is_integer(value) && *ret_number >= 0 && *ret_number <= max;
}

static bool guid_read(const json_t *value, uint64_t *ret_guid)
{
	enum { DIGITS = 16 };
	const char *string = json_string_value(value);

	if (!string || strncmp(string, "0x", 2) != 0 || strlen(string) != 2 + DIGITS ||
	    strspn(string + 2, "0123456789abcdef") != DIGITS)
		return false;
	*ret_guid = strtoull(string + 2, NULL, 16);
	return true;
}

/* False: it is damaged. Whether memory ran out is asked of @b. */
static bool field_read(struct ft_baseline *b, enum field_kind kind, const json_t *value, void *to)
{
	int64_t number;

	switch (kind) {
	case GUID:
		return guid_read(value, to);
	case NAME:
		if (!json_is_string(value))
			return false;
		/* The file may have been changed: it is made safe once more. */
		*(char **)to = ft_arena_safe(&b->memory, json_string_value(value), json_string_length(value));
		return true;
	case OWNER:
		if (!number_read(value, (int64_t)b->switch_count - 1, &number))
			return false;
		*(uint64_t *)to = b->switches[number].guid;
		return true;
	case PORT:
		if (!number_read(value, PORT_MAX, &number))
			return false;
		*(uint32_t *)to = (uint32_t)number;
		return true;
	case TIME:
		return number_read(value, TIME_MAX, to);
	}
	return false;
}

static bool entry_read(struct ft_baseline *b, const struct list *list, const json_t *row, char *entry)
{
	size_t count = json_array_size(row);
	bool good = count <= list->count && count >= (list->least ? list->least : list->count);

	for (size_t n = 0; good && n < count; n++)
		good = field_read(b, list->fields[n].kind, json_array_get(row, n), entry + list->fields[n].offset);
	return good;
}

static int list_read(const struct ft_json *json, const struct list *list, struct ft_baseline *b, struct ft_error *err)
{
	const json_t *rows = json_object_get(json->root, list->key);
	size_t count = json_array_size(rows);
	char *entries = ft_arena_zeros(&b->memory, count, list->size);

	if (!entries)
		return -ENOMEM;
	*(void **)(void *)((char *)b + list->entries) = entries;
	if (!rows && list->least == 0)
		return 0;
	if (!json_is_array(rows) || count > UINT32_MAX)
		return ft_json_error_value(json, err, json->root, list->key, "\"%s\" is no list", list->key);
	for (size_t i = 0; i < count; i++)
		if (!entry_read(b, list, json_array_get(rows, i), entries + i * list->size))
			return ft_json_error_element(json, err, rows, i, "an entry of \"%s\" is damaged", list->key);
	*(uint32_t *)(void *)((char *)b + list->number) = (uint32_t)count;
	return b->memory.failed ? -ENOMEM : 0;
}

/* Of another form: no plan has it. */
static void plan_read(const struct ft_json *json, struct ft_baseline *b)
{
	const char *hash = json_string_value(json_object_get(json->root, "plan"));

	if (hash && strlen(hash) == sizeof(b->plan_hash) - 1 && strspn(hash, "0123456789abcdef") == strlen(hash))
		memcpy(b->plan_hash, hash, sizeof(b->plan_hash));
}

static int document_read(const struct ft_json *json, struct ft_baseline *b, struct ft_error *err)
{
	int64_t version;
	int r = 0;

	if (!number_read(json_object_get(json->root, "ftcheck_baseline"), BASELINE_VERSION, &version) ||
	    version != BASELINE_VERSION)
		return ft_error_set(err, -EINVAL, 0, 0, "this is no baseline that this version of ftcheck can read");
	if (!number_read(json_object_get(json->root, "time"), TIME_MAX, &b->time_s))
		return ft_error_set(err, -EINVAL, 0, 0, "\"time\" is not what it should be");
	plan_read(json, b);
	for (size_t i = 0; r == 0 && i < FT_COUNT(lists); i++)
		r = list_read(json, &lists[i], b, err);
	/* Earlier versions wrote them as they were recorded. */
	for (uint32_t i = 0; r == 0 && i < b->cable_count; i++)
		ft_baseline_cable_order(&b->cables[i]);
	return r;
}

int ft_baseline_read_json(const char *text, size_t length, struct ft_baseline **ret_baseline, struct ft_error *err)
{
	_cleanup_(ft_json_release) struct ft_json json = {0};
	_cleanup_(ft_baseline_freep) struct ft_baseline *b = calloc(1, sizeof(*b));
	int r = b ? ft_json_read(text, length, &json, err) : -ENOMEM;

	if (r == 0)
		r = document_read(&json, b, err);
	if (r == 0)
		*ret_baseline = FT_STEAL(b);
	return r;
}
