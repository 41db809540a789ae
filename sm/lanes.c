#include "sm/lanes.h"

bool
lanes_sl2vl(const struct view *v, node_ix n, unsigned in, unsigned out,
	uint8_t row[8])
{
	(void)v;
	(void)n;
	(void)in;
	(void)out;
	(void)row;
	return false;
}

bool
lanes_vlarb(const struct view *v, port_ix p, unsigned block, uint8_t table[64])
{
	(void)v;
	(void)p;
	(void)block;
	(void)table;
	return false;
}
