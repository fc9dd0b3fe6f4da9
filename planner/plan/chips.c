/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/chips.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/numbers.h"

static uint32_t at_least_one(uint32_t number)
{
	return number ? number : 1;
}

/* Line boards of one chip with @outside ports outside each: is that a way to have @ports of them? */
static bool boards_fit(const struct ft_inside *in, uint32_t ports, uint32_t outside)
{
	uint32_t board = outside * in->line_chips;

	return board <= ports && ports % board == 0 && ports / outside <= 2 * outside;
}

static int line_assume(struct ft_inside *in, uint32_t ports)
{
	static const uint32_t usual[] = {12, 18, 20, 32, 40, 64}; /* half of the ports of well-known chips */
	uint32_t outside = 0;

	if (in->line_ports == 0) {
		for (size_t i = 0; i < FT_COUNT(usual) && outside == 0; i++)
			outside = boards_fit(in, ports, usual[i]) ? usual[i] : 0;
		for (uint32_t half = 1; half <= FT_PORTS_MAX / 2 && outside == 0; half++)
			outside = boards_fit(in, ports, half) ? half : 0;
		if (outside == 0)
			return -EINVAL;
		in->line_ports = outside * in->line_chips;
	}
	if (in->line_ports % in->line_chips != 0 || ports % in->line_ports != 0)
		return -EINVAL;
	in->line_boards = ports / in->line_ports;
	if (in->line_boards_max < in->line_boards)
		in->line_boards_max = in->line_boards;
	return 0;
}

/* The most traces between two chips for which a fabric chip is no larger than a line chip, and the bandwidth is full.
 */
static uint32_t traces_assume(uint32_t outside, uint32_t lines)
{
	for (uint32_t traces = outside; traces > 1; traces--)
		if (outside % traces == 0 && (uint64_t)lines * traces <= 2 * (uint64_t)outside)
			return traces;
	return 1;
}

/* Traces between chips of boards whose number is known, and chips of a board if these are not. */
static void boards_assume(struct ft_inside *in, uint32_t outside, uint32_t lines)
{
	bool chips_known = in->fabric_chips > 0;

	in->fabric_chips = at_least_one(in->fabric_chips);
	if (in->traces > 0)
		return;
	for (;; in->fabric_chips++) {
		uint32_t fabrics = in->fabric_boards_max * in->fabric_chips;

		in->traces = at_least_one(outside / fabrics);
		if (chips_known || fabrics >= outside || (uint64_t)lines * in->traces <= 2 * (uint64_t)outside)
			return;
	}
}

static void fabric_assume(struct ft_inside *in)
{
	uint32_t outside = ft_inside_outer_ports(in), lines = in->line_boards_max * in->line_chips;

	if (in->fabric_boards_max == 0 && in->fabric_boards == 0) {
		in->fabric_chips = at_least_one(in->fabric_chips);
		in->traces = in->traces ? in->traces : traces_assume(outside, lines);
		in->fabric_boards_max = ft_number_divide_up(outside, in->traces * in->fabric_chips);
	}
	if (in->fabric_boards_max < in->fabric_boards)
		in->fabric_boards_max = in->fabric_boards;
	if (in->fabric_boards == 0)
		in->fabric_boards = in->fabric_boards_max;
	boards_assume(in, outside, lines);
}

int ft_inside_assume(const struct ft_inside *known, uint32_t ports, struct ft_inside *ret_inside)
{
	struct ft_inside in = *known;
	struct ft_error err = {0};
	const char *key;

	in.line_chips = at_least_one(in.line_chips);
	if (line_assume(&in, ports) < 0)
		return -EINVAL;
	fabric_assume(&in);
	if (ft_inside_check(&in, ports, &err, &key) < 0)
		return -EINVAL;
	*ret_inside = in;
	return 0;
}

uint32_t ft_inside_line_chips(const struct ft_inside *in)
{
	return in->line_boards * in->line_chips;
}

uint32_t ft_inside_fabric_chips(const struct ft_inside *in)
{
	return in->fabric_boards * in->fabric_chips;
}

uint32_t ft_inside_chip_ports(const struct ft_inside *in)
{
	uint32_t line = ft_inside_outer_ports(in) + in->fabric_boards_max * in->fabric_chips * in->traces;
	uint32_t fabric = in->line_boards_max * in->line_chips * in->traces;

	return line > fabric ? line : fabric;
}

struct ft_chip_port ft_inside_outer(const struct ft_inside *in, uint32_t port)
{
	uint32_t outside = ft_inside_outer_ports(in);

	return (struct ft_chip_port){(port - 1) / outside, (port - 1) % outside + 1};
}

struct ft_chip_port ft_inside_line_end(const struct ft_inside *in, uint32_t line, uint32_t fabric, uint32_t trace)
{
	uint32_t turn = in->fabric_boards_max * in->fabric_chips;

	return (struct ft_chip_port){line, ft_inside_outer_ports(in) + trace * turn + fabric + 1};
}

struct ft_chip_port ft_inside_fabric_end(const struct ft_inside *in, uint32_t line, uint32_t fabric, uint32_t trace)
{
	uint32_t turn = in->line_boards_max * in->line_chips;

	return (struct ft_chip_port){ft_inside_line_chips(in) + fabric, trace * turn + line + 1};
}

const char *ft_inside_slot(const struct ft_inside *in, uint32_t chip, char buffer[FT_SLOT_SIZE])
{
	uint32_t lines = ft_inside_line_chips(in);
	bool line = chip < lines;
	uint32_t number = line ? chip : chip - lines, chips = line ? in->line_chips : in->fabric_chips;
	uint32_t slots = line ? in->line_boards_max : in->fabric_boards_max;
	int digits = slots > 999 ? 4 : slots > 99 ? 3 : 2;

	if (number % chips == 0)
		snprintf(buffer, FT_SLOT_SIZE, "%c%0*u", line ? 'L' : 'F', digits, number / chips + 1);
	else
		snprintf(buffer, FT_SLOT_SIZE, "%c%0*u/%u", line ? 'L' : 'F', digits, number / chips + 1,
			 number % chips + 1);
	return buffer;
}
