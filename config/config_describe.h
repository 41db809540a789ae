/*
 * config_describe: what options there are, for editors and for the manual: both
 * from the tables of options alone.
 *
 * Callers: sm/main.c (--config-schema), the test that compares heddle.yaml(5).
 */
#ifndef HEDDLE_CONFIG_CONFIG_DESCRIBE_H
#define HEDDLE_CONFIG_CONFIG_DESCRIBE_H

#include "config/schema.h"
#include "sm/base/buf.h"

/* Append the JSON Schema of the file. modules: as for config_parse. */
void config_json_schema(
	const struct schema_module *const *modules, struct buf *out);

/* Append the options for heddle.yaml(5) as mdoc: a list for each section. */
void config_mdoc(const struct schema_module *const *modules, struct buf *out);

#endif
