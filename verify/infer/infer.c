/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which design is written. The candidates are
 *
 *   1. trees (fits.c), with directors as switches; each is verified like any design, and the one that leaves the
 *      fewest cables wrong is taken
 *   2. the general reading (general.h), if the tree leaves anything wrong or outside, or faults what serves hosts. The
 *      tree stays if it finds what the graph does, or the graph has more exceptions than the tree has faults. Else a
 *      tree with classes, then a network of a family, then the graph itself is written
 *
 * Invariant: the design that is returned was read back, so ft_design_read() accepts it. Cost: a verification for each
 * candidate; a tree by which nothing is wrong is the only one.
 */
#include "config.h"

#include "verify/infer/infer.h"

#include <errno.h>

#include "verify/infer/by_rule.h"
#include "verify/infer/general.h"
#include "verify/infer/infer_parts.h"

/* A design with more faults than this, and than one in so many cables, does not describe the fabric. */
enum { WRONG_SOME = 8, WRONG_SHARE = 4 };

/* A design, and the faults that it leaves. */
struct attempt {
	struct ft_text text;
	uint64_t wrong;
	uint32_t islanders; /* switches beside the tree that are planned as seen */
	uint64_t cabling;   /* wrong, without switches that nobody saw: no graph knows that they are missing */
	uint64_t lacking;   /* missing cables, by all findings, also of those elsewhere */
	uint64_t surplus;   /* of the cables that are wrong, those that are there and should not be */
	uint64_t alike;	    /* the most of these between the same two ranks; moved ones only within one rank */
	uint64_t moved;	    /* those that are missing elsewhere */
	bool strays;	    /* some switches have no place in the tree */
	bool mixed;	    /* some switches are slower throughout, which is a fault in every tree */
	uint32_t unseen;    /* unseen switches that are planned because of their evidence */
	uint32_t strangers; /* switches outside the plan that have no finding either */
	bool denies;	    /* switches in service are faults by the tree */
};

static void attempt_release(struct attempt *attempt)
{
	ft_text_release(&attempt->text);
}

static void inference_release(struct ft_inference *f)
{
	ft_arena_release(&f->model.memory);
	ft_multigraph_release(&f->graph);
	for (unsigned int i = 0; i < FT_WHY_COUNT; i++)
		ft_text_release(&f->why[i]);
}

/* Starts over with another fit. */
static void inference_begin(struct ft_inference *f, const struct ft_fit *fit)
{
	ft_infer_names_reset(f);
	for (uint32_t rank = 0; rank < FT_RANKS_MAX; rank++) {
		f->count[rank] = f->unseen[rank] = f->unseen_at[rank] = 0;
		f->lacking[rank] = NULL;
	}
	for (unsigned int i = 0; i < FT_WHY_COUNT; i++)
		ft_text_reset(&f->why[i]);
	f->design = (struct ft_inferred){0};
	f->fit = *fit;
}

static bool notes_failed(const struct ft_inference *f)
{
	for (unsigned int i = 0; i < FT_WHY_COUNT; i++)
		if (ft_text_failed(&f->why[i]))
			return true;
	return false;
}

/*
 * The price of dead traces of a chip, which are its own fault, as if it were missing. But several boards that lack
 * about as many are boards of another make, and a design that has all boards alike is wrong about each trace.
 */
static uint64_t traces_wrong(const struct ft_report *report, const struct ft_finding *finding)
{
	enum { MANY = 4, SHARE = 4 };

	for (size_t i = 0; i < report->finding_count && finding->count >= MANY; i++) {
		const struct ft_finding *other = &report->findings[i];
		uint32_t less = other->count < finding->count ? other->count : finding->count;
		uint32_t more = other->count ^ finding->count ^ less;

		if (other != finding && other->code == finding->code && other->board.known && other->board.line &&
		    (more - less) * SHARE <= more)
			return finding->count;
	}
	return 1;
}

static bool is_missing_switch(const struct ft_finding *finding)
{
	return finding->code == FT_CODE_CORE_MISSING || finding->code == FT_CODE_EDGE_ISOLATED;
}

