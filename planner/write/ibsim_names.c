/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Names for ibsim's network file from which the design's patterns identify tiers and directors. */
#include "planner/write/ibsim_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"

/*
 * ---- switches ----
 * For the switches of a tier that is bound by a pattern, names are made up that match it, so that they are assigned to
 * that tier again.
 */

void ft_ibsim_names_free(const struct ft_plan *plan, char **names)
{
	for (uint32_t i = 0; names && i < plan->switch_count; i++)
		free(names[i]);
	free(names);
}

static void tier_names_drop(const struct ft_plan *plan, enum ft_tier tier, char **names)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].tier == tier && !ft_plan_is_beside(plan, i)) {
			free(names[i]);
			names[i] = NULL;
		}
}

/* Whether the pattern of no tier but @tier matches @name: 1, 0 or -ENOMEM. */
static int name_is_ours(const struct ft_design *design, enum ft_tier tier, const char *name)
{
	for (int other = 0; other < FT_TIER_COUNT; other++) {
		const struct ft_pattern *match = design->binds[other].match;
		int r = match && other != (int)tier ? ft_pattern_matches(match, name, strlen(name)) : 0;

		if (r != 0)
			return r < 0 ? r : 0;
	}
	return 1;
}

/* Whether the pattern of @tier, and of no other, matches the planned names of its switches: 1, 0 or -ENOMEM. */
static int plan_names_serve(const struct ft_design *design, const struct ft_plan *plan, enum ft_tier tier)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const char *name = plan->switches[i].name;
		int r;

		if (plan->switches[i].tier != tier || ft_plan_is_beside(plan, i))
			continue;
		r = ft_pattern_matches(design->binds[tier].match, name, strlen(name));
		if (r > 0)
			r = name_is_ours(design, tier, name);
		if (r <= 0)
			return r;
	}
	return 1;
}

/* Names for the switches of @tier, counted from @number on. 1, 0 if not all get one, or -ENOMEM. */
static int tier_names_make(const struct ft_design *design, const struct ft_plan *plan, enum ft_tier tier,
			   uint32_t number, char **names)
{
	const char *pattern = ft_pattern_text(design->binds[tier].match);
	char name[FT_PATTERN_SAMPLE_SIZE];
	int r;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		if (plan->switches[i].tier != tier || ft_plan_is_beside(plan, i))
			continue;
		r = ft_pattern_sample(pattern, number++, name, sizeof(name));
		if (r < 0)
			return r == -ENOMEM ? r : 0;
		r = name_is_ours(design, tier, name);
		if (r <= 0)
			return r;
		names[i] = strdup(name);
		if (!names[i])
			return -ENOMEM;
	}
	return 1;
}

/* Whether all switches have different names: 1, 0 or -ENOMEM. */
static int names_differ(const struct ft_plan *plan, char *const *names)
{
	_cleanup_(ft_map_release) struct ft_map there = {0};
	int r = 1;

	for (uint32_t i = 0; r == 1 && i < plan->switch_count; i++)
		r = ft_map_add(&there, ft_text_hash(names[i] ? names[i] : plan->switches[i].name), i, NULL);
	return r;
}

/* A tier whose pattern matches the plan's names, or for which no names are found, keeps these. Returns 0 or -ENOMEM. */
static int tier_names_find(const struct ft_design *design, const struct ft_plan *plan, enum ft_tier tier, char **names)
{
	/* "leaf[1-9][0-9]" has no room for less than 10. */
	static const uint32_t starts[] = {1, 10, 100, 1000, 10000, 100000};
	int r = plan_names_serve(design, plan, tier);

	if (r != 0)
		return r < 0 ? r : 0;
	for (size_t i = 0; i < FT_COUNT(starts); i++) {
		r = tier_names_make(design, plan, tier, starts[i], names);
		if (r == 1)
			r = names_differ(plan, names);
		if (r == 1)
			return 0;
		tier_names_drop(plan, tier, names);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Names @index as @form; whoever is called so by chance gets the name that is free then. */
static int alias_name(const struct ft_plan *plan, uint32_t index, const char *form, char **names)
{
	char *old = names[index];

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		if (i == index || !names[i] || strcmp(names[i], form) != 0)
			continue;
		names[index] = names[i];
		names[i] = old;
		return 0;
	}
	names[index] = strdup(form);
	free(old);
	return names[index] ? 0 : -ENOMEM;
}

/* Who stands in for a switch that an island is cabled to carries its name. */
static int aliases_name(const struct ft_plan *plan, char **names)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];

		if (sw->alias)
			r = alias_name(plan, i, sw->alias_full ? sw->alias_full : sw->alias, names);
	}
	return r;
}

