/*
 * stage: which entry is written in which stage.
 *
 * Only dependencies between channels that are on a cycle of the whole mixture
 * can ever close one. An entry with a new channel that is on none is written
 * first and never looked at again. The others are tried one by one against a
 * graph that holds what every entry may be in this stage; one that would close
 * a cycle waits for the next stage, when what the stage replaced is gone.
 *
 * Taking whatever fits can end in a corner: entries that closed no cycle when
 * they were admitted, by dependencies that neither routing makes, leave no room
 * for the last ones. Where the order of switches is kept there is an order of
 * writes without such dependencies (two up/down routings that go down where
 * they can, by one order: an entry that begins to go down waits until the
 * switches above it no longer come down to it, one that begins to go up goes
 * first), and admitting only entries that make legal dependencies finds it.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

struct entry {
	uint64_t key; /* repairs first, then nearest to the destination */
	uint32_t cell;
	uint8_t l;
	bool urgent;
};

/* A dependency that was added for the entry that is tried. */
struct added {
	uint32_t v;
	uint8_t out;
};

/* Bytes for each switch, for each LID that was asked for. */
struct rows {
	uint32_t *of; /* by LID: row number + 1 */
	uint8_t *row;
	size_t n, cap;
};

struct work {
	struct lft_values *v;
	const struct chan_graph *n;
	const uint32_t *comp;
	struct dynamic_order order;
	struct transition_when at; /* TRANSITION_AT, the stage being filled */
	bool *hurt;		   /* by LID: entries lead nowhere */
	bool hurts;		   /* there is such a LID */
	struct entry *e;	   /* not in a stage yet */
	size_t ne, cape;
	struct added *added;
	size_t nadded, capadded;
	struct added bad; /* the refused dependency of the last entry, if it was
			     new */
	bool isbad;
	enum transition_admission how;
	uint64_t *refused;  /* do not fit in this stage at all */
	struct rows planes; /* planes with packets at switches, in this stage */
	struct rows whole;  /* whether packets arrive as the stage begins */
	struct rows need;   /* on the new path of lost packets */
	bool few;	    /* few channels on cycles: rows are cheaper */
	uint64_t *ones;	    /* the row for all LIDs with one layer */
};

static void
rows_new(struct rows *r, const struct lft_values *v)
{
	r->of = mem_zalloc((size_t)v->nblocks * LFT_BLOCK, sizeof(*r->of));
}

static void
rows_clear(struct rows *r, const struct lft_values *v)
{
	if (r->n > 0)
		memset(r->of, 0,
			(size_t)v->nblocks * LFT_BLOCK * sizeof(*r->of));
	r->n = 0;
}

static void
rows_free(struct rows *r)
{
	free(r->of);
	free(r->row);
}

/* The row of a LID, of so many bytes in all of r; true: it was added and is to
 * be filled. */
static bool
rows_add(struct rows *r, size_t bytes, uint32_t lid, uint8_t **row)
{
	bool fresh = r->of[lid] == 0;

	if (fresh) {
		r->row = mem_grow(r->row, r->n, &r->cap, bytes);
		r->of[lid] = (uint32_t)++r->n;
	}
	*row = r->row + (r->of[lid] - 1) * bytes;
	return fresh;
}

static bool
has_value(const uint8_t *value, unsigned n, unsigned port)
{
	while (n-- > 0)
		if (value[n] == port)
			return true;
	return false;
}

/* Whether packets from s arrive as the stage begins. */
static bool
packets_arrive(struct work *w, sw_ix s, uint32_t lid)
{
	uint8_t *row;

	if (rows_add(&w->whole, w->n->nsw, lid, &row))
		stage_loss_arrives(w->v, lid, w->at, row);
	return row[s];
}

/*
 * Whether the switch that the new entry leads to sends packets straight back.
 */
static bool
sends_back(const struct work *w, const struct lft_value_cell *c, unsigned l,
	struct transition_when when)
{
	const struct chan_graph *n = w->n;
	uint8_t port = lft_bytes(w->v->to->pool, c->want)[l];
	uint32_t h = n->to[(size_t)c->s * 256 + port].rec;
	uint8_t value[TRANSITION_VALUES];
	unsigned k;

