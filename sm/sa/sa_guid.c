/*
 * GUIDInfoRecord (IBA 15.2.5.18): the GUIDs of a port. The first is its own;
 * the others are aliases that it asks for (one for each virtual function of an
 * adapter), by value or, with 0, any value. They live as long as their port,
 * which asks again when it comes back.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/sa/sa_priv.h"

enum {
	BLOCK = 8,
	BLOCKS = 32, /* GUIDCap has 8 bits */
	SIZE = 72,
	AT_BLOCK = 2,
	AT_GUIDS = 8,
	GUID_CAP = 50, /* in PortInfo */
	HAS_LID = 0,
	HAS_BLOCK = 1,
	HAS_GUID = 4, /* to 11 */
};

/* A port that has aliases. */
struct owner {
	uint64_t guid;	 /* of the port */
	unsigned n;	 /* entries, its own GUID included */
	uint64_t *entry; /* 0: none; entry 0 unused */
	bool restored;	 /* from the previous run: what is possible of it is
			    kept */
};

struct sa_guids {
	struct owner *owner;
	size_t n, cap;
	struct map by_owner; /* port GUID -> index */
	struct map by_alias; /* alias GUID -> index */
};

static const struct sa_part parts[] = {
	{0, 0, 16},  /* LID */
	{1, 16, 8},  /* BlockNum */
	{4, 64, 64}, /* GUID0 to GUID7 */
	{5, 128, 64},
	{6, 192, 64},
	{7, 256, 64},
	{8, 320, 64},
	{9, 384, 64},
	{10, 448, 64},
	{11, 512, 64},
};

struct sa_guids *
sa_guids_new(void)
{
	return mem_zalloc(1, sizeof(struct sa_guids));
}

void
sa_guids_free(struct sa_guids *g)
{
	if (g == NULL)
		return;
	for (size_t i = 0; i < g->n; i++)
		free(g->owner[i].entry);
	map_free(&g->by_owner);
	map_free(&g->by_alias);
	free(g->owner);
	free(g);
}

port_ix
sa_guids_port(const struct sa *sa, const struct view *v, uint64_t guid)
{
	const struct sa_guids *g = sa->guids;
	uint32_t i;

	if (!map_get(&g->by_alias, guid, &i))
		return TOPO_NONE;
	return topo_by_port_guid(v->topo, g->owner[i].guid);
}

static struct owner *
find_owner(const struct sa_guids *g, uint64_t guid)
{
	uint32_t i;

	return map_get(&g->by_owner, guid, &i) ? &g->owner[i] : NULL;
}

static struct owner *
find_or_add_owner(struct sa_guids *g, uint64_t guid, unsigned n)
{
	struct owner *o = find_owner(g, guid);

	if (o == NULL) {
		g->owner = mem_grow(g->owner, g->n, &g->cap, sizeof(*o));
		o = &g->owner[g->n];
		*o = (struct owner){
			guid, n, mem_zalloc(n, sizeof(*o->entry)), false};
		map_put(&g->by_owner, guid, (uint32_t)g->n++);
	}
	return o;
}

/* Drop a port and all its aliases. */
static void
drop_owner(struct sa *sa, size_t i)
{
	struct sa_guids *g = sa->guids;
	struct owner *o = &g->owner[i];

	sa->changed = true;
	for (unsigned k = 0; k < o->n; k++)
		(void)map_del(&g->by_alias, o->entry[k]);
	(void)map_del(&g->by_owner, o->guid);
	free(o->entry);
	*o = g->owner[--g->n];
	if (i == g->n)
		return;
	map_put(&g->by_owner, o->guid, (uint32_t)i);
	for (unsigned k = 0; k < o->n; k++)
		if (o->entry[k] != 0)
			map_put(&g->by_alias, o->entry[k], (uint32_t)i);
}

/* The number of entry i of a block. */
static unsigned
entry_number(unsigned block, size_t i)
{
	return block * BLOCK + (unsigned)i;
}

