/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The forms in which lldpcli prints neighbours: see lldp.h. */
#include "config.h"

#include "probe/lldp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/interface.h"
#include "base/json.h"
#include "probe/lldp_parts.h"

int ft_lldp_new(struct ft_lldp **ret_lldp)
{
	_cleanup_(ft_lldp_freep) struct ft_lldp *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	ft_text_add(&l->arena, "", 1);
	if (ft_text_failed(&l->arena))
		return -ENOMEM;
	*ret_lldp = FT_STEAL(l);
	return 0;
}

void ft_lldp_free(struct ft_lldp *l)
{
	if (!l)
		return;
	ft_text_release(&l->arena);
	ft_map_release(&l->machine_by_key);
	ft_map_release(&l->port_by_key);
	free(l->heard);
	free(l->records);
	free(l->machines);
	free(l->ports);
	free(l);
}

int ft_lldp_reserve(void *array, uint32_t count, uint32_t *size, size_t element)
{
	void **data = array, *more;
	uint32_t wanted = *size ? *size * 2 : 64;

	if (count < *size)
		return 0;
	more = wanted > *size ? reallocarray(*data, wanted, element) : NULL;
	if (!more)
		return -ENOMEM;
	*data = more;
	*size = wanted;
	return 0;
}

int ft_lldp_string_add(struct ft_lldp *l, const char *string, uint32_t *ret_offset)
{
	size_t length = string ? strnlen(string, FT_LLDP_STRING_MAX) : 0;
	size_t offset = l->arena.length;

	*ret_offset = 0;
	if (length == 0)
		return 0;
	if (offset > INT32_MAX)
		return -EFBIG;
	ft_text_add(&l->arena, string, length);
	ft_text_add(&l->arena, "", 1);
	if (ft_text_failed(&l->arena))
		return -ENOMEM;
	*ret_offset = (uint32_t)offset;
	return 0;
}

/* ---- what the forms have in common ---- */

static const char *const watched[] = {"lldp-added", "lldp-updated", "lldp-deleted"};

static size_t blanks_skip(const char *text, size_t length, size_t i)
{
	while (i < length && text[i] && strchr(" \t\r\n", text[i]))
		i++;
	return i;
}

/* The first key of an object, or of the first one of an array, between @ret_at and the end returned; NULL: no key. */
static const char *first_key(const char *text, size_t length, const char **ret_at)
{
	size_t i = blanks_skip(text, length, ft_text_mark(text, length));

	if (i < length && text[i] == '[')
		i = blanks_skip(text, length, i + 1);
	if (i == length || text[i++] != '{')
		return NULL;
	i = blanks_skip(text, length, i);
	if (i == length || text[i++] != '"')
		return NULL;
	*ret_at = text + i;
	return memchr(text + i, '"', length - i);
}

bool ft_lldp_is(const char *text, size_t length)
{
	static const char *const keys[] = {"lldp", "machine", "lldp-added", "lldp-updated", "lldp-deleted"};
	const char *at = NULL, *end = first_key(text, length, &at);

	for (size_t i = 0; end && i < FT_COUNT(keys); i++)
		if ((size_t)(end - at) == strlen(keys[i]) && memcmp(at, keys[i], strlen(keys[i])) == 0)
			return true;
	return false;
}