/*
 * Faults in the cabling of switches, or that depend on their tier: each cable counts, and each switch once, however
 * many cables it has. All other faults are the same with any design.
 * @unseen  switches that are taken to be off because of their evidence: that they are missing supports the design
 */
static uint64_t wrong_count(const struct ft_report *report, uint64_t unseen)
{
	static const bool cables[FT_CODE_COUNT] = {
		[FT_CODE_CABLE_MISSING] = true,
		[FT_CODE_CABLE_MISPLACED] = true,
		[FT_CODE_CABLES_SWAPPED] = true,
		[FT_CODE_CABLE_UNPLANNED] = true,
	};
	static const bool switches[FT_CODE_COUNT] = {
		[FT_CODE_EDGE_ISOLATED] = true,	   [FT_CODE_CORE_MISSING] = true, [FT_CODE_SWITCH_UNPLANNED] = true,
		[FT_CODE_SWEEP_INCOMPLETE] = true, [FT_CODE_HOST_ON_CORE] = true, [FT_CODE_BOARD_MISSING] = true,
	};
	uint64_t wrong = 0;

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *finding = &report->findings[i];

		if (unseen > 0 && is_missing_switch(finding))
			unseen--;
		else if (finding->severity != FT_SEVERITY_INFO)
			wrong += cables[finding->code] && finding->board.known ? traces_wrong(report, finding)
				 : cables[finding->code]		       ? finding->count
							 : switches[finding->code] || finding->board.known;
	}
	return wrong;
}

/* So many cables of one switch are there by mistake; and so many hosts above the edges in all. */
enum { CABLES_FEW = 3, HOSTS_ABOVE_FEW = 1 };

static uint32_t observed_of_guid(const struct ft_inference *f, uint64_t guid)
{
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (f->observed->switches[i].guid == guid)
			return i;
	return FT_NONE;
}

/*
 * True for a switch that serves hosts, has more cables than are plugged in by chance, or several that all lead to the
 * top, as those of a router do.
 */
static bool is_in_service(const struct ft_inference *f, const struct ft_finding *finding)
{
	uint32_t observed = finding->where_count > 0 ? observed_of_guid(f, finding->where[0].guid) : FT_NONE;

	return observed != FT_NONE &&
	       (f->hosts[observed] > 0 || f->graph.degree[observed] > CABLES_FEW || ft_infer_is_attached(f, observed));
}

/*
 * True for one of several cables between two switches of one rank: storage switches, say, that stand in for each other;
 * and for a cable between the only two core switches, in ports of one number, that no edge lacks: a trunk, which may
 * have lost the others.
 */
static bool joins_equals(const struct ft_inference *f, const struct ft_finding *finding)
{
	uint32_t a, b, rank;

	if (finding->where_count < 2)
		return false;
	a = observed_of_guid(f, finding->where[0].guid);
	b = observed_of_guid(f, finding->where[1].guid);
	if (a == FT_NONE || b == FT_NONE || f->fit.rank[a] != f->fit.rank[b])
		return false;
	rank = f->fit.rank[a];
	return ft_edges_between(&f->graph, a, b) > 1 ||
	       (finding->code == FT_CODE_CABLE_UNPLANNED && rank > 0 && rank + 1 == f->fit.ranks &&
		f->count[rank] == 2 && finding->where[0].port == finding->where[1].port);
}

/*
 * True if more than a third of the edge switches, and at least six, have other numbers of uplinks than most, and no
 * number of these is that of a single one: they were bought in several lots, and no lot lacks what another one has.
 */
static bool edges_are_mixed(const struct ft_inference *f)
{
	enum { MIXED_MIN = 6, MIXED_SHARE = 3 };
	struct ft_tally tally = {0};
	uint32_t usual, mixed = 0;

	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		uint32_t uplinks = 0;

		if (f->fit.rank[i] != 0)
			continue;
		ft_each_adjacent(n, &f->graph, i)
			uplinks += f->fit.rank[n->vertex] == 1 ? n->count : 0;
		ft_tally_add(&tally, uplinks);
	}
	usual = ft_tally_mode(&tally, 1);
	for (uint32_t sum = 0; sum < tally.end; sum++) {
		if (sum != usual && tally.votes[sum] == 1)
			return false;
		mixed += sum != usual ? (uint32_t)tally.votes[sum] : 0;
	}
	return mixed >= MIXED_MIN && mixed * MIXED_SHARE > f->count[0];
}

