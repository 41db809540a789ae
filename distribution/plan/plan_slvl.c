/*
 * plan_slvl: VLs in a plan: how ports arbitrate among them, and which SL takes
 * which. Unknown tables of live ports are read first, so that a restart writes
 * nothing; ports that are not up, and switches that take many rows in one Set,
 * are written without reading.
 *
 * A host that comes up gets its row while it is Armed. Should it restart before
 * it is Active, it is in Init again, which shows; a host that got its row
 * before it was Armed could lose it and be Armed all the same.
 */
#include <string.h>

#include "distribution/plan/plan_priv.h"

/* A node and the rows that are being planned for it. */
struct rows {
	node_ix n;
	const struct topo_node *node;
	uint64_t in[4]; /* ports by which packets come, a bit each */
	bool many;	/* one Set writes the rows of all in-ports */
};

static const struct topo_port *
port_at(const struct plan_maker *m, port_ix p)
{
	return &m->t->port[p];
}

/*
 * Whether the node needs rows. A node that has ours from before gets new ones.
 */
static bool
needs_rows(const struct plan_maker *m, node_ix n)
{
	const struct topo_node *node = &m->t->node[n];
	const struct slvl *l = &m->vlarb.levels;

	return (node->flags & (TN_QUARANTINED | TN_DUPLICATE)) == 0 &&
	       (l->wanted || l->layers > 1 ||
		       device_marked(m->hw,
			       device_at_switch(node->guid, DEVICE_SL2VL),
			       DEVICE_ASSIGNED));
}

static bool
is_linked(const struct plan_maker *m, port_ix p)
{
	return (port_at(m, p)->flags & (TP_ABSENT | TP_UNREAD)) == 0 &&
	       port_at(m, p)->peer != TOPO_NONE;
}

static bool
can_map(const struct plan_maker *m, const struct rows *r, port_ix p)
{
	return is_linked(m, p) && port_at(m, p)->vl_cap > 1 &&
	       slvl_maps(m->t, p) &&
	       !device_marked(m->hw,
		       device_at_switch(r->node->guid, DEVICE_SL2VL),
		       DEVICE_REFUSES);
}

static bool
carries_data(const struct plan_maker *m, port_ix p)
{
	const struct topo_node *n = &m->t->node[port_at(m, p)->node];

	return n->type == TOPO_SWITCH ? (n->flags & TN_FRESH) == 0
				      : port_at(m, p)->state > PORT_INIT;
}

/*
 * Whether port p is due in this phase: a host's port that is not up is due when
 * it is Armed (rising), every other port before.
 */
static bool
is_due_now(const struct plan_maker *m, port_ix p)
{
	const struct topo_node *n = &m->t->node[port_at(m, p)->node];

	return m->rising == (n->type != TOPO_SWITCH && !carries_data(m, p));
}

/* The row from ports of a class of the map of VLs to port p. */
static void
make_final_row(const struct plan_maker *m, unsigned in, port_ix p,
	uint8_t row[SL2VL_ROW])
{
	const struct slvl *l = &m->vlarb.levels;

	slvl_row(l, slvl_hop_at(l, m->t, in, p, vlarb_vls(&m->vlarb, m->t, p)),
		row);
}

/* Makes the row from ports of class 0, and says whether it is that from all. */
static bool
is_row_for_all(const struct plan_maker *m, port_ix p, uint8_t row[SL2VL_ROW])
{
	uint8_t other[SL2VL_ROW];

	make_final_row(m, 0, p, row);
	for (unsigned in = 1; in < slvl_ins(&m->vlarb.levels); in++) {
		make_final_row(m, in, p, other);
		if (memcmp(row, other, SL2VL_ROW) != 0)
			return false;
	}
	return true;
}

static uint32_t
add_row_payload(struct plan_maker *m, const uint8_t row[SL2VL_ROW])
{
	uint32_t pay;

	memcpy(plan_add_payload(m, &pay), row, SL2VL_ROW);
	return pay;
}

/* The dependency (in, out), if some of its SLs stay blocked; or NULL. */
static const struct transition_dependency *
find_staying(const struct plan_maker *m, node_ix n, unsigned in, unsigned out)
{
	const struct transition_result *x = m->p->change;

	for (size_t i = 0; x->nstays > 0 && i < x->ndeps; i++) {
		const struct transition_dependency *u = &x->dep[i];

		if (u->stays != 0 && m->t->sw[u->sw].node == n && u->in == in &&
			u->out == out)
			return u;
	}
	return NULL;
}

