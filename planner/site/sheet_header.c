/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The headings of the columns of a list of cables, as written by users. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "planner/plan/cabling.h"
#include "planner/site/sheet_parts.h"

enum {
	CELL_WORDS_MAX = 6,
	HEADER_WORD_SIZE = 16,
};

/* The meaning of a word for its column. */
enum word_kind {
	WORD_A,	    /* one end */
	WORD_B,	    /* the other */
	WORD_NAME,  /* of a switch or host */
	WORD_LABEL, /* the same, if there is no better column; next to one, of a port */
	WORD_PORT,
	WORD_INTERFACE, /* a port; beside one, an adapter of the host */
	WORD_BOARD,
	WORD_ADAPTER, /* of a host; beside a name, nothing */
	WORD_KIND,    /* of cable, or the network it is of */
	WORD_CABLE,   /* nothing, beside another word */
	WORD_FILLER,  /* nothing at all */
	WORD_OTHER,   /* a property that is not used */
	WORD_UNKNOWN,
};

static const struct {
	const char *word;
	enum word_kind kind;
} header_words[] = {
	{"a", WORD_A},
	{"source", WORD_A},
	{"src", WORD_A},
	{"from", WORD_A},
	{"local", WORD_A},
	{"near", WORD_A},
	{"left", WORD_A},
	{"origin", WORD_A},
	{"1", WORD_A},
	{"b", WORD_B},
	{"z", WORD_B},
	{"destination", WORD_B},
	{"dest", WORD_B},
	{"dst", WORD_B},
	{"target", WORD_B},
	{"to", WORD_B},
	{"remote", WORD_B},
	{"far", WORD_B},
	{"right", WORD_B},
	{"peer", WORD_B},
	{"neighbor", WORD_B},
	{"neighbour", WORD_B},
	{"other", WORD_B},
	{"2", WORD_B},
	{"switch", WORD_NAME},
	{"device", WORD_NAME},
	{"host", WORD_NAME},
	{"node", WORD_NAME},
	{"system", WORD_NAME},
	{"director", WORD_NAME},
	{"server", WORD_NAME},
	{"name", WORD_LABEL},
	{"hostname", WORD_NAME},
	{"equipment", WORD_NAME},
	{"leaf", WORD_NAME},
	{"spine", WORD_NAME},
	{"edge", WORD_NAME},
	{"core", WORD_NAME},
	{"machine", WORD_NAME},
	{"sw", WORD_NAME},
	{"dev", WORD_NAME},
	{"chassis", WORD_NAME},
	{"nodename", WORD_NAME},
	{"port", WORD_PORT},
	{"p", WORD_PORT},
	{"interface", WORD_INTERFACE},
	{"if", WORD_INTERFACE},
	{"ifname", WORD_INTERFACE},
	{"intf", WORD_INTERFACE},
	{"plug", WORD_PORT},
	{"socket", WORD_PORT},
	{"portnumber", WORD_PORT},
	{"termination", WORD_PORT},
	{"board", WORD_BOARD},
	{"blade", WORD_BOARD},
	{"slot", WORD_BOARD},
	{"module", WORD_BOARD},
	{"card", WORD_BOARD},
	{"linecard", WORD_BOARD},
	{"hca", WORD_ADAPTER},
	{"adapter", WORD_ADAPTER},
	{"kind", WORD_KIND},
	{"type", WORD_KIND},
	{"network", WORD_KIND},
	{"protocol", WORD_KIND},
	{"fabric", WORD_KIND},
	{"usage", WORD_KIND},
	{"purpose", WORD_KIND},
	{"cable", WORD_CABLE},
	{"link", WORD_CABLE},
	{"connection", WORD_CABLE},
	{"connected", WORD_FILLER},
	{"side", WORD_FILLER},
	{"end", WORD_FILLER},
	{"the", WORD_FILLER},
	{"number", WORD_FILLER},
	{"no", WORD_FILLER},
	{"nr", WORD_FILLER},
	{"num", WORD_FILLER},
	{"ib", WORD_FILLER},
	{"infiniband", WORD_FILLER},
	{"label", WORD_OTHER},
	{"length", WORD_OTHER},
	{"len", WORD_OTHER},
	{"rack", WORD_OTHER},
	{"unit", WORD_OTHER},
	{"u", WORD_OTHER},
	{"row", WORD_OTHER},
	{"position", WORD_OTHER},
	{"pos", WORD_OTHER},
	{"location", WORD_OTHER},
	{"cabinet", WORD_OTHER},
	{"color", WORD_OTHER},
	{"colour", WORD_OTHER},
	{"speed", WORD_OTHER},
	{"rate", WORD_OTHER},
	{"comment", WORD_OTHER},
	{"comments", WORD_OTHER},
	{"remark", WORD_OTHER},
	{"remarks", WORD_OTHER},
	{"note", WORD_OTHER},
	{"notes", WORD_OTHER},
	{"serial", WORD_OTHER},
	{"sn", WORD_OTHER},
	{"part", WORD_OTHER},
	{"pn", WORD_OTHER},
	{"date", WORD_OTHER},
	{"status", WORD_OTHER},
	{"state", WORD_OTHER},
	{"guid", WORD_OTHER},
	{"lid", WORD_OTHER},
	{"mac", WORD_OTHER},
	{"ip", WORD_OTHER},
	{"vendor", WORD_OTHER},
	{"model", WORD_OTHER},
	{"product", WORD_OTHER},
	{"tag", WORD_OTHER},
	{"room", WORD_OTHER},
	{"site", WORD_OTHER},
	{"description", WORD_OTHER},
	{"width", WORD_OTHER},
	{"id", WORD_OTHER},
	{"height", WORD_OTHER},
	{"connector", WORD_OTHER},
	{"transceiver", WORD_OTHER},
	{"line", WORD_OTHER},
	{"m", WORD_OTHER},
	{"role", WORD_OTHER},
};

