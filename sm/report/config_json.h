/*
 * config_json: a configuration, and what of it comes from where. Secrets are
 * not in it.
 */
#ifndef HEDDLE_SM_REPORT_CONFIG_JSON_H
#define HEDDLE_SM_REPORT_CONFIG_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "config/config.h"

/*
 * A new JSON object {"files": [NAME]} with "text", the configuration as YAML;
 * or, origin, with "keys": [{"key", "value", "file", "line"}], the last two
 * absent for a default, each in one line. boot has the values of options that
 * take a restart: where they differ "in_force" is theirs.
 */
json_t *config_json(
	const struct config *c, const struct config *boot, bool origin);

#endif
