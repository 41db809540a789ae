#include "routing/adaptive/legal_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/arena.h"
#include "sm/base/bitset.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum {
	LEVELS = 64
}; /* of words: no fabric of switches with LIDs is deeper
      than an SMP's path */

struct maker {
	const struct routes *r;
	const struct topo *t;
	struct arena *a;
	const uint32_t *pos; /* [nsw] places, smaller is above */
	sw_ix *dest;	     /* [ndest] destination switches */
	uint32_t ndest, words;
	uint64_t *down[LEVELS]; /* [nsw * words] t's within that many links down
				 */
	uint64_t *path[LEVELS]; /* ... by any legal path */
	unsigned ndown, npath;
	uint64_t *climbs; /* [nsw * words] t's for which a default leads up */
	struct route_sets *out;
	const struct route_sets *prev; /* by the same numbers, or NULL */
};

static uint64_t *
new_rows(const struct maker *m)
{
	return arena_array(
		m->a, (size_t)m->t->nsw * m->words, sizeof(uint64_t));
}

static uint64_t *
row_of(const struct maker *m, uint64_t *rows, sw_ix s)
{
	return rows + (size_t)s * m->words;
}

static bool
is_link(const struct maker *m, sw_ix s, const struct topo_adj *a)
{
	return a->peer != s && topo_sw_live(m->t, s) &&
	       topo_sw_live(m->t, a->peer) && a->out != LFT_DROP;
}

static bool
is_up(const struct maker *m, sw_ix s, const struct topo_adj *a)
{
	return m->pos[a->peer] < m->pos[s];
}

/* ---- levels ---- */

static void
find_destinations(struct maker *m)
{
	const struct topo *t = m->t;

	m->dest = arena_array(m->a, t->nsw, sizeof(*m->dest));
	for (sw_ix s = 0; s < t->nsw; s++)
		if (topo_sw_live(t, s) && t->sw[s].nhost > 0)
			m->dest[m->ndest++] = s;
	m->words = (m->ndest + 63) / 64;
}

/* One link more: what neighbours below, or above, reached in one less. False:
 * nothing new. */
static bool
add_level(const struct maker *m, const uint64_t *was, bool up, uint64_t *is)
{
	const uint64_t *below = up ? m->down[m->ndown - 1] : NULL;
	bool grown = false;

	for (sw_ix s = 0; s < m->t->nsw; s++) {
		const struct topo_switch *sw = &m->t->sw[s];
		uint64_t *row = row_of(m, is, s);

		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			const struct topo_adj *a = &m->t->adj[i];
			const uint64_t *from = was + (size_t)a->peer * m->words;

			if (!is_link(m, s, a) || is_up(m, s, a) != up)
				continue;
			for (uint32_t w = 0; w < m->words; w++) {
				uint64_t more = from[w] & ~row[w];

				if (below != NULL)
					more &= ~below[(size_t)s * m->words +
						       w];
				grown |= more != 0;
				row[w] |= more;
			}
		}
	}
	return grown;
}

/* What each switch reaches in 0, 1, 2 ... links, until that is all. False: the
 * fabric is too deep. */
static bool
find_levels(struct maker *m)
{
	size_t size = (size_t)m->t->nsw * m->words * sizeof(uint64_t);
	bool more = true;

	m->down[0] = new_rows(m);
	for (uint32_t i = 0; i < m->ndest; i++)
		bitset_add(row_of(m, m->down[0], m->dest[i]), i);
	for (m->ndown = 1; more && m->ndown < LEVELS; m->ndown++) {
		uint64_t *was = m->down[m->ndown - 1];

		m->down[m->ndown] = new_rows(m);
		memcpy(m->down[m->ndown], was, size);
		more = add_level(m, was, false, m->down[m->ndown]);
	}
	if (more)
		return false;
	more = true;
	m->path[0] = m->down[0];
	for (m->npath = 1; more && m->npath < LEVELS; m->npath++) {
		uint64_t *was = m->path[m->npath - 1], *is = new_rows(m);
		unsigned d = m->npath < m->ndown ? m->npath : m->ndown - 1;

		memcpy(is, was, size);
		more = add_level(m, was, true, is) || m->npath < m->ndown;
		for (size_t w = 0; w < (size_t)m->t->nsw * m->words; w++)
			is[w] |= m->down[d][w];
		m->path[m->npath] = is;
	}
	return !more;
}

/* ---- what the tables do ---- */

struct share {
	struct maker *m;
	sw_ix from, to; /* switches of this thread */
};

/* The ports of s that lead up; false: none does. */
static bool
find_ups(const struct maker *m, sw_ix s, bool up[256])
{
	const struct topo_switch *sw = &m->t->sw[s];
	bool any = false;

	memset(up, 0, 256 * sizeof(*up));
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		const struct topo_adj *a = &m->t->adj[i];

		up[a->out] = is_link(m, s, a) && is_up(m, s, a);
		any |= up[a->out];
	}
	return any;
}

