#include "distribution/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum { NO_CHANGE = 0, DOWN = 1, INIT = 2, ARMED = 3, ACTIVE = 4 };
enum { POLLING = 2 /* LinkDownDefaultState */ };

struct maker {
	struct plan *p;
	const struct topo *t;
	const struct hwstate *hw;
	const struct plan_params *params;
	size_t capsteps, cappayload;
	enum plan_phase phase;
};

static void
add_step(struct maker *m, port_ix port, uint16_t attr, uint32_t mod,
	uint32_t payload)
{
	struct plan *p = m->p;

	p->step = mem_grow(p->step, p->nsteps, &m->capsteps, sizeof(*p->step));
	p->step[p->nsteps++] = (struct plan_step){
		.port = port,
		.attr = attr,
		.phase = (uint8_t)m->phase,
		.mod = mod,
		.payload = payload,
	};
}

/* Room for one more 64-byte payload; *ix is its number. */
static uint8_t *
add_payload(struct maker *m, uint32_t *ix)
{
	struct plan *p = m->p;

	p->payload = mem_grow(
		p->payload, p->npayload, &m->cappayload, sizeof(*p->payload));
	*ix = (uint32_t)p->npayload++;
	memset(p->payload[*ix], 0, sizeof(*p->payload));
	return p->payload[*ix];
}

static bool
quarantined(const struct topo *t, port_ix p)
{
	return (t->node[t->port[p].node].flags & TN_QUARANTINED) != 0;
}

static bool
is_switch(const struct topo *t, port_ix p)
{
	return t->node[t->port[p].node].type == TOPO_SWITCH;
}

/* An external switch port: everything but CA, router and switch port 0. */
static bool
is_external(const struct topo *t, port_ix p)
{
	return is_switch(t, p) && t->port[p].num != 0;
}

static uint32_t
port_mod(const struct topo_port *p)
{
	return p->num | ((p->flags & TP_EXT_SPEED) ? MAD_PORT_INFO_EXT : 0);
}

