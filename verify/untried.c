/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Where a fabric is so far from its plan that the search for the fewest faults has to stop short: one finding says what
 * was not tried, so that nobody takes for an explanation what is a list.
 */
#include "config.h"

#include <errno.h>

#include "verify/explain.h"

static void strays_add(const struct ft_model *m, struct ft_text *text)
{
	if (m->strays > STRAYS_EXPLAINED_MAX)
		ft_text_printf(text,
			       "%u cables are not where the plan has them, and of more than %u it is not worked out "
			       "which were "
			       "moved or exchanged: each is named alone",
			       m->strays, STRAYS_EXPLAINED_MAX);
	else if (m->strays > STRAYS_PAIRED_MAX)
		ft_text_printf(
			text,
			"%u cables are not where the plan has them, and of more than %u not all pairings of moved and "
			"missing ones are tried",
			m->strays, STRAYS_PAIRED_MAX);
}

int ft_untried_check(struct ft_model *m)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_finding *f;

	strays_add(m, &text);
	m->failed |= ft_text_failed(&text);
	if (text.length == 0)
		return m->failed ? -ENOMEM : 0;
	f = ft_finding_add(m, FT_CODE_SWEEP_INCOMPLETE, FT_EVIDENCE_SEEN);
	ft_say(m, &f->expected, "a fabric that is nearly as planned");
	ft_say(m, &f->observed, "%s", ft_text_string(&text));
	ft_say(m, &f->text, "not everything was tried: %s", ft_text_string(&text));
	ft_say(m, &f->fix,
	       "check first that the design is that of this fabric; then mend what is certain, and look again");
	return m->failed ? -ENOMEM : 0;
}
