#include <string.h>

#include "routing/tiers/topo_class.h"
#include "routing/tiers/tree_priv.h"
#include "sm/base/arena.h"

enum { TIERS = 64, RANKS = 2 * TIERS }; /* more tiers are no tree */

/* ---- roles ---- */

static void
take_roles(struct tree_work *w)
{
	const struct engine_options *o = w->job->options;

	for (size_t i = 0; o != NULL && i < o->nroles; i++) {
		const struct route_role_of *r = &o->role[i];
		node_ix n = topo_by_node_guid(w->g.t, r->guid);
		sw_ix s = n == TOPO_NONE ? TOPO_NONE : w->g.t->node[n].sw;

		if (s == TOPO_NONE || r->role == ROUTE_ROLE_NONE ||
			w->role[s] != ROUTE_ROLE_NONE)
			continue; /* the configuration comes first */
		w->role[s] = r->role;
		w->roles = true;
		w->said[s] = r->told ? TREE_TOLD : TREE_CONFIGURED;
	}
}

/* ---- tree or mesh ---- */

static struct tree_look *
survey_components(
	const struct tree_work *w, const uint32_t *tier, uint32_t last)
{
	const struct swgraph *g = &w->g;
	struct tree_look *l = arena_array(g->a, g->ncomp, sizeof(*l));
	bool kept = topo_class_previous(w->job) != NULL;

	for (sw_ix s = 0; s < g->nsw; s++) {
		enum route_read was;
		struct tree_look *c;

		if (!g->live[s])
			continue;
		c = &l[g->comp[s]];
		was = kept ? topo_class_of(w->job, s) : ROUTE_READ_NEVER;
		c->trees += was == ROUTE_READ_TREE;
		c->meshes += was == ROUTE_READ_MESH;
		c->switches++;
		c->roles += w->role[s] != ROUTE_ROLE_NONE;
		c->lost += tier[s] == UINT32_MAX;
		c->hosts += tree_has_hosts(w, s) ? g->weight[s] : 0;
		c->misplaced += tree_has_hosts(w, s) && tier[s] != last
					? g->weight[s]
					: 0;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			c->links += g->group[i].n;
			if (tier[g->group[i].peer] == tier[s])
				c->level += g->group[i].n;
		}
	}
	return l;
}

static bool
is_mesh(const struct tree_look *l)
{
	return l->level * 3 > l->links || l->misplaced * 3 > l->hosts * 2;
}

/*
 * True if a component keeps the class that most of it was read as, although
 * inference sees the other one (mesh). It does not where the counts are clear,
 * beyond twice the border: what was read while a fabric came up must not last.
 * One link more or less never causes a change and then its reverse, so the
 * class does not oscillate.
 */
static bool
is_class_kept(const struct tree_look *l, bool mesh)
{
	if ((mesh ? l->trees : l->meshes) * 2 <= l->switches || l->links == 0)
		return false;
	if (mesh)
		return l->level * 3 <= l->links * 2 &&
		       l->misplaced * 6 <= l->hosts * 5;
	return l->level * 6 > l->links || l->misplaced * 3 > l->hosts;
}

/*
 * Where at least half of the switches have roles, the component is a tree
 * because the roles say so.
 */
static void
classify_components(struct tree_work *w)
{
	const struct tree_look *l = survey_components(w, w->high, 0);

	for (uint32_t c = 0; c < w->g.ncomp; c++) {
		bool said = l[c].roles * 2 >= l[c].switches;
		bool mesh = !said && is_mesh(&l[c]);

		if (l[c].lost == 0 && !said && is_class_kept(&l[c], mesh)) {
			w->stays[c].is = true;
			w->stays[c].level =
				(uint32_t)(l[c].level * 100 / l[c].links);
			w->stays[c].misplaced =
				l[c].hosts == 0 ? 0
						: (uint32_t)(l[c].misplaced *
							     100 / l[c].hosts);
			mesh = !mesh;
		}
		w->none[c] = l[c].lost > 0 || mesh;
	}
}

