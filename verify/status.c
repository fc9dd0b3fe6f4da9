/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * HTTP/1.0 by hand: one request, one answer, one connection. libcurl would do it too, but brings twenty libraries more:
 * to start ftcheck with it took several times as long and 8 MiB instead of 2, and monitoring starts it every minute.
 */
#include "config.h"

#include "verify/status.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

enum {
	TIMEOUT_S = 5,
	HEAD_MAX = 16 << 10,
	BODY_MAX = 64 << 20,
	STATE_MAX = 256,
};

static const size_t length_unknown = SIZE_MAX;

struct answer {
	struct ft_text text; /* all that came */
	size_t head_length;  /* with the empty line; 0: not all of the head is here */
	size_t body_length;  /* as the head has it */
	unsigned int code;
	bool encoded; /* in a way that the request did not allow */
	char *state;
};

static void answer_release(struct answer *answer)
{
	ft_text_release(&answer->text);
	free(answer->state);
}

/* ---- addresses ---- */

static int port_read(const char *string, uint16_t *ret_port)
{
	unsigned long port;
	size_t length = strlen(string);

	if (length == 0 || length > 5 || strspn(string, "0123456789") != length)
		return -EINVAL;
	port = strtoul(string, NULL, 10);
	if (port == 0 || port > UINT16_MAX)
		return -EINVAL;
	*ret_port = (uint16_t)port;
	return 0;
}

static int address4_set(const char *host, uint16_t port, struct ft_status_address *ret)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
	char text[INET_ADDRSTRLEN];

	if (inet_pton(AF_INET, host, &in.sin_addr) != 1)
		return -EINVAL;
	if (ntohl(in.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET)
		return -EADDRNOTAVAIL;
	*ret = (struct ft_status_address){.length = sizeof(in)};
	memcpy(&ret->address, &in, sizeof(in));
	snprintf(ret->name, sizeof(ret->name), "%s:%u", inet_ntop(AF_INET, &in.sin_addr, text, sizeof(text)), port);
	return 0;
}

static int address6_set(const char *host, uint16_t port, struct ft_status_address *ret)
{
	struct sockaddr_in6 in = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

	if (inet_pton(AF_INET6, host, &in.sin6_addr) != 1)
		return -EINVAL;
	if (!IN6_IS_ADDR_LOOPBACK(&in.sin6_addr))
		return -EADDRNOTAVAIL;
	*ret = (struct ft_status_address){.length = sizeof(in)};
	memcpy(&ret->address, &in, sizeof(in));
	snprintf(ret->name, sizeof(ret->name), "[::1]:%u", port);
	return 0;
}

int ft_status_address_read(const char *string, struct ft_status_address *ret_address)
{
	const char *colon = strrchr(string, ':');
	size_t length = colon ? (size_t)(colon - string) : 0;
	char host[INET6_ADDRSTRLEN + 2];
	uint16_t port;

	if (port_read(colon ? colon + 1 : string, &port) < 0 || length >= sizeof(host))
		return -EINVAL;
	if (!colon)
		return address4_set("127.0.0.1", port, ret_address);
	memcpy(host, string, length);
	host[length] = '\0';
	if (host[0] != '[')
		return address4_set(host, port, ret_address);
	if (host[length - 1] != ']')
		return -EINVAL;
	host[length - 1] = '\0';
	return address6_set(host + 1, port, ret_address);
}

/* ---- what went wrong ---- */

static int error_silent(const struct ft_status_address *address, int code, struct ft_error *err)
{
	if (code == -ENOMEM)
		return code;
	return ft_error_set(err, code, 0, 0, "ftcheckd does not answer on %s: %s", address->name, strerror(-code));
}

static int error_stranger(const struct ft_status_address *address, const char *why, struct ft_error *err)
{
	return ft_error_set(err, -EPROTO, 0, 0, "what answers on %s is not ftcheckd: %s", address->name, why);
}

