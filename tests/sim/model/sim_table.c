#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "tests/sim/model/sim_device.h"
#include "tests/sim/model/sim_ibsim.h"
#include "tests/sim/model/sim_int.h"

enum {
	LFT_BLOCK = 64,
	MFT_BLOCK = 64, /* bytes: 32 masks of 16 ports */
	MFT_MLIDS = 32, /* of a block */
	MFT_PORTS = 16, /* of a position */
	MFT_BLOCKS = 0x200,
	MLID_BASE = 0xc000,
	NO_MLID = 0xbfff,  /* MulticastFDBTop: no entry is used */
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
		n->sw->lft_n = n->sw->mft_blocks = 0;
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
	n->sw->si = *sim_device_switch();
	n->sw->si.lft_cap = s->o.lft_cap;
	n->sw->si.mft_cap = s->o.mft_cap;
	n->sw->si.enf_cap = s->o.enf_cap;
	n->sw->si.enf_in = n->sw->si.enf_out = s->o.enf_cap > 0;
	n->sw->si.enhanced_p0 = n->enhanced_p0;
	if (!s->o.opt_sl2vl)
		n->sw->si.opt_sl2vl = 0;
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
		for (unsigned i = 0; i < LFT_BLOCK; i++)
			s->stats.lft_entries +=
				sw->lft[lid + i] != req->data[i];
		memcpy(sw->lft + lid, req->data, LFT_BLOCK);
		sim_vendor_lft_set(s, node);
		sim_int_changed(s, SIM_BLOCK, node, req->mod);
	}
	if (lid < sw->lft_n)
		memcpy(d, sw->lft + lid, LFT_BLOCK);
	else
		memset(d, SIM_NO_PORT, LFT_BLOCK);
	return 0;
}

/* Positions of the multicast table that a switch's ports need. */
static unsigned
mft_positions(const struct sim_node *n)
{
	return n->nports / MFT_PORTS + 1U;
}

/* A block of a position of the multicast table, which has been made. */
static uint8_t *
mft_block(const struct sim_node *n, uint32_t block, unsigned pos)
{
	return n->sw->mft +
	       ((size_t)block * mft_positions(n) + pos) * MFT_BLOCK;
}

/* Make the multicast table up to a block. */
static void
mft_reserve(struct sim_node *n, uint32_t block)
{
	size_t row = (size_t)mft_positions(n) * MFT_BLOCK;
	uint32_t had = n->sw->mft_blocks;

	if (block < had)
		return;
	n->sw->mft = mem_resize(n->sw->mft, block + 1, row);
	memset(n->sw->mft + had * row, 0, (block + 1 - had) * row);
	n->sw->mft_blocks = block + 1;
}

static uint16_t
act_mft(struct sim *s, uint32_t node, const struct smp *req, uint8_t *d)
{
	struct sim_node *n = &s->node[node];
	uint32_t pos = req->mod >> 28, block = req->mod & 0xfffffff;

	if (n->sw->si.mft_cap == 0)
		return MAD_STATUS_METHOD_ATTR;
	if (block >= MFT_BLOCKS || pos >= mft_positions(n) ||
		block * MFT_MLIDS >= n->sw->si.mft_cap)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET) {
		mft_reserve(n, block);
		s->stats.mft_sets++;
		s->stats.mft_same += memcmp(mft_block(n, block, pos), req->data,
					     MFT_BLOCK) == 0;
		memcpy(mft_block(n, block, pos), req->data, MFT_BLOCK);
		sim_int_changed(s, SIM_GROUPS, node, 0);
	}
	if (block < n->sw->mft_blocks)
		memcpy(d, mft_block(n, block, pos), MFT_BLOCK);
	else
		memset(d, 0, MFT_BLOCK);
	return 0;
}

/* MulticastFDBTop: 0 is no limit, 0xbfff no entry at all. */
static bool
mft_top_ok(const struct sim_switch *sw, uint16_t top)
{
	return top == 0 || (top >= NO_MLID && top - NO_MLID <= sw->si.mft_cap);
}

