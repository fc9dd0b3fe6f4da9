/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What was not seen. In this order:
 *
 *   - groups: connected unseen switches of which some have unseen neighbours only: one finding each (apart.c)
 *   - switches: every other unseen switch: its seen neighbours show whether it is off (dark ports), does not answer
 *     (silent ones), or was only not reached
 *   - behind: switches that are unseen only because unseen neighbours are between: part of its finding, or a symptom
 *     of those of several
 *   - gaps: at the end of the explanation, what could not be judged, as one finding
 *
 * The name of an unseen switch is given where the plan's names are those of the fabric, the baseline knows it, or the
 * names of the others leave out a single number. Invariant: each unseen switch is in one finding, or counted as not
 * reached. Cost: O(ports of the neighbours) for each unseen switch; O(places * neighbours) where several are alike.
 */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/moment.h"
#include "verify/model/bounds.h"
#include "verify/explain/explain.h"
#include "verify/model/recall.h"

/* The evidence that seen neighbours show of an unseen switch, or of an unseen pod, in cables. */
struct shadow {
	uint32_t planned;  /* place */
	uint32_t expected; /* planned cables to it from switches that were seen and are not cut off themselves */
	uint32_t silent, unread, dark; /* each cable once, in this order of preference */
	uint32_t dark_at_most;	       /* if all ports that are down belong to it */
};

static struct shadow shadow_of(const struct ft_model *m, uint32_t planned)
{
	struct shadow s = {.planned = planned};

	ft_each_pair(pair, m, planned) {
		uint32_t room = m->cells.width[pair->cell], observed = m->observed_of[pair->peer], n;

		if (observed == FT_NONE || m->status[pair->peer] == FT_STATUS_ISOLATED)
			continue;
		s.expected += room;
		n = ft_number_least(ft_uplinks_in_state(m, observed, FT_LINK_SILENT), room);
		s.silent += n;
		room -= n;
		/* An unread port may lead there. Ports that are down may be spare ones, so they come last. */
		n = ft_number_least(ft_uplinks_in_state(m, observed, FT_LINK_UNREAD), room);
		s.unread += n;
		room -= n;
		n = ft_uplinks_in_state(m, observed, FT_LINK_DOWN);
		s.dark += ft_number_least(n, room);
		s.dark_at_most += ft_number_least(n, m->cells.width[pair->cell]);
	}
	return s;
}

/* How to interpret the evidence of an unseen switch. */
enum shadow_kind { SHADOW_MUTE, SHADOW_UNREACHED, SHADOW_GONE };

static enum shadow_kind shadow_kind(const struct ft_model *m, const struct shadow *s)
{
	if (s->expected == 0)
		return SHADOW_UNREACHED;
	/*
	 * Under packet loss many ports are silent; a switch that does not answer shows as silent in nearly all ports
	 * that face it, or where none is dark.
	 */
	if (s->silent * 10 >= s->expected * 9 || (s->silent * 2 > s->expected && s->dark_at_most * 2 <= s->expected))
		return SHADOW_MUTE;
	/* "absent" needs evidence, not a sweep that could not look: more ports must be dark than not. */
	if (m->cut_off || (s->unread + s->silent > 0 && s->dark * 2 <= s->expected))
		return SHADOW_UNREACHED;
	return s->dark == 0 && !m->snapshot->source.complete ? SHADOW_UNREACHED : SHADOW_GONE;
}

void ft_shadow_where(struct explain *x, struct ft_finding *f, uint32_t planned, enum ft_link link)
{
	struct ft_model *m = x->m;

	ft_each_pair(pair, m, planned) {
		uint32_t width = m->cells.width[pair->cell], observed = m->observed_of[pair->peer], n;

		if (observed == FT_NONE || width == 0 || m->status[pair->peer] == FT_STATUS_ISOLATED)
			continue;
		/* While some ports are unread, the one that is down is not proven to be the one. */
		n = link == FT_LINK_DOWN && ft_uplinks_in_state(m, observed, FT_LINK_UNREAD) > 0
			    ? 0
			    : ft_ports_pick(m, observed, planned, width, link, x->picked);
		for (uint32_t i = 0; i < n; i++)
			ft_finding_where_port(m, f, x->picked[i]);
		if (n < width)
			ft_finding_where_switch(m, f, observed, 0);
	}
}

/* An end of a range of ports: "28", or "swp28". */
static void port_of_range(const struct ft_place *place, struct ft_text *text)
{
	if (place->interface[0])
		ft_text_puts(text, place->interface);
	else
		ft_text_printf(text, "%u", place->port);
}

/* " port 5", " ports 28-36", " swp28-swp36": the places from @first that are on one switch. Returns how many. */
static size_t ports_words(const struct ft_finding *f, size_t first, struct ft_text *text)
{
	const struct ft_place *where = f->where + first;
	size_t count = 1, named = 0;

	while (first + count < f->where_count && where[count].guid == where[0].guid)
		count++;
	for (size_t i = 0; i < count; i++)
		named += where[i].port > 0;
	if (named > 0)
		ft_text_puts(text, where[0].interface[0] ? " " : named == 1 ? " port " : " ports ");
	for (size_t i = 0; i < named;) {
		size_t last = i;

		while (last + 1 < named && where[last + 1].port == where[last].port + 1)
			last++;
		ft_text_puts(text, i ? ", " : "");
		port_of_range(&where[i], text);
		ft_text_puts(text, last > i ? "-" : "");
		if (last > i)
			port_of_range(&where[last], text);
		i = last + 1;
	}
	return count;
}

