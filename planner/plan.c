/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One answer of the two-level rules, in the tutorial's letters. */
struct shape {
	uint32_t n;	/* Eptn */
	uint32_t c;	/* Eptc */
	uint32_t e;	/* E */
	uint32_t e_max; /* Emax */
	uint32_t b;	/* B */
	uint32_t cores; /* C */
	bool even;	/* the hosts are spread evenly */
};

/* What the rules work on, and where they put a complaint. */
struct planner {
	const struct ft_design *design;
	const struct ft_design_role *edge;
	const struct ft_design_role *core;
	struct ft_error *err;
	struct ft_plan_blame *blame;
};

/* The unit in which bundles are dealt out: 1, or the size of a breakout cable. */
static uint32_t spread_unit(const struct ft_design *design)
{
	return design->spread == FT_SPREAD_MULTIPLE ? design->spread_multiple : 1;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

static uint32_t minimum(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static bool pinned(uint32_t value)
{
	return value != FT_UNPINNED;
}

/* The key that the largest number of nodes came from. */
static const char *nodes_key(const struct ft_design *design)
{
	return design->nodes_max_given ? "nodes_max" : "nodes";
}

static int plan_error(const struct planner *p, const char *object, const char *key, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int plan_error(const struct planner *p, const char *object, const char *key, const char *format, ...)
{
	char text[FT_ERROR_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	*p->blame = (struct ft_plan_blame){object, key};
	return ft_error_set(p->err, -EINVAL, 0, 0, "%s", text);
}

/* floor(ports * Bl / (1 + Bl)); at least 1 and less than @ports, as Bl >= 1 and ports >= 2. */
static uint32_t rule_ports_to_nodes(uint32_t ports, struct ft_ratio blocking)
{
	return (uint32_t)((int64_t)ports * blocking.num / (blocking.num + blocking.den));
}

/* ceil(n / Bl): the uplinks that n hosts need. */
static uint32_t rule_uplinks(uint32_t n, struct ft_ratio blocking)
{
	return (uint32_t)(((int64_t)n * blocking.den + blocking.num - 1) / blocking.num);
}

/* floor(c * Bl): the hosts that c uplinks may carry. */
static uint32_t rule_hosts(uint32_t c, struct ft_ratio blocking)
{
	int64_t hosts = (int64_t)c * blocking.num / blocking.den;

	return hosts < UINT32_MAX ? (uint32_t)hosts : UINT32_MAX;
}

/*
 * The split of an edge switch's ports, dense. What is pinned stays; the other side takes the tutorial's share, or, next
 * to a pinned number and without a pinned blocking factor, the ports that are left.
 */
static int split_ports(const struct planner *p, struct shape *s)
{
	const struct ft_design *design = p->design;
	uint32_t ports = p->edge->ports;

	s->n = p->edge->ports_to_nodes;
	s->c = p->edge->ports_to_core;
	/* As built: C bundles of B. */
	if (!pinned(s->c) && pinned(design->bundle) && pinned(p->core->count)) {
		s->c = design->bundle * p->core->count;
		if (s->c >= ports)
			return plan_error(p, NULL, "bundle",
					  "bundle %u x core.count %u = %u leaves no port for nodes: edge.ports is %u",
					  design->bundle, p->core->count, s->c, ports);
	}
	if (pinned(s->c) && s->c == 0)
		return plan_error(p, "edge", "ports_to_core", "edge.ports_to_core 0 fits a star only, not a fat-tree");
	if (!pinned(s->n) && !pinned(s->c)) {
		s->n = rule_ports_to_nodes(ports, design->blocking);
		s->c = ports - s->n;
		return 0;
	}
	if (pinned(s->n) && s->n >= ports)
		return plan_error(p, "edge", "ports_to_nodes",
				  "edge.ports_to_nodes %u leaves no port for the core level: edge.ports is %u", s->n,
				  ports);
	if (pinned(s->c) && s->c >= ports)
		return plan_error(p, "edge", "ports_to_core",
				  "edge.ports_to_core %u leaves no port for nodes: edge.ports is %u", s->c, ports);
	if (!pinned(s->c))
		s->c = ports - s->n;
	if (!pinned(s->n)) {
		s->n = ports - s->c;
		if (design->blocking_given)
			s->n = minimum(s->n, rule_hosts(s->c, design->blocking));
	}
	if (s->n + s->c > ports)
		return plan_error(p, "edge", "ports_to_nodes",
				  "edge.ports_to_nodes %u + edge.ports_to_core %u = %u exceed edge.ports %u", s->n,
				  s->c, s->n + s->c, ports);
	if (design->blocking_given && rule_uplinks(s->n, design->blocking) > s->c)
		return plan_error(p, NULL, "blocking",
				  "edge.ports_to_nodes %u over edge.ports_to_core %u exceeds the blocking of %" PRId64
				  ":%" PRId64 " that is allowed",
				  s->n, s->c, design->blocking.num, design->blocking.den);
	return 0;
}

/* E and Emax for @s->n. */
static int count_edges(const struct planner *p, struct shape *s)
{
	const struct ft_design *design = p->design;

	s->e = divide_up(design->nodes, s->n);
	s->e_max = divide_up(design->nodes_max, s->n);
	if (pinned(p->edge->count)) {
		if (s->e > p->edge->count)
			return plan_error(p, "edge", "count",
					  "nodes %u need %u edge switches at ports_to_nodes %u, but edge.count is %u",
					  design->nodes, s->e, s->n, p->edge->count);
		s->e = p->edge->count;
		if (s->e > s->e_max)
			s->e_max = s->e;
	}
	if (s->e_max > p->core->ports)
		return plan_error(p, "core", "ports",
				  "%s %u need %u edge switches, but a core switch of core.ports %u reaches only %u",
				  nodes_key(design), design->nodes_max, s->e_max, p->core->ports, p->core->ports);
	return 0;
}

/* B cables to each of Emax edge switches must fit on a core switch. */
static int check_core_ports(const struct planner *p, const struct shape *s)
{
	uint64_t need = (uint64_t)s->e_max * s->b;

	if (need <= p->core->ports)
		return 0;
	if (pinned(p->edge->count) && s->e_max == p->edge->count)
		return plan_error(p, NULL, "bundle", "edge.count %u x bundle %u = %" PRIu64 " > core.ports %u",
				  s->e_max, s->b, need, p->core->ports);
	return plan_error(p, NULL, "bundle", "%s %u need %u edge switches x bundle %u = %" PRIu64 " > core.ports %u",
			  nodes_key(p->design), p->design->nodes_max, s->e_max, s->b, need, p->core->ports);
}

/* The number of core switches as built: each must be given one unit at least, and none more than it can take. */
static int count_cores_pinned(const struct planner *p, struct shape *s, uint32_t widest)
{
	uint32_t unit = spread_unit(p->design), units = divide_up(s->c, unit);

	s->cores = p->core->count;
	if (s->cores == 0)
		return plan_error(p, "core", "count", "core.count 0 fits a star only, not a fat-tree");
	if (s->cores > units)
		return plan_error(p, "core", "count",
				  "core.count %u, but an edge switch has only %u uplinks%s to spread over them",
				  s->cores, s->c, unit > 1 ? " in multiples" : "");
	if (pinned(p->design->bundle)) {
		if (divide_up(s->c, s->b) != s->cores)
			return plan_error(
				p, NULL, "bundle",
				"edge.ports_to_core %u in bundles of %u go to %u core switches, but core.count "
				"is %u",
				s->c, s->b, divide_up(s->c, s->b), s->cores);
		return 0;
	}
	if (divide_up(s->c, widest) > s->cores)
		return plan_error(p, "core", "count",
				  "%u edge switches with %u uplinks each need %u core switches of %u ports, but "
				  "core.count is %u",
				  s->e_max, s->c, divide_up(s->c, widest), p->core->ports, s->cores);
	/* A thick bundle takes what a core switch can give; an even one no more than its share. */
	s->b = p->design->spread == FT_SPREAD_THICK ? minimum(widest, s->c - (s->cores - 1))
						    : unit * divide_up(units, s->cores);
	s->b = minimum(s->b, s->c);
	return 0;
}

/* B and C for the uplinks and edge switches of @s. */
static int count_cores(const struct planner *p, struct shape *s)
{
	uint32_t unit = spread_unit(p->design);
	uint32_t room = p->core->ports / s->e_max; /* cables that a core switch can take from each edge switch */
	uint32_t widest = minimum(room, s->c);
	int r;

	if (unit > 1) {
		/* The one bundle that may be odd is the last, so that any other needs whole units. */
		if (s->c > widest && room < unit)
			return plan_error(p, NULL, "bundles",
					  "a core switch of %u ports takes %u cables from each of %u edge switches: no "
					  "bundle of a multiple of %u fits",
					  p->core->ports, room, s->e_max, unit);
		if (s->c > widest)
			widest = room / unit * unit;
	}
	s->b = widest;
	if (pinned(p->design->bundle)) {
		s->b = p->design->bundle;
		if (s->b > s->c)
			return plan_error(p, NULL, "bundle",
					  "bundle %u is thicker than the %u uplinks of an edge switch", s->b, s->c);
		if (s->b % unit && s->b < s->c)
			return plan_error(p, NULL, "bundle", "bundle %u is not a multiple of %u, as bundles asks", s->b,
					  unit);
		r = check_core_ports(p, s);
		if (r < 0)
			return r;
	}
	s->cores = divide_up(s->c, s->b);
	return pinned(p->core->count) ? count_cores_pinned(p, s, widest) : 0;
}

/*
 * Uniform fill of @dense: only as many hosts an edge as nodes_max needs, and the uplinks for them. E is counted anew
 * with the smaller Eptn, so that no edge is promised ports that it does not have.
 */
static int make_uniform(const struct planner *p, const struct shape *dense, struct shape *ret_uniform)
{
	const struct ft_design *design = p->design;
	struct shape s = *dense;
	int r;

	s.even = true;
	if (!pinned(p->edge->ports_to_nodes)) {
		s.n = divide_up(design->nodes_max, dense->e_max);
		if (pinned(p->edge->count) && s.n < divide_up(design->nodes, p->edge->count))
			s.n = divide_up(design->nodes, p->edge->count);
	}
	if (!pinned(p->edge->ports_to_nodes) && !pinned(p->edge->ports_to_core) &&
	    !(pinned(design->bundle) && pinned(p->core->count)))
		s.c = rule_uplinks(s.n, design->blocking);
	s.e = pinned(p->edge->count) ? p->edge->count : divide_up(design->nodes, s.n);
	r = count_cores(p, &s);
	if (r < 0)
		return r;
	*ret_uniform = s;
	return 0;
}

/* Uniform where the design says so; by itself only where it saves a core switch. */
static int choose_fill(const struct planner *p, struct shape *s)
{
	const struct ft_design *design = p->design;
	/* A complaint about a mere attempt is nobody's. */
	struct ft_plan_blame unused;
	struct planner attempt = {design, p->edge, p->core, NULL, &unused};
	struct shape uniform;

	if (design->fill == FT_FILL_UNIFORM && design->prefer_expandable)
		return plan_error(p, NULL, "fill", "fill \"uniform\" and prefer_expandable true contradict each other");
	if (design->fill == FT_FILL_UNIFORM)
		return make_uniform(p, s, s);
	if (design->fill == FT_FILL_DENSE || design->prefer_expandable)
		return 0;
	if (make_uniform(&attempt, s, &uniform) == 0 && uniform.cores < s->cores)
		*s = uniform;
	return 0;
}

static int shape_fat_tree(const struct planner *p, struct shape *ret_shape)
{
	struct shape s = {0};
	int r;

	if (!pinned(p->core->ports))
		return plan_error(
			p, "core", NULL,
			"a fat-tree is needed for %s %u on edge switches of %u ports, but \"core\": {\"ports\": N} "
			"is missing",
			nodes_key(p->design), p->design->nodes_max, p->edge->ports);
	r = split_ports(p, &s);
	if (r < 0)
		return r;
	r = count_edges(p, &s);
	if (r < 0)
		return r;
	r = count_cores(p, &s);
	if (r < 0)
		return r;
	r = choose_fill(p, &s);
	if (r < 0)
		return r;
	*ret_shape = s;
	return 0;
}

/* A pinned count that has no place in a star. */
static int star_contradiction(const struct planner *p)
{
	if (pinned(p->edge->count) && p->edge->count != 1)
		return plan_error(p, "edge", "count", "a star has one switch, but edge.count is %u", p->edge->count);
	if (pinned(p->edge->ports_to_core) && p->edge->ports_to_core != 0)
		return plan_error(p, "edge", "ports_to_core", "a star has no core level, but edge.ports_to_core is %u",
				  p->edge->ports_to_core);
	if (pinned(p->core->count) && p->core->count != 0)
		return plan_error(p, "core", "count", "a star has no core level, but core.count is %u", p->core->count);
	if (pinned(p->design->bundle))
		return plan_error(p, NULL, "bundle", "a star has no core level, but bundle is %u", p->design->bundle);
	return 0;
}

static int shape_star(const struct planner *p, struct shape *ret_shape)
{
	uint32_t ports = p->edge->ports, room = pinned(p->edge->ports_to_nodes) ? p->edge->ports_to_nodes : ports;
	int r;

	r = star_contradiction(p);
	if (r < 0)
		return r;
	if (room > ports)
		return plan_error(p, "edge", "ports_to_nodes", "edge.ports_to_nodes %u exceed edge.ports %u", room,
				  ports);
	if (p->design->nodes_max > room)
		return plan_error(p, NULL, nodes_key(p->design),
				  "%s %u do not fit on a star: one switch of %u ports has %u for nodes",
				  nodes_key(p->design), p->design->nodes_max, ports, room);
	*ret_shape = (struct shape){.n = room, .e = 1, .e_max = 1};
	return 0;
}

/* Pinned numbers that only a fat-tree has say that one was built. */
static bool pinned_as_fat_tree(const struct planner *p)
{
	return (pinned(p->core->count) && p->core->count > 0) || pinned(p->design->bundle) ||
	       (pinned(p->edge->count) && p->edge->count > 1) ||
	       (pinned(p->edge->ports_to_core) && p->edge->ports_to_core > 0) ||
	       p->design->binds[FT_TIER_CORE].count > 0 || p->design->binds[FT_TIER_CORE].match;
}

static enum ft_topology choose_topology(const struct planner *p)
{
	uint32_t room = pinned(p->edge->ports_to_nodes) ? p->edge->ports_to_nodes : p->edge->ports;

	if (p->design->topology != FT_TOPOLOGY_AUTO)
		return p->design->topology;
	/* Where one switch will do, it is cheaper than the three or more of a tree. */
	if (p->design->nodes_max <= room && !pinned_as_fat_tree(p))
		return FT_TOPOLOGY_STAR;
	if (pinned(p->core->count) && p->core->count == 0)
		return FT_TOPOLOGY_STAR;
	return FT_TOPOLOGY_FAT_TREE;
}

/*
 * The bundles from an edge switch to each core switch. The ones that are dealt out evenly go in whole units, and the
 * last core switch is short of what the last unit lacks. Thick ones leave just one unit for each later core switch.
 */
static void spread_uplinks(const struct ft_design *design, const struct shape *s, uint32_t *bundles)
{
	uint32_t unit = spread_unit(design), units = divide_up(s->c, unit), left = s->c;

	for (uint32_t i = 0; i < s->cores; i++) {
		uint32_t share = (units / s->cores + (i < units % s->cores)) * unit;

		if (design->spread == FT_SPREAD_THICK)
			share = minimum(s->b, left - (s->cores - 1 - i));
		bundles[i] = minimum(share, left);
		left -= bundles[i];
	}
}

static uint32_t digit_count(uint32_t value)
{
	uint32_t digits = 1;

	while (value >= 10) {
		value /= 10;
		digits++;
	}
	return digits;
}

/* The name of planned switch @index (from 0) of @count: as bound, or numbered. */
static char *switch_name(const struct ft_bind *bind, enum ft_tier tier, uint32_t index, uint32_t count)
{
	static const uint32_t digits_min[FT_TIER_COUNT] = {3, 2, 2};
	uint32_t digits = digit_count(count);
	char name[32];

	if (bind->count > 0)
		return strdup(bind->names[index]);
	if (digits < digits_min[tier])
		digits = digits_min[tier];
	snprintf(name, sizeof(name), "%s%0*u", ft_tier_name(tier), (int)digits, index + 1);
	return strdup(name);
}

/* Hosts on edge @index: as many as fit before the next, or everywhere the same. */
static uint32_t hosts_on(const struct ft_design *design, const struct shape *s, uint32_t index)
{
	uint64_t before = (uint64_t)index * s->n;

	if (s->even)
		return design->nodes / s->e + (index < design->nodes % s->e);
	return before >= design->nodes ? 0 : minimum(s->n, design->nodes - (uint32_t)before);
}

static int fill_switches(struct ft_plan *plan, const struct planner *p, const struct shape *s)
{
	const struct ft_bind *binds = p->design->binds;

	plan->switches = calloc(s->e + s->cores, sizeof(*plan->switches));
	if (!plan->switches)
		return -ENOMEM;
	plan->switch_count = s->e + s->cores;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		struct ft_plan_switch *sw = &plan->switches[i];
		bool edge = i < s->e;

		sw->tier = edge ? FT_TIER_EDGE : FT_TIER_CORE;
		sw->ports = edge ? p->edge->ports : p->core->ports;
		sw->hosts = edge ? hosts_on(p->design, s, i) : 0;
		sw->pod = edge ? 0 : FT_UNPINNED;
		sw->plane = edge ? FT_UNPINNED : 0;
		sw->place = edge ? i : i - s->e;
		sw->name = switch_name(&binds[sw->tier], sw->tier, edge ? i : i - s->e, edge ? s->e : s->cores);
		if (!sw->name)
			return -ENOMEM;
	}
	return 0;
}

static int fill_bundles(struct ft_plan *plan, const struct planner *p, const struct shape *s)
{
	uint32_t *shares;

	if (s->cores == 0)
		return 0;
	shares = calloc(s->cores, sizeof(*shares));
	plan->bundles = calloc((size_t)s->e * s->cores, sizeof(*plan->bundles));
	if (!shares || !plan->bundles) {
		free(shares);
		return -ENOMEM;
	}
	spread_uplinks(p->design, s, shares);
	for (uint32_t e = 0; e < s->e; e++) {
		uint32_t port = s->n + 1;

		for (uint32_t c = 0; c < s->cores; c++) {
			plan->bundles[plan->bundle_count++] =
				(struct ft_plan_bundle){e, s->e + c, shares[c], port, e * shares[c] + 1};
			port += shares[c];
		}
	}
	free(shares);
	return 0;
}

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One name each: a bound name of one tier may collide with the numbered ones of the other. */
static int check_names(const struct planner *p, const struct ft_plan *plan)
{
	_cleanup_free_ const char **names = NULL;

	if (!p->design->binds[FT_TIER_EDGE].count && !p->design->binds[FT_TIER_CORE].count)
		return 0;
	names = calloc(plan->switch_count, sizeof(*names));
	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		names[i] = plan->switches[i].name;
	qsort(names, plan->switch_count, sizeof(*names), name_compare);
	for (uint32_t i = 1; i < plan->switch_count; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			return plan_error(p, "bind", NULL,
					  "\"%s\" is bound, and the name of another planned switch too", names[i]);
	return 0;
}

static int check_binds(const struct planner *p, const struct shape *s)
{
	const uint32_t planned[FT_TIER_COUNT] = {s->e, 0, s->cores};

	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		const struct ft_bind *bind = &p->design->binds[tier];

		if (planned[tier] == 0 && (bind->count || bind->match))
			return plan_error(p, "bind", ft_tier_name(tier),
					  "a star has no core level, but bind.core is given");
		if (bind->count && bind->count != planned[tier])
			return plan_error(p, "bind", ft_tier_name(tier),
					  "bind.%s names %zu switches, but the plan has %u", ft_tier_name(tier),
					  bind->count, planned[tier]);
	}
	return 0;
}

/*
 * SPEC 4: 1 for a star of one chip, 3 over monolithic cores, 5 where directors are cores. A switch of more ports than
 * one chip can number (IBTA Vol 1, NodeInfo:NumPorts) must be a director.
 */
static uint32_t clos_number(const struct planner *p, enum ft_topology topology)
{
	if (topology == FT_TOPOLOGY_STAR)
		return 1;
	return p->core->ports > FT_PORTS_MAX ? 5 : 3;
}

static void fill_figures(struct ft_plan *plan, const struct planner *p, const struct shape *s,
			 enum ft_topology topology)
{
	const struct ft_design *design = p->design;
	bool star = topology == FT_TOPOLOGY_STAR;

	plan->topology = topology;
	plan->levels = star ? 1 : 2;
	plan->clos = clos_number(p, topology);
	plan->nodes = design->nodes;
	plan->nodes_max = design->nodes_max;
	plan->edge_count = s->e;
	plan->edge_ports = p->edge->ports;
	plan->ports_to_nodes = s->n;
	plan->ports_to_core = s->c;
	plan->fill = s->even ? FT_FILL_UNIFORM : FT_FILL_DENSE;
	plan->core_count = s->cores;
	plan->core_ports = star ? 0 : p->core->ports;
	plan->bundle = s->b;
	plan->blocking = (struct ft_ratio){1, 1};
	if (!star)
		ft_ratio_make(s->n, s->c, &plan->blocking);
	plan->links = design->nodes + s->e * s->c;
	plan->spare_ports = s->e * s->n - design->nodes;
	plan->expandable_to = s->e_max * s->n;
	plan->pods = plan->pods_max = 1;
	plan->pod_edges = s->e_max;
	plan->plane_cores = s->cores;
	plan->spine_blocking = (struct ft_ratio){1, 1};
	plan->cost = plan->power_w = plan->weight_kg = plan->size_u = FT_AMOUNT_UNKNOWN;
}

int ft_plan_make_blame(const struct ft_design *design, const struct ft_catalog *catalog, struct ft_plan **ret_plan,
		       struct ft_error *err, struct ft_plan_blame *ret_blame)
{
	struct planner p = {design, &design->roles[FT_TIER_EDGE], &design->roles[FT_TIER_CORE], err, ret_blame};
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	enum ft_topology topology;
	struct shape s = {0};
	int r;

	(void)catalog;
	if (design->nodes_max < design->nodes)
		return plan_error(&p, NULL, "nodes_max", "nodes_max %u is less than nodes %u", design->nodes_max,
				  design->nodes);
	topology = choose_topology(&p);
	r = topology == FT_TOPOLOGY_STAR ? shape_star(&p, &s) : shape_fat_tree(&p, &s);
	if (r < 0)
		return r;
	r = check_binds(&p, &s);
	if (r < 0)
		return r;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return -ENOMEM;
	fill_figures(plan, &p, &s, topology);
	r = fill_switches(plan, &p, &s);
	if (r < 0)
		return r;
	r = fill_bundles(plan, &p, &s);
	if (r < 0)
		return r;
	r = check_names(&p, plan);
	if (r < 0)
		return r;
	*ret_plan = FT_STEAL(plan);
	return 0;
}

int ft_plan_make(const struct ft_design *design, struct ft_plan **ret_plan, struct ft_error *err)
{
	struct ft_plan_blame blame = {0};

	return ft_plan_make_blame(design, NULL, ret_plan, err, &blame);
}

void ft_plan_free(struct ft_plan *plan)
{
	if (!plan)
		return;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		free(plan->switches[i].name);
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		free(plan->models[tier]);
	free(plan->switches);
	free(plan->bundles);
	free(plan);
}
