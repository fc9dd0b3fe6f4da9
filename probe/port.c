/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "probe/device.h"
#include "probe/survey.h"

enum {
	DEVICES_MAX = 64,
	STATE_DOWN = 1,
	STATE_ACTIVE = 4,
};

struct request {
	const char *ca;
	int port;
};

/* The candidate ports, for the error text. */
struct survey_of_ports {
	struct ft_port_choice best;
	int best_rank;	      /* 0: none, 1: up, 2: active */
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

static void look_at_port(const struct request *request, const char *ca, const umad_port_t *port,
			 struct survey_of_ports *seen)
{
	const char *trouble = port_trouble(port);
	int rank = port->state == STATE_ACTIVE ? 2 : 1;

	if (request->port != 0 && request->port != port->portnum)
		return;
	seen->port_found = true;
	if (trouble) {
		ft_text_printf(&seen->ports, "%s%s port %d is %s", seen->ports.length > 0 ? ", " : "", ca,
			       port->portnum, trouble);
		return;
	}
	/* The first of the best: an active port before one that no subnet manager has configured yet. */
	if (rank <= seen->best_rank)
		return;
	memcpy(seen->best.ca, port->ca_name, sizeof(seen->best.ca));
	seen->best.port = port->portnum;
	seen->best_rank = rank;
}

static void look_at_device(const struct request *request, const char *name, struct survey_of_ports *seen)
{
	umad_ca_t ca = {0};

	if (umad_get_ca(name, &ca) < 0)
		return;
	ft_text_printf(&seen->names, "%s%s", seen->names.length > 0 ? ", " : "", name);
	if (!request->ca || strcmp(request->ca, name) == 0) {
		seen->ca_found = true;
		for (size_t i = 0; i < FT_COUNT(ca.ports); i++)
			if (ca.ports[i])
				look_at_port(request, name, ca.ports[i], seen);
	}
	umad_release_ca(&ca);
}

static int compare_names(const void *a, const void *b)
{
	return ft_text_natural_compare(a, b);
}

static int explain_no_device(const struct request *request, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_device_explain_none("", request->ca, &text);
	return ft_text_failed(&text) ? -ENOMEM : ft_error_set(err, -ENODEV, 0, 0, "%s", ft_text_string(&text));
}

int ft_port_explain_closed(const char *ca, int port, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_device_explain_closed("", ca, port, &text);
	return ft_text_failed(&text) ? -ENOMEM : ft_error_set(err, -EIO, 0, 0, "%s", ft_text_string(&text));
}

static int explain_no_port(const struct request *request, const struct survey_of_ports *seen, struct ft_error *err)
{
	if (ft_text_failed(&seen->names) || ft_text_failed(&seen->ports))
		return -ENOMEM;
	if (seen->names.length == 0)
		return explain_no_device(request, err);
	if (!seen->ca_found)
		return ft_error_set(err, -EINVAL, 0, 0, "no such device %s (there are: %s)", request->ca,
				    ft_text_string(&seen->names));
	if (!seen->port_found && request->port != 0)
		return ft_error_set(err, -EINVAL, 0, 0, "%s has no port %d",
				    request->ca ? request->ca : ft_text_string(&seen->names), request->port);
	return ft_error_set(err, -ENODEV, 0, 0, "no InfiniBand port is up (%s)",
			    seen->ports.length > 0 ? ft_text_string(&seen->ports) : "no ports");
}

int ft_port_choose(const char *ca, int port, struct ft_port_choice *ret_choice, struct ft_error *err)
{
	const struct request request = {.ca = ca, .port = port};
	_cleanup_(survey_of_ports_release) struct survey_of_ports seen = {0};
	char names[DEVICES_MAX][UMAD_CA_NAME_LEN] = {0};
	int count;

	if (umad_init() < 0)
		return explain_no_device(&request, err);
	count = umad_get_cas_names(names, DEVICES_MAX);
	if (count > 0)
		qsort(names, (size_t)count, sizeof(names[0]), compare_names);
	for (int i = 0; i < count; i++)
		look_at_device(&request, names[i], &seen);
	if (seen.best_rank == 0)
		return explain_no_port(&request, &seen, err);
	*ret_choice = seen.best;
	return 0;
}
