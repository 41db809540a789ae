/*
 * hand_topo: small topologies and tables built by hand, for unit tests of pure
 * routing code. It shares nothing with discovery, so that an error there does
 * not hide one here.
 *
 *   struct hand h = {0};
 *   node_ix a = hand_node(&h, TOPO_SWITCH, 4, "a"), ...
 *   hand_link(&h, a, 1, b, 2);
 *   struct topo *t = hand_topo(&h);   LIDs from 1: hosts leaf by leaf, the
 *   hand_lids(t);                     aggregation nodes, then the switches
 */
#ifndef HEDDLE_TESTS_UNIT_HAND_TOPO_H
#define HEDDLE_TESTS_UNIT_HAND_TOPO_H

#include <stdlib.h>
#include <string.h>

#include "discovery/topo.h"
#include "routing/core/lft.h"
#include "sm/base/mem.h"
#include "tests/unit/owned.h"

struct hand_node {
	uint64_t guid;
	uint8_t type, nports, flags;
	char desc[24];
};

struct hand_link {
	uint32_t node[2];
	uint8_t port[2];
};

struct hand {
	struct hand_node *node;
	struct hand_link *cable;
	size_t nnodes, capnodes, ncables, capcables;
};

static inline node_ix
hand_node(struct hand *h, uint8_t type, uint8_t nports, const char *desc)
{
	struct hand_node *n;

	h->node = mem_grow(h->node, h->nnodes, &h->capnodes, sizeof(*n));
	n = &h->node[h->nnodes];
	memset(n, 0, sizeof(*n));
	n->guid = 0x1000 + h->nnodes * 0x10;
	n->type = type;
	n->nports = nports;
	strncpy(n->desc, desc, sizeof(n->desc) - 1);
	return (node_ix)h->nnodes++;
}

static inline void
hand_link(struct hand *h, node_ix a, unsigned ap, node_ix b, unsigned bp)
{
	h->cable = mem_grow(
		h->cable, h->ncables, &h->capcables, sizeof(*h->cable));
	h->cable[h->ncables++] =
		(struct hand_link){{a, b}, {(uint8_t)ap, (uint8_t)bp}};
}

static inline int
hand_adj_order(const void *pa, const void *pb)
{
	const struct topo_adj *a = pa, *b = pb;

	if (a->peer != b->peer)
		return a->peer < b->peer ? -1 : 1;
	return (int)a->out - (int)b->out;
}

static inline void
hand_nodes(const struct hand *h, struct topo *t)
{
	t->nnodes = (uint32_t)h->nnodes;
	t->node = mem_zalloc(t->nnodes, sizeof(*t->node));
	t->text = mem_zalloc(t->nnodes, sizeof(h->node->desc));
	for (node_ix n = 0; n < t->nnodes; n++) {
		const struct hand_node *from = &h->node[n];

		t->node[n] = (struct topo_node){.guid = from->guid,
			.type = from->type,
			.nports = from->nports,
			.flags = from->flags,
			.first_port = t->nports,
			.via = TOPO_NONE,
			.sw = from->type == TOPO_SWITCH ? t->nsw++ : TOPO_NONE,
			.desc = (uint32_t)(n * sizeof(from->desc))};
		memcpy(t->text + t->node[n].desc, from->desc,
			sizeof(from->desc));
		t->nports += from->nports + 1U;
	}
}

static inline void
hand_ports(const struct hand *h, struct topo *t)
{
	t->port = mem_zalloc(t->nports, sizeof(*t->port));
	for (node_ix n = 0; n < t->nnodes; n++) {
		const struct topo_node *node = &t->node[n];
		bool sw = node->type == TOPO_SWITCH;

		for (unsigned i = 0; i <= node->nports; i++) {
			struct topo_port *p = &t->port[node->first_port + i];

			p->peer = TOPO_NONE;
			p->node = n;
			p->num = (uint8_t)i;
			if (sw == (i == 0))
				p->guid = node->guid + i;
			p->flags = !sw && i == 0 ? TP_ABSENT : 0;
		}
	}
	for (size_t i = 0; i < h->ncables; i++) {
		const struct hand_link *c = &h->cable[i];
		port_ix a = topo_port_of(t, c->node[0], c->port[0]);
		port_ix b = topo_port_of(t, c->node[1], c->port[1]);

		t->port[a].peer = b;
		t->port[b].peer = a;
	}
}

static inline void
hand_switch(struct topo *t, sw_ix s, node_ix n)
{
	struct topo_switch *sw = &t->sw[s];
	const struct topo_node *node = &t->node[n];

	*sw = (struct topo_switch){
		.node = n, .adj = t->nadj, .end = t->nend, .lft_cap = 0xc000};
	t->end[t->nend++] = (struct topo_end){.port = node->first_port};
	for (unsigned i = 1; i <= node->nports; i++) {
		port_ix peer = t->port[node->first_port + i].peer;
		const struct topo_port *far;

		if (peer == TOPO_NONE || t->port[peer].node == n)
			continue;
		far = &t->port[peer];
		if (t->node[far->node].type == TOPO_SWITCH)
			t->adj[t->nadj++] = (struct topo_adj){
				t->node[far->node].sw, (uint8_t)i, far->num, 1};
		else
			t->end[t->nend++] =
				(struct topo_end){peer, (uint8_t)i, true};
	}
	sw->nadj = (uint16_t)(t->nadj - sw->adj);
	sw->nend = (uint16_t)(t->nend - sw->end);
	sw->nhost = (uint16_t)(sw->nend - 1U); /* all but its own port */
	if (sw->nadj > 0)
		qsort(t->adj + sw->adj, sw->nadj, sizeof(*t->adj),
			hand_adj_order);
}

