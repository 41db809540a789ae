#include "sm/base/mem.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 256 * 1024 };

/* How the one heap of the process is kept. */
/* NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables) */
static bool is_frugal;

static void *
abort_if_null(void *p)
{
	if (p == NULL) {
		(void)fputs("heddle: out of memory\n", stderr);
		abort();
	}
	return p;
}

void *
mem_alloc(size_t n)
{
	return abort_if_null(malloc(n ? n : 1));
}

void *
mem_zalloc(size_t count, size_t size)
{
	return abort_if_null(calloc(count ? count : 1, size ? size : 1));
}

void *
mem_resize(void *p, size_t count, size_t size)
{
	return abort_if_null(
		reallocarray(p, count ? count : 1, size ? size : 1));
}

void *
mem_dup(const void *p, size_t n)
{
	void *q = mem_alloc(n);

	if (n > 0)
		memcpy(q, p, n);
	return q;
}

char *
mem_strdup(const char *s)
{
	return mem_dup(s, strlen(s) + 1);
}

void *
mem_grow(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 16;
	return mem_resize(p, *cap, size);
}

void
mem_frugal(void)
{
	is_frugal = true;
	/* a heap per thread would stay as large as the thread's largest job */
	(void)mallopt(M_ARENA_MAX, 1);
	(void)mallopt(M_MMAP_THRESHOLD, LARGE);
	(void)mallopt(M_TRIM_THRESHOLD, LARGE);
}

void
mem_trim(void)
{
	if (is_frugal)
		(void)malloc_trim(LARGE);
}
