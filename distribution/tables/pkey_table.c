#include "distribution/tables/pkey_table.h"

#include <stdlib.h>
#include <string.h>

#include "discovery/port_key.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum { PORTS = 256, NO_KEY = PKEY_FULL };

struct table {
	uint16_t *key; /* [nblocks * PKEY_TABLE_BLOCK] */
	unsigned nblocks;
	uint64_t known; /* a bit per block */
	bool refused;
};

struct pkey_tables {
	struct map by_port;
	struct table *table;
	size_t n, cap;
	struct pkey_table_doubt *doubt;
	size_t ndoubt, capdoubt;
	uint64_t stamp;
};

struct pkey_tables *
pkey_tables_new(void)
{
	return mem_zalloc(1, sizeof(struct pkey_tables));
}

void
pkey_tables_free(struct pkey_tables *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->table[i].key);
	free(t->table);
	free(t->doubt);
	map_free(&t->by_port);
	free(t);
}

static struct table *
find_table(const struct pkey_tables *t, uint64_t guid, unsigned port)
{
	uint32_t i;

	return map_get(&t->by_port, port_key(guid, port), &i) ? &t->table[i]
							      : NULL;
}

static struct table *
find_or_add_table(struct pkey_tables *t, uint64_t guid, unsigned port)
{
	struct table *x = find_table(t, guid, port);

	if (x != NULL)
		return x;
	t->table = mem_grow(t->table, t->n, &t->cap, sizeof(*t->table));
	x = &t->table[t->n];
	*x = (struct table){0};
	map_put(&t->by_port, port_key(guid, port), (uint32_t)t->n++);
	return x;
}

/* Whether this block of the table is known. */
static bool
is_block_known(const struct table *x, unsigned block)
{
	return x != NULL && block < x->nblocks && (x->known >> block & 1) != 0;
}

bool
pkey_tables_block(const struct pkey_tables *t, uint64_t guid, unsigned port,
	unsigned block, uint16_t out[PKEY_TABLE_BLOCK])
{
	const struct table *x = find_table(t, guid, port);

	if (!is_block_known(x, block))
		return false;
	memcpy(out, x->key + (size_t)block * PKEY_TABLE_BLOCK,
		PKEY_TABLE_BLOCK * sizeof(*out));
	return true;
}

void
pkey_tables_set_block(struct pkey_tables *t, uint64_t guid, unsigned port,
	unsigned block, const uint16_t key[PKEY_TABLE_BLOCK])
{
	struct table *x = find_or_add_table(t, guid, port);

	if (block >= PKEY_TABLE_BLOCKS)
		return;
	if (block >= x->nblocks) {
		x->nblocks = block + 1;
		x->key = mem_resize(x->key,
			(size_t)x->nblocks * PKEY_TABLE_BLOCK, sizeof(*x->key));
	}
	t->stamp++;
	memcpy(x->key + (size_t)block * PKEY_TABLE_BLOCK, key,
		PKEY_TABLE_BLOCK * sizeof(*key));
	x->known |= UINT64_C(1) << block;
}

void
pkey_tables_unknown(
	struct pkey_tables *t, uint64_t guid, unsigned port, unsigned block)
{
	struct table *x = find_table(t, guid, port);

	t->stamp++;
	if (x != NULL && block < PKEY_TABLE_BLOCKS)
		x->known &= ~(UINT64_C(1) << block);
}

void
pkey_tables_doubt(
	struct pkey_tables *t, uint64_t guid, unsigned port, struct mono until)
{
	for (size_t i = 0; i < t->ndoubt; i++)
		if (t->doubt[i].guid == guid && t->doubt[i].port == port) {
			t->doubt[i].until = until;
			return;
		}
	t->doubt =
		mem_grow(t->doubt, t->ndoubt, &t->capdoubt, sizeof(*t->doubt));
	t->doubt[t->ndoubt++] = (struct pkey_table_doubt){guid, port, until};
}

const struct pkey_table_doubt *
pkey_tables_doubts(const struct pkey_tables *t, size_t *n)
{
	*n = t->ndoubt;
	return t->doubt;
}

