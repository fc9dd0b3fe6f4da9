/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/smp.h"

#include <errno.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "probe/guard.h"
#include "probe/window.h"
#include "probe/port.h"

enum {
	STATUS_BUSY = 1,  /* MAD status: ask again (IBTA Vol 1, 13.4.7) */
	GRACE_MS = 1000,  /* beyond the time-out, by which the kernel returns an SMP at the latest, if at all */
	ERRORS_MAX = 100, /* in a row, each at least 1 ms after the last: the device is gone */
	UMAD_SIZE = sizeof(struct ib_user_mad) + IB_MAD_SIZE + 64,
	/*
	 * ibsim's client library holds a lock while it sends, and needs it to receive; with its sockets full in both
	 * directions, ten messages each, it deadlocks. With it, at most this many SMPs are sent that may not have been
	 * received.
	 */
	SIMULATOR_BEARS = 24,
	SIMULATOR_WAIT_MS = 10,
	/*
	 * A transaction id is the slot, and in the higher bits a number that distinguishes it from earlier uses of the
	 * slot.
	 */
	SLOT_BITS = 12,
};

/* The components of a PathRecord that are asked for: DLID, SLID, NumbPath (IBTA Vol 1, 15.2.5.16). */
#define PATH_MASK (1ULL << 4 | 1ULL << 5 | 1ULL << 12)

/* Most answers arrive faster than a process falls asleep and is woken up. */
#define SPIN_NS (20 * 1000LL)

struct slot {
	int64_t sent_ns;
	int64_t back_ns; /* when it must be back: the kernel does not report a send that failed later on */
	unsigned int timeout_ms;
	uint32_t trid;	 /* 0: the slot is free */
	uint32_t number; /* of all that were sent */
	unsigned int attribute, modifier;
	uint32_t next_free;
};

struct ft_smp_wire {
	enum ft_smp_kind kind;
	uint64_t m_key;
	struct slot *slots;
	uint32_t max_smps;
	uint32_t free; /* the first free slot, or max_smps */
	size_t pending;
	uint32_t serial;
	int64_t back_ns; /* the earliest deadline of the slots, or an earlier time */
	int64_t end_ns;
	struct ft_smp_count count;
	uint32_t received;	       /* the newest SMP that came back, by its number */
	uint8_t (*backlog)[UMAD_SIZE]; /* for a simulator: received already, a ring of max_smps */
	uint32_t backlog_first, backlog_count;
	int fd;
	int epoll_fd; /* -1: a simulator's port is no descriptor of the kernel */
	int agent;
	unsigned int errors; /* failed receives in a row */
	uint32_t overtaken;  /* how many came back after this one was due */
};

int64_t ft_smp_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 * FT_NS_PER_MS + now.tv_nsec;
}

/* By enum ft_smp_kind: the class, its version, and where its attributes are. */
static const struct {
	int number, version;
	int data_at, data_size;
} classes[] = {
	[FT_SMP_DIRECTED] = {IB_SMI_DIRECT_CLASS, 1, IB_SMP_DATA_OFFS, IB_SMP_DATA_SIZE},
	[FT_SMP_PERFORMANCE] = {IB_PERFORMANCE_CLASS, 1, IB_PC_DATA_OFFS, IB_PC_DATA_SZ},
	[FT_SMP_PATH_RECORD] = {IB_SA_CLASS, 2, IB_SA_DATA_OFFS, IB_SA_PR_RECSZ},
};

static int open_port(struct ft_smp_wire *wire, const struct ft_smp_options *o, struct ft_error *err)
{
	struct epoll_event event = {.events = EPOLLIN};

	wire->fd = umad_open_port(o->ca, o->port);
	if (wire->fd < 0)
		return ft_port_explain_closed(o->ca, o->port, err);
	wire->agent = umad_register(wire->fd, classes[wire->kind].number, classes[wire->kind].version, 0, NULL);
	if (wire->agent < 0)
		return ft_error_set(err, -EIO, 0, 0, "cannot send management packets from %s port %d", o->ca, o->port);
	wire->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (wire->epoll_fd < 0)
		return ft_error_set(err, -EIO, 0, 0, "cannot wait for %s port %d: %s", o->ca, o->port, strerror(errno));
	if (epoll_ctl(wire->epoll_fd, EPOLL_CTL_ADD, umad_get_fd(wire->fd), &event) == 0)
		return 0;
	if (errno != EBADF && errno != EPERM)
		return ft_error_set(err, -EIO, 0, 0, "cannot wait for %s port %d: %s", o->ca, o->port, strerror(errno));
	/* A simulator's. */
	close(wire->epoll_fd);
	wire->epoll_fd = -1;
	wire->backlog = reallocarray(NULL, wire->max_smps, sizeof(*wire->backlog));
	return wire->backlog ? 0 : -ENOMEM;
}

