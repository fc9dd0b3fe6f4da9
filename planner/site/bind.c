/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Assigns names of a site's list to the switches of a plan without names of its own. Switches have more cables than
 * hosts; tiers follow from the cables between tiers, and from the hosts on edge switches; in a tier all switches are
 * alike, so that the order of their names is the plan's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/site/site_parts.h"
#include "planner/plan/wiring.h"
#include "planner/plan/tree.h"

enum { NAME_SIZE_MAX = 64 };

struct binding {
	struct ft_site *site;
	bool open[FT_TIER_COUNT]; /* to be identified by the cables, or by a pattern */
	bool any_found;		  /* a switch of the plan is in the list under its name */
	uint32_t *found;	  /* names that may be switches: indices, each of its first spelling */
	size_t found_count;
	uint32_t *number; /* by name: its index in @found; FT_NONE: none */
	int *tier;	  /* by name; -1: none yet */
	uint32_t *hosts;  /* by name: rows to names that are no switches */
	uint32_t *list;	  /* by planned switch: the name that it gets; FT_NONE: none */
};

static void binding_release(struct binding *b)
{
	free(b->found);
	free(b->number);
	free(b->tier);
	free(b->hosts);
	free(b->list);
}

static int binding_allocate(struct binding *b)
{
	size_t names = b->site->name_count + 1, switches = b->site->plan->switch_count + 1UL;

	b->found = calloc(names, sizeof(*b->found));
	b->number = calloc(names, sizeof(*b->number));
	b->tier = calloc(names, sizeof(*b->tier));
	b->hosts = calloc(names, sizeof(*b->hosts));
	b->list = calloc(switches, sizeof(*b->list));
	if (!b->found || !b->number || !b->tier || !b->hosts || !b->list)
		return -ENOMEM;
	for (size_t i = 0; i < names; i++) {
		b->number[i] = FT_NONE;
		b->tier[i] = -1;
	}
	for (size_t i = 0; i < switches; i++)
		b->list[i] = FT_NONE;
	return 0;
}

static int bind_error(const struct binding *b, const char *text)
{
	uint32_t line = b->site->sheet->first_line;

	return ft_error_set(
		b->site->err, -EINVAL, line ? line : 1, 1,
		"the design does not say what its switches are called, and the list does not tell: %s; name "
		"them in \"bind\"",
		text);
}

/* ---- tiers that are to be bound ---- */

/* Tiers that the list has under the plan's names, but in another spelling: these names are looked for. */
static bool tier_is_respelt(struct binding *b, enum ft_tier tier)
{
	const struct ft_site *site = b->site;
	uint32_t first = ft_plan_tier_first(site->plan, tier), past = first + ft_plan_tier_count(site->plan, tier);
	bool other = false;

	for (uint32_t i = 0; i < site->name_count; i++) {
		const struct ft_site_name *name = &site->names[i];

		if (name->sw < first || name->sw >= past || name->board || b->list[name->sw] != FT_NONE)
			continue;
		b->list[name->sw] = i;
		other |= strcmp(name->text, site->plan->switches[name->sw].name) != 0;
	}
	for (uint32_t i = first; i < past; i++)
		other &= b->list[i] != FT_NONE;
	return other;
}

static void list_clear(struct binding *b, enum ft_tier tier)
{
	uint32_t first = ft_plan_tier_first(b->site->plan, tier), count = ft_plan_tier_count(b->site->plan, tier);

	for (uint32_t i = first; i < first + count; i++)
		b->list[i] = FT_NONE;
}

/* Whether any name of the list is a switch of @tier. */
static bool tier_is_found(const struct ft_site *site, enum ft_tier tier)
{
	for (size_t i = 0; i < site->name_count; i++)
		if (site->names[i].sw != FT_NONE && site->plan->switches[site->names[i].sw].tier == tier)
			return true;
	return false;
}

/* Returns how many tiers there are to bind; those of them that are open are marked. */
static unsigned int tiers_look(struct binding *b)
{
	unsigned int count = 0;

	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		b->any_found |= tier_is_found(b->site, tier);
		if (b->site->design->binds[tier].count || ft_plan_tier_count(b->site->plan, tier) == 0)
			continue;
		b->open[tier] = !tier_is_found(b->site, tier);
		if (b->open[tier] || tier_is_respelt(b, tier))
			count++;
		else
			list_clear(b, tier);
	}
	return count;
}

