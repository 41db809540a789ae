#include "tests/sim/model/sim_device.h"
#include "tests/sim/model/sim_ibsim.h"
#include "tests/sim/model/sim_int.h"

enum {
	SDR = 1,
	QDR = 4,
	EXT_XDR = 16,
	KEEP = 0,	/* Set: a field of 0 changes nothing */
	CA_MAX_VLS = 3, /* VLCap: 4 VLs, whatever the switches have */
};

static bool
is_end_port(const struct sim_node *n, unsigned port)
{
	return (n->type == FABRIC_SWITCH) == (port == 0);
}

/*
 * Width and speed of a link. Beside an extended speed a switch shows QDR as the
 * speed of old, an adapter none.
 */
static void
boot_rate(struct mad_port_info *pi, const struct fabric_rate *r, bool ca)
{
	uint8_t ext = r->speed_ext;

	pi->width_active = r->width;
	pi->width_supported |= r->width;
	pi->width_enabled = pi->width_supported;
	if (ext == 0) {
		/* older than FDR: the device has this speed and those below */
		pi->speed_ext_supported = pi->speed_ext_enabled = 0;
		pi->speed_supported = pi->speed_enabled =
			(uint8_t)(r->speed * 2 - 1);
		pi->speed_active = r->speed;
		return;
	}
	pi->speed_active = ca ? 0 : QDR;
	pi->speed_ext_active = ext;
	pi->speed_ext_supported = pi->speed_ext_enabled =
		(uint8_t)(ext * 2 - 1);
}

/* A link of XDR has its speed in the second set of fields alone. */
static void
boot_xdr(struct mad_port_info *pi, bool end)
{
	enum { UP_TO_NDR = 15, DEFAULT_ENABLED = 31 };

	pi->speed_ext_supported = UP_TO_NDR;
	pi->speed_ext_enabled = DEFAULT_ENABLED;
	pi->speed_ext_active = 0;
	pi->speed_ext2_supported = pi->speed_ext2_enabled = 1;
	pi->speed_ext2_active = 1;
	if (!end)
		return;
	pi->capmask |= MAD_CAP_CAPMASK2;
	pi->capmask2 |= MAD_CAP2_EXT_SPEEDS2 | MAD_CAP2_XDR | MAD_CAP2_NDR |
			MAD_CAP2_HDR;
}

/* Whether any port of a node has a link of XDR. */
static bool
has_xdr(struct sim *s, uint32_t node)
{
	for (unsigned p = 0; p <= s->node[node].nports; p++)
		if (sim_int_port(s, node, p)->rate.speed_ext == EXT_XDR)
			return true;
	return false;
}

/* PortInfo without a link, within the limits of the simulation's options. */
static void
boot_device(const struct sim *s, const struct sim_node *n, unsigned port,
	struct mad_port_info *pi)
{
	bool sw = n->type == FABRIC_SWITCH;
	uint8_t vls = s->o.vl_cap;

	if (sw && port == 0 && !n->enhanced_p0)
		*pi = *sim_device_port(SIM_DEVICE_BASE_P0);
	else if (sw && port == 0)
		*pi = *sim_device_port(SIM_DEVICE_ENHANCED_P0);
	else
		*pi = *sim_device_port(sw ? SIM_DEVICE_SWITCH : SIM_DEVICE_CA);
	if (pi->mtu_cap) {
		pi->mtu_cap = s->o.mtu_cap;
		pi->vl_cap = sw || vls < CA_MAX_VLS ? vls : CA_MAX_VLS;
	}
	if (s->o.vl_cap <= 1)
		pi->capmask &= ~(uint32_t)MAD_CAP_SL_MAPPING;
	pi->capmask2 &= s->o.capmask2;
	if (!s->o.capmask2)
		pi->capmask &= ~(uint32_t)MAD_CAP_CAPMASK2;
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
	boot_device(s, n, port, &p->pi);
	if (port)
		boot_rate(&p->pi, &p->rate, n->type != FABRIC_SWITCH);
	if (ext == EXT_XDR || (port == 0 && has_xdr(s, node)))
		boot_xdr(&p->pi, is_end_port(n, port));
}

/*
 * Each port of a host has an SMA of its own, as those of mlx5 have: a request
 * that names another port, or that comes in by another one, is refused. ibsim's
 * one SMA answers for all ports of a host.
 */
