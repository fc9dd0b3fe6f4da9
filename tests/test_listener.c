/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The listener on a port that is made up: libibumad's calls are wrapped, and what they send is answered by a script, in
 * the listener's own process. A row is a script and all that the listener says while it runs.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <inttypes.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "probe/child.h"
#include "probe/guard.h"
#include "probe/listen.h"
#include "probe/notice.h"
#include "probe/port.h"

enum {
	DEADLINE_MS = 30000,
	EXPECTED_MAX = 8,
	SM_LID = 1,
	OWN_LID = 5,
	SM_GUID = 0xabc,
	INITIALIZE = 2,
	FLOOD = 5000,
};

/* Requests, and what else can be done to a port. */
enum what {
	PORT,
	SM,
	RECORD,
	LINK_STATE,
	IN_SERVICE,
	OUT_OF_SERVICE,
	RESPONSE,
	CHOOSE,
	OPEN,
	REGISTER,
	RECEIVE,
	KINDS
};

/* What comes of it; the fields that matter depend on what it is. */
struct outcome {
	int error; /* of a call, as errno */
	bool lost; /* no answer, and the request comes back at once */
	uint16_t status;
	uint16_t from; /* LID that answers */
	bool forged;   /* and before that one somebody else does */
	struct ft_own_port own;
	struct ft_sm_info sm;
	const char *ca;
};

/* Seen by both processes. */
struct shared {
	unsigned int count[KINDS];
};

static struct shared *shared;
static void (*script)(enum what what, unsigned int number, struct outcome *outcome);
static int port_ends[2] = {-1, -1};
static struct ft_listener *listener; /* of the running test */

/* The port. */

static struct outcome happens(enum what what)
{
	struct outcome outcome = {
		.from = SM_LID,
		.own = {.lid = OWN_LID, .sm_lid = SM_LID, .state = FT_PORT_ACTIVE},
		.sm = {.guid = SM_GUID, .act_count = 100 + shared->count[SM], .state = FT_SM_MASTER},
		.ca = "fake0",
	};

	/* From 1, and what it did is done once it is counted. */
	script(what, shared->count[what] + 1, &outcome);
	shared->count[what]++;
	return outcome;
}

int __wrap_ft_port_choose(const char *ca, int port, struct ft_port_choice *ret_choice, struct ft_error *err);
int __wrap_ft_port_choose(const char *ca, int port, struct ft_port_choice *ret_choice, struct ft_error *err)
{
	struct outcome outcome = happens(CHOOSE);

	(void)ca;
	(void)port;
	if (outcome.error)
		return ft_error_set(err, -outcome.error, 0, 0, "no port to choose");
	*ret_choice = (struct ft_port_choice){.port = 1};
	snprintf(ret_choice->ca, sizeof(ret_choice->ca), "%s", outcome.ca);
	return 0;
}

int __wrap_umad_get_port(const char *ca_name, int portnum, umad_port_t *port);
int __wrap_umad_get_port(const char *ca_name, int portnum, umad_port_t *port)
{
	(void)ca_name;
	(void)portnum;
	memset(port, 0, sizeof(*port));
	port->port_guid = htobe64(0x10);
	return 0;
}

int __wrap_umad_release_port(umad_port_t *port);
int __wrap_umad_release_port(umad_port_t *port)
{
	(void)port;
	return 0;
}

int __wrap_umad_open_port(const char *ca_name, int portnum);
int __wrap_umad_open_port(const char *ca_name, int portnum)
{
	struct outcome outcome = happens(OPEN);
	int size = 1 << 20;

	(void)ca_name;
	(void)portnum;
	errno = outcome.error;
	if (outcome.error)
		return -EIO;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, port_ends) < 0)
		return -EIO;
	setsockopt(port_ends[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return port_ends[0];
}

int __wrap_umad_close_port(int fd);
int __wrap_umad_close_port(int fd)
{
	close(fd);
	close(port_ends[1]);
	return 0;
}

int __wrap_umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long mask[16 / sizeof(long)]);
int __wrap_umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long mask[16 / sizeof(long)])
{
	(void)fd;
	(void)rmpp_version;
	if (mgmt_class != IB_SA_CLASS)
		return mgmt_version == 1 && !mask ? mgmt_class : -EPERM;
	errno = happens(REGISTER).error;
	/* Method 6 and no other. */
	return errno || mgmt_version != 2 || !mask || mask[0] != 1 << 6 || mask[1] != 0 ? -EPERM : mgmt_class;
}

