/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The network file of a plan, read back as a snapshot, that can be broken by a few words, and its findings as a few
 * words: for the tests of the verifier. The including file has cmocka.h and what that wants.
 *
 *   cut S:P             pull the cable in port P of switch S
 *   link S:P T:Q        put a cable there (both ends must be free)
 *   dead S              switch S is off: all its cables are dark, it is not seen, and what only it leads to neither
 *   mute S              switch S is up and silent
 *   rate S:P 4xEDR      the cable runs at that rate
 *   guid S T            S carries T's GUID, or the one given
 *   lid S N             the LID of S
 *   name S NEW          another description
 *   hide S:P, haze S:P  the far end does not answer; the port's state was not read
 *   fog S               no port of S that leads to a switch could be read, nor its far end
 *   only S, lone S      the sweep began on S and sees what it reaches; S is cut off from all other switches
 *   host S:P            a host that the plan does not know
 *   spare NAME PORTS    a switch that the plan does not know
 */
#ifndef FT_TESTS_BENCH_H
#define FT_TESTS_BENCH_H

/* cmocka wants these four before its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "planner/plan/plan.h"
#include "probe/source.h"
#include "verify/model/verify.h"

struct bench {
	struct ft_design *design;
	struct ft_plan *plan;
	struct ft_snapshot *snapshot;
	uint32_t extra; /* hosts added */
};

static inline void bench_release(struct bench *b)
{
	ft_design_free(b->design);
	ft_plan_free(b->plan);
	ft_snapshot_free(b->snapshot);
}

static inline void bench_make(struct bench *b, const char *design)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};

	*b = (struct bench){0};
	if (ft_design_read(design, strlen(design), &b->design, &b->plan, &err) < 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
	ft_plan_write_ibsim(&text, b->design, b->plan);
	if (ft_dump_read_ibnetdiscover(text.data, text.length, &b->snapshot, &err) < 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
}

static inline uint32_t node_find(const struct ft_snapshot *s, const char *name)
{
	for (uint32_t i = 0; i < s->node_count; i++)
		if (strcmp(ft_node_description(s, &s->nodes[i]), name) == 0)
			return i;
	fail_msg("no node %s", name);
	return 0;
}

static inline struct ft_port *port_find(struct ft_snapshot *s, const char *place)
{
	char name[64];
	unsigned int number;

	if (sscanf(place, "%63[^:]:%u", name, &number) != 2)
		fail_msg("not a place: %s", place);
	return &s->ports[s->nodes[node_find(s, name)].first_port + number - 1];
}

static inline void end_drop(struct ft_port *port, enum ft_link link)
{
	port->peer = FT_NONE;
	port->link = link;
	port->rate = (struct ft_rate){0};
}

static inline void cable_drop(struct ft_snapshot *s, struct ft_port *port, enum ft_link link)
{
	if (port->peer != FT_NONE)
		end_drop(&s->ports[port->peer], link);
	end_drop(port, link);
}

static inline void cable_put(struct ft_snapshot *s, struct ft_port *a, struct ft_port *b)
{
	assert_int_equal(a->peer, FT_NONE);
	assert_int_equal(b->peer, FT_NONE);
	a->peer = (uint32_t)(b - s->ports);
	b->peer = (uint32_t)(a - s->ports);
	a->link = b->link = FT_LINK_UP;
	a->rate = b->rate = (struct ft_rate){4, FT_SPEED_HDR};
}

/* A node more, with all ports down. */
static inline uint32_t node_add(struct ft_snapshot *s, const char *name, uint64_t guid, enum ft_node_type type,
				uint16_t ports)
{
	uint32_t length = (uint32_t)strlen(name);

	s->nodes = realloc(s->nodes, (s->node_count + 1) * sizeof(*s->nodes));
	s->ports = realloc(s->ports, (s->port_count + ports) * sizeof(*s->ports));
	s->strings = realloc(s->strings, s->strings_length + length + 1);
	assert_true(s->nodes && s->ports && s->strings);
	s->nodes[s->node_count] = (struct ft_node){.guid = guid,
						   .type = type,
						   .port_count = ports,
						   .first_port = s->port_count,
						   .description = s->strings_length,
						   .description_length = (uint16_t)length};
	memcpy(s->strings + s->strings_length, name, length + 1);
	s->strings_length += length + 1;
	for (uint32_t i = 0; i < ports; i++)
		s->ports[s->port_count++] = (struct ft_port){.guid = guid,
							     .node = s->node_count,
							     .peer = FT_NONE,
							     .number = (uint8_t)(i + 1),
							     .link = FT_LINK_DOWN};
	return s->node_count++;
}

static inline void node_name(struct ft_snapshot *s, uint32_t node, const char *name)
{
	uint32_t length = (uint32_t)strlen(name);

	s->strings = realloc(s->strings, s->strings_length + length + 1);
	assert_non_null(s->strings);
	memcpy(s->strings + s->strings_length, name, length + 1);
	s->nodes[node].description = s->strings_length;
	s->nodes[node].description_length = (uint16_t)length;
	s->strings_length += length + 1;
}

/* Keeps the nodes marked in @keep and numbers everything anew. */
static inline void nodes_keep(struct ft_snapshot *s, const bool *keep)
{
	uint32_t *moved = malloc((s->port_count + 1) * sizeof(*moved));
	uint32_t nodes = 0, ports = 0;

	assert_non_null(moved);
	for (uint32_t i = 0; i < s->node_count; i++)
		for (uint32_t p = 0; p < s->nodes[i].port_count; p++)
			moved[s->nodes[i].first_port + p] = keep[i] ? ports++ : FT_NONE;
	ports = 0;
	for (uint32_t i = 0; i < s->node_count; i++) {
		if (!keep[i])
			continue;
		s->nodes[nodes] = s->nodes[i];
		s->nodes[nodes].first_port = ports;
		for (uint32_t p = 0; p < s->nodes[nodes].port_count; p++, ports++) {
			s->ports[ports] = s->ports[s->nodes[i].first_port + p];
			s->ports[ports].node = nodes;
			if (s->ports[ports].peer != FT_NONE)
				s->ports[ports].peer = moved[s->ports[ports].peer];
		}
		nodes++;
	}
	s->node_count = nodes;
	s->port_count = ports;
	free(moved);
}

/* What a sweep from @start would see. */
static inline void reached_keep(struct ft_snapshot *s, uint32_t start)
{
	bool *keep = calloc(s->node_count + 1, sizeof(*keep));
	bool more = true;

	assert_non_null(keep);
	keep[start] = true;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < s->port_count; i++)
			if (keep[s->ports[i].node] && s->ports[i].peer != FT_NONE &&
			    !keep[s->ports[s->ports[i].peer].node])
				keep[s->ports[s->ports[i].peer].node] = more = true;
	}
	nodes_keep(s, keep);
	free(keep);
}

