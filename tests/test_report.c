/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Reports that come back from JSON: byte for byte the same, or refused with the place. Reports of many fabrics go
 * through the same in test_verify.c.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/moment.h"
#include "base/text.h"
#include "tests/allocations.h"
#include "verify/model/bounds.h"
#include "verify/model/report.h"

#define FINDING                                                                                                      \
	"{\"id\": \"cable-missing:0x0000000000100003:20\", \"code\": \"cable-missing\", \"severity\": \"warning\", " \
	"\"evidence\": \"absent\",\n     \"where\": [{\"name\": \"edge003\", \"guid\": \"0x0000000000100003\", "     \
	"\"port\": 20}, {\"name\": \"core01\", \"guid\": null, \"port\": null}],\n     \"expected\": \"9 cables\", " \
	"\"observed\": \"8\", \"count\": 1,\n     \"text\": \"1 cable of 9 is missing\",\n     \"fix\": \"reseat "   \
	"\\\"it\\\" \\\\o/\",\n     \"impact\": {\"links_lost\": 1, \"hosts_cut_off\": 0},\n     \"symptoms\": "     \
	"[{\"text\": \"edge003 has less\", \"where\": {\"name\": \"edge003\", \"guid\": \"0x0000000000100003\", "    \
	"\"port\": null}}, {\"text\": \"so it is\", \"where\": null}],\n     \"alternatives\": [\"none\", \"or "     \
	"two\"],"                                                                                                    \
	"\n     \"waived\": \"until 2026-12-31: ordered\"}"

/* Every key, and every form of a value. */
static const char whole[] =
	"{\n"
	"  \"ftcheck_report\": 1,\n"
	"  \"plan\": {\"name\": \"a|b\", \"file\": \"c.json\", \"sha256\": "
	"\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"},\n"
	"  \"source\": {\"kind\": \"live\", \"detail\": \"mlx5_0 port 1\", \"entry\": {\"name\": \"node001 \\\\x1b\", "
	"\"guid\": \"0xffffffffffffffff\", \"port\": 1}, \"mads\": 4294967295, \"timeouts\": 3, \"duration_ms\": 1234, "
	"\"complete\": false, \"unreached\": [\"edge004\", \"core02\"]},\n"
	"  \"time\": \"2026-11-20T12:34:56Z\",\n"
	"  \"verdict\": \"warning\",\n"
	"  \"counts\": {\n"
	"    \"edge\": {\"planned\": 4, \"found\": 3, \"ok\": 2, \"degraded\": 1, \"isolated\": 5},\n"
	"    \"core\": {\"planned\": 6, \"found\": 7, \"ok\": 8, \"degraded\": 9, \"missing\": 10},\n"
	"    \"uplinks\": {\"planned\": 72, \"up\": 71, \"missing\": 11, \"misplaced\": 12, \"unplanned\": 13, "
	"\"slow\": 14},\n"
	"    \"hosts\": {\"planned\": 15, \"found\": 16}\n"
	"  },\n"
	"  \"clos\": {\"planned\": 3, \"found\": 5},\n"
	"  \"blocking\": {\"planned\": 1.5, \"worst\": \"18:17\"},\n"
	"  \"bisection\": 0.986111,\n"
	"  \"switches\": [\n"
	"    {\"name\": \"edge003\", \"guid\": \"0x0000000000100003\", \"tier\": \"edge\", \"planned_as\": "
	"\"edge003\", "
	"\"status\": \"degraded\", \"uplinks\": {\"planned\": 18, \"up\": 17}, \"hosts\": 18, \"hosts_names\": "
	"\"node037-node054\"},\n"
	"    {\"name\": \"core02\", \"guid\": null, \"tier\": \"core\", \"planned_as\": null, \"status\": "
	"\"unreached\", "
	"\"uplinks\": {\"planned\": 0, \"up\": 0}, \"hosts\": 0, \"hosts_names\": \"\"}\n"
	"  ],\n"
	"  \"sms\": [\n"
	"    {\"where\": {\"name\": \"node001\", \"guid\": \"0x0000000000200001\", \"port\": 1}, \"port_guid\": "
	"\"0x0000000000200002\", \"state\": \"master\", \"priority\": 14, \"activity\": 4294967295},\n"
	"    {\"where\": {\"name\": \"core02\", \"guid\": \"0x0000000000100006\", \"port\": null}, \"port_guid\": "
	"null, \"state\": \"silent\", \"priority\": 0, \"activity\": 0}\n"
	"  ],\n"
	"  \"counters\": {\"interval_ms\": 10000, \"ports\": 288, \"read\": 280, \"no_lid\": 1, \"silent\": 2, "
	"\"refused\": 5, \"stuck\": 3, \"discarding\": 4},\n"
	"  \"findings\": [\n"
	"    " FINDING "\n"
	"  ]\n"
	"}\n";

