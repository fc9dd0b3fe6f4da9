/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A fabric that is a network of a family: a torus of 5x6, say. Families offer parameters by the numbers of the fabric
 * (planner/family/recognise.h). Those whose distances are the fabric's own are planned; the matcher finds the switches
 * in the plan; and what leaves hardly a cable wrong is the design. It has fewer words than a graph, and a missing cable
 * is missing by the rule, whatever its neighbours say.
 *
 * A fabric that is none of these may be one that lacks a switch: all of its places but one have a switch then, and all
 * other cables are right. A ring without a switch is a line, so two neighbours of each are too few to tell.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "planner/family/recognise.h"
#include "planner/plan/adjacency.h"
#include "verify/infer/by_rule.h"
#include "verify/infer/cells.h"

enum {
	SWITCHES_MIN = 4,    /* fewer are any family's, */
	EXACT_BELOW = 6,     /* and of so few, which have equally many neighbours, no cable may be wrong */
	WRONG_SOME = 3,	     /* cables that may be wrong or missing, twice as many where all groups are alike, */
	WRONG_SHARE = 20,    /* and of so many one; */
	WRONG_SMALL = 8,     /* of these few, of so many one */
	SURPLUS_SHARE = 100, /* and of so many one may be where none belongs */
	APART_SHARE = 2,     /* of the distances, one in so many may differ */
	TRIALS_MAX = 8,	     /* candidates that are matched */
	LARGE = 500,	     /* switches; in networks of more than these, */
	TRIALS_LARGE = 3,    /* so many */
	STEPS_MAX = 64,	     /* distances that are told apart */
	SOURCES = 64,	     /* switches whose distances are counted */
	UNSEEN_FROM = 7,     /* switches from which on another one may be unseen, */
	UNSEEN_DEGREE = 3,   /* of so many neighbours or more */
	TRIALS_UNSEEN = 3,   /* candidates with an unseen switch that are matched */
	MOVED_COST = 4,	     /* a moved cable is as unlikely as so many that are missing */
};

/*
 * How far others are: of the switches that were asked, how many pairs are so many cables apart. First by all cables,
 * then by bundles of each width alone, which tells dimensions apart whose bundles differ. Finally how many pairs have
 * so many two-hop walks between them, which tells apart Slim Flies of one size: all their distances are 1 or 2.
 */
enum { WALKS = 1 + FT_SKETCH_WIDTHS_MAX, ROWS };
struct distances {
	uint64_t pairs[ROWS][STEPS_MAX];
};

struct candidate {
	const struct ft_family *family;
	struct ft_family_keys keys;
	uint64_t apart; /* how much its distances differ */
	uint64_t least; /* cables that are wrong by it at least, whichever switch is which */
	uint64_t draft; /* the hash of its design */
};

struct recognition {
	const struct ft_inference *f;
	const char *name;
	uint32_t ports;			    /* of every switch */
	uint32_t most_hosts;		    /* on one */
	uint32_t most_cables, usual_cables; /* of a switch to others */
	uint32_t unseen;		    /* switches that are planned and were not seen: one or none */
	uint64_t cables;
	uint32_t widths[FT_SKETCH_WIDTHS_MAX], width_count; /* of the candidate's bundles, in rising order, and */
	struct distances seen;				    /* by these the fabric's distances */
	uint32_t *queue, *steps;			    /* scratch, by switch */
	struct ft_group_size *cells;
	struct candidate best[TRIALS_MAX];
	uint32_t best_count;
};

/* ---- distances ---- */

/* The thinnest bundles of a candidate, of which each has a row. */
static void widths_of(const struct ft_multigraph *graph, uint32_t widths[FT_SKETCH_WIDTHS_MAX], uint32_t *ret_count)
{
	uint32_t count = 0;

	memset(widths, 0, FT_SKETCH_WIDTHS_MAX * sizeof(*widths));
	for (uint32_t last = 0; count < FT_SKETCH_WIDTHS_MAX; last = widths[count++]) {
		uint32_t next = UINT32_MAX;

		for (uint32_t n = 0; n < graph->first[graph->count]; n++)
			if (graph->adjacent[n].count > last && graph->adjacent[n].count < next)
				next = graph->adjacent[n].count;
		if (next == UINT32_MAX)
			break;
		widths[count] = next;
	}
	*ret_count = count;
}

/*
 * Breadth-first from @source over bundles of more than @over cables and at most @most. A bundle that lacks cables is
 * one of the next width.
 */
