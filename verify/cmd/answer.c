/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

void ft_answer_release(struct ft_answer *answer)
{
	ft_http_release(&answer->http);
}

static int error_stranger(const struct ft_answer *answer, const char *why, struct ft_error *err)
{
	return ft_error_set(err, -EPROTO, 0, 0, "what answers on %s is not ftcheckd: %s", answer->from, why);
}

int ft_answer_add(struct ft_answer *answer, const char *bytes, size_t length, struct ft_error *err)
{
	int r;

	answer->http.wanted = "X-Ftcheck-State:";
	r = ft_http_add(&answer->http, bytes, length);
	if (r == -EPROTO)
		return error_stranger(answer, "it does not speak HTTP", err);
	if (r == -EFBIG)
		return ft_error_set(err, r, 0, 0, "what ftcheckd on %s sends is damaged: it is longer than %d MiB",
				    answer->from, FT_HTTP_BODY_MAX >> 20);
	return r;
}

/* The first line of the body, for the error message. */
static int reason_tell(const struct ft_answer *answer, const char *body, size_t length, struct ft_error *err)
{
	size_t line = 0;

	while (line < length && body[line] != '\n' && body[line] != '\r' && body[line] != '\0')
		line++;
	if (line == 0)
		return ft_error_set(err, -EAGAIN, 0, 0, "ftcheckd on %s has no report yet", answer->from);
	return ft_error_set(err, -EAGAIN, 0, 0, "ftcheckd on %s has no report yet: %.*s", answer->from,
			    (int)(line < FT_HTTP_VALUE_MAX ? line : FT_HTTP_VALUE_MAX), body);
}

static bool is_object(const char *body, size_t length)
{
	size_t i = 0;

	while (i < length && (body[i] == ' ' || body[i] == '\t' || body[i] == '\r' || body[i] == '\n'))
		i++;
	return i < length && body[i] == '{';
}

static int report_read(const struct ft_answer *answer, const char *body, size_t length, struct ft_report **ret_report,
		       struct ft_error *err)
{
	struct ft_error why = {0};
	int r;

	if (!is_object(body, length))
		return error_stranger(answer, "it sends no JSON object", err);
	r = ft_report_read_json(body, length, ret_report, &why);
	if (r == 0 || r == -ENOMEM)
		return r;
	if (r == -ENOMSG)
		return error_stranger(answer, why.text, err);
	if (r == -ENOTSUP)
		return ft_error_set(err, r, 0, 0, "the report of ftcheckd on %s cannot be shown: %s", answer->from,
				    why.text);
	return ft_error_set(err, r, 0, 0, "what ftcheckd on %s sends is damaged: %u:%u: %s", answer->from, why.line,
			    why.column, why.text);
}

int ft_answer_report(struct ft_answer *answer, struct ft_report **ret_report, struct ft_error *err)
{
	enum { HTTP_OK = 200, HTTP_UNAVAILABLE = 503 };
	struct ft_http *http = &answer->http;
	const char *body = ft_text_string(&http->text) + http->head_length;
	size_t length = http->text.length - http->head_length;
	char why[64];
	int r;

	if (http->text.length == 0)
		return error_stranger(answer, "it hangs up without a word", err);
	if (http->head_length == 0)
		return error_stranger(answer, "it hangs up amid the head of its answer", err);
	if (http->encoded)
		return error_stranger(answer, "its answer is encoded in a way that was not asked for", err);
	if (http->length_known && length < http->body_length)
		return ft_error_set(err, -EPROTO, 0, 0,
				    "what ftcheckd on %s sends is damaged: it ends after %zu of %zu bytes",
				    answer->from, length, http->body_length);
	if (http->length_known)
		length = http->body_length;
	if (http->code == HTTP_UNAVAILABLE)
		return reason_tell(answer, body, length, err);
	if (http->code != HTTP_OK) {
		snprintf(why, sizeof(why), "to a question for /report it answers with HTTP status %u", http->code);
		return error_stranger(answer, why, err);
	}
	r = report_read(answer, body, length, ret_report, err);
	if (r == 0 && http->value)
		(*ret_report)->state = ft_arena_keep(&(*ret_report)->memory, FT_STEAL(http->value));
	return r;
}
