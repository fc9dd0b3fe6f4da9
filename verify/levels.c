/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which live switch is which planned one, in three levels.
 *
 * The cables make pods and planes (clusters.c). Pods of one size, and planes, are interchangeable, so it is classes of
 * them that are assigned to the planned ones, and only then, among equals, names. A spine is where its pod and its
 * plane meet. Within a pod edges are alike, within a plane cores; what fits badly is left out, as in two levels
 * (roster.c).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/levels.h"

static void levels_release(struct ft_levels *l)
{
	ft_clusters_release(&l->c);
	free(l->edges);
	free(l->spines);
	free(l->cores);
	free(l->pod_as);
	free(l->plane_as);
	free(l->live);
	free(l->first);
	free(l->values);
}

static void span_add(struct ft_span *span, uint32_t place)
{
	if (span->count++ == 0)
		span->first = place;
}

static int levels_init(struct ft_levels *l, struct ft_model *m)
{
	*l = (struct ft_levels){.m = m, .pods = m->plan->pods, .planes = m->plan->pod_spines};
	l->edges = calloc(l->pods + 1UL, sizeof(*l->edges));
	l->spines = calloc(l->pods + 1UL, sizeof(*l->spines));
	l->cores = calloc(l->planes + 1UL, sizeof(*l->cores));
	l->live = malloc((m->live.switch_count + 1UL) * sizeof(*l->live));
	l->first = malloc((l->pods + l->planes + 2UL) * sizeof(*l->first));
	l->values = malloc((m->place_count + 1UL) * sizeof(*l->values));
	if (!l->edges || !l->spines || !l->cores || !l->live || !l->first || !l->values)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++) {
		const struct ft_plan_switch *sw = m->places[p];

		if (sw->tier == FT_TIER_CORE)
			span_add(&l->cores[sw->plane], p);
		else
			span_add(&(sw->tier == FT_TIER_EDGE ? l->edges : l->spines)[sw->pod], p);
	}
	return 0;
}

static uint32_t pod_of(const struct ft_levels *l, uint32_t live)
{
	return l->c.pod[live] == FT_NONE ? FT_NONE : l->pod_as[l->c.pod[live]];
}

static uint32_t plane_of(const struct ft_levels *l, uint32_t live)
{
	return l->c.plane[live] == FT_NONE ? FT_NONE : l->plane_as[l->c.plane[live]];
}

/* ---- spines: where a pod and a plane meet ---- */

/* How many of each tier a spine should be cabled to, of those that were seen. */
struct seen {
	uint32_t edges;	 /* of its pod */
	uint32_t *cores; /* by planned plane */
};

/* True where some core of the plane has bundles of @cables. */
static bool core_width_fits(const struct ft_levels *l, uint32_t plane, uint32_t cables)
{
	for (uint32_t n = 0; n < l->cores[plane].count; n++)
		if (l->m->typical[l->cores[plane].first + n] == cables)
			return true;
	return false;
}

/* The cables of a spine to the cores of one plane. */
struct to_plane {
	uint32_t cores, cables;
	uint32_t unfit; /* bundles that no core there has */
};

/* What the cables of a spine say of it in any place of its pod, before it is asked which: so each is looked at once. */
struct spine {
	uint32_t live, pod;
	struct to_plane *planes; /* by planned plane */
	uint32_t outside;	 /* cables to whatever is no edge of its pod */
	uint32_t width;		 /* of the bundles to edges in @edges; FT_NONE: nothing is there yet */
	uint32_t edges_seen;
	struct ft_cabling edges;
};

static void spine_read(const struct ft_levels *l, struct spine *spine)
{
	memset(spine->planes, 0, l->planes * sizeof(*spine->planes));
	spine->outside = 0;
	spine->width = FT_NONE;
	for (uint32_t n = l->c.near_first[spine->live]; n < l->c.near_first[spine->live + 1]; n++) {
		const struct ft_near *near = &l->c.near[n];
		enum ft_tier tier = live_at(l, near->live)->tier;
		uint32_t plane = tier == FT_TIER_CORE ? plane_of(l, near->live) : FT_NONE;

		if (tier == FT_TIER_EDGE && pod_of(l, near->live) == spine->pod)
			continue;
		spine->outside += near->cables;
		if (plane == FT_NONE)
			continue;
		spine->planes[plane].cores++;
		spine->planes[plane].cables += near->cables;
		spine->planes[plane].unfit += !core_width_fits(l, plane, near->cables);
	}
}

