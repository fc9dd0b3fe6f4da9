/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The key "accepted" of a design: deviations of what was built from what the design gives, which someone has accepted.
 * The design stays readable: it says what was meant, and the list what is different.
 */
#include "planner/design/design_parts.h"

#include <errno.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"

void ft_design_accepted_release(struct ft_design *design)
{
	for (size_t i = 0; design->accepted && i < design->accepted_count; i++) {
		struct ft_accepted *accepted = &design->accepted[i];

		for (size_t n = 0; accepted->changes && n < accepted->change_count; n++) {
			free(accepted->changes[n].a);
			free(accepted->changes[n].b);
		}
		free(accepted->changes);
		free(accepted->id);
		free(accepted->by);
		free(accepted->at);
		free(accepted->why);
	}
	free(design->accepted);
}

/* ---- reading ---- */

static int key_rate(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_accepted_change *change = out;
	struct ft_rates up = {0}, host = {0};
	int r = json_is_string(at->value) ? ft_design_read_rates(reader, at, &up, &host)
					  : ft_key_error(reader, at, "must be a rate such as \"4xHDR\"");

	if (r == 0)
		change->rate = up.rates[0];
	free(up.rates);
	free(host.rates);
	return r;
}

static int key_change(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
#define CHANGE(field) offsetof(struct ft_accepted_change, field)
	static const struct ft_key keys[] = {
		{"add", ft_key_count, CHANGE(add), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"remove", ft_key_count, CHANGE(remove), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"hosts", ft_key_count, CHANGE(hosts), 0, FT_DIRECTOR_PORTS_MAX, NULL},
		{"gone", ft_key_bool, CHANGE(gone), 0, 0, NULL},
		{"rate", key_rate, 0, 0, 0, NULL},
		{"a", ft_key_string, CHANGE(a), 0, 0, "the switch"},
		{"a_port", ft_key_count, CHANGE(a_port), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"b", ft_key_string, CHANGE(b), 0, 0, NULL},
		{"b_port", ft_key_count, CHANGE(b_port), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	};
#undef CHANGE
	struct ft_accepted_change *change = out;
	struct ft_error place = {0};
	unsigned int kinds;
	int r;

	change->hosts = FT_NONE;
	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), change);
	if (r < 0)
		return r;
	kinds = (change->add > 0) + (change->remove > 0) + (change->hosts != FT_NONE) + change->gone +
		(change->rate.lanes > 0);
	if (kinds != 1)
		return ft_key_error(reader, at,
				    "must say one of \"add\", \"remove\", \"hosts\", \"gone\" and \"rate\"");
	if ((change->add > 0 || change->remove > 0) != (change->b != NULL))
		return ft_key_error(reader, at,
				    "needs \"b\", the other switch, with \"add\" and \"remove\", and only there");
	if (change->rate.lanes > 0 && change->a_port == 0)
		return ft_key_error(reader, at, "needs \"a_port\": the port whose cable has that rate");
	ft_json_error_element(&reader->json, &place, at->parent, at->index, "%s", "");
	change->line = place.line;
	change->column = place.column;
	return 0;
}

static int key_changes(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_accepted *accepted = out;

	return ft_key_read_list(reader, at, key_change, sizeof(*accepted->changes), &accepted->changes,
				&accepted->change_count);
}

static int key_accepted(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
#define ACCEPTED(field) offsetof(struct ft_accepted, field)
	static const struct ft_key keys[] = {
		{"id", ft_key_string, ACCEPTED(id), 0, 0, "the id of the finding"},
		{"by", ft_key_string, ACCEPTED(by), 0, 256, "who accepted it"},
		{"at", ft_key_string, ACCEPTED(at), 0, 32, "when it was accepted"},
		{"why", ft_key_string, ACCEPTED(why), 0, 0, NULL},
		{"finding", ft_key_note, 0, 0, 0, NULL},
		{"changes", key_changes, 0, 0, 0, "what is different"},
	};
#undef ACCEPTED

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}

int ft_design_key_accepted(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;

	return ft_key_read_list(reader, at, key_accepted, sizeof(*design->accepted), &design->accepted,
				&design->accepted_count);
}

/* ---- the plan with it ---- */

struct accepting {
	struct ft_plan *plan;
	struct ft_error *err;
	struct ft_map names; /* switches by name */
};

static int switch_find(struct accepting *x, const struct ft_accepted_change *change, const char *name, uint32_t *ret)
{
	*ret = ft_map_get(&x->names, ft_text_hash(name));
	if (*ret != FT_NONE)
		return 0;
	return ft_error_set(x->err, -EINVAL, change->line, change->column, "the plan has no switch \"%s\"", name);
}

