/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/rules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "planner/family/classes.h"
#include "planner/family/rings.h"

/* Two adjacent tiers, in a tree, a pod or a plane. */
struct level {
	const char *low, *high; /* the objects of the design: "edge" and "core" */
	uint32_t low_max;	/* number of lower switches for which each upper one must have ports: Emax */
	uint32_t low_pinned;	/* their number as built, or FT_NONE */
	uint32_t high_ports;	/* ports of an upper switch for the lower ones */
	uint32_t high_pinned;	/* the number of upper switches as built, or FT_NONE */
	uint32_t bundle;	/* as built, or FT_NONE */
};

/* The unit of bundles: 1, or the size of a breakout cable. */
static uint32_t spread_unit(const struct ft_design *design)
{
	return design->spread == FT_SPREAD_MULTIPLE ? design->spread_multiple : 1;
}

const char *ft_rules_nodes_key(const struct ft_design *design)
{
	return design->nodes_max_given ? "nodes_max" : "nodes";
}

enum { RINGS_TEXT_SIZE = 100 };

/* What rings took off the ports that a complaint counts. */
static void rings_say(const struct ft_rules *rules, char text[RINGS_TEXT_SIZE])
{
	uint32_t spine = rules->ring_ports[FT_TIER_SPINE], core = rules->ring_ports[FT_TIER_CORE];

	if (spine && core)
		snprintf(text, RINGS_TEXT_SIZE, "; rings take %u ports of each spine and %u of each core switch", spine,
			 core);
	else if (spine || core)
		snprintf(text, RINGS_TEXT_SIZE, "; rings take %u ports of each %s switch", spine + core,
			 spine ? "spine" : "core");
}

int ft_rules_error(const struct ft_rules *rules, const char *object, const char *key, const char *format, ...)
{
	char text[FT_ERROR_TEXT_SIZE], rings[RINGS_TEXT_SIZE] = "";
	va_list args;

	if (rules->blame)
		*rules->blame = (struct ft_plan_blame){object, key};
	if (!rules->err)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	rings_say(rules, rings);
	return ft_error_set(rules->err, -EINVAL, 0, 0, "%s%s", text, rings);
}

uint32_t ft_rules_ports_to_nodes(uint32_t ports, struct ft_ratio blocking)
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

/* As built: C bundles of B give the number of uplinks. Three levels: C is the spines of a pod. */
static int uplinks_as_built(const struct ft_rules *rules, uint32_t uppers, const char *upper, struct ft_shape *s)
{
	const struct ft_design *design = rules->design;
	uint32_t ports = rules->roles[FT_TIER_EDGE].ports;

	if (ft_pinned(s->c) || !ft_pinned(design->bundle) || !ft_pinned(uppers))
		return 0;
	s->c = design->bundle * uppers;
	if ((uint64_t)design->bundle * uppers < ports)
		return 0;
	return ft_rules_error(rules, NULL, "bundle",
			      "bundle %u x %s %u = %" PRIu64 " leaves no port for nodes: edge.ports is %u",
			      design->bundle, upper, uppers, (uint64_t)design->bundle * uppers, ports);
}

static int check_pins(const struct ft_rules *rules, const struct ft_shape *s)
{
	uint32_t ports = rules->roles[FT_TIER_EDGE].ports;

	if (ft_pinned(s->c) && s->c == 0)
		return ft_rules_error(rules, "edge", "ports_to_core",
				      "edge.ports_to_core 0 fits a star only, not a fat-tree");
	if (ft_pinned(s->n) && s->n >= ports)
		return ft_rules_error(rules, "edge", "ports_to_nodes",
				      "edge.ports_to_nodes %u leaves no port for the core level: edge.ports is %u",
				      s->n, ports);
	if (ft_pinned(s->c) && s->c >= ports)
		return ft_rules_error(rules, "edge", "ports_to_core",
				      "edge.ports_to_core %u leaves no port for nodes: edge.ports is %u", s->c, ports);
	return 0;
}

/*
 * The split of an edge switch's ports, dense. Pinned numbers stay; the other side gets the tutorial's share, or, if one
 * number is pinned and the blocking factor is not, the remaining ports.
 */
