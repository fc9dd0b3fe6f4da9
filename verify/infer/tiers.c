/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Tiers of a fabric without a plan: the split with the fewest cables inside a tier and the fewest hosts on cores, and
 * in it the switches that are cabled to most of the other tier. The others are outside the tree.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/infer_parts.h"

enum {
	SPLIT_ROUNDS = 64,
	TRIM_ROUNDS = 16,
	UNEXPLAINED_SOME = 16, /* cables: in a small fabric a few faults may be a large share */
	UNEXPLAINED_SHARE = 4,
};

static void fit_release(struct ft_fit *fit)
{
	free(fit->role);
	free(fit->pod);
	free(fit->plane);
	free(fit->beside);
	*fit = (struct ft_fit){0};
}

void ft_fits_release(struct ft_fits *fits)
{
	for (uint32_t i = 0; i < FT_FITS_MAX; i++)
		fit_release(&fits->fit[i]);
	fits->count = 0;
}

static int fit_init(const struct ft_inference *f, struct ft_fit *fit)
{
	uint32_t n = f->live->switch_count;

	*fit = (struct ft_fit){0};
	fit->role = malloc(n + 1UL);
	fit->pod = malloc((n + 1UL) * sizeof(*fit->pod));
	fit->plane = malloc((n + 1UL) * sizeof(*fit->plane));
	fit->beside = calloc(n + 1UL, sizeof(*fit->beside));
	if (!fit->role || !fit->pod || !fit->plane || !fit->beside) {
		fit_release(fit);
		return -ENOMEM;
	}
	memset(fit->role, FT_OUTSIDE, n + 1UL);
	for (uint32_t i = 0; i < n; i++)
		fit->pod[i] = fit->plane[i] = FT_NONE;
	return 0;
}

static bool has_usual_hosts(const struct ft_inference *f, uint32_t live)
{
	return f->hosts[live] > 0 && f->hosts[live] * 4 >= f->usual_hosts;
}

/* ---- two levels ---- */

/* Cables from a switch to those of a role, and the number of these. */
static uint32_t cables_to(const struct ft_inference *f, const struct ft_fit *fit, uint32_t live, uint8_t role,
			  uint32_t *ret_switches)
{
	uint32_t cables = 0, switches = 0;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++) {
		if (fit->role[f->near[n].live] != role)
			continue;
		cables += f->near[n].cables;
		switches++;
	}
	if (ret_switches)
		*ret_switches = switches;
	return cables;
}

static uint64_t split_cost(const struct ft_inference *f, const struct ft_fit *fit)
{
	uint64_t inside = 0, hosts = 0;

	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		inside += cables_to(f, fit, i, fit->role[i], NULL);
		if (fit->role[i] == FT_TIER_CORE)
			hosts += f->hosts[i];
	}
	return inside / 2 + hosts;
}

static void split_improve(const struct ft_inference *f, struct ft_fit *fit)
{
	bool moved = true;

	for (unsigned int round = 0; moved && round < SPLIT_ROUNDS; round++) {
		moved = false;
		for (uint32_t i = 0; i < f->live->switch_count; i++) {
			uint32_t as_edge = cables_to(f, fit, i, FT_TIER_EDGE, NULL);
			uint32_t as_core = cables_to(f, fit, i, FT_TIER_CORE, NULL) + f->hosts[i];
			bool core = fit->role[i] == FT_TIER_CORE;

			if (core ? as_edge >= as_core : as_core >= as_edge)
				continue;
			fit->role[i] = core ? FT_TIER_EDGE : FT_TIER_CORE;
			moved = true;
		}
	}
}

static void split_by_hosts(const struct ft_inference *f, struct ft_fit *fit)
{
	for (uint32_t i = 0; i < f->live->switch_count; i++)
		fit->role[i] = has_usual_hosts(f, i) ? FT_TIER_EDGE : FT_TIER_CORE;
}

