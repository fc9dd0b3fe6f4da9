/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Forwarding tables in files. A table begins with a line
 *
 *     Unicast lids [0x0-0x132] of switch Lid 1 guid 0x00066a02e8001310 (name):       ibroute, dump_lfts, dump_fts
 *     Unicast lids [0-59] of switch Lid 1 guid 0x0000000000100001 ('name'):          OpenSM's opensm-lfts.dump
 *
 * (or "of switch DR path …"), and has lines that begin with a LID and a port: "0x0001 019 : (…)", "0x0001 019 # …".
 * LIDs without a port are listed by ibroute -a only. A table ends with "306 valid lids dumped", unless ibroute failed:
 * then LIDs after the last one listed are unknown, unless that was the end of the range in its head.
 *
 * Lines outside of tables may tell of virtual lanes, see dump_lanes.c.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "probe/lanes.h"
#include "probe/routes.h"

#define HEAD "Unicast lids ["
#define HEAD_MULTICAST "Multicast mlids ["

struct parser {
	const struct ft_snapshot *snapshot;
	struct ft_routes *routes;
	struct ft_map switches; /* by GUID: node */
	struct ft_map twins;	/* GUIDs of several switches: their tables cannot be assigned */
	struct ft_error *err;
	struct ft_text *faults; /* or NULL */
	const char *path;	/* prefix of each of them, or NULL */
	unsigned int line;	/* from 1 */

	/* The table being read. */
	struct ft_route_table *table; /* NULL: none, or that of a switch that is not in the snapshot */
	bool open;		      /* a table is being read, possibly one that is left out */
	uint32_t low, high;	      /* LIDs of its head */
	uint32_t last;		      /* the last LID listed; below low: none yet */
	bool listed;
	bool hexadecimal; /* the head's LIDs are hexadecimal: not OpenSM's */

	uint32_t count;

	/* Virtual lanes, outside of tables. */
	struct ft_map ports; /* by GUID of ports and nodes: node */
	struct ft_lane_reader lanes;
	bool lanes_spoilt;
};

/*
 * LIDs in the range of the head that were not listed are unknown; so are those outside of a range that does not begin
 * at 0.
 */
static int table_cut(struct parser *p, uint32_t from, uint32_t to)
{
	for (uint32_t block = from / FT_ROUTE_BLOCK; from <= to && block <= to / FT_ROUTE_BLOCK; block++)
		if (ft_route_table_unread(p->table, block) < 0)
			return -ENOMEM;
	return 0;
}

/*
 * @whole: the last line confirms that the table is complete. dump_lfts omits a last LID that is a multiple of 64, as it
 *         does not read its block: that LID is unknown.
 */
static int table_end(struct parser *p, bool whole)
{
	bool left_out = p->hexadecimal && p->high > 0 && p->high % FT_ROUTE_BLOCK == 0;
	int r = 0;

	if (p->open && p->table && (!p->listed || p->last < p->high)) {
		if (!whole && !(left_out && p->listed && p->last + 1 == p->high))
			r = table_cut(p, p->listed ? p->last + 1 : p->low, p->high);
		else if (left_out) {
			p->table->left_out = !p->table->unread;
			r = table_cut(p, p->high, p->high);
		}
	}
	p->open = false;
	p->table = NULL;
	return r;
}

static int fail(const struct parser *p, size_t column, const char *what)
{
	return ft_error_set(p->err, -EINVAL, p->line, (unsigned int)column + 1, "%s", what);
}

/* Adds a line about a fault to those of the caller. */
static int fault_add(const struct parser *p, const struct ft_error *why, const char *what)
{
	if (!p->faults)
		return 0;
	if (p->path) {
		ft_text_add_safe(p->faults, p->path, strlen(p->path));
		ft_text_puts(p->faults, ":");
	}
	ft_text_printf(p->faults, "%u:%u: %s; %s\n", why->line, why->column, why->text, what);
	return ft_text_failed(p->faults) ? -ENOMEM : 0;
}

/*
 * Rejects the open table, with the reason in @why: none of its entries counts, and its lines are skipped up to the next
 * head.
 */
static int table_spoil(struct parser *p, const struct ft_error *why)
{
	if (p->table) {
		free(p->table->ports);
		free(p->table->unread);
		*p->table = (struct ft_route_table){.spoilt = true};
	}
	p->table = NULL;
	p->open = false;
	return fault_add(p, why, "this table is not known");
}

