/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ftcheckd.conf: what is read, what is refused and how, and that the file that is shipped says the truth. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "daemon/conf.h"
#include "tests/allocations.h"
#include "tests/skipped.h"

/* All of a configuration on one line, so that a row can say what it expects of it. */
static char *config_text(const struct ft_config *c)
{
	struct ft_text text = {0};

	ft_text_printf(&text, "plan=%s ca=%s port=%d timeout=%u engine=%s smps=%u/%u/%u retries=%u deadline=%u ",
		       c->plan, c->ca ? c->ca : "-", c->sweep.port, c->sweep.timeout_ms,
		       ft_engine_name(c->sweep.engine), c->sweep.max_smps, c->sweep.max_smps_per_switch,
		       c->sweep.max_smps_per_second, c->sweep.retries, c->sweep.deadline_ms);
	ft_text_printf(&text, "interval=%u events=%d sm=%d settle=%u/%u raise=%u/%u clear=%u/%u severity=%s ",
		       c->sweep_interval_ms, c->events, c->sm, c->settle_ms, c->settle_max_ms,
		       c->rules.raise_after.looks, c->rules.raise_after.ms, c->rules.clear_after.looks,
		       c->rules.clear_after.ms, ft_severity_name(c->rules.severity));
	ft_text_printf(&text, "flap=%u/%u returning=%u incomplete=%u listen=%s history=%u hooks=%s %u/%u/%u",
		       c->rules.flap_count, c->rules.flap_window_ms, c->returning_ms, c->rules.incomplete_after,
		       c->listen ? c->listen : "-", c->history_mb, c->hook_directory, c->hook_timeout_ms,
		       c->hook_retry_ms, c->hook_give_up_ms);
	ft_text_printf(&text, " m_key=%" PRIx64 " names=%s", c->sweep.m_key, c->name_map ? c->name_map : "-");
	assert_false(ft_text_failed(&text));
	assert_ptr_equal(c->sweep.ca, c->ca);
	return text.data;
}

#define DEFAULTS                                                                                                  \
	"plan=/d/p ca=- port=0 timeout=1000 engine=auto smps=0/4/0 retries=3 deadline=60000 "                     \
	"interval=300000 events=1 sm=1 "                                                                          \
	"settle=10/250 "                                                                                          \
	"raise=1/0 clear=1/0 severity=warning flap=6/600000 returning=300000 incomplete=3 listen=127.0.0.1:9683 " \
	"history=256 "                                                                                            \
	"hooks=/d/hooks.d "                                                                                       \
	"30000/1000/86400000 m_key=0 names=-"

/* "NAME=VALUE" of @all is as in @wanted: a list of such words. */
static void assert_words(const char *all, const char *wanted)
{
	_cleanup_free_ char *copy = strdup(wanted), *padded = NULL;
	char *save = NULL;

	assert_non_null(copy);
	assert_true(asprintf(&padded, " %s ", all) > 0);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		_cleanup_free_ char *whole = NULL;

		assert_true(asprintf(&whole, " %s ", word) > 0);
		if (!strstr(padded, whole))
			fail_msg("no \"%s\" in \"%s\"", word, all);
	}
}

