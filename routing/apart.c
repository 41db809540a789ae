#include "routing/apart.h"

#include <stdlib.h>
#include <string.h>

#include "routing/homing.h"
#include "sm/base/arena.h"
#include "sm/base/be.h"
#include "sm/base/fnv.h"

enum {
	PORTS = 16,	    /* of a node; more are redundant by themselves */
	PATHS = 128,	    /* LIDs of one port */
	CHANGES = 3,	    /* entries that are changed at once */
	PATIENCE = 1 << 16, /* cables to look at in vain, for one node */
	NONE = UINT32_MAX,
};

/* The ways to one LID. */
struct way {
	uint16_t lid;
	sw_ix dest;
	bool idle;	/* nothing is sent there while others are up */
	bool base;	/* this one carries load */
	uint32_t *next; /* [nsw] cable, or NONE, of those that are */
	uint32_t *read; /* [nsw] read for this LID, whose number is */
	uint32_t nth;
	uint32_t *dist; /* [nsw] cables to dest, or NONE */
	uint32_t *pass; /* [nsw] leaves whose packets pass */
};

/* Of a search for another way: how it gets to a switch with so many entries
 * changed. */
struct state {
	uint32_t search; /* number of the one that it is of */
	uint32_t moved;	 /* ways of leaves that pass what is changed */
	uint64_t load;	 /* of the busiest cable */
	uint32_t cable;	 /* by which it came, */
	sw_ix from;	 /* from there, with */
	uint8_t changes;
};

/* Entries to change, so that a leaf gets to a port by another way. */
struct trial {
	uint32_t way;
	uint32_t n;
	sw_ix sw[CHANGES];
	uint32_t cable[CHANGES];
	uint32_t moved;
	uint64_t load;
};

struct apart {
	const struct topo *t;
	const struct route_job *job;
	const struct routes *from;
	struct routes *r; /* the same, being changed; NULL: not yet */
	struct homing_ports ports;
	struct arena *a;
	uint32_t *pos;	  /* [nsw] place in the order, smaller is above */
	uint32_t *hosts;  /* [nsw] */
	uint32_t *cable;  /* [nports] of a switch's port: number in t->adj of a
			     cable between live switches, or NONE */
	uint64_t *load;	  /* [nadj] */
	uint32_t *of_lid; /* its node: number of the first port + 1, or 0 */
	bool *due;	  /* by that: look at it; NULL: at all */

	/* Of the node at hand. */
	struct way way[PORTS];
	uint32_t nways;
	bool *cut; /* [nleaves] a switch is on all ways from there */
	uint32_t ncut;
	uint32_t nth;	/* of all ways that were looked at */
	uint64_t *seen; /* [nsw] stamp + how many of the ways pass */
	uint64_t stamp, all;
	struct state *state; /* [nsw * (CHANGES + 1)] */
	uint32_t *queue;     /* of them */
	uint32_t search;     /* number of the one at hand */
	uint32_t patience;   /* left */
	uint32_t *moved;     /* numbers of leaves whose ways a trial moves */
	uint32_t left;	     /* nodes that stay cut, of all */
};

/* ---- what there is ---- */

static bool
live(const struct topo *t, sw_ix s)
{
	return !(t->node[t->sw[s].node].flags & TN_QUARANTINED);
}

/* Cables that may be used, and their loads. */
static void
find_cables(struct apart *e)
{
	const struct topo *t = e->t;

	e->cable = arena_array(e->a, t->nports, sizeof(*e->cable));
	e->load = arena_array(e->a, t->nadj, sizeof(*e->load));
	memset(e->cable, 0xff, t->nports * sizeof(*e->cable));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; live(t, s) && i < t->sw[s].nadj; i++) {
			uint32_t c = t->sw[s].adj + i;
			uint8_t out = t->adj[c].out;

			if (!live(t, t->adj[c].peer))
				continue;
			e->cable[topo_port_of(t, t->sw[s].node, out)] = c;
			e->load[c] =
				verify_state_load(e->from->verified, s, out);
		}
}

