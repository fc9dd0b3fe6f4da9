/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"

void ft_text_release(struct ft_text *text)
{
	free(text->data);
	*text = (struct ft_text){0};
}

void ft_text_reset(struct ft_text *text)
{
	text->length = 0;
	if (text->data)
		text->data[0] = '\0';
}

const char *ft_text_string(const struct ft_text *text)
{
	return text->data ? text->data : "";
}

static bool text_reserve(struct ft_text *text, size_t more)
{
	size_t size = text->size ? text->size : 128;
	char *data;

	if (text->failed || more > SIZE_MAX / 4 - text->length) {
		text->failed = true;
		return false;
	}
	while (size < text->length + more + 1)
		size *= 2;
	if (size == text->size)
		return true;
	data = realloc(text->data, size);
	if (!data) {
		text->failed = true;
		return false;
	}
	text->data = data;
	text->size = size;
	return true;
}

void ft_text_add(struct ft_text *text, const char *bytes, size_t length)
{
	if (!text_reserve(text, length))
		return;
	if (length > 0)
		memcpy(text->data + text->length, bytes, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void ft_text_puts(struct ft_text *text, const char *string)
{
	ft_text_add(text, string, strlen(string));
}

void ft_text_printf(struct ft_text *text, const char *format, ...)
{
	size_t room = text->failed ? 0 : text->size - text->length;
	va_list args;
	int length;

	/* Mostly there is room for it. */
	va_start(args, format);
	length = vsnprintf(room ? text->data + text->length : NULL, room, format, args);
	va_end(args);
	if (length >= 0 && (size_t)length < room) {
		text->length += (size_t)length;
		return;
	}
	if (room)
		text->data[text->length] = '\0';
	if (length < 0 || !text_reserve(text, (size_t)length)) {
		text->failed = true;
		return;
	}
	va_start(args, format);
	vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
	va_end(args);
	text->length += (size_t)length;
}

/* Length of the well-formed UTF-8 sequence at @s (RFC 3629), its code point in @ret_code; 0 if there is none. */
static size_t utf8_sequence(const unsigned char *s, size_t length, uint32_t *ret_code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t need = s[0] < 0x80	      ? 1
		      : (s[0] & 0xe0) == 0xc0 ? 2
		      : (s[0] & 0xf0) == 0xe0 ? 3
		      : (s[0] & 0xf8) == 0xf0 ? 4
					      : 0;
	uint32_t code;

	if (need == 0 || need > length)
		return 0;
	if (need == 1) {
		*ret_code = s[0];
		return 1;
	}
	code = s[0] & (0x7fU >> need);
	for (size_t i = 1; i < need; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < smallest[need] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret_code = code;
	return need;
}

/* Code points that move the cursor, break the line or reorder text. */
static bool code_is_unsafe(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xfff0 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe || (code >= 0xe0000 && code <= 0xe0fff);
}

void ft_text_more(struct ft_text *text, size_t count, size_t shown)
{
	if (count > shown)
		ft_text_printf(text, " and %zu more", count - shown);
}

/* Leading bytes of printable ASCII. */
static size_t plain_length(const unsigned char *s, size_t length)
{
	size_t n = 0;

	while (n < length && s[n] >= 0x20 && s[n] < 0x7f)
		n++;
	return n;
}

void ft_text_add_safe(struct ft_text *text, const char *bytes, size_t length)
{
	const unsigned char *s = (const unsigned char *)bytes;
	size_t i = 0;

	length = strnlen(bytes, length);
	if (!text_reserve(text, length))
		return;
	while (i < length) {
		size_t plain = plain_length(s + i, length - i), n;
		uint32_t code = 0;

		ft_text_add(text, bytes + i, plain);
		i += plain;
		if (i == length)
			break;
		n = utf8_sequence(s + i, length - i, &code);
		if (n > 0 && !code_is_unsafe(code)) {
			ft_text_add(text, bytes + i, n);
			i += n;
			continue;
		}
		for (size_t end = i + (n ? n : 1); i < end; i++)
			ft_text_printf(text, "\\x%02x", s[i]);
	}
	ft_text_add(text, "", 0);
}

void ft_text_add_json(struct ft_text *text, const char *string)
{
	const char *start = string;

	ft_text_add(text, "\"", 1);
	for (const char *s = string; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c != '"' && c != '\\' && c >= 0x20)
			continue;
		ft_text_add(text, start, (size_t)(s - start));
		start = s + 1;
		if (c < 0x20)
			ft_text_printf(text, "\\u%04x", c);
		else
			ft_text_printf(text, "\\%c", c);
	}
	ft_text_puts(text, start);
	ft_text_add(text, "\"", 1);
}

void ft_text_add_member(struct ft_text *text, const char *name, const char *string)
{
	char last = text->length > 0 ? text->data[text->length - 1] : ' ';

	ft_text_printf(text, "%s\"%s\": ", last == '{' || last == ' ' ? "" : ", ", name);
	if (string)
		ft_text_add_json(text, string);
	else
		ft_text_puts(text, "null");
}

void ft_text_add_span(struct ft_text *text, uint32_t ms)
{
	enum { SECOND = 1000, MINUTE = 60 * SECOND };

	if (ms >= MINUTE && ms % MINUTE == 0)
		ft_text_printf(text, "%u min", ms / MINUTE);
	else if (ms >= SECOND)
		ft_text_printf(text, "%u s", ms / SECOND);
	else
		ft_text_printf(text, "%u ms", ms);
}

char *ft_text_safe_dup(const char *bytes, size_t length)
{
	struct ft_text text = {0};

	ft_text_add_safe(&text, bytes, length);
	if (text.failed) {
		ft_text_release(&text);
		return NULL;
	}
	return text.data;
}

size_t ft_text_mark(const char *bytes, size_t length)
{
	static const char mark[] = "\xef\xbb\xbf";

	return length >= sizeof(mark) - 1 && memcmp(bytes, mark, sizeof(mark) - 1) == 0 ? sizeof(mark) - 1 : 0;
}

uint64_t ft_text_hash(const char *string)
{
	return ft_hash_bytes(string, strlen(string));
}

uint64_t ft_text_checksum(const char *string)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *string; string++)
		hash = (hash ^ (unsigned char)*string) * 0x100000001b3ULL;
	return hash;
}

