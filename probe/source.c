/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "probe/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "probe/lldp.h"
#include "probe/snapshot_build.h"

/* A libibnetdisc cache begins with this number, least significant byte first. */
static bool is_cache(const char *bytes, size_t length)
{
	return length >= 4 && memcmp(bytes, "\x2b\x83\xe7\x8f", 4) == 0;
}

/* Nothing that ibnetdiscover prints, and no prompt worth the name, begins with a brace. */
static bool is_snapshot(const char *text, size_t length)
{
	size_t i = ft_text_mark(text, length);

	while (i < length && strchr(" \t\r\n", text[i]) && text[i])
		i++;
	return i < length && text[i] == '{';
}

/* In the order in which they are tried; the last one accepts everything. */
static const struct format {
	bool (*matches)(const char *bytes, size_t length);
	int (*read)(const char *bytes, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);
	bool has_detail; /* the file names its own origin */
} formats[] = {
	{is_cache, ft_dump_read_cache, false},	    {ft_dump_is_lst, ft_dump_read_lst, false},
	{is_snapshot, ft_snapshot_read_json, true}, {ft_dump_is_iblinkinfo, ft_dump_read_iblinkinfo, false},
	{NULL, ft_dump_read_ibnetdiscover, false},
};

/* Files often mistaken for a record of the fabric: how their lines begin, and what to do. */
static const struct {
	const char *start;
	const char *what;
} mistakes[] = {
	{"Switch\t: 0x",
	 "this is a list of nodes by ibswitches or ibnodes, without cables; record with 'ibnetdiscover'"},
	{"Ca\t: 0x", "this is a list of nodes by ibhosts or ibnodes, without cables; record with 'ibnetdiscover'"},
	{"Rt\t: 0x", "this is a list of nodes by ibrouters or ibnodes, without cables; record with 'ibnetdiscover'"},
	{"CA '", "this is ibstat's word of one machine's adapters; record the fabric with 'ibnetdiscover'"},
	{"CA type:", "this is ibstat's word of one machine's adapters; record the fabric with 'ibnetdiscover'"},
	{"Infiniband device '",
	 "this is ibstatus' word of one machine's adapters; record the fabric with 'ibnetdiscover'"},
	{"hca_id:", "this is ibv_devinfo's word of one machine's adapters; record the fabric with 'ibnetdiscover'"},
	{"Unicast lids [", "these are forwarding tables; give them to --routes"},
	{"Multicast mlids [", "these are multicast forwarding tables; record the fabric with 'ibnetdiscover'"},
	{"Errors for ", "these are error counters by ibqueryerrors; record the fabric with 'ibnetdiscover'"},
	{"# Port counters:", "these are counters by perfquery; record the fabric with 'ibnetdiscover'"},
	{"lldp.", "these are LLDP neighbours as keys and values; record them with 'lldpcli show neighbors -f json'"},
	{"LLDP neighbors:", "these are LLDP neighbours as text; record them with 'lldpcli show neighbors -f json'"},
	{"<lldp ", "these are LLDP neighbours as XML; record them with 'lldpcli show neighbors -f json'"},
	{"# Node info:", "this is smpquery's word of one node; record the fabric with 'ibnetdiscover'"},
	{"# Port info:", "this is smpquery's word of one port; record the fabric with 'ibnetdiscover'"},
};

static const struct {
	const char *magic;
	size_t length;
	const char *what;
} foreign[] = {
	{"\xfd"
	 "7zXZ",
	 5, "this is packed by xz; unpack it first: xz -dc FILE | ftcheck --from -"},
	{"BZh", 3, "this is packed by bzip2; unpack it first: bzip2 -dc FILE | ftcheck --from -"},
	{"\x28\xb5\x2f\xfd", 4, "this is packed by zstd; unpack it first: zstd -dc FILE | ftcheck --from -"},
	{"PK\x03\x04", 4, "this is packed by zip; unpack it first: unzip -p FILE | ftcheck --from -"},
	{"\xff\xfe", 2, "this is UTF-16: save it as UTF-8"},
	{"\xfe\xff", 2, "this is UTF-16: save it as UTF-8"},
};

/* Names the format of a text that no reader accepted, if it is known. */
static int mistake_tell(const char *text, size_t length, struct ft_error *err)
{
	const char *end = text + length;
	unsigned int line = 1;

	for (size_t i = 0; i < FT_COUNT(foreign); i++)
		if (length >= foreign[i].length && memcmp(text, foreign[i].magic, foreign[i].length) == 0)
			return ft_error_set(err, -EINVAL, 1, 1, "%s", foreign[i].what);
	for (const char *at = text, *next; at < end; at = next, line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		next = newline ? newline + 1 : end;
		for (size_t i = 0; i < FT_COUNT(mistakes); i++) {
			size_t start = strlen(mistakes[i].start);

			if ((size_t)(next - at) > start && memcmp(at, mistakes[i].start, start) == 0)
				return ft_error_set(err, -EINVAL, line, 1, "%s", mistakes[i].what);
		}
	}
	return -EINVAL;
}

