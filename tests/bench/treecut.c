#include "tests/bench/treecut.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

struct cutting {
	const struct topo *t;
	sw_ix *at; /* [nhosts] switch of the host, in the order of LIDs */
	uint32_t nhosts;
	uint32_t *far;	 /* [nsw] links to the nearest switch with hosts */
	uint32_t *piece; /* [nsw] number of its piece, from 1; 0: none */
	uint32_t npieces;
	uint32_t *hosts, *cables; /* of a piece; links out of it */
	uint32_t *leaves;	  /* of a piece: most flows that leave it */
	sw_ix *queue;
};

static void
find_hosts(struct cutting *c)
{
	const struct topo *t = c->t;

	for (uint32_t lid = 1; t->by_lid != NULL && lid <= t->max_lid; lid++) {
		port_ix p = t->by_lid[lid];
		const struct topo_node *n;

		if (p == TOPO_NONE || t->port[p].lid != lid)
			continue;
		n = &t->node[t->port[p].node];
		if (n->type != TOPO_SWITCH && !(n->flags & TN_AGGREGATION) &&
			topo_switch_of(t, p) != TOPO_NONE)
			c->at[c->nhosts++] = topo_switch_of(t, p);
	}
}

static void
find_far(struct cutting *c)
{
	uint32_t head = 0, n = 0;

	memset(c->far, 0xff, c->t->nsw * sizeof(*c->far));
	for (uint32_t i = 0; i < c->nhosts; i++) {
		if (c->far[c->at[i]] == 0)
			continue;
		c->far[c->at[i]] = 0;
		c->queue[n++] = c->at[i];
	}
	while (head < n) {
		sw_ix s = c->queue[head++];
		const struct topo_switch *sw = &c->t->sw[s];

		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			sw_ix x = c->t->adj[i].peer;

			if (c->far[x] != UINT32_MAX)
				continue;
			c->far[x] = c->far[s] + 1;
			c->queue[n++] = x;
		}
	}
}

/* Make the piece of s: switches at most `most` links from hosts. */
static void
flood_piece(struct cutting *c, sw_ix s, uint32_t most)
{
	uint32_t head = 0, n = 0, cables = 0;

	c->piece[s] = ++c->npieces;
	c->queue[n++] = s;
	while (head < n) {
		const struct topo_switch *sw = &c->t->sw[c->queue[head++]];

		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			sw_ix x = c->t->adj[i].peer;

			cables += c->far[x] > most;
			if (c->far[x] > most || c->piece[x] != 0)
				continue;
			c->piece[x] = c->npieces;
			c->queue[n++] = x;
		}
	}
	c->cables[c->npieces] = cables;
}

/* Find the most flows that leave each piece in any shift. */
static void
shift_all(struct cutting *c)
{
	uint32_t *now = mem_zalloc(c->npieces + 1U, sizeof(*now));

	for (uint32_t by = 1; by < c->nhosts; by++) {
		memset(now, 0, (c->npieces + 1U) * sizeof(*now));
		for (uint32_t i = 0; i < c->nhosts; i++) {
			uint32_t to = i + by < c->nhosts ? i + by
							 : i + by - c->nhosts;
			uint32_t mine = c->piece[c->at[i]];

			now[mine] += mine != c->piece[c->at[to]];
		}
		for (uint32_t p = 1; p <= c->npieces; p++)
			if (now[p] > c->leaves[p])
				c->leaves[p] = now[p];
	}
	free(now);
}

/* Cut at a distance; false if no link leads out of a piece. */
static bool
cut_pieces(struct cutting *c, uint32_t most, struct treecut *out)
{
	size_t n = c->t->nsw + 1U;
	bool any = false;

	memset(c->piece, 0, n * sizeof(*c->piece));
	memset(c->hosts, 0, n * sizeof(*c->hosts));
	memset(c->leaves, 0, n * sizeof(*c->leaves));
	c->npieces = 0;
	for (uint32_t i = 0; i < c->nhosts; i++) {
		if (c->piece[c->at[i]] == 0)
			flood_piece(c, c->at[i], most);
		c->hosts[c->piece[c->at[i]]]++;
	}
	shift_all(c);
	for (uint32_t p = 1; p <= c->npieces; p++) {
		uint32_t by = c->cables[p];
		double load = (double)c->hosts[p] * (c->nhosts - c->hosts[p]);

		if (by == 0)
			continue;
		any = true;
		if ((c->leaves[p] + by - 1) / by > out->shift)
			out->shift = (c->leaves[p] + by - 1) / by;
		if (load / by > out->load)
			out->load = load / by;
	}
	return any;
}

struct treecut
treecut_find(const struct topo *t)
{
	struct treecut out = {1, 0};
	struct cutting c = {.t = t};
	size_t n = t->nsw + 1U;

	c.at = mem_alloc((t->max_lid + 1U) * sizeof(*c.at));
	c.far = mem_alloc(n * sizeof(*c.far));
	c.piece = mem_alloc(n * sizeof(*c.piece));
	c.hosts = mem_alloc(n * sizeof(*c.hosts));
	c.cables = mem_alloc(n * sizeof(*c.cables));
	c.leaves = mem_alloc(n * sizeof(*c.leaves));
	c.queue = mem_alloc(n * sizeof(*c.queue));
	find_hosts(&c);
	find_far(&c);
	for (uint32_t most = 0; cut_pieces(&c, most, &out); most++)
		;
	free(c.at);
	free(c.far);
	free(c.piece);
	free(c.hosts);
	free(c.cables);
	free(c.leaves);
	free(c.queue);
	return out;
}
