/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/build/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/build/states.h"
#include "verify/check/check.h"

const char *ft_cable_state_name(enum ft_cable_state state)
{
	static const char *const names[FT_CABLE_STATES] = {
		[FT_CABLE_RIGHT] = "right",
		[FT_CABLE_MISSING] = "missing",
		[FT_CABLE_HALF] = "half",
		[FT_CABLE_WRONG_PORT] = "wrong-port",
		[FT_CABLE_WRONG_SWITCH] = "wrong-switch",
		[FT_CABLE_WRONG_RAIL] = "wrong-rail",
		[FT_CABLE_SLOW] = "slow",
		[FT_CABLE_NOT_DUE] = "not-due",
		[FT_CABLE_UNKNOWN] = "unknown",
	};

	return names[state];
}

void ft_build_free(struct ft_build *b)
{
	if (!b)
		return;
	ft_arena_release(&b->memory);
	free(b);
}

bool ft_build_is_open(const struct ft_build_cable *cable)
{
	return cable->state != FT_CABLE_NOT_DUE && cable->state != FT_CABLE_UNKNOWN &&
	       (cable->state != FT_CABLE_RIGHT || cable->errors);
}

/* ---- names ---- */

static char *name_of_host(struct ft_arena *memory, const struct ft_states *s, uint32_t host)
{
	uint32_t listed = s->plan->host_count ? s->wiring.hosts[host].listed : FT_NONE;
	char buffer[FT_HOST_NAME_SIZE];
	const char *name = ft_wiring_host_name(s->plan, &s->wiring, host, buffer);
	struct ft_text text = {0};

	ft_text_add_safe(&text, name, strlen(name));
	if (listed != FT_NONE)
		ft_interface_add(&text, &s->plan->hosts[listed]);
	return ft_arena_text(memory, &text);
}

static int names_make(const struct ft_states *s, struct ft_build *b)
{
	size_t hosts = ft_plan_host_total(s->plan);

	b->names = ft_arena_zeros(&b->memory, s->plan->switch_count + hosts, sizeof(*b->names));
	if (!b->names)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->plan->switch_count; i++) {
		const char *name = s->plan->switches[i].name;

		b->names[i] = ft_arena_safe(&b->memory, name, strlen(name));
	}
	for (uint32_t i = 0; i < hosts; i++)
		b->names[s->plan->switch_count + i] = name_of_host(&b->memory, s, i);
	return b->memory.failed ? -ENOMEM : 0;
}

/* ---- rows ---- */

static void end_place(struct ft_build_end *end, const struct ft_floor_place *place)
{
	end->rack = place ? place->rack : FT_NONE;
	end->unit = place ? place->unit : FT_NONE;
}

static void ends_make(const struct ft_states *s, const struct ft_build *b, const struct ft_cable_row *row,
		      struct ft_build_cable *cable)
{
	uint32_t tree = s->floor ? s->floor->switch_count : 0;
	bool host = row->host != FT_NONE;
	uint32_t listed = host && s->plan->host_count ? s->wiring.hosts[row->host].listed : FT_NONE;

	cable->kind = row->kind;
	cable->a.name = b->names[host ? s->plan->switch_count + row->host : row->a];
	cable->a.port = host ? 1 : row->a_port;
	if (listed != FT_NONE && s->plan->hosts[listed].adapter_port)
		cable->a.port = s->plan->hosts[listed].adapter_port;
	cable->b.name = b->names[row->b];
	cable->b.port = row->b_port;
	end_place(&cable->b, row->b < tree ? &s->floor->switches[row->b] : NULL);
	if (host)
		end_place(&cable->a, row->b < tree ? &s->floor->hosts[row->host] : NULL);
	else
		end_place(&cable->a, row->a < tree ? &s->floor->switches[row->a] : NULL);
}

static uint32_t group_of(const struct ft_plan *plan, const struct ft_cable_row *row)
{
	const struct ft_plan_switch *sw = &plan->switches[row->host != FT_NONE ? row->b : row->a];

	return sw->group != FT_NONE ? sw->group : sw->pod;
}

/* ---- what is there instead, and what to do ---- */

/* The switch of a row's end, as it is called on the fabric too. */
static void end_add(struct ft_text *text, const struct ft_model *m, const struct ft_build_end *end, uint32_t sw)
{
	const struct ft_observed_switch *observed = sw == FT_NONE ? NULL : ft_observed_at(m, m->place_of[sw]);

	ft_text_puts(text, end->name);
	if (observed && !ft_text_short_equal(observed->name, end->name))
		ft_text_printf(text, " (%s)", observed->label);
	if (end->port)
		ft_text_printf(text, " port %u", end->port);
}

static void unseen_add(struct ft_text *text, const struct ft_model *m, const struct ft_build *b, uint32_t sw)
{
	if (sw != FT_NONE && m->observed_of[m->place_of[sw]] == FT_NONE)
		ft_text_printf(text, "%s%s was not seen", text->length ? ", " : "", b->names[sw]);
}

