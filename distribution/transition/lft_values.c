#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

static const uint8_t *
block_bytes(const struct lft_values *v, lft_ref r)
{
	return lft_bytes(v->to->pool, r);
}

static bool
same_contents(const struct lft_values *v, lft_ref a, lft_ref b)
{
	return a == b ||
	       memcmp(block_bytes(v, a), block_bytes(v, b), LFT_BLOCK) == 0;
}

/* Add one of a cell's values, unless its contents are there already. */
static void
add_held(struct lft_values *v, struct lft_value_cell *c, lft_ref r)
{
	const uint8_t *is = block_bytes(v, c->want), *line = block_bytes(v, r);
	unsigned differ = 0;

	for (size_t k = c->held; k < v->nheld; k++)
		if (same_contents(v, v->held[k], r))
			return;
	for (unsigned l = 0; l < LFT_BLOCK; l++)
		differ += line[l] != is[l];
	v->differ += differ;
	v->held = mem_grow(v->held, v->nheld, &v->capheld, sizeof(*v->held));
	v->held[v->nheld++] = r;
	c->nheld++;
}

/* Add all values that the block may hold. */
static void
add_all_held(struct lft_values *v, struct lft_value_cell *c, uint64_t guid)
{
	lft_ref few[TRANSITION_VALUES], *all = few;
	size_t n =
		device_values(v->job->hw, guid, c->b, few, TRANSITION_VALUES);

	if (n > TRANSITION_VALUES) {
		all = mem_alloc(n * sizeof(*all));
		n = device_values(v->job->hw, guid, c->b, all, n);
	}
	for (size_t i = 0; i < n; i++)
		add_held(v, c, all[i]);
	if (all != few)
		free(all);
}

static void
add_cell(struct lft_values *v, const struct lft_value_cell *c)
{
	v->c = mem_grow(v->c, v->ncells, &v->capcells, sizeof(*v->c));
	v->c[v->ncells++] = *c;
	v->cell[(size_t)c->s * v->nblocks + c->b] = (uint32_t)v->ncells;
}

void
lft_values_cell(struct lft_values *v, sw_ix s, uint32_t b)
{
	struct lft_value_cell c = {.s = s,
		.b = b,
		.held = (uint32_t)v->nheld,
		.new = true,
		.settled = true,
		.want = routes_ref_of(v->to, s, b)};

	add_held(v, &c, c.want);
	add_cell(v, &c);
}

/* A switch's blocks as the device store has them. */
struct row {
	uint64_t guid;
	const lft_ref *have;
	uint32_t n;
	uint32_t end; /* of the blocks that packets meet: above LinearFDBTop a
			 switch drops them */
	bool plain, fresh, writable, unread;
};

/* Raising the top first brings the blocks below it to life. */
static uint32_t
row_end(const struct lft_values *v, sw_ix s, uint64_t guid)
{
	uint16_t top = v->net->t->sw[s].lft_top;

	if (device_marked(v->job->hw, device_at_switch(guid, DEVICE_LFT),
		    DEVICE_REFUSES) &&
		top < v->to->top)
		top = v->to->top;
	return top / LFT_BLOCK + 1U;
}

static void
add_block(struct lft_values *v, struct row *row, sw_ix s, uint32_t b)
{
	const struct routes *to = v->to;
	const struct topo_switch *sw = &v->net->t->sw[s];
	lft_ref have = b < row->n ? row->have[b] : DEVICE_UNKNOWN;
	struct lft_value_cell c = {.s = s, .b = b, .want = LFT_EMPTY};

	c.new = row->writable &&b < to->nblocks &&b *LFT_BLOCK < sw->lft_cap;
	if (c.new)
		c.want = routes_ref_of(to, s, b);
	c.settled = have != DEVICE_UNKNOWN;
	c.write = c.new && !(c.settled && same_contents(v, have, c.want));
	v->kept += c.new && !c.write;
	if (c.new && !c.write && (row->plain || row->fresh))
		return;
	c.held = (uint32_t)v->nheld;
	if (!row->fresh && row->plain && c.settled)
		add_held(v, &c, have);
	else if (!row->fresh)
		add_all_held(v, &c, row->guid);
	c.unknown = !row->fresh && c.nheld == 0 && b < row->end;
	c.above = b > sw->lft_top / LFT_BLOCK;
	row->unread |= c.unknown;
	if (c.new && !c.write && !c.unknown && c.nheld <= 1)
		return;
	add_cell(v, &c);
}

/*
 * How many of the first blocks can be compared with the wanted ones by their
 * references; most are the same.
 */