static bool is_gzip(const char *bytes, size_t length)
{
	return length >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

/* The file's text, unpacked. */
static int text_take(const char *path, size_t limit, char **ret_text, size_t *ret_length, struct ft_error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int r = ft_file_read(path, limit, &text, &length, err);

	if (r < 0)
		return r;
	if (is_gzip(text, length)) {
		char *packed = FT_STEAL(text);

		r = ft_gzip_unpack(packed, length, &text, &length, err);
		free(packed);
		if (r < 0)
			return r;
	}
	if (length == 0)
		return ft_error_set(err, -EINVAL, 1, 1, "the file is empty");
	*ret_text = FT_STEAL(text);
	*ret_length = length;
	return 0;
}

static int lldp_add(struct ft_lldp *lldp, const char *path, const char *text, size_t length, struct ft_error *err)
{
	_cleanup_free_ char *machine = NULL;
	int r = ft_lldp_machine(path, &machine);

	return r == 0 ? ft_lldp_add(lldp, text, length, machine, err) : r;
}

static int lldp_load(const char *path, const char *text, size_t length, struct ft_snapshot **ret_snapshot,
		     struct ft_error *err)
{
	_cleanup_(ft_lldp_freep) struct ft_lldp *lldp = NULL;
	int r = ft_lldp_new(&lldp);

	if (r == 0)
		r = lldp_add(lldp, path, text, length, err);
	return r == 0 ? ft_lldp_finish(lldp, ret_snapshot, err) : r;
}

int ft_source_load(const char *path, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_free_ char *text = NULL;
	const struct format *format = formats;
	size_t length;
	bool lldp;
	int r;

	r = text_take(path, 0, &text, &length, err);
	if (r < 0)
		return r;
	lldp = ft_lldp_is(text, length);
	while (format->matches && !format->matches(text, length))
		format++;
	r = lldp ? lldp_load(path, text, length, &snapshot, err) : format->read(text, length, &snapshot, err);
	/* Unknown text goes to ibnetdiscover's reader, which rejects its first line. */
	if (r == -EINVAL && !format->matches)
		r = mistake_tell(text, length, err);
	if (r < 0)
		return r;
	if (lldp || !format->has_detail) {
		r = ft_snapshot_set_detail(snapshot, path);
		if (r < 0)
			return r;
	}
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}

/* One of several files: only LLDP neighbours come so. */
static int part_load(struct ft_lldp *lldp, const char *path, struct ft_error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int r = text_take(path, FT_LLDP_FILE_MAX, &text, &length, err);

	if (r < 0)
		return r;
	if (!ft_lldp_is(text, length))
		return ft_error_set(err, -EINVAL, 1, 1,
				    "these are no LLDP neighbours, which alone come in several files: record them with "
				    "\"lldpcli show neighbors -f json\" on each machine");
	return lldp_add(lldp, path, text, length, err);
}

int ft_source_load_all(const char *const *paths, size_t count, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_(ft_lldp_freep) struct ft_lldp *lldp = NULL;
	_cleanup_(ft_text_release) struct ft_text detail = {0};
	int r;

	if (err)
		err->file = paths[0];
	if (count == 1)
		return ft_source_load(paths[0], ret_snapshot, err);
	r = ft_lldp_new(&lldp);
	for (size_t i = 0; r == 0 && i < count; i++) {
		if (err)
			err->file = paths[i];
		r = part_load(lldp, paths[i], err);
	}
	if (r == 0)
		r = ft_lldp_finish(lldp, &snapshot, err);
	ft_text_printf(&detail, "%s and %zu more", paths[0], count - 1);
	if (r == 0)
		r = ft_text_failed(&detail) ? -ENOMEM : ft_snapshot_set_detail(snapshot, ft_text_string(&detail));
	if (r < 0)
		return r;
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}

bool ft_source_is_neighbours(const char *path)
{
	struct ft_error unsaid = {0};
	/* What is no regular file can be read only once. */
	_cleanup_(ft_closep) int fd = ft_file_open(path, 0, &unsaid);
	char begin[1024];
	ssize_t got = fd >= 0 ? read(fd, begin, sizeof(begin)) : -1;

	return got > 0 && ft_lldp_is(begin, (size_t)got);
}
