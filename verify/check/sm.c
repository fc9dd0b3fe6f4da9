/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The subnet manager's work: which SM is master, links that are up but not Active, ports without a LID. All on the
 * fabric as read, chip by chip.
 */
#include "config.h"

#include "base/text.h"
#include "probe/sms.h"
#include "verify/check/check.h"

enum {
	/* PortInfo:PortState */
	STATE_INITIALIZE = 2,
	STATE_ARMED = 3,
	STATE_ACTIVE = 4,
	LID_UNICAST_MAX = 0xbfff,
};

/* ---- links that are not in use ---- */

/* Counts of links of known state: of the fabric, of a node. */
struct tally {
	uint32_t links;
	uint32_t inactive; /* of these, the ones that are up and not Active */
};

/* A cable from a switch to itself carries no traffic, and has a finding of its own. */
static bool link_counts(const struct ft_snapshot *s, const struct ft_port *port)
{
	const struct ft_port *peer = ft_port_peer(s, port);

	return peer && peer->node != port->node && port->logical_state && peer->logical_state;
}

static bool port_waits(const struct ft_port *port)
{
	return port->logical_state == STATE_INITIALIZE || port->logical_state == STATE_ARMED;
}

static bool link_waits(const struct ft_snapshot *s, const struct ft_port *port)
{
	return port_waits(port) || port_waits(ft_port_peer(s, port));
}

static struct tally tally_all(const struct ft_snapshot *s, struct tally *nodes)
{
	struct tally all = {0};

	for (uint32_t p = 0; p < s->port_count; p++) {
		const struct ft_port *port = &s->ports[p];
		bool waits;

		if (!link_counts(s, port))
			continue;
		waits = link_waits(s, port);
		nodes[port->node].links++;
		nodes[port->node].inactive += waits;
		all.links += port->peer > p;
		all.inactive += port->peer > p && waits;
	}
	return all;
}

/* A switch with several links, none of them Active: the switch is the finding, not each of its cables. */
static bool switch_is_left(const struct ft_snapshot *s, const struct tally *nodes, uint32_t node)
{
	return s->nodes[node].type == FT_NODE_SWITCH && nodes[node].links > 1 &&
	       nodes[node].inactive == nodes[node].links;
}

static const char *state_name(const struct ft_port *port)
{
	return port->logical_state == STATE_INITIALIZE ? "Initialize" : "Armed";
}

static const char fix_inactive[] = "the subnet manager's log tells why it leaves %s alone; disable and enable the port "
				   "(ibportstate), or have it sweep again";

static void cable_inactive(struct ft_model *m, uint32_t near_port)
{
	const struct ft_port *ports = m->chips->ports;
	uint32_t far_port = ports[near_port].peer;
	bool turn = ft_port_order(m, near_port) > ft_port_order(m, far_port);
	const uint32_t ends[2] = {turn ? far_port : near_port, turn ? near_port : far_port};
	struct ft_finding *f = ft_finding_add(m, FT_CODE_PORT_INACTIVE, FT_EVIDENCE_SEEN);
	const struct ft_port *waits = &ports[port_waits(&ports[ends[0]]) ? ends[0] : ends[1]];

	ft_finding_where_chip_port(m, f, ends[0]);
	ft_finding_where_chip_port(m, f, ends[1]);
	ft_say(m, &f->expected, "Active");
	ft_say(m, &f->observed, "%s", state_name(waits));
	ft_say(m, &f->text, "the link %s - %s is up and carries nothing: it stays in %s, as other links are Active",
	       ft_chip_port_text(m, ends[0]), ft_chip_port_text(m, ends[1]), state_name(waits));
	ft_say(m, &f->fix, fix_inactive, "this link");
	if (f->where_count == 2)
		ft_finding_act(m, f, FT_ACT_SETTING, f->where[0], f->where[1]);
}

static void switch_inactive(struct ft_model *m, uint32_t node, uint32_t links)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_PORT_INACTIVE, FT_EVIDENCE_SEEN);

	ft_finding_where_chip(m, f, node);
	if (f->where_count == 0)
		return;
	f->count = links;
	ft_say(m, &f->expected, "Active");
	ft_say(m, &f->observed, "0 of %u link%s Active", links, ft_text_s(links));
	ft_say(m, &f->text, "none of the %u link%s of %s that are up is Active: the subnet manager does not manage it",
	       links, ft_text_s(links), f->where[0].name);
	ft_say(m, &f->fix, fix_inactive, "this switch");
	ft_finding_act(m, f, FT_ACT_SETTING, f->where[0], (struct ft_place){0});
}

static void links_report(struct ft_model *m, const struct tally *nodes)
{
	const struct ft_snapshot *s = m->chips;

	for (uint32_t n = 0; n < s->node_count; n++)
		if (switch_is_left(s, nodes, n))
			switch_inactive(m, n, nodes[n].links);
	for (uint32_t p = 0; p < s->port_count; p++) {
		const struct ft_port *port = &s->ports[p];

		if (!link_counts(s, port) || port->peer < p || !link_waits(s, port))
			continue;
		if (!switch_is_left(s, nodes, port->node) && !switch_is_left(s, nodes, ft_port_peer(s, port)->node))
			cable_inactive(m, p);
	}
}

