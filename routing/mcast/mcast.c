#include "routing/mcast/mcast.h"

#include <stdlib.h>

#include "sm/base/mem.h"

/* A live link seen from below. */
struct rise {
	sw_ix to;
	uint8_t out, peer_port;
};

/* A switch while a tree is being made. */
struct knot {
	uint32_t in;	/* == mcast.stamp: in the tree */
	uint32_t kids;	/* branches that have it as parent */
	uint32_t ends;	/* members at it */
	uint32_t below; /* receivers at it and below it */
	sw_ix parent;
	uint8_t up, down;
	/* the search upwards */
	uint32_t seen; /* == mcast.wave: reached */
	bool met;      /* the search before reached it too */
	sw_ix from;    /* the switch below by which it was reached */
	uint8_t from_up, from_down;
};

struct mcast {
	struct topo *t;
	const uint32_t *pos;
	const struct route_mcast *order;
	uint32_t *first; /* rise[first[s] .. first[s + 1]) */
	struct rise *rise;
	uint32_t *piece; /* [nsw] component: the lowest switch in it */
	struct knot *knot;
	sw_ix *queue; /* [nsw] */
	sw_ix *list;  /* [nsw] switches in the tree, in any order */
	uint32_t nlist;
	sw_ix root; /* of the part that the others are grafted to */
	uint32_t receivers;
	uint32_t stamp, wave;
};

static bool
leads_up(const struct mcast *m, sw_ix s, const struct topo_adj *a)
{
	return topo_sw_live(m->t, s) && topo_sw_live(m->t, a->peer) &&
	       m->pos[a->peer] < m->pos[s] &&
	       routes_mcast_link(m->order, s, a->out);
}

struct mcast *
mcast_new(struct topo *t, const struct route_mcast *order)
{
	struct mcast *m = mem_zalloc(1, sizeof(*m));
	uint32_t n = 0;

	m->wave = 1; /* no knot was seen by the search before */
	m->t = t;
	m->pos = order->pos;
	m->order = order;
	m->first = mem_zalloc((size_t)t->nsw + 1, sizeof(*m->first));
	m->rise = mem_zalloc(t->nadj, sizeof(*m->rise));
	m->piece = mem_zalloc(t->nsw, sizeof(*m->piece));
	m->knot = mem_zalloc(t->nsw, sizeof(*m->knot));
	m->queue = mem_zalloc(t->nsw, sizeof(*m->queue));
	m->list = mem_zalloc(t->nsw, sizeof(*m->list));
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_switch *w = &t->sw[s];

		m->first[s] = n;
		for (uint32_t i = 0; i < w->nadj; i++) {
			const struct topo_adj *a = &t->adj[w->adj + i];

			if (leads_up(m, s, a))
				m->rise[n++] = (struct rise){
					a->peer, a->out, a->peer_port};
		}
	}
	m->first[t->nsw] = n;
	(void)topo_pieces(t, m->piece);
	return m;
}

void
mcast_free(struct mcast *m)
{
	if (m == NULL)
		return;
	free(m->first);
	free(m->rise);
	free(m->piece);
	free(m->knot);
	free(m->queue);
	free(m->list);
	free(m);
}

/* ---- the search upwards ---- */

static bool
is_in_tree(const struct mcast *m, sw_ix s)
{
	return m->knot[s].in == m->stamp;
}

static void
mark_reached(struct mcast *m, sw_ix s, sw_ix from, const struct rise *by)
{
	struct knot *k = &m->knot[s];

	k->met = k->seen == m->wave - 1;
	k->seen = m->wave;
	k->from = from;
	k->from_up = by != NULL ? by->out : 0;
	k->from_down = by != NULL ? by->peer_port : 0;
}

/* Where a search ends. */
enum goal {
	AT_TREE, /* at a switch of the tree */
	AT_MET,	 /* ... or at one that the search before reached */
	AT_END,	 /* nowhere: only reach everything */
};

static bool
at_goal(const struct mcast *m, sw_ix s, sw_ix began, enum goal goal)
{
	if (goal == AT_END || s == began)
		return false;
	return is_in_tree(m, s) || (goal == AT_MET && m->knot[s].met);
}

/*
 * Search upwards from s, nearest first; the path is left in the knots, in each
 * the step down. The seed rotates the order in which links are tried, so that
 * groups spread. TOPO_NONE: the goal is not above s.
 */
