#include "routing/verify/channel_order.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

struct raise {
	const struct cdg *g;
	const uint64_t *dep; /* of a layer or all as one */
	uint32_t *chan_order;
	uint32_t *stack; /* packed (switch, in-port) */
	uint32_t depth, steps;
};

/* The channel behind a port comes after channel `in` of switch s. False when
 * that takes too long. */
static bool
order_behind(struct raise *r, uint32_t s, uint32_t in, uint32_t out)
{
	const struct cdg *g = r->g;
	uint32_t e = g->peer[g->off[s] + out],
		 at = r->chan_order[g->off[s] + in];
	uint32_t *order = &r->chan_order[g->off[e >> 8] + (e & 255)];

	if (e >> 8 == g->n || at < *order)
		return true;
	*order = at + 1;
	r->stack[r->depth++] = e;
	return ++r->steps < g->nports;
}

/* Channels that follow those on the stack get higher numbers than these, and so
 * on behind them; false: it takes too long, or they are a cycle. */
static bool
raise_successors(struct raise *r)
{
	const struct cdg *g = r->g;

	while (r->depth > 0) {
		uint32_t e = r->stack[--r->depth], s = e >> 8, in = e & 255;
		const uint64_t *row =
			r->dep + ((size_t)(g->off[s] + in) << g->shift);

		for (uint32_t k = 0; k < 1U << g->shift; k++)
			for (uint64_t x = row[k]; x != 0; x &= x - 1)
				if (!order_behind(r, s, in,
					    k * 64 + (uint32_t)__builtin_ctzll(
							     x)))
					return false;
	}
	return true;
}

/* What is new, and how many graphs it is in. */
struct fresh {
	const struct cdg *g;
	unsigned orders;
	const struct channel_order_dep *dep;
	size_t n;
};

/* Raise channels for the new dependencies of layer l, or of all; false: it
 * takes too long. */
static bool
raise_all(const struct fresh *f, struct raise *r, unsigned l)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct channel_order_dep *x = &f->dep[i];

		if ((f->orders == 1 || x->layer == l) &&
			(!order_behind(r, x->sw, x->in, x->out) ||
				!raise_successors(r)))
			return false;
	}
	return true;
}

/* Order the channels by the dependencies of layer l, or of all; false: they may
 * have a cycle. */
static bool
order_layer(const struct fresh *f, unsigned l, uint32_t *chan_order)
{
	const struct cdg *g = f->g;
	uint64_t *one = f->orders == 1 ? cdg_one_layer(g) : NULL;
	struct raise r = {.g = g,
		.dep = one != NULL ? one : g->dep + l * g->plane,
		.chan_order = chan_order,
		.stack = mem_alloc((g->nports + 1U) * sizeof(*r.stack))};
	bool ok = raise_all(f, &r, l) ||
		  verify_cycle_order_channels(g, r.dep, chan_order);

	free(r.stack);
	free(one);
	return ok;
}

uint32_t *
channel_order_raise(const struct cdg *g, const uint32_t *order, unsigned orders,
	const struct channel_order_dep *dep, size_t ndep)
{
	const struct fresh f = {g, orders, dep, ndep};
	size_t n = g->nports;
	uint32_t *raised = mem_dup(order, orders * n * sizeof(*raised));

	for (unsigned l = 0; l < orders; l++)
		if (!order_layer(&f, l, raised + l * n)) {
			free(raised);
			return NULL;
		}
	return raised;
}
