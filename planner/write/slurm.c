/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/formats.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/plan/wiring.h"
#include "planner/plan/tree.h"

/* The parent of all core switches; "pod01" is that of the spines of a pod, "group01" that of the switches of a group.
 */
static const char core_name[] = "core";
enum { POD_NAME_SIZE = 16 };

/* A list of names with runs of numbers drawn together: "leaf[001-018],login". */
struct hostlist {
	struct ft_text *text;
	const char *prefix; /* of the run; not owned */
	size_t prefix_length;
	int digits;
	unsigned long first, last;
	bool open; /* there is a run */
	bool more; /* something was written before */
};

static void hostlist_flush(struct hostlist *list)
{
	if (!list->open)
		return;
	ft_text_puts(list->text, list->more ? "," : "");
	ft_text_add(list->text, list->prefix, list->prefix_length);
	if (list->first == list->last)
		ft_text_printf(list->text, "%0*lu", list->digits, list->first);
	else
		ft_text_printf(list->text, "[%0*lu-%0*lu]", list->digits, list->first, list->digits, list->last);
	list->open = false;
	list->more = true;
}

/* How many of the last characters are digits, as many as a number of ours can have. */
static int trailing_digits(const char *name)
{
	enum { DIGITS_MAX = 9 };
	size_t length = strlen(name), digits = 0;

	while (digits < length && digits < DIGITS_MAX && isdigit((unsigned char)name[length - digits - 1]))
		digits++;
	return (int)digits;
}

/* @name has to stay there until the next is added. */
static void hostlist_add(struct hostlist *list, const char *name)
{
	int digits = trailing_digits(name);
	size_t prefix_length = strlen(name) - (size_t)digits;
	unsigned long number = strtoul(name + prefix_length, NULL, 10);

	if (list->open && digits == list->digits && prefix_length == list->prefix_length && number == list->last + 1 &&
	    memcmp(name, list->prefix, prefix_length) == 0) {
		list->last = number;
		return;
	}
	hostlist_flush(list);
	/* Names of digits alone, or without any, are no ranges to Slurm. */
	if (digits == 0 || prefix_length == 0) {
		ft_text_puts(list->text, list->more ? "," : "");
		ft_text_puts(list->text, name);
		list->more = true;
		return;
	}
	list->prefix = name;
	list->prefix_length = prefix_length;
	list->digits = digits;
	list->first = list->last = number;
	list->open = true;
}

static bool has_groups(const struct ft_plan *plan)
{
	return plan->topology == FT_TOPOLOGY_GRAPH && plan->group_count > 1;
}

/*
 * A graph is a tree to Slurm if it has groups, which are the parents; or if it is bipartite with hosts on lower
 * switches only, and each lower switch reaches all upper ones.
 */
static bool is_tree(const struct ft_plan *plan)
{
	uint64_t lower = 0, upper = 0;
	bool two = true;

	if (plan->topology != FT_TOPOLOGY_GRAPH || has_groups(plan))
		return true;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		*(plan->switches[i].tier == FT_TIER_EDGE ? &lower : &upper) += 1;
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		two &= plan->switches[plan->bundles[i].a].tier != plan->switches[plan->bundles[i].b].tier;
	return two && plan->bundle_count == lower * upper && (upper > 0 || lower == 1);
}

/* The fewest hosts of a switch that has any. */
static uint32_t block_least(const struct ft_plan *plan)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].hosts > 0 && plan->switches[i].hosts < least)
			least = plan->switches[i].hosts;
	return least;
}

/* Of a network that is no tree, the nodes of a switch are a block. A block of one node places nothing. */
static int blocks_check(const struct ft_plan *plan, struct ft_error *err)
{
	if (block_least(plan) > 1)
		return 0;
	return ft_error_set(
		err, -EINVAL, 0, 0,
		"this network is no tree for Slurm's topology/tree, and with a single host on a switch it has "
		"no blocks for topology/block");
}

struct tree {
	struct ft_text *text;
	const struct ft_plan *plan;
	uint32_t pods;	    /* or groups; 0: the edge switches are right below the core level */
	char *pod_words;    /* POD_NAME_SIZE bytes each; owned */
	const char **taken; /* those and the core level's; owned */
	struct ft_wiring wiring;
	struct ft_plain_names names;
};

static void tree_release(struct tree *tree)
{
	free(tree->pod_words);
	free(tree->taken);
	ft_wiring_release(&tree->wiring);
	ft_plain_names_release(&tree->names);
}

static const char *pod_name(const struct tree *tree, uint32_t pod)
{
	return tree->pod_words + (size_t)pod * POD_NAME_SIZE;
}

static int name_pods(struct tree *tree)
{
	const struct ft_plan *plan = tree->plan;
	const char *word = has_groups(plan) ? "group" : "pod";

	if (has_groups(plan))
		tree->pods = plan->group_count;
	for (uint32_t i = 0; plan->tree->levels > 2 && i < plan->tree->edge_count; i++)
		if (plan->switches[i].pod >= tree->pods)
			tree->pods = plan->switches[i].pod + 1;
	tree->pod_words = calloc((size_t)tree->pods + 1, POD_NAME_SIZE);
	tree->taken = calloc((size_t)tree->pods + 2, sizeof(*tree->taken));
	if (!tree->pod_words || !tree->taken)
		return -ENOMEM;
	for (uint32_t pod = 0; pod < tree->pods; pod++)
		tree->taken[pod] =
			ft_numbered_name(word, pod + 1, tree->pods, 2, tree->pod_words + (size_t)pod * POD_NAME_SIZE);
	tree->taken[tree->pods] = core_name;
	return 0;
}

