#include "sm/audit/path_dependencies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/verify/cdg.h"
#include "sm/base/mem.h"

enum { SLS = 16 };

/* The VLs (a bit each) that have been followed to a LID, by SL, for one
 * in-port. */
struct seen {
	uint16_t sure[SLS], any[SLS], own[SLS];
};

struct walk {
	const struct audit_path_job *job;
	const struct topo *t;
	struct audit_deps *d;
	struct audit_path_facts *out;
	uint8_t same[SLS];
	struct seen *seen; /* [nports] by the port at which packets arrive */
	port_ix *touched;
	size_t ntouched, captouched;
	uint16_t lid;
	sw_ix root;
};

/* Packets at a switch: their SLs, and the VL on which each SL arrived. */
struct at {
	sw_ix sw;
	uint8_t in;
	bool first; /* no switch was passed yet */
	bool own;   /* sent by a switch's port 0 */
	uint16_t sls, sure;
	uint8_t vl[SLS];
};

void
audit_path_one_layer(const struct topo *t,
	const struct verify_dependencies *turns, bool sure,
	struct audit_deps *d)
{
	const struct audit_dependencies_cause why = {.sure = sure};
	size_t rec = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		unsigned w = t->node[t->sw[s].node].nports + 1U;

		for (unsigned in = 1; in < w; in++)
			for (unsigned out = 1; out < w; out++) {
				size_t word =
					((rec + in) << turns->shift) + out / 64;

				if (turns->row[word] >> out % 64 & 1)
					audit_dependencies_add(d,
						&(struct audit_dependency){s,
							(uint8_t)in, 0,
							(uint8_t)out, 0},
						&why);
			}
		rec += w;
	}
}

static void
note_discard(struct walk *w, const struct at *a, unsigned out, unsigned sl)
{
	const struct topo *t = w->t;

	if (w->out->discarded++ > 0)
		return;
	(void)snprintf(w->out->first, sizeof(w->out->first),
		"SL %u to LID %u (%s): %s has no VL for it from port %u to "
		"port %u",
		sl, w->lid, cdg_name(t, t->port[t->by_lid[w->lid]].node).s,
		cdg_name(t, t->sw[a->sw].node).s, a->in, out);
}

/* True if this SL has been here on this VL; marks it as seen. */
static bool
was_seen(struct walk *w, const struct at *a, port_ix at, unsigned sl)
{
	struct seen *s = &w->seen[at];
	uint16_t bit = (uint16_t)(1U << a->vl[sl]);
	bool sure = a->sure >> sl & 1 && !a->own;
	static const struct seen none;

	if (s->sure[sl] & bit || (!sure && s->any[sl] & bit) ||
		(a->own && s->own[sl] & bit))
		return true;
	if (memcmp(s, &none, sizeof(none)) == 0) {
		w->touched = mem_grow(w->touched, w->ntouched, &w->captouched,
			sizeof(*w->touched));
		w->touched[w->ntouched++] = at;
	}
	if (sure)
		s->sure[sl] |= bit;
	else if (a->own)
		s->own[sl] |= bit;
	else
		s->any[sl] |= bit;
	return false;
}

/* Follow one SL through a switch: the VL on which it leaves, or
 * AUDIT_VL_READ_DISCARD. */
static unsigned
pass_switch(struct walk *w, struct at *a, unsigned out, unsigned sl)
{
	const struct audit_vl_row turn = {a->sw, a->in, (uint8_t)out};
	bool sure = a->sure >> sl & 1;
	uint8_t vl = audit_vl_read_vl(w->job->lanes, &turn, sl, &sure);

	if (!sure)
		a->sure &= (uint16_t) ~(1U << sl);
	if (vl == AUDIT_VL_READ_DISCARD) {
		if (sure)
			note_discard(w, a, out, sl);
		return vl;
	}
	if (!a->first)
		audit_dependencies_add(w->d,
			&(struct audit_dependency){
				a->sw, a->in, a->vl[sl], (uint8_t)out, vl},
			&(struct audit_dependencies_cause){
				w->lid, (uint8_t)sl, sure && !a->own, a->own});
	a->vl[sl] = vl;
	return vl;
}