/* Routers on switches above the edges: hosts beside them are there on purpose. */
static uint32_t routers_above(const struct ft_inference *f)
{
	const struct ft_snapshot *s = f->snapshot;
	uint32_t routers = 0;

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *peer = ft_port_peer(s, &s->ports[i]);
		uint32_t observed = f->observed->switch_of_node[s->ports[i].node];

		routers += peer && s->nodes[peer->node].type == FT_NODE_ROUTER && observed != FT_NONE &&
			   f->fit.rank[observed] > 0 && f->fit.rank[observed] < f->fit.ranks;
	}
	return routers;
}

/*
 * Counts hosts above the edges that are called like no host of an edge: a subnet manager or a gateway, and there on
 * purpose. Where most names are of no kind that several share, they tell nothing. Returns 0 or -ENOMEM.
 */
static int hosts_named_apart(const struct ft_inference *f, uint32_t *ret_apart)
{
	_cleanup_(ft_map_release) struct ft_map kinds = {0};
	const struct ft_observed_host *hosts = f->observed->hosts;
	uint32_t edges = 0, named = 0;

	*ret_apart = 0;
	for (uint32_t i = 0; i < f->observed->host_count; i++) {
		int r;

		if (f->fit.rank[hosts[i].observed] != 0)
			continue;
		r = ft_map_add(&kinds, ft_infer_host_key(f, &hosts[i]), i, NULL);
		if (r < 0)
			return r;
		edges++;
		named += r > 0;
	}
	for (uint32_t i = 0; 2 * named < edges && i < f->observed->host_count; i++) {
		uint8_t rank = f->fit.rank[hosts[i].observed];

		*ret_apart += rank > 0 && rank < f->fit.ranks &&
			      ft_map_get(&kinds, ft_infer_host_key(f, &hosts[i])) == FT_NONE;
	}
	return 0;
}

/*
 * True if several switches have no place in the tree, each on several cables: nobody plugs in so many by chance. The
 * case that bit: three levels of two pods, whose core switches had two cables each, and three of these were moved.
 */
static bool has_several_strays(const struct ft_inference *f, const struct ft_report *report)
{
	enum { SEVERAL = 3 };
	uint32_t strays = 0;

	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *finding = &report->findings[i];
		uint32_t observed = finding->code == FT_CODE_SWITCH_UNPLANNED && finding->where_count > 0
					    ? observed_of_guid(f, finding->where[0].guid)
					    : FT_NONE;

		strays += observed != FT_NONE && f->graph.degree[observed] > 1;
	}
	return strays >= SEVERAL;
}

/*
 * True if the tree finds fault with switches in service that have no place in it, with several hosts above the edges,
 * such as login nodes, with leaves that have more hosts than it gives them or are joined by several cables, or with
 * boards of another make: whoever is told to unplug or mend them knows better. @named_apart: of the hosts above the
 * edges, see there.
 */
static bool denies_service(const struct ft_inference *f, const struct ft_report *report, uint32_t named_apart)
{
	uint32_t above = f->fit.ranks > 1 ? routers_above(f) + named_apart : 0;

	if (has_several_strays(f, report) || (f->fit.ranks == 2 && edges_are_mixed(f)))
		return true;
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *finding = &report->findings[i];

		above += finding->code == FT_CODE_HOST_ON_CORE;
		if ((finding->code == FT_CODE_SWITCH_UNPLANNED && is_in_service(f, finding)) ||
		    (finding->code == FT_CODE_HOST_ON_CORE && above > HOSTS_ABOVE_FEW) ||
		    finding->code == FT_CODE_EDGE_OVERLOADED ||
		    ((finding->code == FT_CODE_CABLE_UNPLANNED || finding->code == FT_CODE_CABLE_MISPLACED) &&
		     joins_equals(f, finding)) ||
		    (finding->code == FT_CODE_CABLE_MISSING && finding->board.known &&
		     traces_wrong(report, finding) > 1))
			return true;
	}
	return false;
}

