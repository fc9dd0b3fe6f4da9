/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target: any bytes are a configuration or an error with a place, for whichever instance.
 * Seeds: tests/data/fuzz_conf/.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "daemon/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const instances[] = {NULL, "", "x", "mlx5_0:1"};

	for (size_t i = 0; i < FT_COUNT(instances); i++) {
		_cleanup_(ft_config_freep) struct ft_config *config = NULL;
		struct ft_error err = {0};
		int r = ft_config_read((const char *)data, size, "/etc", instances[i], &config, &err);

		if (r < 0) {
			check(r == -EINVAL && !config && err.line >= 1 && err.column >= 1 && err.text[0]);
			continue;
		}
		check(config->plan && config->plan[0] == '/' && config->hook_directory[0] == '/');
		check(config->sweep.ca == config->ca && config->settle_ms <= config->settle_max_ms);
		check(ft_sweep_options_check(&config->sweep, NULL) == 0 && config->sweep.deadline_ms > 0);
		check(config->rules.raise_after.looks >= 1 && config->rules.clear_after.looks >= 1);
	}
	return 0;
}
