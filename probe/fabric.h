/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * From libibnetdisc's fabric to a survey.
 */
#ifndef FT_PROBE_FABRIC_H
#define FT_PROBE_FABRIC_H

#include <infiniband/ibnetdisc.h>

#include "probe/survey.h"

/*
 * Adds all of @fabric to @survey, which is empty.
 *
 * What libibnetdisc 44 leaves behind where SMPs were lost, and how it is told:
 * - PortInfo of port 0: no port of the switch was asked for; the one on the way there is a shell (info all zero).
 * - PortInfo of another port: NULL in ports[], or a shell if the far end's side found it.
 * - NodeInfo: remoteport NULL on a port that is LinkUp. NodeDescription: nodedesc empty.
 * - ExtendedPortInfo: ext_info all zero.
 * Two nodes of one GUID are one there; only the link that was found last has both directions.
 *
 * A fabric from a cache file is the same, without paths, ext_info and from_portnum.
 * Returns 0 or -ENOMEM.
 */
int ft_fabric_survey(const ibnd_fabric_t *fabric, struct ft_survey *survey);

#endif