/* A leaf, or a block. One without nodes is an error to Slurm, as it will be in use only when the fabric has grown. */
static void write_edge(const struct tree *tree, const char *key, uint32_t edge)
{
	uint32_t first = tree->wiring.first_host[edge], hosts = tree->plan->switches[edge].hosts;
	char name[FT_HOST_NAME_SIZE];
	struct hostlist list = {.text = tree->text};

	if (hosts == 0)
		return;
	ft_text_printf(tree->text, "%s=%s Nodes=", key, tree->names.names[edge]);
	hostlist_add(&list, ft_plan_host_name(tree->plan, first, name));
	list.last += hosts - 1;
	hostlist_flush(&list);
	ft_text_puts(tree->text, "\n");
}

/* The pod or group of switch @index; FT_NONE: none. */
static uint32_t pod_of(const struct tree *tree, uint32_t index)
{
	const struct ft_plan_switch *sw = &tree->plan->switches[index];

	return has_groups(tree->plan) ? sw->group : sw->pod;
}

/* The parent of those edge switches of @pod (FT_NONE: any) that have hosts. */
static void write_parent(const struct tree *tree, const char *name, uint32_t pod)
{
	struct hostlist list = {.text = tree->text};

	ft_text_printf(tree->text, "SwitchName=%s Switches=", name);
	for (uint32_t i = 0; i < tree->plan->switch_count; i++)
		if (tree->plan->switches[i].hosts && (pod == FT_NONE || pod_of(tree, i) == pod))
			hostlist_add(&list, tree->names.names[i]);
	hostlist_flush(&list);
	ft_text_puts(tree->text, "\n");
}

static uint32_t pod_hosts(const struct tree *tree, uint32_t pod)
{
	uint32_t hosts = 0;

	for (uint32_t i = 0; i < tree->plan->switch_count; i++)
		if (pod_of(tree, i) == pod)
			hosts += tree->plan->switches[i].hosts;
	return hosts;
}

static void write_pods(const struct tree *tree)
{
	struct hostlist list = {.text = tree->text};

	for (uint32_t pod = 0; pod < tree->pods; pod++)
		if (pod_hosts(tree, pod))
			write_parent(tree, pod_name(tree, pod), pod);
	ft_text_printf(tree->text, "SwitchName=%s Switches=", core_name);
	for (uint32_t pod = 0; pod < tree->pods; pod++)
		if (pod_hosts(tree, pod))
			hostlist_add(&list, pod_name(tree, pod));
	/* Hosts on a core switch are in no pod, and those on a switch of no group in none. */
	for (uint32_t i = 0; i < tree->plan->switch_count; i++)
		if (tree->plan->switches[i].hosts && pod_of(tree, i) == FT_NONE)
			hostlist_add(&list, tree->names.names[i]);
	hostlist_flush(&list);
	ft_text_puts(tree->text, "\n");
}

static void write_tree(const struct tree *tree)
{
	if (has_groups(tree->plan))
		ft_text_puts(tree->text, "# The groups stand for the parents; slurm.conf: TopologyParam=Dragonfly\n");
	for (uint32_t i = 0; i < tree->plan->switch_count; i++)
		write_edge(tree, "SwitchName", i);
	if (tree->pods)
		write_pods(tree);
	else if (tree->plan->bundle_count)
		write_parent(tree, core_name, FT_NONE);
}

static void write_head(const struct tree *tree, const struct ft_design *design, const char *plugin)
{
	ft_text_puts(tree->text, "# Topology of the intended fabric \"");
	ft_text_add_safe(tree->text, design->name, strlen(design->name));
	ft_text_printf(tree->text, "\" for Slurm's topology/%s plugin, written by ftplan\n", plugin);
}

/* Source: topology.conf(5) of Slurm 23.11. Each block has to have at least as many nodes as the first of the sizes. */
static void write_blocks(const struct tree *tree)
{
	ft_text_puts(tree->text,
		     "# The nodes of a switch are a block; slurm.conf: TopologyPlugin=topology/block, from Slurm "
		     "23.11 on\n");
	for (uint32_t i = 0; i < tree->plan->switch_count; i++)
		write_edge(tree, "BlockName", i);
	ft_text_printf(tree->text, "BlockSizes=%u\n", block_least(tree->plan));
}

int ft_write_slurm(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		   const struct ft_catalog *catalog, struct ft_error *err)
{
	_cleanup_(tree_release) struct tree tree = {.text = text, .plan = plan};
	bool is_block = !is_tree(plan);
	int r;

	(void)catalog;
	if (plan->nodes == 0)
		return ft_error_set(err, -EINVAL, 0, 0, "Slurm's topology has nodes, and this plan has none");
	r = is_block ? blocks_check(plan, err) : 0;
	if (r == 0)
		r = name_pods(&tree);
	if (r == 0)
		r = ft_wiring_make(plan, &tree.wiring);
	if (r == 0)
		r = ft_plain_names_make(plan, tree.taken, &tree.names);
	if (r < 0)
		return r;
	write_head(&tree, design, is_block ? "block" : "tree");
	if (is_block)
		write_blocks(&tree);
	else
		write_tree(&tree);
	return ft_text_failed(text) ? -ENOMEM : 0;
}
