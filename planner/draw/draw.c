/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared by the drawings of a plan: marks, grouping of switches, texts, and their widths. */
#include "planner/draw/draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "planner/draw/draw_parts.h"
#include "planner/plan/tree.h"

/* ---- marks ---- */

int ft_draw_marks_new(const struct ft_plan *plan, struct ft_draw_marks **ret_marks)
{
	_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = calloc(1, sizeof(*marks));

	if (!marks)
		return -ENOMEM;
	marks->switches = calloc(plan->switch_count + 1UL, sizeof(*marks->switches));
	if (!marks->switches)
		return -ENOMEM;
	marks->switch_count = plan->switch_count;
	marks->bundles = calloc(plan->bundle_count + 1UL, sizeof(*marks->bundles));
	if (!marks->bundles)
		return -ENOMEM;
	marks->bundle_count = plan->bundle_count;
	for (size_t i = 0; i < marks->switch_count; i++)
		marks->switches[i].hosts = marks->switches[i].hosts_planned = FT_NONE;
	*ret_marks = FT_STEAL(marks);
	return 0;
}

void ft_draw_marks_free(struct ft_draw_marks *marks)
{
	if (!marks)
		return;
	for (size_t i = 0; i < marks->switch_count; i++) {
		free(marks->switches[i].name);
		free(marks->switches[i].note);
	}
	for (size_t i = 0; i < marks->bundle_count; i++)
		free(marks->bundles[i].note);
	for (size_t i = 0; i < marks->link_count; i++)
		free(marks->links[i].note);
	for (size_t i = 0; i < marks->line_count; i++)
		free(marks->lines[i].text);
	for (size_t i = 0; i < marks->stranger_count; i++)
		free(marks->strangers[i]);
	free(marks->switches);
	free(marks->bundles);
	free(marks->links);
	free(marks->lines);
	free(marks->strangers);
	free(marks->headline);
	free(marks);
}

/* Room for one more; sizes grow by powers of two, so the count alone tells when. */
static void *array_more(void *array, size_t count, size_t element)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? count * 2 : 1, element);
}

int ft_draw_marks_add_link(struct ft_draw_marks *marks, uint32_t a, uint32_t b, uint32_t number, const char *note)
{
	_cleanup_free_ char *copy = strdup(note);
	struct ft_draw_link *links = array_more(marks->links, marks->link_count, sizeof(*links));

	if (links)
		marks->links = links;
	if (!links || !copy)
		return -ENOMEM;
	links[marks->link_count++] = (struct ft_draw_link){a, b, number, FT_STEAL(copy)};
	return 0;
}

int ft_draw_marks_add_line(struct ft_draw_marks *marks, enum ft_draw_severity severity, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	struct ft_draw_line *lines = array_more(marks->lines, marks->line_count, sizeof(*lines));

	if (lines)
		marks->lines = lines;
	if (!lines || !copy)
		return -ENOMEM;
	lines[marks->line_count++] = (struct ft_draw_line){severity, FT_STEAL(copy)};
	return 0;
}

int ft_draw_marks_add_stranger(struct ft_draw_marks *marks, const char *name)
{
	_cleanup_free_ char *copy = strdup(name);
	char **strangers = array_more(marks->strangers, marks->stranger_count, sizeof(*strangers));

	if (strangers)
		marks->strangers = strangers;
	if (!strangers || !copy)
		return -ENOMEM;
	strangers[marks->stranger_count++] = FT_STEAL(copy);
	return 0;
}

/* ---- the plan, looked at ---- */

enum ft_draw_state ft_drawing_state(const struct ft_drawing *d, uint32_t index)
{
	return d->marks ? d->marks->switches[index].state : FT_DRAW_OK;
}

struct ft_draw_bundle_mark ft_drawing_bundle(const struct ft_drawing *d, uint32_t bundle)
{
	uint32_t count = d->plan->bundles[bundle].count;
	struct ft_draw_bundle_mark mark = {0};

	if (d->marks)
		mark = d->marks->bundles[bundle];
	/* No more than there are, so that sums stay sums. */
	mark.missing = mark.missing < count ? mark.missing : count;
	mark.unjudged = mark.unjudged < count - mark.missing ? mark.unjudged : count - mark.missing;
	return mark;
}

uint32_t ft_drawing_hosts_planned(const struct ft_drawing *d, uint32_t index)
{
	if (d->marks && d->marks->switches[index].hosts_planned != FT_NONE)
		return d->marks->switches[index].hosts_planned;
	return d->plan->switches[index].hosts;
}

