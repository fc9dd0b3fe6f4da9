/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The past of a fabric: moments as people name them, and snapshots over time, of random fabrics that change at random;
 * files that were cut at any byte, damaged anywhere, and a disk that is full.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/chance.h"
#include "base/journal.h"
#include "base/moment.h"
#include "probe/archive.h"
#include "probe/snapshot_build.h"
#include "tests/allocations.h"

/* ---- moments: now is Tuesday, 2026-11-24 12:00:00 UTC; the time zone is two hours east of it ---- */

enum { NOW = 1795521600 };

static const struct {
	const char *text;
	int64_t s; /* -1: refused; -2: out of range */
} moments[] = {
	{"now", NOW},
	{"2026-11-24T12:00:00Z", NOW},
	{"2026-11-24t12:00:00.25z", NOW},
	{"2026-11-24T13:00:00+01:00", NOW},
	{"2026-11-24 06:30:00-05:30", NOW},
	{"2026-11-24 14:00", NOW},
	{"2026-11-24 14:00:00", NOW},
	{"14:00", NOW},
	{"14:00:01", NOW + 1},
	{"2026-11-24", NOW - 14 * 3600},
	{"today", NOW - 14 * 3600},
	{"today 10:00", NOW - 4 * 3600},
	{"Yesterday 10:00", NOW - 28 * 3600},
	{"monday", NOW - (14 + 24) * 3600},
	{"mon 10:00:30", NOW - 28 * 3600 + 30},
	{"tuesday", NOW - (14 + 7 * 24) * 3600},
	{"WED", NOW - (14 + 6 * 24) * 3600},
	{"-2h", NOW - 7200},
	{"2h ago", NOW - 7200},
	{"2 hours ago", NOW - 7200},
	{"-1d12h", NOW - 36 * 3600},
	{"1 week 2 days ago", NOW - 9 * 86400},
	{"-90min", NOW - 5400},
	{"-0s", NOW},
	{"@1795521600", NOW},
	{"@0", 0},
	{"2028-02-29", 1835388000},
	{"", -1},
	{" ", -1},
	{"2h", -1},
	{"-2", -1},
	{"-2x", -1},
	{"-2h ago", -1},
	{"ago", -1},
	{"2h agony", -1},
	{"-99999999999999999999s", -1},
	{"-999999999999999w", -1},
	{"2026-02-30", -1},
	{"2026-13-01", -1},
	{"2026-1-1", -1},
	{"2026-11-24T", -1},
	{"2026-11-24 24:00", -1},
	{"2026-11-24 14:60", -1},
	{"2026-11-24 14:00:00Zulu", -1},
	{"2026-11-24 14:00 ", -1},
	{"25:00", -1},
	{"1:00", -1},
	{"monday 10", -1},
	{"mondays", -1},
	{"tomorrow", -1},
	{"@", -1},
	{"@12x", -1},
	{"snapshot.json", -1},
	{"-100000w", -2},
	{"0001-01-01", -2},
};

static void test_moments(void **state)
{
	(void)state;
	setenv("TZ", "EET-2", 1);
	tzset();
	for (size_t i = 0; i < FT_COUNT(moments); i++) {
		int64_t s = 77, wanted = moments[i].s;
		int r = ft_moment_read(moments[i].text, NOW, &s);

		if (r != (wanted == -1 ? -EINVAL : wanted == -2 ? -ERANGE : 0) || s != (wanted < 0 ? 77 : wanted))
			fail_msg("\"%s\": %d, %" PRId64 " instead of %" PRId64, moments[i].text, r, s, wanted);
	}
}

/* ---- a fabric that changes ---- */

enum { SWITCHES = 10, HOSTS = 30, PORTS = 8, STEPS = 150, STEP_MS = 700 * 1000, LIMIT = FT_ARCHIVE_LIMIT_MIN };

