#include "tests/bench/adaptive_options.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/escape_net.h"
#include "tests/topo/gen.h"

enum { HOSTS = 4, ENTRIES = 8 };

static const struct adaptive_options_row rows[ADAPTIVE_OPTIONS_ROWS] = {
	{8, 4, {57.14, 22.14, 19.46, 1.26}, {0}, {0}},
	{16, 4, {54.79, 31.75, 11.83, 1.62}, {0}, {0}},
	{32, 4, {48.07, 35.86, 13.21, 2.86}, {0}, {0}},
	{64, 4, {41.32, 41.20, 14.09, 3.39}, {0}, {0}},
	{16, 6, {49.33, 24.33, 20.29, 6.05}, {0}, {0}},
	{32, 6, {45.39, 26.49, 13.50, 14.62}, {0}, {0}},
	{64, 6, {37.29, 32.65, 19.13, 10.93}, {0}, {0}},
};

/* Different ports in the row of a host at a switch. */
static unsigned
count_ports(const struct escape_net *n, uint32_t sw, uint16_t lid)
{
	uint8_t seen[ENTRIES];
	unsigned k = 0;

	for (unsigned i = 0; i < n->row; i++) {
		uint8_t port = sim_lft(n->s, n->sw[sw], (uint16_t)(lid + i));
		unsigned j = 0;

		while (j < k && seen[j] != port)
			j++;
		if (j == k)
			seen[k++] = port;
	}
	return k;
}

/* Whether the host has its link to the switch. */
static bool
is_at(const struct escape_net *n, uint32_t host, uint32_t sw)
{
	uint32_t peer;
	unsigned there;

	return fabric_peer(n->f, host, 1, &peer, &there) && peer == n->sw[sw];
}

static void
measure_net(const struct escape_net *n, double part[ADAPTIVE_OPTIONS])
{
	uint64_t all = 0, of[ADAPTIVE_OPTIONS] = {0};

	for (uint32_t h = 0; h < n->f->nnodes; h++) {
		if (n->f->node[h].type == FABRIC_SWITCH)
			continue;
		for (uint32_t s = 0; s < n->nsw; s++) {
			unsigned k;

			if (is_at(n, h, s))
				continue;
			k = count_ports(n, s, escape_net_lid(n, h, false));
			of[k < ADAPTIVE_OPTIONS ? k - 1
						: ADAPTIVE_OPTIONS - 1]++;
			all++;
		}
	}
	for (unsigned k = 0; k < ADAPTIVE_OPTIONS; k++)
		part[k] = 100 * (double)of[k] / (double)all;
}

static void
measure_row(unsigned nets, struct adaptive_options_row *r)
{
	const struct escape_net_options o = {.entries = ENTRIES};
	double sum[ADAPTIVE_OPTIONS] = {0}, squares[ADAPTIVE_OPTIONS] = {0};

	for (unsigned seed = 1; seed <= nets; seed++) {
		struct escape_net_options of_net = o;
		struct escape_net *n;
		double part[ADAPTIVE_OPTIONS];

		of_net.seed = seed;
		n = escape_net_new(
			gen_random(r->switches, r->links, HOSTS, seed, NULL),
			&of_net);
		measure_net(n, part);
		escape_net_free(n);
		for (unsigned k = 0; k < ADAPTIVE_OPTIONS; k++) {
			sum[k] += part[k];
			squares[k] += part[k] * part[k];
		}
	}
	for (unsigned k = 0; k < ADAPTIVE_OPTIONS; k++) {
		double mean = sum[k] / nets;
		double spread = squares[k] / nets - mean * mean;

		r->mean[k] = mean;
		r->error[k] = spread > 0 ? sqrt(spread / (nets - 1)) : 0;
	}
}

void
adaptive_options(
	unsigned nets, struct adaptive_options_row out[ADAPTIVE_OPTIONS_ROWS])
{
	for (unsigned i = 0; i < ADAPTIVE_OPTIONS_ROWS; i++) {
		out[i] = rows[i];
		measure_row(nets, &out[i]);
	}
}

bool
adaptive_options_agree(const struct adaptive_options_row *r, unsigned k)
{
	double off = r->mean[k] - r->paper[k];

	return (off < 0 ? -off : off) <= 3 * r->error[k] + 2;
}

void
adaptive_options_print(unsigned nets)
{
	struct adaptive_options_row r[ADAPTIVE_OPTIONS_ROWS];
	unsigned off = 0;

	adaptive_options(nets, r);
	(void)printf("\nTable 2: per cent of switches and hosts with so many "
		     "ports, ours and the paper's, %u nets each\n"
		     "  Sw LS  %-22s %-22s %-22s %s\n",
		nets, "1", "2", "3", "4 and more");
	for (unsigned i = 0; i < ADAPTIVE_OPTIONS_ROWS; i++) {
		(void)printf("  %2u %2u", r[i].switches, r[i].links);
		for (unsigned k = 0; k < ADAPTIVE_OPTIONS; k++) {
			bool agree = adaptive_options_agree(&r[i], k);

			(void)printf("  %5.2f+-%4.2f of %5.2f%s", r[i].mean[k],
				r[i].error[k], r[i].paper[k],
				agree ? " " : "!");
			off += !agree;
		}
		(void)printf("\n");
	}
	(void)printf("  %u of %u beyond three standard errors and two points\n",
		off, ADAPTIVE_OPTIONS * ADAPTIVE_OPTIONS_ROWS);
	(void)fflush(stdout);
}
