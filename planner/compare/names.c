/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/compare/names.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/family/family.h"

static const struct ft_compare_name trees[] = {{"star", 0}, {"fat-tree", 2}, {"fat-tree", 3}};

static bool is_word(const char *name, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(name, word, length) == 0;
}

size_t ft_compare_names(const char *name, size_t length, struct ft_compare_name ret_names[FT_COMPARE_NAMES_MAX])
{
	bool all = is_word(name, length, "all");
	size_t count = 0;

	for (size_t i = 0; i < FT_COUNT(trees); i++)
		if (all || is_word(name, length, trees[i].topology))
			ret_names[count++] = trees[i];
	for (size_t i = 0; i < ft_family_count && count < FT_COMPARE_NAMES_MAX; i++)
		if (all || is_word(name, length, ft_families[i]->name))
			ret_names[count++] = (struct ft_compare_name){ft_families[i]->name, 0};
	return count;
}

void ft_compare_add_names(struct ft_text *text)
{
	ft_text_puts(text, "all, star, fat-tree");
	for (size_t i = 0; i < ft_family_count; i++)
		ft_text_printf(text, ", %s", ft_families[i]->name);
}