uint32_t ft_drawing_hosts_seen(const struct ft_drawing *d, uint32_t index)
{
	if (d->marks && d->marks->switches[index].hosts != FT_NONE)
		return d->marks->switches[index].hosts;
	return ft_drawing_hosts_planned(d, index);
}

struct ft_draw_hosts ft_drawing_group_hosts(const struct ft_drawing *d, const struct ft_draw_group *group)
{
	struct ft_draw_hosts hosts = {.planned_least = UINT32_MAX, .seen_least = UINT32_MAX};

	for (uint32_t i = group->first; i < group->first + group->count; i++) {
		uint32_t planned = ft_drawing_hosts_planned(d, i), seen = ft_drawing_hosts_seen(d, i);

		hosts.planned_least = planned < hosts.planned_least ? planned : hosts.planned_least;
		hosts.planned_most = planned > hosts.planned_most ? planned : hosts.planned_most;
		hosts.seen_least = seen < hosts.seen_least ? seen : hosts.seen_least;
		hosts.seen_most = seen > hosts.seen_most ? seen : hosts.seen_most;
		hosts.lack |= seen < planned;
		hosts.differ |= seen != planned;
	}
	return hosts;
}

enum ft_draw_state ft_drawing_group_state(const struct ft_drawing *d, const struct ft_draw_group *group)
{
	enum ft_draw_state state = ft_drawing_state(d, group->first);

	for (uint32_t i = 1; i < group->count; i++)
		if (ft_drawing_state(d, group->first + i) != state)
			return FT_DRAW_DEGRADED;
	return state;
}

void ft_draw_add_range(struct ft_text *text, uint32_t least, uint32_t most)
{
	ft_text_printf(text, "%u", least);
	if (most > least)
		ft_text_printf(text, " to %u", most);
}

bool ft_draw_mark_is_clean(const struct ft_draw_bundle_mark *mark)
{
	return mark->missing == 0 && mark->unjudged == 0 && mark->slow == 0 && mark->surplus == 0;
}

static bool state_is_dark(enum ft_draw_state state)
{
	return state == FT_DRAW_LOST || state == FT_DRAW_UNKNOWN;
}

/* All cables of a lost switch are lost: that says nothing about their other ends. */
static int loud_find(struct ft_drawing *d)
{
	d->loud = calloc(d->plan->switch_count + 1UL, sizeof(*d->loud));
	if (!d->loud)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->plan->switch_count; i++)
		d->loud[i] = state_is_dark(ft_drawing_state(d, i));
	for (uint32_t i = 0; i < d->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &d->plan->bundles[i];
		struct ft_draw_bundle_mark mark = ft_drawing_bundle(d, i);

		if (ft_draw_mark_is_clean(&mark) || state_is_dark(ft_drawing_state(d, bundle->a)) ||
		    state_is_dark(ft_drawing_state(d, bundle->b)))
			continue;
		d->loud[bundle->a] = d->loud[bundle->b] = true;
	}
	return 0;
}

static int marks_check(const struct ft_plan *plan, const struct ft_draw_marks *marks, struct ft_error *err)
{
	bool fits = marks->switch_count == plan->switch_count && marks->bundle_count == plan->bundle_count;

	for (size_t i = 0; fits && i < marks->link_count; i++)
		fits = marks->links[i].a < plan->switch_count && marks->links[i].b < plan->switch_count;
	return fits ? 0 : ft_error_set(err, -EINVAL, 0, 0, "what is to be marked in the drawing is of another plan");
}

int ft_drawing_init(struct ft_drawing *d, const struct ft_design *design, const struct ft_plan *plan,
		    const struct ft_draw_marks *marks, struct ft_error *err)
{
	uint32_t bundle = 0;
	int r;

	*d = (struct ft_drawing){.design = design, .tree = ft_plan_tree(plan), .marks = marks};
	d->plan = plan = &d->tree;
	r = marks ? marks_check(plan, marks, err) : 0;
	if (r < 0)
		return r;
	d->first = malloc((plan->switch_count + 1UL) * sizeof(*d->first));
	if (!d->first)
		return -ENOMEM;
	for (uint32_t i = 0; i <= plan->switch_count; i++) {
		while (bundle < plan->bundle_count && plan->bundles[bundle].a < i)
			bundle++;
		d->first[i] = bundle;
	}
	r = loud_find(d);
	return r < 0 ? r : ft_drawing_labels(d);
}

