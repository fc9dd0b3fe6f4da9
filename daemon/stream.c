/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/stream.h"

#include <inttypes.h>
#include <stdio.h>

enum { BLOCK_SIZE = 256 };

static void stream_wake(struct ft_stream *stream)
{
	if (!stream->waits)
		return;
	stream->waits = false;
	MHD_resume_connection(stream->mhd);
}

/* What is due, if anything; called again only when all of it is in the kernel. */
static ssize_t stream_read(void *userdata, uint64_t position, char *buffer, size_t size)
{
	struct ft_stream *stream = userdata;
	int length = 0;

	(void)position;
	if (stream->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	stream->moves = true;
	if (stream->told != stream->all->event)
		length = snprintf(buffer, size, "id: %" PRIu64 "\nevent: change\ndata: %" PRIu64 "\n\n",
				  stream->all->event, stream->all->event);
	else if (stream->beats)
		length = snprintf(buffer, size, ":\n\n");
	if ((size_t)length >= size)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	stream->told = stream->all->event;
	stream->beats = false;
	if (length > 0)
		return length;
	stream->waits = true;
	MHD_suspend_connection(stream->mhd);
	return 0;
}

static void stream_free(void *userdata)
{
	*(struct ft_stream *)userdata = (struct ft_stream){0};
}

struct ft_stream *ft_stream_begin(struct ft_streams *streams, struct MHD_Connection *mhd,
				  struct MHD_Response **ret_response)
{
	struct ft_stream *stream = streams->items;
	struct MHD_Response *response;

	while (stream < streams->items + FT_STREAMS_MAX && stream->mhd)
		stream++;
	if (stream == streams->items + FT_STREAMS_MAX)
		return NULL;
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_SIZE, stream_read, stream, stream_free);
	if (!response)
		return NULL;
	/* The first event is sent at once: the client sees that the stream is there. */
	if (streams->event == 0)
		streams->event = 1;
	*stream = (struct ft_stream){.all = streams, .mhd = mhd};
	*ret_response = response;
	return stream;
}

void ft_streams_tell(struct ft_streams *streams)
{
	streams->event++;
	for (size_t i = 0; i < FT_STREAMS_MAX; i++)
		stream_wake(&streams->items[i]);
}

/* One that was woken just now is in the middle of its work, and waits again in the next run. */
bool ft_stream_beat(struct ft_stream *stream)
{
	bool moves = stream->moves;

	stream->moves = false;
	if (!stream->waits)
		return moves;
	stream->beats = true;
	stream_wake(stream);
	return true;
}

void ft_stream_end(struct ft_stream *stream)
{
	stream->ended = true;
	stream_wake(stream);
}

void ft_streams_end(struct ft_streams *streams)
{
	for (size_t i = 0; i < FT_STREAMS_MAX; i++)
		if (streams->items[i].mhd)
			ft_stream_end(&streams->items[i]);
}
