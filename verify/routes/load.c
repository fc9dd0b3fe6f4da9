/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How evenly the uplinks of a switch are used: the number of hosts' LIDs routed by each. A subnet manager that assigns
 * them in turn differs by one or two; if one uplink has 1.5 times its share, all-to-all traffic takes 1.5 times as
 * long. Ports to hosts and down links are not compared: there routing has no choice. Nor has it to switches beside the
 * tree, whose hosts are behind the one or two cables that they hang on.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "verify/routes/routes.h"

enum {
	/* The limit of an uplink's share of the mean, as a ratio, and the least excess worth reporting. */
	LOAD_NUM = 3,
	LOAD_DEN = 2,
	LOAD_MORE = 2,
	FEW = 4,    /* switches that get a finding each */
	SHOWN = 32, /* of more, the worst */
};

struct balance {
	uint32_t hop;
	uint32_t uplinks;
	uint32_t least, most, most_link;
	uint64_t sum;
};

static bool leads_aside(const struct ft_walk *w, uint32_t link)
{
	uint32_t far = w->far[link] < w->hop_count ? w->hops[w->far[link]].observed : FT_NONE;
	uint32_t place = far == FT_NONE ? FT_NONE : w->m->observed.switches[far].planned;

	return place != FT_NONE && ft_is_beside(w->m, place);
}

static struct balance balance_of(const struct ft_walk *w, uint32_t h)
{
	const struct ft_hop *hop = &w->hops[h];
	struct balance b = {.hop = h, .least = UINT32_MAX};

	for (uint32_t link = hop->first_link; link < hop->first_link + hop->links; link++) {
		if (!w->up[link] || leads_aside(w, link))
			continue;
		b.uplinks++;
		b.sum += w->load[link];
		b.least = w->load[link] < b.least ? w->load[link] : b.least;
		if (b.uplinks == 1 || w->load[link] > b.most) {
			b.most = w->load[link];
			b.most_link = link;
		}
	}
	return b;
}

static bool is_uneven(const struct balance *b)
{
	uint64_t mean_up = b->uplinks ? (b->sum + b->uplinks - 1) / b->uplinks : 0;

	return b->uplinks > 1 && (uint64_t)b->most * b->uplinks * LOAD_DEN > b->sum * LOAD_NUM &&
	       b->most >= mean_up + LOAD_MORE;
}

/* The worst first: by the ratio of the busiest uplink to the mean; then in the order of the fabric. */
static int balance_compare(const void *x, const void *y)
{
	const struct balance *a = x, *b = y;
	unsigned __int128 p = (unsigned __int128)a->most * a->uplinks * b->sum;
	unsigned __int128 q = (unsigned __int128)b->most * b->uplinks * a->sum;

	return FT_ORDER(q, p) ?: FT_ORDER(a->hop, b->hop);
}

static const char *spread_words(struct ft_walk *w, const struct balance *b)
{
	uint64_t tenths = b->sum * 10 / b->uplinks;
	struct ft_text text = {0};

	ft_walk_name(w, b->hop, &text);
	ft_text_printf(&text, ": %u uplinks with routes to %u to %u host%s each, %u.%u on average", b->uplinks,
		       b->least, b->most, ft_text_s(b->most), (unsigned int)(tenths / 10), (unsigned int)(tenths % 10));
	return ft_model_text(w->m, &text);
}

static void imbalance_add(struct ft_walk *w, const struct balance *uneven, uint32_t count, uint32_t judged)
{
	struct ft_model *m = w->m;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_ROUTE_IMBALANCE, FT_EVIDENCE_SEEN);
	const char *spread;

	f->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct balance *b = &uneven[i];
		uint32_t observed = w->hops[b->hop].observed;

		if (count > 1)
			ft_finding_where_chip(m, f, w->hops[b->hop].node);
		else
			ft_finding_where_chip_port(m, f, ft_walk_port(w, b->most_link));
		if (i >= SHOWN)
			continue;
		if (observed != FT_NONE)
			ft_finding_symptom(m, f, observed, 0, "%s", spread_words(w, b));
		ft_walk_act(w, f, b->hop);
	}
	spread = spread_words(w, &uneven[0]);
	ft_say(m, &f->expected, "uplinks that lead to about as many hosts each");
	ft_say(m, &f->observed, "%s", spread);
	if (count > 1)
		ft_say(m, &f->text, "the uplinks of %u of %u switches are unevenly used; the worst is %s", count,
		       judged, spread);
	else
		ft_say(m, &f->text, "%s; the busiest is %s", spread,
		       ft_chip_port_text(m, ft_walk_port(w, uneven[0].most_link)));
	ft_say(m, &f->fix,
	       "have the subnet manager route for fat-trees (OpenSM: routing_engine ftree, or updn with its root "
	       "switches "
	       "given), once the cables are as planned");
}

void ft_walk_balance(struct ft_walk *w)
{
	struct balance *uneven = ft_arena_zeros(&w->memory, w->hop_count, sizeof(*uneven));
	uint32_t count = 0, judged = 0;

	for (uint32_t h = 0; uneven && h < w->hop_count; h++) {
		struct balance b = balance_of(w, h);

		judged += b.sum > 0;
		if (is_uneven(&b))
			uneven[count++] = b;
	}
	if (count > 0)
		qsort(uneven, count, sizeof(*uneven), balance_compare);
	/* Many switches at once are a fault of the routing as a whole. */
	if (count > FEW)
		imbalance_add(w, uneven, count, judged);
	for (uint32_t i = 0; count <= FEW && i < count; i++)
		imbalance_add(w, &uneven[i], 1, judged);
}
