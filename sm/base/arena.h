/*
 * arena: memory for things that die together (a configuration, a routing job,
 * a plan, a request). Everything is aligned to 16 bytes and freed by one call;
 * nothing is freed alone.
 *
 * Folder sm/base: what every folder may use and which knows nothing of
 * InfiniBand: memory, texts, maps, bit sets, files, clock, log, event loop.
 * Callers: every folder. Read next: sm/base/reason.h, by which errors travel,
 * and sm/base/clock.h.
 */
#ifndef HEDDLE_SM_BASE_ARENA_H
#define HEDDLE_SM_BASE_ARENA_H

#include <stddef.h>

struct arena;

/* A new, empty arena. */
struct arena *arena_new(void);

/* Free the arena and everything in it; NULL is allowed. */
void arena_free(struct arena *a);

/* n zeroed bytes that live as long as the arena; never NULL. */
void *arena_alloc(struct arena *a, size_t n);

/* count x size zeroed bytes, overflow checked. */
void *arena_array(struct arena *a, size_t count, size_t size);

/* The same, not zeroed, for what is written before it is read: large arrays are
 * touched once less. */
void *arena_unset(struct arena *a, size_t count, size_t size);

/* A copy of s in the arena. */
char *arena_strdup(struct arena *a, const char *s);

#endif
