/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/catalog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/design/catalog_parts.h"
#include "planner/plan/keys.h"

enum {
	TYPES_MAX = 10000, /* of a catalog, populations counted */
	NAME_MAX_BYTES = 200,
	TEXT_MAX_BYTES = 4000,
	BOARDS_MAX = 1000,
	SERVERS_MAX = 1000,
	ROLE_COUNT = 4,
};

/* From how many line boards on a switch has a role. */
enum { ROLE_NEVER = 0, ROLE_ALWAYS = 1, ROLE_FULL = BOARDS_MAX + 1 };

/* What a switch, or a part of one, costs, draws, weighs and takes up. */
struct figures {
	int64_t cost, power_w, weight_kg, size_u;
};

struct boards {
	uint32_t slots;
	uint32_t ports; /* outside, of a line board */
	uint32_t min;	/* of line boards, in the smallest population */
	struct figures figures;
};

/* An entry as it stands in the file. */
struct entry {
	char *model;
	char *name; /* pattern of the names of its types */
	char *vendor, *technology, *connector;
	uint32_t mac_table; /* 0: not said */
	uint32_t ports;	    /* of a fixed switch; 0: not given */
	bool modular;
	uint32_t roles[ROLE_COUNT];    /* ROLE_… or a number of line boards, by role_keys */
	struct figures figures;	       /* of a fixed switch, or of the chassis */
	struct boards line, fabric;    /* slots 0: not given */
	struct ft_catalog_range range; /* to 0: not given */
	struct ft_blade blade;
	size_t types; /* how many were made of it */
};

/* A catalog while it is read. */
struct draft {
	struct ft_catalog catalog;
	struct entry *entries;
	size_t entry_count;
	struct ft_key_at switches; /* where the entries stand */
};

static void entry_release(struct entry *entry)
{
	free(entry->model);
	free(entry->name);
	free(entry->vendor);
	free(entry->technology);
	free(entry->connector);
	free(entry->blade.pass_through);
}

static void type_release(struct ft_switch_type *type)
{
	free(type->name);
	free(type->family);
	free(type->vendor);
	free(type->technology);
	free(type->connector);
	free(type->blade.pass_through);
}

static void catalog_release(struct ft_catalog *catalog)
{
	for (size_t i = 0; i < catalog->count; i++)
		type_release(&catalog->types[i]);
	free(catalog->types);
	free(catalog->cables);
	free(catalog->name);
	free(catalog->source);
	free(catalog->notice);
	free(catalog->currency);
	free(catalog->prices_of);
}

void ft_catalog_free(struct ft_catalog *catalog)
{
	if (!catalog)
		return;
	catalog_release(catalog);
	free(catalog);
}

static void draft_release(struct draft *draft)
{
	for (size_t i = 0; i < draft->entry_count; i++)
		entry_release(&draft->entries[i]);
	free(draft->entries);
	catalog_release(&draft->catalog);
}

static int key_role(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	const char *word = json_string_value(at->value);
	uint32_t *from = out;

	if (json_is_integer(at->value))
		return ft_key_count(reader, at, from);
	if (!word || (strcmp(word, "all") != 0 && strcmp(word, "full") != 0))
		return ft_key_error(reader, at,
				    "must be \"all\", \"full\", or the number of line boards that it takes");
	*from = strcmp(word, "all") == 0 ? ROLE_ALWAYS : ROLE_FULL;
	return 0;
}

/* In the order of enum ft_role: row i is bit i. */
static const struct ft_key role_keys[ROLE_COUNT] = {
	{"edge", key_role, 0 * sizeof(uint32_t), 1, BOARDS_MAX, NULL},
	{"spine", key_role, 1 * sizeof(uint32_t), 1, BOARDS_MAX, NULL},
	{"core", key_role, 2 * sizeof(uint32_t), 1, BOARDS_MAX, NULL},
	{"star", key_role, 3 * sizeof(uint32_t), 1, BOARDS_MAX, NULL},
};

static int role_word(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	const char *word = json_string_value(at->value);
	uint32_t *roles = out;

	for (int i = 0; word && i < ROLE_COUNT; i++) {
		if (strcmp(word, role_keys[i].name) != 0)
			continue;
		if (roles[i] != ROLE_NEVER)
			return ft_key_error(reader, at, "is \"%s\" again", word);
		roles[i] = ROLE_ALWAYS;
		return 0;
	}
	return ft_key_error(reader, at, "must be \"edge\", \"spine\", \"core\" or \"star\"");
}

