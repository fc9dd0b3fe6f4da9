/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Converts libibnetdisc's fabric to a survey. */
#ifndef FT_PROBE_FABRIC_H
#define FT_PROBE_FABRIC_H

#include <infiniband/ibnetdisc.h>

#include "probe/survey.h"

/*
 * Adds all of @fabric to @survey, which is empty.
 *
 * What libibnetdisc 44 leaves behind where SMPs were lost, and how that is detected:
 * - PortInfo of port 0: no port of the switch was queried; the port on the path there is a shell (info all zero).
 * - PortInfo of another port: NULL in ports[], or a shell if the far end's side found it.
 * - NodeInfo: remoteport NULL on a port that is LinkUp. NodeDescription: nodedesc empty.
 * - ExtendedPortInfo: ext_info all zero. libibnetdisc merges two nodes with the same GUID; only the link that was found
 * last has both directions.
 *
 * A fabric from a cache file is the same, without paths, ext_info and from_portnum.
 * Returns 0 or -ENOMEM.
 */
int ft_fabric_survey(const ibnd_fabric_t *fabric, struct ft_survey *survey);

#endif
