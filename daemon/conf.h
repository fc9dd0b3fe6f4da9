/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * ftcheckd.conf(5): lines of "key = value", comments from # (at the beginning of a line or behind a blank) to the end
 * of the line, and sections [INSTANCE] whose keys hold for that instance only. Keys before the first section hold for
 * all.
 */
#ifndef FT_DAEMON_CONF_H
#define FT_DAEMON_CONF_H

#include "daemon/alert.h"
#include "planner/plan/plan.h"
#include "probe/names.h"
#include "probe/source.h"
#include "verify/model/verify.h"

struct ft_config {
	char *plan;		/* the design file; absolute */
	unsigned int plan_line; /* the section or file that names it */
	unsigned int plan_column;
	char *ca;		       /* NULL: the first */
	struct ft_sweep_options sweep; /* .ca points to @ca */
	char *lldp;		       /* Ethernet: the directory of LLDP neighbours; absolute; NULL: none */
	char *lldp_command;	       /* Ethernet: the command that prints them; NULL: none */
	uint32_t lldp_max_age_ms;      /* of a file there; 0: any */
	uint32_t lldp_wait_ms;	       /* how long alerts wait for those that are not there yet */
	char *name_map;		       /* absolute; NULL: the default one, if it exists */
	struct ft_names *names;	       /* what is in it; NULL: nothing. Filled by ft_config_load() only */
	uint32_t sweep_interval_ms;    /* between two full sweeps, begin to begin; jittered by a tenth */
	bool events;		       /* listen to the fabric's events */
	bool sm;		       /* check the subnet managers */
	bool counters;		       /* read error counters after each full sweep */
	uint32_t settle_ms;	       /* after an event: how long it must be quiet before the incremental sweep */
	uint32_t settle_max_ms;	       /* and the longest delay of it */
	struct ft_alert_rules rules;
	uint32_t returning_ms; /* how long the links of a switch that was gone may take */
	char *listen;	       /* "127.0.0.1:9683"; NULL: no HTTP */
	uint32_t history_mb;   /* limit of the history on disk, in 2^20 bytes; 0: none is kept */
	char *hook_directory;  /* absolute; it may be absent */
	uint32_t hook_timeout_ms;
	uint32_t hook_retry_ms;
	uint32_t hook_give_up_ms;
};

/* Whether it watches LLDP neighbours, and nothing of InfiniBand. */
static inline bool ft_config_is_ethernet(const struct ft_config *config)
{
	return config->lldp || config->lldp_command;
}

/*
 * Every key. The first four members are for the manual; with the others conf.c reads a value into its field of struct
 * ft_config.
 */
struct ft_config_setting;
struct ft_config_key {
	const char *name;
	const char *value;    /* its kind: "FILE", "TIME", … */
	const char *standard; /* its default as it would be written, or "" */
	const char *meaning;
	int (*set)(const struct ft_config_setting *setting);
	size_t offset;
	uint64_t min, max; /* of numbers, and of times in milliseconds */
};
extern const struct ft_config_key ft_config_keys[];
extern const size_t ft_config_key_count;

/*
 * Reads the configuration of one instance; the whole file is checked, other instances' sections included. Relative
 * paths in it are relative to the directory it is in.
 *
 * @instance  NULL or "": none. "mlx5_0:1" without "ca" and "port" in its section (or without a section) means that
 *            port of that channel adapter. Any other needs its section
 * Returns 0, -EINVAL with @err filled (file, line, column), -ENOMEM, or -errno of open() and read().
 */
int ft_config_load(const char *path, const char *instance, struct ft_config **ret_config, struct ft_error *err);

/* The same from memory. @directory: what relative paths are relative to, absolute. */
int ft_config_read(const char *text, size_t length, const char *directory, const char *instance,
		   struct ft_config **ret_config, struct ft_error *err);

/*
 * The instances that the file configures: "" first, if a plan stands before the first section or there is no section,
 * then the names of the sections in their order. For --check-config without an instance.
 *
 * @ret_names  out: NULL-terminated, in one piece: released by free()
 * Returns as ft_config_load(), but a missing plan is no error here.
 */
int ft_config_instances(const char *path, char ***ret_names, struct ft_error *err);

/* Do both listen at the same address, so that only one of the two daemons can run? Port 0 is any port. */
bool ft_config_clash(const struct ft_config *a, const struct ft_config *b);

/*
 * Reads the plan named by @config, which was read from @path. Only regular files are read. If it cannot be opened, the
 * error has the place of the line in @path that names it.
 *
 * Returns 0, -ENOMEM, or -errno with @err filled.
 */
int ft_config_load_plan(const struct ft_config *config, const char *path, struct ft_design **ret_design,
			struct ft_plan **ret_plan, struct ft_error *err);

/* Is that a failure of the system, such as a lack of memory, which may be over at the next try? */
bool ft_config_failure_passes(int code);

void ft_config_free(struct ft_config *config);
static inline void ft_config_freep(struct ft_config **config)
{
	ft_config_free(*config);
}

#endif
