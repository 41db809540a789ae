/*
 * climb_repair: the routes in force without some links and switches, with links
 * that were not there, and with other LIDs.
 *
 * All that does not lead over a lost link stays, and is not looked at. Pairs of
 * which it takes a path may get a layer with more paths (repair_layers.c). Of a
 * LID the switches behind a lost link are taken out and hung in again, level by
 * level, over the least loaded links, each where its path climbs in the layer
 * of its pair (repair_paths.c); of a new LID, or one that has moved, all
 * switches are. For a pair without such a path others move, or it gets another
 * layer (repair_pairs.c). Where nothing helps the repair is given up, and the
 * tables are made anew. New links are used where paths get shorter, and beside
 * others (repair_gains.c). At last entries are moved off links that carry too
 * much now (repair_rebalance.c).
 *
 * If links carry more than kept tables may after that, the repair is made once
 * more, and pairs that lose paths get any layer in which there are some, as
 * they do in new tables: a ring that has lost a link has paths beside it in
 * other layers than those that lead round it.
 *
 *	lost link -> LIDs by their entries -> switches behind it -> levels
 *	stuck switches -> their pairs
 *	new link -> LIDs to which it is shorter
 *	links with too much load -> LIDs over them
 */
#include <stdlib.h>
#include <string.h>

#include "routing/climb/repair_priv.h"
#include "sm/base/mem.h"

/* ---- lost links ---- */

/* An entry that leads over a lost link. */
struct lost {
	uint16_t lid;
	sw_ix from;
};

struct losses {
	struct lost *of;
	size_t n, room;
};

/* The ports of s that were links between switches, and are not any more. */
static bool
find_lost_ports(
	const struct repair *m, sw_ix s, bool port[ROUTE_PORT_WORDS * 64])
{
	const struct topo *t = m->x->g->t, *was = m->x->job->prev->topo;
	const struct topo_switch *is = &t->sw[s], *old = &was->sw[m->was[s]];

	if (is->nadj == old->nadj && m->ngains == 0)
		return false;
	memset(port, 0, (size_t)ROUTE_PORT_WORDS * 64 * sizeof(*port));
	for (uint32_t i = old->adj; i < old->adj + old->nadj; i++)
		port[was->adj[i].out] = true;
	for (uint32_t i = is->adj; i < is->adj + is->nadj; i++)
		port[t->adj[i].out] = false;
	return true;
}

/* The entries of s that lead over its lost links. */
static void
find_lost_entries(const struct repair *m, sw_ix s, struct losses *l)
{
	const struct routes *r = m->r;
	bool port[ROUTE_PORT_WORDS * 64];

	if (!find_lost_ports(m, s, port))
		return;
	for (uint32_t lid = 0; lid <= r->top; lid++) {
		if (m->owner[lid] == TOPO_NONE || m->owner[lid] == s ||
			!port[repair_port(m, s, (uint16_t)lid)])
			continue;
		l->of = mem_grow(l->of, l->n, &l->room, sizeof(*l->of));
		l->of[l->n++] = (struct lost){(uint16_t)lid, s};
	}
}