/* The director of the place, also of its chips, or FT_NONE. */
static uint32_t director_at(const struct ft_model *m, const struct ft_place *place)
{
	uint32_t observed = ft_observed_of_place(place);

	return observed != FT_NONE && ft_observed_is_director(m, observed) ? observed : FT_NONE;
}

/* How many places from @first are on one switch or director; a director's ports are on many chips. */
static size_t places_of_one(const struct ft_model *m, const struct ft_finding *f, size_t first, uint32_t director)
{
	size_t count = 1;

	while (first + count < f->where_count &&
	       (director == FT_NONE ? f->where[first + count].guid == f->where[first].guid
				    : director_at(m, &f->where[first + count]) == director))
		count++;
	return count;
}

/* Fewer switches where each has GUID and hosts in its name. */
const char *ft_where_words(const struct ft_model *m, const struct ft_finding *f, size_t first)
{
	enum { SHOWN = 4, WIDE = 200 };
	size_t shown = 0, more = 0;
	struct ft_text text = {0};

	for (size_t i = first; i < f->where_count;) {
		uint32_t director = director_at(m, &f->where[i]);
		size_t count = places_of_one(m, f, i, director);

		if (shown == SHOWN || text.length > WIDE) {
			i += count;
			more++;
			continue;
		}
		if (director != FT_NONE) {
			ft_text_printf(&text, "%s%s (%zu port%s)", shown++ ? ", " : "",
				       m->observed.switches[director].label, count, count == 1 ? "" : "s");
			i += count;
			continue;
		}
		ft_text_printf(&text, "%s%s", shown++ ? ", " : "", ft_place_label(m, &f->where[i]));
		i += ports_words(f, i, &text);
	}
	if (more > 0)
		ft_text_printf(&text, " and those of %zu more switch%s", more, more == 1 ? "" : "es");
	return ft_model_text(m, &text);
}

static bool unseen_is_named(const struct ft_model *m, uint32_t planned)
{
	/* If the plan says which ports lead to it, the dark ones identify it; or the baseline may. */
	return ft_recall_absent(m, planned) || m->kind_named[m->places[planned]->kind] ||
	       ft_bind_of(m, planned)->count > 0 || ft_port_map_knows(m, planned);
}

/*
 * The switch's name and GUID from the baseline, if known; and the identity in the finding's id: the plan's name, or the
 * ports that went dark; without either it is unknown.
 */
static void unseen_identify(struct ft_model *m, struct ft_finding *f, uint32_t planned)
{
	const struct ft_baseline_switch *was = ft_recall_absent(m, planned);
	bool port = false;

	if (was)
		ft_finding_subject(m, f, was->name, was->guid);
	for (size_t i = 0; i < f->where_count; i++)
		port |= f->where[i].port > 0;
	f->planned_as = unseen_is_named(m, planned) ? m->places[planned]->name : NULL;
	f->vague = !f->planned_as && !port;
}

/*
 * The name of an unseen switch: its name in the baseline, or its plan name if the fabric uses the plan's names; any
 * other name would be arbitrary.
 */
static const char *unseen_name(const struct ft_model *m, uint32_t planned)
{
	const struct ft_plan_switch *sw = m->places[planned];
	const struct ft_baseline_switch *was = ft_recall_absent(m, planned);
	char kind[FT_KIND_WORDS_SIZE];
	struct ft_text text = {0};

	ft_kind_words(m, planned, kind);
	if (was && strcmp(was->name, sw->name) != 0)
		ft_text_printf(&text, "%s %s (%s in the plan)", kind, was->name, sw->name);
	else if (sw->alias)
		ft_text_printf(&text, "%s %s (%s in the plan)", kind, sw->alias, sw->name);
	else if (unseen_is_named(m, planned))
		ft_text_printf(&text, "%s %s", kind, sw->name);
	else
		ft_text_printf(&text, "%s %s (%s in the plan)", strchr("aeiou", kind[0]) ? "an" : "a", kind, sw->name);
	return ft_model_text(m, &text);
}

/* ", seen until 2026-11-20T12:00:00Z,", or "". */
static const char *until_words(const struct ft_model *m, uint32_t planned, char buffer[64])
{
	const struct ft_baseline_switch *was = ft_recall_absent(m, planned);
	char time[FT_TIME_SIZE] = "";

	if (was)
		ft_recall_until(m, was->gone_s, was->back_s, time);
	snprintf(buffer, 64, time[0] ? ", seen until %s," : "%s", time);
	return buffer;
}

/* "edge003 port 20": the first port of the finding, or "". Ports of a director are those of its chips. */
static const char *port_words(const struct ft_model *m, const struct ft_finding *f)
{
	char words[FT_PORT_WORDS_SIZE];
	struct ft_text text = {0};

	for (size_t i = 0; i < f->where_count && text.length == 0; i++) {
		uint32_t observed = ft_observed_of_place(&f->where[i]);

		if (f->where[i].port > 0 && observed != FT_NONE &&
		    m->observed.switches[observed].guid == f->where[i].guid)
			ft_text_printf(&text, "%s%s", m->observed.switches[observed].label,
				       ft_port_words(&f->where[i], words));
	}
	return ft_model_text(m, &text);
}

/* ---- gaps in the names of the seen switches ---- */

/* A name around its last number: "pod2-spine-", 3 of two digits, "". */
struct numbered {
	const char *name;
	uint32_t stem, digits, number;
};

