/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Cables with one end in its place and the other on the wrong switch: a matching of strays to deficits. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "verify/explain.h"
#include "verify/recall.h"

/* A way to explain a stray: its end at @right is in its place, and its other end should be on @target. */
struct candidate {
	uint32_t stray;
	uint32_t right;
	uint32_t target;
	int score;
};

/* What port numbers say weighs more than that a pair is made whole, and that more than which end it is. */
enum { EVIDENCE = 4 };

/*
 * What the port numbers say of it. Where the port that the right end should be in is seen to be empty, they speak
 * against it; but that a cable is missing and another unplanned would be two faults.
 */
static bool candidate_score(const struct explain *x, struct candidate *c)
{
	const struct ft_model *m = x->m;
	const struct stray *s = &x->strays[c->stray];
	uint32_t wrong = s->a == c->right ? s->b : s->a;
	bool usual = stray_usual(m, s, c->right, c->target);

	c->score = EVIDENCE * (2 * usual - stray_usual(m, s, wrong, c->right) +
			       (ft_usual_ports(m, m->live_of[c->target], c->right, FT_LINK_DOWN, 1) > 0)) +
		   2 * (*deficit_at(x, c->right, c->target) == 1) +
		   (ft_tier_of(m, c->right) < ft_tier_of(m, c->target));
	/* One other switch that uses the port so may be a coincidence; two are a pattern. */
	if (usual || !ft_usual_ports(m, m->live_of[c->right], c->target, FT_LINK_DOWN, 2))
		return true;
	c->score -= 2 * EVIDENCE;
	return ft_port_has_use(m, m->live_of[c->right], ft_port_number(m, stray_port(m, s, c->right)));
}

static int candidates_gather(const struct explain *x, struct candidate **ret_candidates, uint32_t *ret_count)
{
	const struct ft_model *m = x->m;
	_cleanup_free_ struct candidate *list = NULL;
	uint32_t count = 0, size = 0;

	for (uint32_t i = 0; i < x->stray_count; i++) {
		const uint32_t ends[2] = {x->strays[i].a, x->strays[i].b};

		for (unsigned int n = 0; !x->strays[i].used && ends[0] != ends[1] && n < 2; n++) {
			const struct ft_pair *end = ft_pairs_of(m, ends[n] + 1);

			for (const struct ft_pair *pair = ft_pairs_of(m, ends[n]); pair < end && count < CANDIDATES_MAX;
			     pair++) {
				struct candidate c = {i, ends[n], pair->peer, 0};

				if (m->live_of[c.target] == FT_NONE || c.target == ends[1 - n] ||
				    !x->deficit[pair->cell] || !candidate_score(x, &c))
					continue;
				if (count == size) {
					struct candidate *more = realloc(list, (size ? size * 2 : 64) * sizeof(*more));

					if (!more)
						return -ENOMEM;
					list = more;
					size = size ? size * 2 : 64;
				}
				list[count++] = c;
			}
		}
	}
	*ret_candidates = FT_STEAL(list);
	*ret_count = count;
	return 0;
}

static int candidate_compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->stray != y->stray)
		return x->stray < y->stray ? -1 : 1;
	if (x->right != y->right)
		return x->right < y->right ? -1 : 1;
	return x->target < y->target ? -1 : x->target > y->target;
}

/* The matching of strays to deficits under construction. */
struct pairing {
	const struct explain *x;
	const struct candidate *list;
	uint32_t count;
	uint32_t *chosen; /* by stray: its candidate, or FT_NONE */
	uint32_t *taken;  /* by cell: deficits in use */
	bool *visited;	  /* by cell */
};

static uint32_t cell_of(const struct explain *x, const struct candidate *c)
{
	return ft_cell_at(x->m, c->right, c->target);
}

/* Finds a deficit for @stray, moving other strays to their next best where that helps (an augmenting path). */
static bool pairing_augment(struct pairing *p, uint32_t stray, unsigned int depth)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct candidate *c = &p->list[i];
		uint32_t cell = cell_of(p->x, c);

		if (c->stray != stray || p->visited[cell])
			continue;
		p->visited[cell] = true;
		if (p->taken[cell] < p->x->deficit[cell]) {
			p->taken[cell]++;
			p->chosen[stray] = i;
			return true;
		}
		for (uint32_t other = 0; depth > 0 && other < p->x->stray_count; other++) {
			if (p->chosen[other] == FT_NONE || cell_of(p->x, &p->list[p->chosen[other]]) != cell)
				continue;
			if (pairing_augment(p, other, depth - 1)) {
				p->chosen[stray] = i;
				return true;
			}
		}
	}
	return false;
}

/* The port of @target that the cable in @keep, which has moved with its other end, belongs in; FT_NONE: not known. */
static uint32_t home_port(struct explain *x, uint32_t keep, uint32_t right, uint32_t target)
{
	const struct ft_model *m = x->m;
	uint32_t was = ft_recall_far(m, keep);

	if (was != FT_NONE && m->live.switch_of_node[m->snapshot->ports[was].node] == m->live_of[target] &&
	    m->snapshot->ports[was].link == FT_LINK_DOWN && !m->port_claimed[was])
		return was;
	return ft_ports_pick(m, m->live_of[target], right, 1, FT_LINK_DOWN, x->picked) == 1 ? x->picked[0] : FT_NONE;
}

