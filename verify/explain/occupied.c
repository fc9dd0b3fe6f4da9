/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What occupies the ports of planned cables: loopbacks, and switches that the plan, or the recording, does not have.
 * The cables that are missing for it are told with it. Cost: O(n) in the cables of what is told.
 */
#include "config.h"

#include "verify/explain/residual.h"
#include "verify/model/recall.h"

/* Restores the cable from @port of @planned to @q, in the port of @q that waits for it, if known. */
static void missing_act(struct explain *x, struct ft_finding *f, uint32_t port, uint32_t planned, uint32_t q)
{
	struct ft_model *m = x->m;
	const struct ft_lack *last = f->lack_count ? &f->lacks[f->lack_count - 1] : &(const struct ft_lack){0};
	uint32_t count = *missing_at(x, planned, q), to = ft_port_opposite(m, planned, ft_port_number(m, port));

	/* Cables of the pair that were folded before wait for their ports, too. */
	for (size_t i = 0; i < f->lack_count; i++)
		count += f->lacks[i].a == last->a && f->lacks[i].b == last->b;
	if (to == FT_NONE)
		to = ft_port_unacted(x, f, q, planned, count);
	ft_finding_act_ends(m, f, FT_ACT_CONNECT, (struct ft_act_end){port, FT_NONE},
			    (struct ft_act_end){to, to == FT_NONE ? q : FT_NONE});
}

enum { TAKEN_SHOWN = 4 };

/*
 * A wrong plug in port @port of planned switch @planned blocks the planned cable of that port: its missing cable is a
 * consequence. Only the port number identifies that cable; without a pattern the cable is reported as missing.
 * @taken: what is folded is added to it, the first TAKEN_SHOWN; or NULL.
 */
static void missing_fold(struct explain *x, struct ft_finding *f, uint32_t planned, uint32_t port,
			 struct ft_text *taken)
{
	struct ft_model *m = x->m;
	uint32_t observed = m->observed_of[planned];

	ft_each_pair(pair, m, planned) {
		uint32_t q = pair->peer;

		if (m->observed_of[q] == FT_NONE || !x->missing[pair->cell] ||
		    !ft_port_usual(m, observed, ft_port_number(m, port), q))
			continue;
		x->missing[pair->cell]--;
		f->impact.links_lost++;
		ft_finding_lack(m, f, planned, q, 1);
		ft_finding_symptom(m, f, observed, ft_port_number(m, port),
				   "the cable from %s to %s is not in its place", label_of(m, planned), label_of(m, q));
		missing_act(x, f, port, planned, q);
		if (taken && f->impact.links_lost <= TAKEN_SHOWN)
			ft_text_printf(taken, "%s%s - %s", taken->length ? ", " : "", ft_place_text(m, port),
				       label_of(m, q));
		return;
	}
}

static void director_loopback_say(struct ft_model *m, struct ft_finding *f, const struct ft_observed_cable *cable)
{
	const char *a = ft_place_text(m, cable->a_port), *b = ft_place_text(m, cable->b_port);

	ft_say(m, &f->observed, "%s - %s", a, b);
	if (cable->a_port == cable->b_port)
		ft_say(m, &f->text, "there is a loopback plug in %s", a);
	else
		ft_say(m, &f->text, "%s is cabled to itself: %s to %s", m->observed.switches[cable->a].label, a, b);
}

