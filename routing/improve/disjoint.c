#include "routing/improve/disjoint_priv.h"

#include <stdlib.h>
#include <string.h>

#include "routing/core/link_load.h"
#include "routing/verify/verify.h"
#include "sm/base/be.h"
#include "sm/base/hash.h"

enum {
	CHANGES = 3,	    /* entries that are changed at once */
	PATIENCE = 1 << 16, /* links to try in vain, for one node */
};

/* A state of a search for another path: the best path so far to a switch with
 * a given number of entries changed. */
struct disjoint_state {
	uint32_t search; /* number of the search */
	uint32_t moved;	 /* paths of leaves that pass changed entries */
	uint64_t load;	 /* of the busiest link */
	uint32_t link;	 /* last link, */
	sw_ix from;	 /* from this switch, */
	uint8_t changes; /* which is reached with this number of changes */
};

/* Entries to change, so that a leaf gets to a port by another path. */
struct trial {
	uint32_t at_path;
	uint32_t n;
	sw_ix sw[CHANGES];
	uint32_t link[CHANGES];
	uint32_t moved;
	uint64_t load;
};

/* ---- the fabric ---- */

/* The hash of the options about ports, to see whether they have changed. */
static uint64_t
hash_port_options(const struct engine_options *o)
{
	uint64_t h = FNV_START;

	for (size_t i = 0; o != NULL && i < o->nmulti_port; i++) {
		uint8_t b[13];

		be_put64(b, o->multi_port[i].guid);
		be_put32(b + 8, o->multi_port[i].group);
		b[12] = o->multi_port[i].passive;
		h = fnv_more(h, b, sizeof(b));
	}
	return h | 1;
}

/* Add to the counts of the switches and links on the path from leaf s. */
static void
add_path_pairs(struct disjoint *e, struct disjoint_path *w, sw_ix s,
	uint32_t leaves, uint32_t pairs)
{
	while (w->dist[s] != DISJOINT_NONE && s != w->dest) {
		uint32_t c = w->next[s];

		w->pass[s] += leaves;
		e->pairs[c] += pairs;
		s = w->to[s];
	}
}

static void
prepare_search(struct disjoint *e)
{
	uint32_t nsw = e->t->nsw;
	const struct multi_port_node_ports *p = &e->ports;

	e->pos = arena_array(e->a, nsw, sizeof(*e->pos));
	e->hosts = arena_array(e->a, nsw, sizeof(*e->hosts));
	e->cut = arena_array(e->a, p->nleaves, sizeof(*e->cut));
	e->moved = arena_array(e->a, p->nleaves, sizeof(*e->moved));
	e->shared_by.seen = arena_array(e->a, nsw, sizeof(*e->shared_by.seen));
	e->order = arena_array(e->a, nsw, sizeof(*e->order));
	e->shared = arena_array(e->a, nsw, sizeof(*e->shared));
	e->state = arena_array(
		e->a, (size_t)nsw * (CHANGES + 1), sizeof(*e->state));
	e->queue = arena_array(
		e->a, (size_t)nsw * (CHANGES + 1), sizeof(*e->queue));
	for (unsigned i = 0; i < DISJOINT_PORTS; i++) {
		struct disjoint_path *w = &e->path[i];

		w->next = arena_array(e->a, nsw, sizeof(*w->next));
		w->to = arena_array(e->a, nsw, sizeof(*w->to));
		w->was = arena_array(e->a, nsw, sizeof(*w->was));
		w->read = arena_array(e->a, nsw, sizeof(*w->read));
		w->dist = arena_array(e->a, nsw, sizeof(*w->dist));
		w->pass = arena_array(e->a, nsw, sizeof(*w->pass));
	}
	for (size_t i = 0; i < p->n; i++)
		e->hosts[topo_switch_of(e->t, p->member[i].port)]++;
	routes_order(e->from, e->pos);
	link_map_new(&e->net, e->t, e->a);
}

/* ---- the paths to a node ---- */

/*
 * Read all entries at once, as each waits for memory; find how far each switch
 * is, and how many leaves' packets pass it. e->order: the switches that get
 * there, each behind the one it sends to.
 */
