#include "distribution/device/attribute.h"

#include "distribution/tables/pkey_table.h"
#include "distribution/tables/sl2vl_row.h"
#include "distribution/tables/vlarb.h"
#include "routing/core/lft.h"
#include "sm/mad/mad.h"
#include "sm/mad/mad_ar.h"

enum { LFT_BLOCKS = 1 << 10, IN_PORTS = 1 << 8 };

static uint32_t
modify_by_block(bool of_switch, unsigned port, uint32_t block)
{
	(void)of_switch;
	(void)port;
	return block;
}

/* An end port has one row, without a modifier. */
static uint32_t
modify_by_ports(bool of_switch, unsigned port, uint32_t block)
{
	return of_switch ? block << 8 | port : 0;
}

static uint32_t
modify_by_part(bool of_switch, unsigned port, uint32_t block)
{
	return block << 16 | (of_switch ? port : 0);
}

static uint32_t
modify_by_table(bool of_switch, unsigned port, uint32_t block)
{
	return block | (of_switch ? port << 16 : 0);
}

static uint32_t
modify_by_port(bool of_switch, unsigned port, uint32_t block)
{
	(void)of_switch;
	(void)block;
	return port;
}

const struct device_attribute device_attribute[DEVICE_ATTRS] = {
	[DEVICE_LFT] = {.attr = MAD_LFT,
		.bytes = LFT_BLOCK,
		.blocks = LFT_BLOCKS,
		.misses = 2,
		.by_port0 = true,
		.modifier = modify_by_block},
	[DEVICE_SL2VL] = {.attr = MAD_SL2VL,
		.bytes = SL2VL_ROW,
		.blocks = IN_PORTS,
		.by_port0 = true,
		.modifier = modify_by_ports,
		.lost = DEVICE_LOST_FRESH | DEVICE_LOST_DOWN |
			DEVICE_LOST_RIVAL},
	[DEVICE_VLARB] = {.attr = MAD_VLARB,
		.bytes = VLARB_PART,
		.blocks = VLARB_PARTS + 1,
		.modifier = modify_by_part,
		.lost = DEVICE_LOST_FRESH | DEVICE_LOST_DOWN |
			DEVICE_LOST_RIVAL},
	[DEVICE_PKEY] = {.attr = MAD_PKEY_TABLE,
		.bytes = PKEY_TABLE_BLOCK * sizeof(uint16_t),
		.blocks = PKEY_TABLE_BLOCKS,
		.misses = 1,
		.refusal_ends = true,
		.modifier = modify_by_table,
		.lost = DEVICE_LOST_FRESH | DEVICE_LOST_DOWN |
			DEVICE_LOST_RIVAL},
	[DEVICE_PORT_INFO] = {.attr = MAD_PORT_INFO,
		.modifier = modify_by_port},
	[DEVICE_SWITCH_INFO] = {.attr = MAD_SWITCH_INFO,
		.by_port0 = true,
		.modifier = modify_by_block},
	[DEVICE_ADAPTIVE] = {.attr = MAD_AR_INFO,
		.bytes = 2,
		.blocks = 1,
		.lost = DEVICE_LOST_FRESH | DEVICE_LOST_RIVAL},
};
