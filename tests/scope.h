/*
 * scope: what a test makes ends where its variable goes out of scope, in the
 * reverse order of the declarations, so that a test ends with its last
 * assertion:
 *
 *	AUTO(topo) struct topo *t = frozen_topo(f, NULL);
 *
 * AUTO_POINTER or AUTO_VALUE declares the kind, beside the type or in
 * tests/unit/owned.h. A test that is about an end, or that needs another order,
 * declares the variable without AUTO and calls the function that frees.
 */
#ifndef HEDDLE_TESTS_SCOPE_H
#define HEDDLE_TESTS_SCOPE_H

#include <stdlib.h>
#include <string.h>

#define AUTO(kind) __attribute__((cleanup(auto_##kind)))

/* AUTO(kind) of a pointer to type, which function takes. */
#define AUTO_POINTER(kind, type, function)                                     \
	static inline void auto_##kind(type **p)                               \
	{                                                                      \
		function(*p);                                                  \
	}

/* AUTO(kind) of a type whose address function takes. */
#define AUTO_VALUE(kind, type, function)                                       \
	static inline void auto_##kind(type *p)                                \
	{                                                                      \
		function(p);                                                   \
	}

/* AUTO(mem) of a pointer to anything from malloc; p: its address. */
static inline void
auto_mem(void *p)
{
	void *memory;

	memcpy(&memory, p, sizeof(memory));
	free(memory);
}

#endif
