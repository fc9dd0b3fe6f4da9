/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Any local user may connect, so each client's resources are bounded: the time of one request, however slowly it
 * arrives, and the memory of pages that are not fetched. On loopback all clients have one address, so places are not
 * counted by address: when they run short, the connection that is least likely to complete is closed for the new one. A
 * client that sends its request at once and reads the response always gets a place. Streams of events have few places
 * of their own, and keep them.
 */
#include "config.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "daemon/http_parts.h"

enum {
	CONNECTIONS_KEPT = 64,
	CONNECTIONS_NEW = 32, /* the newest connections; they are never evicted, so that they can send their request */
	/*
	 * libmicrohttpd limits only the time since the last byte, and a client that sends one now and then would keep
	 * its place for ever. So these limit the whole: the first head of a request, the next one of a persistent
	 * connection, and the response until it is received.
	 */
	HEAD_S = 5,
	NEXT_HEAD_S = 15,
	ANSWER_S = 20,
	/* Of pages being fetched. Beyond it, connections that fetch older ones are closed, the oldest first. */
	BODIES_MAX = 16 * 1024 * 1024,
};

#define USEC_PER_SEC 1000000ULL

static const unsigned int stage_seconds[] = {
	[FT_STAGE_HEAD] = HEAD_S,
	[FT_STAGE_NEXT_HEAD] = NEXT_HEAD_S,
	[FT_STAGE_ANSWER] = ANSWER_S,
	[FT_STAGE_STREAM] = FT_STREAM_BEAT_S, /* it begins again then */
};

