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
	LINK = 256,   /* weight of a shared link; of a shared switch: 1 */
};

/* A pair, and what its path consists of: links first, then switches. */
struct path {
	uint64_t ix;
	uint32_t *element;
	unsigned nlinks, nelements;
};

struct picking {
	const struct topo *t;
	struct path *path;
	size_t n;
	uint16_t *used; /* by element: the number of picked paths that use it */
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
	struct path *w = &k->path[k->n];
	struct route_step step[SA_STEPS];
	int n = routes_trace(
		q->view->routes, from->port, to->lid, step, SA_STEPS, NULL);

	if (n > SA_STEPS)
		return;
	if (n < 0 || from->port == to->port)
		n = 0; /* a link without a switch, or none */
	*w = (struct path){.ix = ix};
	w->element = mem_zalloc(2 * (size_t)n + 1, sizeof(*w->element));
	if (from->port != to->port && t->port[from->port].peer != TOPO_NONE)
		w->element[w->nlinks++] = link_id(t, from->port);
	for (int i = 0; i < n; i++) {
		/* cppcheck-suppress uninitvar */
		const struct topo_node *s = &t->node[t->sw[step[i].sw].node];

		if (step[i].out != 0)
			w->element[w->nlinks++] =
				link_id(t, s->first_port + step[i].out);
	}
	w->nelements = w->nlinks;
	for (int i = 0; i < n; i++)
		w->element[w->nelements++] = t->nports + step[i].sw;
	k->n++;
}

/* The weight of the links and switches that a path shares with the paths
 * picked; *fresh: it has a link that they do not use. */
static uint32_t
count_shared(const struct picking *k, const struct path *w, bool *fresh)
{
	uint32_t sum = 0;

	*fresh = false;
	for (unsigned i = 0; i < w->nelements; i++) {
		uint32_t n = k->used[w->element[i]];

		sum += i < w->nlinks ? LINK * n : n;
		*fresh |= i < w->nlinks && n == 0;
	}
	return sum;
}

/* The path to pick next, or NULL. */
static struct path *
choose_path(const struct picking *k, bool first)
{
	struct path *best = NULL;
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < k->n; i++) {
		bool fresh;
		uint32_t c = count_shared(k, &k->path[i], &fresh);

		if (c >= least || (!fresh && !first))
			continue;
		least = c;
		best = &k->path[i];
	}
	return best;
}

uint16_t
sa_disjoint_pick(struct sa_query *q, sa_candidate *candidate)
{
	const struct topo *t = q->view->topo;
	struct sa_ends *e = q->ends;
	struct picking k = {.t = t};
	struct sa_end from, to;
	struct sa_path unused;
	struct path *w;

	if (q->end > PAIRS)
		return MAD_SA_NO_RESOURCES;
	k.path = mem_zalloc(q->end, sizeof(*k.path));
	k.used = mem_zalloc((size_t)t->nports + t->nsw, sizeof(*k.used));
	for (uint64_t ix = 0; ix < q->end; ix++)
		if (candidate(q, ix, &from, &to, &unused))
			note_path(&k, q, ix, &from, &to);
	e->pick = mem_zalloc(k.n + 1, sizeof(*e->pick));
	while (e->npick < k.n && e->npick < q->most &&
		(w = choose_path(&k, e->npick == 0)) != NULL) {
		for (unsigned i = 0; i < w->nelements; i++)
			k.used[w->element[i]]++;
		e->pick[e->npick++] = w->ix;
	}
	for (size_t i = 0; i < k.n; i++)
		free(k.path[i].element);
	free(k.path);
	free(k.used);
	q->end = e->npick;
	return 0;
}
