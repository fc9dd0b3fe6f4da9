/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The build as text, JSON and CSV. All three have the numbers of the tables in build.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/moment.h"
#include "planner/plan/design.h"
#include "planner/write/csv.h"
#include "verify/build/build.h"

static const char *const table_titles[FT_BUILD_TABLES] = {
	[FT_BUILD_ALL] = "all cables", [FT_BUILD_RACKS] = "by rack",   [FT_BUILD_GROUPS] = "by group",
	[FT_BUILD_TIERS] = "by kind",  [FT_BUILD_PHASES] = "by phase",
};
static const char *const table_keys[FT_BUILD_TABLES] = {
	[FT_BUILD_ALL] = "all",	    [FT_BUILD_RACKS] = "racks",	  [FT_BUILD_GROUPS] = "groups",
	[FT_BUILD_TIERS] = "kinds", [FT_BUILD_PHASES] = "phases",
};
static const char *const state_titles[FT_CABLE_STATES] = {
	[FT_CABLE_RIGHT] = "right",
	[FT_CABLE_MISSING] = "missing",
	[FT_CABLE_HALF] = "half",
	[FT_CABLE_WRONG_PORT] = "wrong port",
	[FT_CABLE_WRONG_SWITCH] = "wrong switch",
	[FT_CABLE_WRONG_RAIL] = "wrong rail",
	[FT_CABLE_SLOW] = "slow",
	[FT_CABLE_NOT_DUE] = "not yet due",
	[FT_CABLE_UNKNOWN] = "not judged",
};

static const struct ft_build_tally *all_of(const struct ft_build *b)
{
	return &b->tables[FT_BUILD_ALL][0];
}

/* "71.3 %", rounded down: 100 % is all of them. */
static void percent_add(struct ft_text *t, uint32_t part, uint32_t of)
{
	uint64_t tenths = of ? (uint64_t)part * 1000 / of : 1000;

	ft_text_printf(t, "%u.%u %%", (unsigned int)(tenths / 10), (unsigned int)(tenths % 10));
}

static const char *rack_name(const struct ft_build *b, uint32_t rack)
{
	return rack == FT_NONE ? "" : b->racks[rack];
}

static const char *const json_words[] = {"null", "false", "true"}, *const csv_words[] = {"", "no", "yes"};

/* Of the words for not known, no and yes. */
static const char *known_word(bool known, bool value, const char *const words[3])
{
	return words[known ? 1 + value : 0];
}

/* ---- text ---- */

static void head_write(struct ft_text *t, const struct ft_build *b, const struct ft_report *report)
{
	const struct ft_build_tally *all = all_of(b);
	char time[FT_TIME_SIZE];

	ft_text_printf(t, "BUILD %s", b->plan_name);
	if (ft_time_string(b->time_s, time) == 0)
		ft_text_printf(t, " at %s", time);
	ft_text_printf(t, ": %u of %u planned cables are right (", all->states[FT_CABLE_RIGHT], all->planned);
	percent_add(t, all->states[FT_CABLE_RIGHT], all->planned);
	ft_text_puts(t, ")");
	for (unsigned int s = FT_CABLE_RIGHT + 1; s < FT_CABLE_STATES; s++)
		if (all->states[s] > 0)
			ft_text_printf(t, ", %u %s", all->states[s], state_titles[s]);
	ft_text_printf(t, "\nVerdict on what is due: %s, %zu finding%s\n", ft_verdict_name(report->verdict),
		       report->finding_count, ft_text_s(report->finding_count));
}

/* What the numbers do not say by themselves. */
static void notes_write(struct ft_text *t, const struct ft_build *b)
{
	const struct ft_build_tally *all = all_of(b);

	if (b->course)
		ft_text_printf(t, "Done, that is right and clean for %u min: %u of %u\n", b->clean_s / 60, all->done,
			       all->planned);
	else
		ft_text_puts(t, "Which cables are done is not known: that takes --state FILE and --counters\n");
	if (b->course && !b->counters)
		ft_text_puts(t,
			     "No error counters were read, so no cable becomes done by this check: add --counters\n");
	if (!b->rails)
		ft_text_puts(t, "The plan has no rails, so no cable is on a wrong one\n");
	if (!b->ports)
		ft_text_puts(t, "The plan gives no ports, so any port of the right switch is right\n");
}

