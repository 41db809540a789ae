/*
 * adaptive_check: what options of adaptive routing must have in common with
 * others, which no single row can judge. Levels of qos.levels are judged in
 * qos_options.h.
 */
#ifndef HEDDLE_CONFIG_ADAPTIVE_CHECK_H
#define HEDDLE_CONFIG_ADAPTIVE_CHECK_H

#include "config/config.h"
#include "config/diag.h"
#include "config/schema.h"

/* Judge routing.adaptive of c, whose keys these are; mistakes go to d. */
void adaptive_check(const struct config *c, const struct section *keys,
	struct diag_list *d);

#endif