bool
sim_port_answers(
	const struct sim *s, uint32_t node, unsigned arrived, uint32_t *num)
{
	const struct sim_node *n = &s->node[node];

	if (n->type != FABRIC_SWITCH && *num == 0)
		*num = arrived;
	return *num <= n->nports &&
	       (n->type == FABRIC_SWITCH || s->o.ibsim || *num == arrived);
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

/* Whether LIDs are unicast ones; with LMC, all of them. */
static bool
lids_ok(const struct mad_port_info *in, bool base)
{
	return in->lid > 0 && in->lid + (1U << in->lmc) <= MAD_LID_END &&
	       in->sm_lid > 0 && in->sm_lid < MAD_LID_END &&
	       (in->lmc == 0 || !base);
}

/*
 * Whether a link may be enabled so: as supported, or one of the codes for all
 * that is supported, for none, and for no change.
 */
static bool
rates_ok(const struct mad_port_info *is, const struct mad_port_info *in,
	bool ext)
{
	enum { ALL_WIDTHS = 255, ALL_SPEEDS = 15, NO_EXT = 30, ALL_EXT = 31 };

	if (in->width_enabled != ALL_WIDTHS &&
		in->width_enabled & ~is->width_supported)
		return false;
	if (in->speed_enabled != ALL_SPEEDS &&
		in->speed_enabled & ~is->speed_supported)
		return false;
	return !ext || in->speed_ext_enabled == NO_EXT ||
	       in->speed_ext_enabled == ALL_EXT ||
	       !(in->speed_ext_enabled & ~is->speed_ext_supported);
}

/*
 * Whether the fields of a Set are valid; the state is judged by state_ok. Base
 * port 0 of a switch has no MTU, no VLs and no rates, so it takes none.
 */
static bool
fields_ok(const struct mad_port_info *is, const struct mad_port_info *in,
	bool end, bool ext)
{
	bool base = is->mtu_cap == 0;

	if (end && !lids_ok(in, base))
		return false;
	return in->mtu <= is->mtu_cap && (base || in->mtu > 0) &&
	       in->op_vls <= is->vl_cap &&
	       in->down_default <= PORT_PHYS_POLLING && rates_ok(is, in, ext);
}

/*
 * Whether a Set may bring the port to these states: never to the state it is
 * in, and to a physical state only on the way down. Port 0 of a switch has no
 * state machine.
 */
static bool
state_ok(
	const struct sim_port *p, unsigned port, const struct mad_port_info *in)
{
	uint8_t is = p->pi.state, to = in->state;

	if (port == 0 || in->phys_state > PORT_PHYS_DISABLED)
		return to == PORT_NO_CHANGE && in->phys_state == 0;
	if (in->phys_state != 0 && to != PORT_NO_CHANGE && to != PORT_DOWN)
		return false;
	return to == PORT_NO_CHANGE || to == PORT_DOWN ||
	       (to == PORT_ARMED && is == PORT_INIT) ||
	       (to == PORT_ACTIVE && is == PORT_ARMED);
}

/* Violations are counted from 0 again where a 0 is written. */
static void
clear_count(uint16_t *count, uint16_t in)
{
	if (in == 0)
		*count = 0;
}

/* What a port with a LID of its own has. */
static void
apply_end(
	struct sim *s, struct mad_port_info *is, const struct mad_port_info *in)
{
	is->lid = in->lid;
	is->sm_lid = in->sm_lid;
	is->lmc = in->lmc;
	is->sm_sl = in->sm_sl;
	is->mkey = in->mkey;
	is->mkey_prot = in->mkey_prot;
	is->mkey_lease = in->mkey_lease;
	is->gid_prefix = in->gid_prefix;
	is->subnet_timeout = in->subnet_timeout;
	clear_count(&is->mkey_viol, in->mkey_viol);
	clear_count(&is->pkey_viol, in->pkey_viol);
	clear_count(&is->qkey_viol, in->qkey_viol);
	s->stats.client_rereg +=
		in->client_rereg && is->capmask & MAD_CAP_CLIENT_REREG;
}

static void
apply_rates(struct mad_port_info *is, const struct mad_port_info *in, bool ext)
{
	enum { ALL_WIDTHS = 255, ALL_SPEEDS = 15, NO_EXT = 30, ALL_EXT = 31 };

	if (in->width_enabled == ALL_WIDTHS)
		is->width_enabled = is->width_supported;
	else if (in->width_enabled != KEEP)
		is->width_enabled = in->width_enabled;
	if (in->speed_enabled == ALL_SPEEDS)
		is->speed_enabled = is->speed_supported;
	else if (in->speed_enabled != KEEP)
		is->speed_enabled = in->speed_enabled;
	if (!ext || in->speed_ext_enabled == KEEP)
		return;
	is->speed_ext_enabled = in->speed_ext_enabled == NO_EXT ? 0
				: in->speed_ext_enabled == ALL_EXT
					? is->speed_ext_supported
					: in->speed_ext_enabled;
}

/*
 * What the external port of a switch alone has: an adapter's port and port 0
 * send nothing on for others.
 */
static void
apply_external(const struct sim *s, struct mad_port_info *is,
	const struct mad_port_info *in)
{
	is->vl_stall = in->vl_stall;
	is->hoq_life = in->hoq_life;
	is->filter_in = in->filter_in;
	is->filter_out = in->filter_out;
	if (s->o.enf_cap == 0)
		return;
	is->enf_in = in->enf_in;
	is->enf_out = in->enf_out;
}

/* Fields that are not named here are read-only: what a Set says is ignored. */
static void
apply_fields(struct sim *s, struct sim_port *p, const struct mad_port_info *in,
	bool end, bool ext, bool keeps_mtu)
{
	struct mad_port_info *is = &p->pi;

	if (end)
		apply_end(s, is, in);
	else
		apply_external(s, is, in);
	if (is->mtu_cap == 0) /* base port 0: the rest is of a link */
		return;
	if (in->mtu != KEEP && !keeps_mtu)
		is->mtu = in->mtu;
	if (in->op_vls != KEEP)
		is->op_vls = in->op_vls;
	if (in->down_default != KEEP)
		is->down_default = in->down_default;
	apply_rates(is, in, ext);
	is->vl_high_limit = in->vl_high_limit;
	is->mcast_pkey_supr = in->mcast_pkey_supr;
	is->phy_errors = in->phy_errors;
	is->overrun_errors = in->overrun_errors;
}

uint16_t
sim_port_set(struct sim *s, uint32_t node, unsigned port, bool ext,
	const uint8_t d[MAD_DATA])
{
	struct sim_port *p = sim_int_port(s, node, port);
	const struct sim_node *n = &s->node[node];
	bool end = is_end_port(&s->node[node], port);
	struct mad_port_info in;

	s->stats.port_sets++;
	if (mad_port_info_decode(d, &in, NULL))
		return MAD_STATUS_FIELD;
	if (!state_ok(p, port, &in) || !fields_ok(&p->pi, &in, end, ext))
		return MAD_STATUS_FIELD;
	/* as devices may: parameters, or a way up; opensm takes ports of hosts
	 * down with their LIDs */
	if (in.state == PORT_NO_CHANGE || in.state == PORT_DOWN)
		apply_fields(s, p, &in, end, ext,
			port != 0 && port == n->how.keeps_mtu);
	if (in.phys_state == PORT_PHYS_DISABLED ||
		in.phys_state == PORT_PHYS_POLLING) {
		p->disabled = in.phys_state == PORT_PHYS_DISABLED;
		sim_port_refresh(s, node, port);
	}
	if (in.state == PORT_DOWN)
		sim_port_retrain(s, node, port);
	else if (in.state != PORT_NO_CHANGE)
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
	p->pi.state = PORT_DOWN;
	p->pi.phys_state = p->disabled ? PORT_PHYS_DISABLED : PORT_PHYS_POLLING;
	sim_int_changed(s, SIM_PORT, node, port);
}

static void
come_up(struct sim *s, uint32_t node, unsigned port)
{
	struct sim_port *p = sim_int_port(s, node, port);

	p->up = true;
	p->pi.state = PORT_INIT;
	p->pi.phys_state = PORT_PHYS_LINK_UP;
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
		sim_perf_count(p, MAD_PERF_LINK_DOWNED);
		sim_perf_count(q, MAD_PERF_LINK_DOWNED);
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
	sim_perf_count(p, MAD_PERF_LINK_DOWNED);
	sim_perf_count(
		sim_int_port(s, p->peer, p->peer_port), MAD_PERF_LINK_DOWNED);
	come_up(s, node, port);
	come_up(s, p->peer, p->peer_port);
	tell_change(s, node, port);
	tell_change(s, p->peer, p->peer_port);
}
