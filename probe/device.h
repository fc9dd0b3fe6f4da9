/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Why no management packets can be sent from this machine, and what to do about it: as far as sysfs, /dev and /proc
 * tell.
 */
#ifndef FT_PROBE_DEVICE_H
#define FT_PROBE_DEVICE_H

#include "base/text.h"

/*
 * No device was found. @root stands in front of /sys and the like: "" but in tests.
 *
 * @ca  the one that was asked for, or NULL
 */
void ft_device_explain_none(const char *root, const char *ca, struct ft_text *text);

/*
 * The device is there, and its port was not opened for management packets.
 */
void ft_device_explain_closed(const char *root, const char *ca, int port, struct ft_text *text);

#endif
