/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* VLANs, addresses and tables of Ethernet plans. The whole program is tested by tests/ethernet_plan.py. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mac.h"
#include "planner/write/walk.h"
#include "planner/write/ethernet.h"
#include "tests/allocations.h"

#define HEAD "{\"ftcheck\": 1, \"name\": \"t\", \"technology\": \"ethernet\", "

/* ---- addresses ---- */

static const struct {
	const char *written;
	int result;
	uint64_t mac;
} macs[] = {
	{"02:00:5e:10:00:01", 0, 0x02005e100001}, {"02:00:5E:10:00:01", 0, 0x02005e100001},
	{"02-00-5e-10-00-01", 0, 0x02005e100001}, {"0200.5e10.0001", 0, 0x02005e100001},
	{"02005e100001", 0, 0x02005e100001},	  {"02:00-5e:10:00:01", -EINVAL, 0},
	{"02:00:5e:10:00", -EINVAL, 0},		  {"02:00:5e:10:00:01:", -EINVAL, 0},
	{"02:00:5e:10:00:01:02", -EINVAL, 0},	  {"2:0:5e:10:0:1", -EINVAL, 0},
	{"02:00:5e:10:00:0g", -EINVAL, 0},	  {"", -EINVAL, 0},
	{"ff:ff:ff:ff:ff:ff", -ERANGE, 0},	  {"01:00:5e:00:00:01", -ERANGE, 0},
	{"00:00:00:00:00:00", -ERANGE, 0},
};

static void test_macs(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(macs); i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};
		uint64_t mac = 7;

		assert_int_equal(ft_mac_read(macs[i].written, &mac), macs[i].result);
		assert_int_equal(mac, macs[i].result == 0 ? macs[i].mac : 7);
		if (macs[i].result < 0)
			continue;
		ft_mac_add(&text, mac);
		assert_string_equal(ft_text_string(&text), "02:00:5e:10:00:01");
	}
}

/* ---- VLANs ---- */

/* What a design must come to; @entries of an L1 switch. */
static const struct {
	const char *keys;
	uint32_t count, lowers, uppers, most, sharing, idle, entries;
} systems[] = {
	{"\"nodes\": 32, \"edge\": {\"ports\": 8}}", 4, 8, 4, 1, 1, 0, 128},
	{"\"nodes\": 144, \"edge\": {\"ports\": 48}, \"core\": {\"count\": 4}}", 24, 6, 4, 6, 1, 0, 3456},
	{"\"nodes\": 144, \"edge\": {\"ports\": 48}}", 24, 6, 3, 8, 1, 0, 3456},
	{"\"topology\": \"clos\", \"m\": 4, \"n\": 24, \"r\": 6, \"edge\": {\"ports\": 48}}", 24, 6, 4, 6, 1, 0, 3456},
	{"\"topology\": \"clos\", \"m\": 4, \"n\": 24, \"r\": 6, \"bundle\": 1, \"edge\": {\"ports\": 48}}", 4, 6, 4, 1,
	 6, 0, 576},
	{"\"nodes\": 528, \"edge\": {\"ports\": 48}}", 24, 22, 12, 2, 1, 0, 12672},
	{"\"nodes\": 1152, \"edge\": {\"ports\": 48}}", 24, 48, 24, 1, 1, 0, 27648},
	/* Twice as many hosts as uplinks: two share a VLAN. */
	{"\"nodes\": 96, \"edge\": {\"ports\": 48}, \"blocking\": 2}", 16, 3, 1, 16, 2, 0, 1536},
	/* More uplinks than hosts: what is left over stays closed, and the L2 switches as alike as can be. */
	{"\"nodes\": 40, \"topology\": \"fat-tree\", \"edge\": {\"ports\": 48, \"count\": 2, \"ports_to_nodes\": 20, "
	 "\"ports_to_core\": 24}, \"core\": {\"count\": 3}}",
	 20, 2, 3, 7, 1, 8, 800},
	{"\"nodes\": 20, \"edge\": {\"ports\": 36}}", 1, 1, 0, 0, 20, 0, 20},
};

