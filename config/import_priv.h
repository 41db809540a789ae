/*
 * The inside of the importer, shared by import.c and import_partitions.c.
 * Nobody else includes this.
 */
#ifndef HEDDLE_CONFIG_IMPORT_PRIV_H
#define HEDDLE_CONFIG_IMPORT_PRIV_H

#include <stdbool.h>

#include "config/import.h"

/* "# file:line: " and what is meant, made harmless, in one line. */
void import_note(struct buf *out, const struct import_file *f, unsigned line,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Options that change what the partitions file means. */
struct import_switches {
	bool both; /* allow_both_pkeys: else "both" means full */
	bool qos;  /* else service levels are ignored */
};

/* import_partitions.c: the section "partitions", notes before it. */
void import_partitions(const struct import_file *f,
	const struct import_switches *on, struct buf *out);

/* import_default.c: is that what OpenSM does if nobody says anything? */
bool import_is_default(const char *key, const char *value);

#endif
