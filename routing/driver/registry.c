#include "routing/driver/registry.h"

#include <stddef.h>
#include <string.h>

#include "routing/tiers/topo_class.h"

static const struct engine *const engines[] = {&engine_ftree, &engine_updn,
	&engine_dor, &engine_torus, &engine_dragonfly, &engine_nue,
	&engine_auto, NULL};

const struct schema_module *const *
registry_modules(void)
{
	static const struct schema_module *const modules[] = {
		&engine_ftree.module, &engine_updn.module, &engine_dor.module,
		&engine_torus.module, &engine_dragonfly.module,
		&engine_nue.module, &engine_auto.module, NULL};

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
	const struct engine *e = registry_find(topo_class_kept(r)->engine);

	return e != NULL ? e : engines[0];
}

void
registry_print_state(const struct routes *r, struct buf *out)
{
	if (r->state != NULL && r->state->ops->print != NULL)
		r->state->ops->print(r, out);
}

/* Append the lines of text that do not begin with this name. */
static void
copy_other_lines(const char *text, const char *name, struct buf *out)
{
	size_t own = strlen(name), n;

	for (; text != NULL && *text != '\0'; text += n) {
		n = strcspn(text, "\n") + 1;
		if (strncmp(text, name, own) != 0 || text[own] != ' ')
			buf_put(out, text, n);
	}
}

void
registry_remember_state(
	const struct routes *r, const char *known, struct buf *out)
{
	bool prints = r->state != NULL && r->state->ops->print != NULL;

	copy_other_lines(known, prints ? r->engine : "", out);
	registry_print_state(r, out);
}

int
registry_parse_state(struct routes *r, const char *engine, const char *text,
	struct reason *why)
{
	const struct engine *e = registry_find(engine);

	return e == NULL || e->state == NULL || e->state->parse == NULL
		       ? 0
		       : e->state->parse(r, e->module.name, text, why);
}

unsigned
registry_status(const struct routes *r, struct engine_fact out[ENGINE_FACTS])
{
	return r->state != NULL && r->state->ops->status != NULL
		       ? r->state->ops->status(r, out)
		       : 0;
}

bool
registry_is_settled(const struct routes *r)
{
	return r->state == NULL || r->state->ops->is_settled == NULL ||
	       r->state->ops->is_settled(r);
}

void
registry_layers_short(const struct routes *r,
	const struct engine_options *options, char *out, size_t size)
{
	const struct engine *e = registry_find(r->engine);

	*out = '\0';
	if (e != NULL && e->layers != NULL && e->layers->too_few != NULL)
		e->layers->too_few(r, options, out, size);
}

uint32_t
registry_layers_shared(const struct routes *r,
	const struct engine_options *options, char *out, size_t size)
{
	const struct engine *e = engine_of(r);

	*out = '\0';
	return e->layers != NULL && e->layers->shared != NULL
		       ? e->layers->shared(r, options, out, size)
		       : 0;
}
