/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/steps/placings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/text.h"
#include "verify/match/assign.h"
#include "verify/match/match.h"

static void cost_add(struct ft_cost *cost, uint32_t moves, uint32_t cables)
{
	cost->faults++;
	cost->cables += cables;
	cost->mending += 1 + moves;
}

static void cost_of_finding(const struct ft_finding *f, struct ft_cost *cost)
{
	switch (ft_codes[f->code].cost) {
	case FT_COST_NONE:
		break;
	case FT_COST_FAULT:
		cost_add(cost, 1, 1);
		break;
	case FT_COST_CABLES:
		cost_add(cost, f->count, f->count);
		break;
	case FT_COST_STRANGER:
		/* The planned cables whose ports it took go back into them. */
		cost_add(cost, 1 + (uint32_t)f->lack_count, 1);
		break;
	case FT_COST_SWAP:
		cost_add(cost, f->count - 1, f->count);
		break;
	case FT_COST_UNJUDGED:
		cost_add(cost, ft_number_most(f->count, 1), 1);
		cost->unjudged++;
		break;
	case FT_COST_HOSTS:
		cost->mending++;
		cost->host_findings++;
		break;
	}
}

/* A count by place for one stranger at a time. One that is kept for another stranger is 0, so nothing has to be
 * cleared. */
struct tally {
	uint32_t stranger, cables;
};

static uint32_t *tally_of(struct tally *tally, uint32_t stranger)
{
	if (tally->stranger != stranger)
		*tally = (struct tally){.stranger = stranger};
	return &tally->cables;
}

/*
 * Of the cables of a switch without a place, those that it would have right in an empty one, but for the first two.
 * @seen and @fitting: scratch, by place. Goes from its cables to the empty places beside their far ends, as a rack of
 * strangers and as many empty places are one fault. O(its cables * pairs of a place).
 */
static uint32_t fitting_most(const struct ft_model *m, uint32_t stranger, struct tally *seen, struct tally *fitting)
{
	enum { ACCIDENTAL = 2 };
	uint32_t most = 0;

	ft_each_end(end, m, stranger) {
		uint32_t q = ft_place_behind(m, end), before;

		if (q == FT_NONE)
			continue;
		before = (*tally_of(&seen[q], stranger))++;
		ft_each_pair(pair, m, q)
			if (m->observed_of[pair->peer] == FT_NONE && before < m->cells.width[pair->cell])
				most = ft_number_most(most, ++*tally_of(&fitting[pair->peer], stranger));
	}
	return most > ACCIDENTAL ? most - ACCIDENTAL : 0;
}

int ft_cost_of(const struct ft_model *m, struct ft_cost *ret_cost)
{
	_cleanup_free_ struct tally *seen = calloc(m->place_count + 1UL, sizeof(*seen));
	_cleanup_free_ struct tally *fitting = calloc(m->place_count + 1UL, sizeof(*fitting));
	struct ft_cost cost = {0};
	uint32_t on_core = 0, hostless = 0;

	if (!seen || !fitting)
		return -ENOMEM;
	for (size_t i = 0; i < m->report->finding_count; i++) {
		cost_of_finding(&m->report->findings[i], &cost);
		on_core += m->report->findings[i].code == FT_CODE_HOST_ON_CORE;
	}
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		const struct ft_observed_switch *sw = &m->observed.switches[i];

		if (sw->tolerated)
			continue;
		cost.misnamed += ft_told_place(m, i) != FT_NONE && sw->planned != ft_told_place(m, i);
		if (sw->planned == FT_NONE)
			cost.mending += fitting_most(m, i, seen, fitting);
		else if (!ft_ports_fit(sw->ports, m->places[sw->planned]->ports))
			cost.mending++;
		if (sw->planned == FT_NONE && sw->hosts > 0)
			cost.mending += 1 + sw->cable_count;
		hostless += sw->planned != FT_NONE && sw->hosts == 0 && m->places[sw->planned]->hosts > 0;
	}
	/* Whether told as such or not; the hosts of a switch that is not there are missing as well. */
	for (uint32_t p = 0; p < m->place_count; p++)
		cost.hosts += ft_number_apart(m->places[p]->hosts,
					      m->observed_of[p] == FT_NONE ? 0 : ft_observed_at(m, p)->hosts);
	cost.mending += cost.misnamed;
	cost.mending += hostless > on_core ? hostless - on_core : 0;
	*ret_cost = cost;
	return 0;
}

