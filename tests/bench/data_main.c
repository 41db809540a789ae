/*
 * data: packets a second of the data plane, and the traffic that a fat tree of
 * 36 leaves and 18 spines (648 hosts) accepts, with tables by the SM core.
 *
 * usage: data [PATTERN [LOAD [MICROSECONDS [RATE [QUEUE]]]]]
 *
 * PATTERN uniform (default), hotspot, shift, ring, bits, permutation; LOAD as a
 * part of the link rate, 0 (default) saturated; RATE sdr (4x, 1 GB/s, default)
 * or hdr (4x, 25 GB/s); QUEUE any (default: any packet of a buffer may leave)
 * or fifo.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/args.h"
#include "tests/bench/bench_clock.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/model/world.h"
#include "tests/topo/shape.h"

static enum data_pattern
parse_pattern(const char *s)
{
	static const char *const name[] = {
		"uniform", "hotspot", "bits", "shift", "ring", "permutation"};

	for (unsigned i = 0; i < 6; i++) {
		if (strcmp(s, name[i]) == 0)
			return (enum data_pattern)i;
	}
	(void)fprintf(stderr, "data: no pattern \"%s\"\n", s);
	exit(2);
}

static struct fabric *
make_tree(const char *rate)
{
	struct fabric *f = shape_of("648:18:18");

	for (uint32_t i = 0; strcmp(rate, "sdr") == 0 && i < f->ncables; i++)
		f->cable[i].rate = (struct fabric_rate){2, 1, 0, false};
	return f;
}

static void
measure_traffic(struct data *d, struct sim *s, struct mono span)
{
	struct data_report a, b;
	struct mono start = sim_now(s);
	struct buf text = {0};
	double t;

	/* a tenth to warm up */
	data_run_until(d, mono_add(start, (struct mono){span.ns / 10}));
	data_report_mark(d);
	data_report_get(d, &a);
	t = clock_cpu_ms() / 1e3;
	data_run_until(
		d, mono_add(start, (struct mono){span.ns + span.ns / 10}));
	t = clock_cpu_ms() / 1e3 - t;
	data_report_get(d, &b);
	data_report_print(d, &text);
	(void)fputs(text.text, stdout);
	(void)printf("%.0f us simulated in %.2f s of CPU: %.0f packets/s, %.0f "
		     "hops/s,"
		     " %.0f events/s, %.2f events a hop\n",
		(double)span.ns / 1e3, t, (double)b.packets / t,
		(double)(b.hops - a.hops) / t,
		(double)(b.events - a.events) / t,
		(double)(b.events - a.events) / (double)(b.hops - a.hops));
	buf_free(&text);
}

int
main(int argc, char **argv)
{
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	struct sim_options so = sim_defaults();
	struct fabric *f = make_tree(argc > 4 ? argv[4] : "sdr");
	struct world *w = world_new(f, &so, "");
	uint32_t hot = 0;
	struct data *d;

	if (argc > 5 && strcmp(argv[5], "fifo") == 0)
		o = data_fifo();
	t.pattern = parse_pattern(argc > 1 ? argv[1] : "uniform");
	t.load = argc > 2 ? strtod(argv[2], NULL) : 0;
	t.shift = 100;
	t.hot = 0.05;
	t.target = &hot;
	t.ntargets = 1;
	world_start(w);
	if (!world_settle(w, mono_ms(60000))) {
		(void)fprintf(stderr, "data: the SM did not settle\n");
		return 1;
	}
	d = data_new(w->sim, &o);
	data_traffic_start(d, &t);
	measure_traffic(d, w->sim, mono_us(args_number(argc, argv, 3, 1000)));
	data_free(d);
	world_free(w);
	fabric_free(f);
	return 0;
}
