/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Cables that would make broadcasts go round for ever. In a Clos network of Ethernet switches each VLAN is a tree, and
 * no spanning tree protocol guards it (planner/ethernet/vlans.h). A cable between ports of two VLANs joins their trees,
 * and one between ports of the same VLAN closes a circle unless its tree lacks just that. So the finding about such a
 * cable says which ports are not to be opened before it is right.
 *
 * The ports have the VLANs of the plan. First the cables between ports of one VLAN are taken, those where the plan has
 * them before the others, and each that closes a circle is one too many. O(cables * log cables).
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/numbers.h"
#include "planner/ethernet/vlans.h"
#include "verify/check/check.h"

enum { FIX_MAX = 1000 };

struct storms {
	struct ft_model *m;
	struct ft_vlans vlans;
	struct ft_map members; /* VLAN and switch -> member of a tree */
	uint32_t *parent;      /* union-find over these */
	uint32_t count;
};

static const struct ft_vlan_port *vlan_port(const struct storms *s, uint32_t port)
{
	const struct ft_model *m = s->m;
	uint32_t place = ft_place_of_port(m, port);

	if (place == FT_NONE)
		return NULL;
	return ft_vlans_port(&s->vlans, ft_plan_index(m, place), ft_port_number(m, port));
}

static uint32_t vlan_of(const struct storms *s, uint32_t port)
{
	const struct ft_vlan_port *p = vlan_port(s, port);

	return p ? p->vlan : 0;
}

/* The plan has a cable between just these ports. */
static bool is_planned(const struct storms *s, const struct ft_observed_cable *cable)
{
	const struct ft_vlan_port *a = vlan_port(s, cable->a_port);
	const struct ft_model *m = s->m;
	uint32_t far = m->observed.switches[cable->b].planned;

	return a && a->kind == FT_VLAN_SWITCH && far != FT_NONE && a->peer == ft_plan_index(m, far) &&
	       a->peer_port == m->snapshot->ports[cable->b_port].number;
}

/* Ports of hosts send what they take in into one VLAN, and send out every VLAN: any switch there joins all trees. */
static bool is_hosts(const struct storms *s, uint32_t port)
{
	const struct ft_vlan_port *p = vlan_port(s, port);

	return p && p->kind == FT_VLAN_HOST;
}

/* The member of the VLAN's tree that the switch is. */
static uint32_t member_find(struct storms *s, uint32_t vlan, uint32_t observed)
{
	uint32_t member = 0;
	int r = ft_map_add(&s->members, (uint64_t)vlan << 32 | observed, s->count, &member);

	s->m->memory.failed |= r < 0;
	if (r > 0) {
		s->parent[s->count] = s->count;
		s->count++;
	}
	return member;
}

/* Takes the cable into its VLAN's tree. True: it closes a circle. */
static bool tree_take(struct storms *s, const struct ft_observed_cable *cable)
{
	uint32_t vlan = vlan_of(s, cable->a_port);
	uint32_t a = ft_number_root(s->parent, member_find(s, vlan, cable->a));
	uint32_t b = ft_number_root(s->parent, member_find(s, vlan, cable->b));

	s->parent[a] = b;
	return a == b;
}

/* The finding that is about both ports, or NULL. */
static struct ft_finding *finding_of(const struct storms *s, const struct ft_observed_cable *cable)
{
	const struct ft_model *m = s->m;
	const struct ft_port *a = &m->snapshot->ports[cable->a_port], *b = &m->snapshot->ports[cable->b_port];

	for (size_t i = 0; i < m->report->finding_count; i++) {
		struct ft_finding *f = &m->report->findings[i];

		if (ft_finding_is_at(f, ft_port_node(m->snapshot, a)->guid, a->number) &&
		    ft_finding_is_at(f, ft_port_node(m->snapshot, b)->guid, b->number))
			return f;
	}
	return NULL;
}

/* "do not open leaf01 swp7 and leaf02 swp9 before that: …", behind the fix of the finding. */
static void warn(struct storms *s, const struct ft_observed_cable *cable)
{
	uint32_t x = vlan_of(s, cable->a_port), y = vlan_of(s, cable->b_port);
	struct ft_finding *f = finding_of(s, cable);
	const char *a, *b;

	/* Of a long exchange the first few are enough: its fix ends with the last cable. */
	if (!f || !f->fix || strlen(f->fix) > FIX_MAX)
		return;
	a = ft_place_text(s->m, cable->a_port);
	b = ft_place_text(s->m, cable->b_port);
	if (x != y)
		ft_say(s->m, &f->fix,
		       "%s; do not open %s and %s before that: the cable joins the trees of VLAN %u and VLAN %u, and "
		       "broadcasts would go round for ever",
		       f->fix, a, b, x, y);
	else
		ft_say(s->m, &f->fix,
		       "%s; do not open %s and %s before that: the cable closes a circle in VLAN %u, and broadcasts "
		       "would go round for ever",
		       f->fix, a, b, x);
}

/* @planned: those where the plan has them, which come first; else the others, which may be dangerous. */
static void cables_take(struct storms *s, bool planned)
{
	const struct ft_observed_fabric *observed = &s->m->observed;

	for (uint32_t i = 0; i < observed->cable_count; i++) {
		const struct ft_observed_cable *cable = &observed->cables[i];
		uint32_t a = vlan_of(s, cable->a_port), b = vlan_of(s, cable->b_port);

		if (a == 0 || b == 0 || is_planned(s, cable) != planned)
			continue;
		if (a != b || is_hosts(s, cable->a_port) || is_hosts(s, cable->b_port) ||
		    (tree_take(s, cable) && !planned))
			warn(s, cable);
	}
}

int ft_storms_check(struct ft_model *m)
{
	struct storms s = {.m = m};
	const struct ft_plan plan = ft_plan_tree(m->plan);
	int r;

	if (m->design->technology != FT_TECHNOLOGY_ETHERNET || !m->snapshot->source.ethernet)
		return 0;
	/* A plan of another shape has no VLANs that are known here. */
	r = ft_vlans_make(&plan, m->design->vlan_first, &s.vlans, NULL);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	s.parent = ft_arena_zeros(&m->memory, 2UL * m->observed.cable_count + 1, sizeof(*s.parent));
	for (unsigned int planned = 2; s.parent && planned-- > 0;)
		cables_take(&s, planned > 0);
	ft_vlans_release(&s.vlans);
	ft_map_release(&s.members);
	return 0;
}