void
pkey_tables_believe(struct pkey_tables *t, struct mono now)
{
	size_t i, n = 0;

	for (i = 0; i < t->ndoubt; i++)
		if (mono_before(now, t->doubt[i].until))
			t->doubt[n++] = t->doubt[i];
	t->ndoubt = n;
}

/*
 * Forget the table of a port that lost its memory, of all ports of a node, of
 * all nodes.
 */
static void
forget_port(struct pkey_tables *t, uint64_t guid, unsigned port)
{
	struct table *x = find_table(t, guid, port);

	if (x == NULL || x->known == 0)
		return;
	x->known = 0;
	t->stamp++;
}

void
pkey_tables_forget(struct pkey_tables *t, uint64_t guid)
{
	for (unsigned port = 0; port < PORTS; port++)
		forget_port(t, guid, port);
}

void
pkey_tables_forget_all(struct pkey_tables *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->table[i].known = 0;
	t->stamp++;
}

uint64_t
pkey_tables_stamp(const struct pkey_tables *t)
{
	return t->stamp;
}

void
pkey_tables_refuse(struct pkey_tables *t, uint64_t guid, unsigned port)
{
	find_or_add_table(t, guid, port)->refused = true;
}

bool
pkey_tables_refused(const struct pkey_tables *t, uint64_t guid, unsigned port)
{
	const struct table *x = find_table(t, guid, port);

	return x != NULL && x->refused;
}

void
pkey_tables_reconcile(struct pkey_tables *t, const struct topo *topo)
{
	for (node_ix n = 0; n < topo->nnodes; n++) {
		const struct topo_node *node = &topo->node[n];

		if ((node->flags & TN_FRESH) != 0)
			pkey_tables_forget(t, node->guid);
		if (node->type == TOPO_SWITCH)
			continue;
		for (unsigned p = 1; p <= node->nports; p++)
			if (topo->port[node->first_port + p].state <= PORT_INIT)
				forget_port(t, node->guid, p);
	}
}

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

void
pkey_tables_presume(struct pkey_tables *t, uint64_t guid, unsigned port,
	unsigned cap, bool unsure)
{
	uint16_t key[PKEY_TABLE_BLOCK] = {0};

	if (cap == 0)
		return;
	for (unsigned b = pkey_table_blocks(cap); b-- > 1;)
		pkey_tables_set_block(t, guid, port, b, key);
	key[0] = PKEY_FULL | PKEY_NUMBER;
	/* no key with this number is ever wanted */
	if (unsure)
		key[(cap < PKEY_TABLE_BLOCK ? cap : PKEY_TABLE_BLOCK) - 1] =
			NO_KEY;
	pkey_tables_set_block(t, guid, port, 0, key);
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

bool
pkey_table_guards(
	const struct topo *t, const struct pkey_table_want *w, port_ix p)
{
	port_ix peer = t->port[p].peer;

	return w->enforce && is_external(t, p) && peer != TOPO_NONE &&
	       t->node[t->port[peer].node].type != TOPO_SWITCH &&
	       pkey_table_cap(t, p) > 0;
}

bool
pkey_table_whole_known(
	const struct pkey_tables *tables, const struct topo *t, port_ix p)
{
	const struct table *x = find_table(
		tables, t->node[t->port[p].node].guid, t->port[p].num);
	unsigned n = pkey_table_blocks(pkey_table_cap(t, p));
	uint64_t all =
		n < PKEY_TABLE_BLOCKS ? (UINT64_C(1) << n) - 1 : UINT64_MAX;

	return n == 0 || (x != NULL && (x->known & all) == all);
}

bool
pkey_table_whole(const struct pkey_tables *tables, const struct topo *t,
	port_ix p, unsigned cap, uint16_t *out)
{
	const struct table *x = find_table(
		tables, t->node[t->port[p].node].guid, t->port[p].num);
	bool all = true;

	memset(out, 0, cap * sizeof(*out));
	for (unsigned b = 0; b < pkey_table_blocks(cap); b++) {
		unsigned at = b * PKEY_TABLE_BLOCK;
		unsigned n = cap - at < PKEY_TABLE_BLOCK ? cap - at
							 : PKEY_TABLE_BLOCK;

		if (is_block_known(x, b))
			memcpy(out + at, x->key + at, n * sizeof(*out));
		else
			all = false;
	}
	return all;
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
