/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/smp.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <string.h>

#include "probe/guard.h"

enum {
	STATUS_BUSY = 1, /* MAD status: ask again (IBTA Vol 1, 13.4.7) */
	GRACE_MS = 1000, /* beyond the time-out, in which the kernel gives every SMP back */
	UMAD_SIZE = sizeof(struct ib_user_mad) + IB_MAD_SIZE + 64,
};

struct slot {
	int64_t sent_ms;
	unsigned int timeout_ms;
	uint32_t trid;
	bool busy;
};

struct ft_smp_wire {
	enum ft_smp_kind kind;
	struct slot *slots;
	size_t max_smps;
	size_t pending;
	int64_t end_ms;
	struct ft_smp_count count;
	int fd;
	int agent;
	bool giving_up; /* of all that is on the wire */
};

static int class_of(const struct ft_smp_wire *wire)
{
	return wire->kind == FT_SMP_PERFORMANCE ? IB_PERFORMANCE_CLASS : IB_SMI_DIRECT_CLASS;
}

static int open_port(struct ft_smp_wire *wire, const struct ft_smp_options *o, struct ft_error *err)
{
	wire->fd = umad_open_port(o->ca, o->port);
	if (wire->fd < 0)
		return ft_error_set(err, -EIO, 0, 0, "cannot open %s port %d for management packets", o->ca, o->port);
	wire->agent = umad_register(wire->fd, class_of(wire), 1, 0, NULL);
	if (wire->agent < 0)
		return ft_error_set(err, -EIO, 0, 0, "cannot send management packets from %s port %d", o->ca, o->port);
	return 0;
}

int ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err)
{
	_cleanup_(ft_smp_closep) struct ft_smp_wire *wire = calloc(1, sizeof(*wire));
	int r;

	if (!wire)
		return -ENOMEM;
	wire->fd = wire->agent = -1;
	wire->kind = options->kind;
	wire->max_smps = options->max_smps;
	wire->end_ms = options->end_ms;
	wire->slots = calloc(options->max_smps, sizeof(*wire->slots));
	if (!wire->slots)
		return -ENOMEM;
	r = open_port(wire, options, err);
	if (r < 0)
		return r;
	*ret_wire = FT_STEAL(wire);
	return 0;
}

void ft_smp_close(struct ft_smp_wire *wire)
{
	if (!wire)
		return;
	if (wire->agent >= 0)
		umad_unregister(wire->fd, wire->agent);
	if (wire->fd >= 0)
		umad_close_port(wire->fd);
	free(wire->slots);
	free(wire);
}

size_t ft_smp_max(const struct ft_smp_wire *wire)
{
	return wire->max_smps;
}

size_t ft_smp_pending(const struct ft_smp_wire *wire)
{
	return wire->pending;
}

struct ft_smp_count ft_smp_count(const struct ft_smp_wire *wire)
{
	return wire->count;
}

static struct slot *free_slot(struct ft_smp_wire *wire)
{
	for (size_t i = 0; i < wire->max_smps; i++)
		if (!wire->slots[i].busy)
			return &wire->slots[i];
	return NULL;
}

static struct slot *slot_of(struct ft_smp_wire *wire, uint32_t trid)
{
	for (size_t i = 0; i < wire->max_smps; i++)
		if (wire->slots[i].busy && wire->slots[i].trid == trid)
			return &wire->slots[i];
	return NULL;
}

int ft_smp_send(struct ft_smp_wire *wire, const struct ft_smp_request *request)
{
	struct slot *slot = free_slot(wire);
	uint8_t umad[UMAD_SIZE] = {0}, data[FT_MAD_DATA_SIZE] = {0};
	ib_portid_t to = {.drpath.cnt = (int)request->hops};
	ib_rpc_t rpc = {
		.mgtclass = class_of(wire),
		.method = IB_MAD_METHOD_GET,
		.attr = {.id = request->attribute, .mod = request->modifier},
		.datasz = IB_SMP_DATA_SIZE,
		.dataoffs = IB_SMP_DATA_OFFS,
	};

	if (!slot)
		return -EBUSY;
	if (umad_size() + IB_MAD_SIZE > sizeof(umad) || request->hops > FT_SMP_HOPS_MAX)
		return -EINVAL;
	memcpy(to.drpath.p, request->path, sizeof(request->path));
	if (wire->kind == FT_SMP_PERFORMANCE) {
		to = (ib_portid_t){.lid = request->lid, .qp = 1, .qkey = IB_DEFAULT_QP1_QKEY};
		rpc.datasz = IB_PC_DATA_SZ;
		rpc.dataoffs = IB_PC_DATA_OFFS;
		mad_set_field(data, 0, IB_PC_PORT_SELECT_F, request->port_select);
	}
	rpc.trid = mad_trid();
	if (mad_build_pkt(umad, &rpc, &to, NULL, data) < 0)
		return -EINVAL;
	/* Repeated by us, not by the kernel: in between, the others get their turn. */
	if (umad_send(wire->fd, wire->agent, umad, IB_MAD_SIZE, (int)request->timeout_ms, 0) < 0)
		return -EIO;
	*slot = (struct slot){
		.sent_ms = ft_guard_now_ms(),
		.timeout_ms = request->timeout_ms,
		.trid = (uint32_t)rpc.trid,
		.busy = true,
	};
	wire->count.mads++;
	wire->pending++;
	return (int)(slot - wire->slots);
}

