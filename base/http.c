/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Not libcurl, which needs twenty more libraries: ftcheck then started several times slower and with 8 MiB instead of
 * 2, and monitoring starts it every minute.
 */
#include "config.h"

#include "base/http.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

/* ---- the exchange ---- */

int64_t ft_http_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until the socket is ready: 0, -ETIMEDOUT, or -errno. */
static int ready_wait(int fd, short events, int64_t end_ms)
{
	for (;;) {
		struct pollfd poller = {.fd = fd, .events = events};
		int64_t left = end_ms - ft_http_now_ms();
		int n = left > 0 ? poll(&poller, 1, (int)left) : 0;

		if (n > 0)
			return 0;
		if (n == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int connection_open(const struct sockaddr *address, socklen_t length, int64_t end_ms, int *ret_fd)
{
	_cleanup_(ft_closep) int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int failure = 0, r;
	socklen_t size = sizeof(failure);

	if (fd < 0)
		return -errno;
	if (connect(fd, address, length) < 0) {
		if (errno != EINPROGRESS)
			return -errno;
		r = ready_wait(fd, POLLOUT, end_ms);
		if (r < 0)
			return r;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) < 0)
			return -errno;
		if (failure)
			return -failure;
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int request_send(int fd, const char *request, int64_t end_ms)
{
	size_t length = strlen(request), sent = 0;

	while (sent < length) {
		ssize_t n = send(fd, request + sent, length - sent, MSG_NOSIGNAL);
		int r;

		if (n >= 0) {
			sent += (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		r = ready_wait(fd, POLLOUT, end_ms);
		if (r < 0)
			return r;
	}
	return 0;
}

int ft_http_ask(const struct sockaddr *address, socklen_t length, const char *request, int64_t end_ms, int *ret_fd)
{
	_cleanup_(ft_closep) int fd = -1;
	int r = connection_open(address, length, end_ms, &fd) ?: request_send(fd, request, end_ms);

	/* A peer that closes early may have sent the reason. */
	if (r < 0 && r != -EPIPE && r != -ECONNRESET)
		return r;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* Receives bytes: their number, 0 at the end, or -errno. */
ssize_t ft_http_receive(int fd, char *bytes, size_t size, int64_t end_ms)
{
	for (;;) {
		int r = ready_wait(fd, POLLIN, end_ms);
		ssize_t n;

		if (r < 0)
			return r;
		n = recv(fd, bytes, size, 0);
		if (n >= 0)
			return n;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
	}
}

/* ---- the response ---- */

void ft_http_release(struct ft_http *http)
{
	ft_text_release(&http->text);
	free(http->value);
}

/* Digits only. A larger number than @max becomes any value above @max. */
static bool number_read(const char *text, size_t length, size_t max, size_t *ret_number)
{
	size_t number = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		if (number <= max)
			number = number * 10 + (size_t)(text[i] - '0');
	}
	*ret_number = number;
	return length > 0;
}

static int length_header(struct ft_http *http, const char *value, size_t length)
{
	size_t number;

	if (!number_read(value, length, FT_HTTP_BODY_MAX, &number))
		return -EPROTO;
	/* RFC 9112, 6.3: two different lengths make the message invalid. */
	if (http->length_known && http->body_length != number)
		return -EPROTO;
	http->body_length = number;
	http->length_known = true;
	return 0;
}

static int encoding_header(struct ft_http *http, const char *value, size_t length)
{
	(void)value;
	(void)length;
	http->encoded = true;
	return 0;
}

/* The last one counts. Only so much of it is kept. */
static int wanted_header(struct ft_http *http, const char *value, size_t length)
{
	char *kept =
		length > 0 ? ft_text_safe_dup(value, length < FT_HTTP_VALUE_MAX ? length : FT_HTTP_VALUE_MAX) : NULL;

	if (length > 0 && !kept)
		return -ENOMEM;
	free(http->value);
	http->value = kept;
	return 0;
}

static int header_read(struct ft_http *http, const char *line, size_t length)
{
	const struct {
		const char *name;
		int (*take)(struct ft_http *http, const char *value, size_t length);
	} headers[] = {
		{"Content-Length:", length_header},
		{"Content-Encoding:", encoding_header},
		{"Transfer-Encoding:", encoding_header},
		{http->wanted, wanted_header},
	};

	for (size_t i = 0; i < FT_COUNT(headers); i++) {
		size_t name = headers[i].name ? strlen(headers[i].name) : SIZE_MAX;

		if (length < name || strncasecmp(line, headers[i].name, name) != 0)
			continue;
		while (name < length && (line[name] == ' ' || line[name] == '\t'))
			name++;
		while (length > name && (line[length - 1] == ' ' || line[length - 1] == '\t'))
			length--;
		return headers[i].take(http, line + name, length - name);
	}
	return 0;
}

static const char http_start[] = "HTTP/1.";

/* "HTTP/1.1 200 OK" */
static int status_line_read(struct ft_http *http, const char *line, size_t length)
{
	enum { MINOR_AT = sizeof(http_start) - 1, CODE_AT = MINOR_AT + 2, CODE_DIGITS = 3, CODE_MIN = 100 };
	size_t minor, code;

	if (length < CODE_AT + CODE_DIGITS || strncmp(line, http_start, MINOR_AT) != 0 ||
	    !number_read(line + MINOR_AT, 1, SIZE_MAX / 10 - 1, &minor) || line[CODE_AT - 1] != ' ' ||
	    !number_read(line + CODE_AT, CODE_DIGITS, SIZE_MAX / 10 - 1, &code) || code < CODE_MIN ||
	    (length > CODE_AT + CODE_DIGITS && line[CODE_AT + CODE_DIGITS] != ' '))
		return -EPROTO;
	http->code = (unsigned int)code;
	return 0;
}

/* A line without its end, which is CR LF. Any other CR, LF or NUL makes the head invalid (RFC 9110, 5.5). */
static int head_line_read(struct ft_http *http, const char *line, size_t length)
{
	if (memchr(line, '\r', length) || memchr(line, '\n', length) || memchr(line, '\0', length))
		return -EPROTO;
	return http->code == 0 ? status_line_read(http, line, length) : header_read(http, line, length);
}

/*
 * Reads the complete lines, each once. Returns 1 once the head is complete and read, 0 where more is to come, -EPROTO
 * where this is no HTTP, or -ENOMEM.
 */
static int head_read(struct ft_http *http)
{
	const char *text = ft_text_string(&http->text);
	size_t known = http->text.length < FT_HTTP_HEAD_MAX ? http->text.length : FT_HTTP_HEAD_MAX;
	size_t start = strlen(http_start);

	/* A peer that does not speak HTTP may never send a line. */
	if (strncmp(text, http_start, known < start ? known : start) != 0)
		return -EPROTO;
	for (;;) {
		const char *line = text + http->line_begin;
		const char *end = memmem(line, known - http->line_begin, "\r\n", 2);
		int r;

		if (!end)
			return known == FT_HTTP_HEAD_MAX ? -EPROTO : 0;
		http->line_begin = (size_t)(end + 2 - text);
		if (end == line && http->code != 0) {
			http->head_length = http->line_begin;
			return 1;
		}
		r = head_line_read(http, line, (size_t)(end - line));
		if (r < 0)
			return r;
	}
}

static bool is_complete(const struct ft_http *http)
{
	return http->head_length > 0 && http->length_known &&
	       http->text.length - http->head_length >= http->body_length;
}

static bool is_too_long(const struct ft_http *http)
{
	return (http->length_known && http->body_length > FT_HTTP_BODY_MAX) ||
	       (!http->length_known && http->text.length - http->head_length > FT_HTTP_BODY_MAX);
}

int ft_http_add(struct ft_http *http, const char *bytes, size_t length)
{
	int r;

	ft_text_add(&http->text, bytes, length);
	if (ft_text_failed(&http->text))
		return -ENOMEM;
	r = http->head_length > 0 ? 1 : head_read(http);
	if (r <= 0)
		return r;
	return is_too_long(http) ? -EFBIG : is_complete(http);
}
