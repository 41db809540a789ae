#include "routing/driver/registry.h"

#include <stddef.h>
#include <string.h>

static const struct engine *const engines[] = {&engine_ftree, &engine_updn,
	&engine_dor, &engine_torus, &engine_dragonfly, &engine_nue, NULL};

const struct schema_module *const *
registry_modules(void)
{
	static const struct schema_module *const modules[] = {
		&engine_ftree.module, &engine_updn.module, &engine_dor.module,
		&engine_torus.module, &engine_dragonfly.module,
		&engine_nue.module, NULL};

	return modules;
}

const struct engine *
registry_find(const char *name)
{
	for (size_t i = 0; name != NULL && engines[i] != NULL; i++)
		if (strcmp(engines[i]->module.name, name) == 0)
			return engines[i];
	return NULL;
}

const struct engine *
registry_last(void)
{
	size_t i = 0;

	while ((engines[i]->caps & ENGINE_ANY_FABRIC) == 0)
		i++;
	return engines[i];
}

const char *
registry_name_of(const char *name)
{
	const struct engine *e = registry_find(name);

	return e != NULL ? e->module.name : NULL;
}

/* A switch order that no engine has noted is read as the first engine does. */
static const struct engine *
engine_of(const struct routes *r)
{
	const struct engine *e = registry_find(r->reading.engine);

	return e != NULL ? e : engines[0];
}

void
registry_print_state(const struct routes *r, struct buf *out)
{
	const struct engine *e = registry_find(r->engine);

	if (e != NULL && e->state != NULL && e->state->print != NULL)
		e->state->print(r, out);
}

void
registry_layers_short(const struct routes *r,
	const struct engine_options *options, char *out, size_t size)
{
	const struct engine *e = registry_find(r->engine);

	*out = '\0';
	if (e != NULL && e->state != NULL && e->state->layers_short != NULL)
		e->state->layers_short(r, options, out, size);
}

uint32_t
registry_layers_shared(const struct routes *r,
	const struct engine_options *options, char *out, size_t size)
{
	const struct engine *e = engine_of(r);

	*out = '\0';
	return e->state != NULL && e->state->layers_shared != NULL
		       ? e->state->layers_shared(r, options, out, size)
		       : 0;
}
