/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What designs by the rules of a family, or of trees with classes, have in common: parts of their text, and the trial.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/by_rule.h"
#include "verify/infer/ranges.h"
#include "verify/model/verify.h"

/* ---- parts of the text ---- */

void ft_infer_write_head(struct ft_text *text, const struct ft_snapshot *snapshot, const char *name)
{
	_cleanup_free_ char *safe = ft_text_safe_dup(name, strlen(name));

	text->failed |= !safe;
	ft_text_puts(text, "{\n\t\"ftcheck\": 1,\n\t\"name\": ");
	ft_text_add_json(text, safe ? safe : "");
	if (snapshot->source.ethernet)
		ft_text_puts(text, ",\n\t\"technology\": \"ethernet\",\n\t\"vlans\": false");
}

static void write_rate_name(struct ft_text *text, struct ft_rate rate)
{
	char name[FT_RATE_NAME_SIZE];

	ft_text_printf(text, "\"%s\"", ft_rate_name(rate, name));
}

void ft_infer_write_rates_of(struct ft_text *text, const char *before, struct ft_rate uplink,
			     const struct ft_rate *hosts, uint32_t host_count)
{
	bool known = uplink.speed != FT_SPEED_UNKNOWN;

	if (!known && host_count == 0)
		return;
	ft_text_printf(text, "%s\"rate\": {", before);
	if (known) {
		ft_text_puts(text, "\"uplink\": ");
		write_rate_name(text, uplink);
	}
	if (host_count > 0)
		ft_text_printf(text, "%s\"host\": %s", known ? ", " : "", host_count > 1 ? "[" : "");
	for (uint32_t i = 0; i < host_count; i++) {
		ft_text_puts(text, i ? ", " : "");
		write_rate_name(text, hosts[i]);
	}
	ft_text_puts(text, host_count > 1 ? "]}" : "}");
}

void ft_infer_write_rates(struct ft_text *text, const struct ft_inference *f)
{
	ft_infer_write_rates_of(text, ",\n\t", f->rates.uplink, f->rates.hosts, f->rates.host_count);
}

void ft_infer_by_rule_hosts(const uint32_t *hosts_of, const uint32_t *observed_of, uint32_t count, uint32_t unseen,
			    struct ft_text *text)
{
	ft_text_puts(text, ", \"hosts\": [");
	for (uint32_t i = 0, run; i < count; i += run) {
		uint32_t hosts = observed_of[i] == FT_NONE ? unseen : hosts_of[observed_of[i]];

		for (run = 1; i + run < count; run++)
			if ((observed_of[i + run] == FT_NONE ? unseen : hosts_of[observed_of[i + run]]) != hosts)
				break;
		ft_text_printf(text, "%s{\"count\": %u, \"hosts\": %u}", i ? ", " : "", run, hosts);
	}
	ft_text_puts(text, "]");
}

bool *ft_infer_by_rule_names(const struct ft_inference *f)
{
	const struct ft_observed_fabric *observed = f->observed;
	_cleanup_(ft_map_release) struct ft_map map = {0};
	bool *by_guid = ft_arena_zeros(f->memory, observed->switch_count, sizeof(*by_guid));

	for (uint32_t i = 0; by_guid && i < observed->switch_count; i++) {
		const char *name = observed->switches[i].name;
		uint32_t there = i;
		int r = ft_map_add(&map, ft_text_short_hash(name), i, &there);

		if (r < 0)
			return NULL;
		if (r == 0)
			by_guid[i] = by_guid[there] = true;
		by_guid[i] |= !ft_infer_name_is_plain(name) || strncmp(name, "0x", 2) == 0;
	}
	return by_guid;
}

bool ft_infer_by_rule_taken(const struct ft_inference *f, const char *name)
{
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (ft_text_short_hash(f->observed->switches[i].name) == ft_text_short_hash(name))
			return true;
	return false;
}

static const char *bound_name(const struct ft_inference *f, uint32_t observed, bool by_guid)
{
	const struct ft_observed_switch *sw = &f->observed->switches[observed];

	return by_guid ? ft_arena_print(f->memory, "0x%016llx", (unsigned long long)sw->guid)
		       : ft_infer_short_name(f, observed);
}

void ft_infer_by_rule_bind(const struct ft_inference *f, const uint32_t *observed_of, uint32_t count,
			   const bool *by_guid, const char *const *unseen, struct ft_text *text)
{
	struct ft_name_list names = ft_name_list_of(f->memory, count);

	for (uint32_t i = 0; i < count; i++)
		ft_name_list_add(&names, observed_of[i] == FT_NONE
						 ? *unseen++
						 : bound_name(f, observed_of[i], by_guid[observed_of[i]]));
	ft_text_puts(text, "[");
	ft_name_list_add_json(text, &names, "\n\t\t\t");
	ft_text_puts(text, "]");
}

int ft_infer_guids_usable(const struct ft_inference *f)
{
	_cleanup_(ft_map_release) struct ft_map seen = {0};

	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		int r = f->observed->switches[i].guid == 0 ? 0
							   : ft_map_add(&seen, f->observed->switches[i].guid, i, NULL);

		if (r <= 0)
			return r;
	}
	return 1;
}

/* ---- the trial ---- */

uint64_t ft_infer_by_rule_wrong(const struct ft_report *report, uint32_t unseen)
{
	uint64_t wrong = 0;
	uint32_t missing = 0;

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *finding = &report->findings[i];

		switch (finding->code) {
		case FT_CODE_CABLE_MISSING:
		case FT_CODE_CABLE_MISPLACED:
		case FT_CODE_CABLES_SWAPPED:
			wrong += finding->count;
			break;
		case FT_CODE_CABLE_UNPLANNED:
			wrong += (uint64_t)FT_SURPLUS_COST * finding->count;
			break;
		case FT_CODE_EDGE_ISOLATED:
		case FT_CODE_CORE_MISSING:
			missing++;
			break;
		case FT_CODE_SWITCH_UNPLANNED:
			return UINT64_MAX;
		default:
			break;
		}
	}
	return missing != unseen || ft_report_is_foreign(report) ? UINT64_MAX : wrong;
}

/* Names that no switch has: those that the family gives may be the fabric's own, of other places. */
static int names_hide(struct ft_plan *plan)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		char name[32];

		free(plan->switches[i].name);
		snprintf(name, sizeof(name), "(place %u)", i);
		plan->switches[i].name = strdup(name);
		if (!plan->switches[i].name)
			return -ENOMEM;
	}
	return 0;
}

int ft_infer_by_rule_verify(const struct ft_inference *f, const struct ft_text *text, bool nameless, uint64_t most,
			    struct ft_report **ret_report)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	int r;

	if (ft_text_failed(text))
		return -ENOMEM;
	r = ft_design_read(text->data, text->length, &design, &plan, NULL);
	if (r == 0 && nameless)
		r = names_hide(plan);
	if (r < 0)
		return r;
	/* There are no waivers: the date does not matter. */
	r = ft_verify_all(&(struct ft_verify_input){.design = design,
						    .plan = plan,
						    .snapshot = f->chips,
						    .today = "",
						    .doubt_plan = true,
						    .wrong_most = most,
						    .without_impact = true},
			  ret_report);
	return r == -ERANGE ? -EINVAL : r;
}
