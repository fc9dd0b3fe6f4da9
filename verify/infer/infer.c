/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The three steps of the inference in their order, and which design is written (general.h).
 *
 * Invariant: the design that is returned was read back, so ft_design_read() accepts it.
 */
#include "config.h"

#include "verify/infer/infer.h"

#include <errno.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/by_rule.h"
#include "verify/infer/general.h"
#include "verify/infer/tree.h"

static void inference_release(struct ft_inference *f)
{
	ft_arena_release(&f->model.memory);
	ft_multigraph_release(&f->graph);
	for (unsigned int i = 0; i < FT_WHY_COUNT; i++)
		ft_text_release(&f->why[i]);
}

static bool notes_failed(const struct ft_inference *f)
{
	for (unsigned int i = 0; i < FT_WHY_COUNT; i++)
		if (ft_text_failed(&f->why[i]))
			return true;
	return false;
}

/*
 * A single director that is the whole fabric, by the names of its chips: the switches of a plain fat-tree may have such
 * names, too ("ib leaf 1", "ib spine 2"). It is a fat-tree if each switch has its own SystemImageGUID, which the chips
 * of a director do not (IBTA Vol 1, NodeInfo).
 */
static bool is_doubtful(const struct ft_snapshot *snapshot, const struct ft_chassis *chassis)
{
	if (chassis->director_count != 1)
		return false;
	for (uint32_t n = 0; n < snapshot->node_count; n++) {
		const struct ft_node *node = &snapshot->nodes[n];

		if (node->type == FT_NODE_SWITCH && (chassis->chip_of[n] == FT_NONE || node->system_guid != node->guid))
			return false;
	}
	return true;
}

/*
 * True if two line chips lack traces to the same fabric chips, and more than a few: their boards are of another make,
 * and a design that has all boards alike would be wrong about each. O(line chips of a director squared x fabric chips).
 */
static bool boards_are_unlike(const struct ft_chassis *chassis, const struct ft_director *director)
{
	enum { CHIPS_MIN = 2, TRACES_MIN = 3 };
	const struct ft_chip *end = chassis->chips + director->first + director->count, *fabric;
	uint32_t usual = director->seen.traces;

	for (fabric = chassis->chips + director->first; fabric < end && fabric->line; fabric++)
		;
	for (const struct ft_chip *a = chassis->chips + director->first; a < fabric; a++)
		for (const struct ft_chip *b = a + 1; b < fabric; b++) {
			uint32_t chips = 0, traces = 0;

			for (const struct ft_chip *c = fabric; c < end; c++) {
				uint32_t most = ft_number_most(ft_traces_between(chassis, a, c),
							       ft_traces_between(chassis, b, c));

				chips += most < usual;
				traces += most < usual ? usual - most : 0;
			}
			if (chips >= CHIPS_MIN && traces >= TRACES_MIN)
				return true;
		}
	return false;
}

/* True if directors can be one switch each. */
static bool are_directors(const struct ft_snapshot *snapshot, const struct ft_chassis *chassis)
{
	if (!chassis->snapshot || is_doubtful(snapshot, chassis))
		return false;
	for (uint32_t i = 0; i < chassis->director_count; i++)
		if (boards_are_unlike(chassis, &chassis->directors[i]))
			return false;
	return true;
}

static uint64_t graph_wrong(const struct ft_intent *intent)
{
	/* A misplaced cable is missing in one place and surplus in another. */
	return intent->missing > intent->surplus ? intent->missing : intent->surplus;
}

/* Reads a design back that no other check has read. -EINVAL: it would be refused. */
static int design_check(const struct ft_text *text, struct ft_error *err)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_error why;
	int r = ft_design_read(text->data, text->length, &design, &plan, &why);

	return r == -EINVAL ? ft_error_set(err, r, 0, 0, "no design to be inferred: %s", why.text) : r;
}

static int refuse(const struct ft_inference *f, struct ft_error *err)
{
	uint32_t switches = f->observed->switch_count, nodes = f->snapshot->node_count;

	if (switches == 0)
		return ft_error_set(err, -EINVAL, 0, 0, "no design to be inferred: %u %s, and no switch among them",
				    nodes, nodes == 1 ? "node" : "nodes");
	return ft_error_set(err, -EINVAL, 0, 0,
			    "no design to be inferred: %u switch%s, and no host that is up: without hosts edge "
			    "switches cannot be told",
			    switches, ft_text_es(switches));
}

/*
 * The design of a family; or that of its groups, with the cables between them listed, if no rule fits, or if a rule has
 * several of these cables wrong, and one in LISTED_SHARE of them: then whoever laid them had another rule. As
 * ft_infer_family().
 */
static int family_reading(const struct ft_intent *intent, const char *name, struct ft_text *text, uint64_t *ret_wrong)
{
	enum { LISTED_SHARE = 8 };
	_cleanup_(ft_text_release) struct ft_text wired = {0};
	uint64_t wrong = 0, cost = 0, listed = 0;
	int family = ft_infer_family(intent->f, name, text, ret_wrong, &cost), r;

	/* Rules know no leaf of another kind with fewer cables than all others: by them it would lack the rest. */
	if (family > 0 && intent->services > 0 && *ret_wrong > graph_wrong(intent))
		return 0;
	if (family < 0 || (family > 0 && *ret_wrong < 2))
		return family;
	r = ft_infer_wired(intent, name, &wired, &wrong, &listed);
	if (r < 0)
		return r;
	if (family > 0 && (*ret_wrong < wrong + 2 || (cost - wrong) * LISTED_SHARE <= listed))
		return family;
	/* Without a list of what is there, a rule that has so much of it wrong is none either. */
	if (r == 0)
		return family > 0 && listed > 0 ? 0 : family;
	ft_text_reset(text);
	ft_text_add(text, wired.data, wired.length);
	*ret_wrong = wrong;
	return 1;
}