static void distances_from(const struct recognition *x, const struct ft_multigraph *graph, uint32_t source,
			   uint32_t over, uint32_t most, uint64_t sum[STEPS_MAX])
{
	uint32_t head = 0, tail = 0;

	memset(x->steps, 0xff, graph->count * sizeof(*x->steps));
	x->steps[source] = 0;
	x->queue[tail++] = source;
	while (head < tail) {
		uint32_t at = x->queue[head++], step = x->steps[at];

		sum[step < STEPS_MAX ? step : STEPS_MAX - 1]++;
		ft_each_adjacent(n, graph, at) {
			if (x->steps[n->vertex] != FT_NONE || n->count <= over || n->count > most)
				continue;
			x->steps[n->vertex] = step + 1;
			x->queue[tail++] = n->vertex;
		}
	}
}

/* Counts the two-hop walks from @source to each other switch. */
static void walks_from(const struct recognition *x, const struct ft_multigraph *graph, uint32_t source,
		       uint64_t sum[STEPS_MAX])
{
	memset(x->steps, 0, graph->count * sizeof(*x->steps));
	ft_each_adjacent(n, graph, source)
		ft_each_adjacent(k, graph, n->vertex)
			x->steps[k->vertex]++;
	for (uint32_t i = 0; i < graph->count; i++)
		if (i != source && x->steps[i] > 0)
			sum[x->steps[i] < STEPS_MAX ? x->steps[i] : STEPS_MAX - 1]++;
}

/* From up to SOURCES switches, evenly over the list. */
static void distances_count(const struct recognition *x, const struct ft_multigraph *graph, struct distances *ret_sum)
{
	uint32_t stride = (graph->count + SOURCES - 1) / SOURCES;

	*ret_sum = (struct distances){0};
	for (uint32_t i = 0; i < graph->count; i += stride) {
		distances_from(x, graph, i, 0, UINT32_MAX, ret_sum->pairs[0]);
		for (uint32_t w = 0; w < x->width_count && x->width_count > 1; w++)
			distances_from(x, graph, i, w > 0 ? x->widths[w - 1] : 0,
				       w + 1 < x->width_count ? x->widths[w] : UINT32_MAX, ret_sum->pairs[1 + w]);
		walks_from(x, graph, i, ret_sum->pairs[WALKS]);
	}
}

static uint64_t distances_apart(const struct distances *a, const struct distances *b)
{
	uint64_t apart = 0;

	for (unsigned int w = 0; w < ROWS; w++)
		for (unsigned int i = 0; i < STEPS_MAX; i++) {
			uint64_t x = a->pairs[w][i], y = b->pairs[w][i];

			apart += x > y ? x - y : y - x;
		}
	return apart;
}

static uint64_t distances_sum(const struct distances *d)
{
	uint64_t sum = 0;

	for (unsigned int w = 0; w < ROWS; w++)
		for (unsigned int i = 0; i < STEPS_MAX; i++)
			sum += d->pairs[w][i];
	return sum;
}

/* ---- the numbers of the fabric ---- */

static int by_frequency(const void *one, const void *other, void *arg)
{
	const uint32_t *votes = arg;
	uint32_t x = *(const uint32_t *)one, y = *(const uint32_t *)other;

	return FT_ORDER(votes[y], votes[x]) ?: FT_ORDER(y, x);
}

/* The widths of bundles that one in twenty has. A cable less here and there makes no width. */
static void widths_find(const struct ft_inference *f, struct ft_sketch *sketch)
{
	enum { WIDTH_MAX = 255, SHARE = 20 };
	uint32_t votes[WIDTH_MAX + 1] = {0}, order[WIDTH_MAX + 1], all = f->graph.first[f->graph.count];

	for (uint32_t n = 0; n < all; n++)
		votes[f->graph.adjacent[n].count < WIDTH_MAX ? f->graph.adjacent[n].count : WIDTH_MAX]++;
	for (uint32_t i = 0; i <= WIDTH_MAX; i++)
		order[i] = i;
	qsort_r(order, WIDTH_MAX + 1, sizeof(*order), by_frequency, votes);
	for (uint32_t i = 0; i < FT_SKETCH_WIDTHS_MAX; i++)
		if (votes[order[i]] > 0 && votes[order[i]] >= all / SHARE)
			sketch->widths[sketch->width_count++] = order[i];
}

static int degrees_find(const struct ft_inference *f, struct ft_sketch *sketch)
{
	uint32_t *votes = ft_arena_numbers(f->memory, f->observed->switch_count + 1UL, 0);

	if (!votes)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		uint32_t degree = ft_adjacent_count(&f->graph, i);

		votes[degree]++;
		sketch->degree_max = degree > sketch->degree_max ? degree : sketch->degree_max;
		sketch->hosting += f->hosts[i] > 0;
		sketch->pairs += degree;
	}
	sketch->pairs /= 2;
	for (uint32_t i = 0; i <= sketch->degree_max; i++)
		if (votes[i] >= votes[sketch->degree])
			sketch->degree = i;
	return 0;
}

