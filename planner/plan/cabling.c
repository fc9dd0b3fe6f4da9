/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/cabling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/plan/chips.h"
#include "planner/plan/graph_figures.h"
#include "planner/plan/wiring.h"
#include "planner/plan/tree.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* One list while it is merged into the plan. */
struct work {
	struct ft_plan *plan;
	const struct ft_cabling *list;
	struct ft_cabling_fault *fault;
	struct ft_map used; /* switch and port -> number of the entry that uses it: cables, then hosts */
	uint32_t *load;	    /* by switch: number of used ports, known or not */

	/* The results for the plan. */
	struct ft_plan_cable *cables;
	uint32_t cable_count;
	struct ft_plan_bundle *bundles;
	uint32_t bundle_count;
	struct ft_plan_host *hosts;
	uint32_t host_count;
	uint32_t *host_counts; /* by switch */
	uint32_t nodes;
};

static void work_release(struct work *w)
{
	ft_map_release(&w->used);
	free(w->load);
	free(w->cables);
	free(w->bundles);
	ft_plan_hosts_free(w->hosts, w->host_count);
	free(w->host_counts);
}

/* ---- complaints ---- */

#define fault_set(w, hosts, n, which, what, ...)                                                                  \
	((*(w)->fault =                                                                                           \
		  (struct ft_cabling_fault){                                                                      \
			  .of_hosts = (hosts), .entry = (n), .end = (which), .cell = (what), .other = SIZE_MAX}), \
	 ft_error_set(&(w)->fault->why, -EINVAL, 0, 0, __VA_ARGS__))

static const char *name_of(const struct work *w, uint32_t sw)
{
	return w->plan->switches[sw].name;
}

/* ---- ports ---- */

uint32_t ft_cabling_ports(const struct ft_plan *plan, uint32_t sw)
{
	const struct ft_inside *inside = &plan->inside[plan->switches[sw].tier];
	uint32_t slots = inside->line_boards_max > inside->line_boards ? inside->line_boards_max : inside->line_boards;
	uint64_t most = ft_plan_is_director(plan, sw) ? (uint64_t)slots * inside->line_ports : 0;

	return most > plan->switches[sw].ports && most <= FT_DIRECTOR_PORTS_MAX ? (uint32_t)most
										: plan->switches[sw].ports;
}

/*
 * The number of a chip's ports before its outer ones, which are its last, as derived from @port: the number of outer
 * ports, or else of traces.
 */
static uint32_t traces_before(const struct ft_inside *inside, uint32_t ports, uint32_t chips, uint32_t outside,
			      uint32_t port)
{
	struct ft_inside known = *inside, whole;

	if (port <= 2 * outside)
		return outside;
	known.line_chips = chips;
	return ft_inside_assume(&known, ports, &whole) == 0 ? ft_inside_chip_ports(&whole) - outside : outside;
}

/* The number on its board of a port that may be one of a chip. Returns 0 or -EINVAL. */
static int chip_port(const struct ft_plan *plan, const struct ft_cabling_end *end, uint32_t *ret_port,
		     struct ft_error *err)
{
	const struct ft_plan_switch *sw = &plan->switches[end->sw];
	const struct ft_inside *inside = &plan->inside[sw->tier];
	uint32_t chips = inside->line_chips ? inside->line_chips : end->chips, outside, before, port = end->port;

	*ret_port = port;
	if (end->chip == 0 || chips <= 1 || inside->line_ports % chips != 0)
		return 0;
	if (end->chip > chips)
		return ft_error_set(err, -EINVAL, 0, 0, "is on chip %u of a board, but a board of %s has %u of them",
				    end->chip, sw->name, chips);
	outside = inside->line_ports / chips;
	before = traces_before(inside, sw->ports, chips, outside, port);
	if (port > outside && (port - 1) / outside + 1 == end->chip)
		port -= (end->chip - 1) * outside;
	else if (port > outside && port > before)
		port -= before;
	if (port > outside)
		return ft_error_set(err, -EINVAL, 0, 0, "is port %u of a chip, but a chip of %s has %u outside",
				    end->port, sw->name, outside);
	*ret_port = (end->chip - 1) * outside + port;
	return 0;
}

