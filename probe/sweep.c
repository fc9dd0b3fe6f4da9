/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/source.h"

#include <errno.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probe/fabric.h"
#include "probe/guard.h"
#include "probe/mend.h"
#include "probe/snapshot_build.h"

enum {
	DEVICES_MAX = 64,
	STATE_DOWN = 1,
	STATE_ACTIVE = 4,
	/* For handing the snapshot over and ending, out of the deadline: a tenth, but not more than this. */
	RESERVE_MS = 2000,
};

const struct ft_sweep_options ft_sweep_defaults = {
	.timeout_ms = 1000,
	.max_smps = 16,
	.retries = 3,
	.deadline_ms = 60000,
};

/* A port to sweep from. */
struct choice {
	char ca[UMAD_CA_NAME_LEN];
	int port;
	int rank; /* 0: none, 1: up, 2: active */
};

/* The ports that were looked at, for the error. */
struct survey_of_ports {
	struct choice best;
	struct ft_text names; /* "mlx5_0, mlx5_1" */
	struct ft_text ports; /* "mlx5_0 port 1 is Down, mlx5_1 port 1 is Ethernet" */
	bool ca_found;
	bool port_found;
};

static void survey_of_ports_release(struct survey_of_ports *seen)
{
	ft_text_release(&seen->names);
	ft_text_release(&seen->ports);
}

static const char *port_trouble(const umad_port_t *port)
{
	static const char *const phys[] = {"Down",
					   "asleep",
					   "Down (Polling)",
					   "Disabled",
					   "Down (Training)",
					   "LinkUp",
					   "Down (LinkErrorRecovery)",
					   "Down (Phy Test)"};

	/* No link_layer in sysfs: a kernel, or a simulator, older than RoCE; libibumad says "IB" then. */
	if (strcmp(port->link_layer, "InfiniBand") != 0 && strcmp(port->link_layer, "IB") != 0)
		return port->link_layer;
	if (port->phys_state == FT_PHYS_LINK_UP)
		return port->state > STATE_DOWN ? NULL : "Down";
	return port->phys_state < FT_COUNT(phys) ? phys[port->phys_state] : "Down";
}

static void look_at_port(const struct ft_sweep_options *options, const char *ca, const umad_port_t *port,
			 struct survey_of_ports *seen)
{
	const char *trouble = port_trouble(port);
	int rank = port->state == STATE_ACTIVE ? 2 : 1;

	if (options->port != 0 && options->port != port->portnum)
		return;
	seen->port_found = true;
	if (trouble) {
		ft_text_printf(&seen->ports, "%s%s port %d is %s", seen->ports.length > 0 ? ", " : "", ca,
			       port->portnum, trouble);
		return;
	}
	/* The first of the best: an active port before one that no subnet manager has brought up yet. */
	if (rank <= seen->best.rank)
		return;
	memcpy(seen->best.ca, port->ca_name, sizeof(seen->best.ca));
	seen->best.port = port->portnum;
	seen->best.rank = rank;
}

static void look_at_device(const struct ft_sweep_options *options, const char *name, struct survey_of_ports *seen)
{
	umad_ca_t ca = {0};

	if (umad_get_ca(name, &ca) < 0)
		return;
	ft_text_printf(&seen->names, "%s%s", seen->names.length > 0 ? ", " : "", name);
	if (!options->ca || strcmp(options->ca, name) == 0) {
		seen->ca_found = true;
		for (size_t i = 0; i < FT_COUNT(ca.ports); i++)
			if (ca.ports[i])
				look_at_port(options, name, ca.ports[i], seen);
	}
	umad_release_ca(&ca);
}

static int compare_names(const void *a, const void *b)
{
	return ft_text_natural_compare(a, b);
}

static int explain_no_port(const struct ft_sweep_options *options, const struct survey_of_ports *seen,
			   struct ft_error *err)
{
	if (ft_text_failed(&seen->names) || ft_text_failed(&seen->ports))
		return -ENOMEM;
	if (seen->names.length == 0)
		return ft_error_set(err, -ENODEV, 0, 0, "no InfiniBand device found");
	if (!seen->ca_found)
		return ft_error_set(err, -EINVAL, 0, 0, "no such device %s (there are: %s)", options->ca,
				    ft_text_string(&seen->names));
	if (!seen->port_found && options->port != 0)
		return ft_error_set(err, -EINVAL, 0, 0, "%s has no port %d",
				    options->ca ? options->ca : ft_text_string(&seen->names), options->port);
	return ft_error_set(err, -ENODEV, 0, 0, "no InfiniBand port is up (%s)",
			    seen->ports.length > 0 ? ft_text_string(&seen->ports) : "no ports");
}

/* The port as -C and -P ask for it, or the first InfiniBand port that is up. */
static int choose_port(const struct ft_sweep_options *options, struct choice *ret_choice, struct ft_error *err)
{
	_cleanup_(survey_of_ports_release) struct survey_of_ports seen = {0};
	char names[DEVICES_MAX][UMAD_CA_NAME_LEN] = {0};
	int count;

	if (umad_init() < 0)
		return ft_error_set(err, -ENODEV, 0, 0, "no InfiniBand device found");
	count = umad_get_cas_names(names, DEVICES_MAX);
	if (count > 0)
		qsort(names, (size_t)count, sizeof(names[0]), compare_names);
	for (int i = 0; i < count; i++)
		look_at_device(options, names[i], &seen);
	if (seen.best.rank == 0)
		return explain_no_port(options, &seen, err);
	*ret_choice = seen.best;
	return 0;
}

