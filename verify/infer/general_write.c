/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Writes the plan as a design with topology "graph": with ranges of names, and equal switches in one line. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "verify/infer/by_rule.h"
#include "verify/infer/ranges.h"

enum { LINE_WIDTH = 150, NAME_SIZE_MAX = 64, KIND_SIZE = 32 };

/* The bundles of one switch that have one width. */
struct fan {
	uint32_t from, width;
	uint32_t first, count; /* of ends[]: sorted by their place in the order */
};

struct writer {
	const struct ft_intent *intent;
	const char **name;	 /* by observed switch */
	char (*kind)[KIND_SIZE]; /* by observed switch */
	bool *hosting;		 /* by rank: switches with hosts are a kind of their own */
	const bool *by_guid;	 /* by observed switch: the name is invented, and the GUID identifies it */
	uint32_t *order;	 /* observed switches in the order of the file */
	uint32_t *place;	 /* by observed switch: its index in @order */
	uint32_t *next;		 /* scratch */
	struct fan *fans;
	uint32_t *ends;
	uint32_t fan_count, end_count;
};

static struct ft_arena *memory_of(const struct writer *w)
{
	return w->intent->f->memory;
}

/* ---- kinds ---- */

static uint32_t neighbours_on(const struct ft_intent *intent, uint32_t observed, enum ft_side side)
{
	const struct ft_inference *f = intent->f;
	uint32_t count = 0;

	ft_each_adjacent(n, &f->graph, observed)
		count += ft_side_of(intent, observed, n->vertex) == side;
	return count;
}

/* Above the leaves, a few switches with hosts are a kind of their own, because the others are not meant for hosts. */
static int hosting_find(struct writer *w)
{
	const struct ft_intent *intent = w->intent;
	uint32_t *all = ft_arena_numbers(memory_of(w), intent->ranks, 0);
	uint32_t *hosting = ft_arena_numbers(memory_of(w), intent->ranks, 0);

	w->hosting = ft_arena_zeros(memory_of(w), intent->ranks, sizeof(*w->hosting));
	if (memory_of(w)->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->count; i++) {
		all[intent->rank[i]]++;
		hosting[intent->rank[i]] += intent->f->hosts[i] > 0;
	}
	for (uint32_t rank = 1; rank < intent->ranks; rank++)
		w->hosting[rank] = hosting[rank] * 2 < all[rank];
	return 0;
}

/* The role by position in the graph. A switch that connects no others is just "switch". */
static const char *role_of(const struct writer *w, uint32_t observed)
{
	const struct ft_intent *intent = w->intent;
	uint32_t rank = intent->rank[observed], up = neighbours_on(intent, observed, FT_SIDE_UP);
	bool hosts = intent->f->hosts[observed] > 0 && w->hosting[rank];

	if (!intent->layered)
		return "switch";
	if (rank == 0)
		return "leaf";
	if (up + neighbours_on(intent, observed, FT_SIDE_DOWN) < 2)
		return "switch";
	if (up > 0)
		return hosts ? "hosting spine" : "spine";
	return hosts ? "hosting core" : "core";
}

/*
 * The rate of most hosts of each switch, if that is slower than what is expected of hosts: storage servers of an older
 * make, all on leaves of their own. @ret_rates: by observed switch; of unknown speed if nothing is to be said.
 */
static int hosts_rates_find(const struct ft_inference *f, struct ft_rate *ret_rates)
{
	enum { FEW = 4 };
	uint32_t *ports = ft_arena_numbers(f->memory, f->observed->host_count, 0);
	struct ft_rates_told all, told;

	if (!ports)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->host_count; i++)
		ports[i] = f->observed->hosts[i].switch_port;
	ft_infer_rates_at(f, ports, f->observed->host_count, &all);
	/* Hosts are listed switch by switch. */
	for (uint32_t i = 0, run; i < f->observed->host_count; i += run) {
		bool slower = all.count > 0;

		for (run = 1; i + run < f->observed->host_count; run++)
			if (f->observed->hosts[i + run].observed != f->observed->hosts[i].observed)
				break;
		ft_infer_rates_at(f, ports + i, run, &told);
		if (told.count == 0 || told.total < FEW || 2 * told.votes[0] <= told.total ||
		    ft_infer_rate_is_odd(told.rates[0]))
			continue;
		slower &= ft_rate_mbps(told.rates[0]) < ft_rate_mbps(all.rates[0]);
		for (uint32_t k = 0; k < f->rates.host_count; k++)
			slower &= ft_rate_mbps(told.rates[0]) < ft_rate_mbps(f->rates.hosts[k]);
		if (slower)
			ret_rates[f->observed->hosts[i].observed] = told.rates[0];
	}
	return 0;
}

