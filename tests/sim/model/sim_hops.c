#include "tests/sim/model/sim_hops.h"

#include <assert.h>
#include <string.h>

#include "tests/sim/model/sim_int.h"

bool
sim_hops_adaptive(const struct sim *s, uint32_t node)
{
	const struct sim_switch *sw = s->node[node].sw;

	return sw && sw->ar &&
	       (sw->ar->info.enabled || sw->ar->info.fr_enabled);
}

/* The row of entries of a LID at a switch of kind escapes. */
static void
read_row(const struct sim_node *n, uint16_t lid, struct sim_hops *out)
{
	unsigned row = n->attrs.interleave, first = lid & ~(row - 1U);

	out->port = sim_table_lft(n->sw, (uint16_t)first);
	if (lid == first)
		return;
	out->kind = SIM_ESCAPES;
	for (unsigned i = 1; i < row; i++) {
		unsigned p = sim_table_lft(n->sw, (uint16_t)(first + i));

		if (p > 0 && p <= n->nports)
			sim_hops_add(out->tier[0], p);
	}
	/* port 0 or no entry: nothing to choose */
	if (out->port == 0 || out->port == SIM_NO_PORT)
		memset(out->tier, 0, sizeof(out->tier));
}

static bool
is_dead(const struct sim *s, uint32_t node, unsigned port)
{
	const struct sim_port *p;

	if (port == 0 || port > s->node[node].nports)
		return false;
	p = sim_int_port(s, node, port);
	return !p->up || p->pi.state != PORT_ACTIVE;
}

/* Rev1: by ARLFT, in place of the LFT. */
static void
read_entry(const struct sim *s, uint32_t node, uint16_t lid, unsigned sl,
	struct sim_hops *out)
{
	const struct sim_ar *ar = s->node[node].sw->ar;
	const struct mad_ar_info *info = &ar->info;
	const struct mad_ar_entry *e;
	bool adaptive = info->enabled &&
			(!info->by_sl_enabled || info->sl_mask >> sl & 1);

	if (!ar->entry)
		return;
	e = &ar->entry[lid];
	if (info->enabled && e->port != SIM_NO_PORT)
		out->port = e->port;
	if (e->state == MAD_AR_STATIC || e->state == MAD_AR_HASHED)
		adaptive = false;
	/* fast recovery: a Static LID whose port is down takes its group */
	if (!adaptive && !(info->fr_enabled && is_dead(s, node, out->port)))
		return;
	if (!ar->group || e->group > info->group_top)
		return;
	out->kind = s->node[node].attrs.ar_late ? SIM_ESCAPES : SIM_COMMITS;
	out->bounded = e->state == MAD_AR_BOUNDED;
	out->ageing_us = info->ageing_us;
	memcpy(out->tier[0], ar->group[e->group].port[0], sizeof(out->tier[0]));
	if (info->sub_groups_active >= SIM_TIERS)
		memcpy(out->tier[1], ar->group[e->group].port[1],
			sizeof(out->tier[1]));
}

void
sim_hops(const struct sim *s, uint32_t node, uint16_t lid, unsigned sl,
	struct sim_hops *out)
{
	const struct sim_node *n = &s->node[node];

	assert(n->sw);
	memset(out, 0, sizeof(*out));
	out->port = sim_table_lft(n->sw, lid);
	if (!sim_hops_adaptive(s, node) || lid >= MAD_LID_END ||
		lid > n->sw->si.lft_top)
		return;
	if (n->attrs.interleave == 0)
		read_entry(s, node, lid, sl, out);
	else if (n->sw->ar->info.enabled)
		read_row(n, lid, out);
}

void
sim_hops_any(const struct sim *s, uint32_t node, uint16_t lid,
	uint64_t ports[SIM_HOP_WORDS])
{
	const struct sim_ar *ar = s->node[node].sw->ar;
	/* one SL that is in the mask, and one that is not */
	unsigned in = ar && ar->info.sl_mask
			      ? (unsigned)__builtin_ctz(ar->info.sl_mask)
			      : 0;
	unsigned out =
		ar ? (unsigned)__builtin_ctz(~(unsigned)ar->info.sl_mask) : 0;
	unsigned sls[2] = {in, out % 16};
	struct sim_hops h;

	memset(ports, 0, SIM_HOP_WORDS * sizeof(*ports));
	for (unsigned i = 0; i < 2; i++) {
		sim_hops(s, node, lid, sls[i], &h);
		if (h.port > 0 && h.port <= s->node[node].nports)
			sim_hops_add(ports, h.port);
		for (unsigned w = 0; w < SIM_HOP_WORDS; w++)
			ports[w] |= h.kind == SIM_COMMITS
					    ? h.tier[0][w] | h.tier[1][w]
					    : 0;
	}
}
