/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The daemon's pages. libmicrohttpd is run from the loop: its epoll descriptor is watched, and one timer stands for all
 * its deadlines.
 *
 * Any local user may connect, so each client's resources are bounded: the time of one request, however slowly it
 * arrives, and the memory of pages that are not fetched. On loopback all clients have one address, so places are not
 * counted by address: when they run short, the connection that is least likely to complete is closed for the new one. A
 * client that sends its request at once and reads the response always gets a place.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/cleanup.h"
#include "daemon/http.h"

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

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
};

/* A page at one time, shared by all clients that fetch it. Freed by libmicrohttpd with its last user. */
struct body {
	struct ft_http *http;
	size_t page;
	unsigned int status;
	struct MHD_Response *response; /* not owned */
	char *state;		       /* value of the header; NULL: none */
	size_t length;
	char data[];
};

/* The stages of a connection. When places run short, those listed first are evicted first. */
enum stage { STAGE_HEAD, STAGE_NEXT_HEAD, STAGE_ANSWER };

static const unsigned int stage_seconds[] = {
	[STAGE_HEAD] = HEAD_S,
	[STAGE_NEXT_HEAD] = NEXT_HEAD_S,
	[STAGE_ANSWER] = ANSWER_S,
};

struct connection {
	struct MHD_Connection *mhd; /* NULL: a free place */
	const struct body *body;    /* the page being fetched; NULL: none, or a static one */
	enum stage stage;
	uint64_t since_us; /* when the stage began */
	uint64_t number;   /* of the connection */
	uint64_t order;	   /* order of the begins: several may have the same time */
	bool ended;	   /* the client has closed its sending side, and libmicrohttpd was notified */
	bool cut;
};

enum { PAGE_INDEX, PAGE_HEALTH, PAGE_METRICS, PAGE_REPORT, PAGE_COUNT };

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
};

/* The pages. */

struct page {
	const char *path;
	const char *type;
	const char *meaning;
	int (*write)(struct ft_http *http, struct ft_text *text);
	bool is_report;
};

static int index_write(struct ft_http *http, struct ft_text *text);

static int health_write(struct ft_http *http, struct ft_text *text)
{
	return http->pages.health(http->userdata, text);
}

static int metrics_write(struct ft_http *http, struct ft_text *text)
{
	http->pages.metrics(http->userdata, text);
	return 0;
}

static int report_write(struct ft_http *http, struct ft_text *text)
{
	return http->pages.report(http->userdata, text);
}

static const char plain_type[] = "text/plain; charset=utf-8";

static const struct page pages_table[PAGE_COUNT] = {
	[PAGE_INDEX] = {"/", plain_type, "this list", index_write, false},
	[PAGE_HEALTH] = {"/healthz", plain_type, "200 while the daemon makes progress, else 503", health_write, false},
	[PAGE_METRICS] = {"/metrics", "text/plain; version=0.0.4; charset=utf-8", "for Prometheus", metrics_write,
			  false},
	[PAGE_REPORT] = {"/report", "application/json", "the last report, as ftcheck --format json prints it",
			 report_write, true},
};

static int index_write(struct ft_http *http, struct ft_text *text)
{
	(void)http;
	ft_text_puts(text, "ftcheckd " PACKAGE_VERSION "\n\n");
	for (size_t i = 0; i < FT_COUNT(pages_table); i++)
		ft_text_printf(text, "%-10s %s\n", pages_table[i].path, pages_table[i].meaning);
	return 0;
}

/* Answers. */

static const struct {
	const char *name, *value;
} headers_always[] = {
	{MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
	{"X-Content-Type-Options", "nosniff"},
};

static bool headers_add(struct MHD_Response *response, const char *type)
{
	if (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) != MHD_YES)
		return false;
	for (size_t i = 0; i < FT_COUNT(headers_always); i++)
		if (MHD_add_response_header(response, headers_always[i].name, headers_always[i].value) != MHD_YES)
			return false;
	return true;
}