/* SLs that stay blocked for (in, out). */
static uint16_t
blocked_sls(const struct plan_maker *m, node_ix n, unsigned in, unsigned out)
{
	const struct transition_dependency *u = find_staying(m, n, in, out);

	return u != NULL ? slvl_sls(&m->vlarb.levels, u->stays) : 0;
}

/* Whether this plan blocks other SLs there beside those that stay so. */
static bool
blocks_in_passing(
	const struct plan_maker *m, node_ix n, unsigned in, unsigned out)
{
	const struct transition_dependency *u = find_staying(m, n, in, out);

	return u != NULL && (u->layers & ~u->stays) != 0;
}

static bool
has_stays(const struct plan_maker *m, node_ix n)
{
	const struct transition_result *x = m->p->change;

	for (size_t i = 0; x->nstays > 0 && i < x->ndeps; i++)
		if (x->dep[i].stays != 0 && m->t->sw[x->dep[i].sw].node == n)
			return true;
	return false;
}

static bool
is_in_place(const struct plan_maker *m, struct device_at at,
	const uint8_t row[SL2VL_ROW])
{
	const uint8_t *is = device_bytes(m->hw, at);

	return is != NULL && memcmp(is, row, SL2VL_ROW) == 0;
}

void
plan_slvl_unblock(struct plan_maker *m, node_ix n, unsigned in, unsigned out)
{
	const struct topo_node *node = &m->t->node[n];
	const struct blocked_row *r =
		blocked_rows_find(device_blocked(m->hw), node->guid, in, out);
	uint16_t stays = needs_rows(m, n) ? blocked_sls(m, n, in, out) : 0;
	uint32_t pay = PLAN_BEFORE;
	uint8_t row[SL2VL_ROW];

	if (needs_rows(m, n)) {
		make_final_row(m,
			vl_map_in(m->vlarb.levels.map, node->first_port + in),
			node->first_port + out, row);
		sl2vl_row_block(row, stays);
		if (r != NULL && r->settled && r->stays == stays &&
			!blocks_in_passing(m, n, in, out) &&
			is_in_place(m, device_at_row(node->guid, in, out), row))
			return;
		pay = add_row_payload(m, row);
	}
	plan_add_step(m, node->first_port + out, DEVICE_SL2VL, in, pay);
	m->p->step[m->p->nsteps - 1].stays = stays;
}

/* ---- rows of SL2VL ---- */

static bool
has_blocked(const struct plan_maker *m, const struct topo_node *node)
{
	const struct blocked_rows *b = device_blocked(m->hw);

	for (size_t i = 0; i < b->n; i++)
		if (b->row[i].guid == node->guid)
			return true;
	return false;
}

static struct rows
rows_of(const struct plan_maker *m, node_ix n)
{
	struct rows r = {.n = n, .node = &m->t->node[n]};

	r.in[0] = 1; /* port 0; and the only one of a host */
	if (r.node->type != TOPO_SWITCH)
		return r;
	for (unsigned p = 1; p <= r.node->nports; p++)
		if (is_linked(m, r.node->first_port + p))
			r.in[p / 64] |= UINT64_C(1) << p % 64;
	r.many = m->t->sw[r.node->sw].opt_sl2vl && !has_blocked(m, r.node) &&
		 !has_stays(m, n) &&
		 !device_marked(m->hw,
			 device_at_switch(r.node->guid, DEVICE_SL2VL),
			 DEVICE_REFUSES_SPAN);
	return r;
}

/* Whether packets may be on the link of port p of a switch already, or, with
 * port 0, come from the switch. */
static bool
is_in_use(const struct plan_maker *m, port_ix p)
{
	const struct topo_port *port = port_at(m, p);

	return port->num == 0 ||
	       (port->peer != TOPO_NONE && port->state > PORT_INIT);
}

/*
 * A row of which some SLs are blocked gets its final value when it is
 * unblocked, after the tables. But where one of its links comes up with this
 * plan the row may have been made while there was no link, which has no class
 * in the map of VLs: then its other SLs have to be right before packets come.
 * And where the tables need their layers, and the old ones had none, its other
 * SLs have to be right before the tables; what it blocks by now stays blocked.
 */
