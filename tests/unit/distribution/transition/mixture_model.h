/*
 * mixture_model: what the switches of a fabric hold while a plan is carried
 * out, and a judge of what packets can do there.
 *
 * The model knows nothing of layers, maps of VLs and transitions. A switch has
 * a forwarding table and rows of SL2VL, each entry with all values that it had
 * since the last drain (met), and the one in force (is). Packets are followed
 * by LID and SL from every switch through all of these values; what waits for
 * what are pairs of a link direction and a VL. So the graph of the values met
 * holds the dependencies of every mixture of blocks that switches can hold, and
 * of packets that were routed by one mixture and are still there in the next.
 *
 * Links may go, never come; switches and numbers of ports stay. Everything is
 * kept by the numbers of the first topology.
 */
#ifndef HEDDLE_TESTS_UNIT_DISTRIBUTION_TRANSITION_MIXTURE_MODEL_H
#define HEDDLE_TESTS_UNIT_DISTRIBUTION_TRANSITION_MIXTURE_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_store.h"
#include "routing/core/routes.h"
#include "routing/core/slvl.h"
#include "routing/mcast/mcast.h"
#include "sm/base/mem.h"
#include "tests/unit/owned.h"

enum { MIXTURE_PORTS = 63, MIXTURE_SLS = 16, MIXTURE_VLS = 16 };

/* VLs of each SL from an in-port to an out-port; met: a bit each. */
struct mixture_row {
	uint16_t met[MIXTURE_SLS];
	uint8_t is[MIXTURE_SLS];
};

struct mixture {
	const struct topo *t; /* now */
	sw_ix *home;	      /* [t->nsw] numbers of the first topology */
	uint32_t nsw, nlids;
	uint64_t *met, *is; /* [nsw * nlids] out-ports, a bit each */
	uint32_t *off;	    /* [nsw] of the rows of a switch */
	uint8_t *nports;    /* [nsw] */
	struct mixture_row *row;
	uint16_t *sls; /* [nsw * nsw] SLs that packets to a switch may bear */
	bool *down;    /* [nsw * MIXTURE_PORTS] the link carries nothing */
};

static inline uint64_t *
mixture_entry(const struct mixture *m, uint64_t *of, sw_ix s, uint32_t lid)
{
	return &of[(size_t)m->home[s] * m->nlids + lid];
}

static inline struct mixture_row *
mixture_row(const struct mixture *m, sw_ix s, unsigned in, unsigned out)
{
	sw_ix h = m->home[s];

	return &m->row[m->off[h] + in * (m->nports[h] + 1U) + out];
}

static inline uint16_t *
mixture_sls(const struct mixture *m, sw_ix from, sw_ix to)
{
	return &m->sls[(size_t)m->home[from] * m->nsw + m->home[to]];
}

static inline unsigned
mixture_vl(const uint8_t row[SLVL_ROW], unsigned sl)
{
	return sl % 2 == 0 ? row[sl / 2] >> 4 : row[sl / 2] & 15U;
}

/* The links are those of t from now on; first: the numbers are, too. */
static inline void
mixture_adopt(struct mixture *m, const struct topo *t, const struct topo *first)
{
	m->t = t;
	for (sw_ix s = 0; s < t->nsw; s++)
		m->home[s] = topo_switch_in(first, t, s);
}

static inline void
mixture_open(struct mixture *m, const struct topo *t)
{
	uint32_t n = 0;

	*m = (struct mixture){.nsw = t->nsw, .nlids = t->max_lid + 1U};
	m->home = mem_alloc(t->nsw * sizeof(*m->home));
	m->met = mem_zalloc((size_t)t->nsw * m->nlids, sizeof(*m->met));
	m->is = mem_zalloc((size_t)t->nsw * m->nlids, sizeof(*m->is));
	m->off = mem_alloc(t->nsw * sizeof(*m->off));
	m->nports = mem_alloc(t->nsw);
	m->sls = mem_zalloc((size_t)t->nsw * t->nsw, sizeof(*m->sls));
	m->down = mem_zalloc((size_t)t->nsw * MIXTURE_PORTS, sizeof(*m->down));
	for (sw_ix s = 0; s < t->nsw; s++) {
		m->nports[s] = t->node[t->sw[s].node].nports;
		m->off[s] = n;
		n += (m->nports[s] + 1U) * (m->nports[s] + 1U);
	}
	m->row = mem_zalloc(n, sizeof(*m->row));
	mixture_adopt(m, t, t);
}

