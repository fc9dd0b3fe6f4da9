/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The words that depend on what the switches are. Findings and reports are made in the same way for InfiniBand and
 * Ethernet; where a sentence names something that only one of the two has, the words come from here.
 */
#ifndef FT_VERIFY_MODEL_WORDS_H
#define FT_VERIFY_MODEL_WORDS_H

#include <stdbool.h>

struct ft_words {
	bool guids;	      /* a node's number is a name that people know it by, and is printed */
	const char *bind_by;  /* what a design binds a switch by: "name or GUID" */
	const char *called;   /* what --switch takes, after "give " */
	const char *unlisted; /* how a port without a far end is recorded where such ports are not listed */
	const char *silent;   /* of a switch whose links are up: what is wrong */
	const char *silent_fix;
	const char *on_upper;  /* what is wrong with a host on a core switch, after "on a core" */
	const char *gaps_live; /* what to do about what was not seen: live, recorded, and if it does not answer */
	const char *gaps_file;
	const char *gaps_silent;
	const char *unread;	/* of ports of which nothing is known */
	const char *observed;	/* who observed: "the sweep" */
	const char *first_look; /* what to check where nothing was seen */
	bool opensm;		/* what OpenSM makes of the fabric is of interest */
};

const struct ft_words *ft_words_of(bool ethernet);

#endif
