/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The MADs of a subscription to the fabric's events, and what a listener makes of hostile ones. */
#include <errno.h>
#include <infiniband/mad.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "probe/listen.h"
#include "probe/notice.h"

/* A Report as OpenSM sends it, and what is changed of it: some bytes at places in the MAD. */
struct change {
	size_t at;
	uint8_t value;
};

enum {
	/* Places in the MAD. */
	AT_NOTICE = 56,
	DETAILS = AT_NOTICE + 10,
	GID = DETAILS + 6,
	CHANGES = 6,
	WHOLE = FT_MAD_SIZE,
};

static const struct {
	const char *name;
	uint16_t trap;
	size_t length;
	struct change changes[CHANGES]; /* up to the first of value 0 at 0 */
	int code;
	struct ft_notice notice;
} reports[] = {
	{"link state", 128, WHOLE, {{0}}, 1, {.trap = 128, .lid = 0x1234}},
	{"came", 64, WHOLE, {{0}}, 1, {.trap = 64, .guid = 0x0002c90300000102}},
	{"went", 65, WHOLE, {{0}}, 1, {.trap = 65, .guid = 0x0002c90300000102}},
	{"of another type and producer",
	 128,
	 WHOLE,
	 {{AT_NOTICE, 0x84}, {AT_NOTICE + 3, 9}},
	 1,
	 {.trap = 128, .lid = 0x1234}},
	{"repeated", 128, WHOLE, {{AT_NOTICE + 8, 0x80}, {AT_NOTICE + 9, 3}}, 1, {.trap = 128, .lid = 0x1234}},
	{"no LID in the details", 128, WHOLE, {{DETAILS, 0}, {DETAILS + 1, 0}}, 1, {.trap = 128, .lid = 0x0077}},
	{"a multicast LID in the details", 128, WHOLE, {{DETAILS, 0xC0}}, 1, {.trap = 128, .lid = 0x0077}},
	{"the permissive LID", 128, WHOLE, {{DETAILS, 0xFF}, {DETAILS + 1, 0xFF}}, 1, {.trap = 128, .lid = 0x0077}},
	{"no LID at all", 128, WHOLE, {{DETAILS, 0}, {DETAILS + 1, 0}, {AT_NOTICE + 7, 0}}, 0, {0}},
	{"the last unicast LID", 128, WHOLE, {{DETAILS, 0xBF}, {DETAILS + 1, 0xFF}}, 1, {.trap = 128, .lid = 0xBFFF}},
	{"no GUID", 65, WHOLE, {{GID + 9, 0}, {GID + 10, 0}, {GID + 11, 0}, {GID + 14, 0}, {GID + 15, 0}}, 0, {0}},
	{"another subnet's prefix", 64, WHOLE, {{GID, 0x20}}, 1, {.trap = 64, .guid = 0x0002c90300000102}},
	{"a trap of no interest", 144, WHOLE, {{0}}, 0, {0}},
	{"trap 0", 0, WHOLE, {{0}}, 0, {0}},
	{"trap 65535", 65535, WHOLE, {{0}}, 0, {0}},
	{"a vendor's notice", 128, WHOLE, {{AT_NOTICE, 0x01}}, 0, {0}},
	{"a status, which a request has none of", 128, WHOLE, {{4, 0xFF}}, 1, {.trap = 128, .lid = 0x1234}},
	{"its response", 128, WHOLE, {{3, 0x86}}, -EINVAL, {0}},
	{"a trap", 128, WHOLE, {{3, 0x05}}, -EINVAL, {0}},
	{"a get", 128, WHOLE, {{3, 0x01}}, -EINVAL, {0}},
	{"a set", 128, WHOLE, {{3, 0x02}}, -EINVAL, {0}},
	{"of the subnet management class", 128, WHOLE, {{1, 0x01}}, -EINVAL, {0}},
	{"of a directed route", 128, WHOLE, {{1, 0x81}}, -EINVAL, {0}},
	{"of the performance class", 128, WHOLE, {{1, 0x04}}, -EINVAL, {0}},
	{"of class version 1", 128, WHOLE, {{2, 1}}, -EINVAL, {0}},
	{"of base version 0x80", 128, WHOLE, {{0, 0x80}}, -EINVAL, {0}},
	{"InformInfo", 128, WHOLE, {{17, 0x03}}, -EINVAL, {0}},
	{"an attribute beyond", 128, WHOLE, {{16, 0x01}}, -EINVAL, {0}},
	{"a segment of many", 128, WHOLE, {{26, 0x01}}, -EINVAL, {0}},
	{"cut behind the details", 128, AT_NOTICE + 64, {{0}}, 1, {.trap = 128, .lid = 0x1234}},
	{"cut in the details", 128, AT_NOTICE + 63, {{0}}, -EINVAL, {0}},
	{"cut in the header", 128, 10, {{0}}, -EINVAL, {0}},
	{"empty", 128, 0, {{0}}, -EINVAL, {0}},
};

