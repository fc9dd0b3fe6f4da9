/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/islands.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/wiring.h"

/* What stands behind a name: a planned switch, an islander, or an anchor. */
enum kind { KIND_TREE, KIND_ISLANDER, KIND_ANCHOR };

/* Names are compared without what a vendor puts around them. */
struct islands {
	const struct ft_rules *rules;
	const struct ft_design *design;
	struct ft_plan *plan;
	struct ft_wiring wiring;
	struct ft_map names; /* by hash of the short name: its number among @known */
	struct known {
		enum kind kind;
		uint32_t index;
	} * known;
	uint32_t known_count;
	uint32_t *cables;		 /* by anchor: that it has to take */
	bool *taken;			 /* by planned switch: it stands in for an anchor */
	uint32_t refused[FT_TIER_COUNT]; /* so many cables no switch of the tier has room for */
	bool *used;			 /* ports of the switch at work, by number */
};

static void islands_release(struct islands *w)
{
	ft_wiring_release(&w->wiring);
	ft_map_release(&w->names);
	free(w->known);
	free(w->cables);
	free(w->taken);
	free(w->used);
}

void ft_islands_release(struct ft_plan *plan)
{
	for (uint32_t i = 0; i < plan->islander_count; i++)
		free(plan->islanders[i].name);
	for (uint32_t i = 0; i < plan->anchor_count; i++) {
		free(plan->anchors[i].name);
		free(plan->anchors[i].seen_as);
	}
	free(plan->islanders);
	free(plan->anchors);
	free(plan->island_bundles);
}

