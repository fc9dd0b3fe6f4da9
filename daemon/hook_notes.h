/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Notes about hook runs that survive the daemon: a file SEQ.NAME for each event that a hook was started for, locked
 * (flock(2)) as long as its runner lives; the runner records the hook's success in it.
 *
 * Invariant: whenever the hook may be running there is a locked note. It is made and locked before the runner begins,
 * and the runner inherits the lock.
 */
#ifndef FT_DAEMON_HOOK_NOTES_H
#define FT_DAEMON_HOOK_NOTES_H

#include "daemon/alert.h"

/* The longest name of a hook that still makes a file name together with the number of an event. */
enum { FT_HOOK_NAME_MAX = 200 };

enum ft_note {
	FT_NOTE_OURS, /* the hook is to be run */
	FT_NOTE_DONE, /* the hook accepted the event in an earlier run */
	FT_NOTE_BUSY, /* a runner of an earlier daemon is running it */
};

/*
 * Claims the note of @event for the hook @name, in @directory (made where it is absent, its parent is not).
 *
 * @ret_fd  out, with FT_NOTE_OURS: locked, for ft_note_done(); the caller closes it
 * Returns an enum ft_note, or -errno: no note can be kept.
 */
int ft_note_claim(const char *directory, const char *name, const struct ft_event *event, int *ret_fd);

/* Records the hook's success. Called by the runner; waits for the disk. Returns 0 or -errno. */
int ft_note_done(int fd);

/* The hook failed for the event @seq: removes the note, which is not locked any more. */
void ft_note_drop(const char *directory, const char *name, uint64_t seq);

/* Is a runner active for the hook @name, for any event? */
bool ft_note_any_busy(const char *directory, const char *name);

/*
 * Removes notes for which @keep is false, except those of live runners, and other files. Called only when the alerts
 * are on disk: while the alerts on disk have an event queued for a hook, only the note prevents a second run.
 */
void ft_note_clean(const char *directory, bool (*keep)(void *userdata, const char *name, uint64_t seq), void *userdata);

#endif
