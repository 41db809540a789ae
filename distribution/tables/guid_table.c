#include "distribution/tables/guid_table.h"

#include <string.h>

#include "sm/base/be.h"

enum { GUID_CAP = 50, SIZE = sizeof(uint64_t) }; /* GUIDCap in PortInfo */

void
guid_table_lay(const uint64_t guid[GUID_TABLE_BLOCK],
	uint8_t out[GUID_TABLE_BLOCK * sizeof(uint64_t)])
{
	for (size_t i = 0; i < GUID_TABLE_BLOCK; i++)
		be_put64(out + SIZE * i, guid[i]);
}

unsigned
guid_table_bytes(const struct topo *t, port_ix p, uint32_t block)
{
	uint32_t cap = topo_info(t, p)[GUID_CAP];
	uint32_t before = block * GUID_TABLE_BLOCK;

	if (cap <= before)
		return 0;
	return SIZE * (cap - before < GUID_TABLE_BLOCK ? cap - before
						       : GUID_TABLE_BLOCK);
}

uint32_t
guid_table_lacks(const struct topo *t, port_ix p, uint32_t block,
	const uint8_t *is, const uint8_t *want)
{
	unsigned end = guid_table_bytes(t, p, block) / SIZE;
	uint32_t lacks = 0;

	for (unsigned i = block == 0; i < end; i++)
		if (memcmp(is + SIZE * i, want + SIZE * i, SIZE) != 0)
			lacks |= 1U << i;
	return lacks;
}
