/*
 * mem: allocation that cannot fail. Out of memory ends the program in one
 * place, here, because no part of a subnet manager can do half of its work.
 */
#ifndef HEDDLE_SM_BASE_MEM_H
#define HEDDLE_SM_BASE_MEM_H

#include <stddef.h>

/* n bytes, uninitialised; never NULL (n = 0 gives a unique pointer). free(). */
void *mem_alloc(size_t n);

/* count x size bytes of zeroes, overflow checked; never NULL. free(). */
void *mem_zalloc(size_t count, size_t size);

/* Resize p (NULL allowed) to count x size bytes, overflow checked. */
void *mem_resize(void *p, size_t count, size_t size);

/* A copy of n bytes at p, to be freed by the caller. */
void *mem_dup(const void *p, size_t n);

/* A copy of the string s, to be freed by the caller. */
char *mem_strdup(const char *s);

/*
 * Make room for one more element in a growing array: when n == *cap, double
 * *cap and resize. Returns the (possibly moved) array.
 */
void *mem_grow(void *p, size_t n, size_t *cap, size_t size);

/*
 * For a daemon, to be called first: large blocks come from the system and go
 * back to it as soon as they are free, and no thread keeps a heap of its own.
 * mem_trim, called when a piece of work is over, gives free memory back; in
 * programs that have not called mem_frugal it does nothing.
 */
void mem_frugal(void);
void mem_trim(void);

#endif