static void test_systems(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(systems); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_vlans_release) struct ft_vlans v = {0};
		struct ft_error err = {0};
		char text[512];

		snprintf(text, sizeof(text), HEAD "%s", systems[i].keys);
		if (ft_design_read(text, strlen(text), &design, &plan, &err) < 0 ||
		    ft_vlans_make(plan, 1, &v, &err) < 0)
			fail_msg("%s: %s", text, err.text);
		assert_int_equal(v.count, systems[i].count);
		assert_int_equal(v.lowers, systems[i].lowers);
		assert_int_equal(v.uppers, systems[i].uppers);
		assert_int_equal(v.most, systems[i].most);
		assert_int_equal(v.sharing, systems[i].sharing);
		assert_int_equal(v.idle, systems[i].idle);
		assert_int_equal(ft_vlans_entries(&v, 0), systems[i].entries);
	}
}

/* ---- memory ---- */

static void small_read(struct ft_design **design, struct ft_plan **plan)
{
	static const char text[] =
		HEAD "\"nodes\": 5, \"edge\": {\"ports\": 4}, \"core\": {\"ports\": 4}, \"macs\": {\"node001\": "
		     "[\"02:00:00:00:00:11\", \"02:00:00:00:00:12\"], \"node002\": \"02:00:00:00:00:13\", \"node003\": "
		     "\"02:00:00:00:00:14\", \"node004\": \"02:00:00:00:00:15\", \"node005\": \"02:00:00:00:00:16\"}}";
	struct ft_error err = {0};

	if (ft_design_read(text, sizeof(text) - 1, design, plan, &err) < 0)
		fail_msg("%s", err.text);
}

static int write_all(const struct ft_ethernet *e, const struct ft_tables *tables)
{
	static ft_ethernet_writer *const writers[] = {ft_write_vlans, ft_write_macs, ft_write_linux_bridge,
						      ft_write_openvswitch, ft_write_switch_settings};
	_cleanup_(ft_table_walk_release) struct ft_table_walk walk = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_walked walked = {e, tables, &walk};
	int r = 0;

	for (size_t i = 0; r == 0 && i < FT_COUNT(writers); i++)
		r = writers[i](&text, e, FT_NONE);
	if (r == 0)
		r = ft_table_walk(e, tables, &walk);
	if (r == 0)
		r = ft_write_walk(&text, &walked);
	if (r == 0)
		r = ft_write_walk_json(&text, &walked);
	if (r == 0)
		r = ft_write_walk_csv(&text, &walked);
	return r;
}

static int do_all(const struct ft_design *design, const struct ft_plan *plan, const char *const *paths)
{
	_cleanup_(ft_ethernet_release) struct ft_ethernet e = {0};
	_cleanup_(ft_tables_release) struct ft_tables tables = {0};
	struct ft_error err = {0};
	int r = ft_ethernet_make(design, plan, &e, &err);

	if (r == 0)
		r = ft_tables_load(&e.plan, &e.vlans, &e.macs, paths, 2, &tables, &err);
	return r < 0 ? r : write_all(&e, &tables);
}

static void file_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void test_no_memory(void **state)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	char directory[] = "ft-ethernet-XXXXXX", vlans[64], entries[64];
	const char *const paths[] = {vlans, entries};
	size_t failing = 0;
	int r;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(vlans, sizeof(vlans), "%s/vlans.csv", directory);
	snprintf(entries, sizeof(entries), "%s/macs.csv", directory);
	file_write(vlans, "switch,port,pvid,tagged,untagged\nedge001,1,1,,1 2\nedge001,3,,1 2,\ncore01,1,,1,\n");
	file_write(entries, "switch,vlan,mac,port\nedge001,1,02:00:00:00:00:11,1\nedge001,1,02:00:00:00:00:11,2\n");
	small_read(&design, &plan);
	do {
		allocation_failing = ++failing;
		r = do_all(design, plan, paths);
		allocation_failing = 0;
		if (r < 0 && r != -ENOMEM)
			fail_msg("allocation %zu: %d", failing, r);
	} while (r < 0);
	assert_true(failing > 30);
	unlink(vlans);
	unlink(entries);
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_macs),
		cmocka_unit_test(test_systems),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
