/*
 * The inside of the importer, shared by import.c and import_partitions.c.
 * Nobody else includes this.
 */
#ifndef HEDDLE_CONFIG_IMPORT_PRIV_H
#define HEDDLE_CONFIG_IMPORT_PRIV_H

#include "config/import.h"

/* "# file:line: " and what is meant, made harmless, in one line. */
void import_note(struct buf *out, const struct import_file *f, unsigned line,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* import_partitions.c: the section "partitions", notes before it. */
void import_partitions(const struct import_file *f, struct buf *out);

#endif
