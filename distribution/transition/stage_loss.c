/*
 * stage_loss: what stages cost. Between two stages some entries are new and
 * some wait; a packet that comes to a switch which sends it back by the link it
 * came by is discarded. Stages are worth it only where that, for as long as
 * they take, is less than what blocking dependencies loses.
 */
#include <stdlib.h>

#include "distribution/transition/transition_priv.h"
#include "routing/core/path_fate.h"
#include "sm/base/mem.h"

enum { STEPS_MAX = 4000000 }; /* entries that are looked at, about */

enum fate { ARRIVES, LOST };

struct walk {
	const struct lft_values *v;
	struct path_fate fate;
	uint32_t lid;
	struct transition_when when;
};

/* A step by the tables of this time. */
static uint8_t
next_switch(void *arg, sw_ix *s)
{
	const struct walk *w = arg;
	const struct chan_graph *n = w->v->net;
	uint8_t port[TRANSITION_VALUES];
	sw_ix at = *s;

	(void)lft_values_entry(w->v, at, w->lid, w->when, port);
	*s = n->to[(size_t)at * 256 + port[0]].s;
	if (*s != n->nsw)
		return PATH_FATE_OPEN;
	return n->carry[(size_t)at * 4 + (port[0] >> 6)] >> (port[0] & 63) & 1
		       ? ARRIVES
		       : LOST;
}

/* Pairs that lose packets; a LID that the new tables drop is not lost. */
static uint64_t
count_lost(struct walk *w, uint32_t lid, struct transition_when when)
{
	uint32_t nsw = w->v->net->nsw;
	uint64_t sum = 0;

	w->lid = lid;
	w->when = when;
	path_fate_reset(&w->fate);
	for (sw_ix s = 0; s < nsw; s++)
		sum += path_fate_follow(&w->fate, s, LOST, next_switch, NULL,
			       w) == LOST &&
		       routes_port(w->v->to, s, (uint16_t)lid) != LFT_DROP;
	return sum;
}

void
stage_loss_arrives(const struct lft_values *v, uint32_t lid,
	struct transition_when when, uint8_t *yes)
{
	uint32_t nsw = v->net->nsw;
	struct walk w = {.v = v, .fate = path_fate_new(nsw)};

	(void)count_lost(&w, lid, when);
	for (sw_ix s = 0; s < nsw; s++)
		yes[s] = w.fate.of[s] == ARRIVES;
	path_fate_free(&w.fate);
}

/* LIDs that some switch changes later than in the first stage. */
static bool *
deferred_lids(const struct lft_values *v)
{
	bool *yes = mem_zalloc((size_t)v->nblocks * LFT_BLOCK, sizeof(*yes));

	for (size_t i = 0; i < v->ncells; i++)
		for (unsigned l = 0; l < LFT_BLOCK; l++)
			yes[v->c[i].b * LFT_BLOCK + l] |= v->stage[i][l] > 0;
	return yes;
}

/* LIDs for which some entry leads nowhere now, and will not later. */
static bool *
hurt_lids(const struct lft_values *v)
{
	bool *yes = mem_zalloc((size_t)v->nblocks * LFT_BLOCK, sizeof(*yes));

	for (size_t i = 0; i < v->ncells; i++) {
		uint64_t bits =
			v->c[i].write ? lft_values_diff(v, &v->c[i]).urgent : 0;

		for (; bits != 0; bits &= bits - 1)
			yes[v->c[i].b * LFT_BLOCK +
				(unsigned)__builtin_ctzll(bits)] = true;
	}
	return yes;
}

/* Pairs that lose packets as these stages begin, over the marked LIDs. */
static uint64_t
sum_lost(const struct lft_values *v, const bool *yes, unsigned first,
	unsigned end)
{
	uint32_t nlids = v->nblocks * LFT_BLOCK, nsw = v->net->nsw;
	struct walk w = {.v = v};
	uint64_t n = 0, all = 0;
	uint32_t each, seen = 0;

	for (uint32_t lid = 0; lid < nlids; lid++)
		n += yes[lid];
	each = (uint32_t)(n * nsw * (end - first) / STEPS_MAX) + 1;
	w.fate = path_fate_new(nsw);
	for (uint32_t lid = 0; lid < nlids; lid++) {
		if (!yes[lid] || seen++ % each != 0)
			continue;
		for (unsigned k = first; k < end; k++)
			all += count_lost(&w, lid,
				(struct transition_when){TRANSITION_AT, k});
	}
	path_fate_free(&w.fate);
	return all * each;
}

uint64_t
stage_loss_estimate(const struct lft_values *v, unsigned nstages)
{
	bool *yes = deferred_lids(v);
	uint64_t n = sum_lost(v, yes, 1, nstages);

	free(yes);
	return n;
}

uint64_t
stage_loss_current(const struct lft_values *v)
{
	bool *yes = hurt_lids(v);
	uint64_t n = sum_lost(v, yes, 0, 1);

	free(yes);
	return n;
}