/* ---- candidates ---- */

/* The busiest first; @context: struct ft_site. */
static int rows_compare(const void *one, const void *other, void *context)
{
	const struct ft_site *site = context;
	const struct ft_site_name *a = &site->names[*(const uint32_t *)one],
				  *b = &site->names[*(const uint32_t *)other];

	if (a->rows != b->rows)
		return a->rows > b->rows ? -1 : 1;
	return ft_text_natural_compare(a->normal, b->normal);
}

static int name_compare(const void *one, const void *other, void *context)
{
	const struct ft_site *site = context;

	return ft_text_natural_compare(site->names[*(const uint32_t *)one].normal,
				       site->names[*(const uint32_t *)other].normal);
}

static uint32_t open_count(const struct binding *b)
{
	uint32_t count = 0;

	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++)
		count += b->open[tier] ? ft_plan_tier_count(b->site->plan, tier) : 0;
	return count;
}

/* Cables to other switches that one of the open tiers has by the plan, on the average; of the tier that has fewest. */
static uint32_t usual_cables(const struct binding *b)
{
	const struct ft_plan *plan = b->site->plan;
	uint32_t counts[FT_TIER_COUNT] = {0}, fewest = UINT32_MAX;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		counts[plan->switches[plan->bundles[i].a].tier] += plan->bundles[i].count;
		counts[plan->switches[plan->bundles[i].b].tier] += plan->bundles[i].count;
	}
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++)
		if (b->open[tier] && counts[tier] / ft_plan_tier_count(plan, tier) < fewest)
			fewest = counts[tier] / ft_plan_tier_count(plan, tier);
	/* A switch with a single cable cannot be distinguished from a host. */
	return fewest < 4 ? 4 : fewest;
}

/* The names with the most cables, as many as there are switches to find. */
static int candidates_choose(struct binding *b)
{
	struct ft_site *site = b->site;
	uint32_t wanted = open_count(b);
	bool few;

	for (uint32_t i = 0; i < site->name_count; i++)
		if (site->names[i].same == i && site->names[i].sw == FT_NONE && !site->names[i].expected &&
		    !site->names[i].why)
			b->found[b->found_count++] = i;
	qsort_r(b->found, b->found_count, sizeof(*b->found), rows_compare, site);
	few = b->found_count < wanted || (uint64_t)site->names[b->found[wanted - 1]].rows * 2 < usual_cables(b);
	/* A list of hosts alone has no core switches, and one of a part of the fabric not all. */
	if (few && b->any_found) {
		memset(b->open, 0, sizeof(b->open));
		b->found_count = 0;
		return 0;
	}
	if (few)
		return bind_error(b, "it has fewer names that may be switches than the plan has");
	if (b->found_count > wanted && site->names[b->found[wanted]].rows == site->names[b->found[wanted - 1]].rows)
		return bind_error(b, "by their number of cables, more names may be switches than the plan has");
	b->found_count = wanted;
	for (uint32_t i = 0; i < wanted; i++)
		b->number[b->found[i]] = i;
	return 0;
}

/* The first spelling of the name at an end of a row; FT_NONE where there is none. */
static uint32_t name_at(const struct ft_site *site, size_t row, unsigned int end)
{
	uint32_t name = site->ends[row][end];

	return name == FT_NONE ? name : site->names[name].same;
}

static bool is_host(const struct binding *b, uint32_t name)
{
	const struct ft_site_name *n = &b->site->names[name];

	return b->number[name] == FT_NONE && n->sw == FT_NONE && !n->expected;
}

static void hosts_count(struct binding *b)
{
	const struct ft_site *site = b->site;

	for (size_t row = 0; row < site->sheet->row_count; row++) {
		uint32_t x = name_at(site, row, 0), y = name_at(site, row, 1);

		if (x == FT_NONE || y == FT_NONE)
			continue;
		b->hosts[x] += is_host(b, y);
		b->hosts[y] += is_host(b, x);
	}
}

/* ---- which tier ---- */

/* Patterns are of node descriptions, which the list may shorten. Returns 1, 0 or -ENOMEM. */
static int pattern_matches(const struct ft_site *site, const struct ft_pattern *match, const char *text)
{
	uint32_t live;
	int r = ft_pattern_matches(match, text, strlen(text));

	if (r == 0 && ft_names_find(&site->known_index, text, &live, NULL) == 1)
		r = ft_pattern_matches(match, site->known[live].name, strlen(site->known[live].name));
	return r;
}