/* Its cables to the edges of its pod, where @width of them belong to each. Places are of one width, or of two. */
static void spine_edges_read(const struct ft_levels *l, struct spine *spine, uint32_t width)
{
	struct ft_cabling v = {0};

	if (width == spine->width)
		return;
	spine->edges_seen = 0;
	for (uint32_t n = l->c.near_first[spine->live]; n < l->c.near_first[spine->live + 1]; n++) {
		const struct ft_near *near = &l->c.near[n];

		if (live_at(l, near->live)->tier != FT_TIER_EDGE || pod_of(l, near->live) != spine->pod)
			continue;
		spine->edges_seen++;
		v.right += near->cables;
		v.cost += llabs((int64_t)near->cables - width);
		v.faults += ft_pair_faults(near->cables, width);
	}
	spine->edges = v;
	spine->width = width;
}

/* What they say of it in place @plane. */
static struct ft_cabling spine_judge(const struct ft_levels *l, const struct seen *seen, struct spine *spine,
				     uint32_t plane)
{
	uint32_t width = l->m->typical[l->spines[spine->pod].first + plane];
	uint32_t core_width = l->cores[plane].count ? l->m->typical[l->cores[plane].first] : 0;
	const struct to_plane *to = &spine->planes[plane];
	uint32_t strays = spine->outside - to->cables, missing;
	struct ft_cabling v;

	spine_edges_read(l, spine, width);
	v = spine->edges;
	v.right += to->cables;
	v.cost += strays;
	v.faults += (int64_t)to->unfit + strays;
	missing = seen->edges > spine->edges_seen ? seen->edges - spine->edges_seen : 0;
	v.cost += (int64_t)width * missing;
	missing += seen->cores[plane] > to->cores ? seen->cores[plane] - to->cores : 0;
	v.faults += ft_missing_less(missing, live_at(l, spine->live));
	v.wanted = (uint64_t)width * seen->edges + (uint64_t)core_width * seen->cores[plane];
	return v;
}

static void spines_price(const struct ft_levels *l, struct ft_roster *r, const struct seen *seen, uint32_t pod,
			 struct to_plane *planes)
{
	const struct ft_model *m = l->m;

	for (uint32_t i = 0; i < r->live_count; i++) {
		const struct ft_live_switch *sw = live_at(l, r->live[i]);
		struct spine spine = {.live = r->live[i], .pod = pod, .planes = planes};

		spine_read(l, &spine);
		r->best[i] = INT64_MAX;
		for (uint32_t c = 0; c < r->class_count; c++) {
			struct ft_cabling v = spine_judge(l, seen, &spine, r->value[c]);
			int64_t halves = 2 * v.faults + ft_strangeness(m, sw, m->plan->spine_ports, v.right, v.wanted);

			r->cost[(size_t)i * r->class_count + c] = v.cost;
			if (halves < r->best[i]) {
				r->best[i] = halves;
				r->drop[i] = 2 * (2 + v.right);
			}
		}
	}
}

/*
 * The waiting switches of @tier by their planned pod or plane, which @of tells and of which there are @lists: in
 * l->live from l->first[n] up to l->first[n + 1], each list in the order of their names.
 */
static void waiting_list(struct ft_levels *l, enum ft_tier tier,
			 uint32_t (*of)(const struct ft_levels *l, uint32_t live), uint32_t lists)
{
	uint32_t *first = l->first, total = 0;

	memset(first, 0, (lists + 1UL) * sizeof(*first));
	for (uint32_t i = 0; i < l->m->live.switch_count; i++)
		if (ft_live_waits(l->m, live_at(l, i), tier) && of(l, i) != FT_NONE)
			first[of(l, i)]++;
	for (uint32_t n = 0; n <= lists; n++)
		first[n] = total += first[n];
	/* From behind, so that each list comes out forward. */
	for (uint32_t i = l->m->live.switch_count; i-- > 0;)
		if (ft_live_waits(l->m, live_at(l, i), tier) && of(l, i) != FT_NONE)
			l->live[--first[of(l, i)]] = i;
	for (uint32_t n = 0; n < lists; n++)
		qsort_r(l->live + first[n], first[n + 1] - first[n], sizeof(*l->live), ft_live_compare, l->m);
}

/* The roster of places @span and of list @list, which are to have the first @span->count of l->values. */
static int roster_begin(const struct ft_levels *l, const struct ft_span *span, uint32_t list, struct ft_roster *r)
{
	return ft_roster_init(r, l->m, span->first, span->count, l->values, l->live + l->first[list],
			      l->first[list + 1] - l->first[list]);
}

