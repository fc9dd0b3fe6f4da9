/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The page for browsers: one HTML document with its style and script in it. Its sources are daemon/page/, which the
 * build turns into strings (page_data.c).
 */
#ifndef FT_DAEMON_PAGE_H
#define FT_DAEMON_PAGE_H

#include "base/text.h"

/* The sources, each ending with a newline. */
extern const char ft_page_html[], ft_page_css[], ft_page_js[];

/* The document: ft_page_html with the style and the script in place of the lines "@style@" and "@script@". */
void ft_page_write(struct ft_text *text);

/*
 * Its Content-Security-Policy: nothing but that style and that script, by their SHA-256 (CSP Level 3, section 8.4), and
 * requests to the daemon itself. Returns 0 or -ENOMEM.
 */
int ft_page_write_policy(struct ft_text *text);

#endif
