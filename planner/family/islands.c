/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/islands.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/plan/wiring.h"
#include "planner/plan/tree.h"

/* The meaning of a name: a planned switch, an island switch, or an anchor. */
enum kind { KIND_TREE, KIND_ISLANDER, KIND_ANCHOR };

/* A switch of the tree that an island is cabled to. */
struct anchor {
	const char *name;   /* as the design has it */
	char *full;	    /* the node description to be expected of it, where a bind pattern asks for more; or NULL */
	uint32_t stands_in; /* the planned switch that is taken for it */
	bool planned;	    /* that is the very one: the name is its name */
};

/* The cables of an islander, by its number among these, to another, or to an anchor. */
struct tie {
	uint32_t a;
	uint32_t b;	 /* islander, or FT_NONE */
	uint32_t anchor; /* anchor, or FT_NONE: one of the two is there */
	uint32_t count;	 /* cables, >= 1 */
	uint32_t a_port; /* the first port at a; the others follow */
	uint32_t b_port; /* the first port at the other end; of an anchor one that the tree leaves free */
};

/* Names are compared without what a vendor puts around them. */
struct islands {
	const struct ft_rules *rules;
	const struct ft_design *design;
	struct ft_plan *plan;
	uint32_t tree; /* switches of the tree: islanders are numbered behind them */
	struct anchor *anchors;
	uint32_t anchor_count;
	struct tie *ties;
	uint32_t tie_count;
	struct ft_wiring wiring;
	struct ft_map names; /* by hash of the short name: its number among @known */
	struct known {
		enum kind kind;
		uint32_t index;
	} * known;
	uint32_t known_count;
	uint32_t *cables;		 /* by anchor: number of cables it has */
	bool *taken;			 /* by planned switch: it represents an anchor */
	uint32_t refused[FT_TIER_COUNT]; /* number of cables for which no switch of the tier has room */
	bool *used;			 /* ports of the current switch, by number */
};

static void islands_release(struct islands *w)
{
	ft_wiring_release(&w->wiring);
	ft_map_release(&w->names);
	free(w->known);
	free(w->cables);
	free(w->taken);
	free(w->used);
	for (uint32_t i = 0; i < w->anchor_count; i++)
		free(w->anchors[i].full);
	free(w->anchors);
	free(w->ties);
}