__attribute__((format(printf, 2, 3))) static int complain(const struct islands *w, const char *format, ...)
{
	char text[FT_ERROR_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return ft_rules_error(w->rules, "islands", NULL, "%s", text);
}

/* ---- names ---- */

/* Returns 1, 0 if it is another's already, or -ENOMEM. */
static int name_add(struct islands *w, const char *name, enum kind kind, uint32_t index)
{
	w->known[w->known_count] = (struct known){kind, index};
	return ft_map_add(&w->names, ft_text_short_hash(name), w->known_count++, NULL);
}

static const struct known *name_find(const struct islands *w, const char *name)
{
	uint32_t number = ft_map_get(&w->names, ft_text_short_hash(name));

	return number == FT_MAP_NONE ? NULL : &w->known[number];
}

/* ---- switches ---- */

static int islanders_add(struct islands *w)
{
	struct ft_plan *plan = w->plan;

	for (size_t i = 0; i < w->design->island_count; i++) {
		const struct ft_island *island = &w->design->islands[i];

		for (size_t k = 0; k < island->switch_count; k++) {
			const struct ft_island_switch *from = &island->switches[k];
			struct ft_plan_islander *to = &plan->islanders[plan->islander_count];
			int r;

			*to = (struct ft_plan_islander){strdup(from->name), (uint32_t)i, from->ports, from->hosts};
			if (!to->name)
				return -ENOMEM;
			if (!ft_pinned(to->ports))
				to->ports = plan->edge_ports;
			r = name_add(w, to->name, KIND_ISLANDER, plan->islander_count++);
			if (r < 0)
				return r;
			if (r == 0)
				return complain(w, "\"%s\" of an island is the name of another planned switch too",
						to->name);
		}
	}
	return 0;
}

/* ---- cables ---- */

static int anchor_add(struct islands *w, const char *name, uint32_t *ret_anchor)
{
	struct ft_plan_anchor *anchor = &w->plan->anchors[w->plan->anchor_count];

	*anchor = (struct ft_plan_anchor){.name = strdup(name), .stands_in = FT_UNPINNED};
	if (!anchor->name)
		return -ENOMEM;
	*ret_anchor = w->plan->anchor_count++;
	return 0;
}

/* The anchor of that name, which may be that of a planned switch. */
static int anchor_of(struct islands *w, const char *name, uint32_t *ret_anchor)
{
	const struct known *known = name_find(w, name);
	struct ft_plan_anchor *anchor;
	uint32_t index;
	int r;

	if (known && known->kind == KIND_ANCHOR) {
		*ret_anchor = known->index;
		return 0;
	}
	r = anchor_add(w, name, &index);
	if (r < 0)
		return r;
	anchor = &w->plan->anchors[index];
	if (known) {
		anchor->stands_in = known->index;
		anchor->planned = true;
		w->taken[known->index] = true;
		w->known[known - w->known] = (struct known){KIND_ANCHOR, index};
	} else {
		r = name_add(w, name, KIND_ANCHOR, index);
	}
	*ret_anchor = index;
	return r < 0 ? r : 0;
}

/* The islander comes first; which of two is first does not matter. */
static int bundle_add(struct islands *w, const struct ft_island_bundle *from)
{
	const struct known *a = name_find(w, from->a), *b = name_find(w, from->b);
	const char *far = from->b;
	struct ft_plan_island_bundle bundle = {.b = FT_UNPINNED, .anchor = FT_UNPINNED, .count = from->count};
	int r = 0;

	if (!a || a->kind != KIND_ISLANDER) {
		const struct known *turned = a;

		a = b;
		b = turned;
		far = from->a;
	}
	if (!a || a->kind != KIND_ISLANDER)
		return complain(w, "a bundle of an island ends on \"%s\", and neither end is a switch of an island",
				from->a);
	bundle.a = a->index;
	if (b && b->kind == KIND_ISLANDER)
		bundle.b = b->index;
	else
		r = anchor_of(w, far, &bundle.anchor);
	if (r < 0)
		return r;
	if (bundle.b == bundle.a)
		return complain(w, "a bundle of \"%s\" ends on itself", from->a);
	if (ft_pinned(bundle.anchor))
		w->cables[bundle.anchor] += bundle.count;
	w->plan->island_bundles[w->plan->island_bundle_count++] = bundle;
	return 0;
}

static int bundle_compare(const void *a, const void *b)
{
	const struct ft_plan_island_bundle *x = a, *y = b;

	if (x->anchor != y->anchor)
		return x->anchor < y->anchor ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

static bool same_pair(const struct ft_plan_island_bundle *x, const struct ft_plan_island_bundle *y)
{
	return x->anchor == y->anchor && x->a == y->a && x->b == y->b;
}

/* Sorted by anchor, those between islanders last. */
static int bundles_add(struct islands *w)
{
	struct ft_plan *plan = w->plan;

	for (size_t i = 0; i < w->design->island_count; i++)
		for (size_t k = 0; k < w->design->islands[i].bundle_count; k++) {
			int r = bundle_add(w, &w->design->islands[i].bundles[k]);

			if (r < 0)
				return r;
		}
	for (uint32_t i = 0; i < plan->island_bundle_count; i++) {
		struct ft_plan_island_bundle *bundle = &plan->island_bundles[i];

		if (ft_pinned(bundle->b) && bundle->b < bundle->a)
			*bundle = (struct ft_plan_island_bundle){
				.a = bundle->b, .b = bundle->a, .anchor = FT_UNPINNED, .count = bundle->count};
	}
	qsort(plan->island_bundles, plan->island_bundle_count, sizeof(*plan->island_bundles), bundle_compare);
	for (uint32_t i = 1; i < plan->island_bundle_count; i++)
		if (same_pair(&plan->island_bundles[i - 1], &plan->island_bundles[i]))
			return complain(w,
					"two bundles of islands are between the same two switches, one of them \"%s\"",
					plan->islanders[plan->island_bundles[i].a].name);
	return 0;
}

/* ---- ports ---- */

/* Hosts first, then uplinks in the order of the bundles. */
static int islander_ports(struct islands *w)
{
	struct ft_plan *plan = w->plan;
	_cleanup_free_ uint32_t *next = calloc(plan->islander_count + 1UL, sizeof(*next));

	if (!next)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->islander_count; i++)
		next[i] = ft_pinned(plan->islanders[i].hosts) ? plan->islanders[i].hosts : 0;
	for (uint32_t i = 0; i < plan->island_bundle_count; i++) {
		struct ft_plan_island_bundle *bundle = &plan->island_bundles[i];

		bundle->a_port = next[bundle->a] + 1;
		next[bundle->a] += bundle->count;
		if (!ft_pinned(bundle->b))
			continue;
		bundle->b_port = next[bundle->b] + 1;
		next[bundle->b] += bundle->count;
	}
	for (uint32_t i = 0; i < plan->islander_count; i++)
		if (next[i] > plan->islanders[i].ports)
			return complain(w, "\"%s\" of an island has fewer ports than hosts and cables",
					plan->islanders[i].name);
	return 0;
}

static void ports_mark(bool *used, uint32_t first, uint32_t count)
{
	for (uint32_t p = first; p < first + count && p <= FT_DIRECTOR_PORTS_MAX; p++)
		used[p] = true;
}

/* The ports of a planned switch that the tree uses. */
static void ports_of_tree(const struct islands *w, uint32_t index)
{
	const struct ft_wiring *wiring = &w->wiring;

	memset(w->used, 0, (FT_DIRECTOR_PORTS_MAX + 1) * sizeof(*w->used));
	ports_mark(w->used, 1, w->plan->switches[index].hosts);
	for (uint32_t i = wiring->first_bundle[index]; i < wiring->first_bundle[index + 1]; i++) {
		const struct ft_plan_bundle *bundle = &w->plan->bundles[wiring->bundles[i]];

		ports_mark(w->used, bundle->a == index ? bundle->a_port : bundle->b_port, bundle->count);
	}
}

/* The highest @count ports in a row that are free: low ones are where the tree grows. 0: there are none. */
static uint32_t ports_take(const struct islands *w, uint32_t ports, uint32_t count)
{
	uint32_t run = 0;

	for (uint32_t p = ports; p > 0; p--) {
		run = w->used[p] ? 0 : run + 1;
		if (run < count)
			continue;
		ports_mark(w->used, p, count);
		return p;
	}
	return 0;
}

/* Gives the bundles of an anchor, from @first on, their ports at planned switch @index. False: there is no room. */
static bool anchor_ports(const struct islands *w, uint32_t first, uint32_t index)
{
	struct ft_plan_island_bundle *bundles = w->plan->island_bundles;

	ports_of_tree(w, index);
	for (uint32_t i = first; i < w->plan->island_bundle_count && bundles[i].anchor == bundles[first].anchor; i++) {
		bundles[i].b_port = ports_take(w, w->plan->switches[index].ports, bundles[i].count);
		if (bundles[i].b_port == 0)
			return false;
	}
	return true;
}

/* ---- who stands in ---- */

/*
 * Whether switches of @tier are called so: 1, 0 or -ENOMEM. A pattern may ask for the vendor's form of a name that the
 * design has without it; @ret_form is that form then.
 */
static int tier_has_name(const struct ft_design *design, enum ft_tier tier, const char *name, char **ret_form)
{
	static const struct {
		const char *before, *after;
	} forms[] = {{"", ""}, {"MF0;", ":MQM8700/U1"}, {"MF0;", ":MQM9700/U1"}, {"MF0;", ":SX6036/U1"}};
	const struct ft_pattern *match = design->binds[tier].match;

	for (size_t i = 0; match && i < FT_COUNT(forms); i++) {
		_cleanup_(ft_text_release) struct ft_text form = {0};
		int r;

		ft_text_printf(&form, "%s%s%s", forms[i].before, name, forms[i].after);
		if (ft_text_failed(&form))
			return -ENOMEM;
		r = ft_pattern_matches(match, form.data, form.length);
		if (r < 0)
			return r;
		if (r == 0)
			continue;
		if (i > 0)
			*ret_form = FT_STEAL(form.data);
		return 1;
	}
	return 0;
}

/* One of @tier that has room, the first that stands in for nobody. FT_UNPINNED: there is none. */
static uint32_t stand_in(struct islands *w, enum ft_tier tier, uint32_t bundle, uint32_t cables)
{
	uint32_t first = ft_plan_tier_first(w->plan, tier), end = first + ft_plan_tier_count(w->plan, tier);

	if (cables >= w->refused[tier])
		return FT_UNPINNED;
	for (uint32_t i = first; i < end; i++)
		if (!w->taken[i] && anchor_ports(w, bundle, i))
			return i;
	w->refused[tier] = cables;
	return FT_UNPINNED;
}

static int anchor_settle(struct islands *w, uint32_t bundle)
{
	static const enum ft_tier order[] = {FT_TIER_CORE, FT_TIER_SPINE, FT_TIER_EDGE};
	uint32_t index = w->plan->island_bundles[bundle].anchor, cables = w->cables[index];
	struct ft_plan_anchor *anchor = &w->plan->anchors[index];
	int r = 0;

	if (anchor->planned) {
		if (anchor_ports(w, bundle, anchor->stands_in))
			return 0;
		return complain(w, "\"%s\" has no ports left for the cables of an island", anchor->name);
	}
	for (enum ft_tier tier = FT_TIER_EDGE; r == 0 && tier < FT_TIER_COUNT; tier++) {
		r = tier_has_name(w->design, tier, anchor->name, &anchor->seen_as);
		if (r > 0)
			anchor->stands_in = stand_in(w, tier, bundle, cables);
	}
	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < FT_COUNT(order) && !ft_pinned(anchor->stands_in); i++)
		anchor->stands_in = stand_in(w, order[i], bundle, cables);
	if (!ft_pinned(anchor->stands_in))
		return complain(w, "\"%s\" has no ports left for the cables of an island", anchor->name);
	w->taken[anchor->stands_in] = true;
	return 0;
}