int __wrap_umad_unregister(int fd, int agentid);
int __wrap_umad_unregister(int fd, int agentid)
{
	(void)fd;
	(void)agentid;
	return 0;
}

/* The MAD begins where libibumad says, which on a port that never was opened is in the head's last bytes. */
struct packet {
	ib_user_mad_t head;
	uint8_t room[FT_MAD_SIZE];
};

static uint8_t *mad_of(struct packet *packet)
{
	return umad_get_mad(packet);
}

static void arrive(const struct packet *packet)
{
	if (send(port_ends[1], packet, sizeof(*packet), 0) < 0)
		abort();
}

static enum what what_is(const uint8_t *mad)
{
	if (mad[3] == 0x86)
		return RESPONSE;
	if (mad[1] == IB_SMI_DIRECT_CLASS)
		return PORT;
	if (mad[1] == IB_SMI_CLASS)
		return SM;
	if (mad[17] == IB_SA_ATTR_INFORMINFORECORD)
		return RECORD;
	/* InformInfo's TrapNumber */
	switch (mad[56 + 27]) {
	case 128:
		return LINK_STATE;
	case 64:
		return IN_SERVICE;
	default:
		return OUT_OF_SERVICE;
	}
}

/* "Denied", from a host. */
static void forge(struct packet *packet)
{
	packet->head.addr.lid = htons(9);
	mad_of(packet)[4] = 0x07;
}

static void answer(const struct packet *request, enum what what, const struct outcome *outcome)
{
	struct packet packet = *request;
	uint8_t *mad = mad_of(&packet);

	packet.head.addr.lid = htons(what == PORT ? 0xffff : outcome->from);
	if (outcome->lost) {
		packet.head.status = ETIMEDOUT;
		arrive(&packet);
		return;
	}
	mad[3] = 0x81;
	mad[4] = (uint8_t)(outcome->status >> 8);
	mad[5] = (uint8_t)outcome->status;
	if (what == PORT) {
		mad_set_field(mad, 64, IB_PORT_LID_F, outcome->own.lid);
		mad_set_field(mad, 64, IB_PORT_SMLID_F, outcome->own.sm_lid);
		mad_set_field(mad, 64, IB_PORT_STATE_F, outcome->own.state);
	} else if (what == SM) {
		mad_set_field64(mad, 64, IB_SMINFO_GUID_F, outcome->sm.guid);
		mad_set_field(mad, 64, IB_SMINFO_ACT_F, outcome->sm.act_count);
		mad_set_field(mad, 64, IB_SMINFO_STATE_F, outcome->sm.state);
	}
	if (outcome->forged) {
		struct packet forgery = packet;

		forge(&forgery);
		arrive(&forgery);
	}
	arrive(&packet);
}

int __wrap_umad_send(int fd, int agentid, void *umad, int length, int timeout_ms, int retries);
int __wrap_umad_send(int fd, int agentid, void *umad, int length, int timeout_ms, int retries)
{
	struct packet *packet = umad;
	enum what what = what_is(mad_of(packet));
	struct outcome outcome = happens(what);

	(void)fd;
	(void)retries;
	/* A response is sent once and not waited for; a request goes through its class's own agent. */
	if (length != FT_MAD_SIZE || agentid != mad_of(packet)[1] || (what == RESPONSE) != (timeout_ms == 0))
		abort();
	errno = outcome.error;
	if (outcome.error)
		return -EIO;
	if (what != RESPONSE)
		answer(packet, what, &outcome);
	return 0;
}

