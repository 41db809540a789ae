/*
 * adaptive_options: Table 2 of Martinez et al. (2003), how many ports a switch
 * may choose among for a host at another switch, counted in the forwarding
 * tables of random irregular networks (tests/bench/escape_net.h).
 */
#ifndef HEDDLE_TESTS_BENCH_ADAPTIVE_OPTIONS_H
#define HEDDLE_TESTS_BENCH_ADAPTIVE_OPTIONS_H

#include <stdbool.h>

enum { ADAPTIVE_OPTIONS = 4, ADAPTIVE_OPTIONS_ROWS = 7 };

/* Per cent of pairs of a switch and a host that have 1, 2, 3, and 4 or more
 * ports. */
struct adaptive_options_row {
	unsigned switches, links;
	double paper[ADAPTIVE_OPTIONS];
	double mean[ADAPTIVE_OPTIONS];
	double error[ADAPTIVE_OPTIONS]; /* standard error of the mean */
};

/* Measure so many networks a row, at least 2. */
void adaptive_options(
	unsigned nets, struct adaptive_options_row out[ADAPTIVE_OPTIONS_ROWS]);

/* Whether a cell is that of the paper: within three standard errors and two
 * points. */
bool adaptive_options_agree(const struct adaptive_options_row *r, unsigned k);

/* Print the rows beside the paper's. */
void adaptive_options_print(unsigned nets);

#endif