/* The price of a switch with many hosts that has a finding, and of each of its cables: both contradict the tree. */
enum { SERVING_COST = 3, UNSEEN_COST = 2 };

/* True for a switch of the tree, or one most of whose cables lead there, which are held against its rate. */
static bool hangs_on_tree(const struct ft_inference *f, uint32_t observed)
{
	uint32_t cables = 0;

	ft_each_adjacent(n, &f->graph, observed)
		cables += ft_infer_in_tree(f, n->vertex) ? n->count : 0;
	return ft_infer_in_tree(f, observed) || 2 * cables > f->graph.degree[observed];
}

/* The rank of an end of a cable that has a finding. */
static uint32_t rank_at(const struct ft_inference *f, const struct ft_finding *finding, uint32_t end)
{
	uint32_t observed = end < finding->where_count ? observed_of_guid(f, finding->where[end].guid) : FT_NONE;

	return observed == FT_NONE ? FT_OUTSIDE : f->fit.rank[observed];
}

/* Counts cables that are missing and surplus, where they should be and where they are. */
static void cables_count(const struct ft_inference *f, const struct ft_report *report, struct attempt *attempt)
{
	uint64_t joining[FT_OUTSIDE + 1][FT_OUTSIDE + 1] = {0};

	attempt->surplus = attempt->alike = attempt->lacking = attempt->moved = 0;
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *finding = &report->findings[i];
		bool moved = finding->code == FT_CODE_CABLE_MISPLACED;
		uint32_t one = rank_at(f, finding, 0), other = rank_at(f, finding, 1);

		if (moved || finding->code == FT_CODE_CABLE_MISSING || finding->code == FT_CODE_CABLES_SWAPPED)
			attempt->lacking += finding->count;
		if (!moved && finding->code != FT_CODE_CABLE_UNPLANNED)
			continue;
		attempt->surplus += finding->count;
		attempt->moved += moved ? finding->count : 0;
		/* A moved one is missed elsewhere, but between equals it is one more of those there. */
		if (!moved || one == other)
			joining[one][other] += finding->count;
		if (joining[one][other] > attempt->alike)
			attempt->alike = joining[one][other];
	}
}

/* Counts switches outside the tree without a finding, and what the tree gets wrong. */
static void outside_count(const struct ft_inference *f, const struct ft_report *report, struct attempt *attempt)
{
	uint32_t outside = 0, found = 0, serving = 0, silent = 0, missing = 0, cables = 0;

	attempt->mixed = false;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		outside += !ft_infer_in_tree(f, i);
		attempt->mixed |= hangs_on_tree(f, i) && ft_infer_slower_rate(f, i).speed != FT_SPEED_UNKNOWN;
		serving += !ft_infer_in_tree(f, i) && ft_infer_serves_hosts(f, i);
		cables += ft_infer_in_tree(f, i) ? 0 : f->graph.degree[i];
	}
	for (size_t i = 0; i < report->finding_count; i++) {
		found += report->findings[i].code == FT_CODE_SWITCH_UNPLANNED;
		silent += report->findings[i].code == FT_CODE_SWEEP_INCOMPLETE ||
			  report->findings[i].code == FT_CODE_BOARD_MISSING;
		missing += is_missing_switch(&report->findings[i]);
	}
	silent += missing > attempt->unseen ? missing - attempt->unseen : 0;
	attempt->cabling = attempt->wrong - (silent < attempt->wrong ? silent : attempt->wrong) +
			   (found > 0 ? (uint64_t)SERVING_COST * serving : 0) +
			   (found > 0 && cables > found ? cables - found : 0);
	/* That a ring lacks them, no graph knows. */
	attempt->cabling -= f->design.ring_lacks < attempt->cabling ? f->design.ring_lacks : attempt->cabling;
	attempt->strays = found > 0;
	outside -= found < outside ? found : outside;
	attempt->islanders = f->islands ? outside : 0;
	attempt->strangers = f->islands ? 0 : outside;
}