/*
 * The names of kinds in the design; those of another make than most start with their rate ("4xDDR leaf"), or that of
 * their hosts ("4xDDR-hosts leaf").
 */
static int kinds_make(struct writer *w)
{
	struct ft_rate *hosts = ft_arena_zeros(memory_of(w), w->intent->count, sizeof(*hosts));

	w->kind = ft_arena_zeros(memory_of(w), w->intent->count, sizeof(*w->kind));
	if (memory_of(w)->failed || hosts_rates_find(w->intent->f, hosts) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->intent->count; i++) {
		struct ft_rate own = ft_infer_own_rate(w->intent->f, i);
		bool by_hosts = own.speed == FT_SPEED_UNKNOWN && hosts[i].speed != FT_SPEED_UNKNOWN;
		struct ft_rate rate = by_hosts ? hosts[i] : own;
		char name[FT_RATE_NAME_SIZE];

		snprintf(w->kind[i], sizeof(w->kind[i]), "%s%s%s",
			 rate.speed == FT_SPEED_UNKNOWN ? "" : ft_rate_name(rate, name),
			 rate.speed == FT_SPEED_UNKNOWN ? ""
			 : by_hosts			? "-hosts "
							: " ",
			 role_of(w, i));
	}
	return 0;
}

/* ---- names ---- */

bool ft_infer_name_is_plain(const char *name)
{
	bool known = false;
	size_t length;

	for (length = 0; name[length]; length++) {
		if (name[length] < ' ' || name[length] > '~' || name[length] == '[' || name[length] == ']')
			return false;
		known |= isalnum((unsigned char)name[length]) != 0;
	}
	return known && length <= NAME_SIZE_MAX;
}

/* Short names; switches without one of their own are identified by GUID. */
static int names_take(struct writer *w)
{
	for (uint32_t i = 0; i < w->intent->count; i++)
		w->name[i] = ft_infer_short_name(w->intent->f, i);
	w->by_guid = ft_infer_by_rule_names(w->intent->f);
	return memory_of(w)->failed || !w->by_guid ? -ENOMEM : 0;
}

/* "hosting spine" becomes "spine". */
static const char *kind_word(const struct writer *w, uint32_t observed)
{
	const char *kind = w->kind[observed], *blank = strrchr(kind, ' ');

	return blank ? blank + 1 : kind;
}

static int names_invent(struct writer *w)
{
	_cleanup_(ft_map_release) struct ft_map taken = {0};
	uint32_t number = 0;
	int digits = w->intent->count < 100 ? 2 : w->intent->count < 1000 ? 3 : 5;

	for (uint32_t i = 0; i < w->intent->count; i++)
		if (ft_map_add(&taken, ft_text_short_hash(w->name[i]), i, NULL) < 0)
			return -ENOMEM;
	for (uint32_t k = 0; k < w->intent->count; k++) {
		uint32_t observed = w->order[k];
		char name[KIND_SIZE + 16];
		int r;

		if (!w->by_guid[observed])
			continue;
		do {
			snprintf(name, sizeof(name), "%s-%0*u", kind_word(w, observed), digits, ++number);
			r = ft_map_add(&taken, ft_text_short_hash(name), observed, NULL);
		} while (r == 0);
		w->name[observed] = r < 0 ? NULL : ft_arena_string(memory_of(w), name);
		if (!w->name[observed])
			return -ENOMEM;
	}
	return 0;
}

/* From the hosts up, by kind, then in natural order, then by GUID. */
static int order_compare(const void *a, const void *b, void *context)
{
	const struct writer *w = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int r;

	if (w->intent->rank[x] != w->intent->rank[y])
		return w->intent->rank[x] < w->intent->rank[y] ? -1 : 1;
	r = strcmp(w->kind[x], w->kind[y]) ?: ft_text_natural_compare(w->name[x], w->name[y]);
	return r != 0 ? r : ft_infer_compare(w->intent->f, x, y);
}