/* The combined meaning of the words of one cell. */
struct heading {
	bool said[WORD_UNKNOWN + 1];
};

static enum word_kind word_find(const char *word)
{
	for (size_t i = 0; i < FT_COUNT(header_words); i++)
		if (strcmp(header_words[i].word, word) == 0)
			return header_words[i].kind;
	return WORD_UNKNOWN;
}

/* "sourceport": two words written as one. */
static void word_say(const char *word, struct heading *heading)
{
	enum word_kind kind = word_find(word);

	for (size_t i = 0; kind == WORD_UNKNOWN && i < FT_COUNT(header_words); i++) {
		size_t length = strlen(header_words[i].word);
		enum word_kind rest;

		if (length < 2 || strncmp(word, header_words[i].word, length) != 0 || !word[length])
			continue;
		rest = word_find(word + length);
		if (rest == WORD_UNKNOWN)
			continue;
		heading->said[header_words[i].kind] = true;
		kind = rest;
	}
	heading->said[kind] = true;
}

/* A word ends where letters do, and where a capital follows a small one: "SourcePort", "a_port". */
static size_t word_length(const char *c)
{
	size_t length = 0;

	while (isalnum((unsigned char)c[length]) &&
	       !(length > 0 && islower((unsigned char)c[length - 1]) && isupper((unsigned char)c[length])))
		length++;
	return length;
}

static bool has_digit(const char *c, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (isdigit((unsigned char)c[i]))
			return true;
	return false;
}

/* False where it is no heading: names and numbers of things have digits in them. */
static bool heading_read(const char *text, struct heading *heading)
{
	unsigned int words = 0;
	bool letters = false;

	*heading = (struct heading){0};
	for (const char *c = text; *c;) {
		char word[HEADER_WORD_SIZE];
		size_t length = word_length(c);

		if (length == 0) {
			c++;
			continue;
		}
		if (words++ == CELL_WORDS_MAX)
			return false;
		if (has_digit(c, length) && (length > 1 || (*c != '1' && *c != '2')))
			return false;
		letters |= !has_digit(c, length);
		if (length < sizeof(word)) {
			for (size_t i = 0; i < length; i++)
				word[i] = (char)tolower((unsigned char)c[i]);
			word[length] = '\0';
			word_say(word, heading);
		}
		c += length;
	}
	return letters || words == 0;
}