static void
measure_paths(struct disjoint *e, struct disjoint_path *w)
{
	uint32_t n, d;

	for (sw_ix s = 0; s < e->t->nsw; s++)
		w->was[s] = disjoint_link(e, w, s);
	memset(w->dist, 0xff, e->t->nsw * sizeof(*w->dist));
	memset(w->pass, 0, e->t->nsw * sizeof(*w->pass));
	w->dist[w->dest] = 0;
	e->norder = 0;
	for (sw_ix s = 0; s < e->t->nsw; s++) {
		sw_ix x = s;

		for (n = 0; w->dist[x] == DISJOINT_NONE &&
			    w->next[x] != DISJOINT_NONE;) {
			e->queue[n++] = x;
			x = w->to[x];
		}
		for (d = w->dist[x]; n > 0 && d != DISJOINT_NONE;) {
			x = e->queue[--n];
			w->dist[x] = ++d;
			e->order[e->norder++] = x;
		}
	}
	for (uint32_t i = e->norder; i-- > 0;) {
		sw_ix s = e->order[i], to = w->to[s];

		w->pass[s] += e->hosts[s] > 0;
		if (to != w->dest)
			w->pass[to] += w->pass[s];
	}
}

/* True if packets of other leaves come to s. */
static bool
is_passed(const struct disjoint *e, const struct disjoint_path *w, sw_ix s)
{
	return s == w->dest || w->pass[s] > (e->hosts[s] > 0);
}

/* ---- another path ---- */

static bool
goes_down(const struct disjoint *e, sw_ix s, sw_ix next)
{
	return e->pos[next] > e->pos[s];
}

static bool
stays_in_part(const struct disjoint *e, const struct disjoint_path *w, sw_ix s,
	sw_ix next)
{
	const uint8_t *part = e->from->part;

	return routes_in_one_part(part, s, next) &&
	       routes_in_one_part(part, s, w->dest);
}

/* True if the entry of s may be link c. */
static bool
can_use_link(const struct disjoint *e, const struct disjoint_path *w, sw_ix s,
	uint32_t c)
{
	sw_ix x = e->t->adj[c].peer, next = w->to[s];
	bool down = goes_down(e, s, next);

	if (c == w->next[s])
		return true;
	return w->dist[x] == w->dist[s] - 1 && goes_down(e, s, x) == down &&
	       (!down || x == w->dest || goes_down(e, x, w->to[x])) &&
	       (!down || engine_may_go_down(e->from, x, w->dest)) &&
	       stays_in_part(e, w, s, next) && stays_in_part(e, w, s, x);
}

static struct disjoint_state *
state_of(struct disjoint *e, sw_ix s, uint32_t changes)
{
	return &e->state[(size_t)s * (CHANGES + 1) + changes];
}

/*
 * Take link c from s: note the state at its other end if it is new or better.
 * True: new. Loads decide only where nothing but the leaf's own path moves:
 * such a change is always worth it, so that the outcome depends on the entries
 * alone.
 */
static bool
try_next_hop(struct disjoint *e, const struct disjoint_path *w, sw_ix s,
	uint32_t k, uint32_t c)
{
	const struct disjoint_state *was = state_of(e, s, k);
	uint32_t other = c != w->next[s];
	uint64_t load = link_load_of_pairs(
		e->pairs[c], e->t->adj[c].rate, e->t->rate_max);
	struct disjoint_state is = {.search = e->search,
		.moved = was->moved + (other ? w->pass[s] : 0),
		.load = was->load > load ? was->load : load,
		.link = c,
		.from = s,
		.changes = (uint8_t)k};
	struct disjoint_state *to = state_of(e, e->t->adj[c].peer, k + other);
	bool fresh = to->search != e->search;

	if (fresh || is.moved < to->moved ||
		(is.moved == to->moved && is.moved < 2 && is.load < to->load))
		*to = is;
	return fresh;
}

/* Search from the leaf all paths that need at most `most` changes and pass none
 * of the switches that are on all paths to the other ports. Returns the links
 * tried. */
static uint32_t
explore_paths(struct disjoint *e, const struct disjoint_path *w, sw_ix leaf,
	uint32_t most)
{
	const struct topo *t = e->t;
	uint32_t n = 0, took = 0;

	e->search++;
	*state_of(e, leaf, 0) = (struct disjoint_state){.search = e->search};
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

			if (!shared_switch_has(&e->shared_by, x) &&
				can_use_link(e, w, s, c) &&
				try_next_hop(e, w, s, k, c))
				e->queue[n++] = x * (CHANGES + 1) + k +
						(c != w->next[s]);
		}
	}
	return took;
}

/* The best path from leaf to port i, with k entries changed, that passes no
 * switch that is on all other paths. False: there is none. */
static bool
find_trial(struct disjoint *e, uint32_t i, sw_ix leaf, uint32_t k,
	struct trial *out)
{
	const struct disjoint_path *w = &e->path[i];
	sw_ix s = w->dest;
	uint32_t took;

