/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target for the daemon's baseline.json: any bytes are a baseline or an error, a baseline comes back from
 * being written the same, and a look can be learned on top of it. Seeds: tests/data/fuzz_baseline/.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "probe/snapshot_build.h"
#include "verify/model/baseline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth)
{
	if (!truth)
		abort();
}

/* Two switches with a cable between them, and a host. */
static struct ft_snapshot *snapshot_make(void)
{
	static const struct {
		uint64_t guid, peer;
		uint8_t port, peer_port;
	} ends[] = {{0x10, 0x11, 1, 1}, {0x11, 0x10, 1, 1}, {0x10, 0x20, 2, 1}};
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	struct ft_snapshot *snapshot = NULL;
	uint32_t nodes[3];

	check(ft_builder_new(&builder) == 0);
	for (uint32_t i = 0; i < FT_COUNT(nodes); i++)
		check(ft_builder_add_node(builder,
					  &(struct ft_build_node){.guid = i < 2 ? 0x10 + i : 0x20,
								  .type = i < 2 ? FT_NODE_SWITCH : FT_NODE_CA,
								  .port_count = i < 2 ? 4 : 1,
								  .port_count_known = true},
					  &nodes[i]) == 0);
	for (size_t i = 0; i < FT_COUNT(ends); i++)
		check(ft_builder_add_port(builder, nodes[ends[i].guid - 0x10],
					  &(struct ft_build_port){.number = ends[i].port,
								  .link = FT_LINK_UP,
								  .peer_guid = ends[i].peer,
								  .peer_number = ends[i].peer_port}) == 0);
	check(ft_builder_finish(builder, &snapshot, NULL, NULL) == 0);
	return snapshot;
}

static void round_trip(const struct ft_baseline *baseline)
{
	_cleanup_(ft_baseline_freep) struct ft_baseline *again = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, twice = {0};

	ft_baseline_write_json(&text, baseline);
	for (size_t i = 0; i < text.length; i++)
		check((unsigned char)text.data[i] >= 0x20 || text.data[i] == '\n');
	check(ft_baseline_read_json(text.data, text.length, &again, NULL) == 0);
	ft_baseline_write_json(&twice, again);
	check(text.length == twice.length && memcmp(text.data, twice.data, text.length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ft_snapshot *snapshot;
	_cleanup_(ft_baseline_freep) struct ft_baseline *baseline = NULL;
	_cleanup_free_ char *text = malloc(size + 1);
	struct ft_report report = {.time_s = 1790000000};
	struct ft_error err = {0};
	int r;

	if (!snapshot)
		snapshot = snapshot_make();
	check(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	r = ft_baseline_read_json(text, size, &baseline, &err);
	if (r < 0) {
		check(r == -EINVAL && !baseline && err.text[0]);
		return 0;
	}
	round_trip(baseline);
	check(ft_baseline_learn(&baseline, snapshot, &report, 0) >= 0);
	round_trip(baseline);
	return 0;
}
