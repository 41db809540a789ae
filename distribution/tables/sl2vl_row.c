#include "distribution/tables/sl2vl_row.h"

#include <string.h>

void
sl2vl_row_default(unsigned n, uint8_t row[SL2VL_ROW])
{
	unsigned sl;

	memset(row, 0, SL2VL_ROW);
	for (sl = 0; sl < 16 && sl < n; sl++)
		row[sl / 2] |= (uint8_t)(sl << (sl % 2 ? 0 : 4));
}

void
sl2vl_row_block(uint8_t row[SL2VL_ROW], uint16_t sls)
{
	for (unsigned sl = 0; sl < 16; sl++)
		if ((sls >> sl & 1) != 0)
			row[sl / 2] |= (uint8_t)(sl % 2 != 0 ? 0x0f : 0xf0);
}

uint16_t
sl2vl_row_blocked(const uint8_t row[SL2VL_ROW])
{
	uint16_t sls = 0;

	for (unsigned sl = 0; sl < 16; sl++)
		if ((row[sl / 2] >> (sl % 2 != 0 ? 0 : 4) & 15) == 15)
			sls |= (uint16_t)(1U << sl);
	return sls;
}

void
sl2vl_row_take_open(uint8_t row[SL2VL_ROW], const uint8_t from[SL2VL_ROW])
{
	for (unsigned i = 0; i < SL2VL_ROW; i++) {
		unsigned open = ((from[i] & 0xf0) != 0xf0 ? 0xf0U : 0) |
				((from[i] & 0x0f) != 0x0f ? 0x0fU : 0);

		row[i] = (uint8_t)((row[i] & ~open) | (from[i] & open));
	}
}

bool
sl2vl_row_is_closed(const uint8_t row[SL2VL_ROW])
{
	return sl2vl_row_blocked(row) == UINT16_MAX;
}
