#include "tests/sim/model/sim_ibsim.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"

enum {
	ATTR_EXT_PORT_INFO = 0xff90, /* stored, 64 bytes, without effect */
	PKEYS = 64,		     /* entries; port 0 of a switch has 8 */
	PKEYS_P0 = 8,
	PKEY_BLOCK = 32, /* entries */
	LFT_BLOCKS = 768,
	LFT_BLOCK = 64,
	MFT_BLOCKS = 32,
	MFT_POSITIONS = 2,
	VLARB_ENTRIES = 8, /* per table */
	VLARB_BYTES = 16,
	WIDTHS = 0x1f,
	SPEEDS = 7,
	EXT_HDR = 4,
	CAP_SWITCH = 0xc048, /* as in captures, without names here */
	CAP_HCA = 0x50c048,
	CAPMASK2 = 0x30,
};

static const uint8_t sl2vl_row[8] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xe7};

bool
sim_ibsim_knows(uint16_t attr)
{
	switch (attr) {
	case MAD_NODE_DESC:
	case MAD_NODE_INFO:
	case MAD_SWITCH_INFO:
	case MAD_GUID_INFO:
	case MAD_PORT_INFO:
	case MAD_PKEY_TABLE:
	case MAD_SL2VL:
	case MAD_VLARB:
	case MAD_LFT:
	case MAD_MFT:
	case ATTR_EXT_PORT_INFO:
		return true;
	default:
		return false;
	}
}

void
sim_ibsim_node_info(struct mad_node_info *ni)
{
	bool sw = ni->type == FABRIC_SWITCH;

	ni->revision = 0xa1;
	ni->partition_cap = sw ? PKEYS_P0 : PKEYS;
}

void
sim_ibsim_boot_switch(struct sim_switch *sw, bool enhanced_p0)
{
	sw->si = (struct mad_switch_info){
		.lft_cap = sw->si.lft_cap,
		.mft_cap = sw->si.mft_cap,
		.enf_cap = PKEYS,
		.filter_in = true,
		.filter_out = true,
		.enhanced_p0 = enhanced_p0,
	};
}

static void
boot_port_zero(struct mad_port_info *pi)
{
	*pi = (struct mad_port_info){
		.capmask = CAP_SWITCH,
		.capmask2 = CAPMASK2,
		.mkey_lease = 0x0ff9,
		.width_enabled = 2,
		.width_supported = WIDTHS,
		.width_active = 2,
		.speed_supported = SPEEDS,
		.speed_active = 1,
		.speed_enabled = 1,
		.state = PORT_ACTIVE,
		.phys_state = PORT_PHYS_LINK_UP,
		.down_default = PORT_PHYS_POLLING,
		.mtu = 1,
		.vl_cap = 4,
		.op_vls = 4,
		.arb_high_cap = 8,
		.arb_low_cap = 8,
		.mtu_cap = 3,
		.guid_cap = 1,
		.subnet_timeout = 31,
		.resp_time = 8,
	};
}

static void
boot_port(struct mad_port_info *pi, const struct fabric_rate *r, bool host,
	bool linked)
{
	/* speeds newer than HDR read as none, and none is 4x SDR */
	bool known = linked && r->speed_ext <= EXT_HDR;
	uint8_t width = linked ? r->width : 2;
	uint8_t speed = known ? r->speed : 1;
	uint8_t ext = known ? r->speed_ext : 0;

	*pi = (struct mad_port_info){
		.capmask = host ? CAP_HCA : 0,
		.capmask2 = host ? CAPMASK2 : 0,
		.mkey_lease = host ? 0x0ff9 : 0,
		.width_enabled = (uint8_t)(linked ? width * 2 - 1 : width),
		.width_supported = WIDTHS,
		.width_active = width,
		.speed_supported = SPEEDS,
		.speed_active = speed,
		.speed_enabled = (uint8_t)(speed * 2 - 1),
		.speed_ext_supported = ext ? SPEEDS : 0,
		.speed_ext_active = ext,
		.speed_ext_enabled = (uint8_t)(ext ? ext * 2 - 1 : 0),
		.state = linked ? PORT_INIT : PORT_DOWN,
		.phys_state = linked ? PORT_PHYS_LINK_UP : PORT_PHYS_POLLING,
		.down_default = PORT_PHYS_POLLING,
		.mtu = 4,
		.mtu_cap = 4,
		.vl_cap = 4,
		.op_vls = 4,
		.vl_stall = 7,
		.arb_high_cap = 8,
		.arb_low_cap = 8,
		.phy_errors = linked || host ? 0 : 4,
		.guid_cap = host ? 32 : 0,
		.subnet_timeout = host ? 31 : 0,
	};
}

