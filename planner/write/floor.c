/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/floor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "planner/plan/tree.h"
#include "planner/write/seats.h"

enum {
	HALF_UNIT_UM = 22225, /* EIA-310: a rack unit is 44.45 mm */
	DIRECTOR_PORTS_UNIT = 20,
	SIZE_UNITS_MAX = 1000, /* no catalog's mistake makes racks taller than that */
	RACKS_MAX = 1000000,
};

const struct ft_floor_model ft_floor_default = {
	.rack_units = 42,
	.host_units = 1,
	.chassis_units = 10,
	.manager_units = 1,
	.row_racks = 20,
	.rack_width_mm = 600,
	.row_pitch_mm = 2400,
	.tray_mm = 300,
	.slack_mm = 300,
};

/*
 * What has the same form for every pod. A group is an edge switch with its hosts, or a chassis; a pod's racks are those
 * of its groups, with those of its spines in the middle.
 */
struct layout {
	const struct ft_plan *plan;
	struct ft_floor *floor;
	struct ft_seat *seats;		      /* by switch; owned */
	bool row_by_row;		      /* each pod is a row of racks */
	uint32_t units[FT_TIER_COUNT];	      /* of a switch */
	uint32_t room;			      /* hosts an edge switch has room for */
	uint32_t count[FT_TIER_COUNT];	      /* of switches */
	uint32_t pod_edges, pod_spines, pods; /* room is kept for them */
	bool blade;
	uint32_t servers;	/* blade: of a chassis */
	uint32_t chassis_units; /* blade */
	uint32_t edge_chassis;	/* blade: chassis of an edge switch */
	uint32_t rack_groups;	/* groups in a rack; 0: one takes several */
	uint32_t group_racks;	/* racks of a group; 1 where a rack has several groups */
	uint32_t edge_racks;	/* of a pod */
	uint32_t free_unit;	/* the first free one in the middle one of these, below its edge switches */
	uint32_t free_units;
	uint32_t spine_racks; /* of a pod; 0: the free units of the middle rack */
	uint32_t core_racks;  /* 0: likewise */
	uint32_t *racks;      /* owned: those of the core switches, then those of the pods in their order */
};

static void layout_release(struct layout *l)
{
	free(l->racks);
	free(l->seats);
}

static uint32_t divide_up(uint64_t a, uint32_t b)
{
	return (uint32_t)((a + b - 1) / b);
}

static uint32_t maximum(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

int ft_plan_switch_type(const struct ft_plan *plan, enum ft_tier tier, const struct ft_catalog *catalog,
			struct ft_switch_type *ret_type)
{
	for (size_t i = 0; catalog && plan->models[tier] && i < catalog->count; i++) {
		const struct ft_switch_type *type = &catalog->types[i];

		if (strcmp(type->name, plan->models[tier]) != 0)
			continue;
		if (plan->fabric_boards[tier] && plan->fabric_boards[tier] < type->fabric_boards)
			return ft_switch_type_with_fabric(type, plan->fabric_boards[tier], ret_type);
		*ret_type = *type;
		return 0;
	}
	return -ENOENT;
}

static uint32_t guess_units(uint32_t ports)
{
	static const struct {
		uint32_t ports;
		uint32_t units;
	} sizes[] = {{64, 1}, {128, 2}, {FT_PORTS_MAX, 4}};

	for (size_t i = 0; i < FT_COUNT(sizes); i++)
		if (ports <= sizes[i].ports)
			return sizes[i].units;
	return divide_up(ports, DIRECTOR_PORTS_UNIT);
}

static void size_switches(struct layout *l, const struct ft_catalog *catalog)
{
	uint32_t ports[FT_TIER_COUNT] = {0};

	for (uint32_t i = 0; i < l->plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &l->plan->switches[i];

		ports[sw->tier] = maximum(ports[sw->tier], sw->ports);
		l->count[l->seats[i].tier]++;
	}
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		struct ft_switch_type type = {0};

		l->units[tier] = guess_units(ports[tier]);
		if (ft_plan_switch_type(l->plan, tier, catalog, &type) < 0)
			continue;
		if (type.size_u != FT_AMOUNT_UNKNOWN && type.size_u > 0)
			l->units[tier] =
				ft_number_least(divide_up((uint64_t)type.size_u, FT_AMOUNT_UNIT), SIZE_UNITS_MAX);
		if (tier == FT_TIER_EDGE && type.blade.servers) {
			l->blade = true;
			l->servers = type.blade.servers;
			l->chassis_units = ft_number_least(type.blade.size_u, SIZE_UNITS_MAX);
			l->rack_groups = type.blade.rack_chassis;
		}
	}
	/* Those without hosts of a network with groups are of the tier of cores, whatever they stand as. */
	if (l->plan->topology == FT_TOPOLOGY_GRAPH)
		l->units[FT_TIER_SPINE] = l->units[FT_TIER_CORE];
}