void ft_drawing_release(struct ft_drawing *d)
{
	for (uint32_t i = 0; d->labels && i < d->plan->switch_count; i++)
		free(d->labels[i]);
	free(d->labels);
	free(d->first);
	free(d->loud);
	free(d->groups);
	free(d->group_of);
	free(d->bonds);
	ft_text_release(&d->name);
	ft_text_release(&d->clipped);
}

bool ft_drawing_failed(const struct ft_drawing *d)
{
	return ft_text_failed(&d->name) || ft_text_failed(&d->clipped);
}

bool ft_drawing_is_layered(const struct ft_drawing *d)
{
	const struct ft_plan *plan = d->plan;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (plan->switches[plan->bundles[i].a].tier == plan->switches[plan->bundles[i].b].tier)
			return false;
	return plan->bundle_count > 0;
}

/* Marks are alike if they are equal and only mean that the other end is lost. */
static bool marks_alike(const struct ft_drawing *d, uint32_t a, uint32_t b)
{
	const struct ft_plan_bundle *x = &d->plan->bundles[a], *y = &d->plan->bundles[b];
	struct ft_draw_bundle_mark mark_a = ft_drawing_bundle(d, a), mark_b = ft_drawing_bundle(d, b);

	if (ft_draw_mark_is_clean(&mark_a) && ft_draw_mark_is_clean(&mark_b))
		return true;
	return mark_a.missing == mark_b.missing && mark_a.unjudged == mark_b.unjudged &&
	       mark_a.slow + mark_b.slow + mark_a.surplus + mark_b.surplus == 0 &&
	       state_is_dark(ft_drawing_state(d, x->b)) && state_is_dark(ft_drawing_state(d, y->b));
}

static bool bundles_alike(const struct ft_drawing *d, uint32_t a, uint32_t b)
{
	const struct ft_plan_bundle *x = &d->plan->bundles[a], *y = &d->plan->bundles[b];

	return x->count == y->count && d->plan->switches[x->b].tier == d->plan->switches[y->b].tier &&
	       d->plan->switches[x->b].place == d->plan->switches[y->b].place;
}

static bool is_level(const struct ft_drawing *d, uint32_t bundle)
{
	const struct ft_plan_bundle *b = &d->plan->bundles[bundle];

	return d->plan->switches[b->a].tier == d->plan->switches[b->b].tier;
}

/* The first bundle of switch @index from @bundle on that leads to another tier; or the end. */
static uint32_t next_up(const struct ft_drawing *d, uint32_t index, uint32_t bundle)
{
	while (bundle < d->first[index + 1] && is_level(d, bundle))
		bundle++;
	return bundle;
}

/* Cables inside a tier, as of a ring, lead to other places from every switch: only what is wrong with them matters. */
static bool levels_clean(const struct ft_drawing *d, uint32_t index)
{
	for (uint32_t i = d->first[index]; i < d->first[index + 1]; i++) {
		struct ft_draw_bundle_mark mark = ft_drawing_bundle(d, i);

		if (is_level(d, i) && !ft_draw_mark_is_clean(&mark))
			return false;
	}
	return true;
}

bool ft_drawing_alike(const struct ft_drawing *d, uint32_t a, uint32_t b, bool marks)
{
	const struct ft_plan_switch *x = &d->plan->switches[a], *y = &d->plan->switches[b];
	uint32_t i = next_up(d, a, d->first[a]), k = next_up(d, b, d->first[b]);

	if (x->tier != y->tier || x->ports != y->ports || x->hosts != y->hosts ||
	    (marks && (!levels_clean(d, a) || !levels_clean(d, b))) ||
	    (marks && (state_is_dark(ft_drawing_state(d, a)) || state_is_dark(ft_drawing_state(d, b)) ||
		       ft_drawing_hosts_planned(d, a) != ft_drawing_hosts_planned(d, b) ||
		       ft_drawing_hosts_seen(d, a) != ft_drawing_hosts_seen(d, b))))
		return false;
	for (; i < d->first[a + 1] && k < d->first[b + 1]; i = next_up(d, a, i + 1), k = next_up(d, b, k + 1))
		if (!bundles_alike(d, i, k) || (marks && !marks_alike(d, i, k)))
			return false;
	return i == d->first[a + 1] && k == d->first[b + 1];
}

uint32_t ft_drawing_segment(const struct ft_drawing *d, uint32_t first)
{
	const struct ft_plan_switch *switches = d->plan->switches;
	uint32_t end = first + 1;

	while (end < d->plan->switch_count && switches[end].tier == switches[first].tier &&
	       (switches[first].tier == FT_TIER_CORE || switches[end].pod == switches[first].pod))
		end++;
	return end;
}

