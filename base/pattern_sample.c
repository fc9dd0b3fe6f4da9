/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Generates a name that a pattern matches. The pattern is expanded to items, repeated bytes of a set; alternatives are
 * tried one after the other, and each name is verified with the pattern itself. So a parsing error here may lose a
 * name, but never gives a wrong one.
 */
#include "base/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	ITEMS_MAX = 80,
	STEPS_MAX = 1024, /* of expanding a pattern once */
	TRIES_MAX = 64,
	KEYS = 2 * (FT_PATTERN_SIZE_MAX + 2),
};

struct item {
	uint8_t set[32]; /* a bit a byte */
	uint32_t least, most;
};

struct sampler {
	const char *text;
	size_t length;
	struct item items[ITEMS_MAX];
	uint32_t count;
	uint16_t choice[KEYS], choices[KEYS]; /* by place in the pattern; 0 choices: none there */
	uint32_t steps;
	bool open; /* more may follow the items: the pattern has no "$" */
};

/* ---- sets of bytes ---- */

static void set_add(uint8_t set[32], unsigned char byte)
{
	set[byte / 8] |= (uint8_t)(1U << byte % 8);
}

static bool set_has(const uint8_t set[32], unsigned char byte)
{
	return set[byte / 8] >> byte % 8 & 1;
}

static int is_word(int c)
{
	return isalnum(c) || c == '_';
}

static int is_any(int c)
{
	(void)c;
	return 1;
}

static void set_add_kind(uint8_t set[32], int (*is)(int), bool wanted)
{
	for (int c = 1; c < 256; c++)
		if ((is(c) != 0) == wanted)
			set_add(set, (unsigned char)c);
}

static const struct {
	const char *name;
	int (*is)(int);
} kinds[] = {
	{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"digit", isdigit},
	{"graph", isgraph}, {"lower", islower}, {"print", isprint}, {"punct", ispunct},
	{"space", isspace}, {"upper", isupper}, {"word", is_word},  {"xdigit", isxdigit},
};

static const struct {
	char letter;
	int (*is)(int);
} escapes[] = {{'d', isdigit}, {'w', is_word}, {'s', isspace}};

/* A backslash and what follows it, at @at. @ret_byte: the byte that it stands for, or -1 for several. */
static int escape_read(const struct sampler *s, size_t *at, uint8_t set[32], int *ret_byte)
{
	unsigned char c = *at + 1 < s->length ? (unsigned char)s->text[*at + 1] : 'x';

	*at += 2;
	for (size_t i = 0; i < FT_COUNT(escapes); i++)
		if (tolower(c) == escapes[i].letter) {
			set_add_kind(set, escapes[i].is, c == escapes[i].letter);
			*ret_byte = -1;
			return 0;
		}
	if (isalnum(c))
		return -EINVAL;
	set_add(set, c);
	*ret_byte = c;
	return 0;
}

/* "[:digit:]" at @at. */
static int kind_read(const struct sampler *s, size_t *at, uint8_t set[32])
{
	const char *name = s->text + *at + 2;

	for (size_t i = 0; i < FT_COUNT(kinds); i++) {
		size_t length = strlen(kinds[i].name);

		if (strncmp(name, kinds[i].name, length) != 0 || strncmp(name + length, ":]", 2) != 0)
			continue;
		set_add_kind(set, kinds[i].is, true);
		*at += length + 4;
		return 0;
	}
	return -EINVAL;
}

/* One byte of a class, or several by one escape: @ret_byte is -1 then. */
static int class_byte(const struct sampler *s, size_t *at, uint8_t set[32], int *ret_byte)
{
	if (s->text[*at] == '\\')
		return escape_read(s, at, set, ret_byte);
	*ret_byte = (unsigned char)s->text[(*at)++];
	set_add(set, (unsigned char)*ret_byte);
	return 0;
}

static int class_part(const struct sampler *s, size_t *at, uint8_t set[32])
{
	int from, to, r;

	if (s->text[*at] == '[' && s->text[*at + 1] == ':')
		return kind_read(s, at, set);
	r = class_byte(s, at, set, &from);
	if (r < 0 || from < 0 || s->text[*at] != '-' || *at + 1 >= s->length || s->text[*at + 1] == ']')
		return r;
	++*at;
	r = class_byte(s, at, set, &to);
	for (int c = from; r == 0 && c <= to; c++)
		set_add(set, (unsigned char)c);
	return r;
}

