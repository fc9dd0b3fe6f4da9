/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/defaults.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

/* ---- the only design ---- */

/* The most files that a message lists. */
enum { LISTED_MAX = 8 };

/* Whether it is a design, or may be one. */
static bool may_be_design(const char *path)
{
	_cleanup_(ft_json_release) struct ft_json json = {0};
	_cleanup_free_ char *text = NULL;
	size_t length;

	if (ft_file_read(path, 0, &text, &length, NULL) < 0 || ft_json_read(text, length, &json, NULL) < 0)
		return true;
	return json_is_object(json.root) && json_object_get(json.root, "ftcheck");
}

static int several_error(const char *directory, const char *const *paths, size_t count, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text names = {0};

	for (size_t i = 0; i < count && i < LISTED_MAX; i++)
		ft_text_printf(&names, "%s%s", i > 0 ? ", " : "", strrchr(paths[i], '/') + 1);
	ft_text_more(&names, count, LISTED_MAX);
	if (ft_text_failed(&names))
		return -ENOMEM;
	return ft_error_set(err, -ENOTUNIQ, 0, 0, "--plan FILE is missing, and there are several designs in %s: %s",
			    directory, ft_text_string(&names));
}

static int choose(const char *directory, const glob_t *found, char **ret_path, struct ft_error *err)
{
	_cleanup_free_ const char **paths = calloc(found->gl_pathc + 1, sizeof(*paths));
	size_t count = 0;

	if (!paths)
		return -ENOMEM;
	for (size_t i = 0; i < found->gl_pathc; i++)
		if (may_be_design(found->gl_pathv[i]))
			paths[count++] = found->gl_pathv[i];
	if (count == 0)
		return ft_error_set(err, -ENOENT, 0, 0, "--plan FILE is missing, and there is no design in %s",
				    directory);
	if (count > 1)
		return several_error(directory, paths, count, err);
	*ret_path = strdup(paths[0]);
	return *ret_path ? 0 : -ENOMEM;
}

int ft_plan_default(const char *directory, char **ret_path, struct ft_error *err)
{
	_cleanup_free_ char *pattern = NULL;
	glob_t found = {0};
	int r;

	if (asprintf(&pattern, "%s/*.json", directory) < 0) {
		pattern = NULL;
		return -ENOMEM;
	}
	r = glob(pattern, 0, NULL, &found);
	r = r == GLOB_NOSPACE ? -ENOMEM : choose(directory, &found, ret_path, err);
	globfree(&found);
	return r;
}

/* ---- the configuration of infiniband-diags ---- */

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
