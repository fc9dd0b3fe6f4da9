/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The baseline as JSON. An entry is a list, since a large fabric has tens of thousands:
 *
 *     switches  [GUID, name, planned_as, gone, back, hosts back]
 *     chips     [GUID, name, switch, gone, back]
 *     cables    [switch, GUID, port, switch, GUID, port, gone]
 *     hosts     [GUID, name, switch, GUID, port, gone]
 *
 * "plan" is the hash of the plan, where that is known. "switch" is an index into the first list, and the GUID behind it
 * that of the node which has the port.
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

enum { BASELINE_VERSION = 1, PORT_MAX = UINT16_MAX };

/* Up to here a double holds every whole number exactly. */
static const int64_t TIME_MAX = INT64_C(1) << 53;

/* ---- writing ---- */

static void port_write(struct ft_text *t, const struct ft_map *index, const struct ft_baseline_port *port)
{
	ft_text_printf(t, "%u, \"0x%016" PRIx64 "\", %u", ft_map_get(index, port->owner), port->guid, port->number);
}

static void row_begin(struct ft_text *t, uint32_t i)
{
	ft_text_puts(t, i ? ",\n[" : "\n[");
}

void ft_baseline_write_json(struct ft_text *t, const struct ft_baseline *b)
{
	_cleanup_(ft_map_release) struct ft_map index = {0};

	for (uint32_t i = 0; i < b->switch_count; i++)
		if (ft_map_add(&index, b->switches[i].guid, i, NULL) < 0)
			t->failed = true;
	ft_text_printf(t, "{\"ftcheck_baseline\": %d, \"time\": %" PRId64, BASELINE_VERSION, b->time_s);
	if (b->plan_hash[0])
		ft_text_printf(t, ", \"plan\": \"%s\"", b->plan_hash);
	ft_text_puts(t, ",\n\"switches\": [");
	for (uint32_t i = 0; i < b->switch_count; i++) {
		const struct ft_baseline_switch *sw = &b->switches[i];

		row_begin(t, i);
		ft_text_printf(t, "\"0x%016" PRIx64 "\", ", sw->guid);
		ft_text_add_json(t, sw->name);
		ft_text_puts(t, ", ");
		ft_text_add_json(t, sw->planned_as);
		ft_text_printf(t, ", %" PRId64 ", %" PRId64 ", %" PRId64 "]", sw->gone_s, sw->back_s, sw->hosts_back_s);
	}
	ft_text_puts(t, "],\n\"chips\": [");
	for (uint32_t i = 0; i < b->chip_count; i++) {
		const struct ft_baseline_chip *chip = &b->chips[i];

		row_begin(t, i);
		ft_text_printf(t, "\"0x%016" PRIx64 "\", ", chip->guid);
		ft_text_add_json(t, chip->name);
		ft_text_printf(t, ", %u, %" PRId64 ", %" PRId64 "]", ft_map_get(&index, chip->owner), chip->gone_s,
			       chip->back_s);
	}
	ft_text_puts(t, "],\n\"cables\": [");
	for (uint32_t i = 0; i < b->cable_count; i++) {
		row_begin(t, i);
		port_write(t, &index, &b->cables[i].ends[0]);
		ft_text_puts(t, ", ");
		port_write(t, &index, &b->cables[i].ends[1]);
		ft_text_printf(t, ", %" PRId64 "]", b->cables[i].gone_s);
	}
	ft_text_puts(t, "],\n\"hosts\": [");
	for (uint32_t i = 0; i < b->host_count; i++) {
		row_begin(t, i);
		ft_text_printf(t, "\"0x%016" PRIx64 "\", ", b->hosts[i].guid);
		ft_text_add_json(t, b->hosts[i].name);
		ft_text_puts(t, ", ");
		port_write(t, &index, &b->hosts[i].at);
		ft_text_printf(t, ", %" PRId64 "]", b->hosts[i].gone_s);
	}
	ft_text_puts(t, "]}\n");
}

/* ---- reading ---- */

/* Elements of a row, one after the other. */
struct row {
	const json_t *list;
	size_t next;
	bool damaged, out_of_memory;
	const struct ft_baseline *b;
};

static const json_t *row_take(struct row *row)
{
	return json_array_get(row->list, row->next++);
}

static int64_t row_number(struct row *row, int64_t max)
{
	const json_t *value = row_take(row);
	int64_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < 0 || number > max) {
		row->damaged = true;
		return 0;
	}
	return number;
}

static uint64_t row_guid(struct row *row)
{
	enum { DIGITS = 16 };
	const char *string = json_string_value(row_take(row));

	if (!string || strncmp(string, "0x", 2) != 0 || strlen(string) != 2 + DIGITS ||
	    strspn(string + 2, "0123456789abcdef") != DIGITS) {
		row->damaged = true;
		return 0;
	}
	return strtoull(string + 2, NULL, 16);
}