static int board_port(const struct ft_plan *plan, const struct ft_cabling_end *end, uint32_t *ret_port,
		      struct ft_error *err)
{
	const struct ft_plan_switch *sw = &plan->switches[end->sw];
	uint32_t line_ports = plan->inside[sw->tier].line_ports, boards, board = end->board, port;

	if (!ft_plan_is_director(plan, end->sw))
		return ft_error_set(err, -EINVAL, 0, 0, "is on board %u, but %s is no director and has no boards",
				    end->board, sw->name);
	if (line_ports == 0)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "is on board %u of %s, but how many ports a board of that director has is not "
				    "known: say it in the design, or number the ports of the whole",
				    end->board, sw->name);
	boards = ft_cabling_ports(plan, end->sw) / line_ports;
	/* Some vendors label the first board L101. */
	if (board > boards && board > 100 && board - 100 <= boards)
		board -= 100;
	if (board > boards)
		return ft_error_set(err, -EINVAL, 0, 0, "is on board %u, but %s has %u of them", end->board, sw->name,
				    boards);
	if (chip_port(plan, end, &port, err) < 0)
		return -EINVAL;
	if (port > line_ports)
		return ft_error_set(err, -EINVAL, 0, 0, "is port %u of a board, but a board of %s has %u", port,
				    sw->name, line_ports);
	*ret_port = (board - 1) * line_ports + port;
	return 0;
}

int ft_cabling_port(const struct ft_plan *plan, const struct ft_cabling_end *end, uint32_t *ret_port,
		    struct ft_error *err)
{
	uint32_t ports = ft_cabling_ports(plan, end->sw);

	/* "1/20": how some switches that are no directors print their ports. */
	if (end->port > 0 && (end->board > 1 || (end->board == 1 && ft_plan_is_director(plan, end->sw))))
		return board_port(plan, end, ret_port, err);
	if (end->port > ports)
		return ft_error_set(err, -EINVAL, 0, 0, "is %u, but %s has %u port%s", end->port,
				    plan->switches[end->sw].name, ports, ft_text_s(ports));
	*ret_port = end->port;
	return 0;
}

/* Entries of both lists are numbered as one. */
static void other_set(struct work *w, uint32_t number)
{
	w->fault->other_of_hosts = number >= w->list->cable_count;
	w->fault->other = number - (w->fault->other_of_hosts ? w->list->cable_count : 0);
}

/* Takes the port of one end of entry @number. */
static int port_take(struct work *w, bool of_hosts, size_t entry, unsigned int end, uint32_t sw, uint32_t port)
{
	uint32_t number = (uint32_t)(entry + (of_hosts ? w->list->cable_count : 0)), other = FT_NONE;
	int r;

	w->load[sw]++;
	if (port == 0)
		return 0;
	r = ft_map_add(&w->used, (uint64_t)sw << 32 | port, number, &other);
	if (r != 0)
		return r < 0 ? r : 0;
	r = fault_set(w, of_hosts, entry, end, FT_CABLING_PORT, "is port %u of %s, which is used twice", port,
		      name_of(w, sw));
	other_set(w, other);
	return r;
}

static int end_read(struct work *w, bool of_hosts, size_t entry, unsigned int end, const struct ft_cabling_end *from,
		    uint32_t *ret_port)
{
	struct ft_error why = {0};
	int r;

	r = ft_cabling_port(w->plan, from, ret_port, &why);
	if (r < 0)
		return fault_set(w, of_hosts, entry, end, FT_CABLING_PORT, "%s", why.text);
	return port_take(w, of_hosts, entry, end, from->sw, *ret_port);
}

/* ---- cables ---- */

