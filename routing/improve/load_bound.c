#include "routing/improve/load_bound.h"

#include <string.h>

#include "routing/core/link_load.h"
#include "sm/base/arena.h"
#include "sm/base/union_find.h"

/* ---- of a topology: pieces that grow with the distance from hosts ---- */

/* Switches in the order of their distance from hosts; pieces, each named by one
 * of its switches. */
struct pieces {
	const struct topo *t;
	sw_ix *seq; /* [n] */
	uint32_t n;
	uint32_t *far;	 /* [nsw] links to a switch with hosts */
	bool *here;	 /* [nsw] added to its piece */
	sw_ix *in;	 /* [nsw] a union-find forest of pieces */
	uint64_t *hosts; /* [nsw] of a piece */
	uint64_t *out; /* [nsw] rates of links that lead out of it, added up */
	uint64_t *all; /* [nsw] hosts of the switch's component */
	uint64_t least;
};

/* Every switch a piece of its own. */
static void
split_into_switches(struct pieces *c)
{
	const struct topo *t = c->t;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_switch *sw = &t->sw[s];

		c->in[s] = s;
		c->hosts[s] = c->out[s] = 0;
		for (uint32_t i = 0; topo_sw_live(t, s) && i < sw->nend; i++) {
			const struct topo_end *e = &t->end[sw->end + i];

			c->hosts[s] += e->host && t->port[e->port].lid != 0;
		}
		for (uint32_t i = 0; topo_sw_live(t, s) && i < sw->nadj; i++)
			if (topo_sw_live(t, t->adj[sw->adj + i].peer))
				c->out[s] += t->adj[sw->adj + i].rate;
	}
}

static void
sort_by_host_distance(struct pieces *c)
{
	const struct topo *t = c->t;

	memset(c->far, 0xff, t->nsw * sizeof(*c->far));
	for (sw_ix s = 0; s < t->nsw; s++)
		if (c->hosts[s] > 0) {
			c->far[s] = 0;
			c->seq[c->n++] = s;
		}
	for (uint32_t head = 0; head < c->n; head++) {
		sw_ix s = c->seq[head];
		const struct topo_switch *sw = &t->sw[s];

		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			sw_ix x = t->adj[i].peer;

			if (c->far[x] != UINT32_MAX || !topo_sw_live(t, x))
				continue;
			c->far[x] = c->far[s] + 1;
			c->seq[c->n++] = x;
		}
	}
}

/*
 * Join switch number k of the order to the pieces next to it. A link is counted
 * from the end that is added later.
 */
static void
join_switch(struct pieces *c, uint32_t k)
{
	const struct topo *t = c->t;
	sw_ix s = c->seq[k];
	const struct topo_switch *sw = &t->sw[s];

	c->here[s] = true;
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
		sw_ix x = t->adj[i].peer, a, b;

		if (!c->here[x])
			continue;
		a = union_find_of(c->in, s);
		b = union_find_of(c->in, x);
		if (a != b) {
			c->in[b] = a;
			c->hosts[a] += c->hosts[b];
			c->out[a] += c->out[b];
		}
		c->out[a] -= UINT64_C(2) * t->adj[i].rate;
	}
}

/* Raise the bound to what the pieces of the first n switches prove. */
static void
measure_pieces(struct pieces *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = c->seq[i];
		uint64_t pairs = c->hosts[s] * (c->all[s] - c->hosts[s]);

		if (c->in[s] != s || c->out[s] == 0)
			continue;
		pairs = link_load_of_pairs(pairs, c->out[s], c->t->rate_max);
		c->least = c->least < pairs ? pairs : c->least;
	}
}

/* Hosts that each switch can reach: those of its piece when all are joined. */
static void
count_reachable_hosts(struct pieces *c)
{
	for (uint32_t k = 0; k < c->n; k++)
		join_switch(c, k);
	for (uint32_t k = 0; k < c->n; k++)
		c->all[c->seq[k]] = c->hosts[union_find_of(c->in, c->seq[k])];
	memset(c->here, false, c->t->nsw);
	split_into_switches(c);
}

uint64_t
load_bound_cut(const struct topo *t)
{
	struct arena *a = arena_new();
	struct pieces c = {.t = t};

	c.seq = arena_array(a, t->nsw, sizeof(*c.seq));
	c.far = arena_array(a, t->nsw, sizeof(*c.far));
	c.here = arena_array(a, t->nsw, sizeof(*c.here));
	c.in = arena_array(a, t->nsw, sizeof(*c.in));
	c.hosts = arena_array(a, t->nsw, sizeof(*c.hosts));
	c.out = arena_array(a, t->nsw, sizeof(*c.out));
	c.all = arena_array(a, t->nsw, sizeof(*c.all));
	split_into_switches(&c);
	sort_by_host_distance(&c);
	count_reachable_hosts(&c);
	measure_pieces(&c, c.n);
	for (uint32_t k = 0; k < c.n; k++) {
		join_switch(&c, k);
		if (k + 1 == c.n || c.far[c.seq[k + 1]] > c.far[c.seq[k]])
			measure_pieces(&c, k + 1);
	}
	arena_free(a);
	return c.least;
}

