/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * ftcheckd.conf(5): lines of "key = value", comments from # to the end of the line, and sections [INSTANCE] whose keys
 * hold for that instance only. Keys before the first section hold for all.
 */
#ifndef FT_DAEMON_CONFIG_H
#define FT_DAEMON_CONFIG_H

#include "daemon/alert.h"
#include "probe/source.h"

struct ft_config {
	char *plan;		      /* the design file; absolute */
	char *ca;		      /* NULL: the first */
	struct ft_sweep_options sweep; /* .ca points to @ca */
	uint32_t sweep_interval_ms;   /* between two full sweeps, begin to begin; jittered by a tenth */
	bool events;		      /* listen to the fabric's events */
	uint32_t settle_ms;	      /* after an event: how long it must be quiet before the fabric is looked at */
	uint32_t settle_max_ms;	      /* and how long it is waited for that at most */
	struct ft_alert_rules rules;
	char *listen; /* "127.0.0.1:9683"; NULL: no HTTP */
	char *hook_directory;
	uint32_t hook_timeout_ms;
	uint32_t hook_retry_ms;
	uint32_t hook_give_up_ms;
};

/* Every key, for manuals and tests. */
struct ft_config_key {
	const char *name;
	const char *value;   /* its kind: "file", "duration", … */
	const char *standard; /* its default as it would be written, or "" */
	const char *meaning;
};
extern const struct ft_config_key ft_config_keys[];
extern const size_t ft_config_key_count;

/*
 * Reads the configuration of one instance; the whole file is checked, other instances' sections included.
 *
 * @instance  NULL or "": none. "mlx5_0:1" without "ca" and "port" in its section (or without a section) means that
 *            port of that channel adapter
 * Returns 0, -EINVAL with @err filled (file, line, column), -ENOMEM, or -errno of open() and read().
 */
int ft_config_load(const char *path, const char *instance, struct ft_config **ret_config, struct ft_error *err);
int ft_config_read(const char *text, size_t length, const char *instance, struct ft_config **ret_config,
		   struct ft_error *err);

void ft_config_free(struct ft_config *config);
static inline void ft_config_freep(struct ft_config **config)
{
	ft_config_free(*config);
}

#endif
