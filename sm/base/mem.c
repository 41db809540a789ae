#include "sm/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
checked(void *p)
{
	if (p == NULL) {
		fputs("heddle: out of memory\n", stderr);
		abort();
	}
	return p;
}

void *
mem_alloc(size_t n)
{
	return checked(malloc(n ? n : 1));
}

void *
mem_zalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *
mem_resize(void *p, size_t count, size_t size)
{
	return checked(reallocarray(p, count ? count : 1, size ? size : 1));
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
