#include "sm/audit/adaptive_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

/* A switch whose entries are being read. */
struct reader {
	const struct audit_adaptive_switch *w;
	const struct routes *r;
	const struct route_sets *sets; /* that are being filled */
	struct audit_adaptive_facts *out;
	sw_ix sw;
	struct route_set *set; /* [nsw] by destination switch */
	uint8_t *seen;	       /* [nsw] an entry was taken for it */
};

/* An entry for a LID, of the switch of a reader. */
struct entry {
	uint16_t lid;
	sw_ix to;
	const struct mad_ar_entry *e;
};

static struct topo_name
name_of(const struct reader *x)
{
	return topo_name(x->r->topo, x->r->topo->sw[x->sw].node);
}

static void
note_entry(const struct reader *x, struct audit_adaptive_fault *f,
	const struct entry *e, const char *what)
{
	if (f->n++ == 0)
		(void)snprintf(f->first, sizeof(f->first), "%s: LID %u %s %u",
			name_of(x).s, e->lid, what, e->e->group);
}

static void
note_port(const struct reader *x, struct audit_adaptive_fault *f,
	const struct entry *e, unsigned port)
{
	if (f->n++ == 0)
		(void)snprintf(f->first, sizeof(f->first),
			"%s: LID %u may leave by port %u of group %u",
			name_of(x).s, e->lid, port, e->e->group);
}

/* The ports of the entry's group: no ports, and noted, if there are none. */
static struct route_set
ports_of_group(const struct reader *x, const struct entry *e)
{
	const struct mad_ar_group *g;
	struct route_set set = {{0}};

	if (e->e->group < x->w->ngroups &&
		e->e->group <= x->w->info.group_top) {
		g = &x->w->group[e->e->group];
		for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
			set.port[w] = g->port[0][w] | g->port[1][w];
	}
	x->out->choices++;
	if (route_set_count(&set) == 0)
		note_entry(x, &x->out->no_group, e, "names the empty group");
	return set;
}

/* The live switch behind a port, or TOPO_NONE. */
static sw_ix
switch_by(const struct reader *x, unsigned port)
{
	const struct topo *t = x->r->topo;
	sw_ix next = topo_port_switch(t, topo_port_behind(t, x->sw, port));

	return next != TOPO_NONE && topo_sw_live(t, next) ? next : TOPO_NONE;
}

/* Those of the ports that lead to a switch; others are noted. */
static struct route_set
ports_with_switch(const struct reader *x, const struct entry *e,
	const struct route_set *from, uint8_t table)
{
	struct route_set set = {{0}};

	for (unsigned p = route_set_next(from, 0); p < ROUTE_SET_WORDS * 64;
		p = route_set_next(from, p + 1)) {
		if (p == table && x->sw == e->to)
			continue; /* there it is delivered */
		if (x->sw == e->to)
			note_port(x, &x->out->away, e, p);
		else if (switch_by(x, p) == TOPO_NONE)
			note_port(x, &x->out->no_link, e, p);
		else
			route_set_add(&set, p);
	}
	return set;
}

/* Packets to a LID take the default of its entry, too, where that is not the
 * forwarding table's. */
static void
take_entry(struct reader *x, const struct entry *e)
{
	uint8_t table = routes_port(x->r, x->sw, e->lid);
	struct route_set ports = {{0}}, set;

	if (e->e->state != MAD_AR_STATIC)
		ports = ports_of_group(x, e);
	if (e->e->port != table && x->out->other_default.n++ == 0)
		(void)snprintf(x->out->other_default.first,
			sizeof(x->out->other_default.first),
			"%s: LID %u has port %u for packets in order, and port "
			"%u in the forwarding table",
			name_of(x).s, e->lid, e->e->port, table);
	set = ports_with_switch(x, e, &ports, table);
	if (e->e->port != table && switch_by(x, e->e->port) != TOPO_NONE)
		route_set_add(&set, e->e->port);
	if (x->sw == e->to)
		return;
	x->out->mixed |= x->seen[e->to] &&
			 memcmp(&set, &x->set[e->to], sizeof(set)) != 0;
	x->seen[e->to] = true;
	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		x->set[e->to].port[w] |= set.port[w];
}

static struct route_set_row *
read_switch(struct reader *x)
{
	const struct topo *t = x->r->topo;
	struct route_set_row *row = route_set_row_new(x->sets->dest.n);

	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		port_ix p = topo_by_lid(t, (uint16_t)lid, NULL);
		struct entry e = {(uint16_t)lid,
			p == TOPO_NONE ? TOPO_NONE : topo_switch_of(t, p),
			&x->w->entry[lid]};

		if (e.to != TOPO_NONE)
			take_entry(x, &e);
	}
	for (sw_ix d = 0; d < t->nsw; d++)
		if (x->sets->dest.number[d] < x->sets->dest.n)
			row->of[x->sets->dest.number[d]] =
				route_set_row_number(row, &x->set[d]);
	return row;
}