static void host_there(struct ft_text *there, const struct ft_model *m, uint32_t host)
{
	ft_text_printf(there, "host %s is on %s", ft_place_text(m, m->observed.hosts[host].port),
		       ft_place_text(m, m->observed.hosts[host].switch_port));
}

static void cable_there(struct ft_text *there, const struct ft_model *m, uint32_t cable)
{
	ft_text_printf(there, "it is in %s - %s", ft_place_text(m, m->observed.cables[cable].a_port),
		       ft_place_text(m, m->observed.cables[cable].b_port));
}

/* The words of one row that is not as it should be. */
static void row_words(const struct ft_model *m, const struct ft_states *s, const struct ft_build *b, uint32_t row,
		      struct ft_text *there, struct ft_text *todo)
{
	const struct ft_cable_row *r = &s->rows[row];
	const struct ft_build_cable *cable = &b->cables[row];
	const struct ft_finding *f = cable->finding == FT_NONE ? NULL : &m->report->findings[cable->finding];
	struct ft_text text = {0};
	const char *ends;

	end_add(&text, m, &cable->a, r->a);
	ft_text_puts(&text, " and ");
	end_add(&text, m, &cable->b, r->b);
	ends = ft_model_text(m, &text);
	if (f)
		ft_text_puts(there, f->text);
	else if (cable->state != FT_CABLE_RIGHT && cable->host != FT_NONE && cable->state != FT_CABLE_HALF &&
		 cable->state != FT_CABLE_SLOW)
		host_there(there, m, cable->host);
	else if (cable->state == FT_CABLE_WRONG_PORT && cable->cable != FT_NONE)
		cable_there(there, m, cable->cable);
	unseen_add(there, m, b, r->a);
	unseen_add(there, m, b, r->b);
	switch (cable->state) {
	case FT_CABLE_MISSING:
		ft_text_printf(todo, "connect %s%s", ends,
			       there->length ? "; look at the power of what was not seen first" : "");
		break;
	case FT_CABLE_HALF:
		if (cable->cable == FT_NONE && cable->host == FT_NONE)
			ft_text_printf(todo, "one end is up: look at the far device of %s", ends);
		else
			ft_text_printf(todo, "fewer lanes than planned: reseat both ends of %s, then replace it", ends);
		break;
	case FT_CABLE_SLOW:
		ft_text_printf(todo, "slower than planned: reseat both ends of %s, then replace it", ends);
		break;
	case FT_CABLE_WRONG_PORT:
	case FT_CABLE_WRONG_SWITCH:
	case FT_CABLE_WRONG_RAIL:
		ft_text_printf(todo, "%s", f ? f->fix : "move it: it belongs between ");
		if (!f)
			ft_text_puts(todo, ends);
		break;
	case FT_CABLE_RIGHT:
	case FT_CABLE_NOT_DUE:
	case FT_CABLE_UNKNOWN:
	case FT_CABLE_STATES:
		if (cable->errors)
			ft_text_printf(todo, "errors rise: clean and reseat both ends of %s, then replace it", ends);
		break;
	}
}

static int rows_make(const struct ft_model *m, const struct ft_states *s, struct ft_build *b)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct ft_build_cable *cable = &b->cables[i];
		struct ft_text there = {0}, todo = {0};

		ends_make(s, b, &s->rows[i], cable);
		cable->group = group_of(s->plan, &s->rows[i]);
		if (!ft_build_is_open(cable))
			continue;
		row_words(m, s, b, i, &there, &todo);
		if (there.length > 0 || there.failed)
			cable->there = ft_arena_text(&b->memory, &there);
		cable->todo = ft_arena_text(&b->memory, &todo);
	}
	/* The words are put together from those of the report. */
	return b->memory.failed || m->report->memory.failed ? -ENOMEM : 0;
}

/* ---- tables ---- */

/* A table of @count rows, whose names are to be set; NULL: no memory. */
static struct ft_build_tally *table_make(struct ft_build *b, enum ft_build_table table, uint32_t count)
{
	b->tables[table] = ft_arena_zeros(&b->memory, count, sizeof(*b->tables[table]));
	b->table_counts[table] = b->tables[table] ? count : 0;
	return b->tables[table];
}

static const char *const tiers[] = {"host", "uplink", "spine-uplink", "link", "island"};

static void racks_make(const struct ft_states *s, struct ft_build *b)
{
	uint32_t count = s->floor ? s->floor->rows * s->floor->columns : 0;
	struct ft_build_tally *rows = table_make(b, FT_BUILD_RACKS, count + 1);

	b->racks = ft_arena_zeros(&b->memory, count, sizeof(*b->racks));
	if (!rows || !b->racks)
		return;
	for (uint32_t i = 0; i < count; i++)
		rows[i].name = ft_arena_string(&b->memory, ft_floor_rack_name(s->floor, i, b->racks[i]));
	rows[count].name = ft_arena_string(&b->memory, "no rack");
}

