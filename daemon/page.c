/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/page.h"

#include <errno.h>
#include <sha256.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"

static const struct {
	const char *line; /* of the document */
	const char *tag;
	const char *source;
} inlined[] = {
	{"@style@\n", "style", ft_page_css},
	{"@script@\n", "script", ft_page_js},
};

void ft_page_write(struct ft_text *text)
{
	const char *rest = ft_page_html;

	for (size_t i = 0; i < FT_COUNT(inlined); i++) {
		const char *at = strstr(rest, inlined[i].line);

		if (!at)
			continue;
		ft_text_add(text, rest, (size_t)(at - rest));
		ft_text_printf(text, "<%s>", inlined[i].tag);
		ft_text_puts(text, inlined[i].source);
		ft_text_printf(text, "</%s>\n", inlined[i].tag);
		rest = at + strlen(inlined[i].line);
	}
	ft_text_puts(text, rest);
}

/* RFC 4648, section 4. */
static void base64_add(struct ft_text *text, const uint8_t *bytes, size_t length)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < length; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (i + 2 < length ? bytes[i + 2] : 0);
		const char four[] = {digits[three >> 18], digits[three >> 12 & 63],
				     i + 1 < length ? digits[three >> 6 & 63] : '=',
				     i + 2 < length ? digits[three & 63] : '='};

		ft_text_add(text, four, sizeof(four));
	}
}

int ft_page_write_policy(struct ft_text *text)
{
	ft_text_puts(text, "default-src 'none'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
			   "form-action 'none'; frame-ancestors 'none'");
	for (size_t i = 0; i < FT_COUNT(inlined); i++) {
		uint8_t digest[SHA256_DIGEST_LENGTH];
		SHA2_CTX context;

		SHA256Init(&context);
		SHA256Update(&context, (const uint8_t *)inlined[i].source, strlen(inlined[i].source));
		SHA256Final(digest, &context);
		ft_text_printf(text, "; %s-src 'sha256-", inlined[i].tag);
		base64_add(text, digest, sizeof(digest));
		ft_text_puts(text, "'");
	}
	return ft_text_failed(text) ? -ENOMEM : 0;
}
