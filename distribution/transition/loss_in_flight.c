/*
 * loss_in_flight: what is on links, and in switches, that go away or are taken
 * down: as much as is sent while a packet travels from one switch to the next.
 *
 * A sample of the LIDs with an old path over such a link is looked at from all
 * switches with hosts. The loss is little beside what is lost until tables are
 * written, and must be computed while the old routes are there: it gets a small
 * part of the steps.
 */
#include <stdlib.h>

#include "distribution/transition/loss_estimate_priv.h"
#include "sm/base/mem.h"

enum {
	HOPS = 4,   /* of a path, about */
	PART = 16,  /* of the steps */
	SCANS = 512 /* rows that are looked through for LIDs */
};

/* What becomes of a link. */
enum fate { STAYS, GONE, TAKEN, FATES };

struct flight {
	const struct topo *t, *was;
	const struct routes *from;
	const bool *downed;
	uint64_t steps;
	uint8_t *fate;		/* [nports] enum cable, by old port */
	uint32_t rows[FATES];	/* old switches with such ports */
	uint8_t *has;		/* [nsw] bits: which fates its ports have */
	uint32_t *hosts, nwith; /* [nsw] of old; how many have some */
	bool *hit;		/* by LID */
	enum fate how;		/* the fate that is being counted */
};

/*
 * The fate of a link by the port that leads into it; n is the node's number
 * now, or TOPO_NONE.
 */
static enum fate
link_fate(const struct flight *w, port_ix old, node_ix n)
{
	const struct topo *t = w->t;
	const struct topo_port *p = &w->was->port[old], *q;
	port_ix is, peer;

	if (n == TOPO_NONE || p->num > t->node[n].nports)
		return GONE;
	is = topo_port_of(t, n, p->num);
	peer = t->port[is].peer;
	q = &w->was->port[p->peer];
	if (peer == TOPO_NONE || t->port[peer].num != q->num ||
		t->node[t->port[peer].node].guid != w->was->node[q->node].guid)
		return GONE;
	return w->downed != NULL && w->downed[is] ? TAKEN : STAYS;
}

/* The fate of every port of the old switches. */
static void
find_fates(struct flight *w)
{
	const struct topo *was = w->was, *t = w->t;
	sw_ix next = 0;

	for (sw_ix s = 0; s < was->nsw; s++) {
		const struct topo_node *n = &was->node[was->sw[s].node];
		node_ix is;

		/* mostly switches keep their order */
		if (next < t->nsw && t->node[t->sw[next].node].guid == n->guid)
			is = t->sw[next].node;
		else
			is = topo_by_node_guid(t, n->guid);
		if (is != TOPO_NONE)
			next = t->node[is].sw + 1U;
		for (port_ix p = n->first_port; p <= n->first_port + n->nports;
			p++)
			if (was->port[p].peer != TOPO_NONE) {
				w->fate[p] = (uint8_t)link_fate(w, p, is);
				w->has[s] |= (uint8_t)(1U << w->fate[p]);
			}
		for (unsigned k = 0; k < FATES; k++)
			w->rows[k] += w->has[s] >> k & 1;
	}
}

static void
count_hosts(struct flight *w)
{
	const struct topo *t = w->was;

	for (sw_ix s = 0; s < t->nsw; s++) {
		for (uint32_t i = 0; i < t->sw[s].nend; i++)
			w->hosts[s] += loss_estimate_is_host(
				t, t->end[t->sw[s].end + i].port);
		w->nwith += w->hosts[s] > 0;
	}
}

/* Mark the LIDs that this switch sends over links that go away. */
static void
mark_hit_lids(struct flight *w, sw_ix s)
{
	const struct topo_node *n = &w->was->node[w->was->sw[s].node];
	uint32_t lid = 0;

	for (uint32_t b = 0; b < w->from->nblocks; b++) {
		const uint8_t *line = routes_block(w->from, s, b);

		for (unsigned i = 0; i < LFT_BLOCK && lid <= w->was->max_lid;
			i++, lid++)
			if (line[i] <= n->nports &&
				w->fate[n->first_port + line[i]] == w->how)
				w->hit[lid] = true;
	}
}

/*
 * Mark the LIDs of hosts that lose what is in flight to them; how many. For
 * hosts that are gone the last link on the path is gone, too.
 */
