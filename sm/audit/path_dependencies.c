#include "sm/audit/path_dependencies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/slvl.h"
#include "sm/base/mem.h"

enum { NO_SL = SLVL_SLS };

/* The VLs (a bit each) that have been followed to a LID, by SL, for one
 * in-port. */
struct seen {
	uint16_t sure[SLVL_SLS], any[SLVL_SLS], own[SLVL_SLS];
};

struct walk {
	const struct audit_path_job *job;
	const struct topo *t;
	struct audit_deps *d;
	struct audit_path_facts *out;
	uint8_t same[SLVL_SLS];
	struct seen *seen; /* [nports] by the port at which packets arrive */
	port_ix *touched;
	size_t ntouched, captouched;
	uint16_t lid;
	sw_ix root;
	port_ix *class_of; /* [nports] */
	struct at *stack;  /* packets that are to go on */
	size_t nstack, capstack;
};

/* Packets at a switch: their SLs, and the VL on which each SL arrived. */
struct at {
	sw_ix sw;
	uint8_t in;
	bool first; /* no switch was passed yet */
	bool own;   /* sent by a switch's port 0 */
	uint16_t sls, sure;
	uint8_t vl[SLVL_SLS];
};

void
audit_path_one_layer(const struct topo *t,
	const struct verify_dependencies *deps, bool sure, struct audit_deps *d)
{
	const struct audit_dependencies_cause why = {.sure = sure};
	size_t rec = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		unsigned w = t->node[t->sw[s].node].nports + 1U;

		for (unsigned in = 1; in < w; in++)
			for (unsigned out = 1; out < w; out++) {
				size_t word =
					((rec + in) << deps->shift) + out / 64;

				if (deps->row[word] >> out % 64 & 1)
					audit_dependencies_add(d,
						&(struct audit_dependency){s,
							(uint8_t)in, 0,
							(uint8_t)out, 0},
						&why);
			}
		rec += w;
	}
}

/* sl: NO_SL for every SL. */
static void
note_discard(struct walk *w, const struct at *a, unsigned out, unsigned sl)
{
	const struct topo *t = w->t;
	char which[16] = "every SL";

	if (w->out->discarded++ > 0)
		return;
	if (sl != NO_SL)
		(void)snprintf(which, sizeof(which), "SL %u", sl);
	(void)snprintf(w->out->first, sizeof(w->out->first),
		"%s to LID %u (%s): %s has no VL for it from port %u to "
		"port %u",
		which, w->lid, topo_name(t, t->port[t->by_lid[w->lid]].node).s,
		topo_name(t, t->sw[a->sw].node).s, a->in, out);
}