static uint32_t
count_comparable(const struct lft_values *v, const struct row *row, sw_ix s)
{
	uint32_t cap = (v->net->t->sw[s].lft_cap + LFT_BLOCK - 1U) / LFT_BLOCK;
	uint32_t n = row->n < v->to->nblocks ? row->n : v->to->nblocks;

	if (!row->plain || !row->writable)
		return 0;
	return n < cap ? n : cap;
}

static void
add_switch(struct lft_values *v, sw_ix s)
{
	const struct topo *t = v->net->t;
	const struct lft_row *want = v->to->row[s];
	uint64_t guid = t->node[t->sw[s].node].guid;
	struct row row = {.guid = guid};
	uint32_t n;

	row.have = device_row(v->job->hw, guid, &row.n, &row.plain);
	row.fresh = chan_graph_fresh(v->net, s);
	row.writable = !chan_graph_quarantined(v->net, s);
	row.end = row_end(v, s, guid);
	n = count_comparable(v, &row, s);
	for (uint32_t b = 0; b < v->nblocks; b++)
		if (b < n && row.have[b] == lft_row_ref(want, b))
			v->kept++;
		else
			add_block(v, &row, s, b);
	v->unread += row.unread && row.writable;
}

/* The number of blocks: old tables may go higher than what is wanted. */
static uint32_t
highest_block(const struct lft_values *v)
{
	const struct topo *t = v->net->t;
	uint32_t most = v->to->nblocks;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint16_t top = t->sw[s].lft_top;
		uint32_t n = top > TOPO_LID_MAX ? 0 : top / LFT_BLOCK + 1U;

		if (!chan_graph_fresh(v->net, s) && n > most)
			most = n;
	}
	return most;
}

static void
number_leaves(struct lft_values *v)
{
	const struct topo *t = v->net->t;

	v->leaf = mem_alloc(t->nsw * sizeof(*v->leaf));
	for (sw_ix s = 0; s < t->nsw; s++)
		v->leaf[s] = sl_history_leaf(
			v->job->history, t->node[t->sw[s].node].guid);
}

/* The switch order of the new routing; NULL: its tables obey none. */
static uint32_t *
find_places(const struct routes *to)
{
	uint32_t *pos;

	if (to->order == ROUTE_NO_ORDER)
		return NULL;
	pos = mem_alloc((to->topo->nsw + 1U) * sizeof(*pos));
	routes_order(to, pos);
	return pos;
}

bool
lft_values_is_unknown_end(const struct topo_port *p)
{
	return p->peer == TOPO_NONE &&
	       ((p->flags & TP_UNREAD) != 0 || p->state >= PORT_ARMED);
}

/*
 * Whether packets may arrive by a port from a switch that is in quarantine, or
 * that did not even answer: it forwards all the same, and nothing is known of
 * the layers of its packets.
 */
static bool
is_foreign(const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];
	const struct topo_node *peer;

	if (port->peer == TOPO_NONE)
		return lft_values_is_unknown_end(port);
	peer = &t->node[t->port[port->peer].node];
	return port->state >= PORT_ARMED && peer->type == TOPO_SWITCH &&
	       (peer->flags & TN_QUARANTINED) != 0;
}

static bool
has_foreign_port(const struct topo *t, sw_ix s)
{
	const struct topo_node *n = &t->node[t->sw[s].node];

	for (unsigned p = 1; p <= n->nports; p++)
		if (is_foreign(t, n->first_port + p))
			return true;
	return false;
}

bool
lft_values_has_foreign(const struct topo *t)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		if (topo_sw_live(t, s) && has_foreign_port(t, s))
			return true;
	return false;
}

uint64_t
lft_values_planes(const struct lft_values *v, sw_ix s, uint16_t layers,
	enum transition_which which)
{
	const struct chan_graph *n = v->net;

	if (v->foreign == NULL || !v->foreign[s] || which == TRANSITION_NEW ||
		which == TRANSITION_HELD)
		return layers;
	return UINT64_MAX >> (64 - n->planes);
}

