/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The hosts that the design expects to be down by name. Each such name reduces the count of missing hosts by one, so a
 * wrong name would hide a missing host. Valid names are those of the plan's list, if it has one. Otherwise they are
 * derived from the hosts that are up: by the form of their names ("node000" for node017) and, if these are numbered in
 * one run, by the unused numbers.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "verify/check/check.h"

/* Names of hosts that differ in their digits only. */
struct form {
	char *text;	    /* small letters, with 0 for each digit */
	const char *sample; /* one of these names */
	uint64_t low, high; /* the numbers in them */
	bool numbered;	    /* they have one number each */
};

struct hosts {
	struct ft_model *m; /* whose memory all lists are in */
	const char **up;    /* the node descriptions of the hosts that are up, in the order of up_order() */
	uint32_t *host_of_up;
	uint32_t up_count;
	struct form *forms;
	uint32_t form_count;
	bool listed;  /* the plan lists all hosts by name */
	bool judged;  /* else: enough hosts are up to derive the forms of names */
	uint32_t run; /* number of planned hosts: the range of numbers in names, if they are one run */
};

/* A name without what the adapter adds: "node055" of "node055 mlx5_0". */
static size_t brief_length(const char *name)
{
	return strcspn(name, " ");
}

/* True if @name, from the design, is @description or a prefix of it. */
static bool name_fits(const char *name, const char *description)
{
	size_t length = strlen(name);

	while (length > 0 && name[length - 1] == ' ')
		length--;
	return length > 0 && strncasecmp(name, description, length) == 0 &&
	       (description[length] == '\0' || description[length] == ' ');
}

bool ft_host_is_expected_down(const struct ft_model *m, const char *name)
{
	const struct ft_expect *expect = &m->design->expect;

	for (size_t i = 0; i < expect->hosts_down_name_count; i++)
		if (name_fits(expect->hosts_down_names[i], name) || name_fits(name, expect->hosts_down_names[i]))
			return true;
	return false;
}

/* ---- what is known of names ---- */

struct up {
	const char *name;
	uint32_t host;
};

static int up_order(const void *a, const void *b)
{
	return strcasecmp(((const struct up *)a)->name, ((const struct up *)b)->name);
}

static const char *host_description(const struct ft_model *m, uint32_t host)
{
	return ft_node_description(m->snapshot,
				   ft_port_node(m->snapshot, &m->snapshot->ports[m->observed.hosts[host].port]));
}

static void up_collect(struct hosts *h)
{
	struct ft_model *m = h->m;
	struct up *up = ft_arena_zeros(&m->memory, m->observed.host_count, sizeof(*up));

	h->up = ft_arena_zeros(&m->memory, m->observed.host_count, sizeof(*h->up));
	h->host_of_up = ft_arena_zeros(&m->memory, m->observed.host_count, sizeof(*h->host_of_up));
	if (m->memory.failed)
		return;
	for (uint32_t i = 0; i < m->observed.host_count; i++)
		up[i] = (struct up){host_description(m, i), i};
	qsort(up, m->observed.host_count, sizeof(*up), up_order);
	for (uint32_t i = 0; i < m->observed.host_count; i++) {
		h->up[i] = up[i].name;
		h->host_of_up[i] = up[i].host;
	}
	h->up_count = m->observed.host_count;
}