	if (n->owner[h] == n->nsw)
		return false;
	k = lft_values_entry(
		w->v, n->owner[h], c->b * LFT_BLOCK + l, when, value);
	return has_value(value, k, h - n->base[h]);
}

/*
 * A switch discards a packet that would leave by the link that it came by.
 * Packets that arrive now must not meet that at any moment of the stage; for
 * packets that are lost now it is enough that they do not meet it when the
 * stage is over.
 */
static bool
bounces_packets(struct work *w, const struct lft_value_cell *c, unsigned l)
{
	struct transition_when over = {TRANSITION_AT, w->at.k + 1};

	return sends_back(w, c, l, w->at) &&
	       (packets_arrive(w, c->s, c->b * LFT_BLOCK + l) ||
		       sends_back(w, c, l, over));
}

/* Whether s is on the new path of packets that are lost now. */
static bool
is_needed(struct work *w, sw_ix s, uint32_t lid)
{
	uint32_t nsw = w->n->nsw;
	uint8_t *row;

	if (!w->hurt[lid])
		return false;
	if (!rows_add(&w->need, nsw, lid, &row))
		return row[s];
	memset(row, 0, nsw);
	for (sw_ix i = 0; i < nsw; i++) {
		sw_ix u = packets_arrive(w, i, lid) ? nsw : i;

		while (u != nsw && !row[u]) {
			uint8_t p = routes_port(w->v->to, u, (uint16_t)lid);

			row[u] = 1;
			u = w->n->to[(size_t)u * 256 + p].s;
		}
	}
	return row[s];
}

/* Whether no packet is to be sent back where it came from. */
static bool
avoids_bounces(const struct work *w)
{
	return w->how == TRANSITION_SMOOTH ||
	       w->how == TRANSITION_SMOOTH_LEGAL || w->how == TRANSITION_REPAIR;
}

static bool
can_be_on_cycle(
	const struct work *w, const struct lft_value_cell *c, uint8_t port)
{
	uint32_t h = w->n->to[(size_t)c->s * 256 + port].rec;

	for (; h < w->n->nv; h += w->n->nrec)
		if (w->comp[h] != 0)
			return true;
	return false;
}

/* Links from s to the end of the new path. */
static unsigned
hops_to_lid(const struct work *w, sw_ix s, uint32_t lid)
{
	unsigned d = 0;

	while (s != w->n->nsw && d < 255) {
		uint8_t p = routes_port(w->v->to, s, (uint16_t)lid);

		s = w->n->to[(size_t)s * 256 + p].s;
		d++;
	}
	return d;
}

static void
collect_cell(struct work *w, uint32_t i)
{
	struct lft_values *v = w->v;
	const struct lft_value_cell *c = &v->c[i];
	const uint8_t *want = lft_bytes(v->to->pool, c->want);
	struct transition_diff d = lft_values_diff(v, c);
	static const struct transition_when held = {TRANSITION_HELD, 0};

	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		struct entry e = {.cell = i, .l = (uint8_t)l};

		w->hurt[c->b * LFT_BLOCK + l] |= d.urgent >> l & 1;
		w->hurts |= d.urgent >> l & 1;
		if (!(d.changed >> l & 1) ||
			(!can_be_on_cycle(w, c, want[l]) &&
				!(avoids_bounces(w) &&
					sends_back(w, c, l, held))))
			continue;
		v->stage[i][l] = TRANSITION_LATER;
		e.urgent = d.urgent >> l & 1;
		e.key = (uint64_t)hops_to_lid(w, c->s, c->b * LFT_BLOCK + l)
				<< 48 |
			w->ne;
		w->e = mem_grow(w->e, w->ne, &w->cape, sizeof(*w->e));
		w->e[w->ne++] = e;
	}
}

