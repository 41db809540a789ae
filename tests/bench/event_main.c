/*
 * event: a link, a switch, a card of four switches of one tier, once without
 * hosts and once with them, is lost and comes back, and the cost of it: the
 * real core on the virtual clock over a simulated fabric, in numbers that do
 * not depend on the machine, except the milliseconds of CPU.
 *
 *   entries, blocks   of the tables that were changed
 *   minimum           entries and blocks that any repair has to change that
 *                     keeps the switch order: see parts.h
 *   restored          virtual: from the event until no entry for a reachable
 *                     LID leads into a link that is down
 *   last ack          virtual: from the event to the last write's answer, and
 *                     from the first trap received
 *   timeline          of the last run: what it waited for
 *   CPU               routing, verification and plan; not part of the above
 *   longest turn      CPU of the longest call into the core, in which it
 *                     answers no query
 *   lost              packets discarded, of those that hosts sent from the
 *                     event until all was quiet: at 2 % load of slow links, or
 *                     less, so that a large fabric sends no more than a small
 *                     one
 *
 * The part lost is the one that most entries lead to, among all of its kind.
 *
 * usage: event [FABRIC...] (default: tree648 selene; another is tree11664),
 * with HEDDLE_FIXTURES in the environment
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/log.h"
#include "sm/base/mem.h"
#include "sm/view/view.h"
#include "tests/bench/parts.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/model/world.h"
#include "tests/topo/shape.h"

enum { TRAFFIC_NODES = 1000 /* at the full 2 % */ };

/* SMPs seen since the event. */
struct seen {
	bool trap, write;
	struct mono trap_at, write_at, ack_at;
	uint8_t tid[8]; /* of the last write */
};

struct run {
	const struct fabric *f;
	struct world *w;
	struct data *d;
	struct seen seen;
};

static enum sim_verdict
on_message(void *cookie, struct sim_msg *m)
{
	struct seen *s = cookie;
	const uint8_t *mad = m->m.mad;
	unsigned attr = (unsigned)mad[16] << 8 | mad[17];

	if (m->where == SIM_AT_ENDPOINT && mad[3] == MAD_TRAP && !s->trap) {
		s->trap = true;
		s->trap_at = m->now;
	}
	if (m->where == SIM_AT_SMA && mad[3] == MAD_SET &&
		(attr == MAD_LFT || attr == MAD_SL2VL ||
			attr == MAD_PORT_INFO)) {
		s->write = true;
		s->write_at = s->ack_at = m->now;
		memcpy(s->tid, mad + 8, sizeof(s->tid));
	}
	if (m->where == SIM_AT_ENDPOINT && s->write &&
		memcmp(s->tid, mad + 8, sizeof(s->tid)) == 0)
		s->ack_at = m->now;
	return SIM_PASS;
}

static void
apply_event(const struct run *r, const struct parts *e, bool back)
{
	if (e->what == PARTS_LINK) {
		sim_fault_link(r->w->sim, e->node[0], e->port, back);
		return;
	}
	for (unsigned i = 0; i < e->nnodes; i++)
		sim_fault_node(r->w->sim, e->node[i], back);
}

/* ---- until no entry leads into a link that is down ---- */

struct repair {
	const struct run *r;
	uint32_t *lid_node; /* by LID: its node, if reachable */
	uint16_t max_lid;
	bool *bad; /* [node][lid] */
	size_t n;
	struct mono at; /* when n became 0 last */
};

static void
check_entry(struct repair *x, uint32_t node, uint16_t lid)
{
	struct sim *sim = x->r->w->sim;
	uint8_t out = sim_lft(sim, node, lid);
	bool *bad = &x->bad[(size_t)node * (x->max_lid + 1U) + lid];
	bool is = x->lid_node[lid] != FABRIC_NONE && x->lid_node[lid] != node &&
		  sim_present(sim, node) && out != 0 &&
		  out <= x->r->f->node[node].nports &&
		  sim_port_info(sim, node, out)->state < 4;

	if (is == *bad)
		return;
	*bad = is;
	x->n = is ? x->n + 1 : x->n - 1;
	if (x->n == 0)
		x->at = sim_now(sim);
}

static void
on_change(void *cookie, const struct sim_change *c)
{
	struct repair *x = cookie;
	unsigned first = c->what == SIM_BLOCK ? c->arg * 64 : 0;
	unsigned last = c->what == SIM_BLOCK ? first + 63 : x->max_lid;

	if (c->what == SIM_SL2VL ||
		x->r->f->node[c->node].type != FABRIC_SWITCH)
		return;
	for (unsigned lid = first; lid <= last && lid <= x->max_lid; lid++)
		check_entry(x, c->node, (uint16_t)lid);
}

