#include "sm/view/view_partition.h"

#include <string.h>

#include "config/partition_options.h"
#include "sm/policy/pkeys.h"

/* The port that holds the keys: of a switch its port 0. */
static port_ix
key_port(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];

	return n->type == TOPO_SWITCH ? n->first_port : p;
}

size_t
view_partition_keys(const struct view *v, port_ix p, const uint16_t **key)
{
	if (v->pkeys == NULL) {
		*key = NULL;
		return 0;
	}
	return pkeys_list(&v->pkeys->live, key_port(v->topo, p), key);
}

/*
 * The first key of a with which it talks to b; only: in this partition, or 0.
 */
static uint16_t
first_shared(const struct view *v, port_ix a, port_ix b, uint16_t only)
{
	const uint16_t *ka, *kb;
	size_t na = view_partition_keys(v, a, &ka),
	       nb = view_partition_keys(v, b, &kb);
	bool self = key_port(v->topo, a) == key_port(v->topo, b);

	for (size_t i = 0; i < na; i++) {
		if (only != 0 && (ka[i] & PKEY_NUMBER) != only)
			continue;
		for (size_t k = 0; k < nb; k++)
			if (((ka[i] ^ kb[k]) & PKEY_NUMBER) == 0 &&
				(self || ((ka[i] | kb[k]) & PKEY_FULL) != 0))
				return ka[i];
	}
	return 0;
}

uint16_t
view_partition_shared(const struct view *v, port_ix a, port_ix b)
{
	return first_shared(v, a, b, 0);
}

uint16_t
view_partition_has(const struct view *v, port_ix a, port_ix b, uint16_t pkey)
{
	uint16_t only = pkey & PKEY_NUMBER;

	return only == 0 ? 0 : first_shared(v, a, b, only);
}

const char *
view_partition_name(const struct view *v, uint16_t pkey)
{
	const struct schema_records *all;
	const struct partition_options *o;

	if (v->pkeys == NULL)
		return "";
	all = &v->pkeys->cfg->partitions;
	o = all->record;
	for (size_t i = 0; i < all->n; i++)
		if (o[i].pkey == (pkey & PKEY_NUMBER))
			return all->name[i];
	return (pkey & PKEY_NUMBER) == PKEY_NUMBER ? "Default" : "";
}

unsigned
view_partition_blocks(const struct view *v, port_ix p)
{
	const uint16_t *key;
	size_t n;

	if (v->pkeys == NULL)
		return 0;
	n = pkeys_list(&v->pkeys->table, p, &key);
	if (n == 0)
		return topo_has_lid(v->topo, p) ? 1 : 0;
	return (unsigned)(n + VIEW_PARTITION_BLOCK - 1) / VIEW_PARTITION_BLOCK;
}

bool
view_partition_table(const struct view *v, port_ix p, unsigned block,
	uint16_t out[VIEW_PARTITION_BLOCK])
{
	const uint16_t *key;
	size_t n, at = (size_t)block * VIEW_PARTITION_BLOCK;

	if (block >= view_partition_blocks(v, p))
		return false;
	n = pkeys_list(&v->pkeys->table, p, &key);
	memset(out, 0, VIEW_PARTITION_BLOCK * sizeof(*out));
	for (size_t i = 0; i < VIEW_PARTITION_BLOCK && at + i < n; i++)
		out[i] = key[at + i];
	return true;
}
