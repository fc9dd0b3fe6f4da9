/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared by the writers of text. Private to report/. */
#ifndef FT_VERIFY_REPORT_REPORT_PARTS_H
#define FT_VERIFY_REPORT_REPORT_PARTS_H

#include "verify/model/report.h"

struct ft_text;

/* "OK", "WARNING", "CRITICAL", "UNKNOWN": as a line begins with it. */
const char *ft_report_capitals(enum ft_verdict verdict);

/* The word for a status. */
void ft_report_write_status(struct ft_text *t, enum ft_status status, bool colour);

/* A finding as sentences: what, and how to fix it, or why not. */
void ft_report_write_sentences(struct ft_text *t, const struct ft_finding *finding, bool colour);

/* Only the findings, in the order of the report. */
void ft_report_write_findings(struct ft_text *t, const struct ft_report *report, bool verbose,
			      const struct ft_terminal *terminal);

#endif
