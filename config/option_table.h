/*
 * option_table: the tables of all options, one per section of the file. A new
 * option is a row in option_table.c and a field in struct config; everything
 * else follows. Sections whose entries have names, and rows of their own, are
 * in sa_options, partition_options and qos_options.
 */
#ifndef HEDDLE_CONFIG_OPTION_TABLE_H
#define HEDDLE_CONFIG_OPTION_TABLE_H

#include <stddef.h>

#include "config/schema.h"

struct options_section {
	const struct schema *schema;
	size_t offset; /* of the section's struct in struct config */
	enum schema_reload reload; /* of its options that say none */
};

/* All sections, in the order in which they are printed. */
const struct options_section *options_all(size_t *n);

#endif
