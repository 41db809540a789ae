/*
 * plot: curves as an SVG drawing, for figures made from measurements. One set
 * of axes per plot, one colour per curve.
 */
#ifndef HEDDLE_TESTS_BENCH_PLOT_H
#define HEDDLE_TESTS_BENCH_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/base/reason.h"

struct plot_curve {
	const char *name;
	const double *x, *y; /* [n], borrowed */
	size_t n;
};

struct plot {
	const char *title, *xlabel, *ylabel;
	const struct plot_curve *curve;
	size_t ncurves; /* at most 8 */
	bool marks;	/* a mark at every point */
	bool log_y;	/* decades; values below 1 are drawn at 1 */
};

/* Write n plots, one below the other, as SVG. -1 and a reason on failure. */
int plot_write(
	const char *path, const struct plot *p, size_t n, struct reason *why);

#endif
