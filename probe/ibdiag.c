/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/ibdiag.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "probe/source.h"

enum { SIZE_MAX_BYTES = 1 << 20, TIMEOUT_MAX_MS = 600000, PORT_MAX = 254 };

/* One value while reading, NUL-terminated. */
struct value {
	const char *key;
	const char *text;
	unsigned int line, column;
	struct ft_error *err;
};

static int value_error(const struct value *v, const char *what)
{
	return ft_error_set(v->err, -EINVAL, v->line, v->column, "%s takes %s, not \"%s\"", v->key, what, v->text);
}

/* In any base, as strtoul() detects it: infiniband-diags read it so. */
static int number_read(const struct value *v, unsigned int max, unsigned int *ret, const char *what)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(v->text, &end, 0);
	if (v->text[0] < '0' || v->text[0] > '9' || *end || errno || number > max)
		return value_error(v, what);
	*ret = (unsigned int)number;
	return 0;
}

static int ca_read(const struct value *v, struct ft_ibdiag *to)
{
	if (strlen(v->text) >= sizeof(to->ca))
		return value_error(v, "the name of a channel adapter");
	strcpy(to->ca, v->text);
	return 0;
}

static int port_read(const struct value *v, struct ft_ibdiag *to)
{
	return number_read(v, PORT_MAX, &to->port, "a number from 0 (any) to 254");
}

static int timeout_read(const struct value *v, struct ft_ibdiag *to)
{
	return number_read(v, TIMEOUT_MAX_MS, &to->timeout_ms, "milliseconds from 0 (as usual) to 600000");
}

static int m_key_read(const struct value *v, struct ft_ibdiag *to)
{
	/* The value is secret, so the message does not quote it. */
	if (ft_m_key_read(v->text, &to->m_key) < 0)
		return ft_error_set(v->err, -EINVAL, v->line, v->column,
				    "m_key takes a number of up to 64 bits, such as 0x1234abcd");
	return 0;
}

static const struct {
	const char *key;
	int (*take)(const struct value *v, struct ft_ibdiag *to);
} keys[] = {{"CA", ca_read}, {"Port", port_read}, {"timeout", timeout_read}, {"m_key", m_key_read}};

static const char blanks[] = " \t\r";

/* Strips surrounding blanks, in place. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, blanks);
	length = strlen(text);
	while (length > 0 && strchr(blanks, text[length - 1]))
		text[--length] = '\0';
	return text;
}

static int line_read(char *line, unsigned int number, struct ft_ibdiag *to, struct ft_error *err)
{
	char *equals = strchr(line, '='), *key, *text;

	/* Unknown keys, and lines that infiniband-diags do not understand either, are ignored. */
	if (line[0] == '#' || !equals)
		return 0;
	*equals = '\0';
	key = trim(line);
	text = trim(equals + 1);
	for (size_t i = 0; text[0] && i < FT_COUNT(keys); i++) {
		const struct value value = {key, text, number, (unsigned int)(text - line) + 1, err};

		if (strcmp(key, keys[i].key) == 0)
			return keys[i].take(&value, to);
	}
	return 0;
}

int ft_ibdiag_load(const char *path, struct ft_ibdiag *ret, struct ft_error *err)
{
	struct ft_ibdiag read = {0};
	_cleanup_free_ char *text = NULL;
	unsigned int number = 0;
	char *line, *rest;
	size_t length;
	int r = 0;

	if (!path && access(FT_IBDIAG_CONF, R_OK) < 0) {
		*ret = read;
		return 0;
	}
	path = path ? path : FT_IBDIAG_CONF;
	if (err)
		err->file = path;
	r = ft_file_read(path, SIZE_MAX_BYTES, &text, &length, err);
	rest = r < 0 ? NULL : text;
	while (r == 0 && (line = strsep(&rest, "\n")))
		r = line_read(line, ++number, &read, err);
	if (r == 0)
		*ret = read;
	return r;
}
