#include <stdlib.h>
#include <string.h>

#include "distribution/plan/plan_priv.h"
#include "distribution/tables/port_settings.h"
#include "routing/core/slvl.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

static bool
is_quarantined(const struct topo *t, port_ix p)
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

static uint8_t
min_u8(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* MTU and OperationalVLs that both ends of a link can do. */
static uint8_t
common_mtu(const struct topo *t, const struct topo_port *p)
{
	return min_u8(p->mtu_cap, t->port[p->peer].mtu_cap);
}

static uint8_t
common_vls(const struct plan_maker *m, const struct topo_port *p)
{
	return min_u8(min_u8(p->vl_cap, m->t->port[p->peer].vl_cap),
		m->params->max_vls_code);
}

void
plan_no_change(struct mad_port_info *i)
{
	i->state = PORT_NO_CHANGE;
	i->phys_state = PORT_PHYS_NO_CHANGE;
	i->down_default = PORT_PHYS_POLLING;
	i->width_enabled = 0;
	i->speed_enabled = 0;
	i->speed_ext_enabled = 0;
	i->speed_ext2_enabled = 0;
	i->client_rereg = false;
	i->init_type = 0;
}

/* The SL by which the node of port ix reaches the subnet manager. */
static uint8_t
sm_sl(const struct plan_maker *m, port_ix ix)
{
	sw_ix here = topo_switch_of(m->t, ix);
	unsigned layer = 0;

	if (here != TOPO_NONE && m->sm_switch != TOPO_NONE)
		layer = routes_layer(&m->p->routes->layers, here, m->sm_switch);
	return m->vlarb.levels.sl[0][layer < SLVL_LAYERS ? layer : 0];
}

/* LID and what goes with it, for CA and router ports and switch port 0. */
static void
fill_lid_fields(const struct plan_maker *m, const struct topo_port *p,
	struct mad_port_info *i)
{
	if (m->params->mkey != 0) {
		i->mkey_prot = m->params->mkey_protection;
		i->mkey_lease = m->params->mkey_lease;
	} else if (i->mkey != 0) {
		i->mkey_prot = 0;
		i->mkey_lease = 0;
	}
	i->mkey = m->params->mkey;
	i->gid_prefix = m->params->subnet_prefix;
	i->lid = p->lid;
	i->lmc = p->lmc;
	i->sm_lid = m->t->port[m->t->sm_port].lid;
	i->sm_sl = sm_sl(m, (port_ix)(p - m->t->port));
	i->subnet_timeout = m->params->subnet_timeout;
}

static void
fill_external_fields(const struct plan_maker *m, const struct topo_port *p,
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

/*
 * A port that shall not enforce stops at once; one that shall begins when the
 * tables are right, or when it comes up.
 */
static void
fill_guard(const struct plan_maker *m, port_ix ix, struct mad_port_info *i)
{
	bool now = m->now->kind == PLAN_PREPARE || m->now->kind == PLAN_ARM ||
		   m->now->kind == PLAN_ACTIVATE || m->now->kind == PLAN_GUARD;

	if (m->guard == NULL || m->guard[ix] == GUARD_AS_IS)
		return;
	i->enf_in = m->guard[ix] == GUARD_ON && (now || i->enf_in);
	i->enf_out = m->guard[ix] == GUARD_ON && (now || i->enf_out);
}

/* A base port 0 of a switch has no link whose errors it could count. */
static bool
has_data_link(const struct topo *t, port_ix p)
{
	return t->port[p].num != 0 || !is_switch(t, p) ||
	       (t->node[t->port[p].node].flags & TN_ENHANCED_P0) != 0;
}

/*
 * What a port shall be set to, given what it was, without state, and without
 * the MTU and VLs of a link.
 */
static void
fill_wanted(const struct plan_maker *m, port_ix ix,
	const struct mad_port_info *was, struct mad_port_info *want)
{
	const struct topo_port *p = &m->t->port[ix];

	*want = *was;
	plan_no_change(want);
	if (has_data_link(m->t, ix)) {
		want->phy_errors = m->params->phy_errors;
		want->overrun_errors = m->params->overrun_errors;
	}
	if (m->vlarb.levels.wanted && p->vl_cap > 1)
		want->vl_high_limit = m->vlarb.limit[vlarb_class(m->t, ix)];
	if (is_external(m->t, ix)) {
		fill_external_fields(m, p, want);
		fill_guard(m, ix, want);
		return;
	}
	fill_lid_fields(m, p, want);
	/* its link is inside the switch, and has the MTU that the port has */
	if (is_switch(m->t, ix) && p->mtu_cap != 0 &&
		(m->t->node[p->node].flags & TN_ENHANCED_P0) != 0)
		want->mtu = p->mtu_cap;
}

static int
decode_and_fill(const struct plan_maker *m, port_ix ix,
	struct mad_port_info *was, struct mad_port_info *want)
{
	if (mad_port_info_decode(topo_info(m->t, ix), was, NULL) != 0)
		return -1;
	fill_wanted(m, ix, was, want);
	return 0;
}

static void
add_port_set(struct plan_maker *m, port_ix ix, const struct mad_port_info *want)
{
	uint32_t pay;

	mad_port_info_encode(want, plan_add_payload(m, &pay));
	plan_add_step(m, ix, DEVICE_PORT_INFO, 0, pay);
}

static unsigned
enforcement_bits(const struct mad_port_info *i)
{
	return (unsigned)i->enf_in << 1 | (unsigned)i->enf_out;
}

static bool
is_unusable(const struct topo *t, port_ix ix)
{
	return (t->port[ix].flags & (TP_ABSENT | TP_UNREAD)) != 0 ||
	       is_quarantined(t, ix);
}

/*
 * Whether the port was sent this already, as far as it does not hold it, and
 * answered that it holds what it holds now.
 */
static bool
keeps_own(const struct plan_maker *m, port_ix ix,
	const struct mad_port_info *was, const struct mad_port_info *want)
{
	const struct topo_port *p = &m->t->port[ix];
	const struct device_kept *k =
		device_kept(m->hw, m->t->node[p->node].guid, p->num);
	uint32_t lacks;

	if (k == NULL)
		return false;
	lacks = port_settings_differ(m->t, ix, was, want);
	return ((port_settings_differ(m->t, ix, &k->held, was) |
			port_settings_differ(m->t, ix, &k->want, want)) &
		       lacks) == 0;
}

/*
 * Whether the port can have the SL of the new tables before these are written:
 * no packet that it sends passes a switch yet.
 */
static bool
may_have_new_sl(const struct plan_maker *m, port_ix ix)
{
	return is_switch(m->t, ix) &&
	       (m->t->node[m->t->port[ix].node].flags & TN_FRESH) != 0;
}

/*
 * A MasterSMSL of other tables stays until these are written. *want is what the
 * port can have by now.
 */
static void
sm_sl_later(struct plan_maker *m, port_ix ix, const struct mad_port_info *was,
	struct mad_port_info *want)
{
	if (was->sm_sl == want->sm_sl || may_have_new_sl(m, ix))
		return;
	want->sm_sl = was->sm_sl;
	m->sl = mem_grow(m->sl, m->nsl, &m->capsl, sizeof(*m->sl));
	m->sl[m->nsl++] = ix;
}

/*
 * Whether the port lacks something of what it shall have and is to be sent it:
 * not where it is known to keep its own.
 */
static bool
lacks_settings(struct plan_maker *m, port_ix ix,
	const struct mad_port_info *was, const struct mad_port_info *want)
{
	if (port_settings_differ(m->t, ix, was, want) == 0)
		return false;
	if (!keeps_own(m, ix, was, want))
		return true;
	plan_note_kept(m, ix, PLAN_KEEPS_SETTINGS);
	return false;
}

/* Whether nothing is to be set, byte by byte: quicker than the fields. */
static bool
are_alike(const struct mad_port_info *was, const struct mad_port_info *want)
{
	struct mad_port_info same = *was;

	plan_no_change(&same);
	/* one is a copy of the other; where padding differs the fields decide
	 */
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-*) */
	return memcmp(&same, want, sizeof(same)) == 0;
}

/* Whether a port that will not pass through Init needs a Set. */
static bool
needs_set(struct plan_maker *m, port_ix ix)
{
	const struct topo_port *p = &m->t->port[ix];
	bool live = p->state == PORT_ARMED || p->state == PORT_ACTIVE;
	struct mad_port_info was, want;

	if (!live && (is_external(m->t, ix) || !is_switch(m->t, ix)))
		return false;
	if (mad_port_info_settings(topo_info(m->t, ix), &was) != 0)
		return false;
	fill_wanted(m, ix, &was, &want);
	if (are_alike(&was, &want)) /* most are */
		return false;
	sm_sl_later(m, ix, &was, &want);
	return lacks_settings(m, ix, &was, &want);
}

/* Whether the MTU or VLs of a live link are below what both ends can. */
static bool
is_mismatched(const struct plan_maker *m, const struct topo_port *p)
{
	return (p->state == PORT_ARMED || p->state == PORT_ACTIVE) &&
	       p->peer != TOPO_NONE &&
	       (p->mtu != common_mtu(m->t, p) || p->op_vls != common_vls(m, p));
}

/* Whether a live port has the MTU and VLs that it kept when it came up. */
static bool
kept_link(const struct plan_maker *m, const struct topo_port *p)
{
	const struct device_kept *k =
		device_kept(m->hw, m->t->node[p->node].guid, p->num);

	return k != NULL && k->held.mtu == p->mtu &&
	       k->held.op_vls == p->op_vls &&
	       (k->want.mtu != p->mtu || k->want.op_vls != p->op_vls);
}

/*
 * PARAMS: ports that will not pass through Init. An external port that is up
 * keeps its MTU and VLs: changing them needs a bounce, which was not asked for.
 */
static void
set_params(struct plan_maker *m, port_ix ix)
{
	const struct topo_port *p = &m->t->port[ix];
	struct mad_port_info was, want;

	if (is_unusable(m->t, ix))
		return;
	if (is_mismatched(m, p)) {
		if (kept_link(m, p))
			plan_note_kept(m, ix, PLAN_KEEPS_SETTINGS);
		else
			m->p->mismatched_ports++;
	}
	if (!needs_set(m, ix) || decode_and_fill(m, ix, &was, &want) != 0)
		return;
	if (!may_have_new_sl(m, ix))
		want.sm_sl = was.sm_sl;
	add_port_set(m, ix, &want);
}

/* Whether both ends are present, answer and are not Down. */
static bool
can_rise(const struct topo *t, port_ix ix)
{
	const struct topo_port *p = &t->port[ix];

	if (p->peer == TOPO_NONE || is_unusable(t, ix) ||
		is_unusable(t, p->peer))
		return false;
	if (is_switch(t, ix) && p->num == 0)
		return false;
	return p->state >= PORT_INIT && t->port[p->peer].state >= PORT_INIT;
}

/* The state of a port at this point of the plan. */
static uint8_t
planned_state(const struct plan_maker *m, port_ix ix)
{
	return m->p->downed != NULL && m->p->downed[ix] ? PORT_INIT
							: m->t->port[ix].state;
}

/*
 * The MTU of a link that comes up. Where one end has come up before the other,
 * that end keeps its own.
 */
static uint8_t
rising_mtu(const struct plan_maker *m, port_ix ix)
{
	const struct topo_port *p = &m->t->port[ix];
	const struct topo_port *peer = &m->t->port[p->peer];
	uint8_t mtu = common_mtu(m->t, p);

	return planned_state(m, p->peer) > PORT_INIT && peer->mtu != 0
		       ? min_u8(mtu, peer->mtu)
		       : mtu;
}

/*
 * The payload of a port that comes up, with NoChange of the state: made once
 * for its two or three Sets. PREPARE is for what the port lacks (*lacks).
 */
static int
make_rising(struct plan_maker *m, port_ix ix, uint32_t *pay, bool *lacks)
{
	struct mad_port_info was, want;

	if (decode_and_fill(m, ix, &was, &want) != 0)
		return -1;
	if (planned_state(m, ix) == PORT_INIT) {
		want.mtu = rising_mtu(m, ix);
		want.op_vls = slvl_link_code(m->t, ix, m->params->max_vls_code);
	}
	/* what a port holds that was taken down was not read yet */
	*lacks = (m->p->downed != NULL && m->p->downed[ix]) ||
		 lacks_settings(m, ix, &was, &want);
	mad_port_info_encode(&want, plan_add_payload(m, pay));
	if (m->rise == NULL)
		m->rise = mem_zalloc(m->t->nports, sizeof(*m->rise));
	m->rise[ix] = *pay + 1;
	return 0;
}

static void
raise_port(struct plan_maker *m, port_ix ix)
{
	uint32_t made, pay;
	uint8_t from = m->now->kind == PLAN_ACTIVATE ? PORT_ARMED : PORT_INIT;
	bool lacks = false;
	uint8_t *data;

	if (!can_rise(m->t, ix) || planned_state(m, ix) > from)
		return;
	if (m->rise != NULL && m->rise[ix] != 0)
		made = m->rise[ix] - 1;
	else if (make_rising(m, ix, &made, &lacks) != 0)
		return;
	if (m->now->kind == PLAN_PREPARE) {
		if (lacks)
			plan_add_step(m, ix, DEVICE_PORT_INFO, 0, made);
		return;
	}
	data = plan_add_payload(m, &pay);
	memcpy(data, m->p->payload[made], MAD_DATA);
	mad_port_info_put_state(data, from + 1);
	plan_add_step(m, ix, DEVICE_PORT_INFO, 0, pay);
}

/*
 * Ports with LIDs first: an SMA is given another M_Key while nothing else is
 * under way to it.
 */
void
plan_portinfo_params(struct plan_maker *m)
{
	port_ix ix;

	plan_begin(m, PLAN_PARAMS);
	for (ix = 0; ix < m->t->nports; ix++)
		if (!is_external(m->t, ix))
			set_params(m, ix);
	(void)plan_end(m);
	plan_begin(m, PLAN_PARAMS);
	for (ix = 0; ix < m->t->nports; ix++)
		if (is_external(m->t, ix))
			set_params(m, ix);
	plan_switchinfo_lifetimes(m);
	(void)plan_end(m);
}

void
plan_portinfo_rise(struct plan_maker *m, bool downed)
{
	static const enum plan_kind kind[] = {
		PLAN_PREPARE, PLAN_ARM, PLAN_ACTIVATE};
	port_ix ix;
	unsigned i;

	for (i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		plan_begin(m, kind[i]);
		for (ix = 0; ix < m->t->nports; ix++)
			if (downed ==
				(m->p->downed != NULL && m->p->downed[ix]))
				raise_port(m, ix);
		(void)plan_end(m);
		if (kind[i] == PLAN_ARM && !downed)
			plan_slvl_rise(m);
	}
}

void
plan_portinfo_sm_sl(struct plan_maker *m)
{
	struct mad_port_info was, want;

	plan_begin(m, PLAN_PARAMS);
	for (size_t i = 0; i < m->nsl; i++)
		if (decode_and_fill(m, m->sl[i], &was, &want) == 0 &&
			lacks_settings(m, m->sl[i], &was, &want))
			add_port_set(m, m->sl[i], &want);
	(void)plan_end(m);
}

void
plan_portinfo_guard(struct plan_maker *m, port_ix ix)
{
	const struct topo_port *p = &m->t->port[ix];
	struct mad_port_info was, want;

	if (p->state >= PORT_ARMED && !is_unusable(m->t, ix) &&
		(m->p->downed == NULL || !m->p->downed[ix]) &&
		decode_and_fill(m, ix, &was, &want) == 0 &&
		enforcement_bits(&was) != enforcement_bits(&want))
		add_port_set(m, ix, &want);
}

/* ---- the port methods ---- */

/* Whether a link carries traffic; one in Init has only to stay there. */
static bool
link_carries_data(const struct topo *t, port_ix ix)
{
	return t->port[ix].state >= PORT_ARMED ||
	       t->port[t->port[ix].peer].state >= PORT_ARMED;
}

/* Mark both ends of what the method takes down; false: nothing. */
static bool
choose_ports(struct plan_maker *m)
{
	const struct transition_result *x = m->p->change;
	const struct topo *t = m->t;
	bool *down = mem_zalloc(t->nports, sizeof(*down));
	bool any = false;
	port_ix ix;
	size_t i;

	for (i = 0; i < x->ndeps; i++) {
		ix = topo_port_of(t, t->sw[x->dep[i].sw].node, x->dep[i].in);
		if ((x->dep[i].by_port ||
			    device_marked(m->hw,
				    device_at_switch(
					    t->node[t->port[ix].node].guid,
					    DEVICE_SL2VL),
				    DEVICE_REFUSES)) &&
			can_rise(t, ix))
			any = down[ix] = down[t->port[ix].peer] = true;
	}
	if (any)
		m->p->downed = down;
	else
		free(down);
	return any;
}

/*
 * The near end of a link gets the Set: the answer must not need the link that
 * it takes down.
 */
static void
add_steps_at_distance(struct plan_maker *m, uint16_t hops)
{
	const struct topo *t = m->t;
	struct mad_port_info was, want;
	uint32_t pay;
	port_ix ix;

	for (ix = 0; ix < t->nports; ix++) {
		if (!m->p->downed[ix] || !topo_is_near_end(t, ix) ||
			!link_carries_data(t, ix) ||
			t->node[t->port[ix].node].hops != hops ||
			decode_and_fill(m, ix, &was, &want) != 0)
			continue;
		if (m->now->kind == PLAN_SETTLE) {
			plan_add_step(m, ix, DEVICE_PORT_INFO, 0, 0);
			plan_add_step(
				m, t->port[ix].peer, DEVICE_PORT_INFO, 0, 0);
			continue;
		}
		want.sm_sl = was.sm_sl;
		want.state = PORT_DOWN;
		mad_port_info_encode(&want, plan_add_payload(m, &pay));
		plan_add_step(m, ix, DEVICE_PORT_INFO, 0, pay);
	}
}

bool
plan_portinfo_fall(struct plan_maker *m)
{
	uint16_t far = 0, hops;
	node_ix n;

	if (!choose_ports(m))
		return false;
	for (n = 0; n < m->t->nnodes; n++)
		if (m->t->node[n].hops > far && m->t->node[n].hops < UINT16_MAX)
			far = m->t->node[n].hops;
	for (hops = far + 1; hops-- > 0;) {
		plan_begin(m, PLAN_DOWN);
		add_steps_at_distance(m, hops);
		(void)plan_end(m);
	}
	for (hops = 0; hops <= far; hops++) {
		plan_begin(m, PLAN_SETTLE);
		add_steps_at_distance(m, hops);
		(void)plan_end(m);
	}
	return true;
}
