/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The limits of the search for the fewest faults. If a fabric is so far from its plan that the search stops early, one
 * finding says what was not tried, so that users do not take a mere list for an explanation.
 */
#include "config.h"

#include "verify/explain/explain.h"

static void untried_add(const struct ft_model *m, struct ft_text *text)
{
	if (m->untried)
		ft_text_printf(text,
			       "%u cables are not where the plan has them, and not all ways of pairing those that were "
			       "moved or exchanged are tried",
			       m->surplus_cables);
}

static void match_add(const struct ft_model *m, struct ft_text *text)
{
	if (m->match_unfinished)
		ft_text_printf(
			text,
			"%swhich switch is which planned one was not searched to the end, and another reading may "
			"have fewer faults",
			text->length > 0 ? "; " : "");
}

static void holes_add(const struct ft_model *m, struct ft_text *text)
{
	if (m->holes_untried)
		ft_text_printf(text,
			       "%sso many cables are missing that which dark port each belongs in was not looked for",
			       text->length > 0 ? "; " : "");
}

int ft_untried_check(struct ft_model *m)
{
	struct ft_text text = {0};
	struct ft_finding *f;
	const char *list;

	untried_add(m, &text);
	match_add(m, &text);
	holes_add(m, &text);
	list = ft_model_text(m, &text);
	if (!list[0])
		return 0;
	f = ft_finding_add(m, FT_CODE_SWEEP_INCOMPLETE, FT_EVIDENCE_SEEN);
	ft_say(m, &f->expected, "a fabric that is nearly as planned");
	ft_say(m, &f->observed, "%s", list);
	ft_say(m, &f->text, "not everything was tried: %s", list);
	ft_say(m, &f->fix,
	       "check first that the design is that of this fabric; then mend what is certain, and look again");
	return 0;
}
