/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Fields of p^k elements as polynomials over the numbers modulo p, modulo a polynomial f = x^k + ... of degree k.
 *
 * One search finds both f and a primitive element: f is the first polynomial for which the powers of x are all p^k - 1
 * elements but 0 before they repeat. All of these then have an inverse, so that f is irreducible and this is a field;
 * and x is primitive. For k = 1, f is x - g, and x is g, the smallest primitive root. Such an f exists for every p and
 * k (R. Lidl, H. Niederreiter, "Finite Fields", section 3.1), and is one of p^k: the search takes at most q^2 steps,
 * and some q / log q of the polynomials are good, so that it ends early.
 *
 * For q = 8, 16, 27 and 32 it is the Conway polynomial, by which others make these fields too.
 */
#include "planner/family/finite_field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

bool ft_field_exists(uint32_t order, uint32_t *ret_prime, uint32_t *ret_degree)
{
	uint32_t prime = 2, degree = 0;

	if (order < 2)
		return false;
	while (order % prime != 0)
		prime++;
	for (; order % prime == 0; order /= prime)
		degree++;
	if (order != 1)
		return false;
	if (ret_prime)
		*ret_prime = prime;
	if (ret_degree)
		*ret_degree = degree;
	return true;
}

/* a + factor * b, digit by digit. */
static uint32_t add_times(const struct ft_field *field, uint32_t a, uint32_t factor, uint32_t b)
{
	uint32_t sum = 0, place = 1, p = field->prime;

	for (uint32_t i = 0; i < field->degree; i++, place *= p, a /= p, b /= p)
		sum += (a % p + factor * (b % p)) % p * place;
	return sum;
}

/* x times @element, modulo the polynomial whose coefficients below x^k are those of @low: x^k is minus these. */
static uint32_t times_x(const struct ft_field *field, uint32_t low, uint32_t element)
{
	uint32_t top_place = field->order / field->prime, top = element / top_place;

	return add_times(field, element % top_place * field->prime, field->prime - top, low);
}

/* Fills the powers of x, and returns whether these are all elements but 0. */
static bool powers_fill(struct ft_field *field, uint32_t low)
{
	uint32_t element = 1;

	memset(field->log, 0xff, field->order * sizeof(*field->log));
	for (uint32_t i = 0; i + 1 < field->order; i++) {
		if (element == 0 || field->log[element] != UINT32_MAX)
			return false;
		field->power[i] = element;
		field->log[element] = i;
		element = times_x(field, low, element);
	}
	return true;
}

int ft_field_make(uint32_t order, struct ft_field *ret_field)
{
	_cleanup_(ft_field_release) struct ft_field field = {.order = order};

	if (order > FT_FIELD_ORDER_MAX || !ft_field_exists(order, &field.prime, &field.degree))
		return -EINVAL;
	field.power = calloc(order, sizeof(*field.power));
	field.log = calloc(order, sizeof(*field.log));
	if (!field.power || !field.log)
		return -ENOMEM;
	/* Of degree 1, x is minus the coefficient: from above, so that the smallest x is found. */
	for (uint32_t i = 1; i < order; i++)
		if (powers_fill(&field, field.degree == 1 ? order - i : i))
			break;
	*ret_field = field;
	field.power = field.log = NULL;
	return 0;
}

void ft_field_release(struct ft_field *field)
{
	free(field->power);
	free(field->log);
}

uint32_t ft_field_add(const struct ft_field *field, uint32_t a, uint32_t b)
{
	return add_times(field, a, 1, b);
}

uint32_t ft_field_subtract(const struct ft_field *field, uint32_t a, uint32_t b)
{
	return add_times(field, a, field->prime - 1, b);
}

uint32_t ft_field_power(const struct ft_field *field, uint32_t exponent)
{
	return field->power[exponent % (field->order - 1)];
}

uint32_t ft_field_multiply(const struct ft_field *field, uint32_t a, uint32_t b)
{
	return a == 0 || b == 0 ? 0 : ft_field_power(field, field->log[a] + field->log[b]);
}

uint32_t ft_field_divide(const struct ft_field *field, uint32_t a, uint32_t b)
{
	return a == 0 ? 0 : ft_field_power(field, field->log[a] + field->order - 1 - field->log[b]);
}