/* Whether the entry of switch s for some LID of hosts on d leads up. */
static bool
leads_up(const struct maker *m, sw_ix s, const struct topo_switch *d,
	const bool up[256])
{
	for (uint32_t e = d->end; e < d->end + d->nend; e++) {
		const struct topo_port *p = &m->t->port[m->t->end[e].port];

		for (unsigned k = 0; p->lid != 0 && k < 1U << p->lmc; k++)
			if (up[lft_row_entry(m->r->pool, m->r->row[s],
				    m->r->nblocks, p->lid + k)])
				return true;
	}
	return false;
}

/* Only where s is above t: else its options lead up as well. */
static void
note_defaults(void *part)
{
	const struct share *x = part;
	const struct maker *m = x->m;
	bool up[256];

	for (sw_ix s = x->from; s < x->to; s++) {
		const uint64_t *above = row_of(m, m->down[m->ndown - 1], s);

		if (!find_ups(m, s, up))
			continue;
		for (uint32_t i = 0; i < m->ndest; i++)
			if (m->dest[i] != s && bitset_has(above, i) &&
				leads_up(m, s, &m->t->sw[m->dest[i]], up))
				bitset_add(row_of(m, m->climbs, s), i);
	}
}

/* ---- sets ---- */

/* The t's of word w to which the link of s is the beginning of a shortest
 * legal path, and safe whatever the tables do beyond. */
static uint64_t
reach_by(const struct maker *m, sw_ix s, const struct topo_adj *a, uint32_t w)
{
	size_t at = (size_t)s * m->words + w,
	       next = (size_t)a->peer * m->words + w;
	uint64_t above = m->down[m->ndown - 1][at], is = 0;

	if (is_up(m, s, a)) {
		for (unsigned k = 1; k < m->npath; k++)
			is |= m->path[k][at] & ~m->path[k - 1][at] &
			      m->path[k - 1][next];
		return is & ~above;
	}
	for (unsigned k = 1; k < m->ndown; k++)
		is |= m->down[k][at] & ~m->down[k - 1][at] &
		      m->down[k - 1][next];
	return is & ~m->climbs[next];
}

/* Rows and columns of a square of bits change places (Warren, Hacker's
 * Delight, 7-3). */
static void
transpose_bits(uint64_t x[64])
{
	uint64_t mask = UINT64_C(0x00000000ffffffff);

	for (unsigned j = 32; j != 0; j >>= 1, mask ^= mask << j)
		for (unsigned k = 0; k < 64; k = ((k | j) + 1) & ~j) {
			uint64_t y = (x[k] >> j ^ x[k | j]) & mask;

			x[k] ^= y << j;
			x[k | j] ^= y;
		}
}

/* The ports of switch s by destination switch of word w, as port words. */
static void
find_ports(const struct maker *m, sw_ix s, uint32_t w,
	uint64_t by_port[ROUTE_SET_WORDS][64])
{
	const struct topo_switch *sw = &m->t->sw[s];
	unsigned used = 0;

	memset(by_port, 0, ROUTE_SET_WORDS * sizeof(*by_port));
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		const struct topo_adj *a = &m->t->adj[i];

		if (!is_link(m, s, a))
			continue;
		by_port[a->out / 64][a->out % 64] = reach_by(m, s, a, w);
		used |= 1U << a->out / 64;
	}
	for (unsigned k = 0; k < ROUTE_SET_WORDS; k++)
		if ((used >> k & 1) != 0)
			transpose_bits(by_port[k]);
}

static struct route_set_row *
make_row(const struct maker *m, sw_ix s)
{
	struct route_set_row *row = route_set_row_new(m->t->nsw);
	uint64_t by_port[ROUTE_SET_WORDS][64];
	uint16_t last = 0;

	for (uint32_t i = 0; i < m->ndest; i++) {
		struct route_set set;

		if (i % 64 == 0)
			find_ports(m, s, i / 64, by_port);
		for (unsigned k = 0; k < ROUTE_SET_WORDS; k++)
			set.port[k] = by_port[k][i % 64];
		if (route_set_count(&set) < 2)
			continue;
		/* neighbouring destinations mostly have the same set */
		if (memcmp(&row->set[last], &set, sizeof(set)) != 0)
			last = route_set_row_number(row, &set);
		row->of[m->dest[i]] = last;
	}
	return row;
}

/* Groups that a set may take: where the default comes first one for each port
 * that may be the default. */
static uint32_t
groups_of(const struct maker *m, const struct route_set *set)
{
	return m->out->default_first ? route_set_count(set) : 1;
}

/* Sets that a switch has no room for are left out, those of the fewest
 * destination switches first. Returns how many destination switches lose their
 * options. */
