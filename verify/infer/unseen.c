/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Unseen switches with evidence: on every switch of the other rank the ports that lead to them are up and silent, or
 * are dark among those that lead to their equals; or the names of these are numbered with one number missing.
 *
 * Ports among uplinks are rarely left free, so one of these signs is enough for a core switch; but a dark port outside
 * the uplinks may be for hosts, so a number must be missing, too. Racks are left empty more often: an edge switch must
 * be silent, or dark and missing in the numbering, too.
 */
#include "config.h"

#include <errno.h>

#include "verify/infer/infer_parts.h"

/* The ranks. */
enum { LOWER, UPPER };

enum { ROWS_MIN = 3, PORT_NUMBERS = FT_DIRECTOR_PORTS_MAX + 1, EDGES_SHARE = 4 };

/* The use of a port number by the switches of one rank. */
struct use {
	uint32_t owner; /* the switch of the other rank that most lead to (Boyer-Moore majority vote) */
	uint32_t votes;
	uint32_t agree; /* how many lead there */
	uint32_t used;	/* how many use it at all */
};

static void uses_vote(const struct ft_inference *f, uint32_t rank, uint32_t other, bool second, struct use *use)
{
	for (uint32_t i = 0; i < f->observed->cable_count; i++) {
		const struct ft_observed_cable *cable = &f->observed->cables[i];

		for (unsigned int end = 0; end < 2; end++) {
			uint32_t near = end ? cable->b : cable->a, far = end ? cable->a : cable->b;
			uint32_t number = f->snapshot->ports[end ? cable->b_port : cable->a_port].number;
			struct use *u = &use[number < PORT_NUMBERS ? number : 0];

			if (number >= PORT_NUMBERS || f->fit.rank[near] != rank || f->fit.rank[far] != other)
				continue;
			if (second)
				u->agree += u->owner == far;
			else if (u->votes == 0 || u->owner == far)
				u->owner = u->votes++ == 0 ? far : u->owner;
			else
				u->votes--;
		}
	}
}

static void uses_count(const struct ft_inference *f, uint32_t rank, struct use *use)
{
	for (uint32_t i = 0; i < f->count[rank]; i++) {
		const struct ft_node *node = &f->snapshot->nodes[f->observed->switches[f->member[rank][i]].node];

		for (unsigned int p = 1; p <= node->port_count && p < PORT_NUMBERS; p++) {
			const struct ft_port *port = ft_node_port(f->snapshot, node, p);

			use[p].used += port->peer != FT_NONE || port->link == FT_LINK_SILENT ||
				       ft_infer_port_is_joined(f, f->member[rank][i], p);
		}
	}
}

/*
 * Dark blocks among the ports of @rank that lead to @other. 0 if the ports are not assigned in blocks of @width, or
 * most of the rows disagree about their owners.
 */
static uint32_t dark_blocks(const struct ft_inference *f, uint32_t rank, uint32_t other, uint32_t width,
			    const struct use *use)
{
	uint32_t low = 1, high = PORT_NUMBERS - 1, most = f->count[rank] / 2, dark = 0, owned = 0;

	while (low < high && use[low].agree <= most)
		low++;
	while (high > low && use[high].agree <= most)
		high--;
	if ((high - low + 1) % width != 0)
		return 0;
	for (uint32_t block = low; block <= high; block += width) {
		bool is_dark = use[block].used == 0;

		for (uint32_t p = block; p < block + width; p++)
			if (is_dark ? use[p].used > 0 : use[p].agree <= most || use[p].owner != use[block].owner)
				return 0;
		dark += is_dark;
		owned += !is_dark;
	}
	return owned == f->count[other] ? dark : 0;
}

/* An aggregation node that does not answer is not behind an outer port. */
static uint32_t silent_of(const struct ft_inference *f, uint32_t observed)
{
	const struct ft_node *node = &f->snapshot->nodes[f->observed->switches[observed].node];
	uint32_t silent = 0;

	for (uint32_t p = 1; p <= ft_infer_last_port(f, observed) && p <= node->port_count; p++)
		silent += ft_node_port(f->snapshot, node, p)->link == FT_LINK_SILENT;
	return silent;
}

/* The number of ports that are up and silent on most switches of the rank. */
static uint32_t silent_ports(const struct ft_inference *f, uint32_t rank)
{
	struct ft_tally tally = {0};
	uint32_t usual;

	for (uint32_t i = 0; i < f->count[rank]; i++)
		ft_tally_add(&tally, silent_of(f, f->member[rank][i]));
	usual = ft_tally_mode(&tally, 0);
	return tally.votes[usual] * 2 > f->count[rank] ? usual : 0;
}

