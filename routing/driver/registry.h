/*
 * registry: the table of routing engines, by name. Outside its folder an engine
 * is known by its row here alone.
 */
#ifndef HEDDLE_ROUTING_DRIVER_REGISTRY_H
#define HEDDLE_ROUTING_DRIVER_REGISTRY_H

#include "routing/core/engine.h"

extern const struct engine engine_ftree;
extern const struct engine engine_updn;
extern const struct engine engine_dor;
extern const struct engine engine_torus;
extern const struct engine engine_dragonfly;
extern const struct engine engine_nue;
extern const struct engine engine_auto;

/* The engine that is asked when all others have failed: it routes any fabric.
 */
const struct engine *registry_last(void);

/* The engines as the configuration knows them, static, NULL-terminated. */
const struct schema_module *const *registry_modules(void);

/* The engine of this name; NULL: there is none, or name is NULL. */
const struct engine *registry_find(const char *name);

/* Its name as a static text, for routes, which keep a pointer to it; NULL: no
 * engine has this name, or name is NULL. */
const char *registry_name_of(const char *name);

/* What the engine of these routes wants to be remembered: lines of text, each
 * with its name in front, appended to out. */
void registry_print_state(const struct routes *r, struct buf *out);

/* What is to be remembered now that these routes are in force: of the lines
 * that were known (NULL: none) those of other engines, and what is printed of
 * r. An engine that prints nothing keeps its lines, too. */
void registry_remember_state(
	const struct routes *r, const char *known, struct buf *out);

/* Give r, read back or renumbered, the state that this engine (NULL: none)
 * printed among the lines of text (NULL: none). 0, or -1 with the line that is
 * not understood: r has no state. */
int registry_parse_state(struct routes *r, const char *engine, const char *text,
	struct reason *why);

/* engine_state_ops of the state of these routes. */
unsigned registry_status(
	const struct routes *r, struct engine_fact out[ENGINE_FACTS]);
bool registry_is_settled(const struct routes *r);

/* engine_layer_ops of the engine that these routes are read by; where it has no
 * such thing "" is given. */
void registry_layers_short(const struct routes *r,
	const struct engine_options *options, char *out, size_t size);
uint32_t registry_layers_shared(const struct routes *r,
	const struct engine_options *options, char *out, size_t size);

#endif