/* The tier by the design's patterns: 1 if one matches, 0, -EINVAL if two do, or -ENOMEM. */
static int tier_by_pattern(struct binding *b, uint32_t name)
{
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		const struct ft_pattern *match = b->site->design->binds[tier].match;
		int r = b->open[tier] && match ? pattern_matches(b->site, match, b->site->names[name].text) : 0;

		if (r < 0)
			return r;
		if (r == 0)
			continue;
		if (b->tier[name] >= 0)
			return bind_error(b, "a name matches the patterns of two tiers");
		b->tier[name] = (int)tier;
	}
	return b->tier[name] >= 0;
}

/* The two sides that cables between switches lead across. */
struct sides {
	uint8_t *side;	 /* by name: 1 or 2; 0: not yet */
	uint32_t *queue; /* of names */
};

static void sides_release(struct sides *s)
{
	free(s->side);
	free(s->queue);
}

/* Rows of each name: where they begin in a list of neighbours, and that list. */
struct neighbours {
	uint32_t *first, *names;
};

static void neighbours_release(struct neighbours *n)
{
	free(n->first);
	free(n->names);
}

/* Of cables between candidates alone. */
static int neighbours_collect(const struct binding *b, struct neighbours *n)
{
	const struct ft_site *site = b->site;

	n->first = calloc(site->name_count + 2, sizeof(*n->first));
	n->names = calloc(2 * site->sheet->row_count + 1, sizeof(*n->names));
	if (!n->first || !n->names)
		return -ENOMEM;
	for (int fill = 0; fill < 2; fill++) {
		for (size_t row = 0; row < site->sheet->row_count; row++) {
			uint32_t x = name_at(site, row, 0), y = name_at(site, row, 1);

			if (x == FT_NONE || y == FT_NONE || b->number[x] == FT_NONE || b->number[y] == FT_NONE)
				continue;
			if (fill) {
				n->names[--n->first[x]] = y;
				n->names[--n->first[y]] = x;
			} else {
				n->first[x]++;
				n->first[y]++;
			}
		}
		for (size_t i = 1; !fill && i <= site->name_count; i++)
			n->first[i] += n->first[i - 1];
	}
	/* Filled from the end, "first" is where each begins; the last one's end is the number of all. */
	return 0;
}

/* Two-colours the component of @start; -EINVAL if a cable joins two of one side. */
static int sides_spread(const struct neighbours *n, struct sides *s, uint32_t start, uint32_t *ret_count)
{
	uint32_t head = 0, tail = 0;

	s->queue[tail++] = start;
	s->side[start] = 1;
	while (head < tail) {
		uint32_t name = s->queue[head++];

		for (uint32_t i = n->first[name]; i < n->first[name + 1]; i++) {
			uint32_t other = n->names[i];

			if (s->side[other] == s->side[name])
				return -EINVAL;
			if (s->side[other])
				continue;
			s->side[other] = (uint8_t)(3 - s->side[name]);
			s->queue[tail++] = other;
		}
	}
	*ret_count = tail;
	return 0;
}

/*
 * The side of the edge switches: the one with more hosts, else the one with the right number of switches, if the graph
 * is connected. FT_NONE: undecided.
 */
static uint32_t low_side(const struct binding *b, const struct sides *s, uint32_t count)
{
	const struct ft_plan *plan = b->site->plan;
	uint64_t hosts[3] = {0}, members[3] = {0};
	uint32_t low = plan->tree->edge_count + (plan->tree->levels == 3 ? plan->tree->core_count : 0);

	for (uint32_t i = 0; i < count; i++) {
		hosts[s->side[s->queue[i]]] += b->hosts[s->queue[i]];
		members[s->side[s->queue[i]]]++;
	}
	if (hosts[1] != hosts[2])
		return hosts[1] > hosts[2] ? 1 : 2;
	if (members[1] == members[2] || members[1] + members[2] < b->found_count)
		return FT_NONE;
	return members[1] == low ? 1 : members[2] == low ? 2 : FT_NONE;
}

