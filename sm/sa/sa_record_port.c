/*
 * Records of ports: PortInfoRecord, P_KeyTableRecord, LinkRecord (IBA 15.2.5.3,
 * .11, .13).
 */
#include <string.h>

#include "sm/base/be.h"
#include "sm/sa/sa_priv.h"

/* ---- PortInfoRecord ---- */

enum { PORT_SIZE = 72, PORT_NUM = 2, PORT_OPTIONS = 3, PORT_INFO = 4 };

/* A component, at bit b of byte o of the PortInfo. */
#define IN_PORT_INFO(number, o, b, width)                                      \
	{                                                                      \
		number, (PORT_INFO + (o)) * 8 + (b), width                     \
	}
enum { OPTIONS = 2, CAPMASK = 7, CAPMASK2 = 53 };
enum { KNOWS_EXTENDED = 0x80 }; /* Options: the requester, of speeds */

static const struct sa_part port_parts[] = {
	{0, 0, 16},		     /* EndportLID */
	{1, 16, 8},		     /* PortNum */
	IN_PORT_INFO(3, 0, 0, 64),   /* M_Key */
	IN_PORT_INFO(4, 8, 0, 64),   /* GidPrefix */
	IN_PORT_INFO(5, 16, 0, 16),  /* LID */
	IN_PORT_INFO(6, 18, 0, 16),  /* MasterSMLID */
	IN_PORT_INFO(7, 20, 0, 32),  /* CapabilityMask */
	IN_PORT_INFO(8, 24, 0, 16),  /* DiagCode */
	IN_PORT_INFO(9, 26, 0, 16),  /* M_KeyLeasePeriod */
	IN_PORT_INFO(10, 28, 0, 8),  /* LocalPortNum */
	IN_PORT_INFO(11, 29, 0, 8),  /* LinkWidthEnabled */
	IN_PORT_INFO(12, 30, 0, 8),  /* LinkWidthSupported */
	IN_PORT_INFO(13, 31, 0, 8),  /* LinkWidthActive */
	IN_PORT_INFO(14, 32, 0, 4),  /* LinkSpeedSupported */
	IN_PORT_INFO(15, 32, 4, 4),  /* PortState */
	IN_PORT_INFO(16, 33, 0, 4),  /* PortPhysicalState */
	IN_PORT_INFO(17, 33, 4, 4),  /* LinkDownDefaultState */
	IN_PORT_INFO(18, 34, 0, 2),  /* M_KeyProtectBits */
	IN_PORT_INFO(20, 34, 5, 3),  /* LMC */
	IN_PORT_INFO(21, 35, 0, 4),  /* LinkSpeedActive */
	IN_PORT_INFO(22, 35, 4, 4),  /* LinkSpeedEnabled */
	IN_PORT_INFO(23, 36, 0, 4),  /* NeighborMTU */
	IN_PORT_INFO(24, 36, 4, 4),  /* MasterSMSL */
	IN_PORT_INFO(25, 37, 0, 4),  /* VLCap */
	IN_PORT_INFO(26, 37, 4, 4),  /* InitType */
	IN_PORT_INFO(27, 38, 0, 8),  /* VLHighLimit */
	IN_PORT_INFO(28, 39, 0, 8),  /* VLArbitrationHighCap */
	IN_PORT_INFO(29, 40, 0, 8),  /* VLArbitrationLowCap */
	IN_PORT_INFO(30, 41, 0, 4),  /* InitTypeReply */
	IN_PORT_INFO(31, 41, 4, 4),  /* MTUCap */
	IN_PORT_INFO(32, 42, 0, 3),  /* VLStallCount */
	IN_PORT_INFO(33, 42, 3, 5),  /* HOQLife */
	IN_PORT_INFO(34, 43, 0, 4),  /* OperationalVLs */
	IN_PORT_INFO(35, 43, 4, 1),  /* PartitionEnforcementInbound */
	IN_PORT_INFO(36, 43, 5, 1),  /* PartitionEnforcementOutbound */
	IN_PORT_INFO(37, 43, 6, 1),  /* FilterRawInbound */
	IN_PORT_INFO(38, 43, 7, 1),  /* FilterRawOutbound */
	IN_PORT_INFO(39, 44, 0, 16), /* M_KeyViolations */
	IN_PORT_INFO(40, 46, 0, 16), /* P_KeyViolations */
	IN_PORT_INFO(41, 48, 0, 16), /* Q_KeyViolations */
	IN_PORT_INFO(42, 50, 0, 8),  /* GUIDCap */
	IN_PORT_INFO(43, 51, 0, 1),  /* ClientReregister */
	IN_PORT_INFO(45, 51, 3, 5),  /* SubnetTimeOut */
	IN_PORT_INFO(47, 52, 3, 5),  /* RespTimeValue */
	IN_PORT_INFO(48, 53, 0, 4),  /* LocalPhyErrors */
	IN_PORT_INFO(49, 53, 4, 4),  /* OverrunErrors */
	IN_PORT_INFO(50, 54, 0, 16), /* MaxCreditHint */
	IN_PORT_INFO(52, 57, 0, 24), /* LinkRoundTripLatency */
	IN_PORT_INFO(53, 60, 0, 16), /* CapabilityMask2 */
	IN_PORT_INFO(54, 62, 0, 4),  /* LinkSpeedExtActive */
	IN_PORT_INFO(55, 62, 4, 4),  /* LinkSpeedExtSupported */
	IN_PORT_INFO(57, 63, 3, 5)   /* LinkSpeedExtEnabled */
};

