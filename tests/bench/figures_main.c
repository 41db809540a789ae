/*
 * figures: the evaluation of Bermudez, Casado and Quiles (2003), repeated with
 * this subnet manager and the data plane in one simulation. Random irregular
 * fabrics of 8 to 32 four-port switches carry uniform traffic at a quarter of
 * the load that saturates them; one switch is removed, and then added again,
 * each in turn, under every method of distribution.
 *
 *   Figure 2   SMPs and time to write the tables, by number of switches
 *   Figure 3   packets discarded meanwhile
 *   Figure 4   one addition in 24 switches over time: SMPs, packets
 *              discarded, throughput
 *   table      the same changes on fabrics that are not irregular
 *
 * Traffic and links are described in tests/sim/chaos/trial.h. Beside the
 * packets that were dropped are those that the daemon expected to be, and the
 * ratio; `flow` is the throughput in the worst millisecond of a change, as a
 * part of the usual one, and `worst` the least of that.
 *
 * Data go to DIR/figure*.csv and DIR/table.csv, drawings to DIR/figure*.svg, a
 * summary to standard output; each change that blocked dependencies under auto
 * is in DIR/closed.csv, with the weight of those that the paper would have
 * blocked.
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
#include "tests/bench/args.h"
#include "tests/bench/plot.h"
#include "tests/sim/chaos/trial.h"
#include "tests/topo/shape.h"

enum { SIZES = 4, METHODS = TRIAL_METHODS, BINS = 80 };

static const unsigned size_of[SIZES] = {8, 16, 24, 32};

/* A switch removed, and the same added again. */
struct changes {
	struct trial_outcome removal, addition;
};

/* ---- the figures ---- */

struct study {
	unsigned fabrics, switches;
	struct changes by[SIZES][METHODS];
};

/* Files for the rows of a study. */
struct book {
	FILE *rows, *closed;
	char fabric[32];
};

/* A change that blocked dependencies: their weight, and the paper's choice. */
static void
note_closed(const struct book *b, const char *what, const char *sw,
	const struct trial_outcome *before, const struct trial_outcome *after)
{
	if (after->way[TRANSITION_BLOCKED] > before->way[TRANSITION_BLOCKED])
		(void)fprintf(b->closed, "%s,%s,%s,%.0f,%.0f\n", b->fabric,
			what, sw, after->pairs - before->pairs,
			after->paper - before->paper);
}

/* One switch leaves and returns. */
static void
study_switch(
	struct trial *r, uint32_t sw, const struct book *b, struct changes *by)
{
	const char *name = r->w->fabric->node[sw].name;
	struct changes was = *by;
	bool ours = r->w->config->distribution.method == (int)TRANSITION_AUTO;

	trial_change(r, sw, false, &by->removal);
	if (ours)
		note_closed(b, "removal", name, &was.removal, &by->removal);
	trial_change(r, sw, true, &by->addition);
	if (ours)
		note_closed(b, "addition", name, &was.addition, &by->addition);
}

/* Up to `limit` switches of f leave and return, under every method. */
static void
study_fabric(const struct fabric *f, unsigned limit, const struct book *b,
	struct changes by[METHODS])
{
	double load = trial_saturation(f) / 4;
	struct trial r;

	for (unsigned m = 0; m < METHODS; m++) {
		unsigned done = 0;

		trial_open(&r, f, trial_method[m], load, mono_ms(1));
		for (uint32_t n = 0; n < f->nnodes && done < limit; n++) {
			if (!trial_removable(f, n))
				continue;
			done++;
			study_switch(&r, n, b, &by[m]);
		}
		trial_close(&r);
	}
}

static double
mean_of(double sum, unsigned n)
{
	return n > 0 ? sum / n : 0;
}

static void
csv_head(FILE *out)
{
	(void)fprintf(out, "fabric,change,method,runs,sets,smps,write_us,"
			   "planned_us,lost,lost_from_first_write,expected");
	for (unsigned c = 0; c < LOSS_ESTIMATE_CAUSES; c++)
		(void)fprintf(out, ",lost_%s,expected_%s",
			loss_estimate_cause_name((enum loss_estimate_cause)c),
			loss_estimate_cause_name((enum loss_estimate_cause)c));
	(void)fprintf(out, ",least_flow,worst_flow,direct,staged,blocked,"
			   "pairs_cut,pairs_cut_paper,unsettled,deadlocks\n");
}