static int split_ports(const struct ft_rules *rules, uint32_t uppers, const char *upper, struct ft_shape *s)
{
	const struct ft_design *design = rules->design;
	const struct ft_design_role *edge = &rules->roles[FT_TIER_EDGE];
	int r;

	s->n = edge->ports_to_nodes;
	s->c = edge->ports_to_core;
	r = uplinks_as_built(rules, uppers, upper, s);
	if (r == 0)
		r = check_pins(rules, s);
	if (r < 0)
		return r;
	if (!ft_pinned(s->n) && !ft_pinned(s->c)) {
		s->n = ft_rules_ports_to_nodes(edge->ports, design->blocking);
		s->c = edge->ports - s->n;
		return 0;
	}
	if (!ft_pinned(s->c))
		s->c = edge->ports - s->n;
	if (!ft_pinned(s->n)) {
		s->n = edge->ports - s->c;
		if (design->blocking_given)
			s->n = ft_number_least(s->n, rule_hosts(s->c, design->blocking));
	}
	if (s->n + s->c > edge->ports)
		return ft_rules_error(rules, "edge", "ports_to_nodes",
				      "edge.ports_to_nodes %u + edge.ports_to_core %u = %u exceed edge.ports %u", s->n,
				      s->c, s->n + s->c, edge->ports);
	if (design->blocking_given && rule_uplinks(s->n, design->blocking) > s->c)
		return ft_rules_error(rules, NULL, "blocking",
				      "edge.ports_to_nodes %u over edge.ports_to_core %u exceeds the blocking of "
				      "%" PRId64 ":%" PRId64 " that is allowed",
				      s->n, s->c, design->blocking.num, design->blocking.den);
	return 0;
}

/* Edge switches for @nodes: those of classes that give hosts, and the others for the rest. */
static uint32_t edges_for(const struct ft_design *design, uint32_t nodes, uint32_t n)
{
	uint32_t hosting = ft_classes_hosting_edges(design), edges;

	/* Edges of classes may have more hosts than others; then the design gives the hosts of each. */
	if (design->class_count > 0 && ft_design_has_host_kinds(design))
		return design->roles[FT_TIER_EDGE].count + ft_number_divide_up(nodes - design->nodes, n);
	edges = ft_number_divide_up(nodes - ft_classes_hosts(design), n) + hosting;
	/* At least one edge has no class. */
	return edges > ft_classes_count(design, FT_TIER_EDGE) ? edges : ft_classes_count(design, FT_TIER_EDGE) + 1;
}

/* E and Emax for @s->n. */
static int count_edges(const struct ft_rules *rules, struct ft_shape *s)
{
	const struct ft_design *design = rules->design;
	const struct ft_design_role *edge = &rules->roles[FT_TIER_EDGE];

	/* A curve covers all numbers of nodes. */
	if (ft_classes_hosts(design) > design->nodes)
		return ft_rules_error(rules, NULL, "classes", "classes have %u hosts, but nodes is %u",
				      ft_classes_hosts(design), design->nodes);
	s->e = edges_for(design, design->nodes, s->n);
	s->e_max = edges_for(design, design->nodes_max, s->n);
	if (!ft_pinned(edge->count))
		return 0;
	if (s->e > edge->count)
		return ft_rules_error(rules, "edge", "count",
				      "nodes %u need %u edge switch%s at ports_to_nodes %u, but edge.count is %u",
				      design->nodes, s->e, ft_text_es(s->e), s->n, edge->count);
	s->e = edge->count;
	if (s->e > s->e_max)
		s->e_max = s->e;
	return 0;
}

/* B cables to each lower switch must fit on an upper one. */
static int check_upper_ports(const struct ft_rules *rules, const struct level *l, uint32_t b)
{
	uint64_t need = (uint64_t)l->low_max * b;

	if (need <= l->high_ports)
		return 0;
	if (ft_pinned(l->low_pinned) && l->low_max == l->low_pinned)
		return ft_rules_error(rules, NULL, "bundle", "%s.count %u x bundle %u = %" PRIu64 " > %s.ports %u",
				      l->low, l->low_max, b, need, l->high, l->high_ports);
	return ft_rules_error(rules, NULL, "bundle",
			      "%s %u need %u %s switches x bundle %u = %" PRIu64 " > %s.ports %u",
			      ft_rules_nodes_key(rules->design), rules->design->nodes_max, l->low_max, l->low, b, need,
			      l->high, l->high_ports);
}