/* Bipartition: every cable crosses tiers, starting in each part from the switch with the most hosts. */
static int split_by_parity(const struct ft_inference *f, struct ft_fit *fit)
{
	const struct ft_live *live = f->live;
	_cleanup_free_ uint32_t *queue = malloc((live->switch_count + 1UL) * sizeof(*queue));
	_cleanup_free_ uint32_t *start = malloc((live->part_count + 1UL) * sizeof(*start));

	if (!queue || !start)
		return -ENOMEM;
	for (uint32_t p = 0; p < live->part_count; p++)
		start[p] = FT_NONE;
	for (uint32_t i = 0; i < live->switch_count; i++) {
		uint32_t *first = &start[live->switches[i].part];

		if (*first == FT_NONE || f->hosts[i] > f->hosts[*first])
			*first = i;
		fit->role[i] = FT_OUTSIDE;
	}
	for (uint32_t p = 0; p < live->part_count; p++) {
		uint32_t head = 0, tail = 0;

		queue[tail++] = start[p];
		fit->role[start[p]] = FT_TIER_EDGE;
		while (head < tail) {
			uint32_t here = queue[head++];

			for (uint32_t n = f->near_first[here]; n < f->near_first[here + 1]; n++) {
				uint32_t far = f->near[n].live;

				if (fit->role[far] != FT_OUTSIDE)
					continue;
				fit->role[far] = fit->role[here] == FT_TIER_EDGE ? FT_TIER_CORE : FT_TIER_EDGE;
				queue[tail++] = far;
			}
		}
	}
	return 0;
}

/* The usual number among the switches of a role. */
static uint32_t usual_ports(const struct ft_inference *f, const struct ft_fit *fit, uint8_t role)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (fit->role[i] == role)
			ft_tally_add(&tally, ft_infer_ports(f, i));
	return ft_tally_mode(&tally, 0);
}

/* What a role requires of a switch. */
struct standard {
	uint32_t others; /* switches of the other role */
	uint32_t ports;
	uint32_t cables; /* cables of most switches to these */
};

/* Half of the others is enough for a switch as large as its equals; one of another size must be nearly complete. */
static bool meets(const struct ft_inference *f, uint32_t live, uint32_t links, const struct standard *standard)
{
	if (links == 0)
		return false;
	if (ft_infer_ports(f, live) == standard->ports)
		return links * 2 >= standard->others;
	return links * 4 >= standard->others * 3;
}

static uint8_t role_of(const struct ft_inference *f, const struct ft_fit *fit, uint32_t i, const struct standard *edge,
		       const struct standard *core)
{
	uint32_t edges, cores, uplinks;
	bool as_edge, as_core;

	cables_to(f, fit, i, FT_TIER_EDGE, &edges);
	uplinks = cables_to(f, fit, i, FT_TIER_CORE, &cores);
	/* A switch without hosts is an edge only if it is like the others. */
	as_edge = meets(f, i, cores, edge) &&
		  (has_usual_hosts(f, i) || (ft_infer_ports(f, i) == edge->ports && uplinks * 2 >= edge->cables));
	as_core = meets(f, i, edges, core);
	if (as_edge && as_core)
		return fit->role[i] != FT_OUTSIDE ? fit->role[i] : has_usual_hosts(f, i) ? FT_TIER_EDGE : FT_TIER_CORE;
	return as_edge ? FT_TIER_EDGE : as_core ? FT_TIER_CORE : FT_OUTSIDE;
}

static uint32_t count_role(const struct ft_inference *f, const struct ft_fit *fit, uint8_t role)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->live->switch_count; i++)
		count += fit->role[i] == role;
	return count;
}

static struct standard standard_of(const struct ft_inference *f, const struct ft_fit *fit, uint8_t role, uint8_t other)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (fit->role[i] == role)
			ft_tally_add(&tally, cables_to(f, fit, i, other, NULL));
	return (struct standard){count_role(f, fit, other), usual_ports(f, fit, role), ft_tally_mode(&tally, 1)};
}

