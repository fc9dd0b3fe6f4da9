/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The events that a hook failed for, each with its own retries. Only the oldest queued event of an alert is tried;
 * later ones of the same alert wait for it, those of other alerts do not.
 */
#ifndef FT_DAEMON_HOOK_TRIES_H
#define FT_DAEMON_HOOK_TRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ft_hook_try {
	char *id;		  /* the alert's */
	uint64_t seq;		  /* the event's */
	unsigned int failures;	  /* of this event; 0: not tried yet, after an earlier one was given up */
	int64_t failing_since_ms; /* monotonic; of the first failure for this alert */
	int64_t due_ms;		  /* monotonic: when it is tried again */
	bool seen;		  /* for the caller */
};

/* Sorted by id: a hook that fails for everything has as many as there are queued events. */
struct ft_hook_tries {
	struct ft_hook_try *items;
	size_t count, size;
};

void ft_hook_tries_release(struct ft_hook_tries *tries);

/* The entry of that alert, or NULL. Valid until one is added or removed. */
struct ft_hook_try *ft_hook_tries_find(const struct ft_hook_tries *tries, const char *id);

/* The same; a new one if there is none. NULL: out of memory. */
struct ft_hook_try *ft_hook_tries_get(struct ft_hook_tries *tries, const char *id);

void ft_hook_tries_remove(struct ft_hook_tries *tries, struct ft_hook_try *one);

/* Removes those not marked as seen. */
void ft_hook_tries_sift(struct ft_hook_tries *tries);

#endif
