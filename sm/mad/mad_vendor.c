#include "sm/mad/mad_vendor.h"

#include <string.h>

#include "sm/base/be.h"

/* Device IDs of switches; those of later generations are above Quantum's. */
enum {
	SWITCHX = 0xc738,
	SWITCHX_LAST = 0xc73b,
	SWITCH_IB = 0xcb20,
	SWITCH_IB2 = 0xcf08,
	QUANTUM = 0xd2f0,
};

bool
mad_vendor_has_general(uint32_t vendor, uint16_t device)
{
	return vendor == MAD_VENDOR_MELLANOX &&
	       ((device >= SWITCHX && device <= SWITCHX_LAST) ||
		       device == SWITCH_IB || device == SWITCH_IB2 ||
		       device >= QUANTUM);
}

void
mad_vendor_general_decode(
	const uint8_t d[MAD_DATA], struct mad_vendor_general *out)
{
	for (size_t w = 0; w < 4; w++)
		out->cap[w] = be_get32(d + 4 * w);
}

void
mad_vendor_general_encode(
	const struct mad_vendor_general *in, uint8_t d[MAD_DATA])
{
	memset(d, 0, MAD_DATA);
	for (size_t w = 0; w < 4; w++)
		be_put32(d + 4 * w, in->cap[w]);
}