static inline void
mixture_close(struct mixture *m)
{
	free(m->home);
	free(m->met);
	free(m->is);
	free(m->off);
	free(m->nports);
	free(m->row);
	free(m->sls);
	free(m->down);
}

/* The link at a port goes down, or comes up again. */
static inline void
mixture_set_link(struct mixture *m, sw_ix s, unsigned port, bool down)
{
	m->down[m->home[s] * MIXTURE_PORTS + port] = down;
}

/* The switch holds this block of its table now. */
static inline void
mixture_put_block(
	struct mixture *m, sw_ix s, uint32_t b, const uint8_t line[LFT_BLOCK])
{
	for (uint32_t i = 0; i < LFT_BLOCK; i++) {
		uint32_t lid = b * LFT_BLOCK + i;

		if (lid >= m->nlids)
			return;
		*mixture_entry(m, m->is, s, lid) =
			line[i] < MIXTURE_PORTS ? UINT64_C(1) << line[i] : 0;
		*mixture_entry(m, m->met, s, lid) |=
			*mixture_entry(m, m->is, s, lid);
	}
}

/* The switch holds this row now. */
static inline void
mixture_put_row(struct mixture *m, sw_ix s, unsigned in, unsigned out,
	const uint8_t bytes[SLVL_ROW])
{
	struct mixture_row *row = mixture_row(m, s, in, out);

	for (unsigned sl = 0; sl < MIXTURE_SLS; sl++) {
		row->is[sl] = (uint8_t)mixture_vl(bytes, sl);
		row->met[sl] |= (uint16_t)(1U << row->is[sl]);
	}
}

/* Packets that met older values have left. */
static inline void
mixture_drain(struct mixture *m)
{
	size_t n = (size_t)m->nsw * m->nlids;
	uint32_t rows =
		m->off[m->nsw - 1] +
		(m->nports[m->nsw - 1] + 1U) * (m->nports[m->nsw - 1] + 1U);

	memcpy(m->met, m->is, n * sizeof(*m->met));
	for (uint32_t i = 0; i < rows; i++)
		for (unsigned sl = 0; sl < MIXTURE_SLS; sl++)
			m->row[i].met[sl] = (uint16_t)(1U << m->row[i].is[sl]);
}

/* ---- the graph ---- */

struct mixture_graph {
	const struct mixture *m;
	bool now;      /* values in force alone, not all that were met */
	uint32_t *by;  /* [nsw * MIXTURE_PORTS] index in topo.adj by out-port,
			  or UINT32_MAX */
	uint16_t *vls; /* [nadj] VLs in operation, a bit each */
	uint16_t *dep; /* [nadj * MIXTURE_VLS * most] by channel and link on:
			  VLs waited for, a bit each */
	uint32_t most; /* links of a switch */
	uint16_t *on;  /* [nadj * MIXTURE_SLS] VLs that packets for the LID in
			  question have there, a bit each */
	uint32_t *queue, *queued, n; /* link * MIXTURE_SLS + SL */
};

static inline void
mixture_graph_open(struct mixture_graph *g, const struct mixture *m, bool now)
{
	const struct topo *t = m->t;

	*g = (struct mixture_graph){.m = m, .now = now};
	g->by = mem_alloc(t->nsw * MIXTURE_PORTS * sizeof(*g->by));
	memset(g->by, 0xff, t->nsw * MIXTURE_PORTS * sizeof(*g->by));
	g->vls = mem_zalloc(t->nadj + 1U, sizeof(*g->vls));
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_switch *sw = &t->sw[s];

		g->most = sw->nadj > g->most ? sw->nadj : g->most;
		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			port_ix p = topo_port_of(t, sw->node, t->adj[i].out);

			g->by[s * MIXTURE_PORTS + t->adj[i].out] = i;
			if (m->down[m->home[s] * MIXTURE_PORTS + t->adj[i].out])
				continue;
			g->vls[i] =
				(uint16_t)((1U << slvl_vls(t->port[p].op_vls)) -
					   1);
		}
	}
	g->dep = mem_zalloc(
		(size_t)t->nadj * MIXTURE_VLS * g->most + 1, sizeof(*g->dep));
	g->on = mem_zalloc(t->nadj * MIXTURE_SLS + 1U, sizeof(*g->on));
	g->queue = mem_alloc((t->nadj * MIXTURE_SLS + 1U) * sizeof(*g->queue));
	g->queued = mem_zalloc(t->nadj * MIXTURE_SLS + 1U, sizeof(*g->queued));
}