/* The number of upper switches as built: each must get at least one unit, and no more than it can take. */
static int uppers_as_built(const struct ft_rules *rules, const struct level *l, uint32_t cables, uint32_t widest,
			   uint32_t *b)
{
	uint32_t unit = spread_unit(rules->design), units = ft_number_divide_up(cables, unit), uppers = l->high_pinned;

	if (uppers == 0)
		return ft_rules_error(rules, l->high, "count", "%s.count 0 fits a star only, not a fat-tree", l->high);
	if (uppers > units)
		return ft_rules_error(rules, l->high, "count",
				      "%s.count %u, but an %s switch has only %u uplink%s%s to spread over them",
				      l->high, uppers, l->low, cables, ft_text_s(cables),
				      unit > 1 ? " in multiples" : "");
	if (ft_pinned(l->bundle)) {
		if (ft_number_divide_up(cables, *b) != uppers)
			return ft_rules_error(
				rules, NULL, "bundle",
				"%s.ports_to_core %u in bundles of %u go to %u %s switches, but %s.count is %u", l->low,
				cables, *b, ft_number_divide_up(cables, *b), l->high, l->high, uppers);
		return 0;
	}
	if (ft_number_divide_up(cables, widest) > uppers)
		return ft_rules_error(rules, l->high, "count",
				      "%u %s switches with %u uplink%s each need %u %s switches of %u port%s, but "
				      "%s.count is %u",
				      l->low_max, l->low, cables, ft_text_s(cables),
				      ft_number_divide_up(cables, widest), l->high, l->high_ports,
				      ft_text_s(l->high_ports), l->high, uppers);
	/* A thick bundle takes all that an upper switch can give; an even one at most its share. */
	*b = rules->design->spread == FT_SPREAD_THICK ? ft_number_least(widest, cables - (uppers - 1))
						      : unit * ft_number_divide_up(units, uppers);
	*b = ft_number_least(*b, cables);
	return 0;
}

/* Cables that an upper switch can take from each lower one, in whole units unless one bundle takes all. */
static int widest_bundle(const struct ft_rules *rules, const struct level *l, uint32_t cables, uint32_t *ret_widest)
{
	uint32_t unit = spread_unit(rules->design), room = l->high_ports / l->low_max;

	if (room == 0)
		return ft_rules_error(rules, l->high, "ports",
				      "%s %u need %u %s switches, but a %s switch of %s.ports %u reaches only %u",
				      ft_rules_nodes_key(rules->design), rules->design->nodes_max, l->low_max, l->low,
				      l->high, l->high, l->high_ports, l->high_ports);
	*ret_widest = ft_number_least(room, cables);
	if (unit == 1 || cables <= *ret_widest)
		return 0;
	/* Only the last bundle may be odd; all others need whole units. */
	if (room < unit)
		return ft_rules_error(
			rules, NULL, "bundles",
			"a %s switch of %u port%s takes %u cable%s from each of %u %s switches: no bundle "
			"of a multiple of %u fits",
			l->high, l->high_ports, ft_text_s(l->high_ports), room, ft_text_s(room), l->low_max, l->low,
			unit);
	*ret_widest = room / unit * unit;
	return 0;
}