static int key_roles(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	if (json_is_object(at->value) && json_object_size(at->value) > 0)
		return ft_key_read_object(reader, at->value, role_keys, FT_COUNT(role_keys), out);
	if (!json_is_array(at->value) || json_array_size(at->value) == 0)
		return ft_key_error(reader, at, "must be a list of roles, or an object of them");
	/* All into the same roles. */
	return ft_key_read_elements(reader, at, role_word, 0, out);
}

#define FIGURES(field) offsetof(struct figures, field)
#define BOARDS(field) offsetof(struct boards, field)
#define BLADE(field) offsetof(struct ft_blade, field)

static int key_chassis(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"cost", ft_key_amount, FIGURES(cost), 0, 0, NULL},
		{"power_w", ft_key_amount, FIGURES(power_w), 0, 0, NULL},
		{"weight_kg", ft_key_amount, FIGURES(weight_kg), 0, 0, NULL},
		{"size_u", ft_key_amount, FIGURES(size_u), 0, 0, NULL},
		{"note", ft_key_note, 0, 0, 0, NULL},
		{"why", ft_key_notes, 0, 0, 0, NULL},
	};

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}

static int key_line_boards(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"slots", ft_key_count, BOARDS(slots), 1, BOARDS_MAX, "how many line boards the chassis takes"},
		{"ports", ft_key_count, BOARDS(ports), 2, FT_PORTS_MAX, "how many ports a line board has outside"},
		{"min", ft_key_count, BOARDS(min), 1, BOARDS_MAX, NULL},
		{"cost", ft_key_amount, BOARDS(figures.cost), 0, 0, NULL},
		{"power_w", ft_key_amount, BOARDS(figures.power_w), 0, 0, NULL},
		{"weight_kg", ft_key_amount, BOARDS(figures.weight_kg), 0, 0, NULL},
		{"note", ft_key_note, 0, 0, 0, NULL},
		{"why", ft_key_notes, 0, 0, 0, NULL},
	};

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}

static int key_fabric_boards(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"slots", ft_key_count, BOARDS(slots), 1, BOARDS_MAX, "how many fabric boards the chassis takes"},
		{"cost", ft_key_amount, BOARDS(figures.cost), 0, 0, NULL},
		{"power_w", ft_key_amount, BOARDS(figures.power_w), 0, 0, NULL},
		{"weight_kg", ft_key_amount, BOARDS(figures.weight_kg), 0, 0, NULL},
		{"note", ft_key_note, 0, 0, 0, NULL},
		{"why", ft_key_notes, 0, 0, 0, NULL},
	};

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}

static int key_blade(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"servers", ft_key_count, BLADE(servers), 1, SERVERS_MAX, "how many servers a chassis holds"},
		{"size_u", ft_key_count, BLADE(size_u), 1, 100, NULL},
		{"rack_chassis", ft_key_count, BLADE(rack_chassis), 1, 100, NULL},
		{"pass_through", ft_key_string, BLADE(pass_through), 0, NAME_MAX_BYTES, NULL},
		{"note", ft_key_note, 0, 0, 0, NULL},
		{"why", ft_key_notes, 0, 0, 0, NULL},
	};

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}

#define ENTRY(field) offsetof(struct entry, field)

