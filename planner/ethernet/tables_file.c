/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Tables of files, which may say anything: they are to be walked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "planner/ethernet/table_file.h"
#include "planner/ethernet/tables_parts.h"
#include "planner/plan/names.h"

enum {
	FILE_SIZE_MAX = 1 << 30,
	MEMBERSHIPS_MAX = 64000000,
	PORT_MAX = 65535,
};

/* A port in a VLAN, before it is known which VLANs there are. */
struct membership {
	size_t port;
	uint32_t vlan;
	uint8_t how;
};

struct loading {
	const struct ft_plan *plan;
	const struct ft_vlans *vlans;
	const char **names; /* of the switches */
	struct ft_names index;
	uint16_t file;		 /* the one that is being read */
	struct ft_tables tables; /* entries, PVIDs and lines */
	size_t entry_size;
	struct membership *memberships;
	size_t membership_count, membership_size;
};

static void loading_release(struct loading *l)
{
	ft_names_release(&l->index);
	free(l->names);
	free(l->memberships);
	ft_tables_release(&l->tables);
}

static int grow(void **list, size_t count, size_t *size, size_t element, size_t most)
{
	size_t larger = *size ? 2 * *size : 1024;
	void *grown;

	if (count < *size)
		return 0;
	if (count >= most)
		return -E2BIG;
	grown = reallocarray(*list, larger, element);
	if (!grown)
		return -ENOMEM;
	*list = grown;
	*size = larger;
	return 0;
}

static int switch_find(const struct loading *l, const struct ft_sheet_cell *cell, uint32_t *ret_switch,
		       struct ft_error *err)
{
	uint32_t near = 0;
	int r;

	*ret_switch = ft_names_find_exact(&l->index, cell->text);
	if (*ret_switch != FT_NONE)
		return 0;
	r = ft_names_find(&l->index, cell->text, &near, NULL);
	if (r == -ENOMEM)
		return r;
	if (r == 1)
		return ft_error_set(err, -EINVAL, cell->line, cell->column,
				    "\"%s\" is no switch of the plan; did you mean \"%s\"?", cell->text,
				    l->names[near]);
	return ft_error_set(err, -EINVAL, cell->line, cell->column, "\"%s\" is no switch of the plan", cell->text);
}

/* ---- ports ---- */

static int membership_add(struct loading *l, size_t port, uint32_t vlan, uint8_t how)
{
	int r = grow((void **)&l->memberships, l->membership_count, &l->membership_size, sizeof(*l->memberships),
		     MEMBERSHIPS_MAX);

	if (r == 0)
		l->memberships[l->membership_count++] = (struct membership){port, vlan, how};
	return r;
}

/* "1 2 5-7": numbers and ranges, with blanks, semicolons or + between. */
static int list_read(struct loading *l, const struct ft_sheet_cell *cell, size_t port, uint8_t how,
		     struct ft_error *err)
{
	static const char between[] = " ;+\t";
	const char *c = cell->text + strspn(cell->text, between);
	int r = 0;