/* False where no family has such switches: all have as many ports, and are cabled to each other in one part. */
static bool recognition_begin(struct recognition *x)
{
	const struct ft_inference *f = x->f;
	struct ft_tally cables = {0};

	if (f->observed->switch_count < SWITCHES_MIN || f->observed->part_count > 1)
		return false;
	x->ports = ft_infer_ports(f, 0);
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		if (ft_infer_ports(f, i) != x->ports)
			return false;
		/* Two leaves on two spines are a ring, too; a line may be a broken one. */
		if (f->observed->switch_count < EXACT_BELOW &&
		    (f->hosts[i] == 0 || ft_adjacent_count(&f->graph, i) != ft_adjacent_count(&f->graph, 0)))
			return false;
		x->most_hosts = ft_number_most(x->most_hosts, f->hosts[i]);
		x->most_cables = ft_number_most(x->most_cables, f->graph.degree[i]);
		ft_tally_add(&cables, f->graph.degree[i]);
	}
	x->usual_cables = ft_tally_mode(&cables, 0);
	x->cables = f->cable_total;
	return true;
}

/* ---- candidates ---- */

/* So many cables may be wrong. Groups of any size fit much. */
static uint64_t wrong_most(const struct recognition *x, const struct ft_family_keys *keys)
{
	uint64_t share = x->cables / WRONG_SHARE, some = x->cables / WRONG_SMALL,
		 few = keys->size_count > 1 ? WRONG_SOME : 2 * WRONG_SOME;

	if (x->f->observed->switch_count < EXACT_BELOW)
		return 0;
	some = some < few ? some : few;
	/* That a switch was not seen is doubt enough. */
	return x->unseen > 0 || share > some ? share : some;
}

static bool few_wrong(const struct recognition *x, const struct ft_family_keys *keys, uint64_t wrong)
{
	return wrong <= wrong_most(x, keys);
}

static uint32_t switches_planned(const struct recognition *x)
{
	return x->f->observed->switch_count + x->unseen;
}

/* The hosts of an unseen switch in a place for hosts: those of most others. */
static uint32_t hosts_of_most(const struct recognition *x)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < x->f->observed->switch_count; i++)
		if (x->f->hosts[i] > 0)
			ft_tally_add(&tally, x->f->hosts[i]);
	return ft_tally_mode(&tally, 0);
}

/* What identifies the switches of a plan: by place the observed switch, and by observed switch whether its GUID tells
 * it. */
struct places {
	uint32_t *observed_of; /* FT_NONE: it was not seen */
	const bool *by_guid;
	const char *unseen;    /* its name */
	uint32_t unseen_hosts; /* and hosts */
	uint64_t wrong;	       /* cables, by the match without names */
};

/* True if one group has a leaf less than all others, as if that was off. */
static bool one_leaf_fewer(const struct candidate *c)
{
	const struct ft_group_size *sizes = c->keys.sizes;

	return c->keys.size_count == 2 && sizes[1].count == 1 && sizes[0].count > 1 &&
	       sizes[1].leafs + 1 == sizes[0].leafs && sizes[1].spines == sizes[0].spines;
}

static void why_write(const struct recognition *x, const struct candidate *c, const struct places *places,
		      struct ft_text *text)
{
	const struct ft_inference *f = x->f;

	ft_text_printf(
		text,
		",\n\t\"why\": {\n\t\t\"topology\": \"%u switches, cabled to each other as those of %s are; %llu "
		"of %llu cables are wrong or missing by its rule",
		f->observed->switch_count, c->family->about, (unsigned long long)places->wrong,
		(unsigned long long)x->cables);
	if (x->unseen > 0)
		ft_text_printf(text,
			       ". One switch of it was not seen, and is planned: all other places have one, and its "
			       "neighbours lack cables. It has as many hosts as most");
	else if (one_leaf_fewer(c))
		ft_text_puts(text, ". One group has one leaf fewer than the others. If a leaf is off there, plan the "
				   "same number of leaves in each group");
	ft_text_puts(text, "\"");
	ft_infer_by_rule_notes(f, NULL, text);
	ft_text_puts(text, "\n\t}");
}

/*
 * The design. @places: NULL where nobody is known yet: hosts are dealt evenly then, which is near enough for a match.
 */