static const struct {
	const char *text;
	const char *instance;
	const char *wanted;
} good[] = {
	{"plan = p", NULL, DEFAULTS},
	{"plan=p", "", DEFAULTS},
	{"\n\n \t plan \t = \t p \t \n", NULL, DEFAULTS},
	{"# c\nplan = p # c = d\n\t# c\n", NULL, DEFAULTS},
	{"\xef\xbb\xbfplan = p\r\n\r\n# c\r\n", NULL, DEFAULTS},
	/* paths: beside the file, or absolute; blanks, # and = inside */
	{"plan = /a/b", NULL, "plan=/a/b"},
	{"plan = ../b", NULL, "plan=/d/../b"},
	{"plan = b#1=x", NULL, "plan=/d/b#1=x"},
	{"plan = p\nhistory = 2GB", NULL, "history=2048"},
	{"plan = p\nhistory = none", NULL, "history=0"},
	{"plan = p\nhooks = /h", NULL, "hooks=/h"},
	{"plan = p\nhooks = h", NULL, "hooks=/d/h"},
	/* the port */
	{"plan = p\nca = mlx5_0\nport = 2", NULL, "ca=mlx5_0 port=2"},
	{"plan = p\nport = 254", NULL, "ca=- port=254"},
	/* keys and names */
	{"plan = p\nm_key = 0x8899aabbccddeeff", NULL, "m_key=8899aabbccddeeff names=-"},
	{"plan = p\nm_key = 10\nnode_name_map = map", NULL, "m_key=a names=/d/map"},
	{"plan = p\nnode_name_map = /etc/opensm/map", NULL, "m_key=0 names=/etc/opensm/map"},
	/* who asks, and how much */
	{"plan = p\nengine = libibnetdisc", NULL, "engine=libibnetdisc smps=0/4/0"},
	{"plan = p\nmax_smps_per_second = 9", NULL, "engine=auto smps=0/4/9"},
	{"plan = p\nengine = libibumad", NULL, "engine=libibumad smps=0/4/0"},
	{"plan = p\nengine = libibumad\noutstanding_smps = 7\nmax_smps_per_switch = 1\nmax_smps_per_second = 9", NULL,
	 "smps=7/1/9"},
	{"plan = p\noutstanding_smps = auto\nmax_smps_per_second = any", NULL, "smps=0/4/0"},
	/* times */
	{"plan = p\nsweep_interval = 90", NULL, "interval=90000"},
	{"plan = p\nsweep_interval = 90s", NULL, "interval=90000"},
	{"plan = p\nsweep_interval = 90 sec", NULL, "interval=90000"},
	{"plan = p\nsweep_interval = 1500ms", NULL, "interval=1500"},
	{"plan = p\nsweep_interval = 1.5s", NULL, "interval=1500"},
	{"plan = p\nsweep_interval = 1.125 s", NULL, "interval=1125"},
	{"plan = p\nsweep_interval = 2m", NULL, "interval=120000"},
	{"plan = p\nsweep_interval = 2min", NULL, "interval=120000"},
	{"plan = p\nsweep_interval = 1hr 30min", NULL, "interval=5400000"},
	{"plan = p\nsweep_interval = 1h30m5s", NULL, "interval=5405000"},
	{"plan = p\nsweep_interval = 1 hour 1 minute 1 second", NULL, "interval=3661000"},
	{"plan = p\nsweep_interval = 7 days", NULL, "interval=604800000"},
	{"plan = p\ndeadline = 1h", NULL, "deadline=3600000"},
	{"plan = p\nhook_give_up = 30d", NULL, "30000/1000/2592000000"},
	{"plan = p\nsettle = 0", NULL, "settle=0/250"},
	{"plan = p\nsettle = 0s\nsettle_max = 0", NULL, "settle=0/0"},
	{"plan = p\nsettle_max = 1s\nsettle = 1s", NULL, "settle=1000/1000"},
	/* as ftcheck -t has it */
	{"plan = p\ntimeout = 200", NULL, "timeout=200"},
	{"plan = p\ntimeout = 2s", NULL, "timeout=2000"},
	/* patience: looks, or a time */
	{"plan = p\nraise_after = 3\nclear_after = 30s", NULL, "raise=3/0 clear=1/30000"},
	{"plan = p\nraise_after = 1min\nclear_after = 1000", NULL, "raise=1/60000 clear=1000/0"},
	/* words */
	{"plan = p\nevents = no", NULL, "events=0"},
	{"plan = p\nevents = false", NULL, "events=0"},
	{"plan = p\nevents = on", NULL, "events=1"},
	{"plan = p\nsm = no", NULL, "sm=0"},
	{"plan = p\nseverity = info", NULL, "severity=info"},
	{"plan = p\nseverity = critical", NULL, "severity=critical"},
	{"plan = p\nlisten = none", NULL, "listen=-"},
	{"plan = p\nlisten = [::1]:9700", NULL, "listen=[::1]:9700"},
	{"plan = p\nlisten = 127.0.0.1:0", NULL, "listen=127.0.0.1:0"},
	{"plan = p\nflap_count = 0\nincomplete_after = 1", NULL, "flap=0/600000 incomplete=1"},
	/* instances: keys for all, then those of the section, in whichever place of the file that is */
	{"plan = p\n[a]\nplan = q\n[b]\nplan = r", "a", "plan=/d/q"},
	{"plan = p\n[a]\nplan = q\n[b]\nplan = r", "b", "plan=/d/r"},
	{"plan = p\n[a]\nplan = q\n[b]\nplan = r", NULL, "plan=/d/p"},
	{"plan = p\nlisten = none\n[ a ] # c\nretries = 7", "a", "plan=/d/p listen=- retries=7"},
	{"plan = p\nca = x\n[a]\nport = 2", "a", "ca=x port=2"},
	{"[a]\nplan = q", "a", "plan=/d/q"},
	{"plan = p\nlisten = 127.0.0.1:1\n[a]\nlisten = none", "a", "listen=-"},
	/* named after a port */
	{"plan = p", "mlx5_0:1", "plan=/d/p ca=mlx5_0 port=1"},
	{"plan = p\nca = x\nport = 2", "mlx5_0:1", "ca=mlx5_0 port=1"},
	{"plan = p\n[mlx5_0:1]\nplan = q", "mlx5_0:1", "plan=/d/q ca=mlx5_0 port=1"},
	{"plan = p\n[mlx5_0:1]\nca = y", "mlx5_0:1", "ca=y port=0"},
	{"plan = p\n[mlx5_0:1]\nport = 2", "mlx5_0:1", "ca=- port=2"},
	{"plan = p\n[mlx5_0:1]\nplan = q", "mlx5_0:2", "plan=/d/p ca=mlx5_0 port=2"},
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(good); i++) {
		_cleanup_(ft_config_freep) struct ft_config *config = NULL;
		_cleanup_free_ char *all = NULL;
		struct ft_error err = {0};
		int r = ft_config_read(good[i].text, strlen(good[i].text), "/d", good[i].instance, &config, &err);

		if (r < 0)
			fail_msg("row %zu (\"%s\"): %u:%u: %s", i, good[i].text, err.line, err.column, err.text);
		all = config_text(config);
		assert_words(all, good[i].wanted);
	}
}

