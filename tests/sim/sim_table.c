#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "tests/sim/sim_ibsim.h"
#include "tests/sim/sim_int.h"

enum {
	LFT_BLOCK = 64,
	MFT_BLOCK = 64, /* bytes: 32 masks of 16 ports */
	PKEY_BLOCK = 64,
	GUID_BLOCK = 64,
	MFT_POSITIONS = 16,
	ALL_OUT = 1 << 16, /* SL2VL: every output port */
	ALL_IN = 1 << 17,
};

static const uint8_t default_sl2vl[8] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xe7};

void
sim_table_free(struct sim *s, uint32_t node)
{
	struct sim_node *n = &s->node[node];

	if (n->sw) {
		free(n->sw->lft);
		free(n->sw->sl2vl);
		free(n->sw->mft);
		n->sw->lft = NULL;
		n->sw->sl2vl = NULL;
		n->sw->mft = NULL;
		n->sw->lft_n = 0;
	}
	for (unsigned p = 0; p <= n->nports; p++) {
		struct sim_port *q = sim_int_port(s, node, p);

		free(q->pkeys);
		free(q->vlarb);
		free(q->guids);
		q->pkeys = q->vlarb = q->guids = NULL;
	}
}

void
sim_table_boot(struct sim *s, uint32_t node)
{
	struct sim_node *n = &s->node[node];

	sim_table_free(s, node);
	if (!n->sw)
		return;
	n->sw->si = (struct mad_switch_info){
		.lft_cap = s->o.lft_cap,
		.mft_cap = s->o.mft_cap,
		.enf_cap = SIM_PKEYS,
		.opt_sl2vl = s->o.opt_sl2vl ? 1 : 0,
		.enf_in = true,
		.enf_out = true,
		.enhanced_p0 = n->enhanced_p0,
	};
	if (s->o.ibsim)
		sim_ibsim_boot_switch(n->sw, n->enhanced_p0);
	sim_int_changed(s, SIM_TABLE, node, 0);
}

uint8_t
sim_table_lft(const struct sim_switch *sw, uint16_t lid)
{
	return lid < sw->lft_n && lid <= sw->si.lft_top ? sw->lft[lid]
							: SIM_NO_PORT;
}

/* Make room for the block that lid is in. */
static void
lft_reserve(struct sim_switch *sw, uint32_t lid)
{
	uint32_t want = sw->lft_n ? sw->lft_n : 1024;

	while (want <= lid)
		want *= 2;
	if (want == sw->lft_n)
		return;
	sw->lft = mem_resize(sw->lft, want, 1);
	memset(sw->lft + sw->lft_n, SIM_NO_PORT, want - sw->lft_n);
	sw->lft_n = want;
}

void
sim_table_write(struct sim_switch *sw, uint16_t lid, uint8_t out)
{
	lft_reserve(sw, lid);
	sw->lft[lid] = out;
	if (sw->si.lft_top < lid)
		sw->si.lft_top = lid;
}

static uint16_t
act_lft(struct sim *s, uint32_t node, const struct smp *req, uint8_t *d)
{
	struct sim_switch *sw = s->node[node].sw;
	uint32_t lid = req->mod * LFT_BLOCK;

	if (req->mod > 0xffff || lid >= sw->si.lft_cap)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET) {
		lft_reserve(sw, lid);
		s->stats.lft_sets++;
		s->stats.lft_same +=
			memcmp(sw->lft + lid, req->data, LFT_BLOCK) == 0;
		memcpy(sw->lft + lid, req->data, LFT_BLOCK);
		sim_int_changed(s, SIM_BLOCK, node, req->mod);
	}
	if (lid < sw->lft_n)
		memcpy(d, sw->lft + lid, LFT_BLOCK);
	else
		memset(d, SIM_NO_PORT, LFT_BLOCK);
	return 0;
}

