/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A directory of LLDP neighbours, one file a machine (lldp.h), as the machines of a fabric hand them over. Reading and
 * parsing are apart, so that a process can give up its rights in between.
 */
#ifndef FT_PROBE_LLDP_DIRECTORY_H
#define FT_PROBE_LLDP_DIRECTORY_H

#include "probe/lldp.h"

enum {
	FT_LLDP_FILES_MAX = 100000,
	FT_LLDP_TOTAL_MAX = 1 << 30, /* bytes of all files */
};

#define FT_LLDP_ANY_AGE UINT32_MAX

struct ft_lldp_file {
	char *machine; /* by the file's name */
	char *text;    /* NUL-terminated */
	size_t length;
	int64_t time_ns; /* when it was written: Unix time */
};

struct ft_lldp_files {
	struct ft_lldp_file *items; /* sorted by machine */
	size_t count;
};

void ft_lldp_files_release(struct ft_lldp_files *files);

/*
 * Reads the regular files in @path whose names end in .json, .json0 or .lldp and do not begin with a dot. A file that
 * cannot be read is left out, and so is one that was written longer than @age_ms ago (FT_LLDP_ANY_AGE: none): its
 * machine hands nothing over any more.
 *
 * Returns 0, -ENOMEM, -errno of opendir(), or -EFBIG beyond the limits, with @err filled.
 */
int ft_lldp_directory_read(const char *path, uint32_t age_ms, struct ft_lldp_files *ret_files, struct ft_error *err);

/*
 * The snapshot of them. A file that is no recording is left out, so that one machine cannot blind the watch over all:
 * its machine is silent then, and the verification says so.
 *
 * @ret_faults  out: how many were left out; @err has the first one, whose name is in its text
 * Returns 0 or as ft_lldp_finish().
 */
int ft_lldp_directory_parse(const struct ft_lldp_files *files, struct ft_snapshot **ret_snapshot, size_t *ret_faults,
			    struct ft_error *err);

#endif