/* The switch of a component that has the least host distance. */
static sw_ix
find_centre(const struct tree_work *w, uint32_t comp)
{
	sw_ix best = TOPO_NONE;

	for (sw_ix s = 0; s < w->g.nsw; s++) {
		if (w->g.comp[s] != comp)
			continue;
		if (best == TOPO_NONE || w->far[s] < w->far[best] ||
			(w->far[s] == w->far[best] &&
				tree_guid(w, s) < tree_guid(w, best)))
			best = s;
	}
	return best;
}

static void
rank_by_distance(struct tree_work *w, uint32_t comp)
{
	const struct swgraph *g = &w->g;
	uint32_t *tier = w->out->tier;
	sw_ix *queue = arena_array(g->a, g->nsw, sizeof(*queue));
	uint32_t head = 0, n = 0;

	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->comp[s] == comp)
			tier[s] = UINT32_MAX;
	queue[n++] = find_centre(w, comp);
	tier[queue[0]] = 0;
	while (head < n) {
		sw_ix s = queue[head++];

		w->out->origin[s] = TREE_LINKS;
		w->out->leaf[s] = tree_has_hosts(w, s);
		w->out->treeless[s] = true;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix peer = g->group[i].peer;

			if (tier[peer] != UINT32_MAX)
				continue;
			tier[peer] = tier[s] + 1;
			queue[n++] = peer;
		}
	}
}

/* ---- the inferred tree ---- */

static void
infer_tiers(struct tree_work *w)
{
	struct tree *t = w->out;
	uint32_t most = 0;

	rank_infer(w);
	classify_components(w);
	for (sw_ix s = 0; s < w->g.nsw; s++)
		if (w->g.live[s] && !w->none[w->g.comp[s]] && w->high[s] > most)
			most = w->high[s];
	for (sw_ix s = 0; s < w->g.nsw; s++) {
		t->tier[s] = UINT32_MAX;
		if (!w->g.live[s] || w->none[w->g.comp[s]])
			continue;
		t->tier[s] = most - w->high[s];
		t->origin[s] = w->said[s] != TREE_UNPLACED ? w->said[s]
			       : w->leaf[s] && tree_has_hosts(w, s)
				       ? TREE_HOSTS
				       : TREE_LINKS;
	}
	for (uint32_t c = 0; c < w->g.ncomp; c++)
		if (w->none[c])
			rank_by_distance(w, c);
}

/* ---- ranks in force ---- */

bool
tree_previous_rank(const struct route_job *job, sw_ix s, uint32_t *rank)
{
	const struct topo *t = job->topo;
	const struct routes *prev = job->prev;
	const struct route_rank *r;

	if (prev != NULL) {
		s = topo_switch_in(prev->topo, t, s);
		if (s == TOPO_NONE || prev->order == ROUTE_NO_ORDER ||
			prev->rank[s] == ROUTE_NO_RANK)
			return false;
		*rank = prev->rank[s];
		return true;
	}
	r = routes_rank_of(
		job->ranks, job->nranks, t->node[t->sw[s].node].guid);
	if (r == NULL || job->ranks_order == ROUTE_NO_ORDER)
		return false;
	*rank = r->rank;
	return *rank != ROUTE_NO_RANK;
}

/* The ranks in force; signed, because a new top comes above tier 0. */
struct memory {
	int64_t *rank; /* [nsw] */
	bool *known;   /* [nsw] */
	int64_t last;
};

static bool
load_previous_ranks(const struct tree_work *w, struct memory *m)
{
	const struct route_job *job = w->job;
	enum route_order order =
		job->prev != NULL ? job->prev->order : job->ranks_order;
	bool any = false;

	m->rank = arena_array(w->g.a, w->g.nsw, sizeof(*m->rank));
	m->known = arena_array(w->g.a, w->g.nsw, sizeof(*m->known));
	for (sw_ix s = 0; s < w->g.nsw; s++) {
		uint32_t rank;

		if (!w->g.live[s] || w->none[w->g.comp[s]] ||
			!tree_previous_rank(job, s, &rank))
			continue;
		if (rank >= TIERS)
			return false;
		m->rank[s] = rank;
		m->known[s] = any = true;
		m->last = m->rank[s] > m->last ? m->rank[s] : m->last;
	}
	return any && order != ROUTE_SINGLE;
}

