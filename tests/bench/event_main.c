/*
 * event: something is lost and comes back - a cable, a switch, a line card
 * (four switches of one level) - and this is what it takes: the real core on
 * the virtual clock over a simulated fabric, in numbers that do not depend on
 * the machine, but for the milliseconds of CPU.
 *
 *   entries, blocks   of the tables that were changed
 *   minimum           entries and blocks that any repair has to change: the
 *                     port that they name leads nowhere any more, or they are
 *                     a new switch's
 *   trap to ack       virtual: first trap received to the last write's answer
 *   CPU               routing, verification and safe plan, not in the former
 *   lost              packets discarded, at 2 % load of slow cables; where the
 *                     fabric has no more than 1,000 nodes
 *
 * usage: event [FIXTURES] (tree11664 with BENCH_BIG=1 in the environment)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/log.h"
#include "sm/base/mem.h"
#include "sm/view.h"
#include "tests/sim/data.h"
#include "tests/sim/data_report.h"
#include "tests/sim/data_traffic.h"
#include "tests/sim/world.h"
#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"

enum { CARD = 4, TRAFFIC_NODES = 1000 };

/* What the wire saw since the event. */
struct seen {
	bool trap, write;
	struct mono trap_at, write_at, ack_at;
	uint8_t tid[8]; /* of the last write */
};

struct run {
	const struct fabric *f;
	struct world *w;
	struct data *d; /* or NULL */
	struct seen seen;
};

static enum sim_verdict
see(void *cookie, struct sim_msg *m)
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

/* ---- what is lost ---- */

enum what { LINK, SWITCH, LINE_CARD, WHATS };

struct event {
	enum what what;
	uint32_t node[CARD];
	unsigned nnodes, port;
};

/* More than an aggregation node. */
static bool
has_hosts(const struct fabric *f, uint32_t n)
{
	uint32_t peer;
	unsigned port, hosts = 0;

	for (unsigned p = 1; p <= f->node[n].nports; p++)
		hosts += fabric_peer(f, n, p, &peer, &port) &&
			 f->node[peer].type != FABRIC_SWITCH;
	return hosts > 1;
}

/* Switches without hosts whose first neighbour is the first one's. */
static void
find(const struct fabric *f, enum what what, struct event *e)
{
	uint32_t first = FABRIC_NONE, peer;
	unsigned port, want = what == LINE_CARD ? CARD : 1;

	*e = (struct event){.what = what};
	for (uint32_t n = 0; n < f->nnodes && e->nnodes < want; n++) {
		unsigned p = 1;

		if (f->node[n].type != FABRIC_SWITCH || has_hosts(f, n))
			continue;
		while (p <= f->node[n].nports &&
			!fabric_peer(f, n, p, &peer, &port))
			p++;
		if (p > f->node[n].nports)
			continue;
		if (first == FABRIC_NONE)
			first = peer;
		if (peer != first)
			continue;
		e->port = p;
		e->node[e->nnodes++] = n;
	}
}

static void
happen(const struct run *r, const struct event *e, bool back)
{
	if (e->what == LINK) {
		sim_fault_link(r->w->sim, e->node[0], e->port, back);
		return;
	}
	for (unsigned i = 0; i < e->nnodes; i++)
		sim_fault_node(r->w->sim, e->node[i], back);
}

/* ---- the least that has to change ---- */

struct least {
	uint64_t entries, blocks;
};

/* The switch's entry leads over a cable that is there no more. */
static bool
dead(const struct topo *was, node_ix o, const struct topo *is, node_ix n,
	uint8_t port)
{
	return port != 0 && port <= was->node[o].nports &&
	       was->port[was->node[o].first_port + port].peer != TOPO_NONE &&
	       is->port[is->node[n].first_port + port].peer == TOPO_NONE;
}

static void
count_switch(const struct routes *was, const struct routes *is, sw_ix s,
	struct least *l)
{
	const struct topo *t = is->topo, *u = was->topo;
	node_ix n = t->sw[s].node, o = topo_by_node_guid(u, t->node[n].guid);
	uint64_t block = UINT64_MAX;

	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		if (t->by_lid[lid] == TOPO_NONE)
			continue;
		if (o != TOPO_NONE &&
			!dead(u, o, t, n,
				routes_port(was, u->node[o].sw, (uint16_t)lid)))
			continue;
		l->entries++;
		l->blocks += lid / LFT_BLOCK != block;
		block = lid / LFT_BLOCK;
	}
}

static struct least
least(const struct routes *was, const struct routes *is)
{
	struct least l = {0};

	for (sw_ix s = 0; s < is->topo->nsw; s++)
		count_switch(was, is, s, &l);
	return l;
}

static struct least
changed(const struct routes *was, const struct routes *is)
{
	struct least l = {0};
	const struct topo *t = is->topo, *u = was->topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		node_ix o = topo_by_node_guid(u, t->node[t->sw[s].node].guid);
		uint64_t block = UINT64_MAX;

		for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
			uint16_t d = (uint16_t)lid;

			if (routes_port(is, s, d) ==
				(o == TOPO_NONE ? LFT_DROP
						: routes_port(was,
							  u->node[o].sw, d)))
				continue;
			l.entries++;
			l.blocks += lid / LFT_BLOCK != block;
			block = lid / LFT_BLOCK;
		}
	}
	return l;
}

