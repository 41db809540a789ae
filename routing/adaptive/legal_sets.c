#include "routing/adaptive/legal_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/topo_match.h"
#include "routing/adaptive/legal_levels.h"
#include "routing/verify/dest_scan.h"
#include "sm/base/arena.h"
#include "sm/base/bitset.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

struct maker {
	const struct routes *r, *prev; /* prev: its sets are gone on from, or
					  NULL */
	const struct topo *t;
	struct topo_match before; /* in the topology of share */
	bool keeps;		  /* ports of share */
	struct arena *a;
	const struct dest_lids *dest;
	struct legal_levels is, was;
	uint64_t *changed; /* [words] destinations with other LIDs than before
			    */
	/* [nsw * words] of a switch, destination switches: */
	uint64_t *differ; /* whose level, or climb, is another than before */
	uint64_t *make;	  /* to which options are to be made */
	uint64_t *climbs; /* for which a default leads up, of those that
			     switches above make options to */
	struct route_sets *out;
	const struct route_sets *share; /* rows of before, or NULL */
};

static uint64_t *
new_rows(const struct maker *m)
{
	return arena_array(
		m->a, (size_t)m->t->nsw * m->dest->words, sizeof(uint64_t));
}

static uint64_t *
row_of(const struct maker *m, uint64_t *rows, sw_ix s)
{
	return rows + (size_t)s * m->dest->words;
}

static bool
has_some(const struct maker *m, const uint64_t *row)
{
	uint64_t any = 0;

	for (uint32_t w = 0; w < m->dest->words; w++)
		any |= row[w];
	return any != 0;
}

/* ---- what the tables do ---- */

struct share {
	struct maker *m;
	sw_ix from, to; /* switches of this thread */
};

/* Of destinations that s is above, but itself: those for which the entry for
 * some LID leads up. */
static uint64_t
find_climbs(const struct maker *m, struct dest_scan *scan,
	const struct legal_levels *x, sw_ix s, uint32_t w, uint64_t among)
{
	size_t at = (size_t)s * m->dest->words + w;
	uint64_t some, all;

	dest_scan_word(
		scan, w, among & x->above[at] & ~x->reach[0][at], &some, &all);
	return some;
}

static bool
leads_up(const struct legal_levels *x, sw_ix s)
{
	return route_set_count(&x->up[s]) > 0;
}

/* The destinations for which switches above s make options. */
static void
find_needs(const struct maker *m, sw_ix s, uint64_t *need)
{
	const struct topo_switch *sw = &m->t->sw[s];

	memset(need, 0, m->dest->words * sizeof(*need));
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		if (m->is.link[i] == LEGAL_UP)
			bitset_or(need, row_of(m, m->make, m->t->adj[i].peer),
				m->dest->words);
}

static void
note_climbs(void *part)
{
	const struct share *x = part;
	const struct maker *m = x->m;
	uint64_t *need = mem_zalloc(m->dest->words + 1U, sizeof(*need));
	struct dest_scan scan;

	dest_scan_open(&scan, m->dest);
	for (sw_ix s = x->from; s < x->to; s++) {
		if (!leads_up(&m->is, s))
			continue;
		find_needs(m, s, need);
		dest_scan_row(&scan, m->r->pool, m->r->row[s], m->r->nblocks,
			&m->is.up[s]);
		for (uint32_t w = 0; w < m->dest->words; w++)
			if (need[w] != 0)
				row_of(m, m->climbs, s)[w] = find_climbs(
					m, &scan, &m->is, s, w, need[w]);
	}
	dest_scan_close(&scan);
	free(need);
}

/* ---- what a change made of the routes before ---- */

/* True if the links of s are the same, in the same directions. */
static bool
same_links(const struct maker *m, sw_ix s)
{
	return m->before.links[s] &&
	       memcmp(&m->is.up[s], &m->was.up[m->before.sw[s]],
		       sizeof(m->is.up[s])) == 0;
}