/* Adjacent tiers of one pod or plane. In two levels there is one of each; in a graph any two may be joined. */
static bool tiers_join(const struct ft_plan *plan, const struct ft_plan_switch *low, const struct ft_plan_switch *high)
{
	if (plan->topology == FT_TOPOLOGY_GRAPH)
		return true;
	if (plan->tree->levels < 3)
		return low->tier == FT_TIER_EDGE && high->tier == FT_TIER_CORE;
	if (low->tier == FT_TIER_EDGE && high->tier == FT_TIER_SPINE)
		return low->pod == high->pod;
	return low->tier == FT_TIER_SPINE && high->tier == FT_TIER_CORE && low->plane == high->plane;
}

static int joined_check(const struct ft_plan *plan, uint32_t low, uint32_t high, struct ft_error *err)
{
	const struct ft_plan_switch *a = &plan->switches[low], *b = &plan->switches[high];
	const char *a_tier = ft_tier_name(a->tier), *b_tier = ft_tier_name(b->tier);

	if (tiers_join(plan, a, b) || ft_plan_find_bundle(plan, low, high) != FT_NONE)
		return 0;
	if (a->tier == b->tier)
		return ft_error_set(err, -EINVAL, 0, 0, "%s and %s are both %s switches, which the plan does not join",
				    a->name, b->name, a_tier);
	if (plan->tree->levels == 3 && a->tier == FT_TIER_EDGE && b->tier == FT_TIER_SPINE)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "%s is of pod %u and %s of pod %u, which the plan joins at the core level only",
				    a->name, a->pod + 1, b->name, b->pod + 1);
	if (plan->tree->levels == 3 && a->tier == FT_TIER_SPINE)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "%s is of plane %u and %s of plane %u, which the plan does not join", a->name,
				    a->plane + 1, b->name, b->plane + 1);
	return ft_error_set(err, -EINVAL, 0, 0,
			    "%s is of the %s tier and %s of the %s tier, which the plan does not join", a->name, a_tier,
			    b->name, b_tier);
}

int ft_cabling_check_pair(const struct ft_plan *plan, uint32_t a, uint32_t b, struct ft_error *err)
{
	bool turn = plan->switches[a].tier > plan->switches[b].tier;

	if (a == b)
		return ft_error_set(err, -EINVAL, 0, 0, "both ends are at %s", plan->switches[a].name);
	return turn ? joined_check(plan, b, a, err) : joined_check(plan, a, b, err);
}

static int cable_read(struct work *w, size_t entry)
{
	const struct ft_cabling_end *ends = w->list->cables[entry].ends;
	bool turn = ends[0].sw > ends[1].sw;
	struct ft_error why = {0};
	uint32_t ports[2];
	int r = 0;

	if (ft_cabling_check_pair(w->plan, ends[0].sw, ends[1].sw, &why) < 0)
		return fault_set(w, false, entry, 0, FT_CABLING_ENTRY, "%s", why.text);
	for (unsigned int end = 0; r == 0 && end < 2; end++)
		r = end_read(w, false, entry, end, &ends[end], &ports[end]);
	if (r < 0)
		return r;
	w->cables[w->cable_count++] = (struct ft_plan_cable){ends[turn].sw, ends[!turn].sw, ports[turn], ports[!turn]};
	return 0;
}