/* Cables between switches, including those inside directors, because faults may be in both. */
static uint64_t cables_seen(const struct ft_inference *f)
{
	const struct ft_snapshot *s = f->chips;
	uint64_t ends = 0;

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *port = &s->ports[i], *peer = ft_port_peer(s, port);

		ends += peer && s->nodes[port->node].type == FT_NODE_SWITCH &&
			s->nodes[peer->node].type == FT_NODE_SWITCH;
	}
	return ends / 2;
}

/*
 * Writes one draft, and checks it against the rules of design files, and the fabric against the draft. Returns 0,
 * -ENOMEM, or -EINVAL if it contradicts itself.
 */
static int draft(struct ft_inference *f, const char *name, bool by_name, struct attempt *attempt)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_text *text = &attempt->text;
	uint32_t apart = 0;
	int r;

	ft_infer_names_reset(f);
	r = ft_infer_names(f, by_name);
	if (r < 0)
		return r;
	ft_text_reset(text);
	ft_infer_write(text, f, name);
	r = notes_failed(f) ? -ENOMEM : ft_infer_by_rule_verify(f, text, false, 0, &report);
	if (r == 0)
		r = hosts_named_apart(f, &apart);
	if (r == 0) {
		attempt->unseen = f->unseen[0] + f->unseen[1];
		attempt->wrong = ft_report_is_foreign(report) ? cables_seen(f) : wrong_count(report, attempt->unseen);
		attempt->denies = denies_service(f, report, apart);
		cables_count(f, report, attempt);
		outside_count(f, report, attempt);
	}
	return r;
}

/* Names of the fabric may collide with plan names of other switches: "core01" for an edge. Then GUIDs are used. */
static int drafts(struct ft_inference *f, const char *name, struct attempt *attempt)
{
	int r = draft(f, name, true, attempt);

	return r == -EINVAL ? draft(f, name, false, attempt) : r;
}

/* Returns 0, -ENOMEM, or -EINVAL if there is no such design. */
static int attempt_make(struct ft_inference *f, const char *name, struct attempt *attempt)
{
	int r = ft_infer_members(f);

	if (r == 0)
		r = ft_infer_counts(f);
	return r == 0 ? drafts(f, name, attempt) : r;
}

static bool is_found(const struct attempt *attempt)
{
	return attempt->text.length > 0;
}

static bool is_plausible(const struct ft_inference *f, const struct attempt *attempt)
{
	uint64_t most = (f->chassis ? cables_seen(f) : f->cable_total) / WRONG_SHARE;

	return attempt->wrong <= (most > WRONG_SOME ? most : WRONG_SOME);
}

static void attempt_swap(struct attempt *a, struct attempt *b)
{
	struct attempt other = *a;

	*a = *b;
	*b = other;
}

/* The fit with the fewest faults, of equals the first; @best stays empty if none is possible. */
static int attempts(struct ft_inference *f, const char *name, struct attempt *best)
{
	for (uint32_t i = 0; i < f->fits.count && (!is_found(best) || best->wrong > 0); i++) {
		_cleanup_(attempt_release) struct attempt attempt = {0};
		int r;

		inference_begin(f, &f->fits.fit[i]);
		r = attempt_make(f, name, &attempt);
		if (r == -ENOMEM)
			return r;
		if (r == 0 && is_plausible(f, &attempt) && (!is_found(best) || attempt.wrong < best->wrong))
			attempt_swap(best, &attempt);
	}
	return 0;
}

/*
 * The best tree with directors as one switch each (@chassis), or, if there are none (NULL), with every switch by
 * itself. @best stays empty if there is none. Returns 0 or -ENOMEM.
 */
static int reading(const struct ft_snapshot *snapshot, struct ft_chassis *chassis, const char *name,
		   struct attempt *best)
{
	_cleanup_(inference_release) struct ft_inference f = {
		.snapshot = chassis ? chassis->snapshot : snapshot,
		.chips = snapshot,
		.chassis = chassis,
	};
	int r;