static sw_ix
search_up(struct mcast *m, sw_ix s, enum goal goal, uint64_t seed)
{
	uint32_t head = 0, tail = 0;

	m->wave++;
	mark_reached(m, s, TOPO_NONE, NULL);
	m->queue[tail++] = s;
	while (head < tail) {
		sw_ix at = m->queue[head++];
		const struct rise *r = &m->rise[m->first[at]];
		uint32_t n = m->first[at + 1] - m->first[at];

		if (at_goal(m, at, s, goal))
			return at;
		for (uint32_t i = 0; i < n; i++) {
			const struct rise *up = &r[(i + seed) % n];

			if (m->knot[up->to].seen == m->wave)
				continue;
			mark_reached(m, up->to, at, up);
			m->queue[tail++] = up->to;
		}
	}
	return TOPO_NONE;
}

/* ---- the tree in the making ---- */

/* Add s to the tree, with nothing above it. */
static void
add_switch(struct mcast *m, sw_ix s)
{
	struct knot *k = &m->knot[s];

	if (is_in_tree(m, s))
		return;
	k->in = m->stamp;
	k->kids = k->ends = k->below = 0;
	k->parent = TOPO_NONE;
	k->up = k->down = 0;
	m->list[m->nlist++] = s;
}

static void
set_parent(struct mcast *m, sw_ix s, const struct rise *r)
{
	struct knot *k = &m->knot[s];

	k->parent = r->to;
	k->up = r->out;
	k->down = r->peer_port;
	m->knot[r->to].kids++;
}

/* Add the path that search_up found, from its end down to its start. */
static void
add_found_path(struct mcast *m, sw_ix end)
{
	sw_ix s = end;

	add_switch(m, end);
	while (m->knot[s].from != TOPO_NONE) {
		const struct knot *k = &m->knot[s];
		const struct rise r = {s, k->from_up, k->from_down};
		sw_ix next = k->from;

		add_switch(m, next);
		set_parent(m, next, &r);
		s = next;
	}
}

static sw_ix
root_of(const struct mcast *m, sw_ix s)
{
	while (m->knot[s].parent != TOPO_NONE)
		s = m->knot[s].parent;
	return s;
}

/*
 * Join s, which has nothing above it, to the tree: by the shortest path up that
 * meets it. Where nothing above s is in the tree, first the tree is extended
 * from its root up to a switch that is above both.
 */
static void
graft_switch(struct mcast *m, sw_ix s, uint64_t seed)
{
	sw_ix at;

	while ((at = search_up(m, s, AT_TREE, seed)) == TOPO_NONE) {
		at = search_up(m, m->root, AT_MET, seed);
		if (at == TOPO_NONE)
			return; /* not in one order with one top */
		add_found_path(m, at);
		m->root = root_of(m, at);
		if (m->root == s)
			return;
	}
	add_found_path(m, at);
}

/* ---- members ---- */

/* The live switch of a member's port, and the port there; TOPO_NONE: none. */
static sw_ix
member_switch(const struct mcast *m, port_ix p, uint8_t *out)
{
	const struct topo *t = m->t;
	sw_ix s = topo_switch_of(t, p);

	if (s == TOPO_NONE || !topo_sw_live(t, s))
		return TOPO_NONE;
	*out = t->node[t->port[p].node].sw == s ? 0
						: t->port[t->port[p].peer].num;
	return s;
}

/* The component with most of the members; TOPO_NONE: there are none. */
static uint32_t
busiest_piece(struct mcast *m, const struct mcast_member *member, size_t n)
{
	uint32_t best = TOPO_NONE, most = 0;
	uint8_t out;
	size_t i;

	m->stamp++;
	for (i = 0; i < n; i++) {
		sw_ix s = member_switch(m, member[i].port, &out);
		struct knot *k;

		if (s == TOPO_NONE)
			continue;
		k = &m->knot[m->piece[s]];
		if (k->in != m->stamp) {
			k->in = m->stamp;
			k->ends = 0;
		}
		if (++k->ends > most) {
			most = k->ends;
			best = m->piece[s];
		}
	}
	m->stamp++;
	return best;
}

/* Add the members' switches; returns how many members are left out. */
static size_t
add_members(struct mcast *m, const struct mcast_member *member, size_t n,
	uint32_t piece)
{
	size_t i, left = 0;
	uint8_t out;

	m->receivers = 0;
	for (i = 0; i < n; i++) {
		sw_ix s = member_switch(m, member[i].port, &out);

		if (s == TOPO_NONE || m->piece[s] != piece) {
			left++;
			continue;
		}
		add_switch(m, s);
		m->knot[s].ends++;
		m->knot[s].below += member[i].receives;
		m->receivers += member[i].receives;
	}
	return left;
}