/* B and the number of upper switches for the @cables that each lower switch has. */
static int count_uppers(const struct ft_rules *rules, const struct level *l, uint32_t cables, uint32_t *ret_b,
			uint32_t *ret_uppers)
{
	uint32_t unit = spread_unit(rules->design), widest = 0;
	int r;

	r = widest_bundle(rules, l, cables, &widest);
	if (r < 0)
		return r;
	*ret_b = widest;
	if (ft_pinned(l->bundle)) {
		*ret_b = l->bundle;
		if (*ret_b > cables)
			return ft_rules_error(rules, NULL, "bundle",
					      "bundle %u is thicker than the %u uplink%s of an %s switch", *ret_b,
					      cables, ft_text_s(cables), l->low);
		if (*ret_b % unit && *ret_b < cables)
			return ft_rules_error(rules, NULL, "bundle",
					      "bundle %u is not a multiple of %u, as bundles asks", *ret_b, unit);
		r = check_upper_ports(rules, l, *ret_b);
		if (r < 0)
			return r;
	}
	*ret_uppers = ft_number_divide_up(cables, *ret_b);
	if (!ft_pinned(l->high_pinned))
		return 0;
	r = uppers_as_built(rules, l, cables, widest, ret_b);
	if (r == 0)
		*ret_uppers = l->high_pinned;
	return r;
}

/* ---- two levels ---- */

static int count_cores(const struct ft_rules *rules, struct ft_shape *s)
{
	const struct ft_design_role *edge = &rules->roles[FT_TIER_EDGE], *core = &rules->roles[FT_TIER_CORE];
	struct level l = {"edge", "core", s->e_max, edge->count, core->ports, core->count, rules->design->bundle};

	if (rules->design->class_count) {
		l.low_max -= ft_classes_count(rules->design, FT_TIER_EDGE);
		l.low_pinned = FT_NONE;
		/* As built, ft_classes_wire() decides what fits. */
		if (!ft_pinned(core->count))
			l.low_max += ft_classes_as_edges(rules->design, s->c);
	}
	return count_uppers(rules, &l, s->c, &s->b, &s->cores);
}

/*
 * Uniform fill of @dense: only as many hosts an edge as nodes_max needs, and the uplinks for them. E is counted anew
 * with the smaller Eptn, so that no edge is promised ports that it does not have.
 */
static void spread_hosts(const struct ft_rules *rules, const struct ft_shape *dense, bool uplinks_pinned,
			 struct ft_shape *ret_uniform)
{
	const struct ft_design *design = rules->design;
	const struct ft_design_role *edge = &rules->roles[FT_TIER_EDGE];
	struct ft_shape s = *dense;

	s.even = true;
	if (!ft_pinned(edge->ports_to_nodes)) {
		uint32_t hosting = ft_classes_hosting_edges(design), said = ft_classes_hosts(design);

		s.n = ft_number_divide_up(design->nodes_max - said, dense->e_max - hosting);
		if (ft_pinned(edge->count) && s.n < ft_number_divide_up(design->nodes - said, edge->count - hosting))
			s.n = ft_number_divide_up(design->nodes - said, edge->count - hosting);
	}
	if (!ft_pinned(edge->ports_to_nodes) && !ft_pinned(edge->ports_to_core) && !uplinks_pinned)
		s.c = rule_uplinks(s.n, design->blocking);
	s.e = ft_pinned(edge->count) ? edge->count : edges_for(design, design->nodes, s.n);
	*ret_uniform = s;
}

static int make_uniform(const struct ft_rules *rules, const struct ft_shape *dense, struct ft_shape *ret_uniform)
{
	struct ft_shape s;
	int r;

	spread_hosts(rules, dense, ft_pinned(rules->design->bundle) && ft_pinned(rules->roles[FT_TIER_CORE].count), &s);
	r = count_cores(rules, &s);
	if (r == 0)
		*ret_uniform = s;
	return r;
}

static int check_fill(const struct ft_rules *rules)
{
	if (rules->design->fill == FT_FILL_UNIFORM && rules->design->prefer_expandable)
		return ft_rules_error(rules, NULL, "fill",
				      "fill \"uniform\" and prefer_expandable true contradict each other");
	return 0;
}

static bool dense_only(const struct ft_design *design)
{
	return design->fill == FT_FILL_DENSE || design->prefer_expandable;
}

