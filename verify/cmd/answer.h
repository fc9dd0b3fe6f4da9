/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Parses ftcheckd's response to GET /report: HTTP/1.x with a report as its body. The response is not trusted: another
 * process may have taken the port. No I/O here.
 */
#ifndef FT_VERIFY_CMD_ANSWER_H
#define FT_VERIFY_CMD_ANSWER_H

#include "base/error.h"
#include "base/text.h"
#include "verify/model/report.h"

enum {
	FT_ANSWER_HEAD_MAX = 16 << 10, /* bytes, with the empty line */
	FT_ANSWER_BODY_MAX = 64 << 20,
};

struct ft_answer {
	const char *from;    /* "127.0.0.1:9683", for errors; not owned */
	struct ft_text text; /* all that came */
	size_t line_begin;   /* offset in the head of the first line not read yet */
	size_t head_length;  /* with the empty line; 0: the head is not complete */
	size_t body_length;  /* as the head has it */
	unsigned int code;   /* 0: the first line is not read yet */
	bool length_known;
	bool encoded; /* a body in a transfer coding that the request did not allow */
	char *state;  /* the daemon's state, made safe; NULL: it sent none */
};

void ft_answer_release(struct ft_answer *answer);

/*
 * Takes the next bytes.
 *
 * Returns 1 once the answer is complete; 0 where more may come; -ENOMEM; or, with a whole sentence in @err, -EPROTO (it
 * is no HTTP response) or -EFBIG (its body is longer than FT_ANSWER_BODY_MAX).
 */
int ft_answer_add(struct ft_answer *answer, const char *bytes, size_t length, struct ft_error *err);

/*
 * The report, once the response is complete or the peer has closed the connection.
 *
 * @ret_report  out: the caller frees it; without .as_of, and .state is the daemon's
 * Returns 0, -ENOMEM, or -errno with a whole sentence in @err: -EAGAIN (the daemon has no report yet), -EPROTO (the
 * peer is not ftcheckd, or the response ends early), or as ft_report_read_json().
 */
int ft_answer_report(struct ft_answer *answer, struct ft_report **ret_report, struct ft_error *err);

#endif