void
sim_mft(const struct sim *s, uint32_t node, uint16_t mlid, uint64_t ports[4])
{
	const struct sim_node *n = &s->node[node];
	const struct sim_switch *sw = n->sw;
	uint32_t i = (uint32_t)(mlid - MLID_BASE);

	memset(ports, 0, 4 * sizeof(*ports));
	if (mlid < MLID_BASE || i / MFT_MLIDS >= sw->mft_blocks ||
		i >= sw->si.mft_cap ||
		(sw->si.mft_top != 0 && mlid > sw->si.mft_top))
		return;
	for (unsigned pos = 0; pos < mft_positions(n); pos++) {
		uint64_t mask = be_get16(mft_block(n, i / MFT_MLIDS, pos) +
					 (size_t)2 * (i % MFT_MLIDS));

		ports[pos / 4] |= mask << pos % 4 * MFT_PORTS;
	}
}

static uint16_t
act_switch_info(struct sim *s, uint32_t node, const struct smp *req, uint8_t *d)
{
	struct sim_switch *sw = s->node[node].sw;
	uint16_t top = sw->si.lft_top, mft_top = sw->si.mft_top;
	struct mad_switch_info in;

	if (req->method == MAD_SET) {
		s->stats.switch_sets++;
		(void)mad_switch_info_decode(req->data, &in, NULL);
		if (in.lft_top >= sw->si.lft_cap || !mft_top_ok(sw, in.mft_top))
			return MAD_STATUS_FIELD;
		sw->si.lft_top = in.lft_top;
		sw->si.mft_top = in.mft_top;
		sw->si.def_port = in.def_port;
		sw->si.def_mcast_pri = in.def_mcast_pri;
		sw->si.def_mcast_not = in.def_mcast_not;
		if (!s->node[node].how.own_life)
			sw->si.life = in.life;
		if (in.state_change)
			sw->si.state_change = false;
		if (top != sw->si.lft_top)
			sim_int_changed(s, SIM_TABLE, node, 0);
		if (mft_top != sw->si.mft_top)
			sim_int_changed(s, SIM_GROUPS, node, 0);
	}
	mad_switch_info_encode(&sw->si, d);
	return 0;
}

/* Make a port's VLArb, one entry per VL, and a CA's row of SL2VL. */
static void
vlarb_reserve(struct sim_port *p)
{
	unsigned vls = p->pi.vl_cap < 5 ? 1U << (p->pi.vl_cap - 1) : 15;

	if (p->vlarb)
		return;
	p->vlarb = mem_zalloc(5, MAD_DATA);
	for (unsigned i = 0; i < vls && i < p->pi.arb_low_cap; i++) {
		p->vlarb[(size_t)2 * i] = (uint8_t)i;
		p->vlarb[(size_t)2 * i + 1] = 4;
	}
	memcpy(p->vlarb + (size_t)4 * MAD_DATA, default_sl2vl, 8);
}

/* Write one row of SL2VL; true if it changed. */
static bool
sl2vl_write(struct sim *s, uint32_t node, unsigned in, unsigned out,
	const uint8_t *row)
{
	struct sim_node *n = &s->node[node];
	unsigned w = n->nports + 1U;
	bool changes;

	if (!n->sw->sl2vl) {
		n->sw->sl2vl = mem_zalloc((size_t)w * w, 8);
		for (unsigned i = 0; i < w * w; i++)
			memcpy(n->sw->sl2vl[i], default_sl2vl, 8);
	}
	changes = memcmp(n->sw->sl2vl[in * w + out], row, 8) != 0;
	memcpy(n->sw->sl2vl[in * w + out], row, 8);
	sim_int_changed(s, SIM_SL2VL, node, in << 8 | out);
	return changes;
}

/* True if packets can be sent by this row: not back to the port they came by,
 * and between ports that have a link, or from port 0. */
static bool
sl2vl_is_used(struct sim *s, uint32_t node, unsigned in, unsigned out)
{
	return in != out && out > 0 &&
	       sim_int_port(s, node, out)->pi.state > PORT_DOWN &&
	       (in == 0 || sim_int_port(s, node, in)->pi.state > PORT_DOWN);
}

