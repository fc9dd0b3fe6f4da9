/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target for the wire: a sweep, the forwarding tables, the subnet managers, the error counters and reading
 * again, of a small fabric whose devices answer what they like. It ends, and what was seen is a snapshot.
 *
 * The input is what becomes of the answers, in their order; once it is used up, they are honest. Of each:
 *
 *     0 to 0x7f   as many bytes of it are others: an offset and a value follow for each (0: it is honest)
 *     0x80        all of it is others: that many bytes follow
 *     0x81        it is the answer to the query before it
 *     0x82        somebody else answers: the index of a node follows
 *     0x83 on     refused, busy, lost at once, lost after all of its time, by turns
 *
 * Time goes by in the waiting only. Seeds: tests/data/fuzz_wire/.
 */
#include <errno.h>
#include <infiniband/mad.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/counters.h"
#include "probe/guard.h"
#include "probe/lanes.h"
#include "probe/window.h"
#include "probe/port.h"
#include "probe/incremental.h"
#include "probe/routes.h"
#include "probe/sms.h"
#include "probe/snapshot_build.h"
#include "probe/discovery.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A host behind each of two switches, with two cables between these; the first switch has a subnet manager. */
enum {
	HOST,
	NEAR,
	FAR,
	OTHER_HOST,
	NODES,
	SWITCH_PORTS = 36,
	SLOTS = FT_SMP_SLOTS_MAX,
	STATE_TABLE = 0x34,
	NOBODY = NODES
};
enum { TIMEOUT_MS = 1000, DEADLINE_MS = 60000, INPUT_MAX = 65536, AT_A_TIME = 64 };

static const struct cable {
	unsigned int a, a_port, b, b_port;
} cables[] = {{HOST, 1, NEAR, 1}, {NEAR, 35, FAR, 36}, {NEAR, 36, FAR, 35}, {FAR, 1, OTHER_HOST, 1}};

static struct {
	const uint8_t *data;
	size_t size;
	int64_t now_ns;
	struct ft_smp_request requests[SLOTS];
	int64_t sent_ns[SLOTS];
	unsigned int slots; /* as many as are asked for; answered in the order of sending */
	size_t sent;
	size_t pending;
	struct ft_smp_count count;
	uint8_t last[FT_MAD_DATA_SIZE];
} net;

int __wrap_ft_port_choose(const char *ca, int port, struct ft_port_choice *ret_choice, struct ft_error *err);
int __wrap_ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err);
void __wrap_ft_smp_close(struct ft_smp_wire *wire);
size_t __wrap_ft_smp_pending(const struct ft_smp_wire *wire);
struct ft_smp_count __wrap_ft_smp_count(const struct ft_smp_wire *wire);
int __wrap_ft_smp_send(struct ft_smp_wire *wire, const struct ft_smp_request *request);
bool __wrap_ft_smp_receive_until(struct ft_smp_wire *wire, int64_t until_ns, struct ft_smp_answer *ret_answer);
int64_t __wrap_ft_smp_now_ns(void);
int64_t __wrap_ft_guard_now_ms(void);
int __wrap_ft_guard_run(const struct ft_guard *guard, ft_guard_work *work, const void *arg,
			struct ft_guard_result *result, struct ft_error *err);
int __wrap_umad_get_port(const char *ca, int port, umad_port_t *ret_port);
int __wrap_umad_release_port(umad_port_t *port);
void __wrap_ft_confine(void);
int __wrap_poll(void *fds, unsigned long count, int timeout_ms);

static void check(int truth)
{
	if (!truth)
		abort();
}

/* ---- what the input says ---- */

static unsigned int input_byte(void)
{
	if (net.size == 0)
		return 0;
	net.size--;
	return *net.data++;
}

/* ---- the fabric ---- */

static bool is_switch(unsigned int node)
{
	return node == NEAR || node == FAR;
}

