/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target: any bytes are a list of cables, or an error with a place; brought together with a plan, that is one
 * which its design gives again, or an error with a place. Seeds: tests/data/fuzz_sheet/.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/write/formats.h"
#include "planner/site/site.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth)
{
	if (!truth)
		abort();
}

/* Nothing is bound, by name, by patterns; three levels; not all cables. */
static const char *const designs[] = {
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":8,\"edge\":{\"ports\":8,\"count\":2,\"ports_to_nodes\":4},\"core\":{"
	"\"ports\":6,\"count\":2}}",
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":8,\"edge\":{\"ports\":8,\"count\":2,\"ports_to_nodes\":4},\"core\":{"
	"\"ports\":6,\"count\":2},\"cables_complete\":false,\"bind\":{\"edge\":[\"leaf1\",\"leaf2\"],\"core\":["
	"\"0xc1\","
	"\"0xc2\"]},\"names\":[{\"match\":\"^c(.)$\",\"as\":\"0xc\\\\1\"}]}",
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":8,\"edge\":{\"ports\":8,\"count\":2,\"ports_to_nodes\":4},\"core\":{"
	"\"ports\":6,\"count\":2},\"bind\":{\"edge\":{\"match\":\"^l\"},\"core\":{\"match\":\"^[st]\"}},\"expect\":{"
	"\"unplanned\":[\"^mgmt\"]}}",
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":8,\"pods\":2,\"edge\":{\"ports\":4,\"count\":4},"
	"\"spine\":{"
	"\"ports\":4,\"count\":4},\"core\":{\"ports\":4,\"count\":2}}",
};

static const struct ft_site_switch seen[] = {{"MF0;leaf1:X/U1", 1}, {"leaf2", 2}, {"MF0;spine1:X/U1", 0xc1}, {"", 3}};

static void import(const char *text, const struct ft_sheet *sheet, size_t seen_count)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL, *again = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL, *same = NULL;
	_cleanup_(ft_text_release) struct ft_text faults = {0}, notes = {0}, one = {0}, other = {0};
	struct ft_error err = {0};
	int r;

	check(ft_design_read(text, strlen(text), &design, &plan, &err) == 0);
	r = ft_site_import(design, plan, sheet, seen, seen_count, &faults, &notes, &err);
	if (r < 0) {
		check(r == -EINVAL && err.line >= 1 && err.column >= 1 && err.text[0]);
		return;
	}
	check(notes.length > 0);
	check(ft_design_read(design->text, design->text_length, &again, &same, &err) == 0);
	ft_plan_write_json(&one, plan, 0);
	ft_plan_write_json(&other, same, 0);
	check(one.length == other.length && memcmp(one.data, other.data, one.length) == 0);
	check(plan->cable_count == same->cable_count && plan->host_count == same->host_count);
	check(plan->cable_count == 0 ||
	      memcmp(plan->cables, same->cables, plan->cable_count * sizeof(*plan->cables)) == 0);
	r = ft_write_cables(&notes, design, plan, NULL, &err);
	check(r == 0 || (r == -EINVAL && err.text[0]));
	r = ft_write_ibsim(&notes, design, plan, NULL, &err);
	check(r == 0 || (r == -EINVAL && err.text[0]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(ft_sheet_release) struct ft_sheet sheet = {0};
	struct ft_error err = {0};

	if (ft_sheet_read((const char *)data, size, &sheet, &err) < 0) {
		check(!sheet.bytes && err.line >= 1 && err.column >= 1 && err.text[0]);
		return 0;
	}
	check(sheet.row_count > 0 && sheet.bytes);
	for (size_t i = 0; i < FT_COUNT(designs); i++) {
		import(designs[i], &sheet, 0);
		import(designs[i], &sheet, FT_COUNT(seen));
	}
	return 0;
}