void
sim_ibsim_boot(struct sim *s, uint32_t node, unsigned port, bool linked)
{
	struct sim_port *p = sim_int_port(s, node, port);
	const struct sim_node *n = &s->node[node];
	bool sw = n->type == FABRIC_SWITCH;
	struct mad_port_info was = p->pi;

	if (sw && port == 0)
		boot_port_zero(&p->pi);
	else
		boot_port(&p->pi, &p->rate, !sw, linked);
	if (!sw && port)
		p->guid = n->guid + port; /* whatever the file says */
	if (!linked)
		return;
	p->pi.lid = was.lid; /* they go with the link, and do not come */
	p->pi.lmc = was.lmc;
	p->pi.sm_lid = was.sm_lid;
}

/* A link carries when both of its ends say LinkUp. */
static void
update_link(struct sim *s, uint32_t node, unsigned port)
{
	struct sim_port *p = sim_int_port(s, node, port), *q;
	bool up;

	if (p->peer == FABRIC_NONE)
		return;
	q = sim_int_port(s, p->peer, p->peer_port);
	up = !p->cut && !q->cut && p->pi.phys_state == PORT_PHYS_LINK_UP &&
	     q->pi.phys_state == PORT_PHYS_LINK_UP;
	p->up = q->up = up;
}

static uint8_t
highest_bit(unsigned v)
{
	unsigned b = 0x80;

	while (b && !(v & b))
		b >>= 1;
	return (uint8_t)b;
}

/* The highest rate that both ends permit. */
static void
negotiate_rate(struct mad_port_info *a, struct mad_port_info *b)
{
	uint8_t width = highest_bit(a->width_enabled & b->width_enabled);
	uint8_t ext = highest_bit(a->speed_ext_enabled & b->speed_ext_enabled);

	if (width)
		a->width_active = b->width_active = width;
	if (ext && a->speed_ext_active)
		a->speed_ext_active = b->speed_ext_active = ext;
}

static uint16_t
set_state(struct sim *s, struct sim_port *p, uint8_t to)
{
	struct sim_port *q;

	if (to == PORT_NO_CHANGE || (p->peer == FABRIC_NONE && to == PORT_DOWN))
		return 0;
	if (p->peer == FABRIC_NONE)
		return MAD_STATUS_FIELD;
	q = sim_int_port(s, p->peer, p->peer_port);
	if (to == PORT_DOWN) {
		p->pi.state = q->pi.state = PORT_INIT;
		if (s->node[p->peer].sw)
			s->node[p->peer].sw->si.state_change = true;
		return 0;
	}
	if (to <= PORT_INIT)
		return 0;
	if (abs(q->pi.state - to) > 1 || abs(p->pi.state - to) != 1)
		return MAD_STATUS_FIELD;
	p->pi.state = to;
	return 0;
}

static uint16_t
set_port_info(struct sim *s, uint32_t node, unsigned port, const uint8_t *d)
{
	struct sim_port *p = sim_int_port(s, node, port);
	struct mad_port_info *is = &p->pi, in;
	uint16_t status;

	s->stats.port_sets++;
	if (mad_port_info_decode(d, &in, NULL))
		return MAD_STATUS_FIELD;
	is->gid_prefix = in.gid_prefix;
	is->lid = in.lid;
	is->sm_lid = in.sm_lid;
	is->lmc = in.lmc;
	is->hoq_life = in.hoq_life;
	if (in.width_enabled && in.width_enabled <= 15)
		is->width_enabled = in.width_enabled;
	if (in.speed_ext_enabled && in.speed_ext_enabled <= 7 &&
		is->speed_ext_supported)
		is->speed_ext_enabled = in.speed_ext_enabled;
	if (p->peer != FABRIC_NONE)
		negotiate_rate(is, &sim_int_port(s, p->peer, p->peer_port)->pi);
	if (in.phys_state) {
		is->phys_state = in.phys_state;
		update_link(s, node, port);
	}
	status = set_state(s, p, in.state);
	if (status || in.op_vls > is->vl_cap)
		return MAD_STATUS_FIELD;
	is->op_vls = in.op_vls;
	return 0;
}

