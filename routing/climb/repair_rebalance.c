/*
 * repair_rebalance: entries are moved off links that carry too much, as after a
 * repair, which adds all that went over a lost link to few others, or in new
 * tables (climb_rebalance.c).
 *
 * Of a link that carries more than the goal one LID after the other is taken,
 * those first whose entries change anyway: the switch that sends over the link
 * is hung in again without it, with all that comes through it; or else one of
 * the switches before it. Pairs keep their layers. What finds no path over
 * links with room stays as it is. So loads only fall, and what is left too high
 * is the driver's to judge (compute.h).
 */
#include <stdlib.h>
#include <string.h>

#include "routing/climb/repair_priv.h"
#include "routing/core/link_load.h"
#include "sm/base/mem.h"

/* LIDs that are tried in vain: of a link one after the other, of all; more for
 * kept tables, where success saves that all are replaced. */
enum {
	VAIN = 32,
	VAIN_IN_ALL = 1024,
	VAIN_KEPT = 256,
	VAIN_KEPT_IN_ALL = 4096
};

struct hot {
	uint64_t over; /* pairs more than there is room for */
	uint32_t link; /* index in topo.adj */
	sw_ix from;
};

struct rebalancing {
	struct repair *m;
	uint32_t longer; /* links by which a move may make a path longer */
	struct hot *hot;
	uint32_t nhot;
	uint32_t vain, vain_in_all;
};

/* ---- goals ---- */

/* The pairs that each link may carry, by the load of all. */
static void
set_room(struct repair *m, uint64_t goal)
{
	const struct topo *t = m->x->g->t;

	if (m->room == NULL)
		m->room =
			arena_array(m->x->g->a, t->nadj + 1U, sizeof(*m->room));
	for (uint32_t k = 0; k < t->nadj; k++)
		m->room[k] = link_load_room(goal, t->adj[k].rate, t->rate_max);
}

static int
by_excess(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;

	if (x->over != y->over)
		return x->over > y->over ? -1 : 1;
	return (x->link > y->link) - (x->link < y->link);
}

/* The links that carry too much, those that do most first. */
static void
find_hot_links(struct rebalancing *f)
{
	const struct repair *m = f->m;
	const struct topo *t = m->x->g->t;

	f->hot = mem_alloc((t->nadj + 1U) * sizeof(*f->hot));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t k = t->sw[s].adj;
			k < t->sw[s].adj + t->sw[s].nadj; k++)
			if (m->x->g->live[s] && m->load[k] > m->room[k])
				f->hot[f->nhot++] = (struct hot){
					m->load[k] - m->room[k], k, s};
	if (f->nhot > 0)
		qsort(f->hot, f->nhot, sizeof(*f->hot), by_excess);
}

/* ---- one LID ---- */

/* The pairs of n orphans go over the paths by which they were hung in, or do
 * not; false: a link has no room for them. */
static bool
move_load_anew(struct repair *m, uint32_t n, bool add)
{
	bool fits = true;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t hosts = repair_hosts(m, m->all[i]);

		for (sw_ix u = m->all[i]; u != m->t;
			u = m->x->g->group[m->next[u]].peer) {
			uint64_t *load = &m->load[m->link[u]];

			*load = add ? *load + hosts : *load - hosts;
			fits &= *load <= m->room[m->link[u]];
		}
	}
	return fits;
}

/* u sends the LID over another link than k, where all that comes through it
 * finds a path; false: nothing has changed. */
static bool
move_switch(struct rebalancing *f, sw_ix u, uint32_t k, uint16_t lid)
{
	struct repair *m = f->m;
	uint32_t n, before;
	bool moved;

	repair_begin_lid(m, m->owner[lid], lid);
	repair_know_path(m, u);
	before = m->level[u];
	n = repair_take_out(m, u, lid);
	m->shut = k;
	moved = repair_hang_all(m) && m->level[u] <= before + f->longer;
	if (moved) {
		moved = move_load_anew(m, n, true);
		(void)move_load_anew(m, n, false);
	}
	repair_put_in(m, n, moved);
	return moved;
}

/* Less of the LID goes over link k of s; false: nothing has changed. */
static bool
move_lid(struct rebalancing *f, sw_ix s, uint32_t k, uint16_t lid)
{
	struct repair *m = f->m;
	const struct swgraph *g = m->x->g;
	bool moved = move_switch(f, s, k, lid);

	for (uint32_t i = g->first[s]; i < g->first[s + 1] && !moved; i++) {
		sw_ix u = g->group[i].peer;
		uint8_t port = repair_port(m, u, lid);

		if (u != m->owner[lid] &&
			climb_port_group(m->x, u, port) == m->x->d->back[i]) {
			m->lid = lid;
			moved = move_switch(f, u, repair_entry_link(m, u), lid);
		}
	}
	return moved;
}

/* ---- one link ---- */

/* Whether the entry of s for a LID is another one than before, where entries
 * are kept. */
static bool
is_new_entry(const struct repair *m, sw_ix s, uint16_t lid)
{
	return m->x->job->keep &&
	       repair_port(m, s, lid) !=
		       routes_port(m->x->job->prev, m->was[s], lid);
}

/* LIDs are moved off link k of s, those whose entries are new or the others. */
static void
unload_link(struct rebalancing *f, const struct hot *h, bool new)
{
	struct repair *m = f->m;
	uint8_t out = m->x->g->t->adj[h->link].out;
	bool keep = m->x->job->keep;
	uint32_t most = keep ? VAIN_KEPT : VAIN;
	uint32_t in_all = keep ? VAIN_KEPT_IN_ALL : VAIN_IN_ALL;

	f->vain = 0;
	for (uint32_t lid = 1;
		lid <= m->r->top && f->vain < most && f->vain_in_all < in_all &&
		m->load[h->link] > m->room[h->link];
		lid++) {
		if (m->owner[lid] == TOPO_NONE || !m->x->lids.host[lid] ||
			m->owner[lid] == h->from ||
			repair_port(m, h->from, (uint16_t)lid) != out ||
			is_new_entry(m, h->from, (uint16_t)lid) != new)
			continue;
		if (move_lid(f, h->from, h->link, (uint16_t)lid)) {
			f->vain = 0;
		} else {
			f->vain++;
			f->vain_in_all++;
		}
	}
}

/* Whether a link carries as much too much as the busiest one did. */
static bool
is_stuck(const struct rebalancing *f, const struct hot *h)
{
	const struct repair *m = f->m;

	return m->load[h->link] >= m->room[h->link] + f->hot[0].over;
}

void
repair_unload(struct repair *m, uint64_t goal, uint32_t longer)
{
	struct rebalancing f = {.m = m, .longer = longer};

	set_room(m, goal);
	find_hot_links(&f);
	for (uint32_t i = 0; i < f.nhot; i++) {
		unload_link(&f, &f.hot[i], true);
		unload_link(&f, &f.hot[i], false);
		/* new tables are no better by what is below that */
		if (!m->x->job->keep && is_stuck(&f, &f.hot[i]))
			break;
	}
	free(f.hot);
}

void
repair_rebalance(struct repair *m)
{
	const struct route_job *job = m->x->g->job;
	uint64_t fresh = job->prev->fresh_load;

	/* halfway between fresh tables and the limit, if they are known */
	if (fresh > 0 && job->load_limit >= 1000)
		repair_unload(m, fresh * (job->load_limit + 1000) / 2000,
			m->x->g->nsw);
}
