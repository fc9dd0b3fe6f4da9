/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Addresses of Ethernet ports: 48 bits in a number, the first byte highest. */
#ifndef FT_BASE_MAC_H
#define FT_BASE_MAC_H

#include <stdint.h>

#include "base/text.h"

/*
 * Reads an address in any of the usual forms: 02:00:5e:10:00:01, 02-00-5e-10-00-01, 0200.5e10.0001, 02005e100001.
 *
 * @ret_mac  out: untouched on failure
 *
 * Returns 0; -EINVAL: it is none of these; -ERANGE: it is none of a single port (zero, or a group's: IEEE 802, the
 * lowest bit of the first byte).
 */
int ft_mac_read(const char *string, uint64_t *ret_mac);

/* Adds it with colons, in small letters. */
void ft_mac_add(struct ft_text *text, uint64_t mac);

#endif
