/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Parses the slots in names of chips, from the end of the name: the chip's item if there is one ("U1", "Chip A"),
 * before it the board's ("L05", "Leaf 5", "S201A"), and before that the name of the chassis. O(length).
 */
#include "config.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "verify/model/chassis.h"

static const char *const board_words[] = {"l",	       "leaf",	 "line", "lb",	  "lc", "lm", "linecard",
					  "lineboard", "s",	 "sb",	 "spine", "f",	"fb", "fc",
					  "fm",	       "fabric", "slot", "sfb",	  "slb"};
static const char *const chip_words[] = {"u", "chip", "asic", "die"};

enum { DIGITS_MAX = 4, STEM_MAX = 12 };

/* One item of a name, read from its end: "L05", "S201A", "Leaf 5", "Chip A", "2". */
struct item {
	size_t start, stem, digits; /* start; letters before the number; digits */
	uint32_t number;
	uint32_t letter; /* after the number, or instead of it: A is 1; 0: none */
};

static bool is_separator(char c)
{
	return strchr(" /:-_#.,;", c) && c != '\0';
}

static size_t separators_skip(const char *text, size_t end)
{
	while (end > 0 && is_separator(text[end - 1]))
		end--;
	return end;
}

static size_t letters_before(const char *text, size_t end)
{
	size_t count = 0;

	while (count < end && count < STEM_MAX && isalpha((unsigned char)text[end - 1 - count]))
		count++;
	return count;
}

static uint32_t letter_value(char c)
{
	return (uint32_t)(tolower((unsigned char)c) - 'a') + 1;
}

/* Reads the item that ends at @end; a blank may separate the word from its number. */
static bool item_before(const char *text, size_t end, struct item *ret)
{
	struct item item = {0};
	size_t at = end, letters = letters_before(text, at);

	if (letters == 1) {
		item.letter = letter_value(text[at - 1]);
		at--;
	} else if (letters > 1) {
		return false;
	}
	while (at > 0 && item.digits < DIGITS_MAX && isdigit((unsigned char)text[at - 1])) {
		at--;
		item.digits++;
	}
	for (size_t i = 0; i < item.digits; i++)
		item.number = item.number * 10 + (uint32_t)(text[at + i] - '0');
	item.stem = letters_before(text, at);
	if (item.stem == 0 && (item.digits > 0 || item.letter > 0)) {
		size_t before = at > 0 && strchr(" -_#", text[at - 1]) ? at - 1 : at;

		letters = before < at ? letters_before(text, before) : 0;
		if (letters > 0)
			item.stem = letters + at - before;
	}
	item.start = at - item.stem;
	/* Part of a longer word. */
	if (item.start > 0 && isalnum((unsigned char)text[item.start - 1]))
		return false;
	*ret = item;
	return true;
}

static bool is_word(const char *text, const struct item *item, const char *const *words, size_t count)
{
	size_t length = item->stem;

	while (length > 0 && !isalpha((unsigned char)text[item->start + length - 1]))
		length--;
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == length && strncasecmp(words[i], text + item->start, length) == 0)
			return true;
	return false;
}

static bool is_board(const char *text, const struct item *item)
{
	return item->digits > 0 && is_word(text, item, board_words, FT_COUNT(board_words));
}

/* "U1", "Chip A", or the bare "2" of "L05/2". */
static bool is_chip(const char *text, const struct item *item)
{
	if (item->stem == 0)
		return item->start > 0 && text[item->start - 1] == '/' && (item->digits > 0) != (item->letter > 0);
	return (item->digits > 0) != (item->letter > 0) && is_word(text, item, chip_words, FT_COUNT(chip_words));
}

bool ft_slot_read(const char *description, size_t length, struct ft_slot *ret)
{
	struct item board, chip = {0};
	size_t end = length, chassis;

	while (end > 0 && description[end - 1] == ' ')
		end--;
	if (!item_before(description, end, &board))
		return false;
	if (!is_board(description, &board)) {
		if (!is_chip(description, &board))
			return false;
		chip = board;
		end = separators_skip(description, chip.start);
		if (!item_before(description, end, &board) || !is_board(description, &board))
			return false;
	}
	chassis = separators_skip(description, board.start);
	if (chassis == 0)
		return false;
	*ret = (struct ft_slot){
		.chassis_length = (uint32_t)chassis,
		.word = (uint32_t)board.start,
		.stem = (uint32_t)board.stem,
		.digits = (uint32_t)board.digits,
		.number = board.number,
		.chip = chip.digits > 0	  ? chip.number
			: chip.letter > 0 ? chip.letter
					  : board.letter,
		.plain = strchr(" /:", description[board.start - 1]) != NULL,
	};
	return true;
}