static void
add_single_row(struct plan_maker *m, const struct rows *r, unsigned in,
	unsigned out, const uint8_t want[SL2VL_ROW])
{
	port_ix p = r->node->first_port + out;
	struct device_at at = device_at_row(r->node->guid, in, out);
	const struct blocked_row *b = blocked_rows_find(
		device_blocked(m->hw), r->node->guid, in, out);
	unsigned stays = blocked_sls(m, r->n, in, out);
	bool in_use = carries_data(m, p) && is_in_use(m, p) &&
		      is_in_use(m, r->node->first_port + in);
	uint8_t row[SL2VL_ROW];

	if (carries_data(m, p) && (stays != 0 || b != NULL) &&
		(m->now->kind == PLAN_LEARN ||
			(in_use && !m->p->change->rows_first)))
		return;
	if (m->now->kind == PLAN_LEARN) {
		if (device_bytes(m->hw, at) == NULL && carries_data(m, p))
			plan_add_step(m, p, DEVICE_SL2VL, in, 0);
		return;
	}
	if (in_use) /* what is blocked anew is BLOCK's to record */
		stays = blocked_row_sls(b, device_bytes(m->hw, at));
	else if (b != NULL && carries_data(m, p))
		stays |= b->stays;
	memcpy(row, want, SL2VL_ROW);
	sl2vl_row_block(row, (uint16_t)stays);
	if (!is_in_place(m, at, row))
		plan_add_step(m, p, DEVICE_SL2VL, in, add_row_payload(m, row));
}

/* The same row to port out from each of some ports. */
static void
add_single_rows(struct plan_maker *m, const struct rows *r, unsigned out,
	const uint64_t in[4], const uint8_t want[SL2VL_ROW])
{
	if (device_holds_rows(m->hw, r->node->guid, out, in, want))
		return;
	for (unsigned i = 0; i < 256; i++)
		if ((in[i / 64] >> i % 64 & 1) != 0)
			add_single_row(m, r, i, out, want);
}

/* The same row to port out from all of some ports, in one Set. */
static void
add_span(struct plan_maker *m, const struct rows *r, unsigned out,
	uint64_t in[4], const uint8_t want[SL2VL_ROW])
{
	port_ix p = r->node->first_port + out;
	bool base = (r->node->flags & TN_ENHANCED_P0) == 0;

	if (device_holds_rows(m->hw, r->node->guid, out, in, want))
		return;
	if (base) /* a base port 0 is not among "all" */
		add_single_row(m, r, 0, out, want);
	in[0] &= ~(uint64_t)base;
	if (m->now->kind != PLAN_LEARN &&
		!device_holds_rows(m->hw, r->node->guid, out, in, want))
		plan_add_step(m, p, DEVICE_SL2VL, PLAN_ALL_IN,
			add_row_payload(m, want));
}

/* The rows to port out, from all ports by which packets come. */
static void
add_column(struct plan_maker *m, const struct rows *r, unsigned out)
{
	const struct slvl *l = &m->vlarb.levels;
	port_ix p = r->node->first_port + out;
	uint64_t in[4], of[4];
	uint8_t want[SL2VL_ROW];

	if (!can_map(m, r, p) || !is_due_now(m, p))
		return;
	memcpy(in, r->in, sizeof(in));
	if (r->node->type == TOPO_SWITCH)
		in[out / 64] &= ~(UINT64_C(1) << out % 64);
	if (is_row_for_all(m, p, want)) {
		if (r->many)
			add_span(m, r, out, in, want);
		else
			add_single_rows(m, r, out, in, want);
		return;
	}
	for (unsigned k = 0; k < slvl_ins(l); k++) {
		make_final_row(m, k, p, want);
		slvl_in_ports(l, m->t, r->n, k, in, of);
		add_single_rows(m, r, out, of, want);
	}
}

/*
 * One row for the whole switch, in a single Set: where all its rows shall be
 * the same.
 */