static uint32_t sms_in_state(const struct ft_sms *sms, enum ft_sm_state state)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < sms->count; i++)
		count += sms->items[i].state == state;
	return count;
}

/* Then that is the fault, and inactive links are its symptom. */
static bool sm_is_known_missing(const struct ft_model *m)
{
	return m->input->sms && !m->cut_off && sms_in_state(m->input->sms, FT_SM_MASTER) == 0;
}

/* If most links are inactive, the fabric was never configured: no fault of single cables. */
static struct tally links_check(struct ft_model *m)
{
	struct tally *nodes = ft_arena_zeros(&m->memory, m->chips->node_count, sizeof(*nodes));
	struct tally all = nodes ? tally_all(m->chips, nodes) : (struct tally){0};

	if (all.inactive > 0 && all.inactive * 2UL <= all.links && !sm_is_known_missing(m))
		links_report(m, nodes);
	return all;
}

/* ---- LIDs ---- */

static bool lid_is_one(unsigned int lid)
{
	return lid > 0 && lid <= LID_UNICAST_MAX;
}

static bool port_is_active_end(const struct ft_snapshot *s, uint32_t port)
{
	return s->ports[port].logical_state == STATE_ACTIVE && s->ports[port].link == FT_LINK_UP &&
	       ft_port_node(s, &s->ports[port])->type != FT_NODE_SWITCH;
}

/* Its port 0, which has the LID, is always Active: a switch is in use if one of its links is. */
static bool switch_is_in_use(const struct ft_snapshot *s, const struct ft_node *node)
{
	for (unsigned int n = 1; node->type == FT_NODE_SWITCH && n <= node->port_count; n++)
		if (ft_node_port(s, node, n)->logical_state == STATE_ACTIVE)
			return true;
	return false;
}

/* @port: index, or FT_NONE: the switch @node itself. */
static void lid_missing(struct ft_model *m, uint32_t node, uint32_t port)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_LID_MISSING, FT_EVIDENCE_SEEN);
	struct ft_text place = {0};

	if (port == FT_NONE)
		ft_finding_where_chip(m, f, node);
	else
		ft_finding_where_chip_port(m, f, port);
	if (f->where_count == 0 || !f->where[0].name)
		return; /* no memory */
	ft_text_puts(&place, f->where[0].name);
	if (port != FT_NONE)
		ft_text_printf(&place, " port %u", f->where[0].port);
	ft_say(m, &f->expected, "a LID");
	ft_say(m, &f->observed, "none");
	ft_say(m, &f->text, "%s is Active and has no LID: nothing can be sent to it", ft_model_text(m, &place));
	ft_say(m, &f->fix,
	       "have the subnet manager assign it one (opensm -r assigns all anew); its log tells why it "
	       "did not");
	ft_finding_act(m, f, FT_ACT_SETTING, f->where[0], (struct ft_place){0});
}

static void lids_missing_check(struct ft_model *m)
{
	const struct ft_snapshot *s = m->chips;
	uint32_t with = 0, without = 0;

	/* Two passes: a missing LID is a fault only if most ports have one. */
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (uint32_t n = 0; n < s->node_count; n++) {
			if (!switch_is_in_use(s, &s->nodes[n]))
				continue;
			with += lid_is_one(s->nodes[n].lid);
			without += !lid_is_one(s->nodes[n].lid);
			if (pass > 0 && !lid_is_one(s->nodes[n].lid))
				lid_missing(m, n, FT_NONE);
		}
		for (uint32_t p = 0; p < s->port_count; p++) {
			if (!port_is_active_end(s, p))
				continue;
			with += lid_is_one(s->ports[p].lid);
			without += !lid_is_one(s->ports[p].lid);
			if (pass > 0 && !lid_is_one(s->ports[p].lid))
				lid_missing(m, s->ports[p].node, p);
		}
		if (without == 0 || without > with)
			return;
	}
}

/* ---- subnet managers ---- */

static void sms_list(struct ft_model *m, const struct ft_sms *sms)
{
	struct ft_report *report = m->report;

	report->sms = ft_arena_zeros(&report->memory, sms->count, sizeof(*report->sms));
	for (uint32_t i = 0; report->sms && i < sms->count; i++) {
		const struct ft_sm *sm = &sms->items[i];
		struct ft_place place = ft_chip_place(m, sm->node, FT_NONE);

		place.port = sm->port;
		report->sms[report->sm_count++] = (struct ft_report_sm){
			.place = place,
			.port_guid = sm->guid,
			.state = ft_sm_state_name(sm->state),
			.priority = sm->priority,
			.activity = sm->activity,
		};
	}
}

static void sm_where(struct ft_model *m, struct ft_finding *f, const struct ft_sm *sm)
{
	if (sm->port)
		ft_finding_where_chip_port(m, f, m->chips->nodes[sm->node].first_port + sm->port - 1);
	else
		ft_finding_where_chip(m, f, sm->node);
}