static void design_write(const struct recognition *x, const struct candidate *c, const struct places *places,
			 struct ft_text *text)
{
	ft_infer_write_head(text, x->f->snapshot, x->name);
	if (places)
		why_write(x, c, places, text);
	ft_text_printf(text, ",\n\t\"topology\": \"%s\"", c->family->name);
	ft_family_keys_write(text, &c->keys);
	if (x->f->host_total > 0)
		ft_text_printf(text, ",\n\t\"nodes\": %u", x->f->host_total + (places ? places->unseen_hosts : 0));
	ft_text_printf(text, ",\n\t\"edge\": {\"ports\": %u, \"ports_to_nodes\": %u", x->ports,
		       x->most_hosts ? x->most_hosts : 1);
	if (c->keys.odd_port)
		ft_text_printf(text, ", \"ports_to_core\": %u", x->usual_cables);
	if (c->family->counted)
		ft_text_printf(text, ", \"count\": %u", switches_planned(x));
	if (places && x->f->host_total > 0)
		ft_infer_by_rule_hosts(x->f->hosts, places->observed_of, switches_planned(x), places->unseen_hosts,
				       text);
	ft_text_puts(text, "}");
	ft_infer_write_rates(text, x->f);
	if (places) {
		ft_text_puts(text, ",\n\t\"bind\": {\n\t\t\"edge\": ");
		ft_infer_by_rule_bind(x->f, places->observed_of, switches_planned(x), places->by_guid, &places->unseen,
				      text);
		ft_text_puts(text, "\n\t}");
	}
	ft_text_puts(text, "\n}\n");
}

/* A family without dimensions is behind those with some. */
static uint32_t dimensions_of(const struct candidate *c)
{
	uint32_t said =
		c->keys.dim_count == 0 && c->keys.dimensions != FT_NONE ? c->keys.dimensions : c->keys.dim_count;

	if (c->family->counted)
		return 1;
	return said ? said : UINT32_MAX;
}

/*
 * Keeps the candidates whose distances are nearest; of equal ones the fewest dimensions first: a ring of four is 2x2,
 * and a HyperX of two dimensions is a dragonfly, too.
 */
static void candidate_keep(struct recognition *x, const struct candidate *c)
{
	uint32_t at = x->best_count;

	while (at > 0 && (c->apart < x->best[at - 1].apart ||
			  (c->apart == x->best[at - 1].apart && dimensions_of(c) < dimensions_of(&x->best[at - 1]))))
		at--;
	if (at == TRIALS_MAX)
		return;
	if (x->best_count < TRIALS_MAX)
		x->best_count++;
	memmove(&x->best[at + 1], &x->best[at], (x->best_count - 1 - at) * sizeof(*c));
	x->best[at] = *c;
}

/* Widths that are looked at again, together with rarer ones, offer the same networks again. */
static bool is_kept(const struct recognition *x, const struct candidate *c)
{
	for (uint32_t i = 0; i < x->best_count; i++)
		if (x->best[i].draft == c->draft)
			return true;
	return false;
}

/* The numbers of a layout, before anything is built. */
struct size {
	uint32_t switches;
	uint64_t cables;
};

static int size_keep(struct ft_proposal *proposal, const struct ft_layout *layout)
{
	*(struct size *)proposal->arg = (struct size){layout->switches, layout->cables};
	return 0;
}

/* The cables that may be missing with an unseen switch. */
static uint64_t lost_with_unseen(const struct recognition *x)
{
	return (uint64_t)x->unseen * x->most_cables;
}

/* True if it has as many switches as the fabric, and about as many cables. */
static bool size_fits(const struct recognition *x, const struct ft_family_keys *keys, const struct ft_design *design)
{
	struct size size = {0};
	struct ft_proposal proposal = {.design = design, .ports = x->ports, .offer = size_keep, .arg = &size};
	uint64_t apart;

	if (ft_family_propose(&proposal) < 0)
		return false;
	apart = size.cables > x->cables ? size.cables - x->cables : x->cables - size.cables;
	if (size.cables > x->cables)
		apart -= apart < lost_with_unseen(x) ? apart : lost_with_unseen(x);
	return size.switches == switches_planned(x) && few_wrong(x, keys, apart);
}

static int descending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return FT_ORDER(y, x);
}

/* How much two lists of numbers differ at least, however they are paired: that in order has the least sum. */
struct unlike {
	uint64_t lacking, surplus;
};

static struct unlike lists_compare(uint32_t *wanted, uint32_t wanted_count, uint32_t *seen, uint32_t seen_count)
{
	struct unlike sum = {0};

	qsort(wanted, wanted_count, sizeof(*wanted), descending);
	qsort(seen, seen_count, sizeof(*seen), descending);
	for (uint32_t i = 0; i < wanted_count || i < seen_count; i++) {
		uint32_t want = i < wanted_count ? wanted[i] : 0, have = i < seen_count ? seen[i] : 0;

		sum.lacking += want > have ? want - have : 0;
		sum.surplus += have > want ? have - want : 0;
	}
	return sum;
}

