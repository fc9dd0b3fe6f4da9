/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Writes the inferred design as a design file, for users to read and edit. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "verify/infer/by_rule.h"

static const char *const why_names[FT_WHY_COUNT] = {
	[FT_WHY_TOPOLOGY] = "topology",
	[FT_WHY_NODES] = "nodes",
	[FT_WHY_EDGE] = "edge.count",
	[FT_WHY_SPINE] = "spine.count",
	[FT_WHY_CORE] = "core.count",
	[FT_WHY_PODS] = "pods",
	[FT_WHY_SPLIT] = "edge.ports_to_nodes",
	[FT_WHY_BUNDLE] = "bundle",
	[FT_WHY_FILL] = "fill",
	[FT_WHY_INSIDE] = "inside",
	[FT_WHY_RATE] = "rate",
	[FT_WHY_AGGREGATION] = "aggregation",
	[FT_WHY_BIND] = "bind",
	[FT_WHY_ISLANDS] = "islands",
	[FT_WHY_UNPLANNED] = "unplanned",
};

static void write_why(struct ft_text *text, const struct ft_inference *f)
{
	const char *separator = "";

	ft_text_puts(text, ",\n\t\"why\": {");
	for (unsigned int i = 0; i < FT_WHY_COUNT; i++) {
		const char *note = ft_text_string(&f->why[i]);

		if (!note[0])
			continue;
		ft_text_printf(text, "%s\n\t\t\"%s\": ", separator, why_names[i]);
		ft_text_add_json(text, note);
		separator = ",";
	}
	ft_text_puts(text, "\n\t}");
}

/* A number of line boards, or one from which it would follow. */
static bool is_of_lines(unsigned int key)
{
	return strncmp(ft_inside_keys[key].name, "line_boards", strlen("line_boards")) == 0 ||
	       strcmp(ft_inside_keys[key].name, "line_ports") == 0;
}

/* The properties of a rank's switches: ports, and for directors what they consist of. */
static void write_switch(struct ft_text *text, const struct ft_inference *f, uint32_t rank)
{
	const struct ft_inside *inside = &f->design.inside[rank];
	const char *separator = "";

	ft_text_printf(text, ",\n\t\"%s\": {\"ports\": %u", ft_infer_rank_name(f, rank), f->design.ports[rank]);
	if (!f->design.directors[rank])
		return;
	ft_text_puts(text, ", \"inside\": {");
	for (unsigned int key = 0; key < FT_INSIDE_KEYS; key++) {
		if (ft_inside_get(inside, key) == 0 || (f->design.boards_unlike[rank] && is_of_lines(key)))
			continue;
		ft_text_printf(text, "%s\"%s\": %u", separator, ft_inside_keys[key].name, ft_inside_get(inside, key));
		separator = ", ";
	}
	ft_text_puts(text, "}");
	if (f->chassis_match[rank]) {
		ft_text_puts(text, ", \"chassis\": ");
		ft_text_add_json(text, f->chassis_match[rank]);
	}
}

static void write_star(struct ft_text *text, const struct ft_inference *f)
{
	ft_text_printf(text, ",\n\t\"topology\": \"star\",\n\t\"nodes\": %u", f->design.nodes);
	write_switch(text, f, 0);
	ft_text_puts(text, "}");
}

static void write_pods(struct ft_text *text, const struct ft_inference *f)
{
	const struct ft_inferred *d = &f->design;

	if (d->pod_kinds == 1) {
		ft_text_printf(text, ",\n\t\"pods\": %u", d->pod_kind[0].count);
		return;
	}
	ft_text_puts(text, ",\n\t\"pods\": [");
	for (uint32_t i = 0; i < d->pod_kinds; i++)
		ft_text_printf(text, "%s{\"count\": %u, \"edges\": %u}", i ? ", " : "", d->pod_kind[i].count,
			       d->pod_kind[i].edges);
	ft_text_puts(text, "]");
}