static uint8_t
min8(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* MTU and OperationalVLs that both ends of a cable can do. */
static uint8_t
common_mtu(const struct topo *t, const struct topo_port *p)
{
	return min8(p->mtu_cap, t->port[p->peer].mtu_cap);
}

static uint8_t
common_vls(const struct maker *m, const struct topo_port *p)
{
	return min8(min8(p->vl_cap, m->t->port[p->peer].vl_cap),
		m->params->max_vls_code);
}

void
plan_no_change(struct mad_port_info *i)
{
	i->state = NO_CHANGE;
	i->phys_state = 0;
	i->down_default = POLLING;
	i->width_enabled = 0;
	i->speed_enabled = 0;
	i->speed_ext_enabled = 0;
	i->client_rereg = false;
	i->init_type = 0;
}

/* LID and what goes with it, for CA and router ports and switch port 0. */
static void
fill_lid_fields(const struct maker *m, const struct topo_port *p,
	struct mad_port_info *i)
{
	i->mkey = m->params->mkey;
	i->gid_prefix = m->params->subnet_prefix;
	i->lid = p->lid;
	i->lmc = p->lmc;
	i->sm_lid = m->t->port[m->t->sm_port].lid;
	i->sm_sl = 0;
	i->subnet_timeout = m->params->subnet_timeout;
}

static void
fill_external_fields(const struct maker *m, const struct topo_port *p,
	struct mad_port_info *i)
{
	i->mkey = 0;
	i->gid_prefix = 0;
	i->lid = 0;
	i->sm_lid = 0;
	i->lmc = 0;
	i->vl_stall = m->params->vl_stall;
	if (p->peer != TOPO_NONE)
		i->hoq_life = is_switch(m->t, p->peer)
				      ? m->params->hoq_life
				      : m->params->leaf_hoq_life;
}

/* What port ix shall be told, without state, MTU and VLs. */
static int
wanted(const struct maker *m, port_ix ix, struct mad_port_info *was,
	struct mad_port_info *want)
{
	const struct topo_port *p = &m->t->port[ix];

	if (mad_port_info_decode(m->t->info[ix], was, NULL) != 0)
		return -1;
	*want = *was;
	plan_no_change(want);
	if (is_external(m->t, ix))
		fill_external_fields(m, p, want);
	else
		fill_lid_fields(m, p, want);
	return 0;
}

static void
add_port_set(struct maker *m, port_ix ix, const struct mad_port_info *want)
{
	uint32_t pay;

	mad_port_info_encode(want, add_payload(m, &pay));
	add_step(m, ix, MAD_PORT_INFO, port_mod(&m->t->port[ix]), pay);
}

/* What a port must take: addresses. */
static bool
differs(const struct mad_port_info *a, const struct mad_port_info *b)
{
	return a->mkey != b->mkey || a->gid_prefix != b->gid_prefix ||
	       a->lid != b->lid || a->lmc != b->lmc || a->sm_lid != b->sm_lid ||
	       a->sm_sl != b->sm_sl;
}

uint32_t
plan_tunables(const struct mad_port_info *i)
{
	return (uint32_t)i->subnet_timeout << 16 | (uint32_t)i->hoq_life << 8 |
	       i->vl_stall;
}

/* What it should take: time-outs; not asked twice of one that keeps its own. */
static bool
detuned(const struct maker *m, port_ix ix, const struct mad_port_info *was,
	const struct mad_port_info *want)
{
	const struct topo_port *p = &m->t->port[ix];

	return plan_tunables(was) != plan_tunables(want) &&
	       !hw_stubborn(m->hw, m->t->node[p->node].guid, p->num,
		       plan_tunables(want));
}

static bool
unusable(const struct topo *t, port_ix ix)
{
	return (t->port[ix].flags & (TP_ABSENT | TP_UNREAD)) != 0 ||
	       quarantined(t, ix);
}

/*
 * PARAMS: ports that will not pass through Init. An external port that is up
 * keeps its MTU and VLs: changing them needs a bounce nobody asked for.
 */
static void
plan_params(struct maker *m, port_ix ix)
{
	const struct topo_port *p = &m->t->port[ix];
	struct mad_port_info was, want;
	bool live = p->state == ARMED || p->state == ACTIVE;

	if (unusable(m->t, ix) || wanted(m, ix, &was, &want) != 0)
		return;
	if (live && p->peer != TOPO_NONE &&
		(p->mtu != common_mtu(m->t, p) ||
			p->op_vls != common_vls(m, p)))
		m->p->mismatched_ports++;
	if (is_external(m->t, ix)
			? live && detuned(m, ix, &was, &want)
			: (live || is_switch(m->t, ix)) &&
				  (differs(&was, &want) ||
					  detuned(m, ix, &was, &want)))
		add_port_set(m, ix, &want);
}

/* Both ends present, answering and not Down. */
static bool
can_rise(const struct topo *t, port_ix ix)
{
	const struct topo_port *p = &t->port[ix];

	if (p->peer == TOPO_NONE || unusable(t, ix) || unusable(t, p->peer))
		return false;
	if (is_switch(t, ix) && p->num == 0)
		return false;
	return p->state >= INIT && t->port[p->peer].state >= INIT;
}

static void
plan_rise(struct maker *m, port_ix ix)
{
	const struct topo_port *p = &m->t->port[ix];
	struct mad_port_info was, want;
	uint8_t from = m->phase == PLAN_ARM ? INIT : ARMED;

	if (!can_rise(m->t, ix) || p->state > from ||
		wanted(m, ix, &was, &want) != 0)
		return;
	want.mtu = common_mtu(m->t, p);
	want.op_vls = common_vls(m, p);
	want.state = from + 1;
	add_port_set(m, ix, &want);
}

static void
each_port(struct maker *m, void (*fn)(struct maker *, port_ix))
{
	port_ix ix;

	for (ix = 0; ix < m->t->nports; ix++)
		fn(m, ix);
}

static bool
block_in_place(struct maker *m, lft_ref have, lft_ref want)
{
	const struct lft_pool *pool = m->p->routes->pool;

	if (have == HW_UNKNOWN)
		return false;
	return have == want || memcmp(lft_bytes(pool, have),
				       lft_bytes(pool, want), LFT_BLOCK) == 0;
}

static void
plan_lft(struct maker *m)
{
	const struct routes *r = m->p->routes;
	const struct topo *t = m->t;
	uint32_t b;
	sw_ix s;

	/* block by block over all switches: no switch is hurried, none waits */
	for (b = 0; b < r->nblocks; b++)
		for (s = 0; s < t->nsw; s++) {
			const struct topo_node *n = &t->node[t->sw[s].node];
			lft_ref want = r->block[(size_t)s * r->nblocks + b];

			if ((n->flags & TN_QUARANTINED) != 0 ||
				b * LFT_BLOCK >= t->sw[s].lft_cap)
				continue;
			if (block_in_place(
				    m, hw_block(m->hw, n->guid, b), want))
				m->p->kept_blocks++;
			else
				add_step(m, n->first_port, MAD_LFT, b, want);
		}
}

static void
plan_top(struct maker *m)
{
	const struct topo *t = m->t;
	struct mad_switch_info i;
	uint32_t pay;
	sw_ix s;

	for (s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];
		uint16_t top = m->p->routes->top;
		bool raise = top > t->sw[s].lft_top;
		bool first = hw_top_first(m->hw, n->guid);
		enum plan_phase phase = !raise	? PLAN_LOWER
					: first ? PLAN_TOP
						: PLAN_RAISE;

		if (top == t->sw[s].lft_top || phase != m->phase ||
			(n->flags & TN_QUARANTINED) != 0 ||
			mad_switch_info_decode(t->sinfo[s], &i, NULL) != 0)
			continue;
		i.lft_top = top;
		i.state_change = false; /* writing 1 would clear it */
		mad_switch_info_encode(&i, add_payload(m, &pay));
		add_step(m, n->first_port, MAD_SWITCH_INFO, 0, pay);
	}
}