	if (!disjoint_has_shared_switch(e, leaf, i) || s == leaf)
		return false;
	took = explore_paths(e, w, leaf, k);
	if (state_of(e, s, k)->search != e->search) {
		if (k > 1)
			e->patience -= took < e->patience ? took : e->patience;
		return false;
	}
	*out = (struct trial){.at_path = i,
		.moved = state_of(e, s, k)->moved,
		.load = state_of(e, s, k)->load};
	while (s != leaf) {
		const struct disjoint_state *x = state_of(e, s, k);

		if (x->changes != k) {
			out->sw[out->n] = x->from;
			out->link[out->n++] = x->link;
		}
		s = x->from;
		k = x->changes;
	}
	return true;
}

static bool
is_better_trial(
	const struct disjoint *e, const struct trial *a, const struct trial *b)
{
	bool idle = e->path[a->at_path].idle;

	if (idle != e->path[b->at_path].idle)
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

/* Find the leaves with paths through changed entries; returns how many. */
static uint32_t
find_moved(struct disjoint *e, const struct trial *x, uint32_t l)
{
	const struct disjoint_path *w = &e->path[x->at_path];
	uint32_t n = 0;

	if (x->n == 1 && x->sw[0] == e->ports.leaf[l] && x->moved == 1) {
		e->moved[n++] = l;
		return n;
	}
	for (uint32_t i = 0; i < e->ports.nleaves; i++) {
		sw_ix s = e->ports.leaf[i];

		while (w->dist[s] != DISJOINT_NONE && s != w->dest &&
			!is_changed(x, s))
			s = w->to[s];
		if (w->dist[s] != DISJOINT_NONE && s != w->dest)
			e->moved[n++] = i;
	}
	return n;
}

static void
swap_entries(const struct disjoint *e, struct disjoint_path *w, struct trial *x)
{
	for (uint32_t k = 0; k < x->n; k++) {
		uint32_t c = w->next[x->sw[k]];

		w->next[x->sw[k]] = x->link[k];
		w->to[x->sw[k]] = e->t->adj[x->link[k]].peer;
		x->link[k] = c;
	}
}

/* Take the paths of n leaves off the counts, swap the entries, add the new
 * paths. Done twice, everything is as before. */
static void
move_paths(struct disjoint *e, struct trial *x, uint32_t n)
{
	struct disjoint_path *w = &e->path[x->at_path];

	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = e->ports.leaf[e->moved[i]];

		add_path_pairs(
			e, w, s, DISJOINT_NONE, w->base ? 0 - e->hosts[s] : 0);
	}
	swap_entries(e, w, x);
	for (uint32_t i = 0; i < n; i++) {
		sw_ix s = e->ports.leaf[e->moved[i]];

		add_path_pairs(e, w, s, 1, w->base ? e->hosts[s] : 0);
	}
}

/* Accept a trial if fewer leaves are cut with it. */
static bool
try_trial(struct disjoint *e, struct trial *x, uint32_t l)
{
	uint32_t n = find_moved(e, x, l), before = 0, after = 0;

	move_paths(e, x, n);
	for (uint32_t i = 0; i < n; i++) {
		before += e->cut[e->moved[i]];
		after += disjoint_has_shared_switch(
			e, e->ports.leaf[e->moved[i]], DISJOINT_NONE);
	}
	if (after >= before) {
		move_paths(e, x, n);
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		e->cut[e->moved[i]] = disjoint_has_shared_switch(
			e, e->ports.leaf[e->moved[i]], DISJOINT_NONE);
	e->ncut -= before - after;
	return true;
}

/* Accept the best trial of k changes for leaf number l that helps. */
static bool
repair_leaf(struct disjoint *e, uint32_t l, uint32_t k)
{
	struct trial trial[DISJOINT_PORTS];
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->npaths; i++)
		n += find_trial(e, i, e->ports.leaf[l], k, &trial[n]);
	while (n > 0) {
		uint32_t best = 0;

		for (uint32_t i = 1; i < n; i++)
			if (is_better_trial(e, &trial[i], &trial[best]))
				best = i;
		if (try_trial(e, &trial[best], l))
			return true;
		trial[best] = trial[--n];
	}
	return false;
}

/* ---- nodes ---- */

/* Write the entries that have changed. */
static void
write_path(struct disjoint *e, const struct disjoint_path *w)
{
	const struct topo *t = e->t;

	for (sw_ix s = 0; s < t->nsw; s++) {
		if (w->next[s] == w->was[s])
			continue;
		if (e->r == NULL)
			e->r = routes_for(e->from, e->from->topo);
		routes_put_entry(
			e->r, s, w->lid, t->adj[w->next[s]].out, e->job->prev);
	}
}