static void write_spread(struct ft_text *text, const struct ft_inference *f)
{
	const struct ft_inferred *d = &f->design;

	if (d->bundle[1] > 0) {
		ft_text_puts(text, ",\n\t\"bundle\": {");
		if (d->bundle[0] > 0)
			ft_text_printf(text, "\"edge\": %u, ", d->bundle[0]);
		ft_text_printf(text, "\"spine\": %u}", d->bundle[1]);
	} else if (d->bundle[0] > 0) {
		ft_text_printf(text, ",\n\t\"bundle\": %u", d->bundle[0]);
	}
	if (d->spread == FT_SPREAD_THICK)
		ft_text_puts(text, ",\n\t\"bundles\": \"thick\"");
	else if (d->spread == FT_SPREAD_MULTIPLE)
		ft_text_printf(text, ",\n\t\"bundles\": {\"multiple\": %u}", d->multiple);
}

/*
 * True if each edge switch has its own number of hosts in the design: where planes are shared, or with rings, it says
 * no more than that, and any other number would be too many.
 */
static bool lists_hosts(const struct ft_inference *f)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < f->count[0]; i++)
		sum += f->hosts[f->member[0][i]];
	return (f->fit.share > 1 || f->design.ring[1] + f->design.ring[2] > 0) && sum == f->design.nodes &&
	       f->count[0] == f->design.count[0];
}

static void write_tree(struct ft_text *text, const struct ft_inference *f)
{
	const struct ft_inferred *d = &f->design;
	bool listed = lists_hosts(f);

	ft_text_puts(text, ",\n\t\"topology\": \"fat-tree\"");
	if (f->fit.ranks > 2)
		ft_text_printf(text, ",\n\t\"levels\": %u", f->fit.ranks);
	ft_text_printf(text, ",\n\t\"nodes\": %u", d->nodes);
	write_switch(text, f, 0);
	ft_text_printf(text, ", \"count\": %u, \"ports_to_nodes\": %u, \"ports_to_core\": %u", d->count[0],
		       d->host_ports, d->up[0]);
	for (uint32_t i = 0; i < d->host_kinds; i++)
		ft_text_printf(text, "%s{\"count\": %u, \"hosts\": %u}", i ? ", " : ",\n\t\t\"hosts\": [",
			       d->hosts[i].count, d->hosts[i].hosts);
	ft_text_puts(text, d->host_kinds ? "]" : "");
	if (listed)
		ft_infer_by_rule_hosts(f, f->member[0], f->count[0], 0, text);
	ft_text_puts(text, "}");
	for (uint32_t rank = 1; rank < f->fit.ranks; rank++) {
		write_switch(text, f, rank);
		ft_text_printf(text, ", \"count\": %u", d->count[rank]);
		if (d->up[rank] > 0)
			ft_text_printf(text, ", \"ports_to_core\": %u", d->up[rank]);
		ft_text_puts(text, "}");
	}
	if (f->fit.ranks > 2)
		write_pods(text, f);
	if (f->fit.share > 1)
		ft_text_printf(text, ",\n\t\"planes\": %u", f->fit.groups[1]);
	if (d->ring[1] + d->ring[2] > 0) {
		ft_text_puts(text, ",\n\t\"rings\": {");
		if (d->ring[1] > 0)
			ft_text_printf(text, "\"spine\": %u%s", d->ring[1], d->ring[2] > 0 ? ", " : "");
		if (d->ring[2] > 0)
			ft_text_printf(text, "\"core\": %u", d->ring[2]);
		ft_text_puts(text, "}");
	}
	write_spread(text, f);
	if (!listed)
		ft_text_printf(text, ",\n\t\"fill\": \"%s\"", ft_fill_name(d->fill));
}

static void write_rate_name(struct ft_text *text, struct ft_rate rate)
{
	char name[FT_RATE_NAME_SIZE];

	ft_text_printf(text, "\"%s\"", ft_rate_name(rate, name));
}

