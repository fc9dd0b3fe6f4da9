/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/source.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

enum { FREE_SIZE = 16 << 20, TIMES = 250, ALL_SIZE = 1 << 30, GZIP_ONLY = 16 };

struct unpacked {
	char *text;
	size_t length, size;
};

static void unpacked_release(struct unpacked *u)
{
	free(u->text);
}

static void stream_release(z_stream *stream)
{
	inflateEnd(stream);
}

/* Upper bound of the unpacked size: a file of blanks is no dump. */
static size_t limit_of(size_t length)
{
	size_t limit = length > (ALL_SIZE - FREE_SIZE) / TIMES ? ALL_SIZE : FREE_SIZE + length * TIMES;

	return limit;
}

/* Makes room for more bytes, and a NUL. Returns 0, -ENOMEM or -EFBIG. */
static int unpacked_grow(struct unpacked *u, size_t limit, struct ft_error *err)
{
	size_t size = u->size ? u->size * 2 : 65536;
	char *text;

	if (u->length + 1 < u->size)
		return 0;
	if (u->length >= limit)
		return ft_error_set(err, -EFBIG, 0, 0, "unpacked, this is larger than %zu bytes: no dump packs so well",
				    limit);
	text = realloc(u->text, size);
	if (!text)
		return -ENOMEM;
	u->text = text;
	u->size = size;
	return 0;
}

static int stream_unpack(z_stream *stream, struct unpacked *u, size_t limit, struct ft_error *err)
{
	for (;;) {
		int r = unpacked_grow(u, limit, err), z;
		size_t room = u->size - u->length - 1;

		if (r < 0)
			return r;
		stream->next_out = (unsigned char *)u->text + u->length;
		stream->avail_out = (unsigned int)(room < FREE_SIZE ? room : FREE_SIZE);
		room = stream->avail_out;
		z = inflate(stream, Z_NO_FLUSH);
		u->length += room - stream->avail_out;
		if (z == Z_MEM_ERROR)
			return -ENOMEM;
		if (z == Z_OK)
			continue;
		if (z == Z_BUF_ERROR && stream->avail_in > 0)
			continue;
		if (z == Z_BUF_ERROR)
			return ft_error_set(err, -EINVAL, 0, 0, "the packed file ends too early: it was cut short");
		if (z != Z_STREAM_END)
			return ft_error_set(err, -EINVAL, 0, 0, "the packed file is damaged (%s)",
					    stream->msg ? stream->msg : "not gzip");
		/* Concatenated files are several members; zeros after the last come from tapes. */
		while (stream->avail_in > 0 && *stream->next_in == 0) {
			stream->next_in++;
			stream->avail_in--;
		}
		if (stream->avail_in == 0)
			return 0;
		if (inflateReset(stream) != Z_OK)
			return -EINVAL;
	}
}

int ft_gzip_unpack(const char *bytes, size_t length, char **ret_text, size_t *ret_length, struct ft_error *err)
{
	_cleanup_(unpacked_release) struct unpacked u = {0};
	_cleanup_(stream_release) z_stream stream = {0};
	int r;

	if (length > ALL_SIZE)
		return ft_error_set(err, -EFBIG, 0, 0, "larger than %d bytes", ALL_SIZE);
	stream.next_in = (unsigned char *)(uintptr_t)bytes;
	stream.avail_in = (unsigned int)length;
	if (inflateInit2(&stream, MAX_WBITS + GZIP_ONLY) != Z_OK)
		return -ENOMEM;
	r = stream_unpack(&stream, &u, limit_of(length), err);
	if (r < 0)
		return r;
	u.text[u.length] = '\0';
	*ret_length = u.length;
	*ret_text = FT_STEAL(u.text);
	return 0;
}