static const struct ft_key entry_keys[] = {
	{"model", ft_key_string, ENTRY(model), 0, NAME_MAX_BYTES, "what the switch is called"},
	{"name", ft_key_string, ENTRY(name), 0, NAME_MAX_BYTES, NULL},
	{"vendor", ft_key_string, ENTRY(vendor), 0, NAME_MAX_BYTES, NULL},
	{"technology", ft_key_string, ENTRY(technology), 0, NAME_MAX_BYTES, NULL},
	{"connector", ft_key_string, ENTRY(connector), 0, NAME_MAX_BYTES, NULL},
	{"roles", key_roles, ENTRY(roles), 0, 0, "what the switch may be: edge, spine, core or star"},
	{"ports", ft_key_count, ENTRY(ports), 2, FT_DIRECTOR_PORTS_MAX, NULL},
	{"any_ports", ft_catalog_key_range, ENTRY(range), 0, 0, NULL},
	{"mac_table", ft_key_count, ENTRY(mac_table), 1, FT_MAC_TABLE_MAX, NULL},
	{"modular", ft_key_bool, ENTRY(modular), 0, 0, NULL},
	{"cost", ft_key_amount, ENTRY(figures.cost), 0, 0, NULL},
	{"power_w", ft_key_amount, ENTRY(figures.power_w), 0, 0, NULL},
	{"weight_kg", ft_key_amount, ENTRY(figures.weight_kg), 0, 0, NULL},
	{"size_u", ft_key_amount, ENTRY(figures.size_u), 0, 0, NULL},
	{"chassis", key_chassis, ENTRY(figures), 0, 0, NULL},
	{"line_boards", key_line_boards, ENTRY(line), 0, 0, NULL},
	{"fabric_boards", key_fabric_boards, ENTRY(fabric), 0, 0, NULL},
	{"blade", key_blade, ENTRY(blade), 0, 0, NULL},
	{"note", ft_key_note, 0, 0, 0, NULL},
	{"why", ft_key_notes, 0, 0, 0, NULL},
};

static const struct figures figures_unknown = {FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN,
					       FT_AMOUNT_UNKNOWN};

/* The value of @key of @entry, to point at. */
static struct ft_key_at entry_member(const struct ft_key_at *entry, const char *key)
{
	return (struct ft_key_at){
		.parent = entry->value,
		.key = key,
		.value = json_object_get(entry->value, key),
	};
}

/* Keys that only an entry with line boards has, and those that only one without has. */
static int entry_check_keys(const struct ft_key_reader *reader, const struct ft_key_at *at)
{
	static const struct {
		const char *key;
		bool with_boards;
		const char *text;
	} rows[] = {
		{"ports", false, "cannot stand beside \"line_boards\": the ports are those of the boards"},
		{"any_ports", false, "cannot stand beside \"line_boards\": the ports are those of the boards"},
		{"cost", false, "of a switch with \"line_boards\" stands in \"chassis\" and with the boards"},
		{"power_w", false, "of a switch with \"line_boards\" stands in \"chassis\" and with the boards"},
		{"weight_kg", false, "of a switch with \"line_boards\" stands in \"chassis\" and with the boards"},
		{"size_u", false, "of a switch with \"line_boards\" stands in \"chassis\""},
		{"blade", false, "cannot stand beside \"line_boards\": no blade switch has boards"},
		{"chassis", true, "is for a switch with \"line_boards\""},
		{"fabric_boards", true, "is for a switch with \"line_boards\""},
	};
	bool with_boards = json_object_get(at->value, "line_boards");

	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		struct ft_key_at member = entry_member(at, rows[i].key);

		if (member.value && rows[i].with_boards != with_boards)
			return ft_key_error(reader, &member, "%s", rows[i].text);
	}
	return 0;
}

/* A switch that there is with any number of ports of a range. */
static int entry_check_range(const struct ft_key_reader *reader, const struct ft_key_at *at)
{
	static const char *const others[] = {"ports", "modular", "blade"};
	struct ft_key_at roles = entry_member(at, "roles");

	for (size_t i = 0; i < FT_COUNT(others); i++) {
		struct ft_key_at other = entry_member(at, others[i]);

		if (other.value)
			return ft_key_error(reader, &other, "cannot stand beside \"any_ports\"");
	}
	if (!json_is_array(roles.value))
		return ft_key_error(reader, &roles, "of a switch without \"line_boards\" must be a list");
	return 0;
}

static int entry_check_fixed(const struct ft_key_reader *reader, const struct ft_key_at *at, const struct entry *entry)
{
	struct ft_key_at ports = entry_member(at, "ports"), roles = entry_member(at, "roles");
	struct ft_key_at blade = entry_member(at, "blade");

	if (entry->range.to)
		return entry_check_range(reader, at);
	if (!ports.value)
		return ft_key_error(reader, at, "lacks \"ports\", or \"line_boards\" if it is modular");
	if (!entry->modular && entry->ports > FT_PORTS_MAX)
		return ft_key_error(reader, &ports,
				    "is %u: no single chip has more than %d, so \"modular\" must be true", entry->ports,
				    FT_PORTS_MAX);
	if (!json_is_array(roles.value))
		return ft_key_error(reader, &roles, "of a switch without \"line_boards\" must be a list");
	if (blade.value && entry->modular)
		return ft_key_error(reader, &blade, "cannot stand beside \"modular\": no blade switch has boards");
	if (entry->blade.servers > entry->ports)
		return ft_key_error(reader, &blade, "has %u server%s, but the switch only %u port%s",
				    entry->blade.servers, ft_text_s(entry->blade.servers), entry->ports,
				    ft_text_s(entry->ports));
	return 0;
}

