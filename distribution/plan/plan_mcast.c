/*
 * plan_mcast: multicast forwarding tables. A tree that moves is broken first:
 * one phase leaves only links that are in the old tree and in the new one, the
 * next adds the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/plan/plan_priv.h"
#include "distribution/tables/mft_cell.h"
#include "sm/base/mem.h"

enum { NO_PORT = 255 };

/* Groups of a block of them, as bits, by what links of theirs change. */
struct moves {
	uint32_t gain, lose;
};

static struct mft_cell_state
state_of(const struct plan_maker *m, const struct plan_cell *c,
	uint16_t mask[MFT_COLUMNS])
{
	const struct topo_port *p = &m->t->port[c->port];
	const uint8_t *is = device_bytes(m->hw,
		device_at_cell(m->t->node[p->node].guid, p->num, c->block));

	if (is != NULL)
		mft_cell_decode(is, mask);
	return (struct mft_cell_state){
		c->want, is != NULL ? mask : NULL, c->links};
}

/* Of every block; the caller's to free. */
static struct moves *
find_moves(const struct plan_maker *m, const struct plan_mcast_job *job)
{
	struct moves *all;
	uint32_t n = 1;

	for (size_t i = 0; i < job->ncells; i++)
		n = job->cell[i].block >= n ? job->cell[i].block + 1 : n;
	all = mem_zalloc(n, sizeof(*all));
	for (size_t i = 0; i < job->ncells; i++) {
		uint16_t mask[MFT_COLUMNS];
		struct mft_cell_state is = state_of(m, &job->cell[i], mask);
		struct moves *x = &all[job->cell[i].block];

		mft_cell_compare(&is, &x->gain, &x->lose);
	}
	return all;
}

static void
add_cell(struct plan_maker *m, const struct plan_cell *c,
	const uint16_t goal[MFT_COLUMNS])
{
	uint32_t pay;

	mft_cell_encode(goal, plan_add_payload(m, &pay));
	plan_add_step(m, c->port, DEVICE_MFT, c->block, pay);
}

/*
 * The cells that differ from what is wanted, but for links that trees that move
 * gain; or (rest) what they lack then.
 */
static void
add_cells(struct plan_maker *m, const struct plan_mcast_job *job,
	const struct moves *moves, bool rest)
{
	for (size_t i = 0; i < job->ncells; i++) {
		const struct plan_cell *c = &job->cell[i];
		uint32_t moving = moves[c->block].gain & moves[c->block].lose;
		uint16_t mask[MFT_COLUMNS], between[MFT_COLUMNS];
		struct mft_cell_state is = state_of(m, c, mask);

		mft_cell_goal(&is, moving, between);
		if (!rest && mft_cell_differs(&is, between))
			add_cell(m, c, between);
		else if (rest && memcmp(between, c->want, MFT_CELL) != 0)
			add_cell(m, c, c->want);
	}
}

/* Whether the tree of any group moves; or only gains links. */
static bool
has_moves(const struct plan_mcast_job *job, const struct moves *moves)
{
	for (size_t i = 0; i < job->ncells; i++)
		if ((moves[job->cell[i].block].gain &
			    moves[job->cell[i].block].lose) != 0)
			return true;
	return false;
}

static bool
has_gains(const struct plan_mcast_job *job, const struct moves *moves)
{
	for (size_t i = 0; i < job->ncells; i++)
		if ((moves[job->cell[i].block].gain &
			    ~moves[job->cell[i].block].lose) != 0)
			return true;
	return false;
}

static void
add_tops(struct plan_maker *m, const struct plan_mcast_job *job)
{
	plan_begin(m, PLAN_MCAST_TOP);
	for (size_t k = 0; k < job->ntops; k++) {
		const struct plan_mcast_top *top = &job->top[k];
		struct mad_switch_info i;
		uint32_t pay;

		if (mad_switch_info_decode(m->t->sinfo[top->sw], &i, NULL) != 0)
			continue;
		i.mft_top = top->top;
		if (top->no_default_ports)
			i.def_mcast_pri = i.def_mcast_not = NO_PORT;
		i.state_change = false;
		mad_switch_info_encode(&i, plan_add_payload(m, &pay));
		plan_add_step(m, m->t->node[m->t->sw[top->sw].node].first_port,
			DEVICE_SWITCH_INFO, 0, pay);
	}
	(void)plan_end(m);
}

struct plan *
plan_mcast(const struct plan_mcast_job *job)
{
	struct plan *p = mem_zalloc(1, sizeof(*p));
	struct plan_maker m = {.p = p, .t = job->topo, .hw = job->hw};
	struct moves *moves = find_moves(&m, job);
	bool breaks;

	p->topo = topo_ref(job->topo);
	add_tops(&m, job);
	breaks = has_moves(job, moves);
	plan_begin(&m, breaks ? PLAN_MCAST_BREAK : PLAN_MCAST_MAKE);
	m.now->settle = has_gains(job, moves);
	add_cells(&m, job, moves, false);
	(void)plan_end(&m);
	plan_begin(&m, PLAN_MCAST_MAKE);
	m.now->settle = true;
	if (breaks)
		add_cells(&m, job, moves, true);
	(void)plan_end(&m);
	free(moves);
	return p;
}
