/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Encodes and decodes the MADs of a subscription: requests, responses and Reports. No I/O here.
 *
 * Source: IBTA Vol 1, 13.4.2 (MAD header), 13.4.8.2 (Notice), 14.2.5.6 (PortInfo), 14.2.5.13 (SMInfo), 15.2.1 (SA MAD),
 * 13.4.8.3 (InformInfo), 15.2.5.12 (InformInfoRecord).
 */
#ifndef FT_PROBE_NOTICE_H
#define FT_PROBE_NOTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FT_MAD_SIZE = 256,

	FT_TRAP_IN_SERVICE = 64,     /* an end port came */
	FT_TRAP_OUT_OF_SERVICE = 65, /* it went */
	FT_TRAP_LINK_STATE = 128,    /* of a switch's port */

	FT_CLASS_SM = 0x01,
	FT_CLASS_SA = 0x03,
	FT_CLASS_SM_DIRECTED = 0x81,

	FT_METHOD_REPORT = 0x06,

	FT_STATUS_BUSY = 0x0001,
	FT_STATUS_NO_RECORDS = 0x0300, /* the SA's */

	FT_PORT_DOWN = 1, /* PortInfo:PortState */
	FT_PORT_ACTIVE = 4,
	FT_SM_MASTER = 3, /* SMInfo:SMState */

	FT_LID_UNICAST_MAX = 0xBFFF,
};

struct ft_notice {
	uint16_t trap;
	uint16_t lid;  /* FT_TRAP_LINK_STATE: of the switch */
	uint64_t guid; /* FT_TRAP_IN_SERVICE, FT_TRAP_OUT_OF_SERVICE: of the end port */
};

struct ft_own_port {
	uint64_t gid_prefix;
	uint16_t lid;
	uint16_t sm_lid;
	uint8_t sm_sl; /* service level on the path to the SM */
	uint8_t state;
};

struct ft_sm_info {
	uint64_t guid;
	uint32_t act_count;
	uint8_t state;
};

/* Requests. @tid: transaction id; its upper half is the kernel's. */
void ft_mad_ask_own_port(uint8_t mad[FT_MAD_SIZE], uint32_t tid); /* SubnGet(PortInfo), directed, no hop */
void ft_mad_ask_sm(uint8_t mad[FT_MAD_SIZE], uint32_t tid);	  /* SubnGet(SMInfo), by LID */
/* SubnAdmGet(InformInfoRecord): is that end port subscribed to anything? FT_STATUS_NO_RECORDS if not. */
void ft_mad_ask_subscription(uint8_t mad[FT_MAD_SIZE], uint32_t tid, uint64_t gid_prefix, uint64_t guid);
void ft_mad_subscribe(uint8_t mad[FT_MAD_SIZE], uint32_t tid, uint16_t trap); /* SubnAdmSet(InformInfo) */

/* The lower half of the transaction id, of requests and responses. */
uint32_t ft_mad_tid(const uint8_t mad[FT_MAD_SIZE]);

/*
 * Returns whether @answer (@length bytes) is the response to @request; if so, @ret_status is its status field, without
 * the direction bit of directed routes.
 */
bool ft_mad_is_answer(const uint8_t *answer, size_t length, const uint8_t request[FT_MAD_SIZE], uint16_t *ret_status);

/* The attributes of responses. */
void ft_mad_own_port(const uint8_t mad[FT_MAD_SIZE], struct ft_own_port *ret_port);
void ft_mad_sm_info(const uint8_t mad[FT_MAD_SIZE], struct ft_sm_info *ret_info);

/*
 * Decodes a SubnAdmReport(Notice) of @length untrusted bytes.
 *
 * Returns 1 and fills @ret_notice for one of the traps above, 0 for any other Report (which is answered too), or
 * -EINVAL: it is no Report at all.
 */
int ft_report_parse(const uint8_t *mad, size_t length, struct ft_notice *ret_notice);

/* Turns a Report into the response to it. */
void ft_report_answer(uint8_t mad[FT_MAD_SIZE]);

#endif