int __wrap_umad_recv(int fd, void *umad, int *length, int timeout_ms);
int __wrap_umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	struct packet packet;
	ssize_t n;

	if (timeout_ms != 0)
		abort();
	errno = happens(RECEIVE).error;
	if (errno)
		return -errno;
	n = recv(fd, &packet, sizeof(packet), MSG_DONTWAIT);
	if (n < 0)
		return -errno;
	memcpy(umad, &packet, umad_size() + (size_t)*length);
	return mad_of(&packet)[1];
}

/* A Report of trap 128 for @lid. */
static struct packet report(uint16_t lid)
{
	struct packet packet = {.head.addr = {.lid = htons(SM_LID), .qpn = htonl(1)}};

	mad_set_field(mad_of(&packet), 0, IB_MAD_BASEVER_F, 1);
	mad_set_field(mad_of(&packet), 0, IB_MAD_MGMTCLASS_F, IB_SA_CLASS);
	mad_set_field(mad_of(&packet), 0, IB_MAD_CLASSVER_F, 2);
	mad_set_field(mad_of(&packet), 0, IB_MAD_METHOD_F, FT_METHOD_REPORT);
	mad_set_field(mad_of(&packet), 0, IB_MAD_ATTRID_F, IB_SA_ATTR_NOTICE);
	mad_set_field(mad_of(&packet), 56, IB_NOTICE_IS_GENERIC_F, 1);
	mad_set_field(mad_of(&packet), 56, IB_NOTICE_TRAP_NUMBER_F, 128);
	mad_set_field(mad_of(&packet), 56, IB_NOTICE_DATA_LID_F, lid);
	return packet;
}

static void event(uint16_t lid)
{
	struct packet packet = report(lid);

	arrive(&packet);
}

static bool within(unsigned int number, unsigned int first, unsigned int last)
{
	return number >= first && number <= last;
}

/* Scripts. An event with LID 99 ends most of them: nothing was said in between. */

static void end_after(enum what what, unsigned int number, enum what of, unsigned int last)
{
	if (what == of && number == last)
		event(99);
}

static void all_is_well(enum what what, unsigned int number, struct outcome *outcome)
{
	(void)outcome;
	/* Five renewals. */
	end_after(what, number, OUT_OF_SERVICE, 6);
}

static void no_port_at_first(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == CHOOSE && number <= 3)
		outcome->error = ENODEV;
	end_after(what, number, OUT_OF_SERVICE, 2);
}

static void not_allowed_at_first(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == OPEN && number <= 3)
		outcome->error = EACCES;
	end_after(what, number, OUT_OF_SERVICE, 2);
}

static void taken_at_first(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == REGISTER && number <= 3)
		outcome->error = EINVAL;
	end_after(what, number, OUT_OF_SERVICE, 2);
}

static void down_at_first(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == PORT && number <= 5)
		outcome->own = (struct ft_own_port){.state = FT_PORT_DOWN};
	end_after(what, number, OUT_OF_SERVICE, 2);
}

static void down_for_a_while(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == PORT && within(number, 3, 5))
		outcome->own.state = FT_PORT_DOWN;
	end_after(what, number, PORT, 10);
}

static void other_port_comes_up(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == CHOOSE && number > 1)
		outcome->ca = "fake1";
	if (what == PORT && shared->count[OPEN] == 1)
		outcome->own.state = FT_PORT_DOWN;
	end_after(what, number, OUT_OF_SERVICE, 2);
}

static void no_sm_at_first(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == PORT && number <= 5)
		outcome->own = (struct ft_own_port){.state = INITIALIZE};
	end_after(what, number, OUT_OF_SERVICE, 2);
}

static void sm_away_for_a_while(enum what what, unsigned int number, struct outcome *outcome)
{
	if ((what == SM || what == RECORD || what == LINK_STATE) && within(shared->count[PORT], 3, 30))
		outcome->lost = true;
	end_after(what, number, PORT, 50);
}

static void sm_never_answers(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == SM)
		outcome->lost = true;
	end_after(what, number, PORT, 40);
}

