/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/lldp_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"

enum { NS_A_SECOND = 1000000000, NS_A_MILLISECOND = 1000000 };

void ft_lldp_files_release(struct ft_lldp_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->items[i].machine);
		free(files->items[i].text);
	}
	free(files->items);
	*files = (struct ft_lldp_files){0};
}

static bool is_recording(const char *name)
{
	static const char *const endings[] = {".json", ".json0", ".lldp"};
	size_t length = strlen(name);

	for (size_t i = 0; i < FT_COUNT(endings); i++) {
		size_t ending = strlen(endings[i]);

		if (name[0] != '.' && length > ending && strcmp(name + length - ending, endings[i]) == 0)
			return true;
	}
	return false;
}

/* Room for one more. */
static int files_reserve(struct ft_lldp_files *files, size_t *size)
{
	size_t wanted = *size ? 2 * *size : 64;
	struct ft_lldp_file *more;

	if (files->count < *size)
		return 0;
	more = reallocarray(files->items, wanted, sizeof(*more));
	if (!more)
		return -ENOMEM;
	files->items = more;
	*size = wanted;
	return 0;
}

/* When the file was written; 0: it is gone, or too old. Read before the file itself, so that it is never too young. */
static int64_t time_of(const char *path, uint32_t age_ms)
{
	struct timespec now;
	struct stat st;
	int64_t written_ns, now_ns;

	if (lstat(path, &st) < 0)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	written_ns = (int64_t)st.st_mtim.tv_sec * NS_A_SECOND + st.st_mtim.tv_nsec;
	now_ns = (int64_t)now.tv_sec * NS_A_SECOND + now.tv_nsec;
	if (age_ms != FT_LLDP_ANY_AGE && written_ns < now_ns - (int64_t)age_ms * NS_A_MILLISECOND)
		return 0;
	return written_ns;
}

/* One file; what cannot be read, such as one that was just renamed, is left out. */
static int file_take(struct ft_lldp_files *files, size_t *size, const char *directory, const char *name,
		     uint32_t age_ms, size_t *total)
{
	_cleanup_free_ char *path = NULL;
	struct ft_lldp_file file = {0};
	struct ft_error unsaid = {0};
	int r = files_reserve(files, size);

	if (r < 0)
		return r;
	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return -ENOMEM;
	file.time_ns = time_of(path, age_ms);
	if (file.time_ns == 0)
		return 0;
	r = ft_file_read_plain(path, O_NOFOLLOW, FT_LLDP_FILE_MAX, &file.text, &file.length, &unsaid);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	*total += file.length;
	r = *total > FT_LLDP_TOTAL_MAX ? -EFBIG : ft_lldp_machine(name, &file.machine);
	if (r < 0) {
		free(file.text);
		return r;
	}
	files->items[files->count++] = file;
	return 0;
}

static int by_machine(const void *a, const void *b)
{
	const struct ft_lldp_file *x = a, *y = b;

	return strcmp(x->machine, y->machine);
}

static void closedirp(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

int ft_lldp_directory_read(const char *path, uint32_t age_ms, struct ft_lldp_files *ret_files, struct ft_error *err)
{
	_cleanup_(ft_lldp_files_release) struct ft_lldp_files files = {0};
	_cleanup_(closedirp) DIR *directory = opendir(path);
	size_t size = 0, total = 0;
	struct dirent *entry;
	int r = 0;

	if (!directory)
		return ft_error_set(err, -errno, 0, 0, "%s: %s", path, strerror(errno));
	while (r == 0 && (entry = readdir(directory))) {
		if (!is_recording(entry->d_name))
			continue;
		r = files.count == FT_LLDP_FILES_MAX ? -EFBIG
						     : file_take(&files, &size, path, entry->d_name, age_ms, &total);
	}
	if (r == -EFBIG)
		return ft_error_set(err, r, 0, 0, "%s: more than %d files, or more than %d MiB of them", path,
				    FT_LLDP_FILES_MAX, FT_LLDP_TOTAL_MAX >> 20);
	if (r < 0)
		return r;
	/* The order of the directory must not decide anything. */
	if (files.count > 0)
		qsort(files.items, files.count, sizeof(*files.items), by_machine);
	*ret_files = files;
	files = (struct ft_lldp_files){0};
	return 0;
}

int ft_lldp_directory_parse(const struct ft_lldp_files *files, struct ft_snapshot **ret_snapshot, size_t *ret_faults,
			    struct ft_error *err)
{
	_cleanup_(ft_lldp_freep) struct ft_lldp *lldp = NULL;
	size_t faults = 0;
	int r = ft_lldp_new(&lldp);

	for (size_t i = 0; r == 0 && i < files->count; i++) {
		const struct ft_lldp_file *file = &files->items[i];
		struct ft_error why = {0};

		r = ft_lldp_add_at(lldp, file->text, file->length, file->machine, file->time_ns, &why);
		if (r == 0 || r == -ENOMEM)
			continue;
		if (faults++ == 0)
			ft_error_set(err, r, 0, 0, "%s:%u:%u: %s", file->machine, why.line, why.column, why.text);
		r = 0;
	}
	if (r == 0)
		r = ft_lldp_finish(lldp, ret_snapshot, err);
	if (r == 0)
		*ret_faults = faults;
	return r;
}
