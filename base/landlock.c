/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/landlock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Linux 5.19 and 6.2; not in the headers of Debian 12's first kernels. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

enum {
	/* The first version with FS_REFER. Without it no file could be renamed from one directory to another. */
	VERSION_REFER = 2,
	VERSION_TRUNCATE = 3,
};

/* The rights that apply to files that are not directories. */
static const uint64_t file_rights =
	LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;
static const uint64_t open_rights =
	LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REFER;
static const uint64_t write_rights =
	LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
	LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
	LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
	LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER | LANDLOCK_ACCESS_FS_TRUNCATE;

struct rules {
	int fd;
	uint64_t rights; /* the rights that are denied, unless a rule grants them */
};

/* A rule set without any rules. */
static int rules_begin(uint64_t rights, struct rules *ret)
{
	int version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = {.handled_access_fs = rights};

	if (version < 0)
		return -errno;
	if (version < VERSION_REFER)
		return -EOPNOTSUPP;
	if (version < VERSION_TRUNCATE)
		attr.handled_access_fs &= ~LANDLOCK_ACCESS_FS_TRUNCATE;
	ret->rights = attr.handled_access_fs;
	ret->fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (ret->fd < 0)
		return -errno;
	return fcntl(ret->fd, F_SETFD, FD_CLOEXEC) < 0 ? -errno : 0;
}

/* Grants the rights at and below @fd. Files that cannot have rules (links) are not restricted. */
static int rules_allow(const struct rules *rules, int fd)
{
	struct landlock_path_beneath_attr attr = {.allowed_access = rules->rights, .parent_fd = fd};
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return 0;
	if (!S_ISDIR(st.st_mode))
		attr.allowed_access &= file_rights;
	if (syscall(SYS_landlock_add_rule, rules->fd, LANDLOCK_RULE_PATH_BENEATH, &attr, 0) < 0)
		return -errno;
	return 0;
}

static int rules_enforce(const struct rules *rules)
{
	if (syscall(SYS_landlock_restrict_self, rules->fd, 0) == 0)
		return 0;
	if (errno != EPERM || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return syscall(SYS_landlock_restrict_self, rules->fd, 0) < 0 ? -errno : 0;
}

static void directory_closep(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

/* Grants them for all entries of the directory @path of @length bytes except @name. */
static int allow_others(const struct rules *rules, const char *path, size_t length, const char *name,
			size_t name_length)
{
	_cleanup_free_ char *directory_path = strndup(length ? path : "/", length ? length : 1);
	_cleanup_(directory_closep) DIR *directory = directory_path ? opendir(directory_path) : NULL;
	const struct dirent *entry;
	int r = 0;

	if (!directory_path)
		return -ENOMEM;
	/* There is nothing to hide or to grant. */
	if (!directory)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while (r == 0 && (entry = readdir(directory))) {
		_cleanup_(ft_closep) int fd = -1;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    (strlen(entry->d_name) == name_length && memcmp(entry->d_name, name, name_length) == 0))
			continue;
		fd = openat(dirfd(directory), entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		/* An entry that is gone meanwhile, or inaccessible: no rule. */
		if (fd >= 0)
			r = rules_allow(rules, fd);
	}
	return r;
}

int ft_landlock_hide(const char *path)
{
	struct rules rules = {.fd = -1};
	_cleanup_(ft_closep) int fd = -1;
	int r = rules_begin(open_rights, &rules);

	fd = rules.fd;
	/* /dev/infiniband: all in / but dev, all in /dev but infiniband. */
	for (size_t at = 0; r == 0 && path[at] == '/' && path[at + 1];) {
		size_t length = strcspn(path + at + 1, "/");

		r = allow_others(&rules, path, at, path + at + 1, length);
		at += length + 1;
	}
	return r == 0 ? rules_enforce(&rules) : r;
}

int ft_landlock_write_only_below(const char *const *paths, size_t count)
{
	struct rules rules = {.fd = -1};
	_cleanup_(ft_closep) int fd = -1;
	int r = rules_begin(write_rights, &rules);

	fd = rules.fd;
	for (size_t i = 0; r == 0 && i < count; i++) {
		_cleanup_(ft_closep) int below = open(paths[i], O_PATH | O_CLOEXEC);

		if (below >= 0)
			r = rules_allow(&rules, below);
	}
	return r == 0 ? rules_enforce(&rules) : r;
}
