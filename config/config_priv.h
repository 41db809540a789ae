/* What config.c and config_describe.c share. */
#ifndef HEDDLE_CONFIG_CONFIG_PRIV_H
#define HEDDLE_CONFIG_CONFIG_PRIV_H

#include "config/config.h"
#include "config/schema.h"

/* Every option with its whole name: those of the modules behind "routing". */
struct section config_keys(
	struct arena *a, const struct schema_module *const *modules);

/* What reading options needs; its lists are in the arena. */
struct schema_env config_env(
	struct arena *a, const struct schema_module *const *modules);

/* All defaults, and the environment that they were made with. */
struct config *config_new(
	const struct schema_module *const *modules, struct schema_env *env);

#endif
