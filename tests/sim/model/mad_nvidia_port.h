/*
 * mad_nvidia_port: ExtendedPortInfo of NVIDIA's devices (GeneralInfo's bit 9):
 * the one thing it tells that the simulator has is FDR10, a speed between QDR
 * and FDR.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_MAD_NVIDIA_PORT_H
#define HEDDLE_TESTS_SIM_MODEL_MAD_NVIDIA_PORT_H

#include <stdint.h>

#include "sm/mad/mad.h"

enum {
	MAD_NVIDIA_PORT_INFO = 0xff90, /* modifier: port, 255 all */
	MAD_NVIDIA_PORT_FDR10 = 1,     /* a bit of each field */
};

struct mad_nvidia_port {
	uint8_t change; /* Set: which of the following to change */
	uint8_t speed_supported, speed_enabled, speed_active;
};

void mad_nvidia_port_decode(
	const uint8_t d[MAD_DATA], struct mad_nvidia_port *out);
void mad_nvidia_port_encode(
	const struct mad_nvidia_port *in, uint8_t d[MAD_DATA]);

#endif
