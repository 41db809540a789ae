#include "routing/improve/load_bound.h"

#include <string.h>

#include "routing/core/link_load.h"
#include "sm/base/arena.h"
#include "sm/base/union_find.h"

/* The pairs from some hosts to all hosts outside leave by these links. */
struct cut {
	sw_ix at;
	uint64_t hosts, inside; /* that send; that are not sent to */
	uint64_t rate;		/* of the links, added up */
	sw_ix rack;		/* TOPO_NONE: the cut holds of any tables */
};

/* Parts that grow together, level by level. */
struct parts {
	const struct topo *t;
	const struct routes *r; /* racks are looked at by its ranks, or NULL */
	struct arena *a;
	uint32_t *level; /* [nsw] */
	sw_ix *seq;	 /* [n] live switches by level */
	bool *in;	 /* [nsw] in a part by now */
	sw_ix *head;	 /* [nsw] a union-find forest of parts */
	sw_ix *next;	 /* [nsw] of the same part, in a ring */
	uint64_t *hosts; /* [nsw] by head: of the part, and */
	uint64_t *out;	 /* ... rates of links that leave it, added up */
	uint32_t *seen;	 /* [nsw] stamp: the switch was counted */
	uint32_t stamp;
	uint32_t *parts; /* [nsw] by head: the level of its last cut, and */
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

	for (uint32_t i = 0; i < t->sw[s].nend; i++) {
		const struct topo_end *e = &t->end[t->sw[s].end + i];

		n += e->host && t->port[e->port].lid != 0;
	}
	return n;
}

static void
cut_part(struct parts *l, sw_ix at, sw_ix part)
{
	if (l->out[part] != 0)
		l->cut[l->ncuts++] = (struct cut){.at = at,
			.hosts = l->hosts[part],
			.inside = l->hosts[part],
			.rate = l->out[part],
			.rack = TOPO_NONE};
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

/* A switch by itself, then as a part of those next to it. */
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
	if (l->r == NULL)
		cut_part(l, s, s);
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

/* Cuts of the parts when this level, from..to in seq, is the last one added. */
static void
cut_level(struct parts *l, uint32_t from, uint32_t to)
{
	bool tiers = l->r != NULL && l->r->order == ROUTE_TIERS &&
		     l->r->part == NULL && !l->r->multi_port;

	for (uint32_t i = from; i < to; i++) {
		sw_ix s = l->seq[i], part = union_find_of(l->head, s);

		if (l->out[part] == 0)
			continue;
		if (l->parts[part] < to)
			cut_part(l, s, part);
		l->parts[part] = to;
		if (!tiers || l->racks[part] == to || !is_in_rack(l, s))
			continue;
		l->racks[part] = to;
		cut_rack(l, part, l->r->rank[s]);
	}
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
worst_cut(struct parts *l)
{
	struct worst *racks = arena_array(l->a, l->t->nsw, sizeof(*racks));
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

/* Levels: the distance from hosts; switches that no host reaches come last. */
static void
level_by_distance(struct parts *l)
{
	const struct topo *t = l->t;
	sw_ix *queue = arena_array(l->a, t->nsw, sizeof(*queue));
	uint32_t n = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		bool host = topo_sw_live(t, s) && hosts_at(t, s) > 0;

		l->level[s] = host ? 0 : t->nsw;
		if (host)
			queue[n++] = s;
	}
	for (uint32_t head = 0; head < n; head++) {
		const struct topo_switch *sw = &t->sw[queue[head]];

		for (uint32_t c = sw->adj; c < sw->adj + sw->nadj; c++) {
			sw_ix x = t->adj[c].peer;

			if (l->level[x] < t->nsw || !topo_sw_live(t, x))
				continue;
			l->level[x] = l->level[queue[head]] + 1;
			queue[n++] = x;
		}
	}
}

/* Levels: the tiers, from the last one up. */
static void
level_by_rank(struct parts *l)
{
	uint32_t most = 0;

	for (sw_ix s = 0; s < l->t->nsw; s++)
		if (topo_sw_live(l->t, s) && l->r->rank[s] > most)
			most = l->r->rank[s];
	for (sw_ix s = 0; s < l->t->nsw; s++)
		if (topo_sw_live(l->t, s))
			l->level[s] = most - l->r->rank[s];
}

static void
sort_by_level(struct parts *l)
{
	const struct topo *t = l->t;
	uint32_t *at, most = 0;

	for (sw_ix s = 0; s < t->nsw; s++)
		if (topo_sw_live(t, s) && l->level[s] > most)
			most = l->level[s];
	at = arena_array(l->a, (size_t)most + 2, sizeof(*at));
	for (sw_ix s = 0; s < t->nsw; s++)
		if (topo_sw_live(t, s))
			at[l->level[s] + 1]++;
	for (uint32_t k = 0; k <= most; k++)
		at[k + 1] += at[k];
	l->n = at[most + 1];
	for (sw_ix s = 0; s < t->nsw; s++)
		if (topo_sw_live(t, s))
			l->seq[at[l->level[s]]++] = s;
}

/* The load of a host's own link, of the fastest hosts: all others send to it.
 * All parts have grown to components. */
static uint64_t
host_link_load(const struct parts *l)
{
	uint64_t most = 1;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->hosts[l->seq[i]] > most)
			most = l->hosts[l->seq[i]];
	return link_load_of_pairs(most - 1, l->t->rate_host, l->t->rate_max);
}

/* By these levels; NULL: all are one, and hosts' own links count, too. */
static uint64_t
find_bound(const struct topo *t, const struct routes *r,
	void (*set_levels)(struct parts *))
{
	struct arena *a = arena_new();
	uint32_t nsw = t->nsw, to;
	struct parts l = {.t = t,
		.r = r,
		.a = a,
		.level = arena_array(a, nsw, sizeof(uint32_t)),
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
	uint64_t most, own;

	if (set_levels != NULL)
		set_levels(&l);
	sort_by_level(&l);
	for (uint32_t i = 0; i < l.n; i = to) {
		uint32_t level = l.level[l.seq[i]];

		for (to = i; to < l.n && l.level[l.seq[to]] == level; to++)
			add_switch(&l, l.seq[to]);
		cut_level(&l, i, to);
	}
	most = worst_cut(&l);
	own = set_levels == NULL ? host_link_load(&l) : 0;
	arena_free(a);
	return most > own ? most : own;
}

uint64_t
load_bound_switches(const struct topo *t)
{
	return find_bound(t, NULL, NULL);
}

uint64_t
load_bound_cut(const struct topo *t)
{
	return find_bound(t, NULL, level_by_distance);
}

uint64_t
load_bound_tree(const struct routes *r)
{
	return find_bound(r->topo, r, level_by_rank);
}