bool ft_drawing_segments_alike(const struct ft_drawing *d, uint32_t a, uint32_t b, uint32_t count, bool marks)
{
	for (uint32_t i = 0; i < count; i++)
		if (!ft_drawing_alike(d, a + i, b + i, marks))
			return false;
	return true;
}

/*
 * For who does not see all colours (Okabe and Ito), beginning with the two of the tutorial's Fig. 2; their greys differ
 * too. Red is kept for what is wrong.
 */
static const char *const palette[] = {"#009e73", "#56b4e9", "#0b5394", "#e69f00",
				      "#a85c8f", "#555555", "#8c6d31", "#8a9a00"};

const char *ft_drawing_colour(const struct ft_drawing *d, uint32_t upper)
{
	const struct ft_plan_switch *sw = &d->plan->switches[upper];
	uint32_t number = d->plan->tree->levels > 2 && sw->plane != FT_NONE ? sw->plane : sw->place;

	return palette[number % FT_COUNT(palette)];
}

/* Grey where the switches are of several colours. */
const char *ft_drawing_bond_colour(const struct ft_drawing *d, const struct ft_draw_bond *bond)
{
	const struct ft_draw_group *group = &d->groups[bond->upper];
	const char *first = ft_drawing_colour(d, group->first);

	for (uint32_t i = 1; i < group->count; i++)
		if (ft_drawing_colour(d, group->first + i) != first)
			return FT_DRAW_SEVERAL;
	return first;
}

/* ---- groups ---- */

enum { PODS_APART_MAX = 6, ALONE_MAX = 16, ALONE_PODS_MAX = 8 };

static void alone_mark(const struct ft_drawing *d, bool *alone)
{
	for (uint32_t i = 0; i < d->plan->switch_count; i++)
		alone[i] = d->loud[i];
	for (size_t i = 0; i < d->marks->link_count; i++)
		alone[d->marks->links[i].a] = alone[d->marks->links[i].b] = true;
}

static bool alone_too_many(const struct ft_drawing *d, const bool *alone)
{
	uint32_t count = 0, most = d->plan->tree->levels > 2 ? ALONE_PODS_MAX : ALONE_MAX;

	for (uint32_t i = 0; i < d->plan->switch_count; i++)
		count += alone[i];
	return count > most;
}

/* Switches that are drawn by themselves though others are folded: the marked ones, or else the lost, or else none. */
static bool *alone_find(const struct ft_drawing *d)
{
	bool *alone = calloc(d->plan->switch_count + 1UL, sizeof(*alone));

	if (!alone || !d->marks)
		return alone;
	alone_mark(d, alone);
	if (alone_too_many(d, alone))
		for (uint32_t i = 0; i < d->plan->switch_count; i++)
			alone[i] = ft_drawing_state(d, i) == FT_DRAW_LOST;
	if (alone_too_many(d, alone))
		memset(alone, 0, d->plan->switch_count * sizeof(*alone));
	return alone;
}

static uint32_t pods_of(const struct ft_plan *plan)
{
	uint32_t pods = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].pod != FT_NONE && plan->switches[i].pod >= pods)
			pods = plan->switches[i].pod + 1;
	return pods;
}

/* Whether switch @i goes into the group before it. @pod_like: its pod is drawn with the one before. */
static bool joins(const struct ft_drawing *d, const bool *alone, uint32_t i, bool pod_like)
{
	const struct ft_plan_switch *sw = &d->plan->switches[i], *before = sw - 1;

	if (i == 0 || sw->tier != before->tier || alone[i] || alone[i - 1])
		return false;
	if (sw->tier == FT_TIER_CORE)
		return sw->plane == before->plane || d->plan->tree->levels < 3 ||
		       d->plan->tree->planes > PODS_APART_MAX;
	return (sw->pod == before->pod || pod_like) && sw->hosts == before->hosts;
}

/* Whether the segment [@first, @end) is like the one before it, and both are of pods. */
static bool segment_is_like(const struct ft_drawing *d, uint32_t before, uint32_t first, uint32_t end)
{
	const struct ft_plan_switch *a = &d->plan->switches[before], *b = &d->plan->switches[first];

	return first > before && a->tier == b->tier && b->tier != FT_TIER_CORE && first - before == end - first &&
	       ft_drawing_segments_alike(d, before, first, end - first, false);
}

