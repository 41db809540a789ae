#include "tests/bench/adaptive_direct.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/escape_net.h"
#include "tests/sim/data/field.h"
#include "tests/topo/gen.h"
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

/* ---- trees, and switches that are declared to escape ---- */

enum { GROUPS = 2048, SUB_GROUPS = 2, CONGESTED = 64, MODES = 3 };

static const char *const mode[MODES] = {"{}",
	"routing: {adaptive: {enabled: true, prefer: flat}}\n",
	"routing: {adaptive: {enabled: true, prefer: default}}\n"};

static const char *const declared[MODES] = {"routing: {engines: [updn]}\n",
	"routing: {engines: [updn], adaptive: {enabled: true}}\n",
	"routing: {engines: [updn], adaptive: {enabled: true, "
	"escapes: [\"0x0002c9\"]}}\n"};

struct tree {
	const char *shape;
	unsigned failed; /* links between switches */
	bool by_all;	 /* patterns; else the permutation alone */
	bool late;	 /* the switches escape */
};

/* Every switch can choose among ports. */
static struct fabric *
make_tree(const struct tree *t)
{
	struct fabric *f = shape_of("%s", t->shape);
	struct reason why = {""};

	if (t->failed > 0)
		f = gen_edit_fail_links(f, t->failed, SEED, true, &why);
	if (f == NULL) {
		(void)fprintf(stderr, "adaptive: %s\n", why.text);
		exit(1);
	}
	for (uint32_t i = 0; i < f->nnodes; i++) {
		struct fabric_attrs *a = &f->node[i].attrs;

		if (f->node[i].type != FABRIC_SWITCH)
			continue;
		a->ar = true;
		a->ar_late = t->late;
		a->groups = GROUPS;
		a->sub_groups = SUB_GROUPS;
	}
	return f;
}

/* Accepted load, and that of the end that gets least; the port of the subnet
 * manager, to which all packets are ordered, apart. */
static void
print_load(struct world *w, const struct data_traffic *traffic, bool late)
{
	struct data_options o = data_defaults();
	struct data_report r;
	double worst = 1, own = 1;
	struct data *d;

	o.congested = CONGESTED;
	if (late)
		o.escape_wait = mono_us(10);
	d = data_new(w->sim, &o);
	data_traffic_start(d, traffic);
	world_run(w, mono_us(40));
	data_report_mark(d);
	world_run(w, mono_us(100));
	data_report_get(d, &r);
	for (uint32_t i = 0; i < data_ends(d); i++) {
		struct data_end_report e;

		data_report_end(d, i, &e);
		if (data_end_node(d, i) == w->host)
			own = e.accepted;
		else
			worst = e.accepted < worst ? e.accepted : worst;
	}
	(void)printf("  %.3f (%.3f, %.3f)%s", r.accepted, worst, own,
		r.deadlock ? " DEADLOCK" : "");
	(void)fflush(stdout);
	data_free(d);
}

static void
print_tree(const struct tree *t)
{
	const char *const *modes = t->late ? declared : mode;
	struct data_traffic p = data_traffic_defaults(), s = p, u = p;
	const struct {
		const char *name;
		const struct data_traffic *t;
	} rows[] = {{"permutation", &p}, {"shift by 100", &s}, {"uniform", &u}};
	struct fabric *f = make_tree(t);
	struct world *w = field_bring_up(f, modes[0]);

	p.pattern = DATA_PERMUTATION;
	s.pattern = DATA_SHIFT;
	s.shift = 100;
	for (unsigned i = 0; i < (t->by_all ? 3 : 1); i++) {
		(void)printf("  %-10s %2u failed %-13s", t->shape, t->failed,
			rows[i].name);
		for (unsigned k = 0; k < MODES; k++) {
			world_reload(w, modes[k]);
			if (!world_settle(w, mono_ms(60000)))
				(void)printf("  NOT SETTLED");
			print_load(w, rows[i].t, t->late);
		}
		(void)printf("\n");
	}
	world_free(w);
	fabric_free(f);
}

void
adaptive_direct_trees(void)
{
	static const struct tree trees[] = {{"648:18:18", 0, true, false},
		{"648:18:18", 34, false, false}, {"three:24", 0, false, false}};

	(void)printf("\nFat trees with the adaptive groups of the subnet "
		     "manager, full load: accepted (of the worst end, "
		     "of the port of the manager)\n"
		     "  %-34s  %-20s %-21s %s\n",
		"", "off", "prefer: flat", "prefer: default");
	for (size_t i = 0; i < sizeof(trees) / sizeof(*trees); i++)
		print_tree(&trees[i]);
}

void
adaptive_direct_declared(void)
{
	static const struct tree nets[] = {{"random:64:4:4:1", 0, true, true},
		{"torus:4x4x4", 0, true, true},
		{"dragonfly:4:2:2", 0, true, true}};

	(void)printf(
		"\nSwitches that escape, by the groups of the subnet "
		"manager on one VL, full load: accepted (of the worst end, "
		"of the port of the manager)\n"
		"  %-34s  %-20s %-21s %s\n",
		"", "off", "as all others", "declared to escape");
	for (size_t i = 0; i < sizeof(nets) / sizeof(*nets); i++)
		print_tree(&nets[i]);
}