static void sm_misses_one(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == SM && number % 4 == 0)
		outcome->lost = true;
	end_after(what, number, PORT, 40);
}

static void sm_is_not_master(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == SM && number <= 5)
		outcome->sm.state = 2;
	if (what == LINK_STATE && shared->count[SM] <= 5)
		outcome->lost = true;
	end_after(what, number, PORT, 40);
}

/* One SMP a look is its own; then it routes anew, and then looks at a small fabric. */
static void sm_is_busy(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == SM && number >= 3)
		outcome->sm.act_count += 1000;
	if (what == SM && number >= 4)
		outcome->sm.act_count += FT_LISTENER_BUSY_MIN - 2;
	end_after(what, number, SM, 6);
}

static void sm_starts_anew(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == SM && number >= 5)
		outcome->sm.act_count -= 50;
	end_after(what, number, PORT, 15);
}

static void sm_is_replaced(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == SM && number >= 5)
		outcome->sm.guid++;
	end_after(what, number, PORT, 15);
}

static void sm_moves(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == PORT && number >= 5)
		outcome->own.sm_lid = 2;
	if (shared->count[PORT] >= 5)
		outcome->from = 2;
	if (what == PORT && number == 15) {
		struct packet packet = report(99);

		/* What the old one sends does not count any more. */
		event(98);
		packet.head.addr.lid = htons(2);
		arrive(&packet);
	}
}

static void own_lid_changes(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == PORT && number >= 5)
		outcome->own.lid = 6;
	end_after(what, number, PORT, 15);
}

static void sm_forgets(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == RECORD && number == 2)
		outcome->status = FT_STATUS_NO_RECORDS;
	end_after(what, number, RECORD, 4);
}

static void sm_cannot_tell(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == RECORD && number % 2)
		outcome->lost = true;
	else if (what == RECORD)
		outcome->status = 0x000c;
	end_after(what, number, RECORD, 6);
}

static void busy_for_a_moment(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == LINK_STATE && number <= 2)
		outcome->status = FT_STATUS_BUSY;
	end_after(what, number, OUT_OF_SERVICE, 2);
}

static void busy_for_long(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == LINK_STATE && number <= 6)
		outcome->status = FT_STATUS_BUSY;
	end_after(what, number, OUT_OF_SERVICE, 2);
}

static void busy_when_renewed(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == LINK_STATE && within(number, 2, 8))
		outcome->status = FT_STATUS_BUSY;
	end_after(what, number, OUT_OF_SERVICE, 2);
}

static void refused_at_first(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == LINK_STATE && number <= 4)
		outcome->status = 0x0200;
	end_after(what, number, OUT_OF_SERVICE, 2);
}

static void hosts_are_refused(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == IN_SERVICE)
		outcome->status = 0x0700;
	if (what == OUT_OF_SERVICE)
		outcome->lost = true;
	end_after(what, number, OUT_OF_SERVICE, 3);
}

static void hostile_reports(enum what what, unsigned int number, struct outcome *outcome)
{
	struct packet packet = report(66);

	(void)outcome;
	if (what != PORT || number != 3)
		return;
	packet.head.addr.lid = htons(9); /* of a host */
	arrive(&packet);
	packet.head.addr.lid = 0;
	arrive(&packet);
	packet = report(66);
	packet.head.addr.qpn = htonl(0x48); /* of a program on the SM's host that is not root's */
	arrive(&packet);
	packet = report(66);
	mad_of(&packet)[1] = IB_SMI_CLASS;
	arrive(&packet);
	packet = report(66);
	mad_of(&packet)[3] = 0x81;
	arrive(&packet);
	packet = report(66);
	packet.head.status = ETIMEDOUT;
	arrive(&packet);
	memset(mad_of(&packet), 0xff, FT_MAD_SIZE);
	packet.head.status = 0;
	arrive(&packet);
	event(99);
}

/* An answer that a host makes up, before the SM's own. */
static void hostile_answers(enum what what, unsigned int number, struct outcome *outcome)
{
	outcome->forged = what == SM || what == RECORD || what == LINK_STATE;
	end_after(what, number, OUT_OF_SERVICE, 3);
}