static int
compare_lost(const void *a, const void *b)
{
	const struct lost *x = a, *y = b;

	if (x->lid != y->lid)
		return x->lid < y->lid ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* The switches that send the LID of l->of[i] over lost links become its
 * orphans; the place of the next LID. */
static size_t
begin_lost_lid(struct repair *m, const struct losses *l, size_t i)
{
	uint16_t lid = l->of[i].lid;

	repair_begin_lid(m, m->owner[lid], lid);
	for (; i < l->n && l->of[i].lid == lid; i++)
		repair_add_orphan(m, l->of[i].from);
	return i;
}

/* Pairs that lose paths get layers in which there are others. */
static void
choose_layers(struct repair *m, const struct losses *l)
{
	for (size_t i = 0; i < l->n;) {
		uint32_t n;

		i = begin_lost_lid(m, l, i);
		n = repair_add_behind(m);
		for (uint32_t k = 0; k < n; k++)
			repair_add_stuck(m, m->all[k], m->t);
	}
	if (m->open != NULL)
		repair_open_layers(m);
	else
		repair_choose_layers(m);
	m->nstuck = 0;
}

/* All LIDs with entries that lead over lost links. */
static void
repair_lids(struct repair *m)
{
	struct losses l = {0};

	for (sw_ix s = 0; s < m->x->g->nsw; s++)
		if (m->x->g->live[s])
			find_lost_entries(m, s, &l);
	if (l.n > 0)
		qsort(l.of, l.n, sizeof(*l.of), compare_lost);
	if (m->nstuck == 0)
		choose_layers(m, &l);
	for (size_t i = 0; i < l.n;) {
		i = begin_lost_lid(m, &l, i);
		repair_orphans(m);
	}
	if (m->open != NULL)
		repair_close_layers(m);
	free(l.of);
}

/* ---- LIDs that are new, gone, or somewhere else ---- */

/* No switch knows the LID, nor has load by it, any more. */
static void
forget_lid(struct repair *m, uint16_t lid, bool host)
{
	const struct swgraph *g = m->x->g;

	m->lid = lid;
	for (sw_ix u = 0; u < g->nsw; u++) {
		repair_former_load(m, u, host ? g->t->sw[u].nhost : 0, false);
		/* also where the last block goes on beyond the top */
		if (lid / LFT_BLOCK < m->r->nblocks)
			routes_put_entry(m->r, u, lid, LFT_DROP, NULL);
		m->line[u].block = UINT32_MAX;
	}
}

/* All switches find paths to the LID. */
static void
add_lid(struct repair *m, sw_ix t, uint16_t lid)
{
	const struct swgraph *g = m->x->g;

	repair_begin_lid(m, t, lid);
	repair_put_entry(m, t, m->x->lids.eject[lid]);
	for (sw_ix u = 0; u < g->nsw; u++)
		if (g->live[u] && g->comp[u] == g->comp[t] && u != t)
			repair_add_orphan(m, u);
	repair_orphans(m);
}

/* ---- the whole ---- */

/* The layers of pairs by other numbers of switches. */
static void
renumber_layers(const struct repair *m, const struct route_layers *old,
	struct route_layers *l)
{
	uint32_t nsw = m->x->g->nsw;

	*l = (struct route_layers){.n = old->n, .nsw = nsw};
	for (sw_ix t = 0; old->row != NULL && t < nsw; t++) {
		struct layer_row *row = layer_row_new(nsw);

		for (sw_ix u = 0; u < nsw; u++)
			layer_row_put(row, u,
				routes_layer(old, m->was[u], m->was[t]));
		route_layers_put(l, t, row, t > 0 ? l->row[t - 1] : NULL);
	}
}

/* The previous routes, for the topology of now. */
static struct routes *
copy_routes(const struct repair *m)
{
	const struct climb *x = m->x;
	const struct routes *prev = x->job->prev;
	struct routes *r = routes_new(x->g->job->topo, x->g->job->pool);
	bool same = x->g->nsw == prev->topo->nsw;

	r->order = ROUTE_NO_ORDER;
	for (sw_ix s = 0; s < x->g->nsw; s++) {
		same &= m->was[s] == s;
		if (x->g->live[s])
			routes_put_same(r, s, prev, m->was[s]);
	}
	if (same)
		r->layers = route_layers_copy(&prev->layers);
	else
		renumber_layers(m, &prev->layers, &r->layers);
	vl_map_drop(r->layers.map);
	r->layers.map = vl_map_share(x->job->orders->map);
	return r;
}

/* The group of a link of s, an index in topo.adj. */
static uint32_t
group_of_link(const struct swgraph *g, sw_ix s, uint32_t link)
{
	uint32_t c = g->first[s];

	while (link < g->group[c].adj ||
		link >= g->group[c].adj + g->group[c].n)
		c++;
	return c;
}

/* The load of links as it was, and links that were not there; false: one leads
 * to another switch now. */
static bool
copy_load(struct repair *m)
{
	const struct topo *t = m->x->g->t, *was = m->x->job->prev->topo;
	const uint64_t *load = m->x->job->basis->load;
	uint32_t at[ROUTE_PORT_WORDS * 64]; /* by port: one more than in adj */

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_switch *is = &t->sw[s];
		const struct topo_switch *old = &was->sw[m->was[s]];

		memset(at, 0, sizeof(at));
		for (uint32_t i = old->adj; i < old->adj + old->nadj; i++)
			at[was->adj[i].out] = i + 1;
		for (uint32_t i = is->adj; i < is->adj + is->nadj; i++) {
			uint32_t k = at[t->adj[i].out];

			if (k == 0 && topo_sw_live(t, s) &&
				topo_sw_live(t, t->adj[i].peer))
				m->gain[m->ngains++] = (struct gain){
					s, group_of_link(m->x->g, s, i), i};
			if (k == 0)
				continue;
			if (was->adj[k - 1].peer != m->was[t->adj[i].peer])
				return false;
			m->load[i] = load[k - 1];
		}
	}
	return true;
}

/* Whether a new link joins what was apart: there all paths are missing. */
static bool
joins_pieces(const struct repair *m)
{
	const struct topo *was = m->x->job->prev->topo;
	uint32_t *piece = mem_alloc((was->nsw + 1U) * sizeof(*piece));
	bool joins = false;

	if (m->ngains > 0)
		(void)topo_pieces(was, piece);
	for (uint32_t i = 0; i < m->ngains; i++) {
		sw_ix to = m->x->g->group[m->gain[i].group].peer;

		joins |= piece[m->was[m->gain[i].from]] != piece[m->was[to]];
	}
	free(piece);
	return joins;
}

