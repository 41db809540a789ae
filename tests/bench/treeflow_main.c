/*
 * The throughput of trees, with tables by the daemon's core and packets on the
 * data plane: the traffic of Papers I and II of Bogdanski's thesis.
 *
 * usage: treeflow uniform FABRIC [fifo]
 *        treeflow hot FABRIC LANES SPOTS SEEDS [fifo] [in-order] [narrow]
 *
 * uniform: every host sends as fast as its link takes it, to random others.
 * hot: 5 % of all packets go to a hot spot (SPOTS of them, each with its own
 * part of the hosts), the rest to random others; a host with packets of one
 * layer held up goes on with those of others, or, in-order, waits. fifo:
 * switches consider the first packet of a buffer only. narrow: one link between
 * switches has a single VL, as on an old switch. LANES routing layers. Links
 * are 4x SDR, packets of 2 kB. Means over hosts, of the links' rate, once
 * buffers have filled: congestion from a hot spot needs a while to reach all of
 * the fabric, and an earlier measurement flatters a single layer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/model/world.h"
#include "tests/topo/shape.h"

enum { AHEAD = 8, SPOTS = 9, UNIFORM_US = 200, HOT_US = 1500 };

struct flow {
	struct fabric *f;
	struct world *w;
	struct data *d;
	sw_ix *at; /* switch by end */
	bool fifo, in_order, narrow;
};

/* Parse the words behind the operands; false: unknown word. */
static bool
take_words(struct flow *x, char **word)
{
	for (; *word != NULL; word++)
		if (strcmp(*word, "fifo") == 0)
			x->fifo = true;
		else if (strcmp(*word, "in-order") == 0)
			x->in_order = true;
		else if (strcmp(*word, "narrow") == 0)
			x->narrow = true;
		else
			return false;
	return true;
}

/* Give the first link between switches a single VL. */
static void
make_narrow(struct flow *x)
{
	const struct fabric_cable *c = x->f->cable;
	struct mad_port_info pi;

	while (x->f->node[c->node[0]].type != FABRIC_SWITCH ||
		x->f->node[c->node[1]].type != FABRIC_SWITCH)
		c++;
	pi = *sim_port_info(x->w->sim, c->node[0], c->port[0]);
	pi.vl_cap = 1;
	sim_hand_port(x->w->sim, c->node[0], c->port[0], &pi);
}

static void
begin_flow(struct flow *x, const char *name, unsigned lanes)
{
	const char *at = getenv("HEDDLE_FIXTURES");
	struct sim_options so = sim_defaults();
	struct reason why = {""};
	char yaml[64];

	x->f = shape_load(name, at != NULL ? at : "../shared/fixtures", &why);
	if (x->f == NULL) {
		(void)fprintf(stderr, "treeflow: %s: %s\n", name, why.text);
		exit(77);
	}
	for (uint32_t i = 0; i < x->f->ncables; i++)
		x->f->cable[i].rate = (struct fabric_rate){2, 1, 0, false};
	(void)snprintf(
		yaml, sizeof(yaml), "routing: {ftree: {layers: %u}}\n", lanes);
	x->w = world_new(x->f, &so, yaml);
	if (x->narrow)
		make_narrow(x);
	world_start(x->w);
	if (!world_settle(x->w, mono_ms(600000))) {
		(void)fprintf(stderr, "treeflow: the SM did not settle\n");
		exit(1);
	}
}

static void
end_flow(struct flow *x)
{
	world_free(x->w);
	fabric_free(x->f);
	free(x->at);
}

static uint8_t
sl_of(void *cookie, uint32_t src, uint32_t dst)
{
	const struct flow *x = cookie;

	return routes_layer(
		&sm_view(x->w->sm)->routes->layers, x->at[src], x->at[dst]);
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

/* The mean over hosts during us microseconds, after us / 2 of warm-up. */
static double
run_traffic(struct flow *x, uint64_t seed, struct data_traffic *t, int us)
{
	struct data_options o = x->fifo ? data_fifo() : data_defaults();
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
run_uniform(struct flow *x, const char *name)
{
	struct data_traffic t = data_traffic_defaults();

	begin_flow(x, name, 1);
	(void)printf("%-24s uniform%s %.2f %%\n", name, x->fifo ? ", fifo" : "",
		100 * run_traffic(x, 1, &t, UNIFORM_US));
	end_flow(x);
	return 0;
}

static int
run_hot(struct flow *x, const char *name, unsigned lanes, unsigned spots,
	unsigned seeds)
{
	struct data_traffic t = data_traffic_defaults();
	uint32_t target[SPOTS];
	double sum = 0;

	begin_flow(x, name, lanes);
	for (unsigned i = 0; i < spots; i++)
		target[i] = i * x->f->nhosts / spots;
	t.pattern = DATA_HOTSPOT;
	t.hot = 0.05;
	t.target = target;
	t.ntargets = spots;
	t.load = 1;
	t.ahead = AHEAD;
	t.refuse = !x->in_order;
	for (unsigned s = 1; s <= seeds; s++)
		sum += run_traffic(x, s, &t, HOT_US);
	(void)printf("%-24s %u hot, %u of %u lanes%s%s%s: %.2f %%\n", name,
		spots, sm_view(x->w->sm)->routes->layers.n, lanes,
		x->fifo ? ", fifo" : "", x->in_order ? ", in order" : "",
		x->narrow ? ", one cable narrow" : "", 100 * sum / seeds);
	end_flow(x);
	return 0;
}

static unsigned
parse_number(const char *s)
{
	return (unsigned)strtoul(s, NULL, 10);
}

int
main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	struct flow x = {0};

	if (strcmp(verb, "uniform") == 0 && argc >= 3 &&
		take_words(&x, argv + 3))
		return run_uniform(&x, argv[2]);
	if (strcmp(verb, "hot") == 0 && argc >= 6 &&
		parse_number(argv[4]) - 1 < SPOTS &&
		parse_number(argv[5]) > 0 && take_words(&x, argv + 6))
		return run_hot(&x, argv[2], parse_number(argv[3]),
			parse_number(argv[4]), parse_number(argv[5]));
	(void)fprintf(stderr, "usage: treeflow uniform FABRIC [fifo] |\n"
			      "       hot FABRIC LANES SPOTS SEEDS [fifo] "
			      "[in-order] [narrow]\n");
	return 2;
}