/* @whole with the first @from in it made @to; the caller frees it. */
static char *changed(const char *from, const char *to)
{
	const char *at = strstr(whole, from);
	char *text;

	if (!at)
		fail_msg("there is no %s", from);
	if (asprintf(&text, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from)) < 0)
		fail_msg("no memory");
	return text;
}

static struct ft_report *read_well(const char *text)
{
	struct ft_report *report = NULL;
	struct ft_error err = {0};

	if (ft_report_read_json(text, strlen(text), &report, &err) != 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
	return report;
}

static void returns_the_same(const char *text)
{
	_cleanup_(ft_report_freep) struct ft_report *report = read_well(text);
	_cleanup_(ft_text_release) struct ft_text again = {0};

	ft_report_write_json(&again, report);
	assert_false(ft_text_failed(&again));
	assert_string_equal(ft_text_string(&again), text);
}

static void test_whole(void **state)
{
	(void)state;
	returns_the_same(whole);
}

/* ---- values that come back as they are ---- */

static const struct value {
	const char *from, *to;
} values[] = {
	{"\"worst\": \"18:17\"", "\"worst\": 1"},
	{"\"worst\": \"18:17\"", "\"worst\": 0"},
	{"\"worst\": \"18:17\"", "\"worst\": \"1000000000:999999999\""},
	{"\"worst\": \"18:17\"", "\"worst\": 1.001953125"},
	{"\"worst\": \"18:17\"", "\"worst\": 1000000000"},
	{"\"worst\": \"18:17\"", "\"worst\": 0.000000001"},
	/* 999999999 / 2^29, and 1 / 2^29: the longest that can be. */
	{"\"worst\": \"18:17\"", "\"worst\": 1.86264514736831188201904296875"},
	{"\"worst\": \"18:17\"", "\"worst\": 0.00000000186264514923095703125"},
	{"\"bisection\": 0.986111", "\"bisection\": 1.000000"},
	{"\"bisection\": 0.986111", "\"bisection\": 0.000000"},
	{"\"bisection\": 0.986111", "\"bisection\": 0.000001"},
	{"\"bisection\": 0.986111", "\"bisection\": 0.999999"},
	{"2026-11-20T12:34:56Z", "1970-01-01T00:00:00Z"},
	{"2026-11-20T12:34:56Z", "1969-12-31T23:59:59Z"},
	{"2026-11-20T12:34:56Z", "9999-12-31T23:59:59Z"},
	{"2026-11-20T12:34:56Z", "2028-02-29T00:00:00Z"},
	{"\"kind\": \"live\"", "\"kind\": \"file\""},
	{"\"complete\": false", "\"complete\": true"},
	{"\"entry\": {\"name\": \"node001 \\\\x1b\", \"guid\": \"0xffffffffffffffff\", \"port\": 1}",
	 "\"entry\": null"},
	{"[\"edge004\", \"core02\"]", "[]"},
	{"\"verdict\": \"warning\"", "\"verdict\": \"ok\""},
	{"\"verdict\": \"warning\"", "\"verdict\": \"critical\""},
	{"\"verdict\": \"warning\"", "\"verdict\": \"unknown\""},
	{"\"state\": \"master\"", "\"state\": \"standby\""},
	{"\"state\": \"master\"", "\"state\": \"discovering\""},
	{"\"state\": \"master\"", "\"state\": \"not active\""},
	{"\"severity\": \"warning\"", "\"severity\": \"info\""},
	{"\"severity\": \"warning\"", "\"severity\": \"critical\""},
	{"\"tier\": \"core\"", "\"tier\": \"spine\""},
	{"\"port\": 20", "\"port\": 648"},
	{"[{\"text\": \"edge003 has less\", \"where\": {\"name\": \"edge003\", \"guid\": \"0x0000000000100003\", "
	 "\"port\": "
	 "null}}, {\"text\": \"so it is\", \"where\": null}]",
	 "[]"},
	{",\n     \"waived\": \"until 2026-12-31: ordered\"", ""},
	{"\"a|b\"", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
};

static void test_value(void **state)
{
	const struct value *v = *state;
	_cleanup_free_ char *text = changed(v->from, v->to);

	returns_the_same(text);
}

static void test_words(void **state)
{
	char to[128];
	(void)state;

	for (unsigned int i = 0; i < FT_CODE_COUNT; i++) {
		_cleanup_free_ char *text = NULL;

		snprintf(to, sizeof(to), "\"code\": \"%s\"", ft_codes[i].name);
		text = changed("\"code\": \"cable-missing\"", to);
		returns_the_same(text);
	}
	for (unsigned int i = 0; i <= FT_STATUS_UNREACHED; i++) {
		_cleanup_free_ char *text = NULL;

		snprintf(to, sizeof(to), "\"status\": \"%s\"", ft_status_name(i));
		text = changed("\"status\": \"degraded\"", to);
		returns_the_same(text);
	}
	for (unsigned int i = 0; i <= FT_EVIDENCE_SEEN; i++) {
		_cleanup_free_ char *text = NULL;

		snprintf(to, sizeof(to), "\"evidence\": \"%s\"", ft_evidence_name(i));
		text = changed("\"evidence\": \"absent\"", to);
		returns_the_same(text);
	}
}

/* ---- what a bisection is printed as comes back ---- */

static void test_bisection(void **state)
{
	char to[64];
	(void)state;

	for (unsigned int i = 0; i < 1000000; i += 1 + i / 500) {
		_cleanup_free_ char *text = NULL;

		snprintf(to, sizeof(to), "\"bisection\": 0.%06u", i);
		text = changed("\"bisection\": 0.986111", to);
		returns_the_same(text);
	}
}

/* ---- what may differ ---- */

static const struct tolerated {
	const char *what, *from, *to;
} tolerated[] = {
	{"a newer key of the report", "\"plan\": {", "\"mood\": [{\"a\": 1}], \"plan\": {"},
	{"a newer key of a finding", "\"code\": ", "\"colour\": \"blue\", \"code\": "},
	{"a newer key of an object", "\"links_lost\": 1", "\"links_lost\": 1, \"money_lost\": 2.5"},
	{"a symptom without a place", "{\"text\": \"so it is\", \"where\": null}", "{\"text\": \"so it is\"}"},
	{"no blanks", "\n  \"time\": ", "\"time\":"},
	{"a bisection of no decimals", "\"bisection\": 0.986111", "\"bisection\": 0.9861110"},
	{"more decimals than are printed", "\"bisection\": 0.986111", "\"bisection\": 0.98611111"},
	{"a ratio that is not in lowest terms", "\"18:17\"", "\"36:34\""},
};

static void test_tolerated(void **state)
{
	const struct tolerated *t = *state;
	_cleanup_free_ char *text = changed(t->from, t->to);
	_cleanup_(ft_report_freep) struct ft_report *report = read_well(text);
	_cleanup_(ft_text_release) struct ft_text again = {0};

	ft_report_write_json(&again, report);
	assert_string_equal(ft_text_string(&again), whole);
}

/* ---- what is refused ---- */

static const struct refused {
	const char *from, *to; /* an @ stands before what the error points to */
	int code;
	const char *error; /* NULL: in jansson's words */
} refused[] = {
	{"\"ftcheck_report\": 1,", "", -ENOMSG, "this JSON is no report of ftcheck"},
	{"\"ftcheck_report\": 1", "\"ftcheck_report\": @\"1\"", -EINVAL,
	 "\"ftcheck_report\" is to be a version number"},
	{"\"ftcheck_report\": 1", "\"ftcheck_report\": @0", -EINVAL, "\"ftcheck_report\" is to be a version number"},
	{"\"ftcheck_report\": 1", "\"ftcheck_report\": @2", -ENOTSUP,
	 "version 2 of the report is newer than this ftcheck understands"},
	{"\"code\": \"cable-missing\"", "\"code\": @\"cable-haunted\"", -ENOTSUP,
	 "the code \"cable-haunted\" is not known to this ftcheck: is ftcheckd newer?"},
	{"\"code\": \"cable-missing\"", "\"code\": @7", -EINVAL, "\"code\" is to be a string"},
	{"\"verdict\": \"warning\",", "", -EINVAL, "\"verdict\" is missing"},
	{"\"plan\": {\"name\": \"a|b\"", "\"plan\": @{\"nome\": \"a|b\"", -EINVAL, "\"name\" is missing"},
	{"\"0123456789abcdef0", "@\"0123456789ABCDEF0", -EINVAL, "\"sha256\" is to be 64 hexadecimal digits"},
	{"\"0123456789abcdef0", "@\"0", -EINVAL, "\"sha256\" is to be 64 hexadecimal digits"},
	{"\"name\": \"a|b\"", "\"name\": @null", -EINVAL, "\"name\" is to be a string"},
	{"\"plan\": {\"name\": \"a|b\"", "\"plan\": @[], \"plam\": {\"name\": \"a|b\"", -EINVAL,
	 "\"plan\" is to be an object"},
	{"\"kind\": \"live\"", "\"kind\": @\"rumour\"", -EINVAL, "\"kind\" is to be \"live\" or \"file\""},
	{"\"complete\": false", "\"complete\": @0", -EINVAL, "\"complete\" is to be true or false"},
	{"\"mads\": 4294967295", "\"mads\": @4294967296", -EINVAL,
	 "\"mads\" is to be a whole number from 0 to 4294967295"},
	{"\"mads\": 4294967295", "\"mads\": @-1", -EINVAL, "\"mads\" is to be a whole number from 0 to 4294967295"},
	{"\"mads\": 4294967295", "\"mads\": @1.0", -EINVAL, "\"mads\" is to be a whole number from 0 to 4294967295"},
	{"\"core02\"]", "@5]", -EINVAL, "this element is to be a string"},
	{"[\"edge004\", \"core02\"]", "@{}", -EINVAL, "\"unreached\" is to be a list"},
	{"\"0xffffffffffffffff", "@\"0xfffffffffffffffff", -EINVAL,
	 "\"guid\" is to be null or a GUID such as \"0x0002c90200404730\""},
	{"\"0xffffffffffffffff", "@\"0x-fffffffffffffff", -EINVAL,
	 "\"guid\" is to be null or a GUID such as \"0x0002c90200404730\""},
	{"\"port\": 1}", "\"port\": @65536}", -EINVAL, "\"port\" is to be null or a number from 0 to 65535"},
	{"\"2026-11-20T12:34:56Z\"", "@\"2026-11-20T12:34:56+00:00\"", -EINVAL,
	 "\"time\" is to be a time such as \"2026-11-20T12:00:00Z\""},
	{"\"2026-11-20T12:34:56Z\"", "@\"2026-02-30T12:34:56Z\"", -EINVAL,
	 "\"time\" is to be a time such as \"2026-11-20T12:00:00Z\""},
	{"\"2026-11-20T12:34:56Z\"", "@\" 2026-1-2T1:2:3Z\"", -EINVAL,
	 "\"time\" is to be a time such as \"2026-11-20T12:00:00Z\""},
	{"\"2026-11-20T12:34:56Z\"", "@1", -EINVAL, "\"time\" is to be a time such as \"2026-11-20T12:00:00Z\""},
	{"\"2026-11-20T12:34:56Z\"", "@null", -EINVAL, "\"time\" is to be a time such as \"2026-11-20T12:00:00Z\""},
	{"\"2026-11-20T12:34:56Z\"", "@\"2026-11-20T12:34:56Z \"", -EINVAL,
	 "\"time\" is to be a time such as \"2026-11-20T12:00:00Z\""},
	{"\"verdict\": \"warning\"", "\"verdict\": @\"fine\"", -EINVAL,
	 "\"verdict\" is to be \"ok\", \"warning\", \"critical\" or \"unknown\""},
	{"\"isolated\": 5", "\"isolated\": @\"5\"", -EINVAL,
	 "\"isolated\" is to be a whole number from 0 to 4294967295"},
	{"\"worst\": \"18:17\"", "\"worst\": @\"18:0\"", -EINVAL,
	 "\"worst\" is to be a number, or a ratio such as \"7:3\""},
	{"\"worst\": \"18:17\"", "\"worst\": @1e3", -EINVAL, "\"worst\" is to be a number, or a ratio such as \"7:3\""},
	{"\"worst\": \"18:17\"", "\"worst\": @-1", -EINVAL, "\"worst\" is to be a number, or a ratio such as \"7:3\""},
	{"\"worst\": \"18:17\"", "\"worst\": @1000000001", -EINVAL,
	 "\"worst\" is to be a number, or a ratio such as \"7:3\""},
	{"\"worst\": \"18:17\"", "\"worst\": @0.3333333333", -EINVAL,
	 "\"worst\" is to be a number, or a ratio such as \"7:3\""},
	{"\"worst\": \"18:17\"", "\"worst\": @1.0000000000000000000000000000000000000", -EINVAL,
	 "\"worst\" is to be a number, or a ratio such as \"7:3\""},
	{"\"worst\": \"18:17\"", "\"worst\": @null", -EINVAL,
	 "\"worst\" is to be a number, or a ratio such as \"7:3\""},
	{"\"worst\": \"18:17\"", "\"worst\": @\"many\"", -EINVAL,
	 "\"worst\" is to be a number, or a ratio such as \"7:3\""},
	{"\"bisection\": 0.986111", "\"bisection\": @1.000001", -EINVAL, "\"bisection\" is to be a number from 0 to 1"},
	{"\"bisection\": 0.986111", "\"bisection\": @-0.1", -EINVAL, "\"bisection\" is to be a number from 0 to 1"},
	{"\"bisection\": 0.986111", "\"bisection\": @null", -EINVAL, "\"bisection\" is to be a number from 0 to 1"},
	{"\"tier\": \"edge\"", "\"tier\": @\"leaf\"", -EINVAL,
	 "\"tier\" is to be \"edge\", \"spine\", \"core\" or \"island\""},
	{"\"status\": \"degraded\"", "\"status\": @\"odd\"", -EINVAL,
	 "\"status\" is to be \"ok\", \"degraded\", \"isolated\", \"missing\", \"unplanned\", \"mute\" or "
	 "\"unreached\""},
	{"\"up\": 17}", "\"up\": @17.5}", -EINVAL, "\"up\" is to be a whole number from 0 to 4294967295"},
	{"\"hosts_names\": \"\"}\n", "\"hosts_names\": \"\"}, @5\n", -EINVAL, "this element is to be an object"},
	{"\"severity\": \"warning\"", "\"severity\": @\"dire\"", -EINVAL,
	 "\"severity\" is to be \"critical\", \"warning\" or \"info\""},
	{"\"evidence\": \"absent\"", "\"evidence\": @\"hearsay\"", -EINVAL,
	 "\"evidence\" is to be \"absent\", \"mute\", \"unreached\" or \"seen\""},
	{"\"where\": [{", "\"where\": [@{\"a\": 1}, {", -EINVAL, "\"name\" is missing"},
	{"\"where\": null}", "\"where\": @1}", -EINVAL, "\"where\" is to be an object"},
	{"\"impact\": {\"links_lost\": 1, \"hosts_cut_off\": 0}", "\"impact\": @{}", -EINVAL,
	 "\"links_lost\" is missing"},
	{"\"alternatives\": [\"none\", ", "\"alternatives\": [@null, ", -EINVAL, "this element is to be a string"},
	{"\"state\": \"master\"", "\"state\": @\"king\"", -EINVAL,
	 "\"state\" is to be \"master\", \"standby\", \"discovering\", \"not active\" or \"silent\""},
	{"\"priority\": 14", "\"priority\": @-1", -EINVAL, "\"priority\" is to be a whole number from 0 to 4294967295"},
	{"\"sms\": [", "\"sms\": @{}, \"smt\": [", -EINVAL, "\"sms\" is to be a list"},
	{"\"stuck\": 3", "\"struck\": 3", -EINVAL, NULL},
	{"\"counters\": {", "\"counters\": @null, \"counter\": {", -EINVAL, "\"counters\" is to be an object"},
	{"\"waived\": \"until", "\"waived\": @null, \"was\": \"until", -EINVAL, "\"waived\" is to be a string"},
	{"\"verdict\": \"warning\"", "\"verdict\": \"warning\", @\"verdict\": \"ok\"", -EINVAL, NULL},
	{"\"text\": \"1 cable",
	 "\"text\": \"\xff"
	 "",
	 -EINVAL, NULL},
	{"\n}\n", "\n", -EINVAL, NULL},
};

static void test_refused(void **state)
{
	const struct refused *row = *state;
	_cleanup_free_ char *text = changed(row->from, row->to);
	char *mark = strchr(text, '@');
	struct ft_report *report = NULL;
	struct ft_error err = {0};
	unsigned int line = 1, column = 1;
	int r;

	if (mark) {
		ft_error_position(text, (size_t)(mark - text), &line, &column);
		memmove(mark, mark + 1, strlen(mark));
	}
	r = ft_report_read_json(text, strlen(text), &report, &err);
	assert_null(report);
	assert_int_equal(r, row->code);
	if (!row->error) {
		assert_true(err.text[0] && err.line && err.column);
		return;
	}
	assert_string_equal(err.text, row->error);
	assert_int_equal(err.line, line);
	assert_int_equal(err.column, column);
}

static void test_not_a_report(void **state)
{
	static const struct {
		const char *text;
		int code;
	} texts[] = {{"", -EINVAL},
		     {"[]", -ENOMSG},
		     {"{}", -ENOMSG},
		     {"{\"ftcheck_snapshot\": 1}", -ENOMSG},
		     {"nonsense", -EINVAL}};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(texts); i++) {
		struct ft_report *report = NULL;
		struct ft_error err = {0};

		assert_int_equal(ft_report_read_json(texts[i].text, strlen(texts[i].text), &report, &err),
				 texts[i].code);
		assert_null(report);
		assert_true(err.text[0] && err.line && err.column);
		/* The error is nobody's duty to take. */
		assert_int_equal(ft_report_read_json(texts[i].text, strlen(texts[i].text), &report, NULL),
				 texts[i].code);
	}
}

/* ---- strings of a stranger's ---- */

static void test_made_safe(void **state)
{
	_cleanup_free_ char *text = changed("1 cable of 9", "\\u001b[31m\\n\\u202e");
	_cleanup_(ft_report_freep) struct ft_report *report = read_well(text);
	(void)state;

	assert_string_equal(report->findings[0].text, "\\x1b[31m\\x0a\\xe2\\x80\\xae is missing");
}

static void test_long_name(void **state)
{
	static const char row[] = "\nedge003  0x0000000000100003  edge   edge003  degraded     17/  18     18";
	_cleanup_(ft_text_release) struct ft_text name = {0}, out = {0};
	_cleanup_free_ char *text = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	const char *last;
	(void)state;

	ft_text_puts(&name, "{\"name\": \"");
	for (unsigned int i = 0; i < 5000; i++)
		ft_text_puts(&name, "x");
	ft_text_puts(&name, "\", \"guid\": null, \"tier\": \"core\"");
	text = changed("{\"name\": \"core02\", \"guid\": null, \"tier\": \"core\"", ft_text_string(&name));
	report = read_well(text);
	ft_report_write_text(&out, report, true, false);
	/* The row of the other switch is as wide as ever. */
	last = strstr(ft_text_string(&out), "\nedge003  ");
	assert_non_null(last);
	assert_memory_equal(last, row, strlen(row));
	assert_non_null(strstr(last, "xxxx  -                   core   -        unreached     0/   0      0\n"));
}

/* ---- lost packets: what they cost ---- */

static void test_lost(void **state)
{
	static const struct {
		bool complete;
		uint32_t mads, lost;
		const char *said;  /* in the first line; NULL: nothing of it */
		const char *below; /* in the line on the sweep */
	} rows[] = {
		{true, 1200, 0, NULL, "1200 packets in 7.000 s, 0 lost\n"},
		{true, 1200, 11, NULL, "1200 packets in 7.000 s, 11 lost and sent again\n"},
		{true, 1201, 12, NULL, "1201 packets in 7.000 s, 12 lost and sent again\n"},
		{true, 1200, 12,
		 "(12 of 1200 packets were lost and sent again, which took time: --counters finds bad cables)",
		 "12 lost and sent again\n"},
		{false, 1200, 1, "(1 of 1200 packets was lost; what was asked so is missing here)", "1 lost\n"},
		{false, 0, 2, "(2 packets were lost; what was asked so is missing here)", NULL},
		{false, 1200, 0, NULL, "0 lost\n"},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_report_freep) struct ft_report *report = read_well(whole);
		_cleanup_(ft_text_release) struct ft_text text = {0};

		report->source.complete = rows[i].complete;
		report->source.mads = rows[i].mads;
		report->source.timeouts = rows[i].lost;
		report->source.duration_ms = 7000;
		ft_report_write_text(&text, report, true, false);
		if (rows[i].said)
			assert_non_null(strstr(ft_text_string(&text), rows[i].said));
		else
			assert_null(strstr(ft_text_string(&text), "lost and sent again, which"));
		if (!rows[i].said)
			assert_null(strstr(ft_text_string(&text), "was asked"));
		if (rows[i].below)
			assert_non_null(strstr(ft_text_string(&text), rows[i].below));
	}
}