/* True if every switch of the rank has that many ports without a cable. */
static bool ports_left(const struct ft_inference *f, uint32_t rank, uint32_t width)
{
	for (uint32_t i = 0; i < f->count[rank]; i++) {
		uint32_t observed = f->member[rank][i];

		if (f->observed->switches[observed].cable_count + f->hosts[observed] + width >
		    ft_infer_ports(f, observed))
			return false;
	}
	return true;
}

/* ---- core switches ---- */

/* Ports that are dark on all edges, among or beside those to the core switches, if most have the same order. */
struct dark {
	uint32_t between; /* between the uplinks to two core switches */
	uint32_t least;	  /* the fewest of these in a row */
	uint32_t below;	  /* below all uplinks, in a row */
	uint32_t above;
	bool rising;  /* the uplinks are in the order of the core switches' names */
	bool falling; /* in the opposite order */
};

/* Dark, although one edge or two may have a cable there. */
static bool is_dark(const struct ft_inference *f, const struct use *use)
{
	enum { ODD_SHARE = 20 };

	return use->used * ODD_SHARE <= f->count[LOWER];
}

/* True if each core switch has ports of its own. */
static bool owners_complete(const struct ft_inference *f, const struct use *use, uint32_t low, uint32_t high)
{
	uint32_t owners = 0;

	for (uint32_t c = 0; c < f->count[UPPER]; c++)
		for (uint32_t p = low; p <= high; p++)
			if (use[p].agree * 2 > f->count[LOWER] && use[p].owner == f->member[UPPER][c]) {
				owners++;
				break;
			}
	return owners == f->count[UPPER];
}

/* True if the owners of rising ports come in the order of the core switches' names, or in the opposite one. */
static bool owners_by_name(const struct ft_inference *f, const struct use *use, uint32_t low, uint32_t high,
			   bool falling)
{
	uint32_t c = 0;

	for (uint32_t i = 0; i <= high - low; i++) {
		const struct use *u = &use[falling ? high - i : low + i];

		if (u->agree * 2 <= f->count[LOWER])
			continue;
		while (c < f->count[UPPER] && f->member[UPPER][c] != u->owner)
			c++;
	}
	return f->count[UPPER] > 1 && c < f->count[UPPER];
}

/* Without dark ports if uplinks are in no common order, or have other cables among them. */
static struct dark dark_ports(const struct ft_inference *f, const struct use *use)
{
	uint32_t low = 1, high = PORT_NUMBERS - 1, most = f->count[LOWER] / 2, run = 0, owner = FT_NONE;
	uint32_t owned_run = 0, owned_least = PORT_NUMBERS, dark_least = PORT_NUMBERS;
	struct dark dark = {0};

	while (low < high && use[low].agree <= most)
		low++;
	while (high > low && use[high].agree <= most)
		high--;
	if (!owners_complete(f, use, low, high))
		return dark;
	for (uint32_t p = low; p <= high; p++) {
		bool owned = use[p].agree > most;

		if (!owned && !is_dark(f, &use[p]))
			return (struct dark){0};
		if (owned && run > 0 && use[p].owner != owner) {
			dark.between += run;
			dark_least = run < dark_least ? run : dark_least;
		}
		if (owned_run > 0 && (!owned || use[p].owner != owner)) {
			owned_least = owned_run < owned_least ? owned_run : owned_least;
			owned_run = 0;
		}
		owned_run += owned;
		run = owned ? 0 : run + 1;
		owner = owned ? use[p].owner : owner;
	}
	/* One port at the end of each bundle is left out, for a cable more: no switch is gone. */
	if (dark_least < owned_least)
		dark.between = 0;
	dark.least = dark_least;
	dark.rising = owners_by_name(f, use, low, high, false);
	dark.falling = owners_by_name(f, use, low, high, true);
	for (uint32_t p = low; p > 1 && is_dark(f, &use[p - 1]); p--)
		dark.below++;
	for (uint32_t p = high; p < f->design.ports[0] && p + 1 < PORT_NUMBERS && is_dark(f, &use[p + 1]); p++)
		dark.above++;
	return dark;
}

/* What the seen columns show, and what is compared with it. */
struct search {
	struct ft_inference *f;
	struct ft_columns *columns;
	struct ft_spread_rule *rule;
	uint32_t usual;		   /* the usual number of uplinks */
	uint32_t thinnest, widest; /* the usual bundles to a core switch */
	struct dark dark;
	uint32_t silent;
	struct ft_numbers lacking;
};