static inline void switch_lose(struct ft_snapshot *s, const char *name, enum ft_link link)
{
	uint32_t node = node_find(s, name);

	for (uint32_t p = 0; p < s->nodes[node].port_count; p++)
		cable_drop(s, &s->ports[s->nodes[node].first_port + p], link);
	reached_keep(s, node_find(s, strcmp(name, "edge001") == 0 ? "node019" : "node001"));
}

static inline void fault_apply(struct bench *b, char *words)
{
	struct ft_snapshot *s = b->snapshot;
	char *rest = words, *verb = strtok_r(rest, " ", &rest);
	char *first = strtok_r(rest, " ", &rest), *second = strtok_r(rest, " ", &rest);
	char name[32];

	if (strcmp(verb, "cut") == 0) {
		cable_drop(s, port_find(s, first), FT_LINK_DOWN);
	} else if (strcmp(verb, "link") == 0) {
		cable_put(s, port_find(s, first), port_find(s, second));
	} else if (strcmp(verb, "dead") == 0) {
		switch_lose(s, first, FT_LINK_DOWN);
	} else if (strcmp(verb, "mute") == 0) {
		switch_lose(s, first, FT_LINK_SILENT);
	} else if (strcmp(verb, "rate") == 0) {
		struct ft_port *port = port_find(s, first);

		assert_int_equal(ft_rate_parse(second, &port->rate), 0);
		s->ports[port->peer].rate = port->rate;
	} else if (strcmp(verb, "guid") == 0) {
		s->nodes[node_find(s, first)].guid = strncmp(second, "0x", 2) == 0
							     ? strtoull(second, NULL, 16)
							     : s->nodes[node_find(s, second)].guid;
	} else if (strcmp(verb, "name") == 0) {
		node_name(s, node_find(s, first), second);
	} else if (strcmp(verb, "lid") == 0) {
		s->nodes[node_find(s, first)].lid = (uint16_t)atoi(second);
	} else if (strcmp(verb, "hide") == 0 || strcmp(verb, "haze") == 0) {
		struct ft_port *port = port_find(s, first);

		if (port->peer != FT_NONE)
			end_drop(&s->ports[port->peer], FT_LINK_DOWN);
		end_drop(port, strcmp(verb, "hide") == 0 ? FT_LINK_SILENT : FT_LINK_UNREAD);
	} else if (strcmp(verb, "fog") == 0) {
		const struct ft_node *node = &s->nodes[node_find(s, first)];

		for (uint32_t p = 0; p < node->port_count; p++)
			if (s->ports[node->first_port + p].peer != FT_NONE &&
			    s->nodes[s->ports[s->ports[node->first_port + p].peer].node].type == FT_NODE_SWITCH)
				cable_drop(s, &s->ports[node->first_port + p], FT_LINK_UNREAD);
	} else if (strcmp(verb, "only") == 0 || strcmp(verb, "lone") == 0) {
		const struct ft_node *node = &s->nodes[node_find(s, first)];

		for (uint32_t p = 0; verb[0] == 'l' && p < node->port_count; p++)
			if (s->ports[node->first_port + p].peer != FT_NONE &&
			    s->nodes[s->ports[s->ports[node->first_port + p].peer].node].type == FT_NODE_SWITCH)
				cable_drop(s, &s->ports[node->first_port + p], FT_LINK_DOWN);
		reached_keep(s, node_find(s, first));
		s->source.entry_node = node_find(s, first);
	} else if (strcmp(verb, "host") == 0) {
		uint32_t node;

		snprintf(name, sizeof(name), "extra%u", ++b->extra);
		node = node_add(s, name, 0x300000 + b->extra, FT_NODE_CA, 1);
		cable_put(s, port_find(s, first), &s->ports[s->nodes[node].first_port]);
	} else if (strcmp(verb, "rails") == 0) {
		/* A host with two ports, both of which have the GUID of the node. */
		uint32_t node = node_add(s, "rails", 0x300000, FT_NODE_CA, 2);
		const char *const at[] = {first, second};

		for (unsigned int i = 0; i < 2; i++) {
			s->ports[s->nodes[node].first_port + i].guid = s->nodes[node].guid;
			cable_put(s, port_find(s, at[i]), &s->ports[s->nodes[node].first_port + i]);
		}
	} else if (strcmp(verb, "spare") == 0) {
		node_add(s, first, 0x400001, FT_NODE_SWITCH, (uint16_t)atoi(second));
	} else {
		fail_msg("no fault is called %s", verb);
	}
}