static int check_port_opens(const struct choice *from, struct ft_error *err)
{
	int fd;

	errno = 0;
	fd = umad_open_port(from->ca, from->port);
	if (fd < 0)
		return ft_error_set(err, -EIO, 0, 0, "cannot open %s port %d for management packets: %s", from->ca,
				    from->port, errno ? strerror(errno) : "no umad device");
	umad_close_port(fd);
	return 0;
}

static void fabric_destroyp(ibnd_fabric_t **fabric)
{
	if (*fabric)
		ibnd_destroy_fabric(*fabric);
}

static int discover(const struct ft_sweep_options *options, struct choice *from, struct ft_survey *survey,
		    struct ft_mend_count *ret_count, struct ft_error *err)
{
	_cleanup_(fabric_destroyp) ibnd_fabric_t *fabric = NULL;
	struct ibnd_config config = {
		.max_smps = options->max_smps,
		.timeout_ms = options->timeout_ms,
		.retries = options->retries,
		.flags = IBND_CONFIG_MLX_EPI,
	};
	int r;

	fabric = ibnd_discover_fabric(from->ca, from->port, NULL, &config);
	/* It gives up altogether where its first packets are lost, or an answer comes that it does not expect. */
	if (!fabric)
		return check_port_opens(from, err);
	r = ft_fabric_survey(fabric, survey);
	if (r < 0)
		return r;
	ret_count->mads = fabric->total_mads_used;
	return 0;
}

static int mend(const struct ft_sweep_options *options, const struct choice *from, int64_t end_ms,
		struct ft_survey *survey, struct ft_mend_count *count, struct ft_error *err)
{
	unsigned int reserve_ms = options->deadline_ms / 10 < RESERVE_MS ? options->deadline_ms / 10 : RESERVE_MS;
	struct ft_mend_count more = {0};
	int r;

	r = ft_mend(survey,
		    &(struct ft_mend_options){
			    .ca = from->ca,
			    .port = from->port,
			    .timeout_ms = options->timeout_ms,
			    .max_smps = options->max_smps,
			    .retries = options->retries,
			    .end_ms = end_ms - reserve_ms,
		    },
		    &more, err);
	count->mads += more.mads;
	count->timeouts += more.timeouts;
	return r;
}

static int survey_fabric(const struct ft_sweep_options *options, struct choice *from, int64_t end_ms,
			 struct ft_survey *survey, struct ft_mend_count *ret_count, struct ft_error *err)
{
	int r;

	r = discover(options, from, survey, ret_count, err);
	if (r == 0)
		r = mend(options, from, end_ms, survey, ret_count, err);
	if (r == 0 && survey->node_count == 0)
		return ft_error_set(err, -EIO, 0, 0, "%s port %d does not answer itself", from->ca, from->port);
	return r;
}

/* In the child. */
static int sweep_work(const void *arg, int64_t end_ms, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_(ft_survey_release) struct ft_survey survey = FT_SURVEY_EMPTY;
	const struct ft_sweep_options *options = arg;
	int64_t began_ms = ft_guard_now_ms();
	struct ft_mend_count count = {0};
	char detail[UMAD_CA_NAME_LEN + 32];
	struct choice from;
	int r;

	r = choose_port(options, &from, err);
	if (r == 0)
		r = survey_fabric(options, &from, end_ms, &survey, &count, err);
	if (r == 0)
		r = ft_survey_snapshot(&survey, &snapshot, err);
	if (r < 0)
		return r;
	snprintf(detail, sizeof(detail), "%s port %d", from.ca, from.port);
	r = ft_snapshot_set_detail(snapshot, detail);
	if (r < 0)
		return r;
	snapshot->source.mads = count.mads;
	snapshot->source.timeouts = count.timeouts;
	snapshot->source.time_s = time(NULL);
	snapshot->source.duration_ms = (uint32_t)(ft_guard_now_ms() - began_ms);
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}

static int check_options(const struct ft_sweep_options *options, struct ft_error *err)
{
	/* libibnetdisc takes 0 for its own default, and the kernel counts milliseconds in an int. */
	if (options->timeout_ms == 0 || options->timeout_ms > 1000000)
		return ft_error_set(err, -EINVAL, 0, 0, "the time-out has to be from 1 to 1000000 ms");
	if (options->max_smps == 0 || options->max_smps > 1024)
		return ft_error_set(err, -EINVAL, 0, 0, "the number of SMPs on the wire has to be from 1 to 1024");
	if (options->retries > 100)
		return ft_error_set(err, -EINVAL, 0, 0, "the number of retries has to be up to 100");
	if (options->deadline_ms == 0)
		return ft_error_set(err, -EINVAL, 0, 0, "the deadline has to be later than now");
	if (options->port < 0 || options->port > 254)
		return ft_error_set(err, -EINVAL, 0, 0, "no port has the number %d", options->port);
	if (options->ca && (options->ca[0] == '\0' || strlen(options->ca) >= UMAD_CA_NAME_LEN))
		return ft_error_set(err, -EINVAL, 0, 0, "no device has the name \"%s\"", options->ca);
	return 0;
}

int ft_sweep(const struct ft_sweep_options *options, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	struct ft_guard guard = {.what = "the sweep", .deadline_ms = options->deadline_ms};
	int r;

	r = check_options(options, err);
	if (r < 0)
		return r;
	return ft_guard_run(&guard, sweep_work, options, ret_snapshot, err);
}
