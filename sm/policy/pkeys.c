#include "sm/policy/pkeys.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_keys.h"
#include "sm/base/mem.h"
#include "sm/policy/name_match.h"

enum { NOT_IN = -1 };

/* Memberships of all ports in one partition, while they are being found. */
struct roll {
	const struct topo *t;
	int8_t *as; /* [nports] enum partition_membership, or NOT_IN */
	int8_t now; /* membership of the member that is being entered */
	bool any;   /* that member means a port */
	struct name_match *named;
};

static void
free_lists(struct pkeys_lists *l)
{
	free(l->first);
	free(l->key);
	*l = (struct pkeys_lists){0};
}

struct pkeys *
pkeys_ref(struct pkeys *k)
{
	if (k != NULL)
		k->refs++;
	return k;
}

void
pkeys_unref(struct pkeys *k)
{
	if (k == NULL || --k->refs > 0)
		return;
	topo_unref(k->topo);
	config_unref(k->cfg);
	free_lists(&k->want);
	free_lists(&k->live);
	free_lists(&k->table);
	free(k->keep);
	free(k->unmatched);
	free(k);
}

/* Enter a port, if it has LIDs. */
static void
enter_port(void *cookie, port_ix p)
{
	struct roll *r = cookie;

	if (topo_has_lid(r->t, p)) {
		r->as[p] = r->now;
		r->any = true;
	}
}

/* Enter one member; false when it means no port. Classes may be empty. */
static bool
enter_member(struct roll *r, const char *text, uint32_t as)
{
	enum partition_member kind;

	r->now = (int8_t)as;
	r->any = false;
	kind = name_match_ports(r->named, text, enter_port, r);
	return r->any || (kind != PARTITION_GUID && kind != PARTITION_NAME);
}

/* Keys found so far: per port a list that grows. */
struct found {
	uint16_t **key;
	uint32_t *n;
};

static void
add_key(struct found *f, port_ix p, uint16_t key)
{
	f->key[p] = mem_resize(f->key[p], f->n[p] + 1, sizeof(**f->key));
	f->key[p][f->n[p]++] = key;
}

static void
add_keys(const struct roll *r, uint16_t base, struct found *f)
{
	port_ix p;

	for (p = 0; p < r->t->nports; p++) {
		if (r->as[p] == NOT_IN)
			continue;
		if (r->as[p] != PARTITION_AS_LIMITED)
			add_key(f, p, base | PKEY_FULL);
		if (r->as[p] != PARTITION_AS_FULL)
			add_key(f, p, base);
	}
}

static void
add_partition(struct pkeys *k, uint32_t ix, struct roll *r, struct found *f)
{
	const struct partition_options *o = k->cfg->partitions.record;

	memset(r->as, NOT_IN, r->t->nports);
	for (uint32_t i = 0; i < o[ix].members.n; i++) {
		const struct schema_word *m = &o[ix].members.entry[i];

		if (enter_member(r, m->text, m->value))
			continue;
		k->unmatched = mem_resize(
			k->unmatched, k->nunmatched + 1, sizeof(*k->unmatched));
		k->unmatched[k->nunmatched++] = (struct pkeys_unmatched){ix, i};
	}
	/* the subnet administrator, which all have to reach */
	if (o[ix].pkey == PARTITION_DEFAULT_KEY &&
		r->as[r->t->sm_port] != PARTITION_AS_BOTH)
		r->as[r->t->sm_port] = PARTITION_AS_FULL;
	add_keys(r, (uint16_t)o[ix].pkey, f);
}

/* The default partition where the configuration does not list it. */
static void
add_default(const struct pkeys *k, struct roll *r, struct found *f)
{
	bool open = k->cfg->partitions.n == 0;

	memset(r->as, NOT_IN, r->t->nports);
	(void)enter_member(
		r, "all", open ? PARTITION_AS_FULL : PARTITION_AS_LIMITED);
	(void)enter_member(r, "sm", PARTITION_AS_FULL);
	add_keys(r, PARTITION_DEFAULT_KEY, f);
}