static inline void faults_apply(struct bench *b, const char *faults)
{
	char copy[1024], *rest = copy, *fault;

	snprintf(copy, sizeof(copy), "%s", faults);
	while ((fault = strtok_r(rest, ";", &rest)))
		fault_apply(b, fault + strspn(fault, " "));
}

static inline void report_words(const struct ft_report *report, struct ft_text *text)
{
	ft_text_puts(text, ft_verdict_name(report->verdict));
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		ft_text_printf(text, "; %s %s", ft_codes[f->code].name, ft_evidence_name(f->evidence));
		for (size_t n = 0; n < f->where_count; n++) {
			ft_text_printf(text, " %s", f->where[n].name);
			if (f->where[n].port)
				ft_text_printf(text, ":%u", f->where[n].port);
		}
		if (f->count != 1 && f->code != FT_CODE_CORE_MISSING)
			ft_text_printf(text, " x%u", f->count);
	}
}

/* A finding that is about bundles names each that is short because of it. */
static inline void lacks_check(const struct ft_finding *f)
{
	uint32_t cables = 0;

	for (size_t i = 0; i < f->lack_count; i++)
		cables += f->lacks[i].cables;
	if (f->code == FT_CODE_CABLE_MISSING && cables == 0)
		/* Inside a director: no cable of the plan. */
		assert_non_null(strstr(f->text, "backplane"));
	else if (f->code == FT_CODE_CABLES_SWAPPED || f->code == FT_CODE_CABLE_MISPLACED)
		/* Between the same two switches none lacks, and one may make up for another. */
		assert_true(cables <= f->count);
	else if (f->code == FT_CODE_CABLE_MISSING || f->returning.of > 0)
		assert_int_equal(cables, f->count);
	else if (f->code == FT_CODE_LOOPBACK)
		/* And perhaps that paths are longer for it. */
		assert_in_range(f->symptom_count, cables, cables + (cables > 0));
	else if (f->code == FT_CODE_EDGE_ISOLATED && strstr(f->text, "fabric boards"))
		/* Line boards that are out of reach took their cables with them. */
		return;
	else if (f->code != FT_CODE_SWITCH_UNPLANNED && f->code != FT_CODE_BOARD_MISSING)
		assert_int_equal(cables, 0);
}