/* Go one hop further; false if no SL is left that has not been here before. */
static bool
walk_step(struct walk *w, struct at *a)
{
	const struct topo *t = w->t;
	const struct topo_node *n = &t->node[t->sw[a->sw].node];
	unsigned out = routes_port(w->job->r, a->sw, w->lid);
	port_ix far;

	if (a->sw == w->root || out == 0 || out > n->nports || out == a->in)
		return false;
	far = t->port[n->first_port + out].peer;
	if (far == TOPO_NONE || t->node[t->port[far].node].sw == TOPO_NONE)
		return false;
	for (unsigned sl = 0; sl < SLS; sl++) {
		unsigned vl;

		if (!(a->sls >> sl & 1))
			continue;
		vl = pass_switch(w, a, out, sl);
		if (vl == AUDIT_VL_READ_DISCARD || was_seen(w, a, far, sl))
			a->sls &= (uint16_t) ~(1U << sl);
	}
	a->sw = t->node[t->port[far].node].sw;
	a->in = t->port[far].num;
	a->first = false;
	return a->sls != 0;
}

/*
 * The SLs of the paths from there to a LID. False if they are unknown, as they
 * are for the further LIDs of a port if only paths to its base LID were
 * reported.
 */
static bool
sls_known(const struct walk *w, const struct audit_sa_client_from *from,
	uint16_t lid, uint16_t *sls)
{
	uint16_t base = w->t->port[w->t->by_lid[lid]].lid, first;

	if (!audit_sa_client_sls(w->job->sa, from, lid, sls))
		return false;
	return *sls != 0 || lid == base ||
	       !audit_sa_client_sls(w->job->sa, from, base, &first) ||
	       first == 0;
}

/*
 * Port 0 answers a request with the SL of the request, which is the SL of the
 * path from the LID to port 0.
 */
static bool
answer_sls_known(const struct walk *w, sw_ix sw, uint16_t *sls)
{
	const struct topo *t = w->t;
	uint16_t mine = t->port[t->node[t->sw[sw].node].first_port].lid;
	port_ix owner = t->by_lid[w->lid];
	const struct audit_sa_client_from there = {
		w->root, t->port[owner].num == 0};

	return mine != 0 && sls_known(w, &there, mine, sls);
}

/* The SLs from there to the LID; false if they are assumed. */
static bool
sls_of(const struct walk *w, const struct audit_sa_client_from *from,
	uint16_t *sls)
{
	uint16_t all = 0, more = 0;
	bool known = sls_known(w, from, w->lid, &all);

	if (from->port0 && w->root != TOPO_NONE)
		known |= answer_sls_known(w, from->sw, &more);
	all |= more;
	if (!known)
		all = w->job->assumed;
	*sls = 0;
	for (unsigned sl = 0; sl < SLS; sl++)
		if (all >> sl & 1)
			*sls |= (uint16_t)(1U << w->same[sl]);
	return known;
}

static void
walk_from(struct walk *w, const struct audit_sa_client_from *from, uint8_t in)
{
	struct at a = {
		.sw = from->sw, .in = in, .first = true, .own = from->port0};

	if (sls_of(w, from, &a.sls)) {
		a.sure = a.sls;
		w->out->told++;
	} else {
		w->out->assumed++;
	}
	while (walk_step(w, &a))
		;
}

/*
 * From a switch's hosts, which are taken to be alike, and from its own port 0.
 */
static void
walk_switch(struct walk *w, sw_ix s)
{
	const struct topo_switch *sw = &w->t->sw[s];

	if (s == w->root || w->t->node[sw->node].flags & TN_QUARANTINED)
		return;
	if (sw->nend > 1)
		walk_from(w, &(struct audit_sa_client_from){s, false},
			w->t->end[sw->end + 1].out);
	walk_from(w, &(struct audit_sa_client_from){s, true}, 0);
}

void
audit_path_walk(const struct audit_path_job *job, struct audit_deps *d,
	struct audit_path_facts *out)
{
	const struct topo *t = job->r->topo;
	struct walk w = {.job = job,
		.t = t,
		.d = d,
		.out = out,
		.seen = mem_zalloc(t->nports, sizeof(*w.seen))};

	*out = (struct audit_path_facts){0};
	audit_vl_read_alike(job->lanes, w.same);
	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		if (t->by_lid[lid] == TOPO_NONE)
			continue;
		w.lid = (uint16_t)lid;
		w.root = topo_switch_of(t, t->by_lid[lid]);
		for (sw_ix s = 0; s < t->nsw; s++)
			walk_switch(&w, s);
		while (w.ntouched > 0)
			w.seen[w.touched[--w.ntouched]] = (struct seen){0};
	}
	free(w.seen);
	free(w.touched);
}
