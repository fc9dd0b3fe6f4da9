/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Walks the fabric: asks for all that a survey does not know yet, and for what is found behind it. With an empty survey
 * that is a sweep; after libibnetdisc, which asks each thing once and goes on without it, so that one lost packet can
 * hide all of a switch, it is what was missed.
 *
 * Each thing is asked for once: NodeInfo of who is behind a port that is up, from one end of a cable; NodeDescription;
 * PortInfo of each port. Where a switch has SwitchPortStateTable (IBTA Vol 1, 14.2.5), ports that it calls down are not
 * asked for.
 *
 * Two nodes of one GUID are seen as two: a far end that gives a GUID and port already cabled to somebody else is looked
 * at from the other side, and becomes a second node of that GUID if it is not there.
 */
#ifndef FT_PROBE_WALK_H
#define FT_PROBE_WALK_H

#include "probe/ask.h"

/*
 * Completes @survey as far as it goes. Sends Get SMPs only.
 * Returns 0 (what stays unknown is in the survey), -ENOMEM, or with @err filled -EIO where the port cannot be used or
 * nobody answers any more, or -ETIMEDOUT.
 */
int ft_walk(struct ft_survey *survey, const struct ft_ask_options *options, struct ft_smp_count *ret_count,
	    struct ft_error *err);

#endif
