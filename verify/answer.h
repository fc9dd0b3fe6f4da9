/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What ftcheckd answers to GET /report, as bytes: HTTP/1.x with a report as its body. Nothing of it is trusted: whoever
 * took the port may send anything. No I/O here.
 */
#ifndef FT_VERIFY_ANSWER_H
#define FT_VERIFY_ANSWER_H

#include "base/error.h"
#include "base/text.h"
#include "verify/report.h"

enum {
	FT_ANSWER_HEAD_MAX = 16 << 10, /* bytes, with the empty line */
	FT_ANSWER_BODY_MAX = 64 << 20,
};

struct ft_answer {
	const char *from;    /* "127.0.0.1:9683", for errors; not owned */
	struct ft_text text; /* all that came */
	size_t line_begin;   /* of the head's lines, the first that is not read yet */
	size_t head_length;  /* with the empty line; 0: not all of the head is here */
	size_t body_length;  /* as the head has it */
	unsigned int code;   /* 0: the first line is not read yet */
	bool length_known;
	bool encoded; /* in a way that the request did not allow */
	char *state;  /* the daemon's, made safe; NULL: it sent none */
};

void ft_answer_release(struct ft_answer *answer);

/*
 * Takes the next bytes.
 *
 * Returns 1 once the answer is complete; 0 where more may come; -ENOMEM; or, with a whole sentence in @err, -EPROTO (it
 * is no answer of HTTP) or -EFBIG (its body is longer than FT_ANSWER_BODY_MAX).
 */
int ft_answer_add(struct ft_answer *answer, const char *bytes, size_t length, struct ft_error *err);

/*
 * The report, once the answer is complete or whoever sends it hung up.
 *
 * @ret_report  out: the caller frees it; without .as_of, and .state is the daemon's
 * Returns 0, -ENOMEM, or -errno with a whole sentence in @err: -EAGAIN (the daemon has no report yet), -EPROTO (it is
 * not ftcheckd who answers, or the answer ends early), or as ft_report_read_json().
 */
int ft_answer_report(struct ft_answer *answer, struct ft_report **ret_report, struct ft_error *err);

#endif
