#include "routing/climb/order_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "routing/climb/memory_reader.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

enum {
	NEW_LINKS = 4, /* 1/NEW_LINKS of new links: orders are learned */
	AWAY = 4,      /* links, or switches, that are away for each that is
			  there, at most */
};

static uint64_t
guid_of(const struct swgraph *g, sw_ix s)
{
	return g->t->node[g->t->sw[s].node].guid;
}

/* Whether direction c is the one that places are remembered of. */
static bool
leads_from_a(const struct directions *d, uint32_t c)
{
	return guid_of(d->g, d->from[c]) < guid_of(d->g, d->g->group[c].peer);
}

static struct order_memory *
memory_new(struct arena *a, unsigned n, size_t nsw, size_t nlinks)
{
	struct order_memory *m = arena_alloc(a, sizeof(*m));

	*m = (struct order_memory){.n = n,
		.guid = arena_array(a, nsw + 1, sizeof(*m->guid)),
		.link = arena_array(a, nlinks + 1, sizeof(*m->link)),
		.place = arena_array(
			a, (n - 1) * nlinks + 1, sizeof(*m->place))};
	return m;
}

struct order_memory *
order_memory_learned(const struct directions *d, const struct layer_orders *o,
	unsigned asked, struct arena *a)
{
	const struct swgraph *g = d->g;
	struct order_memory *m = memory_new(a, o->n, o->nseq, d->n / 2);

	m->asked = asked;
	for (uint32_t i = 0; i < o->nseq; i++)
		m->guid[m->nsw++] = guid_of(g, o->seq[i]);
	for (uint32_t c = 0; c < d->n; c++)
		if (leads_from_a(d, c))
			m->link[m->nlinks++] =
				(struct remembered_link){guid_of(g, d->from[c]),
					guid_of(g, g->group[c].peer)};
	for (unsigned l = 1; l < o->n; l++)
		for (uint32_t c = 0, k = 0; c < d->n; c++)
			if (leads_from_a(d, c))
				m->place[(l - 1) * m->nlinks + k++] =
					o->rank[(size_t)l * d->n + c];
	return m;
}

/* ---- the order of switches ---- */

/* Where switches of the graph are in the memory, and back. */
struct match {
	const struct order_memory *m;
	const struct swgraph *g;
	uint32_t *was; /* [nsw] place in the memory; else behind all of it */
	sw_ix *is;     /* [m->nsw] or TOPO_NONE: it is away */
	uint32_t away;
};

static void
match_switches(struct match *x)
{
	const struct swgraph *g = x->g;
	struct map by_guid = {0};

	for (uint32_t i = 0; i < x->m->nsw; i++)
		map_put(&by_guid, x->m->guid[i], i);
	memset(x->is, 0xff, x->m->nsw * sizeof(*x->is));
	x->away = x->m->nsw;
	for (sw_ix s = 0; s < g->nsw; s++) {
		uint32_t i;

		x->was[s] = x->m->nsw + s;
		if (!g->live[s] || !map_get(&by_guid, guid_of(g, s), &i) ||
			x->is[i] != TOPO_NONE)
			continue;
		x->was[s] = i;
		x->is[i] = s;
		x->away--;
	}
	map_free(&by_guid);
}

struct by_place {
	uint32_t place;
	sw_ix sw;
};