void
lft_values_new(struct lft_values *v, const struct chan_graph *n,
	const struct transition_job *job)
{
	const struct topo *was = job->from != NULL ? job->from->topo : NULL;

	*v = (struct lft_values){.net = n, .job = job, .to = job->to};
	v->nblocks = highest_block(v);
	v->cell = mem_zalloc((size_t)n->nsw * v->nblocks, sizeof(*v->cell));
	v->old_sw = mem_alloc(n->nsw * sizeof(*v->old_sw));
	for (sw_ix s = 0; s < n->nsw; s++) {
		uint64_t guid = n->t->node[n->t->sw[s].node].guid;
		node_ix x = was ? topo_by_node_guid(was, guid) : TOPO_NONE;

		v->old_sw[s] = x == TOPO_NONE ? TOPO_NONE : was->node[x].sw;
		add_switch(v, s);
	}
	v->pos = find_places(v->to);
	if (n->layers < 2)
		return;
	number_leaves(v);
	v->foreign = mem_zalloc(n->nsw, sizeof(*v->foreign));
	for (sw_ix s = 0; s < n->nsw; s++)
		v->foreign[s] =
			topo_sw_live(n->t, s) && has_foreign_port(n->t, s);
}

void
lft_values_free(struct lft_values *v)
{
	for (size_t i = 0; i < v->nown; i++)
		lft_drop(v->to->pool, v->own[i]);
	free(v->own);
	free(v->cell);
	free(v->c);
	free(v->held);
	free(v->stage);
	free(v->old_sw);
	free(v->pos);
	free(v->unknown);
	free(v->leaf);
	free(v->foreign);
}

void
lft_values_lines_new(struct transition_lines *l, const struct chan_graph *n)
{
	*l = (struct transition_lines){0};
	l->of = mem_alloc((n->nsw + 1U) * sizeof(*l->of));
	l->merged = mem_alloc((size_t)n->nsw * 2 * LFT_BLOCK);
}

void
lft_values_lines_free(struct transition_lines *l)
{
	free(l->of);
	free(l->merged);
	free(l->extra);
}

static void
add_extra(struct transition_lines *l, sw_ix s, const uint8_t *line)
{
	l->extra =
		mem_grow(l->extra, l->nextra, &l->capextra, sizeof(*l->extra));
	l->extra[l->nextra++] = (struct transition_extra){s, line};
}

/*
 * The two values of each entry of a cell: new where its stage is below a (and
 * b), held elsewhere.
 */
struct pick {
	const uint8_t *was, *is;
	unsigned a, b;
};

enum { ALWAYS = 256 };

static struct pick
pick_cell_values(const struct lft_values *v, const struct lft_value_cell *c,
	struct transition_when when)
{
	struct pick p = {.was = block_bytes(v, LFT_EMPTY),
		.is = block_bytes(v, LFT_EMPTY)};

	if (c->nheld > 0)
		p.was = block_bytes(v, v->held[c->held]);
	if (c->new)
		p.is = block_bytes(v, c->want);
	if (when.which == TRANSITION_NEW || when.which == TRANSITION_STALE) {
		p.a = p.b = ALWAYS;
	} else if (when.which != TRANSITION_HELD &&
		   when.which != TRANSITION_OLD && c->new) {
		p.a = when.which == TRANSITION_ALL ? 0 : when.k;
		p.b = when.which == TRANSITION_AT ? when.k + 1 : ALWAYS;
		if (c->nheld == 0)
			p.a = p.b = ALWAYS;
	}
	return p;
}

static const uint8_t *
merge_line(const struct pick *p, unsigned below, const uint8_t *stage,
	uint8_t *line)
{
	if (below == 0)
		return p->was;
	if (stage == NULL || below == ALWAYS)
		return p->is; /* all in stage 0 */
	for (unsigned i = 0; i < LFT_BLOCK; i++)
		line[i] = stage[i] < below ? p->is[i] : p->was[i];
	return line;
}

/* Whether values beside the acknowledged one count then. */
static bool
counts_other_values(const struct lft_value_cell *c, struct transition_when when)
{
	if (when.which == TRANSITION_ALL || when.which == TRANSITION_OLD)
		return true;
	if (when.which != TRANSITION_AT && when.which != TRANSITION_REST)
		return false;
	return when.k == 0 || (!c->new && !c->settled);
}

static const uint8_t *
stage_of(const struct lft_values *v, const struct lft_value_cell *c)
{
	return v->stage != NULL ? v->stage[c - v->c] : NULL;
}

static void
load_cell(const struct lft_values *v, const struct lft_value_cell *c,
	struct transition_when when, struct transition_lines *l)
{
	uint8_t *line = l->merged + (size_t)c->s * 2 * LFT_BLOCK;
	const uint8_t *stage = stage_of(v, c);
	struct transition_pair *pair = &l->of[c->s];
	struct pick p = pick_cell_values(v, c, when);

