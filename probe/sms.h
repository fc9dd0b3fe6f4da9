/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The subnet managers: reads SMInfo from every port whose PortInfo announces one (CapabilityMask.IsSM). One
 * directed-route SMP for each such port.
 *
 * Source: IBTA Vol 1, 14.2.5.13 (SMInfo) and 14.4.1 (the states).
 */
#ifndef FT_PROBE_SMS_H
#define FT_PROBE_SMS_H

#include "probe/source.h"

/* SMInfo:SMState */
enum ft_sm_state {
	FT_SM_NOT_ACTIVE,
	FT_SM_DISCOVERING,
	FT_SM_STANDBY,
	FT_SM_MASTER,
	FT_SM_SILENT, /* no response: the manager hangs or is gone, or the packets were lost */
};

struct ft_sm {
	uint64_t guid;	   /* of its port, by SMInfo; 0: no response */
	uint32_t node;	   /* index into the snapshot's nodes */
	uint32_t activity; /* SMInfo:ActCount */
	uint8_t port;	   /* of that node; 0: a switch's own */
	uint8_t state;	   /* enum ft_sm_state */
	uint8_t priority;  /* 0 to 15, the highest becomes master */
};

struct ft_sms {
	struct ft_sm *items; /* in the order of the snapshot's nodes and ports */
	uint32_t count;
};

void ft_sms_free(struct ft_sms *sms);
static inline void ft_sms_freep(struct ft_sms **sms)
{
	ft_sms_free(*sms);
}

/*
 * Queries the managers of @snapshot, which a live sweep with @options has just returned, in a child process
 * (probe/guard.h). Get MADs only.
 *
 * @ret_sms  out: all managers, including those that did not respond; an empty list is no failure. The caller frees it
 * Returns 0 or -errno as ft_sweep(), with @err filled.
 */
int ft_sms_ask(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot, struct ft_sms **ret_sms,
	       struct ft_error *err);

/* The same in the calling process, as ft_sweep_here(). */
int ft_sms_ask_here(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot, int64_t end_ms,
		    struct ft_sms **ret_sms, struct ft_error *err);

#endif