static uint16_t
act_mft(struct sim_switch *sw, const struct smp *req, uint8_t *d)
{
	uint32_t pos = req->mod >> 28, block = req->mod & 0x1ff;
	size_t row = (size_t)sw->si.mft_cap * 2;
	size_t at = row * pos + (size_t)block * MFT_BLOCK;

	if ((block + 1) * (MFT_BLOCK / 2) > sw->si.mft_cap)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET) {
		if (!sw->mft)
			sw->mft = mem_zalloc(MFT_POSITIONS, row);
		memcpy(sw->mft + at, req->data, MFT_BLOCK);
	}
	if (sw->mft)
		memcpy(d, sw->mft + at, MFT_BLOCK);
	else
		memset(d, 0, MFT_BLOCK);
	return 0;
}

static uint16_t
act_switch_info(struct sim *s, uint32_t node, const struct smp *req, uint8_t *d)
{
	struct sim_switch *sw = s->node[node].sw;
	uint16_t top = sw->si.lft_top;
	struct mad_switch_info in;

	if (req->method == MAD_SET) {
		s->stats.switch_sets++;
		(void)mad_switch_info_decode(req->data, &in, NULL);
		if (in.lft_top >= sw->si.lft_cap)
			return MAD_STATUS_FIELD;
		sw->si.lft_top = in.lft_top;
		sw->si.mft_top = in.mft_top;
		sw->si.def_port = in.def_port;
		sw->si.def_mcast_pri = in.def_mcast_pri;
		sw->si.def_mcast_not = in.def_mcast_not;
		sw->si.life = in.life;
		if (in.state_change)
			sw->si.state_change = false;
		if (top != sw->si.lft_top)
			sim_int_changed(s, SIM_TABLE, node, 0);
	}
	mad_switch_info_encode(&sw->si, d);
	return 0;
}

/* One cell of SL2VL. */
static void
sl2vl_write(struct sim_node *n, unsigned in, unsigned out, const uint8_t *row)
{
	unsigned w = n->nports + 1U;

	if (!n->sw->sl2vl) {
		n->sw->sl2vl = mem_zalloc((size_t)w * w, 8);
		for (unsigned i = 0; i < w * w; i++)
			memcpy(n->sw->sl2vl[i], default_sl2vl, 8);
	}
	memcpy(n->sw->sl2vl[in * w + out], row, 8);
}

static void
sl2vl_write_all(struct sim_node *n, const struct smp *req)
{
	unsigned in = req->mod >> 8 & 0xff, out = req->mod & 0xff;

	for (unsigned i = 0; i <= n->nports; i++) {
		for (unsigned o = 0; o <= n->nports; o++) {
			if ((i == in || req->mod & ALL_IN) &&
				(o == out || req->mod & ALL_OUT))
				sl2vl_write(n, i, o, req->data);
		}
	}
}

static uint16_t
act_sl2vl(struct sim *s, struct sim_node *n, const struct smp *req, uint8_t *d)
{
	unsigned in = req->mod >> 8 & 0xff, out = req->mod & 0xff;
	uint32_t wild = req->mod & (ALL_IN | ALL_OUT);

	if (req->mod >> 18 || (wild && !s->o.opt_sl2vl) || in > n->nports ||
		out > n->nports)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET && wild)
		sl2vl_write_all(n, req);
	else if (req->method == MAD_SET)
		sl2vl_write(n, in, out, req->data);
	memset(d, 0, MAD_DATA);
	if (n->sw->sl2vl)
		memcpy(d, n->sw->sl2vl[in * (n->nports + 1U) + out], 8);
	else
		memcpy(d, default_sl2vl, 8);
	return 0;
}

/* A CA keeps its one row where its other port tables are. */
static uint16_t
act_sl2vl_ca(struct sim_port *p, const struct smp *req, uint8_t *d)
{
	if (!p->vlarb)
		p->vlarb = mem_zalloc(5, MAD_DATA);
	if (req->method == MAD_SET)
		memcpy(p->vlarb + 4 * MAD_DATA, req->data, 8);
	memset(d, 0, MAD_DATA);
	memcpy(d, p->vlarb + 4 * MAD_DATA, 8);
	return 0;
}

