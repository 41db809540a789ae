#include <stdlib.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

void
method_static(const struct lft_values *v, const struct dependency_load *l,
	struct transition_set *out)
{
	const struct chan_graph *n = v->net;

	for (uint32_t r = 0; r + 1 < n->nrec; r++) {
		sw_ix s = n->owner[r];
		unsigned port = r - n->base[r];
		const uint64_t *carry = n->carry + (size_t)s * 4;

		/* Down on one end is Down on both */
		if (port == 0 || chan_graph_quarantined(n, s) ||
			!(carry[port >> 6] >> (port & 63) & 1) ||
			(n->owner[n->peer[r]] != n->nsw && n->peer[r] < r))
			continue;
		block_select_add_port(n, l, out, r);
	}
	block_select_finish(out);
}

/* The up-port of a switch that most pairs use: it stays. */
static uint32_t
busiest_up_port(const struct lft_values *v, const struct dependency_load *l,
	sw_ix s, unsigned *count)
{
	const struct chan_graph *n = v->net;
	uint32_t best = n->off[n->nsw];
	uint64_t most = 0;

	*count = 0;
	for (uint32_t r = n->off[s]; r < n->off[s + 1]; r++) {
		uint64_t pairs;

		if (!lft_values_is_up(v, r))
			continue;
		pairs = l->rec[r] + l->rec[n->peer[r]];
		if ((*count)++ > 0 && pairs <= most)
			continue;
		best = r;
		most = pairs;
	}
	return best;
}

void
method_ports(const struct lft_values *v, const struct dependency_load *l,
	struct transition_set *out)
{
	const struct chan_graph *n = v->net;

	for (sw_ix s = 0; s < n->nsw; s++) {
		unsigned count;
		uint32_t stays = busiest_up_port(v, l, s, &count);

		if (count < 2 || chan_graph_quarantined(n, s))
			continue;
		for (uint32_t r = n->off[s]; r < n->off[s + 1]; r++)
			if (r != stays && lft_values_is_up(v, r))
				block_select_add_port(n, l, out, r);
	}
	block_select_finish(out);
}

/* All dependencies from one up-port of switch s to another, in every layer. */
static void
forbid_valleys(const struct lft_values *v, const struct dependency_load *l,
	sw_ix s, struct transition_set *out)
{
	const struct chan_graph *n = v->net;

	for (uint32_t in = n->off[s]; in < n->off[s + 1]; in++) {
		if (!lft_values_is_up(v, in))
			continue;
		for (uint32_t r = n->off[s]; r < n->off[s + 1]; r++) {
			if (r == in || !lft_values_is_up(v, r))
				continue;
			for (unsigned k = 0; k < n->layers; k++)
				block_select_add(n, l, out, in + k * n->nrec,
					r - n->off[s]);
		}
	}
}

void
method_dependencies(const struct lft_values *v, const struct dependency_load *l,
	struct transition_set *out)
{
	for (sw_ix s = 0; s < v->net->nsw; s++)
		if (!chan_graph_quarantined(v->net, s))
			forbid_valleys(v, l, s, out);
	block_select_finish(out);
}