/* The first host that is up and not before @name, by number in @h->up. */
static uint32_t up_lower(const struct hosts *h, const char *name)
{
	uint32_t low = 0, high = h->up_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (strcasecmp(h->up[middle], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The form of a name; in @ret_number its number, if there is exactly one. NULL: no memory. */
static char *form_make(const struct hosts *h, const char *name, uint64_t *ret_number, bool *ret_numbered)
{
	enum { DIGITS_MAX = 15 };
	size_t length = brief_length(name), digits = 0;
	char *text = ft_arena_keep(&h->m->memory, strndup(name, length));
	unsigned int runs = 0;

	*ret_number = 0;
	for (size_t i = 0; text && i < length; i++) {
		bool digit = isdigit((unsigned char)text[i]);

		runs += digit && (i == 0 || !isdigit((unsigned char)name[i - 1]));
		digits += digit;
		if (digit && digits <= DIGITS_MAX)
			*ret_number = *ret_number * 10 + (uint64_t)(text[i] - '0');
		text[i] = digit ? '0' : (char)tolower((unsigned char)text[i]);
	}
	*ret_numbered = runs == 1 && digits <= DIGITS_MAX;
	return text;
}

static void form_add(struct hosts *h, struct ft_map *known, const char *name)
{
	uint64_t number;
	bool numbered;
	char *text = form_make(h, name, &number, &numbered);
	uint32_t at = h->form_count;
	int r = text ? ft_map_add(known, ft_text_hash(text), at, &at) : -ENOMEM;
	struct form *form = &h->forms[at];

	h->m->memory.failed |= r < 0;
	if (r > 0) {
		*form = (struct form){text, name, number, number, numbered};
		h->form_count++;
	} else if (r == 0) {
		form->low = number < form->low ? number : form->low;
		form->high = number > form->high ? number : form->high;
	}
}

static void forms_collect(struct hosts *h)
{
	_cleanup_(ft_map_release) struct ft_map known = {0};
	const struct ft_plan *plan = h->m->plan;

	h->forms = ft_arena_zeros(&h->m->memory, h->up_count + plan->host_count + 1UL, sizeof(*h->forms));
	for (uint32_t i = 0; h->forms && i < h->up_count; i++)
		form_add(h, &known, h->up[i]);
	for (uint32_t i = 0; h->forms && i < plan->host_count; i++)
		if (plan->hosts[i].name)
			form_add(h, &known, plan->hosts[i].name);
}

static void hosts_collect(struct hosts *h, struct ft_model *m)
{
	uint32_t named = 0;

	*h = (struct hosts){.m = m, .run = ft_hosts_planned(m)};
	for (uint32_t i = 0; i < m->plan->host_count; i++)
		named += m->plan->hosts[i].name != NULL;
	h->listed = named > 0 && named >= m->plan->nodes;
	h->judged = m->observed.host_count > 0 && m->observed.host_count * 2UL >= h->run;
	up_collect(h);
	forms_collect(h);
}

/* ---- one name ---- */

enum fate {
	NAME_DOWN,   /* a possible name of a host that is down */
	NAME_UP,     /* it is up */
	NAME_STRAY,  /* no possible name, but similar to another one: it accounts for no missing host */
	NAME_BEYOND, /* likewise: hosts are numbered in one run, and its number is beyond that */
	NAME_UNLIKE, /* unlike all names of hosts; possibly one of another kind */
};

static bool plan_has(const struct ft_model *m, const char *name)
{
	for (uint32_t i = 0; i < m->plan->host_count; i++) {
		const char *listed = m->plan->hosts[i].name;

		if (listed && (name_fits(name, listed) || name_fits(listed, name)))
			return true;
	}
	return false;
}

/* Names at an edit distance of two are mostly one name, misspelt; short ones may be two names. */
static bool is_near(unsigned int distance, size_t length)
{
	return distance <= 2 && distance * 3 <= length;
}

/* The form of @name, or else, in @ret_near, the most similar form. */
static const struct form *form_of(const struct hosts *h, const char *text, const struct form **ret_near)
{
	unsigned int best = UINT32_MAX;

	*ret_near = NULL;
	for (uint32_t i = 0; i < h->form_count; i++) {
		unsigned int distance = ft_text_distance(text, h->forms[i].text);

		if (strcmp(text, h->forms[i].text) == 0)
			return &h->forms[i];
		if (is_near(distance, strlen(text)) && distance < best) {
			best = distance;
			*ret_near = &h->forms[i];
		}
	}
	return NULL;
}

/* Hosts are numbered in one run: the number is not one left for hosts that are down. */
static bool number_is_beyond(const struct hosts *h, const struct form *form, uint64_t number)
{
	if (!form->numbered || form->high - form->low >= h->run)
		return false;
	return number + h->run <= form->high || number >= form->low + h->run;
}

/* @ret_like: the form of hosts' names, if @name has another one, or NULL. */
static enum fate name_judge(const struct hosts *h, const char *name, const struct form **ret_like)
{
	uint32_t up = up_lower(h, name);
	const struct form *form, *near;
	uint64_t number;
	bool numbered;
	const char *text = form_make(h, name, &number, &numbered);

	*ret_like = NULL;
	if (up < h->up_count && name_fits(name, h->up[up]))
		return NAME_UP;
	if (plan_has(h->m, name))
		return NAME_DOWN;
	if (h->listed)
		return NAME_STRAY;
	if (!h->judged || !text)
		return NAME_DOWN;
	form = form_of(h, text, &near);
	if (form && !number_is_beyond(h, form, number))
		return NAME_DOWN;
	*ret_like = form ? form : near ? near : &h->forms[0];
	return form ? NAME_BEYOND : near ? NAME_STRAY : NAME_UNLIKE;
}

/* The absent host of the plan's list with the most similar name. NULL: none is similar. */
static const char *name_meant(const struct ft_model *m, const char *name)
{
	unsigned int best = UINT32_MAX;
	const char *meant = NULL;

	for (uint32_t i = 0; i < m->plan->host_count; i++) {
		const char *listed = m->plan->hosts[i].name;
		unsigned int distance;

		if (!listed || !m->port_map.fate || m->port_map.fate[i] != FT_HOST_MISSING)
			continue;
		distance = ft_text_distance(name, listed);
		if (is_near(distance, strlen(name)) && distance < best) {
			best = distance;
			meant = listed;
		}
	}
	return meant;
}

/* ---- findings ---- */

/* "expect.hosts_down (line 12 of the design)" */
static void list_add(const struct ft_model *m, size_t index, struct ft_text *text)
{
	ft_text_printf(text, "expect.hosts_down (line %u of the design)", m->design->expect.hosts_down_lines[index]);
}

/* Why @name is not taken for a host. */
static void stray_why(const struct hosts *h, enum fate fate, const struct form *like, struct ft_text *why)
{
	if (h->listed) {
		ft_text_puts(why, "no host of the plan is called so, nor any that is up");
	} else if (fate == NAME_BEYOND) {
		ft_text_printf(why, "the hosts that are up are numbered %" PRIu64 " to %" PRIu64 ", of %u in all",
			       like->low, like->high, h->run);
	} else {
		ft_text_puts(why, "no host has a name like it (others are called like \"");
		ft_text_add_safe(why, like->sample, brief_length(like->sample));
		ft_text_puts(why, "\")");
	}
}

static void stray_tell(struct ft_model *m, const struct hosts *h, size_t index, enum fate fate, const struct form *like)
{
	const char *name = m->design->expect.hosts_down_names[index], *meant = name_meant(m, name);
	const char *safe = ft_arena_safe(&m->report->memory, name, strlen(name));
	struct ft_text list = {0}, why = {0};
	struct ft_finding *f = ft_finding_add(m, FT_CODE_EXPECT_UNKNOWN, FT_EVIDENCE_SEEN);

	list_add(m, index, &list);
	stray_why(h, fate, like, &why);
	ft_say(m, &f->expected, "the name of a host");
	ft_say(m, &f->observed, "%s", safe);
	ft_say(m, &f->text, "%s names \"%s\", and %s", ft_model_text(m, &list), safe, ft_model_text(m, &why));
	if (meant)
		ft_say(m, &f->fix, "did you mean \"%s\"? until it is corrected it stands for no host",
		       ft_arena_safe(&m->report->memory, meant, strlen(meant)));
	else if (fate != NAME_UNLIKE)
		ft_say(m, &f->fix, "correct the name, or take it out; until then it stands for no host");
	else
		ft_say(m, &f->fix,
		       "correct the name if it is misspelt, for a missing host goes unreported because of it; if it is "
		       "right, waive this");
}

/* "node017, node018 and 3 more" */
static void up_tell(struct ft_model *m, const struct hosts *h, const uint32_t *up, const size_t *index, uint32_t count)
{
	enum { SHOWN = 6 };
	struct ft_text list = {0}, names = {0};
	struct ft_finding *f = ft_finding_add(m, FT_CODE_EXPECT_OUTDATED, FT_EVIDENCE_SEEN);
	char hosts[48];

	f->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct ft_observed_host *host = &m->observed.hosts[h->host_of_up[up[i]]];

		ft_finding_where_port(m, f, host->switch_port);
		ft_finding_where_port(m, f, host->port);
		if (i < SHOWN && i > 0)
			ft_text_puts(&names, ", ");
		if (i < SHOWN)
			ft_text_add_safe(&names, h->up[up[i]], brief_length(h->up[up[i]]));
	}
	ft_text_more(&names, count, SHOWN);
	list_add(m, index[0], &list);
	ft_say(m, &f->expected, "%s down", ft_plural(count, "host", hosts));
	ft_say(m, &f->observed, "%s up", ft_plural(count, "host", hosts));
	ft_say(m, &f->text, "%s %s up though %s has %s down: %s", ft_plural(count, "host", hosts),
	       count == 1 ? "is" : "are", ft_model_text(m, &list), count == 1 ? "it" : "them",
	       ft_model_text(m, &names));
	ft_say(m, &f->fix, "take %s out of the list: nobody is told when %s again", count == 1 ? "it" : "them",
	       count == 1 ? "it fails" : "they fail");
}

static uint32_t names_check(struct ft_model *m, const struct hosts *h)
{
	const struct ft_expect *expect = &m->design->expect;
	uint32_t *up = ft_arena_zeros(&m->memory, expect->hosts_down_name_count, sizeof(*up)), up_count = 0, count = 0;
	size_t *index = ft_arena_zeros(&m->memory, expect->hosts_down_name_count, sizeof(*index));

	for (size_t i = 0; !m->memory.failed && i < expect->hosts_down_name_count; i++) {
		const char *name = expect->hosts_down_names[i];
		const struct form *like;
		enum fate fate = name_judge(h, name, &like);

		count += fate == NAME_DOWN || fate == NAME_UNLIKE;
		if (fate == NAME_UP) {
			index[up_count] = i;
			up[up_count++] = up_lower(h, name);
		} else if (fate != NAME_DOWN) {
			stray_tell(m, h, i, fate, like);
		}
	}
	if (up_count > 0)
		up_tell(m, h, up, index, up_count);
	return count;
}

uint32_t ft_hosts_expected_check(struct ft_model *m)
{
	struct hosts h;

	if (m->design->expect.hosts_down_name_count == 0)
		return m->design->expect.hosts_down;
	hosts_collect(&h, m);
	return names_check(m, &h);
}
