/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The daemon's pages. libmicrohttpd is run from the loop: its epoll descriptor is watched, and one timer stands for all
 * its deadlines.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "daemon/http_parts.h"
#include "daemon/page.h"
#include "daemon/socket.h"

/* Of all connections without any byte, while a response is sent. */
enum { IDLE_S = 15 };

enum { CONNECTION_MEMORY = 16 * 1024 }; /* headers beyond it are refused (431) */

static const char events_path[] = "/events";

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

static const char events_type[] = "text/event-stream";

/* The head of a stream of events. */
static enum MHD_Result head_send(struct MHD_Connection *mhd)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result = MHD_NO;

	if (response && ft_http_headers_add(response, events_type, ft_http_plain_policy, ""))
		result = MHD_queue_response(mhd, MHD_HTTP_OK, response);
	if (response)
		MHD_destroy_response(response);
	return result;
}

static enum MHD_Result events_send(struct ft_http *http, struct MHD_Connection *mhd, bool head)
{
	struct ft_http_place *connection = ft_http_place_of(mhd);
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
		return ft_http_line_send(mhd, MHD_HTTP_SERVICE_UNAVAILABLE,
					 "too many streams of events; ask /summary\n");
	/* What the kernel keeps for a client that does not read. */
	(void)setsockopt(ft_http_place_fd(connection), SOL_SOCKET, SO_SNDBUF, &few, sizeof(few));
	if (ft_http_headers_add(response, events_type, ft_http_plain_policy, ""))
		result = MHD_queue_response(mhd, MHD_HTTP_OK, response);
	if (result == MHD_YES) {
		connection->stream = stream;
		ft_http_stage_begin(http, connection, FT_STAGE_STREAM);
	}
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer(struct ft_http *http, struct MHD_Connection *connection, const char *path,
			      const char *method)
{
	size_t page = ft_http_page_find(path);
	bool bad_host = false, events = strcmp(path, events_path) == 0;

	if (http->checks_host)
		MHD_get_connection_values(connection, MHD_HEADER_KIND, host_check, &bad_host);
	if (bad_host)
		return ft_http_line_send(connection, MHD_HTTP_FORBIDDEN, "this is not the host you are looking for\n");
	if (page == FT_PAGE_COUNT && !events)
		return ft_http_line_send(connection, MHD_HTTP_NOT_FOUND, "no such page; / lists them all\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return ft_http_line_send(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "pages can only be read\n");
	if (has_body(connection))
		return ft_http_line_send(connection, 413, "a request has no body here\n");
	if (events)
		return events_send(http, connection, strcmp(method, MHD_HTTP_METHOD_HEAD) == 0);
	return ft_http_page_send(http, connection, page);
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
	ft_http_stage_begin(userdata, ft_http_place_of(connection), FT_STAGE_ANSWER);
	if (!*mark && plain && !has_body(connection)) {
		*mark = &seen;
		return MHD_YES;
	}
	return answer(userdata, connection, path, method);
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
	now = ft_http_now_us(http);
	/* The next run closes connections that were shut down now. */
	next = ft_http_places_check(http, now) ? now : ft_http_places_end(http);
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
				     (unsigned int)FT_PLACES_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_S,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
				     MHD_OPTION_NOTIFY_CONNECTION, ft_http_place_notified, http,
				     MHD_OPTION_NOTIFY_COMPLETED, ft_http_request_done, http, MHD_OPTION_END);
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