#define LONG64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct {
	const char *text;
	const char *instance;
	const char *error;
} bad[] = {
	/* lines */
	{"", NULL, "1:1: no \"plan\": which design is the fabric to be held against?"},
	{"# plan = p", NULL, "1:1: no \"plan\": which design is the fabric to be held against?"},
	{"plan = p\n  settle 25ms # c", NULL, "2:3: expected \"key = value\" or \"[INSTANCE]\", not \"settle 25ms\""},
	{"plan =", NULL, "1:6: no value for \"plan\""},
	{"plan = # c", NULL, "1:6: no value for \"plan\""},
	{" = p", NULL, "1:2: no key before the \"=\""},
	{"plan = p\nplan = q", NULL, "2:1: a second \"plan\"; the first is in line 1"},
	{"plan = p\r\nfoo = 1\r\n", NULL, "2:1: unknown key \"foo\""},
	{"plan = p\nsettel = 1", NULL, "2:1: unknown key \"settel\"; did you mean \"settle\"?"},
	{"Plan = p", NULL, "1:1: unknown key \"Plan\"; did you mean \"plan\"?"},
	{"sweep-interval = 1", NULL, "1:1: unknown key \"sweep-interval\"; did you mean \"sweep_interval\"?"},
	{"\x1b[31m = 1", NULL, "1:1: unknown key \"\\x1b[31m\""},
	{"\xef\xbb\xbfplam = p", NULL, "1:1: unknown key \"plam\"; did you mean \"plan\"?"},
	/* sections */
	{"plan = p\n[a", NULL, "2:1: a section without \"]\""},
	{"plan = p\n[a # b]", NULL, "2:1: a section without \"]\""},
	{"plan = p\n[a] x = y", NULL, "2:4: nothing may stand behind the \"]\" of a section"},
	{"plan = p\n[]", NULL, "2:2: a section needs a name"},
	{"plan = p\n[ ]", NULL, "2:2: a section needs a name"},
	{"plan = p\n[a b]", NULL,
	 "2:2: \"a b\" is no name of an instance: up to 128 letters, digits and _.:@-, no dot first"},
	{"plan = p\n[ a/b]", NULL,
	 "2:3: \"a/b\" is no name of an instance: up to 128 letters, digits and _.:@-, no dot first"},
	{"plan = p\n[..]", NULL,
	 "2:2: \"..\" is no name of an instance: up to 128 letters, digits and _.:@-, no dot first"},
	{"plan = p\n[" LONG64 LONG64 "bcd]", NULL,
	 "2:2: \"" LONG64 LONG64 "b\" is no name of an instance: up to 128 letters, digits and _.:@-, no dot first"},
	{"plan = p\n[a]\n[b]\n [a]", NULL, "4:3: a second section \"a\"; the first is in line 2"},
	{"plan = p\n[a]\nport = 1\nport = 2", NULL, "4:1: a second \"port\"; the first is in line 3"},
	/* instances */
	{"plan = p\n[a]\nport = 1", "b",
	 "1:1: there is no section [b], and it is no name of a port such as \"mlx5_0:1\""},
	{"plan = p", "mlx5_0:", "1:1: there is no section [mlx5_0:], and it is no name of a port such as \"mlx5_0:1\""},
	{"plan = p", ":1", "1:1: there is no section [:1], and it is no name of a port such as \"mlx5_0:1\""},
	{"plan = p", "mlx5_0:255",
	 "1:1: there is no section [mlx5_0:255], and it is no name of a port such as \"mlx5_0:1\""},
	{"plan = p", "../x:1", "1:1: there is no section [../x:1], and it is no name of a port such as \"mlx5_0:1\""},
	{"[a]\nport = 1\n[b]\nplan = p", "a", "1:1: no \"plan\" for [a]"},
	{"\n[a]\nplan = q", NULL, "1:1: no \"plan\" before the first section: name an instance with --instance"},
	/* the section of another instance is checked, too */
	{"plan = p\n[a]\nport = x", NULL, "3:8: \"port\" has to be a number from 1 to 254, not \"x\""},
	{"plan = p\n[a]\nport = x", "b:1", "3:8: \"port\" has to be a number from 1 to 254, not \"x\""},
	/* numbers */
	{"port = 0", NULL, "1:8: \"port\" has to be a number from 1 to 254, not \"0\""},
	{"port = 255", NULL, "1:8: \"port\" has to be a number from 1 to 254, not \"255\""},
	{"port = -1", NULL, "1:8: \"port\" has to be a number from 1 to 254, not \"-1\""},
	{"port = 0x1", NULL, "1:8: \"port\" has to be a number from 1 to 254, not \"0x1\""},
	{"port = 99999999999999999999999999", NULL,
	 "1:8: \"port\" has to be a number from 1 to 254, not \"99999999999999999999999999\""},
	{"outstanding_smps = 0", NULL,
	 "1:20: \"outstanding_smps\" has to be \"auto\" or a number from 1 to 1024, not \"0\""},
	{"retries = 101", NULL, "1:11: \"retries\" has to be a number from 0 to 100, not \"101\""},
	{"flap_count = 1001", NULL, "1:14: \"flap_count\" has to be a number from 0 to 1000, not \"1001\""},
	{"incomplete_after = 0", NULL, "1:20: \"incomplete_after\" has to be a number from 1 to 1000, not \"0\""},
	/* times */
	{"deadline = soon", NULL,
	 "1:12: \"deadline\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"soon\""},
	{"deadline = 5 parsec", NULL,
	 "1:12: \"deadline\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"5 parsec\""},
	/* a month, for systemd */
	{"deadline = 5M", NULL, "1:12: \"deadline\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"5M\""},
	{"deadline = 1h 30", NULL,
	 "1:12: \"deadline\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"1h 30\""},
	{"deadline = 30 1h", NULL,
	 "1:12: \"deadline\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"30 1h\""},
	{"deadline = 1.s", NULL, "1:12: \"deadline\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"1.s\""},
	{"deadline = 1.0001s", NULL,
	 "1:12: \"deadline\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"1.0001s\""},
	{"settle = 0.5ms", NULL, "1:10: \"settle\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"0.5ms\""},
	{"deadline = -1s", NULL, "1:12: \"deadline\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"-1s\""},
	{"deadline = 12345678901s", NULL,
	 "1:12: \"deadline\" takes a time such as \"250ms\", \"30s\" or \"5min\", not \"12345678901s\""},
	{"deadline = 0", NULL, "1:12: \"deadline\" has to be from 1s to 1h, not \"0\""},
	{"deadline = 61min", NULL, "1:12: \"deadline\" has to be from 1s to 1h, not \"61min\""},
	{"deadline = 1234567890d 1234567890d 1234567890d", NULL,
	 "1:12: \"deadline\" has to be from 1s to 1h, not \"1234567890d 1234567890d 1234567890d\""},
	{"sweep_interval = 8d", NULL, "1:18: \"sweep_interval\" has to be from 1s to 7d, not \"8d\""},
	{"settle = 61s", NULL, "1:10: \"settle\" has to be from 0ms to 1min, not \"61s\""},
	{"hook_timeout = 99ms", NULL, "1:16: \"hook_timeout\" has to be from 100ms to 1h, not \"99ms\""},
	{"timeout = 0", NULL, "1:11: \"timeout\" has to be from 1ms to 1000s, not \"0\""},
	{"plan = p\nsettle = 1s", NULL, "2:10: \"settle\" may not be longer than \"settle_max\""},
	{"plan = p\nsettle_max = 8ms", NULL, "2:14: \"settle\" may not be longer than \"settle_max\""},
	{"plan = p\nsettle_max = 1s\n[a]\nsettle = 2s", "a", "4:10: \"settle\" may not be longer than \"settle_max\""},
	{"plan = p\nsettle = 2s\n[a]\nport = 1", "a", "2:10: \"settle\" may not be longer than \"settle_max\""},
	/* patience */
	{"raise_after = 0", NULL, "1:15: \"raise_after\" has to be from 1 to 1000 looks, not \"0\""},
	{"clear_after = 1001", NULL, "1:15: \"clear_after\" has to be from 1 to 1000 looks, not \"1001\""},
	{"raise_after = now", NULL,
	 "1:15: \"raise_after\" takes a number of looks such as \"2\" or a time such as \"30s\", not \"now\""},
	{"raise_after = 0s", NULL, "1:15: \"raise_after\" has to be from 1ms to 1d, not \"0s\""},
	{"raise_after = 25h", NULL, "1:15: \"raise_after\" has to be from 1ms to 1d, not \"25h\""},
	/* words */
	{"events = maybe", NULL, "1:10: \"events\" has to be \"yes\" or \"no\", not \"maybe\""},
	{"severity = fatal", NULL, "1:12: \"severity\" has to be \"info\", \"warning\" or \"critical\", not \"fatal\""},
	{"m_key = sesame", NULL, "1:9: \"m_key\" takes a number of up to 64 bits, such as 0x1234abcd"},
	{"m_key = -1", NULL, "1:9: \"m_key\" takes a number of up to 64 bits, such as 0x1234abcd"},
	{"node_name_map = 'map'", NULL, "1:17: values are written without quotes"},
	{"engine = ibnetdiscover", NULL,
	 "1:10: \"engine\" has to be \"auto\", \"libibnetdisc\" or \"libibumad\", not \"ibnetdiscover\""},
	{"plan = p\nengine = libibnetdisc\nmax_smps_per_second = 9", NULL,
	 "3:23: \"max_smps_per_second\": libibnetdisc cannot be held to a number of SMPs per second: use the engine "
	 "libibumad"},
	{"plan = \"p\"", NULL, "1:8: values are written without quotes"},
	{"history = 15MB", NULL, "1:11: \"history\" takes a size from 16MB to 1024GB, or none, not \"15MB\""},
	{"history = 256", NULL, "1:11: \"history\" takes a size from 16MB to 1024GB, or none, not \"256\""},
	{"history = GB", NULL, "1:11: \"history\" takes a size from 16MB to 1024GB, or none, not \"GB\""},
	{"history = -1GB", NULL, "1:11: \"history\" takes a size from 16MB to 1024GB, or none, not \"-1GB\""},
	{"history = 2000GB", NULL, "1:11: \"history\" takes a size from 16MB to 1024GB, or none, not \"2000GB\""},
	{"hooks = 'h'", NULL, "1:9: values are written without quotes"},
	{"ca = /dev/infiniband/umad0", NULL,
	 "1:6: \"ca\" takes the name of a channel adapter such as \"mlx5_0\", not \"/dev/infiniband/umad0\""},
	{"ca = abcdefghijabcdefghij", NULL,
	 "1:6: \"ca\" takes the name of a channel adapter such as \"mlx5_0\", not \"abcdefghijabcdefghij\""},
};