void ft_infer_write_rates_of(struct ft_text *text, const char *before, struct ft_rate uplink,
			     const struct ft_rate *hosts, uint32_t host_count)
{
	bool known = uplink.speed != FT_SPEED_UNKNOWN;

	if (!known && host_count == 0)
		return;
	ft_text_printf(text, "%s\"rate\": {", before);
	if (known) {
		ft_text_puts(text, "\"uplink\": ");
		write_rate_name(text, uplink);
	}
	if (host_count > 0)
		ft_text_printf(text, "%s\"host\": %s", known ? ", " : "", host_count > 1 ? "[" : "");
	for (uint32_t i = 0; i < host_count; i++) {
		ft_text_puts(text, i ? ", " : "");
		write_rate_name(text, hosts[i]);
	}
	ft_text_puts(text, host_count > 1 ? "]}" : "}");
}

void ft_infer_write_rates(struct ft_text *text, const struct ft_inference *f)
{
	const struct ft_inferred *d = &f->design;

	ft_infer_write_rates_of(text, ",\n\t", d->uplink_rate, d->host_rates, d->host_rate_count);
}

/* A list of names, or of GUIDs; unseen switches are where the plan has them. */
static void write_list(struct ft_text *text, const struct ft_inference *f, uint32_t rank)
{
	const struct ft_inferred_bind *bind = &f->bind[rank];
	uint32_t unseen = bind->names ? f->unseen[rank] : 0, count = f->count[rank];
	uint32_t at = unseen > 0 ? f->unseen_at[rank] : count;
	bool *by_guid = ft_arena_zeros(f->memory, f->observed->switch_count, sizeof(*by_guid));
	uint32_t *place = ft_arena_numbers(f->memory, (size_t)count + unseen, FT_NONE);

	text->failed |= !by_guid || !place;
	if (!by_guid || !place)
		return;
	memset(by_guid, bind->guids, f->observed->switch_count * sizeof(*by_guid));
	memcpy(place, f->member[rank], at * sizeof(*place));
	memcpy(place + at + unseen, f->member[rank] + at, (count - at) * sizeof(*place));
	ft_infer_by_rule_bind_all(f, place, count + unseen, by_guid, bind->called, text);
}

static void write_binds(struct ft_text *text, const struct ft_inference *f)
{
	bool any = false;

	for (uint32_t rank = 0; rank < FT_RANKS_MAX; rank++) {
		if (!f->bind[rank].names && !f->bind[rank].guids)
			continue;
		ft_text_printf(text, "%s\n\t\t\"%s\": ", any ? "," : ",\n\t\"bind\": {", ft_infer_rank_name(f, rank));
		any = true;
		write_list(text, f, rank);
	}
	ft_text_puts(text, any ? "\n\t}" : "");
}

void ft_infer_write_head(struct ft_text *text, const struct ft_snapshot *snapshot, const char *name)
{
	_cleanup_free_ char *safe = ft_text_safe_dup(name, strlen(name));

	text->failed |= !safe;
	ft_text_puts(text, "{\n\t\"ftcheck\": 1,\n\t\"name\": ");
	ft_text_add_json(text, safe ? safe : "");
	if (snapshot->source.ethernet)
		ft_text_puts(text, ",\n\t\"technology\": \"ethernet\",\n\t\"vlans\": false");
}

void ft_infer_write(struct ft_text *text, const struct ft_inference *f, const char *name)
{
	ft_infer_write_head(text, f->snapshot, name);
	write_why(text, f);
	if (f->fit.ranks == 1)
		write_star(text, f);
	else
		write_tree(text, f);
	ft_infer_write_rates(text, f);
	write_binds(text, f);
	ft_text_puts(text, f->islands ? f->islands : "");
	ft_text_puts(text, "\n}\n");
}