/* Destinations at another level than before, of a switch that was o. */
static void
compare_levels(const struct maker *m, sw_ix s, sw_ix o, uint64_t *differ)
{
	unsigned n = m->is.n > m->was.n ? m->is.n : m->was.n;
	size_t at = (size_t)s * m->dest->words,
	       old = (size_t)o * m->dest->words;

	for (uint32_t w = 0; w < m->dest->words; w++)
		differ[w] |= m->is.above[at + w] ^ m->was.above[old + w];
	for (unsigned k = 1; k < n; k++)
		for (uint32_t w = 0; w < m->dest->words; w++)
			differ[w] |=
				(k < m->is.n ? m->is.reach[k][at + w] : 0) ^
				(k < m->was.n ? m->was.reach[k][old + w] : 0);
}

/* ... and those for which a default led up, or leads up now. */
static void
compare_climbs(const struct maker *m, struct dest_scan *is,
	struct dest_scan *was, sw_ix s, sw_ix o)
{
	const struct routes *r = m->r, *prev = m->prev;
	uint64_t *may = row_of(m, m->make, s),
		 *differ = row_of(m, m->differ, s);

	if (same_links(m, s))
		dest_scan_differ(m->dest, r->row[s], r->nblocks, prev->row[o],
			prev->nblocks, may);
	else
		memset(may, 0xff, m->dest->words * sizeof(*may));
	bitset_or(may, m->changed, m->dest->words);
	if (!(leads_up(&m->is, s) || leads_up(&m->was, o)) || !has_some(m, may))
		return;
	dest_scan_row(is, r->pool, r->row[s], r->nblocks, &m->is.up[s]);
	dest_scan_row(was, r->pool, prev->row[o], prev->nblocks, &m->was.up[o]);
	for (uint32_t w = 0; w < m->dest->words; w++)
		if (may[w] != 0)
			differ[w] |= find_climbs(m, is, &m->is, s, w, may[w]) ^
				     find_climbs(m, was, &m->was, o, w, may[w]);
}

static struct route_set_row *
row_before(const struct maker *m, sw_ix s)
{
	sw_ix o = m->share != NULL ? m->before.sw[s] : TOPO_NONE;

	return o == TOPO_NONE ? NULL : m->share->row[o];
}

static uint32_t
groups_needed(const struct maker *m, const struct route_set_row *row)
{
	return route_set_row_groups(row, m->out->default_first);
}

/* Whether the sets of a switch are made anew, and none is kept: some was left
 * out for want of room, or those that were kept are so different from others
 * that what is to come may have none. */
static bool
is_crowded(const struct maker *m, sw_ix s)
{
	const struct route_set_row *was = row_before(m, s);

	return was != NULL &&
	       (was->dropped > 0 || (route_set_row_narrow(was) > 0 &&
					    groups_needed(m, was) >
						    m->out->can[s].groups / 2));
}

/* Options are made anew where a level or a climb of the switch or of one
 * behind a link differs, and where they are narrow; all of them where its links
 * differ, or where it is crowded. */
static void
find_makes(const struct maker *m, sw_ix s)
{
	const struct topo_switch *sw = &m->t->sw[s];
	const struct route_set_row *was = row_before(m, s);
	uint64_t *make = row_of(m, m->make, s);

	if (!same_links(m, s) || is_crowded(m, s)) {
		memset(make, 0xff, m->dest->words * sizeof(*make));
		return;
	}
	memcpy(make, row_of(m, m->differ, s), m->dest->words * sizeof(*make));
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		bitset_or(make, row_of(m, m->differ, m->t->adj[i].peer),
			m->dest->words);
	if (was != NULL)
		bitset_or(make, was->narrow, m->dest->words);
}

static void
compare_routes(const struct maker *m)
{
	struct dest_scan is, was;

	dest_scan_open(&is, m->dest);
	dest_scan_open(&was, &m->share->dest);
	for (sw_ix s = 0; s < m->t->nsw; s++) {
		sw_ix o = m->before.sw[s];

		if (o == TOPO_NONE) /* all around it have a new link */
			continue;
		compare_levels(m, s, o, row_of(m, m->differ, s));
		compare_climbs(m, &is, &was, s, o);
	}
	dest_scan_close(&is);
	dest_scan_close(&was);
	for (sw_ix s = 0; s < m->t->nsw; s++)
		find_makes(m, s);
}

