/*
 * Switches with several out-ports for a LID: each must lead on, none round, and
 * all of them make dependencies, on every VL that packets can be on.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/model/sim_hops.h"
#include "tests/sim/referee/referee_int.h"

enum { F_SET = 64 };

struct sets {
	struct referee *j;
	const struct referee_lid *l;
	bool *done; /* [nnodes] all packets from there arrive */
};

bool
referee_sets_exist(const struct referee *j)
{
	for (uint32_t i = 0; i < j->norder; i++) {
		if (j->s->node[j->order[i]].type == FABRIC_SWITCH &&
			sim_hops_adaptive(j->s, j->order[i]))
			return true;
	}
	return false;
}

/* The node behind a port, or REFEREE_LOST; *end: it is the LID's. */
static uint32_t
node_behind(const struct sets *x, uint32_t sw, unsigned port, bool *end)
{
	const struct sim_port *p = sim_int_port(x->j->s, sw, port);

	*end = false;
	if (!p->up || p->peer == FABRIC_NONE || !x->j->scope[p->peer])
		return REFEREE_LOST;
	*end = p->peer == x->l->node && p->peer_port == x->l->port;
	if (x->j->s->node[p->peer].type != FABRIC_SWITCH)
		return *end ? p->peer : REFEREE_LOST;
	*end = false;
	return p->peer;
}

/* Whether all ports of a switch lead to where all packets arrive. */
static bool
all_arrive(const struct sets *x, uint32_t sw)
{
	uint64_t ports[SIM_HOP_WORDS];
	bool end;

	sim_hops_any(x->j->s, sw, x->l->lid, ports);
	for (unsigned p = 0; sim_hops_next(ports, &p); p++) {
		uint32_t next = node_behind(x, sw, p, &end);

		/* what leads nowhere is told by itself */
		if (next != REFEREE_LOST && !end && !x->done[next])
			return false;
	}
	return true;
}

/* Ports that lead nowhere, of the alternatives alone. */
static void
judge_ports(const struct sets *x, uint32_t sw)
{
	uint64_t ports[SIM_HOP_WORDS];
	bool end;

	if (!sim_hops_adaptive(x->j->s, sw))
		return;
	sim_hops_any(x->j->s, sw, x->l->lid, ports);
	for (unsigned p = 0; sim_hops_next(ports, &p); p++) {
		if (node_behind(x, sw, p, &end) != REFEREE_LOST)
			continue;
		x->j->r->holes++;
		referee_say(x->j, F_SET,
			"an alternative of \"%s\" for LID %u is port %u: no way"
			" there",
			x->j->s->node[sw].name, x->l->lid, p);
	}
	for (unsigned p = 0; sim_hops_next(ports, &p); p++) {
		uint32_t next = node_behind(x, sw, p, &end);
		uint64_t then[SIM_HOP_WORDS];

		if (next == REFEREE_LOST || end)
			continue;
		sim_hops_any(x->j->s, next, x->l->lid, then);
		if ((then[0] | then[1] | then[2] | then[3]) != 0 ||
			next == x->l->node)
			continue;
		x->j->r->holes++;
		referee_say(x->j, F_SET,
			"an alternative of \"%s\" for LID %u leads to \"%s\","
			" which has no entry",
			x->j->s->node[sw].name, x->l->lid,
			x->j->s->node[next].name);
	}
}

static void
judge_loops(struct sets *x)
{
	struct referee *j = x->j;
	bool more = true;

	memset(x->done, 0, j->s->nnodes * sizeof(*x->done));
	while (more) {
		more = false;
		for (uint32_t i = 0; i < j->norder; i++) {
			uint32_t sw = j->order[i];

			if (j->s->node[sw].type != FABRIC_SWITCH ||
				x->done[sw] || !all_arrive(x, sw))
				continue;
			x->done[sw] = more = true;
		}
	}
	for (uint32_t i = 0; i < j->norder; i++) {
		uint32_t sw = j->order[i];

		if (j->s->node[sw].type != FABRIC_SWITCH || x->done[sw])
			continue;
		j->r->loops++;
		referee_say(j, F_SET << 1,
			"packets for LID %u can go round from \"%s\" by"
			" alternatives",
			x->l->lid, j->s->node[sw].name);
	}
}

/* All pairs of a port that packets come in by and one that they leave by. */
static void
add_pairs(const struct sets *x, uint32_t sw)
{
	struct referee *j = x->j;
	uint64_t ports[SIM_HOP_WORDS], then[SIM_HOP_WORDS];
	bool end;

	sim_hops_any(j->s, sw, x->l->lid, ports);
	for (unsigned p = 0; sim_hops_next(ports, &p); p++) {
		uint32_t next = node_behind(x, sw, p, &end);
		unsigned in = sim_int_port(j->s, sw, p)->peer_port;

		if (next == REFEREE_LOST || end)
			continue;
		sim_hops_any(j->s, next, x->l->lid, then);
		for (unsigned q = 0; sim_hops_next(then, &q); q++) {
			uint32_t to = node_behind(x, next, q, &end);

			if (q != in && to != REFEREE_LOST && !end)
				referee_vl_pair(j, next, in, q);
		}
	}
}

void
referee_sets_add(struct referee *j, const struct referee_lid *l, unsigned what)
{
	struct sets x = {j, l, mem_zalloc(j->s->nnodes, sizeof(*x.done))};

	judge_loops(&x);
	for (uint32_t i = 0; i < j->norder; i++) {
		uint32_t sw = j->order[i];

		if (j->s->node[sw].type != FABRIC_SWITCH)
			continue;
		judge_ports(&x, sw);
		if (what & REFEREE_CYCLES)
			add_pairs(&x, sw);
	}
	free(x.done);
}
