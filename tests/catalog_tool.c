/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * catalog_tool CATALOG...: reads each, and prints the names and ports of its switches. Exit status 3 and an error line
 * where one cannot be read. For tests/catalog_schema.py.
 */
#include <stdio.h>

#include "planner/plan/catalog.h"

static int show(const char *name)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
	struct ft_error err = {0};

	if (ft_catalog_load(name, &catalog, &err) < 0) {
		fprintf(stderr, "%s:%u:%u: %s\n", name, err.line, err.column, err.text);
		return 3;
	}
	for (size_t i = 0; i < catalog->count; i++)
		printf("%s\t%u\n", catalog->types[i].name, catalog->types[i].ports);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int status = show(argv[i]);

		if (status)
			return status;
	}
	return 0;
}
