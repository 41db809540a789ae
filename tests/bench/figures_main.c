/*
 * figures: the evaluation of Bermudez, Casado and Quiles (2003), drawn again
 * with this subnet manager and the data plane in one simulation. Random
 * irregular fabrics of 8 to 32 four-port switches carry uniform traffic at a
 * quarter of what they can take; one switch is removed, and then added again,
 * each in turn, under every method of distribution.
 *
 *   Figure 2   SMPs and time to write the tables, by number of switches
 *   Figure 3   packets discarded meanwhile
 *   Figure 4   one addition in 24 switches over time: SMPs, packets
 *              discarded, throughput
 *   table      the same changes on fabrics that are not irregular
 *
 * As in the paper a port in Init discards what it is given, and a removed
 * switch's host neither sends nor is sent to. Links retrain in no time here.
 * distribution.drain is what these fabrics need, 200 us: a packet of theirs is
 * on its way for some 10 us.
 *
 * Data go to DIR/figure*.csv and DIR/table.csv, drawings to DIR/figure*.svg, a
 * summary to standard output.
 *
 * usage: figures DIR [FABRICS_A_SIZE [SWITCHES_A_FABRIC]]
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sm/base/log.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/bench/plot.h"
#include "tests/sim/data.h"
#include "tests/sim/data_report.h"
#include "tests/sim/data_traffic.h"
#include "tests/sim/world.h"
#include "tests/topo/fabric.h"
#include "tests/topo/gen.h"

enum { SIZES = 4, METHODS = 5, BINS = 400, PACKET = 256 };

static const unsigned size_of[SIZES] = {8, 16, 24, 32};
static const char *const method_of[METHODS] = {
	"static", "break-ports", "break-dependencies", "dynamic", "auto"};

/* One change under one method. */
struct outcome {
	unsigned n; /* changes added up here */
	unsigned unsettled, deadlocks;
	double sets;	/* SMPs that write tables or ports */
	double smps;	/* all of them */
	double micros;	/* first write to last one */
	double lost;	/* packets discarded, from the change on */
	double written; /* of these from the first write on */
};

/* A switch removed, and the same added again. */
struct changes {
	struct outcome removal, addition;
};

/* The writes of a run as they arrive at the switches. */
struct writes {
	struct sim *sim;
	struct data *data;
	bool on, any;
	uint64_t sets;
	struct mono first, last;
	uint64_t lost_before; /* dropped when the first one came */
	uint32_t *bin;	      /* [BINS] writes over time, or NULL */
	struct mono origin, width;
};

static enum sim_verdict
see_write(void *cookie, struct sim_msg *m)
{
	struct writes *w = cookie;
	struct data_report r;

	const unsigned attr = (unsigned)m->m.mad[16] << 8 | m->m.mad[17];

	/* Sets of tables and ports; SwitchInfo is set by discovery too */
	if (!w->on || m->where != SIM_AT_SMA || m->m.mad[3] != 0x02 ||
		(attr != MAD_LFT && attr != MAD_SL2VL && attr != MAD_PORT_INFO))
		return SIM_PASS;
	if (!w->any) {
		data_report_get(w->data, &r);
		w->lost_before = r.dropped;
		w->first = m->now;
		w->any = true;
	}
	w->sets++;
	w->last = m->now;
	if (w->bin != NULL) {
		int64_t b = mono_sub(m->now, w->origin).ns / w->width.ns;

		if (b >= 0 && b < BINS)
			w->bin[b]++;
	}
	return SIM_PASS;
}

/* ---- fabrics ---- */

static void
cable(struct fabric *f, uint32_t a, uint32_t b)
{
	struct reason why;
	uint32_t c = fabric_connect(
		f, a, fabric_free_port(f, a), b, fabric_free_port(f, b), &why);

	f->cable[c].rate = (struct fabric_rate){1, 1, 0, false}; /* 1x SDR */
}

