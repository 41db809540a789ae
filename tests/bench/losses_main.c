/*
 * What a lost cable costs: entries that change when it goes, and when it comes
 * back, against the fewest that any repair has to change - those that led over
 * it -, and the worst load, against that of fresh tables.
 *
 * usage: losses FABRIC [CASES [LOST]]
 *
 * FABRIC: see treenet.h. Each cable between switches is lost once, alone, or
 * with LOST - 1 others at random; no more than CASES of them are (all), at even
 * distances.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/route.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/bench/args.h"
#include "tests/bench/treenet.h"
#include "tests/topo/frozen.h"

enum { MOST = 8, LIMIT = 1250 };

struct net {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
};

/* One case. */
struct loss {
	uint32_t cable[MOST];
	uint64_t least, gone, back;    /* entries */
	uint64_t load, fresh, return_; /* worst load: kept, fresh, back */
};

struct sums {
	uint32_t n;
	double least, gone, back, ratio, load;
	double worst_ratio, worst_back, worst_load;
	struct loss at_ratio, at_back, at_load;
};

static struct routes *
routed(const struct net *n, struct topo *t, const struct routes *prev,
	bool fresh)
{
	static const struct engine_options plain = {.lanes = 1};
	static const char *const engine[] = {"ftree", "updn"};
	struct route_job job = {.topo = t,
		.pool = n->pool,
		.prev = prev,
		.options = &plain,
		.load_limit = LIMIT,
		.rebalance = fresh,
		.seed = 1,
		.threads = 1};
	struct route_story story = {0};
	struct reason why = {""};
	struct routes *r = route_compute(&job, engine, 2, &story, &why);

	if (r == NULL) {
		(void)fprintf(stderr, "losses: %s\n", why.text);
		exit(1);
	}
	return r;
}

/* Entries that are others; least: those that lead nowhere now. */
static uint64_t
compare(const struct routes *was, const struct routes *is, uint64_t *least)
{
	const struct topo *t = is->topo;
	uint64_t n = 0;

	*least = 0;
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *at = &t->node[t->sw[s].node];
		node_ix old = topo_by_node_guid(was->topo, at->guid);

		for (uint32_t b = 0; b < is->nblocks; b++) {
			const uint8_t *x =
				routes_block(was, was->topo->node[old].sw, b);
			const uint8_t *y = routes_block(is, s, b);

			for (unsigned i = 0; i < LFT_BLOCK; i++) {
				n += x[i] != y[i];
				*least += x[i] != 0 && x[i] <= at->nports &&
					  t->port[at->first_port + x[i]].peer ==
						  TOPO_NONE;
			}
		}
	}
	return n;
}

static bool
between_switches(const struct fabric *f, uint32_t c)
{
	return f->node[f->cable[c].node[0]].type == FABRIC_SWITCH &&
	       f->node[f->cable[c].node[1]].type == FABRIC_SWITCH;
}

static void
lose(const struct net *n, unsigned lost, struct loss *l)
{
	bool *drop = mem_zalloc(n->f->ncables, sizeof(*drop));
	struct fabric_edit edit = {.drop_cable = drop};
	struct routes *kept, *fresh, *back;
	struct fabric *g;
	struct topo *t;
	uint64_t none;

	for (unsigned i = 0; i < lost; i++)
		drop[l->cable[i]] = true;
	g = fabric_rebuild(n->f, &edit);
	t = frozen_again(g, n->t, 0);
	kept = routed(n, t, n->r, false);
	l->gone = compare(n->r, kept, &l->least);
	fresh = routed(n, t, n->r, true);
	back = routed(n, n->t, kept, false);
	l->back = compare(kept, back, &none);
	l->load = kept->report.load_max;
	l->fresh = fresh->report.load_max;
	l->return_ = back->report.load_max;
	routes_unref(back);
	routes_unref(fresh);
	routes_unref(kept);
	topo_unref(t);
	fabric_free(g);
	free(drop);
}

static double
ratio(uint64_t a, uint64_t b)
{
	return (double)a / (double)(b > 0 ? b : 1);
}