static void repeated_report(enum what what, unsigned int number, struct outcome *outcome)
{
	(void)outcome;
	if (what != PORT || number != 3)
		return;
	event(7);
	event(7);
	event(99);
}

static void device_goes_and_comes(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == RECEIVE && number == 8)
		outcome->error = EIO;
	end_after(what, number, PORT, 12);
}

static void device_hangs(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == PORT && within(number, 3, 10))
		outcome->lost = true;
	end_after(what, number, PORT, 20);
}

static void device_is_lost(enum what what, unsigned int number, struct outcome *outcome)
{
	if (what == PORT && number >= 3)
		outcome->error = ENODEV;
}

#define SUBSCRIBED "subscribed fake0 port 1 (LID 5), SM LID 1"
#define END "trap 128 lid 99"

static const struct {
	const char *name;
	void (*script)(enum what what, unsigned int number, struct outcome *outcome);
	unsigned int responses;
	const char *said[EXPECTED_MAX];
} rows[] = {
	{"all is well: renewals are silent", all_is_well, 1, {SUBSCRIBED, END}},
	{"no port at first", no_port_at_first, 1, {"deaf no port to choose", SUBSCRIBED, END}},
	{"not allowed at first",
	 not_allowed_at_first,
	 1,
	 {"deaf cannot open fake0 port 1 for management packets: Permission denied", SUBSCRIBED, END}},
	{"another program listens at first",
	 taken_at_first,
	 1,
	 {"deaf another program gets the reports of fake0 port 1", SUBSCRIBED, END}},
	{"the port is down at first", down_at_first, 1, {"deaf fake0 port 1 is down", SUBSCRIBED, END}},
	{"the port is down for a while",
	 down_for_a_while,
	 1,
	 {SUBSCRIBED, "deaf fake0 port 1 is down", SUBSCRIBED, END}},
	{"another port comes up",
	 other_port_comes_up,
	 1,
	 {"deaf fake0 port 1 is down", "subscribed fake1 port 1 (LID 5), SM LID 1", END}},
	{"no SM at first", no_sm_at_first, 1, {"deaf no subnet manager has brought up fake0 port 1", SUBSCRIBED, END}},
	{"the SM is away for a while",
	 sm_away_for_a_while,
	 1,
	 {SUBSCRIBED, "deaf the subnet manager (LID 1) does not answer", SUBSCRIBED, END}},
	{"the SM never says who it is", sm_never_answers, 1, {SUBSCRIBED, END}},
	{"the SM misses a request now and then", sm_misses_one, 1, {SUBSCRIBED, END}},
	{"the SM is not the master yet",
	 sm_is_not_master,
	 1,
	 {"deaf the subnet manager (LID 1) does not answer", SUBSCRIBED, END}},
	{"the SM starts anew", sm_starts_anew, 1, {SUBSCRIBED, SUBSCRIBED, END}},
	{"the SM is busy", sm_is_busy, 1, {SUBSCRIBED, "busy 1001", END}},
	{"the SM is replaced", sm_is_replaced, 1, {SUBSCRIBED, SUBSCRIBED, END}},
	{"the SM moves", sm_moves, 1, {SUBSCRIBED, "subscribed fake0 port 1 (LID 5), SM LID 2", END}},
	{"the own LID changes", own_lid_changes, 1, {SUBSCRIBED, "subscribed fake0 port 1 (LID 6), SM LID 1", END}},
	{"the SM forgets", sm_forgets, 1, {SUBSCRIBED, SUBSCRIBED, END}},
	{"the SM cannot tell whether it did", sm_cannot_tell, 1, {SUBSCRIBED, END}},
	{"the SA is busy for a moment", busy_for_a_moment, 1, {SUBSCRIBED, END}},
	{"the SA is busy for long",
	 busy_for_long,
	 1,
	 {"deaf the subnet administration (LID 1) is busy", SUBSCRIBED, END}},
	{"the SA is busy at a renewal", busy_when_renewed, 1, {SUBSCRIBED, END}},
	{"the SA refuses at first",
	 refused_at_first,
	 1,
	 {"deaf the subnet administration (LID 1) refuses the subscription (status 0x0200: request invalid)",
	  SUBSCRIBED, END}},
	{"the SA refuses traps of hosts", hosts_are_refused, 1, {SUBSCRIBED, END}},
	{"Reports that are not the SM's", hostile_reports, 1, {SUBSCRIBED, END}},
	{"an answer that is not the SA's", hostile_answers, 1, {SUBSCRIBED, END}},
	{"a Report that is repeated", repeated_report, 3, {SUBSCRIBED, "trap 128 lid 7", "trap 128 lid 7", END}},
	{"the device goes and comes",
	 device_goes_and_comes,
	 1,
	 {SUBSCRIBED, "deaf cannot receive on fake0 port 1: Input/output error", SUBSCRIBED, END}},
	{"the device hangs",
	 device_hangs,
	 1,
	 {SUBSCRIBED, "deaf fake0 port 1 does not answer itself", SUBSCRIBED, END}},
	{"the device is lost",
	 device_is_lost,
	 0,
	 {SUBSCRIBED, "deaf cannot send on fake0 port 1: No such device", "gone"}},
};

