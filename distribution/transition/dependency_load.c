#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

struct walk {
	const struct lft_values *v;
	const struct chan_graph *n;
	struct dependency_load *l;
	uint32_t *next;	 /* [nsw + 1] record that a switch sends to */
	uint8_t *port;	 /* [nsw + 1] */
	uint32_t *count; /* [nsw + 1] sources with a path through it */
	uint32_t *wait;	 /* [nsw + 1] neighbours that have not sent yet */
	uint32_t *queue;
	uint16_t *mask; /* [nsw] layers of each source */
};

/* Where every switch sends LID number i of the block. */
static void
resolve_lid(struct walk *w, const struct transition_lines *lines, unsigned i)
{
	const struct chan_graph *n = w->n;

	for (sw_ix s = 0; s < n->nsw; s++) {
		w->port[s] = lines->of[s].a[i];
		w->next[s] = n->to[(size_t)s * 256 + w->port[s]].rec;
	}
	w->port[n->nsw] = LFT_DROP;
}

static void
pass_load(struct walk *w, sw_ix s, unsigned layer)
{
	const struct chan_graph *n = w->n;
	uint32_t c = w->next[s], u = n->owner[c], out = w->port[u];

	if (u == n->nsw)
		return;
	w->count[u] += w->count[s];
	w->l->rec[c] += w->count[s];
	/* a packet that would leave by its in-port is discarded */
	if (out >= n->off[u + 1] - n->off[u] || out == c - n->base[c])
		return;
	*dependency_load_at(n, w->l, c + layer * n->nrec, out) += w->count[s];
}

/*
 * Visit every switch before the one it sends to; switches on loops stay
 * unvisited.
 */
static void
sum_load(struct walk *w, unsigned layer)
{
	const struct chan_graph *n = w->n;
	uint32_t tail = 0;

	memset(w->wait, 0, (n->nsw + 1U) * sizeof(*w->wait));
	for (sw_ix s = 0; s < n->nsw; s++) {
		w->count[s] = w->mask[s] >> layer & 1;
		w->wait[n->owner[w->next[s]]]++;
	}
	for (sw_ix s = 0; s < n->nsw; s++)
		if (w->wait[s] == 0)
			w->queue[tail++] = s;
	for (uint32_t head = 0; head < tail; head++) {
		sw_ix s = w->queue[head], u = n->owner[w->next[s]];

		pass_load(w, s, layer);
		if (u != n->nsw && --w->wait[u] == 0)
			w->queue[tail++] = u;
	}
}

/* Make room for all dependencies, and find where each switch begins. */
static void
make_room(struct dependency_load *l, const struct chan_graph *n)
{
	size_t at = 0;

	l->first = mem_alloc((n->nsw + 1U) * sizeof(*l->first));
	for (sw_ix s = 0; s < n->nsw; s++) {
		size_t width = n->off[s + 1] - n->off[s];

		l->first[s] = at;
		at += width * width;
	}
	l->first[n->nsw] = at;
	l->dep = mem_zalloc(at * n->layers, sizeof(*l->dep));
	l->rec = mem_zalloc(n->nrec, sizeof(*l->rec));
}

void
dependency_load_new(struct dependency_load *l, const struct lft_values *v,
	struct transition_when when)
{
	const struct chan_graph *n = v->net;
	struct walk w = {.v = v, .n = n, .l = l};
	size_t nsw = n->nsw + 1U;
	struct transition_lines lines;

	make_room(l, n);
	w.next = mem_alloc(nsw * sizeof(*w.next));
	w.port = mem_alloc(nsw);
	w.count = mem_alloc(nsw * sizeof(*w.count));
	w.wait = mem_alloc(nsw * sizeof(*w.wait));
	w.queue = mem_alloc(nsw * sizeof(*w.queue));
	w.mask = mem_alloc(nsw * sizeof(*w.mask));
	for (sw_ix s = 0; s < nsw; s++)
		w.mask[s] = 1;
	lft_values_lines_new(&lines, n);
	for (uint32_t lid = 0; lid < v->nblocks * LFT_BLOCK; lid++) {
		if (lid % LFT_BLOCK == 0)
			lft_values_load(v, lid / LFT_BLOCK, when, &lines);
		resolve_lid(&w, &lines, lid % LFT_BLOCK);
		if (n->layers > 1)
			lft_values_layers(v, lid, TRANSITION_HELD, w.mask);
		for (unsigned layer = 0; layer < n->layers; layer++)
			sum_load(&w, layer);
	}
	lft_values_lines_free(&lines);
	free(w.next);
	free(w.port);
	free(w.count);
	free(w.wait);
	free(w.queue);
	free(w.mask);
}

void
dependency_load_free(struct dependency_load *l)
{
	free(l->dep);
	free(l->first);
	free(l->rec);
}