static uint16_t
act_port_info(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	const struct sim_node *n = &s->node[q->node];
	uint32_t num = req->mod & ~MAD_PORT_INFO_EXT;
	struct mad_port_info pi;
	uint16_t status = 0;

	if (n->type != FABRIC_SWITCH && num == 0)
		num = q->port;
	if (num > n->nports)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET && n->type != FABRIC_SWITCH &&
		num != q->port)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET)
		status = set_port_info(s, q->node, num, req->data);
	if (status)
		return status;
	pi = sim_int_port(s, q->node, num)->pi;
	pi.local_port = q->port;
	mad_port_info_encode(&pi, d);
	return 0;
}

static uint16_t
act_switch_info(
	struct sim *s, struct sim_switch *sw, const struct smp *req, uint8_t *d)
{
	struct mad_switch_info in;

	if (req->method == MAD_SET) {
		s->stats.switch_sets++;
		(void)mad_switch_info_decode(req->data, &in, NULL);
		sw->si.lft_top = in.lft_top;
		sw->si.life = in.life;
		if (in.state_change)
			sw->si.state_change = false;
	}
	mad_switch_info_encode(&sw->si, d);
	return 0;
}

/* Blocks that sim_table would refuse read as in ibsim. */
static uint16_t
act_forwarding(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	if (req->attr == MAD_LFT && req->mod >= LFT_BLOCKS)
		return MAD_STATUS_FIELD;
	if (req->attr == MAD_LFT && req->mod * LFT_BLOCK >= s->o.lft_cap) {
		memset(d, SIM_NO_PORT, MAD_DATA);
		return 0;
	}
	if (req->attr == MAD_MFT && ((req->mod & 0x1ff) >= MFT_BLOCKS ||
					    req->mod >> 28 >= MFT_POSITIONS)) {
		memset(d, 0, MAD_DATA);
		return 0;
	}
	return sim_table_act(s, q->node, q->port, req, d);
}

static uint16_t
act_pkeys(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	const struct sim_node *n = &s->node[q->node];
	unsigned num = n->sw ? req->mod >> 16 : q->port;
	unsigned block = req->mod & 0xffff;
	unsigned cap = n->sw && num == 0 ? PKEYS_P0 : PKEYS;
	size_t at = (size_t)block * MAD_DATA, size;
	struct sim_port *p;

	if (num > n->nports || block * PKEY_BLOCK >= cap)
		return MAD_STATUS_FIELD;
	p = sim_int_port(s, q->node, num);
	if (!p->pkeys) {
		p->pkeys = mem_zalloc(PKEYS, 2);
		be_put16(p->pkeys, 0xffff);
	}
	size = 2 * (size_t)(cap < PKEY_BLOCK ? cap : PKEY_BLOCK);
	if (req->method == MAD_SET) {
		memcpy(p->pkeys + at, req->data, size);
		return 0;
	}
	memset(d, 0, MAD_DATA);
	memcpy(d, p->pkeys + at, size);
	return 0;
}

/* Tables of a port, 64 bytes each, by number. */
enum { LOW = 0, HIGH = 2, CA_SL2VL = 4, TABLES = 5 };

static void
make_tables(struct sim_port *p)
{
	uint8_t *low, *high, *sl2vl;

	p->vlarb = mem_zalloc(TABLES, MAD_DATA);
	low = p->vlarb + (size_t)LOW * MAD_DATA;
	high = p->vlarb + (size_t)HIGH * MAD_DATA;
	sl2vl = p->vlarb + (size_t)CA_SL2VL * MAD_DATA;
	for (size_t i = 0; i < VLARB_ENTRIES; i++) {
		low[2 * i] = high[2 * i] = (uint8_t)i;
		low[2 * i + 1] = i ? 4 : 0;
		high[2 * i + 1] = i ? 0 : 4;
	}
	memcpy(sl2vl, sl2vl_row, sizeof(sl2vl_row));
}

