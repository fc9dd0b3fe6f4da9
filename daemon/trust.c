/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
	LINKS_MAX = 40, /* as in the kernel */
	NOBODY = 65534, /* the owner shown for ids that are unknown in a user namespace */
};

/* The state of walking a path, one name after the other. */
struct walk {
	uid_t user;
	int fd;			 /* the directory reached so far */
	char done[PATH_MAX];	 /* its path */
	char rest[PATH_MAX];	 /* the rest of the path */
	char name[NAME_MAX + 1]; /* the current name */
	unsigned int links;
	struct ft_text *why;
};

/*
 * In a user namespace of an ordinary user that maps this user to root, the real root is shown as the overflow id
 * "nobody". There it is trusted: no process has more rights than that user.
 */
static bool owners_are_known(void)
{
	static const char whole[] = "0 0 4294967295";
	unsigned long inside, outside, count;
	char text[64] = "";
	FILE *file = fopen("/proc/self/uid_map", "re");

	if (!file)
		return true;
	if (fscanf(file, "%lu %lu %lu", &inside, &outside, &count) == 3)
		snprintf(text, sizeof(text), "%lu %lu %lu", inside, outside, count);
	fclose(file);
	return text[0] == '\0' || strcmp(text, whole) == 0;
}

static bool owner_is_good(const struct walk *w, const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == w->user || (st->st_uid == NOBODY && !owners_are_known());
}

static int refuse(const struct walk *w, const char *what, const char *command)
{
	_cleanup_(ft_text_release) struct ft_text path = {0};
	const char *between = w->done[0] && strcmp(w->done, "/") != 0 ? "/" : "";

	ft_text_add_safe(&path, w->done, strlen(w->done));
	ft_text_puts(&path, w->name[0] ? between : "");
	ft_text_add_safe(&path, w->name, strlen(w->name));
	ft_text_printf(w->why, "%s %s: %s %s", ft_text_string(&path), what, command, ft_text_string(&path));
	return ft_text_failed(&path) || ft_text_failed(w->why) ? -ENOMEM : -EPERM;
}

static int owner_check(const struct walk *w, const struct stat *st, const char *command)
{
	char what[64];

	if (owner_is_good(w, st))
		return 0;
	snprintf(what, sizeof(what), "belongs to user %u", (unsigned int)st->st_uid);
	return refuse(w, what, command);
}

/* @on_the_way: other users may add entries to it, but not replace existing ones, if it is sticky. */
static int check(const struct walk *w, const struct stat *st, bool on_the_way)
{
	int r = owner_check(w, st, "chown root");

	if (r < 0 || (on_the_way && st->st_mode & S_ISVTX))
		return r;
	if (st->st_mode & S_IWOTH)
		return refuse(w, "can be written by everybody", "chmod go-w");
	if (st->st_mode & S_IWGRP && w->user == 0)
		return refuse(w, "can be written by its group", "chmod g-w");
	return 0;
}

/* The next name of the rest; false: there is none. */
static int name_next(struct walk *w)
{
	const char *begin = w->rest + strspn(w->rest, "/");
	size_t length = strcspn(begin, "/");

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(w->name, begin, length);
	w->name[length] = '\0';
	memmove(w->rest, begin + length, strlen(begin + length) + 1);
	return length > 0;
}

static int walk_begin(struct walk *w)
{
	struct stat st;

	ft_closep(&w->fd);
	w->done[0] = w->name[0] = '\0';
	w->fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w->fd < 0 || fstat(w->fd, &st) < 0)
		return -errno;
	strcpy(w->done, "/");
	return check(w, &st, true);
}

/* The target of the link comes before the rest. */
static int follow(struct walk *w, const struct stat *st)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t length;
	int r = owner_check(w, st, "chown -h root");

	if (r < 0)
		return r;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	length = readlinkat(w->fd, w->name, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	if (snprintf(rest, sizeof(rest), "%s/%s", target, w->rest) >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	strcpy(w->rest, rest);
	return target[0] == '/' ? walk_begin(w) : 0;
}

static int descend(struct walk *w)
{
	int fd = openat(w->fd, w->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	size_t length = strlen(w->done);

	if (fd < 0)
		return -errno;
	ft_closep(&w->fd);
	w->fd = fd;
	if (strcmp(w->name, ".") == 0)
		return 0;
	if (strcmp(w->name, "..") == 0) {
		/* Links are resolved, so that is the previous name. */
		char *slash = strrchr(w->done, '/');

		slash[slash == w->done] = '\0';
		return 0;
	}
	if (snprintf(w->done + length, sizeof(w->done) - length, "%s%s", length > 1 ? "/" : "", w->name) >=
	    (int)(sizeof(w->done) - length))
		return -ENAMETOOLONG;
	return 0;
}

static int step(struct walk *w)
{
	bool last = w->rest[strspn(w->rest, "/")] == '\0';
	struct stat st;
	int r;

	if (fstatat(w->fd, w->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return follow(w, &st);
	r = check(w, &st, !last);
	return r < 0 || last ? r : descend(w);
}

int ft_trust_check(const char *path, uid_t user, struct ft_text *ret_why)
{
	struct walk w = {.user = user, .fd = -1, .why = ret_why};
	int r;

	if (path[0] != '/' || strlen(path) >= sizeof(w.rest))
		return -EINVAL;
	strcpy(w.rest, path);
	r = walk_begin(&w);
	while (r >= 0 && (r = name_next(&w)) > 0)
		r = step(&w);
	ft_closep(&w.fd);
	return r;
}
