/*
 * registry: the table of routing engines, by name. Outside its folder an engine
 * is known by its row here alone.
 */
#ifndef HEDDLE_ROUTING_DRIVER_REGISTRY_H
#define HEDDLE_ROUTING_DRIVER_REGISTRY_H

#include "routing/core/engine.h"

/* The names, static, NULL-terminated: for the configuration. */
const char *const *registry_names(void);

/* The engine of this name; NULL: there is none, or name is NULL. */
const struct engine *registry_find(const char *name);

/* Its name as a static text, for routes, which keep a pointer to it; NULL: no
 * engine has this name, or name is NULL. */
const char *registry_name_of(const char *name);

#endif
