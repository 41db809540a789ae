/*
 * mad_port_ext: PortInfoExtended (IBA volume 1, 14.2.5.19): forward error
 * correction. A port has it when bit 1 of PortInfo.CapabilityMask2 says so.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_MAD_PORT_EXT_H
#define HEDDLE_TESTS_SIM_MODEL_MAD_PORT_EXT_H

#include <stdint.h>

#include "sm/mad/mad.h"

enum { MAD_PORT_EXT = 0x33, MAD_CAP2_PORT_EXT = 0x2 };

/*
 * Modes of forward error correction, a bit each; for each speed the supported
 * and the enabled ones. HDR and NDR are left out: libibmad has their fields at
 * wrong places.
 */
struct mad_port_ext {
	uint32_t capmask;
	uint16_t active;
	uint16_t fdr_supported, fdr_enabled;
	uint16_t edr_supported, edr_enabled;
};

void mad_port_ext_decode(const uint8_t d[MAD_DATA], struct mad_port_ext *out);
void mad_port_ext_encode(const struct mad_port_ext *in, uint8_t d[MAD_DATA]);

#endif
