/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/ratio.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>

#include "base/numbers.h"
#include "base/text.h"

static const int64_t term_max = 1000000000;

int ft_ratio_make(int64_t num, int64_t den, struct ft_ratio *ret_ratio)
{
	int64_t divisor;

	if (num < 0 || den <= 0)
		return -ERANGE;
	divisor = ft_number_divisor(num, den);
	num /= divisor;
	den /= divisor;
	if (num > term_max || den > term_max)
		return -ERANGE;
	*ret_ratio = (struct ft_ratio){num, den};
	return 0;
}

/* An unsigned decimal at *@s, which is moved past it. */
static int decimal_parse(const char **s, int64_t *ret_num, int64_t *ret_den)
{
	int64_t num = 0, den = 1;
	bool point = false;
	const char *p = *s;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p) || (*p == '.' && !point && isdigit((unsigned char)p[1])); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		num = num * 10 + (*p - '0');
		if (point)
			den *= 10;
		if (num > term_max || den > term_max)
			return -ERANGE;
	}
	*s = p;
	*ret_num = num;
	*ret_den = den;
	return 0;
}

int ft_ratio_parse(const char *string, struct ft_ratio *ret_ratio)
{
	int64_t num, den, over_num = 1, over_den = 1;
	int r;

	r = decimal_parse(&string, &num, &den);
	if (r < 0)
		return r;
	if (*string == ':') {
		string++;
		r = decimal_parse(&string, &over_num, &over_den);
		if (r < 0)
			return r;
	}
	if (*string)
		return -EINVAL;
	return ft_ratio_make(num * over_den, den * over_num, ret_ratio);
}

int ft_ratio_compare(struct ft_ratio a, struct ft_ratio b)
{
	int64_t left = a.num * b.den, right = b.num * a.den;

	return (left > right) - (left < right);
}

/* True where the decimal expansion ends: the denominator has no prime factor but 2 and 5. */
static bool ratio_ends(struct ft_ratio ratio)
{
	int64_t den = ratio.den;

	while (den % 2 == 0)
		den /= 2;
	while (den % 5 == 0)
		den /= 5;
	return den == 1;
}

void ft_ratio_add(struct ft_text *text, struct ft_ratio ratio)
{
	int64_t rest = ratio.num % ratio.den;

	if (!ratio_ends(ratio)) {
		ft_text_printf(text, "%lld:%lld", (long long)ratio.num, (long long)ratio.den);
		return;
	}
	ft_text_printf(text, "%lld", (long long)(ratio.num / ratio.den));
	if (rest)
		ft_text_puts(text, ".");
	while (rest) {
		rest *= 10;
		ft_text_printf(text, "%lld", (long long)(rest / ratio.den));
		rest %= ratio.den;
	}
}

void ft_ratio_add_json(struct ft_text *text, struct ft_ratio ratio)
{
	bool quoted = !ratio_ends(ratio);

	if (quoted)
		ft_text_puts(text, "\"");
	ft_ratio_add(text, ratio);
	if (quoted)
		ft_text_puts(text, "\"");
}

int ft_ratio_read_json(const char *text, size_t length, struct ft_ratio *ret_ratio)
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