static void assert_refused(size_t row, const char *text, size_t length, const char *instance, const char *wanted)
{
	struct ft_config *config = NULL;
	_cleanup_free_ char *seen = NULL;
	struct ft_error err = {0};

	if (ft_config_read(text, length, "/d", instance, &config, &err) != -EINVAL)
		fail_msg("row %zu (\"%s\") is not refused", row, text);
	assert_null(config);
	assert_true(asprintf(&seen, "%u:%u: %s", err.line, err.column, err.text) > 0);
	if (strcmp(seen, wanted) != 0)
		fail_msg("row %zu (\"%s\"): \"%s\", not \"%s\"", row, text, seen, wanted);
}

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(bad); i++)
		assert_refused(i, bad[i].text, strlen(bad[i].text), bad[i].instance, bad[i].error);
}

/* What the directory of hooks may be: it is this file's own path that is no directory. */
static void test_hooks(void **state)
{
	static const struct {
		const char *text;
		const char *instance;
		const char *error; /* NULL: none */
	} rows[] = {
		{"plan = p\nhooks = file", NULL, "2:9: \"hooks\": %s/file is no directory"},
		{"plan = p\n[a]\nhooks =  file", "a", "3:10: \"hooks\": %s/file is no directory"},
		{"plan = p\nhooks = file\n[a]\nport = 1", "a", "2:9: \"hooks\": %s/file is no directory"},
		{"plan = p\n[a]\nhooks = file", NULL, NULL},
		{"plan = p\nhooks = file\n[a]\nhooks = .", "a", NULL},
		{"plan = p\nhooks = absent", NULL, NULL},
		{"plan = p", NULL, NULL},
	};
	char directory[] = P_tmpdir "/test_conf.XXXXXX";
	_cleanup_free_ char *file = NULL, *standard = NULL, *wanted = NULL;
	FILE *stream;

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_true(asprintf(&file, "%s/file", directory) > 0);
	assert_true(asprintf(&standard, "%s/hooks.d", directory) > 0);
	stream = fopen(file, "we");
	assert_non_null(stream);
	assert_int_equal(fclose(stream), 0);
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_config_freep) struct ft_config *config = NULL;
		_cleanup_free_ char *seen = NULL, *expected = NULL;
		struct ft_error err = {0};
		int r = ft_config_read(rows[i].text, strlen(rows[i].text), directory, rows[i].instance, &config, &err);

		assert_int_equal(r, rows[i].error ? -EINVAL : 0);
		if (!rows[i].error)
			continue;
		assert_true(asprintf(&seen, "%u:%u: %s", err.line, err.column, err.text) > 0);
		assert_true(asprintf(&expected, "%.*s%s%s", (int)(strstr(rows[i].error, "%s") - rows[i].error),
				     rows[i].error, directory, strstr(rows[i].error, "%s") + 2) > 0);
		assert_string_equal(seen, expected);
	}
	/* The default is none either. */
	assert_int_equal(rename(file, standard), 0);
	{
		struct ft_config *config = NULL;
		struct ft_error err = {0};

		assert_int_equal(ft_config_read("plan = p", 8, directory, NULL, &config, &err), -EINVAL);
		assert_true(asprintf(&wanted, "%s, where \"hooks\" are unless told, is no directory", standard) > 0);
		assert_string_equal(err.text, wanted);
		assert_int_equal(err.line, 1);
	}
	assert_int_equal(unlink(standard), 0);
	assert_int_equal(rmdir(directory), 0);
}