int ft_text_natural_compare(const char *a, const char *b)
{
	const char *whole_a = a, *whole_b = b;

	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			size_t la, lb;
			int d;

			while (*a == '0')
				a++;
			while (*b == '0')
				b++;
			la = strspn(a, "0123456789");
			lb = strspn(b, "0123456789");
			d = la != lb ? (la < lb ? -1 : 1) : memcmp(a, b, la);
			if (d)
				return d;
			a += la;
			b += lb;
			continue;
		}
		if (*a != *b)
			return (unsigned char)*a - (unsigned char)*b;
		a++;
		b++;
	}
	if (*a || *b)
		return (unsigned char)*a - (unsigned char)*b;
	return strcmp(whole_a, whole_b);
}

int ft_text_natural_order(const void *a, const void *b)
{
	return ft_text_natural_compare(*(char *const *)a, *(char *const *)b);
}

/* True where @b is @a with its last number one higher and of the same width: node055, node056. */
static bool name_follows(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), digits = 0;

	while (digits < la && isdigit((unsigned char)a[la - 1 - digits]))
		digits++;
	if (digits == 0 || digits > 9 || lb < digits || (la != lb && lb != la + 1))
		return false;
	if (strncmp(a, b, la - digits) != 0 || strspn(b + la - digits, "0123456789") != lb - (la - digits))
		return false;
	if (la != lb && b[la - digits] == '0')
		return false;
	return strtoul(b + la - digits, NULL, 10) == strtoul(a + la - digits, NULL, 10) + 1;
}

