/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The daemon's pages. libmicrohttpd is run from the loop: its epoll descriptor is watched, and one timer stands for all
 * its deadlines.
 *
 * Any local user may connect, so each client's resources are bounded: the time of one request, however slowly it
 * arrives, and the memory of pages that are not fetched. On loopback all clients have one address, so places are not
 * counted by address: when they run short, the connection that is least likely to complete is closed for the new one. A
 * client that sends its request at once and reads the response always gets a place. Streams of events have few places
 * of their own, and keep them.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "daemon/http.h"
#include "daemon/page.h"
#include "daemon/socket.h"
#include "daemon/stream.h"

enum {
	CONNECTIONS_KEPT = 64,
	CONNECTIONS_NEW = 32, /* the newest connections; they are never evicted, so that they can send their request */
	/* libmicrohttpd (0.9.75) accepts up to 10 in one run, and none once it has that many */
	CONNECTIONS_MAX = 96,
	CONNECTION_MEMORY = 16 * 1024, /* headers beyond it are refused (431) */
	/*
	 * libmicrohttpd limits only the time since the last byte, and a client that sends one now and then would keep
	 * its place for ever. So these limit the whole: the first head of a request, the next one of a persistent
	 * connection, and the response until it is received.
	 */
	HEAD_S = 5,
	NEXT_HEAD_S = 15,
	ANSWER_S = 20,
	IDLE_S = 15, /* without any byte, while a response is sent */
	/* Of pages being fetched. Beyond it, connections that fetch older reports are closed, the oldest first. */
	BODIES_MAX = 16 * 1024 * 1024,
};

#define USEC_PER_SEC 1000000ULL

/* A page at one time, shared by all clients that fetch it. Freed by libmicrohttpd with its last user. */
struct body {
	struct ft_http *http;
	size_t page;
	unsigned int status;
	struct MHD_Response *response; /* not owned */
	char *state;		       /* value of the header; NULL: none */
	char tag[24];		       /* ETag; "": none */
	size_t length;
	char data[];
};

/* The stages of a connection. When places run short, those listed first are evicted first. */
enum stage { STAGE_HEAD, STAGE_NEXT_HEAD, STAGE_ANSWER, STAGE_STREAM };

static const unsigned int stage_seconds[] = {
	[STAGE_HEAD] = HEAD_S,
	[STAGE_NEXT_HEAD] = NEXT_HEAD_S,
	[STAGE_ANSWER] = ANSWER_S,
	[STAGE_STREAM] = FT_STREAM_BEAT_S, /* it begins again then */
};

struct connection {
	struct MHD_Connection *mhd; /* NULL: a free place */
	const struct body *body;    /* the page being fetched; NULL: none, or a static one */
	struct ft_stream *stream;   /* NULL: it is none */
	enum stage stage;
	uint64_t since_us; /* when the stage began */
	uint64_t number;   /* of the connection */
	uint64_t order;	   /* order of the begins: several may have the same time */
	bool ended;	   /* the client has closed its sending side, and libmicrohttpd was notified */
	bool cut;
};

enum { PAGE_INDEX, PAGE_SUMMARY, PAGE_DRAWING, PAGE_NODES, PAGE_HEALTH, PAGE_METRICS, PAGE_REPORT, PAGE_COUNT };

struct ft_http {
	sd_event *loop;
	sd_event_source *io, *timer;
	struct MHD_Daemon *mhd;
	struct ft_http_pages pages;
	void *userdata;
	unsigned int port;
	bool checks_host;
	bool closed; /* a connection, by the last MHD_run() */
	struct connection connections[CONNECTIONS_MAX];
	size_t connection_count; /* without those being closed */
	uint64_t connections_opened, stages_begun;
	struct body *newest[PAGE_COUNT]; /* not owned; NULL: not being fetched */
	size_t bodies_size;
	struct ft_streams streams;
	struct ft_text policy; /* Content-Security-Policy of the index */
};

/* The pages. */