static int entry_check_modular(const struct ft_key_reader *reader, const struct ft_key_at *at,
			       const struct entry *entry)
{
	struct ft_key_at line = entry_member(at, "line_boards"), modular = entry_member(at, "modular");
	struct ft_key_at roles = entry_member(at, "roles");

	if (modular.value && !entry->modular)
		return ft_key_error(reader, &modular, "is false, but there are \"line_boards\"");
	if (entry->line.slots * entry->line.ports > FT_DIRECTOR_PORTS_MAX)
		return ft_key_error(reader, &line, "has %u board%s of %u port%s: more than %d in all",
				    entry->line.slots, ft_text_s(entry->line.slots), entry->line.ports,
				    ft_text_s(entry->line.ports), FT_DIRECTOR_PORTS_MAX);
	if (entry->line.min > entry->line.slots)
		return ft_key_error(reader, &line, "has %u slots, fewer than its \"min\" of %u", entry->line.slots,
				    entry->line.min);
	for (int i = 0; i < ROLE_COUNT; i++)
		if (entry->roles[i] != ROLE_FULL && entry->roles[i] > entry->line.slots)
			return ft_key_error(reader, &roles, "has \"%s\" from %u line board%s on, but there are only %u",
					    role_keys[i].name, entry->roles[i], ft_text_s(entry->roles[i]),
					    entry->line.slots);
	return 0;
}

static int entry_read(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct entry *entry = out;
	int r;

	entry->figures = entry->line.figures = entry->fabric.figures = figures_unknown;
	entry->line.min = 1;
	r = ft_key_read_part(reader, at, entry_keys, FT_COUNT(entry_keys), entry);
	if (r < 0)
		return r;
	r = entry_check_keys(reader, at);
	if (r < 0)
		return r;
	if (!entry->line.slots)
		return entry_check_fixed(reader, at, entry);
	r = entry_check_modular(reader, at, entry);
	entry->modular = true;
	return r;
}

/* The switches are read into the draft; the types are made of them afterwards. */
static int key_switches(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct draft *draft = out;

	draft->switches = *at;
	return ft_key_read_list(reader, at, entry_read, sizeof(*draft->entries), &draft->entries, &draft->entry_count);
}

#define DRAFT(field) offsetof(struct draft, field)

static const struct ft_key catalog_keys[] = {
	{"ftcheck_catalog", ft_key_version, 0, 0, 0, "the version of the format, 1"},
	{"name", ft_key_string, DRAFT(catalog.name), 0, NAME_MAX_BYTES, "the catalog's name"},
	{"source", ft_key_string, DRAFT(catalog.source), 0, TEXT_MAX_BYTES, NULL},
	{"notice", ft_key_string, DRAFT(catalog.notice), 0, TEXT_MAX_BYTES, NULL},
	{"currency", ft_key_string, DRAFT(catalog.currency), 0, NAME_MAX_BYTES, NULL},
	{"prices_of", ft_key_string, DRAFT(catalog.prices_of), 0, NAME_MAX_BYTES, NULL},
	{"cable_cost", ft_key_amount, DRAFT(catalog.cable_cost), 0, 0, NULL},
	{"cables", ft_catalog_key_cables, DRAFT(catalog), 0, 0, NULL},
	{"switches", key_switches, 0, 0, 0, "a list of what can be bought"},
	{"note", ft_key_note, 0, 0, 0, NULL},
	{"why", ft_key_notes, 0, 0, 0, NULL},
};