/* "[…]" at @at. */
static int class_read(const struct sampler *s, size_t *at, uint8_t set[32])
{
	bool negated = s->text[*at + 1] == '^';
	size_t first = *at + 1 + negated;
	int r = 0;

	for (*at = first; r == 0 && *at < s->length && (*at == first || s->text[*at] != ']');)
		r = class_part(s, at, set);
	if (r < 0 || *at >= s->length)
		return -EINVAL;
	++*at;
	for (int i = 0; negated && i < 32; i++)
		set[i] = (uint8_t)~set[i];
	return 0;
}

/* ---- expansion of the pattern ---- */

/* What follows the class at @at. */
static size_t class_end(const struct sampler *s, size_t at)
{
	size_t first = at + 1 + (s->text[at + 1] == '^');

	for (at = first; at < s->length && (at == first || s->text[at] != ']');) {
		const char *close = s->text[at] == '[' && s->text[at + 1] == ':' ? strstr(s->text + at, ":]") : NULL;

		at = close ? (size_t)(close - s->text) + 2 : at + (s->text[at] == '\\' ? 2 : 1);
	}
	return at + 1;
}

/* What follows the byte, escape or class at @at. */
static size_t token_end(const struct sampler *s, size_t at)
{
	at = s->text[at] == '[' ? class_end(s, at) : at + (s->text[at] == '\\' ? 2 : 1);
	return at < s->length ? at : s->length;
}

/*
 * The alternatives that begin at @at. Returns how many there are; @ret_start, @ret_end: where number @which is;
 * @ret_close: the parenthesis behind them, or the end of the pattern.
 */
static uint16_t alternatives_find(const struct sampler *s, size_t at, uint16_t which, size_t *ret_start,
				  size_t *ret_end, size_t *ret_close)
{
	uint32_t depth = 0;
	uint16_t count = 1;

	*ret_start = at;
	*ret_end = FT_PATTERN_SIZE_MAX + 1;
	for (; at < s->length; at = token_end(s, at)) {
		char c = s->text[at];

		if (c == ')' && depth-- == 0)
			break;
		depth += c == '(';
		if (c != '|' || depth > 0)
			continue;
		if (count == which)
			*ret_start = at + 1;
		if (count++ == which + 1)
			*ret_end = at;
	}
	*ret_close = at;
	*ret_end = *ret_end < at ? *ret_end : at;
	return count;
}

static bool number_read(const struct sampler *s, size_t *at, uint32_t *ret_number)
{
	uint32_t number = 0;
	size_t start = *at;

	while (*at < s->length && isdigit((unsigned char)s->text[*at]) && number < 100000)
		number = number * 10 + (uint32_t)(s->text[(*at)++] - '0');
	*ret_number = number;
	return *at > start;
}

/* "{2}", "{2,}" or "{2,4}" at @at; any other text is literal. */
static bool braces_read(const struct sampler *s, size_t *at, uint32_t *ret_least, uint32_t *ret_most)
{
	uint32_t least, most;
	size_t p = *at + 1;

	if (s->text[*at] != '{' || !number_read(s, &p, &least))
		return false;
	most = least;
	if (s->text[p] == ',') {
		p++;
		if (!number_read(s, &p, &most))
			most = UINT32_MAX;
	}
	if (s->text[p] != '}')
		return false;
	*at = p + 1;
	*ret_least = least;
	*ret_most = most;
	return true;
}

/* The repetition of the preceding item. */
static void repeats_read(const struct sampler *s, size_t *at, uint32_t *ret_least, uint32_t *ret_most)
{
	static const struct {
		char sign;
		uint32_t least, most;
	} signs[] = {{'?', 0, 1}, {'*', 0, UINT32_MAX}, {'+', 1, UINT32_MAX}};
	bool found = braces_read(s, at, ret_least, ret_most);

	for (size_t i = 0; !found && i < FT_COUNT(signs); i++)
		if (s->text[*at] == signs[i].sign) {
			*ret_least = signs[i].least;
			*ret_most = signs[i].most;
			++*at;
			found = true;
		}
	if (!found)
		*ret_least = *ret_most = 1;
	else if (s->text[*at] == '?' || s->text[*at] == '+')
		++*at; /* how it is searched for */
}

static int alternative_expand(struct sampler *s, size_t at, size_t key, size_t *ret_close);

static uint16_t choice_take(struct sampler *s, size_t key, uint16_t choices)
{
	s->choices[key] = choices;
	return s->choice[key];
}

