/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "planner/design/only.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

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
