/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target for what the fabric sends to the listener: any bytes are a Report, an answer to one of its requests,
 * or none of these. Seeds: tests/data/fuzz_notice/.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/notice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TID = 0x01020304 };

static void check(int truth)
{
	if (!truth)
		abort();
}

static void check_report(const uint8_t *mad, size_t size)
{
	struct ft_notice notice = {0};
	uint8_t answer[FT_MAD_SIZE] = {0};
	int r = ft_report_parse(mad, size, &notice);

	check(r >= -22 && r <= 1);
	if (r == 1) {
		check(notice.trap == FT_TRAP_LINK_STATE || notice.trap == FT_TRAP_IN_SERVICE ||
		      notice.trap == FT_TRAP_OUT_OF_SERVICE);
		check(notice.trap == FT_TRAP_LINK_STATE ? notice.lid > 0 && notice.lid <= FT_LID_UNICAST_MAX
							: notice.guid != 0);
	}
	if (r < 0)
		return;
	/* The answer to a Report is none itself, or two daemons would send it back and forth. */
	memcpy(answer, mad, size < sizeof(answer) ? size : sizeof(answer));
	ft_report_answer(answer);
	check(ft_report_parse(answer, sizeof(answer), &notice) < 0);
}

static void check_answer(const uint8_t *mad, size_t size, const uint8_t request[FT_MAD_SIZE])
{
	uint8_t whole[FT_MAD_SIZE] = {0};
	struct ft_own_port port;
	struct ft_sm_info info;
	uint16_t status = 0;

	if (!ft_mad_is_answer(mad, size, request, &status))
		return;
	check(ft_mad_tid(mad) == TID);
	memcpy(whole, mad, size < sizeof(whole) ? size : sizeof(whole));
	ft_mad_own_port(whole, &port);
	ft_mad_sm_info(whole, &info);
	check(port.sm_sl < 16 && port.state < 16 && info.state < 16);
	check(request[1] == FT_CLASS_SA || size >= 128);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ uint8_t *mad = malloc(size > 0 ? size : 1);
	uint8_t requests[4][FT_MAD_SIZE];

	check(mad != NULL);
	memcpy(mad, data, size);
	check_report(mad, size);
	ft_mad_ask_own_port(requests[0], TID);
	ft_mad_ask_sm(requests[1], TID);
	ft_mad_ask_subscription(requests[2], TID, 0xfe80000000000000, 0x100);
	ft_mad_subscribe(requests[3], TID, FT_TRAP_LINK_STATE);
	for (size_t i = 0; i < 4; i++)
		check_answer(mad, size, requests[i]);
	return 0;
}
