#include "distribution/plan/adaptive_mixture.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/device/adaptive_can.h"
#include "distribution/plan/tables_found.h"
#include "routing/verify/verify_sets.h"
#include "sm/base/mem.h"

struct adaptive_mixture {
	uint32_t nsw;
	struct route_sets *now;	 /* ports while tables change */
	struct route_sets *lost; /* these, and those lost just before */
	bool strays; /* packets in flight to LIDs without a live switch */
};

struct adaptive_mixture *
adaptive_mixture_new(const struct topo *t)
{
	struct adaptive_mixture *x = mem_zalloc(1, sizeof(*x));
	struct route_choice *can = mem_zalloc(t->nsw, sizeof(*can));

	x->nsw = t->nsw;
	x->now = route_sets_new(t, can, false);
	x->lost = route_sets_new(t, can, false);
	free(can);
	return x;
}

void
adaptive_mixture_free(struct adaptive_mixture *x)
{
	if (x == NULL)
		return;
	route_sets_unref(x->now);
	route_sets_unref(x->lost);
	free(x);
}

/* Add the ports of an entry beside the default that it has then. */
static void
add_ports(struct route_set *out, const struct mad_ar_entry *e,
	const struct mad_ar_group *slot, uint8_t port)
{
	if (e->state == MAD_AR_STATIC)
		return;
	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++) {
		uint64_t ports =
			slot[e->group].port[0][w] | slot[e->group].port[1][w];

		if (port / 64 == w)
			ports &= ~(UINT64_C(1) << port % 64);
		out->port[w] |= ports;
	}
}

/* A row of the sets by switch. */
static struct route_set_row *
make_row(const struct route_sets *sets, const struct route_set *by_switch)
{
	struct route_set_row *row = route_set_row_new(sets->dest.n);

	for (sw_ix t = 0; t < sets->nsw; t++)
		if (sets->dest.number[t] < sets->dest.n)
			row->of[sets->dest.number[t]] =
				route_set_row_number(row, &by_switch[t]);
	return row;
}

void
adaptive_mixture_add(struct adaptive_mixture *x, sw_ix s,
	const struct adaptive_groups_job *job, const struct adaptive_groups *g,
	const sw_ix *target)
{
	struct route_set *now = mem_zalloc(x->nsw, sizeof(*now));
	struct route_set *lost = mem_zalloc(x->nsw, sizeof(*lost));

	for (uint32_t l = 0; l < job->nlids; l++) {
		const struct mad_ar_entry *held = &job->held[l];
		struct route_set *n, *o;

		if (target[l] == TOPO_NONE) {
			x->strays |= held->state != MAD_AR_STATIC;
			continue;
		}
		n = &now[target[l]];
		o = &lost[target[l]];
		add_ports(
			n, &g->early[l], g->slot[ADAPTIVE_SHRINK], held->port);
		add_ports(
			n, &g->entry[l], g->slot[ADAPTIVE_GROW], job->port[l]);
		add_ports(o, held, g->slot[ADAPTIVE_HELD], held->port);
	}
	for (sw_ix t = 0; t < x->nsw; t++)
		for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
			lost[t].port[w] |= now[t].port[w];
	x->now->row[s] = make_row(x->now, now);
	x->lost->row[s] = make_row(x->lost, lost);
	x->now->can[s].kind = x->lost->can[s].kind =
		job->escapes ? ROUTE_ESCAPES : ROUTE_COMMITS;
	free(now);
	free(lost);
}

/*
 * Whether sets stand beside the tables before a stage and those after it. Of
 * packets in flight alone it is enough that they do not wait in a circle: some
 * may be discarded where a table leads back.
 */
static bool
sets_hold(const struct route_sets *sets, bool in_flight,
	const struct routes *from, const struct routes *to,
	const struct verify_dependencies *deps)
{
	const struct verify_sets_job job = {.topo = to->topo,
		.side = {{to->pool, to->row, to->nblocks, sets},
			{from->pool, from->row, from->nblocks, sets}},
		.nsides = 2,
		.everywhere = true,
		.deps = deps,
		.threads = 1};
	struct verify_sets_report report;
	struct reason why;
	int rc = verify_sets(&job, &report, &why);

	return in_flight ? report.cyclic == 0 : rc == 0;
}

/* Enter the writes of a stage; of a switch that carries nothing yet the last
 * ones count from the beginning. */
static void
write_stage(struct routes *r, const struct transition_result *change, int stage)
{
	const struct topo *t = r->topo;

	for (size_t i = change->nquenches; i < change->nwrites; i++) {
		const struct lft_write *w = &change->write[i];
		bool fresh = (t->node[t->sw[w->sw].node].flags & TN_FRESH) != 0;
		lft_ref *at;

		if (w->block >= r->nblocks ||
			(fresh ? stage >= 0 || !w->last : w->stage != stage))
			continue;
		at = routes_slot(r, w->sw, w->block);
		lft_drop(r->pool, *at);
		*at = lft_share(r->pool, w->image);
	}
}

/* Whether packets in flight follow the tables that are known alone. */
static bool
are_tables_plain(const struct topo *t, const struct device_store *hw)
{
	bool plain = true;

	for (sw_ix s = 0; s < t->nsw && plain; s++) {
		uint32_t n;

		(void)device_row(hw, t->node[t->sw[s].node].guid, &n, &plain);
	}
	return plain;
}

/* The verdict on a stage. */
static enum adaptive_verdict
judge_stage(const struct adaptive_mixture *x, const struct routes *from,
	const struct routes *to, const struct transition_result *change,
	unsigned stage)
{
	const struct verify_dependencies *deps = change->mixture[stage];

	if (!sets_hold(x->now, false, from, to, deps))
		return ADAPTIVE_FAILS;
	return stage > 0 || (!x->strays &&
				    sets_hold(x->lost, true, from, to, deps))
		       ? ADAPTIVE_HOLDS
		       : ADAPTIVE_DRAINS;
}

enum adaptive_verdict
adaptive_mixture_judge(const struct adaptive_mixture *x, struct topo *t,
	const struct device_store *hw, const struct transition_result *change)
{
	enum adaptive_verdict worst = ADAPTIVE_HOLDS, v;
	struct routes *from, *to;

	if (change->mixture == NULL || !are_tables_plain(t, hw) ||
		adaptive_can_unwritten(hw, t))
		return ADAPTIVE_FAILS;
	from = tables_found(hw, t, change->pool);
	write_stage(from, change, -1);
	for (unsigned k = 0; k < change->nstages && worst != ADAPTIVE_FAILS;
		k++) {
		to = routes_for(from, t);
		write_stage(to, change, (int)k);
		v = judge_stage(x, from, to, change, k);
		worst = v > worst ? v : worst;
		routes_unref(from);
		from = to;
	}
	routes_unref(from);
	return worst;
}
