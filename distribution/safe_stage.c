/*
 * safe_stage: which entry is written in which stage.
 *
 * Only turns between channels that are on a cycle of the whole mixture can
 * ever close one. An entry whose new channel is on none is written first, and
 * nothing more need be known of it. The others are tried one by one against a
 * graph that holds what every entry may be in this stage; one that would close
 * a cycle waits for the next stage, when what the stage replaced is gone.
 *
 * Taking whatever fits can end in a corner: entries that closed no cycle when
 * they were admitted, by turns that neither routing makes, leave no room for
 * the last ones. Where the order of switches is kept there is a way without
 * such turns (two up/down routings that go down where they can, by one order:
 * an entry that begins to go down waits for the switches above it no longer to
 * come down to it, one that begins to go up goes first), and admitting only
 * what makes turns that the order allows finds it.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/safe_priv.h"
#include "sm/base/mem.h"

struct entry {
	uint64_t key; /* urgent ones first, then nearest to the destination */
	uint32_t cell;
	uint8_t l;
};

/* A turn that was not there before an entry was tried. */
struct added {
	uint32_t v;
	uint8_t out;
};

struct work {
	struct safe_values *v;
	const struct safe_net *n;
	const uint32_t *comp;
	struct safe_order order;
	struct safe_when at; /* SAFE_AT, the stage being filled */
	struct entry *e;     /* not in a stage yet */
	size_t ne, cape;
	struct added *added;
	size_t nadded, capadded;
	struct added bad; /* what refused the last entry, if that was new */
	bool isbad;
	enum safe_admission how;
	uint64_t *refused; /* turns that do not fit in this stage at all */
	/* lanes that reach switches, for LIDs that were asked for */
	uint32_t *row_of; /* by LID: row number + 1 */
	uint8_t *rows;
	size_t nrows, caprows;
	bool few;      /* channels on cycles, so that rows are cheaper */
	uint8_t *ones; /* the row for all LIDs where there is one lane */
};

static bool
holds(const uint8_t *value, unsigned n, unsigned port)
{
	while (n-- > 0)
		if (value[n] == port)
			return true;
	return false;
}

/*
 * Would packets come straight back, and be discarded, because the switch that
 * the new entry leads to sends them here?
 */
static bool
bounces(const struct work *w, const struct safe_cell *c, unsigned l,
	struct safe_when when)
{
	const struct safe_net *n = w->n;
	uint8_t port = lft_bytes(w->v->to->pool, c->want)[l];
	uint32_t h = n->to[(size_t)c->s * 256 + port].rec;
	uint8_t value[SAFE_VALUES];
	unsigned k;

	if (n->owner[h] == n->nsw)
		return false;
	k = safe_value_entry(
		w->v, n->owner[h], c->b * LFT_BLOCK + l, when, value);
	return holds(value, k, h - n->base[h]);
}

/* Nothing is to be sent back where it came from. */
static bool
smooth(const struct work *w)
{
	return w->how == SAFE_SMOOTH || w->how == SAFE_SMOOTH_LEGAL;
}

static bool
critical(const struct work *w, const struct safe_cell *c, uint8_t port)
{
	uint32_t h = w->n->to[(size_t)c->s * 256 + port].rec;

	for (; h < w->n->nv; h += w->n->nrec)
		if (w->comp[h] != 0)
			return true;
	return false;
}

/* Cables from s to the end of the new way. */
static unsigned
distance(const struct work *w, sw_ix s, uint32_t lid)
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
	struct safe_values *v = w->v;
	const struct safe_cell *c = &v->c[i];
	const uint8_t *want = lft_bytes(v->to->pool, c->want);
	struct safe_diff d = safe_value_diff(v, c);
	static const struct safe_when held = {SAFE_HELD, 0};

	for (unsigned l = 0; l < LFT_BLOCK; l++) {
		struct entry e = {.cell = i, .l = (uint8_t)l};

		if (!(d.changed >> l & 1) ||
			(!critical(w, c, want[l]) &&
				!(smooth(w) && bounces(w, c, l, held))))
			continue;
		v->stage[i][l] = SAFE_LATER;
		e.key = (uint64_t) !(d.urgent >> l & 1) << 60 |
			(uint64_t)distance(w, c->s, c->b * LFT_BLOCK + l)
				<< 48 |
			w->ne;
		w->e = mem_grow(w->e, w->ne, &w->cape, sizeof(*w->e));
		w->e[w->ne++] = e;
	}
}