/* ---- of ranks: parts that grow tier by tier, and racks ---- */

/* The pairs from some hosts to all hosts outside leave by these links. */
struct cut {
	sw_ix at;
	uint64_t hosts, inside; /* that send; that are not sent to */
	uint64_t rate;		/* of the links, added up */
	sw_ix rack;		/* TOPO_NONE: the cut holds of any tables */
};

/* Parts that grow together, tier by tier from the last one up. */
struct parts {
	const struct routes *r;
	const struct topo *t;
	sw_ix *seq;	 /* [n] live switches, the last tier first */
	bool *in;	 /* [nsw] in a part by now */
	sw_ix *head;	 /* [nsw] a union-find forest of parts */
	sw_ix *next;	 /* [nsw] of the same part, in a ring */
	uint64_t *hosts; /* [nsw] by head: of the part, and */
	uint64_t *out;	 /* ... rates of links that leave it, added up */
	uint32_t *seen;	 /* [nsw] stamp: the switch was counted */
	uint32_t stamp;
	uint32_t *parts; /* [nsw] by head: the tier of its last cut, and */
	uint32_t *racks; /* ... of its last cut as a rack */
	struct cut *cut;
	uint32_t n, ncuts;
};

/* The loads of the worst two racks of a component. */
struct worst {
	uint64_t first, second;
	sw_ix rack; /* of the first */
};

static uint64_t
hosts_at(const struct topo *t, sw_ix s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < t->sw[s].nend; i++)
		n += t->end[t->sw[s].end + i].host;
	return n;
}

/* Both ends of a link are in parts now: it leaves neither of them. */
static void
join_parts(struct parts *l, sw_ix a, const struct topo_adj *link)
{
	sw_ix b = link->peer, swap;

	a = union_find_of(l->head, a);
	b = union_find_of(l->head, b);
	l->out[a] -= link->rate;
	l->out[b] -= link->rate;
	if (a == b)
		return;
	l->head[b] = a;
	l->hosts[a] += l->hosts[b];
	l->out[a] += l->out[b];
	swap = l->next[a];
	l->next[a] = l->next[b];
	l->next[b] = swap;
}

static void
add_switch(struct parts *l, sw_ix s)
{
	const struct topo *t = l->t;
	const struct topo_switch *sw = &t->sw[s];

	l->in[s] = true;
	l->head[s] = l->next[s] = s;
	l->hosts[s] = hosts_at(t, s);
	for (uint32_t c = sw->adj; c < sw->adj + sw->nadj; c++)
		if (topo_sw_live(t, t->adj[c].peer))
			l->out[s] += t->adj[c].rate;
	for (uint32_t c = sw->adj; c < sw->adj + sw->nadj; c++)
		if (l->in[t->adj[c].peer])
			join_parts(l, s, &t->adj[c]);
}

/* The neighbours of s outside, each counted once per stamp; *rate: the rates of
 * links to them, added up. */
static uint32_t
count_outside(struct parts *l, sw_ix s, uint64_t *rate)
{
	const struct topo *t = l->t;
	const struct topo_switch *sw = &t->sw[s];
	uint32_t n = 0;

	for (uint32_t c = sw->adj; c < sw->adj + sw->nadj; c++) {
		sw_ix x = t->adj[c].peer;

		if (l->in[x] || !topo_sw_live(t, x))
			continue;
		*rate += t->adj[c].rate;
		n += l->seen[x] != l->stamp;
		l->seen[x] = l->stamp;
	}
	return n;
}

/* True if s has a sibling and nothing below it. */
static bool
is_in_rack(const struct parts *l, sw_ix s)
{
	const struct topo *t = l->t;
	const struct topo_switch *sw = &t->sw[s];
	const uint32_t *rank = l->r->rank;
	bool any = false;

	for (uint32_t c = sw->adj; c < sw->adj + sw->nadj; c++) {
		sw_ix x = t->adj[c].peer;

		if (topo_sw_live(t, x) && rank[x] > rank[s])
			return false;
		any |= topo_sw_live(t, x) && rank[x] == rank[s];
	}
	return any;
}

/* Cuts of single switches of a rack: of those of this tier that are below every
 * switch that the rack is below. */
static void
cut_rack(struct parts *l, sw_ix rack, uint32_t rank)
{
	uint32_t all = 0;
	uint64_t rate = 0;
	sw_ix s = rack;

	l->stamp++;
	do
		all += count_outside(l, s, &rate);
	while ((s = l->next[s]) != rack);
	do {
		struct cut cut = {.at = s,
			.hosts = hosts_at(l->t, s),
			.inside = l->hosts[rack],
			.rack = rack};

		l->stamp++;
		if (l->r->rank[s] == rank && is_in_rack(l, s) &&
			count_outside(l, s, &cut.rate) == all)
			l->cut[l->ncuts++] = cut;
	} while ((s = l->next[s]) != rack);
}