static int anchors_settle(struct islands *w)
{
	const struct ft_plan *plan = w->plan;

	for (uint32_t i = 0; i < plan->island_bundle_count; i++) {
		int r;

		if (!ft_pinned(plan->island_bundles[i].anchor) ||
		    (i > 0 && plan->island_bundles[i - 1].anchor == plan->island_bundles[i].anchor))
			continue;
		r = anchor_settle(w, i);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- */

uint32_t ft_plan_island_cables(const struct ft_plan *plan)
{
	uint32_t cables = 0;

	for (uint32_t i = 0; i < plan->island_bundle_count; i++)
		cables += plan->island_bundles[i].count;
	return cables;
}

uint32_t ft_plan_island_hosts(const struct ft_plan *plan)
{
	uint32_t hosts = 0;

	for (uint32_t i = 0; i < plan->islander_count; i++)
		hosts += ft_pinned(plan->islanders[i].hosts) ? plan->islanders[i].hosts : 0;
	return hosts;
}

static int islands_init(struct islands *w)
{
	struct ft_plan *plan = w->plan;
	size_t switches = 0, bundles = 0, names;

	for (size_t i = 0; i < w->design->island_count; i++) {
		switches += w->design->islands[i].switch_count;
		bundles += w->design->islands[i].bundle_count;
	}
	if (switches > FT_SWITCHES_MAX || bundles > FT_SWITCHES_MAX)
		return complain(w, "islands have more than %d switches or bundles", FT_SWITCHES_MAX);
	names = plan->switch_count + switches + bundles + 1;
	plan->islanders = calloc(switches + 1, sizeof(*plan->islanders));
	plan->anchors = calloc(bundles + 1, sizeof(*plan->anchors));
	plan->island_bundles = calloc(bundles + 1, sizeof(*plan->island_bundles));
	w->known = calloc(names, sizeof(*w->known));
	w->cables = calloc(bundles + 1, sizeof(*w->cables));
	w->taken = calloc(plan->switch_count + 1UL, sizeof(*w->taken));
	w->used = calloc(FT_DIRECTOR_PORTS_MAX + 1UL, sizeof(*w->used));
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		w->refused[tier] = UINT32_MAX;
	if (!plan->islanders || !plan->anchors || !plan->island_bundles || !w->known || !w->cables || !w->taken ||
	    !w->used)
		return -ENOMEM;
	return ft_wiring_make(plan, &w->wiring);
}

int ft_islands_plan(const struct ft_rules *rules, struct ft_plan *plan)
{
	_cleanup_(islands_release) struct islands w = {.rules = rules, .design = rules->design, .plan = plan};
	int r;

	if (rules->design->island_count == 0)
		return 0;
	r = islands_init(&w);
	for (uint32_t i = 0; r >= 0 && i < plan->switch_count; i++)
		r = name_add(&w, plan->switches[i].name, KIND_TREE, i);
	if (r >= 0)
		r = islanders_add(&w);
	if (r == 0)
		r = bundles_add(&w);
	if (r == 0)
		r = islander_ports(&w);
	return r < 0 ? r : anchors_settle(&w);
}