/*
 * The optimized forms: every input port, every output port, or both. Port 0 is
 * among them where it is enhanced.
 */
static void
sl2vl_write_all(struct sim *s, uint32_t node, const struct smp *req)
{
	const struct sim_node *n = &s->node[node];
	unsigned in = req->mod >> 8 & 0xff, out = req->mod & 0xff;
	unsigned first = n->enhanced_p0 ? 0 : 1;
	bool all_in = req->mod & ALL_IN, all_out = req->mod & ALL_OUT;
	bool changes = false;

	for (unsigned i = 0; i <= n->nports; i++) {
		for (unsigned o = 0; o <= n->nports; o++) {
			if ((all_in ? i >= first : i == in) &&
				(all_out ? o >= first : o == out))
				changes |=
					sl2vl_write(s, node, i, o, req->data) &&
					sl2vl_is_used(s, node, i, o);
		}
	}
	s->stats.sl2vl_blind += !changes;
}

static uint16_t
act_sl2vl(struct sim *s, uint32_t node, const struct smp *req, uint8_t *d)
{
	const struct sim_node *n = &s->node[node];
	unsigned in = req->mod >> 8 & 0xff, out = req->mod & 0xff;
	uint32_t wild = req->mod & (ALL_IN | ALL_OUT);

	if (req->mod >> 18 || (wild && !s->o.opt_sl2vl))
		return MAD_STATUS_FIELD;
	/* a wildcard's port number is ignored; a Get reads port 1 */
	if (wild & ALL_IN)
		in = 1;
	if (wild & ALL_OUT)
		out = 1;
	/* no packet leaves by base port 0 */
	if (in > n->nports || out > n->nports || (out == 0 && !n->enhanced_p0))
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET && wild)
		sl2vl_write_all(s, node, req);
	else if (req->method == MAD_SET)
		(void)sl2vl_write(s, node, in, out, req->data);
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
	if (req->mod >> 16)
		return MAD_STATUS_FIELD;
	vlarb_reserve(p);
	if (req->method == MAD_SET)
		memcpy(p->vlarb + (size_t)4 * MAD_DATA, req->data, 8);
	memset(d, 0, MAD_DATA);
	memcpy(d, p->vlarb + (size_t)4 * MAD_DATA, 8);
	return 0;
}

uint8_t
sim_vl(const struct sim *s, uint32_t node, unsigned in, unsigned out,
	unsigned sl)
{
	const struct sim_node *n = &s->node[node];
	const struct sim_port *p = sim_int_port(s, node, out);
	const uint8_t *row = default_sl2vl;

	if (out > 0 && p->pi.vl_cap < 2)
		return 0; /* there is no other */
	if (n->sw && n->sw->sl2vl)
		row = n->sw->sl2vl[in * (n->nports + 1U) + out];
	if (!n->sw && p->vlarb)
		row = p->vlarb + (size_t)4 * MAD_DATA;
	return sl & 1 ? row[sl / 2 & 7] & 15 : row[sl / 2 & 7] >> 4;
}

/* Entries of a part of the arbitration table: low 0-31, 32-63, high ... */
static unsigned
vlarb_entries(const struct sim_port *p, unsigned part)
{
	unsigned cap = part <= 2 ? p->pi.arb_low_cap : p->pi.arb_high_cap;

	if (part % 2 == 0)
		cap = cap > 32 ? cap - 32 : 0;
	return cap < 32 ? cap : 32;
}

static uint16_t
act_vlarb(struct sim_port *p, const struct smp *req, uint8_t *d)
{
	unsigned part = req->mod >> 16;
	unsigned n = part >= 1 && part <= 4 ? vlarb_entries(p, part) : 0;

	if (n == 0)
		return MAD_STATUS_FIELD;
	vlarb_reserve(p);
	if (req->method == MAD_SET)
		memcpy(p->vlarb + (size_t)(part - 1) * MAD_DATA, req->data,
			(size_t)2 * n);
	memcpy(d, p->vlarb + (size_t)(part - 1) * MAD_DATA, MAD_DATA);
	return 0;
}

