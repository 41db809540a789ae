#include "sm/pkeys.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/partition.h"
#include "sm/base/mem.h"

enum { NOT_IN = -1 };

/* Memberships of all ports in one partition, while they are being found. */
struct roll {
	const struct topo *t;
	int8_t *as; /* [nports] enum partition_membership, or NOT_IN */
};

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
	free(k->first);
	free(k->key);
	free(k->nobody);
	free(k);
}

/*
 * Hosts write their device behind their name ("node07 mlx5_0"): a pattern may
 * mean the whole description or its first word.
 */
static bool
is_named(const char *desc, const char *pattern)
{
	char word[65];

	if (fnmatch(pattern, desc, 0) == 0)
		return true;
	(void)snprintf(
		word, sizeof(word), "%.*s", (int)strcspn(desc, " "), desc);
	return fnmatch(pattern, word, 0) == 0;
}

/* Does the member mean this port? */
static bool
is_meant(const struct topo *t, port_ix p, enum partition_who who, uint64_t guid,
	const char *pattern)
{
	const struct topo_node *n = &t->node[t->port[p].node];

	switch (who) {
	case PARTITION_ALL:
		return true;
	case PARTITION_HOSTS:
		return n->type == TOPO_CA;
	case PARTITION_SWITCHES:
		return n->type == TOPO_SWITCH;
	case PARTITION_ROUTERS:
		return n->type == TOPO_ROUTER;
	case PARTITION_SM:
		return p == t->sm_port;
	case PARTITION_GUID:
		return t->port[p].guid == guid || n->guid == guid;
	case PARTITION_NAME:
	default:
		return is_named(topo_desc(t, t->port[p].node), pattern);
	}
}

/* Enter one member; false when nobody is meant. */
static bool
enter(struct roll *r, const char *text, uint32_t as)
{
	uint64_t guid = 0;
	enum partition_who who = partition_who(text, &guid);
	bool any = false;
	port_ix p;

	for (p = 0; p < r->t->nports; p++) {
		if (!topo_has_lid(r->t, p) ||
			!is_meant(r->t, p, who, guid, text))
			continue;
		r->as[p] = (int8_t)as;
		any = true;
	}
	/* classes of ports may be empty; who is named should be there */
	return any || (who != PARTITION_GUID && who != PARTITION_NAME);
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
			add_key(f, p, base | PKEYS_FULL);
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

		if (enter(r, m->text, m->value))
			continue;
		k->nobody = mem_resize(
			k->nobody, k->nnobody + 1, sizeof(*k->nobody));
		k->nobody[k->nnobody++] = (struct pkeys_nobody){ix, i};
	}
	add_keys(r, (uint16_t)o[ix].pkey, f);
}

/* The default partition where the configuration does not give it. */
static void
add_default(const struct pkeys *k, struct roll *r, struct found *f)
{
	bool open = k->cfg->partitions.n == 0;

	memset(r->as, NOT_IN, r->t->nports);
	(void)enter(r, "all", open ? PARTITION_AS_FULL : PARTITION_AS_LIMITED);
	(void)enter(r, "sm", PARTITION_AS_FULL);
	add_keys(r, PARTITION_DEFAULT_KEY, f);
}

/* All in one array. */
static void
pack(struct pkeys *k, struct found *f)
{
	const struct topo *t = k->topo;
	uint32_t n = 0;
	port_ix p;

	k->first = mem_zalloc((size_t)t->nports + 1, sizeof(*k->first));
	for (p = 0; p < t->nports; p++) {
		k->first[p] = n;
		n += f->n[p];
	}
	k->first[t->nports] = n;
	k->key = mem_zalloc(n, sizeof(*k->key));
	for (p = 0; p < t->nports; p++) {
		if (f->n[p] > 0)
			memcpy(&k->key[k->first[p]], f->key[p],
				f->n[p] * sizeof(*k->key));
		free(f->key[p]);
	}
}

struct pkeys *
pkeys_make(struct config *c, struct topo *t)
{
	struct pkeys *k = mem_zalloc(1, sizeof(*k));
	const struct partition_options *o = c->partitions.record;
	struct roll r = {t, mem_alloc(t->nports)};
	struct found f = {mem_zalloc(t->nports, sizeof(*f.key)),
		mem_zalloc(t->nports, sizeof(*f.n))};
	uint32_t i, home = UINT32_MAX;

	k->refs = 1;
	k->topo = topo_ref(t);
	k->cfg = config_ref(c);
	for (i = 0; i < c->partitions.n; i++)
		if (o[i].pkey == PARTITION_DEFAULT_KEY)
			home = i;
	if (home == UINT32_MAX)
		add_default(k, &r, &f);
	else
		add_partition(k, home, &r, &f);
	for (i = 0; i < c->partitions.n; i++)
		if (i != home)
			add_partition(k, i, &r, &f);
	pack(k, &f);
	free(r.as);
	free(f.key);
	free(f.n);
	return k;
}

size_t
pkeys_of(const struct pkeys *k, port_ix p, const uint16_t **key)
{
	*key = &k->key[k->first[p]];
	return k->first[p + 1] - k->first[p];
}

/* ---- tables ---- */

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
find(const uint16_t *table, size_t cap, uint16_t key)
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
	uint16_t other = key ^ PKEYS_FULL;
	size_t i = find(was, cap, other);

	return i < cap && !wanted(want, n, other) ? i : cap;
}

/* A free place: the first one for the default key, so that it gets 0. */
static size_t
find_free(const uint16_t *out, const uint16_t *was, size_t cap, uint16_t key)
{
	size_t i = (key & PKEYS_BASE) == PKEYS_BASE ? 0 : 1;

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
	return was == 0 || (is & PKEYS_FULL) != 0 ? is : was;
}

int
pkeys_lay(const uint16_t *was, size_t cap, const uint16_t *want, size_t n,
	uint16_t *grown, uint16_t *out)
{
	int rc = 0;
	size_t i, at;

	memset(out, 0, cap * sizeof(*out));
	memcpy(grown, was, cap * sizeof(*grown));
	for (i = 0; i < n; i++) { /* what stays, stays where it is */
		at = find(was, cap, want[i]);
		if (at == cap)
			at = find_other(was, cap, want[i], want, n);
		if (at == cap)
			continue;
		out[at] = want[i];
		grown[at] = more_of(was[at], want[i]);
	}
	for (i = 0; i < n; i++) {
		if (find(out, cap, want[i]) < cap)
			continue;
		at = find_free(out, was, cap, want[i]);
		if (at == cap) { /* room that only the second step makes */
			at = find(out, cap, 0);
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
