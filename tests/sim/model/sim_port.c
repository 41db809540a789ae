#include "tests/sim/model/sim_ibsim.h"
#include "tests/sim/model/sim_int.h"

/* Capabilities of simulated devices. */
enum {
	CAP_NOTICE = 0x4,
	CAP_TRAP = 0x8,
	CAP_SL_MAP = 0x40,
	CAP_SYSIMG = 0x800,
	CAP_DR_NOTICE = 0x200000,
	CAP_MASK_NOTICE = 0x400000,
	CAP_LOCAL_CHANGES = 0x4000000,
	CAP_MCAST_TOP = 0x40000000,
	GUIDS = 32,  /* of a CA's port */
	SPEEDS = 7,  /* SDR, DDR, QDR */
	WIDTHS = 31, /* 1x, 4x, 8x, 12x, 2x */
	KEEP = 0,    /* Set: a field of 0 changes nothing */
};

static bool
is_end_port(const struct sim_node *n, unsigned port)
{
	return (n->type == FABRIC_SWITCH) == (port == 0);
}

static uint32_t
boot_capmask(
	const struct sim *s, const struct sim_node *n, unsigned port, bool ext)
{
	uint32_t cap = CAP_NOTICE | CAP_TRAP | CAP_SYSIMG | CAP_DR_NOTICE |
		       CAP_MASK_NOTICE | CAP_LOCAL_CHANGES;

	if (!is_end_port(n, port))
		return 0;
	if (n->type != FABRIC_SWITCH)
		cap |= MAD_CAP_CLIENT_REREG;
	else
		cap |= CAP_MCAST_TOP;
	if (s->o.vl_cap > 1)
		cap |= CAP_SL_MAP;
	if (s->o.capmask2)
		cap |= MAD_CAP_CAPMASK2;
	return ext ? cap | MAD_CAP_EXT_SPEEDS : cap;
}

void
sim_port_boot(struct sim *s, uint32_t node, unsigned port)
{
	struct sim_port *p = sim_int_port(s, node, port);
	const struct sim_node *n = &s->node[node];
	uint8_t ext = p->rate.speed_ext;

	p->disabled = p->no_fdr10 = false;
	p->lease.ns = 0;
	p->fec_fdr = p->fec_edr = 0;
	if (s->o.ibsim) {
		sim_ibsim_boot(s, node, port, false);
		return;
	}
	p->pi = (struct mad_port_info){
		.gid_prefix = 0xfe80000000000000U,
		.capmask = boot_capmask(s, n, port, ext || !port),
		.width_supported = WIDTHS,
		.width_enabled = WIDTHS,
		.width_active = p->rate.width,
		.speed_supported = SPEEDS,
		.speed_enabled = SPEEDS,
		.speed_active = p->rate.speed,
		.speed_ext_supported = (uint8_t)(ext ? ext * 2 - 1 : 0),
		.speed_ext_enabled = (uint8_t)(ext ? ext * 2 - 1 : 0),
		.speed_ext_active = ext,
		.state = port ? ST_DOWN : ST_ACTIVE,
		.phys_state = port ? PHYS_POLLING : PHYS_LINKUP,
		.down_default = PHYS_POLLING,
		.mtu = 1,
		.mtu_cap = s->o.mtu_cap,
		.vl_cap = s->o.vl_cap,
		.op_vls = 1,
		.arb_high_cap = 8,
		.arb_low_cap = 8,
		.capmask2 = is_end_port(n, port) ? s->o.capmask2 : 0,
		.guid_cap = !is_end_port(n, port) ? 0
			    : port		  ? GUIDS
						  : 1,
		.resp_time = 18,
		.subnet_timeout = 18,
	};
	if (n->type != FABRIC_SWITCH && port == 0)
		p->pi.state = ST_DOWN;
}

void
sim_port_get(const struct sim *s, uint32_t node, unsigned port,
	unsigned arrived, bool ext, uint8_t d[MAD_DATA])
{
	struct mad_port_info pi = sim_int_port(s, node, port)->pi;

	/* ibnetdiscover never sets the modifier's bit for extended speeds, and
	 * captures of real fabrics have them all the same */
	(void)ext;
	pi.local_port = (uint8_t)arrived;
	if (s->node[node].how.lid_everywhere)
		pi.lid = sim_int_port(s, node, 0)->pi.lid;
	mad_port_info_encode(&pi, d);
}

