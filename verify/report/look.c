/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/report/look.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "planner/plan/names.h"
#include "probe/counters.h"
#include "verify/check/check.h"
#include "verify/model/model.h"

void ft_look_free(struct ft_look *look)
{
	if (!look)
		return;
	ft_report_free(look->report);
	free(look);
}

/* ---- selection of the switch ---- */

/* An observed switch, or a planned one that was not seen; the other members FT_NONE. */
struct who {
	uint32_t observed, place;
};

static const struct who nobody = {FT_NONE, FT_NONE};

static struct who who_is_observed(const struct ft_model *m, uint32_t observed)
{
	return (struct who){observed, m->observed.switches[observed].planned};
}

static struct who who_is_place(const struct ft_model *m, uint32_t place)
{
	return (struct who){m->observed_of[place], place};
}

static bool observed_is_called(const struct ft_model *m, uint32_t observed, const char *name)
{
	const struct ft_observed_switch *sw = &m->observed.switches[observed];
	size_t length;
	const char *brief = ft_text_short_name(sw->name, &length);

	return strcasecmp(sw->name, name) == 0 || strcasecmp(sw->label, name) == 0 ||
	       (length == strlen(name) && strncasecmp(brief, name, length) == 0);
}

/* The switch with that GUID, or the director that the chip with it is in. */
static struct who guid_find(const struct ft_model *m, uint64_t guid)
{
	for (uint32_t i = 0; i < m->observed.switch_count; i++)
		if (ft_guid_is_of(m, guid, &m->observed.switches[i]))
			return who_is_observed(m, i);
	return nobody;
}

/* The observed switches with that name. */
static uint32_t observed_find(const struct ft_model *m, const char *name, struct who *ret_who, struct ft_text *guids)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		if (!observed_is_called(m, i, name))
			continue;
		ft_text_printf(guids, "%s0x%016" PRIx64, count++ ? ", " : "", m->observed.switches[i].guid);
		*ret_who = who_is_observed(m, i);
	}
	return count;
}

static bool plan_find(const struct ft_model *m, const char *name, struct who *ret_who)
{
	for (uint32_t p = 0; p < m->place_count; p++)
		if (strcasecmp(m->places[p]->name, name) == 0) {
			*ret_who = who_is_place(m, p);
			return true;
		}
	return false;
}

/* Similar names, the most similar first. */
struct near {
	const char *names[3];
	unsigned int distance[3];
	size_t count;
};

static void near_add(struct near *near, const char *wanted, const char *name)
{
	enum { FAR = 3 };
	unsigned int distance = ft_text_distance(wanted, name);
	size_t at = near->count;

	if (distance > FAR || distance * 2 > strlen(wanted))
		return;
	for (size_t i = 0; i < near->count; i++)
		if (strcmp(near->names[i], name) == 0)
			return;
	while (at > 0 && near->distance[at - 1] > distance)
		at--;
	if (at == FT_COUNT(near->names))
		return;
	near->count += near->count < FT_COUNT(near->names);
	for (size_t i = near->count - 1; i > at; i--) {
		near->names[i] = near->names[i - 1];
		near->distance[i] = near->distance[i - 1];
	}
	near->names[at] = name;
	near->distance[at] = distance;
}

static int nobody_tell(const struct ft_model *m, const char *name, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct near near = {0};

	for (uint32_t i = 0; i < m->observed.switch_count; i++)
		near_add(&near, name, m->observed.switches[i].label);
	for (uint32_t p = 0; p < m->place_count; p++)
		near_add(&near, name, m->places[p]->name);
	for (size_t i = 0; i < near.count; i++)
		ft_text_printf(&text, "%s%s",
			       i == 0		    ? "did you mean "
			       : i + 1 < near.count ? ", "
						    : " or ",
			       near.names[i]);
	if (near.count == 0)
		ft_text_printf(&text, "give %s; -v without --switch lists them", m->words->called);
	if (ft_text_failed(&text))
		return -ENOMEM;
	return ft_error_set(err, -ENOENT, 0, 0, "no switch is called \"%s\", on the fabric or in the plan: %s%s", name,
			    ft_text_string(&text), near.count ? "?" : "");
}

