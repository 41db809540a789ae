#include "sm/policy/config_loss.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/arena.h"
#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/policy/jobs.h"
#include "sm/policy/pkeys.h"
#include "sm/policy/qos.h"

/* A list of keys; of a class, in the order of compare_keys. */
struct keys {
	const uint16_t *key;
	size_t n;
};

/* Ports that have the same keys before and after. */
struct port_class {
	struct keys was, is;
	bool kept;  /* the keys of before are not taken away */
	bool same;  /* nothing changes */
	bool loses; /* with itself or another one */
	uint32_t n;
	port_ix first, second; /* TOPO_NONE: there is one */
};

struct judge {
	const struct topo *t;
	const struct pkeys *was, *is;
	struct port_class *classes;
	size_t n, cap;
	struct map by_hash;
	struct arena *arena; /* keys of classes */
	uint32_t *of;	     /* [nports] index of its class, or UINT32_MAX */
	bool *hit;	     /* [nports] */
	struct config_loss *out;
};

static bool
is_end_port(const struct topo *t, port_ix p)
{
	return t->node[t->port[p].node].type != TOPO_SWITCH &&
	       topo_has_lid(t, p) && t->port[p].lid != 0;
}

/* ---- partitions ---- */

/* By partition, full membership first. */
static int
compare_keys(const void *x, const void *y)
{
	unsigned a = *(const uint16_t *)x, b = *(const uint16_t *)y;

	if (((a ^ b) & PKEYS_BASE) != 0)
		return (a & PKEYS_BASE) < (b & PKEYS_BASE) ? -1 : 1;
	return a > b ? -1 : a < b;
}

static struct keys
keys_of(struct judge *j, const struct pkeys *k, port_ix p)
{
	const uint16_t *key;
	size_t n = pkeys_of(k, p, &key);
	uint16_t *own = arena_array(j->arena, n, sizeof(*own));

	for (size_t i = 0; i < n; i++)
		own[i] = key[i];
	qsort(own, n, sizeof(*own), compare_keys);
	return (struct keys){own, n};
}

static bool
keys_equal(const struct keys *a, const struct keys *b)
{
	return a->n == b->n &&
	       (a->n == 0 ||
		       memcmp(a->key, b->key, a->n * sizeof(*a->key)) == 0);
}

static uint64_t
hash_keys(uint64_t h, const struct keys *l)
{
	h = fnv_more(h, l->key, l->n * sizeof(*l->key));
	return fnv_more(h, &l->n, sizeof(l->n));
}

/* Enter a port under its class. */
static void
enter_port(struct judge *j, port_ix p)
{
	struct port_class x = {.was = keys_of(j, j->was, p),
		.is = keys_of(j, j->is, p),
		.kept = j->is->keep[p],
		.n = 1,
		.first = p,
		.second = TOPO_NONE};
	uint64_t h = hash_keys(hash_keys(FNV_START, &x.was), &x.is);
	uint32_t i;

	h ^= x.kept;
	for (; map_get(&j->by_hash, h, &i); h++) {
		struct port_class *k = &j->classes[i];

		if (k->kept != x.kept || !keys_equal(&k->was, &x.was) ||
			!keys_equal(&k->is, &x.is))
			continue;
		if (k->n++ == 1)
			k->second = p;
		j->of[p] = i;
		return;
	}
	x.same = x.kept || keys_equal(&x.was, &x.is);
	j->classes = mem_grow(j->classes, j->n, &j->cap, sizeof(*j->classes));
	j->classes[j->n] = x;
	j->of[p] = (uint32_t)j->n;
	map_put(&j->by_hash, h, (uint32_t)j->n++);
}

/* True if a key of each belongs to one partition, in which one is full. */
static bool
may_talk(const struct keys *a, const struct keys *b)
{
	size_t i = 0, k = 0;

	while (i < a->n && k < b->n) {
		unsigned x = a->key[i] & PKEYS_BASE, y = b->key[k] & PKEYS_BASE;

		if (x == y && ((a->key[i] | b->key[k]) & PKEYS_FULL) != 0)
			return true;
		i += x <= y;
		k += y <= x;
	}
	return false;
}

/* Afterwards, with the keys that are not taken away. */
static bool
still_may_talk(const struct port_class *a, const struct port_class *b)
{
	return may_talk(&a->is, &b->is) ||
	       (a->kept && may_talk(&a->was, &b->is)) ||
	       (b->kept && may_talk(&a->is, &b->was)) ||
	       (a->kept && b->kept && may_talk(&a->was, &b->was));
}

