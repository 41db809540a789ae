/*
 * Disjoint paths, for a MultiPathRecord that asks for independent ones (IBA
 * 15.2.5.20): a failure on one of them leaves the others.
 *
 * Greedy: the first pair that meets the request, then repeatedly the path that
 * shares the fewest links with the paths picked before, and among those the
 * fewest switches. A path without a link of its own is no alternative and is
 * left out. The number of pairs examined is bounded, since all of them are
 * examined in one turn.
 */
#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/sa/sa_priv.h"

enum {
	PAIRS = 1024, /* examined at most */
	CABLE = 256,  /* weight of a shared link; of a shared switch: 1 */
};

/* A pair, and the things on its path: links first, then switches. */
struct way {
	uint64_t ix;
	uint32_t *thing;
	unsigned ncables, nthings;
};

struct picking {
	const struct topo *t;
	struct way *way;
	size_t n;
	uint16_t *used; /* by thing: number of picked paths that use it */
};

/* The id of a link: one of its two ports, the same from either end. */
static uint32_t
link_id(const struct topo *t, port_ix p)
{
	port_ix peer = t->port[p].peer;

	return peer < p ? peer : p;
}

static void
note_path(struct picking *k, const struct sa_query *q, uint64_t ix,
	const struct sa_end *from, const struct sa_end *to)
{
	const struct topo *t = k->t;
	struct way *w = &k->way[k->n];
	struct route_step step[SA_STEPS];
	int n = routes_trace(
		q->view->routes, from->port, to->lid, step, SA_STEPS, NULL);

	if (n > SA_STEPS)
		return;
	if (n < 0 || from->port == to->port)
		n = 0; /* a link without a switch, or none */
	*w = (struct way){.ix = ix};
	w->thing = mem_zalloc(2 * (size_t)n + 1, sizeof(*w->thing));
	if (from->port != to->port && t->port[from->port].peer != TOPO_NONE)
		w->thing[w->ncables++] = link_id(t, from->port);
	for (int i = 0; i < n; i++) {
		/* cppcheck-suppress uninitvar */
		const struct topo_node *s = &t->node[t->sw[step[i].sw].node];

		if (step[i].out != 0)
			w->thing[w->ncables++] =
				link_id(t, s->first_port + step[i].out);
	}
	w->nthings = w->ncables;
	for (int i = 0; i < n; i++)
		w->thing[w->nthings++] = t->nports + step[i].sw;
	k->n++;
}

/* The weight of the links and switches that a path shares with the paths
 * picked; *fresh: it has a link that they do not use. */
static uint32_t
count_shared(const struct picking *k, const struct way *w, bool *fresh)
{
	uint32_t sum = 0;

	*fresh = false;
	for (unsigned i = 0; i < w->nthings; i++) {
		uint32_t n = k->used[w->thing[i]];

		sum += i < w->ncables ? CABLE * n : n;
		*fresh |= i < w->ncables && n == 0;
	}
	return sum;
}

/* The path to pick next, or NULL. */
static struct way *
choose_path(const struct picking *k, bool first)
{
	struct way *best = NULL;
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < k->n; i++) {
		bool fresh;
		uint32_t c = count_shared(k, &k->way[i], &fresh);

		if (c >= least || (!fresh && !first))
			continue;
		least = c;
		best = &k->way[i];
	}
	return best;
}

uint16_t
sa_disjoint_pick(struct sa_query *q)
{
	const struct topo *t = q->view->topo;
	struct sa_ends *e = q->ends;
	struct picking k = {.t = t};
	struct sa_end from, to;
	struct sa_path way;
	struct way *w;

	if (q->end > PAIRS)
		return MAD_SA_NO_RESOURCES;
	k.way = mem_zalloc(q->end, sizeof(*k.way));
	k.used = mem_zalloc((size_t)t->nports + t->nsw, sizeof(*k.used));
	for (uint64_t ix = 0; ix < q->end; ix++)
		if (sa_path_pair(q, ix, &from, &to, &way))
			note_path(&k, q, ix, &from, &to);
	e->pick = mem_zalloc(k.n + 1, sizeof(*e->pick));
	while (e->npick < k.n && e->npick < q->most &&
		(w = choose_path(&k, e->npick == 0)) != NULL) {
		for (unsigned i = 0; i < w->nthings; i++)
			k.used[w->thing[i]]++;
		e->pick[e->npick++] = w->ix;
	}
	for (size_t i = 0; i < k.n; i++)
		free(k.way[i].thing);
	free(k.way);
	free(k.used);
	q->end = e->npick;
	return 0;
}