static void
add(struct sums *s, const struct loss *l)
{
	double r = ratio(l->gone, l->least), b = ratio(l->back, l->least);
	double load = ratio(l->load, l->fresh);

	s->n++;
	s->least += (double)l->least;
	s->gone += (double)l->gone;
	s->back += (double)l->back;
	s->load += load;
	s->ratio += r;
	if (r > s->worst_ratio) {
		s->worst_ratio = r;
		s->at_ratio = *l;
	}
	if (b > s->worst_back) {
		s->worst_back = b;
		s->at_back = *l;
	}
	if (load > s->worst_load) {
		s->worst_load = load;
		s->at_load = *l;
	}
}

static void
print_case(const struct net *n, const char *what, const struct loss *l,
	unsigned lost)
{
	(void)printf("  worst %-6s least %6llu changed %6llu back %6llu  load "
		     "%llu fresh %llu back %llu ",
		what, (unsigned long long)l->least, (unsigned long long)l->gone,
		(unsigned long long)l->back, (unsigned long long)l->load,
		(unsigned long long)l->fresh, (unsigned long long)l->return_);
	for (unsigned i = 0; i < lost; i++) {
		const uint32_t *end = n->f->cable[l->cable[i]].node;

		(void)printf(" %s - %s", n->f->node[end[0]].name,
			n->f->node[end[1]].name);
	}
	(void)printf("\n");
}

static void
survey(const struct net *n, uint32_t cases, unsigned lost)
{
	uint32_t *cable = mem_zalloc(n->f->ncables, sizeof(*cable)), all = 0;
	struct rng g = {1};
	struct sums s = {0};

	for (uint32_t c = 0; c < n->f->ncables; c++)
		if (between_switches(n->f, c))
			cable[all++] = c;
	if (cases == 0 || cases > all)
		cases = all;
	for (uint32_t k = 0; k < cases; k++) {
		struct loss l = {.least = 0};

		l.cable[0] = cable[(uint64_t)k * all / cases];
		for (unsigned i = 1; i < lost; i++)
			l.cable[i] = cable[rng_below(&g, all)];
		lose(n, lost, &l);
		add(&s, &l);
		if (getenv("LOSSES_ALL") != NULL)
			print_case(n, "one", &l, lost);
	}
	(void)printf("  %u of %u cables: least %.1f changed %.1f back %.1f; "
		     "changed / least mean %.2f worst %.2f; back / least worst "
		     "%.2f; load / fresh mean %.3f worst %.3f\n",
		s.n, all, s.least / s.n, s.gone / s.n, s.back / s.n,
		s.ratio / s.n, s.worst_ratio, s.worst_back, s.load / s.n,
		s.worst_load);
	print_case(n, "change", &s.at_ratio, lost);
	print_case(n, "return", &s.at_back, lost);
	print_case(n, "load", &s.at_load, lost);
	free(cable);
}

int
main(int argc, char **argv)
{
	const char *at = getenv("HEDDLE_FIXTURES");
	struct frozen_lids lids = {.found = false};
	struct net n = {.pool = lft_pool_new()};
	struct reason why = {""};
	unsigned lost;

	if (argc < 2) {
		(void)fprintf(stderr, "usage: losses FABRIC [CASES [LOST]]\n");
		return 2;
	}
	n.f = treenet_make(
		argv[1], at != NULL ? at : "../shared/fixtures", &why);
	if (n.f == NULL) {
		(void)fprintf(stderr, "losses: %s: %s\n", argv[1], why.text);
		return 77;
	}
	lost = args_number(argc, argv, 3, 1);
	n.t = frozen_topo(n.f, &lids);
	n.r = routed(&n, n.t, NULL, false);
	(void)printf("%s: %u switches, %s, load %llu\n", argv[1], n.t->nsw,
		n.r->engine, (unsigned long long)n.r->report.load_max);
	survey(&n, args_number(argc, argv, 2, 0), lost > MOST ? MOST : lost);
	routes_unref(n.r);
	topo_unref(n.t);
	lft_pool_free(n.pool);
	fabric_free(n.f);
	return 0;
}