static void
csv_row(FILE *out, const char *fabric, const char *what, const char *method,
	const struct trial_outcome *o)
{
	const double each[] = {o->sets, o->smps, o->micros, o->planned, o->lost,
		o->written, loss_estimate_sum(o->expected)};

	(void)fprintf(out, "%s,%s,%s,%u", fabric, what, method, o->n);
	for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++)
		(void)fprintf(out, ",%.1f", mean_of(each[i], o->n));
	for (unsigned c = 0; c < LOSS_ESTIMATE_CAUSES; c++)
		(void)fprintf(out, ",%.1f,%.1f", mean_of(o->dropped[c], o->n),
			mean_of(o->expected[c], o->n));
	(void)fprintf(out, ",%.3f,%.3f,%u,%u,%u,%.0f,%.0f,%u,%u\n",
		mean_of(o->least, o->n), o->worst, o->way[TRANSITION_DIRECT],
		o->way[TRANSITION_STAGED], o->way[TRANSITION_BLOCKED], o->pairs,
		o->paper, o->unsettled, o->deadlocks);
}

/* The cost of a method beside the expected one; in 80 columns. */
static void
print_row(const char *method, const struct trial_outcome *o)
{
	double expected = loss_estimate_sum(o->expected);

	(void)printf("  %-18s %7.1f %9.1f %8.1f %8.1f", method,
		mean_of(o->sets, o->n), mean_of(o->micros, o->n),
		mean_of(o->lost, o->n), mean_of(expected, o->n));
	if (expected >= 0.5 * o->n)
		(void)printf(" %6.2f", o->lost / expected);
	else
		(void)printf(" %6s", "-");
	(void)printf(" %6.2f %6.2f\n", mean_of(o->least, o->n), o->worst);
}

/* The dependencies blocked, beside those that the paper would have blocked. */
static void
print_weight(const struct trial_outcome *o)
{
	(void)printf("  auto wrote at once %u times, in stages %u, blocked "
		     "dependencies "
		     "%u",
		o->way[TRANSITION_DIRECT], o->way[TRANSITION_STAGED],
		o->way[TRANSITION_BLOCKED]);
	if (o->way[TRANSITION_BLOCKED] > 0)
		(void)printf(":\n  their weight %.0f pairs, of the paper's "
			     "choice there %.0f",
			o->pairs, o->paper);
	(void)printf("\n");
}

static void
print_rows(const struct book *b, const struct changes by[METHODS])
{
	for (unsigned k = 0; k < 2; k++) {
		const char *what = k ? "addition" : "removal";
		const struct trial_outcome *o = NULL;
		unsigned stuck = 0, dead = 0;

		(void)printf("\n%s by %s, %s of a switch, %u runs\n"
			     "  %-18s %7s %9s %8s %8s %6s %6s %6s\n",
			b->fabric, by[0].removal.engine, what, by[0].removal.n,
			"method", "SMPs", "us", "dropped", "expected", "ratio",
			"flow", "worst");
		for (unsigned m = 0; m < METHODS; m++) {
			o = k ? &by[m].addition : &by[m].removal;
			csv_row(b->rows, b->fabric, what, trial_method[m], o);
			print_row(trial_method[m], o);
			stuck += o->unsettled;
			dead += o->deadlocks;
		}
		print_weight(o);
		if (stuck + dead > 0)
			(void)printf(
				"  %u runs did not settle, %u deadlocked\n",
				stuck, dead);
	}
	(void)fflush(b->rows);
	(void)fflush(stdout);
}

enum value { SETS, MICROS, LOST };

static double
value_of(const struct trial_outcome *o, enum value v)
{
	double sum = v == SETS ? o->sets : v == MICROS ? o->micros : o->lost;

	return mean_of(sum, o->n);
}

/* Curves of one value over the sizes, one per method. */
struct curves {
	double x[SIZES], y[METHODS][SIZES];
	struct plot_curve curve[METHODS];
};

static void
fill_curves(struct curves *c, const struct study *s, bool removal, enum value v)
{
	for (unsigned m = 0; m < METHODS; m++) {
		for (unsigned i = 0; i < SIZES; i++) {
			c->x[i] = size_of[i];
			c->y[m][i] = value_of(removal ? &s->by[i][m].removal
						      : &s->by[i][m].addition,
				v);
		}
		c->curve[m] = (struct plot_curve){
			trial_method[m], c->x, c->y[m], SIZES};
	}
}

static void
require_ok(int rc, const struct reason *why)
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

		fill_curves(&c[i], s, i % 2 != 0, v);
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
	require_ok(plot_write(path, p, 4, &why), &why);
	(void)snprintf(path, sizeof(path), "%s/figure3.svg", dir);
	require_ok(plot_write(path, p + 4, 2, &why), &why);
}

/* Figure 4: one addition over time. */
struct moment {
	double t[BINS], smps[BINS], lost[BINS], flow[BINS];
};