/* A random tree, then half as many cables more; at most 3 of 4 ports. */
static struct fabric *
irregular(unsigned n, uint64_t seed)
{
	struct rng rng = {seed};
	struct fabric *f = fabric_new();
	uint32_t first = fabric_add(f, FABRIC_SWITCH, 4, "s0");
	unsigned extra = n / 2, tries = 100 * n;

	for (uint32_t i = 1; i < n; i++) {
		uint32_t s = fabric_addf(f, FABRIC_SWITCH, 4, "s%u", i), peer;

		do
			peer = first + rng_below(&rng, i);
		while (fabric_degree(f, peer) >= 3);
		cable(f, peer, s);
	}
	while (extra > 0 && tries-- > 0) {
		uint32_t a = first + rng_below(&rng, n);
		uint32_t b = first + rng_below(&rng, n);

		if (a == b || fabric_degree(f, a) >= 3 ||
			fabric_degree(f, b) >= 3)
			continue;
		cable(f, a, b);
		extra--;
	}
	for (uint32_t i = 0; i < n; i++)
		cable(f, first + i, fabric_addf(f, FABRIC_CA, 1, "h%u", i));
	return f;
}

/* May this switch go away without cutting the fabric or the SM off? */
static bool
removable(const struct fabric *f, uint32_t s)
{
	uint32_t sm, peer;
	unsigned port;

	sm = fabric_first_host(f);
	if (!fabric_peer(f, sm, 1, &peer, &port) || peer == s)
		return false;
	return fabric_connected(f, FABRIC_NONE, s);
}

/* ---- one run ---- */

struct run {
	struct world *w;
	struct data *d;
	struct writes writes;
	uint32_t *target; /* hosts that are there */
	bool *silent;	  /* those that are not */
	struct data_traffic traffic;
};

/* Everybody sends to everybody but the hosts of switch `without`. */
static void
aim(struct run *r, uint32_t without)
{
	r->traffic.ntargets = 0;
	for (uint32_t e = 0; e < data_ends(r->d); e++) {
		uint32_t peer;
		unsigned port;

		r->silent[e] =
			!fabric_peer(r->w->fabric, data_end_node(r->d, e), 1,
				&peer, &port) ||
			peer == without;
		if (!r->silent[e])
			r->target[r->traffic.ntargets++] = e;
	}
	data_traffic_start(r->d, &r->traffic);
}

static void
run_open(struct run *r, const struct fabric *f, const char *method, double load,
	struct mono bin)
{
	struct sim_options so = sim_defaults();
	struct data_options o = data_defaults();
	char yaml[256];
	size_t ends;

	(void)snprintf(yaml, sizeof(yaml),
		"sweep: {hold_down: 1ms, interval: 0}\n"
		"smp: {timeout: 2ms, retries: 2}\n"
		"link: {max_vls: 1}\n"
		"distribution: {method: %s, allow_unsafe: true}\n",
		method);
	so.seed = 1;
	so.service = mono_us(20); /* as SMAs of switches are */
	o.bin = bin;
	o.seed = 1;
	r->w = world_new(f, &so, yaml);
	r->w->config->distribution.drain = mono_us(200);
	r->d = data_new(r->w->sim, &o);
	ends = data_ends(r->d);
	r->target = mem_zalloc(ends, sizeof(*r->target));
	r->silent = mem_zalloc(ends, sizeof(*r->silent));
	world_start(r->w);
	(void)world_settle(r->w, mono_ms(60000));
	r->traffic = data_traffic_defaults();
	r->traffic.packet = PACKET;
	r->traffic.load = load;
	r->traffic.lose = load > 0;
	r->traffic.silent = r->silent;
	r->traffic.pattern = DATA_HOTSPOT;
	r->traffic.hot = 1;
	r->traffic.target = r->target;
	aim(r, FABRIC_NONE);
	r->writes = (struct writes){.sim = r->w->sim, .data = r->d};
	sim_set_hook(r->w->sim, see_write, &r->writes);
	world_run(r->w, mono_ms(2));
}

static void
run_close(struct run *r)
{
	data_free(r->d);
	world_free(r->w);
	free(r->target);
	free(r->silent);
}

/* Is a view committed, and nothing written any more or to be done? */
static bool
still(const struct run *r, unsigned commits)
{
	struct sm_status s;

	sm_status(r->w->sm, &s);
	return r->w->commits != commits && s.phase == SM_IDLE && !s.dirty &&
	       mono_sub(sim_now(r->w->sim), r->writes.last).ns >= mono_ms(4).ns;
}

/*
 * Without traffic for as long as it takes until switches may tell of changes
 * as often as they like again, then a while with it.
 */