static int cable_compare(const void *one, const void *other)
{
	const struct ft_plan_cable *x = one, *y = other;
	const uint32_t keys[][2] = {{x->a, y->a}, {x->b, y->b}, {x->a_port, y->a_port}, {x->b_port, y->b_port}};

	for (size_t i = 0; i < FT_COUNT(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

/* The number of cables from @from on between the same two switches. Cables are sorted. */
static uint32_t run_length(const struct work *w, uint32_t from)
{
	uint32_t past = from;

	while (past < w->cable_count && w->cables[past].a == w->cables[from].a &&
	       w->cables[past].b == w->cables[from].b)
		past++;
	return past - from;
}

static int bundles_rebuild(struct work *w)
{
	w->bundles = calloc(w->cable_count + 1UL, sizeof(*w->bundles));
	if (!w->bundles)
		return -ENOMEM;
	for (uint32_t i = 0, run; i < w->cable_count; i += run) {
		const struct ft_plan_cable *first = &w->cables[i];

		run = run_length(w, i);
		w->bundles[w->bundle_count++] =
			(struct ft_plan_bundle){first->a, first->b, run, first->a_port, first->b_port};
	}
	return 0;
}

/* A switch without a cable was forgotten in the list: a complete list would make that the plan. */
static int complete_check(struct work *w)
{
	_cleanup_free_ bool *seen = calloc(w->plan->switch_count + 1UL, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->cable_count; i++)
		seen[w->cables[i].a] = seen[w->cables[i].b] = true;
	for (uint32_t i = 0; i < w->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &w->plan->bundles[i];
		uint32_t missing = !seen[bundle->a] ? bundle->a : bundle->b;

		if (!seen[missing])
			return fault_set(w, false, SIZE_MAX, 0, FT_CABLING_ENTRY,
					 "there is no cable of %s in the list: add them, or say \"cables_complete\": "
					 "false if it does not have all",
					 name_of(w, missing));
	}
	return 0;
}

/* How many cables of each of the plan's bundles are listed. */
static int listed_count(struct work *w, uint32_t *ret_listed)
{
	for (uint32_t i = 0, run; i < w->cable_count; i += run) {
		const struct ft_plan_cable *first = &w->cables[i];
		uint32_t bundle = ft_plan_find_bundle(w->plan, first->a, first->b);
		uint32_t planned = bundle == FT_NONE ? 0 : w->plan->bundles[bundle].count;

		run = run_length(w, i);
		if (run > planned)
			return fault_set(w, false, SIZE_MAX, 0, FT_CABLING_ENTRY,
					 "%u cables between %s and %s are listed, but the plan has %u: only a "
					 "complete list can change that",
					 run, name_of(w, first->a), name_of(w, first->b), planned);
		ret_listed[bundle] = run;
	}
	return 0;
}

/* Unlisted cables stay, in any port. */
static int rest_add(struct work *w)
{
	_cleanup_free_ uint32_t *listed = calloc(w->plan->bundle_count + 1UL, sizeof(*listed));
	struct ft_plan_cable *cables;
	uint64_t total = 0;
	int r;

	if (!listed)
		return -ENOMEM;
	r = listed_count(w, listed);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < w->plan->bundle_count; i++)
		total += w->plan->bundles[i].count;
	cables = realloc(w->cables, (total + 1) * sizeof(*cables));
	if (!cables)
		return -ENOMEM;
	w->cables = cables;
	for (uint32_t i = 0; i < w->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &w->plan->bundles[i];

		for (uint32_t k = listed[i]; k < bundle->count; k++) {
			w->cables[w->cable_count++] = (struct ft_plan_cable){bundle->a, bundle->b, 0, 0};
			w->load[bundle->a]++;
			w->load[bundle->b]++;
		}
	}
	qsort(w->cables, w->cable_count, sizeof(*w->cables), cable_compare);
	return 0;
}

static int cables_read(struct work *w)
{
	int r = 0;

	w->cables = calloc(w->list->cable_count + 1, sizeof(*w->cables));
	if (!w->cables)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < w->list->cable_count; i++)
		r = cable_read(w, i);
	if (r < 0)
		return r;
	qsort(w->cables, w->cable_count, sizeof(*w->cables), cable_compare);
	r = w->list->complete ? complete_check(w) : rest_add(w);
	return r < 0 ? r : bundles_rebuild(w);
}

/* If no cables are listed, those of the plan use their ports all the same. */
static void bundles_load(struct work *w)
{
	for (uint32_t i = 0; i < w->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &w->plan->bundles[i];

		w->load[bundle->a] += bundle->count;
		w->load[bundle->b] += bundle->count;
	}
}

/* ---- hosts ---- */

static int host_read(struct work *w, size_t entry)
{
	const struct ft_cabling_host *from = &w->list->hosts[entry];
	struct ft_plan_host *host = &w->hosts[w->host_count];
	const struct ft_plan_switch *sw = &w->plan->switches[from->edge.sw];
	uint32_t port = 0;
	int r;

	if (!w->plan->kinds[sw->kind].may_host && w->plan->topology == FT_TOPOLOGY_GRAPH)
		return fault_set(w, true, entry, 0, FT_CABLING_NAME,
				 "is \"%s\", but switches of kind %s have no hosts by the plan", sw->name,
				 w->plan->kinds[sw->kind].name);
	if (!w->plan->kinds[sw->kind].may_host)
		return fault_set(w, true, entry, 0, FT_CABLING_NAME,
				 "is \"%s\", a %s switch: hosts hang on edge switches only", sw->name,
				 ft_tier_name(sw->tier));
	r = end_read(w, true, entry, 0, &from->edge, &port);
	if (r < 0)
		return r;
	*host = (struct ft_plan_host){
		.guid = from->guid, .edge = from->edge.sw, .port = port, .adapter_port = from->adapter_port};
	w->host_counts[from->edge.sw]++;
	w->host_count++;
	host->name = from->name ? strdup(from->name) : NULL;
	host->adapter = from->adapter ? strdup(from->adapter) : NULL;
	if ((from->name && !host->name) || (from->adapter && !host->adapter))
		return -ENOMEM;
	return 0;
}

/*
 * If the rules give a switch more hosts than listed, the rest are unlisted hosts; surplus ones are dropped from the
 * end.
 */
static void hosts_share_out(struct work *w)
{
	const struct ft_plan *plan = w->plan;
	uint64_t total = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t rule = plan->switches[i].hosts_rule;

		total += rule > w->host_counts[i] ? rule : w->host_counts[i];
	}
	for (uint32_t i = plan->switch_count; i-- > 0;) {
		uint32_t listed = w->host_counts[i], rule = plan->switches[i].hosts_rule, spare;

		if (rule <= listed)
			continue;
		spare = (uint32_t)least(total - w->nodes, rule - listed);
		w->host_counts[i] = rule - spare;
		total -= spare;
	}
}