/* The file may have been changed: it is made safe once more. */
static char *row_string(struct row *row)
{
	const json_t *value = row_take(row);
	char *safe =
		json_is_string(value) ? ft_text_safe_dup(json_string_value(value), json_string_length(value)) : NULL;

	row->damaged |= !json_is_string(value);
	row->out_of_memory |= json_is_string(value) && !safe;
	return safe;
}

static int64_t row_time(struct row *row)
{
	return row_number(row, TIME_MAX);
}

/* The GUID of a switch, by its number in the list. */
static uint64_t row_owner(struct row *row)
{
	int64_t sw = row_number(row, UINT32_MAX);

	if (sw < row->b->switch_count)
		return row->b->switches[sw].guid;
	row->damaged = true;
	return 0;
}

static struct ft_baseline_port row_port(struct row *row)
{
	struct ft_baseline_port port = {0};

	/* As statements: the order of evaluation in an initializer is unspecified. */
	port.owner = row_owner(row);
	port.guid = row_guid(row);
	port.number = (uint32_t)row_number(row, PORT_MAX);
	return port;
}

static void switch_read(struct row *row, void *to)
{
	struct ft_baseline_switch *sw = to;

	sw->guid = row_guid(row);
	sw->name = row_string(row);
	sw->planned_as = row_string(row);
	sw->gone_s = row_time(row);
	sw->back_s = row_time(row);
	/* Earlier versions did not write it. */
	sw->hosts_back_s = row->next < json_array_size(row->list) ? row_time(row) : 0;
}

static void chip_read(struct row *row, void *to)
{
	struct ft_baseline_chip *chip = to;

	chip->guid = row_guid(row);
	chip->name = row_string(row);
	chip->owner = row_owner(row);
	chip->gone_s = row_time(row);
	chip->back_s = row_time(row);
}

static void cable_read(struct row *row, void *to)
{
	struct ft_baseline_cable *cable = to;

	cable->ends[0] = row_port(row);
	cable->ends[1] = row_port(row);
	cable->gone_s = row_time(row);
	/* Earlier versions wrote them as they were recorded. */
	ft_baseline_cable_order(cable);
}

static void host_read(struct row *row, void *to)
{
	struct ft_baseline_host *host = to;

	host->guid = row_guid(row);
	host->name = row_string(row);
	host->at = row_port(row);
	host->gone_s = row_time(row);
}

/* Allocations are released with the baseline in any case. */
static int list_read(const struct ft_json *json, const char *key, size_t size, void (*entry_read)(struct row *, void *),
		     const struct ft_baseline *b, void **ret_list, uint32_t *ret_count, struct ft_error *err)
{
	const json_t *list = json_object_get(json->root, key);
	size_t count = json_array_size(list);
	char *entries = calloc(count + 1, size);

	if (!entries)
		return -ENOMEM;
	*ret_list = entries;
	if (!json_is_array(list) || count > UINT32_MAX)
		return ft_json_error_value(json, err, json->root, key, "\"%s\" is no list", key);
	for (size_t i = 0; i < count; i++) {
		struct row row = {.list = json_array_get(list, i), .b = b};

		/* Counted during reading: the owner of a port must be one of the switches before. */
		entry_read(&row, entries + i * size);
		*ret_count = (uint32_t)i + 1;
		if (row.out_of_memory)
			return -ENOMEM;
		if (row.damaged || json_array_size(row.list) != row.next)
			return ft_json_error_element(json, err, list, i, "an entry of \"%s\" is damaged", key);
	}
	return 0;
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
	const json_t *version = json_object_get(json->root, "ftcheck_baseline");
	const json_t *time = json_object_get(json->root, "time");
	int r;

	if (!json_is_integer(version) || json_integer_value(version) != BASELINE_VERSION)
		return ft_error_set(err, -EINVAL, 0, 0, "this is no baseline that this version of ftcheck can read");
	if (!json_is_integer(time) || json_integer_value(time) < 0 || json_integer_value(time) > TIME_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "\"time\" is not what it should be");
	b->time_s = json_integer_value(time);
	plan_read(json, b);
	r = list_read(json, "switches", sizeof(*b->switches), switch_read, b, (void **)&b->switches, &b->switch_count,
		      err);
	/* Earlier versions did not write them. */
	if (r == 0 && json_object_get(json->root, "chips"))
		r = list_read(json, "chips", sizeof(*b->chips), chip_read, b, (void **)&b->chips, &b->chip_count, err);
	if (r == 0)
		r = list_read(json, "cables", sizeof(*b->cables), cable_read, b, (void **)&b->cables, &b->cable_count,
			      err);
	if (r == 0)
		r = list_read(json, "hosts", sizeof(*b->hosts), host_read, b, (void **)&b->hosts, &b->host_count, err);
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