/* The first port behind all that the bundles of a switch have; which one it is matters to lists only. */
static uint32_t port_behind(const struct ft_plan *plan, uint32_t sw)
{
	uint32_t port = ft_plan_host_ports(plan, sw) + 1;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *b = &plan->bundles[i];
		uint32_t end = (b->a == sw ? b->a_port : b->b == sw ? b->b_port : 0) + b->count;

		if ((b->a == sw || b->b == sw) && end > port)
			port = end;
	}
	return port <= plan->switches[sw].ports ? port : 1;
}

static int bundle_insert(struct ft_plan *plan, uint32_t a, uint32_t b)
{
	struct ft_plan_bundle fresh = {a, b, 0, port_behind(plan, a), port_behind(plan, b)};
	uint32_t tree = ft_plan_tree_bundles(plan), at = 0;
	struct ft_plan_bundle *bundles = realloc(plan->bundles, (plan->bundle_count + 1UL) * sizeof(*bundles));

	if (!bundles)
		return -ENOMEM;
	plan->bundles = bundles;
	while (at < tree && (bundles[at].a < a || (bundles[at].a == a && bundles[at].b < b)))
		at++;
	memmove(bundles + at + 1, bundles + at, (plan->bundle_count - at) * sizeof(*bundles));
	bundles[at] = fresh;
	plan->bundle_count++;
	return 0;
}

static void bundle_delete(struct ft_plan *plan, uint32_t index)
{
	plan->beside_bundles -= index >= ft_plan_tree_bundles(plan);
	plan->bundle_count--;
	memmove(plan->bundles + index, plan->bundles + index + 1,
		(plan->bundle_count - index) * sizeof(*plan->bundles));
}

static int cable_compare(const void *one, const void *other)
{
	const struct ft_plan_cable *a = one, *b = other;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	if (a->b != b->b)
		return a->b < b->b ? -1 : 1;
	return a->a_port < b->a_port ? -1 : a->a_port > b->a_port;
}

/* In a plan port by port, the cable with these ports. */
static int listed_change(struct accepting *x, const struct ft_accepted_change *change,
			 const struct ft_plan_cable *cable)
{
	struct ft_plan *plan = x->plan;
	struct ft_plan_cable *cables;

	if (change->add > 0) {
		cables = realloc(plan->cables, (plan->cable_count + 1UL) * sizeof(*cables));
		if (!cables)
			return -ENOMEM;
		plan->cables = cables;
		cables[plan->cable_count++] = *cable;
		qsort(cables, plan->cable_count - plan->beside_cables, sizeof(*cables), cable_compare);
		return 0;
	}
	for (uint32_t i = 0; i < plan->cable_count; i++) {
		const struct ft_plan_cable *c = &plan->cables[i];

		if (c->a != cable->a || c->b != cable->b || (cable->a_port && c->a_port != cable->a_port) ||
		    (cable->b_port && c->b_port != cable->b_port))
			continue;
		plan->cable_count--;
		memmove(plan->cables + i, plan->cables + i + 1, (plan->cable_count - i) * sizeof(*plan->cables));
		return 0;
	}
	return ft_error_set(x->err, -EINVAL, change->line, change->column, "the plan has no such cable to remove");
}

static int cables_change(struct accepting *x, const struct ft_accepted_change *change)
{
	struct ft_plan *plan = x->plan;
	struct ft_plan_cable cable = {0};
	uint32_t one = 0, other = 0, index;
	int r = switch_find(x, change, change->a, &one);

	if (r == 0)
		r = switch_find(x, change, change->b, &other);
	if (r < 0)
		return r;
	if (one == other)
		return ft_error_set(x->err, -EINVAL, change->line, change->column, "no switch is cabled to itself");
	cable = one < other ? (struct ft_plan_cable){one, other, change->a_port, change->b_port}
			    : (struct ft_plan_cable){other, one, change->b_port, change->a_port};
	index = ft_plan_find_bundle(plan, cable.a, cable.b);
	if (change->remove > 0 && (index == FT_NONE || plan->bundles[index].count < change->remove))
		return ft_error_set(x->err, -EINVAL, change->line, change->column,
				    "the plan has fewer cables between %s and %s", change->a, change->b);
	if (index == FT_NONE) {
		if (ft_plan_is_beside(plan, cable.b))
			return ft_error_set(x->err, -EINVAL, change->line, change->column,
					    "cables to switches of islands are changed in \"islands\"");
		r = bundle_insert(plan, cable.a, cable.b);
		index = r == 0 ? ft_plan_find_bundle(plan, cable.a, cable.b) : 0;
	}
	for (uint32_t n = 0; r == 0 && plan->cable_count > 0 && n < change->add + change->remove; n++)
		r = listed_change(x, change, &cable);
	if (r < 0)
		return r;
	plan->bundles[index].count += change->add;
	plan->bundles[index].count -= change->remove;
	plan->links += change->add;
	plan->links -= change->remove;
	if (plan->bundles[index].count == 0)
		bundle_delete(plan, index);
	return 0;
}

