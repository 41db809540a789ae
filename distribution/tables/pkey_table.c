#include "distribution/tables/pkey_table.h"

#include <string.h>

#include "sm/mad/mad.h"

bool
pkey_table_is_fresh(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];
	port_ix of = n->type == TOPO_SWITCH ? n->first_port : p;
	struct mad_port_info i;

	if (n->type == TOPO_SWITCH ? (n->flags & TN_FRESH) == 0
				   : t->port[p].state > PORT_INIT)
		return false;
	return t->port[of].found_lid == 0 ||
	       (mad_port_info_decode(topo_info(t, of), &i, NULL) == 0 &&
		       i.sm_lid == 0);
}

/* ---- tables as ports have them ---- */

static bool
is_external(const struct topo *t, port_ix p)
{
	return t->node[t->port[p].node].type == TOPO_SWITCH &&
	       t->port[p].num != 0;
}

unsigned
pkey_table_cap(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];
	unsigned cap = n->partition_cap;

	/* two nodes of one GUID cannot be told apart here */
	if ((n->flags & (TN_QUARANTINED | TN_DUPLICATE)) != 0 ||
		(t->port[p].flags & (TP_ABSENT | TP_UNREAD)) != 0)
		return 0;
	if (is_external(t, p))
		cap = t->sw[n->sw].enf_cap;
	else if (!topo_has_lid(t, p))
		return 0;
	return cap < PKEY_TABLE_BLOCKS * PKEY_TABLE_BLOCK
		       ? cap
		       : PKEY_TABLE_BLOCKS * PKEY_TABLE_BLOCK;
}

unsigned
pkey_table_bytes(const struct topo *t, port_ix p, uint32_t block)
{
	unsigned cap = pkey_table_cap(t, p), at = block * PKEY_TABLE_BLOCK;
	unsigned n = cap > at ? cap - at : 0;

	return (unsigned)sizeof(uint16_t) *
	       (n < PKEY_TABLE_BLOCK ? n : PKEY_TABLE_BLOCK);
}

bool
pkey_table_guards(
	const struct topo *t, const struct pkey_table_want *w, port_ix p)
{
	port_ix peer = t->port[p].peer;

	return w->enforce && is_external(t, p) && peer != TOPO_NONE &&
	       t->node[t->port[peer].node].type != TOPO_SWITCH &&
	       pkey_table_cap(t, p) > 0;
}

/* ---- laying out ---- */

static bool
is_wanted(const uint16_t *want, size_t n, uint16_t key)
{
	for (size_t i = 0; i < n; i++)
		if (want[i] == key)
			return true;
	return false;
}

/* Index of key, or cap. */
static size_t
find_key(const uint16_t *table, size_t cap, uint16_t key)
{
	size_t i;

	for (i = 0; i < cap && table[i] != key; i++)
		;
	return i;
}

/*
 * Index of the same partition with the other membership, if the other
 * membership is not wanted; or cap.
 */
static size_t
find_other(const uint16_t *was, size_t cap, uint16_t key, const uint16_t *want,
	size_t n)
{
	uint16_t other = key ^ PKEY_FULL;
	size_t i = find_key(was, cap, other);

	return i < cap && !is_wanted(want, n, other) ? i : cap;
}

/*
 * A free index, or cap. The default key prefers index 0, other keys avoid it.
 */
static size_t
find_free(const uint16_t *out, const uint16_t *was, size_t cap, uint16_t key)
{
	size_t i = (key & PKEY_NUMBER) == PKEY_NUMBER ? 0 : 1;

	/* a key that is still there keeps its index until the second step */
	for (; i < cap; i++)
		if (out[i] == 0 && was[i] == 0)
			return i;
	return cap > 0 && out[0] == 0 && was[0] == 0 ? 0 : cap;
}

/* In the first step a key never loses full membership. */
static uint16_t
keep_full_membership(uint16_t was, uint16_t is)
{
	return was == 0 || (is & PKEY_FULL) != 0 ? is : was;
}

int
pkey_table_lay(const uint16_t *was, size_t cap, const uint16_t *want, size_t n,
	uint16_t *grown, uint16_t *out)
{
	int rc = 0;
	size_t i, at;

	memset(out, 0, cap * sizeof(*out));
	memcpy(grown, was, cap * sizeof(*grown));
	for (i = 0; i < n; i++) { /* a key that stays keeps its index */
		at = find_key(was, cap, want[i]);
		if (at == cap)
			at = find_other(was, cap, want[i], want, n);
		if (at == cap)
			continue;
		out[at] = want[i];
		grown[at] = keep_full_membership(was[at], want[i]);
	}
	for (i = 0; i < n; i++) {
		if (find_key(out, cap, want[i]) < cap)
			continue;
		at = find_free(out, was, cap, want[i]);
		if (at == cap) { /* free in step two only */
			at = find_key(out, cap, 0);
			if (at == cap) {
				rc = -1;
				continue;
			}
			out[at] = want[i];
			continue;
		}
		out[at] = want[i];
		grown[at] = want[i];
	}
	return rc;
}