/* Two that would listen at one address. */
static void test_clash(void **state)
{
	static const struct {
		const char *a, *b;
		bool clash;
	} rows[] = {
		{"plan = p", "plan = p", true},
		{"plan = p", "plan = q\nlisten = 127.0.0.1:9683", true},
		{"plan = p", "plan = p\nlisten = 127.0.0.1:9684", false},
		{"plan = p\nlisten = none", "plan = p\nlisten = none", false},
		{"plan = p\nlisten = none", "plan = p", false},
		{"plan = p\nlisten = 127.0.0.1:0", "plan = p\nlisten = 127.0.0.1:0", false},
		{"plan = p\nlisten = 127.0.0.1:10", "plan = p\nlisten = 127.0.0.1:10", true},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_config_freep) struct ft_config *a = NULL, *b = NULL;

		assert_int_equal(ft_config_read(rows[i].a, strlen(rows[i].a), "/d", NULL, &a, NULL), 0);
		assert_int_equal(ft_config_read(rows[i].b, strlen(rows[i].b), "/d", NULL, &b, NULL), 0);
		assert_int_equal(ft_config_clash(a, b), rows[i].clash);
		assert_int_equal(ft_config_clash(b, a), rows[i].clash);
	}
}

/* Not in a row of text: NUL bytes, and lines at the limit. */
static void test_bytes(void **state)
{
	_cleanup_(ft_config_freep) struct ft_config *config = NULL;
	char line[5000];

	(void)state;
	assert_refused(0, "plan = p\nab\0c\n", 14, NULL, "2:3: a NUL byte: this is no text file");
	memset(line, 'x', sizeof(line));
	memcpy(line, "plan = /", 8);
	assert_int_equal(ft_config_read(line, 4096, "/d", NULL, &config, NULL), 0);
	assert_int_equal(strlen(config->plan), 4096 - 7);
	assert_refused(1, line, 4097, NULL, "1:4097: the line is longer than 4096 bytes");
}