enum page_header {
	HEADER_STATE = 1,  /* X-Ftcheck-State */
	HEADER_TAG = 2,	   /* ETag: the client keeps it, and asks whether it is still the same */
	HEADER_POLICY = 4, /* the policy of the index */
};

struct page {
	const char *path;
	const char *type;
	int (*write)(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text);
	unsigned int headers; /* enum page_header, several */
};

static int index_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)http;
	(void)connection;
	ft_page_write(text);
	return 0;
}

static int summary_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	return http->pages.summary(http->userdata, text);
}

static int drawing_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	return http->pages.drawing(http->userdata, text);
}

static int nodes_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	const char *name = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "name");
	const char *guid = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "guid");

	return http->pages.nodes(http->userdata, name, guid, text);
}

static int health_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	return http->pages.health(http->userdata, text);
}

static int metrics_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	http->pages.metrics(http->userdata, text);
	return 0;
}

static int report_write(struct ft_http *http, struct MHD_Connection *connection, struct ft_text *text)
{
	(void)connection;
	return http->pages.report(http->userdata, text);
}

static const char plain_type[] = "text/plain; charset=utf-8", json_type[] = "application/json";

static const struct page pages_table[PAGE_COUNT] = {
	[PAGE_INDEX] = {"/", "text/html; charset=utf-8", index_write, HEADER_TAG | HEADER_POLICY},
	[PAGE_SUMMARY] = {"/summary", json_type, summary_write, HEADER_TAG},
	[PAGE_DRAWING] = {"/drawing.svg", "image/svg+xml", drawing_write, HEADER_TAG},
	[PAGE_NODES] = {"/nodes", json_type, nodes_write, 0},
	[PAGE_HEALTH] = {"/healthz", plain_type, health_write, 0},
	[PAGE_METRICS] = {"/metrics", "text/plain; version=0.0.4; charset=utf-8", metrics_write, 0},
	[PAGE_REPORT] = {"/report", json_type, report_write, HEADER_STATE},
};

static const char events_path[] = "/events";

/* Answers. */

static const struct {
	const char *name, *value;
} headers_always[] = {
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
};

static const char plain_policy[] = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

