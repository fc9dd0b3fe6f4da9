/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/mac.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"

enum { DIGITS = 12 };

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)((at - digits) % 16) : -1;
}

/* The forms: what stands between groups of so many digits. */
static const struct {
	char separator; /* 0: nothing */
	unsigned int digits;
} forms[] = {{':', 2}, {'-', 2}, {'.', 4}, {0, DIGITS}};

static bool form_read(const char *c, char separator, unsigned int digits, uint64_t *ret_mac)
{
	uint64_t mac = 0;

	for (unsigned int i = 0; i < DIGITS; i++) {
		int digit;

		if (i > 0 && i % digits == 0 && *c++ != separator)
			return false;
		digit = digit_of(*c);
		if (digit < 0)
			return false;
		mac = mac << 4 | (uint64_t)digit;
		c++;
	}
	*ret_mac = mac;
	return *c == '\0';
}

int ft_mac_read(const char *string, uint64_t *ret_mac)
{
	uint64_t mac;

	for (size_t i = 0; i < FT_COUNT(forms); i++) {
		if (!form_read(string, forms[i].separator, forms[i].digits, &mac))
			continue;
		if (mac == 0 || mac >> 40 & 1)
			return -ERANGE;
		*ret_mac = mac;
		return 0;
	}
	return -EINVAL;
}

void ft_mac_add(struct ft_text *text, uint64_t mac)
{
	static const char digits[] = "0123456789abcdef";
	char form[DIGITS + 5];
	size_t length = 0;

	/* By hand: there are hundreds of thousands of them in the tables of one plan. */
	for (int shift = 44; shift >= 0; shift -= 4) {
		form[length++] = digits[mac >> shift & 15];
		if (shift % 8 == 0 && shift > 0)
			form[length++] = ':';
	}
	ft_text_add(text, form, length);
}