struct node {
	bool there;
	uint64_t guid;
	uint16_t lid;
	uint32_t name;
	uint32_t peer[PORTS]; /* node * PORTS + port; UINT32_MAX: none */
};

struct world {
	struct node nodes[SWITCHES + HOSTS];
	uint64_t chance;
};

static uint32_t below(struct world *w, uint32_t limit)
{
	return ft_chance_below(&w->chance, limit);
}

static const char *const names[] = {"leaf01",	"tab\there", "line\nbreak", "\"quoted\" \\back", "caf\xc3\xa9",
				    "\xff\x80", "",	     "+1>2.3",	    "host HCA-1"};

static unsigned int ports_of(uint32_t node)
{
	return node < SWITCHES ? PORTS : 1;
}

static void unlink_port(struct world *w, uint32_t node, uint32_t port)
{
	uint32_t far = w->nodes[node].peer[port];

	w->nodes[node].peer[port] = UINT32_MAX;
	if (far != UINT32_MAX)
		w->nodes[far / PORTS].peer[far % PORTS] = UINT32_MAX;
}

static void link_ports(struct world *w, uint32_t a, uint32_t p, uint32_t b, uint32_t q)
{
	if (a == b && p == q)
		return;
	unlink_port(w, a, p);
	unlink_port(w, b, q);
	w->nodes[a].peer[p] = b * PORTS + q;
	w->nodes[b].peer[q] = a * PORTS + p;
}

/* Two pairs have one GUID. */
static bool is_twin(uint32_t node)
{
	return node == 2 || node == 3 || node == SWITCHES + 3 || node == SWITCHES + 4;
}

static void world_change(struct world *w)
{
	uint32_t a = below(w, SWITCHES + HOSTS), b = below(w, SWITCHES);
	struct node *node = &w->nodes[a];

	switch (below(w, 6)) {
	case 0:
		node->there = a == 0 || !node->there;
		for (uint32_t p = 0; p < ports_of(a); p++)
			unlink_port(w, a, p);
		break;
	case 1:
		node->lid = (uint16_t)below(w, 40000);
		break;
	case 2:
		/* Of twins with one name nobody could say which is which: ft_snapshot_equal() cannot, either. */
		if (!is_twin(a))
			node->name = below(w, FT_COUNT(names));
		break;
	case 3:
		unlink_port(w, a, below(w, ports_of(a)));
		break;
	default:
		if (node->there && w->nodes[b].there)
			link_ports(w, a, below(w, ports_of(a)), b, below(w, PORTS));
	}
}

static void world_begin(struct world *w)
{
	memset(w->nodes, 0, sizeof(w->nodes));
	for (uint32_t i = 0; i < SWITCHES + HOSTS; i++) {
		w->nodes[i].there = true;
		w->nodes[i].guid = 0x1000 + (i == 3 ? 2 : i == SWITCHES + 4 ? SWITCHES + 3 : i);
		w->nodes[i].name = i == 3 || i == SWITCHES + 4;
		memset(w->nodes[i].peer, 0xff, sizeof(w->nodes[i].peer));
	}
	for (unsigned int i = 0; i < 200; i++)
		world_change(w);
}

/* In a random order, as sweeps find them. By hand: the builder would take the far ends of twins for others. */
static struct ft_snapshot *world_shot(struct world *w)
{
	struct ft_snapshot *s = calloc(1, sizeof(*s));
	uint32_t order[SWITCHES + HOSTS], node_of[SWITCHES + HOSTS], count = 0, at = 1;

