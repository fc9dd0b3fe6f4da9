/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target for what machines of an Ethernet fabric hand over: LLDP neighbours, as one file of a machine and of
 * lines. Whatever is accepted is a valid snapshot that can be saved; whatever is not is told with its place.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/lldp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool good, const char *what, const struct ft_error *err)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s\n", what, err->text);
	abort();
}

static void round_trip(const struct ft_snapshot *snapshot)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *copy = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};

	ft_snapshot_write_json(&text, snapshot);
	expect(ft_snapshot_read_json(text.data, text.length, &copy, &err) == 0, "does not come back", &err);
	expect(ft_snapshot_equal(snapshot, copy, NULL) == 1, "is not equal to itself", &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_(ft_lldp_freep) struct ft_lldp *lldp = NULL;
	struct ft_error err = {0};
	char *text = malloc(size + 1);
	int r;

	expect(text && ft_lldp_new(&lldp) == 0, "no memory", &err);
	memcpy(text, data, size);
	text[size] = '\0';
	(void)ft_lldp_is(text, size);
	r = ft_lldp_add(lldp, text, size, "machine", &err);
	expect(r == 0 || (err.text[0] && err.line && err.column), "fails without a word", &err);
	free(text);
	r = ft_lldp_finish(lldp, &snapshot, &err);
	expect(r == 0 || err.text[0], "fails without a word", &err);
	if (r < 0)
		return 0;
	expect(ft_snapshot_check(snapshot, &err) == 0, "is not valid", &err);
	round_trip(snapshot);
	return 0;
}