static int who_find(const struct ft_model *m, const char *name, struct who *ret_who, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text guids = {0};
	uint64_t guid = ft_name_guid(name);
	uint32_t count;

	if (guid != 0) {
		*ret_who = guid_find(m, guid);
		if (ret_who->observed != FT_NONE)
			return 0;
	}
	count = observed_find(m, name, ret_who, &guids);
	if (ft_text_failed(&guids))
		return -ENOMEM;
	if (count > 1)
		return ft_error_set(err, -EEXIST, 0, 0, "%u switches are called \"%s\": give one by its GUID, %s",
				    count, name, ft_text_string(&guids));
	if (count == 1 || plan_find(m, name, ret_who))
		return 0;
	return nobody_tell(m, name, err);
}

/* ---- its ports ---- */

struct looking {
	struct ft_model *m;
	struct ft_look *look;
	struct who who;
	const uint32_t
		*item_of; /* by port of the chips' snapshot: its counters, or FT_NONE; NULL: they were not read */
};

/* The entry of the plan's list for this port: a cable, or a host. False: none, or there is no list. */
static bool planned_exactly(struct looking *l, uint32_t number, char **string)
{
	struct ft_model *m = l->m;
	uint32_t here = l->who.place, cable = ft_port_map_cable(m, here, number);

	if (cable != FT_NONE) {
		const struct ft_plan_cable *c = &m->plan->cables[cable];
		uint32_t far = ft_port_map_far(m, cable, here),
			 port = m->place_of[c->a] == here ? c->b_port : c->a_port;
		char words[FT_PORT_WORDS_SIZE];

		if (port > 0)
			ft_say(m, string, "%s%s", label_of(m, far), ft_planned_port_words(m, far, port, words));
		else
			ft_say(m, string, "%s", label_of(m, far));
		return true;
	}
	for (uint32_t i = 0; number > 0 && i < m->plan->host_count; i++) {
		const struct ft_plan_host *host = &m->plan->hosts[i];
		struct ft_text text = {0};

		if (m->place_of[host->edge] != here || host->port != number)
			continue;
		if (host->name)
			ft_text_add_safe(&text, host->name, strlen(host->name));
		else
			ft_text_printf(&text, "0x%016" PRIx64, host->guid);
		ft_interface_add(&text, host);
		*string = ft_arena_text(&m->report->memory, &text);
		return true;
	}
	return false;
}

/* The switch that ports with this number lead to on other switches of its kind, or FT_NONE. */
static uint32_t usual_peer(const struct ft_model *m, const struct who *who, uint32_t number)
{
	ft_each_pair(pair, m, who->place)
		if (m->cells.width[pair->cell] > 0 && ft_port_usual(m, who->observed, number, pair->peer))
			return pair->peer;
	return FT_NONE;
}

/*
 * The planned use of a port by the rules: the switch that it leads to, or would lead to on similar switches; or a host.
 */
static void planned_by_rule(struct looking *l, uint32_t number, const struct ft_port *port, char **string)
{
	struct ft_model *m = l->m;
	const struct ft_port *peer = ft_port_peer(m->snapshot, port);
	uint32_t far = peer ? m->observed.switch_of_node[peer->node] : FT_NONE, place;

	place = ft_place_of(m, far);
	if (place == FT_NONE || ft_width_at(m, l->who.place, place) == 0)
		place = usual_peer(m, &l->who, number);
	if (far == FT_NONE && peer)
		place = FT_NONE;
	if (place != FT_NONE)
		ft_say(m, string, "%s", label_of(m, place));
	else if (l->who.place < m->edges && ft_port_is_hosts(m, l->who.observed, number))
		ft_say(m, string, "host");
}

static const char *link_name(const struct ft_port *port)
{
	static const char *const logical[] = {"up", "up", "Init", "Armed", "Active"};

	switch (port->link) {
	case FT_LINK_UP:
		return port->logical_state < FT_COUNT(logical) ? logical[port->logical_state] : "up";
	case FT_LINK_SILENT:
		return "silent";
	case FT_LINK_UNREAD:
		return "unread";
	default:
		return "down";
	}
}