static bool numbered_read(const char *name, struct numbered *ret)
{
	enum { DIGITS_MOST = 8 };
	uint32_t end = (uint32_t)strlen(name), begin;

	while (end > 0 && !isdigit((unsigned char)name[end - 1]))
		end--;
	for (begin = end; begin > 0 && isdigit((unsigned char)name[begin - 1]);)
		begin--;
	if (begin == end || end - begin > DIGITS_MOST || ft_text_in_hexadecimal(name, begin))
		return false;
	*ret = (struct numbered){name, begin, end - begin, (uint32_t)strtoul(name + begin, NULL, 10)};
	return true;
}

static int series_compare(const struct numbered *a, const struct numbered *b)
{
	int order = a->stem == b->stem ? memcmp(a->name, b->name, a->stem) : a->stem < b->stem ? -1 : 1;

	return order ? order : strcmp(a->name + a->stem + a->digits, b->name + b->stem + b->digits);
}

static int numbered_compare(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	int order = series_compare(x, y);

	return order ? order : FT_ORDER(x->number, y->number);
}

/* The last name before the only missing number in an ascending list; NULL: none is missing, or several. */
static const struct numbered *gap_find(const struct numbered *list, uint32_t count)
{
	const struct numbered *before = NULL;

	for (uint32_t i = 1; i < count; i++) {
		if (series_compare(&list[i - 1], &list[i]) != 0 || list[i].number == list[i - 1].number + 1)
			continue;
		if (before || list[i].number != list[i - 1].number + 2)
			return NULL;
		before = &list[i - 1];
	}
	return before;
}

/*
 * "The names of the others leave out core-24. " if one switch of the kind was not seen, and the names of the others
 * leave out one number; else "". This is a hint: the number may never have been used.
 */
static const char *left_out_words(struct ft_model *m, uint32_t kind)
{
	_cleanup_free_ struct numbered *list = calloc(m->observed.switch_count + 1UL, sizeof(*list));
	const struct numbered *before;
	uint32_t count = 0, unseen = 0;
	struct ft_text text = {0};

	m->memory.failed |= !list;
	for (uint32_t p = 0; p < m->place_count; p++)
		unseen += m->places[p]->kind == kind && m->observed_of[p] == FT_NONE;
	for (uint32_t i = 0; list && unseen == 1 && i < m->observed.switch_count; i++) {
		const struct ft_observed_switch *sw = &m->observed.switches[i];

		if (sw->planned != FT_NONE && sw->kind == kind)
			count += numbered_read(sw->label, &list[count]);
	}
	if (count < 2)
		return "";
	qsort(list, count, sizeof(*list), numbered_compare);
	before = gap_find(list, count);
	if (before)
		ft_text_printf(&text, "The names of the others leave out %.*s%0*" PRIu32 "%s. ", (int)before->stem,
			       before->name, (int)before->digits, before->number + 1,
			       before->name + before->stem + before->digits);
	return ft_model_text(m, &text);
}

/* Which of several equal switches is unseen may be decidable only on site, by one of its cables or by the others. */
static void unseen_look(struct explain *x, struct ft_finding *f, uint32_t planned)
{
	struct ft_model *m = x->m;
	const char *port = port_words(m, f), *left_out;
	char kind[FT_KIND_WORDS_SIZE];
	uint32_t alike = 0;

	for (uint32_t p = 0; p < m->place_count; p++)
		alike += m->group[p] == m->group[planned];
	if (unseen_is_named(m, planned) || alike < 2 || f->alternative_count > 0)
		return;
	left_out = left_out_words(m, m->places[planned]->kind);
	if (port[0])
		ft_finding_alternative(m, f,
				       "which of the %u %ses of the plan it is cannot be told: they are alike, and "
				       "not bound. %sThe label of the cable in %s tells",
				       alike, ft_kind_words(m, planned, kind), left_out, port);
	else
		ft_finding_alternative(m, f,
				       "which of the %u %ses of the plan it is cannot be told: they are alike, and "
				       "not bound. %sThe name plates of those that are there tell",
				       alike, ft_kind_words(m, planned, kind), left_out);
}

/* True if the switches at two places have the same cables, but those to each other, and as many hosts and ports. */
static bool are_alike(const struct ft_model *m, uint32_t a, uint32_t b)
{
	const struct ft_observed_switch *one = ft_observed_at(m, a), *two = ft_observed_at(m, b);
	const struct ft_pair *x = ft_pairs_of(m, a), *y = ft_pairs_of(m, b);

	if (one->hosts != two->hosts || one->ports != two->ports || one->cable_count != two->cable_count)
		return false;
	while (x < ft_pairs_of(m, a + 1) || y < ft_pairs_of(m, b + 1)) {
		uint32_t left = x < ft_pairs_of(m, a + 1) ? x->peer : FT_NONE;
		uint32_t right = y < ft_pairs_of(m, b + 1) ? y->peer : FT_NONE;
		uint32_t seen_left = left <= right ? m->cells.seen[(x++)->cell] : 0;
		uint32_t seen_right = right <= left ? m->cells.seen[(y++)->cell] : 0;
		uint32_t peer = ft_number_least(left, right);

		if (peer != a && peer != b && seen_left != seen_right)
			return false;
	}
	return true;
}

/*
 * An unseen switch may have been cabled to another one that is like its neighbour. The case that bit: of eight edges
 * without names one was said to have lost a management switch, and seven others had as many dark ports. O(places *
 * neighbours) for each neighbour.
 */
