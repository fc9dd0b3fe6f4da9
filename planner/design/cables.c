/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The keys of a design that go down to ports: cables and hosts, and what their names mean. */
#include "planner/design/design_parts.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/plan/adapter.h"
#include "planner/plan/cabling.h"
#include "planner/plan/names.h"

enum { NAME_SIZE_MAX = 64 }; /* IBTA Vol 1, NodeDescription: 64 bytes */

void ft_design_cabling_release(struct ft_design *design)
{
	for (size_t i = 0; i < design->cable_count; i++) {
		free(design->cables[i].a.name);
		free(design->cables[i].b.name);
	}
	for (size_t i = 0; i < design->host_count; i++) {
		free(design->hosts[i].name);
		free(design->hosts[i].edge.name);
		free(design->hosts[i].adapter);
	}
	for (size_t i = 0; i < design->name_rule_count; i++) {
		ft_pattern_free(design->name_rules[i].match);
		free(design->name_rules[i].as);
	}
	for (size_t i = 0; i < design->contradiction_count; i++) {
		struct ft_contradiction *c = &design->contradictions[i];

		for (size_t n = 0; n < c->of_count; n++)
			free(c->of[n]);
		free(c->of);
		free(c->why);
	}
	free(design->contradictions);
	free(design->cables);
	free(design->hosts);
	free(design->name_rules);
}

/* ---- keys ---- */

/* 20, or of a director "16/20" too. */
static int key_port(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	const char *label = json_string_value(at->value);
	struct ft_design_end *end = out;
	struct ft_port_label read;

	if (json_is_integer(at->value))
		return ft_key_count(reader, at, &end->port);
	if (!label)
		return ft_key_error(reader, at, "must be a port such as 20, or \"16/20\" of a director, not %s",
				    ft_key_type_name(at->value));
	if (strspn(label, "0123456789/") != strlen(label) || !strchr(label, '/') ||
	    ft_port_label_read(label, &read) < 0)
		return ft_key_error(reader, at, "is \"%s\"; a port is 20, or of a director \"16/20\", board and port",
				    label);
	end->board = read.board;
	end->port = read.port;
	return 0;
}

static int key_cable(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"a", ft_key_string, offsetof(struct ft_design_cable, a.name), 0, NAME_SIZE_MAX,
		 "the name of a planned switch"},
		{"a_port", key_port, offsetof(struct ft_design_cable, a), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"b", ft_key_string, offsetof(struct ft_design_cable, b.name), 0, NAME_SIZE_MAX,
		 "the name of a planned switch"},
		{"b_port", key_port, offsetof(struct ft_design_cable, b), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	};

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}

int ft_design_key_cables(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	const char *word = json_string_value(at->value);
	struct ft_design *design = out;

	if (word && strcmp(word, "plan") == 0) {
		design->cables_given = FT_CABLES_PLANNED;
		return 0;
	}
	if (json_array_size(at->value) == 0)
		return ft_key_error(reader, at, "must be a list of cables, or \"plan\": the ports that the plan gives");
	design->cables_given = FT_CABLES_LISTED;
	return ft_key_read_list(reader, at, key_cable, sizeof(*design->cables), &design->cables, &design->cable_count);
}

int ft_design_key_guid(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	const char *string = json_string_value(at->value);
	uint64_t *guid = out;

	*guid = string && strncmp(string, "0x", 2) == 0 ? ft_name_guid(string) : 0;
	if (*guid)
		return 0;
	return ft_key_error(reader, at, "must be a GUID: a string of 0x and up to 16 hexadecimal digits");
}

static int key_host(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"name", ft_key_string, offsetof(struct ft_design_host, name), 0, NAME_SIZE_MAX, NULL},
		{"guid", ft_design_key_guid, offsetof(struct ft_design_host, guid), 0, 0, NULL},
		{"edge", ft_key_string, offsetof(struct ft_design_host, edge.name), 0, NAME_SIZE_MAX,
		 "the planned edge switch that the host belongs to"},
		{"port", key_port, offsetof(struct ft_design_host, edge), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"adapter", ft_key_string, offsetof(struct ft_design_host, adapter), 0, NAME_SIZE_MAX, NULL},
		{"adapter_port", ft_key_count, offsetof(struct ft_design_host, adapter_port), 1, FT_ADAPTER_PORT_MAX,
		 NULL},
	};
	struct ft_design_host *host = out;
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), host);
	if (r == 0 && !host->name && !host->guid)
		return ft_key_error(reader, at, "lacks \"name\" or \"guid\": which host it is");
	return r;
}