/*
 * False if the order in force was no tree, or if a role says that it is upside
 * down: such an order is void.
 */
static bool
is_previous_plausible(const struct tree_work *w, const struct memory *m)
{
	const struct swgraph *g = &w->g;

	if (m->last > (int64_t)w->out->ntiers + 1)
		return false;
	for (sw_ix s = 0; s < g->nsw; s++) {
		if (!m->known[s] || w->role[s] == ROUTE_ROLE_NONE)
			continue;
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
			sw_ix peer = g->group[i].peer;

			if (!m->known[peer] || w->role[peer] == w->role[s])
				continue;
			if (w->role[s] == ROUTE_ROLE_LEAF &&
				m->rank[peer] > m->rank[s])
				return false;
			if (w->role[s] == ROUTE_ROLE_ROOT &&
				m->rank[peer] < m->rank[s])
				return false;
		}
	}
	return true;
}

/*
 * A switch without a rank in force gets the rank that is the most frequent
 * among the switches of its inferred tier; a tier in which no switch has a rank
 * is left to place_by_neighbours.
 */
static void
place_by_tier(const struct tree_work *w, struct memory *m)
{
	const struct swgraph *g = &w->g;
	const uint32_t *tier = w->out->tier;
	uint32_t(*count)[TIERS] = arena_array(g->a, TIERS, sizeof(*count));
	bool *old = arena_array(g->a, g->nsw, sizeof(*old));

	memcpy(old, m->known, g->nsw * sizeof(*old));
	for (sw_ix s = 0; s < g->nsw; s++)
		if (old[s] && tier[s] < TIERS)
			count[tier[s]][m->rank[s]]++;
	for (sw_ix s = 0; s < g->nsw; s++) {
		const uint32_t *c;
		uint32_t best = 0;

		if (old[s] || tier[s] >= TIERS)
			continue;
		c = count[tier[s]];
		for (uint32_t r = 1; r < TIERS; r++)
			if (c[r] > c[best])
				best = r;
		m->known[s] = c[best] > 0;
		m->rank[s] = best;
	}
}

/*
 * Remaining switches: the rank of a placed neighbour, plus the difference
 * between their inferred tiers; the greatest of these.
 */
static void
place_by_neighbours(const struct tree_work *w, struct memory *m)
{
	const struct swgraph *g = &w->g;
	const uint32_t *tier = w->out->tier;
	bool *now = arena_array(g->a, g->nsw, sizeof(*now));
	bool more = true;

	while (more) {
		more = false;
		for (sw_ix s = 0; s < g->nsw; s++) {
			now[s] = m->known[s];
			for (uint32_t i = g->first[s];
				!m->known[s] && tier[s] != UINT32_MAX &&
				i < g->first[s + 1];
				i++) {
				sw_ix peer = g->group[i].peer;
				int64_t rank = m->rank[peer] + tier[s] -
					       (int64_t)tier[peer];

				if (!m->known[peer])
					continue;
				m->rank[s] = now[s] && m->rank[s] > rank
						     ? m->rank[s]
						     : rank;
				now[s] = more = true;
			}
		}
		memcpy(m->known, now, g->nsw * sizeof(*now));
	}
}

/*
 * The last tier is the rank that most leaves have. No switch is below it: the
 * order in force may have put a leaf there that has no link up.
 */
static void
find_last(const struct tree_work *w, struct memory *m)
{
	uint32_t *count = arena_array(w->g.a, RANKS, sizeof(*count));
	int64_t last = 0;

	for (sw_ix s = 0; s < w->g.nsw; s++)
		if (m->known[s] && w->leaf[s] && m->rank[s] >= 0 &&
			m->rank[s] < RANKS)
			count[m->rank[s]]++;
	for (int64_t r = 1; r < RANKS; r++)
		if (count[r] >= count[last] && count[r] > 0)
			last = r;
	for (sw_ix s = 0; s < w->g.nsw; s++)
		if (m->known[s] &&
			(w->role[s] == ROUTE_ROLE_LEAF || m->rank[s] > last))
			m->rank[s] = last;
}