/* The hash of what was said about ports: was it the same last time? */
static uint64_t
said(const struct engine_options *o)
{
	uint64_t h = FNV_START;

	for (size_t i = 0; o != NULL && i < o->nhomes; i++) {
		uint8_t b[13];

		be_put64(b, o->home[i].guid);
		be_put32(b + 8, o->home[i].group);
		b[12] = o->home[i].passive;
		h = fnv_more(h, b, sizeof(b));
	}
	return h | 1;
}

/* Add to what the switches and cables on the way from leaf s have. */
static void
carry(struct apart *e, struct way *w, sw_ix s, uint32_t leaves, uint64_t load)
{
	while (w->dist[s] != NONE && s != w->dest) {
		uint32_t c = w->next[s];

		w->pass[s] += leaves;
		e->load[c] += load;
		s = e->t->adj[c].peer;
	}
}

static void
begin(struct apart *e)
{
	uint32_t nsw = e->t->nsw;
	const struct homing_ports *p = &e->ports;

	e->pos = arena_array(e->a, nsw, sizeof(*e->pos));
	e->hosts = arena_array(e->a, nsw, sizeof(*e->hosts));
	e->cut = arena_array(e->a, p->nleaves, sizeof(*e->cut));
	e->moved = arena_array(e->a, p->nleaves, sizeof(*e->moved));
	e->seen = arena_array(e->a, nsw, sizeof(*e->seen));
	e->state = arena_array(
		e->a, (size_t)nsw * (CHANGES + 1), sizeof(*e->state));
	e->queue = arena_array(
		e->a, (size_t)nsw * (CHANGES + 1), sizeof(*e->queue));
	for (unsigned i = 0; i < PORTS; i++) {
		struct way *w = &e->way[i];

		w->next = arena_array(e->a, nsw, sizeof(*w->next));
		w->read = arena_array(e->a, nsw, sizeof(*w->read));
		w->dist = arena_array(e->a, nsw, sizeof(*w->dist));
		w->pass = arena_array(e->a, nsw, sizeof(*w->pass));
	}
	for (size_t i = 0; i < p->n; i++)
		e->hosts[topo_switch_of(e->t, p->member[i].port)]++;
	routes_line(e->from, e->pos);
	find_cables(e);
}

/* ---- the ways to a node ---- */

/* The cable by which s leads to the LID, or NONE. */
static uint32_t
cable_of(const struct apart *e, const struct way *w, sw_ix s)
{
	const struct topo_node *n = &e->t->node[e->t->sw[s].node];
	uint8_t out;

	if (w->read[s] == w->nth)
		return w->next[s];
	out = routes_block(e->from, s, w->lid / LFT_BLOCK)[w->lid % LFT_BLOCK];
	w->read[s] = w->nth;
	w->next[s] = s == w->dest || out > n->nports
			     ? NONE
			     : e->cable[n->first_port + out];
	return w->next[s];
}

static sw_ix
next_of(const struct apart *e, const struct way *w, sw_ix s)
{
	return e->t->adj[cable_of(e, w, s)].peer;
}

/* The ways to the path-th LIDs of n ports: are there several, not all to one
 * switch? */
static bool
take_ways(
	struct apart *e, const struct homing_member *m, size_t n, unsigned path)
{
	const struct topo *t = e->t;
	bool apart = false;

	e->nways = 0;
	for (size_t i = 0; i < n; i++) {
		const struct topo_port *p = &t->port[m[i].port];
		const struct route_home *said =
			homing_said(e->job->options, p->guid);
		struct way *w = &e->way[e->nways];

		if (path >= 1U << p->lmc)
			continue;
		w->lid = (uint16_t)(p->lid + path);
		w->dest = topo_switch_of(t, m[i].port);
		w->idle = said != NULL && said->passive;
		w->base = path == 0;
		w->nth = ++e->nth;
		apart |= w->dest != e->way[0].dest;
		e->nways++;
	}
	return apart;
}

