/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The report back from its JSON. What each object holds is a table; the place of what is wrong comes with the error. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/text.h"
#include "probe/sms.h"
#include "verify/report.h"

enum { REPORT_VERSION = 1 };

struct reader {
	const struct ft_json *json;
	struct ft_error *err;
};

/* Where a value stands: the member @key of the object @parent; @key NULL: an element of the list @parent. */
struct place {
	const struct reader *r;
	const json_t *parent;
	const char *key;
};

/*
 * A kind of value. @parse sets what @to points to, and leaves it alone on failure: -ENOMEM, -EINVAL (not what is
 * @expected, which the caller says), or -ENOTSUP with the error filled.
 */
struct kind {
	int (*parse)(const struct place *at, const json_t *value, void *to);
	const char *expected;
};

/* A list of values of one @kind, or of objects with @members. Where its length goes is a size_t. */
struct list {
	const struct kind *kind;
	const struct member *members;
	size_t member_count;
	size_t element_size;
	size_t length_offset;
};

/* A member of an object: of a @kind, an object with @members, or a @list. */
struct member {
	const char *name;
	const struct kind *kind;
	const struct member *members;
	size_t member_count;
	const struct list *list;
	size_t offset; /* in the struct that the object is read into, if it has one */
	bool optional; /* may be left out */
	bool nullable; /* an object that may be null: then the struct stays empty */
};

static int members_read(const struct reader *r, const json_t *object, const struct member *members, size_t count,
			void *to);

/* ---- kinds ---- */

static int count_read(const struct place *at, const json_t *value, void *to)
{
	(void)at;
	if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > UINT32_MAX)
		return -EINVAL;
	*(uint32_t *)to = (uint32_t)json_integer_value(value);
	return 0;
}

static int port_read(const struct place *at, const json_t *value, void *to)
{
	enum { PORT_MAX = UINT16_MAX }; /* a director, as one switch, has more than a chip can have */
	uint32_t port = 0;

	if (!json_is_null(value) && (count_read(at, value, &port) < 0 || port > PORT_MAX))
		return -EINVAL;
	*(uint32_t *)to = port;
	return 0;
}

static int truth_read(const struct place *at, const json_t *value, void *to)
{
	(void)at;
	if (!json_is_boolean(value))
		return -EINVAL;
	*(bool *)to = json_is_true(value);
	return 0;
}

/* It came from a socket: whoever sent it may not have made it safe. */
static int string_read(const struct place *at, const json_t *value, void *to)
{
	char *safe;

	(void)at;
	if (!json_is_string(value))
		return -EINVAL;
	safe = ft_text_safe_dup(json_string_value(value), json_string_length(value));
	if (!safe)
		return -ENOMEM;
	*(char **)to = safe;
	return 0;
}

static int string_or_null_read(const struct place *at, const json_t *value, void *to)
{
	return json_is_null(value) ? 0 : string_read(at, value, to);
}

static int pairs_read(const struct place *at, const json_t *value, void *to)
{
	(void)at;
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return -EINVAL;
	*(uint64_t *)to = (uint64_t)json_integer_value(value);
	return 0;
}

/* "3": the number as it is written, and no other way to write it. */
static bool key_is_count(const char *key, uint32_t *ret_count)
{
	enum { DIGITS_MAX = 9 };
	size_t length = strlen(key);

	if (length == 0 || length > DIGITS_MAX || strspn(key, "0123456789") != length || key[0] == '0')
		return false;
	*ret_count = (uint32_t)strtoul(key, NULL, 10);
	return true;
}

static int hop_pairs_compare(const void *a, const void *b)
{
	const struct ft_hop_pairs *x = a, *y = b;

	return (x->chips > y->chips) - (x->chips < y->chips);
}

static int histogram_read(const struct place *at, const json_t *value, void *to)
{
	size_t size = json_object_size(value);
	_cleanup_free_ struct ft_hop_pairs *pairs = calloc(size + 1, sizeof(*pairs));
	struct ft_histogram *histogram = to;
	const json_t *count;
	const char *key;
	size_t n = 0;

	if (!json_is_object(value))
		return -EINVAL;
	if (!pairs)
		return -ENOMEM;
	json_object_foreach((json_t *)value, key, count) {
		if (!key_is_count(key, &pairs[n].chips) || pairs_read(at, count, &pairs[n].pairs) < 0)
			return -EINVAL;
		n++;
	}
	qsort(pairs, n, sizeof(*pairs), hop_pairs_compare);
	*histogram = (struct ft_histogram){FT_STEAL(pairs), n};
	return 0;
}

static bool is_hex(const char *string, size_t length)
{
	return strlen(string) == length && strspn(string, "0123456789abcdef") == length;
}

static int sha256_read(const struct place *at, const json_t *value, void *to)
{
	enum { DIGITS = 64 };
	const char *string = json_string_value(value);

	(void)at;
	if (!string || !is_hex(string, DIGITS))
		return -EINVAL;
	memcpy(to, string, DIGITS + 1);
	return 0;
}