int ft_design_key_hosts(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;

	return ft_key_read_list(reader, at, key_host, sizeof(*design->hosts), &design->hosts, &design->host_count);
}

static int key_machines(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_contradiction *c = out;

	return ft_key_read_list(reader, at, ft_key_string, sizeof(*c->of), &c->of, &c->of_count);
}

static int key_contradiction(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"of", key_machines, 0, 0, 0, "the machines whose cables exclude each other"},
		{"why", ft_key_string, offsetof(struct ft_contradiction, why), 0, 0, "what excludes what"},
	};

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}

int ft_design_key_contradictions(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;

	return ft_key_read_list(reader, at, key_contradiction, sizeof(*design->contradictions), &design->contradictions,
				&design->contradiction_count);
}

static int key_capturing(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	return ft_design_read_pattern(reader, at, ft_pattern_compile_capturing, out);
}

static int key_name_rule(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"match", key_capturing, offsetof(struct ft_name_rule, match), 0, FT_PATTERN_SIZE_MAX,
		 "a pattern of names in the spreadsheet"},
		{"as", ft_key_string, offsetof(struct ft_name_rule, as), 0, FT_PATTERN_SIZE_MAX,
		 "what they are called in the plan"},
	};
	struct ft_name_rule *rule = out;
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), rule);
	if (r < 0 || ft_pattern_takes_form(rule->match, rule->as))
		return r;
	return ft_json_error_value(&reader->json, reader->err, at->value, "as",
				   "\"as\" has a backslash that is not \\\\ or \\1 to \\9, one for each parenthesis of "
				   "\"match\"");
}

int ft_design_key_names(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;

	return ft_key_read_list(reader, at, key_name_rule, sizeof(*design->name_rules), &design->name_rules,
				&design->name_rule_count);
}

/* ---- into the plan ---- */

struct applying {
	const struct ft_key_reader *reader;
	const struct ft_design *design;
	struct ft_plan *plan;
	const char **names; /* of the planned switches; not owned */
	struct ft_names index;
	struct ft_cabling_cable *cables;
	struct ft_cabling_host *hosts;
};

static void applying_release(struct applying *a)
{
	ft_names_release(&a->index);
	free(a->names);
	free(a->cables);
	free(a->hosts);
}

static const json_t *list_of(const struct applying *a, bool of_hosts)
{
	return json_object_get(a->reader->json.root, of_hosts ? "hosts" : "cables");
}

/* The key of an entry's end. */
static const char *key_of(bool of_hosts, unsigned int end, bool port)
{
	static const char *const keys[][2] = {{"a", "a_port"}, {"b", "b_port"}, {"edge", "port"}};

	return keys[of_hosts ? 2 : end][port];
}

/* The planned switch of that name, or the only one of that short name. */
static uint32_t name_find(const struct applying *a, const char *name)
{
	uint32_t found = ft_names_find_exact(&a->index, name);

	if (found != FT_NONE)
		return found;
	for (uint32_t i = 0; i < ft_plan_tree_switches(a->plan); i++) {
		if (!ft_text_short_equal(a->names[i], name))
			continue;
		if (found != FT_NONE)
			return FT_NONE;
		found = i;
	}
	return found;
}

static int end_find(const struct applying *a, bool of_hosts, size_t entry, unsigned int end,
		    const struct ft_design_end *from, struct ft_cabling_end *ret_end)
{
	struct ft_key_at at = {.parent = json_array_get(list_of(a, of_hosts), entry),
			       .key = key_of(of_hosts, end, false)};
	uint32_t index = name_find(a, from->name);
	int r;

	if (index != FT_NONE) {
		*ret_end = (struct ft_cabling_end){.sw = index, .board = from->board, .port = from->port};
		return 0;
	}
	r = ft_names_find(&a->index, from->name, &index, NULL);
	if (r == 1)
		return ft_key_error(a->reader, &at, "is \"%s\", which is no switch of the plan; did you mean \"%s\"?",
				    from->name, a->names[index]);
	return r == -ENOMEM ? r : ft_key_error(a->reader, &at, "is \"%s\", which is no switch of the plan", from->name);
}