int ft_lldp_machine(const char *path, char **ret_machine)
{
	static const char *const endings[] = {".gz", ".json", ".json0", ".lldp"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strlen(name);
	char *machine;

	if (strcmp(path, "-") == 0) {
		*ret_machine = NULL;
		return 0;
	}
	for (size_t i = 0; i < FT_COUNT(endings); i++) {
		size_t ending = strlen(endings[i]);

		if (length > ending && memcmp(name + length - ending, endings[i], ending) == 0)
			length -= ending;
	}
	machine = strndup(name, length);
	if (!machine)
		return -ENOMEM;
	*ret_machine = machine;
	return 0;
}

/* "json" has an object where there is one of something, and "json0" always an array. */
static const json_t *one_of(const json_t *value)
{
	return json_is_array(value) ? json_array_get(value, 0) : value;
}

static const json_t *member_of(const json_t *object, const char *key)
{
	return one_of(json_object_get(one_of(object), key));
}

/* The string of "descr": "swp1", or of "descr": [{"value": "swp1"}]; NULL: there is none. */
static const char *string_of(const json_t *value)
{
	value = one_of(value);
	if (json_is_object(value))
		value = one_of(json_object_get(value, "value"));
	return json_string_value(value);
}

static const char *member_string(const json_t *object, const char *key)
{
	return string_of(json_object_get(one_of(object), key));
}

/* "0 day, 00:00:03" in seconds; what has another form is as old as can be. */
static uint32_t age_read(const char *age)
{
	unsigned int days, hours, minutes, seconds;

	if (!age || sscanf(age, "%6u day%*[s,] %2u:%2u:%2u", &days, &hours, &minutes, &seconds) != 4 || days > 36500)
		return UINT32_MAX;
	return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/* Whether a machine says that it is a bridge or router, and that this is switched on. */
static uint8_t role_read(const json_t *capabilities)
{
	size_t count = json_is_array(capabilities) ? json_array_size(capabilities) : json_is_object(capabilities);
	uint8_t role = count ? FT_LLDP_ROLE_STATION : FT_LLDP_ROLE_UNSAID;

	for (size_t i = 0; i < count; i++) {
		const json_t *c = json_is_array(capabilities) ? json_array_get(capabilities, i) : capabilities;
		const char *type = json_string_value(json_object_get(c, "type"));

		if (type && (strcmp(type, "Bridge") == 0 || strcmp(type, "Router") == 0) &&
		    json_is_true(json_object_get(c, "enabled")))
			role = FT_LLDP_ROLE_BRIDGE;
	}
	return role;
}

/* ---- neighbours ---- */

struct reading {
	struct ft_lldp *l;
	const struct ft_json *json;
	struct ft_error *err;
	uint32_t machine_name;
	int64_t time_ns;
};

/*
 * A chassis by itself and its name, if it has any: {"leaf01": {"id": …}} in "json", where one without a name is
 * {"id": {"type": …}}; and {"id": …, "name": …} in "json0".
 */
static const json_t *chassis_open(const json_t *chassis, const char **ret_name)
{
	const json_t *id = member_of(chassis, "id");
	json_t *member;
	const char *key;

	*ret_name = NULL;
	chassis = one_of(chassis);
	if (json_is_object(id) && json_is_string(json_object_get(id, "type"))) {
		*ret_name = member_string(chassis, "name");
		return chassis;
	}
	json_object_foreach((json_t *)(uintptr_t)chassis, key, member) {
		*ret_name = key;
		return one_of(member);
	}
	return chassis;
}

static int chassis_read(const struct reading *r, const json_t *json, struct ft_lldp_heard *heard)
{
	const char *name = NULL;
	const json_t *chassis = chassis_open(json, &name), *id = member_of(chassis, "id");
	const char *type = member_string(id, "type"), *value = member_string(id, "value");
	_cleanup_(ft_text_release) struct ft_text text = {0};
	int e = ft_lldp_string_add(r->l, name, &heard->name);

	heard->role = role_read(json_object_get(chassis, "capability"));
	if (e < 0 || !value || !value[0])
		return e;
	ft_text_printf(&text, "%s %s", type ? type : "", value);
	return ft_text_failed(&text) ? -ENOMEM : ft_lldp_string_add(r->l, ft_text_string(&text), &heard->chassis);
}

/* The name of a port, or what may be one, without a logical unit on it. */
static int interface_add(struct ft_lldp *l, const char *name, uint32_t *ret_offset)
{
	char copy[FT_LLDP_STRING_MAX + 1] = "";
	size_t length = name ? ft_interface_port_length(name) : 0;

	if (length > FT_LLDP_STRING_MAX)
		length = FT_LLDP_STRING_MAX;
	if (length > 0)
		memcpy(copy, name, length);
	return ft_lldp_string_add(l, copy, ret_offset);
}

static int port_read(const struct reading *r, const json_t *port, struct ft_lldp_heard *heard)
{
	const json_t *id = member_of(port, "id");
	const char *type = member_string(id, "type");
	int e = interface_add(r->l, member_string(id, "value"), &heard->port_id);

	heard->by_name = type && strcmp(type, "ifname") == 0;
	return e < 0 ? e : interface_add(r->l, member_string(port, "descr"), &heard->description);
}

/* One neighbour on the interface @name. What says neither who nor where it is tells nothing. */
static int heard_read(const struct reading *r, const char *name, const json_t *json)
{
	struct ft_lldp *l = r->l;
	struct ft_lldp_heard heard = {.machine_name = r->machine_name,
				      .age_s = age_read(member_string(json, "age")),
				      .port = FT_LLDP_NONE,
				      .far_port = FT_LLDP_NONE};
	const char *via = member_string(json, "via");
	int e;

	if (l->heard_count == FT_LLDP_HEARD_MAX)
		return ft_error_set(r->err, -EFBIG, 0, 0, "more than %d neighbours", FT_LLDP_HEARD_MAX);
	heard.foreign = via && strcmp(via, "LLDP") != 0;
	e = interface_add(l, name, &heard.interface);
	if (e == 0)
		e = chassis_read(r, json_object_get(json, "chassis"), &heard);
	if (e == 0)
		e = port_read(r, json_object_get(json, "port"), &heard);
	if (e == 0)
		e = ft_lldp_reserve(&l->heard, l->heard_count, &l->heard_size, sizeof(*l->heard));
	if (e == 0 && heard.interface && (heard.name || heard.chassis))
		l->heard[l->heard_count++] = heard;
	return e;
}

/* {"swp1": {…}}, of "json"; or {"name": "swp1", …}, of "json0". */
static int interface_read(const struct reading *r, const json_t *parent, const char *key, const json_t *json)
{
	const char *name = json_string_value(json_object_get(json, "name"));
	json_t *member;
	int e = 0;

	if (!json_is_object(json))
		return ft_json_error_value(r->json, r->err, parent, key,
					   "an interface with its neighbour was expected");
	if (name)
		return heard_read(r, name, json);
	json_object_foreach((json_t *)(uintptr_t)json, key, member) {
		if (!json_is_object(member))
			return ft_json_error_value(r->json, r->err, json, key,
						   "the neighbour on \"%s\" was expected: chassis and port", key);
		e = heard_read(r, key, member);
		if (e < 0)
			return e;
	}
	return e;
}

static int lldp_read(const struct reading *r, const json_t *root)
{
	const json_t *lldp = one_of(json_object_get(root, "lldp")), *interfaces = json_object_get(lldp, "interface");
	int e = 0;

	if (!json_is_object(lldp))
		return ft_json_error_value(r->json, r->err, root, "lldp",
					   "\"lldp\" is to hold what \"lldpcli show neighbors -f json\" prints");
	if (!interfaces)
		return 0;
	if (!json_is_array(interfaces))
		return interface_read(r, lldp, "interface", interfaces);
	for (size_t i = 0; e == 0 && i < json_array_size(interfaces); i++)
		e = interface_read(r, lldp, "interface", json_array_get(interfaces, i));
	return e;
}

static int watched_refuse(const struct reading *r, const json_t *root)
{
	for (size_t i = 0; i < FT_COUNT(watched); i++)
		if (json_object_get(root, watched[i]))
			return ft_json_error_key(r->json, r->err, root, watched[i],
						 "this is one change, as \"lldpcli watch\" prints it; record with "
						 "\"lldpcli show neighbors -f json\"");
	return 0;
}

/* One object: a file, a line, or one of several. */
static int root_read(struct reading *r, const json_t *root, const char *machine)
{
	const json_t *said = json_object_get(root, "machine");
	struct ft_lldp *l = r->l;
	int e = watched_refuse(r, root);

	if (e < 0)
		return e;
	if (said && (!json_is_string(said) || !json_string_value(said)[0]))
		return ft_json_error_value(r->json, r->err, root, "machine", "\"machine\" is to be the machine's name");
	machine = said ? json_string_value(said) : machine;
	if (!machine || !machine[0])
		return ft_json_error_key(r->json, r->err, root, NULL,
					 "whose neighbours are these? Name the file after the machine, or begin with "
					 "{\"machine\": NAME, \"lldp\": …}");
	if (!json_object_get(root, "lldp"))
		return ft_json_error_key(r->json, r->err, root, NULL,
					 "\"lldp\" is missing: what \"lldpcli show neighbors -f json\" prints");
	e = ft_lldp_reserve(&l->records, l->record_count, &l->record_size, sizeof(*l->records));
	if (e == 0)
		e = ft_lldp_string_add(l, machine, &r->machine_name);
	if (e < 0)
		return e;
	l->records[l->record_count++] = (struct ft_lldp_record){r->machine_name, r->time_ns};
	return lldp_read(r, root);
}

/* The elements of an array, as "jq -s" makes of several objects: each says whose it is. */
static int array_read(struct reading *r)
{
	int e = json_array_size(r->json->root) ? 0 : ft_error_set(r->err, -EINVAL, 1, 1, "an object was expected");

	for (size_t i = 0; e == 0 && i < json_array_size(r->json->root); i++) {
		const json_t *element = json_array_get(r->json->root, i);

		e = json_is_object(element)
			    ? root_read(r, element, NULL)
			    : ft_json_error_value(r->json, r->err, r->json->root, NULL,
						  "objects with \"machine\" and \"lldp\" were expected");
	}
	return e;
}

static int value_add(struct ft_lldp *l, const char *text, size_t length, const char *machine, int64_t time_ns,
		     struct ft_error *err)
{
	struct ft_json json = {0};
	struct reading reading = {.l = l, .json = &json, .err = err, .time_ns = time_ns};
	int e = ft_json_read(text, length, &json, err);

	if (e < 0)
		return e;
	if (json_is_array(json.root))
		e = array_read(&reading);
	else if (json_is_object(json.root))
		e = root_read(&reading, json.root, machine);
	else
		e = ft_error_set(err, -EINVAL, 1, 1, "an object was expected");
	ft_json_release(&json);
	return e;
}

/*
 * Where the object or array at @at ends: behind the bracket that closes it, or at @end. Brackets in strings do not
 * count; whether they match is told by whoever reads it.
 */
static const char *value_end(const char *at, const char *end)
{
	size_t depth = 0;
	bool in_string = false;

	if (at == end || (*at != '{' && *at != '['))
		return end;
	for (; at < end; at++) {
		if (*at == '\\' && in_string)
			at += at + 1 < end;
		else if (*at == '"')
			in_string = !in_string;
		else if (!in_string && (*at == '{' || *at == '['))
			depth++;
		else if (!in_string && (*at == '}' || *at == ']') && --depth == 0)
			return at + 1;
	}
	return end;
}

/* Whether a text is several values, and each is a line of its own: then an unfinished one ends with its line. */
static bool is_lines(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));

	return newline && value_end(text, end) <= newline;
}