static int guid_read(const struct place *at, const json_t *value, void *to)
{
	const char *string = json_string_value(value);

	(void)at;
	if (json_is_null(value))
		return 0;
	if (!string || strncmp(string, "0x", 2) != 0 || !is_hex(string + 2, 16))
		return -EINVAL;
	*(uint64_t *)to = strtoull(string + 2, NULL, 16);
	return 0;
}

static int time_read(const struct place *at, const json_t *value, void *to)
{
	const char *string = json_string_value(value);
	char again[FT_TIME_SIZE];
	struct tm tm = {0};
	int64_t time_s;

	(void)at;
	if (!string || !strptime(string, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return -EINVAL;
	time_s = (int64_t)timegm(&tm);
	/* strptime() takes more than RFC 3339 does: blanks, single digits, the thirty-first of February. */
	if (ft_time_string(time_s, again) < 0 || strcmp(again, string) != 0)
		return -EINVAL;
	*(int64_t *)to = time_s;
	return 0;
}

/*
 * An exact decimal: what ft_ratio_add_json() writes may have thirty digits, more than a double holds or
 * ft_ratio_parse() takes.
 */
static int decimal_read(const char *text, size_t length, struct ft_ratio *ret_ratio)
{
	enum { DIGITS_MAX = 36 };
	unsigned __int128 num = 0, den = 1;
	bool point = false;

	if (length > DIGITS_MAX)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		num = num * 10 + (unsigned int)(text[i] - '0');
		den = point ? den * 10 : den;
	}
	/* A power of ten has no other factors. */
	for (unsigned int factor = 2; factor <= 5; factor += 3)
		while (num % factor == 0 && den % factor == 0) {
			num /= factor;
			den /= factor;
		}
	if (num > INT64_MAX || den > INT64_MAX)
		return -EINVAL;
	return ft_ratio_make((int64_t)num, (int64_t)den, ret_ratio) < 0 ? -EINVAL : 0;
}

static int ratio_read(const struct place *at, const json_t *value, void *to)
{
	const char *string = json_string_value(value);
	size_t start, end;

	if (string)
		return ft_ratio_parse(string, to) < 0 ? -EINVAL : 0;
	if (!json_is_number(value) || ft_json_member_span(at->r->json, at->parent, at->key, &start, &end) < 0)
		return -EINVAL;
	return decimal_read(at->r->json->text + start, end - start, to);
}

/* What is written has six decimals, so that a double holds it well enough to round it back. */
static int fraction_read(const struct place *at, const json_t *value, void *to)
{
	enum { MILLION = 1000000 };
	double fraction = json_number_value(value);

	(void)at;
	if (!json_is_number(value) || !(fraction >= 0 && fraction <= 1))
		return -EINVAL;
	return ft_ratio_make((int64_t)(fraction * MILLION + 0.5), MILLION, to) < 0 ? -EINVAL : 0;
}

/* As fraction_read(), with three decimals and no bound but what a route can be long. */
static int milli_read(const struct place *at, const json_t *value, void *to)
{
	enum { THOUSAND = 1000, MEAN_MAX = 65535 };
	double mean = json_number_value(value);

	(void)at;
	if (!json_is_number(value) || !(mean >= 0 && mean <= MEAN_MAX))
		return -EINVAL;
	*(uint32_t *)to = (uint32_t)(mean * THOUSAND + 0.5);
	return 0;
}

/* ---- kinds that are words ---- */

/* The index of @value among the first @count of @names. */
static int word_read(const json_t *value, const char *(*name)(unsigned int index), unsigned int count,
		     unsigned int *ret_index)
{
	const char *string = json_string_value(value);

	for (unsigned int i = 0; string && i < count; i++)
		if (strcmp(name(i), string) == 0) {
			*ret_index = i;
			return 0;
		}
	return -EINVAL;
}

static const char *severity_at(unsigned int index)
{
	return ft_severity_name((enum ft_severity)index);
}

static const char *verdict_at(unsigned int index)
{
	return ft_verdict_name((enum ft_verdict)index);
}

static const char *evidence_at(unsigned int index)
{
	return ft_evidence_name((enum ft_evidence)index);
}

static const char *status_at(unsigned int index)
{
	return ft_status_name((enum ft_status)index);
}

static const char *const tiers[] = {"edge", "spine", "core", "island"};

static const char *tier_at(unsigned int index)
{
	return tiers[index];
}

static const char *code_at(unsigned int index)
{
	return ft_codes[index].name;
}

static const char *after_at(unsigned int index)
{
	return ft_after_name((enum ft_after_kind)index);
}

static const char *act_at(unsigned int index)
{
	return ft_act_name((enum ft_act)index);
}

static const char *source_at(unsigned int index)
{
	static const char *const names[] = {"file", "live"};

	return names[index];
}

static int severity_read(const struct place *at, const json_t *value, void *to)
{
	unsigned int index;

	(void)at;
	if (word_read(value, severity_at, FT_SEVERITY_CRITICAL + 1, &index) < 0)
		return -EINVAL;
	*(enum ft_severity *)to = (enum ft_severity)index;
	return 0;
}

static int verdict_read(const struct place *at, const json_t *value, void *to)
{
	unsigned int index;

	(void)at;
	if (word_read(value, verdict_at, FT_VERDICT_UNKNOWN + 1, &index) < 0)
		return -EINVAL;
	*(enum ft_verdict *)to = (enum ft_verdict)index;
	return 0;
}

static int evidence_read(const struct place *at, const json_t *value, void *to)
{
	unsigned int index;

	(void)at;
	if (word_read(value, evidence_at, FT_EVIDENCE_SEEN + 1, &index) < 0)
		return -EINVAL;
	*(enum ft_evidence *)to = (enum ft_evidence)index;
	return 0;
}

static int status_read(const struct place *at, const json_t *value, void *to)
{
	unsigned int index;

	(void)at;
	if (word_read(value, status_at, FT_STATUS_UNREACHED + 1, &index) < 0)
		return -EINVAL;
	*(enum ft_status *)to = (enum ft_status)index;
	return 0;
}

static int tier_read(const struct place *at, const json_t *value, void *to)
{
	unsigned int index;

	(void)at;
	if (word_read(value, tier_at, FT_COUNT(tiers), &index) < 0)
		return -EINVAL;
	*(const char **)to = tier_at(index);
	return 0;
}

static int sm_state_read(const struct place *at, const json_t *value, void *to)
{
	unsigned int index;

	(void)at;
	if (word_read(value, ft_sm_state_name, FT_SM_SILENT + 1, &index) < 0)
		return -EINVAL;
	*(const char **)to = ft_sm_state_name(index);
	return 0;
}

static int source_kind_read(const struct place *at, const json_t *value, void *to)
{
	unsigned int index;

	(void)at;
	if (word_read(value, source_at, 2, &index) < 0)
		return -EINVAL;
	*(bool *)to = index == 1;
	return 0;
}

/*
 * To leave out a finding that is not understood would make a fabric look better than it is, and to print it without
 * its meaning help nobody: both programs come from one package, so that this lasts as long as its upgrade does.
 */
static int code_read(const struct place *at, const json_t *value, void *to)
{
	unsigned int index;

	if (!json_is_string(value))
		return -EINVAL;
	if (word_read(value, code_at, FT_CODE_COUNT, &index) < 0) {
		ft_json_error_value(at->r->json, at->r->err, at->parent, at->key,
				    "the code \"%s\" is not known to this ftcheck: is ftcheckd newer?",
				    json_string_value(value));
		return -ENOTSUP;
	}
	*(enum ft_code *)to = (enum ft_code)index;
	return 0;
}

/* That a member which may be left out is there. */
static int there_read(const struct place *at, const json_t *value, void *to)
{
	(void)at;
	(void)value;
	*(bool *)to = true;
	return 0;
}

static int act_read(const struct place *at, const json_t *value, void *to)
{
	unsigned int index;

	(void)at;
	if (word_read(value, act_at, FT_ACT_COUNT, &index) < 0)
		return -EINVAL;
	*(enum ft_act *)to = (enum ft_act)index;
	return 0;
}

static int after_kind_read(const struct place *at, const json_t *value, void *to)
{
	unsigned int index;

	(void)at;
	if (word_read(value, after_at, FT_AFTER_KINDS, &index) < 0)
		return -EINVAL;
	*(enum ft_after_kind *)to = (enum ft_after_kind)index;
	return 0;
}

static const struct kind after_kind = {after_kind_read, "\"core\", \"cable\" or \"switch\""};
static const struct kind there = {there_read, "there"};
static const struct kind act = {act_read, "what is to be done, such as \"connect\""};
static const struct kind count = {count_read, "a whole number from 0 to 4294967295"};
static const struct kind pair_count = {pairs_read, "a whole number"};
static const struct kind histogram = {histogram_read, "an object of pairs by numbers of switches"};
static const struct kind port = {port_read, "null or a number from 0 to 65535"};
static const struct kind truth = {truth_read, "true or false"};
static const struct kind string = {string_read, "a string"};
static const struct kind string_or_null = {string_or_null_read, "null or a string"};
static const struct kind sha256 = {sha256_read, "64 hexadecimal digits"};
static const struct kind guid = {guid_read, "null or a GUID such as \"0x0002c90200404730\""};
static const struct kind time_utc = {time_read, "a time such as \"2026-11-20T12:00:00Z\""};
static const struct kind ratio = {ratio_read, "a number, or a ratio such as \"7:3\""};
static const struct kind fraction = {fraction_read, "a number from 0 to 1"};
static const struct kind milli = {milli_read, "a number from 0 to 65535"};
static const struct kind severity = {severity_read, "\"critical\", \"warning\" or \"info\""};
static const struct kind verdict = {verdict_read, "\"ok\", \"warning\", \"critical\" or \"unknown\""};
static const struct kind evidence = {evidence_read, "\"absent\", \"mute\", \"unreached\" or \"seen\""};
static const struct kind status = {status_read, "\"ok\", \"degraded\", \"isolated\", \"missing\", \"unplanned\", "
						"\"mute\" or \"unreached\""};
static const struct kind tier = {tier_read, "\"edge\", \"spine\", \"core\" or \"island\""};
static const struct kind source_kind = {source_kind_read, "\"live\" or \"file\""};
static const struct kind sm_state = {sm_state_read, "\"master\", \"standby\", \"discovering\", \"not active\" or "
						    "\"silent\""};
static const struct kind code = {code_read, "a string"};

/* ---- what the objects hold ---- */

#define OBJECT(table) .members = (table), .member_count = FT_COUNT(table)

static const struct member plan_members[] = {
	{"name", .kind = &string, .offset = offsetof(struct ft_report, plan_name)},
	{"file", .kind = &string, .offset = offsetof(struct ft_report, plan_file)},
	{"sha256", .kind = &sha256, .offset = offsetof(struct ft_report, plan_sha256)},
};

static const struct member place_members[] = {
	{"name", .kind = &string, .offset = offsetof(struct ft_place, name)},
	{"guid", .kind = &guid, .offset = offsetof(struct ft_place, guid)},
	{"port", .kind = &port, .offset = offsetof(struct ft_place, port)},
};

static const struct list unreached_list = {
	.kind = &string,
	.element_size = sizeof(char *),
	.length_offset = offsetof(struct ft_report, source.unreached_count),
};

static const struct member source_members[] = {
	{"kind", .kind = &source_kind, .offset = offsetof(struct ft_report, source.live)},
	{"detail", .kind = &string, .offset = offsetof(struct ft_report, source.detail)},
	{"entry", OBJECT(place_members), .offset = offsetof(struct ft_report, source.entry), .nullable = true},
	{"mads", .kind = &count, .offset = offsetof(struct ft_report, source.mads)},
	{"timeouts", .kind = &count, .offset = offsetof(struct ft_report, source.timeouts)},
	{"duration_ms", .kind = &count, .offset = offsetof(struct ft_report, source.duration_ms)},
	{"complete", .kind = &truth, .offset = offsetof(struct ft_report, source.complete)},
	{"unreached", .list = &unreached_list, .offset = offsetof(struct ft_report, source.unreached)},
};

static const struct member edge_members[] = {
	{"planned", .kind = &count, .offset = offsetof(struct ft_report, edge.planned)},
	{"found", .kind = &count, .offset = offsetof(struct ft_report, edge.found)},
	{"ok", .kind = &count, .offset = offsetof(struct ft_report, edge.ok)},
	{"degraded", .kind = &count, .offset = offsetof(struct ft_report, edge.degraded)},
	{"isolated", .kind = &count, .offset = offsetof(struct ft_report, edge.isolated)},
};

static const struct member tier_members[] = {
	{"planned", .kind = &count, .offset = offsetof(struct ft_report_tier, planned)},
	{"found", .kind = &count, .offset = offsetof(struct ft_report_tier, found)},
	{"ok", .kind = &count, .offset = offsetof(struct ft_report_tier, ok)},
	{"degraded", .kind = &count, .offset = offsetof(struct ft_report_tier, degraded)},
	{"missing", .kind = &count, .offset = offsetof(struct ft_report_tier, missing)},
};

static const struct member uplinks_members[] = {
	{"planned", .kind = &count, .offset = offsetof(struct ft_report, uplinks.planned)},
	{"up", .kind = &count, .offset = offsetof(struct ft_report, uplinks.up)},
	{"missing", .kind = &count, .offset = offsetof(struct ft_report, uplinks.missing)},
	{"misplaced", .kind = &count, .offset = offsetof(struct ft_report, uplinks.misplaced)},
	{"unplanned", .kind = &count, .offset = offsetof(struct ft_report, uplinks.unplanned)},
	{"slow", .kind = &count, .offset = offsetof(struct ft_report, uplinks.slow)},
};

static const struct member hosts_members[] = {
	{"planned", .kind = &count, .offset = offsetof(struct ft_report, hosts.planned)},
	{"found", .kind = &count, .offset = offsetof(struct ft_report, hosts.found)},
};

static const struct member counts_members[] = {
	{"edge", OBJECT(edge_members)},
	{"spine", OBJECT(tier_members), .offset = offsetof(struct ft_report, spine), .optional = true},
	{"core", OBJECT(tier_members), .offset = offsetof(struct ft_report, core)},
	{"islands", OBJECT(tier_members), .offset = offsetof(struct ft_report, islands), .optional = true},
	{"uplinks", OBJECT(uplinks_members)},
	{"hosts", OBJECT(hosts_members)},
};

static const struct member kind_members[] = {
	{"name", .kind = &string, .offset = offsetof(struct ft_report_kind, name)},
	{"planned", .kind = &count, .offset = offsetof(struct ft_report_kind, planned)},
	{"found", .kind = &count, .offset = offsetof(struct ft_report_kind, found)},
	{"ok", .kind = &count, .offset = offsetof(struct ft_report_kind, ok)},
	{"degraded", .kind = &count, .offset = offsetof(struct ft_report_kind, degraded)},
	{"isolated", .kind = &count, .offset = offsetof(struct ft_report_kind, isolated)},
	{"missing", .kind = &count, .offset = offsetof(struct ft_report_kind, missing)},
};

static const struct list kinds_list = {
	OBJECT(kind_members),
	.element_size = sizeof(struct ft_report_kind),
	.length_offset = offsetof(struct ft_report, kind_count),
};

static const struct member clos_members[] = {
	{"planned", .kind = &count, .offset = offsetof(struct ft_report, clos_planned)},
	{"found", .kind = &count, .offset = offsetof(struct ft_report, clos_found)},
};

static const struct member hops_members[] = {
	{"planned", .kind = &histogram, .offset = offsetof(struct ft_report, hops_planned)},
	{"found", .kind = &histogram, .offset = offsetof(struct ft_report, hops_found)},
	{"unreachable", .kind = &pair_count, .offset = offsetof(struct ft_report, hops_unreachable)},
};

static const struct member blocking_members[] = {
	{"planned", .kind = &ratio, .offset = offsetof(struct ft_report, blocking_planned)},
	{"worst", .kind = &ratio, .offset = offsetof(struct ft_report, blocking_worst)},
};

static const struct member routes_members[] = {
	{"switches", .kind = &count, .offset = offsetof(struct ft_report, routes.switches)},
	{"tables", .kind = &count, .offset = offsetof(struct ft_report, routes.tables)},
	{"pairs", .kind = &count, .offset = offsetof(struct ft_report, routes.pairs)},
	{"reached", .kind = &count, .offset = offsetof(struct ft_report, routes.reached)},
	{"unreachable", .kind = &count, .offset = offsetof(struct ft_report, routes.unreachable)},
	{"looping", .kind = &count, .offset = offsetof(struct ft_report, routes.looping)},
	{"unknown", .kind = &count, .offset = offsetof(struct ft_report, routes.unknown)},
	{"longest", .kind = &count, .offset = offsetof(struct ft_report, routes.longest)},
	{"mean", .kind = &milli, .offset = offsetof(struct ft_report, routes.mean_milli)},
	{"mads", .kind = &count, .offset = offsetof(struct ft_report, routes.mads)},
};

static const struct member switch_uplinks_members[] = {
	{"planned", .kind = &count, .offset = offsetof(struct ft_report_switch, uplinks_planned)},
	{"up", .kind = &count, .offset = offsetof(struct ft_report_switch, uplinks_up)},
};

static const struct member switch_members[] = {
	{"name", .kind = &string, .offset = offsetof(struct ft_report_switch, name)},
	{"guid", .kind = &guid, .offset = offsetof(struct ft_report_switch, guid)},
	{"tier", .kind = &tier, .offset = offsetof(struct ft_report_switch, tier)},
	{"kind", .kind = &string_or_null, .offset = offsetof(struct ft_report_switch, kind), .optional = true},
	{"planned_as", .kind = &string_or_null, .offset = offsetof(struct ft_report_switch, planned_as)},
	{"status", .kind = &status, .offset = offsetof(struct ft_report_switch, status)},
	{"uplinks", OBJECT(switch_uplinks_members)},
	{"hosts", .kind = &count, .offset = offsetof(struct ft_report_switch, hosts)},
	{"hosts_names", .kind = &string, .offset = offsetof(struct ft_report_switch, hosts_names)},
};

static const struct list switches_list = {
	OBJECT(switch_members),
	.element_size = sizeof(struct ft_report_switch),
	.length_offset = offsetof(struct ft_report, switch_count),
};

static const struct member sm_members[] = {
	{"where", OBJECT(place_members), .offset = offsetof(struct ft_report_sm, place)},
	{"port_guid", .kind = &guid, .offset = offsetof(struct ft_report_sm, port_guid)},
	{"state", .kind = &sm_state, .offset = offsetof(struct ft_report_sm, state)},
	{"priority", .kind = &count, .offset = offsetof(struct ft_report_sm, priority)},
	{"activity", .kind = &count, .offset = offsetof(struct ft_report_sm, activity)},
};

static const struct list sms_list = {
	OBJECT(sm_members),
	.element_size = sizeof(struct ft_report_sm),
	.length_offset = offsetof(struct ft_report, sm_count),
};

static const struct member counters_members[] = {
	{"interval_ms", .kind = &count, .offset = offsetof(struct ft_report_counters, interval_ms)},
	{"ports", .kind = &count, .offset = offsetof(struct ft_report_counters, ports)},
	{"read", .kind = &count, .offset = offsetof(struct ft_report_counters, read)},
	{"no_lid", .kind = &count, .offset = offsetof(struct ft_report_counters, no_lid)},
	{"silent", .kind = &count, .offset = offsetof(struct ft_report_counters, silent)},
	{"refused", .kind = &count, .offset = offsetof(struct ft_report_counters, refused)},
	{"stuck", .kind = &count, .offset = offsetof(struct ft_report_counters, stuck)},
	{"discarding", .kind = &count, .offset = offsetof(struct ft_report_counters, discarding)},
};

static const struct list where_list = {
	OBJECT(place_members),
	.element_size = sizeof(struct ft_place),
	.length_offset = offsetof(struct ft_finding, where_count),
};

static const struct member impact_members[] = {
	{"links_lost", .kind = &count, .offset = offsetof(struct ft_finding, impact.links_lost)},
	{"hosts_cut_off", .kind = &count, .offset = offsetof(struct ft_finding, impact.hosts_cut_off)},
	{"hosts_at_risk", .kind = &count, .offset = offsetof(struct ft_finding, impact.hosts_at_risk),
	 .optional = true},
	{"bisection_lost", .kind = &fraction, .offset = offsetof(struct ft_finding, impact.bisection_lost),
	 .optional = true},
	{"edges", .kind = &count, .offset = offsetof(struct ft_finding, impact.edges), .optional = true},
	{"worst_edge", .kind = &string, .offset = offsetof(struct ft_finding, worst_edge), .optional = true},
	{"edge_loss", .kind = &fraction, .offset = offsetof(struct ft_finding, impact.edge_loss), .optional = true},
	{"blocking", .kind = &ratio, .offset = offsetof(struct ft_finding, impact.blocking), .optional = true},
	{"ftree_refuses", .kind = &truth, .offset = offsetof(struct ft_finding, impact.ftree_refuses),
	 .optional = true},
};

static const struct member symptom_members[] = {
	{"text", .kind = &string, .offset = offsetof(struct ft_symptom, text)},
	{"where", OBJECT(place_members), .offset = offsetof(struct ft_symptom, place), .optional = true,
	 .nullable = true},
};

static const struct list symptoms_list = {
	OBJECT(symptom_members),
	.element_size = sizeof(struct ft_symptom),
	.length_offset = offsetof(struct ft_finding, symptom_count),
};

static const struct list alternatives_list = {
	.kind = &string,
	.element_size = sizeof(char *),
	.length_offset = offsetof(struct ft_finding, alternative_count),
};

static const struct member returning_members[] = {
	{"up", .kind = &count, .offset = offsetof(struct ft_finding, returning.up)},
	{"of", .kind = &count, .offset = offsetof(struct ft_finding, returning.of)},
};

static const struct member finding_members[] = {
	{"id", .kind = &string, .offset = offsetof(struct ft_finding, id)},
	{"code", .kind = &code, .offset = offsetof(struct ft_finding, code)},
	{"severity", .kind = &severity, .offset = offsetof(struct ft_finding, severity)},
	{"evidence", .kind = &evidence, .offset = offsetof(struct ft_finding, evidence)},
	{"where", .list = &where_list, .offset = offsetof(struct ft_finding, where)},
	{"expected", .kind = &string, .offset = offsetof(struct ft_finding, expected)},
	{"observed", .kind = &string, .offset = offsetof(struct ft_finding, observed)},
	{"count", .kind = &count, .offset = offsetof(struct ft_finding, count)},
	{"text", .kind = &string, .offset = offsetof(struct ft_finding, text)},
	{"fix", .kind = &string, .offset = offsetof(struct ft_finding, fix)},
	{"impact", OBJECT(impact_members)},
	{"symptoms", .list = &symptoms_list, .offset = offsetof(struct ft_finding, symptoms)},
	{"alternatives", .list = &alternatives_list, .offset = offsetof(struct ft_finding, alternatives)},
	{"subject", OBJECT(place_members), .offset = offsetof(struct ft_finding, subject), .optional = true},
	{"returning", OBJECT(returning_members), .optional = true},
	{"waived", .kind = &string, .offset = offsetof(struct ft_finding, waived), .optional = true},
};

static const struct list findings_list = {
	OBJECT(finding_members),
	.element_size = sizeof(struct ft_finding),
	.length_offset = offsetof(struct ft_report, finding_count),
};

static const struct list mends_list = {
	.kind = &string,
	.element_size = sizeof(char *),
	.length_offset = offsetof(struct ft_repair_step, mend_count),
};

static const struct member then_members[] = {
	{"verdict", .kind = &verdict, .offset = offsetof(struct ft_repair_step, verdict)},
	{"findings", .kind = &count, .offset = offsetof(struct ft_repair_step, findings)},
	{"uplinks_up", .kind = &count, .offset = offsetof(struct ft_repair_step, uplinks_up)},
	{"hosts_found", .kind = &count, .offset = offsetof(struct ft_repair_step, hosts_found)},
};

static const struct member step_members[] = {
	{"do", .kind = &act, .offset = offsetof(struct ft_repair_step, act)},
	{"place", .kind = &string, .offset = offsetof(struct ft_repair_step, place)},
	{"rack", .kind = &string, .offset = offsetof(struct ft_repair_step, rack), .optional = true},
	{"a", OBJECT(place_members), .offset = offsetof(struct ft_repair_step, a)},
	{"b", OBJECT(place_members), .offset = offsetof(struct ft_repair_step, b), .optional = true},
	{"text", .kind = &string, .offset = offsetof(struct ft_repair_step, text)},
	{"mends", .list = &mends_list, .offset = offsetof(struct ft_repair_step, mends)},
	{"then", OBJECT(then_members), .optional = true},
	{"then", .kind = &there, .offset = offsetof(struct ft_repair_step, predicted), .optional = true},
};

static const struct list steps_list = {
	OBJECT(step_members),
	.element_size = sizeof(struct ft_repair_step),
	.length_offset = offsetof(struct ft_report, repair_count),
};

static const struct member left_members[] = {
	{"id", .kind = &string, .offset = offsetof(struct ft_repair_left, id)},
	{"text", .kind = &string, .offset = offsetof(struct ft_repair_left, text)},
};

static const struct list left_list = {
	OBJECT(left_members),
	.element_size = sizeof(struct ft_repair_left),
	.length_offset = offsetof(struct ft_report, left_count),
};

#define AFTER_STATE(state)                                                                                      \
	{                                                                                                       \
		{"edges_isolated", .kind = &ratio, .offset = offsetof(struct ft_after, state.edges)},           \
			{"hosts_cut_off", .kind = &ratio, .offset = offsetof(struct ft_after, state.hosts)},    \
			{"bisection", .kind = &fraction, .offset = offsetof(struct ft_after, state.bisection)}, \
			{"blocking", .kind = &ratio, .offset = offsetof(struct ft_after, state.blocking)},      \
	}

static const struct member after_worst_members[] = AFTER_STATE(worst);
static const struct member after_mean_members[] = AFTER_STATE(mean);

static const struct member after_members[] = {
	{"kind", .kind = &after_kind, .offset = offsetof(struct ft_after, kind)},
	{"fail", .kind = &count, .offset = offsetof(struct ft_after, count)},
	{"of", .kind = &count, .offset = offsetof(struct ft_after, of)},
	{"ways", .kind = &string, .offset = offsetof(struct ft_after, ways)},
	{"looked_at", .kind = &count, .offset = offsetof(struct ft_after, looked)},
	{"seed", .kind = &count, .offset = offsetof(struct ft_after, seed), .optional = true},
	{"seed", .kind = &there, .offset = offsetof(struct ft_after, drawn), .optional = true},
	{"exact", .kind = &truth, .offset = offsetof(struct ft_after, exact)},
	{"worst", OBJECT(after_worst_members)},
	{"mean", OBJECT(after_mean_members)},
	{"example", .kind = &string, .offset = offsetof(struct ft_after, example)},
};

static const struct list after_list = {
	OBJECT(after_members),
	.element_size = sizeof(struct ft_after),
	.length_offset = offsetof(struct ft_report, after_count),
};

static const struct member ftree_members[] = {
	{"refuses", .kind = &truth, .offset = offsetof(struct ft_report, ftree_refuses)},
	{"why", .kind = &string, .offset = offsetof(struct ft_report, ftree_why), .optional = true},
};

static const struct member report_members[] = {
	{"plan", OBJECT(plan_members)},
	{"source", OBJECT(source_members)},
	{"time", .kind = &time_utc, .offset = offsetof(struct ft_report, time_s)},
	{"verdict", .kind = &verdict, .offset = offsetof(struct ft_report, verdict)},
	{"counts", OBJECT(counts_members)},
	{"kinds", .list = &kinds_list, .offset = offsetof(struct ft_report, kinds), .optional = true},
	{"clos", OBJECT(clos_members)},
	{"hops", OBJECT(hops_members), .optional = true},
	{"blocking", OBJECT(blocking_members)},
	{"bisection", .kind = &fraction, .offset = offsetof(struct ft_report, bisection)},
	{"routes", OBJECT(routes_members), .optional = true},
	{"ftree", OBJECT(ftree_members), .optional = true},
	{"ftree", .kind = &there, .offset = offsetof(struct ft_report, ftree_known), .optional = true},
	{"switches", .list = &switches_list, .offset = offsetof(struct ft_report, switches)},
	{"sms", .list = &sms_list, .offset = offsetof(struct ft_report, sms), .optional = true},
	{"counters", OBJECT(counters_members), .offset = offsetof(struct ft_report, counters), .optional = true},
	{"findings", .list = &findings_list, .offset = offsetof(struct ft_report, findings)},
	{"repair", .list = &steps_list, .offset = offsetof(struct ft_report, repair), .optional = true},
	{"repair", .kind = &there, .offset = offsetof(struct ft_report, repair_asked), .optional = true},
	{"after", .list = &after_list, .offset = offsetof(struct ft_report, after), .optional = true},
	{"left", .list = &left_list, .offset = offsetof(struct ft_report, left), .optional = true},
};

/* ---- reading by these tables ---- */

static int element_read(const struct reader *r, const json_t *array, size_t i, const struct list *list, void *to)
{
	const json_t *value = json_array_get(array, i);
	int e;

	if (!list->kind) {
		if (!json_is_object(value))
			return ft_json_error_element(r->json, r->err, array, i, "this element is to be an object");
		return members_read(r, value, list->members, list->member_count, to);
	}
	e = list->kind->parse(&(struct place){r, array, NULL}, value, to);
	if (e == -EINVAL)
		return ft_json_error_element(r->json, r->err, array, i, "this element is to be %s",
					     list->kind->expected);
	return e;
}

/* The elements count as they are begun, so that whoever frees the report finds what they own already. */
static int list_read(const struct reader *r, const json_t *array, const struct list *list, void **ret_elements,
		     size_t *ret_length)
{
	size_t length = json_array_size(array);
	char *elements = calloc(length ? length : 1, list->element_size);
	int e = 0;

	if (!elements)
		return -ENOMEM;
	*ret_elements = elements;
	for (size_t i = 0; i < length && e == 0; i++) {
		*ret_length = i + 1;
		e = element_read(r, array, i, list, elements + i * list->element_size);
	}
	return e;
}

static int member_read(const struct reader *r, const json_t *object, const struct member *m, const json_t *value,
		       char *to)
{
	int e;

	if (m->list) {
		if (!json_is_array(value))
			return ft_json_error_value(r->json, r->err, object, m->name, "\"%s\" is to be a list", m->name);
		return list_read(r, value, m->list, (void **)(void *)(to + m->offset),
				 (size_t *)(void *)(to + m->list->length_offset));
	}
	if (!m->kind) {
		if (m->nullable && json_is_null(value))
			return 0;
		if (!json_is_object(value))
			return ft_json_error_value(r->json, r->err, object, m->name, "\"%s\" is to be an object",
						   m->name);
		return members_read(r, value, m->members, m->member_count, to + m->offset);
	}
	e = m->kind->parse(&(struct place){r, object, m->name}, value, to + m->offset);
	if (e == -EINVAL)
		return ft_json_error_value(r->json, r->err, object, m->name, "\"%s\" is to be %s", m->name,
					   m->kind->expected);
	return e;
}

static int members_read(const struct reader *r, const json_t *object, const struct member *members, size_t member_count,
			void *to)
{
	for (size_t i = 0; i < member_count; i++) {
		const json_t *value = json_object_get(object, members[i].name);
		int e;

		if (!value && members[i].optional)
			continue;
		if (!value)
			return ft_json_error_key(r->json, r->err, object, NULL, "\"%s\" is missing", members[i].name);
		e = member_read(r, object, &members[i], value, to);
		if (e < 0)
			return e;
	}
	return 0;
}

/* The version first: of a newer report the rest may look like anything. */
static int version_check(const struct reader *r)
{
	const json_t *root = r->json->root, *version = json_object_get(root, "ftcheck_report");

	if (!version)
		return ft_error_set(r->err, -ENOMSG, 1, 1, "this JSON is no report of ftcheck");
	if (!json_is_integer(version) || json_integer_value(version) < REPORT_VERSION)
		return ft_json_error_value(r->json, r->err, root, "ftcheck_report",
					   "\"ftcheck_report\" is to be a version number");
	if (json_integer_value(version) == REPORT_VERSION)
		return 0;
	ft_json_error_value(r->json, r->err, root, "ftcheck_report",
			    "version %lld of the report is newer than this ftcheck understands",
			    (long long)json_integer_value(version));
	return -ENOTSUP;
}

int ft_report_read_json(const char *text, size_t length, struct ft_report **ret_report, struct ft_error *err)
{
	_cleanup_(ft_report_freep) struct ft_report *report = calloc(1, sizeof(*report));
	_cleanup_(ft_json_release) struct ft_json json = {0};
	const struct reader r = {.json = &json, .err = err};
	int e;

	if (!report)
		return -ENOMEM;
	e = ft_json_read(text, length, &json, err);
	if (e < 0)
		return e;
	e = version_check(&r);
	if (e < 0)
		return e;
	e = members_read(&r, json.root, report_members, FT_COUNT(report_members), report);
	if (e < 0)
		return e;
	*ret_report = FT_STEAL(report);
	return 0;
}