/* The cables of each switch, and then those of each bundle, at either end. NULL: no memory. */
static uint32_t *cables_list(const struct recognition *x, const struct ft_multigraph *graph)
{
	uint32_t bundles = graph->first[graph->count];
	uint32_t *list = ft_arena_numbers(x->f->memory, (size_t)graph->count + bundles, 0);

	if (!list)
		return NULL;
	memcpy(list, graph->degree, graph->count * sizeof(*list));
	for (uint32_t i = 0; i < bundles; i++)
		list[graph->count + i] = graph->adjacent[i].count;
	return list;
}

/*
 * How many cables are wrong at least, and how many of them are surplus, whichever switch is which: by the cables of
 * each switch and by those of each bundle. A moved end is one too few at one switch and one too many at another; and so
 * at both ends of two bundles. Without this the matcher tried for half a minute to see groups of rows and columns as a
 * HyperX of three dimensions.
 */
static int wrong_at_least(const struct recognition *x, const struct ft_multigraph *planned, uint64_t *ret_wrong,
			  uint64_t *ret_surplus)
{
	const struct ft_multigraph *observed = &x->f->graph;
	uint32_t *wanted = cables_list(x, planned), *seen = cables_list(x, observed);
	uint32_t count = planned->count, there = observed->count;
	uint64_t by_bundle;
	struct unlike u;

	if (!wanted || !seen)
		return -ENOMEM;
	u = lists_compare(wanted + count, planned->first[count], seen + there, observed->first[there]);
	*ret_surplus = u.surplus / 2;
	by_bundle = u.lacking > u.surplus ? u.lacking : u.lacking + FT_SURPLUS_COST * (u.surplus - u.lacking);
	u = lists_compare(wanted, count, seen, there);
	*ret_wrong = u.lacking > u.surplus ? u.surplus + (u.lacking - u.surplus) / 2
					   : u.lacking + FT_SURPLUS_COST * (u.surplus - u.lacking) / 2;
	if (by_bundle / 2 > *ret_wrong)
		*ret_wrong = by_bundle / 2;
	return 0;
}

/*
 * How many cables are wrong at least if one of the planned switches was not seen, whichever it is: those that the
 * others have more or less than they should. What is too much may have been moved from the unseen one, and counts once.
 */
static uint64_t wrong_beside_unseen(const struct recognition *x, const struct ft_multigraph *planned)
{
	uint64_t cables = 0, least = UINT64_MAX;

	for (uint32_t i = 0; i < planned->count; i++)
		cables += planned->degree[i];
	cables /= 2;
	for (uint32_t i = 0; i < planned->count; i++) {
		uint64_t others = cables - planned->degree[i];
		uint64_t apart = others > x->cables ? others - x->cables : x->cables - others;

		least = apart < least ? apart : least;
	}
	return least;
}

/*
 * How far apart the distances of a fabric and its own plan may be, where at least @wrong cables are. One of C cables is
 * on the ways of d pairs in C, d the mean distance; each counts twice, at the distance that it has and at the one that
 * it had. Three times that is seen in small networks, in which a missing cable leaves long detours. Where no number of
 * cables differs, none is missing, and a few may be swapped.
 */
static uint64_t apart_most(const struct recognition *x, uint64_t wrong)
{
	enum { LEEWAY = 3 };
	uint64_t pairs = 0, steps = 0, sum = distances_sum(&x->seen), most;

	for (unsigned int i = 1; i < STEPS_MAX; i++) {
		pairs += x->seen.pairs[0][i];
		steps += i * x->seen.pairs[0][i];
	}
	wrong += WRONG_SOME + (wrong > 0 ? x->cables / SURPLUS_SHARE : 0);
	most = (uint64_t)(2.0 * LEEWAY * (double)steps / (double)(pairs + 1) * (double)wrong * (double)sum /
			  (double)(x->cables + 1));
	most = most < sum / APART_SHARE ? most : sum / APART_SHARE;
	/* The distances from and to an unseen switch, which make up a seventh of those of 14. */
	return most + 2 * x->unseen * sum / x->f->graph.count;
}

/* How far the distances of the fabric are from those of a candidate, by the widths of its bundles. */
static uint64_t candidate_apart(struct recognition *x, const struct ft_multigraph *graph)
{
	uint32_t widths[FT_SKETCH_WIDTHS_MAX], count;
	struct distances planned;

	widths_of(graph, widths, &count);
	if (count != x->width_count || memcmp(widths, x->widths, sizeof(widths)) != 0) {
		memcpy(x->widths, widths, sizeof(widths));
		x->width_count = count;
		distances_count(x, &x->f->graph, &x->seen);
	}
	distances_count(x, graph, &planned);
	return distances_apart(&x->seen, &planned);
}