/* What room is kept for: never less than what is there. */
static void count_room(struct layout *l)
{
	const struct ft_plan *plan = l->plan;

	l->room = plan->topology == FT_TOPOLOGY_STAR ? plan->nodes_max : plan->tree->ports_to_nodes;
	l->pod_edges = maximum(plan->tree->pod_edges, 1);
	l->pod_spines = plan->tree->pod_spines;
	l->pods = maximum(plan->tree->pods_max, 1);
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_seat *seat = &l->seats[i];
		uint32_t *places = seat->tier == FT_TIER_EDGE ? &l->pod_edges : &l->pod_spines;

		if (seat->tier == FT_TIER_CORE)
			continue;
		l->room = maximum(l->room, plan->switches[i].hosts);
		*places = maximum(*places, seat->place + 1);
		l->pods = maximum(l->pods, seat->pod + 1);
	}
	l->room = maximum(l->room, 1);
}

static void lay_chassis(struct layout *l)
{
	struct ft_floor_model *model = &l->floor->model;
	uint32_t fit, pod_chassis;

	if (!l->chassis_units)
		l->chassis_units = model->chassis_units;
	model->rack_units = maximum(model->rack_units, l->chassis_units);
	fit = model->rack_units / l->chassis_units;
	l->rack_groups = l->rack_groups ? ft_number_least(l->rack_groups, fit) : fit;
	l->group_racks = 1;
	l->edge_chassis = divide_up(l->room, l->servers);
	pod_chassis = l->edge_chassis * l->pod_edges;
	l->edge_racks = divide_up(pod_chassis, l->rack_groups);
	l->free_unit = ft_number_least(pod_chassis, l->rack_groups) * l->chassis_units + 1;
	l->free_units = model->rack_units - (l->free_unit - 1);
}

/* A large director has its rack to itself. */
static bool is_alone(const struct layout *l)
{
	return l->units[FT_TIER_EDGE] > l->floor->model.rack_units / 2;
}

/* Hosts in rack @rack of the racks that one group takes. */
static uint32_t host_slots(const struct layout *l, uint32_t rack)
{
	const struct ft_floor_model *model = &l->floor->model;

	if (rack != l->group_racks / 2)
		return model->rack_units / model->host_units;
	return is_alone(l) ? 0 : (model->rack_units - l->units[FT_TIER_EDGE]) / model->host_units;
}

static void lay_groups(struct layout *l)
{
	const struct ft_floor_model *model = &l->floor->model;
	uint64_t group_units = (uint64_t)l->room * model->host_units + l->units[FT_TIER_EDGE], groups;

	l->rack_groups = is_alone(l) ? 0 : (uint32_t)(model->rack_units / group_units);
	if (l->rack_groups) {
		l->group_racks = 1;
		groups = ft_number_least(l->rack_groups, l->pod_edges);
		l->edge_racks = divide_up(l->pod_edges, l->rack_groups);
		l->free_unit = (uint32_t)groups * l->room * model->host_units + 1;
		l->free_units = model->rack_units - (uint32_t)(groups * group_units);
		return;
	}
	l->group_racks = 1;
	while ((uint64_t)(l->group_racks - 1) * (model->rack_units / model->host_units) +
		       host_slots(l, l->group_racks / 2) <
	       l->room)
		l->group_racks++;
	l->edge_racks = l->group_racks * l->pod_edges;
}