/* P_Keys in blocks, the last of which may be half a one: the rest stays 0. */
static uint16_t
act_pkeys(
	struct sim_port *p, unsigned entries, const struct smp *req, uint8_t *d)
{
	unsigned blocks = (entries + SIM_PKEYS_BLOCK - 1) / SIM_PKEYS_BLOCK;
	unsigned block = req->mod & 0xffff;
	unsigned here = entries - block * SIM_PKEYS_BLOCK;
	uint8_t *at;

	if (block >= blocks)
		return MAD_STATUS_FIELD;
	if (!p->pkeys) {
		p->pkeys = mem_zalloc(blocks, MAD_DATA);
		be_put16(p->pkeys, SIM_DEFAULT_PKEY);
	}
	at = p->pkeys + (size_t)block * MAD_DATA;
	if (req->method == MAD_SET)
		memcpy(at, req->data,
			here < SIM_PKEYS_BLOCK ? 2 * here : MAD_DATA);
	memcpy(d, at, MAD_DATA);
	return 0;
}

/* Alias GUIDs; the first of all is the port's own and stays. */
static uint16_t
act_guids(struct sim_port *p, const struct smp *req, uint8_t *d)
{
	unsigned cap = p->pi.guid_cap;
	unsigned blocks = (cap + SIM_GUIDS_BLOCK - 1) / SIM_GUIDS_BLOCK;
	unsigned here = cap - req->mod * SIM_GUIDS_BLOCK;
	uint8_t *at;

	if (req->mod >= blocks)
		return MAD_STATUS_FIELD;
	if (!p->guids)
		p->guids = mem_zalloc(blocks, MAD_DATA);
	at = p->guids + (size_t)req->mod * MAD_DATA;
	if (req->method == MAD_SET)
		memcpy(at, req->data,
			here < SIM_GUIDS_BLOCK ? 8 * here : MAD_DATA);
	be_put64(p->guids, p->guid);
	memcpy(d, at, MAD_DATA);
	return 0;
}

static uint16_t
act_port_table(struct sim *s, uint32_t node, unsigned arrived,
	const struct smp *req, uint8_t *d)
{
	bool sw = s->node[node].type == FABRIC_SWITCH;
	bool pkey = req->attr == MAD_PKEY_TABLE;
	uint32_t num = pkey ? req->mod >> 16 : req->mod & 0xff;
	struct sim_port *p;

	if (req->attr == MAD_GUID_INFO)
		num = 0;
	if (!sim_port_answers(s, node, arrived, &num))
		return MAD_STATUS_FIELD;
	p = sim_int_port(s, node, num);
	if (pkey && sw && num > 0 && s->o.enf_cap == 0)
		return MAD_STATUS_METHOD_ATTR;
	if (pkey)
		return act_pkeys(p, sim_key_entries(s, node, num), req, d);
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

	/* one VL: no mapping, no arbitration */
	if ((req->attr == MAD_SL2VL || req->attr == MAD_VLARB) &&
		s->o.vl_cap <= 1)
		return MAD_STATUS_METHOD_ATTR;
	switch (req->attr) {
	case MAD_PKEY_TABLE:
	case MAD_GUID_INFO:
	case MAD_VLARB:
		return act_port_table(s, node, arrived, req, d);
	case MAD_SL2VL:
		return n->sw ? act_sl2vl(s, node, req, d)
			     : act_port_table(s, node, arrived, req, d);
	case MAD_SWITCH_INFO:
		return n->sw ? act_switch_info(s, node, req, d)
			     : MAD_STATUS_METHOD_ATTR;
	case MAD_LFT:
		return n->sw ? act_lft(s, node, req, d)
			     : MAD_STATUS_METHOD_ATTR;
	case MAD_MFT:
		return n->sw ? act_mft(s, node, req, d)
			     : MAD_STATUS_METHOD_ATTR;
	default:
		return MAD_STATUS_METHOD_ATTR;
	}
}