	r = ft_infer_graph(&f);
	if (r == 0)
		r = ft_infer_fits(&f);
	return r < 0 ? r : attempts(&f, name, best);
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

/* ---- any graph ---- */

static uint64_t graph_wrong(const struct ft_intent *intent)
{
	/* A misplaced cable is missing in one place and surplus in another. */
	return intent->missing > intent->surplus ? intent->missing : intent->surplus;
}

/* Missing cables, beyond the first few, of switches that have lost most of their cables: they have one cause. */
static int graph_common(const struct ft_intent *intent, uint64_t *ret_common)
{
	enum { FEW = 2 };
	uint32_t *lacks = ft_arena_numbers(intent->f->memory, intent->count, 0);

	*ret_common = 0;
	if (!lacks)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];

		if (pair->planned > pair->seen) {
			lacks[pair->a] += pair->planned - pair->seen;
			lacks[pair->b] += pair->planned - pair->seen;
		}
	}
	for (uint32_t i = 0; i < intent->count; i++)
		if (lacks[i] > FEW + *ret_common && lacks[i] > intent->f->graph.degree[i])
			*ret_common = lacks[i] - FEW;
	return 0;
}

/*
 * The price of cables that are wrong by the tree and right by the graph. If they are more than a few, or alike, and
 * several or those of a class of the graph, whoever laid them had a class of switches in mind: to move or unplug them
 * would be worse than to miss that one lacks a cable. The cases that bit: leaves that stand in for each other, joined
 * two by two; and two storage leaves with 3 and 2 cables to two core switches.
 */
static uint64_t contradictions(const struct attempt *tree, const struct ft_intent *graph)
{
	uint64_t few = graph->surplus + CABLES_FEW, price = tree->surplus > few ? tree->surplus - graph->surplus : 0;

	if ((tree->alike >= few || graph->own_class > 1) && 2 * tree->alike > price)
		price = 2 * tree->alike;
	return price;
}

/*
 * True if ports prove all missing cables, and the tree takes some of these for moved ones, one of whose ports would not
 * be dark. The case that bit: the only cable between two core switches, which was told to be that of a leaf.
 */
static bool nothing_was_moved(const struct attempt *tree, const struct ft_intent *graph)
{
	return tree->moved > 0 && tree->moved == tree->surplus && graph->surplus == 0 &&
	       graph->proven == graph->missing && tree->lacking == graph->missing;
}

/*
 * True if ports prove many missing cables, and the tree, by which leaves have another number of them, takes others for
 * misplaced that are where they should be; or if they prove all that are missing, and the tree has more than a few
 * moved. The case that bit: a director by its chips, whose line boards were taken for the core.
 */
static bool ports_contradict(const struct attempt *tree, const struct ft_intent *graph)
{
	enum { PROVEN_MANY = 4 };

	return tree->lacking < graph->proven || nothing_was_moved(tree, graph) ||
	       (graph->proven == graph->missing &&
		contradictions(tree, graph) > (graph->proven > 0 ? 0 : WRONG_SOME)) ||
	       (graph->proven >= PROVEN_MANY && tree->surplus > graph->surplus && graph->missing >= tree->cabling);
}

static bool finds_the_same(const struct attempt *tree, const struct ft_intent *graph)
{
	return !tree->mixed && !tree->denies && !ports_contradict(tree, graph) && tree->strangers == 0 &&
	       contradictions(tree, graph) == 0 && tree->cabling == graph_wrong(graph);
}

/*
 * True if the tree is kept: it is shorter to write, unless it finds fewer missing cables than ports prove, or it leaves
 * more faults than the graph does, including what the graph plans as seen without a class. @common: faults with a
 * common cause. Islands planned as seen, and switches outside that have no finding, may hide faults that the graph
 * finds.
 */
