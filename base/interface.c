/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/interface.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/text.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The bytes before the number at the end of a name. */
static size_t prefix_length(const char *name)
{
	size_t length = strlen(name);

	while (length > 0 && is_digit(name[length - 1]))
		length--;
	return length;
}

/* The number at the end of a name; 0: there is none, or none that a port has. */
static uint16_t number_at_end(const char *name)
{
	const char *digits = name + prefix_length(name);
	unsigned long number;

	digits += strspn(digits, "0");
	if (strlen(digits) > 3)
		return 0;
	number = strtoul(digits, NULL, 10);
	return number <= FT_INTERFACE_NUMBER_MAX ? (uint16_t)number : 0;
}

struct interface {
	const char *name;
	size_t index;	/* in the caller's order */
	size_t prefix;	/* bytes */
	size_t sharing; /* how many have this prefix */
};

static int by_prefix(const void *a, const void *b)
{
	const struct interface *x = a, *y = b;
	size_t least = x->prefix < y->prefix ? x->prefix : y->prefix;
	int r = memcmp(x->name, y->name, least);

	return r != 0 ? r : (x->prefix > y->prefix) - (x->prefix < y->prefix);
}

static int by_weight(const void *a, const void *b)
{
	const struct interface *x = a, *y = b;

	if (x->sharing != y->sharing)
		return x->sharing > y->sharing ? -1 : 1;
	return ft_text_natural_compare(x->name, y->name);
}

static void prefixes_count(struct interface *all, size_t count)
{
	qsort(all, count, sizeof(*all), by_prefix);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && by_prefix(&all[i], &all[end]) == 0; end++)
			;
		for (size_t k = i; k < end; k++)
			all[k].sharing = end - i;
	}
}

/* Those whose own number is taken, or that have none: upwards from @next, then the lowest free ones. */
static void rest_number(const struct interface *all, size_t count, bool taken[], unsigned int next,
			uint16_t *ret_numbers)
{
	for (size_t i = 0; i < count; i++) {
		if (ret_numbers[all[i].index] != 0)
			continue;
		if (next > FT_INTERFACE_NUMBER_MAX)
			next = 1;
		while (taken[next])
			next = next % FT_INTERFACE_NUMBER_MAX + 1;
		taken[next] = true;
		ret_numbers[all[i].index] = (uint16_t)next++;
	}
}

int ft_interfaces_number(const char *const *names, size_t count, uint16_t *ret_numbers)
{
	_cleanup_free_ struct interface *all = calloc(count + 1, sizeof(*all));
	bool taken[FT_INTERFACE_NUMBER_MAX + 1] = {false};
	unsigned int highest = 0;

	if (!all)
		return -ENOMEM;
	if (count > FT_INTERFACE_NUMBER_MAX)
		return -E2BIG;
	for (size_t i = 0; i < count; i++)
		all[i] = (struct interface){names[i], i, prefix_length(names[i]), 0};
	prefixes_count(all, count);
	qsort(all, count, sizeof(*all), by_weight);
	for (size_t i = 0; i < count; i++) {
		uint16_t number = number_at_end(all[i].name);

		number = taken[number] ? 0 : number;
		taken[number] = number > 0;
		highest = number > highest ? number : highest;
		ret_numbers[all[i].index] = number;
	}
	rest_number(all, count, taken, highest + 1, ret_numbers);
	return 0;
}

uint64_t ft_interface_hash(const char *name)
{
	/* Any beginning of so many letters before a slash; "Et4" too, but a host's "eth0" is no Ethernet0. */
	static const struct {
		const char *whole;
		size_t least;
	} forms[] = {
		{"ethernet", 2},       {"fastethernet", 2},	    {"gigabitethernet", 2}, {"tengigabitethernet", 2},
		{"twentyfivegige", 3}, {"fortygigabitethernet", 2}, {"hundredgige", 2},
	};
	size_t letters = strcspn(name, "0123456789");
	const char *whole = NULL;
	char small[512] = "";
	size_t length = 0;

	for (size_t i = 0; i < FT_COUNT(forms) && name[letters]; i++)
		if (letters >= forms[i].least && strncasecmp(name, forms[i].whole, letters) == 0 &&
		    (strchr(name, '/') || letters == 2))
			whole = forms[i].whole;
	for (; whole && whole[length]; length++)
		small[length] = whole[length];
	for (size_t i = whole ? letters : 0; name[i] && length < sizeof(small); i++)
		small[length++] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + ('a' - 'A') : name[i]);
	return ft_hash_bytes(small, length);
}

