/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/notice.h"

#include <errno.h>
#include <string.h>

enum {
	METHOD_GET = 0x01,
	METHOD_SET = 0x02,
	METHOD_RESPONSE = 0x80,

	ATTR_NOTICE = 0x0002,
	ATTR_INFORM_INFO = 0x0003,
	ATTR_PORT_INFO = 0x0015,
	ATTR_SM_INFO = 0x0020,
	ATTR_INFORM_INFO_RECORD = 0x00F3,

	LID_PERMISSIVE = 0xFFFF,
	QP_GENERAL_SERVICES = 1,
	RMPP_ACTIVE = 0x01,
	DIRECTION = 0x8000, /* of a directed route, in its status */

	/* Common header. */
	AT_BASE_VERSION = 0,
	AT_CLASS = 1,
	AT_CLASS_VERSION = 2,
	AT_METHOD = 3,
	AT_STATUS = 4,
	AT_TID_LOW = 12,
	AT_ATTRIBUTE = 16,
	/* SMPs. */
	AT_SOURCE_LID = 32,
	AT_DESTINATION_LID = 34,
	AT_SMP_DATA = 64,
	/* SA MADs. */
	AT_RMPP_FLAGS = 26,
	AT_COMPONENT_MASK = 48,
	AT_SA_DATA = 56,

	HEADER_END = 24,
	SMP_END = AT_SMP_DATA + 64,
	NOTICE_END = AT_SA_DATA + 64, /* its DataDetails' end */

	/* Offsets in their attributes. */
	PORT_INFO_GID_PREFIX = 8,
	PORT_INFO_LID = 16,
	PORT_INFO_SM_LID = 18,
	PORT_INFO_STATE = 32, /* lower half */
	PORT_INFO_SM_SL = 36, /* lower half */

	SM_INFO_GUID = 0,
	SM_INFO_ACT_COUNT = 16,
	SM_INFO_STATE = 20, /* lower half */

	INFORM_LID_BEGIN = 16,
	INFORM_LID_END = 18,
	INFORM_IS_GENERIC = 22,
	INFORM_SUBSCRIBE = 23,
	INFORM_TYPE = 24,
	INFORM_TRAP = 26,
	INFORM_QPN = 28,      /* 24 bits */
	INFORM_PRODUCER = 33, /* 24 bits */

	NOTICE_GENERIC = 0, /* highest bit */
	NOTICE_TRAP = 4,
	NOTICE_ISSUER_LID = 6,
	NOTICE_DETAILS = 10,
	NOTICE_DETAILS_GID = NOTICE_DETAILS + 6, /* of 64 and 65 */
};

/* The components of InformInfo that are set. */
static const uint64_t INFORM_MASK = 1 << 1 | /* LIDRangeBegin */
				    1 << 2 | /* LIDRangeEnd */
				    1 << 4 | /* IsGeneric */
				    1 << 5 | /* Subscribe */
				    1 << 6 | /* Type */
				    1 << 7 | /* TrapNumber */
				    1 << 8 | /* QPN */
				    1 << 12; /* ProducerType */

/* The components of InformInfoRecord that are set. */
static const uint64_t RECORD_MASK = 1 << 0; /* SubscriberGID */

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, (uint16_t)(value >> 16));
	put16(at + 2, (uint16_t)value);
}

static void put64(uint8_t *at, uint64_t value)
{
	put32(at, (uint32_t)(value >> 32));
	put32(at + 4, (uint32_t)value);
}

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

static uint64_t get64(const uint8_t *at)
{
	return (uint64_t)get32(at) << 32 | get32(at + 4);
}

static void put_header(uint8_t mad[FT_MAD_SIZE], uint8_t class, uint8_t version, uint8_t method, uint16_t attribute,
		       uint32_t tid)
{
	memset(mad, 0, FT_MAD_SIZE);
	mad[AT_BASE_VERSION] = 1;
	mad[AT_CLASS] = class;
	mad[AT_CLASS_VERSION] = version;
	mad[AT_METHOD] = method;
	put32(mad + AT_TID_LOW, tid);
	put16(mad + AT_ATTRIBUTE, attribute);
}

void ft_mad_ask_own_port(uint8_t mad[FT_MAD_SIZE], uint32_t tid)
{
	put_header(mad, FT_CLASS_SM_DIRECTED, 1, METHOD_GET, ATTR_PORT_INFO, tid);
	put16(mad + AT_SOURCE_LID, LID_PERMISSIVE);
	put16(mad + AT_DESTINATION_LID, LID_PERMISSIVE);
}

void ft_mad_ask_sm(uint8_t mad[FT_MAD_SIZE], uint32_t tid)
{
	put_header(mad, FT_CLASS_SM, 1, METHOD_GET, ATTR_SM_INFO, tid);
}

void ft_mad_ask_subscription(uint8_t mad[FT_MAD_SIZE], uint32_t tid, uint64_t gid_prefix, uint64_t guid)
{
	put_header(mad, FT_CLASS_SA, 2, METHOD_GET, ATTR_INFORM_INFO_RECORD, tid);
	put64(mad + AT_COMPONENT_MASK, RECORD_MASK);
	put64(mad + AT_SA_DATA, gid_prefix);
	put64(mad + AT_SA_DATA + 8, guid);
}