static unsigned int ports_of(unsigned int node)
{
	return is_switch(node) ? SWITCH_PORTS : 1;
}

static unsigned int lid_of(unsigned int node)
{
	return node + 1;
}

/* Who is behind that port, and by which of its own; NOBODY where the port is down. */
static unsigned int behind(unsigned int node, unsigned int port, unsigned int *ret_port)
{
	for (size_t i = 0; i < FT_COUNT(cables); i++) {
		const struct cable *c = &cables[i];

		*ret_port = c->a == node && c->a_port == port ? c->b_port : c->a_port;
		if (c->a == node && c->a_port == port)
			return c->b;
		if (c->b == node && c->b_port == port)
			return c->a;
	}
	return NOBODY;
}

static unsigned int follow(const struct ft_smp_request *request, unsigned int *ret_port)
{
	unsigned int node = HOST;

	*ret_port = 1;
	if (request->lid)
		return lid_of(NODES) > request->lid ? request->lid - 1 : NOBODY;
	for (unsigned int i = 1; i <= request->hops && node != NOBODY; i++)
		node = is_switch(node) || i == 1 ? behind(node, request->path[i], ret_port) : NOBODY;
	return node;
}

static void answer_port(unsigned int node, unsigned int port, uint8_t *data)
{
	unsigned int unused;
	bool up = port == 0 || behind(node, port, &unused) != NOBODY;

	mad_set_field(data, 0, IB_PORT_PHYS_STATE_F, up ? FT_PHYS_LINK_UP : 2);
	mad_set_field(data, 0, IB_PORT_STATE_F, up ? 4 : 1);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, 2);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ACTIVE_F, 4);
	mad_set_field(data, 0, IB_PORT_LID_F, lid_of(node));
	if (port == 0 && node == NEAR) {
		/* CapabilityMask: IsSM, and that there is a CapabilityMask2, which has SwitchPortStateTable. */
		mad_set_field(data, 0, IB_PORT_CAPMASK_F, 1 << 15 | 1 << 1);
		mad_set_field(data, 0, IB_PORT_CAPMASK2_F, 1 << 3);
	}
}

static void answer_node(unsigned int node, unsigned int port, uint8_t *data)
{
	mad_set_field64(data, 0, IB_NODE_GUID_F, 0x100 + node);
	mad_set_field64(data, 0, IB_NODE_SYSTEM_GUID_F, 0x100 + node);
	mad_set_field64(data, 0, IB_NODE_PORT_GUID_F, 0x100 + node);
	/* Of a maker whose ports tell FDR10 from QDR only in an attribute of its own. */
	mad_set_field(data, 0, IB_NODE_VENDORID_F, 0x2c9);
	mad_set_field(data, 0, IB_NODE_DEVID_F, is_switch(node) ? 0xc738 : 0x1003);
	mad_set_field(data, 0, IB_NODE_TYPE_F, is_switch(node) ? IB_NODE_SWITCH : IB_NODE_CA);
	mad_set_field(data, 0, IB_NODE_NPORTS_F, ports_of(node));
	mad_set_field(data, 0, IB_NODE_LOCAL_PORT_F, port);
}

static void answer_states(unsigned int node, uint8_t *data)
{
	unsigned int unused;

	for (unsigned int port = 0; port <= SWITCH_PORTS; port++) {
		unsigned int state = port == 0 || behind(node, port, &unused) != NOBODY ? 4 : 1;

		data[port / 2] |= (uint8_t)(port % 2 ? state : state << 4);
	}
}

static void answer_table(unsigned int node, uint8_t *data)
{
	memset(data, 0xff, FT_SMP_SIZE);
	for (unsigned int to = 0; to < NODES; to++)
		data[lid_of(to)] = (uint8_t)(to == node ? 0 : to == HOST || to == OTHER_HOST ? 1 : 35);
}