/* As a fat-tree, or a star. Returns 1, 0 if it is none, or -ENOMEM. */
static int tree_write(const struct ft_intent *intent, const char *name, struct ft_text *text)
{
	int r = ft_infer_classes(intent, name, text);

	return r == 0 ? ft_infer_pods(intent, name, text) : r;
}

/* As a star. Returns 1, -ENOMEM, or -EINVAL with @err filled. */
static int star_write(const struct ft_inference *f, const struct ft_intent *intent, const char *name,
		      struct ft_text *text, struct ft_error *err)
{
	int r = ft_infer_star(f, intent, name, text);

	if (r > 0)
		r = design_check(text, err);
	return r < 0 ? r : 1;
}

/* True if all switches but one are there by mistake. */
static bool is_star(const struct ft_intent *intent)
{
	uint32_t planned = 0;

	for (uint32_t i = 0; i < intent->count; i++)
		planned += !intent->stray[i];
	return planned == 1;
}

/* The same; with what is beside the tree as an island, if need be. */
static int tree_try(struct ft_intent *intent, const char *name, struct ft_text *text)
{
	int r = tree_write(intent, name, text);

	if (r != 0)
		return r;
	r = ft_tree_beside(intent);
	if (r > 0)
		r = tree_write(intent, name, text);
	/* Nothing is beside a graph. */
	if (r == 0)
		memset(intent->beside, 0, intent->count * sizeof(*intent->beside));
	return r;
}

/* As a network of a family, or a graph. Returns 0, -ENOMEM, or -EINVAL with @err filled. */
static int graph_write(struct ft_inference *f, const struct ft_intent *intent, const char *name, struct ft_text *text,
		       struct ft_error *err)
{
	uint64_t wrong;
	int r;

	ft_infer_graph_rates(f);
	if (notes_failed(f))
		return -ENOMEM;
	r = family_reading(intent, name, text, &wrong);
	if (r != 0)
		return r < 0 ? r : 0;
	ft_text_reset(text);
	r = ft_intent_write(text, intent, name);
	return r < 0 ? r : design_check(text, err);
}

/* True if a cable leads from one switch to another: what leads back to its own switch makes no graph. */
static bool has_links(const struct ft_inference *f)
{
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (f->graph.degree[i] > 0)
			return true;
	return false;
}

/* One switch has the hosts, and no cable leads to another. Of several directors every chip is in the plan then. */
static bool is_lone(const struct ft_inference *f)
{
	uint32_t hosting = 0;

	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		hosting += f->hosts[i] > 0;
	return f->observed->switch_count == 1 ? hosting == 1
					      : !has_links(f) && hosting > 0 && (hosting == 1 || !f->chassis);
}

/*
 * @chassis: its directors are one switch each, and a fat-tree is the only design; NULL: every chip is a switch.
 * Returns 1, 0 if there is no such fat-tree, -ENOMEM, or -EINVAL with @err filled.
 */
static int reading(const struct ft_snapshot *snapshot, struct ft_chassis *chassis, const char *name,
		   struct ft_text *text, struct ft_error *err)
{
	_cleanup_(inference_release) struct ft_inference f = {
		.snapshot = chassis ? chassis->snapshot : snapshot,
		.chips = snapshot,
		.chassis = chassis,
	};
	_cleanup_(ft_intent_release) struct ft_intent intent = {0};
	int r = ft_infer_graph(&f);

	if (r < 0)
		return r;
	ft_infer_graph_counts(&f);
	if (notes_failed(&f))
		return -ENOMEM;
	if (is_lone(&f))
		return star_write(&f, NULL, name, text, err);
	if (f.observed->switch_count < 2 || !has_links(&f))
		return chassis ? 0 : refuse(&f, err);
	r = ft_intent_make(&intent, &f);
	if (r == 0)
		r = is_star(&intent) ? star_write(&f, &intent, name, text, err) : tree_try(&intent, name, text);
	if (r != 0 || chassis)
		return r;
	r = graph_write(&f, &intent, name, text, err);
	return r < 0 ? r : 1;
}

int ft_infer(const struct ft_snapshot *snapshot, const char *name, struct ft_text *ret_design, struct ft_error *err)
{
	_cleanup_(ft_chassis_freep) struct ft_chassis *chassis = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	int r;

	name = name && name[0] ? name : "fabric";
	r = ft_chassis_find(snapshot, NULL, NULL, NULL, &chassis);
	if (r == 0 && are_directors(snapshot, chassis))
		r = reading(snapshot, chassis, name, &text, err);
	if (r == 0)
		r = reading(snapshot, NULL, name, &text, err);
	if (r < 0)
		return r;
	ft_text_add(ret_design, text.data, text.length);
	return ft_text_failed(ret_design) ? -ENOMEM : 0;
}
