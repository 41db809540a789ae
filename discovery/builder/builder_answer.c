#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "discovery/builder/builder_priv.h"

/* True for a port that owns a LID: in other PortInfos it means nothing. */
static bool
owns_lid(const struct builder_node *n, uint8_t port)
{
	return n->type != TOPO_SWITCH || port == 0;
}

/* Only port 0 of a switch has a CapabilityMask, which is that of all. */
static uint8_t
extended_speed(const struct builder_node *n, uint8_t port,
	const struct mad_port_info *pi)
{
	const struct builder_port *zero = &n->port[0];

	return owns_lid(n, port)
		       ? mad_extended_speed(pi, pi->capmask, pi->capmask2)
		       : mad_extended_speed(pi, zero->capmask, zero->capmask2);
}

int
builder_port_info(struct builder *d, builder_id n, uint8_t port,
	const uint8_t info[64], bool ext, struct reason *why)
{
	struct builder_port *p = &d->node[n]->port[port];
	struct builder_port old = *p;
	struct mad_port_info pi;

	if (mad_port_info_decode(info, &pi, why) != 0)
		return -1;
	portinfo_pool_set(&d->infos, &p->info, info);
	p->read = d->sweep;
	p->marks |= DP_READ;
	p->capmask = pi.capmask;
	p->capmask2 = pi.capmask2;
	p->lid = owns_lid(d->node[n], port) ? pi.lid : 0;
	p->lmc = pi.lmc;
	/* the link recovers by itself: no other state for routes and plans */
	p->state = pi.state == PORT_ACTIVE_DEFER ? PORT_ACTIVE : pi.state;
	p->phys = pi.phys_state;
	p->mtu_cap = pi.mtu_cap;
	p->mtu = pi.mtu;
	p->vl_cap = pi.vl_cap;
	p->op_vls = pi.op_vls;
	p->width = pi.width_active;
	p->speed = pi.speed_active;
	p->speed_ext = extended_speed(d->node[n], port, &pi);
	p->flags &=
		(uint8_t) ~(TP_ABSENT | TP_UNREAD | TP_EXT_SPEED | TP_IS_SM);
	if (ext)
		p->flags |= TP_EXT_SPEED;
	if (pi.capmask & MAD_CAP_IS_SM)
		p->flags |= TP_IS_SM;
	return p->state != old.state || p->phys != old.phys ||
	       p->lid != old.lid || p->lmc != old.lmc ||
	       p->capmask != old.capmask || p->width != old.width ||
	       p->speed != old.speed || p->speed_ext != old.speed_ext ||
	       p->mtu != old.mtu || p->op_vls != old.op_vls ||
	       p->vl_cap != old.vl_cap;
}

int
builder_switch_info(struct builder *d, builder_id n, const uint8_t info[64],
	struct reason *why)
{
	struct builder_node *node = d->node[n];
	struct mad_switch_info si;

	if (mad_switch_info_decode(info, &si, why) != 0)
		return -1;
	memcpy(node->switch_info, info, sizeof(node->switch_info));
	node->lft_cap = si.lft_cap;
	node->lft_top = si.lft_top;
	node->mft_cap = si.mft_cap;
	node->enf_cap = si.enf_cap;
	node->life = si.life;
	node->changed = si.state_change;
	node->opt_sl2vl = (si.opt_sl2vl & 1) != 0;
	node->flags &= (uint8_t)~TN_ENHANCED_P0;
	if (si.enhanced_p0)
		node->flags |= TN_ENHANCED_P0;
	return 0;
}

void
builder_port_written(struct builder *d, uint64_t node_guid, unsigned port,
	const uint8_t info[64])
{
	builder_id n;

	if (!builder_find(d, node_guid, &n) || port > d->node[n]->nports)
		return;
	d->touched = true;
	(void)builder_port_info(d, n, (uint8_t)port, info,
		(d->node[n]->port[port].flags & TP_EXT_SPEED) != 0, NULL);
}

void
builder_renamed(struct builder *d, uint64_t guid)
{
	builder_id n;

	if (!builder_find(d, guid, &n))
		return;
	d->touched = true;
	free(d->node[n]->desc);
	d->node[n]->desc = NULL;
}

bool
builder_switch_differs(
	const struct builder *d, uint64_t node_guid, const uint8_t info[64])
{
	struct mad_switch_info is, was;
	builder_id n;

	return builder_find(d, node_guid, &n) &&
	       d->node[n]->type == TOPO_SWITCH &&
	       mad_switch_info_decode(info, &is, NULL) == 0 &&
	       mad_switch_info_decode(d->node[n]->switch_info, &was, NULL) ==
		       0 &&
	       (is.lft_top != was.lft_top || is.mft_top != was.mft_top ||
		       is.def_port != was.def_port ||
		       is.def_mcast_pri != was.def_mcast_pri ||
		       is.def_mcast_not != was.def_mcast_not ||
		       is.life != was.life);
}

void
builder_switch_written(
	struct builder *d, uint64_t node_guid, const uint8_t info[64])
{
	builder_id n;

	d->touched = true;
	if (builder_find(d, node_guid, &n) && d->node[n]->type == TOPO_SWITCH)
		(void)builder_switch_info(d, n, info, NULL);
}
