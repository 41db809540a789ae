#include "routing/adaptive/shortest_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/bitset.h"
#include "sm/base/mem.h"

/* What is known for one destination switch at a time. */
struct maker {
	const struct routes *r;
	const struct topo *t;
	const struct route_sets *legal;
	struct route_sets *out;
	uint32_t *far;		   /* [nsw] links to it; UINT32_MAX: no path */
	sw_ix *queue;		   /* [nsw] */
	struct route_set *table;   /* [nsw] ports of entries for its LIDs */
	struct route_set *options; /* [nsw] */
};

static bool
is_escaping(const struct maker *m, sw_ix s)
{
	return m->out->can[s].kind == ROUTE_ESCAPES && topo_sw_live(m->t, s);
}

static void
find_distances(struct maker *m, sw_ix to)
{
	const struct topo *t = m->t;
	uint32_t head = 0, n = 0;

	memset(m->far, 0xff, t->nsw * sizeof(*m->far));
	m->far[to] = 0;
	m->queue[n++] = to;
	while (head < n) {
		sw_ix s = m->queue[head++];

		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			sw_ix u = t->adj[t->sw[s].adj + i].peer;

			if (m->far[u] != UINT32_MAX || !topo_sw_live(t, u))
				continue;
			m->far[u] = m->far[s] + 1;
			m->queue[n++] = u;
		}
	}
}

static void
read_tables(struct maker *m, uint32_t dest)
{
	const struct dest_lids *d = &m->out->dest;

	memset(m->table, 0, m->t->nsw * sizeof(*m->table));
	for (uint32_t k = d->first[dest]; k < d->first[dest + 1]; k++)
		for (uint64_t l = d->run[k].lids; l != 0; l &= l - 1)
			for (sw_ix s = 0; s < m->t->nsw; s++)
				route_set_add(&m->table[s],
					routes_port(m->r, s,
						(uint16_t)(d->run[k].block *
								   DEST_BLOCK +
							   bitset_lowest64(
								   l))));
}

static bool
is_option(const struct maker *m, sw_ix s, const struct topo_adj *a, sw_ix to)
{
	return topo_sw_live(m->t, a->peer) &&
	       m->far[a->peer] + 1 == m->far[s] &&
	       (is_escaping(m, a->peer) ||
		       route_set_has(
			       route_sets_get(m->legal, s, to), a->out)) &&
	       (a->peer == to ||
		       !route_set_has(&m->table[a->peer], a->peer_port));
}

static void
find_options(struct maker *m, sw_ix to)
{
	const struct topo *t = m->t;

	memset(m->options, 0, t->nsw * sizeof(*m->options));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0;
			s != to && is_escaping(m, s) && i < t->sw[s].nadj;
			i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			if (is_option(m, s, a, to))
				route_set_add(&m->options[s], a->out);
		}
}

/* Whether packets leave s by its table alone, and not on a shortest path. */
static bool
makes_detour(const struct maker *m, sw_ix s)
{
	const struct topo_switch *sw = &m->t->sw[s];

	if (m->far[s] == 0 || route_set_count(&m->options[s]) > 0 ||
		!is_escaping(m, s))
		return false;
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		const struct topo_adj *a = &m->t->adj[i];

		if (route_set_has(&m->table[s], a->out) &&
			m->far[a->peer] + 1 != m->far[s])
			return true;
	}
	return false;
}

/* Remove the options that lead to a detour, which may leave other switches
 * without one. The nearest switches come first: only those farther away lead to
 * them. */
static void
remove_detours(struct maker *m)
{
	const struct topo *t = m->t;

	for (uint32_t k = 0; k < t->nsw && m->queue[k] != TOPO_NONE; k++) {
		const struct topo_switch *sw = &t->sw[m->queue[k]];

		if (!makes_detour(m, m->queue[k]))
			continue;
		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			struct route_set *o = &m->options[t->adj[i].peer];
			unsigned port = t->adj[i].peer_port;

			o->port[port / 64] &= ~(UINT64_C(1) << port % 64);
		}
	}
}

/* No choice, where it is the port of the table alone. */
static bool
is_choice(const struct maker *m, sw_ix s)
{
	const struct route_set *o = &m->options[s];

	return route_set_count(o) > 1 ||
	       (route_set_count(o) == 1 &&
		       memcmp(o, &m->table[s], sizeof(*o)) != 0);
}

static void
make_destination(struct maker *m, uint32_t dest)
{
	sw_ix to = m->out->dest.sw[dest];

	memset(m->queue, 0xff, m->t->nsw * sizeof(*m->queue));
	find_distances(m, to);
	read_tables(m, dest);
	find_options(m, to);
	remove_detours(m);
	for (sw_ix s = 0; s < m->t->nsw; s++)
		if (is_escaping(m, s) && is_choice(m, s))
			m->out->row[s]->of[dest] = route_set_row_number(
				m->out->row[s], &m->options[s]);
}

static void
finish_row(struct maker *m, sw_ix s)
{
	struct route_sets *out = m->out;

	if (!is_escaping(m, s)) {
		out->row[s] = route_set_row_share(m->legal->row[s]);
	} else {
		route_set_row_fit(out->row[s], out->can[s].groups, false);
		if (out->row[s]->n == 1) {
			route_set_row_drop(out->row[s]);
			out->row[s] = NULL;
		}
	}
	if (out->row[s] == NULL)
		return;
	out->dropped += out->row[s]->dropped;
	out->narrow += route_set_row_narrow(out->row[s]);
}

struct route_sets *
shortest_sets_make(const struct routes *r, const struct route_sets *legal)
{
	const struct topo *t = r->topo;
	struct maker m = {.r = r, .t = t, .legal = legal};

	m.out = route_sets_new(t, legal->can, legal->default_first);
	m.out->limit = legal->limit;
	m.far = mem_zalloc(t->nsw, sizeof(*m.far));
	m.queue = mem_zalloc(t->nsw, sizeof(*m.queue));
	m.table = mem_zalloc(t->nsw, sizeof(*m.table));
	m.options = mem_zalloc(t->nsw, sizeof(*m.options));
	for (sw_ix s = 0; s < t->nsw; s++)
		if (is_escaping(&m, s))
			m.out->row[s] = route_set_row_new(m.out->dest.n);
	for (uint32_t i = 0; i < m.out->dest.n; i++)
		make_destination(&m, i);
	for (sw_ix s = 0; s < t->nsw; s++)
		finish_row(&m, s);
	free(m.far);
	free(m.queue);
	free(m.table);
	free(m.options);
	return m.out;
}