int ft_ibsim_names_find(const struct ft_design *design, const struct ft_plan *plan, char **names)
{
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		int r = design->binds[tier].match ? tier_names_find(design, plan, tier, names) : 0;

		if (r < 0)
			return r;
	}
	return aliases_name(plan, names);
}

/*
 * ---- directors ----
 * Each chip has the name of its director and its slot behind it: "core01 L05". Where the design has a pattern for
 * chassis, it has to find the director's name in there.
 */

/* Does the pattern find @chassis in @name? 1, 0 or -ENOMEM. */
static int chassis_found(const struct ft_pattern *pattern, const char *name, const char *chassis)
{
	size_t start = 0, end = 0;
	int r = ft_pattern_find(pattern, name, strlen(name), &start, &end);

	if (r <= 0)
		return r;
	return end - start == strlen(chassis) && strncmp(name + start, chassis, end - start) == 0;
}

/*
 * A name that the pattern matches, with @name in place of what it takes for the chassis; or, where that may be (@free)
 * and has to be, with a chassis of its own. @ret_chassis: which it has. 1, 0 or -ENOMEM.
 */
static int chassis_sample(const struct ft_pattern *pattern, uint32_t number, const char *name, bool free,
			  struct ft_text *ret_stem, struct ft_text *ret_chassis)
{
	char sample[FT_PATTERN_SAMPLE_SIZE];
	size_t start = 0, end = 0;
	int r = ft_pattern_sample(ft_pattern_text(pattern), number, sample, sizeof(sample));

	if (r == 0)
		r = ft_pattern_find(pattern, sample, strlen(sample), &start, &end);
	if (r <= 0)
		return r == -ENOMEM ? r : 0;
	ft_text_printf(ret_stem, "%.*s%s%s", (int)start, sample, name, sample + end);
	ft_text_puts(ret_chassis, name);
	if (ft_text_failed(ret_stem) || ft_text_failed(ret_chassis))
		return -ENOMEM;
	r = ret_stem->length > FT_IBSIM_NAME_MAX ? 0 : chassis_found(pattern, ft_text_string(ret_stem), name);
	if (r != 0 || !free)
		return r;
	ft_text_reset(ret_stem);
	ft_text_puts(ret_stem, sample);
	ft_text_reset(ret_chassis);
	ft_text_add(ret_chassis, sample + start, end - start);
	return ft_text_failed(ret_stem) || ft_text_failed(ret_chassis) ? -ENOMEM : 1;
}

void ft_ibsim_chassis_free(struct ft_ibsim_chassis *chassis, uint32_t count)
{
	for (uint32_t i = 0; chassis && i < count; i++)
		free(chassis[i].stem);
	free(chassis);
}

/* Whether the pattern finds @name before a slot, too: 1, 0 or -ENOMEM. */
static int slots_serve(const struct ft_pattern *pattern, const char *stem, const char *name)
{
	static const char *const slots[] = {"L01", "F01"};
	int r = 1;

	for (size_t i = 0; i < FT_COUNT(slots) && r == 1; i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};

		ft_text_printf(&text, "%s %s", stem, slots[i]);
		r = ft_text_failed(&text) ? -ENOMEM : chassis_found(pattern, ft_text_string(&text), name);
	}
	return r;
}

int ft_ibsim_chassis_name(const struct ft_pattern *pattern, uint32_t number, const char *name, bool free,
			  struct ft_ibsim_chassis *ret)
{
	_cleanup_(ft_text_release) struct ft_text stem = {0}, chassis = {0};
	int r = slots_serve(pattern, name, name);

	if (r != 0)
		return r < 0 ? r : 0;
	r = chassis_sample(pattern, number, name, free, &stem, &chassis);
	if (r <= 0)
		return r;
	r = stem.length > FT_IBSIM_NAME_MAX - FT_IBSIM_SLOT_MAX
		    ? 0
		    : slots_serve(pattern, ft_text_string(&stem), ft_text_string(&chassis));
	if (r < 0)
		return r;
	while (stem.length > 0 && stem.data[stem.length - 1] == ' ' && r > 0)
		stem.data[--stem.length] = '\0';
	ret->bare = r == 0;
	ret->stem = strdup(ft_text_string(&stem));
	return ret->stem ? 0 : -ENOMEM;
}
