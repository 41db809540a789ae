/*
 * The cost of a lost cable, or a lost switch: entries that change when it is
 * lost, and when it returns, against those of them that must change - their
 * path led over it, or to a part that is lost with it, or is not shortest any
 * more, or breaks the order - and the highest load, against that of fresh
 * tables. Reversed: links that change direction in the switch order.
 *
 * usage: losses FABRIC [CASES [LOST]]
 *
 * FABRIC: see shape.h. Each cable between switches is lost once, alone, or
 * with LOST - 1 others at random; LOST 0: each switch instead. At most CASES of
 * them (default all), at even distances; with LOSSES_ALL in the environment
 * each case is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/bench/args.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/distribution/transition/transition_world.h"

enum { MOST = 8, LIMIT = 1250 };

struct net {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
	struct routes *r;
};

/* One case: lost cables, or a switch. */
struct loss {
	uint32_t cable[MOST];
	unsigned n;
	uint32_t sw;		       /* FABRIC_NONE: cables */
	uint64_t least, gone, back;    /* entries */
	uint64_t load, fresh, return_; /* highest load: kept, fresh, back */
	uint64_t reversed;	       /* links, in the switch order */
};

struct sums {
	uint32_t n;
	double least, gone, back, ratio, load;
	double worst_ratio, worst_back, worst_load;
	struct loss at_ratio, at_back, at_load;
};

static struct routes *
compute_tables(const struct net *n, struct topo *t, const struct routes *prev,
	bool fresh)
{
	static const struct engine_options plain = {0};
	static const char *const engine[] = {"ftree", "updn"};
	struct route_job job = {.topo = t,
		.pool = n->pool,
		.prev = prev,
		.options = &plain,
		.load_limit = LIMIT,
		.rebalance = fresh,
		.seed = 1,
		.threads = 1};
	struct route_account story = {0};
	struct reason why = {""};
	struct routes *r = compute_routes(&job, engine, 2, &story, &why);

	if (r == NULL) {
		(void)fprintf(stderr, "losses: %s\n", why.text);
		exit(1);
	}
	return r;
}

/* The paths to a LID in routes, by switch. */
struct ways {
	const struct routes *r;
	uint32_t *pos;	/* positions in their order */
	sw_ix *next;	/* TOPO_NONE: none, or the LID's own */
	uint32_t *dist; /* NOWHERE: no path */
};

enum { NOWHERE = UINT32_MAX };

/* The switch behind a port of s, or TOPO_NONE. */
static sw_ix
next_switch(const struct topo *t, sw_ix s, uint8_t port)
{
	const struct topo_node *n = &t->node[t->sw[s].node];
	port_ix p = port == 0 || port > n->nports
			    ? TOPO_NONE
			    : t->port[n->first_port + port].peer;

	return p == TOPO_NONE ? TOPO_NONE : t->node[t->port[p].node].sw;
}

static void
find_ways(struct ways *w, uint16_t lid)
{
	const struct topo *t = w->r->topo;
	port_ix p = topo_by_lid(t, lid, NULL);
	sw_ix dest = p == TOPO_NONE ? TOPO_NONE : topo_switch_of(t, p);
	bool more = dest != TOPO_NONE;

	for (sw_ix s = 0; s < t->nsw; s++) {
		w->dist[s] = s == dest ? 0 : NOWHERE;
		w->next[s] = s == dest ? TOPO_NONE
				       : next_switch(t, s,
						 routes_port(w->r, s, lid));
	}
	for (uint32_t k = 0; more; k++) {
		more = false;
		for (sw_ix s = 0; s < t->nsw; s++)
			if (w->dist[s] == NOWHERE && w->next[s] != TOPO_NONE &&
				w->dist[w->next[s]] == k) {
				w->dist[s] = k + 1;
				more = true;
			}
	}
}