/* What the address has to be is not this file's business, but that it is said with its place. */
static void test_listen(void **state)
{
	static const char *const refused[] = {"0.0.0.0:9683", "9683", "127.0.0.1", "127.0.0.1:65536", "ib0:1"};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(refused); i++) {
		_cleanup_free_ char *text = NULL;
		struct ft_config *config = NULL;
		struct ft_error err = {0};

		assert_true(asprintf(&text, "plan = p\nlisten = %s\n", refused[i]) > 0);
		assert_int_equal(ft_config_read(text, strlen(text), "/d", NULL, &config, &err), -EINVAL);
		assert_int_equal(err.line, 2);
		assert_int_equal(err.column, 10);
		assert_memory_equal(err.text, "\"listen\": ", 10);
		assert_true(strlen(err.text) > 10);
	}
}

/* Defaults that other rooms have, too, are the same. */
static void test_defaults(void **state)
{
	_cleanup_(ft_config_freep) struct ft_config *config = NULL;

	(void)state;
	assert_int_equal(ft_config_read("plan = p", 8, "/d", NULL, &config, NULL), 0);
	assert_int_equal(config->sweep.timeout_ms, ft_sweep_defaults.timeout_ms);
	assert_int_equal(config->sweep.engine, ft_sweep_defaults.engine);
	assert_int_equal(config->sweep.max_smps, ft_sweep_defaults.max_smps);
	assert_int_equal(config->sweep.max_smps_per_switch, ft_sweep_defaults.max_smps_per_switch);
	assert_int_equal(config->sweep.max_smps_per_second, ft_sweep_defaults.max_smps_per_second);
	assert_int_equal(config->sweep.retries, ft_sweep_defaults.retries);
	assert_int_equal(config->sweep.deadline_ms, ft_sweep_defaults.deadline_ms);
	assert_memory_equal(&config->rules, &ft_alert_rules_defaults, sizeof(config->rules));
}