/* Plans it if its numbers are those of the fabric, and compares distances. */
static int candidate_offer(const struct ft_sketch *sketch, const struct ft_family *family,
			   const struct ft_family_keys *keys)
{
	struct recognition *x = sketch->arg;
	struct candidate c = {.family = family, .keys = *keys};
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_multigraph_release) struct ft_multigraph graph = {0};
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	uint64_t wrong = 0, surplus = 0;
	int r;

	design_write(x, &c, NULL, &text);
	if (ft_text_failed(&text))
		return -ENOMEM;
	c.draft = ft_text_hash(text.data);
	if (is_kept(x, &c))
		return 0;
	r = ft_design_read_unplanned(text.data, text.length, &design, NULL);
	if (r < 0 || !size_fits(x, keys, design))
		return r == -EINVAL ? 0 : r;
	r = ft_plan_make(design, &plan, NULL);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	r = ft_plan_graph(plan, &graph);
	if (r == 0)
		r = wrong_at_least(x, &graph, &wrong, &surplus);
	c.least = wrong > lost_with_unseen(x) ? wrong - lost_with_unseen(x) : 0;
	if (x->unseen > 0) {
		uint64_t beside = wrong_beside_unseen(x, &graph);

		c.least = c.least < beside ? beside : c.least;
	}
	if (r < 0 || !few_wrong(x, keys, c.least) || surplus > WRONG_SOME + x->cables / SURPLUS_SHARE)
		return r;
	c.apart = candidate_apart(x, &graph);
	if (c.apart <= apart_most(x, wrong))
		candidate_keep(x, &c);
	return 0;
}

/* The cables to others of most switches with hosts. */
static uint32_t cables_of_hosting(const struct recognition *x)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < x->f->observed->switch_count; i++)
		if (x->f->hosts[i] > 0)
			ft_tally_add(&tally, x->f->graph.degree[i]);
	return ft_tally_mode(&tally, 0);
}

/*
 * The numbers with the unseen switch, which is one of most: a cell that has one leaf or spine less than all others has
 * as many. In a small network most switches are neighbours of the unseen one, and have one less than they should.
 */
static void sketch_complete(const struct recognition *x, struct ft_sketch *sketch)
{
	struct ft_group_size *usual, *odd;

	sketch->hosting += sketch->hosting == sketch->switches;
	sketch->switches++;
	sketch->degree = sketch->degree_max;
	sketch->pairs += sketch->degree;
	sketch->cables += x->most_cables;
	if (sketch->cell_sizes != 2)
		return;
	usual = &x->cells[x->cells[0].count < x->cells[1].count];
	odd = &x->cells[usual == x->cells];
	if (odd->count > 1 || odd->leafs > usual->leafs || odd->spines > usual->spines ||
	    odd->leafs + odd->spines + 1 != usual->leafs + usual->spines)
		return;
	if (odd->leafs < usual->leafs) {
		sketch->pairs = sketch->pairs + usual->spines - sketch->degree;
		sketch->cables = sketch->cables + cables_of_hosting(x) - x->most_cables;
	}
	usual->count++;
	x->cells[0] = *usual;
	sketch->cell_sizes = 1;
}

static int candidates_find(struct recognition *x)
{
	const struct ft_inference *f = x->f;
	struct ft_sketch sketch = {.switches = f->observed->switch_count, .offer = candidate_offer, .arg = x};
	int r;

	x->queue = ft_arena_numbers(f->memory, f->graph.count + x->unseen, 0);
	x->steps = ft_arena_numbers(f->memory, f->graph.count + x->unseen, 0);
	r = x->queue && x->steps ? degrees_find(f, &sketch) : -ENOMEM;
	if (r < 0)
		return r;
	r = ft_infer_cells(f, &x->cells, &sketch.cell_sizes);
	if (r < 0)
		return r;
	sketch.cells = x->cells;
	widths_find(f, &sketch);
	sketch.cables = x->cables;
	if (x->unseen > 0)
		sketch_complete(x, &sketch);
	/* The rarer widths may be bundles that lack cables. */
	for (uint32_t widths = sketch.width_count, i = 1; r == 0 && i <= widths; i++) {
		sketch.width_count = i;
		r = ft_family_guess(&sketch);
	}
	return r;
}

/* ---- the match ---- */

