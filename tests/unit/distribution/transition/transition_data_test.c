/*
 * Deadlocks of simulated packets: another root is given to a fabric that is
 * full of traffic, and one switch is slow to take its tables. Old and new
 * tables are free of deadlock, each of them; while both are in force, a ring of
 * buffers waits for itself, unless the method prevents it. Method dynamic does
 * not, the others do.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "routing/driver/registry.h"
#include "tests/sim/data/field.h"
#include "tests/sim/referee/watch.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { STATIC, BREAK_PORTS, BREAK_DEPENDENCIES, DYNAMIC, AUTO, METHODS };

static const char *const method_of[METHODS] = {
	"static", "break-ports", "break-dependencies", "dynamic", "auto"};

/* A fabric, the switches (first, second ...) that are its roots, and the one
 * that gets its tables last. */
struct transition {
	const char *fabric;
	unsigned from, to, late;
};

static const struct transition transitions[] = {
	{"torus:6", 0, 3, 1},
	{"torus:3x4", 0, 10, 1},
	{"random:12:3:1:7", 0, 7, 3},
};

enum { TRANSITIONS = sizeof(transitions) / sizeof(*transitions) };

/* The outcome; packets delivered, all but the last in a millisecond. */
struct outcome {
	struct data_report r;
	char cycle[2048];
	uint64_t usual; /* before the change */
	uint64_t least; /* in the worst millisecond from the change on */
	uint64_t after; /* when all is over */
	uint64_t lost;	/* packets discarded */
};

enum { BINS = 40, USUAL = 5, LATE_MS = 12 };

static uint32_t
nth_switch(const struct fabric *f, unsigned k)
{
	uint32_t n = 0;

	while (f->node[n].type != FABRIC_SWITCH || k-- > 0)
		n++;
	return n;
}

/* Writes to one switch are lost for a while. */
struct loss {
	uint32_t node;
	struct mono until; /* 0: nothing was written yet */
};

static enum sim_verdict
drop_late_lft(void *cookie, struct sim_msg *m)
{
	struct loss *l = cookie;
	unsigned attr = (unsigned)m->m.mad[16] << 8 | m->m.mad[17];

	if (m->where != SIM_AT_SMA || m->m.mad[3] != MAD_SET || attr != MAD_LFT)
		return SIM_PASS;
	if (l->until.ns == 0)
		l->until = mono_add(m->now, mono_ms(LATE_MS));
	return m->node == l->node && mono_before(m->now, l->until) ? SIM_DROP
								   : SIM_PASS;
}

static struct config *
config_with_root(const struct fabric *f, unsigned root, unsigned method)
{
	AUTO(diag_list) struct diag_list bad = {0};
	struct config *c;
	char yaml[512];

	(void)snprintf(yaml, sizeof(yaml),
		"sweep: {interval: 0, hold_down: 1ms}\n"
		"link: {max_vls: 1}\n"
		"distribution: {method: %s, allow_unsafe: true, drain: 1ms}\n"
		"smp: {timeout: 4ms, retries: 5}\n"
		"routing: {engines: [updn], updn: {roots: [0x%llx]}}\n",
		method_of[method],
		(unsigned long long)f->node[nth_switch(f, root)].guid);
	c = config_parse(
		"test.yaml", yaml, strlen(yaml), registry_modules(), &bad);
	ck_assert_ptr_nonnull(c);
	return c;
}

static uint64_t
count_delivered(struct world *w, struct data *d, struct mono t)
{
	struct data_report before, after;

	data_report_get(d, &before);
	world_run(w, t);
	data_report_get(d, &after);
	return after.delivered - before.delivered;
}

static struct world *
bring_up(const struct transition *x, const struct fabric *f, unsigned method)
{
	struct sim_options so = sim_defaults();
	struct world *w = world_new(f, &so, "");

	config_unref(w->config);
	w->config = config_with_root(f, x->from, method);
	world_start(w);
	ck_assert_msg(world_settle(w, mono_ms(60000)), "%s", w->last_why);
	return w;
}