static void columns_undo(struct search *s, uint32_t seen)
{
	uint32_t kept = 0;

	for (uint32_t c = 0; c < s->columns->count; c++)
		if (!s->columns->column[c].unseen)
			s->columns->column[kept++] = s->columns->column[c];
	s->columns->count = seen;
}

/* Columns of @cores more switches with @uplinks in total; the first with the larger share, or of the widest width. */
static void columns_guess(struct search *s, uint32_t cores, uint32_t uplinks, bool thick)
{
	uint32_t seen = s->columns->count, edges = s->f->count[LOWER];

	for (uint32_t i = 0; i < cores; i++) {
		uint32_t left = cores - i, share = (uplinks + left - 1) / left;
		struct ft_column *column = &s->columns->column[seen + i];

		if (thick && uplinks >= s->widest + left - 1)
			share = s->widest;
		*column = (struct ft_column){.cables = share * edges, .order = seen + i, .unseen = true};
		ft_tally_add_many(&column->pairs, share, edges);
		uplinks -= share;
	}
	s->columns->count += cores;
}

/* True if a rule explains no less with that many more cores, and all of their cables. Keeps their columns. */
static bool cores_fit(struct search *s, uint32_t cores, uint32_t uplinks, struct ft_spread_rule *ret_rule)
{
	uint32_t seen = s->columns->count, most = s->f->design.ports[0] - 1;

	if (cores == 0 || cores > seen || uplinks < cores)
		return false;
	for (unsigned int thick = 0; thick < 2; thick++) {
		columns_guess(s, cores, uplinks, thick > 0);
		if (ft_infer_rule(s->columns, s->usual + uplinks, most, NULL, ret_rule) == 0 &&
		    ret_rule->cost <= s->rule->cost && ret_rule->uplinks == s->rule->uplinks + uplinks)
			return true;
		columns_undo(s, seen);
	}
	return false;
}

static bool cores_enter(struct search *s, uint32_t cores, uint32_t uplinks)
{
	struct ft_spread_rule rule;

	if (!cores_fit(s, cores, uplinks, &rule))
		return false;
	*s->rule = rule;
	s->f->unseen[UPPER] = cores;
	return true;
}

/* The number of switches with the seen bundles that fill that many ports; 0: not a whole number. */
static uint32_t cores_of(const struct search *s, uint32_t ports)
{
	uint32_t cores = (ports + s->widest - 1) / s->widest;

	return cores * s->thinnest <= ports ? cores : 0;
}

static void dark_tell(const struct search *s, const char *where, uint32_t ports)
{
	ft_text_printf(&s->f->why[FT_WHY_CORE],
		       "; %s the uplinks, given out in one order, %u %s dark on every edge switch", where, ports,
		       ports == 1 ? "port is" : "ports are");
}

/* @first  with those below the lowest */
static void numbers_tell(struct ft_text *why, const struct ft_numbers *lacking, bool first)
{
	uint32_t before = first ? lacking->first : 0;

	if (lacking->inside + before > 0)
		ft_text_printf(why, "; their names are numbered, and %s%s%s %s not there",
			       before > 0 ? lacking->first_names : "", before > 0 && lacking->inside > 0 ? ", " : "",
			       lacking->inside > 0 ? lacking->names : "", lacking->inside + before == 1 ? "is" : "are");
}

static void names_tell(const struct search *s, bool first)
{
	numbers_tell(&s->f->why[FT_WHY_CORE], &s->lacking, first);
}

/* The names of unseen switches, if the numbers of the others tell them. */
static void lacking_keep(struct ft_inference *f, uint32_t rank, const struct ft_numbers *lacking)
{
	bool first = lacking->first > 0 && lacking->inside < f->unseen[rank];

	f->lacking[rank] =
		ft_arena_print(f->memory, "%s%s%s", first ? lacking->first_names : "",
			       first && lacking->inside > 0 ? ", " : "", lacking->names ? lacking->names : "");
}

/*
 * The core switches that are missing in the names and may be behind ports on one side of the uplinks. If ports are
 * given out in the order of the names, those between two names are between their ports.
 */
static uint32_t beside_lacking(const struct search *s, bool below)
{
	if (s->dark.rising || s->dark.falling)
		return below == s->dark.rising ? s->lacking.first : 0;
	return s->lacking.inside + s->lacking.first;
}

