/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A minimal HTTP/1.0 client: one request, one response, one connection, one deadline. The response is not trusted:
 * another process may have taken the port.
 */
#ifndef FT_BASE_HTTP_H
#define FT_BASE_HTTP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/text.h"

enum {
	FT_HTTP_HEAD_MAX = 16 << 10, /* bytes, with the empty line */
	FT_HTTP_BODY_MAX = 64 << 20,
	FT_HTTP_VALUE_MAX = 256,
};

/* The clock of the deadlines: monotonic. */
int64_t ft_http_now_ms(void);

/*
 * Connects, and sends @request. Where the peer hung up early, what it sent before can be received. The caller closes
 * @ret_fd. Returns 0, -ETIMEDOUT, or -errno.
 */
int ft_http_ask(const struct sockaddr *address, socklen_t length, const char *request, int64_t end_ms, int *ret_fd);

/* Receives bytes: their number, 0 at the end, -ETIMEDOUT, or -errno. */
ssize_t ft_http_receive(int fd, char *bytes, size_t size, int64_t end_ms);

/* A response as far as it has come. */
struct ft_http {
	const char *wanted;  /* a header whose value is kept, with its colon; NULL: none */
	struct ft_text text; /* all that came */
	size_t line_begin;   /* offset in the head of the first line not read yet */
	size_t head_length;  /* with the empty line; 0: the head is not complete */
	size_t body_length;  /* as the head has it */
	unsigned int code;   /* 0: the first line is not read yet */
	bool length_known;
	bool encoded; /* a body in a transfer coding that the request did not allow */
	char *value;  /* of the wanted header, made safe; NULL: it did not come, or is empty */
};

void ft_http_release(struct ft_http *http);

/*
 * Takes the next bytes. Returns 1 once the response is complete; 0 where more may come; -ENOMEM; -EPROTO: it is no
 * HTTP; or -EFBIG: its body is longer than FT_HTTP_BODY_MAX.
 */
int ft_http_add(struct ft_http *http, const char *bytes, size_t length);

#endif
