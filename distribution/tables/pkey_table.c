#include "distribution/tables/pkey_table.h"

#include <stdlib.h>
#include <string.h>

#include "discovery/port_key.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum { PORTS = 256, INIT = 2, NO_KEY = PTABLE_FULL };

struct table {
	uint16_t *key; /* [nblocks * PTABLE_BLOCK] */
	unsigned nblocks;
	uint64_t known; /* a bit per block */
	bool refused;
};

struct ptables {
	struct map by_port;
	struct table *table;
	size_t n, cap;
	struct ptable_doubt *doubt;
	size_t ndoubt, capdoubt;
	uint64_t stamp;
};

struct ptables *
ptables_new(void)
{
	return mem_zalloc(1, sizeof(struct ptables));
}

void
ptables_free(struct ptables *t)
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
find(const struct ptables *t, uint64_t guid, unsigned port)
{
	uint32_t i;

	return map_get(&t->by_port, port_key(guid, port), &i) ? &t->table[i]
							      : NULL;
}

static struct table *
find_or_add(struct ptables *t, uint64_t guid, unsigned port)
{
	struct table *x = find(t, guid, port);

	if (x != NULL)
		return x;
	t->table = mem_grow(t->table, t->n, &t->cap, sizeof(*t->table));
	x = &t->table[t->n];
	*x = (struct table){0};
	map_put(&t->by_port, port_key(guid, port), (uint32_t)t->n++);
	return x;
}

/* Is this block of it known? */
static bool
holds(const struct table *x, unsigned block)
{
	return x != NULL && block < x->nblocks && (x->known >> block & 1) != 0;
}

bool
ptables_block(const struct ptables *t, uint64_t guid, unsigned port,
	unsigned block, uint16_t out[PTABLE_BLOCK])
{
	const struct table *x = find(t, guid, port);

	if (!holds(x, block))
		return false;
	memcpy(out, x->key + (size_t)block * PTABLE_BLOCK,
		PTABLE_BLOCK * sizeof(*out));
	return true;
}

void
ptables_set_block(struct ptables *t, uint64_t guid, unsigned port,
	unsigned block, const uint16_t key[PTABLE_BLOCK])
{
	struct table *x = find_or_add(t, guid, port);

	if (block >= PTABLE_BLOCKS)
		return;
	if (block >= x->nblocks) {
		x->nblocks = block + 1;
		x->key = mem_resize(x->key, (size_t)x->nblocks * PTABLE_BLOCK,
			sizeof(*x->key));
	}
	t->stamp++;
	memcpy(x->key + (size_t)block * PTABLE_BLOCK, key,
		PTABLE_BLOCK * sizeof(*key));
	x->known |= UINT64_C(1) << block;
}

void
ptables_unknown(struct ptables *t, uint64_t guid, unsigned port, unsigned block)
{
	struct table *x = find(t, guid, port);

	t->stamp++;
	if (x != NULL && block < PTABLE_BLOCKS)
		x->known &= ~(UINT64_C(1) << block);
}

void
ptables_doubt(
	struct ptables *t, uint64_t guid, unsigned port, struct mono until)
{
	for (size_t i = 0; i < t->ndoubt; i++)
		if (t->doubt[i].guid == guid && t->doubt[i].port == port) {
			t->doubt[i].until = until;
			return;
		}
	t->doubt =
		mem_grow(t->doubt, t->ndoubt, &t->capdoubt, sizeof(*t->doubt));
	t->doubt[t->ndoubt++] = (struct ptable_doubt){guid, port, until};
}

const struct ptable_doubt *
ptables_doubts(const struct ptables *t, size_t *n)
{
	*n = t->ndoubt;
	return t->doubt;
}

void
ptables_believe(struct ptables *t, struct mono now)
{
	size_t i, n = 0;

	for (i = 0; i < t->ndoubt; i++)
		if (mono_before(now, t->doubt[i].until))
			t->doubt[n++] = t->doubt[i];
	t->ndoubt = n;
}

void
ptables_forget_port(struct ptables *t, uint64_t guid, unsigned port)
{
	struct table *x = find(t, guid, port);

	if (x == NULL || x->known == 0)
		return;
	x->known = 0;
	t->stamp++;
}

void
ptables_forget(struct ptables *t, uint64_t guid)
{
	for (unsigned port = 0; port < PORTS; port++)
		ptables_forget_port(t, guid, port);
}

void
ptables_forget_all(struct ptables *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->table[i].known = 0;
	t->stamp++;
}

uint64_t
ptables_stamp(const struct ptables *t)
{
	return t->stamp;
}

void
ptables_refuse(struct ptables *t, uint64_t guid, unsigned port)
{
	find_or_add(t, guid, port)->refused = true;
}

bool
ptables_refused(const struct ptables *t, uint64_t guid, unsigned port)
{
	const struct table *x = find(t, guid, port);

	return x != NULL && x->refused;
}

void
ptables_reconcile(struct ptables *t, const struct topo *topo)
{
	for (node_ix n = 0; n < topo->nnodes; n++) {
		const struct topo_node *node = &topo->node[n];

		if ((node->flags & TN_FRESH) != 0)
			ptables_forget(t, node->guid);
		if (node->type == TOPO_SWITCH)
			continue;
		for (unsigned p = 1; p <= node->nports; p++)
			if (topo->port[node->first_port + p].state <= INIT)
				ptables_forget_port(t, node->guid, p);
	}
}