static void fit_trim(const struct ft_inference *f, struct ft_fit *fit)
{
	bool changed = true;

	for (unsigned int round = 0; changed && round < TRIM_ROUNDS; round++) {
		struct standard edge = standard_of(f, fit, FT_TIER_EDGE, FT_TIER_CORE);
		struct standard core = standard_of(f, fit, FT_TIER_CORE, FT_TIER_EDGE);

		changed = false;
		for (uint32_t i = 0; i < f->live->switch_count; i++) {
			uint8_t role = role_of(f, fit, i, &edge, &core);

			if (role == fit->role[i])
				continue;
			fit->role[i] = role;
			changed = true;
		}
	}
}

/* An isolated switch with the ports and hosts of an edge: an edge, and a fault. */
static void fit_add_isolated(const struct ft_inference *f, struct ft_fit *fit)
{
	uint32_t ports = usual_ports(f, fit, FT_TIER_EDGE);

	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (f->near_first[i] == f->near_first[i + 1] && has_usual_hosts(f, i) && ft_infer_ports(f, i) == ports)
			fit->role[i] = FT_TIER_EDGE;
}

/* Cables of switches outside the tree, and those inside a tier. */
static uint64_t stray_cables(const struct ft_inference *f, const struct ft_fit *fit)
{
	uint64_t twice = 0;

	for (uint32_t i = 0; i < f->live->switch_count; i++)
		for (uint32_t n = f->near_first[i]; n < f->near_first[i + 1]; n++) {
			uint8_t near = fit->role[i], far = fit->role[f->near[n].live];

			if (ft_infer_connected(f, i) && (near == far || near == FT_OUTSIDE || far == FT_OUTSIDE))
				twice += f->near[n].cables;
		}
	return twice / 2;
}

/* The difference from the cables that most edges have to that core. */
static uint64_t column_residual(const struct ft_inference *f, const struct ft_fit *fit, uint32_t core, uint32_t edges,
				uint64_t *lacking)
{
	struct ft_tally tally = {0};
	uint32_t seen = 0;

	for (uint32_t n = f->near_first[core]; n < f->near_first[core + 1]; n++) {
		if (fit->role[f->near[n].live] != FT_TIER_EDGE)
			continue;
		ft_tally_add(&tally, f->near[n].cables);
		seen++;
	}
	ft_tally_add_many(&tally, 0, edges - seen);
	return ft_tally_distance(&tally, ft_tally_mode(&tally, 1), lacking);
}

/* True for a single edge with nothing above except what serves its hosts. */
static bool serves_one(const struct ft_inference *f, const struct ft_fit *fit)
{
	uint32_t cables = 0, hosts = 0;

	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		if (fit->role[i] == FT_TIER_CORE && f->hosts[i] > 0)
			return false;
		if (fit->role[i] != FT_TIER_EDGE)
			continue;
		cables += cables_to(f, fit, i, FT_TIER_CORE, NULL);
		hosts += f->hosts[i];
	}
	return cables * FT_CROWDED >= hosts;
}

static int fit_two(struct ft_inference *f, struct ft_fit *fit)
{
	_cleanup_(fit_release) struct ft_fit other = {0};
	uint32_t edges;
	int r;

	r = fit_init(f, &other);
	if (r == 0)
		r = split_by_parity(f, &other);
	if (r < 0)
		return r;
	split_by_hosts(f, fit);
	split_improve(f, fit);
	split_improve(f, &other);
	if (split_cost(f, &other) < split_cost(f, fit))
		memcpy(fit->role, other.role, f->live->switch_count);
	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (!ft_infer_connected(f, i))
			fit->role[i] = FT_OUTSIDE;
	fit_trim(f, fit);
	fit_add_isolated(f, fit);
	edges = count_role(f, fit, FT_TIER_EDGE);
	fit->levels = 2;
	fit->pods = fit->planes = 1;
	fit->possible = edges >= 1 && count_role(f, fit, FT_TIER_CORE) >= 1 && (edges > 1 || serves_one(f, fit));
	fit->unexplained = stray_cables(f, fit);
	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (fit->role[i] == FT_TIER_CORE)
			fit->unexplained += column_residual(f, fit, i, edges, &fit->lacking);
	return 0;
}

