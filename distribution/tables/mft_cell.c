#include "distribution/tables/mft_cell.h"

#include <stddef.h>
#include <string.h>

#include "sm/base/be.h"

void
mft_cell_encode(const uint16_t mask[MFT_COLUMNS], uint8_t data[MFT_CELL])
{
	for (unsigned g = 0; g < MFT_COLUMNS; g++)
		be_put16(data + (size_t)2 * g, mask[g]);
}

void
mft_cell_decode(const uint8_t data[MFT_CELL], uint16_t mask[MFT_COLUMNS])
{
	for (unsigned g = 0; g < MFT_COLUMNS; g++)
		mask[g] = be_get16(data + (size_t)2 * g);
}

bool
mft_cell_equals(const struct mft_cell *c, const uint8_t data[MFT_CELL])
{
	for (unsigned g = 0; g < MFT_COLUMNS; g++)
		if (c->have[g] != be_get16(data + (size_t)2 * g))
			return false;
	return true;
}

bool
mft_cell_is_empty(const struct mft_cell *c)
{
	static const uint16_t nothing[MFT_COLUMNS];

	return memcmp(c->have, nothing, sizeof(nothing)) == 0;
}

void
mft_cell_compare(const struct mft_cell *c, uint16_t links, uint32_t *gains,
	uint32_t *loses)
{
	for (unsigned g = 0; g < MFT_COLUMNS; g++) {
		unsigned want = c->want[g] & (unsigned)links;
		unsigned have = c->have[g] & (unsigned)links;

		if (!c->known || (want & ~have) != 0)
			*gains |= (uint32_t)(want != 0) << g;
		if (!c->known || (have & ~want) != 0)
			*loses |= (uint32_t)1 << g;
	}
}

void
mft_cell_goal(const struct mft_cell *c, uint16_t links, uint32_t moving,
	uint16_t goal[MFT_COLUMNS])
{
	for (unsigned g = 0; g < MFT_COLUMNS; g++) {
		unsigned keep = c->known ? c->have[g] : 0U;

		goal[g] = c->want[g];
		if ((moving >> g & 1) != 0)
			goal[g] &= (uint16_t)(keep | (uint16_t)~links);
	}
}

bool
mft_cell_differs(const struct mft_cell *c, const uint16_t goal[MFT_COLUMNS])
{
	return !c->known || memcmp(c->have, goal, MFT_CELL) != 0;
}
