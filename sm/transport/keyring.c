#include "sm/transport/keyring.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

/* PortInfo: M_KeyProtectBits are the upper two bits of this byte. */
enum { AT_PROTECT = 34, PROTECT_SHIFT = 6 };

struct keyring {
	uint64_t candidate[KEYRING_CANDIDATES];
	size_t n;
	size_t right;	   /* the candidate that was right last */
	struct map by_sma; /* SMA -> index in key */
	struct map by_key; /* key -> index in key */
	uint64_t *key;
	size_t nkeys, cap;
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
	map_free(&k->by_key);
	free(k->key);
	free(k);
}

static bool
has_candidate(const struct keyring *k, uint64_t key)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->candidate[i] == key)
			return true;
	return false;
}

static void
add_candidate(struct keyring *k, uint64_t key)
{
	if (key != 0 && k->n < KEYRING_CANDIDATES && !has_candidate(k, key))
		k->candidate[k->n++] = key;
}

void
keyring_configure(struct keyring *k, const uint64_t *key, size_t n)
{
	uint64_t before[KEYRING_CANDIDATES];
	size_t nbefore = k->n;

	memcpy(before, k->candidate, sizeof(before));
	k->n = k->right = 0;
	for (size_t i = 0; i < n; i++)
		add_candidate(k, key[i]);
	for (size_t i = 0; i < nbefore; i++)
		add_candidate(k, before[i]);
}

/* Candidate number i of those tried at an SMA without a known key. */
static uint64_t
candidate_at(const struct keyring *k, size_t i)
{
	i %= k->n;
	if (i == 0)
		return k->candidate[k->right];
	return k->candidate[i <= k->right ? i - 1 : i];
}

uint64_t
keyring_key(const struct keyring *k, const struct keyring_request *q)
{
	uint32_t i;

	if (map_get(&k->by_sma, q->sma, &i))
		return q->gives != 0 && q->try % 2 == 1 ? q->gives : k->key[i];
	return k->n > 0 ? candidate_at(k, q->try) : 0;
}

unsigned
keyring_candidates(const struct keyring *k, uint64_t sma)
{
	return k->n == 0 || map_get(&k->by_sma, sma, NULL) ? 1 : (unsigned)k->n;
}

static uint32_t
key_index(struct keyring *k, uint64_t key)
{
	uint32_t i;

	if (map_get(&k->by_key, key, &i))
		return i;
	k->key = mem_grow(k->key, k->nkeys, &k->cap, sizeof(*k->key));
	i = (uint32_t)k->nkeys++;
	k->key[i] = key;
	map_put(&k->by_key, key, i);
	return i;
}

void
keyring_given(struct keyring *k, uint64_t sma, uint64_t key)
{
	map_put(&k->by_sma, sma, key_index(k, key));
	for (size_t i = 0; i < k->n; i++)
		if (k->candidate[i] == key)
			k->right = i;
}

bool
keyring_is_hidden(const uint8_t d[MAD_DATA])
{
	return be_get64(d) == 0 && d[AT_PROTECT] >> PROTECT_SHIFT != 0;
}

enum keyring_verdict
keyring_seen(struct keyring *k, const struct keyring_request *q,
	const uint8_t d[MAD_DATA])
{
	uint64_t key = be_get64(d);

	if (key != 0) {
		keyring_given(k, q->sma, key);
		return KEYRING_FINE;
	}
	if (!keyring_is_hidden(d))
		return KEYRING_FINE;
	/* the key known of it, if any, is wrong: all candidates are tried */
	if (map_del(&k->by_sma, q->sma))
		return k->n > 0 ? KEYRING_TRY_NEXT : KEYRING_FINE;
	return q->try < k->n ? KEYRING_TRY_NEXT : KEYRING_FINE;
}

void
keyring_forget(struct keyring *k, uint64_t sma)
{
	(void)map_del(&k->by_sma, sma);
}