/*
 * The pods that are drawn with the one before, for they are alike in all tiers, and there are many. Those in which a
 * switch is drawn by itself are drawn by themselves.
 */
static bool *pods_like_find(const struct ft_drawing *d, const bool *alone, uint32_t pods)
{
	bool *like = malloc((pods + 2UL) * sizeof(*like));
	uint32_t before = 0, end;

	if (!like)
		return NULL;
	for (uint32_t pod = 0; pod < pods + 2; pod++)
		like[pod] = pod > 0 && pods > PODS_APART_MAX;
	for (uint32_t i = 0; i < d->plan->switch_count; i++)
		if (alone[i] && d->plan->switches[i].pod < pods)
			like[d->plan->switches[i].pod] = like[d->plan->switches[i].pod + 1] = false;
	for (uint32_t first = 0; first < d->plan->switch_count; before = first, first = end) {
		uint32_t pod = d->plan->switches[first].pod;

		end = ft_drawing_segment(d, first);
		if (pod < pods && !segment_is_like(d, before, first, end))
			like[pod] = false;
	}
	return like;
}

static int groups_fill(struct ft_drawing *d, const bool *alone, bool fold)
{
	uint32_t pods = pods_of(d->plan);
	_cleanup_free_ bool *like = pods_like_find(d, alone, pods);

	if (!like)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &d->plan->switches[i];
		struct ft_draw_group *group = d->groups + d->group_count;

		if (fold && joins(d, alone, i, sw->pod < pods && like[sw->pod])) {
			group[-1].count++;
			group[-1].pod_last = sw->pod;
		} else {
			*group = (struct ft_draw_group){sw->tier, i, 1, sw->pod, sw->pod};
			d->group_count++;
		}
		d->group_of[i] = d->group_count - 1;
	}
	return 0;
}

static void bond_add(struct ft_drawing *d, struct ft_draw_bond *bond, uint32_t bundle)
{
	struct ft_draw_bundle_mark mark = ft_drawing_bundle(d, bundle);
	uint32_t count = d->plan->bundles[bundle].count;

	if (bond->pairs == 0) {
		bond->bundle = bundle;
		bond->least = bond->most = count;
	}
	bond->pairs++;
	bond->least = count < bond->least ? count : bond->least;
	bond->most = count > bond->most ? count : bond->most;
	bond->cables += count;
	bond->missing += mark.missing;
	bond->unjudged += mark.unjudged;
	bond->slow += mark.slow;
	bond->surplus += mark.surplus;
}

/*
 * Bundles of trees are sorted by their lower switch, so those of one group come together; those of graphs are no two of
 * one pair, as their switches are drawn one by one. @slot: [groups], the bond to each.
 */
static void bonds_fill(struct ft_drawing *d, uint32_t *slot)
{
	uint32_t start = 0;

	for (uint32_t g = 0; g < d->group_count; g++)
		slot[g] = FT_NONE;
	for (uint32_t i = 0; i < d->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &d->plan->bundles[i];
		bool turn = d->plan->switches[bundle->a].tier > d->plan->switches[bundle->b].tier;
		uint32_t lower = d->group_of[turn ? bundle->b : bundle->a];
		uint32_t upper = d->group_of[turn ? bundle->a : bundle->b];

		if (d->bond_count > start && d->bonds[start].lower != lower) {
			for (; start < d->bond_count; start++)
				slot[d->bonds[start].upper] = FT_NONE;
		}
		if (slot[upper] == FT_NONE) {
			slot[upper] = d->bond_count;
			d->bonds[d->bond_count++] = (struct ft_draw_bond){.lower = lower, .upper = upper};
		}
		bond_add(d, &d->bonds[slot[upper]], i);
	}
}