	pair->a = merge_line(&p, p.a, stage, line);
	pair->b = p.b == p.a ? pair->a
			     : merge_line(&p, p.b, stage, line + LFT_BLOCK);
	for (unsigned i = 1; counts_other_values(c, when) && i < c->nheld; i++)
		add_extra(l, c->s, block_bytes(v, v->held[c->held + i]));
	l->plain &= pair->a == pair->b;
}

static void
load_switch(const struct lft_values *v, sw_ix s, uint32_t b,
	struct transition_when when, struct transition_lines *l)
{
	uint32_t cell = v->cell[(size_t)s * v->nblocks + b];

	if (cell != 0)
		load_cell(v, &v->c[cell - 1], when, l);
	else if (b < v->to->nblocks)
		l->of[s].a = l->of[s].b = routes_block(v->to, s, b);
	else
		l->of[s].a = l->of[s].b = block_bytes(v, LFT_EMPTY);
}

void
lft_values_load(const struct lft_values *v, uint32_t b,
	struct transition_when when, struct transition_lines *l)
{
	const uint8_t *none = block_bytes(v, LFT_EMPTY);

	l->nextra = 0;
	l->plain = true;
	for (sw_ix s = 0; s < v->net->nsw; s++)
		load_switch(v, s, b, when, l);
	l->of[v->net->nsw] = (struct transition_pair){none, none};
	l->plain &= l->nextra == 0;
}

void
lft_values_load_some(const struct lft_values *v, uint32_t b,
	struct transition_when when, const struct transition_some *some,
	struct transition_lines *l)
{
	l->nextra = 0;
	l->plain = true;
	for (uint32_t i = 0; i < some->n; i++)
		load_switch(v, some->sw[i], b, when, l);
	l->of[v->net->nsw].a = l->of[v->net->nsw].b = block_bytes(v, LFT_EMPTY);
	l->plain &= l->nextra == 0;
}

static unsigned
add_value(uint8_t *out, unsigned n, uint8_t x)
{
	for (unsigned i = 0; i < n; i++)
		if (out[i] == x)
			return n;
	if (n < TRANSITION_VALUES)
		out[n++] = x;
	return n;
}

unsigned
lft_values_entry(const struct lft_values *v, sw_ix s, uint32_t lid,
	struct transition_when when, uint8_t out[TRANSITION_VALUES])
{
	uint32_t b = lid / LFT_BLOCK, i = lid % LFT_BLOCK;
	uint32_t cell = v->cell[(size_t)s * v->nblocks + b];
	const struct lft_value_cell *c;
	const uint8_t *stage;
	struct pick p;
	unsigned n = 1, at;

	if (cell == 0) {
		out[0] = b < v->to->nblocks ? routes_block(v->to, s, b)[i]
					    : LFT_DROP;
		return 1;
	}
	c = &v->c[cell - 1];
	p = pick_cell_values(v, c, when);
	stage = stage_of(v, c);
	at = stage != NULL ? stage[i] : 0;
	out[0] = at < p.a ? p.is[i] : p.was[i];
	n = add_value(out, n, at < p.b ? p.is[i] : p.was[i]);
	for (unsigned k = 1; counts_other_values(c, when) && k < c->nheld; k++)
		n = add_value(out, n, block_bytes(v, v->held[c->held + k])[i]);
	return n;
}

/* A bit for each byte in which two blocks differ. */
static uint64_t
differing_bytes(const uint8_t *x, const uint8_t *y)
{
	uint8_t differs[LFT_BLOCK];
	uint64_t bits = 0;

	for (unsigned l = 0; l < LFT_BLOCK; l++)
		differs[l] = x[l] != y[l];
	for (unsigned l = 0; l < LFT_BLOCK; l += 8) {
		uint64_t eight = 0;

		for (unsigned i = 0; i < 8; i++)
			eight |= (uint64_t)differs[l + i] << (8 * i);
		bits |= (eight * UINT64_C(0x0102040810204080) >> 56) << l;
	}
	return bits;
}

/* A bit for each entry that leads nowhere. */
static uint64_t
dead_entries(const uint64_t *carry, const uint8_t *line)
{
	uint64_t all = 1, bits = 0;

	for (unsigned l = 0; l < LFT_BLOCK; l++)
		all &= carry[line[l] >> 6] >> (line[l] & 63);
	for (unsigned l = 0; all == 0 && l < LFT_BLOCK; l++)
		bits |= (~(carry[line[l] >> 6] >> (line[l] & 63)) & 1) << l;
	return bits;
}