/*
 * The observed switch in each place of the plan. Returns 1, 0 if other places are empty than that of an unseen switch
 * or two have one GUID, or -ENOMEM.
 */
static int places_find(const struct recognition *x, const struct ft_report *report, uint32_t *observed_of)
{
	_cleanup_(ft_map_release) struct ft_map by_guid = {0};
	uint32_t count = switches_planned(x), empty = 0;

	for (uint32_t i = 0; i < x->f->observed->switch_count; i++) {
		int r = ft_map_add(&by_guid, x->f->observed->switches[i].guid, i, NULL);

		if (r <= 0)
			return r;
	}
	for (uint32_t i = 0; i < count; i++) {
		observed_of[i] = i < report->switch_count ? ft_map_get(&by_guid, report->switches[i].guid) : FT_NONE;
		empty += observed_of[i] == FT_NONE;
	}
	return empty == x->unseen;
}

/* What an unseen switch is by the family: its name, unless another one has it, and hosts. 0 or -ENOMEM. */
static int unseen_tell(const struct recognition *x, const struct ft_text *draft, struct places *places)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	uint32_t at = 0;

	while (places->observed_of[at] != FT_NONE)
		at++;
	if (ft_design_read(draft->data, draft->length, &design, &plan, NULL) < 0)
		return -ENOMEM;
	places->unseen_hosts = plan->kinds[plan->switches[at].kind].may_host ? hosts_of_most(x) : 0;
	places->unseen = ft_arena_print(x->f->memory, "%s%s", plan->switches[at].name,
					ft_infer_by_rule_taken(x->f, plan->switches[at].name) ? "-unseen" : "");
	return places->unseen ? 0 : -ENOMEM;
}

/* The cables that were swapped or moved, as that code says. */
static uint64_t cables_of(const struct ft_report *report, enum ft_code code)
{
	uint64_t cables = 0;

	for (size_t i = 0; i < report->finding_count; i++)
		cables += report->findings[i].code == code ? report->findings[i].count : 0;
	return cables;
}

static double log2_factorial(uint64_t n)
{
	int sign;

	return lgamma_r((double)n + 1, &sign) / M_LN2;
}

/*
 * The description length, in bits: which network it is of all that give each switch as many neighbours, against which
 * cables of the family's are swapped; names are the same in both. The number of networks by the configuration model
 * (Bender, Canfield: with n switches of degree d, (nd)! / ((nd/2)! 2^(nd/2) d!^n n!) e^-((d^2-1)/4)). The case that
 * bit: random networks of ten switches, half of which are a dragonfly with two cables swapped.
 *
 * Cables that are only missing are another matter: nobody leaves them out on purpose.
 */
static bool is_shorter(const struct recognition *x, const struct ft_report *report)
{
	enum { MARGIN = 8 }; /* bits: of 256 random networks at most one is taken for the family */
	const struct ft_multigraph *g = &x->f->graph;
	uint64_t pairs = g->first[g->count] / 2,
		 moved = cables_of(report, FT_CODE_CABLES_SWAPPED) + cables_of(report, FT_CODE_CABLE_MISPLACED);
	double mean = 2.0 * (double)pairs / g->count, graph = 0;

	if (moved == 0 || moved > x->cables)
		return moved == 0;
	graph = log2_factorial(2 * pairs) - log2_factorial(pairs) - (double)pairs - log2_factorial(g->count) -
		(mean * mean - 1) / 4 / M_LN2;
	for (uint32_t i = 0; i < g->count; i++)
		graph -= log2_factorial(ft_adjacent_count(g, i));
	return log2_factorial(x->cables) - log2_factorial(moved) - log2_factorial(x->cables - moved) + (double)moved +
		       MARGIN <=
	       graph;
}

/* The design with everybody in place, if it is the fabric's. Returns 1, 0 or -ENOMEM. */
static int places_settle(const struct recognition *x, const struct candidate *c, const struct ft_report *match,
			 const struct ft_text *draft, struct places *places, struct ft_text *text)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	int r = places_find(x, match, places->observed_of);

	if (r > 0 && x->unseen > 0 && unseen_tell(x, draft, places) < 0)
		r = -ENOMEM;
	if (r <= 0)
		return r;
	places->by_guid = ft_infer_by_rule_names(x->f);
	if (!places->by_guid)
		return -ENOMEM;
	ft_text_reset(text);
	design_write(x, c, places, text);
	r = ft_infer_by_rule_verify(x->f, text, false, wrong_most(x, &c->keys), &report);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	return few_wrong(x, &c->keys, ft_infer_by_rule_wrong(report, x->unseen)) && is_shorter(x, report);
}