/* "(…)" at @at, repeated as often as necessary; if it is optional, that is a choice. */
static int group_expand(struct sampler *s, size_t *at)
{
	size_t open = *at, inside = open + 1, close, start, end;
	uint32_t least, most;
	int r = 0;

	if (s->text[inside] == '*' || (s->text[inside] == '?' && s->text[inside + 1] != ':'))
		return -EINVAL;
	inside += s->text[inside] == '?' ? 2 : 0;
	alternatives_find(s, inside, 0, &start, &end, &close);
	*at = close + 1;
	repeats_read(s, at, &least, &most);
	if (least == 0 && most > 0)
		least = choice_take(s, 2 * open + 2, 2);
	for (uint32_t i = 0; r == 0 && i < least; i++)
		r = alternative_expand(s, inside, 2 * open + 3, &close);
	return r;
}

/* Zero-width items: the verification shows whether they match. */
static bool mark_skip(struct sampler *s, size_t *at)
{
	char c = s->text[*at];
	bool escaped = c == '\\' && *at + 1 < s->length;

	if (escaped)
		c = s->text[*at + 1];
	if (!strchr(escaped ? "bBAzZ" : "^$", c))
		return false;
	if (strchr("$zZ", c))
		s->open = false;
	*at += escaped ? 2 : 1;
	return true;
}

static int bytes_expand(struct sampler *s, size_t *at)
{
	struct item *item = &s->items[s->count];
	int byte, r = 0;

	if (s->count == ITEMS_MAX)
		return -EINVAL;
	*item = (struct item){0};
	if (s->text[*at] == '[') {
		r = class_read(s, at, item->set);
	} else if (s->text[*at] == '\\') {
		r = escape_read(s, at, item->set, &byte);
	} else if (s->text[*at] == '.') {
		set_add_kind(item->set, is_any, true);
		++*at;
	} else {
		set_add(item->set, (unsigned char)s->text[(*at)++]);
	}
	repeats_read(s, at, &item->least, &item->most);
	s->count++;
	return r;
}

/* The chosen one of the alternatives that begin at @at. */
static int alternative_expand(struct sampler *s, size_t at, size_t key, size_t *ret_close)
{
	size_t end;
	uint16_t count = alternatives_find(s, at, s->choice[key], &at, &end, ret_close);
	int r = 0;

	choice_take(s, key, count);
	while (r == 0 && at < end) {
		if (s->steps++ == STEPS_MAX)
			r = -EINVAL;
		else if (s->text[at] == '(')
			r = group_expand(s, &at);
		else if (!mark_skip(s, &at))
			r = bytes_expand(s, &at);
	}
	return r == 0 && s->steps++ >= STEPS_MAX ? -EINVAL : r;
}

/* The next combination of choices: the last one that can changes, and those after it restart. False: no more. */
static bool choices_next(struct sampler *s)
{
	for (size_t key = KEYS; key-- > 0;) {
		if (s->choice[key] + 1 < s->choices[key]) {
			s->choice[key]++;
			return true;
		}
		s->choice[key] = 0;
	}
	return false;
}

/* ---- the name ---- */

static bool item_counts(const struct item *item)
{
	uint32_t digits = 0;

	for (unsigned char c = '0'; c <= '9'; c++)
		digits += set_has(item->set, c);
	return digits > 1 && item->most > 0;
}

/* Neither control bytes nor bytes that the network file cannot contain. */
static int byte_choose(const struct item *item)
{
	static const char order[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.: "
				    "!#$%&'()*+,/;<>?@[]^`{|}~\\";

	for (const char *c = order; *c; c++)
		if (set_has(item->set, (unsigned char)*c))
			return *c;
	return -1;
}

struct name {
	char bytes[FT_PATTERN_SAMPLE_SIZE];
	size_t length;
};

static bool name_add(struct name *name, int byte, uint32_t times)
{
	if (byte < 0 || times >= sizeof(name->bytes) - name->length)
		return times == 0;
	memset(name->bytes + name->length, byte, times);
	name->length += times;
	name->bytes[name->length] = '\0';
	return true;
}

static bool items_fill(struct name *name, const struct item *items, uint32_t count)
{
	bool fits = true;

	for (uint32_t i = 0; fits && i < count; i++)
		fits = name_add(name, byte_choose(&items[i]), items[i].least);
	return fits;
}

/* @number across @items, with leading zeros if they take more digits. */
static bool items_number(struct name *name, const struct item *items, uint32_t count, uint32_t number)
{
	uint64_t least = 0, most = 0, digits, spare;
	char text[FT_PATTERN_SAMPLE_SIZE + 16];
	const char *next = text;

	for (uint32_t i = 0; i < count; i++) {
		least += items[i].least;
		most += items[i].most;
	}
	if (least >= FT_PATTERN_SAMPLE_SIZE)
		return false;
	digits = (uint64_t)snprintf(text, sizeof(text), "%0*u", (int)least, number);
	spare = digits - least;
	if (digits > most)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t more = items[i].most - items[i].least < spare ? items[i].most - items[i].least : spare;

		spare -= more;
		for (uint64_t k = items[i].least + more; k > 0; k--, next++)
			if (!set_has(items[i].set, (unsigned char)*next) || !name_add(name, *next, 1))
				return false;
	}
	return true;
}

