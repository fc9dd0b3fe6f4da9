/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Changes from one recording of a fabric to another that are about devices rather than cables: another name, another
 * device in the same ports, devices that changed places, a director that went, links that became faster.
 *
 * Each is told at once, and the earlier recording is amended as if it had been so before. What still differs then is
 * about cables and hosts, and is found as against a plan. So no change is told twice.
 */
#ifndef FT_VERIFY_MODEL_CHANGES_H
#define FT_VERIFY_MODEL_CHANGES_H

#include "verify/model/report.h"

/* A finding for each change, or for many of one kind: its symptoms list them, each with its place. */
struct ft_device_changes {
	struct ft_finding *items;
	size_t count;
	bool amended; /* the earlier recording is another one now */
	struct ft_arena memory;
};

void ft_device_changes_release(struct ft_device_changes *changes);

#endif
