#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

struct writer {
	struct lft_values *v;
	struct transition_result *t;
	size_t cap;
	bool *near; /* [nsw] next to what changed */
};

/* The port's neighbour in a topology: node GUID and port in one word. */
static uint64_t
neighbour_key(const struct topo *t, node_ix node, unsigned port)
{
	port_ix p;

	if (port > t->node[node].nports)
		return 0;
	p = t->port[topo_port_of(t, node, port)].peer;
	if (p == TOPO_NONE)
		return 0;
	return t->node[t->port[p].node].guid ^ (uint64_t)t->port[p].num << 56;
}

/* Whether nodes and ports have the numbers that they had. */
static bool
same_numbering(const struct topo *t, const struct topo *was)
{
	bool same = t->nnodes == was->nnodes && t->nports == was->nports;

	for (node_ix n = 0; same && n < t->nnodes; n++)
		same = t->node[n].guid == was->node[n].guid &&
		       t->node[n].first_port == was->node[n].first_port;
	return same;
}

/* Whether one of the ports of a node has another peer. */
static bool
has_other_peer(const struct topo *t, const struct topo *was, node_ix n)
{
	const struct topo_port *p = t->port + topo_port_of(t, n, 1);
	const struct topo_port *q = was->port + topo_port_of(was, n, 1);

	for (unsigned i = 0; i < t->node[n].nports; i++)
		if (p[i].peer != q[i].peer)
			return true;
	return false;
}

/* Find switches that have another link than they had, or are new. */
static void
find_near(struct writer *w)
{
	const struct lft_values *v = w->v;
	const struct topo *t = v->net->t;
	const struct topo *was = v->job->from ? v->job->from->topo : NULL;
	bool same = was != NULL && same_numbering(t, was);

	for (sw_ix s = 0; was != NULL && s < v->net->nsw; s++) {
		node_ix is = t->sw[s].node, old;

		w->near[s] = v->old_sw[s] == TOPO_NONE;
		if (w->near[s] || (same && !has_other_peer(t, was, is)))
			continue;
		old = was->sw[v->old_sw[s]].node;
		for (unsigned p = 1; p <= t->node[is].nports; p++)
			if (neighbour_key(t, is, p) !=
				neighbour_key(was, old, p))
				w->near[s] = true;
	}
}

/* The image of a cell after stage k. */
static lft_ref
stage_image(struct writer *w, const struct lft_value_cell *c, unsigned k,
	bool *last)
{
	const struct lft_values *v = w->v;
	struct lft_pool *pool = v->to->pool;
	const uint8_t *is = lft_bytes(pool, c->want), *was;
	const uint8_t *stage = v->stage != NULL ? v->stage[c - v->c] : NULL;
	uint8_t line[LFT_BLOCK];

	*last = true;
	if (stage == NULL || c->nheld == 0)
		return lft_share(pool, c->want);
	was = lft_bytes(pool, v->held[c->held]);
	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		line[l] = stage[l] <= k ? is[l] : was[l];
		*last &= line[l] == is[l];
	}
	return *last ? lft_share(pool, c->want) : lft_add(pool, line);
}

static struct lft_write *
next_write(struct writer *w)
{
	struct transition_result *t = w->t;

	t->write = mem_grow(t->write, t->nwrites, &w->cap, sizeof(*t->write));
	return &t->write[t->nwrites++];
}

/* What the switch most likely holds now. */
static lft_ref
share_held(const struct writer *w, const struct lft_value_cell *c)
{
	return c->nheld > 0 ? lft_share(w->v->to->pool, w->v->held[c->held])
			    : LFT_EMPTY;
}

static void
add_write(struct writer *w, const struct lft_value_cell *c, unsigned k,
	bool urgent)
{
	struct lft_write x = {.sw = c->s,
		.block = c->b,
		.stage = (uint16_t)k,
		.urgent = urgent};

	x.image = stage_image(w, c, k, &x.last);
	x.was = share_held(w, c);
	*next_write(w) = x;
}

static void
add_quench(struct writer *w, const struct lft_value_cell *c)
{
	*next_write(w) = (struct lft_write){.sw = c->s,
		.block = c->b,
		.image = share_held(w, c),
		.was = share_held(w, c),
		.quench = true,
		.raised = c->above};
	w->t->nquenches++;
}

/* One write for each stage that changes something in the block. */
static void
write_cell(struct writer *w, const struct lft_value_cell *c)
{
	const struct lft_values *v = w->v;
	const uint8_t *stage = v->stage != NULL ? v->stage[c - v->c] : NULL;
	struct transition_diff d = lft_values_diff(v, c);

	if (c->quench)
		add_quench(w, c);
	if (!c->new)
		return; /* above what is wanted */
	w->t->blocks++;
	w->t->entries += (uint64_t)__builtin_popcountll(d.changed);
	for (unsigned k = 0; k < w->t->nstages; k++) {
		uint64_t now = stage == NULL ? UINT64_MAX : 0;

		for (unsigned l = 0; stage != NULL && l < LFT_BLOCK; l++)
			now |= (uint64_t)(stage[l] == k) << l;
		/* At once: what is unknown is settled, and entries that no
		 * packet meets and that are not wanted any more are dropped. */
		if ((now & d.changed) != 0 ||
			(k == 0 && (!c->settled || d.changed == 0)))
			add_write(w, c, k, (now & d.urgent) != 0);
	}
}

/* A write's place: stage, urgency, neighbourhood, then block by block. */
static size_t
write_place(const struct writer *w, const struct lft_write *x)
{
	size_t rank = x->urgent ? 0 : w->near[x->sw] ? 1 : 2;
	size_t group = x->quench ? 0 : 1 + 3U * x->stage + rank;

	return group * w->v->nblocks + x->block;
}

/* Writes were made switch by switch, and stay so among equals. */
static void
sort_writes(struct writer *w)
{
	struct transition_result *t = w->t;
	size_t n = (1 + 3 * (size_t)t->nstages) * w->v->nblocks;
	size_t *first = mem_zalloc(n + 1, sizeof(*first));
	struct lft_write *sorted = mem_alloc(t->nwrites * sizeof(*sorted));

	for (size_t i = 0; i < t->nwrites; i++)
		first[write_place(w, &t->write[i]) + 1]++;
	for (size_t i = 0; i < n; i++)
		first[i + 1] += first[i];
	for (size_t i = 0; i < t->nwrites; i++)
		sorted[first[write_place(w, &t->write[i])]++] = t->write[i];
	free(t->write);
	t->write = sorted;
	free(first);
}

void
lft_writes_all(struct lft_values *v, struct transition_result *t)
{
	struct writer w = {.v = v, .t = t};

	w.near = mem_zalloc(v->net->nsw, sizeof(*w.near));
	find_near(&w);
	for (size_t i = 0; i < (size_t)v->net->nsw * v->nblocks; i++) {
		const struct lft_value_cell *c =
			v->cell[i] != 0 ? &v->c[v->cell[i] - 1] : NULL;

		if (c != NULL && (c->write || c->quench))
			write_cell(&w, c);
	}
	if (t->nwrites > 0)
		sort_writes(&w);
	t->kept = v->kept;
	t->unread = v->unread;
	free(w.near);
}