/* Units from one switch of @tier to the next above it in a rack. */
static uint32_t pitch(const struct layout *l, enum ft_tier tier)
{
	return ft_number_least(l->units[tier] + l->floor->model.manager_units, l->floor->model.rack_units);
}

/* Racks that @count switches of @tier take; 0 if the free units of a middle rack will do. */
static uint32_t upper_racks(const struct layout *l, enum ft_tier tier, uint32_t count)
{
	if ((uint64_t)count * pitch(l, tier) <= l->free_units)
		return 0;
	return divide_up(count, l->floor->model.rack_units / pitch(l, tier));
}

static void lay_upper(struct layout *l)
{
	if (l->count[FT_TIER_SPINE]) {
		l->spine_racks = upper_racks(l, FT_TIER_SPINE, l->pod_spines);
		l->free_units = 0;
	}
	if (l->count[FT_TIER_CORE])
		l->core_racks = upper_racks(l, FT_TIER_CORE, l->count[FT_TIER_CORE]);
}

/* The longest row that leaves a floor of @racks at least as long across its rows as along them. */
static uint32_t square_row(const struct ft_floor_model *model, uint64_t racks)
{
	uint32_t row = 1;

	while ((uint64_t)row * row * model->rack_width_mm < racks * model->row_pitch_mm)
		row++;
	return row;
}

static int lay_rows(struct layout *l)
{
	struct ft_floor *floor = l->floor;
	uint64_t racks = (uint64_t)l->pods * (l->edge_racks + l->spine_racks) + l->core_racks;

	if (racks > RACKS_MAX)
		return -EINVAL;
	if (l->row_by_row) {
		floor->rows = l->pods;
		floor->columns = l->edge_racks;
		return 0;
	}
	floor->rows = divide_up(racks, maximum(floor->model.row_racks, square_row(&floor->model, racks)));
	floor->columns = divide_up(racks, floor->rows);
	return 0;
}

/* A rack on the floor, and how far from the middle. */
struct spot {
	uint64_t distance;
	uint32_t rack;
	uint32_t order; /* on the way along one row and back in the next */
};

static int spot_compare(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return x->rack < y->rack ? -1 : x->rack > y->rack;
}