/* ---- sets ---- */

/* The level of s at which something is in word w. */
struct level {
	const uint64_t *before; /* the level before, of all switches */
	uint64_t is;
};

/* Those of the destinations `among`; returns how many. */
static unsigned
find_word_levels(const struct maker *m, sw_ix s, uint32_t w, uint64_t among,
	struct level out[LEGAL_LEVELS])
{
	unsigned n = 0;

	for (unsigned k = 1; k < m->is.n; k++) {
		uint64_t is = row_of(m, m->is.reach[k], s)[w] & among;

		if (is != 0)
			out[n++] = (struct level){m->is.reach[k - 1], is};
	}
	return n;
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

/* The ports of switch s by destination switch of word w, of those `among`, as
 * port words: ports of links that are the beginning of a shortest legal path,
 * and safe whatever the tables do beyond. */
static void
find_ports(const struct maker *m, sw_ix s, uint32_t w, uint64_t among,
	uint64_t by_port[ROUTE_SET_WORDS][64])
{
	const struct topo_switch *sw = &m->t->sw[s];
	uint64_t above = row_of(m, m->is.above, s)[w];
	struct level level[LEGAL_LEVELS];
	unsigned n = find_word_levels(m, s, w, among, level), used = 0;

	memset(by_port, 0, ROUTE_SET_WORDS * sizeof(*by_port));
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		const struct topo_adj *a = &m->t->adj[i];
		size_t next = (size_t)a->peer * m->dest->words + w;
		uint64_t by = 0;

		if (m->is.link[i] == LEGAL_NO_LINK)
			continue;
		for (unsigned k = 0; k < n; k++)
			by |= level[k].is & level[k].before[next];
		by &= m->is.link[i] == LEGAL_UP
			      ? ~above
			      : above & m->is.above[next] & ~m->climbs[next];
		by_port[a->out / 64][a->out % 64] = by;
		used |= 1U << a->out / 64;
	}
	for (unsigned k = 0; k < ROUTE_SET_WORDS; k++)
		if ((used >> k & 1) != 0)
			transpose_bits(by_port[k]);
}

/* The set that s had for destination number i; NULL: none that is kept. */
static const struct route_set *
set_before(const struct maker *m, sw_ix s, uint32_t i)
{
	sw_ix to = m->before.sw[m->dest->sw[i]];

	return to == TOPO_NONE ? NULL
			       : route_sets_get(m->share, m->before.sw[s], to);
}

/* Add the default ports of a destination switch's LIDs that are in the legal
 * set too: the group of a LID has its default beside the set, and so has what a
 * switch is found with. */
static void
add_defaults(const struct maker *m, sw_ix s, uint32_t i,
	const struct route_set *legal, struct route_set *set)
{
	const struct dest_lids *d = m->dest;

	for (uint32_t r = d->first[i]; r < d->first[i + 1]; r++)
		for (uint64_t l = d->run[r].lids; l != 0; l &= l - 1) {
			uint8_t port = routes_port(m->r, s,
				(uint16_t)(d->run[r].block * DEST_BLOCK +
					   bitset_lowest64(l)));

			if (bitset_has(legal->port, port))
				bitset_add(set->port, port);
		}
}

/* Leave what was in the set before, if that is enough; true: it had more. */
static bool
keep_ports(const struct maker *m, sw_ix s, uint32_t i, struct route_set *set)
{
	const struct route_set *was = set_before(m, s, i);
	struct route_set kept;
	unsigned n, all;

	if (was == NULL)
		return false;
	for (unsigned k = 0; k < ROUTE_SET_WORDS; k++)
		kept.port[k] = set->port[k] & was->port[k];
	add_defaults(m, s, i, set, &kept);
	n = route_set_count(&kept);
	all = route_set_count(set);
	if (n == all || n < 2 || all * UINT64_C(1000) > n * m->out->limit)
		return false;
	*set = kept;
	return true;
}