static unsigned int lines_count(const char *at, const char *end)
{
	unsigned int count = 0;

	for (; at < end; at++)
		count += *at == '\n';
	return count;
}

/*
 * A value, or several one after the other, on lines of their own or not. @machine is whose the only one is. O(length)
 */
static int file_add(struct ft_lldp *l, const char *text, size_t length, const char *machine, int64_t time_ns,
		    struct ft_error *err)
{
	const char *end = text + length, *at = text + ft_text_mark(text, length), *stop;
	bool lines, several = false;
	unsigned int line = 1;
	int e = 0;

	at += blanks_skip(at, (size_t)(end - at), 0);
	stop = value_end(at, end);
	several = blanks_skip(stop, (size_t)(end - stop), 0) < (size_t)(end - stop);
	if (!several)
		return value_add(l, text, length, machine, time_ns, err);
	lines = is_lines(at, end);
	line += lines_count(text, at);
	while (e == 0 && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *next;
		_cleanup_free_ char *copy = NULL;

		stop = lines ? newline ? newline : end : value_end(at, end);
		copy = ft_memory_copy(at, (size_t)(stop - at));
		if (!copy)
			return -ENOMEM;
		copy[stop - at] = '\0';
		e = value_add(l, copy, (size_t)(stop - at), NULL, time_ns, err);
		if (e < 0 && err && err->line > 0)
			err->line += line - 1;
		next = stop + blanks_skip(stop, (size_t)(end - stop), 0);
		line += lines_count(at, next);
		at = next;
	}
	return e;
}

int ft_lldp_add_at(struct ft_lldp *l, const char *text, size_t length, const char *machine, int64_t time_ns,
		   struct ft_error *err)
{
	uint32_t heard_count = l->heard_count, record_count = l->record_count;
	int e = file_add(l, text, length, machine, time_ns, err);

	if (e < 0) {
		l->heard_count = heard_count;
		l->record_count = record_count;
	}
	return e;
}
