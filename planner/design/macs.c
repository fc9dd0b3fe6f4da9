/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * "macs": the Ethernet addresses of hosts. A list has an entry for each, which says the host, or its port; a bare
 * address is that of the next host in the plan's order. An object has hosts by name, and the address or addresses of
 * each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mac.h"
#include "planner/design/design_parts.h"
#include "planner/ethernet/macs.h"

enum { NAME_SIZE_MAX = 64 };

static int key_mac(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	const char *string = json_string_value(at->value);
	int r;

	if (!string)
		return ft_key_error(reader, at, "must be an address such as \"02:00:5e:10:00:01\", not %s",
				    ft_key_type_name(at->value));
	r = ft_mac_read(string, out);
	if (r == -ERANGE)
		return ft_key_error(reader, at, "is \"%s\", which is no address of a single port", string);
	return r < 0 ? ft_key_error(reader, at, "is \"%s\"; an address is such as \"02:00:5e:10:00:01\"", string) : 0;
}

static int key_entry(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"mac", key_mac, offsetof(struct ft_design_mac, mac), 0, 0, "the address"},
		{"host", ft_key_string, offsetof(struct ft_design_mac, host), 0, NAME_SIZE_MAX, NULL},
		{"edge", ft_key_string, offsetof(struct ft_design_mac, edge.name), 0, NAME_SIZE_MAX, NULL},
		{"port", ft_key_count, offsetof(struct ft_design_mac, edge.port), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	};
	struct ft_design_mac *entry = out;
	int r;

	if (json_is_string(at->value))
		return key_mac(reader, at, &entry->mac);
	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), entry);
	if (r == 0 && (entry->edge.name == NULL) != (entry->edge.port == 0))
		return ft_key_error(reader, at, "must say both \"edge\" and \"port\", or \"host\" in their place");
	if (r == 0 && (entry->host == NULL) == (entry->edge.name == NULL))
		return ft_key_error(reader, at, "must say whose address it is: \"host\", or \"edge\" and \"port\"");
	return r;
}

static int macs_make_room(struct ft_design *design, size_t count)
{
	design->macs = calloc(count + 1, sizeof(*design->macs));
	if (!design->macs)
		return -ENOMEM;
	design->mac_count = count;
	return 0;
}

/* One address, or a list of them. */
static int host_read(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_design_mac *entries)
{
	size_t count = json_is_array(at->value) ? json_array_size(at->value) : 1;
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		struct ft_key_at element = json_is_array(at->value) ? ft_key_element(at, i) : *at;

		entries[i].host = strdup(at->key);
		r = entries[i].host ? key_mac(reader, &element, &entries[i].mac) : -ENOMEM;
	}
	return r;
}

static int hosts_read(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_design *design)
{
	size_t count = 0;
	const char *name;
	json_t *value;
	int r;

	json_object_foreach(at->value, name, value)
		count += json_is_array(value) ? json_array_size(value) : 1;
	r = macs_make_room(design, count);
	count = 0;
	json_object_foreach(at->value, name, value) {
		struct ft_key_at member = {.parent = at->value, .key = name, .value = value, .rule = at->rule};

		if (r < 0)
			break;
		if (json_is_array(value) && json_array_size(value) == 0)
			r = ft_key_error(reader, &member, "must have one address at least");
		else
			r = host_read(reader, &member, &design->macs[count]);
		count += json_is_array(value) ? json_array_size(value) : 1;
	}
	return r;
}

int ft_design_key_macs(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;
	int r;

	if (json_is_object(at->value))
		return hosts_read(reader, at, design);
	r = ft_key_expect_filled_list(reader, at);
	if (r == 0)
		r = macs_make_room(design, json_array_size(at->value));
	return r < 0 ? r : ft_key_read_elements(reader, at, key_entry, sizeof(*design->macs), design->macs);
}

void ft_design_macs_release(struct ft_design_mac *macs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(macs[i].host);
		free(macs[i].edge.name);
	}
	free(macs);
}

/* The entry at fault is an element of the list, or belongs to a host of the object. */
static int fault_tell(const struct ft_key_reader *reader, const struct ft_design *design, size_t fault,
		      const char *text)
{
	json_t *root = reader->json.root, *macs = json_object_get(root, "macs");

	if (fault >= design->mac_count)
		return ft_json_error_key(&reader->json, reader->err, root, "macs", "%s", text);
	if (json_is_object(macs))
		return ft_json_error_key(&reader->json, reader->err, macs, design->macs[fault].host, "%s", text);
	return ft_json_error_element(&reader->json, reader->err, macs, fault, "element %zu of \"macs\": %s", fault + 1,
				     text);
}

int ft_design_check_macs(const struct ft_key_reader *reader, const struct ft_design *design, const struct ft_plan *plan)
{
	_cleanup_(ft_macs_release) struct ft_macs macs = {0};
	struct ft_plan tree = ft_plan_tree(plan);
	struct ft_error why = {0};
	size_t fault = SIZE_MAX;
	int r;

	if (!design->macs)
		return 0;
	r = ft_macs_make(&tree, design->macs, design->mac_count, &macs, &fault, &why);
	return r == -EINVAL ? fault_tell(reader, design, fault, why.text) : r;
}
