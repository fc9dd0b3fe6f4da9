/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/status.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/moment.h"
#include "verify/cmd/answer.h"

enum { TIMEOUT_S = 5 };

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

static int error_slow(const struct ft_status_address *address, const struct ft_answer *answer, struct ft_error *err)
{
	return ft_error_set(err, -ETIMEDOUT, 0, 0, "ftcheckd does not answer on %s: %s came within %d s", address->name,
			    answer->http.text.length == 0 ? "nothing" : "only a part", TIMEOUT_S);
}

/* ---- the exchange ---- */

/* Receives until the response is complete, or the peer closes the connection. */
static int answer_receive(int fd, const struct ft_status_address *address, int64_t end_ms, struct ft_answer *answer,
			  struct ft_error *err)
{
	char bytes[65536];

	for (;;) {
		ssize_t n = ft_http_receive(fd, bytes, sizeof(bytes), end_ms);
		int r;

		if (n == -ETIMEDOUT)
			return error_slow(address, answer, err);
		if (n < 0)
			return error_silent(address, (int)n, err);
		if (n == 0)
			return 0;
		r = ft_answer_add(answer, bytes, (size_t)n, err);
		if (r != 0)
			return r < 0 ? r : 0;
	}
}

static int answer_get(const struct ft_status_address *address, struct ft_answer *answer, struct ft_error *err)
{
	_cleanup_(ft_closep) int fd = -1;
	int64_t end_ms = ft_http_now_ms() + TIMEOUT_S * 1000;
	char request[192];
	int r;

	snprintf(request, sizeof(request),
		 "GET /report HTTP/1.0\r\nHost: %s\r\nUser-Agent: ftcheck/" PACKAGE_VERSION
		 "\r\nAccept: application/json\r\nConnection: close\r\n\r\n",
		 address->name);
	r = ft_http_ask((const struct sockaddr *)&address->address, address->length, request, end_ms, &fd);
	if (r == -ETIMEDOUT)
		return error_slow(address, answer, err);
	if (r < 0)
		return error_silent(address, r, err);
	return answer_receive(fd, address, end_ms, answer, err);
}

/* ---- the report ---- */

/* After the clock was set back a report may be from the future. */
static int age_tell(struct ft_report *report)
{
	int64_t age = (int64_t)time(NULL) - report->time_s;
	char when[FT_TIME_SIZE];
	int r;

	r = ft_time_string(report->time_s, when);
	if (r < 0)
		return r;
	report->as_of = ft_arena_print(&report->memory, "as of %s, %lld s %s", when, llabs((long long)age),
				       age >= 0 ? "ago" : "ahead of this clock");
	return report->as_of ? 0 : -ENOMEM;
}

int ft_status_ask(const struct ft_status_address *address, struct ft_report **ret_report, struct ft_error *err)
{
	_cleanup_(ft_answer_release) struct ft_answer answer = {.from = address->name};
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	int r;

	r = answer_get(address, &answer, err) ?: ft_answer_report(&answer, &report, err) ?: age_tell(report);
	if (r < 0)
		return r;
	*ret_report = FT_STEAL(report);
	return 0;
}