static unsigned
entries_of(const struct topo *t, port_ix p)
{
	unsigned cap = topo_info(t, p)[GUID_CAP];

	return cap == 0 ? 1 : cap;
}

/* The current GUIDs of a block of port p, which has none but its own where o is
 * NULL. */
static void
read_block(const struct owner *o, const struct topo_port *p, unsigned block,
	uint64_t guid[BLOCK])
{
	for (size_t i = 0; i < BLOCK; i++)
		guid[i] = o != NULL && entry_number(block, i) < o->n
				  ? o->entry[entry_number(block, i)]
				  : 0;
	if (block == 0)
		guid[0] = p->guid;
}

/*
 * A GUID made here: locally administered, always the same for one entry of one
 * port, so that a restart changes nothing; so it is no hash of sm/base/hash.h,
 * which another version may mix otherwise.
 */
static uint64_t
make_guid(uint64_t owner, unsigned entry, unsigned attempt)
{
	uint64_t h = (owner ^ entry * UINT64_C(0x100000001b3) ^ attempt) *
		     UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return (h ^ h >> 32) >> 8 | UINT64_C(0x02) << 56;
}

static bool
is_taken(const struct sa_query *q, uint64_t guid)
{
	return topo_by_port_guid(q->view->topo, guid) != TOPO_NONE ||
	       map_get(&q->sa->guids->by_alias, guid, NULL);
}

/* The port and block of a Set or Delete, if the requester may change them; 0 or
 * a status. */
static uint16_t
check_request(const struct sa_query *q, port_ix *port, unsigned *block)
{
	struct sa_end e;

	if (!sa_query_has(q, HAS_LID) || !sa_query_has(q, HAS_BLOCK) ||
		(q->h.mask >> HAS_GUID & 0xff) == 0)
		return MAD_SA_INSUF_COMPS;
	if (!sa_scope_by_lid(q, be_get16(q->want), &e))
		return MAD_SA_REQ_INVALID;
	if (e.port != q->from && !q->trusted)
		return MAD_SA_DENIED;
	*port = e.port;
	*block = q->want[AT_BLOCK];
	/* the port's own GUID cannot be changed */
	if (*block == 0 && sa_query_has(q, HAS_GUID))
		return MAD_SA_REQ_INVALID;
	if (*block * BLOCK >= entries_of(q->view->topo, e.port))
		return MAD_SA_REQ_INVALID;
	return 0;
}

/* Choose the GUID of an entry: the wanted one, or with 0 any; 0: it is taken,
 * or no unused one was found. */
static uint64_t
choose_guid(const struct sa_query *q, const struct topo_port *p, unsigned entry,
	uint64_t want)
{
	const struct owner *o = find_owner(q->sa->guids, p->guid);
	uint64_t have = o != NULL && entry < o->n ? o->entry[entry] : 0;
	uint64_t guid = want;

	if (have != 0 && (want == 0 || want == have))
		return have;
	for (unsigned attempt = 0; want == 0 && attempt < BLOCKS; attempt++) {
		guid = make_guid(p->guid, entry, attempt);
		if (!is_taken(q, guid))
			return guid;
	}
	return is_taken(q, guid) ? 0 : guid;
}

static void
assign_guid(struct sa_guids *g, struct owner *o, unsigned entry, uint64_t guid)
{
	if (o->entry[entry] == guid)
		return;
	if (o->entry[entry] != 0)
		(void)map_del(&g->by_alias, o->entry[entry]);
	o->entry[entry] = guid;
	if (guid != 0)
		map_put(&g->by_alias, guid, (uint32_t)(o - g->owner));
}

/* The block is to be written to the port, and goes into the answer. */
static void
answer_block(struct sa_query *q, port_ix port, unsigned block)
{
	const struct topo_port *p = &q->view->topo->port[port];
	uint64_t guid[BLOCK];

	read_block(find_owner(q->sa->guids, p->guid), p, block, guid);
	for (size_t i = 0; i < BLOCK; i++)
		be_put64(q->want + AT_GUIDS + 8 * i, guid[i]);
	q->sa->changed = true;
	q->sa->ops->aliases_changed(q->sa->ops->cookie);
}