/* ---- what is kept ---- */

/* Switch s of topology old in ours, or TOPO_NONE. */
static sw_ix
map_switch(const struct mcast *m, const struct topo *old, sw_ix s)
{
	node_ix n;

	if (old == m->t)
		return s;
	n = topo_by_node_guid(m->t, old->node[old->sw[s].node].guid);
	return n != TOPO_NONE ? m->t->node[n].sw : TOPO_NONE;
}

static const struct rise *
find_rise(const struct mcast *m, sw_ix s, sw_ix to, uint8_t out)
{
	for (uint32_t i = m->first[s]; i < m->first[s + 1]; i++)
		if (m->rise[i].to == to && m->rise[i].out == out)
			return &m->rise[i];
	return NULL;
}

/* Add the previous tree: all its switches, and links that still exist. */
static void
keep_previous_tree(
	struct mcast *m, const struct mcast_tree *prev, uint32_t piece)
{
	for (size_t i = 0; i < prev->n; i++) {
		const struct mcast_branch *b = &prev->branch[i];
		const struct rise *r;
		sw_ix s = map_switch(m, prev->topo, b->sw), to;

		if (s == TOPO_NONE || m->piece[s] != piece)
			continue;
		add_switch(m, s);
		if (b->parent == TOPO_NONE)
			continue;
		to = map_switch(m, prev->topo, b->parent);
		r = to != TOPO_NONE ? find_rise(m, s, to, b->up) : NULL;
		if (r == NULL)
			continue;
		add_switch(m, to);
		set_parent(m, s, r);
	}
}

/* ---- the end ---- */

static void
remove_switch(struct mcast *m, sw_ix s)
{
	struct knot *k = &m->knot[s];

	if (k->parent != TOPO_NONE)
		m->knot[k->parent].kids--;
	k->in = 0;
}

struct placed {
	uint32_t pos;
	sw_ix sw;
};

static int
lowest_first(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return x->pos > y->pos ? -1 : x->pos < y->pos;
}

/* The list, children before parents. */
static void
sort_list(struct mcast *m)
{
	struct placed *p = mem_zalloc(m->nlist, sizeof(*p));

	for (uint32_t i = 0; i < m->nlist; i++)
		p[i] = (struct placed){m->pos[m->list[i]], m->list[i]};
	qsort(p, m->nlist, sizeof(*p), lowest_first);
	for (uint32_t i = 0; i < m->nlist; i++)
		m->list[i] = p[i].sw;
	free(p);
}

/*
 * Remove branches that lead to no member, from the bottom, then from the top;
 * add up receivers below. The list must be sorted.
 */
static void
prune_branches(struct mcast *m)
{
	uint32_t n = 0, i;

	for (i = 0; i < m->nlist; i++) {
		sw_ix s = m->list[i];
		const struct knot *k = &m->knot[s];

		if (k->ends == 0 && k->kids == 0) {
			remove_switch(m, s);
			continue;
		}
		if (k->parent != TOPO_NONE)
			m->knot[k->parent].below += k->below;
		m->list[n++] = s;
	}
	m->nlist = n;
	while (n > 1 && m->knot[m->list[n - 1]].ends == 0 &&
		m->knot[m->list[n - 1]].kids == 1) {
		m->knot[m->list[--n]].in = 0;
		for (i = 0; i < n; i++)
			if (m->knot[m->list[i]].parent == m->list[n])
				m->knot[m->list[i]].parent = TOPO_NONE;
		m->nlist = n;
	}
}

static int
by_switch(const void *a, const void *b)
{
	const struct mcast_branch *x = a, *y = b;

	return x->sw < y->sw ? -1 : x->sw > y->sw;
}

static struct mcast_branch *
find_branch(const struct mcast_tree *tree, sw_ix s)
{
	const struct mcast_branch key = {.sw = s};

	return tree->n == 0 ? NULL
			    : bsearch(&key, tree->branch, tree->n, sizeof(key),
				      by_switch);
}

static void
mark_port(struct mcast_branch *b, unsigned port)
{
	b->mask[port / 64] |= UINT64_C(1) << (port % 64);
}