static int pod_spines_seat(struct ft_levels *l, const struct seen *seen, uint32_t pod, struct to_plane *planes)
{
	_cleanup_(ft_roster_release) struct ft_roster r = {0};
	int e;

	for (uint32_t j = 0; j < l->spines[pod].count; j++)
		l->values[j] = j;
	e = roster_begin(l, &l->spines[pod], pod, &r);
	if (e < 0)
		return e;
	spines_price(l, &r, seen, pod, planes);
	return ft_roster_seat(&r);
}

static int spines_seat(struct ft_levels *l)
{
	_cleanup_free_ uint32_t *cores = calloc(l->planes + 1UL, sizeof(*cores));
	_cleanup_free_ uint32_t *edges = calloc(l->pods + 1UL, sizeof(*edges));
	_cleanup_free_ struct to_plane *planes = calloc(l->planes + 1UL, sizeof(*planes));
	int r = 0;

	if (!cores || !edges || !planes)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->m->live.switch_count; i++) {
		uint32_t plane = plane_of(l, i), pod = pod_of(l, i);

		if (live_at(l, i)->tier == FT_TIER_CORE && plane != FT_NONE && cores[plane] < l->cores[plane].count)
			cores[plane]++;
		if (live_at(l, i)->tier == FT_TIER_EDGE && pod != FT_NONE && edges[pod] < l->edges[pod].count)
			edges[pod]++;
	}
	waiting_list(l, FT_TIER_SPINE, pod_of, l->pods);
	for (uint32_t pod = 0; r == 0 && pod < l->pods; pod++)
		r = pod_spines_seat(l, &(struct seen){edges[pod], cores}, pod, planes);
	return r;
}

/* ---- cores and edges: rows, whose columns have their places now ---- */

/* True where the columns that a row should be cabled to, every @stride-th place of @columns, hold this neighbour. */
static bool near_belongs(const struct ft_levels *l, const struct ft_near *near, const struct ft_span *columns,
			 uint32_t stride)
{
	uint32_t place = live_at(l, near->live)->planned;

	return place != FT_NONE && place >= columns->first && (place - columns->first) % stride == 0 &&
	       (place - columns->first) / stride < columns->count;
}

static uint32_t columns_seen(const struct ft_levels *l, const struct ft_span *columns, uint32_t stride)
{
	uint32_t seen = 0;

	for (uint32_t n = 0; n < columns->count; n++)
		seen += l->m->live_of[columns->first + n * stride] != FT_NONE;
	return seen;
}

static void cores_price(const struct ft_levels *l, struct ft_roster *r, uint32_t plane)
{
	const struct ft_model *m = l->m;
	/* One spine of each pod, and pods have equally many. */
	const struct ft_span columns = {l->spines[0].first + plane, l->pods};
	uint32_t seen = columns_seen(l, &columns, l->planes);

	for (uint32_t i = 0; i < r->live_count; i++) {
		const struct ft_live_switch *sw = live_at(l, r->live[i]);
		uint32_t near_count = 0, stray = 0;
		uint64_t right = 0;

		r->best[i] = INT64_MAX;
		for (uint32_t n = l->c.near_first[r->live[i]]; n < l->c.near_first[r->live[i] + 1]; n++) {
			bool belongs = near_belongs(l, &l->c.near[n], &columns, l->planes);

			near_count += belongs;
			right += belongs ? l->c.near[n].cables : 0;
			stray += belongs ? 0 : l->c.near[n].cables;
		}
		for (uint32_t c = 0; c < r->class_count; c++) {
			int64_t cost = (int64_t)(seen - near_count) * r->value[c];
			int64_t faults = ft_missing_less(seen - near_count, sw) + stray;

			for (uint32_t n = l->c.near_first[r->live[i]]; n < l->c.near_first[r->live[i] + 1]; n++) {
				if (!near_belongs(l, &l->c.near[n], &columns, l->planes))
					continue;
				cost += llabs((int64_t)l->c.near[n].cables - r->value[c]);
				faults += ft_pair_faults(l->c.near[n].cables, r->value[c]);
			}
			faults = 2 * faults +
				 ft_strangeness(m, sw, m->plan->core_ports, right, (uint64_t)r->value[c] * seen);
			r->cost[(size_t)i * r->class_count + c] = cost;
			r->best[i] = faults < r->best[i] ? faults : r->best[i];
		}
		r->drop[i] = 2 * (2 + right);
	}
}

