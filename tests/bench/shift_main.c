/*
 * shift: a link, a switch, cards of four switches are lost and come back, each
 * by itself: the change of the tables and its transition. Routing and the plan
 * alone, in seconds: event has what the fabric and its hosts see.
 *
 *   entries, blocks  that change, and the least (parts.h)
 *   drop             of these the ones that drop packets now, or did before
 *   load             of the busiest link, and that of fresh tables
 *   reversed         links that change direction in the switch order, of those
 *                    between switches that stay
 *
 * usage: shift FABRIC... (see shape.h)
 */
#include <stdio.h>
#include <stdlib.h>

#include "distribution/transition/transition.h"
#include "routing/driver/compute.h"
#include "sm/base/mem.h"
#include "tests/bench/bench_clock.h"
#include "tests/bench/parts.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/distribution/transition/transition_world.h"

enum { LIMIT = 1250, STAGES = 8 };

struct net {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
};

static struct routes *
compute_tables(const struct net *n, struct topo *t, const struct routes *prev,
	struct route_account *story)
{
	static const struct engine_options plain = {0};
	static const char *const engine[] = {"ftree", "updn"};
	struct route_job job = {.topo = t,
		.pool = n->pool,
		.prev = prev,
		.options = &plain,
		.load_limit = LIMIT,
		.seed = 1,
		.threads = 1};
	struct reason why = {""};
	struct routes *r;

	world_capable(t, true);
	r = compute_routes(&job, engine, 2, story, &why);
	if (r == NULL) {
		(void)fprintf(stderr, "shift: %s\n", why.text);
		exit(1);
	}
	return r;
}

/* The index in `was` of switch s of r; TOPO_NONE: new. */
static sw_ix
previous_switch(const struct routes *was, const struct routes *r, sw_ix s)
{
	const struct topo *t = r->topo, *u = was->topo;
	node_ix n = topo_by_node_guid(u, t->node[t->sw[s].node].guid);

	return n == TOPO_NONE ? TOPO_NONE : u->node[n].sw;
}

/* Of switches in both: entries that began or ceased to drop. */
static uint64_t
count_drop_changes(const struct routes *was, const struct routes *is)
{
	uint64_t n = 0;

	for (sw_ix s = 0; s < is->topo->nsw; s++) {
		sw_ix o = previous_switch(was, is, s);

		for (uint32_t lid = 1;
			o != TOPO_NONE && lid <= is->topo->max_lid; lid++)
			n += (routes_port(was, o, (uint16_t)lid) == LFT_DROP) !=
			     (routes_port(is, s, (uint16_t)lid) == LFT_DROP);
	}
	return n;
}

/* Print the change from was to is, which took ms to route. */
static void
print_change(const struct net *n, const char *what, const struct routes *was,
	const struct routes *is, const struct route_account *story, double ms)
{
	struct device_store *hw = device_new(n->pool);
	struct transition_job job = {
		.from = was, .to = is, .hw = hw, .max_stages = STAGES};
	struct parts_sum did = parts_changed(was, is);
	struct parts_sum least = parts_least(was, is);
	struct transition_result *x;
	double at;

	world_known(hw, was);
	at = clock_cpu_ms();
	x = transition_find(&job);
	at = clock_cpu_ms() - at;
	(void)printf("    %s: %s, %llu entries in %llu blocks (least %llu in "
		     "%llu; drop %llu), %u stages, %zu turns, load %llu of "
		     "%llu%s, reversed %u, %.0f ms routing, %.0f ms plan\n",
		what, transition_kind_name(x->kind),
		(unsigned long long)did.entries, (unsigned long long)did.blocks,
		(unsigned long long)least.entries,
		(unsigned long long)least.blocks,
		(unsigned long long)count_drop_changes(was, is), x->nstages,
		x->ndeps, (unsigned long long)is->report.load_max,
		(unsigned long long)is->fresh_load,
		story->rebalanced ? " (fresh tables)" : "",
		(unsigned)world_reversed(was, is), ms, at);
	if (x->cause[0] != '\0')
		(void)printf("      %s\n", x->cause);
	(void)fflush(stdout);
	transition_free(x);
	device_free(hw);
}

/* The fabric without the part p. */
static struct fabric *
fabric_without(const struct fabric *f, const struct parts *p)
{
	bool *cable = mem_zalloc(f->ncables, sizeof(*cable));
	bool *node = mem_zalloc(f->nnodes, sizeof(*node));
	struct fabric_edit edit = {
		.drop_cable = cable, .drop_node = node, .drop_orphans = true};
	struct fabric *g;

	for (uint32_t c = 0; p->what == PARTS_LINK && c < f->ncables; c++)
		for (unsigned e = 0; e < 2; e++)
			cable[c] |= f->cable[c].node[e] == p->node[0] &&
				    f->cable[c].port[e] == p->port;
	for (unsigned i = 0; p->what != PARTS_LINK && i < p->nnodes; i++)
		node[p->node[i]] = true;
	g = fabric_rebuild(f, &edit);
	free(cable);
	free(node);
	return g;
}

static void
run_event(const struct net *n, enum parts_what what)
{
	struct routes *lost, *back;
	struct route_account story;
	struct fabric *g;
	struct parts p;
	struct topo *t;
	char name[160];
	double at;

	parts_find(n->f, n->r, what, &p);
	if (p.nnodes == 0)
		return;
	parts_name(n->f, &p, name);
	(void)printf("  %s\n", name);
	g = fabric_without(n->f, &p);
	t = frozen_again(g, n->t, 0);
	at = clock_cpu_ms();
	lost = compute_tables(n, t, n->r, &story);
	print_change(n, "lost", n->r, lost, &story, clock_cpu_ms() - at);
	at = clock_cpu_ms();
	back = compute_tables(n, n->t, lost, &story);
	print_change(n, "back", lost, back, &story, clock_cpu_ms() - at);
	routes_unref(back);
	routes_unref(lost);
	topo_unref(t);
	fabric_free(g);
}

static int
bench_fabric(const char *name)
{
	const char *at = getenv("HEDDLE_FIXTURES");
	struct net n = {.pool = lft_pool_new()};
	struct route_account story;
	struct reason why = {""};

	n.f = shape_load(name, at != NULL ? at : "../shared/fixtures", &why);
	if (n.f == NULL) {
		(void)fprintf(stderr, "shift: %s: %s\n", name, why.text);
		lft_pool_free(n.pool);
		return 77;
	}
	n.t = frozen_topo(n.f, NULL);
	n.r = compute_tables(&n, n.t, NULL, &story);
	(void)printf("%s: %u switches, %s, load %llu\n", name, n.t->nsw,
		n.r->engine, (unsigned long long)n.r->report.load_max);
	for (int what = 0; what < PARTS; what++)
		run_event(&n, (enum parts_what)what);
	routes_unref(n.r);
	topo_unref(n.t);
	lft_pool_free(n.pool);
	fabric_free(n.f);
	return 0;
}

int
main(int argc, char **argv)
{
	int status = argc < 2 ? 2 : 0;

	if (argc < 2)
		(void)fprintf(stderr, "usage: shift FABRIC...\n");
	for (int i = 1; i < argc; i++) {
		int is = bench_fabric(argv[i]);

		status = is != 0 ? is : status;
	}
	return status;
}