static void errors_say(struct looking *l, uint32_t chip_port, char **string)
{
	const struct ft_port_count *c;
	struct ft_text text = {0};
	static const char *const unread[] = {[FT_COUNTED_NO_LID] = "no LID",
					     [FT_COUNTED_SILENT] = "no answer",
					     [FT_COUNTED_REFUSED] = "no counters"};

	if (!l->item_of || chip_port == FT_NONE || l->item_of[chip_port] == FT_NONE)
		return;
	c = &l->m->input->counters->items[l->item_of[chip_port]];
	if (c->status != FT_COUNTED) {
		ft_say(l->m, string, "%s", unread[c->status]);
		return;
	}
	for (unsigned int i = 0; i < FT_COUNTER_COUNT; i++)
		if (c->counts[i] > 0)
			ft_text_printf(&text, "%s%s%" PRIu64 " %s", text.length ? ", " : "",
				       c->at_least & 1 << i ? "at least " : "", c->counts[i],
				       ft_counter_name((enum ft_counter)i, c->counts[i]));
	if (text.length == 0)
		ft_text_puts(&text, "none");
	*string = ft_arena_text(&l->m->report->memory, &text);
}

/* Codes of findings at the port; @guid and @number as in the report, of the chip for a director. */
static void codes_say(struct looking *l, uint64_t guid, uint32_t number, char **string)
{
	const struct ft_report *r = l->m->report;
	struct ft_text text = {0};

	for (size_t i = 0; i < r->finding_count; i++)
		if (ft_finding_is_at(&r->findings[i], guid, number))
			ft_text_printf(&text, "%s%s", text.length ? ", " : "", ft_codes[r->findings[i].code].name);
	if (text.length > 0 || text.failed)
		*string = ft_arena_text(&l->m->report->memory, &text);
}

static void port_look(struct looking *l, uint32_t index, struct ft_look_port *row)
{
	struct ft_model *m = l->m;
	const struct ft_port *port = &m->snapshot->ports[index];
	uint32_t chip_port = ft_port_origin(m, index);
	char rate[FT_RATE_NAME_SIZE];

	row->number = port->number;
	if (l->look->director && chip_port != FT_NONE)
		ft_say(m, &row->cells[FT_LOOK_CHIP], "%s", ft_place_text(m, index));
	if (l->who.place != FT_NONE && !planned_exactly(l, port->number, &row->cells[FT_LOOK_PLANNED]) &&
	    !ft_port_map_knows(m, l->who.place))
		planned_by_rule(l, port->number, port, &row->cells[FT_LOOK_PLANNED]);
	if (port->peer != FT_NONE)
		ft_say(m, &row->cells[FT_LOOK_SEEN], "%s", ft_place_text(m, port->peer));
	ft_say(m, &row->cells[FT_LOOK_LINK], "%s",
	       l->look->director && chip_port == FT_NONE ? "not seen" : link_name(port));
	if (port->link == FT_LINK_UP && ft_rate_mbps(port->rate) > 0)
		ft_say(m, &row->cells[FT_LOOK_RATE], "%s", ft_rate_name(port->rate, rate));
	errors_say(l, chip_port, &row->cells[FT_LOOK_ERRORS]);
	if (chip_port != FT_NONE)
		codes_say(l, ft_port_node(m->chips, &m->chips->ports[chip_port])->guid,
			  m->chips->ports[chip_port].number, &row->cells[FT_LOOK_CODES]);
}

static int ports_look(struct looking *l)
{
	const struct ft_node *node = &l->m->snapshot->nodes[l->m->observed.switches[l->who.observed].node];

	l->look->ports = ft_arena_zeros(&l->m->report->memory, node->port_count, sizeof(*l->look->ports));
	if (!l->look->ports)
		return -ENOMEM;
	for (uint32_t i = 0; i < node->port_count; i++)
		port_look(l, node->first_port + i, &l->look->ports[l->look->port_count++]);
	return 0;
}

/* A switch that was not seen is shown with its planned ports, if the plan gives them, or bundles. */
static int plan_look(struct looking *l)
{
	struct ft_model *m = l->m;
	struct ft_look *look = l->look;
	uint32_t place = l->who.place, ports = m->places[place]->ports;
	size_t pairs = (size_t)(ft_pairs_of(m, place + 1) - ft_pairs_of(m, place));

	look->ports = ft_arena_zeros(&m->report->memory, ports + pairs, sizeof(*look->ports));
	if (!look->ports)
		return -ENOMEM;
	for (uint32_t n = 1; n <= ports; n++) {
		struct ft_look_port *row = &look->ports[look->port_count];

		if (!planned_exactly(l, n, &row->cells[FT_LOOK_PLANNED]))
			continue;
		look->port_count++;
		row->number = n;
		ft_say(m, &row->cells[FT_LOOK_LINK], "not seen");
	}
	for (const struct ft_pair *pair = ft_pairs_of(m, place);
	     !ft_port_map_knows(m, place) && pair < ft_pairs_of(m, place + 1); pair++) {
		struct ft_look_port *row = &look->ports[look->port_count];
		uint32_t width = m->cells.width[pair->cell];
		char cables[48];

		if (width == 0)
			continue;
		look->port_count++;
		ft_say(m, &row->cells[FT_LOOK_PLANNED], "%s: %s", label_of(m, pair->peer),
		       ft_plural(width, "cable", cables));
		ft_say(m, &row->cells[FT_LOOK_LINK], "not seen");
	}
	return 0;
}