static bool tree_serves(const struct attempt *tree, const struct ft_intent *graph, uint64_t common)
{
	uint64_t wrong = graph_wrong(graph), price, most;

	if (tree->mixed || tree->denies || ports_contradict(tree, graph))
		return false;
	/* The faults of a broken switch, in the graph, may in the tree be those of a switch without a place. */
	if (!tree->strays)
		common = 0;
	if (finds_the_same(tree, graph))
		return true;
	if (ft_intent_is_irregular(graph))
		return false;
	if (tree->islanders + tree->strangers > 0 && wrong > tree->cabling)
		return false;
	price = tree->cabling + contradictions(tree, graph) + tree->islanders + tree->strangers;
	most = wrong - common + graph->exceptions + UNSEEN_COST * tree->unseen;
	/*
	 * At equal prices the graph is taken if ports prove all cables that it finds missing, and the tree misses more
	 * and has none too many.
	 */
	return price < most || (price == most && (tree->surplus > 0 || tree->lacking <= graph->missing ||
						  graph->proven == 0 || graph->proven < graph->missing));
}

/* A tree that leaves so many cables wrong is kept only if the fabric is no network of a family either. */
static bool tree_is_poor(const struct attempt *tree, const struct ft_inference *f)
{
	enum { SHARE = 10 };

	return tree->wrong > f->cable_total / SHARE;
}

/* Reads the design back. -EINVAL: it would be refused. */
static int graph_check(const struct ft_text *text, struct ft_error *err)
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

/*
 * The fabric as a graph, every chip a switch. @best: the tree, empty if there is none; becomes the better one of these.
 * Returns 0, -ENOMEM, or -EINVAL with @err filled if none is usable.
 */
static int graph_reading(const struct ft_snapshot *snapshot, const char *name, struct attempt *best,
			 struct ft_error *err)
{
	_cleanup_(inference_release) struct ft_inference f = {.snapshot = snapshot, .chips = snapshot};
	_cleanup_(ft_intent_release) struct ft_intent intent = {0};
	_cleanup_(attempt_release) struct attempt graph = {0};
	bool tree = is_found(best), serves;
	uint64_t common = 0, wrong = 0;
	int r;

	r = ft_infer_graph(&f);
	if (r < 0)
		return r;
	if (f.observed->switch_count < 2 || f.observed->cable_count == 0)
		return tree ? 0 : refuse(&f, err);
	r = ft_intent_make(&intent, &f);
	if (r == 0)
		r = graph_common(&intent, &common);
	if (r < 0)
		return r;
	serves = tree && tree_serves(best, &intent, common);
	ft_infer_graph_counts(&f);
	if (notes_failed(&f))
		return -ENOMEM;
	if (!serves || (best->unseen == 0 && best->islanders > 0 && finds_the_same(best, &intent))) {
		r = ft_infer_classes(&intent, name, &graph.text);
		if (r < 0)
			return r;
		if (r > 0) {
			attempt_swap(best, &graph);
			return 0;
		}
	}
	ft_infer_graph_rates(&f);
	if (notes_failed(&f))
		return -ENOMEM;
	if (serves && !tree_is_poor(best, &f))
		return 0;
	r = family_reading(&intent, name, &graph.text, &wrong);
	if (r > 0 && tree && wrong >= best->wrong)
		r = 0;
	if (r == 0 && serves)
		return 0;
	if (r == 0) {
		ft_text_reset(&graph.text);
		r = ft_intent_write(&graph.text, &intent, name);
		if (r == 0)
			r = graph_check(&graph.text, err);
	}
	if (r < 0)
		return r == -EINVAL && tree ? 0 : r;
	attempt_swap(best, &graph);
	return 0;
}

int ft_infer(const struct ft_snapshot *snapshot, const char *name, struct ft_text *ret_design, struct ft_error *err)
{
	_cleanup_(ft_chassis_freep) struct ft_chassis *chassis = NULL;
	_cleanup_(attempt_release) struct attempt best = {0};
	int r;

	name = name && name[0] ? name : "fabric";
	r = ft_chassis_find(snapshot, NULL, NULL, NULL, &chassis);
	if (r == 0)
		r = reading(snapshot, chassis->snapshot && !is_doubtful(snapshot, chassis) ? chassis : NULL, name,
			    &best);
	if (r == 0 &&
	    (!is_found(&best) || best.mixed || best.denies || best.wrong + best.islanders + best.strangers > 0))
		r = graph_reading(snapshot, name, &best, err);
	if (r < 0)
		return r;
	ft_text_add(ret_design, best.text.data, best.text.length);
	return ft_text_failed(ret_design) ? -ENOMEM : 0;
}
