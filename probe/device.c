/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { PATH_SIZE = 512, VALUE_SIZE = 64, UMADS_MAX = 1024 };

/* The socket on which ibsim waits for clients, unless ibsim was given another name. */
static const char simulator[] = " @sim:ctl";

__attribute__((format(printf, 2, 3))) static const char *path_make(char path[PATH_SIZE], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(path, PATH_SIZE, format, args);
	va_end(args);
	return path;
}

/* Reads the only line of a sysfs file; false if the file is missing. */
static bool value_read(const char *path, char value[VALUE_SIZE])
{
	_cleanup_(ft_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, value, VALUE_SIZE - 1);

	if (n < 0)
		return false;
	value[n] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return true;
}

static bool directory_holds_any(const char *path)
{
	const struct dirent *entry;
	DIR *directory = opendir(path);
	bool any = false;

	while (directory && !any && (entry = readdir(directory)))
		any = entry->d_name[0] != '.';
	if (directory)
		closedir(directory);
	return any;
}

static bool simulator_runs(const char *root)
{
	char path[PATH_SIZE], line[256];
	FILE *file = fopen(path_make(path, "%s/proc/net/unix", root), "re");
	bool runs = false;

	while (file && !runs && fgets(line, sizeof(line), file))
		runs = strstr(line, simulator) != NULL;
	if (file)
		fclose(file);
	return runs;
}

void ft_device_explain_none(const char *root, const char *ca, struct ft_text *text)
{
	char path[PATH_SIZE];

	ft_text_puts(text, "no InfiniBand device found");
	if (ca)
		ft_text_printf(text, ", so no %s", ca);
	if (simulator_runs(root))
		ft_text_puts(text, "; a simulator runs here: put ibsim-run in front of the command");
	else if (directory_holds_any(path_make(path, "%s/sys/class/infiniband", root)))
		ft_text_puts(text, ": those in /sys/class/infiniband are of other kinds (iWARP, EFA, ...)");
	else
		ft_text_puts(text, ": /sys/class/infiniband is empty, so this machine has no adapter, or its drivers "
				   "are not loaded (as root: modprobe -a mlx5_ib ib_umad)");
}

/* The number of the port's device, umadN; -1: it has none. */
static int umad_number(const char *root, const char *ca, int port)
{
	char path[PATH_SIZE], device[VALUE_SIZE], number[VALUE_SIZE], wanted[16];

	snprintf(wanted, sizeof(wanted), "%d", port);
	for (int i = 0; i < UMADS_MAX; i++)
		if (value_read(path_make(path, "%s/sys/class/infiniband_mad/umad%d/ibdev", root, i), device) &&
		    strcmp(device, ca) == 0 &&
		    value_read(path_make(path, "%s/sys/class/infiniband_mad/umad%d/port", root, i), number) &&
		    strcmp(number, wanted) == 0)
			return i;
	return -1;
}

void ft_device_explain_closed(const char *root, const char *ca, int port, struct ft_text *text)
{
	char path[PATH_SIZE];
	int number;

	ft_text_printf(text, "cannot open %s port %d for management packets: ", ca, port);
	if (access(path_make(path, "%s/sys/class/infiniband_mad/abi_version", root), F_OK) < 0) {
		ft_text_puts(text, "the kernel module ib_umad is not loaded; as root: modprobe ib_umad");
		return;
	}
	number = umad_number(root, ca, port);
	if (number < 0) {
		ft_text_puts(text, "it has no umad device in /sys/class/infiniband_mad");
		return;
	}
	path_make(path, "%s/dev/infiniband/umad%d", root, number);
	if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0)
		ft_text_printf(text, "/dev/infiniband/umad%d does not open", number);
	else if (errno == ENOENT)
		ft_text_printf(text, "/dev/infiniband/umad%d is missing (a container has to be given it)", number);
	else
		ft_text_printf(text, "no permission for /dev/infiniband/umad%d: run this as root", number);
}