/* How wide the column of names is: rows without a cable are left out. */
static int name_width(const struct ft_build *b, enum ft_build_table table)
{
	size_t width = 4;

	for (uint32_t i = 0; i < b->table_counts[table]; i++)
		if (b->tables[table][i].planned > 0 && strlen(b->tables[table][i].name) > width)
			width = strlen(b->tables[table][i].name);
	return (int)width;
}

static void table_head(struct ft_text *t, const struct ft_build *b, enum ft_build_table table, int width)
{
	const struct ft_build_tally *all = all_of(b);

	ft_text_printf(t, "\n%-*s  planned", width, table_titles[table]);
	for (unsigned int s = 0; s < FT_CABLE_STATES; s++)
		if (s == FT_CABLE_RIGHT || all->states[s] > 0)
			ft_text_printf(t, "  %s", state_titles[s]);
	ft_text_puts(t, b->course ? "  done\n" : "\n");
}

static void table_write(struct ft_text *t, const struct ft_build *b, enum ft_build_table table)
{
	const struct ft_build_tally *all = all_of(b);
	int width = name_width(b, table);

	if ((size_t)width < strlen(table_titles[table]))
		width = (int)strlen(table_titles[table]);
	table_head(t, b, table, width);
	for (uint32_t i = 0; i < b->table_counts[table]; i++) {
		const struct ft_build_tally *row = &b->tables[table][i];

		if (row->planned == 0)
			continue;
		ft_text_printf(t, "%-*s  %7u", width, row->name, row->planned);
		for (unsigned int s = 0; s < FT_CABLE_STATES; s++)
			if (s == FT_CABLE_RIGHT || all->states[s] > 0)
				ft_text_printf(t, "  %*u", (int)strlen(state_titles[s]), row->states[s]);
		if (b->course)
			ft_text_printf(t, "  %4u", row->done);
		ft_text_puts(t, "\n");
	}
}

/* ---- the burn-down ---- */

/* The sample of each of up to @most equal spans of time, the last one among them. */
static void course_write(struct ft_text *t, const struct ft_build *b)
{
	enum { SHOWN = 12, DAY_S = 86400 };
	size_t count, shown = 0;
	const struct ft_build_sample *s, *last;

	if (!b->course)
		return;
	s = ft_build_course_samples(b->course, &count);
	if (count < 2)
		return;
	last = &s[count - 1];
	ft_text_puts(t, "\nover time             planned  right  to do  not yet due  done\n");
	for (size_t i = 0; i < count; i++) {
		char time[FT_TIME_SIZE];

		/* The first and the last, and between them steps of time that are alike. */
		if (i + 1 < count &&
		    (s[i].time_s - s[0].time_s) * (SHOWN - 1) < (int64_t)shown * (last->time_s - s[0].time_s))
			continue;
		shown++;
		if (ft_time_string(s[i].time_s, time) < 0)
			continue;
		ft_text_printf(t, "%s  %7u  %5u  %5u  %11u  %4u\n", time, s[i].planned, s[i].states[FT_CABLE_RIGHT],
			       s[i].planned - s[i].states[FT_CABLE_RIGHT] - s[i].states[FT_CABLE_NOT_DUE],
			       s[i].states[FT_CABLE_NOT_DUE], s[i].done);
	}
	if (last->states[FT_CABLE_RIGHT] < last->planned &&
	    last->states[FT_CABLE_RIGHT] > s[0].states[FT_CABLE_RIGHT] && last->time_s - s[0].time_s >= DAY_S / 24) {
		uint64_t gained = last->states[FT_CABLE_RIGHT] - s[0].states[FT_CABLE_RIGHT];
		uint64_t left = last->planned - last->states[FT_CABLE_RIGHT];
		uint64_t span = (uint64_t)(last->time_s - s[0].time_s);

		ft_text_printf(t,
			       "At the pace so far (%" PRIu64 " a day) the %" PRIu64 " others take %" PRIu64 ".%" PRIu64
			       " days\n",
			       gained * DAY_S / span, left, left * span / gained / DAY_S,
			       left * span * 10 / gained / DAY_S % 10);
	}
}

/* ---- work orders ---- */

static void end_text(struct ft_text *t, const struct ft_build *b, const struct ft_build_end *end)
{
	ft_text_printf(t, "%s/%u", end->name, end->port);
	if (end->rack != FT_NONE)
		ft_text_printf(t, " (%s U%u)", rack_name(b, end->rack), end->unit);
}