/* Cuts of the parts when this tier, from..to in seq, is the last one added. */
static void
cut_tier(struct parts *l, uint32_t from, uint32_t to)
{
	bool tiers = l->r->order == ROUTE_TIERS && l->r->plane == NULL &&
		     l->r->multi_port == 0;

	for (uint32_t i = from; i < to; i++) {
		sw_ix s = l->seq[i], part = union_find_of(l->head, s);

		if (l->out[part] == 0)
			continue;
		if (l->parts[part] < to)
			l->cut[l->ncuts++] = (struct cut){.at = s,
				.hosts = l->hosts[part],
				.inside = l->hosts[part],
				.rate = l->out[part],
				.rack = TOPO_NONE};
		l->parts[part] = to;
		if (!tiers || l->racks[part] == to || !is_in_rack(l, s))
			continue;
		l->racks[part] = to;
		cut_rack(l, part, l->r->rank[s]);
	}
}

/* Live switches by rank, the last tier first. */
static void
sort_by_rank(struct parts *l, struct arena *a)
{
	uint32_t most = 0, *at;
	uint32_t nsw = l->t->nsw;

	for (sw_ix s = 0; s < nsw; s++)
		if (topo_sw_live(l->t, s) && l->r->rank[s] > most)
			most = l->r->rank[s];
	at = arena_array(a, (size_t)most + 2, sizeof(*at));
	for (sw_ix s = 0; s < nsw; s++)
		if (topo_sw_live(l->t, s))
			at[most - l->r->rank[s] + 1]++;
	for (uint32_t k = 0; k <= most; k++)
		at[k + 1] += at[k];
	l->n = at[most + 1];
	for (sw_ix s = 0; s < nsw; s++)
		if (topo_sw_live(l->t, s))
			l->seq[at[most - l->r->rank[s]]++] = s;
}

/* The load of the links of a cut, if each carries its share by rate. */
static uint64_t
load_of_cut(struct parts *l, const struct cut *c)
{
	uint64_t all = l->hosts[union_find_of(l->head, c->at)];

	return link_load_of_pairs(
		c->hosts * (all - c->inside), c->rate, l->t->rate_max);
}

static void
note_rack(struct worst *w, sw_ix rack, uint64_t load)
{
	if (load > w->first) {
		w->second = rack == w->rack ? w->second : w->first;
		w->first = load;
		w->rack = rack;
	} else if (load > w->second && rack != w->rack) {
		w->second = load;
	}
}

/* The worst cut, when all parts have grown to components of the fabric. */
static uint64_t
worst_cut(struct parts *l, struct arena *a)
{
	struct worst *racks = arena_array(a, l->t->nsw, sizeof(*racks));
	uint64_t most = 0, load;

	for (uint32_t i = 0; i < l->ncuts; i++) {
		const struct cut *c = &l->cut[i];
		struct worst *w = &racks[union_find_of(l->head, c->at)];

		load = load_of_cut(l, c);
		if (c->rack != TOPO_NONE) {
			note_rack(w, c->rack, load);
			load = w->second;
		}
		most = load > most ? load : most;
	}
	return most;
}

uint64_t
load_bound_tree(const struct routes *r)
{
	struct arena *a = arena_new();
	uint32_t nsw = r->topo->nsw;
	struct parts l = {.r = r,
		.t = r->topo,
		.seq = arena_array(a, nsw, sizeof(sw_ix)),
		.in = arena_array(a, nsw, sizeof(bool)),
		.head = arena_array(a, nsw, sizeof(sw_ix)),
		.next = arena_array(a, nsw, sizeof(sw_ix)),
		.hosts = arena_array(a, nsw, sizeof(uint64_t)),
		.out = arena_array(a, nsw, sizeof(uint64_t)),
		.seen = arena_array(a, nsw, sizeof(uint32_t)),
		.parts = arena_array(a, nsw, sizeof(uint32_t)),
		.racks = arena_array(a, nsw, sizeof(uint32_t)),
		.cut = arena_array(a, 2 * (size_t)nsw, sizeof(struct cut))};
	uint64_t most;
	uint32_t to;

	sort_by_rank(&l, a);
	for (uint32_t i = 0; i < l.n; i = to) {
		uint32_t rank = r->rank[l.seq[i]];

		for (to = i; to < l.n && r->rank[l.seq[to]] == rank; to++)
			add_switch(&l, l.seq[to]);
		cut_tier(&l, i, to);
	}
	most = worst_cut(&l, a);
	arena_free(a);
	return most;
}