/*
 * Count how many of the ways from s, but that of number `but` (NONE: of all),
 * pass each switch behind it; e->all are all of them. False when there is none
 * that all pass, or a port that is not reached.
 */
static bool
cross(struct apart *e, sw_ix s, uint32_t but)
{
	bool any = true;

	e->stamp += PORTS + 1;
	e->all = e->stamp;
	for (uint32_t i = 0; i < e->nways && any; i++) {
		const struct way *w = &e->way[i];
		sw_ix x = s;

		if (i == but)
			continue;
		any = false;
		while (x != w->dest) {
			if (cable_of(e, w, x) == NONE)
				return false;
			x = next_of(e, w, x);
			if (e->all != e->stamp && e->seen[x] != e->all)
				continue;
			e->seen[x] = e->all + 1;
			any = true;
		}
		e->all++;
	}
	return any;
}

/* ---- which nodes to look at ---- */

/* Does a neighbour of s send it what is for the LID? */
static bool
is_fed(const struct apart *e, sw_ix s, uint16_t lid)
{
	const struct topo *t = e->t;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		sw_ix x = t->adj[t->sw[s].adj + i].peer;
		const struct topo_node *n = &t->node[t->sw[x].node];
		uint8_t out = routes_port(e->from, x, lid);
		uint32_t c =
			out > n->nports ? NONE : e->cable[n->first_port + out];

		if (c != NONE && t->adj[c].peer == s)
			return true;
	}
	return false;
}

/*
 * The entry of s for the LID is another one. Where nobody sends s anything for
 * it, that is about the hosts of s alone, unless somebody could now who had no
 * other way.
 */
static void
find_due_by(struct apart *e, sw_ix s, uint16_t lid)
{
	const struct homing_ports *p = &e->ports;
	unsigned path = 0;
	size_t i;

	if (e->of_lid[lid] == 0)
		return;
	i = e->of_lid[lid] - 1;
	if (e->due[i])
		return;
	(void)topo_by_lid(e->t, lid, &path);
	e->due[i] =
		is_fed(e, s, lid) ||
		(e->hosts[s] > 0 &&
			take_ways(e, &p->member[i], homing_same(p, i), path) &&
			cross(e, s, NONE));
}

/* Entries of switch s that are not what they were. */
static void
find_due_in(struct apart *e, sw_ix s, sw_ix was)
{
	const struct routes *prev = e->job->prev, *r = e->from;

	for (uint32_t b = 0; r->row[s] != prev->row[was] && b < r->nblocks;
		b++) {
		const uint8_t *is = routes_block(r, s, b), *old = NULL;

		if (b < prev->nblocks)
			old = routes_block(prev, was, b);
		if (is == old)
			continue;
		for (uint32_t i = 0; i < LFT_BLOCK; i++)
			if (b * LFT_BLOCK + i <= e->t->max_lid &&
				(old == NULL || is[i] != old[i]))
				find_due_by(
					e, s, (uint16_t)(b * LFT_BLOCK + i));
	}
}

/* Is port p of was here, too, with its LIDs and on its switch? */
static bool
is_there(const struct topo *t, const struct topo *was, port_ix p)
{
	uint64_t guid = was->port[p].guid;
	port_ix q = p < t->nports && t->port[p].guid == guid
			    ? p /* mostly */
			    : topo_by_port_guid(t, guid);

	return q != TOPO_NONE && t->port[q].lid == was->port[p].lid &&
	       t->port[q].lmc == was->port[p].lmc &&
	       topo_switch_of(t, q) ==
		       topo_switch_in(t, was, topo_switch_of(was, p));
}

static void
find_due_at(struct apart *e, port_ix p)
{
	uint32_t i = e->of_lid[e->t->port[p].lid];

	if (i > 0)
		e->due[i - 1] = true;
}

/* The node of a port that is gone or was elsewhere. */
static void
find_due_with(struct apart *e, const struct homing_member *gone)
{
	size_t i = homing_first(&e->ports, gone->key);

	if (i < e->ports.n)
		find_due_at(e, e->ports.member[i].port);
}

