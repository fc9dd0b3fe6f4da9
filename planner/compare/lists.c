/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A comparison for programs: csv and json. */
#include "planner/compare/table.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/write/csv.h"

/* As many digits as the figure has, without zeros behind the last of them. */
static void add_number(struct ft_text *text, double value, unsigned int digits)
{
	_cleanup_(ft_text_release) struct ft_text number = {0};

	ft_text_printf(&number, "%.*f", (int)digits, value);
	if (ft_text_failed(&number)) {
		text->failed = true;
		return;
	}
	for (; digits > 0 && number.data[number.length - 1] == '0'; digits--)
		number.length--;
	if (number.data[number.length - 1] == '.')
		number.length--;
	ft_text_add(text, number.data, number.length);
}

/* ---- csv ---- */

static void csv_text(struct ft_text *text, const char *string)
{
	ft_csv_add(text, string ? string : "");
	ft_text_puts(text, ",");
}

static void csv_measured(struct ft_text *text, const struct ft_measured *measured,
			 const struct ft_compared_about *about)
{
	bool known = ft_measured_known(measured);

	if (known)
		add_number(text, measured->value, about->digits);
	ft_text_puts(text, ",");
	if (!about->interval)
		return;
	ft_text_printf(text, "%s,", ft_how_name(measured->how));
	if (known)
		add_number(text, measured->low, about->digits);
	ft_text_puts(text, ",");
	if (known)
		add_number(text, measured->high, about->digits);
	ft_text_puts(text, ",");
}

void ft_comparison_write_csv(struct ft_text *text, const struct ft_comparison *comparison)
{
	ft_text_puts(text, "nodes,asked,network,");
	for (int i = 0; i < FT_COMPARED_COUNT; i++) {
		const char *name = ft_compared_about[i].name;

		ft_text_printf(text, "%s,", name);
		if (ft_compared_about[i].interval)
			ft_text_printf(text, "%s_how,%s_low,%s_high,", name, name, name);
	}
	ft_text_puts(text, "bought,currency,refusal\n");
	for (size_t i = 0; i < comparison->count; i++) {
		const struct ft_compared *row = &comparison->rows[i];

		ft_text_printf(text, "%u,", row->nodes);
		csv_text(text, row->asked);
		csv_text(text, row->network);
		for (int k = 0; k < FT_COMPARED_COUNT; k++)
			csv_measured(text, &row->figures[k], &ft_compared_about[k]);
		csv_text(text, row->switches);
		csv_text(text, row->currency);
		ft_csv_add(text, row->refusal ? row->refusal : "");
		ft_text_puts(text, "\n");
	}
}

/* ---- json ---- */

static void json_measured(struct ft_text *text, const struct ft_measured *measured,
			  const struct ft_compared_about *about)
{
	ft_text_printf(text, "\"%s\": {\"value\": ", about->name);
	if (ft_measured_known(measured))
		add_number(text, measured->value, about->digits);
	else
		ft_text_puts(text, "null");
	ft_text_printf(text, ", \"how\": \"%s\"", ft_how_name(measured->how));
	if (measured->how == FT_HOW_FOUND || measured->how == FT_HOW_SAMPLED) {
		ft_text_puts(text, ", \"low\": ");
		add_number(text, measured->low, about->digits);
		ft_text_puts(text, ", \"high\": ");
		add_number(text, measured->high, about->digits);
	}
	ft_text_puts(text, "}");
}

static void json_figures(struct ft_text *text, const struct ft_compared *row)
{
	ft_text_puts(text, ",\n     \"figures\": {");
	for (int i = 0; i < FT_COMPARED_COUNT; i++) {
		ft_text_puts(text, i > 0 ? ",\n       " : "\n       ");
		json_measured(text, &row->figures[i], &ft_compared_about[i]);
	}
	ft_text_puts(text, "}");
}

static void json_row(struct ft_text *text, const struct ft_compared *row)
{
	const struct {
		const char *name, *value;
	} strings[] = {
		{"network", row->network},   {"bought", row->switches},	    {"catalog", row->catalog},
		{"currency", row->currency}, {"prices_of", row->prices_of}, {"refusal", row->refusal},
	};

	ft_text_printf(text, "    {\"nodes\": %u", row->nodes);
	ft_text_add_member(text, "asked", row->asked);
	for (size_t i = 0; i < FT_COUNT(strings); i++)
		if (strings[i].value && strings[i].value[0])
			ft_text_add_member(text, strings[i].name, strings[i].value);
	if (row->network)
		json_figures(text, row);
	ft_text_puts(text, "}");
}

void ft_comparison_write_json(struct ft_text *text, const struct ft_comparison *comparison)
{
	ft_text_printf(text, "{\n  \"ftcheck_comparison\": 1,\n  \"seed\": %u,\n  \"orders\": %u,\n  \"rows\": [",
		       comparison->seed, comparison->orders);
	for (size_t i = 0; i < comparison->count; i++) {
		ft_text_puts(text, i > 0 ? ",\n" : "\n");
		json_row(text, &comparison->rows[i]);
	}
	ft_text_puts(text, "\n  ]\n}\n");
}
