/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The view of one switch, as a table and as JSON. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "planner/plan/plan.h"
#include "verify/report/look.h"
#include "verify/model/words.h"
#include "verify/report/report_parts.h"

static bool is_shown(const struct ft_look *look, enum ft_look_cell cell)
{
	return (cell != FT_LOOK_CHIP || look->director) && (cell != FT_LOOK_ERRORS || look->counted);
}

/* ---- text ---- */

/* What stands there in the table; @port NULL: the head. */
static const char *cell_text(const struct ft_look_port *port, enum ft_look_cell cell)
{
	static const char *const heads[] = {"at", "planned", "seen", "link", "rate", "errors", "finding"};

	return !port ? heads[cell] : port->cells[cell] ? port->cells[cell] : "-";
}

static void head_write(struct ft_text *t, const struct ft_look *look, bool colour)
{
	ft_text_puts(t, look->name ? look->name : look->planned_as);
	if (look->row->guid && ft_words_of(look->report->source.ethernet)->guids)
		ft_text_printf(t, " (0x%016" PRIx64 ")", look->row->guid);
	if (look->row->kind)
		ft_text_printf(t, ", %s%sswitch", ft_kind_word(look->row->kind),
			       ft_kind_word(look->row->kind)[0] ? " " : "");
	else if (look->report->kind_count > 0)
		ft_text_puts(t, ", a switch");
	else
		ft_text_printf(t, ", %s switch", look->row->tier);
	if (!look->planned_as)
		ft_text_puts(t, " that the plan does not know");
	else if (!look->name)
		ft_text_puts(t, " that was not seen");
	else if (strcmp(look->name, look->planned_as) != 0)
		ft_text_printf(t, ", planned as %s", look->planned_as);
	ft_text_puts(t, ": ");
	ft_report_write_status(t, look->row->status, colour);
	ft_text_printf(t, ", %u of %u %ss, %u host%s\n", look->row->uplinks_up, look->row->uplinks_planned,
		       ft_report_link_word(look->report), look->row->hosts, ft_text_s(look->row->hosts));
}

static void table_write(struct ft_text *t, const struct ft_look *look)
{
	int widths[FT_LOOK_CELLS] = {0};

	for (enum ft_look_cell c = 0; c < FT_LOOK_CELLS; c++)
		for (size_t i = 0; i <= look->port_count; i++) {
			int width = (int)strlen(cell_text(i > 0 ? &look->ports[i - 1] : NULL, c));

			widths[c] = width > widths[c] ? width : widths[c];
		}
	for (size_t i = 0; i <= look->port_count; i++) {
		const struct ft_look_port *port = i > 0 ? &look->ports[i - 1] : NULL;
		_cleanup_(ft_text_release) struct ft_text line = {0};
		size_t length;

		if (!port)
			ft_text_puts(&line, "port");
		else if (port->number == 0)
			ft_text_puts(&line, "   -");
		else
			ft_text_printf(&line, "%4u", port->number);
		for (enum ft_look_cell c = 0; c < FT_LOOK_CELLS; c++)
			if (is_shown(look, c))
				ft_text_printf(&line, "  %-*s", widths[c], cell_text(port, c));
		for (length = line.length; length > 0 && line.data[length - 1] == ' '; length--)
			;
		ft_text_add(t, ft_text_string(&line), length);
		ft_text_puts(t, "\n");
		t->failed |= line.failed;
	}
}

void ft_look_write_text(struct ft_text *t, const struct ft_look *look, bool verbose, const struct ft_terminal *terminal)
{
	head_write(t, look, terminal->colour);
	if (look->port_count > 0)
		table_write(t, look);
	ft_report_write_findings(t, look->report, verbose, terminal);
}

/* ---- JSON ---- */

static void port_write(struct ft_text *t, const struct ft_look *look, const struct ft_look_port *port)
{
	static const char *const names[] = {"at", "planned", "seen", "link", "rate", "errors", "findings"};

	if (port->number)
		ft_text_printf(t, "{\"port\": %u", port->number);
	else
		ft_text_puts(t, "{\"port\": null");
	for (enum ft_look_cell c = 0; c < FT_LOOK_CELLS; c++)
		if (is_shown(look, c))
			ft_text_add_member(t, names[c], port->cells[c]);
	ft_text_puts(t, "}");
}

void ft_look_write_json(struct ft_text *t, const struct ft_look *look)
{
	ft_text_puts(t, "{\n  \"ftcheck_switch\": 1,\n  ");
	ft_text_add_member(t, "name", look->name);
	if (look->row->guid)
		ft_text_printf(t, ", \"guid\": \"0x%016" PRIx64 "\"", look->row->guid);
	else
		ft_text_puts(t, ", \"guid\": null");
	ft_text_add_member(t, "planned_as", look->planned_as);
	ft_text_add_member(t, "tier", look->row->tier);
	if (look->report->kind_count > 0)
		ft_text_add_member(t, "kind", look->row->kind);
	ft_text_puts(t, ",\n  ");
	ft_text_add_member(t, "status", ft_status_name(look->row->status));
	ft_text_add_member(t, "verdict", ft_verdict_name(look->report->verdict));
	ft_text_printf(t, ", \"uplinks\": {\"planned\": %u, \"up\": %u}, \"hosts\": %u,\n  \"ports\": [",
		       look->row->uplinks_planned, look->row->uplinks_up, look->row->hosts);
	for (size_t i = 0; i < look->port_count; i++) {
		ft_text_puts(t, i ? ",\n    " : "\n    ");
		port_write(t, look, &look->ports[i]);
	}
	ft_text_puts(t, look->port_count ? "\n  ],\n  \"findings\": [" : "],\n  \"findings\": [");
	for (size_t i = 0; i < look->report->finding_count; i++) {
		ft_text_puts(t, i ? ",\n    " : "\n    ");
		ft_finding_write_json(t, &look->report->findings[i]);
	}
	ft_text_puts(t, look->report->finding_count ? "\n  ]\n}\n" : "]\n}\n");
}
