/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The notes under "why" that do not depend on who writes the design. Each says why a number is what it is, or what is
 * not planned, and what could not be told. Cost: O(switches x ports + pairs).
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "verify/infer/by_rule.h"
#include "verify/infer/tree.h"

enum { TOLD_MAX = 6, TOLD_LENGTH = 220 }; /* pairs of switches, or numbers, that a note names; its bytes by then */

/* Names that are long, as those made of a GUID and hosts, fill a note sooner. */
static bool tells_more(const struct ft_text *why, uint32_t told)
{
	return told < TOLD_MAX && why->length < TOLD_LENGTH;
}

static void note_add(struct ft_text *text, const char *about, const struct ft_text *note)
{
	if (ft_text_string(note)[0] != '\0') {
		ft_text_printf(text, ",\n\t\t\"%s\": ", about);
		ft_text_add_json(text, ft_text_string(note));
	}
	text->failed |= note->failed;
}

static const char *separator(const struct ft_text *why)
{
	return ft_text_string(why)[0] == '\0' ? "" : "; ";
}

/* "540 of 558 UNITS have 2 THINGS; 6 have 1, 12 have none" */
static void tally_tell(struct ft_text *why, const struct ft_tally *tally, const char *units, const char *thing)
{
	uint32_t all = 0, usual = ft_tally_mode(tally, 0), told = 0;

	for (uint32_t value = 0; value < tally->end; value++)
		all += tally->votes[value];
	if (all < 2)
		return;
	ft_text_printf(why, "%s%u of %u %s%s %s %u %s%s", separator(why), tally->votes[usual], all, units,
		       units[strlen(units) - 1] == 'h' ? "es" : "s", tally->votes[usual] == 1 ? "has" : "have", usual,
		       thing, ft_text_s(usual));
	for (uint32_t value = tally->end; value-- > 0;) {
		uint32_t votes = tally->votes[value];

		if (votes == 0 || value == usual)
			continue;
		if (told++ == TOLD_MAX) {
			ft_text_puts(why, ", and others other numbers");
			return;
		}
		ft_text_printf(why, "%s%u %s ", told == 1 ? "; " : ", ", votes, votes == 1 ? "has" : "have");
		if (value > 0)
			ft_text_printf(why, "%u", value);
		else
			ft_text_puts(why, "none");
	}
}

static void hosts_tell(const struct ft_inference *f, const struct ft_intent *intent, struct ft_text *why)
{
	struct ft_tally tally = {0};
	uint32_t odd = intent && intent->host_total < f->host_total ? f->host_total - intent->host_total : 0;

	ft_text_printf(why,
		       "%u host port%s seen; what nobody saw is not promised, so hosts that are down now have to be "
		       "added",
		       f->host_total, f->host_total == 1 ? " is" : "s are");
	if (odd > 0)
		ft_text_printf(why, "; %u of them %s on a switch above, and not planned there", odd,
			       odd == 1 ? "is" : "are");
	for (uint32_t i = 0; intent && intent->layered && i < intent->count; i++)
		if (intent->rank[i] == 0 && ft_intent_in_tree(intent, i))
			ft_tally_add(&tally, intent->hosts[i]);
	tally_tell(why, &tally, "edge switch", "host");
}

/* How many cables are seen between switches that some are planned between. */
static void bundles_tell(const struct ft_intent *intent, struct ft_text *why)
{
	static const char *const units[][2] = {{"edge-core pair"}, {"edge-spine pair", "spine-core pair"}};

	if (!intent->layered || intent->ranks < 2 || intent->ranks > 3)
		return;
	for (uint32_t rank = 0; rank + 1 < intent->ranks; rank++) {
		struct ft_tally tally = {0};

		for (uint32_t i = 0; i < intent->pair_count; i++) {
			const struct ft_meant *pair = &intent->pairs[i];
			uint32_t a = intent->rank[pair->a], b = intent->rank[pair->b];

			if (pair->planned > 0 && a != b && a + b == 2 * rank + 1 &&
			    ft_intent_in_tree(intent, pair->a) && ft_intent_in_tree(intent, pair->b))
				ft_tally_add(&tally, pair->seen);
		}
		tally_tell(why, &tally, units[intent->ranks - 2][rank], "cable");
	}
}

/* Notes the first few pairs with different planned and observed cables. */
static void faults_tell(const struct ft_intent *intent, struct ft_text *why)
{
	uint32_t told = 0, all = 0;

	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];

		if (pair->planned == pair->seen)
			continue;
		all++;
		if (tells_more(why, told))
			ft_text_printf(why, "%s%s and %s: %u seen, %u planned", told++ ? "; " : "",
				       intent->f->observed->switches[pair->a].label,
				       intent->f->observed->switches[pair->b].label, pair->seen, pair->planned);
	}
	if (all > told)
		ft_text_printf(why, "; and %u pair%s more", all - told, ft_text_s(all - told));
	if (all > 0)
		ft_text_puts(why, ": other switches of their kind, or their ports, say so");
}

/*
 * The ports above the uplinks of a leaf, if they are all dark: in these a core switch may have been that is off, if
 * they are as many as the bundle beside them, and the same on all leaves.
 */
static uint32_t dark_above(const struct ft_intent *intent, uint32_t observed)
{
	uint32_t dark = 0, port = ft_infer_last_port(intent->f, observed), far;

	while (port > 0 && ft_infer_port_is_dark(intent->f, observed, port)) {
		dark++;
		port--;
	}
	far = port > 0 ? ft_infer_port_far(intent->f, observed, port) : FT_NONE;
	return far != FT_NONE && dark == ft_meant_between(intent, observed, far) ? dark : 0;
}