/* A line of lanes. After a damaged one nothing more is taken from the file, so that there is one message only. */
static int lanes_take(struct parser *p, const char *line, const char *end)
{
	struct ft_error why = {0};
	int r;

	if (!p->lanes.lanes || p->lanes_spoilt)
		return 0;
	r = ft_lane_reader_line(&p->lanes, line, end, &why);
	if (r != -EINVAL)
		return r < 0 ? r : 0;
	p->lanes_spoilt = true;
	why.line = p->line;
	return fault_add(p, &why, "no virtual lanes are read from here on");
}

static unsigned int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a' + 10) : 16;
}

/* Parses a number at @at, decimal or hexadecimal by its form, up to @max. Returns the place after it, or NULL. */
static const char *number_read(const char *at, const char *end, uint64_t max, uint64_t *ret_number)
{
	bool hex = end - at > 2 && at[0] == '0' && at[1] == 'x';
	uint64_t n = 0, most = hex ? max / 16 : max / 10;
	const char *first = hex ? at + 2 : at;

	for (at = first; at < end; at++) {
		unsigned int digit = digit_of(*at), base = hex ? 16 : 10;

		if (digit >= base)
			break;
		if (n > most || n * base > max - digit)
			return NULL;
		n = n * base + digit;
	}
	if (at == first)
		return NULL;
	*ret_number = n;
	return at;
}

static const char *find(const char *at, const char *end, const char *what)
{
	return memmem(at, (size_t)(end - at), what, strlen(what));
}

static int table_take(struct parser *p, uint64_t guid, size_t column)
{
	uint32_t node = ft_map_get(&p->switches, guid);
	bool alone = node != FT_NONE && ft_map_get(&p->twins, guid) == FT_NONE;
	struct ft_route_table *table = alone ? &p->routes->tables[node] : NULL;

	p->open = true;
	p->listed = false;
	p->table = table;
	if (!table)
		return 0;
	if (table->ports || table->spoilt)
		return fail(p, column, "there is a table of this switch already");
	if (ft_route_table_begin(table, p->high) < 0)
		return -ENOMEM;
	/* The dump has a range of LIDs: all others are unknown, even whether they are beyond the top. */
	if (p->low == 0)
		return 0;
	if (ft_route_table_begin(table, FT_ROUTE_LID_MAX) < 0 || table_cut(p, 0, p->low - 1) < 0)
		return -ENOMEM;
	return p->high < FT_ROUTE_LID_MAX ? table_cut(p, p->high + 1, FT_ROUTE_LID_MAX) : 0;
}

static int head_read(struct parser *p, const char *line, const char *end)
{
	const char *at = line + strlen(HEAD), *guid_at;
	uint64_t low, high, guid;
	int r = table_end(p, false);

	if (r < 0)
		return r;
	p->count++;
	at = number_read(at, end, FT_ROUTE_LID_MAX, &low);
	if (!at || at == end || *at != '-')
		return fail(p, strlen(HEAD), "here the first LID is to be, 0xbfff at most, and a hyphen");
	guid_at = at + 1;
	at = number_read(guid_at, end, FT_ROUTE_LID_MAX, &high);
	if (!at || at == end || *at != ']' || high < low)
		return fail(p, (size_t)(guid_at - line), "here the last LID is to be, 0xbfff at most, and a bracket");
	guid_at = find(at, end, " guid 0x");
	if (!guid_at || !number_read(guid_at + 6, end, UINT64_MAX, &guid))
		return fail(p, (size_t)(at - line), "the GUID of the switch is missing");
	p->hexadecimal = end - line > (ptrdiff_t)strlen(HEAD) + 1 && line[strlen(HEAD) + 1] == 'x';
	p->low = (uint32_t)low;
	p->high = (uint32_t)high;
	return table_take(p, guid, (size_t)(guid_at + 6 - line));
}