/* What holds for every report, whatever is wrong with the fabric. */
static inline void report_check(const struct ft_report *r)
{
	assert_true(r->uplinks.up + r->uplinks.missing + r->uplinks.misplaced <= r->uplinks.planned);
	assert_true(r->edge.ok + r->edge.degraded <= r->edge.found);
	assert_true(r->core.ok + r->core.degraded == r->core.found);
	for (size_t i = 0; i < r->finding_count; i++) {
		assert_true(r->findings[i].text && r->findings[i].fix && r->findings[i].expected &&
			    r->findings[i].observed);
		lacks_check(&r->findings[i]);
		for (size_t n = 0; n < i; n++)
			assert_string_not_equal(r->findings[i].id, r->findings[n].id);
	}
}

static inline void report_written(const struct ft_report *r, struct ft_text *json, struct ft_text *others)
{
	ft_report_write_json(json, r);
	ft_report_write_text(others, r, true, true);
	ft_report_write_text(others, r, false, false);
	ft_report_write_nagios(others, r);
	assert_false(ft_text_failed(json) || ft_text_failed(others));
}

/* Another process that reads the JSON prints what this one does. */
static inline void report_returns(struct ft_report *r)
{
	_cleanup_(ft_report_freep) struct ft_report *back = NULL;
	_cleanup_(ft_text_release) struct ft_text json = {0}, json_back = {0}, others = {0}, others_back = {0};
	struct ft_error err = {0};

	/* What a main fills in. */
	r->plan_file = ft_arena_string(&r->memory, "plan.json");
	r->time_s = 1795178096;
	memset(r->plan_sha256, 'a', sizeof(r->plan_sha256) - 1);
	report_written(r, &json, &others);
	if (ft_report_read_json(json.data, json.length, &back, &err) != 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
	report_written(back, &json_back, &others_back);
	assert_string_equal(json_back.data, json.data);
	assert_string_equal(others_back.data, others.data);
}

/* All switches get the one name that they have before anybody gives them another. */
static inline void switches_unname(struct ft_snapshot *s)
{
	static const char name[] = "MT Switch";

	s->strings = realloc(s->strings, s->strings_length + sizeof(name));
	assert_non_null(s->strings);
	memcpy(s->strings + s->strings_length, name, sizeof(name));
	for (uint32_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].type == FT_NODE_SWITCH) {
			s->nodes[i].description = s->strings_length;
			s->nodes[i].description_length = sizeof(name) - 1;
		}
	s->strings_length += sizeof(name);
}

static inline uint32_t random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*seed >> 33);
}

/* Hundreds of cables are pulled, and as many put anywhere. */
static inline void cables_shuffle(struct ft_snapshot *s, uint64_t *seed)
{
	uint32_t cuts = random_next(seed) % 400;

	for (uint32_t i = 0; i < cuts; i++)
		cable_drop(s, &s->ports[random_next(seed) % s->port_count], random_next(seed) % 3);
	for (uint32_t i = 0; i < cuts; i++) {
		struct ft_port *p = &s->ports[random_next(seed) % s->port_count];
		struct ft_port *q = &s->ports[random_next(seed) % s->port_count];

		if (p != q && p->peer == FT_NONE && q->peer == FT_NONE)
			cable_put(s, p, q);
	}
}

#endif