static void
rest(struct run *r, uint32_t without)
{
	data_traffic_stop(r->d);
	world_run(r->w, mono_ms(5000));
	aim(r, without);
	world_run(r->w, mono_ms(1));
}

/* Let the fabric change and settle; add what it took. */
static void
change(struct run *r, uint32_t sw, bool present, struct outcome *o)
{
	struct data_report before, after;
	uint64_t smps = sim_stats(r->w->sim)->smps;
	unsigned commits = r->w->commits, waits = 0;

	aim(r, sw);
	data_report_get(r->d, &before);
	r->writes.any = false;
	r->writes.sets = 0;
	r->writes.on = true;
	sim_fault_node(r->w->sim, sw, present);
	do
		world_run(r->w, mono_ms(2));
	while (!still(r, commits) && ++waits < 400);
	r->writes.on = false;
	data_report_get(r->d, &after);
	rest(r, present ? FABRIC_NONE : sw);
	o->n++;
	o->unsettled += waits == 400;
	o->deadlocks += after.deadlock && !before.deadlock;
	o->sets += (double)r->writes.sets;
	o->smps += (double)(sim_stats(r->w->sim)->smps - smps);
	o->micros +=
		r->writes.any
			? (double)mono_sub(r->writes.last, r->writes.first).ns /
				  1e3
			: 0;
	o->lost += (double)(after.dropped - before.dropped);
	o->written += r->writes.any
			      ? (double)(after.dropped - r->writes.lost_before)
			      : 0;
}

/* What the fabric takes of uniform traffic when the sources are saturated. */
static double
saturation(const struct fabric *f)
{
	struct run r;
	struct data_report rep;

	run_open(&r, f, "auto", 0, (struct mono){0});
	data_report_mark(r.d);
	world_run(r.w, mono_ms(1));
	data_report_get(r.d, &rep);
	run_close(&r);
	return rep.accepted;
}

/* ---- the figures ---- */

struct study {
	unsigned fabrics, switches;
	struct changes by[SIZES][METHODS];
};

/* Up to `limit` switches of f leave and return, under every method. */
static void
study_fabric(const struct fabric *f, unsigned limit, struct changes by[METHODS])
{
	double load = saturation(f) / 4;
	struct run r;

	for (unsigned m = 0; m < METHODS; m++) {
		unsigned done = 0;

		run_open(&r, f, method_of[m], load, (struct mono){0});
		for (uint32_t n = 0; n < f->nnodes && done < limit; n++) {
			if (f->node[n].type != FABRIC_SWITCH ||
				!removable(f, n))
				continue;
			done++;
			change(&r, n, false, &by[m].removal);
			change(&r, n, true, &by[m].addition);
		}
		run_close(&r);
	}
}

static double
mean(double sum, unsigned n)
{
	return n > 0 ? sum / n : 0;
}

static void
print_head(FILE *out)
{
	(void)fprintf(out, "fabric,change,method,runs,sets,smps,write_us,lost,"
			   "lost_from_first_write,unsettled,deadlocks\n");
}

static void
print_rows(FILE *out, const char *fabric, const struct changes by[METHODS])
{
	for (unsigned k = 0; k < 2; k++)
		for (unsigned m = 0; m < METHODS; m++) {
			const struct outcome *o =
				k ? &by[m].addition : &by[m].removal;

			(void)fprintf(out,
				"%s,%s,%s,%u,%.1f,%.1f,%.1f,%.1f,%.1f,%u,%u\n",
				fabric, k ? "addition" : "removal",
				method_of[m], o->n, mean(o->sets, o->n),
				mean(o->smps, o->n), mean(o->micros, o->n),
				mean(o->lost, o->n), mean(o->written, o->n),
				o->unsettled, o->deadlocks);
		}
	(void)fflush(out);
}

enum value { SETS, MICROS, LOST };

static double
value_of(const struct outcome *o, enum value v)
{
	double sum = v == SETS ? o->sets : v == MICROS ? o->micros : o->lost;

	return mean(sum, o->n);
}

/* Curves of one value over the sizes, one a method. */
struct curves {
	double x[SIZES], y[METHODS][SIZES];
	struct plot_curve curve[METHODS];
};

