/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Finite fields, of which some networks are made. A field of q elements exists for every prime power q. Elements are
 * the numbers below q: the digits of such a number to the base of the prime are the coefficients of a polynomial, the
 * lowest first. So 0 and 1 are those of the field, and if q is a prime, elements are the numbers modulo q.
 */
#ifndef FT_PLANNER_FAMILY_FINITE_FIELD_H
#define FT_PLANNER_FAMILY_FINITE_FIELD_H

#include <stdbool.h>
#include <stdint.h>

enum { FT_FIELD_ORDER_MAX = 1024 };

struct ft_field {
	uint32_t order; /* q: how many elements */
	uint32_t prime; /* q = prime ^ degree */
	uint32_t degree;
	/* Powers of a primitive element: each element but 0 is one of [0] to [order - 2]. Owned, and so are these. */
	uint32_t *power;
	uint32_t *log; /* of each element but 0 */
};

/* Whether there is a field of @order elements; outputs may be NULL. */
bool ft_field_exists(uint32_t order, uint32_t *ret_prime, uint32_t *ret_degree);

/*
 * Makes the field of @order elements; released with ft_field_release(). Returns 0; -EINVAL if there is none, or if it
 * is larger than FT_FIELD_ORDER_MAX; or -ENOMEM.
 */
int ft_field_make(uint32_t order, struct ft_field *ret_field);
void ft_field_release(struct ft_field *field);

uint32_t ft_field_add(const struct ft_field *field, uint32_t a, uint32_t b);
uint32_t ft_field_subtract(const struct ft_field *field, uint32_t a, uint32_t b);
uint32_t ft_field_multiply(const struct ft_field *field, uint32_t a, uint32_t b);
/* @b is not 0. */
uint32_t ft_field_divide(const struct ft_field *field, uint32_t a, uint32_t b);
/* The primitive element to the power of @exponent, which may be any number. */
uint32_t ft_field_power(const struct ft_field *field, uint32_t exponent);

#endif
