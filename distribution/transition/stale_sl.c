/*
 * stale_sl: old SLs on new tables. When the transition is over, connections
 * made before it take the new paths in the layers that they always had. Engines
 * that give each pair its layer prove that the pairs of a layer close no cycle;
 * old connections are pairs that this proof does not cover. The cycles that
 * they would close, alone or with multicast trees, are kept blocked for as long
 * as sl_history.h knows of such connections; a dependency that the new routing
 * itself uses, or a tree may use, never is. What is blocked already costs
 * nothing, so it is chosen again where it helps.
 *
 * With a map of VLs a row that blocks a dependency does so whatever link its
 * packets came by before. Where old connections close a cycle only by
 * dependencies that the new routing uses too, for packets that came by other
 * links, nothing can be blocked: then the old connections have to end.
 */
#include <stdlib.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

/* Whether a known row discards these SLs. */
static bool
discards_sls(const uint8_t *row, uint16_t sls)
{
	return row != NULL && (sls & ~sl2vl_row_blocked(row)) == 0;
}

/* Layers whose SLs are all among these. */
static uint16_t
layers_of(const struct slvl *l, uint16_t sls)
{
	uint16_t layers = 0;

	for (unsigned k = 0; k < l->layers; k++)
		if ((slvl_sls(l, (uint16_t)(1U << k)) & ~sls) == 0)
			layers |= (uint16_t)(1U << k);
	return layers;
}

void
stale_sl_blocked(const struct transition_job *job, struct transition_set *out)
{
	const struct route_layers *to = &job->to->layers;
	const struct blocked_rows *b = device_blocked(job->hw);
	const struct topo *t = job->to->topo;
	struct slvl l;

	*out = (struct transition_set){0};
	slvl_of_layers(&job->levels, to, &l);
	for (size_t i = 0; i < b->n; i++) {
		const struct blocked_row *r = &b->row[i];
		node_ix n = topo_by_node_guid(t, r->guid);

		if (r->stays == 0 || n == TOPO_NONE ||
			t->node[n].type != TOPO_SWITCH ||
			r->in > t->node[n].nports ||
			r->out > t->node[n].nports ||
			!discards_sls(
				device_bytes(job->hw,
					device_at_row(r->guid, r->in, r->out)),
				r->stays))
			continue;
		out->dep = mem_grow(
			out->dep, out->n, &out->cap, sizeof(*out->dep));
		out->dep[out->n++] =
			(struct transition_dependency){.sw = t->node[n].sw,
				.in = r->in,
				.out = r->out,
				.layers = layers_of(&l, r->stays)};
	}
}

/* No packet uses what is blocked already. */
static void
clear_load(const struct lft_values *v, struct dependency_load *load)
{
	const struct chan_graph *n = v->net;
	struct transition_set is;

	stale_sl_blocked(v->job, &is);
	for (size_t i = 0; i < is.n; i++)
		for (unsigned k = 0; k < n->layers; k++)
			if ((is.dep[i].layers >> k & 1) != 0)
				*dependency_load_at(n, load,
					k * n->nrec + n->off[is.dep[i].sw] +
						is.dep[i].in,
					is.dep[i].out) = 0;
	free(is.dep);
}

/* Of the layers that a dependency would be blocked in, those in which the new
 * routing or a tree uses it for packets that come by other links. */
static uint16_t
layers_in_use(const struct chan_graph *n, const uint64_t *fixed,
	const struct transition_dependency *x)
{
	unsigned layers = 0;

	for (uint32_t v = n->off[x->sw] + x->in; v < n->nv; v += n->nrec)
		if (dep_graph_has(&n->frame, fixed, v, x->out))
			layers |= 1U << chan_graph_layer(n, v);
	return (uint16_t)(layers & x->layers);
}

/* Select what stays blocked. No port is taken down for good. False: some of it
 * is in use. */
static bool
take_stays(const struct chan_graph *n, const uint64_t *fixed,
	struct transition_set *set)
{
	bool unused = true;
	size_t nkept = 0;

	set->pairs = 0;
	for (size_t i = 0; i < set->n; i++) {
		struct transition_dependency *x = &set->dep[i];

		if (x->by_port)
			continue;
		unused &= layers_in_use(n, fixed, x) == 0;
		x->stays = x->layers;
		set->pairs += x->pairs;
		set->dep[nkept++] = *x;
	}
	set->n = nkept;
	return unused;
}

static bool
select_stays(const struct lft_values *v, const uint64_t *dep,
	struct transition_set *out)
{
	static const struct transition_when is = {TRANSITION_NEW, 0};
	static const struct transition_when held = {TRANSITION_HELD, 0};
	uint64_t *fixed =
		mem_alloc(dep_graph_words(&v->net->frame) * sizeof(*fixed));
	struct dependency_load load;
	bool found;

	cdg_mixed_build(v, is, is, fixed);
	transition_mcast_add_all(v->net, v->to, fixed);
	dependency_load_new(&load, v, held);
	clear_load(v, &load);
	block_select_find(v, &load, dep, fixed, out);
	found = take_stays(v->net, fixed, out);
	dependency_load_free(&load);
	free(fixed);
	return found;
}

/* Whether a pair of switches, which path records in force know, gets another
 * layer. The history is of leaves; packets go to other switches too. */
static bool
gives_other_layers(const struct transition_job *job)
{
	const struct routes *from = job->from, *to = job->to;
	sw_ix *was;
	bool found = false;

	if (job->history == NULL || from == NULL || from->layers.n < 2)
		return false;
	was = mem_alloc((to->topo->nsw + 1U) * sizeof(*was));
	for (sw_ix s = 0; s < to->topo->nsw; s++)
		was[s] = topo_switch_in(from->topo, to->topo, s);
	for (sw_ix a = 0; a < to->topo->nsw && !found; a++)
		for (sw_ix b = 0; b < to->topo->nsw && !found; b++)
			found = was[a] != TOPO_NONE && was[b] != TOPO_NONE &&
				routes_layer(&from->layers, was[a], was[b]) !=
					routes_layer(&to->layers, a, b);
	free(was);
	return found;
}

bool
stale_sl_find(const struct transition_job *job, struct transition_result *t,
	struct transition_set *out)
{
	static const struct transition_when stale = {TRANSITION_STALE, 0};
	struct lft_values val;
	struct chan_graph net;
	uint64_t *dep;
	uint32_t *comp;
	bool found = true;

	*out = (struct transition_set){0};
	if (job->to->layers.n < 2 || job->to->layers.plain)
		return true;
	t->relayers = gives_other_layers(job);
	if (!t->relayers && !sl_history_exceeds(job->history, job->to) &&
		!lft_values_has_foreign(job->to->topo))
		return true;
	chan_graph_new(&net, job->to->topo, job->hw, &job->to->layers);
	lft_values_new(&val, &net, job);
	dep = mem_alloc(dep_graph_words(&net.frame) * sizeof(*dep));
	comp = mem_alloc(net.nv * sizeof(*comp));
	cdg_mixed_build(&val, stale, stale, dep);
	transition_mcast_add_all(&net, job->to, dep);
	if (cdg_cycle_find(&net, dep, comp) > 0) {
		cdg_cycle_describe(&val, dep, comp, t->stale, sizeof(t->stale));
		found = select_stays(&val, dep, out);
	}
	free(dep);
	free(comp);
	lft_values_free(&val);
	chan_graph_free(&net);
	return found;
}
