#include <assert.h>
#include <stdlib.h>

#include "discovery/builder/builder.h"
#include "discovery/builder/builder_priv.h"
#include "sm/base/mem.h"

static struct builder_port *
port_of(struct builder *d, builder_id n, unsigned port)
{
	assert(n < d->nnodes && d->node[n] != NULL);
	assert(port <= d->node[n]->nports);
	return &d->node[n]->port[port];
}

/* PortInfo of a port that was never asked, beside what is known of it. */
static struct mad_port_info
port_made_up(unsigned port)
{
	return (struct mad_port_info){
		.local_port = (uint8_t)port,
		.width_enabled = PORT_WIDTH_1X | PORT_WIDTH_4X,
		.width_supported = PORT_WIDTH_1X | PORT_WIDTH_4X,
		.speed_supported = PORT_SDR | PORT_DDR | PORT_QDR,
		.speed_enabled = PORT_SDR | PORT_DDR | PORT_QDR,
		.speed_ext_supported = 15,
		.speed_ext_enabled = 15,
		.down_default = PORT_PHYS_POLLING,
	};
}

/* PortInfo as the port would answer it: planners read the wire bytes. */
static void
encode_port_info(struct builder *d, builder_id n, unsigned port)
{
	struct builder_port *p = port_of(d, n, port);
	uint8_t bytes[INFO_BYTES] = {0};
	struct mad_port_info pi;

	if ((p->marks & DP_READ) == 0)
		return;
	if (p->info == INFO_NONE ||
		mad_port_info_decode(d->infos.at[p->info], &pi, NULL) != 0)
		pi = port_made_up(port);
	pi.capmask = p->capmask;
	pi.lid = p->lid;
	pi.width_active = p->width;
	pi.speed_active = p->speed;
	pi.speed_ext_active = p->speed_ext & 15;
	pi.speed_ext2_active = p->speed_ext >> 4;
	pi.state = p->state;
	pi.phys_state = p->phys;
	pi.mtu = p->mtu;
	pi.mtu_cap = p->mtu_cap;
	pi.vl_cap = p->vl_cap;
	pi.op_vls = p->op_vls;
	mad_port_info_encode(&pi, bytes);
	portinfo_pool_set(&d->infos, &p->info, bytes);
}

/* SwitchInfo as the switch would answer it. */
static void
encode_switch_info(struct builder *d, builder_id n)
{
	struct builder_node *node = d->node[n];
	const struct mad_switch_info si = {
		.lft_cap = node->lft_cap,
		.lft_top = node->lft_top,
		.mft_cap = node->mft_cap,
		.enhanced_p0 = (node->flags & TN_ENHANCED_P0) != 0,
	};

	mad_switch_info_encode(&si, node->switch_info);
}

/*
 * A healthy port of a current switch, without a link: 4xHDR, MTU 4096, and the
 * VLs that are assumed.
 */
static void
port_default(const struct builder *d, struct builder_port *p)
{
	p->capmask = MAD_CAP_SL_MAPPING;
	p->marks |= DP_READ;
	p->flags |= TP_EXT_SPEED;
	p->mtu_cap = 5;
	p->mtu = 5;
	p->vl_cap = d->vl_cap;
	p->op_vls = d->vl_cap;
	p->width = PORT_WIDTH_4X;
	p->speed = PORT_QDR;
	p->speed_ext = PORT_HDR;
	p->state = PORT_DOWN;
	p->phys = PORT_PHYS_POLLING;
}

static void
port_down(struct builder_port *p)
{
	if (p->flags & TP_ABSENT)
		return;
	p->state = PORT_DOWN;
	p->phys = PORT_PHYS_POLLING;
}

static void
port_up(const struct builder *d, struct builder_port *p)
{
	if ((p->marks & DP_READ) == 0)
		port_default(d, p);
	p->state = PORT_ACTIVE;
	p->phys = PORT_PHYS_LINK_UP;
}

void
builder_assume_vls(struct builder *d, uint8_t vl_cap)
{
	d->vl_cap = vl_cap;
}

void
builder_set_role(struct builder *d, builder_id n, uint8_t role)
{
	d->node[n]->role = role;
	d->node[n]->role_state = BUILDER_ROLE_TOLD;
}

