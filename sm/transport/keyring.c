#include "sm/transport/keyring.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"

/* What is known about ports that have gone is forgotten with everything else,
 * once there is so much of it. */
enum { ENTRIES_MAX = 1 << 18 };

/*
 * What is known about one SMA.
 *
 *   proven --- silence, or hidden ---> open --- hidden from all ---> hidden
 *      ^                                | ^                            |
 *      +---- shown, or a Set taken -----+ +-- configured               | Set
 *      |                                                      unanswered |
 *      +------------- shown, or a Set taken --------------- locked <---+
 */
enum knowledge { OPEN, PROVEN, HIDDEN, LOCKED };

struct entry {
	uint64_t key;  /* the most likely */
	uint64_t next; /* that a Set on its way writes ... */
	bool changing; /* ... if there is one without an answer */
	enum knowledge is;
};

struct keyring {
	uint64_t key[KEYRING_MAX]; /* the configured one first */
	unsigned n;
	unsigned right; /* that of the last SMA whose key was found out */
	uint64_t m_key;
	struct map by_sma; /* SMA -> entry */
	struct entry *entry;
	size_t nentries, cap;
	size_t nlocked;
};

struct keyring *
keyring_new(void)
{
	return mem_zalloc(1, sizeof(struct keyring));
}

void
keyring_free(struct keyring *k)
{
	if (k == NULL)
		return;
	map_free(&k->by_sma);
	free(k->entry);
	free(k);
}

static struct entry *
find_entry(const struct keyring *k, uint64_t sma)
{
	uint32_t i;

	return map_get(&k->by_sma, sma, &i) ? &k->entry[i] : NULL;
}

static struct entry *
make_entry(struct keyring *k, uint64_t sma)
{
	struct entry *e = find_entry(k, sma);

	if (e != NULL)
		return e;
	if (k->nentries == ENTRIES_MAX) {
		map_free(&k->by_sma);
		k->nentries = k->nlocked = 0;
	}
	k->entry = mem_grow(k->entry, k->nentries, &k->cap, sizeof(*k->entry));
	map_put(&k->by_sma, sma, (uint32_t)k->nentries);
	e = &k->entry[k->nentries++];
	*e = (struct entry){.key = k->key[k->right]};
	return e;
}

static void
set_knowledge(struct keyring *k, struct entry *e, enum knowledge is)
{
	k->nlocked -= e->is == LOCKED;
	e->is = is;
	k->nlocked += e->is == LOCKED;
}

static bool
contains_key(const uint64_t *list, unsigned n, uint64_t key)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i] == key)
			return true;
	return false;
}

/* 0 is no key: a port that has none takes any. */
static void
add_key(struct keyring *k, uint64_t key)
{
	if (key != 0 && k->n < KEYRING_MAX && !contains_key(k->key, k->n, key))
		k->key[k->n++] = key;
}

void
keyring_configure(
	struct keyring *k, uint64_t m_key, const uint64_t *known, size_t n)
{
	const struct keyring was = *k;

	memset(k->key, 0, sizeof(k->key));
	k->n = 0;
	k->m_key = m_key;
	add_key(k, m_key);
	add_key(k, was.m_key);
	for (size_t i = 0; i < n; i++)
		add_key(k, known[i]);
	for (unsigned i = 0; i < was.n; i++)
		add_key(k, was.key[i]);
	if (k->n == was.n && memcmp(k->key, was.key, sizeof(k->key)) == 0)
		return;
	k->right = 0;
	for (size_t i = 0; i < k->nentries; i++)
		if (k->entry[i].is == HIDDEN || k->entry[i].is == LOCKED)
			set_knowledge(k, &k->entry[i], OPEN);
}