static bool
add_row_for_all(struct plan_maker *m, const struct rows *r)
{
	uint8_t want[SL2VL_ROW], first[SL2VL_ROW];
	unsigned n = 0;
	bool settled = true;

	if (!r->many || m->now->kind == PLAN_LEARN)
		return false;
	for (unsigned out = 1; out <= r->node->nports; out++) {
		port_ix p = r->node->first_port + out;
		uint64_t in[4];

		if (!can_map(m, r, p))
			continue;
		if (!is_row_for_all(m, p, want))
			return false;
		if (n++ == 0)
			memcpy(first, want, SL2VL_ROW);
		else if (memcmp(first, want, SL2VL_ROW) != 0)
			return false;
		memcpy(in, r->in, sizeof(in));
		in[0] &= ~UINT64_C(1);
		in[out / 64] &= ~(UINT64_C(1) << out % 64);
		settled &=
			device_holds_rows(m->hw, r->node->guid, out, in, want);
	}
	if (n == 0 || settled)
		return false;
	plan_add_step(m, r->node->first_port, DEVICE_SL2VL,
		PLAN_ALL_IN | PLAN_ALL_OUT, add_row_payload(m, first));
	return true;
}

static void
add_node_rows(struct plan_maker *m, node_ix n)
{
	struct rows r = rows_of(m, n);
	bool whole = add_row_for_all(m, &r);
	bool base = (r.node->flags & TN_ENHANCED_P0) == 0;
	uint8_t want[SL2VL_ROW];

	for (unsigned out = 1; out <= r.node->nports; out++) {
		if (!whole) {
			add_column(m, &r, out);
		} else if (base && can_map(m, &r, r.node->first_port + out)) {
			make_final_row(m, 0, r.node->first_port + out, want);
			add_single_row(m, &r, 0, out, want);
		}
	}
}

/* ---- arbitration ---- */

/*
 * Arbitration tables are written where there are QoS levels, and restored where
 * there were.
 */
static void
add_port_arbitration(struct plan_maker *m, port_ix p)
{
	const struct topo_node *n = &m->t->node[port_at(m, p)->node];
	unsigned num = port_at(m, p)->num;
	struct vlarb_table want;
	uint32_t pay = 0;

	if (!is_due_now(m, p) ||
		device_marked(m->hw, device_at_part(n->guid, num, 0),
			DEVICE_REFUSES) ||
		!vlarb_make(&m->vlarb, m->t, p, &want))
		return;
	for (unsigned part = 1; part <= VLARB_PARTS; part++) {
		unsigned bytes = vlarb_bytes(m->t, p, part);
		const uint8_t *is =
			device_bytes(m->hw, device_at_part(n->guid, num, part));

		if (bytes == 0 || (is == NULL && !m->vlarb.levels.wanted))
			continue;
		if (m->now->kind == PLAN_LEARN
				? is != NULL || !carries_data(m, p)
				: is != NULL && memcmp(is, want.part[part - 1],
							bytes) == 0)
			continue;
		if (m->now->kind != PLAN_LEARN)
			memcpy(plan_add_payload(m, &pay), want.part[part - 1],
				bytes);
		plan_add_step(m, p, DEVICE_VLARB, part, pay);
	}
}

static void
add_phase(struct plan_maker *m, enum plan_kind kind)
{
	plan_begin(m, kind);
	for (port_ix p = 0; p < m->t->nports && kind != PLAN_SLVL; p++)
		if (needs_rows(m, port_at(m, p)->node))
			add_port_arbitration(m, p);
	for (node_ix n = 0; n < m->t->nnodes && kind != PLAN_ARBS; n++)
		if (needs_rows(m, n) &&
			!(m->rising && m->t->node[n].type == TOPO_SWITCH))
			add_node_rows(m, n);
	(void)plan_end(m);
}

void
plan_slvl_add(struct plan_maker *m)
{
	add_phase(m, PLAN_LEARN);
	add_phase(m, PLAN_ARBS);
	add_phase(m, PLAN_SLVL);
}

bool
plan_slvl_in_doubt(const struct plan_maker *m)
{
	size_t n;
	const struct device_doubt *d = device_doubts(m->hw, &n);

	while (n-- > 0)
		if (d[n].at.attr == DEVICE_SL2VL)
			return true;
	return false;
}

void
plan_slvl_rise(struct plan_maker *m)
{
	m->rising = true;
	add_phase(m, PLAN_ARBS);
	add_phase(m, PLAN_SLVL);
	m->rising = false;
}
