/*
 * stage_loss: what stages cost. Between two stages some entries are new and
 * some wait; a packet that comes to a switch which sends it back by the link it
 * came by is discarded. Stages are worth it only where that, for as long as
 * they take, is less than what blocking dependencies loses.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

enum { STEPS_MAX = 4000000 }; /* entries that are looked at, about */

enum fate { UNKNOWN, FOLLOWED, ARRIVES, LOST };

struct walk {
	const struct lft_values *v;
	uint8_t *fate; /* [nsw] for one LID */
	sw_ix *path;   /* [nsw] */
};

/*
 * Follow the tables of this time from s; switches on the path share its fate.
 */
static void
follow_path(struct walk *w, sw_ix s, uint32_t lid, struct transition_when when)
{
	const struct chan_graph *n = w->v->net;
	enum fate end = UNKNOWN;
	uint32_t k = 0;

	while (end == UNKNOWN) {
		uint8_t port[TRANSITION_VALUES];
		sw_ix next;

		if (w->fate[s] != UNKNOWN) {
			end = w->fate[s] == FOLLOWED ? LOST : w->fate[s];
			break;
		}
		w->fate[s] = FOLLOWED;
		w->path[k++] = s;
		(void)lft_values_entry(w->v, s, lid, when, port);
		next = n->to[(size_t)s * 256 + port[0]].s;
		if (next == n->nsw)
			end = n->carry[(size_t)s * 4 + (port[0] >> 6)] >>
						      (port[0] & 63) &
					      1
				      ? ARRIVES
				      : LOST;
		s = next;
	}
	while (k-- > 0)
		w->fate[w->path[k]] = (uint8_t)end;
}

/* Pairs that lose packets; a LID that the new tables drop is not lost. */
static uint64_t
count_lost(struct walk *w, uint32_t lid, struct transition_when when)
{
	uint32_t nsw = w->v->net->nsw;
	uint64_t sum = 0;

	memset(w->fate, UNKNOWN, nsw);
	for (sw_ix s = 0; s < nsw; s++) {
		follow_path(w, s, lid, when);
		sum += w->fate[s] == LOST &&
		       routes_port(w->v->to, s, (uint16_t)lid) != LFT_DROP;
	}
	return sum;
}

void
stage_loss_arrives(const struct lft_values *v, uint32_t lid,
	struct transition_when when, uint8_t *yes)
{
	uint32_t nsw = v->net->nsw;
	struct walk w = {.v = v, .fate = yes};

	w.path = mem_alloc(nsw * sizeof(*w.path));
	(void)count_lost(&w, lid, when);
	for (sw_ix s = 0; s < nsw; s++)
		yes[s] = yes[s] == ARRIVES;
	free(w.path);
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
	w.fate = mem_alloc(nsw);
	w.path = mem_alloc(nsw * sizeof(*w.path));
	for (uint32_t lid = 0; lid < nlids; lid++) {
		if (!yes[lid] || seen++ % each != 0)
			continue;
		for (unsigned k = first; k < end; k++)
			all += count_lost(&w, lid,
				(struct transition_when){TRANSITION_AT, k});
	}
	free(w.fate);
	free(w.path);
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