/* Whether the fields of a Set are valid; the state is judged by state_ok. */
static bool
fields_ok(const struct sim_port *p, const struct mad_port_info *in, bool end,
	bool enhanced)
{
	const struct mad_port_info *is = &p->pi;

	if (end && in->lid != is->lid &&
		(in->lid == 0 || in->lid >= MAD_LID_END))
		return false;
	if (end && in->sm_lid != is->sm_lid &&
		(in->sm_lid == 0 || in->sm_lid >= MAD_LID_END))
		return false;
	if (end && in->lmc && !enhanced)
		return false;
	if (in->mtu > is->mtu_cap || in->op_vls > is->vl_cap)
		return false;
	if (in->width_enabled != KEEP && in->width_enabled != 0xff &&
		in->width_enabled & ~is->width_supported)
		return false;
	return in->speed_enabled == KEEP || in->speed_enabled == 15 ||
	       !(in->speed_enabled & ~is->speed_supported);
}

/*
 * Whether a Set may bring the port to this state; never to the state it is in.
 */
static bool
state_ok(const struct sim_port *p, uint8_t to)
{
	switch (to) {
	case ST_NOCHANGE:
	case ST_DOWN:
		return true;
	case ST_ARMED:
		return p->pi.state == ST_INIT;
	case ST_ACTIVE:
		return p->pi.state == ST_ARMED;
	default:
		return false;
	}
}

static void
apply_fields(struct sim *s, struct sim_port *p, const struct mad_port_info *in,
	bool end, bool ext, bool keeps_mtu)
{
	bool enforces = !end && s->o.enf_cap > 0;
	struct mad_port_info *is = &p->pi;

	if (end) {
		is->lid = in->lid;
		is->sm_lid = in->sm_lid;
		is->lmc = in->lmc;
		is->sm_sl = in->sm_sl;
		is->mkey = in->mkey;
		is->mkey_prot = in->mkey_prot;
		is->mkey_lease = in->mkey_lease;
		is->gid_prefix = in->gid_prefix;
		is->subnet_timeout = in->subnet_timeout;
		s->stats.client_rereg +=
			in->client_rereg && is->capmask & MAD_CAP_CLIENT_REREG;
	}
	if (in->mtu != KEEP && !keeps_mtu)
		is->mtu = in->mtu;
	if (in->op_vls != KEEP)
		is->op_vls = in->op_vls;
	if (in->width_enabled == 0xff)
		is->width_enabled = is->width_supported;
	else if (in->width_enabled != KEEP)
		is->width_enabled = in->width_enabled;
	if (in->speed_enabled == 15)
		is->speed_enabled = is->speed_supported;
	else if (in->speed_enabled != KEEP)
		is->speed_enabled = in->speed_enabled;
	if (ext && in->speed_ext_enabled != KEEP)
		is->speed_ext_enabled = (uint8_t)(in->speed_ext_enabled &
						  is->speed_ext_supported);
	is->vl_high_limit = in->vl_high_limit;
	is->vl_stall = in->vl_stall;
	is->hoq_life = in->hoq_life;
	if (enforces) {
		is->enf_in = in->enf_in;
		is->enf_out = in->enf_out;
	}
	is->filter_in = in->filter_in;
	is->filter_out = in->filter_out;
	is->phy_errors = in->phy_errors;
	is->overrun_errors = in->overrun_errors;
	is->mkey_viol = in->mkey_viol ? is->mkey_viol : 0;
}