static int hosts_change(struct accepting *x, const struct ft_accepted_change *change)
{
	struct ft_plan *plan = x->plan;
	uint32_t sw = 0, listed = 0;
	int r = switch_find(x, change, change->a, &sw);

	for (uint32_t i = 0; r == 0 && i < plan->host_count; i++)
		listed += plan->hosts[i].edge == sw;
	if (r == 0 &&
	    (change->hosts < listed || change->hosts > ft_plan_host_ports(plan, sw) + plan->switches[sw].ports))
		return ft_error_set(x->err, -EINVAL, change->line, change->column, "%s cannot have %u hosts", change->a,
				    change->hosts);
	if (r < 0)
		return r;
	plan->nodes += change->hosts - plan->switches[sw].hosts;
	plan->links += change->hosts - plan->switches[sw].hosts;
	plan->switches[sw].hosts = plan->switches[sw].hosts_rule = change->hosts;
	return 0;
}

/* The switch keeps its number, as bindings count switches; it has neither cables nor hosts. */
static int gone_change(struct accepting *x, const struct ft_accepted_change *change)
{
	struct ft_plan *plan = x->plan;
	uint32_t sw = 0, kept = 0;
	int r = switch_find(x, change, change->a, &sw);

	if (r < 0)
		return r;
	for (uint32_t i = plan->bundle_count; i-- > 0;)
		if (plan->bundles[i].a == sw || plan->bundles[i].b == sw) {
			plan->links -= plan->bundles[i].count;
			bundle_delete(plan, i);
		}
	for (uint32_t i = 0; i < plan->cable_count; i++)
		if (plan->cables[i].a != sw && plan->cables[i].b != sw)
			plan->cables[kept++] = plan->cables[i];
	plan->cable_count = kept;
	kept = 0;
	for (uint32_t i = 0; i < plan->host_count; i++) {
		if (plan->hosts[i].edge != sw) {
			plan->hosts[kept++] = plan->hosts[i];
			continue;
		}
		free(plan->hosts[i].name);
		free(plan->hosts[i].adapter);
	}
	plan->host_count = kept;
	plan->nodes -= ft_plan_is_beside(plan, sw) ? 0 : plan->switches[sw].hosts;
	plan->links -= plan->switches[sw].hosts;
	plan->switches[sw].hosts = plan->switches[sw].hosts_rule = 0;
	plan->switches[sw].gone = true;
	return 0;
}

static int change_apply(struct accepting *x, const struct ft_accepted_change *change)
{
	uint32_t sw;

	if (change->gone)
		return gone_change(x, change);
	if (change->hosts != FT_NONE)
		return hosts_change(x, change);
	if (change->rate.lanes > 0)
		return switch_find(x, change, change->a, &sw);
	return cables_change(x, change);
}

int ft_design_apply_accepted(const struct ft_key_reader *reader, const struct ft_design *design, struct ft_plan *plan)
{
	struct accepting x = {.plan = plan, .err = reader->err};
	int r = 0;

	for (uint32_t i = 0; r >= 0 && design->accepted_count > 0 && i < plan->switch_count; i++)
		r = ft_map_add(&x.names, ft_text_hash(plan->switches[i].name), i, NULL);
	if (r > 0)
		r = 0;
	for (size_t i = 0; r == 0 && i < design->accepted_count; i++)
		for (size_t n = 0; r == 0 && n < design->accepted[i].change_count; n++) {
			const struct ft_accepted_change *change = &design->accepted[i].changes[n];

			r = change_apply(&x, change);
			/* A slower cable changes nothing of the network. */
			if (r == 0 && change->rate.lanes == 0) {
				plan->amended |= !plan->general;
				plan->general = true;
				plan->symmetric = false;
				plan->bisection = FT_BISECTION_UNKNOWN;
			}
		}
	ft_map_release(&x.names);
	return r;
}

/* ---- the hash ---- */

int ft_design_hash(const json_t *root, char ret_hash[FT_DESIGN_HASH_SIZE])
{
	json_t *copy = json_copy((json_t *)(uintptr_t)root);
	char *text = NULL;

	if (!copy)
		return -ENOMEM;
	/* What follows from the rest, and what nobody reads. */
	json_object_del(copy, "plan");
	json_object_del(copy, "why");
	text = json_dumps(copy, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(copy);
	if (!text)
		return -ENOMEM;
	SHA256Data((const uint8_t *)text, strlen(text), ret_hash);
	free(text);
	return 0;
}
