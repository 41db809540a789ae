#include "tests/bench/adaptive_direct.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/escape_net.h"
#include "tests/sim/data/field.h"
#include "tests/topo/shape.h"

enum { PACKET = 2048, SEED = 1 };

/* ---- direct networks ---- */

/*
 * Packets that a host injects may also leave by any port that is on no shortest
 * path, unless the escape there leads back: after that hop they are at a switch
 * port, hence no loop.
 */
static void
add_detours(void *cookie, const struct data_choice *c, struct sim_hops *h)
{
	const struct escape_net *n = cookie;
	const struct fabric *f = n->f;
	uint16_t row = (uint16_t)(c->dlid & ~(n->row - 1));
	uint32_t peer;
	unsigned there;

	if (h->kind != SIM_ESCAPES ||
		!fabric_peer(f, c->node, c->in, &peer, &there) ||
		f->node[peer].type == FABRIC_SWITCH)
		return;
	for (unsigned p = 1; p <= f->node[c->node].nports; p++) {
		if (sim_hops_has(h->tier[0], p) ||
			!fabric_peer(f, c->node, p, &peer, &there) ||
			f->node[peer].type != FABRIC_SWITCH ||
			sim_lft(n->s, peer, row) == there)
			continue;
		sim_hops_add(h->tier[1], p);
	}
	/* the last hop has no other port */
	if (fabric_peer(f, c->node, h->port, &peer, &there) &&
		f->node[peer].type != FABRIC_SWITCH)
		for (unsigned w = 0; w < SIM_HOP_WORDS; w++)
			h->tier[1][w] = 0;
}

struct direct {
	enum data_pattern pattern;
	uint32_t shift;
	double load;
	bool detours;
	const char *what;
};

static double
run_direct(struct escape_net *n, const struct direct *c, double adaptive,
	struct data_report *r)
{
	struct data_options o = data_defaults();
	struct escape_net_load l = {.t = data_traffic_defaults(),
		.warm = mono_us(40),
		.span = mono_us(60),
		.adaptive = adaptive};

	o.escape_wait = mono_us(10);
	o.second_wait = (struct mono){100};
	o.hops = c->detours && adaptive > 0 ? add_detours : NULL;
	o.cookie = n;
	l.t.packet = PACKET;
	l.t.pattern = c->pattern;
	l.t.shift = c->shift;
	l.t.load = c->load;
	data_free(escape_net_run(n, &o, &l, r));
	return r->accepted;
}

static void
print_direct(const char *name, struct fabric *f, const struct direct *rows,
	unsigned count)
{
	const struct escape_net_options e = {
		.entries = 8, .strict = true, .by_manager = true, .seed = SEED};
	struct escape_net *n = escape_net_new(f, &e);

	for (unsigned i = 0; i < count; i++) {
		const struct direct *c = &rows[i];
		struct data_report r;
		double ordered = run_direct(n, c, 0, &r);
		double got = run_direct(n, c, 1, &r);

		(void)printf("  %-15s %-28s %4.2f   %.3f   %.3f  %6.1f us%s\n",
			name, c->what, c->load > 0 ? c->load : 1, ordered, got,
			(double)r.network.p99 / 1e6,
			r.deadlock ? "  DEADLOCK" : "");
		(void)fflush(stdout);
	}
	escape_net_free(n);
}

void
adaptive_direct(void)
{
	static const struct direct dragonfly[] = {
		{DATA_UNIFORM, 0, .6, false, "uniform"},
		{DATA_UNIFORM, 0, .7, false, "uniform"},
		{DATA_SHIFT, 32, .4, false, "shift by a group"},
		{DATA_SHIFT, 32, .4, true, "shift by a group, detours"},
	};
	static const struct direct torus[] = {
		{DATA_UNIFORM, 0, .8, false, "uniform"},
		{DATA_UNIFORM, 0, 0, false, "uniform"},
	};
	static const struct direct hyperx[] = {
		{DATA_SHIFT, 8, .4, false, "shift by a switch"},
		{DATA_SHIFT, 8, .4, true, "shift by a switch, detours"},
		{DATA_SHIFT, 8, 0, false, "shift by a switch"},
		{DATA_SHIFT, 8, 0, true, "shift by a switch, detours"},
	};

	(void)printf("\nDirect networks on one VL, accepted by links of hosts; "
		     "99 %% of latencies\n"
		     "  %-15s %-28s load  ordered adaptive\n",
		"", "");
	print_direct("HyperX 8x8x8", shape_of("hyperx:8x8:8"), hyperx, 4);
	print_direct("torus 8x8x8", shape_of("torus:8x8x8"), torus, 2);
	print_direct(
		"dragonfly 1056", shape_of("dragonfly:8:4:4"), dragonfly, 4);
}