	for (uint32_t i = 0; i < SWITCHES + HOSTS; i++)
		if (w->nodes[i].there)
			order[count++] = i;
	for (uint32_t i = count; i > 1; i--) {
		uint32_t j = below(w, i), other = order[j];

		order[j] = order[i - 1];
		order[i - 1] = other;
	}
	s->nodes = calloc(count, sizeof(*s->nodes));
	s->ports = calloc(count * PORTS, sizeof(*s->ports));
	s->strings = calloc(1, 64 * (count + 1UL));
	for (uint32_t i = 0; i < count; i++) {
		const struct node *n = &w->nodes[order[i]];
		size_t length = strlen(names[n->name]);

		node_of[order[i]] = i;
		s->nodes[i] = (struct ft_node){.guid = n->guid,
					       .first_port = s->port_count,
					       .description = at,
					       .description_length = (uint16_t)length,
					       .port_count = (uint16_t)ports_of(order[i]),
					       .lid = order[i] < SWITCHES ? n->lid : 0,
					       .type = order[i] < SWITCHES ? FT_NODE_SWITCH : FT_NODE_CA};
		memcpy(s->strings + at, names[n->name], length);
		at += (uint32_t)length + 1;
		s->port_count += ports_of(order[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t p = 0; p < ports_of(order[i]); p++) {
			uint32_t far = w->nodes[order[i]].peer[p];
			struct ft_port *port = &s->ports[s->nodes[i].first_port + p];

			*port = (struct ft_port){.guid = s->nodes[i].guid, .node = i, .number = (uint16_t)(p + 1)};
			port->link = far == UINT32_MAX ? FT_LINK_DOWN : FT_LINK_UP;
			port->peer =
				far == UINT32_MAX ? FT_NONE : s->nodes[node_of[far / PORTS]].first_port + far % PORTS;
			if (far != UINT32_MAX)
				port->rate = (struct ft_rate){4, FT_SPEED_HDR};
		}
	s->node_count = count;
	s->strings_length = at;
	s->source = (struct ft_snapshot_source){
		.live = true, .complete = true, .lists_down_ports = true, .entry_node = node_of[0], .entry_port = 1};
	assert_int_equal(ft_snapshot_check(s, NULL), 0);
	return s;
}

/* ---- a directory, and what should be in it ---- */

struct past {
	struct world world;
	char directory[64];
	struct ft_snapshot *shots[STEPS];
	size_t count;
};

static int past_setup(void **state)
{
	const char *seed = getenv("FT_SEED");
	struct past *past = calloc(1, sizeof(*past));
	uint64_t number = seed ? strtoull(seed, NULL, 0) : ((uint64_t)time(NULL) << 20 ^ (uint64_t)getpid()) | 1;

	print_message("FT_SEED=0x%" PRIx64 "\n", number);
	past->world.chance = number;
	strcpy(past->directory, "/tmp/ft_archive.XXXXXX");
	assert_non_null(mkdtemp(past->directory));
	world_begin(&past->world);
	*state = past;
	return 0;
}

static int past_teardown(void **state)
{
	struct past *past = *state;
	char command[128];

	for (size_t i = 0; i < past->count; i++)
		ft_snapshot_free(past->shots[i]);
	snprintf(command, sizeof(command), "rm -r %s", past->directory);
	assert_int_equal(system(command), 0);
	free(past);
	return 0;
}

static int64_t time_of(size_t step)
{
	return (int64_t)(step + 1) * STEP_MS;
}

static void step_take(struct past *past, bool changed)
{
	int r;

	for (unsigned int i = 0; changed && i < 1 + below(&past->world, 3); i++)
		world_change(&past->world);
	past->shots[past->count] = world_shot(&past->world);
	r = ft_archive_add(past->directory, LIMIT, past->shots[past->count], time_of(past->count));
	assert_true(r >= 0 && (r == 0 || changed || past->count == 0));
	past->count++;
}

static void past_fill(struct past *past, size_t steps)
{
	for (size_t i = 0; i < steps; i++)
		step_take(past, below(&past->world, 4) > 0);
}

static bool is_shot(const struct ft_snapshot *a, const struct ft_snapshot *b)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	int r = ft_snapshot_equal(a, b, &text);

	assert_true(r >= 0);
	if (r == 0)
		print_message("%s\n", ft_text_string(&text));
	return r == 1;
}

static void moment_check(const struct past *past, int64_t time_ms, size_t step)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	struct ft_archive_moment moment = {0};
	struct ft_error err = {0};
	int r = ft_archive_at(past->directory, time_ms, &s, &moment, &err);