/* Groups of a family, or pods; none where all are of one. */
static void groups_make(const struct ft_states *s, struct ft_build *b)
{
	const char *word = s->plan->group_count == 0 ? "pod" : "group";
	struct ft_build_tally *rows;
	uint32_t count = 0;

	for (uint32_t i = 0; i < b->cable_count; i++)
		if (b->cables[i].group != FT_NONE && b->cables[i].group >= count)
			count = b->cables[i].group + 1;
	rows = count < 2 ? NULL : table_make(b, FT_BUILD_GROUPS, count + 1);
	for (uint32_t i = 0; rows && i < count; i++)
		rows[i].name = ft_arena_print(&b->memory, "%s %u", word, i + 1);
	if (rows)
		rows[count].name = ft_arena_print(&b->memory, "no %s", word);
}

static void phases_make(const struct ft_design *design, struct ft_build *b)
{
	uint32_t count = (uint32_t)design->phase_count;
	struct ft_build_tally *rows = count == 0 ? NULL : table_make(b, FT_BUILD_PHASES, count + 1);

	for (uint32_t i = 0; rows && i < count; i++)
		rows[i].name = ft_arena_print(&b->memory, "%s (due %s)", design->phases[i].name, design->phases[i].due);
	if (rows)
		rows[count].name = ft_arena_string(&b->memory, "no phase");
}

static int tables_make(const struct ft_states *s, const struct ft_design *design, struct ft_build *b)
{
	struct ft_build_tally *all = table_make(b, FT_BUILD_ALL, 1);
	struct ft_build_tally *of_tiers = table_make(b, FT_BUILD_TIERS, FT_COUNT(tiers));

	if (all)
		all->name = ft_arena_string(&b->memory, "all");
	for (size_t i = 0; of_tiers && i < FT_COUNT(tiers); i++)
		of_tiers[i].name = ft_arena_string(&b->memory, tiers[i]);
	racks_make(s, b);
	groups_make(s, b);
	phases_make(design, b);
	return b->memory.failed ? -ENOMEM : 0;
}

/* The row of @table that a cable counts in. Cables of none are in the last one. */
static uint32_t table_row(const struct ft_build *b, enum ft_build_table table, const struct ft_build_cable *cable)
{
	uint32_t row = 0;

	switch (table) {
	case FT_BUILD_ALL:
		return 0;
	case FT_BUILD_RACKS:
		row = cable->a.rack;
		break;
	case FT_BUILD_GROUPS:
		row = cable->group;
		break;
	case FT_BUILD_TIERS:
		while (strcmp(tiers[row], cable->kind) != 0)
			row++;
		break;
	case FT_BUILD_PHASES:
	case FT_BUILD_TABLES:
		row = cable->phase;
		break;
	}
	return row < b->table_counts[table] ? row : b->table_counts[table] - 1;
}

void ft_build_count(struct ft_build *b)
{
	for (enum ft_build_table t = 0; t < FT_BUILD_TABLES; t++) {
		for (uint32_t i = 0; i < b->table_counts[t]; i++)
			b->tables[t][i] = (struct ft_build_tally){.name = b->tables[t][i].name};
		for (uint32_t i = 0; b->table_counts[t] > 0 && i < b->cable_count; i++) {
			struct ft_build_tally *tally = &b->tables[t][table_row(b, t, &b->cables[i])];

			tally->planned++;
			tally->states[b->cables[i].state]++;
			tally->done += b->cables[i].done;
		}
	}
}

int ft_build_of_model(const struct ft_model *m, struct ft_build **ret_build)
{
	const struct ft_verify_input *input = m->input;
	_cleanup_(ft_build_freep) struct ft_build *b = calloc(1, sizeof(*b));
	_cleanup_(ft_states_release) struct ft_states s = {0};
	int r;

	if (!b)
		return -ENOMEM;
	r = ft_states_make(m, input->phases, input->day, &s);
	b->cables = s.states;
	b->cable_count = s.count;
	b->memory = s.memory;
	s.memory = (struct ft_arena){0};
	b->plan_name = ft_arena_safe(&b->memory, input->design->name, strlen(input->design->name));
	b->rails = s.rails;
	b->ports = input->plan->cable_count > 0;
	b->counters = input->counters != NULL;
	b->clean_s = FT_BUILD_CLEAN_S;
	if (r == 0)
		r = names_make(&s, b) ?: rows_make(m, &s, b) ?: tables_make(&s, input->design, b);
	if (r < 0)
		return r;
	ft_build_count(b);
	*ret_build = FT_STEAL(b);
	return 0;
}

int ft_build_make(const struct ft_verify_input *input, struct ft_build **ret_build)
{
	_cleanup_(ft_model_release) struct ft_model m;
	struct ft_verify_input building = *input;

	building.building = true;
	return ft_model_make(&m, &building) ?: ft_build_of_model(&m, ret_build);
}
