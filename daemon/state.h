/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The alerts on disk: alerts.json in the state directory, and the generation before it as alerts.json.old.
 *
 * Written beside (alerts.json.new), synced and renamed, so that there is always a whole one; a damaged one, and one of
 * a newer version, is set aside as alerts.json.damaged and the one before it is taken. Then what the lost one knew may
 * be said once more, under numbers that no event had before.
 */
#ifndef FT_DAEMON_STATE_H
#define FT_DAEMON_STATE_H

#include "daemon/alert.h"

/*
 * @directory  the state directory; it exists
 * @ret_alerts  out: the alerts; fresh ones where no file is, or none is whole
 * @ret_note    out: "" or one line worth a warning: what was wrong with a file, and what was taken instead. A state
 * file that is there and cannot be read (permissions) is one too Returns 0 or -ENOMEM.
 */
int ft_state_load(const char *directory, struct ft_now now, struct ft_alerts **ret_alerts, struct ft_text *ret_note);

/*
 * Writes them, without waiting for the disk. From now on a process that reads them, after a kill too, finds them; after
 * a power failure only once ft_state_sync() was through. On failure the file of before is still there whole.
 *
 * @synced  the file of before is on the disk: it becomes alerts.json.old. One that may not be does not take the place
 *          of one that is
 * Returns 0 or -errno.
 */
int ft_state_save(const char *directory, const struct ft_alerts *alerts, struct ft_now now, bool synced);

/* Waits until alerts.json is on the disk, however long that takes: for a child process. Returns 0 or -errno. */
int ft_state_sync(const char *directory);

#endif