static int names_make(struct writer *w)
{
	uint32_t count = w->intent->count;
	int r;

	w->name = ft_arena_zeros(memory_of(w), count, sizeof(*w->name));
	w->order = ft_arena_numbers(memory_of(w), count, 0);
	w->place = ft_arena_numbers(memory_of(w), count, 0);
	w->next = ft_arena_numbers(memory_of(w), count, 0);
	if (memory_of(w)->failed)
		return -ENOMEM;
	r = hosting_find(w) ?: kinds_make(w) ?: names_take(w);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < w->intent->count; i++)
		w->order[i] = i;
	qsort_r(w->order, w->intent->count, sizeof(*w->order), order_compare, w);
	for (uint32_t k = 0; k < w->intent->count; k++)
		w->place[w->order[k]] = k;
	return names_invent(w);
}

/* ---- switches ---- */

struct lines {
	struct ft_text *text;
	bool any;
};

static void line_add(struct lines *lines, const struct ft_text *item)
{
	ft_text_printf(lines->text, "%s\n\t\t%s", lines->any ? "," : "", ft_text_string(item));
	lines->text->failed |= item->failed;
	lines->any = true;
}

static void list_write(const struct writer *w, struct ft_text *text, const uint32_t *observed, uint32_t count)
{
	struct ft_name_list names = ft_name_list_of(memory_of(w), count);

	for (uint32_t i = 0; i < count; i++)
		ft_name_list_add(&names, w->name[observed[i]]);
	ft_name_list_write(text, &names);
}

/* ---- switches that nobody saw ---- */

/* True if some of a kind have hosts, so that another one without would count as one that cuts hosts off. */
static bool kind_hosts(const struct writer *w, const char *kind)
{
	for (uint32_t i = 0; i < w->intent->count; i++)
		if (w->intent->f->hosts[i] > 0 && strcmp(w->kind[i], kind) == 0)
			return true;
	return false;
}

static void absent_switches_write(const struct writer *w, struct lines *lines)
{
	for (uint32_t k = 0; k < w->intent->absent_count; k++) {
		_cleanup_(ft_text_release) struct ft_text item = {0};
		uint32_t like = w->intent->absent[k].like;

		ft_text_puts(&item, "{\"name\": ");
		ft_text_add_json(&item, w->intent->absent_name[k]);
		ft_text_printf(&item, ", \"kind\": \"%s%s\", \"ports\": %u, \"hosts\": 0}",
			       kind_hosts(w, w->kind[like]) ? "hostless " : "", w->kind[like],
			       ft_infer_ports(w->intent->f, like));
		line_add(lines, &item);
	}
}

/* The links of the missing switches: those of one that follow each other and are equally wide share a line. */
static void absent_links_write(const struct writer *w, struct lines *lines)
{
	for (uint32_t k = 0; k < w->intent->absent_count; k++) {
		const struct ft_absent *absent = &w->intent->absent[k];

		for (uint32_t i = 0, count; i < absent->count; i += count) {
			_cleanup_(ft_text_release) struct ft_text item = {0};

			for (count = 0; i + count < absent->count; count++) {
				if (absent->links[i + count].width != absent->links[i].width)
					break;
				w->next[count] = absent->links[i + count].observed;
			}
			ft_text_puts(&item, "{\"a\": ");
			ft_text_add_json(&item, w->intent->absent_name[k]);
			ft_text_puts(&item, ", \"b\": ");
			list_write(w, &item, w->next, count);
			ft_text_printf(&item, ", \"count\": %u}", absent->links[i].width);
			line_add(lines, &item);
		}
	}
}

static bool same_line(const struct writer *w, uint32_t a, uint32_t b)
{
	const struct ft_inference *f = w->intent->f;

	return w->intent->hosts[a] == w->intent->hosts[b] && ft_infer_ports(f, a) == ft_infer_ports(f, b) &&
	       strcmp(w->kind[a], w->kind[b]) == 0;
}

/* @guids: they identify switches. */
static void switch_line(const struct writer *w, struct lines *lines, const uint32_t *observed, uint32_t count,
			bool guids)
{
	_cleanup_(ft_text_release) struct ft_text item = {0};
	const struct ft_inference *f = w->intent->f;

	ft_text_puts(&item, "{\"name\": ");
	list_write(w, &item, observed, count);
	ft_text_printf(&item, ", \"kind\": \"%s\", \"ports\": %u, \"hosts\": %u", w->kind[observed[0]],
		       ft_infer_ports(f, observed[0]), w->intent->hosts[observed[0]]);
	if (guids && w->by_guid[observed[0]])
		ft_text_printf(&item, ", \"guid\": \"0x%016llx\"",
			       (unsigned long long)f->observed->switches[observed[0]].guid);
	ft_text_puts(&item, "}");
	line_add(lines, &item);
}