/* A dark port outside the uplinks may be for hosts: only as many count as are missing in the names. */
static bool beside_enter(struct search *s)
{
	const struct {
		const char *where;
		uint32_t ports;
	} sides[] = {{"below", s->dark.below}, {"above", s->dark.above}};

	for (size_t i = 0; i < FT_COUNT(sides); i++) {
		uint32_t lacking = beside_lacking(s, i == 0);
		const uint32_t guesses[] = {sides[i].ports, lacking * s->widest, lacking * s->thinnest};

		if (lacking <= cores_of(s, s->dark.between))
			continue;
		for (size_t g = 0; g < FT_COUNT(guesses); g++) {
			if (guesses[g] == 0 || guesses[g] > sides[i].ports ||
			    !cores_enter(s, lacking, s->dark.between + guesses[g]))
				continue;
			dark_tell(s, sides[i].where, sides[i].ports);
			names_tell(s, true);
			if (i == 0)
				s->dark = (struct dark){.above = s->dark.above};
			else
				s->dark = (struct dark){.below = s->dark.below};
			return true;
		}
	}
	return false;
}

/*
 * Many free ports among uplinks are left on purpose, and so are those between switches with consecutive numbers, and
 * single ones, for a cable that comes later. Core switches are bought in pairs: one more than an even number of them is
 * a port that every edge leaves free.
 */
static bool between_alone(const struct search *s, uint32_t cores)
{
	uint32_t seen = s->columns->count;

	return s->dark.least > 1 && cores * 2 <= seen && (seen % 2 == 1 || cores % 2 == 0) &&
	       !(s->lacking.single && s->lacking.inside == 0 && s->dark.rising);
}

static bool between_enter(struct search *s)
{
	uint32_t ports = s->dark.between, cores = ports > 0 ? cores_of(s, ports) : 0;

	if (ports == 0)
		return false;
	if (!cores_enter(s, s->lacking.inside, ports) && !(between_alone(s, cores) && cores_enter(s, cores, ports)))
		return false;
	dark_tell(s, "among", ports);
	names_tell(s, false);
	s->dark.between = 0;
	return true;
}

static bool silent_enter(struct search *s)
{
	if (s->silent == 0 || !cores_enter(s, cores_of(s, s->silent), s->silent))
		return false;
	ft_text_printf(&s->f->why[FT_WHY_CORE], "; on most edge switches %u %s up that nobody answers on", s->silent,
		       s->silent == 1 ? "port is" : "ports are");
	s->dark = (struct dark){0};
	return true;
}

/* One missing name alone is enough if the edges have ports for it, and no order of ports says where these are. */
static bool name_enter(struct search *s)
{
	if (s->lacking.inside != 1 || s->dark.rising || s->dark.falling || !ports_left(s->f, LOWER, s->widest) ||
	    (!cores_enter(s, 1, s->widest) && !cores_enter(s, 1, s->thinnest)))
		return false;
	names_tell(s, false);
	return true;
}

/* True if that many ports can be those of more switches, at most half as many again. */
static bool may_be_cores(struct search *s, uint32_t ports)
{
	uint32_t seen = s->columns->count;
	struct ft_spread_rule rule;

	for (uint32_t cores = 1; s->f->unseen[UPPER] == 0 && ports > 0 && cores <= (seen + 1) / 2; cores++)
		if (cores_fit(s, cores, ports, &rule)) {
			columns_undo(s, seen);
			return true;
		}
	return s->f->unseen[UPPER] > 0 && ports > 0 && cores_of(s, ports) == 1;
}

/* A single sign: spare ports, or switches that are off. */
static void cores_hint(struct search *s)
{
	const struct {
		const char *where;
		uint32_t ports;
	} sides[] = {{"among", s->dark.between}, {"above", s->dark.above}, {"below", s->dark.below}};
	bool told = s->lacking.inside + s->lacking.first > 0;

	for (size_t i = 0; i < FT_COUNT(sides); i++)
		if (may_be_cores(s, sides[i].ports)) {
			dark_tell(s, sides[i].where, sides[i].ports);
			told = true;
			break;
		}
	names_tell(s, true);
	if (told)
		ft_text_puts(&s->f->why[FT_WHY_CORE],
			     ": left out, or core switches that are off; if so, raise core.count and "
			     "edge.ports_to_core");
}

static void bundles_range(struct search *s)
{
	s->thinnest = UINT32_MAX;
	for (uint32_t c = 0; c < s->columns->count; c++) {
		uint32_t usual = ft_tally_mode(&s->columns->column[c].pairs, 1);

		s->thinnest = usual < s->thinnest ? usual : s->thinnest;
		s->widest = usual > s->widest ? usual : s->widest;
	}
}