/* Had all leaves hosts before? A new one has not been asked about anything. */
static bool
same_leaves(const struct apart *e, const struct homing_ports *old)
{
	const struct topo *was = e->job->prev->topo;
	bool *had = arena_array(e->a, was->nsw, sizeof(*had));

	for (uint32_t i = 0; i < old->nleaves; i++)
		had[old->leaf[i]] = true;
	for (uint32_t i = 0; i < e->ports.nleaves; i++) {
		sw_ix x = topo_switch_in(was, e->t, e->ports.leaf[i]);

		if (x == TOPO_NONE || !had[x])
			return false;
	}
	return true;
}

/* Who had no way to part may have one in another order. */
static bool
same_order(const struct apart *e)
{
	const struct routes *prev = e->job->prev, *r = e->from;
	uint32_t nsw = e->t->nsw, last = 0;
	uint32_t *was = arena_array(e->a, nsw, sizeof(*was));
	sw_ix *seq = arena_array(e->a, nsw, sizeof(*seq));

	if ((prev->plane == NULL) != (r->plane == NULL))
		return false;
	routes_line_in(prev, e->t, was);
	for (sw_ix s = 0; s < nsw; s++)
		seq[e->pos[s]] = s;
	for (uint32_t i = 0; i < nsw; i++) {
		sw_ix x = topo_switch_in(prev->topo, e->t, seq[i]);

		if (x == TOPO_NONE || was[seq[i]] < last ||
			(r->plane != NULL &&
				r->plane[seq[i]] != prev->plane[x]))
			return false;
		last = was[seq[i]];
	}
	return true;
}

/* Nodes whose ports or entries are not what they were. False: all may be. */
static bool
find_due(struct apart *e)
{
	const struct routes *prev = e->job->prev;
	const struct topo *t = e->t;
	struct homing_ports old;
	bool some;

	if (prev == NULL || prev->apart != e->from->apart ||
		(prev->left > 0 && !same_order(e)))
		return false;
	old = homing_ports(prev->topo, e->job->options);
	some = same_leaves(e, &old);
	e->due = arena_array(e->a, e->ports.n, sizeof(*e->due));
	for (size_t i = 0; i < old.n; i++)
		if (!is_there(t, prev->topo, old.member[i].port))
			find_due_with(e, &old.member[i]);
	homing_ports_free(&old);
	for (size_t i = 0; i < e->ports.n; i++)
		if (!is_there(prev->topo, t, e->ports.member[i].port))
			find_due_at(e, e->ports.member[i].port);
	for (sw_ix s = 0; some && s < t->nsw; s++) {
		sw_ix was = topo_switch_in(prev->topo, t, s);

		some = was != TOPO_NONE || !live(t, s);
		if (was != TOPO_NONE)
			find_due_in(e, s, was);
	}
	return some;
}

/* How far each switch is, which leaves' packets pass it. */
static void
measure(struct apart *e, struct way *w)
{
	uint32_t n, d;

	memset(w->dist, 0xff, e->t->nsw * sizeof(*w->dist));
	memset(w->pass, 0, e->t->nsw * sizeof(*w->pass));
	w->dist[w->dest] = 0;
	for (sw_ix s = 0; s < e->t->nsw; s++) {
		sw_ix x = s;

		for (n = 0; w->dist[x] == NONE && cable_of(e, w, x) != NONE;) {
			e->queue[n++] = x;
			x = next_of(e, w, x);
		}
		for (d = w->dist[x]; n > 0 && d != NONE;)
			w->dist[e->queue[--n]] = ++d;
	}
	for (uint32_t i = 0; i < e->ports.nleaves; i++)
		carry(e, w, e->ports.leaf[i], 1, 0);
}

/* ---- another way ---- */

static bool
goes_down(const struct apart *e, sw_ix s, sw_ix next)
{
	return e->pos[next] > e->pos[s];
}