static int switches_write(struct writer *w, struct ft_text *text)
{
	bool *done = ft_arena_zeros(memory_of(w), w->intent->count, sizeof(*done));
	struct lines lines = {text, false};
	int guids = ft_infer_guids_usable(w->intent->f);

	if (guids < 0 || !done)
		return -ENOMEM;
	ft_text_puts(text, ",\n\t\"switches\": [");
	for (uint32_t k = 0; k < w->intent->count; k++) {
		uint32_t count = 0, observed = w->order[k];

		if (done[observed] || w->intent->stray[observed])
			continue;
		for (uint32_t i = k; i < w->intent->count; i++) {
			uint32_t other = w->order[i];
			bool alone = w->by_guid[observed] && guids > 0;

			if (alone ? i > k : w->intent->rank[other] != w->intent->rank[observed])
				break;
			if (done[other] || w->intent->stray[other] || (guids > 0 && w->by_guid[other] && !alone) ||
			    !same_line(w, observed, other))
				continue;
			done[other] = true;
			w->next[count++] = other;
		}
		switch_line(w, &lines, w->next, count, guids > 0);
	}
	absent_switches_write(w, &lines);
	ft_text_puts(text, "\n\t]");
	return 0;
}

/* ---- links ---- */

static int place_compare(const void *a, const void *b, void *context)
{
	const struct writer *w = context;
	uint32_t x = w->place[*(const uint32_t *)a], y = w->place[*(const uint32_t *)b];

	return FT_ORDER(x, y);
}

/* Pairs by their lower end in the order, then by width, then by the other end. */
static int pair_compare(const void *a, const void *b, void *context)
{
	const struct writer *w = context;
	const struct ft_meant *x = a, *y = b;
	uint32_t x_low = w->place[x->a] < w->place[x->b] ? w->place[x->a] : w->place[x->b];
	uint32_t y_low = w->place[y->a] < w->place[y->b] ? w->place[y->a] : w->place[y->b];

	if (x_low != y_low)
		return x_low < y_low ? -1 : 1;
	if (x->planned != y->planned)
		return x->planned < y->planned ? -1 : 1;
	x_low = w->place[x->a] ^ w->place[x->b] ^ x_low;
	y_low = w->place[y->a] ^ w->place[y->b] ^ y_low;
	return FT_ORDER(x_low, y_low);
}

static int fans_make(struct writer *w)
{
	const struct ft_intent *intent = w->intent;
	struct ft_meant *pairs = ft_arena_zeros(memory_of(w), intent->pair_count, sizeof(*pairs));
	struct fan *fan = NULL;

	w->fans = ft_arena_zeros(memory_of(w), intent->pair_count, sizeof(*w->fans));
	w->ends = ft_arena_numbers(memory_of(w), intent->pair_count, 0);
	if (memory_of(w)->failed)
		return -ENOMEM;
	if (intent->pair_count > 0)
		memcpy(pairs, intent->pairs, intent->pair_count * sizeof(*pairs));
	qsort_r(pairs, intent->pair_count, sizeof(*pairs), pair_compare, w);
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		bool a_first = w->place[pairs[i].a] < w->place[pairs[i].b];
		uint32_t from = a_first ? pairs[i].a : pairs[i].b;

		if (pairs[i].planned == 0)
			continue;
		if (!fan || fan->from != from || fan->width != pairs[i].planned) {
			fan = &w->fans[w->fan_count++];
			*fan = (struct fan){from, pairs[i].planned, w->end_count, 0};
		}
		w->ends[w->end_count++] = a_first ? pairs[i].b : pairs[i].a;
		fan->count++;
	}
	return 0;
}

/* Sorts fans of one width to the same ends together, those with the first ends first. */
static int fan_compare(const void *a, const void *b, void *context)
{
	const struct writer *w = context;
	const struct fan *x = a, *y = b;

	if (w->intent->rank[x->from] != w->intent->rank[y->from])
		return w->intent->rank[x->from] < w->intent->rank[y->from] ? -1 : 1;
	for (uint32_t i = 0; i < x->count && i < y->count; i++) {
		int r = place_compare(&w->ends[x->first + i], &w->ends[y->first + i], context);

		if (r != 0)
			return r;
	}
	return FT_ORDER(x->count, y->count) ?: FT_ORDER(x->width, y->width) ?: place_compare(&x->from, &y->from, context);
}