static void make_report(uint8_t mad[FT_MAD_SIZE], uint16_t trap)
{
	static const uint8_t gid[] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x00, 0x02, 0xc9, 0x03, 0, 0, 0x01, 0x02};

	memset(mad, 0, FT_MAD_SIZE);
	mad_set_field(mad, 0, IB_MAD_BASEVER_F, 1);
	mad_set_field(mad, 0, IB_MAD_MGMTCLASS_F, IB_SA_CLASS);
	mad_set_field(mad, 0, IB_MAD_CLASSVER_F, 2);
	mad_set_field(mad, 0, IB_MAD_METHOD_F, 6);
	mad_set_field(mad, 0, IB_MAD_ATTRID_F, IB_SA_ATTR_NOTICE);
	mad_set_field(mad, AT_NOTICE, IB_NOTICE_IS_GENERIC_F, 1);
	mad_set_field(mad, AT_NOTICE, IB_NOTICE_TYPE_F, 1);
	mad_set_field(mad, AT_NOTICE, IB_NOTICE_PRODUCER_F, 2);
	mad_set_field(mad, AT_NOTICE, IB_NOTICE_TRAP_NUMBER_F, trap);
	mad_set_field(mad, AT_NOTICE, IB_NOTICE_ISSUER_LID_F, 0x0077);
	if (trap == 64 || trap == 65)
		memcpy(mad + GID, gid, sizeof(gid));
	else
		mad_set_field(mad, AT_NOTICE, IB_NOTICE_DATA_LID_F, 0x1234);
}

static void test_report(void **state)
{
	size_t row = (size_t)*state;
	struct ft_notice notice = {.trap = 1, .lid = 2, .guid = 3};
	uint8_t mad[FT_MAD_SIZE];

	make_report(mad, reports[row].trap);
	for (size_t i = 0; i < CHANGES && reports[row].changes[i].at + reports[row].changes[i].value > 0; i++)
		mad[reports[row].changes[i].at] = reports[row].changes[i].value;
	/* What lies behind the end is not looked at. */
	memset(mad + reports[row].length, 0xA5, sizeof(mad) - reports[row].length);
	assert_int_equal(ft_report_parse(mad, reports[row].length, &notice), reports[row].code);
	if (reports[row].code <= 0) {
		assert_int_equal(notice.trap, 1);
		return;
	}
	assert_int_equal(notice.trap, reports[row].notice.trap);
	assert_int_equal(notice.lid, reports[row].notice.lid);
	assert_true(notice.guid == reports[row].notice.guid);
}

static void test_report_random(void **state)
{
	unsigned int seed = getenv("SEED") ? (unsigned int)strtoul(getenv("SEED"), NULL, 0) : (unsigned int)time(NULL);
	struct ft_notice notice;
	uint8_t mad[FT_MAD_SIZE];

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	for (int i = 0; i < 100000; i++) {
		make_report(mad, i % 3 == 0 ? 128 : i % 3 == 1 ? 64 : (uint16_t)random());
		/* From a few bytes that differ to nothing but noise. */
		for (long n = random() % 8 * (i % 100 == 0 ? 100 : 1); n > 0; n--)
			mad[random() % FT_MAD_SIZE] = (uint8_t)random();
		if (ft_report_parse(mad, (size_t)random() % (FT_MAD_SIZE + 1), &notice) <= 0)
			continue;
		assert_true(notice.trap == 128 || notice.trap == 64 || notice.trap == 65);
		if (notice.trap == 128)
			assert_true(notice.lid > 0 && notice.lid <= 0xBFFF && notice.guid == 0);
		else
			assert_true(notice.lid == 0 && notice.guid != 0);
	}
}