/* Limits of a plan: a small file could demand more switches and bundles than there is memory for. */
static int check_size(const struct ft_rules *rules, const struct ft_shape *s)
{
	enum { BUNDLES_MAX = 4000000 };
	uint64_t spines = (uint64_t)s->pods_max * s->pod_spines;
	uint64_t bundles = s->levels == 3 ? (uint64_t)s->e_max * s->pod_spines + spines * s->plane_cores
					  : (uint64_t)s->e_max * s->cores;

	if (s->e_max > FT_SWITCHES_MAX || spines > FT_SWITCHES_MAX)
		return ft_rules_error(rules, s->e_max > FT_SWITCHES_MAX ? "edge" : "spine", NULL,
				      "more than %d %s switches are needed", FT_SWITCHES_MAX,
				      s->e_max > FT_SWITCHES_MAX ? "edge" : "spine");
	if (bundles > BUNDLES_MAX)
		return ft_rules_error(rules, NULL, NULL, "more than %d bundles of cables are needed", BUNDLES_MAX);
	return 0;
}

int ft_rules_two_levels(const struct ft_rules *whole, struct ft_shape *ret_shape)
{
	struct ft_rules less, attempt;
	const struct ft_rules *rules = &less;
	struct ft_shape s = {.topology = FT_TOPOLOGY_FAT_TREE, .levels = 2, .pods = 1, .pods_max = 1}, uniform;
	int r = ft_rings_reserve(whole, &less);

	if (r < 0)
		return r;
	/* Complaints about mere attempts are dropped. */
	attempt = less;
	attempt.err = NULL;
	attempt.blame = NULL;
	r = split_ports(rules, rules->roles[FT_TIER_CORE].count, "core.count", &s);
	if (r == 0)
		r = count_edges(rules, &s);
	if (r == 0)
		r = count_cores(rules, &s);
	if (r == 0)
		r = check_fill(rules);
	if (r == 0 && rules->design->fill == FT_FILL_UNIFORM)
		r = make_uniform(rules, &s, &s);
	if (r < 0)
		return r;
	/* Uniform if the design requests it; by default only if it saves a core switch. */
	if (rules->design->fill == FT_FILL_AUTO && !dense_only(rules->design) &&
	    make_uniform(&attempt, &s, &uniform) == 0 && uniform.cores < s.cores)
		s = uniform;
	r = check_size(rules, &s);
	if (r == 0)
		*ret_shape = s;
	return r;
}

/* ---- three levels ---- */

uint32_t ft_rules_pod_edges(const struct ft_design *design, const struct ft_shape *shape, uint32_t pod)
{
	for (size_t i = 0; i < design->pod_size_count; i++) {
		if (pod < design->pod_sizes[i].count)
			return design->pod_sizes[i].edges;
		pod -= design->pod_sizes[i].count;
	}
	return shape->pod_edges;
}

/* How a spine's ports are split, dense. */
static int split_spine(const struct ft_rules *rules, struct ft_shape *s)
{
	const struct ft_design *design = rules->design;
	const struct ft_design_role *spine = &rules->roles[FT_TIER_SPINE];

	if (!ft_pinned(spine->ports_to_core)) {
		s->spine_down = ft_rules_ports_to_nodes(spine->ports, design->spine_blocking);
		s->spine_up = spine->ports - s->spine_down;
		return 0;
	}
	s->spine_up = spine->ports_to_core;
	if (s->spine_up == 0 || s->spine_up >= spine->ports)
		return ft_rules_error(rules, "spine", "ports_to_core",
				      "spine.ports_to_core %u of spine.ports %u: both sides need a port at least",
				      s->spine_up, spine->ports);
	s->spine_down = spine->ports - s->spine_up;
	/* As for edge switches: a requested blocking factor is kept beside a pinned side. */
	if (design->spine_blocking_given)
		s->spine_down = ft_number_least(s->spine_down, rule_hosts(s->spine_up, design->spine_blocking));
	return 0;
}