static int cables_list(struct applying *a, struct ft_cabling *list)
{
	const struct ft_design *design = a->design;
	int r = 0;

	a->cables = calloc(design->cable_count + 1, sizeof(*a->cables));
	if (!a->cables)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < design->cable_count; i++) {
		r = end_find(a, false, i, 0, &design->cables[i].a, &a->cables[i].ends[0]);
		if (r == 0)
			r = end_find(a, false, i, 1, &design->cables[i].b, &a->cables[i].ends[1]);
	}
	list->cables = a->cables;
	list->cable_count = design->cable_count;
	list->complete = design->cables_complete;
	return r;
}

static int hosts_list(struct applying *a, struct ft_cabling *list)
{
	const struct ft_design *design = a->design;
	int r = 0;

	a->hosts = calloc(design->host_count + 1, sizeof(*a->hosts));
	if (!a->hosts)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < design->host_count; i++) {
		const struct ft_design_host *host = &design->hosts[i];

		a->hosts[i] = (struct ft_cabling_host){.name = host->name,
						       .guid = host->guid,
						       .adapter = host->adapter,
						       .adapter_port = host->adapter_port};
		r = end_find(a, true, i, 0, &host->edge, &a->hosts[i].edge);
	}
	list->hosts = a->hosts;
	list->host_count = design->host_count;
	return r;
}

/* The place of a complaint. */
static int fault_tell(const struct applying *a, const struct ft_cabling_fault *fault)
{
	const json_t *list = list_of(a, fault->of_hosts);
	struct ft_key_at at = {.parent = json_array_get(list, fault->entry),
			       .key = key_of(fault->of_hosts, fault->end, fault->cell == FT_CABLING_PORT)};
	const char *name = fault->of_hosts ? "hosts" : "cables";
	char other[64] = "";

	if (fault->entry == SIZE_MAX || !at.parent)
		return ft_json_error_value(&a->reader->json, a->reader->err, a->reader->json.root,
					   list ? name : "hosts", "\"%s\": %s", list ? name : "hosts", fault->why.text);
	if (fault->other != SIZE_MAX)
		snprintf(other, sizeof(other), ": see element %zu of \"%s\"", fault->other + 1,
			 fault->other_of_hosts ? "hosts" : "cables");
	if (fault->cell == FT_CABLING_ENTRY)
		return ft_json_error_element(&a->reader->json, a->reader->err, list, fault->entry,
					     "element %zu of \"%s\": %s", fault->entry + 1, name, fault->why.text);
	return ft_key_error(a->reader, &at, "%s%s", fault->why.text, other);
}

/*
 * Whether every cable has the ports of the plan. In a Clos network of Ethernet switches that is so even if nobody says
 * it: each port has its VLAN (planner/ethernet/vlans.h), and a cable in the next port is in another VLAN.
 */
static bool ports_are_planned(const struct ft_design *design, const struct ft_plan *plan)
{
	if (design->cables_given != FT_CABLES_UNSAID)
		return design->cables_given == FT_CABLES_PLANNED;
	return design->technology == FT_TECHNOLOGY_ETHERNET && plan->topology == FT_TOPOLOGY_FAT_TREE &&
	       !plan->general && design->levels == 2;
}

static int cabling_list(struct applying *a, struct ft_cabling *list)
{
	int r = 0;

	if (a->design->cables_given == FT_CABLES_LISTED)
		r = cables_list(a, list);
	if (ports_are_planned(a->design, a->plan)) {
		r = ft_cabling_of_plan(a->plan, &a->cables, &list->cable_count);
		list->cables = a->cables;
		list->complete = true;
	}
	if (r == 0 && a->design->hosts)
		r = hosts_list(a, list);
	return r;
}

int ft_design_apply_cabling(const struct ft_key_reader *reader, const struct ft_design *design, struct ft_plan *plan)
{
	_cleanup_(applying_release) struct applying a = {.reader = reader, .design = design, .plan = plan};
	struct ft_cabling_fault fault;
	struct ft_cabling list = {0};
	int r;

	if (design->cables_given == FT_CABLES_UNSAID && !design->hosts && !ports_are_planned(design, plan))
		return 0;
	a.names = calloc(plan->switch_count + 1UL, sizeof(*a.names));
	if (!a.names)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		a.names[i] = plan->switches[i].name;
	r = ft_names_make(a.names, ft_plan_tree_switches(plan), &a.index);
	if (r == 0)
		r = cabling_list(&a, &list);
	if (r < 0)
		return r;
	r = ft_cabling_apply(plan, &list, &fault);
	return r == -EINVAL ? fault_tell(&a, &fault) : r;
}
