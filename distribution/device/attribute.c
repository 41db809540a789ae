#include "distribution/device/attribute.h"

#include "distribution/tables/pkey_table.h"
#include "distribution/tables/sl2vl_row.h"
#include "distribution/tables/vlarb.h"
#include "routing/core/lft.h"
#include "sm/mad/mad.h"
#include "sm/mad/mad_ar.h"

enum { LFT_BLOCKS = 1 << 10, IN_PORTS = 1 << 8 };

const struct device_attribute device_attribute[DEVICE_ATTRS] = {
	[DEVICE_LFT] = {.attr = MAD_LFT,
		.bytes = LFT_BLOCK,
		.blocks = LFT_BLOCKS},
	[DEVICE_SL2VL] = {.attr = MAD_SL2VL,
		.bytes = SL2VL_ROW,
		.blocks = IN_PORTS,
		.lost = DEVICE_LOST_FRESH | DEVICE_LOST_DOWN |
			DEVICE_LOST_RIVAL},
	[DEVICE_VLARB] = {.attr = MAD_VLARB,
		.bytes = VLARB_PART,
		.blocks = VLARB_PARTS + 1,
		.lost = DEVICE_LOST_FRESH | DEVICE_LOST_DOWN |
			DEVICE_LOST_RIVAL},
	[DEVICE_PKEY] = {.attr = MAD_PKEY_TABLE,
		.bytes = PKEY_TABLE_BLOCK * sizeof(uint16_t),
		.blocks = PKEY_TABLE_BLOCKS,
		.lost = DEVICE_LOST_FRESH | DEVICE_LOST_DOWN |
			DEVICE_LOST_RIVAL},
	[DEVICE_ADAPTIVE] = {.attr = MAD_AR_INFO,
		.bytes = 2,
		.blocks = 1,
		.lost = DEVICE_LOST_FRESH | DEVICE_LOST_RIVAL},
};