/*
 * True if the entry of s must have another port than this one. The order is
 * kept by paths as short as they are now, that lead down where possible and
 * never up behind a hop down; an entry that does not break that could have
 * stayed.
 */
static bool
has_to(const struct ways *w, sw_ix s, uint8_t port)
{
	sw_ix x = next_switch(w->r->topo, s, port), is = w->next[s];
	bool down;

	if (is == TOPO_NONE || w->dist[s] == NOWHERE)
		return true;
	if (x == TOPO_NONE || w->dist[x] != w->dist[s] - 1)
		return true;
	down = w->pos[x] > w->pos[s];
	if (down != (w->pos[is] > w->pos[s]))
		return true;
	return down && w->dist[x] > 0 && w->pos[w->next[x]] < w->pos[x];
}

/* Count entries that changed, of switches in both; least: those that must. */
static uint64_t
compare_routes(
	const struct routes *was, const struct routes *is, uint64_t *least)
{
	const struct topo *t = is->topo;
	struct ways w = {.r = is,
		.pos = mem_zalloc(t->nsw, sizeof(*w.pos)),
		.next = mem_zalloc(t->nsw, sizeof(*w.next)),
		.dist = mem_zalloc(t->nsw, sizeof(*w.dist))};
	uint16_t top = is->top < was->top ? is->top : was->top;
	uint64_t n = 0;

	*least = 0;
	routes_order(is, w.pos);
	for (uint16_t lid = 1; lid <= top; lid++) {
		find_ways(&w, lid);
		for (sw_ix s = 0; s < t->nsw; s++) {
			sw_ix old = topo_switch_in(was->topo, t, s);
			uint8_t x = old == TOPO_NONE
					    ? LFT_DROP
					    : routes_port(was, old, lid);

			if (old == TOPO_NONE || x == routes_port(is, s, lid))
				continue;
			n++;
			*least += has_to(&w, s, x);
		}
	}
	free(w.pos);
	free(w.next);
	free(w.dist);
	return n;
}

static bool
between_switches(const struct fabric *f, uint32_t c)
{
	return f->node[f->cable[c].node[0]].type == FABRIC_SWITCH &&
	       f->node[f->cable[c].node[1]].type == FABRIC_SWITCH;
}

static void
measure_loss(const struct net *n, struct loss *l)
{
	bool *drop = mem_zalloc(n->f->ncables, sizeof(*drop));
	bool *node = mem_zalloc(n->f->nnodes, sizeof(*node));
	struct fabric_edit edit = {
		.drop_cable = drop, .drop_node = node, .drop_orphans = true};
	struct routes *kept, *fresh, *back;
	struct fabric *g;
	struct topo *t;
	uint64_t none;

	for (unsigned i = 0; i < l->n; i++)
		drop[l->cable[i]] = true;
	if (l->sw != FABRIC_NONE)
		node[l->sw] = true;
	g = fabric_rebuild(n->f, &edit);
	t = frozen_again(g, n->t, 0);
	kept = compute_tables(n, t, n->r, false);
	l->gone = compare_routes(n->r, kept, &l->least);
	l->reversed = world_reversed(n->r, kept);
	fresh = compute_tables(n, t, n->r, true);
	back = compute_tables(n, n->t, kept, false);
	l->back = compare_routes(kept, back, &none);
	l->load = kept->report.load_max;
	l->fresh = fresh->report.load_max;
	l->return_ = back->report.load_max;
	routes_unref(back);
	routes_unref(fresh);
	routes_unref(kept);
	topo_unref(t);
	fabric_free(g);
	free(node);
	free(drop);
}

static double
ratio_of(uint64_t a, uint64_t b)
{
	return (double)a / (double)(b > 0 ? b : 1);
}