/* FT_SHEET_NONE: either, so that the order tells. */
static int side_of(const struct heading *h)
{
	if (h->said[WORD_A] == h->said[WORD_B])
		return FT_SHEET_NONE;
	return h->said[WORD_B];
}

static bool is_port_heading(const struct heading *h)
{
	return h->said[WORD_PORT] || h->said[WORD_INTERFACE];
}

/* Which of the three columns of an end it is, or NULL. */
static int *place_of(const struct heading *h, struct ft_sheet_columns *columns)
{
	bool side = h->said[WORD_A] || h->said[WORD_B];

	if (h->said[WORD_OTHER] || (h->said[WORD_KIND] && !is_port_heading(h)))
		return NULL;
	if (is_port_heading(h))
		return columns->port;
	if (h->said[WORD_BOARD] || (h->said[WORD_ADAPTER] && !h->said[WORD_NAME] && !h->said[WORD_LABEL]))
		return columns->board;
	/* "Cable" alone is a number or a label of it. */
	return h->said[WORD_NAME] || h->said[WORD_LABEL] || (side && !h->said[WORD_UNKNOWN]) ? columns->name : NULL;
}

/* How sure it is that a column of names is that of switches and hosts. */
enum surety { SURE_DEVICE, SURE_LABEL, SURE_SIDE, SURE_COUNT };

static enum surety surety_of(const struct heading *h)
{
	return h->said[WORD_NAME] ? SURE_DEVICE : h->said[WORD_LABEL] ? SURE_LABEL : SURE_SIDE;
}

/* The end that column @at of @place belongs to, where its words do not say: the nearest name before it, else in order.
 */
static int side_by_order(const struct ft_sheet_columns *columns, const int *place, int at)
{
	int best = FT_SHEET_NONE;

	if (place != columns->name)
		for (int side = 0; side < 2; side++)
			if (columns->name[side] != FT_SHEET_NONE && columns->name[side] < at &&
			    (best == FT_SHEET_NONE || columns->name[side] > columns->name[best]))
				best = side;
	if (best != FT_SHEET_NONE && place[best] == FT_SHEET_NONE)
		return best;
	return place[0] == FT_SHEET_NONE ? 0 : place[1] == FT_SHEET_NONE ? 1 : FT_SHEET_NONE;
}

/* One column, if its words say which end it is of (@sided), or do not. The first of several is taken. */
static void column_place(const struct ft_sheet_record *record, int at, bool sided, struct ft_sheet_columns *columns)
{
	struct heading h;
	int *place, side;

	heading_read(record->cells[at].text, &h);
	place = place_of(&h, columns);
	side = side_of(&h);
	if (!place || (side != FT_SHEET_NONE) != sided)
		return;
	if (!sided)
		side = side_by_order(columns, place, at);
	if (side != FT_SHEET_NONE && place[side] == FT_SHEET_NONE)
		place[side] = at;
}

static bool is_name(const struct ft_sheet_record *record, int at, enum surety *ret_surety)
{
	struct ft_sheet_columns columns;
	struct heading h;

	heading_read(record->cells[at].text, &h);
	*ret_surety = surety_of(&h);
	return place_of(&h, &columns) == columns.name;
}

/* The surest of each side. */
static void names_place(const struct ft_sheet_record *record, bool sided, struct ft_sheet_columns *columns)
{
	enum surety surety;

	for (enum surety wanted = SURE_DEVICE; wanted < SURE_COUNT; wanted++)
		for (int i = 0; i < record->count; i++)
			if (is_name(record, i, &surety) && surety == wanted)
				column_place(record, i, sided, columns);
}

