/*
 * safe_stale: old SLs on new tables. When the transition is over, connections
 * made before it go the new ways on the lanes they always had. Engines that
 * give each pair its lane prove that the pairs of a lane close no cycle; these
 * are pairs too many. What they would close is kept closed, as long as
 * sl_history.h knows of such connections; what the new routing itself uses
 * never is.
 */
#include <stdlib.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

static void
cut(const struct safe_values *v, const uint64_t *turn, struct safe_set *out)
{
	static const struct safe_when is = {SAFE_NEW, 0};
	static const struct safe_when held = {SAFE_HELD, 0};
	uint64_t *fixed = mem_alloc(safe_words(v->net) * sizeof(*fixed));
	struct safe_load load;
	size_t n = 0;

	safe_mix_build(v, is, is, fixed);
	safe_load_new(&load, v, held);
	safe_block_find(v, &load, turn, fixed, out);
	/* a port is not taken down for good */
	for (size_t i = 0; i < out->n; i++)
		if (!out->turn[i].by_port)
			out->turn[n++] = out->turn[i];
	out->n = n;
	out->pairs = 0;
	for (size_t i = 0; i < n; i++) {
		out->turn[i].stays = true;
		out->pairs += out->turn[i].pairs;
	}
	safe_load_free(&load);
	free(fixed);
}

void
safe_stale_find(const struct safe_job *job, struct safe_transition *t,
	struct safe_set *out)
{
	static const struct safe_when stale = {SAFE_STALE, 0};
	struct safe_values val;
	struct safe_net net;
	uint64_t *turn;
	uint32_t *comp;

	*out = (struct safe_set){0};
	if (job->to->lanes.n < 2 || job->to->lanes.plain ||
		!past_beside(hw_past(job->hw), job->to))
		return;
	safe_net_new(&net, job->to->topo, hw_turns(job->hw), job->to->lanes.n);
	safe_value_new(&val, &net, job);
	turn = mem_alloc(safe_words(&net) * sizeof(*turn));
	comp = mem_alloc(net.nv * sizeof(*comp));
	safe_mix_build(&val, stale, stale, turn);
	if (safe_cycle_find(&net, turn, comp) > 0) {
		safe_cycle_tell(&val, turn, comp, t->stale, sizeof(t->stale));
		cut(&val, turn, out);
	}
	free(turn);
	free(comp);
	safe_value_free(&val);
	safe_net_free(&net);
}
