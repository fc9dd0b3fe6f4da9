/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Findings under construction, and the words in them. Part of model.h, which includes it. */
#ifndef FT_VERIFY_MODEL_FINDINGS_H
#define FT_VERIFY_MODEL_FINDINGS_H

#include "verify/model/model.h"

/*
 * Findings under construction are in the memory of the report. The functions do not fail singly: that memory tells that
 * one has failed, and ft_steps_take() looks there after each step.
 */
struct ft_finding *ft_finding_add(struct ft_model *m, enum ft_code code, enum ft_evidence evidence);
void ft_finding_where_port(struct ft_model *m, struct ft_finding *f, uint32_t port);
void ft_finding_where_switch(struct ft_model *m, struct ft_finding *f, uint32_t observed, uint32_t port_number);
/* @node and @port are indices into m->chips. */
void ft_finding_where_chip(struct ft_model *m, struct ft_finding *f, uint32_t node);
void ft_finding_where_chip_port(struct ft_model *m, struct ft_finding *f, uint32_t port);
void ft_finding_where_cable(struct ft_model *m, struct ft_finding *f, const struct ft_observed_cable *cable);
void ft_finding_symptom(struct ft_model *m, struct ft_finding *f, uint32_t observed, uint32_t port_number,
			const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Of node @node of m->chips. */
void ft_finding_symptom_chip(struct ft_model *m, struct ft_finding *f, uint32_t node, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The bundle of two places lacks so many cables because of it. */
void ft_finding_lack(struct ft_model *m, struct ft_finding *f, uint32_t p, uint32_t q, uint32_t cables);
/* The finding is about that switch, which is absent or almost cut off. @name is copied. */
void ft_finding_subject(struct ft_model *m, struct ft_finding *f, const char *name, uint64_t guid);
/* That switch or chip, known before, is not seen because of it. @name is copied. */
void ft_finding_unseen(struct ft_model *m, struct ft_finding *f, const char *name, uint64_t guid);
/* The switch of that place is unreachable because of the finding; not seen, it is told with its chips. */
void ft_finding_gone(struct ft_model *m, struct ft_finding *f, uint32_t place);
void ft_finding_alternative(struct ft_model *m, struct ft_finding *f, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a repair action: see struct ft_action. The names of places are of the report's memory. */
void ft_finding_act(struct ft_model *m, struct ft_finding *f, enum ft_act act, struct ft_place a, struct ft_place b);
/*
 * The same with ends: @port is an index into the snapshot's ports, or FT_NONE: any free one of the planned switch
 * @place; if that is FT_NONE, too, there is no such end.
 */
struct ft_act_end {
	uint32_t port, place;
};
void ft_finding_act_ends(struct ft_model *m, struct ft_finding *f, enum ft_act act, struct ft_act_end a,
			 struct ft_act_end b);

static inline void ft_finding_act_ports(struct ft_model *m, struct ft_finding *f, enum ft_act act, uint32_t a,
					uint32_t b)
{
	ft_finding_act_ends(m, f, act, (struct ft_act_end){a, FT_NONE}, (struct ft_act_end){b, FT_NONE});
}

/* The cable end in @port goes to any free port of the switch in @place. */
static inline void ft_finding_act_free(struct ft_model *m, struct ft_finding *f, enum ft_act act, uint32_t port,
				       uint32_t place)
{
	ft_finding_act_ends(m, f, act, (struct ft_act_end){port, FT_NONE}, (struct ft_act_end){FT_NONE, place});
}

/* The switch of that place is off, or does not answer. */
static inline void ft_finding_act_power(struct ft_model *m, struct ft_finding *f, uint32_t place)
{
	ft_finding_act_ends(m, f, FT_ACT_POWER, (struct ft_act_end){FT_NONE, place},
			    (struct ft_act_end){FT_NONE, FT_NONE});
}

/* Sets a string of a finding, or of the report. */
void ft_say(struct ft_model *m, char **string, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Texts in the report's memory, "" where that is exhausted. What @text holds, which is empty then: */
const char *ft_model_text(const struct ft_model *m, struct ft_text *text);
/* "edge003 port 20" */
const char *ft_place_text(const struct ft_model *m, uint32_t port);

/* The observed switch that a place of a finding is on, also by a chip of a director; or FT_NONE. */
static inline uint32_t ft_observed_of_place(const struct ft_place *place)
{
	return place->switch_number - 1;
}

/* true if the observed switch, or a chip of it, is among the places of the finding. */
bool ft_finding_names(const struct ft_finding *f, uint32_t observed);

/* True if that port is among the places of the finding: by the GUID of its node, of a director that of the chip. */
bool ft_finding_is_at(const struct ft_finding *f, uint64_t guid, uint32_t number);

/* Node @node of m->chips as a place, with @port of them or FT_NONE, in the report's memory. */
struct ft_place ft_chip_place(const struct ft_model *m, uint32_t node, uint32_t port);

/* what the report calls the switch of one of a finding's places. */
const char *ft_place_label(const struct ft_model *m, const struct ft_place *place);
/* The order of the ends of a cable in a sentence, ports of m->chips: an edge before a core, a switch before a host. */
uint32_t ft_port_order(const struct ft_model *m, uint32_t port);

/* "leaf07 port 20" of a port of m->chips, a host's too. */
const char *ft_chip_port_text(const struct ft_model *m, uint32_t port);
/* "edge003 ports 19, 20" of ports of the snapshot that are all on @observed, or its name where there are none. */
const char *ft_ports_text(const struct ft_model *m, uint32_t observed, const uint32_t *ports, uint32_t count);
/* "core01 L05", "edge003": node @node of m->chips, a chip of a director or another switch, or its description if it has
 * no name in the plan. */
const char *ft_switch_text(const struct ft_model *m, uint32_t node);
/* True for the GUID of @sw or, if that is a director, of one of its chips. */
bool ft_guid_is_of(const struct ft_model *m, uint64_t guid, const struct ft_observed_switch *sw);
/* " port 19" or " swp19": port @number of an observed switch. */
const char *ft_observed_port_words(const struct ft_model *m, uint32_t observed, uint32_t number,
				   char buffer[FT_PORT_WORDS_SIZE]);
/* The same of a planned one: by number where it was not seen. */
const char *ft_planned_port_words(const struct ft_model *m, uint32_t place, uint32_t number,
				  char buffer[FT_PORT_WORDS_SIZE]);
/* "18 cables", "1 cable" */
const char *ft_plural(uint32_t count, const char *one, char buffer[48]);

/* Gives ids, applies waivers and thresholds, sorts worst first, sets the verdict. */
int ft_findings_finish(struct ft_model *m);

/* Sorts them worst first; sets the verdict, unless it is unknown. */
void ft_findings_sort(struct ft_report *report);
void ft_findings_judge(struct ft_report *report);

/* The verdict with a finding of that severity, if it is worse. */
void ft_verdict_raise(enum ft_verdict *verdict, enum ft_severity severity);

#endif