static void peers_look(struct explain *x, struct ft_finding *f, uint32_t planned)
{
	struct ft_model *m = x->m;

	ft_each_pair(pair, m, planned) {
		uint32_t q = pair->peer, width = m->cells.width[pair->cell], alike = 1;
		char kind[FT_KIND_WORDS_SIZE];

		if (width == 0 || m->observed_of[q] == FT_NONE || ft_is_told(m, m->observed_of[q], q))
			continue;
		for (uint32_t p = 0; p < m->place_count; p++) {
			const struct ft_pair *its = ft_pair_at(m, p, planned);

			alike +=
				p != q && m->observed_of[p] != FT_NONE && m->places[p]->kind == m->places[q]->kind &&
				!ft_is_told(m, m->observed_of[p], p) && (!its || m->cells.width[its->cell] < width) &&
				are_alike(m, p, q) &&
				ft_uplinks_in_state(m, m->observed_of[p], FT_LINK_DOWN) >=
					ft_number_least(width, ft_uplinks_in_state(m, m->observed_of[q], FT_LINK_DOWN));
		}
		if (alike > 1)
			ft_finding_alternative(
				m, f,
				"it may have been cabled to another of the %u %ses that are like %s, and "
				"not bound. The other ends of its cables tell",
				alike, ft_kind_words(m, q, kind), label_of(m, q));
	}
}

static void peers_symptoms(struct explain *x, struct ft_finding *f, uint32_t planned)
{
	struct ft_model *m = x->m;

	ft_each_pair(pair, m, planned) {
		uint32_t width = m->cells.width[pair->cell], q = pair->peer;
		char cables[48];

		if (m->observed_of[q] == FT_NONE || width == 0 || m->status[q] == FT_STATUS_ISOLATED)
			continue;
		ft_finding_symptom(m, f, m->observed_of[q], 0, "%s lacks %s", label_of(m, q),
				   ft_plural(width, "cable", cables));
	}
}

/* True where a planned switch is cabled to one of that kind. */
static bool is_next_to(const struct ft_model *m, uint32_t planned, uint32_t kind)
{
	bool next_to = false;

	ft_each_pair(pair, m, planned)
		next_to |= m->cells.width[pair->cell] > 0 && m->places[pair->peer]->kind == kind;
	return next_to;
}

/*
 * Adds the kinds that a planned switch is cabled to, "edge, spine and core", and returns how many; none without ranks.
 */
static uint32_t peers_add(const struct ft_model *m, uint32_t planned, struct ft_text *text)
{
	uint32_t shown = 0, last = FT_NONE;

	if (!ft_plan_has_ranks(m->plan))
		return 0;
	for (uint32_t kind = 0; kind < m->plan->kind_count; kind++)
		last = is_next_to(m, planned, kind) ? kind : last;
	for (uint32_t kind = 0; kind < m->plan->kind_count; kind++)
		if (is_next_to(m, planned, kind))
			ft_text_printf(text, "%s%s",
				       shown++ == 0   ? ""
				       : kind == last ? " and "
						      : ", ",
				       m->plan->kinds[kind].name);
	return shown;
}

/* "the edge level", "its neighbours": the peers of a switch. */
static const char *level_words(const struct ft_model *m, uint32_t planned)
{
	struct ft_text text = {0};
	uint32_t kinds = peers_add(m, planned, &text);
	const char *peers = ft_model_text(m, &text);

	if (kinds == 0)
		return "its neighbours";
	ft_text_printf(&text, "the %s level%s", peers, ft_text_s(kinds));
	return ft_model_text(m, &text);
}

/* "edge and core", "neighbours'": the owners of the ports that an unseen switch has left dark. */
static const char *owners_words(const struct ft_model *m, uint32_t planned)
{
	struct ft_text text = {0};

	return peers_add(m, planned, &text) > 0 ? ft_model_text(m, &text) : "neighbours'";
}

static uint32_t seen_peers(const struct ft_model *m, uint32_t planned)
{
	uint32_t seen = 0;

	ft_each_pair(pair, m, planned)
		seen += m->cells.width[pair->cell] > 0 && m->observed_of[pair->peer] != FT_NONE;
	return seen;
}

static void unseen_silent(struct explain *x, const struct shadow *s)
{
	struct ft_model *m = x->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_SWITCH_MUTE, FT_EVIDENCE_MUTE);
	const char *name;

	m->status[s->planned] = FT_STATUS_MUTE;
	f->count = s->silent;
	ft_shadow_where(x, f, s->planned, FT_LINK_SILENT);
	ft_finding_act_power(m, f, s->planned);
	ft_finding_gone(m, f, s->planned);
	unseen_identify(m, f, s->planned);
	name = unseen_name(m, s->planned);
	ft_say(m, &f->expected, "an answer from %s", name);
	ft_say(m, &f->observed, "%u of its %u links are up, none is answered", s->silent, s->expected);
	ft_say(m, &f->text, "%s does not answer: its links are up (%s), but %s", name, ft_where_words(m, f, 0),
	       m->words->silent);
	ft_say(m, &f->fix, "%s", m->words->silent_fix);
	unseen_look(x, f, s->planned);
}

/*
 * The hosts behind an unseen edge: the missing hosts, up to its capacity. In an uneven plan its share is known only if
 * it is bound.
 */
static uint32_t hosts_behind(struct explain *x, uint32_t planned)
{
	const struct ft_model *m = x->m;
	uint32_t room = ft_bind_of(m, planned)->count > 0 ? m->places[planned]->hosts : ft_host_ports_of(m, planned);
	uint32_t hosts = ft_number_least(x->hosts_lacking, room);

	if (ft_is_beside(m, planned))
		return m->places[planned]->hosts;
	x->hosts_lacking -= hosts;
	return hosts;
}

struct pod {
	uint32_t planned, seen; /* edge switches */
	uint32_t spine;		/* a seen one, or FT_NONE */
};

