/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What ftcheckd, or whoever sits on its port, answers to ftcheck --status. Each answer is given whole and byte by byte:
 * it means the same. The exchange itself is tested in status.sh.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "tests/rows.h"
#include "verify/cmd/answer.h"

#define STRANGER "what answers on HERE is not ftcheckd: "
#define NO_HTTP STRANGER "it does not speak HTTP"
#define HALF STRANGER "it hangs up amid the head of its answer"
#define NO_JSON STRANGER "it sends no JSON object"
#define DAMAGED "what ftcheckd on HERE sends is damaged: "
#define EARLY "ftcheckd on HERE has no report yet"
#define OK "HTTP/1.1 200 OK\r\n"

#define BYTES(string) string, sizeof(string) - 1

static const struct row {
	const char *what;
	const char *bytes;
	size_t length;
	const char *said;
} rows[] = {
	{"nothing", BYTES(""), STRANGER "it hangs up without a word"},
	{"another protocol", BYTES("SSH-2.0-OpenSSH_9.2\r\n"), NO_HTTP},
	{"the first byte of another protocol", BYTES("S"), NO_HTTP},
	{"the first byte of HTTP", BYTES("H"), HALF},
	{"an empty line first", BYTES("\r\n\r\n"), NO_HTTP},
	{"one CR too many behind the first line", BYTES("HTTP/1.1 200 OK\r\r\n\r\n"), NO_HTTP},
	{"one CR too many behind a header", BYTES(OK "X: y\r\r\n\r\n"), NO_HTTP},
	{"CR alone ends lines", BYTES("HTTP/1.1 200 OK\r\r"), HALF},
	{"LF alone ends lines", BYTES("HTTP/1.1 200 OK\n\n{}"), HALF},
	{"LF alone ends one line", BYTES("HTTP/1.1 200 OK\nX: y\r\n\r\n{}"), NO_HTTP},
	{"LF CR", BYTES("HTTP/1.1 200 OK\n\r\n\r\n"), NO_HTTP},
	{"a NUL in the first line", BYTES("HTTP/1.1 200 \0\r\n\r\n"), NO_HTTP},
	{"a NUL in a header", BYTES(OK "X: \0\r\n\r\n"), NO_HTTP},
	{"NULs behind HTTP/1.", BYTES("HTTP/1.\0\0\0\0\0\0\0\r\n\r\n"), NO_HTTP},
	{"no line at all", BYTES(OK), HALF},
	{"half an empty line", BYTES(OK "\r"), HALF},
	{"a header without its end", BYTES(OK "X: y"), HALF},
	{"no code", BYTES("HTTP/1.1\r\n\r\n"), NO_HTTP},
	{"a code of two digits", BYTES("HTTP/1.1 20\r\n\r\n"), NO_HTTP},
	{"a code of two digits and a blank", BYTES("HTTP/1.1 20 OK\r\n\r\n"), NO_HTTP},
	{"a code of four digits", BYTES("HTTP/1.1 2000\r\n\r\n"), NO_HTTP},
	{"a code with a letter", BYTES("HTTP/1.1 2x0 OK\r\n\r\n"), NO_HTTP},
	{"a code below 100", BYTES("HTTP/1.1 000 OK\r\n\r\n{}"), NO_HTTP},
	{"two blanks before the code", BYTES("HTTP/1.1  200 OK\r\n\r\n"), NO_HTTP},
	{"HTTP/2", BYTES("HTTP/2 200\r\n\r\n"), NO_HTTP},
	{"HTTP/1.x", BYTES("HTTP/1.x 200 OK\r\n\r\n"), NO_HTTP},
	{"a code without words", BYTES("HTTP/1.1 200\r\n\r\n"), NO_JSON},
	{"a code and no words behind the blank", BYTES("HTTP/1.0 200 \r\n\r\n"), NO_JSON},
	{"not found", BYTES("HTTP/1.1 404 Not Found\r\n\r\n"),
	 STRANGER "to a question for /report it answers with HTTP status 404"},
	{"go on", BYTES("HTTP/1.1 100 Continue\r\n\r\n" OK "\r\n{}"),
	 STRANGER "to a question for /report it answers with HTTP status 100"},
	{"a length below zero", BYTES(OK "Content-Length: -1\r\n\r\n"), NO_HTTP},
	{"no length behind the name", BYTES(OK "Content-Length:\r\n\r\n"), NO_HTTP},
	{"blanks for a length", BYTES(OK "Content-Length: \t \r\n\r\n"), NO_HTTP},
	{"a length in hexadecimal", BYTES(OK "Content-Length: 0x10\r\n\r\n"), NO_HTTP},
	{"two lengths in one", BYTES(OK "Content-Length: 2, 2\r\n\r\n{}"), NO_HTTP},
	{"two lengths that differ", BYTES(OK "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}\n"), NO_HTTP},
	{"the same length twice", BYTES(OK "Content-Length: 2\r\ncontent-length:2\r\n\r\n[]"), NO_JSON},
	{"a length of too much", BYTES(OK "Content-Length: 67108865\r\n\r\n"), DAMAGED "it is longer than 64 MiB"},
	{"a length of 64 MiB", BYTES(OK "Content-Length: 67108864\r\n\r\n{}"),
	 DAMAGED "it ends after 2 of 67108864 bytes"},
	{"a length beyond all numbers", BYTES(OK "Content-Length: 18446744073709551618\r\n\r\n{}"),
	 DAMAGED "it is longer than 64 MiB"},
	{"a length of nothing", BYTES(OK "Content-Length: 0\r\n\r\n{}"), NO_JSON},
	{"shorter than its length", BYTES(OK "Content-Length: 9\r\n\r\n{}"), DAMAGED "it ends after 2 of 9 bytes"},
	{"chunks", BYTES(OK "transfer-encoding:chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
	 STRANGER "its answer is encoded in a way that was not asked for"},
	{"blanks alone", BYTES(OK "\r\n \t\r\n"), NO_JSON},
	{"no body", BYTES(OK "\r\n"), NO_JSON},
	{"JSON of something else", BYTES(OK "\r\n{}"), STRANGER "this JSON is no report of ftcheck"},
	{"a half of it", BYTES(OK "\r\n{\"ftcheck_report\": 1,"),
	 DAMAGED "1:22: the file ends, and the { in line 1 is still to be closed"},
	{"a NUL in the body", BYTES(OK "\r\n{\0}"), DAMAGED "1:2: a NUL byte is no part of JSON"},
	{"busy", BYTES("HTTP/1.1 503 Busy\r\n\r\nthe first sweep is under way\nand more"),
	 EARLY ": the first sweep is under way"},
	{"busy, and no word", BYTES("HTTP/1.1 503 Busy\r\n\r\n"), EARLY},
	{"busy, and an empty line", BYTES("HTTP/1.1 503 Busy\r\n\r\n\r\nx"), EARLY},
	{"busy, beyond its length", BYTES("HTTP/1.1 503 Busy\r\nContent-Length: 3\r\n\r\nwaiting"), EARLY ": wai"},
	{"busy, in bytes that a terminal obeys", BYTES("HTTP/1.1 503 Busy\r\n\r\n\x1b[2J\xff"),
	 EARLY ": \\x1b[2J\\xff"},
};

/* Gives @length bytes in pieces of @piece, to the end or until no more is wanted, and then asks what it was. */
static int give(struct ft_answer *answer, const char *bytes, size_t length, size_t piece, struct ft_report **ret_report,
		struct ft_error *err)
{
	for (size_t i = 0; i < length; i += piece) {
		size_t n = length - i < piece ? length - i : piece;
		int r = ft_answer_add(answer, bytes + i, n, err);

		if (r < 0)
			return r;
		if (r > 0)
			break;
	}
	return ft_answer_report(answer, ret_report, err);
}

static void test_row(void **state)
{
	static const size_t pieces[] = {SIZE_MAX, 1, 2};
	const struct row *row = *state;
	size_t length = row->length;

	for (size_t i = 0; i < FT_COUNT(pieces); i++) {
		_cleanup_(ft_answer_release) struct ft_answer answer = {.from = "HERE"};
		struct ft_report *report = NULL;
		struct ft_error err = {0};
		/* Of its own, so that a byte read beyond is noticed. */
		_cleanup_free_ char *bytes = malloc(length + 1);

		assert_non_null(bytes);
		memcpy(bytes, row->bytes, length);
		assert_true(give(&answer, bytes, length, pieces[i] < length ? pieces[i] : length + 1, &report, &err) <
			    0);
		assert_null(report);
		assert_string_equal(err.text, row->said);
	}
}

/* ---- good ones ---- */

static char *report_read(size_t *ret_length)
{
	const char *root = getenv("FT_SRCDIR");
	_cleanup_free_ char *path = NULL;
	char *text = NULL;

	assert_true(asprintf(&path, "%s/tests/data/fuzz_report/pulled.json", root ? root : ".") > 0);
	assert_int_equal(ft_file_read(path, 0, &text, ret_length, NULL), 0);
	return text;
}

/* @length_word  "" or a header's name */
static void good(const char *length_word, const char *state, const char *behind, const char *expected_state)
{
	size_t length = 0;
	_cleanup_free_ char *report_text = report_read(&length);
	static const size_t pieces[] = {SIZE_MAX / 2, 1, 4000};

	for (size_t i = 0; i < FT_COUNT(pieces); i++) {
		_cleanup_(ft_answer_release) struct ft_answer answer = {.from = "HERE"};
		_cleanup_(ft_text_release) struct ft_text text = {0}, again = {0};
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		struct ft_error err = {0};

		ft_text_puts(&text, "HTTP/1.0 200 OK\r\n");
		if (length_word[0])
			ft_text_printf(&text, "%s %zu\r\n", length_word, length);
		ft_text_puts(&text, state);
		ft_text_puts(&text, "\r\n");
		ft_text_add(&text, report_text, length);
		ft_text_puts(&text, behind);
		assert_int_equal(give(&answer, text.data, text.length, pieces[i], &report, &err), 0);
		ft_report_write_json(&again, report);
		assert_int_equal(again.length, length);
		assert_memory_equal(again.data, report_text, length);
		if (expected_state)
			assert_string_equal(report->state, expected_state);
		else
			assert_null(report->state);
	}
}

static void test_good(void **state)
{
	(void)state;
	good("Content-Length:", "", "", NULL);
	good("CONTENT-LENGTH:\t ", "", "", NULL);
	good("Content-Length:", "", "and more {", NULL);
	good("", "", "", NULL);
	good("", "X-Ftcheck-State: \t a state \t\r\n", "\n\n", "a state");
	good("", "X-Ftcheck-State: one\r\nx-ftcheck-state:two\r\n", "", "two");
	good("", "X-Ftcheck-State: one\r\nX-Ftcheck-State:\r\n", "", NULL);
	good("", "X-Ftcheck-State: \x1b[0m\r\n", "", "\\x1b[0m");
	good("", "X-Ftcheck-Stat: one\r\nno colon\r\n: y\r\n", "", NULL);
}

/* A head has an end, however it comes. */
static void test_long_head(void **state)
{
	static const size_t pieces[] = {SIZE_MAX / 2, 1, 16384};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_report *report = NULL;

	(void)state;
	ft_text_puts(&text, OK);
	while (text.length < FT_HTTP_HEAD_MAX - 2)
		ft_text_puts(&text, text.length < FT_HTTP_HEAD_MAX - 10 ? "X: y\r\n" : "x");
	ft_text_puts(&text, "\r\n\r\n{}");
	for (size_t i = 0; i < FT_COUNT(pieces); i++) {
		_cleanup_(ft_answer_release) struct ft_answer answer = {.from = "HERE"};
		struct ft_error err = {0};

		assert_true(give(&answer, text.data, text.length, pieces[i], &report, &err) < 0);
		assert_string_equal(err.text, NO_HTTP);
	}
}

/* And a body without a length. */
static void test_long_body(void **state)
{
	static const char blanks[1 << 20] = {0};
	_cleanup_(ft_answer_release) struct ft_answer answer = {.from = "HERE"};
	struct ft_error err = {0};
	int r = ft_answer_add(&answer, OK "\r\n", strlen(OK) + 2, &err);

	(void)state;
	for (size_t i = 0; i < FT_HTTP_BODY_MAX / sizeof(blanks); i++) {
		assert_int_equal(r, 0);
		r = ft_answer_add(&answer, blanks, sizeof(blanks), &err);
	}
	assert_int_equal(r, 0);
	assert_int_equal(ft_answer_add(&answer, blanks, 1, &err), -EFBIG);
	assert_string_equal(err.text, DAMAGED "it is longer than 64 MiB");
}

static void test_no_memory(void **state)
{
	static const char bytes[] = OK "X-Ftcheck-State: a\r\n\r\n{}";
	int r = -ENOMEM;
	size_t n;

	(void)state;
	for (n = 1; r == -ENOMEM && n < 1000; n++) {
		_cleanup_(ft_answer_release) struct ft_answer answer = {.from = "HERE"};
		struct ft_report *report = NULL;
		struct ft_error err = {0};

		allocation_failing = n;
		r = give(&answer, bytes, strlen(bytes), 5, &report, &err);
		allocation_failing = 0;
		assert_null(report);
	}
	assert_int_equal(r, -EPROTO);
	assert_true(n > 3);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_long_head),
		cmocka_unit_test(test_long_body),
		cmocka_unit_test(test_no_memory),
	};

	return rows_run(rows, test_row, others);
}