static void
keep_previous_ranks(struct tree_work *w)
{
	struct tree *t = w->out;
	struct memory m = {.last = 0}, old;
	int64_t top = 0;

	if (!load_previous_ranks(w, &m) || !is_previous_plausible(w, &m))
		return;
	old = m;
	old.known = arena_array(w->g.a, w->g.nsw, sizeof(*old.known));
	memcpy(old.known, m.known, w->g.nsw * sizeof(*old.known));
	place_by_tier(w, &m);
	place_by_neighbours(w, &m);
	find_last(w, &m);
	for (sw_ix s = 0; s < w->g.nsw; s++)
		if (m.known[s] && m.rank[s] < top)
			top = m.rank[s];
	for (sw_ix s = 0; s < w->g.nsw; s++) {
		uint32_t fresh = t->tier[s];

		if (!m.known[s])
			continue;
		t->tier[s] = (uint32_t)(m.rank[s] - top);
		if (old.known[s] && w->said[s] == TREE_UNPLACED &&
			t->tier[s] != fresh)
			t->origin[s] = TREE_REMEMBERED;
	}
}

/* ---- all together ---- */

static void
count_tiers(struct tree_work *w)
{
	struct tree *t = w->out;

	t->ntiers = 0;
	for (sw_ix s = 0; s < w->g.nsw; s++)
		if (t->tier[s] != UINT32_MAX && t->tier[s] + 1 > t->ntiers)
			t->ntiers = t->tier[s] + 1;
}

/*
 * Leaves are the switches in the last tier of the trees, whatever meshes are
 * beside them.
 */
static void
mark_leaves(struct tree_work *w)
{
	struct tree *t = w->out;
	uint32_t last = 0;

	for (sw_ix s = 0; s < w->g.nsw; s++)
		if (w->g.live[s] && !w->none[w->g.comp[s]] && t->tier[s] > last)
			last = t->tier[s];
	for (sw_ix s = 0; s < w->g.nsw; s++)
		if (w->g.live[s] && !w->none[w->g.comp[s]])
			t->leaf[s] = t->tier[s] == last;
}

static bool
has_uplink(const struct tree_work *w, sw_ix s)
{
	const struct swgraph *g = &w->g;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		if (w->out->tier[g->group[i].peer] < w->out->tier[s])
			return true;
	return false;
}

/* The number of switches below s that are below x too. */
static uint32_t
shared_below(const struct tree_work *w, sw_ix s, sw_ix x)
{
	const struct swgraph *g = &w->g;
	const uint32_t *tier = w->out->tier;
	uint32_t n = 0, j = g->first[x];

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix peer = g->group[i].peer;

		while (j < g->first[x + 1] && g->group[j].peer < peer)
			j++;
		n += tier[peer] > tier[s] && j < g->first[x + 1] &&
		     g->group[j].peer == peer;
	}
	return n;
}

/*
 * True if some switch that joins most of what s joins has links up: then s has
 * lost its links up. The top of a smaller tree joins more than other switches
 * do.
 */
static bool
is_outdone(const struct tree_work *w, const bool *up, sw_ix s)
{
	const struct swgraph *g = &w->g;
	const uint32_t *tier = w->out->tier;
	uint32_t all = shared_below(w, s, s);

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix below = g->group[i].peer;

		for (uint32_t j = g->first[below];
			tier[below] > tier[s] && j < g->first[below + 1]; j++) {
			sw_ix x = g->group[j].peer;

			if (tier[x] <= tier[s] && up[x] &&
				shared_below(w, s, x) * 2 > all)
				return true;
		}
	}
	return false;
}

