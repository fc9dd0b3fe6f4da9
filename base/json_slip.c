/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/json_slip.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/error.h"

enum { QUOTED_MAX = 40, DEPTH_MAX = 64 };

/* The kind of the last token. */
enum token { TOKEN_NONE, TOKEN_OPEN, TOKEN_KEY, TOKEN_COLON, TOKEN_VALUE, TOKEN_COMMA };

struct scan {
	const char *text;
	size_t length;
	size_t at;
	enum token last;
	size_t comma;		/* the place of the last one */
	size_t open[DEPTH_MAX]; /* the open braces and brackets */
	size_t depth;
	struct ft_json_slip *slip;
};

static bool slip_at(struct scan *s, size_t offset, const char *what)
{
	s->slip->offset = offset;
	snprintf(s->slip->text, sizeof(s->slip->text), "%s", what);
	return true;
}

static bool begins(const struct scan *s, const char *bytes)
{
	return s->length - s->at >= strlen(bytes) && memcmp(s->text + s->at, bytes, strlen(bytes)) == 0;
}

/* Three bytes of UTF-8 each: “ ” „ ‘ ’ */
static bool begins_typographic(const struct scan *s)
{
	static const char *const marks[] = {"\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e", "\xe2\x80\x98",
					    "\xe2\x80\x99"};

	for (size_t i = 0; i < FT_COUNT(marks); i++)
		if (begins(s, marks[i]))
			return true;
	return false;
}

/* The place where a key or a value begins, or something meant as one. */
static bool value_begins(struct scan *s)
{
	bool inside = s->depth > 0 && s->text[s->open[s->depth - 1]] == '{';

	switch (s->last) {
	case TOKEN_VALUE:
		return s->depth > 0 && slip_at(s, s->at, "a comma is missing in front of this");
	case TOKEN_KEY:
		return slip_at(s, s->at, "a colon is missing between a key and this");
	case TOKEN_OPEN:
	case TOKEN_COMMA:
		s->last = inside ? TOKEN_KEY : TOKEN_VALUE;
		return false;
	case TOKEN_NONE:
	case TOKEN_COLON:
		break;
	}
	s->last = TOKEN_VALUE;
	return false;
}

static bool string_scan(struct scan *s)
{
	size_t begin = s->at;

	if (value_begins(s))
		return true;
	for (s->at++; s->at < s->length && s->text[s->at] != '"'; s->at++) {
		if (s->text[s->at] == '\n' || s->text[s->at] == '\r')
			break;
		if (s->text[s->at] == '\\')
			s->at++;
	}
	if (s->at >= s->length || s->text[s->at] != '"')
		return slip_at(s, begin, "the string that begins here has no closing quotation mark on its line");
	s->at++;
	return false;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || strchr("_-+.", c);
}

