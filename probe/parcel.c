/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/parcel.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/snapshot_build.h"

/* If @code is 0, the text and then, maybe, a snapshot follow. */
struct head {
	uint32_t magic;
	int32_t code;
	uint64_t length;
	uint32_t has_snapshot;
	uint32_t reserved;
	char text[FT_ERROR_TEXT_SIZE];
};

enum { CODE_MAX = 4095 }; /* of Linux: a system call returns no error beyond it */

static const uint32_t HEAD_MAGIC = 0x66744732;

static int write_all(int fd, const void *bytes, size_t length)
{
	const char *p = bytes;

	while (length > 0) {
		ssize_t n = write(fd, p, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		length -= (size_t)n;
	}
	return 0;
}

int ft_parcel_send(int fd, int code, const struct ft_error *err, const struct ft_guard_result *result)
{
	struct head head = {.magic = HEAD_MAGIC, .code = code};
	int r;

	if (code == 0) {
		head.length = result->text.length;
		head.has_snapshot = result->snapshot != NULL;
	}
	memcpy(head.text, err->text, sizeof(head.text));
	r = write_all(fd, &head, sizeof(head));
	if (r == 0 && head.length > 0)
		r = write_all(fd, result->text.data, result->text.length);
	if (r == 0 && head.has_snapshot)
		r = ft_snapshot_send(fd, result->snapshot);
	return r;
}

/* The part after the head, which gives its sizes. */
static int parts_take(const struct head *head, const char *bytes, size_t length, struct ft_guard_result *result,
		      struct ft_error *err)
{
	if (head->length > length || (!head->has_snapshot && head->length != length))
		return ft_error_set(err, -EINVAL, 0, 0, "it was cut short");
	if (head->length > 0)
		ft_text_add(&result->text, bytes, head->length);
	if (ft_text_failed(&result->text))
		return -ENOMEM;
	if (!head->has_snapshot)
		return 0;
	return ft_snapshot_receive(bytes + head->length, length - head->length, &result->snapshot, err);
}

int ft_parcel_open(const char *bytes, size_t length, int *ret_code, struct ft_guard_result *ret_result,
		   struct ft_error *err)
{
	_cleanup_(ft_guard_result_release) struct ft_guard_result result = {0};
	struct head head;
	int r;

	if (length < sizeof(head))
		return -ENODATA;
	memcpy(&head, bytes, sizeof(head));
	head.text[sizeof(head.text) - 1] = '\0';
	if (head.magic != HEAD_MAGIC || head.code > 0 || head.code < -CODE_MAX)
		return -EBADMSG;
	*ret_code = head.code;
	if (head.code < 0) {
		ft_error_set(err, head.code, 0, 0, "%s", head.text[0] ? head.text : strerror(-head.code));
		return 0;
	}
	r = parts_take(&head, bytes + sizeof(head), length - sizeof(head), &result, err);
	if (r < 0)
		return r;
	*ret_result = result;
	result = (struct ft_guard_result){0};
	return 0;
}