/* The sets of row for the destinations `among` in word w. */
static void
make_word(const struct maker *m, sw_ix s, uint32_t w, uint64_t among, bool keep,
	struct route_set_row *row)
{
	uint64_t by_port[ROUTE_SET_WORDS][64];
	struct route_set last = {{0}};
	uint16_t number = 0;

	find_ports(m, s, w, among, by_port);
	row->narrow[w] &= ~among;
	for (; among != 0; among &= among - 1) {
		unsigned bit = bitset_lowest64(among);
		struct route_set set;

		for (unsigned k = 0; k < ROUTE_SET_WORDS; k++)
			set.port[k] = by_port[k][bit];
		if (keep && keep_ports(m, s, w * 64 + bit, &set))
			bitset_add(row->narrow, w * 64 + bit);
		/* neighbouring destinations mostly have the same set */
		if (memcmp(&last, &set, sizeof(set)) != 0)
			number = route_set_count(&set) < 2
					 ? 0
					 : route_set_row_number(row, &set);
		last = set;
		row->of[w * 64 + bit] = number;
	}
}

/* True if sets are numbered by the first destination that has them. */
static bool
is_in_order(const struct maker *m, const struct route_set_row *row)
{
	uint16_t most = 0;

	for (uint32_t i = 0; i < m->dest->n; i++) {
		uint16_t k = row->of[i];

		if (k > most && k != ++most)
			return false;
	}
	return most + 1U == row->n;
}

/* Number sets so; leave out those that no destination has any more. */
static void
renumber_sets(const struct maker *m, struct route_set_row *row)
{
	uint16_t *now, n = 1;
	struct route_set *set;

	if (is_in_order(m, row))
		return;
	now = mem_zalloc(row->n, sizeof(*now));
	set = mem_zalloc(row->n, sizeof(*set));
	for (uint32_t i = 0; i < m->dest->n; i++) {
		uint16_t *k = &row->of[i];

		if (*k != 0 && now[*k] == 0) {
			set[n] = row->set[*k];
			now[*k] = n++;
		}
		*k = now[*k];
	}
	free(now);
	free(row->set);
	row->set = set;
	row->n = n;
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
	return route_set_row_share(was);
}

/* The row of s from the one before, of which some is made anew, or all. */
static struct route_set_row *
fill_row(const struct maker *m, sw_ix s, bool all, bool keep)
{
	struct route_set_row *row, *was = row_before(m, s);
	const uint64_t *make = row_of(m, m->make, s);

	row = all || was == NULL ? route_set_row_new(m->dest->n)
				 : route_set_row_copy(was);
	for (uint32_t w = 0; w < m->dest->words; w++) {
		uint64_t among = dest_lids_bits(m->dest, w) &
				 (all ? UINT64_MAX : make[w]);

		if (among != 0)
			make_word(m, s, w, among, keep, row);
	}
	renumber_sets(m, row);
	return row;
}

/* All of it is made anew where there is none before, or it is crowded. A switch
 * with another link has all ports back: it is one, and most of that are ports
 * of groups, which it shares among many destinations. Nothing is kept for which
 * another set had to be left out. */
static struct route_set_row *
make_row(const struct maker *m, sw_ix s)
{
	struct route_set_row *row, *was = row_before(m, s);
	bool crowded = is_crowded(m, s), all = m->prev == NULL || crowded,
	     keep = m->keeps && was != NULL && m->before.links[s] && !crowded;

	if (!all && !has_some(m, row_of(m, m->make, s)))
		return route_set_row_share(was);
	row = fill_row(m, s, all, keep);
	if (keep && groups_needed(m, row) > m->out->can[s].groups) {
		route_set_row_drop(row);
		row = fill_row(m, s, all, false);
	}
	route_set_row_fit(row, m->out->can[s].groups, m->out->default_first);
	return take_row(row, was);
}