static uint64_t
drop_rare_sets(const struct maker *m, sw_ix s, struct route_set_row *row)
{
	uint32_t *uses = mem_zalloc(row->n, sizeof(*uses));
	uint32_t need = 0;
	uint64_t dropped = 0;

	for (uint16_t k = 1; k < row->n; k++)
		need += groups_of(m, &row->set[k]);
	for (sw_ix t = 0; t < row->nsw; t++)
		uses[row->of[t]]++;
	while (need > m->out->can[s].groups) {
		uint16_t rare = 0;

		for (uint16_t k = 1; k < row->n; k++)
			if (uses[k] > 0 && (rare == 0 || uses[k] < uses[rare]))
				rare = k;
		need -= groups_of(m, &row->set[rare]);
		dropped += uses[rare];
		uses[rare] = 0;
	}
	for (sw_ix t = 0; t < row->nsw && dropped > 0; t++)
		if (uses[row->of[t]] == 0)
			row->of[t] = 0;
	free(uses);
	return dropped;
}

/* A row as it is kept: NULL without options, the one of before if that is the
 * same. */
static struct route_set_row *
take_row(struct route_set_row *row, struct route_set_row *was)
{
	if (row->n > 1 && (was == NULL || !route_set_row_equal(row, was)))
		return row;
	was = row->n > 1 ? was : NULL;
	route_set_row_drop(row);
	if (was != NULL)
		was->refs++;
	return was;
}

static void
make_rows(void *part)
{
	const struct share *x = part;
	const struct maker *m = x->m;
	uint64_t dropped = 0;

	for (sw_ix s = x->from; s < x->to; s++) {
		struct route_set_row *row,
			*was = m->prev != NULL ? m->prev->row[s] : NULL;

		if (m->out->can[s].kind == ROUTE_FIXED ||
			!topo_sw_live(m->t, s))
			continue;
		row = make_row(m, s);
		dropped += drop_rare_sets(m, s, row);
		m->out->row[s] = take_row(row, was);
	}
	(void)__atomic_fetch_add(&m->out->dropped, dropped, __ATOMIC_RELAXED);
}

/* ---- all of it ---- */

static void
share_switches(struct maker *m, unsigned threads, void (*fn)(void *))
{
	struct share part[THREAD_SHARES];
	unsigned n = threads < 1 ? 1 : threads;

	if (n > THREAD_SHARES)
		n = THREAD_SHARES;
	for (unsigned i = 0; i < n; i++)
		part[i] =
			(struct share){m, (sw_ix)((uint64_t)m->t->nsw * i / n),
				(sw_ix)((uint64_t)m->t->nsw * (i + 1) / n)};
	thread_share(n, fn, part, sizeof(part[0]));
}

/* Why there can be no options at all, or NULL. */
static const char *
reason_against(const struct route_job *job, const struct routes *r)
{
	bool any = false;

	for (sw_ix s = 0; s < r->topo->nsw; s++)
		any |= job->adaptive->can[s].kind != ROUTE_FIXED;
	if (!any)
		return "no switch can choose among ports";
	if (r->order == ROUTE_NO_ORDER)
		return "the tables obey no order of switches";
	if (r->layers.n > 1 && !r->layers.plain)
		return "the tables need their layers";
	if (r->part != NULL)
		return "trees that links between leaves join have no common "
		       "order of switches";
	return NULL;
}

/* Rows of the previous sets by the same numbers, or NULL. */
static const struct route_sets *
sets_to_share(const struct route_job *job, const struct topo *t)
{
	const struct routes *prev = job->prev;

	if (prev == NULL || prev->sets == NULL || prev->topo->nsw != t->nsw)
		return NULL;
	for (sw_ix s = 0; s < t->nsw; s++)
		if (prev->topo->node[prev->topo->sw[s].node].guid !=
			t->node[t->sw[s].node].guid)
			return NULL;
	return prev->sets;
}

static void
make_all(struct maker *m, unsigned threads)
{
	uint32_t *pos = arena_array(m->a, m->t->nsw, sizeof(*pos));

	routes_order(m->r, pos);
	m->pos = pos;
	find_destinations(m);
	if (!find_levels(m)) {
		(void)snprintf(m->out->why, sizeof(m->out->why),
			"paths are longer than %u links", LEVELS);
		return;
	}
	m->climbs = new_rows(m);
	share_switches(m, threads, note_defaults);
	share_switches(m, threads, make_rows);
	for (sw_ix s = 0; s < m->t->nsw; s++)
		if (m->out->row[s] != NULL)
			return;
	(void)snprintf(m->out->why, sizeof(m->out->why),
		"no switch has a choice of shortest paths");
}

struct route_sets *
legal_sets_make(const struct route_job *job, const struct routes *r)
{
	struct maker m = {.r = r, .t = r->topo, .a = arena_new()};
	const char *why = reason_against(job, r);

	m.out = route_sets_new(
		r->topo->nsw, job->adaptive->can, job->adaptive->default_first);
	m.prev = sets_to_share(job, r->topo);
	if (why != NULL)
		(void)snprintf(m.out->why, sizeof(m.out->why), "%s", why);
	else
		make_all(&m, job->threads);
	arena_free(m.a);
	return m.out;
}