static inline void
mixture_graph_close(struct mixture_graph *g)
{
	free(g->by);
	free(g->vls);
	free(g->dep);
	free(g->on);
	free(g->queue);
	free(g->queued);
}

/* The VLs that packets with an SL get from port `in` of s to link i. */
static inline uint16_t
mixture_vls(const struct mixture_graph *g, sw_ix s, unsigned in, uint32_t i,
	unsigned sl)
{
	const struct mixture_row *row =
		mixture_row(g->m, s, in, g->m->t->adj[i].out);
	unsigned vls = g->now ? 1U << row->is[sl] : row->met[sl];

	return (uint16_t)(vls & g->vls[i]);
}

static inline void
mixture_arrive(struct mixture_graph *g, uint32_t i, unsigned sl, uint16_t vls)
{
	uint32_t at = i * MIXTURE_SLS + sl;

	if ((vls & ~g->on[at]) == 0)
		return;
	g->on[at] |= vls;
	if (g->queued[at] != 0)
		return;
	g->queued[at] = 1;
	g->queue[g->n++] = at;
}

/* Packets with an SL go on from link i by link j, which leaves its switch. */
static inline void
mixture_go_on(struct mixture_graph *g, uint32_t i, uint32_t j, unsigned sl)
{
	const struct topo_adj *a = &g->m->t->adj[i];
	uint16_t vls = mixture_vls(g, a->peer, a->peer_port, j, sl);
	uint32_t k = j - g->m->t->sw[a->peer].adj;

	for (unsigned vl = 0; vl < MIXTURE_VLS; vl++)
		if ((g->on[i * MIXTURE_SLS + sl] >> vl & 1) != 0)
			g->dep[((size_t)i * MIXTURE_VLS + vl) * g->most + k] |=
				vls;
	mixture_arrive(g, j, sl, vls);
}

/* Out-ports of a set of ports that lead to switches: calls go for each. */
static inline void
mixture_fan_out(
	struct mixture_graph *g, uint32_t i, uint64_t ports, unsigned sl)
{
	const struct topo_adj *a = &g->m->t->adj[i];

	ports &= ~(UINT64_C(1) << a->peer_port);
	for (; ports != 0; ports &= ports - 1) {
		unsigned p = (unsigned)__builtin_ctzll(ports);
		uint32_t j = g->by[a->peer * MIXTURE_PORTS + p];

		if (j != UINT32_MAX)
			mixture_go_on(g, i, j, sl);
	}
}

/* Packets with these SLs start at a port of switch s. */
static inline void
mixture_start(struct mixture_graph *g, sw_ix s, unsigned in, uint64_t ports,
	uint16_t sls)
{
	for (; ports != 0; ports &= ports - 1) {
		uint32_t j = g->by[s * MIXTURE_PORTS +
				   (unsigned)__builtin_ctzll(ports)];

		for (unsigned sl = 0; j != UINT32_MAX && sl < MIXTURE_SLS; sl++)
			if ((sls >> sl & 1) != 0)
				mixture_arrive(
					g, j, sl, mixture_vls(g, s, in, j, sl));
	}
}

/* All that was started moves on, by the ports of each switch. */
static inline void
mixture_follow(struct mixture_graph *g,
	uint64_t (*ports)(const struct mixture_graph *g, sw_ix s, void *cookie),
	void *cookie)
{
	uint32_t n = 0, *done = mem_alloc((g->n + 1U) * sizeof(*done));
	size_t cap = g->n;

	while (g->n > 0) {
		uint32_t at = g->queue[--g->n], i = at / MIXTURE_SLS;

		g->queued[at] = 0;
		done = mem_grow(done, n, &cap, sizeof(*done));
		done[n++] = at;
		mixture_fan_out(g, i, ports(g, g->m->t->adj[i].peer, cookie),
			at % MIXTURE_SLS);
	}
	while (n > 0)
		g->on[done[--n]] = 0;
	free(done);
}

static inline uint64_t
mixture_lid_ports(const struct mixture_graph *g, sw_ix s, void *cookie)
{
	return *mixture_entry(g->m, g->now ? g->m->is : g->m->met, s,
		*(const uint32_t *)cookie);
}