/* Put all keys into one array; the keys found are freed. */
static void
pack_lists(struct pkeys_lists *l, struct found *f, uint32_t nports)
{
	uint32_t n = 0;
	port_ix p;

	free_lists(l);
	l->first = mem_zalloc((size_t)nports + 1, sizeof(*l->first));
	for (p = 0; p < nports; p++) {
		l->first[p] = n;
		n += f->n[p];
	}
	l->first[nports] = n;
	l->key = mem_zalloc(n, sizeof(*l->key));
	for (p = 0; p < nports; p++) {
		if (f->n[p] > 0)
			memcpy(&l->key[l->first[p]], f->key[p],
				f->n[p] * sizeof(*l->key));
		free(f->key[p]);
	}
	free(f->key);
	free(f->n);
}

static struct found
nothing_found(uint32_t nports)
{
	return (struct found){mem_zalloc(nports, sizeof(uint16_t *)),
		mem_zalloc(nports, sizeof(uint32_t))};
}

bool
pkeys_by_name(const struct config *c)
{
	const struct partition_options *o = c->partitions.record;
	uint64_t guid;

	for (size_t i = 0; i < c->partitions.n; i++)
		for (size_t m = 0; m < o[i].members.n; m++)
			if (partition_member(o[i].members.entry[m].text,
				    &guid) == PARTITION_NAME)
				return true;
	return false;
}

void
pkeys_adopt(struct pkeys *k, struct topo *t)
{
	struct topo *old;

	if (k == NULL)
		return;
	old = k->topo;
	assert(t->hash == old->hash && t->nports == old->nports);
	k->topo = topo_ref(t);
	topo_unref(old);
}

struct pkeys *
pkeys_make(struct config *c, struct topo *t, const struct name_pins *pins)
{
	struct pkeys *k = mem_zalloc(1, sizeof(*k));
	const struct partition_options *o = c->partitions.record;
	struct roll r = {.t = t,
		.as = mem_alloc(t->nports),
		.named = name_match_new(t, pins)};
	struct found f = nothing_found(t->nports);
	uint32_t i, builtin = UINT32_MAX;
	bool by_name = pkeys_by_name(c);

	k->refs = 1;
	k->topo = topo_ref(t);
	k->cfg = config_ref(c);
	for (i = 0; i < c->partitions.n; i++)
		if (o[i].pkey == PARTITION_DEFAULT_KEY)
			builtin = i;
	if (builtin == UINT32_MAX)
		add_default(k, &r, &f);
	else
		add_partition(k, builtin, &r, &f);
	for (i = 0; i < c->partitions.n; i++)
		if (i != builtin)
			add_partition(k, i, &r, &f);
	pack_lists(&k->want, &f, t->nports);
	k->keep = mem_zalloc(t->nports, sizeof(*k->keep));
	for (port_ix p = 0; by_name && p < t->nports; p++)
		k->keep[p] = *topo_desc(t, t->port[p].node) == '\0';
	free(r.as);
	name_match_free(r.named);
	return k;
}

size_t
pkeys_list(const struct pkeys_lists *l, port_ix p, const uint16_t **key)
{
	*key = &l->key[l->first[p]];
	return l->first[p + 1] - l->first[p];
}

size_t
pkeys_of(const struct pkeys *k, port_ix p, const uint16_t **key)
{
	return pkeys_list(&k->want, p, key);
}

/* ---- what tables hold ---- */

static bool
table_has_key(const uint16_t *table, unsigned n, uint16_t key)
{
	for (unsigned i = 0; i < n; i++)
		if (table[i] == key)
			return true;
	return false;
}

static void
settle_port(const struct pkeys *k, const struct device_store *known, port_ix p,
	struct found *live, struct found *table)
{
	uint16_t is[PKEY_TABLE_BLOCKS * PKEY_TABLE_BLOCK];
	unsigned cap = pkey_table_cap(k->topo, p), used = 0, i;
	const uint16_t *want;
	size_t n = pkeys_of(k, p, &want);
	bool whole =
		cap > 0 && device_keys_table(known, k->topo, p, cap, is, &used);

