#include "tests/sim/model/mad_nvidia_port.h"

#include "sm/mad/fields.h"

#define ROW(m, at, bits) FIELDS_ROW(struct mad_nvidia_port, m, at, bits)
static const struct fields_row ext_port[] = {
	ROW(change, 24, 8),
	ROW(speed_supported, 56, 8),
	ROW(speed_enabled, 88, 8),
	ROW(speed_active, 120, 8),
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