bool
ptable_is_fresh(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];
	port_ix of = n->type == TOPO_SWITCH ? n->first_port : p;
	struct mad_port_info i;

	if (n->type == TOPO_SWITCH ? (n->flags & TN_FRESH) == 0
				   : t->port[p].state > INIT)
		return false;
	return t->port[of].found_lid == 0 ||
	       (mad_port_info_decode(topo_info(t, of), &i, NULL) == 0 &&
		       i.sm_lid == 0);
}

void
ptables_presume(struct ptables *t, uint64_t guid, unsigned port, unsigned cap,
	bool unsure)
{
	uint16_t key[PTABLE_BLOCK] = {0};

	if (cap == 0)
		return;
	for (unsigned b = ptable_blocks(cap); b-- > 1;)
		ptables_set_block(t, guid, port, b, key);
	key[0] = PTABLE_FULL | PTABLE_BASE;
	/* no key of that number is ever wanted */
	if (unsure)
		key[(cap < PTABLE_BLOCK ? cap : PTABLE_BLOCK) - 1] = NO_KEY;
	ptables_set_block(t, guid, port, 0, key);
}

/* ---- tables as ports have them ---- */

static bool
is_external(const struct topo *t, port_ix p)
{
	return t->node[t->port[p].node].type == TOPO_SWITCH &&
	       t->port[p].num != 0;
}

unsigned
ptable_cap(const struct topo *t, port_ix p)
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
	return cap < PTABLE_BLOCKS * PTABLE_BLOCK
		       ? cap
		       : PTABLE_BLOCKS * PTABLE_BLOCK;
}

bool
ptable_guards(const struct topo *t, const struct ptable_want *w, port_ix p)
{
	port_ix peer = t->port[p].peer;

	return w->enforce && is_external(t, p) && peer != TOPO_NONE &&
	       t->node[t->port[peer].node].type != TOPO_SWITCH &&
	       ptable_cap(t, p) > 0;
}

bool
ptable_whole_known(
	const struct ptables *tables, const struct topo *t, port_ix p)
{
	const struct table *x =
		find(tables, t->node[t->port[p].node].guid, t->port[p].num);
	unsigned n = ptable_blocks(ptable_cap(t, p));
	uint64_t all = n < PTABLE_BLOCKS ? (UINT64_C(1) << n) - 1 : UINT64_MAX;

	return n == 0 || (x != NULL && (x->known & all) == all);
}

bool
ptable_whole(const struct ptables *tables, const struct topo *t, port_ix p,
	unsigned cap, uint16_t *out)
{
	const struct table *x =
		find(tables, t->node[t->port[p].node].guid, t->port[p].num);
	bool all = true;

	memset(out, 0, cap * sizeof(*out));
	for (unsigned b = 0; b < ptable_blocks(cap); b++) {
		unsigned at = b * PTABLE_BLOCK;
		unsigned n = cap - at < PTABLE_BLOCK ? cap - at : PTABLE_BLOCK;

		if (holds(x, b))
			memcpy(out + at, x->key + at, n * sizeof(*out));
		else
			all = false;
	}
	return all;
}

/* ---- laying out ---- */

static bool
wanted(const uint16_t *want, size_t n, uint16_t key)
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

/* Where the same partition stands with the other membership, to be changed. */
static size_t
find_other(const uint16_t *was, size_t cap, uint16_t key, const uint16_t *want,
	size_t n)
{
	uint16_t other = key ^ PTABLE_FULL;
	size_t i = find_key(was, cap, other);

	return i < cap && !wanted(want, n, other) ? i : cap;
}

/* A free place: the first one for the default key, so that it gets 0. */
static size_t
find_free(const uint16_t *out, const uint16_t *was, size_t cap, uint16_t key)
{
	size_t i = (key & PTABLE_BASE) == PTABLE_BASE ? 0 : 1;

	/* nothing may take the place of what is still there */
	for (; i < cap; i++)
		if (out[i] == 0 && was[i] == 0)
			return i;
	return cap > 0 && out[0] == 0 && was[0] == 0 ? 0 : cap;
}

/* Rights that go away wait for the second step. */
static uint16_t
more_of(uint16_t was, uint16_t is)
{
	return was == 0 || (is & PTABLE_FULL) != 0 ? is : was;
}

int
ptable_lay(const uint16_t *was, size_t cap, const uint16_t *want, size_t n,
	uint16_t *grown, uint16_t *out)
{
	int rc = 0;
	size_t i, at;

	memset(out, 0, cap * sizeof(*out));
	memcpy(grown, was, cap * sizeof(*grown));
	for (i = 0; i < n; i++) { /* what stays, stays where it is */
		at = find_key(was, cap, want[i]);
		if (at == cap)
			at = find_other(was, cap, want[i], want, n);
		if (at == cap)
			continue;
		out[at] = want[i];
		grown[at] = more_of(was[at], want[i]);
	}
	for (i = 0; i < n; i++) {
		if (find_key(out, cap, want[i]) < cap)
			continue;
		at = find_free(out, was, cap, want[i]);
		if (at == cap) { /* room that only the second step makes */
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