builder_id
builder_add_node(struct builder *d, enum topo_type type, uint64_t guid,
	unsigned nports, const char *desc)
{
	struct builder_node *n;
	builder_id id;

	assert(nports <= UINT8_MAX);
	id = builder_node_new(d, guid, (uint8_t)type, (uint8_t)nports);
	assert(id != BUILDER_NONE);
	n = d->node[id];
	n->sysimg = guid;
	n->desc = desc == NULL ? NULL : mem_strdup(desc);
	if (type != TOPO_SWITCH) {
		for (unsigned p = 1; p <= nports; p++)
			n->port[p].guid = guid + p;
		return id;
	}
	n->lft_cap = 49152;
	n->mft_cap = 1024;
	for (unsigned p = 0; p <= nports; p++)
		port_default(d, &n->port[p]);
	n->port[0].guid = guid;
	port_up(d, &n->port[0]);
	for (unsigned p = 0; p <= nports; p++)
		encode_port_info(d, id, p);
	encode_switch_info(d, id);
	return id;
}

void
builder_add_link(
	struct builder *d, builder_id a, unsigned pa, builder_id b, unsigned pb)
{
	assert(pa > 0 && pb > 0);
	(void)builder_unlink(d, a, (uint8_t)pa);
	(void)builder_unlink(d, b, (uint8_t)pb);
	port_up(d, port_of(d, a, pa));
	port_up(d, port_of(d, b, pb));
	builder_link(d, a, (uint8_t)pa, b, (uint8_t)pb);
	encode_port_info(d, a, pa);
	encode_port_info(d, b, pb);
}

void
builder_remove_link(struct builder *d, builder_id n, unsigned port)
{
	struct builder_port *p = port_of(d, n, port);
	builder_id peer = p->peer;
	unsigned peer_port = p->peer_port;

	if (peer == BUILDER_NONE)
		return;
	(void)builder_unlink(d, n, (uint8_t)port);
	port_down(p);
	port_down(port_of(d, peer, peer_port));
	encode_port_info(d, n, port);
	encode_port_info(d, peer, peer_port);
}

void
builder_remove_node(struct builder *d, builder_id n)
{
	for (unsigned p = 1; p <= d->node[n]->nports; p++)
		builder_remove_link(d, n, p);
	builder_node_drop(d, n);
}

void
builder_set_self(struct builder *d, builder_id n, unsigned port)
{
	struct builder_port *p = port_of(d, n, port);

	p->flags &= (uint8_t)~TP_ABSENT;
	if ((p->marks & DP_READ) == 0)
		port_default(d, p);
	d->self = n;
	d->self_port = port;
	d->routed = false;
	encode_port_info(d, n, port);
}

void
builder_set_ids(struct builder *d, builder_id n, uint64_t sysimg,
	uint32_t vendor, uint16_t device)
{
	d->node[n]->sysimg = sysimg;
	d->node[n]->vendor = vendor;
	d->node[n]->device = device;
}

void
builder_set_port_guid(
	struct builder *d, builder_id n, unsigned port, uint64_t guid)
{
	port_of(d, n, port)->guid = guid;
}

uint64_t
builder_port_guid(const struct builder *d, builder_id n, unsigned port)
{
	return d->node[n]->port[port].guid;
}

void
builder_set_found_lid(
	struct builder *d, builder_id n, unsigned port, uint16_t lid)
{
	struct builder_port *p = port_of(d, n, port);

	p->lid = lid;
	p->flags &= (uint8_t)~TP_ABSENT;
	encode_port_info(d, n, port);
}

void
builder_set_port_state(
	struct builder *d, builder_id n, unsigned port, uint8_t state)
{
	port_of(d, n, port)->state = state;
	encode_port_info(d, n, port);
}

void
builder_set_port_speed(struct builder *d, builder_id n, unsigned port,
	uint8_t width, uint8_t speed, uint8_t speed_ext)
{
	struct builder_port *p = port_of(d, n, port);

	p->width = width;
	p->speed = speed;
	p->speed_ext = speed_ext;
	encode_port_info(d, n, port);
}

void
builder_set_enhanced_p0(struct builder *d, builder_id n, bool enhanced)
{
	d->node[n]->flags &= (uint8_t)~TN_ENHANCED_P0;
	if (enhanced)
		d->node[n]->flags |= TN_ENHANCED_P0;
	encode_switch_info(d, n);
}

void
builder_set_lft(
	struct builder *d, builder_id n, uint16_t lft_cap, uint16_t lft_top)
{
	d->node[n]->lft_cap = lft_cap;
	d->node[n]->lft_top = lft_top;
	encode_switch_info(d, n);
}
