/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Whom a file may be left to that the daemon is about to run: nobody may change it, or put another in its place, who is
 * not trusted with the daemon's privileges anyway. As sshd(8) holds keys to it (StrictModes).
 */
#ifndef FT_DAEMON_TRUST_H
#define FT_DAEMON_TRUST_H

#include <sys/types.h>

#include "base/text.h"

/*
 * Is @path, every directory on the way to it and every link on the way safe to be used by @user? Links are followed.
 *
 * Each belongs to root or to @user. The group may write only where @user is not root, others never; a directory on the
 * way may be writable by both if it is sticky, as /tmp is, since nobody can rename another's file there.
 *
 * @path     absolute
 * @ret_why  with -EPERM: "PATH belongs to user 1000: chown root PATH", safe, on one line
 * Returns 0, -EPERM, or -errno where it cannot be told (it is not there, or cannot be reached).
 */
int ft_trust_check(const char *path, uid_t user, struct ft_text *ret_why);

#endif
