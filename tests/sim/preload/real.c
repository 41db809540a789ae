#include "tests/sim/preload/real.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *
find_real(_Atomic(void *) *slot, const char *name)
{
	void *f = atomic_load_explicit(slot, memory_order_acquire);

	if (f == NULL) {
		f = dlsym(RTLD_NEXT, name);
		if (f == NULL)
			abort(); /* a libc without it */
		atomic_store_explicit(slot, f, memory_order_release);
	}
	return f;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): types cannot have them */
#define REAL_DEFINE(type, name, parameters, arguments)                         \
	type real_##name parameters                                            \
	{                                                                      \
		static _Atomic(void *) slot;                                   \
		type(*f) parameters =                                          \
			(type(*) parameters)find_real(&slot, #name);           \
                                                                               \
		return f arguments;                                            \
	}
/* NOLINTEND(bugprone-macro-parentheses) */
REAL_LIST(REAL_DEFINE)
