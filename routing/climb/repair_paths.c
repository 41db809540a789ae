/*
 * repair_paths: the paths to one LID in a repair: what is behind a lost link is
 * taken out and hung in again, level by level.
 *
 * Nothing is known of a switch until it is asked for; so a LID costs no more
 * than the switches behind its lost links and the paths of their neighbours.
 */
#include <string.h>

#include "routing/climb/repair_priv.h"

/* ---- the paths to a LID ---- */

static void
set_state(struct repair *m, sw_ix u, enum path_state state)
{
	if (m->state[u] == PATH_UNKNOWN)
		m->touched[m->n++] = u;
	m->state[u] = (uint8_t)state;
}

void
repair_begin_lid(struct repair *m, sw_ix t, uint16_t lid)
{
	for (uint32_t i = 0; i < m->n; i++)
		m->state[m->touched[i]] = PATH_UNKNOWN;
	m->n = m->norphans = m->deepest = 0;
	m->t = t;
	m->lid = lid;
	m->level[t] = 0;
	m->cost[t] = 0;
	m->tight[t] = false;
	m->mask[t] = m->x->all;
	m->onward[t] = climb_onward(m->x, t, t, m->next, m->tail);
	set_state(m, t, PATH_KNOWN);
}

void
repair_hang(struct repair *m, sw_ix u, uint32_t c, uint32_t link)
{
	const struct climb *x = m->x;
	sw_ix v = x->g->group[c].peer;
	struct climb_layers l = climb_step(x, c, &m->onward[v]);

	m->next[u] = c;
	m->link[u] = link;
	m->mask[u] = l.mask;
	m->tail[u] = l.tail;
	m->level[u] = m->level[v] + 1;
	if (m->level[u] > m->deepest)
		m->deepest = m->level[u];
	m->cost[u] = m->cost[v] + m->load[link] + 1;
	m->tight[u] = m->tight[v] ||
		      (m->room != NULL && m->load[link] >= m->room[link]);
	m->onward[u] = climb_onward(x, m->t, u, m->next, m->tail);
	set_state(m, u, PATH_KNOWN);
}

/* The link of group c that leaves by a port. */
static uint32_t
find_link(const struct swgraph *g, uint32_t c, uint8_t port)
{
	uint32_t k = g->group[c].adj;

	while (g->t->adj[k].out != port)
		k++;
	return k;
}

void
repair_know_path(struct repair *m, sw_ix u)
{
	const struct swgraph *g = m->x->g;
	uint32_t n = 0;

	while (m->state[u] == PATH_UNKNOWN) {
		uint8_t port = repair_port(m, u, m->lid);
		uint32_t c = climb_port_group(m->x, u, port);

		m->stack[n++] = u;
		m->link[u] = c == CLIMB_NO_GROUP ? 0 : find_link(g, c, port);
		m->next[u] = c;
		if (c == CLIMB_NO_GROUP) {
			set_state(m, u, PATH_ORPHAN);
			break;
		}
		u = g->group[c].peer;
	}
	while (n-- > 0) {
		sw_ix s = m->stack[n];
		uint32_t c = m->next[s];

		if (c == CLIMB_NO_GROUP ||
			m->state[g->group[c].peer] == PATH_ORPHAN)
			set_state(m, s, PATH_ORPHAN);
		else
			repair_hang(m, s, c, m->link[s]);
	}
}

/* ---- what a lost link leaves ---- */

void
repair_add_orphan(struct repair *m, sw_ix u)
{
	if (m->state[u] == PATH_ORPHAN)
		return;
	set_state(m, u, PATH_ORPHAN);
	m->orphan[m->norphans++] = u;
}

/* All that comes through the orphans so far, which are those behind lost links,
 * is an orphan too. */
static void
add_switches_behind(struct repair *m)
{
	const struct topo *t = m->x->g->t;

	for (uint32_t at = 0; at < m->norphans; at++) {
		const struct topo_switch *v = &t->sw[m->orphan[at]];

		for (uint32_t k = v->adj; k < v->adj + v->nadj; k++)
			if (repair_comes_by(m, k, m->lid))
				repair_add_orphan(m, t->adj[k].peer);
	}
}

/* ---- hanging them in again ---- */

struct offer {
	uint32_t group, link; /* CLIMB_NO_GROUP: there is none */
	uint64_t cost;
};

