/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What was imported, as keys of the design. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "planner/site/site_parts.h"
#include "planner/plan/wiring.h"

enum { INDENT = 2 };

static void word_add(struct ft_text *text, const char *lead, const char *word)
{
	ft_text_puts(text, lead);
	ft_text_add_json(text, word);
}

/* The board stands before the port where it is known how many ports one has. */
static void port_add(struct ft_text *text, const struct ft_plan *plan, const char *key, uint32_t sw, uint32_t port)
{
	uint32_t line_ports = ft_plan_is_director(plan, sw) ? plan->inside[plan->switches[sw].tier].line_ports : 0;

	if (port == 0)
		return;
	if (line_ports)
		ft_text_printf(text, ", \"%s\": \"%u/%u\"", key, (port - 1) / line_ports + 1,
			       (port - 1) % line_ports + 1);
	else
		ft_text_printf(text, ", \"%s\": %u", key, port);
}

static void cables_write(struct ft_text *text, const struct ft_plan *plan)
{
	for (uint32_t i = 0; i < plan->cable_count; i++) {
		const struct ft_plan_cable *cable = &plan->cables[i];

		ft_text_puts(text, i == 0 ? "[\n" : ",\n");
		word_add(text, "    {\"a\": ", plan->switches[cable->a].name);
		port_add(text, plan, "a_port", cable->a, cable->a_port);
		word_add(text, ", \"b\": ", plan->switches[cable->b].name);
		port_add(text, plan, "b_port", cable->b, cable->b_port);
		ft_text_puts(text, "}");
	}
	ft_text_puts(text, "\n  ]");
}

static void hosts_write(struct ft_text *text, const struct ft_plan *plan)
{
	for (uint32_t i = 0; i < plan->host_count; i++) {
		const struct ft_plan_host *host = &plan->hosts[i];

		ft_text_puts(text, i == 0 ? "[\n    {" : ",\n    {");
		if (host->name)
			word_add(text, "\"name\": ", host->name);
		if (host->guid)
			ft_text_printf(text, "%s\"guid\": \"0x%016" PRIx64 "\"", host->name ? ", " : "", host->guid);
		word_add(text, ", \"edge\": ", plan->switches[host->edge].name);
		port_add(text, plan, "port", host->edge, host->port);
		if (host->adapter)
			word_add(text, ", \"adapter\": ", host->adapter);
		if (host->adapter_port)
			ft_text_printf(text, ", \"adapter_port\": %u", host->adapter_port);
		ft_text_puts(text, "}");
	}
	ft_text_puts(text, "\n  ]");
}

static void names_write(struct ft_text *text, const struct ft_plan *plan, enum ft_tier tier)
{
	uint32_t first = ft_plan_tier_first(plan, tier), count = ft_plan_tier_count(plan, tier);

	for (uint32_t i = 0; i < count; i++)
		word_add(text, i == 0 ? "[" : ", ", plan->switches[first + i].name);
	ft_text_puts(text, "]");
}

static void binds_write(struct ft_text *text, const struct ft_site *site)
{
	bool any = false;

	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		const struct ft_bind *bind = &site->design->binds[tier];

		if (!site->bound[tier] && !bind->count && !bind->match)
			continue;
		ft_text_printf(text, "%s    \"%s\": ", any ? ",\n" : "{\n", ft_tier_name(tier));
		any = true;
		/* A planned switch is called what it is bound to. */
		if (site->bound[tier] || bind->count) {
			names_write(text, site->plan, tier);
			continue;
		}
		word_add(text, "{\"match\": ", ft_pattern_text(bind->match));
		ft_text_puts(text, "}");
	}
	ft_text_puts(text, "\n  }");
}

/* Puts @value in the place of the member @key of the design's text, or behind the last. */
static int member_set(struct ft_design *design, const char *key, const struct ft_text *value)
{
	_cleanup_(ft_json_release) struct ft_json json = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	size_t start, end;
	int r;

	r = ft_json_read(design->text, design->text_length, &json, NULL);
	if (r < 0)
		return r;
	if (ft_json_member_span(&json, json.root, key, &start, &end) < 0) {
		start = end = ft_json_members_end(&json);
		ft_text_add(&text, design->text, start);
		ft_text_printf(&text, ",\n%*s\"%s\": ", INDENT, "", key);
	} else {
		ft_text_add(&text, design->text, start);
	}
	ft_text_add(&text, ft_text_string(value), value->length);
	ft_text_add(&text, design->text + end, design->text_length - end);
	if (ft_text_failed(value) || ft_text_failed(&text))
		return -ENOMEM;
	free(design->text);
	design->text_length = text.length;
	design->text = FT_STEAL(text.data);
	return 0;
}

int ft_site_write(struct ft_site *site)
{
	_cleanup_(ft_text_release) struct ft_text cables = {0}, hosts = {0}, binds = {0};
	const struct ft_plan *plan = site->plan;
	int r = 0;

	if (site->bound[FT_TIER_EDGE] || site->bound[FT_TIER_SPINE] || site->bound[FT_TIER_CORE]) {
		binds_write(&binds, site);
		r = member_set(site->design, "bind", &binds);
	}
	if (r == 0 && plan->cable_count) {
		cables_write(&cables, plan);
		r = member_set(site->design, "cables", &cables);
	}
	if (r == 0 && plan->host_count) {
		hosts_write(&hosts, plan);
		r = member_set(site->design, "hosts", &hosts);
	}
	return r;
}
