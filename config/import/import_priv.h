/*
 * The inside of the importer, shared by import.c, import_partitions.c and
 * import_qos.c. Nobody else includes this.
 */
#ifndef HEDDLE_CONFIG_IMPORT_IMPORT_PRIV_H
#define HEDDLE_CONFIG_IMPORT_IMPORT_PRIV_H

#include <stdbool.h>

#include "config/import/import.h"

/* "# file:line: " and what is meant, made harmless, in one line. */
void import_note(struct buf *out, const struct import_file *f, unsigned line,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* import_qos.c: levels of service. */
struct import_qos *import_qos_new(void);
void import_qos_free(struct import_qos *q); /* NULL allowed */
/* A key of opensm.conf; false: it is none of those, or cannot be read. */
bool import_qos_take(struct import_qos *q, const char *key, const char *v);
/* Is it switched on? */
bool import_qos_on(const struct import_qos *q);
/* A partition's SL. */
void import_qos_partition(struct import_qos *q, const char *name, unsigned sl);
/* The section "qos", or nothing. */
void import_qos_print(const struct import_qos *q, const struct import_file *f,
	struct buf *out);

/*
 * import_partitions.c: the section "partitions", notes before it. Where there
 * are levels of service, SLs go to them. both: allow_both_pkeys, or "both"
 * means full.
 */
void import_partitions(const struct import_file *f, struct import_qos *q,
	bool both, struct buf *out);

/* import_default.c: is that what OpenSM does if nobody says anything? */
bool import_is_default(const char *key, const char *value);

#endif