	while (r == 0 && *c) {
		char *end;
		unsigned long first = strtoul(c, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (strspn(c, "0123456789-") != (size_t)(end - c) || first < 1 || first > last || last > FT_VLAN_MAX)
			return ft_error_set(
				err, -EINVAL, cell->line, cell->column,
				"\"%s\" is no list of VLANs: that is numbers from 1 to %d with blanks between",
				cell->text, FT_VLAN_MAX);
		for (unsigned long vlan = first; r == 0 && vlan <= last; vlan++)
			r = membership_add(l, port, (uint32_t)vlan, how);
		c = end + strspn(end, between);
	}
	return r;
}

static int port_take(void *owner, const struct ft_sheet_cell *cells, struct ft_error *err)
{
	struct loading *l = owner;
	uint32_t sw, port;
	size_t at;
	int r = switch_find(l, &cells[0], &sw, err);

	if (r == 0)
		r = ft_table_number(&cells[1], "port of this switch", 1, ft_vlans_ports_of(l->vlans, sw), &port, err);
	if (r < 0)
		return r;
	at = l->vlans->first_port[sw] + port - 1;
	if (l->tables.port_lines[at] && l->tables.port_files[at] == l->file)
		return ft_error_set(err, -EINVAL, cells[1].line, cells[1].column,
				    "port %u of %s is in line %u already: a switch keeps what it is told last", port,
				    l->names[sw], l->tables.port_lines[at]);
	if (l->tables.port_lines[at])
		return ft_error_set(err, -EINVAL, cells[1].line, cells[1].column,
				    "port %u of %s is in %s already: a switch keeps what it is told last", port,
				    l->names[sw], l->tables.paths[l->tables.port_files[at]]);
	l->tables.port_lines[at] = cells[0].line;
	l->tables.port_files[at] = l->tables.port_homes[sw] = l->file;
	l->tables.ports_said = true;
	if (cells[2].text[0])
		r = ft_table_number(&cells[2], "PVID", 1, FT_VLAN_MAX, &l->tables.pvids[at], err);
	if (r == 0)
		r = list_read(l, &cells[3], at, FT_MEMBER_TAGGED, err);
	return r < 0 ? r : list_read(l, &cells[4], at, FT_MEMBER_UNTAGGED, err);
}

/* ---- entries ---- */

static int entry_take(void *owner, const struct ft_sheet_cell *cells, struct ft_error *err)
{
	struct loading *l = owner;
	struct ft_static entry = {.line = cells[0].line, .file = l->file};
	uint32_t vlan = 0;
	int r = switch_find(l, &cells[0], &entry.sw, err);

	if (r == 0)
		r = ft_table_number(&cells[1], "VLAN", 1, FT_VLAN_MAX, &vlan, err);
	if (r == 0)
		r = ft_table_mac(&cells[2], &entry.mac, err);
	if (r == 0)
		r = ft_table_number(&cells[3], "port", 0, PORT_MAX, &entry.port, err);
	if (r == 0)
		r = grow((void **)&l->tables.entries, l->tables.entry_count, &l->entry_size, sizeof(entry),
			 FT_ENTRIES_MAX);
	if (r < 0)
		return r;
	entry.vlan = (uint16_t)vlan;
	l->tables.entries[l->tables.entry_count++] = entry;
	l->tables.entry_homes[entry.sw] = l->file;
	l->tables.entries_said = true;
	return 0;
}

static const struct ft_table_form forms[] = {
	{{"switch|edge", "port", "pvid", "tagged", "untagged"}, 31, port_take},
	{{"switch|edge", "vlan", "mac|address", "port"}, 15, entry_take},
};

/* ---- all of it ---- */

/* Switches of which nothing was read are at home in the first file of their kind. */
static int file_load(struct loading *l, uint16_t number, struct ft_error *err)
{
	const char *path = l->tables.paths[number];
	bool *saids[] = {&l->tables.ports_said, &l->tables.entries_said};
	uint16_t *homes[] = {l->tables.port_homes, l->tables.entry_homes};
	bool before[] = {l->tables.ports_said, l->tables.entries_said};
	_cleanup_free_ char *bytes = NULL;
	size_t length, form = 0;
	int r;

	l->file = number;
	err->file = path;
	r = ft_file_read(path, FILE_SIZE_MAX, &bytes, &length, err);
	if (r == 0)
		r = ft_table_file_read(bytes, length, forms, FT_COUNT(forms), l, &form, err);
	if (r == -E2BIG)
		return ft_error_set(err, -EINVAL, 0, 0, "the file has more rows than this program takes");
	if (r < 0)
		return r;
	*saids[form] = true;
	/* Files before the first one of a kind have no rows of it, so what is below its number is not set. */
	for (uint32_t i = 0; !before[form] && i < l->plan->switch_count; i++)
		homes[form][i] = number;
	return 0;
}

/* All numbers that the plan, PVIDs, memberships and entries have. */
static int ids_make(struct loading *l)
{
	struct ft_tables *t = &l->tables;
	bool *used = calloc(FT_VLAN_MAX + 1, sizeof(*used));

	t->ids = calloc(FT_VLAN_MAX + 1, sizeof(*t->ids));
	if (!used || !t->ids) {
		free(used);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < l->vlans->count; i++)
		used[l->vlans->first + i] = true;
	for (size_t i = 0; i < t->port_count; i++)
		used[t->pvids[i]] = true;
	for (size_t i = 0; i < l->membership_count; i++)
		used[l->memberships[i].vlan] = true;
	for (size_t i = 0; i < t->entry_count; i++)
		used[t->entries[i].vlan] = true;
	for (uint32_t i = 1; i <= FT_VLAN_MAX; i++)
		if (used[i])
			t->ids[t->id_count++] = i;
	free(used);
	return 0;
}

/* What no file says is the plan's. */
static void plan_fill(struct loading *l, struct ft_tables *plan)
{
	struct ft_tables *t = &l->tables;

	if (!t->entries_said) {
		free(t->entries);
		t->entries = FT_STEAL(plan->entries);
		t->entry_count = plan->entry_count;
	}
	for (size_t p = 0; !t->ports_said && p < t->port_count; p++) {
		t->pvids[p] = plan->pvids[p];
		for (uint32_t i = 0; i < plan->id_count; i++)
			*ft_tables_member(t, p, ft_tables_id(t, plan->ids[i])) = *ft_tables_member(plan, p, i);
	}
}

static int loading_begin(struct loading *l)
{
	int r = ft_tables_make_ports(&l->tables, l->vlans->first_port[l->plan->switch_count]);

	if (r < 0)
		return r;
	l->names = calloc(l->plan->switch_count + 1UL, sizeof(*l->names));
	l->tables.port_homes = calloc(l->plan->switch_count + 1UL, sizeof(*l->tables.port_homes));
	l->tables.entry_homes = calloc(l->plan->switch_count + 1UL, sizeof(*l->tables.entry_homes));
	if (!l->names || !l->tables.port_homes || !l->tables.entry_homes)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->plan->switch_count; i++)
		l->names[i] = l->plan->switches[i].name;
	return ft_names_make(l->names, l->plan->switch_count, &l->index);
}

