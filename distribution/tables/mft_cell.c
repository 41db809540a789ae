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
mft_cell_is_empty(const uint8_t data[MFT_CELL])
{
	static const uint8_t nothing[MFT_CELL];

	return memcmp(data, nothing, sizeof(nothing)) == 0;
}

uint16_t
mft_cell_links(const struct topo *t, node_ix n, unsigned pos)
{
	unsigned links = 0;

	for (unsigned i = 0; i < MFT_PORTS; i++) {
		unsigned p = pos * MFT_PORTS + i;
		port_ix peer;

		if (p == 0 || p > t->node[n].nports)
			continue;
		peer = t->port[topo_port_of(t, n, p)].peer;
		if (peer == TOPO_NONE ||
			t->node[t->port[peer].node].type == TOPO_SWITCH)
			links |= 1U << i;
	}
	return (uint16_t)links;
}

bool
mft_cell_adds(const uint8_t is[MFT_CELL], const uint8_t copy[MFT_CELL],
	uint16_t links)
{
	unsigned more = 0;

	for (unsigned g = 0; g < MFT_COLUMNS; g++)
		more |= be_get16(copy + (size_t)2 * g) &
			~(unsigned)be_get16(is + (size_t)2 * g);
	return (more & links) != 0;
}

void
mft_cell_compare(
	const struct mft_cell_state *c, uint32_t *gains, uint32_t *loses)
{
	for (unsigned g = 0; g < MFT_COLUMNS; g++) {
		unsigned want = c->want[g] & (unsigned)c->links;
		unsigned have =
			c->have == NULL ? 0 : c->have[g] & (unsigned)c->links;

		if (c->have == NULL || (want & ~have) != 0)
			*gains |= (uint32_t)(want != 0) << g;
		if (c->have == NULL || (have & ~want) != 0)
			*loses |= (uint32_t)1 << g;
	}
}

void
mft_cell_goal(const struct mft_cell_state *c, uint32_t moving,
	uint16_t goal[MFT_COLUMNS])
{
	for (unsigned g = 0; g < MFT_COLUMNS; g++) {
		unsigned keep = c->have == NULL ? 0U : c->have[g];

		goal[g] = c->want[g];
		if ((moving >> g & 1) != 0)
			goal[g] &= (uint16_t)(keep | (uint16_t)~c->links);
	}
}

bool
mft_cell_differs(
	const struct mft_cell_state *c, const uint16_t goal[MFT_COLUMNS])
{
	return c->have == NULL || memcmp(c->have, goal, MFT_CELL) != 0;
}