uint16_t
sim_port_set(struct sim *s, uint32_t node, unsigned port, bool ext,
	const uint8_t d[MAD_DATA])
{
	struct sim_port *p = sim_int_port(s, node, port);
	const struct sim_node *n = &s->node[node];
	bool end = is_end_port(n, port);
	struct mad_port_info in;

	s->stats.port_sets++;
	if (mad_port_info_decode(d, &in, NULL))
		return MAD_STATUS_FIELD;
	if (port == 0) /* always Active: no link, no state machine */
		in.state = in.phys_state = ST_NOCHANGE;
	if (!state_ok(p, in.state) || in.phys_state > PHYS_DISABLED ||
		!fields_ok(p, &in, end, n->enhanced_p0 || port))
		return MAD_STATUS_FIELD;
	/* as devices may: parameters, or a way up; opensm takes ports of hosts
	 * down with their LIDs */
	if (in.state == ST_NOCHANGE || in.state == ST_DOWN)
		apply_fields(s, p, &in, end, ext,
			port != 0 && port == n->how.keeps_mtu);
	if (in.phys_state == PHYS_DISABLED || in.phys_state == PHYS_POLLING) {
		p->disabled = in.phys_state == PHYS_DISABLED;
		sim_port_refresh(s, node, port);
	}
	if (in.state == ST_DOWN)
		sim_port_retrain(s, node, port);
	else if (in.state != ST_NOCHANGE)
		p->pi.state = in.state;
	sim_int_changed(s, SIM_PORT, node, port);
	return 0;
}

/*
 * A link changed without a Set: its switch sets PortStateChange and sends a
 * trap.
 */
static void
tell_change(struct sim *s, uint32_t node, unsigned port)
{
	struct sim_node *n = &s->node[node];

	sim_int_changed(s, SIM_PORT, node, port);
	if (!n->sw || !n->present)
		return;
	n->sw->si.state_change = true;
	sim_trap_link(s, node);
}

static void
go_down(struct sim *s, uint32_t node, unsigned port)
{
	struct sim_port *p = sim_int_port(s, node, port);

	p->up = false;
	p->pi.state = ST_DOWN;
	p->pi.phys_state = p->disabled ? PHYS_DISABLED : PHYS_POLLING;
	sim_int_changed(s, SIM_PORT, node, port);
}

static void
come_up(struct sim *s, uint32_t node, unsigned port)
{
	struct sim_port *p = sim_int_port(s, node, port);

	p->up = true;
	p->pi.state = ST_INIT;
	p->pi.phys_state = PHYS_LINKUP;
	p->pi.op_vls = 1;
	p->pi.mtu = 1;
	sim_int_changed(s, SIM_PORT, node, port);
}

void
sim_port_refresh(struct sim *s, uint32_t node, unsigned port)
{
	struct sim_port *p = sim_int_port(s, node, port), *q;
	bool want;

	if (p->peer == FABRIC_NONE) {
		if (port)
			go_down(s, node, port);
		return;
	}
	q = sim_int_port(s, p->peer, p->peer_port);
	want = s->node[node].present && s->node[p->peer].present && !p->cut &&
	       !q->cut && !p->disabled && !q->disabled;
	if (want == p->up && want == q->up) {
		if (!want) {
			go_down(s, node, port);
			go_down(s, p->peer, p->peer_port);
		}
		return;
	}
	if (s->o.ibsim) {
		p->up = q->up = want;
		sim_ibsim_boot(s, node, port, want);
		sim_ibsim_boot(s, p->peer, p->peer_port, want);
	} else if (want) {
		come_up(s, node, port);
		come_up(s, p->peer, p->peer_port);
	} else {
		sim_perf_count(p, SIM_COUNT_DOWNED);
		sim_perf_count(q, SIM_COUNT_DOWNED);
		go_down(s, node, port);
		go_down(s, p->peer, p->peer_port);
	}
	tell_change(s, node, port);
	tell_change(s, p->peer, p->peer_port);
}

void
sim_port_retrain(struct sim *s, uint32_t node, unsigned port)
{
	struct sim_port *p = sim_int_port(s, node, port);

	if (!p->up)
		return;
	sim_perf_count(p, SIM_COUNT_DOWNED);
	sim_perf_count(
		sim_int_port(s, p->peer, p->peer_port), SIM_COUNT_DOWNED);
	come_up(s, node, port);
	come_up(s, p->peer, p->peer_port);
	tell_change(s, node, port);
	tell_change(s, p->peer, p->peer_port);
}