static int host_compare(const void *one, const void *other)
{
	const struct ft_plan_host *x = one, *y = other;
	const uint64_t keys[][2] = {
		{x->edge, y->edge}, {x->port, y->port}, {x->guid, y->guid}, {x->adapter_port, y->adapter_port}};
	int order;

	for (size_t i = 0; i < FT_COUNT(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	order = strcmp(x->name ? x->name : "", y->name ? y->name : "");
	return order ? order : strcmp(x->adapter ? x->adapter : "", y->adapter ? y->adapter : "");
}

static int hosts_read(struct work *w)
{
	int r = 0;

	w->hosts = calloc(w->list->host_count + 1, sizeof(*w->hosts));
	w->host_counts = calloc(w->plan->switch_count + 1UL, sizeof(*w->host_counts));
	if (!w->hosts || !w->host_counts)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < w->list->host_count; i++)
		r = host_read(w, i);
	if (r < 0)
		return r;
	w->nodes = w->host_count > w->plan->nodes ? w->host_count : w->plan->nodes;
	qsort(w->hosts, w->host_count, sizeof(*w->hosts), host_compare);
	hosts_share_out(w);
	return 0;
}

/* Checks that all fits, whatever the ports. Ports of listed hosts were counted. */
static int room_check(struct work *w)
{
	_cleanup_free_ uint32_t *listed = calloc(w->plan->switch_count + 1UL, sizeof(*listed));

	if (!listed)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->host_count; i++)
		listed[w->hosts[i].edge]++;
	for (uint32_t i = 0; i < w->plan->switch_count; i++) {
		uint64_t needed = (uint64_t)w->load[i] + w->host_counts[i] - listed[i];

		if (needed > w->plan->switches[i].ports)
			return fault_set(w, w->list->cables == NULL, SIZE_MAX, 0, FT_CABLING_ENTRY,
					 "%s has %u ports, but %u hosts and %u cables to other switches",
					 w->plan->switches[i].name, w->plan->switches[i].ports, w->host_counts[i],
					 w->load[i] - listed[i]);
	}
	return 0;
}

/* ---- the whole ---- */

