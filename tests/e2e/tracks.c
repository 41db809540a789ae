#include "tests/e2e/tracks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"

enum { TRIES = 1000, MAX_LINKS = 64 };

struct ends {
	const struct ndtext *t;
	uint32_t *host, *any; /* port records */
	size_t nhost, nany;
};

/* The out-port of a packet for lid that is at port `at`. */
static uint32_t
out_port(const struct ndtext *t, uint32_t at, uint32_t lid)
{
	const struct ndtext_node *n = &t->node[t->port[at].node];

	return n->sw == NDTEXT_NONE ? at : ndtext_out(t, n->sw, lid);
}

/*
 * Number of links from port `from` to port `to`, by the tables; the nodes
 * passed go to via[], and the text of tracks_print to b (both may be NULL).
 * NDTEXT_NONE if the packet does not arrive.
 */
static uint32_t
count_links(const struct ndtext *t, uint32_t from, uint32_t to, uint32_t *via,
	struct buf *b)
{
	uint32_t at = from, links = 0;

	while (t->port[at].node != t->port[to].node) {
		uint32_t out = out_port(t, at, t->port[to].lid);
		uint64_t guid;

		if (out == NDTEXT_NONE || t->port[out].peer == NDTEXT_NONE ||
			links == MAX_LINKS)
			return NDTEXT_NONE;
		at = t->port[out].peer;
		if (via)
			via[links] = t->port[at].node;
		links++;
		guid = t->port[at].guid ? t->port[at].guid
					: t->node[t->port[at].node].guid;
		if (b)
			buf_printf(b, " [%u]{0x%016" PRIx64 "}[%u]",
				t->port[out].num, guid, t->port[at].num);
		if (t->node[t->port[at].node].sw == NDTEXT_NONE && at != to)
			return NDTEXT_NONE;
	}
	return links;
}

/* The management port of a node: port 0 of a switch, otherwise `by`. */
static uint32_t
own_port(const struct ndtext *t, uint32_t node, uint32_t by)
{
	return t->node[node].sw == NDTEXT_NONE ? by : t->node[node].first;
}

static bool
near_tool(const struct ndtext *t, uint32_t tool, uint32_t port, uint32_t far)
{
	uint32_t there = count_links(t, tool, port, NULL, NULL);
	uint32_t back = count_links(t, port, tool, NULL, NULL);

	return there <= far && back <= far;
}

static bool
make_track(const struct ends *e, struct rng *rng, uint32_t tool, uint32_t far,
	struct buf *b)
{
	const struct ndtext *t = e->t;
	uint32_t from = e->host[rng_below(rng, (uint32_t)e->nhost)];
	uint32_t to = e->any[rng_below(rng, (uint32_t)e->nany)];
	uint32_t via[MAX_LINKS], links;

	buf_drop(b, b->n);
	buf_printf(b, "%u %u", t->port[from].lid, t->port[to].lid);
	if (t->port[from].node == t->port[to].node)
		return false;
	links = count_links(t, from, to, via, b);
	if (links == NDTEXT_NONE || !near_tool(t, tool, from, far))
		return false;
	for (uint32_t i = 0; i < links; i++)
		if (!near_tool(t, tool, own_port(t, via[i], to), far))
			return false;
	return true;
}

static void
find_ends(struct ends *e)
{
	const struct ndtext *t = e->t;
	size_t host_cap = 0, any_cap = 0;

	for (uint32_t p = 0; p < t->nports; p++) {
		bool sw = t->node[t->port[p].node].sw != NDTEXT_NONE;

		if (!t->port[p].lid)
			continue;
		e->any = mem_grow(e->any, e->nany, &any_cap, sizeof(*e->any));
		e->any[e->nany++] = p;
		if (sw)
			continue;
		e->host = mem_grow(
			e->host, e->nhost, &host_cap, sizeof(*e->host));
		e->host[e->nhost++] = p;
	}
}

unsigned
tracks_print(const struct ndtext *t, FILE *out, unsigned n, uint64_t seed,
	uint32_t tool, uint32_t far)
{
	struct ends e = {.t = t};
	struct rng rng = {seed};
	struct buf b = {0};
	uint32_t at = NDTEXT_NONE;
	unsigned printed = 0;

	find_ends(&e);
	for (size_t i = 0; i < e.nhost; i++)
		if (t->port[e.host[i]].lid == tool)
			at = e.host[i];
	for (unsigned i = 0; at != NDTEXT_NONE && i < TRIES && printed < n;
		i++) {
		if (!make_track(&e, &rng, at, far, &b))
			continue;
		fprintf(out, "%s\n", b.text);
		printed++;
	}
	buf_free(&b);
	free(e.host);
	free(e.any);
	return printed;
}
