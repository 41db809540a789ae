#include "tests/sim/model/mad_nvidia_port.h"

#include "sm/mad/fields.h"

#define ROW(m, field) FIELDS_ROW(struct mad_nvidia_port, m, field)
static const struct fields_row ext_port[] = {
	ROW(change, IB_MLNX_EXT_PORT_STATE_CHG_ENABLE_F),
	ROW(speed_supported, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F),
	ROW(speed_enabled, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F),
	ROW(speed_active, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F),
};
#undef ROW

enum { ROWS = sizeof(ext_port) / sizeof(ext_port[0]) };

void
mad_nvidia_port_decode(const uint8_t d[MAD_DATA], struct mad_nvidia_port *out)
{
	fields_decode(ext_port, ROWS, d, out);
}

void
mad_nvidia_port_encode(const struct mad_nvidia_port *in, uint8_t d[MAD_DATA])
{
	fields_encode(ext_port, ROWS, in, d);
}