static void
mark_tops(struct tree_work *w)
{
	const struct swgraph *g = &w->g;
	bool *up = arena_array(g->a, g->nsw, sizeof(*up));

	for (sw_ix s = 0; s < g->nsw; s++)
		up[s] = g->live[s] && has_uplink(w, s);
	for (sw_ix s = 0; s < g->nsw; s++)
		w->out->top[s] =
			g->live[s] && !up[s] &&
			(w->out->tier[s] == 0 ||
				g->first[s] == g->first[s + 1] ||
				(!w->out->leaf[s] && !is_outdone(w, up, s)));
}

struct tree *
tree_read_graph(const struct swgraph *g)
{
	struct tree_work w = {.job = g->job, .g = *g};
	struct arena *a = g->a;
	uint32_t nsw = g->nsw;
	struct tree *t = arena_alloc(a, sizeof(*t));

	w.out = t;
	w.role = arena_array(a, nsw, sizeof(*w.role));
	w.said = arena_array(a, nsw, sizeof(*w.said));
	w.far = arena_array(a, nsw, sizeof(*w.far));
	w.closer = arena_array(a, nsw, sizeof(*w.closer));
	w.leaf = arena_array(a, nsw, sizeof(*w.leaf));
	w.like = arena_array(a, nsw, sizeof(*w.like));
	w.high = arena_array(a, nsw, sizeof(*w.high));
	w.none = arena_array(a, w.g.ncomp, sizeof(*w.none));
	w.stays = arena_array(a, w.g.ncomp, sizeof(*w.stays));
	t->tier = arena_array(a, nsw, sizeof(*t->tier));
	t->origin = arena_array(a, nsw, sizeof(*t->origin));
	t->leaf = arena_array(a, nsw, sizeof(*t->leaf));
	t->top = arena_array(a, nsw, sizeof(*t->top));
	t->treeless = arena_array(a, nsw, sizeof(*t->treeless));
	take_roles(&w);
	infer_tiers(&w);
	count_tiers(&w);
	keep_previous_ranks(&w);
	count_tiers(&w);
	mark_leaves(&w);
	mark_tops(&w);
	irregularity_list(&w, a);
	return t;
}

struct tree *
tree_read(const struct route_job *job, struct arena *a)
{
	struct swgraph g = {.job = job, .t = job->topo, .a = a};

	swgraph_build(&g);
	return tree_read_graph(&g);
}

static void *
copy_array(struct arena *a, const void *from, size_t n, size_t size)
{
	void *to = arena_array(a, n, size);

	if (n > 0)
		memcpy(to, from, n * size);
	return to;
}

void
tree_keep(const struct tree *t, struct routes *r)
{
	struct route_reading *to = routes_reading(r);
	uint32_t nsw = r->topo->nsw;
	struct arena *a = to->arena;
	struct tree *c;

	if (to->tree != NULL)
		return;
	c = copy_array(a, t, 1, sizeof(*t));
	c->tier = copy_array(a, t->tier, nsw, sizeof(*t->tier));
	c->origin = copy_array(a, t->origin, nsw, sizeof(*t->origin));
	c->leaf = copy_array(a, t->leaf, nsw, sizeof(*t->leaf));
	c->top = copy_array(a, t->top, nsw, sizeof(*t->top));
	c->treeless = copy_array(a, t->treeless, nsw, sizeof(*t->treeless));
	c->odd = copy_array(a, t->odd, t->nodd, sizeof(*t->odd));
	for (size_t i = 0; i < c->nodd; i++)
		if (c->odd[i].entry != NULL)
			c->odd[i].entry = arena_strdup(a, c->odd[i].entry);
	to->tree = c;
}

const struct tree *
tree_kept(const struct routes *r)
{
	return r->reading != NULL ? r->reading->tree : NULL;
}

const char *
tree_origin_name(enum tree_origin o)
{
	static const char *const name[] = {
		[TREE_UNPLACED] = "unplaced",
		[TREE_CONFIGURED] = "configured",
		[TREE_TOLD] = "told",
		[TREE_REMEMBERED] = "remembered",
		[TREE_HOSTS] = "hosts",
		[TREE_LINKS] = "links",
	};

	return name[o];
}
