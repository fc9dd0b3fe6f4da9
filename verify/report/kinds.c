/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The kinds of values in the JSON of a report: how each is read, and how it is written. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "probe/sms.h"
#include "verify/report/members.h"

/* Few kinds need all of them. */
#define READ_ARGUMENTS                                                                                             \
	FT_UNUSED const struct ft_value_kind *kind, FT_UNUSED const struct ft_json_place *at, const json_t *value, \
		void *to
#define WRITE_ARGUMENTS FT_UNUSED const struct ft_value_kind *kind, struct ft_text *t, const void *from

/* ---- numbers ---- */

static int count_read(READ_ARGUMENTS)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > UINT32_MAX)
		return -EINVAL;
	*(uint32_t *)to = (uint32_t)json_integer_value(value);
	return 0;
}

static void count_write(WRITE_ARGUMENTS)
{
	ft_text_printf(t, "%u", *(const uint32_t *)from);
}

static bool count_is_set(const void *from)
{
	return *(const uint32_t *)from != 0;
}

const struct ft_value_kind ft_value_count = {
	count_read, count_write, count_is_set, "a whole number from 0 to 4294967295", NULL, 0};

static int port_read(READ_ARGUMENTS)
{
	enum { PORT_MAX = UINT16_MAX }; /* a director counts as one switch, with more ports than a chip can have */
	uint32_t port = 0;

	if (!json_is_null(value) && (count_read(kind, at, value, &port) < 0 || port > PORT_MAX))
		return -EINVAL;
	*(uint32_t *)to = port;
	return 0;
}

static void port_write(WRITE_ARGUMENTS)
{
	if (count_is_set(from))
		count_write(kind, t, from);
	else
		ft_text_puts(t, "null");
}

const struct ft_value_kind ft_value_port = {port_read, port_write, NULL, "null or a number from 0 to 65535", NULL, 0};

static int pairs_read(READ_ARGUMENTS)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return -EINVAL;
	*(uint64_t *)to = (uint64_t)json_integer_value(value);
	return 0;
}

static void pairs_write(WRITE_ARGUMENTS)
{
	ft_text_printf(t, "%" PRIu64, *(const uint64_t *)from);
}

const struct ft_value_kind ft_value_pair_count = {pairs_read, pairs_write, NULL, "a whole number", NULL, 0};

static int truth_read(READ_ARGUMENTS)
{
	if (!json_is_boolean(value))
		return -EINVAL;
	*(bool *)to = json_is_true(value);
	return 0;
}

static void truth_write(WRITE_ARGUMENTS)
{
	ft_text_puts(t, *(const bool *)from ? "true" : "false");
}

static bool truth_is_set(const void *from)
{
	return *(const bool *)from;
}

const struct ft_value_kind ft_value_truth = {truth_read, truth_write, truth_is_set, "true or false", NULL, 0};

/* "3": the number as it is written; other spellings are refused. */
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

	return FT_ORDER(x->chips, y->chips);
}

static int histogram_read(READ_ARGUMENTS)
{
	size_t size = json_object_size(value);
	struct ft_hop_pairs *pairs = ft_arena_zeros(at->memory, size, sizeof(*pairs));
	struct ft_histogram *histogram = to;
	const json_t *count;
	const char *key;
	size_t n = 0;

	if (!json_is_object(value))
		return -EINVAL;
	if (!pairs)
		return -ENOMEM;
	json_object_foreach((json_t *)value, key, count) {
		if (!key_is_count(key, &pairs[n].chips) || pairs_read(kind, at, count, &pairs[n].pairs) < 0)
			return -EINVAL;
		n++;
	}
	qsort(pairs, n, sizeof(*pairs), hop_pairs_compare);
	*histogram = (struct ft_histogram){pairs, n};
	return 0;
}

static void histogram_write(WRITE_ARGUMENTS)
{
	const struct ft_histogram *histogram = from;

	ft_text_puts(t, "{");
	for (size_t i = 0; i < histogram->count; i++)
		ft_text_printf(t, "%s\"%u\": %" PRIu64, i ? ", " : "", histogram->pairs[i].chips,
			       histogram->pairs[i].pairs);
	ft_text_puts(t, "}");
}

const struct ft_value_kind ft_value_histogram = {
	histogram_read, histogram_write, NULL, "an object of pairs by numbers of switches", NULL, 0};

static int ratio_read(READ_ARGUMENTS)
{
	const char *string = json_string_value(value);
	size_t start, end;

	if (string)
		return ft_ratio_parse(string, to) < 0 ? -EINVAL : 0;
	if (!json_is_number(value) || ft_json_member_span(at->json, at->parent, at->key, &start, &end) < 0)
		return -EINVAL;
	return ft_ratio_read_json(at->json->text + start, end - start, to);
}

static void ratio_write(WRITE_ARGUMENTS)
{
	ft_ratio_add_json(t, *(const struct ft_ratio *)from);
}

static bool ratio_is_set(const void *from)
{
	return ((const struct ft_ratio *)from)->den > 0;
}