static void order_write(struct ft_text *t, const struct ft_build *b, uint32_t number)
{
	const struct ft_build_cable *c = &b->cables[number];

	ft_text_printf(t, "  [ ] cable %u  ", number + 1);
	end_text(t, b, &c->a);
	ft_text_puts(t, " - ");
	end_text(t, b, &c->b);
	ft_text_printf(t, "  %s\n", c->errors && c->state == FT_CABLE_RIGHT ? "errors" : state_titles[c->state]);
	if (c->there)
		ft_text_printf(t, "      found: %s\n", c->there);
	if (c->todo)
		ft_text_printf(t, "      do: %s\n", c->todo);
}

static void orders_write(struct ft_text *t, const struct ft_build *b)
{
	for (uint32_t rack = 0; rack < b->table_counts[FT_BUILD_RACKS]; rack++) {
		const struct ft_build_tally *row = &b->tables[FT_BUILD_RACKS][rack];
		bool none = rack + 1 == b->table_counts[FT_BUILD_RACKS];
		uint32_t open = 0;

		for (uint32_t i = 0; row->planned > 0 && i < b->cable_count; i++) {
			const struct ft_build_cable *c = &b->cables[i];

			if (!ft_build_is_open(c) || (none ? c->a.rack != FT_NONE : c->a.rack != rack))
				continue;
			if (open++ == 0)
				ft_text_printf(t, "\nWork order, %s%s:\n", none ? "" : "rack ", row->name);
			order_write(t, b, i);
		}
	}
}

void ft_build_write_text(struct ft_text *t, const struct ft_build *b, const struct ft_report *report, bool verbose)
{
	head_write(t, b, report);
	notes_write(t, b);
	for (enum ft_build_table table = FT_BUILD_ALL + 1; table < FT_BUILD_TABLES; table++)
		if (b->table_counts[table] > 0)
			table_write(t, b, table);
	course_write(t, b);
	orders_write(t, b);
	if (verbose && report->finding_count > 0) {
		ft_text_puts(t, "\nFindings:\n");
		ft_report_write_text(t, report, false, false);
	}
}

/* ---- JSON ---- */

static void tally_json(struct ft_text *t, const struct ft_build *b, const struct ft_build_tally *row)
{
	ft_text_puts(t, "{");
	ft_text_add_member(t, "name", row->name);
	ft_text_printf(t, ", \"planned\": %u", row->planned);
	for (unsigned int s = 0; s < FT_CABLE_STATES; s++)
		ft_text_printf(t, ", \"%s\": %u", ft_cable_state_name(s), row->states[s]);
	if (b->course)
		ft_text_printf(t, ", \"done\": %u}", row->done);
	else
		ft_text_puts(t, ", \"done\": null}");
}

static void time_json(struct ft_text *t, const char *name, int64_t time_s)
{
	char time[FT_TIME_SIZE];

	ft_text_add_member(t, name, time_s > 0 && ft_time_string(time_s, time) == 0 ? time : NULL);
}

static void end_json(struct ft_text *t, const struct ft_build *b, const char *key, const struct ft_build_end *end)
{
	ft_text_printf(t, ", \"%s\": {", key);
	ft_text_add_member(t, "name", end->name);
	ft_text_printf(t, ", \"port\": %u, ", end->port);
	if (end->rack == FT_NONE) {
		ft_text_puts(t, "\"rack\": null, \"unit\": null}");
		return;
	}
	ft_text_add_member(t, "rack", rack_name(b, end->rack));
	ft_text_printf(t, ", \"unit\": %u}", end->unit);
}

static void cable_json(struct ft_text *t, const struct ft_build *b, uint32_t number)
{
	const struct ft_build_cable *c = &b->cables[number];

	ft_text_printf(t, "{\"cable\": %u, \"state\": \"%s\", \"kind\": \"%s\"", number + 1,
		       ft_cable_state_name(c->state), c->kind);
	end_json(t, b, "a", &c->a);
	end_json(t, b, "b", &c->b);
	ft_text_printf(t, ", \"errors\": %s, \"done\": %s", known_word(c->counted, c->errors, json_words),
		       known_word(b->course, c->done, json_words));
	if (b->course) {
		time_json(t, "right_since", c->right_s);
		time_json(t, "clean_since", c->clean_s);
	}
	ft_text_add_member(t, "found", c->there);
	ft_text_add_member(t, "todo", c->todo);
	ft_text_puts(t, "}");
}