/*
 * Matches one candidate. Returns 1 with the design in @text if it is the fabric's, 0, or -ENOMEM.
 *
 * @ret_cost  out: what candidates are compared by, at least @ret_wrong. To tell a moved cable takes the bits of where
 * it was and of where it is, to tell a missing one only the former, and cables are missing more often; of swapped ones,
 * each is where another one was. The case that bit: a torus of 2x3 with bundles of 8 and 4 that lacked three cables was
 * a HyperX with bundles of 7 and 4 with one moved.
 */
static int candidate_match(const struct recognition *x, const struct candidate *c, struct ft_text *text,
			   uint64_t *ret_wrong, uint64_t *ret_cost)
{
	struct places places = {.observed_of = ft_arena_numbers(x->f->memory, switches_planned(x), FT_NONE)};
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text draft = {0};
	int r;

	if (!places.observed_of)
		return -ENOMEM;
	design_write(x, c, NULL, &draft);
	r = ft_infer_by_rule_verify(x->f, &draft, true, wrong_most(x, &c->keys), &report);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	places.wrong = *ret_wrong = ft_infer_by_rule_wrong(report, x->unseen);
	*ret_cost = *ret_wrong + (MOVED_COST - 1) * cables_of(report, FT_CODE_CABLE_MISPLACED);
	return few_wrong(x, &c->keys, places.wrong) ? places_settle(x, c, report, &draft, &places, text) : 0;
}

/*
 * The design of a family, with that many unseen switches and a cost of less than @least, which becomes its own. As
 * ft_infer_family().
 *
 * A candidate by which at least as many cables are wrong as by one that was matched is not tried: the matcher and the
 * explanation try longest where nothing fits. A torus of 4x6 that lacked three cables took ten seconds, all but one of
 * them to see whether it is one of 5x5 that lacks a switch.
 */
static int recognise(const struct ft_inference *f, const char *name, uint32_t unseen, uint64_t *least,
		     struct ft_text *text, uint64_t *ret_wrong)
{
	struct recognition x = {.f = f, .name = name, .unseen = unseen};
	bool found = false;
	int r;

	if (!recognition_begin(&x))
		return 0;
	r = candidates_find(&x);
	/* In large networks distances tell more, and a match that fails costs more. */
	if (f->observed->switch_count > LARGE)
		x.best_count = ft_number_least(x.best_count, TRIALS_LARGE);
	if (unseen > 0)
		x.best_count = ft_number_least(x.best_count, TRIALS_UNSEEN);
	for (uint32_t i = 0; r == 0 && i < x.best_count && !(found && x.cables > LARGE); i++) {
		_cleanup_(ft_text_release) struct ft_text draft = {0};
		uint64_t wrong = 0, cost = 0;

		if (x.best[i].least >= *least)
			continue;
		r = candidate_match(&x, &x.best[i], &draft, &wrong, &cost);
		if (r > 0 && cost < *least) {
			ft_text_reset(text);
			ft_text_add(text, draft.data, draft.length);
			*ret_wrong = wrong;
			*least = cost;
			found = true;
		}
		r = r > 0 ? 0 : r;
	}
	return r < 0 ? r : found;
}

/* True if a network that lacks a switch can be told from one that has none of that place. */
static bool may_lack_switch(const struct ft_inference *f)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		most = ft_number_most(most, ft_adjacent_count(&f->graph, i));
	return f->observed->switch_count >= UNSEEN_FROM && most >= UNSEEN_DEGREE;
}

/*
 * What leaves cables wrong with all switches, as groups of unlike size, may have none wrong with one more. A group with
 * a leaf less is exact in any case: ports tell whether that is off.
 */
int ft_infer_family(const struct ft_inference *f, const char *name, struct ft_text *text, uint64_t *ret_wrong,
		    uint64_t *ret_cost)
{
	_cleanup_(ft_text_release) struct ft_text with_unseen = {0};
	uint64_t least = UINT64_MAX, wrong = 0;
	int r = recognise(f, name, 0, &least, text, ret_wrong), more;
	bool lacks = false;

	*ret_cost = least;
	if (r < 0 || !may_lack_switch(f))
		return r;
	if (ft_infer_cell_lacks_leaf(f, &lacks) < 0)
		return -ENOMEM;
	if (r > 0 && *ret_wrong == 0 && !lacks)
		return r;
	least += r > 0 && lacks;
	more = recognise(f, name, 1, &least, &with_unseen, &wrong);
	if (more <= 0)
		return more < 0 ? more : r;
	ft_text_reset(text);
	ft_text_add(text, with_unseen.data, with_unseen.length);
	*ret_wrong = wrong;
	*ret_cost = least;
	return ft_text_failed(text) ? -ENOMEM : 1;
}