static void
fill(struct curves *c, const struct study *s, bool removal, enum value v)
{
	for (unsigned m = 0; m < METHODS; m++) {
		for (unsigned i = 0; i < SIZES; i++) {
			c->x[i] = size_of[i];
			c->y[m][i] = value_of(removal ? &s->by[i][m].removal
						      : &s->by[i][m].addition,
				v);
		}
		c->curve[m] =
			(struct plot_curve){method_of[m], c->x, c->y[m], SIZES};
	}
}

static void
must(int rc, const struct reason *why)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "figures: %s\n", why->text);
	exit(1);
}

static void
draw_sizes(const char *dir, const struct study *s)
{
	static struct curves c[6];
	const char *const what[] = {"SMPs that write", "time, us", "packets"};
	char path[512];
	struct plot p[6];
	struct reason why;

	for (unsigned i = 0; i < 6; i++) {
		enum value v = (enum value)(i / 2);

		fill(&c[i], s, i % 2 != 0, v);
		p[i] = (struct plot){
			.title = i % 2 ? "a switch is removed"
				       : "a switch is added",
			.xlabel = "switches",
			.ylabel = what[v],
			.curve = c[i].curve,
			.ncurves = METHODS,
			.marks = true,
			.log_y = v == LOST && i % 2 == 0,
		};
	}
	(void)snprintf(path, sizeof(path), "%s/figure2.svg", dir);
	must(plot_write(path, p, 4, &why), &why);
	(void)snprintf(path, sizeof(path), "%s/figure3.svg", dir);
	must(plot_write(path, p + 4, 2, &why), &why);
}

/* Figure 4: one addition over time. */
struct moment {
	double t[BINS], smps[BINS], lost[BINS], flow[BINS];
};

static void
watch_addition(struct moment *at, const struct fabric *f, uint32_t sw,
	const char *method, double load)
{
	const struct mono bin = mono_us(50);
	const struct data_bin *series;
	uint32_t writes[BINS] = {0}, n = 0;
	uint64_t first;
	struct outcome o = {0};
	struct run r;

	run_open(&r, f, method, load, bin);
	change(&r, sw, false, &o);
	world_run(r.w, mono_ms(2));
	r.writes.bin = writes;
	r.writes.width = bin;
	r.writes.origin = mono_sub(sim_now(r.w->sim), mono_ms(1));
	first = (uint64_t)(r.writes.origin.ns / bin.ns);
	change(&r, sw, true, &o);
	if (mono_sub(sim_now(r.w->sim), r.writes.origin).ns < BINS * bin.ns)
		world_run(r.w, (struct mono){BINS * bin.ns});
	series = data_report_series(r.d, &n);
	for (unsigned i = 0; i < BINS; i++) {
		const struct data_bin *b = &series[first + i];

		at->t[i] = (double)i * (double)bin.ns / 1e6 - 1;
		at->smps[i] = writes[i] + (i > 0 ? at->smps[i - 1] : 0);
		at->lost[i] = (double)b->drops + (i > 0 ? at->lost[i - 1] : 0);
		at->flow[i] = (double)b->bytes * 1e9 / (double)bin.ns / 1e6;
	}
	run_close(&r);
}

static void
draw_moments(const char *dir, const struct moment at[METHODS])
{
	static struct plot_curve curve[3][METHODS];
	const char *const label[] = {"SMPs that write, in all",
		"packets discarded, in all", "delivered, MB/s"};
	char path[512];
	struct plot p[3];
	struct reason why;

	for (unsigned m = 0; m < METHODS; m++) {
		curve[0][m] = (struct plot_curve){
			method_of[m], at[m].t, at[m].smps, BINS};
		curve[1][m] = (struct plot_curve){
			method_of[m], at[m].t, at[m].lost, BINS};
		curve[2][m] = (struct plot_curve){
			method_of[m], at[m].t, at[m].flow, BINS};
	}
	for (unsigned i = 0; i < 3; i++)
		p[i] = (struct plot){
			.title = "a switch is added to 23",
			.xlabel = "ms since it came",
			.ylabel = label[i],
			.curve = curve[i],
			.ncurves = METHODS,
		};
	(void)snprintf(path, sizeof(path), "%s/figure4.svg", dir);
	must(plot_write(path, p, 3, &why), &why);
}