/* Mark the ports of links that have receivers beyond them. */
static void
mark_links(const struct mcast *m, struct mcast_tree *tree)
{
	for (size_t i = 0; i < tree->n; i++) {
		struct mcast_branch *b = &tree->branch[i];
		uint32_t below = m->knot[b->sw].below;

		if (b->parent == TOPO_NONE)
			continue;
		if (below < m->receivers)
			mark_port(b, b->up);
		if (below > 0)
			mark_port(find_branch(tree, b->parent), b->down);
	}
}

static void
fill_branches(const struct mcast *m, struct mcast_tree *tree,
	const struct mcast_member *member, size_t n)
{
	uint8_t out;

	tree->n = m->nlist;
	tree->branch = mem_zalloc(tree->n, sizeof(*tree->branch));
	for (size_t i = 0; i < tree->n; i++) {
		const struct knot *k = &m->knot[m->list[i]];

		tree->branch[i] = (struct mcast_branch){
			m->list[i], k->parent, k->up, k->down, {0}};
		if (k->parent == TOPO_NONE)
			tree->branch[i].up = tree->branch[i].down = 0;
	}
	qsort(tree->branch, tree->n, sizeof(*tree->branch), by_switch);
	mark_links(m, tree);
	for (size_t i = 0; i < n; i++) {
		sw_ix s = member_switch(m, member[i].port, &out);
		struct mcast_branch *b =
			s != TOPO_NONE ? find_branch(tree, s) : NULL;

		if (b != NULL && member[i].receives)
			mark_port(b, out);
	}
}

struct mcast_tree *
mcast_tree(struct mcast *m, const struct mcast_member *member, size_t n,
	const struct mcast_tree *prev, uint64_t seed)
{
	struct mcast_tree *tree = mem_zalloc(1, sizeof(*tree));
	uint32_t piece = busiest_piece(m, member, n), roots;

	tree->topo = topo_ref(m->t);
	m->nlist = 0;
	if (prev != NULL && piece != TOPO_NONE)
		keep_previous_tree(m, prev, piece);
	tree->left_out = add_members(m, member, n, piece);
	roots = m->nlist;
	if (roots > 0)
		m->root = root_of(m, m->list[0]);
	for (uint32_t i = 0; i < roots; i++) {
		sw_ix s = m->list[i];

		if (m->knot[s].parent == TOPO_NONE && s != m->root)
			graft_switch(m, s, seed);
	}
	sort_list(m);
	prune_branches(m);
	fill_branches(m, tree, member, n);
	return tree;
}

/* ---- what switches hold ---- */

/* The uplink of a switch in a tree: both ends have it in their masks, or one of
 * them where packets go in one direction only. NULL: none. */
static const struct rise *
uplink_of(const struct mcast *m, sw_ix s, const uint64_t (*mask)[MCAST_WORDS])
{
	const struct rise *best = NULL;
	unsigned most = 0;

	for (uint32_t i = m->first[s]; i < m->first[s + 1]; i++) {
		const struct rise *r = &m->rise[i];
		unsigned ends = (unsigned)mcast_bit(mask[s], r->out) +
				(unsigned)mcast_bit(mask[r->to], r->peer_port);

		if (ends > most) {
			most = ends;
			best = r;
		}
	}
	return best;
}

struct mcast_tree *
mcast_found(const struct mcast *m, mcast_mask *get, void *cookie)
{
	uint32_t nsw = m->t->nsw;
	uint64_t(*mask)[MCAST_WORDS] = mem_zalloc(nsw, sizeof(*mask));
	struct mcast_tree *tree = NULL;
	bool any = false;

	for (sw_ix s = 0; s < nsw; s++)
		any |= topo_sw_live(m->t, s) && get(cookie, s, mask[s]);
	if (any) {
		tree = mem_zalloc(1, sizeof(*tree));
		tree->topo = topo_ref(m->t);
		tree->branch = mem_zalloc(nsw, sizeof(*tree->branch));
	}
	for (sw_ix s = 0; any && s < nsw; s++) {
		const struct rise *r = uplink_of(m, s, mask);

		if (r != NULL)
			tree->branch[tree->n++] = (struct mcast_branch){.sw = s,
				.parent = r->to,
				.up = r->out,
				.down = r->peer_port};
	}
	free(mask);
	return tree;
}

void
mcast_tree_free(struct mcast_tree *tree)
{
	if (tree == NULL)
		return;
	topo_unref(tree->topo);
	free(tree->branch);
	free(tree);
}