void ft_text_add_names(struct ft_text *text, char *const *names, size_t count)
{
	enum { GROUPS_MAX = 4 };
	size_t groups = 0;

	for (size_t i = 0; i < count;) {
		size_t last = i;

		while (last + 1 < count &&
		       (name_follows(names[last], names[last + 1]) || strcmp(names[last], names[last + 1]) == 0))
			last++;
		if (groups++ == GROUPS_MAX) {
			ft_text_printf(text, ", … %zu more", count - i);
			return;
		}
		ft_text_printf(text, "%s%s", i ? ", " : "", names[i]);
		if (strcmp(names[i], names[last]) != 0)
			ft_text_printf(text, "-%s", names[last]);
		i = last + 1;
	}
}

unsigned int ft_text_distance(const char *a, const char *b)
{
	unsigned int row[FT_WORD_MAX + 1];
	size_t length_a = strlen(a), length_b = strlen(b);

	if (length_a > FT_WORD_MAX || length_b > FT_WORD_MAX)
		return UINT_MAX;
	for (size_t j = 0; j <= length_b; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= length_a; i++) {
		unsigned int corner = row[0];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= length_b; j++) {
			unsigned int best =
				corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));

			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[length_b];
}

const char *ft_text_near(const char *word, const void *rows, size_t count, size_t size)
{
	enum { DISTANCE_MAX = 2 };
	unsigned int least = DISTANCE_MAX + 1;
	const char *near = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *name;
		unsigned int distance;

		memcpy(&name, (const char *)rows + i * size, sizeof(name));
		distance = ft_text_distance(word, name);
		if (distance < least && distance < strlen(name)) {
			least = distance;
			near = name;
		}
	}
	return near;
}

const char *ft_text_short_name(const char *name, size_t *ret_length)
{
	const char *start = strncmp(name, "MF0;", 4) == 0 ? name + 4 : NULL;
	const char *end = start ? strrchr(start, ':') : NULL;
	size_t length = strlen(name);

	if (end && end != start && strstr(end, "/U")) {
		*ret_length = (size_t)(end - start);
		return start;
	}
	while (length > 0 && name[length - 1] == ' ')
		length--;
	*ret_length = length;
	return name;
}

/* Independent of the locale: two machines must agree on which names are equal. */
static char letter_small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool ft_text_short_equal(const char *a, const char *b)
{
	size_t length_a, length_b;
	const char *start_a = ft_text_short_name(a, &length_a), *start_b = ft_text_short_name(b, &length_b);

	if (length_a != length_b)
		return false;
	for (size_t i = 0; i < length_a; i++)
		if (letter_small(start_a[i]) != letter_small(start_b[i]))
			return false;
	return true;
}

uint64_t ft_text_short_hash(const char *name)
{
	size_t length;
	const char *start = ft_text_short_name(name, &length);
	uint64_t hash = length;
	char piece[64];

	for (size_t done = 0; done < length; done += sizeof(piece)) {
		size_t count = length - done < sizeof(piece) ? length - done : sizeof(piece);

		for (size_t i = 0; i < count; i++)
			piece[i] = letter_small(start[done + i]);
		hash = ft_hash_pair(hash, ft_hash_bytes(piece, count));
	}
	return hash;
}

bool ft_text_in_hexadecimal(const char *name, size_t at)
{
	size_t begin = at, end = at;
	bool mixed = false;

	while (begin > 0 && isalnum((unsigned char)name[begin - 1]))
		begin--;
	while (isalnum((unsigned char)name[end]))
		end++;
	for (size_t i = begin; i < end; i++) {
		if (!isxdigit((unsigned char)name[i]))
			return false;
		mixed |= i > begin && isalpha((unsigned char)name[i]) && isdigit((unsigned char)name[i - 1]);
	}
	return mixed;
}

void ft_text_cut(char *string, size_t most)
{
	size_t length = most - 3;

	if (strlen(string) <= most)
		return;
	for (size_t back = 1; back <= 3 && back <= length; back++)
		if (string[length - back] == '\\') {
			length -= back;
			break;
		}
	while (length > 0 && ((unsigned char)string[length] & 0xc0) == 0x80)
		length--;
	memcpy(string + length, "...", sizeof("..."));
}
