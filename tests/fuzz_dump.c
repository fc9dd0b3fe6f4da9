/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target for what reads other people's files: text dumps and snapshots, as ft_source_load() tells them apart.
 * Caches are left out: libibnetdisc reads those, in a process of its own. What comes out has to be valid, and to come
 * back the same through JSON. Seeds are in tests/data/fuzz_dump.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int holds, const char *what, const struct ft_error *err)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", what, err->text);
	abort();
}

static void round_trip(const struct ft_snapshot *snapshot)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *copy = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, again = {0};
	struct ft_error err = {0};

	ft_snapshot_write_json(&text, snapshot);
	expect(ft_snapshot_read_json(text.data, text.length, &copy, &err) == 0, "does not come back", &err);
	ft_snapshot_write_json(&again, copy);
	expect(text.length == again.length && !strcmp(text.data, again.data), "comes back changed", &err);
	expect(ft_snapshot_equal(snapshot, copy, NULL) == 1, "is not equal to itself", &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};
	char *text = malloc(size + 1);
	bool is_json = size > 0 && data[0] == '{';
	int r;

	expect(text != NULL, "no memory", &err);
	memcpy(text, data, size);
	text[size] = '\0';
	r = ft_dump_is_lst(text, size) ? ft_dump_read_lst(text, size, &snapshot, &err)
	    : is_json		       ? ft_snapshot_read_json(text, size, &snapshot, &err)
				       : ft_dump_read_ibnetdiscover(text, size, &snapshot, &err);
	/* A failure is told, with its place; of that text nothing is kept in the snapshot. */
	expect(r == 0 || (err.text[0] && err.line && err.column && !snapshot), "fails without a word", &err);
	free(text);
	if (r < 0)
		return 0;
	expect(ft_snapshot_check(snapshot, &err) == 0, "is not valid", &err);
	round_trip(snapshot);
	return 0;
}