/* ---- the choice of a fit ---- */

static bool explains(const struct ft_inference *f, const struct ft_fit *fit)
{
	uint64_t some = f->cable_total / UNEXPLAINED_SHARE;

	return fit->possible && fit->unexplained <= (some > UNEXPLAINED_SOME ? some : UNEXPLAINED_SOME);
}

/* The only switch with hosts, or the one with the most of several that are not cabled to each other. */
static bool fit_star(const struct ft_inference *f, struct ft_fit *fit)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		fit->role[i] = FT_OUTSIDE;
		if (f->hosts[i] > f->hosts[best])
			best = i;
	}
	for (uint32_t n = f->near_first[best]; n < f->near_first[best + 1]; n++)
		if (has_usual_hosts(f, f->near[n].live))
			return false;
	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (i != best && f->near_first[i] != f->near_first[i + 1] && has_usual_hosts(f, i))
			return false;
	fit->role[best] = FT_TIER_EDGE;
	fit->levels = 1;
	fit->pods = fit->planes = 1;
	fit->possible = true;
	fit->unexplained = 0;
	return true;
}

/* Reports the nearest possible tree, and its difference from the fabric. */
static int refuse(const struct ft_inference *f, const struct ft_fit *two, const struct ft_fit *three,
		  struct ft_error *err)
{
	uint32_t with_hosts = 0;

	for (uint32_t i = 0; i < f->live->switch_count; i++)
		with_hosts += f->hosts[i] > 0;
	if (three->possible && (!two->possible || three->unexplained < two->unexplained))
		return ft_error_set(
			err, -EINVAL, 0, 0,
			"no design to be inferred: %u switches, %u of them with hosts, are nearest to a "
			"fat-tree of three levels with %u pods and %u planes, but %llu of %llu cables between "
			"switches would be wrong or missing",
			f->live->switch_count, with_hosts, three->pods, three->planes,
			(unsigned long long)three->unexplained, (unsigned long long)f->cable_total);
	if (two->possible)
		return ft_error_set(
			err, -EINVAL, 0, 0,
			"no design to be inferred: %u switches, %u of them with hosts, are nearest to a "
			"fat-tree of %u edge and %u core switches, but %llu of %llu cables between switches "
			"would be wrong or missing",
			f->live->switch_count, with_hosts, count_role(f, two, FT_TIER_EDGE),
			count_role(f, two, FT_TIER_CORE), (unsigned long long)two->unexplained,
			(unsigned long long)f->cable_total);
	return ft_error_set(
		err, -EINVAL, 0, 0,
		"no design to be inferred: %u switches, %u of them with hosts, %llu cables between them: "
		"neither a star nor a fat-tree: no switches without hosts join most of those, nor pods of them",
		f->live->switch_count, with_hosts, (unsigned long long)f->cable_total);
}

/* Natural order of names, then GUIDs. */
static int member_compare(const void *a, const void *b, void *context)
{
	const struct ft_inference *f = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct ft_live_switch *s = &f->live->switches[x], *t = &f->live->switches[y];
	int names = ft_text_natural_compare(s->name, t->name);

	if (names != 0)
		return names;
	if (s->guid != t->guid)
		return s->guid < t->guid ? -1 : 1;
	return x < y ? -1 : x > y;
}