/* The link of group c that is nearest to what u has for the LID, among those
 * with room: the present one, *kept, or the least loaded. TOPO_NONE: there is
 * none. */
static uint32_t
choose_roomy_link(struct repair *m, sw_ix u, uint32_t c, bool *kept)
{
	const struct link_group *links = &m->x->g->group[c];
	uint8_t has = repair_port(m, u, m->lid);
	uint32_t best = TOPO_NONE;

	*kept = false;
	for (uint32_t k = links->adj; k < links->adj + links->n && !*kept;
		k++) {
		if (k == m->shut ||
			m->load[k] + repair_hosts(m, u) > m->room[k])
			continue;
		*kept = m->x->g->t->adj[k].out == has;
		if (*kept || best == TOPO_NONE || m->load[k] < m->load[best])
			best = k;
	}
	return best;
}

/* The best next hop of orphan u to a switch of a level, in some of these
 * layers; regular: see climb_is_regular. */
static struct offer
find_offer(struct repair *m, sw_ix u, uint32_t level, uint16_t layers,
	bool regular)
{
	const struct climb *x = m->x;
	const struct swgraph *g = x->g;
	struct offer best = {CLIMB_NO_GROUP, 0, UINT64_MAX};

	for (uint32_t i = g->first[u]; i < g->first[u + 1]; i++) {
		sw_ix v = g->group[i].peer;
		struct climb_layers l;
		uint64_t cost;
		uint32_t k;
		bool kept;

		if (m->state[v] != PATH_KNOWN || m->level[v] != level ||
			m->tight[v])
			continue;
		l = climb_step(x, i, &m->onward[v]);
		if ((l.mask & layers) == 0 ||
			(regular && !climb_is_regular(x, m->t, i, &m->onward[v],
					    l.tail & layers)))
			continue;
		k = m->room == NULL
			    ? climb_choose_link(x, u, i, m->lid, m->load, &kept)
			    : choose_roomy_link(m, u, i, &kept);
		if (k == TOPO_NONE)
			continue;
		cost = kept ? 0 : m->cost[v] + m->load[k] + 1;
		if (cost < best.cost)
			best = (struct offer){i, k, cost};
	}
	return best;
}

uint16_t
repair_layer(const struct repair *m, sw_ix u)
{
	if (m->open != NULL && *repair_open(m, u, m->t) != 0)
		return *repair_open(m, u, m->t);
	return (uint16_t)(1U << routes_layer(&m->r->layers, u, m->t));
}

/* Hang in the orphans that a level has a place for. */
static void
grow_level(struct repair *m, uint32_t level, bool regular)
{
	uint32_t left = 0;

	for (uint32_t k = 0; k < m->norphans; k++) {
		sw_ix u = m->orphan[k];
		struct offer o =
			find_offer(m, u, level, repair_layer(m, u), regular);

		if (o.group != CLIMB_NO_GROUP) {
			repair_hang(m, u, o.group, o.link);
			if (m->open != NULL)
				*repair_open(m, u, m->t) &= m->mask[u];
		} else
			m->orphan[left++] = u;
	}
	m->norphans = left;
}

/* The orphans in the layers of their pairs, level by level; what is left is
 * stuck. */
static void
hang_orphans(struct repair *m)
{
	const struct swgraph *g = m->x->g;

	for (uint32_t k = 0; k < m->norphans; k++) {
		sw_ix u = m->orphan[k];

		for (uint32_t i = g->first[u]; i < g->first[u + 1]; i++)
			repair_know_path(m, g->group[i].peer);
	}
	for (uint32_t l = 0; l <= m->deepest && m->norphans > 0; l++) {
		if (m->x->job->orders->structure != 0)
			grow_level(m, l, true);
		grow_level(m, l, false);
	}
}

/* ---- loads and entries ---- */

uint64_t
repair_hosts(const struct repair *m, sw_ix u)
{
	const struct climb *x = m->x;

	return x->lids.host[m->lid] ? x->g->t->sw[u].nhost : 0;
}