static struct ft_plan_switch *islander_at(const struct islands *w, uint32_t islander)
{
	return &w->plan->switches[w->tree + islander];
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

/* Returns 1, 0 if the name is taken, or -ENOMEM. */
static int name_add(struct islands *w, const char *name, enum kind kind, uint32_t index)
{
	w->known[w->known_count] = (struct known){kind, index};
	return ft_map_add(&w->names, ft_text_short_hash(name), w->known_count++, NULL);
}

static const struct known *name_find(const struct islands *w, const char *name)
{
	uint32_t number = ft_map_get(&w->names, ft_text_short_hash(name));

	return number == FT_NONE ? NULL : &w->known[number];
}

/* ---- switches ---- */

/* They are of one kind, whatever island they are of. */
static int kind_add(struct ft_plan *plan)
{
	struct ft_plan_kind *kinds = realloc(plan->kinds, (plan->kind_count + 1UL) * sizeof(*kinds));
	char *name = strdup("island");

	plan->kinds = kinds ? kinds : plan->kinds;
	if (!kinds || !name) {
		free(name);
		return -ENOMEM;
	}
	kinds[plan->kind_count++] =
		(struct ft_plan_kind){.name = name, .may_host = true, .rank = FT_NONE, .beside = true};
	return 0;
}

static int islander_add(struct islands *w, const struct ft_island_switch *from, uint32_t island)
{
	struct ft_plan *plan = w->plan;
	struct ft_plan_switch *to = &plan->switches[plan->switch_count];
	bool said = ft_pinned(from->hosts);
	int r;

	*to = (struct ft_plan_switch){
		.name = strdup(from->name),
		.kind = plan->kind_count - 1,
		.tier = FT_TIER_EDGE,
		.ports = ft_pinned(from->ports) ? from->ports : plan->tree->edge_ports,
		.hosts = said ? from->hosts : 0,
		.hosts_rule = said ? from->hosts : 0,
		.hosts_unsaid = !said,
		.pod = FT_NONE,
		.plane = FT_NONE,
		.island = island,
	};
	if (!to->name)
		return -ENOMEM;
	plan->switch_count++;
	r = name_add(w, to->name, KIND_ISLANDER, plan->beside_switches++);
	if (r < 0)
		return r;
	if (r == 0)
		return complain(w, "\"%s\" of an island is the name of another planned switch too", to->name);
	return 0;
}

static int islanders_add(struct islands *w)
{
	for (size_t i = 0; i < w->design->island_count; i++)
		for (size_t k = 0; k < w->design->islands[i].switch_count; k++) {
			int r = islander_add(w, &w->design->islands[i].switches[k], (uint32_t)i);

			if (r < 0)
				return r;
		}
	return 0;
}

/* ---- cables ---- */

static uint32_t anchor_add(struct islands *w, const char *name)
{
	w->anchors[w->anchor_count] = (struct anchor){.name = name, .stands_in = FT_NONE};
	return w->anchor_count++;
}

/* The anchor with that name, which may be that of a planned switch. */
static int anchor_of(struct islands *w, const char *name, uint32_t *ret_anchor)
{
	const struct known *known = name_find(w, name);
	struct anchor *anchor;
	uint32_t index;
	int r = 0;

	if (known && known->kind == KIND_ANCHOR) {
		*ret_anchor = known->index;
		return 0;
	}
	index = anchor_add(w, name);
	anchor = &w->anchors[index];
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

/* The island switch comes first; between two of them the order does not matter. */
static int bundle_add(struct islands *w, const struct ft_island_bundle *from)
{
	const struct known *a = name_find(w, from->a), *b = name_find(w, from->b);
	const char *far = from->b;
	struct tie bundle = {.b = FT_NONE, .anchor = FT_NONE, .count = from->count};
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
	w->ties[w->tie_count++] = bundle;
	return 0;
}

static int bundle_compare(const void *a, const void *b)
{
	const struct tie *x = a, *y = b;

	if (x->anchor != y->anchor)
		return x->anchor < y->anchor ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

static bool same_pair(const struct tie *x, const struct tie *y)
{
	return x->anchor == y->anchor && x->a == y->a && x->b == y->b;
}

/* Sorted by anchor, those between islanders last. */
static int bundles_add(struct islands *w)
{
	for (size_t i = 0; i < w->design->island_count; i++)
		for (size_t k = 0; k < w->design->islands[i].bundle_count; k++) {
			int r = bundle_add(w, &w->design->islands[i].bundles[k]);

			if (r < 0)
				return r;
		}
	for (uint32_t i = 0; i < w->tie_count; i++) {
		struct tie *bundle = &w->ties[i];

		if (ft_pinned(bundle->b) && bundle->b < bundle->a)
			*bundle =
				(struct tie){.a = bundle->b, .b = bundle->a, .anchor = FT_NONE, .count = bundle->count};
	}
	qsort(w->ties, w->tie_count, sizeof(*w->ties), bundle_compare);
	for (uint32_t i = 1; i < w->tie_count; i++)
		if (same_pair(&w->ties[i - 1], &w->ties[i]))
			return complain(w,
					"two bundles of islands are between the same two switches, one of them \"%s\"",
					islander_at(w, w->ties[i].a)->name);
	return 0;
}

/* ---- ports ---- */

/* Hosts first, then uplinks in the order of the bundles. */
static int islander_ports(struct islands *w)
{
	uint32_t count = w->plan->beside_switches;
	_cleanup_free_ uint32_t *next = calloc(count + 1UL, sizeof(*next));

	if (!next)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		next[i] = islander_at(w, i)->hosts;
	for (uint32_t i = 0; i < w->tie_count; i++) {
		struct tie *tie = &w->ties[i];

		tie->a_port = next[tie->a] + 1;
		next[tie->a] += tie->count;
		if (!ft_pinned(tie->b))
			continue;
		tie->b_port = next[tie->b] + 1;
		next[tie->b] += tie->count;
	}
	for (uint32_t i = 0; i < count; i++)
		if (next[i] > islander_at(w, i)->ports)
			return complain(w, "\"%s\" of an island has fewer ports than hosts and cables",
					islander_at(w, i)->name);
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

/* The highest @count consecutive free ports, as the tree grows from the low ones. 0: there are none. */
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

/* Assigns ports on planned switch @index to the bundles of an anchor, from @first on. False: there is no room. */
static bool anchor_ports(const struct islands *w, uint32_t first, uint32_t index)
{
	struct tie *bundles = w->ties;

	ports_of_tree(w, index);
	for (uint32_t i = first; i < w->tie_count && bundles[i].anchor == bundles[first].anchor; i++) {
		bundles[i].b_port = ports_take(w, w->plan->switches[index].ports, bundles[i].count);
		if (bundles[i].b_port == 0)
			return false;
	}
	return true;
}

/* ---- representatives of anchors ---- */

/*
 * Whether the name matches the bind pattern of @tier: 1, 0 or -ENOMEM. If the pattern matches only the vendor's form of
 * the name, @ret_form is that form.
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

/* The first switch of @tier with room that represents no anchor yet. FT_NONE: there is none. */
static uint32_t stand_in(struct islands *w, enum ft_tier tier, uint32_t bundle, uint32_t cables)
{
	uint32_t first = ft_plan_tier_first(w->plan, tier), end = first + ft_plan_tier_count(w->plan, tier);

	if (cables >= w->refused[tier])
		return FT_NONE;
	for (uint32_t i = first; i < end; i++)
		if (!w->taken[i] && anchor_ports(w, bundle, i))
			return i;
	w->refused[tier] = cables;
	return FT_NONE;
}

static int anchor_settle(struct islands *w, uint32_t bundle)
{
	static const enum ft_tier order[] = {FT_TIER_CORE, FT_TIER_SPINE, FT_TIER_EDGE};
	uint32_t index = w->ties[bundle].anchor, cables = w->cables[index];
	struct anchor *anchor = &w->anchors[index];
	int r = 0;

	if (anchor->planned) {
		if (anchor_ports(w, bundle, anchor->stands_in))
			return 0;
		return complain(w, "\"%s\" has no ports left for the cables of an island", anchor->name);
	}
	for (enum ft_tier tier = FT_TIER_EDGE; r == 0 && tier < FT_TIER_COUNT; tier++) {
		r = tier_has_name(w->design, tier, anchor->name, &anchor->full);
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
	for (uint32_t i = 0; i < w->tie_count; i++) {
		int r;

		if (!ft_pinned(w->ties[i].anchor) || (i > 0 && w->ties[i - 1].anchor == w->ties[i].anchor))
			continue;
		r = anchor_settle(w, i);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- what has become of it ---- */

/* The switch of the tree comes first, as all of them do. */
static struct ft_plan_bundle bundle_of(const struct islands *w, const struct tie *tie)
{
	if (ft_pinned(tie->b))
		return (struct ft_plan_bundle){w->tree + tie->a, w->tree + tie->b, tie->count, tie->a_port,
					       tie->b_port};
	return (struct ft_plan_bundle){w->anchors[tie->anchor].stands_in, w->tree + tie->a, tie->count, tie->b_port,
				       tie->a_port};
}

static int hand_over(struct islands *w)
{
	struct ft_plan *plan = w->plan;
	struct ft_plan_bundle *bundles =
		realloc(plan->bundles, (plan->bundle_count + w->tie_count + 1UL) * sizeof(*bundles));

	if (!bundles)
		return -ENOMEM;
	plan->bundles = bundles;
	for (uint32_t i = 0; i < w->tie_count; i++)
		bundles[plan->bundle_count + i] = bundle_of(w, &w->ties[i]);
	qsort(bundles + plan->bundle_count, w->tie_count, sizeof(*bundles), ft_plan_bundle_compare);
	plan->bundle_count += w->tie_count;
	plan->beside_bundles = w->tie_count;
	for (uint32_t i = 0; i < w->anchor_count; i++) {
		struct anchor *anchor = &w->anchors[i];
		struct ft_plan_switch *sw = &plan->switches[anchor->stands_in];

		if (anchor->planned)
			continue;
		sw->alias = strdup(anchor->name);
		sw->alias_full = FT_STEAL(anchor->full);
		if (!sw->alias)
			return -ENOMEM;
	}
	return 0;
}

/* ---- */

static int islands_init(struct islands *w)
{
	struct ft_plan *plan = w->plan;
	size_t switches = 0, bundles = 0, names;
	struct ft_plan_switch *grown;
	int r;

	for (size_t i = 0; i < w->design->island_count; i++) {
		switches += w->design->islands[i].switch_count;
		bundles += w->design->islands[i].bundle_count;
	}
	if (switches > FT_SWITCHES_MAX || bundles > FT_SWITCHES_MAX)
		return complain(w, "islands have more than %d switches or bundles", FT_SWITCHES_MAX);
	names = plan->switch_count + switches + bundles + 1;
	w->tree = plan->switch_count;
	grown = realloc(plan->switches, (plan->switch_count + switches + 1) * sizeof(*grown));
	plan->switches = grown ? grown : plan->switches;
	w->anchors = calloc(bundles + 1, sizeof(*w->anchors));
	w->ties = calloc(bundles + 1, sizeof(*w->ties));
	w->known = calloc(names, sizeof(*w->known));
	w->cables = calloc(bundles + 1, sizeof(*w->cables));
	w->taken = calloc(plan->switch_count + 1UL, sizeof(*w->taken));
	w->used = calloc(FT_DIRECTOR_PORTS_MAX + 1UL, sizeof(*w->used));
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		w->refused[tier] = UINT32_MAX;
	if (!grown || !w->anchors || !w->ties || !w->known || !w->cables || !w->taken || !w->used)
		return -ENOMEM;
	r = kind_add(plan);
	return r < 0 ? r : ft_wiring_make(plan, &w->wiring);
}

int ft_islands_plan(const struct ft_rules *rules, struct ft_plan *plan)
{
	_cleanup_(islands_release) struct islands w = {.rules = rules, .design = rules->design, .plan = plan};
	int r;

	if (rules->design->island_count == 0)
		return 0;
	r = islands_init(&w);
	for (uint32_t i = 0; r >= 0 && i < w.tree; i++)
		r = name_add(&w, plan->switches[i].name, KIND_TREE, i);
	if (r >= 0)
		r = islanders_add(&w);
	if (r == 0)
		r = bundles_add(&w);
	if (r == 0)
		r = islander_ports(&w);
	if (r == 0)
		r = anchors_settle(&w);
	return r < 0 ? r : hand_over(&w);
}
