/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Asks once more for what a sweep missed, and for what is found behind it.
 *
 * libibnetdisc asks each thing once (the kernel repeats it) and goes on without it, so one lost packet can hide all of
 * a switch. Here holes are asked for in passes, with fewer SMPs on the wire: a shallow VL15 buffer may be what lost
 * them. A pass in which nobody answers is the last one unless answers are cheap to wait for: a switch whose SMA is
 * mute costs one round of time-outs.
 *
 * It also parts what libibnetdisc takes for one node: a far end that gives a GUID and port already cabled to somebody
 * else is looked at from the other side, and becomes a second node of that GUID if it is not there.
 */
#ifndef FT_PROBE_MEND_H
#define FT_PROBE_MEND_H

#include "probe/smp.h"

struct ft_mend_options {
	const char *ca;
	int port;
	unsigned int timeout_ms; /* of one SMP */
	unsigned int max_smps;	 /* on the wire, at first */
	unsigned int retries;	 /* of one SMP */
	int64_t end_ms;		 /* when to stop, on the clock of ft_guard_now_ms() */
};

/*
 * Completes @survey as far as it goes; an empty one is made from scratch. Sends Get SMPs only.
 * Returns 0 (what stays unknown is in the survey), -ENOMEM, or -EIO where the port cannot be used, with @err filled.
 */
int ft_mend(struct ft_survey *survey, const struct ft_mend_options *options, struct ft_smp_count *ret_count,
	    struct ft_error *err);

#endif
