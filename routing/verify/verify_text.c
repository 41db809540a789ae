/* verify_text: a pair that does not arrive, in words for an administrator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/verify/cdg.h"
#include "sm/base/buf.h"
#include "sm/base/mem.h"

enum { SHOWN = 6 }; /* switches of a loop that are named */

static struct topo_name
name_of(const struct cdg *g, uint32_t s)
{
	return topo_name(g->t, g->t->sw[g->sw[s]].node);
}

/* What is behind port `out` of s, when it is not a live switch. */
static void
describe_port(const struct cdg *g, uint32_t s, unsigned out, struct buf *b)
{
	const struct topo *t = g->t;
	node_ix me = t->sw[g->sw[s]].node;
	const struct topo_port *port = &t->port[topo_port_of(t, me, out)];
	const struct topo_port *far;
	struct topo_name name;

	if (port->peer == TOPO_NONE) {
		buf_printf(b, "port %u, which has no link", out);
		return;
	}
	far = &t->port[port->peer];
	if (far->node == me) {
		buf_printf(
			b, "port %u, whose link leads back to the switch", out);
		return;
	}
	name = topo_name(t, far->node);
	if (t->node[far->node].flags & TN_QUARANTINED)
		buf_printf(b, "port %u to the quarantined %s", out, name.s);
	else
		buf_printf(b, "port %u to %s, which is not its owner", out,
			name.s);
}

/* The walk ends at s: its entry leads to no live switch. */
static void
describe_dead_end(const struct cdg *g, uint32_t s, uint8_t entry,
	const struct verify_pair *pair, struct buf *b)
{
	struct topo_name name = name_of(g, s);

	buf_printf(b, "it ends at switch %s, ", name.s);
	if (entry == LFT_DROP)
		buf_printf(b, "which has no entry (255)");
	else if (entry > g->top[s])
		buf_printf(b, "whose entry is port %u of %u", entry, g->top[s]);
	else if (entry == 0)
		buf_printf(b, "which takes it as its own (port 0)");
	else {
		buf_printf(b, "whose entry is ");
		describe_port(g, s, entry, b);
	}
	if (s == pair->root)
		buf_printf(b, ", instead of port %u", pair->eject);
}

/* The walk loops: name the switches of the loop, s first. */
static void
describe_loop(const struct cdg *g, const uint8_t *col, uint32_t s, bool uturn,
	struct buf *b)
{
	uint32_t v = s, n = 0;
	struct topo_name name = name_of(g, s);

	if (uturn) {
		uint32_t e = g->peer[g->off[s] + col[s]];
		struct topo_name far = name_of(g, e >> 8);

		buf_printf(b,
			"switch %s sends it out of port %u to %s, whose entry "
			"is port %u, the link it came from",
			name.s, col[s], far.s, col[e >> 8]);
		return;
	}
	buf_printf(b, "it loops: ");
	do {
		if (n++ < SHOWN) {
			name = name_of(g, v);
			buf_printf(b, "%s port %u -> ", name.s, col[v]);
		}
		v = g->peer[g->off[v] + col[v]] >> 8;
	} while (v != s);
	if (n > SHOWN)
		buf_printf(b, "... %u more -> ", n - SHOWN);
	name = name_of(g, s);
	buf_printf(b, "%s", name.s);
}

static uint32_t
next_of(const struct cdg *g, const uint8_t *col, uint32_t s)
{
	return g->peer[g->off[s] + (col[s] <= g->top[s] ? col[s] : 0)];
}

/* Follow the walk from its start to its dead end or first repeated switch. */
static void
describe_walk(const struct cdg *g, const uint8_t *col,
	const struct verify_pair *pair, struct buf *b)
{
	uint8_t *seen = mem_zalloc(g->n + 1U, 1);
	uint32_t v = pair->from, e;

	for (;;) {
		e = next_of(g, col, v);
		if (e >> 8 == g->n) {
			describe_dead_end(g, v, col[v], pair, b);
			break;
		}
		seen[v] = 1;
		v = e >> 8;
		if (seen[v]) {
			describe_loop(g, col, v, !pair->loop, b);
			break;
		}
	}
	free(seen);
}

void
verify_text_pair(const struct cdg *g, const uint8_t *col,
	const struct verify_pair *pair, char *text, size_t size)
{
	const struct topo *t = g->t;
	struct topo_name from = name_of(g, pair->from);
	struct buf b = {0};

	buf_printf(&b, "LID %u", pair->lid);
	if (pair->root != g->n && pair->lid <= t->max_lid) {
		struct topo_name to =
			topo_name(t, t->port[t->by_lid[pair->lid]].node);

		buf_printf(&b, " (%s)", to.s);
	} else {
		buf_printf(&b, " (no port has it)");
	}
	buf_printf(&b, " from switch %s: ", from.s);
	describe_walk(g, col, pair, &b);
	(void)snprintf(text, size, "%s", b.text);
	buf_free(&b);
}