/* An answer of one fixed line. MHD_NO ends the connection. */
static enum MHD_Result line_send(struct MHD_Connection *connection, unsigned int status, const char *line)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(line), (void *)(uintptr_t)line, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result = MHD_NO;

	if (!response)
		return MHD_NO;
	if (headers_add(response, plain_type) &&
	    (status != MHD_HTTP_METHOD_NOT_ALLOWED ||
	     MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD") == MHD_YES))
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
	if (headers_add(body->response, status == MHD_HTTP_OK ? pages_table[page].type : plain_type) &&
	    (!state || MHD_add_response_header(body->response, "X-Ftcheck-State", state) == MHD_YES))
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

	if (!page->is_report || !http->pages.state)
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

static enum MHD_Result body_send(struct MHD_Connection *mhd, const struct body *body)
{
	struct connection *connection = connection_of(mhd);

	if (connection)
		connection->body = body;
	return MHD_queue_response(mhd, body->status, body->response);
}

static enum MHD_Result page_send(struct ft_http *http, struct MHD_Connection *connection, size_t number)
{
	_cleanup_(ft_text_release) struct ft_text text = {0}, state_text = {0};
	const struct page *page = &pages_table[number];
	unsigned int status = page->write(http, &text) == 0 ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
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

static enum MHD_Result answer(struct ft_http *http, struct MHD_Connection *connection, const char *path,
			      const char *method)
{
	size_t page = 0;
	bool bad_host = false;

	if (http->checks_host)
		MHD_get_connection_values(connection, MHD_HEADER_KIND, host_check, &bad_host);
	if (bad_host)
		return line_send(connection, MHD_HTTP_FORBIDDEN, "this is not the host you are looking for\n");
	while (page < FT_COUNT(pages_table) && strcmp(path, pages_table[page].path) != 0)
		page++;
	if (page == FT_COUNT(pages_table))
		return line_send(connection, MHD_HTTP_NOT_FOUND, "no such page; / lists them all\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return line_send(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "pages can only be read\n");
	if (has_body(connection))
		return line_send(connection, 413, "a request has no body here\n");
	return page_send(http, connection, page);
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

static int connection_fd(const struct connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

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
	if (connection)
		connection->body = NULL;
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

	if (!connection->mhd || connection->cut || connection->ended || connection->stage == STAGE_ANSWER)
		return;
	fd = connection_fd(connection);
	if (recv(fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) != 0)
		return;
	(void)shutdown(fd, SHUT_RD);
	connection->ended = true;
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

/* Closes connections that took too long, or whose place others need. Returns whether there were any. */
static bool connections_check(struct ft_http *http, uint64_t now)
{
	bool any = false;

	for (size_t i = 0; i < FT_COUNT(http->connections); i++) {
		struct connection *connection = &http->connections[i];

		connection_check_end(connection);
		if (!connection->mhd || connection->cut || connection_end(connection) > now)
			continue;
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

/* Addresses. */

static socklen_t address_length(const union address *address)
{
	return address->any.sa_family == AF_INET ? sizeof(address->v4) : sizeof(address->v6);
}

static bool address_is_loopback(const union address *address)
{
	static const struct in6_addr mapped = {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127}}};

	if (address->any.sa_family == AF_INET)
		return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
	return address->any.sa_family == AF_INET6 &&
	       (IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr) || memcmp(&address->v6.sin6_addr, &mapped, 13) == 0);
}

static unsigned int address_port(const union address *address)
{
	switch (address->any.sa_family) {
	case AF_INET:
		return ntohs(address->v4.sin_port);
	case AF_INET6:
		return ntohs(address->v6.sin6_port);
	default:
		return 0;
	}
}

/* Returns 0 or -EINVAL: not a port number. */
static int port_read(const char *string, uint16_t *ret_port)
{
	size_t length = strlen(string);
	unsigned long port;

	if (length == 0 || length > 5 || strspn(string, "0123456789") != length)
		return -EINVAL;
	port = strtoul(string, NULL, 10);
	if (port > UINT16_MAX)
		return -EINVAL;
	*ret_port = (uint16_t)port;
	return 0;
}

static int address_read(const char *string, union address *ret_address, struct ft_error *err)
{
	static const char *const form = "\"%s\" is not ADDRESS:PORT, such as 127.0.0.1:9683 or [::1]:9683";
	const char *colon = strrchr(string, ':');
	union address address = {.any.sa_family = AF_UNSPEC};
	char host[INET6_ADDRSTRLEN + 2];
	size_t length = colon ? (size_t)(colon - string) : 0;
	uint16_t port;

	if (length == 0 || length >= sizeof(host))
		return ft_error_set(err, -EINVAL, 0, 0, form, string);
	memcpy(host, string, length);
	host[length] = '\0';
	if (port_read(colon + 1, &port) < 0)
		return ft_error_set(err, -EINVAL, 0, 0, "\"%s\" is not a port, 0 to 65535", colon + 1);

	if (host[0] == '[' && host[length - 1] == ']') {
		host[length - 1] = '\0';
		if (inet_pton(AF_INET6, host + 1, &address.v6.sin6_addr) != 1)
			return ft_error_set(err, -EINVAL, 0, 0, form, string);
		address.v6.sin6_family = AF_INET6;
		address.v6.sin6_port = htons(port);
	} else {
		if (inet_pton(AF_INET, strcasecmp(host, "localhost") == 0 ? "127.0.0.1" : host, &address.v4.sin_addr) !=
		    1)
			return ft_error_set(err, -EINVAL, 0, 0, form, string);
		address.v4.sin_family = AF_INET;
		address.v4.sin_port = htons(port);
	}
	if (!address_is_loopback(&address))
		return ft_error_set(err, -EINVAL, 0, 0,
				    "\"%s\" is no loopback address; for others let systemd open the socket, or a proxy",
				    string);
	*ret_address = address;
	return 0;
}

int ft_http_check_address(const char *address, struct ft_error *err)
{
	union address parsed;

	return address_read(address, &parsed, err);
}

/* Starting. */

static int socket_open(const char *string, int *ret_fd, struct ft_error *err)
{
	_cleanup_(ft_closep) int fd = -1;
	union address address;
	const int on = 1;
	int r = address_read(string, &address, err);

	if (r < 0)
		return r;
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/* A port with lingering connections of an earlier process can be reused. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, &address.any, address_length(&address)) < 0 || listen(fd, SOMAXCONN) < 0) {
		r = -errno;
		return ft_error_set(err, r, 0, 0, "cannot listen on %s: %s", string, strerror(-r));
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* Is it the socket that systemd should have passed? libmicrohttpd would fail only later, without a reason. */
static int socket_check(int fd, struct ft_error *err)
{
	int listens = 0, type = 0, flags = fcntl(fd, F_GETFL);
	socklen_t size = sizeof(int);

	if (flags < 0 || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || !listens || type != SOCK_STREAM)
		return ft_error_set(err, -EINVAL, 0, 0, "file descriptor %d is no listening stream socket", fd);
	if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return ft_error_set(err, -errno, 0, 0, "file descriptor %d: %s", fd, strerror(errno));
	return 0;
}

static int socket_describe(struct ft_http *http, int fd)
{
	union address address = {.any.sa_family = AF_UNSPEC};
	socklen_t length = sizeof(address);

	if (getsockname(fd, &address.any, &length) < 0)
		return -errno;
	http->port = address_port(&address);
	http->checks_host = address_is_loopback(&address);
	return 0;
}

/* Takes @fd, whatever the result. */
static int mhd_start(struct ft_http *http, int fd, struct ft_error *err)
{
	http->mhd = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, request_handle, http, MHD_OPTION_LISTEN_SOCKET, fd,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_MAX,
				     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_S,
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
	int r = fd >= 0 ? socket_check(fd, err) : socket_open(address, &listener, err);

	if (r < 0)
		return r;
	http = calloc(1, sizeof(*http));
	if (!http)
		return ft_error_set(err, -ENOMEM, 0, 0, "out of memory");
	http->pages = *pages;
	http->userdata = userdata;
	r = socket_describe(http, listener);
	if (r < 0)
		return ft_error_set(err, r, 0, 0, "cannot tell the address of a socket: %s", strerror(-r));
	fd = listener;
	listener = -1;
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

void ft_http_free(struct ft_http *http)
{
	if (!http)
		return;
	sd_event_source_disable_unref(http->io);
	sd_event_source_disable_unref(http->timer);
	if (http->mhd)
		MHD_stop_daemon(http->mhd);
	sd_event_unref(http->loop);
	free(http);
}