/*
 * "node001 port 1 is master (priority 14), node002 port 1 is standby (priority 0)". Those that are told become places,
 * unless they do not answer. @masters: of masters alone.
 */
static void sms_describe(struct ft_model *m, struct ft_finding *f, const struct ft_sms *sms, bool masters,
			 struct ft_text *text)
{
	for (uint32_t i = 0; i < sms->count; i++) {
		const struct ft_report_sm *sm = &m->report->sms[i];

		if (masters && sms->items[i].state != FT_SM_MASTER)
			continue;
		if (masters || sms->items[i].state != FT_SM_SILENT)
			sm_where(m, f, &sms->items[i]);
		ft_text_printf(text, "%s%s", text->length ? ", " : "", sm->place.name);
		if (sm->place.port)
			ft_text_printf(text, " port %u", sm->place.port);
		if (sms->items[i].state == FT_SM_SILENT)
			ft_text_puts(text, " does not answer");
		else
			ft_text_printf(text, " is %s (priority %u)", sm->state, sm->priority);
	}
}

/* There may be one in the part that the sweep did not reach. */
static enum ft_evidence missing_evidence(const struct ft_model *m, const struct ft_sms *sms)
{
	if (!m->chips->source.complete)
		return FT_EVIDENCE_UNREACHED;
	return sms_in_state(sms, FT_SM_SILENT) ? FT_EVIDENCE_MUTE : FT_EVIDENCE_ABSENT;
}

static const char *missing_fix(const struct ft_sms *sms)
{
	if (sms->count == 0)
		return "start the subnet manager (opensm, or the one of a switch)";
	if (sms_in_state(sms, FT_SM_STANDBY) > 0)
		return "a standby takes over by itself, as a rule within a minute; then see to the one that was master";
	if (sms_in_state(sms, FT_SM_SILENT) > 0)
		return "restart the subnet manager that does not answer";
	return "one that is discovering becomes master in a moment; if none does, look at their logs and restart one";
}

static void sm_missing(struct ft_model *m, const struct ft_sms *sms, const struct tally *links)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_SM_MISSING, missing_evidence(m, sms));
	struct ft_text who = {0};

	sms_describe(m, f, sms, false, &who);
	if (who.length == 0)
		ft_text_puts(&who, "no port says that one runs there");
	if (links->inactive > 0)
		ft_text_printf(&who, "; %u of %u links are up and not Active", links->inactive, links->links);
	if (f->evidence == FT_EVIDENCE_UNREACHED)
		ft_text_puts(&who, "; the sweep did not see everything");
	ft_say(m, &f->expected, "one master subnet manager");
	f->observed = ft_arena_text(&m->report->memory, &who);
	ft_say(m, &f->text, "no subnet manager is master, so nothing routes the fabric anew: %s", f->observed);
	ft_say(m, &f->fix, "%s", missing_fix(sms));
}

static void sm_conflict(struct ft_model *m, const struct ft_sms *sms, uint32_t masters)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_SM_CONFLICT, FT_EVIDENCE_SEEN);
	struct ft_text who = {0};

	f->count = masters;
	sms_describe(m, f, sms, true, &who);
	ft_say(m, &f->expected, "one master subnet manager");
	f->observed = ft_arena_text(&m->report->memory, &who);
	ft_say(m, &f->text, "%u subnet managers are master at once, and undo each other's work: %s", masters,
	       f->observed);
	ft_say(m, &f->fix, "stop all of them but one, then see that they agree on priorities and on sm_key");
}

/* There is a master, but the fabric is not configured. */
static void sm_unfinished(struct ft_model *m, const struct ft_sms *sms, const struct tally *links)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_PORT_INACTIVE, FT_EVIDENCE_SEEN);
	struct ft_text who = {0};

	f->count = links->inactive;
	sms_describe(m, f, sms, true, &who);
	ft_say(m, &f->expected, "%u link%s Active", links->links, ft_text_s(links->links));
	ft_say(m, &f->observed, "%u link%s Active", links->links - links->inactive,
	       ft_text_s(links->links - links->inactive));
	ft_say(m, &f->text,
	       "%u of %u links are up and not Active: the subnet manager is not through with the fabric (%s)",
	       links->inactive, links->links, ft_model_text(m, &who));
	ft_say(m, &f->fix, "check again in a minute; if it stays so, the subnet manager's log tells why");
}

static void sms_check(struct ft_model *m, const struct ft_sms *sms, const struct tally *links)
{
	uint32_t masters = sms_in_state(sms, FT_SM_MASTER);

	/* A disconnected part of the fabric usually has none, which is not its fault. */
	if (sm_is_known_missing(m))
		sm_missing(m, sms, links);
	if (masters > 1)
		sm_conflict(m, sms, masters);
	if (masters > 0 && links->inactive * 2UL > links->links)
		sm_unfinished(m, sms, links);
}

int ft_sm_check(struct ft_model *m)
{
	const struct tally links = links_check(m);

	lids_missing_check(m);
	if (m->input->sms)
		sms_list(m, m->input->sms);
	if (m->report->sms)
		sms_check(m, m->input->sms, &links);
	return 0;
}
