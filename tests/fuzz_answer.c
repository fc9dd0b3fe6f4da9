/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target for what ftcheck --status is sent: any bytes are an answer with a report, or an error that is one
 * sentence; in whatever pieces they come, they mean the same. Seeds: tests/data/fuzz_answer/.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/cmd/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth)
{
	if (!truth)
		abort();
}

/* Each piece in memory of its own: what is read beyond it is noticed. */
static int piece_add(struct ft_answer *answer, const uint8_t *data, size_t size, struct ft_error *err)
{
	_cleanup_free_ char *piece = malloc(size > 0 ? size : 1);

	check(piece != NULL);
	memcpy(piece, data, size);
	return ft_answer_add(answer, piece, size, err);
}

static int give(const uint8_t *data, size_t size, size_t piece, struct ft_report **ret_report, struct ft_error *err)
{
	_cleanup_(ft_answer_release) struct ft_answer answer = {.from = "127.0.0.1:9683"};

	for (size_t i = 0; i < size; i += piece) {
		int r = piece_add(&answer, data + i, size - i < piece ? size - i : piece, err);

		if (r < 0)
			return r;
		if (r > 0)
			break;
	}
	return ft_answer_report(&answer, ret_report, err);
}

static void print(const struct ft_report *report, struct ft_text *text)
{
	ft_report_write_text(text, report, true, false);
	ft_report_write_nagios(text, report);
	ft_report_write_json(text, report);
	check(!ft_text_failed(text));
	for (size_t i = 0; i < text->length; i++)
		check((unsigned char)text->data[i] >= 0x20 || text->data[i] == '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t pieces[] = {1, 7, 1000};
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};
	int r = give(data, size, size > 0 ? size : 1, &report, &err);

	check((r == 0) == (report != NULL) && (r == 0) == (err.text[0] == '\0') && !strchr(err.text, '\n'));
	if (report)
		print(report, &text);
	for (size_t i = 0; i < FT_COUNT(pieces); i++) {
		_cleanup_(ft_report_freep) struct ft_report *again = NULL;
		_cleanup_(ft_text_release) struct ft_text same = {0};
		struct ft_error why = {0};

		check(give(data, size, pieces[i], &again, &why) == r && strcmp(err.text, why.text) == 0);
		if (again)
			print(again, &same);
		check(strcmp(ft_text_string(&text), ft_text_string(&same)) == 0);
	}
	return 0;
}