struct transition_diff
lft_values_diff(const struct lft_values *v, const struct lft_value_cell *c)
{
	const uint64_t *carry = v->net->carry + (size_t)c->s * 4;
	const uint8_t *want = block_bytes(v, c->want);
	uint64_t good = differing_bytes(want, block_bytes(v, LFT_EMPTY));
	struct transition_diff d = {0, 0};

	if (c->nheld == 0)
		d.changed = d.urgent = good;
	for (unsigned i = 0; i < c->nheld; i++) {
		const uint8_t *line = block_bytes(v, v->held[c->held + i]);

		d.changed |= differing_bytes(line, want);
		d.urgent |= dead_entries(carry, line);
	}
	d.urgent &= d.changed & good;
	return d;
}

/* Add the layer of each switch to the LID's switch `dst` to the masks. The SL
 * of a layer that there is no more may be in any other. */
static void
add_layers(const struct lft_values *v, const struct routes *r,
	const sw_ix *name, sw_ix dst, uint16_t *mask)
{
	for (sw_ix s = 0; s < v->net->nsw; s++) {
		sw_ix src = name != NULL ? name[s] : s;
		unsigned layer, layers;

		if (src == TOPO_NONE)
			continue;
		layer = routes_layer(&r->layers, src, dst);
		layers = layer < v->net->layers ? 1U << layer
						: (1U << v->net->layers) - 1;
		mask[s] |= (uint16_t)layers;
	}
}

static sw_ix
lid_switch(const struct topo *t, uint32_t lid)
{
	port_ix p = topo_by_lid(t, (uint16_t)lid, NULL);

	return p == TOPO_NONE ? TOPO_NONE : topo_switch_of(t, p);
}

/*
 * Whether `from` knows layers: routes that were read back do not, and
 * sl_history_layers has another number then, or none because nothing was ever
 * given out.
 */
static bool
knows_layers(const struct lft_values *v)
{
	const struct sl_history *history = v->job->history;

	return v->job->from != NULL &&
	       (history == NULL ||
		       v->job->from->layers.n == sl_history_layers(history));
}

/* Add the layers that old connections may use. The history is of leaves: where
 * `from` does not know better, those with other switches may use any, unless
 * none can have been given an SL. */
static void
add_history(const struct lft_values *v, uint32_t dst, uint16_t *mask)
{
	const struct sl_history *history = v->job->history;
	bool any = !knows_layers(v) && (sl_history_layers(history) > 1 ||
					       sl_history_has_any(history));

	for (sw_ix s = 0; s < v->net->nsw; s++)
		if (any && (v->leaf[s] == SL_HISTORY_NONE ||
				   dst == SL_HISTORY_NONE))
			mask[s] = (uint16_t)((1U << v->net->layers) - 1);
		else
			mask[s] |= sl_history_mask(
				history, v->leaf[s], dst, v->net->layers);
}

void
lft_values_layers(const struct lft_values *v, uint32_t lid,
	enum transition_which which, uint16_t *mask)
{
	const struct routes *from = v->job->from;
	sw_ix is = lid_switch(v->net->t, lid), was = TOPO_NONE;
	bool all = which != TRANSITION_NEW && which != TRANSITION_HELD;

	memset(mask, 0, v->net->nsw * sizeof(*mask));
	if (knows_layers(v))
		was = lid_switch(from->topo, lid);
	if (is != TOPO_NONE && (which != TRANSITION_HELD || from == NULL))
		add_layers(v, v->to, NULL, is, mask);
	if (was != TOPO_NONE && which != TRANSITION_NEW)
		add_layers(v, from, v->old_sw, was, mask);
	if (is != TOPO_NONE && which != TRANSITION_NEW && v->leaf != NULL)
		add_history(v, v->leaf[is], mask);
	/* where the SLs that were given out are unknown, all may be in use */
	if ((is == TOPO_NONE && was == TOPO_NONE) ||
		(!knows_layers(v) && v->nheld > 0 && all &&
			sl_history_count(v->job->history) == 0))
		for (sw_ix s = 0; s < v->net->nsw; s++)
			mask[s] = (uint16_t)((1U << v->net->layers) - 1);
}

bool
lft_values_is_up(const struct lft_values *v, uint32_t r)
{
	const struct chan_graph *n = v->net;
	sw_ix s = n->owner[r], peer = n->owner[n->peer[r]];

	if (peer == n->nsw || chan_graph_quarantined(n, peer))
		return false;
	return v->pos != NULL && v->pos[peer] < v->pos[s];
}

bool
lft_values_is_legal(const struct lft_values *v, uint32_t in, unsigned out)
{
	return !lft_values_is_up(v, in) ||
	       !lft_values_is_up(v, v->net->base[in] + out);
}