static void
judge_classes(struct judge *j, struct port_class *a, struct port_class *b)
{
	uint64_t pairs = a == b ? (uint64_t)a->n * (a->n - 1) / 2
				: (uint64_t)a->n * b->n;

	if (pairs == 0 || (a->same && b->same) || !may_talk(&a->was, &b->was) ||
		still_may_talk(a, b))
		return;
	if (j->out->pairs == 0) {
		j->out->pair[0] = a->first;
		j->out->pair[1] = a == b ? a->second : b->first;
	}
	j->out->pairs += pairs;
	a->loses = b->loses = true;
}

static bool
has_key(const struct keys *l, uint16_t key)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->key[i] == key)
			return true;
	return false;
}

static void
judge_keys(struct judge *j)
{
	enum { FULL = PARTITION_DEFAULT_KEY | PKEY_FULL };

	for (port_ix p = 0; p < j->t->nports; p++) {
		j->of[p] = UINT32_MAX;
		if (is_end_port(j->t, p))
			enter_port(j, p);
	}
	for (size_t a = 0; a < j->n; a++)
		for (size_t b = a; b < j->n; b++)
			judge_classes(j, &j->classes[a], &j->classes[b]);
	for (size_t i = 0; i < j->n; i++)
		if (!j->classes[i].kept && has_key(&j->classes[i].was, FULL) &&
			!has_key(&j->classes[i].is, FULL))
			j->out->limited += j->classes[i].n;
	for (port_ix p = 0; p < j->t->nports; p++)
		if (j->of[p] != UINT32_MAX && j->classes[j->of[p]].loses) {
			j->hit[p] = true;
			j->out->ports++;
		}
}

/* The pins under the new configuration, as the daemon will make them. */
static struct name_pins *
pins_then(const struct config_loss_ask *ask)
{
	const struct config *c = ask->is;

	if (c->fabric.names == CONFIG_NAMES_TRUSTED)
		return NULL;
	if (ask->pins == NULL && !pkeys_by_name(c) && !qos_by_name(c))
		return NULL;
	return name_pins_update(ask->pins, c, ask->topo);
}

static void
judge_partitions(const struct config_loss_ask *ask, struct judge *j)
{
	struct name_pins *pins = pins_then(ask);
	struct pkeys *was = pkeys_make(ask->was, ask->topo, ask->pins);
	struct pkeys *is = pkeys_make(ask->is, ask->topo, pins);

	j->was = was;
	j->is = is;
	j->arena = arena_new();
	j->of = mem_alloc(j->t->nports * sizeof(*j->of));
	judge_keys(j);
	arena_free(j->arena);
	free(j->of);
	free(j->classes);
	map_free(&j->by_hash);
	pkeys_unref(was);
	pkeys_unref(is);
	name_pins_unref(pins);
}

/* ---- LIDs ---- */

/* True if a LID that the port holds would not be its own any more. */
static bool
loses_lid(const struct topo *t, const struct lid_table *l, port_ix p)
{
	uint32_t first = t->port[p].lid, end = first + (1U << t->port[p].lmc);

	return l->lid[p] > first || l->lid[p] + (1U << l->lmc[p]) < end;
}

static int
judge_lids(
	const struct config_loss_ask *ask, struct judge *j, struct reason *why)
{
	const struct jobs_lid_records r = {ask->record, ask->nrecord, false};
	struct config_loss *o = j->out;
	struct lid_table was, is;

	if (jobs_lids(ask->is, ask->topo, &r, &is, why) != 0)
		return -1;
	if (jobs_lids(ask->was, ask->topo, &r, &was, why) != 0) {
		lid_table_free(&is);
		return -1;
	}
	for (port_ix p = 0; p < j->t->nports; p++) {
		if (!topo_has_lid(j->t, p) || j->t->port[p].lid == 0 ||
			!loses_lid(j->t, &is, p) || loses_lid(j->t, &was, p))
			continue;
		j->hit[p] = true;
		if (o->renumbered++ > 0)
			continue;
		o->moved = p;
		o->lid = j->t->port[p].lid;
		o->new_lid = is.lid[p];
	}
	lid_table_free(&is);
	lid_table_free(&was);
	return 0;
}

/* ---- GIDs ---- */