/* Which switch is which; false: there is a new one, or one that lives again. */
static bool
match_switches(struct repair *m)
{
	const struct climb *x = m->x;
	const struct topo *was = x->job->prev->topo;

	memset(m->is, 0xff, was->nsw * sizeof(*m->is));
	for (sw_ix s = 0; s < x->g->nsw; s++) {
		m->was[s] = climb_former_switch(x, s);
		if (m->was[s] == TOPO_NONE ||
			topo_sw_live(was, m->was[s]) != x->g->live[s])
			return false;
		m->is[m->was[s]] = s;
	}
	return true;
}

/* What a switch sends by the previous tables is counted for as many hosts as it
 * has now. */
static void
count_hosts(struct repair *m, const struct switch_lids *old)
{
	const struct topo *t = m->x->g->t, *was = m->x->job->prev->topo;

	for (sw_ix o = 0; o < was->nsw; o++) {
		uint32_t had = was->sw[o].nhost;
		uint32_t has =
			m->is[o] == TOPO_NONE ? 0 : t->sw[m->is[o]].nhost;

		for (uint32_t lid = 1; lid <= was->max_lid && had != has;
			lid++) {
			m->lid = (uint16_t)lid;
			if (!old->host[lid])
				continue;
			repair_former_load(m, o, had, false);
			repair_former_load(m, o, has, true);
		}
	}
}

/* LIDs whose ports have changed. */
static void
change_lids(struct repair *m)
{
	const struct climb *x = m->x;
	const struct topo *was = x->job->prev->topo;
	struct switch_lids old;

	switch_lids_list(&old, was, x->g->a);
	count_hosts(m, &old);
	for (uint32_t lid = 0; lid <= was->max_lid || lid <= x->g->t->max_lid;
		lid++) {
		sw_ix t = lid <= x->g->t->max_lid ? m->owner[lid] : TOPO_NONE;
		sw_ix o = lid <= was->max_lid ? old.of[lid] : TOPO_NONE;

		if (o != TOPO_NONE && (t == TOPO_NONE || m->was[t] != o))
			forget_lid(m, (uint16_t)lid, old.host[lid]);
		if (t == TOPO_NONE)
			continue;
		m->lid = (uint16_t)lid;
		if (m->was[t] != o)
			add_lid(m, t, m->lid);
		else if (x->lids.eject[lid] != old.eject[lid])
			repair_put_entry(m, t, x->lids.eject[lid]);
	}
}

/* Whether a repair can go on from what is known of the previous routes; *renew:
 * see climb_repair. */
static bool
can_repair(struct repair *m, bool *renew)
{
	const struct climb *x = m->x;
	const struct climb_job *job = x->job;
	bool holds;

	if (job->layers != &job->prev->layers || !match_switches(m) ||
		!copy_load(m) || joins_pieces(m))
		return false;
	holds = climb_basis_holds(
		job->basis, m->was, x->d, job->orders, x->dep);
	*renew = !holds && m->ngains > 0 && job->orders->map != NULL;
	return holds;
}

/* The routes in force, repaired; NULL: a pair finds no path. */
static struct routes *
make_repair(struct repair *m)
{
	bool done;

	m->r = copy_routes(m);
	change_lids(m);
	repair_lids(m);
	done = repair_pairs(m);
	if (done) {
		repair_gains(m);
		repair_rebalance(m);
	}
	free(m->stuck);
	if (!done) {
		routes_unref(m->r);
		return NULL;
	}
	routes_count_changes(m->r, m->x->job->prev);
	return m->r;
}

/* Whether a link carries more than kept tables may. */
static bool
is_overloaded(const struct repair *m)
{
	const struct route_job *job = m->x->g->job;

	/* else they are not limited, or by what is not known */
	return job->prev->fresh_load > 0 && job->load_limit >= 1000 &&
	       climb_highest_load(job->topo, m->load) * 1000 >
		       job->prev->fresh_load * job->load_limit;
}

/* The same again with other layers for the pairs that lose paths; the better of
 * both. */
static void
repair_anew(struct repair *m)
{
	const struct topo *t = m->x->g->t;
	struct repair other = repair_make_room(m->x), *worse = &other;
	struct repair better = *m;
	uint16_t *open = mem_zalloc(
		climb_pair(m->x, m->x->g->nsw, 0) + 1, sizeof(*open));
	bool done;

	other.open = open;
	done = can_repair(&other, &(bool){false}) &&
	       make_repair(&other) != NULL;
	free(open);
	if (!done)
		return;
	if (climb_highest_load(t, other.load) <
		climb_highest_load(t, m->load)) {
		better = other;
		worse = m;
	}
	routes_unref(worse->r);
	*m = better;
}

struct routes *
climb_repair(struct climb *x, uint64_t **load, bool *renew)
{
	struct repair m;

	*renew = false;
	if (!x->job->keep || x->job->basis == NULL)
		return NULL;
	m = repair_make_room(x);
	if (!can_repair(&m, renew) || make_repair(&m) == NULL)
		return NULL;
	if (is_overloaded(&m))
		repair_anew(&m);
	*load = m.load;
	return m.r;
}
