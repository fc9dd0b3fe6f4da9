/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A growing text, and the escaping of untrusted names in output.
 *
 * Any host's root can set its node description (IBTA Vol 1, NodeDescription: 64 bytes of anything). All output goes
 * through ft_text_add_safe() first, and then through the escaping of its format.
 *
 * An allocation that fails is remembered in the text: later additions do nothing and ft_text_failed() is true.
 */
#ifndef FT_BASE_TEXT_H
#define FT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ft_text {
	char *data; /* owned; NUL-terminated once anything was added */
	size_t length;
	size_t size;
	bool failed;
};

void ft_text_release(struct ft_text *text);

/* Empties the text, but keeps its memory, and the flag of a failed allocation. */
void ft_text_reset(struct ft_text *text);

/* The text so far; "" where nothing was added. Valid until the next addition. */
const char *ft_text_string(const struct ft_text *text);

static inline bool ft_text_failed(const struct ft_text *text)
{
	return text->failed;
}

void ft_text_add(struct ft_text *text, const char *bytes, size_t length);
void ft_text_puts(struct ft_text *text, const char *string);
void ft_text_printf(struct ft_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Adds @length bytes made safe for a terminal and a log: well-formed UTF-8 stays; control bytes (C0, DEL, C1), line and
 * paragraph separators, bidirectional overrides and invalid UTF-8 come out as \xNN, byte by byte. Stops at a NUL.
 */
void ft_text_add_safe(struct ft_text *text, const char *bytes, size_t length);

/*
 * Adds @string, which must be valid UTF-8 (ft_text_add_safe() makes it so), as a JSON string with its quotes.
 */
void ft_text_add_json(struct ft_text *text, const char *string);

/*
 * Adds a member of a JSON object: its name, which needs no escape, and @string as above; NULL: null. A comma precedes
 * it unless it is the first, or the text ends with a blank, as where the caller began a line for it.
 */
void ft_text_add_member(struct ft_text *text, const char *name, const char *string);

/* Adds a time as people say it: "10 min", "90 s", "250 ms". */
void ft_text_add_span(struct ft_text *text, uint32_t ms);

/* The safe form of @length bytes as a new string; NULL where memory ran out. The caller frees it. */
char *ft_text_safe_dup(const char *bytes, size_t length);

/*
 * The short name of a switch: "MF0;leaf07:MQM8700/U1", the form of the vendor's switch software (unit; name : model /
 * unit), is leaf07. Of anything else, all but the blanks at its end. Returns where that begins in @name.
 */
const char *ft_text_short_name(const char *name, size_t *ret_length);

/* Whether two names have the same ft_text_short_name(), ignoring case (in ASCII). */
bool ft_text_short_equal(const char *a, const char *b);

/* The end of a plural behind its number: "1 host", "2 hosts"; "1 switch", "2 switches". */
static inline const char *ft_text_s(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static inline const char *ft_text_es(uint64_t count)
{
	return count == 1 ? "" : "es";
}

/* " and 3 more" behind a list that shows only @shown of @count; nothing if it shows all. */
void ft_text_more(struct ft_text *text, size_t count, size_t shown);

/* Cuts a safe text that has more than @most bytes; it ends with "...", and not inside a character or a \xNN. */
void ft_text_cut(char *string, size_t most);

/* The length of a leading UTF-8 byte order mark, as some editors write it: 3 or 0. */
size_t ft_text_mark(const char *bytes, size_t length);

/*
 * True where the digit at @at belongs to a hexadecimal number, as in "switch-33fd4e": a letter from a to f follows a
 * digit, and up to the next blank or sign there is nothing else. Such names are not numbered in a series, so none is
 * missing.
 */
bool ft_text_in_hexadecimal(const char *name, size_t at);

/* A key for base/map.h with the equality of ft_text_short_equal(). */
uint64_t ft_text_short_hash(const char *name);

/* ft_hash_bytes() of a string, as a key for base/map.h: different in each process. */
uint64_t ft_text_hash(const char *string);

/* FNV-1a of a string: the same everywhere and always, for stored data. Not collision-resistant. */
uint64_t ft_text_checksum(const char *string);

/*
 * Natural order of names: runs of digits compare as numbers ("node9" before "node10"), the rest by byte.
 * Returns <0, 0, >0 like strcmp(); 0 only for equal strings.
 */
int ft_text_natural_compare(const char *a, const char *b);
/* The same of two elements of a list of strings, for qsort(). */
int ft_text_natural_order(const void *a, const void *b);

/* Adds names in natural order, those with consecutive numbers as a range: "node001-node018, login1"; of more than four
 * of these, how many names are left.
 */
void ft_text_add_names(struct ft_text *text, char *const *names, size_t count);

/* wrap.c: adds @lines, breaking those of more than @width columns between words; 0: breaks none. */
void ft_text_wrap(struct ft_text *text, const char *lines, unsigned int width);

/*
 * The Levenshtein distance of two words, case-insensitive, for suggesting a key. UINT_MAX if one is longer than
 * FT_WORD_MAX bytes, as no key is.
 */
enum { FT_WORD_MAX = 24 };
unsigned int ft_text_distance(const char *a, const char *b);

/*
 * The word that was meant, if one is similar enough. Each of the @count words is the first member of one of @rows, of
 * @size bytes each. With words of two letters any other word would count as similar. NULL: none is.
 */
const char *ft_text_near(const char *word, const void *rows, size_t count, size_t size);

#endif
