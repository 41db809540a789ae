#include "sm/base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { ARENA_CHUNK = 64 * 1024, ARENA_ALIGN = 16 };

struct chunk {
	struct chunk *next;
	size_t size;
};

struct arena {
	struct chunk *chunks; /* newest first; the newest is being filled */
	size_t fill;	      /* bytes used in the newest chunk */
	size_t used;
};

static const size_t header =
	(sizeof(struct chunk) + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);

struct arena *
arena_new(void)
{
	return mem_zalloc(1, sizeof(struct arena));
}

void
arena_free(struct arena *a)
{
	struct chunk *c, *next;

	if (a == NULL)
		return;
	for (c = a->chunks; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

static struct chunk *
chunk_new(size_t size, bool zeroed)
{
	/* calloc: large chunks come as untouched zero pages */
	struct chunk *c = zeroed ? mem_zalloc(1, header + size)
				 : mem_alloc(header + size);

	c->size = size;
	return c;
}

static void *
take_bytes(struct arena *a, size_t n, bool zeroed)
{
	size_t need = (n + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	struct chunk *c;
	char *p;

	if (need < n)
		need = SIZE_MAX / 2; /* calloc will refuse this */
	a->used += need;
	if (a->chunks != NULL && a->chunks->size - a->fill >= need) {
		p = (char *)a->chunks + header + a->fill;
		a->fill += need;
		return p;
	}
	if (a->chunks != NULL && need > ARENA_CHUNK / 4) {
		/* big pieces get a chunk of their own behind the current one */
		c = chunk_new(need, zeroed);
		c->next = a->chunks->next;
		a->chunks->next = c;
		return (char *)c + header;
	}
	/* Pieces to come are carved from it: zeroed ones, too. */
	c = chunk_new(need > ARENA_CHUNK ? need : ARENA_CHUNK, true);
	c->next = a->chunks;
	a->chunks = c;
	a->fill = need;
	return (char *)c + header;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	return take_bytes(a, n, true);
}

/* Bytes of an array; what no allocation can have where that is too much. */
static size_t
array_bytes(size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / 2 / size)
		count = SIZE_MAX / 2 / size;
	return count * size;
}

void *
arena_array(struct arena *a, size_t count, size_t size)
{
	return take_bytes(a, array_bytes(count, size), true);
}

void *
arena_unset(struct arena *a, size_t count, size_t size)
{
	return take_bytes(a, array_bytes(count, size), false);
}

char *
arena_strdup(struct arena *a, const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(arena_alloc(a, n), s, n);
}