	if (r < 0)
		fail_msg("%s", err.text);
	assert_true(is_shot(s, past->shots[step]));
	assert_int_equal(s->nodes[s->source.entry_node].guid, 0x1000);
	assert_int_equal(moment.seen_ms, time_of(step));
	assert_int_equal(moment.next_ms, step + 1 < past->count ? time_of(step + 1) : 0);
}

static void test_any_moment(void **state)
{
	struct past *past = *state;
	struct ft_archive_moment moment = {0};
	struct ft_snapshot *s = NULL;
	struct ft_error err = {0};

	assert_int_equal(ft_archive_at(past->directory, 0, &s, &moment, &err), -ENOENT);
	past_fill(past, STEPS);
	for (size_t i = 0; i < STEPS; i++) {
		moment_check(past, time_of(i), i);
		moment_check(past, time_of(i) + STEP_MS - 1, i);
	}
	moment_check(past, INT64_MAX, STEPS - 1);
	assert_int_equal(ft_archive_at(past->directory, time_of(0) - 1, &s, &moment, &err), -ERANGE);
	assert_int_equal(moment.next_ms, time_of(0));
}

/* ---- files at fault ---- */

static void newest_path(const struct past *past, char ret_path[128])
{
	struct ft_journal_files files = {0};

	assert_int_equal(ft_journal_list(past->directory, "fabric", &files), 0);
	assert_true(files.count > 0);
	snprintf(ret_path, 128, "%s/fabric-%016llx.log", past->directory,
		 (unsigned long long)files.numbers[files.count - 1]);
	ft_journal_files_release(&files);
}