static void
make_phase(struct maker *m)
{
	switch (m->phase) {
	case PLAN_PARAMS:
		each_port(m, plan_params);
		break;
	case PLAN_LFT:
		plan_lft(m);
		break;
	case PLAN_TOP:
	case PLAN_RAISE:
	case PLAN_LOWER:
		plan_top(m);
		break;
	case PLAN_ARM:
	case PLAN_ACTIVATE:
		each_port(m, plan_rise);
		break;
	case PLAN_PHASES:
		break;
	}
}

struct plan *
plan_make(struct routes *r, const struct hwstate *hw,
	const struct plan_params *params)
{
	struct plan *p = mem_zalloc(1, sizeof(*p));
	struct maker m = {.p = p, .t = r->topo, .hw = hw, .params = params};
	unsigned phase;

	p->routes = routes_ref(r);
	for (phase = 0; phase < PLAN_PHASES; phase++) {
		p->first[phase] = p->nsteps;
		m.phase = (enum plan_phase)phase;
		make_phase(&m);
	}
	p->first[PLAN_PHASES] = p->nsteps;
	return p;
}

void
plan_free(struct plan *p)
{
	if (p == NULL)
		return;
	routes_unref(p->routes);
	free(p->step);
	free(p->payload);
	free(p);
}

void
plan_step_text(
	const struct plan *p, const struct plan_step *s, char *out, size_t n)
{
	const struct topo *t = p->routes->topo;
	node_ix node = t->port[s->port].node;
	const char *name = topo_desc(t, node);
	char guid[32];

	if (*name == '\0') {
		(void)snprintf(guid, sizeof(guid), "0x%016llx",
			(unsigned long long)t->node[node].guid);
		name = guid;
	}
	if (s->attr == MAD_LFT)
		(void)snprintf(out, n, "Set(LFT block %u) on %s", s->mod, name);
	else
		(void)snprintf(out, n, "Set(%s) on %s port %u",
			mad_attr_name(s->attr), name, t->port[s->port].num);
}