static int cores_seat(struct ft_levels *l)
{
	int e = 0;

	waiting_list(l, FT_TIER_CORE, plane_of, l->planes);
	for (uint32_t plane = 0; e == 0 && plane < l->planes; plane++) {
		_cleanup_(ft_roster_release) struct ft_roster r = {0};
		const struct ft_span *span = &l->cores[plane];

		for (uint32_t n = 0; n < span->count; n++)
			l->values[n] = l->m->typical[span->first + n];
		e = roster_begin(l, span, plane, &r);
		if (e < 0)
			return e;
		cores_price(l, &r, plane);
		e = ft_roster_seat(&r);
	}
	return e;
}

/* An edge without the hosts that every planned one has is a fault; which of them it is, its hosts tell. */
static void edge_hosts_price(struct ft_roster *r, uint32_t i, int64_t faults, uint64_t right, uint64_t row)
{
	const struct ft_model *m = r->m;
	const struct ft_live_switch *sw = &m->live.switches[r->live[i]];
	bool hostless = sw->hosts == 0;

	for (uint32_t c = 0; c < r->class_count; c++) {
		r->cost[(size_t)i * r->class_count + c] =
			2 * llabs((int64_t)sw->hosts - r->value[c]) + (sw->hosts != r->value[c]);
		hostless &= r->value[c] > 0;
	}
	r->best[i] = 2 * (faults + hostless) + ft_strangeness(m, sw, m->plan->edge_ports, right, row);
	r->drop[i] = 2 * (2 + right + sw->hosts);
}

static void edges_price(const struct ft_levels *l, struct ft_roster *r, uint32_t pod)
{
	const struct ft_model *m = l->m;
	const struct ft_span *columns = &l->spines[pod];
	uint32_t seen = columns_seen(l, columns, 1);
	uint64_t row = 0;

	for (uint32_t n = 0; n < columns->count; n++)
		row += m->live_of[columns->first + n] != FT_NONE ? m->typical[columns->first + n] : 0;
	for (uint32_t i = 0; i < r->live_count; i++) {
		uint64_t right = 0;
		uint32_t missing = seen;
		int64_t faults = 0;

		for (uint32_t n = l->c.near_first[r->live[i]]; n < l->c.near_first[r->live[i] + 1]; n++) {
			const struct ft_near *near = &l->c.near[n];

			if (!near_belongs(l, near, columns, 1)) {
				faults += near->cables;
				continue;
			}
			right += near->cables;
			missing--;
			faults += ft_pair_faults(near->cables, m->typical[live_at(l, near->live)->planned]);
		}
		faults += ft_missing_less(missing, live_at(l, r->live[i]));
		edge_hosts_price(r, i, faults, right, row);
	}
}

static void edge_values(struct ft_levels *l, const struct ft_span *span)
{
	for (uint32_t n = 0; n < span->count; n++)
		l->values[n] = l->m->places[span->first + n]->hosts;
}

static int edges_seat(struct ft_levels *l)
{
	int e = 0;

	waiting_list(l, FT_TIER_EDGE, pod_of, l->pods);
	for (uint32_t pod = 0; e == 0 && pod < l->pods; pod++) {
		_cleanup_(ft_roster_release) struct ft_roster r = {0};
		const struct ft_span *span = &l->edges[pod];

		edge_values(l, span);
		e = roster_begin(l, span, pod, &r);
		if (e < 0)
			return e;
		edges_price(l, &r, pod);
		e = ft_roster_seat(&r);
	}
	return e;
}

int ft_levels_try(struct ft_model *m, const struct ft_hints *hints, struct ft_clusters *ret_clusters)
{
	_cleanup_(levels_release) struct ft_levels l;
	int r;

	r = levels_init(&l, m);
	if (r < 0)
		return r;
	ft_bound_take(m, FT_TIER_EDGE, 0);
	ft_bound_take(m, FT_TIER_CORE, m->edges);
	ft_bound_take(m, FT_TIER_SPINE, m->rows);
	r = ft_clusters_find(m, hints, &l.c);
	if (r == 0)
		r = ft_pods_share(&l);
	if (r == 0)
		r = ft_planes_share(&l);
	if (r == 0)
		r = spines_seat(&l);
	if (r == 0)
		r = cores_seat(&l);
	if (r == 0)
		r = edges_seat(&l);
	if (r == 0)
		r = ft_places_settle(m, &l.c);
	if (r < 0)
		return r;
	*ret_clusters = l.c;
	l.c = (struct ft_clusters){0};
	return 0;
}
