/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Cables of the plan's source that exclude each other (planner/design/dot.h): one finding for each set of machines. The
 * plan has as many of these cables as go together, which may be others than were meant. So a cable that is missing,
 * unplanned or misplaced among just these machines is no fault of its own: it becomes a symptom of the contradiction.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "verify/check/check.h"

/* The planned switches of the contradiction at hand. */
struct members {
	const struct ft_contradiction *c;
	bool *is_of; /* by place */
	uint32_t *places;
	uint32_t count;
};

static void members_find(const struct ft_model *m, struct members *of)
{
	of->count = 0;
	for (uint32_t p = 0; p < m->place_count; p++) {
		of->is_of[p] = false;
		for (size_t i = 0; i < of->c->of_count; i++)
			of->is_of[p] |= strcmp(m->places[p]->name, of->c->of[i]) == 0;
		if (of->is_of[p])
			of->places[of->count++] = p;
	}
}

/* True for a switch of these. */
static bool is_member(const struct ft_model *m, const struct members *of, uint32_t observed)
{
	uint32_t place = ft_place_of(m, observed);

	return place != FT_NONE && of->is_of[place];
}

/* True for a cable between two of the machines that is not where this reading of the plan has it. */
static bool is_explained(const struct ft_model *m, const struct members *of, const struct ft_finding *f)
{
	static const enum ft_code codes[] = {FT_CODE_CABLE_MISSING, FT_CODE_CABLE_UNPLANNED, FT_CODE_CABLE_MISPLACED,
					     FT_CODE_CABLE_WRONG_PORT};
	bool coded = false;

	for (size_t i = 0; i < FT_COUNT(codes); i++)
		coded |= f->code == codes[i];
	if (!coded || f->where_count == 0)
		return false;
	for (size_t i = 0; i < f->where_count; i++)
		if (!is_member(m, of, ft_observed_of_place(&f->where[i])))
			return false;
	for (size_t i = 0; i < f->lack_count; i++)
		if (!of->is_of[m->place_of[f->lacks[i].a]] || !of->is_of[m->place_of[f->lacks[i].b]])
			return false;
	return true;
}

/* Takes over what @index says; later findings move up. */
static void finding_fold(struct ft_model *m, size_t index, struct ft_finding *into)
{
	struct ft_report *report = m->report;
	struct ft_finding *f = &report->findings[index];

	ft_finding_symptom(m, into, ft_observed_of_place(&f->where[0]), f->where[0].port, "%s", f->text);
	for (size_t i = 0; i < f->lack_count; i++)
		ft_finding_lack(m, into, m->place_of[f->lacks[i].a], m->place_of[f->lacks[i].b], f->lacks[i].cables);
	into->impact.links_lost += f->impact.links_lost;
	memmove(f, f + 1, (report->finding_count - index - 1) * sizeof(*f));
	report->finding_count--;
}

static void contradiction_report(struct ft_model *m, const struct members *of)
{
	const char *why = ft_arena_safe(&m->report->memory, of->c->why, strlen(of->c->why));
	struct ft_report *report = m->report;
	struct ft_finding f = {.code = FT_CODE_PLAN_CONTRADICTION,
			       .severity = ft_codes[FT_CODE_PLAN_CONTRADICTION].severity,
			       .evidence = FT_EVIDENCE_SEEN,
			       .count = 1};
	struct ft_text names = {0};

	for (size_t i = 0; i < of->c->of_count; i++)
		ft_text_printf(&names, "%s%s", i ? "+" : "", of->c->of[i]);
	for (uint32_t i = 0; i < of->count; i++)
		if (m->observed_of[of->places[i]] != FT_NONE)
			ft_finding_where_switch(m, &f, m->observed_of[of->places[i]], 0);
	ft_say(m, &f.expected, "a plan in which each port has one cable");
	f.observed = ft_arena_text(&m->report->memory, &names);
	ft_say(m, &f.text, "the plan contradicts itself: %s", why);
	ft_say(m, &f.fix, "correct the plan; until then, any of these cables is taken as right");
	for (size_t i = report->finding_count; i-- > 0;)
		if (is_explained(m, of, &report->findings[i]))
			finding_fold(m, i, &f);
	*ft_finding_add(m, f.code, f.evidence) = f;
}

int ft_contradictions_check(struct ft_model *m)
{
	struct members of = {.is_of = ft_arena_zeros(&m->memory, m->place_count, sizeof(*of.is_of)),
			     .places = ft_arena_zeros(&m->memory, m->place_count, sizeof(*of.places))};

	for (size_t i = 0; !m->memory.failed && i < m->design->contradiction_count; i++) {
		of.c = &m->design->contradictions[i];
		members_find(m, &of);
		contradiction_report(m, &of);
	}
	return 0;
}