static void misplaced_report(struct explain *x, const struct pairing *p, const struct candidate *c)
{
	struct ft_model *m = x->m;
	struct stray *s = &x->strays[c->stray];
	uint32_t wrong = s->a == c->right ? s->b : s->a, free_port;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_CABLE_MISPLACED, FT_EVIDENCE_SEEN);

	s->used = true;
	m->misplaced[s->cable] = true;
	(*deficit_at(x, c->right, c->target))--;
	ft_finding_lack(m, f, c->right, c->target, 1);
	ft_finding_where_cable(m, f, &m->live.cables[s->cable]);
	f->impact.links_lost = 1;
	ft_place_text(m, stray_port(m, s, c->right), &x->text_a);
	ft_place_text(m, stray_port(m, s, wrong), &x->text_b);
	ft_text_reset(&x->text_c);
	free_port = home_port(x, stray_port(m, s, c->right), c->right, c->target);
	if (free_port != FT_NONE) {
		m->port_claimed[free_port] = true;
		ft_place_text(m, free_port, &x->text_c);
	} else {
		ft_text_puts(&x->text_c, label_of(m, c->target));
	}
	if (free_port != FT_NONE)
		ft_finding_act_ports(m, f, FT_ACT_MOVE, stray_port(m, s, wrong), free_port);
	else
		ft_finding_act_free(m, f, FT_ACT_MOVE, stray_port(m, s, wrong), c->target);
	ft_say(m, &f->expected, "%s - %s", ft_text_string(&x->text_a), ft_text_string(&x->text_c));
	ft_say(m, &f->observed, "%s - %s", ft_text_string(&x->text_a), ft_text_string(&x->text_b));
	ft_say(m, &f->text, "the cable from %s ends on %s, but belongs on %s", ft_text_string(&x->text_a),
	       ft_text_string(&x->text_b), ft_text_string(&x->text_c));
	ft_say(m, &f->fix, "move its end from %s to %s", ft_text_string(&x->text_b), ft_text_string(&x->text_c));
	/* Another end or another deficit that the port numbers support as well is an alternative. */
	for (uint32_t i = 0; i < p->count; i++) {
		const struct candidate *o = &p->list[i];

		if (o->stray != c->stray && cell_of(x, o) == cell_of(x, c) && p->chosen[o->stray] == FT_NONE &&
		    !x->strays[o->stray].contested && o->score >= c->score - (EVIDENCE - 1)) {
			const struct stray *other = &x->strays[o->stray];

			x->strays[o->stray].contested = true;
			ft_finding_alternative(
				m, f,
				"the one that belongs between %s and %s is that of %s and %s, and this one is "
				"unplanned. Labels tell",
				label_of(m, c->right), label_of(m, c->target), label_of(m, other->a),
				label_of(m, other->b));
			continue;
		}
		if (o->stray != c->stray || (o->right == c->right && o->target == c->target) ||
		    *deficit_at(x, o->right, o->target) == 0 || o->score < c->score - (EVIDENCE - 1))
			continue;
		ft_finding_alternative(m, f,
				       "its end at %s is right and it belongs on %s; then the cable between %s and "
				       "%s is the missing one. "
				       "Its label, or following it by hand, tells",
				       label_of(m, o->right), label_of(m, o->target), label_of(m, c->right),
				       label_of(m, c->target));
		if (x->rival_count < m->live.cable_count)
			x->rivals[x->rival_count++] = (struct rival){o->right, o->target, c->right, c->target};
	}
}

int ft_misplaced_explain(struct explain *x)
{
	struct pairing p = {.x = x};
	_cleanup_free_ struct candidate *list = NULL;
	_cleanup_free_ uint32_t *chosen = NULL, *taken = NULL;
	_cleanup_free_ bool *visited = NULL;
	size_t cells = x->m->cells.count + 1UL;
	int r;

	r = candidates_gather(x, &list, &p.count);
	if (r < 0 || p.count == 0)
		return r;
	qsort(list, p.count, sizeof(*list), candidate_compare);
	chosen = malloc((x->stray_count + 1UL) * sizeof(*chosen));
	taken = calloc(cells, sizeof(*taken));
	visited = calloc(cells, sizeof(*visited));
	if (!chosen || !taken || !visited)
		return -ENOMEM;
	p.list = list;
	p.chosen = chosen;
	p.taken = taken;
	p.visited = visited;
	for (uint32_t i = 0; i < x->stray_count; i++)
		chosen[i] = FT_NONE;
	/* The best supported first; then room is made for those that are left. */
	for (uint32_t i = 0; i < p.count; i++) {
		uint32_t cell = cell_of(x, &list[i]);

		if (chosen[list[i].stray] != FT_NONE || taken[cell] >= x->deficit[cell])
			continue;
		chosen[list[i].stray] = i;
		taken[cell]++;
	}
	for (uint32_t i = 0; i < x->stray_count && x->stray_count <= STRAYS_PAIRED_MAX; i++) {
		if (x->strays[i].used || chosen[i] != FT_NONE)
			continue;
		memset(visited, 0, cells * sizeof(*visited));
		pairing_augment(&p, i, 8);
	}
	for (uint32_t i = 0; r == 0 && i < x->stray_count; i++)
		if (chosen[i] != FT_NONE)
			misplaced_report(x, &p, &list[chosen[i]]);
	return r;
}
