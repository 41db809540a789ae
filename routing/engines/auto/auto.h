/*
 * auto: the engine that makes no tables: where it is asked the driver tries all
 * others and takes the best (routing/driver/compute.h says how).
 *
 * Folder routing/engines/auto: the name by which the configuration asks for the
 * best engine. Callers: routing/driver, by the row of the registry. Read next:
 * routing/driver/compute.h.
 */
#ifndef HEDDLE_ROUTING_ENGINES_AUTO_AUTO_H
#define HEDDLE_ROUTING_ENGINES_AUTO_AUTO_H

#include "routing/core/engine.h"

extern const struct engine engine_auto;

#endif