/* By number; the caller frees them. NULL: no memory, or there are no pods. */
static struct pod *pods_count(const struct ft_model *m, uint32_t *ret_count)
{
	struct pod *pods;
	uint32_t count = 0;

	for (uint32_t p = 0; p < m->place_count; p++)
		if (m->places[p]->pod != FT_NONE && m->places[p]->pod >= count)
			count = m->places[p]->pod + 1;
	*ret_count = count;
	pods = count > 0 ? calloc(count, sizeof(*pods)) : NULL;
	for (uint32_t i = 0; pods && i < count; i++)
		pods[i].spine = FT_NONE;
	for (uint32_t p = 0; pods && p < m->place_count; p++) {
		uint32_t number = m->places[p]->pod;

		if (number == FT_NONE)
			continue;
		if (p >= m->edges && m->observed_of[p] != FT_NONE && pods[number].spine == FT_NONE)
			pods[number].spine = m->observed_of[p];
		pods[number].planned += p < m->edges;
		pods[number].seen += p < m->edges && m->observed_of[p] != FT_NONE;
	}
	return pods;
}

/*
 * If pods have different sizes and no names, a pod without one edge looks like a complete smaller one: then another pod
 * may lack it, an alternative.
 */
static void unseen_edge_alternative(struct explain *x, struct ft_finding *f, uint32_t planned)
{
	struct ft_model *m = x->m;
	_cleanup_free_ struct pod *pods = NULL;
	uint32_t pod = m->places[planned]->pod, count;
	struct pod here;

	if (m->plan->general || pod == FT_NONE || unseen_is_named(m, planned))
		return;
	pods = pods_count(m, &count);
	if (!pods)
		return;
	here = pods[pod];
	for (uint32_t other = 0; other < count; other++) {
		struct pod there = pods[other];

		if (there.spine == FT_NONE || there.planned == here.planned ||
		    ft_number_apart(here.planned, here.seen) + ft_number_apart(there.planned, there.seen) !=
			    ft_number_apart(there.planned, here.seen) + ft_number_apart(here.planned, there.seen))
			continue;
		ft_finding_alternative(m, f,
				       "the plan has pods of %u and of %u edge switches, and which is which is not "
				       "bound: it may be the pod of %s that lacks one",
				       here.planned, there.planned, m->observed.switches[there.spine].label);
		return;
	}
}

/* A switch that is not there: with hosts (@edge), which are out of reach then, or above those. */
static void unseen_gone(struct explain *x, const struct shadow *s, bool edge)
{
	struct ft_model *m = x->m;
	struct ft_finding *f = ft_finding_add(m, edge ? FT_CODE_EDGE_ISOLATED : FT_CODE_CORE_MISSING,
					      s->dark > 0 ? FT_EVIDENCE_ABSENT : FT_EVIDENCE_SEEN);
	uint32_t behind = edge ? hosts_behind(x, s->planned) : 0, peers = seen_peers(m, s->planned);
	const char *name, *owners;
	char cables[48], hosts[48], until[64];

	m->status[s->planned] = edge ? FT_STATUS_ISOLATED : FT_STATUS_MISSING;
	f->impact.links_lost = s->expected;
	f->impact.hosts_cut_off = behind;
	ft_shadow_where(x, f, s->planned, FT_LINK_DOWN);
	ft_finding_act_power(m, f, s->planned);
	ft_finding_gone(m, f, s->planned);
	unseen_identify(m, f, s->planned);
	peers_symptoms(x, f, s->planned);
	f->count = edge ? (uint32_t)f->where_count : 1;
	name = unseen_name(m, s->planned);
	ft_say(m, &f->expected, "%s with %s to %s", name, ft_plural(s->expected, "cable", cables),
	       level_words(m, s->planned));
	owners = owners_words(m, s->planned);
	ft_say(m, &f->observed, "not seen; the %s ports for it are %s", owners,
	       s->dark > 0 ? down_word(m) : "taken by other cables");
	ft_say(m, &f->text, "%s%s is %s%s%s%s%s", name, until_words(m, s->planned, until),
	       edge ? "cut off or powered down" : "missing", f->where_count ? "; the " : "",
	       f->where_count ? owners : "", f->where_count ? " ports that went dark: " : "",
	       f->where_count ? ft_where_words(m, f, 0) : "");
	if (edge)
		ft_say(m, &f->fix, "look at its power first, then at its uplinks; %s %s out of reach",
		       ft_plural(behind, "host", hosts), behind == 1 ? "is" : "are");
	else
		ft_say(m, &f->fix, "look at its power; %u switch%s lost the cables to it", peers,
		       peers == 1 ? " has" : "es have");
	if (edge)
		unseen_edge_alternative(x, f, s->planned);
	unseen_look(x, f, s->planned);
	peers_look(x, f, s->planned);
}

/* ---- unseen switches behind others ---- */

/* Where the sweep began, if that is known: what is not seen is out of sight from there. */
static uint32_t entry_of(const struct ft_model *m)
{
	return m->observed.entry == FT_NONE ? 0 : m->observed.entry;
}

/* The evidence for the first of a group that has seen neighbours, with that of the others added. */
static struct shadow group_shadow(const struct ft_model *m, const bool *is_of)
{
	struct shadow sum = {.planned = FT_NONE};

	for (uint32_t p = 0; p < m->place_count; p++) {
		struct shadow s;

		if (!is_of[p])
			continue;
		s = shadow_of(m, p);
		/* By whose name it is called: the first that was seen before, if any was. */
		if (s.expected > 0 &&
		    (sum.planned == FT_NONE || (!ft_recall_absent(m, sum.planned) && ft_recall_absent(m, p))))
			sum.planned = p;
		sum.expected += s.expected;
		sum.silent += s.silent;
		sum.unread += s.unread;
		sum.dark += s.dark;
		sum.dark_at_most += s.dark_at_most;
	}
	return sum;
}