/* Adds @name with what stands in braces filled in. Returns 0, or -EINVAL: something else does. */
static int name_expand(struct ft_text *text, const char *name, const struct ft_switch_type *type)
{
	char ports[16], boards[16];
	const struct {
		const char *word;
		const char *value;
	} rows[] = {{"{model}", type->family}, {"{ports}", ports}, {"{boards}", boards}};

	snprintf(ports, sizeof(ports), "%u", type->ports);
	snprintf(boards, sizeof(boards), "%u", type->line_boards);
	for (;;) {
		size_t plain = strcspn(name, "{}"), i = 0;

		ft_text_add(text, name, plain);
		name += plain;
		if (!*name)
			return 0;
		while (i < FT_COUNT(rows) && strncmp(name, rows[i].word, strlen(rows[i].word)) != 0)
			i++;
		if (i == FT_COUNT(rows))
			return -EINVAL;
		ft_text_puts(text, rows[i].value);
		name += strlen(rows[i].word);
	}
}

static int type_name(const struct ft_key_reader *reader, const struct ft_key_at *at, const struct entry *entry,
		     struct ft_switch_type *type)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_key_at name = entry_member(at, "name");
	const char *pattern = entry->line.slots || entry->range.to ? "{model} (with {ports} ports)" : "{model}";

	if (name_expand(&text, entry->name ? entry->name : pattern, type) < 0)
		return ft_key_error(reader, &name, "may have {model}, {ports} and {boards}, and no other braces");
	if (ft_text_failed(&text))
		return -ENOMEM;
	if (text.length > NAME_MAX_BYTES)
		return ft_key_error(reader, name.value ? &name : at, "gives a name of more than %d bytes",
				    NAME_MAX_BYTES);
	type->name = FT_STEAL(text.data);
	return 0;
}

static int string_copy(const char *string, char **ret_copy)
{
	*ret_copy = strdup(string ? string : "");
	return *ret_copy ? 0 : -ENOMEM;
}

static int type_strings(const struct entry *entry, struct ft_switch_type *type)
{
	if (string_copy(entry->model, &type->family) < 0 || string_copy(entry->vendor, &type->vendor) < 0 ||
	    string_copy(entry->technology, &type->technology) < 0 ||
	    string_copy(entry->connector, &type->connector) < 0)
		return -ENOMEM;
	type->mac_table = entry->mac_table;
	type->blade = entry->blade;
	type->blade.pass_through = NULL;
	if (!entry->blade.pass_through)
		return 0;
	return string_copy(entry->blade.pass_through, &type->blade.pass_through);
}

/* Where a fabric board's figure is unknown, the chassis's is with all of them. */
static int64_t amount_of(int64_t chassis, int64_t line, uint32_t lines, int64_t fabric, uint32_t fabrics)
{
	return ft_amount_add(ft_amount_add(chassis, line, lines), fabric, fabric == FT_AMOUNT_UNKNOWN ? 0 : fabrics);
}

static void type_figures(const struct entry *entry, struct ft_switch_type *type)
{
	const struct figures *chassis = &entry->figures, *line = &entry->line.figures, *fabric = &entry->fabric.figures;
	uint32_t lines = type->line_boards, fabrics = type->fabric_boards;
	bool boards = lines > 0;

	type->cost = amount_of(chassis->cost, line->cost, lines, fabric->cost, fabrics);
	type->power_w = amount_of(chassis->power_w, line->power_w, lines, fabric->power_w, fabrics);
	type->weight_kg = amount_of(chassis->weight_kg, line->weight_kg, lines, fabric->weight_kg, fabrics);
	type->size_u = chassis->size_u;
	if (entry->range.to)
		ft_catalog_range_price(&entry->range, type);
	type->chassis_cost = boards ? chassis->cost : FT_AMOUNT_UNKNOWN;
	type->line_board_cost = line->cost;
	type->fabric_board_cost = fabric->cost;
	type->fabric_board_power_w = fabric->power_w;
	type->fabric_board_weight_kg = fabric->weight_kg;
}

/* What is added up of several may be beyond what one may be. */
static int type_check(const struct ft_key_reader *reader, const struct ft_key_at *at, const struct ft_switch_type *type)
{
	const struct {
		const char *name;
		int64_t amount;
	} rows[] = {{"cost", type->cost}, {"power_w", type->power_w}, {"weight_kg", type->weight_kg}};

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		if (rows[i].amount > (int64_t)FT_KEY_AMOUNT_MAX * FT_AMOUNT_UNIT)
			return ft_key_error(reader, at, "has a \"%s\" of more than %d in all", rows[i].name,
					    FT_KEY_AMOUNT_MAX);
	return 0;
}