void ft_loopbacks_explain(struct explain *x)
{
	struct ft_model *m = x->m;

	for (uint32_t i = 0; i < x->surplus_count; i++) {
		struct surplus *s = &x->surplus[i];
		const struct ft_observed_cable *cable = &m->observed.cables[s->cable];
		char a[FT_PORT_WORDS_SIZE], b[FT_PORT_WORDS_SIZE];
		struct ft_finding *f;

		if (s->used || s->a != s->b)
			continue;
		s->used = true;
		f = ft_finding_add(m, FT_CODE_LOOPBACK, FT_EVIDENCE_SEEN);
		ft_finding_where_cable(m, f, cable);
		ft_finding_act_ports(m, f, FT_ACT_REMOVE, cable->a_port, cable->b_port);
		missing_fold(x, f, s->a, cable->a_port, NULL);
		missing_fold(x, f, s->a, cable->b_port, NULL);
		ft_say(m, &f->expected, "no cable between two ports of one switch");
		ft_say(m, &f->fix, "unplug it%s",
		       f->symptom_count ? " and put the planned cables back into these ports" : "");
		if (ft_observed_is_director(m, cable->a)) {
			director_loopback_say(m, f, cable);
			continue;
		}
		ft_observed_port_words(m, cable->a, ft_port_number(m, cable->a_port), a);
		ft_observed_port_words(m, cable->b, ft_port_number(m, cable->b_port), b);
		ft_say(m, &f->observed, "%s:%s and%s are cabled to each other", label_of(m, s->a), a, b);
		if (cable->a_port == cable->b_port)
			ft_say(m, &f->text, "%s has a loopback plug in%s", label_of(m, s->a), a);
		else
			ft_say(m, &f->text, "%s is cabled to itself:%s to%s", label_of(m, s->a), a, b);
	}
}

/* "; 2 cables that are not there any more: edge001 port 19 - core01, …" of what @f took, or nothing. */
static const char *taken_words(struct ft_model *m, const struct ft_finding *f, struct ft_text *taken)
{
	const char *all = ft_model_text(m, taken);
	struct ft_text text = {0};
	char cables[48];

	if (all[0])
		ft_text_printf(&text, "; it took the ports of %s: %s%s",
			       ft_plural(f->impact.links_lost, "cable", cables), all,
			       f->impact.links_lost > TAKEN_SHOWN ? ", …" : "");
	return ft_model_text(m, &text);
}

/*
 * Enters its cables to planned switches, whose ports they block, into @f. Returns how many; @first: the port of the
 * first of all, if there is one yet.
 */
static uint32_t unplanned_cabled(struct explain *x, struct ft_finding *f, uint32_t observed, uint32_t *first,
				 struct ft_text *taken)
{
	struct ft_model *m = x->m;
	char words[FT_PORT_WORDS_SIZE];
	uint32_t count = 0;

	ft_each_end(end, m, observed) {
		uint32_t number = ft_port_number(m, end->port);

		if (end->far == observed || ft_place_behind(m, end) == FT_NONE)
			continue;
		count++;
		*first = *first == FT_NONE ? end->far_port : *first;
		ft_finding_symptom(m, f, observed, number, "its%s is cabled to %s",
				   ft_observed_port_words(m, observed, number, words), ft_place_text(m, end->far_port));
		ft_finding_act_ports(m, f, FT_ACT_REMOVE, end->far_port, end->port);
		missing_fold(x, f, ft_place_behind(m, end), end->far_port, taken);
	}
	return count;
}

static void unplanned_switch(struct explain *x, uint32_t observed)
{
	struct ft_text taken = {0};
	struct ft_model *m = x->m;
	const char *more;
	const struct ft_observed_switch *sw = &m->observed.switches[observed];
	struct ft_finding *f = ft_finding_add(m, FT_CODE_SWITCH_UNPLANNED, FT_EVIDENCE_SEEN);
	uint32_t far = FT_NONE;
	char cables[48], hosts[48];

	ft_finding_where_switch(m, f, observed, 0);
	unplanned_cabled(x, f, observed, &far, &taken);
	/* What was recorded is told with the change that took it. */
	more = taken_words(m, f, &taken);
	if (sw->hosts)
		ft_finding_symptom(m, f, observed, 0, "%s on it: %s", ft_plural(sw->hosts, "host", hosts),
				   sw->host_names);
	ft_say(m, &f->expected, "no such switch%s", m->since ? "" : " in the plan");
	ft_say(m, &f->observed, "a switch of %u ports with %s and %s", node_of(m, observed)->port_count,
	       ft_plural(sw->cable_count, "cable", cables), ft_plural(sw->hosts, "host", hosts));
	ft_say(m, &f->text, "%s is %s; it has %s to the fabric%s%s and %s%s", sw->label,
	       m->since ? "new" : "not in the plan", ft_plural(sw->cable_count, "cable", cables),
	       far == FT_NONE ? "" : ", the first at ", far == FT_NONE ? "" : ft_place_text(m, far),
	       ft_plural(sw->hosts, "host", hosts), m->since ? more : "");
	ft_say(m, &f->fix,
	       m->since ? "unplug it, unless it is to be there"
			: "unplug it, or add it to the design (or to expect.unplanned)");
}

