/*
 * map: a hash table from 64-bit keys (GUIDs, hashes of directed paths) to
 * 32-bit values (indexes). Open addressing, for tables that seldom lose a
 * single key: a deleted key leaves a tombstone, which is removed when the table
 * grows next.
 */
#ifndef HEDDLE_SM_BASE_MAP_H
#define HEDDLE_SM_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot;

struct map {
	struct map_slot *slot;
	size_t cap;  /* a power of two, or 0 */
	size_t used; /* live and deleted slots */
	size_t n;    /* live keys */
};

/* An empty map needs no call: struct map m = {0}. Frees what m owns. */
void map_free(struct map *m);

/* Set key to val, replacing its value if it has one. */
void map_put(struct map *m, uint64_t key, uint32_t val);

/* Find key; true and *val (if not NULL) set, or false. */
bool map_get(const struct map *m, uint64_t key, uint32_t *val);

/* Remove key; true if it was there. */
bool map_del(struct map *m, uint64_t key);

#endif
