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

/* Most blocks of most tables hold nothing. */
static bool
holds_keys(const uint8_t *block)
{
	static const uint8_t none[MAD_DATA] = {0};

	return block != NULL && memcmp(block, none, sizeof(none)) != 0;
}

bool
device_keys_table(const struct device_store *h, const struct topo *t, port_ix p,
	unsigned cap, uint16_t *out, unsigned *n)
{
	unsigned used = 0;
	bool all = true;

	memset(out, 0, cap * sizeof(*out));
	for (unsigned b = 0; b < pkey_table_blocks(cap); b++) {
		const uint8_t *is = device_bytes(h, block_of(t, p, b));
		unsigned at = b * PKEY_TABLE_BLOCK;

		all &= is != NULL;
		if (!holds_keys(is))
			continue;
		for (unsigned i = 0; i < PKEY_TABLE_BLOCK && at + i < cap; i++)
			out[at + i] = be_get16(is + (size_t)2 * i);
		used = at + PKEY_TABLE_BLOCK < cap ? at + PKEY_TABLE_BLOCK
						   : cap;
	}
	while (used > 0 && out[used - 1] == 0)
		used--;
	if (n != NULL)
		*n = used;
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
