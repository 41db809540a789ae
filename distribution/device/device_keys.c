#include "distribution/device/device_keys.h"

#include <string.h>

#include "distribution/tables/pkey_table.h"
#include "sm/base/be.h"
#include "sm/mad/mad.h"

enum { NO_KEY = PKEY_FULL };

static struct device_at
block_of(const struct topo *t, port_ix p, unsigned block)
{
	return device_at_keys(
		t->node[t->port[p].node].guid, t->port[p].num, block);
}

bool
device_keys_known(const struct device_store *h, const struct topo *t, port_ix p)
{
	unsigned n = pkey_table_blocks(pkey_table_cap(t, p));

	for (unsigned b = 0; b < n; b++)
		if (device_bytes(h, block_of(t, p, b)) == NULL)
			return false;
	return true;
}

bool
device_keys_table(const struct device_store *h, const struct topo *t, port_ix p,
	unsigned cap, uint16_t *out)
{
	bool all = true;

	memset(out, 0, cap * sizeof(*out));
	for (unsigned b = 0; b < pkey_table_blocks(cap); b++) {
		const uint8_t *is = device_bytes(h, block_of(t, p, b));
		unsigned at = b * PKEY_TABLE_BLOCK;

		all &= is != NULL;
		for (unsigned i = 0;
			is != NULL && i < PKEY_TABLE_BLOCK && at + i < cap; i++)
			out[at + i] = be_get16(is + (size_t)2 * i);
	}
	return all;
}

void
device_keys_presume(struct device_store *h, const struct topo *t, port_ix p,
	unsigned cap, bool unsure)
{
	uint8_t key[MAD_DATA] = {0};
	unsigned n = cap < PKEY_TABLE_BLOCK ? cap : PKEY_TABLE_BLOCK;

	if (cap == 0)
		return;
	for (unsigned b = pkey_table_blocks(cap); b-- > 1;)
		device_put(h, block_of(t, p, b), key);
	be_put16(key, PKEY_FULL | PKEY_NUMBER);
	/* no key with this number is ever wanted */
	if (unsure)
		be_put16(key + (size_t)2 * (n - 1), NO_KEY);
	device_put(h, block_of(t, p, 0), key);
}
