/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Logs what standard input says, one JSON object a line; prints what came of each.
 *
 *     {"log": PRIORITY, "text": …}
 *     {"event": 0..2, "seq", "id", "code", "severity": 0..2, "text", "fix", "name", "guid", "port", "finding",
 * "wall_ms", "raised_ms", "duration_ms", "fabric", "instance"}; with "long": that many bytes as its finding
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "daemon/log.h"

static char *string_of(const json_t *row, const char *key)
{
	const char *value = json_string_value(json_object_get(row, key));

	return value ? strdup(value) : NULL;
}

static int64_t number_of(const json_t *row, const char *key)
{
	return json_integer_value(json_object_get(row, key));
}

static char *long_finding(size_t length)
{
	char *text = malloc(length + 1);

	if (text) {
		memset(text, 'x', length);
		text[length] = '\0';
	}
	return text;
}

static int log_event(const json_t *row)
{
	int64_t length = number_of(row, "long");
	_cleanup_free_ char *id = string_of(row, "id"), *code = string_of(row, "code"), *text = string_of(row, "text"),
			    *fix = string_of(row, "fix"), *name = string_of(row, "name"),
			    *finding = length ? long_finding((size_t)length) : string_of(row, "finding"),
			    *fabric = string_of(row, "fabric"), *instance = string_of(row, "instance");
	const struct ft_event event = {
		.seq = (uint64_t)number_of(row, "seq"),
		.kind = (enum ft_event_kind)number_of(row, "event"),
		.wall_ms = number_of(row, "wall_ms"),
		.raised_ms = number_of(row, "raised_ms"),
		.duration_ms = number_of(row, "duration_ms"),
		.id = id,
		.code = code,
		.severity = (enum ft_severity)number_of(row, "severity"),
		.text = text,
		.fix = fix,
		.place = {.name = name,
			  .guid = (uint64_t)number_of(row, "guid"),
			  .port = (uint32_t)number_of(row, "port")},
		.finding = finding,
	};

	return ft_log_alert(&event, fabric ? fabric : "", instance ? instance : "");
}

int main(void)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		json_t *row = json_loads(line, 0, NULL);
		int ret = 0;

		if (!row)
			return 99;
		if (json_object_get(row, "log"))
			ft_log((int)number_of(row, "log"), "%s", json_string_value(json_object_get(row, "text")));
		else
			ret = log_event(row);
		printf("%s\n", ret == 0 ? "0" : strerrorname_np(-ret));
		fflush(stdout);
		json_decref(row);
	}
	return 0;
}