static void test_report_answer(void **state)
{
	uint8_t mad[FT_MAD_SIZE], answer[FT_MAD_SIZE];

	(void)state;
	make_report(mad, 128);
	mad_set_field64(mad, 0, IB_MAD_TRID_F, 0x1122334455667788);
	memcpy(answer, mad, sizeof(mad));
	answer[4] = 0x12;
	ft_report_answer(answer);
	assert_int_equal(answer[3], 0x86);
	/* All else is as it came: the TID tells what is answered. */
	answer[3] = mad[3];
	assert_memory_equal(answer, mad, sizeof(mad));
}

/* Requests, read back by libibmad. */
static void test_requests(void **state)
{
	/* InformInfo for trap 65, of all sources, types and producers, subscribe, QPN 1. */
	static const uint8_t inform[36] = {[16] = 0xff, 0xff, 0xff, 0xff, 0, 0, 1, 1,	 0xff, 0xff,
					   0,		65,   0,    0,	  1, 0, 0, 0xff, 0xff, 0xff};
	uint8_t mad[FT_MAD_SIZE];

	(void)state;
	ft_mad_ask_own_port(mad, 0xAABBCCDD);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_MGMTCLASS_F), IB_SMI_DIRECT_CLASS);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_METHOD_F), IB_MAD_METHOD_GET);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRID_F), IB_ATTR_PORT_INFO);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRMOD_F), 0);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_HOPCNT_F), 0);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_DRSLID_F), 0xffff);
	assert_int_equal(mad_get_field(mad, 0, IB_DRSMP_DRDLID_F), 0xffff);
	assert_true(mad_get_field64(mad, 0, IB_MAD_TRID_F) == 0xAABBCCDD);
	assert_true(ft_mad_tid(mad) == 0xAABBCCDD);

	ft_mad_ask_sm(mad, 7);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_MGMTCLASS_F), IB_SMI_CLASS);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_METHOD_F), IB_MAD_METHOD_GET);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRID_F), IB_ATTR_SMINFO);

	ft_mad_subscribe(mad, 8, 65);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_MGMTCLASS_F), IB_SA_CLASS);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_CLASSVER_F), 2);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_METHOD_F), IB_MAD_METHOD_SET);
	assert_int_equal(mad_get_field(mad, 0, IB_MAD_ATTRID_F), IB_SA_ATTR_INFORMINFO);
	assert_memory_equal(mad + 56, inform, sizeof(inform));
}

static const struct {
	const char *name;
	uint8_t class;
	size_t length;
	struct change changes[CHANGES];
	bool is_answer;
	uint16_t status;
} answers[] = {
	{"own port", 0x81, WHOLE, {{3, 0x81}, {4, 0x80}}, true, 0},
	{"own port, not supported", 0x81, WHOLE, {{3, 0x81}, {4, 0x80}, {5, 0x0c}}, true, 0x0c},
	{"own port, cut", 0x81, 127, {{3, 0x81}}, false, 0},
	{"SM", 0x01, WHOLE, {{3, 0x81}}, true, 0},
	{"SM, all of the status", 0x01, WHOLE, {{3, 0x81}, {4, 0x80}}, true, 0x8000},
	{"SA", 0x03, WHOLE, {{3, 0x81}}, true, 0},
	{"SA, cut", 0x03, 92, {{3, 0x81}}, true, 0},
	{"SA, empty", 0x03, 0, {{3, 0x81}}, false, 0},
	{"SA, refused", 0x03, WHOLE, {{3, 0x81}, {4, 2}}, true, 0x0200},
	{"SA, busy", 0x03, WHOLE, {{3, 0x81}, {5, 1}}, true, 1},
	{"the request itself", 0x03, WHOLE, {{0}}, false, 0},
	{"a Report", 0x03, WHOLE, {{3, 0x06}}, false, 0},
	{"a response to a Report", 0x03, WHOLE, {{3, 0x86}}, false, 0},
	{"another request's", 0x03, WHOLE, {{3, 0x81}, {15, 9}}, false, 0},
	{"another agent's half of the TID", 0x03, WHOLE, {{3, 0x81}, {8, 9}}, true, 0},
	{"another attribute's", 0x03, WHOLE, {{3, 0x81}, {17, 9}}, false, 0},
	{"another class", 0x03, WHOLE, {{3, 0x81}, {1, 0x04}}, false, 0},
	{"another base version", 0x03, WHOLE, {{3, 0x81}, {0, 2}}, false, 0},
};