static int slots_make(struct ft_smp_wire *wire, unsigned int count)
{
	wire->slots = calloc(count, sizeof(*wire->slots));
	if (!wire->slots)
		return -ENOMEM;
	wire->max_smps = count;
	for (uint32_t i = 0; i < count; i++)
		wire->slots[i].next_free = i + 1;
	return 0;
}

int ft_smp_open(const struct ft_smp_options *options, struct ft_smp_wire **ret_wire, struct ft_error *err)
{
	_cleanup_(ft_smp_closep) struct ft_smp_wire *wire = calloc(1, sizeof(*wire));
	int r;

	if (!wire)
		return -ENOMEM;
	wire->fd = wire->agent = wire->epoll_fd = -1;
	wire->kind = options->kind;
	wire->m_key = options->m_key;
	wire->end_ns = options->end_ms * FT_NS_PER_MS;
	/* Answers to an earlier process on this port may still arrive. */
	wire->serial = (uint32_t)ft_smp_now_ns();
	r = slots_make(wire, options->max_smps < FT_SMP_SLOTS_MAX ? options->max_smps : FT_SMP_SLOTS_MAX);
	if (r == 0)
		r = open_port(wire, options, err);
	if (r < 0)
		return r;
	*ret_wire = FT_STEAL(wire);
	return 0;
}

void ft_smp_set_end(struct ft_smp_wire *wire, int64_t end_ms)
{
	wire->end_ns = end_ms * FT_NS_PER_MS;
}

void ft_smp_close(struct ft_smp_wire *wire)
{
	if (!wire)
		return;
	if (wire->epoll_fd >= 0)
		close(wire->epoll_fd);
	if (wire->agent >= 0)
		umad_unregister(wire->fd, wire->agent);
	if (wire->fd >= 0)
		umad_close_port(wire->fd);
	free(wire->slots);
	free(wire->backlog);
	free(wire);
}

size_t ft_smp_pending(const struct ft_smp_wire *wire)
{
	return wire->pending;
}

struct ft_smp_count ft_smp_count(const struct ft_smp_wire *wire)
{
	return wire->count;
}

static uint32_t new_trid(struct ft_smp_wire *wire, uint32_t slot)
{
	uint32_t trid;

	do
		trid = wire->serial++ << SLOT_BITS | slot;
	while (trid == 0);
	return trid;
}

static struct slot *slot_of(struct ft_smp_wire *wire, uint32_t trid)
{
	uint32_t slot = trid & ((1U << SLOT_BITS) - 1);

	return trid != 0 && slot < wire->max_smps && wire->slots[slot].trid == trid ? &wire->slots[slot] : NULL;
}

static int send_umad(struct ft_smp_wire *wire, const struct ft_smp_request *request, uint32_t trid)
{
	uint8_t umad[UMAD_SIZE] = {0}, data[FT_MAD_DATA_SIZE] = {0};
	ib_portid_t to = {.drpath.cnt = (int)request->hops};
	ib_rpc_t rpc = {
		.mgtclass = classes[wire->kind].number,
		.method = IB_MAD_METHOD_GET,
		.attr = {.id = request->attribute, .mod = request->modifier},
		.datasz = classes[wire->kind].data_size,
		.dataoffs = classes[wire->kind].data_at,
		.trid = trid,
		.mkey = wire->kind == FT_SMP_DIRECTED ? wire->m_key : 0,
	};

	if (umad_size() + IB_MAD_SIZE > sizeof(umad) || request->hops > FT_SMP_HOPS_MAX)
		return -EINVAL;
	memcpy(to.drpath.p, request->path, sizeof(request->path));
	if (wire->kind == FT_SMP_PERFORMANCE) {
		to = (ib_portid_t){.lid = request->lid, .qp = 1, .qkey = IB_DEFAULT_QP1_QKEY};
		mad_set_field(data, 0, IB_PC_PORT_SELECT_F, request->port_select);
	} else if (wire->kind == FT_SMP_PATH_RECORD) {
		to = (ib_portid_t){.lid = request->lid, .qp = 1, .qkey = IB_DEFAULT_QP1_QKEY, .sl = request->sl};
		rpc.mask = PATH_MASK;
		mad_set_field(data, 0, IB_SA_PR_SLID_F, request->path_from);
		mad_set_field(data, 0, IB_SA_PR_DLID_F, request->path_to);
		mad_set_field(data, 0, IB_SA_PR_NPATH_F, 1);
	}
	if (mad_build_pkt(umad, &rpc, &to, NULL, data) < 0)
		return -EINVAL;
	/* Repeated by us, not by the kernel: in between, other queries are sent. */
	return umad_send(wire->fd, wire->agent, umad, IB_MAD_SIZE, (int)request->timeout_ms, 0) < 0 ? -EIO : 0;
}