static const struct ft_listener_options options = {
	.timeout_ms = 20, .retries = 2, .poll_ms = 5, .renew_ms = 40, .alive_ms = 7};

static void print_to(char *text, size_t size, const struct ft_listener_message *message)
{
	switch (message->kind) {
	case FT_LISTENER_SUBSCRIBED:
		snprintf(text, size, "subscribed %s", message->text);
		break;
	case FT_LISTENER_DEAF:
		snprintf(text, size, "deaf %s", message->text);
		break;
	case FT_LISTENER_TRAP:
		snprintf(text, size, "trap %u lid %u", message->trap, message->lid);
		assert_true(message->guid == 0);
		break;
	case FT_LISTENER_BUSY:
		snprintf(text, size, "busy %u", message->smps);
		break;
	case FT_LISTENER_ALIVE:
		snprintf(text, size, "alive");
		break;
	}
}

static void read_any_message(char *text, size_t size)
{
	struct pollfd fd = {.fd = ft_listener_fd(listener), .events = POLLIN};
	struct ft_listener_message message;
	int r;

	assert_true(poll(&fd, 1, DEADLINE_MS) == 1);
	r = ft_listener_read(listener, &message);
	if (r == 1) {
		print_to(text, size, &message);
		return;
	}
	assert_int_equal(r, -EPIPE);
	snprintf(text, size, "gone");
}

/* Signs of life come between all others. */
static void read_message(char *text, size_t size)
{
	do
		read_any_message(text, size);
	while (strcmp(text, "alive") == 0);
}

static void await_count(enum what what, unsigned int count)
{
	int64_t end_ms = ft_guard_now_ms() + DEADLINE_MS;

	while (*(volatile unsigned int *)&shared->count[what] < count) {
		assert_true(ft_guard_now_ms() < end_ms);
		poll(NULL, 0, 1);
	}
}

static void test_script(void **state)
{
	size_t row = (size_t)*state;
	struct ft_error err = {0};
	char text[1024];

	memset(shared, 0, sizeof(*shared));
	script = rows[row].script;
	assert_int_equal(ft_listener_start(&options, &listener, &err), 0);
	for (size_t i = 0; i < EXPECTED_MAX && rows[row].said[i]; i++) {
		read_message(text, sizeof(text));
		assert_string_equal(text, rows[row].said[i]);
	}
	await_count(RESPONSE, rows[row].responses);
	assert_int_equal(shared->count[RESPONSE], rows[row].responses);
}

static void never_a_port(enum what what, unsigned int number, struct outcome *outcome)
{
	(void)number;
	if (what == CHOOSE)
		outcome->error = ENODEV;
}