static void test_answer(void **state)
{
	size_t row = (size_t)*state;
	uint8_t request[FT_MAD_SIZE], answer[FT_MAD_SIZE];
	uint16_t status = 0xEEEE;

	if (answers[row].class == 0x81)
		ft_mad_ask_own_port(request, 77);
	else if (answers[row].class == 0x01)
		ft_mad_ask_sm(request, 77);
	else
		ft_mad_subscribe(request, 77, 128);
	memcpy(answer, request, sizeof(answer));
	for (size_t i = 0; i < CHANGES && answers[row].changes[i].at + answers[row].changes[i].value > 0; i++)
		answer[answers[row].changes[i].at] = answers[row].changes[i].value;
	assert_int_equal(ft_mad_is_answer(answer, answers[row].length, request, &status), answers[row].is_answer);
	assert_int_equal(status, answers[row].is_answer ? answers[row].status : 0xEEEE);
}

static void test_attributes(void **state)
{
	uint64_t guid = 0x0002c903000000ab;
	uint8_t mad[FT_MAD_SIZE] = {0};
	struct ft_own_port port;
	struct ft_sm_info sm;

	(void)state;
	mad_set_field(mad, 64, IB_PORT_LID_F, 0x1234);
	mad_set_field(mad, 64, IB_PORT_SMLID_F, 0x5678);
	mad_set_field(mad, 64, IB_PORT_SMSL_F, 9);
	mad_set_field(mad, 64, IB_PORT_STATE_F, 4);
	mad_set_field(mad, 64, IB_PORT_LINK_SPEED_SUPPORTED_F, 7);
	mad_set_field(mad, 64, IB_PORT_NEIGHBOR_MTU_F, 5);
	ft_mad_own_port(mad, &port);
	assert_int_equal(port.lid, 0x1234);
	assert_int_equal(port.sm_lid, 0x5678);
	assert_int_equal(port.sm_sl, 9);
	assert_int_equal(port.state, 4);

	memset(mad, 0, sizeof(mad));
	mad_set_field64(mad, 64, IB_SMINFO_GUID_F, guid);
	mad_set_field(mad, 64, IB_SMINFO_ACT_F, 0x01020304);
	mad_set_field(mad, 64, IB_SMINFO_PRIO_F, 15);
	mad_set_field(mad, 64, IB_SMINFO_STATE_F, 3);
	ft_mad_sm_info(mad, &sm);
	assert_true(sm.guid == guid);
	assert_int_equal(sm.act_count, 0x01020304);
	assert_int_equal(sm.state, 3);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_report_random),
		cmocka_unit_test(test_report_answer),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_attributes),
	};
	struct CMUnitTest tests[FT_COUNT(reports) + FT_COUNT(answers) + FT_COUNT(others)];
	size_t count = 0;

	for (size_t i = 0; i < FT_COUNT(reports); i++)
		tests[count++] = (struct CMUnitTest){reports[i].name, test_report, NULL, NULL, (void *)i};
	for (size_t i = 0; i < FT_COUNT(answers); i++)
		tests[count++] = (struct CMUnitTest){answers[i].name, test_answer, NULL, NULL, (void *)i};
	memcpy(tests + count, others, sizeof(others));
	return cmocka_run_group_tests_name("listen", tests, NULL, NULL);
}