/* As umad_recv(), without waiting; 0 if it received. */
static int receive_umad(struct ft_smp_wire *wire, uint8_t umad[UMAD_SIZE])
{
	const struct slot *slot;
	int length = IB_MAD_SIZE;
	int r;

	memset(umad, 0, UMAD_SIZE);
	r = umad_recv(wire->fd, umad, &length, 0);
	if (r < 0)
		return r;
	wire->errors = 0;
	slot = slot_of(wire, (uint32_t)mad_get_field64(umad_get_mad(umad), 0, IB_MAD_TRID_F));
	/* They come back in the order of sending, or never. */
	if (slot && (int32_t)(slot->number - wire->received) > 0)
		wire->received = slot->number;
	return 0;
}

static void relieve_simulator(struct ft_smp_wire *wire)
{
	while (wire->count.mads - wire->received >= SIMULATOR_BEARS && wire->backlog_count < wire->max_smps) {
		uint32_t last = (wire->backlog_first + wire->backlog_count) % wire->max_smps;
		int r = receive_umad(wire, wire->backlog[last]);

		if (r == 0)
			wire->backlog_count++;
		else if ((r != -EWOULDBLOCK && r != -EINTR) || umad_poll(wire->fd, SIMULATOR_WAIT_MS) < 0)
			/* The rest is lost. */
			wire->received = wire->count.mads;
	}
}

int ft_smp_send(struct ft_smp_wire *wire, const struct ft_smp_request *request)
{
	int64_t now_ns, back_ns;
	uint32_t number = wire->free;
	struct slot *slot;
	int r;

	if (number == wire->max_smps)
		return -EBUSY;
	if (wire->errors >= ERRORS_MAX)
		return -EIO;
	if (wire->backlog)
		relieve_simulator(wire);
	now_ns = ft_smp_now_ns();
	back_ns = now_ns + (request->timeout_ms + GRACE_MS) * FT_NS_PER_MS;
	slot = &wire->slots[number];
	slot->sent_ns = now_ns;
	slot->back_ns = back_ns;
	slot->timeout_ms = request->timeout_ms;
	slot->number = wire->count.mads + 1;
	slot->attribute = request->attribute;
	slot->modifier = request->modifier;
	slot->trid = new_trid(wire, number);
	r = send_umad(wire, request, slot->trid);
	if (r < 0) {
		slot->trid = 0;
		return r;
	}
	wire->free = slot->next_free;
	wire->back_ns = wire->pending == 0 || back_ns < wire->back_ns ? back_ns : wire->back_ns;
	wire->count.mads++;
	wire->pending++;
	return (int)number;
}

static void take_slot(struct ft_smp_wire *wire, struct slot *slot, enum ft_smp_outcome outcome,
		      struct ft_smp_answer *ret_answer)
{
	ret_answer->slot = (unsigned int)(slot - wire->slots);
	ret_answer->outcome = outcome;
	/* The kernel counts in ticks, from the middle of one: its time-outs may be some milliseconds short. */
	ret_answer->slow = ft_smp_now_ns() - slot->sent_ns >= slot->timeout_ms * FT_NS_PER_MS / 2;
	slot->trid = 0;
	slot->next_free = wire->free;
	wire->free = ret_answer->slot;
	wire->pending--;
	if (outcome == FT_SMP_LOST)
		wire->count.timeouts++;
}

static enum ft_smp_outcome outcome_of(const struct ft_smp_wire *wire, const struct slot *slot, void *mad)
{
	unsigned int status;

	/* An answer with another attribute is no answer. */
	if (mad_get_field(mad, 0, IB_MAD_ATTRID_F) != slot->attribute ||
	    mad_get_field(mad, 0, IB_MAD_ATTRMOD_F) != slot->modifier || !mad_get_field(mad, 0, IB_MAD_RESPONSE_F))
		return FT_SMP_LOST;
	status = mad_get_field(mad, 0, wire->kind == FT_SMP_DIRECTED ? IB_DRSMP_STATUS_F : IB_MAD_STATUS_F);
	if (status == STATUS_BUSY)
		return FT_SMP_BUSY;
	return status == 0 ? FT_SMP_ANSWERED : FT_SMP_REFUSED;
}