static enum ft_smp_outcome answer_honestly(const struct ft_smp_request *request, unsigned int node, unsigned int port,
					   uint8_t *data)
{
	if (node >= NODES)
		return FT_SMP_LOST;
	switch (request->attribute) {
	case IB_ATTR_NODE_INFO:
		answer_node(node, port, data);
		return FT_SMP_ANSWERED;
	case IB_ATTR_NODE_DESC:
		data[0] = (uint8_t)('a' + node);
		return FT_SMP_ANSWERED;
	case IB_ATTR_PORT_INFO:
		if (request->modifier > ports_of(node))
			return FT_SMP_REFUSED;
		answer_port(node, request->modifier, data);
		return FT_SMP_ANSWERED;
	case STATE_TABLE:
		if (node != NEAR)
			return FT_SMP_REFUSED;
		answer_states(node, data);
		return FT_SMP_ANSWERED;
	case IB_ATTR_SWITCH_INFO:
		if (!is_switch(node))
			return FT_SMP_REFUSED;
		mad_set_field(data, 0, IB_SW_LINEAR_FDB_CAP_F, 0xc000);
		mad_set_field(data, 0, IB_SW_LINEAR_FDB_TOP_F, 64);
		return FT_SMP_ANSWERED;
	case IB_ATTR_LINEARFORWTBL:
		answer_table(node, data);
		return FT_SMP_ANSWERED;
	case IB_ATTR_MLNX_EXT_PORT_INFO:
		return node == FAR ? FT_SMP_ANSWERED : FT_SMP_REFUSED;
	case IB_ATTR_SMINFO:
		mad_set_field64(data, 0, IB_SMINFO_GUID_F, 0x100 + node);
		mad_set_field(data, 0, IB_SMINFO_STATE_F, FT_SM_MASTER);
		return FT_SMP_ANSWERED;
	default:
		/* Performance management: counters that all count nothing, and no extended ones. */
		return request->lid ? FT_SMP_ANSWERED : FT_SMP_REFUSED;
	}
}

static void answer(const struct ft_smp_request *request, struct ft_smp_answer *answer)
{
	enum { ALL = 0x80, LAST, OTHER, OUTCOMES };
	unsigned int what = input_byte(), port = 1, node = follow(request, &port);
	size_t data_size = request->lid ? FT_MAD_DATA_SIZE : FT_SMP_SIZE;

	if (what >= OUTCOMES) {
		answer->outcome = (enum ft_smp_outcome)(FT_SMP_REFUSED + what % 3);
		answer->slow = answer->outcome == FT_SMP_LOST && what / 3 % 2;
		return;
	}
	if (what == OTHER)
		node = input_byte() % NODES;
	answer->outcome = answer_honestly(request, node, port, answer->data);
	answer->slow = answer->outcome == FT_SMP_LOST;
	if (what == LAST)
		memcpy(answer->data, net.last, sizeof(net.last));
	for (size_t i = 0; what == ALL && i < data_size; i++)
		answer->data[i] = (uint8_t)input_byte();
	for (unsigned int i = 0; what < ALL && i < what; i++) {
		size_t offset = input_byte() % data_size;

		answer->data[offset] = (uint8_t)input_byte();
	}
	/* Whoever says so much says something. */
	if (what != 0 && what != OTHER)
		answer->outcome = FT_SMP_ANSWERED;
	memcpy(net.last, answer->data, sizeof(net.last));
}

/* ---- the wire ---- */

int64_t __wrap_ft_smp_now_ns(void)
{
	return net.now_ns;
}

int64_t __wrap_ft_guard_now_ms(void)
{
	return net.now_ns / FT_NS_PER_MS;
}

/* Waiting for a second reading of the counters. */
int __wrap_poll(void *fds, unsigned long count, int timeout_ms)
{
	(void)fds;
	(void)count;
	net.now_ns += (timeout_ms > 0 ? timeout_ms : 1) * FT_NS_PER_MS;
	return 0;
}