/* Find the nodes that the SM can reach over links that are up, by LID. */
static void
index_reached(struct repair *x)
{
	const struct fabric *f = x->r->f;
	const struct sim *sim = x->r->w->sim;
	uint32_t *queue = mem_zalloc(f->nnodes, sizeof(*queue));
	bool *seen = mem_zalloc(f->nnodes, sizeof(*seen));
	size_t head = 0, n = 0;

	queue[n++] = fabric_first_host(f);
	seen[queue[0]] = true;
	while (head < n) {
		uint32_t u = queue[head++], v;
		unsigned port;

		for (unsigned p = 0; p <= f->node[u].nports; p++) {
			uint16_t lid = sim_port_info(sim, u, p)->lid;

			if (lid != 0 && lid <= x->max_lid &&
				(p == 0 || sim_port_info(sim, u, p)->state > 1))
				x->lid_node[lid] = u;
			if (p == 0 || !fabric_peer(f, u, p, &v, &port) ||
				seen[v] || sim_port_info(sim, u, p)->state < 2)
				continue;
			seen[v] = true;
			queue[n++] = v;
		}
	}
	free(queue);
	free(seen);
}

static struct repair *
repair_new(const struct run *r)
{
	struct repair *x = mem_zalloc(1, sizeof(*x));
	const struct fabric *f = r->f;

	x->r = r;
	x->max_lid = sm_view(r->w->sm)->topo->max_lid;
	x->lid_node = mem_zalloc(x->max_lid + 1U, sizeof(*x->lid_node));
	for (unsigned i = 0; i <= x->max_lid; i++)
		x->lid_node[i] = FABRIC_NONE;
	index_reached(x);
	x->bad = mem_zalloc(
		(size_t)f->nnodes * (x->max_lid + 1U), sizeof(*x->bad));
	x->at = sim_now(r->w->sim);
	for (uint32_t n = 0; n < f->nnodes; n++)
		for (unsigned lid = 1;
			f->node[n].type == FABRIC_SWITCH && lid <= x->max_lid;
			lid++)
			check_entry(x, n, (uint16_t)lid);
	sim_watch(r->w->sim, on_change, x);
	return x;
}

static void
repair_free(struct repair *x)
{
	sim_watch(x->r->w->sim, NULL, NULL);
	free(x->bad);
	free(x->lid_node);
	free(x);
}

/* ---- one event ---- */

static void
print_smps(const struct sim_stats *a, const struct sim_stats *b)
{
	(void)printf("    %llu SMPs:", (unsigned long long)(b->smps - a->smps));
	for (unsigned attr = 0; attr < SIM_STD_ATTRS; attr++) {
		unsigned row = sim_attr_row((uint16_t)attr);
		uint64_t get = b->by[row][MAD_GET] - a->by[row][MAD_GET];
		uint64_t set = b->by[row][MAD_SET] - a->by[row][MAD_SET];

		if (get + set > 0)
			(void)printf(" %s %llu+%llu",
				mad_attr_name((uint16_t)attr),
				(unsigned long long)get,
				(unsigned long long)set);
	}
	(void)printf(" (Get+Set)\n");
}

static bool
is_settled(const struct run *r, unsigned commits)
{
	struct sm_status s;

	sm_status(r->w->sm, &s);
	return r->w->commits != commits && s.phase == SM_IDLE && !s.dirty;
}

static double
to_ms(struct mono t)
{
	return (double)t.ns / 1e6;
}

/* Print when the repairing run began, and what it waited for. */
static void
print_timeline(const struct view *v, const struct seen *s, struct mono began)
{
	struct mono run = mono_sub(v->when, v->times.total);

	(void)printf("    timeline: trap +%.2f ms, run +%.2f, asking %.2f, "
		     "read-back %.2f, routing %.2f, writing %.2f; cause: %s\n",
		to_ms(mono_sub(s->trap_at, began)), to_ms(mono_sub(run, began)),
		to_ms(v->times.discover), to_ms(v->times.readback),
		to_ms(v->times.route), to_ms(v->times.push), v->cause);
}

/* Print the longest call into the core, and start anew. */
static void
print_turn(struct world *w)
{
	(void)printf("    longest turn of the core: %.1f ms of CPU, until %s\n",
		to_ms(w->longest), sm_phase_name(w->longest_to));
	w->longest = (struct mono){0};
}