static int order_compare(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

static uint64_t from_middle(uint32_t index, uint32_t count)
{
	return 2 * index + 1 > count ? 2 * index + 1 - count : count - 2 * index - 1;
}

static struct spot spot_make(const struct ft_floor *floor, uint32_t rack, bool row_by_row)
{
	uint32_t row = rack / floor->columns, column = rack % floor->columns;

	return (struct spot){
		.distance = from_middle(row, floor->rows) * floor->model.row_pitch_mm +
			    from_middle(column, floor->columns) * floor->model.rack_width_mm,
		.rack = rack,
		.order = row % 2 && !row_by_row ? row * floor->columns + floor->columns - 1 - column : rack,
	};
}

/* The racks nearest to the middle are the core's, the others the pods'. */
static int deal_racks(struct layout *l)
{
	const struct ft_floor *floor = l->floor;
	uint32_t count = floor->rows * floor->columns;
	_cleanup_free_ struct spot *spots = calloc(count, sizeof(*spots));

	l->racks = calloc(count, sizeof(*l->racks));
	if (!spots || !l->racks)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		spots[i] = spot_make(floor, i, l->row_by_row);
	qsort(spots, count, sizeof(*spots), spot_compare);
	qsort(spots, l->core_racks, sizeof(*spots), order_compare);
	qsort(spots + l->core_racks, count - l->core_racks, sizeof(*spots), order_compare);
	for (uint32_t i = 0; i < count; i++)
		l->racks[i] = spots[i].rack;
	return 0;
}

/* Rack @index of those of @pod that have edge switches. */
static uint32_t edge_rack(const struct layout *l, uint32_t pod, uint32_t index)
{
	uint32_t before_spines = (l->edge_racks + 1) / 2;

	return l->racks[l->core_racks + pod * (l->edge_racks + l->spine_racks) + index +
			(index < before_spines ? 0 : l->spine_racks)];
}

static struct ft_floor_place chassis_place(const struct layout *l, uint32_t pod, uint32_t index)
{
	return (struct ft_floor_place){
		.rack = edge_rack(l, pod, index / l->rack_groups),
		.unit = index % l->rack_groups * l->chassis_units + 1,
		.units = l->chassis_units,
	};
}

static void place_blades(const struct layout *l, uint32_t edge, struct ft_floor_place *hosts)
{
	const struct ft_plan_switch *sw = &l->plan->switches[edge];
	const struct ft_seat *seat = &l->seats[edge];
	uint32_t first = seat->place * l->edge_chassis;

	l->floor->switches[edge] = chassis_place(l, seat->pod, first);
	for (uint32_t i = 0; i < sw->hosts; i++) {
		hosts[i] = chassis_place(l, seat->pod, first + i / l->servers);
		hosts[i].midplane = i < l->servers;
	}
}

/* Several edge switches with their hosts in one rack: hosts from the bottom, switches from the top. */
static void place_group(const struct layout *l, uint32_t edge, struct ft_floor_place *hosts)
{
	const struct ft_floor_model *model = &l->floor->model;
	const struct ft_plan_switch *sw = &l->plan->switches[edge];
	const struct ft_seat *seat = &l->seats[edge];
	uint32_t rack = edge_rack(l, seat->pod, seat->place / l->rack_groups), group = seat->place % l->rack_groups;
	uint32_t units = l->units[FT_TIER_EDGE];

	l->floor->switches[edge] = (struct ft_floor_place){
		.rack = rack,
		.unit = model->rack_units - (group + 1) * units + 1,
		.units = units,
	};
	for (uint32_t i = 0; i < sw->hosts; i++)
		hosts[i] = (struct ft_floor_place){
			.rack = rack,
			.unit = (group * l->room + i) * model->host_units + 1,
			.units = model->host_units,
		};
}

/* One edge switch with its hosts in several racks. */
static void place_large_group(const struct layout *l, uint32_t edge, struct ft_floor_place *hosts)
{
	const struct ft_floor_model *model = &l->floor->model;
	const struct ft_plan_switch *sw = &l->plan->switches[edge];
	const struct ft_seat *seat = &l->seats[edge];
	uint32_t first = seat->place * l->group_racks, units = l->units[FT_TIER_EDGE], rack = 0, slot = 0;

	l->floor->switches[edge] = (struct ft_floor_place){
		.rack = edge_rack(l, seat->pod, first + l->group_racks / 2),
		.unit = model->rack_units - units + 1,
		.units = units,
	};
	for (uint32_t i = 0; i < sw->hosts; i++, slot++) {
		for (; slot == host_slots(l, rack); slot = 0)
			rack++;
		hosts[i] = (struct ft_floor_place){
			.rack = edge_rack(l, seat->pod, first + rack),
			.unit = slot * model->host_units + 1,
			.units = model->host_units,
		};
	}
}

static void place_edges(const struct layout *l)
{
	struct ft_floor_place *hosts = l->floor->hosts;

	for (uint32_t i = 0; i < l->plan->switch_count; i++) {
		if (l->plan->switches[i].tier != FT_TIER_EDGE)
			continue;
		if (l->blade)
			place_blades(l, i, hosts);
		else if (l->rack_groups)
			place_group(l, i, hosts);
		else
			place_large_group(l, i, hosts);
		hosts += l->plan->switches[i].hosts;
	}
}

/* Switch @index of @tier in racks of its tier's own, from place @first of the list on, or (@own false) in one more. */
static struct ft_floor_place upper_place(const struct layout *l, enum ft_tier tier, uint32_t index, uint32_t first,
					 bool own)
{
	uint32_t step = pitch(l, tier), fit = l->floor->model.rack_units / step;

	return (struct ft_floor_place){
		.rack = own ? l->racks[first + index / fit] : first,
		.unit = own ? index % fit * step + 1 : l->free_unit + index * step,
		.units = l->units[tier],
	};
}

/* Hosts of an upper switch, which only classes have: in its rack, from the top down. */
static void place_upper_hosts(const struct layout *l)
{
	const struct ft_floor_model *model = &l->floor->model;
	uint32_t fit = model->rack_units / model->host_units;
	struct ft_floor_place *host = l->floor->hosts;

	for (uint32_t i = 0; i < l->plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &l->plan->switches[i];

		for (uint32_t k = 0; k < sw->hosts; k++, host++)
			if (sw->tier != FT_TIER_EDGE)
				*host = (struct ft_floor_place){
					.rack = l->floor->switches[i].rack,
					.unit = (fit - 1 - k % fit) * model->host_units + 1,
					.units = model->host_units,
				};
	}
}

static void place_upper(const struct layout *l)
{
	const struct ft_plan *plan = l->plan;
	uint32_t middle = (l->edge_racks - 1) / 2, first, core = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_seat *seat = &l->seats[i];

		if (seat->tier == FT_TIER_EDGE)
			continue;
		if (seat->tier == FT_TIER_CORE) {
			first = l->core_racks ? 0 : edge_rack(l, 0, middle);
			l->floor->switches[i] = upper_place(l, seat->tier, core++, first, l->core_racks > 0);
			continue;
		}
		first = l->spine_racks ? l->core_racks + seat->pod * (l->edge_racks + l->spine_racks) + middle + 1
				       : edge_rack(l, seat->pod, middle);
		l->floor->switches[i] = upper_place(l, seat->tier, seat->place, first, l->spine_racks > 0);
	}
}

