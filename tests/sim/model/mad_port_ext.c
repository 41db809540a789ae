#include "tests/sim/model/mad_port_ext.h"

#include "sm/mad/fields.h"

#define ROW(m, field) FIELDS_ROW(struct mad_port_ext, m, field)
static const struct fields_row rows[] = {
	ROW(capmask, IB_PORT_EXT_CAPMASK_F),
	ROW(active, IB_PORT_EXT_FEC_MODE_ACTIVE_F),
	ROW(fdr_supported, IB_PORT_EXT_FDR_FEC_MODE_SUPPORTED_F),
	ROW(fdr_enabled, IB_PORT_EXT_FDR_FEC_MODE_ENABLED_F),
	ROW(edr_supported, IB_PORT_EXT_EDR_FEC_MODE_SUPPORTED_F),
	ROW(edr_enabled, IB_PORT_EXT_EDR_FEC_MODE_ENABLED_F),
};
#undef ROW

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

void
mad_port_ext_decode(const uint8_t d[MAD_DATA], struct mad_port_ext *out)
{
	fields_decode(rows, ROWS, d, out);
}

void
mad_port_ext_encode(const struct mad_port_ext *in, uint8_t d[MAD_DATA])
{
	fields_encode(rows, ROWS, in, d);
}