static uint32_t cables_total(const struct ft_plan_bundle *bundles, uint32_t count)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < count; i++)
		total += bundles[i].count;
	return total;
}

/* Whether the list has just the cables of the plan, pair by pair. */
static bool bundles_are_same(const struct work *w)
{
	const struct ft_plan *plan = w->plan;

	if (w->bundle_count != plan->bundle_count)
		return false;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *x = &plan->bundles[i], *y = &w->bundles[i];

		if (x->a != y->a || x->b != y->b || x->count != y->count)
			return false;
	}
	return true;
}

static void bundles_hand_over(struct work *w)
{
	struct ft_plan *plan = w->plan;

	/* The rules of a family are of its own cables. */
	if (!bundles_are_same(w)) {
		plan->bisection = FT_BISECTION_UNKNOWN;
		plan->symmetric = false;
	}
	plan->links = plan->links - cables_total(plan->bundles, plan->bundle_count) + w->cable_count;
	free(plan->bundles);
	plan->bundles = FT_STEAL(w->bundles);
	plan->bundle_count = w->bundle_count;
	free(plan->cables);
	plan->cables = FT_STEAL(w->cables);
	plan->cable_count = w->cable_count;
}

/* More hosts listed than planned increase the plan's number. */
static void nodes_raise(struct ft_plan *plan, uint32_t nodes)
{
	uint32_t more = nodes - plan->nodes;

	plan->nodes = nodes;
	plan->nodes_max = plan->nodes_max > nodes ? plan->nodes_max : nodes;
	plan->links += more;
	plan->spare_ports -= (uint32_t)least(plan->spare_ports, more);
}

static void hosts_hand_over(struct work *w)
{
	struct ft_plan *plan = w->plan;

	nodes_raise(plan, w->nodes);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		plan->switches[i].hosts = w->host_counts[i];
	ft_plan_hosts_free(plan->hosts, plan->host_count);
	plan->hosts = FT_STEAL(w->hosts);
	plan->host_count = w->host_count;
	w->host_count = 0;
}

static int apply(struct ft_plan *plan, const struct ft_cabling *cabling, struct ft_cabling_fault *fault)
{
	_cleanup_(work_release) struct work w = {
		.plan = plan,
		.list = cabling,
		.fault = fault,
		.load = calloc(plan->switch_count + 1UL, sizeof(uint32_t)),
	};
	int r = w.load ? 0 : -ENOMEM;

	if (r == 0 && cabling->cables)
		r = cables_read(&w);
	else if (r == 0)
		bundles_load(&w);
	if (r == 0)
		r = hosts_read(&w);
	if (r == 0)
		r = room_check(&w);
	if (r < 0)
		return r;
	if (cabling->cables)
		bundles_hand_over(&w);
	if (cabling->hosts)
		hosts_hand_over(&w);
	return plan->topology == FT_TOPOLOGY_GRAPH ? ft_graph_figures(plan) : 0;
}

/* Lists are of the tree: what hangs on it stays as it is. */
int ft_cabling_apply(struct ft_plan *plan, const struct ft_cabling *cabling, struct ft_cabling_fault *fault)
{
	struct ft_plan_aside aside;
	int r = ft_plan_set_aside(plan, &aside), back;

	if (r < 0)
		return r;
	r = apply(plan, cabling, fault);
	back = ft_plan_take_back(plan, &aside);
	return r < 0 ? r : back;
}

int ft_cabling_of_plan(const struct ft_plan *plan, struct ft_cabling_cable **ret_cables, size_t *ret_count)
{
	size_t count = 0, total = cables_total(plan->bundles, plan->bundle_count);
	struct ft_cabling_cable *cables = calloc(total + 1, sizeof(*cables));

	if (!cables)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		for (uint32_t k = 0; k < bundle->count; k++)
			cables[count++] = (struct ft_cabling_cable){{{.sw = bundle->a, .port = bundle->a_port + k},
								     {.sw = bundle->b, .port = bundle->b_port + k}}};
	}
	*ret_cables = cables;
	*ret_count = count;
	return 0;
}