/* How many items from @first on may be digits. */
static uint32_t run_length(const struct sampler *s, uint32_t first)
{
	uint32_t end = first;

	while (end < s->count && item_counts(&s->items[end]))
		end++;
	return end - first;
}

static bool run_must_be(const struct item *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (items[i].least > 0)
			return true;
	return false;
}

/*
 * The last run of digits must hold the number. Earlier mandatory runs hold it if they can: reports shorten some names
 * by their end ("MF0;leaf7:MQM8700/U1").
 */
static bool name_make(const struct sampler *s, uint32_t number, struct name *name)
{
	uint32_t last = FT_PATTERN_SIZE_MAX, run;

	for (uint32_t i = 0; i < s->count; i += run ? run : 1) {
		run = run_length(s, i);
		last = run ? i : last;
	}
	*name = (struct name){.length = 0};
	for (uint32_t i = 0; i < s->count; i += run) {
		size_t before = name->length;
		bool done;

		run = run_length(s, i);
		done = run > 0 && (i == last || run_must_be(&s->items[i], run)) &&
		       items_number(name, &s->items[i], run, number);
		if (!done && i == last)
			return false;
		run = run ? run : 1;
		if (done)
			continue;
		name->length = before;
		if (!items_fill(name, &s->items[i], run))
			return false;
	}
	return last < FT_PATTERN_SIZE_MAX;
}

/* A pattern that is not anchored at the end leaves room for the number there. */
static bool tail_add(struct sampler *s)
{
	const struct item *last = s->count > 0 ? &s->items[s->count - 1] : NULL;

	if (!s->open || s->count + 2 > ITEMS_MAX)
		return false;
	if (last && isdigit(byte_choose(last))) {
		s->items[s->count] = (struct item){.least = 1, .most = 1};
		set_add(s->items[s->count++].set, '-');
	}
	s->items[s->count] = (struct item){.most = UINT32_MAX};
	set_add_kind(s->items[s->count++].set, isdigit, true);
	return true;
}

/* 1 where the items make a name that the pattern matches, 0 where not, or -ENOMEM. */
static int name_prove(const struct sampler *s, const struct ft_pattern *pattern, uint32_t number, struct name *name)
{
	return name_make(s, number, name) ? ft_pattern_matches(pattern, name->bytes, name->length) : 0;
}

static int sample_try(struct sampler *s, const struct ft_pattern *pattern, uint32_t number, struct name *name)
{
	size_t close;
	int r;

	s->count = s->steps = 0;
	s->open = true;
	memset(s->choices, 0, sizeof(s->choices));
	if (alternative_expand(s, 0, 1, &close) < 0)
		return 0;
	r = name_prove(s, pattern, number, name);
	return r == 0 && tail_add(s) ? name_prove(s, pattern, number, name) : r;
}

int ft_pattern_sample(const char *text, uint32_t number, char *buffer, size_t size)
{
	_cleanup_(ft_pattern_freep) struct ft_pattern *pattern = NULL;
	struct sampler sampler = {.text = text, .length = strlen(text)};
	struct name name;
	int tries = 0, r = ft_pattern_compile(text, &pattern, NULL);

	if (r < 0)
		return r;
	do
		r = sample_try(&sampler, pattern, number, &name);
	while (r == 0 && ++tries < TRIES_MAX && choices_next(&sampler));
	if (r < 0)
		return r;
	if (r == 0 || name.length >= size)
		return -EINVAL;
	memcpy(buffer, name.bytes, name.length + 1);
	return 0;
}