static void
watch_addition(struct moment *at, const struct fabric *f, uint32_t sw,
	const char *method, double load)
{
	const struct mono bin = mono_us(100);
	const struct data_bin *series;
	uint32_t writes[BINS] = {0}, n = 0;
	uint64_t first;
	struct trial_outcome o = {0};
	struct trial r;

	trial_open(&r, f, method, load, bin);
	trial_change(&r, sw, false, &o);
	world_run(r.w, mono_ms(2));
	r.writes.bin = writes;
	r.writes.bins = BINS;
	r.writes.width = bin;
	r.writes.origin = mono_sub(sim_now(r.w->sim), mono_ms(1));
	first = (uint64_t)(r.writes.origin.ns / bin.ns);
	trial_change(&r, sw, true, &o);
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
	trial_close(&r);
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
			trial_method[m], at[m].t, at[m].smps, BINS};
		curve[1][m] = (struct plot_curve){
			trial_method[m], at[m].t, at[m].lost, BINS};
		curve[2][m] = (struct plot_curve){
			trial_method[m], at[m].t, at[m].flow, BINS};
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
	require_ok(plot_write(path, p, 3, &why), &why);
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
make_figure4(const char *dir)
{
	struct moment *at = mem_zalloc(METHODS, sizeof(*at));
	struct fabric *f = trial_irregular(24, 4);
	double load = trial_saturation(f) / 4;
	uint32_t sw = 0;
	FILE *out = open_csv(dir, "figure4.csv");

	/* the removable switch with the most links */
	for (uint32_t s = 0; s < 24; s++)
		if (trial_removable(f, s) &&
			(!trial_removable(f, sw) ||
				fabric_degree(f, s) > fabric_degree(f, sw)))
			sw = s;
	for (unsigned m = 0; m < METHODS; m++)
		watch_addition(&at[m], f, sw, trial_method[m], load);
	(void)fprintf(out, "method,ms,smps,lost,mb_per_s\n");
	for (unsigned m = 0; m < METHODS; m++)
		for (unsigned i = 0; i < BINS; i++)
			(void)fprintf(out, "%s,%.3f,%.0f,%.0f,%.1f\n",
				trial_method[m], at[m].t[i], at[m].smps[i],
				at[m].lost[i], at[m].flow[i]);
	(void)fclose(out);
	draw_moments(dir, at);
	fabric_free(f);
	free(at);
}

/* ---- fabrics of other shapes ---- */

static void
make_table(const char *dir, unsigned limit, struct book *b)
{
	static const char *const shapes[] = {"two:4:8:4", "kary:2:4",
		"torus:4x4", "torus:3x3x3", "dragonfly:4:2:1"};

	b->rows = open_csv(dir, "table.csv");
	csv_head(b->rows);
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct changes by[METHODS] = {0};
		struct fabric *f = shape_of("%s", shapes[i]);

		trial_slow(f);
		(void)snprintf(b->fabric, sizeof(b->fabric), "%s", shapes[i]);
		study_fabric(f, limit, b, by);
		print_rows(b, by);
		fabric_free(f);
	}
	(void)fclose(b->rows);
}

static void
make_figures23(const char *dir, struct study *s, struct book *b)
{
	b->rows = open_csv(dir, "figure2-3.csv");
	csv_head(b->rows);
	for (unsigned i = 0; i < SIZES; i++) {
		(void)snprintf(b->fabric, sizeof(b->fabric), "irregular %u",
			size_of[i]);
		for (unsigned k = 0; k < s->fabrics; k++) {
			struct fabric *f = trial_irregular(size_of[i], 1 + k);

			study_fabric(f, s->switches, b, s->by[i]);
			fabric_free(f);
		}
		print_rows(b, s->by[i]);
	}
	(void)fclose(b->rows);
	draw_sizes(dir, s);
}

int
main(int argc, char **argv)
{
	struct study *s = mem_zalloc(1, sizeof(*s));
	struct book b = {0};

	if (argc < 2 || argc > 4) {
		(void)fprintf(
			stderr, "usage: figures DIR [FABRICS [SWITCHES]]\n");
		return 2;
	}
	log_set_level(LOG_LEVEL_ERROR);
	s->fabrics = args_number(argc, argv, 2, 2);
	s->switches = args_number(argc, argv, 3, 32);
	if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
		(void)fprintf(
			stderr, "figures: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	b.closed = open_csv(argv[1], "closed.csv");
	(void)fprintf(b.closed, "fabric,change,switch,pairs,paper_pairs\n");
	make_figures23(argv[1], s, &b);
	make_figure4(argv[1]);
	make_table(argv[1], s->switches < 8 ? s->switches : 8, &b);
	(void)fclose(b.closed);
	free(s);
	return 0;
}