static void never_open(enum what what, unsigned int number, struct outcome *outcome)
{
	(void)number;
	if (what == OPEN)
		outcome->error = EACCES;
}

static void never_up(enum what what, unsigned int number, struct outcome *outcome)
{
	(void)number;
	if (what == PORT)
		outcome->own.state = FT_PORT_DOWN;
}

static void never_an_answer(enum what what, unsigned int number, struct outcome *outcome)
{
	(void)number;
	if (what != PORT)
		outcome->lost = true;
}

static void silence(enum what what, unsigned int number, struct outcome *outcome)
{
	(void)what;
	(void)number;
	(void)outcome;
}

/* In each state that lasts, also one in which nothing else is to be done for a long time. */
static const struct {
	void (*script)(enum what what, unsigned int number, struct outcome *outcome);
	const char *said;
	unsigned int poll_ms;
} lives[] = {
	{silence, SUBSCRIBED, 5},
	{silence, SUBSCRIBED, 1000000},
	{never_a_port, "deaf no port to choose", 5},
	{never_a_port, "deaf no port to choose", 1000000},
	{never_open, "deaf cannot open fake0 port 1 for management packets: Permission denied", 1000000},
	{never_up, "deaf fake0 port 1 is down", 5},
	{never_up, "deaf fake0 port 1 is down", 1000000},
	{never_an_answer, "deaf the subnet manager (LID 1) does not answer", 5},
};

static void test_alive(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(lives); i++) {
		struct ft_listener_options slow = options;
		struct ft_error err = {0};
		char text[1024];
		int64_t start_ms;

		memset(shared, 0, sizeof(*shared));
		script = lives[i].script;
		slow.poll_ms = lives[i].poll_ms;
		slow.renew_ms = slow.poll_ms > slow.renew_ms ? slow.poll_ms : slow.renew_ms;
		start_ms = ft_guard_now_ms();
		assert_int_equal(ft_listener_start(&slow, &listener, &err), 0);
		read_message(text, sizeof(text));
		assert_string_equal(text, lives[i].said);
		for (int signs = 0; signs < 5; signs++) {
			read_any_message(text, sizeof(text));
			assert_string_equal(text, "alive");
		}
		/* And not more often than it was asked to be. */
		assert_true(ft_guard_now_ms() - start_ms >= 5 * (int64_t)slow.alive_ms);
		ft_listener_free(FT_STEAL(listener));
	}
}

/* A parent that does not read: the child goes on, and in the end says what makes up for what was lost. */
static void flood(enum what what, unsigned int number, struct outcome *outcome)
{
	(void)outcome;
	if (what == PORT && within(number, 3, 2 + FLOOD / 50))
		for (int i = 0; i < 50; i++)
			event(7);
}

static void test_slow_parent(void **state)
{
	struct ft_error err = {0};
	unsigned int traps = 0;
	char text[1024];

	(void)state;
	memset(shared, 0, sizeof(*shared));
	script = flood;
	assert_int_equal(ft_listener_start(&options, &listener, &err), 0);
	await_count(RESPONSE, FLOOD);
	read_message(text, sizeof(text));
	assert_string_equal(text, SUBSCRIBED);
	for (;;) {
		read_message(text, sizeof(text));
		if (strcmp(text, SUBSCRIBED) == 0)
			break;
		assert_string_equal(text, "trap 128 lid 7");
		traps++;
	}
	assert_in_range(traps, 1, FLOOD - 1);
}

/* The end of the one is the end of the other. */
static void test_child_killed(void **state)
{
	struct ft_listener_message message;
	struct ft_error err = {0};
	char text[1024];

	(void)state;
	memset(shared, 0, sizeof(*shared));
	script = all_is_well;
	assert_int_equal(ft_listener_start(&options, &listener, &err), 0);
	read_message(text, sizeof(text));
	assert_int_equal(kill(ft_listener_pid(listener), SIGKILL), 0);
	do
		read_message(text, sizeof(text));
	while (strcmp(text, "gone") != 0);
	assert_int_equal(ft_listener_read(listener, &message), -EPIPE);
}

