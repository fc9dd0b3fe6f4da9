/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Server-sent events (HTML Standard, section 9.2) of libmicrohttpd: each tells a page that there is something new,
 * which it then fetches. A stream holds no queue, only the number of the last event it sent: a client that does not
 * read gets the newest one later, and costs no memory meanwhile. Between two events its connection is suspended.
 */
#ifndef FT_DAEMON_STREAM_H
#define FT_DAEMON_STREAM_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	FT_STREAMS_MAX = 16,
	FT_STREAM_BEAT_S = 10, /* a comment is sent so often; less than any time limit of idle connections */
};

struct ft_stream {
	struct ft_streams *all;
	struct MHD_Connection *mhd; /* NULL: a free place */
	uint64_t told;		    /* the last event sent; 0: none */
	bool waits;		    /* suspended */
	bool beats;		    /* a comment is to be sent */
	bool moves;		    /* something was sent since the last beat */
	bool ended;
};

struct ft_streams {
	uint64_t event; /* the last one */
	struct ft_stream items[FT_STREAMS_MAX];
};

/*
 * A stream for that connection. The place is free again once @ret_response is destroyed, which its connection does.
 *
 * @ret_response  out: the caller adds headers, queues and destroys it
 * Returns the stream, or NULL: all places are taken, or there is no memory.
 */
struct ft_stream *ft_stream_begin(struct ft_streams *streams, struct MHD_Connection *mhd,
				  struct MHD_Response **ret_response);

/* Something is new: tells all, in the next run of libmicrohttpd. */
void ft_streams_tell(struct ft_streams *streams);

/* Sends a comment. False: the client has not read anything since the last beat, though something was to be sent. */
bool ft_stream_beat(struct ft_stream *stream);

/* No further event is sent; libmicrohttpd closes the connection in its next run. */
void ft_stream_end(struct ft_stream *stream);

/* The same for all; libmicrohttpd must not be stopped with one that is suspended. */
void ft_streams_end(struct ft_streams *streams);

#endif