static void dark_tell(const struct ft_intent *intent, struct ft_text *why)
{
	uint32_t leaves = 0, dark = 0, same = 0;

	for (uint32_t i = 0; intent->layered && i < intent->count; i++) {
		if (intent->rank[i] > 0 || !ft_intent_in_tree(intent, i))
			continue;
		if (leaves++ == 0)
			dark = dark_above(intent, i);
		same += dark > 0 && dark_above(intent, i) == dark;
	}
	if (leaves > 1 && same == leaves)
		ft_text_printf(
			why,
			"%s%u port%s dark above the uplinks of every edge switch: left out, or of a switch that is off",
			separator(why), dark, dark == 1 ? " is" : "s are");
}

/* Names that lack a number, where no switch is planned for it. */
static int numbers_tell(const struct ft_intent *intent, struct ft_text *why)
{
	bool all_seen[FT_TREE_RANKS] = {true, true, true};

	for (uint32_t k = 0; k < intent->absent_count; k++)
		if (ft_intent_rank_of(intent, intent->count + k) < FT_TREE_RANKS)
			all_seen[ft_intent_rank_of(intent, intent->count + k)] = false;
	for (uint32_t rank = 0; intent->layered && rank < intent->ranks && rank < FT_TREE_RANKS; rank++) {
		struct ft_numbers lacking = {0};

		if (!all_seen[rank])
			continue;
		if (ft_intent_numbers(intent, rank, &lacking) < 0)
			return -ENOMEM;
		if (lacking.first + lacking.inside > 0)
			ft_text_printf(
				why,
				"%s%s%s%s: no switch has that name, by the numbers of the others: left out, or off",
				separator(why), lacking.first > 0 ? lacking.first_names : "",
				lacking.first > 0 && lacking.inside > 0 ? ", " : "",
				lacking.inside > 0 ? lacking.names : "");
	}
	return 0;
}

static int doubts_tell(const struct ft_intent *intent, struct ft_text *why)
{
	if (intent->own_class > 0)
		ft_text_printf(why, "%u switch%s kind, and taken to be meant so", intent->own_class,
			       intent->own_class == 1 ? " is cabled otherwise than others of its"
						      : "es are cabled otherwise than others of their");
	if (intent->undecided > 0)
		ft_text_printf(why,
			       "%s%llu cable%s may be missing: nothing tells between which switches, or whether they "
			       "were ever there",
			       separator(why), (unsigned long long)intent->undecided, ft_text_s(intent->undecided));
	dark_tell(intent, why);
	return numbers_tell(intent, why);
}

static void unseen_tell(const struct ft_intent *intent, struct ft_text *why)
{
	const char *it = intent->absent_count == 1 ? "it" : "them", *its = intent->absent_count == 1 ? "its" : "their";

	for (uint32_t k = 0; k < intent->absent_count; k++)
		ft_text_printf(why, "%s%s", k ? ", " : "", intent->absent_name[k]);
	if (intent->absent_count > 0)
		ft_text_printf(why,
			       ": nobody saw %s; ports that are dark where %s cables would be, or what all others of "
			       "the kind have, tell of %s",
			       it, its, it);
}

static void strays_tell(const struct ft_intent *intent, struct ft_text *why)
{
	uint32_t told = 0, all = 0;

	for (uint32_t i = 0; i < intent->count; i++) {
		if (!intent->stray[i])
			continue;
		all++;
		if (tells_more(why, told))
			ft_text_printf(why, "%s%s", told++ ? ", " : "", intent->f->observed->switches[i].label);
	}
	ft_text_more(why, all, told);
	if (all > 0)
		ft_text_puts(why, ": no hosts, and a few cables that are in no pattern, so not planned");
}

static void names_tell(const struct ft_inference *f, struct ft_text *why)
{
	const bool *by_guid = ft_infer_by_rule_names(f);
	uint32_t count = 0;

	why->failed |= !by_guid;
	for (uint32_t i = 0; by_guid && i < f->observed->switch_count; i++)
		count += by_guid[i];
	if (count > 0)
		ft_text_printf(why,
			       "%u switch%s no name of %s own, or one that lists of names cannot hold: told by GUID",
			       count, count == 1 ? " has" : "es have", count == 1 ? "its" : "their");
}

void ft_infer_by_rule_notes(const struct ft_inference *f, const struct ft_intent *intent, struct ft_text *text)
{
	enum { NODES, BUNDLE, LINKS, UNDECIDED, UNSEEN, UNPLANNED, SWITCHES, NOTES };
	static const char *const about[NOTES] = {"nodes",  "bundle",	"links",   "undecided",
						 "unseen", "unplanned", "switches"};
	struct ft_text notes[NOTES] = {0};

	hosts_tell(f, intent, &notes[NODES]);
	if (intent) {
		bundles_tell(intent, &notes[BUNDLE]);
		faults_tell(intent, &notes[LINKS]);
		text->failed |= doubts_tell(intent, &notes[UNDECIDED]) < 0;
		unseen_tell(intent, &notes[UNSEEN]);
		strays_tell(intent, &notes[UNPLANNED]);
	}
	names_tell(f, &notes[SWITCHES]);
	for (unsigned int i = 0; i < NOTES; i++) {
		note_add(text, about[i], &notes[i]);
		ft_text_release(&notes[i]);
	}
	note_add(text, "rate", &f->why[FT_WHY_RATE]);
	note_add(text, "aggregation", &f->why[FT_WHY_AGGREGATION]);
}
