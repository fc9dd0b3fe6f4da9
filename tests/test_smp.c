/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The wire (probe/smp.c) on a umad device of the test's own, which can be waited for by epoll as a kernel's can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first. */
#include <cmocka.h>
#include <errno.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/guard.h"
#include "probe/smp.h"

enum { QUEUE_MAX = 64, UMAD_SIZE = 512, WRONG_TID = 1, WRONG_ATTRIBUTE, WRONG_MODIFIER, NO_RESPONSE };

#define NS_PER_MS 1000000LL

/* What becomes of a packet that is sent. */
enum fate { ANSWERED, BUSY, REFUSED, TIMED_OUT, FORGOTTEN, UNSENT };

static struct {
	int fd;
	enum fate fate;
	int wrong; /* what is, of an answer */
	uint8_t queue[QUEUE_MAX][UMAD_SIZE];
	size_t first, count;
	int receive_error; /* of each receipt; 0: none */
	unsigned int sent, opened;
} device;

int __wrap_umad_open_port(const char *ca_name, int portnum);
int __wrap_umad_close_port(int fd);
int __wrap_umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long mask[16 / sizeof(long)]);
int __wrap_umad_unregister(int fd, int agentid);
int __wrap_umad_send(int fd, int agentid, void *umad, int length, int timeout_ms, int retries);
int __wrap_umad_recv(int fd, void *umad, int *length, int timeout_ms);

int __wrap_umad_open_port(const char *ca_name, int portnum)
{
	assert_string_equal(ca_name, "fake0");
	assert_int_equal(portnum, 1);
	device.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	device.opened++;
	return device.fd;
}

int __wrap_umad_close_port(int fd)
{
	device.opened--;
	return close(fd);
}

int __wrap_umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long mask[16 / sizeof(long)])
{
	(void)fd;
	(void)mask;
	assert_int_equal(mgmt_class, IB_SMI_DIRECT_CLASS);
	assert_int_equal(mgmt_version, 1);
	assert_int_equal(rmpp_version, 0);
	return 7;
}

int __wrap_umad_unregister(int fd, int agentid)
{
	(void)fd;
	assert_int_equal(agentid, 7);
	return 0;
}

static void answer(uint8_t *umad)
{
	uint8_t *mad = umad_get_mad(umad);

	if (device.fate == TIMED_OUT) {
		((struct ib_user_mad *)(void *)umad)->status = ETIMEDOUT;
		return;
	}
	/* The kernel gives the upper half of a transaction another value. */
	mad[8] = 0x55;
	mad_set_field(mad, 0, IB_MAD_RESPONSE_F, device.wrong != NO_RESPONSE);
	mad_set_field(mad, 0, IB_DRSMP_STATUS_F, device.fate == BUSY ? 1 : device.fate == REFUSED ? 0xc : 0);
	mad[IB_SMP_DATA_OFFS] = 'A';
	if (device.wrong == WRONG_TID)
		mad[15] ^= 1;
	if (device.wrong == WRONG_ATTRIBUTE)
		mad_set_field(mad, 0, IB_MAD_ATTRID_F, IB_ATTR_NODE_DESC);
	if (device.wrong == WRONG_MODIFIER)
		mad_set_field(mad, 0, IB_MAD_ATTRMOD_F, 6);
}

int __wrap_umad_send(int fd, int agentid, void *umad, int length, int timeout_ms, int retries)
{
	uint8_t *copy = device.queue[(device.first + device.count) % QUEUE_MAX];
	const uint64_t one = 1;

	assert_int_equal(fd, device.fd);
	assert_int_equal(agentid, 7);
	assert_int_equal(length, IB_MAD_SIZE);
	assert_true(timeout_ms > 0);
	assert_int_equal(retries, 0);
	assert_int_equal(mad_get_field(umad_get_mad(umad), 0, IB_MAD_METHOD_F), IB_MAD_METHOD_GET);
	if (device.fate == UNSENT)
		return -EIO;
	device.sent++;
	if (device.fate == FORGOTTEN)
		return 0;
	assert_true(device.count < QUEUE_MAX);
	memcpy(copy, umad, umad_size() + IB_MAD_SIZE);
	answer(copy);
	device.count++;
	assert_int_equal(write(fd, &one, sizeof(one)), sizeof(one));
	return 0;
}

