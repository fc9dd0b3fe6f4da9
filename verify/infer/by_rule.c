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

enum { TOLD_MAX = 6 }; /* pairs of switches that a note names */

/* ---- parts of the text ---- */

static void note_add(struct ft_text *text, const char *about, const struct ft_text *note)
{
	if (ft_text_string(note)[0] == '\0')
		return;
	ft_text_printf(text, ",\n\t\t\"%s\": ", about);
	ft_text_add_json(text, ft_text_string(note));
	text->failed |= note->failed;
}

/* Notes the first few pairs with different planned and observed cables. */
static void faults_tell(const struct ft_intent *intent, struct ft_text *why)
{
	uint32_t told = 0, all = 0;

	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];

		if (pair->planned == pair->seen)
			continue;
		if (all++ < TOLD_MAX)
			ft_text_printf(why, "%s%s and %s: %u seen, %u planned", told++ ? "; " : "",
				       intent->f->observed->switches[pair->a].label,
				       intent->f->observed->switches[pair->b].label, pair->seen, pair->planned);
	}
	if (all > told)
		ft_text_printf(why, "; and %u pairs more", all - told);
	if (all > 0)
		ft_text_puts(why, ": other switches of their kind, or their ports, say so");
}

static void doubts_tell(const struct ft_intent *intent, struct ft_text *why)
{
	if (intent->own_class > 0)
		ft_text_printf(why, "%u switch%s kind, and taken to be meant so", intent->own_class,
			       intent->own_class == 1 ? " is cabled otherwise than others of its"
						      : "es are cabled otherwise than others of their");
	if (intent->undecided > 0)
		ft_text_printf(why,
			       "%s%llu cable%s may be missing: nothing tells between which switches, or whether they "
			       "were ever there",
			       intent->own_class ? "; " : "", (unsigned long long)intent->undecided,
			       ft_text_s(intent->undecided));
}

void ft_infer_by_rule_notes(const struct ft_inference *f, const struct ft_intent *intent, struct ft_text *text)
{
	_cleanup_(ft_text_release) struct ft_text links = {0}, doubts = {0};

	ft_text_printf(
		text,
		",\n\t\t\"nodes\": \"%u host port%s seen; what nobody saw is not promised, so hosts that are down "
		"now have to be added\"",
		f->host_total, f->host_total == 1 ? " is" : "s are");
	if (intent) {
		faults_tell(intent, &links);
		doubts_tell(intent, &doubts);
	}
	note_add(text, "links", &links);
	note_add(text, "undecided", &doubts);
	note_add(text, "rate", &f->why[FT_WHY_RATE]);
	note_add(text, "aggregation", &f->why[FT_WHY_AGGREGATION]);
}

void ft_infer_by_rule_hosts(const struct ft_inference *f, const uint32_t *observed_of, uint32_t count, uint32_t unseen,
			    struct ft_text *text)
{
	ft_text_puts(text, ", \"hosts\": [");
	for (uint32_t i = 0, run; i < count; i += run) {
		uint32_t hosts = observed_of[i] == FT_NONE ? unseen : f->hosts[observed_of[i]];

		for (run = 1; i + run < count; run++)
			if ((observed_of[i + run] == FT_NONE ? unseen : f->hosts[observed_of[i + run]]) != hosts)
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
			   const bool *by_guid, struct ft_text *text)
{
	ft_infer_by_rule_bind_all(f, observed_of, count, by_guid, NULL, text);
}

void ft_infer_by_rule_bind_all(const struct ft_inference *f, const uint32_t *observed_of, uint32_t count,
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
