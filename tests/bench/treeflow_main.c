/*
 * What trees carry, with tables by the daemon's core and packets on the data
 * plane: the traffic of Papers I and II of Bogdanski's thesis.
 *
 * usage: treeflow uniform FABRIC [MICROSECONDS]
 *        treeflow hot FABRIC LANES SPOTS SEEDS [MICROSECONDS]
 *
 * uniform: every host sends as fast as its cable takes it, to anybody. hot: 5 %
 * of all packets go to a hot spot (SPOTS of them, each with its own part of the
 * hosts), the rest to anybody; a host whose packets for one lane are held up
 * goes on with those for others. Leaves on LANES lanes. Cables 4x SDR, packets
 * of 2 kB. Means over hosts, of the cables' rate.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/bench/treenet.h"
#include "tests/sim/data.h"
#include "tests/sim/data_report.h"
#include "tests/sim/data_traffic.h"
#include "tests/sim/world.h"

enum { AHEAD = 8, SPOTS = 9 };

struct flow {
	struct fabric *f;
	struct world *w;
	struct data *d;
	sw_ix *at; /* switch by end */
};

static struct flow
begin(const char *name, unsigned lanes)
{
	const char *at = getenv("HEDDLE_FIXTURES");
	struct sim_options so = sim_defaults();
	struct reason why = {""};
	struct flow x = {.f = treenet_make(name,
				 at != NULL ? at : "../shared/fixtures", &why)};
	char yaml[64];

	if (x.f == NULL) {
		(void)fprintf(stderr, "treeflow: %s: %s\n", name, why.text);
		exit(77);
	}
	for (uint32_t i = 0; i < x.f->ncables; i++)
		x.f->cable[i].rate = (struct fabric_rate){2, 1, 0, false};
	(void)snprintf(
		yaml, sizeof(yaml), "routing: {ftree: {lanes: %u}}\n", lanes);
	x.w = world_new(x.f, &so, yaml);
	world_start(x.w);
	if (!world_settle(x.w, mono_ms(600000))) {
		(void)fprintf(stderr, "treeflow: the SM did not settle\n");
		exit(1);
	}
	return x;
}

static void
end(struct flow *x)
{
	world_free(x->w);
	fabric_free(x->f);
	free(x->at);
}

static uint8_t
sl_of(void *cookie, uint32_t src, uint32_t dst)
{
	const struct flow *x = cookie;

	return routes_lane(
		&sm_view(x->w->sm)->routes->lanes, x->at[src], x->at[dst]);
}

static void
find_switches(struct flow *x)
{
	const struct topo *t = sm_view(x->w->sm)->topo;
	uint32_t n = data_ends(x->d);

	free(x->at);
	x->at = mem_zalloc(n, sizeof(*x->at));
	for (uint32_t i = 0; i < n; i++) {
		const struct fabric_port *p = fabric_port(
			x->f, data_end_node(x->d, i), data_end_port(x->d, i));

		x->at[i] = topo_switch_of(t, topo_by_port_guid(t, p->guid));
	}
}

/* Mean over hosts: a fifth of the time to warm up. */
static double
run(struct flow *x, uint64_t seed, struct data_traffic *t, int us)
{
	struct data_options o = data_defaults();
	struct data_report r;

	o.seed = seed;
	o.check = (struct mono){0};
	x->d = data_new(x->w->sim, &o);
	find_switches(x);
	t->sl = sl_of;
	t->cookie = x;
	data_traffic_start(x->d, t);
	world_run(x->w, mono_us(us / 2));
	data_report_mark(x->d);
	world_run(x->w, mono_us(us));
	data_report_get(x->d, &r);
	if (r.dropped > 0)
		(void)printf("%llu packets DROPPED\n",
			(unsigned long long)r.dropped);
	data_free(x->d);
	return r.accepted;
}

static int
uniform(const char *name, int us)
{
	struct flow x = begin(name, 1);
	struct data_traffic t = data_traffic_defaults();

	(void)printf("%-24s uniform %.2f %%\n", name, 100 * run(&x, 1, &t, us));
	end(&x);
	return 0;
}

static int
hot(const char *name, unsigned lanes, unsigned spots, unsigned seeds, int us)
{
	struct flow x = begin(name, lanes);
	struct data_traffic t = data_traffic_defaults();
	uint32_t target[SPOTS];
	double sum = 0;

	for (unsigned i = 0; i < spots; i++)
		target[i] = i * x.f->nhosts / spots;
	t.pattern = DATA_HOTSPOT;
	t.hot = 0.05;
	t.target = target;
	t.ntargets = spots;
	t.load = 1;
	t.ahead = AHEAD;
	t.refuse = true;
	for (unsigned s = 1; s <= seeds; s++)
		sum += run(&x, s, &t, us);
	(void)printf("%-24s %u hot, %u of %u lanes: %.2f %%\n", name, spots,
		sm_view(x.w->sm)->routes->lanes.n, lanes, 100 * sum / seeds);
	end(&x);
	return 0;
}

static unsigned
number(const char *s)
{
	return (unsigned)strtoul(s, NULL, 10);
}

int
main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (strcmp(verb, "uniform") == 0 && (argc == 3 || argc == 4))
		return uniform(argv[2], argc > 3 ? (int)number(argv[3]) : 200);
	if (strcmp(verb, "hot") == 0 && (argc == 6 || argc == 7) &&
		number(argv[4]) - 1 < SPOTS && number(argv[5]) > 0)
		return hot(argv[2], number(argv[3]), number(argv[4]),
			number(argv[5]), argc > 6 ? (int)number(argv[6]) : 200);
	(void)fprintf(stderr,
		"usage: treeflow uniform FABRIC [MICROSECONDS] |\n"
		"       hot FABRIC LANES SPOTS SEEDS [MICROSECONDS]\n");
	return 2;
}