static unsigned int type_roles(const struct entry *entry, uint32_t boards)
{
	unsigned int roles = 0;

	for (int i = 0; i < ROLE_COUNT; i++) {
		uint32_t from = entry->roles[i] == ROLE_FULL ? entry->line.slots : entry->roles[i];

		/* A fixed switch has no boards, and all of its roles. */
		if (from != ROLE_NEVER && (!entry->line.slots || boards >= from))
			roles |= 1U << i;
	}
	return roles;
}

/* The type of @boards line boards (0: a fixed switch of @ports ports) of an entry, behind those that are there. */
static int type_add(const struct ft_key_reader *reader, struct draft *draft, const struct ft_key_at *at,
		    struct entry *entry, uint32_t boards, uint32_t ports)
{
	struct ft_catalog *catalog = &draft->catalog;
	struct ft_switch_type *type = &catalog->types[catalog->count];
	int r;

	type->ports = boards ? boards * entry->line.ports : ports;
	type->roles = type_roles(entry, boards);
	type->modular = entry->modular;
	type->line_boards = boards;
	type->line_boards_max = entry->line.slots;
	type->line_board_ports = entry->line.ports;
	type->fabric_boards = type->fabric_boards_max = entry->fabric.slots;
	type_figures(entry, type);
	/* From here on the catalog frees it. */
	catalog->count++;
	entry->types++;
	r = type_strings(entry, type);
	if (r < 0)
		return r;
	r = type_check(reader, at, type);
	if (r < 0)
		return r;
	return type_name(reader, at, entry, type);
}

/* How many types an entry may be at most: a population a number of line boards, or of ports. */
static size_t entry_populations(const struct entry *entry)
{
	if (entry->range.to)
		return (entry->range.to - entry->range.from) / entry->range.step + 1;
	return entry->line.slots ? entry->line.slots - entry->line.min + 1 : 1;
}

static int entry_expand(const struct ft_key_reader *reader, struct draft *draft, size_t index)
{
	const struct ft_key_at at = ft_key_element(&draft->switches, index);
	struct entry *entry = &draft->entries[index];
	/* A fixed switch is one of no boards. */
	uint32_t least = entry->line.slots ? entry->line.min : 0;

	for (uint32_t ports = entry->range.from; entry->range.to && ports <= entry->range.to;
	     ports += entry->range.step) {
		int r = type_add(reader, draft, &at, entry, 0, ports);

		if (r < 0)
			return r;
	}
	if (entry->range.to)
		return 0;
	for (uint32_t boards = entry->line.slots;; boards--) {
		int r = type_roles(entry, boards) ? type_add(reader, draft, &at, entry, boards, entry->ports) : 0;

		if (r < 0 || boards == least)
			return r;
	}
}

static int draft_expand(const struct ft_key_reader *reader, struct draft *draft)
{
	size_t count = 0;

	for (size_t i = 0; i < draft->entry_count; i++) {
		count += entry_populations(&draft->entries[i]);
		if (count > TYPES_MAX) {
			struct ft_key_at at = ft_key_element(&draft->switches, i);

			return ft_key_error(reader, &at,
					    "is one too many: %d switches, populations counted, are the most",
					    TYPES_MAX);
		}
	}
	draft->catalog.types = calloc(count, sizeof(*draft->catalog.types));
	if (!draft->catalog.types)
		return -ENOMEM;
	for (size_t i = 0; i < draft->entry_count; i++) {
		int r = entry_expand(reader, draft, i);

		if (r < 0)
			return r;
	}
	return 0;
}

/* A name that a design may choose a switch by. */
struct taken {
	const char *name;
	size_t entry;
	bool is_type; /* else the model of the entry */
};

static int taken_compare(const void *one, const void *other)
{
	const struct taken *a = one, *b = other;
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	if (a->entry != b->entry)
		return a->entry < b->entry ? -1 : 1;
	return a->is_type - b->is_type;
}

static int taken_error(const struct ft_key_reader *reader, const struct draft *draft, const struct taken *first,
		       const struct taken *second)
{
	struct ft_key_at at = ft_key_element(&draft->switches, second->entry);

	if (first->entry != second->entry)
		return ft_key_error(reader, &at, "is called \"%s\", as element %zu is", second->name, first->entry + 1);
	return ft_key_error(reader, &at,
			    "gives several populations the name \"%s\": {ports} or {boards} is missing in it",
			    second->name);
}