/* Builds the topology and frees the recipe. */
static inline struct topo *
hand_topo(struct hand *h)
{
	struct topo *t = mem_zalloc(1, sizeof(*t));

	t->refs = 1;
	t->rate_min = t->rate_max = t->rate_host = 1;
	hand_nodes(h, t);
	hand_ports(h, t);
	t->sw = mem_zalloc(t->nsw + 1U, sizeof(*t->sw));
	t->adj = mem_zalloc(t->nports, sizeof(*t->adj));
	t->end = mem_zalloc(t->nports, sizeof(*t->end));
	for (node_ix n = 0; n < t->nnodes; n++)
		if (t->node[n].sw != TOPO_NONE)
			hand_switch(t, t->node[n].sw, n);
	free(h->node);
	free(h->cable);
	memset(h, 0, sizeof(*h));
	return t;
}

static inline void
hand_free(struct topo *t)
{
	free(t->node);
	free(t->port);
	free(t->sw);
	free(t->adj);
	free(t->end);
	free(t->text);
	free(t->by_lid);
	free(t);
}
AUTO_POINTER(hand, struct topo, hand_free)

/* by_lid and max_lid from the LIDs and LMCs of the ports. */
static inline void
hand_index(struct topo *t)
{
	unsigned max = 0;

	for (port_ix p = 0; p < t->nports; p++)
		if (t->port[p].lid > 0) {
			unsigned last =
				t->port[p].lid + (1U << t->port[p].lmc) - 1;

			max = last > max ? last : max;
		}
	free(t->by_lid);
	t->max_lid = (uint16_t)max;
	t->by_lid = mem_alloc((max + 1U) * sizeof(*t->by_lid));
	memset(t->by_lid, 0xff, (max + 1U) * sizeof(*t->by_lid));
	for (port_ix p = 0; p < t->nports; p++)
		for (unsigned i = 0;
			t->port[p].lid > 0 && i < 1U << t->port[p].lmc; i++)
			t->by_lid[t->port[p].lid + i] = p;
}

static inline void
hand_lids(struct topo *t)
{
	uint16_t lid = 1;

	for (int pass = 0; pass < 3; pass++)
		for (uint32_t e = 0; e < t->nend; e++) {
			struct topo_port *p = &t->port[t->end[e].port];
			const struct topo_node *n = &t->node[p->node];
			int kind = n->type == TOPO_SWITCH      ? 2
				   : n->flags & TN_AGGREGATION ? 1
							       : 0;

			if (kind == pass)
				p->lid = lid++;
		}
	hand_index(t);
}

/* Tables: an array of all entries, made into blocks when it is wanted. */
struct hand_tables {
	uint32_t nsw, nblocks;
	uint8_t *entry; /* [nsw][nblocks * 64] */
	struct lft_pool pool;
	struct lft_row **row;
};

static inline void
hand_tables_new(struct hand_tables *h, const struct topo *t)
{
	memset(h, 0, sizeof(*h));
	h->nsw = t->nsw;
	h->nblocks = t->max_lid / LFT_BLOCK + 1U;
	h->entry = mem_alloc((size_t)h->nsw * h->nblocks * LFT_BLOCK);
	memset(h->entry, LFT_DROP, (size_t)h->nsw * h->nblocks * LFT_BLOCK);
}

static inline uint8_t *
hand_entry(struct hand_tables *h, sw_ix s, uint32_t lid)
{
	return &h->entry[(size_t)s * h->nblocks * LFT_BLOCK + lid];
}

static inline void
hand_tables_pack(struct hand_tables *h)
{
	uint32_t per = 1U << LFT_CHUNK_BITS, n = h->nsw * h->nblocks + 1;

	h->pool.nchunks = n / per + 1;
	h->pool.chunk = mem_zalloc(h->pool.nchunks, sizeof(uint8_t *));
	for (size_t i = 0; i < h->pool.nchunks; i++)
		h->pool.chunk[i] =
			aligned_alloc(LFT_BLOCK, (size_t)per * LFT_BLOCK);
	memset(h->pool.chunk[0], LFT_DROP, LFT_BLOCK);
	h->row = mem_zalloc(h->nsw, sizeof(struct lft_row *));
	for (uint32_t s = 0; s < h->nsw; s++)
		h->row[s] = lft_row_new(h->nblocks);
	for (uint32_t i = 1; i < n; i++) {
		memcpy(h->pool.chunk[i / per] + (size_t)(i % per) * LFT_BLOCK,
			h->entry + (size_t)(i - 1) * LFT_BLOCK, LFT_BLOCK);
		*lft_row_slot(&h->pool, h->row[(i - 1) / h->nblocks],
			(i - 1) % h->nblocks) = i;
	}
}

/* Frees the blocks; the entries stay. */
static inline void
hand_tables_unpack(struct hand_tables *h)
{
	for (size_t i = 0; i < h->pool.nchunks; i++)
		free(h->pool.chunk[i]);
	free(h->pool.chunk);
	for (uint32_t s = 0; h->row != NULL && s < h->nsw; s++) {
		for (uint32_t b = 0; b < h->nblocks; b++) /* not counted */
			*lft_row_slot(&h->pool, h->row[s], b) = LFT_EMPTY;
		lft_row_drop(&h->pool, h->row[s]);
	}
	free(h->row);
	memset(&h->pool, 0, sizeof(h->pool));
	h->row = NULL;
}

static inline void
hand_tables_free(struct hand_tables *h)
{
	hand_tables_unpack(h);
	free(h->entry);
}
AUTO_VALUE(hand_tables, struct hand_tables, hand_tables_free)

#endif