void
repair_former_load(struct repair *m, sw_ix o, uint64_t hosts, bool add)
{
	const struct climb *x = m->x;
	const struct routes *prev = x->job->prev;
	uint32_t steps = 0;
	uint64_t *load;

	for (; hosts > 0 && o != TOPO_NONE && steps < prev->topo->nsw;
		o = routes_next_switch(prev, o, m->lid), steps++) {
		sw_ix s = m->is[o];
		uint8_t port = routes_port(prev, o, m->lid);
		uint32_t c = s == TOPO_NONE ? CLIMB_NO_GROUP
					    : climb_port_group(x, s, port);

		if (c == CLIMB_NO_GROUP)
			continue;
		load = &m->load[find_link(x->g, c, port)];
		*load = add ? *load + hosts : *load - hosts;
	}
}

uint32_t
repair_entry_link(const struct repair *m, sw_ix u)
{
	uint8_t port = repair_port(m, u, m->lid);
	uint32_t c = climb_port_group(m->x, u, port);

	return c == CLIMB_NO_GROUP ? TOPO_NONE : find_link(m->x->g, c, port);
}

void
repair_move_load(struct repair *m, sw_ix u, uint64_t hosts, bool add)
{
	const struct topo *t = m->x->g->t;
	uint32_t n = 0, k;

	if (hosts == 0)
		return;
	for (; u != m->t; u = t->adj[k].peer) {
		k = repair_entry_link(m, u);
		if (k == TOPO_NONE)
			return;
		m->trail[n++] = k;
	}
	while (n-- > 0) {
		uint64_t *load = &m->load[m->trail[n]];

		*load = add ? *load + hosts : *load - hosts;
	}
}

void
repair_put_entry(struct repair *m, sw_ix u, uint8_t out)
{
	if (out == repair_port(m, u, m->lid))
		return;
	routes_put_entry(m->r, u, m->lid, out, NULL);
	m->line[u].block = UINT32_MAX;
}

/* u has been hung in. */
static void
put_path(struct repair *m, sw_ix u)
{
	const struct swgraph *g = m->x->g;
	uint64_t hosts = repair_hosts(m, u);

	repair_put_entry(m, u, g->t->adj[m->link[u]].out);
	for (sw_ix s = u; hosts > 0 && s != m->t; s = g->group[m->next[s]].peer)
		m->load[m->link[s]] += hosts;
}

void
repair_add_stuck(struct repair *m, sw_ix a, sw_ix b)
{
	m->stuck = mem_grow(
		m->stuck, m->nstuck, &m->stuck_room, sizeof(*m->stuck));
	m->stuck[m->nstuck++] = stuck_pair(a, b);
}

/* The entry of a stuck switch leads nowhere for now, and is noted, unless no
 * link leads to t any more. */
static void
note_stuck(struct repair *m, sw_ix u)
{
	const uint32_t *comp = m->x->g->comp;

	repair_put_entry(m, u, LFT_DROP);
	if (comp[u] == comp[m->t])
		repair_add_stuck(m, u, m->t);
}

uint32_t
repair_add_behind(struct repair *m)
{
	add_switches_behind(m);
	memcpy(m->all, m->orphan, m->norphans * sizeof(*m->all));
	return m->norphans;
}

uint32_t
repair_take_out(struct repair *m, sw_ix u, uint16_t lid)
{
	uint32_t n;

	repair_begin_lid(m, m->owner[lid], lid);
	repair_add_orphan(m, u);
	n = repair_add_behind(m);
	for (uint32_t i = 0; i < n; i++)
		repair_move_load(
			m, m->all[i], repair_hosts(m, m->all[i]), false);
	return n;
}

void
repair_put_in(struct repair *m, uint32_t n, bool moved)
{
	for (uint32_t i = 0; i < n && moved; i++)
		repair_put_entry(
			m, m->all[i], m->x->g->t->adj[m->link[m->all[i]]].out);
	for (uint32_t i = 0; i < n; i++)
		repair_move_load(
			m, m->all[i], repair_hosts(m, m->all[i]), true);
}

bool
repair_hang_all(struct repair *m)
{
	hang_orphans(m);
	return m->norphans == 0;
}

void
repair_orphans(struct repair *m)
{
	uint32_t n = repair_add_behind(m);

	for (uint32_t k = 0; k < n; k++)
		repair_former_load(m, m->was[m->all[k]],
			repair_hosts(m, m->all[k]), false);
	hang_orphans(m);
	for (uint32_t k = 0; k < n; k++)
		if (m->state[m->all[k]] == PATH_KNOWN)
			put_path(m, m->all[k]);
		else
			note_stuck(m, m->all[k]);
}
