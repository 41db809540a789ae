#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/referee/referee_int.h"

/*
 * A channel is a VL of the port record that it leaves by: record * vls + VL.
 * Its dependents are in the rows of the port record that it comes in by.
 */
enum { F_CYCLE = 16, STARTS = 32, NAMED = 8, PORTS = 256 };

struct cycle {
	struct referee *j;
	uint32_t n;	  /* channels */
	uint32_t *degree; /* [n]: channels left that wait for this one */
	uint32_t *node;	  /* [nports]: node of the port */
	uint32_t *queue;  /* [n + 1] */
	uint32_t *from;	  /* [n]: search tree, index + 1 */
};

/* The next set bit at or after *bit; false if none. */
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

/* The next dependent of a channel; *at begins with 0. False: no more. */
static bool
next_dependent(
	const struct cycle *c, uint32_t channel, unsigned *at, uint32_t *to)
{
	const struct sim *s = c->j->s;
	unsigned vls = c->j->vls, vl = channel % vls;
	const struct sim_port *p = &s->port[channel / vls];
	uint64_t(*dep)[4];
	uint32_t base;

	if (!p->up || p->peer == FABRIC_NONE)
		return false;
	base = s->node[p->peer].first;
	dep = c->j->dep[base + p->peer_port];
	while (dep && *at < vls * PORTS) {
		unsigned onto = *at / PORTS, bit = *at % PORTS;

		if (next_bit(dep[vl * vls + onto], &bit)) {
			*at = onto * PORTS + bit + 1;
			*to = (base + bit) * vls + onto;
			return true;
		}
		*at = (onto + 1) * PORTS;
	}
	return false;
}

static void
count_degrees(struct cycle *c)
{
	const struct sim *s = c->j->s;

	for (uint32_t n = 0; n < s->nnodes; n++) {
		for (unsigned p = 0; p <= s->node[n].nports; p++)
			c->node[s->node[n].first + p] = n;
	}
	for (uint32_t ch = 0; ch < c->n; ch++) {
		unsigned at = 0;
		uint32_t to;

		while (next_dependent(c, ch, &at, &to))
			c->degree[to]++;
	}
}

/*
 * Remove channels that no channel waits for; the number of those that remain.
 */
static uint32_t
peel_acyclic(struct cycle *c)
{
	uint32_t n = 0;

	for (uint32_t ch = 0; ch < c->n; ch++) {
		if (c->degree[ch] == 0)
			c->queue[n++] = ch;
	}
	for (uint32_t i = 0; i < n; i++) {
		unsigned at = 0;
		uint32_t to;

		while (next_dependent(c, c->queue[i], &at, &to)) {
			if (--c->degree[to] == 0)
				c->queue[n++] = to;
		}
	}
	return c->n - n;
}

/* The length of the shortest cycle through a channel, or 0. */
static uint32_t
find_shortest(struct cycle *c, uint32_t start)
{
	uint32_t n = 0;

	memset(c->from, 0, c->n * sizeof(*c->from));
	c->queue[n++] = start;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t ch = c->queue[i], to, len = 1;
		unsigned at = 0;

		while (next_dependent(c, ch, &at, &to)) {
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

/* Report the cycle that find_shortest left in from[]. */
static void
name_cycle(struct cycle *c, uint32_t start, uint32_t len)
{
	const struct sim *s = c->j->s;
	char text[260];
	unsigned vls = c->j->vls;
	uint32_t path[NAMED], x = start;
	size_t n = 0;

	/* from[] leads backwards: keep the last NAMED, print them forwards */
	for (uint32_t i = 0; i < len; i++, x = c->from[x] - 1) {
		if (len - i <= NAMED)
			path[len - i - 1] = x;
	}
	text[0] = '\0';
	for (uint32_t i = 0; i < len && i < NAMED && n < sizeof(text); i++) {
		uint32_t port = path[i] / vls, node = c->node[port];
		char vl[16] = "";

		if (vls > 1)
			(void)snprintf(vl, sizeof(vl), " VL %u", path[i] % vls);
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"\"%s\"[%u]%s -> ", s->node[node].name,
			port - s->node[node].first, vl);
	}
	referee_say(c->j, F_CYCLE, "cycle of %u channels: %s%s", len, text,
		len > NAMED ? "..." : "and again");
}

/* A remaining channel that waits for ch; one exists. */
static uint32_t
prev_channel(const struct cycle *c, uint32_t ch)
{
	const struct sim *s = c->j->s;
	unsigned vls = c->j->vls;
	const struct sim_node *n = &s->node[c->node[ch / vls]];
	uint32_t bit = ch / vls - n->first;

	for (unsigned in = 1; in <= n->nports; in++) {
		const struct sim_port *p = &s->port[n->first + in];
		uint64_t(*dep)[4] = c->j->dep[n->first + in];

		for (unsigned a = 0; dep && a < vls; a++) {
			uint32_t from =
				(s->node[p->peer].first + p->peer_port) * vls +
				a;

			if (dep[a * vls + ch % vls][bit / 64] >> bit % 64 & 1 &&
				c->degree[from])
				return from;
		}
	}
	return ch;
}

/* Go backwards until a channel repeats: it is on a cycle. */
static uint32_t
onto_cycle(struct cycle *c, uint32_t ch)
{
	memset(c->from, 0, c->n * sizeof(*c->from));
	while (!c->from[ch]) {
		c->from[ch] = 1;
		ch = prev_channel(c, ch);
	}
	return ch;
}

/* Search from some of the remaining channels; report the shortest cycle. */
static void
name_shortest(struct cycle *c)
{
	uint32_t best = 0, at = 0, seen = 0;
	uint32_t stride = c->j->r->cyclic / STARTS + 1;

	for (uint32_t ch = 0; ch < c->n; ch++) {
		uint32_t start, len;

		if (c->degree[ch] == 0 || seen++ % stride)
			continue;
		start = onto_cycle(c, ch);
		len = find_shortest(c, start);
		if (len && (!best || len < best)) {
			best = len;
			at = start;
		}
	}
	c->j->r->cycle_length = find_shortest(c, at);
	name_cycle(c, at, best);
}

void
referee_cycle_find(struct referee *j)
{
	uint32_t n = j->s->nports * j->vls;
	struct cycle c = {.j = j, .n = n};

	c.degree = mem_zalloc(n, sizeof(*c.degree));
	c.node = mem_zalloc(j->s->nports, sizeof(*c.node));
	c.queue = mem_zalloc(n + 1, sizeof(*c.queue));
	c.from = mem_zalloc(n, sizeof(*c.from));
	count_degrees(&c);
	j->r->cyclic = peel_acyclic(&c);
	if (j->r->cyclic)
		name_shortest(&c);
	free(c.degree);
	free(c.node);
	free(c.queue);
	free(c.from);
}
