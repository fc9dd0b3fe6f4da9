/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What outlives the daemon of a hook's run: a file SEQ.NAME for each event that a hook was started for, locked
 * (flock(2)) as long as its runner lives, which writes into it that the hook succeeded.
 *
 * A note is made and locked before the runner begins and the runner inherits the lock: there is no moment at which the
 * hook may run and no note says so.
 */
#ifndef FT_DAEMON_HOOK_NOTES_H
#define FT_DAEMON_HOOK_NOTES_H

#include "daemon/alert.h"

/* The longest name of a hook that still makes a file name together with the number of an event. */
enum { FT_HOOK_NAME_MAX = 200 };

enum ft_note {
	FT_NOTE_OURS, /* the hook is to be run */
	FT_NOTE_DONE, /* the hook took the event before */
	FT_NOTE_BUSY, /* a runner of the daemon before is at it */
};

/*
 * Claims the note of @event for the hook @name, in @directory (made where it is absent, its parent is not).
 *
 * @ret_fd  out, with FT_NOTE_OURS: locked, for ft_note_done(); the caller closes it
 * Returns an enum ft_note, or -errno: no note can be kept.
 */
int ft_note_claim(const char *directory, const char *name, const struct ft_event *event, int *ret_fd);

/* The hook succeeded. To be called by the runner; waits until that is on disk. Returns 0 or -errno. */
int ft_note_done(int fd);

/* The hook failed for the event @seq: forgets the note, which nobody holds any more. */
void ft_note_drop(const char *directory, const char *name, uint64_t seq);

/* Is a runner at work for the hook @name, whatever the event? */
bool ft_note_any_busy(const char *directory, const char *name);

/*
 * Removes the notes that @keep does not want to keep, but for those whose runner lives, and what is no note. To be
 * called only when the alerts are on disk: while they say there that a hook waits for an event, its note is all that
 * says otherwise.
 */
void ft_note_clean(const char *directory, bool (*keep)(void *userdata, const char *name, uint64_t seq), void *userdata);

#endif