/* False if it is not for us. */
static bool take_umad(struct ft_smp_wire *wire, uint8_t *umad, struct ft_smp_answer *ret_answer)
{
	uint8_t *mad = umad_get_mad(umad);
	struct slot *slot = slot_of(wire, (uint32_t)mad_get_field64(mad, 0, IB_MAD_TRID_F));

	if (!slot)
		return false;
	take_slot(wire, slot, umad_status(umad) != 0 ? FT_SMP_LOST : outcome_of(wire, slot, mad), ret_answer);
	if (wire->kind == FT_SMP_PERFORMANCE)
		memcpy(ret_answer->data, mad + IB_PC_DATA_OFFS, FT_MAD_DATA_SIZE);
	else
		memcpy(ret_answer->data, mad + classes[wire->kind].data_at, FT_SMP_SIZE);
	return true;
}

/* Waits until there may be something to read. */
static void wait_for_input(const struct ft_smp_wire *wire, int64_t wait_ns)
{
	int64_t wait_ms = wait_ns / FT_NS_PER_MS + (wait_ns % FT_NS_PER_MS > 0);
	struct epoll_event event;

	if (wait_ms > INT32_MAX)
		wait_ms = INT32_MAX;
	if (wire->epoll_fd >= 0)
		epoll_wait(wire->epoll_fd, &event, 1, (int)wait_ms);
	else
		umad_poll(wire->fd, (int)wait_ms);
}

enum { GOT_NOTHING, GOT_ANSWER, GOT_OTHER };

static int receive_now(struct ft_smp_wire *wire, struct ft_smp_answer *ret_answer)
{
	uint8_t umad[UMAD_SIZE];
	int r;

	if (wire->backlog_count > 0) {
		r = take_umad(wire, wire->backlog[wire->backlog_first], ret_answer) ? GOT_ANSWER : GOT_OTHER;
		wire->backlog_first = (wire->backlog_first + 1) % wire->max_smps;
		wire->backlog_count--;
		return r;
	}
	r = receive_umad(wire, umad);
	if (r == 0)
		return take_umad(wire, umad, ret_answer) ? GOT_ANSWER : GOT_OTHER;
	/* A device that is gone fails at once, each time. */
	if (r == -EWOULDBLOCK || r == -EINTR)
		return GOT_NOTHING;
	wire->errors++;
	poll(NULL, 0, 1);
	return GOT_NOTHING;
}

static bool receive(struct ft_smp_wire *wire, int64_t until_ns, struct ft_smp_answer *ret_answer)
{
	int64_t began_ns = 0, now_ns;
	int got;

	/* At least one read, as the process may have been stopped for long: an answer that arrived in time counts. */
	for (;;) {
		got = receive_now(wire, ret_answer);
		if (got == GOT_ANSWER)
			return true;
		now_ns = ft_smp_now_ns();
		if (now_ns >= until_ns)
			return false;
		if (got != GOT_NOTHING)
			continue;
		began_ns = began_ns ? began_ns : now_ns;
		if (now_ns - began_ns < SPIN_NS)
			sched_yield();
		else
			wait_for_input(wire, until_ns - now_ns);
	}
}

/* An SMP that is past its deadline, or NULL. */
static struct slot *overdue_slot(struct ft_smp_wire *wire, int64_t now_ns)
{
	struct slot *overdue = NULL;
	int64_t next_ns = INT64_MAX;

	for (uint32_t i = 0; i < wire->max_smps; i++) {
		struct slot *slot = &wire->slots[i];

		if (slot->trid == 0)
			continue;
		if (now_ns >= slot->back_ns || now_ns >= wire->end_ns)
			overdue = slot;
		if (slot->back_ns < next_ns)
			next_ns = slot->back_ns;
	}
	wire->back_ns = next_ns;
	return overdue;
}

bool ft_smp_receive_until(struct ft_smp_wire *wire, int64_t until_ns, struct ft_smp_answer *ret_answer)
{
	for (;;) {
		int64_t last_ns = ft_sooner_ns(wire->end_ns, wire->pending > 0 ? wire->back_ns : INT64_MAX), now_ns;
		struct slot *slot;

		/* Answers that arrived in time have been read by now, however long the process was stopped. */
		if (wire->overtaken <= wire->max_smps && receive(wire, ft_sooner_ns(until_ns, last_ns), ret_answer)) {
			wire->overtaken = ft_smp_now_ns() >= last_ns ? wire->overtaken + 1 : 0;
			return true;
		}
		wire->overtaken = 0;
		now_ns = ft_smp_now_ns();
		slot = wire->pending > 0 && now_ns >= last_ns ? overdue_slot(wire, now_ns) : NULL;
		if (slot) {
			take_slot(wire, slot, FT_SMP_LOST, ret_answer);
			return true;
		}
		if (now_ns >= until_ns || now_ns >= wire->end_ns)
			return false;
	}
}
