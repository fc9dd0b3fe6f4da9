/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Checks a file that the daemon is about to execute: only users trusted with the daemon's privileges may change or
 * replace it. As StrictModes of sshd(8) for keys.
 */
#ifndef FT_DAEMON_TRUST_H
#define FT_DAEMON_TRUST_H

#include <sys/types.h>

#include "base/text.h"

/*
 * Whether @path, every directory and every link on the way to it are safe to be used by @user. Links are followed.
 *
 * Each belongs to root or to @user. The group may write only where @user is not root, others never; a directory on the
 * way may be writable by both if it is sticky, as /tmp is, since users cannot rename others' files there.
 *
 * @path     absolute
 * @ret_why  with -EPERM: "PATH belongs to user 1000: chown root PATH", safe, on one line
 * Returns 0, -EPERM, or -errno if it cannot be checked (missing, or unreachable).
 */
int ft_trust_check(const char *path, uid_t user, struct ft_text *ret_why);

#endif