int __wrap_umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	uint64_t one;

	assert_int_equal(fd, device.fd);
	assert_int_equal(*length, IB_MAD_SIZE);
	assert_int_equal(timeout_ms, 0);
	if (device.receive_error)
		return device.receive_error;
	if (device.count == 0)
		return -EAGAIN;
	memcpy(umad, device.queue[device.first], umad_size() + IB_MAD_SIZE);
	device.first = (device.first + 1) % QUEUE_MAX;
	device.count--;
	assert_int_equal(read(fd, &one, sizeof(one)), sizeof(one));
	return 7;
}

static struct ft_smp_wire *wire_open(int64_t lasts_ms)
{
	struct ft_smp_wire *wire = NULL;

	memset(&device, 0, sizeof(device));
	assert_int_equal(ft_smp_open(&(struct ft_smp_options){.ca = "fake0",
							      .port = 1,
							      .max_smps = 4,
							      .end_ms = ft_guard_now_ms() + lasts_ms},
				     &wire, NULL),
			 0);
	return wire;
}

static const struct ft_smp_request request = {
	.attribute = IB_ATTR_PORT_INFO, .modifier = 5, .timeout_ms = 500, .hops = 2, .path = {0, 1, 3}};

static const struct answer_case {
	const char *name;
	enum fate fate;
	int wrong;
	enum ft_smp_outcome outcome;
	bool slow;
} answer_cases[] = {
	{"answered", ANSWERED, 0, FT_SMP_ANSWERED, false},
	{"busy", BUSY, 0, FT_SMP_BUSY, false},
	{"refused", REFUSED, 0, FT_SMP_REFUSED, false},
	{"lost, told at once", TIMED_OUT, 0, FT_SMP_LOST, false},
	{"an answer to another attribute", ANSWERED, WRONG_ATTRIBUTE, FT_SMP_LOST, false},
	{"an answer to another modifier", ANSWERED, WRONG_MODIFIER, FT_SMP_LOST, false},
	{"a Get in place of an answer", ANSWERED, NO_RESPONSE, FT_SMP_LOST, false},
	/* Not known before it is overdue, its time-out and a second after it was sent. */
	{"an answer to nobody", ANSWERED, WRONG_TID, FT_SMP_LOST, true},
	{"forgotten by the kernel", FORGOTTEN, 0, FT_SMP_LOST, true},
};

static void test_answer(void **state)
{
	const struct answer_case *c = *state;
	_cleanup_(ft_smp_closep) struct ft_smp_wire *wire = wire_open(60000);
	struct ft_smp_answer got;
	int64_t began_ms = ft_guard_now_ms();
	int slot;

	device.fate = c->fate;
	device.wrong = c->wrong;
	slot = ft_smp_send(wire, &request);
	assert_in_range(slot, 0, 3);
	assert_int_equal(ft_smp_pending(wire), 1);
	assert_true(ft_smp_receive_until(wire, INT64_MAX, &got));
	assert_int_equal(got.slot, slot);
	assert_int_equal(got.outcome, c->outcome);
	assert_int_equal(got.slow, c->slow);
	if (c->outcome == FT_SMP_ANSWERED)
		assert_int_equal(got.data[0], 'A');
	if (c->slow)
		assert_true(ft_guard_now_ms() - began_ms >= 1500);
	assert_int_equal(ft_smp_pending(wire), 0);
	assert_int_equal(ft_smp_count(wire).mads, 1);
	assert_int_equal(ft_smp_count(wire).timeouts, c->outcome == FT_SMP_LOST);
}

