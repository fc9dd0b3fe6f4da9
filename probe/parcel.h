/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What a guarded child (guard.h) hands to its parent, as bytes: a head, so many bytes of text, and maybe a snapshot. A
 * child that crashed may have sent anything.
 */
#ifndef FT_PROBE_PARCEL_H
#define FT_PROBE_PARCEL_H

#include "probe/guard.h"

/* Sends what the work came to: @code 0 and @result, or -errno and the text of @err. Returns 0 or -errno. */
int ft_parcel_send(int fd, int code, const struct ft_error *err, const struct ft_guard_result *result);

/*
 * Opens a parcel.
 *
 * @ret_code    out: what the work came to, 0 or -errno
 * @ret_result  out: its result where that is 0; the caller releases it
 * @err         filled where @ret_code is not 0, with what the child said, and on -EINVAL, with what is wrong
 * Returns 0; -ENODATA (not all of the head is there); -EBADMSG (it is no parcel); -EINVAL (what the head announces is
 * damaged); or -ENOMEM.
 */
int ft_parcel_open(const char *bytes, size_t length, int *ret_code, struct ft_guard_result *ret_result,
		   struct ft_error *err);

#endif