/* Choose all GUIDs of a Set, or none; guid[i] is 0 where the Set asks for
 * none. */
static uint16_t
choose_all(const struct sa_query *q, const struct topo_port *p, unsigned block,
	uint64_t guid[BLOCK])
{
	const struct topo *t = q->view->topo;
	unsigned most = entries_of(t, topo_port_of(t, p->node, p->num));

	for (size_t i = 0; i < BLOCK; i++) {
		guid[i] = 0;
		if (!sa_query_has(q, (unsigned)(HAS_GUID + i)))
			continue;
		if (entry_number(block, i) >= most)
			return MAD_SA_REQ_INVALID;
		guid[i] = choose_guid(q, p, entry_number(block, i),
			be_get64(q->want + AT_GUIDS + 8 * i));
		if (guid[i] == 0)
			return MAD_SA_INVALID_GID;
		for (size_t k = 0; k < i; k++)
			if (guid[k] == guid[i])
				return MAD_SA_REQ_INVALID;
	}
	return 0;
}

static uint16_t
guid_set(struct sa_query *q)
{
	uint64_t guid[BLOCK];
	const struct topo_port *p;
	struct owner *o;
	unsigned block;
	port_ix port;
	uint16_t status = check_request(q, &port, &block);

	if (status != 0)
		return status;
	p = &q->view->topo->port[port];
	status = choose_all(q, p, block, guid);
	if (status != 0)
		return status;
	o = find_or_add_owner(
		q->sa->guids, p->guid, entries_of(q->view->topo, port));
	for (size_t i = 0; i < BLOCK; i++)
		if (guid[i] != 0 && entry_number(block, i) < o->n)
			assign_guid(q->sa->guids, o, entry_number(block, i),
				guid[i]);
	answer_block(q, port, block);
	return 0;
}

static uint16_t
guid_delete(struct sa_query *q)
{
	struct owner *o;
	unsigned block;
	port_ix port;
	uint16_t status = check_request(q, &port, &block);

	if (status != 0)
		return status;
	o = find_owner(q->sa->guids, q->view->topo->port[port].guid);
	for (size_t i = 0; o != NULL && i < BLOCK; i++)
		if (sa_query_has(q, (unsigned)(HAS_GUID + i)) &&
			entry_number(block, i) < o->n)
			assign_guid(q->sa->guids, o, entry_number(block, i), 0);
	answer_block(q, port, block);
	return 0;
}

static bool
guid_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct topo *t = q->view->topo;
	port_ix p = (port_ix)(ix / BLOCKS);
	unsigned block = (unsigned)(ix % BLOCKS);
	uint64_t guid[BLOCK];

	if (!topo_has_lid(t, p) || t->port[p].lid == 0 ||
		block * BLOCK >= entries_of(t, p) || !sa_scope_sees(q, p))
		return false;
	be_put16(rec, t->port[p].lid);
	rec[AT_BLOCK] = (uint8_t)block;
	read_block(find_owner(q->sa->guids, t->port[p].guid), &t->port[p],
		block, guid);
	for (size_t i = 0; i < BLOCK; i++)
		be_put64(rec + AT_GUIDS + 8 * i, guid[i]);
	return true;
}

/*
 * Keep the aliases that are possible: the port has an entry for them, and no
 * port has them as its own GUID. For aliases of the previous run, and after
 * such a port came.
 */
static void
keep_possible(struct sa *sa, struct owner *o, unsigned n)
{
	for (unsigned k = 1; k < o->n; k++)
		if (o->entry[k] != 0 &&
			(k >= n || map_get(&sa->by_guid, o->entry[k], NULL)))
			assign_guid(sa->guids, o, k, 0);
	sa->changed = true;
	o->entry = mem_resize(o->entry, n, sizeof(*o->entry));
	for (unsigned k = o->n; k < n; k++)
		o->entry[k] = 0;
	o->n = n;
	o->restored = false;
}

