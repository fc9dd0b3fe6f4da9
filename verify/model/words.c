/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/model/words.h"

static const struct ft_words infiniband = {
	.guids = true,
	.bind_by = "name or GUID",
	.called = "its name, its name in the plan, or its GUID with 0x",
	.unlisted = "not listed in the dump",
	.silent = "its management agent is silent",
	.silent_fix = "restart the management of that switch, or power-cycle it; its cables are good",
	.on_upper = "it makes OpenSM's ftree routing give up",
	.gaps_live =
		"sweep again; if it stays, fewer SMPs on the wire (-o 2, outstanding_smps = 2) or a longer time-out",
	.gaps_file = "record the fabric again: this file does not hold all of it",
	.gaps_silent = "find out what is cabled to these ports and why it does not answer",
	.unread = "not read",
	.observed = "the sweep",
	.first_look =
		"check the cable of the port that the sweep starts from, and whether the switch behind it answers",
	.opensm = true,
};

static const struct ft_words ethernet = {
	.bind_by = "name",
	.called = "its name, or its name in the plan",
	.unlisted = "without a neighbor",
	.silent = "it sends no LLDP that can be read",
	.silent_fix = "see that lldpd runs there and sends; its cables are good",
	.on_upper = "there are no ports for hosts",
	.gaps_live = "see that every switch hands over its neighbors (lldpcli show neighbors -f json)",
	.gaps_file = "record the neighbors of every switch: lldpcli show neighbors -f json",
	.gaps_silent =
		"find out what is cabled to these ports: its LLDP cannot be read, or contradicts the other end's",
	.unread = "of which no neighbors are known",
	.observed = "LLDP",
	.first_look = "see that lldpd runs on the switches, and that these are their neighbors",
};

const struct ft_words *ft_words_of(bool is_ethernet)
{
	return is_ethernet ? &ethernet : &infiniband;
}