static FILE *
open_csv(const char *dir, const char *name)
{
	char path[512];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (f == NULL) {
		(void)fprintf(
			stderr, "figures: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	return f;
}

static void
figure4(const char *dir)
{
	struct moment *at = mem_zalloc(METHODS, sizeof(*at));
	struct fabric *f = irregular(24, 4);
	double load = saturation(f) / 4;
	uint32_t sw = 0;
	FILE *out = open_csv(dir, "figure4.csv");

	/* the switch with the most cables that may go */
	for (uint32_t s = 0; s < 24; s++)
		if (removable(f, s) &&
			(!removable(f, sw) ||
				fabric_degree(f, s) > fabric_degree(f, sw)))
			sw = s;
	for (unsigned m = 0; m < METHODS; m++)
		watch_addition(&at[m], f, sw, method_of[m], load);
	(void)fprintf(out, "method,ms,smps,lost,mb_per_s\n");
	for (unsigned m = 0; m < METHODS; m++)
		for (unsigned i = 0; i < BINS; i++)
			(void)fprintf(out, "%s,%.3f,%.0f,%.0f,%.1f\n",
				method_of[m], at[m].t[i], at[m].smps[i],
				at[m].lost[i], at[m].flow[i]);
	(void)fclose(out);
	draw_moments(dir, at);
	fabric_free(f);
	free(at);
}

/* ---- fabrics of other shapes ---- */

static struct fabric *
shape(unsigned kind)
{
	static const struct gen_fattree2 tree = {4, 8, 1, 4, 4};
	static const unsigned torus[] = {4, 4}, cube[] = {3, 3, 3};
	struct reason why = {""};
	struct fabric *f = NULL;

	if (kind == 0)
		f = gen_tree_two(&tree, &why);
	else if (kind == 1)
		f = gen_tree_kary(2, 4, &why);
	else if (kind == 2)
		f = gen_grid(torus, 2, true, 1, &why);
	else if (kind == 3)
		f = gen_grid(cube, 3, true, 1, &why);
	else
		f = gen_dragonfly(4, 2, 1, &why);
	must(f == NULL ? -1 : 0, &why);
	for (uint32_t c = 0; c < f->ncables; c++)
		f->cable[c].rate = (struct fabric_rate){1, 1, 0, false};
	return f;
}

static void
table(const char *dir, unsigned limit)
{
	static const char *const name[] = {"fattree 4+8x4", "fattree 2-ary 4",
		"torus 4x4", "torus 3x3x3", "dragonfly 4 2 1"};
	FILE *out = open_csv(dir, "table.csv");

	print_head(out);
	for (unsigned i = 0; i < sizeof(name) / sizeof(*name); i++) {
		struct changes by[METHODS] = {0};
		struct fabric *f = shape(i);

		study_fabric(f, limit, by);
		print_rows(out, name[i], by);
		print_rows(stdout, name[i], by);
		fabric_free(f);
	}
	(void)fclose(out);
}

static void
figures23(const char *dir, struct study *s)
{
	FILE *out = open_csv(dir, "figure2-3.csv");
	char name[16];

	print_head(out);
	print_head(stdout);
	for (unsigned i = 0; i < SIZES; i++) {
		for (unsigned k = 0; k < s->fabrics; k++) {
			struct fabric *f = irregular(size_of[i], 1 + k);

			study_fabric(f, s->switches, s->by[i]);
			fabric_free(f);
		}
		(void)snprintf(name, sizeof(name), "%u", size_of[i]);
		print_rows(out, name, s->by[i]);
		print_rows(stdout, name, s->by[i]);
	}
	(void)fclose(out);
	draw_sizes(dir, s);
}

int
main(int argc, char **argv)
{
	struct study *s = mem_zalloc(1, sizeof(*s));

	if (argc < 2 || argc > 4) {
		(void)fprintf(
			stderr, "usage: figures DIR [FABRICS [SWITCHES]]\n");
		return 2;
	}
	log_set_level(LOG_LEVEL_ERROR);
	s->fabrics = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
	s->switches = argc > 3 ? (unsigned)atoi(argv[3]) : 32;
	if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
		(void)fprintf(
			stderr, "figures: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	figures23(argv[1], s);
	figure4(argv[1]);
	table(argv[1], s->switches < 8 ? s->switches : 8);
	free(s);
	return 0;
}