static bool header_add(struct MHD_Response *response, const char *name, const char *value)
{
	return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* @tag  its ETag; "": it may not be kept */
static bool headers_add(struct MHD_Response *response, const char *type, const char *policy, const char *tag)
{
	for (size_t i = 0; i < FT_COUNT(headers_always); i++)
		if (!header_add(response, headers_always[i].name, headers_always[i].value))
			return false;
	return header_add(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) &&
	       header_add(response, "Content-Security-Policy", policy) &&
	       header_add(response, MHD_HTTP_HEADER_CACHE_CONTROL, tag[0] ? "no-cache" : "no-store") &&
	       (!tag[0] || header_add(response, MHD_HTTP_HEADER_ETAG, tag));
}

/* An answer of one fixed line. MHD_NO ends the connection. */
static enum MHD_Result line_send(struct MHD_Connection *connection, unsigned int status, const char *line)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(line), (void *)(uintptr_t)line, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result = MHD_NO;

	if (!response)
		return MHD_NO;
	if (headers_add(response, plain_type, plain_policy, "") &&
	    (status != MHD_HTTP_METHOD_NOT_ALLOWED || header_add(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD")))
		result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

/* libmicrohttpd passes only the buffer, which is the end of the body. */
static void body_free(void *data)
{
	struct body *body = (struct body *)(void *)((char *)data - offsetof(struct body, data));

	if (body->http->newest[body->page] == body)
		body->http->newest[body->page] = NULL;
	body->http->bodies_size -= body->length;
	free(body->state);
	free(body);
}

static bool body_add_headers(struct body *body)
{
	static const uint64_t key[2] = {0};
	const struct page *page = &pages_table[body->page];
	bool policy = page->headers & HEADER_POLICY;

	if (page->headers & HEADER_TAG && body->status == MHD_HTTP_OK)
		snprintf(body->tag, sizeof(body->tag), "\"%016llx\"",
			 (unsigned long long)ft_hash_keyed(key, body->data, body->length));
	return headers_add(body->response, body->status == MHD_HTTP_OK ? page->type : plain_type,
			   policy ? ft_text_string(&body->http->policy) : plain_policy, body->tag) &&
	       (!body->state || header_add(body->response, "X-Ftcheck-State", body->state));
}

static struct body *body_new(struct ft_http *http, size_t page, unsigned int status, const struct ft_text *text,
			     const char *state)
{
	struct body *body = malloc(sizeof(*body) + text->length + 1);

	if (!body)
		return NULL;
	*body = (struct body){.http = http, .page = page, .status = status, .length = text->length};
	memcpy(body->data, ft_text_string(text), text->length + 1);
	body->state = state ? strdup(state) : NULL;
	if (state && !body->state) {
		free(body);
		return NULL;
	}
	body->response = MHD_create_response_from_buffer_with_free_callback(body->length, body->data, body_free);
	if (!body->response) {
		free(body->state);
		free(body);
		return NULL;
	}
	http->bodies_size += body->length;
	if (body_add_headers(body))
		return body;
	MHD_destroy_response(body->response);
	return NULL;
}

static bool body_is(const struct body *body, unsigned int status, const struct ft_text *text, const char *state)
{
	return body && body->status == status && body->length == text->length &&
	       memcmp(body->data, ft_text_string(text), text->length) == 0 &&
	       (state ? body->state && strcmp(body->state, state) == 0 : !body->state);
}

/* A valid header value: one line of printable ASCII. NULL if it is empty. */
static const char *state_write(struct ft_http *http, const struct page *page, struct ft_text *state)
{
	_cleanup_(ft_text_release) struct ft_text said = {0};

	if (!(page->headers & HEADER_STATE))
		return NULL;
	http->pages.state(http->userdata, &said);
	while (said.length > 0 && said.data[said.length - 1] == '\n')
		said.data[--said.length] = '\0';
	ft_text_add_safe(state, ft_text_string(&said), said.length);
	for (size_t i = 0; i < state->length; i++)
		if ((unsigned char)state->data[i] >= 0x7f)
			state->data[i] = '?';
	return state->length > 0 ? state->data : NULL;
}

static struct connection *connection_of(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* Does the client have that one already? It may list several (RFC 9110, section 13.1.2). */
static bool is_kept(struct MHD_Connection *mhd, const char *tag)
{
	const char *kept = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);

	return tag[0] && kept && strstr(kept, tag);
}

static enum MHD_Result unchanged_send(struct MHD_Connection *mhd, const struct body *body)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result = MHD_NO;

	if (response && header_add(response, MHD_HTTP_HEADER_ETAG, body->tag) &&
	    header_add(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache"))
		result = MHD_queue_response(mhd, MHD_HTTP_NOT_MODIFIED, response);
	if (response)
		MHD_destroy_response(response);
	return result;
}

static enum MHD_Result body_send(struct MHD_Connection *mhd, const struct body *body)
{
	struct connection *connection = connection_of(mhd);

	if (is_kept(mhd, body->tag))
		return unchanged_send(mhd, body);
	if (connection)
		connection->body = body;
	return MHD_queue_response(mhd, body->status, body->response);
}

static unsigned int status_of(int r)
{
	if (r == 0)
		return MHD_HTTP_OK;
	return r == -EINPROGRESS ? MHD_HTTP_ACCEPTED : MHD_HTTP_SERVICE_UNAVAILABLE;
}

static enum MHD_Result page_send(struct ft_http *http, struct MHD_Connection *connection, size_t number)
{
	_cleanup_(ft_text_release) struct ft_text text = {0}, state_text = {0};
	const struct page *page = &pages_table[number];
	unsigned int status = status_of(page->write(http, connection, &text));
	const char *state = state_write(http, page, &state_text);
	struct body *body = http->newest[number];
	enum MHD_Result result;

	if (ft_text_failed(&text) || ft_text_failed(&state_text))
		return line_send(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
	if (status != MHD_HTTP_OK && (text.length == 0 || text.data[text.length - 1] != '\n'))
		ft_text_puts(&text, "\n");
	if (body_is(body, status, &text, state))
		return body_send(connection, body);

	body = body_new(http, number, status, &text, state);
	if (!body)
		return line_send(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
	http->newest[number] = body;
	result = body_send(connection, body);
	MHD_destroy_response(body->response);
	return result;
}

/* Requests. */

/*
 * Is it an IP address or localhost, with or without a port? DNS rebinding: a web site may resolve its own name to
 * 127.0.0.1 and read these pages through a browser on this machine; its name in Host gives it away.
 */
static bool host_is_literal(const char *host)
{
	const char *end = host + strlen(host), *colon;
	char name[INET6_ADDRSTRLEN];
	unsigned char bytes[sizeof(struct in6_addr)];
	bool bracketed = host[0] == '[';

	colon = strchr(bracketed ? strchrnul(host, ']') : host, ':');
	if (colon) {
		if (strspn(colon + 1, "0123456789") != strlen(colon + 1))
			return false;
		end = colon;
	}
	if (bracketed && (end - host < 2 || end[-1] != ']'))
		return false;
	host += bracketed;
	end -= bracketed;
	if ((size_t)(end - host) >= sizeof(name))
		return false;
	memcpy(name, host, (size_t)(end - host));
	name[end - host] = '\0';
	if (bracketed)
		return inet_pton(AF_INET6, name, bytes) == 1;
	return name[0] == '\0' || strcasecmp(name, "localhost") == 0 || inet_pton(AF_INET, name, bytes) == 1;
}

/* A single bad Host is refused: of two, it is unknown which one a proxy used. */
static enum MHD_Result host_check(void *ret_bad, enum MHD_ValueKind kind, const char *key, const char *value)
{
	(void)kind;
	if (strcasecmp(key, MHD_HTTP_HEADER_HOST) == 0 && value && !host_is_literal(value))
		*(bool *)ret_bad = true;
	return MHD_YES;
}

static bool has_body(struct MHD_Connection *connection)
{
	const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

	if (MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING))
		return true;
	return length && strspn(length, "0") != strlen(length);
}

static uint64_t now_us(struct ft_http *http)
{
	uint64_t now = 0;

	/* It fails only in another process. */
	(void)sd_event_now(http->loop, CLOCK_MONOTONIC, &now);
	return now;
}

/* @connection may be NULL: one without a place, which does not happen. */
static void stage_begin(struct ft_http *http, struct connection *connection, enum stage stage)
{
	if (!connection || connection->stage == stage)
		return;
	connection->stage = stage;
	connection->since_us = now_us(http);
	connection->order = http->stages_begun++;
}

static int connection_fd(const struct connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static const char events_type[] = "text/event-stream";

/* The head of a stream of events. */
static enum MHD_Result head_send(struct MHD_Connection *mhd)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result = MHD_NO;

	if (response && headers_add(response, events_type, plain_policy, ""))
		result = MHD_queue_response(mhd, MHD_HTTP_OK, response);
	if (response)
		MHD_destroy_response(response);
	return result;
}

static enum MHD_Result events_send(struct ft_http *http, struct MHD_Connection *mhd, bool head)
{
	struct connection *connection = connection_of(mhd);
	struct MHD_Response *response = NULL;
	enum MHD_Result result = MHD_NO;
	struct ft_stream *stream;
	const int few = 4096;

	if (!connection)
		return MHD_NO;
	if (head)
		return head_send(mhd);
	stream = ft_stream_begin(&http->streams, mhd, &response);
	if (!stream)
		return line_send(mhd, MHD_HTTP_SERVICE_UNAVAILABLE, "too many streams of events; ask /summary\n");
	/* What the kernel keeps for a client that does not read. */
	(void)setsockopt(connection_fd(connection), SOL_SOCKET, SO_SNDBUF, &few, sizeof(few));
	if (headers_add(response, events_type, plain_policy, ""))
		result = MHD_queue_response(mhd, MHD_HTTP_OK, response);
	if (result == MHD_YES) {
		connection->stream = stream;
		stage_begin(http, connection, STAGE_STREAM);
	}
	MHD_destroy_response(response);
	return result;
}

/* FT_COUNT(pages_table): none of them. */
static size_t page_find(const char *path)
{
	size_t page = 0;

	while (page < FT_COUNT(pages_table) && strcmp(path, pages_table[page].path) != 0)
		page++;
	return page;
}

static enum MHD_Result answer(struct ft_http *http, struct MHD_Connection *connection, const char *path,
			      const char *method)
{
	size_t page = page_find(path);
	bool bad_host = false, events = strcmp(path, events_path) == 0;

	if (http->checks_host)
		MHD_get_connection_values(connection, MHD_HEADER_KIND, host_check, &bad_host);
	if (bad_host)
		return line_send(connection, MHD_HTTP_FORBIDDEN, "this is not the host you are looking for\n");
	if (page == FT_COUNT(pages_table) && !events)
		return line_send(connection, MHD_HTTP_NOT_FOUND, "no such page; / lists them all\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return line_send(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "pages can only be read\n");
	if (has_body(connection))
		return line_send(connection, 413, "a request has no body here\n");
	if (events)
		return events_send(http, connection, strcmp(method, MHD_HTTP_METHOD_HEAD) == 0);
	return page_send(http, connection, page);
}

/*
 * Called first with the headers, and again when the request is complete. Requests with a body, or a method that may
 * have one, are answered at the first call, after which libmicrohttpd reads no further and closes the connection.
 */
static enum MHD_Result request_handle(void *userdata, struct MHD_Connection *connection, const char *path,
				      const char *method, const char *version, const char *upload, size_t *upload_size,
				      void **mark)
{
	static char seen;
	bool plain = strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;

	(void)version;
	(void)upload;
	(void)upload_size;
	stage_begin(userdata, connection_of(connection), STAGE_ANSWER);
	if (!*mark && plain && !has_body(connection)) {
		*mark = &seen;
		return MHD_YES;
	}
	return answer(userdata, connection, path, method);
}

/* Connections. */

/* libmicrohttpd closes it in its next run. */
static void connection_cut(struct ft_http *http, struct connection *connection)
{
	static const struct linger none = {.l_onoff = 1};
	int fd = connection_fd(connection);

	/* The kernel need not keep unsent data. */
	if (connection->stage == STAGE_ANSWER)
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
		http->connections[i] = (struct connection){
			.mhd = mhd,
			.since_us = now_us(http),
			.number = http->connections_opened++,
			.order = http->stages_begun++,
		};
		http->connection_count++;
		*ret_context = &http->connections[i];
		return;
	}
}

static void connection_closed(struct ft_http *http, struct connection *connection)
{
	http->closed = true;
	if (!connection)
		return;
	http->connection_count -= !connection->cut;
	*connection = (struct connection){0};
}

static void connection_notified(void *userdata, struct MHD_Connection *mhd, void **context,
				enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		connection_opened(userdata, mhd, context);
	else
		connection_closed(userdata, *context);
}

static void request_done(void *userdata, struct MHD_Connection *mhd, void **mark, enum MHD_RequestTerminationCode code)
{
	struct connection *connection = connection_of(mhd);

	(void)mark;
	(void)code;
	if (connection) {
		connection->body = NULL;
		connection->stream = NULL;
	}
	stage_begin(userdata, connection, STAGE_NEXT_HEAD);
}

/*
 * libmicrohttpd (0.9.75) considers an epoll edge consumed once a read returned less than requested, so it never notices
 * the end if a client sent data and closed before that. Shutting down the receiving side makes a new edge; it then
 * finishes the request, and closes.
 */
static void connection_check_end(struct connection *connection)
{
	char byte;
	int fd;

	if (!connection->mhd || connection->cut || connection->ended || connection->stage >= STAGE_ANSWER)
		return;
	fd = connection_fd(connection);
	if (recv(fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) != 0)
		return;
	(void)shutdown(fd, SHUT_RD);
	connection->ended = true;
}

/* libmicrohttpd does not watch a suspended connection. */
static bool stream_check_end(struct connection *connection)
{
	char byte;
	ssize_t got;

	if (!connection->stream || connection->cut)
		return false;
	got = recv(connection_fd(connection), &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);
	return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

/* The time of its stage is over: a stream that is read begins another one. */
static bool stream_goes_on(struct connection *connection, uint64_t now)
{
	if (!connection->stream || !ft_stream_beat(connection->stream))
		return false;
	connection->since_us = now;
	return true;
}

static bool is_old_page(const struct ft_http *http, const struct connection *connection)
{
	return connection->body && http->newest[connection->body->page] != connection->body;
}

/* Of the connections before @number, the one to be evicted first; NULL: none. */
static struct connection *connection_to_close(struct ft_http *http, uint64_t number, bool old_pages)
{
	struct connection *first = NULL;

	for (size_t i = 0; i < FT_COUNT(http->connections); i++) {
		struct connection *connection = &http->connections[i];

		if (!connection->mhd || connection->cut || connection->number >= number ||
		    (old_pages && !is_old_page(http, connection)))
			continue;
		if (!first || connection->stage < first->stage ||
		    (connection->stage == first->stage && connection->order < first->order))
			first = connection;
	}
	return first;
}

/* The memory released is known only after they are closed: so one at a time. */
static bool bodies_check(struct ft_http *http)
{
	struct connection *connection =
		http->bodies_size > BODIES_MAX ? connection_to_close(http, UINT64_MAX, true) : NULL;

	if (connection)
		connection_cut(http, connection);
	return connection != NULL;
}

/* With more than CONNECTIONS_KEPT, some are older than the newest CONNECTIONS_NEW. */
static bool places_check(struct ft_http *http)
{
	bool any = false;

	while (http->connection_count > CONNECTIONS_KEPT) {
		connection_cut(http, connection_to_close(http, http->connections_opened - CONNECTIONS_NEW, false));
		any = true;
	}
	return any;
}

static uint64_t connection_end(const struct connection *connection)
{
	return connection->since_us + stage_seconds[connection->stage] * USEC_PER_SEC;
}

/*
 * Closes connections that took too long, or whose place others need, and lets streams beat. Returns whether there were
 * any.
 */
static bool connections_check(struct ft_http *http, uint64_t now)
{
	bool any = false, ended;

	for (size_t i = 0; i < FT_COUNT(http->connections); i++) {
		struct connection *connection = &http->connections[i];

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

/* The next deadline of a connection. */
static uint64_t connections_end(const struct ft_http *http)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < FT_COUNT(http->connections); i++) {
		const struct connection *connection = &http->connections[i];

		if (connection->mhd && !connection->cut && connection_end(connection) < next)
			next = connection_end(connection);
	}
	return next;
}

/* The loop. */

static int http_run(struct ft_http *http)
{
	unsigned long long wait_ms;
	uint64_t now, next;
	int r;

	http->closed = false;
	if (MHD_run(http->mhd) != MHD_YES)
		return -EIO;
	now = now_us(http);
	/* The next run closes connections that were shut down now. */
	next = connections_check(http, now) ? now : connections_end(http);
	if (next < now)
		next = now;
	if (MHD_get_timeout(http->mhd, &wait_ms) == MHD_YES && wait_ms < (next - now) / 1000)
		next = now + wait_ms * 1000;
	/*
	 * With all places taken libmicrohttpd (0.9.75) does not watch its listening socket, and watches it again only
	 * at the beginning of a run: without another run it would not notice waiting clients.
	 */
	if (http->closed)
		next = now;
	r = sd_event_source_set_time(http->timer, next);
	if (r < 0)
		return r;
	return sd_event_source_set_enabled(http->timer, next == UINT64_MAX ? SD_EVENT_OFF : SD_EVENT_ONESHOT);
}

static int on_input(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	(void)source;
	(void)fd;
	(void)events;
	return http_run(userdata);
}

static int on_time(sd_event_source *source, uint64_t time, void *userdata)
{
	(void)source;
	(void)time;
	return http_run(userdata);
}

/* Starting. */

/* Takes @fd, whatever the result. */
static int mhd_start(struct ft_http *http, int fd, struct ft_error *err)
{
	http->mhd = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, request_handle, http,
				     MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
				     (unsigned int)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_S,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
				     MHD_OPTION_NOTIFY_CONNECTION, connection_notified, http,
				     MHD_OPTION_NOTIFY_COMPLETED, request_done, http, MHD_OPTION_END);
	if (http->mhd)
		return 0;
	/* Some of its failures close the socket and some do not. */
	if (fcntl(fd, F_GETFD) >= 0)
		close(fd);
	return ft_error_set(err, -EIO, 0, 0, "libmicrohttpd does not start");
}

static int http_start(struct ft_http *http, sd_event *loop, int fd, struct ft_error *err)
{
	const union MHD_DaemonInfo *info;
	int r;

	http->loop = sd_event_ref(loop);
	r = mhd_start(http, fd, err);
	if (r < 0)
		return r;
	info = MHD_get_daemon_info(http->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return ft_error_set(err, -EIO, 0, 0, "libmicrohttpd has no epoll");
	r = sd_event_add_io(loop, &http->io, info->epoll_fd, EPOLLIN, on_input, http);
	if (r >= 0)
		r = sd_event_add_time(loop, &http->timer, CLOCK_MONOTONIC, UINT64_MAX, 1, on_time, http);
	/* The daemon's work for the fabric has priority over requests for pages. */
	if (r >= 0)
		r = sd_event_source_set_priority(http->io, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = sd_event_source_set_priority(http->timer, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = http_run(http);
	return r < 0 ? ft_error_set(err, r, 0, 0, "cannot serve HTTP: %s", strerror(-r)) : 0;
}

int ft_http_new(sd_event *loop, const char *address, int fd, const struct ft_http_pages *pages, void *userdata,
		struct ft_http **ret_http, struct ft_error *err)
{
	_cleanup_(ft_http_freep) struct ft_http *http = NULL;
	_cleanup_(ft_closep) int listener = fd;
	int r = fd >= 0 ? ft_socket_check(fd, err) : ft_socket_open(address, &listener, err);

	if (r < 0)
		return r;
	http = calloc(1, sizeof(*http));
	if (!http)
		return ft_error_set(err, -ENOMEM, 0, 0, "out of memory");
	http->pages = *pages;
	http->userdata = userdata;
	r = ft_socket_describe(listener, &http->port, &http->checks_host);
	if (r < 0)
		return ft_error_set(err, r, 0, 0, "cannot tell the address of a socket: %s", strerror(-r));
	fd = listener;
	listener = -1;
	if (ft_page_write_policy(&http->policy) < 0) {
		close(fd);
		return ft_error_set(err, -ENOMEM, 0, 0, "out of memory");
	}
	r = http_start(http, loop, fd, err);
	if (r < 0)
		return r;
	*ret_http = FT_STEAL(http);
	return 0;
}

unsigned int ft_http_port(const struct ft_http *http)
{
	return http->port;
}

void ft_http_tell(struct ft_http *http)
{
	if (!http)
		return;
	ft_streams_tell(&http->streams);
	/* libmicrohttpd is not woken by connections that are resumed. If this fails, the next beat does it. */
	if (sd_event_source_set_time(http->timer, 0) >= 0)
		(void)sd_event_source_set_enabled(http->timer, SD_EVENT_ONESHOT);
}

void ft_http_free(struct ft_http *http)
{
	if (!http)
		return;
	sd_event_source_disable_unref(http->io);
	sd_event_source_disable_unref(http->timer);
	ft_streams_end(&http->streams);
	if (http->mhd)
		MHD_stop_daemon(http->mhd);
	ft_text_release(&http->policy);
	sd_event_unref(http->loop);
	free(http);
}
