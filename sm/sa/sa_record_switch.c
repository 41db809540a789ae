/*
 * Records of switches and their tables: SwitchInfoRecord, LinearFDBRecord,
 * MulticastFDBRecord, SLtoVLMappingTableRecord, VLArbitrationTableRecord (IBA
 * 15.2.5.4 to 15.2.5.9).
 */
#include <string.h>

#include "sm/base/be.h"
#include "sm/sa/sa_priv.h"
#include "sm/view/view_slvl.h"

/* The LID of switch s, or 0 when the requester may not see it. */
static uint16_t
visible_lid(const struct sa_query *q, sw_ix s)
{
	const struct topo *t = q->view->topo;
	port_ix p0 = t->node[t->sw[s].node].first_port;

	return sa_scope_sees(q, p0) ? t->port[p0].lid : 0;
}

/* ---- SwitchInfoRecord ---- */

enum { SWITCH_SIZE = 24, SWITCH_INFO = 4, SWITCH_BYTES = 20 };

static const struct sa_part switch_parts[] = {
	{0, 0, 16}, /* LID */
};

static bool
switch_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	uint16_t lid = visible_lid(q, (sw_ix)ix);

	if (lid == 0)
		return false;
	be_put16(rec, lid);
	memcpy(rec + SWITCH_INFO, q->view->topo->sinfo[ix], SWITCH_BYTES);
	return true;
}

const struct sa_kind sa_switch = {
	.attr = MAD_SA_SWITCH,
	.size = SWITCH_SIZE,
	.part = switch_parts,
	.nparts = sizeof(switch_parts) / sizeof(switch_parts[0]),
	.over = SA_SWITCHES,
	.record = switch_record,
};

/* ---- LinearFDBRecord ---- */

enum { LFT_SIZE = 72, LFT_TABLE = 8 };

static const struct sa_part lft_parts[] = {
	{0, 0, 16}, /* LID */
	{1, 16, 16} /* BlockNum */
};

static uint16_t
lft_begin(struct sa_query *q)
{
	sa_scope_number(q, SA_SWITCHES, q->view->routes->nblocks);
	return 0;
}

static bool
lft_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct routes *r = q->view->routes;
	sw_ix s = (sw_ix)(ix / r->nblocks);
	uint32_t b = (uint32_t)(ix % r->nblocks);
	uint16_t lid = visible_lid(q, s);

	if (lid == 0)
		return false;
	be_put16(rec, lid);
	be_put16(rec + 2, (uint16_t)b);
	memcpy(rec + LFT_TABLE, routes_block(r, s, b), LFT_BLOCK);
	return true;
}

const struct sa_kind sa_lft = {
	.attr = MAD_SA_LFT,
	.size = LFT_SIZE,
	.part = lft_parts,
	.nparts = sizeof(lft_parts) / sizeof(lft_parts[0]),
	.begin = lft_begin,
	.record = lft_record,
};

/* ---- MulticastFDBRecord: what the switches acknowledged ---- */

enum { MFT_POSITIONS = 16 };

static const struct sa_part mft_parts[] = {
	{0, 0, 16}, /* LID */
	{1, 16, 4}, /* Position */
	{3, 23, 9}  /* BlockNum */
};

static uint16_t
mft_begin(struct sa_query *q)
{
	q->per = sa_groups_blocks(q->sa) * MFT_POSITIONS;
	sa_scope_number(q, SA_SWITCHES, q->per);
	return 0;
}

/* Candidates: switch, block, position. */
static bool
mft_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct topo *t = q->view->topo;
	const struct sa_ops *ops = q->sa->ops;
	sw_ix s = (sw_ix)(ix / q->per);
	unsigned block = (unsigned)(ix % q->per / MFT_POSITIONS);
	unsigned pos = (unsigned)(ix % MFT_POSITIONS);
	uint16_t lid;

	if (!ops->mft(ops->cookie, t->node[t->sw[s].node].guid, block, pos,
		    rec + LFT_TABLE))
		return false;
	lid = visible_lid(q, s);
	if (lid == 0)
		return false;
	be_put16(rec, lid);
	be_put16(rec + 2, (uint16_t)(pos << 12 | block));
	return true;
}

const struct sa_kind sa_mft = {
	.attr = MAD_SA_MFT,
	.size = LFT_SIZE,
	.part = mft_parts,
	.nparts = sizeof(mft_parts) / sizeof(mft_parts[0]),
	.begin = mft_begin,
	.record = mft_record,
};

/* ---- SLtoVLMappingTableRecord ---- */

enum { PORTS = 256, SL2VL_SIZE = 16, SL2VL_TABLE = 8 };

static const struct sa_part sl2vl_parts[] = {
	{0, 0, 16}, /* LID */
	{1, 16, 8}, /* InputPortNum */
	{2, 24, 8}  /* OutputPortNum */
};

/* Candidates: output port, input port. */
static bool
sl2vl_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct topo *t = q->view->topo;
	port_ix p = (port_ix)(ix / PORTS);
	unsigned in = (unsigned)(ix % PORTS);
	const struct topo_port *port = &t->port[p];
	const struct topo_node *n = &t->node[port->node];
	uint16_t lid = sa_scope_lid(q->view, p);

	if (in > (n->type == TOPO_SWITCH ? n->nports : 0) || lid == 0 ||
		!sa_scope_sees(q, p) ||
		!view_slvl_sl2vl(
			q->view, port->node, in, port->num, rec + SL2VL_TABLE))
		return false;
	be_put16(rec, lid);
	rec[2] = (uint8_t)in;
	rec[3] = n->type == TOPO_SWITCH ? port->num : 0;
	return true;
}

const struct sa_kind sa_sl2vl = {
	.attr = MAD_SA_SL2VL,
	.size = SL2VL_SIZE,
	.part = sl2vl_parts,
	.nparts = sizeof(sl2vl_parts) / sizeof(sl2vl_parts[0]),
	.over = SA_PORTS,
	.per = PORTS,
	.record = sl2vl_record,
};

/* ---- VLArbitrationTableRecord ---- */

enum { VLARB_BLOCKS = 4, VLARB_SIZE = 72, VLARB_TABLE = 8 };

static const struct sa_part vlarb_parts[] = {
	{0, 0, 16}, /* LID */
	{1, 16, 8}, /* OutputPortNum */
	{2, 24, 8}  /* BlockNum */
};

static bool
vlarb_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	port_ix p = (port_ix)(ix / VLARB_BLOCKS);
	unsigned block = 1 + (unsigned)(ix % VLARB_BLOCKS);
	uint16_t lid = sa_scope_lid(q->view, p);

	if (lid == 0 || !sa_scope_sees(q, p) ||
		!view_slvl_vlarb(q->view, p, block, rec + VLARB_TABLE))
		return false;
	be_put16(rec, lid);
	rec[2] = q->view->topo->port[p].num;
	rec[3] = (uint8_t)block;
	return true;
}

const struct sa_kind sa_vlarb = {
	.attr = MAD_SA_VLARB,
	.size = VLARB_SIZE,
	.part = vlarb_parts,
	.nparts = sizeof(vlarb_parts) / sizeof(vlarb_parts[0]),
	.over = SA_PORTS,
	.per = VLARB_BLOCKS,
	.record = vlarb_record,
};