static bool
in_one_plane(const struct apart *e, const struct way *w, sw_ix s, sw_ix next)
{
	const uint8_t *p = e->from->plane;

	return p == NULL ||
	       (((p[s] ^ p[next]) | (p[s] ^ p[w->dest])) & ROUTE_PLANE) == 0;
}

/* May the entry of s lead by cable c? */
static bool
may(const struct apart *e, const struct way *w, sw_ix s, uint32_t c)
{
	sw_ix x = e->t->adj[c].peer, next = next_of(e, w, s);
	bool down = goes_down(e, s, next);

	if (c == w->next[s])
		return true;
	return w->dist[x] == w->dist[s] - 1 && goes_down(e, s, x) == down &&
	       (!down || x == w->dest || goes_down(e, x, next_of(e, w, x))) &&
	       in_one_plane(e, w, s, next) && in_one_plane(e, w, s, x);
}

static struct state *
state_of(struct apart *e, sw_ix s, uint32_t changes)
{
	return &e->state[(size_t)s * (CHANGES + 1) + changes];
}

/*
 * By cable c from s to its other end: is that new, or better? True: new. Loads
 * decide where the leaf's own way is all that moves: that is always worth it,
 * so that what is done depends on the entries alone.
 */
static bool
step(struct apart *e, const struct way *w, sw_ix s, uint32_t k, uint32_t c)
{
	const struct state *was = state_of(e, s, k);
	uint32_t other = c != w->next[s];
	struct state is = {.search = e->search,
		.moved = was->moved + (other ? w->pass[s] : 0),
		.load = was->load > e->load[c] ? was->load : e->load[c],
		.cable = c,
		.from = s,
		.changes = (uint8_t)k};
	struct state *to = state_of(e, e->t->adj[c].peer, k + other);
	bool fresh = to->search != e->search;

	if (fresh || is.moved < to->moved ||
		(is.moved == to->moved && is.moved < 2 && is.load < to->load))
		*to = is;
	return fresh;
}

/* From the leaf by all ways that take no more changes than so many, and none of
 * the switches that are on all ways to the other ports. What it took. */
static uint32_t
explore(struct apart *e, const struct way *w, sw_ix leaf, uint32_t most)
{
	const struct topo *t = e->t;
	uint32_t n = 0, took = 0;

	e->search++;
	*state_of(e, leaf, 0) = (struct state){.search = e->search};
	e->queue[n++] = leaf * (CHANGES + 1);
	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = e->queue[i] / (CHANGES + 1);
		uint32_t k = e->queue[i] % (CHANGES + 1);
		uint32_t from = t->sw[s].adj, to = from + t->sw[s].nadj;

		if (s == w->dest)
			continue;
		if (k == most) {
			from = w->next[s];
			to = from + 1;
		}
		took += to - from;
		for (uint32_t c = from; c < to; c++) {
			sw_ix x = t->adj[c].peer;

			if (e->seen[x] != e->all && may(e, w, s, c) &&
				step(e, w, s, k, c))
				e->queue[n++] = x * (CHANGES + 1) + k +
						(c != w->next[s]);
		}
	}
	return took;
}

/* The best way from leaf to port i, by k entries changed, that meets none that
 * is on all others. */
static bool
find_trial(
	struct apart *e, uint32_t i, sw_ix leaf, uint32_t k, struct trial *out)
{
	const struct way *w = &e->way[i];
	sw_ix s = w->dest;
	uint32_t took;

	if (!cross(e, leaf, i) || s == leaf)
		return false;
	took = explore(e, w, leaf, k);
	if (state_of(e, s, k)->search != e->search) {
		if (k > 1)
			e->patience -= took < e->patience ? took : e->patience;
		return false;
	}
	*out = (struct trial){.way = i,
		.moved = state_of(e, s, k)->moved,
		.load = state_of(e, s, k)->load};
	while (s != leaf) {
		const struct state *x = state_of(e, s, k);

		if (x->changes != k) {
			out->sw[out->n] = x->from;
			out->cable[out->n++] = x->cable;
		}
		s = x->from;
		k = x->changes;
	}
	return true;
}