static void
make_rows(void *part)
{
	const struct share *x = part;
	const struct maker *m = x->m;

	for (sw_ix s = x->from; s < x->to; s++)
		if (m->out->can[s].kind != ROUTE_FIXED && topo_sw_live(m->t, s))
			m->out->row[s] = make_row(m, s);
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

/* True if all that sets are made of, but links, order and tables, is the same
 * as for the previous ones. */
static bool
goes_on(const struct maker *m, const struct routes *prev)
{
	const struct route_sets *is = m->out, *was = m->share;

	if (!m->keeps || prev == NULL || was == NULL || was != prev->sets ||
		was->why[0] != '\0' || prev->part != NULL ||
		prev->order == ROUTE_NO_ORDER || prev->pool != m->r->pool ||
		is->default_first != was->default_first ||
		is->limit != was->limit)
		return false;
	for (sw_ix s = 0; s < m->t->nsw; s++) {
		sw_ix o = m->before.sw[s];

		if (o != TOPO_NONE &&
			(is->can[s].kind != was->can[o].kind ||
				is->can[s].groups != was->can[o].groups))
			return false;
	}
	return dest_lids_compare(m->dest, &was->dest, &m->before, m->changed);
}

static bool
find_levels(const struct maker *m, struct legal_levels *x,
	const struct routes *r, const struct dest_lids *dest)
{
	uint32_t *pos = arena_array(m->a, r->topo->nsw, sizeof(*pos));

	routes_order(r, pos);
	return legal_levels_find(x, r->topo, dest, pos, m->a);
}

/* What is to be made: all, or what a change made other. */
static void
find_work(struct maker *m, const struct routes *prev)
{
	m->make = new_rows(m);
	m->climbs = new_rows(m);
	m->changed = arena_array(m->a, m->dest->words, sizeof(*m->changed));
	if (goes_on(m, prev) &&
		find_levels(m, &m->was, prev, &m->share->dest)) {
		m->prev = prev;
		m->differ = new_rows(m);
		compare_routes(m);
	} else
		memset(m->make, 0xff,
			(size_t)m->t->nsw * m->dest->words * sizeof(*m->make));
}

static void
make_all(struct maker *m, const struct route_job *job)
{
	bool any = false;
	unsigned threads;

	if (!find_levels(m, &m->is, m->r, m->dest)) {
		(void)snprintf(m->out->why, sizeof(m->out->why),
			"paths are longer than %u links", LEGAL_LEVELS);
		return;
	}
	find_work(m, job->prev);
	/* a change is too little to be shared among threads */
	threads = m->prev != NULL ? 1 : job->threads;
	share_switches(m, threads, note_climbs);
	share_switches(m, threads, make_rows);
	for (sw_ix s = 0; s < m->t->nsw; s++)
		if (m->out->row[s] != NULL) {
			m->out->dropped += m->out->row[s]->dropped;
			m->out->narrow += route_set_row_narrow(m->out->row[s]);
			any = true;
		}
	if (!any)
		(void)snprintf(m->out->why, sizeof(m->out->why),
			"no switch has a choice of shortest paths");
}

/* The sets before, which are those that switches were found with where there
 * are no others. */
static void
find_before(struct maker *m, const struct route_job *job)
{
	const struct routes *prev = job->prev;

	m->keeps = !job->rebalance;
	if (prev != NULL && prev->sets != NULL) {
		m->share = prev->sets;
		topo_match_open(&m->before, m->t, prev->topo);
	} else if (job->adaptive->found != NULL) {
		m->share = job->adaptive->found;
		topo_match_open(&m->before, m->t, m->t);
	}
}

struct route_sets *
legal_sets_make(const struct route_job *job, const struct routes *r)
{
	struct maker m = {.r = r, .t = r->topo, .a = arena_new()};
	const char *why = reason_against(job, r);

	m.out = route_sets_new(
		m.t, job->adaptive->can, job->adaptive->default_first);
	m.out->limit = job->load_limit;
	m.dest = &m.out->dest;
	find_before(&m, job);
	if (why != NULL)
		(void)snprintf(m.out->why, sizeof(m.out->why), "%s", why);
	else
		make_all(&m, job);
	topo_match_close(&m.before);
	arena_free(m.a);
	return m.out;
}
