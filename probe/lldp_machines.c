/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which machine a name is. The key of a machine is its name in small letters: without its domain, unless names of two
 * domains have that short name, for then the long names are two machines (and the short one alone is a third, as it
 * could be either). A neighbour without a name is the machine that elsewhere has its chassis id, or one of its own.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/interface.h"
#include "probe/lldp_parts.h"

enum { SEVERAL = UINT32_MAX - 1 };

/* The hash of the first @length bytes in small letters. */
static uint64_t letters_hash(const char *name, size_t length)
{
	char small[FT_LLDP_STRING_MAX];

	for (size_t i = 0; i < length; i++)
		small[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + ('a' - 'A') : name[i]);
	return ft_hash_bytes(small, length);
}

/* Long names by the hash of their short ones: the first long one, by its number; and which short names have several. */
struct domains {
	struct ft_map first; /* hash of the short name -> index into hashes[] */
	struct ft_map several;
	uint64_t *hashes; /* of the long names */
	uint32_t count, size;
};

static void domains_release(struct domains *d)
{
	ft_map_release(&d->first);
	ft_map_release(&d->several);
	free(d->hashes);
}

static int domain_add(struct domains *d, const char *name)
{
	size_t length = strlen(name), brief = ft_machine_short_length(name);
	uint64_t whole;
	uint32_t at;
	int r;

	if (brief == length)
		return 0;
	whole = letters_hash(name, length);
	r = ft_lldp_reserve(&d->hashes, d->count, &d->size, sizeof(*d->hashes));
	if (r == 0)
		r = ft_map_add(&d->first, letters_hash(name, brief), d->count, &at);
	if (r < 0)
		return r;
	if (r > 0)
		d->hashes[d->count++] = whole;
	else if (d->hashes[at] != whole)
		r = ft_map_add(&d->several, letters_hash(name, brief), 0, NULL);
	return r < 0 ? r : 0;
}

static int domains_collect(const struct ft_lldp *l, struct domains *d)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < l->record_count; i++)
		r = domain_add(d, ft_lldp_string(l, l->records[i].name));
	for (uint32_t i = 0; r == 0 && i < l->heard_count; i++)
		r = domain_add(d, ft_lldp_string(l, l->heard[i].name));
	return r;
}

/* Bytes of a name that tell the machine. */
static size_t telling_length(const struct domains *d, const char *name)
{
	size_t brief = ft_machine_short_length(name);

	return ft_map_get(&d->several, letters_hash(name, brief)) == FT_NONE ? brief : strlen(name);
}

/* The machine of that key; a new one is called by the first @length bytes of @name. */
static int machine_find(struct ft_lldp *l, uint64_t key, const char *name, size_t length, uint32_t *ret_machine)
{
	char copy[FT_LLDP_STRING_MAX + 1];
	struct ft_lldp_machine *machine;
	uint32_t offset;
	int r = ft_map_add(&l->machine_by_key, key, l->machine_count, ret_machine);

	if (r <= 0)
		return r;
	memcpy(copy, name, length);
	copy[length] = '\0';
	r = ft_lldp_reserve(&l->machines, l->machine_count, &l->machine_size, sizeof(*l->machines));
	if (r == 0)
		r = ft_lldp_string_add(l, copy, &offset);
	if (r < 0)
		return r;
	machine = &l->machines[l->machine_count++];
	*machine = (struct ft_lldp_machine){.name = offset, .adapters_only = true};
	return 0;
}

static int named_find(struct ft_lldp *l, const struct domains *d, uint32_t offset, uint32_t *ret_machine)
{
	const char *name = ft_lldp_string(l, offset);
	size_t length = telling_length(d, name);

	return machine_find(l, letters_hash(name, length), name, length, ret_machine);
}

/* Keys of chassis ids are kept apart from those of names. */
static uint64_t chassis_key(const struct ft_lldp *l, uint32_t chassis)
{
	const char *string = ft_lldp_string(l, chassis);

	return ft_hash_pair(letters_hash(string, strlen(string)), 1);
}

/* A neighbour without a name is called by the value of its chassis id. */
static int nameless_find(struct ft_lldp *l, const struct ft_map *by_chassis, struct ft_lldp_heard *heard)
{
	const char *chassis = ft_lldp_string(l, heard->chassis), *value = strchr(chassis, ' ');
	uint64_t key = chassis_key(l, heard->chassis);

	heard->to = ft_map_get(by_chassis, key);
	if (heard->to != FT_NONE)
		return 0;
	value = value && value[1] ? value + 1 : chassis;
	return machine_find(l, key, value, strlen(value), &heard->to);
}