static bool number_slip(struct scan *s, const char *word, size_t length)
{
	if (length > 1 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
		return slip_at(s, s->at, "a hexadecimal number goes in quotation marks");
	if (word[0] == '+' || word[0] == '.' || (length > 1 && word[0] == '0' && isdigit((unsigned char)word[1])))
		return slip_at(s, s->at, "a number begins with a digit, and with 0 only where it is less than 1");
	return false;
}

/* A number, true, false, null, or a string without quotation marks. */
static bool word_scan(struct scan *s)
{
	static const struct {
		const char *meant, *also;
	} known[] = {{"true", "true"}, {"false", "false"}, {"null", "none"}};
	const char *word = s->text + s->at;
	size_t length = 0;

	while (s->at + length < s->length && is_word(word[length]))
		length++;
	if (strchr("+-.0123456789", word[0])) {
		if (number_slip(s, word, length))
			return true;
	} else {
		size_t i = 0;

		while (i < FT_COUNT(known) &&
		       (length != strlen(known[i].meant) || strncmp(word, known[i].meant, length) != 0))
			i++;
		if (i == FT_COUNT(known)) {
			for (i = 0; i < FT_COUNT(known); i++)
				if (length == strlen(known[i].also) && strncasecmp(word, known[i].also, length) == 0)
					break;
			s->slip->offset = s->at;
			if (i < FT_COUNT(known))
				snprintf(s->slip->text, sizeof(s->slip->text), "write %s for %.*s", known[i].meant,
					 (int)length, word);
			else
				snprintf(s->slip->text, sizeof(s->slip->text),
					 "quotation marks are missing: write \"%.*s\"",
					 (int)(length < QUOTED_MAX ? length : QUOTED_MAX), word);
			return true;
		}
	}
	if (value_begins(s))
		return true;
	s->at += length;
	return false;
}

static bool comma_scan(struct scan *s)
{
	if (s->last == TOKEN_COMMA)
		return slip_at(s, s->at, "one comma too many: take it out");
	s->last = TOKEN_COMMA;
	s->comma = s->at++;
	return false;
}

static unsigned int line_of(const struct scan *s, size_t offset)
{
	unsigned int line, column;

	ft_error_position(s->text, offset, &line, &column);
	return line;
}

static bool close_scan(struct scan *s)
{
	char what[80], c = s->text[s->at], opened;

	if (s->last == TOKEN_COMMA) {
		snprintf(what, sizeof(what), "a comma before %c: take it out", c);
		return slip_at(s, s->comma, what);
	}
	if (s->depth == 0)
		return slip_at(s, s->at, c == '}' ? "one } too many" : "one ] too many");
	opened = s->text[s->open[--s->depth]];
	if ((opened == '{') != (c == '}')) {
		snprintf(what, sizeof(what), "%c ends what began with %c in line %u", c, opened,
			 line_of(s, s->open[s->depth]));
		return slip_at(s, s->at, what);
	}
	s->last = TOKEN_VALUE;
	s->at++;
	return false;
}

static bool open_scan(struct scan *s)
{
	if (value_begins(s))
		return true;
	if (s->depth < DEPTH_MAX)
		s->open[s->depth++] = s->at;
	s->last = TOKEN_OPEN;
	s->at++;
	return false;
}

static bool end_scan(struct scan *s)
{
	char what[80];
	size_t open;

	if (s->depth == 0)
		return false;
	open = s->open[s->depth - 1];
	snprintf(what, sizeof(what), "the file ends, and the %c in line %u is still to be closed", s->text[open],
		 line_of(s, open));
	return slip_at(s, s->length, what);
}

/* Returns whether it is a mistake. */
static bool token_scan(struct scan *s)
{
	char c = s->text[s->at];

	switch (c) {
	case '"':
		return string_scan(s);
	case '{':
	case '[':
		return open_scan(s);
	case '}':
	case ']':
		return close_scan(s);
	case ',':
		return comma_scan(s);
	case ':':
		s->last = TOKEN_COLON;
		s->at++;
		return false;
	case '=':
		return slip_at(s, s->at, "between a key and its value there is a colon, not =");
	case ';':
		return slip_at(s, s->at, "between two members there is a comma, not ;");
	case '\'':
		return slip_at(s, s->at, "JSON takes double quotation marks (\"), not single ones");
	case '#':
		return slip_at(s, s->at, "JSON has no comments: take this out (a design's notes go into \"why\")");
	default:
		break;
	}
	if (begins(s, "//") || begins(s, "/*"))
		return slip_at(s, s->at, "JSON has no comments: take this out (a design's notes go into \"why\")");
	if (begins_typographic(s))
		return slip_at(s, s->at, "JSON takes plain quotation marks (\"), not typographic ones");
	if (is_word(c))
		return word_scan(s);
	s->at++;
	return false;
}

bool ft_json_slip_find(const char *text, size_t length, size_t until, struct ft_json_slip *ret_slip)
{
	struct scan s = {.text = text, .length = length, .slip = ret_slip};

	/* Text that does not begin like an object or a list is not JSON at all. */
	while (s.at < length && isspace((unsigned char)text[s.at]))
		s.at++;
	if (s.at < length && text[s.at] != '{' && text[s.at] != '[' && !begins(&s, "//") && !begins(&s, "/*") &&
	    text[s.at] != '#')
		return false;
	while (s.at < length && s.at <= until && s.depth < DEPTH_MAX) {
		if (isspace((unsigned char)text[s.at]))
			s.at++;
		else if (s.depth == 0 && s.last == TOKEN_VALUE && !strchr("]}", text[s.at]))
			return false; /* the JSON has ended: no mistake of its own */
		else if (token_scan(&s))
			return ret_slip->offset <= until;
	}
	return s.at >= length && until >= length && end_scan(&s);
}
