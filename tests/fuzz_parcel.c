/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target for what child processes hand to their parents: whatever a child that crashed sent, it is a result
 * that can be worked with, or an error. The first byte tells whose it is. Seeds: tests/data/fuzz_parcel/.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "probe/child.h"
#include "probe/counters.h"
#include "probe/listen.h"
#include "probe/parcel.h"
#include "probe/routes.h"
#include "probe/sms.h"
#include "probe/snapshot_build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The children are never born: these stand in their place. */
int __wrap_ft_guard_run(const struct ft_guard *guard, ft_guard_work *work, const void *arg,
			struct ft_guard_result *result, struct ft_error *err);
pid_t __wrap_fork(void);
void __wrap_ft_child_end(pid_t pid);
ssize_t __wrap_recv(int fd, void *to, size_t size, int flags);

static struct {
	const char *bytes;
	size_t length;
} sent;

static void check(int truth)
{
	if (!truth)
		abort();
}

int __wrap_ft_guard_run(const struct ft_guard *guard, ft_guard_work *work, const void *arg,
			struct ft_guard_result *result, struct ft_error *err)
{
	(void)guard;
	(void)work;
	(void)arg;
	(void)err;
	ft_text_add(&result->text, sent.bytes, sent.length);
	return 0;
}

pid_t __wrap_fork(void)
{
	return 1;
}

void __wrap_ft_child_end(pid_t pid)
{
	(void)pid;
}

ssize_t __wrap_recv(int fd, void *to, size_t size, int flags)
{
	size_t n = sent.length < size ? sent.length : size;

	(void)fd;
	(void)flags;
	memcpy(to, sent.bytes, n);
	return (ssize_t)n;
}

/* A switch and two hosts. */
static struct ft_snapshot *snapshot_make(void)
{
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	struct ft_snapshot *snapshot = NULL;
	uint32_t node;

	check(ft_builder_new(&builder) == 0);
	for (uint64_t guid = 1; guid <= 3; guid++) {
		bool is_switch = guid == 1;

		check(ft_builder_add_node(builder,
					  &(struct ft_build_node){.guid = guid,
								  .type = is_switch ? FT_NODE_SWITCH : FT_NODE_CA,
								  .port_count = is_switch ? 4 : 1,
								  .port_count_known = true},
					  &node) == 0);
		if (!is_switch)
			check(ft_builder_add_port(builder, node,
						  &(struct ft_build_port){.number = 1,
									  .link = FT_LINK_UP,
									  .peer_guid = 1,
									  .peer_number = (uint8_t)guid}) == 0);
	}
	check(ft_builder_finish(builder, &snapshot, NULL, NULL) == 0);
	return snapshot;
}

/* What was received can be gone through, and sent again. */
static void snapshot_check(const struct ft_snapshot *snapshot)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	check(ft_snapshot_check(snapshot, NULL) == 0);
	for (uint32_t i = 0; i < snapshot->node_count; i++) {
		check(strlen(ft_node_description(snapshot, &snapshot->nodes[i])) < snapshot->strings_length);
		for (unsigned int n = 1; n <= snapshot->nodes[i].port_count; n++) {
			const struct ft_port *port = ft_node_port(snapshot, &snapshot->nodes[i], n);
			const struct ft_port *peer = ft_port_peer(snapshot, port);

			check(!peer || ft_port_peer(snapshot, peer) == port);
		}
	}
	ft_snapshot_write_json(&text, snapshot);
	check(!ft_text_failed(&text));
}

static void open_snapshot(const struct ft_snapshot *known)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};
	int r = ft_snapshot_receive(sent.bytes, sent.length, &snapshot, &err);

	(void)known;
	check((r == 0) == (snapshot != NULL) && (r == 0 || r == -ENOMEM || err.text[0]));
	if (snapshot)
		snapshot_check(snapshot);
}

static void open_parcel(const struct ft_snapshot *known)
{
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	struct ft_error err = {0};
	int code = 0, r = ft_parcel_open(sent.bytes, sent.length, &code, &result, &err);

	(void)known;
	check(r <= 0 && code <= 0);
	if (r < 0 || code < 0)
		check(!result.snapshot && !result.text.data);
	if (r == 0 && code < 0)
		check(err.text[0]);
	if (result.snapshot)
		snapshot_check(result.snapshot);
}

static void open_routes(const struct ft_snapshot *known)
{
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};
	int r = ft_routes_unpack(sent.bytes, sent.length, known->node_count, &routes, &err);

	check((r == 0) == (routes != NULL) && (r == 0 || err.text[0]));
	if (!routes)
		return;
	for (uint32_t i = 0; i < routes->node_count; i++)
		for (uint32_t lid = 0; lid <= FT_ROUTE_LID_MAX + 1; lid += 61)
			check(ft_route_port(&routes->tables[i], lid) <= FT_ROUTE_UNKNOWN);
	ft_routes_pack(&text, routes);
	check(!ft_text_failed(&text));
}

static void open_sms(const struct ft_snapshot *known)
{
	_cleanup_(ft_sms_freep) struct ft_sms *sms = NULL;
	struct ft_error err = {0};
	int r = ft_sms_ask(&ft_sweep_defaults, known, &sms, &err);

	check((r == 0) == (sms != NULL) && (r == 0 || err.text[0]));
	for (uint32_t i = 0; sms && i < sms->count; i++) {
		const struct ft_sm *sm = &sms->items[i];

		check(sm->port <= known->nodes[sm->node].port_count && sm->state <= FT_SM_SILENT);
	}
}

static void open_counters(const struct ft_snapshot *known)
{
	_cleanup_(ft_counters_freep) struct ft_counters *counters = NULL;
	struct ft_error err = {0};
	int r = ft_counters_read(&ft_sweep_defaults, known, 1000, &counters, &err);

	check((r == 0) == (counters != NULL) && (r == 0 || err.text[0]));
	for (uint32_t i = 0; counters && i < counters->count; i++)
		check(counters->items[i].port < known->port_count);
}

static void open_message(const struct ft_snapshot *known)
{
	static struct ft_listener *listener;
	struct ft_listener_message message;
	struct ft_error err = {0};
	int r;

	(void)known;
	if (!listener)
		check(ft_listener_start(&ft_listener_defaults, &listener, &err) == 0);
	r = ft_listener_read(listener, &message);
	check(r == 1 || r == -EPIPE);
	if (r == 1)
		check(strlen(message.text) < sizeof(message.text) && message.kind <= FT_LISTENER_ALIVE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const openers[])(const struct ft_snapshot *known) = {
		open_parcel, open_snapshot, open_routes, open_sms, open_counters, open_message,
	};
	static struct ft_snapshot *known;
	/* In memory of its own: what is read beyond it is noticed. */
	_cleanup_free_ char *bytes = malloc(size > 1 ? size - 1 : 1);

	if (!known)
		known = snapshot_make();
	if (size == 0)
		return 0;
	check(bytes != NULL);
	memcpy(bytes, data + 1, size - 1);
	sent.bytes = bytes;
	sent.length = size - 1;
	openers[data[0] % FT_COUNT(openers)](known);
	return 0;
}