int ft_infer_members(struct ft_inference *f)
{
	for (unsigned int t = 0; t < FT_TIER_COUNT; t++) {
		f->member[t] = malloc((f->live->switch_count + 1UL) * sizeof(*f->member[t]));
		if (!f->member[t])
			return -ENOMEM;
		for (uint32_t i = 0; i < f->live->switch_count; i++)
			if (f->fit.role[i] == t)
				f->member[t][f->count[t]++] = i;
		qsort_r(f->member[t], f->count[t], sizeof(*f->member[t]), member_compare, f);
	}
	return 0;
}

/* True if a switch has so few hosts that it may be an edge, or have misplaced hosts. */
static bool any_few_hosts(const struct ft_inference *f)
{
	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (f->hosts[i] > 0 && !has_usual_hosts(f, i))
			return true;
	return false;
}

/* Keeps the fits that explain the fabric, best first, equals in order. */
static void fits_sort(const struct ft_inference *f, struct ft_fits *fits)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < fits->count; i++) {
		struct ft_fit fit = fits->fit[i];
		uint32_t at = kept;

		fits->fit[i] = (struct ft_fit){0};
		if (!explains(f, &fit)) {
			fit_release(&fit);
			continue;
		}
		for (kept++; at > 0 && fits->fit[at - 1].unexplained > fit.unexplained; at--)
			fits->fit[at] = fits->fit[at - 1];
		fits->fit[at] = fit;
	}
	fits->count = kept;
}

/* The last candidate: two levels with switches beside them. */
static int fits_add_beside(const struct ft_inference *f, struct ft_fits *fits)
{
	struct ft_fit *fit = &fits->fit[fits->count];
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < fits->count; i++) {
		if (fits->fit[i].levels != 2)
			continue;
		/* It may hold a star that was given up. */
		fit_release(fit);
		r = fit_init(f, fit);
		if (r == 0)
			r = ft_infer_beside(f, &fits->fit[i], fit);
		if (r == 0)
			fit_release(fit);
	}
	fits->count += r > 0;
	return r < 0 ? r : 0;
}

/* If no tree is possible, a star may be. */
static int fits_choose(struct ft_inference *f, struct ft_error *err)
{
	struct ft_fits *fits = &f->fits;
	struct ft_fit *star = &fits->fit[fits->count];
	bool tree = false, any = false;
	int r = fit_init(f, star);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < fits->count; i++)
		tree |= fits->fit[i].possible;
	if (!tree && fit_star(f, star))
		fits->count++;
	for (uint32_t i = 0; i < fits->count; i++)
		any |= explains(f, &fits->fit[i]);
	if (!any)
		return refuse(f, &fits->fit[0], &fits->fit[1], err);
	fits_sort(f, fits);
	return fits_add_beside(f, fits);
}

int ft_infer_tiers(struct ft_inference *f, struct ft_error *err)
{
	struct ft_fits *fits = &f->fits;
	const uint32_t least[] = {(f->usual_hosts + 3) / 4, 1};
	int r;

	if (f->live->switch_count == 0)
		return ft_error_set(err, -EINVAL, 0, 0, "no design to be inferred: %u %s, and no switch among them",
				    f->snapshot->node_count, f->snapshot->node_count == 1 ? "node" : "nodes");
	if (f->host_total == 0)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "no design to be inferred: %u %s, and no host that is up: without hosts edge "
				    "switches cannot be told",
				    f->live->switch_count, f->live->switch_count == 1 ? "switch" : "switches");
	r = fit_init(f, &fits->fit[fits->count++]);
	if (r == 0)
		r = fit_two(f, &fits->fit[0]);
	for (uint32_t i = 0; r == 0 && i < (any_few_hosts(f) ? 2 : 1); i++) {
		r = fit_init(f, &fits->fit[fits->count++]);
		if (r == 0)
			r = ft_infer_three(f, &fits->fit[fits->count - 1], least[i]);
	}
	return r == 0 ? fits_choose(f, err) : r;
}