static bool model_is_valid(const struct ft_floor_model *model)
{
	return model->rack_units > 0 && model->host_units > 0 && model->host_units <= model->rack_units &&
	       model->chassis_units > 0 && model->row_racks > 0 && model->rack_width_mm > 0;
}

static int lay_out(struct layout *l, const struct ft_catalog *catalog)
{
	struct ft_floor_model *model = &l->floor->model;

	size_switches(l, catalog);
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		model->rack_units = maximum(model->rack_units, l->units[tier]);
	count_room(l);
	if (l->blade)
		lay_chassis(l);
	else
		lay_groups(l);
	lay_upper(l);
	return lay_rows(l);
}

void ft_floor_free(struct ft_floor *floor)
{
	if (!floor)
		return;
	free(floor->switches);
	free(floor->hosts);
	free(floor);
}

static struct ft_floor *floor_new(const struct ft_plan *plan, const struct ft_floor_model *model)
{
	_cleanup_(ft_floor_freep) struct ft_floor *floor = calloc(1, sizeof(*floor));

	if (!floor)
		return NULL;
	floor->model = *model;
	floor->switch_count = plan->switch_count;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		floor->host_count += plan->switches[i].hosts;
	floor->switches = calloc((size_t)floor->switch_count + 1, sizeof(*floor->switches));
	floor->hosts = calloc((size_t)floor->host_count + 1, sizeof(*floor->hosts));
	return floor->switches && floor->hosts ? FT_STEAL(floor) : NULL;
}

/* @across: of the dimensions of a grid, as in ft_seats_make(). */
static int floor_make(const struct ft_plan *plan, const struct ft_catalog *catalog, const struct ft_floor_model *model,
		      uint32_t across, struct ft_floor **ret_floor)
{
	_cleanup_(ft_floor_freep) struct ft_floor *floor = NULL;
	_cleanup_(layout_release) struct layout l = {.plan = plan, .row_by_row = across > 0};
	int r;

	l.floor = floor = floor_new(plan, model);
	l.seats = calloc((size_t)plan->switch_count + 1, sizeof(*l.seats));
	if (!floor || !l.seats)
		return -ENOMEM;
	r = ft_seats_make(plan, across, l.seats);
	if (r == 0)
		r = lay_out(&l, catalog);
	if (r == 0)
		r = deal_racks(&l);
	if (r < 0)
		return r;
	place_edges(&l);
	place_upper(&l);
	place_upper_hosts(&l);
	*ret_floor = FT_STEAL(floor);
	return 0;
}

/* Of the cables between switches. */
struct lengths {
	uint32_t longest_mm; /* as it is bought */
	uint64_t all_mm;
};

static struct lengths lengths_of(const struct ft_plan *plan, const struct ft_floor *floor)
{
	struct lengths lengths = {0};

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];
		uint32_t mm = ft_floor_distance_mm(floor, &floor->switches[bundle->a], &floor->switches[bundle->b]);

		lengths.longest_mm = maximum(lengths.longest_mm, ft_floor_cable_mm(mm));
		lengths.all_mm += (uint64_t)mm * bundle->count;
	}
	return lengths;
}

