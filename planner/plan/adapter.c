/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/adapter.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "planner/plan/cabling.h"

/* ---- compare ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* An adapter name in two parts: its kind, and its number without leading zeros. */
struct parts {
	size_t kind; /* bytes */
	const char *number;
	size_t digits;
};

static struct parts parts_of(const char *name, size_t length)
{
	struct parts parts = {.kind = length, .digits = 0};

	while (parts.kind > 0 && is_digit(name[parts.kind - 1]))
		parts.kind--;
	parts.number = name + parts.kind;
	parts.digits = length - parts.kind;
	while (parts.digits > 1 && *parts.number == '0') {
		parts.number++;
		parts.digits--;
	}
	while (parts.kind > 0 && strchr("-_ #", name[parts.kind - 1]))
		parts.kind--;
	return parts;
}

static size_t trim(const char *name, size_t length)
{
	while (length > 0 && name[length - 1] == ' ')
		length--;
	return length;
}

enum ft_adapter_relation ft_adapter_compare(const char *a, size_t a_length, const char *b, size_t b_length)
{
	struct parts one, other;

	a_length = trim(a, a_length);
	b_length = trim(b, b_length);
	if (a_length == b_length && strncasecmp(a, b, a_length) == 0)
		return FT_ADAPTER_SAME;
	one = parts_of(a, a_length);
	other = parts_of(b, b_length);
	if (one.kind == 0 || one.digits == 0 || other.digits == 0 || one.kind != other.kind ||
	    strncasecmp(a, b, one.kind) != 0)
		return FT_ADAPTER_UNLIKE;
	return one.digits == other.digits && memcmp(one.number, other.number, one.digits) == 0 ? FT_ADAPTER_SAME
											       : FT_ADAPTER_OTHER;
}

/* ---- read ---- */

/* Bytes at the start of @text that are a name as adapters have: "HCA-1", "HCA 1", "mlx5_0", "ib0"; 0: there is none. */
static size_t known_name(const char *text)
{
	static const char *const words[] = {"hca", "mlx", "ib", "qib", "hfi"};

	for (size_t i = 0; i < FT_COUNT(words); i++) {
		size_t length = strlen(words[i]);

		if (strncasecmp(text, words[i], length) != 0)
			continue;
		length += strspn(text + length, "-_ #");
		if (!is_digit(text[length]))
			continue;
		while (isalnum((unsigned char)text[length]) || text[length] == '_')
			length++;
		return length;
	}
	return 0;
}

static uint32_t port_read(const char *text)
{
	struct ft_port_label label;

	if (ft_port_label_read(text, &label) < 0 || label.board || label.chip || label.port > FT_ADAPTER_PORT_MAX)
		return 0;
	return label.port;
}

void ft_adapter_read(const char *text, size_t *ret_length, uint32_t *ret_port)
{
	size_t name = known_name(text), past = name + strspn(text + name, " /:.-[(");

	*ret_port = text[past] ? port_read(text + past) : 0;
	*ret_length = *ret_port || !text[past] ? name : strlen(text);
}