/* ---- trees ---- */

enum prefer { NONE, FLAT, DEFAULT_FIRST };

struct tree {
	const struct fabric *f;
	enum prefer prefer;
	uint64_t (*up)[SIM_HOP_WORDS]; /* [nnodes] ports that lead up */
	uint32_t *rank; /* [nnodes] links to the nearest host, of switches */
};

/* Ranks, breadth first from the hosts. */
static void
rank_switches(struct tree *t)
{
	const struct fabric *f = t->f;
	uint32_t *queue = calloc(f->nnodes, sizeof(*queue)), end = 0;

	for (uint32_t n = 0; n < f->nnodes; n++) {
		t->rank[n] = UINT32_MAX;
		if (f->node[n].type != FABRIC_SWITCH) {
			t->rank[n] = 0;
			queue[end++] = n;
		}
	}
	for (uint32_t i = 0; i < end; i++) {
		uint32_t n = queue[i], peer;
		unsigned there;

		for (unsigned p = 1; p <= f->node[n].nports; p++) {
			if (!fabric_peer(f, n, p, &peer, &there) ||
				t->rank[peer] != UINT32_MAX)
				continue;
			t->rank[peer] = t->rank[n] + 1;
			queue[end++] = peer;
		}
	}
	free(queue);
}

static void
find_up(struct tree *t)
{
	rank_switches(t);
	for (uint32_t n = 0; n < t->f->nnodes; n++) {
		uint32_t peer;
		unsigned there;

		if (t->f->node[n].type != FABRIC_SWITCH)
			continue;
		for (unsigned p = 1; p <= t->f->node[n].nports; p++) {
			if (fabric_peer(t->f, n, p, &peer, &there) &&
				t->rank[peer] > t->rank[n])
				sim_hops_add(t->up[n], p);
		}
	}
}

/* In a whole tree every port that leads up is as good as the default one. */
static void
choose_up(void *cookie, const struct data_choice *c, struct sim_hops *h)
{
	const struct tree *t = cookie;

	if (!sim_hops_has(t->up[c->node], h->port))
		return;
	h->kind = SIM_COMMITS;
	for (unsigned w = 0; w < SIM_HOP_WORDS; w++)
		h->tier[t->prefer == FLAT ? 0 : 1][w] = t->up[c->node][w];
	if (t->prefer == DEFAULT_FIRST)
		sim_hops_add(h->tier[0], h->port);
}

/* Accepted load, and that of the end that gets least. */
static void
print_tree(struct world *w, struct tree *t, enum prefer prefer,
	const struct data_traffic *traffic)
{
	struct data_options o = data_defaults();
	struct data_report r;
	double worst = 1;
	struct data *d;

	t->prefer = prefer;
	o.hops = prefer == NONE ? NULL : choose_up;
	o.cookie = t;
	o.congested = 64;
	d = data_new(w->sim, &o);
	data_traffic_start(d, traffic);
	world_run(w, mono_us(40));
	data_report_mark(d);
	world_run(w, mono_us(100));
	data_report_get(d, &r);
	for (uint32_t i = 0; i < data_ends(d); i++) {
		struct data_end_report e;

		data_report_end(d, i, &e);
		worst = e.accepted < worst ? e.accepted : worst;
	}
	(void)printf("  %.3f (%.3f)", r.accepted, worst);
	(void)fflush(stdout);
	data_free(d);
}

static void
print_trees(const char *name)
{
	struct data_traffic p = data_traffic_defaults(), s = p, u = p;
	const struct {
		const char *name;
		const struct data_traffic *t;
	} rows[] = {{"permutation", &p}, {"shift by 100", &s}, {"uniform", &u}};
	struct fabric *f = shape_of("%s", name);
	struct world *w = field_bring_up(f, "");
	struct tree t = {.f = f};

	t.up = calloc(f->nnodes, sizeof(*t.up));
	t.rank = calloc(f->nnodes, sizeof(*t.rank));
	find_up(&t);
	p.pattern = DATA_PERMUTATION;
	s.pattern = DATA_SHIFT;
	s.shift = 100;
	for (unsigned i = 0; i < 3; i++) {
		(void)printf("  %-10s %-16s", name, rows[i].name);
		for (enum prefer k = NONE; k <= DEFAULT_FIRST; k++)
			print_tree(w, &t, k, rows[i].t);
		(void)printf("\n");
	}
	free(t.up);
	free(t.rank);
	world_free(w);
	fabric_free(f);
}

void
adaptive_direct_trees(void)
{
	(void)printf("\nFat trees of switches that commit, full load: accepted "
		     "(of the worst end)\n"
		     "  %-27s  %-14s %-14s %-14s\n",
		"", "LFT alone", "flat group", "default first");
	print_trees("648:18:18");
}