/* Add the dependencies of packets to one LID, from every switch. */
static inline void
mixture_add_lid(struct mixture_graph *g, uint32_t lid)
{
	const struct topo *t = g->m->t;
	port_ix end = topo_by_lid(t, (uint16_t)lid, NULL);
	sw_ix d = end == TOPO_NONE ? TOPO_NONE : topo_switch_of(t, end);

	for (sw_ix s = 0; d != TOPO_NONE && s < t->nsw; s++)
		for (uint32_t e = 0; e < t->sw[s].nend; e++)
			mixture_start(g, s, t->end[t->sw[s].end + e].out,
				mixture_lid_ports(g, s, &lid),
				*mixture_sls(g->m, s, d));
	mixture_follow(g, mixture_lid_ports, &lid);
}

/* The mask of a switch in a tree of an older topology, by GUID. */
static inline uint64_t
mixture_tree_ports(const struct mixture_graph *g, sw_ix s, void *cookie)
{
	const struct mcast_tree *tree = cookie;
	sw_ix was = topo_switch_in(tree->topo, g->m->t, s);

	for (size_t i = 0; i < tree->n; i++)
		if (tree->branch[i].sw == was)
			return tree->branch[i].mask[0];
	return 0;
}

/* Add those of packets to a group, with one SL, from ports of all switches. */
static inline void
mixture_add_tree(struct mixture_graph *g, struct mcast_tree *tree, unsigned sl)
{
	const struct topo *t = g->m->t;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t e = 0; e < t->sw[s].nend; e++)
			mixture_start(g, s, t->end[t->sw[s].end + e].out,
				mixture_tree_ports(g, s, tree),
				(uint16_t)(1U << sl));
	mixture_follow(g, mixture_tree_ports, tree);
}

/* Calls of this count, or count back, the channels that wait for others. */
static inline void
mixture_count(const struct mixture_graph *g, uint32_t c, uint32_t *waiting,
	uint32_t *queue, uint32_t *tail)
{
	const struct topo *t = g->m->t;
	const struct topo_switch *sw = &t->sw[t->adj[c / MIXTURE_VLS].peer];

	for (uint32_t k = 0; k < sw->nadj; k++) {
		uint16_t vls = g->dep[(size_t)c * g->most + k];

		for (unsigned vl = 0; vl < MIXTURE_VLS; vl++) {
			uint32_t to = (sw->adj + k) * MIXTURE_VLS + vl;

			if ((vls >> vl & 1) == 0)
				continue;
			if (queue == NULL)
				waiting[to]++;
			else if (--waiting[to] == 0)
				queue[(*tail)++] = to;
		}
	}
}

/* Channels that remain when those for which none waits are taken off. */
static inline uint32_t
mixture_cyclic(const struct mixture_graph *g)
{
	uint32_t n = g->m->t->nadj * MIXTURE_VLS, tail = 0;
	AUTO(mem) uint32_t *waiting = mem_zalloc(n + 1U, sizeof(*waiting));
	AUTO(mem) uint32_t *queue = mem_alloc((n + 1U) * sizeof(*queue));

	for (uint32_t c = 0; c < n; c++)
		mixture_count(g, c, waiting, NULL, NULL);
	for (uint32_t c = 0; c < n; c++)
		if (waiting[c] == 0)
			queue[tail++] = c;
	for (uint32_t i = 0; i < tail; i++)
		mixture_count(g, queue[i], waiting, queue, &tail);
	return n - tail;
}

/* ---- one packet ---- */

enum mixture_end { MIXTURE_ARRIVED, MIXTURE_LOST, MIXTURE_LOOP };

/* A packet from port `in` of switch s to a LID, by the values in force. */
static inline enum mixture_end
mixture_walk(const struct mixture_graph *g, sw_ix s, unsigned in, uint32_t lid,
	unsigned sl)
{
	const struct topo *t = g->m->t;
	sw_ix d = topo_switch_of(t, topo_by_lid(t, (uint16_t)lid, NULL));

	for (unsigned hops = 0; s != d; hops++) {
		uint64_t out = *mixture_entry(g->m, g->m->is, s, lid);
		uint32_t i = out == 0 ? UINT32_MAX
				      : g->by[s * MIXTURE_PORTS +
						(unsigned)__builtin_ctzll(out)];

		if (i == UINT32_MAX || t->adj[i].out == in ||
			mixture_vls(g, s, in, i, sl) == 0)
			return MIXTURE_LOST;
		if (hops > t->nsw)
			return MIXTURE_LOOP;
		s = t->adj[i].peer;
		in = t->adj[i].peer_port;
	}
	return MIXTURE_ARRIVED;
}

#endif