static void course_json(struct ft_text *t, const struct ft_build *b)
{
	size_t count;
	const struct ft_build_sample *s = ft_build_course_samples(b->course, &count);

	ft_text_puts(t, ",\n  \"over_time\": [");
	for (size_t i = 0; i < count; i++) {
		ft_text_puts(t, i ? ",\n    {" : "\n    {");
		time_json(t, "time", s[i].time_s);
		ft_text_printf(t, ", \"planned\": %u", s[i].planned);
		for (unsigned int n = 0; n < FT_CABLE_STATES; n++)
			ft_text_printf(t, ", \"%s\": %u", ft_cable_state_name(n), s[i].states[n]);
		ft_text_printf(t, ", \"done\": %u}", s[i].done);
	}
	ft_text_puts(t, count ? "\n  ]" : "]");
}

void ft_build_write_json(struct ft_text *t, const struct ft_build *b, const struct ft_report *report,
			 uint32_t open_most)
{
	uint32_t listed = 0;

	ft_text_puts(t, "{\n  \"ftcheck_build\": 1,\n  \"plan\": {");
	ft_text_add_member(t, "name", b->plan_name);
	ft_text_add_member(t, "sha256", b->plan_sha256);
	ft_text_puts(t, "},\n  ");
	time_json(t, "time", b->time_s);
	ft_text_printf(t, ",\n  \"verdict\": \"%s\",\n  \"rails\": %s, \"ports\": %s, \"counters\": %s,\n",
		       ft_verdict_name(report->verdict), b->rails ? "true" : "false", b->ports ? "true" : "false",
		       b->counters ? "true" : "false");
	ft_text_printf(t, "  \"clean_s\": %u,\n  \"all\": ", b->clean_s);
	tally_json(t, b, all_of(b));
	for (enum ft_build_table table = FT_BUILD_ALL + 1; table < FT_BUILD_TABLES; table++) {
		size_t written = 0;

		ft_text_printf(t, ",\n  \"%s\": [", table_keys[table]);
		for (uint32_t i = 0; i < b->table_counts[table]; i++) {
			if (b->tables[table][i].planned == 0)
				continue;
			ft_text_puts(t, written++ ? ",\n    " : "\n    ");
			tally_json(t, b, &b->tables[table][i]);
		}
		ft_text_puts(t, written ? "\n  ]" : "]");
	}
	if (b->course)
		course_json(t, b);
	ft_text_puts(t, ",\n  \"cables\": [");
	for (uint32_t i = 0; i < b->cable_count && (open_most == 0 || listed < open_most); i++) {
		if (open_most > 0 && !ft_build_is_open(&b->cables[i]))
			continue;
		ft_text_puts(t, listed++ ? ",\n    " : "\n    ");
		cable_json(t, b, i);
	}
	ft_text_puts(t, listed ? "\n  ]\n}\n" : "]\n}\n");
}

/* ---- CSV ---- */

static void end_csv(struct ft_text *t, const struct ft_build *b, const struct ft_build_end *end)
{
	ft_csv_add(t, end->name);
	ft_text_printf(t, ",%u,", end->port);
	ft_csv_add(t, rack_name(b, end->rack));
	ft_text_puts(t, ",");
	if (end->unit != FT_NONE)
		ft_csv_add_count(t, end->unit);
	ft_text_puts(t, ",");
}

void ft_build_write_csv(struct ft_text *t, const struct ft_build *b, bool all)
{
	ft_text_puts(t, "cable,state,a,a_port,a_rack,a_unit,b,b_port,b_rack,b_unit,kind,errors,done,found,todo\n");
	for (uint32_t i = 0; i < b->cable_count; i++) {
		const struct ft_build_cable *c = &b->cables[i];

		if (!all && !ft_build_is_open(c))
			continue;
		ft_text_printf(t, "%u,%s,", i + 1, ft_cable_state_name(c->state));
		end_csv(t, b, &c->a);
		end_csv(t, b, &c->b);
		ft_text_printf(t, "%s,%s,%s,", c->kind, known_word(c->counted, c->errors, csv_words),
			       known_word(b->course, c->done, csv_words));
		ft_csv_add(t, c->there ? c->there : "");
		ft_text_puts(t, ",");
		ft_csv_add(t, c->todo ? c->todo : "");
		ft_text_puts(t, "\n");
	}
}
