#include "routing/driver/registry.h"

#include <stddef.h>
#include <string.h>

static const struct engine *const engines[] = {
	&engine_ftree, &engine_updn, NULL};

const char *const *
registry_names(void)
{
	static const char *const names[] = {"ftree", "updn", NULL};

	return names;
}

const struct engine *
registry_find(const char *name)
{
	for (size_t i = 0; name != NULL && engines[i] != NULL; i++)
		if (strcmp(engines[i]->name, name) == 0)
			return engines[i];
	return NULL;
}

const char *
registry_name_of(const char *name)
{
	const struct engine *e = registry_find(name);

	return e != NULL ? e->name : NULL;
}