const struct ft_value_kind ft_value_ratio = {
	ratio_read, ratio_write, ratio_is_set, "a number, or a ratio such as \"7:3\"", NULL, 0};

enum { MILLION = 1000000, THOUSAND = 1000 };

/* Six decimals are written, so rounding a double restores them. */
static int fraction_read(READ_ARGUMENTS)
{
	double fraction = json_number_value(value);

	if (!json_is_number(value) || !(fraction >= 0 && fraction <= 1))
		return -EINVAL;
	return ft_ratio_make((int64_t)(fraction * MILLION + 0.5), MILLION, to) < 0 ? -EINVAL : 0;
}

/* Not a count that must be exact: any number is accepted. */
static void fraction_write(WRITE_ARGUMENTS)
{
	const struct ft_ratio *ratio = from;
	int64_t millionths = ratio->den > 0 ? ratio->num * MILLION / ratio->den : 0;

	ft_text_printf(t, "%" PRId64 ".%06" PRId64, millionths / MILLION, millionths % MILLION);
}

static bool fraction_is_set(const void *from)
{
	return ((const struct ft_ratio *)from)->num > 0;
}

const struct ft_value_kind ft_value_fraction = {fraction_read,		fraction_write, fraction_is_set,
						"a number from 0 to 1", NULL,		0};

/* As a fraction with three decimals, bounded by the length of routes. */
static int milli_read(READ_ARGUMENTS)
{
	enum { MEAN_MAX = 65535 };
	double mean = json_number_value(value);

	if (!json_is_number(value) || !(mean >= 0 && mean <= MEAN_MAX))
		return -EINVAL;
	*(uint32_t *)to = (uint32_t)(mean * THOUSAND + 0.5);
	return 0;
}

static void milli_write(WRITE_ARGUMENTS)
{
	uint32_t milli = *(const uint32_t *)from;

	ft_text_printf(t, "%u.%03u", milli / THOUSAND, milli % THOUSAND);
}

const struct ft_value_kind ft_value_milli = {milli_read, milli_write, NULL, "a number from 0 to 65535", NULL, 0};

/* ---- strings ---- */

/* The text came from a socket, and may not have been made safe. */
static int string_read(READ_ARGUMENTS)
{
	char *safe;

	if (!json_is_string(value))
		return -EINVAL;
	safe = ft_arena_safe(at->memory, json_string_value(value), json_string_length(value));
	*(char **)to = safe;
	return safe ? 0 : -ENOMEM;
}

/* NULL: null. */
static void string_write(WRITE_ARGUMENTS)
{
	const char *string = *(char *const *)from;

	if (string)
		ft_text_add_json(t, string);
	else
		ft_text_puts(t, "null");
}

static bool string_is_set(const void *from)
{
	return *(char *const *)from != NULL;
}

const struct ft_value_kind ft_value_string = {string_read, string_write, string_is_set, "a string", NULL, 0};

static int string_or_null_read(READ_ARGUMENTS)
{
	return json_is_null(value) ? 0 : string_read(kind, at, value, to);
}

const struct ft_value_kind ft_value_string_or_null = {string_or_null_read, string_write, string_is_set,
						      "null or a string",  NULL,	 0};

static bool is_hex(const char *string, size_t length)
{
	return strlen(string) == length && strspn(string, "0123456789abcdef") == length;
}

/* A string within the struct; "": it is not set. */
static void array_write(WRITE_ARGUMENTS)
{
	ft_text_add_json(t, from);
}

static bool array_is_set(const void *from)
{
	return *(const char *)from != '\0';
}

static int sha256_read(READ_ARGUMENTS)
{
	enum { DIGITS = 64 };
	const char *string = json_string_value(value);

	if (!string || !is_hex(string, DIGITS))
		return -EINVAL;
	memcpy(to, string, DIGITS + 1);
	return 0;
}

const struct ft_value_kind ft_value_sha256 = {sha256_read, array_write, array_is_set, "64 hexadecimal digits", NULL, 0};

static int interface_read(READ_ARGUMENTS)
{
	struct ft_place place = {0};

	if (!ft_place_interface_set(&place, json_string_value(value)))
		return -EINVAL;
	memcpy(to, place.interface, sizeof(place.interface));
	return 0;
}

const struct ft_value_kind ft_value_interface = {
	interface_read, array_write, array_is_set, "the name of an interface", NULL, 0};

static int guid_read(READ_ARGUMENTS)
{
	const char *string = json_string_value(value);

	if (json_is_null(value))
		return 0;
	if (!string || strncmp(string, "0x", 2) != 0 || !is_hex(string + 2, 16))
		return -EINVAL;
	*(uint64_t *)to = strtoull(string + 2, NULL, 16);
	return 0;
}

static void guid_write(WRITE_ARGUMENTS)
{
	uint64_t guid = *(const uint64_t *)from;

	if (guid)
		ft_text_printf(t, "\"0x%016" PRIx64 "\"", guid);
	else
		ft_text_puts(t, "null");
}

const struct ft_value_kind ft_value_guid = {
	guid_read, guid_write, NULL, "null or a GUID such as \"0x0002c90200404730\"", NULL, 0};

