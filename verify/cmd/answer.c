/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

enum { STATE_MAX = 256 };

void ft_answer_release(struct ft_answer *answer)
{
	ft_text_release(&answer->text);
	free(answer->state);
}

static int error_stranger(const struct ft_answer *answer, const char *why, struct ft_error *err)
{
	return ft_error_set(err, -EPROTO, 0, 0, "what answers on %s is not ftcheckd: %s", answer->from, why);
}

/* ---- the head ---- */

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

static int length_header(struct ft_answer *answer, const char *value, size_t length)
{
	size_t number;

	if (!number_read(value, length, FT_ANSWER_BODY_MAX, &number))
		return -EPROTO;
	/* RFC 9112, 6.3: two different lengths make the message invalid. */
	if (answer->length_known && answer->body_length != number)
		return -EPROTO;
	answer->body_length = number;
	answer->length_known = true;
	return 0;
}

static int encoding_header(struct ft_answer *answer, const char *value, size_t length)
{
	(void)value;
	(void)length;
	answer->encoded = true;
	return 0;
}

static int state_header(struct ft_answer *answer, const char *value, size_t length)
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
	int (*take)(struct ft_answer *answer, const char *value, size_t length);
} headers[] = {
	{"Content-Length:", length_header},
	{"Content-Encoding:", encoding_header},
	{"Transfer-Encoding:", encoding_header},
	{"X-Ftcheck-State:", state_header},
};

static int header_read(struct ft_answer *answer, const char *line, size_t length)
{
	for (size_t i = 0; i < FT_COUNT(headers); i++) {
		size_t name = strlen(headers[i].name);

		if (length < name || strncasecmp(line, headers[i].name, name) != 0)
			continue;
		while (name < length && (line[name] == ' ' || line[name] == '\t'))
			name++;
		while (length > name && (line[length - 1] == ' ' || line[length - 1] == '\t'))
			length--;
		return headers[i].take(answer, line + name, length - name);
	}
	return 0;
}

static const char http_start[] = "HTTP/1.";

/* "HTTP/1.1 200 OK" */
static int status_line_read(struct ft_answer *answer, const char *line, size_t length)
{
	enum { MINOR_AT = sizeof(http_start) - 1, CODE_AT = MINOR_AT + 2, CODE_DIGITS = 3, CODE_MIN = 100 };
	size_t minor, code;

	if (length < CODE_AT + CODE_DIGITS || strncmp(line, http_start, MINOR_AT) != 0 ||
	    !number_read(line + MINOR_AT, 1, SIZE_MAX / 10 - 1, &minor) || line[CODE_AT - 1] != ' ' ||
	    !number_read(line + CODE_AT, CODE_DIGITS, SIZE_MAX / 10 - 1, &code) || code < CODE_MIN ||
	    (length > CODE_AT + CODE_DIGITS && line[CODE_AT + CODE_DIGITS] != ' '))
		return -EPROTO;
	answer->code = (unsigned int)code;
	return 0;
}

/* A line without its end, which is CR LF. Any other CR, LF or NUL makes the head invalid (RFC 9110, 5.5). */
static int head_line_read(struct ft_answer *answer, const char *line, size_t length)
{
	if (memchr(line, '\r', length) || memchr(line, '\n', length) || memchr(line, '\0', length))
		return -EPROTO;
	return answer->code == 0 ? status_line_read(answer, line, length) : header_read(answer, line, length);
}

/*
 * Reads the complete lines, each once. Returns 1 once the head is complete and read, 0 where more is to come, -EPROTO
 * where this is no HTTP, or -ENOMEM.
 */
static int head_read(struct ft_answer *answer)
{
	const char *text = ft_text_string(&answer->text);
	size_t known = answer->text.length < FT_ANSWER_HEAD_MAX ? answer->text.length : FT_ANSWER_HEAD_MAX;
	size_t start = strlen(http_start);

	/* A peer that does not speak HTTP may never send a line. */
	if (strncmp(text, http_start, known < start ? known : start) != 0)
		return -EPROTO;
	for (;;) {
		const char *line = text + answer->line_begin;
		const char *end = memmem(line, known - answer->line_begin, "\r\n", 2);
		int r;

		if (!end)
			return known == FT_ANSWER_HEAD_MAX ? -EPROTO : 0;
		answer->line_begin = (size_t)(end + 2 - text);
		if (end == line && answer->code != 0) {
			answer->head_length = answer->line_begin;
			return 1;
		}
		r = head_line_read(answer, line, (size_t)(end - line));
		if (r < 0)
			return r;
	}
}

/* ---- the whole ---- */

static bool is_complete(const struct ft_answer *answer)
{
	return answer->head_length > 0 && answer->length_known &&
	       answer->text.length - answer->head_length >= answer->body_length;
}

static bool is_too_long(const struct ft_answer *answer)
{
	return (answer->length_known && answer->body_length > FT_ANSWER_BODY_MAX) ||
	       (!answer->length_known && answer->text.length - answer->head_length > FT_ANSWER_BODY_MAX);
}

int ft_answer_add(struct ft_answer *answer, const char *bytes, size_t length, struct ft_error *err)
{
	int r;

	ft_text_add(&answer->text, bytes, length);
	if (ft_text_failed(&answer->text))
		return -ENOMEM;
	r = answer->head_length > 0 ? 1 : head_read(answer);
	if (r == -EPROTO)
		return error_stranger(answer, "it does not speak HTTP", err);
	if (r <= 0)
		return r;
	if (is_too_long(answer))
		return ft_error_set(err, -EFBIG, 0, 0, "what ftcheckd on %s sends is damaged: it is longer than %d MiB",
				    answer->from, FT_ANSWER_BODY_MAX >> 20);
	return is_complete(answer);
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
			    (int)(line < STATE_MAX ? line : STATE_MAX), body);
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
	const char *body = ft_text_string(&answer->text) + answer->head_length;
	size_t length = answer->text.length - answer->head_length;
	char why[64];
	int r;

	if (answer->text.length == 0)
		return error_stranger(answer, "it hangs up without a word", err);
	if (answer->head_length == 0)
		return error_stranger(answer, "it hangs up amid the head of its answer", err);
	if (answer->encoded)
		return error_stranger(answer, "its answer is encoded in a way that was not asked for", err);
	if (answer->length_known && length < answer->body_length)
		return ft_error_set(err, -EPROTO, 0, 0,
				    "what ftcheckd on %s sends is damaged: it ends after %zu of %zu bytes",
				    answer->from, length, answer->body_length);
	if (answer->length_known)
		length = answer->body_length;
	if (answer->code == HTTP_UNAVAILABLE)
		return reason_tell(answer, body, length, err);
	if (answer->code != HTTP_OK) {
		snprintf(why, sizeof(why), "to a question for /report it answers with HTTP status %u", answer->code);
		return error_stranger(answer, why, err);
	}
	r = report_read(answer, body, length, ret_report, err);
	if (r == 0 && answer->state)
		(*ret_report)->state = ft_arena_keep(&(*ret_report)->memory, FT_STEAL(answer->state));
	return r;
}