int __wrap_ft_port_choose(const char *ca, int port, struct ft_port_choice *ret_choice, struct ft_error *err)
{
	(void)ca;
	(void)port;
	(void)err;
	*ret_choice = (struct ft_port_choice){.ca = "fake0", .port = 1};
	return 0;
}

int __wrap_ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err)
{
	(void)err;
	check(options->max_smps >= 1 && options->max_smps <= SLOTS);
	net.slots = options->max_smps;
	net.pending = net.sent = 0;
	net.count = (struct ft_smp_count){0};
	*ret_wire = (struct ft_smp_wire *)&net;
	return 0;
}

void __wrap_ft_smp_close(struct ft_smp_wire *wire)
{
	(void)wire;
}

size_t __wrap_ft_smp_pending(const struct ft_smp_wire *wire)
{
	(void)wire;
	return net.pending;
}

struct ft_smp_count __wrap_ft_smp_count(const struct ft_smp_wire *wire)
{
	(void)wire;
	return net.count;
}

int __wrap_ft_smp_send(struct ft_smp_wire *wire, const struct ft_smp_request *request)
{
	size_t slot = net.sent % net.slots;

	(void)wire;
	check(request->hops <= FT_SMP_HOPS_MAX);
	if (net.pending == net.slots)
		return -EBUSY;
	net.now_ns += 1000;
	net.requests[slot] = *request;
	net.sent_ns[slot] = net.now_ns;
	net.sent++;
	net.pending++;
	net.count.mads++;
	return (int)slot;
}

bool __wrap_ft_smp_receive_until(struct ft_smp_wire *wire, int64_t until_ns, struct ft_smp_answer *ret_answer)
{
	size_t slot = (net.sent - net.pending) % net.slots;
	int64_t lost_ns;

	(void)wire;
	if (net.pending == 0) {
		if (until_ns != INT64_MAX && until_ns > net.now_ns)
			net.now_ns = until_ns;
		return false;
	}
	net.pending--;
	*ret_answer = (struct ft_smp_answer){.slot = (unsigned int)slot};
	answer(&net.requests[slot], ret_answer);
	net.now_ns += 10000;
	lost_ns = net.sent_ns[slot] + net.requests[slot].timeout_ms * FT_NS_PER_MS;
	net.count.timeouts += ret_answer->outcome == FT_SMP_LOST;
	/* What waited beside it waited as long. */
	if (ret_answer->outcome == FT_SMP_LOST && ret_answer->slow && lost_ns > net.now_ns)
		net.now_ns = lost_ns;
	return true;
}

/* In this process: it is the child's work that is tried. */
int __wrap_ft_guard_run(const struct ft_guard *guard, ft_guard_work *work, const void *arg,
			struct ft_guard_result *result, struct ft_error *err)
{
	return work(arg, __wrap_ft_guard_now_ms() + guard->deadline_ms, result, err);
}

/* The fuzzer goes on afterwards, and its search for leaks needs calls that are refused to a confined process. */
void __wrap_ft_confine(void)
{
}

/* ---- what is done with it ---- */

static const struct ft_scheduler_options *asking(void)
{
	static struct ft_scheduler_options options = {.ca = "fake0",
						      .port = 1,
						      .timeout_ms = TIMEOUT_MS,
						      .max_smps = AT_A_TIME,
						      .max_smps_per_target = 4,
						      .retries = 2};

	options.end_ms = __wrap_ft_guard_now_ms() + DEADLINE_MS;
	return &options;
}

/* A SM is at LID 1. */
int __wrap_umad_get_port(const char *ca, int port, umad_port_t *ret_port)
{
	(void)ca, (void)port;
	*ret_port = (umad_port_t){.sm_lid = 1};
	return 0;
}

int __wrap_umad_release_port(umad_port_t *port)
{
	(void)port;
	return 0;
}

