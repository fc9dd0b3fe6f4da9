/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/cmd/placings.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static void cost_add(struct ft_cost *cost, uint32_t moves, uint32_t cables)
{
	cost->faults++;
	cost->cables += cables;
	cost->mending += 1 + moves;
}

static void cost_of_finding(const struct ft_finding *f, struct ft_cost *cost)
{
	switch (f->code) {
	case FT_CODE_EDGE_ISOLATED:
	case FT_CODE_CORE_MISSING:
	case FT_CODE_CABLE_MISPLACED:
	case FT_CODE_CABLE_UNPLANNED:
	case FT_CODE_CABLE_WRONG_PORT:
	case FT_CODE_LOOPBACK:
	case FT_CODE_SWITCH_REPLACED:
	case FT_CODE_SWITCH_MUTE:
	case FT_CODE_EDGE_OVERLOADED:
	case FT_CODE_HOST_ON_CORE:
		cost_add(cost, 1, 1);
		break;
	case FT_CODE_CABLE_MISSING:
		cost_add(cost, f->count, f->count);
		break;
	case FT_CODE_SWITCH_UNPLANNED:
		/* The planned cables whose ports it took go back into them. */
		cost_add(cost, 1 + (uint32_t)f->lack_count, 1);
		break;
	case FT_CODE_CABLES_SWAPPED:
		cost_add(cost, f->count - 1, f->count);
		break;
	case FT_CODE_SWEEP_INCOMPLETE:
		cost_add(cost, 1, 1);
		cost->unjudged++;
		break;
	case FT_CODE_HOSTS_MISSING:
	case FT_CODE_HOSTS_UNPLANNED:
		cost->mending++;
		cost->hosts += f->count;
		break;
	default:
		break;
	}
}

struct ft_cost ft_cost_of(const struct ft_model *m)
{
	struct ft_cost cost = {0};
	uint32_t on_core = 0, hostless = 0;

	for (size_t i = 0; i < m->report->finding_count; i++) {
		cost_of_finding(&m->report->findings[i], &cost);
		on_core += m->report->findings[i].code == FT_CODE_HOST_ON_CORE;
	}
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		const struct ft_observed_switch *sw = &m->observed.switches[i];

		if (sw->tolerated)
			continue;
		cost.mending += m->named[i] != FT_NONE && sw->planned != m->named[i];
		if (sw->planned == FT_NONE && sw->hosts > 0)
			cost.mending += 1 + sw->cable_count;
		hostless += sw->planned != FT_NONE && sw->hosts == 0 && m->places[sw->planned]->hosts > 0;
	}
	cost.mending += hostless > on_core ? hostless - on_core : 0;
	return cost;
}

int ft_cost_compare(struct ft_cost a, struct ft_cost b)
{
	const uint32_t x[] = {a.mending, a.unjudged, a.hosts, a.cables, a.faults};
	const uint32_t y[] = {b.mending, b.unjudged, b.hosts, b.cables, b.faults};

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

/* What @other finds and @report does not, as far as it is short; the last says how many more. */
static void texts_take(const struct ft_report *report, const struct ft_report *other, struct ft_text *ret_text)
{
	enum { LONG = 300 };
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
	return m->failed ? -ENOMEM : 0;
}