static void
read_all(const struct audit_adaptive_read *read, const struct routes *r,
	struct route_sets *sets, struct audit_adaptive_facts *out)
{
	const struct topo *t = r->topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		struct reader x = {.w = audit_adaptive_read_switch(read, s),
			.r = r,
			.sets = sets,
			.out = out,
			.sw = s};

		if (x.w->asked && !x.w->complete && out->unread++ == 0)
			(void)snprintf(out->unread_first,
				sizeof(out->unread_first), "%s", name_of(&x).s);
		if (!x.w->complete)
			continue;
		x.set = mem_zalloc(t->nsw, sizeof(*x.set));
		x.seen = mem_zalloc(t->nsw, sizeof(*x.seen));
		sets->row[s] = read_switch(&x);
		sets->can[s].kind = ROUTE_COMMITS;
		out->switches++;
		free(x.set);
		free(x.seen);
	}
}

void
audit_adaptive_sets_judge(const struct audit_adaptive_read *read,
	const struct routes *r, const struct verify_dependencies *deps,
	unsigned threads, struct audit_adaptive_facts *out)
{
	struct route_choice *can = mem_zalloc(r->topo->nsw, sizeof(*can));
	struct route_sets *sets = route_sets_new(r->topo, can, false);
	const struct verify_sets_job job = {.topo = r->topo,
		.side = {{r->pool, r->row, r->nblocks, sets}},
		.nsides = 1,
		.deps = deps,
		.threads = threads};
	struct reason why = {""};

	*out = (struct audit_adaptive_facts){.safe = true};
	read_all(read, r, sets, out);
	if (out->switches > 0)
		out->safe = verify_sets(&job, &out->judged, &why) == 0;
	(void)snprintf(out->why, sizeof(out->why), "%s", why.text);
	route_sets_unref(sets);
	free(can);
}

/* ---- dependencies ---- */

/* The ports that packets to a LID may leave switch s by; true if there is a
 * choice. */
static bool
find_ports(const struct audit_adaptive_switch *w, const struct routes *r,
	sw_ix s, uint16_t lid, struct route_set *out)
{
	const struct mad_ar_entry *e = w->complete ? &w->entry[lid] : NULL;

	*out = (struct route_set){{0}};
	route_set_add(out, routes_port(r, s, lid));
	if (e == NULL)
		return false;
	route_set_add(out, e->port);
	for (unsigned k = 0; k < ROUTE_SET_WORDS; k++)
		if (e->state != MAD_AR_STATIC && e->group < w->ngroups)
			out->port[k] |= w->group[e->group].port[0][k] |
					w->group[e->group].port[1][k];
	return route_set_count(out) > 1;
}

/* Packets to a LID of switch `to` that arrive by a link wait for all ports of
 * its end but that one: by[] of the port where it ends. */
static void
note_waits(const struct topo *t, sw_ix to, const struct route_set *ports,
	struct route_set *by)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		for (unsigned p = route_set_next(&ports[s], 1);
			s != to && p < ROUTE_SET_WORDS * 64;
			p = route_set_next(&ports[s], p + 1)) {
			port_ix far = topo_port_behind(t, s, p);
			sw_ix next = topo_port_switch(t, far);

			for (unsigned k = 0; next != TOPO_NONE && next != to &&
					     k < ROUTE_SET_WORDS;
				k++)
				by[far].port[k] |= ports[next].port[k];
		}
}

static void
add_waits(const struct topo *t, const struct route_set *by, bool sure,
	struct audit_deps *d)
{
	const struct audit_dependencies_cause why = {.sure = sure};

	for (port_ix in = 0; in < t->nports; in++)
		for (unsigned p = route_set_next(&by[in], 1);
			p < ROUTE_SET_WORDS * 64;
			p = route_set_next(&by[in], p + 1)) {
			const struct audit_dependency x = {
				.sw = topo_port_switch(t, in),
				.in = t->port[in].num,
				.out = (uint8_t)p};

			if (p != x.in &&
				topo_port_behind(t, x.sw, p) != TOPO_NONE)
				audit_dependencies_add(d, &x, &why);
		}
}

static bool
is_any_complete(const struct audit_adaptive_read *read, const struct topo *t)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		if (audit_adaptive_read_switch(read, s)->complete)
			return true;
	return false;
}

void
audit_adaptive_sets_add(const struct audit_adaptive_read *read,
	const struct routes *r, bool sure, struct audit_deps *d)
{
	const struct topo *t = r->topo;
	struct route_set *ports, *by;

	if (!is_any_complete(read, t))
		return;
	ports = mem_zalloc(t->nsw, sizeof(*ports));
	by = mem_zalloc(t->nports, sizeof(*by));
	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		port_ix p = topo_by_lid(t, (uint16_t)lid, NULL);
		bool any = false;

		for (sw_ix s = 0; p != TOPO_NONE && s < t->nsw; s++)
			any |= find_ports(audit_adaptive_read_switch(read, s),
				r, s, (uint16_t)lid, &ports[s]);
		if (any)
			note_waits(t, topo_switch_of(t, p), ports, by);
	}
	add_waits(t, by, sure, d);
	free(ports);
	free(by);
}