/* The names of a group of which all were seen before; NULL: some were not, or these are longer than @room. */
static const char *group_names(const struct ft_model *m, const bool *is_of, size_t room)
{
	struct ft_text text = {0};
	bool known = true;
	const char *names;

	for (uint32_t p = 0; p < m->place_count && known && text.length <= room; p++) {
		if (!is_of[p])
			continue;
		ft_text_printf(&text, "%s%s", text.length > 0 ? ", " : "", unseen_name(m, p));
		known = ft_recall_absent(m, p) != NULL;
	}
	names = ft_model_text(m, &text);
	return known && strlen(names) <= room ? names : NULL;
}

/* A group of connected unseen switches: one fault, reported at those with seen neighbours. */
static void group_report(struct explain *x, const bool *is_of, uint32_t behind)
{
	/* With the other words a sentence of 500 bytes at most, but for very long names. */
	enum { NAMES_AND_PORTS_MAX = 420 };
	struct ft_model *m = x->m;
	struct shadow s = group_shadow(m, is_of);
	struct ft_finding *f;
	uint32_t switches = 0, hosts = 0, front = 0;
	bool may_host = false;
	const char *name, *names, *where;
	char words[48];

	for (uint32_t p = 0; p < m->place_count; p++)
		may_host |= is_of[p] && m->places[p]->hosts > 0 && shadow_of(m, p).expected == 0;
	/* If the group cuts off no switch with hosts, each is reported alone, and what is behind them is unknown. */
	if (!may_host || s.planned == FT_NONE || shadow_kind(m, &s) != SHADOW_GONE)
		return;
	f = ft_finding_add(m, FT_CODE_EDGE_ISOLATED, s.dark > 0 ? FT_EVIDENCE_ABSENT : FT_EVIDENCE_SEEN);
	for (uint32_t p = 0; p < m->place_count; p++) {
		uint32_t own;

		if (!is_of[p])
			continue;
		own = m->places[p]->hosts > 0 ? hosts_behind(x, p) : 0;
		switches++;
		hosts += own;
		m->status[p] = m->places[p]->hosts > 0 ? FT_STATUS_ISOLATED : FT_STATUS_MISSING;
		ft_finding_gone(m, f, p);
		if (shadow_of(m, p).expected == 0) {
			ft_finding_symptom(m, f, entry_of(m), 0, "%s is behind it and not seen", m->places[p]->name);
			continue;
		}
		front++;
		ft_shadow_where(x, f, p, FT_LINK_DOWN);
		ft_finding_act_power(m, f, p);
		peers_symptoms(x, f, p);
	}
	f->impact.links_lost = s.expected;
	f->impact.hosts_cut_off = hosts;
	f->count = (uint32_t)f->where_count;
	unseen_identify(m, f, s.planned);
	name = unseen_name(m, s.planned);
	where = ft_where_words(m, f, 0);
	names = strlen(where) < NAMES_AND_PORTS_MAX ? group_names(m, is_of, NAMES_AND_PORTS_MAX - strlen(where)) : NULL;
	ft_say(m, &f->expected, "%u switches, with %u cables to the others", switches, s.expected);
	ft_say(m, &f->observed, "none of them was seen; the ports for them are %s",
	       s.dark > 0 ? down_word(m) : "taken by other cables");
	if (front == 1)
		ft_say(m, &f->text,
		       "%s is cut off or powered down, and with it %u switch%s behind it; the ports that went "
		       "dark: %s",
		       name, behind, behind == 1 ? "" : "es", where);
	else if (names)
		ft_say(m, &f->text, "%u switches are cut off or powered down: %s; the ports that went dark: %s",
		       switches, names, where);
	else
		ft_say(m, &f->text,
		       "%u switches are cut off or powered down: %s, %u more next to seen ones and %u behind "
		       "them; the ports that went dark: %s",
		       switches, name, front - 1, behind, where);
	ft_say(m, &f->fix, "look at the power of %s first, then at %s cables; %s out of reach", name,
	       front == 1 ? "its" : "their", ft_plural(hosts, hosts == 1 ? "host is" : "host", words));
}

/* ---- switches behind an unseen one ---- */

/* The finding that place @p is gone, or FT_NONE. */
static uint32_t cause_of(const struct ft_model *m, uint32_t p)
{
	uint32_t number = ft_plan_index(m, p);

	for (size_t i = 0; i < m->report->finding_count; i++)
		for (size_t n = 0; n < m->report->findings[i].gone_count; n++)
			if (m->report->findings[i].gone[n] == number)
				return (uint32_t)i;
	return FT_NONE;
}

/*
 * The cause that place @p, without seen neighbours, was not seen: the finding of an unseen neighbour, or FT_NONE.
 * @ret_shared: that of another one is a cause as well.
 */
static uint32_t cause_near(const struct ft_model *m, uint32_t p, bool *ret_shared)
{
	uint32_t cause = FT_NONE;

	*ret_shared = false;
	ft_each_pair(pair, m, p) {
		uint32_t other = FT_NONE;

		if (m->cells.width[pair->cell] > 0 && m->observed_of[pair->peer] == FT_NONE)
			other = cause_of(m, pair->peer);
		*ret_shared |= other != FT_NONE && cause != FT_NONE && other != cause;
		cause = cause == FT_NONE ? other : cause;
	}
	return cause;
}