static char *file_get(const char *path, size_t *ret_length)
{
	FILE *file = fopen(path, "r");
	char *bytes = malloc(1 << 20);

	*ret_length = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

static void file_put(const char *path, const char *bytes, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_int_equal(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

/* Killed while it wrote: the file ends at any byte. What was before is there, and what comes after, too. */
static void test_cut(void **state)
{
	struct past *past = *state;
	size_t length, step = 0;
	char path[128], *bytes;

	past_fill(past, 12);
	newest_path(past, path);
	bytes = file_get(path, &length);
	for (size_t cut = length - 1; cut > 0; cut -= cut < 40 ? 1 : 1 + below(&past->world, 40)) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
		struct ft_archive_moment moment = {0};
		struct ft_error err = {0};
		char next[128];
		int r;

		file_put(path, bytes, cut);
		r = ft_archive_at(past->directory, INT64_MAX, &s, &moment, &err);
		step = (size_t)(moment.seen_ms / STEP_MS) - 1;
		if (r == 0)
			assert_true(step < past->count && is_shot(s, past->shots[step]));
		else
			assert_true(r == -ERANGE);
		/* The next one is complete, and is in a file of its own unless it is cut between two records. */
		assert_true(ft_archive_add(past->directory, LIMIT, past->shots[11], time_of(11)) >= 0);
		moment_check(past, time_of(11), 11);
		newest_path(past, next);
		if (strcmp(next, path) != 0)
			assert_int_equal(unlink(next), 0);
	}
	free(bytes);
}

/* No damage gives a fabric that never was. */
static void test_damage(void **state)
{
	struct past *past = *state;
	char path[128], *bytes;
	size_t length;

	past_fill(past, 12);
	newest_path(past, path);
	bytes = file_get(path, &length);
	for (unsigned int round = 0; round < 300; round++) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
		struct ft_archive_moment moment = {0};
		struct ft_error err = {0};
		size_t at = below(&past->world, (uint32_t)length);
		char was = bytes[at];
		int r;

		bytes[at] ^= (char)(1U << below(&past->world, 8));
		file_put(path, bytes, length);
		bytes[at] = was;
		r = ft_archive_at(past->directory, INT64_MAX, &s, &moment, &err);
		if (r == 0)
			assert_true(is_shot(s, past->shots[moment.seen_ms / STEP_MS - 1]));
		else
			assert_true(r == -ERANGE);
	}
	free(bytes);
}

/* Nothing is removed for what cannot be written. */
static void test_full_disk(void **state)
{
	struct past *past = *state;
	struct rlimit before, small = {0};
	size_t length;
	char path[128];
	struct stat st;

	past_fill(past, 5);
	newest_path(past, path);
	free(file_get(path, &length));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	small = (struct rlimit){length + 30, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (unsigned int i = 0; i < 20; i++)
		world_change(&past->world);
	past->shots[5] = world_shot(&past->world);
	assert_int_equal(ft_archive_add(past->directory, LIMIT, past->shots[5], time_of(5)), -EFBIG);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, length);
	for (size_t i = 0; i < 5; i++)
		moment_check(past, time_of(i), i);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(ft_archive_add(past->directory, LIMIT, past->shots[5], time_of(5)), 1);
	past->count++;
	moment_check(past, time_of(4), 4);
	moment_check(past, time_of(5), 5);
}

/* The oldest go, and the newest stays. */
static void test_limit(void **state)
{
	struct past *past = *state;
	_cleanup_(ft_journal_files_release) struct ft_journal_files files = {0};
	_cleanup_free_ char *bytes = calloc(1, 1000);
	struct ft_journal_record record = {.bytes = bytes, .length = 1000}, read;
	struct ft_journal *journal;
	size_t sum = 0;

	for (int64_t i = 0; i < 100; i++) {
		record.time_ms = i;
		assert_int_equal(ft_journal_open(past->directory, "events", 10000, &journal), 0);
		if (ft_journal_file_length(journal) > 2000)
			ft_journal_begin_file(journal);
		assert_int_equal(ft_journal_append(journal, &record), 0);
		ft_journal_free(journal);
	}
	assert_int_equal(ft_journal_list(past->directory, "events", &files), 0);
	for (size_t i = 0; i < files.count; i++) {
		_cleanup_free_ char *file = NULL;
		size_t length, at = 0;

		assert_int_equal(ft_journal_read(past->directory, "events", files.numbers[i], 5000, &file, &length), 0);
		sum += length;
		while (ft_journal_next(file, length, &at, &read))
			;
	}
	assert_true(sum <= 10000 && sum > 6000);
	assert_int_equal(read.time_ms, 99);
}

/* Files with numbers that no writer gives, and what comes before them. */
static void test_numbers(void **state)
{
	static const char *const strange[] = {"ffffffffffffffff", "fffffffffffffffe", "8000000000000000",
					      "0000000000000000"};
	struct past *past = *state;
	_cleanup_(ft_journal_files_release) struct ft_journal_files files = {0};
	struct ft_journal_record record = {.bytes = "x", .length = 1};
	struct ft_journal *journal;
	char path[128], *bytes;
	size_t length;

	for (size_t i = 0; i < FT_COUNT(strange); i++) {
		snprintf(path, sizeof(path), "%s/events-%s.log", past->directory, strange[i]);
		file_put(path, "strange", 7);
	}
	assert_int_equal(ft_journal_open(past->directory, "events", 10000, &journal), 0);
	for (record.time_ms = 1; record.time_ms <= 3; record.time_ms++) {
		ft_journal_begin_file(journal);
		assert_int_equal(ft_journal_append(journal, &record), 0);
	}
	ft_journal_free(journal);
	assert_int_equal(ft_journal_list(past->directory, "events", &files), 0);
	assert_int_equal(files.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(files.numbers[i], i + 1);
	assert_int_equal(ft_journal_read(past->directory, "events", 3, FT_JOURNAL_HEAD, &bytes, &length), -EFBIG);
	/* There is none behind the last. */
	snprintf(path, sizeof(path), "%s/events-7fffffffffffffff.log", past->directory);
	file_put(path, "", 0);
	assert_int_equal(ft_journal_open(past->directory, "events", 10000, &journal), 0);
	ft_journal_begin_file(journal);
	assert_int_equal(ft_journal_append(journal, &record), -EOVERFLOW);
	ft_journal_free(journal);
}

/* A record of some kilobytes that becomes a hundred megabytes: the next snapshot does not build on it. */
static void test_bomb(void **state)
{
	enum { SIZE = 100 << 20, HEAD = 4 };
	struct past *past = *state;
	_cleanup_(ft_journal_files_release) struct ft_journal_files files = {0};
	_cleanup_free_ char *text = malloc(SIZE), *bytes = malloc(HEAD + SIZE / 100);
	struct ft_journal_record record = {.kind = 'W', .time_ms = time_of(0) - 1, .bytes = bytes};
	struct ft_journal *journal;
	uLongf packed = SIZE / 100;

	/* A source, no entry, and no nodes. */
	memset(text, ' ', SIZE);
	text[SIZE - 2] = text[SIZE - 1] = '\n';
	for (unsigned int i = 0; i < HEAD; i++)
		bytes[i] = (char)(SIZE >> 8 * i & 0xff);
	assert_int_equal(compress((Bytef *)bytes + HEAD, &packed, (const Bytef *)text, SIZE), Z_OK);
	record.length = HEAD + packed;
	assert_int_equal(ft_journal_open(past->directory, "fabric", LIMIT, &journal), 0);
	assert_int_equal(ft_journal_append(journal, &record), 0);
	ft_journal_free(journal);
	past_fill(past, 2);
	moment_check(past, time_of(0), 0);
	moment_check(past, time_of(1), 1);
	assert_int_equal(ft_journal_list(past->directory, "fabric", &files), 0);
	assert_int_equal(files.count, 2);
}

/* Each allocation fails once: no error is another's, and nothing is lost. */
static void test_out_of_memory(void **state)
{
	struct past *past = *state;
	struct ft_archive_moment moment;
	struct ft_snapshot *s = NULL;
	struct ft_error err = {0};
	int r = -ENOMEM;

	past_fill(past, 4);
	past->shots[4] = world_shot(&past->world);
	past->world.nodes[0].lid++;
	for (size_t n = 1; r == -ENOMEM; n++) {
		allocation_failing = n;
		r = ft_archive_add(past->directory, LIMIT, past->shots[3], time_of(3));
		allocation_failing = 0;
	}
	assert_int_equal(r, 0);
	r = -ENOMEM;
	for (size_t n = 1; r == -ENOMEM; n++) {
		allocation_failing = n;
		allocation_keeps_failing = true;
		r = ft_archive_at(past->directory, time_of(2), &s, &moment, &err);
		allocation_failing = 0;
		allocation_keeps_failing = false;
	}
	assert_int_equal(r, 0);
	ft_snapshot_free(s);
	moment_check(past, time_of(2), 2);
	past->count++;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),
		cmocka_unit_test_setup_teardown(test_any_moment, past_setup, past_teardown),
		cmocka_unit_test_setup_teardown(test_cut, past_setup, past_teardown),
		cmocka_unit_test_setup_teardown(test_damage, past_setup, past_teardown),
		cmocka_unit_test_setup_teardown(test_full_disk, past_setup, past_teardown),
		cmocka_unit_test_setup_teardown(test_limit, past_setup, past_teardown),
		cmocka_unit_test_setup_teardown(test_numbers, past_setup, past_teardown),
		cmocka_unit_test_setup_teardown(test_bomb, past_setup, past_teardown),
		cmocka_unit_test_setup_teardown(test_out_of_memory, past_setup, past_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