void ft_mad_subscribe(uint8_t mad[FT_MAD_SIZE], uint32_t tid, uint16_t trap)
{
	uint8_t *inform = mad + AT_SA_DATA;

	put_header(mad, FT_CLASS_SA, 2, METHOD_SET, ATTR_INFORM_INFO, tid);
	put64(mad + AT_COMPONENT_MASK, INFORM_MASK);
	/* Of any origin, type and producer. */
	put16(inform + INFORM_LID_BEGIN, LID_PERMISSIVE);
	put16(inform + INFORM_LID_END, LID_PERMISSIVE);
	inform[INFORM_IS_GENERIC] = 1;
	inform[INFORM_SUBSCRIBE] = 1;
	put16(inform + INFORM_TYPE, 0xFFFF);
	put16(inform + INFORM_TRAP, trap);
	put32(inform + INFORM_QPN, QP_GENERAL_SERVICES << 8);
	memset(inform + INFORM_PRODUCER, 0xFF, 3);
}

uint32_t ft_mad_tid(const uint8_t mad[FT_MAD_SIZE])
{
	return get32(mad + AT_TID_LOW);
}

bool ft_mad_is_answer(const uint8_t *answer, size_t length, const uint8_t request[FT_MAD_SIZE], uint16_t *ret_status)
{
	/* Some SAs truncate their answers to the used part; of those only the status matters. */
	size_t least = request[AT_CLASS] == FT_CLASS_SA ? HEADER_END : SMP_END;
	uint16_t status;

	if (length < least || answer[AT_BASE_VERSION] != 1 || answer[AT_CLASS] != request[AT_CLASS])
		return false;
	/* A GetResp answers a Set too. */
	if (answer[AT_METHOD] != (METHOD_RESPONSE | METHOD_GET) || ft_mad_tid(answer) != ft_mad_tid(request) ||
	    get16(answer + AT_ATTRIBUTE) != get16(request + AT_ATTRIBUTE))
		return false;
	status = get16(answer + AT_STATUS);
	*ret_status = request[AT_CLASS] == FT_CLASS_SM_DIRECTED ? status & (uint16_t)~DIRECTION : status;
	return true;
}

void ft_mad_own_port(const uint8_t mad[FT_MAD_SIZE], struct ft_own_port *ret_port)
{
	const uint8_t *info = mad + AT_SMP_DATA;

	*ret_port = (struct ft_own_port){
		.gid_prefix = get64(info + PORT_INFO_GID_PREFIX),
		.lid = get16(info + PORT_INFO_LID),
		.sm_lid = get16(info + PORT_INFO_SM_LID),
		.sm_sl = info[PORT_INFO_SM_SL] & 0x0F,
		.state = info[PORT_INFO_STATE] & 0x0F,
	};
}

void ft_mad_sm_info(const uint8_t mad[FT_MAD_SIZE], struct ft_sm_info *ret_info)
{
	const uint8_t *info = mad + AT_SMP_DATA;

	*ret_info = (struct ft_sm_info){
		.guid = get64(info + SM_INFO_GUID),
		.act_count = get32(info + SM_INFO_ACT_COUNT),
		.state = info[SM_INFO_STATE] & 0x0F,
	};
}

static bool lid_is_unicast(uint16_t lid)
{
	return lid != 0 && lid <= FT_LID_UNICAST_MAX;
}

static int parse_switch(const uint8_t *notice, struct ft_notice *ret_notice)
{
	uint16_t lid = get16(notice + NOTICE_DETAILS);

	if (!lid_is_unicast(lid))
		lid = get16(notice + NOTICE_ISSUER_LID);
	if (!lid_is_unicast(lid))
		return 0;
	*ret_notice = (struct ft_notice){.trap = FT_TRAP_LINK_STATE, .lid = lid};
	return 1;
}

static int parse_end_port(const uint8_t *notice, uint16_t trap, struct ft_notice *ret_notice)
{
	/* The lower half of a GID is the port's GUID; the upper half is the subnet's prefix. */
	uint64_t guid = get64(notice + NOTICE_DETAILS_GID + 8);

	if (guid == 0)
		return 0;
	*ret_notice = (struct ft_notice){.trap = trap, .guid = guid};
	return 1;
}

int ft_report_parse(const uint8_t *mad, size_t length, struct ft_notice *ret_notice)
{
	const uint8_t *notice = mad + AT_SA_DATA;
	uint16_t trap;

	if (length < NOTICE_END || mad[AT_BASE_VERSION] != 1 || mad[AT_CLASS] != FT_CLASS_SA ||
	    mad[AT_CLASS_VERSION] != 2 || mad[AT_METHOD] != FT_METHOD_REPORT ||
	    get16(mad + AT_ATTRIBUTE) != ATTR_NOTICE || (mad[AT_RMPP_FLAGS] & RMPP_ACTIVE))
		return -EINVAL;
	/* In a vendor's own notice the number has another meaning. */
	if (!(notice[NOTICE_GENERIC] & 0x80))
		return 0;
	trap = get16(notice + NOTICE_TRAP);
	switch (trap) {
	case FT_TRAP_LINK_STATE:
		return parse_switch(notice, ret_notice);
	case FT_TRAP_IN_SERVICE:
	case FT_TRAP_OUT_OF_SERVICE:
		return parse_end_port(notice, trap, ret_notice);
	default:
		return 0;
	}
}

void ft_report_answer(uint8_t mad[FT_MAD_SIZE])
{
	mad[AT_METHOD] = METHOD_RESPONSE | FT_METHOD_REPORT;
	put16(mad + AT_STATUS, 0);
}