/* True if one of its aliases is the own GUID of a port that came since. */
static bool
has_others(const struct sa *sa, const struct owner *o)
{
	for (unsigned k = 1; k < o->n; k++)
		if (o->entry[k] != 0 &&
			map_get(&sa->by_guid, o->entry[k], NULL))
			return true;
	return false;
}

void
sa_guids_commit(struct sa *sa)
{
	struct sa_guids *g = sa->guids;

	for (size_t i = g->n; i-- > 0;) {
		port_ix p = topo_by_port_guid(sa->view->topo, g->owner[i].guid);

		if (p == TOPO_NONE || sa->view->topo->port[p].lid == 0)
			drop_owner(sa, i);
		else if (g->owner[i].restored || has_others(sa, &g->owner[i]))
			keep_possible(sa, &g->owner[i],
				entries_of(sa->view->topo, p));
	}
}

/* An alias that is the own GUID of a port that came is that port's. */
static void
drop_foreign(const struct topo *t, unsigned block, uint64_t guid[BLOCK])
{
	for (size_t i = block == 0; i < BLOCK; i++)
		if (guid[i] != 0 && topo_by_port_guid(t, guid[i]) != TOPO_NONE)
			guid[i] = 0;
}

size_t
sa_aliases(
	const struct sa *sa, const struct topo *t, struct sa_alias_block **out)
{
	const struct sa_guids *g = sa->guids;
	size_t n = 0, cap = 0;

	*out = NULL;
	for (size_t i = 0; i < g->n; i++) {
		const struct owner *o = &g->owner[i];
		port_ix p = topo_by_port_guid(t, o->guid);

		for (unsigned b = 0; p != TOPO_NONE && b * BLOCK < o->n; b++) {
			*out = mem_grow(*out, n, &cap, sizeof(**out));
			(*out)[n] = (struct sa_alias_block){p, b, {0}};
			read_block(o, &t->port[p], b, (*out)[n].guid);
			drop_foreign(t, b, (*out)[n++].guid);
		}
	}
	return n;
}

void
sa_guids_save(const struct sa *sa, struct buf *out)
{
	const struct sa_guids *g = sa->guids;
	uint8_t d[8];

	for (size_t i = 0; i < g->n; i++) {
		const struct owner *o = &g->owner[i];

		buf_printf(out, "alias 0x%016llx %u ",
			(unsigned long long)o->guid, o->n);
		for (unsigned k = 0; k < o->n; k++) {
			be_put64(d, o->entry[k]);
			buf_hex(out, d, sizeof(d));
		}
		buf_put(out, "\n", 1);
	}
}

bool
sa_guids_restore(struct sa *sa, const struct sa_saved *k)
{
	struct sa_guids *g = sa->guids;
	struct owner *o;
	bool ok = true;

	if (k->number == 0 || k->number > (uint64_t)BLOCK * BLOCKS ||
		k->nbytes != 8 * k->number || find_owner(g, k->owner) != NULL ||
		be_get64(k->byte) != 0)
		return false;
	o = find_or_add_owner(g, k->owner, (unsigned)k->number);
	o->restored = true;
	for (unsigned i = 1; i < k->number; i++) {
		uint64_t guid = be_get64(k->byte + (size_t)8 * i);

		if (guid != 0 && map_get(&g->by_alias, guid, NULL))
			ok = false; /* another port has it already */
		else
			assign_guid(g, o, i, guid);
	}
	return ok;
}

const struct sa_kind sa_guid = {
	.attr = MAD_SA_GUID,
	.size = SIZE,
	.part = parts,
	.nparts = sizeof(parts) / sizeof(parts[0]),
	.over = SA_LIDS,
	.per = BLOCKS,
	.record = guid_record,
	.set = guid_set,
	.del = guid_delete,
};