static bool same_ends(const struct writer *w, const struct fan *x, const struct fan *y)
{
	return x->width == y->width && x->count == y->count && w->intent->rank[x->from] == w->intent->rank[y->from] &&
	       memcmp(&w->ends[x->first], &w->ends[y->first], x->count * sizeof(*w->ends)) == 0;
}

static int links_write(struct writer *w, struct ft_text *text)
{
	struct lines lines = {text, false};
	int r = fans_make(w);

	if (r < 0)
		return r;
	qsort_r(w->fans, w->fan_count, sizeof(*w->fans), fan_compare, w);
	ft_text_puts(text, ",\n\t\"links\": [");
	for (uint32_t i = 0, count; i < w->fan_count; i += count) {
		const struct fan *fan = &w->fans[i];
		_cleanup_(ft_text_release) struct ft_text item = {0};

		for (count = 0; i + count < w->fan_count && same_ends(w, fan, fan + count); count++)
			w->next[count] = fan[count].from;
		ft_text_puts(&item, "{\"a\": ");
		list_write(w, &item, w->next, count);
		ft_text_puts(&item, ", \"b\": ");
		list_write(w, &item, &w->ends[fan->first], fan->count);
		ft_text_printf(&item, ", \"count\": %u}", fan->width);
		line_add(&lines, &item);
	}
	absent_links_write(w, &lines);
	ft_text_puts(text, "\n\t]");
	return 0;
}

/* ---- notes ---- */

/* Whether nearly all switches have equally many neighbours, though no family was recognised. */
static void regularity_tell(const struct ft_intent *intent, struct ft_text *why)
{
	enum { SWITCHES_MIN = 8, NEIGHBOURS_MIN = 3, PERCENT = 90 };
	struct ft_tally tally = {0};
	uint32_t usual;

	for (uint32_t i = 0; i < intent->count; i++)
		ft_tally_add(&tally, ft_adjacent_count(&intent->f->graph, i));
	usual = ft_tally_mode(&tally, 0);
	if (intent->count < SWITCHES_MIN || usual < NEIGHBOURS_MIN ||
	    (uint64_t)tally.votes[usual] * 100 < (uint64_t)intent->count * PERCENT)
		return;
	ft_text_printf(why,
		       "; %u of them have %u neighbours each, and no rule that is known here says which: so random "
		       "networks are",
		       tally.votes[usual], usual);
}

static void topology_tell(const struct ft_intent *intent, struct ft_text *why)
{
	const struct ft_inference *f = intent->f;

	ft_text_printf(why, "%u switch%s and %u bundle%s of cables between them, no plain tree: ", intent->count,
		       ft_text_es(intent->count), intent->pair_count, ft_text_s(intent->pair_count));
	ft_text_puts(why, ft_intent_has_faults(intent) ? "planned as they were seen but for what \"links\" says"
						       : "planned as they were seen, nothing was held to be missing");
	if (f->observed->part_count > 1)
		ft_text_printf(why, "; they are %u parts that are not cabled to each other", f->observed->part_count);
	else if (!intent->layered)
		regularity_tell(intent, why);
}

static void why_write(const struct writer *w, struct ft_text *text)
{
	_cleanup_(ft_text_release) struct ft_text topology = {0};

	topology_tell(w->intent, &topology);
	ft_text_puts(text, ",\n\t\"why\": {\n\t\t\"topology\": ");
	ft_text_add_json(text, ft_text_string(&topology));
	text->failed |= topology.failed;
	ft_infer_by_rule_notes(w->intent->f, w->intent, text);
	ft_text_puts(text, "\n\t}");
}

int ft_intent_write(struct ft_text *text, const struct ft_intent *intent, const char *name)
{
	struct writer w = {.intent = intent};
	int r = names_make(&w);

	if (r < 0)
		return r;
	ft_infer_write_head(text, intent->f->snapshot, name);
	why_write(&w, text);
	ft_text_puts(text, ",\n\t\"topology\": \"graph\"");
	if (intent->host_total > 0)
		ft_text_printf(text, ",\n\t\"nodes\": %u", intent->host_total);
	ft_infer_write_rates(text, intent->f);
	r = switches_write(&w, text) ?: links_write(&w, text);
	ft_text_puts(text, "\n}\n");
	return r < 0 || ft_text_failed(text) ? -ENOMEM : 0;
}