/* ---- the rest ---- */

/* The row of the report's table. */
static const struct ft_report_switch *row_of(const struct looking *l)
{
	const struct ft_report *r = l->m->report;
	const char *planned = l->who.place != FT_NONE ? l->m->places[l->who.place]->name : NULL;

	for (size_t i = 0; i < r->switch_count; i++) {
		const struct ft_report_switch *sw = &r->switches[i];

		if (planned ? sw->planned_as && strcmp(sw->planned_as, planned) == 0
			    : l->who.observed != FT_NONE && sw->guid == l->m->observed.switches[l->who.observed].guid)
			return sw;
	}
	return NULL;
}

static int head_look(struct looking *l)
{
	const struct ft_report_switch *row = row_of(l);
	struct ft_look *look = l->look;

	if (!row)
		return -ENOMEM;
	look->row = row;
	look->name = row->guid ? row->name : NULL;
	look->planned_as =
		row->planned_as ? ft_arena_safe(&l->m->report->memory, row->planned_as, strlen(row->planned_as)) : NULL;
	look->director = l->who.observed != FT_NONE && ft_observed_is_director(l->m, l->who.observed);
	return 0;
}

static bool finding_is_about(const struct looking *l, const struct ft_finding *f)
{
	const struct ft_model *m = l->m;
	uint32_t number = l->who.place == FT_NONE ? FT_NONE : ft_plan_index(m, l->who.place);

	if (l->who.observed != FT_NONE && ft_finding_names(f, l->who.observed))
		return true;
	for (size_t i = 0; number != FT_NONE && i < f->lack_count; i++)
		if (f->lacks[i].a == number || f->lacks[i].b == number)
			return true;
	for (size_t i = 0; number != FT_NONE && i < f->gone_count; i++)
		if (f->gone[i] == number)
			return true;
	return f->planned_as && l->look->planned_as && strcmp(f->planned_as, l->look->planned_as) == 0;
}

static void findings_keep(struct looking *l)
{
	struct ft_report *r = l->m->report;
	size_t kept = 0;

	for (size_t i = 0; i < r->finding_count; i++)
		if (finding_is_about(l, &r->findings[i]))
			r->findings[kept++] = r->findings[i];
	r->finding_count = kept;
	ft_findings_judge(r);
}

static int look_fill(struct looking *l)
{
	_cleanup_free_ uint32_t *items = l->m->input->counters ? ft_counters_index(l->m) : NULL;
	int r = head_look(l);

	l->item_of = items;
	l->look->counted = items != NULL;
	if (l->m->input->counters && !items)
		return -ENOMEM;
	if (r == 0 && l->who.observed != FT_NONE)
		r = ports_look(l);
	else if (r == 0 && l->who.place != FT_NONE)
		r = plan_look(l);
	l->item_of = NULL;
	return r;
}

int ft_look_make(const struct ft_verify_input *input, const char *name, struct ft_look **ret_look, struct ft_error *err)
{
	_cleanup_(ft_model_release) struct ft_model m;
	_cleanup_(ft_look_freep) struct ft_look *look = calloc(1, sizeof(*look));
	struct looking l = {&m, look, nobody, NULL};
	int r = ft_model_finish(&m, input);

	if (r == 0 && !look)
		r = -ENOMEM;
	if (r == 0 && ft_report_is_foreign(m.report))
		return ft_error_set(err, -EXDEV, 0, 0, "%s", m.report->findings[0].text);
	if (r == 0)
		r = who_find(&m, name, &l.who, err) ?: look_fill(&l);
	if (r < 0)
		return r;
	findings_keep(&l);
	if (m.report->memory.failed)
		return -ENOMEM;
	look->report = FT_STEAL(m.report);
	*ret_look = FT_STEAL(look);
	return 0;
}
