/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * SL2VL tables and service levels in files, line by line, in these forms:
 *
 *     Switch 0x0000000000100001, base LID 1, "sw-0-0"              OpenSM's opensm-sl2vl.dump
 *     #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
 *     5   7   : 0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
 *
 *     Channel Adapter 0x0000000000200002, base LID 16, "node001", port 1
 *     # LID  : SL : MTU : RATE                                     opensm-path-records.dump, of OpenSM's plug-in
 *     0x0011 : 3  : 5   : 6                                        that dumps path records
 *     0x0012 : UNREACHABLE
 *
 *     0x0000000000100001 5 7 0x01 0x23 0x01 0x23 0x01 0x23 0x01 0x23    SL2VL file of ibdmchk -d and ibdiagnet
 *     0x0000000000200001 17 3                                           path-SL file of ibdmchk -c: GUID, LID, SL
 *
 *     START_VL_ARBITRATION_TABLE                                        a section of ibdiagnet2.db_csv
 *     NodeGUID,PortGUID,PortNum,Priority,VL,Weight
 *     0x0000000000100001,0x0000000000100001,7,Low,1,4
 *     END_VL_ARBITRATION_TABLE
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "probe/lanes.h"

/* What the line "#in out" or "# LID" announced. */
enum { SECTION_NONE, SECTION_HEAD, SECTION_ROWS, SECTION_LEVELS, SECTION_TITLES, SECTION_WEIGHTS };

/* Columns that are read of a section with commas. */
enum { COLUMN_GUID, COLUMN_PORT, COLUMN_LANE, COLUMN_WEIGHT, COLUMNS };

struct words {
	const char *at, *end;
};

static void blanks_skip(struct words *w)
{
	while (w->at < w->end && (*w->at == ' ' || *w->at == '\t'))
		w->at++;
}

static unsigned int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a' + 10) : 16;
}

/* A number of @base 10 or 16 (with 0x), up to @max, and the blanks behind it; false leaves the words as they are. */
static bool number_take(struct words *w, unsigned int base, uint64_t max, uint64_t *ret_number)
{
	const char *at = w->at, *first;
	uint64_t n = 0;

	if (base == 16) {
		if (w->end - at < 3 || at[0] != '0' || at[1] != 'x')
			return false;
		at += 2;
	}
	for (first = at; at < w->end && digit_of(*at) < base; at++) {
		if (n > (max - digit_of(*at)) / base)
			return false;
		n = n * base + digit_of(*at);
	}
	if (at == first || (at < w->end && *at != ' ' && *at != '\t' && *at != ':' && *at != ','))
		return false;
	*ret_number = n;
	w->at = at;
	blanks_skip(w);
	return true;
}

static bool word_take(struct words *w, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(w->end - w->at) < length || memcmp(w->at, word, length) != 0)
		return false;
	w->at += length;
	blanks_skip(w);
	return true;
}

static int fail(const struct words *w, const char *line, struct ft_error *err, const char *what)
{
	return ft_error_set(err, -EINVAL, 0, (unsigned int)(w->at - line) + 1, "%s", what);
}

static uint32_t node_of(const struct ft_lane_reader *r, uint64_t guid)
{
	return ft_map_get(r->ports, guid);
}

/* "Switch 0x…, base LID 13, …": what follows is of that port. */
static int head_take(struct ft_lane_reader *r, struct words w)
{
	uint64_t guid, lid;

	r->section = SECTION_NONE;
	if (!number_take(&w, 16, UINT64_MAX, &guid) || !word_take(&w, ",") || !word_take(&w, "base LID") ||
	    !number_take(&w, 10, UINT16_MAX, &lid))
		return 0;
	r->section = SECTION_HEAD;
	r->node = node_of(r, guid);
	r->lid = (uint16_t)lid;
	return 1;
}

static int row_add(struct ft_lane_reader *r, uint32_t node, uint64_t in, uint64_t out,
		   const uint8_t row[FT_LANE_LEVELS])
{
	const struct ft_snapshot *s = r->snapshot;
	int code;

	r->count++;
	if (node == FT_NONE || s->nodes[node].type != FT_NODE_SWITCH || in > s->nodes[node].port_count ||
	    out > s->nodes[node].port_count)
		return 1;
	code = ft_lanes_set_row(r->lanes, &(struct ft_crossing){node, (uint8_t)in, (uint8_t)out}, row);
	return code < 0 ? code : 1;
}

static int level_add(struct ft_lane_reader *r, uint16_t from, uint64_t to, uint64_t level)
{
	int code;

	r->count++;
	if (from == 0)
		return 1;
	code = ft_lanes_set_level(r->lanes, &(struct ft_lane_path){from, (uint16_t)to}, (unsigned int)level);
	return code < 0 ? code : 1;
}