/* Ways through each switch, and paths between the first LIDs. */
static void lanes_look(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot)
{
	struct ft_crossing crossings[16];
	struct ft_lane_path paths[] = {{1, 2}, {2, 1}, {1, 3}};
	struct ft_lane_wants wants = {.crossings = crossings, .paths = paths, .path_count = FT_COUNT(paths)};
	_cleanup_(ft_lanes_freep) struct ft_lanes *lanes = NULL;
	struct ft_error err = {0};

	for (uint32_t i = 0; i < snapshot->node_count; i++)
		for (uint8_t in = 1; snapshot->nodes[i].type == FT_NODE_SWITCH && in < 3; in++)
			if (wants.crossing_count < FT_COUNT(crossings))
				crossings[wants.crossing_count++] = (struct ft_crossing){i, in, (uint8_t)(3 - in)};
	if (ft_lanes_ask(options, snapshot, &wants, &lanes, &err) < 0)
		return;
	check(lanes && lanes->row_count <= wants.crossing_count);
	for (uint32_t i = 0; i < wants.crossing_count; i++)
		check(ft_lanes_lane(lanes, &crossings[i], 3) <= FT_LANE_UNKNOWN);
	check(ft_lanes_level(lanes, 1, 2) <= FT_LANE_UNKNOWN);
}

static void look_around(const struct ft_survey *survey, const struct ft_snapshot *snapshot)
{
	struct ft_sweep_options options = ft_sweep_defaults;
	_cleanup_(ft_routes_freep) struct ft_routes *routes = NULL;
	_cleanup_(ft_sms_freep) struct ft_sms *sms = NULL;
	_cleanup_(ft_counters_freep) struct ft_counters *counters = NULL;
	struct ft_error err = {0};

	options.max_smps = AT_A_TIME;
	options.deadline_ms = DEADLINE_MS;
	if (ft_routes_ask(survey, snapshot, asking(), &routes, &err) == 0)
		check(routes && routes->node_count == snapshot->node_count);
	if (ft_sms_ask(&options, snapshot, &sms, &err) == 0)
		check(sms != NULL);
	if (ft_counters_read(&options, snapshot, 1000, &counters, &err) == 0)
		check(counters && counters->count <= snapshot->port_count);
	lanes_look(&options, snapshot);
}

static void look_again(const struct ft_snapshot *snapshot, const struct ft_change *changes, size_t count)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *after = NULL;
	struct ft_sweep_options options = ft_sweep_defaults;
	struct ft_error err = {0};
	int r;

	options.max_smps = AT_A_TIME;
	r = ft_sweep_incremental(&options, snapshot, changes, count, __wrap_ft_guard_now_ms() + DEADLINE_MS, &after,
				 &err);
	check((r == 0) == (after != NULL));
	if (after)
		check(ft_snapshot_check(after, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	struct ft_change changes[3] = {0};
	struct ft_smp_count count = {0};
	struct ft_error err = {0};

	memset(net.last, 0, sizeof(net.last));
	net.now_ns = 1000 * FT_NS_PER_MS;
	net.data = data;
	net.size = size < INPUT_MAX ? size : INPUT_MAX;
	/* First, what changed: a switch by its LID or a node by its GUID, gone or not. */
	for (size_t i = 0; i < FT_COUNT(changes); i++) {
		unsigned int what = input_byte();

		if (what & 0x80)
			changes[i].guid = 0x100 + (what & 7);
		else
			changes[i].lid = (uint16_t)(1 + (what & 7));
		changes[i].gone = what & 0x40;
	}
	if (ft_discover(&survey, asking(), &count, &err) < 0 || survey.node_count == 0)
		return 0;
	check(ft_survey_snapshot(&survey, &snapshot, &err) == 0);
	check(ft_snapshot_check(snapshot, &err) == 0);
	look_around(&survey, snapshot);
	look_again(snapshot, changes, FT_COUNT(changes));
	return 0;
}