/* In three levels, edge and core switches are on one side: hosts distinguish them. */
static int tier_by_side(const struct binding *b, uint32_t name, bool low)
{
	if (b->site->plan->tree->levels < 3)
		return low ? FT_TIER_EDGE : FT_TIER_CORE;
	if (!low)
		return FT_TIER_SPINE;
	return b->hosts[name] > 0 ? FT_TIER_EDGE : FT_TIER_CORE;
}

static int tiers_by_cables(struct binding *b)
{
	_cleanup_(neighbours_release) struct neighbours n = {0};
	_cleanup_(sides_release) struct sides s = {
		.side = calloc(b->site->name_count + 1, sizeof(*s.side)),
		.queue = calloc(b->site->name_count + 1, sizeof(*s.queue)),
	};
	int r = s.side && s.queue ? neighbours_collect(b, &n) : -ENOMEM;

	if (r < 0)
		return r;
	for (size_t i = 0; i < b->found_count; i++) {
		uint32_t count, low;

		if (s.side[b->found[i]])
			continue;
		if (sides_spread(&n, &s, b->found[i], &count) < 0)
			return bind_error(b, "cables go round in an odd circle, so that no two tiers can be told");
		low = low_side(b, &s, count);
		if (low == FT_NONE)
			return bind_error(b, "edge switches and those above them cannot be told from each other");
		for (uint32_t k = 0; k < count; k++)
			b->tier[s.queue[k]] = tier_by_side(b, s.queue[k], s.side[s.queue[k]] == low);
	}
	return 0;
}

/* If all open tiers have patterns, these decide; if one tier is open, the rest belongs to it. */
static int tiers_tell(struct binding *b)
{
	unsigned int open = 0, patterns = 0;
	enum ft_tier last = FT_TIER_EDGE;
	size_t count = 0;

	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		open += b->open[tier];
		patterns += b->open[tier] && b->site->design->binds[tier].match;
		last = b->open[tier] ? tier : last;
	}
	if (open == patterns) {
		for (uint32_t i = 0; i < b->site->name_count; i++) {
			int r = b->site->names[i].same == i && b->site->names[i].sw == FT_NONE ? tier_by_pattern(b, i)
											       : 0;

			if (r < 0)
				return r;
			if (r == 1)
				b->found[count++] = i;
		}
		b->found_count = count;
		return 0;
	}
	if (candidates_choose(b) < 0)
		return -EINVAL;
	if (b->found_count == 0)
		return 0;
	hosts_count(b);
	for (size_t i = 0; open == 1 && i < b->found_count; i++)
		b->tier[b->found[i]] = (int)last;
	if (open == 1)
		return 0;
	if (b->site->plan->tree->levels == 3 && open < 3)
		return bind_error(b, "of three tiers, all or all but one have to be bound");
	return tiers_by_cables(b);
}

/* ---- assignment of switches ---- */

static int tier_list(struct binding *b, enum ft_tier tier)
{
	const struct ft_plan *plan = b->site->plan;
	uint32_t first = ft_plan_tier_first(plan, tier), planned = ft_plan_tier_count(plan, tier), count = 0;
	_cleanup_free_ uint32_t *members = calloc(b->found_count + 1, sizeof(*members));
	char text[128];

	if (!members)
		return -ENOMEM;
	for (size_t i = 0; i < b->found_count; i++)
		if (b->tier[b->found[i]] == (int)tier)
			members[count++] = b->found[i];
	if (count != planned) {
		snprintf(text, sizeof(text), "it has %u %s switches, as it seems, and the plan has %u", count,
			 ft_tier_name(tier), planned);
		return bind_error(b, text);
	}
	qsort_r(members, count, sizeof(*members), name_compare, b->site);
	memcpy(b->list + first, members, count * sizeof(*members));
	return 0;
}

/* The most frequent spelling of a name. */
static const char *usual_spelling(const struct ft_site *site, uint32_t name)
{
	uint32_t best = name;

	for (uint32_t i = 0; i < site->name_count; i++)
		if (site->names[i].same == site->names[name].same && site->names[i].spelt > site->names[best].spelt)
			best = i;
	return site->names[best].text;
}

/*
 * The plan's name for the switch: as the live fabric spells it, where that is known. Returns 1 where it is, 0, or
 * -ENOMEM.
 */