bool ft_interfaces_are_numbered(const char *const *names, size_t count, size_t *ret_prefix)
{
	bool taken[FT_INTERFACE_NUMBER_MAX + 1] = {false};
	size_t prefix = count ? prefix_length(names[0]) : 0;

	for (size_t i = 0; i < count; i++) {
		uint16_t number = number_at_end(names[i]);

		if (number == 0 || taken[number] || names[i][prefix_length(names[i])] == '0' ||
		    prefix_length(names[i]) != prefix || memcmp(names[i], names[0], prefix) != 0)
			return false;
		taken[number] = true;
	}
	*ret_prefix = prefix;
	return true;
}

/* One of @prefixes and a digit behind it. */
static bool begins_numbered(const char *name, const char *const *prefixes)
{
	for (; *prefixes; prefixes++) {
		size_t length = strlen(*prefixes);

		if (strncmp(name, *prefixes, length) == 0 && is_digit(name[length]))
			return true;
	}
	return false;
}

bool ft_interface_is_adapter(const char *name)
{
	/* Source: systemd.net-naming-scheme(7), and the names that the kernel and biosdevname give. */
	static const char *const prefixes[] = {"eth",  "eno", "ens", "enp", "enP", "em", "bond", "team",
					       "wlan", "wlp", "ib",  "ibp", "ibs", "p",	 NULL};

	return begins_numbered(name, prefixes) || (strncmp(name, "enx", 3) == 0 && strlen(name) == 15);
}

bool ft_interface_is_management(const char *name, bool on_switch)
{
	/* Cisco and SONiC; Arista and its short form; Junos; Dell. */
	static const char *const words[] = {"mgmt", "management", "ma", "fxp", "me", "bmc", "oob"};
	size_t length = prefix_length(name);

	for (size_t i = 0; i < FT_COUNT(words); i++)
		if (strncasecmp(name, words[i], strlen(words[i])) == 0 &&
		    (length == strlen(words[i]) || strchr("-_/", name[strlen(words[i])])))
			return true;
	return on_switch && strcmp(name, "eth0") == 0;
}

bool ft_interface_is_virtual(const char *name)
{
	/* Linux and what runs on it; Arista, Cisco and Dell; Junos; HPE. */
	static const char *const words[] = {
		"bond", "team",	   "br",   "virbr",    "vmbr", "lxcbr", "lxdbr", "bridge",	 "docker",
		"cni",	"flannel", "vlan", "vxlan",    "irb",  "ae",	"po",	 "port-channel", "bridge-aggregation",
		"lag",	"trk",	   "lo",   "loopback",
	};
	size_t length = prefix_length(name);

	for (size_t i = 0; i < FT_COUNT(words); i++)
		if (length == strlen(words[i]) && strncasecmp(name, words[i], length) == 0)
			return true;
	return strncmp(name, "br-", 3) == 0 || strncmp(name, "ovs-", 4) == 0;
}

size_t ft_interface_port_length(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (!dot || dot == name || !is_digit(dot[-1]) || !is_digit(dot[1]) || dot[1 + strspn(dot + 1, "0123456789")] ||
	    memchr(name, '.', (size_t)(dot - name)))
		return strlen(name);
	return (size_t)(dot - name);
}

size_t ft_machine_short_length(const char *name)
{
	size_t label = strcspn(name, ".");

	/* An address has no domain, and a name that begins with a dot would have no name. */
	return label == 0 || strspn(name, "0123456789") == label ? strlen(name) : label;
}