/* ---- one event ---- */

static void
print_smps(const struct sim_stats *a, const struct sim_stats *b)
{
	(void)printf("    %llu SMPs:", (unsigned long long)(b->smps - a->smps));
	for (uint16_t attr = 0; attr < SIM_STD_ATTRS; attr++) {
		unsigned row = sim_attr_row(attr);
		uint64_t get = b->by[row][MAD_GET] - a->by[row][MAD_GET];
		uint64_t set = b->by[row][MAD_SET] - a->by[row][MAD_SET];

		if (get + set > 0)
			(void)printf(" %s %llu+%llu", mad_attr_name(attr),
				(unsigned long long)get,
				(unsigned long long)set);
	}
	(void)printf(" (Get+Set)\n");
}

static bool
still(const struct run *r, unsigned commits)
{
	struct sm_status s;

	sm_status(r->w->sm, &s);
	return r->w->commits != commits && s.phase == SM_IDLE && !s.dirty;
}

static void
one(struct run *r, const struct event *e, bool back)
{
	static const char *const name[WHATS] = {"link", "switch", "line card"};
	struct routes *was = routes_ref(sm_view(r->w->sm)->routes), *is;
	struct sim_stats before = *sim_stats(r->w->sim);
	struct mono cpu = r->w->cpu;
	struct data_report d0 = {0}, d1 = {0};
	unsigned commits = r->w->commits, i;
	struct least min, did;
	const struct view *v;

	if (r->d != NULL)
		data_report_get(r->d, &d0);
	r->seen = (struct seen){0};
	happen(r, e, back);
	for (i = 0; i < 3000 && !still(r, commits); i++)
		world_run(r->w, mono_ms(10));
	if (r->d != NULL)
		data_report_get(r->d, &d1);
	v = sm_view(r->w->sm);
	is = v->routes;
	min = least(was, is);
	did = changed(was, is);
	(void)printf("  %s %s: %s, %llu entries in %llu blocks (minimum %llu "
		     "in %llu), %u stages, %zu turns blocked, trap to last ack "
		     "%.2f ms, CPU %.1f ms",
		name[e->what], back ? "back" : "lost", v->change.way,
		(unsigned long long)did.entries, (unsigned long long)did.blocks,
		(unsigned long long)min.entries, (unsigned long long)min.blocks,
		v->change.stages, v->change.nturns,
		(double)mono_sub(r->seen.ack_at, r->seen.trap_at).ns / 1e6,
		(double)mono_sub(r->w->cpu, cpu).ns / 1e6);
	if (r->d != NULL)
		(void)printf(", %llu of %llu packets lost",
			(unsigned long long)(d1.dropped - d0.dropped),
			(unsigned long long)(d1.injected - d0.injected));
	(void)printf("%s\n", i == 3000 ? " - NO REST" : "");
	print_smps(&before, sim_stats(r->w->sim));
	(void)fflush(stdout);
	routes_unref(was);
	world_run(r->w, mono_ms(r->d != NULL ? 10 : 5000));
}

/* f is freed; NULL allowed: not there. */
static void
events(const char *name, struct fabric *f, const struct reason *why)
{
	struct sim_options so = sim_defaults();
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	struct run r = {.f = f};

	if (f == NULL) {
		(void)printf("%s: skipped: %s\n", name, why->text);
		return;
	}
	for (uint32_t c = 0; c < f->ncables && f->nnodes < TRAFFIC_NODES; c++)
		f->cable[c].rate = (struct fabric_rate){1, 1, 0, false};
	r.w = world_new(f, &so, "sweep: {interval: 0}\n");
	world_start(r.w);
	(void)world_settle(r.w, mono_ms(600000));
	sim_set_hook(r.w->sim, see, &r.seen);
	(void)printf("%s: %u nodes, bring-up %llu SMPs\n", name, f->nnodes,
		(unsigned long long)sim_stats(r.w->sim)->smps);
	if (f->nnodes < TRAFFIC_NODES) {
		r.d = data_new(r.w->sim, &o);
		t.load = 0.02;
		data_traffic_start(r.d, &t);
		world_run(r.w, mono_ms(2));
	}
	for (int what = 0; what < WHATS; what++) {
		struct event e;

		find(f, (enum what)what, &e);
		if (e.nnodes == 0)
			continue;
		one(&r, &e, false);
		one(&r, &e, true);
	}
	data_free(r.d);
	world_free(r.w);
	fabric_free(f);
}

int
main(int argc, char **argv)
{
	static const struct gen_fattree2 ft648 = {18, 36, 1, 18, 18};
	const char *fixtures = argc > 1 ? argv[1] : getenv("HEDDLE_FIXTURES");
	struct reason why = {""};
	char path[512];

	log_set_level(LOG_LEVEL_ERROR);
	events("tree648", gen_tree_two(&ft648, &why), &why);
	(void)snprintf(path, sizeof(path), "%s/%s.ibnet",
		fixtures != NULL ? fixtures : "../shared/fixtures",
		"ufm-sdk-selene-compute");
	events("selene", ibnet_load(path, NULL, &why), &why);
	if (getenv("BENCH_BIG") != NULL)
		events("tree11664", gen_tree_three(36, &why), &why);
	return 0;
}