/* Changes the root and runs traffic for a while. */
static void
change_root(const struct transition *x, unsigned method, struct world *w,
	struct data *d, struct outcome *o)
{
	struct loss loss = {.node = nth_switch(w->fabric, x->late)};
	struct config *c = config_with_root(w->fabric, x->to, method);
	unsigned commits = w->commits;

	sim_set_hook(w->sim, drop_late_lft, &loss);
	world_take_config(w, c);
	config_unref(c);
	o->least = UINT64_MAX;
	for (unsigned i = 0; i < BINS; i++) {
		uint64_t n = count_delivered(w, d, mono_ms(1));

		o->least = n < o->least ? n : o->least;
	}
	sim_set_hook(w->sim, NULL, NULL);
	ck_assert(loss.until.ns != 0);
	world_run(w, mono_ms(20));
	ck_assert_msg(w->commits > commits, "%s", w->last_why);
}

/* Runs one method; frees all but the outcome. */
static void
run_trial(const struct transition *x, unsigned method, struct outcome *o)
{
	struct data_options dopt = data_fifo();
	struct data_traffic t = data_traffic_defaults();
	struct data_report before;
	AUTO(fabric) struct fabric *f = shape_of("%s", x->fabric);
	AUTO(world) struct world *w = NULL;
	AUTO(data) struct data *d = NULL;

	*o = (struct outcome){0};
	field_slow(f);
	w = bring_up(x, f, method);
	d = data_new(w->sim, &dopt);
	data_traffic_start(d, &t);
	world_run(w, mono_ms(2));
	o->usual = count_delivered(w, d, mono_ms(USUAL)) / USUAL;
	data_report_get(d, &before);
	ck_assert_msg(!before.deadlock, "%s", before.cycle);
	change_root(x, method, w, d, o);
	o->after = count_delivered(w, d, mono_ms(USUAL)) / USUAL;
	data_report_get(d, &o->r);
	o->lost = o->r.dropped - before.dropped;
	(void)snprintf(o->cycle, sizeof(o->cycle), "%s", o->r.cycle);
}

static void
print_outcome(
	const struct transition *x, unsigned method, const struct outcome *o)
{
	(void)printf("%s, %s: %llu packets a ms before, %llu at least, %llu "
		     "after, %llu lost\n%s",
		x->fabric, method_of[method], (unsigned long long)o->usual,
		(unsigned long long)o->least, (unsigned long long)o->after,
		(unsigned long long)o->lost, o->cycle);
}

LOOP_TEST(dynamic_deadlocks, 0, TRANSITIONS)
{
	struct outcome o;

	run_trial(&transitions[_i], DYNAMIC, &o);
	print_outcome(&transitions[_i], DYNAMIC, &o);
	ck_assert(o.r.deadlock && o.r.deadlock_now);
	ck_assert_ptr_nonnull(strstr(o.cycle, "wait for each other in a "
					      "circle"));
	/* the new tables are in force and free of deadlock: too late */
	ck_assert_uint_lt(o.after, o.usual / 100);
}

LOOP_TEST(all_others_do_not, 0, (METHODS - 1) * TRANSITIONS)
{
	const struct transition *x = &transitions[_i / (METHODS - 1)];
	unsigned method = (unsigned)_i % (METHODS - 1);
	struct outcome o;

	method += method >= DYNAMIC;
	run_trial(x, method, &o);
	print_outcome(x, method, &o);
	ck_assert_msg(!o.r.deadlock, "%s", o.cycle);
	ck_assert_uint_gt(o.after, o.usual * 8 / 10);
	/* Nothing is delivered under static; under auto next to no dip is seen,
	 * though one switch takes nothing for a while. */
	if (method == STATIC)
		ck_assert_uint_eq(o.least, 0);
	if (method == AUTO)
		ck_assert_uint_gt(o.least, o.usual * 7 / 10);
}