static int entry_read(struct parser *p, const char *line, const char *end)
{
	uint64_t lid, port;
	const char *at = number_read(line, end, UINT32_MAX, &lid), *port_at;

	if (!at || at == end || (*at != ' ' && *at != '\t'))
		return fail(p, 0, "here a LID is to be, and a blank");
	if (lid < p->low || lid > p->high)
		return fail(p, 0, "this LID is not among those of the table's first line");
	if (p->listed && lid <= p->last)
		return fail(p, 0, "this LID is not higher than the one before");
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	port_at = at;
	at = number_read(at, end, FT_ROUTE_NONE, &port);
	if (!at || (at < end && *at != ' ' && *at != '\t'))
		return fail(p, (size_t)(port_at - line), "here a port is to be, 255 at most");
	p->listed = true;
	p->last = (uint32_t)lid;
	if (p->table)
		p->table->ports[lid] = (uint8_t)port;
	return 0;
}

static bool begins(const char *line, const char *end, const char *with)
{
	size_t length = strlen(with);

	return (size_t)(end - line) >= length && memcmp(line, with, length) == 0;
}

/*
 * Other lines are noise outside of a table. Inside, an error message ends the table early; blank lines and titles do
 * not.
 */
static int line_read(struct parser *p, const char *line, const char *end)
{
	if (begins(line, end, HEAD))
		return head_read(p, line, end);
	if (begins(line, end, HEAD_MULTICAST))
		return table_end(p, false);
	if (!p->open)
		return 0;
	if (begins(line, end, "0x"))
		return entry_read(p, line, end);
	if (end > line && *line >= '0' && *line <= '9' && find(line, end, " lids dumped"))
		return table_end(p, true);
	if (end == line || *line == ' ' || *line == '\t' || *line == '#')
		return 0;
	return table_end(p, false);
}

static int switches_index(struct parser *p)
{
	int r = 1;

	for (uint32_t i = 0; r >= 0 && i < p->snapshot->node_count; i++) {
		const struct ft_node *node = &p->snapshot->nodes[i];

		if (node->type != FT_NODE_SWITCH)
			continue;
		r = ft_map_add(&p->switches, node->guid, i, NULL);
		if (r == 0)
			r = ft_map_add(&p->twins, node->guid, i, NULL);
	}
	return r < 0 ? r : 0;
}

static void parser_release(struct parser *p)
{
	ft_map_release(&p->switches);
	ft_map_release(&p->twins);
	ft_map_release(&p->ports);
}

/* @lanes: NULL: not wanted. */
static int parser_begin(struct parser *p, struct ft_lanes *lanes)
{
	int r = switches_index(p);

	p->lanes =
		(struct ft_lane_reader){.snapshot = p->snapshot, .lanes = lanes, .ports = &p->ports, .node = FT_NONE};
	return r == 0 && lanes ? ft_lane_reader_index(p->snapshot, &p->ports) : r;
}