/* The first unplanned switch chip of that system from @from on; FT_NONE: there is none. */
static uint32_t next_of_system(const struct ft_model *m, uint64_t system, uint32_t from)
{
	for (uint32_t i = from; system && i < m->observed.switch_count; i++)
		if (m->observed.switches[i].planned == FT_NONE && node_of(m, i)->system_guid == system)
			return i;
	return FT_NONE;
}

/* A recording has a director as its chips: the new ones of one system are one change. */
static void new_director(struct explain *x, uint32_t first)
{
	struct ft_text taken = {0};
	struct ft_model *m = x->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_SWITCH_UNPLANNED, FT_EVIDENCE_SEEN);
	uint32_t far = FT_NONE, chips = 0, cables = 0, hosts = 0;
	uint64_t system = node_of(m, first)->system_guid;

	for (uint32_t i = first; i != FT_NONE; i = next_of_system(m, system, i + 1)) {
		ft_finding_where_switch(m, f, i, 0);
		cables += unplanned_cabled(x, f, i, &far, &taken);
		hosts += m->observed.switches[i].hosts;
		chips++;
	}
	ft_say(m, &f->expected, "no such director");
	ft_say(m, &f->observed, "a director of %u switch chips with %u cable%s and %u host%s", chips, cables,
	       ft_text_s(cables), hosts, ft_text_s(hosts));
	ft_say(m, &f->text,
	       "%s and %u more switch chips of one director are new; they have %u cable%s to the fabric%s%s and %u "
	       "host%s%s",
	       m->observed.switches[first].label, chips - 1, cables, ft_text_s(cables),
	       far == FT_NONE ? "" : ", the first at ", far == FT_NONE ? "" : ft_place_text(m, far), hosts,
	       ft_text_s(hosts), taken_words(m, f, &taken));
	ft_say(m, &f->fix, "unplug it, unless it is to be there");
}

static bool has_planned_neighbour(const struct ft_model *m, uint32_t observed)
{
	ft_each_end(end, m, observed)
		if (ft_place_behind(m, end) != FT_NONE)
			return true;
	return false;
}

/* A director that comes back may have chips for a while that nothing joins to the others. */
static bool is_returning_chip(const struct ft_model *m, uint32_t observed)
{
	const struct ft_node *node = node_of(m, observed);

	for (uint32_t p = node->first_port; p < node->first_port + node->port_count; p++) {
		uint32_t port = ft_port_origin(m, p);

		if (port != FT_NONE)
			return ft_recall_chip_is_back(m, m->chips->ports[port].node);
	}
	return false;
}

void ft_unplanned_explain(struct explain *x)
{
	enum { STRANGERS_MAX = 16 };
	struct ft_model *m = x->m;
	uint32_t told = 0;

	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		const struct ft_observed_switch *sw = &m->observed.switches[i];

		if (sw->planned != FT_NONE || sw->tolerated || is_returning_chip(m, i))
			continue;
		/* Of a device that invents switches without end, only those count that show where it is cabled. */
		if (m->snapshot->source.stopped && (told == STRANGERS_MAX || !has_planned_neighbour(m, i)))
			continue;
		if (m->since && next_of_system(m, node_of(m, i)->system_guid, 0) < i)
			continue;
		if (m->since && next_of_system(m, node_of(m, i)->system_guid, i + 1) != FT_NONE)
			new_director(x, i);
		else
			unplanned_switch(x, i);
		told++;
	}
}