static int name_choose(const struct binding *b, uint32_t name, char **ret_name)
{
	const struct ft_site *site = b->site;
	_cleanup_free_ char *safe = NULL;
	const char *text = usual_spelling(site, name);
	uint32_t live;
	int r = ft_names_find(&site->known_index, text, &live, NULL);

	if (r == -ENOMEM)
		return r;
	if (r == 1) {
		const char *seen = site->known[live].name;

		safe = ft_text_safe_dup(seen, strlen(seen));
		if (!safe)
			return -ENOMEM;
		/* A description that cannot be printed is replaced by the name in the list. */
		if (strcmp(safe, seen) == 0 && safe[0] && strlen(seen) <= NAME_SIZE_MAX)
			text = seen;
	}
	*ret_name = strdup(text);
	return *ret_name ? r == 1 : -ENOMEM;
}

/* Names the planned switches of @tier. Returns 1 where a name of them is on the live fabric, 0, or -ENOMEM. */
static int tier_name(struct binding *b, enum ft_tier tier)
{
	uint32_t first = ft_plan_tier_first(b->site->plan, tier), count = ft_plan_tier_count(b->site->plan, tier);
	int any = 0;

	for (uint32_t i = first; i < first + count; i++) {
		char *name;
		int r = name_choose(b, b->list[i], &name);

		if (r < 0)
			return r;
		free(b->site->plan->switches[i].name);
		b->site->plan->switches[i].name = name;
		any |= r;
	}
	return any;
}

/* In place of a pattern, the names of the tier. */
static int names_bind(struct binding *b, enum ft_tier tier)
{
	struct ft_bind *bind = &b->site->design->binds[tier];
	uint32_t first = ft_plan_tier_first(b->site->plan, tier), count = ft_plan_tier_count(b->site->plan, tier);

	bind->names = calloc(count + 1UL, sizeof(*bind->names));
	bind->count = bind->names ? count : 0;
	bind->guids = calloc(count + 1UL, sizeof(*bind->guids));
	if (!bind->names || !bind->guids)
		return -ENOMEM;
	ft_pattern_free(bind->match);
	bind->match = NULL;
	for (uint32_t i = 0; i < count; i++) {
		const char *name = b->site->plan->switches[first + i].name;

		bind->names[i] = strdup(name);
		if (!bind->names[i])
			return -ENOMEM;
		bind->guids[i] = strncmp(name, "0x", 2) == 0 ? ft_name_guid(name) : 0;
	}
	return 0;
}

/*
 * If the list has names of its own for all switches of a tier, which do not exist on the fabric, they are no binding:
 * the planned switches get these names, and are identified by other means.
 */
static int tier_bind(struct binding *b, enum ft_tier tier)
{
	int r = tier_name(b, tier);

	if (r < 0)
		return r;
	b->site->bound[tier] = true;
	if (r == 0 && b->site->known_count > 0) {
		b->site->strange = true;
		return 0;
	}
	return names_bind(b, tier);
}

/* One name may be bound once only, and not be that of an unbound one. */
static int names_check(const struct binding *b)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};
	const struct ft_plan *plan = b->site->plan;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		int r = ft_map_add(&map, ft_text_hash(plan->switches[i].name), i, NULL);

		if (r < 0)
			return r;
		if (r == 0)
			return bind_error(b, "two switches would have one name");
	}
	return 0;
}

int ft_site_bind(struct ft_site *site)
{
	_cleanup_(binding_release) struct binding b = {.site = site};
	int r = binding_allocate(&b);

	if (r < 0)
		return r;
	/* The switches of a graph have names. */
	if (site->plan->topology == FT_TOPOLOGY_GRAPH || tiers_look(&b) == 0)
		return 0;
	if (open_count(&b) > 0)
		r = tiers_tell(&b);
	for (enum ft_tier tier = FT_TIER_EDGE; r == 0 && tier < FT_TIER_COUNT; tier++)
		if (b.open[tier])
			r = tier_list(&b, tier);
	if (r == 0 && site->plan->tree->levels == 3 && b.open[FT_TIER_EDGE] && b.open[FT_TIER_SPINE])
		r = ft_site_group(site, b.list);
	for (enum ft_tier tier = FT_TIER_EDGE; r == 0 && tier < FT_TIER_COUNT; tier++)
		if (ft_plan_tier_count(site->plan, tier) && b.list[ft_plan_tier_first(site->plan, tier)] != FT_NONE)
			r = tier_bind(&b, tier);
	if (r == 0)
		r = names_check(&b);
	return r < 0 ? r : 1;
}
