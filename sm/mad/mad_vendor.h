/*
 * mad_vendor: attributes of NVIDIA's devices beyond the standard, except those
 * of adaptive routing (mad_ar.h).
 *
 * The numbers 0xFF00 to 0xFFFF mean other things on other vendors' devices:
 * they are for NodeInfo's vendor 0x2c9 only, and GeneralInfo reports which of
 * the others a device has. A refusal or silence means that it has none.
 */
#ifndef HEDDLE_SM_MAD_MAD_VENDOR_H
#define HEDDLE_SM_MAD_MAD_VENDOR_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/mad/mad.h"

enum {
	MAD_VENDOR_GENERAL = 0xff17, /* GeneralInfo */
	MAD_VENDOR_GENERAL_CAPS = 4, /* its modifier: capabilities */
	MAD_VENDOR_MELLANOX = 0x2c9,
};

/* Bits of GeneralInfo's capability mask. */
enum {
	MAD_VENDOR_CAP_PLFT = 0,    /* mad_ar.h */
	MAD_VENDOR_CAP_AR = 1,	    /* the older kind, not with the next */
	MAD_VENDOR_CAP_AR_REV1 = 2, /* mad_ar.h */
	MAD_VENDOR_CAP_EXT_PORT_INFO = 9,
};

struct mad_vendor_general {
	uint32_t cap[4]; /* bit n is bit n % 32 of word n / 32 */
};

void mad_vendor_general_decode(
	const uint8_t d[MAD_DATA], struct mad_vendor_general *out);
void mad_vendor_general_encode(
	const struct mad_vendor_general *in, uint8_t d[MAD_DATA]);

static inline bool
mad_vendor_has(const struct mad_vendor_general *g, unsigned bit)
{
	return bit < 128 && (g->cap[bit / 32] >> bit % 32 & 1) != 0;
}

static inline void
mad_vendor_set(struct mad_vendor_general *g, unsigned bit)
{
	g->cap[bit / 32] |= 1U << bit % 32;
}

/*
 * True for the switches that answer GeneralInfo and may forward by more than
 * the standard table: NVIDIA's from SwitchX on. The vendor and the device of
 * NodeInfo.
 */
bool mad_vendor_has_general(uint32_t vendor, uint16_t device);

#endif