	for (i = 0; i < n; i++) {
		if (!whole || table_has_key(is, used, want[i]))
			add_key(live, p, want[i]);
		if (!whole)
			add_key(table, p, want[i]);
	}
	for (i = 0; whole && i < used; i++)
		add_key(table, p, is[i]);
}

void
pkeys_settle(struct pkeys *k, const struct device_store *known)
{
	uint32_t nports = k->topo->nports;
	struct found live = nothing_found(nports);
	struct found table = nothing_found(nports);

	for (port_ix p = 0; p < nports; p++)
		settle_port(k, known, p, &live, &table);
	pack_lists(&k->live, &live, nports);
	pack_lists(&k->table, &table, nports);
}

static bool
same_lists(const struct pkeys_lists *a, const struct pkeys_lists *b, uint32_t n)
{
	if (a->first == NULL || b->first == NULL)
		return a->first == b->first;
	return memcmp(a->first, b->first,
		       ((size_t)n + 1) * sizeof(*a->first)) == 0 &&
	       memcmp(a->key, b->key, a->first[n] * sizeof(*a->key)) == 0;
}

bool
pkeys_want_same(const struct pkeys *a, const struct pkeys *b)
{
	return a->topo->nports == b->topo->nports &&
	       same_lists(&a->want, &b->want, a->topo->nports) &&
	       memcmp(a->keep, b->keep, a->topo->nports) == 0;
}

bool
pkeys_same(const struct pkeys *a, const struct pkeys *b)
{
	return pkeys_want_same(a, b) &&
	       same_lists(&a->live, &b->live, a->topo->nports) &&
	       same_lists(&a->table, &b->table, a->topo->nports);
}

/* True if the ports are the same, as far as it matters for their tables. */
static bool
same_ports(const struct topo *a, const struct topo *b)
{
	enum { NODE = TN_QUARANTINED | TN_DUPLICATE };
	enum { PORT = TP_ABSENT | TP_UNREAD };

	if (a->nnodes != b->nnodes || a->nports != b->nports)
		return false;
	for (node_ix n = 0; n < a->nnodes; n++) {
		const struct topo_node *x = &a->node[n], *y = &b->node[n];

		if (x->guid != y->guid || x->first_port != y->first_port ||
			x->partition_cap != y->partition_cap ||
			((x->flags ^ y->flags) & NODE) != 0)
			return false;
	}
	for (port_ix p = 0; p < a->nports; p++)
		if (a->port[p].guid != b->port[p].guid ||
			((a->port[p].flags ^ b->port[p].flags) & PORT) != 0)
			return false;
	for (sw_ix s = 0; s < a->nsw; s++)
		if (a->sw[s].enf_cap != b->sw[s].enf_cap)
			return false;
	return true;
}

static void
copy_lists(
	struct pkeys_lists *to, const struct pkeys_lists *from, uint32_t nports)
{
	free_lists(to);
	to->first =
		mem_dup(from->first, ((size_t)nports + 1) * sizeof(*to->first));
	to->key = mem_dup(from->key, from->first[nports] * sizeof(*to->key));
}

bool
pkeys_settle_like(struct pkeys *k, const struct pkeys *was)
{
	if (was->live.first == NULL || !same_ports(k->topo, was->topo) ||
		!pkeys_want_same(k, was))
		return false;
	copy_lists(&k->live, &was->live, k->topo->nports);
	copy_lists(&k->table, &was->table, k->topo->nports);
	return true;
}

struct pkey_table_want
pkeys_wanted(const struct pkeys *k)
{
	return (struct pkey_table_want){
		.first = k->want.first,
		.key = k->want.key,
		.keep = k->keep,
		.enforce = k->cfg->partitions.n > 0 &&
			   k->cfg->fabric.partition_enforcement,
	};
}