/* "Host,Interface,Port": an interface beside a port says which adapter the port is of. */
static void interface_place(const struct ft_sheet_record *record, int at, bool sided, struct ft_sheet_columns *columns)
{
	struct heading h;
	int side;

	heading_read(record->cells[at].text, &h);
	side = side_of(&h);
	if ((side != FT_SHEET_NONE) != sided)
		return;
	for (int i = 0; !sided && i < 2; i++)
		if (columns->name[i] != FT_SHEET_NONE && columns->name[i] < at &&
		    (side == FT_SHEET_NONE || columns->name[i] > columns->name[side]))
			side = i;
	if (side != FT_SHEET_NONE && columns->port[side] != FT_SHEET_NONE && columns->board[side] == FT_SHEET_NONE)
		columns->board[side] = at;
	else
		column_place(record, at, sided, columns);
}

static bool is_interface(const struct ft_sheet_record *record, int at)
{
	struct heading h;

	heading_read(record->cells[at].text, &h);
	return h.said[WORD_INTERFACE] && !h.said[WORD_PORT] && !h.said[WORD_OTHER];
}

static void ports_place(const struct ft_sheet_record *record, bool sided, struct ft_sheet_columns *columns)
{
	enum surety surety;

	for (int i = 0; i < record->count; i++)
		if (!is_name(record, i, &surety) && !is_interface(record, i))
			column_place(record, i, sided, columns);
	for (int i = 0; i < record->count; i++)
		if (is_interface(record, i))
			interface_place(record, i, sided, columns);
}

/* "side_a_device,side_a_name": beside a device, what has a name is its port. */
static void labels_as_ports(const struct ft_sheet_record *record, struct ft_sheet_columns *columns)
{
	enum surety surety;
	struct heading h;

	for (int i = 0; i < record->count; i++) {
		int side;

		heading_read(record->cells[i].text, &h);
		side = side_of(&h);
		if (is_name(record, i, &surety) && surety == SURE_LABEL && side != FT_SHEET_NONE &&
		    columns->name[side] != i && columns->port[side] == FT_SHEET_NONE)
			columns->port[side] = i;
	}
}

/* "Rack,U,Name,Port,Rack,Name,Name,Port": of more names than ends, those that ports stand behind. */
static void names_by_ports(const struct ft_sheet_record *record, struct ft_sheet_columns *columns)
{
	int nearest = FT_SHEET_NONE, found[2], ports[2], count = 0, names = 0;
	enum surety surety;
	struct heading h;

	for (int i = 0; i < record->count; i++) {
		struct ft_sheet_columns any;

		heading_read(record->cells[i].text, &h);
		if (place_of(&h, &any) && side_of(&h) != FT_SHEET_NONE)
			return;
		if (is_name(record, i, &surety)) {
			nearest = i;
			names++;
		} else if (place_of(&h, &any) == any.port) {
			if (count == 2 || nearest == FT_SHEET_NONE)
				return;
			found[count] = nearest;
			ports[count++] = i;
			nearest = FT_SHEET_NONE;
		}
	}
	if (names < 3 || count < 2)
		return;
	memcpy(columns->name, found, sizeof(found));
	memcpy(columns->port, ports, sizeof(ports));
}

/* Two ports behind two names, and nothing that says whose they are: "a,b,port,port". */
static void ports_in_order(const struct ft_sheet_record *record, struct ft_sheet_columns *columns)
{
	int last = columns->name[0] > columns->name[1] ? columns->name[0] : columns->name[1];
	int ports[2] = {columns->port[0], columns->port[1]};
	struct heading h;

	for (int side = 0; side < 2; side++) {
		if (ports[side] <= last)
			return;
		heading_read(record->cells[ports[side]].text, &h);
		if (side_of(&h) != FT_SHEET_NONE)
			return;
	}
	columns->port[columns->name[0] > columns->name[1]] = ports[0] < ports[1] ? ports[0] : ports[1];
	columns->port[columns->name[0] < columns->name[1]] = ports[0] < ports[1] ? ports[1] : ports[0];
}