static int error_slow(const struct ft_status_address *address, const struct answer *answer, struct ft_error *err)
{
	if (answer->text.length == 0)
		return ft_error_set(err, -ETIMEDOUT, 0, 0, "ftcheckd does not answer on %s: nothing came within %d s",
				    address->name, TIMEOUT_S);
	return ft_error_set(err, -ETIMEDOUT, 0, 0, "ftcheckd does not answer on %s: only a part came within %d s",
			    address->name, TIMEOUT_S);
}

static int error_long(const struct ft_status_address *address, struct ft_error *err)
{
	return ft_error_set(err, -EFBIG, 0, 0, "what ftcheckd on %s sends is damaged: it is longer than %d MiB",
			    address->name, BODY_MAX >> 20);
}

/* ---- the head of the answer ---- */

static int length_header(struct answer *answer, const char *value, size_t length)
{
	size_t number = 0;

	if (length == 0)
		return -EPROTO;
	for (size_t i = 0; i < length; i++) {
		if (value[i] < '0' || value[i] > '9')
			return -EPROTO;
		/* More is too much anyway. */
		if (number <= BODY_MAX)
			number = number * 10 + (size_t)(value[i] - '0');
	}
	answer->body_length = number;
	return 0;
}

static int encoding_header(struct answer *answer, const char *value, size_t length)
{
	(void)value;
	(void)length;
	answer->encoded = true;
	return 0;
}

static int state_header(struct answer *answer, const char *value, size_t length)
{
	char *state = length > 0 ? ft_text_safe_dup(value, length < STATE_MAX ? length : STATE_MAX) : NULL;

	if (length > 0 && !state)
		return -ENOMEM;
	free(answer->state);
	answer->state = state;
	return 0;
}

static const struct header {
	const char *name;
	int (*read)(struct answer *answer, const char *value, size_t length);
} headers[] = {
	{"Content-Length:", length_header},
	{"Content-Encoding:", encoding_header},
	{"Transfer-Encoding:", encoding_header},
	{"X-Ftcheck-State:", state_header},
};

static int header_read(struct answer *answer, const char *line, size_t length)
{
	for (size_t i = 0; i < FT_COUNT(headers); i++) {
		size_t name = strlen(headers[i].name);

		if (length < name || strncasecmp(line, headers[i].name, name) != 0)
			continue;
		while (name < length && (line[name] == ' ' || line[name] == '\t'))
			name++;
		while (length > name && (line[length - 1] == ' ' || line[length - 1] == '\t'))
			length--;
		return headers[i].read(answer, line + name, length - name);
	}
	return 0;
}

/* "HTTP/1.1 200 OK" */
static int status_line_read(struct answer *answer, const char *line, size_t length)
{
	enum { CODE_AT = 9, CODE_DIGITS = 3 };

	if (length < CODE_AT + CODE_DIGITS || line[CODE_AT - 1] != ' ')
		return -EPROTO;
	answer->code = 0;
	for (size_t i = CODE_AT; i < CODE_AT + CODE_DIGITS; i++) {
		if (line[i] < '0' || line[i] > '9')
			return -EPROTO;
		answer->code = answer->code * 10 + (unsigned int)(line[i] - '0');
	}
	return 0;
}

/* Returns 1 once the head is there and read, 0 where more is to come, -EPROTO where this is no HTTP, or -ENOMEM. */
static int head_read(struct answer *answer)
{
	static const char start[] = "HTTP/1.", empty_line[] = "\r\n\r\n";
	const char *text = ft_text_string(&answer->text), *end, *line, *next;
	size_t length = answer->text.length;
	int r;

	if (strncmp(text, start, length < strlen(start) ? length : strlen(start)) != 0)
		return -EPROTO;
	end = memmem(text, length, empty_line, strlen(empty_line));
	if (!end)
		return length > HEAD_MAX ? -EPROTO : 0;
	line = memchr(text, '\r', length);
	r = status_line_read(answer, text, (size_t)(line - text));
	for (; r == 0 && line < end; line = next) {
		line += strlen("\r\n");
		next = memmem(line, (size_t)(end + 2 - line), "\r\n", 2);
		r = header_read(answer, line, (size_t)(next - line));
	}
	if (r < 0)
		return r;
	answer->head_length = (size_t)(end - text) + strlen(empty_line);
	return 1;
}