static int time_read(READ_ARGUMENTS)
{
	const char *string = json_string_value(value);
	char again[FT_TIME_SIZE];
	struct tm tm = {0};
	int64_t time_s;

	if (!string || !strptime(string, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return -EINVAL;
	time_s = (int64_t)timegm(&tm);
	/* strptime() accepts more than RFC 3339: blanks, single digits, the thirty-first of February. */
	if (ft_time_string(time_s, again) < 0 || strcmp(again, string) != 0)
		return -EINVAL;
	*(int64_t *)to = time_s;
	return 0;
}

static void time_write(WRITE_ARGUMENTS)
{
	char buffer[FT_TIME_SIZE];

	if (ft_time_string(*(const int64_t *)from, buffer) == 0)
		ft_text_printf(t, "\"%s\"", buffer);
	else
		ft_text_puts(t, "null");
}

const struct ft_value_kind ft_value_time = {time_read, time_write, NULL, "a time such as \"2026-11-20T12:00:00Z\"",
					    NULL,      0};

/* ---- words: of enumerations, by number ---- */

static int word_find(const struct ft_value_kind *kind, const json_t *value, unsigned int *ret_index)
{
	const char *string = json_string_value(value);

	for (unsigned int i = 0; string && i < kind->words; i++)
		if (strcmp(kind->word(i), string) == 0) {
			*ret_index = i;
			return 0;
		}
	return -EINVAL;
}

/* An enumeration without negative values is an unsigned int. */
_Static_assert(sizeof(enum ft_code) == sizeof(unsigned int), "words are read so");
static int word_read(READ_ARGUMENTS)
{
	return word_find(kind, value, to);
}

static void word_write(WRITE_ARGUMENTS)
{
	ft_text_add_json(t, kind->word(*(const unsigned int *)from));
}

static const char *code_at(unsigned int code)
{
	return ft_codes[code].name;
}

#define WORDS(of, count, expected) \
	const struct ft_value_kind ft_value_##of = {word_read, word_write, NULL, expected, ft_##of##_name, count}

WORDS(severity, FT_SEVERITY_CRITICAL + 1, "\"critical\", \"warning\" or \"info\"");
WORDS(verdict, FT_VERDICT_UNKNOWN + 1, "\"ok\", \"warning\", \"critical\" or \"unknown\"");
WORDS(evidence, FT_EVIDENCE_SEEN + 1, "\"absent\", \"mute\", \"unreached\" or \"seen\"");
WORDS(status, FT_STATUS_COUNT,
      "\"ok\", \"degraded\", \"isolated\", \"missing\", \"unplanned\", \"mute\" or \"unreached\"");
WORDS(act, FT_ACT_COUNT, "what is to be done, such as \"connect\"");
WORDS(after, FT_AFTER_KINDS, "\"core\", \"cable\" or \"switch\"");

/*
 * A finding with an unknown code is refused: leaving it out would make the fabric look better than it is, and without
 * its meaning it is of no use. Both programs come from one package, so this occurs only during an upgrade.
 */
static int code_read(READ_ARGUMENTS)
{
	if (!json_is_string(value))
		return -EINVAL;
	if (word_find(kind, value, to) == 0)
		return 0;
	ft_json_error_value(at->json, at->err, at->parent, at->key,
			    "the code \"%s\" is not known to this ftcheck: is ftcheckd newer?",
			    json_string_value(value));
	return -ENOTSUP;
}

const struct ft_value_kind ft_value_code = {code_read, word_write, NULL, "a string", code_at, FT_CODE_COUNT};

/* ---- words kept as strings ---- */

static int name_read(READ_ARGUMENTS)
{
	unsigned int index;

	if (word_find(kind, value, &index) < 0)
		return -EINVAL;
	*(const char **)to = kind->word(index);
	return 0;
}

static const char *const tiers[] = {"edge", "spine", "core", "island"};

static const char *tier_at(unsigned int index)
{
	return tiers[index];
}

const struct ft_value_kind ft_value_tier = {
	name_read, string_write, NULL, "\"edge\", \"spine\", \"core\" or \"island\"", tier_at, FT_COUNT(tiers)};
const struct ft_value_kind ft_value_sm_state = {name_read,
						string_write,
						NULL,
						"\"master\", \"standby\", \"discovering\", \"not active\" or "
						"\"silent\"",
						ft_sm_state_name,
						FT_SM_SILENT + 1};

static const char *source_at(unsigned int index)
{
	static const char *const names[] = {"file", "live"};

	return names[index];
}

static int source_read(READ_ARGUMENTS)
{
	unsigned int index;

	if (word_find(kind, value, &index) < 0)
		return -EINVAL;
	*(bool *)to = index == 1;
	return 0;
}

static void source_write(WRITE_ARGUMENTS)
{
	ft_text_add_json(t, kind->word(*(const bool *)from));
}

const struct ft_value_kind ft_value_source = {source_read, source_write, NULL, "\"live\" or \"file\"", source_at, 2};