static uint8_t *
port_table(struct sim_port *p, unsigned which)
{
	if (!p->vlarb)
		make_tables(p);
	return p->vlarb + (size_t)which * MAD_DATA;
}

static uint16_t
act_vlarb(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	const struct sim_node *n = &s->node[q->node];
	unsigned num = n->sw ? req->mod & 0xffff : q->port;
	unsigned part = req->mod >> 16;
	uint8_t *table;

	if (num > n->nports || (part != 1 && part != 3))
		return MAD_STATUS_FIELD;
	table = port_table(sim_int_port(s, q->node, num), part - 1);
	if (req->method == MAD_SET) {
		memcpy(table, req->data, VLARB_BYTES);
		return 0;
	}
	memset(d, 0, MAD_DATA);
	memcpy(d, table, VLARB_BYTES);
	return 0;
}

static uint16_t
act_sl2vl(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	const struct sim_node *n = &s->node[q->node];
	struct smp own = *req;
	uint8_t got[MAD_DATA] = {0};
	uint8_t *row;

	own.mod &= 0xffff;
	if (n->sw) {
		if (own.mod >> 8 > n->nports || (own.mod & 0xff) > n->nports)
			memcpy(got, sl2vl_row, sizeof(sl2vl_row));
		else
			(void)sim_table_act(s, q->node, q->port, &own, got);
	} else {
		row = port_table(sim_int_port(s, q->node, q->port), CA_SL2VL);
		if (req->method == MAD_SET)
			memcpy(row, req->data, sizeof(sl2vl_row));
		memcpy(got, row, sizeof(sl2vl_row));
	}
	if (req->method != MAD_SET)
		memcpy(d, got, sizeof(sl2vl_row));
	return 0;
}

static uint16_t
act_ext_port_info(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	const struct sim_node *n = &s->node[q->node];
	unsigned num = n->sw ? req->mod & 0xff : q->port;
	struct sim_port *p;

	if (num > n->nports)
		return MAD_STATUS_FIELD;
	p = sim_int_port(s, q->node, num);
	if (!p->guids)
		p->guids = mem_zalloc(1, MAD_DATA);
	if (req->method == MAD_SET)
		memcpy(p->guids, req->data, MAD_DATA);
	else
		memcpy(d, p->guids, MAD_DATA);
	return 0;
}

/* Read-only attributes; other methods get a refusal with the data in it. */
static uint16_t
act_constant(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	const struct sim_node *n = &s->node[q->node];
	bool sw = n->sw != NULL;

	memset(d, 0, MAD_DATA);
	if (req->attr == MAD_NODE_DESC)
		memcpy(d, n->desc, MAD_DATA);
	else if (req->mod == 0)
		be_put64(d, sim_int_port(s, q->node, sw ? 0 : q->port)->guid);
	return req->method == MAD_GET ? 0 : MAD_STATUS_METHOD;
}

uint16_t
sim_ibsim_act(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t d[MAD_DATA])
{
	struct sim_switch *sw = s->node[q->node].sw;

	switch (req->attr) {
	case MAD_NODE_DESC:
	case MAD_GUID_INFO:
		return act_constant(s, q, req, d);
	case MAD_PORT_INFO:
		return act_port_info(s, q, req, d);
	case MAD_PKEY_TABLE:
		return act_pkeys(s, q, req, d);
	case MAD_SL2VL:
		return act_sl2vl(s, q, req, d);
	case MAD_VLARB:
		return act_vlarb(s, q, req, d);
	case ATTR_EXT_PORT_INFO:
		return act_ext_port_info(s, q, req, d);
	default:
		break;
	}
	if (!sw)
		return MAD_STATUS_METHOD_ATTR;
	if (req->attr == MAD_SWITCH_INFO)
		return act_switch_info(s, sw, req, d);
	return act_forwarding(s, q, req, d);
}