static int loading_end(struct loading *l, struct ft_tables *plan, struct ft_error *err)
{
	struct ft_tables *t = &l->tables;
	int r = ids_make(l);

	if (r == 0)
		r = ft_tables_make_members(t);
	if (r == -EINVAL)
		return ft_error_set(err, r, 0, 0, "the files name more VLANs than can be walked on so many ports");
	if (r < 0)
		return r;
	for (size_t i = 0; i < l->membership_count; i++)
		*ft_tables_member(t, l->memberships[i].port, ft_tables_id(t, l->memberships[i].vlan)) |=
			l->memberships[i].how;
	plan_fill(l, plan);
	ft_tables_sort(t);
	return 0;
}

int ft_tables_load(const struct ft_plan *plan, const struct ft_vlans *vlans, const struct ft_macs *macs,
		   const char *const *paths, size_t path_count, struct ft_tables *ret_tables, struct ft_error *err)
{
	_cleanup_(loading_release) struct loading l = {.plan = plan, .vlans = vlans};
	_cleanup_(ft_tables_release) struct ft_tables planned = {0};
	int r = ft_tables_make(plan, vlans, macs, &planned, err);

	if (r == 0)
		r = loading_begin(&l);
	l.tables.paths = paths;
	if (r == 0 && path_count > UINT16_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "more than %d files", UINT16_MAX);
	for (size_t i = 0; r == 0 && i < path_count; i++)
		r = file_load(&l, (uint16_t)i, err);
	if (r == 0)
		r = loading_end(&l, &planned, err);
	if (r < 0)
		return r;
	*ret_tables = l.tables;
	l.tables = (struct ft_tables){0};
	return 0;
}