/*
 * Find the leaves that have a single point of failure; returns how many. A leaf
 * can only have one if its path to the first port, which was measured last,
 * passes a switch that is on a path to the second port, too.
 */
static uint32_t
find_cut_leaves(struct disjoint *e)
{
	const struct disjoint_path *w = e->path;
	bool *shared = e->shared;

	shared[w->dest] = false;
	for (uint32_t i = 0; i < e->norder; i++) {
		sw_ix s = e->order[i], to = w->to[s];

		shared[s] = shared[to] ||
			    (is_passed(e, w, to) && is_passed(e, w + 1, to));
	}
	e->ncut = 0;
	for (uint32_t i = 0; i < e->ports.nleaves; i++) {
		sw_ix s = e->ports.leaf[i];

		e->cut[i] = w->dist[s] != DISJOINT_NONE && shared[s] &&
			    disjoint_has_shared_switch(e, s, DISJOINT_NONE);
		e->ncut += e->cut[i];
	}
	return e->ncut;
}

/* Make the paths at hand disjoint, as far as possible. */
static void
make_disjoint(struct disjoint *e)
{
	uint32_t before, last;

	if (!e->meets[e->path[0].lid])
		return;
	for (uint32_t i = e->npaths; i-- > 0;)
		measure_paths(e, &e->path[i]);
	before = find_cut_leaves(e);
	if (before == 0)
		return;
	if (e->pairs == NULL)
		e->pairs = link_map_pairs(&e->net, e->from->verified, e->a);
	do {
		last = e->ncut;
		e->patience = PATIENCE;
		for (uint32_t k = 1; k <= CHANGES; k++)
			for (uint32_t i = 0; i < e->ports.nleaves; i++)
				if (e->cut[i] && e->patience > 0)
					(void)repair_leaf(e, i, k);
	} while (e->ncut > 0 && e->ncut < last);
	for (uint32_t i = 0; e->ncut < before && i < e->npaths; i++)
		write_path(e, &e->path[i]);
	e->left |= e->ncut > 0;
}

/* The same for all LIDs of a node; i: the number of its first port. */
static void
make_node_disjoint(struct disjoint *e, size_t i)
{
	size_t n = multi_port_node_size(&e->ports, i);

	for (unsigned path = 0; path < DISJOINT_PATHS; path++) {
		if (!disjoint_take_paths(e, &e->ports.member[i], n, path))
			return;
		make_disjoint(e);
	}
}

/* Find the node of each LID, of nodes with several ports. False: none. */
static bool
find_nodes(struct disjoint *e)
{
	const struct multi_port_node_ports *p = &e->ports;
	bool any = false;

	e->of_lid = arena_array(e->a, e->t->max_lid + 1U, sizeof(*e->of_lid));
	for (size_t i = 0, n; i < p->n; i += n) {
		n = multi_port_node_size(p, i);
		for (size_t k = i; n > 1 && n <= DISJOINT_PORTS && k < i + n;
			k++) {
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
make_all_disjoint(struct disjoint *e)
{
	const struct multi_port_node_ports *p = &e->ports;
	const struct route_job *job = e->job;

	prepare_search(e);
	if (e->since == NULL || !disjoint_select(e))
		e->due = NULL;
	disjoint_find_shared(e);
	for (size_t i = 0; i < p->n; i += multi_port_node_size(p, i))
		if (disjoint_is_due(e, i) &&
			(job->cancel == NULL || !*job->cancel))
			make_node_disjoint(e, i);
	/* nodes that were not looked at are as before */
	e->left |= e->due != NULL && e->since->lost_disjoint;
}

struct routes *
disjoint_routes(struct routes *r, const struct route_job *job,
	const struct routes *since)
{
	struct disjoint e = {
		.t = r->topo, .job = job, .from = r, .since = since};

	r->disjoint_opts_hash = hash_port_options(job->options);
	if (!r->multi_port)
		return NULL;
	e.a = arena_new();
	e.ports = multi_port_node_ports(r->topo, job->options);
	if (find_nodes(&e))
		make_all_disjoint(&e);
	multi_port_node_ports_free(&e.ports);
	arena_free(e.a);
	r->lost_disjoint = e.left;
	if (e.r != NULL) {
		e.r->lost_disjoint = e.left;
		verify_state_unref(e.r->verified);
		e.r->verified = NULL;
		free(e.r->deps);
		e.r->deps = NULL;
	}
	return e.r;
}
