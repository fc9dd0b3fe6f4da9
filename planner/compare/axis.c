/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/compare/axis.h"

#include <math.h>
#include <stdio.h>

#include "base/cleanup.h"

enum { LOG_RATIO = 4, STEPS = 6, DECADES_FULL = 2 };

static const double mantissas[] = {1, 2, 5, 10};

/* The round step that divides @range into at most STEPS. */
static double step_of(double range)
{
	double power = pow(10, floor(log10(range / STEPS)));

	for (size_t i = 0; i < FT_COUNT(mantissas); i++)
		if (mantissas[i] * power * STEPS >= range * (1 - 1e-9))
			return mantissas[i] * power;
	return 10 * power;
}

/* The largest of 1, 2 and 5 times a power of ten that is at most @value; or (@up) the smallest that is at least. */
static double round_log(double value, bool up)
{
	double power = pow(10, floor(log10(value))), found = power;

	for (size_t i = 0; i < FT_COUNT(mantissas); i++) {
		double round = mantissas[i] * power;

		if (up && round >= value * (1 - 1e-9))
			return round;
		if (!up && round <= value * (1 + 1e-9))
			found = round;
	}
	return found;
}

struct ft_axis ft_axis_make(double least, double most, bool zero, double from, double to)
{
	struct ft_axis axis = {.low = zero ? 0 : least, .high = most, .from = from, .to = to};

	if (!zero && least > 0 && most > LOG_RATIO * least) {
		axis.log = true;
		axis.low = round_log(least, false);
		axis.high = round_log(most, true);
		return axis;
	}
	if (!(axis.high > axis.low))
		axis.high = axis.low + (axis.low != 0 ? fabs(axis.low) : 1);
	axis.step = step_of(axis.high - axis.low);
	axis.low = floor(axis.low / axis.step + 1e-9) * axis.step;
	axis.high = ceil(axis.high / axis.step - 1e-9) * axis.step;
	return axis;
}

double ft_axis_at(const struct ft_axis *axis, double value)
{
	double share = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
				 : (value - axis->low) / (axis->high - axis->low);

	return axis->from + share * (axis->to - axis->from);
}

unsigned int ft_axis_ticks(const struct ft_axis *axis, double ret_ticks[FT_AXIS_TICKS_MAX])
{
	/* Over many decades the powers of ten alone are marked. */
	size_t each = log10(axis->log ? axis->high / axis->low : 1) > DECADES_FULL + 1 ? 1 : FT_COUNT(mantissas) - 1;
	unsigned int count = 0;

	for (; !axis->log && count < FT_AXIS_TICKS_MAX; count++) {
		double value = axis->low + count * axis->step;

		if (value > axis->high + axis->step / 2)
			return count;
		/* A sum of steps has a rest where there should be 0. */
		ret_ticks[count] = fabs(value) < axis->step / 2 ? 0 : value;
	}
	for (double power = pow(10, floor(log10(axis->low) + 1e-9)); axis->log && power <= axis->high * (1 + 1e-9);
	     power *= 10)
		for (size_t i = 0; i < each; i++) {
			double value = mantissas[i] * power;

			if (value >= axis->low * (1 - 1e-9) && value <= axis->high * (1 + 1e-9) &&
			    count < FT_AXIS_TICKS_MAX)
				ret_ticks[count++] = value;
		}
	return count;
}

const char *ft_axis_label(double value, char label[FT_AXIS_LABEL_SIZE])
{
	static const struct {
		double from, unit;
		const char *sign;
	} units[] = {{1e6, 1e6, "M"}, {1e4, 1e3, "k"}, {0, 1, ""}};

	for (size_t i = 0; i < FT_COUNT(units); i++) {
		if (fabs(value) < units[i].from * (1 - 1e-9))
			continue;
		snprintf(label, FT_AXIS_LABEL_SIZE, "%.4g%s", value / units[i].unit, units[i].sign);
		break;
	}
	return label;
}
