/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "planner/ethernet/macs.h"
#include "planner/ethernet/table_file.h"

enum { FILE_SIZE_MAX = 256 << 20 };

struct entries {
	struct ft_design_mac *list;
	size_t count, size;
};

static int entry_add(struct entries *e, const struct ft_design_mac *entry)
{
	if (e->count == e->size) {
		size_t size = e->size ? 2 * e->size : 256;
		struct ft_design_mac *list = reallocarray(e->list, size, sizeof(*list));

		if (!list)
			return -ENOMEM;
		e->list = list;
		e->size = size;
	}
	e->list[e->count++] = *entry;
	return 0;
}

static int entry_take(struct entries *e, const struct ft_sheet_cell *mac, const char *host, const char *edge,
		      uint32_t port, struct ft_error *err)
{
	struct ft_design_mac entry = {.edge.port = port, .line = mac->line, .column = mac->column};
	int r = ft_table_mac(mac, &entry.mac, err);

	if (r == 0)
		r = entry_add(e, &entry);
	if (r < 0)
		return r;
	/* It is released with the list whatever happens. */
	if (host)
		e->list[e->count - 1].host = strdup(host);
	if (edge)
		e->list[e->count - 1].edge.name = strdup(edge);
	return (host && !e->list[e->count - 1].host) || (edge && !e->list[e->count - 1].edge.name) ? -ENOMEM : 0;
}

static int take_at_port(void *owner, const struct ft_sheet_cell *cells, struct ft_error *err)
{
	uint32_t port;
	int r = ft_table_number(&cells[2], "port", 1, FT_DIRECTOR_PORTS_MAX, &port, err);

	return r < 0 ? r : entry_take(owner, &cells[0], NULL, cells[1].text, port, err);
}

static int take_of_host(void *owner, const struct ft_sheet_cell *cells, struct ft_error *err)
{
	return entry_take(owner, &cells[0], cells[1].text, NULL, 0, err);
}

static const struct ft_table_form forms[] = {
	{{"mac|address", "switch|edge", "port"}, 7, take_at_port},
	{{"mac|address", "host|name|node"}, 3, take_of_host},
};

/* ethers(5): an address, blanks, a name. */
static int ethers_line(struct entries *e, char *line, unsigned int number, struct ft_error *err)
{
	static const char blanks[] = " \t\r";
	struct ft_sheet_cell mac = {.line = number};
	char *name;

	line[strcspn(line, "#")] = '\0';
	mac.column = (uint32_t)strspn(line, blanks) + 1;
	mac.text = line + mac.column - 1;
	if (!*mac.text)
		return 0;
	name = line + mac.column - 1 + strcspn(mac.text, blanks);
	if (*name)
		*name++ = '\0';
	name += strspn(name, blanks);
	name[strcspn(name, blanks)] = '\0';
	if (!*name)
		return ft_error_set(err, -EINVAL, number, mac.column,
				    "an address, blanks, and the name of its host must be here");
	return entry_take(e, &mac, name, NULL, 0, err);
}

static int ethers_read(struct entries *e, char *bytes, struct ft_error *err)
{
	unsigned int number = 0;
	char *rest = bytes, *line;
	int r = 0;

	while (r == 0 && (line = strsep(&rest, "\n")))
		r = ethers_line(e, line, ++number, err);
	return r;
}

/* Told by the first line that is no comment: a table has a separator in it. */
static bool is_table(const char *bytes)
{
	for (const char *line = bytes; *line;) {
		size_t length = strcspn(line, "\n");

		if (line[0] != '#' && strspn(line, " \t\r") < length)
			return strcspn(line, ",;") < length;
		line += length + (line[length] == '\n');
	}
	return true;
}

int ft_macs_load(const char *path, struct ft_design_mac **ret_entries, size_t *ret_count, struct ft_error *err)
{
	struct entries e = {0};
	_cleanup_free_ char *bytes = NULL;
	size_t length;
	int r;

	err->file = path;
	r = ft_file_read(path, FILE_SIZE_MAX, &bytes, &length, err);
	if (r < 0)
		return r;
	r = is_table(bytes) ? ft_table_file_read(bytes, length, forms, FT_COUNT(forms), &e, NULL, err)
			    : ethers_read(&e, bytes, err);
	if (r == 0 && e.count == 0)
		r = ft_error_set(err, -EINVAL, 1, 1, "there is no address in this file");
	if (r < 0) {
		ft_design_macs_release(e.list, e.count);
		return r;
	}
	*ret_entries = e.list;
	*ret_count = e.count;
	return 0;
}