static int
compare_places(const void *a, const void *b)
{
	const struct by_place *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

/* The live switches by their places in the memory; how many. */
static uint32_t
list_by_place(const struct match *x, struct by_place *of)
{
	uint32_t n = 0;

	for (sw_ix s = 0; s < x->g->nsw; s++)
		if (x->g->live[s])
			of[n++] = (struct by_place){x->was[s], s};
	if (n > 0)
		qsort(of, n, sizeof(*of), compare_places);
	return n;
}

/*
 * The order of m with each switch behind a neighbour, but for the first of each
 * component: always the first of the order that has a neighbour before it. What
 * has one anyway stays where it was.
 */
static void
order_switches(const struct match *x, struct layer_orders *o)
{
	const struct swgraph *g = x->g;
	bool *ready = mem_zalloc(g->nsw + 1U, sizeof(*ready));
	bool *rooted = mem_zalloc(g->ncomp + 1U, sizeof(*rooted));
	struct by_place *of = mem_alloc((g->nsw + 1U) * sizeof(*of));
	uint32_t n = list_by_place(x, of), first = 0;

	memset(o->pos, 0xff, g->nsw * sizeof(*o->pos));
	while (o->nseq < n) {
		uint32_t i;
		sw_ix best;

		while (o->pos[of[first].sw] != UINT32_MAX)
			first++;
		for (i = first; o->pos[of[i].sw] != UINT32_MAX ||
				(!ready[of[i].sw] && rooted[g->comp[of[i].sw]]);
			i++)
			;
		best = of[i].sw;
		rooted[g->comp[best]] = true;
		o->pos[best] = o->nseq;
		o->seq[o->nseq++] = best;
		for (i = g->first[best]; i < g->first[best + 1]; i++)
			ready[g->group[i].peer] = true;
	}
	free(ready);
	free(rooted);
	free(of);
}

/* Switches of m from place i on that are away, up to one that is not. */
static void
keep_away(const struct match *x, uint32_t i, struct order_memory *out)
{
	for (; i < x->m->nsw && x->is[i] == TOPO_NONE; i++)
		out->guid[out->nsw++] = x->m->guid[i];
}

/* The order as it is now; switches that are away stay behind those that they
 * were behind, where they are kept. */
static void
note_switches(const struct match *x, const struct layer_orders *o, bool keep,
	struct order_memory *out)
{
	if (keep)
		keep_away(x, 0, out);
	for (uint32_t i = 0; i < o->nseq; i++) {
		out->guid[out->nsw++] = guid_of(x->g, o->seq[i]);
		if (keep && x->was[o->seq[i]] < x->m->nsw)
			keep_away(x, x->was[o->seq[i]] + 1, out);
	}
}

/* ---- the orders of links ---- */

struct found_link {
	struct remembered_link link;
	uint32_t at; /* in the memory */
};

static int
compare_links(const void *a, const void *b)
{
	const struct remembered_link *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/*
 * The numbers in m of the graph's directions that places are remembered of,
 * UINT32_MAX for new ones, [d->n]; *known counts the others.
 */
static uint32_t *
match_links(const struct order_memory *m, const struct directions *d,
	uint32_t *known)
{
	const struct swgraph *g = d->g;
	struct found_link *f = mem_alloc((m->nlinks + 1U) * sizeof(*f));
	uint32_t *at = mem_alloc((d->n + 1U) * sizeof(*at));

	for (uint32_t i = 0; i < m->nlinks; i++)
		f[i] = (struct found_link){m->link[i], i};
	qsort(f, m->nlinks, sizeof(*f), compare_links);
	*known = 0;
	for (uint32_t c = 0; c < d->n; c++) {
		const struct remembered_link key = {
			guid_of(g, d->from[c]), guid_of(g, g->group[c].peer)};
		const struct found_link *is =
			leads_from_a(d, c) ? bsearch(&key, f, m->nlinks,
						     sizeof(*f), compare_links)
					   : NULL;

		at[c] = is != NULL ? is->at : UINT32_MAX;
		*known += is != NULL;
	}
	free(f);
	return at;
}

/* The links of m that stay in the memory, and then the new ones. */
static void
note_links(const struct order_memory *m, const struct directions *d,
	const uint32_t *at, struct order_memory *out)
{
	const struct swgraph *g = d->g;
	int32_t most = 0;

	memcpy(out->link, m->link, m->nlinks * sizeof(*m->link));
	out->nlinks = m->nlinks;
	for (uint32_t c = 0; c < d->n; c++)
		if (leads_from_a(d, c) && at[c] == UINT32_MAX)
			out->link[out->nlinks++] =
				(struct remembered_link){guid_of(g, d->from[c]),
					guid_of(g, g->group[c].peer)};
	for (unsigned l = 0; l + 1 < out->n; l++) {
		int32_t *place = out->place + (size_t)l * out->nlinks;

		memcpy(place, m->place + (size_t)l * m->nlinks,
			m->nlinks * sizeof(*place));
		for (uint32_t k = 0; k < m->nlinks; k++)
			most = abs(place[k]) > most ? abs(place[k]) : most;
		for (uint32_t k = m->nlinks; k < out->nlinks; k++)
			place[k] = (int32_t)(most + 1 + (int32_t)k);
	}
}

/* The ranks of the graph's directions by the places of the memory. */
static void
rank_links(const struct directions *d, const uint32_t *at,
	const struct order_memory *m, uint32_t old, struct layer_orders *o)
{
	double *place = mem_zalloc(d->n + 1U, sizeof(*place));

	for (unsigned l = 1; l < o->n; l++) {
		uint32_t new = old;

		for (uint32_t c = 0; c < d->n; c++) {
			uint32_t k;

			if (!leads_from_a(d, c))
				continue;
			k = at[c] != UINT32_MAX ? at[c] : new ++;
			place[c] = m->place[(l - 1) * m->nlinks + k];
			place[d->back[c]] = -place[c];
		}
		layer_orders_by_places(d, place, o->rank + (size_t)l * d->n);
	}
	free(place);
}

/* ---- the whole ---- */

/* Drop links that are away, where there are too many of them. While none is
 * there, as in quarantine, all are expected back. known, at: see match_links,
 * and of what is left then. */
static const struct order_memory *
without_lost_links(const struct order_memory *m, const struct directions *d,
	struct arena *a, uint32_t known, uint32_t **at)
{
	bool *present;
	struct order_memory *out;

	if (known == 0 || m->nlinks - known <= AWAY * known)
		return m;
	present = mem_zalloc(m->nlinks + 1U, sizeof(*present));
	for (uint32_t c = 0; c < d->n; c++)
		if ((*at)[c] != UINT32_MAX)
			present[(*at)[c]] = true;
	out = memory_new(a, m->n, 0, known);
	out->asked = m->asked;
	out->places = m->places;
	out->guid = m->guid;
	out->nsw = m->nsw;
	for (uint32_t k = 0; k < m->nlinks; k++)
		if (present[k]) {
			for (unsigned l = 0; l + 1 < m->n; l++)
				out->place[l * known + out->nlinks] =
					m->place[l * m->nlinks + k];
			out->link[out->nlinks++] = m->link[k];
		}
	free(present);
	free(*at);
	*at = match_links(out, d, &known);
	return out;
}

struct order_memory *
order_memory_fit(const struct order_memory *m, const struct directions *d,
	unsigned asked, unsigned most, struct layer_orders *out,
	struct arena *a)
{
	const struct swgraph *g = d->g;
	struct match x = {.g = g};
	struct order_memory *next;
	uint32_t known, *at;

	if (m->asked != asked)
		return NULL;
	at = match_links(m, d, &known);
	m = without_lost_links(m, d, a, known, &at);
	if ((d->n / 2 - known) * NEW_LINKS > d->n / 2) {
		free(at);
		return NULL;
	}
	x.m = m;
	x.was = mem_alloc((g->nsw + 1U) * sizeof(*x.was));
	x.is = mem_alloc((m->nsw + 1U) * sizeof(*x.is));
	match_switches(&x);
	layer_orders_room(d, m->n < most ? m->n : most, out);
	order_switches(&x, out);
	next = memory_new(a, out->n, (size_t)m->nsw + g->nsw,
		m->nlinks + d->n / 2 - known);
	next->asked = asked;
	note_switches(&x, out,
		known == 0 || x.away <= (uint64_t)AWAY * out->nseq, next);
	note_links(m, d, at, next);
	layer_orders_by_switches(d, out->pos, out->rank);
	rank_links(d, at, next, m->nlinks, out);
	free(at);
	free(x.was);
	free(x.is);
	return next;
}

/* ---- text ---- */

void
order_memory_print(const struct order_memory *m, struct buf *out)
{
	buf_printf(out, "layers %u %u\n", m->asked, m->n);
	for (uint32_t i = 0; i < m->nsw; i++)
		buf_printf(out, "switch 0x%016" PRIx64 "\n", m->guid[i]);
	for (uint32_t k = 0; k < m->nlinks; k++) {
		buf_printf(out, "link 0x%016" PRIx64 " 0x%016" PRIx64,
			m->link[k].a, m->link[k].b);
		for (unsigned l = 0; l + 1 < m->n; l++)
			buf_printf(out, " %" PRId32,
				m->place[(size_t)l * m->nlinks + k]);
		buf_put(out, "\n", 1);
	}
	if (m->places != NULL)
		place_memory_print(m->places, out);
}

static bool
reads_link(struct memory_reader *r, struct order_memory *m, size_t nlinks)
{
	struct remembered_link *k = &m->link[m->nlinks];
	long place;

	if (!memory_reader_takes_guid(r, &k->a) ||
		!memory_reader_takes_guid(r, &k->b) || k->a >= k->b)
		return false;
	for (unsigned l = 0; l + 1 < m->n; l++) {
		if (!memory_reader_takes_number(
			    r, -INT32_MAX / 2, INT32_MAX / 2, &place) ||
			place == 0)
			return false;
		m->place[l * nlinks + m->nlinks] = (int32_t)place;
	}
	m->nlinks++;
	return true;
}

/* A line of a text after the first one. */
static bool
reads_line(struct memory_reader *r, struct order_memory *m, size_t nlinks,
	const char *text, struct arena *a)
{
	if (memory_reader_takes_word(r, "switch"))
		return memory_reader_takes_guid(r, &m->guid[m->nsw++]);
	if (m->places == NULL && memory_reader_takes_word(r, "shape"))
		return (m->places = place_memory_read_shape(r, text, a)) !=
		       NULL;
	if (m->places != NULL && memory_reader_takes_word(r, "place"))
		return place_memory_reads_place(r, m->places);
	return memory_reader_takes_word(r, "link") && reads_link(r, m, nlinks);
}

struct order_memory *
order_memory_parse(const char *text, struct arena *a, struct reason *why)
{
	size_t nsw = memory_reader_count_lines(text, "switch");
	size_t nlinks = memory_reader_count_lines(text, "link");
	struct memory_reader r = {text, 1};
	struct order_memory *m = NULL;
	long asked, n;
	bool good;

	good = memory_reader_takes_word(&r, "layers") &&
	       memory_reader_takes_number(&r, 1, ROUTE_LAYERS, &asked) &&
	       memory_reader_takes_number(&r, 1, ROUTE_LAYERS, &n);
	if (good) {
		m = memory_new(a, (unsigned)n, nsw, nlinks);
		m->asked = (unsigned)asked;
	}
	for (good &= *r.at == '\n'; good && r.at[1] != '\0';
		good &= *r.at == '\n') {
		r.at++;
		r.line++;
		good = reads_line(&r, m, nlinks, text, a);
	}
	if (good)
		return m;
	(void)reason_set(
		why, "line %u of the remembered orders of layers", r.line);
	return NULL;
}