/* Place @p joins finding @f, its cause: it is lost with it, or only not reached if the cause does not answer. */
static void behind_tell(struct ft_model *m, struct ft_finding *f, uint32_t p)
{
	uint32_t hosts = m->places[p]->hosts;
	bool lost = f->code != FT_CODE_SWITCH_MUTE;
	char words[48], also[64] = "";

	if (hosts > 0)
		snprintf(also, sizeof(also), " and its %s", ft_plural(hosts, "host", words));
	m->status[p] = !lost ? FT_STATUS_UNREACHED : ft_gone_isolates(m, p) ? FT_STATUS_ISOLATED : FT_STATUS_MISSING;
	f->impact.hosts_cut_off += lost ? hosts : 0;
	f->severity = lost && hosts > 0 ? FT_SEVERITY_CRITICAL : f->severity;
	ft_finding_gone(m, f, p);
	ft_finding_symptom(m, f, entry_of(m), 0, "%s%s behind it %s out of %s", unseen_name(m, p), also,
			   hosts > 0 ? "are" : "is", lost ? "reach" : "sight");
}

/* Says in each finding that keeps place @p out of sight together with others that it does. */
static void shared_tell(struct ft_model *m, uint32_t p)
{
	uint32_t last = FT_NONE;

	ft_each_pair(pair, m, p) {
		uint32_t cause = m->cells.width[pair->cell] > 0 ? cause_of(m, pair->peer) : FT_NONE;

		if (cause != FT_NONE && cause != last)
			ft_finding_symptom(m, &m->report->findings[cause], entry_of(m), 0,
					   "%s is out of reach, behind it and others", unseen_name(m, p));
		last = cause != FT_NONE ? cause : last;
	}
}

/*
 * Switches without seen neighbours belong to the finding of a neighbour, each to its own cause; those behind them to
 * the same one. What several findings keep out of sight together is the loss of none of them, so that none costs more
 * than mending it gives back; but hosts must be somewhere. The case that bit: the cores of a plane whose spines were
 * all dead, each for a reason of its own, were charged to the first. O(passes * cables of these), a pass for each hop.
 */
static void behind_explain(struct explain *x)
{
	struct ft_model *m = x->m;
	bool changed = !m->cut_off;

	/* A place that could not be added to its finding would be looked at for ever. */
	while (changed && !m->memory.failed && !m->report->memory.failed) {
		changed = false;
		for (uint32_t p = 0; p < m->place_count; p++) {
			uint32_t cause;
			bool shared;

			if (m->observed_of[p] != FT_NONE || shadow_of(m, p).expected > 0 || cause_of(m, p) != FT_NONE)
				continue;
			cause = cause_near(m, p, &shared);
			if (cause == FT_NONE || (shared && m->places[p]->hosts == 0))
				continue;
			behind_tell(m, &m->report->findings[cause], p);
			changed = true;
		}
	}
	for (uint32_t p = 0; !m->cut_off && p < m->place_count; p++)
		if (m->observed_of[p] == FT_NONE && shadow_of(m, p).expected == 0 && cause_of(m, p) == FT_NONE)
			shared_tell(m, p);
}

int ft_unseen_explain(struct explain *x)
{
	struct ft_model *m = x->m;
	int r = ft_apart_unseen(x, group_report);

	if (r < 0)
		return r;
	for (uint32_t p = 0; p < m->place_count; p++) {
		struct shadow s;

		if (m->observed_of[p] != FT_NONE || m->status[p] != FT_STATUS_OK)
			continue;
		s = shadow_of(m, p);
		switch (shadow_kind(m, &s)) {
		case SHADOW_MUTE:
			unseen_silent(x, &s);
			break;
		case SHADOW_UNREACHED:
			m->status[p] = FT_STATUS_UNREACHED;
			break;
		case SHADOW_GONE:
			unseen_gone(x, &s, ft_gone_isolates(m, p));
			break;
		}
	}
	behind_explain(x);
	return 0;
}

/*
 * True if an uplink may be up and unknown. Silent ports are not uplinks if they are no more than the missing hosts, and
 * as many others are down as uplinks are planned.
 */
bool ft_uplink_may_be_up(const struct ft_model *m, uint32_t e, uint32_t planned)
{
	const struct ft_observed_switch *sw = ft_observed_at(m, e);
	uint32_t silent = ft_uplinks_in_state(m, m->observed_of[e], FT_LINK_SILENT);
	uint32_t hosts = m->places[e]->hosts;

	if (ft_uplinks_in_state(m, m->observed_of[e], FT_LINK_UNREAD) > 0)
		return true;
	return silent > 0 &&
	       (sw->hosts + silent > hosts || ft_uplinks_in_state(m, m->observed_of[e], FT_LINK_DOWN) < planned);
}

/* What the sweep could not find out, in numbers. */
struct gaps {
	uint32_t unread, silent;      /* ports */
	uint32_t unjudged, unreached; /* planned cables, planned switches */
};

/* True for a port inside a director, in state @link, without a finding. */
static bool trace_is_open(const struct ft_model *m, uint32_t chip_port, enum ft_link link)
{
	return m->chassis->chip_of[m->chips->ports[chip_port].node] != FT_NONE &&
	       m->chassis->whole_port[chip_port] == FT_NONE && !m->trace_claimed[chip_port] &&
	       m->chips->ports[chip_port].link == link;
}

/* Counts them; also sets the unheard ports of each observed switch. */
static struct gaps gaps_count(struct ft_model *m)
{
	struct gaps g = {0};
	bool shared;

