/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the writers of text for people share. Private to verify/. */
#ifndef FT_VERIFY_REPORT_PARTS_H
#define FT_VERIFY_REPORT_PARTS_H

#include "verify/report.h"

struct ft_text;

/* The word for a status. */
void ft_report_write_status(struct ft_text *t, enum ft_status status, bool colour);

/* The findings alone, as they stand in the report. */
void ft_report_write_findings(struct ft_text *t, const struct ft_report *report, bool verbose,
			      const struct ft_terminal *terminal);

/* Adds @lines, those of more than @width columns broken between words; a @width of 0 breaks none. */
void ft_report_wrap(struct ft_text *t, const char *lines, unsigned int width);

#endif
