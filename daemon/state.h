/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The alerts on disk: alerts.json in the state directory, and the generation before it as alerts.json.old.
 *
 * Written beside (alerts.json.new), synced and renamed, so that there is always a whole one; a damaged one, and one of
 * a newer version, or one that cannot be read, is set aside as alerts.json.damaged and the one before it is taken. Then
 * what the lost one knew may be said once more, under numbers that no event had before.
 */
#ifndef FT_DAEMON_STATE_H
#define FT_DAEMON_STATE_H

#include "daemon/alert.h"

/*
 * Takes the directory for this process, by a lock on the file "lock" in it: two daemons that write the same state would
 * lose each other's alerts. It is free as soon as @ret_fd is closed, by the end of the process at the latest; a child
 * that keeps the descriptor open keeps the lock.
 *
 * Returns 0, -EWOULDBLOCK (another process has it), or -errno. @err is filled with one line.
 */
int ft_state_lock(const char *directory, int *ret_fd, struct ft_error *err);

/*
 * @directory  the state directory; it exists
 * @ret_alerts  out: the alerts; fresh ones where no file is, or none is whole
 * @ret_note    out: "" or one line worth a warning: what was wrong with a file, and what was taken instead. A file
 *              that is there and cannot be read (permissions) is something wrong, too
 * Returns 0, -ENOMEM, -EMFILE or -ENFILE: then nothing is wrong with the files.
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
