/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The members of the JSON of a report, as tables (base/members.h). Private to report/. */
#ifndef FT_VERIFY_REPORT_MEMBERS_H
#define FT_VERIFY_REPORT_MEMBERS_H

#include "base/members.h"
#include "verify/model/report.h"

/* kinds.c: the kinds that only a report has. */
extern const struct ft_value_kind ft_value_act, ft_value_after, ft_value_code, ft_value_evidence, ft_value_histogram,
	ft_value_interface, ft_value_milli, ft_value_port, ft_value_severity, ft_value_sm_state, ft_value_source,
	ft_value_status, ft_value_tier, ft_value_verdict;

extern const struct ft_member ft_report_members[];
extern const size_t ft_report_member_count;
extern const struct ft_member ft_finding_members[];
extern const size_t ft_finding_member_count;

#endif
