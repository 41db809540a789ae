/*
 * Records of nodes and of the SA itself: ClassPortInfo, NodeRecord,
 * SMInfoRecord (IBA 15.2.5.1, 15.2.5.2, 15.2.5.10).
 */
#include <string.h>

#include "sm/base/be.h"
#include "sm/sa/sa_priv.h"
#include "sm/view/view_slvl.h"

/* Answers are sent within 4.096 us x 2^this: 1 s, the time of a long table. */
enum { RESP_TIME = 18 };

static bool
cpi_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	struct mad_sa_port_info info = {
		.cap = MAD_SA_CAP_MASK2 | MAD_SA_CAP_UD_MULTICAST |
		       MAD_SA_CAP_MULTI_PATH | MAD_SA_CAP_PORT_CAPMASK_MATCH,
		.cap2 = MAD_SA_CAP2_ALIAS_GUIDS | MAD_SA_CAP2_FULL_PORT_INFO |
			MAD_SA_CAP2_EXT_SPEEDS |
			MAD_SA_CAP2_PORT_CAPMASK2_MATCH |
			MAD_SA_CAP2_SEND_ONLY_FULL | MAD_SA_CAP2_2X |
			MAD_SA_CAP2_HDR | MAD_SA_CAP2_NDR,
		.resp_time = RESP_TIME,
		.qp = MAD_SA_QP,
		.qkey = MAD_SA_QKEY,
	};

	(void)ix;
	if (view_slvl_levels(q->view))
		info.cap2 |= MAD_SA_CAP2_QOS;
	mad_sa_port_info_encode(&info, rec);
	return true;
}

const struct sa_kind sa_class_port_info = {
	.attr = MAD_SA_CLASS_PORT_INFO,
	.size = MAD_SA_PORT_INFO,
	.over = SA_NUMBERS,
	.per = 1,
	.record = cpi_record,
	.single = true,
};

/* ---- NodeRecord: a record for every port that owns a LID ---- */

enum { NODE_INFO = 4, NODE_DESC = 44, NODE_SIZE = 112 };

static const struct sa_part node_parts[] = {
	{0, 0, 16},    /* LID */
	{2, 32, 8},    /* BaseVersion */
	{3, 40, 8},    /* ClassVersion */
	{4, 48, 8},    /* NodeType */
	{5, 56, 8},    /* NumPorts */
	{6, 64, 64},   /* SystemImageGUID */
	{7, 128, 64},  /* NodeGUID */
	{8, 192, 64},  /* PortGUID */
	{9, 256, 16},  /* PartitionCap */
	{10, 272, 16}, /* DeviceID */
	{11, 288, 32}, /* Revision */
	{12, 320, 8},  /* LocalPortNum */
	{13, 328, 24}, /* VendorID */
	{14, 352, 512} /* NodeDescription */
};

static bool
node_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct topo *t = q->view->topo;
	const struct topo_port *p = &t->port[ix];
	const struct topo_node *n = &t->node[p->node];
	const char *desc = topo_desc(t, p->node);
	size_t len = strlen(desc);
	const struct mad_node_info info = {
		.sysimg = n->sysimg,
		.guid = n->guid,
		.port_guid = p->guid,
		.vendor = n->vendor,
		.revision = n->revision,
		.device = n->device,
		.partition_cap = n->partition_cap,
		.base_version = 1,
		.class_version = 1,
		.type = n->type,
		.nports = n->nports,
		.local_port = p->num,
	};
	uint8_t d[MAD_DATA];

	if (!topo_has_lid(t, (port_ix)ix) || p->lid == 0 ||
		!sa_scope_sees(q, (port_ix)ix))
		return false;
	mad_node_info_encode(&info, d);
	be_put16(rec, p->lid);
	memcpy(rec + NODE_INFO, d, NODE_DESC - NODE_INFO);
	memcpy(rec + NODE_DESC, desc, len < MAD_DATA ? len : MAD_DATA);
	return true;
}

const struct sa_kind sa_node = {
	.attr = MAD_SA_NODE,
	.size = NODE_SIZE,
	.part = node_parts,
	.nparts = sizeof(node_parts) / sizeof(node_parts[0]),
	.over = SA_LIDS,
	.record = node_record,
};

/* ---- SMInfoRecord ---- */

enum { MANAGERS = 64, SM_SIZE = 32, SM_INFO = 4 };

static const struct sa_part sm_parts[] = {
	{0, 0, 16},   /* LID */
	{2, 32, 64},  /* GUID */
	{3, 96, 64},  /* SM_Key */
	{4, 160, 32}, /* ActCount */
	{5, 192, 4},  /* Priority */
	{6, 196, 4}   /* SMState */
};

static bool
sm_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct sa_ops *ops = q->sa->ops;
	struct sa_manager m;
	uint8_t d[MAD_DATA];

	if (!ops->manager(ops->cookie, (size_t)ix, &m) || m.port == TOPO_NONE ||
		!sa_scope_sees(q, m.port))
		return false;
	if (!q->trusted)
		m.info.key = 0;
	mad_sm_info_encode(&m.info, d);
	be_put16(rec, q->view->topo->port[m.port].lid);
	memcpy(rec + SM_INFO, d, SM_SIZE - SM_INFO);
	return true;
}

const struct sa_kind sa_manager_kind = {
	.attr = MAD_SA_SM,
	.size = SM_SIZE,
	.part = sm_parts,
	.nparts = sizeof(sm_parts) / sizeof(sm_parts[0]),
	.over = SA_NUMBERS,
	.per = MANAGERS,
	.record = sm_record,
};
