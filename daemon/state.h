/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The alerts on disk: alerts.json in the state directory, and the generation before it as alerts.json.old.
 *
 * Written as alerts.json.new, synced and renamed, so that a complete file always exists; a file that is damaged,
 * unreadable or of a newer version is renamed to alerts.json.damaged and the previous generation is used. Then events
 * of the lost file may be repeated, with numbers that no event had before.
 *
 * Its size is bounded by the plan: what stands is at most a report; events that wait are at most max_alerts bytes
 * (verify/model/bounds.h), as the lists in the findings of the oldest are cut then, and so are alerts that are over and
 * may be flapping, the oldest of which are forgotten.
 */
#ifndef FT_DAEMON_STATE_H
#define FT_DAEMON_STATE_H

#include "daemon/alert.h"

/*
 * Locks the directory for this process, by the file "lock" in it: two daemons that write the same state would lose each
 * other's alerts. The lock is released when @ret_fd is closed, by the end of the process at the latest; a child that
 * keeps the descriptor open keeps the lock.
 *
 * Returns 0, -EWOULDBLOCK (another process has it), or -errno. @err is filled with one line.
 */
int ft_state_lock(const char *directory, int *ret_fd, struct ft_error *err);

/*
 * @directory  the state directory; it exists
 * @ret_alerts  out: the alerts; fresh ones where no file is, or none is whole
 * @ret_note    out: "" or one line worth a warning: the fault of a file, and its replacement. An existing file that
 *              cannot be read (permissions) is a fault, too
 * Returns 0, -ENOMEM, -EMFILE or -ENFILE: then the files are not at fault.
 */
int ft_state_load(const char *directory, struct ft_now now, struct ft_alerts **ret_alerts, struct ft_text *ret_note);

/*
 * Writes them, without waiting for the disk. They survive the end of the process at once, and a power failure after
 * ft_state_sync() has returned. On failure the previous file is still complete.
 *
 * @synced  the previous file was synced: it becomes alerts.json.old. One that was not does not replace one that was
 * Returns 0 or -errno.
 */
int ft_state_save(const char *directory, const struct ft_alerts *alerts, struct ft_now now, bool synced);

/* Waits until alerts.json is on disk, for any length of time: for a child process. Returns 0 or -errno. */
int ft_state_sync(const char *directory);

#endif