static void
judge_gids(const struct config_loss_ask *ask, struct judge *j)
{
	if (ask->was->fabric.subnet_prefix == ask->is->fabric.subnet_prefix)
		return;
	for (port_ix p = 0; p < j->t->nports; p++)
		if (topo_has_lid(j->t, p) && j->t->port[p].lid != 0) {
			j->hit[p] = true;
			j->out->readdressed++;
		}
}

int
config_loss_judge(const struct config_loss_ask *ask, struct config_loss *out,
	struct reason *why)
{
	struct judge j = {.t = ask->topo, .out = out};
	int rc;

	*out = (struct config_loss){
		.pair = {TOPO_NONE, TOPO_NONE}, .moved = TOPO_NONE};
	j.hit = mem_zalloc(j.t->nports, sizeof(*j.hit));
	judge_partitions(ask, &j);
	judge_gids(ask, &j);
	rc = judge_lids(ask, &j, why);
	for (port_ix p = 0; p < j.t->nports; p++)
		out->affected += j.hit[p];
	free(j.hit);
	return rc;
}

bool
config_loss_refused(const struct config_loss *l, const struct config *is)
{
	return l->affected > is->fabric.accept_loss;
}

/* ---- in words ---- */

static const char *
ending_of(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static bool
lists_default(const struct config *c)
{
	const struct partition_options *o = c->partitions.record;

	for (size_t i = 0; i < c->partitions.n; i++)
		if (o[i].pkey == PARTITION_DEFAULT_KEY)
			return true;
	return false;
}

static void
pairs_text(const struct config_loss *l, const struct config *is,
	const struct topo *t, struct buf *out)
{
	buf_printf(out,
		"%" PRIu32 " ports lose others: %" PRIu64
		" pair%s of ports may not talk any more, the first \"%s\" and "
		"\"%s\"",
		l->ports, l->pairs, ending_of(l->pairs),
		topo_desc(t, t->port[l->pair[0]].node),
		topo_desc(t, t->port[l->pair[1]].node));
	if (l->limited > 0)
		buf_printf(out,
			"; %" PRIu32
			" become%s limited member%s of the default "
			"partition%s",
			l->limited, l->limited == 1 ? "s a" : "",
			ending_of(l->limited),
			lists_default(is)
				? ""
				: ", 0x7fff, which is not configured");
}

static void
lids_text(const struct config_loss *l, const struct topo *t, struct buf *out)
{
	buf_printf(out,
		"%" PRIu32 " port%s %s renumbered, the first \"%s\" from LID "
		"%u to %u",
		l->renumbered, ending_of(l->renumbered),
		l->renumbered == 1 ? "is" : "are",
		topo_desc(t, t->port[l->moved].node), l->lid, l->new_lid);
}

static void
gids_text(const struct config_loss *l, const struct config *is, struct buf *out)
{
	buf_printf(out,
		"%" PRIu32 " port%s get%s other GIDs, of subnet prefix "
		"0x%016" PRIx64,
		l->readdressed, ending_of(l->readdressed),
		l->readdressed == 1 ? "s" : "", is->fabric.subnet_prefix);
}

uint64_t
config_loss_count(const struct config_loss *l, enum config_loss_kind kind)
{
	const uint64_t count[CONFIG_LOSS_KINDS] = {
		[CONFIG_LOSS_PAIRS] = l->pairs,
		[CONFIG_LOSS_LIDS] = l->renumbered,
		[CONFIG_LOSS_GIDS] = l->readdressed,
	};

	return count[kind];
}

void
config_loss_kind_text(const struct config_loss *l, enum config_loss_kind kind,
	const struct config *is, const struct topo *t, struct buf *out)
{
	if (config_loss_count(l, kind) == 0)
		return;
	if (kind == CONFIG_LOSS_PAIRS)
		pairs_text(l, is, t, out);
	else if (kind == CONFIG_LOSS_LIDS)
		lids_text(l, t, out);
	else
		gids_text(l, is, out);
}

void
config_loss_text(const struct config_loss *l, const struct config *is,
	const struct topo *t, const char *between, struct buf *out)
{
	bool any = false;

	for (unsigned k = 0; k < CONFIG_LOSS_KINDS; k++) {
		if (config_loss_count(l, (enum config_loss_kind)k) == 0)
			continue;
		buf_printf(out, "%s", any ? between : "");
		config_loss_kind_text(l, (enum config_loss_kind)k, is, t, out);
		any = true;
	}
}