/* "5 7 : 0 1 2 …" */
static int row_take(struct ft_lane_reader *r, const char *line, struct words w, struct ft_error *err)
{
	uint8_t row[FT_LANE_LEVELS];
	uint64_t in, out, lane;

	if (!number_take(&w, 10, UINT8_MAX, &in) || !number_take(&w, 10, UINT8_MAX, &out) || !word_take(&w, ":"))
		return fail(&w, line, err, "here the ports of a row are to be, 255 at most, and a colon");
	for (unsigned int i = 0; i < FT_LANE_LEVELS; i++) {
		if (!number_take(&w, 10, FT_LANE_DROPPED, &lane))
			return fail(&w, line, err,
				    "here a virtual lane is to be, 15 at most, one for each of 16 levels");
		row[i] = (uint8_t)lane;
	}
	return row_add(r, r->node, in, out, row);
}

/* "0x0011 : 3 : 5 : 6" */
static int level_take(struct ft_lane_reader *r, const char *line, struct words w, struct ft_error *err)
{
	uint64_t lid, level;

	if (!number_take(&w, 16, UINT16_MAX, &lid) || !word_take(&w, ":"))
		return fail(&w, line, err, "here a LID is to be, and a colon");
	if (word_take(&w, "UNREACHABLE"))
		return 1;
	if (!number_take(&w, 10, FT_LANE_LEVELS - 1, &level))
		return fail(&w, line, err, "here a service level is to be, 15 at most");
	return level_add(r, r->node == FT_NONE ? 0 : r->lid, lid, level);
}

/* "0x… 5 7 0x01 0x23 …" */
static int bytes_take(struct ft_lane_reader *r, const char *line, struct words w, uint32_t node,
		      const uint64_t ports[2], struct ft_error *err)
{
	uint8_t row[FT_LANE_LEVELS];
	uint64_t two;

	for (unsigned int i = 0; i < FT_LANE_LEVELS; i += 2) {
		if (!number_take(&w, 16, UINT8_MAX, &two))
			return fail(&w, line, err,
				    "here two virtual lanes are to be, as 0x and two digits, eight times");
		row[i] = (uint8_t)(two >> 4);
		row[i + 1] = (uint8_t)(two & 0xf);
	}
	return row_add(r, node, ports[0], ports[1], row);
}

/* The GUID is of a node: the path leads from each of its ports that has a LID. */
static int paths_add(struct ft_lane_reader *r, uint32_t node, uint64_t to, uint64_t level)
{
	const struct ft_snapshot *s = r->snapshot;
	int code = level_add(r, 0, to, level);

	if (node == FT_NONE || s->nodes[node].type == FT_NODE_SWITCH)
		return code;
	for (uint32_t i = 0; code >= 0 && i < s->nodes[node].port_count; i++) {
		const struct ft_port *port = &s->ports[s->nodes[node].first_port + i];

		if (port->lid > 0)
			code = ft_lanes_set_level(r->lanes, &(struct ft_lane_path){port->lid, (uint16_t)to},
						  (unsigned int)level);
	}
	return code < 0 ? code : 1;
}

/* Lines that begin with a GUID and stand alone; 0 where it is something else. */
static int guid_take(struct ft_lane_reader *r, const char *line, struct words w, struct ft_error *err)
{
	uint64_t guid, first, second;

	if (!number_take(&w, 16, UINT64_MAX, &guid) || !number_take(&w, 10, UINT16_MAX, &first) ||
	    !number_take(&w, 10, UINT16_MAX, &second))
		return 0;
	if (w.at == w.end)
		return second < FT_LANE_LEVELS ? paths_add(r, node_of(r, guid), first, second) : 0;
	if (*w.at != '0')
		return 0;
	return bytes_take(r, line, w, node_of(r, guid), (const uint64_t[]){first, second}, err);
}

/* The next field of a line with commas, without its blanks; false: there is none. */
static bool field_take(struct words *w, struct words *ret_field)
{
	const char *comma;

	if (w->at > w->end)
		return false;
	comma = memchr(w->at, ',', (size_t)(w->end - w->at));
	*ret_field = (struct words){w->at, comma ? comma : w->end};
	w->at = ret_field->end + 1;
	blanks_skip(ret_field);
	while (ret_field->end > ret_field->at && ret_field->end[-1] == ' ')
		ret_field->end--;
	return true;
}