static bool
better(const struct apart *e, const struct trial *a, const struct trial *b)
{
	bool idle = e->way[a->way].idle;

	if (idle != e->way[b->way].idle)
		return idle;
	return a->moved != b->moved ? a->moved < b->moved : a->load < b->load;
}

static bool
is_changed(const struct trial *x, sw_ix s)
{
	for (uint32_t k = 0; k < x->n; k++)
		if (x->sw[k] == s)
			return true;
	return false;
}

/* The leaves whose ways pass what is changed: how many. */
static uint32_t
find_moved(struct apart *e, const struct trial *x, uint32_t l)
{
	const struct way *w = &e->way[x->way];
	uint32_t n = 0;

	if (x->n == 1 && x->sw[0] == e->ports.leaf[l] && x->moved == 1) {
		e->moved[n++] = l;
		return n;
	}
	for (uint32_t i = 0; i < e->ports.nleaves; i++) {
		sw_ix s = e->ports.leaf[i];

		while (w->dist[s] != NONE && s != w->dest && !is_changed(x, s))
			s = next_of(e, w, s);
		if (w->dist[s] != NONE && s != w->dest)
			e->moved[n++] = i;
	}
	return n;
}

static void
swap_entries(struct way *w, struct trial *x)
{
	for (uint32_t k = 0; k < x->n; k++) {
		uint32_t c = w->next[x->sw[k]];

		w->next[x->sw[k]] = x->cable[k];
		x->cable[k] = c;
	}
}

/* Take n leaves' ways to a port off, change what is to be, put them on. */
static void
move(struct apart *e, struct trial *x, uint32_t n)
{
	struct way *w = &e->way[x->way];

	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = e->ports.leaf[e->moved[i]];

		carry(e, w, s, NONE, w->base ? 0 - (uint64_t)e->hosts[s] : 0);
	}
	swap_entries(w, x);
	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = e->ports.leaf[e->moved[i]];

		carry(e, w, s, 1, w->base ? e->hosts[s] : 0);
	}
}

/* Do it if fewer leaves are cut then. */
static bool
try_trial(struct apart *e, struct trial *x, uint32_t l)
{
	uint32_t n = find_moved(e, x, l), before = 0, after = 0;

	move(e, x, n);
	for (uint32_t i = 0; i < n; i++) {
		before += e->cut[e->moved[i]];
		after += cross(e, e->ports.leaf[e->moved[i]], NONE);
	}
	if (after >= before) {
		move(e, x, n);
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		e->cut[e->moved[i]] =
			cross(e, e->ports.leaf[e->moved[i]], NONE);
	e->ncut -= before - after;
	return true;
}

/* The best trial of k changes for leaf number l that is worth it. */
static bool
mend_leaf(struct apart *e, uint32_t l, uint32_t k)
{
	struct trial trial[PORTS];
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->nways; i++)
		n += find_trial(e, i, e->ports.leaf[l], k, &trial[n]);
	while (n > 0) {
		uint32_t best = 0;

		for (uint32_t i = 1; i < n; i++)
			if (better(e, &trial[i], &trial[best]))
				best = i;
		if (try_trial(e, &trial[best], l))
			return true;
		trial[best] = trial[--n];
	}
	return false;
}

/* ---- nodes ---- */

/* Write what is other than it was. */
static void
write_way(struct apart *e, const struct way *w)
{
	const struct topo *t = e->t;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint8_t out;

		if (cable_of(e, w, s) == NONE)
			continue;
		out = t->adj[w->next[s]].out;
		if (out == routes_port(e->from, s, w->lid))
			continue;
		if (e->r == NULL)
			e->r = routes_for(e->from, e->from->topo);
		routes_put_entry(e->r, s, w->lid, out, e->job->prev);
	}
}

/* Is any switch on a way to the first port, and on one to the second, from
 * whichever leaves? Mostly none is, and that is soon seen. */