int ft_drawing_group(struct ft_drawing *d, bool fold)
{
	_cleanup_free_ bool *alone = alone_find(d);
	_cleanup_free_ uint32_t *slot = NULL;

	d->groups = calloc(d->plan->switch_count + 1UL, sizeof(*d->groups));
	d->group_of = calloc(d->plan->switch_count + 1UL, sizeof(*d->group_of));
	d->bonds = calloc(d->plan->bundle_count + 1UL, sizeof(*d->bonds));
	if (!alone || !d->groups || !d->group_of || !d->bonds)
		return -ENOMEM;
	if (groups_fill(d, alone, fold) < 0)
		return -ENOMEM;
	slot = malloc((d->group_count + 1UL) * sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	bonds_fill(d, slot);
	return 0;
}

/* ---- words ---- */

static void name_add(struct ft_drawing *d, uint32_t index)
{
	const char *name = d->marks ? d->marks->switches[index].name : NULL;

	if (!name)
		name = d->plan->switches[index].name;
	ft_text_add_safe(&d->name, name, strlen(name));
}

const char *ft_drawing_name(struct ft_drawing *d, uint32_t index)
{
	ft_text_reset(&d->name);
	name_add(d, index);
	return ft_text_string(&d->name);
}

const char *ft_drawing_group_name(struct ft_drawing *d, const struct ft_draw_group *group)
{
	ft_text_reset(&d->name);
	name_add(d, group->first);
	if (group->count > 1) {
		ft_text_puts(&d->name, group->count == 2 ? " and " : " to ");
		name_add(d, group->first + group->count - 1);
	}
	return ft_text_string(&d->name);
}

static void tier_words(const struct ft_drawing *d, enum ft_tier tier, uint32_t count, uint32_t ports,
		       struct ft_text *text)
{
	const char *model = d->plan->models[tier];

	if (count == 0)
		return;
	ft_text_printf(text, "; %u %s switch%s of %u port%s", count, ft_tier_name(tier), count == 1 ? "" : "es", ports,
		       ft_text_s(ports));
	if (model) {
		ft_text_puts(text, " (");
		ft_text_add_safe(text, model, strlen(model));
		ft_text_puts(text, ")");
	}
}

static void graph_summary(const struct ft_plan *plan, struct ft_text *text)
{
	uint32_t cables = plan->links - plan->nodes;

	if (plan->label)
		ft_text_printf(text, "The %s %s: ", plan->called, plan->label);
	ft_text_printf(text, "%s%u switch%s", plan->label ? "" : "A graph of ", plan->switch_count,
		       ft_text_es(plan->switch_count));
	for (uint32_t kind = 0; kind < plan->kind_count && plan->kind_count > 1; kind++) {
		uint32_t count = 0;

		for (uint32_t i = 0; i < plan->switch_count; i++)
			count += plan->switches[i].kind == kind;
		ft_text_printf(text, "%s%u of kind ", kind ? ", " : " (", count);
		ft_text_add_safe(text, plan->kinds[kind].name, strlen(plan->kinds[kind].name));
	}
	ft_text_puts(text, plan->kind_count > 1 ? ")" : "");
	ft_text_printf(text, " for %u node%s; %u cable%s between %u pair%s of switches.", plan->nodes,
		       ft_text_s(plan->nodes), cables, ft_text_s(cables), plan->bundle_count,
		       ft_text_s(plan->bundle_count));
}

void ft_drawing_summary(const struct ft_drawing *d, struct ft_text *text)
{
	const struct ft_plan *plan = d->plan;

	if (plan->topology == FT_TOPOLOGY_GRAPH) {
		graph_summary(plan, text);
		return;
	}
	if (plan->topology == FT_TOPOLOGY_STAR)
		ft_text_puts(text, "A star");
	else
		ft_text_printf(text, "A fat-tree of %s levels", plan->tree->levels == 3 ? "three" : "two");
	ft_text_printf(text, " for %u node%s", plan->nodes, plan->nodes == 1 ? "" : "s");
	tier_words(d, FT_TIER_EDGE, plan->tree->edge_count, plan->tree->edge_ports, text);
	tier_words(d, FT_TIER_SPINE, plan->tree->spine_count, plan->tree->spine_ports, text);
	tier_words(d, FT_TIER_CORE, plan->tree->core_count, plan->tree->core_ports, text);
	ft_text_printf(text, "; %u cable%s; blocking ", plan->links, ft_text_s(plan->links));
	ft_ratio_add(text, plan->tree->blocking);
	ft_text_puts(text, ".");
}

static const char *const state_words[] = {"", "degraded", "missing or cut off", "not judged"};

/* ": degraded"; of several switches ": 5 degraded, 1 not judged". */
static void group_state_words(const struct ft_drawing *d, const struct ft_draw_group *group, struct ft_text *text)
{
	uint32_t counts[FT_COUNT(state_words)] = {0};
	const char *before = ": ";

	for (uint32_t i = 0; i < group->count; i++)
		counts[ft_drawing_state(d, group->first + i)]++;
	for (size_t i = FT_DRAW_OK + 1; i < FT_COUNT(counts); i++) {
		if (counts[i] == 0)
			continue;
		ft_text_puts(text, before);
		if (group->count > 1)
			ft_text_printf(text, "%u ", counts[i]);
		ft_text_puts(text, state_words[i]);
		before = ", ";
	}
}

void ft_drawing_group_words(struct ft_drawing *d, const struct ft_draw_group *group, struct ft_text *text)
{
	const struct ft_plan_switch *sw = &d->plan->switches[group->first];
	const char *kind = ft_plan_kind_name(d->plan, group->first);
	const struct ft_draw_switch_mark *mark = d->marks ? &d->marks->switches[group->first] : NULL;
	struct ft_draw_hosts hosts = ft_drawing_group_hosts(d, group);

	ft_text_puts(text, ft_drawing_group_name(d, group));
	if (mark && group->count == 1 && mark->name && strcmp(mark->name, sw->name) != 0) {
		ft_text_puts(text, " (planned as ");
		ft_text_add_safe(text, sw->name, strlen(sw->name));
		ft_text_puts(text, ")");
	}
	group_state_words(d, group, text);
	ft_text_puts(text, "; ");
	ft_text_add_safe(text, kind, strlen(kind));
	ft_text_printf(text, "%sswitch%s of %u port%s", *kind ? " " : "", group->count == 1 ? "" : "es", sw->ports,
		       ft_text_s(sw->ports));
	if (sw->tier == FT_TIER_EDGE) {
		ft_text_puts(text, ", ");
		ft_draw_add_range(text, hosts.planned_least, hosts.planned_most);
		ft_text_printf(text, " host%s planned%s", hosts.planned_most == 1 ? "" : "s",
			       group->count == 1 ? "" : " on each");
	}
	if (mark && sw->tier == FT_TIER_EDGE && mark->hosts != FT_NONE) {
		ft_text_puts(text, ", ");
		ft_draw_add_range(text, hosts.seen_least, hosts.seen_most);
		ft_text_puts(text, " seen");
	}
	if (mark && group->count == 1 && mark->note) {
		ft_text_puts(text, "; ");
		ft_text_add_safe(text, mark->note, strlen(mark->note));
	}
}

static void counts_words(uint64_t missing, uint64_t unjudged, uint64_t slow, uint64_t surplus, struct ft_text *text)
{
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {{missing, "missing"}, {unjudged, "not judged"}, {slow, "slow"}, {surplus, "too many"}};

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		if (rows[i].count > 0)
			ft_text_printf(text, ", %llu %s", (unsigned long long)rows[i].count, rows[i].what);
}

void ft_drawing_bundle_words(struct ft_drawing *d, uint32_t bundle, struct ft_text *text)
{
	const struct ft_plan_bundle *b = &d->plan->bundles[bundle];
	struct ft_draw_bundle_mark mark = ft_drawing_bundle(d, bundle);

	ft_text_puts(text, ft_drawing_name(d, b->a));
	ft_text_puts(text, " - ");
	ft_text_puts(text, ft_drawing_name(d, b->b));
	ft_text_printf(text, ": %u cable%s", b->count, b->count == 1 ? "" : "s");
	counts_words(mark.missing, mark.unjudged, mark.slow, mark.surplus, text);
	if (mark.note) {
		ft_text_puts(text, "; ");
		ft_text_add_safe(text, mark.note, strlen(mark.note));
	}
}

void ft_drawing_bond_words(struct ft_drawing *d, const struct ft_draw_bond *bond, struct ft_text *text)
{
	if (bond->pairs == 1) {
		ft_drawing_bundle_words(d, bond->bundle, text);
		return;
	}
	ft_text_puts(text, ft_drawing_group_name(d, &d->groups[bond->lower]));
	ft_text_puts(text, " - ");
	ft_text_puts(text, ft_drawing_group_name(d, &d->groups[bond->upper]));
	ft_text_printf(text, ": %llu cable%s between %u pair%s of switches", (unsigned long long)bond->cables,
		       ft_text_s((unsigned long long)bond->cables), bond->pairs, ft_text_s(bond->pairs));
	if (bond->least == bond->most)
		ft_text_printf(text, ", %u each", bond->least);
	else
		ft_text_printf(text, ", %u to %u each", bond->least, bond->most);
	counts_words(bond->missing, bond->unjudged, bond->slow, bond->surplus, text);
}

void ft_drawing_bond_label(const struct ft_draw_bond *bond, struct ft_text *text)
{
	uint64_t absent = bond->missing + bond->unjudged;

	if (absent > 0)
		ft_text_printf(text, "%llu/%llu%s", (unsigned long long)(bond->cables - absent),
			       (unsigned long long)bond->cables, bond->missing == 0 ? "?" : "");
	else if (bond->least == bond->most)
		ft_text_printf(text, "%u", bond->least);
	else
		ft_text_printf(text, "%u-%u", bond->least, bond->most);
}

/* ---- escaping ---- */

struct escape {
	char byte;
	const char *as;
};

static void add_escaped(struct ft_text *text, const char *string, const struct escape *escapes, size_t count)
{
	_cleanup_(ft_text_release) struct ft_text safe = {0};

	ft_text_add_safe(&safe, string, strlen(string));
	text->failed |= safe.failed;
	for (const char *s = ft_text_string(&safe), *start = s;; s++) {
		const char *as = NULL;

		for (size_t i = 0; *s && !as && i < count; i++)
			as = escapes[i].byte == *s ? escapes[i].as : NULL;
		if (!as && *s)
			continue;
		ft_text_add(text, start, (size_t)(s - start));
		start = s + 1;
		if (!*s)
			return;
		ft_text_puts(text, as);
	}
}

void ft_draw_add_xml(struct ft_text *text, const char *string)
{
	static const struct escape escapes[] = {
		{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

	add_escaped(text, string, escapes, FT_COUNT(escapes));
}

/* Graphviz knows backslashes and HTML's entities in labels. */
void ft_draw_add_dot(struct ft_text *text, const char *string)
{
	static const struct escape escapes[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'&', "&amp;"}};

	add_escaped(text, string, escapes, FT_COUNT(escapes));
}

void ft_draw_add_title(struct ft_text *text, struct ft_text *words)
{
	ft_text_puts(text, "<title>");
	ft_draw_add_xml(text, ft_text_string(words));
	ft_text_puts(text, "</title>");
	text->failed |= words->failed;
	ft_text_reset(words);
}

/* ---- how wide text is ---- */

/* In hundredths of the size of the font, those of DejaVu Sans or more: few fonts are wider. */
static unsigned int letter_width(const char *s, size_t length)
{
	static const struct {
		const char *letters;
		unsigned int width;
	} classes[] = {{"ijlI.,:;'|! ", 36}, {"()[]{}/\\-rtf\"", 43}, {"mwMW@%", 100}, {"ABCDGHKNOQRUVXYZ&#+=<>~", 84}};

	if (length >= 3)
		return 110; /* ideographs fill the square */
	if (length == 2)
		return 85;
	for (size_t i = 0; i < FT_COUNT(classes); i++)
		if (strchr(classes[i].letters, *s))
			return classes[i].width;
	return 65;
}

/* @s is well-formed UTF-8, or nearly so. */
static size_t letter_length(const char *s)
{
	size_t length = 1;

	while ((s[length] & 0xc0) == 0x80)
		length++;
	return length;
}

int ft_draw_text_width(const char *string, int font)
{
	unsigned long width = 0;
	size_t length;

	for (const char *s = string; *s; s += length) {
		length = letter_length(s);
		width += letter_width(s, length);
	}
	return width > 1000000 ? 1000000 : (int)(width * (unsigned int)font / 100 + 1);
}

/* How many bytes of @string fit into @width. */
static size_t fitting(const char *string, int font, int width)
{
	long left = (long)width * 100 / font;
	const char *s = string;

	while (*s) {
		size_t length = letter_length(s);

		left -= letter_width(s, length);
		if (left < 0)
			break;
		s += length;
	}
	return (size_t)(s - string);
}

/* The end of a name tells more than its beginning, as a rule: it gets two thirds of the room. */
void ft_draw_clip(struct ft_text *text, const char *string, int font, int width)
{
	const char *tail = string;
	int room = width - font * 110 / 100;

	if (!string[fitting(string, font, width)]) {
		ft_text_puts(text, string);
		return;
	}
	ft_text_add(text, string, fitting(string, font, room / 3));
	ft_text_puts(text, "\xe2\x80\xa6");
	while (*tail && ft_draw_text_width(tail, font) > room - room / 3)
		tail += letter_length(tail);
	ft_text_puts(text, tail);
}

size_t ft_draw_wrap(const char *string, int font, int width, size_t *ret_skip)
{
	size_t fits = fitting(string, font, width), blank = fits;

	*ret_skip = 0;
	if (!string[fits])
		return fits;
	if (fits == 0)
		return letter_length(string);
	while (blank > 0 && string[blank] != ' ')
		blank--;
	if (blank == 0)
		return fits;
	*ret_skip = 1;
	return blank;
}