static char *shipped_path(void)
{
	const char *source = getenv("FT_SRCDIR");
	char *path = NULL;

	if (!source)
		skip_for("no FT_SRCDIR");
	assert_true(asprintf(&path, "%s/etc/ftcheckd.conf", source) > 0);
	return path;
}

/* @text with "# KEY = VALUE" of every key (but the sample section's) as a setting; *@ret_count: how many. */
static char *uncommented(const char *text, size_t *ret_count)
{
	struct ft_text out = {0};

	*ret_count = 0;
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t length = strcspn(line, "\n");
		char *name = NULL;

		if (strncmp(line, "# [", 3) == 0)
			break;
		if (line[0] == '#' && sscanf(line, "# %m[a-z_] = ", &name) == 1 && strstr(line, " = ") &&
		    strstr(line, " = ") - line == (ptrdiff_t)strlen(name) + 2) {
			line += 2;
			length -= 2;
		}
		if (line[0] != '#' && length > 0)
			++*ret_count;
		free(name);
		ft_text_printf(&out, "%.*s\n", (int)length, line);
	}
	assert_false(ft_text_failed(&out));
	return out.data;
}

/* Every key is in it, once, with its default; and it is good as it is. */
static void test_shipped(void **state)
{
	_cleanup_free_ char *path = shipped_path(), *text = NULL, *open = NULL, *as_is = NULL, *all = NULL;
	_cleanup_(ft_config_freep) struct ft_config *config = NULL, *full = NULL;
	struct ft_error err = {0};
	size_t length, count;

	(void)state;
	if (ft_config_load(path, NULL, &config, &err) < 0)
		fail_msg("%s:%u:%u: %s", path, err.line, err.column, err.text);
	assert_int_equal(ft_file_read(path, 0, &text, &length, &err), 0);
	open = uncommented(text, &count);
	/* Of two that exclude each other, one stays a comment. */
	assert_non_null(strstr(open, "\nlldp = "));
	strstr(open, "\nlldp = ")[1] = '#';
	if (ft_config_read(open, strlen(open), "/d", NULL, &full, &err) < 0)
		fail_msg("%s, uncommented:%u:%u: %s", path, err.line, err.column, err.text);
	strstr(open, "\n#ldp = ")[1] = 'l';
	assert_int_equal(count, ft_config_key_count);
	for (size_t i = 0; i < ft_config_key_count; i++) {
		_cleanup_free_ char *line = NULL;

		assert_true(asprintf(&line, "\n%s = %s%s", ft_config_keys[i].name, ft_config_keys[i].standard,
				     ft_config_keys[i].standard[0] ? "\n" : "") > 0);
		if (!strstr(open, line))
			fail_msg("%s does not show%s", path, line);
	}
	/* Those without a default aside, it says what holds anyway. */
	free(full->plan);
	free(full->ca);
	full->plan = strdup(config->plan);
	full->ca = NULL;
	full->sweep.ca = NULL;
	full->sweep.port = 0;
	free(full->name_map);
	full->name_map = NULL;
	free(full->hook_directory);
	full->hook_directory = strdup(config->hook_directory);
	as_is = config_text(config);
	all = config_text(full);
	assert_string_equal(all, as_is);
}