/* The keys that an SMA may have, the most likely first; returns how many. */
static unsigned
list_choices(
	const struct keyring *k, uint64_t sma, uint64_t list[KEYRING_MAX + 2])
{
	const struct entry *e = find_entry(k, sma);
	unsigned n = 0;

	if (e != NULL)
		list[n++] = e->key;
	else if (k->n > 0)
		list[n++] = k->key[k->right];
	if (e != NULL && e->changing && e->next != e->key)
		list[n++] = e->next;
	if (e == NULL || e->is != PROVEN)
		for (unsigned i = 0; i < k->n; i++)
			if (!contains_key(list, n, k->key[i]))
				list[n++] = k->key[i];
	if (n == 0)
		list[n++] = 0;
	return n;
}

unsigned
keyring_choices(const struct keyring *k, uint64_t sma)
{
	uint64_t list[KEYRING_MAX + 2];

	return list_choices(k, sma, list);
}

uint64_t
keyring_find(const struct keyring *k, uint64_t sma, unsigned try)
{
	uint64_t list[KEYRING_MAX + 2];
	unsigned n = list_choices(k, sma, list);

	return list[try % n];
}

/* The SMA has this key. */
static void
prove_key(struct keyring *k, uint64_t sma, uint64_t key)
{
	struct entry *e = make_entry(k, sma);

	for (unsigned i = 0; i < k->n && e->is != PROVEN; i++)
		if (k->key[i] == key)
			k->right = i;
	e->key = key;
	set_knowledge(k, e, PROVEN);
}

void
keyring_changing(struct keyring *k, uint64_t sma, uint64_t m_key)
{
	struct entry *e = find_entry(k, sma);

	if (e == NULL && m_key == keyring_find(k, sma, 0))
		return;
	e = make_entry(k, sma);
	e->changing = e->key != m_key;
	e->next = m_key;
}

void
keyring_accepted(struct keyring *k, uint64_t sma, uint64_t used)
{
	const struct entry *e = find_entry(k, sma);

	if (used == 0)
		return;
	/* the answer may be older than what proved another key */
	if (e == NULL || e->is != PROVEN || (e->changing && used == e->next))
		prove_key(k, sma, used);
}

void
keyring_suppose(struct keyring *k, uint64_t sma, uint64_t used)
{
	if (used != keyring_find(k, sma, 0) && find_entry(k, sma) == NULL)
		make_entry(k, sma)->key = used;
}

void
keyring_changed(struct keyring *k, uint64_t sma, uint64_t m_key)
{
	struct entry *e = find_entry(k, sma);

	if (e == NULL && m_key == 0)
		return;
	prove_key(k, sma, m_key);
	find_entry(k, sma)->changing = false;
}

bool
keyring_shown(struct keyring *k, uint64_t sma, uint64_t shown, uint8_t protect)
{
	struct entry *e = find_entry(k, sma);

	if (shown != 0) {
		prove_key(k, sma, shown);
		find_entry(k, sma)->changing = false;
		return false;
	}
	if (protect == 0) { /* it has none */
		if (e != NULL)
			set_knowledge(k, e, OPEN);
		return false;
	}
	if (e != NULL && e->is == PROVEN)
		set_knowledge(k, e, OPEN);
	return true;
}

void
keyring_hidden(struct keyring *k, uint64_t sma)
{
	struct entry *e = make_entry(k, sma);

	if (e->is != LOCKED)
		set_knowledge(k, e, HIDDEN);
}

void
keyring_silent(struct keyring *k, uint64_t sma, bool set)
{
	struct entry *e = find_entry(k, sma);

	if (e == NULL)
		return;
	if (e->is == HIDDEN && set)
		set_knowledge(k, e, LOCKED);
	else if (e->is == PROVEN)
		set_knowledge(k, e, OPEN);
}

bool
keyring_is_hidden(const struct keyring *k, uint64_t sma)
{
	const struct entry *e = find_entry(k, sma);

	return e != NULL && (e->is == HIDDEN || e->is == LOCKED);
}

bool
keyring_is_locked(const struct keyring *k, uint64_t sma)
{
	const struct entry *e = find_entry(k, sma);

	return e != NULL && e->is == LOCKED;
}

size_t
keyring_locked(const struct keyring *k)
{
	return k->nlocked;
}
