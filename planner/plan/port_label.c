/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/plan/cabling.h"

enum {
	NUMBERS_MAX = 3,
	NUMBER_MAX = 99999, /* not a port number, but the error message can quote it */
	WORD_SIZE = 12,
};

/* Words that may precede a number, in small letters, and their meaning. */
enum label_word { WORD_NONE, WORD_BOARD, WORD_PORT, WORD_PLAIN, WORD_CHIP };

static const struct {
	const char *word;
	enum label_word is;
} label_words[] = {
	{"", WORD_NONE},	   {"blade", WORD_BOARD},  {"board", WORD_BOARD}, {"leaf", WORD_BOARD},
	{"line", WORD_BOARD},	   {"l", WORD_BOARD},	   {"lb", WORD_BOARD},	  {"slot", WORD_BOARD},
	{"s", WORD_BOARD},	   {"module", WORD_BOARD}, {"card", WORD_BOARD},  {"linecard", WORD_BOARD},
	{"lineboard", WORD_BOARD}, {"port", WORD_PORT},	   {"p", WORD_PORT},	  {"pt", WORD_PORT},
	{"ib", WORD_PLAIN},	   {"ibp", WORD_PLAIN},	   {"u", WORD_CHIP},	  {"chip", WORD_CHIP},
	{"asic", WORD_CHIP},
};

struct label {
	uint32_t numbers[NUMBERS_MAX];
	enum label_word words[NUMBERS_MAX]; /* before each */
	size_t count;
};

static int word_find(const char *word, enum label_word *ret_word)
{
	for (size_t i = 0; i < FT_COUNT(label_words); i++)
		if (strcmp(label_words[i].word, word) == 0) {
			*ret_word = label_words[i].is;
			return 0;
		}
	return -EINVAL;
}

/* The letters from @c on, in small ones and without separators, up to a digit. */
static int word_read(const char **c, enum label_word *ret_word)
{
	char word[WORD_SIZE];
	size_t length = 0;

	for (; **c && !isdigit((unsigned char)**c); (*c)++) {
		if (strchr(" _-/.:#", **c))
			continue;
		if (!isalpha((unsigned char)**c) || length + 1 == sizeof(word))
			return -EINVAL;
		word[length++] = (char)tolower((unsigned char)**c);
	}
	word[length] = '\0';
	return word_find(word, ret_word);
}

/* "20.0": how spreadsheets export 20. */
static void fraction_skip(const char **c)
{
	size_t zeros = **c == '.' ? strspn(*c + 1, "0") : 0;

	if (zeros > 0 && (*c)[1 + zeros] == '\0')
		*c += 1 + zeros;
}

static int label_split(const char *c, struct label *label)
{
	while (*c) {
		uint32_t number = 0;

		if (label->count == NUMBERS_MAX || word_read(&c, &label->words[label->count]) < 0 || !*c)
			return -EINVAL;
		for (; isdigit((unsigned char)*c); c++)
			number = number > NUMBER_MAX ? number : number * 10 + (uint32_t)(*c - '0');
		if (number > NUMBER_MAX)
			return -EINVAL;
		label->numbers[label->count++] = number;
		fraction_skip(&c);
	}
	return label->count > 0 ? 0 : -EINVAL;
}

int ft_port_label_read(const char *string, struct ft_port_label *ret_label)
{
	struct label label = {0};
	size_t last;
	bool chip_alone;

	if (label_split(string, &label) < 0)
		return -EINVAL;
	last = label.count - 1;
	chip_alone = last == 1 && label.words[0] == WORD_CHIP;
	/* A board alone is no port, and vice versa: except the chip before the last number. */
	if (label.words[last] == WORD_BOARD || (last == 1 && label.words[0] == WORD_PORT))
		return -EINVAL;
	if (last == 2 && (label.words[0] != WORD_BOARD || label.words[1] == WORD_BOARD || label.words[2] == WORD_CHIP ||
			  (label.words[1] == WORD_PORT && label.words[2] == WORD_PORT)))
		return -EINVAL;
	for (size_t i = 0; i <= last; i++)
		if (label.numbers[i] == 0)
			return -EINVAL;
	*ret_label = (struct ft_port_label){
		.board = last > 0 && !chip_alone ? label.numbers[0] : 0,
		.chip = last == 2    ? label.numbers[1]
			: chip_alone ? label.numbers[0]
				     : 0,
		.port = label.numbers[last],
	};
	return 0;
}