/* A line, with or without its newline. */
static int line_take(struct parser *p, const char *line, const char *end)
{
	struct ft_error why = {0}, *err = p->err;
	bool was_open = p->open;
	int r;

	if (p->line == 0 && begins(line, end, "\xef\xbb\xbf"))
		line += 3;
	p->line++;
	while (end > line && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	p->err = &why;
	r = line_read(p, line, end);
	p->err = err;
	if (r == -EINVAL)
		return table_spoil(p, &why);
	return r < 0 || was_open || p->open ? r : lanes_take(p, line, end);
}

static int parser_finish(struct parser *p)
{
	int r = table_end(p, false);

	if (r == 0 && p->count == 0 && p->lanes.count == 0)
		return ft_error_set(p->err, -ENOMSG, 1, 1,
				    "there is no forwarding table here: no line begins with \"Unicast lids [\"");
	return r;
}

int ft_routes_parse(const char *text, size_t length, const struct ft_snapshot *snapshot, struct ft_routes *routes,
		    struct ft_lanes *lanes, uint32_t *ret_tables, struct ft_text *faults, struct ft_error *err)
{
	_cleanup_(parser_release) struct parser p = {
		.snapshot = snapshot, .routes = routes, .err = err, .faults = faults};
	const char *at = text, *stop = text + length;
	int r = parser_begin(&p, lanes);

	while (r == 0 && at < stop) {
		const char *newline = memchr(at, '\n', (size_t)(stop - at)), *end = newline ? newline + 1 : stop;

		r = line_take(&p, at, end);
		at = end;
	}
	if (r == 0)
		r = parser_finish(&p);
	if (r == 0 && ret_tables)
		*ret_tables = p.count;
	return r;
}

/* ---- files and directories ---- */

struct loader {
	const struct ft_snapshot *snapshot;
	struct ft_routes *routes;
	struct ft_lanes *lanes;
	bool tells_lanes; /* a file held some */
	struct ft_text *faults;
	struct ft_error *err;
	char *file; /* that is being read */
};

/* Reads a file line by line: the tables of 1,620 switches are 1.4 GB of text. */
static int file_parse(FILE *file, struct loader *l)
{
	_cleanup_(parser_release) struct parser p = {
		.snapshot = l->snapshot, .routes = l->routes, .err = l->err, .faults = l->faults, .path = l->file};
	_cleanup_free_ char *line = NULL;
	ssize_t length = 0;
	size_t size = 0;
	int r = parser_begin(&p, l->lanes);

	while (r == 0) {
		errno = 0;
		length = getline(&line, &size, file);
		if (length < 0)
			break;
		r = line_take(&p, line, line + length);
	}
	if (r == 0 && !feof(file))
		return errno ? -errno : -EIO;
	l->tells_lanes |= p.lanes.count > 0;
	return r == 0 ? parser_finish(&p) : r;
}

static void loader_release(struct loader *l)
{
	ft_routes_free(l->routes);
	ft_lanes_free(l->lanes);
	free(l->file);
}

static int file_load(struct loader *l, const char *path)
{
	_cleanup_(ft_fclosep) FILE *file = NULL;

	free(l->file);
	l->file = strdup(path);
	if (!l->file)
		return -ENOMEM;
	file = fopen(path, "re");
	return file ? file_parse(file, l) : -errno;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void entries_free(struct dirent **entries, int count)
{
	while (count > 0)
		free(entries[--count]);
	free(entries);
}

/* 1 if it held tables, else 0. */
static int entry_load(struct loader *l, const char *directory, const char *name)
{
	_cleanup_free_ char *path = NULL;
	struct stat about;
	int r;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return -ENOMEM;
	if (stat(path, &about) < 0 || !S_ISREG(about.st_mode))
		return 0;
	r = file_load(l, path);
	return r == 0 ? 1 : r == -ENOMSG ? 0 : r;
}

static int directory_load(struct loader *l, const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_visible, versionsort), tables = 0, r = 0;

	if (count < 0)
		return -errno;
	for (int i = 0; i < count && r >= 0; i++) {
		r = entry_load(l, path, entries[i]->d_name);
		tables += r > 0;
	}
	entries_free(entries, count);
	if (r < 0)
		return r;
	free(l->file);
	l->file = strdup(path);
	if (!l->file)
		return -ENOMEM;
	return tables > 0 ? 0
			  : ft_error_set(l->err, -ENOMSG, 0, 0, "no file in this directory holds a forwarding table");
}

static int path_load(struct loader *l, const char *path)
{
	struct stat about;

	if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
		return directory_load(l, path);
	return file_load(l, path);
}

static bool is_any_known(const struct ft_routes *routes)
{
	for (uint32_t i = 0; i < routes->node_count; i++)
		if (routes->tables[i].ports)
			return true;
	return false;
}

int ft_routes_load(const char *const *paths, size_t count, const struct ft_snapshot *snapshot,
		   struct ft_routes **ret_routes, struct ft_lanes **ret_lanes, struct ft_text *faults, char **ret_file,
		   struct ft_error *err)
{
	_cleanup_(loader_release) struct loader l = {.snapshot = snapshot, .faults = faults, .err = err};
	int r;

	*ret_file = NULL;
	ft_text_add(faults, "", 0);
	r = ft_routes_new(snapshot->node_count, &l.routes);
	if (r == 0)
		r = ft_lanes_new(&l.lanes);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = path_load(&l, paths[i]);
	if (r == 0 && !is_any_known(l.routes))
		r = ft_error_set(err, -EINVAL, 0, 0,
				 faults->length ? "no table of a switch of the fabric is whole"
						: "these tables are of none of the fabric's switches");
	if (r < 0) {
		*ret_file = FT_STEAL(l.file);
		return r;
	}
	*ret_routes = FT_STEAL(l.routes);
	*ret_lanes = l.tells_lanes ? FT_STEAL(l.lanes) : NULL;
	return 0;
}
