/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the writers of text for people share. Private to verify/. */
#ifndef FT_VERIFY_REPORT_PARTS_H
#define FT_VERIFY_REPORT_PARTS_H

struct ft_text;

/* Adds @lines, those of more than @width columns broken between words; a @width of 0 breaks none. */
void ft_report_wrap(struct ft_text *t, const char *lines, unsigned int width);

#endif