/* Where the columns are; a table that lacks one of them tells nothing. */
static int titles_take(struct ft_lane_reader *r, struct words w)
{
	static const char *const titles[COLUMNS] = {"nodeguid", "portnum", "vl", "weight"};
	struct words field;
	unsigned int found = 0;

	for (uint8_t at = 0; at < UINT8_MAX && field_take(&w, &field); at++)
		for (unsigned int i = 0; i < COLUMNS; i++) {
			size_t length = strlen(titles[i]);

			if ((size_t)(field.end - field.at) != length || strncasecmp(field.at, titles[i], length) != 0)
				continue;
			r->columns[i] = at;
			found |= 1U << i;
		}
	r->section = found == (1U << COLUMNS) - 1 ? SECTION_WEIGHTS : SECTION_NONE;
	return 1;
}

/* An entry of a VL arbitration table. */
static int weight_take(struct ft_lane_reader *r, const char *line, struct words w, struct ft_error *err)
{
	static const char *const what[COLUMNS] = {
		"here the GUID of a node is to be", "here a port is to be, 255 at most",
		"here a virtual lane is to be, 15 at most", "here a weight is to be, 255 at most"};
	static const uint64_t most[COLUMNS] = {UINT64_MAX, UINT8_MAX, FT_LANE_DROPPED, UINT8_MAX};
	uint64_t values[COLUMNS] = {0};
	struct words field;
	unsigned int found = 0;
	uint32_t node;
	int code;

	for (uint8_t at = 0; at < UINT8_MAX && field_take(&w, &field); at++)
		for (unsigned int i = 0; i < COLUMNS; i++) {
			if (r->columns[i] != at)
				continue;
			if (!number_take(&field, i == COLUMN_GUID ? 16 : 10, most[i], &values[i]) ||
			    field.at != field.end)
				return fail(&field, line, err, what[i]);
			found |= 1U << i;
		}
	if (found != (1U << COLUMNS) - 1)
		return fail(&(struct words){line, w.end}, line, err, "this row has fewer columns than its titles");
	r->count++;
	node = node_of(r, values[COLUMN_GUID]);
	if (node == FT_NONE || r->snapshot->nodes[node].type != FT_NODE_SWITCH)
		return 1;
	code = ft_lanes_add_weights(r->lanes, node, (uint8_t)values[COLUMN_PORT],
				    values[COLUMN_WEIGHT] > 0 ? (uint16_t)(1U << values[COLUMN_LANE]) : 0);
	return code < 0 ? code : 1;
}

int ft_lane_reader_line(struct ft_lane_reader *r, const char *line, const char *end, struct ft_error *err)
{
	struct words w = {line, end};

	while (w.end > w.at && (w.end[-1] == ' ' || w.end[-1] == '\t'))
		w.end--;
	if (word_take(&w, "START_VL_ARBITRATION_TABLE")) {
		r->section = SECTION_TITLES;
		return 1;
	}
	if (word_take(&w, "START_") || word_take(&w, "END_")) {
		r->section = SECTION_NONE;
		return 0;
	}
	if (r->section == SECTION_TITLES)
		return titles_take(r, w);
	if (r->section == SECTION_WEIGHTS && w.at < w.end && *w.at != '#')
		return weight_take(r, line, w, err);
	if (word_take(&w, "Switch") || word_take(&w, "Channel Adapter") || word_take(&w, "Router"))
		return head_take(r, w);
	if (r->section != SECTION_NONE && word_take(&w, "#")) {
		if (word_take(&w, "in out"))
			r->section = SECTION_ROWS;
		else if (word_take(&w, "LID") && word_take(&w, ":") && word_take(&w, "SL"))
			r->section = SECTION_LEVELS;
		return 1;
	}
	if (w.at == w.end || *w.at == '#')
		return 0;
	if (r->section == SECTION_ROWS && *w.at >= '0' && *w.at <= '9' && w.at[w.end - w.at > 1] != 'x')
		return row_take(r, line, w, err);
	if (r->section == SECTION_LEVELS && *w.at == '0')
		return level_take(r, line, w, err);
	return guid_take(r, line, w, err);
}

int ft_lane_reader_index(const struct ft_snapshot *s, struct ft_map *ports)
{
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < s->port_count; i++)
		if (s->nodes[s->ports[i].node].type != FT_NODE_SWITCH && s->ports[i].guid > 0)
			r = ft_map_add(ports, s->ports[i].guid, s->ports[i].node, NULL);
	for (uint32_t i = 0; r >= 0 && i < s->node_count; i++)
		r = ft_map_add(ports, s->nodes[i].guid, i, NULL);
	return r < 0 ? r : 0;
}