/*
 * Bit 31 of the modifier: a port matches if it has all the capabilities asked
 * for, whatever others it has. The bits to compare are then those set in the
 * request.
 */
static uint16_t
match_capabilities(struct sa_query *q)
{
	enum { AT = PORT_INFO + 20, AT2 = PORT_INFO + 60 };

	if ((q->h.mod >> 31) == 0)
		return 0;
	if (sa_query_has(q, CAPMASK))
		memcpy(q->care + AT, q->want + AT, 4);
	if (sa_query_has(q, CAPMASK2))
		memcpy(q->care + AT2, q->want + AT2, 2);
	return 0;
}

/*
 * The speeds that a requester sees which does not say that it knows extended
 * ones: QDR beside those of the port, as IBA 14.2.5.6 has it for SMAs. Without
 * it, a link of NDR has no speed for such a requester.
 */
static void
show_base_speeds(uint8_t *info)
{
	enum { AT_SUPPORTED = 32, AT_ACTIVE_ENABLED = 35 };

	info[AT_SUPPORTED] |= PORT_QDR << 4;
	info[AT_ACTIVE_ENABLED] |= PORT_QDR << 4 | PORT_QDR;
}

static bool
port_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct topo *t = q->view->topo;
	const struct topo_port *p = &t->port[ix];
	uint16_t lid = sa_scope_lid(q->view, (port_ix)ix);

	if ((p->flags & (TP_ABSENT | TP_UNREAD)) != 0 || lid == 0 ||
		!sa_scope_sees(q, (port_ix)ix))
		return false;
	be_put16(rec, lid);
	rec[PORT_NUM] = p->num;
	/* a full PortInfo is asked for, and the view holds no other */
	if (sa_query_has(q, OPTIONS))
		rec[PORT_OPTIONS] = q->want[PORT_OPTIONS];
	memcpy(rec + PORT_INFO, topo_info(t, (port_ix)ix), sizeof(*t->info));
	if (p->speed_ext != 0 && (rec[PORT_OPTIONS] & KNOWS_EXTENDED) == 0)
		show_base_speeds(rec + PORT_INFO);
	if (!q->trusted)
		memset(rec + PORT_INFO, 0, 8); /* the M_Key */
	return true;
}

const struct sa_kind sa_port = {
	.attr = MAD_SA_PORT,
	.size = PORT_SIZE,
	.part = port_parts,
	.nparts = sizeof(port_parts) / sizeof(port_parts[0]),
	.over = SA_PORTS,
	.begin = match_capabilities,
	.record = port_record,
};

/* ---- P_KeyTableRecord: of the requester's port, or with the SA key ---- */

enum { PKEY_SIZE = 72, PKEY_PORT = 4, PKEY_TABLE = 8, PKEY_BLOCKS = 64 };

static const struct sa_part pkey_parts[] = {
	{0, 0, 16},  /* LID */
	{1, 16, 16}, /* BlockNum */
	{2, 32, 8}   /* PortNum */
};

static bool
pkey_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	port_ix p = (port_ix)(ix / PKEY_BLOCKS);
	uint16_t block = (uint16_t)(ix % PKEY_BLOCKS),
		 key[VIEW_PARTITION_BLOCK];
	uint16_t lid = sa_scope_lid(q->view, p);

	if (lid == 0 || (!q->trusted && p != q->from) ||
		!view_partition_table(q->view, p, block, key))
		return false;
	be_put16(rec, lid);
	be_put16(rec + 2, block);
	rec[PKEY_PORT] = q->view->topo->port[p].num;
	for (size_t i = 0; i < VIEW_PARTITION_BLOCK; i++)
		be_put16(rec + PKEY_TABLE + 2 * i, key[i]);
	return true;
}

const struct sa_kind sa_pkey = {
	.attr = MAD_SA_PKEY,
	.size = PKEY_SIZE,
	.part = pkey_parts,
	.nparts = sizeof(pkey_parts) / sizeof(pkey_parts[0]),
	.over = SA_PORTS,
	.per = PKEY_BLOCKS,
	.record = pkey_record,
};

/* ---- LinkRecord: one for each direction of a link ---- */

enum { LINK_SIZE = 8 };

static const struct sa_part link_parts[] = {
	{0, 0, 16}, /* FromLID */
	{1, 16, 8}, /* FromPort */
	{2, 24, 8}, /* ToPort */
	{3, 32, 16} /* ToLID */
};

static bool
link_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct topo *t = q->view->topo;
	const struct topo_port *p = &t->port[ix];
	uint16_t from, to;

	if (p->peer == TOPO_NONE || !sa_scope_sees(q, (port_ix)ix) ||
		!sa_scope_sees(q, p->peer))
		return false;
	from = sa_scope_lid(q->view, (port_ix)ix);
	to = sa_scope_lid(q->view, p->peer);
	if (from == 0 || to == 0)
		return false;
	be_put16(rec, from);
	rec[2] = p->num;
	rec[3] = t->port[p->peer].num;
	be_put16(rec + 4, to);
	return true;
}

const struct sa_kind sa_link = {
	.attr = MAD_SA_LINK,
	.size = LINK_SIZE,
	.part = link_parts,
	.nparts = sizeof(link_parts) / sizeof(link_parts[0]),
	.over = SA_PORTS,
	.record = link_record,
};