/* ---- a report that is not fresh says so ---- */

static void test_as_of(void **state)
{
	_cleanup_(ft_report_freep) struct ft_report *report = read_well(whole);
	_cleanup_(ft_text_release) struct ft_text text = {0}, nagios = {0}, json = {0};
	(void)state;

	report->as_of = ft_arena_string(&report->memory, "as of then, 7 s ago");
	report->state = ft_arena_string(&report->memory, "polling");
	ft_report_write_text(&text, report, false, false);
	assert_non_null(strstr(ft_text_string(&text),
			       "; (3 of 4294967295 packets were lost; what was asked so is missing "
			       "here) 1 finding (as of then, 7 s ago)\nwarning "));
	assert_null(strstr(ft_text_string(&text), "polling"));
	ft_text_reset(&text);
	ft_report_write_text(&text, report, true, false);
	assert_non_null(strstr(ft_text_string(&text), "7 s ago)\n    ftcheckd: polling\nwarning "));
	ft_report_write_nagios(&nagios, report);
	assert_non_null(
		strstr(ft_text_string(&nagios), "1 cable of 9 is missing (as of then, 7 s ago)|uplinks_up=71;"));
	ft_report_write_json(&json, report);
	assert_string_equal(ft_text_string(&json), whole);
}

/* ---- a finding alone is the same on one line ---- */