struct ft_http_place *ft_http_place_of(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

uint64_t ft_http_now_us(struct ft_http *http)
{
	uint64_t now = 0;

	/* It fails only in another process. */
	(void)sd_event_now(http->loop, CLOCK_MONOTONIC, &now);
	return now;
}

void ft_http_stage_begin(struct ft_http *http, struct ft_http_place *connection, enum ft_http_stage stage)
{
	if (!connection || connection->stage == stage)
		return;
	connection->stage = stage;
	connection->since_us = ft_http_now_us(http);
	connection->order = http->stages_begun++;
}

int ft_http_place_fd(const struct ft_http_place *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

/* libmicrohttpd closes it in its next run. */
static void connection_cut(struct ft_http *http, struct ft_http_place *connection)
{
	static const struct linger none = {.l_onoff = 1};
	int fd = ft_http_place_fd(connection);

	/* The kernel need not keep unsent data. */
	if (connection->stage == FT_STAGE_ANSWER)
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	(void)shutdown(fd, SHUT_RDWR);
	connection->cut = true;
	http->connection_count--;
	if (connection->stream)
		ft_stream_end(connection->stream);
}

static void connection_opened(struct ft_http *http, struct MHD_Connection *mhd, void **ret_context)
{
	for (size_t i = 0; i < FT_COUNT(http->connections); i++) {
		if (http->connections[i].mhd)
			continue;
		http->connections[i] = (struct ft_http_place){
			.mhd = mhd,
			.since_us = ft_http_now_us(http),
			.number = http->connections_opened++,
			.order = http->stages_begun++,
		};
		http->connection_count++;
		*ret_context = &http->connections[i];
		return;
	}
}

static void connection_closed(struct ft_http *http, struct ft_http_place *connection)
{
	http->closed = true;
	if (!connection)
		return;
	http->connection_count -= !connection->cut;
	*connection = (struct ft_http_place){0};
}

void ft_http_place_notified(void *userdata, struct MHD_Connection *mhd, void **context,
			    enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		connection_opened(userdata, mhd, context);
	else
		connection_closed(userdata, *context);
}

void ft_http_request_done(void *userdata, struct MHD_Connection *mhd, void **mark, enum MHD_RequestTerminationCode code)
{
	struct ft_http_place *connection = ft_http_place_of(mhd);

	(void)mark;
	(void)code;
	if (connection) {
		connection->body = NULL;
		connection->stream = NULL;
	}
	ft_http_stage_begin(userdata, connection, FT_STAGE_NEXT_HEAD);
}

/*
 * libmicrohttpd (0.9.75) considers an epoll edge consumed once a read returned less than requested, so it never notices
 * the end if a client sent data and closed before that. Shutting down the receiving side makes a new edge; it then
 * finishes the request, and closes.
 */
static void connection_check_end(struct ft_http_place *connection)
{
	char byte;
	int fd;

	if (!connection->mhd || connection->cut || connection->ended || connection->stage >= FT_STAGE_ANSWER)
		return;
	fd = ft_http_place_fd(connection);
	if (recv(fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) != 0)
		return;
	(void)shutdown(fd, SHUT_RD);
	connection->ended = true;
}

/* libmicrohttpd does not watch a suspended connection. */
static bool stream_check_end(struct ft_http_place *connection)
{
	char byte;
	ssize_t got;

	if (!connection->stream || connection->cut)
		return false;
	got = recv(ft_http_place_fd(connection), &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);
	return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

/* The time of its stage is over: a stream that is read begins another one. */
static bool stream_goes_on(struct ft_http_place *connection, uint64_t now)
{
	if (!connection->stream || !ft_stream_beat(connection->stream))
		return false;
	connection->since_us = now;
	return true;
}

/* Of the connections before @number, the one to be evicted first; NULL: none. @age: only those whose page is as old. */
static struct ft_http_place *connection_to_close(struct ft_http *http, uint64_t number, enum ft_http_age age)
{
	struct ft_http_place *first = NULL;

	for (size_t i = 0; i < FT_COUNT(http->connections); i++) {
		struct ft_http_place *connection = &http->connections[i];

		if (!connection->mhd || connection->cut || connection->number >= number ||
		    (age != FT_AGE_NEWEST && !(connection->body && connection->body->age == age)))
			continue;
		if (!first || connection->stage < first->stage ||
		    (connection->stage == first->stage && connection->order < first->order))
			first = connection;
	}
	return first;
}

/*
 * The memory released is known only after they are closed: so one at a time. Pages that have a newer version go first;
 * then those that others asked otherwise, which are as good as the newest, but of which clients may ask for any number.
 */
static bool bodies_check(struct ft_http *http)
{
	struct ft_http_place *connection = NULL;

	if (http->bodies_size > BODIES_MAX)
		connection = connection_to_close(http, UINT64_MAX, FT_AGE_REPLACED);
	if (!connection && http->bodies_size > BODIES_MAX)
		connection = connection_to_close(http, UINT64_MAX, FT_AGE_FORMER);
	if (connection)
		connection_cut(http, connection);
	return connection != NULL;
}

/* With more than CONNECTIONS_KEPT, some are older than the newest CONNECTIONS_NEW. */
static bool places_check(struct ft_http *http)
{
	bool any = false;

	while (http->connection_count > CONNECTIONS_KEPT) {
		connection_cut(http,
			       connection_to_close(http, http->connections_opened - CONNECTIONS_NEW, FT_AGE_NEWEST));
		any = true;
	}
	return any;
}

static uint64_t connection_end(const struct ft_http_place *connection)
{
	return connection->since_us + stage_seconds[connection->stage] * USEC_PER_SEC;
}

bool ft_http_places_check(struct ft_http *http, uint64_t now)
{
	bool any = false, ended;

	for (size_t i = 0; i < FT_COUNT(http->connections); i++) {
		struct ft_http_place *connection = &http->connections[i];

		connection_check_end(connection);
		if (!connection->mhd || connection->cut)
			continue;
		ended = stream_check_end(connection);
		if (!ended && connection_end(connection) > now)
			continue;
		if (ended || !stream_goes_on(connection, now))
			connection_cut(http, connection);
		any = true;
	}
	any |= bodies_check(http);
	any |= places_check(http);
	return any;
}

uint64_t ft_http_places_end(const struct ft_http *http)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < FT_COUNT(http->connections); i++) {
		const struct ft_http_place *connection = &http->connections[i];

		if (connection->mhd && !connection->cut && connection_end(connection) < next)
			next = connection_end(connection);
	}
	return next;
}