static int
by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Lanes that can be met at each switch by packets for this LID. */
static const uint8_t *
lanes_of(struct work *w, uint32_t lid)
{
	struct safe_when rest = {SAFE_REST, w->at.k};
	uint32_t nsw = w->n->nsw;

	if (w->n->lanes == 1)
		return w->ones;
	if (w->row_of[lid] == 0) {
		w->rows = mem_grow(w->rows, w->nrows, &w->caprows, nsw);
		safe_mix_reach(w->v, lid, rest, w->rows + w->nrows * nsw);
		w->row_of[lid] = (uint32_t)++w->nrows;
	}
	return w->rows + (size_t)(w->row_of[lid] - 1) * nsw;
}

/* The turn from record c out of a port, on these lanes. */
static bool
add_turn(struct work *w, uint32_t c, unsigned out, unsigned lanes)
{
	const struct safe_net *n = w->n;
	const uint64_t *alive = n->alive + ((size_t)n->owner[c] << n->shift);

	if (out == c - n->base[c] || !(alive[n->word[out]] & n->bit[out]))
		return true;
	for (; lanes != 0; lanes &= lanes - 1) {
		uint32_t v = c + (uint32_t)__builtin_ctz(lanes) * n->nrec;

		if (safe_has(n, w->order.turn, v, out) ||
			(n->closed != NULL && safe_has(n, n->closed, v, out)))
			continue;
		if (safe_has(n, w->refused, v, out))
			return false;
		if (!safe_order_add(&w->order, v, out)) {
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

/* All turns that the entry's new value adds to what is in this stage. */
static bool
add_turns(struct work *w, const struct safe_cell *c, unsigned l)
{
	const struct safe_net *n = w->n;
	uint32_t lid = c->b * LFT_BLOCK + l;
	uint8_t port = lft_bytes(w->v->to->pool, c->want)[l];
	uint32_t h = n->to[(size_t)c->s * 256 + port].rec;
	const uint8_t *lanes = lanes_of(w, lid);
	uint8_t value[SAFE_VALUES];
	unsigned nvalues;

	for (uint32_t r = n->off[c->s]; r < n->off[c->s + 1]; r++) {
		uint32_t e = n->peer[r];
		sw_ix u = n->owner[e];

		if (u == n->nsw)
			continue;
		nvalues = safe_value_entry(w->v, u, lid, w->at, value);
		if (holds(value, nvalues, e - n->base[e]) &&
			!add_turn(w, r, port, lanes[u]))
			return false;
	}
	nvalues = safe_value_entry(w->v, n->owner[h], lid, w->at, value);
	while (nvalues-- > 0)
		if (!add_turn(w, h, value[nvalues], lanes[c->s]))
			return false;
	return true;
}

/*
 * The graph of a stage only grows: a turn that does not fit on its own, with
 * nothing else of its entry there, will not fit any more.
 */
static void
remember(struct work *w)
{
	const struct added *x = &w->bad;

	if (!safe_order_add(&w->order, x->v, x->out))
		w->refused[((size_t)x->v << w->n->shift) + (x->out >> 6)] |=
			UINT64_C(1) << (x->out & 63);
	else
		safe_order_remove(&w->order, x->v, x->out);
}

static bool
admit(struct work *w, const struct entry *e)
{
	uint8_t *stage = &w->v->stage[e->cell][e->l];

	w->nadded = 0;
	w->isbad = false;
	if (smooth(w) && e->key >> 60 != 0 &&
		bounces(w, &w->v->c[e->cell], e->l, w->at))
		return false;
	*stage = (uint8_t)w->at.k;
	if (add_turns(w, &w->v->c[e->cell], e->l))
		return true;
	*stage = SAFE_LATER;
	while (w->nadded-- > 0)
		safe_order_remove(&w->order, w->added[w->nadded].v,
			w->added[w->nadded].out);
	if (w->isbad)
		remember(w);
	return false;
}

static void
refuse_illegal(struct work *w)
{
	const struct safe_net *n = w->n;

	for (uint32_t v = 0; v < n->nv; v++) {
		uint32_t in = v % n->nrec;
		unsigned nports;

		if (w->comp[v] == 0)
			continue;
		nports = n->off[n->owner[v] + 1] - n->off[n->owner[v]];
		for (unsigned out = 1; out < nports; out++)
			if (!safe_method_legal(w->v, in, out))
				w->refused[((size_t)v << n->shift) +
					   n->word[out]] |= n->bit[out];
	}
}

/* Fill stage k with what fits. False when not even what is there does. */
static bool
fill(struct work *w, unsigned k, uint64_t *turn)
{
	struct safe_when rest = {SAFE_REST, k};
	size_t left = 0;
	bool ok;

	w->at = (struct safe_when){SAFE_AT, k};
	w->nrows = 0;
	memset(w->refused, 0, safe_words(w->n) * sizeof(*w->refused));
	if (w->how == SAFE_LEGAL || w->how == SAFE_SMOOTH_LEGAL)
		refuse_illegal(w);
	if (w->row_of != NULL)
		memset(w->row_of, 0,
			(size_t)w->v->nblocks * LFT_BLOCK * sizeof(*w->row_of));
	if (w->few)
		safe_mix_rows(w->v, w->at, w->comp, turn);
	else
		safe_mix_build(w->v, w->at, rest, turn);
	ok = safe_order_new(&w->order, w->n, w->comp, turn);
	for (size_t i = 0; ok && i < w->ne; i++)
		if (!admit(w, &w->e[i]))
			w->e[left++] = w->e[i];
	if (ok)
		w->ne = left;
	safe_order_free(&w->order);
	return ok;
}

static void
begin(struct work *w)
{
	struct safe_values *v = w->v;
	const struct safe_net *n = w->n;
	uint32_t cyclic = 0;

	for (uint32_t c = 0; c < n->nv; c++)
		cyclic += w->comp[c] != 0;
	w->few = n->lanes == 1 && cyclic < n->nsw;
	free(v->stage);
	v->stage = mem_zalloc(v->ncells, sizeof(*v->stage));
	for (uint32_t i = 0; i < v->ncells; i++)
		if (v->c[i].write && v->c[i].nheld > 0)
			collect_cell(w, i);
	if (w->ne > 0)
		qsort(w->e, w->ne, sizeof(*w->e), by_key);
	w->ones = mem_alloc(n->nsw);
	memset(w->ones, 1, n->nsw);
	if (n->lanes > 1)
		w->row_of = mem_alloc(
			(size_t)v->nblocks * LFT_BLOCK * sizeof(*w->row_of));
}

bool
safe_stage_find(struct safe_values *v, const uint32_t *comp,
	enum safe_admission how, unsigned max, unsigned *nstages)
{
	struct work w = {.v = v, .n = v->net, .comp = comp, .how = how};
	uint64_t *turn = mem_alloc(safe_words(w.n) * sizeof(*turn));
	bool done = false;
	unsigned k = 0;

	w.refused = mem_alloc(safe_words(w.n) * sizeof(*w.refused));
	begin(&w);
	/*
	 * The first stage may gain from the drain after it alone; and it is
	 * there even if no entry can wait, with blocks that nobody knows.
	 */
	for (; k < max && !done; k++) {
		size_t before = w.ne;

		if (!fill(&w, k, turn) || (k > 0 && w.ne == before))
			break;
		done = w.ne == 0;
	}
	if (k == max && !done)
		k--; /* what is left joins the last one */
	*nstages = done ? k : k + 1;
	for (size_t i = 0; i < w.ne; i++)
		v->stage[w.e[i].cell][w.e[i].l] = (uint8_t)k;
	free(w.e);
	free(w.added);
	free(w.refused);
	free(w.row_of);
	free(w.rows);
	free(w.ones);
	free(turn);
	return done;
}
