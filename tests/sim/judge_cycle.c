#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/judge_int.h"

/*
 * A channel is the port record that it leaves by. Its dependents are the bits
 * of the row of the port record that it comes in by.
 */
enum { F_CYCLE = 16, STARTS = 32, NAMED = 8 };

struct cycle {
	struct judge *j;
	uint32_t *degree; /* [nports]: channels that still wait for this one */
	uint32_t *node;	  /* [nports]: whose port it is */
	uint32_t *queue;
	uint32_t *from; /* [nports]: search tree, index + 1 */
};

/* The dependents of a channel: their bits, and the record of bit 0. */
static uint32_t
row_of(const struct cycle *c, uint32_t channel, const uint64_t **row)
{
	const struct sim *s = c->j->s;
	const struct sim_port *p = &s->port[channel];
	uint32_t base;

	if (!p->up || p->peer == FABRIC_NONE)
		return FABRIC_NONE;
	base = s->node[p->peer].first;
	*row = c->j->dep[base + p->peer_port];
	return base;
}

/* The next set bit at or after *bit, false when there is none. */
static bool
next_bit(const uint64_t *row, unsigned *bit)
{
	for (unsigned w = *bit / 64; w < 4; w++) {
		uint64_t v = row[w];

		if (w == *bit / 64)
			v &= ~0ULL << *bit % 64;
		if (v) {
			*bit = w * 64 + (unsigned)__builtin_ctzll(v);
			return true;
		}
	}
	return false;
}

static void
count_degrees(struct cycle *c)
{
	const struct sim *s = c->j->s;

	for (uint32_t n = 0; n < s->nnodes; n++) {
		for (unsigned p = 0; p <= s->node[n].nports; p++) {
			uint32_t ch = s->node[n].first + p, base;
			const uint64_t *row = NULL;

			c->node[ch] = n;
			base = row_of(c, ch, &row);
			for (unsigned b = 0; base != FABRIC_NONE && b < 256 &&
					     next_bit(row, &b);
				b++)
				c->degree[base + b]++;
		}
	}
}

/* Take away channels that nothing waits for until none is left or a cycle. */
static uint32_t
peel(struct cycle *c)
{
	uint32_t n = 0, total = c->j->s->nports;

	for (uint32_t ch = 0; ch < total; ch++) {
		if (c->degree[ch] == 0)
			c->queue[n++] = ch;
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t *row = NULL;
		uint32_t base = row_of(c, c->queue[i], &row);

		for (unsigned b = 0;
			base != FABRIC_NONE && b < 256 && next_bit(row, &b);
			b++) {
			if (--c->degree[base + b] == 0)
				c->queue[n++] = base + b;
		}
	}
	return total - n;
}

/* The shortest way from a channel back to itself; its length, or 0. */
static uint32_t
search(struct cycle *c, uint32_t start)
{
	uint32_t n = 0;

	memset(c->from, 0, c->j->s->nports * sizeof(*c->from));
	c->queue[n++] = start;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t ch = c->queue[i], base;
		const uint64_t *row = NULL;

		base = row_of(c, ch, &row);
		for (unsigned b = 0;
			base != FABRIC_NONE && b < 256 && next_bit(row, &b);
			b++) {
			uint32_t to = base + b, len = 1;

			if (c->degree[to] == 0 || c->from[to])
				continue;
			c->from[to] = ch + 1;
			if (to != start) {
				c->queue[n++] = to;
				continue;
			}
			for (uint32_t x = ch; x != start; x = c->from[x] - 1)
				len++;
			return len;
		}
	}
	return 0;
}

/* Put the cycle that search found into words. */
static void
name_cycle(struct cycle *c, uint32_t start, uint32_t len)
{
	const struct sim *s = c->j->s;
	char text[260];
	uint32_t path[NAMED], x = start;
	size_t n = 0;

	/* from[] leads backwards: keep the last NAMED, print them forwards */
	for (uint32_t i = 0; i < len; i++, x = c->from[x] - 1) {
		if (len - i <= NAMED)
			path[len - i - 1] = x;
	}
	text[0] = '\0';
	for (uint32_t i = 0; i < len && i < NAMED && n < sizeof(text); i++) {
		uint32_t node = c->node[path[i]];

		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"\"%s\"[%u] -> ", s->node[node].name,
			path[i] - s->node[node].first);
	}
	judge_say(c->j, F_CYCLE, "cycle of %u channels: %s%s", len, text,
		len > NAMED ? "..." : "and again");
}

/* A channel that ch waits behind and that was not peeled off: there is one. */
static uint32_t
before(const struct cycle *c, uint32_t ch)
{
	const struct sim *s = c->j->s;
	const struct sim_node *n = &s->node[c->node[ch]];
	uint32_t bit = ch - n->first;

	for (unsigned in = 1; in <= n->nports; in++) {
		const struct sim_port *p = &s->port[n->first + in];
		uint32_t from;

		if (!(c->j->dep[n->first + in][bit / 64] >> bit % 64 & 1))
			continue;
		from = s->node[p->peer].first + p->peer_port;
		if (c->degree[from])
			return from;
	}
	return ch;
}

/* Go backwards until a channel comes up again: it is on a cycle. */
static uint32_t
onto_cycle(struct cycle *c, uint32_t ch)
{
	memset(c->from, 0, c->j->s->nports * sizeof(*c->from));
	while (!c->from[ch]) {
		c->from[ch] = 1;
		ch = before(c, ch);
	}
	return ch;
}

/* Search from a spread of channels that are left; keep the shortest cycle. */
static void
name_shortest(struct cycle *c)
{
	uint32_t best = 0, at = 0, seen = 0;
	uint32_t stride = c->j->r->cyclic / STARTS + 1;

	for (uint32_t ch = 0; ch < c->j->s->nports; ch++) {
		uint32_t start, len;

		if (c->degree[ch] == 0 || seen++ % stride)
			continue;
		start = onto_cycle(c, ch);
		len = search(c, start);
		if (len && (!best || len < best)) {
			best = len;
			at = start;
		}
	}
	c->j->r->cycle_length = search(c, at);
	name_cycle(c, at, best);
}

void
judge_cycle_find(struct judge *j)
{
	uint32_t n = j->s->nports;
	struct cycle c = {.j = j};

	c.degree = mem_zalloc(n, sizeof(*c.degree));
	c.node = mem_zalloc(n, sizeof(*c.node));
	c.queue = mem_zalloc(n + 1, sizeof(*c.queue));
	c.from = mem_zalloc(n, sizeof(*c.from));
	count_degrees(&c);
	j->r->cyclic = peel(&c);
	if (j->r->cyclic)
		name_shortest(&c);
	free(c.degree);
	free(c.node);
	free(c.queue);
	free(c.from);
}