static void
print_change(const struct run *r, const struct parts *e, bool back,
	const struct routes *was)
{
	const struct view *v = sm_view(r->w->sm);
	struct parts_sum min = parts_least(was, v->routes);
	struct parts_sum did = parts_changed(was, v->routes);
	char name[160];

	parts_name(r->f, e, name);

	(void)printf("  %s %s: %s, %llu entries in %llu blocks "
		     "(minimum %llu in %llu), %u stages, %zu turns blocked",
		name, back ? "back" : "lost", v->change.kind,
		(unsigned long long)did.entries, (unsigned long long)did.blocks,
		(unsigned long long)min.entries, (unsigned long long)min.blocks,
		v->change.stages, v->change.ndeps);
}

static void
run_event(struct run *r, const struct parts *e, bool back)
{
	struct routes *was = routes_ref(sm_view(r->w->sm)->routes);
	struct sim_stats before = *sim_stats(r->w->sim);
	struct mono cpu = r->w->cpu, began = sim_now(r->w->sim);
	struct data_report d0 = {0}, d1 = {0};
	unsigned commits = r->w->commits, i;
	struct repair *x;

	data_report_get(r->d, &d0);
	r->seen = (struct seen){0};
	apply_event(r, e, back);
	x = repair_new(r);
	for (i = 0; i < 3000 && !is_settled(r, commits); i++)
		world_run(r->w, mono_ms(10));
	data_report_get(r->d, &d1);
	print_change(r, e, back, was);
	(void)printf(", restored %.2f ms, last ack %.2f ms (%.2f from the "
		     "trap), CPU %.1f ms",
		to_ms(mono_sub(x->at, began)),
		to_ms(mono_sub(r->seen.ack_at, began)),
		to_ms(mono_sub(r->seen.ack_at, r->seen.trap_at)),
		to_ms(mono_sub(r->w->cpu, cpu)));
	(void)printf(", %llu of %llu packets lost",
		(unsigned long long)(d1.dropped - d0.dropped),
		(unsigned long long)(d1.injected - d0.injected));
	(void)printf("%s%s\n", i == 3000 ? " - NO REST" : "",
		x->n > 0 ? " - NOT RESTORED" : "");
	print_timeline(sm_view(r->w->sm), &r->seen, began);
	if (sm_view(r->w->sm)->change.cause[0] != '\0')
		(void)printf("    %s\n", sm_view(r->w->sm)->change.cause);
	print_smps(&before, sim_stats(r->w->sim));
	print_turn(r->w);
	(void)fflush(stdout);
	routes_unref(was);
	repair_free(x);
	world_run(r->w, mono_ms(300));
}

/* f is freed; NULL: skipped, for the reason why. */
static void
run_fabric(const char *name, struct fabric *f, const struct reason *why)
{
	struct sim_options so = sim_defaults();
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	struct run r = {.f = f};

	if (f == NULL) {
		(void)printf("%s: skipped: %s\n", name, why->text);
		return;
	}
	for (uint32_t c = 0; c < f->ncables; c++)
		f->cable[c].rate = (struct fabric_rate){1, 1, 0, false};
	r.w = world_new(f, &so, "sweep: {interval: 0}\n");
	r.w->timed = true;
	world_start(r.w);
	(void)world_settle(r.w, mono_ms(600000));
	sim_set_hook(r.w->sim, on_message, &r.seen);
	(void)printf("%s: %u nodes, bring-up %llu SMPs\n", name, f->nnodes,
		(unsigned long long)sim_stats(r.w->sim)->smps);
	print_turn(r.w);
	r.d = data_new(r.w->sim, &o);
	t.load = 0.02 * TRAFFIC_NODES /
		 (f->nnodes > TRAFFIC_NODES ? f->nnodes : TRAFFIC_NODES);
	data_traffic_start(r.d, &t);
	world_run(r.w, mono_ms(2));
	for (int what = 0; what < PARTS; what++) {
		struct parts e;

		parts_find(
			f, sm_view(r.w->sm)->routes, (enum parts_what)what, &e);
		if (e.nnodes == 0)
			continue;
		run_event(&r, &e, false);
		run_event(&r, &e, true);
	}
	data_free(r.d);
	world_free(r.w);
	fabric_free(f);
}

static void
run_named(const char *name)
{
	const char *fixtures = getenv("HEDDLE_FIXTURES");
	struct reason why = {""};

	run_fabric(name,
		shape_load(name,
			fixtures != NULL ? fixtures : "../shared/fixtures",
			&why),
		&why);
}

int
main(int argc, char **argv)
{
	log_set_level(LOG_LEVEL_ERROR);
	for (int i = 1; i < argc; i++)
		run_named(argv[i]);
	if (argc < 2) {
		run_named("648:18:18");
		run_named("ufm-sdk-selene-compute");
	}
	return 0;
}