static int heard_tell(struct ft_lldp *l, const struct domains *d)
{
	_cleanup_(ft_map_release) struct ft_map by_chassis = {0};
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < l->record_count; i++) {
		uint32_t machine = 0;

		r = named_find(l, d, l->records[i].name, &machine);
		if (r < 0)
			break;
		l->machines[machine].own = true;
		if (l->records[i].time_ns > l->machines[machine].time_ns)
			l->machines[machine].time_ns = l->records[i].time_ns;
	}
	for (uint32_t i = 0; r >= 0 && i < l->heard_count; i++) {
		struct ft_lldp_heard *heard = &l->heard[i];

		r = named_find(l, d, heard->machine_name, &heard->from);
		if (r == 0 && heard->name)
			r = named_find(l, d, heard->name, &heard->to);
		if (r == 0 && heard->name && heard->chassis)
			r = ft_map_add(&by_chassis, chassis_key(l, heard->chassis), heard->to, NULL);
	}
	for (uint32_t i = 0; r >= 0 && i < l->heard_count; i++)
		if (!l->heard[i].name)
			r = nameless_find(l, &by_chassis, &l->heard[i]);
	return r < 0 ? r : 0;
}

/*
 * Which records are void: see lldp.h. @state, by machine: whether one that it names is known to live with it, and
 * whether one that handed its own record over later misses it.
 */
enum { LIVES = 1, MISSED = 2 };
#define BEGINS_NS INT64_C(3000000000)

static int voids_tell(const struct ft_lldp *l, uint8_t *state)
{
	_cleanup_(ft_map_release) struct ft_map pairs = {0};
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < l->heard_count; i++)
		r = ft_map_add(&pairs, ft_hash_pair(l->heard[i].from, l->heard[i].to), 0, NULL);
	for (uint32_t i = 0; r >= 0 && i < l->heard_count; i++) {
		uint32_t from = l->heard[i].from, to = l->heard[i].to;
		const struct ft_lldp_machine *far = &l->machines[to];

		if (from == to || !far->own)
			continue;
		if (far->time_ns <= l->machines[from].time_ns + BEGINS_NS ||
		    ft_map_get(&pairs, ft_hash_pair(to, from)) != FT_NONE)
			state[from] |= LIVES;
		else
			state[from] |= MISSED;
	}
	return r < 0 ? r : 0;
}

static int voids_drop(struct ft_lldp *l)
{
	_cleanup_free_ uint8_t *state = calloc(l->machine_count + 1UL, sizeof(*state));
	uint32_t kept = 0;
	int r = state ? voids_tell(l, state) : -ENOMEM;

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < l->machine_count; i++)
		l->machines[i].own &= state[i] != MISSED;
	for (uint32_t i = 0; i < l->heard_count; i++)
		if (state[l->heard[i].from] != MISSED)
			l->heard[kept++] = l->heard[i];
	l->heard_count = kept;
	return 0;
}

static void roles_collect(struct ft_lldp *l)
{
	for (uint32_t i = 0; i < l->heard_count; i++) {
		struct ft_lldp_machine *machine = &l->machines[l->heard[i].to];

		machine->bridge |= l->heard[i].role == FT_LLDP_ROLE_BRIDGE;
		machine->mundane |= l->heard[i].role == FT_LLDP_ROLE_STATION;
	}
}

/* "a2:d7:ef:3e:a9:3d" as a number; 0: this is no MAC address. */
static uint64_t mac_read(const char *name)
{
	unsigned int bytes[6];
	uint64_t mac = 0;
	int end = 0;

	if (sscanf(name, "%2x:%2x:%2x:%2x:%2x:%2x%n", &bytes[0], &bytes[1], &bytes[2], &bytes[3], &bytes[4], &bytes[5],
		   &end) != 6 ||
	    name[end])
		return 0;
	for (unsigned int i = 0; i < 6; i++)
		mac = mac << 8 | bytes[i];
	return mac;
}

/* Stable: the checksum of the name in small letters. No two machines have the same, whatever their names. */
static int guids_give(struct ft_lldp *l)
{
	_cleanup_(ft_map_release) struct ft_map taken = {0};

	for (uint32_t i = 0; i < l->machine_count; i++) {
		struct ft_lldp_machine *machine = &l->machines[i];
		const char *name = ft_lldp_string(l, machine->name);
		char small[FT_LLDP_STRING_MAX + 1] = "";
		int r = 0;

		for (size_t c = 0; name[c]; c++)
			small[c] = (char)(name[c] >= 'A' && name[c] <= 'Z' ? name[c] + ('a' - 'A') : name[c]);
		machine->guid = mac_read(small);
		machine->guid = machine->guid ? machine->guid : ft_text_checksum(small);
		for (; r == 0; machine->guid += r == 0)
			r = machine->guid ? ft_map_add(&taken, machine->guid, i, NULL) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

int ft_lldp_machines_tell(struct ft_lldp *l)
{
	_cleanup_(domains_release) struct domains d = {0};
	int r = domains_collect(l, &d);

	if (r == 0)
		r = heard_tell(l, &d);
	if (r == 0)
		r = voids_drop(l);
	if (r == 0)
		roles_collect(l);
	return r == 0 ? guids_give(l) : r;
}