/* ---- the exchange ---- */

static int64_t now_ms(void)
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
		int64_t left = end_ms - now_ms();
		int n = left > 0 ? poll(&poller, 1, (int)left) : 0;

		if (n > 0)
			return 0;
		if (n == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int connection_open(const struct ft_status_address *address, int64_t end_ms, int *ret_fd)
{
	_cleanup_(ft_closep) int fd = socket(address->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int failure = 0, r;
	socklen_t size = sizeof(failure);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&address->address, address->length) < 0) {
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

static int request_send(int fd, const struct ft_status_address *address, int64_t end_ms)
{
	char request[192];
	size_t length, sent = 0;

	length = (size_t)snprintf(request, sizeof(request),
				  "GET /report HTTP/1.0\r\nHost: %s\r\nUser-Agent: ftcheck/" PACKAGE_VERSION
				  "\r\nAccept: application/json\r\nConnection: close\r\n\r\n",
				  address->name);
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

/* The next bytes: how many, 0 at the end, or -errno. */
static ssize_t bytes_receive(int fd, struct ft_text *text, int64_t end_ms)
{
	char bytes[65536];

	for (;;) {
		int r = ready_wait(fd, POLLIN, end_ms);
		ssize_t n;

		if (r < 0)
			return r;
		n = recv(fd, bytes, sizeof(bytes), 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n < 0)
			return -errno;
		ft_text_add(text, bytes, (size_t)n);
		return ft_text_failed(text) ? -ENOMEM : n;
	}
}

static bool answer_complete(const struct answer *answer)
{
	return answer->head_length > 0 && answer->body_length != length_unknown &&
	       answer->text.length - answer->head_length >= answer->body_length;
}

static bool answer_too_long(const struct answer *answer)
{
	return answer->head_length > 0 && ((answer->body_length != length_unknown && answer->body_length > BODY_MAX) ||
					   answer->text.length - answer->head_length > BODY_MAX);
}

/* Receives until the answer is complete, or its sender hangs up. */
static int answer_receive(int fd, const struct ft_status_address *address, int64_t end_ms, struct answer *answer,
			  struct ft_error *err)
{
	while (!answer_complete(answer)) {
		ssize_t n = bytes_receive(fd, &answer->text, end_ms);
		int r;

		if (n == -ETIMEDOUT)
			return error_slow(address, answer, err);
		if (n < 0)
			return error_silent(address, (int)n, err);
		if (n == 0)
			return 0;
		r = answer->head_length > 0 ? 1 : head_read(answer);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			return error_stranger(address, "it does not speak HTTP", err);
		if (answer_too_long(answer))
			return error_long(address, err);
	}
	return 0;
}

static int answer_get(const struct ft_status_address *address, struct answer *answer, struct ft_error *err)
{
	_cleanup_(ft_closep) int fd = -1;
	int64_t end_ms = now_ms() + TIMEOUT_S * 1000;
	int r;

	r = connection_open(address, end_ms, &fd);
	if (r == 0)
		r = request_send(fd, address, end_ms);
	if (r == -ETIMEDOUT)
		return error_slow(address, answer, err);
	/* Whoever hangs up early may have said why: the answer tells. */
	if (r < 0 && r != -EPIPE && r != -ECONNRESET)
		return error_silent(address, r, err);
	return answer_receive(fd, address, end_ms, answer, err);
}

/* ---- what the answer says ---- */

/* The first line of the body, for people. */
static int reason_tell(const struct ft_status_address *address, const char *body, size_t length, struct ft_error *err)
{
	size_t line = 0;

	while (line < length && body[line] != '\n' && body[line] != '\r' && body[line] != '\0')
		line++;
	if (line == 0)
		return ft_error_set(err, -EAGAIN, 0, 0, "ftcheckd on %s has no report yet", address->name);
	return ft_error_set(err, -EAGAIN, 0, 0, "ftcheckd on %s has no report yet: %.*s", address->name,
			    (int)(line < STATE_MAX ? line : STATE_MAX), body);
}

static int report_read(const struct ft_status_address *address, const char *body, size_t length,
		       struct ft_report **ret_report, struct ft_error *err)
{
	struct ft_error why = {0};
	size_t blank = strspn(body, " \t\r\n");
	int r;

	if (blank >= length || body[blank] != '{')
		return error_stranger(address, "it sends no JSON object", err);
	r = ft_report_read_json(body, length, ret_report, &why);
	if (r == 0 || r == -ENOMEM)
		return r;
	if (r == -ENOMSG)
		return error_stranger(address, why.text, err);
	if (r == -ENOTSUP)
		return ft_error_set(err, r, 0, 0, "the report of ftcheckd on %s cannot be shown: %s", address->name,
				    why.text);
	return ft_error_set(err, r, 0, 0, "what ftcheckd on %s sends is damaged: %u:%u: %s", address->name, why.line,
			    why.column, why.text);
}

static int answer_judge(const struct ft_status_address *address, struct answer *answer, struct ft_report **ret_report,
			struct ft_error *err)
{
	enum { HTTP_OK = 200, HTTP_UNAVAILABLE = 503 };
	const char *body = ft_text_string(&answer->text) + answer->head_length;
	size_t length = answer->text.length - answer->head_length;
	char why[64];

	if (answer->text.length == 0)
		return error_stranger(address, "it hangs up without a word", err);
	if (answer->head_length == 0)
		return error_stranger(address, "it hangs up amid the head of its answer", err);
	if (answer->encoded)
		return error_stranger(address, "its answer is encoded in a way that was not asked for", err);
	if (answer->body_length != length_unknown && length < answer->body_length)
		return ft_error_set(err, -EPROTO, 0, 0,
				    "what ftcheckd on %s sends is damaged: it ends after %zu of %zu bytes",
				    address->name, length, answer->body_length);
	if (answer->body_length != length_unknown)
		length = answer->body_length;
	if (answer->code == HTTP_UNAVAILABLE)
		return reason_tell(address, body, length, err);
	if (answer->code != HTTP_OK) {
		snprintf(why, sizeof(why), "to a question for /report it answers with HTTP status %u", answer->code);
		return error_stranger(address, why, err);
	}
	return report_read(address, body, length, ret_report, err);
}

/* A report from before the clock was set back is of the future. */
static int age_tell(struct ft_report *report)
{
	int64_t age = (int64_t)time(NULL) - report->time_s;
	char when[FT_TIME_SIZE];
	int r;

	r = ft_time_string(report->time_s, when);
	if (r < 0)
		return r;
	if (age >= 0)
		r = asprintf(&report->as_of, "as of %s, %lld s ago", when, (long long)age);
	else
		r = asprintf(&report->as_of, "as of %s, %lld s ahead of this clock", when, (long long)-age);
	if (r < 0) {
		report->as_of = NULL;
		return -ENOMEM;
	}
	return 0;
}

int ft_status_ask(const struct ft_status_address *address, struct ft_report **ret_report, struct ft_error *err)
{
	_cleanup_(answer_release) struct answer answer = {.body_length = length_unknown};
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	int r;

	r = answer_get(address, &answer, err);
	if (r == 0)
		r = answer_judge(address, &answer, &report, err);
	if (r == 0)
		r = age_tell(report);
	if (r < 0)
		return r;
	report->state = FT_STEAL(answer.state);
	*ret_report = FT_STEAL(report);
	return 0;
}