static size_t taken_fill(const struct draft *draft, struct taken *taken)
{
	const struct ft_catalog *catalog = &draft->catalog;
	size_t n = 0, type = 0;

	for (size_t i = 0; i < draft->entry_count; i++) {
		const struct entry *entry = &draft->entries[i];

		taken[n++] = (struct taken){entry->model, i, false};
		for (size_t k = 0; k < entry->types; k++)
			taken[n++] = (struct taken){catalog->types[type++].name, i, true};
	}
	return n;
}

/* A model or a name says one entry, and a name one type. */
static int draft_check_names(const struct ft_key_reader *reader, const struct draft *draft)
{
	_cleanup_free_ struct taken *taken = calloc(draft->entry_count + draft->catalog.count, sizeof(*taken));
	size_t count;

	if (!taken)
		return -ENOMEM;
	count = taken_fill(draft, taken);
	qsort(taken, count, sizeof(*taken), taken_compare);
	for (size_t i = 1; i < count; i++) {
		const struct taken *first = &taken[i - 1], *second = &taken[i];

		if (strcmp(first->name, second->name) == 0 && (first->entry != second->entry || first->is_type))
			return taken_error(reader, draft, first, second);
	}
	return 0;
}

static int string_default(char **string)
{
	return *string ? 0 : string_copy("", string);
}

static int draft_read(struct ft_key_reader *reader, struct draft *draft)
{
	json_t *root = reader->json.root;
	int r;

	if (!json_is_object(root))
		return ft_json_error_key(&reader->json, reader->err, root, NULL, "a catalog is one JSON object, not %s",
					 ft_key_type_name(root));
	r = ft_key_read_object(reader, root, catalog_keys, FT_COUNT(catalog_keys), draft);
	if (r < 0)
		return r;
	if (string_default(&draft->catalog.source) < 0 || string_default(&draft->catalog.notice) < 0 ||
	    string_default(&draft->catalog.currency) < 0 || string_default(&draft->catalog.prices_of) < 0)
		return -ENOMEM;
	r = draft_expand(reader, draft);
	if (r < 0)
		return r;
	return draft_check_names(reader, draft);
}

static bool is_blank(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr(" \t\r\n", text[i]) || !text[i])
			return false;
	return true;
}

int ft_catalog_read(const char *text, size_t length, struct ft_catalog **ret_catalog, struct ft_error *err)
{
	_cleanup_(draft_release) struct draft draft = {.catalog = {.cable_cost = FT_AMOUNT_UNKNOWN}};
	struct ft_key_reader reader = {.err = err};
	struct ft_catalog *catalog;
	int r;

	if (is_blank(text, length))
		return ft_error_set(err, -EINVAL, 1, 1, "the file is empty: a catalog is one JSON object");
	r = ft_json_read(text, length, &reader.json, err);
	if (r < 0)
		return r;
	r = draft_read(&reader, &draft);
	ft_json_release(&reader.json);
	if (r < 0)
		return r;
	catalog = malloc(sizeof(*catalog));
	if (!catalog)
		return -ENOMEM;
	*catalog = draft.catalog;
	draft.catalog = (struct ft_catalog){0};
	*ret_catalog = catalog;
	return 0;
}

/* Without @count of what is @each; unknown where that is. */
static int64_t amount_without(int64_t sum, int64_t each, uint32_t count)
{
	if (count == 0)
		return sum;
	if (sum == FT_AMOUNT_UNKNOWN || each == FT_AMOUNT_UNKNOWN)
		return FT_AMOUNT_UNKNOWN;
	return sum - each * count;
}

int ft_switch_type_with_fabric(const struct ft_switch_type *type, uint32_t fabric_boards,
			       struct ft_switch_type *ret_type)
{
	uint32_t without = type->fabric_boards - fabric_boards;

	if (!type->modular || fabric_boards == 0 || fabric_boards > type->fabric_boards)
		return -EINVAL;
	*ret_type = *type;
	ret_type->fabric_boards = fabric_boards;
	ret_type->cost = amount_without(type->cost, type->fabric_board_cost, without);
	ret_type->power_w = amount_without(type->power_w, type->fabric_board_power_w, without);
	ret_type->weight_kg = amount_without(type->weight_kg, type->fabric_board_weight_kg, without);
	return 0;
}