/* The sizes of pods as built must hold all edges. */
static int pods_as_built(const struct ft_rules *rules, struct ft_shape *s)
{
	const struct ft_design *design = rules->design;
	uint64_t edges = 0;

	s->pod_edges = 0;
	for (size_t i = 0; i < design->pod_size_count; i++) {
		edges += (uint64_t)design->pod_sizes[i].count * design->pod_sizes[i].edges;
		if (design->pod_sizes[i].edges > s->pod_edges)
			s->pod_edges = design->pod_sizes[i].edges;
	}
	if (edges < s->e_max || (ft_pinned(rules->roles[FT_TIER_EDGE].count) && edges != s->e))
		return ft_rules_error(rules, NULL, "pods", "pods hold %" PRIu64 " edge switch%s, but %u are planned",
				      edges, ft_text_es(edges), s->e_max);
	s->e = s->e_max = (uint32_t)edges;
	s->pods = s->pods_max = design->pods;
	return 0;
}

/* Pods of one size; the last may have fewer edges. */
static int pods_of_one_size(const struct ft_rules *rules, uint32_t pods, struct ft_shape *s)
{
	uint32_t asked = pods;

	if (pods == 0)
		pods = ft_number_divide_up(s->e_max, s->spine_down);
	if (pods > s->e_max)
		return ft_rules_error(rules, NULL, "pods", "pods %u, but there are only %u edge switch%s", pods,
				      s->e_max, ft_text_es(s->e_max));
	s->pod_edges = ft_number_divide_up(s->e_max, pods);
	s->pods_max = ft_number_divide_up(s->e_max, s->pod_edges);
	if (asked == rules->design->pods && s->pods_max != pods)
		return ft_rules_error(rules, NULL, "pods",
				      "%u edge switches make no %u pod%s of one size: give the sizes, as in "
				      "[{\"count\": 2, \"edges\": 8}, {\"count\": 1, \"edges\": 4}]",
				      s->e_max, pods, ft_text_s(pods));
	s->pods = ft_number_divide_up(s->e, s->pod_edges);
	return 0;
}

/* A total number of switches, as built, over @groups groups of one size. */
static int share_of(const struct ft_rules *rules, const char *object, uint32_t count, uint32_t groups,
		    const char *group, uint32_t *ret_share)
{
	*ret_share = FT_NONE;
	if (!ft_pinned(count))
		return 0;
	if (count % groups)
		return ft_rules_error(rules, object, "count", "%s.count %u is no multiple of the %u %s", object, count,
				      groups, group);
	*ret_share = count / groups;
	return 0;
}

/* The most edge switches of a pod without a class; those of classes come last. */
static uint32_t pod_edges_alike(const struct ft_design *design, const struct ft_shape *s)
{
	uint32_t left = s->e_max - ft_classes_count(design, FT_TIER_EDGE), most = 0;

	if (design->class_count == 0)
		return s->pod_edges;
	for (uint32_t pod = 0; pod < s->pods_max && left > 0; pod++) {
		uint32_t edges = ft_number_least(ft_rules_pod_edges(design, s, pod), left);

		most = edges > most ? edges : most;
		left -= edges;
	}
	return most;
}

static int count_spines(const struct ft_rules *rules, struct ft_shape *s)
{
	const struct ft_design_role *spine = &rules->roles[FT_TIER_SPINE];
	struct level l = {"edge", "spine", s->pod_edges, FT_NONE, s->spine_down, FT_NONE, rules->design->bundle};
	int r;

	r = share_of(rules, "spine", spine->count, s->pods, "pods", &l.high_pinned);
	if (r < 0)
		return r;
	if (ft_pinned(spine->count))
		l.low_max = pod_edges_alike(rules->design, s);
	if (s->pod_edges > s->spine_down)
		return ft_rules_error(rules, "spine", "ports",
				      "%u edge switch%s a pod, but a spine of %u port%s has only %u for them",
				      s->pod_edges, ft_text_es(s->pod_edges), spine->ports, ft_text_s(spine->ports),
				      s->spine_down);
	return count_uppers(rules, &l, s->c, &s->b, &s->pod_spines);
}