static bool
meet(struct apart *e)
{
	e->stamp += PORTS + 1;
	for (uint32_t i = 0; i < 2; i++) {
		const struct way *w = &e->way[i];

		for (uint32_t l = 0; l < e->ports.nleaves; l++) {
			sw_ix s = e->ports.leaf[l];

			while (s != w->dest && cable_of(e, w, s) != NONE) {
				s = next_of(e, w, s);
				if (e->seen[s] == e->stamp + i + 1)
					break;
				if (i == 1 && e->seen[s] == e->stamp + 1)
					return true;
				e->seen[s] = e->stamp + i + 1;
			}
		}
	}
	return false;
}

/* Which leaves have a single point of failure; how many. */
static uint32_t
find_cut(struct apart *e)
{
	e->ncut = 0;
	if (!meet(e))
		return 0;
	for (uint32_t i = 0; i < e->ports.nleaves; i++) {
		e->cut[i] = cross(e, e->ports.leaf[i], NONE);
		e->ncut += e->cut[i];
	}
	return e->ncut;
}

/* Part the ways at hand. */
static void
part(struct apart *e)
{
	uint32_t before = find_cut(e), last;

	if (before == 0)
		return;
	for (uint32_t i = 0; i < e->nways; i++)
		measure(e, &e->way[i]);
	do {
		last = e->ncut;
		e->patience = PATIENCE;
		for (uint32_t k = 1; k <= CHANGES; k++)
			for (uint32_t i = 0; i < e->ports.nleaves; i++)
				if (e->cut[i] && e->patience > 0)
					(void)mend_leaf(e, i, k);
	} while (e->ncut > 0 && e->ncut < last);
	for (uint32_t i = 0; e->ncut < before && i < e->nways; i++)
		write_way(e, &e->way[i]);
	e->left += e->ncut > 0;
}

/* The node whose first port has number i. */
static void
part_node(struct apart *e, size_t i)
{
	size_t n = homing_same(&e->ports, i);

	for (unsigned path = 0; path < PATHS; path++) {
		if (!take_ways(e, &e->ports.member[i], n, path))
			return;
		part(e);
	}
}

/* Which node a LID leads to, of those with several ports. False: none. */
static bool
find_nodes(struct apart *e)
{
	const struct homing_ports *p = &e->ports;
	bool any = false;

	e->of_lid = arena_array(e->a, e->t->max_lid + 1U, sizeof(*e->of_lid));
	for (size_t i = 0, n; i < p->n; i += n) {
		n = homing_same(p, i);
		for (size_t k = i; n > 1 && n <= PORTS && k < i + n; k++) {
			const struct topo_port *x =
				&e->t->port[p->member[k].port];

			for (uint32_t l = 0; l < 1U << x->lmc; l++)
				e->of_lid[x->lid + l] = (uint32_t)i + 1;
			any = true;
		}
	}
	return any;
}

static void
part_all(struct apart *e, bool all)
{
	const struct homing_ports *p = &e->ports;
	const struct route_job *job = e->job;

	begin(e);
	if (all || !find_due(e))
		e->due = NULL;
	for (size_t i = 0; i < p->n; i += homing_same(p, i))
		if (e->of_lid[e->t->port[p->member[i].port].lid] > 0 &&
			(e->due == NULL || e->due[i]) &&
			(job->cancel == NULL || !*job->cancel))
			part_node(e, i);
	/* who was not looked at is as he was */
	e->left += e->due != NULL ? job->prev->left : 0;
}

struct routes *
apart_routes(struct routes *r, const struct route_job *job, bool all)
{
	struct apart e = {.t = r->topo, .job = job, .from = r};

	r->apart = said(job->options);
	if (r->homes == 0)
		return NULL;
	e.a = arena_new();
	e.ports = homing_ports(r->topo, job->options);
	if (find_nodes(&e))
		part_all(&e, all);
	homing_ports_free(&e.ports);
	arena_free(e.a);
	r->left = e.left;
	if (e.r != NULL) {
		e.r->left = e.left;
		verify_state_unref(e.r->verified);
		e.r->verified = NULL;
		free(e.r->turns);
		e.r->turns = NULL;
	}
	return e.r;
}