static void test_freed(void **state)
{
	static const int signals[] = {0, SIGKILL, SIGSTOP};
	struct ft_error err = {0};
	char text[1024];
	pid_t pid;

	(void)state;
	for (size_t i = 0; i < FT_COUNT(signals); i++) {
		memset(shared, 0, sizeof(*shared));
		script = all_is_well;
		assert_int_equal(ft_listener_start(&options, &listener, &err), 0);
		read_message(text, sizeof(text));
		pid = ft_listener_pid(listener);
		kill(pid, signals[i]);
		ft_listener_free(FT_STEAL(listener));
		/* Reaped, too. */
		assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
	}
}

/* One that hangs longer than anybody waits for: it is reaped when it ends, and not before. */
static void test_given_up(void **state)
{
	int64_t end_ms = ft_guard_now_ms() + DEADLINE_MS;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		for (;;)
			pause();
	assert_true(child > 0);
	ft_child_give_up(child);
	ft_child_reap_given_up();
	assert_int_equal(kill(child, SIGKILL), 0);
	while (kill(child, 0) == 0) {
		assert_true(ft_guard_now_ms() < end_ms);
		poll(NULL, 0, 1);
		ft_child_reap_given_up();
	}
	assert_int_equal(errno, ESRCH);
	/* Forgotten: the number may be another's by now. */
	ft_child_reap_given_up();
}

static const struct {
	struct ft_listener_options options;
	const char *text;
} bad_options[] = {
	{{.timeout_ms = 0, .poll_ms = 1, .renew_ms = 1}, "the time-out has to be from 1 to 1000000 ms"},
	{{.timeout_ms = 1000001, .poll_ms = 1, .renew_ms = 1}, "the time-out has to be from 1 to 1000000 ms"},
	{{.timeout_ms = 1, .retries = 101, .poll_ms = 1, .renew_ms = 1}, "the number of retries has to be up to 100"},
	{{.timeout_ms = 1, .renew_ms = 1},
	 "the listener has to look every 1 to 1000000 ms, and to renew no more often"},
	{{.timeout_ms = 1, .poll_ms = 2, .renew_ms = 1},
	 "the listener has to look every 1 to 1000000 ms, and to renew no more often"},
	{{.timeout_ms = 1, .poll_ms = 1, .renew_ms = 1, .port = 255}, "no port has the number 255"},
	{{.timeout_ms = 1, .poll_ms = 1, .renew_ms = 1, .port = -1}, "no port has the number -1"},
	{{.timeout_ms = 1, .poll_ms = 1, .renew_ms = 1, .ca = ""}, "no device has the name \"\""},
	{{.timeout_ms = 1, .poll_ms = 1, .renew_ms = 1, .ca = "a-name-of-20-letters"},
	 "no device has the name \"a-name-of-20-letters\""},
	{{.timeout_ms = 1, .poll_ms = 1, .renew_ms = 1},
	 "the listener has to give a sign of life every 1 to 1000000 ms"},
};

static void test_options(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(bad_options); i++) {
		struct ft_error err = {0};

		assert_int_equal(ft_listener_start(&bad_options[i].options, &listener, &err), -EINVAL);
		assert_string_equal(err.text, bad_options[i].text);
		assert_null(listener);
	}
}

static int end(void **state)
{
	(void)state;
	ft_listener_free(FT_STEAL(listener));
	return 0;
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test_teardown(test_alive, end),
		cmocka_unit_test_teardown(test_slow_parent, end),
		cmocka_unit_test_teardown(test_child_killed, end),
		cmocka_unit_test_teardown(test_freed, end),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test_teardown(test_options, end),
	};
	struct CMUnitTest tests[FT_COUNT(rows) + FT_COUNT(others)];

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 99;
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		tests[i] = (struct CMUnitTest){rows[i].name, test_script, NULL, end, (void *)i};
	memcpy(tests + FT_COUNT(rows), others, sizeof(others));
	return cmocka_run_group_tests_name("listener", tests, NULL, NULL);
}