static void test_finding_line(void **state)
{
	_cleanup_(ft_report_freep) struct ft_report *report = read_well(whole);
	_cleanup_(ft_text_release) struct ft_text line = {0}, expected = {0};
	(void)state;

	for (const char *s = FINDING; *s; s++) {
		if (*s != '\n') {
			ft_text_add(&expected, s, 1);
			continue;
		}
		ft_text_puts(&expected, " ");
		s += strspn(s, "\n ") - 1;
	}
	ft_finding_write_json(&line, &report->findings[0]);
	assert_string_equal(ft_text_string(&line), ft_text_string(&expected));
}

static void test_time_string(void **state)
{
	char string[FT_TIME_SIZE] = "untouched";
	(void)state;

	assert_int_equal(ft_time_string(INT64_MAX, string), -EOVERFLOW);
	assert_string_equal(string, "untouched");
	assert_int_equal(ft_time_string(1795178096, string), 0);
	assert_string_equal(string, "2026-11-20T12:34:56Z");
}

/* ---- every allocation may fail ---- */

static void allocations_fail(const char *text, int expected)
{
	int r = -ENOMEM;
	size_t n;

	for (n = 1; r == -ENOMEM && n < 100000; n++) {
		struct ft_report *report = NULL;

		allocation_keeps_failing = true;
		allocation_failing = n;
		r = ft_report_read_json(text, strlen(text), &report, NULL);
		allocation_failing = 0;
		allocation_keeps_failing = false;
		assert_int_equal(!report, r < 0);
		ft_report_free(report);
	}
	assert_int_equal(r, expected);
	assert_true(n > 20);
}