static bool are_shorter(struct lengths a, struct lengths b)
{
	return a.longest_mm != b.longest_mm ? a.longest_mm < b.longest_mm : a.all_mm < b.all_mm;
}

/* A grid stands so that its longest cable is as short as can be: each number of dimensions across the rows is tried. */
static int floor_make_grid(const struct ft_plan *plan, const struct ft_catalog *catalog,
			   const struct ft_floor_model *model, struct ft_floor **ret_floor)
{
	_cleanup_(ft_floor_freep) struct ft_floor *best = NULL;
	struct lengths least = {0};

	for (uint32_t across = 0; across < plan->dim_count; across++) {
		_cleanup_(ft_floor_freep) struct ft_floor *floor = NULL;
		struct lengths lengths;
		int r = floor_make(plan, catalog, model, across, &floor);

		if (r == -EINVAL && best)
			continue;
		if (r < 0)
			return r;
		lengths = lengths_of(plan, floor);
		if (best && !are_shorter(lengths, least))
			continue;
		ft_floor_free(best);
		best = FT_STEAL(floor);
		least = lengths;
	}
	*ret_floor = FT_STEAL(best);
	return 0;
}

int ft_floor_make(const struct ft_plan *plan, const struct ft_catalog *catalog, const struct ft_floor_model *model,
		  struct ft_floor **ret_floor)
{
	if (!model)
		model = &ft_floor_default;
	if (!model_is_valid(model))
		return -EINVAL;
	if (ft_seats_are_grid(plan))
		return floor_make_grid(plan, catalog, model, ret_floor);
	return floor_make(plan, catalog, model, 0, ret_floor);
}

const char *ft_floor_rack_name(const struct ft_floor *floor, uint32_t rack, char buffer[FT_FLOOR_RACK_SIZE])
{
	uint32_t row = rack / floor->columns, column = rack % floor->columns + 1;
	char letters[FT_FLOOR_RACK_SIZE / 2], *start = letters + sizeof(letters) - 1;

	*start = '\0';
	do {
		*--start = (char)('A' + row % 26);
		row /= 26;
	} while (row-- > 0);
	snprintf(buffer, FT_FLOOR_RACK_SIZE, "%s%02u", start, column % 10000000);
	return buffer;
}

/* Of the middle of @place, from the bottom of the racks. */
static uint64_t height_um(const struct ft_floor_place *place)
{
	return (2 * (uint64_t)(place->unit - 1) + place->units) * HALF_UNIT_UM;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

uint32_t ft_floor_distance_mm(const struct ft_floor *floor, const struct ft_floor_place *a,
			      const struct ft_floor_place *b)
{
	const struct ft_floor_model *model = &floor->model;
	uint64_t tray_um = (uint64_t)model->rack_units * 2 * HALF_UNIT_UM + (uint64_t)model->tray_mm * 1000;
	uint64_t up_um = height_um(a), down_um = height_um(b), mm = 2 * (uint64_t)model->slack_mm;

	if (a->rack == b->rack)
		return (uint32_t)(mm + (difference(up_um, down_um) + 999) / 1000);
	mm += difference(a->rack / floor->columns, b->rack / floor->columns) * model->row_pitch_mm;
	mm += difference(a->rack % floor->columns, b->rack % floor->columns) * model->rack_width_mm;
	mm += (2 * tray_um - up_um - down_um + 999) / 1000;
	return mm > UINT32_MAX ? UINT32_MAX : (uint32_t)mm;
}

uint32_t ft_floor_cable_mm(uint32_t distance_mm)
{
	static const uint32_t lengths_mm[] = {500,  1000,  1500,  2000,	 2500,	3000,  4000,  5000,
					      7000, 10000, 15000, 20000, 30000, 50000, 70000, 100000};
	enum { STEP_MM = 50000 };

	for (size_t i = 0; i < FT_COUNT(lengths_mm); i++)
		if (distance_mm <= lengths_mm[i])
			return lengths_mm[i];
	return ft_number_least(divide_up(distance_mm, STEP_MM), UINT32_MAX / STEP_MM) * STEP_MM;
}