static int count_plane_cores(const struct ft_rules *rules, struct ft_shape *s)
{
	const struct ft_design_role *core = &rules->roles[FT_TIER_CORE];
	uint32_t planes = rules->design->planes;
	struct level l = {"spine", "core", 0, FT_NONE, core->ports, FT_NONE, rules->design->spine_bundle};
	int r;

	if (ft_pinned(planes) && s->pod_spines % planes != 0)
		return ft_rules_error(rules, NULL, "planes",
				      "planes %u do not have the same number each of the %u spine%s of a pod", planes,
				      s->pod_spines, ft_text_s(s->pod_spines));
	s->planes = ft_pinned(planes) ? planes : s->pod_spines;
	l.low_max = s->pods_max * (s->pod_spines / s->planes);
	r = share_of(rules, "core", core->count, s->planes,
		     s->planes < s->pod_spines ? "planes" : "planes (spines of a pod)", &l.high_pinned);
	if (r < 0)
		return r;
	r = count_uppers(rules, &l, s->spine_up, &s->spine_b, &s->plane_cores);
	if (r < 0)
		return r;
	if ((uint64_t)s->plane_cores * s->planes > FT_SWITCHES_MAX)
		return ft_rules_error(rules, "core", NULL, "more than %d core switches are needed", FT_SWITCHES_MAX);
	s->cores = s->plane_cores * s->planes;
	return 0;
}

/* Uniform fill of spines: only the uplinks that the cables from their edges need. */
static void spines_trim(const struct ft_rules *rules, struct ft_shape *s)
{
	struct ft_rules attempt = *rules;
	struct ft_shape trimmed = *s;

	attempt.err = NULL;
	attempt.blame = NULL;
	if (ft_pinned(rules->roles[FT_TIER_SPINE].ports_to_core) || dense_only(rules->design))
		return;
	trimmed.spine_up = rule_uplinks(s->b * s->pod_edges, rules->design->spine_blocking);
	if (trimmed.spine_up < s->spine_up && count_plane_cores(&attempt, &trimmed) == 0 && trimmed.cores < s->cores)
		*s = trimmed;
}

/* Spines and cores over the edges that @s has. */
static int stack_levels(const struct ft_rules *rules, uint32_t pods, struct ft_shape *s)
{
	int r;

	r = split_spine(rules, s);
	if (r == 0)
		r = rules->design->pod_size_count ? pods_as_built(rules, s) : pods_of_one_size(rules, pods, s);
	if (r == 0)
		r = count_spines(rules, s);
	if (r == 0)
		r = count_plane_cores(rules, s);
	if (r == 0)
		spines_trim(rules, s);
	return r;
}

/* Spines of a pod as built, if the pods are known as well. */
static uint32_t pod_spines_pinned(const struct ft_rules *rules)
{
	uint32_t spines = rules->roles[FT_TIER_SPINE].count, pods = rules->design->pods;

	return ft_pinned(spines) && ft_pinned(pods) && spines % pods == 0 ? spines / pods : FT_NONE;
}

int ft_rules_three_levels(const struct ft_rules *whole, uint32_t pods, struct ft_shape *ret_shape)
{
	struct ft_rules less, attempt;
	const struct ft_rules *rules = &less;
	struct ft_shape s = {.topology = FT_TOPOLOGY_FAT_TREE, .levels = 3}, uniform;
	uint32_t pod_spines = pod_spines_pinned(whole);
	int r = ft_rings_reserve(whole, &less);

	if (r < 0)
		return r;
	attempt = less;
	attempt.err = NULL;
	attempt.blame = NULL;
	r = split_ports(rules, pod_spines, "spines of a pod", &s);
	if (r == 0)
		r = count_edges(rules, &s);
	if (r == 0)
		r = check_fill(rules);
	if (r < 0)
		return r;
	spread_hosts(rules, &s, ft_pinned(rules->design->bundle) && ft_pinned(pod_spines), &uniform);
	if (rules->design->fill == FT_FILL_UNIFORM)
		s = uniform;
	r = stack_levels(rules, pods, &s);
	if (r < 0)
		return r;
	/* For the full tree, as cores in two levels: changing the fill during growth would move cables. */
	if (rules->design->fill == FT_FILL_AUTO && !dense_only(rules->design) &&
	    stack_levels(&attempt, pods, &uniform) == 0 &&
	    uniform.cores + uniform.pods_max * uniform.pod_spines < s.cores + s.pods_max * s.pod_spines)
		s = uniform;
	r = check_size(rules, &s);
	if (r == 0)
		*ret_shape = s;
	return r;
}

