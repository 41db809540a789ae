#include "routing/updown/repair_priv.h"

enum {
	MOST = 16, /* words */
	MANY = 32, /* switches that differ in a word that is worth it */
};

/* Column `slot` of levels: word w of every row. */
static void
take(const struct updown *u, const struct reach_levels *l, uint32_t w,
	uint64_t *to)
{
	for (uint32_t k = 0; k < l->n; k++) {
		const uint64_t *const *is = l->row + (size_t)k * u->graph.nsw;
		uint64_t *out = to + (size_t)k * u->graph.nsw;

		for (sw_ix s = 0; s < u->graph.nsw; s++)
			out[s] = k > 0 && is[s] == (is - u->graph.nsw)[s]
					 ? (out - u->graph.nsw)[s]
					 : is[s][w];
	}
}

/* Give words numbers + 1; how many. */
static uint32_t
number_words(const struct routes_repair *p, uint32_t *slot)
{
	const struct updown *u = p->u;
	uint32_t n = 0;

	for (sw_ix s = 0; s < u->graph.nsw; s++)
		for (uint32_t i = 0; p->diff[s] != NULL && i < p->nwide; i++) {
			uint64_t b = p->wide[(size_t)s * p->nwide + i];

			for (; b != 0; b &= b - 1)
				slot[i * 64 + bitset_lowest64(b)]++;
		}
	for (uint32_t w = 0; w < u->graph.words; w++)
		slot[w] = slot[w] >= MANY && n < MOST ? ++n : 0;
	return n;
}

const struct reach_block *
reach_block_new(const struct routes_repair *p)
{
	const struct updown *u = p->u;
	const struct reachability *r = &p->reach;
	struct reach_block *c = arena_alloc(u->graph.a, sizeof(*c));
	size_t dn = (size_t)r->dn.n * u->graph.nsw,
	       path = (size_t)r->path.n * u->graph.nsw;
	uint32_t n;

	c->u = u;
	c->ndn = r->dn.n;
	c->npath = r->path.n;
	c->slot = arena_array(u->graph.a, u->graph.words, sizeof(*c->slot));
	n = number_words(p, c->slot);
	c->dn = arena_array(u->graph.a, n * dn, sizeof(*c->dn));
	c->path = arena_array(u->graph.a, n * path, sizeof(*c->path));
	for (uint32_t w = 0; w < u->graph.words; w++) {
		uint32_t i = c->slot[w] - 1;

		if (c->slot[w] == 0)
			continue;
		take(u, &r->dn, w, c->dn + i * dn);
		take(u, &r->path, w, c->path + i * path);
	}
	return c;
}

/* Of word w, through the neighbours below, or those above: those in `of`. */
static void
add(const struct reach_block *c, sw_ix s, uint32_t w, bool up, uint64_t of,
	uint64_t *rows)
{
	const struct updown *u = c->u;
	const uint32_t *pos = u->sw_order.pos;
	uint32_t levels = up ? c->npath : c->ndn;
	const uint64_t *col = (up ? c->path : c->dn) +
			      (size_t)(c->slot[w] - 1) * levels * u->graph.nsw;

	for (uint32_t k = 1; k < levels; k++, col += u->graph.nsw) {
		uint64_t fresh = (col + u->graph.nsw)[s] & ~col[s] & of;

		for (uint32_t g = u->graph.first[s];
			fresh != 0 && g < u->graph.first[s + 1]; g++) {
			sw_ix peer = u->graph.group[g].peer;
			size_t row = (size_t)(g - u->graph.first[s]) *
				     u->graph.words;

			if ((pos[peer] < pos[s]) == up)
				rows[row + w] |= fresh & col[peer];
		}
	}
}

void
reach_block_candidates(const struct reach_block *c, sw_ix s,
	const struct sw_subset *among, struct sw_subset *rest, uint64_t *rows)
{
	const struct updown *u = c->u;
	uint32_t n = u->graph.first[s + 1] - u->graph.first[s];

	rest->set = among->set;
	rest->n = 0;
	for (uint32_t i = 0; i < among->n; i++) {
		uint32_t w = among->word[i];
		const uint64_t *last;

		if (c->slot[w] == 0 || sftree_is_extended(u, s)) {
			rest->word[rest->n++] = w;
			continue;
		}
		last = c->dn + ((size_t)c->slot[w] * c->ndn - 1) * u->graph.nsw;
		for (uint32_t g = 0; g < n; g++)
			rows[(size_t)g * u->graph.words + w] = 0;
		add(c, s, w, false, among->set[w], rows);
		add(c, s, w, true, among->set[w] & ~last[s], rows);
	}
}