int ft_cost_compare(struct ft_cost a, struct ft_cost b)
{
	const uint32_t x[] = {a.mending, a.misnamed, a.unjudged, a.hosts, a.faults + a.host_findings, a.cables};
	const uint32_t y[] = {b.mending, b.misnamed, b.unjudged, b.hosts, b.faults + b.host_findings, b.cables};

	for (size_t i = 0; i < FT_COUNT(x); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

bool ft_cost_is_like(struct ft_cost a, struct ft_cost b)
{
	return a.mending == b.mending && a.unjudged == b.unjudged && a.hosts == b.hosts;
}

/* True for what counts in cost_of_finding(), but hosts. */
static bool is_of_cost(const struct ft_finding *f)
{
	struct ft_cost cost = {0};

	cost_of_finding(f, &cost);
	return cost.faults > 0;
}

static bool is_said(const struct ft_report *report, const char *text)
{
	for (size_t i = 0; i < report->finding_count; i++)
		if (strcmp(report->findings[i].text, text) == 0)
			return true;
	return false;
}

/* The sentences that @other has and @report has not: the first few, and how many more there are. */
static void texts_take(const struct ft_report *report, const struct ft_report *other, struct ft_text *ret_text)
{
	enum { LONG = 450 };
	uint32_t more = 0;

	for (size_t i = 0; i < other->finding_count; i++) {
		const struct ft_finding *f = &other->findings[i];

		if (!is_of_cost(f) || is_said(report, f->text))
			continue;
		if (ret_text->length + strlen(f->text) > LONG)
			more++;
		else
			ft_text_printf(ret_text, "%s%s", ret_text->length ? "; " : "", f->text);
	}
	if (more > 0)
		ft_text_printf(ret_text, "%s%u %s", ret_text->length ? "; and " : "", more,
			       more == 1 ? "other fault" : "other faults");
}

bool ft_codes_differ(const struct ft_report *a, const struct ft_report *b)
{
	int more[FT_CODE_COUNT] = {0};
	bool differ = false;

	for (size_t i = 0; i < a->finding_count; i++)
		more[a->findings[i].code] += is_of_cost(&a->findings[i]);
	for (size_t i = 0; i < b->finding_count; i++)
		more[b->findings[i].code] -= is_of_cost(&b->findings[i]);
	for (size_t i = 0; i < FT_COUNT(more); i++)
		differ |= more[i] != 0;
	return differ;
}

int ft_tie_tell(struct ft_model *m, const struct ft_model *other)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	texts_take(m->report, other->report, &text);
	if (ft_text_failed(&text))
		return -ENOMEM;
	for (size_t i = 0; text.length > 0 && i < m->report->finding_count; i++) {
		struct ft_finding *f = &m->report->findings[i];

		if (is_of_cost(f) && !is_said(other->report, f->text))
			ft_finding_alternative(m, f, "as few faults explain it with the switches placed otherwise: %s",
					       ft_text_string(&text));
	}
	return m->report->memory.failed ? -ENOMEM : 0;
}

int ft_names_restore(const struct ft_model *m, uint32_t **ret_given)
{
	uint32_t count = m->observed.switch_count;
	_cleanup_free_ uint32_t *given = malloc((count + 1UL) * sizeof(*given));
	_cleanup_free_ uint32_t *origin = malloc((m->place_count + 1UL) * sizeof(*origin));
	const struct ft_names_tally tally = ft_names_tally(m);
	bool invented = m->plan->beside_switches > 0 && tally.right > tally.wrong && tally.wrong > 0;

	*ret_given = NULL;
	if (!given || !origin)
		return -ENOMEM;
	if ((!m->port_map.named_at && !invented) || m->chassis)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		given[i] = m->observed.switches[i].planned;
	memcpy(origin, m->observed_of, m->place_count * sizeof(*origin));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = given[i], to = ft_told_place(m, i), other = to == FT_NONE ? FT_NONE : origin[to];

		if (from == FT_NONE || to == FT_NONE || from == to ||
		    (other != FT_NONE && ft_told_place(m, other) == to))
			continue;
		given[i] = to;
		origin[to] = i;
		origin[from] = other;
		if (other != FT_NONE)
			given[other] = from;
	}
	*ret_given = FT_STEAL(given);
	return 0;
}
