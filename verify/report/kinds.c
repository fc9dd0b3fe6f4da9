/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The kinds of values that only a report has. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "probe/sms.h"
#include "verify/report/members.h"

/* ---- numbers ---- */

static int port_read(FT_VALUE_PARSED)
{
	enum { PORT_MAX = UINT16_MAX }; /* a director counts as one switch, with more ports than a chip can have */
	uint32_t port = 0;

	if (!json_is_null(value) && (ft_value_count.parse(kind, at, value, &port) < 0 || port > PORT_MAX))
		return -EINVAL;
	*(uint32_t *)to = port;
	return 0;
}

static void port_write(FT_VALUE_ADDED)
{
	if (ft_value_count.is_set(from))
		ft_value_count.add(kind, t, from);
	else
		ft_text_puts(t, "null");
}

const struct ft_value_kind ft_value_port = {port_read, port_write, NULL, "null or a number from 0 to 65535", NULL, 0};

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

static int histogram_read(FT_VALUE_PARSED)
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
		if (!key_is_count(key, &pairs[n].chips) ||
		    ft_value_pair_count.parse(kind, at, count, &pairs[n].pairs) < 0)
			return -EINVAL;
		n++;
	}
	qsort(pairs, n, sizeof(*pairs), hop_pairs_compare);
	*histogram = (struct ft_histogram){pairs, n};
	return 0;
}

static void histogram_write(FT_VALUE_ADDED)
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

enum { THOUSAND = 1000 };

/* As a fraction with three decimals, bounded by the length of routes. */
static int milli_read(FT_VALUE_PARSED)
{
	enum { MEAN_MAX = 65535 };
	double mean = json_number_value(value);

	if (!json_is_number(value) || !(mean >= 0 && mean <= MEAN_MAX))
		return -EINVAL;
	*(uint32_t *)to = (uint32_t)(mean * THOUSAND + 0.5);
	return 0;
}

static void milli_write(FT_VALUE_ADDED)
{
	uint32_t milli = *(const uint32_t *)from;

	ft_text_printf(t, "%u.%03u", milli / THOUSAND, milli % THOUSAND);
}

const struct ft_value_kind ft_value_milli = {milli_read, milli_write, NULL, "a number from 0 to 65535", NULL, 0};

/* ---- strings ---- */

static int interface_read(FT_VALUE_PARSED)
{
	struct ft_place place = {0};

	if (!ft_place_interface_set(&place, json_string_value(value)))
		return -EINVAL;
	memcpy(to, place.interface, sizeof(place.interface));
	return 0;
}

const struct ft_value_kind ft_value_interface = {
	interface_read, ft_value_array_add, ft_value_array_is_set, "the name of an interface", NULL, 0};

/* ---- words: of enumerations, by number ---- */

/* An enumeration without negative values is an unsigned int. */
_Static_assert(sizeof(enum ft_code) == sizeof(unsigned int), "words are read so");

static const char *code_at(unsigned int code)
{
	return ft_codes[code].name;
}

#define WORDS(of, count, expected)                   \
	const struct ft_value_kind ft_value_##of = { \
		ft_value_word_parse, ft_value_word_add, NULL, expected, ft_##of##_name, count}

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
static int code_read(FT_VALUE_PARSED)
{
	if (!json_is_string(value))
		return -EINVAL;
	if (ft_value_word_find(kind, value, to) == 0)
		return 0;
	ft_json_error_value(at->json, at->err, at->parent, at->key,
			    "the code \"%s\" is not known to this ftcheck: is ftcheckd newer?",
			    json_string_value(value));
	return -ENOTSUP;
}

const struct ft_value_kind ft_value_code = {code_read, ft_value_word_add, NULL, "a string", code_at, FT_CODE_COUNT};

/* ---- words kept as strings ---- */

static const char *const tiers[] = {"edge", "spine", "core", "island"};

static const char *tier_at(unsigned int index)
{
	return tiers[index];
}

const struct ft_value_kind ft_value_tier = {
	ft_value_name_parse, ft_value_string_add, NULL, "\"edge\", \"spine\", \"core\" or \"island\"", tier_at,
	FT_COUNT(tiers)};
const struct ft_value_kind ft_value_sm_state = {ft_value_name_parse,
						ft_value_string_add,
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

static int source_read(FT_VALUE_PARSED)
{
	unsigned int index;

	if (ft_value_word_find(kind, value, &index) < 0)
		return -EINVAL;
	*(bool *)to = index == 1;
	return 0;
}

static void source_write(FT_VALUE_ADDED)
{
	ft_text_add_json(t, kind->word(*(const bool *)from));
}

const struct ft_value_kind ft_value_source = {source_read, source_write, NULL, "\"live\" or \"file\"", source_at, 2};