static void take_slot(struct ft_smp_wire *wire, struct slot *slot, enum ft_smp_outcome outcome,
		      struct ft_smp_answer *ret_answer)
{
	ret_answer->slot = (unsigned int)(slot - wire->slots);
	ret_answer->outcome = outcome;
	ret_answer->slow = ft_guard_now_ms() - slot->sent_ms >= slot->timeout_ms;
	slot->busy = false;
	wire->pending--;
	if (outcome == FT_SMP_LOST)
		wire->count.timeouts++;
}

static enum ft_smp_outcome outcome_of(const struct ft_smp_wire *wire, void *mad)
{
	unsigned int status =
		mad_get_field(mad, 0, wire->kind == FT_SMP_PERFORMANCE ? IB_MAD_STATUS_F : IB_DRSMP_STATUS_F);

	if (status == STATUS_BUSY)
		return FT_SMP_BUSY;
	return status == 0 ? FT_SMP_ANSWERED : FT_SMP_REFUSED;
}

/* False where it is none of ours. */
static bool take_umad(struct ft_smp_wire *wire, uint8_t *umad, struct ft_smp_answer *ret_answer)
{
	uint8_t *mad = umad_get_mad(umad);
	struct slot *slot = slot_of(wire, (uint32_t)mad_get_field64(mad, 0, IB_MAD_TRID_F));

	if (!slot)
		return false;
	take_slot(wire, slot, umad_status(umad) != 0 ? FT_SMP_LOST : outcome_of(wire, mad), ret_answer);
	if (wire->kind == FT_SMP_PERFORMANCE)
		memcpy(ret_answer->data, mad + IB_PC_DATA_OFFS, FT_MAD_DATA_SIZE);
	else
		memcpy(ret_answer->data, mad + IB_SMP_DATA_OFFS, FT_SMP_SIZE);
	return true;
}

static int64_t patience_ends(const struct ft_smp_wire *wire)
{
	int64_t end_ms = 0;

	for (size_t i = 0; i < wire->max_smps; i++)
		if (wire->slots[i].busy && wire->slots[i].timeout_ms > end_ms)
			end_ms = wire->slots[i].timeout_ms;
	end_ms += ft_guard_now_ms() + GRACE_MS;
	return end_ms < wire->end_ms ? end_ms : wire->end_ms;
}

static bool receive(struct ft_smp_wire *wire, struct ft_smp_answer *ret_answer)
{
	uint8_t umad[UMAD_SIZE] = {0};
	int64_t end_ms = patience_ends(wire);
	int64_t left;

	for (left = end_ms - ft_guard_now_ms(); left > 0; left = end_ms - ft_guard_now_ms()) {
		int length = IB_MAD_SIZE;
		int r = umad_recv(wire->fd, umad, &length, (int)left);

		if (r >= 0 && take_umad(wire, umad, ret_answer))
			return true;
		/* A device that is gone fails at once, each time. */
		if (r < 0 && r != -ETIMEDOUT)
			poll(NULL, 0, 1);
	}
	return false;
}

bool ft_smp_receive(struct ft_smp_wire *wire, struct ft_smp_answer *ret_answer)
{
	if (wire->pending == 0)
		return false;
	if (!wire->giving_up && receive(wire, ret_answer))
		return true;
	wire->giving_up = true;
	for (size_t i = 0; i < wire->max_smps; i++) {
		if (!wire->slots[i].busy)
			continue;
		take_slot(wire, &wire->slots[i], FT_SMP_LOST, ret_answer);
		wire->giving_up = wire->pending > 0;
		return true;
	}
	return false;
}