/* What the kernel forgot keeps nobody's answer, and its place is given up while others are sent and answered. */
static void test_forgotten(void **state)
{
	_cleanup_(ft_smp_closep) struct ft_smp_wire *wire = wire_open(60000);
	struct ft_smp_answer got;
	int64_t began_ms = ft_guard_now_ms();
	int forgotten;
	(void)state;

	device.fate = FORGOTTEN;
	forgotten = ft_smp_send(wire, &request);
	device.fate = ANSWERED;
	do {
		assert_true(ft_guard_now_ms() - began_ms < 10000);
		assert_true(ft_smp_send(wire, &request) >= 0);
		assert_true(ft_smp_receive_until(wire, INT64_MAX, &got));
	} while (got.outcome == FT_SMP_ANSWERED);
	assert_int_equal(got.outcome, FT_SMP_LOST);
	assert_int_equal(got.slot, forgotten);
	assert_true(ft_smp_receive_until(wire, INT64_MAX, &got));
	assert_int_equal(got.outcome, FT_SMP_ANSWERED);
	assert_int_equal(ft_smp_pending(wire), 0);
}

/* Nothing is on the wire, or nothing comes by then, or the wire's own time is over. */
static void test_until(void **state)
{
	_cleanup_(ft_smp_closep) struct ft_smp_wire *wire = wire_open(200);
	struct ft_smp_answer got;
	int64_t now_ns = ft_smp_now_ns();
	(void)state;

	assert_false(ft_smp_receive_until(wire, 0, &got));
	assert_false(ft_smp_receive_until(wire, now_ns + 30 * NS_PER_MS, &got));
	assert_true(ft_smp_now_ns() - now_ns >= 30 * NS_PER_MS);
	device.fate = FORGOTTEN;
	for (unsigned int i = 0; i < 4; i++)
		assert_true(ft_smp_send(wire, &request) >= 0);
	assert_int_equal(ft_smp_send(wire, &request), -EBUSY);
	assert_false(ft_smp_receive_until(wire, ft_smp_now_ns() + 30 * NS_PER_MS, &got));
	assert_int_equal(ft_smp_pending(wire), 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_true(ft_smp_receive_until(wire, INT64_MAX, &got));
		assert_int_equal(got.outcome, FT_SMP_LOST);
	}
	assert_true(ft_smp_now_ns() - now_ns >= 190 * NS_PER_MS);
	assert_false(ft_smp_receive_until(wire, INT64_MAX, &got));
}

/* A device that is gone: nothing is sent any more, once that is certain. */
static void test_gone(void **state)
{
	_cleanup_(ft_smp_closep) struct ft_smp_wire *wire = wire_open(60000);
	struct ft_smp_answer got;
	(void)state;

	device.fate = UNSENT;
	assert_int_equal(ft_smp_send(wire, &request), -EIO);
	assert_int_equal(ft_smp_pending(wire), 0);
	device.fate = FORGOTTEN;
	device.receive_error = -ENODEV;
	for (unsigned int i = 0; i < 100; i++) {
		assert_true(ft_smp_send(wire, &request) >= 0 || ft_smp_pending(wire) == 4);
		assert_false(ft_smp_receive_until(wire, 0, &got));
	}
	device.fate = ANSWERED;
	while (ft_smp_pending(wire) > 0)
		ft_smp_receive_until(wire, INT64_MAX, &got);
	assert_int_equal(ft_smp_send(wire, &request), -EIO);
}

static void test_closed(void **state)
{
	(void)state;
	assert_int_equal(device.opened, 0);
}

int main(void)
{
	struct CMUnitTest tests[FT_COUNT(answer_cases) + 4];
	size_t count = 0;

	for (size_t i = 0; i < FT_COUNT(answer_cases); i++)
		tests[count++] = (struct CMUnitTest){answer_cases[i].name, test_answer, NULL, NULL,
						     (void *)(uintptr_t)&answer_cases[i]};
	tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_forgotten);
	tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_until);
	tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_gone);
	tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_closed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
