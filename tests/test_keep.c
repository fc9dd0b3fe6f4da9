/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The history of alerts as pages: each is what all events would give, and is read from few files. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/daemon.h"

enum { FILES = 40, EVENTS = 90, PAGE = 200, LIMIT = 1 << 30 };

/* ft_journal_read() counts. */
static unsigned int files_read;
int __real_ft_journal_read(const char *directory, const char *prefix, uint64_t number, size_t most, char **ret_bytes,
			   size_t *ret_length);
int __wrap_ft_journal_read(const char *directory, const char *prefix, uint64_t number, size_t most, char **ret_bytes,
			   size_t *ret_length);
int __wrap_ft_journal_read(const char *directory, const char *prefix, uint64_t number, size_t most, char **ret_bytes,
			   size_t *ret_length)
{
	files_read++;
	return __real_ft_journal_read(directory, prefix, number, most, ret_bytes, ret_length);
}

/* Events 3, 6, 9 …: numbers are missing where other sinks were told. */
static void events_write(const char *directory)
{
	struct ft_journal *journal;

	assert_int_equal(ft_journal_open(directory, "events", LIMIT, &journal), 0);
	for (unsigned int i = 0; i < FILES * EVENTS; i++) {
		char json[128];
		struct ft_journal_record record = {.kind = 'E', .time_ms = i, .bytes = json};

		record.length = (size_t)snprintf(json, sizeof(json), "{\"seq\": %u, \"text\": \"that is event %u\"}",
						 3 * (i + 1), i);
		if (i % EVENTS == 0)
			ft_journal_begin_file(journal);
		assert_int_equal(ft_journal_append(journal, &record), 0);
	}
	ft_journal_free(journal);
}

/* The page is the PAGE events before number @before, the newest first. */
static void page_check(struct ft_daemon *d, uint64_t before)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	uint64_t last = before > 0 ? (before - 1) / 3 : 0, count = 0;
	char number[32];
	const char *at;

	if (last > FILES * EVENTS)
		last = FILES * EVENTS;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)before);
	files_read = 0;
	assert_int_equal(ft_keep_page(d, number, &text), 0);
	for (at = ft_text_string(&text); (at = strstr(at, "{\"seq\": ")); at++, count++)
		if (strtoull(at + 8, NULL, 10) != 3 * (last - count))
			fail_msg("before %s: %.20s instead of %llu", number, at,
				 (unsigned long long)(3 * (last - count)));
	assert_int_equal(count, last < PAGE ? last : PAGE);
	/* The first may have few of them, and those before it fill the page. */
	if (files_read > 2 + PAGE / EVENTS)
		fail_msg("before %s: %u files are read", number, files_read);
}

static void test_pages(void **state)
{
	static const uint64_t limits[] = {0,
					  1,
					  3,
					  4,
					  5,
					  271,
					  272,
					  3 * 89,
					  3 * 90,
					  3 * 90 + 1,
					  3 * 90 + 4,
					  5000,
					  5001,
					  5002,
					  3 * FILES * EVENTS,
					  3 * FILES * EVENTS + 1,
					  UINT64_MAX};
	char directory[] = "/tmp/test_keep.XXXXXX", command[64], path[64];
	struct ft_config config = {.history_mb = 256};
	struct ft_daemon d = {.config = &config, .keep.directory = directory};
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(directory));
	events_write(directory);
	for (size_t i = 0; i < FT_COUNT(limits); i++)
		page_check(&d, limits[i]);
	/* A file that is larger than any of ours is not read, and hides no other. */
	snprintf(path, sizeof(path), "%s/events-%016x.log", directory, FILES + 1);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 64 << 20), 0);
	fclose(file);
	page_check(&d, UINT64_MAX);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pages)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