static uint16_t
act_vlarb(struct sim_port *p, const struct smp *req, uint8_t *d)
{
	unsigned part = req->mod >> 16;

	if (part < 1 || part > 4)
		return MAD_STATUS_FIELD;
	if (!p->vlarb)
		p->vlarb = mem_zalloc(5, MAD_DATA);
	if (req->method == MAD_SET)
		memcpy(p->vlarb + (part - 1) * MAD_DATA, req->data, MAD_DATA);
	memcpy(d, p->vlarb + (part - 1) * MAD_DATA, MAD_DATA);
	return 0;
}

static uint16_t
act_pkeys(struct sim_port *p, const struct smp *req, uint8_t *d)
{
	if (req->mod & 0xffff)
		return MAD_STATUS_FIELD;
	if (!p->pkeys) {
		p->pkeys = mem_zalloc(1, PKEY_BLOCK);
		be_put16(p->pkeys, 0xffff);
	}
	if (req->method == MAD_SET)
		memcpy(p->pkeys, req->data, PKEY_BLOCK);
	memcpy(d, p->pkeys, PKEY_BLOCK);
	return 0;
}

static uint16_t
act_guids(struct sim_port *p, const struct smp *req, uint8_t *d)
{
	if (req->mod)
		return MAD_STATUS_FIELD;
	if (!p->guids)
		p->guids = mem_zalloc(1, GUID_BLOCK);
	if (req->method == MAD_SET)
		memcpy(p->guids, req->data, GUID_BLOCK);
	be_put64(p->guids, p->guid); /* the first is the port's own */
	memcpy(d, p->guids, GUID_BLOCK);
	return 0;
}

/* The port that the low byte of a port attribute's modifier names. */
static struct sim_port *
named_port(struct sim *s, uint32_t node, unsigned arrived, unsigned num)
{
	struct sim_node *n = &s->node[node];

	if (n->type != FABRIC_SWITCH && num == 0)
		num = arrived;
	return num > n->nports ? NULL : sim_int_port(s, node, num);
}

static uint16_t
act_port_table(struct sim *s, uint32_t node, unsigned arrived,
	const struct smp *req, uint8_t *d)
{
	bool sw = s->node[node].type == FABRIC_SWITCH;
	bool pkey = req->attr == MAD_PKEY_TABLE;
	unsigned num = pkey ? (sw ? req->mod >> 16 : 0) : req->mod & 0xff;
	struct sim_port *p;

	if (req->attr == MAD_GUID_INFO)
		num = 0;
	p = num > 255 ? NULL : named_port(s, node, arrived, num);
	if (!p)
		return MAD_STATUS_FIELD;
	if (pkey)
		return act_pkeys(p, req, d);
	if (req->attr == MAD_GUID_INFO)
		return act_guids(p, req, d);
	if (req->attr == MAD_VLARB)
		return act_vlarb(p, req, d);
	return act_sl2vl_ca(p, req, d);
}

uint16_t
sim_table_act(struct sim *s, uint32_t node, unsigned arrived,
	const struct smp *req, uint8_t d[MAD_DATA])
{
	struct sim_node *n = &s->node[node];

	switch (req->attr) {
	case MAD_PKEY_TABLE:
	case MAD_GUID_INFO:
	case MAD_VLARB:
		return act_port_table(s, node, arrived, req, d);
	case MAD_SL2VL:
		return n->sw ? act_sl2vl(s, n, req, d)
			     : act_port_table(s, node, arrived, req, d);
	case MAD_SWITCH_INFO:
		return n->sw ? act_switch_info(s, node, req, d)
			     : MAD_STATUS_METHOD_ATTR;
	case MAD_LFT:
		return n->sw ? act_lft(s, node, req, d)
			     : MAD_STATUS_METHOD_ATTR;
	case MAD_MFT:
		return n->sw ? act_mft(n->sw, req, d) : MAD_STATUS_METHOD_ATTR;
	default:
		return MAD_STATUS_METHOD_ATTR;
	}
}
