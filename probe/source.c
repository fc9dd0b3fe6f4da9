/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "probe/source.h"

#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "probe/snapshot_build.h"

/* A libibnetdisc cache begins with this number, least significant byte first. */
static bool is_cache(const char *bytes, size_t length)
{
	return length >= 4 && memcmp(bytes, "\x2b\x83\xe7\x8f", 4) == 0;
}

/* Nothing that ibnetdiscover prints, and no prompt worth the name, begins with a brace. */
static bool is_snapshot(const char *text, size_t length)
{
	size_t i = ft_text_mark(text, length);

	while (i < length && strchr(" \t\r\n", text[i]) && text[i])
		i++;
	return i < length && text[i] == '{';
}

/* In the order in which they are tried; the last one takes what is left. */
static const struct format {
	bool (*matches)(const char *bytes, size_t length);
	int (*read)(const char *bytes, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);
	bool has_detail; /* the file says itself where it came from */
} formats[] = {
	{is_cache, ft_dump_read_cache, false},
	{ft_dump_is_lst, ft_dump_read_lst, false},
	{is_snapshot, ft_snapshot_read_json, true},
	{NULL, ft_dump_read_ibnetdiscover, false},
};

int ft_source_load(const char *path, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_free_ char *text = NULL;
	const struct format *format = formats;
	size_t length;
	int r;

	r = ft_file_read(path, 0, &text, &length, err);
	if (r < 0)
		return r;
	if (length == 0)
		return ft_error_set(err, -EINVAL, 1, 1, "the file is empty");
	while (format->matches && !format->matches(text, length))
		format++;
	r = format->read(text, length, &snapshot, err);
	if (r < 0)
		return r;
	if (!format->has_detail) {
		r = ft_snapshot_set_detail(snapshot, path);
		if (r < 0)
			return r;
	}
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}