bool ft_sheet_header_read(const struct ft_sheet_record *record, struct ft_sheet_columns *ret_columns)
{
	struct ft_sheet_columns columns = {{FT_SHEET_NONE, FT_SHEET_NONE},
					   {FT_SHEET_NONE, FT_SHEET_NONE},
					   {FT_SHEET_NONE, FT_SHEET_NONE},
					   FT_SHEET_NONE};

	for (int i = 0; i < record->count; i++) {
		struct heading h;

		if (!heading_read(record->cells[i].text, &h))
			return false;
		if (columns.kind == FT_SHEET_NONE && h.said[WORD_KIND] && !h.said[WORD_OTHER] && !is_port_heading(&h))
			columns.kind = i;
	}
	names_place(record, true, &columns);
	names_place(record, false, &columns);
	if (columns.name[0] == FT_SHEET_NONE || columns.name[1] == FT_SHEET_NONE)
		return false;
	ports_place(record, true, &columns);
	ports_place(record, false, &columns);
	ports_in_order(record, &columns);
	labels_as_ports(record, &columns);
	names_by_ports(record, &columns);
	*ret_columns = columns;
	return true;
}

static bool is_port(const struct ft_sheet_record *record, int column)
{
	struct ft_port_label label;

	return ft_port_label_read(record->cells[column].text, &label) == 0;
}

int ft_sheet_columns_guess(const struct ft_sheet_record *record, struct ft_sheet_columns *ret_columns)
{
	struct ft_sheet_columns columns = {{0, 2}, {FT_SHEET_NONE, FT_SHEET_NONE}, {1, 3}, FT_SHEET_NONE};

	if (record->count >= 4 && (is_port(record, 1) || is_port(record, 3)) && !is_port(record, 0) &&
	    !is_port(record, 2)) {
		*ret_columns = columns;
		return 0;
	}
	/* A host, its switch, the port there; or two switches that have cables, in whatever ports. */
	if (record->count == 3 && is_port(record, 2) && !is_port(record, 1))
		columns = (struct ft_sheet_columns){
			{0, 1}, {FT_SHEET_NONE, FT_SHEET_NONE}, {FT_SHEET_NONE, 2}, FT_SHEET_NONE};
	else if (record->count == 2 && !isdigit((unsigned char)record->cells[0].text[0]) &&
		 !isdigit((unsigned char)record->cells[1].text[0]))
		columns = (struct ft_sheet_columns){
			{0, 1}, {FT_SHEET_NONE, FT_SHEET_NONE}, {FT_SHEET_NONE, FT_SHEET_NONE}, FT_SHEET_NONE};
	else
		return -EINVAL;
	*ret_columns = columns;
	return 0;
}

bool ft_sheet_kind_is_foreign(const char *kind)
{
	static const char *const words[] = {
		"eth", "mgmt", "management",   "ipmi", "bmc",  "power", "console", "lan", "wan", "gige",  "10g", "25g",
		"1g",  "fc",   "fibrechannel", "rj45", "cat5", "cat6",	"cat6a",   "oob", "ilo", "idrac", "pdu"};

	for (const char *c = kind; *c;) {
		size_t length = 0;

		while (isalnum((unsigned char)c[length]))
			length++;
		for (size_t i = 0; i < FT_COUNT(words); i++)
			if (length == strlen(words[i]) && strncasecmp(c, words[i], length) == 0)
				return true;
		if (length >= 8 && strncasecmp(c, "ethernet", 8) == 0)
			return true;
		c += length ? length : 1;
	}
	return false;
}

bool ft_sheet_cell_is_blank(const char *text)
{
	static const char *const words[] = {"n/a",   "na",	 "none", "free", "unused",	 "spare",
					    "empty", "reserved", "open", "nc",	 "not connected"};

	if (text[strspn(text, "-_.?")] == '\0')
		return true;
	for (size_t i = 0; i < FT_COUNT(words); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}