	for (uint32_t i = 0; i < m->cells.count; i++)
		g.unjudged += m->cells.unjudged[i];
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		uint32_t unread = ft_ports_in_state(m, i, FT_LINK_UNREAD, true);
		uint32_t silent = ft_ports_in_state(m, i, FT_LINK_SILENT, true);

		m->observed.switches[i].unheard = unread + silent;
		g.unread += unread;
		g.silent += silent;
	}
	for (uint32_t p = 0; p < m->place_count; p++)
		g.unreached += m->status[p] == FT_STATUS_UNREACHED && cause_of(m, p) == FT_NONE &&
			       cause_near(m, p, &shared) == FT_NONE;
	for (uint32_t i = 0; m->trace_claimed && i < m->chips->port_count; i++) {
		g.unread += trace_is_open(m, i, FT_LINK_UNREAD);
		g.silent += trace_is_open(m, i, FT_LINK_SILENT);
	}
	return g;
}

static bool gaps_matter(const struct explain *x, const struct gaps *g)
{
	const struct ft_model *m = x->m;

	if (m->observed.switch_count == 0 || m->snapshot->source.stopped || g->unread + g->silent + g->unjudged > 0)
		return true;
	/* If an edge is cut off, the rest is behind it, and its finding says so. Other losses do not concern cables. */
	return g->unreached > 0 && !x->isolated_seen;
}

/* "12 ports not read, 2 planned cables not judged" */
static const char *gaps_list(const struct ft_model *m, const struct gaps *g)
{
	const struct {
		uint32_t count;
		const char *one, *many, *what;
	} rows[] = {
		{g->silent, "port", "ports", "up and silent"},
		{g->unread, "port", "ports", m->words->unread},
		{g->unjudged, "planned cable", "planned cables", "not judged"},
		{g->unreached, "planned switch", "planned switches", "not reached"},
		{m->snapshot->source.timeouts, "packet", "packets", "lost"},
	};
	struct ft_text text = {0};

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		if (rows[i].count > 0)
			ft_text_printf(&text, "%s%u %s %s", text.length ? ", " : "", rows[i].count,
				       rows[i].count == 1 ? rows[i].one : rows[i].many, rows[i].what);
	return ft_model_text(m, &text);
}

/* More switches answered than the plan can be meant for. */
static void stop_words(struct explain *x, struct ft_finding *f)
{
	struct ft_model *m = x->m;
	struct ft_bounds bounds;

	ft_bounds_of_plan(m->plan, &bounds);
	ft_say(m, &f->observed, "more than %u nodes with %u ports", m->chips->node_count, m->chips->port_count);
	ft_say(m, &f->text,
	       "the sweep was stopped: more than %u nodes with %u ports answered where the plan has %u nodes, so a "
	       "device answers as switches that do not exist, or this is the plan of another fabric",
	       m->chips->node_count, m->chips->port_count, bounds.planned_nodes);
	ft_say(m, &f->fix,
	       "unplug the switch-unplanned that is cabled to a planned switch and sweep again; if the fabric really "
	       "is "
	       "so much larger, give its own plan");
}

static void gaps_words(struct explain *x, struct ft_finding *f, const struct gaps *g)
{
	struct ft_model *m = x->m;
	const char *list;

	if (m->observed.switch_count == 0) {
		ft_say(m, &f->observed, "no switch was seen");
		ft_say(m, &f->text, "%s saw no switch: nothing can be judged", m->words->observed);
		ft_say(m, &f->fix, "%s", m->words->first_look);
		return;
	}
	list = gaps_list(m, g);
	ft_say(m, &f->observed, "%s", list);
	ft_say(m, &f->text, "not everything could be judged: %s", list);
	ft_say(m, &f->fix, "%s",
	       g->silent > 0 && g->unread == 0 ? m->words->gaps_silent
	       : m->snapshot->source.live      ? m->words->gaps_live
					       : m->words->gaps_file);
}

void ft_incomplete_report(struct explain *x)
{
	struct ft_model *m = x->m;
	struct gaps gaps = gaps_count(m);
	struct ft_finding *f;

	if (!gaps_matter(x, &gaps))
		return;
	f = ft_finding_add(m, FT_CODE_SWEEP_INCOMPLETE, gaps.silent ? FT_EVIDENCE_MUTE : FT_EVIDENCE_UNREACHED);
	f->count = gaps.unread + gaps.silent;
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		const struct ft_node *node = node_of(m, i);

		for (uint32_t n = 0; n < node->port_count; n++) {
			uint8_t link = m->snapshot->ports[node->first_port + n].link;

			/* Of invented switches, nothing is missing. */
			if (m->snapshot->source.stopped && m->observed.switches[i].planned == FT_NONE)
				break;
			if ((link == FT_LINK_UNREAD || link == FT_LINK_SILENT) &&
			    !m->port_claimed[node->first_port + n])
				ft_finding_where_port(m, f, node->first_port + n);
		}
	}
	for (uint32_t i = 0; m->trace_claimed && i < m->chips->port_count; i++)
		if (trace_is_open(m, i, FT_LINK_UNREAD) || trace_is_open(m, i, FT_LINK_SILENT))
			ft_finding_where_chip_port(m, f, i);
	ft_say(m, &f->expected, "an answer from everything that is there");
	/* All planned switches that were reached have answered. */
	if (m->snapshot->source.stopped && f->where_count == 0)
		f->evidence = FT_EVIDENCE_SEEN;
	if (m->snapshot->source.stopped && m->observed.switch_count > 0)
		stop_words(x, f);
	else
		gaps_words(x, f, &gaps);
}
