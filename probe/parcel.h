/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The byte format in which a guarded child (guard.h) hands its result to its parent: a head, the text, and maybe a
 * snapshot. The reader trusts nothing: a child that crashed may have sent any bytes.
 */
#ifndef FT_PROBE_PARCEL_H
#define FT_PROBE_PARCEL_H

#include "probe/guard.h"

/* Sends the result of the work: @code 0 and @result, or -errno and the text of @err. Returns 0 or -errno. */
int ft_parcel_send(int fd, int code, const struct ft_error *err, const struct ft_guard_result *result);

/*
 * Opens a parcel.
 *
 * @ret_code    out: the return value of the work, 0 or -errno
 * @ret_result  out: its result where that is 0; the caller releases it
 * @err         filled where @ret_code is not 0, with the child's message, and on -EINVAL, with the fault
 * Returns 0; -ENODATA (not all of the head is there); -EBADMSG (it is no parcel); -EINVAL (what the head announces is
 * damaged); or -ENOMEM.
 */
int ft_parcel_open(const char *bytes, size_t length, int *ret_code, struct ft_guard_result *ret_result,
		   struct ft_error *err);

#endif
