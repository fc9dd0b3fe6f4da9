/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target for what ftcheck --status is sent: any bytes are a report or an error with a place, a report can be
 * printed in every form without a byte that a terminal obeys, and comes back the same. Seeds: tests/data/fuzz_report/.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "verify/model/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth)
{
	if (!truth)
		abort();
}

static void round_trip(const struct ft_report *report)
{
	_cleanup_(ft_report_freep) struct ft_report *again = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, twice = {0};

	ft_report_write_json(&text, report);
	check(ft_report_read_json(text.data, text.length, &again, NULL) == 0);
	ft_report_write_json(&twice, again);
	check(text.length == twice.length && memcmp(text.data, twice.data, text.length) == 0);
}

static void print(const struct ft_report *report)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_report_write_text(&text, report, true, false);
	ft_report_write_nagios(&text, report);
	ft_report_write_json(&text, report);
	for (size_t i = 0; i < report->finding_count; i++)
		ft_finding_write_json(&text, &report->findings[i]);
	check(!ft_text_failed(&text));
	for (size_t i = 0; i < text.length; i++)
		check((unsigned char)text.data[i] >= 0x20 || text.data[i] == '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	char *text = malloc(size + 1);
	struct ft_error err = {0};
	int r;

	check(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	r = ft_report_read_json(text, size, &report, &err);
	free(text);
	if (r < 0) {
		check(!report && err.line >= 1 && err.column >= 1 && err.text[0]);
		return 0;
	}
	print(report);
	round_trip(report);
	return 0;
}
