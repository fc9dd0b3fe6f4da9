/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A history by hand, for tests and measurements:
 *
 *     archive_tool add DIR LIMIT SECONDS FILE ...    adds the recorded fabrics, each so many seconds since 1970, and
 * one more for each; prints 1 where it was a change, else 0
 *
 * Status 3 and one line on standard error where something failed.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/archive.h"
#include "probe/source.h"

enum { STATUS_USAGE = 2, STATUS_FAILED = 3, FILES_AT = 5 };

int main(int argc, char **argv)
{
	if (argc <= FILES_AT || strcmp(argv[1], "add") != 0) {
		fprintf(stderr, "usage: archive_tool add DIR LIMIT SECONDS FILE ...\n");
		return STATUS_USAGE;
	}
	for (int i = FILES_AT; i < argc; i++) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
		struct ft_error err = {0};
		int r = ft_source_load(argv[i], &snapshot, &err);

		if (r == 0)
			r = ft_archive_add(argv[2], strtoull(argv[3], NULL, 0), snapshot,
					   (strtoll(argv[4], NULL, 0) + i - FILES_AT) * 1000);
		if (r < 0) {
			fprintf(stderr, "archive_tool: %s: %s %s\n", argv[i], strerror(-r), err.text);
			return STATUS_FAILED;
		}
		printf("%d\n", r);
	}
	return 0;
}