static void
add_loss(struct sums *s, const struct loss *l)
{
	double r = ratio_of(l->gone, l->least), b = ratio_of(l->back, l->least);
	double load = ratio_of(l->load, l->fresh);

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
print_case(const struct net *n, const char *what, const struct loss *l)
{
	(void)printf("  worst %-6s least %6llu changed %6llu back %6llu  load "
		     "%llu fresh %llu back %llu  reversed %llu ",
		what, (unsigned long long)l->least, (unsigned long long)l->gone,
		(unsigned long long)l->back, (unsigned long long)l->load,
		(unsigned long long)l->fresh, (unsigned long long)l->return_,
		(unsigned long long)l->reversed);
	if (l->sw != FABRIC_NONE)
		(void)printf(" %s", n->f->node[l->sw].name);
	for (unsigned i = 0; i < l->n; i++) {
		const uint32_t *end = n->f->cable[l->cable[i]].node;

		(void)printf(" %s - %s", n->f->node[end[0]].name,
			n->f->node[end[1]].name);
	}
	(void)printf("\n");
}

/* List the cables between switches, or the switches; their number. */
static uint32_t
find_victims(const struct fabric *f, bool switches, uint32_t *victim)
{
	uint32_t n = 0;

	for (uint32_t i = 0; switches && i < f->nnodes; i++)
		if (f->node[i].type == FABRIC_SWITCH)
			victim[n++] = i;
	for (uint32_t c = 0; !switches && c < f->ncables; c++)
		if (between_switches(f, c))
			victim[n++] = c;
	return n;
}

static void
print_sums(const struct net *n, const struct sums *s, const char *of)
{
	(void)printf("  %u of %s: least %.1f changed %.1f back %.1f; "
		     "changed / least mean %.2f worst %.2f; back / least worst "
		     "%.2f; load / fresh mean %.3f worst %.3f\n",
		s->n, of, s->least / s->n, s->gone / s->n, s->back / s->n,
		s->ratio / s->n, s->worst_ratio, s->worst_back, s->load / s->n,
		s->worst_load);
	print_case(n, "change", &s->at_ratio);
	print_case(n, "return", &s->at_back);
	print_case(n, "load", &s->at_load);
}

static void
survey_losses(const struct net *n, uint32_t cases, unsigned lost)
{
	uint32_t room = n->f->ncables + n->f->nnodes, all;
	uint32_t *victim = mem_zalloc(room, sizeof(*victim));
	struct rng g = {1};
	struct sums s = {0};
	char of[40];

	all = find_victims(n->f, lost == 0, victim);
	if (cases == 0 || cases > all)
		cases = all;
	for (uint32_t k = 0; k < cases; k++) {
		uint32_t first = victim[(uint64_t)k * all / cases];
		struct loss l = {.n = lost, .sw = FABRIC_NONE};

		l.cable[0] = first;
		if (lost == 0)
			l.sw = first;
		for (unsigned i = 1; i < lost; i++)
			l.cable[i] = victim[rng_below(&g, all)];
		measure_loss(n, &l);
		add_loss(&s, &l);
		if (getenv("LOSSES_ALL") != NULL)
			print_case(n, "one", &l);
	}
	(void)snprintf(of, sizeof(of), "%u %s", all,
		lost == 0 ? "switches" : "cables");
	print_sums(n, &s, of);
	free(victim);
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
	n.f = shape_load(argv[1], at != NULL ? at : "../shared/fixtures", &why);
	if (n.f == NULL) {
		(void)fprintf(stderr, "losses: %s: %s\n", argv[1], why.text);
		return 77;
	}
	lost = args_number(argc, argv, 3, 1);
	n.t = frozen_topo(n.f, &lids);
	n.r = compute_tables(&n, n.t, NULL, false);
	(void)printf("%s: %u switches, %s, load %llu\n", argv[1], n.t->nsw,
		n.r->engine, (unsigned long long)n.r->report.load_max);
	survey_losses(
		&n, args_number(argc, argv, 2, 0), lost > MOST ? MOST : lost);
	routes_unref(n.r);
	topo_unref(n.t);
	lft_pool_free(n.pool);
	fabric_free(n.f);
	return 0;
}
