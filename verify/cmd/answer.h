/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ftcheckd's response to GET /report: HTTP/1.x (base/http.h) with a report as its body. No I/O here. */
#ifndef FT_VERIFY_CMD_ANSWER_H
#define FT_VERIFY_CMD_ANSWER_H

#include "base/error.h"
#include "base/http.h"
#include "verify/model/report.h"

struct ft_answer {
	const char *from; /* "127.0.0.1:9683", for errors; not owned */
	struct ft_http http;
};

void ft_answer_release(struct ft_answer *answer);

/*
 * Takes the next bytes.
 *
 * Returns 1 once the answer is complete; 0 where more may come; -ENOMEM; or, with a whole sentence in @err, -EPROTO (it
 * is no HTTP response) or -EFBIG (its body is longer than FT_HTTP_BODY_MAX).
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
