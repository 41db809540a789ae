#include "tests/sim/model/mad_port_ext.h"

#include "sm/mad/fields.h"

#define ROW(m, at, bits) FIELDS_ROW(struct mad_port_ext, m, at, bits)
static const struct fields_row rows[] = {
	ROW(capmask, 0, 32),
	ROW(active, 32, 16),
	ROW(fdr_supported, 48, 16),
	ROW(fdr_enabled, 64, 16),
	ROW(edr_supported, 80, 16),
	ROW(edr_enabled, 96, 16),
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