static int
compare_keys(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Planes of packets for this LID that may be at each switch. */
static const uint64_t *
planes_of(struct work *w, uint32_t lid)
{
	struct transition_when rest = {TRANSITION_REST, w->at.k};
	uint64_t *mask;
	uint8_t *row;
	bool added;

	if (w->n->layers == 1)
		return w->ones;
	added = rows_add(&w->planes, w->n->nsw * sizeof(*mask), lid, &row);
	mask = (uint64_t *)(void *)row; /* rows are whole masks */
	if (added)
		cdg_mixed_reach(w->v, lid, rest, mask);
	return mask;
}

/* Add the dependency from record c out of a port, in these planes. */
static bool
add_dependency(struct work *w, uint32_t c, unsigned out, uint64_t planes)
{
	const struct chan_graph *n = w->n;
	const uint64_t *alive = n->alive + ((size_t)n->owner[c] << n->shift);

	if (out == c - n->base[c] || !(alive[n->word[out]] & n->bit[out]))
		return true;
	for (; planes != 0; planes &= planes - 1) {
		uint32_t v = c + (uint32_t)__builtin_ctzll(planes) * n->nrec;

		if (dep_graph_has(&n->frame, w->order.dep, v, out) ||
			(n->closed != NULL &&
				dep_graph_has(&n->frame, n->closed, v, out)))
			continue;
		if (dep_graph_has(&n->frame, w->refused, v, out))
			return false;
		if (!dynamic_order_add(&w->order, v, out)) {
			w->bad = (struct added){v, (uint8_t)out};
			w->isbad = true;
			return false;
		}
		w->added = mem_grow(
			w->added, w->nadded, &w->capadded, sizeof(*w->added));
		w->added[w->nadded++] = (struct added){v, (uint8_t)out};
	}
	return true;
}

/*
 * Add all dependencies between the entry's new value and what is in this stage.
 */
static bool
add_dependencies(struct work *w, const struct lft_value_cell *c, unsigned l)
{
	const struct chan_graph *n = w->n;
	uint32_t lid = c->b * LFT_BLOCK + l;
	uint8_t port = lft_bytes(w->v->to->pool, c->want)[l];
	uint32_t h = n->to[(size_t)c->s * 256 + port].rec;
	const uint64_t *planes = planes_of(w, lid);
	uint8_t value[TRANSITION_VALUES];
	unsigned nvalues;

	for (uint32_t r = n->off[c->s]; r < n->off[c->s + 1]; r++) {
		uint32_t e = n->peer[r];
		sw_ix u = n->owner[e];

		if (u == n->nsw)
			continue;
		nvalues = lft_values_entry(w->v, u, lid, w->at, value);
		if (has_value(value, nvalues, e - n->base[e]) &&
			!add_dependency(w, r, port, planes[u]))
			return false;
	}
	nvalues = lft_values_entry(w->v, n->owner[h], lid, w->at, value);
	while (nvalues-- > 0)
		if (!add_dependency(w, h, value[nvalues], planes[c->s]))
			return false;
	return true;
}

/*
 * The graph of a stage only grows: a dependency that does not fit on its own,
 * without the others of its entry, will not fit any more.
 */
static void
remember_refused(struct work *w)
{
	const struct added *x = &w->bad;

	if (!dynamic_order_add(&w->order, x->v, x->out))
		w->refused[((size_t)x->v << w->n->shift) + (x->out >> 6)] |=
			UINT64_C(1) << (x->out & 63);
	else
		dynamic_order_remove(&w->order, x->v, x->out);
}

static bool
admit_entry(struct work *w, const struct entry *e)
{
	const struct lft_value_cell *c = &w->v->c[e->cell];
	uint8_t *stage = &w->v->stage[e->cell][e->l];

	w->nadded = 0;
	w->isbad = false;
	if (avoids_bounces(w) && bounces_packets(w, c, e->l))
		return false;
	if (w->how == TRANSITION_REPAIR &&
		!is_needed(w, c->s, c->b * LFT_BLOCK + e->l))
		return false;
	*stage = (uint8_t)w->at.k;
	if (add_dependencies(w, c, e->l))
		return true;
	*stage = TRANSITION_LATER;
	while (w->nadded-- > 0)
		dynamic_order_remove(&w->order, w->added[w->nadded].v,
			w->added[w->nadded].out);
	if (w->isbad)
		remember_refused(w);
	return false;
}

static void
refuse_illegal(struct work *w)
{
	const struct chan_graph *n = w->n;

	for (uint32_t v = 0; v < n->nv; v++) {
		uint32_t in = v % n->nrec;
		unsigned nports;

		if (w->comp[v] == 0)
			continue;
		nports = n->off[n->owner[v] + 1] - n->off[n->owner[v]];
		for (unsigned out = 1; out < nports; out++)
			if (!lft_values_is_legal(w->v, in, out))
				w->refused[((size_t)v << n->shift) +
					   n->word[out]] |= n->bit[out];
	}
}

/*
 * Fill stage k with what fits. False when what is in place has a cycle already.
 */
static bool
fill_stage(struct work *w, unsigned k, uint64_t *dep)
{
	struct transition_when rest = {TRANSITION_REST, k};
	size_t left = 0;
	bool ok;

	w->at = (struct transition_when){TRANSITION_AT, k};
	rows_clear(&w->planes, w->v);
	rows_clear(&w->whole, w->v);
	rows_clear(&w->need, w->v);
	memset(w->refused, 0,
		dep_graph_words(&w->n->frame) * sizeof(*w->refused));
	if (w->how == TRANSITION_LEGAL || w->how == TRANSITION_SMOOTH_LEGAL)
		refuse_illegal(w);
	if (w->few)
		cdg_mixed_rows(w->v, w->at, w->comp, dep);
	else
		cdg_mixed_build(w->v, w->at, rest, dep);
	ok = dynamic_order_new(&w->order, &w->n->frame, w->comp, dep);
	for (size_t i = 0; ok && i < w->ne; i++)
		if (!admit_entry(w, &w->e[i]))
			w->e[left++] = w->e[i];
	if (ok)
		w->ne = left;
	dynamic_order_free(&w->order);
	return ok;
}

static void
collect_entries(struct work *w)
{
	struct lft_values *v = w->v;
	const struct chan_graph *n = w->n;
	uint32_t cyclic = 0;

	for (uint32_t c = 0; c < n->nv; c++)
		cyclic += w->comp[c] != 0;
	w->few = n->layers == 1 && cyclic < n->nsw;
	rows_new(&w->planes, v);
	rows_new(&w->whole, v);
	rows_new(&w->need, v);
	w->hurt = mem_zalloc((size_t)v->nblocks * LFT_BLOCK, sizeof(*w->hurt));
	free(v->stage);
	v->stage = mem_zalloc(v->ncells, sizeof(*v->stage));
	for (uint32_t i = 0; i < v->ncells; i++)
		if (v->c[i].write && v->c[i].nheld > 0)
			collect_cell(w, i);
	for (size_t i = 0; i < w->ne; i++) {
		uint32_t lid = v->c[w->e[i].cell].b * LFT_BLOCK + w->e[i].l;

		bool first = avoids_bounces(w) ? w->hurt[lid] : w->e[i].urgent;

		w->e[i].key |= (uint64_t)!first << 60;
	}
	if (w->ne > 0)
		qsort(w->e, w->ne, sizeof(*w->e), compare_keys);
	w->ones = mem_alloc(n->nsw * sizeof(*w->ones));
	for (sw_ix s = 0; s < n->nsw; s++)
		w->ones[s] = 1;
}

bool
stage_find(struct lft_values *v, const uint32_t *comp,
	enum transition_admission how, unsigned max, unsigned *nstages)
{
	struct work w = {.v = v, .n = v->net, .comp = comp, .how = how};
	uint64_t *dep = mem_alloc(dep_graph_words(&w.n->frame) * sizeof(*dep));
	bool done = false, repair = how == TRANSITION_REPAIR;
	unsigned k = 0;

	w.refused =
		mem_alloc(dep_graph_words(&w.n->frame) * sizeof(*w.refused));
	collect_entries(&w);
	/*
	 * The first stage may gain from the drain after it alone; and it exists
	 * even if no entry can wait, for blocks that are unknown.
	 */
	for (; k < max && !done; k++) {
		size_t before = w.ne;

		if ((repair && k > 0) || !fill_stage(&w, k, dep) ||
			(k > 0 && w.ne == before))
			break;
		done = w.ne == 0;
	}
	if (k == max && !done)
		k--; /* the remaining entries join the last stage */
	*nstages = done ? k : k + 1;
	if (repair && !w.hurts)
		*nstages = 0;
	for (size_t i = 0; i < w.ne; i++)
		v->stage[w.e[i].cell][w.e[i].l] = (uint8_t)k;
	free(w.hurt);
	free(w.e);
	free(w.added);
	free(w.refused);
	rows_free(&w.planes);
	rows_free(&w.whole);
	rows_free(&w.need);
	free(w.ones);
	free(dep);
	return done;
}
