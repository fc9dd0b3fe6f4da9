/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Discovery: requests all attributes that a survey lacks, and those of the nodes found behind them, breadth first. With
 * an empty survey this is a full sweep; after libibnetdisc it fills the gaps: libibnetdisc requests each attribute
 * once, so that one lost packet can hide a whole switch.
 *
 * Each attribute is requested once: NodeInfo of the far node of each port that is up, from one end of the cable only;
 * NodeDescription; PortInfo of each port. Where a switch has SwitchPortStateTable (IBTA Vol 1, 14.2.5), PortInfo of
 * ports that are down by that table is not requested; nor, of a cable between switches of one kind, that of the second
 * end where the first one tells all (ft_survey_mirror()).
 *
 * Two nodes with the same GUID are told apart: if a far end reports a GUID and port that are already cabled to another
 * port, the link is checked from its other side, and the far end becomes a second node of that GUID if the check fails.
 */
#ifndef FT_PROBE_DISCOVERY_H
#define FT_PROBE_DISCOVERY_H

#include "probe/scheduler.h"

/*
 * Completes @survey as far as it goes. Sends Get SMPs only.
 * Returns 0 (what stays unknown is in the survey), -ENOMEM, or with @err filled -EIO where the port cannot be used or
 * nothing responds any more, or -ETIMEDOUT.
 */
int ft_discover(struct ft_survey *survey, const struct ft_scheduler_options *options, struct ft_smp_count *ret_count,
		struct ft_error *err);

#endif