static uint32_t
find_hit(struct flight *w)
{
	bool all = w->rows[w->how] > SCANS;
	uint32_t n = 0;

	for (uint32_t lid = 0; lid <= w->was->max_lid; lid++)
		w->hit[lid] = all;
	for (sw_ix s = 0; s < w->was->nsw && !all; s++)
		if (w->has[s] >> w->how & 1)
			mark_hit_lids(w, s);
	for (uint32_t lid = 0; lid <= w->was->max_lid; lid++) {
		port_ix owner = w->was->by_lid[lid];

		w->hit[lid] = w->hit[lid] && owner != TOPO_NONE &&
			      loss_estimate_is_host(w->was, owner);
		n += w->hit[lid];
	}
	return n;
}

/*
 * Links on the old path to a LID that go away: all, or only those with the fate
 * that is counted.
 */
static uint32_t
hops_lost(const struct flight *w, sw_ix s, uint16_t lid, bool all)
{
	const struct topo *was = w->was;
	uint32_t hops = 0;

	for (uint32_t k = 0; k <= was->nsw; k++) {
		port_ix peer =
			topo_port_behind(was, s, routes_port(w->from, s, lid));

		if (peer == TOPO_NONE)
			return 0;
		hops += all || w->fate[was->port[peer].peer] == w->how;
		s = topo_port_switch(was, peer);
		if (s == TOPO_NONE)
			return hops;
	}
	return 0;
}

/* A host that is gone gets nothing of what is in flight to it. */
static bool
is_host_gone(const struct flight *w, port_ix owner)
{
	return w->how == GONE &&
	       topo_by_port_guid(w->t, w->was->port[owner].guid) == TOPO_NONE;
}

/* Pairs times hops that are lost on the path to one LID. */
static double
lost_in_flight_to(const struct flight *w, uint16_t lid)
{
	port_ix owner = topo_by_lid(w->was, lid, NULL);
	bool all = is_host_gone(w, owner);
	uint64_t sum = 0;

	for (sw_ix s = 0; s < w->was->nsw; s++)
		if (w->hosts[s] > 0)
			sum += (uint64_t)w->hosts[s] *
			       hops_lost(w, s, lid, all);
	return (double)sum * loss_estimate_share(w->was, owner);
}

/* Pairs times hops over all marked LIDs, estimated from every n-th one. */
static double
lost_in_flight(struct flight *w, enum fate how)
{
	uint32_t each, seen = 0;
	double sum = 0;

	w->how = how;
	each = (uint32_t)((uint64_t)find_hit(w) * w->nwith * HOPS / w->steps) +
	       1;
	for (uint32_t lid = 1; lid <= w->was->max_lid; lid++)
		if (w->hit[lid] && seen++ % each == 0)
			sum += lost_in_flight_to(w, (uint16_t)lid);
	return sum * each;
}

void
loss_in_flight(const struct loss_estimate_job *job, const bool *downed,
	struct loss_estimate *out)
{
	struct flight w = {.t = job->to->topo,
		.from = job->from,
		.downed = downed,
		.steps = loss_estimate_steps(job) / PART + 1};
	double hop = mono_seconds(job->pace.hop);

	if (job->from == NULL)
		return;
	w.was = job->from->topo;
	w.fate = mem_zalloc(w.was->nports, 1);
	w.has = mem_zalloc(w.was->nsw, 1);
	w.hosts = mem_zalloc(w.was->nsw, sizeof(*w.hosts));
	w.hit = mem_alloc((w.was->max_lid + 1U) * sizeof(*w.hit));
	find_fates(&w);
	count_hosts(&w);
	for (size_t k = 0; k < out->nphases; k++) {
		struct loss_estimate_phase *f = &out->phase[k];
		enum fate how = f->kind == LOSS_ESTIMATE_FALL ? TAKEN : GONE;

		if ((f->kind == LOSS_ESTIMATE_BEFORE ||
			    f->kind == LOSS_ESTIMATE_FALL) &&
			w.rows[how] > 0)
			f->lost[LOSS_ESTIMATE_FLIGHT] =
				lost_in_flight(&w, how) * hop;
	}
	free(w.fate);
	free(w.has);
	free(w.hosts);
	free(w.hit);
}
