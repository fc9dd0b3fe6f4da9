/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Diagnoses why no management packets can be sent from this machine, and says what to do, from sysfs, /dev and /proc.
 */
#ifndef FT_PROBE_DEVICE_H
#define FT_PROBE_DEVICE_H

#include "base/text.h"

/*
 * No device was found. @root is the prefix of /sys and the like: "" except in tests.
 *
 * @ca  the CA that the user named, or NULL
 */
void ft_device_explain_none(const char *root, const char *ca, struct ft_text *text);

/* The device exists, but its port could not be opened for management packets. */
void ft_device_explain_closed(const char *root, const char *ca, int port, struct ft_text *text);

#endif