/* From a file: relative to it, wherever the process is, and errors name the file. */
static void test_load(void **state)
{
	char directory[] = "/tmp/ftcheck-conf.XXXXXX";
	_cleanup_free_ char *path = NULL, *here = getcwd(NULL, 0), *want = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_free_ char **names = NULL;
	struct ft_config *config = NULL;
	struct ft_error err = {0};

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_true(asprintf(&path, "%s/conf", directory) > 0);
	ft_text_puts(&text, "plan = p\n[b]\nport = 1\n[a:1]\n");
	assert_int_equal(ft_file_write(path, &text), 0);
	assert_true(asprintf(&want, "%s/p", directory) > 0);
	assert_int_equal(ft_config_load(path, NULL, &config, &err), 0);
	assert_string_equal(config->plan, want);
	ft_config_free(FT_STEAL(config));
	assert_int_equal(ft_config_instances(path, &names, &err), 0);
	assert_string_equal(names[0], "");
	assert_string_equal(names[1], "b");
	assert_string_equal(names[2], "a:1");
	assert_null(names[3]);

	assert_int_equal(chdir(directory), 0);
	assert_int_equal(ft_config_load("conf", "b", &config, &err), 0);
	assert_string_equal(config->plan, want);
	ft_config_free(FT_STEAL(config));
	assert_int_equal(ft_config_load("./conf", "b", &config, &err), 0);
	assert_true(config->plan[0] == '/');
	assert_int_equal(access(directory, F_OK), 0);
	ft_config_free(FT_STEAL(config));

	assert_int_equal(ft_config_load("absent", NULL, &config, &err), -ENOENT);
	assert_string_equal(err.file, "absent");
	assert_int_equal(err.line, 0);
	assert_string_equal(err.text, "No such file or directory");
	assert_int_equal(ft_config_load(directory, NULL, &config, &err), -EISDIR);
	assert_int_equal(unlink("conf"), 0);
	assert_int_equal(chdir(here), 0);
	assert_int_equal(rmdir(directory), 0);
}

/* Sections only: there is nothing for the daemon without an instance. */
static void test_instances(void **state)
{
	static const struct {
		const char *text;
		const char *names;
	} rows[] = {
		{"", "()"},
		{"plan = p", "()"},
		{"port = 1\n[a]\nplan = p", "(a)"},
		{"plan = p\n[b]\n[a]", "()(b)(a)"},
		{"[b]\n[a]\n", "(b)(a)"},
	};
	char path[] = "/tmp/ftcheck-conf.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0}, seen = {0};
		_cleanup_free_ char **names = NULL;

		ft_text_puts(&text, rows[i].text);
		assert_int_equal(ft_file_write(path, &text), 0);
		assert_int_equal(ft_config_instances(path, &names, NULL), 0);
		for (char **name = names; *name; name++)
			ft_text_printf(&seen, "(%s)", *name);
		assert_string_equal(ft_text_string(&seen), rows[i].names);
	}
	assert_int_equal(unlink(path), 0);
}

/* Each allocation fails once: -ENOMEM, and nothing else happened. */
static void test_memory(void **state)
{
	static const char text[] =
		"plan = /p\nca = x\nhooks = /h\nlisten = none\n[a:1]\nplan = /q\nlisten = 127.0.0.1:1\n";
	size_t failed = 0;

	(void)state;
	for (;;) {
		_cleanup_(ft_config_freep) struct ft_config *config = NULL;
		struct ft_error err = {0};
		int r;

		allocation_failing = failed + 1;
		r = ft_config_read(text, sizeof(text) - 1, "/d", "a:1", &config, &err);
		if (allocation_failing > 0) {
			allocation_failing = 0;
			assert_int_equal(r, 0);
			break;
		}
		assert_int_equal(r, -ENOMEM);
		assert_null(config);
		failed++;
	}
	assert_true(failed > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	  cmocka_unit_test(test_bad),	  cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_hooks),	  cmocka_unit_test(test_clash),	  cmocka_unit_test(test_listen),
		cmocka_unit_test(test_defaults),  cmocka_unit_test(test_shipped), cmocka_unit_test(test_load),
		cmocka_unit_test(test_instances), cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