static int search_fill(struct search *s)
{
	struct use *use = ft_arena_zeros(s->f->memory, PORT_NUMBERS, sizeof(*use));

	if (!use)
		return -ENOMEM;
	uses_vote(s->f, LOWER, UPPER, false, use);
	uses_vote(s->f, LOWER, UPPER, true, use);
	uses_count(s->f, LOWER, use);
	s->dark = dark_ports(s->f, use);
	s->silent = silent_ports(s->f, LOWER);
	bundles_range(s);
	return ft_infer_numbers(s->f, UPPER, &s->lacking);
}

int ft_infer_unseen_cores(struct ft_inference *f, struct ft_columns *columns, uint32_t usual,
			  struct ft_spread_rule *rule)
{
	struct search s = {.f = f, .columns = columns, .rule = rule, .usual = usual};
	int r;

	if (f->count[LOWER] < ROWS_MIN)
		return 0;
	r = search_fill(&s);
	if (r < 0)
		return r;
	if (silent_enter(&s) || beside_enter(&s) || between_enter(&s) || name_enter(&s)) {
		ft_text_printf(&f->why[FT_WHY_CORE], ": %u more that nobody saw", f->unseen[UPPER]);
		while (!columns->column[f->unseen_at[UPPER]].unseen)
			f->unseen_at[UPPER]++;
		lacking_keep(f, UPPER, &s.lacking);
		s.lacking = (struct ft_numbers){0};
	}
	cores_hint(&s);
	return 0;
}

/* ---- edge switches ---- */

static int edge_blocks(const struct ft_inference *f, uint32_t *ret_dark)
{
	struct use *use = ft_arena_zeros(f->memory, PORT_NUMBERS, sizeof(*use));

	if (!use)
		return -ENOMEM;
	uses_vote(f, UPPER, LOWER, false, use);
	uses_vote(f, UPPER, LOWER, true, use);
	uses_count(f, UPPER, use);
	*ret_dark = dark_blocks(f, UPPER, LOWER, f->design.bundle[0], use);
	if (*ret_dark * 2 > f->count[LOWER])
		*ret_dark = 0;
	return 0;
}

/* Weighs the signs. */
static void edges_weigh(struct ft_inference *f, uint32_t dark, const struct ft_numbers *lacking)
{
	struct ft_text *why = &f->why[FT_WHY_EDGE];
	bool few = lacking->inside * EDGES_SHARE <= f->count[LOWER];

	if (dark > 0)
		ft_text_printf(why,
			       "; every core switch gives its ports out in blocks of %u, one for each edge switch in "
			       "the same order, and %u such %s dark on all of them",
			       f->design.bundle[0], dark, dark == 1 ? "block is" : "blocks are");
	numbers_tell(why, lacking, true);
	if (lacking->inside > 0 && lacking->inside <= dark && (lacking->inside == 1 || few)) {
		f->unseen[LOWER] = lacking->inside;
		lacking_keep(f, LOWER, lacking);
		ft_text_printf(why, ": %u more that nobody saw", lacking->inside);
	} else if (lacking->inside + lacking->first > 0) {
		ft_text_puts(why, ": left out, or off; if off, raise edge.count and nodes");
	} else if (dark > 0) {
		ft_text_puts(why, ": room for more, or edge switches that are off; if so, raise edge.count and nodes");
	}
}

static int edges_find(struct ft_inference *f)
{
	struct ft_numbers lacking = {0};
	uint32_t dark = 0;
	bool blocks = f->design.bundle[0] > 0 && f->fit.ranks == 2;
	uint32_t silent = blocks && f->count[UPPER] >= ROWS_MIN ? silent_ports(f, UPPER) : 0;
	int r;

	if (silent > 0 && silent % f->design.bundle[0] == 0) {
		f->unseen[LOWER] = silent / f->design.bundle[0];
		ft_text_printf(&f->why[FT_WHY_EDGE],
			       "; and %u more: on most core switches %u ports are up that nobody answers on",
			       f->unseen[LOWER], silent);
		return 0;
	}
	r = blocks && f->count[UPPER] > 1 ? edge_blocks(f, &dark) : 0;
	if (r == 0)
		r = ft_infer_numbers(f, LOWER, &lacking);
	if (r == 0)
		edges_weigh(f, dark, &lacking);
	return r;
}

int ft_infer_unseen_edges(struct ft_inference *f)
{
	int r = f->count[LOWER] > 1 ? edges_find(f) : 0;

	f->design.count[0] += f->unseen[LOWER];
	f->unseen_at[LOWER] = f->count[LOWER];
	return r;
}
