#include "sm/partition.h"

#include <string.h>

uint16_t
partition_shared(const struct view *v, port_ix a, port_ix b)
{
	(void)v;
	(void)a;
	(void)b;
	return PARTITION_DEFAULT;
}

uint16_t
partition_in(const struct view *v, port_ix a, port_ix b, uint16_t pkey)
{
	uint16_t shared = partition_shared(v, a, b);

	return ((shared ^ pkey) & (uint16_t)~PARTITION_FULL) == 0 ? shared : 0;
}

/* Switches have a table of their own for port 0 only. */
unsigned
partition_blocks(const struct view *v, port_ix p)
{
	return topo_has_lid(v->topo, p) ? 1 : 0;
}

bool
partition_table(const struct view *v, port_ix p, unsigned block,
	uint16_t out[PARTITION_BLOCK])
{
	if (block >= partition_blocks(v, p))
		return false;
	memset(out, 0, PARTITION_BLOCK * sizeof(*out));
	out[0] = PARTITION_DEFAULT;
	return true;
}