bool ft_rules_next_pods(const struct ft_rules *rules, uint32_t pods, uint32_t *ret_pods)
{
	const struct ft_design *design = rules->design;
	struct ft_rules attempt = *rules;
	struct ft_shape s = {0};
	uint32_t size;

	attempt.err = NULL;
	attempt.blame = NULL;
	if (ft_pinned(design->pods)) {
		*ret_pods = design->pods;
		return pods == 0;
	}
	/* If not even this fits, one trial finds the reason. */
	if (ft_rings_reserve(&attempt, &attempt) < 0 || split_ports(&attempt, FT_NONE, "", &s) < 0 ||
	    count_edges(&attempt, &s) < 0 || split_spine(&attempt, &s) < 0) {
		*ret_pods = 1;
		return pods == 0;
	}
	if (pods == 0) {
		*ret_pods = ft_number_divide_up(s.e_max, s.spine_down);
		return true;
	}
	size = ft_number_divide_up(s.e_max, pods);
	if (size <= 1)
		return false;
	*ret_pods = ft_number_divide_up(s.e_max, size - 1);
	return *ret_pods <= attempt.roles[FT_TIER_CORE].ports;
}

/* ---- stars ---- */

/* A pinned count that a star does not have. */
static int star_contradiction(const struct ft_rules *rules)
{
	const struct ft_design_role *edge = &rules->roles[FT_TIER_EDGE], *core = &rules->roles[FT_TIER_CORE];
	uint32_t bundle = rules->design->bundle;

	if (ft_pinned(edge->count) && edge->count != 1)
		return ft_rules_error(rules, "edge", "count", "a star has one switch, but edge.count is %u",
				      edge->count);
	if (ft_pinned(edge->ports_to_core) && edge->ports_to_core != 0)
		return ft_rules_error(rules, "edge", "ports_to_core",
				      "a star has no core level, but edge.ports_to_core is %u", edge->ports_to_core);
	if (ft_pinned(core->count) && core->count != 0)
		return ft_rules_error(rules, "core", "count", "a star has no core level, but core.count is %u",
				      core->count);
	if (ft_pinned(bundle))
		return ft_rules_error(rules, NULL, "bundle", "a star has no core level, but bundle is %u", bundle);
	return 0;
}

int ft_rules_star(const struct ft_rules *rules, struct ft_shape *ret_shape)
{
	const struct ft_design_role *edge = &rules->roles[FT_TIER_EDGE];
	const char *key = ft_rules_nodes_key(rules->design);
	uint32_t ports = edge->ports, room = ft_pinned(edge->ports_to_nodes) ? edge->ports_to_nodes : ports;
	int r;

	r = star_contradiction(rules);
	if (r < 0)
		return r;
	if (room > ports)
		return ft_rules_error(rules, "edge", "ports_to_nodes", "edge.ports_to_nodes %u exceed edge.ports %u",
				      room, ports);
	if (rules->design->nodes_max > room)
		return ft_rules_error(rules, NULL, key,
				      "%s %u do not fit on a star: one switch of %u port%s has %u for nodes", key,
				      rules->design->nodes_max, ports, ft_text_s(ports), room);
	*ret_shape = (struct ft_shape){
		.topology = FT_TOPOLOGY_STAR, .levels = 1, .n = room, .e = 1, .e_max = 1, .pods = 1, .pods_max = 1};
	return 0;
}

/*
 * Even bundles are in whole units, and the last switch gets an incomplete unit. Thick ones leave just one unit for each
 * later switch.
 */
void ft_rules_spread(const struct ft_design *design, uint32_t cables, uint32_t widest, uint32_t count,
		     uint32_t *ret_bundles)
{
	uint32_t unit = spread_unit(design), units = ft_number_divide_up(cables, unit), left = cables;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t share = (units / count + (i < units % count)) * unit;

		if (design->spread == FT_SPREAD_THICK)
			share = ft_number_least(widest, left - (count - 1 - i));
		ret_bundles[i] = ft_number_least(share, left);
		left -= ret_bundles[i];
	}
}