static void test_no_memory(void **state)
{
	_cleanup_free_ char *bad = changed("\"alternatives\": [\"none\", ", "\"alternatives\": [\"none\", 1, ");
	(void)state;

	allocations_fail(whole, 0);
	allocations_fail(bad, -EINVAL);
}

/* Lists and strings of a finding are cut, with the number of what is left out, and never within a character. */
static void test_bounds(void **state)
{
	_cleanup_(ft_report_freep) struct ft_report *report = calloc(1, sizeof(*report));
	enum { FINDINGS = 30, ROOM = 20, PLACES = 1500 };
	struct ft_finding *f;

	(void)state;
	assert_non_null(report);
	report->findings = ft_arena_zeros(&report->memory, FINDINGS, sizeof(*report->findings));
	assert_non_null(report->findings);
	for (size_t i = 0; i < FINDINGS; i++) {
		report->findings[i] = (struct ft_finding){.code = FT_CODE_LOOPBACK, .severity = FT_SEVERITY_WARNING};
		report->findings[i].id = ft_arena_print(&report->memory, "loopback:%zu", i);
	}
	report->finding_count = FINDINGS;
	f = &report->findings[0];
	f->where = ft_arena_zeros(&report->memory, PLACES, sizeof(*f->where));
	f->symptoms = ft_arena_zeros(&report->memory, PLACES, sizeof(*f->symptoms));
	f->alternatives = ft_arena_zeros(&report->memory, PLACES, sizeof(*f->alternatives));
	assert_true(f->where && f->symptoms && f->alternatives);
	for (size_t i = 0; i < PLACES; i++) {
		f->where[i] =
			(struct ft_place){.name = ft_arena_string(&report->memory, "a place"), .guid = 1, .port = 2};
		f->symptoms[i] = (struct ft_symptom){
			ft_arena_string(&report->memory, "a symptom"),
			{.name = ft_arena_string(&report->memory, "a place"), .guid = 1, .port = 2}};
		f->alternatives[i] = ft_arena_string(&report->memory, "an alternative");
	}
	f->where_count = f->symptom_count = f->alternative_count = PLACES;
	/* Two bytes each, so that one of the two bounds is within one. */
	f->text = ft_arena_zeros(&report->memory, 1, 10001);
	f->fix = ft_arena_zeros(&report->memory, 1, 10002);
	assert_true(f->text && f->fix);
	for (size_t i = 0; i < 5000; i++)
		memcpy(f->text + 2 * i, "\xc3\xa9", 2);
	f->fix[0] = 'x';
	for (size_t i = 0; i < 5000; i++)
		memcpy(f->fix + 2 * i + 1, "\xc3\xa9", 2);

	assert_int_equal(ft_report_bound(report, ROOM, 7), 0);
	assert_int_equal(report->finding_count, ROOM + 1);
	assert_string_equal(report->findings[ROOM].id, "findings-omitted");
	assert_int_equal(report->findings[ROOM].count, FINDINGS - ROOM + 7);
	f = &report->findings[0];
	/* All of them together have room for 20 a finding. */
	assert_int_equal(f->where_count, 400);
	assert_string_equal(f->where[399].name, "and 1101 more");
	assert_int_equal(f->symptom_count, 4);
	assert_string_equal(f->symptoms[3].text, "and 1497 more");
	assert_int_equal(f->alternative_count, 4);
	assert_string_equal(f->alternatives[3], "and 1497 more");
	assert_in_range(strlen(f->text), FT_STRING_MAX - 4, FT_STRING_MAX);
	assert_in_range(strlen(f->fix), FT_STRING_MAX - 4, FT_STRING_MAX);
	assert_memory_equal(f->text + strlen(f->text) - 5, "\xc3\xa9...", 5);
	assert_memory_equal(f->fix + strlen(f->fix) - 5, "\xc3\xa9...", 5);

	/* Once more, to less: what was left out adds up. */
	assert_int_equal(ft_report_bound(report, ROOM / 2, 0), 0);
	assert_int_equal(report->finding_count, ROOM / 2 + 1);
	assert_int_equal(report->findings[ROOM / 2].count, FINDINGS - ROOM / 2 + 7);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_whole),	     cmocka_unit_test(test_words),
		cmocka_unit_test(test_bisection),    cmocka_unit_test(test_not_a_report),
		cmocka_unit_test(test_made_safe),    cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_lost),	     cmocka_unit_test(test_as_of),
		cmocka_unit_test(test_finding_line), cmocka_unit_test(test_time_string),
		cmocka_unit_test(test_no_memory),    cmocka_unit_test(test_bounds),
	};
	struct CMUnitTest tests[FT_COUNT(values) + FT_COUNT(tolerated) + FT_COUNT(refused) + FT_COUNT(others)];
	size_t n = 0;

	for (size_t i = 0; i < FT_COUNT(values); i++)
		tests[n++] = (struct CMUnitTest){values[i].to, test_value, NULL, NULL, (void *)&values[i]};
	for (size_t i = 0; i < FT_COUNT(tolerated); i++)
		tests[n++] = (struct CMUnitTest){tolerated[i].what, test_tolerated, NULL, NULL, (void *)&tolerated[i]};
	for (size_t i = 0; i < FT_COUNT(refused); i++)
		tests[n++] = (struct CMUnitTest){refused[i].to, test_refused, NULL, NULL, (void *)&refused[i]};
	memcpy(tests + n, others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