/* True if packets of unknown SLs are lost here whatever their SL is. */
static bool
is_closed(const struct walk *w, const struct at *a, unsigned out)
{
	const struct audit_vl_row dep = {a->sw, a->in, (uint8_t)out};
	bool sure = true;

	for (unsigned sl = 0; sl < SLVL_SLS && sure; sl++)
		if (audit_vl_read_vl(w->job->vls, &dep, sl, &sure) !=
			AUDIT_VL_READ_DISCARD)
			return false;
	return sure;
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
	const struct audit_vl_row dep = {a->sw, a->in, (uint8_t)out};
	bool sure = a->sure >> sl & 1;
	uint8_t vl = audit_vl_read_vl(w->job->vls, &dep, sl, &sure);

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
take_hop(struct walk *w, struct at *a, unsigned out)
{
	const struct topo *t = w->t;
	port_ix far = topo_port_behind(t, a->sw, out);
	sw_ix next = topo_port_switch(t, far);

	if (out == a->in || next == TOPO_NONE)
		return false;
	if (a->sure == 0 && is_closed(w, a, out))
		note_discard(w, a, out, NO_SL);
	for (unsigned sl = 0; sl < SLVL_SLS; sl++) {
		unsigned vl;

		if (!(a->sls >> sl & 1))
			continue;
		vl = pass_switch(w, a, out, sl);
		if (vl == AUDIT_VL_READ_DISCARD || was_seen(w, a, far, sl))
			a->sls &= (uint16_t) ~(1U << sl);
	}
	a->sw = next;
	a->in = t->port[far].num;
	a->first = false;
	return a->sls != 0;
}

/* Packets of these SLs leave by a port. */
static void
leave_by(struct walk *w, struct at a, unsigned out, uint16_t sls, bool sure)
{
	a.sls &= sls;
	a.sure = sure ? a.sure & a.sls : 0;
	if (a.sls == 0 || !take_hop(w, &a, out))
		return;
	w->stack =
		mem_grow(w->stack, w->nstack, &w->capstack, sizeof(*w->stack));
	w->stack[w->nstack++] = a;
}

/* They leave by any port of a group, and by the default those that may not
 * choose, or that have it in the group. */
static void
leave_by_group(struct walk *w, const struct at *a,
	const struct audit_adaptive_switch *c, unsigned table)
{
	const struct mad_ar_entry *e = &c->entry[w->lid];
	uint16_t choose = c->info.by_sl_enabled ? c->info.sl_mask : UINT16_MAX;
	struct route_set ports = {{0}};

	for (unsigned k = 0; k < ROUTE_SET_WORDS; k++)
		if (e->state != MAD_AR_STATIC && e->group < c->ngroups)
			ports.port[k] = c->group[e->group].port[0][k] |
					c->group[e->group].port[1][k];
	if (route_set_count(&ports) == 0)
		choose = 0;
	leave_by(w, *a, table, (uint16_t)~choose, e->port == table);
	if (e->port != table)
		leave_by(w, *a, e->port, (uint16_t)~choose, false);
	for (unsigned p = route_set_next(&ports, 1);
		choose != 0 && p < ROUTE_SET_WORDS * 64;
		p = route_set_next(&ports, p + 1))
		leave_by(w, *a, p, choose, true);
}

static void
leave_switch(struct walk *w, const struct at *a)
{
	unsigned table = routes_port(w->job->r, a->sw, w->lid);
	const struct audit_adaptive_switch *c =
		w->job->choices == NULL
			? NULL
			: audit_adaptive_read_switch(w->job->choices, a->sw);

	if (c != NULL && c->complete)
		leave_by_group(w, a, c, table);
	else
		leave_by(w, *a, table, UINT16_MAX, true);
}

/* Follow packets to the LID. */
static void
follow_packets(struct walk *w, const struct at *from)
{
	struct at a = *from;

	for (;;) {
		if (a.sw != w->root)
			leave_switch(w, &a);
		if (w->nstack == 0)
			return;
		a = w->stack[--w->nstack];
	}
}

/* ---- senders ---- */

/* Count a pair whose SLs were reported, or not. */
static bool
count_pair(struct walk *w, bool known)
{
	w->out->told += known;
	w->out->assumed += !known;
	return known;
}

/* The SLs that are sure; others may be in use as well if some are unknown. */
static void
set_sls(const struct walk *w, struct at *a, uint16_t sure, bool known)
{
	a->sls = a->sure = 0;
	for (unsigned sl = 0; sl < SLVL_SLS; sl++) {
		uint16_t bit = (uint16_t)(1U << w->same[sl]);

		if (sure >> sl & 1)
			a->sure |= bit;
		if (!known || sure >> sl & 1)
			a->sls |= bit;
	}
}

/*
 * Port 0 sends with the SL of its path to the LID, and answers with the SL of
 * the request, which is the SL of the path from the LID to port 0.
 */
static void
walk_from_port0(struct walk *w, sw_ix s)
{
	const struct topo *t = w->t;
	port_ix port = t->node[t->sw[s].node].first_port;
	struct at a = {.sw = s, .first = true, .own = true};
	uint16_t to, back;
	bool known;

	if (t->port[port].lid == 0)
		return;
	known = audit_sa_client_sls(w->job->sa, port, w->lid, &to);
	known &= audit_sa_client_sls(
		w->job->sa, t->by_lid[w->lid], t->port[port].lid, &back);
	set_sls(w, &a, to | back, count_pair(w, known));
	follow_packets(w, &a);
}

/*
 * From those hosts of the switch that have the SL to VL tables of the host at
 * end `first`, unless an earlier end has them.
 */
static void
walk_from_hosts(struct walk *w, sw_ix s, uint32_t first)
{
	const struct topo *t = w->t;
	const struct topo_end *e = &t->end[t->sw[s].end];
	struct at a = {.sw = s, .in = e[first].out, .first = true};
	uint16_t sls = 0, one;
	bool known = true;

	for (uint32_t i = first; i < t->sw[s].nend; i++) {
		if (w->class_of[e[i].port] != e[first].port)
			continue;
		known &= count_pair(w, audit_sa_client_sls(w->job->sa,
					       e[i].port, w->lid, &one));
		sls |= one;
	}
	set_sls(w, &a, sls, known);
	follow_packets(w, &a);
}

static void
walk_switch(struct walk *w, sw_ix s)
{
	const struct topo *t = w->t;
	const struct topo_switch *sw = &t->sw[s];

	if (s == w->root || t->node[sw->node].flags & TN_QUARANTINED)
		return;
	for (uint32_t i = 1; i < sw->nend; i++) {
		port_ix p = t->end[sw->end + i].port;

		if (w->class_of[p] == p)
			walk_from_hosts(w, s, i);
	}
	walk_from_port0(w, s);
}

/* Sort the hosts of a switch by the SL to VL tables of their ports: class_of is
 * the first host that has the same, or TOPO_NONE for a port that sends
 * nothing. */
static void
sort_hosts(struct walk *w, sw_ix s)
{
	const struct topo *t = w->t;
	const struct topo_end *e = &t->end[t->sw[s].end];

	for (uint32_t i = 1; i < t->sw[s].nend; i++) {
		port_ix mine = audit_sa_client_sends(t, e[i].port) ? e[i].port
								   : TOPO_NONE;

		for (uint32_t k = 1; k < i && mine == e[i].port; k++)
			if (w->class_of[e[k].port] == e[k].port &&
				audit_vl_read_same(
					w->job->vls, s, e[k].out, e[i].out))
				mine = e[k].port;
		w->class_of[e[i].port] = mine;
	}
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
		.seen = mem_zalloc(t->nports, sizeof(*w.seen)),
		.class_of = mem_zalloc(t->nports, sizeof(*w.class_of))};

	*out = (struct audit_path_facts){0};
	audit_vl_read_alike(job->vls, w.same);
	for (unsigned sl = 0; job->choices != NULL && sl < SLVL_SLS; sl++)
		w.same[sl] = (uint8_t)sl; /* switches may choose by SL */
	for (sw_ix s = 0; s < t->nsw; s++)
		sort_hosts(&w, s);
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
	free(w.class_of);
	free(w.touched);
	free(w.stack);
}
