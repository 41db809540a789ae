#include "distribution/device/attribute.h"

#include <string.h>

#include "distribution/tables/adaptive_info.h"
#include "distribution/tables/guid_table.h"
#include "distribution/tables/mft_cell.h"
#include "distribution/tables/pkey_table.h"
#include "distribution/tables/port_settings.h"
#include "distribution/tables/sl2vl_row.h"
#include "distribution/tables/switch_settings.h"
#include "distribution/tables/vlarb.h"
#include "routing/core/lft.h"
#include "sm/mad/mad.h"
#include "sm/mad/mad_ar.h"

enum {
	LFT_BLOCKS = 1 << 10,
	IN_PORTS = 1 << 8,
	MFT_BLOCKS = MFT_GROUPS / MFT_BLOCK,
	AR_LFT_BLOCKS = (1 << 16) / MAD_AR_ENTRIES,
	/* of a switch as a whole */
	LOST_SWITCH = DEVICE_LOST_FRESH | DEVICE_LOST_RIVAL | DEVICE_LOST_NODE,
	LOST_EVER = DEVICE_LOST_FRESH | DEVICE_LOST_DOWN | DEVICE_LOST_RIVAL |
		    DEVICE_LOST_NODE,
};

static bool
is_switch(const struct topo *t, port_ix p)
{
	return t->node[t->port[p].node].type == TOPO_SWITCH;
}

static uint32_t
modify_by_block(const struct topo *t, port_ix p, uint32_t block)
{
	(void)t;
	(void)p;
	return block;
}

/* An end port has one row, without a modifier. */
static uint32_t
modify_by_ports(const struct topo *t, port_ix p, uint32_t block)
{
	return is_switch(t, p) ? block << 8 | t->port[p].num : 0;
}

static uint32_t
modify_by_part(const struct topo *t, port_ix p, uint32_t block)
{
	return block << 16 | (is_switch(t, p) ? t->port[p].num : 0);
}

static uint32_t
modify_by_table(const struct topo *t, port_ix p, uint32_t block)
{
	return block | (is_switch(t, p) ? (uint32_t)t->port[p].num << 16 : 0);
}

static uint32_t
modify_by_position(const struct topo *t, port_ix p, uint32_t block)
{
	return mft_cell_modifier(t->port[p].num, block);
}

/* A port with extended speeds is told that they are understood. */
static uint32_t
modify_by_port(const struct topo *t, port_ix p, uint32_t block)
{
	const struct topo_port *port = &t->port[p];

	(void)block;
	return port->num |
	       ((port->flags & TP_EXT_SPEED) != 0 ? MAD_PORT_INFO_EXT : 0);
}

const struct device_attribute device_attribute[DEVICE_ATTRS] = {
	[DEVICE_LFT] = {.attr = MAD_LFT,
		.bytes = LFT_BLOCK,
		.blocks = LFT_BLOCKS,
		.misses = 2,
		.by_port0 = true,
		.block_doubted = true,
		.forwards = true,
		.lost = DEVICE_LOST_NODE,
		.modifier = modify_by_block},
	[DEVICE_SL2VL] = {.attr = MAD_SL2VL,
		.bytes = SL2VL_ROW,
		.blocks = IN_PORTS,
		.by_port0 = true,
		.block_doubted = true,
		.forwards = true,
		.modifier = modify_by_ports,
		.lost = LOST_EVER},
	[DEVICE_VLARB] = {.attr = MAD_VLARB,
		.bytes = VLARB_PART,
		.blocks = VLARB_PARTS + 1,
		.block_doubted = true,
		.modifier = modify_by_part,
		.size = vlarb_bytes,
		.lost = LOST_EVER},
	[DEVICE_PKEY] = {.attr = MAD_PKEY_TABLE,
		.bytes = PKEY_TABLE_BLOCK * sizeof(uint16_t),
		.blocks = PKEY_TABLE_BLOCKS,
		.misses = 1,
		.refusal_ends = true,
		.doubted = true,
		.doubts = DEVICE_OWNER_CHECKS,
		.modifier = modify_by_table,
		.size = pkey_table_bytes,
		.lost = LOST_EVER},
	[DEVICE_GUIDS] = {.attr = MAD_GUID_INFO,
		.bytes = GUID_TABLE_BLOCK * sizeof(uint64_t),
		.blocks = GUID_TABLE_BLOCKS,
		.block_doubted = true,
		.modifier = modify_by_block,
		.size = guid_table_bytes,
		.lacks = guid_table_lacks,
		.lost = LOST_EVER},
	[DEVICE_MFT] = {.attr = MAD_MFT,
		.bytes = MFT_CELL,
		.blocks = MFT_BLOCKS,
		.by_port0 = true,
		.block_doubted = true,
		.doubts = DEVICE_OWNER_ENDS,
		.forwards = true,
		.modifier = modify_by_position},
	[DEVICE_PORT_INFO] = {.attr = MAD_PORT_INFO,
		.block_doubted = true,
		.modifier = modify_by_port,
		.lacks = port_settings_lacks},
	[DEVICE_SWITCH_INFO] = {.attr = MAD_SWITCH_INFO,
		.by_port0 = true,
		.block_doubted = true,
		.modifier = modify_by_block,
		.lacks = switch_settings_lacks},
	[DEVICE_ADAPTIVE] = {.attr = MAD_AR_INFO,
		.bytes = 3,
		.blocks = 1,
		.lost = LOST_SWITCH},
	[DEVICE_AR_INFO] = {.attr = MAD_AR_INFO,
		.bytes = MAD_DATA,
		.blocks = 1,
		.by_port0 = true,
		.block_doubted = true,
		.forwards = true,
		.modifier = modify_by_block,
		.lacks = adaptive_info_lacks,
		.lost = LOST_SWITCH},
	[DEVICE_AR_GROUP] = {.attr = MAD_AR_GROUP,
		.bytes = MAD_DATA,
		.blocks = MAD_AR_GROUPS,
		.by_port0 = true,
		.block_doubted = true,
		.forwards = true,
		.modifier = modify_by_block,
		.lost = LOST_SWITCH},
	[DEVICE_AR_LFT] = {.attr = MAD_AR_LFT,
		.bytes = MAD_DATA,
		.blocks = AR_LFT_BLOCKS,
		.by_port0 = true,
		.block_doubted = true,
		.forwards = true,
		.modifier = modify_by_block,
		.lost = LOST_SWITCH},
};

unsigned
device_attribute_size(
	enum device_attr attr, const struct topo *t, port_ix p, uint32_t block)
{
	const struct device_attribute *a = &device_attribute[attr];

	return a->size != NULL ? a->size(t, p, block) : a->bytes;
}

uint32_t
device_attribute_lacks(enum device_attr attr, const struct topo *t, port_ix p,
	uint32_t block, const uint8_t *is, const uint8_t *want)
{
	const struct device_attribute *a = &device_attribute[attr];

	if (a->lacks != NULL)
		return a->lacks(t, p, block, is, want);
	return memcmp(is, want, device_attribute_size(attr, t, p, block)) != 0;
}
